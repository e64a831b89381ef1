"""`dicewise study first-move`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from dicewise.cli.study.output import study_command

if TYPE_CHECKING:
    from dicewise.study.result import Study
    from dicewise.study.rulesets import Rulesets
    from dicewise.study.work import Work


@study_command(
    "first-move", "dicewise study first-move greed --sides 2:12 -o first.png", {"max": "1:300", "sides": "2:20"}
)
@click.option("--exact-up-to", default=60, show_default=True, type=int, help="Maxima solved in exact arithmetic, too.")
@click.option("--far", default=1000, show_default=True, type=int, help="Guess the limit from here; 0 for no limit.")
def command(rulesets: Rulesets, work: Work, exact_up_to: int, far: int) -> Study:
    """What going first is worth in GAME (greed), over many rulesets; who is worse off; the limit.

    Also whether a player who is behind is favoured by being on move. Without options: --max 1:300 --sides 2:20.
    """
    from dicewise.study.first_move import first_move

    return first_move(rulesets, exact_up_to=exact_up_to, far=far, work=work)
