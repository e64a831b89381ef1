"""`dicewise study payoffs`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from dicewise.cli.study.output import study_command

if TYPE_CHECKING:
    from dicewise.study.result import Study
    from dicewise.study.rulesets import Rulesets
    from dicewise.study.work import Work


@study_command("payoffs", "dicewise study payoffs greed --max 50 --ties=-1:1:1/4 -o payoffs.png")
@click.option(
    "--ties",
    default="-1,-1/2,0,1/2,1",
    show_default=True,
    metavar="GRID",
    help="What a tie is worth, from -1 (a loss) to 1 (a win).",
)
def command(rulesets: Rulesets, work: Work, ties: str) -> Study:
    """How the policy of GAME (greed) moves when a tie counts as a loss, as a win, or between.

    Every value is held against the ordinary payoffs, in which a tie is half-way. Ties are a list or FROM:TO:STEP.
    """
    from dicewise.study.payoffs import payoffs, read_ties
    from dicewise.study.rulesets import one_ruleset, two_player_greed

    (game,) = two_player_greed([one_ruleset(rulesets, "payoffs")], "payoffs")
    return payoffs(game, read_ties(ties), work=work)
