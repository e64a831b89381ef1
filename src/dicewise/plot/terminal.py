"""Charts made of cells, in a terminal: half-blocks of colour, or characters where there is no colour.

A half-block is two pixels, one above the other, and about square. Boards with more cells than there is room for are
sampled, smaller ones are drawn larger; the cells of very small ones have their numbers. Without colours (`NO_COLOR`, no
terminal, an encoding without blocks) a character stands for a band of numbers, and a legend says for which.
"""

from __future__ import annotations

import os
import shutil
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from dicewise.chart import Chart, Grid
from dicewise.errors import InputError
from dicewise.plot.palette import colours_of, limits_of, share_of

TRUE_COLOUR, MANY, NONE = 1 << 24, 256, 0
LEAST, LARGEST = 24, 64
"""Pixels: a board is not made smaller than the first for the sake of the height, nor larger than the second."""
DIGITS = ".123456789abcdefghijklmnopqrstuvwxyz"
"""Counts of up to 35, 0 first."""
RISING, BOTH_WAYS = ".:-=+*#%@", "#x-.+o@"
"""Bands from low to high; of those with a middle, the loss on the left and the win on the right."""
PLAIN = str.maketrans({"’": "'", "\N{MINUS SIGN}": "-", "·": "-", "…": "...", "–": "-", "▀": "#", "█": "#", "↑": "^"})

Cells = NDArray[np.float64]


@dataclass(frozen=True)
class Screen:
    """What a terminal can show."""

    width: int = 80
    height: int = 24
    colours: int = NONE
    """`TRUE_COLOUR`, 256, or 0."""
    blocks: bool = True
    """Whether it can show letters and blocks beyond ASCII."""

    @classmethod
    def of(cls, stream: TextIO, env: Mapping[str, str] | None = None) -> Screen:
        """What a stream leads to, as far as it and the environment say."""
        env = os.environ if env is None else env
        width, height = shutil.get_terminal_size()
        encoding = getattr(stream, "encoding", None) or "ascii"
        try:
            "▀█’·↑".encode(encoding)
            blocks = True
        except (UnicodeEncodeError, LookupError):
            blocks = False
        return cls(max(width, 40), height, _colours(stream.isatty(), env) if blocks else NONE, blocks)


def _colours(terminal: bool, env: Mapping[str, str]) -> int:
    term = env.get("TERM", "")
    if env.get("NO_COLOR") or (not env.get("FORCE_COLOR") and (not terminal or term == "dumb")):
        return NONE
    if env.get("COLORTERM", "").lower() in ("truecolor", "24bit") or "WT_SESSION" in env or "direct" in term:
        return TRUE_COLOUR
    return MANY if "256" in term or env.get("FORCE_COLOR") else NONE


def lines_of(chart: Chart, screen: Screen) -> Iterator[str]:
    """A chart of cells, line by line."""
    grids = [panel for panel in chart.panels if isinstance(panel, Grid)]
    if len(grids) < len(chart.panels):
        raise InputError(f"{chart.title!r} is not made of cells; write it to a file with -o")
    beside = 2 if len(grids) > 1 and screen.width >= 64 else 1
    room = (screen.width - 2 * (beside - 1)) // beside
    told = [*textwrap.wrap(chart.title, screen.width), ""]
    for at in range(0, len(grids), beside):
        row = grids[at : at + beside]
        panels = [_Panel(grid, room, screen) for grid in row]
        told += _side_by_side([panel.lines() for panel in panels], room + 2)
        legends = {tuple(_legend(panel.grid, screen, bool(panel.texts))): None for panel in panels}
        told += [line for legend in legends for line in legend]
        told.append("")
    for words in chart.caption:
        told += textwrap.wrap(words.replace("   ", " "), screen.width)
    for line in told:
        yield (line if screen.blocks else line.translate(PLAIN)).rstrip()


