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

from dicewise.games.lanes import LANES, store
from dicewise.games.yahtzee._kernel import lane_room, list_groups
from dicewise.games.yahtzee._kernel_flow import follow, take
from dicewise.games.yahtzee._kernel_reach import list_scores, read_needs, score_needs

RARE = 1e-15
"""Cards that come up so rarely, eight needs together, are left to be played for the mean, which is quicker; how likely
it is to meet one of them is counted."""

SLACK = 5e-14
"""Chances that differ by less count as equal: half of a solution's tolerance."""


@njit(cache=True, nogil=True)
def aim_layer(
    layer: Any, reach: Any, rows: Any, target: Any, of_needs: Any, chance: Any, shape: Any, opening: Any, groups: Any,
    group_of: Any, jokers: Any, sweeps: Any, choices: Any,
) -> None:  # fmt: skip
    """Move on the points of sets of used boxes, all of the same size, with which the target can still be made."""
    boxes, flags, _, _, _, yahtzee, _, _, rerolls = shape
    first_row, _, offset, span, mass, onward, tally = rows
    _, _, held, low, high, _ = of_needs
    _, points, _, first_roll, rolls_of = groups
    alike = jokers[1]
    first_zero, zeros, _, _ = choices
    keeps, nodes, sides = sweeps[0]
    work, flows, kept = lane_room(nodes), lane_room(nodes), lane_room((rerolls + 1) * nodes)
    worth_of, here = lane_room(len(points)), np.empty(LANES)
    scores = np.empty((boxes + len(points), 8), dtype=np.int64)
    yahtzees = np.empty((boxes * sides, 8), dtype=np.int64)
    runs, places = np.empty(boxes + 1, dtype=np.int64), np.empty((nodes - keeps) * (boxes + 1), dtype=np.int32)
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
                        counts = list_scores(used, flag, upper, of_needs, shape, groups, jokers, scores, yahtzees)
                        listed = True
                    score_needs(work, worth_of, chance, need, scores, yahtzees, counts, runs, places, alike, keeps)
                    follow(work, kept, flows, opening, SLACK, rerolls, sweeps, choices)
                    for lane in range(LANES):
                        if here[lane] != 0.0:
                            mass[first - lane] = 0.0
                    for face in range(sides):
                        place = (keeps + alike[face]) * LANES
                        for lane in range(LANES):
                            tally[boxes, 1] += flows[place + lane] * here[lane]
                            tally[boxes, 0] += flows[place + lane] * here[lane] * (flag if filled else 0)
                    for one in range(counts[2]):
                        roll = (keeps + alike[yahtzees[one, 4] : yahtzees[one, 4] + 1]) * LANES
                        taken = take(flows, kept, SLACK, read_needs(chance, yahtzees, one, need), roll, 0, 1)
                        _scatter(taken, yahtzees[one], here, work, need, target, offset, onward, tally)
                    group_at = counts[0]
                    for nothing in range(counts[0]):
                        box = scores[nothing, 3]
                        while group_at < counts[1] and scores[group_at, 3] == box:
                            group, worth = scores[group_at, 4], read_needs(chance, scores, group_at, need)
                            taken = take(flows, kept, SLACK, worth, rolls_of, first_roll[group], first_roll[group + 1])
                            _scatter(taken, scores[group_at], here, work, need, target, offset, onward, tally)
                            group_at += 1
                        worth = read_needs(chance, scores, nothing, need)
                        taken = take(flows, kept, SLACK, worth, zeros, first_zero[box], first_zero[box + 1])
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
