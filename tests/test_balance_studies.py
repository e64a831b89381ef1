"""Who is favoured, what is fair, other ties, more players: held against slow, obvious twins and fractions."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from dicewise import Greed, InputError, LimitError, solve
from dicewise.cli import main
from dicewise.game import Number
from dicewise.games.greed.exact import solve_exactly
from dicewise.games.greed.rules import Position
from dicewise.games.greed.solution import solve_fast
from dicewise.study import first_move as first
from dicewise.study.boards import advantages, by_maximum, exact_advantage, in_ranges, spread
from dicewise.study.draw_odds import draw_odds, solve_seats
from dicewise.study.fair import best_head_start, fair, find_jump
from dicewise.study.first_move import behind, first_move
from dicewise.study.limits import LAWS, limit_of
from dicewise.study.many import MOST_STEPS, check_size, solve_many, steps_of
from dicewise.study.payoffs import loss_of, payoffs, read_ties, stands
from dicewise.study.players import players, stands_from
from dicewise.study.rulesets import read_rulesets


def weights(game: Greed) -> dict[int, int]:
    return dict(game.dice)


def told_again(game: Greed) -> dict[naive.State, Any]:
    return naive.greed(game.max, weights(game), game.win, game.tie, game.lose)


def column(study: Any, table: str, name: str) -> list[Any]:
    return list(study.table(table).columns[name])


SMALL = st.sampled_from(
    [
        Greed(9, 3),
        Greed(12, 2),
        Greed(11, 6),
        Greed(8, 20),
        Greed(10, die="1:9,4:1"),
        Greed(9, 4, tie="1/3"),
        Greed(8, 3, tie=-1),
        Greed(7, 4, win=5, tie=4, lose=1),
        Greed(5, 1),
    ]
)


# ---- one board serves every smaller maximum


@settings(max_examples=20, deadline=None)
@given(SMALL, st.data())
def test_a_smaller_maximum_is_a_corner_of_the_board(game: Greed, data: st.DataObject) -> None:
    top = data.draw(st.integers(1, game.max))
    more = game.max - top
    large, small = solve_exactly(game), solve_exactly(replace(game, max=top))
    for state in small.states():
        moved = Position(tuple(score + more for score in state.scores), 0, state.last)
        assert large.values(moved) == small.values(state)
        assert large.best_actions(moved) == small.best_actions(state)


@settings(max_examples=9, deadline=None)
@given(SMALL)
def test_advantages_are_half_of_what_the_mover_expects_more(game: Greed) -> None:
    found, twin, exact = advantages(solve_fast(game)), told_again(game), solve_exactly(game)
    for (a, q, last), ((own, other), _) in twin.items():
        if not last:
            assert found[a, q] == pytest.approx(float(own - other) / 2, abs=1e-12)
            assert exact_advantage(exact, a, q) == (own - other) / 2
    assert by_maximum(found)[game.max] == found[0, 0]


def test_lists_of_numbers() -> None:
    assert in_ranges([]) == ""
    assert in_ranges([7, 3, 4, 5, 9, 10]) == "3-5, 7, 9-10"
    assert spread(range(100), 3) == [0, 50, 99]
    assert spread("abc", 5) == ["a", "b", "c"]


# ---- first-move


def test_starts_agree_with_the_rules_told_again() -> None:
    study = first_move(read_rulesets("greed", {"max": "1:9", "sides": "2:5"}), exact_up_to=4, far=0)
    rows = list(study.table("rulesets").rows())
    assert len(rows) == 36
    for row in rows:
        (own, other), best = told_again(Greed(row["max"], row["sides"]))[0, 0, False]
        assert row["value"] == pytest.approx(float(own), abs=1e-13)
        assert row["opening"] == best[0]
        exactly = row["max"] <= 4 or own == other  # beyond 4 only where the bound leaves a doubt
        assert row["favoured"] == ("first" if own > other else "second" if own < other else "neither")
        if exactly:
            assert row["proof"] == "exact"
            assert Fraction(row["exact"]) == own
    assert {row["proof"] for row in rows} == {"exact", "bound"}
    compared = [row for row in rows if row["exact"] is not None]
    assert study.facts["compared_with_exact"] == len(compared) < 36
    assert study.facts["largest_difference"] < 1e-14
    assert study.facts["openings_that_differ"] == 0
    for sides, worse in zip(column(study, "worse", "sides"), column(study, "worse", "first_is_worse_at"), strict=True):
        assert worse == in_ranges(row["max"] for row in rows if row["sides"] == sides and row["favoured"] == "second")


def test_the_ruleset_with_a_worse_first_player() -> None:
    study = first_move(read_rulesets("greed", {"max": "20:24", "sides": "2"}), far=0)
    assert column(study, "rulesets", "exact")[3] == "-46618808451/8796093022208"
    assert column(study, "rulesets", "favoured") == ["second"] * 5
    assert column(study, "worse", "first_is_worse_at") == ["20-24"]


def test_a_sign_that_nobody_proves_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first, "SETTLED_UP_TO", 0)
    study = first_move(read_rulesets("greed", {"max": "1:3", "sides": "6"}), exact_up_to=0, far=0)
    assert column(study, "rulesets", "favoured") == ["unknown"] * 3
    assert column(study, "worse", "unknown_at") == ["1-3"]
    assert "3 are not decided" in study.findings[0]
    assert study.facts["compared_with_exact"] == 0


@pytest.mark.parametrize("game", [Greed(13, 3), Greed(9, 6), Greed(10, die="1:9,4:1")])
def test_movers_behind_are_counted(game: Greed) -> None:
    ahead = advantages(solve_fast(game))
    twin = told_again(game)
    for deficit, counts in enumerate(behind(ahead, 1e-12)):
        states, favoured = [0] * 4, [0] * 4
        for a in range(game.max + 1 - deficit):
            quarter = 4 * (a + deficit) // (game.max + 1)
            states[quarter] += 1
            favoured[quarter] += twin[a, a + deficit, False][0][0] > 0
        assert counts == [*states, *favoured]


def test_values_over_the_usual_board() -> None:
    study = first_move(read_rulesets("greed", {"max": "100,200", "sides": "6"}), exact_up_to=0, far=200)
    assert column(study, "rulesets", "value") == pytest.approx([0.027683466081240272, 0.02940294918922], abs=1e-12)
    assert column(study, "rulesets", "opening") == [24, 50]
    low, high = column(study, "limits", "low")[0], column(study, "limits", "high")[0]
    assert low < 0.0316 < high  # the value of (4000, 6), as far as anybody has looked


@pytest.mark.parametrize(("law", "power"), LAWS.items())
def test_a_law_is_found_again(law: str, power: float) -> None:
    maxima = np.arange(1, 801, dtype=float)
    values = 0.03 - 0.04 * maxima**-power + 1e-3 * np.cos(2 * np.pi * maxima / 3.5) / maxima
    found = limit_of(values, 7)
    assert found is not None
    assert found.law == law
    assert found.limit == pytest.approx(0.03, abs=2e-5)
    assert found.low <= found.limit <= found.high
    assert found.missed[law] < min(found.missed[other] for other in LAWS if other != law) / 5
    assert limit_of(values[:20], 7) is None
    assert limit_of(values[:3], 7) is None


# ---- fair


@dataclass(frozen=True)
class DrawOdds(Greed):
    """Greed in which a tie is worth something to the first player, and as much less to the second."""

    odds: Number = field(default=0, kw_only=True)

    def payoff(self, state: Position) -> tuple[Number, ...]:
        paid = super().payoff(state)
        return (self.odds, -self.odds) if paid == (0, 0) else paid

    def as_first(self, state: Position) -> Position:
        return state

    def parse(self, text: str) -> Position:
        raise NotImplementedError

    def kernel(self, **_: Any) -> Any:
        return None


@pytest.mark.parametrize("game", [Greed(6, 3), Greed(7, 2), Greed(5, 6), Greed(6, die="1:3,4:1")])
@pytest.mark.parametrize("tie", [Fraction(-1), Fraction(-1, 3), Fraction(0), Fraction(5, 8), Fraction(1)])
def test_draw_odds_by_the_general_engine(game: Greed, tie: Fraction) -> None:
    slow = solve(DrawOdds(game.max, game.sides, die=game.die, odds=tie), exact=True)
    found = solve_seats(game, float(tie))
    assert found.value == pytest.approx(float(slow.value(slow.game.start())), abs=1e-13)


@pytest.mark.parametrize("game", [Greed(6, 3), Greed(7, 2), Greed(5, 6), Greed(7, die="1:3,4:1")])
def test_draw_odds_are_fair(game: Greed) -> None:
    odds = draw_odds(game)
    tie = Fraction(odds.tie_to_first)
    slow = solve(DrawOdds(game.max, game.sides, die=game.die, odds=tie), exact=True)
    assert odds.fair
    assert abs(slow.value(slow.game.start())) < 1e-12
    for other in (tie - Fraction(1, 50), tie + Fraction(1, 50)):  # a better tie is never worse
        if abs(other) <= 1:
            assert (solve_seats(game, float(other)).value >= -1e-13) or other < tie


def test_no_draw_odds_can_help() -> None:
    # the first player wins at once, or nearly: no tie makes up for it
    found = {top: draw_odds(Greed(top, die="1,1,1,2")) for top in range(1, 12)}
    for top, odds in found.items():
        least, most = solve_seats(Greed(top, die="1,1,1,2"), -1.0), solve_seats(Greed(top, die="1,1,1,2"), 1.0)
        assert odds.fair == (least.value <= least.error and most.value >= -most.error)


@settings(max_examples=9, deadline=None)
@given(SMALL)
def test_head_starts(game: Greed) -> None:
    twin = told_again(game)

    def value(a: int, q: int) -> Fraction:
        own, other = twin[a, q, False][0]
        return (own - other) / 2

    scores = range(game.max + 1)
    found = best_head_start([value(h, 0) for h in scores], [value(0, h) for h in scores])
    every = {("first", h): value(h, 0) for h in scores} | {("second", h): value(0, h) for h in scores}
    assert abs(found["exact"]) == min(abs(v) for v in every.values())
    assert found["points"] == min(h for (_, h), v in every.items() if abs(v) == abs(found["exact"]))
    if found["turns_at"] is not None and value(0, 0):
        needy = [value(0, h) if value(0, 0) > 0 else value(h, 0) for h in scores]
        turned = [h for h in scores if needy[h] * value(0, 0) <= 0]
        assert found["turns_at"] == min(turned)


def test_fair_over_several_rulesets() -> None:
    study = fair(read_rulesets("greed", {"max": "6:10:4", "sides": "2,6"}), exact_up_to=6, tie_steps=6)
    assert column(study, "rulesets", "max") == [6, 10, 6, 10]
    assert column(study, "head_starts", "proof") == ["exact", "doubles", "exact", "doubles"]
    for row in study.table("head_starts").rows():
        twin = told_again(Greed(row["max"], row["sides"]))
        state = {"first": (row["points"], 0), "second": (0, row["points"]), "neither": (0, 0)}[row["to"]]
        assert row["advantage"] == pytest.approx(float(twin[(*state, False)][0][0]), abs=1e-12)
    for row in study.table("ties").rows():
        (own, other), best = told_again(Greed(row["max"], row["sides"], tie=row["tie"]))[0, 0, False]
        assert row["value"] == pytest.approx(float(own), abs=1e-12)
        assert row["advantage"] == pytest.approx(float(own - other) / 2, abs=1e-12)
        assert row["opening"] == best[0]
    assert all(abs(left) < 1e-12 for left in column(study, "draw_odds", "advantage"))
    for row in study.table("jumps").rows():
        assert row["before"] * row["after"] < 0 or row["fair"]


def test_a_jump_is_no_answer() -> None:
    found = find_jump([Greed(10, 6).spec, "-1", "0"])
    assert Fraction(found["from"]) < Fraction(found["to"])
    for tie, told in ((found["from"], found["before"]), (found["to"], found["after"])):
        own, other = told_again(Greed(10, 6, tie=tie))[0, 0, False][0]
        assert told == pytest.approx(float(own - other) / 2, abs=1e-12)
    assert found["before"] > 0 > found["after"]


def test_every_jump_is_told() -> None:
    study = fair(read_rulesets("greed", {"max": "10"}))
    places = column(study, "jumps", "from")
    assert len(places) == 2
    assert column(study, "rulesets", "tie") == ["jumps at 2 values"]
    for place in places:
        assert f"at {place:.4f}" in study.findings[-1]
    one = fair(read_rulesets("greed", {"max": "10"}), tie_steps=2)
    (place,) = column(one, "jumps", "from")
    assert column(one, "rulesets", "tie") == [f"jumps at {place:.4f}"]
    assert f"jumps over 0 at {place:.4f}." in one.findings[-1]


def test_values_of_a_tie_are_written_as_they_are_given() -> None:
    for study, table in (
        (payoffs(Greed(3)), "ties"),
        (payoffs(Greed(3)), "regions"),
        (fair(read_rulesets("greed", {"max": "3"}), tie_steps=4), "ties"),
    ):
        rows = study.as_dict()[table]
        told = dict.fromkeys(row["ties" if "ties" in row else "tie"] for row in rows)
        assert list(told) == [-1, "-1/2", 0, "1/2", 1]


# ---- payoffs


@pytest.mark.parametrize("tie", [Fraction(-1), Fraction(-1, 2), Fraction(1, 2), Fraction(1)])
@pytest.mark.parametrize("game", [Greed(12, 3), Greed(10, die="1:3,4:1"), Greed(8, 6, win=3, tie=1, lose=-1)])
def test_changes_are_those_of_exact_arithmetic(game: Greed, tie: Fraction) -> None:
    study = payoffs(game, [tie])
    (row,) = (row for row in study.table("ties").rows() if row["ties"] in (tie, str(tie)))
    other = replace(game, tie=Fraction(row["tie"]))
    plain, exact = solve_exactly(game), solve_exactly(other)
    for last, name in ((0, ""), (1, "_last")):
        states = [state for state in exact.states() if state.last == last]
        changed = [state for state in states if plain.action(state) not in exact.best_actions(state)]
        assert row[f"changed{name}"] == len(changed)
        assert row[f"other_dice{name}"] == sum(plain.action(state) != exact.action(state) for state in states)
        shift = sum(exact.action(state) - plain.action(state) for state in changed)
        assert row[f"shift{name}"] == pytest.approx(shift / max(len(changed), 1))
        parts = [part for part in study.table("regions").rows() if part["ties"] == row["ties"]]
        parts = [part for part in parts if part["turn"] == ("normal", "last")[last]]
        assert sum(part["states"] for part in parts) == len(states)
        assert sum(part["changed"] for part in parts) == len(changed)
    own, others = exact.values(other.start())
    assert (row["first"], row["second"]) == pytest.approx((float(own), float(others)), abs=1e-12)
    assert row["wins"] + row["tied"] + row["loses"] == pytest.approx(1)
    paid = row["wins"] * other.win + row["tied"] * float(other.tie) + row["loses"] * other.lose
    assert paid == pytest.approx(row["first"], abs=1e-12)
    assert row["stands_at"] == stands(exact.dice())[0]


def test_the_parts_that_are_printed_hold_the_changes() -> None:
    regions = payoffs(Greed(10, 6)).table("regions")
    rows = list(regions.rows())
    assert regions.brief == sorted(set(regions.brief or ()))
    printed = [rows[at] for at in regions.brief]
    assert {Fraction(row["ties"]) for row in printed} == {-1, 1}
    assert all(row["changed"] for row in printed)
    for tie in (-1, 1):
        mine = [row for row in rows if Fraction(row["ties"]) == tie]
        shown = [row["changed"] for row in printed if Fraction(row["ties"]) == tie]
        assert sorted(shown) == sorted(row["changed"] for row in mine if row["changed"])[-6:]
    assert not payoffs(Greed(10, 6), [Fraction(0)]).table("regions").shown  # nothing changes, nothing to print


def test_one_turn_of_another_policy() -> None:
    game = Greed(9, 3, tie="1/2")
    solution, exact = solve_fast(game, ties=True), solve_exactly(game)
    dice = np.minimum(solution.dice() + 1, [[game.n_max(a)] for a in range(10)]).astype(np.uint16)
    loss = loss_of(solution, dice, False)
    for state in exact.states():
        if not state.last:
            a, q = state.scores
            worth = exact.after(state, int(dice[a, q]))[0]
            assert loss[a, q] == pytest.approx(float(exact.value(state) - worth), abs=1e-12)


def test_where_a_player_stands() -> None:
    assert stands(np.array([[1, 1, 1], [1, 1, 0], [0, 0, 0]], dtype=np.uint16)) == [2, 2, 4]
    assert stands(np.array([[0, 1], [1, 1]], dtype=np.uint16)) == [None, None, 1]
    assert stands(np.zeros((2, 2), dtype=np.uint16)) == [0, 0, 4]


def test_ties_are_read() -> None:
    assert read_ties("-1, 0,1/2") == [-1, 0, Fraction(1, 2)]
    assert read_ties("-1:1:0.5") == [-1, Fraction(-1, 2), 0, Fraction(1, 2), 1]
    for wrong in ("", "x", "1:2", "0:1:0", "0:1:-1", "0:1:1e-9", "1/0"):
        with pytest.raises(InputError, match="cannot be read"):
            read_ties(wrong)
    for ties in ([Fraction(2)], []):
        with pytest.raises(InputError, match=r"from -1 \(a loss\) to 1"):
            payoffs(Greed(3), ties)


# ---- players


@pytest.mark.parametrize(
    "game",
    [
        Greed(6, 3, players=3),
        Greed(5, 6, players=3),
        Greed(4, 2, players=4),
        Greed(5, die="1:3,3:1", players=3),
        Greed(3, die="2,9", players=4),
        Greed(1, 2, players=5),
    ],
)
def test_shares_of_every_state(game: Greed) -> None:
    twin = naive.greed_many(game.max, weights(game), game.players)
    found = solve_many(game)
    checked = 0
    for (scores, left), (shares, best) in twin.items():
        if left == 0:
            at = tuple(game.max + 1 if score is None else score for score in scores)
            assert found.shares[at] == pytest.approx([float(share) for share in shares], abs=1e-12)
            assert found.dice[at] == best[0]
            checked += 1
    assert checked == np.isfinite(found.shares[..., 0]).sum()


def test_two_players_share_a_pot() -> None:
    game = Greed(15, 4)
    found, fast = solve_many(game), solve_fast(game)
    inside = (slice(0, 16),) * 2
    assert found.shares[inside][..., 0] == pytest.approx((1 + fast.payoffs()) / 2, abs=1e-13)
    assert (found.dice[inside] == fast.dice()).all()
    assert found.undecided == 0


@dataclass(frozen=True)
class Backwards(Greed):
    """Greed with the most dice listed first, which the engine takes of equally good ones."""

    def actions(self, state: Position) -> Sequence[int]:
        return super().actions(state)[::-1]


def test_the_rule_for_ties_is_part_of_the_answer() -> None:
    game = Greed(4, 3, players=4)
    small, large = solve_many(game), solve_many(game, largest=True)
    assert small.undecided > 0
    assert np.nanmax(np.abs(small.shares - large.shares)) > 1e-3
    for found, rules in ((small, game), (large, Backwards(4, 3, players=4))):
        slow = solve(rules)
        for state in slow.states():
            if state.last == 0:
                at = rules.as_first(state).scores
                assert found.shares[at] == pytest.approx(slow.values(rules.as_first(state)), abs=1e-12)
                assert found.dice[at] == slow.action(state)


def test_seats_and_smaller_maxima() -> None:
    study = players(read_rulesets("greed", {"max": "8", "sides": "3", "players": "2:3"}))
    two, three = solve(Greed(8, 3), exact=True), solve(Greed(8, 3, players=3), exact=True)
    expected = [(1 + two.values(two.game.start())[0]) / 2, (1 - two.values(two.game.start())[0]) / 2]
    expected += three.values(three.game.start())
    assert column(study, "seats", "share") == pytest.approx([float(share) for share in expected], abs=1e-12)
    assert column(study, "rulesets", "opening") == [two.action(two.game.start()), three.action(three.game.start())]
    smaller = solve(Greed(5, 3, players=3))
    assert solve_many(Greed(8, 3, players=3)).start(5) == pytest.approx(smaller.values(smaller.game.start()), abs=1e-12)
    level = [three.action(three.game.at(score, score, score)) for score in range(1, 9)]
    dice = [row for row in study.table("dice").rows() if row["players"] == 3]
    assert [row["dice_level"] for row in dice][1:] == level
    assert column(study, "rulesets", "stands")[1] == stands_from([1, *level])
    assert stands_from([0, 0]) == 0
    assert stands_from([2, 1]) is None


def test_what_is_too_large_is_refused_at_once() -> None:
    assert steps_of(Greed(300, players=5)) > MOST_STEPS
    with pytest.raises(LimitError, match="would take hours"):
        check_size(Greed(300, players=5))
    with pytest.raises(LimitError, match="would take hours"):
        players(read_rulesets("greed", {"max": "5,300", "players": "4"}))


# ---- the commands

COMMANDS = {
    "first-move": ["--max", "1:20", "--sides", "2,6", "--far", "80", "--exact-up-to", "10"],
    "fair": ["--max", "8", "--sides", "3", "--tie-steps", "4"],
    "payoffs": ["--max", "9", "--sides", "3"],
    "players": ["--max", "5", "--sides", "3", "--players", "2:3"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_tables_fit_eighty_columns(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    picture = tmp_path / "study.svg"
    assert main(["study", name, "greed", *COMMANDS[name], "--quiet", "-o", str(picture)]) == 0
    out = capsys.readouterr().out
    tables = [line for line in out.splitlines() if "  " in line]
    assert tables
    assert max(map(len, tables)) <= 80
    assert "\n\n" in out
    assert "<svg" in picture.read_text()


@pytest.mark.parametrize("name", COMMANDS)
def test_json_and_csv(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", name, "greed", *COMMANDS[name], "--json", "--quiet"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["study"] == name
    assert content["findings"]
    assert main(["study", name, "greed", *COMMANDS[name], "--format", "csv", "--quiet"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    table = content["ties" if name == "payoffs" else "rulesets"]
    assert len(rows) == len(table)
    assert list(rows[0]) == list(table[0])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["first-move", "pig"], "is about greed for two players, not pig; write"),
        (["first-move", "greed", "--max", "abc"], "max 'abc' is not a whole number; for example --max 100\n"),
        (["first-move", "greed", "--players", "3", "--max", "5"], "is about greed for two players"),
        (["first-move", "greed", "--far", "-1"], "far -1 is not allowed"),
        (["first-move", "greed", "--exact-up-to", "-1"], "exact-up-to -1 is not allowed"),
        (["fair", "greed", "--tie-steps", "-2"], "tie-steps -2 is not allowed"),
        (["fair", "greed", "--exact-up-to", "-2"], "exact-up-to -2 is not allowed"),
        (["fair", "greed", "--win", "0", "--lose", "0"], "nothing at stake"),
        (["payoffs", "greed", "--win", "0", "--lose", "0"], "nothing at stake"),
        (["payoffs", "greed", "--max", "3", "--tie", "1"], "by --ties, and holds them against --tie 0"),
        (["payoffs", "greed", "--win", "2"], "tie 0 is not half-way between lose -1 and win 2"),
        (["payoffs", "greed", "--ties", "3"], "tie 3 is not allowed"),
        (["payoffs", "greed", "--max", "5,6"], "is about one ruleset"),
        (["players", "coin-ladder"], "is about greed, not coin-ladder; write"),
        (["players", "greed", "--players", "2", "--tie", "1/2"], "leave out --win"),
        (["players", "greed", "--max", "1000"], "would take hours"),
    ],
)
def test_refusals(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", *words]) == 2
    out, err = capsys.readouterr()
    assert message in err
    assert err.count("\n") == 1
    assert not out
