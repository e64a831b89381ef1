"""What makes a ruleset of Greed fair: points to start with, another value of a tie, or draw odds.

- A head start: one of the players begins with h points, the other with 0. (Points for both are the same game with a
  smaller maximum.) What that is worth stands in the table of the ruleset, V(h, 0) and V(0, h).
- The value of a tie, the same to both, from that of a loss to that of a win. Then each plays for itself. As long as
  nobody's best play changes with t, neither do the chances W, T, L of a win, a tie and a loss; both expect the same
  exactly if W = L, whatever t is. So the difference goes in steps, and where it changes its sign it jumps: such a t is
  reported as a jump, with the differences on both sides, and not as an answer.
- Draw odds: a tie is worth t to the first player and -t to the second, see `draw_odds`. This does have an answer.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from dicewise._version import __version__
from dicewise.chart import Chart, Mark, Panel, Plane, Series
from dicewise.errors import InputError
from dicewise.games.greed import Greed
from dicewise.games.greed.exact import ExactGreed, solve_exactly
from dicewise.games.greed.solution import GreedSolution, solve_fast
from dicewise.study.boards import Family, advantages, by_maximum, exact_advantage, families, read_greed, spread
from dicewise.study.draw_odds import draw_odds
from dicewise.study.result import Study, Table, whole
from dicewise.study.rulesets import Rulesets
from dicewise.study.work import Work

EXACT_UP_TO, TIE_STEPS = 40, 20

HALVINGS = 12
"""How often the stretch of tie values around a jump is halved."""

TRIVIAL = "all tie"
"""The word for a value of a tie that is fair because nobody plays on."""

EVEN = 1e-12
"""Advantages up to this are nothing, where no bound on the rounding error says more."""


def fair(
    rulesets: Rulesets, *, exact_up_to: int = EXACT_UP_TO, tie_steps: int = TIE_STEPS, work: Work | None = None
) -> Study:
    """Handicaps for every ruleset; `tie_steps` is how many steps go from a tie that is a loss to one that is a win."""
    work = work or Work()
    if exact_up_to < 0:
        raise InputError(f"exact-up-to {exact_up_to} is not allowed; it is a maximum of Greed, or 0 for none")
    if not 0 <= tie_steps <= 1000:
        raise InputError(f"tie-steps {tie_steps} is not allowed; give 1 to 1000, or 0 to leave the tie's value alone")
    kinds = families(rulesets, "fair")
    for kind in kinds:
        if kind.largest.win == kind.largest.lose:
            raise InputError(f"{kind.largest.spec} has nothing at stake: give a --win above --lose")
    starts = _head_starts(kinds, exact_up_to, work.stage(0, 0.15))
    odds = _odds(kinds, work.stage(0.15, 0.35))
    ties = _ties(kinds, tie_steps, work.stage(0.35, 0.8))
    jumps = _jumps(kinds, ties, work.stage(0.8, 1))
    summary = _summary(starts, odds, ties, jumps)
    findings = _findings(summary, jumps, asked=bool(tie_steps))
    tables = [summary, starts, odds, *(table for table in (ties, jumps) if len(table))]
    return Study("fair", rulesets.text, tables, findings, _chart(rulesets, kinds, odds, ties, findings))


def _rulesets(kinds: Sequence[Family]) -> list[tuple[Family, int]]:
    return [(kind, top) for kind in kinds for top in kind.maxima]


def _named(kind: Family, top: int) -> dict[str, Any]:
    return {"max": top, **kind.columns}


def _table(name: str, title: str, rows: Sequence[dict[str, Any]], shown: dict[str, str], most: int) -> Table:
    """A table of rows, of which some are printed; an empty one has the columns that would be shown."""
    columns = {column: [row[column] for row in rows] for column in (rows[0] if rows else shown)}
    return Table(name, title, columns, shown, None if len(rows) <= most else spread(range(len(rows)), most))


# ---- head starts


def curves(solution: GreedSolution | ExactGreed, top: int) -> tuple[list[Any], list[Any]]:
    """The advantage with h points for the first player, and with h points for the second, at a maximum up to the
    board's; 0 where rounding could be all of it."""
    corner = solution.game.max - top
    if isinstance(solution, ExactGreed):
        points = range(corner, solution.game.max + 1)
        return (
            [exact_advantage(solution, at, corner) for at in points],
            [exact_advantage(solution, corner, at) for at in points],
        )
    ahead = advantages(solution)
    ahead[np.abs(ahead) <= (solution.report.error_bound or EVEN)] = 0.0
    return ahead[corner:, corner].tolist(), ahead[corner, corner:].tolist()


