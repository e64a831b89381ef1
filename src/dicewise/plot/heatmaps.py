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

import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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
    Pair = tuple[float, float]
    Box = tuple[float, float, float, float]

DPI, PANEL, MOST_PIXELS = 150, 600, 1200
SMALL_BOARD = 25
"""Up to this maximum every cell of a dice panel has its number."""
MOST_LINES = 30
"""Where there are more bands than this, lines part only every second, fifth, tenth ..."""
ROUND = [size * digit for size in (1, 10, 100, 1000, 10_000) for digit in (1, 2, 5)]

TITLE, TEXT, SMALL_TEXT, RIM_TEXT = 13.5, 9.0, 8.0, 6.2
DIGIT, LINE = 0.64, 1.4  # the width of a digit and the distance of two lines, in units of the size of the text
RIM_GAP, BAR = 4, 28
INK, STAND, BAND_LINE = "#262626", "#dcdcdc", "#ffffff80"
ACTIVE, QUEUED = "active player’s score (to move)", "queued player’s score"


# ---- words


def ruleset(game: Greed) -> list[str]:
    """The rules in words: Greed for two players, maximum 100, 6-sided dice."""
    words = ["Greed for two players", f"maximum {game.max}"]
    if not game.die:
        words.append(f"{game.sides}-sided dice")
    elif game.dice.total <= 12:
        faces = (str(face) for face, weight in game.dice for _ in range(weight))
        words.append(f"dice with faces {' '.join(faces)}")
    else:
        shares = (f"{face}\N{NO-BREAK SPACE}({weight}/{game.dice.total})" for face, weight in game.dice)
        words.append(f"dice with faces {' '.join(shares)}")
    if (game.win, game.tie, game.lose) != (1, 0, -1):
        words.append(f"payoffs win {_minus(game.win)}, tie {_minus(game.tie)}, lose {_minus(game.lose)}")
    return words


