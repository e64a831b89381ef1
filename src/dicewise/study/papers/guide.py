"""C. Addis, "A Guide to Optimization and Optimal Play in Greed" (2024)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from math import prod
from typing import Any

from dicewise._version import __version__
from dicewise.chance import total_of, totals_by_formula
from dicewise.chart import Chart, Grid, Mark, Plane, Series
from dicewise.document import Block, Claim, Paragraph, Picture, Points, Rows, Section
from dicewise.games.greed import Greed
from dicewise.games.greed.exact import ExactGreed, solve_exactly
from dicewise.study.first_move import first_move
from dicewise.study.papers.source import Chapter, Erratum, Question, Source, blocks_of, counted, holds, mends, written
from dicewise.study.papers.supposed import in_guide
from dicewise.study.rulesets import read_rulesets
from dicewise.study.work import Work

EXAMPLE = Greed(10, 3)
"""The ruleset of all examples in the guide."""
DRAWN = Greed(20, 3)
"""The ruleset of its figures 3 and 4."""
STATED = "0.54"
"""What it says going first in `EXAMPLE` is rated."""
MANY = {"max": "1:60", "sides": "2:12"}
"""Rulesets in which going first was looked at."""
MOST_DICE, MOST_SIDES = 24, 20
"""How far the theorem and the lemmas were checked."""


def write(work: Work) -> Chapter:
    first, totals = _first_player(work.stage(0.0, 0.4)), _totals(work.stage(0.4, 0.5))
    conjectures, open_ones = in_guide(work.stage(0.5, 1.0))
    sections = [
        first,
        totals,
        _last_turns(),
        conjectures,
        _normal_turns(),
    ]
    lead = Paragraph(
        "The guide introduces Greed, derives the distribution of the total of n dice, finds the best number of dice in "
        "last turns (its terminal states) under two conjectures, and solves normal turns backwards. It measures "
        "positions by a rating: 1 for a win, 1/2 for a tie, 0 for a loss. With the payoffs 1, 0, −1 of dicewise a "
        "rating is (1 + payoff) / 2."
    )
    question = Question(
        "Is the weighted sum of the ratings that follow the right way to relate ratings?",
        "Yes. A policy is measured by its expected payoff, and an expectation is a sum weighted with probabilities. "
        "Who wants something else wants another payoff: win, tie and lose are parameters.",
        "dicewise solve greed --tie -1",
    )
    return Chapter(Section(SOURCE.name, SOURCE.title, [lead], sections=sections), [*open_ones, question])


# ---- the value of the start


def _first_player(work: Work) -> Section:
    solution = solve_exactly(EXAMPLE)
    start = EXAMPLE.start()
    value = Fraction(solution.value(start))
    rating = (1 + value) / 2
    study = first_move(read_rulesets("greed", MANY), exact_up_to=20, far=0, work=work)
    table = study.table("rulesets")
    ratings = {(row["max"], row["sides"]): (1 + row["value"]) / 2 for row in table.rows() if row["max"] >= row["sides"]}
    low, high = min(ratings, key=ratings.__getitem__), max(ratings, key=ratings.__getitem__)
    near = sum(f"{each:.2f}" == STATED for each in ratings.values())
    claims = [
        holds(
            "Rating of going first with maximum 10 and three sides",
            STATED,
            f"{float(rating):.7f}",
            f"{float(rating):.2f}" == STATED,
            f"The payoff is exactly {written(value)}. We do not know where {STATED} comes from.",
        ),
        holds(
            "Going first improves winning against losing by about 4 %",
            "4 %",
            f"{float(rating - Fraction(1, 2)):.3%}",
            f"{float(rating - Fraction(1, 2)):.0%}" == "4%",
            "The rating less one half.",
        ),
    ]
    blocks: list[Block] = [
        Paragraph(
            f"In the guide's own example the first player's payoff is {written(value)}, as a rating "
            f"{float(rating):.7f}: next to nothing. The best opening rolls "
            f"{counted(solution.action(start), 'die', 'dice')}."
        ),
        Paragraph(
            f"A mistaken ruleset would not explain the difference: among the {len(ratings)} rulesets of this grid "
            f"whose maximum is not below the number of sides, {near or 'none'} {'is' if near < 2 else 'are'} rated "
            f"{STATED} when rounded. The lowest rating is {ratings[low]:.4f} (maximum {low[0]}, {low[1]} sides), the "
            f"highest {ratings[high]:.4f} (maximum {high[0]}, {high[1]} sides)."
        ),
        *blocks_of(study, "Going first in other rulesets", "worse"),
    ]
    commands = ["dicewise solve greed --max 10 --sides 3 --exact", f"dicewise study first-move greed {_options(MANY)}"]
    return Section("guide-first", "Going first", blocks, claims, commands)


def _options(given: Mapping[str, str]) -> str:
    return " ".join(f"--{name} {text}" for name, text in given.items())


# ---- totals of dice


def _totals(work: Work) -> Section:
    found = work.map(check_totals, list(range(2, MOST_SIDES + 1)), "checking Theorem 1 and the lemmas")
    totals = sum(each["totals"] for each in found)
    right = {name: all(each[name] for each in found) for name in ("formula", "mean", "variance")}
    where = f"1 to {MOST_DICE} dice with 2 to {MOST_SIDES} sides"
    example = _lemma_2_as_printed(7, 2, 6)
    claims = [
        holds(
            "Theorem 1: the pmf of the total of n dice",
            "a closed formula",
            f"the same in all {totals:,} totals" if right["formula"] else "another",
            right["formula"],
            f"Compared with adding the dice one by one, in whole numbers; {where}.",
        ),
        holds("Lemma 3: the mean", "n(s + 1)/2", "n(s + 1)/2" if right["mean"] else "another", right["mean"], where),
        mends(
            "Lemma 4: the variance",
            "(s² − 1)/12",
            "n(s² − 1)/12",
            right["variance"],
            "The title line drops the factor n, which the proof has.",
        ),
        mends(
            "Lemma 2: the coefficient of xᵗ",
            "C(k − sk − 1, n − 1)",
            "C(t − sk − 1, n − 1)",
            right["formula"] and example != Fraction(6, 36),
            f"As printed two six-sided dice would show 7 with probability {written(example)}. Theorem 1 has it right.",
        ),
    ]
    rolls = {n: total_of(n, 6) for n in (2, 3, 4)}
    series = [
        Series(f"n = {n}, mean {float(roll.mean()):g}", roll.outcomes, [w / roll.total for w in roll.weights], "marked")
        for n, roll in rolls.items()
    ]
    chart = Chart(
        "Totals of 2, 3 and 4 six-sided dice",
        [Plane("", "total", "probability", series)],
        ["fair dice with 6 sides", f"dicewise {__version__}"],
        "Three bell-shaped distributions of the total of 2, 3 and 4 six-sided dice around 7, 10.5 and 14, each lower "
        "and wider than the one before.",
    )
    rows = [
        [str(n), f"{n} to {6 * n}", written(roll.mean()), written(roll.variance()), f"{max(roll.weights)}/{roll.total}"]
        for n, roll in rolls.items()
    ]
    blocks: list[Block] = [
        Picture("Figure 2 of the guide", "Distributions of n = 2, 3, 4 with s = 6.", chart, chart.words),
        Rows("Exact moments", ("n", "totals", "mean", "variance", "largest probability"), rows, ("n", "mean")),
    ]
    return Section("guide-totals", "The total of n dice", blocks, claims)


def check_totals(sides: int) -> dict[str, Any]:
    """Theorem 1 and Lemmas 3 and 4 for dice with so many sides."""
    counts = range(1, MOST_DICE + 1)
    rolls = [total_of(n, sides) for n in counts]
    return {
        "totals": sum(len(roll) for roll in rolls),
        "formula": all(totals_by_formula(n, sides) == roll for n, roll in zip(counts, rolls, strict=True)),
        "mean": all(roll.mean() == Fraction(n * (sides + 1), 2) for n, roll in zip(counts, rolls, strict=True)),
        "variance": all(roll.variance() == Fraction(n * (sides**2 - 1), 12) for n, roll in enumerate(rolls, 1)),
    }


def _lemma_2_as_printed(t: int, n: int, sides: int) -> Fraction:
    def choose(top: int, count: int) -> Fraction:
        return Fraction(prod(top - i for i in range(count)), prod(range(1, count + 1)))

    terms = (
        (-1 if k % 2 else 1) * choose(n, k) * choose(k - sides * k - 1, n - 1) for k in range((t - n) // sides + 1)
    )
    return Fraction(1, sides**n) * sum(terms, Fraction(0))


# ---- last turns


@cache
def _drawn() -> ExactGreed:
    return solve_exactly(DRAWN)


def _last_turns() -> Section:
    solution = _drawn()
    scores = range(DRAWN.max + 1)
    lost = [(a, q) for a in scores for q in scores if a < q and solution.action(DRAWN.at(a, q)) == 0]
    forfeits = [(a, q) for a in scores for q in range(a) if solution.value(DRAWN.at(a, q, last=True)) == 1]
    certain = [
        (a, q) for a in scores for q in range(a, DRAWN.max + 1) if solution.value(DRAWN.at(a, q, last=True)) == 1
    ]
    claims = [
        holds(
            "Best play never forfeits: nobody who is behind stands",
            "never",
            f"{counted(len(lost), 'state')} of {DRAWN.spec}",
            not lost,
            "Exact arithmetic, all normal states.",
        ),
        holds(
            "Who may play after a forfeit wins by rolling nothing",
            "rating 1",
            f"rating 1 in {counted(len(forfeits), 'state')}",
            len(forfeits) == sum(scores),
        ),
    ]
    blocks: list[Block] = [
        Picture(
            "Figure 1 of the guide",
            "A last turn: the player to move has 2, the other stood at 6, the maximum is 10. Which scores win is "
            "fixed; the number of dice moves the bars. The guide's drawing is not readable in our copy; this shows the "
            "same with its example's ruleset.",
            chart := _window(2, 6),
            chart.words,
        ),
        Picture(
            "Figure 3 of the guide",
            "Optimal actions and ratings for terminal states, M = 20, s = 3: the number in a cell is n*, the colour "
            "the rating. The commands draw them as two boards, with payoffs: twice the rating, minus 1.",
            chart := _board(last=True),
            chart.words,
        ),
        Points(
            [
                f"Forfeit states, in which the player to move is ahead already: {len(forfeits)} of {21 * 21}.",
                f"Certain victories without being ahead, in which some number of dice cannot miss: {len(certain)}.",
            ]
        ),
    ]
    commands = [*_boards("last-dice", "last-payoff"), "dicewise advise greed --max 10 --sides 3 2 6 last"]
    return Section("guide-last", "Last turns", blocks, claims, commands)


def _window(active: int, queued: int) -> Chart:
    """What each of a few numbers of dice does from a last turn of the guide's example."""
    solution = solve_exactly(EXAMPLE)
    state, top = EXAMPLE.at(active, queued, last=True), EXAMPLE.max
    best = solution.action(state)
    panels = []
    for n in range(max(best - 1, 1), best + 2):
        after = [(active + total, weight) for total, weight in total_of(n, EXAMPLE.dice)]
        total = EXAMPLE.dice.total**n
        kinds = {"win": [], "tie": [], "lose": [], "bust": []}  # type: dict[str, list[tuple[int, float]]]
        for score, weight in after:
            kind = "bust" if score > top else "win" if score > queued else "tie" if score == queued else "lose"
            kinds[kind].append((score, weight / total))
        rating = (1 + Fraction(solution.after(state, n)[0])) / 2
        # a kind that cannot happen has a bar of no height, so that a colour means the same in all panels
        nearest = {"win": queued + 1, "tie": queued, "lose": queued - 1, "bust": top + 1}
        series = [
            Series(kind, [x for x, _ in bars] or [nearest[kind]], [y for _, y in bars] or [0.0], "bars")
            for kind, bars in kinds.items()
        ]
        ends = [Mark("", queued, upright=True), Mark("", top + 0.5, upright=True)]
        name = f"{counted(n, 'die', 'dice')}: rating {written(rating)}{' (best)' if n == best else ''}"
        panels.append(Plane(name, "score after the roll", "probability", series, ends))
    return Chart(
        f"Last turn at {active} against {queued}",
        panels,
        [
            EXAMPLE.spec,
            f"dashed: the score of the other player, {queued}, and the maximum, {top}",
            f"dicewise {__version__}",
        ],
        f"Bars of the score after rolling {panels[0].title.split(':')[0]} and more from {active}: those above {queued} "
        f"and up to {top} win. {'; '.join(panel.title for panel in panels)}.",
    )


