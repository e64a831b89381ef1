"""Small games for the engine's tests, each with an answer that can be worked out by hand."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from dicewise import Game, sure


@dataclass(frozen=True)
class Ladder(Game[int, str]):
    """Two coins; on HH take the prize on offer or flip on, otherwise lose all. State: height, -1 lost, -2 taken."""

    prizes: tuple[int, ...] = (1, 4, 16, 64, 250)

    def start(self) -> Any:
        return (0, "flip")

    def actions(self, state: Any) -> Sequence[str]:
        height, phase = state
        if phase == "flip":
            return ("flip",)
        if phase == "over":
            return ()
        return ("take", "flip") if height < len(self.prizes) else ("take",)

    def step(self, state: Any, action: str) -> Any:
        height, _ = state
        if action == "take":
            return sure((height, "over"))
        return [("HH", 1, (height + 1, "choose")), ("not HH", 3, (0, "over"))]

    def payoff(self, state: Any) -> int:
        height, _ = state
        return self.prizes[height - 1] if height else 0


class Pile(NamedTuple):
    stones: int
    turn: int


@dataclass(frozen=True)
class Nim(Game[Pile, int]):
    """Take 1 to 3 stones in turn; whoever takes the last one wins 1 from the other. Won unless stones % 4 == 0."""

    stones: int = 10
    players: int = 2

    def start(self) -> Pile:
        return Pile(self.stones, 0)

    def actions(self, state: Pile) -> Sequence[int]:
        return tuple(range(1, min(3, state.stones) + 1))

    def step(self, state: Pile, action: int) -> Any:
        return sure(Pile(state.stones - action, 1 - state.turn))

    def payoff(self, state: Pile) -> Any:
        return (-1, 1) if state.turn == 0 else (1, -1)

    def turn(self, state: Pile) -> int:
        return state.turn


@dataclass(frozen=True)
class RotatedNim(Nim):
    """The same with the rotated twins kept once."""

    def as_first(self, state: Pile) -> Pile:
        return Pile(state.stones, 0)


@dataclass(frozen=True)
class Walk(Game[int, int]):
    """A one-player walk that costs 1 a step and may stand still for ever."""

    def start(self) -> int:
        return 3

    def actions(self, state: int) -> Sequence[int]:
        return (1, -1) if state else ()

    def step(self, state: int, action: int) -> Any:
        return [("there", 1, state - action if state < 5 else 0), ("back", 1, state)]

    def payoff(self, state: int) -> int:
        return 0


@dataclass(frozen=True)
class Table(Game[int, int]):
    """A game given as a table: per state its mover and, per action, edges (weight, next, rewards); ends pay."""

    players: int = 2
    moves: tuple[Any, ...] = field(default=(), repr=False)
    ends: tuple[Any, ...] = field(default=(), repr=False)

    def start(self) -> int:
        return 0

    def actions(self, state: int) -> Sequence[int]:
        return range(len(self.moves[state][1])) if state < len(self.moves) else ()

    def step(self, state: int, action: int) -> Any:
        return [(at, weight, to) for at, (weight, to, _) in enumerate(self.moves[state][1][action])]

    def payoff(self, state: int) -> Any:
        return self.ends[state - len(self.moves)]

    def turn(self, state: int) -> int:
        return self.moves[state][0] if state < len(self.moves) else 0

    def reward(self, state: int, action: int, outcome: Hashable) -> Any:
        return self.moves[state][1][action][outcome][2]  # type: ignore[index]


def brute_force(game: Game[Any, Any], state: Any, known: dict[Any, tuple[Fraction, ...]]) -> tuple[Fraction, ...]:
    """The values of a state, straight from the rules: everybody maximises its own, first best action."""
    if state not in known:
        players = game.players

        def each(pay: Any) -> tuple[Fraction, ...]:
            return tuple(map(Fraction, pay if isinstance(pay, tuple) else (pay,) * players))

        actions = list(game.actions(state))
        if not actions:
            known[state] = each(game.payoff(state))
        else:
            worth = []
            for action in actions:
                lottery = game.step(state, action)
                total = sum(weight for _, weight, _ in lottery)
                sums = [Fraction(0)] * players
                for outcome, weight, to in lottery:
                    after, paid = brute_force(game, to, known), each(game.reward(state, action, outcome))
                    sums = [s + Fraction(weight, total) * (a + r) for s, a, r in zip(sums, after, paid, strict=True)]
                worth.append(tuple(sums))
            best = max(row[game.turn(state)] for row in worth)
            known[state] = next(row for row in worth if row[game.turn(state)] == best)
    return known[state]
