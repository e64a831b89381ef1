"""`dicewise study bands`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicewise.cli.study.output import study_command

if TYPE_CHECKING:
    from dicewise.study.result import Study
    from dicewise.study.rulesets import Rulesets
    from dicewise.study.work import Work


TABLES = ("periods", "runs", "spikes")


@study_command("bands", "dicewise study bands greed --max 300 --sides 2:20 -o bands.png", tables=TABLES)
def command(rulesets: Rulesets, work: Work) -> Study:
    """The bands and the spikes in what normal states of GAME (greed, two players) are worth, and why they are there.

    One ruleset is looked at closely; of several the bands are compared.
    """
    from dicewise.study.bands import study_bands
    from dicewise.study.rulesets import two_player_greed

    return study_bands(two_player_greed(rulesets.games, "bands"), work)
