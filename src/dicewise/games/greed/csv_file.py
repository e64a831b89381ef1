"""A solution of two-player Greed from a CSV file, written by us or by the source program.

The header names the columns `active`, `queued`, `last`, `n` and `payoff`, in any order and beside others; then comes a
row for each state, in any order. The file says neither what dice it is for nor who made it, so nothing in it is taken
for true: it is read, checked to be one whole table, and can be compared with a solution of our own. Whether it can be
of these rules shows in its own numbers: with the chances p_n of the total of n dice, the payoff of a state must be

    last(a, q)   = P(bust) * lose + sum over t <= M - a of p_n(t) * (win, tie or lose, by comparing a + t with q)
    normal(a, q) = P(bust) * lose + sum over t <= M - a of p_n(t) * (win + lose - normal(q, a + t))
    normal(a, q) = win + lose - last(q, a)   for n = 0

for the n of that row. Where it is not, that is said, and the file is drawn all the same: it may be held against ours.
"""

from __future__ import annotations

import csv
import re
import time
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from dicewise.errors import InputError, shown
from dicewise.game import Progress
from dicewise.games.greed._layout import Tables
from dicewise.games.greed.rules import Greed, Position
from dicewise.games.greed.solution import GreedSolution
from dicewise.memory import require
from dicewise.solution import Report

LAST = {"true": 1.0, "false": 0.0, "1": 1.0, "0": 0.0}
COLUMNS = ("active", "queued", "last", "n", "payoff")
NAMED = re.compile(r"greed_([0-9]{1,7})_([0-9]{1,7})\.csv", re.IGNORECASE)
"""What our files and those of the source program are called: greed_100_6.csv."""

READ = "read from "
SLACK = 1e-5
"""How far a payoff may be off: files may have been written with few digits."""
MOST_ROWS = 500
"""Own scores that are checked at the most, evenly spread; the check of all takes a time that grows with the cube."""

Grid = np.ndarray[Any, np.dtype[Any]]


class ReadSolution(GreedSolution):
    """Payoffs and numbers of dice as a file has them; what it does not say is not made up."""

    has_details = False
    checked: int
    """How many states were checked against the rules."""
    wrong: tuple[Position, ...] = ()
    """Those whose payoff is not what the rules give for their number of dice."""

    @property
    def file(self) -> str:
        return self.report.method.removeprefix(READ)

    def find_details(self, progress: Progress | None = None) -> None:
        raise InputError(f"{self.report.method} are payoffs and dice only; solve the game for more than these")


def read_csv(path: str | Path, **given: Any) -> ReadSolution:
    """The solution in a file.

    `given` are parameters of `Greed`: the dice, unless the file is called `greed_MAX_SIDES.csv`, and payoffs that are
    not 1, 0 and -1. The maximum is the highest score in the file.
    """
    started = time.perf_counter()
    rows = _rows(Path(path))
    top = int(rows[:, :2].max())
    if len(rows) < 2 * (top + 1) ** 2 // 1000:  # far from whole: no table is made for one state in a thousand
        states = 2 * (top + 1) ** 2
        raise InputError(
            f"{Path(path).name!r} has {len(rows):,} rows; with scores up to {top} there are {states:,} states"
        )
    game = _game(Path(path), top, given)
    payoffs, dice = _boards(Path(path), rows, game)
    half = float(Fraction(game.win - game.lose) / 2)
    units = (payoffs - float(Fraction(game.win + game.lose) / 2)) / half if half else np.zeros_like(payoffs)
    report = Report(
        game=game.spec,
        method=f"{READ}{Path(path).name}",
        interests="constant sum" if game.constant_sum else "each for itself",
        states=len(rows),
        seconds=time.perf_counter() - started,
        exact=False,
        error_bound=None,
        tie_rule="as the file has it",
        doubts=0,
    )
    found = ReadSolution(game, report, Tables(units[0], units[1], dice[0], dice[1], None, None))
    found.checked, found.wrong = _held_against_rules(game, payoffs, dice)
    return found


