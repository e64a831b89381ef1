"""The fast solver compiled: the recurrence of `_numpy` in an order that keeps its rows in the cache.

Boards of usual size are solved by whole diagonals (`_kernel_diagonals`). Larger ones are cut into tiles, which several
threads can share:

Column q holds the rows E(a; q), a = M .. 0, in a ring of (largest face + 1) rows, each contiguous in n:

    E_n(a; q) = sum over faces f of p_f * E_{n-1}(a + f; q),    E_0(x; q) = landing on x, which hands over (q, x)

State (a, q) needs the rows above it in its own column, and through E_0 the values of (q, a + f) in the columns a + f.
Scores are cut into blocks; the tile (A, Q), A <= Q, holds the states (a, q) and (q, a) for a in A and q in Q. It
needs the tiles (A + 1, Q) and (A, Q + 1) and nothing else, so tiles on different rows A run side by side, each row
one tile behind the row above it. Inside a tile, for a falling:

    (a, q) for all q in Q                one row further down in each of the columns of Q
    (q, a) for q in Q, falling           a stretch of column a, which reads what was just found
    E_0(a; q) for all q in Q

Each column of Q thus stays in the cache for as many rows as the tile is high.

The rings hold 1 + E, which is never negative: a bust is then 0, as is a row that does not exist, and the bits of such
numbers, read as integers, are in the same order as the numbers. The largest of integers may be searched for in any
order, that of floats may not (think of NaN), so that this is what lets the compiler use the machine's vectors without
`fastmath`.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Condition
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from dicewise.game import Progress
from dicewise.games.greed._kernel_diagonals import bytes_of_rings, solve_diagonals
from dicewise.games.greed._kernel_last import LAST_SHARE, solve_last_turns
from dicewise.games.greed._layout import (
    NEAR_TIE,
    NOISE,
    Ints,
    Layout,
    Tables,
)

GROUP = 6
"""Rows summed in one pass; dice with fewer faces, or a remainder, are filled up with rows of zeros."""

LANES = 8
"""Rows are computed in multiples of this."""

DIAGONALS = 5 << 20
"""Bytes of rings up to which a board is solved by diagonals, on one thread: a share of a common third-level cache."""

NEAR, FAR = 1 << 19, 1 << 24
"""Bytes that the rings of a tile's columns, and of its rows, may take: a share of a common second-level and of a
third-level cache."""

THREADS_FROM = 30_000_000
"""Cells of E from which several threads beat one."""


class _Work(NamedTuple):
    """All that a tile reads and writes."""

    slots: Any
    """[score, 0]: the row of a column's ring that belongs to the score; [score, j]: the row that its j-th face
    leads to. Faces that fill up a group lead to a row of zeros."""
    chances: Any
    fair: bool
    tie: float
    cautious: bool
    near_tie: float
    limit: Any
    need: Any
    last: Any
    last_tie: Any
    value: Any
    dice: Any
    tie_chance: Any
    rings: Any
    """1 + E: [column * (ring size + 1) + row % ring size, n]; the last row of each ring is all zeros."""
    bits: Any
    """The rings again, seen as integers."""
    tie_rings: Any
    """The same for the chance of a tie; a single row where it is not asked for."""
    with_ties: bool


def solve(rules: Layout, ties: bool, progress: Progress | None = None, threads: int | None = None) -> Tables:
    """All states; with `ties` also the chance of a tie (which other than constant-sum payoffs need anyway)."""
    top = rules.max
    ties = ties or not rules.constant_sum
    shape = (top + 1, top + 1)
    diagonals = bytes_of_rings(rules) * (2 if ties else 1) <= DIAGONALS
    if threads is None:
        threads = _cores() if rules.cells >= THREADS_FROM else 1
    last, last_dice, last_tie, doubts = solve_last_turns(rules, ties, 1 if diagonals else threads, progress)
    value, dice = np.empty(shape), np.empty(shape, dtype=np.uint16)
    tie_chance = np.empty(shape if ties else (1, 1))
    tables = (value, last, dice, last_dice, tie_chance if ties else None, last_tie if ties else None)
    if diagonals:
        doubts += solve_diagonals(rules, last, last_tie, value, dice, tie_chance, ties)
        if progress is not None:
            progress(1.0, "solving")
        return Tables(*tables, doubts)

    count, ring_size = len(rules.faces), int(rules.faces[-1]) + 1
    groups = -(-count // GROUP) * GROUP
    slots = np.full((top + 1, 1 + groups), ring_size, dtype=np.uint64)
    slots[:, 0] = np.arange(top + 1) % ring_size
    slots[:, 1 : count + 1] = (np.arange(top + 1)[:, None] + rules.faces) % ring_size
    chances = np.zeros(groups)
    chances[:count] = rules.chances
    need = _whole_lanes(rules.need)
    length = int(need[0]) + LANES
    rings = np.zeros(((top + 1) * (ring_size + 1), length))
    work = _Work(
        slots=slots,
        chances=chances,
        fair=rules.fair,
        tie=rules.tie,
        cautious=rules.cautious,
        near_tie=rules.near_tie,
        limit=_whole_lanes(rules.limit),
        need=need,
        last=last,
        last_tie=last_tie,
        value=value,
        dice=dice,
        tie_chance=tie_chance,
        rings=rings,
        bits=rings.view(np.int64),
        tie_rings=np.zeros(rings.shape if ties else (1, 1)),
        with_ties=ties,
    )
    ring_bytes = (ring_size + 1) * length * 8 * (2 if ties else 1)
    # as high as its rings leave room for, but not so high that too few rows are left to run side by side
    tiles = _cuts(top, NEAR // ring_bytes, min(FAR // ring_bytes, top // 16))
    return Tables(*tables, doubts + _run_tiles(work, tiles, threads, progress))


def _cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _whole_lanes(lengths: Ints) -> Ints:
    """Lengths of rows rounded up, to leave no remainder that is done one by one.

    What is computed past the end of a row is at most the true E (it starts from a bust, the least there is), and past
    n_max the true E never exceeds what it is at n_max: so it cannot be mistaken for the best.
    """
    return (lengths + LANES - 1) // LANES * LANES


def _cuts(top: int, width: int, height: int) -> list[tuple[int, int, list[tuple[int, int]]]]:
    """The tiles in rows from the top down: (a_from, a_to, [(q_from, q_to), ...]), q from the top down."""
    width = min(max(width, 4), top + 1)
    height = min(max(height // width, 1) * width, -(-(top + 1) // width) * width)
    columns = [(q, min(q + width, top + 1)) for q in range(0, top + 1, width)]
    rows = [(a, min(a + height, top + 1)) for a in range(0, top + 1, height)]
    return [(a_from, a_to, [c for c in columns[::-1] if c[1] > a_from]) for a_from, a_to in rows[::-1]]


def _run_tiles(
    work: _Work, rows: list[tuple[int, int, list[tuple[int, int]]]], threads: int, progress: Progress | None
) -> int:
    """Every tile after the two that it needs: rows of tiles from the top down, each behind the one above it.

    Returns the number of doubtful states.
    """
    # low scores have long rows: tiles are weighed by their cells, or the time left would be far off
    cells = np.concatenate([[0], np.cumsum(work.need)])

    def weight(a_from: int, a_to: int, q_from: int, q_to: int) -> float:
        down, across = cells[a_to] - cells[a_from], cells[q_to] - cells[q_from]
        return float((q_to - q_from) * down + (a_to - a_from) * across)

    total = sum(weight(a_from, a_to, *column) for a_from, a_to, columns in rows for column in columns) or 1.0
    finished, doubts = 0.0, 0
    done = [0] * len(rows)
    changed = Condition()
    stop = False

    def ready(above: int, tiles: int) -> bool:
        return stop or done[above] >= tiles

    def run(index: int) -> None:
        nonlocal finished, doubts
        a_from, a_to, columns = rows[index]
        for at, (q_from, q_to) in enumerate(columns):
            if index:
                with changed:
                    behind = min(at + 1, len(rows[index - 1][2]))
                    changed.wait_for(partial(ready, index - 1, behind))
            if stop:
                return
            found = _tile(work, a_from, a_to, q_from, q_to)
            with changed:
                doubts += found
                done[index] = at + 1
                finished += weight(a_from, a_to, q_from, q_to)
                changed.notify_all()

    def report() -> None:
        if progress is not None:
            progress(LAST_SHARE + (1 - LAST_SHARE) * finished / total, "solving")

    if threads == 1:
        for index in range(len(rows)):
            run(index)
            report()
        return doubts
    with ThreadPoolExecutor(threads) as pool:
        jobs = [pool.submit(run, index) for index in range(len(rows))]
        try:
            while not all(job.done() for job in jobs):
                with changed:
                    changed.wait(0.1)
                report()
            for job in jobs:
                job.result()
        finally:  # an interrupt must not wait for the rest of the work
            with changed:
                stop = True
                changed.notify_all()
    return doubts


# The functions below take whole arrays and the indices of rows: a view of a row costs more than a short row's sum.
# For the same reason a tile unpacks its work once and hands on no more than is needed, and indices are unsigned: for
# signed ones Numba adds code that counts negative ones from the end.


@njit(cache=True, nogil=True)
def _tile(work: _Work, a_from: int, a_to: int, q_from: int, q_to: int) -> int:
    """The states (a, q) and (q, a) for a_from <= a < a_to and q_from <= q < q_to, q >= a; returns how many are
    doubtful."""
    doubts = 0
    slots, chances, fair, limit, need = work.slots, work.chances, work.fair, work.limit, work.need
    last, value, dice, rings, bits = work.last, work.value, work.dice, work.rings, work.bits
    last_tie, tie_chance, tie_rings = work.last_tie, work.tie_chance, work.tie_rings
    with_ties, twice_tie, cautious = work.with_ties, 2.0 * work.tie, work.cautious
    size = np.uint64(len(rings) // len(value))
    faces, chance = len(chances), chances[0]
    plain = 0 if cautious else 1
    near_tie = work.near_tie
    for low in range(min(a_to, q_to) - 1, a_from - 1, -1):
        start = max(q_from, low)
        # first (low, high), then (high, low), for high from the top down; the state (low, low) once, at the very end
        for turn in range(2):
            for high in range(q_to - 1, start - 1, -1):
                if high == low and turn == 0:
                    continue
                a, q = (np.uint64(low), np.uint64(high)) if turn == 0 else (np.uint64(high), np.uint64(low))
                base = q * size
                stand = -last[q, a]
                if with_ties:
                    stand += twice_tie * last_tie[q, a]
                row = base + slots[a, 0]
                if fair:  # as `_roll` does; but where rows are short, calling it would take longer than what it does
                    _mean(rings, slots, a, 0, base, chance, need[a])
                    for first in range(GROUP, faces, GROUP):
                        _add_mean(rings, slots, a, first, base, chance, need[a])
                else:
                    _roll(rings, slots, chances, fair, a, base, need[a])
                best = np.int64(_largest(bits, row, limit[a])).view(np.float64) - 1.0
                n = 0
                if cautious:
                    doubts += _is_close(rings, row, best, stand, limit[a], near_tie)
                if best > stand + NOISE:
                    n = _first_from(rings, row, best + 1.0 - NEAR_TIE, limit[a])
                    if rings[row, n] < best + 1.0 - NOISE:
                        n = _first_from(rings, row, best + 1.0 - NOISE, limit[a])
                        doubts += plain
                    elif best <= stand + NEAR_TIE:
                        doubts += plain
                else:
                    best = max(best, stand)
                value[a, q] = best
                dice[a, q] = n
                if with_ties:
                    _roll(tie_rings, slots, chances, fair, a, base, need[a])
                    tie_chance[a, q] = tie_rings[row, n] if n else last_tie[q, a]
                if turn == 1:
                    # landing on a against q hands over (q, a): E_0 of both states, now that both are known
                    here, there = row, a * size + slots[q, 0]
                    landed_here, landed_there = 1.0 - value[q, a], 1.0 - best
                    if with_ties:
                        tie_rings[here, 0] = tie_chance[q, a]
                        tie_rings[there, 0] = tie_chance[a, q]
                        landed_here += twice_tie * tie_chance[q, a]
                        landed_there += twice_tie * tie_chance[a, q]
                    rings[here, 0] = landed_here
                    rings[there, 0] = landed_there
    return doubts


@njit(cache=True, nogil=True)
def _roll(rings: Any, slots: Any, chances: Any, fair: bool, a: Any, base: Any, length: int) -> None:
    """Row a of the column that begins at `base`, from the rows above it: the mean over one more die."""
    for first in range(0, len(chances), GROUP):
        if not fair:
            _mix(rings, slots, a, first, base, chances, length)
        elif first == 0:
            _mean(rings, slots, a, 0, base, chances[0], length)
        else:
            _add_mean(rings, slots, a, first, base, chances[0], length)


@njit(cache=True, nogil=True)
def _mean(x: Any, slots: Any, a: Any, j: int, base: Any, chance: float, length: int) -> None:
    out = base + slots[a, 0]
    r0, r1, r2 = base + slots[a, j + 1], base + slots[a, j + 2], base + slots[a, j + 3]
    r3, r4, r5 = base + slots[a, j + 4], base + slots[a, j + 5], base + slots[a, j + 6]
    for n in range(length):
        x[out, n + 1] = (x[r0, n] + x[r1, n] + x[r2, n] + x[r3, n] + x[r4, n] + x[r5, n]) * chance


@njit(cache=True, nogil=True)
def _add_mean(x: Any, slots: Any, a: Any, j: int, base: Any, chance: float, length: int) -> None:
    out = base + slots[a, 0]
    r0, r1, r2 = base + slots[a, j + 1], base + slots[a, j + 2], base + slots[a, j + 3]
    r3, r4, r5 = base + slots[a, j + 4], base + slots[a, j + 5], base + slots[a, j + 6]
    for n in range(length):
        x[out, n + 1] += (x[r0, n] + x[r1, n] + x[r2, n] + x[r3, n] + x[r4, n] + x[r5, n]) * chance


@njit(cache=True, nogil=True)
def _mix(x: Any, slots: Any, a: Any, j: int, base: Any, chances: Any, length: int) -> None:
    out = base + slots[a, 0]
    r0, r1, r2 = base + slots[a, j + 1], base + slots[a, j + 2], base + slots[a, j + 3]
    r3, r4, r5 = base + slots[a, j + 4], base + slots[a, j + 5], base + slots[a, j + 6]
    c0, c1, c2, c3, c4, c5 = (
        chances[j], chances[j + 1], chances[j + 2], chances[j + 3], chances[j + 4], chances[j + 5]
    )  # fmt: skip
    keep = 0.0 if j == 0 else 1.0
    for n in range(length):
        low = x[r0, n] * c0 + x[r1, n] * c1 + x[r2, n] * c2
        high = x[r3, n] * c3 + x[r4, n] * c4 + x[r5, n] * c5
        x[out, n + 1] = x[out, n + 1] * keep + (low + high)


@njit(cache=True, nogil=True)
def _largest(bits: Any, row: int, count: int) -> int:
    best = 0
    for n in range(count):
        best = max(best, bits[row, n + 1])
    return best


@njit(cache=True, nogil=True)
def _first_from(rings: Any, row: int, floor: float, count: int) -> int:
    """The smallest n whose roll is worth `floor` or more; all are looked at, because that goes in vectors."""
    first = count
    for n in range(count):
        first = min(first, n if rings[row, n + 1] >= floor else count)
    return first + 1


@njit(cache=True, nogil=True)
def _is_close(rings: Any, row: int, best: float, stand: float, count: int, near_tie: float) -> int:
    """1 if more than one option is near the best one, 0 otherwise."""
    floor = max(best, stand) - near_tie
    found = 1 if stand >= floor else 0
    for n in range(count):
        found += rings[row, n + 1] >= floor + 1.0
    return 1 if found > 1 else 0
