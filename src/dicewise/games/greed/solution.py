"""Greed solved fast: tables of all states, and the questions that people ask of them.

Two dresses of one recurrence make the tables (see `_layout` for what they compute): `_numpy` needs no compiler and
answers for the rulesets that people play; `_kernel` is compiled and takes over where that pays.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from dicewise.errors import InputError, LimitError
from dicewise.game import Number, Progress, pay_each
from dicewise.games.greed._layout import Floats, Layout, Tables, layout
from dicewise.games.greed.bellman import check_exactly, check_floats
from dicewise.games.greed.exact import solve_exactly
from dicewise.games.greed.rules import OVER, Greed, Position
from dicewise.memory import require
from dicewise.solution import TIE_TOLERANCE, UNIT_ROUNDOFF, Choice, Report, Solution, Violation

NUMPY_CELLS = 40_000_000
"""Up to this many cells of E (about half a second) NumPy answers before a compiler could be loaded."""


SETTLED_UP_TO, SETTLED_CELLS = 100, 8_000_000
"""Near-ties are settled by exact arithmetic up to this maximum, and beyond it where that takes a second or two."""


TABLES = ("normal", "last", "normal_dice", "last_dice", "normal_tie", "last_tie")
"""What the store keeps."""


class Chances(NamedTuple):
    """How a game ends for the mover when both play their best."""

    win: float
    tie: float
    lose: float


class Options(NamedTuple):
    """All numbers of dice in one state, in units of win = 1, lose = -1."""

    value: Floats
    loss: Floats
    tie: Floats
    bust: Floats


def solve_fast(
    game: Greed, *, ties: bool = False, dress: str = "auto", progress: Progress | None = None
) -> GreedSolution:
    """Every state of a two-player ruleset in doubles; `dress` is `auto`, `numpy` or `compiled`."""
    started = time.perf_counter()
    require(_bytes_needed(game, ties), f"solving {game.spec}")
    if game.n_max(0) > np.iinfo(np.uint16).max:
        raise LimitError(f"{game.spec} allows {game.n_max(0)} dice in one turn; the tables hold at most 65535")
    rules = layout(game)
    if dress == "auto":
        dress = "numpy" if "numba" not in sys.modules and rules.cells <= NUMPY_CELLS else "compiled"
    if game.win == game.lose:
        tables = _nothing_at_stake(game.max + 1)
    elif dress == "numpy":
        from dicewise.games.greed import _numpy

        tables = _numpy.solve(rules, ties, progress)
    else:
        if progress is not None and "numba" not in sys.modules:
            progress(0.0, "loading the compiled solver (the first time it is compiled, which takes some seconds)")
        from dicewise.games.greed import _kernel

        tables = _kernel.solve(rules, ties, progress)
    method = f"kernel ({dress})"
    if tables.doubts and (game.max <= SETTLED_UP_TO or rules.cells * len(rules.faces) <= SETTLED_CELLS):
        tables = _settled(game, rules, ties, progress)
        method += ", near-ties settled exactly"
    scale = float(Fraction(game.win - game.lose) / 2)
    shift = 4 * UNIT_ROUNDOFF * max(abs(float(game.win)), abs(float(game.lose)))  # of turning units into payoffs
    report = Report(
        game=game.spec,
        method=method,
        interests="constant sum" if game.constant_sum else "each for itself",
        states=2 * (game.max + 1) ** 2,
        seconds=time.perf_counter() - started,
        exact=False,
        # each for itself, a tie judged wrongly changes the other's value at once: a doubt left over has no bound
        error_bound=rules.rounding * scale + shift if game.constant_sum or not tables.doubts else None,
        tie_rule="the smallest of equally good numbers of dice",
        doubts=tables.doubts,
    )
    return GreedSolution(game, report, tables)


def _settled(game: Greed, rules: Layout, ties: bool, progress: Progress | None) -> Tables:
    """The tables where exact arithmetic, not rounding, decides between near-ties: doubles then play its policy."""
    from dicewise.games.greed import _numpy

    if progress is not None:
        progress(0.0, "settling near-ties in exact arithmetic")
    exact = solve_exactly(game, progress)
    return _numpy.solve(rules, ties, progress, policy=(exact.dice(False), exact.dice(True)))


def _nothing_at_stake(size: int) -> Tables:
    """Where all payoffs are equal every action is best, and the smallest number of dice is 0: everybody stands."""
    scores = np.arange(size)
    ahead = np.sign(scores[:, None] - scores).astype(float)
    stand = np.zeros((size, size), dtype=np.uint16)
    level = (ahead == 0).astype(float)
    return Tables(ahead, ahead, stand, stand, level, level)


def _bytes_needed(game: Greed, ties: bool) -> int:
    """Tables, rings of rows, and distributions of totals, at the most."""
    size, count = game.max + 1, game.n_max(0) + 1
    floats = 2 if ties or not game.constant_sum else 1
    rings = size * (min(game.dice.outcomes[-1], size) + 2) * (count + 16) * 8 * floats
    return size * size * (16 * floats + 4) + rings + 3 * count * size * 8


def from_arrays(game: Greed, arrays: Mapping[str, Any], report: Report) -> GreedSolution:
    """A solution from what the store kept of it."""
    shape = (game.max + 1, game.max + 1)
    named: dict[str, Any] = {name: arrays.get(name) for name in TABLES}
    if any(table is not None and table.shape != shape for table in named.values()) or named["last_dice"] is None:
        raise InputError(f"the stored tables of {game.spec} have the wrong shape")
    return GreedSolution(game, report, Tables(**named, doubts=report.doubts))


class GreedSolution(Solution[Position, int]):
    """Values and best numbers of dice of all states of a two-player ruleset."""

    game: Greed

    def __init__(self, game: Greed, report: Report, tables: Tables) -> None:
        super().__init__(game, report, TIE_TOLERANCE * float(Fraction(game.win - game.lose) / 2))
        self._tables = tables
        self._half = float(Fraction(game.win - game.lose) / 2)
        self._middle = float(Fraction(game.win + game.lose) / 2)
        self._options = lru_cache(maxsize=4)(self._compute_options)

    # ---- what a solver supplies

    def values(self, state: Position) -> tuple[Number, ...]:
        if state.last == OVER:
            return pay_each(self.game.payoff(state), 2)
        a, q, last = self.game.seen_by_mover(state)
        unit = float(self._grid("value", last)[a, q])
        own, other = self._pay(unit), self._pay(-unit)
        if not self.game.constant_sum:
            other = self._pay(2 * self.game.tie_in_units * float(self._grid("tie", last)[a, q]) - unit)
        return (own, other) if state.turn == 0 else (other, own)

    def states(self) -> Iterator[Position]:
        scores = range(self.game.max + 1)
        return (Position((a, q), 0, last) for last in (0, 1) for q in scores for a in scores)

    def arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        tables = ((name, getattr(self._tables, name)) for name in TABLES)
        return {name: table for name, table in tables if table is not None}

    def worths(self) -> Floats:
        return np.concatenate([self.payoffs(last).T.ravel() for last in (False, True)])

    # ---- views of the whole table, indexed [active, queued]

    def payoffs(self, last: bool = False) -> Floats:
        """What each state is worth to its mover."""
        payoffs: Floats = self._pay(self._grid("value", last))
        return payoffs

    def dice(self, last: bool = False) -> np.ndarray[Any, np.dtype[np.uint16]]:
        """The smallest best number of dice of each state."""
        return self._tables.last_dice if last else self._tables.normal_dice

    def ratings(self, last: bool = False) -> Floats:
        """The papers' rating: the chance to win plus half the chance to tie."""
        value = self._grid("value", last)
        if self.game.constant_sum and self.game.win != self.game.lose:
            return (1 + value) / 2
        return self.win_chances(last) + self._grid("tie", last) / 2

    def tie_chances(self, last: bool = False) -> Floats:
        """The chance that the game ends in a tie."""
        return self._grid("tie", last)

    def win_chances(self, last: bool = False) -> Floats:
        """The chance that the mover wins."""
        tie = self._grid("tie", last)
        return np.clip((self._grid("value", last) + 1 - tie * (1 + self.game.tie_in_units)) / 2, 0.0, 1.0)

    @property
    def has_details(self) -> bool:  # type: ignore[override]
        """Whether the chances of a tie are at hand; otherwise asking for one solves once more, with them."""
        return self._tables.normal_tie is not None

    def find_details(self, progress: Progress | None = None) -> None:
        """Have the chances of a tie at hand."""
        if not self.has_details:
            self._tables = solve_fast(self.game, ties=True, progress=progress)._tables

    def _grid(self, what: str, last: bool) -> Floats:
        if what == "tie":
            self.find_details()
        tables = self._tables
        found = {
            ("value", False): tables.normal,
            ("value", True): tables.last,
            ("tie", False): tables.normal_tie,
            ("tie", True): tables.last_tie,
        }[what, bool(last)]
        assert found is not None
        return found

    # ---- single states

    def action(self, state: Position) -> int:
        if state.last == OVER:
            return super().action(state)
        a, q, last = self.game.seen_by_mover(state)
        return int(self.dice(last)[a, q])

    def rating(self, state: Position) -> float:
        """The papers' rating of the state for its mover: the chance to win plus half the chance to tie."""
        chances = self.chances(state)
        return chances.win + chances.tie / 2

    def win_probability(self, state: Position) -> float:
        """The chance that the mover wins."""
        return self.chances(state).win

    def chances(self, state: Position) -> Chances:
        """How the game ends for the mover."""
        a, q, last = self.game.seen_by_mover(state)
        return self._chances(float(self._grid("value", last)[a, q]), float(self._grid("tie", last)[a, q]))

    def choices(self, state: Position) -> list[Choice[int]]:
        if state.last == OVER:
            return []
        options = self._options(state)
        first = self.action(state)
        loss = options.loss - options.loss[first]
        # last turns are precise to the last digit; elsewhere rounding noise must not shuffle equally good options
        noise = options.loss[first] * TIE_TOLERANCE if state.last else TIE_TOLERANCE
        loss[loss <= noise] = 0.0
        order = sorted(range(len(loss)), key=lambda n: loss[n] if state.last else round(loss[n] / TIE_TOLERANCE))
        order.remove(first)
        order.insert(0, first)
        other = -options.value
        if not self.game.constant_sum:
            other = 2 * self.game.tie_in_units * options.tie - options.value
        found = []
        for n in order:
            values: tuple[Number, ...] = (self._pay(float(options.value[n])), self._pay(float(other[n])))
            if n == first:  # found by another sum, the table may differ in the last digit
                values = self.values(state)[:: 1 if state.turn == 0 else -1]
            loss_paid = float(loss[n]) * self._half
            found.append(Choice(n, values[0], loss_paid, values if state.turn == 0 else values[::-1]))
        return found

    def details(self, state: Position, action: int) -> Mapping[str, float]:
        if action not in self.game.actions(state):
            raise InputError(f"rolling {action} is not possible at {self.game.text(state)!r}")
        options = self._options(state)
        chances = self._chances(float(options.value[action]), float(options.tie[action]))
        return {**chances._asdict(), "bust": float(options.bust[action])}

    def why(self, state: Position) -> str:
        if state.last == OVER:
            return "The game is over."
        a, q, last = self.game.seen_by_mover(state)
        n = self.action(state)
        options = self._options(state)
        chances = self._chances(float(options.value[n]), float(options.tie[n]))
        dice = "1 die" if n == 1 else f"{n} dice"
        if last and a > q:
            return "A forfeit: the other player stood while behind, so standing wins."
        if last and options.loss[n] == 0 and options.tie[n] == 0:
            return f"A certain win: rolling {dice} passes {q} and cannot pass {self.game.max}."
        result = f"wins {chances.win:.1%}, ties {chances.tie:.1%}"
        if self.game.n_max(a) == 0:
            return f"A forced stand: at {a} every roll passes {self.game.max}; it {result}."
        if np.all(options.value <= -1 + TIE_TOLERANCE):
            return "Nothing helps: no choice is worth more than a loss."
        if chances.win > 1 - 1e-15:
            return f"A certain win: {'standing' if n == 0 else 'rolling ' + dice} cannot be answered."
        choices = self.choices(state)
        margin = ""
        equals = [_deed(choice.action) for choice in choices[1:] if choice.loss == 0]
        if len(equals) > 3:
            margin = f"; {len(equals)} other choices are just as good"
        elif equals:
            margin = f"; {' and '.join(equals)} {'is' if len(equals) == 1 else 'are'} just as good"
        if rivals := [choice for choice in choices if choice.loss > 0]:
            margin += f"; {_deed(rivals[0].action)} comes next and gives away {rivals[0].loss:.3g}"
        if n == 0 and last:
            return f"Standing is best: it {result}{margin}."
        if n == 0:
            return f"Standing is best: the other player must answer {a} in one turn; it {result}{margin}."
        risk = f"busts {options.bust[n]:.1%}" if options.bust[n] > 0 else "cannot bust"
        return f"Rolling {dice} is best: it {risk}, {result}{margin}."

    def table(self) -> dict[str, Sequence[Any]]:
        scores = np.arange(self.game.max + 1, dtype=np.uint32)
        active, queued = np.tile(scores, len(scores)), np.repeat(scores, len(scores))
        columns: dict[str, Any] = {
            "active": np.concatenate([active, active]),
            "queued": np.concatenate([queued, queued]),
            "last": np.repeat([False, True], len(active)),
            "n": np.concatenate([self.dice(False).T.ravel(), self.dice(True).T.ravel()]),
            "payoff": np.concatenate([self.payoffs(False).T.ravel(), self.payoffs(True).T.ravel()]),
        }
        return columns

    def lines(self) -> Iterator[str]:
        """As the source program prints them: last turns, a blank line, normal turns, by (active, queued)."""
        return source_lines(self.game, lambda last: (self.dice(last).tolist(), self.payoffs(last)))

    def check_bellman(self, exact: bool, progress: Progress | None = None) -> Violation:
        def other(last: bool) -> Floats:
            unit = -self._grid("value", last)
            if not self.game.constant_sum:
                unit += 2 * self.game.tie_in_units * self._grid("tie", last)
            payoffs: Floats = self._pay(unit)
            return payoffs

        if not exact:
            return check_floats(self.game, self.payoffs, other, self.dice, progress)
        return check_exactly(
            self.game,
            lambda last: _fractions(self.payoffs(last)),
            lambda last: _fractions(other(last)),
            lambda last: self.dice(last).tolist(),
            progress,
        )

    # ---- inside

    def _pay(self, unit: Any) -> Any:
        """A value in units of win = 1, lose = -1 as a payoff; adding turns a -0.0 into 0.0."""
        return self._middle + self._half * unit

    def _chances(self, value: float, tie: float) -> Chances:
        win = min(max((value + 1 - tie * (1 + self.game.tie_in_units)) / 2, 0.0), 1.0)
        return Chances(win, tie, max(1 - win - tie, 0.0))

    def _compute_options(self, state: Position) -> Options:
        """Each number of dice in one state, by the recurrence in its own column only.

        `loss` is measured by what each option falls short of a certain win, which in a last turn is precise to the last
        digit even where that is tiny.
        """
        a, q, last = self.game.seen_by_mover(state)
        rules: Layout = layout(self.game)
        room, count, tie_unit = self.game.max - a, self.game.n_max(a), self.game.tie_in_units
        total = np.zeros(room + 1)  # chance of each total that does not bust
        total[0] = 1.0
        bust = np.zeros(count + 1)
        above = np.zeros(room + 1)
        gap = q - a
        if last:
            landed = np.where(np.arange(room + 1) > gap, 0.0, 2.0)  # shortfall of each total
            landed_tie = (np.arange(room + 1) == gap) * 1.0
            landed[landed_tie > 0] = 1 - tie_unit
        else:
            scores = slice(a, None)
            landed_tie = self._grid("tie", False)[q, scores].astype(float)
            landed = 1 - (2 * tie_unit * landed_tie - self._grid("value", False)[q, scores])
        short, tie = np.empty(count + 1), np.empty(count + 1)
        for n in range(count + 1):
            if n:
                next_total, next_above = np.zeros(room + 1), np.zeros(room + 1)
                for face, chance in zip(rules.faces.tolist(), rules.chances.tolist(), strict=True):
                    next_total[face:] += chance * total[: max(room + 1 - face, 0)]
                    next_above[face:] += chance * above[: max(room + 1 - face, 0)]
                    next_above[:face] += chance
                total, above = next_total, next_above
            bust[n] = above[room]
            short[n] = 2 * bust[n] + total @ landed
            tie[n] = total @ landed_tie
        if not last:  # standing hands over the last turn
            tie[0] = self._grid("tie", True)[q, a]
            short[0] = 1 - (2 * tie_unit * tie[0] - self._grid("value", True)[q, a])
        return Options(1 - short, short, tie, bust)


def _deed(n: int) -> str:
    return "standing" if n == 0 else f"rolling {n}"


def _fractions(table: Floats) -> list[list[Fraction]]:
    return [[Fraction(value) for value in row] for row in table.tolist()]


def source_lines(game: Greed, grids: Callable[[bool], tuple[Any, Any]]) -> Iterator[str]:
    """Every state in the words of the source program; `grids` gives dice and payoffs, indexed [active][queued]."""
    scores = range(game.max + 1)
    for last, word in ((True, "terminal"), (False, "normal")):
        dice, payoffs = grids(last)
        for a in scores:
            for q in scores:
                payoff = np.format_float_positional(float(payoffs[a][q]), trim="-")
                yield f"({a}, {q}, {word}) => (dice: #{dice[a][q]}, payoff: {payoff})"
        if last:
            yield ""
