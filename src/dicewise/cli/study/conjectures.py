"""`dicewise study conjectures`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicewise.cli.study.output import study_command

if TYPE_CHECKING:
    from dicewise.study.result import Study
    from dicewise.study.rulesets import Rulesets
    from dicewise.study.work import Work


@study_command(
    "conjectures",
    "dicewise study conjectures greed --max 1:60 --sides 2:12",
    {"max": "1:60", "sides": "2:12"},
)
def command(rulesets: Rulesets, work: Work) -> Study:
    """What the papers on Greed suppose, checked exactly in every state of many rulesets.

    GAME is greed; by default all rulesets up to max 60 with 2 to 12 sides.
    """
    from dicewise.study.conjectures import conjectures

    return conjectures(rulesets, work=work)
