"""How games of Yahtzee end: the exact distribution of the final score, from the start or from any card.

Play is the best for an aim. For the mean it is that of `Solution.action`, ties included. Somebody who wants to reach a
target plays for it as long as it is neither made nor out of reach at the start of a turn, and then for the mean.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb
from typing import Any

import numpy as np

from dicewise.engine.distribution import Distribution
from dicewise.errors import InputError, LimitError
from dicewise.game import Progress
from dicewise.games.yahtzee._layout import Floats, layout
from dicewise.games.yahtzee.aims import chances
from dicewise.games.yahtzee.position import Position
from dicewise.games.yahtzee.rules import MOST_TARGET, Yahtzee
from dicewise.games.yahtzee.solution import solve_fast
from dicewise.memory import require

MOST_KEEPS = 1_000_000
"""Pairs of a roll and dice that may be kept of it; five usual dice have 4,368."""


@dataclass(frozen=True)
class Scores:
    """What comes of a card. Everything is a plain number or list, so that it can be kept."""

    points: list[float]
    """The chance of each number of points, from 0 on, that are made from the card on."""
    boxes: list[str]
    """The boxes that are still open, ..."""
    means: list[float]
    """... the mean of what each will hold, ..."""
    zeros: list[float]
    """... and how likely that is nothing."""
    bonus: float | None
    """The chance of the bonus of the upper section, earned before or not; None where there is none."""
    further: float
    """The mean number of further Yahtzees that pay extra."""
    yahtzees: float
    """The mean number of turns that end with all dice alike."""
    doubt: float
    """No chance is further than this from the true one, apart from rounding: the chance to come to a card that is
    played for the mean only because it is too rare to matter."""

    def distribution(self, held: int = 0) -> Distribution:
        """With the points that the card holds already."""
        return Distribution({held + made: chance for made, chance in enumerate(self.points) if chance > 0})


def scores_of(game: Yahtzee, card: Position | None = None, progress: Progress | None = None) -> Scores:
    """The distribution of the best play for the aim of the game, from the start of a turn on."""
    state = game.start() if card is None else card
    if state.dice:
        raise InputError(f"position {game.text(state)!r} is in the middle of a turn; leave out the dice")
    from dicewise.games.yahtzee import _kernel_flow
    from dicewise.games.yahtzee._kernel_reach import Card

    if (keeps := comb(game.dice + 2 * game.sides - 1, game.dice)) > MOST_KEEPS:
        raise LimitError(
            f"{game.dice} dice with {game.sides} sides have {keeps:,} rolls with dice to keep, too many to follow "
            f"(up to {MOST_KEEPS:,}); choose fewer dice or sides"
        )
    rules = layout(game)
    require(_kernel_flow.bytes_of(rules, state.used), f"following the play of {game.spec}")
    aimed = state.need > 0 and state.used != game.all_used

    def part(first: float, last: float) -> Progress | None:
        if progress is None:
            return None
        return lambda share, doing: progress(first + (last - first) * share, doing)

    needs = chances(game, state.need, state=state, progress=part(0.0, 0.3)) if aimed else None
    solution = solve_fast(replace(game, aim="mean"))
    found = _kernel_flow.flow(
        rules,
        game.rerolls,
        _whole_rows(solution.arrays()["anchors"], rules.length),
        float(solution.tolerance),
        Card(state.used, state.upper, int(state.extra)),
        needs,
        state.need,
        part(0.3 if aimed else 0.0, 1.0),
    )
    left = [at for at in range(len(game.card)) if not state.used >> at & 1]
    return Scores(
        points=found.points.tolist(),
        boxes=[game.words[at] for at in left],
        means=found.box_mean[left].tolist(),
        zeros=found.box_zero[left].tolist(),
        bonus=found.bonus if game.upper_at else None,
        further=found.extra,
        yahtzees=found.yahtzees,
        doubt=found.rare,
    )


def best_chances(game: Yahtzee, most: int, card: Position | None = None, progress: Progress | None = None) -> Floats:
    """The best chance to make each number of points up to `most` from a turn start on, if play is for that number:
    entry x for x points."""
    state = game.start() if card is None else card
    needs = chances(game, most, every=True, state=state, progress=progress)
    rules = layout(game)
    row = needs.plan.first_row[state.used * rules.flags + int(state.extra) * (rules.flags - 1)] + state.upper
    found: Floats = needs.at(row, np.arange(most + 1))
    return found


def points_held(game: Yahtzee, text: str) -> int | None:
    """The points on a card that somebody types; None where a box is crossed off and they are not known."""
    try:
        return MOST_TARGET - replace(game, aim=f"reach:{MOST_TARGET}").parse(text).need
    except InputError:
        return None


def _whole_rows(anchors: Any, length: int) -> Floats:
    """Rows as the kernel has them: past the limit they repeat the entry at it."""
    found: Floats = np.concatenate([anchors, np.repeat(anchors[:, -1:], length - anchors.shape[1], axis=1)], axis=1)
    return found


def win_chances(first: Distribution, second: Distribution) -> tuple[float, float, float]:
    """How likely the first of two players, who do not look at each other, has more points, as many, or fewer."""
    most = int(max(*first, *second)) + 1
    one, two = np.zeros(most), np.zeros(most)
    for into, chances_of in ((one, first), (two, second)):
        for score, chance in chances_of.items():
            into[int(score)] += float(chance)
    below = np.cumsum(two) - two
    win, tie = float(one @ below), float(one @ two)
    return win, tie, float(one.sum() * two.sum()) - win - tie
