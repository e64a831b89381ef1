"""A tuning study in one picture: exact scores as lines, simulated ones with their error bars, the optimum above.

One colour per line. Where more lines are asked for than can be told apart, some are left out, evenly. The bars of
different lines stand a little beside each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dicewise.files import written_whole
from dicewise.plot.heatmaps import INK, SMALL_TEXT, TEXT, TITLE, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_LINES = 6
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")


@dataclass(frozen=True)
class Line:
    """One line of a study: exact scores, and simulated ones with their standard errors (None where there are none)."""

    label: str
    at: Sequence[float]
    exact: Sequence[float]
    simulated: Sequence[float | None]
    errors: Sequence[float | None]


def tuning_figure(title: str, axis: str, lines: Sequence[Line], optimum: float, foot: Sequence[str]) -> Figure:
    """The picture of a study: `axis` names what runs to the right, `foot` is what the study found, in sentences."""
    from matplotlib.figure import Figure

    with styled():
        figure = Figure(figsize=(9.0, 6.4), dpi=150)
        axes = figure.add_axes((0.085, 0.265, 0.895, 0.66))
        axes.set_title(title, fontsize=TITLE, loc="left")
        shown = _few(lines)
        best = axes.axhline(optimum, color=INK, linewidth=1.0, linestyle=(0, (5, 3)), zorder=1)
        handles, labels = [best], [f"best play: {optimum:.4f}"]
        for number, line in enumerate(shown):
            colour = COLOURS[number]
            exact = [score if isfinite(score) else float("nan") for score in line.exact]
            # the first line is the widest, so that those that coincide with it can be seen on top of it
            width = 1.2 + 1.5 * (len(shown) - 1 - number)
            handles += axes.plot(line.at, exact, color=colour, linewidth=width, zorder=2)
            labels.append(line.label)
            offset = (number - (len(shown) - 1) / 2) * _gap(line.at) * 0.14
            bars = [
                (place + offset, mean, error)
                for place, mean, error in zip(line.at, line.simulated, line.errors, strict=True)
                if mean is not None and error is not None
            ]
            if bars:
                places, means, errors = zip(*bars, strict=True)
                look: dict[str, Any] = {"markersize": 3.2, "markeredgecolor": "white", "markeredgewidth": 0.4}
                axes.errorbar(places, means, yerr=errors, fmt="o", color=colour, elinewidth=0.8, zorder=3, **look)
        axes.set_xlabel(axis, fontsize=TEXT)
        axes.set_ylabel("mean score: lines exact, dots simulated ± standard error", fontsize=TEXT)
        axes.tick_params(labelsize=SMALL_TEXT)
        axes.grid(visible=True, color="#00000014", linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(handles, labels, fontsize=SMALL_TEXT, frameon=False, loc="best")
        more = [] if len(shown) == len(lines) else [f"{len(shown)} of {len(lines)} lines are drawn."]
        figure.text(0.085, 0.185, "\n".join([*foot, *more]), fontsize=SMALL_TEXT - 1, va="top", linespacing=1.5)
        return figure


def save_tuning(figure: Figure, path: str | Path, title: str) -> None:
    """Write the picture; the file is complete when it appears, and the same study gives the same file."""
    ending = Path(path).suffix.lower()
    dates: dict[str, dict[str, str | None]] = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    with written_whole(path) as unfinished, styled():
        figure.savefig(unfinished, format=ending[1:], metadata={"Title": title} | dates[ending])


def _few(lines: Sequence[Line]) -> list[Line]:
    """As many lines as can be told apart, from the first to the last."""
    if len(lines) <= MOST_LINES:
        return list(lines)
    return [lines[round(at * (len(lines) - 1) / (MOST_LINES - 1))] for at in range(MOST_LINES)]


def _gap(places: Sequence[float]) -> float:
    """The smallest distance of two places."""
    return min((after - before for before, after in pairwise(sorted(set(places)))), default=0.0)
