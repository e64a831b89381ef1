"""A position of Yahtzee: what is filled in, and the dice on the table."""

from __future__ import annotations

from typing import NamedTuple


class Position(NamedTuple):
    """A scorecard and the dice on the table."""

    used: int
    """The boxes that are filled: bit i for the i-th box of the card."""
    upper: int
    """Points in the upper section, up to what earns the bonus."""
    extra: bool
    """Whether a further Yahtzee pays extra: the Yahtzee box holds its points."""
    dice: tuple[int, ...] = ()
    """Ascending; none at the start of a turn."""
    rerolls: int = 0
    """How often some dice may still be rolled again; 0 at the start of a turn."""
    need: int = 0
    """Points that are still needed, where the aim is to reach so many."""
    scores: tuple[int | None, ...] | None = None
    """What each box holds, and at last what further Yahtzees have paid, where somebody has kept count; it makes no
    difference to what is best."""


class Keep(tuple[int, ...]):
    """The dice to keep, ascending, while the others are rolled again."""

    __slots__ = ()


Action = Keep | str
