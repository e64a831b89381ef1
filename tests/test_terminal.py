"""Boards in the terminal: they fit, the colours are right, and without colours letters say the same."""

from __future__ import annotations

import io
import re
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import colormaps

from dicewise import InputError, plot
from dicewise.chart import Chart, Grid
from dicewise.games.greed import Greed
from dicewise.games.greed.solution import GreedSolution, solve_fast
from dicewise.plot.cells import look_of
from dicewise.plot.palette import RDBU, VIRIDIS, colours_of, limits_of
from dicewise.plot.terminal import DIGITS, MANY, TRUE_COLOUR, Screen, lines_of, nearest_of_256

CODES = re.compile("\x1b\\[[0-9;]*m")


@cache
def solved(game: Greed) -> GreedSolution:
    return solve_fast(game)


def shown(chart: Chart, screen: Screen) -> list[str]:
    return list(lines_of(chart, screen))


def plain(line: str) -> str:
    return CODES.sub("", line)


def pixels(lines: list[str]) -> list[list[tuple[int, ...]]]:
    """The colours of half-blocks, row by row from above; an odd number of rows begins with lower halves alone."""
    rows = []
    for line in lines:
        pairs = []
        fore: tuple[int, ...] = ()
        back: tuple[int, ...] = ()
        for code, letter in re.findall("\x1b\\[([0-9;]*)m|(.)", line):
            if code and code != "0":
                parts = [int(part) for part in code.split(";")]
                fore, back = tuple(parts[2:5]), tuple(parts[7:10])
            elif letter in "▀▄" and letter:
                pairs.append((fore, back))
        if pairs:
            rows += [[fore for fore, _ in pairs], [back for _, back in pairs if back]]
    return [row for row in rows if row]


# ---- colours


@pytest.mark.parametrize("colours", [TRUE_COLOUR, MANY, 0])
@pytest.mark.parametrize("width", [40, 64, 80, 133, 250])
@pytest.mark.parametrize("view", ["heatmap", "payoff", "last-dice", "difference", "regions", "reach"])
def test_nothing_is_wider_than_the_terminal(view: str, width: int, colours: int) -> None:
    for game in (Greed(1, 6), Greed(12, 4), Greed(100, 6)):
        other = {"other": solved(Greed(12, 4))} if view == "difference" else {}
        chart = plot.chart(solved(game), view, **other)
        lines = shown(chart, Screen(width, 24, colours))
        assert max(len(plain(line)) for line in lines) <= width
        assert any(chart.title[:20] in line for line in lines)
        assert all(line == line.rstrip() for line in lines)
        assert ("\x1b" in "".join(lines)) == bool(colours)
        assert "▀" not in "".join(lines) or colours
        for line in lines:  # no colour runs on
            assert not CODES.findall(line) or CODES.findall(line)[-1] == "\x1b[0m"


def test_each_pixel_has_the_colour_of_its_cell() -> None:
    cells = np.arange(30.0).reshape(6, 5)
    cells[2, 3] = np.nan
    grid = Grid("title", "x", "y", cells, range(6), range(5), "what")
    lines = shown(Chart("t", [grid], ["c"], "w"), Screen(60, 40, TRUE_COLOUR))
    rows = pixels(lines)
    size = len(rows[0]) // 6
    assert (len(rows[0]), len(rows)) == (6 * size, 5 * size)
    for (x, y), value in np.ndenumerate(cells):
        wanted = tuple(round(part) for part in colours_of(grid, value).tolist())
        for row in range(size):
            for column in range(size):
                assert rows[len(rows) - 1 - y * size - row][x * size + column] == wanted


def test_large_boards_are_sampled_evenly() -> None:
    cells = np.add.outer(np.arange(500.0), np.zeros(500))
    grid = Grid("title", "x", "y", cells, range(500), range(500), "what", limits=(0.0, 499.0))
    (row, *_) = rows = pixels(shown(Chart("t", [grid], ["c"], "w"), Screen(80, 24, TRUE_COLOUR)))
    assert 40 <= len(row) <= 76
    assert abs(len(rows) - len(row)) <= 1
    wanted = [cells[int((at + 0.5) * 500 / len(row)), 0] for at in range(len(row))]
    assert row == [tuple(round(part) for part in colours_of(grid, value).tolist()) for value in wanted]


