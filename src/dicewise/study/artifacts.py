"""Where a plain program in doubles plays otherwise than exact arithmetic, and why the best n jumps.

The policy paper sees "bizarre artifacts" in last turns with many dice and numbers that jump back and forth, and
suspects rounding. Here the paper's method is run in doubles with chances from a Fourier transform, and from other
formulas (`plain`), and every state whose n differs from that of the exact policy (the smallest best n) is judged by its
exact loss:

- a `tie` loses nothing: both numbers of dice are equally good;
- `rounding` loses something, but less than 2^-52 of a win, the step from 1 to the next double: no program that keeps
  payoffs in doubles sees it;
- a `mistake` loses more.

Then the jumps of the exact policy itself are counted: between neighbours whose n differ by 2 or more, and back and
forth, where of three states in a row the middle one has the largest or the smallest n. They come from `ties`, if other
equally good numbers would not jump; from `standing`, where one of them is 0; the rest is `real`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from dicewise._version import __version__
from dicewise.chance import total_of
from dicewise.chart import Chart, Grid, Panel, Plane, Series
from dicewise.errors import InputError
from dicewise.games import find_game
from dicewise.games.greed import Greed
from dicewise.games.greed.exact import ExactGreed, solve_exactly
from dicewise.games.greed.solution import GreedSolution, solve_fast
from dicewise.solution import TIE_TOLERANCE
from dicewise.study.curves import Curve, LastTurns, normal_curves
from dicewise.study.plain import Counts, chances, programs_for, solve_plainly
from dicewise.study.result import Study, Table
from dicewise.study.rulesets import Rulesets, one_ruleset, recipe_of, two_player_greed
from dicewise.study.work import Work

CLASSES = ("tie", "rounding", "mistake")
JUMPS = ("ties", "standing", "real")

MOST = 500
"""The largest maximum; the plain program takes about a minute for it."""

EXACTLY = 1_100_000
"""Up to so many states times numbers of dice, all of it is exact: up to (150, 6), some seconds."""

SHOWN_DICE = 40
"""The errors of chances are listed for so many dice at least: by then the formula has broken down."""

State = tuple[bool, int, int]
"""Whether it is the last turn, the mover's score, the other's."""


def artifacts(rulesets: Rulesets, *, work: Work | None = None) -> Study:
    """Each state in which a plain program in doubles differs from the exact policy, and the jumps of the exact one."""
    work = work or Work()
    (game,) = two_player_greed([one_ruleset(rulesets, "artifacts")], "artifacts")
    _refuse(game)
    programs = programs_for(game)
    items = [[recipe_of(game) or game.spec, program] for program in programs]
    answers = work.stage(0.0, 0.6).map(plain_policy, items, f"solving {game.spec} plainly")
    work.tell(0.6, "judging exactly")
    judge = Judge(game)
    work.tell(0.8, "judging exactly")
    policies = {
        program: {last: np.array(answer["last" if last else "normal"]) for last in (True, False)}
        for program, answer in zip(programs, answers, strict=True)
    }
    states = _differing(judge, policies)
    jumps = _jumps(judge, policies["fft"])
    errors = _errors(game, programs)
    tables = [_programs(judge, states, answers, programs), jumps, errors, states]
    facts = {"exact": judge.exact, "states": 2 * (game.max + 1) ** 2}
    findings = list(_findings(judge, tables[0], jumps, errors))
    chart = _chart(game, states, errors, findings)
    return Study("artifacts", rulesets.text, tables, findings, chart, facts)


def _refuse(game: Greed) -> None:
    if not game.constant_sum or game.win == game.lose:
        raise InputError(
            f"payoffs win {game.win}, tie {game.tie}, lose {game.lose} are not allowed here; the papers' program knows "
            "one payoff, and the other's is the rest: give a tie half-way between win and lose"
        )
    if game.max > MOST:
        raise InputError(f"max {game.max} is too large for a plain program; study artifacts takes up to {MOST}")


def plain_policy(item: list[Any]) -> dict[str, Any]:
    """What one program plays in all states, [active][queued], and what it makes of the start."""
    recipe, program = item
    game = find_game(recipe)
    assert isinstance(game, Greed)
    found = solve_plainly(game, program)
    return {
        "last": found.dice[True].tolist(),
        "normal": found.dice[False].tolist(),
        "start": float(found.values[False][0, 0]),
    }


class Judge:
    """The exact policy and what any number of dice loses. Last turns are always exact; normal states of rulesets that
    would take too long are judged by the fast solver, whose ties are those within its tolerance."""

    def __init__(self, game: Greed) -> None:
        self.game = game
        self.exact = (game.max + 1) ** 2 * game.n_max(0) <= EXACTLY
        self.solution: ExactGreed | GreedSolution = solve_exactly(game) if self.exact else solve_fast(game)
        self.start = self.solution.value(game.start())
        self._turns = LastTurns(game)
        self._column: tuple[int, Sequence[Sequence[Any]]] = (-1, ())
        self.dice = {last: self._dice(last) for last in (True, False)}
        self.unit = max(abs(Fraction(game.win)), abs(Fraction(game.lose)))

    def _dice(self, last: bool) -> Counts:
        """The smallest best number of dice, [active, queued]."""
        if self.exact or not last:
            return np.asarray(self.solution.dice(last), dtype=np.int64)
        scores = range(self.game.max + 1)
        # who is ahead stands
        return np.array([[0 if a > q else self.ties((True, a, q))[0] for q in scores] for a in scores])

    def ties(self, state: State) -> Sequence[int]:
        """All best numbers of dice."""
        last, a, q = state
        if last:
            curve = self._last(a, q)
            return [n for n, value in enumerate(curve) if value == max(curve)]
        return self.solution.best_actions(self.game.at(a, q))

    def loss(self, state: State, n: int) -> Fraction:
        """What rolling n gives away, if everything after it is played at its best."""
        last, a, q = state
        if last:
            curve = self._last(a, q)
            return Fraction(max(curve) - curve[n], self._turns.scale)
        options = self._normal(q)[self.game.max - a][: self.game.n_max(a) + 1]
        loss = max(options) - options[n]
        if isinstance(self.solution, ExactGreed):
            return Fraction(loss, self.solution.scale)
        return Fraction(loss) if loss > TIE_TOLERANCE * self.unit else Fraction(0)

    def is_won(self, state: State) -> bool:
        """Whether the mover wins for certain."""
        last, a, q = state
        if last:
            return bool(max(self._last(a, q)) == self._turns.won)
        return bool(self.solution.value(self.game.at(a, q)) == self.game.win)

    def verdict(self, loss: Fraction) -> str:
        if loss <= 0:
            return "tie"
        return "rounding" if loss < self.unit / 2**52 else "mistake"

    def _last(self, a: int, q: int) -> Curve:
        return self._turns.curve(self.game.max - a, self.game.max - q)[: self.game.n_max(a) + 1]

    def _normal(self, q: int) -> Sequence[Sequence[Any]]:
        """The curves of all normal states against q, by the mover's room; the column asked for last is kept."""
        if self._column[0] != q:
            if isinstance(self.solution, ExactGreed):
                self._column = q, [curve for _, curve in normal_curves(self.solution, self.game.max - q)]
            else:
                self._column = q, _curves_in_doubles(self.solution, q)
        return self._column[1]


