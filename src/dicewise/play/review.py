"""Review: what each decision of a game gave away, and what the dice did about it.

With the values V of a solution, and W(s, a) what a position is worth once the action is chosen and before the dice are
rolled, a move from s by action a to s' with the rewards r splits for every player p into

    skill[p] = W(s, a)[p] - V(s)[p]               what the choice changed; to the mover it is minus the loss
    luck[p]  = r[p] + V(s')[p] - W(s, a)[p]       what chance changed; its mean is 0

and over a game the sum telescopes: result[p] - V(start)[p] = sum of skill[p] + sum of luck[p]. All players' decisions
count in it, since another's mistake is a gift. Floating-point values are taken as the fractions that they are, so that
nothing is lost to rounding, and the identity holds exactly whatever the solution.

Mistakes are measured by the payoff range of the game. Over the decisions of a player that count (something to choose,
no advice asked for, not taken back)

    accuracy = 100 * B / (B + L),    L = sum of the losses,    B = sum of the blind losses,

where the blind loss of a decision is the mean loss of its actions: 100 is perfect, 50 no better than choosing with
closed eyes. It has no unit, and decisions that matter more weigh more. Near-ties count as no loss.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dicewise.errors import InputError
from dicewise.game import Game, pay_each
from dicewise.solution import Choice, Solution

if TYPE_CHECKING:
    from dicewise.play.session import Move, Session

NEAR_TIE = 0.001
"""Losses below this share of the payoff range are no mistakes."""

BEST, NEAR, SETTLED = "best", "near-tie", "nothing to lose"
MISTAKES = (("slip", Fraction(1, 100)), ("mistake", Fraction(1, 20)), ("blunder", None))
"""What a loss is called, up to which share of the payoff range."""

GRADES = (("A+", 99), ("A", 95), ("B", 90), ("C", 80), ("D", 65), ("E", 50), ("F", 0))
"""From which accuracy on a grade is given; F is worse than choosing with closed eyes."""


@dataclass(frozen=True)
class Decision:
    """A move in which there was something to choose, held against the best."""

    best: Any
    """The best action; where several are equally good, the first listed."""
    value: Fraction
    """What the best action is worth to the mover."""
    loss: Fraction
    """What the action chosen gives away."""
    blind_loss: Fraction
    """The mean loss of all actions."""
    share: Fraction
    """The loss as a share of the payoff range."""
    verdict: str
    """`best`, `near-tie`, `slip`, `mistake`, `blunder`, or `nothing to lose` where all actions are worth the same."""

    @property
    def is_mistake(self) -> bool:
        return self.verdict not in (BEST, NEAR, SETTLED)


@dataclass(frozen=True)
class Step:
    """A move with what the choice and what chance changed, one entry per player."""

    number: int
    """The place of the move in the game, from 1."""
    move: Move[Any, Any]
    decision: Decision | None
    """None for a forced move."""
    skill: tuple[Fraction, ...]
    luck: tuple[Fraction, ...]
    undone: bool = False

    @property
    def counts(self) -> bool:
        """Whether it says something about the mover's skill: a choice of one's own, not taken back, that matters."""
        return (
            self.decision is not None
            and self.decision.verdict != SETTLED
            and not (self.undone or self.move.hinted or self.move.forced)
        )


@dataclass(frozen=True)
class Score:
    """Decisions in sum: how many counted, what they gave away, and what blind choices would have."""

    decisions: int = 0
    mistakes: int = 0
    loss: Fraction = Fraction(0)
    """In payoff ranges, near-ties counted as nothing."""
    blind_loss: Fraction = Fraction(0)

    def __add__(self, other: Score) -> Score:
        return Score(
            self.decisions + other.decisions,
            self.mistakes + other.mistakes,
            self.loss + other.loss,
            self.blind_loss + other.blind_loss,
        )

    @property
    def accuracy(self) -> float | None:
        """From 0 to 100; None where there was nothing to decide."""
        if not self.blind_loss:
            return None
        return float(100 * self.blind_loss / (self.blind_loss + self.loss))

    @property
    def grade(self) -> str | None:
        accuracy = self.accuracy
        return None if accuracy is None else next(grade for grade, least in GRADES if accuracy >= least)


@dataclass(frozen=True)
class Review:
    """A game, finished or not, move by move."""

    game: Game[Any, Any]
    names: tuple[str, ...]
    start: tuple[Fraction, ...]
    """What the game was worth to each player before it began."""
    result: tuple[Fraction, ...]
    """What each player got, or, where the game is not over, has got so far and may still expect."""
    finished: bool
    steps: tuple[Step, ...]
    undone: tuple[Step, ...]
    """Moves that were taken back: looked at, but counted nowhere."""
    range: Fraction
    """The payoff range, what mistakes are measured by."""
    near_tie: Fraction

    def own_skill(self, player: int) -> Fraction:
        """What a player's own choices changed for that player: never more than 0, but for rounding."""
        return sum((step.skill[player] for step in self.steps if step.move.player == player), Fraction(0))

    def others_skill(self, player: int) -> Fraction:
        """What the choices of the others changed for a player."""
        return sum((step.skill[player] for step in self.steps if step.move.player != player), Fraction(0))

    def luck(self, player: int) -> Fraction:
        """What chance changed for a player."""
        return sum((step.luck[player] for step in self.steps), Fraction(0))

    def decisions(self, player: int) -> list[Step]:
        """The moves of a player in which there was something to choose."""
        return [step for step in self.steps if step.move.player == player and step.decision is not None]

    def mistakes(self, player: int) -> list[Step]:
        """The moves of a player that gave something away, the worst first; hinted ones are not held against anybody."""
        found = [s for s in self.decisions(player) if s.counts and s.decision is not None and s.decision.is_mistake]
        return sorted(found, key=lambda step: -step.decision.loss if step.decision else 0)

    def score(self, player: int) -> Score:
        """A player's decisions in sum."""
        total = Score()
        for step in self.decisions(player):
            if step.counts and (decision := step.decision) is not None:
                loss = decision.share if decision.is_mistake else Fraction(0)
                blind = decision.blind_loss / self.range if self.range else Fraction(0)
                total += Score(1, int(decision.is_mistake), loss, blind)
        return total


