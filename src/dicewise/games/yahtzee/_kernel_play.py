"""Yahtzee compiled for simulation: one turn of many games, those with the same card together.

The turn of a card is worked out once, for all games that have come to it: what each roll scores in its best box, and
with the sweeps of the dice lattice what each node is worth at every reroll. Then each game is played through its turn:
the first listed keep or box that is as good as the best one, and for what chance decides the very digits that
`engine.draws` gives to the game's next move.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from dicewise.games.digits import first_digits

NEVER = -1e300


@njit(cache=True, nogil=True)
def pick(threshold: Any, first: Any, last: Any, word: Any) -> Any:
    """The outcome that a word falls on, and -1 where more digits must decide."""
    low, high = first, last
    while low < high:
        middle = (low + high) >> 1
        if threshold[middle] <= word:
            low = middle + 1
        else:
            high = middle
    return -1 if low > first and threshold[low - 1] == word else low - first


@njit(cache=True, nogil=True)
def gain_of(used: Any, flag: Any, upper: Any, box: Any, roll: Any, shape: Any, pays: Any) -> Any:
    """What a roll scores in an open box with all that comes with it, -1 where it may not; and what the upper section
    holds then. `pays` is (points, face of all dice alike or -1, own box, as joker)."""
    boxes, _, limit, bonus, yahtzee, extra, joker, _ = shape
    points, alike, own_box, as_joker = pays
    paid, face = points[box, roll], alike[roll]
    lower = as_joker[box, 0] >= 0
    further = 0
    if face >= 0 and yahtzee < boxes and (used >> yahtzee) & 1 == 1:
        further = extra * flag
        own = own_box[face]
        own_open = own < boxes and (used >> own) & 1 == 0
        if joker == 1 and own_open:
            if box != own:
                return -1, upper
        elif joker == 1:
            any_lower = False
            for other in range(boxes):
                any_lower = any_lower or ((used >> other) & 1 == 0 and as_joker[other, 0] >= 0)
            if lower:
                paid = as_joker[box, face]
            elif any_lower:
                return -1, upper
        elif joker == 2 and not own_open and lower:
            paid = max(paid, as_joker[box, face])
    after = upper if lower else min(upper + paid, limit)
    return paid + further + (bonus if upper < limit <= after else 0), after


@njit(cache=True, nogil=True)
def worth_of(used: Any, flag: Any, upper: Any, box: Any, roll: Any, shape: Any, pays: Any, anchors: Any) -> Any:
    """What it is worth to score a roll in an open box; below every worth where it may not be."""
    _, flags, limit, bonus, yahtzee, _, _, _ = shape
    gain, after = gain_of(used, flag, upper, box, roll, shape, pays)
    if gain < 0:
        return NEVER
    turned = flags - 1 if box == yahtzee and pays[0][box, roll] > 0 else flag
    held = bonus if limit > 0 and after >= limit else 0
    return gain + (anchors[(used | (1 << box)) * flags + turned, after] - held)


@njit(cache=True, nogil=True)
def look_ahead(
    used: Any, flag: Any, upper: Any, shape: Any, pays: Any, anchors: Any, sizes: Any, more: Any, edges: Any, less: Any,
    kept: Any, best: Any,
) -> None:  # fmt: skip
    """What each node is worth for every reroll, `kept`, and each roll with as many rerolls left, `best`."""
    boxes, flags, limit, bonus, yahtzee, _, _, rerolls = shape
    points, alike, _, as_joker = pays
    keeps, nodes, sides = sizes
    best[0, :] = NEVER
    for box in range(boxes):  # as `worth_of` says, for rolls that are no jokers
        if (used >> box) & 1 == 0:
            lower = as_joker[box, 0] >= 0
            for roll in range(nodes - keeps):
                paid = points[box, roll]
                after = upper if lower else min(upper + paid, limit)
                row = (used | (1 << box)) * flags + (flags - 1 if box == yahtzee and paid > 0 else flag)
                gain = paid + (bonus if upper < limit <= after else 0)
                held = bonus if limit > 0 and after >= limit else 0
                best[0, roll] = max(best[0, roll], gain + (anchors[row, after] - held))
    for roll in range(nodes - keeps):
        if alike[roll] >= 0:
            best[0, roll] = NEVER
            for box in range(boxes):
                if (used >> box) & 1 == 0:
                    worth = worth_of(used, flag, upper, box, roll, shape, pays, anchors)
                    best[0, roll] = max(best[0, roll], worth)
    work = np.empty(nodes)
    for again in range(1, rerolls + 1):
        work[keeps:] = best[again - 1]
        for node in range(keeps - 1, -1, -1):
            total = 0.0
            for face in range(sides):
                total += work[more[node, face]]
            work[node] = total / sides
        kept[again, :] = work
        for node in range(1, nodes):
            worth = work[node]
            for edge in range(edges[node], edges[node + 1]):
                worth = max(worth, work[less[edge]])
            work[node] = worth
        for roll in range(nodes - keeps):
            best[again, roll] = max(best[0, roll], work[keeps + roll])


@njit(cache=True, nogil=True)
def play_turns(
    order: Any, starts: Any, key: Any, first_game: Any, used: Any, upper: Any, flag: Any, moves: Any, total: Any,
    tolerance: Any, anchors: Any, shape: Any, pays: Any, sizes: Any, more: Any, edges: Any, less: Any,
    first_part: Any, parts: Any, size_of: Any, first_outcome: Any, threshold: Any, first_landing: Any, landing: Any,
) -> None:  # fmt: skip
    """The next turn of all games in `order`; those with the same card stand from one entry of `starts` to the next.
    `moves` becomes -1 where the first digits do not decide."""
    boxes, flags, _, _, yahtzee, _, _, rerolls = shape
    keeps, nodes, _ = sizes
    kept, best = np.empty((rerolls + 1, nodes)), np.empty((rerolls + 1, nodes - keeps))
    for group in range(len(starts) - 1):
        game = order[starts[group]]
        was, held, on = used[game], upper[game], flag[game]
        look_ahead(was, on, held, shape, pays, anchors, sizes, more, edges, less, kept, best)
        for at in range(starts[group], starts[group + 1]):
            game = order[at]
            if moves[game] < 0:
                continue
            node, left, box, roll = 0, rerolls + 1, -1, 0
            while box < 0:
                dice = size_of[nodes - 1] - size_of[node]
                first, last = first_outcome[dice], first_outcome[dice + 1] - 1
                fallen = 0
                if last > first:
                    word = first_digits(key[0], key[1], first_game + np.uint64(game), moves[game])
                    fallen = pick(threshold, first, last, word)
                if fallen < 0:
                    moves[game] = -1
                    break
                roll = landing[first_landing[node] + fallen]
                moves[game] += 1
                left -= 1
                floor = best[left, roll] - tolerance
                node = -1
                if left > 0:
                    for part in range(first_part[roll], first_part[roll + 1]):
                        if kept[left, parts[part]] >= floor:
                            node = parts[part]
                            break
                if node < 0:
                    for other in range(boxes):
                        is_open = (was >> other) & 1 == 0
                        if is_open and worth_of(was, on, held, other, roll, shape, pays, anchors) >= floor:
                            box = other
                            break
            if box >= 0:
                gain, after = gain_of(was, on, held, box, roll, shape, pays)
                used[game], upper[game] = was | (1 << box), after
                if box == yahtzee and pays[0][box, roll] > 0:
                    flag[game] = flags - 1
                total[game] += gain
                moves[game] += 1
