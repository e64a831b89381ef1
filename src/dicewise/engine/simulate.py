"""Simulating: whole games between any policies, the same for the same seed on every machine.

What chance decides in a move depends on the seed, the number of the game and the number of the move alone (`draws`).
So two ways of playing give the very same games: by the rules, one after the other, and side by side, thousands in
NumPy arrays, where the rules are asked only once about each position that comes up. Where a solution plays everybody's
part, or another policy that can play games out itself, it is asked first (`Solution.play_out`): the same games again.

With n games, mean m and standard deviation d (dividing by n-1), the standard error of m is d / sqrt(n).
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dicewise.engine.draws import Key, first_digits, key_of, pick, thresholds
from dicewise.engine.policies import Played, PlayedUnpaid, play
from dicewise.engine.reading import action_list, call, outcomes_of, pay_row, rotated, start_of, turn_of
from dicewise.errors import InputError, LimitError, RulesError
from dicewise.game import Game, Number, Progress

SIDE_BY_SIDE = 1 << 15
"""Games that are played at once: enough for NumPy to be quick, few enough for the processor's caches."""

ALL_AT_ONCE = 1 << 20
"""Games that a solution is asked to play at once."""

OUTCOMES_KEPT = 10_000_000
"""With more outcomes than this on record (about 300 MB) the games that are left are played by the rules."""

MOST_MOVES = 100_000
"""A game that takes longer is taken for one that never ends."""

WAYS = ("auto", "rules")


@dataclass(frozen=True)
class Simulation:
    """A sample of whole games."""

    game: str
    """The game's spec."""
    games: int
    seed: int
    counts: dict[tuple[float, ...], int]
    """How often the players ended with these totals (payoff and all rewards), in ascending order."""
    total_moves: int
    seconds: float = field(compare=False)

    def outcomes(self) -> dict[tuple[float, ...], float]:
        """The share of the games that ended with these totals of the players."""
        return {totals: count / self.games for totals, count in self.counts.items()}

    def distribution(self, player: int = 0) -> dict[float, float]:
        """The share of the games in which a player ended with this total."""
        found: dict[float, int] = {}
        for totals, count in self.counts.items():
            found[totals[player]] = found.get(totals[player], 0) + count
        return {total: found[total] / self.games for total in sorted(found)}

    @property
    def moves(self) -> float:
        """Moves per game, forced ones included."""
        return self.total_moves / self.games

    @cached_property
    def means(self) -> tuple[float, ...]:
        """The mean total of each player."""
        return tuple(
            math.fsum(total * count for total, count in zip(column, self.counts.values(), strict=True)) / self.games
            for column in self._columns
        )

    @cached_property
    def sds(self) -> tuple[float, ...]:
        """The standard deviation of each player's total; nan for a single game."""
        if self.games == 1:
            return (math.nan,) * len(self.means)
        return tuple(
            math.sqrt(
                math.fsum(
                    count * (total - mean) ** 2 for total, count in zip(column, self.counts.values(), strict=True)
                )
                / (self.games - 1)
            )
            for column, mean in zip(self._columns, self.means, strict=True)
        )

    @property
    def errors(self) -> tuple[float, ...]:
        """The standard error of each mean."""
        return tuple(sd / math.sqrt(self.games) for sd in self.sds)

    def within(self, values: Sequence[Number], errors: float = 4) -> bool:
        """Whether the means lie within so many standard errors of these values, one per player; what rounding can
        do is allowed for."""
        return all(
            abs(mean - float(value)) <= errors * error + 1e-12 * max(1.0, abs(mean))
            for mean, error, value in zip(self.means, self.errors, values, strict=True)
        )

    @property
    def _columns(self) -> Iterable[tuple[float, ...]]:
        return zip(*self.counts, strict=True)


