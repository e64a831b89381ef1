"""Reach: how likely each position is to come up, and how often, once everybody has chosen.

With everybody keeping to a policy (`policies.Played`), positions follow each other with the chances P(t | s), and the
expected number of visits to each of them is

    v(t) = [t is the start] + sum over positions s of v(s) P(t | s)

Mass flows forward, in the stages of `distribution`: a position that play cannot come back to is visited once or never,
so that v(t) is the chance h(t) to come there. Where play can come back, a whole component C is taken at a time. With N
the inverse of 1 - P inside it, of which N(s, t) is the number of visits to t of one who comes to s, and m the mass that
comes in,

    v = m N,        h(t) = v(t) / N(t, t)

since whoever comes to t at all comes there N(t, t) times. Components of more than `MOST_NODES` are too large for that:
there mass goes round until no more than `LEFT_OVER` of it is still inside, and h is not found.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicewise.engine.components import components_of
from dicewise.engine.distribution import eliminate, exact_chances, stages_of, visits_exactly
from dicewise.engine.explore import STATE_LIMIT, explore
from dicewise.engine.policies import play
from dicewise.engine.reading import listed_in_words, start_of
from dicewise.errors import CyclicError, LimitError
from dicewise.game import Game, Number, Progress
from dicewise.graph import Graph, spans

MOST_NODES, MOST_EXACTLY = 2000, 300
"""Components with more states than this are not inverted, in doubles and in fractions."""

LEFT_OVER = 1e-13
"""Mass that may be left inside a component that is too large to be inverted."""

MOST_WORK = 1 << 30
"""Edges that mass may follow inside one component (about ten seconds) before it is given up."""

SLOW = 1e6
"""Where a state is visited more often than this, plain inversion loses digits, and one without subtraction is used."""


@dataclass(frozen=True, eq=False)
class Reach:
    """How often play comes to each position; rotated twins are one, where everybody has the same policy."""

    game: str
    """The game's spec."""
    states: Sequence[Any]
    """The unfinished positions that can come up, the start first."""
    actions: Sequence[Hashable]
    """What is done in each of them: an action, or a mix of some."""
    visits: NDArray[Any]
    """The expected number of visits to each position in a game: floats, or fractions."""
    chances: NDArray[Any]
    """The chance that a position comes up in a game at all; NaN where that was too much to work out."""
    exact: bool
    left_over: float
    """Mass that was not followed to its end; 0 but for very large cycles."""

    @property
    def moves(self) -> Number:
        """The expected number of moves in a game."""
        total: Number = self.visits.sum() if len(self.visits) else 0
        return total if self.exact else float(total)

    def likeliest(self, most: int) -> list[int]:
        """The numbers of the positions that come up most likely (or are visited most often, where chances are not
        known), at most so many; of equal ones that which play comes to first."""
        known = self.visits if self.is_partial else self.chances
        # what differs by rounding alone is equal
        ranks = known if self.exact else np.round(known.astype(float), 12)
        found: list[int] = np.argsort(-ranks, kind="stable")[:most].tolist()
        return found

    @property
    def is_partial(self) -> bool:
        """Whether some chances are not known."""
        return not self.exact and bool(np.isnan(self.chances.astype(float)).any())


def reach(
    game: Game[Any, Any],
    policies: Any,
    *,
    state: Any = None,
    exact: bool = False,
    limit: int = STATE_LIMIT,
    progress: Progress | None = None,
) -> Reach:
    """How likely each position comes up, and how often, when everybody keeps to a policy (see `evaluate`), from the
    start of the game or from a given state. More than `limit` positions are refused."""
    played = play(game, policies)
    graph = explore(played, [start_of(played) if state is None else state], limit=limit, progress=progress)
    return _Pass(played, graph, exact).run(progress)