def head_starts(item: Sequence[Any]) -> list[dict[str, Any]]:
    """The best head start of each maximum of a board, in doubles or exactly."""
    spec, maxima, exactly = item
    game = read_greed(spec)
    solution = solve_exactly(game) if exactly else solve_fast(game)
    found = [best_head_start(*curves(solution, top)) for top in maxima]
    return [row | {"exact": str(row["exact"]) if exactly else None} for row in found]


def _head_starts(kinds: Sequence[Family], up_to: int, work: Work) -> Table:
    items = []
    for kind in kinds:
        small, large = [m for m in kind.maxima if m <= up_to], [m for m in kind.maxima if m > up_to]
        items += [(kind, part, part is small) for part in (small, large) if part]
    asked = [[kind.at(part[-1]).spec, part, exactly] for kind, part, exactly in items]
    rows = [
        _named(kind, top) | row | {"proof": "exact" if exactly else "doubles"}
        for (kind, part, exactly), answer in zip(items, work.map(head_starts, asked, "head starts"), strict=True)
        for top, row in zip(part, answer, strict=True)
    ]
    shown = {"max": "{}", **dict.fromkeys(kinds[0].columns, "{}"), "level": "{:+.6f}", "to": "{}", "points": "{}"}
    shown |= {"advantage": "{:+.6f}", "turns_at": "{}", "proof": "{}"}
    title = "the head start nearest to fair, and the least that turns the favour round"
    return _table("head_starts", title, rows, shown, 12)


def best_head_start(first: Sequence[Any], second: Sequence[Any]) -> dict[str, Any]:
    """From the advantage by points of the first player, and by points of the second: the handicap nearest to fair.

    Of equally good ones the one with fewer points. `turns_at` is the least number of points that, given to the one
    who is worse off, turn the favour round or make it even.
    """
    level = first[0]
    ways = [("first", points, value) for points, value in enumerate(first) if points]
    ways += [("second", points, value) for points, value in enumerate(second) if points]
    to, points, value = min([("neither", 0, level), *ways], key=lambda way: (abs(way[2]), way[1]))
    needy = second if level > 0 else first
    sign = (level > 0) - (level < 0)
    turns = next((points for points, value in enumerate(needy) if value * sign <= 0), None)
    by_second = min(range(len(second)), key=lambda points: (abs(second[points]), points))
    return {
        "level": float(level),
        "to": to,
        "points": points,
        "advantage": float(value),
        "exact": value if isinstance(value, Fraction) else None,
        "turns_at": turns,
        "second_points": by_second,
        "with_second": float(second[by_second]),
    }


# ---- draw odds


def solve_odds(spec: str) -> list[Any]:
    """The tie value that is fair, whether it is, and what comes out."""
    odds = draw_odds(read_greed(spec))
    return [odds.tie_to_first, odds.fair, odds.start.value, odds.start.tie, odds.start.opening, odds.start.error]


