"""Solving: rules, arrays or a kernel in, a Solution out.

Acyclic games are solved by backward induction (`acyclic`). Interests are read off the payoffs.

Cyclic games are solved component by component: small ones in fractions (`exact`), others by compiled sweeps that end
with a proof (`cycles`). Values are those of play that ends; where somebody would rather never end it, or a loop pays,
there is no answer, and the refusal says where and why.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicewise.engine.acyclic import backward_induction, levels_of, rounding_bound, tolerance_of
from dicewise.engine.components import Components, components_of
from dicewise.engine.exact import LoopError, UndecidedError, backward_induction_exactly, solve_exactly
from dicewise.engine.explore import explore
from dicewise.engine.problem import Problem
from dicewise.engine.reading import listed_in_words, shortcut
from dicewise.errors import CyclicError, InputError, LimitError
from dicewise.game import A, Game, Number, Progress, S
from dicewise.graph import Graph, Listed, spans
from dicewise.solution import UNIT_ROUNDOFF, Report, Solution, TableSolution

METHODS = ("auto", "rules", "graph", "kernel")


COMPILED_FROM = 2_000_000
"""Edges from which acyclic games go through the compiled solver."""

FEW_EDGES, FEW_NODES = 4_000, 200
"""Cyclic games of up to so many edges, in components of up to so many nodes, are solved in fractions at once: that is
quicker than to load a compiler, and nothing is left to prove."""


MOST_NODES = 1_000
"""Nodes of a component up to which it is solved in fractions if that is asked for: one linear system takes about a
second then, during which nothing else is heard."""

TIES_DECIDED = 20_000
"""Edges up to which games of players who play each for itself are solved in fractions, which decide every tie."""


def solve(
    game: Game[S, A],
    *,
    using: str = "auto",
    exact: bool = False,
    gamma: Number = 1,
    theta: float | None = None,
    progress: Progress | None = None,
) -> Solution[S, A]:
    """The optimal value and action of every state.

    `using` picks the depth: a `kernel` written for the game, the `graph` that it builds itself, or its `rules`;
    `auto` takes the first that there is. `exact` computes in fractions. The store is never read.

    `gamma` below 1 discounts whatever is paid after a move by that factor. With `theta`, plain value iteration is run
    until a sweep changes no value by as much: the textbook's method, which proves nothing.
    """
    if using not in METHODS:
        raise InputError(f"using {using!r} is not known; choose one of {', '.join(METHODS)}")
    factor = _checked(gamma, theta, exact)
    plain = factor == 1 and theta is None
    if using in ("auto", "kernel") and plain:
        solution: Solution[S, A] | None = shortcut(game, "kernel", Solution, exact=exact, progress=progress)
        if solution is not None:
            return solution
    if using == "kernel":
        raise InputError(f"{game.spec} has no kernel for this; solve it using 'auto' or 'rules'")
    graph = shortcut(game, "graph", Graph) if using in ("auto", "graph") else None
    if using == "graph" and graph is None:
        raise InputError(f"{game.spec} does not build its own graph; solve it using 'auto' or 'rules'")
    method = "rules" if graph is None else "graph"
    if graph is None:
        graph = explore(game, progress=progress)
    if theta is not None:
        return iterate_values(game, graph, factor, float(theta), method=method, progress=progress)
    return solve_graph(game, graph, exact=exact, gamma=factor, method=method, progress=progress)


def _checked(gamma: Number, theta: float | None, exact: bool) -> Fraction:
    try:
        factor = Fraction(str(gamma)) if isinstance(gamma, float) else Fraction(gamma)
    except (TypeError, ValueError):
        factor = Fraction(0)
    if not 0 < factor <= 1:
        shown = gamma if isinstance(gamma, str) else f"{float(factor):g}" if factor else gamma
        raise InputError(f"gamma {shown} is not allowed; it is a number above 0 and up to 1, such as 0.95")
    if theta is not None and not 0 < theta < float("inf"):
        raise InputError(f"theta {theta!r} is not allowed; it is a number above 0, such as 0.01")
    if theta is not None and exact:
        raise InputError("value iteration with theta is never exact; leave out one of the two")
    return factor


def solve_graph(
    game: Game[S, A],
    graph: Graph,
    *,
    exact: bool = False,
    gamma: Fraction = Fraction(1),
    method: str = "rules",
    in_doubles: bool = False,
    progress: Progress | None = None,
) -> TableSolution[S, A]:
    """All states of a graph; `in_doubles` keeps small cyclic games from being solved in fractions."""
    started = time.perf_counter()
    interests = interests_of(graph)
    problem = Problem(graph, interests, gamma)
    if problem.opposed and gamma < 1 and problem.total:
        raise InputError(SHRINKING.format(gamma=float(gamma), total=problem.total))
    one_number = interests != "each for itself"
    compiled = one_number and not exact and len(graph.target) >= COMPILED_FROM
    levels = None if compiled else levels_of(graph)
    policy: NDArray[np.int64] | None = None
    table: Any
    bound: float | None = 0.0
    if levels is not None and exact:
        table = backward_induction_exactly(graph, levels, gamma, progress)
        how = "fractions"
    elif levels is not None and not one_number and len(graph.target) <= TIES_DECIDED and not in_doubles:
        rows = backward_induction_exactly(graph, levels, gamma, progress)
        table = np.array([[float(value) for value in row] for row in rows]).reshape(-1, graph.players)
        bound = UNIT_ROUNDOFF * float(np.abs(table).max(initial=0.0))
        how = "fractions, rounded at the end"
    elif levels is not None:
        table = backward_induction(graph, levels, interests, float(gamma), progress)
        no_choice = len(graph.lottery) == len(graph.states)  # then no tie can be judged wrongly
        bound = rounding_bound(graph, levels, table) if one_number or no_choice else None
        how = "backward induction"
    elif one_number:
        table, policy, bound, how = _solve_cyclic(game, problem, exact, in_doubles, progress)
    elif len(graph.lottery) == len(graph.states):
        table, bound, how = _solve_forced(game, graph, exact, gamma, in_doubles, progress)
    else:
        raise CyclicError(
            f"{_comes_back(game, graph, components_of(graph))}, and each of its {graph.players} players plays for "
            "itself; that is solved only where no position comes back, or where two players share a constant sum",
            "interests",
        )
    report = Report(
        game=game.spec,
        method=f"{method}, {how}" + (f", gamma {float(gamma):g}" if gamma < 1 else ""),
        interests=interests,
        states=len(graph.states),
        seconds=time.perf_counter() - started,
        exact=exact,
        error_bound=bound,
        tie_rule=FIRST_LISTED if policy is None else HEADWAY,
    )
    return TableSolution(
        game,
        report,
        graph.states,
        table,
        solve_from(game, exact, gamma),
        tolerance_of(graph),
        policy=policy,
        gamma=gamma if exact else float(gamma),
    )


SHRINKING = (
    "gamma {gamma:g} shrinks the total of {total} that two players share, so that they are opponents no more; "
    "choose payoffs that add up to 0, or leave gamma out"
)
FIRST_LISTED = "the first listed of equally good actions"
HEADWAY = "the first listed of equally good actions that make headway to the end"


def _solve_cyclic(
    game: Game[Any, Any], problem: Problem, exact: bool, in_doubles: bool, progress: Progress | None
) -> tuple[Any, NDArray[np.int64] | None, float, str]:
    """Table, policy, error bound and method of a game that one number per state describes."""
    graph = problem.graph
    if not exact and len(graph.target) > FEW_EDGES:
        announce_compiler(progress)
    shape = components_of(graph)
    nodes = int(np.diff(shape.starts)[shape.cyclic].max(initial=0)) * (2 if problem.opposed else 1)
    cyclic = nodes > 0
    if problem.gamma == 1 and (stuck := _without_end(graph, shape)) is not None:
        raise CyclicError(
            f"{game.spec} cannot end from {_shown(game, graph, shape.states(stuck))}: every play from there goes on "
            "for ever; give it a way to a position without actions",
            "no end",
        )
    if exact and nodes > MOST_NODES:
        raise LimitError(
            f"{game.spec} has {nodes:,} positions, counted for either player, that all lead to each other; at most "
            f"{MOST_NODES:,} can be solved in fractions: choose smaller parameters, or leave exact out"
        )
    few = len(graph.target) <= FEW_EDGES
    try:
        if not exact and (in_doubles or not few or nodes > FEW_NODES):
            from dicewise.engine.cycles import solve_in_doubles

            try:
                found = solve_in_doubles(problem, shape, progress=progress)
                if not (found.leans_on_limits and few):  # otherwise fractions shall decide
                    how = "sweeps with proven bounds" if cyclic else "backward induction, compiled"
                    table = problem.table(found.values)
                    bound = found.error_bound + 2 * UNIT_ROUNDOFF * float(np.abs(table).max(initial=0.0))
                    return table, found.policy if cyclic else None, bound, how
            except UndecidedError as error:
                if not few:
                    where = _shown(game, graph, list(error.states))
                    other = ", or exact arithmetic" if nodes <= MOST_NODES else ""
                    raise LimitError(
                        f"{game.spec} could not be solved with a proof at {where}: too many states that come back to "
                        f"each other, too slowly or for nothing; choose smaller parameters{other}"
                    ) from None
        values, choices = solve_exactly(problem, shape, progress)
    except LoopError as error:
        raise CyclicError(_explained(game, graph, error), error.reason) from None
    policy = np.array(choices, dtype=np.int64)
    if exact:
        return [problem.row(value) for value in values], policy, 0.0, "policy iteration in fractions"
    doubles = np.array([float(value) for value in values])
    largest = max(float(np.abs(doubles).max(initial=0.0)), abs(float(problem.total)))
    return problem.table(doubles), policy, 4 * UNIT_ROUNDOFF * largest, "fractions, rounded at the end"


def _solve_forced(
    game: Game[Any, Any], graph: Graph, exact: bool, gamma: Fraction, in_doubles: bool, progress: Progress | None
) -> tuple[Any, float, str]:
    """A cyclic game without a choice, in which each player's expectation is a sum of its own: seat by seat."""
    players, count = graph.players, len(graph.states)
    sizes = np.diff(graph.first_edge)[graph.lottery]
    edges, _ = spans(graph.first_edge[graph.lottery], graph.first_edge[graph.lottery + 1])
    seats = np.arange(players)[:, None]
    after = (seats + graph.shift[edges]) % players
    target = np.where(
        graph.target[edges] < count,
        graph.target[edges] + after * count,
        players * count + (graph.target[edges] - count) + after * len(graph.ends),
    )
    weights = np.empty(len(edges), dtype=object)
    weights[:] = [graph.weight[edge] for edge in edges.tolist()]
    apart = Graph(
        players=1,
        states=Listed(list(graph.states) * players, {}),
        actions=[None] * (players * count),
        first_choice=np.arange(players * count + 1),
        lottery=np.arange(players * count),
        first_edge=np.concatenate([[0], np.cumsum(np.tile(sizes, players))]),
        target=target.ravel(),
        shift=np.zeros(players * len(edges), dtype=np.int64),
        weight=np.tile(weights, players),
        chance=np.tile(graph.chance[edges], players),
        reward=None if graph.reward is None else graph.reward[edges].T.reshape(-1, 1),
        ends=graph.ends.T.reshape(-1, 1),
    )
    table, _, bound, how = _solve_cyclic(game, Problem(apart, "one player", gamma), exact, in_doubles, progress)
    if exact:
        return [tuple(table[seat * count + s][0] for seat in range(players)) for s in range(count)], bound, how
    return table[:, 0].reshape(players, count).T, bound, how


