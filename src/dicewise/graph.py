"""Graph: a game as frozen arrays, states -> choices -> lotteries -> nodes. Data only.

Nodes are the unfinished states 0 .. n-1, followed by the ends n, n+1, ... (finished states, merged by what they pay).
State i has the choices `first_choice[i] : first_choice[i+1]`; choice c leads to the lottery `lottery[c]`; lottery l
has the edges `first_edge[l] : first_edge[l+1]`. Equal lotteries are kept once.

All pays are seen by the mover: entry j belongs to the j-th player from the mover on. An edge with `shift` d leads to a
node whose own entry j + d (modulo the players) belongs to the same person as entry j here.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Graph:
    players: int
    states: Sequence[Hashable]
    """The unfinished states; the first is where exploring began."""
    actions: Sequence[Hashable]
    """One per choice."""
    first_choice: NDArray[np.int64]
    lottery: NDArray[np.int64]
    first_edge: NDArray[np.int64]
    target: NDArray[np.int64]
    shift: NDArray[np.int64]
    weight: Sequence[int] | NDArray[Any]
    """Positive integers of any size."""
    chance: NDArray[np.float64]
    """`weight` over the sum of its lottery."""
    reward: NDArray[Any] | None
    """One row per edge, one column per player; None where nothing is paid on the way."""
    ends: NDArray[Any]
    """One row per end, one column per player."""

    def __post_init__(self) -> None:
        for array in (
            self.first_choice,
            self.lottery,
            self.first_edge,
            self.target,
            self.shift,
            self.chance,
            self.ends,
        ):
            array.setflags(write=False)

    @property
    def scale(self) -> float:
        """The largest amount that is paid anywhere."""
        largest = [abs(float(value)) for value in self.ends.flat]
        if self.reward is not None and self.reward.size:
            largest.append(float(np.abs(self.reward.astype(float)).max()))
        return max(largest, default=0.0)
