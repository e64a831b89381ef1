"""Greed three ways (rules, exact integers, fast tables), held against each other and against published values."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from dicewise import Greed, InputError, check_game, solve
from dicewise.games.greed import Position
from dicewise.games.greed import _kernel as compiled
from dicewise.games.greed import _numpy as plain
from dicewise.games.greed._layout import layout
from dicewise.games.greed.solution import GreedSolution, solve_fast

EXACT = [
    (10, 3, Fraction(3688, 14348907), 1),
    (12, 4, Fraction(11053776859, 1099511627776), 3),
    (23, 2, Fraction(-46618808451, 8796093022208), 1),
]


def truth(game: Greed) -> dict[Position, tuple[tuple[Fraction, ...], tuple[int, ...]]]:
    """All states by the slow, obvious twin."""
    found = naive.greed(game.max, dict(game.dice), game.win, game.tie, game.lose)
    return {Position((a, q), 0, int(last)): answer for (a, q, last), answer in found.items()}


def assert_fast_is_right(game: Greed, exact: Any, fast: GreedSolution) -> None:
    """Values within 1e-12 of the exact ones, and the smallest best number of dice, in every state."""
    unit = float(max(game.win - game.lose, 1))
    for state in exact.states():
        for mine, right in zip(fast.values(state), exact.values(state), strict=True):
            assert abs(Fraction(mine) - right) < 1e-12 * unit, state
        assert fast.action(state) == exact.best_actions(state)[0], state


@pytest.mark.parametrize(("max_score", "sides", "value", "dice"), EXACT)
def test_published_values(max_score: int, sides: int, value: Fraction, dice: int) -> None:
    game = Greed(max_score, sides)
    for using in ("kernel", "rules"):
        solution = solve(game, exact=True, using=using)
        assert solution.value(game.start()) == value
        assert solution.action(game.start()) == dice
    fast = solve(game)
    assert fast.value(game.start()) == pytest.approx(float(value), abs=1e-14)
    assert fast.action(game.start()) == dice


def test_standard_ruleset() -> None:
    game = Greed()
    exact, fast = solve(game, exact=True), solve_fast(game)
    assert float(exact.value(game.start())) == 0.027683466081240272
    assert exact.best_actions(game.start()) == [24]
    assert [exact.value(game.at(x, x)) for x in (100, 99, 98, 97, 96)] == [0, 0, 0, 0, Fraction(-1, 9)]
    assert_fast_is_right(game, exact, fast)
    assert fast.rating(game.start()) == pytest.approx(0.51384, abs=5e-6)


def test_21_6() -> None:
    game = Greed(21, 6)
    assert float(solve(game).value(game.start())) == pytest.approx(0.022195613849, abs=1e-12)
    assert solve(game).action(game.start()) == 4


@pytest.mark.parametrize("sides", range(1, 9))
def test_rules_exact_and_both_dresses_agree_everywhere(sides: int) -> None:
    for max_score in range(1, 13):
        game = Greed(max_score, sides)
        right = truth(game)
        exact = solve(game, exact=True)
        rules, rules_exact = solve(game, using="rules"), solve(game, using="rules", exact=True)
        dresses = [solve_fast(game, dress=dress) for dress in ("numpy", "compiled")]
        assert set(right) == set(exact.states())
        for state, (values, best) in right.items():
            assert exact.values(state) == values
            assert tuple(exact.best_actions(state)) == best
            assert rules_exact.values(state) == values
            assert tuple(rules_exact.best_actions(state)) == best
            for fast in (rules, *dresses):
                assert fast.values(state) == pytest.approx([float(value) for value in values], abs=1e-12)
                assert fast.action(state) == best[0]


@st.composite
def rulesets(draw: st.DrawFn, largest: int = 24) -> Greed:
    max_score = draw(st.integers(1, largest))
    options: dict[str, Any] = {"max": max_score}
    if draw(st.booleans()):
        options["sides"] = draw(st.integers(1, largest + 10))
    else:
        faces = draw(st.dictionaries(st.integers(1, largest + 4), st.integers(1, 9), min_size=1, max_size=5))
        options["die"] = ",".join(f"{face}:{weight}" for face, weight in faces.items())
    if draw(st.booleans()):
        pays = sorted(draw(st.lists(st.fractions(-3, 3, max_denominator=4), min_size=3, max_size=3)))
        options |= dict(zip(("lose", "tie", "win"), pays, strict=True))
    return Greed(**options)


@settings(max_examples=60, deadline=None)
@given(rulesets())
def test_any_ruleset_agrees_with_the_slow_twin(game: Greed) -> None:
    right = truth(game)
    exact = solve(game, exact=True)
    dresses = [solve_fast(game, dress=dress, ties=True) for dress in ("numpy", "compiled")]
    unit = max(1.0, float(game.win - game.lose))
    for state, (values, best) in right.items():
        assert exact.values(state) == values
        assert tuple(exact.best_actions(state)) == best
        for fast in dresses:
            assert fast.values(state) == pytest.approx([float(value) for value in values], abs=1e-12 * unit)
            assert fast.action(state) == best[0]
            if not game.die and game.constant_sum:  # other near-ties only exact arithmetic can tell
                assert [c.action for c in fast.choices(state) if c.loss == 0] == list(best)


@settings(max_examples=12, deadline=None)
@given(rulesets(largest=70))
def test_larger_rulesets_agree_with_exact_arithmetic(game: Greed) -> None:
    assert_fast_is_right(game, solve(game, exact=True), solve_fast(game, dress="compiled"))


@pytest.mark.parametrize("sides", [1, 2, 3, 4, 5, 7, 8, 10, 12, 20, 37, 99, 100, 101, 250])
def test_smallest_best_dice_of_all_states_up_to_100(sides: int) -> None:
    game = Greed(100, sides)
    assert_fast_is_right(game, solve(game, exact=True), solve_fast(game, dress="compiled"))


@pytest.mark.parametrize(
    "game",
    [
        Greed(94, die="1:127,15:1095,17:332"),  # reaching 93 from 80 takes thirteen ones: 7e-15
        Greed(96, die="4:19,19:298"),
        Greed(99, die="7:4,8:79"),  # 312 states with options nearer than doubles can tell
        Greed(84, 2, tie="-1/3"),  # a near-tie judged wrongly costs the other player 1e-9
        Greed(99, 2, tie="1/2"),
    ],
    ids=lambda game: game.spec,
)
def test_near_ties_are_settled_by_exact_arithmetic(game: Greed) -> None:
    exact = solve(game, exact=True)
    for dress in ("numpy", "compiled"):
        fast = solve_fast(game, dress=dress)
        assert_fast_is_right(game, exact, fast)
        assert "settled" in fast.report.method
        assert fast.report.doubts == 0


def test_doubts_that_are_not_settled_are_counted() -> None:
    game = Greed(260, 6, tie=-1)
    assert solve_fast(game, dress="compiled").report.doubts > 0
    assert solve_fast(Greed(260, 6), dress="compiled").report.doubts == 0


def test_last_turns_where_a_win_is_all_but_certain() -> None:
    """(200, 6), last turn at 0 against 32: 33 dice cannot fail, and plain doubles cannot tell them from 27."""
    game = Greed(200, 6)
    state = game.at(0, 32, last=True)
    exact = solve(game, exact=True)
    assert exact.best_actions(state) == [33]
    for dress in ("numpy", "compiled"):
        fast = solve_fast(game, dress=dress)
        assert fast.action(state) == 33
        assert fast.choices(state)[0].action == 33
        for a in range(201):
            for q in range(201):
                at = game.at(a, q, last=True)
                assert fast.action(at) == exact.action(at), at


def test_bound_on_dice_is_not_the_mean_for_custom_dice() -> None:
    """A die that shows 1 (weight 9) or 100: at 98 against 99 two dice are far better than one."""
    game = Greed(100, die="1:9,100:1")
    solution = solve(game, exact=True)
    values = {choice.action: choice.value for choice in solution.choices(game.at(98, 99, last=True))}
    assert values[1] == Fraction(-1, 10)
    assert values[2] == Fraction(31, 50)


def test_more_dice_than_the_bound_never_help() -> None:
    """n_max of fair dice is sound: allowing twice as many changes no value."""
    for max_score, sides in ((9, 2), (12, 3), (11, 6), (7, 12)):
        weights = dict.fromkeys(range(1, sides + 1), 1)
        usual = naive.greed(max_score, weights)
        more = naive.greed(max_score, weights, n_limit=lambda active, top=max_score: top - active + 1)
        assert {state: values for state, (values, _) in usual.items()} == {s: v for s, (v, _) in more.items()}


@pytest.mark.parametrize(("max_score", "sides", "players"), [(1, 2, 3), (3, 2, 3), (5, 3, 3), (2, 2, 4)])
def test_more_players(max_score: int, sides: int, players: int) -> None:
    game = Greed(max_score, sides, players=players)
    assert check_game(game).ok
    exact, fast = solve(game, exact=True), solve(game)
    for (scores, left), (values, best) in naive.greed_many(max_score, dict(game.dice), players).items():
        state = Position(tuple(max_score + 1 if score is None else score for score in scores), 0, left)
        assert exact.values(state) == values
        assert tuple(exact.best_actions(state)) == best
        assert fast.values(state) == pytest.approx([float(value) for value in values], abs=1e-12)
        assert fast.action(state) == best[0]


def test_each_for_itself_is_not_constant_sum() -> None:
    """A tie as bad as a loss: the mover maximises its own payoff, and the other's does not follow from it."""
    game = Greed(30, 6, tie=-1)
    fast, exact = solve_fast(game), solve(game, exact=True)
    assert exact.report.interests == fast.report.interests == "each for itself"
    assert sum(exact.values(game.start())) < 0
    assert_fast_is_right(game, exact, fast)
    distance = max(abs(Fraction(fast.value(state)) - exact.value(state)) for state in exact.states())
    assert fast.report.error_bound is not None
    assert distance <= fast.report.error_bound


