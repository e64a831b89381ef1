"""`dicewise study artifacts`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicewise.cli.study.output import study_command

if TYPE_CHECKING:
    from dicewise.study.result import Study
    from dicewise.study.rulesets import Rulesets
    from dicewise.study.work import Work


@study_command("artifacts", "dicewise study artifacts greed --max 100 --sides 6 -o artifacts.png")
def command(rulesets: Rulesets, work: Work) -> Study:
    """Where a plain program in doubles plays otherwise than exact arithmetic.

    GAME is greed with one ruleset: every state that gets another number of dice, what it loses, and whether it is a
    tie, rounding or a mistake; and which jumps of the best number are real.
    """
    from dicewise.study.artifacts import artifacts

    return artifacts(rulesets, work=work)
