"""Chance: dice, coins and cards as exact lotteries, whose weights are integers of any size.

A lottery lists what may happen and how often out of `total` equally likely cases, so nothing is rounded until
somebody asks for a float. The weights of the total of n dice are those of n-1 dice, convolved once more:

    W(n, t) = sum over the faces f of w(f) W(n-1, t-f),    W(0, 0) = 1

    >>> from dicewise.chance import coins, total_of
    >>> two = total_of(2, 6)
    >>> two.probability(7), two.mean(), two.variance()
    (Fraction(1, 6), Fraction(7, 1), Fraction(35, 6))
    >>> list(coins(2))
    [(0, 1), (1, 2), (2, 1)]

Nothing here imports numpy except `total_chances`, when it is called.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, chain, combinations_with_replacement, repeat
from math import comb, factorial, gcd, isfinite
from numbers import Rational
from operator import sub
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from dicewise.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T", bound=Hashable)
U = TypeVar("U", bound=Hashable)


@dataclass(frozen=True)
class Lottery(Generic[T]):
    """What may happen, each outcome with its positive integer weight."""

    # by hand, with __reduce__ for pickle: with dataclass(slots=True) Python 3.11 fails at Lottery[int](...)
    __slots__ = ("outcomes", "weights")

    outcomes: tuple[T, ...]
    weights: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "outcomes", tuple(self.outcomes))
        object.__setattr__(self, "weights", tuple(self.weights))
        given = f"a lottery was given {len(self.outcomes)} outcomes and {len(self.weights)} weights"
        if not self.outcomes or len(self.outcomes) != len(self.weights):
            raise InputError(f"{given}; give at least one outcome, and one weight for each")
        for weight in self.weights:
            _check_whole("weight", weight, least=1)
        try:
            distinct = len(set(self.outcomes))
        except TypeError as error:
            raise InputError(f"outcomes must be hashable ({error}); use tuples in place of lists") from None
        if distinct < len(self.outcomes):
            raise InputError(f"{given}, of which {distinct} distinct; give each once, with its weights added")

    def __reduce__(self) -> tuple[Any, ...]:
        return _lottery, (self.outcomes, self.weights)

    def __iter__(self) -> Iterator[tuple[T, int]]:
        return zip(self.outcomes, self.weights, strict=True)

    def __len__(self) -> int:
        return len(self.outcomes)

    @property
    def total(self) -> int:
        """The number of equally likely cases: the sum of the weights."""
        return sum(self.weights)

    def probability(self, outcome: object) -> Fraction:
        """How likely this outcome is; 0 for what cannot happen."""
        for known, weight in self:
            if known == outcome:
                return Fraction(weight, self.total)
        return Fraction(0)

    def mean(self) -> Fraction:
        """The mean of outcomes that are numbers."""
        return Fraction(sum(weight * _number(outcome) for outcome, weight in self)) / self.total

    def variance(self) -> Fraction:
        """The variance of outcomes that are numbers: the mean of the squares less the square of the mean."""
        squares = sum(weight * _number(outcome) ** 2 for outcome, weight in self)
        return Fraction(squares) / self.total - self.mean() ** 2

    def map(self, function: Callable[[T], U]) -> Lottery[U]:
        """The lottery of `function(outcome)`; equal images are merged where the first of them stood."""
        merged: dict[U, int] = {}
        for outcome, weight in self:
            image = function(outcome)
            merged[image] = merged.get(image, 0) + weight
        return _lottery(tuple(merged), tuple(merged.values()))


def _lottery(outcomes: tuple[T, ...], weights: tuple[int, ...]) -> Lottery[T]:
    """A lottery that is right by construction: to check it would take as long as to work it out."""
    lottery: Lottery[T] = object.__new__(Lottery)
    object.__setattr__(lottery, "outcomes", outcomes)
    object.__setattr__(lottery, "weights", weights)
    return lottery


def _number(outcome: Any) -> int | Fraction:
    if isinstance(outcome, int):
        return outcome
    if isinstance(outcome, Rational):
        return Fraction(int(outcome.numerator), int(outcome.denominator))  # numpy's would overflow
    if isinstance(outcome, float) and isfinite(outcome):
        return Fraction(outcome)
    raise InputError(f"outcome {outcome!r} is not a number; `map` the outcomes to numbers first")


# ---- dice

MOST_SIDES = 1_000_000
MOST_WEIGHT = 10**15

_HOW_TO_WRITE_A_DIE = "write faces and weights of 1 or more, as in '1,1,2,3,5,8' or '1:9,100:1'"


def die(sides: int) -> Lottery[int]:
    """The fair die with faces 1 to `sides`."""
    _check_whole("sides", sides, least=1)
    return _lottery(tuple(range(1, sides + 1)), (1,) * sides)


def read_die(text: str) -> Lottery[int]:
    """The die that a person writes as its faces, each with its weight after a colon where that is not 1.

    >>> read_die("100, 1:4, 1:5")
    Lottery(outcomes=(1, 100), weights=(9, 1))
    """
    faces: dict[int, int] = {}
    for part in text.split(","):
        # a number longer than 1000 digits is a slip, and more than 4300 Python would not read
        match = re.fullmatch(r"\s*([0-9]{1,1000})\s*(?::\s*([0-9]{1,1000})\s*)?", part)
        if not match:
            raise InputError(f"{part.strip()[:40]!r} is not a face of a die; {_HOW_TO_WRITE_A_DIE}")
        face, weight = int(match[1]), int(match[2] or 1)
        if weight < 1:
            raise InputError(f"the weight in {part.strip()[:40]!r} is 0; {_HOW_TO_WRITE_A_DIE}")
        faces[face] = faces.get(face, 0) + weight
    return _plain_die(faces)


def write_die(lottery: Lottery[int]) -> str:
    """What `read_die` reads back: faces ascending, weights without a common factor, weight 1 left out.

    >>> write_die(read_die("3,2,1,1"))
    '1:2,2,3'
    """
    plain = _plain_die(dict(_as_die(lottery)))
    return ",".join(str(face) if weight == 1 else f"{face}:{weight}" for face, weight in plain)


def spell_die(sides: int, text: str) -> tuple[int, str]:
    """One spelling for each die of a game: the number of equally likely faces, and its text, empty for 1 to `sides`.

    >>> spell_die(6, "3,2,1")
    (3, '')
    """
    if not text:
        if sides > MOST_SIDES:
            raise InputError(f"sides {sides} is not allowed; at most {MOST_SIDES:,} sides")
        return sides, ""
    custom = read_die(text)
    count = custom.total
    if sides not in (6, count):
        raise InputError(f"die {text!r} has {count} faces, but sides is {sides}; give one of the two")
    if count > MOST_WEIGHT:
        raise InputError(f"die {text!r} has a total weight of {count}; at most {MOST_WEIGHT:.0e}, use smaller weights")
    fair = len(custom) == count == custom.outcomes[-1]
    return count, "" if fair else write_die(custom)


def _plain_die(faces: Mapping[int, int]) -> Lottery[int]:
    """The one form in which a die is written: two texts for the same chances give equal dice."""
    lowest = min(faces)
    if lowest < 1:
        why = "would let a game go on for ever" if lowest == 0 else "is below 1"
        raise InputError(f"a face of {lowest} {why}; {_HOW_TO_WRITE_A_DIE}")
    common = gcd(*faces.values())
    return _lottery(tuple(sorted(faces)), tuple(faces[face] // common for face in sorted(faces)))


def _as_die(dice: Lottery[int] | int) -> Lottery[int]:
    if not isinstance(dice, Lottery):
        return die(dice)
    for face in dice.outcomes:
        if type(face) is not int:
            raise InputError(f"face {face!r} is not an integer; {_HOW_TO_WRITE_A_DIE}")
    return dice


def _check_whole(what: str, number: object, least: int = 0) -> None:
    if type(number) is not int or number < least:
        raise InputError(f"{what} {number!r} is not allowed; give an integer of {least} or more")


# ---- totals


def total_of(n: int, dice: Lottery[int] | int) -> Lottery[int]:
    """The total of n dice, ascending; an integer means the fair die with so many sides.

    The weights add up to `die.total**n`; n fair dice of s sides have mean n(s+1)/2 and variance n(s²-1)/12.
    """
    _check_whole("number of dice", n)
    faces = _as_die(dice)
    totals = n * (max(faces.outcomes) - min(faces.outcomes)) + 1
    size = totals * (n * faces.total.bit_length() // 8 + 100)
    return (_many_totals if size <= _SMALL else _few_totals)(n, faces)


def _climb(n: int, faces: Lottery[int]) -> Lottery[int]:
    """Add dice one by one to the highest rung below n that was kept: one die if n-1 was asked last."""
    rungs = _rungs(faces)
    height, row = max(((m, kept) for m, kept in list(rungs.items()) if m <= n), key=lambda rung: rung[0])
    while height < n:
        row = _add_die(row, faces)
        height += 1
        if height & (height - 1) == 0 or height == n:
            rungs[height] = row
    for m in list(rungs):
        if m & (m - 1) and m != n:
            rungs.pop(m, None)
    return row


# The totals of 1 to 300 dice take 27 MB with six sides, 1 GB with a hundred. So those below half a
# megabyte are kept, at most 400 of them, and of the larger ones the last few.
_SMALL = 1 << 19
_many_totals = lru_cache(maxsize=400)(_climb)
_few_totals = lru_cache(maxsize=4)(_climb)


@lru_cache(maxsize=4)
def _rungs(faces: Lottery[int]) -> dict[int, Lottery[int]]:
    """Where a climb may begin: the last n that was built, for a caller who goes up, and the powers of two,
    for one who goes down or jumps. All the powers together take little more room than the highest."""
    return {0: _lottery((0,), (1,))}


def _add_die(row: Lottery[int], faces: Lottery[int]) -> Lottery[int]:
    """The total with one more of the dice that `row` is the total of."""
    sides, low, weight = len(faces), faces.outcomes[0], faces.weights[0]
    if faces.weights == (weight,) * sides and faces.outcomes == tuple(range(low, low + sides)):
        # a fair die adds up a sliding window of the row: one term comes in, one drops out
        enter, leave = chain(row.weights, repeat(0, sides - 1)), chain(repeat(0, sides), row.weights)
        sums = accumulate(map(sub, enter, leave))
        first = row.outcomes[0] + low
        totals = tuple(range(first, first + len(row) + sides - 1))
        return _lottery(totals, tuple(sums if weight == 1 else (weight * ways for ways in sums)))
    ways_to: dict[int, int] = {}
    for face, weight in faces:
        for total, ways in row:
            ways_to[total + face] = ways_to.get(total + face, 0) + weight * ways
    return _lottery(tuple(sorted(ways_to)), tuple(ways_to[total] for total in sorted(ways_to)))


def totals_by_formula(n: int, sides: int) -> Lottery[int]:
    """The total of n fair dice by the closed formula, Theorem 1 of Addis' papers on Greed. Total t weighs

        sum over k from 0 to floor((t-n)/s) of (-1)^k C(n, k) C(t - s k - 1, n-1)

    An independent check of `total_of`. The terms are far larger than their sum, so only integers will do.
    """
    _check_whole("number of dice", n)
    _check_whole("sides", sides, least=1)
    if n == 0:
        return _lottery((0,), (1,))
    signed = [(-1) ** k * comb(n, k) for k in range(n + 1)]
    ways = [comb(j, n - 1) for j in range(n * sides)]
    totals = range(n, n * sides + 1)
    weights = (sum(signed[k] * ways[t - sides * k - 1] for k in range((t - n) // sides + 1)) for t in totals)
    return _lottery(tuple(totals), tuple(weights))


def total_chances(
    n: int, dice: Lottery[int] | int, method: Literal["convolution", "fft"] = "convolution"
) -> NDArray[np.float64]:
    """The chances of the totals 0 to n times the highest face of n dice, as floats indexed by the total.

    "convolution" adds one die after the other and only ever adds non-negative terms, so the rarest total is
    as precise, relative to its size, as the likeliest (until it underflows below 1e-308). "fft" takes one
    Fourier transform to its nth power: faster for many dice, but its precision of about 1e-16 is absolute, so
    chances below that are noise; those that come out negative are set to 0.
    """
    import numpy as np

    _check_whole("number of dice", n)
    faces = _as_die(dice)
    if min(faces.outcomes) < 0:
        raise InputError(f"face {min(faces.outcomes)} is below 0, where no array reaches; use total_of")
    if method not in ("convolution", "fft"):
        raise InputError(f"method {method!r} is not known; use 'convolution' or 'fft'")
    low, high, cases = min(faces.outcomes), max(faces.outcomes), faces.total
    one = np.zeros(high - low + 1)
    one[[face - low for face in faces.outcomes]] = [weight / cases for weight in faces.weights]
    row = np.ones(1)
    if method == "fft":
        # faces from 0 up and a power of two for the length: the nth power magnifies the errors of the phases,
        # and those of a prime length, up to a hundredfold
        totals = n * (high - low) + 1
        length = 1 << totals.bit_length()
        row = np.maximum(np.fft.irfft(np.fft.rfft(one, length) ** n, length)[:totals], 0.0)
    else:
        for _ in range(n):
            row = np.convolve(row, one)
    return np.concatenate([np.zeros(n * low), row])


# ---- faces, coins, cards


def faces_of(n: int, dice: Lottery[int] | int) -> Lottery[tuple[int, ...]]:
    """The faces of n dice, sorted: c of face f weigh n! times the product over f of w(f)^c / c!."""
    _check_whole("number of dice", n)
    return _faces_of(n, _as_die(dice))


@lru_cache(maxsize=32)  # rules ask for the same roll in every position
def _faces_of(n: int, faces: Lottery[int]) -> Lottery[tuple[int, ...]]:
    weight_of = dict(faces)
    rolls = tuple(combinations_with_replacement(sorted(weight_of), n))
    weights = []
    for roll in rolls:
        weight = factorial(n)
        for face, count in Counter(roll).items():
            weight = weight // factorial(count) * weight_of[face] ** count
        weights.append(weight)
    return _lottery(rolls, tuple(weights))


def coins(n: int, heads: Fraction | int | float | str = Fraction(1, 2)) -> Lottery[int]:
    """The number of heads of n coins; a float is taken as the decimal it prints as: 0.1 is one in ten."""
    _check_whole("number of coins", n)
    try:
        chance = Fraction(str(heads) if isinstance(heads, float) else heads)
    except (TypeError, ValueError, ZeroDivisionError):
        chance = Fraction(-1)
    if not 0 <= chance <= 1:
        raise InputError(f"chance of heads {heads!r} is not a number from 0 to 1; write '1/3' or '0.3'")
    up, down = chance.numerator, chance.denominator - chance.numerator
    counts = tuple(k for k in range(n + 1) if (up or k == 0) and (down or k == n))
    return _lottery(counts, tuple(comb(n, k) * up**k * down ** (n - k) for k in counts))


def draw(deck: Mapping[T, int], n: int = 1) -> Lottery[tuple[T, ...]]:
    """The hand of n cards drawn without replacement from a deck, card -> count; hands keep the deck's order.

    A hand with k of the m copies of each card weighs the product of the C(m, k); the total is C(size, n).

    >>> list(draw({"ace": 4, "king": 4}, 2))
    [(('ace', 'ace'), 6), (('ace', 'king'), 16), (('king', 'king'), 6)]
    """
    _check_whole("number of cards", n)
    for card, count in deck.items():
        _check_whole(f"count of card {card!r}", count)
    left = sum(deck.values())
    if n > left:
        raise InputError(f"a hand of {n} cards cannot be drawn from a deck of {left}; draw at most {left}")
    hands: list[tuple[tuple[T, ...], int]] = [((), 1)]
    for card, count in deck.items():
        left -= count  # a hand that the cards still to come could not fill is not begun
        hands = [
            (hand + (card,) * k, weight * comb(count, k))
            for hand, weight in hands
            for k in range(min(count, n - len(hand)), max(0, n - len(hand) - left) - 1, -1)
        ]
    return _lottery(tuple(hand for hand, _ in hands), tuple(weight for _, weight in hands))
