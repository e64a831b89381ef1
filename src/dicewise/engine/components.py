"""The shape of a game's graph: where play can come back, where it can be kept, who can bring it to an end.

A *component* is a set of states each of which can lead to each other (strongly connected). A game is acyclic if every
component is a single state that does not lead back to itself. An *end component* is a set of states in which somebody
who picks all moves could stay for ever.

Beside `strong_components`, which the compiled solver uses too, all of this is for small components: sets and dicts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicewise.graph import Graph


def strong_components(
    first_choice: Any, lottery: Any, first_edge: Any, target: Any, order: Any, starts: Any, component: Any, cyclic: Any
) -> int:
    """Tarjan's algorithm, without recursion: returns the number of components and fills the last four arrays.

    Component k is `order[starts[k] : starts[k + 1]]`, and leads to lower numbers only; `component` has the number of
    each state, `cyclic` whether a component can come back to a state. Inside a component states come in the order in
    which the search is done with them, so that most of what a state leads to stands before it.

    Lotteries are nodes of the search as states are, behind them in number: however many choices share one, its edges
    are looked at once. A component can come back if it holds a lottery beside a state.
    """
    count = len(first_choice) - 1
    nodes = count + len(first_edge) - 1
    seen = np.zeros(nodes, dtype=np.int64)  # the time at which a node was found, from 1 on
    low = np.zeros(nodes, dtype=np.int64)
    next_way = np.zeros(nodes, dtype=np.int64)  # the choice or edge to be followed next
    closed = np.zeros(nodes, dtype=np.bool_)
    open_nodes = np.empty(nodes, dtype=np.int64)
    done_states = np.empty(count, dtype=np.int64)
    path = np.empty(nodes, dtype=np.int64)
    time = found = opened = done = placed = 0
    for root in range(count):
        if seen[root]:
            continue
        depth, path[0] = 0, root
        while depth >= 0:
            node = path[depth]
            if seen[node] == 0:
                time += 1
                seen[node] = low[node] = time
                open_nodes[opened] = node
                opened += 1
                next_way[node] = first_choice[node] if node < count else first_edge[node - count]
            way = next_way[node]
            if way < (first_choice[node + 1] if node < count else first_edge[node - count + 1]):
                next_way[node] = way + 1
                to = count + lottery[way] if node < count else target[way]
                if node >= count and to >= count:
                    continue  # an end
                if seen[to] == 0:
                    depth += 1
                    path[depth] = to
                elif not closed[to]:
                    low[node] = min(low[node], seen[to])
                continue
            if node < count:
                done_states[done] = node
                done += 1
            if low[node] == seen[node]:
                starts[found] = placed
                loops = open_nodes[opened - 1] != node
                last = -1
                while last != node:
                    opened -= 1
                    last = open_nodes[opened]
                    closed[last] = True
                    if last < count:
                        component[last] = found
                        placed += 1
                if placed > starts[found]:
                    for at in range(starts[found], placed):
                        order[at] = done_states[done - placed + at]
                    done -= placed - starts[found]
                    cyclic[found] = loops
                    found += 1
            depth -= 1
            if depth >= 0:
                low[path[depth]] = min(low[path[depth]], low[node])
    starts[found] = placed
    return found


@dataclass(frozen=True, eq=False)
class Components:
    """The strongly connected components of a graph; each leads to lower numbers only."""

    order: NDArray[np.int64]
    """The states, component by component."""
    starts: NDArray[np.int64]
    """Where each begins in `order`; one more entry for the end."""
    component: NDArray[np.int64]
    """Of each state."""
    cyclic: NDArray[np.bool_]
    """Of each component: whether it can come back to a state."""

    def states(self, number: int) -> list[int]:
        states: list[int] = self.order[self.starts[number] : self.starts[number + 1]].tolist()
        return states


COMPILED_FROM = 100_000
"""Edges from which it pays to load the compiler."""


def components_of(graph: Graph) -> Components:
    count = len(graph.states)
    order, component = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    starts, cyclic = np.zeros(count + 1, dtype=np.int64), np.zeros(count, dtype=np.bool_)
    arrays = (graph.first_choice, graph.lottery, graph.first_edge, graph.target)
    if len(graph.target) < COMPILED_FROM:
        first_choice, lottery, first_edge, target = (array.tolist() for array in arrays)
        found = strong_components(first_choice, lottery, first_edge, target, order, starts, component, cyclic)
    else:
        from dicewise.engine import _kernels

        found = _kernels.strong_components(*arrays, order, starts, component, cyclic)
    return Components(order, starts[: found + 1], component, cyclic[:found])


# ---- inside a small component


class Way(NamedTuple):
    """What a choice may lead to."""

    inside: frozenset[int]
    """Nodes of the same component."""
    leaves: bool
    """Whether it may also lead out."""


def end_components(ways: Sequence[Sequence[Way]]) -> list[set[int]]:
    """The largest sets of nodes in which somebody who picks all moves could stay for ever."""
    kept = [[way for way in options if not way.leaves] for options in ways]
    while True:
        label = _labels(kept)
        fewer = [
            [way for way in options if all(label[to] == label[node] and kept[to] for to in way.inside)]
            for node, options in enumerate(kept)
        ]
        if fewer == kept:
            break
        kept = fewer
    found: dict[int, set[int]] = {}
    for node, options in enumerate(kept):
        if options:
            found.setdefault(label[node], set()).add(node)
    return list(found.values())


def _labels(ways: Sequence[Sequence[Way]]) -> list[int]:
    """The strongly connected component of each node."""
    first_choice, first_edge, target = [0], [0], []
    for options in ways:
        for way in options:
            target.extend(sorted(way.inside))
            first_edge.append(len(target))
        first_choice.append(len(first_edge) - 1)
    count = len(ways)
    # a node without a way is a component of its own; the algorithm wants at least one choice
    if any(not options for options in ways):
        return _labels([options or [Way(frozenset([node]), False)] for node, options in enumerate(ways)])
    component = np.empty(count, dtype=np.int64)
    lottery = list(range(len(first_edge) - 1))
    order, starts, cyclic = np.empty(count, np.int64), np.zeros(count + 1, np.int64), np.zeros(count, np.bool_)
    strong_components(first_choice, lottery, first_edge, target, order, starts, component, cyclic)
    labels: list[int] = component.tolist()
    return labels


def force_the_end(mine: Sequence[bool], ways: Sequence[Sequence[Way]]) -> dict[int, int]:
    """The nodes from which the player who moves where `mine` can leave for certain, against every play of the other,
    and at `mine` nodes which of the ways does it (-1 at the others'): of those that make headway the first."""
    hope = set(range(len(ways)))
    while True:
        reached: dict[int, int] = {}
        changed = True
        while changed:
            changed = False
            for node in sorted(hope - reached.keys()):
                good = [
                    way.inside <= hope and (way.leaves or not reached.keys().isdisjoint(way.inside))
                    for way in ways[node]
                ]
                if (any(good) if mine[node] else all(good)) and good:
                    reached[node] = good.index(True) if mine[node] else -1
                    changed = True
        if reached.keys() == hope:
            return reached
        hope = set(reached)