def review(
    session: Session[Any, Any], solution: Solution[Any, Any], *, near_tie: float | Fraction = NEAR_TIE
) -> Review:
    """What each move of a session gave away and what chance did, by a solution of the same game."""
    game = session.game
    if solution.game != game:
        raise InputError(f"the solution is of {solution.game.spec}, the session of {game.spec}: solve that game")
    if solution.gamma != 1:
        raise InputError("a discounted solution answers for another game; review with one that is not discounted")
    least = near_tie_share(near_tie)
    rewards = [_rewards(game, move) for move in session.moves]
    collected = [sum(paid, Fraction(0)) for paid in zip(*rewards, strict=True)] or [Fraction(0)] * game.players
    ahead = _fractions(solution.values(session.state))
    return Review(
        game=game,
        names=tuple(session.names),
        start=_fractions(solution.values(session.start)),
        result=tuple(got + left for got, left in zip(collected, ahead, strict=True)),
        finished=session.over,
        steps=tuple(_step(solution, at, move, least, False) for at, move in enumerate(session.moves, start=1)),
        undone=tuple(_step(solution, before + 1, move, least, True) for before, move in session.undone),
        range=payoff_range(solution),
        near_tie=least,
    )


def near_tie_share(given: float | Fraction) -> Fraction:
    """A near-tie as a share of the payoff range; a float counts as the decimal that it prints as."""
    try:
        share = Fraction(str(given)) if isinstance(given, float) else Fraction(given)
    except ValueError:  # nan, inf
        share = Fraction(-1)
    if not 0 <= share <= 1:
        raise InputError(f"near-tie {given} is not allowed; it is a share of the payoff range, from 0 to 1")
    return share


def judge(
    solution: Solution[Any, Any], state: Any, action: Any, near_tie: Fraction, choices: Sequence[Choice[Any]] = ()
) -> Decision | None:
    """An action held against the best; None where there is nothing to choose. `choices` may be known already."""
    choices = choices or solution.choices(state)
    if len(choices) < 2:
        return None
    losses = [Fraction(choice.loss) for choice in choices]
    loss = Fraction(_chosen(choices, action).loss)
    full = payoff_range(solution)
    share = loss / full if full else Fraction(0)
    if not any(losses):
        verdict = SETTLED
    elif not loss:
        verdict = BEST
    elif share < near_tie or not full:
        verdict = NEAR
    else:
        verdict = next(word for word, limit in MISTAKES if limit is None or share < limit)
    return Decision(
        best=choices[0].action,
        value=Fraction(choices[0].value),
        loss=loss,
        blind_loss=sum(losses, Fraction(0)) / len(losses),
        share=share,
        verdict=verdict,
    )


def payoff_range(solution: Solution[Any, Any]) -> Fraction:
    """How far the least and the most that a player may get are apart."""
    low, high = solution.payoff_range
    return Fraction(high) - Fraction(low)


def _step(solution: Solution[Any, Any], number: int, move: Move[Any, Any], near_tie: Fraction, undone: bool) -> Step:
    choices = solution.choices(move.state)
    before, then = _fractions(solution.values(move.state)), _fractions(solution.values(move.to))
    after = _fractions(_chosen(choices, move.action).values)
    return Step(
        number=number,
        move=move,
        decision=judge(solution, move.state, move.action, near_tie, choices),
        skill=tuple(a - b for a, b in zip(after, before, strict=True)),
        luck=tuple(r + t - a for r, t, a in zip(_rewards(solution.game, move), then, after, strict=True)),
        undone=undone,
    )


def _chosen(choices: Sequence[Choice[Any]], action: Any) -> Choice[Any]:
    return next(choice for choice in choices if choice.action == action)


def _rewards(game: Game[Any, Any], move: Move[Any, Any]) -> tuple[Fraction, ...]:
    return _fractions(pay_each(game.reward(move.state, move.action, move.outcome), game.players))


def _fractions(numbers: Sequence[Any]) -> tuple[Fraction, ...]:
    return tuple(Fraction(number) for number in numbers)
