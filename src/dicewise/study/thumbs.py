"""The best rule of thumb of each family (see `games.greed.thumb`), found by search.

What is sought is the least loss against the optimal opponent: the optimum, minus what the rule gets, each seat half the
time. A family's numbers make a grid: scores from the maximum down by what eight dice bring on average, leads up to what
four bring, and points a die in halves from half the mean of a die to twice the mean. Where it can be, all is tried.
Otherwise numbers are improved one at a time, each over its whole range, from several starts, until nothing in the whole
neighbourhood (two steps in all numbers at once) is better: a very good rule, with no promise that it is the best.

Trying leaves out states that hardly ever come up (`CUT`); those that come out best are tried again with all states.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from dicewise.errors import InputError
from dicewise.games import find_game
from dicewise.games.greed import Greed
from dicewise.games.greed.policies import Dice, Opponent, dice_of
from dicewise.games.greed.solution import solve_fast
from dicewise.games.greed.thumb import FAMILIES, Thumb, letters_of, make, name_of
from dicewise.study.work import Work

CUT = 1e-10
"""States that come up less often are left out while searching."""

WHOLE_GRID = 500_000_000
"""Rules times states up to which a family is searched completely; about 15 seconds on one core."""

SCORE_SPAN, LEAD_SPAN = 8, 4
"""Dice whose mean total is how far below the maximum scores, and how far up leads are tried."""

SAME = 1e-13
"""Losses nearer than this are the same but for rounding; the first rule counts."""

KEPT, STARTS, NEAR = 3, 4, 2
"""Rules of each task that are tried again; starts of a descent, for each number; steps that are near."""

Numbers = Mapping[str, Fraction]


@dataclass(frozen=True)
class Found:
    """The best rule of a family."""

    family: str
    numbers: Numbers
    rule: Thumb
    loss: float
    tried: int
    whole: bool
    """Whether the whole grid was tried."""

    @property
    def name(self) -> str:
        return name_of(self.family, self.numbers)


def families(numbers: int) -> list[str]:
    """The families with at most so many numbers."""
    known = [family for family in FAMILIES if len(letters_of(family)) <= numbers]
    if not known:
        raise InputError(f"numbers {numbers} is not allowed; rules have 1, 2 or 3 numbers")
    return known


def grid_of(game: Greed, letter: str) -> list[Fraction]:
    """The values that a number is tried at."""
    mean = game.dice.mean()
    if letter == "D":
        # one die for every point at least, and no more points than there are
        first, last = max(math.ceil(mean), 1), min(math.floor(4 * mean), 2 * game.max)
        return [Fraction(half, 2) for half in range(min(first, last), max(last, 1) + 1)]
    if letter == "Z":
        return [Fraction(lead) for lead in range(min(math.ceil(LEAD_SPAN * mean), game.max) + 1)]
    return [Fraction(score) for score in range(max(game.max - math.ceil(SCORE_SPAN * mean), 0), game.max + 1)]


def search(game: Greed, recipe: str, numbers: int, work: Work) -> tuple[list[Found], list[str]]:
    """The best rule of every family with at most so many numbers, and the families that add a number for nothing.

    A family with three numbers is about rules that lose less than all of the family with two that it is made of.
    """
    found: dict[str, Found] = {}
    in_vain: list[str] = []
    known = families(numbers)
    for few in (True, False):
        group = {family: parent_of(family) for family in known if (len(letters_of(family)) < 3) == few}
        bars = {
            family: math.inf if few or parent not in found else found[parent].loss for family, parent in group.items()
        }
        share = (0.0, 0.2 if numbers > 2 else 1.0) if few else (0.2, 1.0)
        for family, best in _best(game, recipe, bars, work.stage(*share)).items():
            if best is None:
                in_vain.append(family)
            else:
                found[family] = best
    return list(found.values()), in_vain


def parent_of(family: str) -> str:
    """The family without the last number."""
    return family.rpartition("-")[0].rpartition("-")[0]


def _best(game: Greed, recipe: str, bars: Mapping[str, float], work: Work) -> dict[str, Found | None]:
    """The best rule of each family; None if none loses less than the family's bar."""
    whole: dict[str, bool] = {}
    items: list[list[Any]] = []
    for family, bar in bars.items():
        grids = [grid_of(game, letter) for letter in letters_of(family)]
        whole[family] = math.prod(map(len, grids)) * (game.max + 1) ** 2 <= WHOLE_GRID
        if whole[family]:
            said = None if bar == math.inf else bar
            items += [[recipe, family, str(score), said] for score in grid_of(game, "X")]
        else:
            starts = product(*map(_spaced, grids))
            items += [[recipe, family, [str(number) for number in start], None] for start in starts]
    answers = work.map(try_rules, items, "trying rules of thumb") if items else []
    arena = arena_of(recipe)
    best: dict[str, tuple[float, Numbers]] = {family: (bar, {}) for family, bar in bars.items()}
    tried = dict.fromkeys(bars, 0)
    for (_, family, _, _), answer in zip(items, answers, strict=True):
        tried[family] += answer["tried"]
        for texts in answer["best"]:
            numbers = dict(zip(letters_of(family), map(Fraction, texts), strict=True))
            loss = arena.loss(make(family, numbers))
            if loss < best[family][0] - SAME:
                best[family] = loss, numbers
    return {
        family: Found(family, numbers, make(family, numbers), loss, tried[family], whole[family]) if numbers else None
        for family, (loss, numbers) in best.items()
    }


