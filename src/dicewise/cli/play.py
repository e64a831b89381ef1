"""`dicewise play`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import click

from dicewise.cli.common import (
    GameCommand,
    common_options,
    game_argument,
    print_json,
    say,
    solved,
    the_game,
)
from dicewise.errors import InputError, RecordsError, did_you_mean

if TYPE_CHECKING:
    from dicewise.game import Game
    from dicewise.play.players import Player
    from dicewise.play.records import Record, Records
    from dicewise.play.session import Move, Session


class PlayCommand(GameCommand):
    """`play --resume 3` needs no GAME: the record knows it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        which = _resumed(args)
        if which is not None and not ctx.resilient_parsing and not {"--help", "-h"} & set(args):
            from dicewise.play.records import Records

            with Records() as records:
                ctx.obj = record = _unfinished(records) if which == "last" else records.get(which)
            args = [record.game, *args]
        return super().parse_args(ctx, args)


def _resumed(args: Sequence[str]) -> str | None:
    """What --resume asks for, wherever it stands."""
    for at, arg in enumerate(args):
        if arg == "--resume":
            return args[at + 1] if at + 1 < len(args) else "last"
        if arg.startswith("--resume="):
            return arg.partition("=")[2]
    return None


def _unfinished(records: Records) -> Record:
    games = records.unfinished()
    if not games:
        raise InputError("there is no game to go on with; 'dicewise history' lists the games that were played")
    return games[0]


@click.command(cls=PlayCommand, epilog="Example: dicewise play greed Alice Blair --tutor 0.05")
@game_argument
@click.argument("names", nargs=-1)
@click.option("--against", metavar="POLICY", help="Play against optimal, random or another policy.")
@click.option("--rolls", type=click.Choice(["random", "typed"]), default="random", help="Type in what real dice show.")
@click.option("--tutor", type=click.FloatRange(min=0), metavar="LOSS", help="Ask before a move that gives away more.")
@click.option("--first", metavar="NAME", help="Who starts [default: a roll decides]")
@click.option("--from", "position", metavar="STATE", help="Start from this position, its mover first.")
@click.option("--seed", type=click.IntRange(min=0), help="Decides the dice [default: a new one]")
@click.option("--resume", metavar="ID", help="Go on with a game that was left: its number, or last.")
@click.option("--no-record", is_flag=True, help="Do not keep the game.")
@common_options
@click.pass_context
def command(
    ctx: click.Context,
    game: str,
    names: tuple[str, ...],
    against: str | None,
    rolls: str,
    tutor: float | None,
    first: str | None,
    position: str | None,
    seed: int | None,
    resume: str | None,
    no_record: bool,
    as_json: bool,
    quiet: bool,
) -> int:
    """Play GAME at this keyboard: people with NAMES, or one person against a policy.

    Type an action, or ? for the commands: hint, undo, board, quit. Every move is kept as it is made.
    """
    from dicewise.play.table import Quit, Table

    rules = the_game(ctx)
    solution = cache(lambda: solved(rules, quiet)[0])
    keyboard = _Keyboard(sys.stderr if as_json else sys.stdout)
    keeper: _Keeper | None
    if resume is not None:
        given = {"names": names, "--against": against, "--first": first, "--from": position, "--seed": seed}
        for name, value in given.items():
            if value not in (None, ()):
                raise InputError(f"{name} cannot be changed in a game that goes on; leave it out with --resume")
        session, players, keeper = _go_on(ctx.obj, rules, solution, quiet)
    else:
        session, players = _sit_down(rules, names, against, first, position, seed, solution, keyboard.write)
        keeper = None if no_record else _Keeper.new(session, players, quiet)
    keyboard.write(_banner(rules))
    table = Table(
        session, players, read=keyboard.read, write=keyboard.write, solution=solution, keeper=keeper,
        typed=rolls == "typed", tutor=tutor,
    )  # fmt: skip
    left = False
    try:
        table.run()
    except (Quit, EOFError):
        left = True
        kept = f"the game is kept; go on with: dicewise play --resume {keeper.id}" if keeper else "the game is not kept"
        keyboard.write(f"\n{kept}")
    if as_json:
        result = None if left else [float(got) for got in session.result]
        number = keeper.id if keeper else None
        print_json(rules.spec, id=number, names=list(session.names), over=not left, result=result,
                   seed=session.seed, transcript=session.transcript())  # fmt: skip
    return 0


def _banner(game: Game[Any, Any]) -> str:
    from dicewise.spec import parameters

    words = ", ".join(
        f"{p.name.replace('_', ' ')}: {getattr(game, p.name)}" for p in parameters(type(game)) if p.always
    )
    return "\n".join([f"{game.name:^41}".rstrip(), f"{words:^41}".rstrip(), f"{'? lists the commands':^41}".rstrip()])


# ---- who plays