def _odds(kinds: Sequence[Family], work: Work) -> Table:
    cases = _rulesets(kinds)
    found = work.map(solve_odds, [kind.at(top).spec for kind, top in cases], "draw odds")
    rows = []
    for (kind, top), (tie, is_fair, value, chance, opening, error) in zip(cases, found, strict=True):
        half, middle = _half(kind.largest), _middle(kind.largest)
        row = _named(kind, top) | {"fair": is_fair, "tie_to_first": middle + half * tie}
        row |= {"tie_to_second": middle - half * tie, "advantage": half * value, "tie_chance": chance}
        rows.append(row | {"opening": opening, "error_bound": half * error})
    shown = {"max": "{}", **dict.fromkeys(kinds[0].columns, "{}"), "tie_to_first": "{:+.6f}"}
    shown |= {"tie_to_second": "{:+.6f}", "fair": "{}", "advantage": "{:+.1e}", "tie_chance": "{:.4f}"}
    return _table("draw_odds", "what a tie must be worth to each, their sum as win + lose", rows, shown, 12)


def _half(game: Greed) -> float:
    return float(Fraction(game.win - game.lose) / 2)


def _middle(game: Greed) -> float:
    return float(Fraction(game.win + game.lose) / 2)


# ---- the value of a tie


def solve_tie(item: Sequence[str]) -> dict[str, Any]:
    """One value of a tie: by maximum what the first player expects, the advantage, and the chance of a tie."""
    solution = _with_tie(read_greed(item[0]), Fraction(item[1]))
    return {
        "value": by_maximum(solution.payoffs())[1:].tolist(),
        "advantage": by_maximum(advantages(solution))[1:].tolist(),
        "tie_chance": by_maximum(solution.tie_chances())[1:].tolist(),
        "opening": by_maximum(solution.dice())[1:].tolist(),
        "bound": solution.report.error_bound,
    }


def _with_tie(game: Greed, tie: Fraction) -> GreedSolution:
    return solve_fast(dataclasses.replace(game, tie=tie), ties=True)


def _ties(kinds: Sequence[Family], steps: int, work: Work) -> Table:
    items = []
    for kind in kinds if steps else ():
        win, lose = Fraction(kind.largest.win), Fraction(kind.largest.lose)
        items += [(kind, lose + (win - lose) * step / steps) for step in range(steps + 1)]
    found = work.map(solve_tie, [[kind.largest.spec, str(tie)] for kind, tie in items], "values of a tie")
    rows = [
        _named(kind, top)
        | {"tie": whole(tie)}
        | {name: answer[name][top - 1] for name in ("value", "advantage", "tie_chance", "opening")}
        | {"error_bound": answer["bound"]}
        for (kind, tie), answer in zip(items, found, strict=True)
        for top in kind.maxima
    ]
    shown = {"max": "{}", **dict.fromkeys(kinds[0].columns, "{}"), "tie": "{}", "value": "{:.6f}"}
    shown |= {"advantage": "{:+.6f}", "tie_chance": "{:.4f}"}
    return _table("ties", "the advantage of going first by the value of a tie, each for itself", rows, shown, 11)


def find_jump(item: Sequence[str]) -> dict[str, Any]:
    """Where between two values of a tie the advantage changes its sign; or, on the way, a value at which it is 0."""
    game, low, high = read_greed(item[0]), Fraction(item[1]), Fraction(item[2])
    below = _advantage(_with_tie(game, low))
    above = _advantage(_with_tie(game, high))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        value = _advantage(_with_tie(game, middle))
        if value == 0:
            return {"from": str(middle), "to": str(middle), "before": 0.0, "after": 0.0}
        if value * below > 0:
            low, below = middle, value
        else:
            high, above = middle, value
    return {"from": str(low), "to": str(high), "before": below, "after": above}


def _advantage(solution: GreedSolution) -> float:
    value = float(advantages(solution)[0, 0])
    return 0.0 if abs(value) <= (solution.report.error_bound or EVEN) else value


