"""Histograms in plain text, 80 columns wide: the same in a terminal, in a pipe and without colour."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import floor, log10
from typing import NamedTuple

MOST_BARS = 20
WIDTH = 79

TAIL = 0.001
"""What lies beyond this share at either end is shown as one bar, or a few odd games would flatten all others."""


class Bar(NamedTuple):
    """How often a total comes up: in a sample, and exactly where that is known."""

    at: float
    share: float
    exact: float | None
    label: str = ""


def histogram(bars: Sequence[Bar]) -> Iterator[str]:
    """One line a bar, in ascending order; the longest fills the line. Where there are many they are put together."""
    rows = [bar._replace(label=f"{bar.at:.6g}") for bar in bars] if len(bars) <= MOST_BARS else _binned(bars)
    label = max(len(row.label) for row in rows)
    known = rows[0].exact is not None
    most = max(max(row.share, row.exact or 0.0) for row in rows)
    if known:
        yield f"  {'':>{label}}  {'played':>8}  {'exact':>8}"
    for row in rows:
        numbers = f"  {row.label:>{label}}  {100 * row.share:>6.2f} %"
        if row.exact is not None:
            numbers += f"  {100 * row.exact:>6.2f} %"
        drawn = "#" * round((WIDTH - len(numbers) - 2) * row.share / most)
        yield f"{numbers}  {drawn}".rstrip()


def _binned(bars: Sequence[Bar]) -> list[Bar]:
    """Bars put together in bins of a round width, what is rare at the ends in one each."""
    low, high = _end(bars), _end(bars[::-1])
    whole = all(bar.at.is_integer() for bar in bars)
    width = _round_width((high - low + whole) / (MOST_BARS - 3))
    if whole:
        width = max(width, 1.0)
    first, last = floor(low / width), floor(high / width)
    bins: dict[int, list[Bar]] = {number: [] for number in range(first, last + 1)}
    for bar in bars:
        number = min(max(floor(bar.at / width), first - 1), last + 1)
        bins.setdefault(number, []).append(bar)

    def label(number: int) -> str:
        begin, end = number * width, (number + 1) * width
        if number < first:
            return f"under {end:.6g}"
        if number > last:
            return f"{begin:.6g} and over"
        if whole and width == 1:
            return f"{begin:.6g}"
        return f"{begin:.6g} to {end - 1:.6g}" if whole else f"{begin:.6g} up to {end:.6g}"

    return [
        Bar(
            number * width,
            sum(bar.share for bar in found),
            None if bars[0].exact is None else sum(bar.exact or 0.0 for bar in found),
            label(number),
        )
        for number, found in sorted(bins.items())
    ]


def _end(bars: Sequence[Bar]) -> float:
    """Where the rare end of the bars is over, seen from their first."""
    passed = 0.0
    for bar in bars:
        passed += bar.share if bar.exact is None else (bar.share + bar.exact) / 2
        if passed > TAIL:
            return bar.at
    return bars[-1].at


def _round_width(least: float) -> float:
    """The next number up that is 1, 2 or 5 times a power of ten."""
    if least <= 0:
        return 1.0
    power = 10.0 ** floor(log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-12))
