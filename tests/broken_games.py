"""More than two hundred broken games, made from a sound one by replacing its parts, each with what must be said of it.

A fault is either a rule that raises, a rule that returns something of the wrong kind, or rules that contradict each
other. A few odd things do no harm: for those the right answer is expected.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from dicewise import CyclicError, Game, InputError, LimitError, RulesError, sure


class Pit(NamedTuple):
    left: int
    turn: int


@dataclass(frozen=True)
class Sound(Game[Any, Any]):
    """Nothing is wrong here: dig, or leap over two; whoever comes to the ground has lost 1 to the other."""

    depth: int = 3
    players: int = 2

    def start(self) -> Any:
        return Pit(self.depth, 0)

    def actions(self, state: Any) -> Any:
        return ("dig", "leap")[: state.left]

    def step(self, state: Any, action: Any) -> Any:
        if action == "leap":
            return sure(Pit(state.left - 2, 1 - state.turn))
        return [("soft", 2, Pit(state.left - 1, 1 - state.turn)), ("hard", 1, Pit(state.left - 1, state.turn))]

    def payoff(self, state: Any) -> Any:
        return (-1, 1) if state.turn == 0 else (1, -1)

    def turn(self, state: Any) -> Any:
        return state.turn

    def reward(self, state: Any, action: Any, outcome: Any) -> Any:
        return 0

    def as_first(self, state: Any) -> Any:
        return Pit(state.left, 0)


VALUE = Fraction(-1, 3)
"""Of the sound game, by hand. 0 is worth -1 to the mover; 1: dig, 2/3 - 1/3 = 1/3; 2: leap, 1; 3: leap to 1, -1/3, or
dig, -2/3 + 1/3 = -1/3."""


class Case(NamedTuple):
    """A game, and what must be found: the words of a refusal, or None where it is solved and the answer is right."""

    name: str
    make: Callable[[], Game[Any, Any]]
    solved: str | None
    """A pattern of what `solve` says."""
    checked: str | None
    """A pattern of a problem that `check_game` names."""
    kind: type[Exception] | tuple[type[Exception], ...] = RulesError


def broken(parts: dict[str, Any] | None = None, **given: Any) -> Callable[[], Game[Any, Any]]:
    """The sound game with some of its rules replaced, or with other parameters."""

    def make() -> Game[Any, Any]:
        made: Game[Any, Any] = dataclass(frozen=True)(type("Broken", (Sound,), parts or {}))(**given)
        return made

    return make


# ---- rules that raise


class MuteError(Exception):
    def __str__(self) -> str:
        raise ZeroDivisionError


def deeper(*args: Any) -> Any:
    return deeper(*args)


def raising(error: Callable[[], BaseException]) -> Callable[..., Any]:
    def rule(self: Any, *args: Any) -> Any:
        raise error()

    return rule


RAISED: dict[str, tuple[Callable[..., Any], str]] = {
    "division": (raising(lambda: ZeroDivisionError("oops")), "raised ZeroDivisionError: oops"),
    "key": (raising(lambda: KeyError("a\nb")), r"raised KeyError: 'a\\nb'"),
    "lines": (raising(lambda: ValueError("one\ntwo\x1b[31m")), r"raised ValueError: one two\\x1b\[31m"),
    "long": (raising(lambda: ValueError("x" * 10**7)), r"raised ValueError: x{200,300}\.\.\."),
    "recursion": (deeper, "raised RecursionError"),
    "stop": (raising(StopIteration), "raised StopIteration"),
    "mute": (raising(MuteError), "raised MuteError: .it cannot be put into words"),
    "exit": (raising(lambda: SystemExit(0)), "raised SystemExit: 0"),
    "memory": (raising(MemoryError), "ran out of memory"),
    "empty": (raising(AssertionError), "raised AssertionError"),
    "ours": (raising(lambda: InputError("not allowed")), "raised InputError: not allowed"),
    "closed": (raising(GeneratorExit), "raised GeneratorExit"),
    "file": (raising(lambda: FileNotFoundError(2, "No such file", "x.csv")), "raised FileNotFoundError"),
}

SOLVER_READS = ("start", "actions", "step", "payoff", "turn", "reward", "as_first")
WORDS = ("text", "parse", "label")


def deep(rule: str, fault: Callable[..., Any]) -> Callable[..., Any]:
    """A rule that breaks only where one is left (payoff: none), far from the start."""
    sound = getattr(Sound, rule)

    def broken_rule(self: Any, *args: Any) -> Any:
        there = rule == "start" or args[0].left == (0 if rule == "payoff" else 1)
        return (fault if there else sound)(self, *args)

    return broken_rule


def cases_that_raise() -> Iterator[Case]:
    for name, (fault, words) in RAISED.items():
        kind = LimitError if name == "memory" else RulesError
        for rule in SOLVER_READS:
            at = "" if rule == "start" else r" \(state Pit\(left=\d, turn=\d\)"
            did = ", action '" if rule in ("step", "reward") else ""
            said = f"broken: {rule} {words}.*{at}{did}"
            yield Case(f"{rule} raises {name}", broken({rule: deep(rule, fault)}), said, said, kind)
        for rule in WORDS:
            yield Case(f"{rule} raises {name}", broken({rule: fault}), None, f"broken: {rule} {words}")


# ---- rules that return something of the wrong kind


class Silent:
    """Its repr raises."""

    def __repr__(self) -> str:
        raise ZeroDivisionError


class Loud:
    """Its repr has ten million characters and many lines."""

    def __repr__(self) -> str:
        return "loud\n" * 2_000_000


def forever(*_: Any) -> Iterator[Any]:
    return ((at, 1, Pit(0, 0)) for at in count())


ODD: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "-inf": lambda: float("-inf"),
    "complex": lambda: 1j,
    "float": lambda: 0.5,
    "huge": lambda: 10**400,
    "large": lambda: 1e305,
    "negative": lambda: -1,
    "word": lambda: "word",
    "bytes": lambda: b"word",
    "list": lambda: [1, 0],
    "dict": lambda: {1: 0},
    "set": lambda: {1},
    "triple": lambda: (1, 2, 3),
    "nothing": tuple,
    "generator": lambda: (at for at in (1, 2)),
    "endless": forever,
    "numpy int": lambda: np.int64(1),
    "numpy float": lambda: np.float32(0.5),
    "numpy array": lambda: np.array([1, 2]),
    "numpy nan": lambda: np.float64("nan"),
    "decimal": lambda: Decimal("0.5"),
    "decimal nan": lambda: Decimal("nan"),
    "object": object,
    "type": lambda: int,
    "silent": Silent,
    "loud": Loud,
    "function": lambda: sure,
}


REFUSED = {
    "start": r"(turn|actions) raised AttributeError.*\(state|state .* cannot be hashed|start gives another .*state",
    "actions": r"actions returned .*; return a tuple of actions.*\(state Pit\(left=1",
    "step": r"step (must return .* triples, got|returned no outcome|lists more than).*\(state Pit.*, action 'dig'",
    "payoff": r"payoff .* (is not a number|is not finite|is too large|has \d entries for 2).*\(state Pit\(left=0",
    "turn": r"turn is .*(not a whole number|allowed are 0 to 1).*\(state Pit\(left=1",
    "reward": r"reward .* (is not a number|is not finite|is too large|has \d entries).*\(state Pit\(left=1.*, action",
    "as_first": r"(as_first (raised|leads)|comparing states raised|state .* cannot be hashed).*",
}
"""What the solver and `check` say of a rule that returns something of the wrong kind."""

NOT_WORDS = {
    "text": r"text is .*; it must be one line of words \(state Pit|two positions have the text 'word'",
    "parse": r"parse\('3 0'\) is not the position it came from|comparing states raised",
    "label": r"label is .*; it must be one line of words|two actions have the same label",
}

LEGAL = {
    "actions": {"nothing"},  # over sooner
    "payoff": {"float", "negative"},  # other stakes
    "reward": {"float", "negative"},
    "turn": {"numpy int"},  # another one's turn
}
"""What makes another game, and nothing is wrong with it."""

HARMLESS = {"actions": {"word", "bytes", "list", "triple"}}
"""Any sequence will do, and whatever is in it."""


def cases_of_the_wrong_kind() -> Iterator[Case]:
    for name, odd in ODD.items():

        def rule(*_: Any, odd: Callable[[], Any] = odd) -> Any:
            return odd()

        for called, words in REFUSED.items():
            if name in LEGAL.get(called, ()):
                continue
            parts = {called: deep(called, rule)}
            kind = (RulesError, LimitError) if name == "endless" else RulesError
            if name in HARMLESS.get(called, ()):
                yield Case(f"{called} returns {name}", broken(parts), None, None)
            else:
                yield Case(f"{called} returns {name}", broken(parts), f"broken: {words}", f"broken: {words}", kind)
        for called, words in NOT_WORDS.items():
            yield Case(f"{called} returns {name}", broken({called: rule}), None, f"broken: {words}")
        for called in (*REFUSED, *NOT_WORDS):
            if name in ("None", "negative"):  # not something that can be called
                said = rf"broken: {called} raised TypeError: '\w+' object is not callable"
                solved = said if called in REFUSED else None
                yield Case(f"{called} is {name}", broken({called: odd()}), solved, said)
        if name != "triple":
            said = "broken: players is .*; it must be a whole number from 1 to 100"
            yield Case(f"players is {name}", broken(players=odd()), said, said)


def cases_of_wrong_signatures() -> Iterator[Case]:
    def too_few() -> Any:
        raise AssertionError

    def too_many(self: Any, one: Any, two: Any, three: Any, four: Any) -> Any:
        raise AssertionError

    for rule in (too_few, too_many):
        for called in (*REFUSED, *NOT_WORDS):
            said = rf"broken: {called} raised TypeError: \S*{rule.__name__}\(\)"
            yield Case(
                f"{called} takes {rule.__name__}", broken({called: rule}), said if called in REFUSED else None, said
            )


# ---- weights and outcomes


def lottery(*triples: Any) -> dict[str, Any]:
    """Rules by which digging at 1 gives this lottery."""

    def step(self: Any, state: Any, action: Any) -> Any:
        return list(triples) if state.left == 1 else Sound.step(self, state, action)

    return {"step": step}


def weights(soft: Any, hard: Any) -> dict[str, Any]:
    """Rules by which digging goes by these weights."""

    def step(self: Any, state: Any, action: Any) -> Any:
        sound = Sound.step(self, state, action)
        if action == "leap":
            return sound
        return [("soft", soft, sound[0][2]), ("hard", hard, sound[1][2])]

    return {"step": step}


BAD_WEIGHTS: dict[str, Any] = {
    "zero": 0, "false": False, "negative": -1, "huge negative": -(10**5000), "half": 0.5, "float": 2.0,
    "nan": float("nan"), "inf": float("inf"), "fraction": Fraction(1, 2), "decimal": Decimal(2), "complex": 2j,
    "none": None, "word": "2",
    "list": [2], "numpy float": np.float64(2), "numpy zero": np.int64(0), "numpy array": np.array([2, 1]),
    "silent": Silent(), "loud": Loud(),
}  # fmt: skip

FINE_WEIGHTS: dict[str, tuple[Any, Any]] = {
    "huge": (2 * 10**400, 10**400),
    "true": (2, True),
    "numpy int64": (np.int64(2), np.int64(1)),
    "numpy uint8, which would overflow": (np.uint8(200), np.uint8(100)),
    "numpy int8, which would overflow": (np.int8(100), np.int8(50)),
}

BAD_TRIPLES: dict[str, Any] = {
    "pair": (1, Pit(0, 0)), "four": ("a", 1, Pit(0, 0), 0), "empty": (), "none": None, "state": Pit(0, 0), "number": 5,
    "word": "go", "set": {1, 2}, "weight last": ("a", Pit(0, 0), 1),
}  # fmt: skip

BAD_STATES: dict[str, tuple[Any, str]] = {
    "list": ([0, 0], "cannot be hashed"),
    "dict": ({}, "cannot be hashed"),
    "set": ({1}, "cannot be hashed"),
    "array": (np.zeros(2), "cannot be hashed"),
    "list in a tuple": ((0, [0]), "cannot be hashed"),
    "none": (None, "raised AttributeError"),
    "number": (7, "raised AttributeError"),
    "silent": (Silent(), "raised AttributeError.*Silent that cannot be shown"),
    "loud": (Loud(), r"raised AttributeError.*loud\\nloud\\n.*\.\.\."),
}


def cases_of_lotteries() -> Iterator[Case]:
    for name, weight in BAD_WEIGHTS.items():
        said = r"broken: (step must return|outcome 'hard' has weight).*\(state Pit\(left=3, turn=0\), action 'dig'"
        yield Case(f"weight {name}", broken(weights(1, weight)), said, said)
    for name, (soft, hard) in FINE_WEIGHTS.items():
        yield Case(f"weight {name}", broken(weights(soft, hard)), None, None)
    for name, triple in BAD_TRIPLES.items():
        said = r"broken: step must return \(outcome, whole weight, next state\) triples, got .*\(state Pit\(left=1"
        yield Case(f"triple {name}", broken(lottery(triple)), said, said)
    for name, (state, words) in BAD_STATES.items():
        yield Case(f"next state {name}", broken(lottery(("a", 1, state))), f"broken: .*{words}", f"broken: .*{words}")
    unhashable = "broken: step lists one that cannot be hashed, which raised TypeError.*state Pit.*action"
    for name, outcome in {"list": [1], "dict": {}, "set": {1}, "array": np.zeros(2)}.items():
        yield Case(f"outcome {name}", broken(renamed(outcome)), None, unhashable)
    yield Case("outcome twice", broken(renamed("hard")), None, "broken: step lists an outcome twice .*action 'dig'")
    yield Case("outcome silent", broken(renamed(Silent())), None, None)

    def halfway(self: Any, state: Any, action: Any) -> Any:
        yield Sound.step(self, state, action)[0]
        raise StopIteration

    said = r"broken: step raised RuntimeError: generator raised StopIteration \(state Pit\(left=3.*action 'dig'"
    yield Case("lottery stops halfway", broken({"step": halfway}), said, said)
    for name, kind in {"generator": iter, "tuple": tuple, "dict": lambda lot: dict.fromkeys(lot, 0)}.items():

        def step(self: Any, state: Any, action: Any, kind: Any = kind) -> Any:
            return kind(Sound.step(self, state, action))

        yield Case(f"lottery is a {name}", broken({"step": step}), None, None)


def renamed(outcome: Any) -> dict[str, Any]:
    """Rules by which the first outcome of digging has another name."""

    def step(self: Any, state: Any, action: Any) -> Any:
        first, *others = Sound.step(self, state, action)
        return [(outcome if action == "dig" else None, *first[1:]), *others]

    return {"step": step}


# ---- states that cannot be told apart, or not from themselves


class Odd:
    """A state like Pit, in which something about equality is odd."""

    def __init__(self, left: int, turn: int) -> None:
        self.left, self.turn = left, turn

    def __hash__(self) -> int:
        return hash(self.left)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Odd) and (self.left, self.turn) == (other.left, other.turn)

    def __repr__(self) -> str:
        return f"Odd({self.left}, {self.turn})"


class RaisingEq(Odd):
    __hash__ = Odd.__hash__

    def __eq__(self, other: object) -> bool:
        raise ZeroDivisionError("oops")


class RaisingHash(Odd):
    def __hash__(self) -> int:
        raise ZeroDivisionError("oops")


class ChangingHash(Odd):
    def __hash__(self) -> int:
        return random.getrandbits(32)


class WrongHash(Odd):
    def __hash__(self) -> int:
        return "no number"  # type: ignore[return-value]


class NeverEqual(Odd):
    __hash__ = Odd.__hash__

    def __eq__(self, other: object) -> bool:
        return False


class ArrayEq(Odd):
    __hash__ = Odd.__hash__

    def __eq__(self, other: object) -> Any:
        return np.array([True, False])


class Nameless(Odd):
    """Told apart by where it lies in memory."""

    __hash__ = object.__hash__
    __eq__ = object.__eq__


ODD_STATES: dict[type[Odd], str | None] = {
    Odd: None,
    RaisingEq: r"broken: comparing states raised ZeroDivisionError: oops \(state Odd\(\d, \d\)",
    RaisingHash: r"broken: state Odd\(3, 0\) cannot be hashed.*raised ZeroDivisionError: oops",
    ChangingHash: r"broken: the hash of a state changes.* \(state Odd\(3, 0\)",
    WrongHash: r"broken: state Odd\(3, 0\) cannot be hashed.*raised TypeError",
    NeverEqual: r"broken: start gives another position when it is asked again.* \(state Odd\(3, 0\)",
    ArrayEq: r"broken: comparing states raised ValueError.* \(state Odd\(3, 0\)",
    Nameless: r"broken: start gives another position when it is asked again.* \(state Odd\(3, 0\)",
}


def made_of(kind: Callable[[int, int], Any]) -> dict[str, Any]:
    """The sound game with states of another make."""
    return {
        "start": lambda self: kind(self.depth, 0),
        "step": lambda self, state, action: [(o, w, kind(*to)) for o, w, to in Sound.step(self, state, action)],
        "as_first": lambda self, state: kind(state.left, 0),
        "text": lambda self, state: f"{state.left} 0",
        "parse": lambda self, text: kind(*map(int, text.split())),
    }


def cases_of_odd_states() -> Iterator[Case]:
    for kind, words in ODD_STATES.items():
        yield Case(f"states are {kind.__name__}", broken(made_of(kind)), words, words)

    def spoil(self: Any, state: Any, action: Any) -> Any:
        state.left -= 1
        return sure(state)

    said = "broken: step changes the state that it is given"
    yield Case("step spoils the state", broken(made_of(Odd) | {"step": spoil}), said, said)

    for rule, answer, words in [
        ("start", lambda self: Pit(random.getrandbits(40), 0), "start gives another position"),
        ("actions", lambda self, state: (random.getrandbits(40),) * state.left, "actions gives another answer"),
        ("step", lambda self, state, action: [(random.getrandbits(40), 1, Pit(0, 0))], "step gives another answer"),
        ("step", lambda self, state, action: sure(Pit(0, random.getrandbits(1))), None),
        ("reward", lambda self, state, action, outcome: random.random(), "reward gives another answer"),
    ]:
        if words is not None:
            yield Case(f"{rule} throws dice", broken({rule: answer}), f"broken: {words}", f"broken: {words}")


# ---- actions


def cases_of_actions() -> Iterator[Case]:
    said = r"broken: actions lists one that cannot be hashed, which raised TypeError.*\(state Pit\(left=3"
    for name, action in {"list": [1], "dict": {}, "set": {1}, "array": np.zeros(2)}.items():

        def listed(self: Any, state: Any, action: Any = action) -> Any:
            return (action,) * min(1, state.left)

        yield Case(f"action {name}", broken({"actions": listed}), said, said)

    def twice(self: Any, state: Any) -> Any:
        return ("dig", "leap", "dig")[: state.left]

    def alike(self: Any, move: Any) -> str:
        return "move"

    def silent(self: Any, state: Any) -> Any:
        return (SILENT,) * min(1, state.left)

    def many(self: Any, state: Any) -> Any:
        return range(10**12)

    yield Case("action twice", broken({"actions": twice}), None, r"broken: actions lists one twice \(state Pit")
    yield Case("actions alike", broken({"label": alike}), None, "broken: two actions have the same label .state Pit")
    said = "broken: actions lists more than 1,000,000 .state Pit"
    yield Case("too many actions", broken({"actions": many}), said, said, LimitError)
    said = r"broken: step raised ZeroDivisionError: oops .*action <Silent that cannot be shown>"
    division = RAISED["division"][0]
    yield Case("silent action", broken({"actions": silent, "step": division}), said, said)


SILENT = Silent()


# ---- as_first that changes the game


def cases_of_rotation() -> Iterator[Case]:
    def second(of: Callable[[Any, Any], Any], rule: str) -> Callable[..., Any]:
        """A rule that is another one for the player who sits second."""

        def changed(self: Any, state: Any, *args: Any) -> Any:
            sound = getattr(Sound, rule)(self, state, *args)
            return of(state, sound) if state.turn == 1 and state.left == (0 if rule == "payoff" else 1) else sound

        return changed

    two = ("dig", "jump")
    for name, parts, words in [
        ("turn", {"as_first": lambda self, state: Pit(state.left, 1)}, "as_first must make the mover player 0"),
        (
            "itself",
            {"as_first": lambda self, s: Pit(s.left - 1, 0) if s.left else s},
            "as_first changes its own result",
        ),
        ("position", {"as_first": lambda self, s: Pit(min(s.left, 2), 0)}, "as_first changes the|as_first leads"),
        ("actions", {"actions": second(lambda state, _: two, "actions")}, "as_first changes the actions"),
        ("no actions", {"actions": second(lambda state, _: (), "actions")}, "as_first changes the actions"),
        ("order", {"step": second(lambda state, lot: lot[::-1], "step")}, "as_first changes what may happen"),
        (
            "weights",
            {"step": second(lambda _, lot: [(o, w + 1, to) for o, w, to in lot], "step")},
            "as_first changes what",
        ),
        (
            "outcomes",
            {"step": second(lambda _, lot: [(0, w, to) for _, w, to in lot[:1]], "step")},
            "as_first changes what",
        ),
        ("next", {"step": second(lambda s, lot: [(o, w, s) for o, w, _ in lot], "step")}, "as_first leads to another"),
        ("mover", {"step": second(lambda s, lot: [(o, w, Pit(0, 0)) for o, w, _ in lot], "step")}, "as_first leads to"),
        ("payoff", {"payoff": second(lambda state, pay: (2, -2), "payoff")}, "as_first changes the payoff"),
        ("reward", {"reward": second(lambda state, pay: (1, -1), "reward")}, "as_first changes the reward"),
    ]:
        said = rf"broken: {words}.*\(state Pit"
        yield Case(f"as_first changes {name}", broken(parts), said, said)


# ---- play that has no answer


def cases_without_answer() -> Iterator[Case]:
    def back(self: Any, state: Any, action: Any) -> Any:
        return sure(Pit(state.left, 1 - state.turn))

    def back_or_on(self: Any, state: Any, action: Any) -> Any:
        return sure(Pit(state.left if action == "dig" else 0, 1 - state.turn))

    def both(self: Any, state: Any) -> Any:
        return ("dig", "leap") if state.left else ()

    def pay_all(self: Any, state: Any, action: Any, outcome: Any) -> Any:
        return 1

    same_for_all = {"payoff": lambda self, state: -1}
    mute = {"text": RAISED["mute"][0]}
    no_end = r"broken\(depth=3,players=2\) cannot end from"
    loop: dict[str, Any] = {"step": back_or_on, "actions": both}
    yield Case("no end", broken({"step": back}), no_end, "no position is final", CyclicError)
    yield Case("no end, no words", broken({"step": back} | mute), no_end, "raised MuteError", CyclicError)
    paying = r"broken\(depth=3,players=2\) at .*: coming back again and again pays"
    yield Case("paying loop", broken(loop | same_for_all | {"reward": pay_all}), paying, paying, CyclicError)
    endless = r"broken\(depth=3,players=2\) at .* for ever"
    yield Case("endless play", broken(loop | same_for_all), endless, endless, CyclicError)
    yield Case("endless play, no words", broken(loop | same_for_all | mute), endless, "raised MuteError", CyclicError)
    greedy = {"payoff": lambda self, state: (1, 3) if state.turn else (1, 0)}
    apart = r"broken\(depth=3,players=2\) can come back .* each of its 2 players plays for itself"
    yield Case("interests", broken(loop | greedy | {"as_first": Game.as_first}), apart, apart, CyclicError)


# ---- parameters, names and shortcuts


class Textless:
    def __str__(self) -> str:
        raise ZeroDivisionError("oops")


class Unequal(Textless):
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        raise ZeroDivisionError("oops")

    def __str__(self) -> str:
        return "unequal"


def with_field(name: str, kind: str, value: Any) -> Callable[[], Game[Any, Any]]:
    def make() -> Game[Any, Any]:
        fields = {"__annotations__": {name: kind}, name: None}
        made: Game[Any, Any] = dataclass(frozen=True)(type("Broken", (Sound,), fields))(**{name: value})
        return made

    return make


def cases_of_parameters() -> Iterator[Case]:
    for name in ("json", "limit", "exact", "help"):
        said = f"broken: field '{name}' is also an option of a command"
        yield Case(f"field {name}", with_field(name, "int", 1), None, said)
    for name in ("board", "restore", "read_action"):
        yield Case(f"field {name}", with_field(name, "int", 1), None, f"field '{name}' hides what every game has")
    for name in ("turn", "step"):
        said = f"broken: {name} raised TypeError: 'int' object is not callable"
        yield Case(f"field {name}", with_field(name, "int", 1), said, said)
    for value in ([1], {1: 2}, np.zeros(3)):
        said = "broken: its fields cannot be hashed .unhashable type"
        yield Case(f"field is a {type(value).__name__}", with_field("extra", "object", value), None, said)
    said = "broken: field 'extra' raised ZeroDivisionError: oops"
    yield Case("field without text", with_field("extra", "object", Textless()), said, said)
    yield Case("field that cannot be compared", with_field("extra", "object", Unequal()), None, None)
    yield Case("field of a million letters", with_field("extra", "str", "x" * 10**6), None, None)
    yield Case("field of two lines", with_field("extra", "str", "one\ntwo"), None, None)
    for name in ("two words", "", "line\nline", 5):
        yield Case(f"name {name!r}", broken({"name": name}), None, "name is .*; it must be one word")

    def thawed() -> Game[Any, Any]:
        parts = {name: part for name, part in vars(Sound).items() if name[:2] != "__" or name == "__annotations__"}
        made: Game[Any, Any] = dataclass(unsafe_hash=True)(type("Broken", (Game,), parts | {"name": "broken"}))()
        return made

    def undecorated() -> Game[Any, Any]:
        made: Game[Any, Any] = type("Broken", (Sound,), {"__annotations__": {"extra": "int"}, "extra": 1})()
        return made

    yield Case("not frozen", thawed, None, "broken: the class is not a frozen dataclass")
    yield Case("not decorated", undecorated, None, "broken: the class has fields of its own")


def cases_of_shortcuts() -> Iterator[Case]:
    """Kernels and graphs; `check` reads the rules only."""
    for rule in ("kernel", "graph"):
        for name in ("division", "mute", "exit", "lines", "recursion"):
            fault, words = RAISED[name]

            def raises(self: Any, fault: Any = fault, **_: Any) -> Any:
                return fault(self)

            yield Case(f"{rule} raises {name}", broken({rule: raises}), f"broken: {rule} {words}", None)
        for name in ("word", "numpy array", "silent", "negative"):

            def returns(self: Any, name: str = name, **_: Any) -> Any:
                return ODD[name]()

            yield Case(f"{rule} returns {name}", broken({rule: returns}), f"broken: {rule} returned .*; return a", None)


CASES = [
    *cases_that_raise(),
    *cases_of_the_wrong_kind(),
    *cases_of_wrong_signatures(),
    *cases_of_lotteries(),
    *cases_of_odd_states(),
    *cases_of_actions(),
    *cases_of_rotation(),
    *cases_without_answer(),
    *cases_of_parameters(),
    *cases_of_shortcuts(),
]


# ---- games without end


INFINITE: dict[str, dict[str, Any]] = {
    "deep": {"step": lambda self, state, action: sure(Pit(state.left + 1, state.turn))},
    "deep, whose numbers grow": {"step": lambda self, state, action: sure(Pit(state.left * 10**20, state.turn))},
    "broad": {"step": lambda self, s, action: [(at, 1, Pit(s.left * 1000 + at, s.turn)) for at in range(1, 1001)]},
    "all at once": {"step": lambda self, s, action: ((at, 1, Pit(at, s.turn)) for at in count(1))},
    "heavy": {"step": lambda self, s, action: sure(Heavy(s.left + 1, s.turn, tuple(range(s.left, s.left + 10**5))))},
    "nested": {"step": lambda self, state, action: sure(Nested(1, 0, state))},
    "never the same": {"step": lambda self, state, action: sure(Nan(1, 0, float("nan")))},
}


class Heavy(NamedTuple):
    left: int
    turn: int
    load: tuple[int, ...]


class Nested(NamedTuple):
    left: int
    turn: int
    inner: Any


class Nan(NamedTuple):
    left: int
    turn: int
    weight: float


def infinite(name: str) -> Game[Any, Any]:
    return broken(INFINITE[name] | {"as_first": lambda self, state: state, "actions": lambda self, state: ("dig",)})()
