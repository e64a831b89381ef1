"""`dicewise study players`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicewise.cli.study.output import study_command

if TYPE_CHECKING:
    from dicewise.study.result import Study
    from dicewise.study.rulesets import Rulesets
    from dicewise.study.work import Work


@study_command(
    "players",
    "dicewise study players greed --max 30 --players 2:3 -o players.png",
    {"max": "20", "sides": "6", "players": "2:4"},
)
def command(rulesets: Rulesets, work: Work) -> Study:
    """Three and more players of GAME (greed): who is favoured by seat, and how standing changes.

    Without options: --max 20 --sides 6 --players 2:4.
    """
    from dicewise.study.players import players

    return players(rulesets, work=work)
