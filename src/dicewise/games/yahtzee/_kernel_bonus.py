"""Yahtzee compiled: how likely the best play earns the bonus of the upper section, from every anchor.

A turn is solved and followed as in `_kernel_flow`. With m(b, s) for the chance that it ends in the box b with s points
for the upper section,

    C(used, u) = sum over b and s of m(b, s) C(used + b, u + s)

where C is 1 once u is at the limit, and 0 on a full card below it. Rows are those of the table of `_layout`, and eight
totals u lie side by side.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numba import njit

from dicewise.game import Progress
from dicewise.games.lanes import LANES, fill, load, store
from dicewise.games.yahtzee._kernel import (
    THREADS,
    lane_room,
    list_groups,
    list_rows,
    pays_of,
    score_rolls,
    shape_of,
    sweeps_of,
)
from dicewise.games.yahtzee._kernel_flow import choices_of, follow, joker_box, take
from dicewise.games.yahtzee._layout import Floats, Layout


def bonus_chances(
    rules: Layout, rerolls: int, table: Floats, tolerance: float, progress: Progress | None = None
) -> Floats:
    """The table [used and flag, upper] of these chances; `table` is what `_kernel.solve` made."""
    chances = np.zeros(rules.rows * rules.length + LANES)
    full = (1 << rules.boxes) - 1
    chances[:-LANES].reshape(rules.rows, rules.length)[full * rules.flags :, rules.limit :] = 1.0
    values = np.concatenate([table.ravel(), np.zeros(LANES)])
    task: Any = _bonus_layer
    given: Any = (chances, values, tolerance / 2, shape_of(rules, rerolls), rules.first_roll, *pays_of(rules),
                  sweeps_of(rules), choices_of(rules))  # fmt: skip
    used = np.arange(full + 1)
    sizes = np.bitwise_count(used).astype(int)
    done = 0
    with ThreadPoolExecutor(THREADS) as pool:
        for size in range(rules.boxes - 1, -1, -1):
            layer = used[sizes == size]
            parts = [layer[start::THREADS] for start in range(min(THREADS, len(layer)))]
            for job in [pool.submit(task, part, rules.reach(part), rules.hopeless(part), *given) for part in parts]:
                job.result()
            done += len(layer)
            if progress is not None:
                progress(done / full, "chances of the upper bonus")
    return chances[:-LANES].reshape(rules.rows, rules.length)


@njit(cache=True, nogil=True)
def _bonus_layer(
    layer: Any, reach: Any, hopeless: Any, chances: Any, table: Any, slack: Any, shape: Any, opening: Any, groups: Any,
    group_of: Any, jokers: Any, sweeps: Any, choices: Any,
) -> None:  # fmt: skip
    """The rows of sets of used boxes, all of the same size."""
    boxes, flags, length, limit, _, yahtzee, _, _, rerolls = shape
    first_group, points, shift, first_roll, rolls_of = groups
    _, alike, as_joker, _ = jokers
    first_zero, zeros, _, _ = choices
    keeps, nodes, sides = sweeps[0]
    work, flows, kept = lane_room(nodes), lane_room(nodes), lane_room((rerolls + 1) * nodes)
    worth_of, base = lane_room(len(points)), np.empty(boxes, dtype=np.int64)
    places, runs = np.empty((nodes - keeps) * (boxes + 1), dtype=np.int32), np.empty(boxes + 1, dtype=np.int64)
    lanes = np.empty(LANES)
    for at in range(len(layer)):
        used = layer[at]
        filled = yahtzee < boxes and (used >> yahtzee) & 1 == 1
        list_groups(used, group_of, keeps, runs, places)
        for flag in range(flags if filled else 1):
            list_rows(base, used, flag, shape)
            row = (used * flags + flag) * length
            for block in range(hopeless[at] // LANES * LANES, min(reach[at], limit), LANES):
                score_rolls(work, worth_of, block, flag, table, base, shape, groups, jokers, runs, places, keeps)
                follow(work, kept, flows, opening, slack, rerolls, sweeps, choices)
                lanes[:] = 0.0
                if filled:
                    for face in range(sides):
                        place = (keeps + alike[face]) * LANES
                        for lane in range(LANES):
                            floor = kept[place + lane] - slack
                            box, paid = joker_box(block + lane, face, floor, table, base, shape, flag, jokers)
                            if box >= 0:  # none for a total that cannot be
                                added = 0 if as_joker[box, face] >= 0 else paid
                                lanes[lane] += flows[place + lane] * chances[base[box] + added + block + lane]
                        store(flows, place, fill(0.0))
                found = load(lanes, 0)
                for box in range(boxes):
                    if base[box] < 0:
                        continue
                    for group in range(first_group[box], first_group[box + 1]):
                        to = base[box] + shift[group] + block + (length * (flags - 1) if box == yahtzee else 0)
                        worth = load(table, to) + fill(points[group])
                        taken = take(flows, kept, slack, worth, rolls_of, first_roll[group], first_roll[group + 1])
                        found = found + taken * load(chances, to)
                    worth = load(table, base[box] + block)
                    taken = take(flows, kept, slack, worth, zeros, first_zero[box], first_zero[box + 1])
                    found = found + taken * load(chances, base[box] + block)
                store(chances, row + block, found)
            for past in range(limit, length):
                chances[row + past] = 1.0
