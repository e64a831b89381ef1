"""What the commands of `dicewise study` share: options, outputs, and how a study is printed."""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from dicewise.cli.common import (
    GameCommand,
    common_options,
    game_argument,
    given_parameters,
    print_json,
    print_rows,
    print_wrapped,
    progress_shown,
    say,
)
from dicewise.errors import InputError, did_you_mean
from dicewise.files import check_writable, written_whole

if TYPE_CHECKING:
    from dicewise.spec import Parameter
    from dicewise.study.result import Study, Table

PICTURES = (".png", ".svg", ".pdf")

Run = Callable[..., "Study"]


class StudyCommand(GameCommand):
    """A command whose help has the study's own options first, then the game's parameters, then the shared ones."""

    defaults: Mapping[str, str]
    """Values, or ranges, of parameters that are not given."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        def place(param: click.Parameter) -> int:
            shared = [name for name in SHARED if f"--{name}" in param.opts]
            return 2 + SHARED.index(shared[0]) if shared else int(str(param.name).startswith("param_"))

        return sorted(super().get_params(ctx), key=place)

    def default_of(self, parameter: Parameter) -> str:
        return self.defaults.get(parameter.name) or super().default_of(parameter)


def study_command(
    name: str, example: str, defaults: Mapping[str, str] | None = None, tables: Sequence[str] = ()
) -> Callable[[Run], click.Command]:
    """Make a study of a GAME a command: a function of its rulesets and of where to work, with options of its own.

    `defaults` are the values, or ranges, of parameters that are not given. `tables` are the names of all tables that
    the study may have: others are then refused before any work is done.
    """

    def decorate(run: Run) -> click.Command:
        def invoke(ctx: click.Context, game: str, **options: Any) -> None:
            from dicewise.study.rulesets import read_rulesets

            rulesets = read_rulesets(game, given_parameters(ctx), defaults)
            carry_out(partial(run, rulesets), tables, **options)

        invoke.__doc__ = run.__doc__
        with_game = game_argument(output_options(click.pass_context(invoke)))
        with_game.__click_params__ = [*getattr(run, "__click_params__", []), *with_game.__click_params__]
        made = click.command(name, cls=StudyCommand, epilog=f"Example: {example}")(with_game)
        made.defaults = defaults or {}
        return made

    return decorate


def output_options(function: Any) -> Any:
    """--format, --table, -o, --jobs, --fresh, and what all commands have."""
    for option in (
        click.option("--fresh", is_flag=True, help="Ask everything again, also what earlier runs have kept."),
        click.option("--jobs", type=click.IntRange(1), help="Processes to work with [default: one per core]"),
        click.option(
            "-o",
            "--output",
            metavar="FILE",
            multiple=True,
            help="Also write a .csv, .png, .svg or .pdf; may be repeated.",
        ),
        click.option("--table", metavar="NAME", help="Which table is written as CSV [default: the first]"),
        click.option("--format", "form", type=click.Choice(("table", "csv")), default="table", help="What is printed."),
    ):
        function = option(function)
    return common_options(function)


SHARED = ("format", "table", "output", "jobs", "fresh", "json", "quiet", "debug", "help")
"""The options of every study."""


def carry_out(
    study: Callable[..., Study],
    tables: Sequence[str] = (),
    *,
    form: str,
    table: str | None,
    output: tuple[str, ...],
    jobs: int | None,
    fresh: bool,
    as_json: bool,
    quiet: bool,
    **own: Any,
) -> None:
    """Run a study, write its files, print it. What can be refused at once is refused before any work is done."""
    from dicewise.study.kept import studies_folder
    from dicewise.study.work import Work

    if as_json and form == "csv":
        raise InputError("--json and --format csv both say what is printed; give one of them")
    if table is not None and form != "csv" and not any(path.lower().endswith(".csv") for path in output):
        raise InputError(f"--table {table} says what a CSV holds; add --format csv, or -o FILE.csv")
    if table is not None and tables:
        _check_table(table, tables)
    output = tuple({Path(path).absolute(): path for path in output}.values())  # a file that is named twice is one
    for path in output:
        _check_output(path)
    with progress_shown(quiet) as progress:
        work = Work(jobs or cores(), folder=studies_folder(), fresh=fresh, progress=progress)
        found = study(work, **own)
    for problem in work.problems:
        say(problem, quiet)
    if table is not None:
        _check_table(table, [each.name for each in found.tables])
    if found.chart is None and any(Path(path).suffix.lower() in PICTURES for path in output):
        raise InputError(f"study {found.name} has no picture of {found.game}; write a .csv")
    chosen = found.table(table) if table else found.tables[0]
    for path in output:
        _write(found, chosen, path)
        say(f"wrote {path}", quiet)
    if as_json:
        print_json(found.game, **found.as_dict())
    elif form == "csv":
        _write_csv(chosen, sys.stdout)
    else:
        _print(found)


def _check_table(name: str, known: Sequence[str]) -> None:
    if name not in known:
        raise InputError(
            f"this study has no table {name!r}; it has: {', '.join(known)}{did_you_mean(name, list(known))}"
        )


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _check_output(path: str) -> None:
    """Refuse a file that cannot be written, before any work is done for it."""
    ending = Path(path).suffix.lower()
    if ending in PICTURES:
        from dicewise import plot

        plot.check_path(path)
        plot.check_matplotlib()
    elif ending == ".csv":
        check_writable(path)
    else:
        raise InputError(f"output {path!r} is of no known kind; its name must end in .csv, {', '.join(PICTURES)}")


def _write(study: Study, table: Table, path: str) -> None:
    if Path(path).suffix.lower() in PICTURES:
        from dicewise import plot

        assert study.chart is not None
        plot.save_chart(study.chart, path)
    else:
        with written_whole(path) as unfinished, open(unfinished, "w", encoding="utf-8", newline="") as file:
            _write_csv(table, file)


def _write_csv(table: Table, file: IO[str]) -> None:
    writer = csv.DictWriter(file, list(table.columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(table.rows())


def _print(study: Study) -> None:
    print(f"{study.name}: {study.game}")
    for table in study.tables:
        if not table.shown:
            continue
        rows = table.printed()
        print()
        if table.title:
            print_wrapped(table.title)
        print_rows(list(table.shown), rows, right=_numbers(table))
        if len(rows) < len(table):
            print(f"({len(rows)} of {len(table):,} rows; --json and CSV have all)")
    print()
    for sentence in study.findings:
        print_wrapped(sentence)


def _numbers(table: Table) -> list[str]:
    """The columns that are written to the right."""
    return [name for name in table.shown if not any(isinstance(value, str | bool) for value in table.columns[name])]
