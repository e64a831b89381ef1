"""A component as one of its players sees it: what each choice pays for certain, and where it may lead inside.

For two opponents the nodes are the states twice, once with `me` to move and once with the other. All numbers are
fractions; what lies outside the component is given, and taken at its worst for `me`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import NamedTuple

from dicewise.engine.components import Way, force_the_end
from dicewise.engine.problem import Problem


class Option(NamedTuple):
    """A choice in a component: what it pays for certain, and where else inside it may lead, with chances."""

    sure: Fraction
    moves: list[tuple[int, Fraction]]
    leaves: bool


@dataclass(frozen=True, eq=False)
class Arena:
    """A component as one player sees it: the nodes are its states, for two players once with either to move."""

    states: list[int]
    mine: list[bool]
    options: list[list[Option]]

    @property
    def ways(self) -> list[list[Way]]:
        return [[Way(frozenset(to for to, _ in o.moves), o.leaves) for o in options] for options in self.options]


Bounds = Callable[[int], tuple[Fraction, Fraction]]
"""The worth of a state outside the component to its mover, from below and from above."""


def arena_of(problem: Problem, states: list[int], worth: Bounds) -> Arena:
    """A component with what lies outside taken at its worst for `me`, who moves at the first nodes; for two players
    the states follow once more with the other to move."""
    graph, gamma, rewards = problem.graph, problem.gamma, problem.rewards
    node_of = {state: node for node, state in enumerate(states)}
    count, seats = len(states), 2 if problem.opposed else 1
    lotteries: dict[tuple[int, int], Option] = {}

    def option(lottery: int, seat: int) -> Option:
        edges = range(graph.first_edge[lottery], graph.first_edge[lottery + 1])
        total = sum(int(graph.weight[edge]) for edge in edges)
        sure, moves, leaves = Fraction(0), dict[int, Fraction](), gamma < 1
        for edge in edges:
            chance = Fraction(int(graph.weight[edge]), total)
            if rewards is not None:
                sure += chance * (rewards[edge] if seat == 0 else -rewards[edge])
            to = int(graph.target[edge])
            turn = seat ^ (int(graph.shift[edge]) & 1) if problem.opposed else 0
            if to in node_of:
                node = node_of[to] + count * turn
                moves[node] = moves.get(node, Fraction(0)) + chance * gamma
            else:
                below, above = worth(to)
                sure += chance * gamma * (below if turn == 0 else problem.total - above)
                leaves = True
        return Option(sure, list(moves.items()), leaves)

    options = []
    for seat in range(seats):
        for state in states:
            listed = graph.lottery[graph.first_choice[state] : graph.first_choice[state + 1]].tolist()
            for lottery in listed:
                if (lottery, seat) not in lotteries:
                    lotteries[lottery, seat] = option(lottery, seat)
            options.append([lotteries[lottery, seat] for lottery in listed])
    return Arena(states * seats, [True] * count + [False] * (count * (seats - 1)), options)


def value_of(option: Option, values: Sequence[Fraction]) -> Fraction:
    return option.sure + sum((chance * values[to] for to, chance in option.moves), Fraction(0))


def giving_up(problem: Problem, arena: Arena) -> list[Fraction]:
    """What giving up at each node is worth to `me`: the worst end, or where loops may pay, less than any play."""
    if problem.limits is not None:
        limits = [problem.limits[1][side] for side in problem.limits[0][arena.states].tolist()]
        return [low if mine else problem.total - high for mine, (low, high) in zip(arena.mine, limits, strict=True)]
    # no play that ends is worth as little: its expected steps are at most the product of the weights
    largest, steps = Fraction(1), len(arena.options)
    for options in arena.options:
        largest = max([largest, *(abs(option.sure) for option in options)])
        steps *= max(lcm(*(chance.denominator for _, chance in option.moves)) for option in options)
    return [-4 * largest * steps] * len(arena.options)


def lost_nodes(problem: Problem, arena: Arena, values: Sequence[Fraction]) -> set[int]:
    """Where `me` cannot get less: to be led there and kept there for ever does no harm."""
    if not problem.opposed or problem.limits is None:
        return set()
    least = giving_up(problem, arena)
    return {node for node, value in enumerate(values) if value == least[node]}


def tight_ways(arena: Arena, values: Sequence[Fraction], lost: set[int]) -> tuple[list[list[int]], list[list[Way]]]:
    """The best choices of each node, by number and by where they lead; a lost node is a way out."""
    numbers = [
        [at for at, option in enumerate(options) if value_of(option, values) == values[node]]
        for node, options in enumerate(arena.options)
    ]
    ways = [
        [Way(ways[at].inside - lost, ways[at].leaves or bool(ways[at].inside & lost)) for at in listed]
        for ways, listed in zip(arena.ways, numbers, strict=True)
    ]
    return numbers, ways


def headway(problem: Problem, arena: Arena, values: Sequence[Fraction]) -> list[int]:
    """For each state of a component the first best choice by which the mover brings play to an end against whatever the
    other does, or to where nothing is left to lose. Where neither can be done, one by which both together do."""
    count = sum(arena.mine)
    policy = [-1] * count
    lost = lost_nodes(problem, arena, values)
    for exempt in (set(), lost):
        numbers, ways = tight_ways(arena, values, exempt)
        for node, choice in force_the_end(arena.mine, ways).items():
            if node < count and policy[node] < 0 and node not in exempt:
                policy[node] = numbers[node][choice]
    changed = True
    while changed:
        changed = False
        for node in range(count):
            for at in numbers[node] if policy[node] < 0 else ():
                option = arena.options[node][at]
                if option.leaves or any(policy[to % count] >= 0 for to, _ in option.moves):
                    policy[node], changed = at, True
                    break
    return policy
