"""How the policy of Greed moves when a tie counts as a loss, as a win, or as anything between.

A tie worth t to both players, in units in which a win is +1 and a loss -1, leaves the ordinary game for t = 0 only;
otherwise each plays for itself, and the smallest of equally good numbers of dice is played. Every value of t is solved
and its numbers of dice are held against those of t = 0. Two things are told apart: the smallest best number of dice is
another one, and the number that was best for t = 0 is no longer among the best. The second is asked by one step with
the other policy's dice, n0, from the solved values:

    loss(a, q) = V_t(a, q) - E_{n0(a, q)}(a; q),        E_n(a; q) = sum over faces f of p_f * E_{n-1}(a + f; q).

Where a tie is exactly a loss, whoever cannot win any more has nothing to choose; there the first is mostly that.
"""

from __future__ import annotations

import base64
import dataclasses
import zlib
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicewise._version import __version__
from dicewise.chart import Chart, Grid, Panel, Plane, Series
from dicewise.errors import InputError
from dicewise.games.greed import Greed
from dicewise.games.greed.solution import GreedSolution, solve_fast
from dicewise.study.boards import read_greed, spread
from dicewise.study.result import Study, Table, whole
from dicewise.study.work import Work

Floats = NDArray[np.float64]
Dice = NDArray[np.uint16]

TIES = tuple(Fraction(part, 2) for part in range(-2, 3))
MOST_TIES = 201

LOST = 1e-11
"""Losses up to this, in units of half of what is at stake, are rounding."""

MIDDLE = 1 << 15
"""What is added to shifts to pack them as numbers from 0 up."""

MOST_REGIONS = 6
"""Parts of the board that are printed of a value of a tie."""

PLACES = ("behind", "level", "ahead")


def read_ties(text: str) -> list[Fraction]:
    """`-1,0,1/2`, or a range `-1:1:0.25`."""
    try:
        if ":" in text:
            first, last, step = (Fraction(word) for word in text.split(":"))
            if step <= 0 or (last - first) / step > MOST_TIES:
                raise ValueError
            return [first + at * step for at in range(int((last - first) / step) + 1)]
        return [Fraction(word) for word in text.split(",")]
    except (ValueError, ZeroDivisionError):
        raise InputError(
            f"ties {text!r:.80} cannot be read; write a list -1,0,1/2 or a range -1:1:1/4, in units of lose = -1 and "
            f"win = 1, with at most {MOST_TIES} values"
        ) from None


def payoffs(game: Greed, ties: Sequence[Fraction] = TIES, *, work: Work | None = None) -> Study:
    """One ruleset with several values of a tie, in units of lose = -1 and win = 1."""
    work = work or Work()
    if game.win == game.lose:
        raise InputError(f"{game.spec} has nothing at stake: give a --win above --lose")
    if not game.constant_sum:
        raise InputError(
            f"tie {game.tie} is not half-way between lose {game.lose} and win {game.win}; study payoffs goes through "
            f"values of a tie by --ties, and holds them against --tie {tie_of(game, Fraction(0))}"
        )
    wrong = [tie for tie in ties if not -1 <= tie <= 1]
    if wrong or not ties or len(ties) > MOST_TIES:
        given = f"tie {wrong[0]}" if wrong else f"a list of {len(ties)} ties"
        raise InputError(f"{given} is not allowed; give 1 to {MOST_TIES} values from -1 (a loss) to 1 (a win)")
    units = sorted({*ties, Fraction(0)})
    ordinary = dataclasses.replace(game, tie=tie_of(game, Fraction(0)))
    # the ordinary policy first: all others are held against it
    plain = work.stage(0, 0.1).map(solve_plain, [ordinary.spec], "ordinary payoffs")[0]
    items = [[dataclasses.replace(game, tie=tie_of(game, unit)).spec, plain] for unit in units]
    found = work.stage(0.1, 1).map(solve_one, items, f"{len(units)} values of a tie")
    summary = _summary(game, units, found)
    tables = [summary, _regions(game, units, found)]
    findings = _findings(game, summary, tables[1])
    chart = _chart(game, units, found, findings)
    return Study("payoffs", ordinary.spec, tables, findings, chart, {"states": 2 * (game.max + 1) ** 2})


