"""A position of Hoot Owl Hoot: where the owls are, how far the sun is, and who holds which cards."""

from __future__ import annotations

from typing import NamedTuple

SUN = "*"
"""The card; colour cards are letters."""


class Position(NamedTuple):
    """What lies on the table."""

    owls: tuple[int, ...]
    """Spaces of the path, ascending; the nest is the space behind the last one."""
    suns: int
    """How often the sun has moved."""
    hands: tuple[str, ...]
    """The cards of each hand, in order; a single hand is everybody's."""
    turn: int = 0
    pile: tuple[int, ...] = ()
    """What is known of the draw pile: how many cards of each colour (`deck`), how many colour cards (`lumped`), or
    nothing (`mix`). The suns that are not moved and in no hand are in the pile."""


class Move(NamedTuple):
    """A colour card, and the owl that it moves."""

    card: str
    owl: int
    """The space it is on."""
    to: int


Action = Move | str
"""A move; or `draw`, or `sun`, which are forced."""
