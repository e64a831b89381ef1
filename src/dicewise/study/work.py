"""How a study gets its many answers: on several cores, with progress, and so that it can be stopped and go on.

A study is a function asked about a list of items. Every answer is kept as soon as it is there (`kept`). Started again,
after Ctrl-C or a crash, or for a larger grid, the study asks only for what is missing.

Functions and items must be such that another process understands them: the function at the top of a module, the items
and answers made of numbers, texts, lists and dicts. Work that takes less than a moment stays in this process. Items are
asked in a mixed order: quick ones often stand first, and the time left would be told wrong.
"""

from __future__ import annotations

import copy
import json
import random
import signal
import time
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from multiprocessing import connection, get_context, parent_process
from pathlib import Path
from threading import Event, Lock, Thread, Timer
from typing import Any

from dicewise.errors import DicewiseError, InputError, LimitError, raised
from dicewise.game import Progress
from dicewise.study.kept import Answers, Task

ALONE = 1.0
"""Seconds for which one process works alone; starting others takes about as long."""

CHUNK = 0.2
"""Seconds of work that are handed to another process at a time, about."""

TICK = 0.5
"""Seconds after which progress is told again, though there is none."""


class Work:
    """Where and how a study works.

    `jobs` is the number of processes. From a script of your own keep it at 1, or call it under
    `if __name__ == "__main__"`: other processes import the script. `folder` is where answers are kept, None for
    nowhere; `fresh` asks everything again.
    """

    def __init__(
        self,
        jobs: int = 1,
        *,
        folder: Path | None = None,
        fresh: bool = False,
        progress: Progress | None = None,
    ) -> None:
        if jobs < 1:
            raise InputError(f"jobs {jobs} is not allowed; it is a whole number from 1 up")
        self.jobs, self.folder, self.fresh = jobs, folder, fresh
        self.problems: list[str] = []
        """Why answers are not kept, where they should be; one list for all stages."""
        self._progress, self._telling = progress, Lock()
        self._share = (0.0, 1.0)

    def tell(self, done: float, doing: str) -> None:
        """Report progress of the stage that the work is in."""
        if self._progress is not None:
            first, last = self._share
            with self._telling:
                self._progress(first + (last - first) * done, doing)

    def stage(self, first: float, last: float) -> Work:
        """The same for a part of the work: its progress runs from `first` to `last` of this one's."""
        low, high = self._share
        part = copy.copy(self)
        part._share = (low + (high - low) * first, low + (high - low) * last)
        return part

    def map(self, task: Task, items: Sequence[Any], doing: str, *, keep: bool = True) -> list[Any]:
        """The answers to all items, in their order; `keep` says whether they outlast this run."""
        notes = Answers(self.folder if keep else None, task)
        keys = [notes.key(item) for item in items]
        known = {} if self.fresh else notes.read(keys)
        answers = {at: known[key] for at, key in enumerate(keys) if key in known}
        missing = [at for at in range(len(items)) if at not in answers]
        if missing:
            _load_compiler()
        random.Random(0).shuffle(missing)
        # the share is of what is missing: what was known took no time, and says nothing of the time left
        doing += f", {len(answers):,} known before" if answers else ""
        asked = 0

        def tick() -> None:
            self.tell(asked / len(missing), doing)

        try:
            with closing(_answers(task, items, missing, self.jobs, tick)) as found:
                for at, answer in found:
                    notes.add(keys[at], answer)
                    answers[at], asked = answer, asked + 1
                    tick()
        except KeyboardInterrupt:
            if notes.path is None or not answers:
                raise
            raise KeyboardInterrupt(
                f"interrupted; {len(answers):,} of {len(items):,} answers are kept, the same command goes on from there"
            ) from None
        finally:
            notes.close()
            if notes.problem and notes.problem not in self.problems:
                self.problems.append(notes.problem)
        self.tell(1.0, doing)
        return [answers[at] for at in range(len(items))]


def _answers(
    task: Task, items: Sequence[Any], missing: Sequence[int], jobs: int, tick: Callable[[], None]
) -> Generator[tuple[int, Any], None, None]:
    """Numbers of items and their answers, in any order. What takes longer than a moment gets help, even if it is the
    first item that does."""
    waiting = deque(missing)
    team = _Team(task, items, waiting, jobs)

    def get_help() -> None:
        with suppress(Exception):  # whoever listens may stop the work by an error, but not from here
            tick()
        if jobs > 1:
            team.begin()

    timer = Timer(ALONE, get_help)
    timer.daemon = True
    timer.start()
    try:
        while not team.begun.is_set():
            try:
                at = waiting.popleft()
            except IndexError:
                break
            yield at, _as_json(task(items[at]))
        timer.cancel()
        timer.join()
        yield from team.answers(tick)
    finally:
        timer.cancel()
        timer.join()
        team.end()


