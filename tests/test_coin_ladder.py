"""The coin ladder: its rules, its words, and its ties."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dicewise import CoinLadder, InputError, certify, check_game, find_game, solve
from dicewise.games.coin_ladder import Rung

PRIZES = st.lists(st.fractions(-5, 300, max_denominator=8), min_size=1, max_size=7).map(tuple)
CHANCES = st.fractions(Fraction(1, 9), 1, max_denominator=9)


def test_the_optimum_takes_64_and_every_rung_below_is_a_tie() -> None:
    game = CoinLadder()
    solution = solve(game, exact=True)
    assert solution.value(game.start()) == Fraction(1, 4)
    assert [solution.best_actions(Rung(height)) for height in (1, 2, 3)] == [["take", "flip"]] * 3
    assert solution.best_actions(Rung(4)) == ["take"]
    assert solution.after(Rung(4), "flip") == (Fraction(125, 2),)
    assert solution.after(Rung(4), "take") == (64,)
    assert solution.value(Rung(5)) == 250
    doubles = solve(game)
    assert [doubles.best_actions(Rung(height)) for height in (1, 2, 3, 4)] == [["take", "flip"]] * 3 + [["take"]]
    assert certify(solution, exact=True).proven


@given(prizes=PRIZES, coins=st.integers(1, 4), heads=CHANCES)
def test_every_ladder_is_solved_from_the_top_down(prizes: tuple[Any, ...], coins: int, heads: Fraction) -> None:
    game = CoinLadder(prizes, coins, heads=heads)
    solution = solve(game, exact=True)
    climb = heads**coins
    worth = Fraction(prizes[-1])
    for height in range(len(prizes), 0, -1):
        if height < len(prizes):
            worth = max(Fraction(prizes[height - 1]), climb * worth)
        assert solution.value(Rung(height)) == worth
    assert solution.value(game.start()) == climb * worth
    assert solve(game).value(game.start()) == pytest.approx(float(climb * worth), abs=1e-12)


@given(prizes=PRIZES, coins=st.integers(1, 3), heads=CHANCES)
def test_rules_and_words_are_in_order(prizes: tuple[Any, ...], coins: int, heads: Fraction) -> None:
    game = CoinLadder(prizes, coins, heads=heads)
    assert check_game(game).ok
    assert find_game(game.spec) == game
    for height in range(1, len(prizes) + 1):
        taken = Rung(height, over=True)
        assert game.parse(game.text(taken)) == taken
        assert game.payoff(taken) == prizes[height - 1]
    assert game.payoff(Rung(0, over=True)) == 0


def test_words() -> None:
    game = CoinLadder()
    assert [game.text(state) for state in (Rung(0), Rung(4), Rung(4, True), Rung(0, True))] == [
        "start",
        "rung 4",
        "rung 4 taken",
        "lost",
    ]
    assert game.parse("4") == game.parse("Rung 4") == Rung(4)
    assert game.board(Rung(4), ["Alice"]) == "rung 4: 64 on offer"
    assert game.board(Rung(0), ["Alice"]) == "start"
    assert game.read_action("t", Rung(3)) == "take"
    assert game.read_outcome("all", Rung(0), "flip") == "all heads"


@pytest.mark.parametrize("text", ["rung 6", "rung 0", "rung", "-1", "taken", "rung four", "lost 3", "9" * 5000])
def test_positions_off_the_ladder_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="'rung 1' to 'rung 5'"):
        CoinLadder().parse(text)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"prizes": ()}, "give one or more"),
        ({"prizes": 5}, "give one or more"),
        ({"prizes": ("a",)}, "is not a number"),
        ({"coins": 0}, "from 1 up"),
        ({"coins": 1001}, "at most 1000 coins"),
        ({"heads": 0}, "a chance above 0"),
        ({"heads": Fraction(3, 2)}, "a chance above 0"),
    ],
)
def test_ladders_that_cannot_be_are_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        CoinLadder(**parameters)
