"""check_game: what an author runs on new rules, before anything is solved.

It walks through the positions that play can reach, up to a limit, and holds the rules against the contract of `Game`:
the mistakes that would stop a solver, and those that would silently spoil its answer (an `as_first` that changes the
game, two positions with one text, a field that hides an option of the command line). What it has seen also tells
whether play can come back or never end, and how long solving will take (`outlook`).
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from time import perf_counter
from typing import Any

from dicewise.engine.explore import PAUSE, check_memory
from dicewise.engine.outlook import Outlook, Seen, outlook_of
from dicewise.engine.reading import (
    NOTHING,
    action_list,
    call,
    fault,
    hash_moves,
    hashed,
    outcomes_of,
    payoff_of,
    player_count,
    refusal,
    reward_of,
    rotated,
    rotation_fault,
    same,
    spec_in_words,
    start_of,
    turn_of,
    unsteady,
)
from dicewise.errors import DicewiseError, LimitError, on_one_line, shown
from dicewise.game import Game, Progress
from dicewise.spec import parameters

STATES_CHECKED, TRANSITIONS_PER_STATE = 5000, 100
"""How many states are looked at, and how many transitions in all for each of them."""

STEADY_CHECKED = 20
"""States in which the rules are asked everything twice."""

TAKEN = frozenset(
    {"against", "all", "debug", "dpi", "exact", "first", "format", "from", "games", "gamma", "help", "json", "limit"}
    | {
        "no_exact",
        "no_record",
        "no_store",
        "output",
        "plan",
        "policies",
        "quiet",
        "resume",
        "rolls",
        "seed",
        "store",
        "theta",
    }
    | {"trace", "tutor", "version", "view"}
    | {"at", "counts", "csv", "with"}
    | {"exact_up_to", "far", "leaves", "numbers", "tie_steps", "ties"}
    | {"fresh", "jobs", "of", "player", "table"}
    | {"aims", "targets"}
)
"""Options of commands, which a field of a game may not be named after."""

PARTS = ("as_first", "text", "parse", "label", "board", "graph", "kernel")
"""What a game may have, and need not."""


SOLVED_ALL_THE_SAME = frozenset(
    {"name", "frozen", "option", "field", "hash", "actions", "outcomes", "label", "read_action", "text", "text twice"}
    | {"parse"}
)
"""Problems that do not keep a game from being solved."""


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
    players: int | None = None
    parts: tuple[str, ...] = ()
    """Which of the optional parts the game has: as_first, text, parse, label, board, graph, kernel."""
    outlook: Outlook | None = None
    """What a solver will meet; None where the rules would stop it."""

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
        self.seen = Seen()
        self.limited = False  # out of memory, or a list without an end

    def guarded(self, kind: str, check: Callable[..., Any], *args: Any) -> Any:
        """The result of a check, or None after noting what it raised."""
        try:
            return check(*args)
        except DicewiseError as error:
            found = error
        except BaseException as error:
            found = refusal(self.game, kind, error)
        self.problems.setdefault(kind, str(found))
        self.limited = self.limited or isinstance(found, LimitError)
        return None

    def problem(self, kind: str, what: str, state: Any = NOTHING, action: Any = NOTHING) -> None:
        if kind not in self.problems:
            self.problems[kind] = str(fault(self.game, what, state, action))

    def run(self, progress: Progress | None) -> CheckReport:
        game, seen = self.game, self.seen
        spec = self.guarded("fields", spec_in_words, game)
        self.guarded("fields", self.check_fields)
        players = self.guarded("players", player_count, game)
        if players is not None:
            start = self.guarded("start", start_of, game)
            if "start" not in self.problems:
                self.guarded("start", self.visit, start)
        looked = perf_counter()
        while (
            seen.done < min(len(seen.states), self.limit)
            and seen.transitions < TRANSITIONS_PER_STATE * self.limit
            and not self.limited
        ):
            self.guarded("step", self.check_state, seen.states[seen.done])
            seen.done += 1
            if perf_counter() > looked + PAUSE:
                self.guarded("memory", check_memory, game, len(seen.states))
                if progress is not None:
                    progress(0.8 * seen.done / self.limit, "checking")
                looked = perf_counter()
        outlook, sound = None, not self.problems.keys() - SOLVED_ALL_THE_SAME
        if not seen.ends and sound and seen.complete:
            self.problem("end", "no position is final; actions must return () where the game is over")
        elif sound:
            outlook = self.guarded("solving", outlook_of, game, seen, progress)
        if outlook is not None and outlook.refusal:
            self.problems["solving"] = outlook.refusal
        parts = tuple(part for part in PARTS if getattr(type(game), part) is not getattr(Game, part))
        return CheckReport(
            spec or type(game).__name__,
            seen.done,
            seen.complete,
            len(seen.ends),
            seen.transitions,
            tuple(self.problems.values()),
            players,
            parts,
            outlook,
        )

    def check_fields(self) -> None:
        game, rules = self.game, type(self.game)
        if not isinstance(game.name, str) or not re.fullmatch(r"[\w.-]+", game.name):
            self.problem("name", f"name is {shown(game.name)}; it must be one word of letters, digits and dashes")
        if not dataclasses.is_dataclass(game) or not rules.__dataclass_params__.frozen:
            self.problem("frozen", "the class is not a frozen dataclass; write @dataclass(frozen=True) above it")
        elif "__dataclass_fields__" not in vars(rules) and vars(rules).get("__annotations__"):
            self.problem("frozen", "the class has fields of its own; write @dataclass(frozen=True) above it")
        for parameter in parameters(rules):
            if parameter.name in TAKEN:
                self.problem("option", f"field {parameter.name!r} is also an option of a command; give it another name")
            elif callable(getattr(Game, parameter.name, None)) or parameter.name in ("spec", "file_stem"):
                self.problem("field", f"field {parameter.name!r} hides what every game has; give it another name")
        try:
            hash(game)
        except Exception as error:
            self.problem("hash", f"its fields cannot be hashed ({error}); use tuples, not lists or dicts")

    def visit(self, state: Any) -> int | None:
        """The number of a position that play leads to; None for an end."""
        seen = self.seen
        try:
            known = seen.numbers.get(state, NOTHING)
        except BaseException as error:
            hashed(self.game, state)
            raise refusal(self.game, "comparing states", error, state) from error
        if known is not NOTHING:
            return None if known is None else int(known)
        seen.numbers[state] = None
        if action_list(self.game, state):
            seen.numbers[state] = number = len(seen.states)
            seen.states.append(state)
            return number
        seen.ends.append(state)
        turn = turn_of(self.game, state)
        seen.payoffs.add(rotated(payoff_of(self.game, state), turn))
        return None

    def check_state(self, state: Any) -> None:
        game, seen = self.game, self.seen
        leads_to: set[int] = set()
        seen.leads_to.append(leads_to)
        seen.can_end.append(False)
        turn = turn_of(game, state)
        actions = action_list(game, state)
        hash_moves(game, actions, "actions", state)
        if seen.done < STEADY_CHECKED and (wrong := unsteady(game, state)):
            raise wrong
        if len(set(actions)) != len(actions):
            self.problem("actions", "actions lists one twice", state)
        for action in actions:
            lottery = outcomes_of(game, state, action)
            seen.transitions += len(lottery)
            outcomes = [outcome for outcome, _, _ in lottery]
            hash_moves(game, outcomes, "step", state, action)
            if len(set(outcomes)) != len(outcomes):
                self.problem("outcomes", "step lists an outcome twice", state, action)
            for outcome, _, to in lottery:
                seen.rewards.add(rotated(reward_of(game, state, action, outcome), turn))
                number = self.visit(to)
                if number is None:
                    seen.can_end[-1] = True
                else:
                    leads_to.add(number)
        if len(actions) > 1:
            self.guarded("label", self.check_labels, state, actions)
        self.guarded("as_first", self.check_rotation, state)
        self.guarded("text", self.check_words, state)

    def check_labels(self, state: Any, actions: list[Any]) -> None:
        game = self.game
        labels = [call(game, game.label, action, state=state, action=action) for action in actions]
        for action, label in zip(actions, labels, strict=True):
            if not _is_line(label):
                self.problem("label", f"label is {shown(label)}; it must be one line of words", state, action)
                return
        if len(set(labels)) != len(labels):
            self.problem("label", "two actions have the same label", state)
            return
        for action, label in zip(actions, labels, strict=True):
            found = call(game, game.read_action, label, state, state=state, action=action)
            if not same(game, found, action, "actions", state):
                self.problem("read_action", f"read_action({shown(label)}) is not {shown(action)}", state)

    def check_rotation(self, state: Any) -> None:
        """The rotated twin must be the same game, seen from another seat."""
        game = self.game
        first = call(game, game.as_first, state, state=state)
        if not same(game, first, state, "states", state) and (wrong := rotation_fault(game, state, first)):
            raise wrong

    def check_words(self, state: Any) -> None:
        game = self.game
        first = call(game, game.as_first, state, state=state)
        text = call(game, game.text, state, state=state)
        if not _is_line(text):
            self.problem("text", f"text is {shown(text)}; it must be one line of words", state)
            return
        if not same(game, self.texts.setdefault(text, first), first, "states", state):
            self.problem("text twice", f"two positions have the text {shown(text)}", state)
        if not same(game, call(game, game.parse, text, state=state), first, "states", state):
            self.problem("parse", f"parse({shown(text)}) is not the position it came from", state)


def _is_line(text: Any) -> bool:
    """Whether something can stand in a line and be typed again."""
    return isinstance(text, str) and bool(text.strip()) and on_one_line(text, len(text)) == text