def _jumps(kinds: Sequence[Family], ties: Table, work: Work) -> Table:
    """All changes of sign that the steps show, made narrow."""
    found: list[tuple[Family, int, Fraction, Fraction]] = []
    for kind, top in _rulesets(kinds):
        series = [(tie, value) for tie, value, _ in by_tie(ties, _named(kind, top)) if value]
        found += [(kind, top, low, high) for (low, a), (high, b) in pairwise(series) if a * b < 0]
    items = [[kind.at(top).spec, str(low), str(high)] for kind, top, low, high in found]
    answers = work.map(find_jump, items, "jumps")
    rows: list[dict[str, Any]] = [
        _named(kind, top) | answer | {"fair": answer["before"] == 0 == answer["after"]}
        for (kind, top, _, _), answer in zip(found, answers, strict=True)
    ]
    for row in rows:
        row["from"], row["to"] = float(Fraction(row["from"])), float(Fraction(row["to"]))
    shown = {"max": "{}", **dict.fromkeys(kinds[0].columns, "{}"), "from": "{:.5f}", "to": "{:.5f}"}
    shown |= {"before": "{:+.6f}", "after": "{:+.6f}", "fair": "{}"}
    return _table("jumps", "values of a tie between which the advantage jumps over 0", rows, shown, 12)


def by_tie(ties: Table, named: dict[str, Any]) -> list[tuple[Fraction, float, float]]:
    """Tie values, advantages (0 where they are nothing) and chances of a tie of one ruleset."""
    columns = ties.columns
    found = []
    for at in range(len(ties)):
        if all(columns[name][at] == value for name, value in named.items()):
            value, bound = columns["advantage"][at], columns["error_bound"][at]
            value = 0.0 if abs(value) <= (bound or EVEN) else value
            found.append((columns["tie"][at], value, columns["tie_chance"][at]))
    return found


# ---- together


def _summary(starts: Table, odds: Table, ties: Table, jumps: Table) -> Table:
    names = [name for name in starts.columns if name in odds.columns and name not in ("advantage", "fair")]
    rows = []
    for at in range(len(starts)):
        named = {name: starts.columns[name][at] for name in names}
        points, to = starts.columns["points"][at], starts.columns["to"][at]
        is_fair = odds.columns["fair"][at]
        rows.append(
            named
            | {"advantage": starts.columns["level"][at]}
            | {"head_start": f"{points} to {to}" if points else "none", "then": starts.columns["advantage"][at]}
            | {"draw_odds": odds.columns["tie_to_first"][at] if is_fair else None}
            | {"tie": _tie_in_words(by_tie(ties, named), jumps, named), "proof": starts.columns["proof"][at]}
        )
    shown = {**dict.fromkeys(names, "{}"), "advantage": "{:+.6f}", "head_start": "{}", "then": "{:+.6f}"}
    shown |= {"draw_odds": "{:+.6f}"} | ({"tie": "{}"} if len(ties) else {})
    title = "what going first is worth, and what makes it fair"
    return _table("rulesets", title, rows, shown, 20)


def _tie_in_words(series: Sequence[tuple[Fraction, float, float]], jumps: Table, named: dict[str, Any]) -> str:
    """The answer in a word. That every game ends in a tie (nobody plays on where a tie wins) is no answer."""
    if not series:
        return "not asked"
    if not any(value for _, value, _ in series):
        return "any"
    even = [tie for tie, value, chance in series if value == 0 and chance < 1 - EVEN]
    if even:
        return f"{even[0]}" + (f" and {len(even) - 1} more" if len(even) > 1 else "")
    mine = [at for at in range(len(jumps)) if all(jumps.columns[name][at] == value for name, value in named.items())]
    if mine:
        exact = [at for at in mine if jumps.columns["fair"][at]]
        place = f"{jumps.columns['from'][(exact or mine)[0]]:.4f}"
        return place if exact else f"jumps at {place if len(mine) == 1 else f'{len(mine)} values'}"
    return "none" if all(value for _, value, _ in series) else TRIVIAL


