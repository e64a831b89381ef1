"""What going first is worth, over many rulesets of Greed; who is worse off, the limit, and the mover who is behind.

With W, T and L the chances that the first player wins, ties and loses when both play their best, the advantage of
going first is (W - L) * (win - lose) / 2: half of what the first player expects more than the second, which for the
usual payoffs is the value of the start. Its sign is decided by the bound on the rounding error of the solver, and by
exact arithmetic where that leaves a doubt. Up to a maximum it is exact arithmetic alone that decides, and it judges
the fast values, too.

All maxima of one kind of dice are read off one board, see `boards`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dicewise._version import __version__
from dicewise.chart import Chart, Grid, Mark, Panel, Plane, Series, number_grid
from dicewise.errors import InputError
from dicewise.games.greed.exact import solve_exactly
from dicewise.games.greed.solution import solve_fast
from dicewise.study.boards import (
    Family,
    advantages,
    by_maximum,
    exact_advantage,
    families,
    in_ranges,
    read_greed,
    spread,
)
from dicewise.study.limits import LAWS, Limit, averages, limit_of
from dicewise.study.result import Study, Table
from dicewise.study.rulesets import Rulesets
from dicewise.study.work import Work

EXACT_UP_TO, FAR = 60, 1000

SETTLED_UP_TO = 200
"""Maxima up to which a doubt about a sign is settled by exact arithmetic."""

QUARTERS = ("first", "second", "third", "last")


def first_move(
    rulesets: Rulesets, *, exact_up_to: int = EXACT_UP_TO, far: int = FAR, work: Work | None = None
) -> Study:
    """The advantage of going first in every ruleset; `far` is the maximum from which the limit is guessed, 0 for no
    limit."""
    work = work or Work()
    for name, number in (("exact-up-to", exact_up_to), ("far", far)):
        if number < 0:
            raise InputError(f"{name} {number} is not allowed; it is a maximum of Greed, or 0 for none")
    kinds = families(rulesets, "first-move")
    boards = work.stage(0, 0.2).map(solve_board, [_text(kind, kind.largest.max) for kind in kinds], "solving")
    exact = _exactly(kinds, boards, exact_up_to, work.stage(0.2, 0.5))
    limits = _limits(kinds, far, work.stage(0.5, 1))
    starts = _starts(kinds, boards, exact)
    tables = [starts, _worse(kinds, starts), *_limit_table(kinds, limits), _behind(kinds, boards)]
    facts = _agreement(starts)
    findings = _findings(starts, kinds, limits, boards, facts)
    chart = _chart(rulesets, kinds, starts, limits, boards, findings)
    return Study("first-move", rulesets.text, tables, findings, chart, facts)


# ---- solving


def solve_board(spec: str) -> dict[str, Any]:
    """One board: the starts of all its maxima, and who is favoured behind."""
    game = read_greed(spec)
    solution = solve_fast(game)
    ahead = advantages(solution)
    return {
        "value": by_maximum(solution.payoffs())[1:].tolist(),
        "advantage": by_maximum(ahead)[1:].tolist(),
        "opening": by_maximum(solution.dice())[1:].tolist(),
        "bound": solution.report.error_bound,
        "behind": behind(ahead, solution.report.error_bound or 0.0),
        "by_deficit": ahead[0].tolist(),
    }


def solve_far(spec: str) -> list[float]:
    """The advantage by maximum, of a large board."""
    starts: list[float] = by_maximum(advantages(solve_fast(read_greed(spec))))[1:].tolist()
    return starts


def solve_exact(spec: str) -> list[list[Any]]:
    """By maximum: value and advantage as fractions, and the best opening."""
    game = read_greed(spec)
    solution = solve_exactly(game)
    found = []
    for score in range(game.max - 1, -1, -1):
        state = game.at(score, score)
        value = Fraction(solution.value(state))
        found.append([str(value), str(exact_advantage(solution, score, score)), solution.action(state)])
    return found


def behind(ahead: Any, bound: float) -> list[list[int]]:
    """By deficit d = 0, 1, 2 ...: in how many states (a, a + d) there are, and in how many the mover is favoured, for
    each quarter of the board that the leader's score a + d may lie in."""
    top = len(ahead) - 1
    counts = []
    for deficit in range(top + 1):
        favoured = np.diagonal(ahead, deficit) > bound
        quarter = 4 * np.arange(deficit, top + 1) // (top + 1)
        row = np.bincount(quarter, minlength=4).tolist() + np.bincount(quarter, favoured, 4).astype(int).tolist()
        counts.append(row)
    return counts


def _text(kind: Family, top: int) -> str:
    return kind.at(top).spec


