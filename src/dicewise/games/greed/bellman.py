"""The Bellman equations of Greed, checked for all states at once.

They are written down as the rules say them, with the distribution p_n of the total of n dice, and share nothing with
the recurrence by which the solvers find their values:

    after(a, q, n) = P(bust) * lose + sum over t <= M - a of p_n(t) * (what handing over (q, a + t) is worth)
    after(a, q, 0) = what handing over (q, a) for the last turn is worth
    last(a, q, n)  = the same with win, tie or lose, by comparing a + t with q

A game has at most 2 * (M // smallest face) + 1 normal turns and one last turn, so that many violations can add up on
the way to any state.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from operator import mul
from typing import Any

import numpy as np

from dicewise.chance import total_of
from dicewise.game import Number, Progress
from dicewise.games.greed.rules import Greed, Position
from dicewise.solution import UNIT_ROUNDOFF, Violation


def _bound(game: Greed, normal: Any, last: Any) -> Any:
    """What the largest violations in normal and in last turns can add up to."""
    return (2 * (game.max // game.dice.outcomes[0]) + 1) * normal + last


def check_floats(
    game: Greed,
    own: Callable[[bool], np.ndarray[Any, Any]],
    other: Callable[[bool], np.ndarray[Any, Any]],
    dice: Callable[[bool], np.ndarray[Any, Any]],
    progress: Progress | None,
) -> Violation:
    """The check in doubles, by matrix products; tables are indexed [active, queued]."""
    top = game.max
    size = top + 1
    win, tie, lose = (float(pay) for pay in (game.win, game.tie, game.lose))
    scores = np.arange(size)
    handed = other(False)  # handed[q, x]: what the one who landed on x gets
    final = np.where(scores[:, None] > scores, win, np.where(scores[:, None] == scores, tie, lose))  # [own, other's]
    best = {False: other(True).T.copy(), True: final.copy()}
    chosen = {last: np.where(dice(last) == 0, table, np.nan) for last, table in best.items()}
    chances = np.zeros(size)
    chances[0] = 1.0
    faces = [(face, weight / game.dice.total) for face, weight in game.dice if face <= top]
    for n in range(1, game.n_max(0) + 1):
        following = np.zeros(size)
        for face, chance in faces:
            following[face:] += chance * chances[: size - face]
        chances = following
        # roll[a, x]: chance to land on x from a; what is missing to 1 is a bust
        roll = np.zeros((size, size))
        for a in range(size):
            roll[a, a:] = chances[: size - a]
        allowed = np.array([game.n_max(a) >= n for a in range(size)])
        bust = (1.0 - roll.sum(axis=1))[:, None] * lose
        for last, landed in ((False, handed.T), (True, final)):
            worth = np.where(allowed[:, None], roll @ landed + bust, -np.inf)
            best[last] = np.maximum(best[last], worth)
            chosen[last] = np.where(dice(last) == n, worth, chosen[last])
        if progress is not None:
            progress(n / (game.n_max(0) + 1), "certifying")
    gaps = {last: np.abs(best[last] - own(last)) for last in best}
    if game.constant_sum:  # the state before reads the other's entry
        gaps = {last: np.maximum(gap, np.abs(win + lose - best[last] - other(last))) for last, gap in gaps.items()}
    worst = max(gaps, key=lambda last: float(gaps[last].max()))
    at = divmod(int(gaps[worst].argmax()), size)
    largest = float(gaps[worst][at])
    # of the check itself: n_max convolutions and a sum of up to M terms
    rounding = 2 * (game.n_max(0) * (len(faces) + 2) + 2 * size) * UNIT_ROUNDOFF * max(abs(win), abs(tie), abs(lose))
    return Violation(
        states=2 * size * size,
        largest=largest,
        where=game.text(Position(at, 0, int(worst))),
        policy_loss=max(float((best[last] - chosen[last]).max()) for last in best),
        error_bound=_bound(game, *(float(gaps[last].max()) + rounding for last in (False, True)))
        if game.constant_sum
        else None,
    )


def check_exactly(
    game: Greed,
    own: Callable[[bool], list[list[Fraction]]],
    other: Callable[[bool], list[list[Fraction]]],
    action: Callable[[bool], list[list[int]]],
    progress: Progress | None,
    ties: Callable[[bool], list[list[tuple[int, ...]]]] | None = None,
) -> Violation:
    """The check in exact arithmetic: all values as integers over one denominator; tables are indexed
    [active][queued]."""
    top = game.max
    tables = {(name, last): table(last) for name, table in (("own", own), ("other", other)) for last in (False, True)}
    pays = [Fraction(pay) for pay in (game.win, game.tie, game.lose)]
    denominators = {value.denominator for table in tables.values() for row in table for value in row}
    scale = math.lcm(*denominators, *(pay.denominator for pay in pays))
    whole = {key: [[_whole(v, scale) for v in row] for row in table] for key, table in tables.items()}
    win, tie, lose = (_whole(pay, scale) for pay in pays)
    weights = []
    for n in range(game.n_max(0) + 1):
        row = [0] * (top + 1)
        for total, weight in total_of(n, game.dice):
            if total <= top:
                row[total] = weight
        weights.append(row)
    picked = {last: action(last) for last in (False, True)}
    worst, where = {False: Fraction(0), True: Fraction(0)}, game.text(game.start())
    policy_loss, wrong_ties = Fraction(0), 0
    listed = None if ties is None else {last: ties(last) for last in (False, True)}
    for a in range(top + 1):
        limit = game.n_max(a)
        rolls = [weights[n][: top + 1 - a] for n in range(limit + 1)]
        totals = [game.dice.total**n for n in range(limit + 1)]
        busts = [total - sum(roll) for total, roll in zip(totals, rolls, strict=True)]
        for q in range(top + 1):
            for last in (False, True):
                if last:
                    mine = [win if x > q else tie if x == q else lose for x in range(a, top + 1)]
                    theirs = [lose if x > q else tie if x == q else win for x in range(a, top + 1)]
                    stand = (mine[0], theirs[0])
                else:
                    mine, theirs = whole["other", False][q][a:], whole["own", False][q][a:]
                    stand = (whole["other", True][q][a], whole["own", True][q][a])
                worth = [Fraction(stand[0])]
                for n in range(1, limit + 1):
                    worth.append(Fraction(sum(map(mul, rolls[n], mine)) + busts[n] * lose, totals[n]))
                best = max(worth)
                first = worth.index(best)
                reply = Fraction(stand[1])
                if first:
                    reply = Fraction(sum(map(mul, rolls[first], theirs)) + busts[first] * win, totals[first])
                gap = max(abs(whole["own", last][a][q] - best), abs(whole["other", last][a][q] - reply))
                if listed is not None:
                    wrong_ties += listed[last][a][q] != tuple(n for n, value in enumerate(worth) if value == best)
                if gap > max(worst.values()):
                    where = game.text(Position((a, q), 0, int(last)))
                worst[last] = max(worst[last], gap)
                policy_loss = max(policy_loss, best - worth[picked[last][a][q]])
        if progress is not None:
            progress((a + 1) / (top + 1), "certifying exactly")
    largest = max(worst.values())
    bound: Number = _bound(game, worst[False], worst[True]) / scale
    return Violation(
        states=2 * (top + 1) ** 2,
        largest=largest / scale,
        where=where,
        policy_loss=policy_loss / scale,
        error_bound=bound if game.constant_sum or largest == 0 else None,
        wrong_ties=wrong_ties,
    )


def _whole(value: Fraction, scale: int) -> int:
    return value.numerator * (scale // value.denominator)
