"""The same answers in fractions: slow, obvious, the oracle.

Acyclic games by backward induction. Cyclic ones component by component, each after all that it leads to, by policy
iteration with exact linear algebra:

    one player   from a policy that ends, and switching only to what is strictly better, every policy on the way
                 ends, or a loop pays; the last one is the best that ends (Bertsekas and Tsitsiklis 1991)
    two players  what the mover can be sure of: its policy is improved against the other's best reply (Hoffman and
                 Karp 1966). It begins with a policy that always ends, or by giving up everywhere, which is worth the
                 worst that can happen; so what it ends with is the least fixed point, in which endless play counts
                 as that worst.

Two players have a value if both are sure of it, the mover of v and the other of total - v: then it does not matter
how endless play is counted. Where nothing is paid on the way, the worst that can happen is the worst end of the game.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from dicewise.engine.arena import Arena, Bounds, Option, arena_of, giving_up, headway, value_of
from dicewise.engine.components import Components, Way, end_components
from dicewise.engine.problem import Problem
from dicewise.game import Progress
from dicewise.graph import Graph

Row = tuple[Fraction, ...]


class LoopError(Exception):
    """A component has no answer; `states` are in it, `reason` is that of a `CyclicError`."""

    def __init__(self, reason: str, states: Sequence[int]) -> None:
        super().__init__(reason)
        self.reason, self.states = reason, states


class UndecidedError(Exception):
    """Whether a component has an answer depends on digits that are not known; `states` are in it."""

    def __init__(self, states: Sequence[int]) -> None:
        super().__init__("undecided")
        self.states = states


def backward_induction_exactly(
    graph: Graph, levels: list[NDArray[np.int64]], gamma: Fraction = Fraction(1), progress: Progress | None = None
) -> list[Row]:
    """The values of an acyclic game, one entry per player from the mover on; of equal choices the first is taken."""
    count, players = len(graph.states), graph.players
    values: list[Row] = [()] * count
    values += [tuple(map(Fraction, row)) for row in graph.ends.tolist()]
    rewards = None if graph.reward is None else graph.reward.tolist()
    known: dict[int, Row] = {}

    def worth(lottery: int) -> Row:
        edges = range(graph.first_edge[lottery], graph.first_edge[lottery + 1])
        total = sum(int(graph.weight[edge]) for edge in edges)
        sums = [Fraction(0)] * players
        for edge in edges:
            weight, shift, row = int(graph.weight[edge]), int(graph.shift[edge]), values[graph.target[edge]]
            for j in range(players):
                paid = 0 if rewards is None else Fraction(rewards[edge][j])
                sums[j] += weight * (paid + gamma * row[(j + shift) % players])
        return tuple(entry / total for entry in sums)

    for at, state in enumerate(state for level in levels for state in level.tolist()):
        best: Row | None = None
        for choice in range(graph.first_choice[state], graph.first_choice[state + 1]):
            lottery = int(graph.lottery[choice])
            if lottery not in known:
                known[lottery] = worth(lottery)
            if best is None or known[lottery][0] > best[0]:
                best = known[lottery]
        assert best is not None  # a state without actions is an end
        values[state] = best
        if progress is not None and at % 256 == 0:
            progress(0.5 + 0.5 * at / count, "solving exactly")
    return values[:count]


# ---- inside a cyclic component


def best_alone(arena: Arena) -> list[Fraction]:
    """One player: the value of the best policy that ends; refused if a loop pays, or if going on for ever is better."""
    values = _optimise(arena, arena.options, {}, 1, "paying loop", likely_policy(arena))
    tight = [
        [
            way
            for way, option in zip(ways, options, strict=True)
            if not way.leaves and value_of(option, values) == values[node]
        ]
        for node, (ways, options) in enumerate(zip(arena.ways, arena.options, strict=True))
    ]
    for loop in end_components(tight):
        # in such a loop what was collected and what is still to come add up to the same at every state; who never
        # leaves has collected most where least is to come
        if min(values[node] for node in loop) < 0:
            raise LoopError("endless play", [arena.states[node] for node in sorted(loop)])
    return values


def sure_of(arena: Arena, giving_up: Sequence[Fraction]) -> list[Fraction]:
    """Two players: what `me` can be sure of, endless play counting as if it had given up."""
    given_up = dict(enumerate(giving_up))
    policy: dict[int, Option] = {}
    likely = likely_policy(arena)
    if likely is not None and _always_ends(arena, likely):  # a better start than giving up, and as safe
        given_up.clear()
        policy = {node: option for node, option in enumerate(likely) if arena.mine[node]}
    while True:
        allowed = [
            [policy[node]] if arena.mine[node] and node in policy else options
            for node, options in enumerate(arena.options)
        ]
        values = _optimise(arena, allowed, given_up, -1, "endless play", likely)
        changed = False
        for node, options in enumerate(arena.options):
            worths = [value_of(option, values) for option in options]
            worth = max(worths) if arena.mine[node] else min(worths)
            if worth > values[node]:
                given_up.pop(node, None)
                if arena.mine[node]:
                    policy[node] = options[worths.index(worth)]
                changed = True
        if not changed:
            return values


def likely_policy(arena: Arena) -> list[Option] | None:
    """What both sides are likely to choose, by policy iteration in doubles, which proves nothing: a place to start."""
    count = len(arena.options)
    try:
        ending = _ending_policy(arena, arena.options, {}, "no end")
        chosen = [
            next(at for at, option in enumerate(options) if option is wanted)
            for options, wanted in zip(arena.options, ending, strict=True)
        ]
        doubles = [
            [(float(option.sure), [(to, float(chance)) for to, chance in option.moves]) for option in options]
            for options in arena.options
        ]
        for _ in range(LIKELY_ROUNDS):
            system, side = np.eye(count), np.empty(count)
            for node, choice in enumerate(chosen):
                side[node], moves = doubles[node][choice]
                for to, chance in moves:
                    system[node, to] -= chance
            values = np.linalg.solve(system, side).tolist()
            changed = False
            for node, options in enumerate(doubles):
                worths = [sure + sum(chance * values[to] for to, chance in moves) for sure, moves in options]
                best = max(worths) if arena.mine[node] else min(worths)
                if abs(best - values[node]) > 1e-9 * (1 + abs(best)):
                    chosen[node], changed = worths.index(best), True
            if not changed:
                return [options[choice] for options, choice in zip(arena.options, chosen, strict=True)]
    except (LoopError, OverflowError, np.linalg.LinAlgError):
        pass
    return None


LIKELY_ROUNDS = 50


def _always_ends(arena: Arena, policy: list[Option]) -> bool:
    """Whether play ends by `my` part of a policy, whatever the other does."""
    ways = [
        [Way(frozenset(to for to, _ in policy[node].moves), policy[node].leaves)] if me else listed
        for node, (me, listed) in enumerate(zip(arena.mine, arena.ways, strict=True))
    ]
    return not end_components(ways)


def _optimise(
    arena: Arena,
    allowed: list[list[Option]],
    fixed: Mapping[int, Fraction],
    sign: int,
    refusal: str,
    likely: list[Option] | None = None,
) -> list[Fraction]:
    """The best values (the least with sign -1) of policies that end, by policy iteration."""
    chosen = _ending_policy(arena, allowed, fixed, refusal)
    if likely is not None:
        start = [
            wanted if any(wanted is option for option in options) else known
            for wanted, options, known in zip(likely, allowed, chosen, strict=True)
        ]
        with suppress(LoopError):  # it may not end
            chosen = _ending_policy(arena, [[option] for option in start], fixed, refusal)
    while True:
        values = _evaluate(chosen, fixed)
        changed = False
        for node, options in enumerate(allowed):
            if node in fixed or len(options) == 1:
                continue
            worths = [sign * value_of(option, values) for option in options]
            if max(worths) > sign * values[node]:
                chosen[node] = options[worths.index(max(worths))]
                changed = True
        if not changed:
            return values
        _ending_policy(arena, [[option] for option in chosen], fixed, refusal)


def _ending_policy(
    arena: Arena, allowed: list[list[Option]], fixed: Mapping[int, Fraction], refusal: str
) -> list[Option]:
    """A policy by which every node has some chance to get closer to the way out, found from there backwards."""
    chosen: dict[int, Option] = {node: options[0] for node, options in enumerate(allowed) if node in fixed}
    waiting: dict[int, list[tuple[int, Option]]] = {}
    ready = list(chosen)
    for node, options in enumerate(allowed):
        for option in options:
            if option.leaves and node not in chosen:
                chosen[node] = option
                ready.append(node)
            for to, _ in option.moves:
                waiting.setdefault(to, []).append((node, option))
    while ready:
        for node, option in waiting.get(ready.pop(), ()):
            if node not in chosen:
                chosen[node] = option
                ready.append(node)
    if len(chosen) < len(allowed):
        raise LoopError(refusal, [arena.states[node] for node in range(len(allowed)) if node not in chosen])
    return [chosen[node] for node in range(len(allowed))]


def _evaluate(chosen: list[Option], fixed: Mapping[int, Fraction]) -> list[Fraction]:
    """The values of a policy that ends: x = sure + moves x, in integers."""
    from flint import fmpz, fmpz_mat  # exact linear algebra, loaded where a cyclic game is solved exactly

    free = [node for node in range(len(chosen)) if node not in fixed]
    values = [fixed.get(node, Fraction(0)) for node in range(len(chosen))]
    if not free:
        return values
    column = {node: at for at, node in enumerate(free)}
    rows, sides = [], []
    for node in free:
        scale = lcm(*(chance.denominator for _, chance in chosen[node].moves))
        row, side = [0] * len(free), scale * chosen[node].sure
        row[column[node]] = scale
        for to, chance in chosen[node].moves:
            if to in column:
                row[column[to]] -= int(scale * chance)
            else:
                side += scale * chance * values[to]
        rows.append(row)
        sides.append(side)
    common = lcm(*(side.denominator for side in sides))
    found = fmpz_mat(rows).solve(fmpz_mat([[fmpz(int(side * common))] for side in sides]))
    for at, node in enumerate(free):
        x = found[at, 0]
        values[node] = Fraction(int(x.p), int(x.q) * common)
    return values


def solve_component(
    problem: Problem, states: list[int], worth: Bounds
) -> tuple[list[tuple[Fraction, Fraction]], list[int]]:
    """The values of a component from below and from above, the same where `worth` is the same or there is no value,
    and the choices that are sure of the lower ones."""
    arena, count = arena_of(problem, states, worth), len(states)
    if not problem.opposed:
        below = _alone(arena)
        upper = arena_of(problem, states, lambda to: worth(to)[::-1])
        above = below if upper.options == arena.options else _alone(upper)
        if isinstance(below, LoopError) or isinstance(above, LoopError):
            raise below if isinstance(below, LoopError) and isinstance(above, LoopError) else UndecidedError(states)
        return list(zip(below, above, strict=True)), headway(problem, arena, below)
    quit_at = giving_up(problem, arena)
    values = sure_of(arena, quit_at)
    lost = [state for state, value, least in zip(arena.states, values, quit_at, strict=True) if value == least]
    if problem.limits is None and lost:
        raise LoopError("endless play", lost)
    bounds = [(values[node], problem.total - values[node + count]) for node in range(count)]
    return bounds, headway(problem, arena, values)


def _alone(arena: Arena) -> list[Fraction] | LoopError:
    """One player's values, or why there are none."""
    try:
        return best_alone(arena)
    except LoopError as error:
        return error


def solve_exactly(
    problem: Problem, components: Components, progress: Progress | None = None
) -> tuple[list[Fraction], list[int]]:
    """The values of all states, and in cyclic components the choices (elsewhere -1: the first best)."""
    count = len(problem.graph.states)
    values: dict[int, Fraction] = {count + at: end for at, end in enumerate(problem.ends)}
    policy = [-1] * count

    def known(to: int) -> tuple[Fraction, Fraction]:
        return values[to], values[to]

    for number in range(len(components.cyclic)):
        states = components.states(number)
        if components.cyclic[number]:
            bounds, choices = solve_component(problem, states, known)
            if any(below != above for below, above in bounds):
                raise LoopError("endless play", states)
            for state, (value, _), choice in zip(states, bounds, choices, strict=True):
                values[state], policy[state] = value, choice
        else:
            arena = arena_of(problem, states, known)
            values[states[0]] = max(option.sure for option in arena.options[0])
        if progress is not None and number % 64 == 0:
            progress(0.5 + 0.5 * number / len(components.cyclic), "solving exactly")
    return [values[state] for state in range(count)], policy
