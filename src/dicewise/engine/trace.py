"""How a small game is solved, step by step, to be read: backward induction as one would write it on a board.

A step is a state, or the states of a cycle, and depends on earlier steps only. In each state

    Q(a) = sum over what may happen of chance * (reward + gamma * V(where it leads))        for each action a
    V    = max over a of Q(a)

as the mover sees it. Outcomes that lead to the same place and pay the same are one term of the sum, rotated twins are
one state, and ends are told apart by what they pay: just as the solver sees the game. The states of a cycle depend on
each other, so their values come from a solver of equations, and the trace shows the equations that hold in the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dicewise.engine.components import Components, components_of
from dicewise.engine.explore import explore
from dicewise.engine.problem import Problem
from dicewise.engine.reading import action_list, call, outcomes_of, rotated, start_of
from dicewise.errors import InputError
from dicewise.game import Game, Number, pay_each
from dicewise.graph import Graph
from dicewise.solution import Solution

MOST_STATES = 200
"""More states than this nobody reads."""

COUNTED = 100_000
"""Transitions that are looked at to find out how large a game is."""


@dataclass(frozen=True)
class Term:
    """What may happen after an action: one term of the sum."""

    outcomes: tuple[str, ...]
    """In the game's words; empty words where nothing random happens."""
    chance: Fraction
    reward: Number
    """What it pays the mover at once."""
    to: int | None
    """The number of the state that it leads to; None is an end."""
    seat: int
    """How many seats after the mover of that state the mover of this one sits."""
    values: tuple[Number, ...]
    """What the place that it leads to is worth, to each player from the mover of this state on."""


@dataclass(frozen=True)
class Option:
    """An action with its sum."""

    action: str
    terms: tuple[Term, ...]
    value: Number
    """What it is worth to the mover."""
    best: bool
    """Whether no other is worth more."""


@dataclass(frozen=True)
class Position:
    """A state, as its mover sees it."""

    text: str
    turn: int
    options: tuple[Option, ...]
    """In the order in which the rules list them."""
    chosen: int
    """The number of the option that is taken."""
    values: tuple[Number, ...]
    """To each player from the mover on."""


@dataclass(frozen=True)
class Step:
    """States that are solved together."""

    states: tuple[int, ...]
    cycle: bool
    """Whether play can come back to them."""


@dataclass(frozen=True)
class Trace:
    """A solved game in the order in which it was solved."""

    solution: Solution[Any, Any]
    positions: tuple[Position, ...]
    """The states by number; the start is the first."""
    steps: tuple[Step, ...]
    total: Number
    """What two opponents share; 0 where interests are not opposed."""


def small_graph(game: Game[Any, Any], most: int, what_for: str) -> Graph:
    """The graph of a game that is small enough; others are refused before anything is solved for them."""
    count = count_states(game)
    if count is None or count > most:
        size = f"has {count:,} states, too many" if count else "is far too large"
        raise InputError(f"{game.spec} {size} {what_for}; at most {most:,} states: choose smaller parameters")
    return explore(game)


def count_states(game: Game[Any, Any], transitions: int = COUNTED) -> int | None:
    """How many unfinished states there are; None where so many transitions do not lead to all of them.

    Exploring would look into the first large state in every way; this stops when it has seen enough.
    """
    states = [start_of(game)]
    seen = {states[0]}
    count = 0
    while count < len(states):
        state = states[count]
        for action in action_list(game, state):
            for _, _, to in outcomes_of(game, state, action):
                first = call(game, game.as_first, to, state=to)
                if first not in seen:
                    seen.add(first)
                    if action_list(game, first):
                        states.append(first)
                transitions -= 1
            if transitions < 0:
                return None
        count += 1
    return count


def check_traceable(game: Game[Any, Any]) -> None:
    """Refuse a game that is too large to be read."""
    small_graph(game, MOST_STATES, "to read step by step")