def _board(last: bool) -> Chart:
    import numpy as np

    solution = _drawn()
    scores = range(DRAWN.max + 1)
    ratings = np.array(
        [[float(1 + Fraction(solution.value(DRAWN.at(a, q, last=last)))) / 2 for q in scores] for a in scores]
    )
    grid = Grid(
        "",
        "score of the player to roll",
        "score of the other player",
        ratings,
        list(scores),
        list(scores),
        "rating: 0 lost, 1 won",
        look="diverging",
        limits=(0.0, 1.0),
        numbers="{:.0f}",
        written=solution.dice(last).astype(float),
    )
    kind = "terminal (last-turn)" if last else "normal"
    ahead = "wins wherever the player to roll is ahead" if last else "is near one half in the middle of the game"
    return Chart(
        f"Optimal actions and ratings for {kind} states",
        [grid],
        [DRAWN.spec, "the number of dice is the smallest of equally good ones", f"dicewise {__version__}"],
        f"A board of {len(scores)} by {len(scores)} cells with the best number of dice in each. The rating {ahead}.",
    )


def _boards(*views: str) -> list[str]:
    """Commands for the numbers and the colours of a board; no view has both."""
    return [
        f"dicewise plot greed --max {DRAWN.max} --sides {DRAWN.sides} --view {view} -o {view}.png" for view in views
    ]


