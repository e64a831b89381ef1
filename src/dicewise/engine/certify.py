"""Certifying: any solution held against the Bellman equations of its game, in every state.

    violation(s)  = | V(s) - after(s, best a) |, the largest over the players, with after() from the rules and V
    error(s)     <= violation(s) + max over a of the mean over outcomes of error(next)

The second line turns violations into a bound on the distance to the true values: values that satisfy the equations of
an acyclic game exactly are the true ones. With `exact` every number is a fraction, so that the result is a proof;
otherwise the rounding of the check itself is added to the bound.

Where each player plays for itself, values also depend on which of several equal actions is taken. There an exact
check compares each state with its first best action, and a violation of 0 is a proof all the same; a bound from a
violation above 0 is not to be had, because a tie that is judged wrongly changes the others' values at once.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dicewise.engine.explore import action_list, outcomes_of, turn_of
from dicewise.errors import CyclicError
from dicewise.game import Game, Number, Progress, pay_each
from dicewise.solution import UNIT_ROUNDOFF, Solution, Violation


@dataclass(frozen=True)
class Certificate:
    """What was checked, and what follows."""

    game: str
    method: str
    """Of the solution that was checked."""
    exact: bool
    """Whether the check itself was made in exact arithmetic: then it is a proof."""
    states: int
    violation: Number
    where: str
    policy_loss: Number
    wrong_ties: int
    error_bound: Number | None
    seconds: float

    @property
    def proven(self) -> bool:
        """Whether every value, and every action that was named best, is shown to be exactly right."""
        return self.exact and self.violation == 0 and self.policy_loss == 0 and self.wrong_ties == 0


def certify(solution: Solution[Any, Any], *, exact: bool = False, progress: Progress | None = None) -> Certificate:
    """Check a solution against the Bellman equations in every state that it covers."""
    started = time.perf_counter()
    found = solution.check_bellman(exact, progress)
    if found is None:
        found = check_by_rules(solution, exact, progress)
    return Certificate(
        game=solution.report.game,
        method=solution.report.method,
        exact=exact,
        states=found.states,
        violation=found.largest,
        where=found.where,
        policy_loss=found.policy_loss,
        wrong_ties=found.wrong_ties,
        error_bound=found.error_bound,
        seconds=time.perf_counter() - started,
    )


def check_by_rules(solution: Solution[Any, Any], exact: bool, progress: Progress | None = None) -> Violation:
    """The check from nothing but the rules and the solution's values, for every game."""
    return _RulesCheck(solution, exact).run(progress)


class _RulesCheck:
    def __init__(self, solution: Solution[Any, Any], exact: bool) -> None:
        self.solution, self.game = solution, solution.game
        self.number: Any = Fraction if exact else float
        self.exact = exact
        self.own = solution.report.interests == "each for itself"
        self.pays = type(self.game).reward is not Game.reward
        self.values: dict[Any, tuple[Any, ...]] = {}
        self.errors: dict[Any, Any] = {}
        self.largest, self.policy_loss, self.where = self.number(0), self.number(0), ""

    def run(self, progress: Progress | None) -> Violation:
        known = [self.game.as_first(state) for state in self.solution.states()]
        for done, state in enumerate(known):
            self.finish(state)
            if progress is not None and done % 256 == 0:
                progress(done / len(known), "certifying")
        bound = max(self.errors.values(), default=self.number(0))
        sound = not self.own or (self.exact and self.largest == 0)
        return Violation(len(self.errors), self.largest, self.where, self.policy_loss, bound if sound else None)

    def finish(self, root: Any) -> None:
        """Check a state after all states that it leads to (a walk in depth, without recursion)."""
        if root in self.errors:
            return
        on_path = {root}
        path = [(root, *self.open(root))]
        while path:
            state, options, ahead = path[-1]
            for following in ahead:
                if following in on_path:
                    text = self.game.text(state)
                    raise CyclicError(
                        f"{self.game.spec} can come back to {text!r}; only games that never do can be certified"
                    )
                if following not in self.errors:
                    on_path.add(following)
                    path.append((following, *self.open(following)))
                    break
            else:
                self.check(state, options)
                on_path.discard(state)
                path.pop()

    def open(self, state: Any) -> tuple[list[tuple[Any, list[Any]]], Iterator[Any]]:
        """A state's options, and the unfinished states that they lead to."""
        options = [(action, outcomes_of(self.game, state, action)) for action in action_list(self.game, state)]
        onward = {self.game.as_first(to) for _, lottery in options for _, _, to in lottery}
        return options, iter([to for to in onward if to not in self.errors and self.game.actions(to)])

    def values_of(self, state: Any) -> tuple[Any, ...]:
        found = self.values.get(state)
        if found is None:
            found = self.values[state] = tuple(map(self.number, self.solution.values(state)))
        return found

    def check(self, state: Any, options: list[tuple[Any, list[Any]]]) -> None:
        game, mover = self.game, turn_of(self.game, state)
        worth, errors = [], []
        for action, lottery in options:
            total = sum(weight for _, weight, _ in lottery)
            sums = [self.number(0)] * game.players
            error = self.number(0)
            size = 0.0
            for outcome, weight, to in lottery:
                chance = Fraction(weight, total) if self.exact else weight / total
                gains = self.values_of(to)
                if self.pays:
                    paid = pay_each(game.reward(state, action, outcome), game.players)
                    gains = tuple(gain + self.number(pay) for gain, pay in zip(gains, paid, strict=True))
                sums = [so_far + chance * gain for so_far, gain in zip(sums, gains, strict=True)]
                error += chance * self.errors.get(game.as_first(to), 0)
                size = max(size, *(abs(float(gain)) for gain in gains))
            if not self.exact:
                error += (len(lottery) + 3) * UNIT_ROUNDOFF * size
            worth.append(tuple(sums))
            errors.append(error)
        best = max(values[mover] for values in worth)
        chosen = [action for action, _ in options].index(self.solution.action(state))
        claimed = self.values_of(state)
        violation = abs(claimed[mover] - best)
        if self.exact or not self.own:  # what follows from a state reads every player's entry, not the mover's alone
            first = next(values for values in worth if values[mover] == best)
            violation = max(abs(mine - theirs) for mine, theirs in zip(claimed, first, strict=True))
        self.policy_loss = max(self.policy_loss, best - worth[chosen][mover])
        if violation > self.largest or not self.where:
            self.largest, self.where = max(violation, self.largest), game.text(state)
        self.errors[state] = violation + max(errors)
