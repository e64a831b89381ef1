"""The Bellman equations of hold dice, checked for all rolls at once.

They are written down as the rules say them, with the chance of every roll of the other dice, and share nothing with
the sweeps by which the solvers find their values:

    after(r, stick) = S(r)
    after(r, keep)  = -c + sum over rolls of the k - |keep| other dice of P(roll) V(keep + roll)

Every pair of a keep and a roll of the others is looked at, C(k+2f-1, 2f-1) of them (12,376 for 6d6). What the largest
violation says about the values is explained in `_kernel`.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial, prod
from typing import Any, NamedTuple

import numpy as np

from dicewise.game import Number, Progress
from dicewise.games.dice_lattice import Lattice, Values
from dicewise.games.hold_dice._kernel import error_bound
from dicewise.games.hold_dice._layout import Nodes, dice_of
from dicewise.games.hold_dice.rules import HoldDice, Position
from dicewise.solution import UNIT_ROUNDOFF, Violation

CHUNK = 1_000_000
"""Pairs of a keep and a roll that are looked at in one go."""


class _Sums(NamedTuple):
    """What follows from the values by the rules."""

    best: Values
    """What the best action is worth at each roll."""
    chosen: Values
    """What the chosen action is worth at each roll."""
    start: Any


def check(game: HoldDice, worth: Values, chosen: Nodes, exact: bool, progress: Progress | None) -> Violation:
    """Hold the values of the rolls and of the start against the equations."""
    dice = dice_of(game)
    nodes = dice.lattice
    number: Any = Fraction if exact else float
    values = np.array([number(value) for value in worth[nodes.rolls].tolist()], dtype=object if exact else float)
    stick = dice.stick
    if exact:
        whole = dice_of(game, exact=True)
        stick = np.array([Fraction(score, whole.unit) for score in whole.stick], dtype=object)
    sums = _sums(game, nodes, values, stick, chosen, exact, progress)
    claimed = np.append(values, number(worth[0]))
    found = np.append(sums.best, sums.start)
    cost: Number = number(game.cost)
    if not cost:  # waiting for the best roll is free, and the only way to it that the equations do not show
        found[:] = stick.max()
    gaps = np.abs(claimed - found)
    at = int(gaps.argmax())
    where = game.start() if at == len(values) else _roll(game, nodes, nodes.rolls.start + at)
    largest = gaps[at] if exact else float(gaps[at])
    bound: Number
    if not exact:
        terms = len(values) + 4
        bound = largest if not cost else error_bound(dice, values, largest + terms * UNIT_ROUNDOFF * dice.size)
    elif not cost or not largest:
        bound = largest
    else:
        bound = stick.max() - stick.min() + largest
        if 2 * largest <= cost:
            most = max(values.max(), stick.max()) + cost
            bound = min(bound, largest * (most - values.min()) / (cost - largest) + largest)
    loss = (sums.best - sums.chosen).max()
    return Violation(len(claimed), largest, game.text(where), loss if exact else float(loss), bound)


def _sums(
    game: HoldDice,
    nodes: Lattice,
    values: Values,
    stick: Values,
    chosen: Nodes,
    exact: bool,
    progress: Progress | None,
) -> _Sums:
    cost = game.cost if exact else float(game.cost)
    best, picked = stick.copy(), stick.copy()
    first = nodes.rolls.start
    start = None
    for size in range(nodes.dice):
        keeps = nodes.counts[nodes.first[size] : nodes.first[size + 1]].astype(np.int64)
        rolled = nodes.counts[nodes.first[nodes.dice - size] : nodes.first[nodes.dice - size + 1]].astype(np.int64)
        chances = _chances(game, rolled, exact)
        step = max(1, CHUNK // len(rolled))
        for begin in range(0, len(keeps), step):
            part = keeps[begin : begin + step]
            reached = _ranks(part[:, None, :] + rolled[None, :, :], nodes)
            worth = values[reached] @ chances
            if size == 0:
                start = worth[0]
            for row, keep in enumerate(range(nodes.first[size] + begin, nodes.first[size] + begin + len(part))):
                after, rolls = worth[row] - cost, reached[row]
                best[rolls] = np.maximum(best[rolls], after)
                same = rolls[chosen[rolls] == keep]
                picked[same] = after
        if progress is not None:
            progress((size + 1) / nodes.dice, "certifying")
    assert first + len(values) == nodes.nodes
    return _Sums(best, picked, start)


def _chances(game: HoldDice, rolled: Values, exact: bool) -> Values:
    """How likely each roll is: k! times the product over the faces of p^n / n!."""
    total = sum(game.chances) ** int(rolled[0].sum())
    found = []
    for counts in rolled.tolist():
        ways = factorial(sum(counts)) // prod(map(factorial, counts))
        weight = ways * prod(chance**count for chance, count in zip(game.chances, counts, strict=True))
        found.append(Fraction(weight, total) if exact else weight / total)
    return np.array(found, dtype=object if exact else float)


def _ranks(counts: Values, nodes: Lattice) -> Nodes:
    """The places of rolls among the rolls, by how often they have each face."""
    faces, dice = nodes.faces, nodes.dice
    above = np.zeros(counts.shape[:-1], dtype=np.int64)
    rank = np.zeros(counts.shape[:-1], dtype=np.int64)
    for face in range(faces - 1, 0, -1):
        above += counts[..., face]
        rank += np.array([comb(n + faces - 1 - face, faces - face) for n in range(dice + 1)])[above]
    return rank


def _roll(game: HoldDice, nodes: Lattice, node: int) -> Position:
    return Position(
        tuple(value for value, count in zip(game.shown, nodes.counts[node].tolist(), strict=True) for _ in range(count))
    )