def test_doubts_leave_values_unbounded_where_each_plays_for_itself() -> None:
    report = solve_fast(Greed(260, 6, tie=-1), dress="compiled").report
    assert report.doubts > 0
    assert report.error_bound is None


def test_chances_add_up_to_the_value() -> None:
    for game in (Greed(40, 6), Greed(25, 4, win=3, tie=1, lose=0), Greed(20, die="1,1,2,3,5,8")):
        solution = solve_fast(game)
        for state in solution.states():
            win, tie, lose = solution.chances(state)
            assert win + tie + lose == pytest.approx(1, abs=1e-12)
            value = win * game.win + tie * game.tie + lose * game.lose
            assert solution.value(state) == pytest.approx(float(value), abs=1e-12)
            for choice in solution.choices(state)[:3]:
                details = solution.details(state, choice.action)
                worth = details["win"] * game.win + details["tie"] * game.tie + details["lose"] * game.lose
                assert choice.value == pytest.approx(float(worth), abs=1e-12)
                assert details["bust"] <= details["lose"] + 1e-12


def test_chances_by_playing_the_policy_out() -> None:
    """The chances to win and to tie, from the rules and the policy alone."""
    game = Greed(14, 5)
    solution = solve_fast(game)
    known: dict[Position, list[Fraction]] = {}

    def outcome(state: Position) -> list[Fraction]:
        """Chances that player 0 wins, that it is a tie."""
        if not game.actions(state):
            pays = game.payoff(state)
            return [Fraction(pays[0] == game.win), Fraction(pays[0] == game.tie)]
        if state not in known:
            lottery = game.step(state, solution.action(state))
            total = sum(weight for _, weight, _ in lottery)
            rows = [(Fraction(weight, total), outcome(to)) for _, weight, to in lottery]
            known[state] = [sum((p * row[i] for p, row in rows), Fraction(0)) for i in range(2)]
        return known[state]

    win, tie = outcome(game.start())
    chances = solution.chances(game.start())
    assert chances.win == pytest.approx(float(win), abs=1e-13)
    assert chances.tie == pytest.approx(float(tie), abs=1e-13)
    assert solution.win_probability(game.start()) == chances.win


