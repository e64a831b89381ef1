"""Compiled loops over the arrays of a Graph; private, bare arrays in and out.

All of them see a game through one number per state, its worth to the mover (see `problem`): an edge e adds
`chance[e] * sign[e] * value[target[e]]` to its lottery, whose own `pay` holds rewards and what comes with a change of
turn. A component is a set of states each of which can lead to each other, `order[first:last]`.

Signed errors: `below[s]` and `above[s]` say how far the true value may lie below and above `value[s]`. They are proven
by induction over the play, for which it is enough that in every state (see `bounds`)

    value + above >= worth of every choice, taken with the upper ends of all that follow, rounding included
    value - below <= worth of the chosen choice, taken with the lower ends of all that follow, rounding included

where an edge that changes the turn (sign -1) exchanges upper and lower ends.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from dicewise.engine import components

ROUNDOFF, TINY = 2.0**-53, 1e-60

PROVEN, HOPELESS, PAUSED, FAILED, TOO_LARGE = range(5)

strong_components = njit(cache=True, nogil=True)(components.strong_components)


@njit(cache=True, nogil=True)
def _worth(lottery: int, state: int, work: Any, value: Any) -> tuple[float, float, float, float]:
    """A lottery's worth without coming back at once, the chance not to, and two measures of its rounding.

    `worth / away` is what it is worth to try until something else happens: the closed form of a self-loop.
    """
    first_edge, target, sign, chance, pay, size, leak = work[2:9]
    worth, away, mass = pay[lottery], leak, size[lottery]
    for e in range(first_edge[lottery], first_edge[lottery + 1]):
        to, p = target[e], chance[e]
        if to == state and sign[e] > 0:
            mass += p * abs(value[state])
        else:
            worth += sign[e] * p * value[to]
            mass += p * abs(value[to])
            away += p
    edges = first_edge[lottery + 1] - first_edge[lottery]
    return worth, away, mass, (2.0 * edges + 8.0) * ROUNDOFF * mass


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
                for e in range(first_edge[lot], first_edge[lot + 1]):
                    if plain or target[e] != s or sign[e] < 0:
                        worth += sign[e] * chance[e] * value[target[e]]
                        away += chance[e]
                if plain:
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
    order: Any, first: int, last: int, component: Any, work: Any, value: Any, policy: Any, mark: Any, slack: float
) -> bool:
    """A best choice for every state of a component by which its player gets on, whatever the other one does.

    `mark[s, 0]`: the mover of s can head for the way out; `mark[s, 1]`: so can the one who waits. Choices within
    `slack` of the best count as best. Whether all states are marked is returned, not proven: the errors prove it.
    """
    first_choice, lottery, first_edge, target, sign = work[:5]
    here = component[order[first]]
    left = 2 * (last - first)
    for at in range(first, last):
        mark[order[at], 0] = mark[order[at], 1] = False
        policy[order[at]] = -1
    changed = True
    while changed and left:
        changed = False
        for at in range(first, last):
            s = order[at]
            if mark[s, 0] and mark[s, 1]:
                continue
            every = True
            for c in range(first_choice[s], first_choice[s + 1]):
                worth, away, _, _ = _worth(lottery[c], s, work, value)
                if away <= 0.0 or worth < (value[s] - slack) * away:
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
    return left == 0


@njit(cache=True, nogil=True)
def _need(s: int, work: Any, value: Any, below: Any, above: Any, policy: Any, low: Any, high: Any) -> Any:
    """What the errors of a state must be at least, by those of the others."""
    first_choice, lottery, first_edge, target, sign, chance = work[:6]
    down, up = 0.0, 0.0
    for c in range(first_choice[s], first_choice[s + 1]):
        lot = lottery[c]
        worth, away, _, rounding = _worth(lot, s, work, value)
        to_low, to_high = 0.0, 0.0
        for e in range(first_edge[lot], first_edge[lot + 1]):
            to = target[e]
            if to == s and sign[e] > 0:
                continue
            if sign[e] > 0:
                to_low += chance[e] * below[to]
                to_high += chance[e] * above[to]
            else:
                to_low += chance[e] * above[to]
                to_high += chance[e] * below[to]
        gap = value[s] * away - worth
        rounding += TINY + (first_edge[lot + 1] - first_edge[lot] + 4.0) * ROUNDOFF * abs(value[s])
        if away > 0.0:
            up = max(up, (to_high + rounding - gap) / away)
            if c - first_choice[s] == policy[s]:
                down = (to_low + rounding + gap) / away
        else:  # a pure loop: it must cost something
            up = max(up, 0.0 if worth + rounding < 0.0 else np.inf)
            if c - first_choice[s] == policy[s]:
                down = np.inf
    if policy[s] < 0:
        down = np.inf
    # no end pays less than `low` or more than `high`. The factor covers the rounding of these lines, and makes, as TINY
    # does where there is no error yet, that bounds which hold are strict: a loop that costs nothing has none
    down = max(0.0, min(down * (1.0 + 1e-9), value[s] - low[s]))
    up = max(0.0, min(up * (1.0 + 1e-9), high[s] - value[s]))
    return down, up


@njit(cache=True, nogil=True)
def bound(
    order: Any, first: int, last: int, work: Any, value: Any, below: Any, above: Any, policy: Any, low: Any,
    high: Any, sweeps: int, fresh: bool,
) -> int:  # fmt: skip
    """Errors of a component that satisfy the conditions, found by growing them, and guessing a little ahead.

    PROVEN if a whole sweep has confirmed them, HOPELESS if there are none, PAUSED if sweeps have run out.
    """
    if fresh:
        for at in range(first, last):
            below[order[at]] = above[order[at]] = 0.0
    guess = 0
    for sweep in range(sweeps):
        growth, holds = 0.0, True
        for at in range(first, last):
            s = order[at]
            down, up = _need(s, work, value, below, above, policy, low, high)
            if not (down < np.inf and up < np.inf):
                return HOPELESS
            if down > below[s]:
                growth = max(growth, down / below[s] - 1.0 if below[s] > 0.0 else 1.0)
                below[s] = down
                holds = False
            if up > above[s]:
                growth = max(growth, up / above[s] - 1.0 if above[s] > 0.0 else 1.0)
                above[s] = up
                holds = False
        if holds:
            return PROVEN
        if growth < 1e-2 and sweep >= guess:
            ahead = 1.0 + max(10.0 * growth, 1e-3)
            for at in range(first, last):
                below[order[at]] *= ahead
                above[order[at]] *= ahead
            guess = sweep + 4
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
        worth, away, _, _ = _worth(lottery[c], s, work, value)
        if away > 0.0 and worth / away > best:
            best, choice = worth / away, c - first_choice[s]
    return best, choice


@njit(cache=True, nogil=True)
def solve_components(
    number: int, end: int, starts: Any, order: Any, component: Any, cyclic: Any, work: Any, value: Any, below: Any,
    above: Any, policy: Any, mark: Any, low: Any, high: Any, slack: float, narrow: float, most: int, step: int,
    given: bool, start: float, from_exits: bool,
) -> tuple[int, int]:  # fmt: skip
    """Values, policy and errors of the components from `number` on; each depends on earlier ones only.

    Returns a component and what became of it: FAILED if `most` edges were not enough to prove that its errors are
    `narrow`, TOO_LARGE, or PAUSED if it is the next one to come, after `step` edges. `given` values are only bounded.
    """
    seen = 0
    while number < end:
        first, last = starts[number], starts[number + 1]
        edges = count_edges(order, first, last, work)
        if not cyclic[number]:
            s = order[first]
            best, policy[s] = _step(s, work, value)
            if not given:
                value[s] = best
            # two sweeps: the second confirms the first
            bound(order, first, last, work, value, below, above, policy, low, high, 2, True)
            policy[s] = -1  # readers pick the first best action within their tolerance
        elif 50 * edges > step:
            return number, TOO_LARGE
        else:
            sweeps = max(50, most // edges)
            if not given:
                begin(order, first, last, number, component, work, value, start, from_exits)
                seen += edges * iterate(order, first, last, work, value, sweeps, 0.0, False)
            head_for_the_end(order, first, last, component, work, value, policy, mark, slack)
            seen += 20 * edges
            if bound(order, first, last, work, value, below, above, policy, low, high, sweeps, True) != PROVEN:
                return number, FAILED
            for at in range(first, last):
                if below[order[at]] + above[order[at]] > narrow:
                    return number, FAILED
        seen += 2 * edges
        number += 1
        if seen > step:
            break
    return number, PAUSED
