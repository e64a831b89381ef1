"""`dicewise solve`."""

from __future__ import annotations

import csv
import json
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from dicewise._version import __version__
from dicewise.cli.common import (
    GameCommand,
    common_options,
    game_argument,
    print_json,
    progress_shown,
    say,
    solved,
    the_game,
)
from dicewise.errors import InputError
from dicewise.files import check_writable, written_whole
from dicewise.game import Game, spoken

if TYPE_CHECKING:
    from dicewise.solution import Solution

WHY_UP_TO = 1_000_000
"""States up to which the chances behind the opening move are worked out for the summary."""

FORMATS = ("table", "stdout", "csv", "json", "parquet")


@click.command(cls=GameCommand, epilog="Example: dicewise solve greed --max 50 --format csv -o policy.csv")
@game_argument
@click.option("--exact", is_flag=True, help="In exact arithmetic: every value a fraction, every tie found.")
@click.option("--trace", "traced", is_flag=True, help="Show step by step how a small game is solved.")
@click.option("--format", "form", type=click.Choice(FORMATS), help="Write all states, in this form.")
@click.option("-o", "--output", metavar="FILE", help="Where all states are written; - is the terminal.")
@click.option("--gamma", metavar="FACTOR", help="Discount what comes after each move by this factor, such as 0.95.")
@click.option("--theta", type=float, help="Plain value iteration, until a sweep changes no value by this much.")
@click.option("--plan", "planned", is_flag=True, help="Only say how large a table in layers is, and whether it fits.")
@click.option("--resume", is_flag=True, help="Go on where an earlier run in layers was stopped or killed.")
@click.option("--no-store", is_flag=True, help="Solve even if the solution is kept already, and do not keep it.")
@common_options
@click.pass_context
def command(
    ctx: click.Context,
    game: str,
    exact: bool,
    traced: bool,
    form: str | None,
    output: str | None,
    gamma: str | None,
    theta: float | None,
    planned: bool,
    resume: bool,
    no_store: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Solve GAME and say how to open it, what that is worth, and how sure that is.

    --format writes all states: `table` and `stdout` for people, `csv` (named after the game unless -o is given),
    `json` and `parquet` for programs. --trace shows backward induction as one would write it on a board. --gamma and
    --theta are for teaching: another game, and a method without proof. Games whose tables are large (hoot-owl) are
    solved in layers: --plan says beforehand what that takes, --resume goes on after a break.
    """
    rules = the_game(ctx)
    if planned:
        from dicewise.cli.plan import print_plan

        print_plan(rules, as_json)
        return
    if resume and (no_store or exact or gamma is not None or theta is not None):
        raise InputError("--resume goes on with layers in the store; leave out --no-store, --exact, --gamma, --theta")
    if output is not None and form is None:
        form = _form_of(output)
    if as_json and form is not None:
        raise InputError("--json prints the summary and --format writes all states; give one of them")
    if traced and form is not None:
        raise InputError("--trace prints steps and --format writes all states; give one of them")
    if traced and theta is not None:
        raise InputError("--trace shows equations that hold, and sweeps with --theta only come near; give one of them")
    target = _target(rules, form, output)
    if traced:
        from dicewise.engine.trace import check_traceable

        check_traceable(rules)
    if exact or gamma is not None or theta is not None:
        from dicewise.engine.solve import solve

        factor = 1 if gamma is None else _factor(gamma)
        with progress_shown(quiet) as progress:
            solution, stored = solve(rules, exact=exact, gamma=factor, theta=theta, progress=progress), False
    else:
        says_why = form is None and not as_json and not traced
        details_up_to = WHY_UP_TO if says_why and _chooses(rules) else 0
        solution, stored = solved(
            rules, quiet, store=not no_store, details_up_to=details_up_to, resume=resume, checked=resume
        )
    if traced:
        _print_trace(solution, as_json)
    elif form is not None:
        count = WRITERS[form](solution, target)
        if target is not None:
            say(f"wrote {count:,} states to {target}", quiet)
    elif as_json:
        print_json(rules.spec, **_summary(solution, stored))
    else:
        _print_summary(solution, stored)
        if solution.report.states <= WHY_UP_TO:
            why = solution.why(rules.start())
            for caution in solution.report.cautions:  # the summary has them
                why = why.replace(f"Mind that {caution}.", "")
            print(why.rstrip())


def _print_trace(solution: Solution[Any, Any], as_json: bool) -> None:
    from dicewise.engine.trace import trace, trace_as_dict, trace_lines

    told = trace(solution)
    if as_json:
        print_json(solution.game.spec, **trace_as_dict(told))
    else:
        for line in trace_lines(told):
            print(line)


def _factor(text: str) -> Fraction:
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise InputError(f"gamma {text!r} is not a number; it is above 0 and up to 1, such as 0.95") from None


# ---- the summary


def _summary(solution: Solution[Any, Any], stored: bool) -> dict[str, Any]:
    game, report = solution.game, solution.report
    start = game.start()
    values = solution.values(start)
    value = values[game.turn(start)]
    over = not game.actions(start)
    content: dict[str, Any] = {
        "states": report.states,
        "value": float(value),
        "values": [float(entry) for entry in values],
        "action": None if over else spoken(game, "label", solution.action(start)),
        "method": report.method,
        "interests": report.interests,
        "tie_rule": report.tie_rule,
        "error_bound": report.error_bound,
        "doubts": report.doubts,
        "note": report.note,
        "cautions": list(report.cautions),
        "seconds": report.seconds,
        "stored": stored,
    }
    if report.exact:
        content["exact"] = f"{Fraction(value).numerator}/{Fraction(value).denominator}"
        content["best"] = [spoken(game, "label", action) for action in solution.best_actions(start)]
    return content


def _print_summary(solution: Solution[Any, Any], stored: bool) -> None:
    game, report = solution.game, solution.report
    content = _summary(solution, stored)
    rows = [("value of the start", f"{content['value']:.12g}{_for_whom(game, report.interests == 'team')}")]
    if report.exact:
        rows.append(("exactly", _short(content["exact"])))
    rows.append(("opening move", _opening(solution)))
    if report.exact and len(content["best"]) > 1:
        rows.append(("equally good", ", ".join(content["best"])))
    if game.players > 1 and report.interests != "team":
        rows.append(("favoured", _favoured(content["values"])))
    rows.append(("states", f"{report.states:,}"))
    rows.append(("method", f"{report.method}; {report.interests}"))
    rows.append(("time", f"{report.seconds:.3g} s" + (", when it was solved; now from the store" if stored else "")))
    if report.note:
        rows.append(("error bound", f"none: {report.note}"))
    else:
        rows.append(("error bound", _bound(report.error_bound, report.exact)))
    if report.doubts:
        rows.append(("in doubt", f"{report.doubts:,} states have options too close to tell apart; --exact decides"))
    print(game.spec)
    rows += [("mind", caution) for caution in report.cautions]
    for name, text in rows:
        print(textwrap.fill(f"  {name:<19} {text}", 80, subsequent_indent=" " * 22, break_on_hyphens=False))


def _opening(solution: Solution[Any, Any]) -> str:
    game = solution.game
    actions = list(game.actions(game.start()))
    if not actions:
        return "none, the game is over"
    label = spoken(game, "label", solution.action(game.start()))
    return label if len(actions) > 1 else f"{label} (nothing to choose)"


def _for_whom(game: Game[Any, Any], team: bool) -> str:
    return " to the player who moves first" if game.players > 1 and not team else ""


def _short(exact: str) -> str:
    if len(exact) <= 60:
        return exact
    return f"a fraction of {len(exact):,} characters (--json prints it)"


def _favoured(values: list[float]) -> str:
    best = max(values)
    if best - min(values) <= 1e-12 * max(1.0, abs(best)):
        return "nobody"
    names = ("the first player", "the second player", "the third player")
    seat = values.index(best)
    return names[seat] if seat < len(names) else f"player {seat + 1}"


def _bound(bound: float | None, exact: bool) -> str:
    if exact:
        return "0: all values are exact"
    return "none: ties are judged in floating point, --exact decides" if bound is None else f"{bound:.2g}"


# ---- all states


def _form_of(output: str) -> str:
    ending = Path(output).suffix.lower().lstrip(".")
    if ending not in ("csv", "json", "parquet"):
        raise InputError(f"output {output!r} does not say its form; add --format {'|'.join(FORMATS)}")
    return ending


def _target(game: Game[Any, Any], form: str | None, output: str | None) -> Path | None:
    """The file to write, found out and tried before any work is done; None is the terminal."""
    if form is None:
        return None
    if output is None:
        output = f"{game.file_stem}.{form}" if form in ("csv", "parquet") else "-"
    if output == "-":
        if form == "parquet":
            raise InputError("parquet is not for the terminal; name a file with -o")
        return None
    if form == "parquet":
        _pyarrow()
    check_writable(output)
    return Path(output)


@contextmanager
def _opened(target: Path | None) -> Iterator[IO[str]]:
    if target is None:
        yield sys.stdout
        return
    with written_whole(target) as temporary, open(temporary, "w", encoding="utf-8", newline="") as file:
        yield file


CHUNK = 100_000
"""Rows in the making at a time: a table of 200 million states would not fit the memory as Python objects."""


def _rows(columns: dict[str, Any]) -> Iterator[Iterator[tuple[Any, ...]]]:
    """The rows of a table as Python values, in chunks."""
    for start in range(0, _count(columns), CHUNK):
        yield zip(*(_values(column, start) for column in columns.values()), strict=True)


def _count(columns: dict[str, Any]) -> int:
    return len(next(iter(columns.values())))


def _values(column: Any, start: int) -> list[Any]:
    """A chunk of a column as Python values that CSV and JSON can express."""
    part = column[start : start + CHUNK]
    values = part.tolist() if hasattr(part, "tolist") else part
    return [float(value) if isinstance(value, Fraction) else value for value in values]


def _word(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value


def _write_csv(solution: Solution[Any, Any], target: Path | None) -> int:
    columns = solution.table()
    with _opened(target) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for rows in _rows(columns):
            writer.writerows([_word(value) for value in row] for row in rows)
    return _count(columns)


def _write_json(solution: Solution[Any, Any], target: Path | None) -> int:
    head, columns = {"schema": 1, "version": __version__, "game": solution.game.spec}, solution.table()
    with _opened(target) as file:
        file.write(json.dumps(head)[:-1] + ', "columns": {')
        for at, (name, column) in enumerate(columns.items()):
            file.write(f"{', ' if at else ''}{json.dumps(name)}: [")
            for start in range(0, len(column), CHUNK):
                file.write((", " if start else "") + json.dumps(_values(column, start))[1:-1])
            file.write("]")
        file.write("}}\n")
    return _count(columns)


def _write_lines(solution: Solution[Any, Any], target: Path | None) -> int:
    count = 0
    with _opened(target) as file:
        for line in solution.lines():
            file.write(f"{line}\n")
            count += bool(line)  # a blank line is no state
    return count


def _write_table(solution: Solution[Any, Any], target: Path | None) -> int:
    columns = solution.table()
    widths = [len(name) for name in columns]
    for rows in _rows(columns):
        for row in rows:
            widths = [max(width, len(str(_word(value)))) for width, value in zip(widths, row, strict=True)]
    with _opened(target) as file:
        file.write("  ".join(name.rjust(width) for name, width in zip(columns, widths, strict=True)) + "\n")
        for rows in _rows(columns):
            for row in rows:
                words = (str(_word(value)).rjust(width) for value, width in zip(row, widths, strict=True))
                file.write("  ".join(words) + "\n")
    return _count(columns)


def _write_parquet(solution: Solution[Any, Any], target: Path | None) -> int:
    pyarrow, parquet = _pyarrow()
    assert target is not None  # it is refused for the terminal
    columns = {
        name: column
        if hasattr(column, "dtype")
        else [v for s in range(0, len(column), CHUNK) for v in _values(column, s)]
        for name, column in solution.table().items()
    }
    table = pyarrow.table(columns).replace_schema_metadata({"dicewise": __version__, "game": solution.game.spec})
    with written_whole(target) as temporary:
        parquet.write_table(table, temporary)
    return _count(columns)


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise InputError("parquet needs pyarrow: pip install 'dicewise[parquet]'") from None
    return pyarrow, parquet


WRITERS: dict[str, Callable[[Solution[Any, Any], Path | None], int]] = {
    "table": _write_table,
    "stdout": _write_lines,
    "csv": _write_csv,
    "json": _write_json,
    "parquet": _write_parquet,
}


def _chooses(rules: Game[Any, Any]) -> bool:
    """Whether there is anything to choose at the start, which `why` would speak of."""
    try:
        return len(rules.actions(rules.start())) > 1
    except Exception:  # whoever solves it has the words for what is wrong
        return True
