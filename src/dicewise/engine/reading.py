"""Reading the rules with a watchful eye: whatever they answer is what the contract of a game allows, or there is an
error that names the game, the state and the action at fault.

`explore` reads in a hurry and comes here when something fails; `check` reads everything this way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from fractions import Fraction
from itertools import islice
from operator import index as as_int
from typing import Any, TypeVar

from dicewise.errors import DicewiseError, LimitError, RulesError, on_one_line, raised, shown
from dicewise.game import Game, Number, Pay, pay_each

ACTIONS_COMPARED = 20
"""Actions of a state whose lotteries are looked at twice: later ones may lead to very many outcomes."""

MOST_PLAYERS, MOST_ACTIONS, MOST_OUTCOMES = 100, 1_000_000, 1_000_000
"""More than this in one state is a list without an end."""

LARGEST_PAY = 1e300
"""Doubles end at 1.8e308, and pays must be added up."""

T = TypeVar("T")

RULES = ("start", "actions", "step", "payoff", "turn", "reward", "as_first", "text", "parse", "label")

NOTHING: Any = object()
"""Where there is no state or no action to speak of; None may be one."""


def fault(game: Game[Any, Any], what: str, state: Any = NOTHING, action: Any = NOTHING) -> RulesError:
    """What is wrong, and where."""
    return RulesError(f"{name_of(game)}: {what} {where(state, action)}".rstrip())


def where(state: Any = NOTHING, action: Any = NOTHING) -> str:
    """`(state ..., action ...)`."""
    known = [f"{kind} {shown(it)}" for kind, it in (("state", state), ("action", action)) if it is not NOTHING]
    return f"({', '.join(known)})" if known else ""


def name_of(game: Game[Any, Any]) -> str:
    return on_one_line(game.name, 80) if isinstance(game.name, str) else type(game).__name__


def spec_in_words(game: Game[Any, Any]) -> str:
    """A game's spec, cut to a readable length."""
    return on_one_line(game.spec, 200)


def listed_in_words(game: Game[Any, Any], states: Sequence[Any]) -> str:
    """The first three of some positions as a person reads them, or as Python prints them if that fails."""

    def words(state: Any) -> str:
        try:
            return shown(game.text(state))
        except Exception:
            return shown(state)

    found = list(dict.fromkeys(map(words, states[:50])))  # twins read alike
    return ", ".join(found[:3]) + (", ..." if len(found) > 3 or len(states) > 50 else "")


def refusal(
    game: Game[Any, Any], rule: str, error: BaseException, state: Any = NOTHING, action: Any = NOTHING
) -> RulesError | LimitError:
    """The error for a rule that raised one itself. Ctrl-C is nobody's fault."""
    if isinstance(error, KeyboardInterrupt):
        raise error
    if isinstance(error, DicewiseError) and type(game).__module__.startswith("dicewise.engine."):
        raise error  # a game that the engine made around policies, and that says itself what is wrong with them
    if isinstance(error, MemoryError):
        return LimitError(f"{name_of(game)}: {rule} ran out of memory {where(state, action)}".rstrip())
    return fault(game, f"{rule} {raised(error)}", state, action)


def call(game: Game[Any, Any], rule: Callable[..., T], *args: Any, state: Any = NOTHING, action: Any = NOTHING) -> T:
    """What a rule answers; if it raises, the error says where."""
    try:
        return rule(*args)
    except BaseException as error:
        raise refusal(game, _name_of_rule(game, rule), error, state, action) from error


def _name_of_rule(game: Game[Any, Any], rule: Any) -> str:
    """What the game calls it: a lambda, or something that cannot be called at all, has no name of its own."""
    return next((name for name in RULES if getattr(game, name, NOTHING) == rule), getattr(rule, "__name__", "a rule"))


def shortcut(game: Game[Any, Any], rule: str, kind: type[Any], **given: Any) -> Any:
    """What a game's own kernel or graph gives; whatever dicewise itself refuses there is passed on."""
    try:
        found = getattr(game, rule)(**given)
    except DicewiseError:
        raise
    except BaseException as error:
        raise refusal(game, rule, error) from error
    if found is not None and not isinstance(found, kind):
        raise fault(game, f"{rule} returned {shown(found)}; return a {kind.__name__}, or None to leave it to the rules")
    return found


