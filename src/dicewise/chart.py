"""A chart: what is to be seen, as data, before anything has a place or a colour.

Studies and views make charts, `plot` draws them, and the terminal shows those that are made of cells. So a study needs
no drawing library, and every figure has its title, its axes, its ruleset and its words for those who do not see it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Series:
    """Numbers over numbers."""

    label: str
    """For the legend; nothing for none."""
    x: Sequence[float]
    y: Sequence[float]
    """NaN where there is nothing to see."""
    kind: str = "line"
    """`line`, `marked` (a line with a dot at each number), `dots`, `bars` or `steps`."""
    error: Sequence[float] | None = None
    """Standard errors, drawn as bars up and down."""
    group: str = ""
    """Series of the same group have one colour, and are left out together; without one each stands for itself."""


@dataclass(frozen=True)
class Mark:
    """A line across a plane, for a number that others are held against."""

    label: str
    at: float
    upright: bool = False
    """Whether it stands at an x, or lies at a y."""


@dataclass(frozen=True)
class Plane:
    """Series over two axes."""

    title: str
    x: str
    y: str
    series: Sequence[Series]
    marks: Sequence[Mark] = ()
    log: str = ""
    """The axes, of `xy`, that grow by factors."""


@dataclass(frozen=True, eq=False)
class Grid:
    """Cells of colour over two axes, at evenly spaced numbers."""

    title: str
    x: str
    y: str
    cells: NDArray[np.float64]
    """[x, y]; NaN where there is nothing to see."""
    at_x: Sequence[float]
    at_y: Sequence[float]
    scale: str
    """What the colours measure."""
    look: str = "sequential"
    """`sequential`; `diverging`, red below the middle of the limits, white there, blue above; `log` for chances of all
    sizes; `counts`, grey for 0 and then the more the darker; or `kinds`, one colour for each of `kinds`."""
    limits: tuple[float, float] | None = None
    """The numbers with the first and the last colour; by default the extremes (of a diverging look, as far on both
    sides of 0)."""
    kinds: Sequence[str] = ()
    """What the cells 0, 1, 2 ... stand for."""
    numbers: str = ""
    """How each cell is written, as in `{:.0f}`, where all have room; nothing for not at all."""
    written: NDArray[np.float64] | None = None
    """[x, y]: the numbers that are written, where they are not those of the colours."""


@dataclass(frozen=True)
class Bars:
    """A number for each of a few things, best shown lying."""

    title: str
    x: str
    """What the length of a bar measures."""
    labels: Sequence[str]
    values: Sequence[float]
    chosen: Sequence[int] = ()
    """Bars that stand out."""
    notes: Sequence[str] = ()
    """What is written at the end of each bar; by default its number."""


Panel = Plane | Grid | Bars


@dataclass(frozen=True)
class Chart:
    """A figure: one to six panels."""

    title: str
    panels: Sequence[Panel]
    caption: Sequence[str]
    """Below the panels: the whole ruleset first, then what else needs saying."""
    words: str
    """What the figure shows, for those who do not see it."""


def number_grid(rows: dict[tuple[Any, Any], float], xs: Sequence[Any], ys: Sequence[Any]) -> NDArray[np.float64]:
    """The cells [x, y] of a grid, from numbers by their place; NaN where there is none."""
    import numpy as np

    return np.array([[rows.get((x, y), np.nan) for y in ys] for x in xs], dtype=float)
