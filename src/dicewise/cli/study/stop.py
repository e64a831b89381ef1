"""`dicewise study stop`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicewise.cli.study.output import study_command

if TYPE_CHECKING:
    from dicewise.study.result import Study
    from dicewise.study.rulesets import Rulesets
    from dicewise.study.work import Work


TABLES = ("safety", "leads", "against", "band", "regard", "ignored")


@study_command("stop", "dicewise study stop greed --max 100 --sides 6 -o stop.png", tables=TABLES)
def command(rulesets: Rulesets, work: Work) -> Study:
    """When to stand in GAME (greed, two players): how safe it is, which lead it takes, how little the other matters."""
    from dicewise.study.rulesets import one_ruleset, two_player_greed
    from dicewise.study.stop import study_stop

    (game,) = two_player_greed([one_ruleset(rulesets, "stop")], "stop")
    return study_stop(game, work)
