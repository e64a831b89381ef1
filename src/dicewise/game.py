"""Game: what an author of rules writes.

A game is a frozen dataclass whose fields are the parameters of its rules. Four methods say how it is played
(`start`, `actions`, `step`, `payoff`); the others have defaults that suffice for a user's own game. Nothing here
computes anything: solving, advice, play, review and pictures all read the rules through this one contract.

    >>> from dataclasses import dataclass
    >>> from dicewise import Game, solve, sure
    >>> @dataclass(frozen=True)
    ... class Countdown(Game[int, int]):
    ...     stones: int = 5
    ...     def start(self): return self.stones
    ...     def actions(self, state): return tuple(n for n in (1, 2) if n <= state)
    ...     def step(self, state, action): return sure(state - action)
    ...     def payoff(self, state): return 10
    ...     def reward(self, state, action, outcome): return -1
    >>> solve(Countdown()).value(5)
    7.0
"""

from __future__ import annotations

import dataclasses
import re
from abc import ABC, abstractmethod
from ast import literal_eval
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from dicewise.errors import DicewiseError, InputError, RulesError, did_you_mean, raised, shown

if TYPE_CHECKING:
    from dicewise.graph import Graph, Numbering
    from dicewise.layered import Layered
    from dicewise.solution import Solution

S = TypeVar("S", bound=Hashable)
A = TypeVar("A", bound=Hashable)

Number = int | float | Fraction
Pay = Number | tuple[Number, ...]
"""What a state or a move pays: a number is everybody's, a tuple has one entry per player."""

Progress = Callable[[float, str], None]
"""Called with the share that is done (0 to 1) and what is being done; it may raise to stop the work."""


def sure(state: S) -> list[tuple[None, int, S]]:
    """The lottery in which nothing random happens."""
    return [(None, 1, state)]


def pay_each(pay: Pay, players: int) -> tuple[Number, ...]:
    """A pay with one entry per player."""
    return pay if isinstance(pay, tuple) else (pay,) * players


