"""What every number of dice is worth in every state of Greed, in exact integers: the curves that studies look at.

A state needs only its rooms, r = M - a of the mover and o = M - q of the other: adding a point to both scores and to
the maximum changes nothing. So one table of rooms serves all maximums with the same dice and payoffs.

With W the number of equally likely faces and F_n(t) the weight of totals up to t of n dice, times W^(M-n), rolling n
dice in a last turn is worth, in units of W^-M, with the gap g = r - o,

    lose W^M + (win - lose) F_n(r) - (win - tie) F_n(g) - (tie - lose) F_n(g - 1)

In a normal state E_0(x; q) is what the mover has when landing on x hands over the turn, known from the exact solution,
and E_n(a; q) = sum over faces f of w_f E_{n-1}(a + f; q) / W, in units of W^-2M. Curves go on to the last n that may
stay within the maximum; everything beyond is a certain bust.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate

from dicewise.chance import total_of
from dicewise.games.greed import Greed
from dicewise.games.greed.exact import ExactGreed

Curve = list[int]
"""What 0, 1, 2, ... dice are worth, as whole numbers of a common scale."""


def most_dice(game: Greed, room: int) -> int:
    """The most dice that may stay within the maximum."""
    return room // game.dice.outcomes[0]


class LastTurns:
    """The curves of all last turns with rooms up to the maximum of a ruleset."""

    def __init__(self, game: Greed) -> None:
        self.game = game
        top, cases = game.max, game.dice.total
        payoffs = [Fraction(pay) for pay in (game.win, game.tie, game.lose)]
        common = math.lcm(*(pay.denominator for pay in payoffs))
        self.win, self.tie, self.lose = (int(pay * common) for pay in payoffs)
        self.scale = common * cases**top
        self.won, self.lost = self.win * cases**top, self.lose * cases**top
        self._up_to: list[list[int]] = []
        for n in range(most_dice(game, top) + 1):
            weights = [0] * (top + 1)
            for total, weight in total_of(n, game.dice):
                if total > top:
                    break
                weights[total] = weight * cases ** (top - n)
            self._up_to.append([*accumulate(weights), 0])  # the last is that of total -1

    def curve(self, room: int, other: int) -> Curve:
        """What 0, 1, 2, ... dice are worth to a mover with a room, where the other has one, too."""
        gap = room - other
        at, under = max(gap, -1), max(gap - 1, -1)
        fits, behind, level = self.win - self.lose, self.win - self.tie, self.tie - self.lose
        return [
            self.lost + fits * up_to[room] - behind * up_to[at] - level * up_to[under]
            for up_to in self._up_to[: most_dice(self.game, room) + 1]
        ]


def normal_curves(solution: ExactGreed, other: int) -> Iterator[tuple[int, Curve]]:
    """The rooms 0, 1, 2, ... of the mover, each with its curve where the other has the room `other`; in units of the
    solution's scale."""
    game = solution.game
    top, cases, queued = game.max, game.dice.total, game.max - other
    faces = list(game.dice)
    bust = int(Fraction(game.lose) * solution.scale)
    rows: deque[Curve] = deque(maxlen=min(faces[-1][0], top + 1))  # E_0, E_1, ... of the rooms just below
    # for a fair die the sum over all faces is kept up to date: one row comes in, one goes out
    window = [bust * faces[-1][0]] * (top + 2) if not game.die else []
    for room in range(top + 1):
        count = most_dice(game, room)
        if window:
            rolled = [total // cases for total in window[:count]]
        else:
            rolled = [
                sum(weight * _entry(rows, face, n, bust) for face, weight in faces) // cases for n in range(count)
            ]
        # the other moves there, against the score that was reached
        stand, landed = (
            int(solution.values(game.at(queued, top - room, last=last))[1] * solution.scale) for last in (True, False)
        )
        yield room, [stand, *rolled]
        row = [landed, *rolled]
        if window:
            leaving = rows[-1] if len(rows) == faces[-1][0] else []
            for n, value in enumerate(row):
                window[n] += value - bust
            for n, value in enumerate(leaving):
                window[n] -= value - bust
        rows.appendleft(row)


def _entry(rows: deque[Curve], face: int, n: int, bust: int) -> int:
    """What n more dice are worth after a face: a bust where it does not fit, or where they cannot fit."""
    return rows[face - 1][n] if face <= len(rows) and n < len(rows[face - 1]) else bust
