"""Solving: rules, arrays or a kernel in, a Solution out.

Acyclic games are solved by backward induction. A state's level is the length of the longest way to the end; all
states of a level depend on lower levels only and are solved together:

    Q(c)[j] = sum over edges of chance * (reward[j] + V(target)[j + shift])      for each choice c and each player j
    V(s)    = Q of the first choice whose Q[0] (the mover's) is the largest

Interests are read off the payoffs. With common or opposed interests it does not matter which of several best choices
is taken; where each plays for itself it does, and choices within the tie tolerance count as equal.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicewise.engine.explore import explore
from dicewise.errors import CyclicError, InputError
from dicewise.game import A, Game, Progress, S
from dicewise.graph import Graph
from dicewise.solution import TIE_TOLERANCE, UNIT_ROUNDOFF, Report, Solution, TableSolution

METHODS = ("auto", "rules", "graph", "kernel")


def solve(
    game: Game[S, A], *, using: str = "auto", exact: bool = False, progress: Progress | None = None
) -> Solution[S, A]:
    """The optimal value and action of every state.

    `using` picks the depth: a `kernel` written for the game, the `graph` that it builds itself, or its `rules`;
    `auto` takes the first that there is. `exact` computes in fractions. The store is never read.
    """
    if using not in METHODS:
        raise InputError(f"using {using!r} is not known; choose one of {', '.join(METHODS)}")
    if using in ("auto", "kernel"):
        solution = game.kernel(exact=exact, progress=progress)
        if solution is not None:
            return solution
        if using == "kernel":
            raise InputError(f"{game.spec} has no kernel; solve it using 'auto' or 'rules'")
    if using in ("auto", "graph"):
        graph = game.graph()
        if graph is not None:
            return solve_graph(game, graph, exact=exact, method="graph", progress=progress)
        if using == "graph":
            raise InputError(f"{game.spec} does not build its own graph; solve it using 'auto' or 'rules'")
    return solve_graph(game, explore(game, progress=progress), exact=exact, progress=progress)


def solve_graph(
    game: Game[S, A],
    graph: Graph,
    *,
    exact: bool = False,
    method: str = "rules",
    progress: Progress | None = None,
) -> TableSolution[S, A]:
    """Backward induction over a graph."""
    started = time.perf_counter()
    interests = interests_of(graph)
    levels = levels_of(graph, game)
    table: Any
    bound: float | None
    if exact:
        from dicewise.engine.exact import backward_induction_exactly

        table, bound = backward_induction_exactly(graph, levels, progress), 0.0
    else:
        table = backward_induction(graph, levels, interests, progress)
        bound = rounding_bound(graph, levels, table) if interests != "each for itself" else None
    report = Report(
        game=game.spec,
        method=f"{method}, {'fractions' if exact else 'backward induction'}",
        interests=interests,
        states=len(graph.states),
        seconds=time.perf_counter() - started,
        exact=exact,
        error_bound=bound,
    )
    return TableSolution(game, report, graph.states, table, solve_from(game, exact), tolerance_of(graph))


def solve_from(game: Game[S, A], exact: bool) -> Callable[[S], TableSolution[S, A]]:
    """How a position that the start does not lead to is solved when somebody asks for it."""
    return lambda state: solve_graph(game, explore(game, [state]), exact=exact)


def tolerance_of(graph: Graph) -> float:
    return TIE_TOLERANCE * max(1.0, graph.scale)


def interests_of(graph: Graph) -> str:
    """`one player`, `team`, `constant sum` or `each for itself`, read off what is paid."""
    if graph.players == 1:
        return "one player"

    def fractions(rows: NDArray[Any] | None) -> list[list[Fraction]]:
        return [] if rows is None else [[Fraction(number) for number in row] for row in rows.tolist()]

    pays, ways = fractions(graph.ends), fractions(graph.reward)
    if all(len(set(row)) == 1 for row in pays + ways):
        return "team"
    paid = [graph.ends, graph.reward] if graph.reward is not None else [graph.ends]
    floats = any(isinstance(number, float) for rows in paid for number in rows.ravel().tolist())
    slack = Fraction(1, 10**12) if floats else Fraction(0)
    sums: list[Fraction] = [sum(row, Fraction(0)) for row in pays]
    balanced = all(abs(sum(row, Fraction(0))) <= slack for row in ways)
    if graph.players == 2 and balanced and max(sums) - min(sums) <= slack:
        return "constant sum"
    return "each for itself"


def levels_of(graph: Graph, game: Game[Any, Any]) -> list[NDArray[np.int64]]:
    """The states by the length of their longest way to the end, lowest first; a cycle is refused by name."""
    count = len(graph.states)
    choices = np.arange(len(graph.lottery))
    owner = np.repeat(np.arange(count), np.diff(graph.first_choice))
    edges, of_choice = spans(graph.first_edge[graph.lottery[choices]], graph.first_edge[graph.lottery[choices] + 1])
    source, target = owner[of_choice], graph.target[edges]
    inner = target < count
    pairs = np.unique(source[inner] * count + target[inner]) if count else np.empty(0, dtype=np.int64)
    source, target = pairs // max(count, 1), pairs % max(count, 1)
    waiting = np.bincount(source, minlength=count)
    order = np.argsort(target, kind="stable")
    source_by_target = source[order]
    first = np.concatenate([[0], np.cumsum(np.bincount(target, minlength=count))]) if count else np.zeros(1, dtype=int)
    levels = []
    ready = np.flatnonzero(waiting == 0)
    while len(ready):
        levels.append(ready)
        waiting[ready] = -1
        incoming, _ = spans(first[ready], first[ready + 1])
        freed = source_by_target[incoming]
        waiting -= np.bincount(freed, minlength=count)
        ready = np.unique(freed[waiting[freed] == 0])
    stuck = np.flatnonzero(waiting > 0)
    if len(stuck):
        raise CyclicError(_cycle_message(graph, game, source, target, set(stuck.tolist())))
    return levels


def _cycle_message(
    graph: Graph, game: Game[Any, Any], source: NDArray[np.int64], target: NDArray[np.int64], stuck: set[int]
) -> str:
    onward = {int(s): int(t) for s, t in zip(source, target, strict=True) if int(s) in stuck and int(t) in stuck}
    seen: list[int] = []
    at = next(iter(onward))
    while at not in seen:
        seen.append(at)
        at = onward[at]
    loop = [*seen[seen.index(at) :], at]
    texts = [game.text(graph.states[node]) for node in loop]
    shown = " -> ".join(repr(text) for text in (texts if len(texts) <= 5 else [*texts[:3], "...", texts[-1]]))
    return (
        f"{game.spec} can come back to a position that it has left: {shown}; "
        "only games that never do can be solved so far"
    )


def spans(start: NDArray[np.int64], stop: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All numbers start[i] .. stop[i]-1 one after the other, and the i that each comes from."""
    lengths = stop - start
    of = np.repeat(np.arange(len(lengths)), lengths)
    begin = np.cumsum(lengths) - lengths
    return np.arange(len(of)) - begin[of] + start[of], of


