"""The fast solver in NumPy: nothing to compile, for the rulesets that people play.

States with the same a + q depend only on states with a larger sum, so a whole anti-diagonal d = a + q is solved at
once. With the columns of all arrays indexed by q, the state (a, q) and the states (a + f, q) that a die leads to
stand in the same column, f diagonals apart:

    E[d][0, q] = the mover's expectation of having landed on a = d - q:  -V(q, a) where a tie is worth 0
    E[d][n, q] = sum over faces f of p_f * E[d + f][n - 1, q]            (-1 where a + f > M)
    V(a, q)    = max( standing, max over n of E[d][n, q] )

so that a ring of (largest face) arrays is all the memory beside the answer.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dicewise.game import Progress
from dicewise.games.greed._layout import (
    LAST_NEAR_TIE,
    LAST_NOISE,
    NOISE,
    Floats,
    Layout,
    Tables,
)

Policy = tuple[NDArray[np.uint16], NDArray[np.uint16]]
"""Numbers of dice in normal and in last turns, indexed [active, queued]."""


def solve(rules: Layout, ties: bool, progress: Progress | None = None, policy: Policy | None = None) -> Tables:
    """All states; with `ties` also the chance of a tie (which other than constant-sum payoffs need anyway).

    With a `policy` nothing is chosen: these are then the values of playing it.
    """
    top = rules.max
    last, last_dice, last_tie, doubts = _last_turns(rules, None if policy is None else policy[1])
    ties = ties or not rules.constant_sum
    normal = np.empty((top + 1, top + 1))
    normal_dice = np.empty((top + 1, top + 1), dtype=np.uint16)
    normal_tie = np.empty((top + 1, top + 1)) if ties else None

    ring_size = int(rules.faces[-1]) + 1
    rows = int(rules.need[0]) + 1
    ring = np.full((ring_size, rows, top + 1), -1.0)
    tie_ring = np.zeros((ring_size, rows, top + 1)) if ties else None

    for d in range(2 * top, -1, -1):
        queued = np.arange(max(0, d - top), min(top, d) + 1)
        active = d - queued
        columns = slice(queued[0], queued[-1] + 1)
        length = int(rules.need[active[-1]])
        slots = (d + rules.faces) % ring_size

        # the options: standing hands the other player (q, a) a last turn; row n of E is rolling n dice
        options = np.empty((length + 1, len(queued)))
        options[0] = -last[queued, active]
        if not rules.constant_sum:
            options[0] += 2 * rules.tie * last_tie[queued, active]
        options[1:] = _mean(ring[:, :length, columns], slots, rules)
        if policy is None:
            value = options.max(axis=0)
            dice = (options >= value - NOISE).argmax(axis=0)
            near = options >= value - rules.near_tie
            doubts += int((near.sum(axis=0) > 1).sum() if rules.cautious else (near.argmax(axis=0) != dice).sum())
        else:
            dice = policy[0][active, queued].astype(np.int64)
            value = np.take_along_axis(options, dice[None], axis=0)[0]
        normal[active, queued] = value
        normal_dice[active, queued] = dice

        # reversing a diagonal turns (a, q) into (q, a): what landing here is worth to the one who lands
        slot = d % ring_size
        ring[slot] = -1.0
        ring[slot, 1 : length + 1, columns] = options[1:]
        ring[slot, 0, columns] = -value[::-1]
        if normal_tie is not None and tie_ring is not None:
            tie_options = np.empty_like(options)
            tie_options[0] = last_tie[queued, active]
            tie_options[1:] = _mean(tie_ring[:, :length, columns], slots, rules)
            tie = np.take_along_axis(tie_options, dice[None], axis=0)[0]
            normal_tie[active, queued] = tie
            tie_ring[slot] = 0.0
            tie_ring[slot, 1 : length + 1, columns] = tie_options[1:]
            tie_ring[slot, 0, columns] = tie[::-1]
            ring[slot, 0, columns] += 2 * rules.tie * tie[::-1]
        if progress is not None and d % 16 == 0:
            progress(1 - d / (2 * top + 1), "solving")
    return Tables(normal, last, normal_dice, last_dice, normal_tie, last_tie if ties else None, doubts)


def _mean(rings: Floats, slots: np.ndarray, rules: Layout) -> Floats:
    """The expectation over one die."""
    total = np.zeros(rings.shape[1:])
    if rules.fair:
        for slot in slots:
            total += rings[slot]
        total *= rules.chances[0]
        return total
    for slot, chance in zip(slots, rules.chances, strict=True):
        total += rings[slot] * chance
    return total


def _last_turns(rules: Layout, policy: NDArray[np.uint16] | None) -> tuple[Floats, NDArray[np.uint16], Floats, int]:
    """Value, dice and chance of a tie in every last-turn state, and the number of doubtful ones.

    Rolling n from a against q = a + g falls short of a certain win by

        D_n = 2 * P(bust) + 2 * P(total < g) + (1 - tie) * P(total = g),

    a sum of non-negative terms, each kept to full relative precision: comparing D rather than 1 - D finds the best n
    also where the win is all but certain.
    """
    top, limit = rules.max, rules.limit
    count = int(limit[0])
    exactly = np.zeros((count + 1, top + 1))
    exactly[0, 0] = 1.0
    above = np.zeros((count + 1, top + 1))
    for n in range(1, count + 1):
        for face, chance in zip(rules.faces.tolist(), rules.chances.tolist(), strict=True):
            exactly[n, face:] += chance * exactly[n - 1, : top + 1 - face]
            above[n, face:] += chance * above[n - 1, : top + 1 - face]
            above[n, :face] += chance
    short = (1 - rules.tie) * exactly
    short[:, 1:] += 2 * np.cumsum(exactly, axis=1)[:, :-1]

    value = np.ones((top + 1, top + 1))
    dice = np.zeros((top + 1, top + 1), dtype=np.uint16)
    tie = np.zeros((top + 1, top + 1))
    doubts = 0
    for active in range(top + 1):
        room, n = top - active, int(limit[active])
        options = short[: n + 1, : room + 1] + 2 * above[: n + 1, room, None]
        if policy is None:
            least = options.min(axis=0)
            best = (options <= least * (1 + LAST_NOISE)).argmax(axis=0)
            if rules.cautious:  # every near-tie is a doubt, but certain wins are equal for certain
                near = options <= least * (1 + LAST_NEAR_TIE)
                doubts += int(((near.sum(axis=0) > 1) & (least > 0)).sum())
        else:
            best = policy[active, active:].astype(np.int64)
            least = np.take_along_axis(options, best[None], axis=0)[0]
        value[active, active:] = 1 - least
        dice[active, active:] = best
        tie[active, active:] = exactly[best, np.arange(room + 1)]
    return value, dice, tie, doubts
