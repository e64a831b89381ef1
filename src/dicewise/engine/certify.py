"""Certifying: any solution held against the Bellman equations of its game, in every state.

    violation(s)  = | V(s) - after(s, best a) |, the largest over the players, with after() from the rules and V
    error(s)     <= violation(s) + max over a of the mean over outcomes of error(next)

The second line turns violations into a bound on the distance to the true values: values that satisfy the equations of
an acyclic game exactly are the true ones. With `exact` every number is a fraction, so that the result is a proof;
otherwise the rounding of the check itself is added to the bound.

In a cyclic game values may satisfy the equations and still be wrong: a loop can keep up any value that it likes. There
a proof also shows that the actions chosen bring play to an end, whatever the other player does (`force_the_end`), and
that nobody would rather go on for ever; in doubles the bounds of `cycles` show the same.

Where each player plays for itself, values also depend on which of several equal actions is taken. There an exact
check compares each state with its first best action, and a violation of 0 is a proof all the same; a bound from a
violation above 0 is not to be had, because a tie that is judged wrongly changes the others' values at once.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicewise.engine.arena import Arena, arena_of, lost_nodes, tight_ways, value_of
from dicewise.engine.components import Components, Way, components_of, end_components, force_the_end
from dicewise.engine.exact import LoopError, UndecidedError
from dicewise.engine.explore import check_count, explore
from dicewise.engine.problem import Problem
from dicewise.engine.reading import action_list, outcomes_of, turn_of
from dicewise.engine.solve import interests_of
from dicewise.errors import CyclicError
from dicewise.game import Game, Number, Progress, pay_each, spoken
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
    unending: int
    error_bound: Number | None
    seconds: float

    @property
    def proven(self) -> bool:
        """Whether every value, and every action that was named best, is shown to be exactly right."""
        faultless = self.violation == 0 and self.policy_loss == 0 and self.wrong_ties == 0 and self.unending == 0
        return self.exact and faultless


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
        unending=found.unending,
        error_bound=found.error_bound,
        seconds=time.perf_counter() - started,
    )


def check_by_rules(solution: Solution[Any, Any], exact: bool, progress: Progress | None = None) -> Violation:
    """The check from nothing but the rules and the solution's values, for every game."""
    try:
        return _RulesCheck(solution, exact).run(progress)
    except _CycleError:
        return _check_cyclic(solution, exact, progress)


class _CycleError(Exception):
    """Play can come back to a position."""


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
        check_count(self.game, known[:1])
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
                    raise _CycleError
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
            self.largest, self.where = max(violation, self.largest), spoken(game, "text", state)
        self.errors[state] = violation + max(errors)


def _check_cyclic(solution: Solution[Any, Any], exact: bool, progress: Progress | None) -> Violation:
    """The check of a game that can come back to a position: on its graph, explored anew."""
    game = solution.game
    graph = explore(game, [game.as_first(state) for state in solution.states()], progress=progress)
    problem = Problem(graph, interests_of(graph), Fraction(solution.gamma))
    if problem.interests == "each for itself":
        raise CyclicError(
            f"{game.spec} can come back to a position, and each plays for itself: that cannot be certified", "interests"
        )
    values: list[Number] = []
    chosen: list[int] = []
    for at, state in enumerate(graph.states):
        values.append(solution.value(state))
        chosen.append(list(game.actions(state)).index(solution.action(state)))
        if progress is not None and at % 256 == 0:
            progress(0.5 + 0.4 * at / len(graph.states), "certifying")
    shape = components_of(graph)
    doubles = np.array([float(value) for value in values])
    if exact:
        found = _check_exactly(problem, shape, [Fraction(value) for value in values], chosen)
        if found.error_bound is None and not solution.report.exact:
            # in doubles hardly any equation holds to the last digit, so that nothing follows from those that do
            found = replace(found, error_bound=_bound(problem, shape, doubles, progress), unending=0)
    else:
        found = _check_doubles(problem, shape, doubles, np.array(chosen), progress)
    return replace(found, where=spoken(game, "text", graph.states[int(found.where)]))


def _check_doubles(
    problem: Problem,
    shape: Components,
    values: NDArray[np.float64],
    chosen: NDArray[np.int64],
    progress: Progress | None,
) -> Violation:
    from dicewise.engine.cycles import worths_of

    graph = problem.graph
    worths = worths_of(problem, values)
    best = np.maximum.reduceat(worths, graph.first_choice[:-1])
    off = np.abs(values - best)
    bound = _bound(problem, shape, values, progress)
    loss = float((best - worths[graph.first_choice[:-1] + chosen]).max())
    return Violation(len(values), float(off.max()), str(int(off.argmax())), loss, bound)


def _bound(problem: Problem, shape: Components, values: NDArray[np.float64], progress: Progress | None) -> float | None:
    from dicewise.engine.cycles import solve_in_doubles

    try:
        return solve_in_doubles(problem, shape, given=values, progress=progress).error_bound
    except (LoopError, UndecidedError):
        return None


def _check_exactly(problem: Problem, shape: Components, values: list[Fraction], chosen: list[int]) -> Violation:
    """Every equation, and in every cycle that play by the chosen actions ends."""
    count, known = len(values), values + problem.ends
    largest = loss = Fraction(0)
    where = unending = 0
    for number in range(len(shape.cyclic)):
        states = shape.states(number)
        arena = arena_of(problem, states, lambda to: (known[to], known[to]))
        mine = [known[s] if me else problem.total - known[s] for s, me in zip(arena.states, arena.mine, strict=True)]
        worths = [[value_of(option, mine) for option in options] for options in arena.options]
        for node, state in enumerate(states):
            best = max(worths[node])
            loss = max(loss, best - worths[node][chosen[state]])
            if abs(best - values[state]) > largest:
                largest, where = abs(best - values[state]), state
        if shape.cyclic[number]:
            unending += _unending(problem, arena, mine, [chosen[state] for state in arena.states])
    # without violation and loss, values are the truth where play ends
    bound = Fraction(0) if largest == loss == 0 and not unending else None
    return Violation(count, largest, str(where), loss, bound, unending=unending)


def _unending(problem: Problem, arena: Arena, mine: list[Fraction], chosen: list[int]) -> int:
    """The nodes of a component from which the chosen actions are not shown to end play, or would better not."""
    lost = lost_nodes(problem, arena, mine)
    _, tight = tight_ways(arena, mine, lost)
    played = list(tight)
    for node in (node for node, me in enumerate(arena.mine) if me):
        way = arena.ways[node][chosen[node]]
        played[node] = [Way(way.inside - lost, way.leaves or bool(way.inside & lost))]
    sure = force_the_end(arena.mine, played)
    left = sum(node not in sure and node not in lost for node in range(len(mine)))
    if not problem.opposed:
        left += sum(len(loop) for loop in end_components(tight) if min(mine[node] for node in loop) < 0)
    return left
