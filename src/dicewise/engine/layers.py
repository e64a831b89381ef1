"""Running a layered table: block by block on all cores, in memory or in a folder whose finished layers are checkpoints.

The folder holds `table.npy`, mapped into memory and filled in place, and `layers.json`: what the table is of, and a
checksum of every finished layer, written anew beside its place after each of them and renamed into it. A run that is
killed at any moment leaves layers that fit their checksums, and others; the next one keeps the former and goes on from
there. Nothing is trusted that does not fit: also after a power cut, when the disk may have seen the journal before it
saw the table, what is missing is filled again.

A finished table is opened by mapping it, after its size has been checked; its layers are read against their checksums
only where that is asked for.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import shutil
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicewise.errors import InputError, LimitError
from dicewise.game import Progress
from dicewise.layered import Layered, Plan
from dicewise.memory import available, in_words

Table = NDArray[Any]

TABLE, JOURNAL, LOCK = "table.npy", "layers.json", "lock"
MOST_THREADS = 8
DISK_LEFT = 1 << 28
"""Bytes of the disk that are left to others."""


def threads_here() -> int:
    """How many blocks are filled at once."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(MOST_THREADS, usable or 1))


def run(layered: Layered, *, threads: int | None = None, progress: Progress | None = None) -> tuple[Table, int]:
    """The table in memory, and the number of its first row: where the whole of it does not fit and every layer reads
    only the one before it, no more than the last layer is left in the end."""
    plan, have = layered.plan(), available()
    whole = not layered.reads_one_layer or have is None or plan.disk < have // 2
    layered.prepare()
    shape = layered.shape
    size = math.prod(shape[1:]) * np.dtype(layered.dtype).itemsize
    whole = whole or shape[0] * size < (have or 0) // 2
    layers = np.diff(layered.bounds)
    both = int((layers[:-1] + layers[1:]).max()) if len(layers) > 1 else shape[0]
    _check_memory(plan, shape[0] * size if whole else both * size)
    filling = _Filling(layered, threads or threads_here(), progress)
    if whole:
        table: Table = np.zeros(shape, dtype=layered.dtype)
        for _ in filling.layers(table, 0):
            pass
        return table, 0
    return filling.last_layer()


def run_in(
    folder: Path,
    layered: Layered,
    key: str,
    *,
    resume: bool = True,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Table:
    """The table, in a folder. With `resume`, what an earlier run of the same `key` has left there is kept."""
    plan = layered.plan()
    check_fits(plan, folder)
    layered.prepare()
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder, plan.game):
        whole = {"key": key, "shape": list(layered.shape), "dtype": layered.dtype, "bounds": layered.bounds.tolist()}
        known = _read_journal(folder) if resume else None
        done: list[str] = known["done"] if known and all(known.get(name) == whole[name] for name in whole) else []
        if not done:
            _make_table(folder / TABLE, layered, plan)
            _write_journal(folder, whole | {"done": [], "meta": None})
        table = np.lib.format.open_memmap(folder / TABLE, mode="r+")
        done = done[: _sound(table, layered.bounds.tolist(), done)] if table.shape == layered.shape else []
        try:
            filling = _Filling(layered, threads or threads_here(), progress)
            for digest in filling.layers(np.asarray(table), len(done)):
                done.append(digest)
                _write_journal(folder, whole | {"done": done, "meta": None})
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"interrupted; {len(done)} of {len(layered.bounds) - 1} layers are kept: 'dicewise solve' "
                "with --resume goes on from there"
            ) from None
        table.flush()
        return np.asarray(table)


def finish(folder: Path, meta: dict[str, Any]) -> None:
    """Note that a table is complete, with what is to be known of it."""
    journal = _read_journal(folder)
    if journal is not None:
        _write_journal(folder, journal | {"meta": meta})


def finished(folder: Path, key: str) -> tuple[Table, dict[str, Any]] | None:
    """A complete table, mapped and read-only, and what was noted of it; None where there is none."""
    journal = _read_journal(folder)
    if journal is None or journal["key"] != key or not journal["meta"]:
        return None
    with suppress(OSError, ValueError):
        table = np.load(folder / TABLE, mmap_mode="r", allow_pickle=False)
        if list(table.shape) == journal["shape"] and table.dtype == journal["dtype"]:
            return np.asarray(table), journal["meta"]
    return None


