"""`dicewise plot`."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from dicewise.cli.common import (
    GameCommand,
    common_options,
    game_argument,
    given_parameters,
    print_json,
    progress_shown,
    say,
    solved,
    the_game,
)
from dicewise.errors import InputError
from dicewise.game import Game, read_position
from dicewise.games import GAMES, find_game, find_rules
from dicewise.spec import read_spec

if TYPE_CHECKING:
    from dicewise.chart import Chart
    from dicewise.solution import Solution

VIEWS = (
    *("heatmap", "payoff", "dice", "last-payoff", "last-dice", "difference", "regions"),
    *("totals", "reach", "slice", "values", "scores", "graph", "sweep"),
)
FOR = {"with": ("difference",), "at": ("slice", "sweep"), "counts": ("totals",)}
"""Options that some views have."""


@click.command(cls=GameCommand, epilog="Example: dicewise plot greed --max 50 -o greed.png")
@game_argument
@click.option(
    "--view",
    type=click.Choice(VIEWS),
    metavar="VIEW",
    help=f"What to draw: {', '.join(VIEWS)} [default: heatmap of greed for two players; of other games the graph, "
    "or the values where they are too large for one]",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Where to: .png, .svg or .pdf [default: boards that are named by --view are shown in the terminal, "
    "others written to a .png named after the game]",
)
@click.option("--dpi", default=150, show_default=True, type=click.IntRange(20, 1200), help="Dots per inch of a .png.")
@click.option(
    "--with", "other", metavar="RULES", help="difference: the other ruleset, a spec or what is other: sides=8"
)
@click.option("--at", metavar="STATE", help="slice, sweep: the position that is looked at [default: the start]")
@click.option("--counts", metavar="LIST", help="totals: the numbers of dice [default: 2,3,4]")
@click.option("--csv", "table", metavar="FILE", help="Draw the solution in this file instead of solving; boards only.")
@common_options
@click.pass_context
def command(
    ctx: click.Context,
    game: str,
    view: str | None,
    output: str | None,
    dpi: int,
    other: str | None,
    at: str | None,
    counts: str | None,
    table: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Draw the solution of GAME: boards of Greed for two players, charts of any game, any small game as a graph.

    --view sweep draws the value of a position over one or two parameters that are given as ranges: --max 20:200:10.
    """
    _check_options(view, {"with": other, "at": at, "counts": counts})
    asked = _Asked(game, view, output, dpi, other, at, counts, table, not as_json, quiet)
    spec, drawn, path = (_sweep if view == "sweep" else _draw)(ctx, asked)
    if as_json:
        print_json(spec, view=drawn, output=path)
    elif path is not None:
        say(f"wrote {path}", quiet)


@dataclass(frozen=True)
class _Asked:
    """What was said on the command line."""

    game: str
    view: str | None
    output: str | None
    dpi: int
    other: str | None
    at: str | None
    counts: str | None
    table: str | None
    may_show: bool
    quiet: bool


def _check_options(view: str | None, given: dict[str, str | None]) -> None:
    for name, value in given.items():
        if value is not None and view not in FOR[name]:
            raise InputError(f"--{name} is for --view {' and --view '.join(FOR[name])}; leave it out, or name the view")


def _draw(ctx: click.Context, asked: _Asked) -> tuple[str, str, str | None]:
    """Write a picture, or show it where it is a board that was asked for by name; the spec, the view, the file."""
    from dicewise import plot

    read = None if asked.table is None else _read(ctx, asked.game, asked.table, asked.quiet)
    rules = the_game(ctx) if read is None else read.game
    view = asked.view or plot.default_view(rules)
    board = plot.check_game(rules, view).board and plot.is_board(rules)
    if read is not None and not board:
        boards = [name for name, each in plot.VIEWS.items() if each.board]
        raise InputError(f"--csv is for boards, not for the view {view}; they are: {', '.join(boards)}")
    path = None
    if not (asked.may_show and board and asked.view is not None and asked.output is None):
        named = f"{rules.file_stem}{'' if asked.view is None else '_' + view}.png"
        path = named if asked.output is None else asked.output
        plot.check_path(path)
        plot.check_matplotlib()
    if asked.view is None and view == "values":
        say(f"{rules.spec} is too large for a graph: its values are drawn; --view names other pictures", asked.quiet)
    wished: dict[str, Any] = {}
    if asked.at is not None:
        wished["at"] = read_position(rules, asked.at)
    if asked.counts is not None:
        wished["counts"] = _numbers(asked.counts)
    against = _other(rules, asked.other, read is not None) if view == "difference" else None
    if view == "totals" and path is not None:  # of dice alone: nothing is solved for it
        plot.save_chart(plot.totals_chart(rules, **wished), path, dpi=asked.dpi)
        return rules.spec, view, path
    solution = read or solved(rules, asked.quiet)[0]
    if against is not None:
        wished["other"] = solved(against, asked.quiet)[0]
    with progress_shown(asked.quiet) as progress:
        wished["progress"] = progress
        if path is not None:
            plot.save(solution, path, view=view, dpi=asked.dpi, **wished)
            return rules.spec, view, path
        chart = plot.chart(solution, view, **wished)
    _show(chart)
    return rules.spec, view, None


