"""Rolls of Greed as charts: how totals of dice are distributed, and what each number of dice is worth in one state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dicewise._version import __version__
from dicewise.chance import total_of
from dicewise.chart import Chart, Mark, Plane, Series
from dicewise.errors import InputError
from dicewise.game import Game
from dicewise.games.greed.rules import Greed
from dicewise.plot.heatmaps import drawable, minus, ruleset
from dicewise.solution import Solution

if TYPE_CHECKING:
    from dicewise.games.greed.rules import Position

MOST_COUNTS, MOST_DICE = 6, 1000
FEW_TOTALS = 120
"""Totals up to this many are told apart by dots on their lines."""
CHANCES = {"win": "win", "tie": "tie", "lose": "lose, busts included", "bust": "bust"}


def totals_chart(game: Game[Any, Any], counts: Sequence[int] = (2, 3, 4)) -> Chart:
    """How likely each total of so many dice is, with the exact mean and spread of each."""
    assert isinstance(game, Greed)
    counts = sorted(set(counts))
    wrong = [n for n in counts if type(n) is not int or not 1 <= n <= MOST_DICE]
    if wrong or not 1 <= len(counts) <= MOST_COUNTS:
        given = ",".join(map(str, counts)) or "none"
        raise InputError(
            f"counts {given} are not allowed; give up to {MOST_COUNTS} numbers of dice, from 1 to {MOST_DICE}: 2,3,4"
        )
    series, said = [], []
    for n in counts:
        total = total_of(n, game.dice)
        chances = [weight / total.total for weight in total.weights]
        label = f"{n} {'die' if n == 1 else 'dice'}"
        kind = "marked" if len(total) <= FEW_TOTALS else "line"
        series.append(Series(label, [float(outcome) for outcome in total.outcomes], chances, kind))
        mean = n * float(game.dice.mean())
        spread = (n * float(game.dice.variance())) ** 0.5
        said.append(f"{label}: mean {mean:.6g}, standard deviation {spread:.4g}")
    panel = Plane("", "total", "chance", series)
    return Chart(
        f"Totals of {', '.join(map(str, counts))} dice: {_die_in_words(game)}",
        [panel],
        ["; ".join(said), f"{game.spec}   ·   dicewise {__version__}"],
        f"Chance of each total, {_die_in_words(game)}; " + "; ".join(said),
    )


def slice_chart(solution: Solution[Any, Any], state: Position) -> Chart:
    """What each number of dice is worth in one state, and how the game ends with each."""
    greed = drawable(solution)
    game = greed.game
    choices = sorted(greed.choices(state), key=lambda choice: choice.action)
    if not choices:
        raise InputError(f"position {game.text(state)!r} is over; nothing is rolled there")
    best, x = greed.action(state), [float(choice.action) for choice in choices]
    details = [greed.details(state, choice.action) for choice in choices]
    a, q, last = game.seen_by_mover(state)
    most = float(greed.value(state))
    rolled = "stand" if best == 0 else "1 die" if best == 1 else f"{best} dice"
    named = f"What it is worth; best: {rolled}, {minus(f'{most:.4g}')}"
    worth = [
        Series("", x, [float(choice.value) for choice in choices], "marked"),
        Series("", [float(best)], [most], "dots"),
    ]
    chances = [Series(words, x, [each[key] for each in details], "marked") for key, words in CHANCES.items()]
    across = "dice to roll (0 is standing)"
    panels = [
        Plane(named, across, "payoff to the player to move", worth, [Mark("", best, upright=True)]),
        Plane("How the game ends", across, "chance", chances, [Mark("", best, upright=True)]),
    ]
    shown = greed.choices(state)[:3]
    said = ", ".join(f"{choice.action}: {minus(f'{float(choice.value):.6g}')}" for choice in shown)
    turn = "last turn" if last else "normal turn"
    title = f"{game.spec}: active {a}, queued {q}, {turn}"
    why = greed.why(state)
    caption = [f"{', '.join(ruleset(game))}   ·   {game.spec}   ·   dicewise {__version__}", why]
    return Chart(title, panels, caption, f"{title}. Best numbers of dice and what they are worth: {said}. {why}")


def _die_in_words(game: Greed) -> str:
    return ruleset(game)[2]
