"""What both dresses of the fast solver start from: the ruleset as small arrays, and how long its rows must be.

Payoffs are kept in units in which a win is +1 and a loss -1; a tie is then somewhere between. With P(tie) = w in some
state and the mover's expectation v, the other player's is `2 * tie * w - v`; where a tie is 0 that is -v (constant
sum).

Rows. E_n(a; q) is the expectation of rolling n dice from a while the other holds q. A state needs it for n up to
n_max(a), and through E_n(a) = sum over faces f of p_f * E_{n-1}(a + f) the rows above must reach further than their own
n_max:

    need(a) = min( (M - a) // smallest face, max( n_max(a), need(a - largest face) - 1 ) )
           <= min( (M - a) // smallest face, max( n_max(a), n_max(0) - a // largest face ) )

(n_max falls at least by one per largest face, so that the longest demand comes from the start.) Past
(M - a) // smallest face every roll is a bust: what lies beyond a row's end is -1 and need not be computed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dicewise.solution import UNIT_ROUNDOFF

if TYPE_CHECKING:
    from dicewise.games.greed.rules import Greed

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NOISE, NEAR_TIE = 4e-15, 1e-12
"""Options that differ by less than the noise of rounding count as equal; between the two lies doubt.

With plain dice and opposed interests options are either exactly equal or, in all rulesets looked at, further apart
than that. With loaded dice they may differ by any power of a small chance, and where each plays for itself a tie
judged wrongly changes the other's value: there every near-tie is a doubt, for exact arithmetic to settle.
"""

LAST_NOISE, LAST_NEAR_TIE = 1e-13, 1e-11
"""The same for last turns, relative to what an option falls short of a certain win."""


@dataclass(frozen=True, eq=False)
class Layout:
    """A ruleset as arrays."""

    max: int
    faces: Ints
    """Ascending; all that bust from 0 already are one face, max + 1."""
    chances: Floats
    fair: bool
    """Whether all chances are equal."""
    tie: float
    """What a tie is worth, in units of win = 1, lose = -1."""
    cautious: bool
    """Whether every near-tie is a doubt."""
    limit: Ints
    """n_max by score."""
    need: Ints
    """Length of the row of E by score."""
    near_tie: float = NEAR_TIE
    """Options nearer than this to the best one are near-ties: with caution, at least twice the rounding."""

    @property
    def constant_sum(self) -> bool:
        return self.tie == 0.0

    @property
    def cells(self) -> int:
        """How many entries of E a solution takes: the measure of its cost."""
        return int(self.need.sum()) * (self.max + 1)

    @property
    def rounding(self) -> float:
        """A bound on the rounding error of any value, u being the unit roundoff.

        With m faces, a roll of one die adds at most 2 (m + 1) u to a row of numbers up to 2 (m - 1 sums, a product,
        and the chance itself is rounded), and handing over the turn 4 u. At most 2 * dice + 1 dice are rolled in
        normal turns of one game, where dice = M // smallest face. A last turn's shortfall, at most 2, has the
        relative error of `dice` rolls and of a running sum of up to M chances. Where a tie is not half-way, the
        chance of one adds as much again, twice.
        """
        dice, faces = self.max // int(self.faces[0]), len(self.faces)
        normal = (2 * dice + 1) * (2 * (faces + 1) + 4)
        last = 2 * (dice * (faces + 1) + self.max + 3)
        return (normal + last) * (1 if self.constant_sum else 3) * UNIT_ROUNDOFF


def layout(game: Greed) -> Layout:
    """The arrays of a two-player ruleset."""
    top = game.max
    weights: dict[int, int] = {}
    for face, weight in game.dice:
        capped = min(face, top + 1)
        weights[capped] = weights.get(capped, 0) + weight
    total = sum(weights.values())
    faces = np.array(list(weights), dtype=np.int64)
    scores = np.arange(top + 1)
    limit: Ints = game.n_max(scores)  # type: ignore[arg-type, assignment]  # its arithmetic takes arrays as well
    need = np.minimum((top - scores) // faces[0], np.maximum(limit, limit[0] - scores // faces[-1]))
    rules = Layout(
        max=top,
        faces=faces,
        chances=np.array([weight / total for weight in weights.values()]),
        fair=len(set(weights.values())) == 1,
        tie=game.tie_in_units,
        cautious=bool(game.die) or not game.constant_sum,
        limit=limit,
        need=need,
    )
    return replace(rules, near_tie=max(NEAR_TIE, 2 * rules.rounding)) if rules.cautious else rules


@dataclass(frozen=True, eq=False)
class Tables:
    """A solved ruleset, indexed [active, queued], in units of win = 1, lose = -1."""

    normal: Floats
    last: Floats
    normal_dice: NDArray[np.uint16]
    last_dice: NDArray[np.uint16]
    normal_tie: Floats | None
    """Chance that the game ends in a tie; None where nobody asked."""
    last_tie: Floats | None
    doubts: int = 0
    """States in which doubles cannot tell for sure which number of dice is the smallest best one."""
