"""Pig: roll as often as you dare, hold before a 1 loses the turn's total, be the first to reach the target.

Players take turns. On a turn you roll a die as often as you like and add up what it shows. A 1 loses the total of the
turn and passes the die on; to hold banks the total and passes the die on. The first to reach the target wins.
(J. Scarne, "Scarne on Dice", 1945; optimal play: T. Neller and C. Presser, "Optimal Play of the Dice Game Pig", UMAP
Journal 25(1), 2004.)

A turn begins with a roll: who could hold at once could also hold for ever. Whose score and total of the turn reach the
target has won at once. At the table one still has to say "hold"; but that wins for certain, and rolling on could only
spoil it, so nobody is asked.

Alone (players = 1) the aim is to get there in as few turns as possible: every turn costs 1.

Piglet, Pig with a coin, has a die of two sides: 1 is heads and scores 1, 2 is tails and loses, `sides=2, bust=(2,)`.

| parameter | meaning | default |
|---|---|---|
| target | the score that wins | 100 |
| sides | sides of the fair die | 6 |
| die | a custom die instead: faces `1,1,2,3,5,8`, or with weights `1:9,100:1` | fair |
| bust | the faces that lose the turn's total, and score nothing | 1 |
| win, lose | payoffs of the winner and of everybody else, lose < win; alone they are not used | 1, 0 |
| players | people at the table; two of them, or one, can be solved | 2 |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from dicewise.chance import Lottery, die, read_die, spell_die
from dicewise.errors import CyclicError, InputError
from dicewise.game import Game, Number, Progress, sure
from dicewise.spec import exact_number, whole_number

if TYPE_CHECKING:
    from dicewise.graph import Graph, Numbering

MOST_POINTS = 10**9


class Position(NamedTuple):
    """A position of Pig; `Pig.at(20, 35, total=12)` makes one seen by its mover."""

    scores: tuple[int, ...]
    """What everybody has banked."""
    turn: int = 0
    total: int = 0
    """What the mover has rolled in this turn; 0 before the first roll."""


@dataclass(frozen=True)
class Pig(Game[Position, str]):
    """The rules; see the module's docstring."""

    target: int = field(default=100, metadata={"help": "the score that wins"})
    sides: int = field(default=6, metadata={"help": "sides of the fair die"})
    die: str = field(
        default="", kw_only=True, metadata={"help": "a custom die: faces 1,1,2,3,5,8 or with weights 1:9,100:1"}
    )
    bust: tuple[int, ...] = field(default=(1,), kw_only=True, metadata={"help": "the faces that lose the turn's total"})
    win: Number = field(default=1, kw_only=True, metadata={"help": "payoff of the winner"})
    lose: Number = field(default=0, kw_only=True, metadata={"help": "payoff of everybody else"})
    players: int = field(default=2, kw_only=True, metadata={"help": "people at the table"})

    def __post_init__(self) -> None:
        for name in ("target", "sides", "players"):
            whole_number(name, getattr(self, name), 1)
        if self.target > MOST_POINTS:
            raise InputError(f"target {self.target} is not allowed; at most {MOST_POINTS:,} points")
        sides, text = spell_die(self.sides, self.die)
        object.__setattr__(self, "sides", sides)
        object.__setattr__(self, "die", text)
        self._check_bust()
        for name in ("win", "lose"):
            object.__setattr__(self, name, exact_number(name, getattr(self, name)))
        if not self.lose < self.win:
            raise InputError(f"payoffs win {self.win}, lose {self.lose} are not allowed; lose must be less than win")
        if self.players == 1 and (self.win, self.lose) != (1, 0):
            raise InputError("alone, every turn costs 1, and nobody wins or loses: leave win and lose out")

    def _check_bust(self) -> None:
        shown = self.dice.outcomes
        if not isinstance(self.bust, tuple) or not all(face in shown for face in self.bust):
            faces = ", ".join(map(str, shown)) if len(shown) <= 12 else f"{shown[0]} ... {shown[-1]}"
            given = ",".join(map(str, self.bust)) if isinstance(self.bust, tuple) else repr(self.bust)
            raise InputError(f"bust {given} is not allowed; give some of the faces of the die: {faces}")
        object.__setattr__(self, "bust", tuple(face for face in shown if face in self.bust))
        if len(self.bust) == len(shown):
            raise InputError("every face of the die loses the turn, so nobody could ever win; bust fewer faces")

    @cached_property
    def dice(self) -> Lottery[int]:
        """The die."""
        return read_die(self.die) if self.die else die(self.sides)

    # ---- rules

    def start(self) -> Position:
        return Position((0,) * self.players)

    def actions(self, state: Position) -> Sequence[str]:
        if state.scores[state.turn] >= self.target:
            return ()
        return ("roll", "hold") if state.total else ("roll",)

    def step(self, state: Position, action: str) -> Sequence[tuple[Hashable, int, Position]]:
        scores, turn, total = state
        following = (turn + 1) % self.players
        if action == "hold":
            return sure(Position(self._banked(state, total), following))
        passed = Position(scores, following)
        missing = self.target - scores[turn] - total
        outcomes: list[tuple[Hashable, int, Position]] = []
        for face, weight in self.dice:
            if face in self.bust:
                to = passed
            elif face >= missing:
                to = Position(self._banked(state, total + face), turn)
            else:
                to = Position(scores, turn, total + face)
            outcomes.append((face, weight, to))
        return outcomes

    def _banked(self, state: Position, points: int) -> tuple[int, ...]:
        """The scores once the mover has added so many points."""
        scores, turn, _ = state
        return (*scores[:turn], scores[turn] + points, *scores[turn + 1 :])

    def payoff(self, state: Position) -> tuple[Number, ...]:
        if self.players == 1:
            return (0,)
        return tuple(self.win if seat == state.turn else self.lose for seat in range(self.players))

    def reward(self, state: Position, action: str, outcome: Hashable) -> int:
        return -1 if self.players == 1 and not state.total else 0

    def turn(self, state: Position) -> int:
        return state.turn

    def as_first(self, state: Position) -> Position:
        scores, turn, total = state
        return Position(scores[turn:] + scores[:turn], 0, total) if turn else state

    # ---- for reviews

    def payoff_range(self) -> tuple[Number, Number] | None:
        return (self.lose, self.win) if self.players > 1 else None

    def kind_of(self, state: Position, action: str, outcome: Hashable, to: Position) -> str:
        if action == "hold":
            return "banked"
        if outcome in self.bust:
            return "bust"
        return "over the target" if not self.actions(to) else "more to bank"

    # ---- words

    def at(self, *scores: int, total: int = 0) -> Position:
        """The position in which the mover has the first score and so much in this turn, the next player the second."""
        return Position(tuple(scores), 0, total)

    def text(self, state: Position) -> str:
        scores, _, total = self.as_first(state)
        return " ".join(map(str, scores)) + (f" +{total}" if total else "")

    def parse(self, text: str) -> Position:
        words = text.replace(",", " ").replace("+", " +").split()
        numbers = [int(word) for word in words if re.fullmatch(r"\+?[0-9]{1,12}", word)]
        count = self.players
        if len(numbers) != len(words) or len(words) not in (count, count + 1):
            own = "your score" if count == 1 else "the mover's score, the others' in order"
            raise InputError(
                f"position {text!r} cannot be read; write {own}, and the total of this turn if there is one: "
                f"{' '.join(['0'] * count + ['+8'])!r}"
            )
        scores, total = tuple(numbers[:count]), sum(numbers[count:])
        mover, others = scores[0], scores[1:]
        if max(others, default=0) >= self.target:
            raise InputError(f"position {text!r} cannot be: somebody who is not to move has {max(others)} and has won")
        if mover + total >= self.target and total:
            raise InputError(
                f"position {text!r} cannot be: {mover} and {total} reach the target of {self.target}, the game is over"
            )
        return Position(scores, 0, total)

    def board(self, state: Position, names: Sequence[str]) -> str:
        seats = [(state.turn + seat) % self.players for seat in range(self.players)]
        scores = ", ".join(f"{names[seat]}: {state.scores[seat]}" for seat in seats)
        return f"{scores}, this turn: {state.total}"

    # ---- rules of thumb

    heuristics: ClassVar = {"hold-at-N": "hold as soon as the turn's total is N or more"}

    def heuristic(self, name: str) -> Callable[[Position], str] | None:
        found = re.fullmatch("hold-at-([0-9]{1,9})", name)
        if found is None:
            return None
        enough = int(found[1])
        return lambda state: "hold" if state.total >= enough else "roll"

    # ---- speed

    def kernel(self, *, exact: bool = False, progress: Progress | None = None) -> None:
        """None: the engine solves it. More than two players are refused before half of them are explored."""
        if self.players > 2:
            raise CyclicError(
                f"{self.spec} can come back to a position, and each of its {self.players} players plays for itself; "
                "one or two players can be solved",
                "interests",
            )

    def graph(self) -> Graph | None:
        if self.players > 2:
            return None
        from dicewise.games.pig.arrays import graph_of

        return graph_of(self)

    def numbering(self) -> Numbering | None:
        if self.players > 2:
            return None
        from dicewise.games.pig.arrays import PigStates

        return PigStates(self.target, self.players)
