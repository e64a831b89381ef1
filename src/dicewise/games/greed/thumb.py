"""Rules of thumb of two-player Greed: what a person can remember and apply at the table.

All have the same last turn, which needs no number: stand if ahead; otherwise aim half-way between the other's score
and the maximum. And all know that standing while behind gives the game away: whoever is behind rolls a die at least,
and, where a tie pays no more than a loss, in the last turn also whoever is level. Where a tie pays so much that this
roll is not worth more, whoever is level stands instead: at any score if a tie pays as much as a win, otherwise from a
score that the rules of the game give (`level_stand`).
To *aim* for a score is to roll as many dice as bring the mean total nearest to it, the fewer of two. To count D points
a die is to roll one for every D points that are missing, for full ones only unless it is said otherwise.

| name | in a normal turn |
|---|---|
| `aim-X` | aim for X; stand where that takes no die |
| `aim-X-stand-Y` | stand at Y; otherwise aim for X, with a die at least |
| `aim-X-stand-Y-lead-Z` | stand at Y when ahead by Z; otherwise aim for X, with a die at least |
| `per-D-to-X` | stand at X; otherwise count D points a die to X, a die at least |
| `per-D-past-X` | the same, with a die also for the rest |
| `per-D-past-X-stand-Y` | the same, but stand at Y |
| `per-D-near-X` | as `per-D-to-X`, with the number of dice nearest to what is missing, the fewer of two |
| `per-D-to-X-max-K` | as `per-D-to-X`, but count to the maximum when the other has K or more |
| `per-D-near-X-max-K` | as `per-D-near-X`, likewise |
| `per-D-to-X-behind-B` | as `per-D-to-X`, but count to B when behind |
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from dicewise.chance import total_of
from dicewise.errors import InputError

if TYPE_CHECKING:
    from dicewise.games.greed.rules import Greed, Position

FAMILIES: Mapping[str, str] = {
    "aim-X": "aim for X, and half-way to the maximum in the last turn",
    "aim-X-stand-Y": "stand at Y or more unless behind, otherwise aim for X",
    "aim-X-stand-Y-lead-Z": "stand at Y or more when ahead by Z or more, otherwise aim for X",
    "per-D-to-X": "stand at X or more unless behind, otherwise a die for every full D points to X",
    "per-D-near-X": "the same with the nearest number of dice",
    "per-D-past-X": "the same with a die for the rest, too",
    "per-D-past-X-stand-Y": "the same, but stand at Y or more",
    "per-D-to-X-max-K": "as per-D-to-X, but to the maximum when the other has K or more",
    "per-D-near-X-max-K": "as per-D-near-X, likewise",
    "per-D-to-X-behind-B": "as per-D-to-X, but to B when behind",
}
"""The rules by name; capital letters stand for numbers, D for one that may end in .5."""


def letters_of(family: str) -> list[str]:
    """The numbers of a family, in the order of its name."""
    return re.findall(r"\b[A-Z]\b", family)


@dataclass(frozen=True)
class Thumb:
    """A rule of thumb."""

    target: int
    """The score that dice are rolled towards."""
    stand: int | None = None
    """Stand from here on, unless behind; None to stand where the target takes no die."""
    points: Fraction | None = None
    """What a die counts for; None for its mean, and the nearest number of dice."""
    rest: str = "to"
    """What becomes of points that do not fill a die: none for them (`to`), one (`past`), or by the nearer (`near`)."""
    lead: int = 0
    """Stand only when ahead by so much."""
    close: int | None = None
    """The maximum is the target when the other has so much."""
    behind: int | None = None
    """The target when behind."""

    def dice(self, game: Greed, a: int, q: int, last: bool = False) -> int:
        """How many dice it rolls with a against q."""
        if last:
            return 0 if a > q or (a == q and a >= level_stand(game)) else _half_way(game, a, q)
        mean, limit = game.dice.mean(), game.n_max(a)
        if self.stand is not None and a >= self.stand and a - q >= self.lead:
            return 0
        missing = self.target_at(game, a, q) - a
        if self.points is None or self.rest == "near":
            count = _nearest(Fraction(missing), self.points or mean)
        else:
            count = -(-missing // self.points) if self.rest == "past" else missing // self.points
        return min(max(count, int(a < q or self.stand is not None)), limit)

    def target_at(self, game: Greed, a: int, q: int) -> int:
        if self.close is not None and q >= self.close:
            return game.max
        return self.behind if self.behind is not None and a < q else self.target


def _nearest(missing: Fraction, mean: Fraction) -> int:
    """As many dice as have a mean total nearest to what is missing; the fewer of two."""
    return -((Fraction(1, 2) - missing / mean) // 1)


def _half_way(game: Greed, a: int, q: int) -> int:
    """The dice of a last turn for whoever is not ahead."""
    count = _nearest(Fraction(q + game.max, 2) - a, game.dice.mean())
    return min(max(count, int(a < q or game.tie == game.lose)), game.n_max(a))


@lru_cache(maxsize=64)
def level_stand(game: Greed) -> int:
    """The score from which on whoever is level in the last turn gets no more by rolling half-way than by standing."""
    if game.tie == game.win:
        return 0
    score = game.max
    while score > 0 and _level_worth(game, score - 1) <= game.tie:
        score -= 1
    return score


def _level_worth(game: Greed, score: int) -> Fraction:
    """What rolling half-way is worth in the last turn when level: any total wins that is no bust."""
    count, room = _half_way(game, score, score), game.max - score
    if count == 0:
        return Fraction(game.tie)
    if count * max(game.dice.outcomes) <= room:
        return Fraction(game.win)
    safe = sum(weight for total, weight in total_of(count, game.dice) if total <= room)
    return Fraction(game.lose) + Fraction(game.win - game.lose) * Fraction(safe, game.dice.total**count)


def make(family: str, numbers: Mapping[str, Fraction | int]) -> Thumb:
    """The rule of a family with these numbers, by their letters."""
    whole = {letter: int(number) for letter, number in numbers.items() if letter != "D"}
    points = Fraction(numbers["D"]) if "D" in numbers else None
    rest = next((word for word in ("past", "near") if word in family), "to")
    stand = whole.get("Y", whole["X"] if points is not None else None)
    return Thumb(whole["X"], stand, points, rest, whole.get("Z", 0), whole.get("K"), whole.get("B"))


def name_of(family: str, numbers: Mapping[str, Fraction | int]) -> str:
    """The name of a rule, `per-4-to-97`."""
    return re.sub(r"\b[A-Z]\b", lambda letter: written(numbers[letter[0]]), family)


def written(number: Fraction | int) -> str:
    return str(number) if Fraction(number).denominator == 1 else f"{float(number):g}"


def read(game: Greed, name: str) -> Thumb | None:
    """The rule of a name, refused where its numbers are not of this ruleset; None if no family has such names."""
    for family in FAMILIES:
        pattern = re.sub(r"\b[A-Z]\b", lambda x: r"([0-9]{1,9}(?:\.5)?)" if x[0] == "D" else "([0-9]{1,9})", family)
        found = re.fullmatch(pattern, name)
        if found is None:
            continue
        numbers = dict(zip(letters_of(family), map(Fraction, found.groups()), strict=True))
        if game.players != 2:
            raise InputError(f"{name} is a rule for two players, not for {game.players}; stand-at-T is for any number")
        for letter, number in numbers.items():
            if number > game.max or (letter == "D" and number == 0):
                least = "0.5" if letter == "D" else "0"
                raise InputError(
                    f"{name}: {letter} = {written(number)} is not allowed; it goes from {least} to {game.max} (max)"
                )
        return make(family, numbers)
    return None


class Follower:
    """A rule of thumb as a policy of the engine."""

    def __init__(self, game: Greed, rule: Thumb) -> None:
        self.game, self.rule = game, rule

    def __call__(self, state: Position) -> int:
        mine, theirs = state.scores
        return self.rule.dice(self.game, mine, theirs, bool(state.last))


def in_words(game: Greed, rule: Thumb) -> str:
    """A rule in full, as one would print it on a card."""
    least = ", at least one"
    if rule.points is None:
        goal = f"roll as many dice as bring your score nearest to {rule.target} on average"
        if rule.stand is None:
            normal = f"{goal[0].upper()}{goal[1:]}; if that is none, stand, but roll one when you are behind."
        else:
            when = f"when you are ahead by {rule.lead} or more" if rule.lead else "unless you are behind"
            normal = f"Stand at {rule.stand} or more {when}. Otherwise {goal}{least}."
    else:
        each = f"{written(rule.points)} points" if rule.points != 1 else "point"
        every = f"{each}, or part of them, that you lack" if rule.rest == "past" else f"full {each} that you lack"
        count = f"roll a die for every {every} to {rule.target}{least}"
        if rule.rest == "near":
            count = (
                f"divide what you lack to {rule.target} by {written(rule.points)} and roll the nearest number of dice"
            )
            count += least
        if rule.behind is not None:
            count += f"; when you are behind, to {rule.behind}"
        if rule.close is not None:
            count += f"; to {game.max} if the other has {rule.close} or more"
        normal = f"Stand at {rule.stand} or more, unless you are behind. Otherwise {count}."
    level, needed = "", " unless you are ahead" if game.tie == game.lose else " if you are behind"
    stand = level_stand(game)
    if stand == 0:
        level, needed = " or level", ""
    elif _half_way(game, stand, stand):  # otherwise half-way says so itself
        level = f", or level at {stand} or more"
    return (
        f"{normal} In the last turn stand if you are ahead{level}; otherwise roll as many dice as bring you nearest to "
        f"half-way between the other's score and {game.max} on average, at least one{needed}. A die brings "
        f"{float(game.dice.mean()):g} on average; of two equally near numbers of dice take the smaller."
    )