def _load_compiler() -> None:
    """Where there are two solvers, one compiled and one that is ready sooner, which one answers must not depend on what
    this process did before: last digits may differ, and a study has the same answers whoever gives them."""
    import numba  # noqa: F401


def _as_json(answer: Any) -> Any:
    """As it would be read back, so that an answer is the same whether it was kept or not."""
    return json.loads(json.dumps(answer))


# ---- other processes


class _Member:
    """Another process, and a pipe to it: lists of items go in, answers come out one by one."""

    def __init__(self, task: Task) -> None:
        context = get_context("spawn")  # the same on every system, and safe where there are threads
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=_serve, args=(task, other), daemon=True)
        self.process.start()
        other.close()  # or the end of the process would not be noticed
        self.chunk, self.due, self.since = 1, 0, 0.0

    def hand(self, chunk: list[tuple[int, Any]]) -> None:
        if chunk:
            self.due, self.since = len(chunk), time.monotonic()
            with suppress(OSError):  # it is gone: `take` says so
                self.pipe.send(chunk)

    def take(self) -> tuple[int, Any]:
        try:
            at, answer, error = self.pipe.recv()
        except (EOFError, OSError):
            self.process.join(5)
            raise LimitError(
                f"a process that worked for this study ended too early (exit code {self.process.exitcode}); "
                "perhaps memory has run out: start again with fewer --jobs"
            ) from None
        if error is not None:
            raise error
        self.due -= 1
        if not self.due:  # many quick items at a time, slow ones singly
            took = time.monotonic() - self.since
            self.chunk = 2 * self.chunk if took < CHUNK / 2 else max(1, self.chunk // 2) if took > CHUNK else self.chunk
        return at, answer


class _Team:
    """Several processes at the items that wait."""

    def __init__(self, task: Task, items: Sequence[Any], waiting: deque[int], jobs: int) -> None:
        self.task, self.items, self.waiting, self.jobs = task, items, waiting, jobs
        self.members: list[_Member] = []
        self.begun = Event()

    def begin(self) -> None:
        """Start the processes; called in a thread of its own, which Ctrl-C does not reach, nor what it starts."""
        with suppress(OSError):  # no more processes may be started: those that are there do the work
            if hasattr(signal, "pthread_sigmask"):
                from multiprocessing import resource_tracker

                resource_tracker.ensure_running()  # when it starts it lets interrupts through again
                signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            while self.waiting and len(self.members) < self.jobs:
                member = _Member(self.task)
                self.members.append(member)
                self._give(member)
        if self.members:
            self.begun.set()

    def _give(self, member: _Member) -> None:
        chunk: list[tuple[int, Any]] = []
        with suppress(IndexError):
            while len(chunk) < max(1, min(member.chunk, len(self.waiting) // (2 * self.jobs))):
                at = self.waiting.popleft()
                chunk.append((at, self.items[at]))
        member.hand(chunk)

    def answers(self, tick: Callable[[], None]) -> Iterator[tuple[int, Any]]:
        while busy := {member.pipe: member for member in self.members if member.due}:
            ready = connection.wait(list(busy), TICK)
            if not ready:
                tick()
            for pipe in ready:
                member = busy[pipe]  # type: ignore[index]
                yield member.take()
                if not member.due:
                    self._give(member)

    def end(self) -> None:
        for member in self.members:
            member.process.terminate()
        for member in self.members:
            member.process.join()
            member.pipe.close()
            member.process.close()


def _serve(task: Task, pipe: connection.Connection) -> None:
    """What another process does until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that the user started
    Thread(target=_end_with_parent, daemon=True).start()
    _load_compiler()
    with suppress(EOFError, OSError):
        while True:
            for at, item in pipe.recv():
                try:
                    pipe.send((at, _as_json(task(item)), None))
                except BaseException as error:
                    pipe.send((at, None, _portable(error)))
                    return


def _end_with_parent() -> None:
    """A killed parent tells nobody; without it there is nobody to answer."""
    import os

    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)


def _portable(error: BaseException) -> Exception:
    """An error that another process understands, whatever class it is of, with where it comes from."""
    if type(error) is InputError or type(error) is LimitError or isinstance(error, MemoryError):
        kind: type[Exception] = type(error)
    else:
        kind = DicewiseError if isinstance(error, DicewiseError) else RuntimeError
    told = kind(str(error) if kind is not RuntimeError else f"another process {raised(error)}")
    told.add_note("".join(traceback.format_exception(error)))
    return told