def _side_by_side(blocks: Sequence[list[tuple[str, int]]], pitch: int) -> list[str]:
    """Blocks of lines, each with its width, that end on the same line."""
    most = max(map(len, blocks))
    lines = []
    for number in range(most):
        line, length = "", 0
        for at, block in enumerate(blocks):
            text, width = block[number - most + len(block)] if number >= most - len(block) else ("", 0)
            line += " " * (at * pitch - length) + text
            length = at * pitch + width
        lines.append(line)
    return lines


# ---- a board


class _Panel:
    """A grid, brought to the size of the screen."""

    def __init__(self, grid: Grid, room: int, screen: Screen) -> None:
        self.grid, self.screen, self.room = grid, screen, room
        self.cells = np.asarray(grid.cells, dtype=float)
        self.margin = max(len(_number(value)) for value in (grid.at_y[0], grid.at_y[-1])) + 1
        free, (across, up) = room - self.margin, self.cells.shape
        texts = self._texts()
        longest = 1 + max((len(text) for row in texts for text in row), default=0)
        self.texts = texts if texts and longest * across <= free else []
        if self.texts:
            self.across, self.up = longest * across, up
        elif screen.colours:
            # as many pixels as there is room for and not much higher than the screen; whole ones for each cell, if
            # there are enough
            high, largest = max(2 * (screen.height - 8), 2 * LEAST), max(across, up)
            times = min(free, high, LARGEST) // largest or min(1.0, min(free, max(high, LARGEST)) / largest)
            self.across, self.up = (max(1, round(count * times)) for count in (across, up))
        else:
            fit = min(2 * across, free)
            self.across, self.up = fit, max(1, round(up * fit / (2 * across)))

    def _texts(self) -> list[list[str]]:
        """The numbers of the cells, where they are to be written."""
        grid = self.grid
        if not grid.numbers:
            return []
        written = self.cells if grid.written is None else grid.written
        return [["" if np.isnan(value) else _short(grid.numbers.format(value)) for value in row] for row in written]

    def lines(self) -> list[tuple[str, int]]:
        grid, margin = self.grid, self.margin
        told = [(line, len(line)) for line in textwrap.wrap(grid.title, self.room)]
        told += [(line, len(line)) for line in self._indented(f"↑ {grid.y}")]
        body = self._numbered() if self.texts else self._blocks() if self.screen.colours else self._letters()
        ticks = self._ticks(grid.at_y, len(body))
        for row, line in enumerate(body):
            label = f"{ticks.get(len(body) - 1 - row, ''):>{margin - 1}} "
            told.append((label + line, margin + self.across))
        below = [" "] * (self.across + margin)
        free = 0
        for column, label in sorted(self._ticks(grid.at_x, self.across).items()):
            first = min(max(margin + column - (len(label) - 1) // 2, free), len(below) - len(label))
            if first >= free:
                below[first : first + len(label)] = label
                free = first + len(label) + 1
        told.append(("".join(below), len(below)))
        words = f"{grid.x} →" if self.screen.blocks else f"{grid.x} >"
        told += [(line, len(line)) for line in self._indented(words)]
        return told

    def _indented(self, words: str) -> list[str]:
        blank = " " * self.margin
        return textwrap.wrap(words, self.room, initial_indent=blank, subsequent_indent=blank)

    def _ticks(self, at: Sequence[float], places: int) -> dict[int, str]:
        """Round numbers along an axis, by their place from the left or from below."""
        span = abs(at[-1] - at[0]) or 1.0
        step = next(step for step in _steps() if span / step <= max(2, min(6, places / 5)))
        found = {}
        for index, value in enumerate(at):
            if abs(value / step - round(value / step)) < 1e-9:
                found[int((index + 0.5) * places / len(at))] = _number(value)
        return found

    def _sampled(self, across: int, up: int) -> Cells:
        """The cells that pixels show, [row, column] from above."""
        x, y = (
            ((np.arange(pixels) + 0.5) * count / pixels).astype(int)
            for pixels, count in zip((across, up), self.cells.shape, strict=True)
        )
        return np.asarray(self.cells[np.ix_(x, y)].T[::-1])

    def _blocks(self) -> list[str]:
        colours = colours_of(self.grid, self._sampled(self.across, self.up))
        ink = _Ink(self.screen.colours)
        lines = []
        first = self.up % 2
        if first:  # an odd row has the line of its own above the others
            lines.append("".join(ink.put("▄", fore=colour) for colour in colours[0]) + ink.end())
        for row in range(first, self.up, 2):
            pairs = zip(colours[row], colours[row + 1], strict=True)
            lines.append("".join(ink.put("▀", fore=upper, back=lower) for upper, lower in pairs) + ink.end())
        return lines

    def _numbered(self) -> list[str]:
        width = self.across // self.cells.shape[0]
        colours = colours_of(self.grid, self.cells)
        ink = _Ink(self.screen.colours)
        lines = []
        for y in reversed(range(self.up)):
            line = ""
            for x in range(self.cells.shape[0]):
                text = f"{self.texts[x][y]:>{width}}"
                line += ink.put(text, back=colours[x, y], readable=True) if self.screen.colours else text
            lines.append(line + ink.end())
        return lines

    def _letters(self) -> list[str]:
        return _bands(self.grid).written(self._sampled(self.across, self.up))


def _steps() -> Iterator[float]:
    for power in range(-9, 10):
        for digit in (1, 2, 5):
            yield digit * 10.0**power


def _number(value: float) -> str:
    return f"{value:.6g}"


def _short(text: str) -> str:
    """A number without what can be left out: -.5, 1, 0."""
    if "." in text and "e" not in text:
        text = text.rstrip("0").rstrip(".")
    for sign in ("", "-", "+"):
        if text.startswith(f"{sign}0."):
            text = sign + text[len(sign) + 1 :]
    return "0" if text in ("-0", "+0", "") else text


# ---- colours


class _Ink:
    """Writes the codes for colours, where they change."""

    def __init__(self, colours: int) -> None:
        self.colours = colours
        self.last = ""

    def put(self, text: str, fore: Any = None, back: Any = None, readable: bool = False) -> str:
        if readable:
            light = back @ (0.299, 0.587, 0.114) > 115
            fore = np.array([0, 0, 0] if light else [255, 255, 255])
        codes = [self._code(38, fore)] if fore is not None else []
        codes += [self._code(48, back)] if back is not None else []
        code = f"\x1b[{';'.join(codes)}m"
        change, self.last = ("" if code == self.last else code), code
        return change + text

    def end(self) -> str:
        self.last = ""
        return "\x1b[0m" if self.colours else ""

    def _code(self, kind: int, colour: Any) -> str:
        red, green, blue = (round(float(part)) for part in colour)
        if self.colours == TRUE_COLOUR:
            return f"{kind};2;{red};{green};{blue}"
        return f"{kind};5;{nearest_of_256(red, green, blue)}"


def nearest_of_256(red: int, green: int, blue: int) -> int:
    """The nearest of the 6 x 6 x 6 colours and the 24 greys that terminals with 256 colours have."""
    levels = (0, 95, 135, 175, 215, 255)
    places = [min(range(6), key=lambda at: abs(levels[at] - part)) for part in (red, green, blue)]
    grey = min(23, max(0, round(((red + green + blue) / 3 - 8) / 10)))

    def far(colour: Sequence[int]) -> int:
        return sum((a - b) ** 2 for a, b in zip(colour, (red, green, blue), strict=True))

    if far([8 + 10 * grey] * 3) < far([levels[place] for place in places]):
        return 232 + grey
    return 16 + 36 * places[0] + 6 * places[1] + places[2]


# ---- letters


class _Bands:
    """Which character stands for which numbers."""

    def __init__(self, grid: Grid, letters: str, names: Sequence[str]) -> None:
        self.grid, self.letters, self.names = grid, letters, names

    def written(self, rows: Cells) -> list[str]:
        """Cells [row, column] as lines."""
        known = ~np.isnan(rows)
        values = np.where(known, rows, limits_of(self.grid)[0])
        if self.grid.look in ("kinds", "counts") and len(self.letters) > limits_of(self.grid)[1]:
            places = values.astype(int)
        else:
            places = np.minimum(share_of(self.grid, values) * len(self.letters), len(self.letters) - 1).astype(int)
        letters = np.where(known, np.array(list(self.letters))[places], " ")
        return ["".join(row) for row in letters]


def _bands(grid: Grid) -> _Bands:
    low, high = limits_of(grid)
    if grid.look == "kinds":
        letters = "."
        for kind in grid.kinds[1:]:
            letters += next(each for each in kind.upper() + DIGITS if each not in letters + " ")
        return _Bands(grid, letters, grid.kinds)
    if grid.look == "counts" and high < len(DIGITS):
        return _Bands(grid, DIGITS[: int(high) + 1], [str(n) for n in range(int(high) + 1)])
    letters = BOTH_WAYS if grid.look == "diverging" else RISING
    edges = (
        np.geomspace(low, high, len(letters) + 1) if grid.look == "log" else np.linspace(low, high, len(letters) + 1)
    )
    ends = _told_apart(edges.tolist(), 1 if grid.look == "log" else 3)
    names = [f"{first} to {last}" for first, last in pairwise(ends)]
    return _Bands(grid, letters, names)


def _told_apart(numbers: Sequence[float], digits: int) -> list[str]:
    """Numbers with as few digits as tell them apart, but not fewer than these."""
    forms = ([f"{number:.{many}g}" for number in numbers] for many in range(digits, 17))
    return next((texts for texts in forms if len(set(texts)) == len(texts)), [f"{number:.17g}" for number in numbers])


def _legend(grid: Grid, screen: Screen, numbered: bool) -> list[str]:
    """What the colours or characters stand for, in lines that fit; `numbered` cells say it themselves."""
    if numbered and not screen.colours:
        return textwrap.wrap(f"in the cells: {grid.scale}", screen.width)
    title = f"{grid.scale}:" if grid.scale else ""
    empty = bool(np.isnan(np.asarray(grid.cells, dtype=float)).any())
    if screen.colours:
        words = [(title, len(title))] if title else []
        return _filled(words + _coloured_legend(grid, screen) + ([("grey: none", 10)] if empty else []), screen.width)
    bands, high = _bands(grid), limits_of(grid)[1]
    listed = [f"{letter} {name}" for letter, name in zip(bands.letters, bands.names, strict=True)]
    if grid.look == "counts" and len(bands.letters) > 10 and high < len(DIGITS):
        listed = [". 0", "1-9", *listed[10:]]
    return textwrap.wrap(f"{title} {', '.join(listed)}{', blank: none' if empty else ''}".strip(), screen.width)


def _coloured_legend(grid: Grid, screen: Screen) -> list[tuple[str, int]]:
    """Boxes and bars of colour with their numbers, each with its width."""
    ink = _Ink(screen.colours)

    def box(value: float, name: str) -> tuple[str, int]:
        return f"{ink.put('██', fore=colours_of(grid, value))}{ink.end()} {name}", 3 + len(name)

    if grid.look == "kinds":
        return [box(float(at), kind) for at, kind in enumerate(grid.kinds)]
    low, high = limits_of(grid)
    first, count = (1.0 if grid.look == "counts" else low), min(32, screen.width // 3)
    steps = np.geomspace(low, high, count) if grid.look == "log" else np.linspace(first, high, count)
    steps = np.round(steps) if grid.look == "counts" else steps
    bar = "".join(ink.put("█", fore=colour) for colour in colours_of(grid, steps)) + ink.end()
    form = "{:.1g}" if grid.look == "log" else "{:.3g}"
    ends = form.format(first), form.format(high)
    line = f"{ends[0]} {bar} {ends[1]}", count + 2 + len(ends[0]) + len(ends[1])
    return [line, box(0.0, "0 stand")] if grid.look == "counts" else [line]


def _filled(items: Sequence[tuple[str, int]], width: int) -> list[str]:
    """Items side by side, in as many lines as they need."""
    lines: list[str] = []
    free = 0
    for text, length in items:
        if lines and free >= length + 2:
            lines[-1] += f"  {text}"
            free -= length + 2
        else:
            lines.append(text)
            free = width - length
    return lines
