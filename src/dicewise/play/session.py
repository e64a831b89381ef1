"""A game in progress: moves are made, dice roll by a seed or are typed in from a real table, moves are taken back.

What chance decides depends on the seed, the number of the game and the number of the push (`engine.draws`): push m of
game g falls as move m of game g does in `simulate`, so a session can play any simulated game again. All pushes ever
made are counted, those taken back included: who takes a move back and makes it again gets a new draw, and cannot peek.

    >>> from dicewise import Greed, Session
    >>> session = Session(Greed(), ["Alice", "Blair"], seed=1)
    >>> session.push(25, 74).to.scores
    (74, 0)
    >>> session.push(24).outcome, session.mover
    (84, 'Alice')
    >>> print(session.transcript())
    game: greed(max=100,sides=6)
    names: Alice, Blair
    seed: 1
    1. Alice: 25 -> 74
    2. Blair: 24 -> 84
    >>> Session.parse(session.transcript()) == session
    True
"""

from __future__ import annotations

import secrets
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Generic

from dicewise.engine.draws import key_of, pick
from dicewise.engine.reading import action_list, call, outcomes_of, pay_row, player_count, start_of, turn_of
from dicewise.errors import InputError
from dicewise.game import A, Game, Number, S
from dicewise.play.transcript import HINT, UNDO, read_transcript, write_transcript
from dicewise.solution import Choice, Solution

WHO_STARTS = 2**64 - 1
"""The number of the game under a seed whose draws decide who starts: no other game has it."""

CHOOSING = 2**31
"""Added to the number of a push where a policy that mixes chooses: its choice and the dice are drawn apart."""


@dataclass(frozen=True)
class Move(Generic[S, A]):
    """One choice, and what chance made of it."""

    state: S
    """The position before it."""
    player: int
    """Who made it, from 0."""
    action: A
    outcome: Hashable
    to: S
    """The position after it."""
    hinted: bool = False
    """Advice was asked for before it."""
    forced: bool = False
    """There was nothing to choose."""


