"""The tables of Hoot Owl Hoot as layers and blocks, and how exact what they hold is."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from dicewise.layered import Layered, Plan
from dicewise.solution import Report

if TYPE_CHECKING:
    import numpy as np

    from dicewise.games.hoot_owl._layout import Layout
    from dicewise.games.hoot_owl.rules import HootOwl

SECONDS_PER_STEP = 0.4e-9
"""About, for each number that is looked at, with the memory that it comes from."""
BLOCK_STEPS = 20_000_000
"""Steps in a block: about 10 ms."""


class HootTable(Layered):
    """The chances to win after every move, before the draw."""

    def __init__(self, game: HootOwl) -> None:
        self.game = game
        self.dtype = game.storage

    def plan(self) -> Plan:
        from math import prod

        from dicewise.games.hoot_owl._layout import size_of

        size = size_of(self.game)
        rows = size.rows
        layers = sum(self.game.nest - owl for owl in self.game.first_spaces)
        if self.game.model != "mix":
            layers = min(layers, sum(self.game.colour_cards) + 1)
        disk = rows * prod(size.width) * (4 if self.dtype == "float32" else 8)
        return Plan(
            game=self.game.spec,
            states=size.states,
            rows=rows,
            layers=layers,
            disk=disk,
            memory=disk if self.game.model == "mix" else disk // max(1, layers // 4),
            seconds=SECONDS_PER_STEP * rows * self._steps(prod(size.width)),
            at_most=self.game.model != "mix",
        )

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


def rounding(game: HootOwl) -> float:
    """A bound on the rounding error of any value, which is a chance of at most 1. Every number that is stored is a mean
    of others that are right to within their own errors, with one rounding to store it and a few to work it out; the
    largest of several is not further off than each of them. No play is longer than all steps of the owls and of the
    sun, and a card is drawn at most once more for each card of a hand."""
    steps = sum(game.nest - owl for owl in game.first_spaces) + game.track + game.full * max(1, game.hands)
    sums = 2 * len(game.deck_colours) + 8
    stored = 2.0**-25 if game.storage == "float32" else 2.0**-54
    return 1.01 * steps * (stored + sums * 2.0**-53)