def _curves_in_doubles(solution: GreedSolution, q: int) -> list[list[float]]:
    """E_0 is what landing is worth, E_n the mean of E_{n-1} over the faces; beyond the maximum everything is lost."""
    game = solution.game
    both, lose, size = float(game.win + game.lose), float(game.lose), game.max + 1
    faces = [(face, weight / game.dice.total) for face, weight in game.dice]
    row = np.full(size + faces[-1][0], lose)
    row[:size] = both - solution.payoffs()[q]
    rows = [both - solution.payoffs(last=True)[q]]
    for _ in range(game.n_max(0)):
        mean = sum(chance * row[face : face + size] for face, chance in faces)
        row = np.append(mean, np.full(faces[-1][0], lose))
        rows.append(row[:size])
    curves: list[list[float]] = np.array(rows).T[::-1].tolist()
    return curves


# ---- states that differ


def _differing(judge: Judge, policies: dict[str, dict[bool, Counts]]) -> Table:
    names = ("program", "turn", "active", "queued", "n_exact", "n", "loss", "exact_loss", "won", "class")
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for program, policy in policies.items():
        for last in (True, False):
            best = judge.dice[last]
            # by queued, as columns of normal states are judged
            for q, a in np.argwhere((policy[last] != best).T).tolist():
                n = int(policy[last][a, q])
                loss = judge.loss((last, a, q), n)
                where = (program, "last" if last else "normal", a, q, int(best[a, q]), n)
                what = (float(loss), loss, judge.is_won((last, a, q)), judge.verdict(loss))
                for name, value in zip(names, (*where, *what), strict=True):
                    columns[name].append(value)
    losses = columns["loss"]
    shown = {name: "{:.3g}" if name == "loss" else "{}" for name in names if name != "exact_loss"}
    order = sorted(range(len(losses)), key=lambda at: (columns["program"][at] != "fft", -losses[at]))
    title = "states whose n differs from the exact policy; the worst of the fft"
    return Table("differing", title, columns, shown, order[:6])


