"""`dicewise study scores`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from dicewise.cli.study.output import study_command

if TYPE_CHECKING:
    from dicewise.study.result import Study
    from dicewise.study.rulesets import Rulesets
    from dicewise.study.work import Work


@study_command(
    "scores",
    "dicewise study scores yahtzee --rules free-joker --aims mean,reach:250",
    tables=("scores", "players", "boxes", "targets"),
)
@click.option("--at", metavar="CARD", default="", help="The card that play begins with [default: an empty one]")
@click.option(
    "--aims", metavar="AIM,AIM", default="", help="What one player plays for, or two who compete [default: mean]"
)
@click.option("--targets", metavar="N", type=int, default=0, help="Also the best chance to reach each score up to N.")
def command(rulesets: Rulesets, work: Work, at: str, aims: str, targets: int) -> Study:
    """How games of GAME (yahtzee) end: the exact distribution of the final score.

    An aim is mean, reach:POINTS or beat:POINTS; instead of one, alike is a rule of thumb to play by. Of two players the
    chances to win, to tie and to lose are told.
    """
    from dicewise.study.rulesets import one_ruleset
    from dicewise.study.scores import scores

    return scores(one_ruleset(rulesets, "scores"), at=at, aims=aims, targets=targets, work=work)
