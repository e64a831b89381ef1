"""Cells of colour over two axes, the grids of charts: colours that mean something, and numbers where there is room.

A single cell that is far from the others must not make these all look alike: where a few cells lie far outside, the
colours end before them, the colour bar has an arrow there, and its label says so.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dicewise.chart import Grid
from dicewise.plot.styles import SMALL_TEXT, TEXT, plain_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EMPTY = "#eeeeee"
"""Cells without a number."""
KINDS = ("#dcdcdc", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#f0e442")
ENOUGH, USUAL, FAR = 30, 98.0, 2.5
"""Among so many cells or more, what goes `FAR` times beyond what so many percent of them keep to has no colour."""
SMALLEST_NUMBER = 4.5
"""Numbers in cells that would have to be smaller are left out; in points."""


def draw_grid(axes: Axes, panel: Grid, scale: float) -> None:
    """The cells, their axes and their colour bar; `scale` is that of the text."""
    cells = np.ma.masked_invalid(np.asarray(panel.cells, dtype=float))
    cmap, norm = look_of(panel)
    across, upward = _Ticks(panel.at_x), _Ticks(panel.at_y)
    image = axes.imshow(
        cells.T,
        cmap=cmap,
        norm=norm,
        extent=(*across.ends, *upward.ends),
        origin="lower",
        interpolation="nearest",
        aspect="auto",
    )
    if panel.cells.shape[0] == panel.cells.shape[1] > 1 and list(panel.at_x) == list(panel.at_y):
        axes.set_box_aspect(1)  # a board
    axes.set_facecolor(EMPTY)
    axes.set_xlabel(panel.x, fontsize=scale * TEXT)
    axes.set_ylabel(panel.y, fontsize=scale * TEXT)
    across.put(axes.xaxis, 10)
    upward.put(axes.yaxis, 10)
    _draw_bar(axes, image, panel, scale)


def _draw_bar(axes: Axes, image: Any, panel: Grid, scale: float) -> None:
    figure: Any = axes.figure
    below, above = outside(panel)
    extend: Any = {(True, True): "both", (True, False): "min", (False, True): "max"}.get((below, above), "neither")
    bar = figure.colorbar(
        image, ax=axes, fraction=0.06, pad=0.02, extend="neither" if panel.look == "kinds" else extend
    )
    bar.ax.set_label("scale")
    bar.ax.tick_params(labelsize=scale * SMALL_TEXT)
    label = panel.scale
    if panel.look == "kinds":
        bar.set_ticks(range(len(panel.kinds)), labels=[textwrap.fill(kind, 18) for kind in panel.kinds])
        bar.ax.tick_params(length=0)
    else:
        known = _numbers(panel)
        whole = panel.look == "counts" or bool((known == np.round(known)).all())
        plain_ticks(bar.ax.yaxis, log=panel.look == "log", whole=whole)
    if below or above:
        label += " (arrow: further out)" if below != above else " (arrows: further out)"
    bar.set_label(textwrap.fill(label, 46), fontsize=scale * TEXT)


# ---- colours


def look_of(panel: Grid) -> tuple[Any, Any]:
    """The colours of a grid, and the numbers that they stand for."""
    from matplotlib import colormaps
    from matplotlib.colors import BoundaryNorm, ListedColormap, LogNorm, Normalize

    if panel.look == "kinds":
        count = max(len(panel.kinds), 1)
        colours: Any = KINDS[:count] if count <= len(KINDS) else colormaps["viridis"](np.linspace(0, 1, count))
        return ListedColormap(colours), BoundaryNorm(np.arange(count + 1) - 0.5, count)
    found = _numbers(panel)
    if panel.look == "counts":
        most = int(panel.limits[1] if panel.limits else found.max(initial=0))
        shades = colormaps["viridis_r"]((np.arange(most) + 0.5) / max(most, 1))
        return ListedColormap([KINDS[0], *map(tuple, shades)]), Normalize(-0.5, most + 0.5)
    if panel.look == "log":
        positive = found[found > 0]
        low, high = panel.limits or ((positive.min(), positive.max()) if len(positive) else (0.1, 1.0))
        return colormaps["viridis_r"], LogNorm(low, max(high, low * 10), clip=True)
    low, high = panel.limits or _limits(panel)
    if low == high:
        low, high = low - 1, high + 1
    return colormaps["RdBu" if panel.look == "diverging" else "viridis_r"], Normalize(low, high)


def outside(panel: Grid) -> tuple[bool, bool]:
    """Whether cells lie below the first colour, and above the last."""
    if panel.look not in ("sequential", "diverging"):
        return False, False
    found, (_, norm) = _numbers(panel), look_of(panel)
    slack = 1e-9 * (norm.vmax - norm.vmin)
    return bool((found < norm.vmin - slack).any()), bool((found > norm.vmax + slack).any())


def _numbers(panel: Grid) -> NDArray[np.float64]:
    found = np.asarray(panel.cells, dtype=float)
    known: NDArray[np.float64] = found[np.isfinite(found)]
    return known


def _limits(panel: Grid) -> tuple[float, float]:
    """The numbers with the first and the last colour: the extremes, but for a few that lie far outside."""
    found = _numbers(panel)
    if not len(found):
        return 0.0, 1.0
    if panel.look == "diverging":
        far = _usual(np.abs(found)) or 1.0
        return -far, far
    middle = float(np.median(found))
    low, high = middle - _usual(middle - found), middle + _usual(found - middle)
    return max(low, float(found.min())), min(high, float(found.max()))


def _usual(sizes: NDArray[np.float64]) -> float:
    """How far numbers go: the largest of them, or what nearly all keep to where that one is far beyond it."""
    largest = float(sizes.max())
    if len(sizes) < ENOUGH:
        return largest
    usual = float(np.percentile(sizes, USUAL))
    return usual if 0 < FAR * usual < largest else largest


# ---- axes


class _Ticks:
    """Where cells stand along an axis: at their numbers, or, where these are not evenly spaced, in their order."""

    def __init__(self, at: Sequence[float]) -> None:
        self.at = np.asarray(at, dtype=float)
        steps = np.diff(self.at)
        self.even = len(self.at) < 2 or bool(np.allclose(steps, steps[0], rtol=1e-6, atol=0.0))
        self.places = self.at if self.even else np.arange(len(self.at), dtype=float)
        half = (self.places[-1] - self.places[0]) / (2 * (len(self.at) - 1)) if len(self.at) > 1 else 0.5
        self.ends = float(self.places[0] - half), float(self.places[-1] + half)

    def put(self, axis: Any, most: int) -> None:
        """Ticks at every number where they are few or not even; otherwise at round ones."""
        from matplotlib.ticker import MaxNLocator

        if len(self.at) <= most or not self.even:
            every = -(-len(self.at) // most)
            axis.set_ticks(self.places[::every], labels=[f"{number:.6g}" for number in self.at[::every]])
        else:
            whole = bool((self.at == np.round(self.at)).all())
            axis.set_major_locator(MaxNLocator(nbins=most, steps=[1, 2, 2.5, 5, 10], integer=whole))
            plain_ticks(axis)


# ---- numbers


def write_cells(axes: Axes, panel: Grid) -> None:
    """The number of every cell, if all have room; the axes must have their final place."""
    cells = np.ma.masked_invalid(np.asarray(panel.cells, dtype=float))
    written = cells if panel.written is None else panel.written
    texts = {
        (i, j): panel.numbers.format(written[i, j]).replace("-", "\N{MINUS SIGN}")
        for i in range(cells.shape[0])
        for j in range(cells.shape[1])
        if not np.ma.is_masked(cells[i, j])
    }
    longest = max((len(text) for text in texts.values()), default=1)
    box = axes.get_window_extent()
    unit = 72 / axes.get_figure(root=True).dpi  # type: ignore[union-attr]
    wide, high = box.width * unit / cells.shape[0], box.height * unit / cells.shape[1]
    size = min(wide / (0.64 * longest + 0.5), 0.62 * high, 1.2 * TEXT)
    if size < SMALLEST_NUMBER:
        return
    cmap, norm = look_of(panel)
    across, upward = _Ticks(panel.at_x).places, _Ticks(panel.at_y).places
    for (i, j), text in texts.items():
        red, green, blue, _ = cmap(norm(cells[i, j]))
        ink = "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.45 else "white"
        axes.text(across[i], upward[j], text, size=size, color=ink, ha="center", va="center", parse_math=False)
