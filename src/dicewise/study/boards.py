"""One board for every smaller maximum.

What a position of Greed is worth depends only on how far both players are from the maximum: the state (a, q) of a board
with maximum M is the state (a - k, q - k) of the one with maximum M - k, dice, payoffs and all. So

    V_m(a, q) = V_M(M - m + a, M - m + q)        for m <= M,

and the largest board of a family of rulesets, which differ in nothing but the maximum, answers for all of them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from dicewise.games import find_game
from dicewise.games.greed import Greed
from dicewise.games.greed.exact import ExactGreed
from dicewise.games.greed.solution import GreedSolution
from dicewise.study.rulesets import Rulesets, two_player_greed

T = TypeVar("T")


@dataclass(frozen=True)
class Family:
    """Rulesets of two players that differ only in their maximum."""

    largest: Greed
    maxima: tuple[int, ...]
    """Ascending."""
    label: str
    """`sides 6`: what tells it from the other families."""
    columns: dict[str, Any]
    """The same, as columns of a table."""

    def at(self, top: int) -> Greed:
        return dataclasses.replace(self.largest, max=top)


def families(rulesets: Rulesets, study: str) -> list[Family]:
    """The rulesets by what they have in common, in the order in which they were given."""
    games = two_player_greed(rulesets.games, study)
    found: dict[Greed, list[int]] = {}
    for game in games:
        found.setdefault(dataclasses.replace(game, max=1), []).append(game.max)
    names = [name for name in rulesets.varied if name != "max"]
    if not names:
        names = ["die" if games[0].die else "sides"]
    made = []
    for game, maxima in found.items():
        columns = {name: getattr(game, name) for name in names}
        label = ", ".join(f"{name} {value}" for name, value in columns.items())
        made.append(Family(dataclasses.replace(game, max=max(maxima)), tuple(sorted(set(maxima))), label, columns))
    return made


def advantages(solution: GreedSolution) -> NDArray[np.float64]:
    """By how much the mover is above an even share: half of what it expects more than the other; [active, queued]."""
    game = solution.game
    if game.constant_sum:
        return solution.payoffs() - float(Fraction(game.win + game.lose) / 2)
    half = float(Fraction(game.win - game.lose) / 2)
    return half * (2 * solution.ratings() - 1)


def exact_advantage(solution: ExactGreed, active: int, queued: int) -> Fraction:
    """The same of one state, as a fraction."""
    own, other = solution.values(solution.game.at(active, queued))
    return (Fraction(own) - Fraction(other)) / 2


def read_greed(spec: str) -> Greed:
    """The ruleset of a spec, for work in another process."""
    game = find_game(spec)
    assert isinstance(game, Greed)
    return game


def by_maximum(board: NDArray[Any]) -> NDArray[Any]:
    """The start of every ruleset, by its maximum 0, 1, 2 ...: the diagonal of the largest board, from its far end."""
    starts: NDArray[Any] = np.diagonal(board)[::-1]
    return starts


def in_ranges(numbers: Iterable[int]) -> str:
    """`3-7, 9`: whole numbers as people list them."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def spread(things: Sequence[T], most: int) -> list[T]:
    """A few of many, evenly, the first and the last among them."""
    if len(things) <= most:
        return list(things)
    return [things[round(at * (len(things) - 1) / (most - 1))] for at in range(most)]
