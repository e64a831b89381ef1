"""A game at one keyboard: boards and prompts, moves and dice typed in, advice, second thoughts.

Whatever is typed is answered in a line and asked again, so that no slip ends a game. Where it is read from and written
to is given; so are the players, of whom some may be policies, and a `Keeper`, which has every event on the disk before
the next board is shown.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

from dicewise.engine.reading import outcomes_of
from dicewise.errors import DicewiseError, InputError
from dicewise.game import Number
from dicewise.play.session import Move, Session
from dicewise.solution import Solution

if TYPE_CHECKING:
    from dicewise.play.players import Player

COMMANDS = {
    "?": "this list, and what you may do here",
    "hint": "what each action is worth; the move is marked as hinted",
    "undo": "take your last decision back",
    "board": "show the board again",
    "quit": "leave; the game is kept, and --resume goes on with it",
}
RULE = "=" * 41
LONGEST_LINE = 1000
SHOWN_IN_HINT = 6


class Quit(Exception):  # noqa: N818  # it is no error to leave
    """The player leaves the table."""


class Keeper(Protocol):
    """What has events on the disk when it returns."""

    def move(self, session: Session[Any, Any], move: Move[Any, Any]) -> None: ...
    def event(self, session: Session[Any, Any], kind: str) -> None: ...
    def finish(self, session: Session[Any, Any]) -> None: ...


class Table:
    """A session and those who sit at it."""

    def __init__(
        self,
        session: Session[Any, Any],
        players: Sequence[Player],
        *,
        read: Callable[[str], str],
        write: Callable[[str], None],
        solution: Callable[[], Solution[Any, Any]],
        keeper: Keeper | None = None,
        typed: bool = False,
        tutor: float | None = None,
    ) -> None:
        self.session, self.players, self.keeper = session, list(players), keeper
        self.read, self.write, self.solution = read, write, solution
        self.typed, self.tutor = typed, tutor

    @property
    def game(self) -> Any:
        return self.session.game

    def run(self) -> None:
        """Play to the end; `Quit` is raised by a player who leaves before."""
        while not self.session.over:
            self.show_board()
            self.take_turn()
        if self.keeper is not None:
            self.keeper.finish(self.session)
        self.show_end()

    def show_board(self) -> None:
        session = self.session
        board = self.game.board(session.state, session.names)
        gap = "\n" if "\n" in board else " "
        self.write(f"\nround {len(session.moves)}:{gap}{board}")

    def take_turn(self) -> None:
        """One move, or a command that changes where the game stands."""
        session, player = self.session, self.players[self.session.turn]
        actions = session.actions
        prompt = self.game.prompt(session.state, session.mover)
        if len(actions) == 1:
            action = actions[0]
            self.write(f"{prompt}{self.game.label(action) or 'go on'} (nothing to choose)")
        elif player.policy is not None:
            action = player.choose(session)
            self.write(f"{prompt}{self.game.label(action)}")
        else:
            action = self.ask(prompt, lambda line: self.game.read_action(line, session.state))
            if action is None or not self.is_meant(action):
                return
        self.push(action)

    def push(self, action: Any) -> None:
        session, outcome = self.session, None
        lottery = outcomes_of(self.game, session.state, action)
        if self.typed and len(lottery) > 1:
            outcome = self.ask("  it shows: ", lambda line: self.game.read_outcome(line, session.state, action))
            if outcome is None:
                return
        move = session.push(action, outcome)
        if self.keeper is not None:
            self.keeper.move(session, move)
        shown = self.game.label(move.outcome)
        if shown and not self.typed:
            self.write(f"  {shown}")

    # ---- what is typed

    def ask(self, prompt: str, understand: Callable[[str], Any]) -> Any:
        """What was typed, understood; None after a command that has changed where the game stands."""
        while True:
            line = self.read(prompt)
            try:
                word = line.strip()
                if len(word) > LONGEST_LINE:
                    raise InputError(f"{len(word):,} characters are too many; type an action, or ? for help")
                if not word:
                    raise InputError("nothing was typed; type an action, or ? for help")
                command = self.command_of(word)
                if command is None:
                    return understand(word)
                if self.obey(command):
                    return None
            except DicewiseError as error:
                self.tell(str(error))

    def tell(self, text: str) -> None:
        """An answer, indented, in lines that fit a narrow terminal."""
        self.write(textwrap.fill(text, 79, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False))

    def command_of(self, word: str) -> str | None:
        """The command that is meant; a colon before it tells it from an action of the same name."""
        name = {"help": "?", "exit": "quit", "q": "quit"}.get(word.lower(), word.lower())
        if name.removeprefix(":") in COMMANDS and name.startswith(":"):
            return name[1:]
        if name not in COMMANDS:
            return None
        labels = [self.game.label(action).lower() for action in self.session.actions]
        return None if word.lower() in labels else name

    def obey(self, command: str) -> bool:
        """Do what is asked for; True if the board must be shown again."""
        if command == "quit":
            raise Quit
        if command == "undo":
            return self.undo()
        if command == "hint":
            self.hint()
        elif command == "?":
            self.help()
        return command == "board"

    def help(self) -> None:
        labels = [self.game.label(action) for action in self.session.actions]
        shown = ", ".join(labels) if len(labels) <= 30 else f"{', '.join(labels[:20])}, ... {labels[-1]}"
        self.tell(f"actions: {shown}")
        for name, about in COMMANDS.items():
            self.write(f"  {name:<6} {about}")

    def undo(self) -> bool:
        """Back to the last decision of a person."""
        session = self.session
        people = [player.policy is None for player in self.players]
        if not any(people[move.player] and not move.forced for move in session.moves):
            raise InputError("there is no decision of yours to take back")
        while True:
            move = session.undo()
            if self.keeper is not None:
                self.keeper.event(session, "undo")
            if people[move.player] and not move.forced:
                return True

    def hint(self) -> None:
        session = self.session
        solution = self.solution()
        if not session.hinted:
            session.hint()
            if self.keeper is not None:
                self.keeper.event(session, "hint")
        choices = session.advise(solution)
        width = max(len(self.game.label(choice.action)) for choice in choices)
        for choice in choices[:SHOWN_IN_HINT]:
            loss = "best" if choice.loss == 0 else f"gives away {float(choice.loss):.4g}"
            self.write(f"  {self.game.label(choice.action):<{width}}  worth {float(choice.value):.6g}, {loss}")
        if len(choices) > SHOWN_IN_HINT:
            self.write(f"  ... and {len(choices) - SHOWN_IN_HINT} more that give away more")
        self.tell(solution.why(session.state))

    def is_meant(self, action: Any) -> bool:
        """Whether a move that gives away too much is meant all the same; the better one is not named."""
        if self.tutor is None:
            return True
        choices = self.session.advise(self.solution())
        loss = next(choice.loss for choice in choices if choice.action == action)
        if loss <= self.tutor:
            return True
        question = f"  {self.game.label(action)} gives away more than {self.tutor:g}; play it all the same? [y/N] "
        while True:
            answer = self.read(question).strip().lower()
            if answer in ("y", "yes"):
                return True
            if answer in ("", "n", "no"):
                return False
            self.write("  type y or n")

    # ---- the end

    def show_end(self) -> None:
        session = self.session
        result = session.result
        self.write(f"\n{RULE}\n{'final results':^41}".rstrip() + f"\n{RULE}")
        self.write(self.game.final(session.state, session.names) or _amounts(session.names, result))
        if len(result) == 1:
            return
        if not isinstance(self.game.payoff(session.state), tuple):  # a number is everybody's: they play together
            self.write(f"together: {amount(result[0])}")
            return
        best = [name for name, got in zip(session.names, result, strict=True) if got == max(result)]
        self.write(f"{best[0]} wins!" if len(best) == 1 else f"{', '.join(best[:-1])} and {best[-1]} tie!")


def _amounts(names: Sequence[str], result: Sequence[Number]) -> str:
    return ", ".join(f"{name}: {amount(got)}" for name, got in zip(names, result, strict=True))


def amount(number: Number) -> str:
    """A result in words."""
    return str(number) if isinstance(number, int | Fraction) else f"{number:g}"
