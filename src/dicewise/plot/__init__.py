"""Figures from a solution, as a matplotlib `Figure` or as a PNG, SVG or PDF file.

    from dicewise import plot
    plot.save(solution, "greed.svg")
    plot.save(solution, "graph.svg", view="graph")

`VIEWS` lists the pictures that there are, and which games have them.

Matplotlib is an extra (`pip install 'dicewise[plot]'`), loaded when the first figure is drawn, and never through its
`pyplot`: no window opens, no setting of the caller changes. The same solution gives the same file, byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dicewise.errors import InputError, did_you_mean
from dicewise.files import check_writable, written_whole
from dicewise.game import Game
from dicewise.games.greed import Greed
from dicewise.memory import require
from dicewise.plot.graph import graph
from dicewise.plot.heatmaps import caption, drawable, heatmaps, ruleset, styled
from dicewise.plot.picture import check_drawable, describe
from dicewise.plot.tuning import Line, save_tuning, tuning_figure
from dicewise.solution import Solution

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "VIEWS",
    "Line",
    "check_game",
    "check_matplotlib",
    "check_path",
    "graph",
    "heatmaps",
    "save",
    "save_tuning",
    "tuning_figure",
]

DPI = range(20, 1201)


@dataclass(frozen=True)
class View:
    """A kind of picture."""

    games: str
    """Which games have it, in words."""
    check: Callable[[Game[Any, Any]], None]
    """Refuses the others, before anything is solved for them."""
    draw: Callable[[Solution[Any, Any]], Figure]
    describe: Callable[[Solution[Any, Any]], tuple[str, str]]
    """Its title, and what it shows in words."""


def _check_heatmaps(game: Game[Any, Any]) -> None:
    if not _is_board(game):
        raise InputError(f"{game.spec} has no heatmaps; they are of {VIEWS['heatmaps'].games}: try the view graph")


def _describe_heatmaps(solution: Solution[Any, Any]) -> tuple[str, str]:
    greed = drawable(solution)
    return ", ".join(ruleset(greed.game)), "; ".join(caption(greed))


VIEWS = {
    "heatmaps": View("greed for two players", _check_heatmaps, heatmaps, _describe_heatmaps),
    "graph": View("small games", check_drawable, graph, describe),
}


def _is_board(game: Game[Any, Any]) -> bool:
    return isinstance(game, Greed) and game.players == 2


def default_view(game: Game[Any, Any]) -> str:
    """What is drawn of a game unless the user says otherwise."""
    return "heatmaps" if _is_board(game) else "graph"


def check_game(game: Game[Any, Any], view: str | None = None) -> View:
    """The view, by default the game's own; a game that has no such picture is refused before anything is solved."""
    if view is not None and view not in VIEWS:
        raise InputError(f"view {view!r} is not known; there are {', '.join(VIEWS)}{did_you_mean(view, list(VIEWS))}")
    found = VIEWS[view or default_view(game)]
    try:
        found.check(game)
    except InputError as error:
        if view is not None:
            raise
        others = ", ".join(f"{name} of {each.games}" for name, each in VIEWS.items() if each is not found)
        raise InputError(f"{error}; other pictures: {others}") from None
    return found


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


def save(solution: Solution[Any, Any], path: str | Path, *, view: str | None = None, dpi: int = 150) -> None:
    """Draw a picture of a solution into a file whose name ends in .png, .svg or .pdf.

    `view` is one of `VIEWS`; by default the heatmaps of two-player Greed, and the graph of other games. `dpi` is the
    number of pixels per inch, in SVG and PDF that of the heatmaps alone; with 150 each cell is a square of whole
    pixels. The file is complete when it appears; if drawing or writing fails, nothing is left behind.
    """
    drawn = check_game(solution.game, view)
    check_path(path)
    if dpi not in DPI:
        raise InputError(f"dpi {dpi!r} is not allowed; it is a whole number from {DPI[0]} to {DPI[-1]}")
    title, words = drawn.describe(solution)
    metadata: dict[str, dict[str, str | None]] = {
        ".png": {"Title": title, "Description": words},
        ".svg": {"Title": title, "Description": words, "Date": None},
        ".pdf": {"Title": title, "Subject": words, "CreationDate": None},
    }
    figure = drawn.draw(solution)
    pixels = int(figure.get_figwidth() * figure.get_figheight() * dpi**2)
    require(10 * pixels, f"drawing {solution.game.spec} with {dpi} dpi")
    with written_whole(path) as unfinished, styled():
        figure.savefig(unfinished, format=_ending(path)[1:], dpi=dpi, metadata=metadata[_ending(path)])


def _ending(path: str | Path) -> str:
    return Path(path).suffix.lower()
