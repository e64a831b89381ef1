"""The pictures show what the tables say, can be read, and are written whole or not at all."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from dicewise import plot
from dicewise.errors import DicewiseError, InputError
from dicewise.games.greed import Greed
from dicewise.games.greed.exact import solve_exactly
from dicewise.games.greed.solution import GreedSolution, solve_fast
from dicewise.plot.bands import DIGIT, LINE, Run, borders, labelled, runs, sampled
from dicewise.plot.heatmaps import ruleset

MAGIC = {"png": b"\x89PNG\r\n\x1a\n", "svg": b"<?xml", "pdf": b"%PDF-"}
KINDS = {False: "Normal turns", True: "Last turn"}
LONG_DIE = ",".join(f"{face}:{face + 1}" for face in range(1, 23))
RULESETS = [
    Greed(1, 6),
    Greed(5, 6),
    Greed(25, 1),
    Greed(26, 1),
    Greed(30, 40),
    Greed(100, 1),
    Greed(100, 2),
    Greed(100, 6),
    Greed(300, 6),
    Greed(3, die="5,6,6"),
    Greed(100, die="1,1,2,3,5,8", tie=-1),
    Greed(40, die=LONG_DIE),
    Greed(60, 6, win=10, tie=Fraction(1, 3), lose=-2.5),
    Greed(50, 6, win=0, lose=0),
]


@cache
def solved(game: Greed) -> GreedSolution:
    return solve_fast(game)


@cache
def pictured(game: Greed) -> Figure:
    return plot.heatmap(solved(game))


@cache
def drawn(game: Greed) -> Figure:
    figure = pictured(game)
    figure.draw_without_rendering()
    return figure


def pixels_of(figure: Figure) -> Any:
    """The picture as colours [row, column], rows from below."""
    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[::-1]


def axes(figure: Figure, label: str) -> Any:
    (found,) = [ax for ax in figure.axes if ax.get_label() == label]
    return found


def rims(figure: Figure, last: bool) -> dict[str, Any]:
    start = f"{KINDS[last]}: dice to roll, "
    return {str(ax.get_label())[len(start) :]: ax for ax in figure.axes if str(ax.get_label()).startswith(start)}


# ---- what they show


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("game", [Greed(10, 3), Greed(100, 6), Greed(40, 2, tie=-1)], ids=lambda game: game.spec)
def test_each_cell_stands_where_its_scores_are(game: Greed, last: bool) -> None:
    solution, figure = solved(game), pictured(game)
    for what, table in (("payoff", solution.payoffs(last)), ("dice to roll", solution.dice(last))):
        ax = axes(figure, f"{KINDS[last]}: {what}")
        (image,) = ax.images
        assert np.array_equal(image.get_array().T, table)
        assert (image.origin, image.get_interpolation()) == ("lower", "nearest")
        assert image.get_extent() == [-0.5, game.max + 0.5, -0.5, game.max + 0.5]
        assert ax.get_xlim() == ax.get_ylim() == (-0.5, game.max + 0.5)


@pytest.mark.parametrize("last", [False, True])
def test_pixels_have_the_colours_of_their_cells(last: bool) -> None:
    game = Greed(40, 2, tie=-1)
    solution, figure = solved(game), pictured(game)
    pixels = pixels_of(figure)
    for what, table in (("payoff", solution.payoffs(last)), ("dice to roll", solution.dice(last))):
        ax = axes(figure, f"{KINDS[last]}: {what}")
        (image,) = ax.images
        for active, queued in [(0, 0), (40, 0), (0, 40), (7, 31), (31, 7), (39, 40), (20, 20)]:
            x, y = ax.transData.transform((active, queued)).astype(int)
            wanted = image.cmap(image.norm(table[active, queued]), bytes=True)
            assert tuple(pixels[y, x]) == wanted


@pytest.mark.parametrize("game", [Greed(1, 6), Greed(15, 6), Greed(25, 6)], ids=lambda game: game.spec)
def test_numbers_in_cells_can_be_read(game: Greed) -> None:
    for figure in (pictured(game), plot.figure(solved(game), "payoff")):
        ax = axes(figure, "Normal turns: payoff")
        assert len(ax.texts) == (game.max + 1) ** 2
        assert min(text.get_size() for text in ax.texts) >= 6.0


def test_each_cell_is_a_square_of_whole_pixels() -> None:
    for game in (Greed(100, 6), Greed(300, 6)):
        figure = pictured(game)
        box = axes(figure, "Last turn: payoff").get_window_extent()
        left, bottom, width, height = (round(length) for length in box.bounds)
        assert np.allclose(box.bounds, (left, bottom, width, height))
        assert width == height
        assert width % (game.max + 1) == 0
        panel = pixels_of(figure)[bottom : bottom + height, left : left + width]
        size = width // (game.max + 1)
        cells = panel.reshape(game.max + 1, size, game.max + 1, size, 4)[1:-1, :, 1:-1]  # the frame hides the rest
        assert (cells == cells[:, :1, :, :1]).all()


@pytest.mark.parametrize(
    ("game", "limits"),
    [
        (Greed(10, 3), (-1, 1)),
        (Greed(10, 3, tie=-1), (-1, 1)),
        (Greed(10, 3, win=10, tie=Fraction(1, 3), lose=-2.5), (-2.5, 10)),
        (Greed(10, 3, win=0, lose=0), (-1, 1)),
        (Greed(10, 3, win=-7, tie=-7, lose=-7), (-14, 0)),
    ],
    ids=lambda it: it.spec if isinstance(it, Greed) else "",
)
def test_payoffs_are_white_half_way_between_winning_and_losing(game: Greed, limits: tuple[float, float]) -> None:
    for last in (False, True):
        (image,) = axes(pictured(game), f"{KINDS[last]}: payoff").images
        assert image.get_clim() == limits
        low, middle, high = (image.cmap(image.norm(value))[:3] for value in (limits[0], sum(limits) / 2, limits[1]))
        assert min(middle) > 0.95
        assert low[0] > low[2], "a loss is not red"
        assert high[2] > high[0], "a win is not blue"


def test_the_same_number_has_the_same_colour_in_both_panels_and_standing_is_grey() -> None:
    figure = pictured(Greed(100, 6))
    first, second = (axes(figure, f"{KINDS[last]}: dice to roll").images[0] for last in (False, True))
    shades = [first.cmap(first.norm(n)) for n in range(29)]
    assert shades == [second.cmap(second.norm(n)) for n in range(29)]
    assert len(set(shades)) == 29
    red, green, blue, _ = shades[0]
    assert red == green == blue
    (box,) = axes(figure, "stand bar").get_yticklabels()
    assert box.get_text() == "0 stand"


def test_words() -> None:
    figure = pictured(Greed(100, 6))
    title, caption = (text.get_text() for text in figure.texts)
    assert title == "Greed for two players, maximum 100, 6-sided dice"
    assert "greed(max=100,sides=6)" in caption
    assert "opening move: roll 24 dice" in caption
    assert "value of the start: 0.0276835" in caption
    assert "dicewise " in caption
    assert axes(figure, "payoff bar").get_ylabel() == "payoff to the player to move"
    assert axes(figure, "dice bar").get_ylabel() == "dice to roll"
    payoff = axes(figure, "Normal turns: payoff")
    assert payoff.get_title() == "Normal turns: payoff"
    assert payoff.get_xlabel() == "active player’s score (to move)"
    assert payoff.get_ylabel() == "queued player’s score"
    words = ruleset(Greed(100, die="1,1,2,3,5,8", tie=-1))
    assert words[2:] == ["dice with faces 1 1 2 3 5 8", "payoffs win 1, tie −1, lose −1"]
    assert ruleset(Greed(9, die="1:9,100:4"))[2] == "dice with faces 1\u00a0(9/13) 100\u00a0(4/13)"


# ---- numbers


@pytest.mark.parametrize("game", [game for game in RULESETS if game.max > 25], ids=lambda game: game.spec)
def test_numbers_on_the_rims_agree_with_the_table(game: Greed) -> None:
    for last in (False, True):
        dice = solved(game).dice(last)
        borders = {"top": dice[:, -1], "bottom": dice[:, 0], "left": dice[0]}
        found = rims(pictured(game), last)
        assert found.keys() == borders.keys()
        for side, ax in found.items():
            (image,) = ax.images
            assert np.array_equal(np.ravel(image.get_array()), borders[side])
            assert ax.texts
            for text in ax.texts:
                at = text.get_position()[side == "left"]
                assert {int(borders[side][int(at)]), int(borders[side][int(np.ceil(at))])} == {int(text.get_text())}


def test_standard_bands_have_their_numbers() -> None:
    labels = {
        side: [int(text.get_text()) for text in ax.texts] for side, ax in rims(pictured(Greed(100, 6)), True).items()
    }
    assert labels["top"] == list(range(28, -1, -1))
    assert labels["left"][-12:] == list(range(17, 29))


@pytest.mark.parametrize("game", [Greed(1, 6), Greed(25, 1)], ids=lambda game: game.spec)
def test_small_boards_have_a_number_in_every_cell(game: Greed) -> None:
    for last in (False, True):
        texts = axes(pictured(game), f"{KINDS[last]}: dice to roll").texts
        found = {text.get_position(): int(text.get_text()) for text in texts}
        assert found == {cell: int(n) for cell, n in np.ndenumerate(solved(game).dice(last))}


@pytest.mark.parametrize("game", RULESETS, ids=lambda game: game.spec)
def test_no_words_overlap_and_none_leave_the_page(game: Greed) -> None:
    figure = drawn(game)
    texts: list[Text] = list(figure.texts)
    for ax in figure.axes:
        texts += [ax.title, ax.xaxis.label, ax.yaxis.label, *ax.texts]
        for axis in (ax.xaxis, ax.yaxis):
            first, last = sorted(axis.get_view_interval())
            ticks = [tick for tick in axis.get_major_ticks() if first <= tick.get_loc() <= last]
            texts += [label for tick in ticks for label in (tick.label1, tick.label2) if label.get_visible()]
    texts = [text for text in texts if text.get_text()]
    boxes = np.array([text.get_window_extent().extents for text in texts])
    low, high = boxes[:, None, :2], boxes[:, None, 2:]
    overlap = (np.minimum(high, high.swapaxes(0, 1)) > np.maximum(low, low.swapaxes(0, 1))).all(axis=2)
    np.fill_diagonal(overlap, False)
    assert [(texts[i].get_text(), texts[j].get_text()) for i, j in np.argwhere(overlap)] == []
    assert (boxes >= 0).all()
    assert (boxes[:, 2:] <= figure.bbox.size).all()


def test_labels_of_any_border_keep_apart() -> None:
    rng = random.Random(7)
    for _ in range(200):
        most, length = rng.choice([1, 9, 30, 300, 5000]), rng.randint(1, 400)
        smooth = np.sort(rng.choices(range(most + 1), k=length)) if rng.random() < 0.5 else None
        bands = runs(np.array(rng.choices(range(most + 1), k=length)) if smooth is None else smooth)
        cell, size, flat = 288 / length, 6.2, rng.random() < 0.5
        found = labelled(bands, cell, size, flat)
        assert set(found) <= set(bands)
        spans = []
        for run in found:
            room = size * (DIGIT * len(str(run.n)) if flat else LINE - 0.1)
            spans.append(((run.middle + 0.5) * cell - room / 2, (run.middle + 0.5) * cell + room / 2))
        assert all(left[1] <= right[0] for left, right in pairwise(spans))


def test_labels_are_all_where_there_is_room_and_round_where_not() -> None:
    bands = runs(np.repeat(np.arange(11, 40), 4))
    assert labelled(bands, 3.0, 6.0, flat=True) == bands
    assert [run.n for run in labelled(bands, 1.6, 6.0, flat=True)] == list(range(12, 40, 2))
    assert [run.n for run in labelled(bands, 0.6, 6.0, flat=True)] == [15, 20, 25, 30, 35]
    assert labelled([Run(0, 8, 0)], 1.0, 6.0, flat=False) == [Run(0, 8, 0)]


def test_lines_run_between_the_bands() -> None:
    areas = np.array([[0, 0, 1], [0, 2, 2]])  # [x, y]
    found = {tuple(map(tuple, segment)) for segment in borders(areas, crowded=True).tolist()}
    assert found == {((1, 1), (1, 3)), ((0, 2), (1, 2)), ((1, 1), (2, 1))}
    stripes = np.arange(6)[:, None]
    assert borders(stripes, crowded=True)[:, 0, 0].tolist() == [1, 2, 3, 4, 5]
    assert borders(stripes, crowded=False)[:, 0, 0].tolist() == [1, 5]


def test_boards_with_more_cells_than_pixels_aresampled() -> None:
    table = np.arange(2500)[:, None] * 10_000 + np.arange(2500)
    seen = sampled(table)
    assert seen.shape == (1200, 1200)
    assert set(np.diff(seen[0]).tolist()) == {2, 3}
    assert (int(seen[0, 0]), int(seen[-1, -1])) == (10_001, 2498 * 10_001)
    assert sampled(table[:1200, :1200]).shape == (1200, 1200)


# ---- files


@pytest.mark.parametrize("kind", MAGIC)
def test_files_of_three_kinds(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"greed.{kind}"
    path.write_text("what was here before")
    plot.save(solved(Greed(100, 6)), path)
    data = path.read_bytes()
    assert data.startswith(MAGIC[kind])
    assert 10_000 < len(data) < 1_000_000
    again = tmp_path / f"again.{kind.upper()}"
    with matplotlib.rc_context({"figure.facecolor": "black", "font.size": 30, "savefig.bbox": "tight"}):
        plot.save(solved(Greed(100, 6)), str(again))
    assert again.read_bytes() == data
    assert sorted(os.listdir(tmp_path)) == sorted([path.name, again.name])


def test_an_svg_can_be_read_aloud(tmp_path: Path) -> None:
    plot.save(solved(Greed(100, 6)), tmp_path / "greed.svg")
    text = (tmp_path / "greed.svg").read_text(encoding="utf-8")
    assert "<title>Greed for two players, maximum 100, 6-sided dice</title>" in text
    assert "; greed(max=100,sides=6); opening move: roll 24 dice" in text.partition("<dc:description>")[2]
    told = text.partition("<desc>")[2].partition("</desc>")[0]
    assert told.startswith("Four boards, with the active player’s score to the right and the queued player’s upwards; ")
    dice = solve_fast(Greed(100, 6)).dice(True)
    assert f" to 1, up to {dice.max()} dice, standing in {(dice == 0).sum():,} of 10,201 states; greed(" in told
    assert "dc:date" not in text
    assert ">queued player’s score</text>" in text
    assert "data:image/png;base64" in text


def test_dpi_sets_the_pixels(tmp_path: Path) -> None:
    sizes = []
    for dpi in (30, 60):
        plot.save(solved(Greed(10, 3)), tmp_path / "greed.png", dpi=dpi)
        sizes.append(int.from_bytes((tmp_path / "greed.png").read_bytes()[16:20]))
    assert abs(sizes[1] - 2 * sizes[0]) <= 1
    with pytest.raises(InputError, match="dpi 0 is not allowed; it is a whole number from 20 to 1200"):
        plot.save(solved(Greed(10, 3)), tmp_path / "other.png", dpi=0)
    assert os.listdir(tmp_path) == ["greed.png"]


@pytest.mark.parametrize("name", ["greed.jpg", "greed", "greed.png.txt", ".png"])
def test_other_endings_are_refused(name: str, tmp_path: Path) -> None:
    for attempt in (plot.check_path, lambda path: plot.save(solved(Greed(10, 3)), path)):
        with pytest.raises(InputError, match=r"must end in \.png, \.svg or \.pdf"):
            attempt(tmp_path / name)
    assert not os.listdir(tmp_path)


def test_places_that_cannot_be_written_are_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder.png").mkdir()
    for name in ("file/greed.png", "missing/greed.png", "folder.png"):
        for attempt in (plot.check_path, lambda path: plot.save(solved(Greed(10, 3)), path)):
            with pytest.raises(InputError, match=r"cannot write .*: .*; choose another place with -o"):
                attempt(tmp_path / name)
    assert sorted(os.listdir(tmp_path)) == ["file", "folder.png"]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "greed.png"
    path.write_text("old")

    def failing(error: BaseException) -> Callable[..., None]:
        def fail(self: Figure, file: Path, **options: object) -> None:
            Path(file).write_bytes(b"half of it")
            raise error

        return fail

    for error, seen in ((OSError(28, "No space left"), InputError), (KeyboardInterrupt(), KeyboardInterrupt)):
        monkeypatch.setattr(Figure, "savefig", failing(error))
        with pytest.raises(seen):
            plot.save(solved(Greed(10, 3)), path)
        assert path.read_text() == "old"
        assert os.listdir(tmp_path) == ["greed.png"]


def test_solutions_without_a_picture_are_refused(tmp_path: Path) -> None:
    exact = solve_exactly(Greed(5, 3))
    for attempt in (plot.heatmap, lambda it: plot.save(it, tmp_path / "greed.png")):
        with pytest.raises(InputError, match=r"greed\(max=5,sides=3\).*no picture yet; there is one of greed for two"):
            attempt(exact)
    assert not os.listdir(tmp_path)


def test_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    solution = solved(Greed(10, 3))
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(DicewiseError, match=r"plots need matplotlib: pip install 'dicewise\[plot\]'"):
        plot.save(solution, tmp_path / "greed.png")
    assert not os.listdir(tmp_path)


def test_the_callers_settings_stay(tmp_path: Path) -> None:
    before = dict(matplotlib.rcParams)
    plot.save(solved(Greed(10, 3)), tmp_path / "greed.svg")
    assert dict(matplotlib.rcParams) == before


def test_nothing_is_loaded_that_is_not_needed(tmp_path: Path) -> None:
    script = f"""
import sys
from dicewise import plot
assert "matplotlib" not in sys.modules
from dicewise.games.greed import Greed
from dicewise.games.greed.solution import solve_fast
plot.save(solve_fast(Greed(10, 3)), {str(tmp_path / "greed.png")!r})
assert not {{"numba", "matplotlib.pyplot"}} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-W", "error", "-c", script], check=True, timeout=60)
