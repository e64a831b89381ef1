"""Pig as arrays, for one player and for two: the graph that exploring the rules would find, built by NumPy at once.

With the target T, write (i, k) for a score i of the mover and a total k of this turn, i + k < T: P = T (T+1) / 2 pairs,
numbered

    pair(i, k) = i T - i (i-1) / 2 + k

With the other player's score j < T a state is number j P + pair(i, k); alone there is no j. From there

    rolling a scoring face f    leads to j P + pair(i, k + f), or wins if i + k + f >= T
    rolling a face that loses   leads to i P + pair(j, 0), with the seats exchanged; alone to pair(i, 0)
    holding                     leads to (i + k) P + pair(j, 0), with the seats exchanged; alone to pair(i + k, 0)

The edges of one j are those of any other, but for their targets. So the pattern is built for the pairs alone and
repeated for all j. Holding depends on i + k and j only, and so many of its lotteries are shared.

Some of these states play cannot reach (nobody can have one point where a 1 loses), but each is a legal position.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dicewise.games.pig.rules import Position
from dicewise.graph import Graph, Numbering
from dicewise.memory import require

if TYPE_CHECKING:
    from dicewise.games.pig.rules import Pig


class PigStates(Numbering):
    """The unfinished states of Pig, worked out from their numbers."""

    def __init__(self, target: int, players: int) -> None:
        self.target, self.players = target, players
        self.pairs = target * (target + 1) // 2

    def __len__(self) -> int:
        return self.pairs * (self.target if self.players == 2 else 1)

    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return [self[at] for at in range(*number.indices(len(self)))]
        if not -len(self) <= number < len(self):
            raise IndexError(f"state {number} of {len(self)}")
        other, pair = divmod(int(number) % len(self), self.pairs)
        # counted from the end, the pairs of the last m scores are the first m (m+1) / 2
        rows = (isqrt(8 * (self.pairs - 1 - pair) + 1) - 1) // 2 + 1
        score = self.target - rows
        total = pair - (self.pairs - rows * (rows + 1) // 2)
        return Position((score, other) if self.players == 2 else (score,), 0, total)

    def __iter__(self) -> Iterator[Position]:
        for other in range(self.target if self.players == 2 else 1):
            for score in range(self.target):
                scores = (score, other) if self.players == 2 else (score,)
                for total in range(self.target - score):
                    yield Position(scores, 0, total)

    def find(self, state: Any) -> int | None:
        scores, turn, total = state
        score, other = scores[0], sum(scores[1:])
        inside = 0 <= other < self.target and min(score, total) >= 0 and score + total < self.target
        if turn or not inside:
            return None
        return int(other * self.pairs + score * self.target - score * (score - 1) // 2 + total)


def graph_of(game: Pig) -> Graph:
    """The arrays of a game of one or two players."""
    target, two = game.target, game.players == 2
    others = target if two else 1
    states = PigStates(target, game.players)
    pairs, count = states.pairs, len(states)
    sure_wins = sum(weight for face, weight in game.dice if face not in game.bust and face >= target)
    losing = sum(weight for face, weight in game.dice if face in game.bust)
    scoring = np.array([edge for edge in game.dice if edge[0] not in game.bust and edge[0] < target], dtype=np.int64)
    faces, weights = scoring.reshape(-1, 2).T
    require(count * (100 + 60 * (len(faces) + 2)), f"building {game.spec}")

    scores = np.arange(target)
    first_pair = scores * target - scores * (scores - 1) // 2  # pair(i, 0)
    score = np.repeat(scores, target - scores)
    total = np.arange(pairs) - first_pair[score]

    # Rolling, for the pairs alone: one row per pair, one column per scoring face, then a win, then a loss of the turn.
    # An edge that cannot be has weight 0.
    short = faces < (target - score - total)[:, None]
    weight = np.column_stack(
        [np.where(short, weights, 0), sure_wins + np.where(short, 0, weights).sum(axis=1), np.full(pairs, losing)]
    )
    to_start = score * pairs if two else first_pair[score]
    base = np.column_stack([np.arange(pairs)[:, None] + faces, np.full(pairs, count), to_start])
    of_pair, column = np.nonzero(weight)
    weight, base = weight[of_pair, column], base[of_pair, column]
    stays, passes = (column < len(faces)).astype(np.int64), (column > len(faces)).astype(np.int64)
    edges = len(base)

    # One row per score j of the other player: to stay adds j P, to pass the die on adds pair(j, 0).
    other = np.arange(others)
    targets = base + np.multiply.outer(other * pairs, stays)
    if two:
        targets += np.multiply.outer(first_pair, passes)
    held = np.arange(1, target)  # i + k
    hold_targets = np.add.outer(first_pair, held * pairs) if two else first_pair[held]
    holds = hold_targets.size

    choices = np.where(total > 0, 2, 1)
    rolls = np.cumsum(choices) - choices
    lottery = np.empty((others, 2 * pairs - target), dtype=np.int64)
    lottery[:, rolls] = np.arange(count).reshape(others, pairs)
    can_hold = total > 0
    lottery[:, rolls[can_hold] + 1] = count + np.add.outer(other * (target - 1), (score + total)[can_hold] - 1)
    actions = [action for points in total.tolist() for action in (("roll", "hold") if points else ("roll",))]

    def column_of(per_roll: NDArray[Any], per_hold: int) -> NDArray[Any]:
        return np.concatenate([np.tile(per_roll, others), np.full(holds, per_hold, dtype=per_roll.dtype)])

    degree = np.bincount(of_pair, minlength=pairs)
    return Graph(
        players=game.players,
        states=states,
        actions=actions * others,
        first_choice=_starts(np.tile(choices, others)),
        lottery=lottery.ravel(),
        first_edge=_starts(column_of(degree, 1)),
        target=np.concatenate([targets.ravel(), hold_targets.ravel()]),
        shift=column_of(passes, 1) if two else np.zeros(edges + holds, dtype=np.int64),
        weight=column_of(weight, 1),
        chance=column_of(weight / game.dice.total, 1),
        reward=None if two else column_of(-(total[of_pair] == 0).astype(np.int64), 0)[:, None],
        ends=_pays(game),
    )


def _starts(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where pieces of these lengths begin when they stand one behind the other, and where the last ends."""
    return np.concatenate([[0], np.cumsum(lengths)])


def _pays(game: Pig) -> NDArray[Any]:
    """The only end: the mover has won."""
    row = game.payoff(game.start())
    whole = all(isinstance(pay, int) and abs(pay) < 2**62 for pay in row)
    return np.array([row], dtype=np.int64 if whole else object)