def is_sound(folder: Path, table: Table) -> bool:
    """Whether every layer of a complete table is what was noted of it; reads all of it."""
    journal = _read_journal(folder)
    return journal is not None and _sound(table, journal["bounds"], journal["done"]) == len(journal["bounds"]) - 1


def unfinished(folder: Path) -> tuple[int, int] | None:
    """How many layers an earlier run has left behind, of how many; None where there is nothing to go on with."""
    journal = _read_journal(folder)
    if journal is None or journal["meta"] or not journal["done"]:
        return None
    return len(journal["done"]), len(journal["bounds"]) - 1


def folder_of(store_folder: Path, key: str) -> Path:
    """Where the layers of a game are, below the store's folder."""
    slug = re.sub(r"[^A-Za-z0-9_=,()-]", "-", str(json.loads(key)["spec"]))[:60]
    return store_folder / "layers" / f"{slug}-{hashlib.blake2b(key.encode(), digest_size=8).hexdigest()}"


def kept(store_folder: Path) -> list[tuple[str, Path, int]]:
    """The tables that are kept, finished or not: spec, folder, bytes."""
    found = []
    for path in sorted((store_folder / "layers").glob(f"*/{JOURNAL}")):
        journal = _read_journal(path.parent)
        if journal is not None:
            size = sum(file.stat().st_size for file in path.parent.iterdir())
            found.append((str(json.loads(journal["key"])["spec"]), path.parent, size))
    return found


def clear(store_folder: Path, spec: str | None = None) -> tuple[int, int, list[str]]:
    """Remove the tables of one game, or all; how many there were, their bytes, and the games whose tables are being
    filled by another process, and left alone."""
    count, freed, busy = 0, 0, []
    for known, folder, size in kept(store_folder):
        if spec in (None, known):
            try:
                with _alone(folder, known):
                    shutil.rmtree(folder, ignore_errors=True)
            except InputError:
                busy.append(known)
                continue
            count, freed = count + 1, freed + size
    return count, freed, busy


# ---- what fits


def check_fits(plan: Plan, folder: Path) -> None:
    """Refuse what the memory or the disk has no room for."""
    _check_memory(plan, plan.memory)
    there = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(there).free - DISK_LEFT
    kept_already = (folder / TABLE).stat().st_size if (folder / TABLE).exists() else 0
    if plan.disk > free + kept_already:
        raise LimitError(
            f"{plan.game} needs {'up to ' * plan.at_most}{in_words(plan.disk)} on disk, and {in_words(free)} is free "
            f"in {there}; choose smaller parameters, or a larger disk (DICEWISE_CACHE_DIR)"
        )


def _check_memory(plan: Plan, needed: int) -> None:
    have = available()
    if have is not None and needed > have:
        raise LimitError(
            f"{plan.game} needs {'up to ' * plan.at_most}{in_words(needed)} of memory, and {in_words(have)} is free; "
            "choose smaller parameters, or a larger machine"
        )


# ---- filling


