"""Records: the games that were played on this machine, kept move by move.

A game is an SQLite row that says what was played by whom, and one row for each event: a move, a move taken back, a
hint. When `add` returns, the event is on the disk: it survives a process that is killed at any moment, and a power
cut as far as the disk keeps its promises. Several processes may write at once; they wait for one another.

Rows hold the JSON that `export` writes, with checksums; a row that fails costs its own game only. Nothing here runs
rules before `replay` is given some.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import sqlite3
import sys
import uuid
from collections.abc import Hashable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from dicewise.errors import InputError, RecordsError
from dicewise.game import Game, Number, read_position
from dicewise.play.database import Database
from dicewise.play.lines import SCHEMA, Event, Record, now, opened, read_event, read_record, written, written_event
from dicewise.play.rows import (
    TABLES,
    insert_events,
    insert_game,
    no_game,
    read_about,
    read_game,
    record_of,
    starts,
    update_game,
)
from dicewise.store import key_of

if TYPE_CHECKING:
    from dicewise.play.session import Move, Session

__all__ = ["Drill", "Event", "Imported", "Record", "Records", "address_of", "event_of", "replay", "source_of"]


class Imported(NamedTuple):
    """What an import did: games that are new here, that went on, that were known already."""

    new: int
    longer: int
    known: int


class Drill(NamedTuple):
    """A position to be asked again: its Leitner box, when it is due, and what `drill` keeps about it."""

    box: int
    due: str
    data: Any


class Records:
    """The games that are kept in a file. Whatever cannot be done is a `RecordsError`; play may go on without."""

    def __init__(self, path: str | Path | None = None) -> None:
        place = _default_folder() / "games.sqlite3" if path is None else Path(path)
        self._file = Database(place, TABLES, SCHEMA, "choose another folder with DICEWISE_DATA_DIR")
        self._left_out: str | None = None
        self._length: dict[int, int] = {}
        """How many events there are in games that go on here; another number means that they go on elsewhere too."""

    @property
    def path(self) -> Path:
        return self._file.path

    @property
    def problem(self) -> str | None:
        """What was found wrong and got round, in one line: a file that was set aside, a game that is left out."""
        return self._left_out or self._file.problem

    def close(self) -> None:
        """Let go of the file; it is opened again when it is needed."""
        self._file.close()

    def __enter__(self) -> Records:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- a game in progress

    def begin(
        self,
        game: str,
        names: Sequence[str],
        players: Sequence[str],
        *,
        seed: int,
        number: int = 0,
        start: str = "",
        source: str = "",
    ) -> int:
        """A new game; returns its id."""
        return self._begin(Record(0, game, source, tuple(names), tuple(players), seed, number, start, now(), None, ()))

    def _begin(self, record: Record) -> int:
        record = read_record(written(dataclasses.replace(record, uuid=uuid.uuid4().hex)))
        id = self._file.run(lambda db: insert_game(db, record))
        self._length[id] = len(record.events)
        return id

    def keep(self, session: Session[Any, Any], players: Sequence[str]) -> int:
        """A session, with all that has happened in it so far; returns its id."""
        game = session.game
        start = "" if session.start == game.start() else game.text(session.start)
        about = (address_of(game), source_of(game), session.names, tuple(players), session.seed, session.number, start)
        # a hint or an undo is noted before the move that follows it: who asked is the mover of the next one
        events, player = [], session.turn
        for _, entry in reversed(session.log):
            player = player if isinstance(entry, str) else entry.player
            events.append(Event(entry, player) if isinstance(entry, str) else event_of(game, entry))
        return self._begin(Record(0, *about, now(), None, tuple(reversed(events))))

    def add(self, id: int, event: Event) -> None:
        """One more event of a game; it is on the disk when this returns."""

        def work(db: sqlite3.Connection) -> None:
            about, length = read_about(db, id)
            if about["ended"] is not None:
                raise InputError(f"game {id} is over; nothing can be added to it")
            if self._length.get(id, length) != length:
                raise RecordsError(f"game {id} has gone on in another process; this one's moves are not kept any more")
            insert_events(db, id, [read_event(written_event(event), len(about["names"]))], length)

        self._file.run(work)
        if id in self._length:
            self._length[id] += 1

    def finish(self, id: int, result: Sequence[Number]) -> None:
        """The game is over, and this is what each seat got."""

        def work(db: sqlite3.Connection) -> None:
            about, _ = read_about(db, id)
            if about["ended"] is not None:
                raise InputError(f"game {id} is over already")
            ended = dataclasses.replace(read_record(about), ended=now(), result=tuple(result))
            update_game(db, id, read_record(written(ended)))

        self._file.run(work)

    # ---- games that were played

    def get(self, which: int | str) -> Record:
        """The game with this id, or the `last` one. To go on with it, `add` to it."""
        id = self._id(which)
        record = self._file.run(lambda db: read_game(db, id), write=False)
        self._length[id] = len(record.events)
        return record

    def all(self) -> list[Record]:
        """All games, the newest first; damaged ones are left out, and `problem` names them."""

        def work(db: sqlite3.Connection) -> list[Record]:
            events: dict[int, list[Any]] = {}
            for id, *row in db.execute("SELECT game, n, event, crc FROM events ORDER BY game, n"):
                events.setdefault(id, []).append(row)
            found = []
            for id, about, crc, length in db.execute("SELECT id, about, crc, length FROM games"):
                try:
                    found.append(record_of(id, opened(about, crc), length, events.get(id, [])))
                except ValueError:
                    self._left_out = f"game {id} in {self.path} is damaged and left out"
            return found

        return sorted(self._file.run(work, write=False), key=lambda record: (record.started, record.id), reverse=True)

    def unfinished(self) -> list[Record]:
        """The games that can go on, the newest first."""
        return [record for record in self.all() if record.ended is None]

    def delete(self, which: int | str) -> int:
        """Forget a game, whose bytes are overwritten; returns its id."""
        id = self._id(which)
        if not self._file.run(lambda db: db.execute("DELETE FROM games WHERE id = ?", (id,)).rowcount):
            raise no_game(id)
        return id

    def _id(self, which: int | str) -> int:
        if which == "last":
            started = self._file.run(starts, write=False)
            if not started:
                raise InputError("there is no last game: none has been played yet")
            return max(started)[1]
        if not re.fullmatch("[0-9]{1,15}", str(which)):
            raise InputError(f"game {which!r:.60} is not a number; give one that 'dicewise history' lists, or 'last'")
        return int(which)

    # ---- from machine to machine

    def export(self, file: TextIO, games: Iterable[Record] | None = None) -> int:
        """Write games, all of them unless some are given, as JSON, one game a line; returns how many."""
        lines = [json.dumps(written(record)) for record in (self.all()[::-1] if games is None else games)]
        file.writelines(f"{line}\n" for line in lines)
        return len(lines)

    def import_(self, file: Iterable[str | bytes]) -> Imported:
        """Take in games that `export` has written: all of them, or none if there is a line that cannot be read.

        A game that is here already is not doubled; where it has gone on elsewhere since, the rest is added."""
        games = []
        for number, line in enumerate(file, 1):
            try:
                games += [read_record(json.loads(line))] if line.strip() else []
            except (ValueError, RecursionError) as error:  # an InputError is a ValueError
                reason = str(error) if isinstance(error, InputError) else f"it is not JSON ({error})"
                raise InputError(f"line {number} cannot be imported: {reason}; nothing was imported") from None

        def work(db: sqlite3.Connection) -> Imported:
            done = {"new": 0, "longer": 0, "known": 0}
            for record in games:
                done[self._merge(db, record)] += 1
            return Imported(**done)

        return self._file.run(work)

    def _merge(self, db: sqlite3.Connection, record: Record) -> str:
        known = db.execute("SELECT id FROM games WHERE uuid = ?", (record.uuid,)).fetchone()
        if known is None:
            insert_game(db, record)
            return "new"
        ours = read_game(db, known[0])
        have = len(ours.events)
        goes_on = len(record.events) > have or (record.ended is not None and ours.ended is None)
        if not goes_on or ours.ended is not None or record.events[:have] != ours.events:
            return "known"
        insert_events(db, ours.id, record.events[have:], have)
        update_game(db, ours.id, record)
        return "longer"

    # ---- drills

    def drills(self) -> dict[str, Drill]:
        """What is to be asked again, by its key, in the order in which it is due."""
        query = "SELECT key, box, due, data FROM drills ORDER BY due"
        found = self._file.run(lambda db: db.execute(query).fetchall(), write=False)
        kept = {}
        for key, box, due, data in found:
            with suppress(ValueError, AttributeError, TypeError):  # a damaged one is not missed
                kept[key.decode()] = Drill(int(box), due.decode(), json.loads(data))
        return kept

    def put_drill(self, key: str, drill: Drill) -> None:
        """Keep a drill under its key, in place of what was there."""
        row = (key, drill.box, drill.due, json.dumps(drill.data))
        self._file.run(lambda db: db.execute("INSERT OR REPLACE INTO drills VALUES (?, ?, ?, ?)", row))


def _default_folder() -> Path:
    given = os.environ.get("DICEWISE_DATA_DIR")
    if given:
        return Path(os.path.abspath(os.path.expanduser(given)))
    import platformdirs

    return platformdirs.user_data_path("dicewise")


# ---- games in progress


def address_of(game: Game[Any, Any]) -> str:
    """What `find_game` finds a game by: its spec, and for one from a user's file `path/file.py:Class(...)`."""
    rules = type(game)
    module = sys.modules[rules.__module__]
    if "__dicewise_source__" not in vars(module):  # it has not been loaded from a file
        return game.spec
    _, bracket, parameters = game.spec.partition("(")
    return f"{module.__file__}:{rules.__name__}{bracket}{parameters}"


