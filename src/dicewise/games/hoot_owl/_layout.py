"""The tables of Hoot Owl Hoot: which rows there are, in which order they are solved, and the arrays that kernels read.

A row belongs to a board and, where the draw pile is remembered, to the colour cards that were played: all of them by
colour (`deck`), or their number (`lumped`). Only pairs that can come up have a row. In the mix a layer holds the boards
with one total progress, the furthest first; otherwise the pairs with one number of cards played, the most first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations_with_replacement
from math import comb, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicewise.games.hoot_owl.counting import count_boards, count_hands, count_played
from dicewise.games.hoot_owl.position import SUN
from dicewise.games.hoot_owl.rules import MODELS, HootOwl

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Size:
    """How large a table is, before it is made."""

    rows: int
    """At most; how many it is exactly is known once they are listed."""
    width: tuple[int, ...]
    """Numbers in a row."""
    states: int
    """Positions of the game, at most."""
    piles: int = 1
    """Sets of played cards that are told apart."""


def size_of(game: HootOwl) -> Size:
    boards = count_boards(game.first_spaces, game.nest) - 1
    colours = len(game.deck_colours)
    steps = sum(game.nest - owl for owl in game.first_spaces)
    full, rest = game.full, game.full - 1
    if game.own_hands:
        hands = count_hands(colours + 1, full)
        width: tuple[int, ...] = (game.track, count_hands(colours + 1, rest), hands)
        return Size(boards, width, boards * game.track * hands**2)
    suns = suns_counted(game)
    width = (count_hands(colours, rest), suns)
    if game.model == "mix":
        return Size(boards, width, boards * suns * count_hands(colours + 1, full))
    every = sum(game.colour_cards)
    lumped = game.model == "lumped"
    piles = min(steps, every + 1) if lumped else count_played(game.colour_cards, min(steps - 1, every))
    told_apart = every + 1 if lumped else prod(count + 1 for count in game.colour_cards)
    states = boards * piles * suns * count_hands(colours, full)
    return Size(boards * piles, width, states, told_apart)


def layers_of(game: HootOwl) -> int:
    """About how many layers there are."""
    steps = sum(game.nest - owl for owl in game.first_spaces)
    return steps if game.model == "mix" else min(steps, sum(game.colour_cards) + 1)


def suns_counted(game: HootOwl) -> int:
    """How many numbers of suns can have been moved in an unfinished game."""
    return game.track if game.model == "mix" else min(game.track, game.suns + 1)


@dataclass(frozen=True, eq=False)
class Layout:
    """The rows of a game's table, and what kernels need to fill them."""

    game: HootOwl
    row_board: NDArray[np.int32]
    row_played: NDArray[np.int32]
    place: NDArray[np.int32]
    """The row of each [played, board]; -1 where there is none."""
    bounds: Ints
    """Where each layer begins, and at last where the last one ends."""
    owls: NDArray[np.uint8]
    choose: Ints
    offset: Ints
    following: NDArray[np.int32]
    """The cards played once another is, by its colour; -1 where there is none left."""

    @property
    def rows(self) -> int:
        return len(self.row_board)

    @property
    def base(self) -> int:
        return self.game.first_spaces[0]

    @cached_property
    def path(self) -> NDArray[np.int8]:
        return path_of(self.game)

    @property
    def board(self) -> tuple[Any, ...]:
        return self.owls, self.path, self.base, self.choose, self.offset

    def board_of(self, owls: tuple[int, ...]) -> int:
        """The number of a board."""
        return _rank([owl - self.base for owl in owls if owl < self.game.nest], self.offset)

    def played_of(self, pile: tuple[int, ...], hand: str) -> int:
        """The number of the cards played, by what is left of them in the draw pile and in the hand."""
        game, counts = self.game, self.game.colour_cards
        if game.model == "mix":
            return 0
        if game.model == "lumped":
            return sum(counts) - pile[0] - len(hand)
        gone = [n - left - hand.count(c) for n, left, c in zip(counts, pile, game.deck_colours, strict=True)]
        return int(np.dot(gone, _radix(counts)))

    # ---- hands

    @cached_property
    def hand_lists(self) -> list[list[str]]:
        """The hands of each size; those without suns first."""
        return hand_lists(self.game)

    @cached_property
    def hand_number(self) -> list[dict[str, int]]:
        return [{hand: number for number, hand in enumerate(hands)} for hands in self.hand_lists]

    @cached_property
    def shared_hands(self) -> tuple[Any, ...]:
        """What `fill_rows` reads of hands."""
        lists, colours = self.hand_lists, self.game.deck_colours
        shape = len(lists), len(lists[-1]), len(colours)
        counts, more, less = (np.full(shape, fill, dtype=np.int64) for fill in (0, -1, -1))
        for size, hands in enumerate(lists):
            for number, hand in enumerate(hands):
                for at, card in enumerate(colours):
                    counts[size, number, at] = hand.count(card)
                    if size + 1 < len(lists):
                        more[size, number, at] = self.hand_number[size + 1]["".join(sorted(hand + card))]
                    if card in hand:
                        less[size, number, at] = self.hand_number[size - 1][hand.replace(card, "", 1)]
        return np.array([len(hands) for hands in lists]), counts, more, less

    @cached_property
    def own_hands(self) -> tuple[Any, ...]:
        """What `fill_rows_own` reads of hands."""
        game, (rests, fulls) = self.game, self.hand_lists[-2:]
        rest_number, full_number = self.hand_number[-2:]
        cards = game.deck_colours + SUN
        weights = np.array([*game.colour_cards, game.suns], dtype=np.float64)
        more = [[full_number["".join(sorted(hand + card))] for card in cards] for hand in rests]
        less = [[rest_number[h.replace(card, "", 1)] if card in h else -1 for card in cards] for h in fulls]
        sunless = [sum(SUN not in hand for hand in hands) for hands in (fulls, rests)]
        return weights / weights.sum(), *sunless, np.array(more), np.array(less)

    # ---- the draw pile

    @cached_property
    def pile(self) -> tuple[Any, ...]:
        """What `fill_rows` reads of the draw pile."""
        game, every, full = self.game, sum(self.game.colour_cards), self.game.full
        counts = np.array(game.colour_cards)
        suns = np.arange(suns_counted(game))
        if game.model == "mix":
            unplayed, played = counts[None, :], np.zeros(1, dtype=np.int64)
        elif game.model == "lumped":
            played = np.arange(every + 1)
            unplayed = np.repeat(counts[None, :], every + 1, axis=0)
        else:
            gone = played_by_colour(game)
            unplayed, played = counts - gone, gone.sum(axis=1)
        held = np.minimum(full - 1, every - played)
        left = every - played - held
        if game.model == "mix":
            held[:], left[:] = full - 1, every
        suns_left = np.full(len(suns), float(game.suns)) if game.model == "mix" else (game.suns - suns).astype(float)
        cards = np.arange(every + 1)[:, None] + suns_left
        one_over = np.divide(1.0, cards, out=np.zeros_like(cards), where=cards > 0)
        return MODELS.index(game.model), unplayed, held, left, suns_left, one_over, counts / every


