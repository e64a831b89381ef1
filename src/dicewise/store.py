"""The store: solved tables on disk, so that a game is solved once per machine.

A solution is a folder of `.npy` files and a `meta.json`, named after the game's spec. It is written beside
its place and renamed into it, never changed afterwards, and read by mapping it into memory. `meta.json` holds
the size and checksum of every table and a checksum of itself; what fails one of them is not returned.

A store cannot give a wrong answer, only none: whatever is damaged, half written, being cleared or another
game's counts as absent, and the caller solves again. Nor can it run code: tables hold numbers and bytes only.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import os
import re
import secrets
import shutil
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from enum import Enum
from numbers import Number
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, BinaryIO

from dicewise.errors import InputError

if TYPE_CHECKING:
    import numpy as np

    from dicewise.game import Game

    Table = np.ndarray[Any, Any]

SOLVER_VERSION: int = 2
"""Raised whenever a solver's tables change, so that older ones are not found any more."""

DEFAULT_LIMIT = 4 << 30
KINDS = "biufS"
"""What a table may hold, as numpy calls it: truth values, integers, floating-point numbers, bytes."""

_DAY = 86400.0
_ENTRY = re.compile(r"[A-Za-z0-9_=,()-]{0,60}-[0-9a-f]{16}")
_TEMPORARY = re.compile(r"\.dicewise-([1-9][0-9]{0,9})-[0-9a-f]{16}")


@dataclasses.dataclass(frozen=True)
class Entry:
    """One stored solution."""

    name: str
    """Of its folder."""
    spec: str
    """Of its game; `damaged` where that cannot be read."""
    bytes: int
    created: float
    """In seconds since 1970, as is `used`; both are 0 for a damaged one."""
    used: float


