"""Hold dice in fractions: policy iteration on the dice lattice, all in whole numbers over one denominator.

It begins with a policy that ends, evaluates it (see `policy`), and changes what it does wherever something else is
better by these values, strictly, until nothing is. Each round raises some value and lowers none; every policy on the
way ends, because each reroll costs; and what no change can better satisfies V = T V, which only the true values do.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from dicewise.game import Progress
from dicewise.games.dice_lattice import Values, expect, which_keep
from dicewise.games.hold_dice._layout import Dice, Nodes
from dicewise.games.hold_dice.policy import flows, gains_exactly


def solve(dice: Dice, first: Nodes, progress: Progress | None = None) -> Values:
    """What every node is worth, as fractions; `first` is the policy to begin with, as good as one has."""
    if dice.cost == 0:
        return np.full(dice.lattice.nodes, Fraction(dice.stick.max(), dice.unit), dtype=object)
    found = _evaluate(dice, first)
    chosen = first if found is not None else dice.own
    rounds = 0
    while True:
        worth, common = found if found is not None else _all_stick(dice)
        top, keep = which_keep(dice.lattice.first, dice.lattice.less, worth, 0)
        better = (top - dice.cost * common > worth[dice.lattice.rolls]).astype(bool)
        if not better.any():
            break
        chosen = np.where(better, keep, chosen)
        found = _evaluate(dice, chosen)
        assert found is not None, "a policy that is better than one that ends must end"
        rounds += 1
        if progress is not None:
            progress(rounds / (rounds + 3), "solving exactly")
    unit = common * dice.unit
    fractions = np.empty(len(worth), dtype=object)
    fractions[:] = [Fraction(whole, unit) for whole in worth]
    return fractions


def _all_stick(dice: Dice) -> tuple[Values, int]:
    found = _evaluate(dice, dice.own)
    assert found is not None  # nothing is chosen that could lead round
    return found


def _evaluate(dice: Dice, chosen: Nodes) -> tuple[Values, int] | None:
    """What every node is worth to a policy, as whole numbers over a common one; None if it may never stick."""
    nodes, total = dice.lattice, int(dice.chances.sum())
    keeps, flow = flows(dice, chosen, ((dice.stick, -dice.cost),))
    solved = gains_exactly(dice, keeps, flow)
    if solved is None:
        return None
    gains, common = solved
    if common < 0:
        gains, common = [-gain for gain in gains], -common
    worth = np.empty(nodes.nodes, dtype=object)
    rolls = dice.stick * common
    again = np.flatnonzero(chosen != dice.own)
    at = np.searchsorted(keeps, chosen[again])
    rolls[again] = np.array(gains, dtype=object)[at] - dice.cost * common
    # with this factor every sum over the faces is divisible by the sum of their weights
    worth[nodes.rolls] = rolls * total**nodes.dice
    expect(nodes.first, nodes.more, dice.chances, worth)
    for size in range(nodes.dice):
        worth[nodes.first[size] : nodes.first[size + 1]] //= total ** (nodes.dice - size)
    return worth, common * total**nodes.dice
