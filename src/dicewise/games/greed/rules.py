"""Greed (Addis): roll as many dice as you dare, do not pass the maximum, stand at the right moment.

Two players start at 0. On a turn the mover chooses how many dice to roll, n, and adds their total to the score; a score
above `max` loses at once. With n = 0 the mover stands, and the other player has exactly one last turn (any n, also 0).
Then the higher score wins; equal scores tie. (Usually "Greed" names the game Farkle; this is the game of C. Addis,
"A Guide to Optimization and Optimal Play in Greed", 2024, and "A Policy Optimization of Greed".)

With three or more players (our rule; the papers leave it open) everybody else has one last turn after a stand, in
order; a player who busts is out; the best score shares 1 among the tied; the last player left wins at once.

| parameter | meaning | default |
|---|---|---|
| max | the score not to pass | 100 |
| sides | sides of the fair dice | 6 |
| die | custom dice instead: faces `1,1,2,3,5,8`, or with weights `1:9,100:1` | fair |
| win, tie, lose | payoffs of two players, lose <= tie <= win | 1, 0, -1 |
| players | people at the table | 2 |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from dicewise.chance import Lottery, die, read_die, spell_die, total_of
from dicewise.errors import InputError
from dicewise.game import Game, Number, Progress, sure
from dicewise.games.greed import thumb
from dicewise.memory import require
from dicewise.spec import exact_number, whole_number

if TYPE_CHECKING:
    from dicewise.games.greed.solution import GreedSolution

OVER = -1


class Position(NamedTuple):
    """A position of Greed; `Greed.at(85, 70)` makes one seen by its mover."""

    scores: tuple[int, ...]
    turn: int = 0
    last: int = 0
    """0 in normal play; otherwise how many last turns are still to be played, the mover's included; OVER at the end."""


