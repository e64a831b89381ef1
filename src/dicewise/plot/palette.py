"""The colours of cells, for screens: matplotlib's, without matplotlib.

`RdBu` is ColorBrewer's red to blue over eleven colours, `viridis` is known by seventeen of its colours; what lies
between two is mixed of them. Both can be told apart by the colour-blind.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicewise.chart import Grid

Colours = NDArray[np.float64]

RDBU = (
    *("67001f", "b2182b", "d6604d", "f4a582", "fddbc7", "f7f7f7"),
    *("d1e5f0", "92c5de", "4393c3", "2166ac", "053061"),
)
VIRIDIS = (
    *("440154", "47186a", "472c7b", "424085", "3a528b", "32628d", "2c728e", "26818e"),
    *("20908c", "1e9f88", "28ae7f", "3ebc73", "5ec961", "83d34b", "addc30", "d7e219", "fde724"),
)
KINDS = ("dcdcdc", "0072b2", "d55e00", "009e73", "cc79a7", "56b4e9", "e69f00", "f0e442")
NONE = (238.0, 238.0, 238.0)
"""Of cells without a number."""


def colours_of(grid: Grid, numbers: Any) -> Colours:
    """Red, green and blue, 0 to 255, of numbers as the cells of a grid show them; NaN is light grey."""
    values = np.asarray(numbers, dtype=float)
    found = np.empty((*values.shape, 3))
    missing = np.isnan(values)
    shares = share_of(grid, np.where(missing, limits_of(grid)[0], values))
    if grid.look == "kinds":
        table = np.array([_rgb(name) for name in KINDS])
        found[...] = table[np.clip(np.where(missing, 0, values), 0, len(KINDS) - 1).astype(int)]
    elif grid.look == "diverging":
        found[...] = _mixed(RDBU, shares)
    else:
        found[...] = _mixed(VIRIDIS, 1 - shares)
        if grid.look == "counts":
            found[values == 0] = _rgb(KINDS[0])
    found[missing] = NONE
    return found


def limits_of(grid: Grid) -> tuple[float, float]:
    """The numbers with the first and the last colour."""
    cells = np.asarray(grid.cells, dtype=float)
    cells = cells[np.isfinite(cells)]
    if grid.look == "kinds":
        return 0.0, float(max(len(grid.kinds) - 1, 1))
    if grid.look == "counts":
        return 0.0, float(grid.limits[1] if grid.limits else cells.max(initial=1))
    if grid.look == "log":
        cells = cells[cells > 0]
    low, high = (float(cells.min()), float(cells.max())) if len(cells) else (0.1, 1.0)
    if grid.look == "diverging":
        low, high = -(max(abs(low), abs(high)) or 1.0), max(abs(low), abs(high)) or 1.0
    low, high = grid.limits or (low, high)
    if grid.look == "log":
        return low, max(high, 10 * low)
    return (low - 1, high + 1) if low == high else (low, high)


def share_of(grid: Grid, values: Any) -> NDArray[np.float64]:
    """Where numbers lie between the first and the last colour, from 0 to 1."""
    low, high = limits_of(grid)
    numbers = np.asarray(values, dtype=float)
    if grid.look == "log":
        numbers, low, high = np.log(np.maximum(numbers, 1e-300)), np.log(low), np.log(high)
    elif grid.look == "counts":  # each number has one of `high` equal bands
        low, high = 0.5, max(high, 1.0) + 0.5
    share: NDArray[np.float64] = np.clip((numbers - low) / (high - low), 0.0, 1.0)
    return share


def _mixed(names: tuple[str, ...], shares: NDArray[np.float64]) -> Colours:
    table = np.array([_rgb(name) for name in names])
    places = shares * (len(names) - 1)
    low = np.minimum(places.astype(int), len(names) - 2)
    part = (places - low)[..., None]
    mixed: Colours = table[low] * (1 - part) + table[low + 1] * part
    return mixed


def _rgb(name: str) -> tuple[float, float, float]:
    red, green, blue = bytes.fromhex(name)
    return float(red), float(green), float(blue)
