"""How much the other player's score matters in Greed, and what it costs to ignore it.

Whoever ignores the other's score up to a threshold u rolls in every normal state with q <= u

    n(a, 0), the best number of dice against a beginner;
    or the n that is best most often there, by own score;
    or n(a, 0) where that and the best n are both rolls, so that the other's score still decides about standing,

and plays the best n elsewhere and in last turns. What that loses is measured in two ways: against a player who plays
what is best in the game, and against one who knows and plays the best answer, which is the most that it can lose.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicewise.games import find_game
from dicewise.games.greed import Greed
from dicewise.games.greed.policies import Dice, best_reply, dice_of, duel
from dicewise.games.greed.reach import reach
from dicewise.games.greed.solution import GreedSolution, solve_fast
from dicewise.study.result import Table, spaced
from dicewise.study.work import Work

Ints = NDArray[np.int64]

SHARES = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 1.0)
"""Shares of the maximum up to which the other's score is ignored."""

CLAIM_AND_BELOW = 0.8
"""Thresholds from this share on are printed."""

KINDS = {"start": "as against 0", "often": "most often best", "rolls": "0, stands as best"}
"""Ways to ignore the other's score."""

CLAIM = 0.95
"""The policy paper: no regard to the other's score outside of being within about 5 % of the maximum."""


def held(row: NDArray[np.bool_]) -> int:
    """The last place up to which all entries are true; -1 where the first is not."""
    return (len(row) if row.all() else int((~row).argmax())) - 1


# ---- where the best number of dice is the same


def regard_table(solution: GreedSolution) -> Table:
    """By own score: up to which of the other's scores the best n is n(a, 0), exactly and within one die."""
    dice, top = solution.dice(False).astype(np.int64), solution.game.max
    off = np.abs(dice - dice[:, :1])
    same, near = [held(row == 0) for row in off], [held(row <= 1) for row in off]
    columns: dict[str, Sequence[Any]] = {
        "score": list(range(top + 1)),
        "dice": dice[:, 0].tolist(),
        "same_up_to": same,
        "same_share": [q / top for q in same],
        "near_up_to": near,
        "near_share": [q / top for q in near],
    }
    shown = {"score": "{}", "dice": "{}", "same_up_to": "{}", "same_share": "{:.0%}", "near_up_to": "{}"}
    title = "dice: the best n against 0; it stays the same, or within one die (near), against all scores up to"
    return Table("regard", title, columns, shown | {"near_share": "{:.0%}"}, spaced(top + 1, 11))


def shares_of(solution: GreedSolution) -> dict[str, float]:
    """Of all normal states, of those outside the claim's margin, and of the turns of a game between two who play
    their best: the share in which the best n is n(a, 0), and within one die of it."""
    dice, top = solution.dice(False).astype(np.int64), solution.game.max
    off = np.abs(dice - dice[:, :1])
    played = reach(solution).normal
    inside = np.arange(top + 1) <= CLAIM * top
    return {
        "same_states": float((off == 0).mean()),
        "near_states": float((off <= 1).mean()),
        "same_outside_margin": float((off[:, inside] == 0).mean()),
        "near_outside_margin": float((off[:, inside] <= 1).mean()),
        "same_within_margin": float((off[:, ~inside] == 0).mean()),  # the maximum itself at least is there
        "same_turns": float(played[off == 0].sum() / played.sum()),
        "near_turns": float(played[off <= 1].sum() / played.sum()),
    }


def on_regard(game: Greed, shares: dict[str, float], table: Table) -> list[str]:
    top = game.max
    rolling = [row for row in table.rows() if row["dice"] > 0]
    said = [
        f"The best n is n(a, 0) in {shares['same_states']:.1%} of all normal states (within one die in "
        f"{shares['near_states']:.1%}): in {shares['same_outside_margin']:.1%} where the other has at most {CLAIM:.0%} "
        f"of the maximum, in {shares['same_within_margin']:.1%} above. In a game between two who play their best it "
        f"is in {shares['same_turns']:.1%} of the normal turns."
    ]
    if rolling:
        same = np.array([row["same_up_to"] for row in rolling]) / top
        near = np.array([row["near_up_to"] for row in rolling]) / top
        reaching = float((near >= CLAIM).mean())
        said.append(
            f"Where a roll is best against 0, n stays the same up to {np.median(same):.0%} of the maximum (the middle "
            f"one of {len(rolling)} own scores; the least is {same.min():.0%}), within one die up to "
            f"{np.median(near):.0%} (the least {near.min():.0%}); for {reaching:.0%} of them within one die up to "
            f"{CLAIM:.0%}."
        )
    return said


