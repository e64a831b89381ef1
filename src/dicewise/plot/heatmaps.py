"""Two-player Greed in heatmaps, four or one: what each state is worth, how many dice to roll, in normal and last turns.

The active player's score runs to the right, the queued player's upwards. Payoffs are red where the active player
loses, blue where that player wins, white half-way. The numbers of dice have one colour each, the more the darker;
standing is grey. A board has thousands of cells, so numbers stand where the bands of equal n meet the border: a
dice panel has rims, its outermost cells drawn once more with the numbers of their bands (none on the right, where
the active player has the maximum and stands). Small boards have a number in every cell instead.

Places are in pixels at 150 dpi, sizes of text in points, both for a panel of 600 pixels (900 where it is the only one).
Panels are made a little larger, with all that belongs to them, so that each cell is a square of whole pixels; those
with numbers in many cells are made large enough for these to be read.
"""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from dicewise._version import __version__
from dicewise.errors import InputError
from dicewise.plot.bands import DIGIT, MOST_PIXELS, ROUND, borders, digits, labelled, runs, sampled
from dicewise.plot.styles import INK, SMALL_TEXT, TEXT, TITLE, styled
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

DPI, PANEL, LONE_PANEL = 150, 600, 900
SMALL_BOARD = 25
"""Up to this maximum every cell has its number."""
LEAST_TEXT, BESIDE = 6.0, 0.35
"""Numbers in cells are not smaller than this, in points, with so much of their size beside them; panels grow for it."""
MOST_LINES = 30
"""Where there are more bands than this, lines part only every second, fifth, tenth ..."""

RIM_TEXT = 6.2
RIM_GAP, BAR = 4, 28
STAND, BAND_LINE = "#dcdcdc", "#ffffff80"
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
        words.append(f"payoffs win {minus(game.win)}, tie {minus(game.tie)}, lose {minus(game.lose)}")
    return words


def caption(solution: GreedSolution) -> list[str]:
    """The spec, the file if it was read from one, the opening move, the value of the start, the program's version."""
    from dicewise.games.greed.csv_file import ReadSolution

    start = solution.game.start()
    first, value = solution.action(start), float(solution.payoffs()[start.scores])  # all that a file has
    opening = "stand" if first == 0 else "roll 1 die" if first == 1 else f"roll {first} dice"
    moves = f"opening move: {opening}", f"value of the start: {minus(f'{value:.6g}')}"
    source = []
    if isinstance(solution, ReadSolution):
        source = [f"from {solution.file}"]
        if solution.wrong:
            source.append(f"not of these rules: {len(solution.wrong):,} of {solution.checked:,} payoffs are wrong")
    return [solution.game.spec, *source, *moves, f"dicewise {__version__}"]


def minus(number: object) -> str:
    """A number with a true minus sign."""
    return str(number).replace("-", "\N{MINUS SIGN}")


# ---- the figure


def drawable(solution: Solution[Any, Any]) -> GreedSolution:
    """The same solution, if there is a picture of it."""
    from dicewise.games.greed.solution import GreedSolution

    if isinstance(solution, GreedSolution):
        return solution
    raise InputError(
        f"{solution.game.spec}, solved by {solution.report.method}, has no picture yet; "
        "there is one of greed for two players, not solved exactly"
    )


def heatmap(solution: Solution[Any, Any]) -> Figure:
    """The four heatmaps of a two-player Greed solution."""
    greed = drawable(solution)
    with styled():
        return _Sheet(greed, ("payoff", "dice"), (False, True)).figure


def board(solution: Solution[Any, Any], what: str, last: bool) -> Figure:
    """One of them: `payoff` or `dice`, of normal turns or of the last turn."""
    greed = drawable(solution)
    with styled():
        return _Sheet(greed, (what,), (last,)).figure


