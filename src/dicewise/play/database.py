"""An SQLite file of our own that several processes write to, and that nothing loses its content.

A transaction is on the disk when `run` returns (write-ahead log, synchronous). Processes wait for one another. A file
that SQLite cannot read, or that is not ours, is renamed and never written to; a new one takes its place. What
cannot be done is a `RecordsError` of one line.
"""

from __future__ import annotations

import random
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from dicewise.errors import RecordsError

PATIENCE = 60.0
"""Seconds to wait for other processes that write."""

OURS = 0x44696365
"""What marks a file as ours: "Dice" in SQLite's application id."""

_WAIT = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)
_SPOILT = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)

T = TypeVar("T")


class _ForeignError(Exception):
    """A sound database, but somebody else's."""


class Database:
    """The file at `path`, made with `tables` where there is none; `advice` ends what is said of a place that fails."""

    def __init__(self, path: Path, tables: str, version: int, advice: str) -> None:
        self.path = path
        self.problem: str | None = None
        """Why the file was set aside, if it was."""
        self._tables, self._version, self._advice = tables, version, advice
        self._db: sqlite3.Connection | None = None
        self._seen: tuple[int, int] | None = None
        self.run(lambda db: None, write=False)

    def close(self) -> None:
        """Let go of the file; it is opened again when it is needed."""
        if self._db is not None:
            self._db.close()
            self._db = None

    def run(self, work: Callable[[sqlite3.Connection], T], *, write: bool = True) -> T:
        """Do some work as one transaction, again as long as others are in the way."""
        deadline = time.monotonic() + PATIENCE
        while True:
            fresh = self._db is None
            try:
                db = self._db = self._db or self._open()
                fresh = False
                return _transact(db, work, write)
            except (sqlite3.Error, _ForeignError, OSError) as error:
                code = getattr(error, "sqlite_errorcode", 0) & 0xFF
                if isinstance(error, _ForeignError) or code in _SPOILT:
                    self._set_aside()
                    if not fresh:  # what the work is about was in that file
                        raise RecordsError(f"{self.problem or error}; what is played now is not kept") from None
                elif code not in _WAIT:
                    raise self._refusal(getattr(error, "strerror", None) or str(error)) from None
                if time.monotonic() > deadline:
                    raise self._refusal("another program has locked it") from None
                # SQLite's own waiting is unfair: it asks every 100 ms, and whoever has just written asks at once
                time.sleep(0.01 * random.random())

    def _open(self) -> sqlite3.Connection:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._seen = _identity(self.path)
        db = sqlite3.connect(self.path, timeout=0.05, isolation_level=None)
        try:
            db.text_factory = bytes  # a damaged text need not be one
            if not self._is_made(db):
                db.execute("PRAGMA journal_mode = WAL")
                _transact(db, self._make, write=True)
                self._seen = _identity(self.path)
            for setting in ("synchronous = FULL", "foreign_keys = ON", "secure_delete = ON"):
                db.execute(f"PRAGMA {setting}")
        except BaseException:
            db.close()
            raise
        return db

    def _is_made(self, db: sqlite3.Connection) -> bool:
        """Whether the tables are there; False for an empty file."""
        queries = ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_master")
        alone = not db.in_transaction
        if alone:  # all three at one moment: another process may be making the tables just now
            db.execute("BEGIN")
        try:
            mark, version, tables = (db.execute(query).fetchone()[0] for query in queries)
        finally:
            if alone and db.in_transaction:
                db.execute("ROLLBACK")
        if mark != OURS:
            if mark or version or tables:
                raise _ForeignError
            return False
        if version > self._version:
            raise RecordsError(
                f"{str(self.path)!r} is of version {version}, this dicewise knows version {self._version}; "
                f"update dicewise, or {self._advice}"
            )
        if db.execute("PRAGMA quick_check(1)").fetchone()[0] != b"ok":
            raise _ForeignError
        return True

    def _make(self, db: sqlite3.Connection) -> None:
        if not self._is_made(db):  # nor has another process made them meanwhile
            for table in self._tables.split(";"):
                db.execute(table)
            db.execute(f"PRAGMA application_id = {OURS}")
            db.execute(f"PRAGMA user_version = {self._version}")

    def _set_aside(self) -> None:
        """Rename a file that is damaged or foreign, unless another process has done so."""
        self.close()
        aside = f"{self.path}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}"
        lock = None
        try:
            lock = sqlite3.connect(f"{self.path}.lock", timeout=PATIENCE, isolation_level=None)
            lock.execute("BEGIN EXCLUSIVE")  # it ends with its process, whatever happens to that
            if _identity(self.path) == self._seen:
                for part in ("-wal", "-journal", "-shm", ""):  # beside a new file SQLite would delete an old log
                    with suppress(FileNotFoundError):
                        Path(f"{self.path}{part}").rename(f"{aside}{part}")
                self.problem = f"{str(self.path)!r} is damaged or not a file of dicewise; it is kept as {aside!r}"
        except (OSError, sqlite3.Error) as error:
            raise self._refusal(f"it is damaged or not a file of dicewise, and cannot be renamed ({error})") from None
        finally:
            if lock is not None:
                lock.close()

    def _refusal(self, reason: str) -> RecordsError:
        return RecordsError(f"games cannot be kept in {str(self.path)!r}: {reason}; put that right, or {self._advice}")


def _transact(db: sqlite3.Connection, work: Callable[[sqlite3.Connection], T], write: bool) -> T:
    db.execute("BEGIN IMMEDIATE" if write else "BEGIN")
    try:
        done = work(db)
        db.execute("COMMIT")
        return done
    except BaseException:
        with suppress(sqlite3.Error):
            db.execute("ROLLBACK")
        raise


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file is there, whatever its name."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino
