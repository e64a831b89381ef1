"""Bands of equal numbers on a board: where they meet the border, which of their numbers have room, lines between them.

Lengths are in points, cells are counted from 0, and boards are indexed [x, y].
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import Any, NamedTuple

import numpy as np

MOST_PIXELS = 1200
ROUND = [size * digit for size in (1, 10, 100, 1000, 10_000) for digit in (1, 2, 5)]
DIGIT, LINE = 0.64, 1.4  # the width of a digit and the distance of two lines, in units of the size of the text

Table = np.ndarray[Any, np.dtype[Any]]


class Run(NamedTuple):
    """Cells in a row with the same number of dice."""

    first: int
    last: int
    n: int

    @property
    def middle(self) -> float:
        return (self.first + self.last) / 2


def runs(border: Table) -> list[Run]:
    """The bands along a border."""
    found, at = [], 0
    for n, cells in groupby(border.tolist()):
        end = at + len(list(cells))
        found.append(Run(at, end - 1, n))
        at = end
    return found


def labelled(bands: Sequence[Run], cell: float, size: float, flat: bool) -> list[Run]:
    """The bands whose numbers can stand along a border without touching: all, or all even ones, or every fifth ...

    `cell` is the length of a cell and `size` that of the text, in points; `flat` says that the numbers stand side by
    side, not one above the other.
    """
    rooms = [size * (DIGIT * digits(run.n) + 0.3 if flat else LINE) for run in bands]
    places = [(run.middle + 0.5) * cell for run in bands]
    slack, length = 0.3 * size, (bands[-1].last + 1) * cell  # in the corners two borders meet
    near = 1 + max(run.n for run in bands) / 10  # a number wider than its band may cover bands like it only

    def stands(i: int) -> bool:
        low, high = places[i] - rooms[i] / 2, places[i] + rooms[i] / 2
        wide = high - low > (bands[i].last - bands[i].first + 1) * cell
        alike = all(abs(run.n - bands[i].n) <= near for run in bands[max(i - 1, 0) : i + 2])
        return -slack <= low and high <= length + slack and (alike or not wide)

    inside = [i for i in range(len(bands)) if stands(i)]

    def apart(i: int, j: int, more: float = 0.0) -> bool:
        outside = i < 0 or j == len(bands)
        return outside or places[j] - places[i] >= (rooms[i] + rooms[j]) / 2 + more

    def kept(low: int, wanted: list[int], high: int) -> list[int]:
        found = [low]
        for i in wanted:
            if apart(found[-1], i) and apart(i, high):
                found.append(i)
        return found[1:]

    def fill(low: int, high: int, step: int) -> list[int]:
        """Between two numbers that are set: all multiples of a divisor of the step, then finer ones between these."""
        between = [i for i in inside if low < i < high]
        divisors = [divisor for divisor in ROUND if divisor < step and step % divisor == 0]
        multiples = {divisor: [i for i in between if bands[i].n % divisor == 0] for divisor in divisors}
        fitting = {divisor: kept(low, wanted, high) for divisor, wanted in multiples.items()}
        # the finest of which all fit; if there is none and the gap is wide, what fits of the coarsest
        best = next((d for d in divisors if fitting[d] and fitting[d] == multiples[d]), None)
        if best is None and apart(low, high, 2 * max(rooms)):
            best = next((d for d in reversed(divisors) if fitting[d]), None)
        if best is None:
            return []
        marks = [low, *fitting[best], high]
        return fitting[best] + [i for pair in pairwise(marks) for i in fill(*pair, best)]

    return [bands[i] for i in sorted(fill(-1, len(bands), 10 * ROUND[-1]))]


def borders(areas: Table, crowded: bool) -> Table:
    """Segments that part cells [x, y] of different areas, as pairs of corners; cell [0, 0] has the corner (0, 0).

    Not `crowded`: without the lines between two others, which would hide the colours of single cells.
    """
    upright = _stretches(areas[1:] != areas[:-1], crowded)
    level = _stretches((areas[:, 1:] != areas[:, :-1]).T, crowded)
    return np.concatenate([upright, level[:, :, ::-1]])


def _stretches(parted: Table, crowded: bool) -> Table:
    """Where rows i and i + 1 are parted, as segments from (i + 1, first) to (i + 1, last + 1)."""
    drawn = parted.copy()
    if not crowded:
        drawn[1:-1] &= ~(parted[:-2] & parted[2:])
    ends = np.diff(np.pad(drawn.astype(np.int8), ((0, 0), (1, 1))), axis=1)
    row, first = np.nonzero(ends == 1)
    last = np.nonzero(ends == -1)[1]
    return np.stack([row + 1, first, row + 1, last], axis=1).reshape(-1, 2, 2)


def sampled(cells: Table) -> Table:
    """The cells that the pixels of the largest panel show: all, where there are not more of them than pixels."""
    if len(cells) <= MOST_PIXELS:
        return cells
    seen = ((np.arange(MOST_PIXELS) + 0.5) * len(cells) / MOST_PIXELS).astype(int)
    return np.asarray(cells[np.ix_(*[seen] * cells.ndim)])


def digits(n: int) -> int:
    """How many digits a number has."""
    return len(str(n))
