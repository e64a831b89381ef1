"""Policies of two-player Greed as tables: what one is worth against another, and what a best response makes of it.

A policy is a number of dice for every normal and every last turn. With p_n the distribution of the total of n dice, let
A(a, q) be some worth to the first player where the first is to move with a against q, and B(b, x) where the second is
to move with b while the first holds x. Then

    A(a, q) = A_last' if n = 0, else sum over t of p_n(t) * B(q, a + t)  + P(bust) * (worth of a loss)
    B(b, x) = B_last' if n = 0, else sum over t of p_n(t) * A(x, b + t)  + P(bust) * (worth of a win)

n being what the mover's policy says, and the last turns of the other player standing where the mover stands. The
worths carried are the chances to win and to tie, from which any payoffs follow. Every roll adds to a + q, so that
anti-diagonals are done at once, from the highest. Where one player is free, it takes the largest over n of its
expected payoff: a best response. Nothing here is shared with the solver's recurrence.

The same stands here once more in whole numbers, over the weight of all faces to the power 2 max (see `exact`): slow,
state by state, and beyond doubt.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicewise.chance import total_of
from dicewise.errors import InputError
from dicewise.games.greed._layout import Floats, layout
from dicewise.games.greed.rules import Greed, Position
from dicewise.memory import require
from dicewise.solution import UNIT_ROUNDOFF

Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Dice:
    """A policy: how many dice are rolled, indexed [active, queued]. It can be given to the engine as it is."""

    normal: Counts
    last: Counts

    def __call__(self, state: Position) -> int:
        mine, theirs = state.scores
        return int((self.last if state.last else self.normal)[mine, theirs])

    def differs(self, other: Dice) -> int:
        """In how many states another policy rolls another number of dice."""
        return int((self.normal != other.normal).sum() + (self.last != other.last).sum())


def dice_of(game: Greed, policy: Any) -> Dice:
    """A policy as tables: of a solution with its own (`dice`), or of any function of the state."""
    if hasattr(policy, "dice"):
        return Dice(policy.dice(False).astype(np.int64), policy.dice(True).astype(np.int64))
    return Dice(*(_asked(game, policy, last) for last in (False, True)))


def _asked(game: Greed, policy: Callable[[Position], int], last: bool) -> Counts:
    scores = range(game.max + 1)
    return np.array([[policy(game.at(a, q, last=last)) for q in scores] for a in scores], dtype=np.int64)


def check_dice(game: Greed, policy: Dice) -> None:
    """Refuse tables that are not of this ruleset, or roll more dice than it lists."""
    shape = (game.max + 1, game.max + 1)
    most = np.array([game.n_max(a) for a in range(game.max + 1)])[:, None]
    for name, table in (("normal", policy.normal), ("last", policy.last)):
        if table.shape != shape:
            raise InputError(f"the {name} turns have the shape {table.shape}; {game.spec} has {shape}")
        wrong = np.argwhere((table < 0) | (table > most))
        if len(wrong):
            a, q = map(int, wrong[0])
            raise InputError(
                f"{int(table[a, q])} dice at {a} against {q} are not allowed; from 0 to {int(most[a, 0])} are"
            )


class Ends(NamedTuple):
    """How a game ends for a player: chances, and what they are worth."""

    win: Any
    tie: Any
    lose: Any

    def payoff(self, game: Greed) -> Any:
        exact = isinstance(self.win, Fraction)
        pays = [Fraction(pay) if exact else float(pay) for pay in (game.win, game.tie, game.lose)]
        return sum(chance * pay for chance, pay in zip(self, pays, strict=True))


def _mean(first: Ends, second: Ends) -> Ends:
    return Ends(*((a + b) / 2 for a, b in zip(first, second, strict=True)))


@dataclass(frozen=True, eq=False)
class Duel:
    """One policy against another, from every state; chances of the first, [2: win and tie, mover's score, other's]."""

    moving: Floats
    """The first policy is to move in a normal turn."""
    waiting: Floats
    """The second is to move; its score comes first."""
    moving_last: Floats
    waiting_last: Floats
    error_bound: float
    """No chance is further than this from the true one."""

    def ends(self, *, moves: bool, a: int = 0, q: int = 0, last: bool = False) -> Ends:
        """How it ends for the first policy when the mover, the first policy or the second, has a against q."""
        table = {(True, False): self.moving, (False, False): self.waiting, (True, True): self.moving_last}
        win, tie = table.get((moves, last), self.waiting_last)[:, a, q]
        return Ends(float(win), float(tie), float(1 - win - tie))

    @property
    def mean(self) -> Ends:
        """From the start, each seat half the time."""
        return _mean(self.ends(moves=True), self.ends(moves=False))


@dataclass(frozen=True, eq=False)
class Response:
    """The best that can be done against a policy: payoffs of the one who is free, and how it plays."""

    moving: Floats
    waiting: Floats
    moving_last: Floats
    waiting_last: Floats
    dice: Dice
    error_bound: float

    @property
    def mean(self) -> float:
        """Its payoff from the start, each seat half the time."""
        return float(self.moving[0, 0] + self.waiting[0, 0]) / 2


class Rolls(NamedTuple):
    """The totals of 0, 1, 2 ... dice: chance of each total up to max, and of more than it, both [dice, total]."""

    exactly: Floats
    above: Floats


def rolls_of(game: Greed) -> Rolls:
    rules = layout(game)
    size, count = game.max + 1, game.n_max(0) + 1
    exactly, above = np.zeros((count, size)), np.zeros((count, size))
    exactly[0, 0] = 1.0
    for n in range(1, count):
        for face, chance in zip(rules.faces.tolist(), rules.chances.tolist(), strict=True):
            exactly[n, face:] += chance * exactly[n - 1, : size - face]
            above[n, face:] += chance * above[n - 1, : size - face]
            above[n, :face] += chance
    return Rolls(exactly, above)


def rounding_of(game: Greed) -> float:
    """A bound on the rounding error of any chance: every turn convolves dice and sums up to max + 1 products."""
    faces, dice = len(game.dice.outcomes), game.max // game.dice.outcomes[0]
    each = 2 * (game.n_max(0) * (faces + 2) + 2 * (game.max + 1) + 4) * UNIT_ROUNDOFF
    return (2 * dice + 2) * each


# ---- in doubles


def duel(game: Greed, first: Dice, second: Dice) -> Duel:
    """What the first policy makes of the second, from every state."""
    for policy in (first, second):
        check_dice(game, policy)
    rolls, size = rolls_of(game), game.max + 1
    mine_last = _last_chances(rolls, first.last)
    theirs_last = _turned(_last_chances(rolls, second.last))
    moving, waiting = np.zeros((2, size, 2 * size)), np.zeros((2, size, 2 * size))  # columns above max are a bust
    won = np.array([1.0, 0.0])[:, None]
    for a, q in diagonals(size):
        for table, other, stood, dice, bust in (
            (moving, waiting, theirs_last, first.normal[a, q], 0.0 * won),
            (waiting, moving, mine_last, second.normal[a, q], won),
        ):
            landed = other[:, q[:, None], a[:, None] + np.arange(size)]
            rolled = np.einsum("it,wit->wi", rolls.exactly[dice], landed) + bust * rolls.above[dice, game.max - a]
            table[:, a, q] = np.where(dice == 0, stood[:, q, a], rolled)
    return Duel(moving[:, :, :size], waiting[:, :, :size], mine_last, theirs_last, rounding_of(game))


def best_reply(game: Greed, policy: Dice) -> Response:
    """The best response to a policy, from every state and in either seat; of equally good numbers the smallest."""
    check_dice(game, policy)
    rolls, size = rolls_of(game), game.max + 1
    win, tie, lose = (float(pay) for pay in (game.win, game.tie, game.lose))
    limit = np.array([game.n_max(a) for a in range(size)])
    bound = rounding_of(game) * max(win - lose, 0.0) + 4 * UNIT_ROUNDOFF * max(abs(win), abs(lose))
    final = np.where(np.less.outer(np.arange(size), np.arange(size)), lose, win)  # [own, other's]
    np.fill_diagonal(final, tie)

    def best(options: Floats, a: Counts) -> tuple[Floats, Counts]:
        options[np.arange(len(options))[:, None] > limit[a]] = -np.inf
        most = options.max(axis=0)
        return most, (options >= most - bound).argmax(axis=0)

    own_last, own_dice = np.empty((size, size)), Dice(*(np.zeros((size, size), dtype=np.int64) for _ in range(2)))
    for score in range(size):
        options = rolls.exactly[:, : size - score] @ final[score:] + lose * rolls.above[:, game.max - score, None]
        own_last[score], own_dice.last[score] = best(options, np.full(size, score))
    win_chance, tie_chance = _turned(_last_chances(rolls, policy.last))
    theirs_last = lose + (win - lose) * win_chance + (tie - lose) * tie_chance
    moving, waiting = np.zeros((size, 2 * size)), np.zeros((size, 2 * size))
    for a, q in diagonals(size):
        totals = a[:, None] + np.arange(size)
        room = game.max - a
        options = rolls.exactly @ waiting[q[:, None], totals].T + lose * rolls.above[:, room]
        options[0] = theirs_last[q, a]
        dice = policy.normal[a, q]
        rolled = np.einsum("it,it->i", rolls.exactly[dice], moving[q[:, None], totals]) + win * rolls.above[dice, room]
        moving[a, q], own_dice.normal[a, q] = best(options, a)
        waiting[a, q] = np.where(dice == 0, own_last[q, a], rolled)
    return Response(moving[:, :size], waiting[:, :size], own_last, theirs_last, own_dice, bound)


def diagonals(size: int) -> list[tuple[Counts, Counts]]:
    """The states [active, queued] of each anti-diagonal, from the highest scores down."""
    queued = [np.arange(max(0, d - size + 1), min(size - 1, d) + 1) for d in range(2 * size - 2, -1, -1)]
    return [(2 * size - 2 - number - q, q) for number, q in enumerate(queued)]


def _last_chances(rolls: Rolls, dice: Counts) -> Floats:
    """Win and tie of the one who has the last turn, [2, mover's score, other's]."""
    size = len(dice)
    a, q = np.indices((size, size))
    gap = q - a
    below = np.concatenate([np.zeros((len(rolls.exactly), 1)), np.cumsum(rolls.exactly, axis=1)], axis=1)
    tie = np.where(gap >= 0, rolls.exactly[dice, np.maximum(gap, 0)], 0.0)
    lose = rolls.above[dice, size - 1 - a] + below[dice, np.maximum(gap, 0)]
    return np.stack([1 - lose - tie, tie])


def _turned(chances: Floats) -> Floats:
    """The same for the other player."""
    win, tie = chances
    return np.stack([1 - win - tie, tie])


# ---- against one opponent, thousands of times


def require_memory(game: Greed) -> None:
    """Refuse a ruleset whose policies do not fit into memory to be tried against an `Opponent`."""
    size, count = game.max + 1, game.n_max(0) + 1
    require(2 * 8 * size * size * count + 100 * size * size, f"trying policies of {game.spec}")


class Opponent:
    """A policy that many others are tried against, from the start, each seat half the time; compiled.

    Their loss is measured from the best response to it; against an optimal player that is the optimum.
    """

    def __init__(self, game: Greed, policy: Dice) -> None:
        require_memory(game)
        size, faces, count = game.max + 1, game.dice.outcomes, game.n_max(0) + 1
        self.game, self.policy = game, policy
        self.limit = np.array([game.n_max(a) for a in range(size)])
        self.rolls = rolls = rolls_of(game)
        best = best_reply(game, policy)
        self.best = best.mean
        """What the best response gets, in payoffs."""
        win, tie, lose = (float(pay) for pay in (game.win, game.tie, game.lose))
        self.regret, self.regret_last = np.empty((size, size, count)), np.empty((size, size, count))
        """What each number of dice gives away, [own, other's, dice]; infinite for more than the rules list."""
        scores = np.arange(size)
        final = np.where(scores[:, None] > scores, win, np.where(scores[:, None] == scores, tie, lose))
        for a in range(size):
            bust = lose * rolls.above[:, game.max - a, None]
            rolled = rolls.exactly[:, : size - a] @ best.waiting[:, a:].T + bust
            rolled[0] = best.waiting_last[:, a]
            self.regret[a] = np.maximum(best.moving[a] - rolled, 0.0).T
            final_roll = rolls.exactly[:, : size - a] @ final[a:] + bust
            self.regret_last[a] = np.maximum(best.moving_last[a] - final_roll, 0.0).T
            for regret in (self.regret, self.regret_last):
                regret[a, :, self.limit[a] + 1 :] = np.inf
        counts = np.arange(count)
        self._first, self._end = counts * faces[0], np.minimum(counts * faces[-1] + 1, size)
        self.moving, self._waiting, self.last_turn = (np.zeros((size, size)) for _ in range(3))

    def loss(self, policy: Dice, cut: float = 0.0, bar: float = np.inf) -> tuple[float, float]:
        """What a policy loses, in payoffs, or, if that is above `bar`, something above it; and how far that may be off
        by the states that come up less often than `cut`, which are left out.

        Afterwards `moving` and `last_turn` say how often it has moved from each state, [own, other's].
        """
        from dicewise.games.greed._kernel_policies import follow

        loss, lost = follow(
            policy.normal,
            policy.last,
            self.policy.normal,
            self.regret,
            self.regret_last,
            self.rolls.exactly,
            self._first,
            self._end,
            max(cut, 1e-200),  # products of chances below that are denormal, and slow
            bar,
            self.moving,
            self._waiting,
            self.last_turn,
        )
        return float(loss), float(lost) * float(self.game.win - self.game.lose)


# ---- in whole numbers


def duel_exactly(game: Greed, first: Dice, second: Dice) -> tuple[Ends, Ends]:
    """How games from the start end for the first policy: moving first, and moving second."""
    for policy in (first, second):
        check_dice(game, policy)
    top, scale = game.max, game.dice.total ** (2 * game.max)
    weights = _weights(game)
    powers: list[int] = [game.dice.total**n for n in range(len(weights))]
    policies = (first, second)
    worths: tuple[dict[tuple[int, int], tuple[int, int]], ...] = ({}, {})

    def last_turn(mover: int, a: int, q: int) -> tuple[int, int]:
        n = int(policies[mover].last[a, q])
        row = weights[n]
        tie = row[q - a] if q >= a else 0
        above = sum(row[max(q - a + 1, 0) : top - a + 1])
        won = above if mover == 0 else powers[n] - above - tie
        return won * scale // powers[n], tie * scale // powers[n]

    for mover, a, q in reversed(_reached(game, policies)):
        n = int(policies[mover].normal[a, q])
        if n == 0:
            worths[mover][a, q] = last_turn(1 - mover, q, a)
            continue
        wins = ties = 0
        bust = powers[n]
        for total, weight in enumerate(weights[n][: top - a + 1]):
            if weight:
                won, tied = worths[1 - mover][q, a + total]
                wins, ties, bust = wins + weight * won, ties + weight * tied, bust - weight
        worths[mover][a, q] = (wins + mover * bust * scale) // powers[n], ties // powers[n]
    found = []
    for mover in (0, 1):
        win, tie = (Fraction(worth, scale) for worth in worths[mover][0, 0])
        found.append(Ends(win, tie, 1 - win - tie))
    return found[0], found[1]


def mean_exactly(game: Greed, first: Dice, second: Dice) -> Ends:
    """How games from the start end for the first policy, each seat half the time."""
    return _mean(*duel_exactly(game, first, second))


def _reached(game: Greed, policies: tuple[Dice, Dice]) -> list[tuple[int, int, int]]:
    """The normal states (whose policy moves, its score, the other's) that play can come to, by rising scores."""
    top, faces = game.max, game.dice.outcomes
    marked: tuple[set[tuple[int, int]], set[tuple[int, int]]] = ({(0, 0)}, {(0, 0)})
    possible = [{0}]
    for _ in range(game.n_max(0)):
        possible.append({total + face for total in possible[-1] for face in faces if total + face <= top})
    found = []
    for d in range(2 * top + 1):
        for a in range(max(0, d - top), min(top, d) + 1):
            for mover in (0, 1):
                if (a, d - a) in marked[mover]:
                    found.append((mover, a, d - a))
                    n = int(policies[mover].normal[a, d - a])
                    if n:
                        marked[1 - mover].update((d - a, a + total) for total in possible[n] if a + total <= top)
    return found


def best_reply_exactly(game: Greed, policy: Dice) -> tuple[Fraction, Fraction]:
    """What a best response to a policy gets from the start: moving first, and moving second."""
    check_dice(game, policy)
    top = game.max
    pays = [Fraction(pay) for pay in (game.win, game.tie, game.lose)]
    scale = game.dice.total ** (2 * top) * math.lcm(*(pay.denominator for pay in pays))
    win, tie, lose = (int(pay * scale) for pay in pays)
    weights = _weights(game)
    powers: list[int] = [game.dice.total**n for n in range(len(weights))]
    sums = [[sum(row[: t + 1]) for t in range(top + 1)] for row in weights]

    def rolled(n: int, a: int, landed: list[int], bust: int) -> int:
        worth: int = sum(map(mul, weights[n], landed)) + bust * (powers[n] - sums[n][top - a])
        return worth // powers[n]

    moving, waiting = ([[0] * (top + 1) for _ in range(top + 1)] for _ in range(2))
    for d in range(2 * top, -1, -1):
        for a in range(max(0, d - top), min(top, d) + 1):
            q = d - a
            n = int(policy.last[q, a])  # the policy's answer if the free player stands
            stand = rolled(n, q, [lose if x > a else tie if x == a else win for x in range(q, top + 1)], win)
            landed = waiting[q][a:]
            moving[a][q] = max(stand, *(rolled(n, a, landed, lose) for n in range(1, game.n_max(a) + 1)), stand)
            n = int(policy.normal[a, q])
            if n:
                waiting[a][q] = rolled(n, a, moving[q][a:], win)
            else:  # the policy stands: the free player, who has q, answers
                own = [win if x > a else tie if x == a else lose for x in range(q, top + 1)]
                waiting[a][q] = max(rolled(n, q, own, lose) for n in range(game.n_max(q) + 1))
    return Fraction(moving[0][0], scale), Fraction(waiting[0][0], scale)


def _weights(game: Greed) -> list[list[int]]:
    """The weight of every total up to max, by number of dice."""
    rows = []
    for n in range(game.n_max(0) + 1):
        row = [0] * (game.max + 1)
        for total, weight in total_of(n, game.dice):
            if total <= game.max:
                row[total] = weight
        rows.append(row)
    return rows
