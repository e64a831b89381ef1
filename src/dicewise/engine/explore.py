"""From rules to a Graph: every position that play can reach, once.

Positions are taken first come, first served, from the roots on; rotated twins are kept once (`as_first`), finished
games are merged by what they pay, equal lotteries are shared. Whatever is wrong with the rules is reported with the
state and the action at fault.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction
from operator import index as as_int
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from dicewise.errors import DicewiseError, LimitError, RulesError
from dicewise.game import A, Game, Number, Pay, Progress, S, pay_each
from dicewise.graph import Graph, Listed
from dicewise.memory import available

STATE_LIMIT = 20_000_000
"""More states than this are refused; at 0.4 to 2 kB each they would not fit an ordinary machine."""

MEMORY_LEFT = 1 << 29
"""Bytes of memory that exploring leaves to others."""

T = TypeVar("T")


def explore(
    game: Game[S, A],
    roots: Iterable[S] | None = None,
    *,
    limit: int = STATE_LIMIT,
    progress: Progress | None = None,
) -> Graph:
    """The graph of all positions that can be reached from the roots (by default from the start)."""
    return _Explorer(game, limit).run([start_of(game)] if roots is None else roots, progress)


class _Explorer:
    def __init__(self, game: Game[Any, Any], limit: int) -> None:
        self.game, self.limit = game, limit
        self.players = player_count(game)
        self.pays_on_the_way = type(game).reward is not Game.reward
        self.nodes: dict[Hashable, int] = {}  # unfinished: 0, 1, ...; ends: -1, -2, ...
        self.states: list[Hashable] = []
        self.options: list[list[Hashable]] = []  # the actions of each state
        self.ends: dict[tuple[Number, ...], int] = {}
        self.lotteries: dict[tuple[Any, ...], int] = {}
        self.lottery: list[int] = []
        self.edges: list[tuple[int, int, int, Any]] = []
        self.chances: list[float] = []
        self.first_edge = [0]

    def run(self, roots: Iterable[Any], progress: Progress | None) -> Graph:
        game = self.game
        for root in roots:
            self.node(root)
        done = 0
        while done < len(self.states):
            state = self.states[done]
            turn = self.turn(state)
            for action in self.options[done]:
                self.lottery.append(self.lottery_of(state, turn, action))
            done += 1
            if done % 4096 == 0 and (left := available()) is not None and left < MEMORY_LEFT:
                raise LimitError(
                    f"{game.spec} does not fit the memory: {len(self.states):,} states so far, and there are more; "
                    "choose smaller parameters, or give it a kernel"
                )
            if len(self.states) > self.limit:
                raise LimitError(
                    f"{game.spec} has more than {self.limit:,} states; choose smaller parameters, or give it a kernel"
                )
            if progress is not None and done % 4096 == 0:
                progress(0.5 * done / len(self.states), f"exploring, {len(self.states):,} states")
        return self.graph()

    def node(self, state: Any) -> int:
        """The node of a position, known or new."""
        game = self.game
        first = call(game, game.as_first, state, state=state)
        try:
            at = self.nodes.get(first)
        except TypeError:
            raise RulesError(
                f"{game.name}: state {first!r} cannot be hashed; use tuples and frozen dataclasses, not lists or dicts"
            ) from None
        if at is not None:
            return at
        actions = action_list(game, first)
        if actions:
            at = len(self.states)
            self.states.append(first)
            self.options.append(actions)
        else:
            pay = pay_row(game, call(game, game.payoff, first, state=first), "payoff", state=first)
            at = -1 - self.ends.setdefault(rotated(pay, self.turn(first)), len(self.ends))
        self.nodes[first] = at
        return at

    def turn(self, state: Any) -> int:
        return turn_of(self.game, state)

    def lottery_of(self, state: Any, turn: int, action: Any) -> int:
        """The index of the lottery that an action starts, shared with its equals."""
        game, players = self.game, self.players
        merged: dict[tuple[int, int, Any], int] = {}
        for outcome, weight, to in outcomes_of(game, state, action):
            pay = None
            if self.pays_on_the_way:
                given = call(game, game.reward, state, action, outcome, state=state, action=action)
                pay = rotated(pay_row(game, given, "reward", state=state, action=action), turn)
            edge = (self.node(to), (turn - self.turn(to)) % players, pay)
            merged[edge] = merged.get(edge, 0) + weight
        key = tuple(merged.items())
        found = self.lotteries.get(key)
        if found is None:
            found = self.lotteries[key] = len(self.first_edge) - 1
            total = sum(merged.values())
            for (to_node, shift, pay), weight in merged.items():
                self.edges.append((to_node, shift, weight, pay))
                self.chances.append(weight / total)
            self.first_edge.append(len(self.edges))
        return found

    def graph(self) -> Graph:
        count = len(self.states)
        targets = np.array([edge[0] for edge in self.edges], dtype=np.int64)
        return Graph(
            players=self.players,
            states=Listed(self.states, self.nodes),
            actions=[action for actions in self.options for action in actions],
            first_choice=np.concatenate([[0], np.cumsum([len(actions) for actions in self.options])]).astype(np.int64),
            lottery=np.array(self.lottery, dtype=np.int64),
            first_edge=np.array(self.first_edge, dtype=np.int64),
            target=np.where(targets < 0, count - 1 - targets, targets),
            shift=np.array([edge[1] for edge in self.edges], dtype=np.int64),
            weight=[edge[2] for edge in self.edges],
            chance=np.array(self.chances),
            reward=_pays([edge[3] for edge in self.edges], self.players) if self.pays_on_the_way else None,
            ends=_pays(list(self.ends), self.players),
        )


# ---- reading the rules with a watchful eye; `check` uses the same eyes


def call(game: Game[Any, Any], rule: Callable[..., T], *args: Any, state: Any, action: Any = None) -> T:
    """What a rule answers; if it raises, the error says where."""
    try:
        return rule(*args)
    except (DicewiseError, MemoryError):
        raise
    except Exception as error:
        raise RulesError(
            f"{game.name}: {rule.__name__} raised {type(error).__name__}: {error} {where(state, action)}"
        ) from error


def where(state: Any, action: Any = None) -> str:
    """`(state ..., action ...)`, cut to a readable length."""

    def short(value: Any) -> str:
        text = repr(value)
        return text if len(text) <= 120 else text[:117] + "..."

    return f"(state {short(state)})" if action is None else f"(state {short(state)}, action {short(action)})"


def start_of(game: Game[Any, Any]) -> Any:
    return call(game, game.start, state=None)


def player_count(game: Game[Any, Any]) -> int:
    players = game.players
    if not isinstance(players, int) or isinstance(players, bool) or players < 1:
        raise RulesError(f"{game.name}: players is {players!r}; it must be a whole number from 1 up")
    return players


def turn_of(game: Game[Any, Any], state: Any) -> int:
    turn = call(game, game.turn, state, state=state)
    if not isinstance(turn, int) or not 0 <= turn < game.players:
        raise RulesError(f"{game.name}: turn is {turn!r}, allowed are 0 to {game.players - 1} {where(state)}")
    return turn


def action_list(game: Game[Any, Any], state: Any) -> list[Any]:
    actions = call(game, game.actions, state, state=state)
    try:
        return list(actions)
    except TypeError:
        raise RulesError(
            f"{game.name}: actions returned {actions!r}; return a tuple of actions, "
            f"() when the game is over {where(state)}"
        ) from None


def outcomes_of(game: Game[Any, Any], state: Any, action: Any) -> list[tuple[Hashable, int, Any]]:
    """The lottery of an action, with its weights checked."""
    lottery = call(game, game.step, state, action, state=state, action=action)
    found = []
    try:
        for outcome, weight, to in lottery:
            found.append((outcome, as_int(weight), to))
    except (TypeError, ValueError):
        raise RulesError(
            f"{game.name}: step must return (outcome, whole weight, next state) triples, got {lottery!r:.120} "
            f"{where(state, action)}"
        ) from None
    if not found:
        raise RulesError(f"{game.name}: step returned no outcome {where(state, action)}")
    for outcome, weight, _ in found:
        if weight <= 0:
            raise RulesError(
                f"{game.name}: outcome {outcome!r} has weight {weight}; weights are positive {where(state, action)}"
            )
    return found


def pay_row(game: Game[Any, Any], pay: Pay, what: str, *, state: Any, action: Any = None) -> tuple[Number, ...]:
    """A pay with one number per player."""
    row = pay_each(pay, game.players)
    if len(row) != game.players:
        raise RulesError(
            f"{game.name}: {what} {pay!r} has {len(row)} entries for {game.players} players {where(state, action)}"
        )
    for number in row:
        if not isinstance(number, int | float | Fraction):
            raise RulesError(f"{game.name}: {what} {pay!r} is not a number {where(state, action)}")
        if isinstance(number, float) and not math.isfinite(number):
            raise RulesError(f"{game.name}: {what} {pay!r} is not finite {where(state, action)}")
    return row


def rotated(row: tuple[Number, ...], turn: int) -> tuple[Number, ...]:
    """A pay per player as the mover sees it: entry j belongs to the j-th player from the mover on."""
    return row[turn:] + row[:turn]


def _pays(rows: list[Any], players: int) -> NDArray[Any]:
    """Rows of pays, in floats only where they were floats, so that exact arithmetic can still use them."""
    numbers = [number for row in rows for number in row]
    if all(isinstance(number, int) and abs(number) < 2**62 for number in numbers):
        kind: Any = np.int64
    elif any(isinstance(number, Fraction | int) for number in numbers):
        kind = object
    else:
        kind = np.float64
    table = np.empty((len(rows), players), dtype=kind)
    for at, row in enumerate(rows):
        table[at] = row
    return table
