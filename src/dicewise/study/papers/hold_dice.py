"""A. Lukic, "Solving a game of dice using value iteration": its scores and its tuning, beside exact ones.

The source's algorithm is told again in `study.discount`; here its tables are held against what its policies are worth.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np

from dicewise._version import __version__
from dicewise.chance import faces_of
from dicewise.chart import Chart, Mark, Plane, Series
from dicewise.document import Block, Paragraph, Picture, Rows, Section
from dicewise.engine.solve import solve
from dicewise.games.hold_dice import HoldDice
from dicewise.games.hold_dice._layout import dice_of
from dicewise.games.hold_dice.policy import evaluate, evaluate_exactly
from dicewise.study import discount
from dicewise.study.papers.hold_dice_tables import (
    AVERAGES,
    BATCHES,
    GAMMA_SCORES,
    GAMMA_SECONDS,
    GAMMAS,
    THETA_SCORES,
    THETA_SECONDS,
    THETAS,
    TOTAL_GAMES,
)
from dicewise.study.papers.source import Chapter, Erratum, Question, Source, holds, mends, signed, written
from dicewise.study.work import Work

GAME = HoldDice(3, 6)
GAMMA, THETA = 0.96, 0.1
"""The source's choice."""
FIRST_THETA = 0.01
"""What it had chosen first, and tuned gamma with."""
FINE = 1e-9
"""A theta at which nothing moves any more."""


def write(work: Work) -> Chapter:
    runs = work.stage(0.3, 1.0).map(tuned, list(GAMMAS), "running the source's algorithm")
    lead = Paragraph(
        "Roll some dice; then hold any of them and reroll the others for 1 point, as often as you like; when you "
        "stick, values shown twice or more are flipped upside down, and the sum is your score. The source finds a "
        "policy by value iteration with a discount γ that stops when a sweep changes no value by θ, plays games with "
        "it, and tunes both. dicewise solves the game exactly, and evaluates each of the source's policies exactly."
    )
    scores = _scores(work.stage(0.0, 0.3))
    sections = [scores, _rolls(), _gamma(runs), _theta(runs), _twice()]
    best = max(range(len(GAMMAS)), key=lambda at: runs[at]["scores"][0])
    question = Question(
        "Which discount and which threshold are best?",
        f"None: the game has no discount. γ near {GAMMAS[best]:g} is best for three dice because it happens to offset "
        "a final score that is counted twice; the optimum itself needs neither.",
        "dicewise study discount hold-dice",
    )
    return Chapter(Section(SOURCE.name, SOURCE.title, [lead], sections=sections), [question])


# ---- scores


def _scores(work: Work) -> Section:
    games = [list(key) for key in AVERAGES]
    found = work.map(measured, games, "evaluating the source's policies")
    rows, claims = [], []
    for (dice, sides), each in zip(AVERAGES, found, strict=True):
        theirs, batches = AVERAGES[dice, sides], BATCHES[dice, sides]
        number = TOTAL_GAMES[dice, sides]
        error = each["deviation"] / sqrt(number)
        off = (float(theirs) - each["score"]) / error
        name = f"{dice}d{sides}"
        optimum = Fraction(each["optimum"])
        rows.append(
            [
                name,
                theirs,
                f"{number:,}",
                f"{each['score']:.5f}",
                f"{error:.3f}",
                signed(off, "{:+.1f}"),
                f"{float(optimum):.5f}",
                signed((float(theirs) - float(optimum)) / error, "{:+.1f}"),
            ]
        )
        spread = f" Its ten batches spread by {np.std(batches, ddof=1):.3f}." if len(batches) > 1 else ""
        loss = float(optimum) - each["score"]
        claims.append(
            holds(
                f"Average score of {number:,} games, {name}",
                theirs,
                f"{each['score']:.4f} ± {error:.3f}; optimum {float(optimum):.6g}",
                abs(off) < 3,
                f"The policy of γ = {GAMMA}, θ = {THETA} is worth {_short(each['exact'], each['score'])}"
                + (f", {loss:.2g} below the optimum" if loss > 1e-9 else ", the optimum")
                + f" {_short(each['optimum'], float(optimum))}. {abs(off):.1f} standard errors away.{spread}",
            )
        )
    three = HoldDice(3, 3)
    value = Fraction(solve(three, exact=True).value(three.start()))
    claims.append(
        mends(
            "Average score of three dice with three sides, in the text",
            "4.3",
            f"{float(value):.4f}",
            f"{float(AVERAGES[2, 3]):.1f}" in ("4.2", "4.3") and f"{float(value):.1f}" != "4.3",
            f"The best play of 3d3 scores {written(value)}. Its own table says that 4.25 is of two dice.",
        )
    )
    heads = (
        "dice",
        "the source",
        "games",
        "its policy, exactly",
        "s.e.",
        "off by (s.e.)",
        "best play",
        "off by (s.e.) then",
    )
    blocks: list[Block] = [
        Rows("Mean scores, as measured by the source and exactly", heads, rows, heads[1:]),
        Paragraph(
            "s.e. is the standard error of the mean of so many games, from the exact standard deviation of one game. "
            "All three averages are what chance allows for the source's own policies; they cannot tell its policy from "
            "the best one where the two are closer than a standard error."
        ),
    ]
    commands = [
        "dicewise solve hold-dice --exact",
        "dicewise study discount hold-dice --gamma 0.96 --theta 0.1 --exact",
    ]
    return Section("hold-scores", "The score tables", blocks, claims, commands)


