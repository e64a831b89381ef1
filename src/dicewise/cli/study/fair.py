"""`dicewise study fair`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from dicewise.cli.study.output import study_command

if TYPE_CHECKING:
    from dicewise.study.result import Study
    from dicewise.study.rulesets import Rulesets
    from dicewise.study.work import Work


@study_command("fair", "dicewise study fair greed --max 20:100:20 --sides 4,6 -o fair.png")
@click.option("--exact-up-to", default=40, show_default=True, type=int, help="Maxima solved in exact arithmetic.")
@click.option(
    "--tie-steps", default=20, show_default=True, type=int, help="Values of a tie to try, less one; 0 for none."
)
def command(rulesets: Rulesets, work: Work, exact_up_to: int, tie_steps: int) -> Study:
    """The handicap that makes rulesets of GAME (greed) fair.

    Points to start with, another value of a tie, or a tie that counts for one player and against the other.
    """
    from dicewise.study.fair import fair

    return fair(rulesets, exact_up_to=exact_up_to, tie_steps=tie_steps, work=work)
