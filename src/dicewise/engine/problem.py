"""A game in which one number tells what a state is worth: to one player or a team, or to the mover of two opponents.

    worth(c) = sum over edges of chance * (reward + gamma * (value of the target, or total - value if the turn changes))
    value(s) = the largest worth of its choices

What is worth v to one of two opponents is worth total - v to the other. Every method for cyclic games reads this form.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dicewise.graph import Graph, spans

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Problem:
    graph: Graph
    interests: str
    gamma: Fraction = Fraction(1)

    @property
    def opposed(self) -> bool:
        return self.interests == "constant sum"

    @cached_property
    def total(self) -> Fraction:
        """What two opponents share; payoffs in floats may differ from it in the last digits."""
        if not self.opposed or not len(self.graph.ends):
            return Fraction(0)
        return sum(map(Fraction, self.graph.ends[0].tolist()), Fraction(0))

    @cached_property
    def pays(self) -> bool:
        """Whether anything is paid on the way."""
        return self.graph.reward is not None and bool(np.any(self.graph.reward[:, 0] != 0))

    @cached_property
    def ends(self) -> list[Fraction]:
        """What the ends pay the mover."""
        return [Fraction(row[0]) for row in self.graph.ends.tolist()]

    @cached_property
    def rewards(self) -> list[Fraction] | None:
        """What each edge pays the mover; None where nothing is paid on the way."""
        if self.graph.reward is None or not self.pays:
            return None
        return [Fraction(number) for number in self.graph.reward[:, 0].tolist()]

    @cached_property
    def limits(self) -> tuple[NDArray[np.int8], list[tuple[Fraction, Fraction]]] | None:
        """What no state is worth less or more than: the least and the most that any end pays, for each of the two
        players, and to which of them the mover of each state belongs. None where rewards on the way may change it."""
        if self.pays or self.gamma < 1:
            return None
        graph, alone = self.graph, np.zeros(len(self.graph.states), dtype=np.int8)
        if not self.opposed:
            return alone, [(min(self.ends), max(self.ends))]
        side = _sides(graph)
        if side is None:  # both players stand on both sides, in rotated twins
            low = min(self.ends + [self.total - end for end in self.ends])
            return alone, [(low, self.total - low)]
        source, edge = edges_of(graph, np.arange(len(graph.states)))
        last = graph.target[edge] >= len(graph.states)
        pairs = (graph.target[edge] - len(graph.states)) * 2 + (side[source] ^ (graph.shift[edge] & 1))
        paid = [self.ends[p // 2] if p % 2 == 0 else self.total - self.ends[p // 2] for p in np.unique(pairs[last])]
        low, high = min(paid), max(paid)
        return side, [(low, high), (self.total - high, self.total - low)]

    def row(self, value: Fraction) -> tuple[Fraction, ...]:
        """A state's worth to each player, from the mover on."""
        return (value, self.total - value) if self.opposed else (value,) * self.graph.players

    def table(self, values: Floats) -> Floats:
        """The same for many states, in doubles."""
        if self.opposed:
            return np.stack([values, float(self.total) - values], axis=1)
        return np.repeat(values[:, None], self.graph.players, axis=1)


def edges_of(graph: Graph, states: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All edges of all choices of some states: the state, and the edge."""
    choice, of_state = spans(graph.first_choice[states], graph.first_choice[states + 1])
    lottery = graph.lottery[choice]
    edge, of_choice = spans(graph.first_edge[lottery], graph.first_edge[lottery + 1])
    return states[of_state[of_choice]], edge


def _sides(graph: Graph) -> NDArray[np.int8] | None:
    """Of two players, who moves in each state: the one who begins (0) or the other; None where that is not fixed."""
    count = len(graph.states)
    side = np.full(count, -1, dtype=np.int8)
    for root in range(count):
        if side[root] >= 0:
            continue
        side[root] = 0
        front = np.array([root])
        while len(front):
            source, edge = edges_of(graph, front)
            inner = graph.target[edge] < count
            source, target = source[inner], graph.target[edge][inner]
            there = side[source] ^ (graph.shift[edge][inner] & 1).astype(np.int8)
            new = side[target] < 0
            side[target[new]] = there[new]
            if not np.array_equal(side[target], there):
                return None
            front = np.unique(target[new])
    return side
