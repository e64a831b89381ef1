"""What any policy of hold dice is worth, exactly: in doubles with a bound, or in fractions.

A policy gives each roll the node that it goes to: itself to stick, a smaller one for the dice to keep. Only few
different keeps are ever chosen. With Q for the chances to come from one of them to the next, b for what is paid until
then and t for the number of rerolls still to come,

    x = b + Q x,    t = Q t + (the chance to reroll)

are small systems, whose coefficients one sweep over the dice lattice yields. Any x' with |x' - b - Q x'| <= d is within
d max(t) of x, and any t' with t' - Q t' >= 1 is at least the number of rolls to come: so the same sums prove how far
doubles are off. A policy that may never stick has no value: it pays for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from dicewise.games.dice_lattice import Values, expect
from dicewise.games.hold_dice._layout import Dice, Nodes
from dicewise.solution import UNIT_ROUNDOFF


class Worth(NamedTuple):
    """What a policy is worth at the start."""

    score: float
    """The mean score, minus infinity for a policy that may never stick."""
    error_bound: float
    """The true mean is no further away than this."""
    deviation: float
    """The standard deviation of the score of one game."""
    rerolls: float
    """The mean number of rerolls that are paid for."""


def flows(dice: Dice, chosen: Nodes, paid: Sequence[tuple[Values | float, float]]) -> tuple[Nodes, Values]:
    """The different keeps that a policy chooses, and for every node the chances to go on to each of them.

    Behind these columns there is one for each pair in `paid`: what is paid until then, if sticking pays the first of
    the pair and a reroll the second.
    """
    nodes = dice.lattice
    again = np.flatnonzero(chosen != dice.own)
    keeps, column = np.unique(chosen[again], return_inverse=True)
    flow = np.zeros((nodes.nodes, len(keeps) + len(paid)), dtype=dice.stick.dtype)
    rolls = flow[nodes.rolls]
    rolls[again, column] = 1
    for at, (stick, reroll) in enumerate(paid, len(keeps)):
        rolls[:, at] = stick
        rolls[again, at] = reroll
    expect(nodes.first, nodes.more, dice.chances, flow)
    return keeps, flow


def evaluate(dice: Dice, chosen: Nodes) -> Worth:
    """What a policy is worth, in doubles."""
    keeps, flow = flows(dice, chosen, ((dice.stick, -dice.cost), (1.0, 0.0), (0.0, 1.0)))
    count = len(keeps)
    met = np.flatnonzero(_reached(flow[0, :count] > 0, flow[keeps, :count] > 0))
    onward = flow[np.ix_(keeps[met], met)]
    paid, stops, again = flow[keeps[met], count:].T
    if not _reached(stops > 0, onward.T > 0).all():
        return Worth(-np.inf, 0.0, np.nan, np.inf)
    system = np.eye(len(onward)) - onward
    gains, rolls, rerolls = np.linalg.solve(system, np.stack([paid, np.ones(len(onward)), again], axis=1)).T
    to_keep, (first_paid, _, first_again) = flow[0, met], flow[0, count:]
    score = float(first_paid + to_keep @ gains)
    # of the flows, of the sums below, and of b itself, which are all in units of what is added up
    largest = max(dice.size, float(np.abs(gains).max(initial=0.0)))
    rounding = 2 * dice.rounding * largest / dice.size + (len(onward) + 4) * UNIT_ROUNDOFF * largest
    violation = float(np.abs(gains - paid - onward @ gains).max(initial=0.0)) + rounding
    longest = float(np.abs(rolls).max(initial=0.0))
    kept = float((rolls - onward @ rolls).min(initial=1.0)) - rounding / dice.size * (longest + 1)
    bound = violation * longest / kept + rounding if kept > 0 else np.inf
    return Worth(
        score,
        float(bound),
        _deviation(dice, chosen, met, gains, score),
        float(first_again + to_keep @ rerolls),
    )


def _reached(first: Values, steps: Values) -> Values:
    """What can be reached in any number of steps."""
    found = first
    while True:
        more = found | steps[found].any(axis=0)
        if (more == found).all():
            return more
        found = more


def _deviation(dice: Dice, chosen: Nodes, met: Nodes, gains: Values, score: float) -> float:
    """The root of the mean of (G - score)^2, where G is the score of a game: S of a roll to stick with, G' - c of one
    to reroll, whose G' comes from the next keep on."""
    keeps, flow = flows(dice, chosen, (((dice.stick - score) ** 2, dice.cost**2),))
    rows = np.append(0, keeps[met])
    chances = flow[np.ix_(rows, met)]
    squares = flow[rows, -1] - 2 * dice.cost * chances @ (gains - score)
    onward = np.linalg.solve(np.eye(len(gains)) - chances[1:], squares[1:])
    return float(np.sqrt(max(squares[0] + chances[0] @ onward, 0.0)))


# ---- in fractions


def evaluate_exactly(dice: Dice, chosen: Nodes) -> Fraction | None:
    """What a policy is worth at the start, as a fraction; None for one that may never stick. `dice` are exact."""
    keeps, flow = flows(dice, chosen, ((dice.stick, -dice.cost),))
    met = np.flatnonzero(_reached((flow[0, :-1] > 0).astype(bool), (flow[keeps, :-1] > 0).astype(bool)))
    solved = gains_exactly(dice, keeps[met], flow[:, np.append(met, -1)])
    if solved is None:
        return None
    gains, common = solved
    whole = sum((chance * gain for chance, gain in zip(flow[0, met], gains, strict=True)), flow[0, -1] * common)
    return Fraction(whole, common * int(dice.chances.sum()) ** dice.lattice.dice * dice.unit)


def gains_exactly(dice: Dice, keeps: Nodes, flow: Values) -> tuple[list[int], int] | None:
    """What each of the keeps is worth, as whole numbers over a common one; None if a policy may never stick.

    In whole numbers a node with n dice to roll is W^n times too large, W being the sum of the weights.
    """
    total, size = int(dice.chances.sum()), dice.lattice.counts[keeps].sum(axis=1)
    rows = []
    for at, keep in enumerate(keeps):
        row = [-chance for chance in flow[keep, :-1]]
        row[at] += total ** int(dice.lattice.dice - size[at])
        rows.append([*row, flow[keep, -1]])
    return solve_whole(rows)


def solve_whole(rows: list[list[int]]) -> tuple[list[int], int] | None:
    """The solution of linear equations in whole numbers (the last column is the right-hand side), as numerators over
    one denominator, by Bareiss' elimination: all that is divided on the way is divisible. None if they have no single
    solution."""
    count, before = len(rows), 1
    for at in range(count):
        pivot = next((row for row in range(at, count) if rows[row][at]), None)
        if pivot is None:
            return None
        if pivot != at:
            rows[at], rows[pivot] = rows[pivot], rows[at]
        head, scale = rows[at], rows[at][at]
        for other, row in enumerate(rows):
            if other != at:
                factor = row[at]
                rows[other] = [(scale * mine - factor * its) // before for mine, its in zip(row, head, strict=True)]
        before = scale
    return [row[-1] for row in rows], before
