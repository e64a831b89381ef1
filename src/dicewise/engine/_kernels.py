"""Compiled loops over the arrays of a Graph; private, bare arrays in and out.

All of them see a game through one number per state, its worth to the mover (see `problem`): an edge e adds
`chance[e] * sign[e] * value[target[e]]` to its lottery, whose own `pay` holds rewards and what comes with a change of
turn. A component is a set of states each of which can lead to each other, `order[first:last]`.

Signed errors: `below[s]` and `above[s]` say how far the true value may lie below and above `value[s]`. They are proven
by induction over the play, for which it is enough that in every state (see `bounds`)

    value + above >= worth of every choice, taken with the upper ends of all that follow, rounding included
    value - below <= worth of the chosen choice, taken with the lower ends of all that follow, rounding included

where an edge that changes the turn (sign -1) exchanges upper and lower ends.

`work` is (first_choice, lottery, first_edge, target, sign, chance, pay, size, leak), see `cycles.work_of`; `found` is
(value, below, above, policy, low, high, away, over, under): no state is worth less than `low` or more than `high`, and
the last three, per choice, are notes of `bound`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from dicewise.engine import components

ROUNDOFF, TINY = 2.0**-53, 1e-60

CLEARLY_WORSE = -1e-6
"""Choices that fall short by more do not matter while errors are small."""

PROVEN, HOPELESS, PAUSED, FAILED, TOO_LARGE = range(5)

strong_components = njit(cache=True, nogil=True)(components.strong_components)


@njit(cache=True, nogil=True)
def _worth(lottery: int, state: int, work: Any, value: Any) -> tuple[float, float, float]:
    """A lottery's worth without coming back at once, the chance not to, and what rounding may add to `worth`.

    `worth / away` is what it is worth to try until something else happens: the closed form of a self-loop. With n edges
    each term has been rounded three times (as a chance, as a product, as part of `pay`) and is added up n times.
    """
    first_edge, target, sign, chance, pay, size, leak = work[2:9]
    worth, away, mass = pay[lottery], leak, size[lottery]
    back = False
    for e in range(first_edge[lottery], first_edge[lottery + 1]):
        to, p = target[e], chance[e]
        if to == state and sign[e] > 0:
            back = True
        else:
            worth += sign[e] * p * value[to]
            mass += p * abs(value[to])
            away += p
    edges = first_edge[lottery + 1] - first_edge[lottery]
    rounding = (edges + 6.0) * ROUNDOFF * mass
    if not back:
        return worth, 1.0, rounding
    return worth, away, rounding + (edges + 6.0) * ROUNDOFF * away * abs(value[state])


@njit(cache=True, nogil=True)
def iterate(order: Any, first: int, last: int, work: Any, value: Any, sweeps: int, theta: float, plain: bool) -> int:
    """Sweeps over a component, in place, each state from its best choice; returns how many.

    They end when one changes no value by `theta` or more; with `theta` 0, when only rounding is left to change them.
    Unless `plain`, a state that leads to itself is tried until something else happens.
    """
    first_choice, lottery, first_edge, target, sign, chance, pay, _, leak = work
    before = np.inf
    for sweep in range(sweeps):
        change = largest = 0.0
        for at in range(first, last):
            s = order[at]
            best = -np.inf
            for c in range(first_choice[s], first_choice[s + 1]):
                lot = lottery[c]
                worth, away = pay[lot], leak
                back = False
                for e in range(first_edge[lot], first_edge[lot + 1]):
                    if target[e] == s and sign[e] > 0 and not plain:
                        back = True
                    else:
                        worth += sign[e] * chance[e] * value[target[e]]
                        away += chance[e]
                if not back:
                    best = max(best, worth)
                elif away > 0.0:  # otherwise a pure loop, which leads nowhere
                    best = max(best, worth / away)
            change = max(change, abs(best - value[s]))
            largest = max(largest, abs(best))
            value[s] = best
        noise = ROUNDOFF * largest
        if change < theta or change <= 4.0 * noise or (change >= before and change <= 256.0 * noise):
            return sweep + 1
        before = change
    return sweeps


@njit(cache=True, nogil=True)
def head_for_the_end(
    order: Any, first: int, last: int, component: Any, work: Any, value: Any, policy: Any, mark: Any
) -> None:
    """A best choice for every state of a component by which its player gets on, whatever the other one does.

    `mark[s, 0]`: the mover of s can head for the way out; `mark[s, 1]`: so can the one who waits. Choices that fall
    short by no more than rounding count as best: what they lose is lost again at every visit. Where nobody can make
    headway against the other, a choice by which both together do. All this proves nothing: the errors do.
    """
    first_choice, lottery, first_edge, target, sign = work[:5]
    here = component[order[first]]
    left = 2 * (last - first)
    largest = 0.0
    for at in range(first, last):
        mark[order[at], 0] = mark[order[at], 1] = False
        policy[order[at]] = -1
        largest = max(largest, abs(value[order[at]]))
    slack = 16.0 * ROUNDOFF * largest
    changed = True
    while changed and left:
        changed = False
        for at in range(first, last):
            s = order[at]
            if mark[s, 0] and mark[s, 1]:
                continue
            every = True
            for c in range(first_choice[s], first_choice[s + 1]):
                worth, away, rounding = _worth(lottery[c], s, work, value)
                if away <= 0.0 or worth < (value[s] - slack) * away - rounding:
                    continue
                mine = theirs = False
                for e in range(first_edge[lottery[c]], first_edge[lottery[c] + 1]):
                    to = target[e]
                    if to >= len(component) or component[to] != here:
                        mine = theirs = True
                    else:
                        seat = 0 if sign[e] > 0 else 1
                        mine = mine or mark[to, seat]
                        theirs = theirs or mark[to, 1 - seat]
                if mine and not mark[s, 0]:
                    mark[s, 0], policy[s] = True, c - first_choice[s]
                    changed = True
                    left -= 1
                every = every and theirs
            if every and not mark[s, 1]:
                mark[s, 1] = changed = True
                left -= 1
    changed = left > 0
    while changed:
        changed = False
        for at in range(first, last):
            s = order[at]
            for c in range(first_choice[s], first_choice[s + 1] if policy[s] < 0 else first_choice[s]):
                worth, away, rounding = _worth(lottery[c], s, work, value)
                if away <= 0.0 or worth < (value[s] - slack) * away - rounding:
                    continue
                for e in range(first_edge[lottery[c]], first_edge[lottery[c] + 1]):
                    to = target[e]
                    if to >= len(component) or component[to] != here or policy[to] >= 0:
                        policy[s], changed = c - first_choice[s], True
                if policy[s] >= 0:
                    break


@njit(cache=True, nogil=True)
def _prepare(order: Any, first: int, last: int, work: Any, found: Any, tiny: float) -> None:
    """What does not change while errors grow: for every choice the chance not to come back at once, and by how much,
    all rounding counted against us, its worth may lie above the value of its state (`over`) and below it (`under`)."""
    first_choice, lottery = work[0], work[1]
    value, away, over, under = found[0], found[6], found[7], found[8]
    for at in range(first, last):
        s = order[at]
        for c in range(first_choice[s], first_choice[s + 1]):
            worth, away[c], rounding = _worth(lottery[c], s, work, value)
            gap = value[s] * away[c] - worth
            rounding += tiny + 4.0 * ROUNDOFF * abs(value[s])  # see `_need` for the tiny
            over[c], under[c] = rounding - gap, rounding + gap


@njit(cache=True, nogil=True)
def _need(s: int, work: Any, found: Any, least: float) -> tuple[float, float]:
    """What the errors of a state must be at least, by those of the others; choices worse than `least` are left out."""
    first_choice, lottery, first_edge, target, sign, chance = work[:6]
    value, below, above, policy, low, high, away, over, under = found
    down, up = 0.0 if policy[s] >= 0 else np.inf, 0.0
    for c in range(first_choice[s], first_choice[s + 1]):
        chosen = c - first_choice[s] == policy[s]
        if over[c] < least and not chosen:
            continue
        if away[c] <= 0.0:  # a pure loop: it must cost something
            up = max(up, 0.0 if over[c] < 0.0 else np.inf)
            down = np.inf if chosen else down
            continue
        to_low, to_high = under[c], over[c]
        for e in range(first_edge[lottery[c]], first_edge[lottery[c] + 1]):
            to = target[e]
            if sign[e] < 0.0:
                to_low += chance[e] * above[to]
                to_high += chance[e] * below[to]
            elif to != s:
                to_low += chance[e] * below[to]
                to_high += chance[e] * above[to]
        up = max(up, to_high / away[c])
        if chosen:
            down = to_low / away[c]
    # No end pays less than `low` or more than `high`. The factor covers the rounding of these lines, and makes, as TINY
    # does where there is no error yet, that bounds which hold are strict: a loop that costs nothing has none.
    down = max(0.0, min(down * (1.0 + 1e-9), value[s] - low[s]))
    up = max(0.0, min(up * (1.0 + 1e-9), high[s] - value[s]))
    return down, up


@njit(cache=True, nogil=True)
def bound(order: Any, first: int, last: int, work: Any, found: Any, sweeps: int, fresh: bool) -> int:
    """Errors of a component that satisfy the conditions, found by growing them, and guessing a little ahead.

    Guesses multiply from component to component, so they wait until little is left to guess. Choices that are clearly
    worse are left out until the end. PROVEN if a whole sweep over all of them has confirmed the errors, HOPELESS if
    there are none, PAUSED if sweeps have run out.
    """
    below, above = found[1], found[2]
    if fresh:
        _prepare(order, first, last, work, found, TINY)
        for at in range(first, last):
            below[order[at]] = above[order[at]] = 0.0
    least = CLEARLY_WORSE
    for sweep in range(sweeps):
        growth, holds = 0.0, True
        for at in range(first, last):
            s = order[at]
            down, up = _need(s, work, found, least)
            if not (down < np.inf and up < np.inf):
                return HOPELESS
            if down > below[s]:
                growth = max(growth, 1.0 - below[s] / down)
                below[s] = down
                holds = False
            if up > above[s]:
                growth = max(growth, 1.0 - above[s] / up)
                above[s] = up
                holds = False
        if holds and least == -np.inf:
            return PROVEN
        least = -np.inf if holds else CLEARLY_WORSE
        if not holds and (growth < 0.02 or sweep % 64 == 63):
            ahead = 1.0 + max(2.0 * growth, 1e-6)
            for at in range(first, last):
                below[order[at]] *= ahead
                above[order[at]] *= ahead
    return PAUSED


@njit(cache=True, nogil=True)
def count_edges(order: Any, first: int, last: int, work: Any) -> int:
    first_choice, lottery, first_edge = work[:3]
    edges = 0
    for at in range(first, last):
        for c in range(first_choice[order[at]], first_choice[order[at] + 1]):
            edges += first_edge[lottery[c] + 1] - first_edge[lottery[c]]
    return edges


@njit(cache=True, nogil=True)
def begin(
    order: Any,
    first: int,
    last: int,
    number: int,
    component: Any,
    work: Any,
    value: Any,
    start: float,
    from_exits: bool,
) -> None:
    """The values from which sweeps begin: `start`, or `from_exits` that far below the worst way out."""
    first_choice, lottery, first_edge, target, sign = work[:5]
    lowest = np.inf
    if from_exits:
        for at in range(first, last):
            for c in range(first_choice[order[at]], first_choice[order[at] + 1]):
                for e in range(first_edge[lottery[c]], first_edge[lottery[c] + 1]):
                    if target[e] >= len(component) or component[target[e]] != number:
                        lowest = min(lowest, sign[e] * value[target[e]])
        start = (lowest if lowest < np.inf else 0.0) - start
    for at in range(first, last):
        value[order[at]] = start


@njit(cache=True, nogil=True)
def _step(s: int, work: Any, value: Any) -> tuple[float, int]:
    """The value of a state by those that follow, and its first best choice."""
    first_choice, lottery = work[0], work[1]
    best, choice = -np.inf, -1
    for c in range(first_choice[s], first_choice[s + 1]):
        worth, away, _ = _worth(lottery[c], s, work, value)
        if away > 0.0 and worth / away > best:
            best, choice = worth / away, c - first_choice[s]
    return best, choice


@njit(cache=True, nogil=True)
def solve_components(
    number: int, end: int, starts: Any, order: Any, component: Any, cyclic: Any, work: Any, found: Any, mark: Any,
    narrow: float, most: int, step: int, given: bool, start: float, from_exits: bool,
) -> tuple[int, int]:  # fmt: skip
    """Values, policy and errors of the components from `number` on; each depends on earlier ones only.

    Returns a component and what became of it: FAILED if `most` edges were not enough to prove that its errors are
    `narrow`, TOO_LARGE, or PAUSED if it is the next one to come, after `step` edges. `given` values are only bounded.
    """
    value, below, above, policy = found[:4]
    seen = 0
    while number < end:
        first, last = starts[number], starts[number + 1]
        edges = count_edges(order, first, last, work)
        if not cyclic[number]:
            s = order[first]
            best, policy[s] = _step(s, work, value)
            if not given:
                value[s] = best
            below[s] = above[s] = 0.0
            _prepare(order, first, last, work, found, 0.0)
            below[s], above[s] = _need(s, work, found, -np.inf)
            policy[s] = -1  # readers pick the first best action within their tolerance
        elif 50 * edges > step:
            return number, TOO_LARGE
        else:
            sweeps = max(50, most // edges)
            if not given:
                begin(order, first, last, number, component, work, value, start, from_exits)
                seen += edges * iterate(order, first, last, work, value, sweeps, 0.0, False)
            head_for_the_end(order, first, last, component, work, value, policy, mark)
            seen += 20 * edges
            if bound(order, first, last, work, found, sweeps, True) != PROVEN:
                return number, FAILED
            for at in range(first, last):
                if below[order[at]] + above[order[at]] > narrow:
                    return number, FAILED
        seen += 2 * edges
        number += 1
        if seen > step:
            break
    return number, PAUSED