def trace(solution: Solution[Any, Any], *, most: int = MOST_STATES) -> Trace:
    """How a game of at most so many states is solved, from its end to its start."""
    game = solution.game
    graph = small_graph(game, most, "to read step by step")
    opposed = solution.report.interests == "constant sum"
    total = Problem(graph, solution.report.interests).total if opposed else Fraction(0)
    positions = tuple(_position(solution, graph, state) for state in graph.states)
    shape = components_of(graph)
    steps = tuple(
        Step(tuple(sorted(shape.states(number))), bool(shape.cyclic[number])) for number in _order(positions, shape)
    )
    return Trace(solution, positions, steps, total if solution.report.exact else float(total))


def _order(positions: Sequence[Position], shape: Components) -> list[int]:
    """The components by the longest way to the end, and of those the one first that play reaches first."""
    heights: list[int] = []
    firsts: list[int] = []
    for number in range(len(shape.cyclic)):
        states = shape.states(number)
        follows = {
            int(shape.component[term.to])
            for state in states
            for option in positions[state].options
            for term in option.terms
            if term.to is not None
        } - {number}
        heights.append(1 + max((heights[follow] for follow in follows), default=0))
        firsts.append(min(states))
    return sorted(range(len(heights)), key=lambda number: (heights[number], firsts[number]))


def _position(solution: Solution[Any, Any], graph: Graph, state: Any) -> Position:
    game = solution.game
    turn, actions = game.turn(state), list(game.actions(state))
    choices = solution.choices(state)
    by_action = {choice.action: choice for choice in choices}
    options = tuple(
        Option(game.label(action), _terms(solution, graph, state, action), choice.value, choice.loss == 0)
        for action in actions
        if (choice := by_action[action])
    )
    return Position(
        game.text(state), turn, options, actions.index(choices[0].action), rotated(solution.values(state), turn)
    )


def _terms(solution: Solution[Any, Any], graph: Graph, state: Any, action: Any) -> tuple[Term, ...]:
    """What an action may lead to, outcomes to the same place with the same pay taken together."""
    game = solution.game
    turn, lottery = game.turn(state), outcomes_of(game, state, action)
    total = sum(weight for _, weight, _ in lottery)
    places: dict[Any, tuple[list[str], Any]] = {}
    weights: dict[Any, int] = {}
    for outcome, weight, to in lottery:
        pays = rotated(pay_each(game.reward(state, action, outcome), game.players), turn)
        values = rotated(solution.values(to), turn)
        number = graph.states.find(game.as_first(to)) if game.actions(to) else None
        seat = (turn - game.turn(to)) % game.players
        key = (number, seat if number is not None else values, pays)
        labels, _ = places.setdefault(key, ([], (pays[0], number, seat, values)))
        labels.append(game.label(outcome))
        weights[key] = weights.get(key, 0) + weight
    return tuple(Term(tuple(labels), Fraction(weights[key], total), *where) for key, (labels, where) in places.items())


# ---- in words

WIDTH = 79
MOST_TERMS, MOST_ACTIONS = 12, 8
"""Longer sums are not written out, nor longer lists to choose from."""
LONGEST_FRACTION, LONGEST_NAME = 24, 28


def number_in_words(number: Number, exact: bool) -> str:
    """A fraction where values are exact and it is not too long to read, otherwise six digits."""
    if exact and len(str(Fraction(number))) <= LONGEST_FRACTION:
        return str(Fraction(number))
    return f"{float(number) + 0.0:.6g}"  # without it -0.0 shows its sign


def chance_in_words(chance: Fraction, exact: bool = False) -> str:
    """Chances are short fractions nearly always; where they are not, decimals."""
    return number_in_words(chance, exact or chance.denominator < 10_000)


def trace_lines(told: Trace) -> Iterator[str]:
    """A trace in lines of up to 79 letters."""
    words = _Words(told)
    yield from words.head()
    for number, step in enumerate(told.steps, 1):
        yield ""
        yield from words.step(number, step)


