"""Yahtzee compiled, forwards, for somebody who needs so many points: `_kernel_flow` where play depends on the need.

The best action on a card with x points to go is that of `_kernel_reach`, so that the points so far cannot be moved on
all together: every turn is solved for eight needs at a time, and what was made with each of them,

    M(to)[points + gain] += chance of the box and the gain, with that need * M(from)[points],     points = target - need

is taken away from the card. What is left there (the target is made, or out of reach) is for `_kernel_flow`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from dicewise.games.lanes import LANES, fill, load, store, take_where
from dicewise.games.yahtzee._kernel import lane_room, list_groups
from dicewise.games.yahtzee._kernel_flow import follow
from dicewise.games.yahtzee._kernel_reach import list_scores, read_needs, score_needs

RARE = 1e-15
"""Cards that come up so rarely, eight needs together, are left to be played for the mean, which is quicker; how likely
it is to meet one of them is counted."""

SLACK = 5e-14
"""Chances that differ by less count as equal: half of a solution's tolerance."""


@njit(cache=True, nogil=True)
def aim_layer(
    layer: Any,
    reach: Any,
    first_row: Any,
    same: Any,
    offset: Any,
    span: Any,
    mass: Any,
    onward: Any,
    tally: Any,
    bonus: Any,
    target: Any,
    group_of: Any,
    held: Any,
    low: Any,
    high: Any,
    place_of: Any,
    chance: Any,
    shape: Any,
    opening: Any,
    first_group: Any,
    points: Any,
    shift: Any,
    first_roll: Any,
    rolls_of: Any,
    own_box: Any,
    alike: Any,
    as_joker: Any,
    plain: Any,
    sizes: Any,
    more: Any,
    edges: Any,
    less: Any,
    first_zero: Any,
    zeros: Any,
    first_part: Any,
    parts: Any,
) -> None:
    """Move on the points of sets of used boxes, all of the same size, with which the target can still be made."""
    boxes, flags, _, limit, yahtzee, extra, joker, rerolls = shape
    keeps, nodes, sides = sizes
    work, flows, kept = lane_room(nodes), lane_room(nodes), lane_room((rerolls + 1) * nodes)
    scores = np.empty((boxes + len(points), 8), dtype=np.int64)
    jokers = np.empty((boxes * sides, 8), dtype=np.int64)
    worth_of, here = lane_room(len(points)), np.empty(LANES)
    runs = np.empty(boxes + 1, dtype=np.int64)
    places = np.empty((nodes - keeps) * (boxes + 1), dtype=np.int32)
    without_length = (boxes, flags, limit, bonus, yahtzee, extra, joker, rerolls)
    for at in range(len(layer)):
        used = layer[at]
        list_groups(used, group_of, keeps, runs, places)
        filled = yahtzee < boxes and (used >> yahtzee) & 1 == 1
        for flag in range(flags):
            for upper in range(reach[at]):
                row = first_row[used * flags + flag] + upper
                if not held[row]:
                    continue
                listed = False
                counts = (0, 0, 0)
                for need in range(low[row], high[row] + 1, LANES):
                    # what was made with each of these needs
                    total, first = 0.0, offset[row] + target - need
                    for lane in range(LANES):
                        made = target - need - lane
                        inside = need + lane <= high[row] and 0 <= made < span[used * flags + flag]
                        here[lane] = mass[first - lane] if inside else 0.0
                        total += here[lane]
                    if total == 0.0:
                        continue
                    if total < RARE:
                        tally[boxes + 1, 0] += total
                        continue
                    if not listed:
                        counts = list_scores(used, flag, upper, first_row, same, low, high, place_of, without_length,
                                             first_group, points, shift, own_box, as_joker, plain, scores,
                                             jokers)  # fmt: skip
                        listed = True
                    score_needs(work, worth_of, chance, need, scores, jokers, counts, runs, places, alike, keeps)
                    follow(work, kept, flows, opening, SLACK, rerolls, sizes, more, edges, less, first_part, parts)
                    for lane in range(LANES):
                        if here[lane] != 0.0:
                            mass[first - lane] = 0.0
                    for face in range(sides):
                        place = (keeps + alike[face]) * LANES
                        for lane in range(LANES):
                            tally[boxes, 1] += flows[place + lane] * here[lane]
                            tally[boxes, 0] += flows[place + lane] * here[lane] * (flag if filled else 0)
                    for one in range(counts[2]):
                        place = (keeps + alike[jokers[one, 4]]) * LANES
                        worth = read_needs(chance, jokers, one, need)
                        m, floor = load(flows, place), load(kept, place) + fill(-SLACK)
                        _scatter(take_where(worth, floor, m, fill(0.0)), jokers[one], here, work, need, target, offset,
                                 onward, tally)  # fmt: skip
                        store(flows, place, take_where(worth, floor, fill(0.0), m))
                    group_at = counts[0]
                    for nothing in range(counts[0]):
                        box = scores[nothing, 3]
                        while group_at < counts[1] and scores[group_at, 3] == box:
                            group = scores[group_at, 4]
                            worth, taken = read_needs(chance, scores, group_at, need), fill(0.0)
                            for roll in range(first_roll[group], first_roll[group + 1]):
                                m, floor = load(flows, rolls_of[roll]), load(kept, rolls_of[roll]) + fill(-SLACK)
                                taken = taken + take_where(worth, floor, m, fill(0.0))
                                store(flows, rolls_of[roll], take_where(worth, floor, fill(0.0), m))
                            _scatter(taken, scores[group_at], here, work, need, target, offset, onward, tally)
                            group_at += 1
                        worth, taken = read_needs(chance, scores, nothing, need), fill(0.0)
                        for roll in range(first_zero[box], first_zero[box + 1]):
                            m, floor = load(flows, zeros[roll]), load(kept, zeros[roll]) + fill(-SLACK)
                            taken = taken + take_where(worth, floor, m, fill(0.0))
                            store(flows, zeros[roll], take_where(worth, floor, fill(0.0), m))
                        _scatter(taken, scores[nothing], here, work, need, target, offset, onward, tally)


@njit(cache=True, nogil=True, inline="always")
def _scatter(
    taken: Any, score: Any, here: Any, lanes: Any, need: Any, target: Any, offset: Any, onward: Any, tally: Any
) -> None:
    """Move on what was made with each of eight needs, as far as it goes to one box with one gain."""
    store(lanes, 0, taken)
    box, to, paid, gain = score[3], score[5], score[6], score[7]
    for lane in range(LANES):
        moved = lanes[lane] * here[lane]
        if moved > 0.0:
            onward[offset[to] + target - need - lane + gain] += moved
            tally[box, 0] += moved
            tally[box, 1] += moved * paid
            if paid == 0:
                tally[box, 2] += moved
