"""What the commands share: a game and its options, progress, JSON."""

from __future__ import annotations

import dataclasses
import json
import math
import re
import shutil
import sys
import textwrap
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar

import click

from dicewise._version import __version__
from dicewise.errors import DicewiseError, did_you_mean
from dicewise.game import Game, Progress
from dicewise.games import GAMES, find_game, find_rules
from dicewise.spec import Parameter, parameters

if TYPE_CHECKING:
    from dicewise.solution import Solution

F = TypeVar("F", bound=Callable[..., Any])

_NUMBER = re.compile(r"-\d.*")
_GUARD = "\0"
"""Put before words such as -5, which click would take for options."""

_GAME, _GIVEN = "dicewise.game", "dicewise.given"


class Commands(click.Group):
    """A group that names its commands when an unknown one is asked for."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        known = self.list_commands(ctx)
        if args and args[0] not in known and not ctx.resilient_parsing:
            raise click.UsageError(
                f"command {args[0]!r} is not known; known: {', '.join(known)}{did_you_mean(args[0], known)}"
            )
        return super().resolve_command(ctx, args)


class GameCommand(click.Command):
    """A command about a game, whose parameters are options: `dicewise solve greed --max 50`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_GIVEN] = {}
        words = self._words(args)
        if ctx.resilient_parsing or {"--help", "-h"} & set(args):  # help, or a shell that completes
            with suppress(DicewiseError, IndexError):
                ctx.meta[_GAME] = find_rules(args[words[0]])[0]
        elif words:
            ctx.meta[_GAME] = find_rules(args[words[0]])[0]
        else:
            raise click.UsageError(f"GAME is missing: a name ({', '.join(GAMES)}), a spec, or path/file.py:Class")
        guarded = {at for at in words if _NUMBER.fullmatch(args[at])}
        return super().parse_args(ctx, [_GUARD + arg if at in guarded else arg for at, arg in enumerate(args)])

    def _words(self, args: list[str]) -> list[int]:
        """Where the words stand that are neither options nor options' values."""
        flags = {name for param in self.params if getattr(param, "is_flag", False) for name in param.opts}
        flags |= {"--help", "-h"}
        found = []
        skip = only_words = False
        for at, arg in enumerate(args):
            if skip:
                skip = False
            elif only_words or not arg.startswith("-") or _NUMBER.fullmatch(arg) or arg == "-":
                found.append(at)
            elif arg == "--":
                only_words = True
            elif arg.startswith("--"):
                skip = arg not in flags and "=" not in arg
            else:  # -o FILE, or -oFILE
                skip = arg not in flags and len(arg) == 2
        return found

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        params = super().get_params(ctx)
        if _GAME not in ctx.meta:
            return params
        rules = ctx.meta[_GAME]
        taken = {name for param in params for name in param.opts}
        own = [
            click.Option(
                [parameter.option, "param_" + parameter.name],
                metavar="VALUE",
                expose_value=False,
                callback=_note(parameter.name),
                help=f"{rules.name}: {parameter.help or parameter.name} [default: {self.default_of(parameter)}]",
            )
            for parameter in parameters(rules)
            if parameter.option not in taken
        ]
        return params[:-1] + own + params[-1:]

    def default_of(self, parameter: Parameter) -> str:
        """What a parameter is that is not given, in words."""
        return shown(parameter.default)