def source_of(game: Game[Any, Any]) -> str:
    """A digest of the rules in a user's file, which changes with them; empty where there is none."""
    key = key_of(game)
    return str(json.loads(key)["source"]) if key else ""


def event_of(game: Game[Any, Any], move: Move[Any, Any]) -> Event:
    """A move of a session as it is kept."""
    choice = list(game.actions(move.state)).index(move.action)
    roll = [outcome for outcome, _, _ in game.step(move.state, move.action)].index(move.outcome)
    action, outcome = game.label(move.action), game.label(move.outcome)
    return Event("move", move.player, action, outcome, choice=choice, roll=roll)


def replay(record: Record, game: Game[Any, Any]) -> Session[Any, Any]:
    """The session that a record tells of, ready to go on; an InputError names the first event that does not fit."""
    from dicewise.play.session import Session

    state = read_position(game, record.start) if record.start else None
    session = Session(game, record.names, seed=record.seed, number=record.number, state=state)
    for number, event in enumerate(record.events, 1):
        try:
            if event.kind == "undo":
                session.undo()
            elif event.kind == "hint":
                session.hint()
            else:
                _replay_move(session, event)
        except InputError as error:
            told = f"event {number} of game {record.id} does not fit the rules of {game.spec}"
            raise InputError(f"{told}: {error}; they may have changed") from None
    if record.result is not None and (not session.over or session.result != record.result):
        told = ", ".join(map(str, record.result))
        raise InputError(f"game {record.id} ended with {told}, but not by these rules of {game.spec}")
    return session


def _replay_move(session: Session[Any, Any], event: Event) -> None:
    if session.over or event.player != session.turn:
        turn = "the game is over" if session.over else f"it is the turn of {session.mover}"
        raise InputError(f"{session.names[event.player]} moved, but {turn}")
    game, state = session.game, session.state
    actions = session.actions
    action = actions[_place(game, actions, event.action, event.choice, "action")]
    outcomes = [outcome for outcome, _, _ in game.step(state, action)]
    session.make(action, _place(game, outcomes, event.outcome, event.roll, "outcome"))


def _place(game: Game[Any, Any], moves: Sequence[Hashable], label: str, place: int | None, kind: str) -> int:
    """Where the move with this label stands. Beginnings of labels do not count, as they do for what a person types: a
    label that is gone must not pass for another. The place that was kept decides between equal labels."""
    if place is not None and place < len(moves) and game.label(moves[place]) == label:
        return place
    same = [at for at, move in enumerate(moves) if game.label(move) == label]
    if len(same) == 1:
        return same[0]
    raise InputError(f"{kind} {label!r:.60} {'may mean several things' if same else 'is not possible'}")
