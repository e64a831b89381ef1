"""Graph: a game as frozen arrays, states -> choices -> lotteries -> nodes. Data only.

Nodes are the unfinished states 0 .. n-1, followed by the ends n, n+1, ... (finished states, merged by what they pay).
State i has the choices `first_choice[i] : first_choice[i+1]`; choice c leads to the lottery `lottery[c]`; lottery l
has the edges `first_edge[l] : first_edge[l+1]`. Equal lotteries are kept once.

All pays are seen by the mover: entry j belongs to the j-th player from the mover on. An edge with `shift` d leads to a
node whose own entry j + d (modulo the players) belongs to the same person as entry j here.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Numbering(Sequence[Any]):
    """The unfinished states of a game by number. A game that builds its own arrays may work its states out from their
    numbers, and the numbers from the states, instead of keeping millions of them."""

    @abstractmethod
    def find(self, state: Any) -> int | None:
        """The number of a state, as `as_first` gives it; None for one that is not among them."""


class Listed(Numbering):
    """States kept in a list, and their numbers in a dict."""

    def __init__(self, states: Sequence[Hashable], numbers: Mapping[Hashable, int] | None = None) -> None:
        """`numbers`, where they are known already, may also hold other states with numbers below 0."""
        self._states = states
        self._numbers = {state: number for number, state in enumerate(states)} if numbers is None else numbers

    def __len__(self) -> int:
        return len(self._states)

    def __getitem__(self, number: Any) -> Any:
        return self._states[number]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._states)

    def find(self, state: Any) -> int | None:
        number = self._numbers.get(state, -1)
        return number if number >= 0 else None


@dataclass(frozen=True, eq=False)
class Graph:
    players: int
    states: Numbering
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


def spans(start: NDArray[np.int64], stop: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """All numbers start[i] .. stop[i]-1 one after the other, and the i that each comes from."""
    lengths = stop - start
    of = np.repeat(np.arange(len(lengths)), lengths)
    begin = np.cumsum(lengths) - lengths
    return np.arange(len(of)) - begin[of] + start[of], of