def _short(fraction: str | None, value: float) -> str:
    """A fraction where it is short enough to be read."""
    return fraction if fraction is not None and len(fraction) <= 15 else f"{value:.12g}"


def measured(item: list[int]) -> dict[str, Any]:
    """The source's policy and the optimum, for so many dice with so many sides."""
    game = HoldDice(*item)
    source = discount.Source(game)
    chosen = source.run(GAMMA, [THETA])[0].chosen
    worth = evaluate(source.dice, chosen)
    exact = evaluate_exactly(dice_of(game, exact=True), chosen)
    return {
        "score": worth.score,
        "deviation": worth.deviation,
        "exact": None if exact is None else str(exact),
        "optimum": str(Fraction(solve(game, exact=True).value(game.start()))),
    }


# ---- rolls


def _rolls() -> Section:
    rolls = faces_of(3, 6)
    kinds = Counter(rolls.weights)
    names = {1: "three alike (1 1 1)", 3: "a pair (1 1 2)", 6: "all different (1 2 3)"}
    rows = [
        [names[weight], str(count), f"{weight}/{rolls.total}", f"{count * weight}/{rolls.total}"]
        for weight, count in sorted(kinds.items())
    ]
    claims = [
        holds("Rolls of three six-sided dice", "56", str(len(rolls)), len(rolls) == 56),
        mends(
            "The rolls of three dice are equally probable",
            "1/56 each",
            " or ".join(f"{weight}/{rolls.total}" for weight in sorted(kinds)),
            len(kinds) > 1,
            "All 216 ordered rolls are. Its program knows: its averages are right.",
        ),
    ]
    heads = ("roll", "how many", "probability of each", "together")
    return Section("hold-rolls", "The 56 states", [Rows("", heads, rows, heads[1:])], claims)


# ---- tuning


def tuned(gamma: float) -> dict[str, Any]:
    """What the source's algorithm finds for one gamma and all its thetas."""
    source = discount.Source(GAME)
    stops = source.run(gamma, THETAS)
    known: dict[bytes, float] = {}
    for stop in stops:
        key = stop.chosen.tobytes()
        if key not in known:
            known[key] = evaluate(source.dice, stop.chosen).score
    return {"scores": [known[stop.chosen.tobytes()] for stop in stops], "sweeps": [stop.sweeps for stop in stops]}


def _optimum() -> float:
    return float(solve(GAME).value(GAME.start()))


def _off(theirs: Any, exact: Any) -> tuple[float, float]:
    """How far two rows of numbers are apart: on average, and root mean square."""
    gap = np.asarray(theirs) - np.asarray(exact)
    return float(gap.mean()), float(np.sqrt((gap**2).mean()))


def _deviation() -> float:
    source = discount.Source(GAME)
    return evaluate(source.dice, source.run(GAMMA, [THETA])[0].chosen).deviation