def caption(solution: GreedSolution) -> list[str]:
    """The spec, the opening move, the value of the start and the program's version."""
    start = solution.game.start()
    first, value = solution.action(start), float(solution.value(start))
    opening = "stand" if first == 0 else "roll 1 die" if first == 1 else f"roll {first} dice"
    moves = f"opening move: {opening}", f"value of the start: {_minus(f'{value:.6g}')}"
    return [solution.game.spec, *moves, f"dicewise {__version__}"]


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
    fonts = {"font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"]}
    files = {"svg.fonttype": "none", "svg.hashsalt": "dicewise", "pdf.fonttype": 42}
    with style.context(["default", ours | fonts | files]):
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
        self.payoff_look, self.dice_look = payoff_look(self.game), dice_look(self.most)
        self.small = self.game.max <= SMALL_BOARD
        self.rim_high = 0 if self.small else RIM_GAP + _pixels(RIM_TEXT * 1.4)
        self.rim_wide = 0 if self.small else RIM_GAP + _pixels(RIM_TEXT * (DIGIT * max(_digits(self.most), 2) + 0.6))
        self.payoffs = _payoff_ticks(self.game)
        self.reach = _pixels(SMALL_TEXT * DIGIT * max(map(len, ("0 stand", *self.payoffs.values())))) + 20

        title, foot = _broken(ruleset(self.game), ", ", 90), _broken(caption(solution), "   ·   ", 150)
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
            self._payoff_panel((left, upper), last)
            self._dice_panel((left, lower), last)
        self._payoff_bar(bar, upper)
        self._dice_bar(bar, lower)

    def _text(self, place: Pair, text: str, size: float, va: str) -> None:
        x, y = np.array(place) * self.unit / self.size
        self.figure.text(x, y, text, size=size * self.unit, ha="center", va=va, linespacing=1.3, parse_math=False)

    def _axes(self, label: str, place: Box) -> Axes:
        """Axes on whole pixels."""
        left, bottom, wide, high = np.round(np.array(place) * self.unit) / np.tile(self.size, 2)
        ax = self.figure.add_axes((left, bottom, wide, high), label=label)
        line, text = 0.6 * self.unit, SMALL_TEXT * self.unit
        ax.tick_params(colors=INK, labelsize=text, width=line, length=5 * line, pad=4 * line)
        for spine in ax.spines.values():
            spine.set_linewidth(line)
        return ax

    def _show(self, ax: Axes, cells: Table, look: Look, x: Pair, y: Pair) -> None:
        """Cells [x, y], each in one colour, between the ends of both axes; ticks are for the caller to set."""
        cmap, norm = look
        exact: dict[str, Any] = {"origin": "lower", "interpolation": "nearest", "aspect": "auto"}
        ax.imshow(cells.T, cmap=cmap, norm=norm, extent=(*x, *y), **exact)
        ax.set_xticks([])
        ax.set_yticks([])

    # ---- panels

    def _panel(self, what: str, last: bool, place: Pair, cells: Table, look: Look, above: float) -> Axes:
        title = f"{'Last turn' if last else 'Normal turns'}: {what}"
        ax = self._axes(title, (*place, PANEL, PANEL))
        self._show(ax, _sampled(cells), look, self.ends, self.ends)
        ax.set_title(title, size=1.1 * TEXT * self.unit, pad=(5 + _points(above)) * self.unit)
        return ax

    def _payoff_panel(self, place: Pair, last: bool) -> None:
        ax = self._panel("payoff", last, place, self.solution.payoffs(last), self.payoff_look, 0)
        self._scores(ax.xaxis, ACTIVE)
        self._scores(ax.yaxis, QUEUED)

    def _dice_panel(self, place: Pair, last: bool) -> None:
        dice = self.solution.dice(last)
        ax = self._panel("dice to roll", last, place, dice, self.dice_look, self.rim_high)
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
        self._scores(below.xaxis, ACTIVE)
        self._scores(beside.yaxis, QUEUED)

    def _scores(self, axis: Axis, words: str) -> None:
        from matplotlib.ticker import MaxNLocator

        axis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10], integer=True))
        axis.set_label_text(words, size=TEXT * self.unit)
        axis.labelpad = 3 * self.unit

    def _rim(self, ax: Axes, border: Table, flat: bool) -> None:
        """The cells along one side of a dice panel once more, with the numbers of their bands."""
        seen, across = _sampled(border), (0.0, 1.0)
        if flat:
            self._show(ax, seen[:, None], self.dice_look, self.ends, across)
        else:
            self._show(ax, seen[None, :], self.dice_look, across, self.ends)
        ax.spines[:].set_visible(False)
        for run in labelled(runs(border), _points(PANEL) / len(border), RIM_TEXT, flat):
            self._number(ax, (run.middle, 0.5) if flat else (0.5, run.middle), run.n, RIM_TEXT)

    def _cell_numbers(self, ax: Axes, dice: Table) -> None:
        cell = _points(PANEL) / len(dice)
        size = min(cell / (DIGIT * _digits(self.most) + 0.5), 0.6 * cell, 1.2 * TEXT)
        for (a, q), n in np.ndenumerate(dice):
            self._number(ax, (a, q), int(n), size)

    def _number(self, ax: Axes, place: Pair, n: int, size: float) -> None:
        cmap, norm = self.dice_look
        red, green, blue, _ = cmap(norm(n))
        ink = "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.45 else "white"
        ax.text(*place, str(n), size=size * self.unit, color=ink, ha="center", va="center_baseline")

    def _lines(self, ax: Axes, dice: Table) -> None:
        """Lines between bands, thin and not too many, and a strong one around standing."""
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        step = next(step for step in ROUND if self.most <= step * MOST_LINES)
        bands = borders(dice // step, crowded=False), BAND_LINE, 0.35
        stand = borders(dice > 0, crowded=True), INK, 0.7
        for segments, colour, width in (bands, stand):
            corners = segments.reshape(-1, 2) * (self.game.max + 1) / len(dice) - 0.5
            if len(corners):
                path = Path(corners, np.tile([Path.MOVETO, Path.LINETO], len(segments)))
                ax.add_patch(PathPatch(path, fill=False, edgecolor=colour, linewidth=width * self.unit))

    # ---- bars

    def _bar(self, label: str, place: Box, cells: Table, look: Look, y: Pair) -> Axes:
        ax = self._axes(label, place)
        self._show(ax, cells[None, :], look, (0.0, 1.0), y)
        ax.yaxis.set_ticks_position("right")
        ax.yaxis.set_label_position("right")
        ax.yaxis.set_label_coords(1 + self.reach / BAR, 0.5)
        return ax

    def _payoff_bar(self, left: float, bottom: float) -> None:
        norm = self.payoff_look[1]
        ends = norm.vmin or 0.0, norm.vmax or 0.0
        ax = self._bar("payoff bar", (left, bottom, BAR, PANEL), np.linspace(*ends, PANEL), self.payoff_look, ends)
        ax.set_yticks(list(self.payoffs), list(self.payoffs.values()))
        ax.set_ylabel("payoff to the player to move", size=TEXT * self.unit, va="top")

    def _dice_bar(self, left: float, bottom: float) -> None:
        """Standing has a box of its own below the bar, in which it would be too thin to see."""
        look, base, most = self.dice_look, BAR + 14, self.most
        box = self._bar("stand bar", (left, bottom, BAR, BAR), np.zeros(1), look, (-0.5, 0.5))
        box.set_yticks([0], ["0 stand"])
        if not most:
            return
        place = (left, bottom + base, BAR, PANEL - base)
        ax = self._bar("dice bar", place, _sampled(np.arange(1, most + 1)), look, (0.5, most + 0.5))
        room = 1.6 * SMALL_TEXT * most / _points(PANEL - base)  # dice per tick at the least
        step = next(step for step in ROUND if step >= room)
        inner = [n for n in range(step, most, step) if min(n - 1, most - n) >= room]
        ax.set_yticks([1, *inner, most] if most > 1 else [1])
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
    near = 1 + max(run.n for run in bands) / 10  # a number wider than its band may cover bands like it only

    def stands(i: int) -> bool:
        low, high = places[i] - rooms[i] / 2, places[i] + rooms[i] / 2
        wide = high - low > (bands[i].last - bands[i].first + 1) * cell
        alike = all(abs(run.n - bands[i].n) <= near for run in bands[max(i - 1, 0) : i + 2])
        return -slack <= low and high <= length + slack and (alike or not wide)

    inside = [i for i in range(len(bands)) if stands(i)]

    def apart(i: int, j: int, more: float = 0.0) -> bool:
        outside = i < 0 or j == len(bands)
        return outside or places[j] - places[i] >= (rooms[i] + rooms[j]) / 2 + more

    def kept(low: int, wanted: list[int], high: int) -> list[int]:
        found = [low]
        for i in wanted:
            if apart(found[-1], i) and apart(i, high):
                found.append(i)
        return found[1:]

    def fill(low: int, high: int, step: int) -> list[int]:
        """Between two numbers that are set: all multiples of a divisor of the step, then finer ones between these."""
        between = [i for i in inside if low < i < high]
        divisors = [divisor for divisor in ROUND if divisor < step and step % divisor == 0]
        multiples = {divisor: [i for i in between if bands[i].n % divisor == 0] for divisor in divisors}
        fitting = {divisor: kept(low, wanted, high) for divisor, wanted in multiples.items()}
        # the finest of which all fit; if there is none and the gap is wide, what fits of the coarsest
        best = next((d for d in divisors if fitting[d] and fitting[d] == multiples[d]), None)
        if best is None and apart(low, high, 2 * max(rooms)):
            best = next((d for d in reversed(divisors) if fitting[d]), None)
        if best is None:
            return []
        marks = [low, *fitting[best], high]
        return fitting[best] + [i for pair in pairwise(marks) for i in fill(*pair, best)]

    return [bands[i] for i in sorted(fill(-1, len(bands), 10 * ROUND[-1]))]


def borders(areas: Table, crowded: bool) -> Table:
    """Segments that part cells [x, y] of different areas, as pairs of corners; cell [0, 0] has the corner (0, 0).

    Not `crowded`: without the lines between two others, which would hide the colours of single cells.
    """
    upright = _stretches(areas[1:] != areas[:-1], crowded)
    level = _stretches((areas[:, 1:] != areas[:, :-1]).T, crowded)
    return np.concatenate([upright, level[:, :, ::-1]])


def _stretches(parted: Table, crowded: bool) -> Table:
    """Where rows i and i + 1 are parted, as segments from (i + 1, first) to (i + 1, last + 1)."""
    drawn = parted.copy()
    if not crowded:
        drawn[1:-1] &= ~(parted[:-2] & parted[2:])
    ends = np.diff(np.pad(drawn.astype(np.int8), ((0, 0), (1, 1))), axis=1)
    row, first = np.nonzero(ends == 1)
    last = np.nonzero(ends == -1)[1]
    return np.stack([row + 1, first, row + 1, last], axis=1).reshape(-1, 2, 2)


def _sampled(cells: Table) -> Table:
    """The cells that the pixels of the largest panel show: all, where there are not more of them than pixels."""
    if len(cells) <= MOST_PIXELS:
        return cells
    seen = ((np.arange(MOST_PIXELS) + 0.5) * len(cells) / MOST_PIXELS).astype(int)
    return np.asarray(cells[np.ix_(*[seen] * cells.ndim)])


# ---- colours


def payoff_look(game: Greed) -> Look:
    """Red for a loss, blue for a win, white half-way; where nothing is at stake all is white."""
    from matplotlib import colormaps
    from matplotlib.colors import Normalize

    low, high = float(game.lose), float(game.win)
    around = max(1.0, abs(low)) if low == high else 0.0
    return colormaps["RdBu"], Normalize(low - around, high + around)


def dice_look(most: int) -> Look:
    """Grey for standing, then one colour per number of dice, the more the darker."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap, Normalize, to_rgba

    shades = colormaps["viridis_r"]((np.arange(most) + 0.5) / max(most, 1))
    return ListedColormap([to_rgba(STAND), *shades]), Normalize(-0.5, most + 0.5)


def _payoff_ticks(game: Greed) -> dict[float, str]:
    low, high = float(game.lose), float(game.win)
    words = {low: "lose", high: "win"} if low < high else {low: "always"}
    return {at: _minus(f"{at:.4g} {words.get(at, '')}".rstrip()) for at in np.linspace(low, high, 5).tolist()}


# ---- sizes


def _broken(words: list[str], joint: str, width: int) -> list[str]:
    """Phrases in lines of at most so many letters; one that is longer is broken, and cut after four lines."""
    lines = [""]
    for phrase in words:
        joined = lines[-1] + joint + phrase if lines[-1] else phrase
        if len(joined) <= width:
            lines[-1] = joined
        else:
            lines += textwrap.wrap(phrase, width, max_lines=4, placeholder=" …")
    return [line for line in lines if line]


def _digits(n: int) -> int:
    return len(str(n))


def _points(pixels: float) -> float:
    return pixels * 72 / DPI


def _pixels(points: float) -> int:
    return round(points * DPI / 72)
