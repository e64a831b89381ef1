"""Greed solved exactly: every value a fraction, every tie found.

With W the number of equally likely faces (for loaded dice the sum of their weights) every value has a denominator
that divides W^(2M): each die costs one factor W and at least one point, and both players together have 2M points to
go. So the recurrence

    E_n(a; q) = sum over faces f of w_f * E_{n-1}(a + f; q) / W

runs in plain integers scaled by W^(2M), in which every division is exact. States are taken by falling a + q; each
column q keeps as many rows of E as the largest face reaches. It shares no code with the fast solver, whose judge it
is.

Both players' values are carried: where payoffs are not constant-sum, they do not follow from each other, and which of
several equally good numbers of dice the mover rolls (the smallest) matters to the other player.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicewise.chance import total_of
from dicewise.game import Number, Progress, pay_each
from dicewise.games.greed.rules import OVER, Greed, Position
from dicewise.memory import require
from dicewise.solution import Report, Solution, Violation

Grid = list[list[int]]
Ties = list[list[tuple[int, ...]]]


class ExactGreed(Solution[Position, int]):
    """Exact values of all states, as integers over a common `scale`, indexed [active][queued]."""

    game: Greed

    def __init__(
        self,
        game: Greed,
        report: Report,
        scale: int,
        own: dict[bool, Grid],
        other: dict[bool, Grid],
        best: dict[bool, Ties],
    ) -> None:
        super().__init__(game, report)
        self.scale = scale
        self._own, self._other, self._best = own, other, best

    def values(self, state: Position) -> tuple[Number, ...]:
        if state.last == OVER:
            return pay_each(self.game.payoff(state), 2)
        active, queued, last = self.game.seen_by_mover(state)
        own = Fraction(self._own[last][active][queued], self.scale)
        other = Fraction(self._other[last][active][queued], self.scale)
        return (own, other) if state.turn == 0 else (other, own)

    def best_actions(self, state: Position) -> list[int]:
        if state.last == OVER:
            return []
        active, queued, last = self.game.seen_by_mover(state)
        return list(self._best[last][active][queued])

    def action(self, state: Position) -> int:
        return self.best_actions(state)[0] if state.last != OVER else super().action(state)

    def states(self) -> Iterator[Position]:
        scores = range(len(self._own[False]))
        return (Position((a, q), 0, last) for last in (0, 1) for q in scores for a in scores)

    def dice(self, last: bool = False) -> NDArray[np.uint16]:
        """The smallest best number of dice of each state, indexed [active, queued]."""
        return np.array([[best[0] for best in row] for row in self._best[last]], dtype=np.uint16)

    def lines(self) -> Iterator[str]:
        from dicewise.games.greed.solution import source_lines

        def grids(last: bool) -> tuple[Any, Any]:
            return self.dice(last), [[value / self.scale for value in row] for row in self._own[last]]

        return source_lines(self.game, grids)

    def check_bellman(self, exact: bool, progress: Progress | None = None) -> Violation:
        from dicewise.games.greed.bellman import check_exactly

        def fractions(grids: dict[bool, Grid], last: bool) -> list[list[Fraction]]:
            return [[Fraction(value, self.scale) for value in row] for row in grids[last]]

        return check_exactly(
            self.game,
            lambda last: fractions(self._own, last),
            lambda last: fractions(self._other, last),
            lambda last: self.dice(last).tolist(),
            progress,
            lambda last: self._best[last],
        )

    def table(self) -> dict[str, Sequence[Any]]:
        states = list(self.states())
        values = [self.value(state) for state in states]
        ties = [self.best_actions(state) for state in states]
        return {
            "active": [state.scores[0] for state in states],
            "queued": [state.scores[1] for state in states],
            "last": [bool(state.last) for state in states],
            "n": [best[0] for best in ties],
            "payoff": [float(value) for value in values],
            "exact": [f"{Fraction(value).numerator}/{Fraction(value).denominator}" for value in values],
            "best": ["|".join(map(str, best)) for best in ties],
        }


def solve_exactly(game: Greed, progress: Progress | None = None) -> ExactGreed:
    """Every state of a two-player ruleset."""
    started = time.perf_counter()
    top, dice = game.max, game.dice
    size = top + 1
    payoffs = [Fraction(pay) for pay in (game.win, game.tie, game.lose)]
    denominator = math.lcm(*(pay.denominator for pay in payoffs))
    word = int(2 * top * math.log2(max(dice.total, 2)) / 8) + 40
    require(size * size * (4 * word + 200), f"solving {game.spec} exactly")
    weight = dice.total ** (2 * top)
    win, tie, lose = (int(pay * denominator) * weight for pay in payoffs)

    own: dict[bool, Grid] = {last: [[0] * size for _ in range(size)] for last in (False, True)}
    other: dict[bool, Grid] = {last: [[0] * size for _ in range(size)] for last in (False, True)}
    best: dict[bool, Ties] = {last: [[()] * size for _ in range(size)] for last in (False, True)}
    _last_turns(game, win, tie, lose, own[True], other[True], best[True])

    count = game.n_max(0)
    mine = [_Column(game, lose, count) for _ in range(size)]
    # where the payoffs are constant-sum the other's value is the rest, and a column less is needed
    theirs = None if game.constant_sum else [_Column(game, win, count) for _ in range(size)]
    for d in range(2 * top, -1, -1):
        pairs = [(d - q, q) for q in range(max(0, d - top), min(top, d) + 1)]
        for a, q in pairs:
            rolls = mine[q].roll()
            options = [other[True][q][a], *rolls[: game.n_max(a)]]
            value = max(options)
            optimal = tuple(n for n, option in enumerate(options) if option == value)
            own[False][a][q], best[False][a][q] = value, optimal
            if theirs is None:
                other[False][a][q] = win + lose - value
            else:
                replies = [own[True][q][a], *theirs[q].roll()]
                other[False][a][q] = replies[optimal[0]]
        for a, q in pairs:  # landing on a against q hands over (q, a)
            mine[q].land(other[False][q][a])
            if theirs is not None:
                theirs[q].land(own[False][q][a])
        if progress is not None:
            progress(1 - d / (2 * top + 1), "solving exactly")
    report = Report(
        game=game.spec,
        method="exact integers",
        interests="constant sum" if game.constant_sum else "each for itself",
        states=2 * size * size,
        seconds=time.perf_counter() - started,
        exact=True,
        error_bound=0.0,
        tie_rule="the smallest of equally good numbers of dice",
    )
    return ExactGreed(game, report, denominator * weight, own, other, best)


class _Column:
    """The rows E_0 .. E_count of one column q, from the highest score down."""

    def __init__(self, game: Greed, bust: int, count: int) -> None:
        self.faces = list(game.dice)
        self.divisor = game.dice.total
        largest = self.faces[-1][0]
        self.rows = deque([[bust] * (count + 1)] * largest, maxlen=largest)
        # for a fair die 1..s the sum over the faces is kept up to date: one row comes in, one goes out
        self.window = [bust * largest] * (count + 1) if not game.die else None
        self.fresh: list[int] = []

    def roll(self) -> list[int]:
        """E_1, E_2, ... of the next lower score."""
        if self.window is not None:
            self.fresh = [total // self.divisor for total in self.window[:-1]]
        else:
            rows = [(self.rows[face - 1], weight) for face, weight in self.faces]
            self.fresh = [
                sum(row[n] * weight for row, weight in rows) // self.divisor for n in range(len(self.rows[0]) - 1)
            ]
        return self.fresh

    def land(self, value: int) -> None:
        """E_0 of the same score completes its row."""
        row = [value, *self.fresh]
        if self.window is not None:
            leaving = self.rows[-1]
            self.window = [total + new - old for total, new, old in zip(self.window, row, leaving, strict=True)]
        self.rows.appendleft(row)


def _last_turns(game: Greed, win: int, tie: int, lose: int, own: Grid, other: Grid, best: Ties) -> None:
    """The last turns, from the exact distribution of totals."""
    top = game.max
    weight = game.dice.total
    below: list[list[int]] = []  # below[n][t]: weight of totals less than t
    for n in range(game.n_max(0) + 1):
        chances = [0] * (top + 1)
        for total, chance in total_of(n, game.dice):
            if total <= top:
                chances[total] = chance
        below.append([0, *accumulate(chances)])
    for a in range(top + 1):
        room = top - a
        for q in range(top + 1):
            gap = q - a
            values, replies = [], []
            for n in range(game.n_max(a) + 1):
                sums = below[n]
                losing = sums[gap] if gap > 0 else 0
                tying = sums[gap + 1] - losing if gap >= 0 else 0
                winning = sums[room + 1] - losing - tying
                losing = weight**n - winning - tying
                values.append((win * winning + tie * tying + lose * losing) // weight**n)
                replies.append((lose * winning + tie * tying + win * losing) // weight**n)
            value = max(values)
            optimal = tuple(n for n, v in enumerate(values) if v == value)
            own[a][q], other[a][q], best[a][q] = value, replies[optimal[0]], optimal