def _show(chart: Chart) -> None:
    from dicewise.plot.terminal import Screen, lines_of

    for line in lines_of(chart, Screen.of(sys.stdout)):
        print(line)


def _read(ctx: click.Context, game: str, table: str, quiet: bool) -> Solution[Any, Any]:
    """The solution in a file; parameters that were given say what the file does not."""
    from dicewise.games.greed import Greed
    from dicewise.games.greed.csv_file import read_csv

    rules, in_spec = find_rules(game)
    if rules is not Greed:
        raise InputError(f"--csv reads files of greed, not of {game}; write 'plot greed --csv {table}'")
    names = {*in_spec, *given_parameters(ctx)}
    full = the_game(ctx)
    found = read_csv(table, **{name: getattr(full, name) for name in names})
    if found.wrong:
        first = found.game.text(found.wrong[0])
        say(
            f"{found.file} is not of {found.game.spec}, or was changed: {len(found.wrong):,} of {found.checked:,} "
            f"payoffs are not those of their n by these rules, the first at {first!r}; it is drawn as it is",
            quiet,
        )
    return found


def _other(rules: Game[Any, Any], text: str | None, read: bool) -> Game[Any, Any]:
    """The ruleset that is subtracted: a spec, or what is other than in the first; for a file our own solution."""
    if text is None:
        if not read:
            raise InputError("a difference is of two rulesets; give the other one, as in --with sides=8")
        return rules
    name = text.partition("(")[0].strip().lower()
    if name in GAMES or "(" in text or "=" not in text:
        found = find_game(text)
    else:
        own, (_, changed) = read_spec(rules.spec)[1], read_spec(f"{rules.name}({text})")
        for one, instead in (("sides", "die"), ("die", "sides")):  # dice are given by one of the two
            if one in changed:
                own.pop(instead, None)
        found = find_game(rules.name, **(own | changed))
    from dicewise import plot

    if not plot.is_board(found):
        raise InputError(f"{found.spec} has no board to be compared; --with takes greed for two players, as sides=8")
    return found


def _numbers(text: str) -> list[int]:
    words = [word for word in re.split(r"[,\s]+", text) if word]
    if not words or not all(re.fullmatch("[0-9]{1,6}", word) for word in words):
        raise InputError(f"counts {text!r} cannot be read; write numbers of dice such as 2,3,4")
    return [int(word) for word in words]


def _sweep(ctx: click.Context, asked: _Asked) -> tuple[str, str, str | None]:
    """The chart of a sweep over the parameters that were given as ranges."""
    from dicewise import plot
    from dicewise.study.kept import studies_folder
    from dicewise.study.rulesets import read_rulesets
    from dicewise.study.sweep import sweep
    from dicewise.study.work import Work

    if asked.table is not None:
        raise InputError("--csv is one solution, and a sweep has many; leave one of them out")
    rulesets = read_rulesets(asked.game, given_parameters(ctx))
    path = f"{rulesets.games[0].name}_sweep.png" if asked.output is None else asked.output
    plot.check_path(path)
    plot.check_matplotlib()
    with progress_shown(asked.quiet) as progress:
        found = sweep(rulesets, at=asked.at or "", work=Work(folder=studies_folder(), progress=progress))
    if found.chart is None:
        raise InputError(f"there is no picture over {', '.join(rulesets.varied)}: its values are no numbers")
    plot.save_chart(found.chart, path, dpi=asked.dpi)
    return rulesets.text, "sweep", path
