"""Boards of usual size compiled: eight columns of an anti-diagonal at once.

The recurrence and the order are those of `_numpy`: all states with the same d = a + q are solved together, and in
column q the rows that a die leads to lie on the diagonals d + f:

    E[d][0, q] = the mover's expectation of having landed on a = d - q
    E[d][n, q] = sum over faces f of p_f * E[d + f][n - 1, q]
    V(a, q)    = max( standing, max over n of E[d][n, q] )

Columns stand in blocks of eight, and a block keeps its rows in a ring of diagonals, each [n, lane]: one loop over n
serves eight states, and little is left that is done once per state.

E[d][n] comes from landings on the diagonals d + n and above only. So where all is known above some diagonal D, a block
may compute E[D], E[D - 1] from n = 2 on, E[D - 2] from n = 3 on ... in one visit, while its rows are in the cache:

    for each block, for i = 0 .. AHEAD - 1:            E[D - i][n] for n > i
    for i = 0 .. AHEAD - 1, for each block:            E[D - i][n] for n <= i, then V, which is E[D - i][0]

As in `_kernel`, the rings hold 1 + E: a bust is 0, as is a row that does not exist, and what is computed past the end
of a row is at most the true E.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from dicewise.games.greed._layout import NEAR_TIE, NOISE, Floats, Layout
from dicewise.games.lanes import LANES, fill, larger, load, store, take_where

AHEAD = 4
"""Diagonals that a block computes in one visit."""

GROUP = 6
"""Rows summed in one pass; dice with fewer faces, or a remainder, are filled up with rows of zeros."""

RECORD = 3 * LANES
"""What is known of the rows of a block on one diagonal: the largest E, what was largest before it, and its n."""

ONE, EIGHT = np.uint64(1), np.uint64(LANES)


def bytes_of_rings(rules: Layout) -> int:
    """What the rings of all columns take; the last diagonal of each is all zeros."""
    columns = -(-(rules.max + 1) // LANES) * LANES
    return columns * (int(rules.faces[-1]) + AHEAD + 1) * (int(rules.need[0]) + 1) * 8


def solve_diagonals(
    rules: Layout, last: Floats, last_tie: Floats, value: Floats, dice: Any, tie_chance: Floats, ties: bool
) -> int:
    """All normal states, into `value`, `dice` and, with `ties`, `tie_chance`; returns how many are doubtful."""
    count = len(rules.faces)
    groups = -(-count // GROUP) * GROUP
    weights = np.ones(groups)  # equal chances are taken once, after the sum
    if not rules.fair:
        weights[:count] = rules.chances
    cells, blocks = bytes_of_rings(rules) // 8, -(-(rules.max + 1) // LANES)
    return int(
        _solve(
            rules.faces, weights, float(rules.chances[0]) if rules.fair else 1.0, rules.tie, rules.cautious,
            rules.near_tie, rules.limit, rules.need, last, last_tie, value, dice, tie_chance,
            _zeros(cells), _zeros(cells if ties else 1), np.empty(AHEAD * groups, dtype=np.uint64),
            _zeros((blocks * AHEAD + 1) * RECORD), ties,
        )
    )  # fmt: skip


def _zeros(count: int) -> Floats:
    """Zeros that begin where a line of the cache does: eight lanes are then one line, not parts of two."""
    room = np.zeros(count + LANES)
    skip = -room.__array_interface__["data"][0] // 8 % LANES
    return room[skip : skip + count]


# Indices are unsigned: for signed ones Numba adds code that counts negative ones from the end.


@njit(cache=True, nogil=True)
def _solve(
    faces: Any, weights: Any, factor: float, tie: float, cautious: bool, near_tie: float, limit: Any, need: Any,
    last: Any, last_tie: Any, value: Any, dice: Any, tie_chance: Any,
    rings: Any, tie_rings: Any, sources: Any, records: Any, ties: bool,
) -> int:  # fmt: skip
    """Diagonals from the top down; returns how many states are doubtful."""
    top, groups = len(value) - 1, len(weights)
    size, length = faces[-1] + AHEAD, (need[0] + 1) * LANES
    ring = (size + 1) * length
    other = np.uint64(len(records) - RECORD)
    twice_tie, plain = 2.0 * tie, 0 if cautious else 1
    doubts = 0
    for above in range(2 * top, -1, -AHEAD):
        ahead = min(AHEAD, above + 1)
        for i in range(ahead):
            for j in range(groups):
                slot = (above - i + faces[j]) % size if j < len(faces) else size
                sources[i * groups + j] = slot * length
        for block in range(max(0, above - ahead + 1 - top) // LANES, min(top, above) // LANES + 1):
            for i in range(ahead):
                # the lowest score of the block has the longest row
                score = above - i - block * LANES - LANES + 1
                if -LANES < score <= top:
                    base, out = np.uint64(block * ring), np.uint64(block * ring + (above - i) % size * length)
                    record = np.uint64((block * AHEAD + i) * RECORD)
                    _roll(
                        rings, sources, i * groups, weights, factor, base, out, i, need[max(0, score)], records, record
                    )
        for i in range(ahead):
            d = above - i
            low, high = max(0, d - top), min(top, d)
            for block in range(low // LANES, high // LANES + 1):
                start = block * LANES
                base, out = np.uint64(block * ring), np.uint64(block * ring + d % size * length)
                record = np.uint64((block * AHEAD + i) * RECORD)
                count = need[max(0, d - start - LANES + 1)]
                _roll(rings, sources, i * groups, weights, factor, base, out, 0, min(i, count), records, other)
                _merge(records, record, other)
                if ties:
                    _roll(tie_rings, sources, i * groups, weights, factor, base, out, 0, count, records, other)
                for lane in range(np.uint64(max(low - start, 0)), np.uint64(min(high - start, LANES - 1) + 1)):
                    q = np.uint64(start) + lane
                    a = np.uint64(d) - q
                    best, n = records[record + lane] - 1.0, np.uint64(0)
                    stand = -last[q, a]
                    if ties:
                        stand += twice_tie * last_tie[q, a]
                    row = out + lane
                    if cautious:
                        doubts += _is_close(rings, row, best, stand, limit[a], near_tie)
                    if best > stand + NOISE:
                        n = np.uint64(records[record + EIGHT + EIGHT + lane])
                        if records[record + EIGHT + lane] >= best + 1.0 - NEAR_TIE:
                            n, doubt = _first_best(rings, row, best + 1.0)
                            doubts += plain * doubt
                        if best <= stand + NEAR_TIE:
                            doubts += plain
                    else:
                        best = max(best, stand)
                    value[a, q] = best
                    dice[a, q] = n
                    if ties:
                        tie_chance[a, q] = tie_rings[row + EIGHT * n] if n else last_tie[q, a]
            # landing on a against q hands over (q, a), a state of the same diagonal
            for block in range(low // LANES, high // LANES + 1):
                out, start = np.uint64(block * ring + d % size * length), block * LANES
                for lane in range(np.uint64(max(low - start, 0)), np.uint64(min(high - start, LANES - 1) + 1)):
                    q = np.uint64(start) + lane
                    a = np.uint64(d) - q
                    landed = 1.0 - value[q, a]
                    if ties:
                        tie_rings[out + lane] = tie_chance[q, a]
                        landed += twice_tie * tie_chance[q, a]
                    rings[out + lane] = landed
    return doubts


@njit(cache=True, nogil=True)
def _roll(
    x: Any, sources: Any, first: int, weights: Any, factor: float, base: Any, out: Any, skip: int, count: int,
    records: Any, record: Any,
) -> None:  # fmt: skip
    """The rows n of a block with skip < n <= count, the mean over one more die; and the record of these."""
    one = fill(1.0)
    for j in range(0, len(weights), GROUP):
        k = first + j
        r0, r1, r2 = base + sources[k], base + sources[k + 1], base + sources[k + 2]
        r3, r4, r5 = base + sources[k + 3], base + sources[k + 4], base + sources[k + 5]
        w0, w1, w2 = fill(weights[j]), fill(weights[j + 1]), fill(weights[j + 2])
        w3, w4, w5 = fill(weights[j + 3]), fill(weights[j + 4]), fill(weights[j + 5])
        scale = fill(factor if j + GROUP == len(weights) else 1.0)
        best, before, place, number = fill(0.0), fill(0.0), fill(0.0), fill(float(skip))
        for n in range(EIGHT * np.uint64(skip), EIGHT * np.uint64(count), EIGHT):
            total = load(x, r0 + n) * w0 + load(x, r1 + n) * w1 + load(x, r2 + n) * w2
            total = total + load(x, r3 + n) * w3 + load(x, r4 + n) * w4 + load(x, r5 + n) * w5
            if j:
                total = total + load(x, out + n + EIGHT)
            total = total * scale
            store(x, out + n + EIGHT, total)
            number = number + one
            before = take_where(best, total, before, best)
            place = take_where(best, total, place, number)
            best = larger(total, best)
        store(records, record, best)
        store(records, record + EIGHT, before)
        store(records, record + EIGHT + EIGHT, place)


@njit(cache=True, nogil=True)
def _merge(records: Any, record: Any, other: Any) -> None:
    """Add to a record that of rows with smaller n."""
    best, before, place = load(records, record), load(records, record + EIGHT), load(records, record + EIGHT + EIGHT)
    rival = load(records, other)
    store(records, record, larger(best, rival))
    rest = take_where(rival, best, load(records, other + EIGHT), larger(before, rival))
    store(records, record + EIGHT, rest)
    store(records, record + EIGHT + EIGHT, take_where(rival, best, load(records, other + EIGHT + EIGHT), place))


@njit(cache=True, nogil=True)
def _first_best(rings: Any, row: Any, best: float) -> tuple[Any, int]:
    """The smallest n of those that are equal but for rounding, and 1 if a smaller one is too near to tell."""
    n, doubt = ONE, 0
    while rings[row + EIGHT * n] < best - NEAR_TIE:
        n += ONE
    if rings[row + EIGHT * n] < best - NOISE:
        doubt = 1
    while rings[row + EIGHT * n] < best - NOISE:
        n += ONE
    return n, doubt


@njit(cache=True, nogil=True)
def _is_close(rings: Any, row: Any, best: float, stand: float, count: int, near_tie: float) -> int:
    """1 if more than one option is near the best one, 0 otherwise."""
    floor = max(best, stand) - near_tie
    found = 1 if stand >= floor else 0
    for n in range(1, count + 1):
        found += rings[row + EIGHT * np.uint64(n)] >= floor + 1.0
    return 1 if found > 1 else 0
