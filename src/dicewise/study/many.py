"""Greed for any number of players, on whole arrays.

A state is a row of scores, the mover's first, each from 0 to M, or M + 1 for a player who is out. With U the shares of
the pot that the seats expect, T_l the same when l last turns are left (the mover's among them), E_n the shares when the
mover rolls n dice, and `pass` the turn of the next player who is in, seats turned back:

    E_0(s)    = the shares of the winners, if one player is left; else pass U
    E_n(s)    = sum over faces f of p_f * E_{n-1}(s + f)       (out: E_0 of the state without the mover)
    U(s)      = the best for the mover of: standing, which is pass T_{others}; E_n, n = 1 .. n_max
    T_l(s)    = the same with T_{l-1} after the turn, or the shares of the winners if l = 1

Every roll raises the sum of the scores, so that all states with the same sum are solved at once; their rows of E are
kept for as many sums as the largest face reaches. Each plays for itself: where several numbers of dice are equally good
for the mover they may not be so for the others, and the rule that picks one is part of the answer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dicewise.errors import LimitError
from dicewise.game import Progress
from dicewise.games.greed import Greed
from dicewise.memory import require

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

EQUAL = 1e-12
"""Shares of the mover that differ by less are equally good."""

DIFFERENT = 1e-9
"""Shares of another that differ by more are not the same."""

MOST_STEPS = 2e11
"""Additions that a solution is not begun for: about an hour."""


@dataclass(frozen=True, eq=False)
class Many:
    """The normal turns of a ruleset, by the scores of all players, the mover's first."""

    game: Greed
    shares: Floats
    """[scores ..., seat]; NaN where nobody is on move."""
    dice: Ints
    """[scores ...]"""
    undecided: int
    """States in which equally good numbers of dice give the others different shares: the rule for ties decides."""

    def level(self, score: int) -> tuple[int, ...]:
        return (score,) * self.game.players

    def start(self, top: int | None = None) -> Floats:
        """The shares of the seats at the start, with this maximum or any smaller one: the state in which everybody is
        as far from it."""
        shares: Floats = self.shares[self.level(0 if top is None else self.game.max - top)]
        return shares


def steps_of(game: Greed) -> float:
    """About how many additions a solution takes."""
    states = float(game.max + 2) ** game.players
    return states * game.players**2 * (game.n_max(0) + 1) * (len(game.dice) + 2)


def check_size(game: Greed) -> None:
    """Refuse what would take too long, or more memory than there is."""
    states = (game.max + 2) ** game.players
    if steps_of(game) > MOST_STEPS:
        raise LimitError(
            f"{game.spec} has {states:,} rows of scores and would take hours; choose a smaller --max or fewer --players"
        )
    row = 8 * game.players
    # the options of a last turn are the most: every number of dice, thrice while the best is chosen
    require(states * (row * (game.players + 8 + 3 * (game.n_max(0) + 1)) + 60), f"solving {game.spec}")


def solve_many(game: Greed, *, largest: bool = False, progress: Progress | None = None) -> Many:
    """All states; of equally good numbers of dice the smallest is played, or the `largest`."""
    check_size(game)
    table = _Table(game, largest)
    last = [table.final]  # by turns left
    for left in range(1, game.players):
        last.append(table.last_turns(last[-1] if left > 1 else None))
        if progress is not None:
            progress(0.3 * left / game.players, "last turns")
    shares, dice = table.normal_turns(np.array(last), progress)
    shape = (game.max + 2,) * game.players
    return Many(game, shares.reshape(*shape, game.players), dice.reshape(shape), table.undecided)