def tie_of(game: Greed, unit: Fraction) -> Fraction:
    """What a tie pays."""
    return Fraction(game.lose) + (Fraction(game.win) - Fraction(game.lose)) * (unit + 1) / 2


# ---- solving


def solve_plain(spec: str) -> list[str]:
    """The best dice in normal and in last turns, packed."""
    solution = solve_fast(read_greed(spec))
    return [_packed(solution.dice(last)) for last in (False, True)]


def solve_one(item: Sequence[Any]) -> dict[str, Any]:
    """One value of a tie, held against the ordinary policy."""
    game = read_greed(item[0])
    solution = solve_fast(game, ties=True)
    start = game.start()
    answer: dict[str, Any] = {
        "values": [float(value) for value in solution.values(start)],
        "chances": [*solution.chances(start)],
        "opening": solution.action(start),
        "stands": stands(solution.dice(False)),
        "doubts": solution.report.doubts,
        "dice": _packed(solution.dice(False)),
        "regions": [],
        "most_lost": 0.0,
    }
    half = float(Fraction(game.win - game.lose) / 2)
    for last, packed in zip((False, True), item[1], strict=True):
        plain, dice = _unpacked(packed, game), solution.dice(last)
        loss = loss_of(solution, plain, last)
        answer["most_lost"] = max(answer["most_lost"], float(loss.max()))
        shift, truly = dice.astype(int) - plain.astype(int), loss > LOST * half
        answer["regions"] += _by_place(shift, truly)
        if not last:
            answer["shift"] = _packed((np.where(truly, shift, 0) + MIDDLE).astype(np.uint16))
    return answer


def stands(dice: Dice) -> list[int | None]:
    """The least score from which on a mover who is level stands, the same against 0, and in how many states at all."""
    top = len(dice) - 1
    found: list[int | None] = []
    for column in (np.diagonal(dice), dice[:, 0]):
        rolls = np.flatnonzero(column)
        first = int(rolls[-1]) + 1 if len(rolls) else 0
        found.append(first if first <= top else None)
    return [*found, int((dice == 0).sum())]


def loss_of(solution: GreedSolution, dice: Dice, last: bool) -> Floats:
    """By [active, queued]: what one turn with these dice gives away, if everything after it is best play."""
    game = solution.game
    scores = np.arange(game.max + 1)
    win, tie, lose = (float(pay) for pay in (game.win, game.tie, game.lose))
    handed = {flag: _others(solution, flag).T for flag in (False, True)}  # by what the mover now has, and the other
    if last:
        ahead = scores[:, None] - scores
        landed = np.where(ahead > 0, win, np.where(ahead == 0, tie, lose))
        stand = landed
    else:
        landed, stand = handed[False], handed[True]
    worth, row = np.where(dice == 0, stand, lose), landed
    faces = [(face, weight / game.dice.total) for face, weight in game.dice]
    for n in range(1, int(dice.max()) + 1):
        following = np.zeros_like(row)
        for face, chance in faces:
            inside = max(len(scores) - face, 0)
            following[:inside] += chance * row[face:]
            following[inside:] += chance * lose
        row = following
        worth = np.where(dice == n, row, worth)
    return np.maximum(solution.payoffs(last) - worth, 0.0)


def _others(solution: GreedSolution, last: bool) -> Floats:
    """What the player who is not on move expects."""
    game = solution.game
    win, tie = solution.win_chances(last), solution.tie_chances(last)
    return float(game.lose) * win + float(game.tie) * tie + float(game.win) * (1 - win - tie)


