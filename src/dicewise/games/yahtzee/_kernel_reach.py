"""Yahtzee compiled for another aim: the best chance to get as many points as are still needed.

P(used, u, x) is the best chance to make x more points from an anchor; it is 1 for x <= 0, and 0 for x > 0 on a full
card. The end of a turn at the roll r is worth

    F(r) = max over the boxes b that may take r of  P(used + b, u', x - gain(b, r))

where the gain has all that comes with the points: the bonus of the upper section, a further Yahtzee's extra. The rest
is as in `_kernel`, with eight needs x side by side instead of eight totals of the upper section.

A row is an anchor. All totals of the upper section with which the bonus is out of reach are worth the same, a third of
all; one row has the chances of all of them. Of the needs a row has those that can come up when `target` points are
needed on the card that play begins with: no fewer than the most that may have been made since leaves over, no more than
the least leaves over; or `every` need from 1 on. It ends where the chance falls below `TINY`: chances fall with the
need, so that all further ones are smaller still, and count as 0. In memory eight ones stand before a row and eight
zeros behind it, so that eight needs can be read at any place that is not wholly outside.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dicewise.game import Progress
from dicewise.games.lanes import LANES, fill, larger, load, store
from dicewise.games.yahtzee._kernel import (
    THREADS,
    best_groups,
    lane_room,
    list_groups,
    mean_of,
    pays_of,
    reroll,
    shape_of,
    sweeps_of,
)
from dicewise.games.yahtzee._layout import Floats, Ints, Layout

TINY = 1e-15
"""Chances below this count as 0; a game of n turns may add up n of them."""


class Card(NamedTuple):
    """The anchor with which play begins."""

    used: int = 0
    upper: int = 0
    extra: int = 0


@dataclass(frozen=True, eq=False)
class Plan:
    """The rows, and the needs that each may have."""

    first_row: Ints
    """The row of the total 0, by set of used boxes and flag."""
    valid: NDArray[np.bool_]
    """Whether play can come to a row."""
    least: Ints
    """The least need that can come up ..."""
    most: Ints
    """... and the largest."""
    same: Ints
    """The row that has the chances of each row: its own, or the first of those without hope of the bonus."""
    held: NDArray[np.bool_]
    """Whether a row has chances, ..."""
    low: Ints
    """... the least need that it has ..."""
    high: Ints
    """... and the largest, as far as is known beforehand."""
    offset: Ints
    """Where the least need of each row stands in memory; the last entry is where all rows end."""

    @property
    def bytes(self) -> int:
        """About what it takes to solve it."""
        return 8 * int(self.offset[-1]) + 80 * len(self.low)


@dataclass(frozen=True, eq=False)
class Needs:
    """The chances, row by row."""

    plan: Plan
    high: Ints
    """The largest need with a chance of each row that has chances; below `low` for none."""
    chance: Floats

    def at(self, row: Any, need: Any) -> Any:
        """The chance in these rows. NaN for a need, or a row, that cannot come up."""
        row, need = np.asarray(row), np.asarray(need)
        plan = self.plan
        there = plan.same[row]
        low, high = plan.low[there], self.high[there]
        inside = np.clip(need, low, np.maximum(high, low))
        found = np.where(need > high, 0.0, self.chance[plan.offset[there] + inside - low])
        found = np.where((need < plan.least[row]) | (need > plan.most[row]) | ~plan.valid[row], np.nan, found)
        return np.where(need <= 0, 1.0, found)

    @property
    def count(self) -> int:
        """How many turn starts with how many needs, those without a chance included."""
        plan = self.plan
        return int(np.maximum(plan.most - plan.least + 1, 0)[plan.valid].sum())

    def packed(self) -> Needs:
        """The same without the room between the rows."""
        offset, size = _ends(self.plan, self.high)
        chance = np.zeros(size)
        _pack(self.chance, self.plan.offset, chance, offset, self.high - self.plan.low + 1, self.plan.held)
        return Needs(replace(self.plan, offset=offset), self.high, chance)


def unpacked(rules: Layout, target: int, high: Ints, chance: Floats) -> Needs | None:
    """What `packed` made, from its largest needs and its chances; None where they do not fit."""
    plans = plan(rules, target)
    if high.shape != plans.high.shape or (high > np.maximum(plans.high, 0)).any():
        return None
    offset, size = _ends(plans, high)
    return Needs(replace(plans, offset=offset), high, chance) if chance.shape == (size,) else None


def _ends(plans: Plan, high: Ints) -> tuple[Ints, int]:
    """Where rows begin that stand close together, and the room that they take; one place more than is used."""
    ends = np.cumsum(np.where(plans.held, np.maximum(high - plans.low + 1, 0), 0))
    return np.concatenate([[0], ends[:-1]]), int(ends[-1]) + 1


def plan(rules: Layout, target: int, every: bool = False, card: Card | None = None) -> Plan:
    """The rows and their needs, when `target` points are needed on a card."""
    begun = card or Card()
    sets = np.arange(1 << rules.boxes)
    totals = np.repeat(rules.reach(sets), rules.flags)
    first_row, same = rules.total_rows()
    bits = sets[:, None] >> np.arange(rules.boxes) & 1
    new = bits * (1 - (begun.used >> np.arange(rules.boxes) & 1))
    most = np.maximum(rules.points.max(axis=1), rules.as_joker.max(axis=1))

    def by_row(by_set: Ints) -> Ints:
        return np.repeat(np.repeat(by_set, rules.flags), totals)

    flag = np.repeat(np.tile(np.arange(rules.flags), len(sets)), totals)
    upper = np.arange(first_row[-1]) - np.repeat(first_row[:-1], totals)
    turns, filled = by_row(len(most) - bits.sum(axis=1)), np.zeros_like(upper)
    valid = _valid(rules, begun)[by_row(sets), upper] & (flag >= begun.extra)
    # what may have been made since play began: the most, and the least
    capped = (upper >= rules.limit) & (rules.limit > 0)
    earned = np.where(capped & (begun.upper < rules.limit), rules.bonus, 0)
    section = np.where(capped | (rules.limit == 0), by_row(new @ rules.most_upper), upper - begun.upper)
    held_most = by_row(new @ np.where(rules.is_upper, 0, most)) + section + earned
    held_most += flag * rules.extra * by_row(new.sum(axis=1))
    held_least = np.where(rules.limit, upper - begun.upper, 0) + earned
    if rules.flags == 2:
        scores = rules.points[rules.yahtzee]
        filled, turned = by_row(bits[:, rules.yahtzee]), by_row(new[:, rules.yahtzee]) == 1
        held_least += np.where(turned & (flag == 1), scores[scores > 0].min(initial=1 << 30), 0)
        valid &= (turned | (flag == begun.extra)) & (filled >= flag)
    # what is left to be made
    left = by_row((1 - bits) @ most) + np.where(capped, 0, rules.bonus)
    if rules.flags == 2:
        left += np.where((flag == 1) | (filled == 0), rules.extra * turns, 0)
    least = np.ones_like(upper) if every else np.maximum(1, target - held_most)
    largest = np.full_like(upper, target) if every else target - held_least
    # rows without hope of the bonus have their chances in the first of them, which has all their needs
    held, low, high = np.zeros_like(valid), np.full_like(upper, target + 1), np.zeros_like(upper)
    held[same[valid]] = True
    np.minimum.at(low, same[valid], least[valid])
    np.maximum.at(high, same[valid], np.where(turns > 0, np.minimum(largest, left), 0)[valid])
    room = np.where(held, -(-np.maximum(high - low + 1, 0) // LANES) * LANES + 2 * LANES, 0)
    ends = np.cumsum(room) + LANES
    offset = np.where(held, ends - room, ends[-1])  # rows that are not held have nothing but zeros, behind all others
    low[~held] = 1
    offset = np.append(offset, ends[-1])
    return Plan(first_row, valid, least, largest, same, held, low, high, offset)


def _valid(rules: Layout, begun: Card) -> NDArray[np.bool_]:
    """Whether play comes to these used boxes with this total of the upper section: [used, upper]."""
    found = np.zeros((1 << rules.boxes, rules.limit + 1), dtype=bool)
    known: dict[int, list[int]] = {}
    sections = sum(1 << box for box in range(rules.boxes) if rules.is_upper[box])
    for used in range(1 << rules.boxes):
        if used & begun.used == begun.used:
            new = used & sections & ~begun.used
            if new not in known:
                known[new] = rules.totals(new) if rules.limit else [0]
            found[used, [min(begun.upper + total, rules.limit) for total in known[new]]] = True
    return found


def solve(
    rules: Layout,
    rerolls: int,
    target: int,
    *,
    every: bool = False,
    card: Card | None = None,
    progress: Progress | None = None,
) -> Needs:
    """The chances of all anchors and needs that play for `target` points can lead to; `every` need up to it."""
    plans = plan(rules, target, every, card)
    chance = np.zeros(int(plans.offset[-1]) + LANES)
    high = plans.high.copy()
    _fence(chance, plans.offset, plans.held)
    rows = plans.first_row, plans.same, plans.held, plans.low, high, plans.offset
    shared: Any = rows, chance, shape_of(rules, rerolls), rules.first_roll, *pays_of(rules), sweeps_of(rules)
    task: Any = _solve_layer
    first = (card or Card()).used
    used = np.arange(1 << rules.boxes)
    used = used[(used & first) == first]
    sizes = np.bitwise_count(used).astype(int)
    done = 0
    pool = ThreadPoolExecutor(THREADS)
    try:
        for size in range(rules.boxes - 1, int(sizes.min()) - 1, -1):
            layer = used[sizes == size]
            count = max(1, len(layer) // PIECE)
            pieces = [layer[start::count] for start in range(count)]
            jobs = [pool.submit(task, piece, rules.reach(piece), *shared) for piece in pieces]
            for piece, job in zip(pieces, jobs, strict=True):
                job.result()
                done += len(piece)
                if progress is not None:
                    progress(done / len(used), "solving")
    finally:
        pool.shutdown(cancel_futures=True)  # Ctrl-C does not wait for what has not begun
    return Needs(plans, high, chance)


PIECE = 8
"""Sets of used boxes that are handed to a thread at a time."""


@njit(cache=True, nogil=True)
def _fence(chance: Any, offset: Any, held: Any) -> None:
    """Ones before each row: what is no longer needed is there."""
    for row in range(len(held)):
        if held[row]:
            for lane in range(1, LANES + 1):
                chance[offset[row] - lane] = 1.0


@njit(cache=True, nogil=True)
def _pack(chance: Any, offset: Any, packed: Any, to: Any, lengths: Any, held: Any) -> None:
    for row in range(len(held)):
        if held[row]:
            for at in range(lengths[row]):
                packed[to[row] + at] = chance[offset[row] + at]


@njit(cache=True, nogil=True, inline="always")
def read_needs(chance: Any, scores: Any, at: Any, need: Any) -> Any:
    """The chances of eight needs, from `need` on, after one of the scores that `list_scores` has found: past either end
    of a row the ones before it, or the zeros behind it."""
    return load(chance, scores[at, 0] + min(max(need, scores[at, 1]), scores[at, 2]))


@njit(cache=True, nogil=True, inline="always")
def _place(to: Any, gain: Any, low: Any, high: Any, offset: Any) -> Any:
    """Where the chances after a score are: the place of the need 0 in memory, the need from which on there is more than
    the ones before the row, and the need from which on there are the zeros behind it."""
    return offset[to] - low[to] - gain, low[to] - LANES + gain, max(high[to] + 1, low[to]) + gain


@njit(cache=True, nogil=True)
def list_scores(
    used: Any, flag: Any, upper: Any, rows: Any, shape: Any, groups: Any, jokers: Any, scores: Any, yahtzees: Any
) -> Any:
    """All that a turn may end with, as (where its chances are, see `_place`; box, group or face, the row that follows,
    what the box holds, the points): boxes with nothing first, then groups of rolls, in `scores`; Yahtzees that are
    jokers in `yahtzees`. Returns how many boxes are open, how many rows `scores` has, and `yahtzees`."""
    boxes, flags, _, limit, bonus, yahtzee, extra, joker, _ = shape
    first_row, same, _, low, high, offset = rows
    first_group, points, shift, _, _ = groups
    own_box, _, as_joker, plain = jokers
    count = 0
    any_lower = False
    for box in range(boxes):
        if (used >> box) & 1 == 0:
            any_lower = any_lower or as_joker[box, 0] >= 0
            to = same[first_row[(used | (1 << box)) * flags + flag] + upper]
            scores[count] = (*_place(to, 0, low, high, offset), box, -1, to, 0, 0)
            count += 1
    open_boxes = count
    for box in range(boxes):
        if (used >> box) & 1 == 0:
            turned = flags - 1 if box == yahtzee else flag
            first = first_row[(used | (1 << box)) * flags + turned]
            for group in range(first_group[box], first_group[box + 1]):
                after = min(upper + shift[group], limit)
                gain = int(points[group]) + (bonus if upper < limit <= after else 0)
                to = same[first + after]
                scores[count] = (*_place(to, gain, low, high, offset), box, group, to, int(points[group]), gain)
                count += 1
    again = 0
    if yahtzee < boxes and (used >> yahtzee) & 1 == 1:
        for face in range(len(own_box)):
            own = own_box[face]
            own_open = own < boxes and (used >> own) & 1 == 0
            in_full = (joker == 1 or joker == 2) and not own_open
            for box in range(boxes):
                is_lower = as_joker[box, face] >= 0
                barred = joker == 1 and (box != own if own_open else any_lower and not is_lower)
                if (used >> box) & 1 == 0 and not barred:
                    paid = as_joker[box, face] if is_lower and in_full else plain[box, face]
                    after = upper if is_lower else min(upper + paid, limit)
                    gain = paid + extra * flag + (bonus if upper < limit <= after else 0)
                    to = same[first_row[(used | (1 << box)) * flags + flag] + after]
                    yahtzees[again] = (*_place(to, gain, low, high, offset), box, face, to, paid, gain)
                    again += 1
    return open_boxes, count, again


@njit(cache=True, nogil=True)
def score_needs(
    work: Any, worth: Any, chance: Any, need: Any, scores: Any, yahtzees: Any, counts: Any, runs: Any, places: Any,
    alike: Any, keeps: Any,
) -> None:  # fmt: skip
    """What the best box is worth for every roll, for eight needs; `worth` has room for what each group is worth."""
    open_boxes, count, again = counts
    nothing = fill(0.0)
    for at in range(open_boxes):
        nothing = larger(nothing, read_needs(chance, scores, at, need))
    for at in range(open_boxes, count):
        store(worth, scores[at, 4] * LANES, read_needs(chance, scores, at, need))
    best_groups(work, worth, nothing, runs, places)
    for at in range(again):
        here = (keeps + alike[yahtzees[at, 4]]) * LANES
        best = read_needs(chance, yahtzees, at, need)
        if at > 0 and yahtzees[at, 4] == yahtzees[at - 1, 4]:
            best = larger(best, load(work, here))
        store(work, here, best)


@njit(cache=True, nogil=True)
def _solve_layer(
    layer: Any, reach: Any, rows: Any, chance: Any, shape: Any, opening: Any, groups: Any, group_of: Any, jokers: Any,
    sweeps: Any,
) -> None:  # fmt: skip
    """The rows of sets of used boxes, all of the same size; what is given is named as in `_kernel` and in `Plan`."""
    boxes, flags, rerolls = shape[0], shape[1], shape[8]
    first_row, _, held, low, high, offset = rows
    keeps, nodes, sides = sweeps[0]
    work, worth = lane_room(nodes), lane_room(len(groups[1]))
    runs, places = np.empty(boxes + 1, dtype=np.int64), np.empty((nodes - keeps) * (boxes + 1), dtype=np.int32)
    scores = np.empty((boxes + len(groups[1]), 8), dtype=np.int64)
    yahtzees = np.empty((boxes * sides, 8), dtype=np.int64)
    for at in range(len(layer)):
        used = layer[at]
        list_groups(used, group_of, keeps, runs, places)
        for flag in range(flags):
            for upper in range(reach[at]):
                row = first_row[used * flags + flag] + upper
                if not held[row]:
                    continue
                counts = list_scores(used, flag, upper, rows, shape, groups, jokers, scores, yahtzees)
                largest = 0
                for need in range(low[row], high[row] + 1, LANES):
                    score_needs(work, worth, chance, need, scores, yahtzees, counts, runs, places, jokers[1], keeps)
                    for _ in range(rerolls):
                        reroll(work, sweeps)
                    start = offset[row] + need - low[row]
                    store(chance, start, mean_of(work, opening, keeps))
                    for lane in range(LANES):
                        if need + lane <= high[row] and chance[start + lane] >= TINY:
                            largest = need + lane
                        else:
                            chance[start + lane] = 0.0
                    if chance[start + LANES - 1] == 0.0:
                        break
                high[row] = largest