class _Sheet:
    """A figure in the making: rows of payoffs and of dice, columns of normal turns and of last turns."""

    def __init__(self, solution: GreedSolution, rows: tuple[str, ...], columns: tuple[bool, ...]) -> None:
        from matplotlib.figure import Figure

        self.solution = solution
        self.game = solution.game
        self.ends = (-0.5, self.game.max + 0.5)
        self.panel = PANEL if len(columns) > 1 else LONE_PANEL
        self.small = self.game.max <= SMALL_BOARD
        cells = self.game.max + 1
        if self.small and "payoff" in rows:
            longest = max(len(text) for last in columns for row in self._payoff_texts(last) for text in row)
            room = _pixels(cells * LEAST_TEXT * (DIGIT * longest + BESIDE)) + cells
            self.panel = max(self.panel, min(room, MOST_PIXELS - cells))
        self.unit = min(cells * -(-self.panel // cells), MOST_PIXELS) / self.panel
        # one or four, the same colour stands for the same number
        self.most = max(int(solution.dice(last).max()) for last in (False, True))
        self.payoff_look, self.dice_look = payoff_look(self.game), dice_look(self.most)
        bare = self.small or "dice" not in rows
        self.rim_high = 0 if bare else RIM_GAP + _pixels(RIM_TEXT * 1.4)
        self.rim_wide = 0 if bare else RIM_GAP + _pixels(RIM_TEXT * (DIGIT * max(digits(self.most), 2) + 0.6))
        self.payoffs = _payoff_ticks(self.game)
        self.reach = _pixels(SMALL_TEXT * DIGIT * max(map(len, ("0 stand", *self.payoffs.values())))) + 20

        wide = 90 if len(columns) > 1 else 66
        title, foot = _broken(ruleset(self.game), ", ", wide), _broken(caption(solution), "   ·   ", wide * 7 // 4)
        lefts = [108 + self.rim_wide + at * (self.panel + 126 + self.rim_wide) for at in range(len(columns))]
        bar = lefts[-1] + self.panel + 40
        bottoms, above = {}, 110 + 25 * len(foot)
        for what in reversed(rows):
            rim = self.rim_high if what == "dice" else 0
            bottoms[what] = above + rim
            above = bottoms[what] + self.panel + rim + 140
        width, height = bar + BAR + self.reach + 46, above - 70 + 38 * len(title)
        self.size = np.round(np.array([width, height]) * self.unit)
        self.figure = Figure(figsize=tuple(self.size / DPI), dpi=DPI, facecolor="white")

        middle = (lefts[0] + lefts[-1] + self.panel) / 2
        self._text((middle, height - 22), "\n".join(title), TITLE, va="top")
        self._text((middle, 22), "\n".join(foot), SMALL_TEXT, va="bottom")
        for what, bottom in bottoms.items():
            draw_panel, draw_bar = {
                "payoff": (self._payoff_panel, self._payoff_bar),
                "dice": (self._dice_panel, self._dice_bar),
            }[what]
            for left, last in zip(lefts, columns, strict=True):
                draw_panel((left, bottom), last)
            draw_bar(bar, bottom)

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
        ax = self._axes(title, (*place, self.panel, self.panel))
        self._show(ax, sampled(cells), look, self.ends, self.ends)
        ax.set_title(title, size=1.1 * TEXT * self.unit, pad=(5 + _points(above)) * self.unit)
        return ax

    def _payoff_panel(self, place: Pair, last: bool) -> None:
        payoffs = self.solution.payoffs(last)
        ax = self._panel("payoff", last, place, payoffs, self.payoff_look, 0)
        if self.small:
            self._cell_numbers(ax, payoffs, self._payoff_texts(last), 1)
        self._scores(ax.xaxis, ACTIVE)
        self._scores(ax.yaxis, QUEUED)

    def _payoff_texts(self, last: bool) -> list[list[str]]:
        return [[_short(value, self.game) for value in row] for row in self.solution.payoffs(last)]

    def _dice_panel(self, place: Pair, last: bool) -> None:
        dice = self.solution.dice(last)
        ax = self._panel("dice to roll", last, place, dice, self.dice_look, self.rim_high)
        self._lines(ax, sampled(dice))
        if self.small:
            self._cell_numbers(ax, dice, dice.tolist(), digits(self.most))
            below = beside = ax
        else:
            left, bottom = place
            high, wide, name = self.rim_high - RIM_GAP, self.rim_wide - RIM_GAP, ax.get_label()
            above = self._axes(f"{name}, top", (left, bottom + self.panel + RIM_GAP, self.panel, high))
            below = self._axes(f"{name}, bottom", (left, bottom - self.rim_high, self.panel, high))
            beside = self._axes(f"{name}, left", (left - self.rim_wide, bottom, wide, self.panel))
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
        seen, across = sampled(border), (0.0, 1.0)
        if flat:
            self._show(ax, seen[:, None], self.dice_look, self.ends, across)
        else:
            self._show(ax, seen[None, :], self.dice_look, across, self.ends)
        ax.spines[:].set_visible(False)
        for run in labelled(runs(border), _points(self.panel) / len(border), RIM_TEXT, flat):
            place = (run.middle, 0.5) if flat else (0.5, run.middle)
            self._number(ax, place, run.n, self.dice_look, run.n, RIM_TEXT)

    def _cell_numbers(self, ax: Axes, cells: Table, texts: list[list[Any]], least: int) -> None:
        """The number of every cell; `least` is how many digits there is room for at the least."""
        cell = _points(self.panel) / len(cells)
        longest = max(least, *(len(str(text)) for row in texts for text in row))
        size = min(cell / (DIGIT * longest + BESIDE), 0.6 * cell, 1.2 * TEXT)
        look = self.payoff_look if cells.dtype.kind == "f" else self.dice_look
        for (a, q), value in np.ndenumerate(cells):
            self._number(ax, (a, q), texts[a][q], look, value, size)

    def _number(self, ax: Axes, place: Pair, text: object, look: Look, value: float, size: float) -> None:
        cmap, norm = look
        red, green, blue, _ = cmap(norm(value))
        ink = "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.45 else "white"
        ax.text(*place, str(text), size=size * self.unit, color=ink, ha="center", va="center_baseline")

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
                lines = PathPatch(path, fill=False, edgecolor=colour, linewidth=width * self.unit)
                ax.add_artist(lines)  # add_patch would look at every corner, and the panel has its limits already

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
        ax = self._bar(
            "payoff bar", (left, bottom, BAR, self.panel), np.linspace(*ends, self.panel), self.payoff_look, ends
        )
        ax.set_yticks(list(self.payoffs), list(self.payoffs.values()))
        ax.set_ylabel("payoff to the player to move", size=TEXT * self.unit, va="top")

    def _dice_bar(self, left: float, bottom: float) -> None:
        """Standing has a box of its own below the bar, in which it would be too thin to see."""
        look, base, most = self.dice_look, BAR + 14, self.most
        box = self._bar("stand bar", (left, bottom, BAR, BAR), np.zeros(1), look, (-0.5, 0.5))
        box.set_yticks([0], ["0 stand"])
        if not most:
            return
        place = (left, bottom + base, BAR, self.panel - base)
        ax = self._bar("dice bar", place, sampled(np.arange(1, most + 1)), look, (0.5, most + 0.5))
        room = 1.6 * SMALL_TEXT * most / _points(self.panel - base)  # dice per tick at the least
        step = next(step for step in ROUND if step >= room)
        inner = [n for n in range(step, most, step) if min(n - 1, most - n) >= room]
        ax.set_yticks([1, *inner, most] if most > 1 else [1])
        ax.set_ylabel("dice to roll", size=TEXT * self.unit, va="top")


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
    return {at: minus(f"{at:.4g} {words.get(at, '')}".rstrip()) for at in np.linspace(low, high, 5).tolist()}


def _short(payoff: float, game: Greed) -> str:
    """A payoff for a small cell: .25, −.5, 1."""
    far = max(abs(float(game.lose)), abs(float(game.win)))
    text = f"{payoff:.2f}" if far <= 1 else f"{payoff:.1f}" if far <= 10 else f"{payoff:.3g}"
    text = re.sub(r"^(-?)0(?=\.)", r"\1", text)
    text = text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text
    return minus(text if text not in ("", "-") else "0")


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


def _points(pixels: float) -> float:
    return pixels * 72 / DPI


def _pixels(points: float) -> int:
    return round(points * DPI / 72)