@pytest.mark.parametrize("look", ["sequential", "diverging", "log", "counts", "kinds"])
def test_colours_are_those_of_the_files(look: str) -> None:
    cells = np.array([[0.0, 1.0, 2.0], [3.0, 2.0, 0.0]])
    if look == "log":
        cells = 10.0**-cells
    kinds = ("a", "b", "c", "d") if look == "kinds" else ()
    grid = Grid("t", "x", "y", cells, range(2), range(3), "what", look, kinds=kinds)
    cmap, norm = look_of(grid)
    wanted = np.asarray(cmap(norm(cells)))[..., :3] * 255
    assert np.abs(colours_of(grid, cells) - wanted).max() < 6


def test_the_tables_of_colours() -> None:
    for names, name in ((RDBU, "RdBu"), (VIRIDIS, "viridis")):
        for share, colour in zip(np.linspace(0, 1, len(names)), names, strict=True):
            found = [part / 255 for part in bytes.fromhex(colour)]
            assert found == pytest.approx(colormaps[name](share)[:3], abs=0.02)


@given(st.tuples(*[st.integers(0, 255)] * 3))
@settings(max_examples=200, deadline=None)
def test_the_nearest_of_256_colours(colour: tuple[int, int, int]) -> None:
    levels = (0, 95, 135, 175, 215, 255)
    known = {
        16 + 36 * r + 6 * g + b: (levels[r], levels[g], levels[b]) for r in range(6) for g in range(6) for b in range(6)
    }
    known |= {232 + grey: (8 + 10 * grey,) * 3 for grey in range(24)}

    def far(number: int) -> int:
        return sum((a - b) ** 2 for a, b in zip(known[number], colour, strict=True))

    found = nearest_of_256(*colour)
    # a grey is looked for along the mean only, which may miss the nearest by a hair
    assert far(found) <= 1.2 * min(map(far, known)) + 30


# ---- letters and numbers


def test_letters_are_the_numbers_of_dice() -> None:
    solution = solved(Greed(30, 6))
    lines = shown(plot.chart(solution, "last-dice"), Screen(80, 24, blocks=False))
    assert all(line.isascii() for line in lines)
    body = [line[3:] for line in lines if re.match(r"[ 0-9]{2} [0-9a-z.]{60,}$", line)]
    assert len(body) == 31
    for q, row in enumerate(reversed(body)):
        for a in range(31):
            assert row[2 * a : 2 * a + 2] == 2 * DIGITS[solution.action(solution.game.at(a, q, last=True))]
    legend = " ".join(lines)
    assert ". 0, 1-9" in legend or ". 0, 1 1" in legend


def test_bands_of_chances_can_be_told_apart() -> None:
    chart = plot.chart(solve_fast(Greed(3, 6)), "reach")
    legend = " ".join(lines_of(chart, Screen()))
    bands = re.findall(r"(\d[\d.e-]*) to (\d[\d.e-]*)", legend)
    assert len(bands) >= 9
    assert all(first != last for first, last in bands)


def test_boards_aligned_at_the_maximum_say_why_they_are_equal() -> None:
    chart = plot.chart(solve_fast(Greed(10, 6)), "difference", other=solve_fast(Greed(12, 6)))
    lines = list(lines_of(chart, Screen()))
    assert not [line for line in lines if line.startswith("maximum")]  # the label of an axis, wrapped
    assert "depends on the points to go alone" in " ".join(lines)
    other = plot.chart(solve_fast(Greed(10, 6)), "difference", other=solve_fast(Greed(12, 4)))
    assert "points to go alone" not in " ".join(other.caption)


def test_letters_of_payoffs_have_a_legend_of_their_bands() -> None:
    lines = shown(plot.chart(solved(Greed(30, 6)), "payoff"), Screen(80, 24))
    legend = " ".join(lines)
    assert "# -1 to -0.714" in legend
    assert ". -0.143 to 0.143" in legend
    assert "@ 0.714 to 1" in legend
    corner = next(line for line in lines if line.startswith("30 "))
    assert corner[3] in "#x", "far behind a queued player who has the maximum"
    assert next(line for line in lines if line.startswith(" 0 ")).endswith("@"), "far ahead with the maximum"


def test_letters_of_kinds_and_chances() -> None:
    regions = shown(plot.chart(solved(Greed(30, 6)), "regions"), Screen(80, 24))
    legend = " ".join(regions)
    assert re.search(r"\. open: \d+, F forfeit: 465, D dead tie: 4, C certain victory: \d+", legend)
    reach = shown(plot.chart(solved(Greed(30, 6)), "reach"), Screen(80, 24))
    assert "blank: none" in " ".join(reach)


