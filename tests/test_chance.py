"""Dice, coins and cards, against every case counted out one by one."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import combinations, product
from math import comb, gcd
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicewise.chance import (
    Lottery,
    coins,
    die,
    draw,
    faces_of,
    read_die,
    total_chances,
    total_of,
    totals_by_formula,
    write_die,
)
from dicewise.errors import InputError

small_dice = st.dictionaries(st.integers(1, 12), st.integers(1, 5), min_size=1, max_size=4).map(
    lambda faces: Lottery(tuple(sorted(faces)), tuple(faces[face] for face in sorted(faces)))
)
FIBONACCI = read_die("1,1,2,3,5,8")


def sides_of(die: Lottery[int]) -> list[int]:
    """A die with equally likely sides: a face of weight 3 is on three of them."""
    return [face for face, weight in die for _ in range(weight)]


def count(cases: Iterable[Any]) -> dict[Any, int]:
    return dict(Counter(cases))


# ---- lotteries


def test_a_lottery_is_its_outcomes_with_their_weights():
    lottery = Lottery(("rain", "sun"), (1, 3))
    assert list(lottery) == [("rain", 1), ("sun", 3)]
    assert len(lottery) == 2
    assert lottery.total == 4
    assert lottery.probability("sun") == Fraction(3, 4)
    assert lottery.probability("snow") == 0


def test_a_lottery_is_a_value():
    lottery = Lottery[int]([1, 2], [3, 4])  # type: ignore[arg-type]  # lists become tuples
    assert lottery == Lottery((1, 2), (3, 4))
    assert hash(lottery) == hash(Lottery((1, 2), (3, 4)))
    assert pickle.loads(pickle.dumps(lottery)) == copy.deepcopy(lottery) == copy.copy(lottery) == lottery
    with pytest.raises(AttributeError):
        lottery.weights = (1, 1)  # type: ignore[misc]
    with pytest.raises(AttributeError):
        lottery.colour = "red"  # type: ignore[attr-defined]


def test_map_merges_equal_images_in_their_first_order():
    assert list(Lottery((3, 1, 2, 5), (1, 2, 3, 4)).map(lambda face: face % 2)) == [(1, 7), (0, 3)]


def test_mean_and_variance_are_exact_for_every_kind_of_number():
    assert Lottery((Fraction(1, 3), 1), (1, 1)).mean() == Fraction(2, 3)
    assert Lottery((0.5, -1), (2, 1)).mean() == 0
    assert Lottery((0.5, -1), (2, 1)).variance() == Fraction(1, 2)
    assert Lottery((np.int64(2), 4), (10**400, 10**400)).mean() == 3
    assert isinstance(die(3).mean(), Fraction)
    assert isinstance(die(3).variance(), Fraction)


@pytest.mark.parametrize("outcome", ["1/2", (1, 2), None, float("nan"), float("inf")])
def test_only_numbers_have_a_mean(outcome):
    with pytest.raises(InputError, match="not a number"):
        Lottery((outcome,), (1,)).mean()


@pytest.mark.parametrize(
    ("outcomes", "weights", "why"),
    [
        ((), (), "at least one outcome"),
        ((1, 2), (1,), "2 outcomes and 1 weights"),
        ((1, 2), (1, 0), "weight 0 is not allowed"),
        ((1,), (-1,), "-1"),
        ((1,), (0.5,), "0.5"),
        ((1,), (True,), "True"),
        ((1, 2, 1), (1, 1, 1), "2 distinct"),
        (([1],), (1,), "hashable"),
    ],
)
def test_a_bad_lottery_is_refused(outcomes, weights, why):
    with pytest.raises(InputError, match=why) as refused:
        Lottery(outcomes, weights)
    assert "\n" not in str(refused.value)


# ---- dice


def test_a_fair_die():
    assert die(4) == Lottery((1, 2, 3, 4), (1, 1, 1, 1))
    assert die(1) == Lottery((1,), (1,))


@pytest.mark.parametrize(
    ("text", "faces"),
    [
        ("6", {6: 1}),
        ("1,1,2,3,5,8", {1: 2, 2: 1, 3: 1, 5: 1, 8: 1}),
        ("1:9,100:1", {1: 9, 100: 1}),
        ("1:2,6", {1: 2, 6: 1}),
        (" 6 , 1 : 2 ", {1: 2, 6: 1}),
        ("3,1:2,3:3", {1: 1, 3: 2}),
        ("2:10,1:20", {1: 2, 2: 1}),
        ("1:100000000000000000000000,2", {1: 10**23, 2: 1}),
    ],
)
def test_read_die(text, faces):
    assert read_die(text) == Lottery(tuple(faces), tuple(faces.values()))


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "x",
        "1:",
        ":1",
        "1:0",
        "-1",
        "0",
        "1.5",
        "1,",
        "1,,2",
        "1 2",
        "1:2:3",
        "1:-1",
        "²",
        "1,0:2",
        "9" * 9999,
    ],
)
def test_a_bad_die_is_refused_with_an_example(text):
    with pytest.raises(InputError, match="'1,1,2,3,5,8'") as refused:
        read_die(text)
    assert "\n" not in str(refused.value)


def test_a_face_of_0_is_explained():
    with pytest.raises(InputError, match="go on for ever"):
        read_die("0,1")


def test_write_die():
    assert write_die(Lottery((1, 2, 3), (2, 1, 1))) == "1:2,2,3"
    assert write_die(Lottery((3, 1), (4, 2))) == "1,3:2"
    assert write_die(die(6)) == "1,2,3,4,5,6"
    for unreadable in (Lottery((0, 1), (1, 1)), Lottery((-1,), (1,)), Lottery((1.0,), (1,))):
        with pytest.raises(InputError):
            write_die(unreadable)  # type: ignore[arg-type]


@given(small_dice)
def test_a_die_is_read_back_as_written(dice):
    common = gcd(*dice.weights)
    plain = Lottery(dice.outcomes, tuple(weight // common for weight in dice.weights))
    assert read_die(write_die(dice)) == read_die(write_die(plain)) == plain


# ---- totals


@pytest.mark.parametrize(
    "dice", [die(1), die(2), die(6), FIBONACCI, read_die("1:3,100"), Lottery((5, -2, 0), (1, 2, 1))]
)
@pytest.mark.parametrize("n", range(5))
def test_totals_counted_one_by_one(n, dice):
    totals = total_of(n, dice)
    assert dict(totals) == count(map(sum, product(sides_of(dice), repeat=n)))
    assert list(totals.outcomes) == sorted(totals.outcomes)


@given(st.integers(0, 80), st.integers(1, 20))
def test_the_ways_to_total_fair_dice_agree(n, sides):
    totals = total_of(n, sides)
    assert totals == totals_by_formula(n, sides) == total_of(n, die(sides))
    assert totals.total == sides**n
    assert totals.weights == totals.weights[::-1]
    exact = np.zeros(n * sides + 1)
    exact[list(totals.outcomes)] = [weight / sides**n for weight in totals.weights]
    for method in ("convolution", "fft"):
        chances = total_chances(n, sides, method)
        assert chances.dtype == np.float64
        assert chances.shape == exact.shape
        assert np.abs(chances - exact).max() <= 1e-15
        assert chances.min() >= 0


@given(st.integers(0, 60), st.integers(1, 30))
def test_mean_and_variance_of_n_fair_dice(n, sides):
    """Both carry the factor n; the title line of Lemma 4 in the 2024 guide to Greed drops it."""
    totals = total_of(n, sides)
    assert totals.mean() == Fraction(n * (sides + 1), 2)
    assert totals.variance() == Fraction(n * (sides**2 - 1), 12)


@given(st.integers(0, 8), small_dice)
def test_totals_of_any_dice(n, dice):
    totals = total_of(n, dice)
    assert totals.total == dice.total**n
    assert all(weight > 0 for weight in totals.weights)
    assert totals.mean() == n * dice.mean()
    assert totals.variance() == n * dice.variance()
    chances = total_chances(n, dice)
    assert len(chances) == n * max(dice.outcomes) + 1
    assert np.count_nonzero(chances) == len(totals)
    for total, weight in totals:
        assert chances[total] == pytest.approx(weight / totals.total, rel=1e-13)


@pytest.mark.parametrize("dice", [die(6), FIBONACCI], ids=write_die)
def test_convolution_is_precise_in_the_far_tails(dice):
    totals, cases = total_of(300, dice), dice.total**300
    chances = total_chances(300, dice)
    exact = np.array([weight / cases for weight in totals.weights])
    assert exact.min() < 1e-200
    assert np.abs(chances[list(totals.outcomes)] / exact - 1).max() < 1e-12
    assert np.abs(total_chances(300, dice, "fft")[list(totals.outcomes)] - exact).max() < 1e-15


def test_totals_do_not_depend_on_the_order_of_asking():
    for n in (40, 3, 41, 39, 38, 64, 0, 100, 65, 99, 1):
        assert total_of(n, 7) == totals_by_formula(n, 7)
    assert total_of(100, 7) is total_of(100, die(7))


def test_totals_too_large_to_keep_many_of():
    assert [total_of(n, 40).total for n in range(200, 210)] == [40**n for n in range(200, 210)]
    assert total_of(203, 40) == totals_by_formula(203, 40)


def test_three_thousand_dice():
    totals = total_of(3000, 2)
    assert totals.outcomes == tuple(range(3000, 6001))
    assert totals.weights[:4] == tuple(comb(3000, k) for k in range(4))
    assert totals.weights[1500] == comb(3000, 1500)
    assert totals.total == 2**3000


# ---- faces, coins, cards


@pytest.mark.parametrize("dice", [die(1), die(6), FIBONACCI], ids=write_die)
@pytest.mark.parametrize("n", range(5))
def test_faces_counted_one_by_one(n, dice):
    assert dict(faces_of(n, dice)) == count(tuple(sorted(roll)) for roll in product(sides_of(dice), repeat=n))


@given(st.integers(0, 5), small_dice)
def test_faces_add_up_to_totals(n, dice):
    faces = faces_of(n, dice)
    assert faces.total == dice.total**n
    assert dict(faces.map(sum)) == dict(total_of(n, dice))


def test_five_dice_fall_in_252_ways():
    assert len(faces_of(5, 6)) == 252
    assert faces_of(5, 6).probability((6, 6, 6, 6, 6)) == Fraction(1, 7776)
    assert list(faces_of(0, 6)) == [((), 1)]


@given(st.integers(0, 30), st.fractions(0, 1, max_denominator=50))
def test_coins(n, heads):
    flips = coins(n, heads)
    assert flips.total == heads.denominator**n
    assert all(weight > 0 for weight in flips.weights)
    assert flips.mean() == n * heads
    assert flips.variance() == n * heads * (1 - heads)


def test_coins_of_all_kinds():
    assert coins(3) == Lottery((0, 1, 2, 3), (1, 3, 3, 1))
    assert coins(2, 0.1) == coins(2, "0.1") == coins(2, "1/10") == Lottery((0, 1, 2), (81, 18, 1))
    assert coins(2, 0) == Lottery((0,), (1,))
    assert coins(2, 1) == Lottery((2,), (1,))
    assert coins(0, 0) == coins(0, 1) == Lottery((0,), (1,))


@given(st.dictionaries(st.sampled_from("zebra"), st.integers(0, 3)), st.data())
def test_hands_counted_one_by_one(deck, data):
    n = data.draw(st.integers(0, min(4, sum(deck.values()))))
    cards = [card for card, copies in deck.items() for _ in range(copies)]
    hands = draw(deck, n)
    assert dict(hands) == count(combinations(cards, n))
    assert list(hands.outcomes) == list(dict.fromkeys(combinations(cards, n)))
    assert hands.total == comb(len(cards), n)


def test_a_card_from_a_deck():
    assert draw({"K": 4, "A": 2, "Q": 0}) == Lottery((("K",), ("A",)), (4, 2))
    assert draw({}, 0) == Lottery(((),), (1,))


# ---- what is refused


@pytest.mark.parametrize(
    "ask",
    [
        lambda: die(0),
        lambda: die(-6),
        lambda: die(True),
        lambda: die(6.0),  # type: ignore[arg-type]
        lambda: die("6"),  # type: ignore[arg-type]
        lambda: total_of(-1, 6),
        lambda: total_of(1.0, 6),  # type: ignore[arg-type]
        lambda: total_of(True, 6),
        lambda: total_of(2, 0),
        lambda: total_of(2, True),
        lambda: total_of(2, Lottery((1.5,), (1,))),  # type: ignore[arg-type]
        lambda: total_of(2, "6"),  # type: ignore[arg-type]
        lambda: totals_by_formula(-1, 6),
        lambda: totals_by_formula(2, 0),
        lambda: total_chances(-1, 6),
        lambda: total_chances(2, 6, "guess"),  # type: ignore[arg-type]
        lambda: total_chances(2, Lottery((-1, 1), (1, 1))),
        lambda: faces_of(-1, 6),
        lambda: faces_of(2, Lottery(("red",), (1,))),  # type: ignore[arg-type]
        lambda: coins(-1),
        lambda: coins(2, Fraction(3, 2)),
        lambda: coins(2, -0.1),
        lambda: coins(2, float("nan")),
        lambda: coins(2, "often"),
        lambda: coins(2, "1/0"),
        lambda: coins(2, None),  # type: ignore[arg-type]
        lambda: draw({"A": 2, "K": 2}, 5),
        lambda: draw({"A": 2}, -1),
        lambda: draw({"A": -1, "K": 3}),
        lambda: draw({"A": 1.0}),  # type: ignore[dict-item]
        lambda: draw({}),
    ],
)
def test_bad_input_is_refused_in_one_line(ask: Callable[[], object]):
    with pytest.raises(InputError) as refused:
        ask()
    assert ";" in str(refused.value), "says what to do about it"
    assert "\n" not in str(refused.value)


def test_numpy_stays_out_until_floats_are_asked_for():
    program = "import sys; from dicewise.chance import total_of; total_of(9, 6); print('numpy' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
