"""From rules to a Graph: every position that play can reach, once.

Positions are taken first come, first served, from the roots on; rotated twins are kept once (`as_first`), finished
games are merged by what they pay, equal lotteries are shared. Whatever is wrong with the rules is reported with the
state and the action at fault.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction
from itertools import islice
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

MOST_ACTIONS, MOST_OUTCOMES = 1_000_000, 10_000_000
"""More than this in one state is a list without an end."""

TWINS_CHECKED = 100
"""Rotated twins that are held against each other in everything, not only in their actions."""

LOOKS = 20_000
"""States and edges after which the size is looked at, and progress shown."""

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
    """Rules are first taken at their word, which is quick. Where that fails, the state is looked at once more with a
    watchful eye, which finds the words for what is wrong."""

    def __init__(self, game: Game[Any, Any], limit: int) -> None:
        self.game, self.limit = game, limit
        self.players = player_count(game)
        self.pays_on_the_way = type(game).reward is not Game.reward
        self.rotates = type(game).as_first is not Game.as_first
        self.places: dict[Hashable, int] = {}
        """Of every position seen, its node * players + whose turn it is. Nodes of unfinished ones are 0, 1, 2 ..., of
        ends -1, -2, -3 ..."""
        self.states: list[Hashable] = []
        self.options: list[Sequence[Hashable]] = []  # the actions of each state
        self.ends: dict[tuple[Number, ...], int] = {}
        self.lotteries: dict[tuple[Any, ...], int] = {}
        self.lottery: list[int] = []
        self.target: list[int] = []
        self.shift: list[int] = []
        self.weight: list[int] = []
        self.chance: list[float] = []
        self.reward: list[tuple[Number, ...]] = []
        self.first_edge = [0]
        self.twins = 0

    def run(self, roots: Iterable[Any], progress: Progress | None) -> Graph:
        for root in roots:
            self.place(root)
        done, looked_at = 0, 0
        while done < len(self.states):
            state, edges = self.states[done], len(self.target)
            turn = turn_of(self.game, state)
            for action in self.options[done]:
                self.lottery.append(self.lottery_of(state, turn, action))
            done += 1
            looked_at += 1 + len(self.target) - edges
            if looked_at >= LOOKS:
                looked_at = 0
                self.check_size(progress, done)
        return self.graph()

    def check_size(self, progress: Progress | None, done: int) -> None:
        spec, count = self.game.spec, len(self.states)
        if (left := available()) is not None and left < MEMORY_LEFT:
            raise LimitError(
                f"{spec} does not fit the memory: {count:,} states so far, and there are more; "
                "choose smaller parameters, or give it a kernel"
            )
        if progress is not None:
            progress(0.5 * done / count, f"exploring, {count:,} states")

    def place(self, state: Any) -> int:
        """The node of a position and whose turn it is, in one number; known or new."""
        game, players = self.game, self.players
        try:
            known = self.places.get(state)
        except TypeError:
            raise RulesError(
                f"{game.name}: state {state!r:.120} cannot be hashed; use tuples and frozen dataclasses, "
                "not lists or dicts"
            ) from None
        if known is not None:
            return known
        turn = turn_of(game, state)
        if self.rotates:
            first = call(game, game.as_first, state, state=state)
            if first != state:
                self.twins += 1
                if fault := rotation_fault(game, state, first, thorough=self.twins <= TWINS_CHECKED):
                    raise RulesError(fault)
                self.places[state] = known = self.place(first) + turn
                return known
        actions = action_list(game, state)
        if actions:
            node = len(self.states)
            if node >= self.limit:
                raise LimitError(
                    f"{game.spec} has more than {self.limit:,} states; choose smaller parameters, or give it a kernel"
                )
            self.states.append(state)
            self.options.append(actions)
        else:
            pay = pay_row(game, call(game, game.payoff, state, state=state), "payoff", state=state)
            node = -1 - self.ends.setdefault(rotated(pay, turn), len(self.ends))
        self.places[state] = node * players + turn
        return node * players + turn

    def lottery_of(self, state: Any, turn: int, action: Any) -> int:
        """The index of the lottery that an action starts, shared with its equals."""
        merged: dict[Any, int] = {}
        places, place, reward = self.places, self.place, self.game.reward
        try:
            for outcome, weight, to in self.game.step(state, action):
                where_to: Any = places.get(to)
                if where_to is None:
                    where_to = place(to)
                if type(weight) is not int or weight <= 0:
                    raise TypeError
                if self.pays_on_the_way:
                    pay = reward(state, action, outcome)
                    where_to = (where_to, pay)
                merged[where_to] = merged.get(where_to, 0) + weight
                if len(merged) > MOST_OUTCOMES:
                    raise LimitError(
                        f"{self.game.name}: step lists more than {MOST_OUTCOMES:,} outcomes {where(state, action)}"
                    )
            if not merged:
                raise ValueError
        except DicewiseError:
            raise
        except Exception:
            merged = self.watched(state, action)
        key = (turn, tuple(merged), tuple(merged.values()))
        found = self.lotteries.get(key)
        if found is None:
            found = self.lotteries[key] = len(self.first_edge) - 1
            self.keep(state, turn, action, merged)
        return found

    def watched(self, state: Any, action: Any) -> dict[Any, int]:
        """The merged outcomes of an action, or an error that says what is wrong with them."""
        merged: dict[Any, int] = {}
        for outcome, weight, to in outcomes_of(self.game, state, action):
            where_to: Any = self.place(to)
            if self.pays_on_the_way:
                pay = call(self.game, self.game.reward, state, action, outcome, state=state, action=action)
                try:
                    hash(pay)
                except TypeError:  # a list of pays, say
                    pay_row(self.game, pay, "reward", state=state, action=action)
                where_to = (where_to, pay)
            merged[where_to] = merged.get(where_to, 0) + weight
        return merged

    def keep(self, state: Any, turn: int, action: Any, merged: dict[Any, int]) -> None:
        """Add the edges of a new lottery."""
        players = self.players
        total = sum(merged.values())
        for where_to, weight in merged.items():
            if self.pays_on_the_way:
                where_to, pay = where_to
                row = pay_row(self.game, pay, "reward", state=state, action=action)
                self.reward.append(rotated(row, turn))
            node, to_turn = divmod(where_to, players)
            self.target.append(node)
            self.shift.append((turn - to_turn) % players)
            self.weight.append(weight)
            self.chance.append(weight / total)
        self.first_edge.append(len(self.target))

    def graph(self) -> Graph:
        count = len(self.states)
        targets = np.array(self.target, dtype=np.int64)
        self.places.clear()  # before more memory is taken
        return Graph(
            players=self.players,
            states=Listed(self.states),
            actions=[action for actions in self.options for action in actions],
            first_choice=np.concatenate([[0], np.cumsum([len(actions) for actions in self.options])]).astype(np.int64),
            lottery=np.array(self.lottery, dtype=np.int64),
            first_edge=np.array(self.first_edge, dtype=np.int64),
            target=np.where(targets < 0, count - 1 - targets, targets),
            shift=np.array(self.shift, dtype=np.int64),
            weight=self.weight,
            chance=np.array(self.chance),
            reward=_pays(self.reward, self.players) if self.pays_on_the_way else None,
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
    if not isinstance(actions, Iterable):
        raise RulesError(
            f"{game.name}: actions returned {actions!r}; return a tuple of actions, "
            f"() when the game is over {where(state)}"
        )
    listed = _listed(game, "actions", actions, MOST_ACTIONS, state)
    if len(listed) > MOST_ACTIONS:
        raise LimitError(f"{game.name}: actions lists more than {MOST_ACTIONS:,} {where(state)}")
    return listed


def _listed(game: Game[Any, Any], rule: str, items: Iterable[T], most: int, state: Any, action: Any = None) -> list[T]:
    """What a rule has returned, which may be made only now, and may have no end."""
    try:
        return list(islice(items, most + 1))
    except (DicewiseError, MemoryError):
        raise
    except Exception as error:
        raise RulesError(
            f"{game.name}: {rule} raised {type(error).__name__}: {error} {where(state, action)}"
        ) from error


def outcomes_of(game: Game[Any, Any], state: Any, action: Any) -> list[tuple[Hashable, int, Any]]:
    """The lottery of an action, with its weights checked."""
    lottery = call(game, game.step, state, action, state=state, action=action)
    triples = (
        _listed(game, "step", lottery, MOST_OUTCOMES, state, action) if isinstance(lottery, Iterable) else [lottery]
    )
    if len(triples) > MOST_OUTCOMES:
        raise LimitError(f"{game.name}: step lists more than {MOST_OUTCOMES:,} outcomes {where(state, action)}")
    found = []
    for triple in triples:
        try:
            outcome, weight, to = triple
            found.append((outcome, as_int(weight), to))
        except (TypeError, ValueError):
            raise RulesError(
                f"{game.name}: step must return (outcome, whole weight, next state) triples, got {triple!r:.120} "
                f"{where(state, action)}"
            ) from None
        if weight <= 0:
            raise RulesError(
                f"{game.name}: outcome {outcome!r} has weight {weight}; weights are positive {where(state, action)}"
            )
        try:
            hash(to)
        except Exception:
            raise RulesError(
                f"{game.name}: state {to!r:.120} cannot be hashed; use tuples and frozen dataclasses, not lists or "
                f"dicts {where(state, action)}"
            ) from None
    if not found:
        raise RulesError(f"{game.name}: step returned no outcome {where(state, action)}")
    return found


def rotation_fault(game: Game[Any, Any], state: Any, first: Any, *, thorough: bool = True) -> str | None:
    """What is wrong with `first` as the same position with the mover as player 0; None if nothing is."""
    if call(game, game.as_first, first, state=first) != first:
        return f"{game.name}: as_first changes its own result {where(state)}"
    if turn_of(game, first) != 0:
        return f"{game.name}: as_first must make the mover player 0 {where(state)}"
    actions = action_list(game, state)
    if action_list(game, first) != actions:
        return f"{game.name}: as_first changes the actions {where(state)}"
    turn = turn_of(game, state)
    if not actions:
        pays = [pay_row(game, call(game, game.payoff, at, state=at), "payoff", state=at) for at in (state, first)]
        return None if rotated(pays[0], turn) == pays[1] else f"{game.name}: as_first changes the payoff {where(state)}"
    for action in actions if thorough else ():
        here, there = outcomes_of(game, state, action), outcomes_of(game, first, action)
        if [edge[:2] for edge in here] != [edge[:2] for edge in there]:
            return f"{game.name}: as_first changes what may happen {where(state, action)}"
        for (outcome, _, to), (_, _, twin) in zip(here, there, strict=True):
            follows = [call(game, game.as_first, at, state=at) for at in (to, twin)]
            if follows[0] != follows[1] or (turn_of(game, to) - turn) % game.players != turn_of(game, twin):
                return f"{game.name}: as_first leads to another position {where(state, action)}"
            paid = [
                pay_row(game, call(game, game.reward, at, action, outcome, state=at, action=action), "reward", state=at)
                for at in (state, first)
            ]
            if rotated(paid[0], turn) != paid[1]:
                return f"{game.name}: as_first changes the reward {where(state, action)}"
    return None


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
