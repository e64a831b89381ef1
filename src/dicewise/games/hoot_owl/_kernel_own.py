"""Hoot Owl Hoot compiled, for two players with a hand each, every card being drawn from the initial mix.

A row of the table belongs to a board. It holds, before a player draws,

    U(s, h, t)     s the suns moved, h the player's own cards, t those of the other, who moves next

With b' for the board that a card c makes by moving one owl, and hands now also holding suns,

    V(s, m, o) = U_b(s+1, m - sun, o) if there is a sun in m (0 where that is its last move), otherwise
                 max over the cards c in m, and over the owls, of U_{b'}(s, m - c, o)  (1 where all are home)
    U(s, h, t) = sum over the cards c of p_c V(s, t, h + c)

The mover is always first, so that it does not matter who it is. Hands without suns come first in the table.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from dicewise.games.hoot_owl._kernel_boards import after_move


@njit(cache=True, nogil=True)
def fill_rows_own(earlier: Any, at: Any, out: Any, first: Any, last: Any, rows: Any, board: Any, hands: Any) -> None:
    """Rows first to last of the table [row, suns, own cards, other's cards], into `out`; `earlier` has the rows from
    number `at` on.

    `rows` is (board of each row, row of each board); `board` as for `fill_rows`; `hands` (chance of each card, the sun
    last; full hands without a sun; hands after a move without a sun; with one more [hand, card]; with one less)."""
    row_board, place = rows
    owls_of, path, base, choose, offset = board
    chance, sunless, rest_sunless, more, less = hands
    track, rests, fulls = out.shape[1:]
    cards = len(chance)
    reach = np.empty((cards - 1, rest_sunless, fulls), dtype=out.dtype)
    worth, turned = np.empty((fulls, fulls), dtype=out.dtype), np.empty((fulls, fulls))
    total = np.empty(fulls)
    for row in range(first, last):
        owls = owls_of[row_board[row]]
        for sun in range(track - 1, -1, -1):
            best_moves_own(reach, earlier, at, owls, sun, place, path, base, choose, offset)
            for mine in range(fulls):
                worth[mine, :] = 0.0
                if mine < sunless:
                    for card in range(cards - 1):
                        rest = less[mine, card]
                        if rest >= 0:
                            for other in range(fulls):
                                worth[mine, other] = max(worth[mine, other], reach[card, rest, other])
                elif sun + 1 < track:
                    worth[mine, :] = out[row - first, sun + 1, less[mine, cards - 1]]
            for mine in range(fulls):
                for other in range(fulls):
                    turned[other, mine] = worth[mine, other]
            for rest in range(rests):
                total[:] = 0.0
                for card in range(cards):
                    with_it, p = more[rest, card], chance[card]
                    for other in range(fulls):
                        total[other] += p * turned[with_it, other]
                for other in range(fulls):
                    out[row - first, sun, rest, other] = total[other]


@njit(cache=True, nogil=True)
def best_moves_own(
    reach: Any, earlier: Any, at: Any, owls: Any, sun: Any, place: Any, path: Any, base: Any, choose: Any, offset: Any
) -> None:
    """What each colour is worth when it moves the best owl: [colour, cards left in the hand, other's cards]."""
    for colour in range(len(reach)):
        reach[colour] = 0.0
        for owl in range(len(owls)):
            if owls[owl] >= len(path):
                break
            after = after_move(owls, owl, colour, path, base, choose, offset)
            if after == 0:
                reach[colour] = 1.0
                break
            row = place[after] - at
            for rest in range(reach.shape[1]):
                for other in range(reach.shape[2]):
                    reach[colour, rest, other] = max(reach[colour, rest, other], earlier[row, sun, rest, other])
