"""The equations of Hoot Owl Hoot, compiled, card by card and owl by owl; see `bellman`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from dicewise.games.hoot_owl._kernel_play import DECK, LUMPED, MIX, key_of, move_owl


@njit(cache=True, nogil=True)
def check_rows(
    table: Any, valid: Any, first: Any, last: Any, rows: Any, board: Any, deck: Any, hands: Any, tolerance: Any
) -> Any:
    """Of the rows first to last (each one long vector): how many entries there are, the largest violation, its row and
    entry, and the most that a chosen move falls short.

    `rows` is (board of each row, cards played of each row, row of each [played, board]); `board` as for `fill_rows`;
    `deck` (model, cards of each colour, suns, track, full hand, suns shown, own hands); `hands` (cards of each hand
    [size, hand, card], hands after a move, full hands, number of each hand by its key, cards held [played])."""
    row_board, row_played, _ = rows
    full, shown, own = deck[4], deck[5], deck[6]
    cards_of, rests, fulls, _, held_of = hands
    checked, largest, where_row, where, loss = 0, -1.0, 0, 0, 0.0
    others = fulls if own else 1
    for row in range(first, last):
        owls = board[0][row_board[row]]
        played = row_played[row]
        for rest in range(rests):
            for other in range(others):
                for suns in range(shown):
                    if own:
                        entry = (suns * rests + rest) * others + other
                    else:
                        entry = rest * shown + suns
                        if not valid[played, rest]:
                            continue
                    mean, short = mean_of(table, row, owls, played, cards_of[held_of[played], rest],
                                          cards_of[full, other], suns, rows, board, deck, hands, tolerance)  # fmt: skip
                    off = abs(mean - table[row, entry])
                    checked += 1
                    loss = max(loss, short)
                    if off > largest:
                        largest, where_row, where = off, row, entry
    return checked, largest, where_row, where, loss


@njit(cache=True, nogil=True)
def mean_of(
    table: Any, row: Any, owls: Any, played: Any, rest: Any, other: Any, suns: Any, rows: Any, board: Any, deck: Any,
    hands: Any, tolerance: Any,
) -> Any:  # fmt: skip
    """What a hand is worth before the draw, and the most that a move chosen after it falls short."""
    model, counts, all_suns, track, full, shown, own = deck
    colours, number_of = len(counts), hands[3]
    gone = gone_of(played, counts, model)
    every, held = counts.sum(), rest.sum()
    sun_weight = 1.0 * (all_suns if model == MIX else all_suns - suns)
    total, mean, loss = 0.0, 0.0, 0.0
    cards = rest.copy()
    for card in range(colours + 1):
        if card == colours:
            weight = sun_weight
        elif model == DECK:
            weight = 1.0 * (counts[card] - gone[card] - rest[card])
        elif model == LUMPED:
            weight = (every - gone[0] - held) * counts[card] / every
        else:
            weight = 1.0 * counts[card]
        if weight <= 0:
            continue
        cards[card] += 1
        total += weight
        if own:
            worth, short = best_play(table, row, owls, played, other, cards, suns, rows, board, deck, hands, tolerance)
            loss = max(loss, short)
        elif card == colours:
            worth = table[row, number_of[key_of(rest, full)] * shown + suns + 1] if suns + 1 < track else 0.0
        else:
            worth, short = best_play(table, row, owls, played, cards, other, suns, rows, board, deck, hands, tolerance)
            loss = max(loss, short)
        cards[card] -= 1
        mean += weight * worth
    if total == 0:
        return best_play(table, row, owls, played, rest, other, suns, rows, board, deck, hands, tolerance)
    return mean / total, loss


@njit(cache=True, nogil=True)
def gone_of(played: Any, counts: Any, model: Any) -> Any:
    """The cards played: of each colour, or in all."""
    found = np.zeros(len(counts), dtype=np.int64)
    if model == LUMPED:
        found[0] = played
    elif model == DECK:
        for colour in range(len(counts)):
            found[colour] = played % (counts[colour] + 1)
            played //= counts[colour] + 1
    return found


@njit(cache=True, nogil=True)
def best_play(
    table: Any, row: Any, owls: Any, played: Any, hand: Any, other: Any, suns: Any, rows: Any, board: Any, deck: Any,
    hands: Any, tolerance: Any,
) -> Any:  # fmt: skip
    """The best play of a hand, and what the first move that counts as good falls short of it."""
    model, counts, _, track, full, shown, own = deck
    _, _, place = rows
    _, path, base, choose, offset = board
    _, rests, fulls, number_of, _ = hands
    colours, nest = len(counts), len(path)
    cards = hand.copy()
    if own and hand[colours] > 0:
        if suns + 1 >= track:
            return 0.0, 0.0
        cards[colours] -= 1
        entry = ((suns + 1) * rests + number_of[key_of(cards, full)]) * fulls + number_of[key_of(other, full)]
        return np.float64(table[row, entry]), 0.0
    worths = np.full(colours * len(owls), -1.0)
    step = 1
    for card in range(colours):
        if hand[card] > 0:
            cards[card] -= 1
            to = 0 if model == MIX else played + 1 if model == LUMPED else played + step
            for owl in range(len(owls)):
                if owls[owl] < nest:
                    moved = owls.astype(np.int64)
                    move_owl(moved, owl, card, path)
                    size, rank = 0, 0
                    for at in moved:
                        if at < nest:
                            size += 1
                            rank += choose[at - base, size]
                    rank += offset[size]
                    if rank == 0:
                        worth = 1.0
                    elif own:
                        entry = (suns * rests + number_of[key_of(cards, full)]) * fulls
                        worth = np.float64(table[place[to, rank], entry + number_of[key_of(other, full)]])
                    else:
                        worth = np.float64(table[place[to, rank], number_of[key_of(cards, full)] * shown + suns])
                    worths[card * len(owls) + owl] = worth
            cards[card] += 1
        step *= counts[card] + 1
    best = max(0.0, worths.max())
    for worth in worths:
        if worth >= 0 and best - worth <= tolerance:
            return best, best - worth
    return best, 0.0
