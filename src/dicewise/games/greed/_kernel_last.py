"""The last turns of the compiled solver: no recurrence, only the distribution of totals.

What rolling n dice from a against q = a + g falls short of a certain win is a sum of non-negative terms (see
`_numpy`), which a table by n and g gives at once; for each a, the loop over g is contiguous.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dicewise.game import Progress
from dicewise.games.greed._layout import LAST_NEAR_TIE, LAST_NOISE, Floats, Layout

LAST_SHARE = 0.2
"""The last turns' share of the time, for progress."""


def solve_last_turns(
    rules: Layout, ties: bool, threads: int, progress: Progress | None
) -> tuple[Floats, NDArray[np.uint16], Floats, int]:
    """Value, dice and chance of a tie of all last turns, and the number of doubtful ones."""
    size = rules.max + 1
    value, dice = np.empty((size, size)), np.empty((size, size), dtype=np.uint16)
    tie = np.empty((size, size) if ties else (1, 1))
    # compiled code must not return arrays: an interrupt at that moment would crash the process
    short, above, exactly = (np.zeros((int(rules.limit[0]) + 1, size)) for _ in range(3))
    _totals(rules.faces, rules.chances, rules.tie, short, above, exactly)

    def stripe(first: int, end: int) -> int:
        return int(_last_turns(first, end, rules.limit, short, above, exactly, value, dice, tie, ties, rules.cautious))

    if threads == 1:
        return value, dice, tie, stripe(0, size)
    cuts = list(range(0, size, 16))
    doubts = 0
    with ThreadPoolExecutor(threads) as pool:
        for done, found in enumerate(pool.map(lambda first: stripe(first, min(first + 16, size)), cuts)):
            doubts += found
            if progress is not None:
                progress(LAST_SHARE * done / len(cuts), "solving")
    return value, dice, tie, doubts


@njit(cache=True, nogil=True)
def _totals(faces: Any, chances: Any, tie: float, short: Any, above: Any, exactly: Any) -> None:
    """By number of dice and total: the shortfall of not passing it, the chance of more, the chance of just that."""
    count, top = short.shape[0] - 1, short.shape[1] - 1
    exactly[0, 0] = 1.0
    for n in range(1, count + 1):
        for f in range(len(faces)):
            face, chance = faces[f], chances[f]
            for t in range(min(face, top + 1)):
                above[n, t] += chance
            for t in range(top + 1 - face):
                exactly[n, t + face] += chance * exactly[n - 1, t]
                above[n, t + face] += chance * above[n - 1, t]
    for n in range(count + 1):
        below = 0.0
        for t in range(top + 1):
            short[n, t] = 2.0 * below + (1.0 - tie) * exactly[n, t]
            below += exactly[n, t]


@njit(cache=True, nogil=True)
def _last_turns(
    a_from: int,
    a_to: int,
    limit: Any,
    short: Any,
    above: Any,
    exactly: Any,
    value: Any,
    dice: Any,
    tie: Any,
    ties: bool,
    cautious: bool,
) -> int:
    """The last turns from a_from <= a < a_to, by what each number of dice falls short of a certain win (see
    `_numpy`); returns how many are doubtful."""
    top = len(value) - 1
    least, best, doubt = np.empty(top + 1), np.empty(top + 1), np.empty(top + 1)
    doubts = 0.0
    for a in range(a_from, a_to):
        room = top - a
        for gap in range(room + 1):
            least[gap] = short[0, gap]
            best[gap] = 0.0
        for n in range(1, limit[a] + 1):
            bust = 2.0 * above[n, room]
            row = short[n]
            for gap in range(room + 1):
                shortfall = bust + row[gap]
                if shortfall < least[gap] * (1.0 - LAST_NOISE):
                    least[gap] = shortfall
                    best[gap] = n
        if cautious:  # every near-tie is a doubt, but certain wins are equal for certain
            for gap in range(room + 1):
                doubt[gap] = -1.0 if least[gap] > 0.0 else -np.inf
            for n in range(limit[a] + 1):
                bust = 2.0 * above[n, room]
                row = short[n]
                for gap in range(room + 1):
                    doubt[gap] += 1.0 if bust + row[gap] <= least[gap] * (1.0 + LAST_NEAR_TIE) else 0.0
            for gap in range(room + 1):
                doubts += 1.0 if doubt[gap] > 0.0 else 0.0
        for q in range(a):
            value[a, q] = 1.0
            dice[a, q] = 0
            if ties:
                tie[a, q] = 0.0
        for gap in range(room + 1):
            value[a, a + gap] = 1.0 - least[gap]
            dice[a, a + gap] = int(best[gap])
            if ties:
                tie[a, a + gap] = exactly[int(best[gap]), gap]
    return int(doubts)
