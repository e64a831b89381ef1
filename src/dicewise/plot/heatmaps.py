"""Two-player Greed in four heatmaps: what each state is worth and how many dice to roll, in normal and last turns.

The active player's score runs to the right, the queued player's upwards. Payoffs are red where the active player
loses, blue where that player wins, white half-way. The numbers of dice have one colour each, the more the darker;
standing is grey. A board has thousands of cells, so numbers stand where the bands of equal n meet the border: a
dice panel has rims, its outermost cells drawn once more with the numbers of their bands (none on the right, where
the active player has the maximum and stands). Small boards have a number in every cell instead.

Places are in pixels at 150 dpi, sizes of text in points, both for a panel of 600 pixels. Panels are made a little
larger, with all that belongs to them, so that each cell is a square of whole pixels.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dicewise._version import __version__
from dicewise.errors import DicewiseError, InputError
from dicewise.solution import Solution

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.colors import Colormap, Normalize
    from matplotlib.figure import Figure

    from dicewise.games.greed.rules import Greed
    from dicewise.games.greed.solution import GreedSolution

    Table = np.ndarray[Any, np.dtype[Any]]
    Look = tuple[Colormap, Normalize]

DPI, PANEL, MOST_PIXELS = 150, 600, 1200
SMALL_BOARD = 25
"""Up to this maximum every cell of a dice panel has its number."""
MOST_LINES = 35
"""Where there are more bands than this, lines part only every second, fifth, tenth ..."""
ROUND = [size * digit for size in (1, 10, 100, 1000, 10_000) for digit in (1, 2, 5)]

TITLE, TEXT, SMALL_TEXT, RIM_TEXT = 13.5, 9.0, 8.0, 6.2
DIGIT, LINE = 0.64, 1.4  # the width of a digit and the distance of two lines, in units of the size of the text
RIM_GAP, BAR = 4, 28
INK, STAND, BAND_LINE = "#262626", "#dcdcdc", "#ffffff80"


# ---- words


def ruleset(game: Greed) -> str:
    """The rules in words: `Greed for two players, maximum 100, 6-sided dice`."""
    words = ["Greed for two players", f"maximum {game.max}"]
    if not game.die:
        words.append(f"{game.sides}-sided dice")
    elif game.dice.total <= 12:
        faces = (str(face) for face, weight in game.dice for _ in range(weight))
        words.append(f"dice with faces {' '.join(faces)}")
    else:
        shares = (f"{face} ({weight}/{game.dice.total})" for face, weight in game.dice)
        words.append(f"dice with faces {' '.join(shares)}")
    if (game.win, game.tie, game.lose) != (1, 0, -1):
        words.append(f"payoffs win {_minus(game.win)}, tie {_minus(game.tie)}, lose {_minus(game.lose)}")
    return ", ".join(words)


def caption(solution: GreedSolution) -> str:
    """The spec, the opening move, the value of the start and the program's version."""
    start = solution.game.start()
    first, value = solution.action(start), float(solution.value(start))
    opening = "stand" if first == 0 else "roll 1 die" if first == 1 else f"roll {first} dice"
    moves = (f"opening move: {opening}", f"value of the start: {_minus(f'{value:.6g}')}")
    return "   ·   ".join((solution.game.spec, *moves, f"dicewise {__version__}"))


def _minus(number: object) -> str:
    return str(number).replace("-", "\N{MINUS SIGN}")


# ---- the figure


@contextmanager
def styled() -> Iterator[None]:
    """Draw as matplotlib does by default, whatever the caller has set, and change nothing for the caller."""
    try:
        from matplotlib import style
    except ModuleNotFoundError:
        raise DicewiseError("plots need matplotlib: pip install 'dicewise[plot]'") from None

    ours = {"text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": INK, "image.composite_image": False}
    files = {"svg.fonttype": "none", "svg.hashsalt": "dicewise", "pdf.fonttype": 42}
    with style.context(["default", ours | files]):
        yield


