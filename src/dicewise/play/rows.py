"""Games as rows of two tables: one row for a game, one for each of its events, each with a checksum.

A game's row says how many events it has, and an event's checksum covers its place, so that a row that is missing, or
that damage has put elsewhere, is noticed. Everything here happens inside a transaction that the caller has begun.
"""

from __future__ import annotations

import dataclasses
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from dicewise.errors import InputError, RecordsError
from dicewise.play.lines import Event, Record, opened, read_record, sealed, written, written_event

TABLES = """
    CREATE TABLE games (id INTEGER PRIMARY KEY AUTOINCREMENT, uuid TEXT NOT NULL UNIQUE, about TEXT NOT NULL,
                        crc INTEGER NOT NULL, length INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE events (game INTEGER NOT NULL REFERENCES games ON DELETE CASCADE, n INTEGER NOT NULL,
                         event TEXT NOT NULL, crc INTEGER NOT NULL, PRIMARY KEY (game, n)) WITHOUT ROWID;
    CREATE TABLE drills (key TEXT PRIMARY KEY, box INTEGER NOT NULL, due TEXT NOT NULL, data TEXT NOT NULL)
"""


def no_game(id: int) -> InputError:
    return InputError(f"game {id} is not in the records; 'dicewise history' lists the games that are")


def read_about(db: sqlite3.Connection, id: int) -> tuple[dict[str, Any], int]:
    """What a game's own row says, and how many events it has."""
    row = db.execute("SELECT about, crc, length FROM games WHERE id = ?", (id,)).fetchone()
    if row is None:
        raise no_game(id)
    try:
        return opened(row[0], row[1]), row[2]
    except ValueError:
        raise damaged(id) from None


def read_game(db: sqlite3.Connection, id: int) -> Record:
    about, length = read_about(db, id)
    rows = db.execute("SELECT n, event, crc FROM events WHERE game = ? ORDER BY n", (id,)).fetchall()
    try:
        return record_of(id, about, length, rows)
    except ValueError:
        raise damaged(id) from None


def record_of(id: int, about: dict[str, Any], length: int, rows: Sequence[Sequence[Any]]) -> Record:
    """A ValueError says that the rows are not what was written."""
    if len(rows) != length or any(row[0] != n for n, row in enumerate(rows)):
        raise ValueError("an event is missing")
    events = tuple(Event(**opened(event, crc, (id, n))) for n, event, crc in rows)  # looked over when it was written
    return dataclasses.replace(read_record(about), id=id, events=events)


def starts(db: sqlite3.Connection) -> list[tuple[str, int]]:
    """When each game was started, and its id; of damaged ones not."""
    found = []
    for id, about, crc in db.execute("SELECT id, about, crc FROM games"):
        with suppress(ValueError):
            found.append((str(opened(about, crc)["started"]), id))
    return found


def damaged(id: int) -> RecordsError:
    return RecordsError(f"game {id} is damaged; the others are not, and 'dicewise history --delete {id}' forgets it")


def insert_game(db: sqlite3.Connection, record: Record) -> int:
    row = sealed(written(record) | {"events": []})
    id = db.execute("INSERT INTO games (uuid, about, crc) VALUES (?, ?, ?)", (record.uuid, *row)).lastrowid
    assert id is not None  # an insertion has one
    insert_events(db, id, record.events)
    return id


def insert_events(db: sqlite3.Connection, id: int, events: Iterable[Event], start: int = 0) -> None:
    rows = [(id, n, *sealed(written_event(event), (id, n))) for n, event in enumerate(events, start)]
    db.executemany("INSERT INTO events VALUES (?, ?, ?, ?)", rows)
    db.execute("UPDATE games SET length = ? WHERE id = ?", (start + len(rows), id))


def update_game(db: sqlite3.Connection, id: int, record: Record) -> None:
    db.execute("UPDATE games SET about = ?, crc = ? WHERE id = ?", (*sealed(written(record) | {"events": []}), id))
