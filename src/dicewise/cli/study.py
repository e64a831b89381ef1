"""`dicewise study`."""

from __future__ import annotations

import csv
import sys
import textwrap
from math import isfinite
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from dicewise.cli.common import (
    Commands,
    GameCommand,
    common_options,
    game_argument,
    print_json,
    progress_shown,
    say,
    the_game,
)
from dicewise.errors import InputError
from dicewise.files import check_writable, written_whole

if TYPE_CHECKING:
    from dicewise.study.discount import DiscountStudy

PICTURES = (".png", ".svg", ".pdf")
GAMMA, THETA = "0.88,0.9,0.92,0.94,0.95,0.96,0.97,0.98,0.99,0.998", "0.01,0.1,1,5"


@click.group(cls=Commands, epilog="Example: dicewise study discount hold-dice", invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Ask a question of many solutions."""
    if ctx.invoked_subcommand is None:
        raise click.UsageError("study needs a name: discount; for example 'dicewise study discount hold-dice'")


@command.command(
    "discount",
    cls=GameCommand,
    epilog="Example: dicewise study discount hold-dice --dice 4 -o tuning.png",
)
@game_argument
@click.option("--gamma", default=GAMMA, metavar="GRID", help=f"Discounts: a list, or FROM:TO:STEP [default: {GAMMA}]")
@click.option("--theta", default=THETA, metavar="GRID", help=f"Where to stop: likewise [default: {THETA}]")
@click.option("--games", default=10_000, show_default=True, type=int, help="Games to play with each policy.")
@click.option("--seed", default=1, show_default=True, type=int, help="The same seed plays the same games everywhere.")
@click.option("--exact", is_flag=True, help="The exact scores as fractions, too (in JSON and CSV).")
@click.option("--format", "form", type=click.Choice(("table", "csv")), default="table", help="What is printed.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    multiple=True,
    help="Also write a .csv, .png, .svg or .pdf; may be repeated.",
)
@common_options
@click.pass_context
def discount(
    ctx: click.Context,
    game: str,
    gamma: str,
    theta: str,
    games: int,
    seed: int,
    exact: bool,
    form: str,
    output: tuple[str, ...],
    as_json: bool,
    quiet: bool,
) -> None:
    """Tune a discounted value iteration of GAME (hold-dice) as its source did, and say what is noise.

    For every gamma and theta: the exact mean score of the policy that comes out, and that of games played with it.
    """
    from dicewise.games.hold_dice import HoldDice
    from dicewise.study.discount import grid, study_discount

    rules = the_game(ctx)
    if not isinstance(rules, HoldDice):
        raise InputError(f"study discount is about hold-dice, not {rules.name}; write 'study discount hold-dice'")
    if as_json and form == "csv":
        raise InputError("--json and --format csv both say what is printed; give one of them")
    gammas, thetas = grid("gamma", gamma), grid("theta", theta)
    for path in output:
        _check_output(path)
    with progress_shown(quiet) as progress:
        study = study_discount(rules, gammas, thetas, games=games, seed=seed, exact=exact, progress=progress)
    for path in output:
        if Path(path).suffix.lower() in PICTURES:
            _draw(study, path)
        else:
            with written_whole(path) as unfinished, open(unfinished, "w", encoding="utf-8", newline="") as file:
                _write_csv(study, file)
        say(f"wrote {path}", quiet)
    if as_json:
        rows = [{name: _finite(value) for name, value in row.as_dict().items()} for row in study.settings]
        print_json(study.game, games=games, seed=seed, optimum=study.optimum, findings=study.findings(), settings=rows)
    elif form == "csv":
        _write_csv(study, sys.stdout)
    else:
        _print_table(study)


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


def _finite(value: Any) -> Any:
    """JSON has no infinity."""
    return None if isinstance(value, float) and not isfinite(value) else value


def _write_csv(study: DiscountStudy, file: IO[str]) -> None:
    rows = [setting.as_dict() for setting in study.settings]
    writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def _print_table(study: DiscountStudy) -> None:
    print(study.game)
    print(f"value iteration with a discount; {study.games:,} games of each policy, seed {study.seed}")
    print(" gamma    theta  sweeps      exact    simulated   s.e.   off by       time")
    for row in study.settings:
        cells = f"{row.gamma:6.4g} {row.theta:8.4g} {row.sweeps:7,}"
        if row.simulated is None or not row.standard_error:
            print(f"{cells}   {_score(row.score)}  (games take too long)      {row.seconds:9.2g} s")
            continue
        off = (row.simulated - row.score) / row.standard_error
        print(
            f"{cells} {row.score:10.5f}  {row.simulated:10.4f} {row.standard_error:6.3f} {off:+5.1f} s.e. "
            f"{row.seconds:8.2g} s"
        )
    print()
    for sentence in study.findings():
        print(textwrap.fill(sentence, 79))


def _score(score: float) -> str:
    return "never ends" if score == float("-inf") else f"{score:.5f}"


def _draw(study: DiscountStudy, path: str) -> None:
    from dicewise import plot

    title = f"Tuning a discount: {study.game}"
    by_theta = len({row.gamma for row in study.settings}) == 1 and len(study.settings) > 1
    groups: dict[float, list[Any]] = {}
    for row in study.settings:
        groups.setdefault(row.gamma if by_theta else row.theta, []).append(row)
    name, other = ("gamma", "theta") if by_theta else ("theta", "gamma")
    lines = [
        plot.Line(
            f"{name} {value:g}",
            [getattr(row, other) for row in rows],
            [row.score for row in rows],
            [row.simulated for row in rows],
            [row.standard_error for row in rows],
        )
        for value, rows in groups.items()
    ]
    foot = [line for sentence in study.findings() for line in textwrap.wrap(sentence, 148)]
    axis = "theta: a sweep that changes less is the last" if by_theta else "gamma: the discount of each step"
    plot.save_tuning(plot.tuning_figure(title, axis, lines, study.optimum, foot), path, title)