def _findings(summary: Table, jumps: Table, asked: bool) -> list[str]:
    columns, count = summary.columns, len(summary)
    even = [at for at in range(count) if columns["then"][at] == 0 and columns["proof"][at] == "exact"]
    said = []
    if count == 1:
        said.append(
            f"Without a handicap going first is worth {columns['advantage'][0]:+.6f}. The best head start "
            f"({columns['head_start'][0]}) leaves {columns['then'][0]:+.6f}."
        )
        if columns["draw_odds"][0] is not None:
            said.append(f"A tie that is worth {columns['draw_odds'][0]:+.6f} to the first player makes it fair.")
        else:
            said.append("No draw odds make it fair: one player is favoured even with all ties won.")
    else:
        most = max(range(count), key=lambda at: abs(columns["then"][at]))
        solved = sum(odds is not None for odds in columns["draw_odds"])
        said.append(
            f"With the best head start {len(even)} of {count} rulesets are exactly even, in fractions; at most "
            f"{abs(columns['then'][most]):.2g} is left (max {columns['max'][most]})."
        )
        said.append(f"Draw odds make {solved} of them fair.")
    steps = "The advantage goes in steps: it changes only where somebody's best play does."
    words = columns["tie"]
    if asked and count == 1:
        said.append(f"{_said_of_tie(words[0], jumps)} {steps}")
    elif asked:
        jump, none, trivial = sum(word.startswith("jumps") for word in words), words.count("none"), words.count(TRIVIAL)
        ending = f", and is even only where every game ends in a tie in {trivial}" if trivial else ""
        said.append(
            f"Of {count} rulesets, a value of the tie that is the same to both makes {count - jump - none - trivial} "
            f"even, jumps over fairness in {jump}, leaves one player favoured at every value in {none}{ending}. {steps}"
        )
    return said


def _said_of_tie(word: str, jumps: Table) -> str:
    if word == "any":
        return "Whatever a tie is worth, the same to both, the start is even."
    if word == TRIVIAL:
        return "A tie that is worth the same to both makes it even only where every game ends in a tie."
    if word == "none":
        return "With every value of a tie that was tried, the same to both, one player is favoured."
    if word.startswith("jumps"):
        places = " and ".join(f"at {place:.4f}" for place in jumps.columns["from"])
        return f"As the value of a tie to both changes, the advantage jumps over 0 {places}."
    return f"A tie that is worth {word} to both makes it even."


def _chart(rulesets: Rulesets, kinds: Sequence[Family], odds: Table, ties: Table, findings: Sequence[str]) -> Chart:
    # on small boards a point decides, and their lines would hide the others
    largest = max(kind.largest.max for kind in kinds)
    cases = spread([(kind, top) for kind, top in _rulesets(kinds) if 4 * top >= largest], 5)
    panels: list[Panel] = []
    lines, steps = [], []
    for kind, top in cases:
        first, second = curves(solve_fast(kind.at(top)), top)
        x = np.arange(-top, top + 1)
        label = f"max {top}, {kind.label}"
        # beyond half of the maximum a head start decides, and would hide the rest
        near = np.abs(x) <= max(1, top // 2)
        y = np.array([*first[:0:-1], *second])
        lines.append(Series(label, x[near].tolist(), y[near].tolist()))
        named = _named(kind, top)
        if series := by_tie(ties, named):
            steps.append(Series(label, [float(each[0]) for each in series], [each[1] for each in series], "steps"))
    words = "points of a head start (left: the first player's, right: the second's)"
    panels.append(Plane("Head starts", words, "advantage of the first player", lines, [Mark("", 0.0)]))
    if steps:
        title = "What a tie is worth, to both the same"
        panels.append(Plane(title, "value of a tie", "advantage of the first player", steps, [Mark("", 0.0)]))
    if len(odds) > 1:
        dots = []
        for kind in spread(kinds, 6):
            rows = [
                at
                for at in range(len(odds))
                if all(odds.columns[name][at] == value for name, value in kind.columns.items())
                and odds.columns["fair"][at]
            ]
            x_odds = [odds.columns["max"][at] for at in rows]
            dots.append(Series(kind.label, x_odds, [odds.columns["tie_to_first"][at] for at in rows], "dots"))
        panels.append(Plane("Draw odds that are fair", "max", "a tie's value to the first", dots, [Mark("", 0.0)]))
    caption = [rulesets.text, "An advantage is half of what the first player expects more.", f"dicewise {__version__}"]
    return Chart("What makes Greed fair", panels, caption, " ".join(findings))
