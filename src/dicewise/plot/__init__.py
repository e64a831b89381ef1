"""Figures from a solution, as a matplotlib `Figure` or as a PNG, SVG or PDF file.

    from dicewise import plot
    plot.save(solution, "greed.svg")

Matplotlib is an extra (`pip install 'dicewise[plot]'`), loaded when the first figure is drawn, and never through its
`pyplot`: no window opens, no setting of the caller changes. The same solution gives the same file, byte for byte.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dicewise.errors import InputError
from dicewise.files import check_writable, written_whole
from dicewise.game import Game
from dicewise.games.greed import Greed
from dicewise.memory import require
from dicewise.plot.heatmaps import caption, drawable, heatmaps, ruleset, styled
from dicewise.plot.tuning import Line, save_tuning, tuning_figure
from dicewise.solution import Solution

__all__ = ["Line", "check_game", "check_matplotlib", "check_path", "heatmaps", "save", "save_tuning", "tuning_figure"]

DPI = range(20, 1201)


def check_game(game: Game[Any, Any]) -> None:
    """Refuse a game that has no picture, before anything is solved for it."""
    if not isinstance(game, Greed) or game.players != 2:
        raise InputError(f"{game.spec} has no picture yet; there is one of greed for two players")


def check_path(path: str | Path) -> None:
    """Refuse a file that no picture can be saved to, before anything is solved or drawn for it."""
    if _ending(path) not in (".png", ".svg", ".pdf"):
        name = Path(path).name
        raise InputError(f"picture {name!r} is of no known kind; its name must end in .png, .svg or .pdf")
    check_writable(path)


def check_matplotlib() -> None:
    """Refuse to go on without matplotlib, before anything long is done for a picture."""
    with styled():
        pass


def save(solution: Solution[Any, Any], path: str | Path, *, dpi: int = 150) -> None:
    """Draw the picture of a solution into a file whose name ends in .png, .svg or .pdf.

    `dpi` is the number of pixels per inch, in SVG and PDF that of the heatmaps alone; with 150 each cell is a square of
    whole pixels. The file is complete when it appears; if drawing or writing fails, nothing is left behind.
    """
    greed = drawable(solution)
    check_path(path)
    if dpi not in DPI:
        raise InputError(f"dpi {dpi!r} is not allowed; it is a whole number from {DPI[0]} to {DPI[-1]}")
    title, words = ", ".join(ruleset(greed.game)), "; ".join(caption(greed))
    metadata: dict[str, dict[str, str | None]] = {
        ".png": {"Title": title, "Description": words},
        ".svg": {"Title": title, "Description": words, "Date": None},
        ".pdf": {"Title": title, "Subject": words, "CreationDate": None},
    }
    figure = heatmaps(greed)
    pixels = int(figure.get_figwidth() * figure.get_figheight() * dpi**2)
    require(10 * pixels, f"drawing {greed.game.spec} with {dpi} dpi")
    with written_whole(path) as unfinished, styled():
        figure.savefig(unfinished, format=_ending(path)[1:], dpi=dpi, metadata=metadata[_ending(path)])


def _ending(path: str | Path) -> str:
    return Path(path).suffix.lower()
