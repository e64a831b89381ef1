"""Policies: any way to choose, and the game that is left when some players have made up their minds.

A policy is a function of the position, a table, or a solution. It answers with an action, or with a mix: a mapping
from actions to weights. Where players keep to policies, their choices become part of the lottery. With mix(s) the
weights of the mover's policy, scaled to add up to 1,

    P(a, o | s) = mix(s)[a] * P(o | s, a)

so `Played` is a game like any other, in which those players have nothing to decide. Whatever solves games then
evaluates policies, and finds the best response of a player who is still free.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from numbers import Rational
from typing import Any

from dicewise.engine.reading import action_list, outcomes_of, pay_row, player_count, turn_of, where
from dicewise.errors import DicewiseError, InputError
from dicewise.game import Game, Pay
from dicewise.solution import Solution

Policy = Callable[[Any], Any] | Mapping[Any, Any] | Solution[Any, Any]
"""state -> action, or state -> {action: weight}: as a function, as a table, or a solution, which plays its best."""

_KINDS = "a function of the state, a table from states to actions, or a solution"


@dataclass(frozen=True)
class Mixed:
    """What a policy that mixes does: actions in the order in which the game lists them, with integer weights."""

    parts: tuple[tuple[Hashable, int], ...]


def one_per_player(game: Game[Any, Any], policies: Any) -> tuple[Policy, ...]:
    """One policy for each player, of one for everybody or a list with one each."""
    players = player_count(game)
    if isinstance(policies, tuple | list):
        if len(policies) != players:
            raise InputError(
                f"{len(policies)} policies were given for {players} player{'s' * (players > 1)}; "
                "give one for each, or a single one for everybody"
            )
        each = tuple(policies)
    else:
        each = (policies,) * players
    for policy in each:
        if not isinstance(policy, Solution | Mapping) and not callable(policy):
            raise InputError(f"policy {policy!r:.120} is none; give {_KINDS}")
    return each


def play(game: Game[Any, Any], policies: Any) -> Played:
    """The game in which everybody keeps to a policy."""
    return _kind_of(game)(game, one_per_player(game, policies))


def play_against(game: Game[Any, Any], policies: Any, player: int) -> Played:
    """The game of one player who is free, while the others keep to their policies; one in the player's own place
    is not used."""
    if type(player) is not int or not 0 <= player < player_count(game):
        raise InputError(f"player {player!r} is not at the table; players are numbered 0 to {game.players - 1}")
    each = one_per_player(game, policies)
    return _kind_of(game)(game, tuple(None if seat == player else policy for seat, policy in enumerate(each)), player)


@dataclass(frozen=True, eq=False)
class Played(Game[Any, Any]):
    """A game whose players keep to policies, except one who is free, if any: then it is that player's game alone."""

    game: Game[Any, Any]
    policies: tuple[Policy | None, ...]
    free: int | None = None

    def __post_init__(self) -> None:
        # what is asked of a game by name should be answered in the name of the game that is played
        object.__setattr__(self, "name", self.game.name)
        object.__setattr__(self, "players", self.game.players if self.free is None else 1)

    @property
    def spec(self) -> str:
        return self.game.spec

    @cached_property
    def seats_alike(self) -> bool:
        """Whether rotated twins may be kept once: everybody has the same policy, and it cannot tell seats apart."""
        first = self.policies[0]
        if self.free is not None or any(policy is not first for policy in self.policies):
            return False
        if isinstance(first, Solution):
            return bool(first.game == self.game)
        return not isinstance(first, Mapping) or all(self._is_first(state) for state in first)

    def _is_first(self, state: Any) -> bool:
        try:
            return bool(self.game.as_first(state) == state)
        except Exception as error:
            raise InputError(
                f"a table of a policy has the entry {state!r:.120}, which is no state of {self.game.spec} "
                f"({type(error).__name__}: {error})"
            ) from None

    # ---- rules

    def start(self) -> Any:
        return self.game.start()

    def count_states(self, state: Any) -> int | None:
        return self.game.count_states(state)

    def actions(self, state: Any) -> Sequence[Any]:
        legal = action_list(self.game, state)
        if len(legal) < 2:
            return legal
        player = turn_of(self.game, state)
        policy = self.policies[player]
        return legal if policy is None else (self._chosen(policy, player, state, legal),)

    def step(self, state: Any, action: Any) -> Sequence[tuple[Hashable, int, Any]]:
        if not isinstance(action, Mixed):
            return self.game.step(state, action)
        lotteries = [(chosen, share, outcomes_of(self.game, state, chosen)) for chosen, share in action.parts]
        totals = [sum(weight for _, weight, _ in lottery) for _, _, lottery in lotteries]
        common = math.lcm(*totals)
        return [
            ((chosen, outcome), share * (common // total) * weight, to)
            for (chosen, share, lottery), total in zip(lotteries, totals, strict=True)
            for outcome, weight, to in lottery
        ]

    def payoff(self, state: Any) -> Pay:
        return self._own(self.game.payoff(state), "payoff", state)

    def turn(self, state: Any) -> int:
        return self.game.turn(state) if self.free is None else 0

    def reward(self, state: Any, action: Any, outcome: Any) -> Pay:
        if isinstance(action, Mixed):
            action, outcome = outcome
        return self._own(self.game.reward(state, action, outcome), "reward", state, action)

    def _own(self, pay: Pay, what: str, state: Any, action: Any = None) -> Pay:
        return pay if self.free is None else pay_row(self.game, pay, what, state=state, action=action)[self.free]

    def as_first(self, state: Any) -> Any:
        return self.game.as_first(state) if self.seats_alike else state

    # ---- words

    def text(self, state: Any) -> str:
        return self.game.text(state)

    def parse(self, text: str) -> Any:
        return self.game.parse(text)

    def label(self, move: Hashable) -> str:
        if not isinstance(move, Mixed):
            return self.game.label(move)
        total = sum(weight for _, weight in move.parts)
        return ", ".join(f"{self.game.label(action)} ({weight}/{total})" for action, weight in move.parts)

    # ---- asking a policy

    def _chosen(self, policy: Policy, player: int, state: Any, legal: list[Any]) -> Any:
        """The action, or the mix of actions, that a policy chooses."""
        answer = self._answer(policy, player, state)
        if isinstance(answer, Mapping):
            return self._mixed(answer, player, state, legal)
        return legal[self._number(answer, player, state, legal)]

    def _answer(self, policy: Policy, player: int, state: Any) -> Any:
        try:
            if isinstance(policy, Solution):
                return policy.action(state)  # a solution knows its way about the seats
            first = self.game.as_first(state)
            if not isinstance(policy, Mapping):
                return policy(first)
            for known in (state, first):
                if known in policy:
                    return policy[known]
        except DicewiseError:
            raise
        except Exception as error:
            raise InputError(
                f"the policy of player {player} raised {type(error).__name__}: {error} {where(state)}"
            ) from error
        raise InputError(f"the table of player {player} has no entry for a state that can come up {where(state)}")

    def _number(self, action: Any, player: int, state: Any, legal: list[Any]) -> int:
        for number, known in enumerate(legal):
            if _same(known, action):
                return number
        shown = [str(self.game.label(known)) for known in legal[:12]]
        allowed = ", ".join(shown) + (", ..." if len(legal) > len(shown) else "")
        raise InputError(
            f"the policy of player {player} chose {action!r:.120}, which is not possible; allowed: {allowed} "
            f"{where(state)}"
        )

    def _mixed(self, mix: Mapping[Any, Any], player: int, state: Any, legal: list[Any]) -> Any:
        shares = [Fraction(0)] * len(legal)
        for action, weight in mix.items():
            number, share = self._number(action, player, state, legal), _share(weight)
            if share is None:
                raise InputError(
                    f"the policy of player {player} gives action {action!r:.120} the weight {weight!r:.120}; "
                    f"weights are finite numbers from 0 up {where(state)}"
                )
            shares[number] += share
        if not any(shares):
            raise InputError(f"the policy of player {player} gives no action a weight above 0 {where(state)}")
        scale = math.lcm(*(share.denominator for share in shares))
        weights = [int(share * scale) for share in shares]
        common = math.gcd(*weights)
        parts = tuple((action, weight // common) for action, weight in zip(legal, weights, strict=True) if weight)
        return parts[0][0] if len(parts) == 1 else Mixed(parts)


class PlayedUnpaid(Played):
    """The same for a game that pays nothing on the way, so that nobody need look."""

    reward = Game.reward


def _kind_of(game: Game[Any, Any]) -> type[Played]:
    return PlayedUnpaid if type(game).reward is Game.reward else Played


def _same(known: Any, action: Any) -> bool:
    try:
        return known is action or bool(known == action)
    except ValueError:  # an array of several is no action
        return False


def _share(weight: Any) -> Fraction | None:
    """A weight as an exact number, a float as the decimal that it prints as: 0.1 is one in ten. None if it is none."""
    try:
        if isinstance(weight, Rational):
            share = Fraction(int(weight.numerator), int(weight.denominator))
        else:
            share = Fraction(repr(float(weight)))
    except (TypeError, ValueError, OverflowError):
        return None
    return share if share >= 0 else None
