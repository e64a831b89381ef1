"""The rules of hold dice as numbers, for those who compute on the dice lattice."""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicewise.games.dice_lattice import Lattice, Values, lattice
from dicewise.games.hold_dice.rules import HoldDice
from dicewise.solution import UNIT_ROUNDOFF

Nodes = NDArray[np.int64]


class Dice(NamedTuple):
    """The rules in doubles, or in whole numbers of 1 / `unit` for exact arithmetic."""

    lattice: Lattice
    chances: Values
    """Of the faces; as weights where the arithmetic is exact."""
    stick: Values
    """What sticking pays, per roll."""
    cost: float | int
    size: float
    """No amount that is added up anywhere is larger."""
    weights: tuple[int, ...]
    """Of the faces, as the rules have them."""
    unit: int = 1

    @property
    def own(self) -> Nodes:
        """The nodes of the rolls."""
        return np.arange(self.lattice.nodes)[self.lattice.rolls]

    @property
    def rounding(self) -> float:
        """By how much a value is off at most after one sweep over doubles, if the sweep began with exact ones.

        A sum over f faces errs by f + 1 units in the last place of its largest term. k of them follow one another, what
        sticking pays is such a sum too, and the cost is rounded.
        """
        return 1.01 * ((self.lattice.dice + 1) * (self.lattice.faces + 2) + 4) * UNIT_ROUNDOFF * self.size


def dice_of(game: HoldDice, *, exact: bool = False) -> Dice:
    """A game's rules as numbers."""
    nodes = lattice(game.dice, game.sides)
    size = float(game.dice * max(-game.shown[0], game.shown[-1]) + game.cost) or 1.0
    counts = nodes.counts[nodes.rolls]
    if not exact:
        total = sum(game.chances)
        chances = np.array([weight / total for weight in game.chances])
        stick = _stick(counts, np.array(game.shown, dtype=float))
        return Dice(nodes, chances, stick, float(game.cost), size, game.chances)
    unit = lcm(*(Fraction(number).denominator for number in (*game.shown, game.cost)))
    shown = np.array([int(value * unit) for value in game.shown], dtype=object)
    weights = np.array(game.chances, dtype=object)
    return Dice(nodes, weights, _stick(counts.astype(object), shown), int(game.cost * unit), size, game.chances, unit)


def _stick(counts: Values, shown: Values) -> Values:
    """Faces that are shown twice or more count as the face opposite in rank."""
    once = (counts < 2).astype(bool)
    return np.where(once, counts * shown, counts * shown[::-1]).sum(axis=1)  # type: ignore[no-any-return]
