"""`dicewise check`."""

from __future__ import annotations

import click

from dicewise.cli.common import (
    GameCommand,
    common_options,
    game_argument,
    print_json,
    progress_shown,
    the_game,
)


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
        print_json(
            report.game,
            ok=report.ok,
            states=report.states,
            complete=report.complete,
            ends=report.ends,
            transitions=report.transitions,
            problems=list(report.problems),
        )
    else:
        scope = "all" if report.complete else "the first"
        print(f"{report.game}: looked at {scope} {report.states:,} states, {report.transitions:,} transitions")
        for problem in report.problems:
            print(f"  wrong: {problem}")
        print("  nothing is wrong" if report.ok else f"  {len(report.problems)} problem(s)")
    return 0 if report.ok else 1
