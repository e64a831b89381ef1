"""`dicewise study human`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from dicewise.cli.study.output import study_command

if TYPE_CHECKING:
    from dicewise.study.result import Study
    from dicewise.study.rulesets import Rulesets
    from dicewise.study.work import Work


@study_command("human", "dicewise study human greed --leaves 6 -o human.png")
@click.option("--numbers", default=3, show_default=True, type=int, help="Numbers of a rule of thumb, at most (1 to 3).")
@click.option("--leaves", default=8, show_default=True, type=int, help="Leaves of the decision tree.")
def command(rulesets: Rulesets, work: Work, numbers: int, leaves: int) -> Study:
    """A policy of GAME (greed, two players) that is small enough to remember, and what it loses.

    The best rules of thumb with up to three numbers, a decision tree, and the whole policy in few bytes.
    """
    from dicewise.study.human import study_human
    from dicewise.study.rulesets import one_ruleset, two_player_greed

    (game,) = two_player_greed([one_ruleset(rulesets, "human")], "human")
    return study_human(game, numbers=numbers, leaves=leaves, work=work)
