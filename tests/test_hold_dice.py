"""Hold dice: the dice lattice against rules, against fractions and against the slow, obvious twin."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from dicewise import HoldDice, InputError, LimitError, Store, certify, check_game, find_game, recall, solve
from dicewise.games.dice_lattice import best_keep, count_nodes, expect, lattice, which_keep
from dicewise.games.hold_dice import Keep, Position, _kernel, policy
from dicewise.games.hold_dice._layout import dice_of
from dicewise.games.hold_dice.solution import HoldDiceSolution
from dicewise.solution import Solution

# ---- the lattice


@pytest.mark.parametrize(("dice", "faces"), [(1, 1), (1, 6), (4, 1), (3, 3), (5, 2), (4, 6), (2, 9)])
def test_nodes_are_all_multisets_in_order(dice: int, faces: int) -> None:
    nodes = lattice(dice, faces)
    listed = [keep for size in range(dice + 1) for keep in combinations_with_replacement(range(faces), size)]
    assert nodes.nodes == len(listed) == count_nodes(dice, faces)
    numbers = {keep: number for number, keep in enumerate(listed)}
    for number, keep in enumerate(listed):
        counts = [keep.count(face) for face in range(faces)]
        assert nodes.counts[number].tolist() == counts
        assert nodes.number(counts) == number
        for face in range(faces):
            if len(keep) < dice:
                assert nodes.more[number, face] == numbers[tuple(sorted((*keep, face)))]
            less = list(keep)
            if face in keep:
                less.remove(face)
                assert nodes.less[number, face] == numbers[tuple(less)]
            else:
                assert nodes.less[number, face] == nodes.nodes


@pytest.mark.parametrize("kind", [float, object])
def test_sweeps_agree_with_sums_over_rolls(kind: Any) -> None:
    dice, weights = 3, [1, 4, 2]
    nodes = lattice(dice, 3)
    listed = [keep for size in range(dice + 1) for keep in combinations_with_replacement(range(3), size)]
    numbers = {keep: number for number, keep in enumerate(listed)}
    worth = np.zeros(nodes.nodes, dtype=kind)
    worth[nodes.rolls] = [(7 * at) % 11 - 3 for at in range(comb(5, 2))]
    chances = np.array([Fraction(weight, 7) for weight in weights], dtype=object)
    expect(nodes.first, nodes.more, chances.astype(kind), worth)
    for keep in listed:
        mean = Fraction(0)
        for others in product(range(3), repeat=dice - len(keep)):
            chance = Fraction(1)
            for face in others:
                chance *= Fraction(weights[face], 7)
            mean += chance * Fraction(worth[numbers[tuple(sorted(keep + others))]])
        assert float(worth[numbers[keep]]) == pytest.approx(float(mean), abs=1e-12)
        if kind is object:
            assert worth[numbers[keep]] == mean
    best = best_keep(nodes.first, nodes.less, worth, np.empty(nodes.nodes + 1, dtype=kind))
    top, which = which_keep(nodes.first, nodes.less, worth, 0)
    _, with_most = which_keep(nodes.first, nodes.less, worth, 0, most=True)
    for at, roll in enumerate(listed[nodes.rolls]):
        parts = {keep for size in range(dice) for keep in listed if len(keep) == size and _is_part(keep, roll)}
        assert best[at] == top[at] == max(worth[numbers[keep]] for keep in parts)
        good = [keep for keep in parts if worth[numbers[keep]] == top[at]]
        assert which[at] == min(numbers[keep] for keep in good)
        most = max(map(len, good))
        assert with_most[at] == min(numbers[keep] for keep in good if len(keep) == most)


def test_of_equal_keeps_the_one_that_is_asked_for() -> None:
    nodes = lattice(3, 4)
    worth = np.ones(nodes.nodes)
    assert not which_keep(nodes.first, nodes.less, worth, 1e-12)[1].any()
    most = which_keep(nodes.first, nodes.less, worth, 1e-12, most=True)[1]
    for counts, keep in zip(nodes.counts[nodes.rolls].tolist(), most.tolist(), strict=True):
        dice = [face for face, count in enumerate(counts) for _ in range(count)]
        assert keep == nodes.number([dice[:2].count(face) for face in range(4)])


def _is_part(keep: tuple[int, ...], roll: tuple[int, ...]) -> bool:
    return all(keep.count(face) <= roll.count(face) for face in keep)


def test_rows_are_swept_like_single_values() -> None:
    nodes = lattice(4, 3)
    rows = np.zeros((nodes.nodes, 2))
    rows[nodes.rolls] = np.arange(30.0).reshape(15, 2)
    columns = [rows[:, at].copy() for at in range(2)]
    chances = np.array([0.5, 0.25, 0.25])
    expect(nodes.first, nodes.more, chances, rows)
    for at, column in enumerate(columns):
        expect(nodes.first, nodes.more, chances, column)
        assert rows[:, at] == pytest.approx(column, abs=1e-13)


# ---- three ways to the same values


def weights_of(game: HoldDice) -> dict[Any, int]:
    return dict(zip(game.shown, game.chances, strict=True))


def assert_right(game: HoldDice) -> None:
    """Doubles and fractions against the twin, in every state, with all ties."""
    start, right = naive.hold_dice(game.dice, weights_of(game), game.cost)
    fast, exact = solve(game), solve(game, exact=True)
    bound = fast.report.error_bound
    assert bound is not None
    assert exact.value(game.start()) == start
    assert abs(Fraction(fast.value(game.start())) - start) <= bound
    assert {state.dice for state in fast.states() if state.dice} == set(right)
    for roll, (value, best) in right.items():
        state = Position(roll)
        assert exact.value(state) == value
        assert exact.best_actions(state) == best
        assert exact.action(state) == best[0]
        assert abs(Fraction(fast.value(state)) - value) <= bound
        assert fast.action(state) in best


@pytest.mark.parametrize(("dice", "sides"), [(1, 1), (1, 2), (1, 6), (2, 2), (2, 3), (2, 6), (3, 3), (3, 6), (4, 2)])
def test_fair_dice_agree_with_the_slow_twin(dice: int, sides: int) -> None:
    assert_right(HoldDice(dice, sides))


@st.composite
def rulesets(draw: st.DrawFn) -> HoldDice:
    dice = draw(st.integers(1, 3))
    values = draw(
        st.lists(st.fractions(-5, 8, max_denominator=3), min_size=1, max_size=4 if dice < 3 else 3, unique=True)
    )
    weights = [draw(st.one_of(st.integers(1, 6), st.integers(1, 10**6))) for _ in values]
    cost = draw(st.one_of(st.just(1), st.fractions(Fraction(1, 1000), 4, max_denominator=1000)))
    return HoldDice(dice, values=tuple(values), weights=tuple(weights), cost=cost)


@settings(max_examples=60, deadline=None)
@given(rulesets())
def test_any_dice_agree_with_the_slow_twin(game: HoldDice) -> None:
    assert_right(game)


@settings(max_examples=40, deadline=None)
@given(rulesets())
def test_values_satisfy_the_rules(game: HoldDice) -> None:
    """What the lattice says an action is worth is what the rules say, from nothing but the values of states."""
    exact = solve(game, exact=True)
    for state in exact.states():
        by_rules = {action: Solution.after(exact, state, action)[0] for action in game.actions(state)}
        assert {action: exact.after(state, action)[0] for action in by_rules} == by_rules
        assert exact.value(state) == max(by_rules.values())


@pytest.mark.parametrize(
    "game",
    [HoldDice(1), HoldDice(2, 3), HoldDice(3, 3), HoldDice(3), HoldDice(2, 4, cost=0), HoldDice(2, 5, cost="1/7")],
    ids=lambda game: game.spec,
)
def test_kernel_and_rules_agree_everywhere(game: HoldDice) -> None:
    kernel, rules = solve(game, exact=True), solve(game, exact=True, using="rules")
    fast, floats = solve(game), solve(game, using="rules")
    assert set(kernel.states()) == set(rules.states())
    for state in rules.states():
        assert kernel.value(state) == rules.value(state)
        assert kernel.best_actions(state) == rules.best_actions(state)
        assert fast.value(state) == pytest.approx(float(rules.value(state)), abs=1e-12)
        assert floats.value(state) == pytest.approx(float(rules.value(state)), abs=1e-12)
        assert fast.action(state) == rules.action(state)


@settings(max_examples=25, deadline=None)
@given(rulesets())
def test_kernel_and_rules_agree_for_any_dice(game: HoldDice) -> None:
    kernel, rules = solve(game, exact=True), solve(game, exact=True, using="rules")
    for state in rules.states():
        assert kernel.value(state) == rules.value(state)
        assert kernel.best_actions(state) == rules.best_actions(state)


def test_the_rarest_roll_is_waited_for() -> None:
    # a six comes once in a million throws, and each throw costs next to nothing: sweeps alone would take for ever
    game = HoldDice(1, values=(0, 1, 10**6), weights=(999_998, 1, 1), cost=Fraction(1, 2))
    fast, exact = solve(game), solve(game, exact=True)
    assert exact.value(game.start()) == 10**6 - Fraction(999_999, 2)
    distance = abs(Fraction(fast.value(game.start())) - exact.value(game.start()))
    assert distance <= fast.report.error_bound <= 1e-2


def test_sweeps_alone_come_to_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    game = HoldDice(4, 4, values=(0, 1, 1.5, 4), weights=(1, 1, 2, 7), cost="1/2")
    told: list[float] = []
    leaping, _ = _kernel.solve(dice_of(game))
    monkeypatch.setattr(_kernel, "LEAP_CELLS", 0)
    sweeping, bound = _kernel.solve(dice_of(game), lambda done, _: told.append(done))
    assert np.abs(leaping - sweeping).max() <= 2 * bound < 1e-10
    assert told == sorted(told)
    assert 0 <= told[0] <= told[-1] <= 1


def test_nothing_at_stake() -> None:
    game = HoldDice(2, values=(0,), cost=0)
    assert solve(game).value(game.start()) == 0
    assert policy.evaluate(dice_of(game), dice_of(game).own).score == 0


def test_free_rerolls_wait_for_the_best_roll() -> None:
    game = HoldDice(2, 3, cost=0)
    assert game.final_score((1, 1)) == 6
    for exact in (False, True):
        solution = solve(game, exact=exact)
        assert {solution.value(state) for state in solution.states()} == {6}
        assert solution.action(game.at(1, 1)) == "stick"
        assert solution.action(game.at(2, 3)) == ()  # new dice throughout: any other keep might lead round for ever
        assert certify(solution, exact=True).violation == 0
    assert certify(solution, exact=True).proven


def test_three_dice_fit_on_a_card() -> None:
    """What docs/hold-dice.md says about the best play."""

    def card(roll: tuple[int, ...]) -> Any:
        if roll in ((1, 1, 2), (1, 1, 3), (2, 2, 3)):
            return roll[:2]
        if game.final_score(roll) >= 13:
            return "stick"
        return next((keep for keep in ((2, 2), (1,), (2,)) if _is_part(keep, roll)), ())

    game = HoldDice()
    solution = solve(game, exact=True)
    for state in solution.states():
        if state.dice:
            assert solution.best_actions(state) == [card(state.dice)]


# ---- larger games


def test_six_dice_are_proven() -> None:
    game = HoldDice(6)
    exact, fast = solve(game, exact=True), solve(game)
    value = exact.value(game.start())
    assert value == Fraction(17028000540729314, 577514519483265)
    assert certify(exact, exact=True).proven
    assert max(abs(Fraction(fast.value(state)) - exact.value(state)) for state in fast.states()) < 1e-12
    assert all(fast.action(state) == exact.action(state) for state in fast.states())


def test_twenty_dice() -> None:
    solution = solve(HoldDice(20))
    assert solution.report.states == comb(25, 5) + 1
    assert float(solution.value(Position())) == pytest.approx(107.5161593453, abs=1e-9)
    assert solution.report.error_bound < 1e-9
    state = solution.game.at(*[1] * 20)
    assert solution.action(state) == "stick"
    assert solution.value(state) == 120


def test_certificates_see_what_is_wrong() -> None:
    game = HoldDice(3, 4, values=(1, 2, 4, 8), weights=(1, 2, 3, 4))
    good = solve(game)
    certificate = certify(good)
    assert certificate.states == 21
    assert certificate.violation < 1e-13
    assert certificate.error_bound < 1e-10
    worth = good.arrays()["worth"].copy()
    worth[-1] += 0.125
    bad = HoldDiceSolution(game, good.report, worth)
    for exact in (False, True):
        found = certify(bad, exact=exact)
        assert 0.1 < found.violation < 0.126
        assert found.where == "8 8 8"
        assert found.error_bound >= 0.125
    off = HoldDiceSolution(game, good.report, good.arrays()["worth"])
    off._chosen = off.chosen.copy()
    off._chosen[0] = 0  # three ones count as eights: throwing them away costs
    assert certify(off).policy_loss > 1
    assert certify(good).policy_loss < 1e-12


# ---- policies


def test_a_policy_is_worth_what_its_equations_say() -> None:
    game = HoldDice(3, 6)
    fast, whole = dice_of(game), dice_of(game, exact=True)
    best = solve(game).chosen
    assert policy.evaluate_exactly(whole, best) == Fraction(103369, 7744)
    worth = policy.evaluate(fast, best)
    assert abs(Fraction(worth.score) - Fraction(103369, 7744)) <= worth.error_bound < 1e-11
    # always sticking: the mean and the deviation of the score over all 216 rolls
    stick = policy.evaluate(fast, fast.own)
    scores = [game.final_score(roll) for roll in product(range(1, 7), repeat=3)]
    assert stick.score == pytest.approx(np.mean(scores), abs=1e-12)
    assert stick.deviation == pytest.approx(np.std(scores), abs=1e-12)
    assert stick.rerolls == 0
    assert policy.evaluate_exactly(whole, fast.own) == Fraction(sum(scores), 216)


def test_moments_of_a_die_that_is_rolled_until_six() -> None:
    game = HoldDice(1)
    dice = dice_of(game)
    until_six = np.where(dice.stick == 6, dice.own, 0)
    worth = policy.evaluate(dice, until_six)
    # 6 less a geometric number of rerolls, with mean 5 and variance 30
    assert worth.score == pytest.approx(1, abs=1e-12)
    assert worth.rerolls == pytest.approx(5, abs=1e-12)
    assert worth.deviation == pytest.approx(30**0.5, abs=1e-12)
    assert policy.evaluate_exactly(dice_of(game, exact=True), until_six) == 1


def test_a_policy_that_never_sticks_has_no_value() -> None:
    dice = dice_of(HoldDice(2, 3))
    never = np.zeros(len(dice.stick), dtype=np.int64)
    assert policy.evaluate(dice, never).score == -np.inf
    assert policy.evaluate_exactly(dice_of(HoldDice(2, 3), exact=True), never) is None


# ---- rules and words


@pytest.mark.parametrize(
    "game",
    [
        HoldDice(),
        HoldDice(1, 1),
        HoldDice(4, 3),
        HoldDice(2, values=(-3, "1/2", 0.25, 7), weights=(3, 1, 1, 1), cost="0.3"),
        HoldDice(2, 4, cost=0),
    ],
    ids=lambda game: game.spec,
)
def test_the_rules_keep_the_contract(game: HoldDice) -> None:
    report = check_game(game)
    assert report.ok, report.problems
    assert report.complete
    assert find_game(game.spec) == game


def test_flips() -> None:
    game = HoldDice(4, values=(-2, 0, 5, 9))
    assert game.final_dice((-2, -2, 5, 9)) == (9, 9, 5, 9)
    assert game.final_dice((0, 0, 5, 5)) == (5, 5, 0, 0)
    assert game.final_score((-2, 0, 5, 9)) == 12
    assert HoldDice(3, 5).final_dice((3, 3, 1)) == (3, 3, 1)


def test_one_spelling_for_each_die() -> None:
    assert HoldDice(2, values=(3, 1, 2)) == HoldDice(2, 3)
    assert HoldDice(2, values=(1, 1, 2), weights=(1, 2, 6)) == HoldDice(2, values=(1, 2), weights=(1, 2))
    assert HoldDice(2, weights=(2, 2, 2)) == HoldDice(2, 3)
    assert HoldDice(2, values=(1, 1, 2)).spec == "hold-dice(dice=2,sides=2,weights=(2,1))"


def test_words() -> None:
    game = HoldDice()
    solution = solve(game)
    state = game.parse("3, 1 3")
    assert state == Position((1, 3, 3)) == game.at(3, 1, 3)
    assert game.read_action("keep 1", state) == game.read_action("1", state) == Keep((1,)) == (1,)
    assert game.read_action("3 1", state) == (1, 3)
    assert game.read_action("reroll all", state) == ()
    assert game.read_outcome("6 2", state, Keep((1,))) == (2, 6)
    assert game.board(state, ["Ann"]) == "Ann has 1 3 3, which count as 1 4 4: 9"
    assert game.board(game.start(), ["Ann"]) == "Ann rolls 3 dice"
    assert solution.why(state) == (
        "Keep 1 and reroll 2 dice: worth 4.375 more than sticking with 9, counted as 1 4 4; "
        "44.4% of all rolls beat that at once, 19.4% are to stick with."
    )
    assert solution.why(game.at(1, 1, 6)) == "Stick with 18, counted as 6 6 6; to keep 1 1 is worth less by 2.25."
    assert solution.why(game.start()) == "The first roll is free."
    assert solution.details(state, Keep((1,)))["better"] == pytest.approx(16 / 36)
    # of 1 + two dice only 1 1 6 6-like rolls end it: those that the policy sticks with
    sticks = sum(solution.action(game.at(1, a, b)) == "stick" for a, b in product(range(1, 7), repeat=2))
    assert solution.details(state, Keep((1,)))["last"] == pytest.approx(sticks / 36)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"dice": 0}, "dice 0 is not allowed"),
        ({"sides": True}, "sides True is not allowed"),
        ({"cost": -1}, "cost -1 is not allowed"),
        ({"cost": "much"}, "cost 'much' is not a number"),
        ({"values": (1, 2), "sides": 3}, "leave sides out"),
        ({"values": (1, 2), "weights": (1,)}, "one weight for each value"),
        ({"weights": (1, 0)}, "weight 0 is not allowed"),
        ({"weights": (1, 10**16)}, "use smaller ones"),
        ({"values": (1, 10**101)}, "too large"),
    ],
)
def test_parameters_that_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        HoldDice(**options)


@pytest.mark.parametrize(
    ("text", "words"),
    [("1 2", "3 are needed"), ("1 2 7", "cannot show 7"), ("1 2 x", "not a number"), ("1 2 1e9", "cannot show 1e9")],
)
def test_positions_that_are_refused(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        HoldDice().parse(text)


def test_a_game_that_is_too_large_is_refused() -> None:
    with pytest.raises(LimitError, match="the lattice of 50 dice with 50 faces needs"):
        solve(HoldDice(50, 50))


def test_the_store_keeps_it(tmp_path: Any) -> None:
    game, store = HoldDice(4, 3), Store(tmp_path)
    first, again = recall(game, store=store), recall(game, store=store)
    assert isinstance(again, HoldDiceSolution)
    assert again.report == first.report
    for state in first.states():
        assert again.value(state) == first.value(state)
        assert again.action(state) == first.action(state)


def test_nothing_is_compiled() -> None:
    use = "g = d.HoldDice(6); d.solve(g).action(g.at(1, 2, 3, 4, 5, 6))"
    code = f"import sys, dicewise as d; {use}; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.stdout.strip(), done.stderr) == ("False", "")


def test_the_bound_is_never_beyond_what_sticking_proves() -> None:
    # a cost too small for doubles: no more is proven than that nobody beats the best roll
    dice = dice_of(HoldDice(2, 3, cost=Fraction(1, 10**18)))
    _, bound = _kernel.solve(dice)
    assert 0 < bound <= float(dice.stick.max() - dice.stick.min()) + 1e-9