def drawable(solution: Solution[Any, Any]) -> GreedSolution:
    """The same solution, if there is a picture of it."""
    from dicewise.games.greed.solution import GreedSolution

    if isinstance(solution, GreedSolution):
        return solution
    raise InputError(
        f"{solution.game.spec}, solved by {solution.report.method}, has no picture yet; "
        "there is one of greed for two players, not solved exactly"
    )


def heatmaps(solution: Solution[Any, Any]) -> Figure:
    """The four heatmaps of a two-player Greed solution."""
    greed = drawable(solution)
    with styled():
        return _Sheet(greed).figure


class _Sheet:
    """A figure in the making."""

    def __init__(self, solution: GreedSolution) -> None:
        from matplotlib.figure import Figure

        self.solution = solution
        self.game = solution.game
        self.ends = (-0.5, self.game.max + 0.5)
        cells = self.game.max + 1
        self.unit = min(cells * -(-PANEL // cells), MOST_PIXELS) / PANEL
        self.most = max(int(solution.dice(last).max()) for last in (False, True))
        self.small = self.game.max <= SMALL_BOARD
        self.rim_high = 0 if self.small else RIM_GAP + _pixels(RIM_TEXT * 1.4)
        self.rim_wide = 0 if self.small else RIM_GAP + _pixels(RIM_TEXT * (DIGIT * max(_digits(self.most), 2) + 0.6))
        self.payoffs = _payoff_ticks(self.game)
        self.reach = _pixels(SMALL_TEXT * DIGIT * max(map(len, ("0 stand", *self.payoffs.values())))) + 20

        title, foot = _wrapped(ruleset(self.game), 84), _wrapped(caption(solution), 120)
        first = 108 + self.rim_wide
        second = first + PANEL + 126 + self.rim_wide
        bar = second + PANEL + 40
        lower = 110 + 25 * len(foot) + self.rim_high
        upper = lower + PANEL + self.rim_high + 140
        width, height = bar + BAR + self.reach + 46, upper + PANEL + 70 + 38 * len(title)
        self.size = np.round(np.array([width, height]) * self.unit)
        self.figure = Figure(figsize=tuple(self.size / DPI), dpi=DPI, facecolor="white")

        middle = (first + second + PANEL) / 2
        self._text((middle, height - 22), "\n".join(title), TITLE, va="top")
        self._text((middle, 22), "\n".join(foot), SMALL_TEXT, va="bottom")
        for left, last in ((first, False), (second, True)):
            self._payoff_panel(left, upper, last)
            self._dice_panel(left, lower, last)
        self._payoff_bar(bar, upper)
        self._dice_bar(bar, lower)

    def _text(self, place: tuple[float, float], text: str, size: float, va: str) -> None:
        x, y = place * self.unit / self.size
        self.figure.text(x, y, text, size=size * self.unit, ha="center", va=va, linespacing=1.3, parse_math=False)

    def _axes(self, label: str, place: tuple[float, float, float, float]) -> Axes:
        """Axes on whole pixels."""
        left, bottom, wide, high = np.round(np.array(place) * self.unit) / np.tile(self.size, 2)
        ax = self.figure.add_axes((left, bottom, wide, high), label=label)
        sizes = {"labelsize": SMALL_TEXT, "length": 3, "width": 0.6, "pad": 2.5}
        ax.tick_params(colors=INK, **{name: size * self.unit for name, size in sizes.items()})
        for spine in ax.spines.values():
            spine.set_linewidth(0.6 * self.unit)
        return ax

    def _show(self, ax: Axes, cells: Table, look: Look, x: Ends, y: Ends) -> None:
        """Cells [x, y], each in one colour, between the ends of both axes; ticks are for the caller to set."""
        cmap, norm = look
        exact: dict[str, Any] = {"origin": "lower", "interpolation": "nearest", "aspect": "auto"}
        ax.imshow(cells.T, cmap=cmap, norm=norm, extent=(*x, *y), **exact)
        ax.set_xticks([])
        ax.set_yticks([])

    # ---- panels

    def _panel(self, what: str, last: bool, place: Ends, cells: Table, look: Look, above: float) -> Axes:
        title = f"{'Last turn' if last else 'Normal turns'}: {what}"
        ax = self._axes(title, (*place, PANEL, PANEL))
        self._show(ax, _sampled(cells), look, self.ends, self.ends)
        ax.set_title(title, size=1.1 * TEXT * self.unit, pad=(5 + _points(above)) * self.unit)
        return ax

    def _payoff_panel(self, place: Ends, last: bool) -> None:
        ax = self._panel("payoff", last, place, self.solution.payoffs(last), payoff_look(self.game), 0)
        self._scores(ax.xaxis)
        self._scores(ax.yaxis)

    def _dice_panel(self, place: Ends, last: bool) -> None:
        dice = self.solution.dice(last)
        ax = self._panel("dice to roll", last, place, dice, dice_look(self.most), self.rim_high)
        self._lines(ax, _sampled(dice))
        if self.small:
            self._cell_numbers(ax, dice)
            below = beside = ax
        else:
            left, bottom = place
            high, wide, name = self.rim_high - RIM_GAP, self.rim_wide - RIM_GAP, ax.get_label()
            above = self._axes(f"{name}, top", (left, bottom + PANEL + RIM_GAP, PANEL, high))
            below = self._axes(f"{name}, bottom", (left, bottom - self.rim_high, PANEL, high))
            beside = self._axes(f"{name}, left", (left - self.rim_wide, bottom, wide, PANEL))
            self._rim(above, dice[:, -1], flat=True)
            self._rim(below, dice[:, 0], flat=True)
            self._rim(beside, dice[0], flat=False)
        self._scores(below.xaxis)
        self._scores(beside.yaxis)

    def _scores(self, axis: Axis) -> None:
        from matplotlib.ticker import MaxNLocator

        words = {"x": "active player’s score (to move)", "y": "queued player’s score"}
        axis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10], integer=True))
        axis.set_label_text(words[axis.axis_name], size=TEXT * self.unit)
        axis.labelpad = 3 * self.unit

    def _rim(self, ax: Axes, border: Table, flat: bool) -> None:
        """The cells along one side of a dice panel once more, with the numbers of their bands."""
        seen, across = _sampled(border), (0.0, 1.0)
        if flat:
            self._show(ax, seen[:, None], dice_look(self.most), self.ends, across)
        else:
            self._show(ax, seen[None, :], dice_look(self.most), across, self.ends)
        ax.spines[:].set_visible(False)
        for run in labelled(runs(border), _points(PANEL) / len(border), RIM_TEXT, flat):
            self._number(ax, (run.middle, 0.5) if flat else (0.5, run.middle), run.n, RIM_TEXT)

    def _cell_numbers(self, ax: Axes, dice: Table) -> None:
        cell = _points(PANEL) / len(dice)
        size = min(cell / (DIGIT * _digits(self.most) + 0.5), 0.6 * cell, 1.2 * TEXT)
        for (a, q), n in np.ndenumerate(dice):
            self._number(ax, (a, q), int(n), size)

    def _number(self, ax: Axes, place: tuple[float, float], n: int, size: float) -> None:
        cmap, norm = dice_look(self.most)
        red, green, blue, _ = cmap(norm(n))
        ink = "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.45 else "white"
        ax.text(*place, str(n), size=size * self.unit, color=ink, ha="center", va="center_baseline")

    def _lines(self, ax: Axes, dice: Table) -> None:
        """Lines between bands, thin and not too many, and a strong one around standing."""
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        step = next(step for step in ROUND if self.most <= step * MOST_LINES)
        for areas, colour, width in ((dice // step, BAND_LINE, 0.35), (dice > 0, INK, 0.7)):
            segments = borders(areas) * (self.game.max + 1) / len(dice) - 0.5
            if len(segments):
                codes = np.tile([Path.MOVETO, Path.LINETO], len(segments))
                path = Path(segments.reshape(-1, 2), codes)
                ax.add_patch(PathPatch(path, fill=False, edgecolor=colour, linewidth=width * self.unit))

    # ---- bars

    def _bar(self, label: str, place: tuple[float, float, float, float], cells: Table, look: Look, y: Ends) -> Axes:
        ax = self._axes(label, place)
        self._show(ax, cells[None, :], look, (0.0, 1.0), y)
        ax.yaxis.set_ticks_position("right")
        ax.yaxis.set_label_position("right")
        ax.yaxis.set_label_coords(1 + self.reach / BAR, 0.5)
        return ax

    def _payoff_bar(self, left: float, bottom: float) -> None:
        look = payoff_look(self.game)
        low, high = look[1].vmin or 0.0, look[1].vmax or 0.0
        shades = np.linspace(low, high, PANEL)
        ax = self._bar("payoff bar", (left, bottom, BAR, PANEL), shades, look, (low, high))
        ax.set_yticks(list(self.payoffs), list(self.payoffs.values()))
        ax.set_ylabel("payoff to the player to move", size=TEXT * self.unit, va="top")

    def _dice_bar(self, left: float, bottom: float) -> None:
        """Standing has a box of its own below the bar, in which it would be too thin to see."""
        look, base, most = dice_look(self.most), BAR + 14, self.most
        box = self._bar("stand bar", (left, bottom, BAR, BAR), np.zeros(1), look, (-0.5, 0.5))
        box.set_yticks([0], ["0 stand"])
        if not most:
            return
        place = (left, bottom + base, BAR, PANEL - base)
        ax = self._bar("dice bar", place, _sampled(np.arange(1, most + 1)), look, (0.5, most + 0.5))
        room = 1.6 * SMALL_TEXT * most / _points(PANEL - base)  # dice per tick at the least
        step = next(step for step in ROUND if step >= room)
        ax.set_yticks(
            [n for n in (1, *range(step, most, step)) if most - n >= room and (n == 1 or n - 1 >= room)] + [most]
        )
        ax.set_ylabel("dice to roll", size=TEXT * self.unit, va="top")


# ---- bands


class Run(NamedTuple):
    """Cells in a row with the same number of dice."""

    first: int
    last: int
    n: int

    @property
    def middle(self) -> float:
        return (self.first + self.last) / 2


def runs(border: Table) -> list[Run]:
    """The bands along a border."""
    found, at = [], 0
    for n, cells in groupby(border.tolist()):
        end = at + len(list(cells))
        found.append(Run(at, end - 1, n))
        at = end
    return found


def labelled(bands: Sequence[Run], cell: float, size: float, flat: bool) -> list[Run]:
    """The bands whose numbers can stand along a border without touching: all, or all even ones, or every fifth ...

    `cell` is the length of a cell and `size` that of the text, in points; `flat` says that the numbers stand side by
    side, not one above the other.
    """
    rooms = [size * (DIGIT * _digits(run.n) + 0.3 if flat else LINE) for run in bands]
    places = [(run.middle + 0.5) * cell for run in bands]
    slack, length = 0.3 * size, (bands[-1].last + 1) * cell  # in the corners two borders meet
    inside = [i for i, at in enumerate(places) if -slack <= at - rooms[i] / 2 and at + rooms[i] / 2 <= length + slack]

    def apart(i: int, j: int) -> bool:
        outside = i < 0 or j == len(bands)
        return outside or places[j] - places[i] >= (rooms[i] + rooms[j]) / 2

    def fill(low: int, high: int, step: int) -> list[int]:
        """Numbers between two that are set: multiples of the least divisor of the step that fits, then finer ones."""
        between = [i for i in inside if low < i < high]
        finer = [divisor for divisor in ROUND if divisor < step and step % divisor == 0]
        chosen = {divisor: [i for i in between if bands[i].n % divisor == 0] for divisor in finer}
        fitting = [d for d in finer if chosen[d] and all(apart(*pair) for pair in pairwise([low, *chosen[d], high]))]
        if fitting:
            ...
        return []

    return [bands[i] for i in sorted(fill(-1, len(bands), 10 * ROUND[-1]))]
