"""`dicewise study discount`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from dicewise.cli.study.output import study_command

if TYPE_CHECKING:
    from dicewise.study.result import Study
    from dicewise.study.rulesets import Rulesets
    from dicewise.study.work import Work

GAMMA, THETA = "0.88,0.9,0.92,0.94,0.95,0.96,0.97,0.98,0.99,0.998", "0.01,0.1,1,5"


@study_command("discount", "dicewise study discount hold-dice --dice 4 -o tuning.png")
@click.option("--gamma", default=GAMMA, metavar="GRID", help=f"Discounts: a list, or FROM:TO:STEP [default: {GAMMA}]")
@click.option("--theta", default=THETA, metavar="GRID", help=f"Where to stop: likewise [default: {THETA}]")
@click.option("--games", default=10_000, show_default=True, type=int, help="Games to play with each policy.")
@click.option("--seed", default=1, show_default=True, type=int, help="The same seed plays the same games everywhere.")
@click.option("--exact", is_flag=True, help="The exact scores as fractions, too (in JSON and CSV).")
def command(rulesets: Rulesets, work: Work, gamma: str, theta: str, games: int, seed: int, exact: bool) -> Study:
    """Tune a discounted value iteration of GAME (hold-dice) as its source did, and say what is noise.

    For every gamma and theta: the exact mean score of the policy that comes out, and that of games played with it.
    """
    from dicewise.errors import InputError
    from dicewise.games.hold_dice import HoldDice
    from dicewise.study.discount import grid, study_discount
    from dicewise.study.rulesets import one_ruleset

    rules = one_ruleset(rulesets, "discount")
    if not isinstance(rules, HoldDice):
        raise InputError(f"study discount is about hold-dice, not {rules.name}; write 'study discount hold-dice'")
    gammas, thetas = grid("gamma", gamma), grid("theta", theta)
    return study_discount(rules, gammas, thetas, games=games, seed=seed, exact=exact, progress=work.tell).as_study()