def simulate(
    game: Game[Any, Any],
    policies: Any,
    games: int,
    seed: int,
    *,
    state: Any = None,
    using: str = "auto",
    progress: Progress | None = None,
) -> Simulation:
    """Play games between policies: one for everybody, or a list with one for each player (see `evaluate`), from the
    start of the game or from a given state.

    The same seed gives the same games, on every machine: also game by game, so the first thousand of a million are
    those of a thousand. `using="rules"` plays them one by one; by default they are played side by side, which gives
    the same result sooner.
    """
    started = time.perf_counter()
    if type(games) is not int or games < 1:
        raise InputError(f"games {games!r} is not allowed; give a whole number from 1 up")
    if using not in WAYS:
        raise InputError(f"using {using!r} is not known; choose one of {', '.join(WAYS)}")
    key = key_of(seed)
    played = play(game, policies)
    start = start_of(played) if state is None else state
    counts: Counter[tuple[float, ...]] = Counter()
    moves = 0
    for totals, lengths in _batches(played, start, key, games, using, progress):
        moves += int(lengths.sum())
        rows, times = np.unique(totals, axis=0, return_counts=True)
        counts.update(dict(zip(map(tuple, rows.tolist()), times.tolist(), strict=True)))
    return Simulation(
        game=game.spec,
        games=games,
        seed=seed,
        counts={totals: counts[totals] for totals in sorted(counts)},
        total_moves=moves,
        seconds=time.perf_counter() - started,
    )


Batch = tuple[NDArray[np.float64], NDArray[np.int64]]
"""What each player has in the end, one row per game, and the number of moves of each game."""


def _batches(
    played: Played, start: Any, key: Key, games: int, using: str, progress: Progress | None
) -> Iterable[Batch]:
    solution = _own_play(played) if using == "auto" else None
    if solution is not None:
        begun = 0
        while begun < games:
            done = _play_out(played, solution, start, key, begun, min(games, begun + ALL_AT_ONCE), games, progress)
            if done is None:
                break
            yield done
            begun += len(done[1])
        if begun == games:
            return
    table = _Table(played, start) if using == "auto" else None
    for first in range(0, games, SIDE_BY_SIDE):
        last = min(games, first + SIDE_BY_SIDE)
        report = None if progress is None else _share_of(progress, first, last, games)
        if table is not None:
            done = _play_side_by_side(table, key, first, last, report)
            if done is not None:
                yield done
                continue
            table = None
        yield _play_by_rules(played, start, key, first, last, report)
    if progress is not None:
        progress(1.0, "simulating")


class PlaysOut(Protocol):
    """A policy that can play many games faster than move by move: a solution, or another one that has `play_out`."""

    game: Any
    play_out: Any
    """See `Solution.play_out`."""


def _own_play(played: Played) -> PlaysOut | None:
    """The policy that plays everybody's part, if one does, and can play games out."""
    first: Any = played.policies[0]
    alone = hasattr(first, "play_out") and all(policy is first for policy in played.policies)
    return first if alone and first.game == played.game else None


def _play_out(
    played: Played,
    policy: PlaysOut,
    start: Any,
    key: Key,
    first: int,
    last: int,
    games: int,
    progress: Progress | None,
) -> Batch | None:
    """Games as the policy itself plays them, those that it leaves to the rules by the rules; None where it cannot."""

    def tell(share: float, _doing: str) -> None:
        if progress is not None:
            progress((first + share * (last - first)) / games, f"simulating {games:,} games")

    found = policy.play_out(start, key, first, last, tell)
    if found is None:
        return None
    totals, lengths = found
    for game in np.flatnonzero(lengths < 0).tolist():
        totals[game], lengths[game] = _play_one(played, start, key, first + game)
    return totals, lengths


def _share_of(progress: Progress, first: int, last: int, games: int) -> Callable[[int], None]:
    """Reports the games that are over in this batch."""
    return lambda over: progress((first + min(over, last - first)) / games, f"simulating, {first + over:,} games")


def _endless(played: Played, game: int) -> LimitError:
    return LimitError(
        f"{played.spec}: game {game:,} is not over after {MOST_MOVES:,} moves; with these policies it may never end"
    )