class _Filling:
    """Layers being filled by a pool of threads."""

    def __init__(self, layered: Layered, threads: int, progress: Progress | None) -> None:
        self.layered, self.threads, self.progress = layered, threads, progress
        self.spans = list(pairwise(layered.bounds.tolist()))

    def layers(self, table: Table, start: int) -> Iterator[str]:
        """Fill the layers from number `start` on; after each the checksum of it, while the next one is being filled."""
        waiting: tuple[int, int] | None = None
        with ThreadPoolExecutor(self.threads) as pool:
            for first, last in self.spans[start:]:
                jobs = self.submit(pool, table, 0, table[first:last], first, last)
                try:
                    if waiting is not None:
                        yield _digest(table, *waiting)
                    self.wait(jobs, first, last)
                except BaseException:
                    for job in jobs:
                        job.cancel()
                    raise
                waiting = first, last
        if waiting is not None:
            yield _digest(table, *waiting)

    def last_layer(self) -> tuple[Table, int]:
        """The last layer and the number of its first row, never more than two layers being in memory."""
        shape, dtype = self.layered.shape[1:], self.layered.dtype
        earlier, at = np.zeros((0, *shape), dtype=dtype), 0
        with ThreadPoolExecutor(self.threads) as pool:
            for first, last in self.spans:
                out: Table = np.empty((last - first, *shape), dtype=dtype)
                jobs = self.submit(pool, earlier, at, out, first, last)
                try:
                    self.wait(jobs, first, last)
                except BaseException:
                    for job in jobs:
                        job.cancel()
                    raise
                earlier, at = out, first
        return earlier, at

    def submit(
        self, pool: ThreadPoolExecutor, earlier: Table, at: int, out: Table, first: int, last: int
    ) -> list[Future[None]]:
        """The blocks of a layer, `out` being the whole of it."""
        parts = blocks(first, last, self.layered.rows_per_block)
        return [pool.submit(self.layered.fill, earlier, at, out[a - first : b - first], a, b) for a, b in parts]

    def wait(self, jobs: list[Future[None]], first: int, last: int) -> None:
        rows = self.spans[-1][1]
        for number, job in enumerate(jobs, 1):
            job.result()
            if self.progress is not None:
                self.progress((first + (last - first) * number / len(jobs)) / rows, "solving layer by layer")


def blocks(first: int, last: int, rows: int) -> list[tuple[int, int]]:
    """A layer in blocks of so many rows."""
    return [(at, min(at + rows, last)) for at in range(first, last, rows)]


def _digest(table: Table, first: int, last: int) -> str:
    return hashlib.blake2b(table[first:last].data, digest_size=16).hexdigest()


def _sound(table: Table, bounds: list[int], done: list[str]) -> int:
    """How many layers, from the first one on, are what was noted of them."""
    for number, ((first, last), digest) in enumerate(zip(pairwise(bounds), done, strict=False)):
        if _digest(np.asarray(table), first, last) != digest:
            return number
    return len(done)


# ---- files


def _make_table(path: Path, layered: Layered, plan: Plan) -> None:
    """An empty table, with its room on the disk taken: a disk that fills up later would kill who writes to a map."""
    (path.parent / JOURNAL).unlink(missing_ok=True)
    path.unlink(missing_ok=True)
    table = np.lib.format.open_memmap(path, mode="w+", dtype=np.dtype(layered.dtype), shape=layered.shape)
    del table
    if hasattr(os, "posix_fallocate"):
        with open(path, "r+b") as file:
            try:
                os.posix_fallocate(file.fileno(), 0, os.fstat(file.fileno()).st_size)
            except OSError as error:
                path.unlink()
                raise LimitError(f"{plan.game}: {path} cannot take {in_words(plan.disk)}: {error.strerror}") from None


def _read_journal(folder: Path) -> dict[str, Any] | None:
    with suppress(OSError, ValueError, KeyError, TypeError):
        whole = json.loads((folder / JOURNAL).read_bytes())
        content: dict[str, Any] = whole["content"]
        if whole["check"] == _check(content):
            return content
    return None


def _write_journal(folder: Path, content: dict[str, Any]) -> None:
    temporary = folder / f"{JOURNAL}.new"
    try:
        temporary.write_text(json.dumps({"check": _check(content), "content": content}))
        temporary.replace(folder / JOURNAL)
    except FileNotFoundError:
        raise InputError(f"{folder} was removed while its table was being filled; begin again") from None


def _check(content: dict[str, Any]) -> str:
    return hashlib.blake2b(json.dumps(content, sort_keys=True).encode(), digest_size=16).hexdigest()


@contextmanager
def _alone(folder: Path, game: str) -> Iterator[None]:
    """One run at a time: the lock goes with the process, however that ends."""
    with open(folder / LOCK, "w") as file:
        try:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:  # a system without such locks
            pass
        except OSError:
            raise InputError(f"{game} is being solved by another process in {folder}; wait until it is done") from None
        yield
