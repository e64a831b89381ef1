"""Hoot Owl Hoot compiled, for a hand that all share or none: the chance to win after each move, before the draw.

A row of the table belongs to a board and the colour cards that were played (to the board alone in the mix). It holds

    W(h, s)     h the cards that are left in the hand, s the suns moved

With b' for the board that a card c makes by moving one owl, and p' for the cards played with it,

    M_c(h, s) = max over the owls of W_{b', p'}(h, s),  1 where all are home
    V(h, s)   = max over the cards c in h of M_c(h - c, s)
    W(h, s)   = ( L_s W(h, s+1) + sum over the colours c of w_c V(h + c, s) ) / (L_s + sum of the w_c)

where L_s are the suns in the draw pile and w_c its cards of a colour (its share of them where only their number is
known); W(h, s) = 0 once s is the last move of the sun, and W = V where nothing is left to draw. A row reads rows of
boards further on, and nothing else; those of one layer are independent of each other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from dicewise.games.hoot_owl._kernel_boards import after_move

MIX, LUMPED, DECK = 0, 1, 2


@njit(cache=True, nogil=True)
def fill_rows(
    earlier: Any, at: Any, out: Any, first: Any, last: Any, rows: Any, board: Any, pile: Any, hands: Any
) -> None:
    """Rows first to last of the table [row, hand, suns], into `out`; `earlier` has the rows from number `at` on.

    `rows` is (board of each row, cards played of each row, row of each [played, board], played with one more
    [played, colour]); `board` (owls [board, owl], colours of the path, base, choose, offset); `pile` (model, cards of
    each colour that are not played [played, colour], cards in the hand after a move [played], colour cards in the pile
    then [played], suns in the pile [suns], one over the cards in the pile [colour cards, suns], share of each colour);
    `hands` (how many [size], how often each colour is in one [size, hand, colour], with one more, with one less).
    """
    row_board, row_played, place, following = rows
    owls_of, path, base, choose, offset = board
    model, unplayed, held_of, left_of, suns_left, one_over, share = pile
    count_of, counts, more, less = hands
    colours, suns, nest = unplayed.shape[1], out.shape[2], len(path)
    reach = np.empty((colours, out.shape[1], suns), dtype=out.dtype)
    worth = np.zeros((counts.shape[1], suns), dtype=out.dtype)
    total, weight = np.empty(suns), np.empty(colours)
    for row in range(first, last):
        owls, played = owls_of[row_board[row]], row_played[row]
        held, left = held_of[played], left_of[played]
        full = held + 1 if left > 0 else held
        if full > 0:
            best_moves(reach, earlier, at, owls, played, count_of[full - 1], place, following, path, base, choose,
                       offset, nest)  # fmt: skip
        for hand in range(count_of[full]):
            worth[hand, :] = 0.0
            for colour in range(colours):
                rest = less[full, hand, colour]
                if rest >= 0:
                    for sun in range(suns):
                        worth[hand, sun] = max(worth[hand, sun], reach[colour, rest, sun])
        for hand in range(count_of[held]):
            possible = True
            for colour in range(colours):
                if model == DECK:
                    weight[colour] = unplayed[played, colour] - counts[held, hand, colour]
                    possible = possible and weight[colour] >= 0
                else:
                    weight[colour] = left * share[colour]
            total[:] = 0.0
            if left > 0 and possible:
                for colour in range(colours):
                    w, with_it = weight[colour], more[held, hand, colour]
                    if w > 0:
                        for sun in range(suns):
                            total[sun] += w * worth[with_it, sun]
            later = 0.0
            for sun in range(suns - 1, -1, -1):
                if not possible:
                    later = 0.0
                elif left + suns_left[sun] > 0:
                    later = (suns_left[sun] * later + total[sun]) * one_over[left, sun]
                else:
                    later = worth[hand, sun]
                out[row - first, hand, sun] = later


@njit(cache=True, nogil=True)
def best_moves(
    reach: Any, earlier: Any, at: Any, owls: Any, played: Any, hands: Any, place: Any, following: Any, path: Any,
    base: Any, choose: Any, offset: Any, nest: Any,
) -> None:  # fmt: skip
    """What each colour is worth when it moves the best owl: [colour, cards left in the hand, suns]."""
    for colour in range(len(reach)):
        reach[colour, :hands] = 0.0
        to = following[played, colour]
        if to < 0:
            continue
        for owl in range(len(owls)):
            if owls[owl] >= nest:
                break
            after = after_move(owls, owl, colour, path, base, choose, offset)
            if after == 0:
                reach[colour, :hands] = 1.0
                break
            row = place[to, after] - at
            for hand in range(hands):
                for sun in range(reach.shape[2]):
                    reach[colour, hand, sun] = max(reach[colour, hand, sun], earlier[row, hand, sun])