# ---- one position


def _lottery(played: Played, state: Any) -> tuple[Any, list[tuple[Any, int, Any]]] | None:
    """The move that is made and what may come of it, in the order of the rules; None where the game is over."""
    actions = action_list(played, state)
    return (actions[0], outcomes_of(played, state, actions[0])) if actions else None


def _first(played: Played, state: Any) -> Any:
    return call(played, played.as_first, state, state=state)


def _row(played: Played, pay: Any, what: str, state: Any, turn: int, action: Any = None) -> list[float]:
    """A pay in floats, from the mover on."""
    return [float(number) for number in rotated(pay_row(played, pay, what, state=state, action=action), turn)]


# ---- game after game


def _play_by_rules(
    played: Played, start: Any, key: Key, first: int, last: int, report: Callable[[int], None] | None = None
) -> Batch:
    """The games from number `first` up to `last`, straight from the rules."""
    totals, lengths = np.zeros((last - first, played.players)), np.zeros(last - first, dtype=np.int64)
    for game in range(first, last):
        totals[game - first], lengths[game - first] = _play_one(played, start, key, game)
        if report is not None and (game - first) % 64 == 0:
            report(game - first)
    return totals, lengths


def _play_one(played: Played, start: Any, key: Key, game: int) -> tuple[list[float], int]:
    players, pays = played.players, not isinstance(played, PlayedUnpaid)
    mover, state = turn_of(played, start), _first(played, start)
    totals = [0.0] * players

    def collect(row: list[float]) -> None:
        for entry, amount in enumerate(row):
            totals[(mover + entry) % players] += amount

    for move in range(MOST_MOVES + 1):
        turn = turn_of(played, state)
        found = _lottery(played, state)
        if found is None:
            collect(_row(played, call(played, played.payoff, state, state=state), "payoff", state, turn))
            return totals, move
        action, lottery = found
        number = pick(list(accumulate(weight for _, weight, _ in lottery)), key, game, move) if len(lottery) > 1 else 0
        outcome, _, to = lottery[number]
        if pays:
            pay = call(played, played.reward, state, action, outcome, state=state, action=action)
            collect(_row(played, pay, "reward", state, turn, action))
        mover, state = (mover + turn_of(played, to) - turn) % players, _first(played, to)
    raise _endless(played, game)


# ---- side by side


class _Column:
    """An array that grows: the part in use, with room behind it."""

    def __init__(self, kind: Any, width: int | None = None) -> None:
        self._room = np.zeros(1024 if width is None else (1024, width), dtype=kind)
        self._used = 0

    def extend(self, values: Sequence[Any]) -> None:
        end = self._used + len(values)
        if end > len(self._room):
            room = np.zeros((2 * end, *self._room.shape[1:]), dtype=self._room.dtype)
            room[: self._used] = self._room[: self._used]
            self._room = room
        self._room[self._used : end] = values
        self._used = end

    @property
    def array(self) -> NDArray[Any]:
        return self._room[: self._used]

    def __len__(self) -> int:
        return self._used


UNSEEN, OVER = -1, 0