def _note(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    def note(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
        if value is not None:
            ctx.meta[_GIVEN][name] = value

    return note


def shown(default: Any) -> str:
    """A parameter's default in words."""
    if default is dataclasses.MISSING:
        return "none, it must be given"
    if default is None:
        return "left to the rules"
    if isinstance(default, tuple):
        return ",".join(map(str, default)) or "none"
    return "none" if default == "" else str(default)


def given_parameters(ctx: click.Context) -> dict[str, str]:
    """The parameters of the game that were given as options, as texts."""
    return dict(ctx.meta[_GIVEN])


def the_game(ctx: click.Context) -> Game[Any, Any]:
    """The game that the command is about, with its options."""
    return find_game(ctx.params["game"], **given_parameters(ctx))


def game_argument(function: F) -> F:
    """GAME: a name, a spec or a user's file."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        return [name for name in GAMES if name.startswith(incomplete)]

    return click.argument("game", metavar="GAME", shell_complete=complete)(function)


def state_argument(function: F) -> F:
    """STATE: a position in the game's words."""

    def join(ctx: click.Context, param: click.Parameter, words: tuple[str, ...]) -> str:
        return " ".join(word.removeprefix(_GUARD) for word in words)

    return click.argument("state", metavar="STATE...", nargs=-1, callback=join)(function)


def common_options(function: F) -> F:
    """--json, --quiet, --debug."""
    function = click.option("--debug", is_flag=True, expose_value=False, help="Show the whole traceback of an error.")(
        function
    )
    function = click.option("--quiet", is_flag=True, help="No progress and no messages on stderr, only errors.")(
        function
    )
    return click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")(function)


def is_quiet(quiet: bool) -> bool:
    """Whether --quiet stands before or behind the command, or there is no stderr to speak to."""
    root = click.get_current_context().find_root()
    return quiet or bool(root.params.get("quiet")) or sys.stderr is None


def say(message: str, quiet: bool) -> None:
    """A message on stderr."""
    if not is_quiet(quiet):
        print("dicewise:", message, file=sys.stderr)


def print_json(game: str | None, **content: Any) -> None:
    """A result for programs."""
    head: dict[str, Any] = {"schema": 1, "version": __version__}
    if game is not None:
        head["game"] = game
    print(json.dumps(head | content, indent=2))


def print_rows(
    heads: list[str], rows: list[list[str]], *, right: Collection[str] = (), styles: Sequence[str] = ()
) -> None:
    """A table for people; `right` names the columns of numbers, `styles` has one style for each row."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for head in heads:
        numbers = head in right
        table.add_column(Text(head), justify="right" if numbers else "left", no_wrap=numbers, overflow="fold")
    for at, row in enumerate(rows):
        table.add_row(*map(Text, row), style=styles[at] if styles else None)
    # numbers cut short would be worse than lines that a narrow terminal wraps
    Console(highlight=False, width=max(shutil.get_terminal_size().columns, 78)).print(table)


def print_wrapped(text: str) -> None:
    """A sentence, broken between words where it is read on a terminal."""
    width = shutil.get_terminal_size().columns
    print(textwrap.fill(text, max(width, 20)) if sys.stdout.isatty() else text)


def solved(
    game: Game[Any, Any],
    quiet: bool,
    *,
    store: bool = True,
    details_up_to: int = 0,
    resume: bool = True,
    checked: bool = False,
) -> tuple[Solution[Any, Any], bool]:
    """What `recall_or_solve` gives; long work shows its progress, and a store that keeps nothing is mentioned."""
    from dicewise.engine.recall import recall_or_solve
    from dicewise.store import Store

    shelf = Store() if store else None
    with progress_shown(quiet) as progress:
        answer = recall_or_solve(
            game, shelf, details_up_to=details_up_to, resume=resume, checked=checked, progress=progress
        )
    if shelf is not None and shelf.problem:
        say(shelf.problem, quiet)
    return answer


@contextmanager
def progress_shown(quiet: bool) -> Iterator[Progress | None]:
    """A progress bar on stderr for work that takes longer than a moment; lines where stderr is no terminal."""
    if is_quiet(quiet):
        yield None
        return
    shown = _Bar() if sys.stderr.isatty() else _Lines()
    try:
        yield shown
    finally:
        shown.close()


class _Pace:
    """How long it takes until all is done, judged by the last minute: what was quick at first, or known before, does
    not count for long, and loading a compiler not at all."""

    def __init__(self) -> None:
        self.seen: deque[tuple[float, float]] = deque()

    def left(self, done: float, doing: str = "") -> float | None:
        """The seconds that are left, None where there is nothing to judge by, or less than a percent."""
        now = time.monotonic()
        if "compil" in doing:  # the clock starts with the work
            self.seen.clear()
            return None
        if self.seen and done < self.seen[-1][1]:  # another piece of work
            self.seen.clear()
        if not self.seen or now - self.seen[-1][0] >= 0.1:
            self.seen.append((now, done))
        while len(self.seen) > 8 and now - self.seen[0][0] > 60:
            self.seen.popleft()
        since, before = self.seen[0]
        return (now - since) * (1 - done) / (done - before) if done > before and done >= 0.01 else None


class _Bar:
    """A rich progress bar that appears after half a second."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.pace = _Pace()
        self.bar: Any = None
        self.task: Any = None

    def __call__(self, done: float, doing: str) -> None:
        left = self.pace.left(done, doing)
        if self.bar is None:
            if time.monotonic() - self.started < 0.5 and "compil" not in doing:
                return
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

            self.bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.percentage:>3.0f} %"),
                TimeElapsedColumn(),
                TextColumn("{task.fields[left]}"),
                console=Console(stderr=True),
                transient=True,
            )
            self.bar.start()
            self.task = self.bar.add_task(doing, total=1.0, left="")
        words = "" if left is None else f"left {timedelta(seconds=math.ceil(left))}"
        self.bar.update(self.task, completed=done, description=doing, left=words)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.stop()


class _Lines:
    """A line every ten seconds."""

    def __init__(self) -> None:
        self.last = time.monotonic()
        self.pace = _Pace()
        self.doing = ""

    def __call__(self, done: float, doing: str) -> None:
        now, left = time.monotonic(), self.pace.left(done, doing)
        if "compil" in doing and doing != self.doing:
            print(f"dicewise: {doing}", file=sys.stderr)
        elif now - self.last >= 10:
            words = "" if left is None else f", about {left:.0f} s left"
            print(f"dicewise: {doing}, {done:.0%}{words}", file=sys.stderr)
            self.last = now
        self.doing = doing

    def close(self) -> None:
        pass
