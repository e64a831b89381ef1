"""How time is taken.

Peers take turns in one run, so that whatever else the machine does hits all of them, and the best of several turns
counts: noise only ever adds. CPU time is compared wherever one thread works, because it does not count the time
in which other processes had the core.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TURN = 0.05
"""Seconds for which a peer is called again and again before it is the next one's turn: caches get warm."""

Clock = Callable[[], float]


def cpu() -> float:
    """CPU time of all threads of this process."""
    return time.process_time()


def wall() -> float:
    return time.perf_counter()


def best_of(rounds: int, peers: Mapping[str, Callable[[], Any]], clock: Clock = cpu) -> dict[str, float]:
    """The shortest call of each peer, in seconds; in each round every peer has its turn."""
    best = dict.fromkeys(peers, float("inf"))
    for _ in range(rounds):
        for name, call in peers.items():
            until = wall() + TURN
            while True:
                start = clock()
                call()
                best[name] = min(best[name], clock() - start)
                if wall() >= until:
                    break
    return best


class CommandError(Exception):
    """A process that was to be timed ended with an error."""


@dataclass(frozen=True)
class Run:
    """A finished process."""

    wall: float
    cpu: float
    bytes: int
    """The most memory that it held at a time."""
    out: str
    err: str


def run(command: Sequence[str], env: Mapping[str, str], *, show_progress: bool = False) -> Run:
    """Run a process to its end; one that fails is an error here."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        start = wall()
        # the process is waited for below and not by `with`: only wait4 tells what this one child has used
        process = subprocess.Popen(
            command, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=None if show_progress else err, text=True
        )
        try:
            used = _wait(process)
        except BaseException:
            process.kill()
            process.wait()
            raise
        seconds = wall() - start
        out.seek(0)
        err.seek(0)
        done = Run(
            wall=seconds,
            cpu=used.ru_utime + used.ru_stime,
            bytes=used.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
            out=out.read(),
            err=err.read(),
        )
    if process.returncode != 0:
        raise CommandError(f"{' '.join(command)} ended with {process.returncode}: {done.err.strip()[-500:]}")
    return done


def _wait(process: subprocess.Popen[str]) -> resource.struct_rusage:
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return used


def best_runs(
    rounds: int, peers: Mapping[str, Callable[[], Run]], before: Mapping[str, Callable[[], Any]] | None = None
) -> dict[str, Run]:
    """The shortest wall and CPU time of each process, in rounds; `before` prepares a peer and is not timed."""
    found: dict[str, list[Run]] = {name: [] for name in peers}
    for _ in range(rounds):
        for name, start in peers.items():
            if before and name in before:
                before[name]()
            found[name].append(start())
    return {
        name: Run(
            wall=min(done.wall for done in runs),
            cpu=min(done.cpu for done in runs),
            bytes=min(done.bytes for done in runs),
            out=runs[-1].out,
            err=runs[-1].err,
        )
        for name, runs in found.items()
    }


def dicewise_command(*words: str) -> list[str]:
    """`dicewise ...` as a user types it."""
    script = Path(sys.executable).with_name("dicewise")
    return [str(script), *words] if script.exists() else [sys.executable, "-m", "dicewise", *words]


def environment(scratch: Path, **more: str) -> dict[str, str]:
    """For a process that keeps everything it writes in a folder of ours: store, bytecode and compiled kernels.

    Bytecode is written and used, as it is for everybody who has started a program twice.
    """
    kept = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {
        "DICEWISE_CACHE_DIR": str(scratch / "store"),
        "PYTHONPYCACHEPREFIX": str(scratch / "bytecode"),
        "NUMBA_CACHE_DIR": str(scratch / "kernels"),
        **more,
    }


def imported(command: Sequence[str], env: Mapping[str, str]) -> set[str]:
    """The packages that a command imports (their top-level names)."""
    lines = run(command, {**env, "PYTHONPROFILEIMPORTTIME": "1"}).err.splitlines()
    names = [line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")]
    return {name.partition(".")[0] for name in names}
