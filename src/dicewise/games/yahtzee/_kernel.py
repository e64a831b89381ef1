"""Yahtzee compiled: the mean score of every anchor, eight totals of the upper section at a time.

With W(used, u) for the table of `_layout`, the end of a turn at the roll r is worth

    F(r) = max over the boxes b that may take r of  points(b, r) + W(used + b, u + what b adds to the upper section)

Then, as often as some dice are rolled again, with the sweeps of the dice lattice

    E(keep) = mean over the faces a of E(keep + a),     large to small, beginning with the rolls
    B(keep) = max( E(keep), max over the dice a in keep of B(keep - a) ),     small to large, up to the rolls

where the rolls' B becomes the rolls' E of the sweep before. At last W(used, u) is the mean of the first roll's B.

Sets of used boxes are taken from the full card to the empty one; those of one size are independent of each other, and
so are all totals u of the upper section: eight of them lie side by side in a vector, and all nodes of the lattice for
eight totals (462 vectors for five dice) stay in the processor's first cache. Rolls that score the same in a box form a
group; what a group is worth is worked out once, and each roll takes the largest of its groups (`score_rolls`), which
are listed once for a set of used boxes. A box in which a roll scores nothing is worth the same for all such rolls. And
totals with which the bonus is out of reach, a third of all, are worth the same: of each row one of them is worked out.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numba import njit

from dicewise.game import Progress
from dicewise.games.lanes import LANES, fill, larger, load, store
from dicewise.games.yahtzee._layout import Floats, Layout

NEVER = -1e300
ONE, WIDE = np.uint64(1), np.uint64(LANES)
THREADS = 2
"""Layers are short: more threads would wait for each other."""


def solve(rules: Layout, rerolls: int, progress: Progress | None = None) -> Floats:
    """The table [used and flag, upper]; entries past the limit repeat the one at it."""
    table = np.zeros(rules.rows * rules.length + LANES)
    full = (1 << rules.boxes) - 1
    if rules.limit:
        table[:-LANES].reshape(rules.rows, rules.length)[full * rules.flags :, rules.limit :] = rules.bonus
    task: Any = solve_layer
    given: Any = (table, shape_of(rules, rerolls), rules.first_roll, *pays_of(rules), sweeps_of(rules))
    used = np.arange(full + 1)
    sizes = np.bitwise_count(used).astype(int)
    done = 0
    with ThreadPoolExecutor(THREADS) as pool:
        for size in range(rules.boxes - 1, -1, -1):
            layer = used[sizes == size]
            parts = [layer[start::THREADS] for start in range(min(THREADS, len(layer)))]
            jobs = [pool.submit(task, part, rules.reach(part), rules.hopeless(part), *given) for part in parts]
            for job in jobs:
                job.result()
            done += len(layer)
            if progress is not None:
                progress(done / full, "solving")
    return table[:-LANES].reshape(rules.rows, rules.length)


def shape_of(rules: Layout, rerolls: int) -> tuple[int, ...]:
    """The numbers that kernels read."""
    section = rules.length, rules.limit, rules.bonus
    return rules.boxes, rules.flags, *section, rules.yahtzee, rules.extra, rules.joker, rerolls


def pays_of(rules: Layout) -> tuple[Any, ...]:
    """What boxes pay: groups of rolls that score the same in a box, the groups that each roll is in, and jokers (the
    upper box of each face, the roll that has all dice alike, what it pays in a lower box, and what without a joker)."""
    plain = np.ascontiguousarray(rules.points[:, rules.alike])
    return groups_of(rules), groups_by_roll(rules), (rules.own_box, rules.alike, rules.as_joker, plain)


def groups_of(rules: Layout) -> tuple[Any, ...]:
    """For each box the scores above 0 that it pays, and for each of them the rolls, as places of vectors."""
    first_group, points, shift, first_roll, rolls = [0], list[float](), list[int](), [0], list[int]()
    for box in range(rules.boxes):
        for score in sorted(set(rules.points[box].tolist()) - {0}):
            points.append(float(score))
            shift.append(score if rules.is_upper[box] and rules.limit else 0)
            rolls += ((rules.nodes.rolls.start + np.flatnonzero(rules.points[box] == score)) * LANES).tolist()
            first_roll.append(len(rolls))
        first_group.append(len(points))
    unsigned = np.uint64
    return (
        np.array(first_group),
        np.array(points, dtype=np.float64),
        np.array(shift, dtype=np.int64),
        np.array(first_roll, dtype=unsigned),
        np.array(rolls, dtype=unsigned),
    )


def groups_by_roll(rules: Layout) -> Any:
    """The group in which each roll is with each box, as the place of its vector; -1 where it scores nothing:
    [roll, box]."""
    found = np.full(rules.points.T.shape, -1, dtype=np.int32)
    groups = 0
    for box in range(rules.boxes):
        for score in sorted(set(rules.points[box].tolist()) - {0}):
            found[rules.points[box] == score, box] = groups * LANES
            groups += 1
    return found


def sweeps_of(rules: Layout) -> tuple[Any, ...]:
    """The edges of the lattice, as places of vectors; small numbers, which leave room in the first cache."""
    nodes = rules.nodes
    there = nodes.less < nodes.nodes
    edges = np.concatenate([[0], np.cumsum(there.sum(axis=1))]).astype(np.uint64)
    less = nodes.less[there] * np.int32(LANES)
    more = (nodes.more * np.int32(LANES)).ravel()
    return (nodes.first[-2], nodes.nodes, nodes.faces), more, edges, less


@njit(cache=True, nogil=True)
def lane_room(vectors: Any) -> Any:
    """Room for so many vectors, each in one line of the processor's caches."""
    room = np.empty((vectors + 1) * LANES)
    first = (-(room.ctypes.data // 8)) % LANES
    return room[first : first + vectors * LANES]


@njit(cache=True, nogil=True)
def solve_layer(
    layer: Any, reach: Any, hopeless: Any, table: Any, shape: Any, opening: Any, groups: Any, group_of: Any,
    jokers: Any, sweeps: Any,
) -> None:  # fmt: skip
    """The rows of sets of used boxes, all of the same size.

    `shape` is that of `shape_of`; `groups`, `group_of` and `jokers` those of `pays_of`; `sweeps` that of `sweeps_of`.
    """
    boxes, flags, length, limit, _, yahtzee, _, _, rerolls = shape
    keeps, nodes, _ = sweeps[0]
    work, worth = lane_room(nodes), lane_room(len(groups[1]))
    base = np.empty(boxes, dtype=np.int64)
    runs, places = np.empty(boxes + 1, dtype=np.int64), np.empty((nodes - keeps) * (boxes + 1), dtype=np.int32)
    for at in range(len(layer)):
        used = layer[at]
        list_groups(used, group_of, keeps, runs, places)
        for flag in range(flags if yahtzee < boxes and (used >> yahtzee) & 1 else 1):
            list_rows(base, used, flag, shape)
            row = (used * flags + flag) * length
            first = max(hopeless[at] - 1, 0) // LANES * LANES
            for block in range(first, reach[at], LANES):
                score_rolls(work, worth, block, flag, table, base, shape, groups, jokers, runs, places, keeps)
                for _ in range(rerolls):
                    reroll(work, sweeps)
                store(table, row + block, mean_of(work, opening, keeps))
            for before in range(first):
                table[row + before] = table[row + first]
            for past in range(limit + 1, length):
                table[row + past] = table[row + limit]


@njit(cache=True, nogil=True)
def list_rows(base: Any, used: Any, flag: Any, shape: Any) -> None:
    """Where the row begins that each box leads to (if it scores nothing); -1 for a box that is used."""
    boxes, flags, length, _, _, _, _, _, _ = shape
    for box in range(boxes):
        base[box] = -1 if (used >> box) & 1 else ((used | (1 << box)) * flags + flag) * length


@njit(cache=True, nogil=True)
def list_groups(used: Any, group_of: Any, keeps: Any, runs: Any, places: Any) -> None:
    """For each roll its place and the groups of its scores in open boxes, one roll after the other in `places`: those
    with the fewest groups first, so that loops over them seldom change their length. `runs` says how many rolls have
    none, one, two ... groups."""
    rolls, boxes = group_of.shape
    count, begin = np.zeros(rolls, dtype=np.int64), np.zeros(len(runs), dtype=np.int64)
    runs[:] = 0
    for roll in range(rolls):
        for box in range(boxes):
            count[roll] += (used >> box) & 1 == 0 and group_of[roll, box] >= 0
        runs[count[roll]] += 1
    for more in range(1, len(runs)):
        begin[more] = begin[more - 1] + runs[more - 1] * more
    for roll in range(rolls):
        at = begin[count[roll]]
        places[at] = (keeps + roll) * LANES
        for box in range(boxes):
            if (used >> box) & 1 == 0 and group_of[roll, box] >= 0:
                at += 1
                places[at] = group_of[roll, box]
        begin[count[roll]] = at + 1


@njit(cache=True, nogil=True)
def best_groups(work: Any, worth: Any, nothing: Any, runs: Any, places: Any) -> None:
    """What the best of its groups, or a box in which it scores nothing, is worth for every roll."""
    edge = np.uint64(0)
    for count in range(len(runs)):
        for _ in range(runs[count]):
            best, place = nothing, places[edge]
            edge += ONE
            for _ in range(count):
                best = larger(best, load(worth, places[edge]))
                edge += ONE
            store(work, place, best)


@njit(cache=True, nogil=True)
def score_rolls(
    work: Any, worth: Any, block: Any, flag: Any, table: Any, base: Any, shape: Any, groups: Any, jokers: Any,
    runs: Any, places: Any, keeps: Any,
) -> None:  # fmt: skip
    """What the best box is worth for every roll; `worth` has room for what each group is worth."""
    boxes, flags, length, _, _, yahtzee, extra, _, _ = shape
    first_group, points, shift, _, _ = groups
    nothing = fill(NEVER)
    for box in range(boxes):
        if base[box] >= 0:
            nothing = larger(nothing, load(table, base[box] + block))
            to = base[box] + block
            if box == yahtzee:
                to += length * (flags - 1)  # it holds its points: further ones pay extra
            for group in range(first_group[box], first_group[box + 1]):
                store(worth, group * LANES, load(table, to + shift[group]) + fill(points[group]))
    best_groups(work, worth, nothing, runs, places)
    if yahtzee < boxes and base[yahtzee] < 0:
        alike = jokers[1]
        for face in range(len(alike)):
            place = (keeps + alike[face]) * LANES
            best = as_joker(load(work, place), face, block, table, base, shape, groups, jokers)
            store(work, place, best + fill(float(extra * flag)))


@njit(cache=True, nogil=True)
def mean_of(work: Any, opening: Any, keeps: Any) -> Any:
    """The mean of the first roll's worth, in four sums that need not wait for each other."""
    rolls = len(opening)
    a, b, c, d = fill(0.0), fill(0.0), fill(0.0), fill(0.0)
    place = np.uint64(keeps) * WIDE
    for roll in range(0, rolls - 3, 4):
        a = a + load(work, place) * fill(opening[roll])
        b = b + load(work, place + WIDE) * fill(opening[roll + 1])
        c = c + load(work, place + WIDE + WIDE) * fill(opening[roll + 2])
        d = d + load(work, place + WIDE + WIDE + WIDE) * fill(opening[roll + 3])
        place += np.uint64(4) * WIDE
    for roll in range(rolls - rolls % 4, rolls):
        a = a + load(work, place) * fill(opening[roll])
        place += WIDE
    return (a + b) + (c + d)


@njit(cache=True, nogil=True)
def as_joker(plain: Any, face: Any, block: Any, table: Any, base: Any, shape: Any, groups: Any, jokers: Any) -> Any:
    """What a Yahtzee is worth once the Yahtzee box is filled; `plain` is what it is worth when it is no joker."""
    joker = shape[7]
    first_group, points, shift, _, _ = groups
    own_box, _, pays, _ = jokers
    own = own_box[face]
    own_open = own < len(base) and base[own] >= 0
    best = fill(NEVER)
    lower = False
    for box in range(len(base)):
        if base[box] >= 0 and pays[box, face] >= 0:
            lower = True
            best = larger(best, load(table, base[box] + block) + fill(float(pays[box, face])))
    if joker == 1 and own_open:
        all_dice = first_group[own + 1] - 1  # the highest score of an upper box
        return load(table, base[own] + shift[all_dice] + block) + fill(points[all_dice])
    if joker == 1 and lower:
        return best
    if joker == 2 and not own_open:
        return larger(plain, best)
    return plain


@njit(cache=True, nogil=True)
def reroll(work: Any, sweeps: Any) -> None:
    """From what rolls are worth to what they are worth with one reroll more."""
    (keeps, nodes, sides), more, edges, less = sweeps
    share = fill(1.0 / sides)
    place = np.uint64(keeps) * WIDE
    edge = np.uint64(len(more))
    six = np.uint64(6)
    for _ in range(keeps):
        place -= WIDE
        if sides == 6:
            edge -= six
            low = load(work, more[edge]) + load(work, more[edge + ONE])
            middle = load(work, more[edge + np.uint64(2)]) + load(work, more[edge + np.uint64(3)])
            high = load(work, more[edge + np.uint64(4)]) + load(work, more[edge + np.uint64(5)])
            total = low + middle + high
        else:
            edge -= np.uint64(sides)
            total = load(work, more[edge])
            for face in range(ONE, np.uint64(sides)):
                total = total + load(work, more[edge + face])
        store(work, place, total * share)
    edge = np.uint64(0)
    for node in range(ONE, np.uint64(nodes)):
        best = load(work, node * WIDE)
        end = edges[node + ONE]
        while edge < end:
            best = larger(best, load(work, less[edge]))
            edge += ONE
        store(work, node * WIDE, best)
