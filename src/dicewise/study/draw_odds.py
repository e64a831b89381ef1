"""Draw odds: Greed in which a tie is worth t to the first player and -t to the second, a win +1 and a loss -1.

The payoffs still add up to 0, but it now matters in which seat somebody sits, so that there are two tables. With V_i
what seat i expects when it is on move, T_i the same in its last turn, and E_n(i; a, q) its expectation of rolling n
dice from a while the other holds q,

    E_0(i; x, q) = -V_{1-i}(q, x)
    E_n(i; a, q) = sum over faces f of p_f * E_{n-1}(i; a + f, q)        (-1 where a + f > M)
    V_i(a, q)    = max( -T_{1-i}(q, a), max over n >= 1 of E_n(i; a, q) ).

The start is worth v(t) = V_0(0, 0) to the first player. As both play for opposite ends, v never falls when t rises, and
never faster than t; where policies do not change it is a line whose slope is the chance of a tie. So there is a t that
makes the game fair exactly when v(-1) <= 0 <= v(1), and it is found by Newton's steps within a shrinking bracket.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dicewise.games.greed import Greed
from dicewise.games.greed._layout import NOISE, layout
from dicewise.games.greed._numpy import _last_turns, _mean
from dicewise.memory import require
from dicewise.solution import UNIT_ROUNDOFF

MOST_STEPS = 100


@dataclass(frozen=True)
class Start:
    """What the start is worth to the first player."""

    value: float
    tie: float
    """The chance that the game ends in a tie."""
    opening: int
    error: float
    """A bound on the rounding error of the value."""


@dataclass(frozen=True)
class Odds:
    """The t that makes a ruleset fair; without one, the end of [-1, 1] that comes nearest."""

    fair: bool
    tie_to_first: float
    start: Start


def solve_seats(game: Greed, tie_to_first: float) -> Start:
    """The start where a tie is worth `tie_to_first` to the first player, in units of win = 1 and lose = -1."""
    plain = layout(game)
    rules = [replace(plain, tie=tie) for tie in (tie_to_first, -tie_to_first)]
    top = game.max
    ring_size, rows = int(plain.faces[-1]) + 1, int(plain.need[0]) + 1
    require(4 * 8 * (ring_size + 4) * rows * (top + 1), f"solving {game.spec} by seats")
    last = [_last_turns(seat, None) for seat in rules]
    ring = [np.full((ring_size, rows, top + 1), -1.0) for _ in rules]
    tie_ring = [np.zeros((ring_size, rows, top + 1)) for _ in rules]
    value, tie, dice = [np.zeros(1)] * 2, [np.zeros(1)] * 2, [np.zeros(1, dtype=np.int64)] * 2
    for d in range(2 * top, -1, -1):
        queued = np.arange(max(0, d - top), min(top, d) + 1)
        active = d - queued
        columns = slice(queued[0], queued[-1] + 1)
        length = int(plain.need[active[-1]])
        slots, slot = (d + plain.faces) % ring_size, d % ring_size
        for seat in (0, 1):
            options, ties = np.empty((length + 1, len(queued))), np.empty((length + 1, len(queued)))
            others, _, others_tie, _ = last[1 - seat]
            options[0], ties[0] = -others[queued, active], others_tie[queued, active]
            options[1:] = _mean(ring[seat][:, :length, columns], slots, plain)
            ties[1:] = _mean(tie_ring[seat][:, :length, columns], slots, plain)
            best = options.max(axis=0)
            dice[seat] = (options >= best - NOISE).argmax(axis=0)
            value[seat], tie[seat] = best, np.take_along_axis(ties, dice[seat][None], axis=0)[0]
            for rows_of, bust, fresh in ((ring, -1.0, options), (tie_ring, 0.0, ties)):
                rows_of[seat][slot] = bust
                rows_of[seat][slot, 1 : length + 1, columns] = fresh[1:]
        for seat in (0, 1):  # reversing a diagonal turns (a, q) into (q, a), which the other seat is handed
            ring[seat][slot, 0, columns] = -value[1 - seat][::-1]
            tie_ring[seat][slot, 0, columns] = tie[1 - seat][::-1]
    error = rules[0].rounding + 4 * UNIT_ROUNDOFF
    return Start(float(value[0][0]), float(tie[0][0]), int(dice[0][0]), error)


def draw_odds(game: Greed) -> Odds:
    """What a tie must be worth to the first player for both to expect the same."""
    low, high = -1.0, 1.0
    at_low, at_high = solve_seats(game, low), solve_seats(game, high)
    for end, start in ((low, at_low), (high, at_high)):
        if abs(start.value) <= start.error:
            return Odds(True, end, start)
    if at_low.value > 0:
        return Odds(False, low, at_low)
    if at_high.value < 0:
        return Odds(False, high, at_high)
    t = 0.0
    start = solve_seats(game, t)
    for _ in range(MOST_STEPS):
        if abs(start.value) <= start.error or high - low < 4 * UNIT_ROUNDOFF:
            break
        low, high = (t, high) if start.value < 0 else (low, t)
        step = t - start.value / start.tie if start.tie > 0 else np.inf
        t = step if low < step < high else (low + high) / 2
        start = solve_seats(game, t)
    return Odds(True, t, start)
