"""The coin ladder: flip two coins, on heads twice take the prize on offer or climb on, otherwise lose everything.

The player starts below the lowest rung and flips. If all coins show heads, the player climbs one rung and may take
that rung's prize, or flip again for the next one; after a single tail everything is lost. On the highest rung there
is nothing left to flip for.

The game is from lecture notes on finite probabilistic games, which show only its top: a prize of 64 against a chance
of one in four for 250, max(64, 250/4) = 64. The rungs below are not known. The default, 1, 4, 16, 64, 250, is ours:
every prize below 64 is worth exactly as much as a flip for the next one, so that each of them is a tie.

| parameter | meaning | default |
|---|---|---|
| prizes | what the rungs pay, the lowest first | 1, 4, 16, 64, 250 |
| coins | coins in a flip, all of which must show heads | 2 |
| heads | the chance of heads of each coin, above 0 | 1/2 |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, NamedTuple

from dicewise.errors import InputError
from dicewise.game import Game, Number, sure
from dicewise.spec import exact_number, whole_number

MOST_COINS = 1000


class Rung(NamedTuple):
    """Where the player stands: rung 1 is the lowest with a prize."""

    height: int
    over: bool = False
    """The prize is taken; with height 0, everything is lost."""


@dataclass(frozen=True)
class CoinLadder(Game[Rung, str]):
    """The rules; see the module's docstring."""

    prizes: tuple[Number, ...] = field(default=(1, 4, 16, 64, 250), metadata={"help": "what the rungs pay"})
    coins: int = field(default=2, metadata={"help": "coins in a flip, all of which must show heads"})
    heads: Number = field(default=Fraction(1, 2), kw_only=True, metadata={"help": "the chance of heads of each coin"})

    def __post_init__(self) -> None:
        if not isinstance(self.prizes, tuple) or not self.prizes:
            raise InputError(f"prizes {self.prizes!r} are not allowed; give one or more, as in 1,4,16")
        object.__setattr__(self, "prizes", tuple(exact_number("prizes", prize) for prize in self.prizes))
        if whole_number("coins", self.coins, 1) > MOST_COINS:
            raise InputError(f"coins {self.coins} is not allowed; at most {MOST_COINS} coins")
        object.__setattr__(self, "heads", exact_number("heads", self.heads))
        if not 0 < self.heads <= 1:
            raise InputError(f"heads {self.heads} is not allowed; it is a chance above 0 and up to 1, such as 1/2")

    @cached_property
    def climbs(self) -> Fraction:
        """The chance that all coins show heads."""
        return Fraction(self.heads) ** self.coins

    # ---- rules

    def start(self) -> Rung:
        return Rung(0)

    def actions(self, state: Rung) -> Sequence[str]:
        if state.over:
            return ()
        if state.height == 0:
            return ("flip",)
        return ("take", "flip") if state.height < len(self.prizes) else ("take",)

    def step(self, state: Rung, action: str) -> Sequence[tuple[Hashable, int, Rung]]:
        if action == "take":
            return sure(Rung(state.height, over=True))
        up, cases = self.climbs.numerator, self.climbs.denominator
        flips = [("all heads", up, Rung(state.height + 1)), ("a tail", cases - up, Rung(0, over=True))]
        return flips if up < cases else flips[:1]

    def payoff(self, state: Rung) -> Number:
        return self.prizes[state.height - 1] if state.height else 0

    def payoff_range(self) -> tuple[Number, Number]:
        return min(0, *self.prizes), max(0, *self.prizes)

    # ---- words

    def text(self, state: Rung) -> str:
        if state.height == 0:
            return "lost" if state.over else "start"
        return f"rung {state.height}" + (" taken" if state.over else "")

    def parse(self, text: str) -> Rung:
        words = text.lower().split()
        if words in (["start"], ["lost"]):
            return Rung(0, over=words == ["lost"])
        over = words[-1:] == ["taken"]
        number = "".join(words[:-1] if over else words).removeprefix("rung")
        if not (number.isdecimal() and len(number) < 9 and 1 <= int(number) <= len(self.prizes)):
            raise InputError(
                f"position {text!r} is not on the ladder; write 'start', or 'rung 1' to 'rung {len(self.prizes)}'"
            )
        return Rung(int(number), over)

    def board(self, state: Rung, names: Sequence[str]) -> str:
        if state.over or state.height == 0:
            return self.text(state)
        return f"{self.text(state)}: {self.prizes[state.height - 1]} on offer"

    # ---- rules of thumb

    heuristics: ClassVar = {"take-at-R": "take the prize on rung R, and above"}

    def heuristic(self, name: str) -> Callable[[Rung], str] | None:
        found = re.fullmatch("take-at-([0-9]{1,9})", name)
        if found is None:
            return None
        rung = int(found[1])
        if not 1 <= rung <= len(self.prizes):
            raise InputError(f"{name} is not possible; the rungs are numbered 1 to {len(self.prizes)}")
        return lambda state: "take" if state.height >= rung else "flip"
