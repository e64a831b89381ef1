"""Ways to play Hoot Owl Hoot that have a name: rules of thumb, and what is best in a simplified model.

Who plays by a model takes what is on the table for a position of that model, and the hands of the others, where the
model has no such thing, for a part of the draw pile. A model whose hands are never short reads a short hand as one for
which cards are still to be drawn.

    worth(move) = chance to win in the model once the card is played, before the draw
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dicewise.errors import InputError
from dicewise.game import Progress
from dicewise.games.hoot_owl.position import Move, Position

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dicewise.games.hoot_owl.rules import HootOwl
    from dicewise.games.hoot_owl.solution import HootOwlSolution

HEURISTICS = {
    "last-owl-first": "moves the last owl, with the card that takes it furthest",
    "front-owl-first": "moves the owl nearest to the nest, with the card that takes it furthest",
    "farthest": "moves whichever owl a card takes furthest",
    "optimal-mix-N": "plays what is best where cards are drawn from the initial mix, with N hands (0, 1 or 2)",
    "optimal-lumped-N": "plays what is best where colours are lumped, with N hands (0 or 1)",
    "optimal-deck-N": "plays what is best with N hands (0 or 1) and the real deck",
}
"""What they do, for those who ask."""

FAR = ("last-owl-first", "front-owl-first", "farthest")
EQUAL = 1e-12
"""Moves whose worths differ by no more are equally good: the first listed is played."""


@dataclass(frozen=True)
class Far:
    """The card that takes the last owl, the front one, or any of them furthest."""

    game: HootOwl
    name: str

    def __call__(self, state: Position) -> Move:
        moves = [move for move in self.game.actions(state) if isinstance(move, Move)]
        if self.name == "last-owl-first":
            moves = [move for move in moves if move.owl == state.owls[0]]
        elif self.name == "front-owl-first":
            front = max(owl for owl in state.owls if owl < self.game.nest)
            moves = [move for move in moves if move.owl == front]
        return max(moves, key=lambda move: move.to - move.owl)

    def play_out(
        self, state: Position, key: tuple[int, int], first: int, last: int, progress: Progress
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]] | None:
        """As `Solution.play_out`."""
        from dicewise.games.hoot_owl.simulate import play_far

        return play_far(self.game, FAR.index(self.name), state, key, first, last, progress)


@dataclass(eq=False)
class ByModel:
    """What is best in a simplified model of the game, which is solved, or found in the store, when play begins."""

    game: HootOwl
    simpler: HootOwl
    _solved: HootOwlSolution | None = None

    def solved(self, progress: Progress | None = None) -> HootOwlSolution:
        """The model's solution."""
        if self._solved is None:
            from dicewise.engine.recall import recall
            from dicewise.games.hoot_owl.solution import HootOwlSolution

            found = recall(self.simpler, progress=progress)
            assert isinstance(found, HootOwlSolution)
            self._solved = found
        return self._solved

    def __call__(self, state: Position) -> Move:
        moves = [move for move in self.game.actions(state) if isinstance(move, Move)]
        worths = [self.worth(state, move) for move in moves]
        most = max(worths)
        return next(move for move, worth in zip(moves, worths, strict=True) if most - worth <= EQUAL)

    def worth(self, state: Position, move: Move) -> float:
        """The chance to win in the model after a move."""
        (_, _, after), *_ = self.game.step(state, move)
        return self.solved().chance(self.seen(after._replace(turn=0), state))

    def seen(self, after: Position, before: Position) -> Position:
        """What the model takes a position for, in which the mover of the one before has not drawn yet."""
        model, mover = self.simpler, before.turn
        hands = before.hands[mover:] + before.hands[:mover] if self.game.own_hands else before.hands
        own = after.hands[mover if self.game.own_hands else 0]
        seen = (own, *hands[1:]) if model.own_hands else (own if model.hands else "",)
        pile: tuple[int, ...] = ()
        if model.model != "mix":
            others = "".join(after.hands).replace("*", "")
            held = seen[0]
            if model.model == "deck":
                pile = tuple(
                    left + others.count(card) - held.count(card)
                    for left, card in zip(after.pile, self._colours, strict=True)
                )
            else:
                pile = (sum(after.pile) + len(others) - len(held),)
        return Position(after.owls, after.suns, seen, 0, pile)

    @cached_property
    def _colours(self) -> str:
        return self.game.deck_colours

    def play_out(
        self, state: Position, key: tuple[int, int], first: int, last: int, progress: Progress
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]] | None:
        """As `Solution.play_out`."""
        from dicewise.games.hoot_owl.simulate import play_by_table

        return play_by_table(self.game, self.solved(progress), EQUAL, state, key, first, last, progress)


def policy(game: HootOwl, name: str) -> Callable[[Position], Any] | None:
    """The policy of this name, or None."""
    if name in FAR:
        return Far(game, name)
    kind, _, rest = name.partition("-")
    model, _, hands = rest.partition("-")
    if kind != "optimal" or model not in ("mix", "lumped", "deck") or not hands.isdecimal():
        return None
    simpler = replace(game, model=model, hands=int(hands), players=max(2, int(hands)))
    if simpler.layered() is None or (simpler.own_hands and game.hands != simpler.hands):
        raise InputError(
            f"policy {name!r} cannot be worked out for {game.spec}: there are tables for 0 and 1 hands, and for 2 in "
            "the mix where both players have a hand"
        )
    if simpler.model == "deck" and game.model != "deck":
        raise InputError(f"policy {name!r} has to see the deck; play it with --model deck")
    if simpler.model == "lumped" and game.model == "mix":
        raise InputError(f"policy {name!r} has to count the cards; play it with --model deck or lumped")
    return ByModel(game, simpler)
