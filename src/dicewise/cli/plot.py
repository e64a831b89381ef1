"""`dicewise plot`."""

from __future__ import annotations

import click

from dicewise.cli.common import GameCommand, common_options, game_argument, print_json, say, solved, the_game


@click.command(cls=GameCommand, epilog="Example: dicewise plot greed --max 50 -o greed.png")
@game_argument
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Where to: .png, .svg or .pdf [default: a .png named after the game]",
)
@click.option("--dpi", default=150, show_default=True, type=click.IntRange(20, 1200), help="Dots per inch of a .png.")
@common_options
@click.pass_context
def command(ctx: click.Context, game: str, output: str | None, dpi: int, as_json: bool, quiet: bool) -> None:
    """Draw the solution of GAME."""
    from dicewise import plot

    rules = the_game(ctx)
    path = output or f"{rules.file_stem}.png"
    plot.check_game(rules)
    plot.check_path(path)
    solution, _ = solved(rules, quiet)
    plot.save(solution, path, dpi=dpi)
    if as_json:
        print_json(rules.spec, output=path)
    else:
        say(f"wrote {path}", quiet)
