"""Yahtzee solved for another aim: the best chance to reach so many points, or to beat a score that is known.

The table has a number per turn start and per number of points that are still needed (`_kernel_reach`); what is best
within a turn is worked out from it when it is asked for. It holds what can come up in a game for the target. A position
that somebody types may be another one, such as a first turn with half of the points: then play is solved from that card
on, and remembered.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from dicewise.errors import InputError
from dicewise.game import Number, Progress
from dicewise.games.yahtzee._layout import layout
from dicewise.games.yahtzee.position import Action, Position
from dicewise.games.yahtzee.rules import Yahtzee
from dicewise.games.yahtzee.solution import rounding
from dicewise.games.yahtzee.turn import Turn, scoring, turn
from dicewise.memory import require
from dicewise.solution import Report, Solution, Violation

if TYPE_CHECKING:
    from dicewise.games.yahtzee._kernel_reach import Needs

TIE_RULE = "of equally good actions the one that keeps the most dice; boxes last, in the order of the card"

MOST_OTHERS = 4
"""Cards of their own whose tables are remembered."""


def solve_aim(game: Yahtzee, progress: Progress | None = None) -> ReachSolution:
    """The best chance to make the target from every turn start and need of a game for it, in doubles."""
    started = time.perf_counter()
    needs = chances(game, game.target, progress=progress).packed()
    report = Report(
        game=game.spec,
        method="kernel (compiled)",
        interests="one player",
        states=needs.count,
        seconds=time.perf_counter() - started,
        exact=False,
        error_bound=error_bound(game),
        tie_rule=TIE_RULE,
    )
    return ReachSolution(game, report, needs)


def chances(
    game: Yahtzee,
    target: int,
    *,
    every: bool = False,
    state: Position | None = None,
    progress: Progress | None = None,
) -> Needs:
    """The best chances to make `target` more points from a turn start on, or `every` number up to it."""
    if progress is not None and "numba" not in sys.modules:
        progress(0.0, "loading the compiled solver (the first time it is compiled, which takes some seconds)")
    from dicewise.games.yahtzee import _kernel_reach

    rules = layout(game)
    card = None if state is None else _kernel_reach.Card(state.used, state.upper, int(state.extra))
    what = f"the chances of {target} points in {game.spec}"
    require(_kernel_reach.plan(rules, target, every, card).bytes, what)
    return _kernel_reach.solve(rules, game.rerolls, target, every=every, card=card, progress=progress)


def error_bound(game: Yahtzee) -> float:
    """No chance is further than this from the true one: rounding, and chances that count as 0."""
    from dicewise.games.yahtzee._kernel_reach import TINY

    rules = layout(game)
    return rounding(rules, game.rerolls) / rules.most_points + rules.boxes * TINY


def aim_from_arrays(game: Yahtzee, arrays: Mapping[str, Any], report: Report) -> ReachSolution:
    """A solution from what the store kept of it."""
    from dicewise.games.yahtzee._kernel_reach import unpacked

    needs = unpacked(layout(game), game.target, arrays["high"], arrays["chance"])
    if needs is None:
        raise InputError(f"the stored table of {game.spec} has the wrong shape")
    return ReachSolution(game, report, needs)


class ReachSolution(Solution[Position, Action]):
    """The best chance to make the target from every position, and how to get it."""

    game: Yahtzee

    def __init__(self, game: Yahtzee, report: Report, needs: Needs) -> None:
        super().__init__(game, report)
        self._rules = layout(game)
        self._needs = needs
        self._others: list[Needs] = []
        self._turn = lru_cache(maxsize=256)(self._compute_turn)

    # ---- what a solver supplies

    def values(self, state: Position) -> tuple[Number, ...]:
        if not state.need:
            return (1.0,)
        if state.used == self.game.all_used:
            return (0.0,)
        if not state.dice:
            return (float(self._home(state).at(self._row(state.used, int(state.extra), state.upper), state.need)),)
        return (float(self.turn_at(state).rolls[state.rerolls][self._roll(state.dice)]),)

    def states(self) -> Iterator[Position]:
        """All turn starts with all needs that can come up, those without a chance included."""
        plan, rules = self._needs.plan, self._rules
        for used, extra, upper in rules.anchors():
            row = int(self._row(used, extra, upper))
            yield Position(used, upper, bool(extra))
            for need in range(int(plan.least[row]), int(plan.most[row]) + 1):
                yield Position(used, upper, bool(extra), need=need)

    def arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        return {"chance": self._needs.chance, "high": self._needs.high}

    def after(self, state: Position, action: Action) -> tuple[Number, ...]:
        if action == "roll":
            return self.values(state)
        turn = self.turn_at(state)
        if isinstance(action, str):
            return (float(turn.boxes[self.game.words.index(action), self._roll(state.dice)]),)
        return (float(turn.keeps[state.rerolls - 1][self._node(action)]),)

    def endings(self, state: Position, progress: Progress | None = None) -> Mapping[Number, Number] | None:
        made = self.value(state)
        return {0: 1 - made, 1: made}

    def check_bellman(self, exact: bool, progress: Progress | None = None) -> Violation | None:
        if exact:
            return None
        from dicewise.games.yahtzee._kernel_check import check

        def name(used: int, extra: int, upper: int, need: int) -> str:
            return self.game.text(Position(used, upper, bool(extra), need=need))

        return check(self._rules, self.game.rerolls, self._needs, error_bound(self.game), name, progress)

    @property
    def payoff_range(self) -> tuple[Number, Number]:
        return 0, 1

    # ---- a turn

    def turn_at(self, state: Position) -> Turn:
        """All that can happen until the turn of a position ends."""
        return self._turn(state.used, state.upper, int(state.extra), state.need)

    def _compute_turn(self, used: int, upper: int, extra: int, need: int) -> Turn:
        rules = self._rules
        after = scoring(rules, used, upper, extra)
        to = used | 1 << np.arange(rules.boxes)
        home = self._home(Position(used, upper, bool(extra), need=need))
        allowed = after.gain >= 0
        rows = np.where(allowed, self._row(to[:, None], after.extra, after.upper), 0)
        left = np.where(allowed, need - after.gain, 0)
        worth = np.where(allowed, home.at(rows, left), -np.inf)
        return turn(rules, worth, self.game.rerolls, 1 / self.game.sides)

    # ---- inside

    def _row(self, used: Any, extra: Any, upper: Any) -> Any:
        rules = self._rules
        return self._needs.plan.first_row[used * rules.flags + extra * (rules.flags - 1)] + upper

    def _home(self, state: Position) -> Needs:
        """The table that has a turn start."""
        row = self._row(state.used, int(state.extra), state.upper)
        for needs in (self._needs, *self._others):
            if not np.isnan(needs.at(row, state.need)):
                return needs
        self._others = [*self._others[1 - MOST_OTHERS :], chances(self.game, state.need, state=state).packed()]
        return self._others[-1]

    def _node(self, dice: Sequence[int]) -> int:
        return self._rules.nodes.number(self.game.counts(dice))

    def _roll(self, dice: Sequence[int]) -> int:
        return self._node(dice) - int(self._rules.nodes.rolls.start)
