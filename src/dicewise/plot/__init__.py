"""Figures from a solution, as a matplotlib `Figure`, as a PNG, SVG or PDF file, or in the terminal.

    from dicewise import plot
    plot.save(solution, "greed.svg")
    plot.save(solution, "reach.png", view="reach")
    plot.figure(solution, "slice", at=game.at(85, 70))

`VIEWS` lists the pictures that there are, and which games have them.

Matplotlib is an extra (`pip install 'dicewise[plot]'`), loaded when the first figure is drawn, and never through its
`pyplot`: no window opens, no setting of the caller changes. The same solution gives the same file, byte for byte.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from dicewise.chart import Chart
from dicewise.errors import InputError
from dicewise.plot.charts import draw, save_chart
from dicewise.plot.graph import graph
from dicewise.plot.heatmaps import heatmap
from dicewise.plot.rolls import totals_chart
from dicewise.plot.styles import check_matplotlib, check_path, save_figure
from dicewise.plot.views import VIEWS, View, Wish, check_game, default_view, is_board, views_of
from dicewise.solution import Solution

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "VIEWS",
    "View",
    "chart",
    "check_game",
    "check_matplotlib",
    "check_path",
    "default_view",
    "draw",
    "figure",
    "graph",
    "heatmap",
    "is_board",
    "save",
    "save_chart",
    "totals_chart",
    "views_of",
]


def save(
    solution: Solution[Any, Any], path: str | Path, *, view: str | None = None, dpi: int = 150, **wished: Any
) -> None:
    """Draw a picture of a solution into a file whose name ends in .png, .svg or .pdf.

    `view` is one of `VIEWS`; by default the heatmap of two-player Greed, of other games the graph, or the values where
    they are too large for one. Some views take more: `difference` the solution `other` that is subtracted, `slice` the
    state `at`, `totals` the numbers of dice `counts`; and work that may take long a `progress`. `dpi` is the number of
    pixels per inch, in SVG and PDF that of the cells alone; with 150 each cell of a heatmap is a square of whole
    pixels. The file is complete when it appears; if drawing or writing fails, nothing is left behind.
    """
    drawn = check_game(solution.game, view)
    check_path(path)
    check_matplotlib()
    picture, title, words = drawn.picture(solution, Wish(**wished))
    save_figure(picture, path, title, words, dpi)


def figure(solution: Solution[Any, Any], view: str | None = None, **wished: Any) -> Figure:
    """The picture that `save` would write, as a matplotlib figure."""
    return check_game(solution.game, view).draw(solution, Wish(**wished))


def chart(solution: Solution[Any, Any], view: str, **wished: Any) -> Chart:
    """The same as data, before it is drawn; every view but the graph is a chart."""
    found = check_game(solution.game, view)
    if found.chart is None:
        raise InputError(f"view {view} is a drawing, not a chart; save it, or ask for another view")
    return found.chart(solution, Wish(**wished))
