"""Drill: one's own worst positions again, spaced by Leitner's boxes.

Every position in which a mistake was made is a card. A new card lies in box 1. A card that is answered right moves up
one box, one that is not goes back to box 1, and a card in box b is due again `DAYS[b]` days after it was answered, so
that what is known comes up ever more rarely (S. Leitner, "So lernt man lernen", 1972). Right is what loses nothing, or
no more than a near-tie. Cards come from the games that are kept; the records keep their boxes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

from dicewise.game import Game
from dicewise.play.records import Drill, Records
from dicewise.play.review import Decision, judge
from dicewise.play.trend import Played
from dicewise.play.why import Comparison, why
from dicewise.solution import Solution

DAYS = {1: 0, 2: 1, 3: 3, 4: 7, 5: 21}
"""After how many days a card in a box is asked again."""


@dataclass(frozen=True)
class Card:
    """A position in which mistakes were made, and how well it is known."""

    key: str
    game: Game[Any, Any]
    state: Any
    """Seen by its mover, as far as the game rotates seats."""
    names: tuple[str, ...]
    """Who sat there, the last time."""
    chosen: Any
    """The action that was chosen there, the dearest time."""
    times: int
    loss: Fraction
    """What it cost altogether, in payoff ranges."""
    box: int = 1
    due: str = ""
    """When it is to be asked, in UTC; empty for at once."""
    asked: int = 0
    right: int = 0


@dataclass(frozen=True)
class Answer:
    """What an answer was worth."""

    right: bool
    decision: Decision
    why: Comparison
    """The answer beside the best action; where it is one, what was chosen in the game instead."""
    card: Card
    """The card where it lies now."""


def cards(games: Iterable[Played], records: Records) -> list[Card]:
    """All positions in which mistakes were made, the most costly first, in the boxes where they lie."""
    found: dict[str, Card] = {}
    dearest: dict[str, Fraction] = {}
    for played in games:
        game = played.review.game
        for step in played.steps:
            decision = step.decision
            if decision is None or not decision.is_mistake:
                continue
            state, chosen = game.as_first(step.move.state), step.move.action
            key = json.dumps([played.record.game, game.text(state)], ensure_ascii=False)
            names = _rotated(played.review.names, step.move.player - game.turn(state))
            card = found.get(key) or Card(key, game, state, names, chosen, 0, Fraction(0))
            if decision.loss > dearest.get(key, 0):
                dearest[key] = decision.loss
                card = replace(card, chosen=chosen)
            found[key] = replace(card, names=names, times=card.times + 1, loss=card.loss + decision.share)
    kept = records.drills()
    laid = [_laid(card, kept[key]) if key in kept else card for key, card in found.items()]
    return sorted(laid, key=lambda card: -card.loss)


def _rotated(names: tuple[str, ...], seats: int) -> tuple[str, ...]:
    """The names, as far as the position is rotated for its mover."""
    seats %= len(names)
    return names[seats:] + names[:seats]


def _laid(card: Card, kept: Drill) -> Card:
    counts = kept.data if isinstance(kept.data, dict) else {}
    asked, right = (counts.get(name, 0) for name in ("asked", "right"))
    return replace(card, box=min(max(kept.box, 1), len(DAYS)), due=kept.due, asked=asked, right=right)


def is_due(card: Card, now: datetime) -> bool:
    """Whether a card is to be asked again."""
    return card.due <= _moment(now)


def answer(
    card: Card, action: Any, solution: Solution[Any, Any], records: Records, *, near_tie: Fraction, now: datetime
) -> Answer:
    """Judge an answer, and lay the card into the box where it now belongs, on the disk when this returns."""
    decision = judge(solution, card.state, action, near_tie)
    assert decision is not None  # a mistake was made there, so there is something to choose
    right = not decision.is_mistake
    box = min(card.box + 1, len(DAYS)) if right else 1
    due = _moment(now + timedelta(days=DAYS[box]))
    card = replace(card, box=box, due=due, asked=card.asked + 1, right=card.right + right)
    records.put_drill(card.key, Drill(box, due, {"asked": card.asked, "right": card.right}))
    compared = action if decision.loss else card.chosen
    return Answer(right, decision, why(card.game, solution, card.state, compared), card)


def _moment(when: datetime) -> str:
    """As the records write moments, which sort as they follow one another."""
    return when.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
