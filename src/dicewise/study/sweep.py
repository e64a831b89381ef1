"""The designer's tool: what a position is worth, or something else about it, over one or two parameters of the rules.

Every ruleset is solved for itself, by the fastest way that its game has, and its best play is asked about the position.
Where exact arithmetic is asked for, values are fractions. A ruleset that does not have the position has an empty row.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from dicewise._version import __version__
from dicewise.chart import Bars, Chart, Grid, Panel, Plane, Series, number_grid
from dicewise.engine.evaluate import evaluate
from dicewise.engine.solve import solve
from dicewise.errors import InputError, did_you_mean
from dicewise.game import Game, Number, read_position, spoken
from dicewise.games import find_game
from dicewise.solution import Solution
from dicewise.store import key_of
from dicewise.study.result import Study, Table, spaced
from dicewise.study.rulesets import Rulesets, recipe_of
from dicewise.study.work import Work

MEASURES = {
    "value": "the value of {where}{whom}",
    "margin": "what the second-best action at {where} loses",
    "states": "the number of states",
    "moves": "the expected number of moves from {where} on",
    "decisions": "the expected number of decisions from {where} on",
    "sd": "the standard deviation of what comes of {where}{whom}",
    "win": "the chance to win from {where}{whom}",
    "tie": "the chance to tie from {where}{whom}",
    "lose": "the chance to lose from {where}{whom}",
}
"""What can be asked of every game; besides, all that `Solution.details` says of the best action."""

MOST_ROWS, MOST_COLUMNS, MOST_BARS = 24, 8, 32


def sweep(
    rulesets: Rulesets,
    *,
    of: str = "value",
    at: str = "",
    player: int = 1,
    exact: bool = False,
    work: Work | None = None,
) -> Study:
    """One of `MEASURES` in every ruleset, of the start or of the position `at`, seen by the player to move (1), the one
    after it (2), and so on."""
    work = work or Work()
    if not 1 <= len(rulesets.varied) <= 2:
        given = ", ".join(rulesets.varied) or "none"
        raise InputError(f"a sweep is over one or two parameters, not {given}; for example --max 20:200:10")
    for game in rulesets.games:
        if not 1 <= player <= game.players:
            raise InputError(f"player {player} is not at the table of {game.spec}; players are 1 to {game.players}")
    have = _with_position(rulesets.games, at)
    question = {"of": of, "at": at, "player": player, "exact": exact}
    found = dict(zip(have, _asked([rulesets.games[at] for at in have], question, work), strict=True))
    return _Sweep(rulesets, question, [found.get(at) for at in range(len(rulesets.games))]).study()


def _with_position(games: Sequence[Game[Any, Any]], at: str) -> list[int]:
    """The numbers of the games that have the position; that none has it is an error."""
    found, refused = [], None
    for number, game in enumerate(games):
        try:
            if at:
                read_position(game, at)
            found.append(number)
        except InputError as error:
            refused = refused or error
    if refused is not None and not found:
        raise refused
    return found


# ---- solving


def _asked(games: Sequence[Game[Any, Any]], question: Mapping[str, Any], work: Work) -> list[dict[str, Any]]:
    recipes, keys = [recipe_of(game) for game in games], [key_of(game) for game in games]
    doing = f"solving {len(games):,} rulesets"
    if None in recipes or None in keys:  # nothing tells these rules from their next version, or to another process
        answers = []
        for number, game in enumerate(games):
            work.tell(number / len(games), doing)
            answers.append(answer(game, question))
        return answers
    return work.map(solve_one, [[*each, question] for each in zip(recipes, keys, strict=True)], doing)


def solve_one(item: list[Any]) -> dict[str, Any]:
    """One ruleset, in any process."""
    recipe, key, question = item
    game = find_game(recipe)
    if key_of(game) != key:
        raise InputError(f"the file of {game.name} was changed while the study ran; start again")
    return answer(game, question)


def answer(game: Game[Any, Any], question: Mapping[str, Any]) -> dict[str, Any]:
    """What is asked of one ruleset."""
    of, exact = question["of"], question["exact"]
    state = read_position(game, question["at"]) if question["at"] else game.start()
    solution = solve(game, exact=exact)
    seat = (game.turn(state) + question["player"] - 1) % game.players
    value = solution.values(state)[seat]
    over = not game.actions(state)
    found = {
        "value": float(value),
        "action": "" if over else spoken(game, "label", solution.action(state)),
        "states": solution.report.states,
        "error_bound": solution.report.error_bound,
    }
    measured = value if of == "value" else _measured(solution, state, seat, of, exact)
    if exact and not isinstance(measured, float) and measured is not None:
        found["exact"] = str(Fraction(measured))
    return {**found, of: measured if measured is None or isinstance(measured, int) else float(measured)}


def _measured(solution: Solution[Any, Any], state: Any, seat: int, of: str, exact: bool) -> Number | None:
    """Anything but the value; None where there is none."""
    game, over = solution.game, not solution.game.actions(state)
    if of == "states":
        return solution.report.states
    if of == "margin":
        losses = [] if over else [choice.loss for choice in solution.choices(state)]
        return min((loss for loss in losses if loss > 0), default=0 if len(losses) > 1 else None)
    if of not in MEASURES or (of in ENDS and seat == game.turn(state) and not over):
        details = {} if over else solution.details(state, solution.action(state))
        if of in details:
            return details[of]
        if of not in MEASURES:
            known = [*MEASURES, *(name for name in details if name not in MEASURES)]
            raise InputError(
                f"{of!r} is not known of {game.spec}; there are {', '.join(known)}{did_you_mean(of, known)}"
            )
    if of in ENDS and game.players == 1:
        raise InputError(f"{of!r} is not to be had of {game.spec}: alone nobody wins or loses; ask for value or sd")
    played = evaluate(game, solution, state=state, exact=exact)
    if of in ("moves", "decisions"):
        number: Number = getattr(played, of)
        return number
    if of == "sd":
        return played.distribution(seat).sd()
    chances = [chance for totals, chance in played.outcomes().items() if ENDS[of](totals, seat)]
    return sum(chances, Fraction(0)) if exact else math.fsum(chances)


ENDS: dict[str, Callable[[Sequence[Number], int], bool]] = {
    "win": lambda totals, seat: totals[seat] == max(totals) and totals.count(totals[seat]) == 1,
    "tie": lambda totals, seat: totals[seat] == max(totals) and totals.count(totals[seat]) > 1,
    "lose": lambda totals, seat: totals[seat] < max(totals),
}


# ---- telling


class _Sweep:
    """The answers of all rulesets, None where one does not have the position, as tables, words and a chart."""

    def __init__(
        self, rulesets: Rulesets, question: Mapping[str, Any], answers: Sequence[dict[str, Any] | None]
    ) -> None:
        self.rulesets, self.question, self.answers = rulesets, question, answers
        self.of = question["of"]
        self.numbers = self._column(self.of)
        self.columns = [[values[number] for values in rulesets.values] for number in range(len(rulesets.varied))]
        self.where = f"the position {question['at']!r}" if question["at"] else "the start"
        most = max(game.players for game in rulesets.games)
        whom = (
            ""
            if question["player"] == 1
            else f" for player {question['player']}"
            if most > 2
            else " for the other player"
        )
        words = MEASURES.get(self.of, f"{self.of} of the best action at {{where}}")
        self.what = words.format(where=self.where, whom=whom)
        whole = all(isinstance(number, int) for number in self._known())
        self.form = "{:,}" if whole else "{:.6f}" if max(map(abs, self._known()), default=0) < 1000 else "{:,.3f}"

    def _column(self, name: str) -> list[Any]:
        return [None if answer is None else answer.get(name) for answer in self.answers]

    def _known(self) -> list[float]:
        return [number for number in self.numbers if number is not None]

    def study(self) -> Study:
        said = self.findings()
        return Study("sweep", self.rulesets.text, self.tables(), said, self.chart(said), dict(self.question))

    def tables(self) -> list[Table]:
        columns: dict[str, Sequence[Any]] = dict(zip(self.rulesets.varied, self.columns, strict=True))
        names = dict.fromkeys((self.of, "value", "action", "states", "error_bound"))
        columns |= {name: self._column(name) for name in names}
        if self.question["exact"]:
            columns["exact"] = self._column("exact")
        title = self.what
        if len(self.rulesets.varied) == 2:  # people see the grid
            return [Table("rulesets", title, columns, {}), self._grid_table()]
        shown = {**dict.fromkeys(self.rulesets.varied, "{}"), self.of: self.form, "action": "{}", "states": "{:,}"}
        return [Table("rulesets", title, columns, shown, spaced(len(self.answers), MOST_ROWS))]

    def _grid_table(self) -> Table:
        """The first parameter downwards, the second across."""
        (down, across), (xs, ys) = self.rulesets.varied, self.columns
        rows, heads = list(dict.fromkeys(xs)), list(dict.fromkeys(ys))
        cells = dict(zip(zip(xs, ys, strict=True), self.numbers, strict=True))
        columns: dict[str, Sequence[Any]] = {down: rows}
        columns |= {f"{across}={head}": [cells[row, head] for row in rows] for head in heads}
        form = self.form.replace(".6f", ".4f")
        width, room = 9 if "f" in form else 8, 76 - len(down)
        most = max(1, min(MOST_COLUMNS, room // max(2 + len(name) for name in [*columns][1:]), room // width))
        few = [f"{across}={heads[at]}" for at in spaced(len(heads), most)]
        title = f"{self.what}, by {down} (down) and {across} (across)"
        if len(few) < len(heads):
            title += f", {len(few)} of {len(heads)} columns"
        return Table("grid", title, columns, {down: "{}", **dict.fromkeys(few, form)}, spaced(len(rows), MOST_ROWS))

    def _ruleset(self, at: int) -> str:
        return ", ".join(
            f"{name} {column[at]}" for name, column in zip(self.rulesets.varied, self.columns, strict=True)
        )

    def findings(self) -> list[str]:
        numbers, found = self.numbers, [at for at, number in enumerate(self.numbers) if number is not None]
        said = []
        if found:
            low, high = min(found, key=numbers.__getitem__), max(found, key=numbers.__getitem__)
            goes = f"goes from {numbers[low]:.6g} ({self._ruleset(low)}) to {numbers[high]:.6g} ({self._ruleset(high)})"
            if numbers[low] == numbers[high]:
                goes = f"is {numbers[low]:.6g} everywhere"
            said.append(f"Over {len(found):,} rulesets {self.what} {goes}.")
            if numbers[low] < 0 < numbers[high]:
                said.append(f"It is below 0 in {sum(numbers[at] < 0 for at in found):,} of them.")
        if len(self.columns) == 1 and self._is_number(0):
            rises = [b > a for a, b in pairwise(self._known()) if a != b]
            if rises and len(set(rises)) == 1:
                said.append(f"It {'rises' if rises[0] else 'falls'} all the way with {self.rulesets.varied[0]}.")
        if missing := self.answers.count(None):
            said.append(f"{missing:,} rulesets do not have {self.where}.")
        elif len(found) < len(numbers):
            said.append(f"In {len(numbers) - len(found):,} rulesets there is nothing to choose there.")
        return said

    def _is_number(self, which: int) -> bool:
        return all(
            isinstance(value, int | float | Fraction) and not isinstance(value, bool) for value in self.columns[which]
        )

    def chart(self, said: Sequence[str]) -> Chart:
        caption = [self.rulesets.text, *said, f"dicewise {__version__}"]
        what = self.what.removeprefix("the ")
        title = f"{what[0].upper()}{what[1:]} by {' and '.join(self.rulesets.varied)}"
        return Chart(title, [self._panel()], caption, " ".join(said))

    def _panel(self) -> Panel:
        numbers = [math.nan if number is None else number for number in self.numbers]
        kinds = [self._is_number(which) for which in range(len(self.columns))]
        if kinds == [True]:
            x = [float(value) for value in self.columns[0]]
            kind = "dots" if len(x) <= 60 else "line"
            return Plane("", self.rulesets.varied[0], self.what, [Series("", x, numbers, kind)])
        if kinds == [True, True] and all(map(_is_even, self.columns)):
            return self._grid(numbers)
        if any(kinds) and len(kinds) == 2:
            return self._lines(numbers, kinds)
        few = spaced(len(numbers), MOST_BARS)
        labels = [self._ruleset(at) if len(kinds) > 1 else str(self.columns[0][at]) for at in few]
        names = ", ".join(self.rulesets.varied)
        title = "" if len(few) == len(numbers) else f"{len(few)} of {len(numbers):,} values of {names}"
        return Bars(title, self.what, labels, [numbers[at] for at in few])

    def _grid(self, numbers: Sequence[float]) -> Grid:
        (first, second), (xs, ys) = self.rulesets.varied, (sorted(set(column)) for column in self.columns)
        cells = number_grid(dict(zip(zip(*self.columns, strict=True), numbers, strict=True)), xs, ys)
        known = self._known()
        look = "diverging" if known and min(known) < 0 < max(known) else "sequential"
        form = "{:.0f}" if self.form == "{:,}" else "{:.4f}" if max(map(abs, known), default=0) < 10 else "{:.4g}"
        return Grid("", first, second, cells, [*map(float, xs)], [*map(float, ys)], self.what, look, numbers=form)

    def _lines(self, numbers: Sequence[float], kinds: Sequence[bool]) -> Plane:
        """A line for every value of one parameter: of the one that is no number, or else that has fewer values."""
        counts = [len(dict.fromkeys(column)) for column in self.columns]
        label = kinds.index(False) if False in kinds else int(counts[1] <= counts[0])
        rows: dict[Any, list[tuple[float, float]]] = {}
        for value, x, y in zip(self.columns[label], self.columns[1 - label], numbers, strict=True):
            rows.setdefault(value, []).append((float(x), y))
        names = self.rulesets.varied
        series = [
            Series(f"{names[label]} {value}", [x for x, _ in sorted(row)], [y for _, y in sorted(row)])
            for value, row in rows.items()
        ]
        return Plane("", names[1 - label], self.what, series)


def _is_even(column: Sequence[Any]) -> bool:
    """Whether the values are as far from each other, all of them."""
    values = sorted(set(column))
    return len({b - a for a, b in pairwise(values)}) == 1
