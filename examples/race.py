"""The Race: one player tosses a coin for one point, the other chooses how many coins to risk for many.

Player 1 tosses one coin: heads scores 1. Player 2 chooses a number of coins, T: if all of them show heads, they score
2^(T-1), otherwise nothing. They take turns, player 1 begins, and the first to reach the target wins.

This is Problem 232 of Project Euler: with a target of 100, player 2 wins with a chance of 0.83648556.

Solve it:  dicewise solve examples/race.py:Race
Advice:    dicewise advise examples/race.py:Race 90 60 1
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dicewise import Game


class Score(NamedTuple):
    first: int = 0
    second: int = 0
    turn: int = 0
    """Who is to move: 0 is player 1, 1 is player 2."""


@dataclass(frozen=True)
class Race(Game[Score, int]):
    """The payoff is 1 for the winner and 0 for the other, so that a value is a chance to win."""

    target: int = 100
    players = 2

    def start(self) -> Score:
        return Score()

    def turn(self, state: Score) -> int:
        return state.turn

    def actions(self, state: Score) -> Sequence[int]:
        if max(state.first, state.second) >= self.target:
            return ()
        if state.turn == 0:
            return (1,)
        missing = self.target - state.second
        return range(1, (missing - 1).bit_length() + 2)  # the last of these reaches the target, more would not help

    def step(self, state: Score, action: int) -> Sequence[tuple[Hashable, int, Score]]:
        first, second, turn = state
        points = 2 ** (action - 1)
        ahead = Score(first, second + points, 0) if turn else Score(first + points, second, 1)
        return [("all heads", 1, ahead), ("a tail", 2**action - 1, Score(first, second, 1 - turn))]

    def payoff(self, state: Score) -> tuple[int, int]:
        return (1, 0) if state.first >= self.target else (0, 1)
