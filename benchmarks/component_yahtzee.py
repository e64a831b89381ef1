"""American Yahtzee as anybody would compile it: anchor after anchor, each turn a component of 252 rolls and 462 keeps.

From the full card to the empty one, for every anchor (boxes used, upper section, further Yahtzees pay) that play can
reach, with the chances p(keep, r) that a roll r comes of a keep listed once for all,

    E(keep) = sum over the rolls r of p(keep, r) worth(r),     worth(r) = max over the keeps of r of E(keep)

twice, beginning with what the best box is worth. It shares nothing with dicewise: a check of the values, too.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import Any

import numpy as np
from numba import njit

BOXES, YAHTZEE, BONUS_AT, BONUS, EXTRA = 13, 12, 63, 35, 100
ROLLS = list(combinations_with_replacement(range(1, 7), 5))
KEEPS = [keep for size in range(6) for keep in combinations_with_replacement(range(1, 7), size)]


def score(box: int, roll: tuple[int, ...], joker: bool = False) -> int:
    """What a roll pays: ones to sixes, three and four of a kind, full house, straights, chance, Yahtzee."""
    most = Counter(roll).most_common()
    faces = "".join(map(str, sorted(set(roll))))
    if box < 6:
        return (box + 1) * roll.count(box + 1)
    if box < 8:
        return sum(roll) if most[0][1] >= box - 3 else 0
    if box == 8:
        return 25 if joker or sorted(Counter(roll).values()) == [2, 3] else 0
    if box == 9:
        return 30 if joker or any(run in faces for run in ("1234", "2345", "3456")) else 0
    if box == 10:
        return 40 if joker or faces in ("12345", "23456") else 0
    return sum(roll) if box == 11 else 50 * (most[0][1] == 5)


def ways(dice: tuple[int, ...]) -> int:
    return factorial(len(dice)) // prod(map(factorial, Counter(dice).values()))


def lists() -> tuple[Any, ...]:
    """The rolls that come of each keep, with their chances, and the keeps of each roll: all in one row each."""
    number: dict[tuple[int, ...], int] = {roll: at for at, roll in enumerate(ROLLS)}
    first_roll, to, chance, keeps_of = [0], list[int](), list[float](), list[list[int]]([] for _ in ROLLS)
    for at, keep in enumerate(KEEPS):
        left = 5 - len(keep)
        for rolled in combinations_with_replacement(range(1, 7), left):
            roll = number[tuple(sorted(keep + rolled))]
            to.append(roll)
            chance.append(ways(rolled) / int(6**left))
            keeps_of[roll].append(at)
        first_roll.append(len(to))
    first_keep = np.cumsum([0, *map(len, keeps_of)])
    every = [keep for keeps in keeps_of for keep in keeps]
    return np.array(first_roll), np.array(to), np.array(chance), first_keep, np.array(every)


def reachable() -> Any:
    """Whether these upper boxes can hold this total, 63 for all above it."""
    found = np.zeros((64, BONUS_AT + 1), dtype=np.bool_)
    found[0, 0] = True
    for used in range(64):
        for box in range(6):
            if not used >> box & 1:
                for total in np.flatnonzero(found[used]).tolist():
                    for dice in range(6):
                        found[used | 1 << box, min(total + dice * (box + 1), BONUS_AT)] = True
    return found


def solve(forced: bool, last: int = 1 << BOXES) -> Any:
    """What is still to come on average: [used, upper, further Yahtzees pay]; NaN where play cannot come. Only the sets
    of used boxes with the highest numbers, if so many are wanted: enough to have it compiled."""
    points = np.array([[score(box, roll) for roll in ROLLS] for box in range(BOXES)])
    jokers = np.array([[score(box, roll, True) for roll in ROLLS] for box in range(BOXES)])
    face = np.array([roll[0] - 1 if len(set(roll)) == 1 else -1 for roll in ROLLS])
    table = np.full((1 << BOXES, BONUS_AT + 1, 2), np.nan)
    start = np.array([ways(roll) for roll in ROLLS]) / 6**5
    _solve(table, last, reachable(), points, jokers, face, forced, start, *lists())
    return table


@njit(cache=True)
def _solve(
    table: Any,
    last: Any,
    reached: Any,
    points: Any,
    jokers: Any,
    face: Any,
    forced: Any,
    start: Any,
    first_roll: Any,
    to: Any,
    chance: Any,
    first_keep: Any,
    keeps: Any,
) -> None:
    worth, kept = np.empty(len(start)), np.empty(len(first_roll) - 1)
    full = (1 << BOXES) - 1
    for used in range(full, full - last, -1):
        for flag in range(1 + ((used >> YAHTZEE) & 1)):
            for upper in range(BONUS_AT + 1):
                if not reached[used & 63, upper]:
                    continue
                if used == full:
                    table[used, upper, flag] = 0.0
                    continue
                for roll in range(len(worth)):
                    worth[roll] = _best_box(table, used, upper, flag, roll, points, jokers, face, forced)
                for _ in range(2):
                    for keep in range(len(kept)):
                        total = 0.0
                        for at in range(first_roll[keep], first_roll[keep + 1]):
                            total += chance[at] * worth[to[at]]
                        kept[keep] = total
                    for roll in range(len(worth)):
                        best = -1.0
                        for at in range(first_keep[roll], first_keep[roll + 1]):
                            best = max(best, kept[keeps[at]])
                        worth[roll] = best
                mean = 0.0
                for roll in range(len(worth)):
                    mean += start[roll] * worth[roll]
                table[used, upper, flag] = mean


@njit(cache=True)
def _best_box(
    table: Any, used: Any, upper: Any, flag: Any, roll: Any, points: Any, jokers: Any, face: Any, forced: Any
) -> float:
    is_joker = face[roll] >= 0 and (used >> YAHTZEE) & 1 == 1
    own_open = is_joker and (used >> face[roll]) & 1 == 0
    lower_open = used >> 6 != (1 << (BOXES - 6)) - 1
    best = -1.0
    for box in range(BOXES):
        if (used >> box) & 1 == 1:
            continue
        if is_joker and forced and (box != face[roll] if own_open else lower_open and box < 6):
            continue
        paid = jokers[box, roll] if is_joker and not own_open and box >= 6 else points[box, roll]
        after = min(upper + paid, BONUS_AT) if box < 6 else upper
        gain = paid + (BONUS if upper < BONUS_AT <= after else 0) + (EXTRA if is_joker and flag == 1 else 0)
        turned = 1 if box == YAHTZEE and paid > 0 else flag
        best = max(best, gain + table[used | (1 << box), after, turned])
    return best