def path_of(game: HootOwl) -> NDArray[np.int8]:
    """The colours of the spaces as numbers; -1 where the deck has none of it."""
    return np.array([game.deck_colours.find(colour) for colour in game.path], dtype=np.int8)


def _rank(spaces: list[int], offset: Ints) -> int:
    """The number of the board with owls on these spaces, counted from the first start space on."""
    return int(offset[len(spaces)]) + sum(comb(space, at) for at, space in enumerate(spaces, 1))


def hand_lists(game: HootOwl) -> list[list[str]]:
    """The hands of each size up to the full one; those without suns first."""
    cards = game.deck_colours + SUN * game.own_hands
    sizes = range(game.full + 1)
    lists = [["".join(sorted(hand)) for hand in combinations_with_replacement(cards, size)] for size in sizes]
    return [sorted(hands, key=lambda hand: hand.count(SUN)) for hands in lists]


def _radix(counts: tuple[int, ...]) -> list[int]:
    """What a played card of each colour adds to the number of the cards played."""
    return [prod(count + 1 for count in counts[:at]) for at in range(len(counts))]


def played_by_colour(game: HootOwl) -> Ints:
    """How many cards of each colour were played, by the number of the cards played."""
    counts = game.colour_cards
    numbers = np.arange(prod(count + 1 for count in counts))
    return np.stack([numbers // step % (n + 1) for step, n in zip(_radix(counts), counts, strict=True)], axis=1)


@lru_cache(maxsize=2)
def layout(game: HootOwl) -> Layout:
    """List the rows of a game."""
    from dicewise.games.hoot_owl import _kernel_boards

    spaces, base = game.nest - game.first_spaces[0], game.first_spaces[0]
    sizes = range(game.owls + 1)
    choose = np.array([[comb(n, k) for k in range(game.owls + 1)] for n in range(spaces + 1)])
    offset = np.array([sum(comb(spaces, smaller) for smaller in range(size)) for size in sizes])
    boards = sum(comb(spaces, size) for size in sizes)
    owls = _kernel_boards.list_boards(spaces, game.owls, base, boards)
    if game.model == "mix":
        order = np.argsort(-owls.astype(np.int16).sum(axis=1)[1:], kind="stable").astype(np.int32) + 1
        progress = owls.astype(np.int64).sum(axis=1)[order]
        bounds = np.concatenate([[0], np.flatnonzero(np.diff(progress)) + 1, [len(order)]])
        place = np.full((1, boards), -1, dtype=np.int32)
        place[0, order] = np.arange(len(order))
        following = np.zeros((1, len(game.deck_colours)), dtype=np.int32)
        return Layout(game, order, np.zeros_like(order), place, bounds, owls, choose, offset, following)
    following, number = _following(game)
    seen = np.zeros((len(number), boards), dtype=np.bool_)
    rising = np.argsort(number, kind="stable")
    start = _rank([owl - base for owl in game.first_spaces], offset)
    moves = _kernel_boards.list_moves(owls, len(game.deck_colours), path_of(game), base, choose, offset)
    _kernel_boards.mark_reachable(seen, rising, following, start, moves)
    seen[:, 0] = False
    falling = rising[::-1].copy()
    each = seen.sum(axis=1)
    rows = int(each.sum())
    row_board, row_played = np.empty(rows, dtype=np.int32), np.empty(rows, dtype=np.int32)
    place = np.full(seen.shape, -1, dtype=np.int32)
    _kernel_boards.list_rows(seen, falling, row_board, row_played, place)
    by_number = np.bincount(number, weights=each)[::-1].astype(np.int64)
    bounds = np.concatenate([[0], np.cumsum(by_number[by_number > 0])])
    return Layout(game, row_board, row_played, place, bounds, owls, choose, offset, following)


def _following(game: HootOwl) -> tuple[NDArray[np.int32], Ints]:
    """What another card of each colour makes of the cards played, and how many they are."""
    colours, every = len(game.deck_colours), sum(game.colour_cards)
    if game.model == "lumped":
        number = np.arange(every + 1)
        following = np.where(number < every, number + 1, -1)
        return np.repeat(following[:, None], colours, axis=1).astype(np.int32), number
    gone = played_by_colour(game)
    steps = np.arange(len(gone))[:, None] + np.array(_radix(game.colour_cards))
    return np.where(gone < game.colour_cards, steps, -1).astype(np.int32), gone.sum(axis=1)
