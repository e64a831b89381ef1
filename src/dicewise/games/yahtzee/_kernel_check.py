"""The Bellman equations of a target's table, checked for every need of every turn start.

    P(card, x) = sum over rolls r of P(r) V_k(r, x)
    V_k(r, x)  = max( V_0(r, x), max over parts p of r of  sum over rolls r' of P(r' | p) V_{k-1}(r', x) )
    V_0(r, x)  = max over the boxes that may take r of  P(next card, x - gain)

As in `bellman`, everything stands roll by roll, with all ways in which dice can fall and all parts of a roll, and
shares nothing with the sweeps by which the table was made. What a box pays is what `turn.scoring` says.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

import numpy as np
from numba import njit

from dicewise.game import Progress
from dicewise.games.yahtzee._kernel_reach import TINY, Needs
from dicewise.games.yahtzee._layout import Layout, chance_of
from dicewise.games.yahtzee.turn import scoring
from dicewise.solution import Violation

AT_ONCE = 32
"""Needs that are looked at together: few enough for a processor's first caches."""
PIECE = 64
"""Turn starts that are handed to a thread at a time; between them Ctrl-C is heard."""
THREADS = 2


def check(
    rules: Layout, rerolls: int, needs: Needs, rounding: float, name: Any, progress: Progress | None
) -> Violation:
    """Hold a table against the equations; `name` says a turn start with a need."""
    plan = needs.plan
    each: dict[int, tuple[int, int, int, int]] = {}  # a turn start for every row that has chances, its own or not
    for used, flag, upper in rules.anchors():
        row = int(plan.same[plan.first_row[used * rules.flags + flag * (rules.flags - 1)] + upper])
        if plan.held[row]:
            each.setdefault(row, (used, flag, upper, row))
    anchors = list(each.values())
    fall, parts = _falls(rules), _parts(rules)
    table = plan.low, needs.high, plan.offset, needs.chance
    task: Any = _largest_gap

    def largest(some: list[tuple[int, int, int, int]]) -> list[tuple[float, int]]:
        found = []
        for used, flag, upper, row in some:
            after = scoring(rules, used, upper, flag)
            to = used | 1 << np.arange(rules.boxes)
            allowed = after.gain >= 0
            rows = plan.first_row[to[:, None] * rules.flags + after.extra * (rules.flags - 1)] + after.upper
            rows = plan.same[np.where(allowed, rows, 0)]
            found.append(task(row, after.gain, rows, rerolls, rules.first_roll, *fall, *parts, *table))
        return found

    worst, where = -1.0, (0, 0, 0, 0)
    pieces = [anchors[start : start + PIECE] for start in range(0, len(anchors), PIECE)]
    pool = ThreadPoolExecutor(THREADS)
    try:
        for done, (some, gaps) in enumerate(zip(pieces, pool.map(largest, pieces), strict=True)):
            for (used, flag, upper, _), (gap, need) in zip(some, gaps, strict=True):
                if gap > worst:
                    worst, where = gap, (used, flag, upper, need)
            if progress is not None:
                progress(done / len(pieces), "certifying")
    finally:
        pool.shutdown(cancel_futures=True)
    worst = max(worst, 0.0)
    return Violation(needs.count, worst, name(*where), 0.0, rules.boxes * (worst + rounding + TINY))


def _falls(rules: Layout) -> tuple[Any, ...]:
    """For every node that is no roll the rolls that may follow, with their chances, and where they begin."""
    nodes = rules.nodes
    counts = nodes.counts.astype(int)
    rolls = counts[nodes.rolls]
    found, chances, first = list[int](), list[float](), [0]
    for node in range(nodes.rolls.start):
        rest = rolls - counts[node]
        for roll in np.flatnonzero((rest >= 0).all(axis=1)).tolist():
            found.append(roll)
            chances.append(chance_of(tuple(rest[roll].tolist())))
        first.append(len(found))
    return np.array(first), np.array(found), np.array(chances)


def _parts(rules: Layout) -> tuple[Any, ...]:
    """For every roll the nodes that may be kept of it, fewer dice than all, and where they begin."""
    nodes = rules.nodes
    found, first = list[int](), [0]
    for counts in nodes.counts[nodes.rolls].tolist():
        every = {nodes.number(part) for part in product(*(range(count + 1) for count in counts))}
        found += sorted(every - {nodes.number(counts)})
        first.append(len(found))
    return np.array(first), np.array(found)


@njit(cache=True, nogil=True)
def _largest_gap(
    row: Any,
    gain: Any,
    to: Any,
    rerolls: Any,
    opening: Any,
    first_fall: Any,
    fall: Any,
    falls_with: Any,
    first_part: Any,
    parts: Any,
    low: Any,
    high: Any,
    offset: Any,
    chance: Any,
) -> Any:
    """The largest difference of a row from its equations, and the need where it is; -1 for a row without needs."""
    gap, where = -1.0, 0
    boxes, rolls = gain.shape
    scored, best = np.empty((rolls, AT_ONCE)), np.empty((rolls, AT_ONCE))
    kept = np.empty((len(first_fall) - 1, AT_ONCE))
    for first in range(low[row], high[row] + 1, AT_ONCE):
        scored[:] = 0.0
        for roll in range(rolls):
            for box in range(boxes):
                if gain[box, roll] < 0:
                    continue
                there = to[box, roll]
                for at in range(AT_ONCE):
                    left = first + at - gain[box, roll]
                    worth = 0.0
                    if left <= 0:
                        worth = 1.0
                    elif left <= high[there]:
                        worth = chance[offset[there] + left - low[there]]
                    scored[roll, at] = max(scored[roll, at], worth)
        best[:] = scored
        for _ in range(rerolls):
            kept[:] = 0.0
            for node in range(len(kept)):
                for edge in range(first_fall[node], first_fall[node + 1]):
                    for at in range(AT_ONCE):
                        kept[node, at] += falls_with[edge] * best[fall[edge], at]
            best[:] = scored
            for roll in range(rolls):
                for edge in range(first_part[roll], first_part[roll + 1]):
                    for at in range(AT_ONCE):
                        best[roll, at] = max(best[roll, at], kept[parts[edge], at])
        for at in range(min(AT_ONCE, high[row] - first + 1)):
            worth = 0.0
            for roll in range(rolls):
                worth += opening[roll] * best[roll, at]
            off = abs(worth - chance[offset[row] + first + at - low[row]])
            if off > gap:
                gap, where = off, first + at
    return gap, where
