"""Greed as a plain program solves it in doubles, with the chances of totals from a formula of one's choice.

This is the papers' method with nothing done about rounding. With p_n(t) the chance that n dice total t,

    T(a, q) = max over n of  sum over t of p_n(t) * (win, tie or lose, a bust loses)                    the last turn
    V(a, q) = max( -T(q, a),  max over n of  sum over t of p_n(t) * (-V(q, a + t), or lose in a bust) )

Sums run over t = n .. n s from the smallest total up, each with the values that the program has found before; of
numbers of dice whose sums come out equal the first counts (a strict >), and n goes up to n_max. The other's payoff is
the rest of win + lose.

The chances come from one of

- `fft`: the Fourier transform of one die, to the n-th power, and back. Its error is about 1e-16 of the largest chance,
  whatever the size of a chance, so that rare totals are noise, negative ones included;
- `clipped`: the same, with what is below 0 set to 0;
- `formula`: Theorem 1 of the papers, whose terms alternate and grow far beyond their sum; fair dice only;
- `convolution`: one die after the other, nothing but positive terms.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicewise.chance import total_chances
from dicewise.games.greed import Greed

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

PROGRAMS = ("fft", "clipped", "formula", "convolution")


def programs_for(game: Greed) -> list[str]:
    """Those that know the dice."""
    return [name for name in PROGRAMS if name != "formula" or not game.die]


def chances(program: str, n: int, game: Greed) -> Floats:
    """The chances of the totals 0 .. n times the largest face of n dice, as a program has them."""
    low, high = game.dice.outcomes[0], game.dice.outcomes[-1]
    if program == "convolution":
        return total_chances(n, game.dice)
    if program == "formula":
        return by_formula(n, game.sides)
    length = n * high + 1
    one = np.zeros(length if n else high + 1)
    for face, weight in game.dice:
        one[face] = weight / game.dice.total
    found = np.fft.irfft(np.fft.rfft(one) ** n, len(one))[:length]
    found[: n * low] = 0.0  # no program sums what n dice cannot show
    return np.maximum(found, 0.0) if program == "clipped" else found


def by_formula(n: int, sides: int) -> Floats:
    """Theorem 1 in doubles, term by term; NaN where a term is larger than any double."""
    found = np.zeros(n * sides + 1)
    if n == 0:
        found[0] = 1.0
        return found
    cases = _double(sides**n)
    signed = [(-1) ** k * _double(comb(n, k)) for k in range(n + 1)]
    ways = [_double(comb(j, n - 1)) for j in range(n * sides)]
    for total in range(n, n * sides + 1):
        value = 0.0
        for k in range((total - n) // sides + 1):
            value += signed[k] * ways[total - sides * k - 1]
        found[total] = value / cases
    return found


def _double(number: int) -> float:
    try:
        return float(number)
    except OverflowError:
        return nan


@dataclass(frozen=True, eq=False)
class PlainPolicy:
    """What a program found; tables are indexed [active, queued]."""

    dice: dict[bool, Counts]
    """By whether it is the last turn."""
    values: dict[bool, Floats]


def solve_plainly(game: Greed, program: str) -> PlainPolicy:
    """Every state of a constant-sum ruleset for two players."""
    top, size = game.max, game.max + 1
    most = game.n_max(0)
    table = np.zeros((most * game.dice.outcomes[-1] + 1, most + 1))  # [t, n]
    for n in range(most + 1):
        column = chances(program, n, game)
        table[: len(column), n] = column
    limits = np.array([game.n_max(a) for a in range(size)])
    win, tie, lose = float(game.win), float(game.tie), float(game.lose)

    last, last_dice = np.zeros((size, size)), np.zeros((size, size), dtype=np.int64)
    queued = np.arange(size)
    for a in range(size):
        sums = np.zeros((size, most + 1))
        for total in range(limits[a] * game.dice.outcomes[-1] + 1):
            score = a + total
            pay = np.where((score > top) | (queued > score), lose, np.where(queued == score, tie, win))
            sums += pay[:, None] * table[total]
        last[a], last_dice[a] = _first_best(sums, limits[a])

    values, dice = np.zeros((size, size)), np.zeros((size, size), dtype=np.int64)
    handed = np.full((size, len(table) + size), lose)  # [queued, score reached], a bust above the maximum
    for both in range(2 * top, -1, -1):
        active = np.arange(max(0, both - top), min(both, top) + 1)
        against = both - active
        sums = np.zeros((len(active), most + 1))
        for total in range(1, len(table)):
            sums += handed[against, active + total][:, None] * table[total]
        sums[:, 0] = win + lose - last[against, active]
        values[active, against], dice[active, against] = _first_best(sums, limits[active])
        handed[active, against] = win + lose - values[active, against]
    return PlainPolicy({True: last_dice, False: dice}, {True: last, False: values})


def _first_best(sums: Floats, limits: Any) -> tuple[Floats, Counts]:
    """The largest of the sums up to the limits, along the last axis, and the first n that has it; NaN never counts."""
    allowed = (np.arange(sums.shape[-1]) <= np.asarray(limits)[..., None]) & ~np.isnan(sums)
    kept = np.where(allowed, sums, -np.inf)
    return kept.max(axis=-1), kept.argmax(axis=-1)
