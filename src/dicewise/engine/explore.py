"""From rules to a Graph: every position that play can reach, once.

Positions are taken first come, first served, from the roots on; rotated twins are kept once (`as_first`), finished
games are merged by what they pay, equal lotteries are shared. Whatever is wrong with the rules is reported with the
state and the action at fault.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicewise.engine.reading import (
    MOST_OUTCOMES,
    action_list,
    call,
    fault,
    hash_moves,
    hashed,
    listed,
    outcomes_of,
    pay_row,
    payoff_of,
    player_count,
    rotated,
    rotation_fault,
    same,
    spec_in_words,
    start_of,
    turn_of,
    unsteady,
)
from dicewise.errors import LimitError, RulesError, raised
from dicewise.game import A, Game, Number, Progress, S
from dicewise.graph import Graph, Listed
from dicewise.memory import available

STATE_LIMIT = 20_000_000
"""More states than this are refused; at 0.4 to 2 kB each they would not fit an ordinary machine."""

MEMORY_LEFT = 1 << 29
"""Bytes of memory that exploring leaves to others."""

TWINS_CHECKED = 100
"""Rotated twins that are held against each other in everything, not only in their actions."""

STEADY_CHECKED = 4
"""States in which the rules are asked everything twice."""

COUNTED_LIMIT = 200_000
"""More states than this are refused at once where the rules can say how many there are: rules that can are those of
games with a solver of their own, and slow."""

LOOKS, PAUSE = 20_000, 0.2
"""The size is looked at, and progress shown, after so many states and edges, or about so many seconds: states may be
large, and rules slow."""


def explore(
    game: Game[S, A],
    roots: Iterable[S] | None = None,
    *,
    limit: int = STATE_LIMIT,
    progress: Progress | None = None,
) -> Graph:
    """The graph of all positions that can be reached from the roots (by default from the start)."""
    first = [start_of(game)] if roots is None else list(roots)
    check_count(game, first)
    return Explorer(game, limit).run(first, progress)


def check_count(game: Game[S, Any], roots: Iterable[S]) -> None:
    """Refuse what would take hours, where the rules can say so."""
    for root in roots:
        count = game.count_states(root)
        if count is not None and count > COUNTED_LIMIT:
            raise LimitError(
                f"{spec_in_words(game)} has about {count:,} positions from here on, too many to go through one by one "
                f"(up to {COUNTED_LIMIT:,}), which exact arithmetic, policies and plain rules have to do; choose "
                "smaller parameters, or a later position"
            )


class Explorer:
    """Rules are first taken at their word, which is quick. Where that fails, the state is looked at once more with a
    watchful eye, which finds the words for what is wrong."""

    def __init__(self, game: Game[Any, Any], limit: int = STATE_LIMIT, *, checked: bool = False) -> None:
        """`checked`: somebody has held the rules against each other already."""
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
        self.nothing: tuple[Number, ...] = (0,) * self.players
        self.checked = checked
        self.twins = TWINS_CHECKED if checked else 0
        self.steady = 0 if checked else STEADY_CHECKED
        self.done = 0  # states whose lotteries are known
        self.look_at = min(limit, LOOKS)

    def run(self, roots: Iterable[Any], progress: Progress | None) -> Graph:
        try:
            for root in roots:
                self.place(root)
            self.walk(progress)
            return self.graph()
        except MemoryError:
            refused = too_large(self.game, len(self.states))
        except LimitError as error:
            refused = LimitError(str(error))
        # what fills the memory must go, here and in the frames of the error, or there is no room for a message
        self.__dict__.clear()
        raise refused

    def walk(self, progress: Progress | None, most: float = float("inf")) -> None:
        """Find the lotteries of all states, or of some more until there are `most` edges."""
        looked_at = 0
        looks, started = 1, perf_counter()
        while self.done < len(self.states) and len(self.target) < most:
            state, edges = self.states[self.done], len(self.target)
            if self.done < self.steady and (wrong := unsteady(self.game, state)):
                raise wrong
            turn = turn_of(self.game, state)
            for action in self.options[self.done]:
                self.lottery.append(self.lottery_of(state, turn, action))
            self.done += 1
            looked_at += 1 + len(self.target) - edges
            if looked_at >= looks:
                if looked_at < LOOKS and perf_counter() < started + PAUSE:
                    looks = min(2 * looked_at, LOOKS)
                    continue
                self.check_size()
                if progress is not None:
                    progress(0.5 * self.done / len(self.states), f"exploring, {len(self.states):,} states")
                looks, looked_at, started = max(1, looked_at // 4), 0, perf_counter()

    def check_size(self) -> None:
        count = len(self.states)
        check_memory(self.game, count)
        try:
            repr(self.states[-1])
        except RecursionError:  # Python would crash when it hashes a tuple in a tuple in a tuple ...
            raise RulesError(f"{spec_in_words(self.game)}: states grow without end, one inside the other") from None
        except Exception:  # not nice, but nobody has asked yet
            pass
        self.look_at = min(self.limit, count + LOOKS)

    def place(self, state: Any) -> int:
        """The node of a position and whose turn it is, in one number; known or new."""
        game, players = self.game, self.players
        try:
            known = self.places.get(state)
        except Exception as error:
            hashed(game, state)
            raise fault(game, f"comparing states {raised(error)}", state) from error
        if known is not None:
            return known
        turn = turn_of(game, state)
        if self.rotates:
            first = call(game, game.as_first, state, state=state)
            if not same(game, first, state, "states", state):
                early = self.twins < TWINS_CHECKED
                # to check all of them would take longer than all the rest
                looked_at = early or self.checked or self.twins % 16 == 0
                if looked_at and (wrong := rotation_fault(game, state, first, thorough=early)):
                    raise wrong
                self.twins += 1
                place = self.place(first)
                if place % players:
                    raise fault(game, "as_first must make the mover player 0", state)
                self.places[state] = place + turn
                return place + turn
        actions = action_list(game, state)
        if actions:
            node = len(self.states)
            if node >= self.look_at:  # one lottery may lead to very many states
                if node >= self.limit:
                    raise LimitError(
                        f"{spec_in_words(game)} has more than {self.limit:,} states; choose smaller parameters, or "
                        "give it a kernel"
                    )
                self.check_size()
            hash_moves(game, actions, "actions", state)
            self.states.append(state)
            self.options.append(actions)
        else:
            node = -1 - self.ends.setdefault(rotated(payoff_of(game, state), turn), len(self.ends))
        self.places[state] = node * players + turn
        return node * players + turn

    def lottery_of(self, state: Any, turn: int, action: Any) -> int:
        """The index of the lottery that an action starts, shared with its equals."""
        merged: dict[Any, int] = {}
        places, place, reward, pays = self.places, self.place, self.game.reward, self.pays_on_the_way
        try:
            lottery = self.game.step(state, action)
            if type(lottery) is not list:  # it may be made only now, and have no end
                lottery = listed(self.game, "step", lottery, MOST_OUTCOMES, state, action)
            for outcome, weight, to in lottery:
                where_to: Any = places.get(to)
                if where_to is None:
                    where_to = place(to)
                if type(weight) is not int or weight <= 0:
                    raise TypeError
                if pays:
                    pay = reward(state, action, outcome)
                    if pay != 0:
                        where_to = (where_to, pay)
                merged[where_to] = merged.get(where_to, 0) + weight
            if not merged:
                raise ValueError
        except KeyboardInterrupt:
            raise
        except BaseException:
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
                if not (isinstance(pay, int | float | Fraction) and pay == 0):
                    where_to = (where_to, pay)
            merged[where_to] = merged.get(where_to, 0) + weight
        return merged

    def keep(self, state: Any, turn: int, action: Any, merged: dict[Any, int]) -> None:
        """Add the edges of a new lottery."""
        players = self.players
        total = sum(merged.values())
        for where_to, weight in merged.items():
            if self.pays_on_the_way:
                row = self.nothing
                if type(where_to) is tuple:
                    where_to, pay = where_to
                    row = rotated(pay_row(self.game, pay, "reward", state=state, action=action), turn)
                self.reward.append(row)
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
            reward=pay_table(self.reward, self.players) if self.pays_on_the_way else None,
            ends=pay_table(list(self.ends), self.players),
        )


def check_memory(game: Game[Any, Any], count: int) -> None:
    if (left := available()) is not None and left < MEMORY_LEFT:
        raise too_large(game, count)


def too_large(game: Game[Any, Any], count: int) -> LimitError:
    return LimitError(
        f"{spec_in_words(game)} does not fit the memory: {count:,} states so far, and there are more; "
        "choose smaller parameters, or give it a kernel"
    )


def pay_table(rows: list[Any], players: int) -> NDArray[Any]:
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