def _by_place(shift: NDArray[Any], truly: NDArray[np.bool_]) -> list[list[int]]:
    """By quarter of the board that the leader's score lies in, and by place: states, those in which the smallest best
    number of dice is another, those in which the old one is no longer best, and the sum of the shifts of the latter."""
    size = len(shift)
    scores = np.arange(size)
    quarter = 4 * np.maximum(scores[:, None], scores) // size
    place = np.sign(scores[:, None] - scores) + 1
    kind = (3 * quarter + place).ravel()
    weights = (None, shift.ravel() != 0, truly.ravel(), (shift * truly).ravel())
    counts = [np.bincount(kind, weight, 12) for weight in weights]
    return [[int(count[at]) for count in counts] for at in range(12)]


def _packed(dice: Dice) -> str:
    return base64.b64encode(zlib.compress(np.ascontiguousarray(dice, dtype="<u2").tobytes())).decode()


def _unpacked(text: str, game: Greed) -> Dice:
    size = game.max + 1
    flat = np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype="<u2")
    return flat.reshape(size, size).astype(np.uint16)


# ---- tables


def _summary(game: Greed, units: Sequence[Fraction], found: Sequence[dict[str, Any]]) -> Table:
    rows = []
    for unit, answer in zip(units, found, strict=True):
        win, tie, lose = answer["chances"]
        counts = [np.sum(answer["regions"][12 * last : 12 * last + 12], axis=0) for last in (0, 1)]
        level, against_0, standing = answer["stands"]
        rows.append(
            {
                "ties": whole(unit),
                "tie": whole(tie_of(game, unit)),
                "first": answer["values"][0],
                "second": answer["values"][1],
                "wins": win,
                "tied": tie,
                "loses": lose,
                "opening": answer["opening"],
                "stands_at": level,
                "stands_against_0": against_0,
                "standing_states": standing,
                "other_dice": int(counts[0][1]),
                "changed": int(counts[0][2]),
                "shift": counts[0][3] / max(int(counts[0][2]), 1),
                "other_dice_last": int(counts[1][1]),
                "changed_last": int(counts[1][2]),
                "shift_last": counts[1][3] / max(int(counts[1][2]), 1),
                "most_lost": answer["most_lost"],
                "doubts": answer["doubts"],
            }
        )
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    shown = {"ties": "{}", "first": "{:+.4f}", "second": "{:+.4f}", "wins": "{:.1%}", "tied": "{:.1%}"}
    shown |= {"opening": "{}", "stands_at": "{}", "changed": "{:,}", "shift": "{:+.2f}"}
    brief = None if len(rows) <= 11 else spread(range(len(rows)), 11)
    return Table("ties", "by the value of a tie, from -1 (a loss) to 1 (a win)", columns, shown, brief)


def _regions(game: Greed, units: Sequence[Fraction], found: Sequence[dict[str, Any]]) -> Table:
    rows = []
    for unit, answer in zip(units, found, strict=True):
        for at, (states, other, truly, shift) in enumerate(answer["regions"]):
            last, rest = divmod(at, 12)
            quarter, place = divmod(rest, 3)
            row = {"ties": whole(unit), "turn": ("normal", "last")[last], "leader": f"quarter {quarter + 1}"}
            row |= {"mover": PLACES[place], "states": states, "other_dice": other, "changed": truly}
            rows.append(row | {"share": truly / states if states else None, "shift": shift / max(truly, 1)})
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    shown = {"ties": "{}", "turn": "{}", "leader": "{}", "mover": "{}", "states": "{:,}", "changed": "{:,}"}
    shown |= {"share": "{:.1%}", "shift": "{:+.2f}"}
    brief: list[int] = []
    for unit in sorted({units[0], units[-1]}):  # of both ends, where most of it happens
        changed = [at for at, row in enumerate(rows) if row["ties"] == unit and row["changed"]]
        brief += sorted(sorted(changed, key=lambda at: rows[at]["changed"], reverse=True)[:MOST_REGIONS])
    title = "where the dice change most; the leader's score by quarters of the board"
    return Table("regions", title, columns, shown if brief else {}, brief)