def _chart(title: str, axis: str, at: Any, theirs: Any, exact: Any, seconds: Any, sweeps: Any, words: str) -> Chart:
    best = Mark(f"best play: {_optimum():.4f}", _optimum())
    scores = [Series("its policy, exactly", at, exact), Series("the source, by games", at, theirs, "dots")]
    unit = float(np.dot(seconds, sweeps) / np.dot(sweeps, sweeps))
    times = [
        Series(f"sweeps, at {unit:.3f} s each", at, [unit * each for each in sweeps], "steps"),
        Series("the source’s time", at, seconds, "dots"),
    ]
    panels = [
        Plane("mean score", axis, "mean score", scores, [best]),
        Plane("time to converge", axis, "seconds, as the source measured them", times),
    ]
    return Chart(title, panels, [GAME.spec, f"dicewise {__version__}"], words)


def _gamma(runs: list[dict[str, Any]]) -> Section:
    first = THETAS.index(FIRST_THETA)
    exact, sweeps = [run["scores"][first] for run in runs], [run["sweeps"][first] for run in runs]
    mean, spread = _off(GAMMA_SCORES, exact)
    deviation = _deviation()
    lucky, truly = int(np.argmax(GAMMA_SCORES)), int(np.argmax(exact))
    chart = _chart(
        "Tuning γ",
        "γ",
        GAMMAS,
        GAMMA_SCORES,
        exact,
        GAMMA_SECONDS,
        sweeps,
        "Exact scores rise in steps from 12.7 to 13.35 at a discount near 0.96 and fall again; the source's figures "
        "scatter around them.",
    )
    claims = [
        holds(
            "Raising γ from 0.90 to 0.96 improves the score",
            f"{GAMMA_SCORES[GAMMAS.index(0.9)]} to {GAMMA_SCORES[GAMMAS.index(GAMMA)]}",
            f"{exact[GAMMAS.index(0.9)]:.4f} to {exact[GAMMAS.index(GAMMA)]:.4f}",
            exact[GAMMAS.index(GAMMA)] > exact[GAMMAS.index(0.9)],
            "Exact scores of the policies, θ = 0.01.",
        ),
        holds(
            "Each score is an average of 10,000 games",
            f"standard error {deviation / 100:.3f}",
            f"off by {spread:.3f} (root mean square)",
            spread < 1.5 * deviation / 100,
            f"That is what about {round((deviation / spread) ** 2, -2):,.0f} games would give; some of its captions "
            f"speak of 1000. On average its scores are {abs(mean):.4f} off: no bias.",
        ),
    ]
    blocks: list[Block] = [
        Picture(
            "The γ pictures of the source",
            "60 discounts, θ = 0.01: mean scores, and time to converge.",
            chart,
            chart.words,
        ),
        Paragraph(
            f"By its games the best γ is {GAMMAS[lucky]:g} ({GAMMA_SCORES[lucky]}), a policy worth {exact[lucky]:.4f}; "
            f"in truth {GAMMAS[truly]:g} is best among these, worth {exact[truly]:.5f}, and the optimum is "
            f"{_optimum():.5f}. 60 discounts are {len(set(exact))} different scores."
        ),
        _some("γ", GAMMAS, GAMMA_SCORES, exact, sweeps, range(0, 60, 5), deviation),
    ]
    command = "dicewise study discount hold-dice --gamma 0.88:0.998:0.002 --theta 0.01 -o gamma.png"
    return Section("hold-gamma", "Tuning γ", blocks, claims, [command])


def _some(name: str, at: Any, theirs: Any, exact: Any, sweeps: Any, rows: range, deviation: float) -> Rows:
    error = deviation / 100
    shown = [
        [
            f"{at[i]:g}",
            f"{theirs[i]:g}",
            f"{exact[i]:.4f}",
            signed((theirs[i] - exact[i]) / error, "{:+.1f}"),
            str(sweeps[i]),
        ]
        for i in rows
    ]
    heads = (name, "the source", "exact", "off by (s.e. of 10,000)", "sweeps")
    return Rows(f"Every {rows.step}th of the source's {len(at)} rows", heads, shown, heads)


