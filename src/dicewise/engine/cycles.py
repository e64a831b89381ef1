"""Cyclic games in doubles, with a proof of how good they are.

Components are taken in an order in which each depends on earlier ones only. A state that play cannot come back to
needs one step. Inside a cycle sweeps bring the values close; then bounds are found that prove themselves. Let T be the
best worth of a state by the values that follow, with all rounding counted against us. If in every state

    T(value + above) < value + above     whatever the mover chooses, and the other by the policy that was found
    T(value - below) > value - below     by the policy that was found, whatever the other chooses

then along every play the upper ends fall and the lower ends rise on average, by more than nothing: play ends at a
payoff that they enclose, or one who never ends it pays without limit. So they enclose the true value, and nobody
gains by endless play. The test does not care how the values were found, or how sweeps were stopped.

Where it fails, because a loop is free, or so slow that sweeps would take for ever, a component of moderate size is
solved in fractions, once with everything it leads to at its lower end and once at its upper end.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicewise.engine.components import Components, Way, end_components
from dicewise.engine.exact import LoopError, UndecidedError, solve_component
from dicewise.engine.problem import Floats, Problem
from dicewise.game import Progress
from dicewise.graph import spans

SETTLED_NODES = 600
"""Nodes of a component up to which it may be solved in fractions: a linear system of this size takes a second."""

STEP = 30_000_000
"""Edges that compiled code looks at before it comes back, so that an interrupt is heard: about 0.1 s."""

PATIENCE, HASTE = 3_000_000_000, 5_000_000
"""Edges to be looked at in a component before it is given up; less where fractions can take over."""

NARROW = 1e-11
"""Bounds wider than this, in units of the largest payoff, are worth a second look in fractions."""


@dataclass(frozen=True, eq=False)
class Enclosed:
    """Values with how far below and above them the true ones may lie, and the choices in cycles (elsewhere -1)."""

    values: Floats
    below: Floats
    above: Floats
    policy: NDArray[np.int64]
    leans_on_limits: bool
    """Whether in some cycle the proof is that no end pays more or less. Then the values hold whichever way endless play
    is counted, but only to within their errors: that it makes no difference at all is not shown."""

    @property
    def error_bound(self) -> float:
        return float(max(self.below.max(initial=0.0), self.above.max(initial=0.0)))


def work_of(problem: Problem) -> tuple[Any, ...]:
    """The arrays that the kernels read; `pay` and `size` per lottery, `size` being what rounding goes by."""
    graph = problem.graph
    turns = (graph.shift & 1).astype(bool) if problem.opposed else np.zeros(len(graph.shift), dtype=bool)
    gamma, total = float(problem.gamma), float(problem.total)
    paid = np.where(turns, gamma * total, 0.0)
    size = np.abs(paid)
    if graph.reward is not None and problem.pays:
        rewards = graph.reward[:, 0].astype(np.float64)
        paid = paid + rewards
        size = size + np.abs(rewards)
    starts = graph.first_edge[:-1]
    return (
        graph.first_choice,
        graph.lottery,
        graph.first_edge,
        graph.target,
        np.where(turns, -1.0, 1.0),
        graph.chance * gamma,
        np.add.reduceat(graph.chance * paid, starts),
        np.add.reduceat(graph.chance * size, starts),
        1.0 - gamma,
    )


def worths_of(problem: Problem, values: Floats) -> Floats:
    """The worth of every choice by the values of all states."""
    graph = problem.graph
    _, lottery, first_edge, target, sign, chance, pay, _, _ = work_of(problem)
    nodes = np.concatenate([values, graph.ends[:, 0].astype(float)])
    worths: Floats = (pay + np.add.reduceat(sign * chance * nodes[target], first_edge[:-1]))[lottery]
    return worths


def solve_in_doubles(
    problem: Problem, components: Components, *, given: Floats | None = None, progress: Progress | None = None
) -> Enclosed:
    """All states, or bounds for values that were found elsewhere."""
    return _Doubles(problem, components, given).run(progress)


class _Doubles:
    def __init__(self, problem: Problem, components: Components, given: Floats | None) -> None:
        self.problem, self.components = problem, components
        self.work = work_of(problem)
        graph = problem.graph
        count, nodes = len(graph.states), len(graph.states) + len(graph.ends)
        self.value, self.below, self.above = np.zeros(nodes), np.zeros(nodes), np.zeros(nodes)
        self.given = given is not None
        if given is not None:
            self.value[:count] = given
        for at, end in enumerate(problem.ends):
            self.value[count + at] = float(end)
            self.below[count + at] = self.above[count + at] = abs(float(Fraction(float(end)) - end)) * (1 + 2**-50)
        self.policy = np.full(count, -1, dtype=np.int64)
        self.mark = np.zeros((count, 2), dtype=np.bool_)
        self.gaps = False
        self.scale = max(1.0, graph.scale)
        low, high = self.outer_bounds()
        notes = (np.empty(len(graph.lottery)) for _ in range(3))
        self.found = (self.value, self.below, self.above, self.policy, low, high, *notes)
        if problem.opposed:
            self.start, self.from_exits = float(problem.total) / 2, False
        else:
            # from below the truth: free loops could keep a value up that no way out pays
            longest = int(np.diff(components.starts).max(initial=1))
            self.start, self.from_exits = longest * float(np.abs(self.work[6]).max(initial=0.0)), True

    def outer_bounds(self) -> tuple[Floats, Floats]:
        """What no state is worth less or more than, where that is known beforehand."""
        count, limits = len(self.policy), self.problem.limits
        if limits is None:
            return np.full(count, -np.inf), np.full(count, np.inf)
        sides, pays = limits
        # alone, a policy must be shown to get what it promises, however little that is; and who never ends gets
        # nothing, so that no end pays more proves nothing where this is more
        lows = np.array([np.nextafter(float(low), -np.inf) if self.problem.opposed else -np.inf for low, _ in pays])
        highs = np.array(
            [np.nextafter(float(high), np.inf) if self.problem.opposed or high >= 0 else np.inf for _, high in pays]
        )
        return lows[sides], highs[sides]

    def run(self, progress: Progress | None) -> Enclosed:
        from dicewise.engine import _kernels

        shape, count = self.components, len(self.policy)
        number, last = 0, len(shape.cyclic)
        while number < last:
            number, state = _kernels.solve_components(
                number, last, shape.starts, shape.order, shape.component, shape.cyclic, self.work, self.found,
                self.mark, NARROW * self.scale, HASTE, STEP, self.given, self.start, self.from_exits,
            )  # fmt: skip
            if state == _kernels.TOO_LARGE or (state == _kernels.FAILED and not self.settle(number)):
                self.solve_large(number, progress)
            number += state != _kernels.PAUSED
            if progress is not None:
                progress(0.5 + 0.5 * float(shape.starts[min(number, last)]) / count, "solving")
        return Enclosed(self.value[:count], self.below[:count], self.above[:count], self.policy, self.leans())

    def leans(self) -> bool:
        """Whether two opponents' errors in a cycle reach as far as the limits."""
        if not self.problem.opposed or self.problem.limits is None:
            return False
        count = len(self.policy)
        value, below, above, _, low, high = self.found[:6]
        back = self.components.cyclic[self.components.component]
        near = (value[:count] - low <= 2 * below[:count]) | (high - value[:count] <= 2 * above[:count])
        return self.gaps or bool((back & near).any())

    def solve_large(self, number: int, progress: Progress | None) -> None:
        """A component that takes long, in steps."""
        from dicewise.engine import _kernels

        first, last = self.components.starts[number : number + 2].tolist()
        edges = _kernels.count_edges(self.components.order, first, last, self.work)
        at_once = max(4, STEP // edges)
        most = max(50, PATIENCE // edges)
        here = (self.components.order, first, last)

        def report(done: int, doing: str) -> None:
            if progress is not None:
                progress(0.5 + 0.5 * first / len(self.policy), f"{doing}, {done:,} sweeps over {last - first:,} states")

        sweeps = 0
        if not self.given:
            _kernels.begin(*here, number, self.components.component, self.work, self.value, self.start, self.from_exits)
            while sweeps < most:
                done = _kernels.iterate(*here, self.work, self.value, at_once, 0.0, False)
                sweeps += done
                report(sweeps, "solving")
                if done < at_once:
                    break
        groups = [] if self.given or self.problem.opposed else self.free_moves(number)
        self.choose(number)
        _kernels.bound(*here, self.work, self.found, 0, True)
        for group in groups:
            self.found[7][self.moves_inside(group)] = -np.inf  # they change nothing, so that nothing is to be proven
        for done in range(0, most, at_once):
            state = _kernels.bound(*here, self.work, self.found, at_once, False)
            uneven = [group for group in groups if self.level_out(group)]
            if state == _kernels.PROVEN and not uneven and all(map(self.is_left, groups)):
                return
            if state == _kernels.HOPELESS:
                break
            report(done, "proving")
        if not self.settle(number):
            raise UndecidedError(self.components.states(number))

    def free_moves(self, number: int) -> list[NDArray[np.int64]]:
        """Sets of states between which one player may move for nothing for ever: they are worth the same."""
        graph, shape = self.problem.graph, self.components
        states = shape.states(number)
        leads_to = np.append(shape.component, np.full(len(graph.ends), -1))[graph.target]
        kept = np.minimum.reduceat(leads_to == number, graph.first_edge[:-1])
        if graph.reward is not None:
            kept &= np.minimum.reduceat(graph.reward[:, 0] == 0, graph.first_edge[:-1]).astype(bool)
        node_of = {state: node for node, state in enumerate(states)}
        ways = []
        for state in states:
            listed = graph.lottery[graph.first_choice[state] : graph.first_choice[state + 1]]
            ways.append([self.way(lottery, node_of) for lottery in listed[kept[listed]].tolist()])
        groups = [np.array([states[node] for node in sorted(loop)]) for loop in end_components(ways)]
        for group in groups:
            self.value[group] = self.value[group].max()
        return groups

    def way(self, lottery: int, node_of: dict[int, int]) -> Way:
        graph = self.problem.graph
        targets = graph.target[graph.first_edge[lottery] : graph.first_edge[lottery + 1]].tolist()
        return Way(frozenset(node_of[to] for to in targets), False)

    def moves_inside(self, group: NDArray[np.int64]) -> NDArray[np.int64]:
        """The choices of a group that pay nothing and stay in it."""
        graph = self.problem.graph
        inside = np.isin(graph.target, group)
        if graph.reward is not None:
            inside &= (graph.reward[:, 0] == 0).astype(bool)
        stays = np.minimum.reduceat(inside, graph.first_edge[:-1])
        choices, _ = spans(graph.first_choice[group], graph.first_choice[group + 1])
        found: NDArray[np.int64] = choices[stays[graph.lottery[choices]]]
        return found

    def level_out(self, group: NDArray[np.int64]) -> bool:
        """Give a group one upper end; True if that changed any."""
        highest = self.above[group].max()
        changed = bool((self.above[group] < highest).any())
        self.above[group] = highest
        return changed

    def is_left(self, group: NDArray[np.int64]) -> bool:
        """Whether to stay in a group for ever, which pays nothing, is shown to be no better than to leave it."""
        if self.value[group[0]] + self.above[group[0]] < 0:
            raise LoopError("endless play", group.tolist())
        return bool((self.value[group] - self.below[group]).min() >= 0)

    def choose(self, number: int) -> None:
        """The policy of a component from its values."""
        from dicewise.engine import _kernels

        shape = self.components
        first, last = shape.starts[number : number + 2].tolist()
        _kernels.head_for_the_end(
            shape.order, first, last, shape.component, self.work, self.value, self.policy, self.mark
        )

    def settle(self, number: int) -> bool:
        """A component in fractions, if it is small enough."""
        states = self.components.states(number)
        if len(states) * (2 if self.problem.opposed else 1) > SETTLED_NODES:
            return False

        def worth(to: int) -> tuple[Fraction, Fraction]:
            value = Fraction(float(self.value[to]))
            return value - Fraction(float(self.below[to])), value + Fraction(float(self.above[to]))

        found, choices = solve_component(self.problem, states, worth)
        exits = float(max((self.below[to] + self.above[to] for to in self.exits(states)), default=0.0))
        for state, (low, high) in zip(states, found, strict=True):
            if high - low > 1000 * exits + 1e-12 * self.scale:
                raise LoopError("endless play", states)
            self.gaps = self.gaps or high > low
            if not self.given:
                self.value[state] = float((low + high) / 2)
            middle = Fraction(float(self.value[state]))
            self.below[state], self.above[state] = _rounded_up(middle - low), _rounded_up(high - middle)
        self.policy[states] = choices
        return True

    def exits(self, states: list[int]) -> set[int]:
        graph, inside = self.problem.graph, set(states)
        found: set[int] = set()
        for state in states:
            for lottery in graph.lottery[graph.first_choice[state] : graph.first_choice[state + 1]].tolist():
                found.update(graph.target[graph.first_edge[lottery] : graph.first_edge[lottery + 1]].tolist())
        return found - inside


def _rounded_up(width: Fraction) -> float:
    """A distance that is not below 0 as a double that is not less."""
    if width <= 0:
        return 0.0
    return float(np.nextafter(float(width), np.inf))
