"""One turn, from an anchor to the boxes: what every roll and every keep is worth.

The component of the lecture notes: 252 rolls and 462 keeps for five dice. Plain NumPy on the dice lattice, in doubles
or, with arrays of Python objects, in fractions; the slow twin of what is compiled, and what advice is read from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dicewise.games.dice_lattice import Values, best_keep, expect, which_keep
from dicewise.games.yahtzee._layout import Ints, Layout


@dataclass(frozen=True, eq=False)
class Scoring:
    """Where the rolls of a turn may be scored, and what follows: tables [box, roll]."""

    gain: Ints
    """The points, with all that comes with them; -1 where the roll may not be scored."""
    upper: Ints
    """What the upper section holds then."""
    extra: Ints
    """Whether further Yahtzees pay extra then."""


def scoring(rules: Layout, used: int, upper: int, extra: int) -> Scoring:
    """All that may be done with each roll at the end of a turn."""
    is_open = np.array([not used >> box & 1 for box in range(rules.boxes)])
    paid = np.where(is_open[:, None], rules.points, -1)
    is_joker = rules.yahtzee < rules.boxes and used >> rules.yahtzee & 1
    added = np.where(rules.is_upper[:, None] & is_open[:, None], rules.points, 0)
    if is_joker:
        for face, roll in enumerate(rules.alike.tolist()):
            paid[:, roll] = _as_joker(rules, is_open, face, paid[:, roll])
    after = np.minimum(upper + added, rules.limit)
    gain = np.where((upper < rules.limit) & (after >= rules.limit) & (paid >= 0), paid + rules.bonus, paid)
    if is_joker and extra:
        yahtzees = rules.alike
        gain[:, yahtzees] = np.where(gain[:, yahtzees] >= 0, gain[:, yahtzees] + rules.extra, -1)
    further = np.full(paid.shape, extra)
    if rules.flags == 2 and rules.yahtzee < rules.boxes:
        further[rules.yahtzee] = np.maximum(extra, paid[rules.yahtzee] > 0)
    return Scoring(gain, after, further)


def _as_joker(rules: Layout, is_open: Any, face: int, paid: Ints) -> Ints:
    """What a Yahtzee may score once the Yahtzee box is filled."""
    own = int(rules.own_box[face])
    own_open = own < rules.boxes and bool(is_open[own])
    in_full = np.where(is_open & ~rules.is_upper, rules.as_joker[:, face], -1)
    if rules.joker == 1 and own_open:
        return np.where(np.arange(rules.boxes) == own, paid, -1)
    if rules.joker == 1 and (in_full >= 0).any():
        return in_full
    if rules.joker == 2 and not own_open:
        return np.maximum(paid, in_full)
    return paid


@dataclass(frozen=True, eq=False)
class Turn:
    """What everything in a turn is worth."""

    boxes: Values
    """[box, roll]; minus infinity where the roll may not be scored."""
    rolls: list[Values]
    """What each roll is worth while so many rerolls are left."""
    keeps: list[Values]
    """What each node, rolls included, is worth if it is kept for the last, the last but one ... reroll."""
    start: Any
    """What the turn is worth before the first roll."""


def turn(rules: Layout, boxes: Values, rerolls: int, chance: Any) -> Turn:
    """A turn, given what scoring each roll in each box is worth; `chance` is that of a face."""
    nodes = rules.nodes
    chances = np.array([chance] * nodes.faces, dtype=boxes.dtype)
    rolls, keeps = [boxes.max(axis=0)], []
    for _ in range(rerolls):
        worth = _expected(rules, chances, rolls[-1])
        room = np.empty(nodes.nodes + 1, dtype=worth.dtype)
        best = best_keep(nodes.first, nodes.less, worth, room)
        keeps.append(worth)
        rolls.append(np.maximum(rolls[0], best))
    return Turn(boxes, rolls, keeps, _expected(rules, chances, rolls[-1])[0])


def _expected(rules: Layout, chances: Values, rolls: Values) -> Values:
    nodes = rules.nodes
    worth = np.empty(nodes.nodes, dtype=rolls.dtype)
    worth[nodes.rolls] = rolls
    expect(nodes.first, nodes.more, chances, worth)
    return worth


@dataclass(frozen=True, eq=False)
class Lookout:
    """Where the best play of a turn leads: one number, or several, for everything that can be done in it."""

    scored: Values
    """For every box and roll: [box, roll, number]."""
    kept: list[Values]
    """For every node, if it is kept for the last, the last but one ... reroll: [node, number]."""
    start: Values
    """Before the first roll."""


def look_out(rules: Layout, turn: Turn, tolerance: float, scored: Values) -> Lookout:
    """What to expect of each action, given what to expect once a roll is scored in a box ([box, roll, number]).

    The play is the best: of equally good actions the one that keeps the most dice, boxes last.
    """
    nodes = rules.nodes
    first_best = (turn.boxes >= turn.rolls[0] - tolerance).argmax(axis=0)
    at_once = scored[first_best, np.arange(len(first_best))]
    chances = np.full(nodes.faces, 1 / nodes.faces)
    rolls, kept = at_once, []
    for worth in turn.keeps:
        found = np.empty((nodes.nodes, scored.shape[2]))
        found[nodes.rolls] = rolls
        expect(nodes.first, nodes.more, chances, found)
        kept.append(found)
        top, keep = which_keep(nodes.first, nodes.less, worth, tolerance, most=True)
        rolls = np.where((turn.rolls[0] > top + tolerance)[:, None], at_once, found[keep])
    return Lookout(scored, kept, rules.first_roll @ rolls)