# ---- words and picture


def _findings(game: Greed, summary: Table, regions: Table) -> list[str]:
    columns, half = summary.columns, (game.max + 1) ** 2
    said = []
    for at in sorted({0, len(summary) - 1}):
        unit = columns["ties"][at]
        if unit == 0:
            continue
        word = {-1: "as a loss", 1: "as a win"}.get(int(unit) if unit.denominator == 1 else 0, f"{unit}")
        level = columns["stands_at"][at]
        said.append(
            f"When a tie counts {word}, the ordinary number of dice is no longer best in "
            f"{columns['changed'][at]:,} of {half:,} normal states and {columns['changed_last'][at]:,} "
            f"last turns, and costs up to {columns['most_lost'][at]:.3g} there; a level player stands "
            f"{'never for good' if level is None else f'from {level} on'} (ordinarily "
            f"{_ordinary(summary, 'stands_at')}), and {columns['tied'][at]:.1%} of games tie (ordinarily "
            f"{float(_ordinary(summary, 'tied')):.1%})."
        )
    advantage = [(a - b) / 2 for a, b in zip(columns["first"], columns["second"], strict=True)]
    low, high = min(advantage), max(advantage)
    said.append(f"Half of what the first player expects more than the second goes from {low:+.4f} to {high:+.4f}.")
    rows = [row for row in regions.rows() if row["turn"] == "normal"]
    total = sum(row["changed"] for row in rows)
    if total:
        late = sum(row["changed"] for row in rows if row["leader"] == "quarter 4")
        said.append(
            f"Of all changed normal states {late / total:.0%} have the leader in the last quarter of the board."
        )
    doubts = sum(columns["doubts"])
    if doubts:
        said.append(f"In {doubts:,} states doubles cannot tell which of near-equal numbers of dice is best.")
    return said


def _ordinary(summary: Table, name: str) -> Any:
    return summary.columns[name][list(summary.columns["ties"]).index(Fraction(0))]


def _chart(
    game: Greed,
    units: Sequence[Fraction],
    found: Sequence[dict[str, Any]],
    findings: Sequence[str],
) -> Chart:
    scores = [float(score) for score in range(game.max + 1)]
    panels: list[Panel] = []
    for at in spread([at for at, unit in enumerate(units) if unit], 3):
        shift = _unpacked(found[at]["shift"], game).astype(float) - MIDDLE
        # a few large shifts, from rolling to standing, would bleach all others
        changed = np.abs(shift[shift != 0])
        far = float(np.quantile(changed, 0.95)) if len(changed) else 1.0
        title, scale = f"A tie worth {units[at]}: change of the best dice", "dice more, normal turns"
        panels.append(
            Grid(title, "mover's score", "other's score", shift, scores, scores, scale, "diverging", (-far, far))
        )
    few = spread(range(len(units)), 5)
    lines = [
        Series(f"tie {units[at]}", scores, np.diagonal(_unpacked(found[at]["dice"], game)).tolist(), "steps")
        for at in few
    ]
    panels.append(Plane("Both level: the best number of dice", "both scores", "dice", lines))
    x = [float(unit) for unit in units]
    outcomes = zip(
        ("first wins", "tie", "first loses"), zip(*(each["chances"] for each in found), strict=True), strict=True
    )
    lines = [Series(name, x, list(chances)) for name, chances in outcomes]
    panels.append(Plane("How games end", "value of a tie, from a loss (-1) to a win (1)", "chance", lines))
    caption = [
        f"{game.spec}; each plays for itself, the smallest of equally good numbers of dice",
        f"dicewise {__version__}",
    ]
    return Chart("Greed when a tie counts otherwise", panels, caption, " ".join(findings))
