"""What studies keep: every answer on a line of its own, so that a study that was stopped goes on where it was.

The answers of a function stand in a file that is named after it and after the source that it uses: changed code answers
anew. A line is `[key, check, answer]`, the key made of the question, the check of both. Lines are added whole, each
beginning with its newline, so that one cut off by a crash or a full disk swallows no other. Whatever is damaged or
foreign is an answer that is missing; a file cannot give a wrong answer, only none. That holds for several studies that
write at the same time as well: at worst an answer is asked for twice.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import re
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from functools import cache
from io import FileIO
from pathlib import Path
from typing import Any

from dicewise._version import __version__
from dicewise.errors import DicewiseError
from dicewise.files import written_whole
from dicewise.store import SOLVER_VERSION, Store

LIMIT = 200_000_000
"""Bytes from which on a study that begins to write removes the answers that were not used for the longest time."""

Task = Callable[[Any], Any]


def folder_in(store: Store) -> Path:
    """Where studies keep their answers: beside the solutions."""
    return store.path / "studies"


def studies_folder(store: Store | None = None) -> Path | None:
    """The same, of the user's store; None where nothing may be kept."""
    store = store or Store()
    return folder_in(store) if store.limit else None


def count(folder: Path) -> tuple[int, int]:
    """How many answers are kept, and their bytes."""
    answers = size = 0
    for file in _files(folder):
        with suppress(OSError), open(file, "rb") as lines:  # another process may have removed it
            answers += sum(1 for line in lines if line.strip())
            size += lines.tell()
    return answers, size


def clear(folder: Path) -> tuple[int, int]:
    """Forget all answers; returns how many there were, and their bytes."""
    before = count(folder)
    for file in _files(folder):
        with suppress(OSError):
            file.unlink()
    after = count(folder)
    return before[0] - after[0], before[1] - after[1]


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(folder.glob("*.jsonl"))
    except OSError:
        return []


class Answers:
    """The answers of one function that are kept in a folder; None keeps nothing."""

    def __init__(self, folder: Path | None, task: Task) -> None:
        where, name = task.__module__, task.__qualname__
        self.about = f"{__version__} {SOLVER_VERSION} {where}.{name} {_source(where)}"
        file = f"{where.rpartition('.')[2]}-{task.__name__}".replace("_", "-").strip("-")
        self.path = None if folder is None else folder / f"{file}-{_digest(self.about)}.jsonl"
        self.problem: str | None = None
        """Why answers are not kept, in one line."""
        self._known: dict[str, Any] = {}
        self._file: FileIO | None = None

    def key(self, item: Any) -> str:
        return _digest(f"{self.about} {json.dumps(item, sort_keys=True)}", 16)

    def read(self, keys: Collection[str]) -> dict[str, Any]:
        """The answers to these questions that are there and sound, by key."""
        wanted = set(keys)
        for key, answer in self._lines():
            if key in wanted:
                self._known[key] = answer
        if self._known and self.path is not None:
            with suppress(OSError):
                os.utime(self.path)  # used just now: it is not the first to go
        return dict(self._known)

    def _lines(self) -> Iterator[tuple[str, Any]]:
        if self.path is None:
            return
        with suppress(OSError), open(self.path, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                with suppress(ValueError, TypeError, RecursionError):
                    key, check, answer = json.loads(line)
                    if isinstance(key, str) and check == _check(key, answer):
                        yield key, answer

    def add(self, key: str, answer: Any) -> None:
        """Keep an answer. Where that fails the study goes on, and `problem` says why."""
        if self.path is None:
            return
        try:
            self._file = self._file or self._opened(self.path)
            line = _line(key, answer)
            if self._file.write(line) < len(line):
                raise OSError(0, "the disk is full")
            self._known[key] = answer
        except OSError as error:
            self.problem = f"answers are not kept in {self.path.parent}: {error.strerror or error}"
            self.close()
            self.path = None

    def _opened(self, path: Path) -> FileIO:
        path.parent.mkdir(parents=True, exist_ok=True)
        _make_room(path)
        with suppress(OSError, DicewiseError):
            if path.stat().st_size > LIMIT:  # of its own lines those stay that are of use now
                with written_whole(path) as unfinished:
                    unfinished.write_bytes(b"".join(_line(*each) for each in self._known.items()))
        return open(path, "ab", buffering=0)

    def close(self) -> None:
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
            self._file = None


def _make_room(own: Path) -> None:
    """Remove other files, those first that were not used for the longest time, until all are within the limit. Who
    writes to one of them goes on, and is not kept."""
    found = []
    for file in _files(own.parent):
        with suppress(OSError):
            seen = file.stat()
            found.append((seen.st_mtime, seen.st_size, file))
    total = sum(size for _, size, _ in found)
    for _, size, file in sorted(found):
        if total > LIMIT and file != own:
            with suppress(OSError):
                file.unlink()
                total -= size


def _line(key: str, answer: Any) -> bytes:
    return ("\n" + json.dumps([key, _check(key, answer), answer])).encode()


def _check(key: str, answer: Any) -> str:
    return _digest(f"{key} {json.dumps(answer)}")


def _digest(text: str, size: int = 8) -> str:
    return hashlib.blake2b(text.encode(), digest_size=size).hexdigest()


@cache
def _source(module: str) -> str:
    """Of a module and of all others of the program that it may come to use; those that print and draw do not count."""
    found, waiting = {}, ["dicewise", module]
    while waiting:
        name = waiting.pop()
        if name in found or name.startswith(("dicewise.cli", "dicewise.play", "dicewise.plot")):
            continue
        found[name] = source = _text(name)
        if name.partition(".")[0] == "dicewise":
            for where, names in _IMPORT.findall(source):
                waiting += [where, *(f"{where}.{inner}" for inner in re.findall(r"\w+", names))]
    return _digest(json.dumps(sorted(found.items())))


_IMPORT = re.compile(r"^ *(?:from|import) (dicewise[\w.]*)(?: import (\([^)]*\)|[^\n]*))?", re.M)


def _text(module: str) -> str:
    """The source of a module; nothing where there is none, or it cannot be read."""
    path = _ROOT.joinpath(*module.split("."))
    for file in (path.with_suffix(".py"), path / "__init__.py"):
        with suppress(OSError):
            return file.read_text(encoding="utf-8")
    try:
        return inspect.getsource(sys.modules[module])
    except (OSError, TypeError, KeyError):
        return ""


_ROOT = Path(__file__).parents[2]
