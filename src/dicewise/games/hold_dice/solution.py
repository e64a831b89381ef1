"""Hold dice solved: what every roll and every keep is worth, and the questions that people ask of it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from dicewise.errors import InputError
from dicewise.game import Number, Progress
from dicewise.games.dice_lattice import Values, expect
from dicewise.games.hold_dice import _kernel, exact
from dicewise.games.hold_dice._layout import Dice, Nodes, dice_of
from dicewise.games.hold_dice.rules import Action, HoldDice, Keep, Position
from dicewise.solution import TIE_TOLERANCE, Choice, Report, Solution, Violation


def solve_fast(game: HoldDice, progress: Progress | None = None) -> HoldDiceSolution:
    """Every state in doubles."""
    started = time.perf_counter()
    dice = dice_of(game)
    worth, bound = _kernel.solve(dice, progress)
    return HoldDiceSolution(game, _report(game, dice, started, "kernel (dice lattice)", bound), worth)


def solve_exactly(game: HoldDice, progress: Progress | None = None) -> HoldDiceSolution:
    """Every state in fractions."""
    started = time.perf_counter()
    dice = dice_of(game)
    doubles, _ = _kernel.solve(dice, progress)
    whole = dice_of(game, exact=True)
    worth = exact.solve(whole, _kernel.choose(dice, doubles, _tolerance(dice)), progress)
    report = _report(game, dice, started, "kernel (dice lattice, fractions)", None)
    return HoldDiceSolution(game, report, worth)


def _report(game: HoldDice, dice: Dice, started: float, method: str, bound: float | None) -> Report:
    return Report(
        game=game.spec,
        method=method,
        interests="one player",
        states=len(dice.stick) + 1,
        seconds=time.perf_counter() - started,
        exact=bound is None,
        error_bound=bound or 0.0,
        tie_rule="sticking before rerolls that are as good, of rerolls that with the fewest dice kept",
    )


def _tolerance(dice: Dice) -> float:
    return TIE_TOLERANCE * max(1.0, dice.size)


def from_arrays(game: HoldDice, arrays: Mapping[str, Any], report: Report) -> HoldDiceSolution:
    """A solution from what the store kept of it."""
    worth = arrays["worth"]
    if worth.shape != (dice_of(game).lattice.nodes,):
        raise InputError(f"the stored table of {game.spec} has the wrong shape")
    return HoldDiceSolution(game, report, worth)


class HoldDiceSolution(Solution[Position, Action]):
    """Values of all rolls and keeps, and the best thing to do with each roll."""

    game: HoldDice

    def __init__(self, game: HoldDice, report: Report, worth: Values) -> None:
        """`worth` has one entry per node of the dice lattice: rolls, and keeps before the others are rolled."""
        self._dice = dice_of(game, exact=report.exact)
        super().__init__(game, report, _tolerance(self._dice))
        self._worth = worth
        self._nodes = self._dice.lattice
        self._side = {value: side for side, value in enumerate(game.shown)}
        self._chosen: Nodes | None = None
        self._odds = lru_cache(maxsize=4)(self._compute_odds)

    # ---- what a solver supplies

    def values(self, state: Position) -> tuple[Number, ...]:
        if state.over:
            return (self.game.payoff(state),)
        return (self._at(self._node(state.dice)),)

    def states(self) -> Iterator[Position]:
        yield self.game.start()
        for node in range(self._nodes.rolls.start, self._nodes.rolls.stop):
            yield Position(self._dice_of(node))

    def arrays(self) -> dict[str, np.ndarray[Any, Any]] | None:
        return None if self.report.exact else {"worth": self._worth}

    def check_bellman(self, exact: bool, progress: Progress | None = None) -> Violation:
        from dicewise.games.hold_dice.bellman import check

        return check(self.game, self._worth, self.chosen, exact, progress)

    @property
    def chosen(self) -> Nodes:
        """The node that each roll goes to: itself to stick, a smaller one for the dice to keep."""
        if self._chosen is None:
            worth = self._worth * self._dice.unit if self.report.exact else self._worth
            self._chosen = _kernel.choose(self._dice, worth, self.tolerance)
        return self._chosen

    # ---- single states

    def after(self, state: Position, action: Action) -> tuple[Number, ...]:
        if action == "stick":
            score = self.game.final_score(state.dice)
            return (score if self.report.exact else float(score),)
        if isinstance(action, str):
            return self.values(state)
        cost = self.game.cost if self.report.exact else self._dice.cost
        return (self._at(self._node(action)) - cost,)

    def action(self, state: Position) -> Action:
        if state.over or not state.dice:
            return super().action(state)
        node = self._node(state.dice)
        to = int(self.chosen[node - self._nodes.rolls.start])
        return "stick" if to == node else Keep(self._dice_of(to))

    def choices(self, state: Position) -> list[Choice[Action]]:
        choices = super().choices(state)
        if len(choices) > 1 and choices[0].action != (best := self.action(state)):  # a tie that only one of them saw
            at = next(at for at, choice in enumerate(choices) if choice.action == best)
            choices.insert(0, replace(choices.pop(at), loss=0))
        return choices

    def details(self, state: Position, action: Action) -> Mapping[str, Number]:
        """How likely it is that a reroll pays at once, so that sticking afterwards, less its cost, beats sticking now
        (`better`), and that it is the last one (`last`)."""
        if not state.dice or state.over:
            return {}
        if isinstance(action, str):
            return {"better": 0.0, "last": 1.0}
        odds = self._odds(self.game.final_score(state.dice))[self._node(action)]
        return {"better": float(odds[0]), "last": float(odds[1])}

    def why(self, state: Position) -> str:
        game = self.game
        if state.over:
            return "The game is over."
        if not state.dice:
            return "The first roll is free."
        best, score = self.action(state), game.final_score(state.dice)
        final = game.final_dice(state.dice)
        counted = "" if final == state.dice else f", counted as {' '.join(map(str, final))}"
        rivals = [choice for choice in self.choices(state) if choice.action != best]
        if best == "stick":
            margin = ""
            if rivals:
                margin = f"; to {game.label(rivals[0].action)} is {_margin(rivals[0].loss, 'worth less by')}"
            return f"Stick with {score}{counted}{margin}."
        better, last = map(float, self.details(state, best).values())
        gain = float(self.value(state)) - float(score)
        rerolled = game.dice - len(best)
        verb = f"{game.label(best).capitalize()} and reroll {rerolled} dice" if best else "Reroll all dice"
        if rerolled == 1:
            verb = verb.replace("1 dice", "1 die")
        return (
            f"{verb}: worth {gain:.4g} more than sticking with {score}{counted}; "
            f"{better:.1%} of all rolls beat that at once, {last:.1%} are to stick with."
        )

    # ---- inside

    def _node(self, dice: tuple[Number, ...]) -> int:
        counts = [0] * self.game.sides
        for value, count in Counter(dice).items():
            if value not in self._side:
                raise InputError(f"a die cannot show {value}; see {self.game.spec}")
            counts[self._side[value]] = count
        if len(dice) > self.game.dice:
            raise InputError(f"{len(dice)} dice are too many; {self.game.spec} has {self.game.dice}")
        return self._nodes.number(counts)

    def _dice_of(self, node: int) -> tuple[Number, ...]:
        counts = self._nodes.counts[node].tolist()
        return tuple(value for value, count in zip(self.game.shown, counts, strict=True) for _ in range(count))

    def _at(self, node: int) -> Number:
        value: Number = self._worth[node] if self.report.exact else float(self._worth[node])
        return value

    def _compute_odds(self, score: Number) -> Values:
        """For every node how likely a roll follows that pays more than this score and a reroll, and one to stick
        with."""
        nodes = self._nodes
        odds = np.empty((nodes.nodes, 2))
        odds[nodes.rolls, 0] = self._dice.stick > (score + self.game.cost) * self._dice.unit
        odds[nodes.rolls, 1] = self.chosen == self._dice.own
        expect(nodes.first, nodes.more, dice_of(self.game).chances, odds)
        return odds


def _margin(loss: Number, words: str) -> str:
    return f"{words} {float(loss):.4g}" if loss else "as good"
