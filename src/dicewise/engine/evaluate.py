"""Evaluating: what any policies are worth, how their games end, how long they take, and how well they can be met.

When everybody keeps to a policy nobody is left to decide anything (`policies.Played`), and the equations of the game
become those of an expectation:

    V(s)[p] = sum over actions a, outcomes o of mix(s)[a] P(o | s, a) (reward[p] + V(next)[p])

The engine solves them as it solves any game, in doubles with a bound on the error, or in fractions. Against policies
that are fixed one player alone is free: that game's solution is the best response, and what it gains over the
player's own policy is what the policy can be exploited for.
"""

from __future__ import annotations

import dataclasses
import time
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicewise.engine.components import Components, components_of
from dicewise.engine.distribution import Distribution, Flow
from dicewise.engine.explore import STATE_LIMIT, explore
from dicewise.engine.policies import Played, play, play_against
from dicewise.engine.reading import action_list, start_of, turn_of
from dicewise.engine.solve import solve, solve_graph
from dicewise.errors import CyclicError, InputError
from dicewise.game import A, Game, Number, Progress, S
from dicewise.graph import Graph, spans
from dicewise.solution import Solution


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What policies are worth, from one position on; everything but the values is worked out when it is asked for."""

    game: str
    """The game's spec."""
    values: tuple[Number, ...]
    """What the position is worth to each player: the expected payoff and all rewards."""
    error_bound: float | None
    """No value is further than this from the true one; 0 for fractions."""
    exact: bool
    states: int
    """Unfinished positions that can come up."""
    seconds: float
    _played: Played = field(repr=False)
    _graph: Graph = field(repr=False)
    _solution: Solution[Any, Any] = field(repr=False)
    _start: Any = field(repr=False)

    def values_of(self, state: Any) -> tuple[Number, ...]:
        """What another position is worth to each player when the policies go on from there."""
        return self._solution.values(state)

    def value_of(self, state: Any) -> Number:
        """What another position is worth to its mover."""
        return self.values_of(state)[turn_of(self._played, state)]

    @cached_property
    def moves(self) -> Number:
        """The expected number of moves to the end, forced ones included: how often `step` is called in a game."""
        return self._expected(np.ones(len(self._graph.states), dtype=np.int64))

    @cached_property
    def decisions(self) -> Number:
        """The expected number of moves in which there is something to choose: two actions or more."""
        rules = self._played.game
        choose = [len(action_list(rules, state)) > 1 for state in self._graph.states]
        return self._expected(np.array(choose, dtype=np.int64))

    def distribution(self, player: int = 0, *, progress: Progress | None = None) -> Distribution:
        """The chances of what a player ends with: payoff and all rewards."""
        players = self._played.players
        if type(player) is not int or not 0 <= player < players:
            raise InputError(f"player {player!r} is not at the table; players are numbered 0 to {players - 1}")
        return Distribution({totals[0]: chance for totals, chance in self._flow((player,), progress).items()})

    def outcomes(self, *, progress: Progress | None = None) -> dict[tuple[Number, ...], Number]:
        """The chances of what all players end with, each together with the others."""
        return self._flow(tuple(range(self._played.players)), progress)

    @property
    def ends(self) -> frozenset[Number] | None:
        """All that a player may end with, where nothing is paid on the way; None otherwise. Of two ways to end the
        value alone says how likely each is."""
        return None if self._graph.reward is not None else frozenset(self._graph.ends.ravel().tolist())

    @cached_property
    def _components(self) -> Components:
        return components_of(self._graph)

    def _flow(self, players: tuple[int, ...], progress: Progress | None) -> dict[tuple[Number, ...], Number]:
        if not len(self._graph.states):  # it was over before it began
            return {tuple(self.values[player] for player in players): Fraction(1) if self.exact else 1.0}
        entry = -turn_of(self._played, self._start) % self._played.players
        return Flow(self._graph, self._components, players, self.exact).run(0, entry, progress)

    def _expected(self, counted: NDArray[np.int64]) -> Number:
        """How often states that are counted come up: their moves pay 1, and nothing else pays."""
        graph = self._graph
        if not len(counted):
            return Fraction(0) if self.exact else 0.0
        # states may share a lottery, and one of them count and the other not
        edges, of = spans(graph.first_edge[graph.lottery], graph.first_edge[graph.lottery + 1])
        weights = np.empty(len(graph.weight), dtype=object)
        weights[:] = graph.weight
        alone = dataclasses.replace(
            graph,
            players=1,
            lottery=np.arange(len(graph.states)),
            first_edge=np.searchsorted(of, np.arange(len(graph.states) + 1)),
            target=graph.target[edges],
            shift=np.zeros(len(edges), dtype=np.int64),
            weight=weights[edges],
            chance=graph.chance[edges],
            reward=counted[of, None],
            ends=np.zeros((len(graph.ends), 1), dtype=np.int64),
        )
        found: Number = solve_graph(_Counted(self._played), alone, exact=self.exact).values(self._start)[0]
        return found