def spoken(game: Game[Any, Any], rule: str, what: Any) -> str:
    """What a game's `text` says of a state, or its `label` of a move; refused where that is no text."""
    try:
        words = getattr(game, rule)(what)
    except (DicewiseError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise RulesError(f"{game.name}: {rule} {raised(error)} (for {shown(what)})") from error
    if not isinstance(words, str):
        raise RulesError(f"{game.name}: {rule} is {shown(words)}; it must be one line of words (for {shown(what)})")
    return words


class Game(ABC, Generic[S, A]):
    """The rules of a finite game of chance. Subclass it as a frozen dataclass; see the module's example."""

    name: ClassVar[str] = ""
    """What the command line calls it; by default the class's name in lower case with dashes."""

    players: int = 1
    """People at the table; may be a field."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "name" not in cls.__dict__:
            cls.name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()

    @property
    def spec(self) -> str:
        """The game and its parameters in one word, `greed(max=50,sides=4)`: what `find_game` reads back."""
        from dicewise.spec import spec_of

        return spec_of(self)

    @property
    def file_stem(self) -> str:
        """What files about this game are called unless the user says otherwise."""
        plain = self.spec.replace("(", "_").replace(")", "").replace('"', "").replace(":", "x").replace("/", "over")
        return re.sub(r"[^A-Za-z0-9_=.-]", "_", plain)

    # ---- rules: four to write

    @abstractmethod
    def start(self) -> S:
        """The position in which a game begins."""

    @abstractmethod
    def actions(self, state: S) -> Sequence[A]:
        """What the mover may do: () means that the game is over, a single action is forced (a roll, a deal)."""

    @abstractmethod
    def step(self, state: S, action: A) -> Sequence[tuple[Hashable, int, S]]:
        """What may happen then: (outcome, weight, next state), weights being positive integers, outcomes distinct."""

    @abstractmethod
    def payoff(self, state: S) -> Pay:
        """What a finished game pays."""

    # ---- rules: where the game needs them

    def turn(self, state: S) -> int:
        """Whose decision it is, from 0; defined for finished games too."""
        return 0

    def reward(self, state: S, action: A, outcome: Hashable) -> Pay:
        """What is paid on the way."""
        return 0

    def as_first(self, state: S) -> S:
        """The same position with the seats rotated so that the mover is player 0, for the engine to keep one of
        the rotated twins. It must keep the actions, their order, and the outcomes with their weights."""
        return state

    # ---- for reviews: optional

    def payoff_range(self) -> tuple[Number, Number] | None:
        """The least and the most that a player may get out of a game, where the rules can say; None to have it looked
        for. Reviews measure mistakes by it."""
        return None

    def kind_of(self, state: S, action: A, outcome: Hashable, to: S) -> str:
        """In a word, what an outcome brought the mover (`bust`, `ahead`), for `why`; by default it is said whether
        the position became better or worse."""
        return ""

    # ---- words

    def text(self, state: S) -> str:
        """What a person reads and types for this position, seen by its mover."""
        return _text(self.as_first(state))

    def parse(self, text: str) -> S:
        """The position that `text` names: `parse(text(s)) == as_first(s)`."""
        return _parse(text, self.start())  # type: ignore[no-any-return]

    def label(self, move: Hashable) -> str:
        """What a person reads and types for an action or an outcome."""
        if isinstance(move, tuple):
            return " ".join(map(str, move)) if move else "-"
        return "" if move is None else str(move)

    def read_action(self, text: str, state: S) -> A:
        """The action that `text` names in this position: by its label, a unique beginning of it, or, where an action
        is a tuple, its parts in any order."""
        return read_move(text, list(self.actions(state)), self.label, "action", self.text(state))

    def read_outcome(self, text: str, state: S, action: A) -> Hashable:
        """The outcome of `action` that `text` names."""
        outcomes = [outcome for outcome, _, _ in self.step(state, action)]
        return read_move(text, outcomes, self.label, "outcome", self.text(state))

    def board(self, state: S, names: Sequence[str]) -> str:
        """What `play` prints: the position with the players' names."""
        return self.text(state)

    def prompt(self, state: S, name: str) -> str:
        """What `play` asks the mover with."""
        return f"{name}: "

    def final(self, state: S, names: Sequence[str]) -> str:
        """What `play` prints of a finished game above who has won; nothing for what each has got."""
        return ""

    # ---- rules of thumb: optional

    heuristics: ClassVar[Mapping[str, str]] = {}
    """Ways to play that have a name, and what they do; a capital letter stands for a number: `hold-at-N`."""

    def heuristic(self, name: str) -> Callable[[S], A] | None:
        """The policy of this name, or None: a function of the state as its mover sees it (`as_first`), asked where
        there is something to choose."""
        return None

    # ---- speed: optional

    def count_states(self, state: S) -> int | None:
        """About how many positions can come after this one, where the rules can say: too many to go through one by
        one are then refused at once, and not after an hour."""
        return None

    def graph(self) -> Graph | None:
        """The whole game as arrays, for rules that can build them faster than they can be explored."""
        return None

    def numbering(self) -> Numbering | None:
        """The states of `graph` by number, where they need not be kept: the store then keeps values alone."""
        return None

    def kernel(self, *, exact: bool = False, progress: Progress | None = None) -> Solution[S, A] | None:
        """A solver written by hand for these rules, or None to leave it to the engine."""
        return None

    def layered(self) -> Layered | None:
        """The table that `kernel` fills, for those who keep its layers on disk while it is being filled; `restore`
        makes the solution of it, given as `table`."""
        return None

    def restore(self, arrays: dict[str, Any], report: Any) -> Solution[S, A] | None:
        """The solution that `kernel` returned, made again from the arrays that the store kept of it."""
        return None


M = TypeVar("M", bound=Hashable)


def read_move(text: str, moves: Sequence[M], label: Callable[[Hashable], str], kind: str, where: str) -> M:
    """The one of `moves` that a person means by `text`."""
    wanted = " ".join(text.split()).lower()
    labels = [label(move).lower() for move in moves]
    for exact in (wanted, text.strip().lower()):
        if exact in labels:
            return moves[labels.index(exact)]
    parts = sorted(re.findall(r"[^\s,]+", wanted))
    same = [move for move in moves if _parts(move) == parts]
    if not same:
        same = [m for m, known in zip(moves, labels, strict=True) if wanted and known.startswith(wanted)]
    if len(same) == 1:
        return same[0]
    shown = [label(move) for move in moves]
    allowed = ", ".join(shown) if len(shown) <= 12 else f"{', '.join(shown[:10])}, ... {shown[-1]}"
    problem = "may mean several things" if same else "is not possible"
    raise InputError(
        f"{kind} {text.strip()!r:.120} {problem} at {where!r}; allowed: {allowed or 'none, the game is over'}"
        + ("" if same else did_you_mean(text.strip()[:120], shown))
    )


def read_position(game: Game[S, Any], text: str) -> S:
    """The position that a person means by `text`; one that the rules cannot go on from is refused."""
    try:
        position = game.parse(text)
        for action in game.actions(position)[:1]:
            game.step(position, action)
    except DicewiseError:
        raise
    except Exception:  # the rules of a user's game met something that is no position of theirs
        raise InputError(
            f"position {text!r:.120} is not one of {game.spec}; positions look like {game.text(game.start())!r}"
        ) from None
    return position


def _parts(move: Hashable) -> list[str] | None:
    """The parts of a tuple, sorted; None for anything else, or "21" would read as 12."""
    return sorted(str(part).lower() for part in move) if isinstance(move, tuple) else None


def _text(value: Any) -> str:
    """A state in words: the parts of a tuple or dataclass side by side, anything else as Python prints it."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = tuple(getattr(value, field.name) for field in dataclasses.fields(value))
    if isinstance(value, tuple) and value:
        return " ".join(part if _is_word(part) else repr(part).replace(" ", "") for part in value)
    return value if isinstance(value, str) else repr(value)


def _is_word(part: Any) -> bool:
    """Whether a string may stand without quotes and be read back as itself."""
    return isinstance(part, str) and bool(part) and part == _literal(part) and not re.search(r"[\s'\"]", part)


def _literal(word: str) -> Any:
    try:
        return literal_eval(word)
    except (ValueError, SyntaxError):
        return word


def _parse(text: str, like: Any) -> Any:
    """The inverse of `_text` for states of the same kind as `like`."""
    if isinstance(like, str):
        return text
    words = [_literal(word) for word in text.split()]
    if dataclasses.is_dataclass(like) and not isinstance(like, type):
        names = [field.name for field in dataclasses.fields(like)]
        if len(words) != len(names):
            raise InputError(f"position {text!r} has {len(words)} words, {len(names)} are needed: {' '.join(names)}")
        return type(like)(*words)
    if isinstance(like, tuple):
        make = getattr(type(like), "_make", None)
        if make is None:
            return tuple(words)
        fields = type(like)._fields  # type: ignore[attr-defined]
        if len(words) != len(fields):
            raise InputError(f"position {text!r} has {len(words)} words, {len(fields)} are needed: {' '.join(fields)}")
        return make(words)
    return _literal(text.strip())
