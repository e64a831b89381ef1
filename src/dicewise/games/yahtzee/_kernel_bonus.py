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
from dicewise.games.lanes import LANES, fill, load, store, take_where
from dicewise.games.yahtzee._kernel import THREADS, as_jokers, groups_of, lane_room, score, sweeps_of
from dicewise.games.yahtzee._kernel_flow import _joker_box, _parts, _zeros, follow
from dicewise.games.yahtzee._layout import Floats, Layout


def bonus_chances(
    rules: Layout, rerolls: int, table: Floats, tolerance: float, progress: Progress | None = None
) -> Floats:
    """The table [used and flag, upper] of these chances; `table` is what `_kernel.solve` made."""
    chances = np.zeros(rules.rows * rules.length + LANES)
    full = (1 << rules.boxes) - 1
    chances[:-LANES].reshape(rules.rows, rules.length)[full * rules.flags :, rules.limit :] = 1.0
    shape = (rules.boxes, rules.flags, rules.length, rules.limit, rules.yahtzee, rules.extra, rules.joker, rerolls)
    plain = np.ascontiguousarray(rules.points[:, rules.alike])
    values = np.concatenate([table.ravel(), np.zeros(LANES)])
    task: Any = _bonus_layer
    given: Any = (chances, values, tolerance / 2, shape, rules.first_roll, *groups_of(rules), rules.own_box,
                  rules.alike, rules.as_joker, plain, *sweeps_of(rules), *_zeros(rules), *_parts(rules))  # fmt: skip
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
    layer: Any,
    reach: Any,
    hopeless: Any,
    chances: Any,
    table: Any,
    slack: Any,
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
    """The rows of sets of used boxes, all of the same size."""
    boxes, flags, length, limit, yahtzee, extra, joker, rerolls = shape
    keeps, nodes, sides = sizes
    work, flows, kept = lane_room(nodes), lane_room(nodes), lane_room((rerolls + 1) * nodes)
    base = np.empty(boxes, dtype=np.int64)
    none, less_slack = fill(0.0), fill(-slack)
    lanes = np.empty(LANES)
    for at in range(len(layer)):
        used = layer[at]
        filled = yahtzee < boxes and (used >> yahtzee) & 1 == 1
        for flag in range(flags if filled else 1):
            for box in range(boxes):
                base[box] = -1 if (used >> box) & 1 else ((used | (1 << box)) * flags + flag) * length
            row = (used * flags + flag) * length
            for block in range(hopeless[at] // LANES * LANES, min(reach[at], limit), LANES):
                score(work, block, table, base, first_group, points, shift, first_roll, rolls_of, yahtzee,
                      length * (flags - 1), keeps, nodes)  # fmt: skip
                if filled:
                    for face in range(sides):
                        place = (keeps + alike[face]) * LANES
                        best = as_jokers(load(work, place), face, block, table, base, joker, own_box, as_joker,
                                         first_group, points, shift)  # fmt: skip
                        store(work, place, best + fill(float(extra * flag)))
                follow(work, kept, flows, opening, slack, rerolls, sizes, more, edges, less, first_part, parts)
                lanes[:] = 0.0
                if filled:
                    for face in range(sides):
                        place = (keeps + alike[face]) * LANES
                        for lane in range(LANES):
                            box, paid = _joker_box(block + lane, face, kept[place + lane] - slack, table, base, shape,
                                                   flag, own_box, as_joker, plain)  # fmt: skip
                            if box >= 0:  # none for a total that cannot be
                                added = 0 if as_joker[box, face] >= 0 else paid
                                lanes[lane] += flows[place + lane] * chances[base[box] + added + block + lane]
                        store(flows, place, none)
                found = load(lanes, 0)
                for box in range(boxes):
                    if base[box] < 0:
                        continue
                    for group in range(first_group[box], first_group[box + 1]):
                        to = base[box] + shift[group] + block + (length * (flags - 1) if box == yahtzee else 0)
                        worth = load(table, to) + fill(points[group])
                        taken = none
                        for one in range(first_roll[group], first_roll[group + 1]):
                            m = load(flows, rolls_of[one])
                            floor = load(kept, rolls_of[one]) + less_slack
                            taken = taken + take_where(worth, floor, m, none)
                            store(flows, rolls_of[one], take_where(worth, floor, none, m))
                        found = found + taken * load(chances, to)
                    worth = load(table, base[box] + block)
                    taken = none
                    for one in range(first_zero[box], first_zero[box + 1]):
                        m = load(flows, zeros[one])
                        floor = load(kept, zeros[one]) + less_slack
                        taken = taken + take_where(worth, floor, m, none)
                        store(flows, zeros[one], take_where(worth, floor, none, m))
                    found = found + taken * load(chances, base[box] + block)
                store(chances, row + block, found)
            for past in range(limit, length):
                chances[row + past] = 1.0
