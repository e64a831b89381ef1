"""The graph of a small game, from its start on the left to its ends on the right, with values and best choices.

What is drawn is in `picture`, where it stands in `layers`; here it gets its shapes. Lengths are in points, which are
the units of the axes; y grows downwards.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from dicewise.engine.trace import trace
from dicewise.plot.layers import Link, Route, Size, lay_out
from dicewise.plot.picture import LABEL, MOST_STATES, Edge, Line, Node, Picture, check_drawable
from dicewise.plot.styles import INK, styled
from dicewise.solution import Solution

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TITLE = 11.0
LEADING = 1.22
BLUE, GREY = "#0072b2", "#767676"
FILLS = {"choice": "#e2eef7", "chance": "#fdf0d2", "end": "#efefef"}
RIMS = {"choice": "#0072b2", "chance": "#9a6700", "end": "#6b6b6b"}
MARGIN, LEGEND_ROW, LOOP = 14.0, 18.0, 13.0
ARROW = 5.5


# ---- sizes


@lru_cache(maxsize=10_000)
def _width(line: Line) -> float:
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextToPath

    font = FontProperties(
        family=["DejaVu Sans"],
        size=line.size,
        weight="bold" if line.bold else "normal",
        style="italic" if line.slanted else "normal",
    )
    width, _, _ = TextToPath().get_text_width_height_descent(line.text, font, ismath=False)
    return float(width)


def _block(lines: Sequence[Line]) -> tuple[float, float]:
    """Half the width and half the height of lines of text."""
    return max(map(_width, lines), default=0.0) / 2, sum(line.size * LEADING for line in lines) / 2


def _shape(node: Node) -> tuple[float, float]:
    """Half the width and half the height of the shape around a node's text."""
    half, high = _block(node.lines)
    if node.kind == "chance":  # an ellipse through the corners of the text would be too generous above and below
        return max(1.3 * half + 5, 1.25 * high + 4, 11), 1.25 * high + 4
    return half + (7 if node.kind == "choice" else 9), high + 4


# ---- the figure


def graph(solution: Solution[Any, Any]) -> Figure:
    """The graph of a small game with its solution."""
    check_drawable(solution.game)
    with styled():
        return _Sheet(Picture(trace(solution, most=MOST_STATES))).figure


