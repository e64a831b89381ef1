"""Greed (Addis) by the paper's own algorithm, compiled: the peer that our solver is measured against.

The paper ("A Policy Optimization of Greed", section V) evaluates every state from the end of the game
backwards and, for every number of dice n up to ceil(2 (M - a) / (s + 1)), sums the whole distribution of the
total, with payoffs +1, 0 and -1 for win, tie and loss:

    T(a, q) = max over n of  sum over t of p_n(t) * sign(a + t - q)  -  P(bust)         the last turn
    V(a, q) = max( -T(q, a),  max over n >= 1 of  sum over t of p_n(t) * -V(q, a + t)  -  P(bust) )

That is O(M^4) for M^2 states, M actions and M totals, and stays so here. For both versions below:

- The distributions of 0, 1, 2, ... dice are one table, made once by repeated convolution; P(bust) comes from
  running sums. Only totals that n dice can show and that do not bust are summed.
- What a roll is worth depends on t through one row of values, -V(q, .) or sign(. - q), which lies contiguous
  in memory when the value table is indexed [active, queued].

They differ in the innermost loop only:

- `plain`: one n after the other, a dot product over t with p[n, t] contiguous. This is how anybody would compile
  the paper. Each addition waits for the one before it, because a compiler may not reorder a sum of floats.
- `simd`: p[t, n], so that one total serves all n side by side. There is no chain of dependent additions, and the
  loop becomes vector code without `fastmath`. Four totals at a time save three of four loads and stores of the sums.

Among equal sums the smallest n is kept, but exact ties may be told apart by rounding.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

BLOCK = 4  # totals that `simd` takes together; tables are padded with zeros by as many


@njit(cache=True)
def _most_dice(room: int, sides: int) -> int:
    """The paper's bound on the best n: from here on, every total that fits gets less likely with n."""
    return -(-2 * room // (sides + 1))


@njit(cache=True)
def _distributions(max_score: int, sides: int) -> tuple[Floats, Floats]:
    """p[t, n], the chance that n dice total t, and bust[room, n], that they total more than room."""
    n_max = _most_dice(max_score, sides)
    p = np.zeros((max_score + 1 + BLOCK, n_max + 1))
    bust = np.ones((max_score + 1, n_max + 1))
    p[0, 0] = 1.0
    bust[:, 0] = 0.0
    for t in range(1, max_score + 1):
        for n in range(1, min(t, n_max) + 1):
            for face in range(1, min(sides, t) + 1):
                p[t, n] += p[t - face, n - 1]
            p[t, n] /= sides
        for n in range(1, n_max + 1):
            bust[t, n] = bust[t - 1, n] - p[t, n]
    return p, bust


@njit(cache=True)
def _best_plain(
    worth: Floats, stand: float, active: int, max_score: int, sides: int, p: Floats, bust: Floats
) -> tuple[float, int]:
    """The best of standing, worth `stand`, and rolling, where landing on x is worth worth[x] and a bust -1.

    Here p is indexed [n, t].
    """
    room = max_score - active
    value, dice = stand, 0
    for n in range(1, _most_dice(room, sides) + 1):
        most = min(n * sides, room)
        chances, landed = p[n, n : most + 1], worth[active + n : active + most + 1]
        total = -bust[room, n]
        for i in range(len(chances)):
            total += chances[i] * landed[i]
        if total > value:
            value, dice = total, n
    return value, dice


@njit(cache=True)
def _best_simd(
    worth: Floats,
    stand: float,
    active: int,
    max_score: int,
    sides: int,
    p: Floats,
    bust: Floats,
    sums: Floats,
) -> tuple[float, int]:
    """The same with p indexed [t, n]: sums[n] grows by total after total, for all n side by side."""
    room = max_score - active
    n_max = _most_dice(room, sides)
    for n in range(1, n_max + 1):
        sums[n] = -bust[room, n]
    for t in range(1, room + 1, BLOCK):
        few = -(-t // sides)  # fewer dice do not reach t, more than t + 3 overshoot the block
        many = min(t + 3, n_max) + 1
        out = sums[few:many]
        p0, p1, p2, p3 = p[t, few:many], p[t + 1, few:many], p[t + 2, few:many], p[t + 3, few:many]
        x = active + t
        w0, w1, w2, w3 = worth[x], worth[x + 1], worth[x + 2], worth[x + 3]
        for i in range(many - few):
            out[i] += (p0[i] * w0 + p1[i] * w1) + (p2[i] * w2 + p3[i] * w3)
    value, dice = stand, 0
    for n in range(1, n_max + 1):
        if sums[n] > value:
            value, dice = sums[n], n
    return value, dice


@njit(cache=True)
def solve(max_score: int, sides: int, simd: bool) -> tuple[Floats, Counts, Floats, Counts]:
    """Value and number of dice for all normal states, then for all last turns, indexed [active, queued]."""
    p, bust = _distributions(max_score, sides)
    by_dice = np.ascontiguousarray(p.T)
    sums = np.zeros(p.shape[1])
    shape = (max_score + 1, max_score + 1)
    normal, normal_dice = np.empty(shape), np.empty(shape, np.int64)
    last, last_dice = np.empty(shape), np.empty(shape, np.int64)

    worth = np.zeros(max_score + 1 + BLOCK)
    for queued in range(max_score + 1):
        for score in range(max_score + 1):
            worth[score] = np.sign(score - queued)
        for active in range(max_score + 1):
            stand = worth[active]
            if simd:
                value, dice = _best_simd(worth, stand, active, max_score, sides, p, bust, sums)
            else:
                value, dice = _best_plain(worth, stand, active, max_score, sides, by_dice, bust)
            last[active, queued], last_dice[active, queued] = value, dice

    # What passing the turn is worth to the one who passes it: -normal, padded.
    passed = np.zeros((max_score + 1, max_score + 1 + BLOCK))
    for both in range(2 * max_score, -1, -1):
        for active in range(max(0, both - max_score), min(both, max_score) + 1):
            queued = both - active
            stand = -last[queued, active]
            if simd:
                value, dice = _best_simd(passed[queued], stand, active, max_score, sides, p, bust, sums)
            else:
                value, dice = _best_plain(passed[queued], stand, active, max_score, sides, by_dice, bust)
            normal[active, queued], normal_dice[active, queued] = value, dice
            passed[active, queued] = -value
    return normal, normal_dice, last, last_dice