def backward_induction(
    graph: Graph, levels: list[NDArray[np.int64]], interests: str, progress: Progress | None = None
) -> NDArray[np.float64]:
    """The values of all states, one column per player from the mover on."""
    count, players = len(graph.states), graph.players
    table = np.empty((count + len(graph.ends), players))
    table[count:] = graph.ends.astype(float)
    seats = np.arange(players)
    reward = None if graph.reward is None else graph.reward.astype(float)
    tolerance = tolerance_of(graph) if interests == "each for itself" else 0.0
    for at, level in enumerate(levels):
        choices, _ = spans(graph.first_choice[level], graph.first_choice[level + 1])
        lottery = graph.lottery[choices]
        edges, _ = spans(graph.first_edge[lottery], graph.first_edge[lottery + 1])
        gains = table[graph.target[edges, None], (seats + graph.shift[edges, None]) % players]
        if reward is not None:
            gains = gains + reward[edges]
        gains *= graph.chance[edges, None]
        edge_counts = graph.first_edge[lottery + 1] - graph.first_edge[lottery]
        worth = np.add.reduceat(gains, np.cumsum(edge_counts) - edge_counts, axis=0)
        choice_counts = graph.first_choice[level + 1] - graph.first_choice[level]
        begin = np.cumsum(choice_counts) - choice_counts
        best = np.maximum.reduceat(worth[:, 0], begin)
        good = worth[:, 0] >= np.repeat(best, choice_counts) - tolerance
        where = np.where(good, np.arange(len(good)), len(good))
        table[level] = worth[np.minimum.reduceat(where, begin)]
        if progress is not None and at % 64 == 0:
            progress(0.5 + 0.5 * at / len(levels), "solving")
    return table[:count]


def rounding_bound(graph: Graph, levels: list[NDArray[np.int64]], table: NDArray[np.float64]) -> float:
    """How far rounding can have carried any value: each level adds at most (edges + 4) units in the last place."""
    largest = max(float(np.abs(table).max(initial=0.0)), graph.scale)
    edges = int(np.diff(graph.first_edge).max(initial=0))
    return len(levels) * (edges + 4) * UNIT_ROUNDOFF * largest * 2
