"""`dicewise check`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from textwrap import fill
from typing import TYPE_CHECKING

import click

from dicewise.cli.common import (
    GameCommand,
    common_options,
    game_argument,
    print_json,
    progress_shown,
    the_game,
)
from dicewise.memory import in_words

if TYPE_CHECKING:
    from dicewise.engine.check import CheckReport
    from dicewise.engine.outlook import Outlook


@click.command(
    cls=GameCommand,
    epilog="Example: dicewise check mygame.py:MyGame. This runs the file: only check files that you trust.",
)
@game_argument
@click.option(
    "--limit",
    default=5000,
    show_default=True,
    type=click.IntRange(min=1),
    help="Look at up to so many states, and 100 times as many transitions.",
)
@common_options
@click.pass_context
def command(ctx: click.Context, game: str, limit: int, as_json: bool, quiet: bool) -> int:
    """Hold the rules of GAME against the contract of a game.

    Exit code 0 if nothing is wrong, 1 otherwise.
    """
    from dicewise.engine.check import check_game

    rules = the_game(ctx)
    with progress_shown(quiet) as progress:
        report = check_game(rules, limit=limit, progress=progress)
    if as_json:
        print_json(report.game, ok=report.ok, **{k: v for k, v in asdict(report).items() if k != "game"})
    else:
        print_report(report)
    return 0 if report.ok else 1


def print_report(report: CheckReport) -> None:
    """The facts in a few lines, then every problem in one."""
    scope = "all" if report.complete else "the first"
    print(f"{report.game}: looked at {scope} {report.states:,} states, {report.transitions:,} transitions")
    for name, words in facts(report):
        print(fill(words, 80, initial_indent=f"  {name:<11}", subsequent_indent=" " * 13, break_on_hyphens=False))
    for problem in report.problems:
        print(f"  wrong: {problem}")
    print("  nothing is wrong" if report.ok else f"  {len(report.problems)} problem(s)")


def facts(report: CheckReport) -> Iterator[tuple[str, str]]:
    """What is neither right nor wrong, but good to know."""
    outlook, so_far = report.outlook, "" if report.complete else " so far"
    if report.players is not None:
        whose = INTERESTS.get(outlook.interests) if outlook is not None else None
        yield "players", f"{report.players}, {whose}{so_far}" if whose else f"{report.players}"
    if report.parts:
        yield "parts", ", ".join(report.parts)
    if outlook is None:
        return
    if outlook.cyclic:
        yield "cycles", f"play can come back to {outlook.cyclic:,} positions{so_far}: {outlook.comes_back}"
    else:
        yield "cycles", f"none{so_far}: no position comes back"
    if not outlook.refusal:
        yield "solving", estimate(report, outlook)


def estimate(report: CheckReport, outlook: Outlook) -> str:
    """Time and memory, and how far that can be trusted."""
    size = f"about {in_time(outlook.seconds)} and {in_words(outlook.memory)}"
    if not report.complete:
        size += " for the states known so far; there may be more"
    elif outlook.at_least:
        size += " to explore it; cycles take longer, and may have no answer"
    return size + ("; by rules, that is: its kernel is quicker" if "kernel" in report.parts else "")


INTERESTS = {
    "team": "a team (all are paid the same)",
    "constant sum": "opponents (what one wins the other loses)",
    "each for itself": "each for itself",
}


def in_time(seconds: float) -> str:
    """`0.05 s`, `3 s`, `20 min`."""
    if seconds < 0.01:
        return "0.01 s"
    for size, unit in ((86400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{float(f'{seconds / size:.1g}'):g} {unit}"
    return f"{float(f'{seconds:.1g}'):g} s"