@dataclass(frozen=True)
class Greed(Game[Position, int]):
    """The rules; see the module's docstring."""

    max: int = field(default=100, metadata={"help": "the score not to pass"})
    sides: int = field(default=6, metadata={"help": "sides of the fair dice"})
    die: str = field(
        default="",
        kw_only=True,
        metadata={"help": "custom dice: faces 1,1,2,3,5,8 or with weights 1:9,100:1"},
    )
    win: Number = field(default=1, kw_only=True, metadata={"help": "payoff of a win"})
    tie: Number = field(default=0, kw_only=True, metadata={"help": "payoff of a tie"})
    lose: Number = field(default=-1, kw_only=True, metadata={"help": "payoff of a loss"})
    players: int = field(default=2, kw_only=True, metadata={"help": "people at the table"})

    def __post_init__(self) -> None:
        for name, least in (("max", 1), ("sides", 1), ("players", 2)):
            whole_number(name, getattr(self, name), least)
        sides, text = spell_die(self.sides, self.die)
        object.__setattr__(self, "sides", sides)
        object.__setattr__(self, "die", text)
        for name in ("win", "tie", "lose"):
            object.__setattr__(self, name, exact_number(name, getattr(self, name)))
        if not self.lose <= self.tie <= self.win:
            raise InputError(
                f"payoffs win {self.win}, tie {self.tie}, lose {self.lose} are not allowed; "
                "they must satisfy lose <= tie <= win"
            )
        if self.players > 2 and (self.win, self.tie, self.lose) != (1, 0, -1):
            raise InputError(
                f"win, tie and lose are payoffs of two players; with {self.players} players the best score shares 1: "
                "leave them out"
            )

    @cached_property
    def dice(self) -> Lottery[int]:
        """One die."""
        return read_die(self.die) if self.die else die(self.sides)

    def n_max(self, score: int) -> int:
        """The most dice that can be best from a score; nobody lists more.

        For fair dice and lose <= tie <= win: the number whose mean total reaches `max`. More dice make every total
        that does not bust less likely, and nothing is worse than a bust. For other dice that argument fails, and the
        bound is the number that busts for certain when one more is rolled.
        """
        room = self.max - score
        if self.die:
            return room // self.dice.outcomes[0]
        return -(-2 * room // (self.sides + 1))

    # ---- rules

    def start(self) -> Position:
        return Position((0,) * self.players)

    def actions(self, state: Position) -> Sequence[int]:
        if state.last == OVER:
            return ()
        return range(self.n_max(state.scores[state.turn]) + 1)

    def step(self, state: Position, action: int) -> Sequence[tuple[Hashable, int, Position]]:
        if action == 0:
            return sure(self._pass_turn(state, state.scores, stands=True))
        scores, mover = state.scores, state.turn
        before, after = scores[:mover], scores[mover + 1 :]
        return [
            (total, weight, self._pass_turn(state, (*before, scores[mover] + total, *after)))
            for total, weight in total_of(action, self.dice)
        ]

    def _pass_turn(self, state: Position, scores: tuple[int, ...], stands: bool = False) -> Position:
        playing = sum(score <= self.max for score in scores)
        if playing == 1 or state.last == 1:
            return Position(scores, state.turn, OVER)
        if state.last:
            last = state.last - 1
        else:
            last = playing - 1 if stands else 0
        turn = (state.turn + 1) % self.players
        while scores[turn] > self.max:
            turn = (turn + 1) % self.players
        return Position(scores, turn, last)

    def payoff(self, state: Position) -> tuple[Number, ...]:
        reached = [score if score <= self.max else -1 for score in state.scores]
        best = max(reached)
        winners = reached.count(best)
        if self.players > 2:
            return tuple(Fraction(1, winners) if score == best else 0 for score in reached)
        if winners == 2:
            return (self.tie, self.tie)
        return tuple(self.win if score == best else self.lose for score in reached)

    def turn(self, state: Position) -> int:
        return state.turn

    def as_first(self, state: Position) -> Position:
        scores, turn, last = state
        if self.players > 2:  # by how much somebody bust is forgotten
            scores = tuple(min(score, self.max + 1) for score in scores)
        return Position(scores[turn:] + scores[:turn], 0, last)

    # ---- for reviews

    def payoff_range(self) -> tuple[Number, Number]:
        return (self.lose, self.win) if self.players == 2 else (0, 1)

    def kind_of(self, state: Position, action: int, outcome: Hashable, to: Position) -> str:
        mine = to.scores[state.turn]
        if mine > self.max:
            return "bust"
        others = [score for seat, score in enumerate(to.scores) if seat != state.turn and score <= self.max]
        best = max(others, default=-1)
        return "ahead" if mine > best else "level" if mine == best else "behind"

    # ---- words

    def at(self, *scores: int, last: bool | int = False) -> Position:
        """The position in which the mover has the first score, the next player the second ..."""
        return Position(tuple(scores), 0, (len(scores) - 1) if last is True else int(last))

    def seen_by_mover(self, state: Position) -> tuple[int, int, bool]:
        """Of two players: the mover's score, the other's, and whether it is the last turn; refused if impossible."""
        a, q = state.scores[state.turn], state.scores[1 - state.turn]
        if not (0 <= a <= self.max and 0 <= q <= self.max):
            raise InputError(f"scores {a} and {q} are not allowed; scores go from 0 to {self.max}")
        return a, q, bool(state.last)

    def text(self, state: Position) -> str:
        scores, _, last = self.as_first(state)
        words = [str(score) if score <= self.max or self.players == 2 else "out" for score in scores]
        if last == OVER:
            words.append("over")
        elif last:
            words.append("last" if self.players == 2 else f"last={last}")
        return " ".join(words)

    def parse(self, text: str) -> Position:
        words = text.replace(",", " ").lower().split()
        last = 0
        if words and (words[-1].startswith("last") or words[-1] in ("normal", "over")):
            word = words.pop()
            last = {"normal": 0, "over": OVER}.get(word, -2)
            if last == -2:
                number = word.removeprefix("last").removeprefix("=")
                if not re.fullmatch("[0-9]{0,9}", number):
                    raise InputError(f"position {text!r}: {word!r} cannot be read; write 'last' for the last turn")
                last = int(number) if number else -2
        if len(words) != self.players:
            raise InputError(
                f"position {text!r} has {len(words)} scores, {self.players} are needed, the mover's first; "
                f"for example {' '.join(['0'] * self.players)!r}, with 'last' behind it for the last turn"
            )
        scores = tuple(self._score(word, over=last == OVER) for word in words)
        playing = sum(score <= self.max for score in scores)
        if last == -2:
            last = playing - 1
        if last != OVER and (scores[0] > self.max or playing < 2 or last >= playing):
            raise InputError(
                f"position {text!r} cannot be: the mover and somebody else must still be in, "
                "and fewer last turns be left than players"
            )
        return Position(scores, 0, last)

    def _score(self, word: str, over: bool) -> int:
        if word == "out" and self.players > 2:
            return self.max + 1
        try:
            score = int(word)
        except ValueError:
            raise InputError(f"score {word!r} is not a whole number; scores go from 0 to {self.max}") from None
        if score < 0 or (score > self.max and not over):
            raise InputError(f"score {score} is not allowed; scores go from 0 to {self.max} (--max sets the maximum)")
        return score

    def read_outcome(self, text: str, state: Position, action: int) -> Hashable:
        """What was rolled: the total, or the faces of all dice, as in `3 4 5` or `3+4+5`."""
        words = re.findall(r"[^\s,+]+", text)
        if action < 2 or len(words) == 1:
            return super().read_outcome(text, state, action)
        shown = self.dice.outcomes
        if len(words) != action or any(word not in map(str, shown) for word in words):
            most = ", ".join(map(str, shown)) if len(shown) <= 12 else f"{shown[0]} to {shown[-1]}"
            raise InputError(
                f"outcome {text.strip()!r:.120} is not possible; type the total of the {action} dice, or what each of "
                f"them shows ({most}), as in {' '.join([str(shown[0])] * action)[:60]!r}"
            )
        return sum(map(int, words))

    def board(self, state: Position, names: Sequence[str]) -> str:
        order = [(state.turn + seat) % self.players for seat in range(self.players)]
        scores = ", ".join(f"{names[seat]}: {state.scores[seat]}" for seat in order)
        return f"{scores}, last: {'true' if state.last else 'false'}"

    def prompt(self, state: Position, name: str) -> str:
        return f"{name} rolls: "

    def final(self, state: Position, names: Sequence[str]) -> str:
        return ", ".join(f"{name}: {score}" for name, score in zip(names, state.scores, strict=True))

    # ---- rules of thumb

    heuristics: ClassVar = {
        "stand-at-T": "stand at T or more unless behind, otherwise aim for the maximum",
        **thumb.FAMILIES,
    }

    def heuristic(self, name: str) -> Callable[[Position], int] | None:
        found = re.fullmatch("stand-at-([0-9]{1,9})", name)
        if found is None:
            rule = thumb.read(self, name)
            return None if rule is None else thumb.Follower(self, rule)
        if int(found[1]) > self.max:
            raise InputError(f"{name} would never stand; scores go up to {self.max}, as in stand-at-{self.max}")
        return partial(self._stand_at, int(found[1]))

    def _stand_at(self, enough: int, state: Position) -> int:
        """What a person may do: stand with enough points unless somebody has more, otherwise roll as many dice as
        bring the score nearest to the maximum without their mean passing it, and at least one when behind."""
        mine, *others = state.scores
        best = max((score for score in others if score <= self.max), default=0)
        if (mine >= enough and mine >= best) or (state.last and mine > best):
            return 0
        aimed = int((self.max - mine) / self.dice.mean())
        return min(max(aimed, int(mine < best)), self.n_max(mine))

    @property
    def file_stem(self) -> str:
        """As the source program names its files, `greed_100_6`; rules that it does not know are added."""
        plain = Greed(self.max, self.sides)
        return f"greed_{self.max}_{self.sides}" if self == plain else super().file_stem

    # ---- speed: two players have kernels, more go through the engine

    @property
    def constant_sum(self) -> bool:
        return self.win + self.lose == 2 * self.tie

    @property
    def tie_in_units(self) -> float:
        """What a tie is worth where a win is +1 and a loss -1."""
        if self.win == self.lose:
            return 0.0
        return float(2 * Fraction(self.tie - self.lose) / Fraction(self.win - self.lose) - 1)

    def kernel(self, *, exact: bool = False, progress: Progress | None = None) -> GreedSolution | Any:
        if self.players != 2:
            require(self._bytes_by_rules(), f"solving {self.spec}")
            return None
        if exact:
            from dicewise.games.greed.exact import solve_exactly

            return solve_exactly(self, progress)
        from dicewise.games.greed.solution import solve_fast

        return solve_fast(self, progress=progress)

    def _bytes_by_rules(self) -> int:
        """About what the engine needs to explore the rules: states, and the outcomes of all their actions."""
        spread = self.dice.outcomes[-1] - self.dice.outcomes[0]
        limits = [self.n_max(score) for score in range(self.max + 1)]
        outcomes = sum(limit * (limit + 1) // 2 * spread + limit + 1 for limit in limits)
        rows: int = self.players * (self.max + 2) ** (self.players - 1)
        return rows * (200 * outcomes + 1000 * (self.max + 1))

    def restore(self, arrays: dict[str, Any], report: Any) -> GreedSolution | None:
        if self.players != 2:
            return None
        from dicewise.games.greed.solution import from_arrays

        return from_arrays(self, arrays, report)
