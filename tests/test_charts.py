"""Charts of many shapes: every word is readable and stands on nothing else, the same chart gives the same file."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text

from dicewise.chart import Bars, Chart, Grid, Mark, Plane, Series
from dicewise.plot.cells import FAR, look_of, outside
from dicewise.plot.charts import draw, save_chart
from dicewise.plot.styles import COLOURS
from dicewise.study.discount import study_discount

LONG = "A title that is so long that it cannot stand in one line, whatever size of text is chosen, and must be broken"
CAPTION = [
    "greed(max=100,sides=6)",
    "A sentence that says what was measured on which rulesets and how, what is proven and what is evidence. " * 3,
    "dicewise 0.1.0",
]
RNG = np.random.default_rng(1)


def wave(label: str, kind: str = "line", height: float = 1.0, error: bool = False, group: str = "") -> Series:
    x = list(range(40))
    y = [height * (1 + np.sin(at / 9)) for at in x]
    return Series(label, x, y, kind, [0.1] * len(x) if error else None, group)


def grid(title: str, cells: Any, **more: Any) -> Grid:
    across, upward = np.shape(cells)
    at = {"at_x": range(across), "at_y": range(2, upward + 2), "scale": "value", **more}
    return Grid(title, "max", "sides", np.asarray(cells, dtype=float), **at)


def holes() -> Any:
    cells = RNG.normal(size=(300, 19))
    cells[5, 5], cells[10:20, 3:6] = 60, np.nan
    return cells


PLANE = Plane(
    "Every kind",
    "score",
    "value",
    [wave("a line"), wave("dots", "dots", 1.3, True), wave("steps", "steps", 0.6), wave("marked", "marked", 0.3)],
    [Mark("zero", 0.0), Mark("the middle of it all, with many words", 20.0, True)],
)
SIDE_BY_SIDE = Plane(
    "Bars",
    "n",
    "chance",
    [
        Series("one", [1, 2, 3], [0.1, 0.2, 0.3], "bars", [0.02] * 3),
        Series("two", [1, 2, 3], [0.3, 0.2, 0.1], "bars", [0.02] * 3),
    ],
)
MANY = Plane("Many", "x", "y", [wave(f"series number {at}", height=1 + at / 10) for at in range(20)])
GROUPS = Plane(
    "Groups",
    "gamma",
    "score",
    [
        series
        for at in range(9)
        for series in (
            wave(f"theta {at}, exact", "line", 1 + at, group=str(at)),
            wave(f"theta {at}, games", "dots", 1.02 + at, True, str(at)),
        )
    ],
)
POWERS = Plane("Factors", "size", "error", [Series("a", [1, 10, 1e4], [1e-3, 1e-7, 1e-12], "marked")], log="xy")
DECADE = Plane("One decade", "size", "error", [Series("", [3, 4, 5], [12, 17, 30], "marked")], log="y")
NOTHING_POSITIVE = Plane("Not positive", "size", "error", [Series("", [3, 4], [0, -1])], log="xy")
OUTLIER = grid("300 x 19", holes(), look="diverging")
ONE_CELL = grid("One cell", [[0.5]], numbers="{:.3f}")
KINDS = grid(
    "Kinds",
    np.add.outer(np.arange(9), np.arange(9)) % 3,
    look="kinds",
    kinds=["roll", "stand because that is safe enough", "never"],
    at_y=range(9),
)
TEN_KINDS = grid("Ten kinds", np.arange(10).reshape(5, 2), look="kinds", kinds=[f"kind {at}" for at in range(10)])
NUMBERS = grid("Numbers", RNG.normal(size=(8, 6)), look="diverging", numbers="{:.2f}")
UNEVEN = grid("Uneven", RNG.random((4, 3)), at_x=[20, 50, 200, 500], at_y=[2, 6, 7], numbers="{:.2f}")
CHANCES = grid("Chances", 10.0 ** RNG.uniform(-9, 0, (30, 30)), look="log")
COUNTS = grid("Counts", np.maximum(0, np.add.outer(np.arange(20), np.arange(20)) - 20), look="counts")
EMPTY = grid("Nothing", np.full((4, 4), np.nan))
NO_ROOM = grid("No room", RNG.random((60, 60)), numbers="{:.3f}")
ONE_BAR = Bars("One bar", "chance", ["only"], [0.4])
THIRTY = Bars(
    "Thirty",
    "chance",
    [f"a state with quite a long name, number {at}: roll" for at in range(30)],
    [1 / (at + 1) for at in range(30)],
    chosen=[0, 3],
)
BOTH_SIGNS = Bars("Both signs", "value", ["roll", "stand", "a label too long " * 9], [-0.4, 0.2, 0.0], notes="abc")
ALL_ZERO = Bars("All nothing", "loss", ["a", "b"], [0, 0])

PANELS: dict[str, list[Any]] = {
    "lines": [PLANE],
    "one grid": [OUTLIER],
    "one bar": [ONE_BAR],
    "thirty bars": [THIRTY],
    "series": [MANY, GROUPS],
    "the same legend": [PLANE, PLANE],
    "factors": [POWERS, DECADE, NOTHING_POSITIVE],
    "small bars": [ONE_BAR, BOTH_SIGNS, ALL_ZERO],
    "grids": [ONE_CELL, OUTLIER, KINDS, NUMBERS],
    "more grids": [UNEVEN, CHANCES, COUNTS, EMPTY, TEN_KINDS],
    "all kinds": [PLANE, KINDS, BOTH_SIGNS, SIDE_BY_SIDE, UNEVEN, ONE_BAR],
}


@cache
def drawn(name: str) -> Figure:
    figure = draw(Chart(LONG, PANELS[name], CAPTION, "words"))
    figure.draw_without_rendering()
    return figure


def axes_of(figure: Figure, number: int) -> Axes:
    (found,) = [axes for axes in figure.axes if axes.get_label() == f"panel {number}"]
    return found


def texts_of(figure: Figure) -> Iterator[Text]:
    """All words that are seen."""
    yield from figure.texts
    for axes in figure.axes:
        yield from (axes.title, axes.xaxis.label, axes.yaxis.label, *axes.texts)
        for axis in (axes.xaxis, axes.yaxis):
            first, last = sorted(axis.get_view_interval())
            for tick in axis.get_major_ticks():
                if first <= tick.get_loc() <= last:
                    yield from (label for label in (tick.label1, tick.label2) if label.get_visible())
        if (legend := axes.get_legend()) is not None:
            yield from (*legend.get_texts(), legend.get_title())


# ---- nothing stands on anything else


@pytest.mark.parametrize("name", PANELS)
def test_no_words_overlap_and_none_leave_the_page(name: str) -> None:
    figure = drawn(name)
    texts = [text for text in texts_of(figure) if text.get_text() and text.get_visible()]
    assert len(texts) > 5
    boxes = np.array([text.get_window_extent().extents for text in texts])
    low, high = boxes[:, None, :2] + 0.5, boxes[:, None, 2:] - 0.5
    overlap = (np.minimum(high, high.swapaxes(0, 1)) > np.maximum(low, low.swapaxes(0, 1))).all(axis=2)
    np.fill_diagonal(overlap, False)
    assert [(texts[i].get_text(), texts[j].get_text()) for i, j in np.argwhere(overlap)] == []
    outside = (boxes < -1).any(axis=1) | (boxes[:, 2:] > figure.bbox.size + 1).any(axis=1)
    assert [texts[at].get_text() for at in np.flatnonzero(outside)] == []


@pytest.mark.parametrize("name", PANELS)
def test_text_is_readable_where_a_figure_fills_a_printed_page(name: str) -> None:
    figure = drawn(name)
    smaller = min(1.0, 7.3 / figure.get_figwidth())  # A4 with its margins
    sizes = [text.get_fontsize() * smaller for text in texts_of(figure) if text.get_text()]
    assert min(sizes) >= (3.0 if "grid" in name else 4.5)  # numbers in cells are smaller


@pytest.mark.parametrize("name", ["lines", "series", "all kinds"])
def test_legends_cover_no_data(name: str) -> None:
    for axes in drawn(name).axes:
        if (legend := axes.get_legend()) is not None:
            assert legend.get_window_extent().x0 >= axes.get_window_extent().x1


def test_a_legend_that_two_neighbours_share_is_drawn_once() -> None:
    legends = [axes.get_legend() for axes in drawn("the same legend").axes]
    assert legends[0] is None
    assert isinstance(legends[1], Legend)


def test_titles_axes_and_captions() -> None:
    figure = drawn("lines")
    (axes,) = figure.axes
    assert (axes.get_title(), axes.get_xlabel(), axes.get_ylabel()) == ("Every kind", "score", "value")
    assert figure.get_suptitle().replace("\n", " ") == LONG
    assert figure.get_supxlabel().splitlines()[0] == "greed(max=100,sides=6)"
    assert figure.get_supxlabel().splitlines()[-1] == "dicewise 0.1.0"
    boxes = [figure.get_suptitle(), figure.get_supxlabel()]
    top, bottom = (next(t for t in figure.texts if t.get_text() == text).get_window_extent() for text in boxes)
    assert top.y0 > axes.get_window_extent().y1
    assert bottom.y1 < axes.get_window_extent().y0


# ---- series


def colours_of(figure: Figure, number: int) -> dict[str, Any]:
    return {str(line.get_label()): line.get_color() for line in axes_of(figure, number).lines}


def test_series_of_one_group_have_one_colour_and_are_left_out_together() -> None:
    colours = colours_of(drawn("series"), 2)
    shown = [label for label in colours if label.startswith("theta")]
    assert len(shown) == 2 * len(COLOURS)
    for label in shown:
        theta = label.split(",")[0]
        assert colours[f"{theta}, exact"] == colours[f"{theta}, games"]
    assert len({colours[label] for label in shown}) == len(COLOURS)
    assert {"theta 0, exact", "theta 8, exact"} <= set(shown)
    legend = axes_of(drawn("series"), 2).get_legend()
    assert legend is not None
    assert legend.get_title().get_text() == "12 of 18 are drawn"


def test_without_groups_the_first_and_the_last_of_many_series_are_drawn() -> None:
    shown = [label for label in colours_of(drawn("series"), 1) if label.startswith("series")]
    assert len(shown) == len(COLOURS)
    assert (shown[0], shown[-1]) == ("series number 0", "series number 19")


def test_the_settings_of_the_discount_study_are_groups() -> None:
    from dicewise import HoldDice

    study = study_discount(HoldDice(2, 3), [0.9, 0.95], [0.1, 0.01], games=50).as_study()
    assert study.chart is not None
    (panel,) = study.chart.panels
    assert isinstance(panel, Plane)
    assert [series.group for series in panel.series] == ["0.1", "0.1", "0.01", "0.01"]


def test_bars_over_the_same_numbers_stand_side_by_side() -> None:
    figure = drawn("all kinds")
    first, second = (container.patches for container in axes_of(figure, 4).containers[::2])
    for left, right in zip(first, second, strict=True):
        assert left.get_x() + left.get_width() == pytest.approx(right.get_x())
        assert (left.get_x() + right.get_x() + right.get_width()) / 2 == pytest.approx(round(right.get_x()))


def test_numbers_along_axes_are_plain() -> None:
    figure = drawn("factors")
    words = {label.get_text() for label in axes_of(figure, 1).get_yticklabels()}
    assert "1e-06" in words
    assert not any("$" in word for word in words)
    assert {"20", "15"} <= {label.get_text() for label in axes_of(figure, 2).get_yticklabels()}
    assert axes_of(figure, 3).get_xscale() == "log"
    assert axes_of(figure, 3).get_yscale() == "linear", "there is nothing that a log axis could show"


# ---- cells


def test_one_cell_far_out_does_not_wash_out_the_others() -> None:
    _, norm = look_of(OUTLIER)
    assert norm.vmax == -norm.vmin < 60 / FAR
    assert outside(OUTLIER) == (True, True)
    (bar,) = [axes for axes in drawn("one grid").axes if axes.get_label() == "scale"]
    assert bar.get_ylabel() == "value (arrows: further out)"
    tame = grid("", RNG.uniform(-1, 1, (30, 30)), look="diverging")
    assert look_of(tame)[1].vmax == np.abs(tame.cells).max()
    assert outside(tame) == (False, False)
    small = grid("", [[0.01] * 5, [0.01] * 4 + [9.0]], look="diverging")
    assert look_of(small)[1].vmax == 9, "among a few cells none is out of the way"
    above = grid("", np.append(RNG.random(99), 50).reshape(10, 10))
    assert outside(above) == (False, True)
    assert look_of(above)[1].vmin == above.cells.min()


def test_limits_that_are_given_hold_and_say_what_is_beyond() -> None:
    panel = grid("", [[-3.0, 0.0, 0.5]], look="diverging", limits=(-1, 1))
    _, norm = look_of(panel)
    assert (norm.vmin, norm.vmax) == (-1, 1)
    assert outside(panel) == (True, False)


def test_cells_stand_at_their_numbers() -> None:
    figure = drawn("more grids")
    uneven = axes_of(figure, 1)
    assert [label.get_text() for label in uneven.get_xticklabels()] == ["20", "50", "200", "500"]
    assert [label.get_text() for label in uneven.get_yticklabels()] == ["2", "6", "7"]
    written = {text.get_position(): text.get_text() for text in uneven.texts}
    assert written == {(i, j): f"{UNEVEN.cells[i, j]:.2f}" for i in range(4) for j in range(3)}
    (image,) = axes_of(figure, 3).images
    assert image.get_extent() == [-0.5, 19.5, 1.5, 21.5]
    assert np.array_equal(image.get_array().T, COUNTS.cells)  # type: ignore[union-attr]


def test_numbers_are_written_where_all_have_room() -> None:
    figure = draw(Chart("", [NO_ROOM, NUMBERS], [""], ""))
    assert not axes_of(figure, 1).texts
    assert len(axes_of(figure, 2).texts) == NUMBERS.cells.size


def test_holes_are_grey_and_kinds_have_their_colours() -> None:
    (image,) = axes_of(drawn("grids"), 2).images
    assert np.array_equal(np.ma.getmaskarray(image.get_array()).T, np.isnan(OUTLIER.cells))
    colours, norm = look_of(TEN_KINDS)
    assert len({colours(norm(kind)) for kind in range(10)}) == 10


# ---- bars


def test_the_chosen_bars_stand_out_and_labels_are_cut() -> None:
    axes = axes_of(drawn("thirty bars"), 1)
    (bars,) = axes.containers
    colours = [patch.get_facecolor() for patch in bars.patches]
    assert [at for at in range(30) if colours[at] != colours[1]] == [0, 3]
    assert max(len(label.get_text()) for label in axes.get_yticklabels()) <= 38
    assert all(label.get_text().endswith("…") for label in axes.get_yticklabels())


# ---- files


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_the_same_chart_gives_the_same_file(kind: str, tmp_path: Path) -> None:
    chart = Chart("Every kind", [PLANE], CAPTION, "words")
    save_chart(chart, tmp_path / f"a.{kind}")
    with matplotlib.rc_context({"figure.facecolor": "black", "font.size": 30, "axes.grid": True}):
        save_chart(chart, tmp_path / f"b.{kind}")
    assert (tmp_path / f"a.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()
    assert sorted(os.listdir(tmp_path)) == [f"a.{kind}", f"b.{kind}"]


def test_an_svg_is_well_formed_and_can_be_read_aloud_whatever_the_words(tmp_path: Path) -> None:
    nasty = r'$x$ & <b> \1 \g<0> "quoted" ]]> $'
    save_chart(Chart(nasty, [Bars(nasty, nasty, [nasty, "b"], [1, 2])], [nasty], nasty), tmp_path / "a.svg")
    root = ElementTree.parse(tmp_path / "a.svg").getroot()
    space = "{http://www.w3.org/2000/svg}"
    assert root.get("role") == "img"
    assert [child.tag for child in root[:2]] == [f"{space}title", f"{space}desc"]
    assert (root[0].text, root[1].text) == (nasty, nasty)
    seen = ["".join(text.itertext()) for text in root.iter(f"{space}text")]
    assert sum(nasty in text for text in seen) >= 4  # title, panel, axis, caption: nothing is taken for mathematics


def test_a_pdf_carries_its_fonts(tmp_path: Path) -> None:
    save_chart(Chart("Title", [ONE_BAR], ["caption"], "words"), tmp_path / "a.pdf")
    data = (tmp_path / "a.pdf").read_bytes()
    assert b"/FontFile2" in data
    assert b"/Type3" not in data