def _theta(runs: list[dict[str, Any]]) -> Section:
    fits = [_off(THETA_SCORES, run["scores"])[1] for run in runs]
    at = int(np.argmin(fits))
    exact, sweeps = runs[at]["scores"], runs[at]["sweeps"]
    mean, spread = _off(THETA_SCORES, exact)
    worths = sorted(set(exact), reverse=True)
    noise = 1 - float(np.var(exact)) / float(np.var(THETA_SCORES))
    chart = _chart(
        f"Tuning θ, γ = {GAMMAS[at]:g}",
        "θ",
        THETAS,
        THETA_SCORES,
        exact,
        THETA_SECONDS,
        sweeps,
        "The exact score falls by a few hundredths in two or three steps as theta grows to 5; the source's figures "
        "scatter by a tenth around it. Its times fall in steps, as the number of sweeps does.",
    )
    claims = [
        holds(
            "A larger θ does not notably reduce the score",
            f"{THETA_SCORES[0]} at 0.01, {THETA_SCORES[-1]} at 4.99",
            f"{exact[0]:.4f} and {exact[-1]:.4f}",
            exact[0] - exact[-1] < 0.05,
            f"Exactly, at γ = {GAMMAS[at]:g}, which fits its table best ({spread:.3f} root mean square, "
            f"{signed(mean, '{:+.4f}')} on average); it does not say which γ it used.",
        ),
        holds(
            "A larger θ is faster",
            f"{THETA_SECONDS[0]} s at 0.01, {THETA_SECONDS[-1]} s at 4.99",
            f"{sweeps[0]} and {sweeps[-1]} sweeps",
            sweeps[-1] < sweeps[0],
        ),
    ]
    blocks: list[Block] = [
        Picture("The θ pictures of the source", f"250 thresholds, γ = {GAMMAS[at]:g}.", chart, chart.words),
        Paragraph(
            f"250 settings are {len(worths)} different scores, {', '.join(f'{worth:.3f}' for worth in worths)}. "
            f"{noise:.0%} of the variance in the source's table, which goes from {min(THETA_SCORES)} to "
            f"{max(THETA_SCORES)}, is sampling noise."
        ),
        _some("θ", THETAS, THETA_SCORES, exact, sweeps, range(0, 250, 25), _deviation()),
    ]
    command = f"dicewise study discount hold-dice --gamma {GAMMAS[at]:g} --theta 0.01:4.99:0.02 -o theta.png"
    return Section("hold-theta", "Tuning θ", blocks, claims, [command])


# ---- why there is a best gamma


def _twice() -> Section:
    source = discount.Source(GAME)
    whole = dice_of(GAME, exact=True)
    rows = []
    worths = {}
    for gamma in (0.9, 0.95, GAMMA, 0.98, 1.0):
        stop = source.run(gamma, [FINE])[0]
        worth, exact = evaluate(source.dice, stop.chosen), evaluate_exactly(whole, stop.chosen)
        worths[gamma] = worth
        rows.append([f"{gamma:g}", f"{1 + gamma:g}", f"{worth.rerolls:.2f}", f"{worth.score:.5f}", str(exact)])
    optimum = solve(GAME, exact=True)
    value = Fraction(optimum.value(GAME.start()))
    rows.append(["best play", "1", "", f"{float(value):.5f}", str(value)])
    claim = mends(
        "The algorithm is value iteration of this game",
        "sticking is worth S",
        "it is paid S + γS",
        worths[1.0].score < worths[GAMMA].score,
        f"The final score is paid as a reward and once more as what follows. With γ = 1 rerolls look half as dear as "
        f"they are, and the policy is worth {worths[1.0].score:.3f}; a discount makes waiting dear again, and near "
        f"{GAMMA} the two errors cancel.",
    )
    heads = ("γ", "a final score counts", "rerolls paid for", "exact score", "as a fraction")
    table = Rows(f"The source's policies when sweeps go on to θ = {FINE:g}", heads, rows, heads[:4])
    command = f"dicewise study discount hold-dice --gamma 0.9,0.95,0.96,0.98,1 --theta {FINE:g} --exact"
    return Section("hold-twice", "Why there is a best γ below 1", [table], [claim], [command])


SOURCE = Source(
    "hold-dice",
    "hold dice",
    "A. Lukic: Solving a game of dice using value iteration",
    write,
    share=3.0,
    errata=(
        Erratum("Method", "all 56 states are equally probable", "1/216, 3/216 or 6/216 each"),
        Erratum(
            "Method", "4.3 for three dice with three sides", "that is the score of two dice; with three it is 394/55"
        ),
        Erratum(
            "value iteration",
            "sticking is worth the final score and γ times it again",
            "the final score, once",
        ),
        Erratum("value iteration", "values below 0 are taken for 0", "scores may be negative"),
        Erratum(
            "individual measurements",
            "headings of 10,000 games, captions of 1000",
            "its scatter is that of about 1,000 games",
        ),
    ),
)
