"""`dicewise study sweep`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from dicewise.cli.study.output import study_command

if TYPE_CHECKING:
    from dicewise.study.result import Study
    from dicewise.study.rulesets import Rulesets
    from dicewise.study.work import Work


@study_command(
    "sweep", "dicewise study sweep greed --max 20:200:10 --sides 2:12 -o sweep.png", tables=("rulesets", "grid")
)
@click.option(
    *("--of", "measure"),
    metavar="WORD",
    default="value",
    show_default=True,
    help="value, margin, states, moves, decisions, sd, win, tie, lose, or a word of the game such as bust.",
)
@click.option("--at", metavar="STATE", default="", help="The position that is looked at [default: the start]")
@click.option(
    "--player", default=1, show_default=True, type=int, help="Whose value: 1 is to move, 2 comes next, and so on."
)
@click.option("--exact", is_flag=True, help="Solve in exact arithmetic; the measure also as a fraction.")
def command(rulesets: Rulesets, work: Work, measure: str, at: str, player: int, exact: bool) -> Study:
    """What a position of GAME is worth, or another measure of it, over one or two parameters of its rules.

    A parameter takes several values as a range (20:200:10) or a list (2,6,12; dice and prizes with semicolons).
    """
    from dicewise.study.sweep import sweep

    return sweep(rulesets, of=measure, at=at, player=player, exact=exact, work=work)
