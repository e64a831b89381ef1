"""Acyclic games: backward induction, all states of a level at once.

A state's level is the length of the longest way to the end; states of a level depend on lower levels only:

    Q(c)[j] = sum over edges of chance * (reward[j] + gamma * V(target)[j + shift])   for each choice c and player j
    V(s)    = Q of the first choice whose Q[0] (the mover's) is the largest

With common or opposed interests it does not matter which of several best choices is taken; where each plays for itself
it does, and choices within the tie tolerance count as equal.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dicewise.game import Progress
from dicewise.graph import Graph, spans
from dicewise.solution import TIE_TOLERANCE, UNIT_ROUNDOFF


def tolerance_of(graph: Graph) -> float:
    return TIE_TOLERANCE * max(1.0, graph.scale)


def levels_of(graph: Graph) -> list[NDArray[np.int64]] | None:
    """The states by the length of their longest way to the end, lowest first; None if play can come back."""
    count = len(graph.states)
    inner = np.flatnonzero(graph.target < count)
    of_edge = np.repeat(np.arange(len(graph.first_edge) - 1), np.diff(graph.first_edge))[inner]
    owner = np.repeat(np.arange(count), np.diff(graph.first_choice))
    # a lottery waits for the states that it leads to, a state for its lotteries
    lottery_waits = np.bincount(of_edge, minlength=len(graph.first_edge) - 1)
    state_waits = np.diff(graph.first_choice)
    into_state, lotteries = _grouped(graph.target[inner], of_edge, count)
    into_lottery, owners = _grouped(graph.lottery, owner, len(lottery_waits))
    levels, placed = [], 0
    settled = np.flatnonzero(lottery_waits == 0)
    while len(settled):
        ready = _released(state_waits, owners[spans(into_lottery[settled], into_lottery[settled + 1])[0]])
        levels.append(ready)
        placed += len(ready)
        settled = _released(lottery_waits, lotteries[spans(into_state[ready], into_state[ready + 1])[0]])
    return levels if placed == count else None


def _grouped(
    keys: NDArray[np.int64], values: NDArray[np.int64], count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The values by their keys: where those of each key begin, and the values."""
    return np.concatenate([[0], np.cumsum(np.bincount(keys, minlength=count))]), values[np.argsort(keys, kind="stable")]


def _released(waits: NDArray[np.int64], ready: NDArray[np.int64]) -> NDArray[np.int64]:
    """Those for which nothing is left to wait for, once each of `ready` is one less."""
    which, times = np.unique(ready, return_counts=True)
    waits[which] -= times
    released: NDArray[np.int64] = which[waits[which] == 0]
    return released


def backward_induction(
    graph: Graph, levels: list[NDArray[np.int64]], interests: str, gamma: float = 1.0, progress: Progress | None = None
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
        if gamma != 1.0:
            gains = gains * gamma
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