def _programs(judge: Judge, states: Table, answers: Sequence[dict[str, Any]], programs: Sequence[str]) -> Table:
    columns: dict[str, list[Any]] = {"program": [], "turn": [], "differ": [], **{name: [] for name in CLASSES}}
    columns |= {"won": [], "worst": [], "start_error": []}
    wanted = ("program", "turn", "class", "loss", "won")
    kept = list(zip(*(states.columns[name] for name in wanted), strict=True))
    for program, answer in zip(programs, answers, strict=True):
        for turn in ("last", "normal"):
            mine = [row[2:] for row in kept if row[:2] == (program, turn)]
            count = Counter(kind for kind, *_ in mine)
            columns["program"].append(program)
            columns["turn"].append(turn)
            columns["differ"].append(len(mine))
            for name in CLASSES:
                columns[name].append(count[name])
            columns["won"].append(sum(kind == "tie" and won for kind, _, won in mine))
            columns["worst"].append(max((loss for _, loss, _ in mine), default=0.0))
            columns["start_error"].append(float(Fraction(answer["start"]) - Fraction(judge.start)))
    shown = {"program": "{}", "turn": "{}", "differ": "{:,}", **dict.fromkeys(CLASSES, "{:,}")}
    shown |= {"worst": "{:.1e}", "start_error": "{:+.1e}"}  # `won`: ties in which the mover wins anyway
    return Table("programs", "states whose n differs from the exact policy, by what it costs", columns, shown)


# ---- jumps


def _jumps(judge: Judge, plain: dict[bool, Counts]) -> Table:
    columns: dict[str, list[Any]] = {"turn": [], "along": [], "what": [], "count": [], **{name: [] for name in JUMPS}}
    columns |= {"fft": [], "first_real": []}
    for last, along, what in product((True, False), ("q", "a"), ("jump", "back and forth")):
        wide = 2 if what == "jump" else 3
        kinds: Counter[str] = Counter()
        first = None
        for states, dice in _in_a_row(judge.dice[last], last, along, wide):
            if _is_jump(dice):
                kind = _cause(judge, states, dice)
                kinds[kind] += 1
                if kind == "real" and first is None:
                    places = ", ".join(f"{a} {q}" for _, a, q in states)
                    first = f"{places}: {', '.join(map(str, dice))}"
        row = ("last" if last else "normal", along, what, sum(kinds.values()), *(kinds[kind] for kind in JUMPS))
        noisy = sum(_is_jump(dice) for _, dice in _in_a_row(plain[last], last, along, wide))
        for column, value in zip(columns.values(), (*row, noisy, first), strict=True):
            column.append(value)
    shown = {"turn": "{}", "along": "{}", "what": "{}", "count": "{:,}", **dict.fromkeys(JUMPS, "{:,}"), "fft": "{:,}"}
    return Table("jumps", "jumps of n in the exact policy, by cause; and in the policy of the fft", columns, shown)


def _in_a_row(dice: Counts, last: bool, along: str, wide: int) -> Iterator[tuple[list[State], list[int]]]:
    """All rows of 2 or 3 neighbouring states, with their n."""
    size = len(dice)
    numbers = dice.tolist()
    for fixed in range(size):
        for start in range(size - wide + 1):
            places = [(fixed, start + i) if along == "q" else (start + i, fixed) for i in range(wide)]
            yield [(last, a, q) for a, q in places], [numbers[a][q] for a, q in places]


def _is_jump(dice: Sequence[int]) -> bool:
    if len(dice) == 2:
        return abs(dice[0] - dice[1]) >= 2
    return (dice[1] - dice[0]) * (dice[2] - dice[1]) < 0


def _cause(judge: Judge, states: Sequence[State], dice: Sequence[int]) -> str:
    if not all(_is_jump(other) for other in product(*(judge.ties(state) for state in states))):
        return "ties"
    return "standing" if 0 in dice else "real"


# ---- chances


def _errors(game: Greed, programs: Sequence[str]) -> Table:
    most = max(game.n_max(0), SHOWN_DICE) if not game.die else game.n_max(0)
    compared = [program for program in programs if program != "clipped"]
    columns: dict[str, list[Any]] = {"n": list(range(1, most + 1)), **{program: [] for program in compared}}
    columns |= {f"{program}_least": [] for program in compared}
    for n in columns["n"]:
        cases = game.dice.total**n
        exact = np.zeros(n * game.dice.outcomes[-1] + 1)
        for total, weight in total_of(n, game.dice):
            exact[total] = weight / cases  # of integers: right to the last digit
        for program in compared:
            found = chances(program, n, game)
            error = np.abs(found - exact).max()
            columns[program].append(float(error) if np.isfinite(error) else None)
            columns[f"{program}_least"].append(float(found.min()) if np.isfinite(error) else None)
    shown = {"n": "{}", **dict.fromkeys(compared, "{:.1e}"), **{f"{program}_least": "{:.1e}" for program in compared}}
    brief = sorted({round(at * (most - 1) / 7) for at in range(8)})
    title = "the largest error of a chance of n dice, and the least chance (below 0: impossible)"
    return Table("chances", title, columns, shown, brief)


