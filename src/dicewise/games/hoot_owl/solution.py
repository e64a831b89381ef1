"""Hoot Owl Hoot solved: a table of what every position is worth after a move, and the questions that people ask of it.

What a position is worth before a move, or while hands are dealt, is worked out from the table when it is asked for.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dicewise.engine.layers import run
from dicewise.engine.solve import announce_compiler
from dicewise.errors import InputError, LimitError
from dicewise.game import Number, Progress
from dicewise.games.hoot_owl._layout import Layout, layout, size_of
from dicewise.games.hoot_owl.position import Action, Move, Position
from dicewise.games.hoot_owl.rules import HootOwl
from dicewise.games.hoot_owl.tables import HootTable, cautions
from dicewise.solution import TIE_TOLERANCE, Choice, Report, Solution, Violation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TIE_SINGLE = 2.0**-22
"""Values in single precision that are closer than this count as a tie: about as far as they are off in practice."""

MOST_DRAWN = 50_000_000
"""Positions whose worths are looked at together, for a picture."""

REMEMBERED = 200_000
"""Positions in the deal whose worth is kept in mind."""


class ImpossibleError(InputError):
    """A position, or one that it leads to, cannot come up."""

    def __init__(self, text: str) -> None:
        super().__init__(
            f"position {text!r:.160} cannot come up: the cards that are gone cannot have brought the owls there"
        )


def solve_fast(game: HootOwl, progress: Progress | None = None) -> HootOwlSolution:
    """The chance to win from every position, with the table in memory."""
    started = time.perf_counter()
    announce_compiler(progress)
    layered = HootTable(game)
    table, first = run(layered, progress=progress)
    return HootOwlSolution(game, replace(layered.report(), seconds=time.perf_counter() - started), table, first)


class HootOwlSolution(Solution[Position, Action]):
    """The chance to win from every position, and how to play for it."""

    game: HootOwl

    def __init__(self, game: HootOwl, report: Report, table: Any, first: int = 0) -> None:
        """`table` has the rows from number `first` on: all of them, or where those had no room only the last ones."""
        self.rows: Layout = layout(game)
        self._first = first
        if table.shape != (self.rows.rows - first, *size_of(game).width):
            raise InputError(f"the stored table of {game.spec} has the wrong shape")
        super().__init__(game, report, TIE_SINGLE if game.storage == "float32" else TIE_TOLERANCE)
        self.chances = table
        self._dealt: dict[Position, float] = {}

    # ---- what a solver supplies

    def values(self, state: Position) -> tuple[Number, ...]:
        try:
            return (self.chance(self.game.as_first(state)),) * self.game.players
        except ImpossibleError:
            raise ImpossibleError(self.game.text(state)) from None

    def choices(self, state: Position) -> list[Choice[Action]]:
        self.values(state)  # one that cannot come up is refused by its own name, not that of one it leads to
        return super().choices(state)

    def chance(self, state: Position) -> float:
        """To win, from a position whose mover is the first player."""
        game = self.game
        if game.is_over(state):
            return float(game.payoff(state))
        if (place := self._place(state)) is not None:
            return float(self.chances[place])
        if state in self._dealt:
            return self._dealt[state]
        actions = game.actions(state)
        if actions != ("draw",):
            return max(self.chance(game.as_first(to)) for action in actions for _, _, to in game.step(state, action))
        found = game.step(state, "draw")
        total = sum(weight for _, weight, _ in found)
        value = sum(weight * self.chance(game.as_first(to)) for _, weight, to in found) / total
        if len(self._dealt) < REMEMBERED:
            self._dealt[state] = value
        return value

    def _place(self, state: Position) -> tuple[int, ...] | None:
        """Where the table has a position, if it does: before the draw after a move."""
        game, rows = self.game, self.rows
        hand = state.hands[0]
        board = rows.board_of(state.owls)
        if game.own_hands:
            if len(hand) != game.full - 1 or any(len(other) != game.full for other in state.hands[1:]):
                return None
            own, others = rows.hand_number[-2][hand], rows.hand_number[-1][state.hands[1]]
            return int(rows.place[0, board]), state.suns, own, others
        if len(hand) != game.full - 1 or not game.left(state):
            return None
        row = int(rows.place[rows.played_of(state.pile, hand), board])
        if row < 0:
            raise ImpossibleError(game.text(state))
        if row < self._first:
            raise InputError(
                f"position {game.text(state)!r:.160} was not kept, for lack of memory; without --no-store all of "
                "them are kept, on disk"
            )
        return row - self._first, rows.hand_number[len(hand)][hand], state.suns

    @property
    def is_whole(self) -> bool:
        """Whether all of the table is there."""
        return self._first == 0

    def play_out(
        self, state: Position, key: tuple[int, int], first: int, last: int, progress: Progress
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]] | None:
        from dicewise.games.hoot_owl.simulate import play_by_table

        return play_by_table(self.game, self, float(self.tolerance), state, key, first, last, progress)

    def states(self) -> Iterator[Position]:
        """The positions that the table holds: after a move, before the draw."""
        width = math.prod(self.chances.shape[1:])
        for row in range(self._first, self.rows.rows):
            if self._can_be[row]:
                for entry in range(width):
                    state = self.position(row, entry)
                    if state is not None:
                        yield state

    def worths(self) -> NDArray[np.float64]:
        import numpy as np

        if self.chances.size > MOST_DRAWN:
            raise LimitError(
                f"{self.game.spec} has {self.chances.size:,} positions after a move, too many to be shown together (up "
                f"to {MOST_DRAWN:,}); choose fewer owls"
            )
        rows = np.flatnonzero(self._can_be[self._first :])
        found = self.chances[rows].astype(np.float64)
        if self.game.model == "mix":
            return np.asarray(found.ravel())
        open_ = np.repeat(self.possible[self.rows.row_played[rows + self._first]][:, :, None], found.shape[2], axis=2)
        held, left = self.rows.pile[2:4]
        empty = (held + left == 0)[self.rows.row_played[rows + self._first]]
        open_ &= ~(empty[:, None, None] & (self.rows.pile[4] == 0))
        return np.asarray(found[open_])

    def position(self, row: int, entry: int) -> Position | None:
        """The position of an entry of the table; None where there is none."""
        game, rows = self.game, self.rows
        owls = tuple(rows.owls[rows.row_board[row]].tolist())
        if game.own_hands:
            suns, hands = divmod(entry, self.chances.shape[2] * self.chances.shape[3])
            own, other = divmod(hands, self.chances.shape[3])
            return Position(owls, suns, (rows.hand_lists[-2][own], rows.hand_lists[-1][other]))
        played = int(rows.row_played[row])
        rest, suns = divmod(entry, self.chances.shape[2])
        if not self.possible[played, rest]:
            return None
        _, unplayed, held, left, suns_left, *_ = rows.pile
        if game.model != "mix" and held[played] + left[played] + suns_left[suns] == 0:
            return None  # nobody has a card any more: the game is over
        hand = rows.hand_lists[held[played]][rest]
        if game.model == "mix":
            return Position(owls, suns, (hand,))
        if game.model == "lumped":
            return Position(owls, suns, (hand,), 0, (int(left[played]),))
        pile = [int(n) - hand.count(card) for n, card in zip(unplayed[played], game.deck_colours, strict=True)]
        return Position(owls, suns, (hand,), 0, tuple(pile))

    @cached_property
    def _can_be(self) -> NDArray[np.bool_]:
        """Which rows have a board that can come up from the start."""
        import numpy as np

        boards = np.all(self.rows.owls >= np.array(self.game.first_spaces), axis=1)
        return np.asarray(boards[self.rows.row_board])

    @cached_property
    def rest_hands(self) -> list[str]:
        """The hands after a move when the draw pile is not empty."""
        return self.rows.hand_lists[self.game.full - 1]

    @cached_property
    def possible(self) -> NDArray[np.bool_]:
        """Which hands there can be after a move: [played, hand]."""
        import numpy as np

        _, unplayed, held, *_ = self.rows.pile
        if self.game.own_hands:
            return np.ones((1, len(self.rest_hands)), dtype=np.bool_)
        count_of, counts, *_ = self.rows.shared_hands
        there = np.arange(self.chances.shape[1]) < count_of[held][:, None]
        if self.game.model == "deck":
            for played, size in enumerate(held.tolist()):
                there[played] &= np.all(counts[size, : there.shape[1]] <= unplayed[played], axis=1)
        return np.asarray(there)

    def check_bellman(self, exact: bool, progress: Progress | None = None) -> Violation | None:
        if exact or not self.is_whole:
            return None
        from dicewise.games.hoot_owl.bellman import check

        return check(self, progress)

    def details(self, state: Position, action: Action) -> Mapping[str, Number]:
        """How many spaces a move is long, and how many owls are home after it."""
        if not isinstance(action, Move):
            return {}
        home = state.owls.count(self.game.nest) + (action.to == self.game.nest)
        return {"spaces": action.to - action.owl, "home": home}

    def in_brief(self, state: Position, action: Action) -> dict[str, str]:
        return {name: str(number) for name, number in self.details(state, action).items()}

    def why(self, state: Position) -> str:
        game, choices = self.game, self.choices(state)
        said = super().why(state)
        if len(choices) > 1 and isinstance(best := choices[0].action, Move):
            ties = sum(choice.loss == 0 for choice in choices)
            kind = "is best" if ties == 1 else f"is one of {ties} equally good moves"
            said = f"{self._deed(best)} {kind}"
            if ties < len(choices):
                rival = choices[ties]
                assert isinstance(rival.action, Move)
                said += f": {float(rival.loss):.3g} more than {self._deed(rival.action)}"
            said = f"{said[0].upper()}{said[1:]}."
        return " ".join([said, *(f"Mind that {caution}." for caution in cautions(game))])

    def _deed(self, move: Move) -> str:
        to = "home" if move.to == self.game.nest else f"to {move.to}"
        return f"playing {move.card} to bring the owl on {move.owl} {to}"