class _Pass:
    """The forward pass over a graph in which every state has a single choice, from state 0."""

    def __init__(self, game: Game[Any, Any], graph: Graph, exact: bool) -> None:
        self.game, self.graph, self.exact = game, graph, exact
        self.count = len(graph.states)
        self.chance: NDArray[Any] = exact_chances(graph) if exact else graph.chance
        self.place = np.full(self.count + len(graph.ends), -1)  # of a state in the component at hand
        self.visits = self._zeros(self.count + len(graph.ends))
        self.chances = self._zeros(self.count + len(graph.ends))
        self.left_over = 0.0

    def _zeros(self, *shape: int) -> NDArray[Any]:
        if not self.exact:
            return np.zeros(shape)
        empty = np.empty(shape, dtype=object)
        empty[...] = Fraction(0)
        return empty

    def run(self, progress: Progress | None) -> Reach:
        if self.count:
            self.visits[0] = Fraction(1) if self.exact else 1.0
            stages = stages_of(self.graph, components_of(self.graph))
            for number, (states, loops) in enumerate(stages):
                if loops:
                    self._through(states)
                else:
                    self.chances[states] = self.visits[states]
                    edges, of = self._edges(states)
                    self._carry(states, edges, of)
                if progress is not None and number % 64 == 0:
                    progress(0.5 + 0.5 * number / len(stages), "following the chances")
        return Reach(
            game=self.game.spec,
            states=self.graph.states,
            actions=self.graph.actions,
            visits=self.visits[: self.count],
            chances=self.chances[: self.count],
            exact=self.exact,
            left_over=self.left_over,
        )

    def _edges(self, states: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        lottery = self.graph.lottery[states]
        return spans(self.graph.first_edge[lottery], self.graph.first_edge[lottery + 1])

    def _carry(self, states: NDArray[np.int64], edges: NDArray[np.int64], of: NDArray[np.int64]) -> None:
        """Mass from states, visited as often as is known, along edges."""
        np.add.at(self.visits, self.graph.target[edges], self.visits[states[of]] * self.chance[edges])

    # ---- where play can come back

    def _through(self, states: NDArray[np.int64]) -> None:
        """A component, from the mass that has come in."""
        size = len(states)
        edges, of = self._edges(states)
        self.place[states] = np.arange(size)
        to = self.place[self.graph.target[edges]]
        self.place[states] = -1
        stays = to >= 0
        if stays.all():
            where = listed_in_words(self.game, [self.graph.states[state] for state in states[:51].tolist()])
            raise CyclicError(
                f"{self.game.spec} cannot end from {where} with these policies: they go round there for ever", "no end"
            )
        if size > MOST_NODES or (self.exact and size > MOST_EXACTLY):
            if self.exact:
                raise LimitError(
                    f"{self.game.spec} has {size:,} positions that all lead to each other; at most {MOST_EXACTLY:,} "
                    "can be followed in fractions: choose smaller parameters, or leave exact out"
                )
            self._go_round(states, of[stays], to[stays], self.chance[edges[stays]])
        else:
            moves, leaves = self._zeros(size, size), self._zeros(size)
            np.add.at(moves, (of[stays], to[stays]), self.chance[edges[stays]])
            np.add.at(leaves, of[~stays], self.chance[edges[~stays]])
            inverse = self._inverse(moves, leaves)
            found = self.visits[states] @ inverse
            self.visits[states] = found
            self.chances[states] = found / inverse.diagonal()
        self._carry(states, edges[~stays], of[~stays])

    def _inverse(self, moves: NDArray[Any], leaves: NDArray[Any]) -> NDArray[Any]:
        """N(s, t), the visits to t of one who comes to s: the inverse of 1 - P."""
        size = len(moves)
        if self.exact:
            ones = self._zeros(size, size)
            ones[np.diag_indices(size)] = Fraction(1)
            return visits_exactly(moves, ones).T
        inverse = np.linalg.inv(np.eye(size) - moves)
        if np.isfinite(inverse).all() and inverse.min() >= -1e-9 and inverse.max() <= SLOW:
            return np.maximum(inverse, 0.0)
        return eliminate(moves, leaves, np.eye(size)).T

    def _go_round(
        self, states: NDArray[np.int64], source: NDArray[np.int64], to: NDArray[np.int64], chance: NDArray[np.float64]
    ) -> None:
        """Add up the mass of a large component as it goes round: v = m + m P + m P P + ..."""
        mass = self.visits[states]
        total = mass.copy()
        done = 0
        while (left := float(mass.sum())) > LEFT_OVER:
            mass = np.bincount(to, mass[source] * chance, minlength=len(states))
            total += mass
            done += len(to)
            if done > MOST_WORK:
                raise LimitError(
                    f"{self.game.spec}: {left:.2g} of the chances still went round among {len(states):,} states, too "
                    "slowly to be followed; choose smaller parameters"
                )
        self.left_over += left
        self.visits[states] = total
        self.chances[states] = np.nan