class _Sheet:
    """A figure in the making."""

    def __init__(self, picture: Picture) -> None:
        from matplotlib.figure import Figure

        self.picture = picture
        self.shapes = [_shape(node) for node in picture.nodes]
        self.loops = {at: [e for e in picture.edges if e.source == e.target == at] for at in range(len(picture.nodes))}
        links = [edge for edge in picture.edges if edge.source != edge.target]
        layout = lay_out(
            [self._room(at) for at in range(len(picture.nodes))],
            [Link(edge.source, edge.target, self._label_room(edge.lines)) for edge in links],
        )
        width = max(layout.width, 330.0)
        spec = picture.told.solution.game.spec
        title = [
            Line(part, TITLE, bold=True)
            for part in textwrap.wrap(spec, max(20, int(width / 7.2)), max_lines=3, placeholder=" …")
        ]
        head = sum(line.size * LEADING for line in title) + 12
        rows = self._legend_rows(width)
        foot = LEGEND_ROW * len(rows) + 10
        full = (width + 2 * MARGIN, layout.height + head + foot + 2 * MARGIN)
        self.figure = Figure(figsize=(full[0] / 72, full[1] / 72), dpi=150, facecolor="white")
        self.axes: Axes = self.figure.add_axes((0, 0, 1, 1), label="graph")
        self.axes.set_xlim(0, full[0])
        self.axes.set_ylim(full[1], 0)
        self.axes.set_axis_off()
        self._write(full[0] / 2, MARGIN + head / 2 - 6, title)
        self.move = (MARGIN + (width - layout.width) / 2, MARGIN + head)
        for edge, route in sorted(zip(links, layout.routes, strict=True), key=lambda pair: pair[0].rank == "chosen"):
            self._edge(edge, route)
        for at, place in enumerate(layout.nodes):
            self._node(at, *self._moved(*place))
        for number, row in enumerate(rows):
            self._legend(row, full[1] - MARGIN - LEGEND_ROW * (len(rows) - number - 0.5), full[0])

    def _moved(self, x: float, y: float) -> tuple[float, float]:
        return x + self.move[0], y + self.move[1]

    def _room(self, at: int) -> Size:
        half, high = self.shapes[at]
        loops = [line for edge in self.loops[at] for line in edge.lines]
        if not loops:
            return Size(half, high, high)
        wide, tall = _block(loops)
        return Size(max(half, wide), high + LOOP + 2 * tall, high)

    @staticmethod
    def _label_room(lines: Sequence[Line]) -> Size:
        half, high = _block(lines)
        return Size(half + 2, high, high)

    # ---- pieces

    def _write(self, x: float, y: float, lines: Sequence[Line], **look: Any) -> None:
        """Lines of text, centred at a place."""
        y -= sum(line.size * LEADING for line in lines) / 2
        for line in lines:
            high = line.size * LEADING
            self.axes.text(
                x,
                y + high / 2,
                line.text,
                size=line.size,
                weight="bold" if line.bold else "normal",
                style="italic" if line.slanted else "normal",
                ha=look.get("ha", "center"),
                va="center_baseline",
                color=look.get("color", INK),
                parse_math=False,
                zorder=4,
            )
            y += high

    def _node(self, at: int, x: float, y: float) -> None:
        node = self.picture.nodes[at]
        half, high = self.shapes[at]
        if self.loops[at]:
            self._loop(at, x, y - high)
        self._outline(node.kind, x, y, half, high, start=at == 0)
        self._write(x + (2 if node.kind == "end" else 0), y, node.lines)

    def _outline(self, kind: str, x: float, y: float, half: float, high: float, start: bool = False) -> None:
        from matplotlib.patches import Ellipse, Patch, Polygon, Rectangle

        look: dict[str, Any] = {
            "facecolor": FILLS[kind],
            "edgecolor": RIMS[kind],
            "linewidth": 1.8 if start else 0.9,
            "zorder": 3,
        }
        shape: Patch
        if kind == "chance":
            shape = Ellipse((x, y), 2 * half, 2 * high, **look)
        elif kind == "choice":
            shape = Rectangle((x - half, y - high), 2 * half, 2 * high, **look)
        else:
            point = min(high, 7.0)
            corners = [(half, -high), (half, high), (-half + point, high), (-half, 0), (-half + point, -high)]
            shape = Polygon([(x + dx, y + dy) for dx, dy in corners], **look)
        self.axes.add_patch(shape)

    def _edge(self, edge: Edge, route: Route) -> None:
        """Straight through each column, an S between two of them, an arrow at the end."""
        right, down = self.move
        pieces = [
            piece._replace(enter=piece.enter + right, leave=piece.leave + right, y=piece.y + down)
            for piece in route.pieces
        ]
        way = -1 if route.backward else 1
        corners = [(pieces[0].enter, pieces[0].y)]
        for here, there in pairwise(pieces):
            reach = (there.enter - here.leave) / 2
            corners.append((here.leave, here.end))
            corners.append((here.leave + reach, here.end + reach * here.slope))
            corners.append((there.enter - reach, there.y - reach * there.slope))
            corners.append((there.enter, there.y))
        tip, y = pieces[-1].leave, pieces[-1].y
        corners.append((tip - way * ARROW * 0.8, y))
        self._stroke(corners, edge.rank, dashed=route.backward)
        self._arrow((tip, y), (way, 0.0), edge.rank)
        x, y = self._moved(*route.label)
        half, high = _block(edge.lines)
        self._clear(x, y, half + 2, high)
        self._write(x, y, edge.lines, color=_colour(edge.rank))

    def _loop(self, at: int, x: float, top: float) -> None:
        """A node's arrows to itself, as one above it."""
        edges = self.loops[at]
        rank = min((edge.rank for edge in edges), key=["chosen", "as good", "chance", "worse"].index)
        half = min(self.shapes[at][0] * 0.5, 14.0)
        lines = [line for edge in edges for line in edge.lines]
        wide, high = self.shapes[at]
        foot = top + high * (1 - math.sqrt(1 - (half / wide) ** 2)) if self.picture.nodes[at].kind == "chance" else top
        peak = top - (LOOP - 2) * 4 / 3 - (foot - top) / 3  # of the curve's handles; it reaches three quarters of that
        begin, end = (x + half, foot), (x - half, foot - ARROW * 0.8)
        self._stroke([begin, begin, (x + half, peak), (x - half, peak), end], rank, dashed=True)
        self._arrow((x - half, foot), (0.0, 1.0), rank)
        _, tall = _block(lines)
        self._write(x, top - LOOP - tall - 1, lines, color=_colour(rank))

    def _stroke(self, corners: Sequence[tuple[float, float]], rank: str, dashed: bool) -> None:
        """A line: pairs of a straight piece and a curve, and where there is one corner more, a straight end."""
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        codes = [Path.MOVETO]
        while len(codes) + 4 <= len(corners):
            codes += [Path.LINETO, Path.CURVE4, Path.CURVE4, Path.CURVE4]
        codes += [Path.LINETO] * (len(corners) - len(codes))
        self.axes.add_patch(
            PathPatch(
                Path(np.array(corners), np.array(codes)),
                fill=False,
                edgecolor=_colour(rank),
                linewidth=_weight(rank),
                linestyle=(0, (4, 2)) if dashed else "solid",
                zorder=2 if rank == "chosen" else 1,
                capstyle="butt",
            )
        )

    def _arrow(self, tip: tuple[float, float], way: tuple[float, float], rank: str) -> None:
        from matplotlib.patches import Polygon

        size = ARROW * (1.25 if rank == "chosen" else 1.0)
        along, across = np.array(way), np.array([-way[1], way[0]])
        back = np.array(tip) - size * along
        corners = np.array([tip, back + 0.42 * size * across, back - 0.42 * size * across])
        self.axes.add_patch(Polygon(corners, facecolor=_colour(rank), edgecolor="none", zorder=3.5))

    def _clear(self, x: float, y: float, half: float, high: float) -> None:
        from matplotlib.patches import Rectangle

        self.axes.add_patch(
            Rectangle((x - half, y - high), 2 * half, 2 * high, facecolor="white", edgecolor="none", zorder=2.5)
        )

    # ---- legend

    def _legend_items(self) -> list[tuple[str, str]]:
        ranks = {edge.rank for edge in self.picture.edges}
        kinds = {node.kind for node in self.picture.nodes}
        game, report = self.picture.told.solution.game, self.picture.told.solution.report
        alone = game.players == 1 or report.interests == "team"
        found = [
            ("choice", "choice"),
            ("chance", "chance"),
            ("end", "end" if alone else "end: to the player who moved last"),
        ]
        found = [(kind, words) for kind, words in found if kind in kinds]
        if "chosen" in ranks:
            found.append(("chosen", "best choice"))
        if "as good" in ranks:
            found.append(("as good", "as good"))
        if any(step.cycle for step in self.picture.told.steps):
            found.append(("back", "play can come back"))
        whose = "" if alone else " to the player to move" + (", then the others" if self.picture.own else "")
        return [*found, ("bold", f"value{whose}")]

    def _legend_rows(self, width: float) -> list[list[tuple[str, str]]]:
        rows: list[list[tuple[str, str]]] = [[]]
        for item in self._legend_items():
            if rows[-1] and sum(map(_legend_width, [*rows[-1], item])) > width:
                rows.append([])
            rows[-1].append(item)
        return rows

    def _legend(self, row: list[tuple[str, str]], y: float, width: float) -> None:
        x = (width - sum(map(_legend_width, row))) / 2
        for item in row:
            kind, words = item
            if kind in FILLS:
                self._outline(kind, x + 9, y, 9 if kind != "chance" else 10, 6)
            elif kind == "bold":
                self._write(x + 9, y, [Line("123", LABEL, bold=True)])
            else:
                rank = "chance" if kind == "back" else kind
                self._stroke([(x, y), (x + 18 - ARROW * 0.8, y)], rank, dashed=kind == "back")
                self._arrow((x + 18, y), (1.0, 0.0), rank)
            self._write(x + 24, y, [Line(words, LABEL)], ha="left")
            x += _legend_width(item)


def _legend_width(item: tuple[str, str]) -> float:
    return 24 + _width(Line(item[1], LABEL)) + 14


def _colour(rank: str) -> str:
    return {"chosen": BLUE, "as good": BLUE, "worse": GREY}.get(rank, INK)


def _weight(rank: str) -> float:
    return {"chosen": 2.2, "as good": 1.1, "worse": 0.9}.get(rank, 0.8)
