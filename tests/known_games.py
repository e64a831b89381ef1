"""Well-known games, each in a few lines of rules. Their answers are in published.toml and test_known_games.py.

Several can come back to a position: in craps nothing happens for a while, a chute leads down again, a 1 in Hog scores
nothing.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from dicewise import Game, die, faces_of, sure, total_of

LADDERS = {1: 38, 4: 14, 9: 31, 21: 42, 28: 84, 36: 44, 51: 67, 71: 91, 80: 100}
CHUTES = {16: 6, 47: 26, 49: 11, 56: 53, 62: 19, 64: 60, 87: 24, 93: 73, 95: 75, 98: 78}


@dataclass(frozen=True)
class ChutesAndLadders(Game[int, str]):
    """Spin 1 to 6 and move; a ladder leads up, a chute down; 100 must be hit exactly. A turn costs 1."""

    def start(self) -> int:
        return 0

    def actions(self, state: int) -> Sequence[str]:
        return ("spin",) if state < 100 else ()

    def step(self, state: int, action: str) -> Any:
        board = LADDERS | CHUTES
        landed = {spin: state + spin if state + spin <= 100 else state for spin in range(1, 7)}
        return [(spin, 1, board.get(square, square)) for spin, square in landed.items()]

    def payoff(self, state: int) -> int:
        return 0

    def reward(self, state: int, action: str, outcome: Hashable) -> int:
        return -1


@dataclass(frozen=True)
class Craps(Game[Any, str]):
    """The pass line: 7 or 11 wins at once, 2, 3, 12 lose; any other total is the point, which must come before a 7."""

    def start(self) -> Any:
        return "come out"

    def actions(self, state: Any) -> Sequence[str]:
        return () if state in ("won", "lost") else ("roll",)

    def step(self, state: Any, action: str) -> Any:
        return [(total, weight, self.after(state, total)) for total, weight in total_of(2, 6)]

    def after(self, state: Any, total: int) -> Any:
        if state == "come out":
            return {7: "won", 11: "won", 2: "lost", 3: "lost", 12: "lost"}.get(total, str(total))
        if total == 7:
            return "lost"
        return "won" if str(total) == state else state

    def payoff(self, state: Any) -> int:
        return int(state == "won")


class Armies(NamedTuple):
    attackers: int
    defenders: int


@dataclass(frozen=True)
class Risk(Game[Armies, str]):
    """Attack to the end: up to three dice against up to two, highest against highest; a tie is the defender's."""

    attackers: int = 3
    defenders: int = 3

    def start(self) -> Armies:
        return Armies(self.attackers, self.defenders)

    def actions(self, state: Armies) -> Sequence[str]:
        return ("attack",) if min(state) else ()

    def step(self, state: Armies, action: str) -> Any:
        lottery = []
        for attack, ways in faces_of(min(3, state.attackers), 6):
            for defence, more in faces_of(min(2, state.defenders), 6):
                duels = list(zip(reversed(attack), reversed(defence), strict=False))
                won = sum(a > d for a, d in duels)
                to = Armies(state.attackers - (len(duels) - won), state.defenders - won)
                lottery.append(((attack, defence), ways * more, to))
        return lottery

    def payoff(self, state: Armies) -> int:
        return int(state.defenders == 0)


class Candidate(NamedTuple):
    seen: int
    best: bool
    """The candidate who has just been seen is the best so far."""
    taken: bool = False


@dataclass(frozen=True)
class Secretary(Game[Candidate, str]):
    """Candidates come in random order; take one or send it away for good. Only the best of all counts."""

    candidates: int = 10

    def start(self) -> Candidate:
        return Candidate(1, True)

    def actions(self, state: Candidate) -> Sequence[str]:
        if state.taken or state.seen == self.candidates:
            return ()
        return ("take", "wait")

    def step(self, state: Candidate, action: str) -> Any:
        if action == "wait":
            following = state.seen + 1
            others = [("worse", following - 1, Candidate(following, False))]
            return [("best so far", 1, Candidate(following, True)), *others]
        # the best of `seen` is the best of all if that one is among those seen
        if not state.best:
            return sure(Candidate(self.candidates, False, True))
        rest = self.candidates - state.seen
        return [
            ("best of all", state.seen, Candidate(self.candidates, True, True)),
            ("beaten later", rest, Candidate(self.candidates, False, True)),
        ]

    def payoff(self, state: Candidate) -> int:
        return int(state.best)


@dataclass(frozen=True)
class Hog(Game[int, int]):
    """Choose how many dice to roll at once; a 1 among them and the turn scores nothing. Alone; a turn costs 1."""

    target: int = 100
    dice: int = 30

    def start(self) -> int:
        return 0

    def actions(self, state: int) -> Sequence[int]:
        return range(1, self.dice + 1) if state < self.target else ()

    def step(self, state: int, action: int) -> Any:
        """The total of dice that show 2 to 6 is the total of dice that show 1 to 5, and one more for each."""
        lottery = [("a 1", 6**action - 5**action, state)]
        for total, weight in total_of(action, die(5)):
            lottery.append((str(total + action), weight, min(self.target, state + total + action)))
        return lottery

    def payoff(self, state: int) -> int:
        return 0

    def reward(self, state: int, action: int, outcome: Hashable) -> int:
        return -1