class _Table:
    """The rows of scores of a ruleset, by number, and what follows from the rules for each."""

    def __init__(self, game: Greed, largest: bool) -> None:
        self.game, self.largest, self.undecided = game, largest, 0
        size, count = game.max + 2, game.players
        self.out, self.count = game.max + 1, count
        self.first = size ** (count - 1)  # by how much a point of the mover's raises the number of a row
        number = np.arange(size**count)
        powers = size ** np.arange(count - 1, -1, -1)
        self.scores: Ints = number[:, None] // powers % size
        inside = self.scores < self.out
        self.playing = inside.sum(axis=1)
        # the next player who is in, and the row as that player sees it; nobody: 0
        later = np.where(inside[:, 1:].any(axis=1), inside[:, 1:].argmax(axis=1) + 1, 0)
        turned = (np.arange(count) + later[:, None]) % count
        self.next_row: Ints = np.take_along_axis(self.scores, turned, axis=1) @ powers
        self.seat_then: Ints = (np.arange(count) - later[:, None]) % count
        reached = np.where(inside, self.scores, -1)
        best = reached == reached.max(axis=1, keepdims=True)
        self.final: Floats = np.where(best & (self.playing > 0)[:, None], 1.0 / best.sum(axis=1, keepdims=True), 0.0)
        self.faces = [(min(face, self.out), weight / game.dice.total) for face, weight in game.dice]
        limits = np.array([*(game.n_max(score) for score in range(self.out)), 0])
        self.limit: Ints = limits[self.scores[:, 0]]
        self.moving = np.flatnonzero(inside[:, 0] & (self.playing > 1))
        self.place: Ints = np.zeros(len(number), dtype=np.int64)  # of a row among those of its sum

    def passed(self, rows: Ints, after: Floats) -> Floats:
        """What the seats get once the mover's turn is over at these rows; `after` are the shares of those on move."""
        found = np.take_along_axis(after[self.next_row[rows]], self.seat_then[rows], axis=1)
        return np.where((self.playing[rows] == 1)[:, None], self.final[rows], found)

    def to(self, rows: Ints, face: int) -> Ints:
        """Where a die leads to."""
        mine = self.scores[rows, 0]
        there: Ints = rows + (np.minimum(mine + face, self.out) - mine) * self.first
        return there

    def choose(self, rows: Ints, options: Floats) -> tuple[Floats, Ints]:
        """Of options [n, row, seat] the best for the mover."""
        mine = np.where(np.arange(len(options))[:, None] <= self.limit[rows], options[:, :, 0], -np.inf)
        good = mine >= mine.max(axis=0) - EQUAL
        dice = len(options) - 1 - good[::-1].argmax(axis=0) if self.largest else good.argmax(axis=0)
        shares = np.take_along_axis(options, dice[None, :, None], axis=0)[0]
        apart = (np.abs(options - shares) > DIFFERENT).any(axis=2)
        self.undecided += int((good & apart).any(axis=0).sum())
        return shares, dice

    def last_turns(self, after: Floats | None) -> Floats:
        """The shares with one more turn left than in `after`; None: the game is over then."""
        everything = np.arange(len(self.scores))
        row = self.final if after is None else self.passed(everything, after)
        options = np.empty((self.game.n_max(0) + 1, len(self.moving), self.count))
        options[0] = row[self.moving]
        for n in range(1, len(options)):
            following = row.copy()  # out is out, however many dice are left
            following[self.moving] = sum(chance * row[self.to(self.moving, face)] for face, chance in self.faces)
            row = following
            options[n] = row[self.moving]
        shares = np.full_like(self.final, np.nan)
        shares[self.moving], _ = self.choose(self.moving, options)
        return shares

    def normal_turns(self, last: Floats, progress: Progress | None) -> tuple[Floats, Ints]:
        shares = np.full_like(self.final, np.nan)
        dice = np.zeros(len(self.scores), dtype=np.int64)
        sums = self.scores.sum(axis=1)
        order = np.argsort(sums[self.moving], kind="stable")
        by_sum = np.split(
            self.moving[order], np.searchsorted(sums[self.moving][order], range(1, self.count * self.out))
        )
        rows_of: dict[int, Floats] = {}
        length, reach = self.game.n_max(0) + 1, self.faces[-1][0]
        for total in range(len(by_sum) - 1, -1, -1):
            rows = by_sum[total]
            self.place[rows] = np.arange(len(rows))
            fresh = np.empty((length, len(rows), self.count))
            others = self.playing[rows] - 1
            # standing: everybody else who is in has one last turn
            stood = last[others, self.next_row[rows]]
            fresh[0] = np.take_along_axis(stood, self.seat_then[rows], axis=1)
            fresh[1:] = self._rolled(rows, total, rows_of, shares, length)
            shares[rows], dice[rows] = self.choose(rows, fresh)
            rows_of[total] = fresh
            # rows of one sum hand over to each other, so landing comes after all of them are solved
            fresh[0] = self.passed(rows, shares)
            rows_of.pop(total + reach, None)
            if progress is not None:
                progress(0.3 + 0.7 * (1 - total / len(by_sum)), "normal turns")
        return shares, dice

    def _rolled(self, rows: Ints, total: int, rows_of: dict[int, Floats], shares: Floats, length: int) -> Floats:
        """E_1, E_2 ... of rows with the same sum."""
        rolled = np.zeros((length - 1, len(rows), self.count))
        bust = self.passed(rows + (self.out - self.scores[rows, 0]) * self.first, shares)
        for face, chance in self.faces:
            safe = np.flatnonzero(self.scores[rows, 0] + face <= self.game.max)
            if len(safe):
                there = self.place[self.to(rows[safe], face)]
                rolled[:, safe] += chance * rows_of[total + face][:-1, there]
            unsafe = np.setdiff1d(np.arange(len(rows)), safe, assume_unique=True)
            rolled[:, unsafe] += chance * bust[unsafe]
        return rolled