class _Table:
    """The lotteries of all positions that came up so far, their outcomes in the order of the rules."""

    def __init__(self, played: Played, start: Any) -> None:
        self.played = played
        self.pays = not isinstance(played, PlayedUnpaid)
        self.states: list[Any] = []
        self.numbers: dict[Any, int] = {}
        self.size = _Column(np.int64)  # how many outcomes a position has; UNSEEN, OVER
        self.first = _Column(np.int64)  # its first outcome; its payoff, where the game is over
        self.payoff = _Column(np.float64, played.players)
        self.threshold = _Column(np.uint64)
        self.target = _Column(np.int64)
        self.turns = _Column(np.int64)  # by how many players the turn passes on
        self.reward = _Column(np.float64, played.players)
        self.mover, self.root = turn_of(played, start), self.number(start)

    def number(self, state: Any) -> int:
        """The number of a position, which need not have come up yet."""
        first = _first(self.played, state)
        try:
            found = self.numbers.get(first)
        except TypeError:
            raise RulesError(
                f"{self.played.name}: state {first!r:.120} cannot be hashed; "
                "use tuples and frozen dataclasses, not lists or dicts"
            ) from None
        if found is None:
            found = self.numbers[first] = len(self.states)
            self.states.append(first)
            self.size.extend([UNSEEN])
            self.first.extend([0])
        return found

    def open(self, number: int) -> None:
        """Read the rules of a position that has come up."""
        played, state = self.played, self.states[number]
        turn = turn_of(played, state)
        found = _lottery(played, state)
        if found is None:
            self.size.array[number], self.first.array[number] = OVER, len(self.payoff)
            pay = call(played, played.payoff, state, state=state)
            self.payoff.extend([_row(played, pay, "payoff", state, turn)])
            return
        action, lottery = found
        targets = [self.number(to) for _, _, to in lottery]
        self.size.array[number], self.first.array[number] = len(lottery), len(self.target)
        self.target.extend(targets)
        self.threshold.extend([*thresholds(list(accumulate(weight for _, weight, _ in lottery))), 2**64 - 1])
        self.turns.extend([turn_of(played, to) - turn for _, _, to in lottery])
        if self.pays:
            pays = [call(played, played.reward, state, action, o, state=state, action=action) for o, _, _ in lottery]
            self.reward.extend([_row(played, pay, "reward", state, turn, action) for pay in pays])


def _play_side_by_side(
    table: _Table, key: Key, first: int, last: int, report: Callable[[int], None] | None
) -> Batch | None:
    """The same games, all at once; None where the table grows too large."""
    players = table.played.players
    seats = np.arange(players)
    totals, lengths = np.zeros((last - first, players)), np.zeros(last - first, dtype=np.int64)
    games = np.arange(last - first)  # those that are not over
    at = np.full(len(games), table.root)
    mover = np.full(len(games), table.mover)
    for move in range(MOST_MOVES + 1):
        for number in np.unique(at[table.size.array[at] == UNSEEN]).tolist():
            table.open(number)
            if len(table.target) > OUTCOMES_KEPT:
                return None
        size, begin = table.size.array[at], table.first.array[at]
        over = size == OVER
        if over.any():
            totals[games[over, None], (mover[over, None] + seats) % players] += table.payoff.array[begin[over]]
            lengths[games[over]] = move
            games, mover, size, begin = games[~over], mover[~over], size[~over], begin[~over]
        if not len(games):
            return totals, lengths
        if report is not None and move % 16 == 0:
            report(last - first - len(games))
        edge = begin
        if (size > 1).any():
            words = first_digits(key, games.astype(np.uint64) + np.uint64(first), move)
            edge, doubt = _fall_on(table.threshold.array, begin, size, words)
            for index in np.flatnonzero(doubt).tolist():
                found = _lottery(table.played, table.states[at[~over][index]])
                assert found is not None  # games that are over have left
                sums = list(accumulate(weight for _, weight, _ in found[1]))
                edge[index] = begin[index] + pick(sums, key, first + int(games[index]), move)
        if table.pays:
            totals[games[:, None], (mover[:, None] + seats) % players] += table.reward.array[edge]
        mover = (mover + table.turns.array[edge]) % players
        at = table.target.array[edge]
    raise _endless(table.played, first + int(games[0]))


def _fall_on(
    threshold: NDArray[np.uint64], begin: NDArray[np.int64], size: NDArray[np.int64], words: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The outcome that each word falls on, by bisection in all lotteries at once, and where more digits must decide."""
    low, high = begin.copy(), begin + size - 1
    for _ in range(int(size.max() - 1).bit_length()):
        middle = (low + high) >> 1
        above = (threshold[middle] <= words) & (low < high)
        low, high = np.where(above, middle + 1, low), np.where(above, high, middle)
    return low, (low > begin) & (threshold[low - 1] == words)