@pytest.mark.parametrize("colours", [TRUE_COLOUR, 0])
def test_cells_of_small_boards_have_their_numbers(colours: int) -> None:
    solution = solved(Greed(12, 4))
    lines = [plain(line) for line in shown(plot.chart(solution, "dice"), Screen(80, 24, colours))]
    body = [line for line in lines if re.match(r"( ?\d\d?)? +\d( +\d){12}$", line)]
    assert len(body) == 13
    for q, line in enumerate(reversed(body)):
        assert [int(word) for word in line.split()[-13:]] == solution.dice(False)[:, q].tolist()
    payoffs = "\n".join(map(plain, shown(plot.chart(solved(Greed(6, 3)), "last-payoff"), Screen(80, 24, colours))))
    assert re.search(r"-\.\d", payoffs)


def test_axes_have_numbers_at_their_places() -> None:
    lines = shown(plot.chart(solved(Greed(100, 6)), "last-dice"), Screen(84, 24))
    rows = [line for line in lines if re.match(r"[ 0-9]{3} [0-9a-z.]{70,}$", line)]
    assert [line[:3].strip() for line in rows if line[:3].strip()] == ["100", "80", "60", "40", "20", "0"]
    (below,) = [line for line in lines if re.fullmatch(r" +0 +20 +40 +60 +80 +100", line)]
    forty = below.index("40")
    assert abs((forty - 4 + 0.5) / len(rows[0][4:]) - 40.5 / 101) < 0.03


# ---- what a terminal can do


class Stream(io.StringIO):
    def __init__(self, terminal: bool, encoding: str) -> None:
        super().__init__()
        self.terminal, self.coded = terminal, encoding

    def isatty(self) -> bool:
        return self.terminal

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self.coded


@pytest.mark.parametrize(
    ("terminal", "encoding", "env", "colours", "blocks"),
    [
        (True, "utf-8", {"TERM": "xterm-256color", "COLORTERM": "truecolor"}, TRUE_COLOUR, True),
        (True, "utf-8", {"TERM": "xterm-256color", "COLORTERM": "24bit"}, TRUE_COLOUR, True),
        (True, "utf-8", {"TERM": "xterm-256color"}, MANY, True),
        (True, "utf-8", {"WT_SESSION": "1"}, TRUE_COLOUR, True),
        (True, "utf-8", {"TERM": "vt100"}, 0, True),
        (True, "utf-8", {"TERM": "dumb", "COLORTERM": "truecolor"}, 0, True),
        (True, "utf-8", {"TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "1"}, 0, True),
        (True, "utf-8", {"TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": ""}, TRUE_COLOUR, True),
        (True, "ascii", {"TERM": "xterm-256color", "COLORTERM": "truecolor"}, 0, False),
        (True, "latin-1", {"TERM": "xterm-256color"}, 0, False),
        (False, "utf-8", {"TERM": "xterm-256color", "COLORTERM": "truecolor"}, 0, True),
        (False, "utf-8", {"TERM": "xterm-256color", "FORCE_COLOR": "1"}, MANY, True),
    ],
)
def test_what_a_terminal_can_do(terminal: bool, encoding: str, env: dict[str, str], colours: int, blocks: bool) -> None:
    screen = Screen.of(Stream(terminal, encoding), env)
    assert (screen.colours, screen.blocks) == (colours, blocks)


def test_it_is_as_wide_as_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "97")
    monkeypatch.setenv("LINES", "31")
    screen = Screen.of(Stream(True, "utf-8"), {})
    assert (screen.width, screen.height) == (97, 31)
    monkeypatch.setenv("COLUMNS", "7")
    assert Screen.of(Stream(True, "utf-8"), {}).width == 40


def test_charts_without_cells_are_refused() -> None:
    with pytest.raises(InputError, match="not made of cells; write it to a file with -o"):
        shown(plot.chart(solved(Greed(12, 4)), "slice"), Screen())


def test_limits_of_what_is_all_alike() -> None:
    cells = np.full((2, 2), 3.0)
    assert limits_of(Grid("t", "x", "y", cells, range(2), range(2), "s")) == (2.0, 4.0)
    assert limits_of(Grid("t", "x", "y", 0 * cells, range(2), range(2), "s", "diverging")) == (-1.0, 1.0)
    assert limits_of(Grid("t", "x", "y", cells, range(2), range(2), "s", "log", (1.0, 1.0))) == (1.0, 10.0)
    assert limits_of(Grid("t", "x", "y", cells * np.nan, range(2), range(2), "s", "log")) == (0.1, 1.0)