class _Words:
    def __init__(self, told: Trace) -> None:
        self.told = told
        self.report, self.game = told.solution.report, told.solution.game
        self.own = self.report.interests == "each for itself"
        self.twins = type(self.game).as_first is not Game.as_first

    def number(self, number: Number) -> str:
        return number_in_words(number, self.report.exact)

    def head(self) -> Iterator[str]:
        told, count = self.told, len(self.told.positions)
        yield self.game.spec
        if not count:
            yield "The game is over before it begins: there is nothing to solve."
            return
        many = "1 state" if count == 1 else f"{count:,} states, from the end of the game to its start"
        yield f"{many}; {self.report.interests}."
        whose = "V(s) is what state s is worth"
        if self.own:
            whose += " to the player to move there, V1(s) to the next one, and so on"
        elif self.report.interests == "constant sum":
            whose += f" to the player to move there, {self.opposite()} to the other"
        yield from _wrapped(f"{whose}.".split(" "), "", "", " ")
        if any(option.best and at != p.chosen for p in told.positions for at, option in enumerate(p.options)):
            yield from _wrapped(f"Ties: {self.report.tie_rule}.".split(" "), "", "", " ")

    def opposite(self, name: str = "V(s)") -> str:
        """What is left to the one of two opponents."""
        return f"{self.number(self.told.total)} - {name}" if self.told.total else f"-{name}"

    def title(self, position: Position) -> str:
        mover = f", player {position.turn + 1} to move" if self.game.players > 1 and not self.twins else ""
        return f"{_cut(position.text, 50)}{mover}"

    def step(self, number: int, step: Step) -> Iterator[str]:
        start = f"{number:>{len(str(len(self.told.steps)))}}. "
        if step.cycle:
            yield from self.cycle(start, step)
            return
        position = self.told.positions[step.states[0]]
        yield start + self.title(position)
        yield from self.body(position, " " * len(start))

    def cycle(self, start: str, step: Step) -> Iterator[str]:
        count, indent = len(step.states), " " * len(start)
        how = self.report.method.partition(", ")[2] or self.report.method
        if "fractions" in how:
            how = "policy iteration in fractions"
        elif how.startswith("kernel"):
            how = f"the game's own {how}"
        if count == 1:
            yield f"{start}a state that leads back to itself"
            sentence = f"Its value stands on both sides of its equation, which was solved by {how}. It holds:"
        else:
            yield f"{start}a cycle of {count:,} states"
            sentence = f"Each leads to the others, so they were solved together, by {how}. These equations hold:"
        yield from _wrapped(sentence.split(" "), indent, indent, " ")
        for at in step.states:
            position = self.told.positions[at]
            yield indent + self.title(position)
            yield from self.body(position, indent + "   ")

    def body(self, position: Position, indent: str) -> Iterator[str]:
        """The actions with their sums, then the choice."""
        names = [_cut(option.action or "go on", LONGEST_NAME) for option in position.options]
        wide = max(map(len, names))
        for name, option in zip(names, position.options, strict=True):
            parts: list[tuple[str, ...]] = [(f"a sum of {len(option.terms)} terms",)]
            if len(option.terms) <= MOST_TERMS:
                parts = [self.sum(option, symbols=True), self.sum(option, symbols=False)]
            parts.append((self.number(option.value),))
            yield from _equation(f"{indent}{name + ':':<{wide + 1}} ", list(dict.fromkeys(parts)))
        yield from _wrapped(self.verdict(position, names).split(" "), indent, indent + "    ", " ")

    def verdict(self, position: Position, names: list[str]) -> str:
        value, chosen = self.number(position.values[0]), position.chosen
        others = "".join(f", V{j} = {self.number(v)}" for j, v in enumerate(position.values) if j) if self.own else ""
        if len(names) == 1:
            return f"V = {value}{others}, nothing to choose"
        listed = ", ".join(self.number(option.value) for option in position.options)
        best = f"max({listed})" if len(names) <= MOST_ACTIONS else f"the largest of {len(names)}"
        ties = [name for at, name in enumerate(names) if position.options[at].best and at != chosen]
        as_good = f" (as good: {', '.join(ties)})" if ties else ""
        return f"V = {best} = {value}{others}, by {names[chosen]}{as_good}"

    def sum(self, option: Option, symbols: bool) -> tuple[str, ...]:
        return tuple(self.term(term, symbols, alone=len(option.terms) == 1) for term in option.terms)

    def term(self, term: Term, symbols: bool, alone: bool) -> str:
        """chance x (reward + gamma x value), with what is 1 or 0 left out."""
        if symbols and term.to is not None:
            value, simple = self.symbol(term)
        else:
            value = self.number(term.values[0])
            simple = not value.startswith("-")
        gamma = self.told.solution.gamma
        if gamma != 1:
            value, simple = f"{self.number(gamma)} x {value if simple else f'({value})'}", False
        if term.reward:
            follows = f"({value})" if value.startswith("-") else value
            value, simple = f"{self.number(term.reward)} + {follows}", False
        if alone:
            return value
        return f"{chance_in_words(term.chance, self.report.exact)} x {value if simple else f'({value})'}"

    def symbol(self, term: Term) -> tuple[str, bool]:
        """What the place it leads to is called, and whether that needs no brackets around it."""
        assert term.to is not None
        name = f"({_cut(self.told.positions[term.to].text, LONGEST_NAME)})"
        if not term.seat or self.report.interests == "team":
            return f"V{name}", True
        return (f"V{term.seat}{name}", True) if self.own else (self.opposite(f"V{name}"), False)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 3] + "..."