# ---- what ignoring it costs


def blind(dice: Ints, up_to: int, kind: str) -> Ints:
    """The policy that ignores the other's score up to a threshold, in one of the ways above."""
    seen = dice[:, : up_to + 1]
    fixed = np.array([np.bincount(row).argmax() for row in seen]) if kind == "often" else dice[:, 0]
    kept = (seen == 0) | (fixed[:, None] == 0) if kind == "rolls" else np.zeros(seen.shape, dtype=bool)
    played = dice.copy()
    played[:, : up_to + 1] = np.where(kept, seen, fixed[:, None])
    return played


def price(item: list[Any]) -> dict[str, Any]:
    """What one way of ignoring the other's score loses."""
    spec, up_to, kind = item
    game = find_game(spec)
    assert isinstance(game, Greed)
    solution = solve_fast(game)
    best = dice_of(game, solution)
    played = Dice(blind(best.normal, up_to, kind), best.last)
    met, full = duel(game, played, best), solution.payoffs(False)
    pays = [float(pay) for pay in (game.win, game.tie, game.lose)]
    moving = pays[2] + (pays[0] - pays[2]) * met.moving[0] + (pays[1] - pays[2]) * met.moving[1]
    loss = full - moving
    at = np.unravel_index(int(loss.argmax()), loss.shape)
    first, second = met.ends(moves=True).payoff(game), met.ends(moves=False).payoff(game)
    other = solution.values(game.start())[1]
    found = {
        "first": float(full[0, 0]) - first,
        "second": float(other) - second,
        "both": (float(full[0, 0]) - first + float(other) - second) / 2,
        "worst": float(loss.max()),
        "worst_at": f"{at[0]} {at[1]}",
        "exploited": None,
    }
    if game.constant_sum:  # what the one who answers wins is what the player loses
        answer = best_reply(game, played)
        found["exploited"] = answer.mean - (float(full[0, 0]) + float(other)) / 2
    return found


def price_table(game: Greed, work: Work) -> Table:
    """What ignoring the other's score up to growing thresholds loses."""
    limits = sorted({int(share * game.max) for share in SHARES})
    items: list[list[Any]] = [[game.spec, up_to, kind] for kind in KINDS for up_to in limits]
    answers = work.map(price, items, f"weighing {len(items)} policies")
    columns: dict[str, Sequence[Any]] = {
        "up_to": [item[1] for item in items],
        "share": [item[1] / game.max for item in items],
        "rolls": [KINDS[item[2]] for item in items],
    }
    columns |= {name: [answer[name] for answer in answers] for name in answers[0]}
    shown = {"up_to": "{}", "rolls": "{}", "first": "{:.6f}", "second": "{:.6f}", "exploited": "{:.6f}"}
    shown |= {"worst": "{:.3f}", "worst_at": "{}"}
    title = "payoff lost by ignoring scores up to up_to, to best play (first, second) and to the best answer"
    brief = [at for at, item in enumerate(items) if item[1] >= CLAIM_AND_BELOW * game.max or len(limits) < 5]
    return Table("ignored", title, columns, shown, brief)


def on_price(game: Greed, table: Table) -> list[str]:
    said = []
    for kind, words in (
        ("rolls", "Standing as is best, but rolling n(a, 0) wherever both are rolls,"),
        ("start", "Rolling n(a, 0), and standing where that is 0,"),
        ("often", "Rolling, or standing, what is most often best at the own score"),
    ):
        rows = [row for row in table.rows() if row["rolls"] == KINDS[kind] and row["up_to"] <= CLAIM * game.max]
        if rows:
            row = rows[-1]
            said.append(
                f"{words} unless the other has more than {row['up_to']} loses {_small(row['first'])} moving first and "
                f"{_small(row['second'])} moving second against best play"
                + ("." if row["exploited"] is None else f", and {_small(row['exploited'])} to the best answer.")
            )
    return said


def _small(loss: float) -> str:
    """A loss, to two digits; what rounding leaves of none is none."""
    return f"{loss:.2g}" if loss > 1e-12 else "nothing"
