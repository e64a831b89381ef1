"""Yahtzee compiled, forwards: with which chances play comes to which card, with how many points.

Backwards, a turn is solved as in `_kernel`; what every keep and every roll is worth, by rerolls left, is remembered.
Then chances flow forwards. The mass m of a roll goes to the dice that are kept, and from there, a share for each face,
to the rolls that follow:

    m(keep) += m(roll)                for the first part of the roll that is worth as much as the best action
    m(keep + a) += m(keep) / sides    for every face a, small to large

It stays where scoring alone is best, and at last goes to the first box of the card that is worth as much as the best.
That is the rule of `Solution.action`: of equally good actions the one that keeps the most dice, of these the lowest,
boxes last, in the order of the card. Values that differ by less than half the solution's tolerance count as equal, as
they do there.

So every turn becomes a few numbers: the chance of each box with each gain. With these the points so far are moved on,

    M(to)[points + gain] += chance * M(from)[points]

from the empty card, or any other, to the full one. Eight totals of the upper section lie side by side again.

Somebody with another aim, to make `target` points, plays by `_kernel_reach` as long as they are neither made nor out of
reach, and for the mean from then on. What is best depends on the points so far then: eight needs lie side by side.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numba import njit

from dicewise.game import Progress
from dicewise.games.lanes import LANES, fill, larger, load, store, take_where
from dicewise.games.yahtzee._kernel import (
    lane_room,
    list_groups,
    list_rows,
    pays_of,
    score_rolls,
    shape_of,
    sweeps_of,
)
from dicewise.games.yahtzee._kernel_reach import Card, Needs
from dicewise.games.yahtzee._layout import Floats, Ints, Layout, keeps_of

PIECE = 32
"""Sets of used boxes that are moved on at a time; between them Ctrl-C is heard."""


@dataclass(frozen=True, eq=False)
class Flow:
    """How games end."""

    points: Floats
    """The chance of each number of points, from 0 on, that are made from the given card on."""
    box_chance: Floats
    """How likely each box is to be filled from here on (1, or 0 where it was filled before) ..."""
    box_mean: Floats
    """... the mean of what it holds then ..."""
    box_zero: Floats
    """... and how likely that is nothing."""
    bonus: float
    """The chance that the upper section earns its bonus, or has earned it."""
    extra: float
    """The mean number of further Yahtzees that pay extra."""
    yahtzees: float
    """The mean number of turns that end with all dice alike."""
    rare: float
    """The chance to come to a card that is played for the mean only because it is rare."""


def flow(
    rules: Layout,
    rerolls: int,
    table: Floats,
    tolerance: float,
    card: Card | None = None,
    needs: Needs | None = None,
    target: int = 0,
    progress: Progress | None = None,
) -> Flow:
    """What becomes of a card. `table` is what `_kernel.solve` made, and `tolerance` that of its solution; with `needs`,
    solved for the same card, play is for `target` points."""
    begun = card or Card()
    boxes = rules.boxes
    span, first_row, same, offset, room = _rows(rules, begun.used)
    tally = np.zeros((boxes + 2, 3))
    shape = shape_of(rules, rerolls)
    flat = np.concatenate([table.ravel(), np.zeros(LANES)])
    every = np.arange(1 << boxes)
    every = every[(every & begun.used) == begun.used]
    sizes = np.bitwise_count(every).astype(int)
    compiled: Any = shape, rules.first_roll, *pays_of(rules), sweeps_of(rules), choices_of(rules)
    by_mean: Any = _flow_layer
    done = 0
    mass = np.zeros(room[int(sizes.min())])
    mass[offset[same[first_row[begun.used * rules.flags + begun.extra] + begun.upper]]] = 1.0
    for size in range(int(sizes.min()), boxes):
        layer = every[sizes == size]
        onward = np.zeros(room[size + 1])
        rows = first_row, same, offset, span, mass, onward, tally
        for start in range(0, len(layer), PIECE):
            piece = layer[start : start + PIECE]
            reach = rules.reach(piece)
            if needs is not None:
                _for_target(piece, reach, rows, needs, target, compiled)
            by_mean(piece, reach, rows, tolerance / 2, flat, *compiled)
            done += len(piece)
            if progress is not None:
                progress(done / len(every), "following the play")
        mass = onward
    return _ended(rules, first_row, offset, span, mass, tally)


def _for_target(piece: Ints, reach: Ints, rows: Any, needs: Needs, target: int, compiled: Any) -> None:
    from dicewise.games.yahtzee._kernel_aims import aim_layer

    plan = needs.plan
    task: Any = aim_layer
    of_needs = plan.first_row, plan.same, plan.held, plan.low, needs.high, plan.offset
    task(piece, reach, rows, target, of_needs, needs.chance, *compiled)


def _rows(rules: Layout, used: int) -> tuple[Ints, Ints, Ints, Ints, list[int]]:
    """For every set of used boxes and flag how many points may have been made since the given card, and the row of its
    total 0; for every row the one that stands for it, and where its points begin among those of all sets of its size;
    and the room that each size takes."""
    sets = np.arange(1 << rules.boxes)
    after = (sets & used) == used
    new = (sets[:, None] >> np.arange(rules.boxes) & 1) * (1 - (used >> np.arange(rules.boxes) & 1))
    most = np.maximum(rules.points.max(axis=1), rules.as_joker.max(axis=1))
    span = new @ most + rules.bonus * (new @ rules.is_upper > 0) + 1
    by_flag = np.repeat(span, rules.flags).reshape(-1, rules.flags)
    if rules.flags == 2:
        by_flag[:, 1] += rules.extra * new.sum(axis=1)
    spans = np.where(after[:, None], by_flag, 0).ravel()
    totals = np.repeat(rules.reach(sets), rules.flags)
    first_row, same = rules.total_rows()
    row_span, row_size = np.repeat(spans, totals), np.repeat(np.repeat(np.bitwise_count(sets), rules.flags), totals)
    offset, room = np.zeros(len(row_span), dtype=np.int64), []
    for size in range(rules.boxes + 1):
        rows = np.flatnonzero(row_size == size)
        ends = np.cumsum(row_span[rows])
        offset[rows] = ends - row_span[rows]
        room.append(int(ends[-1]))
    return spans, first_row, same, offset, room


def bytes_of(rules: Layout, used: int = 0) -> int:
    """About what it takes to follow the play from a card."""
    *_, room = _rows(rules, used)
    return 8 * max(here + there for here, there in pairwise([0, *room]))


def choices_of(rules: Layout) -> tuple[Any, ...]:
    """The rolls that score nothing in each box, and the dice that may be kept of each roll, in the order in which they
    are listed; both as places of vectors, and where those of each box and roll begin."""
    nodes = rules.nodes
    rolls = [np.flatnonzero(scores == 0) for scores in rules.points]
    first_zero = np.concatenate([[0], np.cumsum([len(found) for found in rolls])])
    keeps = [keeps_of(nodes, counts) for counts in nodes.counts[nodes.rolls].tolist()]
    first_part = np.concatenate([[0], np.cumsum([len(parts) for parts in keeps])])
    parts = np.array([part for parts in keeps for part in parts], dtype=np.int64) * LANES
    return first_zero, (np.concatenate(rolls) + nodes.rolls.start) * LANES, first_part, parts


def _ended(rules: Layout, first_row: Ints, offset: Ints, span: Ints, mass: Floats, tally: Floats) -> Flow:
    full = (1 << rules.boxes) - 1
    points = np.zeros(int(span.max()))
    bonus = 0.0
    for flag in range(rules.flags):
        for total in range(int(rules.reach(np.array([full]))[0])):
            row = first_row[full * rules.flags + flag] + total
            made = mass[offset[row] : offset[row] + span[full * rules.flags + flag]]
            points[: len(made)] += made
            if rules.limit and total >= rules.limit:
                bonus += float(made.sum())
    last = np.flatnonzero(points)
    points = points[: last[-1] + 1] if len(last) else points[:1]
    chance = tally[:-2, 0]
    with np.errstate(invalid="ignore", divide="ignore"):
        mean, zero = (np.where(chance > 0, tally[:-2, at] / chance, 0.0) for at in (1, 2))
    extra, yahtzees, _ = tally[-2].tolist()
    return Flow(points, chance, mean, zero, bonus, extra, yahtzees, float(tally[-1, 0]))


@njit(cache=True, nogil=True)
def follow(work: Any, kept: Any, flows: Any, opening: Any, slack: Any, rerolls: Any, sweeps: Any, choices: Any) -> None:
    """From what each roll scores (`work`) to the chance that a turn ends with it (`flows`); `kept` has room for what
    all nodes are worth at every reroll, and begins with what rolls score."""
    (keeps, nodes, sides), more, edges, less = sweeps
    _, _, first_part, parts = choices
    room = nodes * LANES
    share, none, less_slack = fill(1.0 / sides), fill(0.0), fill(-slack)
    kept[:room] = work
    for again in range(1, rerolls + 1):  # backwards
        for node in range(keeps - 1, -1, -1):
            total = load(work, more[node * sides])
            for face in range(1, sides):
                total = total + load(work, more[node * sides + face])
            store(work, node * LANES, total * share)
        kept[again * room : again * room + keeps * LANES] = work[: keeps * LANES]
        for node in range(1, nodes):
            best = load(work, node * LANES)
            for edge in range(edges[node], edges[node + 1]):
                best = larger(best, load(work, less[edge]))
            store(work, node * LANES, best)
        kept[again * room + keeps * LANES : (again + 1) * room] = work[keeps * LANES :]
    for place in range(0, keeps * LANES, LANES):
        store(flows, place, none)
    for roll in range(nodes - keeps):
        store(flows, (keeps + roll) * LANES, fill(opening[roll]))
    for again in range(rerolls, 0, -1):  # forwards
        level = again * room
        for roll in range(nodes - keeps):
            place = (keeps + roll) * LANES
            m = load(flows, place)
            floor = load(kept, level + place) + less_slack
            for at in range(first_part[roll], first_part[roll + 1]):
                worth = load(kept, level + parts[at])
                store(flows, parts[at], load(flows, parts[at]) + take_where(worth, floor, m, none))
                m = take_where(worth, floor, none, m)
            store(flows, place, m)
        for node in range(keeps):
            m = load(flows, node * LANES) * share
            store(flows, node * LANES, none)
            for face in range(sides):
                to = more[node * sides + face]
                store(flows, to, load(flows, to) + m)


@njit(cache=True, nogil=True)
def take(flows: Any, floors: Any, slack: Any, worth: Any, rolls: Any, first: Any, last: Any) -> Any:
    """The chance of the rolls number `first` to `last` of a list, as far as `worth` is as much as their best action;
    it is taken away from them."""
    none, less_slack = fill(0.0), fill(-slack)
    taken = none
    for at in range(first, last):
        m, floor = load(flows, rolls[at]), load(floors, rolls[at]) + less_slack
        taken = taken + take_where(worth, floor, m, none)
        store(flows, rolls[at], take_where(worth, floor, none, m))
    return taken


@njit(cache=True, nogil=True)
def _flow_layer(
    layer: Any, reach: Any, rows: Any, slack: Any, table: Any, shape: Any, opening: Any, groups: Any, group_of: Any,
    jokers: Any, sweeps: Any, choices: Any,
) -> None:  # fmt: skip
    """Move on the points of sets of used boxes, all of the same size."""
    boxes, flags, length, limit, _, yahtzee, extra, _, rerolls = shape
    first_row, _, offset, span, mass, _, tally = rows
    first_group, points, shift, first_roll, rolls_of = groups
    _, alike, as_joker, _ = jokers
    first_zero, zeros, _, _ = choices
    keeps, nodes, sides = sweeps[0]
    work, flows, kept = lane_room(nodes), lane_room(nodes), lane_room((rerolls + 1) * nodes)
    worth_of, base = lane_room(len(points)), np.empty(boxes, dtype=np.int64)
    places, runs = np.empty((nodes - keeps) * (boxes + 1), dtype=np.int32), np.empty(boxes + 1, dtype=np.int64)
    lanes, total = np.empty(LANES), np.zeros(LANES)
    ends = np.zeros((LANES, 2), dtype=np.int64)
    for at in range(len(layer)):
        used = layer[at]
        filled = yahtzee < boxes and (used >> yahtzee) & 1 == 1
        list_groups(used, group_of, keeps, runs, places)
        for flag in range(flags if filled else 1):
            list_rows(base, used, flag, shape)
            first, here = first_row[used * flags + flag], span[used * flags + flag]
            for block in range(0, reach[at], LANES):
                count = min(LANES, reach[at] - block)
                anything = 0.0
                for lane in range(count):
                    total[lane] = _extent(mass, offset[first + block + lane], here, ends[lane])
                    anything += total[lane]
                if anything == 0.0:
                    continue
                score_rolls(work, worth_of, block, flag, table, base, shape, groups, jokers, runs, places, keeps)
                follow(work, kept, flows, opening, slack, rerolls, sweeps, choices)
                for face in range(sides):
                    place = (keeps + alike[face]) * LANES
                    for lane in range(count):
                        tally[boxes, 1] += flows[place + lane] * total[lane]
                        if filled and flows[place + lane] * total[lane] > 0.0:
                            tally[boxes, 0] += flows[place + lane] * total[lane] * flag
                            floor = kept[place + lane] - slack
                            box, paid = joker_box(block + lane, face, floor, table, base, shape, flag, jokers)
                            added = 0 if as_joker[box, face] >= 0 or limit == 0 else paid
                            _move(used, flag, block + lane, box, flag, added, paid, extra * flag, flows[place + lane],
                                  total[lane], ends[lane], rows, shape)  # fmt: skip
                    if filled:
                        store(flows, place, fill(0.0))
                for box in range(boxes):
                    if base[box] < 0:
                        continue
                    turned = flags - 1 if box == yahtzee else flag
                    for group in range(first_group[box], first_group[box + 1]):
                        to = base[box] + shift[group] + block + (length * (flags - 1) if box == yahtzee else 0)
                        worth = load(table, to) + fill(points[group])
                        taken = take(flows, kept, slack, worth, rolls_of, first_roll[group], first_roll[group + 1])
                        store(lanes, 0, taken)
                        for lane in range(count):
                            if lanes[lane] * total[lane] > 0.0:
                                _move(used, flag, block + lane, box, turned, shift[group], int(points[group]), 0,
                                      lanes[lane], total[lane], ends[lane], rows, shape)  # fmt: skip
                    worth = load(table, base[box] + block)
                    store(lanes, 0, take(flows, kept, slack, worth, zeros, first_zero[box], first_zero[box + 1]))
                    for lane in range(count):
                        if lanes[lane] * total[lane] > 0.0:
                            _move(used, flag, block + lane, box, flag, 0, 0, 0, lanes[lane], total[lane], ends[lane],
                                  rows, shape)  # fmt: skip


@njit(cache=True, nogil=True)
def _extent(mass: Any, first: Any, count: Any, ends: Any) -> float:
    """The sum of a row; `ends` become the first and the last place but one that are not 0."""
    total, low, high = 0.0, count, 0
    for at in range(count):
        if mass[first + at] != 0.0:
            total += mass[first + at]
            low, high = min(low, at), at + 1
    ends[0], ends[1] = low, high
    return total


@njit(cache=True, nogil=True)
def joker_box(upper: Any, face: Any, floor: Any, table: Any, base: Any, shape: Any, flag: Any, jokers: Any) -> Any:
    """A Yahtzee once the Yahtzee box is filled: the first box that may take it and is worth as much as the best, and
    what it pays there."""
    boxes, _, _, limit, _, _, extra, joker, _ = shape
    own_box, _, as_joker, plain = jokers
    own = own_box[face]
    own_open = own < boxes and base[own] >= 0
    any_lower = False
    for box in range(boxes):
        any_lower = any_lower or (base[box] >= 0 and as_joker[box, face] >= 0)
    for box in range(boxes):
        is_lower = as_joker[box, face] >= 0
        barred = joker == 1 and (box != own if own_open else any_lower and not is_lower)
        if base[box] >= 0 and not barred:
            paid = as_joker[box, face] if is_lower and joker > 0 and not own_open else plain[box, face]
            added = 0 if is_lower or limit == 0 else paid
            if table[base[box] + added + upper] + paid + extra * flag >= floor:
                return box, paid
    return -1, 0


@njit(cache=True, nogil=True)
def _move(
    used: Any, flag: Any, upper: Any, box: Any, turned: Any, added: Any, paid: Any, besides: Any, chance: Any,
    total: Any, ends: Any, rows: Any, shape: Any,
) -> None:  # fmt: skip
    """Points so far, moved on to the card with one box more."""
    _, flags, _, limit, bonus, _, _, _, _ = shape
    first_row, same, offset, _, mass, onward, tally = rows
    after = min(upper + added, limit)
    gain = paid + besides + (bonus if upper < limit <= after else 0)
    source = offset[first_row[used * flags + flag] + upper] + ends[0]
    target = offset[same[first_row[(used | (1 << box)) * flags + turned] + after]] + gain + ends[0]
    for at in range(ends[1] - ends[0]):
        onward[target + at] += chance * mass[source + at]
    tally[box, 0] += chance * total
    tally[box, 1] += chance * total * paid
    if paid == 0:
        tally[box, 2] += chance * total
