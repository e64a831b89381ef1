"""Charts drawn: lines, dots and bars over two axes, cells of colour, lying bars. What they show is in `dicewise.chart`.

Panels stand two to a row; one that is left over has a row for itself. So a figure of several panels is about as wide as
a projector's picture and, made smaller, as a printed page, and its text can be read on both. Legends stand beside the
axes, where they cover nothing. Colours can be told apart by the colour-blind (Okabe and Ito's for series, RdBu and
viridis for cells); dots also differ in their shape, and lines in their dashes. Series of one group have one colour.
Where there are more groups than colours, some are left out, evenly, and it is said.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dicewise.chart import Bars, Chart, Grid, Panel, Plane, Series
from dicewise.plot.cells import draw_grid, look_of, write_cells
from dicewise.plot.styles import COLOURS, INK, SMALL_TEXT, TEXT, TITLE, plain_ticks, save_figure, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw", "look_of", "save_chart"]

DASHES = ("solid", (0, (6, 2)), (0, (2, 1.5)), (0, (6, 2, 1, 2)))
SHAPES = "os^DvP"
WIDE = {False: 7.6, True: 11.6}
"""Inches of a figure with one panel, and with several."""
LEGEND = 1.5
"""Inches more for legends."""
HIGH, TALLEST, BAR, FATTEST = 4.1, 5.0, 0.2, 0.5
"""Inches of a row, of axes in a row that others make higher, of a lying bar where there are many, and at the most."""
FEW = 12
"""Lying bars up to which there is room to spare."""
LONGEST_LABEL, LONGEST_ENTRY = 38, 26
DIGIT = 0.58
"""The width of a letter, about, in units of the size of the text."""


def draw(chart: Chart) -> Figure:
    """A chart as a matplotlib figure."""
    from matplotlib.figure import Figure
    from matplotlib.text import Text

    rows = _rows(chart.panels)
    several = len(chart.panels) > 1
    scale = 1.15 if several else 1.0
    width = WIDE[several] + LEGEND * max(len({str(_legend_of(panel)) for panel in row} - {"[]"}) for row in rows)
    heights = [max(map(_height, row)) for row in rows]
    title = _wrapped([chart.title], width, TITLE * scale)
    foot = _wrapped(chart.caption, width, SMALL_TEXT * scale)
    height = sum(heights) + 0.3 * len(title) * scale + 0.17 * len(foot) * scale + 0.2
    with styled():
        figure = Figure(figsize=(width, height), dpi=150, layout="constrained")
        figure.suptitle("\n".join(title), fontsize=TITLE * scale)
        drawn: list[tuple[Axes, Panel]] = []
        # rows are figures of their own: what stands beside a panel takes no room from those above and below
        for part, row in zip(
            figure.subfigures(len(rows), 1, height_ratios=heights, squeeze=False).flat, rows, strict=True
        ):
            for at, panel in enumerate(row):
                axes = part.add_subplot(1, len(row), at + 1, label=f"panel {len(drawn) + 1}")
                same = at + 1 < len(row) and _legend_of(panel) == _legend_of(row[at + 1])
                _draw_panel(axes, panel, scale, width / len(row), legend=not same)
                drawn.append((axes, panel))
        figure.supxlabel("\n".join(foot), fontsize=SMALL_TEXT * scale, x=0.01, ha="left", linespacing=1.4)
        for text in figure.findobj(Text):
            text.set_parse_math(False)
        engine = figure.get_layout_engine()
        assert engine is not None
        engine.execute(figure)  # from here on everything has its place
        for axes, panel in drawn:
            axes.apply_aspect()
            if isinstance(panel, Grid) and panel.numbers:
                write_cells(axes, panel)
            elif isinstance(panel, Bars):
                _make_room(axes, panel)
            elif isinstance(panel, Plane):
                _keep_low(axes, TALLEST)
        return figure


def save_chart(chart: Chart, path: str | Path, *, dpi: int = 150) -> None:
    """Draw a chart into a .png, .svg or .pdf; the same chart gives the same file, complete when it appears."""
    save_figure(draw(chart), path, chart.title, chart.words, dpi)


def _rows(panels: Sequence[Panel]) -> list[list[Panel]]:
    """Two panels to a row; of three, five or six that are a few bars each, three."""
    small = all(isinstance(panel, Bars) and len(panel.labels) <= FEW for panel in panels)
    most = 3 if small and len(panels) in (3, 5, 6) else 2
    return [list(panels[at : at + most]) for at in range(0, len(panels), most)]


def _draw_panel(axes: Axes, panel: Panel, scale: float, width: float, legend: bool) -> None:
    axes.set_title("\n".join(_wrapped([panel.title], 0.7 * width, 1.1 * TEXT * scale)), fontsize=1.1 * TEXT * scale)
    axes.tick_params(labelsize=SMALL_TEXT * scale)
    if isinstance(panel, Plane):
        _draw_plane(axes, panel, scale, legend)
    elif isinstance(panel, Grid):
        draw_grid(axes, panel, scale)
    else:
        _draw_bars(axes, panel, scale)


def _height(panel: Panel) -> float:
    """Inches that a panel needs, its title and axis included."""
    if not isinstance(panel, Bars):
        return HIGH
    lines = max(map(len, _wrapped_labels(panel.labels)))
    return 1.0 + max(BAR * lines * len(panel.labels), min(FATTEST * len(panel.labels), 2.0))


def _wrapped(words: Sequence[str], width: float, size: float) -> list[str]:
    """Sentences in lines of so many inches."""
    letters = max(20, int(72 * width / (DIGIT * size)))
    return [line for sentence in words for line in textwrap.wrap(sentence, letters)]


# ---- series


def _draw_plane(axes: Axes, panel: Plane, scale: float, legend: bool) -> None:
    shown = _few(panel.series)
    groups = list(dict.fromkeys(group for group, _ in shown))
    bars = [series for _, series in shown if series.kind == "bars"]
    steps = np.diff(np.unique([x for series in bars for x in series.x]))
    apart = len({x for series in bars for x in series.x}) == sum(len(series.x) for series in bars)
    room = 0.85 * (float(steps.min()) if len(steps) else 1.0) / (1 if apart else len(bars))
    for number, (group, series) in enumerate(shown):
        before = [other for other in shown[:number] if other[1].kind == "bars"]
        # bars over the same x stand side by side, those that share none in their places
        aside = 0.0 if apart else len(before) - (len(bars) - 1) / 2
        lines = sum(g == group and other.kind == series.kind for g, other in shown[:number])
        _draw_series(axes, series, groups.index(group), lines, room, aside)
    for number, mark in enumerate(panel.marks):
        line: dict[str, Any] = {"color": INK, "linewidth": 0.9, "zorder": 1.5}
        line["linestyle"] = DASHES[1:][number % (len(DASHES) - 1)]
        (axes.axvline if mark.upright else axes.axhline)(mark.at, label=_entry(mark.label) or None, **line)
    for name, axis, scaled in (("x", axes.xaxis, axes.set_xscale), ("y", axes.yaxis, axes.set_yscale)):
        numbers = [number for _, series in shown for number in getattr(series, name)]
        log = name in panel.log and any(number > 0 for number in numbers)
        if log:
            scaled("log")
        plain_ticks(axis, log=log, whole=name == "x" and all(float(number).is_integer() for number in numbers))
    axes.set_xlabel(panel.x, fontsize=TEXT * scale)
    axes.set_ylabel(panel.y, fontsize=TEXT * scale)
    axes.grid(visible=True, color="#00000014", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    if legend and _legend_of(panel):
        left_out = len(panel.series) - len(shown)
        axes.legend(
            fontsize=SMALL_TEXT * scale,
            title=f"{len(shown)} of {len(panel.series)} are drawn" if left_out else None,
            title_fontsize=SMALL_TEXT * scale,
            loc="upper left",
            bbox_to_anchor=(1.01, 1.0),
            borderaxespad=0.0,
            frameon=False,
            alignment="left",
        )


def _draw_series(axes: Axes, series: Series, group: int, number: int, room: float, aside: float) -> None:
    """A series, the so-manieth of its kind in its group."""
    x, y = np.asarray(series.x, dtype=float), np.asarray(series.y, dtype=float)
    colour, label = COLOURS[group % len(COLOURS)], _entry(series.label) or None
    shape = SHAPES[group % len(SHAPES)]
    if series.kind == "bars":
        axes.bar(x + aside * room, y, room, color=colour, label=label, alpha=1.0 if number == 0 else 0.5)
    elif series.kind == "dots":
        # small dots where there are many
        size = 4.5 if len(x) <= 60 else 2.2
        axes.plot(x, y, shape, color=colour, markersize=size, label=label, markeredgewidth=0)
    else:
        marker: dict[str, Any] = {"marker": shape, "markersize": 4.5} if series.kind == "marked" else {}
        dash = DASHES[(group // 3 + number) % len(DASHES)]
        style = "steps-mid" if series.kind == "steps" else "default"
        axes.plot(x, y, color=colour, linewidth=1.5, linestyle=dash, drawstyle=style, label=label, **marker)
    if series.error is not None:
        error = np.asarray(series.error, dtype=float)
        ink = INK if series.kind == "bars" else colour
        axes.errorbar(x + aside * room * (series.kind == "bars"), y, error, fmt="none", ecolor=ink, elinewidth=0.8)


def _few(series: Sequence[Series]) -> list[tuple[str, Series]]:
    """As many groups of series as can be told apart, from the first to the last; each with the name of its group."""
    grouped = [(each.group or f"\0{number}", each) for number, each in enumerate(series)]
    groups = list(dict.fromkeys(group for group, _ in grouped))
    most = len(COLOURS)
    if len(groups) > most:
        groups = [groups[round(at * (len(groups) - 1) / (most - 1))] for at in range(most)]
    return [(group, each) for group, each in grouped if group in groups]


def _legend_of(panel: Panel) -> list[str]:
    """What the legend of a panel says; nothing for none."""
    if not isinstance(panel, Plane):
        return []
    labels = [*(series.label for _, series in _few(panel.series)), *(mark.label for mark in panel.marks)]
    return [label for label in labels if label]


def _entry(label: str) -> str:
    return textwrap.fill(label, LONGEST_ENTRY)


# ---- lying bars


def _draw_bars(axes: Axes, panel: Bars, scale: float) -> None:
    count = len(panel.labels)
    places = np.arange(count)[::-1]
    colours = [COLOURS[1] if at in panel.chosen else COLOURS[0] for at in range(count)]
    axes.barh(places, panel.values, color=colours, height=0.75)
    axes.set_yticks(places, ["\n".join(lines) for lines in _wrapped_labels(panel.labels)])
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(panel.x, fontsize=TEXT * scale)
    axes.axvline(0, color=INK, linewidth=0.6)
    axes.spines[["top", "right", "left"]].set_visible(False)
    plain_ticks(axes.xaxis)
    notes = panel.notes or [f"{value:.4g}".replace("-", "\N{MINUS SIGN}") for value in panel.values]
    for place, value, note in zip(places, panel.values, notes, strict=True):
        axes.annotate(
            note,
            (value, place),
            (3 if value >= 0 else -3, 0),
            textcoords="offset points",
            ha="left" if value >= 0 else "right",
            va="center",
            fontsize=SMALL_TEXT * scale,
            annotation_clip=False,
        ).set_in_layout(False)


def _wrapped_labels(labels: Sequence[str]) -> list[list[str]]:
    """Labels of one line, of few bars of two."""
    most = 1 if len(labels) > FEW else 2
    return [textwrap.wrap(str(label), LONGEST_LABEL, max_lines=most, placeholder=" …") or [""] for label in labels]


def _make_room(axes: Axes, panel: Bars) -> None:
    """Room for the notes at the ends of bars, and short axes for few bars; the axes must have their final place."""
    figure: Any = axes.get_figure(root=True)
    box, inch = axes.get_window_extent(), figure.dpi
    low, high = min(0.0, *panel.values), max(0.0, *panel.values)
    high = high if high > low else low + 1.0
    widths = {False: 0.0, True: 0.0}  # of the notes on the left and on the right
    for text, value in zip(axes.texts, panel.values, strict=True):
        widths[value >= 0] = max(widths[value >= 0], (text.get_window_extent().width + inch / 7) / box.width)
    shrink = min(1.0, 0.8 / (widths[False] + widths[True]))
    left, right = shrink * widths[False], shrink * widths[True]
    whole = (high - low) / (1 - left - right)
    axes.set_xlim(low - left * whole, high + right * whole)
    axes.set_ylim(-0.5, len(panel.labels) - 0.5)
    _keep_low(axes, FATTEST * len(panel.labels))


def _keep_low(axes: Axes, inches: float) -> None:
    """Make axes no higher than this, at the top of their place."""
    box, figure = axes.get_window_extent(), axes.get_figure(root=True)
    assert figure is not None
    if inches * figure.dpi < box.height:
        axes.set_box_aspect(inches * figure.dpi / box.width)
        axes.set_anchor("N")
