"""Where a sequence of values by maximum is heading.

Values go up and down with the maximum, about twice within the mean of two dice, so they are first averaged over that
many maxima. To the averages y(M) three laws are fitted by least squares,

    y(M) = c + b * M^(-p),        p = 1, 1/2, 1/4,

over M from a quarter of the largest maximum on. Which of them is better is asked of maxima that it has not seen: fitted
from an eighth to a half, it foretells the rest. Nothing proves any of the laws; so the limit is given as the range of
all three c, which is wide where the sequence still moves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LAWS = {"1/M": 1.0, "1/sqrt(M)": 0.5, "1/M^(1/4)": 0.25}

LEAST_POINTS = 8
"""Averages that each part of a fit must have."""


@dataclass(frozen=True)
class Limit:
    """What the laws say."""

    far: int
    """The largest maximum looked at."""
    mean: float
    """The average over the last maxima."""
    swing: float
    """Largest less smallest value of those maxima."""
    law: str
    """The one that foretold best."""
    limits: dict[str, float]
    """By law."""
    missed: dict[str, float]
    """By law: the error of what it foretold, root mean square."""

    @property
    def limit(self) -> float:
        return self.limits[self.law]

    @property
    def low(self) -> float:
        return min(self.limits.values())

    @property
    def high(self) -> float:
        return max(self.limits.values())


def averages(values: Floats, width: int) -> tuple[Floats, Floats]:
    """The middles of all windows of maxima and the averages over them; `values` are those of maxima 1, 2, 3 ..."""
    even = np.full(width, 1 / width)
    maxima = np.arange(1, len(values) + 1, dtype=float)
    return np.convolve(maxima, even, "valid"), np.convolve(values, even, "valid")


def limit_of(values: Floats, width: int) -> Limit | None:
    """The limit of values at the maxima 1, 2, 3 ..., averaged over `width`; None where they are too few to say."""
    far = len(values)
    if far < width:
        return None
    x, y = averages(values, width)
    seen, rest, late = (x >= far / 8) & (x < far / 2), x >= far / 2, x >= far / 4
    if min(seen.sum(), rest.sum()) < max(LEAST_POINTS, width):
        return None
    limits, missed = {}, {}
    for law, power in LAWS.items():
        c, b = _fit(x[seen], y[seen], power)
        missed[law] = float(np.sqrt(np.mean((c + b * x[rest] ** -power - y[rest]) ** 2)))
        limits[law] = _fit(x[late], y[late], power)[0]
    last = values[-width:]
    return Limit(far, float(y[-1]), float(last.max() - last.min()), min(missed, key=missed.__getitem__), limits, missed)


def _fit(x: Floats, y: Floats, power: float) -> tuple[float, float]:
    """The c and b of least squares."""
    away = x**-power
    slope = float(np.cov(away, y, bias=True)[0, 1] / np.var(away))
    return float(y.mean() - slope * away.mean()), slope
