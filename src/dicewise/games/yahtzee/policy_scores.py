"""How games of Yahtzee end for somebody who plays by any policy, such as a rule of thumb: the exact distribution.

A policy is asked about every roll of every card that it comes to, and chances flow forwards: from a card with its
points so far to the rolls, to the dice that the policy keeps, to the boxes, to the next card,

    M(card')[points + gain] += chance of the roll and the box * M(card)[points]

Cards are taken by the number of boxes that are used. It is slower than `distribution`, which knows what best play does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dicewise.errors import InputError
from dicewise.game import Progress
from dicewise.games.yahtzee._layout import Floats, Layout, layout
from dicewise.games.yahtzee.distribution import Scores
from dicewise.games.yahtzee.position import Keep, Position
from dicewise.games.yahtzee.rules import Yahtzee
from dicewise.games.yahtzee.turn import scoring

Choose = Callable[[Position], Any]
"""An action for a position, or a mix: a mapping from actions to weights."""


def policy_scores(
    game: Yahtzee,
    policy: Choose,
    card: Position | None = None,
    *,
    by_boxes: bool = False,
    progress: Progress | None = None,
) -> Scores:
    """The distribution from the start of a turn on. A policy that goes `by_boxes` looks at the open boxes and the dice
    alone: it is asked once for all cards that differ in nothing else, which is much quicker."""
    state = game.start()._replace(need=0, scores=None) if card is None else card._replace(need=0, scores=None)
    if state.dice:
        raise InputError(f"position {game.text(state)!r} is in the middle of a turn; leave out the dice")
    return _Flow(game, policy, state, by_boxes).run(progress)


class _Flow:
    def __init__(self, game: Yahtzee, policy: Choose, start: Position, by_boxes: bool) -> None:
        self.game, self.policy, self.start, self.by_boxes = game, policy, start, by_boxes
        self.rules: Layout = layout(game)
        counts = self.rules.nodes.counts[self.rules.nodes.rolls].tolist()
        self.dice = [tuple(face for face, n in enumerate(roll, 1) for _ in range(n)) for roll in counts]
        self.alike = np.zeros(len(self.dice), dtype=bool)
        self.alike[self.rules.alike] = True
        self.chance, self.mean, self.zero = (np.zeros(self.rules.boxes) for _ in range(3))
        self.further = self.yahtzees = 0.0

    def run(self, progress: Progress | None) -> Scores:
        game, start = self.game, self.start
        left = [at for at in range(len(game.card)) if not start.used >> at & 1]
        here = {start: Row(0, np.ones(1))}
        steps, done = (1 << len(left)) - 1, 0
        for _ in left:
            onward: dict[Position, Row] = {}
            by_used = defaultdict(list)
            for card in here:
                by_used[card.used].append(card)
            for used, cards in by_used.items():
                ends = self._ends(cards[0]) if self.by_boxes else None
                for card in cards:
                    self._move(card, self._ends(card) if ends is None else ends, here.pop(card), onward)
                done += 1
                if progress is not None:
                    progress(done / steps, f"following the play, {used.bit_count()} boxes used")
            here = onward
        points = Row(0, np.zeros(1))
        bonus = 0.0
        for card, row in here.items():
            points.add(row.low, row.chances)
            bonus += float(row.chances.sum()) * (0 < game.upper_at <= card.upper)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean, zero = (np.where(self.chance > 0, tally / self.chance, 0.0) for tally in (self.mean, self.zero))
        return Scores(
            points=points.chances.tolist(),
            boxes=[game.words[at] for at in left],
            means=mean[left].tolist(),
            zeros=zero[left].tolist(),
            bonus=bonus if game.upper_at else None,
            further=self.further,
            yahtzees=self.yahtzees,
            doubt=0.0,
        )

    # ---- one turn

    def _ends(self, card: Position) -> Floats:
        """The chance that a turn ends with each roll in each box: [box, roll]."""
        nodes, rules = self.rules.nodes, self.rules
        ends = np.zeros((rules.boxes, len(self.dice)))
        flow = np.zeros(nodes.nodes)
        flow[nodes.rolls] = rules.first_roll
        for left in range(self.game.rerolls, -1, -1):
            kept = np.zeros(nodes.nodes)
            for roll in np.flatnonzero(flow[nodes.rolls]).tolist():
                mass = float(flow[nodes.rolls.start + roll])
                for action, share in self._chosen(card._replace(dice=self.dice[roll], rerolls=left)):
                    if isinstance(action, Keep):
                        kept[nodes.number(self.game.counts(action))] += share * mass
                    else:
                        ends[self.game.words.index(action), roll] += share * mass
            flow = kept
            for size in range(nodes.dice):
                level = slice(nodes.first[size], nodes.first[size + 1])
                for face in range(nodes.faces):  # a face leads every node of a level to another one
                    flow[nodes.more[level, face]] += flow[level] / nodes.faces
            flow[: nodes.rolls.start] = 0.0
        return ends

    def _chosen(self, state: Position) -> list[tuple[Any, float]]:
        """What the policy does, with which chances."""
        legal = self.game.actions(state)
        answer = legal[0] if len(legal) == 1 else self.policy(state)
        mix = list(answer.items()) if isinstance(answer, Mapping) else [(answer, 1)]
        for action, _ in mix:
            if action not in legal:
                raise InputError(
                    f"the policy answers {action!r:.80} at {self.game.text(state)!r}, which is not allowed"
                )
        total = sum(weight for _, weight in mix)
        return [(action, float(weight / total)) for action, weight in mix if weight]

    def _move(self, card: Position, ends: Floats, row: Row, onward: dict[Position, Row]) -> None:
        """Move the points of a card on to the cards that follow."""
        rules, mass = self.rules, float(row.chances.sum())
        after = scoring(rules, card.used, card.upper, int(card.extra))
        earns = (after.upper >= rules.limit) & (card.upper < rules.limit)
        more = rules.extra * (self.alike & (card.extra and bool(card.used >> rules.yahtzee & 1)))
        held = after.gain - rules.bonus * earns - more
        self.chance += mass * ends.sum(axis=1)
        self.mean += mass * (ends * held).sum(axis=1)
        self.zero += mass * (ends * (held == 0)).sum(axis=1)
        self.yahtzees += mass * float(ends[:, self.alike].sum())
        self.further += mass * float(ends[:, more > 0].sum())
        moved: dict[tuple[int, ...], float] = defaultdict(float)
        taken = np.nonzero(ends)
        columns = (taken[0], *(table[taken] for table in (after.gain, after.upper, after.extra, ends)))
        for *key, chance in zip(*(column.tolist() for column in columns), strict=True):
            moved[tuple(key)] += chance
        for (box, gain, upper, extra), chance in moved.items():
            to = Position(card.used | 1 << box, upper, bool(extra))
            if to in onward:
                onward[to].add(row.low + gain, chance * row.chances)
            else:
                onward[to] = Row(row.low + gain, chance * row.chances)


@dataclass
class Row:
    """The chances of numbers of points, from `low` on."""

    low: int
    chances: Floats

    def add(self, low: int, chances: Floats) -> None:
        first, end = min(self.low, low), max(self.low + len(self.chances), low + len(chances))
        if (first, end) != (self.low, self.low + len(self.chances)):
            longer = np.zeros(end - first)
            longer[self.low - first :][: len(self.chances)] = self.chances
            self.low, self.chances = first, longer
        self.chances[low - first :][: len(chances)] += chances
