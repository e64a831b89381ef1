"""check_game: what an author runs on new rules, before anything is solved.

It walks through the positions that play can reach, up to a limit, and holds the rules against the contract of `Game`:
the mistakes that would stop a solver, and those that would silently spoil its answer (an `as_first` that changes the
game, two positions with one text, a field that hides an option of the command line).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from dicewise.engine.explore import (
    action_list,
    call,
    outcomes_of,
    pay_row,
    player_count,
    rotation_fault,
    start_of,
    turn_of,
    where,
)
from dicewise.errors import DicewiseError, RulesError
from dicewise.game import Game, Progress
from dicewise.spec import parameters

STATES_CHECKED, TRANSITIONS_PER_STATE = 5000, 100
"""How many states are looked at, and how many transitions in all for each of them."""

TAKEN = frozenset(
    {"against", "all", "debug", "dpi", "exact", "first", "format", "from", "games", "gamma", "help", "json", "limit"}
    | {"no_exact", "no_record", "no_store", "output", "policies", "quiet", "resume", "rolls", "seed", "store", "theta"}
    | {"trace", "tutor", "version", "view"}
)
"""Options of commands, which a field of a game may not be named after."""


@dataclasses.dataclass(frozen=True)
class CheckReport:
    """What was found."""

    game: str
    states: int
    """Unfinished positions that were looked at."""
    complete: bool
    """Whether these are all that can be reached."""
    ends: int
    transitions: int
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        return not self.problems


def check_game(game: Game[Any, Any], *, limit: int = STATES_CHECKED, progress: Progress | None = None) -> CheckReport:
    """Hold a game's rules against the contract, in up to `limit` states; the report lists every kind of problem
    once."""
    return _Check(game, limit).run(progress)


class _Check:
    def __init__(self, game: Game[Any, Any], limit: int) -> None:
        self.game, self.limit = game, limit
        self.problems: dict[str, str] = {}  # kind -> the first case of it
        self.texts: dict[str, Any] = {}
        self.transitions = 0

    def problem(self, kind: str, message: str) -> None:
        self.problems.setdefault(kind, message)

    def guarded(self, kind: str, check: Callable[..., Any], *args: Any) -> Any:
        """The result of a check, or None after noting what it raised."""
        try:
            return check(*args)
        except DicewiseError as error:
            self.problem(kind, str(error))
        except Exception as error:
            self.problem(kind, f"{self.game.name}: {kind} raised {type(error).__name__}: {error}")
        return None

    def run(self, progress: Progress | None) -> CheckReport:
        game = self.game
        self.guarded("fields", self.check_fields)
        self.guarded("players", player_count, game)
        start = self.guarded("start", start_of, game)
        states: list[Any] = []
        seen: set[Any] = set()
        ends: set[Any] = set()
        if not self.problems:
            self.guarded("start", self.visit, start, seen, states, ends)
        done = 0
        while done < min(len(states), self.limit) and self.transitions < TRANSITIONS_PER_STATE * self.limit:
            self.guarded("step", self.check_state, states[done], seen, states, ends)
            done += 1
            if progress is not None and done % 256 == 0:
                progress(done / self.limit, "checking")
        if not ends and not self.problems and done == len(states):
            self.problem("end", f"{game.name}: no position is final; actions must return () where the game is over")
        return CheckReport(
            game.spec, done, done == len(states), len(ends), self.transitions, tuple(self.problems.values())
        )

    def check_fields(self) -> None:
        game = self.game
        if not dataclasses.is_dataclass(game) or not type(game).__dataclass_params__.frozen:
            self.problem(
                "frozen",
                f"{game.name}: the class is not a frozen dataclass; write @dataclass(frozen=True) above it",
            )
        for parameter in parameters(type(game)):
            if parameter.name in TAKEN:
                self.problem(
                    "option",
                    f"{game.name}: field {parameter.name!r} is also an option of a command; give it another name",
                )
        hash(game)

    def visit(self, state: Any, seen: set[Any], states: list[Any], ends: set[Any]) -> None:
        """Note a position that play leads to."""
        try:
            if state in seen:
                return
            seen.add(state)
        except TypeError:
            raise RulesError(
                f"{self.game.name}: state {state!r:.120} cannot be hashed; "
                "use tuples and frozen dataclasses, not lists or dicts"
            ) from None
        if action_list(self.game, state):
            states.append(state)
            return
        ends.add(state)
        turn_of(self.game, state)
        pay_row(self.game, call(self.game, self.game.payoff, state, state=state), "payoff", state=state)

    def check_state(self, state: Any, seen: set[Any], states: list[Any], ends: set[Any]) -> None:
        game = self.game
        turn_of(game, state)
        actions = action_list(game, state)
        if len(set(actions)) != len(actions):
            self.problem("actions", f"{game.name}: actions lists one twice {where(state)}")
        labels = [game.label(action) for action in actions]
        if len(actions) > 1 and len(set(labels)) != len(labels):
            self.problem("label", f"{game.name}: two actions have the same label {where(state)}")
        for action, label in zip(actions, labels, strict=True):
            lottery = outcomes_of(game, state, action)
            self.transitions += len(lottery)
            outcomes = [outcome for outcome, _, _ in lottery]
            if len(set(outcomes)) != len(outcomes):
                self.problem("outcomes", f"{game.name}: step lists an outcome twice {where(state, action)}")
            if len(actions) > 1 and game.read_action(label, state) != action:
                self.problem("read_action", f"{game.name}: read_action({label!r}) is not {action!r} {where(state)}")
            for outcome, _, to in lottery:
                pay = call(game, game.reward, state, action, outcome, state=state, action=action)
                pay_row(game, pay, "reward", state=state, action=action)
                self.visit(to, seen, states, ends)
        self.guarded("as_first", self.check_rotation, state)
        self.guarded("text", self.check_words, state)

    def check_rotation(self, state: Any) -> None:
        """The rotated twin must be the same game, seen from another seat."""
        first = call(self.game, self.game.as_first, state, state=state)
        if first != state and (fault := rotation_fault(self.game, state, first)) is not None:
            self.problem("as_first", fault)

    def check_words(self, state: Any) -> None:
        game = self.game
        first = game.as_first(state)
        text = game.text(state)
        if not isinstance(text, str) or not text.strip() or "\n" in text:
            self.problem("text", f"{game.name}: text is {text!r}; it must be one line of words {where(state)}")
            return
        if self.texts.setdefault(text, first) != first:
            self.problem("text twice", f"{game.name}: two positions have the text {text!r} {where(state)}")
        if game.parse(text) != first:
            self.problem("parse", f"{game.name}: parse({text!r}) is not the position it came from {where(state)}")