class Store:
    """Solutions in a folder, at most `limit` bytes of them."""

    def __init__(self, folder: Path | None = None, limit: int | None = None) -> None:
        self._folder = _default_folder() if folder is None else Path(folder)
        self.limit = _default_limit() if limit is None else limit
        """In bytes; 0 keeps nothing."""
        self.problem: str | None = None
        """Why the last `save` kept nothing, in one line."""

    @property
    def path(self) -> Path:
        return self._folder

    def load(self, key: str) -> tuple[dict[str, Table], dict[str, Any]] | None:
        """The tables saved under this key, mapped and read-only, and their `meta`; None if there are none."""
        place = self._place(key)
        try:
            seen = place.stat()
        except OSError:
            return None
        try:
            found = _read(place, key)
        except Exception as error:
            # a disk or memory that fails now may not fail later; a missing file, and all else, is damage
            if not isinstance(error, OSError | MemoryError) or isinstance(error, FileNotFoundError):
                self._remove(place, seen)
            return None
        if found:
            now = time.time_ns()
            with suppress(OSError):  # a read-only store can be read all the same
                os.utime(place / "meta.json", ns=(now, now))
        return found

    def save(self, key: str, arrays: Mapping[str, Table], meta: Mapping[str, Any]) -> bool:
        """Keep tables and JSON values under a key, in place of what it held; False if that cannot be done."""
        self.problem = None
        if self.limit == 0:
            return False
        place, temporary = self._place(key), self._temporary()
        try:
            self._check_room(sum(array.nbytes for array in arrays.values()))
            self._folder.mkdir(parents=True, exist_ok=True)
            self._sweep()
            temporary.mkdir()
            _write(temporary, key, arrays, meta)
            self._check_room(_size(temporary))
            self._install(temporary, place)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else None
            self.problem = f"the solution is not kept in {self._folder}: {reason or error}"
            return False
        finally:
            shutil.rmtree(temporary, ignore_errors=True)  # gone already where it was put in its place
        self._shrink(place.name)
        return True

    def entries(self) -> list[Entry]:
        """What is stored, most recently used first, damaged ones last."""
        found = []
        for folder in self._folders(_ENTRY):
            with suppress(OSError):  # another process has just removed it
                entry = Entry(folder.name, "damaged", _size(folder), 0.0, 0.0)
                with suppress(Exception):
                    content, used = _read_meta(folder), (folder / "meta.json").stat().st_mtime
                    spec, created = _spec(content["key"]), float(content["created"])
                    entry = dataclasses.replace(entry, spec=spec, created=created, used=used)
                found.append(entry)
        return sorted(found, key=lambda entry: entry.used, reverse=True)

    def clear(self, spec: str | None = None) -> tuple[int, int]:
        """Remove the solutions of one game, or all of them; returns how many there were, and their bytes."""
        self._sweep()
        meant = [entry for entry in self.entries() if spec in (None, entry.spec)]
        gone = [entry.bytes for entry in meant if self._remove(self._folder / entry.name)]
        return len(gone), sum(gone)

    # ---- folders

    def _place(self, key: str) -> Path:
        digits = hashlib.blake2b(key.encode(), digest_size=8).hexdigest()
        return self._folder / f"{_slug(_spec(key))}-{digits}"

    def _temporary(self) -> Path:
        return self._folder / f".dicewise-{os.getpid()}-{secrets.token_hex(8)}"

    def _folders(self, ours: re.Pattern[str]) -> list[Path]:
        """The folders here that a store has made; nothing else here is touched."""
        with suppress(OSError), os.scandir(self._folder) as found:
            return [Path(it) for it in found if ours.fullmatch(it.name) and it.is_dir(follow_symlinks=False)]
        return []

    def _install(self, temporary: Path, place: Path) -> None:
        """Rename a finished folder into its place. A full folder there cannot be renamed over but has to go
        first, and another process may put its own there in between."""
        for attempts_left in reversed(range(20)):
            self._remove(place)
            try:
                temporary.rename(place)
                return
            except OSError:
                if not attempts_left:
                    raise

    def _remove(self, folder: Path, seen: os.stat_result | None = None) -> bool:
        """Remove a folder, in one step for other processes; with `seen` only if it is still that one."""
        temporary = self._temporary()
        try:
            if not folder.is_dir() or (seen and not os.path.samestat(seen, folder.stat())):
                return False
            folder.rename(temporary)
        except OSError:  # somebody else was first, it may not be touched, or (on Windows) it is mapped
            return False
        shutil.rmtree(temporary, ignore_errors=True)
        return True

    def _sweep(self) -> None:
        """Remove what killed processes have left behind."""
        for folder in self._folders(_TEMPORARY):
            pid = int(folder.name.split("-")[1])
            with suppress(OSError):
                if not _alive(pid) or time.time() - folder.stat().st_mtime > _DAY:
                    shutil.rmtree(folder, ignore_errors=True)

    def _check_room(self, size: int) -> None:
        if size > self.limit:
            raise ValueError(f"{size:,} bytes exceed the limit of {self.limit:,} (DICEWISE_CACHE_LIMIT)")

    def _shrink(self, new: str) -> None:
        """Remove the least recently used solutions, but not the new one, until all are within the limit."""
        entries = self.entries()
        total = sum(entry.bytes for entry in entries)
        for entry in reversed(entries):
            if total > self.limit and entry.name != new and self._remove(self._folder / entry.name):
                total -= entry.bytes


def _default_folder() -> Path:
    given = os.environ.get("DICEWISE_CACHE_DIR")
    if given:
        return Path(os.path.abspath(os.path.expanduser(given)))
    import platformdirs

    return platformdirs.user_cache_path("dicewise") / "solutions"


def _default_limit() -> int:
    given = os.environ.get("DICEWISE_CACHE_LIMIT", "").strip()
    if not given:
        return DEFAULT_LIMIT
    match = re.fullmatch(r"([0-9]{1,18})\s*([KMGT]?)B?", given.upper())
    if not match:
        raise InputError(
            f"DICEWISE_CACHE_LIMIT {given!r} is not a size; give a whole number of bytes, "
            "or one with K, M, G or T such as 500M or 4G"
        )
    return int(match[1]) << 10 * " KMGT".index(match[2] or " ")