def same(game: Game[Any, Any], one: Any, other: Any, what: str, state: Any) -> bool:
    """Whether two things that the rules have given are equal."""
    try:
        return bool(one == other)
    except BaseException as error:
        raise refusal(game, f"comparing {what}", error, state) from error


def start_of(game: Game[Any, Any]) -> Any:
    """Where a game begins; it must be the same place whenever it is asked for."""
    start = call(game, game.start)
    hashed(game, start)
    if not same(game, start, call(game, game.start), "states", start):
        raise fault(
            game,
            "start gives another position when it is asked again; chance belongs into step, and states into tuples, "
            "named tuples or frozen dataclasses",
            start,
        )
    return start


def player_count(game: Game[Any, Any]) -> int:
    try:
        players = game.players
    except BaseException as error:
        raise refusal(game, "players", error) from error
    if type(players) is not int or not 1 <= players <= MOST_PLAYERS:
        raise fault(game, f"players is {shown(players)}; it must be a whole number from 1 to {MOST_PLAYERS}")
    return players


def hashed(game: Game[Any, Any], state: Any) -> int:
    """The hash of a state, which must stay the same."""
    try:
        first, again = hash(state), hash(state)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        raise fault(
            game,
            f"state {shown(state)} cannot be hashed; use tuples and frozen dataclasses, not lists or dicts; it "
            f"{raised(error)}",
        ) from error
    if first != again:
        raise fault(game, "the hash of a state changes; use tuples and frozen dataclasses", state)
    return first


def turn_of(game: Game[Any, Any], state: Any) -> int:
    turn = call(game, game.turn, state, state=state)
    if type(turn) is not int:  # an integer of another make will do
        try:
            turn = as_int(turn)
        except TypeError:
            raise fault(game, f"turn is {shown(turn)}, which is not a whole number", state) from None
    if not 0 <= turn < game.players:
        raise fault(game, f"turn is {turn}, allowed are 0 to {game.players - 1}", state)
    return turn


def action_list(game: Game[Any, Any], state: Any) -> list[Any]:
    actions = call(game, game.actions, state, state=state)
    if type(actions) not in (tuple, list) and not isinstance(actions, Sequence):
        raise fault(
            game, f"actions returned {shown(actions)}; return a tuple of actions, () when the game is over", state
        )
    return listed(game, "actions", actions, MOST_ACTIONS, state)


def hash_moves(game: Game[Any, Any], moves: Sequence[Any], rule: str, state: Any, action: Any = NOTHING) -> None:
    """Refuse actions or outcomes that cannot be hashed."""
    try:
        hash(tuple(moves))
    except BaseException as error:
        raise refusal(game, f"{rule} lists one that cannot be hashed, which", error, state, action) from error


def listed(
    game: Game[Any, Any], rule: str, items: Iterable[Any], most: int, state: Any, action: Any = NOTHING
) -> list[Any]:
    """What a rule has returned, which may be made only now, and may have no end."""
    try:
        found = list(islice(items, most + 1))
    except BaseException as error:
        raise refusal(game, rule, error, state, action) from error
    if len(found) > most:
        raise LimitError(f"{name_of(game)}: {rule} lists more than {most:,} {where(state, action)}")
    return found


def outcomes_of(game: Game[Any, Any], state: Any, action: Any) -> list[tuple[Hashable, int, Any]]:
    """The lottery of an action, with its weights checked."""
    lottery = call(game, game.step, state, action, state=state, action=action)
    triples = (
        listed(game, "step", lottery, MOST_OUTCOMES, state, action) if isinstance(lottery, Iterable) else [lottery]
    )
    found = []
    for triple in triples:
        try:
            outcome, weight, to = triple
            found.append((outcome, as_int(weight), to))
        except Exception:
            raise fault(
                game,
                f"step must return (outcome, whole weight, next state) triples, got {shown(triple)}",
                state,
                action,
            ) from None
        if found[-1][1] <= 0:
            raise fault(
                game, f"outcome {shown(outcome)} has weight {shown(weight)}; weights are positive", state, action
            )
        hashed(game, to)
    if not found:
        raise fault(game, "step returned no outcome", state, action)
    return found