def _rows(path: Path) -> Grid:
    """The numbers of the file, one row per state: active, queued, last, n, payoff."""
    try:
        require(4 * path.stat().st_size, f"reading {path.name!r}")
        with path.open(encoding="utf-8-sig", newline="") as file:
            names = [name.strip().lower() for name in next(csv.reader(file), [])]
    except OSError as error:
        raise InputError(f"cannot read {str(path)!r}: {error.strerror or error}") from None
    except (UnicodeDecodeError, csv.Error):
        raise InputError(
            f"{path.name!r} is no text; it must be a CSV file with the columns {','.join(COLUMNS)}"
        ) from None
    if missing := [name for name in COLUMNS if names.count(name) != 1]:
        raise InputError(
            f"{path.name!r} has no column {missing[0]!r} in its first line; it must name {','.join(COLUMNS)}, each once"
        )
    places = [names.index(name) for name in COLUMNS]
    kinds = [(name, "U6" if name == "last" else "f8") for name in COLUMNS]
    try:
        with path.open(encoding="utf-8-sig") as file, warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # that there are no rows is said below
            found = np.loadtxt(
                file, kinds, delimiter=",", quotechar='"', comments=None, skiprows=1, usecols=places, ndmin=1
            )
    except (ValueError, IndexError):  # a byte that is no text is a ValueError, too
        raise InputError(f"{path.name!r}, {_first_wrong(path, places)}") from None
    if not len(found):
        raise InputError(f"{path.name!r} has no rows; there must be one for each state")
    last, words = np.full(len(found), np.nan), np.char.lower(np.char.strip(found["last"]))
    for word, is_last in LAST.items():
        last[words == word] = is_last
    rows = np.column_stack([last if name == "last" else found[name] for name in COLUMNS])
    whole = rows[:, :4]
    if not (np.isfinite(rows).all() and (whole == np.floor(whole)).all() and (whole >= 0).all()):
        raise InputError(f"{path.name!r}, {_first_wrong(path, places)}")
    return rows


