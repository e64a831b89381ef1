"""The views: every picture that there is of a solution, and which games have it.

A view is a chart, as data, made from a solution and what else was wished for. Files show it as `charts` draws it, or as
a figure of its own; those that are boards can be shown in a terminal, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from dicewise.chart import Chart
from dicewise.errors import InputError, did_you_mean
from dicewise.game import Game, Progress
from dicewise.games.greed import Greed
from dicewise.plot import boards, rolls
from dicewise.plot.charts import draw
from dicewise.plot.graph import graph
from dicewise.plot.heatmaps import board, heatmap
from dicewise.plot.picture import check_drawable, describe
from dicewise.solution import Solution

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AnySolution = Solution[Any, Any]
AnyGame = Game[Any, Any]


@dataclass(frozen=True)
class Wish:
    """What some views take beside the solution."""

    other: AnySolution | None = None
    """Of `difference`: what is subtracted."""
    at: Any = None
    """Of `slice`: the state; the start, if not said."""
    counts: Sequence[int] = (2, 3, 4)
    """Of `totals`: the numbers of dice."""
    progress: Progress | None = None


NOTHING = Wish()


def _is_greed(game: AnyGame) -> bool:
    return isinstance(game, Greed)


def is_board(game: AnyGame) -> bool:
    """Whether a game has boards: two-player Greed."""
    return isinstance(game, Greed) and game.players == 2


def _always(game: AnyGame) -> bool:
    return True


@dataclass(frozen=True)
class View:
    """A kind of picture."""

    games: str
    """Which games have it, in words."""
    has: Callable[[AnyGame], bool]
    chart: Callable[[AnySolution, Wish], Chart] | None
    figure: Callable[[AnySolution], Figure] | None = None
    """How it is drawn, where it has a figure of its own."""
    describe: Callable[[AnySolution], tuple[str, str]] | None = None
    """Its title, and what it shows in words, where there is no chart to ask."""
    check: Callable[[AnyGame], None] = lambda game: None
    """Refuses a game that is too large, or over before it begins, before anything is solved for it."""
    board: bool = False
    """Whether it is made of cells, of games that have boards."""

    def draw(self, solution: AnySolution, wish: Wish = NOTHING) -> Figure:
        return self.picture(solution, wish)[0]

    def picture(self, solution: AnySolution, wish: Wish = NOTHING) -> tuple[Figure, str, str]:
        """The figure, its title, and what it shows in words."""
        if self.chart is None:
            assert self.figure is not None
            assert self.describe is not None
            return self.figure(solution), *self.describe(solution)
        chart = self.chart(solution, wish)
        return self.figure(solution) if self.figure else draw(chart), chart.title, chart.words


# ---- charts of those that look at what was wished for; what only some games need is loaded when it is asked for


def _difference(solution: AnySolution, wish: Wish) -> Chart:
    if wish.other is None:
        raise InputError("a difference is of two rulesets; give the other one: --with sides=8, or `other` in Python")
    return boards.difference_chart(solution, wish.other)


def _reach(solution: AnySolution, wish: Wish) -> Chart:
    if is_board(solution.game) and not solution.report.exact:
        return boards.reach_chart(solution, wish.progress)
    from dicewise.plot import anygame

    return anygame.reach_chart(solution, wish.progress)


def _slice(solution: AnySolution, wish: Wish) -> Chart:
    state = solution.game.start() if wish.at is None else wish.at
    if is_board(solution.game) and not solution.report.exact:
        return rolls.slice_chart(solution, state)
    from dicewise.plot import anygame

    return anygame.slice_chart(solution, state)


def _totals(solution: AnySolution, wish: Wish) -> Chart:
    return rolls.totals_chart(solution.game, wish.counts)


def _values(solution: AnySolution, wish: Wish) -> Chart:
    from dicewise.plot.anygame import values_chart

    return values_chart(solution)


def _scores(solution: AnySolution, wish: Wish) -> Chart:
    from dicewise.plot.anygame import scores_chart

    return scores_chart(solution, wish.progress)


def _check_begun(game: AnyGame) -> None:
    from dicewise.plot.anygame import check_begun

    check_begun(game)


def _one_board(what: str, last: bool) -> View:
    return View(
        TWO,
        is_board,
        lambda solution, wish: boards.board_chart(solution, what, last),
        partial(board, what=what, last=last),
        board=True,
    )


TWO, GREED, EVERY = "greed for two players", "greed", "every game"

VIEWS = {
    "heatmap": View(TWO, is_board, lambda solution, wish: boards.heatmap_chart(solution), heatmap, board=True),
    "payoff": _one_board("payoff", False),
    "dice": _one_board("dice", False),
    "last-payoff": _one_board("payoff", True),
    "last-dice": _one_board("dice", True),
    "difference": View(TWO, is_board, _difference, board=True),
    "regions": View(TWO, is_board, lambda solution, wish: boards.regions_chart(solution), board=True),
    "totals": View(GREED, _is_greed, _totals),
    "reach": View(EVERY, _always, _reach, board=True),
    "slice": View(EVERY, _always, _slice),
    "values": View(EVERY, _always, _values, check=_check_begun),
    "scores": View(EVERY, _always, _scores),
    "graph": View("small games", _always, None, graph, describe, check_drawable),
}


def default_view(game: AnyGame) -> str:
    """What is drawn of a game unless the user says otherwise: boards, a graph, or values where it is too large."""
    if is_board(game):
        return "heatmap"
    try:
        check_drawable(game)
    except InputError:
        return "values"
    return "graph"


def views_of(game: AnyGame) -> list[str]:
    """The views that a game has; whether it is small enough for a graph is another question."""
    return [name for name, view in VIEWS.items() if view.has(game)]


def check_game(game: AnyGame, view: str | None = None) -> View:
    """The view, by default the game's own; a game that has no such picture is refused before anything is solved."""
    if view is not None and view not in VIEWS:
        raise InputError(f"view {view!r} is not known; there are {', '.join(VIEWS)}{did_you_mean(view, list(VIEWS))}")
    name = view or default_view(game)
    found = VIEWS[name]
    if not found.has(game):
        raise InputError(
            f"{game.spec} has no view {name}, which is of {found.games}; it has: {', '.join(views_of(game))}"
        )
    found.check(game)
    return found