class Session(Generic[S, A]):
    """A game in progress.

    `names` has one name per player. `seed` decides the dice, and one is chosen if none is given; `number` is that of
    the game under the seed. `state` is where the game begins if not at its start, seen by its mover: where the game
    rotates seats (`as_first`), the mover is the first of the names.
    """

    def __init__(
        self,
        game: Game[S, A],
        names: Sequence[str] = (),
        *,
        seed: int | None = None,
        number: int = 0,
        state: S | None = None,
    ) -> None:
        self.game = game
        self.names = checked_names(game, names)
        self.seed = secrets.randbits(32) if seed is None else seed
        self._key = key_of(self.seed)
        if type(number) is not int or not 0 <= number < WHO_STARTS:
            raise InputError(f"number {number!r} is not allowed; games under a seed are counted from 0 up")
        self.number = number
        self.start: S = start_of(game)
        if state is not None and state != self.start:
            self.start = call(game, game.as_first, state, state=state)
        self.moves: list[Move[S, A]] = []
        """The moves of the game; those that were taken back are not among them."""
        self.undone: list[tuple[int, Move[S, A]]] = []
        """Moves that were taken back, and how many moves stood before each of them."""
        self.log: list[tuple[int, Move[S, A] | str]] = []
        """All that happened, in order: moves, `hint` and `undo`, and how many moves stood before each of them."""
        self.state: S = self.start
        self._actions: list[A] = []
        self._hinted = False
        self._arrive(self.start, hinted=False)

    # ---- where the game stands

    @property
    def turn(self) -> int:
        """Whose turn it is, from 0."""
        return turn_of(self.game, self.state)

    @property
    def mover(self) -> str:
        """The name of the player to move."""
        return self.names[self.turn]

    @property
    def actions(self) -> list[A]:
        """What the mover may do; empty when the game is over."""
        return list(self._actions)

    @property
    def over(self) -> bool:
        return not self._actions

    @property
    def hinted(self) -> bool:
        """Whether advice was asked for here; who takes a move back has still seen it."""
        return self._hinted

    @property
    def pushes(self) -> int:
        """How many moves were ever made, those that were taken back included: the number of the next draw."""
        return len(self.moves) + len(self.undone)

    @property
    def collected(self) -> tuple[Number, ...]:
        """What each player was paid on the way so far."""
        totals: tuple[Number, ...] = (0,) * self.game.players
        for move in self.moves:
            totals = tuple(map(sum, zip(totals, self._reward(move), strict=True)))
        return totals

    @property
    def result(self) -> tuple[Number, ...]:
        """What each player has in the end: payoff and all rewards."""
        if not self.over:
            raise InputError(f"the game is not over: {self.mover} is to move at {self.game.text(self.state)!r}")
        payoff = call(self.game, self.game.payoff, self.state, state=self.state)
        row = pay_row(self.game, payoff, "payoff", state=self.state)
        return tuple(map(sum, zip(self.collected, row, strict=True)))

    def _reward(self, move: Move[S, A]) -> tuple[Number, ...]:
        game, state, action = self.game, move.state, move.action
        pay = call(game, game.reward, state, action, move.outcome, state=state, action=action)
        return pay_row(game, pay, "reward", state=state, action=action)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Session):
            return NotImplemented
        mine = self.game, self.names, self.seed, self.number, self.start, self.log
        return mine == (other.game, other.names, other.seed, other.number, other.start, other.log)

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __repr__(self) -> str:
        return f"<Session of {self.game.spec}, {len(self.moves)} moves, at {self.game.text(self.state)!r}>"

    # ---- what happens

    def push(self, action: A, outcome: Hashable = None) -> Move[S, A]:
        """Make a move. Without an outcome it is drawn by the seed; one that is given was rolled at a real table."""
        action = self._legal(action)
        lottery = outcomes_of(self.game, self.state, action)
        if outcome is None:
            sums = list(accumulate(weight for _, weight, _ in lottery))
            number = pick(sums, self._key, self.number, self.pushes) if len(lottery) > 1 else 0
        else:
            number = self._find(outcome, [known for known, _, _ in lottery], "outcome")
        return self.make(action, number)

    def make(self, action: A, number: int) -> Move[S, A]:
        """Make a move whose outcome is known by its number in the list of `step`."""
        action = self._legal(action)
        lottery = outcomes_of(self.game, self.state, action)
        if type(number) is not int or not 0 <= number < len(lottery):
            raise InputError(f"outcome number {number!r} is not possible; they are numbered 0 to {len(lottery) - 1}")
        outcome, _, to = lottery[number]
        move = Move(self.state, self.turn, action, outcome, to, self._hinted, len(self._actions) == 1)
        self.log.append((len(self.moves), move))
        self.moves.append(move)
        self._arrive(to, hinted=False)
        return move

    def undo(self) -> Move[S, A]:
        """Take back the last decision, with all moves behind it in which there was nothing to choose; where nobody
        has decided anything yet, all moves. It returns the first of the moves that were taken back."""
        if not self.moves:
            raise InputError("there is no move to take back: the game has just begun")
        first = next((at for at in range(len(self.moves) - 1, 0, -1) if not self.moves[at].forced), 0)
        self.log.append((len(self.moves), UNDO))
        taken = self.moves[first:]
        del self.moves[first:]
        self.undone += [(first + at, move) for at, move in enumerate(taken)]
        self._arrive(taken[0].state, hinted=taken[0].hinted)
        return taken[0]

    def hint(self) -> None:
        """Note that advice is asked for at the decision at hand."""
        self._not_over()
        if not self._hinted:
            self.log.append((len(self.moves), HINT))
            self._hinted = True

    def advise(self, solution: Solution[S, A]) -> list[Choice[A]]:
        """The actions of the mover, best first. It is not noted as a hint: `hint` does that."""
        return solution.choices(self.state)

    def _arrive(self, state: S, *, hinted: bool) -> None:
        self.state = state
        self._actions = action_list(self.game, state)
        self._hinted = hinted

    def _legal(self, action: Any) -> A:
        """The action as the rules list it."""
        self._not_over()
        return self._actions[self._find(action, self._actions, "action")]

    def _not_over(self) -> None:
        if self.over:
            raise InputError(f"the game is over at {self.game.text(self.state)!r}: there is nothing left to do")

    def _find(self, wanted: Any, known: list[Any], kind: str) -> int:
        """The number of a move among those that are possible."""
        for number, move in enumerate(known):
            if move is wanted or move == wanted:
                return number
        shown = [self.game.label(move) for move in known]
        allowed = ", ".join(shown) if len(shown) <= 12 else f"{', '.join(shown[:10])}, ... {shown[-1]}"
        raise InputError(
            f"{kind} {wanted!r:.120} is not possible at {self.game.text(self.state)!r}; allowed: {allowed or 'none'}"
        )

    # ---- on paper

    def transcript(self) -> str:
        """The whole session in words, which `parse` reads back."""
        return write_transcript(self)

    @classmethod
    def parse(cls, text: str, game: Game[S, A] | None = None) -> Session[S, A]:
        """The session that a transcript tells of; a game of your own must be given, others are found by their name."""
        return read_transcript(text, game, cls)


def checked_names(game: Game[Any, Any], names: Sequence[str]) -> tuple[str, ...]:
    players = player_count(game)
    if not names:
        return ("You",) if players == 1 else tuple(f"Player {seat + 1}" for seat in range(players))
    if isinstance(names, str) or len(names) != players:
        given = 1 if isinstance(names, str) else len(names)
        raise InputError(
            f"{given} name{'s' * (given > 1)} given for {players} player{'s' * (players > 1)}; "
            "give one for each, or none"
        )
    for name in names:
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            raise InputError(f"name {name!r:.120} is not allowed; a name is a line of text")
    listed = tuple(name.strip() for name in names)
    if len(set(listed)) < len(listed):
        raise InputError(f"names {', '.join(listed)} are not allowed; no two players may have the same")
    return listed


def who_starts(names: Sequence[str], seed: int, sides: int = 6) -> tuple[int, list[list[int]]]:
    """Everybody rolls a die, the highest starts, those who tie for it roll again.

    It returns who starts, from 0, and the rolls round by round, with a 0 for those who do not roll any more.
    """
    if not names or type(sides) is not int or sides < 2:
        raise InputError(f"who of {len(names)} starts cannot be rolled with {sides!r} sides; give names, and 2 or more")
    key, rolled = key_of(seed), 0
    rounds: list[list[int]] = []
    among = list(range(len(names)))
    while len(among) > 1:
        faces = [0] * len(names)
        for seat in among:
            faces[seat] = 1 + pick(range(1, sides + 1), key, WHO_STARTS, rolled)
            rolled += 1
        rounds.append(faces)
        among = [seat for seat in among if faces[seat] == max(faces)]
    return among[0], rounds
