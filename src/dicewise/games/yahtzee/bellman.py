"""The Bellman equations of Yahtzee, checked for all anchors at once.

They are written down as the rules say them and share nothing with the sweeps by which the solver finds its values:
rolls after a keep come with the chances of all ways in which dice can fall, and the keeps of a roll are all its parts.

    W(card) = sum over rolls r of P(r) V_k(r)
    V_k(r)  = max( V_0(r), max over parts k of r of  sum over rolls r' of P(r' | k) V_{k-1}(r') )
    V_0(r)  = max over boxes of what the box pays, with all that comes with it, and W of the card that follows

A game has as many turns as boxes, so that as many violations can add up on the way to any card.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from dicewise.game import Progress
from dicewise.games.yahtzee._layout import Floats, Layout, chance_of
from dicewise.solution import Violation


def check(
    rules: Layout, rerolls: int, table: Floats, rounding: float, name: Any, progress: Progress | None
) -> Violation:
    """Hold a table [used and flag, upper] (earned bonuses counted in) against the equations; `name` says an anchor."""
    fall, (parts, first) = _fall(rules), _parts(rules)
    largest, where, count = 0.0, (0, 0, 0), 0
    for used in range((1 << rules.boxes) - 1):
        filled = rules.yahtzee < rules.boxes and used >> rules.yahtzee & 1
        reach = int(rules.reach(np.array([used]))[0])
        for flag in range(rules.flags if filled else 1):
            worth = _scored(rules, table, used, flag, np.arange(reach))
            best = worth
            for _ in range(rerolls):
                best = np.maximum(worth, np.maximum.reduceat((fall @ best)[parts], first, axis=0))
            gaps = np.abs(rules.first_roll @ best - table[used * rules.flags + flag, :reach])
            count += reach
            if gaps.max() > largest:
                largest, where = float(gaps.max()), (used, flag, int(gaps.argmax()))
        if progress is not None and used % 64 == 0:
            progress(used / (1 << rules.boxes), "certifying")
    return Violation(count, largest, name(*where), 0.0, rules.boxes * (largest + rounding))


def _scored(rules: Layout, table: Floats, used: int, flag: int, upper: Any) -> Floats:
    """What each roll is worth at the end of a turn: [roll, upper]."""
    rolls = rules.points.shape[1]
    best = np.full((rolls, len(upper)), -np.inf)
    joker_box = rules.yahtzee < rules.boxes and used >> rules.yahtzee & 1
    any_lower = any(not used >> box & 1 and not rules.is_upper[box] for box in range(rules.boxes))
    for box in range(rules.boxes):
        if used >> box & 1:
            continue
        paid = rules.points[box].astype(float)
        allowed = np.ones(rolls, dtype=bool)
        if joker_box:
            for face, roll in enumerate(rules.alike.tolist()):
                own = int(rules.own_box[face])
                own_open = own < rules.boxes and not used >> own & 1
                if rules.joker == 1:
                    allowed[roll] = box == own if own_open else not any_lower or not rules.is_upper[box]
                if rules.joker and not own_open and not rules.is_upper[box]:
                    paid[roll] = rules.as_joker[box, face]
        added = rules.points[box] if rules.is_upper[box] else np.zeros(rolls, dtype=np.int64)
        after = np.minimum(upper + added[:, None], rules.limit)
        turned = np.full(rolls, flag)
        if box == rules.yahtzee and rules.flags == 2:
            turned = np.where(paid > 0, 1, flag)
        onward = table[((used | 1 << box) * rules.flags + turned)[:, None], after]
        best = np.maximum(best, np.where(allowed[:, None], paid[:, None] + onward, -np.inf))
    if joker_box and flag:
        best[rules.alike] += rules.extra
    return best


def _fall(rules: Layout) -> Floats:
    """The chance of each roll once some dice are kept: [node, roll]."""
    nodes = rules.nodes
    counts = nodes.counts.astype(int)
    rolls = counts[nodes.rolls]
    fall = np.zeros((nodes.nodes, len(rolls)))
    for node in range(nodes.nodes):
        rest = rolls - counts[node]
        for roll in np.flatnonzero((rest >= 0).all(axis=1)).tolist():
            fall[node, roll] = chance_of(tuple(rest[roll].tolist()))
    return fall


def _parts(rules: Layout) -> tuple[Any, Any]:
    """The nodes that are parts of each roll, those of the first roll first, and where those of each roll begin."""
    nodes = rules.nodes
    found = [
        [nodes.number(part) for part in product(*(range(count + 1) for count in counts))]
        for counts in nodes.counts[nodes.rolls].tolist()
    ]
    first = np.cumsum([0, *map(len, found[:-1])])
    return np.array([part for parts in found for part in parts]), first
