"""`dicewise plot`."""

from __future__ import annotations

import click

from dicewise.cli.common import GameCommand, common_options, game_argument, print_json, say, solved, the_game

VIEWS = ("heatmaps", "graph")


@click.command(cls=GameCommand, epilog="Example: dicewise plot greed --max 50 -o greed.png")
@game_argument
@click.option(
    "--view",
    type=click.Choice(VIEWS),
    help="What to draw [default: heatmaps of greed for two players, the graph of other games]",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Where to: .png, .svg or .pdf [default: a .png named after the game]",
)
@click.option("--dpi", default=150, show_default=True, type=click.IntRange(20, 1200), help="Dots per inch of a .png.")
@common_options
@click.pass_context
def command(
    ctx: click.Context, game: str, view: str | None, output: str | None, dpi: int, as_json: bool, quiet: bool
) -> None:
    """Draw the solution of GAME: Greed for two players as heatmaps, any small game as a graph."""
    from dicewise import plot

    rules = the_game(ctx)
    path = output or f"{rules.file_stem}.png"
    plot.check_game(rules, view)
    plot.check_path(path)
    solution, _ = solved(rules, quiet)
    plot.save(solution, path, view=view, dpi=dpi)
    if as_json:
        print_json(rules.spec, view=view or plot.default_view(rules), output=path)
    else:
        say(f"wrote {path}", quiet)
