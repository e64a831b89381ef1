"""How many boards, hands and piles there are: what says beforehand how large a game is."""

from __future__ import annotations

from functools import cache
from itertools import product
from math import comb
from operator import add


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


def count_by_progress(owls: tuple[int, ...], nest: int) -> list[int]:
    """The boards of `count_boards` by how many spaces the owls have moved on, all together."""
    rest = [sum(nest - owl for owl in owls[first:]) for first in range(len(owls) + 1)]
    after = [{0: 1}] * (nest + 2)
    for first in reversed(range(len(owls))):
        ways = [{rest[first]: 1}] * (nest + 2)
        for space in reversed(range(owls[first], nest)):
            found = dict(ways[space + 1])
            for progress, count in after[space + 1].items():
                found[progress + space - owls[first]] = found.get(progress + space - owls[first], 0) + count
            ways[space] = found
        after = [ways[max(space, owls[first])] for space in range(nest + 2)]
    return [after[0].get(progress, 0) for progress in range(rest[0] + 1)]


MOST_SIZES = 400
"""Sizes of hands that are gone through one by one."""


def sizes_of_hands(hands: int, full: int) -> set[tuple[int, ...]]:
    """How many cards hands have, the mover's first, while there is a draw pile: those before are full, and those after
    too, or still to be dealt."""
    return {(own, *(0,) * (hands - 1 - dealt), *(full,) * dealt) for own in range(full + 1) for dealt in range(hands)}


def count_shares(
    colours: tuple[int, ...], suns: int, moves: int, hands: int, full: int, sun_is_held: bool
) -> list[int] | None:
    """In how many ways these cards can be in the draw pile, in hands, and played, by the number of colour cards that
    are played; at most so many moves of the sun. None where that would take long."""
    full = min(full, sum(colours) + suns)
    if (full + 1) ** hands > MOST_SIZES:
        return None
    held = [sizes for sizes in product(range(full + 1), repeat=hands) if sum(sizes) <= max(*colours, suns)]
    ways: dict[tuple[tuple[int, ...], int, bool], int] = {((0,) * hands, 0, False): 1}
    for kind, count in enumerate((*colours, suns)):
        is_sun, found = kind == len(colours), dict[tuple[tuple[int, ...], int, bool], int]()
        for (before, played, left), number in ways.items():
            for more in held:
                rest = count - sum(more)
                sizes = tuple(map(add, before, more))
                if rest < 0 or max(sizes) > full or (is_sun and any(more) and not sun_is_held):
                    continue
                for gone in range(min(rest, moves if is_sun else rest) + 1):
                    key = sizes, played + gone * (not is_sun), left or gone < rest
                    found[key] = found.get(key, 0) + number
        ways = found
    usual, shares = sizes_of_hands(hands, full), [0] * (sum(colours) + 1)
    for (sizes, played, left), number in ways.items():
        if not left or sizes in usual:
            shares[played] += number
    return shares


def count_played(counts: tuple[int, ...], most: int) -> int:
    """How many sets of cards, at most so many in all, can have been played of a deck with these counts."""
    ways = [1] + [0] * most
    for count in counts:
        ways = [sum(ways[max(0, total - count) : total + 1]) for total in range(most + 1)]
    return sum(ways)
