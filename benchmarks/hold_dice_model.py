"""Hold dice as a decision process in plain arrays, for solvers that know no game.

Written from the rules and independent of dicewise, so that a mistake in either shows. States are the hands (multisets
of k dice with faces 1..f), the start and the end; a row is a state and an action, with its reward and its lottery:

    stick       score of the hand           to the end
    keep h'     -1                          to h' plus the other dice rolled again, by multinomial chances
    start       0                           to all dice rolled

Two layouts say the same. `flat` has one lottery per hand and keep, which is what a textbook writes: 1.2 million entries
for 6d6. `shared` makes every keep a state of its own, so that its lottery is stored once: 24 thousand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

Hand = tuple[int, ...]
Entries = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Columns, ascending, and whole weights."""


@dataclass(frozen=True, eq=False)
class Process:
    """Rows in the order of their states; row r has the entries `first[r] : first[r + 1]`."""

    states: int
    start: int
    end: int
    state: NDArray[np.int64]
    reward: NDArray[np.float64]
    first: NDArray[np.int64]
    column: NDArray[np.int64]
    weight: NDArray[np.int64]

    @property
    def totals(self) -> NDArray[np.int64]:
        """Of the weights of each entry's row."""
        return np.repeat(np.add.reduceat(self.weight, self.first[:-1]), np.diff(self.first))

    @property
    def chance(self) -> NDArray[np.float64]:
        return np.asarray(self.weight / self.totals, dtype=np.float64)

    @property
    def first_rows(self) -> NDArray[np.int64]:
        """Of each state, and the number of rows after them."""
        return np.searchsorted(self.state, np.arange(self.states + 1))


def build(dice: int, sides: int, layout: str) -> Process:
    """`layout` is "flat" or "shared"."""
    hands = list(_multisets(dice, sides))
    number = {hand: at for at, hand in enumerate(hands)}
    keeps = [keep for size in range(dice) for keep in _multisets(size, sides)]
    lotteries = {keep: _reroll(keep, dice, sides, number) for keep in keeps}
    # the start is where nothing is kept; in the flat layout it is the only keep with a state
    waiting = keeps if layout == "shared" else [()]
    place = {keep: len(hands) + at for at, keep in enumerate(waiting)}
    end = len(hands) + len(waiting)
    rows: list[tuple[int, float, Entries]] = []
    for at, hand in enumerate(hands):
        rows.append((at, _score(hand, sides), _surely(end)))
        for keep in _parts(hand):
            rows.append((at, -1.0, _surely(place[keep]) if layout == "shared" else lotteries[keep]))
    rows += [(place[keep], 0.0, lotteries[keep]) for keep in waiting]
    rows.append((end, 0.0, _surely(end)))
    return Process(
        states=end + 1,
        start=place[()],
        end=end,
        state=np.array([state for state, _, _ in rows]),
        reward=np.array([reward for _, reward, _ in rows]),
        first=np.cumsum([0, *(len(columns) for _, _, (columns, _) in rows)]),
        column=np.concatenate([columns for _, _, (columns, _) in rows]),
        weight=np.concatenate([weights for _, _, (_, weights) in rows]),
    )


def _multisets(size: int, sides: int) -> Iterator[Hand]:
    return combinations_with_replacement(range(1, sides + 1), size)


def _parts(hand: Hand) -> Iterator[Hand]:
    """What can be kept of a hand while at least one die is rolled."""
    counts = Counter(hand)
    for chosen in product(*(range(count + 1) for count in counts.values())):
        keep = tuple(face for face, count in zip(counts, chosen, strict=True) for _ in range(count))
        if len(keep) < len(hand):
            yield keep


def _score(hand: Hand, sides: int) -> float:
    """Faces that are shown twice or more are flipped."""
    counts = Counter(hand)
    return float(sum(face if counts[face] == 1 else sides + 1 - face for face in hand))


def _reroll(keep: Hand, dice: int, sides: int, number: dict[Hand, int]) -> Entries:
    rolled = dice - len(keep)
    ways = {
        number[tuple(sorted(keep + roll))]: factorial(rolled) // prod(map(factorial, Counter(roll).values()))
        for roll in _multisets(rolled, sides)
    }
    columns = np.array(sorted(ways))
    return columns, np.array([ways[column] for column in columns])


def _surely(state: int) -> Entries:
    return np.array([state]), np.array([1])
