"""`dicewise history`."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dicewise.cli.common import common_options, print_json, say
from dicewise.errors import DicewiseError, InputError
from dicewise.files import written_whole
from dicewise.games import GAMES, find_game
from dicewise.spec import read_spec

if TYPE_CHECKING:
    from dicewise.play.records import Event, Record, Records


@click.command(epilog="Example: dicewise history last")
@click.argument("which", metavar="[ID]", required=False)
@click.option("--game", metavar="GAME", help="Only this game: a name, a spec, or path/file.py:Class.")
@click.option("--export", "to", metavar="FILE", help="Write the games to a file as JSON lines; - is the terminal.")
@click.option("--import", "source", metavar="FILE", help="Take in the games of such a file; - is the standard input.")
@click.option("--delete", metavar="ID", help="Forget a game.")
@common_options
def command(
    which: str | None,
    game: str | None,
    to: str | None,
    source: str | None,
    delete: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """List the games that were played on this machine, or tell one: ID is its number, or last.

    The folder is set by DICEWISE_DATA_DIR. Nothing leaves this machine unless you export it.
    """
    from dicewise.play.records import Records

    if sum(it is not None for it in (to, source, delete)) > 1:
        raise click.UsageError("--export, --import and --delete do not go together; give one of them")
    if (source is not None or delete is not None) and (which is not None or game is not None):
        raise click.UsageError("--import and --delete take no other ID and no --game; leave those out")
    if to == "-" and as_json:
        raise click.UsageError("--export - prints the games, --json a summary; give one of them")
    kind = None if game is None else _named(game)
    with Records() as records:
        if source is not None:
            _import(records, source, as_json)
        elif delete is not None:
            id = records.delete(delete)
            print_json(None, deleted=id) if as_json else print(f"deleted game {id}")
        else:
            games = records.all() if which is None else [records.get(which)]
            games = [record for record in games if kind is None or _is_of(record, *kind)]
            if which is not None and not games:
                raise InputError(f"game {which} is not of {game}; leave --game out")
            if to is not None:
                _export(records, to, games[::-1], as_json, quiet)
            elif which is not None:
                _tell(games[0], as_json)
            else:
                _list(games, records.path, as_json)
        if records.problem:
            say(records.problem, quiet)


def _named(text: str) -> tuple[str, dict[str, str]]:
    """The game that a text names, as records name it, and its parameters. A user's file is not run for this."""
    name, given = read_spec(text)
    path, colon, class_name = name.rpartition(":")
    if colon and path.endswith(".py"):
        return f"{Path(path).resolve()}:{class_name}", given
    return find_game(text).name, given


def _is_of(record: Record, name: str, given: dict[str, str]) -> bool:
    """Whether a game was played with these parameters, whatever the others were."""
    try:
        known, parameters = read_spec(record.game)
        if known == name and name in GAMES:
            return find_game(known, **parameters) == find_game(known, **(parameters | given))
    except DicewiseError:  # an imported game may be called anything
        return False
    return known == name and given.items() <= parameters.items()


def _import(records: Records, place: str, as_json: bool) -> None:
    if place == "-" and sys.stdin is None:
        raise InputError("cannot read '-': there is no standard input; give a file that --export has written")
    try:
        with nullcontext(sys.stdin.buffer) if place == "-" else open(place, "rb") as file:
            done = records.import_(file)
    except OSError as error:
        raise InputError(f"cannot read {place!r}: {error.strerror}; give a file that --export has written") from None
    if as_json:
        print_json(None, **done._asdict())
    else:
        print(f"{done.new} game(s) imported, {done.longer} continued, {done.known} known already")


def _export(records: Records, place: str, games: list[Record], as_json: bool, quiet: bool) -> None:
    if place == "-":
        records.export(sys.stdout, games)
        return
    with written_whole(place) as path, open(path, "w", encoding="utf-8", newline="\n") as file:
        records.export(file, games)
    if as_json:
        print_json(None, exported=len(games), file=place)
    else:
        say(f"{len(games)} game(s) written to {place}", quiet)


# ---- words


def _list(games: list[Record], path: Path, as_json: bool) -> None:
    if as_json:
        print_json(None, path=str(path), games=[_content(record, whole=False) for record in games])
        return
    rows = [("id", "started", "moves", "game", "players")]
    rows += [(str(it.id), _minute(it.started), str(_moves(it)), _game(it), _seats(it)) for it in games]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for id, started, moves, *rest in rows if games else ():
        cells = [id.rjust(widths[0]), started.ljust(widths[1]), moves.rjust(widths[2])]
        cells += [cell.ljust(width) for cell, width in zip(rest, widths[3:], strict=True)]
        print("  ".join(cells).rstrip())
    print(f"{len(games)} game(s)")


def _tell(record: Record, as_json: bool) -> None:
    if as_json:
        print_json(record.game, **_content(record, whole=True))
        return
    print(
        f"game {record.id}: {_game(record)}, seed {record.seed}" + (f", number {record.number}" * bool(record.number))
    )
    print(f"started {_minute(record.started)}, {f'ended {_minute(record.ended)}' if record.ended else 'not finished'}")
    if record.start:
        print(f"from {_clean(record.start)}")
    for name, player in zip(record.names, record.players, strict=True):
        print(f"{_clean(name)}: {_clean(player)}")
    number = 0
    for event in record.events:
        number += event.kind == "move"
        place = f"{number}." if event.kind == "move" else ""
        print(f"{place:>4} {_clean(record.names[event.player])} {_happened(event)}")
    if record.ended:
        print(f"result: {_seats(record)}")


def _happened(event: Event) -> str:
    if event.kind != "move":
        return {"undo": "takes back", "hint": "asks for a hint"}[event.kind]
    return _clean(event.action + (f" -> {event.outcome}" if event.outcome else ""))


def _content(record: Record, *, whole: bool) -> dict[str, Any]:
    """A game for programs, as it is exported and with its id; its events only if the whole is wanted."""
    from dicewise.play.lines import written

    content = {"id": record.id} | written(record)
    del content["schema"]
    if not whole:
        del content["events"]
        return content | {"moves": _moves(record)}
    del content["game"]  # it stands in the head
    return content


def _moves(record: Record) -> int:
    """How many moves were made, those that were taken back included."""
    return sum(event.kind == "move" for event in record.events)


def _minute(moment: str) -> str:
    return f"{moment[:10]} {moment[11:16]} UTC"


def _game(record: Record) -> str:
    """The game; of a user's file only its name."""
    path, colon, rest = record.game.partition(".py:")
    return _clean(f"{path.replace(chr(92), '/').rpartition('/')[2]}{colon}{rest}")


def _seats(record: Record) -> str:
    results = record.result or ("",) * len(record.names)
    return _clean(", ".join(f"{name} {result}".strip() for name, result in zip(record.names, results, strict=True)))


def _clean(text: str) -> str:
    """A text that the terminal can show and that does nothing to it: imported games may come from anywhere."""
    plain = "".join(letter if letter.isprintable() else "?" for letter in text)
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return plain.encode(encoding, "replace").decode(encoding)
