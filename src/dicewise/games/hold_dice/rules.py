"""Hold dice: keep what you like, pay to reroll the rest, stick when it is enough; doubles are flipped.

One player rolls all dice, the first time for free. Then, as often as wanted, any of the dice are held and the others
rolled again, which costs 1 point each time, however many dice are rolled. Who sticks ends the game: values that are
shown twice or more are flipped (the smallest becomes the largest, the second smallest the second largest ...), and the
sum of the dice, less the rerolls paid, is the score. (The game of A. Lukic's "Solving a game of dice using value
iteration", github.com/andrejlukic/dicegame-solver.)

| parameter | meaning | default |
|---|---|---|
| dice | how many dice | 3 |
| sides | sides of each die | 6 |
| values | what the sides show instead of 1, 2, 3 ... | 1 .. sides |
| weights | how likely the sides are, as whole numbers | all equally |
| cost | what a reroll costs, from 0 up | 1 |
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from itertools import chain, product
from math import gcd
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from dicewise.chance import Lottery, faces_of
from dicewise.errors import InputError
from dicewise.game import Game, Number, Progress, sure
from dicewise.spec import exact_number

if TYPE_CHECKING:
    from dicewise.games.hold_dice.solution import HoldDiceSolution

MOST_DICE, MOST_SIDES = 10_000, 10_000
MOST_WEIGHT = 10**15


class Position(NamedTuple):
    """The dice on the table, ascending; none before the first roll."""

    dice: tuple[Number, ...] = ()
    over: bool = False


class Keep(tuple[Number, ...]):
    """The dice to hold, ascending, while the others are rolled again. It equals the plain tuple of these dice."""

    __slots__ = ()


Action = Keep | str
Steps = list[tuple[Hashable, int, Position]]


@dataclass(frozen=True)
class HoldDice(Game[Position, Action]):
    """The rules; see the module's docstring."""

    dice: int = field(default=3, metadata={"help": "how many dice"})
    sides: int = field(default=6, metadata={"help": "sides of each die"})
    values: tuple[Number, ...] = field(
        default=(), kw_only=True, metadata={"help": "what the sides show, such as 1,2,3,5,8, instead of 1 to sides"}
    )
    weights: tuple[int, ...] = field(
        default=(), kw_only=True, metadata={"help": "how likely the sides are, such as 1,1,1,1,1,5"}
    )
    cost: Number = field(default=1, kw_only=True, metadata={"help": "what a reroll costs"})

    def __post_init__(self) -> None:
        for name, most in (("dice", MOST_DICE), ("sides", MOST_SIDES)):
            given = getattr(self, name)
            if not isinstance(given, int) or isinstance(given, bool) or not 1 <= given <= most:
                raise InputError(f"{name} {given!r} is not allowed; it is a whole number from 1 to {most:,}")
        object.__setattr__(self, "cost", exact_number("cost", self.cost))
        if self.cost < 0:
            raise InputError(f"cost {self.cost} is not allowed: rerolling for ever would pay; it is 0 or more")
        self._settle_die()

    def _settle_die(self) -> None:
        """One spelling for each die: values ascending and distinct, empty for 1..sides; weights without a common
        factor, empty if all are equal."""
        values = tuple(exact_number("value", value) for value in self.values)
        weights = tuple(self.weights)
        if not values and not weights:
            return
        for weight in weights:
            if not isinstance(weight, int) or isinstance(weight, bool) or weight < 1:
                raise InputError(f"weight {weight!r} is not allowed; weights are whole numbers from 1 up")
        count = len(values or weights)
        if weights and len(weights) != count:
            raise InputError(f"{count} values but {len(weights)} weights were given; give one weight for each value")
        if self.sides not in (6, count):
            given = "values" if values else "weights"
            raise InputError(f"{count} {given} were given, but sides is {self.sides}; leave sides out")
        merged: Counter[Number] = Counter()
        for value, weight in zip(values or range(1, count + 1), weights or (1,) * count, strict=True):
            merged[value] += weight
        if merged.total() > MOST_WEIGHT:
            raise InputError(f"the weights add up to {merged.total()}; at most {MOST_WEIGHT:.0e}, use smaller ones")
        shown, common = tuple(sorted(merged)), gcd(*merged.values())
        even = len(set(merged.values())) == 1
        object.__setattr__(self, "sides", len(shown))
        object.__setattr__(self, "values", () if shown == tuple(range(1, len(shown) + 1)) else shown)
        object.__setattr__(self, "weights", () if even else tuple(merged[value] // common for value in shown))

    @cached_property
    def shown(self) -> tuple[Number, ...]:
        """What the sides show, ascending."""
        return self.values or tuple(range(1, self.sides + 1))

    @cached_property
    def chances(self) -> tuple[int, ...]:
        """How likely the sides are, as whole numbers."""
        return self.weights or (1,) * self.sides

    @cached_property
    def flipped(self) -> dict[Number, Number]:
        """The i-th smallest value becomes the i-th largest."""
        return dict(zip(self.shown, reversed(self.shown), strict=True))

    def final_dice(self, dice: Sequence[Number]) -> tuple[Number, ...]:
        """The dice as they count when the player sticks, in the order in which they are given."""
        shown = Counter(dice)
        return tuple(self.flipped[value] if shown[value] > 1 else value for value in dice)

    def final_score(self, dice: Sequence[Number]) -> Number:
        """What sticking pays."""
        return sum(self.final_dice(dice))

    # ---- rules

    def start(self) -> Position:
        return Position()

    def actions(self, state: Position) -> Sequence[Action]:
        if state.over:
            return ()
        if not state.dice:
            return ("roll",)
        held = product(*([(value,) * n for n in range(count + 1)] for value, count in Counter(state.dice).items()))
        keeps = sorted((Keep(chain.from_iterable(parts)) for parts in held), key=lambda keep: (len(keep), keep))
        return ("stick", *keeps[:-1])

    def step(self, state: Position, action: Action) -> Sequence[tuple[Hashable, int, Position]]:
        if action == "stick":
            return sure(Position(state.dice, True))
        keep = () if isinstance(action, str) else tuple(action)
        found = self._rerolled.get(keep)
        if found is None:
            sides = Lottery(tuple(range(self.sides)), self.chances)
            rolls = [
                (tuple(self.shown[side] for side in roll), weight)
                for roll, weight in faces_of(self.dice - len(keep), sides)
            ]
            found = [(roll, weight, Position(tuple(sorted(keep + roll)))) for roll, weight in rolls]
            if len(self._rerolled) >= MOST_REMEMBERED:
                self._rerolled.clear()
            self._rerolled[keep] = found
        return found

    @cached_property
    def _rerolled(self) -> dict[tuple[Number, ...], Steps]:
        """What may happen once some dice are kept: the same in every position that allows it."""
        return {}

    def reward(self, state: Position, action: Action, outcome: Hashable) -> Number:
        return -self.cost if isinstance(action, tuple) else 0

    def payoff(self, state: Position) -> Number:
        return self.final_score(state.dice)

    def payoff_range(self) -> tuple[Number, Number]:
        """What sticking pays at the least and at the most: two or more dice that all show the same are flipped."""
        return self.dice * self.shown[0], self.dice * self.shown[-1]

    # ---- words

    def at(self, *dice: Number) -> Position:
        """The position in which these dice are on the table."""
        return self.parse(" ".join(map(str, dice)))

    def text(self, state: Position) -> str:
        words = " ".join(map(str, state.dice)) or "start"
        return f"{words} over" if state.over else words

    def parse(self, text: str) -> Position:
        words = text.replace(",", " ").lower().split()
        over = bool(words) and words[-1] == "over"
        if over:
            words.pop()
        if words == ["start"] and not over:
            return Position()
        if len(words) != self.dice:
            example = " ".join(str(self.shown[at % self.sides]) for at in range(self.dice))
            raise InputError(
                f"position {text!r} has {len(words)} dice, {self.dice} are needed; for example {example!r}, "
                "or 'start' for the first roll"
            )
        return Position(tuple(sorted(map(self._value, words))), over)

    def _value(self, word: str) -> Number:
        value = exact_number("die", word) if len(word) <= 200 and "e" not in word else None
        if value is None or value not in self.flipped:
            listed = ", ".join(map(str, self.shown[:12])) + (" ..." if self.sides > 12 else "")
            raise InputError(f"a die cannot show {word}; the sides show {listed}")
        return value

    def label(self, move: Hashable) -> str:
        if isinstance(move, Keep):
            return f"keep {' '.join(map(str, move))}" if move else "reroll all"
        return super().label(move)

    def board(self, state: Position, names: Sequence[str]) -> str:
        if not state.dice:
            return f"{names[0]} rolls {self.dice} dice"
        final = self.final_dice(state.dice)
        shown = " ".join(map(str, state.dice))
        counts = "" if final == state.dice else f", which count as {' '.join(map(str, final))}"
        return f"{names[0]} has {shown}{counts}: {self.final_score(state.dice)}"

    # ---- rules of thumb

    heuristics: ClassVar = {
        "stick-at-N": "stick at N points or more, otherwise keep what counts for more than the mean"
    }

    def heuristic(self, name: str) -> Callable[[Position], Action] | None:
        found = re.fullmatch("stick-at-([0-9]{1,9})", name)
        if found is None:
            return None
        if int(found[1]) > (most := self.dice * self.shown[-1]):
            raise InputError(f"{name} would never stick; the dice count for {most} at most")
        return partial(self._stick_at, int(found[1]))

    def _stick_at(self, enough: int, state: Position) -> Action:
        """Doubles are judged by what they count for when flipped; where all dice are good, the worst is rolled."""
        if self.final_score(state.dice) >= enough:
            return "stick"
        counts = list(zip(state.dice, self.final_dice(state.dice), strict=True))
        sides = zip(self.shown, self.chances, strict=True)
        mean = Fraction(sum(Fraction(value) * weight for value, weight in sides), sum(self.chances))
        kept = [die for die, counted in counts if counted > mean]
        if len(kept) == len(counts):
            kept.remove(min(counts, key=lambda pair: pair[1])[0])
        return Keep(kept)

    # ---- speed

    def kernel(self, *, exact: bool = False, progress: Progress | None = None) -> HoldDiceSolution:
        from dicewise.games.hold_dice.solution import solve_exactly, solve_fast

        return solve_exactly(self, progress) if exact else solve_fast(self, progress)

    def restore(self, arrays: dict[str, Any], report: Any) -> HoldDiceSolution:
        from dicewise.games.hold_dice.solution import from_arrays

        return from_arrays(self, arrays, report)


MOST_REMEMBERED = 4096
"""Keeps whose outcomes are remembered: all those of seven dice."""
