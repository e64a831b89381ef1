"""`dicewise study conjectures`: the counts of a grid, against claims written straight from the papers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from dicewise import Greed, solve
from dicewise.cli import cli
from dicewise.errors import InputError
from dicewise.games.greed.exact import ExactGreed
from dicewise.study.claims import Bounds, climb, rise_from, second_rise
from dicewise.study.conjectures import CLAIMS, SEARCHES, conjectures
from dicewise.study.curves import LastTurns, normal_curves
from dicewise.study.result import Study
from dicewise.study.rulesets import read_rulesets

# ---- the slow twin: one ruleset after the other, nothing shared, no rooms


class Twin:
    """All curves of one ruleset, as fractions, from the sums of the papers."""

    def __init__(self, game: Greed) -> None:
        self.top = game.max
        self.weights = dict(game.dice)
        self.rolled = cache(lambda n: naive.totals(self.weights, n))
        self.win, self.tie, self.lose = Fraction(game.win), Fraction(game.tie), Fraction(game.lose)
        self.solved = naive.greed(game.max, self.weights, self.win, self.tie, self.lose)
        self.mean = Fraction(sum(f * w for f, w in self.weights.items()), sum(self.weights.values()))

    def states(self) -> Iterator[tuple[int, int]]:
        return ((a, q) for a in range(self.top + 1) for q in range(self.top + 1))

    def last(self, a: int, q: int, n: int) -> Fraction:
        def pay(score: int) -> Fraction:
            if score > self.top or score < q:
                return self.lose
            return self.tie if score == q else self.win

        return sum((chance * pay(a + total) for total, chance in self.rolled(n).items()), Fraction(0))

    def normal(self, a: int, q: int, n: int) -> Fraction:
        if n == 0:
            return self.solved[q, a, True][0][1]
        return sum(
            (
                chance * (self.lose if a + total > self.top else self.solved[q, a + total, False][0][1])
                for total, chance in self.rolled(n).items()
            ),
            Fraction(0),
        )

    def curve(self, last: bool, a: int, q: int) -> list[Fraction]:
        """Two further than anything that fits."""
        return [(self.last if last else self.normal)(a, q, n) for n in range(self.top - a + 3)]

    def n_max(self, a: int) -> int:
        return -int(-(self.top - a) // self.mean)

    def n0(self, a: int, q: int) -> int:
        return next(n for n in range(1000) if a + n * self.mean > Fraction(q + self.top, 2))


def has_two_peaks(values: list[Fraction]) -> bool:
    return any(
        values[i] > values[j] < values[k]
        for i in range(len(values))
        for j in range(i + 1, len(values))
        for k in range(j + 1, len(values))
    )


def listed(twin: Twin, a: int) -> int:
    return naive.most_dice(twin.top, twin.weights)(a)


def expected(twin: Twin) -> dict[tuple[str, str], int]:
    """The number of exceptions to each claim in one ruleset."""
    found = dict.fromkeys(CLAIMS, 0)
    best: dict[tuple[int, int], tuple[int, int]] = {}

    def against(turn: str, name: str, exception: bool) -> None:
        found[turn, name] += exception

    for a, q in twin.states():
        curve = twin.curve(True, a, q)
        rolls = curve[: listed(twin, a) + 1]
        top, n0 = max(curve), twin.n0(a, q)
        ties = [n for n, value in enumerate(rolls) if value == max(rolls)]
        best[a, q] = ties[0], ties[-1]
        above = curve[n0:]
        against("last", "conjecture 1", any(y > x for x, y in pairwise(above)))
        against(
            "last",
            "conjecture 1, strictly",
            any(y > x or x == y > twin.lose for x, y in pairwise(above)),
        )
        against("last", "conjecture 2", has_two_peaks(curve))
        level = any(x == y > twin.lose for x, y in pairwise(curve))
        against("last", "conjecture 2, strictly", has_two_peaks(curve) or level)
        against("last", "no more than n_max", max(curve[: twin.n_max(a) + 1]) < top)
        rounded = int((twin.top - a) / twin.mean + Fraction(1, 2))
        against("last", "no more than nearest", max(curve[: max(rounded, 1) + 1]) < top)
        up, down = n0, n0
        while up + 1 < len(curve) and curve[up + 1] >= curve[up]:
            up += 1
        while down > 0 and curve[down - 1] >= curve[down]:
            down -= 1
        against("last", "search from n0, both ways", max(curve[down : up + 1]) < top)
        against("last", "search n0 and n0 - 1", max(curve[max(n0 - 1, 0) : n0 + 1]) < top)
        forfeit = a > q
        victory = any(all(q < a + total <= twin.top for total in twin.rolled(n)) for n in range(1, len(curve)))
        if not forfeit and not victory and a < twin.top:
            against("last", "search from n0 up, as printed", max(curve[n0 : up + 1]) < top)

        curve = twin.curve(False, a, q)
        against("normal", "one peak", has_two_peaks(curve[1:]))
        level = any(x == y > twin.lose for x, y in pairwise(curve[1:]))
        against("normal", "one peak, strictly", has_two_peaks(curve[1:]) or level)
        against("normal", "no more than n_max", max(curve[: twin.n_max(a) + 1]) < max(curve))
        against("normal", "no more than floor", max(curve[: max(int((twin.top - a) / twin.mean), 1) + 1]) < max(curve))
        stop = 1
        while stop < listed(twin, a) and curve[stop + 1] >= curve[stop]:
            stop += 1
        seen = [curve[0], *(curve[1 : stop + 1] if listed(twin, a) else [])]
        against("normal", "search from 1 to the first fall", max(seen) < max(curve))

    for a, q in twin.states():
        for way, to in (("with q", (a, q + 1)), ("as a falls", (a - 1, q))):
            if to in best:
                against("last", f"n rises {way}", best[to][0] < best[a, q][0])
                against("last", f"largest n rises {way}", best[to][1] < best[a, q][1])
                against("last", f"as printed, n falls {way}", best[to][0] > best[a, q][0])
        start = max(best.get((a + 1, q), (0, 0))[0], best.get((a, q - 1), (0, 0))[0])
        start = min(start, listed(twin, a))
        curve = twin.curve(True, a, q)[: listed(twin, a) + 1]
        end = start
        while end + 1 < len(curve) and curve[end + 1] >= curve[end]:
            end += 1
        against("last", "search warm start", max(curve[start : end + 1]) < max(curve))
    return found


def study_of(**given: str) -> Study:
    return conjectures(read_rulesets("greed", given))


def exceptions(study: Study) -> dict[tuple[str, str], int]:
    return dict(zip(CLAIMS, study.table("claims").columns["exceptions"], strict=True))


@pytest.mark.parametrize(
    "given",
    [
        {"max": "1:7", "sides": "1:3"},
        {"max": "9", "sides": "2,5"},
        {"max": "2,5,8", "die": "1:3,6"},
        {"max": "7", "die": "2,3"},
        {"max": "3,6", "sides": "4", "tie": "1"},
        {"max": "6", "sides": "2", "win": "1", "tie": "1/3", "lose": "0"},
    ],
    ids=str,
)
def test_counts_agree_with_the_slow_twin(given: dict[str, str]) -> None:
    rulesets = read_rulesets("greed", given)
    counted = dict.fromkeys(CLAIMS, 0)
    for game in rulesets.games:
        assert isinstance(game, Greed)
        for claim, count in expected(Twin(game)).items():
            counted[claim] += count
    assert exceptions(conjectures(rulesets)) == counted


def test_a_state_needs_only_its_rooms() -> None:
    for die in ("", "1,2,2,5"):
        small, large = (naive.greed(top, dict(Greed(top, 4, die=die).dice)) for top in (5, 8))
        assert all(large[a + 3, q + 3, last] == found for (a, q, last), found in small.items())


@settings(max_examples=25, deadline=None)
@given(
    top=st.integers(1, 9),
    faces=st.lists(st.tuples(st.integers(1, 6), st.integers(1, 3)), min_size=1, max_size=3),
    pays=st.lists(st.fractions(-2, 2, max_denominator=3), min_size=3, max_size=3).map(sorted),
)
def test_curves_are_those_of_the_sums(top: int, faces: list[tuple[int, int]], pays: list[Fraction]) -> None:
    lose, tie, win = pays
    game = Greed(top, die=",".join(f"{face}:{weight}" for face, weight in faces), win=win, tie=tie, lose=lose)
    twin, turns, solution = Twin(game), LastTurns(game), solve(game, exact=True)
    assert isinstance(solution, ExactGreed)
    for q in range(top + 1):
        for room, curve in normal_curves(solution, top - q):
            a = top - room
            last = [Fraction(value, turns.scale) for value in turns.curve(room, top - q)]
            normal = [Fraction(value, solution.scale) for value in curve]
            count = room // game.dice.outcomes[0]
            assert last == twin.curve(True, a, q)[: count + 1]
            assert normal == twin.curve(False, a, q)[: count + 1]
            assert {*twin.curve(True, a, q)[count + 1 :], *twin.curve(False, a, q)[count + 1 :]} <= {Fraction(lose)}


# ---- what is known


def test_the_known_count_of_last_turns() -> None:
    study = study_of(max=",".join(map(str, [*range(1, 41), 60, 100])), sides="6")
    assert study.facts["last_turns"] * 11 == 415_162
    claims = exceptions(study)
    for claim in ("conjecture 1", "conjecture 2", "n rises with q", "n rises as a falls", "search n0 and n0 - 1"):
        assert claims["last", claim] == 0
    for turn in ("last", "normal"):
        assert claims[turn, "no more than n_max"] == 0
    assert claims["last", "search from n0 up, as printed"] > 0
    checked = dict(zip(CLAIMS, study.table("claims").columns["checked"], strict=True))
    assert checked["last", "conjecture 1"] == checked["normal", "one peak"] == study.facts["last_turns"]


def test_the_first_exceptions_come_with_their_numbers() -> None:
    study = study_of(max="1:12", sides="2:3")
    rows = {(row["turn"], row["claim"]): row for row in study.table("claims").rows()}
    peaks = rows["normal", "one peak among the rolls"]
    game = Greed(6, 2)
    assert peaks["first"] == "(6,2) at 1 0"
    worth = {choice.action: choice.value for choice in solve(game, exact=True).choices(game.at(1, 0))}
    dice, values = map(int, peaks["dice"].split("|")), peaks["values"].split("|")
    assert [str(worth[n]) for n in dice] == values
    printed = rows["last", "n falls with q, as printed"]
    assert (printed["first"], printed["to"], printed["dice"]) == ("(1,2) at 0 0", "0 1", "0|1")


def test_the_bound_fails_for_loaded_dice() -> None:
    turns = LastTurns(Greed(100, die="1:9,100:1"))
    assert [Fraction(value, turns.scale) for value in turns.curve(2, 1)] == [-1, Fraction(-1, 10), Fraction(31, 50)]
    study = study_of(max="20,40", die="1:9,100:1")
    row = next(row for row in study.table("claims").rows() if row["claim"] == "no n above n_max is better")
    assert row["first"] == "(20,1:9,100) at 18 19"
    assert (row["dice"], row["values"]) == ("2|1", "31/50|-1/10")
    assert any("speak of fair dice" in finding for finding in study.findings)


def test_the_bounds_that_held() -> None:
    rooms = study_of(max="40", sides="6").table("rooms").columns
    for room, n_max, nearest, floor, last, normal in zip(
        *(rooms[name] for name in ("room", "n_max", "nearest", "floor", "best_last", "best_normal")), strict=True
    ):
        assert n_max == Greed(40, 6).n_max(40 - room)
        assert last <= nearest <= n_max
        assert normal <= floor <= nearest or room == 0
    exact = solve(Greed(40, 6), exact=True)
    assert isinstance(exact, ExactGreed)
    assert rooms["best_last"] == exact.dice(last=True).max(axis=1)[::-1].tolist()
    assert rooms["best_normal"] == exact.dice().max(axis=1)[::-1].tolist()
    dice = study_of(max="40", sides="6").table("dice").columns
    c = dice["c_last"][0]
    pairs = list(zip(rooms["room"], rooms["best_last"], strict=True))
    assert all(n <= max(1, (2 * room + c) // 7) for room, n in pairs)
    assert any(n > max(1, (2 * room + c - 1) // 7) for room, n in pairs)


# ---- small parts


def test_searches_of_a_curve() -> None:
    curve = [0, 2, 2, 5, 4, 6, 1]
    assert climb(curve, 0, 6) == [0, 1, 2, 3, 4]
    assert climb(curve, 6, 0, -1) == [6, 5, 4]
    assert climb(curve, 3, 3) == [3]
    assert second_rise(curve) == (3, 4)
    assert second_rise([1, 2, 2, 1]) is None
    assert rise_from(curve, 4) == 4
    assert rise_from(curve, 5) is None


def test_half_way_is_strictly_above() -> None:
    bounds = Bounds(Greed(20, 3))  # a mean of 2
    assert bounds.half_way(10, 0) == 6  # five dice reach it, six pass it
    assert bounds.half_way(10, 1) == 5
    assert bounds.half_way(0, 20) == 0


def test_evaluations_are_counted_where_nobody_is_ahead() -> None:
    columns = study_of(max="10", sides="3").table("searches").columns
    looked = dict(zip(zip(columns["turn"], columns["search"], strict=True), columns["evaluations"], strict=True))
    assert set(looked) == set(SEARCHES)
    game = Greed(10, 3)
    assert looked["last", "all up to n_max"] == sum((game.n_max(a) + 1) * (11 - a) for a in range(11))
    assert looked["normal", "all up to n_max"] == sum((game.n_max(a) + 1) * 11 for a in range(11))
    assert looked["last", "n0 and n0 - 1"] == 2 * 66  # nobody who is not ahead has a mean above half-way with no dice


# ---- the command


def run(*words: str) -> Any:
    result = CliRunner().invoke(cli, ["study", "conjectures", *words, "--jobs", "1"])
    assert result.exit_code == 0, result.output
    return result


def test_command_prints_and_writes() -> None:
    found = json.loads(run("greed", "--max", "1:5", "--sides", "2:3", "--json").stdout)
    assert found["study"] == "conjectures"
    assert found["last_turns"] == found["normal_states"] == 2 * sum((top + 1) ** 2 for top in range(1, 6))
    assert {row["turn"] for row in found["claims"]} == {"last", "normal"}
    text = run("greed", "--max", "1:5", "--sides", "2:3").stdout
    assert "conjecture 1: falls above half-way" in text
    assert "180 last turns and as many normal states" in text


def test_refusals() -> None:
    with pytest.raises(InputError, match="at most 400"):
        study_of(max="401")
    with pytest.raises(InputError, match="greed for two players"):
        study_of(max="5", sides="2", players="3")
