"""When to stand in Greed: how safe a stand is, which lead it takes, where last turns are balanced, and how much the
other's score matters.

With T(q, a) the value of a last turn and V(a, q) that of a normal one, standing at a against q is worth what T(q, a)
leaves, and is right where no roll is worth more: where the smallest best number of dice is 0. How safe it is, the
other's share says, (T(q, a) - lose) / (win - lose): wins, and ties by what they pay. Wins alone would not do, as
equally good numbers of dice win and tie differently. `balanced` looks at where T crosses 0, `regard` at how the best
number of dice depends on q.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicewise._version import __version__
from dicewise.chart import Chart, Grid, Mark, Panel, Plane, Series
from dicewise.errors import InputError
from dicewise.games.greed import Greed
from dicewise.games.greed.solution import GreedSolution, solve_fast
from dicewise.study.balanced import Fit, band, band_table, on_band
from dicewise.study.regard import CLAIM, KINDS, held, on_price, on_regard, price_table, regard_table, shares_of
from dicewise.study.result import Study, Table, spaced
from dicewise.study.work import Work

Ints = NDArray[np.int64]


def study_stop(game: Greed, work: Work | None = None) -> Study:
    """Everything about standing in one ruleset."""
    work = work or Work()
    if game.win == game.lose:
        raise InputError(f"{game.spec} pays the same for a win and a loss, so nothing is at stake; choose lose < win")
    solution = solve_fast(game, ties=True, progress=work.stage(0.0, 0.2).tell)
    safety, leads, against = _safety(solution), _leads(solution), _against(solution)
    points = band(solution)
    fit, bands = band_table(game, points)
    regard, shares = regard_table(solution), shares_of(solution)
    ignored = price_table(game, work.stage(0.2, 1.0))
    tables = [safety, leads, against, bands, regard, ignored]
    findings = [
        *_on_safety(solution, safety),
        *_on_leads(game, leads, against),
        *on_band(game, fit),
        *on_regard(game, shares, regard),
        *on_price(game, ignored),
    ]
    facts = {"value": float(solution.value(game.start())), **fit.facts(), **shares}
    return Study("stop", game.spec, tables, findings, _chart(game, solution, tables, fit), facts)


# ---- how safe standing is


def _others(game: Greed) -> dict[str, Ints]:
    """The other player's score, by own score: at the start, half-way, one die (its largest face) behind, level."""
    scores = np.arange(game.max + 1)
    behind = np.maximum(scores - game.dice.outcomes[-1], 0)
    return {"start": 0 * scores, "half": 0 * scores + game.max // 2, "behind": behind, "level": scores}


def _safety(solution: GreedSolution) -> Table:
    game = solution.game
    scores = np.arange(game.max + 1)
    win, tie, dice = solution.win_chances(True), solution.tie_chances(True), solution.dice(True)
    pay_win, pay_tie, pay_lose = (float(pay) for pay in (game.win, game.tie, game.lose))
    share = (solution.payoffs(True) - pay_lose) / (pay_win - pay_lose)
    columns: dict[str, Sequence[Any]] = {"score": scores.tolist()}
    for name, q in _others(game).items():
        wins, ties = win[q, scores], tie[q, scores]  # of the other player, who has the last turn
        worth = pay_lose * wins + pay_tie * ties + pay_win * (1 - wins - ties)
        columns[f"other_{name}"] = q.tolist()
        columns[f"value_{name}"] = worth.tolist()
        columns[f"share_{name}"] = share[q, scores].tolist()
        columns[f"reply_{name}"] = dice[q, scores].tolist()
        columns[f"wins_{name}"] = wins.tolist()
        columns[f"ties_{name}"] = ties.tolist()
    near = [at for at in range(game.max + 1) if 10 * at >= 7 * game.max]
    brief = [near[at] for at in spaced(len(near), 11)]
    shown = {"score": "{}", **{f"share_{name}": "{:.1%}" for name in _others(game)}}
    title = f"the other's share after a stand ({_tie_counts(game)}): at 0, half-way, a largest face behind, level"
    return Table("safety", title, columns, shown, brief)


def _tie_counts(game: Greed) -> str:
    return f"a tie counts {Fraction(game.tie - game.lose) / Fraction(game.win - game.lose)}"


def _on_safety(solution: GreedSolution, table: Table) -> list[str]:
    game, rows = solution.game, list(table.rows())
    noise = 4 * (solution.report.error_bound or 1e-12) / float(game.win - game.lose)

    def safe_from(name: str, share: float) -> int | None:
        """The least score from which on the other gets no more."""
        found = None
        for row in reversed(rows):
            if row[f"share_{name}"] > share + noise:
                break
            found = row["score"]
        return found

    said = []
    for name, words in (("start", "at the start"), ("level", "at the same score")):
        scores = [(share, safe_from(name, share)) for share in (0.5, 0.25, 0.1)]
        best = {score: share for share, score in scores if score is not None}  # the smallest share of each score
        parts = [f"at most {share:.0%} from {score} on" for score, share in best.items()]
        if parts:
            said.append(f"Against a stand the other player {words} has a share of {', '.join(parts)}.")
    at = [min(round(part * game.max), game.max) for part in (0.8, 0.85, 0.9)]
    shares = [f"{rows[score]['share_start']:.0%} and {rows[score]['share_level']:.0%} at {score}" for score in at]
    said.append(
        "Halting at 80 to 90 % of the maximum leaves the other player, at the start and at the same score, a share of "
        f"{', '.join(shares)}: the chance to win, where {_tie_counts(game)}."
    )
    return said


# ---- at which lead standing is right


def standing(solution: GreedSolution) -> NDArray[np.bool_]:
    """Where standing is a best choice, [active, queued]; where all is lost anyway it does not count as right."""
    noise = 4 * (solution.report.error_bound or 1e-12)
    found: NDArray[np.bool_] = (solution.dice(False) == 0) & (
        solution.payoffs(False) > float(solution.game.lose) + noise
    )
    return found


def _leads(solution: GreedSolution) -> Table:
    stands = standing(solution)
    scores = range(len(stands))
    up_to = [held(row) for row in stands]
    last = [int(np.flatnonzero(row)[-1]) if row.any() else None for row in stands]
    columns: dict[str, Sequence[Any]] = {
        "score": list(scores),
        "stands": [bool(row.any()) for row in stands],
        "up_to": [None if q < 0 else q for q in up_to],
        "least_lead": [None if q < 0 else a - q for a, q in zip(scores, up_to, strict=True)],
        "last": last,
        "gaps": [0 if q is None else int((~row[:q]).sum()) for row, q in zip(stands, last, strict=True)],
    }
    some = [a for a in scores if stands[a].any()]
    shown = {"score": "{}", "up_to": "{}", "least_lead": "{}", "last": "{}", "gaps": "{}"}
    title = "standing is right against scores up to up_to, then again and not again (gaps) up to last"
    return Table("leads", title, columns, shown, [some[at] for at in spaced(len(some), 12)])


def _against(solution: GreedSolution) -> Table:
    stands = standing(solution).T
    scores = range(len(stands))
    columns: dict[str, Sequence[Any]] = {
        "other": list(scores),
        "first": [int(row.argmax()) if row.any() else None for row in stands],
        "always": [len(row) - 1 - held(row[::-1]) if row[-1] else None for row in stands],
    }
    columns["gaps"] = [
        0 if first is None else int((~row[first:]).sum()) for row, first in zip(stands, columns["first"], strict=True)
    ]
    shown = {"other": "{}", "first": "{}", "always": "{}", "gaps": "{}"}
    title = "the first own score at which standing is right against other, and from which on always"
    return Table("against", title, columns, shown, spaced(len(scores), 9))


def _on_leads(game: Greed, leads: Table, against: Table) -> list[str]:
    rows = [row for row in leads.rows() if row["stands"]]
    level = next((row["score"] for row in rows if row["up_to"] is not None and row["up_to"] >= row["score"]), None)
    said = [f"Standing is never right below {rows[0]['score']}."]
    started = against.columns["first"][0]
    if started is not None:
        said[0] += f" Against a player at 0 it is right from {started} on"
        said[0] += f", and against any score up to one's own from {level} on." if level is not None else "."
    torn = [row["score"] for row in rows if row["gaps"] or row["up_to"] is None]
    gaps = [row["other"] for row in against.rows() if row["gaps"]]
    said.append(
        "For every own score the others' scores against which standing is right are 0 to some q without a gap: there "
        "is one least lead."
        if not torn
        else f"For {len(torn)} of {len(rows)} own scores ({_listed(torn)}) the others' scores against which standing "
        "is right have gaps: there is no single lead from which on it is."
    )
    if gaps:
        said.append(
            f"Against {len(gaps)} scores ({_listed(gaps)}) standing is right at some score and wrong at a higher."
        )
    turned = [
        f"{b['score']} ({b['least_lead']} after {a['least_lead']})"
        for a, b in pairwise(rows)
        if a["least_lead"] is not None and b["least_lead"] is not None and b["least_lead"] > a["least_lead"]
    ]
    if turned:
        said.append(f"The least lead falls with the own score, but not at {', '.join(turned[:6])}.")
    return said


def _listed(scores: Sequence[int], most: int = 6) -> str:
    return ", ".join(map(str, scores[:most])) + (", ..." if len(scores) > most else "")


# ---- the figure


def _chart(game: Greed, solution: GreedSolution, tables: Sequence[Table], fit: Fit) -> Chart:
    columns = {table.name: table.columns for table in tables}
    safety, bands, regard, ignored = (columns[name] for name in ("safety", "band", "regard", "ignored"))
    scores = list(range(game.max + 1))
    words = {"start": "at 0", "half": "half-way", "behind": "a largest face behind", "level": "level"}
    series = [Series(f"the other is {words[name]}", scores, safety[f"share_{name}"]) for name in _others(game)]
    label = f"the other's share ({_tie_counts(game)})"
    shares = Plane("After a stand", "own score", label, series, [Mark("", 0.5)])
    first = next((a for a in scores if columns["leads"]["stands"][a]), 0)
    low = max(0, first - max(2, (game.max - first) // 2))
    kinds = standing(solution)[low:].astype(float)
    shown = [float(a) for a in scores]
    where = Grid(
        "Where standing is right",
        "own score",
        "the other's score",
        kinds,
        shown[low:],
        shown,
        "",
        "kinds",
        None,
        ("roll", "stand"),
    )
    widths = [Series("measured", bands["room"], bands["width"], "dots")]
    if fit.power is not None:
        widths.append(Series(f"{fit.factor:.3g} (M - a)^{fit.power:.3f}, fitted", bands["room"], bands["fitted"]))
    widths.append(Series("normal distribution, nothing fitted", bands["room"], bands["theory"]))
    balanced = Plane(
        "Balanced last turns", "own distance from the maximum, M - a", "the other's, M - q", widths, log="xy"
    )
    reach = [
        Series("the same number of dice", scores, regard["same_up_to"], "steps"),
        Series("within one die", scores, regard["near_up_to"], "steps"),
    ]
    marks = [Mark(f"{CLAIM:.0%} of the maximum", CLAIM * game.max)]
    matters = Plane("The best n is as against 0", "own score", "up to this score of the other", reach, marks)
    each = len(ignored["up_to"]) // len(KINDS)
    losses = [
        Series(f"{words}, {label}", ignored["up_to"][at : at + each], _positive(ignored[name][at : at + each]))
        for at, words in zip(range(0, 3 * each, each), KINDS.values(), strict=True)
        for name, label in (("both", "best play"), ("exploited", "best answer"))
        if None not in ignored[name]
    ]
    costs = Plane(
        "What ignoring the other's score loses", "ignored up to", "payoff lost, mean of both seats", losses, log="y"
    )
    near = [at for at, room in enumerate(bands["room"]) if bands["width"][at] > 0]
    off = [bands["theory"][at] - bands["width"][at] for at in near]
    rest = Series("", [bands["room"][at] for at in near], off)
    misses = Plane(
        "The normal distribution, off by", "own distance from the maximum, M - a", "points", [rest], [Mark("", 0)]
    )
    panels: list[tuple[Panel, str]] = [
        (shares, "the other player's share after a stand, by own score"),
        (where, "the states in which standing is right"),
        (
            balanced,
            "the band of balanced last turns on logarithmic axes, with a fitted power and the curve that the normal "
            "distribution gives",
        ),
        (misses, "how far that curve is off"),
        (matters, "up to which score of the other the best number of dice stays what it is against 0"),
        (costs, "what is lost by ignoring the other's score"),
    ]
    panels = [(panel, words) for panel, words in panels if _to_be_seen(panel)]
    return Chart(
        "Standing in Greed",
        [panel for panel, _ in panels],
        [game.spec, f"dicewise {__version__}"],
        f"Panels: {'; '.join(words for _, words in panels)}.",
    )


def _to_be_seen(panel: Panel) -> bool:
    """Small rulesets have no curve: one point, or nothing on an axis that grows by factors."""
    return not isinstance(panel, Plane) or any(np.isfinite(each.y).sum() > 1 for each in panel.series)


def _positive(values: Sequence[float]) -> list[float]:
    """On an axis that grows by factors nothing is shown as nothing, and so is what rounding leaves of it."""
    return [value if value > 1e-12 else float("nan") for value in values]
