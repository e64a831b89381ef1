"""Distributions: with which chances a game ends how, once everybody has chosen.

Mass flows forward. A row is a state, the seat that player 0 has in it, what the players have collected on the way, and
the chance m of passing there with it; rows that differ in their mass alone are one:

    m(t, x) = sum over states s, edges e from s to t of P(e) m(s, x - reward(e)),    m(start, 0) = 1

What arrives at an end, with its payoff added, is the distribution. States are taken in topological order, so that
each is passed once. Where play can come back, whole components are taken at a time. If nothing is paid inside one,
the visits v to its states, from the mass m that comes in, solve v = m + P^T v, and nothing is left over. Otherwise
totals may grow without end: then mass goes round until no more than `LEFT_OVER` of it is still inside.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicewise.engine.components import Components
from dicewise.errors import InputError, LimitError
from dicewise.game import Number, Progress
from dicewise.graph import Graph, spans

LEFT_OVER = 1e-15
"""Mass that may be left inside a component in which totals can grow without end."""

MOST_WORK = 1 << 28
"""Edges that mass may follow inside one component (about a minute) before it is given up."""

MOST_NODES = 2000
"""Components with more nodes than this are too large for a linear system; there mass goes round too."""

EDGES_AT_ONCE = 1 << 21
"""So many edges are followed at a time, for the sake of memory."""


@dataclass(frozen=True)
class Distribution(Mapping[Number, Number]):
    """The chances of all totals that a player can end with, in ascending order."""

    chances: dict[Number, Number]

    def __getitem__(self, total: Number) -> Number:
        return self.chances[total]

    def __iter__(self) -> Iterator[Number]:
        return iter(self.chances)

    def __len__(self) -> int:
        return len(self.chances)

    @property
    def left_over(self) -> Number:
        """What the chances lack to 1: rounding, and the rest of the mass where totals can grow without end."""
        return 1 - _sum(self.chances.values())

    def probability(self, total: Number) -> Number:
        """The chance of a total; 0 for one that cannot be."""
        return self.chances.get(total, 0)

    def mean(self) -> Number:
        return _sum(total * chance for total, chance in self.chances.items())

    def variance(self) -> Number:
        mean = self.mean()
        return _sum((total - mean) ** 2 * chance for total, chance in self.chances.items())

    def sd(self) -> float:
        """The standard deviation."""
        return math.sqrt(self.variance())

    def at_least(self, total: Number) -> Number:
        """The chance of this total or more."""
        return _sum(chance for known, chance in self.chances.items() if known >= total)

    def quantile(self, share: Number) -> Number:
        """The smallest total that is not exceeded with a chance of `share` or more; 0.5 asks for the median."""
        if not 0 <= share <= 1:
            raise InputError(f"share {share!r} is not allowed; give a number from 0 to 1, as 0.5 for the median")
        below: Number = 0
        for total, chance in self.chances.items():
            below += chance
            if below >= share:
                return total
        return next(reversed(self.chances))


def _sum(numbers: Iterable[Number]) -> Number:
    """A sum that is exact for fractions, and rounded once for floats."""
    listed = list(numbers)
    return math.fsum(listed) if any(isinstance(number, float) for number in listed) else sum(listed, Fraction(0))


class _Rows(NamedTuple):
    node: NDArray[np.int64]
    entry: NDArray[np.int64]
    """Which entry of the node's pays is player 0's."""
    totals: NDArray[Any]
    """What the players asked for have collected, in units: one column each, or none where nothing is paid."""
    mass: NDArray[Any]


class Flow:
    """The chances of what some players end with, in a game in which every state has a single choice."""

    def __init__(self, graph: Graph, components: Components, players: tuple[int, ...], exact: bool) -> None:
        self.graph, self.players, self.exact = graph, np.array(players), exact
        self.count = len(graph.states)
        self.stages = stages_of(graph, components)
        self.stage_of = np.full(self.count + len(graph.ends), len(self.stages))
        for number, (states, _) in enumerate(self.stages):
            self.stage_of[states] = number
        self.chance: NDArray[Any] = exact_chances(graph) if exact else graph.chance
        self._choose_units()

    def _choose_units(self) -> None:
        """Totals are counted in whole units, so that equal ones are equal however they came about."""
        graph = self.graph
        paid = [graph.ends] if graph.reward is None else [graph.ends, graph.reward]
        known = {number: Fraction(number) for rows in paid for number in set(rows.ravel().tolist())}
        self.unit = math.lcm(*(number.denominator for number in known.values()))
        units = {number: int(value * self.unit) for number, value in known.items()}
        longest = len(self.stages) + MOST_WORK * sum(loops for _, loops in self.stages)
        small = max(map(abs, units.values()), default=0) * (longest + 1) < 2**62

        def in_units(rows: NDArray[Any]) -> NDArray[Any]:
            if self.unit == 1 and small and rows.dtype == np.int64:
                return rows
            whole = [units[number] for number in rows.ravel().tolist()]
            return np.array(whole, dtype=np.int64 if small else object).reshape(rows.shape)

        self.ends = in_units(graph.ends)
        self.reward = None if graph.reward is None or not any(units[n] for n in known) else in_units(graph.reward)

    def run(self, state: int, entry: int, progress: Progress | None) -> dict[tuple[Number, ...], Number]:
        """From a state in which this entry of the pays is player 0's."""
        waiting: dict[int, list[_Rows]] = {}
        columns = 0 if self.reward is None else len(self.players)
        nothing = np.zeros((1, columns), dtype=self.ends.dtype)
        self._wait(waiting, _Rows(np.array([state]), np.array([entry]), nothing, self._numbers(np.ones(1))))
        for number, (states, loops) in enumerate(self.stages):
            if number in waiting:
                rows = self._merged(waiting.pop(number))
                for onward in self._through(states, rows) if loops else self._onward(rows):
                    self._wait(waiting, onward)
            if progress is not None and number % 64 == 0:
                progress(number / len(self.stages), "following the chances")
        return self._finished(self._merged(waiting[len(self.stages)]))

    def _numbers(self, array: NDArray[np.float64]) -> NDArray[Any]:
        """Whole numbers as what we count in."""
        return np.vectorize(Fraction, otypes=[object])(array) if self.exact else array

    def _wait(self, waiting: dict[int, list[_Rows]], rows: _Rows) -> None:
        """Put rows where their stage will find them."""
        stages = self.stage_of[rows.node]
        for number in np.unique(stages).tolist():
            waiting.setdefault(number, []).append(_part(rows, stages == number))

    def _onward(self, rows: _Rows) -> Iterator[_Rows]:
        """Where rows lead to, some at a time."""
        graph, seats = self.graph, self.graph.players
        lottery = graph.lottery[rows.node]  # a single choice: choice and state have the same number
        begin, end = graph.first_edge[lottery], graph.first_edge[lottery + 1]
        so_far = np.cumsum(end - begin)
        cuts = np.unique(np.searchsorted(so_far, np.arange(0, so_far[-1], EDGES_AT_ONCE), side="right")).tolist()
        for low, high in zip(cuts, [*cuts[1:], len(so_far)], strict=True):
            edges, of = spans(begin[low:high], end[low:high])
            of = of + low
            totals = rows.totals[of]
            if self.reward is not None:
                totals = totals + self.reward[edges[:, None], (rows.entry[of, None] + self.players) % seats]
            entry = (rows.entry[of] + graph.shift[edges]) % seats
            yield self._merged([_Rows(graph.target[edges], entry, totals, rows.mass[of] * self.chance[edges])])

    def _merged(self, parts: list[_Rows]) -> _Rows:
        """Rows that say the same as one."""
        rows = _Rows(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
        key = rows.node * self.graph.players + rows.entry
        for column in rows.totals.T:
            key = _fold(key, column)
        order = np.argsort(key, kind="stable")
        first = np.flatnonzero(np.diff(key[order], prepend=-1))
        merged = _part(rows, order[first])
        return merged._replace(mass=np.add.reduceat(rows.mass[order], first)) if len(first) else merged

    def _finished(self, rows: _Rows) -> dict[tuple[Number, ...], Number]:
        """What the rows at the ends come to."""
        paid = self.ends[(rows.node - self.count)[:, None], (rows.entry[:, None] + self.players) % self.graph.players]
        totals = paid if self.reward is None else rows.totals + paid
        found: dict[tuple[int, ...], Number] = {}
        for key, mass in zip(map(tuple, totals.tolist()), rows.mass.tolist(), strict=True):
            found[key] = found.get(key, 0) + mass
        return {tuple(map(self._amount, key)): found[key] for key in sorted(found)}

    def _amount(self, units: int) -> Number:
        if units % self.unit == 0:
            return units // self.unit
        return Fraction(units, self.unit) if self.exact else units / self.unit

    # ---- where play can come back

    def _through(self, states: NDArray[np.int64], rows: _Rows) -> Iterator[_Rows]:
        """What leaves a component in the end."""
        graph = self.graph
        inside = self.stage_of == self.stage_of[states[0]]
        lottery = graph.lottery[states]
        edges, of = spans(graph.first_edge[lottery], graph.first_edge[lottery + 1])
        stays = inside[graph.target[edges]]
        pays = self.reward is not None and bool(self.reward[edges[stays]].any())
        if not pays and len(states) * graph.players <= MOST_NODES:
            rows = self._visits(states, edges, of, stays, rows)
            for part in self._onward(rows):
                yield _part(part, ~inside[part.node])
            return
        done = 0
        while (left := rows.mass.sum()) > LEFT_OVER:
            staying = []
            for part in self._onward(rows):
                within = inside[part.node]
                staying.append(_part(part, within))
                if not within.all():
                    yield _part(part, ~within)
            done += len(rows.node) * len(edges) // len(states)
            if done > MOST_WORK:
                raise LimitError(
                    f"the distribution was given up: {float(left):.2g} of the chances still went round among "
                    f"{len(states):,} states, and too slowly; values and lengths can be had all the same"
                )
            rows = self._merged(staying)

    def _visits(
        self,
        states: NDArray[np.int64],
        edges: NDArray[np.int64],
        of: NDArray[np.int64],
        stays: NDArray[np.bool_],
        rows: _Rows,
    ) -> _Rows:
        """The expected visits to each state and seat, for each total with which mass comes in: v = m + P^T v."""
        graph, seats = self.graph, self.graph.players
        place = np.full(self.count + len(graph.ends), -1)
        place[states] = np.arange(len(states))
        size = len(states) * seats
        moves, leaves = self._numbers(np.zeros((size, size))), self._numbers(np.zeros(size))
        for entry in range(seats):
            there = place[graph.target[edges]] * seats + (entry + graph.shift[edges]) % seats
            here, chance = of * seats + entry, self.chance[edges]
            np.add.at(moves, (here[stays], there[stays]), chance[stays])
            np.add.at(leaves, here[~stays], chance[~stays])
        kind = np.zeros(len(rows.node), dtype=np.int64)
        for column in rows.totals.T:
            kind = _fold(kind, column)
        _, example, kind = np.unique(kind, return_index=True, return_inverse=True)
        mass = self._numbers(np.zeros((size, len(example))))
        mass[place[rows.node] * seats + rows.entry, kind] = rows.mass
        visits = visits_exactly(moves, mass) if self.exact else eliminate(moves, leaves, mass)
        at, kind = np.nonzero(visits)
        return _Rows(states[at // seats], at % seats, rows.totals[example[kind]], visits[at, kind])


def eliminate(
    moves: NDArray[np.float64], leaves: NDArray[np.float64], mass: NDArray[np.float64]
) -> NDArray[np.float64]:
    """v = mass + moves^T v, by taking states out one by one, without a subtraction: so the rarest way out is as precise
    as the likeliest (Grassmann, Taksar and Heyman 1985). The arguments are used up.

    Who comes to state k leaves it in the end, for j with the chance moves[k, j] / away, where `away` adds up all
    that does not come straight back; so mass that comes in at k may as well come in there.
    """
    away = np.empty(len(leaves))
    for k in range(len(leaves) - 1, -1, -1):
        away[k] = leaves[k] + moves[k, :k].sum()
        onward = moves[k, :k] / away[k]
        moves[:k, :k] += np.outer(moves[:k, k], onward)
        leaves[:k] += moves[:k, k] * (leaves[k] / away[k])
        mass[:k] += np.outer(onward, mass[k])
    for k in range(len(leaves)):
        mass[k] = (mass[k] + moves[:k, k] @ mass[:k]) / away[k]
    return mass


def stages_of(graph: Graph, components: Components) -> list[tuple[NDArray[np.int64], bool]]:
    """States that can be passed together, and whether play can come back to them: all that lead to them are in
    earlier stages. A cyclic component is a stage of its own."""
    count = len(components.cyclic)
    lottery = graph.lottery
    edges, of = spans(graph.first_edge[lottery], graph.first_edge[lottery + 1])
    inner = graph.target[edges] < len(graph.states)
    source, target = components.component[of[inner]], components.component[graph.target[edges[inner]]]
    pairs = np.unique(source[source != target] * count + target[source != target])
    source, target = pairs // count, pairs % count
    waiting = np.bincount(target, minlength=count)
    first = np.searchsorted(source, np.arange(count + 1))
    stages = []
    ready = np.flatnonzero(waiting == 0)
    while len(ready):
        plain, loops = ready[~components.cyclic[ready]], ready[components.cyclic[ready]]
        if len(plain):
            stages.append((components.order[components.starts[plain]], False))
        stages += [(np.array(components.states(number)), True) for number in loops.tolist()]
        onward, _ = spans(first[ready], first[ready + 1])
        freed, times = np.unique(target[onward], return_counts=True)
        waiting[freed] -= times
        ready = freed[waiting[freed] == 0]
    return stages


def exact_chances(graph: Graph) -> NDArray[Any]:
    """The chances of all edges."""
    chances = np.empty(len(graph.target), dtype=object)
    for begin, end in zip(graph.first_edge[:-1].tolist(), graph.first_edge[1:].tolist(), strict=True):
        weights = [int(graph.weight[edge]) for edge in range(begin, end)]
        total = sum(weights)
        chances[begin:end] = [Fraction(weight, total) for weight in weights]
    return chances


def visits_exactly(moves: NDArray[Any], mass: NDArray[Any]) -> NDArray[Any]:
    """v = mass + moves^T v in fractions."""
    from flint import fmpq, fmpq_mat  # exact linear algebra, loaded where a cyclic game is followed exactly

    def matrix(array: NDArray[Any]) -> Any:
        return fmpq_mat([[fmpq(number.numerator, number.denominator) for number in row] for row in array.tolist()])

    found = matrix(np.eye(len(moves), dtype=np.int64).astype(object) - moves.T).solve(matrix(mass))
    solved = [Fraction(int(number.p), int(number.q)) for number in found.entries()]
    return np.array(solved, dtype=object).reshape(mass.shape)


def _part(rows: _Rows, which: NDArray[Any]) -> _Rows:
    return _Rows(*(column[which] for column in rows))


def _fold(key: NDArray[np.int64], column: NDArray[Any]) -> NDArray[np.int64]:
    """One number for what two columns say together."""
    if column.dtype == np.int64 and len(column):
        low, high = int(column.min()), int(column.max())
        if (int(key.max()) + 1) * (high - low + 1) < 2**62:
            return np.asarray(key * (high - low + 1) + (column - low), dtype=np.int64)
    values, ranks = np.unique(column, return_inverse=True)
    return np.asarray(np.unique(key, return_inverse=True)[1] * len(values) + ranks, dtype=np.int64)
