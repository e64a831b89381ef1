"""Where the nodes of a drawn graph stand: in columns from left to right, without a label on top of anything.

The method of Sugiyama, Tagawa and Toda (1981), in its simplest form:

1. An edge is *backward* if it leads back inside a cycle, to a node that is no further from the first one; it is laid
   out as if it were turned round. A node's layer is the longest way to it.
2. Layer k is column 2k; between two layers is a column of labels. An edge has an item in every column that it passes,
   its label in the one next to its source. So labels are placed like nodes, and an edge never runs below one.
3. Columns are sorted from left to right and back by the mean place of each item's neighbours (barycentres); the order
   with the fewest crossings is kept.
4. Heights follow the mean of the neighbours too, as closely as the order and the sizes allow: least squares under
   y[i+1] - y[i] >= gap[i], which pooling adjacent violators solves.

The same graph always gets the same places. Lengths are in points, y grows downwards.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

ROUNDS = 24
SPACE = 7.0
"""Between two items of a column."""
PASSING = 8.0
"""How much more than others edges that pass insist on their height, so that they run straight."""
NARROW, STEEP, WIDE = 9.0, 0.15, 60.0
"""Between two columns: at least, more in proportion to the height of the steepest edge, at most."""

Point = tuple[float, float]


@dataclass(frozen=True)
class Size:
    """How far something reaches from its centre: to each side, up and down."""

    half: float
    above: float
    below: float


@dataclass(frozen=True)
class Link:
    """An edge with the size of its label."""

    source: int
    target: int
    label: Size


class Piece(NamedTuple):
    """An edge inside a column: from x = enter to x = leave, at y where it enters, rising by `slope`."""

    enter: float
    leave: float
    y: float
    slope: float = 0.0

    @property
    def end(self) -> float:
        return self.y + self.slope * (self.leave - self.enter)


@dataclass(frozen=True)
class Route:
    """Where an edge runs: straight through the columns that it passes, curved between them."""

    label: Point
    pieces: tuple[Piece, ...]
    """One for each column, from the border of the source to that of the target."""
    backward: bool


@dataclass(frozen=True)
class Layout:
    width: float
    height: float
    nodes: tuple[Point, ...]
    routes: tuple[Route, ...]


@dataclass
class _Item:
    """Something in a column: a node, a label, or an edge that passes."""

    size: Size
    column: int
    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    y: float = 0.0


def lay_out(nodes: Sequence[Size], links: Sequence[Link]) -> Layout:
    """Places for all nodes and links; everything begins at the first node, and no link leads to its own source."""
    backward = backward_links(len(nodes), links)
    layers = layers_of(len(nodes), links, backward)
    items = [_Item(size, 2 * layer) for size, layer in zip(nodes, layers, strict=True)]
    chains = [_chain(link, back, items) for link, back in zip(links, backward, strict=True)]
    for chain in chains:
        for left, right in pairwise(chain):
            items[left].right.append(right)
            items[right].left.append(left)
    columns = _ordered(items, _first_order(items, len(nodes)))
    _place(items, columns)
    return _measured(items, columns, len(nodes), chains, backward)


# ---- layers


def _reached(follows: Sequence[Sequence[int]], start: int) -> dict[int, int]:
    """The nodes that a node leads to, with their distance from it."""
    distance, waiting = {start: 0}, [start]
    for node in waiting:
        for to in follows[node]:
            if to not in distance:
                distance[to] = distance[node] + 1
                waiting.append(to)
    return distance


def backward_links(count: int, links: Sequence[Link]) -> list[bool]:
    """Which links lead back. Inside a cycle all others lead further away from the first node, so that without a turn
    of these there would be a cycle, and with it there is none."""
    follows: list[list[int]] = [[] for _ in range(count)]
    for link in links:
        follows[link.source].append(link.target)
    reached = [_reached(follows, node) for node in range(count)]
    far = [(reached[0].get(node, count), node) for node in range(count)]
    return [link.source in reached[link.target] and far[link.target] < far[link.source] for link in links]


def layers_of(count: int, links: Sequence[Link], backward: Sequence[bool]) -> list[int]:
    """The longest way to each node."""
    ahead = [
        (link.target, link.source) if back else (link.source, link.target)
        for link, back in zip(links, backward, strict=True)
    ]
    layers, before = [0] * count, [-1]
    while layers != before:
        before = list(layers)
        for source, target in ahead:
            layers[target] = max(layers[target], layers[source] + 1)
    return layers


def _chain(link: Link, back: bool, items: list[_Item]) -> list[int]:
    """The items of an edge from left to right, its two nodes included; those between are made."""
    left, right = (link.target, link.source) if back else (link.source, link.target)
    between = range(items[left].column + 1, items[right].column)
    named = between[-1] if back else between[0]
    made = range(len(items), len(items) + len(between))
    items.extend(_Item(link.label if column == named else Size(0.0, 1.0, 1.0), column) for column in between)
    return [left, *made, right]


# ---- order


def _first_order(items: Sequence[_Item], nodes: int) -> list[list[int]]:
    """The columns in the order of a walk that goes deep first: a tree has no crossings then."""
    columns: list[list[int]] = [[] for _ in range(max(item.column for item in items) + 1)]
    seen: set[int] = set()
    waiting = list(reversed(range(nodes)))
    while waiting:
        at = waiting.pop()
        if at not in seen:
            seen.add(at)
            columns[items[at].column].append(at)
            waiting.extend(reversed(items[at].right))
    return columns


def _ordered(items: Sequence[_Item], columns: list[list[int]]) -> list[list[int]]:
    """The order with the fewest crossings among those that barycentres lead to."""
    best, fewest = [list(column) for column in columns], _crossings(items, columns)
    for turn in range(ROUNDS):
        if not fewest:
            break
        to_right = turn % 2 == 0
        ways = range(1, len(columns)) if to_right else range(len(columns) - 2, -1, -1)
        for number in ways:
            beside = {at: place for place, at in enumerate(columns[number - 1 if to_right else number + 1])}
            columns[number] = _by_neighbours(items, columns[number], beside, to_right)
        _swap(items, columns)
        if (crossings := _crossings(items, columns)) < fewest:
            best, fewest = [list(column) for column in columns], crossings
    return best


def _by_neighbours(items: Sequence[_Item], column: Sequence[int], beside: dict[int, int], to_right: bool) -> list[int]:
    """A column by the mean place of the neighbours on one side; items without one stay where they are."""
    means = {}
    for at in column:
        places = [beside[other] for other in (items[at].left if to_right else items[at].right)]
        if places:
            means[at] = sum(places) / len(places)
    moved = iter(sorted(means, key=lambda at: means[at]))
    return [next(moved) if at in means else at for at in column]


def _swap(items: Sequence[_Item], columns: list[list[int]]) -> None:
    """Swap neighbours in a column for as long as that saves crossings."""
    place = {at: i for column in columns for i, at in enumerate(column)}
    for column in columns:
        saved = True
        while saved:
            saved = False
            for i in range(len(column) - 1):
                upper, lower = column[i], column[i + 1]
                gain = 0
                for ups, lows in (
                    (items[upper].left, items[lower].left),
                    (items[upper].right, items[lower].right),
                ):
                    ways = [(place[up], place[low]) for up in ups for low in lows]
                    gain += sum(up > low for up, low in ways) - sum(up < low for up, low in ways)
                if gain > 0:
                    column[i], column[i + 1] = lower, upper
                    place[upper], place[lower] = i + 1, i
                    saved = True


def _crossings(items: Sequence[_Item], columns: Sequence[Sequence[int]]) -> int:
    """How many pairs of edges cross, between all columns."""
    count = 0
    for left, right in pairwise(columns):
        place = {at: i for i, at in enumerate(right)}
        passed: list[int] = []
        for at in left:
            ends = sorted(place[to] for to in items[at].right)
            count += sum(len(passed) - bisect_right(passed, end) for end in ends)
            for end in ends:
                insort(passed, end)
    return count


# ---- places


def _place(items: Sequence[_Item], columns: Sequence[Sequence[int]]) -> None:
    """Heights: first one below the other, then towards the neighbours on the left, the right, and both."""
    for column in columns:
        _settle(items, column, [0.0] * len(column))
    for turn in range(3 * ROUNDS):
        last = turn >= 2 * ROUNDS
        to_right = turn % 2 == 0
        for column in columns if to_right else reversed(columns):
            wanted = []
            for at in column:
                item = items[at]
                sides = item.left + item.right if last else item.left if to_right else item.right
                wanted.append(sum(items[other].y for other in sides) / len(sides) if sides else item.y)
            _settle(items, column, wanted)


def _settle(items: Sequence[_Item], column: Sequence[int], wanted: Sequence[float]) -> None:
    """As close as possible to the heights that are wanted, in order and with room for all."""
    offset, offsets = 0.0, []
    for i, at in enumerate(column):
        if i:
            offset += items[column[i - 1]].size.below + SPACE + items[at].size.above
        offsets.append(offset)
    # items that stand as close as they may: what they want, times their weight; their weight; how many they are
    pools: list[tuple[float, float, int]] = []
    for at, want, offset in zip(column, wanted, offsets, strict=True):
        weight = PASSING if items[at].size.half == 0 else 1.0
        pools.append((weight * (want - offset), weight, 1))
        while len(pools) > 1 and pools[-2][0] / pools[-2][1] > pools[-1][0] / pools[-1][1]:
            total, weight, many = pools.pop()
            pools[-1] = (pools[-1][0] + total, pools[-1][1] + weight, pools[-1][2] + many)
    heights = [total / weight for total, weight, many in pools for _ in range(many)]
    for at, height, offset in zip(column, heights, offsets, strict=True):
        items[at].y = height + offset


def _measured(
    items: Sequence[_Item],
    columns: Sequence[Sequence[int]],
    nodes: int,
    chains: Sequence[Sequence[int]],
    backward: Sequence[bool],
) -> Layout:
    """Columns side by side, and everything moved so that nothing is below 0."""
    top = min(item.y - item.size.above for item in items)
    for item in items:
        item.y -= top
    halves = [max(items[at].size.half for at in column) for column in columns]
    middles = [halves[0]]
    for number, column in enumerate(columns[1:], 1):
        rise = max((abs(items[at].y - items[other].y) for at in column for other in items[at].left), default=0.0)
        gap = min(NARROW + STEEP * rise, WIDE)
        middles.append(middles[-1] + halves[number - 1] + gap + halves[number])

    def piece(chain: Sequence[int], i: int, way: int) -> Piece:
        """From border to border of the column, of a node from its own; level, but for edges that only pass."""
        item = items[chain[i]]
        middle, half = middles[item.column], halves[item.column]
        if i == 0:
            return Piece(middle + way * item.size.half, middle + way * half, item.y)
        if i == len(chain) - 1:
            return Piece(middle - way * half, middle - way * item.size.half, item.y)
        slope, (before, after) = 0.0, (items[chain[i - 1]], items[chain[i + 1]])
        if item.size.half == 0 and (before.y < item.y) == (item.y < after.y):
            slope = (after.y - before.y) / (middles[after.column] - middles[before.column])
            most = 0.4 * SPACE / max(half, 1.0)  # or it would touch what stands above or below
            slope = max(-most, min(most, slope))
        return Piece(middle - way * half, middle + way * half, item.y - way * half * slope, slope)

    routes = []
    for chain, back in zip(chains, backward, strict=True):
        named, way = items[chain[-2] if back else chain[1]], -1 if back else 1
        pieces = tuple(piece(chain[::way], i, way) for i in range(len(chain)))
        routes.append(Route((middles[named.column], named.y), pieces, back))
    return Layout(
        width=middles[-1] + halves[-1],
        height=max(item.y + item.size.below for item in items),
        nodes=tuple((middles[item.column], item.y) for item in items[:nodes]),
        routes=tuple(routes),
    )