def _equation(left: str, parts: list[tuple[str, ...]]) -> Iterator[str]:
    """sum = sum = sum ... after what stands on the left, as many on a line as fit; a long one is broken before its
    terms."""
    line, margin = left, " " * len(left)
    for at, part in enumerate(parts):
        joint = " = " if line.strip() and at else "= " if at else ""
        if len(line + joint + " + ".join(part)) > WIDTH and at and line.strip():
            yield line
            line, joint = margin, "= "
        *full, line = _wrapped(part, line + joint, margin + "+ ", " + ")
        yield from full
    yield line


def _wrapped(words: Sequence[str], first: str, later: str, joint: str) -> Iterator[str]:
    """Words in lines that are not too long, where words are not."""
    line = first + words[0]
    for word in words[1:]:
        if len(line) + len(joint) + len(word) > WIDTH:
            yield line
            line = later + word
        else:
            line += joint + word
    yield line


# ---- for programs


def trace_as_dict(told: Trace) -> dict[str, Any]:
    """The same as data. Fractions are texts `p/q`; those of an exact solution stand beside the floats."""
    report = told.solution.report

    def number(name: str, value: Number, exact_name: str = "exact") -> dict[str, Any]:
        found: dict[str, Any] = {name: float(value)}
        if report.exact:
            found[exact_name] = _fraction(value)
        return found

    def term(one: Term) -> dict[str, Any]:
        to = None if one.to is None else told.positions[one.to].text
        head = {"outcomes": list(one.outcomes), "chance": _fraction(one.chance), "to": to}
        return head | number("reward", one.reward, "exact_reward") | number("value", one.values[0])

    def option(one: Option) -> dict[str, Any]:
        head = {"action": one.action, "best": one.best} | number("value", one.value)
        return head | {"terms": [term(each) for each in one.terms]}

    def position(one: Position) -> dict[str, Any]:
        values = {"values": [float(value) for value in one.values]}
        head = {"state": one.text, "turn": one.turn, "action": one.options[one.chosen].action}
        return head | number("value", one.values[0]) | values | {"choices": [option(each) for each in one.options]}

    return {
        "method": report.method,
        "interests": report.interests,
        "tie_rule": report.tie_rule,
        "states": len(told.positions),
        "steps": [
            {"cycle": step.cycle, "states": [position(told.positions[state]) for state in step.states]}
            for step in told.steps
        ],
    }


def _fraction(number: Number) -> str:
    exact = Fraction(number)
    return f"{exact.numerator}/{exact.denominator}"