def _exactly(kinds: Sequence[Family], boards: Sequence[Any], up_to: int, work: Work) -> list[list[list[Any]]]:
    """Exact starts by family, of all maxima that are small, and of those in doubt."""
    tops = []
    for kind, board in zip(kinds, boards, strict=True):
        doubts = [m for m in kind.maxima if up_to < m <= SETTLED_UP_TO and not _is_sure(board, m)]
        tops.append(max([min(up_to, kind.maxima[-1]), *doubts]))
    asked = [at for at, top in enumerate(tops) if top > 0]
    found = work.map(solve_exact, [_text(kinds[at], tops[at]) for at in asked], "solving exactly")
    answers: list[list[list[Any]]] = [[] for _ in kinds]
    for at, answer in zip(asked, found, strict=True):
        answers[at] = answer
    return answers


def _is_sure(board: dict[str, Any], top: int) -> bool:
    return board["bound"] is not None and abs(board["advantage"][top - 1]) > board["bound"]


def _limits(kinds: Sequence[Family], far: int, work: Work) -> list[tuple[list[float], Limit | None]]:
    if not far:
        return [([], None) for _ in kinds]
    found = work.map(solve_far, [_text(kind, far) for kind in kinds], f"solving maxima up to {far}")
    return [(values, limit_of(np.array(values), width_of(kind))) for kind, values in zip(kinds, found, strict=True)]


def width_of(kind: Family) -> int:
    """The maxima that are averaged over: the mean of two dice."""
    return max(1, round(2 * float(kind.largest.dice.mean())))


# ---- tables


def _starts(kinds: Sequence[Family], boards: Sequence[Any], exact: Sequence[list[list[Any]]]) -> Table:
    names = list(kinds[0].columns)
    rows: list[dict[str, Any]] = []
    brief = []
    for kind, board, fractions in zip(kinds, boards, exact, strict=True):
        few = spread(kind.maxima, 3) if kind in spread(kinds, 4) else []
        for top in kind.maxima:
            if top in few:
                brief.append(len(rows))
            rows.append({"max": top, **kind.columns, **_start(top, board, fractions)})
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    shown = {"max": "{}", **dict.fromkeys(names, "{}"), "value": "{:.9f}", "advantage": "{:+.9f}", "opening": "{}"}
    shown |= {"favoured": "{}", "proof": "{}"}
    return Table("rulesets", "what going first is worth", columns, shown, brief)


def _start(top: int, board: dict[str, Any], fractions: list[list[Any]]) -> dict[str, Any]:
    value, advantage, opening = (board[name][top - 1] for name in ("value", "advantage", "opening"))
    proof, sign = "bound", int(np.sign(advantage))
    exact = fractions[top - 1] if top <= len(fractions) else None
    if exact:
        proof, sign = "exact", (Fraction(exact[1]) > 0) - (Fraction(exact[1]) < 0)
    elif not _is_sure(board, top):
        proof, sign = "none", 0
    return {
        "value": value,
        "advantage": advantage,
        "opening": opening,
        "favoured": "unknown" if proof == "none" else ("neither", "first", "second")[sign],
        "proof": proof,
        "error_bound": board["bound"],
        "exact": exact[0] if exact else None,
        "exact_advantage": exact[1] if exact else None,
        "exact_opening": exact[2] if exact else None,
    }


def _worse(kinds: Sequence[Family], starts: Table) -> Table:
    """By family: the maxima at which the first player is worse off, all of them."""
    rows, at = [], 0
    for kind in kinds:
        part = range(at, at + len(kind.maxima))
        at += len(kind.maxima)
        by = {
            word: [starts.columns["max"][row] for row in part if starts.columns["favoured"][row] == word]
            for word in ("second", "neither", "unknown")
        }
        low = min(part, key=starts.columns["advantage"].__getitem__)
        rows.append(
            {
                **kind.columns,
                "rulesets": len(part),
                "worse": len(by["second"]),
                "first_is_worse_at": in_ranges(by["second"]),
                "even_at": in_ranges(by["neither"]),
                "unknown_at": in_ranges(by["unknown"]),
                "least": starts.columns["advantage"][low],
                "least_at": starts.columns["max"][low],
            }
        )
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    shown = {**dict.fromkeys(kinds[0].columns, "{}"), "rulesets": "{}", "worse": "{}", "first_is_worse_at": "{}"}
    shown |= {"even_at": "{}"} | ({"unknown_at": "{}"} if any(columns["unknown_at"]) else {})
    return Table("worse", "maxima at which the first player is worse off", columns, shown)


