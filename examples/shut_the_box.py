"""Shut the Box: roll two dice, fold down tiles that add up to the total, try to fold them all.

Some play that one die is rolled once the tiles that stand add up to 6 or less: --one-die 6.

Solve it:  dicewise solve examples/shut_the_box.py:ShutTheBox
Advice:    dicewise advise examples/shut_the_box.py:ShutTheBox --tiles 9
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

from dicewise import Game, sure, total_of


class Box(NamedTuple):
    up: tuple[int, ...]
    """Tiles that still stand."""
    total: int = 0
    """What the dice show; 0 before the roll, -1 when nothing could be folded."""


@dataclass(frozen=True)
class ShutTheBox(Game[Box, tuple[int, ...]]):
    """The chance to shut the box: a payoff of 1 if no tile is left standing, else 0."""

    tiles: int = 9
    dice: int = 2
    one_die: int = field(default=0, kw_only=True, metadata={"help": "roll one die if the rest adds up to this or less"})

    def start(self) -> Box:
        return Box(tuple(range(1, self.tiles + 1)))

    def actions(self, state: Box) -> Sequence[tuple[int, ...]]:
        if not state.up or state.total < 0:
            return ()
        if state.total == 0:
            return ((),)  # nothing to choose: roll
        sizes = range(1, len(state.up) + 1)
        return [fold for size in sizes for fold in combinations(state.up, size) if sum(fold) == state.total]

    def step(self, state: Box, action: tuple[int, ...]) -> Sequence[tuple[Hashable, int, Box]]:
        if state.total:
            return sure(Box(tuple(tile for tile in state.up if tile not in action)))
        dice = 1 if sum(state.up) <= self.one_die else self.dice
        rolled = [(total, weight, Box(state.up, total)) for total, weight in total_of(dice, 6)]
        return [(total, weight, box if self.actions(box) else Box(box.up, -1)) for total, weight, box in rolled]

    def payoff(self, state: Box) -> int:
        return 0 if state.up else 1

    def label(self, move: Hashable) -> str:
        return super().label(move) if move else "roll"