# ---- words


def _findings(judge: Judge, programs: Table, jumps: Table, errors: Table) -> Iterator[str]:
    rows = {(row["program"], row["turn"]): row for row in programs.rows()}
    fft = [rows["fft", turn] for turn in ("last", "normal")]
    size = (judge.game.max + 1) ** 2
    for row, turn in zip(fft, ("last turns", "normal states"), strict=True):
        yield (
            f"With chances by FFT, {row['differ']:,} of {size:,} {turn} get another n than in the exact policy: exact "
            f"ties {row['tie']:,} (won for certain either way {row['won']:,}), losses below what doubles can show "
            f"{row['rounding']:,}, mistakes {row['mistake']:,}{_at_most(row)}."
        )
    if ("formula", "last") in rows:
        found = [rows["formula", turn] for turn in ("last", "normal")]
        mistakes = sum(row["mistake"] for row in found)
        worst = max(row["worst"] for row in found)
        yield (
            f"With the closed formula in doubles there are {mistakes:,} mistakes, the worst loses {worst:.2g}, and the "
            f"value of the start is off by {found[1]['start_error']:+.1e}."
        )
        for limit, words in ((1e-6, "by more than a millionth"), (1.0, "by more than 1")):
            wrong = zip(errors.columns["n"], errors.columns["formula"], strict=True)
            first = next((n for n, error in wrong if error is None or error > limit), None)
            if first is not None:
                yield f"Its alternating sum is wrong {words} from {first} dice on."
    for turn, turns in (("last", "last turns"), ("normal", "normal states")):
        mine = [row for row in jumps.rows() if row["turn"] == turn]
        count = {name: sum(row[name] for row in mine) for name in ("count", *JUMPS, "fft")}
        first = next((row["first_real"] for row in mine if row["first_real"]), None)
        yield (
            f"The exact policy of {turns} has {count['count']:,} jumps: real {count['real']:,}"
            f"{f' (first at {first})' if first else ''}, at the border of standing {count['standing']:,}, from ties "
            f"{count['ties']:,}. That of the FFT has {count['fft']:,}."
        )
    if not judge.exact:
        yield (
            "Losses in last turns are exact. The normal states of this ruleset are too many for that: they are judged "
            f"in doubles, by the fast solver's values, and what differs by less than {TIE_TOLERANCE:g} is a tie."
        )


def _at_most(row: dict[str, Any]) -> str:
    return f" (the worst loses {row['worst']:.2g})" if row["mistake"] else ""


# ---- the picture


def _chart(game: Greed, states: Table, errors: Table, findings: Sequence[str]) -> Chart:
    panels: list[Panel] = [
        _map(game, states, "fft", "last", "Last turns, chances by FFT"),
        _map(game, states, "fft", "normal", "Normal states, chances by FFT"),
    ]
    if "formula" in errors.columns:
        panels.append(_map(game, states, "formula", "last", "Last turns, chances by Theorem 1 in doubles"))
    compared = [name for name in ("fft", "formula", "convolution") if name in errors.columns]
    lines = [
        Series(name, errors.columns["n"], [error if error else np.nan for error in errors.columns[name]])
        for name in compared
    ]
    panels.append(
        Plane("Largest error of a chance", "number of dice", "absolute error, where there is one", lines, log="y")
    )
    caption = [game.spec, " ".join(findings[:2]), f"dicewise {__version__}"]
    return Chart("Where doubles play otherwise", panels, caption, " ".join(findings))


def _map(game: Greed, states: Table, program: str, turn: str, title: str) -> Grid:
    size = game.max + 1
    cells = np.zeros((size, size))
    order = ("tie", "mistake", "rounding")  # mistakes in the colour that stands out
    kinds = ("the same n", "another, tied", "mistake", "loss below doubles")
    rows = zip(*(states.columns[name] for name in ("program", "turn", "active", "queued", "class")), strict=True)
    for each, where, a, q, kind in rows:
        if (each, where) == (program, turn):
            cells[a, q] = 1 + order.index(kind)
    scores = [float(score) for score in range(size)]
    return Grid(title, "active score a", "queued score q", cells, scores, scores, "", "kinds", kinds=kinds)
