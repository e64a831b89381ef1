"""Hold dice in doubles: what every roll and every keep is worth, with a bound that is a proof.

With S(r) for what sticking pays at the roll r, c for the cost, and E for the mean over the dice that are rolled again,
the best play is worth

    V(r) = T V (r) = max( S(r), max over keeps < r of E(keep) - c ),    E(keep) = mean of V(keep + roll)

and the start, whose roll is free, E(no dice). Sweeps V <- T V from V = S only go up. Every few sweeps there is a leap:
the policy that is best by the values so far is evaluated (see `policy`), which is worth no less.

**Why the error bound is a proof.** Let V be any numbers with |V - T V| <= d everywhere, d <= c/2, and let M be c more
than the largest of them and of S. Take h = d / (c - d) and U = V + h (M - V). For every keep

    E(U | keep) - c = (1-h) (E(V | keep) - c) + h (M - c) <= (1-h) (V + d) + h (M - c) = U + d - h (c + d) <= U

and U - S >= h (M - V) - d >= h c - d >= 0. So nobody can beat U: U less what was paid does not rise on average, however
one plays, and who never sticks pays without end. In the same way L = V - h (M - V) satisfies L <= T L, and who plays
what is best by L gets at least L: on average it does not fall, and since it is bounded while each reroll costs c,
such play ends. So

    |V - true value| <= h (M - V) = d (M - V) / (c - d)

where (M - V) / c is about the number of rerolls that could ever pay. One more sweep measures d, and what that sweep
may round is added to it. If rerolls are free, so is waiting for the best of all rolls: it is what every position is
worth.
"""

from __future__ import annotations

import numpy as np

from dicewise.game import Number, Progress
from dicewise.games.dice_lattice import Values, best_keep, expect, which_keep
from dicewise.games.hold_dice._layout import Dice, Nodes
from dicewise.games.hold_dice.policy import flows
from dicewise.solution import UNIT_ROUNDOFF

SWEEPS_PER_LEAP = 8
LEAP_CELLS = 20_000_000
"""A leap needs a row of chances per node; where these are more numbers, sweeps go on without it."""


def solve(dice: Dice, progress: Progress | None = None) -> tuple[Values, float]:
    """What every node is worth, and how far from the truth any of it can be."""
    nodes, worth, room = dice.lattice, np.empty(dice.lattice.nodes), np.empty(dice.lattice.nodes + 1)
    if dice.cost == 0:
        worth[:] = dice.stick.max()
        return worth, dice.rounding
    rolls = worth[nodes.rolls]
    rolls[:] = dice.stick
    sweeps, at_first = 0, 0.0
    while True:
        expect(nodes.first, nodes.more, dice.chances, worth)
        better = np.maximum(dice.stick, best_keep(nodes.first, nodes.less, worth, room) - dice.cost)
        change = float(np.abs(better - rolls).max())
        if change <= dice.rounding:
            return worth, error_bound(dice, rolls, change)
        rolls[:] = better
        sweeps += 1
        at_first = at_first or change
        if sweeps % SWEEPS_PER_LEAP == 0:
            leap = _leap(dice, worth)
            if leap is not None:
                rolls[:] = np.maximum(rolls, leap)
            if progress is not None:
                done = np.log(at_first / change) / np.log(at_first / dice.rounding)
                progress(float(np.clip(done, 0.0, 1.0)), "solving")


def error_bound(dice: Dice, rolls: Values, change: float) -> float:
    """How far any value can be from the truth, where one more sweep changes the rolls' by `change`."""
    violation = change + dice.rounding
    spread = float(dice.stick.max() - dice.stick.min()) + violation
    if 2 * violation >= dice.cost:
        return spread  # nobody gets more than the best roll pays, or need be content with less than sticking does
    most = max(float(rolls.max()), float(dice.stick.max())) + dice.cost
    proven = violation * (most - float(rolls.min())) / (dice.cost - violation) * (1 + 8 * UNIT_ROUNDOFF)
    return min(proven + dice.rounding, spread)  # what a keep is worth is a sum, rounded once more


def choose(dice: Dice, worth: Values, tolerance: Number) -> Nodes:
    """The node that each roll should go to: itself to stick, which comes before a keep that is as good."""
    top, keep = which_keep(dice.lattice.first, dice.lattice.less, worth, tolerance)
    if dice.cost == 0:  # any keep is as good while waiting, but only new dice throughout are sure to end it
        return np.where((dice.stick >= dice.stick.max() - tolerance).astype(bool), dice.own, 0)
    return np.where((top - dice.cost > dice.stick + tolerance).astype(bool), keep, dice.own)


def _leap(dice: Dice, worth: Values) -> Values | None:
    """What the rolls are worth to the policy that is best by the values so far; None where that is too large a job, or
    where rounding has made it a policy that may never stick."""
    chosen = choose(dice, worth, 0.0)
    if dice.lattice.nodes * (len(np.unique(chosen[chosen != dice.own])) + 1) > LEAP_CELLS:
        return None
    keeps, flow = flows(dice, chosen, ((dice.stick, -dice.cost),))
    try:
        gains = np.linalg.solve(np.eye(len(keeps)) - flow[keeps, :-1], flow[keeps, -1])
    except np.linalg.LinAlgError:
        return None
    rolls: Values = flow[dice.lattice.rolls] @ np.append(gains, 1.0)
    return rolls if np.all(rolls <= dice.stick.max()) else None
