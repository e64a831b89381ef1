"""What a solver will meet, told from the positions that `check` has looked at: cycles, positions without a way to an
end, whose interests are played for, time and memory.

Time is measured on the game itself. A game that was seen as a whole is explored and, if that needs no compiler,
solved; of a larger one a part is explored, and the states that are known of are reckoned in proportion.
"""

from __future__ import annotations

import random
import time
import tracemalloc
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dicewise.engine.components import strong_components
from dicewise.engine.explore import Explorer, pay_table
from dicewise.engine.reading import listed_in_words, spec_in_words, start_of
from dicewise.engine.solve import FEW_EDGES, interests_by_pays, solve_graph
from dicewise.errors import CyclicError, LimitError
from dicewise.game import Game, Number, Progress

PART, SAMPLE = 0.2, 1000
"""Seconds or states after which enough is known of a game's pace, and of its weight."""

BESIDES = 1.5
"""The most memory that solving takes, in units of the explored game."""


@dataclass
class Seen:
    """The positions that were looked at."""

    states: list[Any] = field(default_factory=list)
    ends: list[Any] = field(default_factory=list)
    numbers: dict[Any, int | None] = field(default_factory=dict)
    """Of every state its number, of ends None."""
    leads_to: list[set[int]] = field(default_factory=list)
    """The states that may follow a state ..."""
    can_end: list[bool] = field(default_factory=list)
    """... and whether an end may."""
    payoffs: set[tuple[Number, ...]] = field(default_factory=set)
    """What was seen to be paid at the end, from the mover on ..."""
    rewards: set[tuple[Number, ...]] = field(default_factory=set)
    """... and on the way."""
    done: int = 0
    transitions: int = 0

    @property
    def complete(self) -> bool:
        return self.done == len(self.states)


@dataclass(frozen=True)
class Outlook:
    """What a solver will meet."""

    interests: str
    """`one player`, `team`, `constant sum` or `each for itself`, as far as was seen; nothing if no end was."""
    cyclic: int
    """Positions that play can come back to, among those looked at."""
    comes_back: str
    """Some of them in words."""
    seconds: float
    """About the time that it takes to solve the game by its rules ..."""
    memory: int
    """... and the bytes ..."""
    known: int
    """... with so many states, twins counted once; there may be more if not all were looked at."""
    at_least: bool
    """Whether it may take more: not all states are known, or cycles are left to the solver."""
    refusal: str
    """Why there is no answer, where that is known already."""


def outlook_of(game: Game[Any, Any], seen: Seen, progress: Progress | None = None) -> Outlook:
    """All of it; the rules must be sound as far as they were seen."""
    cyclic = _cyclic(seen)
    refusal = _without_end(game, seen) if seen.complete else ""
    if progress is not None:
        progress(0.9, "measuring")
    explorer = Explorer(game, checked=True)
    _place(explorer, [start_of(game)] if seen.complete else _sample(seen))
    seconds = _walked(explorer, float("inf") if seen.complete else PART)
    solvable = seen.complete and not refusal and (not cyclic or len(explorer.target) <= FEW_EDGES)
    states = len(explorer.states)
    if solvable:
        started = time.perf_counter()
        try:
            solve_graph(game, explorer.graph())
        except (CyclicError, LimitError) as error:
            refusal = str(error)
        seconds += time.perf_counter() - started
    if not seen.complete:
        known = len(seen.states) // (game.players if explorer.rotates else 1)
        seconds *= max(states, known) / max(1, explorer.done)
        states = max(states, known)
    return Outlook(
        interests=_interests(game, seen),
        cyclic=len(cyclic),
        comes_back=listed_in_words(game, cyclic),
        seconds=seconds,
        memory=round(BESIDES * states * _bytes_per_state(game, seen)),
        known=states,
        at_least=not solvable,
        refusal=refusal,
    )


def _interests(game: Game[Any, Any], seen: Seen) -> str:
    if game.players > 1 and not seen.payoffs:
        return ""
    tables = (pay_table(list(rows), game.players) for rows in (seen.payoffs, seen.rewards))
    return interests_by_pays(game.players, *tables)


def _walked(explorer: Explorer, most: float) -> float:
    """Explore for so many seconds; returns how many it took."""
    started = time.perf_counter()
    while explorer.done < len(explorer.states) and time.perf_counter() < started + most:
        explorer.walk(None, len(explorer.target) + 50)
    return time.perf_counter() - started


def _sample(seen: Seen) -> list[Any]:
    """States from everywhere, as the first ones may be much larger than the others, or much smaller."""
    return random.Random(0).sample(seen.states[: seen.done], min(SAMPLE, seen.done))


def _place(explorer: Explorer, states: list[Any]) -> None:
    started = time.perf_counter()
    for state in states:
        explorer.place(state)
        if time.perf_counter() > started + PART:
            break


def _bytes_per_state(game: Game[Any, Any], seen: Seen) -> float:
    traced = tracemalloc.is_tracing()
    if not traced:
        tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    explorer = Explorer(game, checked=True)
    _place(explorer, _sample(seen))
    _walked(explorer, PART)
    weight = tracemalloc.get_traced_memory()[0] - before
    if not traced:
        tracemalloc.stop()
    return weight / max(1, len(explorer.states))


def _cyclic(seen: Seen) -> list[Any]:
    """The states that play can come back to, by way of states that were looked at."""
    first_edge, target = [0], list[int]()
    for leads_to in seen.leads_to:
        target.extend(to for to in leads_to if to < seen.done)
        first_edge.append(len(target))
    count = seen.done
    order, component = np.empty(count, np.int64), np.empty(count, np.int64)
    starts, cyclic = np.zeros(count + 1, np.int64), np.zeros(count, np.bool_)
    each = list(range(count + 1))
    strong_components(each, each, first_edge, target, order, starts, component, cyclic)
    return [seen.states[state] for state in np.flatnonzero(cyclic[component]).tolist()]


def _without_end(game: Game[Any, Any], seen: Seen) -> str:
    """The states from which no play leads to an end, in words; nothing if there are none."""
    before: list[list[int]] = [[] for _ in seen.states]
    for state, leads_to in enumerate(seen.leads_to):
        for to in leads_to:
            before[to].append(state)
    ending = [state for state, can_end in enumerate(seen.can_end) if can_end]
    known = set(ending)
    while ending:
        for state in before[ending.pop()]:
            if state not in known:
                known.add(state)
                ending.append(state)
    stuck = [state for number, state in enumerate(seen.states) if number not in known]
    if not stuck:
        return ""
    return (
        f"{spec_in_words(game)} cannot end from {listed_in_words(game, stuck)}: every play from there goes on for "
        "ever; give it a way to a position without actions"
    )
