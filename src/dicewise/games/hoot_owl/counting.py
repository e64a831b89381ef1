"""How many boards, hands and piles there are: what says beforehand how large a game is."""

from __future__ import annotations

from functools import cache
from math import comb


def count_boards(owls: tuple[int, ...], nest: int) -> int:
    """Ways in which unmarked owls can stand once they have moved on from these spaces, the finished one included.

    An owl can always be brought to the space ahead of it, if that is free, or jump over those that are not; so the
    i-th owl from behind can be anywhere from its space on."""

    @cache
    def ways(first: int, low: int) -> int:
        if first == len(owls):
            return 1
        return 1 + sum(ways(first + 1, space + 1) for space in range(max(low, owls[first]), nest))

    return ways(0, 0)


def count_hands(kinds: int, cards: int) -> int:
    """Hands of so many cards of so many kinds."""
    return comb(kinds + cards - 1, cards)


def count_played(counts: tuple[int, ...], most: int) -> int:
    """How many sets of cards, at most so many in all, can have been played of a deck with these counts."""
    ways = [1] + [0] * most
    for count in counts:
        ways = [sum(ways[max(0, total - count) : total + 1]) for total in range(most + 1)]
    return sum(ways)
