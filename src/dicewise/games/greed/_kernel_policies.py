"""Many policies against one opponent, compiled: what a search asks thousands of times.

Games are followed forwards, from the start with each seat half the time: m(s) is the chance that a game comes to s.
A mover who rolls n dice at (a, q) hands p_n(t) * m(a, q) on to (q, a + t). Scores only rise, so that one pass by rising
a + q visits every state once. With r(s, n) what rolling n dice at s gives away against this opponent, a policy loses

    sum over its states s of m(s) * r(s, n(s)),

a sum of terms that are never negative: once it passes a bar, the rest need not be looked at. States that come up less
often than `cut` are left out; the chance that is lost with them is returned, and bounds the error.
"""

from __future__ import annotations

from typing import Any

from numba import njit


@njit(cache=True, nogil=True)
def follow(
    normal: Any,
    last: Any,
    other: Any,
    regret: Any,
    regret_last: Any,
    exactly: Any,
    first: Any,
    end: Any,
    cut: float,
    bar: float,
    mine: Any,
    theirs: Any,
    ended: Any,
) -> tuple[float, float]:
    """What a policy (`normal`, `last`) loses against `other`, or something above `bar`; and the chance left out.

    Regrets are indexed [own, other's, dice]; totals of n dice go from `first[n]` to below `end[n]`. `mine` and `theirs`
    are filled with how often each player moves from each state, `ended` with how often the policy has the last turn.
    """
    top = len(normal) - 1
    mine[:] = 0.0
    theirs[:] = 0.0
    ended[:] = 0.0
    mine[0, 0] = theirs[0, 0] = 0.5
    loss = lost = 0.0
    for d in range(2 * top + 1):
        for a in range(max(0, d - top), min(top, d) + 1):
            q = d - a
            chance = mine[a, q]
            if chance > cut:
                n = normal[a, q]
                loss += chance * regret[a, q, n]
                if n > 0:
                    for t in range(first[n], min(end[n], top - a + 1)):
                        theirs[q, a + t] += chance * exactly[n, t]
            else:
                lost += chance
            chance = theirs[a, q]
            if chance > cut:
                n = other[a, q]
                if n == 0:
                    ended[q, a] = chance
                    loss += chance * regret_last[q, a, last[q, a]]
                else:
                    for t in range(first[n], min(end[n], top - a + 1)):
                        mine[q, a + t] += chance * exactly[n, t]
            else:
                lost += chance
        if loss > bar:
            break
    return loss, lost


@njit(cache=True, nogil=True)
def fill(plain: Any, behind: Any, close: Any, stand: int, lead: int, from_close: int, normal: Any) -> None:
    """The normal turns of a rule of thumb, from its dice by own score: as it is, when behind, when the other is close.

    With `stand` beyond the scores, `plain` says where to stand.
    """
    for a in range(len(plain)):
        for q in range(len(plain)):
            if a >= stand and a - q >= lead:
                normal[a, q] = 0
            elif q >= from_close:
                normal[a, q] = close[a]
            else:
                normal[a, q] = behind[a] if a < q else plain[a]
