"""Trend: many reviewed games together: is it getting better, and which situations cost most?

Losses are shares of each game's payoff range, so that different games can be added up. The games, in the order in which
they were played, are cut into up to five periods of (nearly) as many games each. Per period

    loss per decision m = sum of losses / n,    standard error = sqrt(sum of (loss - m)^2 / (n - 1) / n)

over its n decisions, and the first period is held against the last: a difference of less than two standard errors of
that difference, sqrt(e1^2 + e2^2), is no more than chance may bring.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from dicewise.errors import DicewiseError, RulesError
from dicewise.game import Game
from dicewise.games import find_game
from dicewise.play.records import Record, replay
from dicewise.play.review import NEAR_TIE, Review, Score, Step, review

if TYPE_CHECKING:
    from dicewise.solution import Solution

Solve = Callable[[Game[Any, Any]], "Solution[Any, Any]"]

PERIODS = 5


@dataclass(frozen=True)
class Played:
    """A reviewed game, and the seats whose play is looked at."""

    record: Record
    review: Review
    seats: tuple[int, ...]

    @property
    def score(self) -> Score:
        return sum((self.review.score(seat) for seat in self.seats), Score())

    @property
    def steps(self) -> list[Step]:
        """The decisions that count."""
        return [step for seat in self.seats for step in self.review.decisions(seat) if step.counts]


@dataclass(frozen=True)
class Period:
    """Some games in a row."""

    games: int
    first: str
    last: str
    """When its first and its last game were begun."""
    score: Score
    loss: float | None
    """The mean loss of a decision; None where there was none."""
    error: float | None
    """Its standard error; None for fewer than two decisions."""


@dataclass
class Situation:
    """What was done wrong in the same way: in a position, or by choosing one action where another was best."""

    game: str
    where: str
    """The position; empty where many are meant."""
    best: str
    times: int = 0
    loss: Fraction = Fraction(0)
    """All of it, in payoff ranges."""
    chosen: Counter[str] = field(default_factory=Counter)


def look_back(record: Record, solved: Solve, *, near_tie: float = NEAR_TIE, player: str | None = None) -> Played:
    """A game of the records, reviewed: the seats of people, or that of the player with a name."""
    game = find_game(record.game)
    try:
        found = review(replay(record, game), solved(game), near_tie=near_tie)
    except DicewiseError:
        raise
    except Exception as error:
        if type(game).__module__.startswith("dicewise."):
            raise
        told = f"the rules of {game.spec}, which may have changed since, raised {type(error).__name__}: {error}"
        raise RulesError(told) from error
    return Played(record, found, seats_of(record, player))


def seats_of(record: Record, player: str | None = None) -> tuple[int, ...]:
    """Whose play is looked at: the player's with that name, or else that of all people at the table."""
    if player is not None:
        return tuple(seat for seat, name in enumerate(record.names) if name.casefold() == player.casefold())
    return tuple(seat for seat, who in enumerate(record.players) if who == "human")


def look_back_at_all(
    records: Iterable[Record], solved: Solve, *, near_tie: float = NEAR_TIE, player: str | None = None
) -> tuple[list[Played], list[str]]:
    """All games with somebody to look at, the oldest first, and, in a line each, why others are left out."""
    found, left_out = [], []
    for record in sorted(records, key=lambda record: (record.started, record.id)):
        if not seats_of(record, player):
            continue
        try:
            found.append(look_back(record, solved, near_tie=near_tie, player=player))
        except DicewiseError as error:
            left_out.append(f"game {record.id} is left out: {error}")
    return found, left_out


def periods(games: Sequence[Played], count: int = PERIODS) -> list[Period]:
    """The games, in order, in up to so many periods."""
    count = min(count, len(games))
    cuts = [len(games) * at // count for at in range(count + 1)] if count else []
    return [_period(games[a:b]) for a, b in pairwise(cuts)]


def _period(games: Sequence[Played]) -> Period:
    losses = [_share(step) for game in games for step in game.steps]
    mean = error = None
    if losses:
        mean = math.fsum(losses) / len(losses)
    if mean is not None and len(losses) > 1:
        spread = math.fsum((loss - mean) ** 2 for loss in losses) / (len(losses) - 1)
        error = math.sqrt(spread / len(losses))
    score = sum((game.score for game in games), Score())
    return Period(len(games), games[0].record.started, games[-1].record.started, score, mean, error)


def _share(step: Step) -> float:
    decision = step.decision
    return float(decision.share) if decision is not None and decision.is_mistake else 0.0


def verdict(found: Sequence[Period]) -> str:
    """One sentence about the first period and the last."""
    if len(found) < 2:
        return "One more game is needed before there is a trend."
    first, last = found[0], found[-1]
    if first.loss is None or last.loss is None or first.error is None or last.error is None:
        return "Too few decisions for a trend."
    change, error = last.loss - first.loss, math.hypot(first.error, last.error)
    moved = f"from {first.loss:.2%} to {last.loss:.2%} of the payoff range"
    if abs(change) <= 2 * error:
        return f"The loss per decision went {moved}, which may be chance (standard error {error:.2%})."
    word = "Better" if change < 0 else "Worse"
    return f"{word}: the loss per decision went {moved} (standard error {error:.2%})."


def costly(games: Sequence[Played]) -> tuple[list[Situation], list[Situation]]:
    """What cost most: positions, and habits (one action where another was best), each with the dearest first."""
    positions: dict[tuple[str, str], Situation] = {}
    habits: dict[tuple[str, str, str], Situation] = {}
    for game in games:
        rules = game.review.game
        for step in game.steps:
            decision = step.decision
            if decision is None or not decision.is_mistake:
                continue
            where, best = rules.text(step.move.state), rules.label(decision.best)
            chosen = rules.label(step.move.action)
            for situation in (
                positions.setdefault((rules.spec, where), Situation(rules.spec, where, best)),
                habits.setdefault((rules.spec, chosen, best), Situation(rules.spec, "", best)),
            ):
                situation.times += 1
                situation.loss += decision.share
                situation.chosen[chosen] += 1
    dearest = [sorted(found.values(), key=lambda s: -s.loss) for found in (positions, habits)]
    return dearest[0], dearest[1]
