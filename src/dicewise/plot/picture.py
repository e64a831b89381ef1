"""The nodes and edges of a solved game, as they are to be drawn: what each says, before anything has a place.

A box is a choice, an ellipse is chance, a tag is an end, as in decision trees. An action with a single outcome is an
arrow; one that leads to a lottery has an ellipse of its own, with what it is worth before the dice are rolled; a state
in which nothing can be chosen and something random happens is an ellipse itself. Rotated twins are one state, as the
solver sees them, outcomes that lead to the same place are one arrow, and equal lotteries are drawn once. Ends are drawn
for each arrow that leads to one, so that a game without cycles looks like the tree that it nearly is.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dicewise._version import __version__
from dicewise.engine.trace import Option, Position, Term, Trace, chance_in_words, number_in_words, small_graph, trace
from dicewise.errors import InputError
from dicewise.game import Game, Number
from dicewise.graph import Graph
from dicewise.solution import Solution

MOST_STATES, MOST_NODES = 100, 150
"""More than this is no picture; nodes are states, lotteries and ends together."""

NAME, LABEL = 8.5, 7.5
"""Sizes of text."""
LONGEST_FRACTION = 9


@dataclass(frozen=True)
class Line:
    """A line of text."""

    text: str
    size: float = NAME
    bold: bool = False
    slanted: bool = False


@dataclass(frozen=True)
class Node:
    kind: str
    """`choice`, `chance` or `end`."""
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Edge:
    source: int
    target: int
    lines: tuple[Line, ...]
    rank: str
    """`chosen`, `as good`, `worse` for an action; `chance` for an outcome."""


def check_drawable(game: Game[Any, Any]) -> None:
    """Refuse a game whose graph is too large to be seen."""
    graph = small_graph(game, MOST_STATES, "to be drawn as a graph of all that play can reach")
    if not len(graph.states):
        raise InputError(f"{game.spec} is over before it begins: there is nothing to draw")
    if (count := count_nodes(graph)) > MOST_NODES:
        raise InputError(
            f"{game.spec} has {count:,} states, lotteries and ends, too many to be drawn as a graph; "
            f"at most {MOST_NODES:,}: choose smaller parameters"
        )


def count_nodes(graph: Graph) -> int:
    """States, lotteries that can be chosen among others, and an end for each edge that leads to one."""
    edges = np.diff(graph.first_edge)[graph.lottery]
    options = np.repeat(np.diff(graph.first_choice), np.diff(graph.first_choice))
    over = np.add.reduceat(graph.target >= len(graph.states), graph.first_edge[:-1])[graph.lottery]
    return len(graph.states) + int(((edges > 1) & (options > 1)).sum()) + int(over.sum())


class Picture:
    """The nodes and edges of a solved game; states come first, in the order in which play reaches them."""

    def __init__(self, told: Trace) -> None:
        self.told, self.exact = told, told.solution.report.exact
        self.own = told.solution.report.interests == "each for itself"
        self.nodes = [self.state(position) for position in told.positions]
        self.edges: list[Edge] = []
        self.lotteries: dict[tuple[Term, ...], int] = {}
        for at, position in enumerate(told.positions):
            for number, option in enumerate(position.options):
                self.add(at, position, number, option)

    def add(self, at: int, position: Position, number: int, option: Option) -> None:
        rank = "chosen" if number == position.chosen else "as good" if option.best else "worse"
        sure = len(option.terms) == 1
        if sure or len(position.options) > 1:
            lines = [Line(part, LABEL, bold=rank == "chosen") for part in _folded(option.action or "go on", 16)]
            if sure and option.terms[0].reward:
                lines.append(Line(self.reward(option.terms[0].reward), LABEL))
            known = self.lotteries.get(option.terms)
            target = self.target(option.terms[0]) if sure else self.lottery(option)
            self.edges.append(Edge(at, target, tuple(lines), rank))
            if sure or known is not None:
                return
            at = target
        for term in option.terms:
            chance = chance_in_words(term.chance)
            more = f"   {self.reward(term.reward)}" if term.reward else ""
            lines = [Line(part, LABEL) for part in _folded(_listed(term.outcomes), 16)]
            self.edges.append(Edge(at, self.target(term), (*lines, Line(chance + more, LABEL)), "chance"))

    def lottery(self, option: Option) -> int:
        """The ellipse of an action. Equal lotteries that lead on are drawn once; those that only end stay with their
        states, as ends do."""
        found = self.lotteries.get(option.terms)
        if found is None:
            found = self.new(Node("chance", (self.worth([option.value]),)))
            if any(term.to is not None for term in option.terms):
                self.lotteries[option.terms] = found
        return found

    def new(self, node: Node) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1

    def state(self, position: Position) -> Node:
        lines = [Line(part) for part in _folded(position.text, 18)]
        rolls = len(position.options) == 1 and len(position.options[0].terms) > 1
        if rolls and position.options[0].action:
            lines += [Line(part, LABEL, slanted=True) for part in _folded(position.options[0].action, 18)]
        return Node("chance" if rolls else "choice", (*lines, self.worth(position.values)))

    def target(self, term: Term) -> int:
        return self.new(Node("end", (self.worth(term.values),))) if term.to is None else term.to

    def worth(self, values: Sequence[Number]) -> Line:
        shown = values if self.own else values[:1]
        return Line(", ".join(map(self.number, shown)), bold=True)

    def number(self, number: Number) -> str:
        exact = self.exact and len(str(Fraction(number))) <= LONGEST_FRACTION
        text = number_in_words(number, True) if exact else f"{float(number) + 0.0:.4g}"
        return text.replace("-", "\N{MINUS SIGN}")

    def reward(self, number: Number) -> str:
        return ("+" if number > 0 else "") + self.number(number)


def _listed(outcomes: Sequence[str]) -> str:
    """Outcomes that lead to the same place, shortened."""
    if len(outcomes) <= 2:
        return ", ".join(outcomes)
    numbers = [int(outcome) if outcome.isdecimal() and len(outcome) < 9 else None for outcome in outcomes]
    if None not in numbers and numbers == list(range(numbers[0] or 0, (numbers[0] or 0) + len(numbers))):
        return f"{outcomes[0]}–{outcomes[-1]}"
    return ", ".join(outcomes) if len(outcomes) == 3 else f"{outcomes[0]}, {outcomes[1]} … {outcomes[-1]}"


def _folded(text: str, width: int) -> list[str]:
    """Up to two lines."""
    return textwrap.wrap(text, width, max_lines=2, placeholder=" …") if text else []


def describe(solution: Solution[Any, Any]) -> tuple[str, str]:
    """The title of the picture, and what it shows in words, for those who do not see it."""
    game, start = solution.game, solution.game.start()
    told = trace(solution, most=MOST_STATES)
    picture = Picture(told)
    best = [
        f"{position.text}: {position.options[position.chosen].action}, worth {picture.number(position.values[0])}"
        for position in told.positions
        if len(position.options) > 1
    ]
    words = [
        f"Graph of {game.spec} with {len(told.positions)} states",
        f"the start is worth {picture.number(solution.value(start))}",
        f"best choices: {'; '.join(best)}" if best else "there is nothing to choose",
        f"dicewise {__version__}",
    ]
    return f"Graph of {game.spec}", "; ".join(words)