def _limit_table(kinds: Sequence[Family], limits: Sequence[tuple[Any, Limit | None]]) -> list[Table]:
    known = [(kind, limit) for kind, (_, limit) in zip(kinds, limits, strict=True) if limit]
    if not known:
        return []
    columns: dict[str, list[Any]] = {name: [kind.columns[name] for kind, _ in known] for name in kinds[0].columns}
    for name in ("far", "mean", "swing", "law", "limit", "low", "high"):
        columns[name] = [getattr(limit, name) for _, limit in known]
    for law in LAWS:
        columns[f"limit {law}"] = [limit.limits[law] for _, limit in known]
        columns[f"missed {law}"] = [limit.missed[law] for _, limit in known]
    shown = dict.fromkeys(kinds[0].columns, "{}") | {"far": "{}", "mean": "{:.5f}", "law": "{}", "limit": "{:.5f}"}
    shown |= {"low": "{:.5f}", "high": "{:.5f}"}
    title = "the limit as the maximum grows: the mean around `far`, and what three laws say"
    return [Table("limits", title, columns, shown, spread(range(len(known)), 7))]


def _behind(kinds: Sequence[Family], boards: Sequence[Any]) -> Table:
    rows: list[dict[str, Any]] = []
    brief = []
    examples = spread(kinds, 3)
    for kind, board in zip(kinds, boards, strict=True):
        few = spread(range(kind.largest.max // 2 + 1), 6) if kind in examples else []
        for deficit, counts in enumerate(board["behind"]):
            if deficit in few:
                brief.append(len(rows))
            states, favoured = counts[:4], counts[4:]
            row = {**kind.columns, "max": kind.largest.max, "deficit": deficit, "states": sum(states)}
            row |= {"favoured": sum(favoured), "share": sum(favoured) / sum(states)}
            for name, of, count in zip(QUARTERS, states, favoured, strict=True):
                row[name] = count / of if of else None
            rows.append({**row, "from_0": board["by_deficit"][deficit]})
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    shown = dict.fromkeys(kinds[0].columns, "{}") | {"max": "{}", "deficit": "{}", "states": "{}", "share": "{:.1%}"}
    shown |= dict.fromkeys(QUARTERS, "{:.1%}") | {"from_0": "{:+.5f}"}
    title = "how often a mover who is behind is favoured, by the quarter of the board the leader is in"
    return Table("behind", title, columns, shown, brief)


def _agreement(starts: Table) -> dict[str, Any]:
    """How far fast values are from exact ones, wherever there are both."""
    columns = starts.columns
    both = [at for at, text in enumerate(columns["exact"]) if text is not None]
    off = [abs(float(Fraction(columns["value"][at]) - Fraction(columns["exact"][at]))) for at in both]
    return {
        "rulesets_solved": len(starts),
        "compared_with_exact": len(both),
        "largest_difference": max(off, default=0.0),
        "openings_that_differ": sum(columns["opening"][at] != columns["exact_opening"][at] for at in both),
    }


# ---- words and picture


def _findings(
    starts: Table,
    kinds: Sequence[Family],
    limits: Sequence[tuple[Any, Limit | None]],
    boards: Sequence[Any],
    facts: dict[str, Any],
) -> list[str]:
    favoured = list(starts.columns["favoured"])
    count = {word: favoured.count(word) for word in ("first", "second", "neither", "unknown")}
    said = [
        f"In {count['first']:,} of {len(favoured):,} rulesets the first player is favoured, in {count['second']:,} the "
        f"second, {count['neither']:,} are even"
        + (f", and {count['unknown']:,} are not decided." if count["unknown"] else ".")
    ]
    if count["second"]:
        low = min(range(len(favoured)), key=starts.columns["advantage"].__getitem__)
        said.append(
            f"Going first is worst at max {starts.columns['max'][low]}, {_label(starts, low, kinds)}: "
            f"{starts.columns['advantage'][low]:+.6g}."
        )
    compared = facts["compared_with_exact"]
    if compared:
        said.append(
            f"Fast and exact values were compared in {compared:,} ruleset{'s' if compared > 1 else ''}: the largest "
            f"difference is {facts['largest_difference']:.1e}, and {facts['openings_that_differ'] or 'no'} opening"
            f"{'s differ' if facts['openings_that_differ'] > 1 else ' differs'}."
        )
    at = _example(kinds)
    if (limit := limits[at][1]) is not None:
        said.append(_limit_said(kinds[at], limit))
    known = [limit for _, limit in limits if limit]
    if len(known) > 1:
        laws = ", ".join(f"{law} {sum(limit.law == law for limit in known)} times" for law in LAWS)
        said.append(f"Of the laws the one that foretold best was: {laws}. So the rate is not settled, hence the range.")
    said.append(_behind_said(kinds[at], boards[at]))
    return said


def _example(kinds: Sequence[Family]) -> int:
    """The family that sentences speak of: with six sides, as people play it, else the one in the middle."""
    usual = [at for at, kind in enumerate(kinds) if not kind.largest.die and kind.largest.sides == 6]
    return usual[0] if usual else len(kinds) // 2


def _limit_said(kind: Family, limit: Limit) -> str:
    return (
        f"As the maximum grows, {kind.label}: the mean around {limit.far} is {limit.mean:.5f}; the law {limit.law} "
        f"foretold best and leads to {limit.limit:.5f}, all three laws to between {limit.low:.5f} and {limit.high:.5f}."
    )


def _behind_said(kind: Family, board: dict[str, Any]) -> str:
    counts, top = board["behind"], kind.largest.max
    game = f"max {top}, {kind.label}"
    low = [(sum(row[:2]), sum(row[4:6])) for row in counts]  # leader in the lower half
    reach = next((d for d, (of, yes) in enumerate(low) if yes < of), None)
    most = max((d for d, row in enumerate(counts) if sum(row[4:])), default=None)
    if most is None:
        return f"At {game} no mover who is level or behind is favoured."
    below = sum(of > 0 for of, _ in low) - 1
    if reach is None:
        words = f"is favoured in every state with the leader in the lower half, whatever the deficit (0 to {below})"
    elif reach == 0:
        words = "is not favoured everywhere in the lower half, even when level"
    else:
        words = f"is favoured in every state with the leader in the lower half up to a deficit of {reach - 1}"
    return f"At {game} the mover {words}; the largest deficit at which any mover is still favoured is {most}."


def _label(table: Table, row: int, kinds: Sequence[Family]) -> str:
    return ", ".join(f"{name} {table.columns[name][row]}" for name in kinds[0].columns)


def _chart(
    rulesets: Rulesets,
    kinds: Sequence[Family],
    starts: Table,
    limits: Sequence[tuple[list[float], Limit | None]],
    boards: Sequence[Any],
    findings: Sequence[str],
) -> Chart:
    panels: list[Panel] = []
    names = list(kinds[0].columns)
    tops = sorted({top for kind in kinds for top in kind.maxima})
    others = [kind.columns[names[0]] for kind in kinds]
    if len(names) == 1 and len(kinds) > 1 and len(tops) > 1 and not any(isinstance(value, str) for value in others):
        cells = dict(
            zip(
                zip(starts.columns["max"], starts.columns[names[0]], strict=True),
                starts.columns["advantage"],
                strict=True,
            )
        )
        grid, sides = number_grid(cells, tops, sorted(others)), [float(value) for value in sorted(others)]
        far = float(np.nanquantile(np.abs(grid), 0.97)) or 1.0
        scale = "blue: the first is favoured, red: the second"
        title = "Advantage of going first"
        panels.append(Grid(title, "max", names[0], grid, [*map(float, tops)], sides, scale, "diverging", (-far, far)))
    few = spread(range(len(kinds)), 5)
    if len(tops) > 1:
        lines = [
            Series(kinds[at].label, kinds[at].maxima, [boards[at]["advantage"][top - 1] for top in kinds[at].maxima])
            for at in few
        ]
        panels.append(Plane("The same for a few kinds of dice", "max", "advantage", lines, [Mark("", 0.0)]))
    lines = []
    for at in few:
        values, limit = limits[at]
        if limit is None:
            continue
        x, y = averages(np.array(values), width_of(kinds[at]))
        late = x >= limit.far / 20
        middle, half = (limit.low + limit.high) / 2, (limit.high - limit.low) / 2
        nothing = [0.0] * (len(x[late]) + 1)
        lines.append(
            Series(
                kinds[at].label,
                [*x[late].tolist(), limit.far, limit.far * (1.25 + 0.1 * len(lines))],
                [*y[late].tolist(), math.nan, middle],
                error=[*nothing, half],
            )
        )
    if lines:
        title = "Averaged over the mean of two dice; at the right the range of the limit"
        panels.append(Plane(title, "max", "advantage", lines, log="x"))
    lines = [
        Series(
            f"{kinds[at].label}, max {kinds[at].largest.max}",
            list(range(len(boards[at]["behind"]))),
            [sum(row[4:]) / sum(row[:4]) for row in boards[at]["behind"]],
        )
        for at in few
    ]
    panels.append(Plane("A mover who is behind", "points behind", "share of states favoured", lines))
    caption = [rulesets.text, "An advantage is half of what the first player expects more.", f"dicewise {__version__}"]
    return Chart("What going first is worth in Greed", panels, caption, " ".join(findings))
