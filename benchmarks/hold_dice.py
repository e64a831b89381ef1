"""Hold dice on the dice lattice, warm, beside what anybody would write: value iteration over rolls and keeps.

The peer has a matrix of the chances of every roll after every keep and, for each roll, the list of the keeps that it
allows. A sweep is one product of the matrix with the values and, compiled with Numba, a loop over rolls and keeps. It
stops when a sweep changes less than 1e-13 of the largest score, which proves nothing; ours comes with its bound. Both
have tables that depend on the dice alone: they are timed apart.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numba
import numpy as np

import dicewise
from benchmarks.measure import best_of
from benchmarks.report import Result, Target, count, seconds, small, times
from dicewise import HoldDice
from dicewise.games.dice_lattice import expect, lattice
from dicewise.games.hold_dice._layout import dice_of

AGREE = 1e-10
PEERS: tuple[tuple[int, int, int], ...] = ((3, 6, 10), (6, 6, 10), (4, 8, 10), (8, 6, 4))
"""dice, sides, rounds."""

LARGE: tuple[tuple[int, int, int], ...] = ((8, 10, 3), (20, 6, 3))
TARGETS = {(6, 6): 0.020, (20, 6): 5.0}


class Peer(NamedTuple):
    """The tables of the peer."""

    chances: Any
    first: Any
    keeps: Any
    stick: Any


def peer_of(game: HoldDice) -> Peer:
    dice = dice_of(game)
    nodes, rolls = dice.lattice, len(dice.stick)
    chances = np.zeros((nodes.nodes, rolls))
    chances[nodes.rolls] = np.eye(rolls)
    expect(nodes.first, nodes.more, dice.chances, chances)
    chances = np.ascontiguousarray(chances[: nodes.rolls.start])
    keeps = [np.flatnonzero(chances[:, roll]) for roll in range(rolls)]
    first = np.cumsum([0, *map(len, keeps)])
    return Peer(chances, first, np.concatenate(keeps), dice.stick)


@numba.njit
def _improve(expected: Any, first: Any, keeps: Any, stick: Any, values: Any) -> float:
    largest = 0.0
    for roll in range(len(stick)):
        best = stick[roll]
        for at in range(first[roll], first[roll + 1]):
            best = max(best, expected[keeps[at]] - 1.0)
        largest = max(largest, abs(best - values[roll]))
        values[roll] = best
    return largest


def iterate(peer: Peer) -> float:
    """The value of the start, by plain value iteration."""
    values = peer.stick.copy()
    enough = 1e-13 * float(np.abs(peer.stick).max())
    while _improve(peer.chances @ values, peer.first, peer.keeps, peer.stick, values) > enough:
        pass
    return float(peer.chances[0] @ values)


def speed() -> Result:
    """Value iteration over rolls and keeps, compiled, against dicewise.solve"""
    result = Result(
        {
            "dice": str,
            "rolls": count,
            "pairs": count,
            "iteration": seconds,
            "dicewise": seconds,
            "iteration / dicewise": times,
            "its tables": seconds,
            "our lattice": seconds,
            "exact": seconds,
            "difference": small,
            "bound": small,
        }
    )
    iterate(peer_of(HoldDice(1, 2)))
    for dice, sides, rounds in PEERS:
        game, peer = HoldDice(dice, sides), peer_of(HoldDice(dice, sides))
        best = best_of(
            rounds,
            {
                "iteration": partial(iterate, peer),
                "dicewise": partial(dicewise.solve, game),
                "exact": partial(dicewise.solve, game, exact=True),
                "its tables": partial(peer_of, game),
                "our lattice": partial(lattice.__wrapped__, dice, sides),
            },
        )
        solution = dicewise.solve(game)
        difference = abs(iterate(peer) - float(solution.value(game.start())))
        result.rows.append(
            {
                "dice": f"{dice}d{sides}",
                "rolls": solution.report.states - 1,
                "pairs": len(peer.keeps),
                **best,
                "iteration / dicewise": best["iteration"] / best["dicewise"],
                "difference": difference,
                "bound": solution.report.error_bound,
            }
        )
        _aim(result, dice, sides, best["dicewise"])
        result.checks[f"{dice}d{sides}: both agree to {AGREE}"] = difference <= AGREE
    for dice, sides, rounds in LARGE:
        game = HoldDice(dice, sides)
        best = best_of(
            rounds,
            {"dicewise": partial(dicewise.solve, game), "our lattice": partial(lattice.__wrapped__, dice, sides)},
        )
        solution = dicewise.solve(game)
        result.rows.append(
            {
                "dice": f"{dice}d{sides}",
                "rolls": solution.report.states - 1,
                **best,
                "bound": solution.report.error_bound,
            }
        )
        _aim(result, dice, sides, best["dicewise"])
    result.notes += [
        "CPU time, warm: without the tables that depend on the dice alone. pairs: of a roll and a keep.",
        "exact: in fractions. bound: what dicewise proves about the error of any value; the peer proves nothing.",
    ]
    return result


def _aim(result: Result, dice: int, sides: int, taken: float) -> None:
    if (dice, sides) in TARGETS:
        result.targets.append(Target(f"{dice}d{sides}", taken, TARGETS[dice, sides], seconds))
