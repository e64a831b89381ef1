"""The boxes of a scorecard, and what a roll scores in each.

A box is a word, and behind a colon what it pays, where that is not the usual: points (`full-house:28`), `all` for the
sum of all dice, or `sum` for the sum of the dice that make the figure (`three-of-a-kind:sum`).

| word | the figure | usually pays |
|---|---|---|
| ones, twos, threes ... | dice with that face | their sum |
| three-of-a-kind, four-of-a-kind, five-of-a-kind | so many alike, or more | all |
| one-pair, two-pairs | the highest pair; two pairs of different faces | sum |
| full-house | three alike and two others alike | 25 |
| small-straight, large-straight | four, five faces in a row | 30, 40 |
| low-straight, high-straight | the faces 1 to 5, or 2 to 6 | 15, 20 |
| chance | anything | all |
| yahtzee (or yatzy) | all dice alike | 50 |
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dicewise.errors import InputError, did_you_mean

FACES = ("ones", "twos", "threes", "fours", "fives", "sixes", "sevens", "eights", "nines", "tens", "elevens", "twelves")

USUAL = {
    "three-of-a-kind": "all",
    "four-of-a-kind": "all",
    "five-of-a-kind": "all",
    "one-pair": "sum",
    "two-pairs": "sum",
    "full-house": "25",
    "small-straight": "30",
    "large-straight": "40",
    "low-straight": "15",
    "high-straight": "20",
    "chance": "all",
    "yahtzee": "50",
}

ALIKE = {"one-pair": 2, "three-of-a-kind": 3, "four-of-a-kind": 4, "five-of-a-kind": 5}
ROWS = {"small-straight": 4, "large-straight": 5}
ENDS = {"low-straight": (1, 5), "high-straight": (2, 6)}
SHORT_WORDS = {
    "three-of-a-kind": "3-kind",
    "four-of-a-kind": "4-kind",
    "five-of-a-kind": "5-kind",
    "one-pair": "pair",
    "two-pairs": "2-pairs",
    "full-house": "house",
    "small-straight": "small",
    "large-straight": "large",
    "low-straight": "low",
    "high-straight": "high",
}
"""For tables that must be narrow."""

OTHER_WORDS = {short: word for word, short in SHORT_WORDS.items()} | {
    "yatzy": "yahtzee",
    "3-of-a-kind": "three-of-a-kind",
    "4-of-a-kind": "four-of-a-kind",
    "5-of-a-kind": "five-of-a-kind",
}
MOST_POINTS = 1000


@dataclass(frozen=True)
class Box:
    """One line of a scorecard."""

    word: str
    pays: str
    """`sum`, `all`, or points."""
    face: int = 0
    """The face that counts, in a box of the upper section."""

    def written(self, usual: Mapping[str, str]) -> str:
        """As it is written in a list of boxes, where they usually pay what is said."""
        return self.word if self.face or self.pays == usual[self.word] else f"{self.word}:{self.pays}"

    @property
    def fixed(self) -> int | None:
        """The points that any such figure pays, where they do not depend on the dice."""
        return int(self.pays) if self.pays.isdecimal() else None

    def score(self, counts: Sequence[int]) -> int:
        """What a roll pays that shows each face so many times, the lowest face first."""
        if self.face:
            return self.face * counts[self.face - 1]
        figure = _figure(self.word, counts)
        if figure is None:
            return 0
        if self.fixed is not None:
            return self.fixed
        return total(counts) if self.pays == "all" else figure


def total(counts: Sequence[int]) -> int:
    """The sum of all dice."""
    return sum(face * count for face, count in enumerate(counts, 1))


def _figure(word: str, counts: Sequence[int]) -> int | None:
    """The sum of the dice that make a figure, the best way to make it; None where the roll does not show it."""
    if word == "chance":
        return total(counts)
    if word == "yahtzee":
        return total(counts) if max(counts) == sum(counts) else None
    if word in ALIKE:
        size = ALIKE[word]
        return next((size * face for face in _faces_with(size, counts)), None)
    if word == "two-pairs":
        pairs = _faces_with(2, counts)[:2]
        return 2 * sum(pairs) if len(pairs) == 2 else None
    if word == "full-house":
        made = [
            3 * three + 2 * two for three in _faces_with(3, counts) for two in _faces_with(2, counts) if two != three
        ]
        return max(made, default=None)
    first, last = ENDS.get(word, (1, len(counts)))
    size = ROWS.get(word, last - first + 1)
    ends = [end for end in range(first + size - 1, last + 1) if end <= len(counts) and all(counts[end - size : end])]
    return sum(range(ends[-1] - size + 1, ends[-1] + 1)) if ends else None


def _faces_with(size: int, counts: Sequence[int]) -> list[int]:
    """The faces that come up so often, or more, the highest first."""
    return [face for face in range(len(counts), 0, -1) if counts[face - 1] >= size]


def read_box(text: str, sides: int, usual: Mapping[str, str] = USUAL) -> Box:
    """A box from its words; without a colon it pays the usual."""
    word, colon, pays = text.strip().lower().replace("_", "-").replace(" ", "-").partition(":")
    word = OTHER_WORDS.get(word, word)
    if word in FACES:
        face = FACES.index(word) + 1
        if face > sides:
            raise InputError(f"box {word!r} is for dice with {face} sides or more; these have {sides}")
        if colon and pays != "sum":
            raise InputError(f"box {text.strip()!r} is not allowed; {word} always pays the sum of its dice")
        return Box(word, "sum", face)
    if word not in USUAL:
        known = [*FACES[:sides], *USUAL]
        raise InputError(f"box {word!r:.80} is not known; known: {', '.join(known)}{did_you_mean(word[:80], known)}")
    pays = pays if colon else usual[word]
    if pays not in ("sum", "all") and not (re.fullmatch("[0-9]{1,4}", pays) and int(pays) <= MOST_POINTS):
        raise InputError(
            f"box {text.strip()!r:.80} cannot be read; behind the colon stands what it pays: points (up to "
            f"{MOST_POINTS}), 'sum' of the dice that count, or 'all' dice, as in full-house:28"
        )
    return Box(word, pays if not pays.isdecimal() else str(int(pays)))