def _sit_down(
    game: Game[Any, Any],
    names: tuple[str, ...],
    against: str | None,
    first: str | None,
    position: str | None,
    seed: int | None,
    solution: Callable[[], Any],
    write: Callable[[str], None],
) -> tuple[Session[Any, Any], list[Player]]:
    """A new session, with a player on every seat."""
    import secrets

    from dicewise.game import read_position
    from dicewise.play.players import HUMAN, find_player
    from dicewise.play.session import Session, checked_names, who_starts

    count = game.players
    people = count if against is None else 1
    if against is not None and count == 1:
        raise InputError(f"{game.spec} is played alone: there is nobody to play against; leave --against out")
    if names and len(names) != people:
        raise InputError(
            f"{len(names)} names are given, and {people} person{'s' * (people > 1)} can play here; "
            "give one name for each, or none"
        )
    seated = list(names) or (["You"] if people == 1 else [f"Player {seat + 1}" for seat in range(people)])
    policies = [HUMAN] * people
    for number in range(count - people):
        seated.append(str(against).partition(":")[0] if count == 2 else f"{against} {number + 1}")
        policies.append(str(against))
    checked_names(game, seated)  # all that may be refused comes before anybody rolls a die
    players = [find_player(word, game, solution) for word in policies]
    state = None if position is None else read_position(game, position)
    seed = secrets.randbits(32) if seed is None else seed
    starter = 0
    if first is not None:
        matches = [at for at, name in enumerate(seated) if name.lower() == first.lower()]
        if not matches:
            known = ", ".join(seated)
            raise InputError(f"{first!r} does not play; --first is one of: {known}{did_you_mean(first, seated)}")
        starter = matches[0]
    elif count > 1 and position is None:
        starter, rounds = who_starts(seated, seed)
        for faces in rounds:
            rolled = ", ".join(f"{name} {face}" for name, face in zip(seated, faces, strict=True) if face)
            write(f"who starts? {rolled}")
        write(f"{seated[starter]} starts")
    session = Session(game, seated[starter:] + seated[:starter], seed=seed, state=state)
    return session, players[starter:] + players[:starter]


def _go_on(
    record: Record, game: Game[Any, Any], solution: Callable[[], Any], quiet: bool
) -> tuple[Session[Any, Any], list[Player], _Keeper]:
    from dicewise.play.players import find_player
    from dicewise.play.records import Records, replay

    if record.ended is not None:
        raise InputError(f"game {record.id} is over; 'dicewise history' lists the games that can go on")
    session = replay(record, game)
    players = [find_player(word, game, solution) for word in record.players]
    records = Records()
    records.get(record.id)  # from here on no other process may go on with it
    return session, players, _Keeper(records, record.id, quiet)


# ---- what is kept


class _Keeper:
    """Every event of a game in the records; if they fail, the game goes on without them."""

    def __init__(self, records: Records, id: int, quiet: bool) -> None:
        self.records, self.id, self.quiet = records, id, quiet
        self.failed = False

    @classmethod
    def new(cls, session: Session[Any, Any], players: Sequence[Player], quiet: bool) -> _Keeper | None:
        from dicewise.play.records import Records

        try:
            records = Records()
            id = records.keep(session, [player.name for player in players])
        except RecordsError as error:
            say(f"{error}; the game goes on without being kept", quiet)
            return None
        if records.problem:
            say(records.problem, quiet)
        return cls(records, id, quiet)

    def move(self, session: Session[Any, Any], move: Move[Any, Any]) -> None:
        from dicewise.play.records import event_of

        self._try(lambda: self.records.add(self.id, event_of(session.game, move)))

    def event(self, session: Session[Any, Any], kind: str) -> None:
        from dicewise.play.lines import Event

        self._try(lambda: self.records.add(self.id, Event(kind, session.turn)))

    def finish(self, session: Session[Any, Any]) -> None:
        self._try(lambda: self.records.finish(self.id, session.result))

    def _try(self, work: Callable[[], None]) -> None:
        if self.failed:
            return
        try:
            work()
        except RecordsError as error:
            self.failed = True
            say(f"{error}; the game goes on without being kept", self.quiet)


# ---- the keyboard


class _Keyboard:
    """Lines from stdin; where that is no terminal, they are shown behind their prompts as if they had been typed."""

    def __init__(self, out: Any) -> None:
        self.out = out
        self.interrupted = False
        if sys.stdin is not None and sys.stdin.isatty():
            import contextlib

            with contextlib.suppress(ImportError):
                import readline  # noqa: F401  # lets typed lines be edited

    def write(self, text: str) -> None:
        print(text, file=self.out, flush=True)

    def read(self, prompt: str) -> str:
        """The next line; an interrupt is answered once, and the second in a row ends the program."""
        while True:
            try:
                line = self._line(prompt)
                self.interrupted = False
                return line
            except KeyboardInterrupt:
                if self.interrupted:
                    raise
                self.interrupted = True
                self.write("\n  type quit to leave, the game is kept; Ctrl-C once more leaves at once")
            except UnicodeDecodeError:
                self.write("  that is no text; type an action, or ? for help")

    def _line(self, prompt: str) -> str:
        if sys.stdin is None:
            raise EOFError
        if sys.stdin.isatty() and self.out is sys.stdout:
            return input(prompt)
        print(prompt, end="", file=self.out, flush=True)
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        shown = line.rstrip("\n")
        print(shown if len(shown) <= 200 else f"{shown[:200]}...", file=self.out, flush=True)
        return shown
