"""The same answers in fractions: slow, obvious, the oracle."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dicewise.game import Progress
from dicewise.graph import Graph


def backward_induction_exactly(
    graph: Graph, levels: list[NDArray[np.int64]], progress: Progress | None = None
) -> list[tuple[Fraction, ...]]:
    """The values of all states, one entry per player from the mover on; of equally good choices the first is taken."""
    count, players = len(graph.states), graph.players
    values: list[tuple[Fraction, ...]] = [()] * count
    values += [tuple(map(Fraction, row)) for row in graph.ends.tolist()]
    worth_of_lottery: dict[int, tuple[Fraction, ...]] = {}

    def worth(lottery: int) -> tuple[Fraction, ...]:
        edges = range(graph.first_edge[lottery], graph.first_edge[lottery + 1])
        total = sum(int(graph.weight[edge]) for edge in edges)
        sums = [Fraction(0)] * players
        for edge in edges:
            weight, shift, row = int(graph.weight[edge]), int(graph.shift[edge]), values[graph.target[edge]]
            for j in range(players):
                paid = Fraction(0) if graph.reward is None else Fraction(graph.reward[edge].tolist()[j])
                sums[j] += weight * (paid + row[(j + shift) % players])
        return tuple(entry / total for entry in sums)

    for at, level in enumerate(levels):
        for state in level.tolist():
            best: tuple[Fraction, ...] | None = None
            for choice in range(graph.first_choice[state], graph.first_choice[state + 1]):
                lottery = int(graph.lottery[choice])
                if lottery not in worth_of_lottery:
                    worth_of_lottery[lottery] = worth(lottery)
                value = worth_of_lottery[lottery]
                if best is None or value[0] > best[0]:
                    best = value
            assert best is not None  # a state without actions is an end
            values[state] = best
        if progress is not None:
            progress(0.5 + 0.5 * at / len(levels), "solving exactly")
    return values[:count]
