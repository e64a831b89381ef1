"""The dice lattice: keep some dice, reroll the others, for every game that does so.

A node is a multiset of 0 to k faces: k faces are a roll, fewer are dice that were kept before the others are rolled
again. There are C(k+f, f) of them. Write p(a) for the chance of face a, and keep + a, keep - a for one die more or
less. Two sweeps from level to level (all multisets of one size at once) replace all sums over rolls:

    expectation, large to small:  E(keep) = sum over the faces a of p(a) E(keep + a)
    best keep,   small to large:  B(keep) = max( E(keep), max over the dice a in keep of B(keep - a) )

Both are plain functions over arrays, one value or a row of them per node. They run on doubles and, with arrays of
Python objects, on integers and fractions. NumPy is enough: a sweep is two calls per level.

Nodes are numbered by size, and within a size as the sorted faces are ordered, (0, 0, 1) before (0, 1, 1). With
s_i the number of dice that show face i or a higher one, the place within a size is

    rank = sum over i = 1 .. f-1 of C(s_i + f-1-i, f-i)

so one die more with face a raises the rank by the sum over i = 1 .. a of C(s_i + f-1-i, f-1-i).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicewise.errors import LimitError
from dicewise.memory import require

Values = NDArray[Any]


def count_nodes(dice: int, faces: int) -> int:
    """How many multisets of 0 to `dice` faces there are."""
    return comb(dice + faces, faces)


def rank_of(counts: Sequence[int]) -> int:
    """The place of a multiset, given by how often it has each face, among those of its size."""
    faces, above, rank = len(counts), 0, 0
    for face in range(faces - 1, 0, -1):
        above += counts[face]
        rank += comb(above + faces - 1 - face, faces - face)
    return rank


@dataclass(frozen=True, eq=False)
class Lattice:
    """All multisets of 0 to `dice` faces, and how they hang together."""

    dice: int
    faces: int
    first: tuple[int, ...]
    """The first node of each size 0 .. dice, and the number of nodes."""
    counts: NDArray[np.uint16]
    """How often each node has each face: [node, face]."""
    more: NDArray[np.int32]
    """The node with one face more, for all nodes but rolls: [node, face]."""
    less: NDArray[np.int32]
    """The node with one face less: [node, face]; the number of nodes where it does not have the face."""

    @property
    def nodes(self) -> int:
        return self.first[-1]

    @property
    def rolls(self) -> slice:
        """The nodes that have all dice."""
        return slice(self.first[self.dice], self.nodes)

    def number(self, counts: Sequence[int]) -> int:
        """The node that has each face so many times."""
        return self.first[sum(counts)] + rank_of(counts)


@lru_cache(maxsize=4)
def lattice(dice: int, faces: int) -> Lattice:
    """The lattice of so many dice with so many faces each."""
    nodes = count_nodes(dice, faces)
    what = f"the lattice of {dice} dice with {faces} faces"
    require(30 * nodes * faces, what)
    if nodes > np.iinfo(np.int32).max:
        raise LimitError(f"{what} has {nodes:,} nodes; at most {np.iinfo(np.int32).max:,}, take fewer dice or faces")
    sizes = [comb(size + faces - 1, faces - 1) for size in range(dice + 1)]
    first = [0]
    for size in sizes:
        first.append(first[-1] + size)
    counts = np.zeros((nodes, faces), dtype=np.uint16)
    more = np.empty((first[dice], faces), dtype=np.int32)
    less = np.full((nodes, faces), nodes, dtype=np.int32)
    raised = np.array(
        [[comb(above + faces - 1 - i, faces - 1 - i) if i else 0 for i in range(faces)] for above in range(dice + 1)]
    )
    for size in range(dice):
        here, there = slice(first[size], first[size + 1]), slice(first[size + 1], first[size + 2])
        above = np.cumsum(counts[here, ::-1], axis=1)[:, ::-1]
        rank = np.cumsum(raised[above, np.arange(faces)], axis=1) + np.arange(sizes[size])[:, None]
        more[here] = rank + first[size + 1]
        for face in range(faces):
            larger = rank[:, face]
            counts[there][larger] = counts[here]
            counts[there][larger, face] += 1
            less[there][larger, face] = np.arange(here.start, here.stop)
    for table in (counts, more, less):
        table.setflags(write=False)
    return Lattice(dice, faces, tuple(first), counts, more, less)


def expect(first: Sequence[int], more: NDArray[np.int32], chances: Values, worth: Values, smallest: int = 0) -> None:
    """The expectation sweep: fill in all nodes of `smallest` dice and more from what the rolls are worth.

    `worth` has one value, or a row of them, per node.
    """
    for size in range(len(first) - 3, smallest - 1, -1):
        level = slice(first[size], first[size + 1])
        if worth.ndim == 1:
            worth[level] = worth[more[level]] @ chances
        else:  # rows are summed face by face: all of them at once would be as many copies of the level above
            worth[level] = sum(worth[more[level, face]] * chance for face, chance in enumerate(chances))


def best_keep(first: Sequence[int], less: NDArray[np.int32], worth: Values, best: Values) -> Values:
    """The best-keep sweep: what the best of the keeps is worth that each roll allows (fewer dice than all).

    `best` is room for one value per node and one more, the keep that does not exist; it is worth less than any.
    """
    best[-1] = -np.inf
    best[0] = worth[0]
    for size in range(1, len(first) - 2):
        level = slice(first[size], first[size + 1])
        best[level] = np.maximum(worth[level], best[less[level]].max(axis=1))
    return best[less[first[-2] :]].max(axis=1)  # type: ignore[no-any-return]


def which_keep(
    first: Sequence[int], less: NDArray[np.int32], worth: Values, tolerance: Any, *, most: bool = False
) -> tuple[Values, NDArray[np.int64]]:
    """The best-keep sweep once more: for each roll what its best keep is worth, and which node that is.

    Of keeps that are as good within the tolerance it is the one with the fewest dice, or the `most`; of as many, the
    lowest.
    """
    nodes = first[-1]
    best = np.empty(nodes + 1, dtype=worth.dtype)
    best[-1] = -np.inf
    best[0] = worth[0]
    sizes = np.repeat(np.arange(len(first) - 1), np.diff(first))
    place = np.lexsort((np.arange(nodes), -sizes)) if most else np.arange(nodes)  # the nodes in the order preferred
    rank = np.empty(nodes + 1, dtype=np.int64)
    rank[place] = np.arange(nodes)
    rank[-1] = nodes
    for size in range(1, len(first) - 1):
        level = slice(first[size], first[size + 1])
        smaller = best[less[level]]
        top = smaller.max(axis=1)
        good = (smaller >= (top - tolerance)[:, None]).astype(bool)
        earliest = np.where(good, rank[less[level]], nodes).min(axis=1)
        if level.stop == nodes:
            return top, place[earliest]
        new = (worth[level] >= top - tolerance if most else worth[level] > top + tolerance).astype(bool)
        best[level] = np.maximum(worth[level], top)
        rank[level] = np.where(new, rank[level], earliest)
    raise AssertionError("a lattice has at least one die")