def _alive(pid: int) -> bool:
    """Whether such a process runs. On Windows to ask would be to send it Ctrl-C: there age alone decides."""
    if os.name == "posix":
        try:
            os.kill(pid, 0)
        except (ProcessLookupError, OverflowError):
            return False
        except PermissionError:
            pass  # it runs, and is somebody else's
    return True


def _spec(key: str) -> str:
    """The spec in a key that `key_of` has made; any other key is its own."""
    try:
        return str(json.loads(key)["spec"])
    except (ValueError, TypeError, KeyError):
        return key


def _slug(text: str) -> str:
    """A name that every file system takes."""
    return re.sub(r"[^A-Za-z0-9_=,()-]", "-", text)[:60]


# ---- files


def _hash(data: bytes = b"") -> hashlib.blake2b:
    """The checksum: 1.4 GB/s on one core, so that a table of 2 GB is verified in 1.5 s. SHA-256 does 2 GB/s,
    but only where the processor helps; CRC-32 does 7 GB/s, but misses one damage in 4 billion."""
    return hashlib.blake2b(data, digest_size=16)


def _check(content: Any) -> str:
    return _hash(json.dumps(content, sort_keys=True).encode()).hexdigest()


class _Writer:
    """A file for `np.save` that takes the checksum of what it is given, whatever the disk makes of it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.hash = _hash()
        self.size = 0

    def write(self, data: bytes) -> int:
        self.hash.update(data)
        self.size += len(data)
        return self._file.write(data)


def _table_file(folder: Path, number: int, name: str) -> Path:
    """The number tells names apart that differ in case or in odd characters only."""
    return folder / f"{number}-{_slug(name)}.npy"


def _size(folder: Path) -> int:
    with os.scandir(folder) as files:
        return sum(file.stat(follow_symlinks=False).st_size for file in files)


def _write(folder: Path, key: str, arrays: Mapping[str, Table], meta: Mapping[str, Any]) -> None:
    import numpy as np

    tables = []
    for number, (name, array) in enumerate(arrays.items()):
        if array.dtype.kind not in KINDS:
            raise ValueError(f"table {name!r} holds {array.dtype}, not numbers or bytes")
        with open(_table_file(folder, number, name), "xb") as file:
            writer = _Writer(file)
            np.save(writer, array, allow_pickle=False)
            _flush(file)
        tables.append([name, writer.size, writer.hash.hexdigest()])
    content = {"key": key, "created": time.time(), "tables": tables, "meta": dict(meta)}
    content = json.loads(json.dumps(content))  # as it will be read, for its checksum
    with open(folder / "meta.json", "xb") as file:
        file.write(json.dumps({"check": _check(content), "content": content}, indent=1).encode())
        _flush(file)


def _flush(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _read_meta(folder: Path) -> dict[str, Any]:
    whole = json.loads((folder / "meta.json").read_bytes())
    content: dict[str, Any] = whole["content"]
    if _check(content) != whole["check"]:
        raise ValueError("meta.json is damaged")
    return content


def _read(folder: Path, key: str) -> tuple[dict[str, Table], dict[str, Any]] | None:
    content = _read_meta(folder)
    if content["key"] != key:
        return None  # sound, but of another solution whose name has the same 16 digits
    arrays = {}
    for number, (name, size, check) in enumerate(content["tables"]):
        arrays[name] = _map(_table_file(folder, number, name), size, check)
    return arrays, content["meta"]


def _map(path: Path, size: int, check: str) -> Table:
    """The table in a file, which is opened only once: what is verified is what is mapped."""
    import numpy as np

    with open(path, "rb") as file:
        if os.fstat(file.fileno()).st_size != size or hashlib.file_digest(file, _hash).hexdigest() != check:
            raise ValueError(f"{path.name} is damaged")
        file.seek(0)
        if np.lib.format.read_magic(file) != (1, 0):
            raise ValueError(f"{path.name} is of another format")
        shape, by_columns, dtype = np.lib.format.read_array_header_1_0(file)
        start = file.tell()
        # a checksum does not stop a forger: nothing but numbers and bytes, and exactly as many as there are
        if dtype.kind not in KINDS or start + dtype.itemsize * math.prod(shape) != size:
            raise ValueError(f"{path.name} claims to hold {dtype} in the shape {shape}")
        table: Table = np.memmap(file, dtype, "r", start, shape, "F" if by_columns else "C")
        return table


# ---- keys


def key_of(game: Game[Any, Any], *, variant: str = "") -> str | None:
    """All that a solution depends on: game, parameters, solver, and the source of a user's own rules.

    None for a game that must not be stored, as nothing tells it from its next version: one typed at a prompt
    or made inside a function, or one with a parameter (a function, an object) that has no exact text.
    """
    rules = type(game)
    family = [cls for cls in rules.__mro__ if cls.__module__ not in ("builtins", "abc", "typing")]
    if not dataclasses.is_dataclass(game) or any(map(_is_fleeting, family)):
        return None
    try:
        fields = [field.name for field in dataclasses.fields(game) if field.init or field.compare]
        parameters = {name: _exact_text(getattr(game, name)) for name in fields}
        names = dict.fromkeys(cls.__module__ for cls in family)
        foreign = [sys.modules[name] for name in names if name.partition(".")[0] != "dicewise"]
        source = _sources_digest(foreign) if foreign else ""
    except (AttributeError, LookupError, TypeError, OSError):
        return None
    identity = {"spec": game.spec, "parameters": parameters, "class": rules.__qualname__, "source": source}
    return json.dumps(identity | {"solver": SOLVER_VERSION, "variant": variant}, sort_keys=True)


def _is_fleeting(cls: type) -> bool:
    """Whether a class was typed (`<stdin>`, `<doctest ...>`) or may depend on the variables of a function."""
    methods = [it for it in vars(cls).values() if isinstance(it, FunctionType) and it.__name__[:2] != "__"]
    return "<locals>" in cls.__qualname__ or any(it.__code__.co_filename.startswith("<") for it in methods)


def _exact_text(value: Any) -> str:
    """A text that differs wherever the value does; a spec cannot promise that, it writes "1" and 1 alike."""
    if isinstance(value, tuple):
        return f"({', '.join(map(_exact_text, value))})"
    if value is None or isinstance(value, Number | str | bytes | range | Enum):
        return repr(value)
    raise TypeError


def _sources_digest(owners: Iterable[ModuleType]) -> str:
    """Of the modules that hold a game's classes and of all modules loaded from the same folder or package: a
    changed helper changes the rules. Python's own modules, installed ones and dicewise's do not count."""
    apart = [Path(it).resolve() for it in (Path(os.__file__).parent, sys.prefix, Path(__file__).parent)]
    loaded = []
    for module in list(sys.modules.values()):
        file = getattr(module, "__dict__", {}).get("__file__")  # some modules import when asked for more
        if isinstance(file, str):
            loaded.append((Path(file).resolve(), module))
    found = {}
    for number, owner in enumerate(owners):
        root = Path(owner.__file__ or "").resolve().parents[(owner.__package__ or "").count(".")]
        inside = [it for it in apart if it.is_relative_to(root)]
        for path, module in loaded:
            if path.is_relative_to(root) and not any(path.is_relative_to(it) for it in inside):
                inner = path.relative_to(root)
                if not {"site-packages", "dist-packages"}.intersection((root.name, *inner.parts)):
                    found[f"{number} {inner.as_posix()}"] = _source_digest(module)
        found[f"{number}"] = _source_digest(owner)
    return _check(found)


def _source_digest(module: ModuleType) -> str:
    """Of the source as it was imported, where the importer has noted it; otherwise as it is now."""
    noted = vars(module).get("__dicewise_source__")
    return noted if isinstance(noted, str) else _hash(Path(module.__file__ or "").read_bytes()).hexdigest()
