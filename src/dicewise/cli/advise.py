"""`dicewise advise`."""

from __future__ import annotations

import shutil
import sys
from typing import Any

import click

from dicewise.cli.common import (
    GameCommand,
    common_options,
    game_argument,
    print_json,
    solved,
    state_argument,
    the_game,
)
from dicewise.game import read_position, spoken

ROWS = 10


@click.command(cls=GameCommand, epilog="Example: dicewise advise greed 85 70 last")
@game_argument
@state_argument
@click.option("--all", "show_all", is_flag=True, help=f"Show every action, not only the best {ROWS}.")
@common_options
@click.pass_context
def command(ctx: click.Context, game: str, state: str, show_all: bool, as_json: bool, quiet: bool) -> None:
    """Rank the actions at STATE in GAME: what each is worth, and what it gives away.

    STATE is the position in the game's words, the player to move first: `85 70`, `85 70 last`. Without STATE it is the
    start.
    """
    from dicewise.engine.reading import start_of

    rules = the_game(ctx)
    position = read_position(rules, state) if state else start_of(rules)
    solution, _ = solved(rules, quiet, details_up_to=sys.maxsize)
    text = spoken(rules, "text", position)
    choices = solution.choices(position)
    value, why = float(solution.value(position)), solution.why(position)
    if as_json:
        rows: list[dict[str, Any]] = [
            {
                "action": spoken(rules, "label", choice.action),
                "value": float(choice.value),
                "loss": float(choice.loss),
                **{key: float(number) for key, number in solution.details(position, choice.action).items()},
            }
            for choice in choices
        ]
        print_json(rules.spec, state=text, value=value, why=why, choices=rows)
        return
    print(f"{rules.spec} at {text}: worth {value:.6f} to the player to move")
    if choices:
        shown = choices if show_all else choices[:ROWS]
        _print_table(
            [
                {
                    "action": spoken(rules, "label", choice.action),
                    "value": f"{float(choice.value):.6f}",
                    "loss": _loss(float(choice.loss)),
                    **solution.in_brief(position, choice.action),
                }
                for choice in shown
            ]
        )
        if len(shown) < len(choices):
            print(f"... and {len(choices) - len(shown)} more that give away more (--all shows them)")
    print(why)


def _print_table(rows: list[dict[str, str]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in rows[0]:
        table.add_column(name, justify="right")
    for at, row in enumerate(rows):
        table.add_row(*row.values(), style="bold" if at == 0 else None)
    # numbers cut short would be worse than lines that a narrow terminal wraps
    Console(highlight=False, width=max(shutil.get_terminal_size().columns, 78)).print(table)


def _loss(loss: float) -> str:
    if loss == 0:
        return "-"
    return f"{loss:.6f}" if loss >= 5e-6 else f"{loss:.1e}"