def announce_compiler(progress: Progress | None) -> None:
    """Say why the next step may take long, if it may."""
    if progress is not None and "numba" not in sys.modules:
        progress(0.5, "loading the compiled solver (the first time it is compiled, which takes some seconds)")


def iterate_values(
    game: Game[S, A], graph: Graph, gamma: Fraction, theta: float, *, method: str, progress: Progress | None = None
) -> TableSolution[S, A]:
    """Plain value iteration: all values 0 at first, then sweeps in place until one changes less than theta."""
    started = time.perf_counter()
    announce_compiler(progress)
    from dicewise.engine import _kernels
    from dicewise.engine.cycles import work_of

    problem = Problem(graph, interests_of(graph), gamma)
    if problem.opposed and gamma < 1 and problem.total:
        raise InputError(SHRINKING.format(gamma=float(gamma), total=problem.total))
    if problem.interests == "each for itself":
        raise InputError("value iteration is for one player, a team or two opponents, not for each for itself")
    count = len(graph.states)
    values = np.zeros(count + len(graph.ends))
    values[count:] = graph.ends[:, 0].astype(float)
    work = work_of(problem)
    order = np.arange(count)
    at_once = max(1, 30_000_000 // max(1, len(graph.target)))
    sweeps = done = 0
    while sweeps < MOST_SWEEPS:
        done = _kernels.iterate(order, 0, count, work, values, at_once, theta, True)
        sweeps += done
        if progress is not None:
            progress(0.5, f"sweep {sweeps:,}")
        if done < at_once:
            break
    else:
        raise LimitError(f"{sweeps:,} sweeps of value iteration did not get below theta {theta:g}; play may never end")
    words = f"theta {theta:g}, gamma {float(gamma):g}, {sweeps:,} sweep{'s' * (sweeps > 1)}"
    report = Report(
        game=game.spec,
        method=f"{method}, value iteration, {words}",
        interests=problem.interests,
        states=count,
        seconds=time.perf_counter() - started,
        exact=False,
        error_bound=None,
        note=f"the last sweep changed no value by {theta:g} or more, which does not mean that values are that close to "
        "the truth, nor that the policy is best, nor that it ever ends",
    )
    elsewhere = solve_from(game, False, gamma)
    return TableSolution(
        game, report, graph.states, problem.table(values[:count]), elsewhere, tolerance_of(graph), gamma=float(gamma)
    )


MOST_SWEEPS = 1_000_000


def solve_from(game: Game[S, A], exact: bool, gamma: Fraction = Fraction(1)) -> Callable[[S], TableSolution[S, A]]:
    """How a position that the start does not lead to is solved when somebody asks for it."""
    return lambda state: solve_graph(game, explore(game, [state]), exact=exact, gamma=gamma)


def interests_of(graph: Graph) -> str:
    """`one player`, `team`, `constant sum` or `each for itself`, read off what is paid."""
    return interests_by_pays(graph.players, graph.ends, graph.reward)


def interests_by_pays(players: int, ends: NDArray[Any], reward: NDArray[Any] | None) -> str:
    if players == 1:
        return "one player"
    paid = [ends] if reward is None else [ends, reward]
    if all((rows == rows[:, :1]).all() for rows in paid):
        return "team"
    if players != 2:
        return "each for itself"
    sums = [[Fraction(a) + Fraction(b) for a, b in _distinct(rows)] for rows in paid]
    floats = any(isinstance(number, float) for rows in paid for row in _distinct(rows) for number in row)
    slack = Fraction(1, 10**12) if floats else Fraction(0)
    balanced = all(abs(total) <= slack for total in (sums[1] if len(sums) > 1 else []))
    spread = max(sums[0], default=0) - min(sums[0], default=0)
    return "constant sum" if balanced and spread <= slack else "each for itself"


def _distinct(rows: NDArray[Any]) -> Sequence[tuple[Any, ...]]:
    """The different rows of a table of pays."""
    if rows.dtype == object:
        return list(dict.fromkeys(map(tuple, rows.tolist())))
    return [tuple(row) for row in np.unique(rows, axis=0).tolist()]


def _without_end(graph: Graph, shape: Components) -> int | None:
    """A component that nothing leads out of; None if every state can come to an end."""
    count = len(graph.states)
    open_ = np.zeros(len(shape.cyclic), dtype=bool)
    leads_to = np.append(shape.component, np.full(len(graph.ends), -1))[graph.target]
    owner = np.repeat(shape.component[np.arange(count)], np.diff(graph.first_choice))
    low = np.minimum.reduceat(leads_to, graph.first_edge[:-1])  # of each lottery: lower numbers are further on
    np.logical_or.at(open_, owner, low[graph.lottery] < owner)
    stuck = np.flatnonzero(~open_)
    return int(stuck[0]) if len(stuck) else None


# ---- words for what stands in the way


def _shown(game: Game[Any, Any], graph: Graph, states: Sequence[int]) -> str:
    return listed_in_words(game, [graph.states[state] for state in states[:51]])


def _comes_back(game: Game[Any, Any], graph: Graph, shape: Components) -> str:
    where = shape.states(int(np.flatnonzero(shape.cyclic)[0]))
    return f"{game.spec} can come back to a position that it has left ({_shown(game, graph, where)})"


def _explained(game: Game[Any, Any], graph: Graph, error: LoopError) -> str:
    where = f"{game.spec} at {_shown(game, graph, list(error.states))}"
    if error.reason == "paying loop":
        return f"{where}: coming back again and again pays, so that there is no best play; make the loop cost something"
    if graph.players == 1 or game.players == 1:
        return (
            f"{where}: going on for ever costs nothing and every way out costs something, so that the best play never "
            "ends; make the loop cost something, or give a way out that does not"
        )
    return (
        f"{where}: play can go on for ever, and one player or the other would rather have that than end it; "
        "add a rule that ends it, or make going on cost something"
    )
