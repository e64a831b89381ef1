"""Why: an action and the best one side by side, by what may come of them.

The outcomes of an action are put into groups, in the words of the game (`Game.kind_of`: bust, behind, level, ahead) or,
where it has none, by whether the position is then worth less, the same or more than now. Each group has its chance,
and its worth, the mean of what is paid and what follows, so that the sum of chance times worth is what the action is
worth:

    worth(group) = sum over its outcomes of P(outcome) * (reward + V(next)) / P(group)
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dicewise.errors import InputError
from dicewise.game import A, Game, S, pay_each
from dicewise.solution import Solution

SAME = Fraction(1, 10**9)
"""Positions whose worth differs by less than this share of the payoff range count as the same."""


@dataclass(frozen=True)
class Group:
    """Outcomes that come to the same thing for the mover."""

    kind: str
    chance: Fraction
    worth: Fraction
    """What the game is then worth to the mover, on average."""


@dataclass(frozen=True)
class Prospect:
    """What may come of an action."""

    action: Any
    value: Fraction
    groups: dict[str, Group]


@dataclass(frozen=True)
class Comparison:
    """An action beside the best one."""

    chosen: Prospect
    best: Prospect
    loss: Fraction
    kinds: tuple[str, ...]
    """All kinds of outcomes, from the worst to the best."""
    reason: str
    """One sentence about the best action."""


def why(game: Game[S, A], solution: Solution[S, A], state: S, action: A) -> Comparison:
    """An action in a position beside the best one there, with what may come of each."""
    choices = solution.choices(state)
    chosen = next((choice for choice in choices if choice.action == action), None)
    if chosen is None:
        raise InputError(f"action {game.label(action)!r} is not possible at {game.text(state)!r}")
    sides = {picked: _prospect(game, solution, state, picked) for picked in (action, choices[0].action)}
    groups = [group for prospect in sides.values() for group in prospect.groups.values()]
    means = {}
    for kind in dict.fromkeys(group.kind for group in groups):
        same = [group for group in groups if group.kind == kind]
        means[kind] = sum(group.worth * group.chance for group in same) / sum(group.chance for group in same)
    return Comparison(
        chosen=sides[action],
        best=sides[choices[0].action],
        loss=Fraction(chosen.loss),
        kinds=tuple(sorted(means, key=lambda kind: means[kind])),
        reason=solution.why(state),
    )


def _prospect(game: Game[S, A], solution: Solution[S, A], state: S, action: A) -> Prospect:
    mover, players = game.turn(state), game.players
    now, (low, high) = Fraction(solution.value(state)), solution.payoff_range
    close = SAME * (Fraction(high) - Fraction(low))
    lottery = game.step(state, action)
    total = sum(weight for _, weight, _ in lottery)
    weights: dict[str, int] = {}
    worths: dict[str, Fraction] = {}
    for outcome, weight, to in lottery:
        reward = Fraction(pay_each(game.reward(state, action, outcome), players)[mover])
        worth = reward + Fraction(solution.values(to)[mover])
        kind = game.kind_of(state, action, outcome, to)
        if not kind:
            kind = "the same" if abs(worth - now) <= close else "better" if worth > now else "worse"
        weights[kind] = weights.get(kind, 0) + weight
        worths[kind] = worths.get(kind, Fraction(0)) + weight * worth
    groups = {kind: Group(kind, Fraction(weight, total), worths[kind] / weight) for kind, weight in weights.items()}
    return Prospect(action, Fraction(sum(worths.values()), total), groups)
