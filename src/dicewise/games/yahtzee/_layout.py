"""The rules of a card as arrays, for those who compute on the dice lattice.

An anchor is the start of a turn: the boxes that are used, what the upper section holds (no further than its bonus), and
whether a further Yahtzee pays extra. Tables have a row per set of used boxes and per flag, [used, extra, upper]. What
they hold is the mean of what is still to come, *with the bonus of the upper section if it is earned already*: then a
score of p in the upper section leads from the entry u to the entry min(u + p, limit) plus p, whether it earns the
bonus or not. Rows are longer than the limit by the largest such score, and the entries past it repeat the one at it,
so that all entries of a row are shifted by the same p, with no exception at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from dicewise.games.dice_lattice import Lattice, lattice
from dicewise.games.yahtzee.rules import Yahtzee

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LANES = 8


@dataclass(frozen=True, eq=False)
class Layout:
    """A card as arrays."""

    boxes: int
    limit: int
    """The upper section is counted up to here."""
    length: int
    """Of a row: `limit` and all that a score may add to it, in whole vectors."""
    bonus: int
    extra: int
    flags: int
    """2 where a further Yahtzee may pay extra, otherwise 1."""
    yahtzee: int
    """The number of the Yahtzee box; the number of boxes where there is none."""
    nodes: Lattice
    first_roll: Floats
    """The chance of each roll of all dice."""
    points: Ints
    """What each roll scores in each box when it is no joker: [box, roll]."""
    is_upper: NDArray[np.bool_]
    most_upper: Ints
    """The most that each box may add to the upper section."""
    alike: Ints
    """The rolls that are Yahtzees, one per face ..."""
    own_box: Ints
    """... the number of the upper box of that face; the number of boxes where there is none ..."""
    as_joker: Ints
    """... and what each scores in each lower box as a joker, -1 in upper boxes: [box, face]."""
    joker: int
    """0 for none, 1 for forced, 2 for free."""

    most_points: float
    """No game pays more, about."""

    @property
    def rows(self) -> int:
        """Sets of used boxes, once for each flag."""
        return self.flags << self.boxes

    def reach(self, used: Ints) -> Ints:
        """How many totals of the upper section, from 0 on, there may be once these boxes are used."""
        bits = used[:, None] >> np.arange(self.boxes) & 1
        found: Ints = np.minimum(bits @ self.most_upper, self.limit) + 1
        return found

    def hopeless(self, used: Ints) -> Ints:
        """How many totals, from 0 on, leave the bonus out of reach whatever is rolled in the boxes that are still open:
        what is to come is the same for all of them."""
        left = 1 - (used[:, None] >> np.arange(self.boxes) & 1)
        found: Ints = np.clip(self.limit - left @ self.most_upper, 0, self.reach(used))
        return found

    def total_rows(self) -> tuple[Ints, Ints]:
        """Rows for every total of the upper section: the row of the total 0, by set of used boxes and flag; and for
        each row the one that stands for it, the first of those without hope of the bonus or the row itself."""
        sets = np.arange(1 << self.boxes)
        totals = np.repeat(self.reach(sets), self.flags)
        first_row = np.concatenate([[0], np.cumsum(totals)])
        first = np.repeat(first_row[:-1], totals)
        rows = np.arange(first_row[-1])
        hopeless = np.repeat(np.repeat(self.hopeless(sets), self.flags), totals)
        return first_row, np.where(rows - first < hopeless, first, rows)

    def totals(self, used: int) -> list[int]:
        """The totals of the upper section that these boxes can really hold."""
        found = {0}
        for box in range(self.boxes):
            if used >> box & 1 and self.is_upper[box]:
                scores = set(self.points[box].tolist())
                found = {min(held + score, self.limit) for held in found for score in scores}
        return sorted(found)

    def anchors(self) -> Iterator[tuple[int, int, int]]:
        """Every turn start that play can reach: the boxes used, the flag, the upper section."""
        upper = sum(1 << box for box in range(self.boxes) if self.is_upper[box])
        by_upper = {}
        for used in range((1 << self.boxes) - 1):
            if used & upper not in by_upper:
                by_upper[used & upper] = self.totals(used & upper)
            filled = self.yahtzee < self.boxes and used >> self.yahtzee & 1
            for extra in range(self.flags if filled else 1):
                for total in by_upper[used & upper]:
                    yield used, extra, total

    def count_anchors(self) -> int:
        """How many scorecards play can reach, finished ones included."""
        upper = [box for box in range(self.boxes) if self.is_upper[box]]
        by_upper = sum(
            len(self.totals(sum(1 << box for at, box in enumerate(upper) if chosen >> at & 1)))
            for chosen in range(1 << len(upper))
        )
        lower = self.boxes - len(upper)
        return by_upper * (3 << (lower - 1) if self.flags == 2 else 1 << lower)


@lru_cache(maxsize=8)
def layout(game: Yahtzee) -> Layout:
    """The arrays of a card."""
    nodes = lattice(game.dice, game.sides)
    counts = [tuple(row) for row in nodes.counts[nodes.rolls].tolist()]
    points = np.array([[box.score(roll) for roll in counts] for box in game.card], dtype=np.int64)
    is_upper = np.array([box.face > 0 for box in game.card])
    most = np.where(is_upper, points.max(axis=1), 0)
    alike = [counts.index(tuple(game.dice * (face == at) for at in range(game.sides))) for face in range(game.sides)]
    faces = [box.face for box in game.card]
    length = game.upper_at + 1 + int(most.max(initial=0))
    return Layout(
        boxes=len(game.card),
        limit=game.upper_at,
        length=-(-length // LANES) * LANES + LANES,
        bonus=game.upper_bonus if game.upper_at else 0,
        extra=game.extra_pays,
        flags=2 if game.extra_pays else 1,
        yahtzee=len(game.card) if game.yahtzee_box is None else game.yahtzee_box,
        nodes=nodes,
        first_roll=np.array([chance_of(roll) for roll in counts]),
        points=points,
        is_upper=is_upper,
        most_upper=most,
        alike=np.array(alike),
        own_box=np.array([faces.index(f) if f in faces else len(faces) for f in range(1, game.sides + 1)]),
        as_joker=np.array(
            [[-1 if box.face else game.as_joker(box, counts[roll]) for roll in alike] for box in game.card]
        ),
        joker={"none": 0, "forced": 1, "free": 2}[game.joker_rule],
        most_points=float(sum(points.max(axis=1)) + game.upper_bonus + len(game.card) * game.extra_pays + 1),
    )


def keeps_of(nodes: Lattice, roll: tuple[int, ...]) -> list[int]:
    """The nodes that may be kept of a roll, as the rules list them: most dice first, of as many the lowest."""
    parts = product(*(range(count + 1) for count in roll))
    return [nodes.number(part) for part in sorted(parts, key=lambda part: (-sum(part), nodes.number(part)))][1:]


def ways_of(counts: tuple[int, ...]) -> int:
    """In how many ways so many dice show each face so many times."""
    return factorial(sum(counts)) // prod(map(factorial, counts))


def chance_of(counts: tuple[int, ...]) -> float:
    return ways_of(counts) / int(len(counts) ** sum(counts))
