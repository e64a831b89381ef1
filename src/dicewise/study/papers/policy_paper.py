"""C. Addis, "A Policy Optimization of Greed": standard Greed, its four heatmaps, and what is seen in them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dicewise._version import __version__
from dicewise.chart import Chart, Grid
from dicewise.document import Block, Paragraph, Picture, Rows, Section, Shown
from dicewise.engine.solve import solve
from dicewise.games import find_game
from dicewise.games.greed import Greed
from dicewise.games.greed.solution import GreedSolution
from dicewise.study.papers.policy_studies import bands, more_players, oddities, other_payoffs, standing
from dicewise.study.papers.source import Chapter, Erratum, Question, Source, counted, holds, mends, signed, written
from dicewise.study.papers.supposed import in_policy_paper
from dicewise.study.work import Work

GAME = Greed(100, 6)
LARGE = Greed(500, 20)
"""The ruleset of Figure 5."""
TILES = range(96, 101)
"""The tied tiles on the diagonal, as the paper lists them."""


def write(work: Work) -> Chapter:
    lead = Paragraph(
        "The policy paper makes Greed a Markov decision process, solves it backwards for maximum 100 and six-sided "
        "dice, and reads a number of patterns off four heatmaps and one of a larger ruleset. Payoffs are 1 for a win, "
        "0 for a tie, −1 for a loss, to the player to move (active); the other is queued."
    )
    sections = [
        _heatmaps(work.stage(0.0, 0.05)),
        _tiles(work.stage(0.05, 0.1)),
        in_policy_paper(work.stage(0.1, 0.2)),
        standing(GAME, work.stage(0.2, 0.5)),
        oddities(GAME, work.stage(0.5, 0.6)),
        _larger(work.stage(0.6, 0.65)),
        bands(GAME, LARGE, work.stage(0.65, 0.7)),
    ]
    several, on_players = more_players(work.stage(0.7, 0.8))
    paid, on_payoffs = other_payoffs(GAME, work.stage(0.8, 1.0))
    faster = Question(
        "Is there more room for performance?",
        "Yes: rolling n dice is rolling one and then n − 1 more, so that a window mean replaces the sum over all "
        "totals, and the work is O(M² n_max) instead of O(M⁴).",
        "dicewise solve greed --max 1000",
    )
    sections += [several, paid]
    questions = [on_players, on_payoffs, faster]
    return Chapter(Section(SOURCE.name, SOURCE.title, [lead], sections=sections), questions)


# ---- figures


def _solved(game: Greed) -> GreedSolution:
    solution = solve(game)
    assert isinstance(solution, GreedSolution)
    return solution


def _heatmaps(work: Work) -> Section:
    import numpy as np

    work.tell(0.0, "solving standard Greed")
    solution = _solved(GAME)
    start = GAME.start()
    normal, last = solution.payoffs(), solution.payoffs(last=True)
    favoured = float((normal > 0).mean())
    blocks: list[Block] = [
        Picture(
            "Figures 1 to 4 of the policy paper",
            "Payoffs above (its Figures 2 and 1), numbers of dice below (Figures 4 and 3); normal turns on the left, "
            f"last turns on the right. M = 100, s = 6: `{GAME.spec}`.",
            Shown(solution, "heatmap"),
            "Four heatmaps. Payoffs of normal turns are slightly blue, good for the player to move, over most of the "
            "board, and deep blue or red near the maximum; those of last turns are blue up to a narrow white band near "
            "the maximum and red beyond it. Numbers of dice fall from 24 at the start to 0 near the maximum.",
        ),
        Paragraph(
            f"The start is worth {float(solution.value(start)):.6f} to the first player, who rolls "
            f"{solution.action(start)} dice. {favoured:.0%} of all normal states favour the player to move; of all "
            f"last turns {float((last > 0).mean()):.0%} do."
        ),
    ]
    opening = normal[:50, :50]
    half = GAME.max // 2 + 1
    behind = np.array([normal[a, q] > 0 for q in range(half) for a in range(q + 1)])
    claims = [
        holds(
            "In the opening, payoffs are slightly skewed towards the active player",
            "slightly",
            f"{signed(float(opening.mean()), '{:+.4f}')} on average while both are below 50",
            0 < float(opening.mean()) < 0.1,
            f"From {signed(float(opening.min()), '{:+.4f}')} to {signed(float(opening.max()), '{:+.4f}')}.",
        ),
        holds(
            "Being on move is good in the early game, even slightly behind",
            "good",
            f"{behind.mean():.0%} of the states in which both have at most half the maximum",
            bool(behind.all()),
            f"The player to move is behind or level in {counted(behind.size, 'such state')}.",
        ),
        holds(
            "In a last turn the active player who is ahead rolls 0 and wins",
            "always",
            "always" if all(last[a, q] == 1 for a in range(101) for q in range(a)) else "not always",
            all(last[a, q] == 1 and solution.dice(True)[a, q] == 0 for a in range(101) for q in range(a)),
        ),
    ]
    return Section("policy-figures", "The four heatmaps", blocks, claims, ["dicewise plot greed -o greed.png"])


def _larger(work: Work) -> Section:
    import numpy as np

    work.tell(0.0, f"solving {LARGE.spec}")
    solution = _solved(LARGE)
    scores = range(LARGE.max + 1)
    grids = []
    for title, first in (("all normal states", 0), ("near the maximum", LARGE.max - 6 * LARGE.sides)):
        cells = np.asarray(solution.payoffs()[first:, first:])
        at = list(scores)[first:]
        grids.append(
            Grid(
                title,
                "active player’s score (to move)",
                "queued player’s score",
                cells,
                at,
                at,
                "payoff to the player to move",
                look="diverging",
                limits=(-1.0, 1.0),
            )
        )
    chart = Chart(
        "Optimal payoffs for normal states, (500, 20)",
        grids,
        [LARGE.spec, f"value of the start: {float(solution.value(LARGE.start())):.6f}", f"dicewise {__version__}"],
        "Payoffs of all normal states: pale blue over most of the board, with faint bands about 12 points apart; in "
        "the corner near the maximum two spikes in which the player who is ahead is worse off.",
    )
    picture = Picture(
        "Figure 5 of the policy paper",
        "Optimal payoffs for normal states given ruleset (500, 20), and once more the corner where the bands and the "
        "two spikes are.",
        chart,
        chart.words,
    )
    command = "dicewise plot greed --max 500 --sides 20 -o large.png"
    return Section("policy-larger", "A larger ruleset", [picture], commands=[command])


# ---- tied tiles


def _tiles(work: Work) -> Section:
    tiles = work.map(diagonal, [GAME.spec], "solving standard Greed exactly")[0]
    rows, tied = [], []
    for score in reversed(TILES):
        value, best = Fraction(tiles[str(score)]["value"]), tiles[str(score)]["best"]
        bust = Fraction(max(0, score + GAME.sides - GAME.max), GAME.sides)
        if value == 0:
            tied.append(score)
        rows.append([f"({score}, {score})", written(value), " or ".join(map(str, best)), written(bust)])
    heads = ("state", "value", "best number of dice", "chance that one die busts")
    ours = f"({max(tied)}, {max(tied)}) to ({min(tied)}, {min(tied)})"
    next_one = Fraction(tiles[str(min(tied) - 1)]["value"])
    half = all(Fraction(score + GAME.sides - GAME.max, GAME.sides) >= Fraction(1, 2) for score in tied)
    claims = [
        mends(
            "The four tied tiles on the diagonal",
            "(100, 100) to (96, 96)",
            ours,
            len(tied) == 4 and next_one != 0,
            f"The list has five names for four tiles; ({min(tied) - 1}, {min(tied) - 1}) is worth {written(next_one)}.",
        ),
        holds(
            "On the tied tiles one die busts at least half the time",
            "at least 1/2",
            f"1/2 or more from {min(tied)} on" if half else "not always",
            half,
        ),
    ]
    table = Rows("The diagonal of normal states, exactly", heads, rows, ("value", "chance that one die busts"))
    return Section("policy-tiles", "The four tied tiles", [table], claims, ["dicewise advise greed 96 96"])


def diagonal(spec: str) -> dict[str, Any]:
    """The states near the maximum in which both have the same, in exact arithmetic."""
    game = find_game(spec)
    assert isinstance(game, Greed)
    solution = solve(game, exact=True)
    states = {score: game.at(score, score) for score in TILES}
    return {
        str(score): {"value": str(solution.value(state)), "best": solution.best_actions(state)}
        for score, state in states.items()
    }


SOURCE = Source(
    "policy",
    "policy paper",
    "C. Addis: A Policy Optimization of Greed",
    write,
    share=10.0,
    errata=(
        Erratum("(1)", "pₙ(a − a′)", "pₙ(a′ − a)"),
        Erratum("(1)", "“a ≥ 0” for rolling, a being both a score and an action", "n > 0"),
        Erratum("(6)", "a sum without the probabilities", "each term times its probability"),
        Erratum("(6) and (9)", "n* as a maximum", "the n at which it is attained (arg max)"),
        Erratum(
            "(9)",
            "a sum up to s, and Q(s, a) for the value after the roll",
            "a sum up to s·n, and the value of the state that follows",
        ),
        Erratum("end of the game", "“both players have stood”", "after one stand there is exactly one last turn"),
        Erratum("neighbour claim", "the inequality", "the other way round"),
        Erratum("tied tiles", "(100, 100) … (96, 96)", "(100, 100) … (97, 97)"),
    ),
)
