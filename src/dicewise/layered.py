"""Layered: a table too large to be filled at one go, as the layers and blocks in which it is.

Rows are numbered in the order in which they can be filled. A layer is a run of rows that do not read each other, only
rows of earlier layers; a block is a part of a layer. So blocks of one layer may be filled in any order, by anybody who
can see the layers before it: threads of one process today, machines of a cluster another day. What is filled depends
on nothing but those layers, so that a table is the same to the last bit however it came about.

A kernel supplies this; `engine.layers` runs it, in memory or on disk.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from dicewise.solution import Report


@dataclass(frozen=True)
class Plan:
    """What a table will take, known before anything is computed."""

    game: str
    """The game's spec."""
    states: int
    """Positions of the game."""
    rows: int
    layers: int
    disk: int
    """Bytes of the table."""
    memory: int
    """Bytes that are worked on: where they do not fit the memory, the disk would be read again and again."""
    seconds: float
    """About, on one thread."""
    at_most: bool = False
    """Whether states, rows and bytes are bounds, since only listing all rows would tell how many there are."""


class Layered(ABC):
    """A table in layers. Making one costs nothing; what `prepare` lists may take memory and seconds."""

    dtype: str = "float64"

    @abstractmethod
    def plan(self) -> Plan:
        """What it will take."""

    @abstractmethod
    def prepare(self) -> None:
        """List the rows, and load what fills them."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """Of the table: the number of rows first. Known once prepared, as is `bounds`."""

    @property
    @abstractmethod
    def bounds(self) -> np.ndarray[Any, Any]:
        """Where each layer begins, and at last where the last one ends."""

    @property
    @abstractmethod
    def rows_per_block(self) -> int:
        """Rows that take long enough to be worth a thread's while, and few enough to share a layer evenly."""

    @abstractmethod
    def report(self) -> Report:
        """What is known of the solution, but for the time that it took."""

    @property
    def reads_one_layer(self) -> bool:
        """Whether a layer reads no other one than that before it: then two of them are all that is worked on."""
        return False

    @abstractmethod
    def fill(self, earlier: np.ndarray[Any, Any], at: int, out: np.ndarray[Any, Any], first: int, last: int) -> None:
        """Fill `out` with the rows from `first` up to `last`, a block of one layer. `earlier` has the rows from number
        `at` on, as far as they are filled. It is called from several threads at once."""
