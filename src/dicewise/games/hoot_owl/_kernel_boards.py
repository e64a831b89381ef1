"""Boards as numbers, compiled: which there are, what a card makes of them, which come up with which cards played.

A board is a set of at most n spaces, numbered from the first start space on; owls that are not on it are in the nest.
Sets of j spaces q_1 < ... < q_j come after all smaller ones, and have among themselves the rank

    C(q_1, 1) + C(q_2, 2) + ... + C(q_j, j)

so that the finished board is number 0. `choose` holds the binomials, `offset` the number of smaller sets.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def list_boards(spaces: Any, owls: Any, base: Any, boards: Any) -> Any:
    """The spaces of the owls of every board, ascending, the nest last: [board, owl]."""
    found = np.full((boards, owls), base + spaces, dtype=np.uint8)
    at = 1
    chosen = np.empty(owls, dtype=np.int64)
    for size in range(1, min(owls, spaces) + 1):
        for i in range(size):
            chosen[i] = i
        while True:
            for i in range(size):
                found[at, i] = base + chosen[i]
            at += 1
            i = 0
            while i + 1 < size and chosen[i] + 1 == chosen[i + 1]:
                chosen[i] = i
                i += 1
            chosen[i] += 1
            if chosen[i] >= spaces:
                break
    return found


@njit(cache=True, nogil=True)
def after_move(owls: Any, owl: Any, colour: Any, path: Any, base: Any, choose: Any, offset: Any) -> Any:
    """The number of the board once a card has moved the owl at this place of the list."""
    nest, count = len(path), len(owls)
    to, taken = owls[owl] + 1, owl + 1
    while to < nest:
        while taken < count and owls[taken] < to:
            taken += 1
        if path[to] == colour and not (taken < count and owls[taken] == to):
            break
        to += 1
    rank, size, put = 0, 0, to == nest
    for i in range(count):
        if i == owl:
            continue
        at = owls[i]
        if not put and to < at:
            size += 1
            rank += choose[to - base, size]
            put = True
        if at >= nest:
            break
        size += 1
        rank += choose[at - base, size]
    if not put:
        size += 1
        rank += choose[to - base, size]
    return offset[size] + rank


@njit(cache=True, nogil=True)
def list_moves(owls: Any, colours: Any, path: Any, base: Any, choose: Any, offset: Any) -> Any:
    """What every card makes of every board, by the owl that it moves: [board, colour, owl], -1 where it is home."""
    found = np.full((len(owls), colours, owls.shape[1]), -1, dtype=np.int32)
    for board in range(1, len(owls)):
        for colour in range(colours):
            for owl in range(owls.shape[1]):
                if owls[board, owl] < len(path):
                    found[board, colour, owl] = after_move(owls[board], owl, colour, path, base, choose, offset)
    return found


@njit(cache=True, nogil=True)
def mark_reachable(seen: Any, order: Any, following: Any, start: Any, moves: Any) -> None:
    """Mark in `seen` [played, board] what can come up, beginning with no card played and the board `start`; sets of
    played cards are taken in this order, and `following` [played, colour] says what another card makes of them."""
    seen[0, start] = True
    for played in order:
        for board in range(1, seen.shape[1]):
            if seen[played, board]:
                for colour in range(following.shape[1]):
                    to = following[played, colour]
                    if to >= 0:
                        for owl in range(moves.shape[2]):
                            after = moves[board, colour, owl]
                            if after >= 0:
                                seen[to, after] = True


@njit(cache=True, nogil=True)
def list_rows(seen: Any, order: Any, row_board: Any, row_played: Any, place: Any) -> None:
    """Number what is marked, but for finished boards, in this order of the sets of played cards."""
    row = 0
    for played in order:
        for board in range(1, seen.shape[1]):
            if seen[played, board]:
                row_board[row] = board
                row_played[row] = played
                place[played, board] = row
                row += 1