# ---- normal turns


def _normal_turns() -> Section:
    solution = solve_exactly(EXAMPLE)
    active, queued, n = 2, 6, 2
    rows, total = [], Fraction(0)
    for t, weight in total_of(n, EXAMPLE.dice):
        chance = Fraction(weight, EXAMPLE.dice.total**n)
        theirs = (1 + Fraction(solution.value(EXAMPLE.at(queued, active + t)))) / 2
        total += chance * (1 - theirs)
        rows.append(
            [str(t), written(chance), f"({queued}, {active + t})", f"{float(theirs):.6f}", f"{float(1 - theirs):.6f}"]
        )
    state = EXAMPLE.at(active, queued)
    after = (1 + Fraction(solution.after(state, n)[0])) / 2
    best = solution.action(state)
    said = {(6, 4), (6, 5), (6, 6), (6, 7)}
    ours = {(queued, active + t) for t, _ in total_of(n, EXAMPLE.dice)}
    claims: list[Claim] = [
        mends(
            "States that follow (2, 6) after two dice",
            "(6, 4), (6, 5), (6, 6), (6, 7)",
            ", ".join(map(str, sorted(ours))),
            said < ours,
            f"A total of 6 leads to (6, 8), with probability {written(total_of(2, 3).probability(6))}.",
        ),
        mends(
            "(4): the rating of rolling n",
            "the sum of 1 − rating",
            "the sum of probability · (1 − rating)",
            total == after,
            f"With the probabilities it gives {float(total):.6f} here, the solver's own figure; without them the sum "
            "need not even stay below 1.",
        ),
    ]
    heads = ("total", "probability", "next state", "its rating", "1 − rating")
    blocks: list[Block] = [
        Picture(
            "Figure 4 of the guide",
            "Optimal actions and ratings for normal states, M = 20, s = 3, as in Figure 3.",
            chart := _board(last=False),
            chart.words,
        ),
        Rows(
            "The example: rolling two three-sided dice at (2, 6), maximum 10", heads, rows, ("its rating", "1 − rating")
        ),
        Paragraph(
            f"The weighted sum is {written(total)} = {float(total):.6f}. Best is to roll "
            f"{counted(best, 'die', 'dice')}, rated {float(1 + Fraction(solution.value(state))) / 2:.6f}."
        ),
    ]
    commands = [*_boards("dice", "payoff"), "dicewise advise greed --max 10 --sides 3 2 6"]
    return Section("guide-normal", "Normal turns", blocks, claims, commands)


SOURCE = Source(
    "guide",
    "guide",
    "C. Addis: A Guide to Optimization and Optimal Play in Greed (2024)",
    write,
    share=4.0,
    errata=(
        Erratum("Lemma 2", "k in the binomial", "t"),
        Erratum("Lemma 4", "the title line drops a factor n", "with the factor n"),
        Erratum("(4)", "a sum without the probabilities", "each term times its probability"),
        Erratum(
            "last-turn transition",
            "the total is added to the wrong player's score",
            "it is added to the score of the player who rolls",
        ),
        Erratum("example from (2, 6)", "the successors without (6, 8)", "(6, 8) is one of them"),
        Erratum("proof of Lemma 2", "(xˢ + 1)ⁿ for the numerator", "(xˢ − 1)ⁿ"),
        Erratum("n* after (4)", "“0 if n = 1 else 0” for the last turn", "1 if n = 0, else 0"),
        Erratum("conclusion", "“tying is just as bad as winning”", "as losing"),
    ),
)