def reward_of(game: Game[Any, Any], state: Any, action: Any, outcome: Any) -> tuple[Number, ...]:
    pay = call(game, game.reward, state, action, outcome, state=state, action=action)
    return pay_row(game, pay, "reward", state=state, action=action)


def payoff_of(game: Game[Any, Any], state: Any) -> tuple[Number, ...]:
    return pay_row(game, call(game, game.payoff, state, state=state), "payoff", state=state)


def pay_row(game: Game[Any, Any], pay: Pay, what: str, *, state: Any, action: Any = NOTHING) -> tuple[Number, ...]:
    """A pay with one number per player."""
    row = pay_each(pay, game.players)
    if len(row) != game.players:
        raise fault(game, f"{what} {shown(pay)} has {len(row)} entries for {game.players} players", state, action)
    for number in row:
        if not isinstance(number, int | float | Fraction):
            raise fault(
                game,
                f"{what} {shown(pay)} is not a number (int, float or Fraction) or a tuple of one per player",
                state,
                action,
            )
        if isinstance(number, float) and not math.isfinite(number):
            raise fault(game, f"{what} {shown(pay)} is not finite", state, action)
        if not -LARGEST_PAY <= number <= LARGEST_PAY:
            raise fault(game, f"{what} {shown(pay)} is too large; up to {LARGEST_PAY:g} can be reckoned", state, action)
    return row


def rotated(row: tuple[Number, ...], turn: int) -> tuple[Number, ...]:
    """A pay per player as the mover sees it: entry j belongs to the j-th player from the mover on."""
    return row[turn:] + row[:turn]


def rotation_fault(game: Game[Any, Any], state: Any, first: Any, *, thorough: bool = True) -> RulesError | None:
    """What is wrong with `first` as the same position with the mover as player 0; None if nothing is."""
    if not same(game, call(game, game.as_first, first, state=first), first, "states", state):
        return fault(game, "as_first changes its own result", state)
    if turn_of(game, first) != 0:
        return fault(game, "as_first must make the mover player 0", state)
    actions = action_list(game, state)
    if not same(game, action_list(game, first), actions, "actions", state):
        return fault(game, "as_first changes the actions", state)
    turn = turn_of(game, state)
    if not actions:
        alike = rotated(payoff_of(game, state), turn) == payoff_of(game, first)
        return None if alike else fault(game, "as_first changes the payoff", state)
    for action in actions[:ACTIONS_COMPARED] if thorough else ():
        here, there = outcomes_of(game, state, action), outcomes_of(game, first, action)
        if not same(game, [edge[:2] for edge in here], [edge[:2] for edge in there], "outcomes", state):
            return fault(game, "as_first changes what may happen", state, action)
        for (outcome, _, to), (_, _, twin) in zip(here, there, strict=True):
            after, twin_after = (call(game, game.as_first, at, state=at) for at in (to, twin))
            turned = (turn_of(game, to) - turn) % game.players
            if not same(game, after, twin_after, "states", state) or turned != turn_of(game, twin):
                return fault(game, "as_first leads to another position", state, action)
            if rotated(reward_of(game, state, action, outcome), turn) != reward_of(game, first, action, outcome):
                return fault(game, "as_first changes the reward", state, action)
    return None


def unsteady(game: Game[Any, Any], state: Any) -> RulesError | None:
    """What the rules answer differently when they are asked again; None if nothing."""
    before = hashed(game, state)
    if not same(game, state, state, "states", state):
        return fault(game, "a state is not equal to itself", state)
    actions = action_list(game, state)
    for action in actions[:ACTIONS_COMPARED]:
        lottery, again = outcomes_of(game, state, action), outcomes_of(game, state, action)
        if hashed(game, state) != before:
            return fault(game, "step changes the state that it is given; make a new one", state, action)
        if not same(game, lottery, again, "outcomes", state):
            return fault(
                game,
                "step gives another answer when it is asked again; list what may happen with its weights, and leave "
                "chance to dicewise",
                state,
                action,
            )
        for outcome, _, _ in lottery if type(game).reward is not Game.reward else ():
            if reward_of(game, state, action, outcome) != reward_of(game, state, action, outcome):
                return fault(game, "reward gives another answer when it is asked again", state, action)
    if not same(game, action_list(game, state), actions, "actions", state):
        return fault(game, "actions gives another answer when it is asked again", state)
    return None
