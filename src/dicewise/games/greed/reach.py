"""Which states of two-player Greed a game comes through when both keep to one policy, and how likely each is.

Write R(a, q) for the chance that a game from (0, 0) comes to the normal state (active a, queued q), L(a, q) for the
same of last turns, n(a, q) for the dice that are rolled there and p_n for the distribution of their total:

    R(0, 0) = 1
    R(q, y) = sum over a < y with n(a, q) > 0 of R(a, q) p_n(a, q)(y - a)        a roll brings the mover from a to y
    L(q, a) = R(a, q) where n(a, q) = 0                                          standing hands over the last turn

Every roll adds points, so a game comes to a state at most once, and a chance is also an expected number of visits.

The order: layer k holds the states with min(a, q) = k. Those with queued k, (a, k) for a >= k, hear only from movers
below k, that is from earlier layers; they lead to (k, y), which is then complete, for y > k, and these lead to higher
layers. So layers 0, 1, ..., M are two products each of masses with rows of p.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dicewise.game import Progress
from dicewise.games.greed._layout import Floats, layout
from dicewise.games.greed.rules import Greed
from dicewise.games.greed.solution import GreedSolution

CHUNK = 32
"""Rows that are added to at a time, few enough to stay in the processor's cache."""


class Reach(NamedTuple):
    """Chances that a game comes to each state, indexed [active, queued]."""

    normal: Floats
    last: Floats

    @property
    def turns(self) -> float:
        """How many turns a game has on average."""
        return float(self.normal.sum() + self.last.sum())


def reach(solution: GreedSolution, progress: Progress | None = None) -> Reach:
    """The chance that a game of two who both play by a solution comes to each state."""
    game, dice = solution.game, solution.dice(False).astype(np.intp)
    top = game.max
    total = totals(game, int(dice.max()))
    normal, last = np.zeros((top + 1, top + 1)), np.zeros((top + 1, top + 1))
    normal[0, 0] = 1.0
    for k in range(top + 1):
        if progress is not None and k % 16 == 0:
            # layers shrink, and with them the work that they make: (M - k)^2
            progress(1 - (1 - k / (top + 1)) ** 3, f"following {game.spec} from its start")
        row = normal[k]
        for a in np.nonzero(normal[k:, k] * (dice[k:, k] > 0))[0] + k:
            row[a + 1 :] += normal[a, k] * total[dice[a, k], 1 : top - a + 1]
        rolls = np.nonzero(row[k + 1 :] * (dice[k, k + 1 :] > 0))[0] + k + 1
        for at in range(0, len(rolls), CHUNK):
            some = rolls[at : at + CHUNK]
            normal[some, k + 1 :] += row[some, None] * total[dice[k, some], 1 : top - k + 1]
    stands = dice == 0
    last.T[stands] = normal[stands]
    return Reach(normal, last)


def totals(game: Greed, most: int) -> Floats:
    """The chance of each total that does not bust from 0, indexed [dice, total], for 0 to so many dice."""
    rules = layout(game)
    found = np.zeros((most + 1, game.max + 1))
    found[0, 0] = 1.0
    for n in range(1, most + 1):
        for face, chance in zip(rules.faces.tolist(), rules.chances.tolist(), strict=True):
            found[n, face:] += chance * found[n - 1, : max(game.max + 1 - face, 0)]
    return found