def test_views_of_the_whole_table() -> None:
    game = Greed(15, 4)
    solution = solve_fast(game)
    for last in (False, True):
        state = game.at(3, 7, last=last)
        assert solution.payoffs(last)[3, 7] == solution.value(state)
        assert solution.dice(last)[3, 7] == solution.action(state)
        assert solution.ratings(last)[3, 7] == pytest.approx(solution.rating(state), abs=1e-14)
        assert solution.win_chances(last)[3, 7] == pytest.approx(solution.chances(state).win, abs=1e-14)
        assert solution.tie_chances(last)[3, 7] == solution.chances(state).tie


@pytest.mark.parametrize(
    "game", [Greed(150, 6), Greed(70, die="1:3,4,9:2"), Greed(90, 7, tie="1/3"), Greed(64, 100)], ids=lambda g: g.spec
)
def test_tiles_and_threads_change_nothing(game: Greed, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = layout(game)
    reference = plain.solve(rules, ties=True)
    monkeypatch.setattr(compiled, "DIAGONALS", 0)
    for near, far, threads in (
        (1 << 30, 1 << 30, 1),
        (1, 1, 1),
        (1, 1, 3),
        (1 << 13, 1 << 15, 2),
        (1 << 12, 1 << 16, 4),
    ):
        monkeypatch.setattr(compiled, "NEAR", near)
        monkeypatch.setattr(compiled, "FAR", far)
        tables = compiled.solve(rules, ties=True, threads=threads)
        for name, right in vars(reference).items():
            mine = getattr(tables, name)
            np.testing.assert_allclose(mine, right, rtol=0, atol=1e-13, err_msg=name)


@pytest.mark.parametrize(
    "game",
    [
        Greed(1, 1),
        Greed(7, 1),
        Greed(8, 2),
        Greed(63, 7),
        Greed(64, 100),
        Greed(150, 6),
        Greed(333, 13),
        Greed(70, die="1:3,4,9:2"),
        Greed(90, die="2,3,5:7,40,500"),
        Greed(90, 7, tie="1/3"),
        Greed(41, die="3:2,7", win=2, tie=-1, lose=-1),
    ],
    ids=lambda g: g.spec,
)
def test_diagonals_and_tiles_agree(game: Greed, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = layout(game)
    for ties in (False, True):
        found = []
        for limit in (0, 1 << 40):
            monkeypatch.setattr(compiled, "DIAGONALS", limit)
            found.append(vars(compiled.solve(rules, ties=ties, threads=1)))
        tiles, diagonals = found
        assert diagonals["doubts"] == tiles["doubts"]
        for name in ("normal_dice", "last_dice"):
            np.testing.assert_array_equal(diagonals[name], tiles[name], err_msg=name)
        for name in ("normal", "last", "normal_tie", "last_tie"):
            if tiles[name] is None:
                assert diagonals[name] is None
            else:
                np.testing.assert_allclose(diagonals[name], tiles[name], rtol=0, atol=1e-14, err_msg=name)


@pytest.mark.parametrize("limit", [0, 1 << 40], ids=["tiles", "diagonals"])
def test_kernel_without_the_compiler(limit: int) -> None:
    """The kernel's Python source, run as it stands, gives the same answers."""
    program = (
        "from dicewise.games.greed import Greed, _kernel; from dicewise.games.greed.solution import solve_fast\n"
        f"_kernel.DIAGONALS = {limit}\n"
        "for game in (Greed(9, 4), Greed(11, 7), Greed(7, die='1:2,5'), Greed(8, 9, tie=-1)):\n"
        "    a, b = (solve_fast(game, dress=d) for d in ('compiled', 'numpy'))\n"
        "    assert all(abs(x - y) < 1e-13 for s in a.states() for x, y in zip(a.values(s), b.values(s)))\n"
        "    assert all(a.action(s) == b.action(s) for s in a.states())\n"
    )
    subprocess.run([sys.executable, "-c", program], env={"NUMBA_DISABLE_JIT": "1", "PATH": ""}, check=True)


def test_progress_may_stop_the_work() -> None:
    class EnoughError(Exception):
        pass

    def stop(done: float, doing: str) -> None:
        if done > 0.3:
            raise EnoughError

    for dress in ("numpy", "compiled"):
        with pytest.raises(EnoughError):
            solve_fast(Greed(600), dress=dress, progress=stop)


def test_progress_goes_from_0_to_1() -> None:
    for max_score in (50, 600):
        seen: list[float] = []
        compiled.solve(layout(Greed(max_score)), False, lambda done, doing, seen=seen: seen.append(done), threads=2)
        assert seen == sorted(seen)
        assert 0 <= seen[0] <= seen[-1] <= 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max": 0}, "max 0"),
        ({"max": 2.5}, "max 2.5"),
        ({"max": True}, "max True"),
        ({"sides": 0}, "sides 0"),
        ({"sides": -3}, "sides -3"),
        ({"die": "0,1"}, "0"),
        ({"die": "a"}, "a"),
        ({"die": "1,2,3", "sides": 5}, "3 faces"),
        ({"win": 0, "tie": 1}, "lose <= tie <= win"),
        ({"lose": "x"}, "lose 'x'"),
        ({"win": float("nan")}, "win nan"),
        ({"players": 1}, "players 1"),
        ({"players": 3, "tie": "1/2"}, "two players"),
    ],
)
def test_bad_rulesets(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Greed(**options)


def test_one_spelling_for_each_die() -> None:
    assert Greed(20, die="1,2,3,4") == Greed(20, 4)
    assert Greed(20, die="3,1,2,1") == Greed(20, die="1:2,2,3")
    assert Greed(20, die="2:2,4:2") == Greed(20, die="2,4")
    assert Greed(20, tie=0.1).tie == Fraction(1, 10)
    assert Greed(20, die="1:2,2,3").spec == 'greed(max=20,sides=4,die="1:2,2,3")'


def test_words() -> None:
    game = Greed()
    assert game.parse("85 70") == game.at(85, 70)
    assert game.parse("85, 70 LAST") == game.at(85, 70, last=True)
    assert game.parse("85 70 normal") == game.at(85, 70)
    assert game.text(Position((85, 70), 1, 0)) == "70 85"
    assert game.board(Position((85, 70), 1, 0), ["Alice", "Blair"]) == "Blair: 70, Alice: 85, last: false"
    three = Greed(20, players=3)
    assert three.text(three.parse("3 out 5 last=1")) == "3 out 5 last=1"
    for bad in ("", "85", "1 2 3", "x 2", "-1 2", "101 2", "85 70 lastly", "85 70 last last"):
        with pytest.raises(InputError):
            game.parse(bad)
    for bad in ("out 1 2", "1 out out", "1 2 3 last=3"):
        with pytest.raises(InputError):
            three.parse(bad)


def test_why_names_things_for_what_they_are() -> None:
    game = Greed()
    solution = solve_fast(game)
    assert "forfeit" in solution.why(game.at(90, 80, last=True))
    assert "certain win" in solution.why(game.at(80, 80, last=True)).lower()
    assert "forced stand" in solution.why(game.at(100, 20)).lower()
    assert "Standing is best" in solution.why(game.at(98, 60))
    assert "24 dice" in solution.why(game.start())
    assert "forced stand" in solution.why(game.at(100, 60)).lower()
    assert "just as good" in solution.why(game.at(96, 93))  # 0 and 1 die, exactly
    kind = Greed(20, 6, tie=1)
    assert "certain win" not in solve_fast(kind).why(kind.at(10, 10, last=True))
    hopeless = Greed(10, die="4")
    assert "Nothing helps" in solve_fast(hopeless).why(hopeless.at(1, 10, last=True))


def test_dice_that_always_bust() -> None:
    game = Greed(4, die="7,9")
    for dress in ("numpy", "compiled"):
        fast = solve_fast(game, dress=dress, progress=lambda done, doing: None)
        assert_fast_is_right(game, solve(game, exact=True), fast)


def test_scores_that_cannot_be_are_refused() -> None:
    game = Greed(10, 3)
    for solution in (solve(game), solve(game, exact=True)):
        for state in (game.at(5, -1), game.at(11, 5), game.at(5, 11, last=True)):
            with pytest.raises(InputError):
                solution.value(state)
    with pytest.raises(InputError):
        solve(game).details(game.start(), 99)


def test_nothing_at_stake() -> None:
    game = Greed(9, 3, win=2, tie=2, lose=2)
    solution, exact = solve_fast(game), solve(game, exact=True)
    assert_fast_is_right(game, exact, solution)
    assert solution.chances(game.at(3, 3)).tie == 1
    assert solution.chances(game.at(4, 3)).win == 1