class _Counted(Played):
    """The same game for one who counts moves: seats do not matter."""

    def __init__(self, played: Played) -> None:
        super().__init__(played.game, played.policies)
        object.__setattr__(self, "players", 1)

    def turn(self, state: Any) -> int:
        return 0


def evaluate(
    game: Game[S, A],
    policies: Any,
    *,
    state: S | None = None,
    exact: bool = False,
    limit: int = STATE_LIMIT,
    progress: Progress | None = None,
) -> Evaluation:
    """What policies are worth, from the start of the game or from a given state.

    `policies` is one policy for everybody, or a list with one for each player. A policy is a function of the state, a
    table (a mapping from states), or a solution, which plays its best. It says an action, or a mix: a mapping from
    actions to weights, which need not add up to 1; a float counts as the decimal that it prints as. It is asked about
    positions as the mover sees them (`as_first`), and only where there are two actions or more. More than `limit`
    positions are refused.
    """
    started = time.perf_counter()
    played = play(game, policies)
    root = start_of(played) if state is None else state
    graph = explore(played, [root], limit=limit, progress=progress)
    try:
        solution = solve_graph(played, graph, exact=exact, progress=progress)
    except CyclicError as error:
        if error.reason != "no end":
            raise
        where = str(error).partition(": every play")[0]
        raise CyclicError(f"{where} with these policies: they go round there for ever", error.reason) from None
    return Evaluation(
        game=game.spec,
        values=solution.values(root),
        error_bound=solution.report.error_bound,
        exact=exact,
        states=len(graph.states),
        seconds=time.perf_counter() - started,
        _played=played,
        _graph=graph,
        _solution=solution,
        _start=root,
    )


def best_response(
    game: Game[S, A], policies: Any, player: int = 0, *, exact: bool = False, progress: Progress | None = None
) -> Solution[S, A]:
    """The best that one player can do while the others keep to their policies (see `evaluate`).

    The answer is the solution of that player's game alone: `value(state)` is what the state is worth to the player,
    whoever is to move, and `action(state)` what is done there. It can be certified, and be given to `evaluate` as
    the player's policy. One in the player's own place is not used.
    """
    return solve(play_against(game, policies, player), using="rules", exact=exact, progress=progress)


@dataclass(frozen=True)
class Exploitability:
    """What each player could gain by leaving its policy while the others keep to theirs."""

    values: tuple[Number, ...]
    """What the policies are worth to each player."""
    best: tuple[Number, ...]
    """What its best response is worth to each player."""
    error_bound: float | None
    """The total is no further than this from the true one."""

    @property
    def gains(self) -> tuple[Number, ...]:
        """What each player gives away: 0 for one who cannot do better."""
        return tuple(max(most - value, 0 * most) for most, value in zip(self.best, self.values, strict=True))

    @property
    def total(self) -> Number:
        """All gains together: 0 if and only if nobody has a reason to change. For one player it is what the policy
        loses against the best one; two opponents' policies then guarantee the value of the game."""
        return sum(self.gains)


def exploitability(
    game: Game[Any, Any], policies: Any, *, exact: bool = False, progress: Progress | None = None
) -> Exploitability:
    """How far policies are from the best against each other (see `evaluate`), from the start of the game on."""
    own = evaluate(game, policies, exact=exact, progress=progress)
    start = start_of(game)
    responses = [
        best_response(game, policies, player, exact=exact, progress=progress) for player in range(len(own.values))
    ]
    bounds = [own.error_bound] * len(responses) + [response.report.error_bound for response in responses]
    known = [bound for bound in bounds if bound is not None]
    return Exploitability(
        values=own.values,
        best=tuple(response.value(start) for response in responses),
        error_bound=sum(known) if len(known) == len(bounds) else None,
    )