def try_rules(item: Sequence[Any]) -> dict[str, Any]:
    """Rules of one family: all with one X, or those that a start leads to."""
    return descend(item) if isinstance(item[2], list) else try_slice(item)


def _spaced(grid: Sequence[Fraction]) -> list[Fraction]:
    """A few values, evenly over a grid, both ends left out."""
    return sorted({grid[(2 * at + 1) * len(grid) // (2 * STARTS)] for at in range(STARTS)})


def try_slice(item: Sequence[Any]) -> dict[str, Any]:
    """All rules of a family with one X: the best of them, and how many there were."""
    recipe, family, score, bar = item
    arena, letters = arena_of(recipe), letters_of(family)
    grids = [[Fraction(score)] if letter == "X" else grid_of(arena.game, letter) for letter in letters]
    best: list[tuple[float, tuple[Fraction, ...]]] = []
    worst = math.inf if bar is None else bar
    for numbers in product(*grids):
        loss = arena.loss(make(family, dict(zip(letters, numbers, strict=True))), CUT, worst)
        if loss < worst:
            best = sorted([*best, (loss, numbers)])[:KEPT]
            worst = min(worst, best[-1][0]) if len(best) == KEPT else worst
    tried = math.prod(map(len, grids))
    return {"best": [[str(number) for number in numbers] for _, numbers in best], "tried": tried}


def descend(item: Sequence[Any]) -> dict[str, Any]:
    """One rule of a family, improved until nothing near is better."""
    recipe, family, start, _ = item
    arena, letters = arena_of(recipe), letters_of(family)
    grids = [grid_of(arena.game, letter) for letter in letters]
    known: dict[tuple[int, ...], float] = {}

    def loss(at: tuple[int, ...]) -> float:
        if at not in known:
            numbers = {letter: grid[place] for letter, grid, place in zip(letters, grids, at, strict=True)}
            known[at] = arena.loss(make(family, numbers), CUT)
        return known[at]

    here = tuple(grid.index(Fraction(number)) for grid, number in zip(grids, start, strict=True))
    while True:
        before = here
        for axis, grid in enumerate(grids):
            here = min(((*here[:axis], place, *here[axis + 1 :]) for place in range(len(grid))), key=loss)
        if here == before:
            here = min(_near(here, [len(grid) for grid in grids]), key=loss)
            if loss(here) >= loss(before):
                break
    return {"best": [[str(grid[place]) for grid, place in zip(grids, before, strict=True)]], "tried": len(known)}


def _near(at: tuple[int, ...], sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    ranges = [range(max(0, place - NEAR), min(size, place + NEAR + 1)) for place, size in zip(at, sizes, strict=True)]
    return product(*ranges)


class Arena:
    """A ruleset, its optimal player, and rules that are tried against it."""

    def __init__(self, game: Greed) -> None:
        self.game = game
        self.optimal = dice_of(game, solve_fast(game))
        self.opponent = Opponent(game, self.optimal)
        self.tables_last = np.array(
            [[Thumb(0).dice(game, a, q, True) for q in range(game.max + 1)] for a in range(game.max + 1)]
        )
        self._normal = np.empty_like(self.optimal.normal)

    def tables(self, rule: Thumb) -> Dice:
        """A rule as tables."""
        return Dice(self._fill(rule).copy(), self.tables_last)

    def loss(self, rule: Thumb, cut: float = 0.0, bar: float = math.inf) -> float:
        """What a rule loses against the optimal player, or something above `bar`."""
        return self.opponent.loss(Dice(self._fill(rule), self.tables_last), cut, bar)[0]

    def _fill(self, rule: Thumb) -> Any:
        """The normal turns, from three rows: a rule looks at the other's score only to see who is ahead, and whether
        the maximum is the target."""
        from dicewise.games.greed._kernel_policies import fill

        top = self.game.max
        most = top + 1
        level, close = _row(self.game, rule.target, rule), _row(self.game, top, rule)
        behind = level if rule.behind is None else _row(self.game, rule.behind, rule)
        least = 0 if rule.stand is None else 1
        fill(
            np.minimum(np.maximum(level, least), self.opponent.limit),
            np.minimum(np.maximum(behind, 1), self.opponent.limit),
            np.minimum(np.maximum(close, 1), self.opponent.limit),
            most if rule.stand is None else rule.stand,
            rule.lead,
            most if rule.close is None else rule.close,
            self._normal,
        )
        return self._normal


def _row(game: Greed, target: int, rule: Thumb) -> Any:
    """Dice to a target, by own score, before anything is said about the least or the most."""
    missing = target - np.arange(game.max + 1)
    if rule.points is None or rule.rest == "near":
        mean = rule.points or game.dice.mean()
        return -((mean.numerator - 2 * missing * mean.denominator) // (2 * mean.numerator))
    points, halves = rule.points.numerator, rule.points.denominator
    return -(-missing * halves // points) if rule.rest == "past" else missing * halves // points


@lru_cache(maxsize=2)
def arena_of(recipe: str) -> Arena:
    """The arena of a ruleset, made once in each process."""
    game = find_game(recipe)
    assert isinstance(game, Greed)
    return Arena(game)
