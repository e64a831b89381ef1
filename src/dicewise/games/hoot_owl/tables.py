"""The tables of Hoot Owl Hoot as layers and blocks, and how exact what they hold is."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from dicewise.layered import Layered, Plan
from dicewise.solution import Report

if TYPE_CHECKING:
    import numpy as np

    from dicewise.games.hoot_owl._layout import Layout
    from dicewise.games.hoot_owl.rules import HootOwl

SECONDS_PER_STEP = 2e-9
"""About, for each number that is looked at, with the memory that it comes from."""
BLOCK_STEPS = 20_000_000
"""Steps in a block: about 10 ms."""


PAIRS_LISTED = 200_000_000
"""Pairs of a board and cards played up to which it is looked at which of them can come up, to plan with."""


class HootTable(Layered):
    """The chances to win after every move, before the draw."""

    def __init__(self, game: HootOwl) -> None:
        self.game = game
        self.dtype = game.storage

    def plan(self) -> Plan:
        from math import comb, prod

        from dicewise.games.hoot_owl._layout import layers_of, size_of

        game, size = self.game, size_of(self.game)
        numbers = prod(size.width) * (4 if self.dtype == "float32" else 8)
        spaces = game.nest - game.first_spaces[0]
        boards = sum(comb(spaces, on_path) for on_path in range(game.owls + 1))
        known = game.model == "mix" or boards * size.piles <= PAIRS_LISTED
        rows = boards - 1 if game.model == "mix" else self.layout.rows if known else size.rows
        layers = layers_of(game)
        most = rows if game.model == "mix" else rows // 6
        if game.model != "mix" and known:
            layers, most = len(self.bounds) - 1, self._two_layers()
        return Plan(
            game=game.spec,
            states=size.states if game.model == "mix" else size.states // size.rows * rows,
            rows=rows,
            layers=layers,
            disk=rows * numbers,
            memory=most * numbers + boards * (4 * size.piles + game.owls) + 8 * rows,
            seconds=SECONDS_PER_STEP * rows * self._steps(prod(size.width)),
            at_most=not known,
        )

    def _two_layers(self) -> int:
        """The most rows in a layer and the one before it."""
        sizes = [last - first for first, last in pairwise(self.bounds.tolist())]
        return max((sum(both) for both in pairwise(sizes)), default=self.layout.rows)

    def _steps(self, width: int) -> int:
        """Numbers that are looked at to fill a row: each colour with each owl, and each card drawn."""
        colours = len(self.game.deck_colours)
        return width * (colours * (self.game.owls + 1) + 3 * colours)

    def prepare(self) -> None:
        _ = self.layout

    @cached_property
    def layout(self) -> Layout:
        from dicewise.games.hoot_owl._layout import layout

        return layout(self.game)

    @property
    def shape(self) -> tuple[int, ...]:
        from dicewise.games.hoot_owl._layout import size_of

        return self.layout.rows, *size_of(self.game).width

    @property
    def bounds(self) -> np.ndarray[Any, Any]:
        return self.layout.bounds

    @cached_property
    def rows_per_block(self) -> int:
        from math import prod

        return max(1, BLOCK_STEPS // self._steps(prod(self.shape[1:])))

    def report(self) -> Report:
        from dicewise.games.hoot_owl._layout import size_of

        size, game = size_of(self.game), self.game
        return Report(
            game=game.spec,
            method=f"kernel (compiled), in layers, {game.storage}",
            interests="team",
            states=size.states // size.rows * self.layout.rows if game.model != "mix" else size.states,
            seconds=0.0,
            exact=False,
            error_bound=rounding(game),
            tie_rule="of equally good moves the first card in the alphabet, and of its owls the last",
            cautions=cautions(game),
        )

    @property
    def reads_one_layer(self) -> bool:
        return self.game.model != "mix"

    def fill(self, earlier: np.ndarray[Any, Any], at: int, out: np.ndarray[Any, Any], first: int, last: int) -> None:
        rows = self.layout
        if self.game.own_hands:
            from dicewise.games.hoot_owl._kernel_own import fill_rows_own

            own: Any = (rows.row_board, rows.place[0]), rows.board, rows.own_hands
            fill_rows_own(earlier, at, out, first, last, *own)
        else:
            from dicewise.games.hoot_owl._kernel import fill_rows

            of_rows = rows.row_board, rows.row_played, rows.place, rows.following
            shared: Any = of_rows, rows.board, rows.pile, rows.shared_hands
            fill_rows(earlier, at, out, first, last, *shared)


def cautions(game: HootOwl) -> tuple[str, ...]:
    """What has to be said wherever the value of a model is shown."""
    if game.model == "mix" and game.suns:
        picture = "the initial mix is a poor picture of the real deck"
        if game.suns < game.track:
            return (f"{picture}, which has fewer than {game.track} suns and cannot lose to the sun at all",)
        moves = "1 sun move" if game.track == 1 else f"{game.track} sun moves"
        suns = "1 sun" if game.suns == 1 else f"{game.suns} suns"
        return (f"{picture}: losing takes {moves}, and the deck has {suns}",)
    if game.model == "lumped":
        return ("the lumped deck forgets which colours were played; --model deck does not",)
    return ()


def most_steps(game: HootOwl) -> int:
    """No play is longer than all steps of the owls and of the sun, and a card is drawn at most once more for each card
    of a hand."""
    return sum(game.nest - owl for owl in game.first_spaces) + game.track + game.full * max(1, game.hands)


def rounding(game: HootOwl) -> float:
    """A bound on the rounding error of any value, which is a chance of at most 1. Every number that is stored is a mean
    of others that are right to within their own errors, with one rounding to store it and a few to work it out; the
    largest of several is not further off than each of them. So what is lost is lost once for each step of a play."""
    sums = 2 * len(game.deck_colours) + 8
    stored = 2.0**-25 if game.storage == "float32" else 2.0**-54
    return 1.01 * most_steps(game) * (stored + sums * 2.0**-53)
