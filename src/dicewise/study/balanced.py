"""The band of balanced last turns in Greed: the paper's square root, measured, fitted and derived.

In the last turn, with a points against q, the mover wins with a total t, q - a < t <= M - a, and ties with t = q - a.
So the turn is balanced where

    P(q < a + t <= M) + P(a + t = q) / 2 = 1/2.

Take the total of n dice as normal, with mean n mu and variance n sigma^2, each whole number as the interval of width 1
around it. Half of the point q counts, so the window is [q, M + 1/2], of width W = M - q + 1/2; the best aim is its
middle, n mu = R + 1/2 - W/2 with the room R = M - a. A normal variable is within z = 0.6745 standard deviations half of
the time: W = 2 z sigma sqrt(n), which with v = sigma^2 / mu, the variance per point, is a quadratic equation for W:

    W = -z^2 v + sqrt( z^4 v^2 + 4 z^2 v (R + 1/2) )

Whole numbers of dice miss the middle by up to mu / 2, by mu^2 / 12 in the mean square, which costs a little width:

    M - q = W - 1/2 + z mu^2 / (12 sigma sqrt(n))

For fair dice v = (s - 1) / 6, and far from the maximum all of it is 2 z sqrt(v R): a square root.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicewise.games.greed import Greed
from dicewise.games.greed.solution import GreedSolution
from dicewise.study.result import Table, spaced

Floats = NDArray[np.float64]

HALF_WITHIN = NormalDist().inv_cdf(0.75)
"""Standard deviations within which half of a normal distribution lies."""

FEWEST_POINTS = 8
"""Points of the band that a curve is fitted to."""


class Points(NamedTuple):
    """Where last turns are balanced: by room M - a, the width M - q at which the value crosses 0."""

    room: Floats
    width: Floats


def band(solution: GreedSolution) -> Points:
    """The zero crossing of each last turn in the other's score, between whole scores along a straight line."""
    edge = 2 * solution.ratings(True) - 1  # chance to win minus chance to lose, whatever they pay
    noise = 2 * (solution.report.error_bound or 1e-12)
    top = solution.game.max
    found = []
    for a in range(top):
        q = int(np.flatnonzero(edge[a] >= -noise)[-1])
        if q < top:
            here, there = max(edge[a, q], 0.0), edge[a, q + 1]
            found.append((top - a, top - q - here / (here - there)))
    return Points(*np.array(found, dtype=float).reshape(-1, 2).T)


def predicted(game: Greed, room: Floats) -> Floats:
    """The width M - q of the band for a room M - a, by the normal distribution; see the module's docstring."""
    mean, variance = moments(game)
    if variance == 0:
        return np.zeros_like(room)
    each, z = variance / mean, HALF_WITHIN
    width = np.sqrt((z * z * each) ** 2 + 4 * z * z * each * (room + 0.5)) - z * z * each
    dice = (room + 0.5 - width / 2) / mean
    found: Floats = width - 0.5 + z * mean**2 / (12 * np.sqrt(variance * dice))
    return found


def moments(game: Greed) -> tuple[float, float]:
    """Mean and variance of one die."""
    mean = game.dice.mean()
    variance = sum(weight * (face - mean) ** 2 for face, weight in game.dice) / game.dice.total
    return float(mean), float(variance)


@dataclass(frozen=True)
class Fit:
    """M - q = factor * (M - a)^power, by least squares on logarithms."""

    points: int
    power: float | None
    factor: float | None
    spread: float | None
    """Root mean square of what is left, in points."""
    theory_spread: float | None
    theory_bias: float | None
    """Theory minus truth."""
    root_spread: float | None
    """The same for 2 z sqrt(v R) alone."""

    def facts(self) -> dict[str, Any]:
        return {"band_points": self.points, "band_power": self.power, "band_factor": self.factor} | {
            "band_spread": self.spread,
            "theory_spread": self.theory_spread,
            "theory_bias": self.theory_bias,
            "root_spread": self.root_spread,
        }


def fitted(game: Greed, points: Points) -> Fit:
    """The curve through all points that are at least one largest face away from the maximum."""
    far = (points.room >= game.dice.outcomes[-1]) & (points.width > 0)
    room, width = points.room[far], points.width[far]
    if len(room) < FEWEST_POINTS:
        return Fit(len(room), None, None, None, None, None, None)
    power, log_factor = np.polyfit(np.log(room), np.log(width), 1)
    mean, variance = moments(game)
    off = predicted(game, room) - width
    left = np.exp(log_factor) * room**power - width
    root = 2 * HALF_WITHIN * np.sqrt(variance / mean * room) - width
    spread = [float(np.sqrt((each**2).mean())) for each in (left, off, root)]
    return Fit(len(room), float(power), float(np.exp(log_factor)), spread[0], spread[1], float(off.mean()), spread[2])


def band_table(game: Greed, points: Points) -> tuple[Fit, Table]:
    fit = fitted(game, points)
    room = points.room
    curve: list[float | None] = [None] * len(room)
    if fit.power is not None and fit.factor is not None:
        curve = (fit.factor * room**fit.power).tolist()
    columns: dict[str, Sequence[Any]] = {
        "room": room.astype(int).tolist(),
        "score": (game.max - room).astype(int).tolist(),
        "balanced_at": (game.max - points.width).tolist(),
        "width": points.width.tolist(),
        "fitted": curve,
        "theory": predicted(game, room).tolist(),
    }
    shown = {"score": "{}", "balanced_at": "{:.2f}", "width": "{:.2f}", "fitted": "{:.2f}", "theory": "{:.2f}"}
    title = "last turns: the other's score that balances one's own, and its distance (width) from max"
    return fit, Table("band", title, columns, shown, spaced(len(room), 9))


def on_band(game: Greed, fit: Fit) -> list[str]:
    if fit.power is None:
        return [
            f"The band of balanced last turns has {fit.points} points that are a largest face "
            f"({game.dice.outcomes[-1]}) or more away from the maximum; to fit a curve takes "
            f"{FEWEST_POINTS}: choose a larger max."
        ]
    mean, variance = moments(game)
    factor = 2 * HALF_WITHIN * (variance / mean) ** 0.5
    return [
        f"Balanced last turns: M - q = {fit.factor:.3f} (M - a)^{fit.power:.3f}, fitted to {fit.points} scores, leaves "
        f"{fit.spread:.2f} points (root mean square). The normal distribution gives, with nothing fitted, a curve that "
        f"is {fit.theory_spread:.2f} points off ({fit.theory_bias:+.2f} on average); its leading term alone, "
        f"{factor:.3f} (M - a)^0.5, is {fit.root_spread:.2f} off."
    ]