def _first_wrong(path: Path, places: list[int]) -> str:
    """Which line cannot be read, and what is allowed there."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        reader = csv.reader(file)
        for words in reader:
            if reader.line_num > 1 and words and not _is_state([*words, *[""] * max(places)], places):
                return (
                    f"line {reader.line_num} cannot be read: {shown(','.join(words), 60)}; scores and n are whole "
                    "numbers from 0 up, last is true or false, payoff a number"
                )
    return "which cannot be read; it must be a table of numbers with a row for each state"


def _is_state(words: list[str], places: list[int]) -> bool:
    active, queued, last, n, payoff = (words[place].strip() for place in places)
    try:
        whole = [float(word) for word in (active, queued, n)]
        return last.lower() in LAST and np.isfinite(float(payoff)) and all(x >= 0 and x == int(x) for x in whole)
    except (ValueError, OverflowError):
        return False


def _game(path: Path, top: int, given: dict[str, Any]) -> Greed:
    """The ruleset that a file is about, as far as its name, its scores and the caller say."""
    named = NAMED.fullmatch(path.name)
    if named and int(named[1]) != top:
        raise InputError(f"{path.name!r} is named after maximum {named[1]}, and its highest score is {top}; rename it")
    if "max" in given and given["max"] != top:
        raise InputError(f"max {given['max']} was given, and the highest score in {path.name!r} is {top}; leave it out")
    if not {"sides", "die"} & set(given):
        if named is None:
            raise InputError(
                f"{path.name!r} does not say what dice it is for; give --sides, or name it greed_{top}_SIDES.csv"
            )
        given = {**given, "sides": int(named[2])}
    elif named and "die" not in given and given["sides"] != int(named[2]):
        raise InputError(
            f"{path.name!r} is named after {named[2]}-sided dice, and sides {given['sides']} was given; rename it"
        )
    game = Greed(**{**given, "max": top})
    if game.players != 2:
        raise InputError(f"players {game.players} was given, and such files are about 2; leave it out")
    return game


def _boards(path: Path, rows: Grid, game: Greed) -> tuple[Grid, Grid]:
    """Payoffs and dice, indexed [last, active, queued]; every state must stand in exactly one row."""
    size = game.max + 1
    active, queued, last = rows[:, :3].astype(np.int64).T
    cell = (last * size + active) * size + queued
    count = np.bincount(cell, minlength=2 * size * size)

    def named(at: int) -> str:
        turn, a, q = np.unravel_index(at, (2, size, size))
        return f"active {a}, queued {q}, last {'true' if turn else 'false'}"

    if (count > 1).any():
        twice = int(np.argmax(count > 1))
        raise InputError(f"{path.name!r} has more than one row for {named(twice)}; there must be one for each state")
    if (count == 0).any():
        missing = int((count == 0).sum())
        raise InputError(
            f"{path.name!r} lacks {missing:,} of {2 * size * size:,} states of maximum {game.max}, "
            f"the first: {named(int(np.argmin(count)))}"
        )
    low, high, payoff, n = float(game.lose), float(game.win), rows[:, 4], rows[:, 3]
    slack = 1e-9 * max(1.0, abs(low), abs(high))
    outside = (payoff < low - slack) | (payoff > high + slack)
    if outside.any():
        at = int(np.argmax(outside))
        raise InputError(
            f"{path.name!r}: payoff {payoff[at]:g} for {named(int(cell[at]))} is not between {game.lose} and "
            f"{game.win}; if the file has other payoffs, give --win, --tie and --lose"
        )
    most = (game.max - active) // game.dice.outcomes[0]
    if (n > most).any():
        at = int(np.argmax(n > most))
        raise InputError(
            f"{path.name!r}: n {n[at]:g} for {named(int(cell[at]))} is not possible; more than {most[at]} dice bust "
            "for certain"
        )
    payoffs, dice = np.empty(2 * size * size), np.empty(2 * size * size, dtype=np.uint16)
    payoffs[cell], dice[cell] = payoff, n
    return payoffs.reshape(2, size, size), dice.reshape(2, size, size)


def _held_against_rules(game: Greed, payoffs: Grid, dice: Grid) -> tuple[int, tuple[Position, ...]]:
    """How many states were checked, and those whose payoff is not that of their own n; tables as `_boards` has them.

    Where payoffs are not constant-sum, what the other player gets does not stand in the file: last turns alone are
    checked.
    """
    size = game.max + 1
    win, tie, lose = (float(pay) for pay in (game.win, game.tie, game.lose))
    own, others = np.ogrid[:size, :size]
    landed = {1: np.where(own > others, win, np.where(own == others, tie, lose))}  # [own score, other's score]
    stood = dict(landed)
    if game.constant_sum:
        landed[0], stood[0] = (win + lose - payoffs[last].T for last in (0, 1))
    chances = np.zeros((int(dice.max()) + 1, size))  # [n, total]
    chances[0, 0] = 1.0
    for n in range(1, len(chances)):
        for face, weight in game.dice:
            if face < size:
                chances[n, face:] += weight / game.dice.total * chances[n - 1, : size - face]
    rows = np.unique(np.linspace(0, game.max, min(size, MOST_ROWS)).astype(int)).tolist()
    slack = SLACK * max(1.0, abs(win), abs(tie), abs(lose))
    wrong = []
    for last in sorted(landed):
        for a in rows:
            rolled = dice[last, a]
            expected = stood[last][a].copy()
            for n in np.unique(rolled[rolled > 0]).tolist():
                at, chance = rolled == n, chances[n, : size - a]
                expected[at] = chance @ landed[last][a:, at] + (1 - chance.sum()) * lose
            off = np.flatnonzero(np.abs(expected - payoffs[last, a]) > slack).tolist()
            wrong += [Position((a, q), 0, last) for q in off]
    return len(landed) * len(rows) * size, tuple(wrong)
