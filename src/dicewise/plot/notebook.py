"""What notebooks show of a solution: a short table with a small picture, and figures that display themselves.

Nothing is solved here and nothing long is done, since a notebook asks whenever a cell ends with a solution. Colours of
text and lines are those of the page, so that both light and dark pages show it.
"""

from __future__ import annotations

from base64 import b64encode
from functools import partial
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from dicewise.engine.trace import number_in_words
from dicewise.game import Number, spoken
from dicewise.games.greed.solution import GreedSolution
from dicewise.plot import check_matplotlib, figure
from dicewise.plot.cells import look_of
from dicewise.plot.styles import styled
from dicewise.solution import Solution

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_STATES = 5_000
"""States up to which values are looked up one by one for a picture."""
MOST_PIXELS, SHOWN = 300, 150
"""Cells that a small board has at the most, and its pixels on the page."""
BINS, WIDE, HIGH = 40, 200, 80


# ---- figures


def figure_of(solution: Solution[Any, Any], view: str | None = None, **wished: Any) -> Figure:
    """What `plot.figure` draws, so that a notebook shows it: of figures that pyplot did not make it knows nothing."""
    check_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    drawn = figure(solution, view, **wished)
    FigureCanvasAgg(drawn)
    vars(drawn)["_repr_png_"] = partial(_png, drawn)
    return drawn


def _png(drawn: Figure) -> tuple[bytes, dict[str, int]]:
    """A figure as a notebook takes it: pixels, and how large they are to be shown."""
    stream = BytesIO()
    with styled():
        drawn.savefig(stream, format="png", metadata={"Software": None})
    wide, high = (round(96 * inches) for inches in drawn.get_size_inches())
    return stream.getvalue(), {"width": wide, "height": high}


# ---- a solution


def html_of(solution: Solution[Any, Any]) -> str:
    """A solution in a few lines of HTML."""
    rows = "".join(
        f'<tr><th style="text-align:left;padding:1px 12px 1px 0;font-weight:normal;opacity:.75">{escape(name)}</th>'
        f'<td style="text-align:left;padding:1px 0">{escape(words)}</td></tr>'
        for name, words in summary(solution).items()
    )
    table = f'<table style="border:0;margin:0;background:transparent"><tbody>{rows}</tbody></table>'
    frame = "display:flex;flex-wrap:wrap;gap:24px;align-items:center;color:inherit"
    return f'<div style="{frame}">{table}{_picture(solution)}</div>'


def summary(solution: Solution[Any, Any]) -> dict[str, str]:
    """What is said of a solution, by what it is about."""
    game, report, start = solution.game, solution.report, solution.game.start()
    found = {"game": game.spec}
    values = solution.values(start)
    if game.players == 1 or report.interests == "team":
        found["value of the start"] = _number(values[0], report.exact)
    else:
        shown = ", ".join(_number(value, report.exact) for value in values)
        found["value of the start"] = f"{shown} ({', '.join(f'player {seat + 1}' for seat in range(game.players))})"
    if len(game.actions(start)):
        found["opening move"] = spoken(game, "label", solution.action(start)) or "nothing to choose"
    found["states"] = f"{report.states:,}, {report.interests}"
    found["method"] = report.method
    if report.exact:
        found["error"] = "none: fractions"
    else:
        bound = report.error_bound
        found["error"] = "no bound is proven" if bound is None else f"at most {bound:.1e}"
    return found


def _number(value: Number, exact: bool) -> str:
    words = number_in_words(value, exact)
    return f"{words} = {float(value):.6g}" if "/" in words else words.replace("-", "\N{MINUS SIGN}")


def _picture(solution: Solution[Any, Any]) -> str:
    """A small picture: the boards of Greed, of other games how much their states are worth; nothing where it would take
    long."""
    if isinstance(solution, GreedSolution):
        try:
            return _boards(solution)
        except ModuleNotFoundError:  # colours are matplotlib's
            pass
    at_once = type(solution).worths is not Solution.worths
    if not solution.report.states or not (at_once or solution.report.states <= MOST_STATES):
        return ""
    return _histogram(solution.worths())


def _boards(solution: GreedSolution) -> str:
    """Normal turns: what they are worth, and the dice to roll."""
    from dicewise.chart import Grid

    game = solution.game
    cells = np.unique(np.linspace(0, game.max, min(game.max + 1, MOST_PIXELS)).astype(int))
    at = cells.tolist()
    low, high = float(game.lose), float(game.win)
    limits = (low, high) if low < high else (low - 1, high + 1)
    found = []
    for numbers, look, words in (
        (solution.payoffs(), "diverging", "what each state is worth to the player to move: blue wins, red loses"),
        (solution.dice().astype(float), "counts", "how many dice to roll: the more, the darker; grey is to stand"),
    ):
        grid = Grid(
            "", "", "", numbers[np.ix_(cells, cells)], at, at, "", look, limits if look == "diverging" else None
        )
        colours, norm = look_of(grid)
        pixels = colours(norm(grid.cells.T[::-1]), bytes=True)
        said = f"Normal turns, own score to the right, the other's upwards: {words}"
        found.append(
            f'<img alt="{escape(said)}" title="{escape(said)}" width="{SHOWN}" height="{SHOWN}" '
            f'style="image-rendering:pixelated;border:1px solid #8888" src="{_data(pixels)}">'
        )
    return f'<div style="display:flex;gap:8px">{"".join(found)}</div>'


def _data(pixels: Any) -> str:
    from PIL import Image  # comes with matplotlib

    stream = BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels[:, :, :3])).save(stream, format="png")
    return f"data:image/png;base64,{b64encode(stream.getvalue()).decode()}"


def _histogram(values: Any) -> str:
    """How many states are worth how much, as a picture made of rectangles."""
    low, high = float(values.min()), float(values.max())
    counts, _ = np.histogram(values, BINS, (low, high) if low < high else (low - 1, high + 1))
    step, most = WIDE / BINS, int(counts.max())
    bars = "".join(
        f'<rect x="{at * step:.1f}" y="{HIGH - HIGH * count / most:.1f}" width="{0.85 * step:.2f}" '
        f'height="{HIGH * count / most:.1f}"/>'
        for at, count in enumerate(counts.tolist())
        if count
    )
    said = f"All {len(values):,} states by what they are worth, from {low:.4g} to {high:.4g}"
    ends = (
        f'<text x="0" y="{HIGH + 14}" font-size="11">{low:.4g}</text>'
        f'<text x="{WIDE}" y="{HIGH + 14}" font-size="11" text-anchor="end">{high:.4g}</text>'
    )
    return (
        f'<svg role="img" aria-label="{escape(said)}" width="{WIDE}" height="{HIGH + 18}" '
        f'viewBox="0 0 {WIDE} {HIGH + 18}" fill="currentColor"><title>{escape(said)}</title>{bars}{ends}</svg>'
    )
