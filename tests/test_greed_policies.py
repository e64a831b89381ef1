"""Policies of Greed as tables, held against the general engine in fractions, and rules of thumb against their words."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dicewise import Greed, InputError, best_response, evaluate, exploitability, solve
from dicewise.games.greed.policies import (
    Dice,
    Opponent,
    best_reply,
    best_reply_exactly,
    check_dice,
    dice_of,
    duel,
    duel_exactly,
    mean_exactly,
)
from dicewise.games.greed.thumb import FAMILIES, Follower, in_words, letters_of, make, name_of, read
from dicewise.study.thumbs import Arena, grid_of

RULESETS = [
    Greed(1, 1),
    Greed(3, 5),
    Greed(9, 3),
    Greed(8, 4, tie=-1),
    Greed(9, die="2,3:2,5", win=3, tie=1, lose=Fraction(1, 2)),
    Greed(7, die="1:9,30:1"),
]


def random_dice(game: Greed, seed: int) -> Dice:
    """Any number of dice that the rules list, anywhere."""
    random = np.random.default_rng(seed)
    most = np.array([[game.n_max(a)] * (game.max + 1) for a in range(game.max + 1)])
    return Dice(random.integers(0, most + 1), random.integers(0, most + 1))


@pytest.mark.parametrize("game", RULESETS, ids=str)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_duel_is_what_the_engine_says(game: Greed, seed: int) -> None:
    first, second = random_dice(game, seed), random_dice(game, seed + 10)
    fought = duel(game, first, second)
    engine = {True: evaluate(game, [first, second], exact=True), False: evaluate(game, [second, first], exact=True)}
    exact = dict(zip((True, False), duel_exactly(game, first, second), strict=True))
    for moves, found in engine.items():
        assert exact[moves].payoff(game) == found.values[0 if moves else 1]
        assert sum(exact[moves]) == 1
        for chance, right in zip(fought.ends(moves=moves), exact[moves], strict=True):
            assert abs(Fraction(chance) - right) <= 2 * fought.error_bound
    assert mean_exactly(game, first, second).payoff(game) == (
        (engine[True].values[0] + engine[False].values[1]) / Fraction(2)
    )
    # from every other state, too
    for a in range(game.max + 1):
        for q in range(game.max + 1):
            for last in (False, True):
                state = game.at(a, q, last=last)
                for moves, pair in ((True, [first, second]), (False, [second, first])):
                    right = evaluate(game, pair, state=state, exact=True).values[0 if moves else 1]
                    mine = fought.ends(moves=moves, a=a, q=q, last=last).payoff(game)
                    assert mine == pytest.approx(float(right), abs=1e-12)
            if game.max > 4:
                break


@pytest.mark.parametrize("game", RULESETS, ids=str)
def test_a_best_reply_is_what_the_engine_says(game: Greed) -> None:
    policy = random_dice(game, 5)
    reply = best_reply(game, policy)
    exact = best_reply_exactly(game, policy)
    for seat, (mine, right) in enumerate(zip((reply.moving[0, 0], reply.waiting[0, 0]), exact, strict=True)):
        engine = best_response(game, policy, seat, exact=True)
        assert right == engine.value(game.start())
        assert abs(Fraction(float(mine)) - right) <= reply.error_bound
    check_dice(game, reply.dice)
    # its own tables get what it promises
    got = mean_exactly(game, reply.dice, policy).payoff(game)
    assert float(got) == pytest.approx(reply.mean, abs=1e-12)


@pytest.mark.parametrize("game", [Greed(12, 3), Greed(10, 4, tie=-1), Greed(12, die="1,1,2,5")], ids=str)
def test_optimal_play_cannot_be_answered_better(game: Greed) -> None:
    optimal = dice_of(game, solve(game, exact=True))
    value = mean_exactly(game, optimal, optimal).payoff(game)
    assert sum(best_reply_exactly(game, optimal)) / 2 == value
    if game.constant_sum:
        assert exploitability(game, optimal, exact=True).total == 0
        assert value == 0


@given(st.integers(1, 12), st.integers(1, 6), st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_what_is_lost_adds_up(top: int, sides: int, seed: int) -> None:
    """The sum of regrets over the states that come up is the loss; a cut leaves out no more than it says."""
    game = Greed(top, sides)
    opponent = Opponent(game, random_dice(game, seed))
    policy = random_dice(game, seed + 1)
    loss, off = opponent.loss(policy)
    right = opponent.best - duel(game, policy, opponent.policy).mean.payoff(game)
    assert loss == pytest.approx(right, abs=1e-12)
    assert off <= 1e-12
    cut, off = opponent.loss(policy, 1e-3)
    assert loss - off - 1e-12 <= cut <= loss + 1e-12
    stopped, _ = opponent.loss(policy, 0.0, loss / 2)
    assert loss / 2 <= stopped <= loss + 1e-12
    assert opponent.moving.min() >= 0


def test_how_often_states_come_up() -> None:
    game = Greed(10, 3)
    policy = random_dice(game, 3)
    opponent = Opponent(game, dice_of(game, solve(game)))
    opponent.loss(policy)
    moves = evaluate(game, [policy, opponent.policy], exact=True).moves
    moves += evaluate(game, [opponent.policy, policy], exact=True).moves
    stood = (opponent.policy.normal == 0) * opponent._waiting.copy()
    np.testing.assert_allclose(opponent.last_turn.T, stood, atol=1e-15)
    own_stands = float((opponent.moving * (policy.normal == 0)).sum())
    counted = float(opponent.moving.sum() + opponent._waiting.sum() + opponent.last_turn.sum()) + own_stands
    assert counted == pytest.approx(float(moves) / 2, abs=1e-9)


def test_tables_of_other_rulesets_are_refused() -> None:
    game = Greed(10, 3)
    with pytest.raises(InputError, match="shape"):
        duel(game, random_dice(Greed(9, 3), 1), random_dice(game, 1))
    wrong = random_dice(game, 1)
    wrong.last[10, 3] = 1
    with pytest.raises(InputError, match=r"1 dice at 10 against 3 are not allowed; from 0 to 0"):
        best_reply(game, wrong)


# ---- rules of thumb


def plainly(game: Greed, name: str, numbers: dict[str, Any], a: int, q: int, last: bool) -> int:
    """The rules told once more, as the table in the documentation says them."""
    mean = game.dice.mean()

    def nearest(missing: Fraction, each: Fraction = mean) -> int:
        count = 0
        while abs((count + 1) * each - missing) < abs(count * each - missing):
            count += 1
        return count

    def standing_pays(score: int) -> bool:
        """Whether standing when level is as good as half-way, by all rolls that there are."""
        count = nearest(Fraction(game.max - score, 2))
        if count == 0 or score == game.max:
            return game.tie > game.lose
        faces = [face for face, weight in game.dice for _ in range(weight)]
        ends = [score + sum(roll) <= game.max for roll in product(faces, repeat=count)]
        won = Fraction(ends.count(True), len(ends))
        return won * Fraction(game.win) + (1 - won) * Fraction(game.lose) <= game.tie

    x = numbers["X"]
    if last:
        count = 0 if a > q else nearest(Fraction(q + game.max, 2) - a)
        if a == q and all(map(standing_pays, range(a, game.max + 1))):
            count = 0
        elif a == q and game.tie == game.lose:
            count = max(count, 1)
    elif name.startswith("aim"):
        y = numbers.get("Y")
        if y is not None and a >= y and a - q >= numbers.get("Z", 0):
            return 0
        count = nearest(Fraction(x - a))
        if y is not None:
            count = max(count, 1)
    else:
        if a >= numbers.get("Y", x) and a >= q:
            return 0
        goal = x
        if "B" in numbers and a < q:
            goal = numbers["B"]
        if "K" in numbers and q >= numbers["K"]:
            goal = game.max
        count, missing = 0, Fraction(max(goal - a, 0))
        if "near" in name:
            return min(max(nearest(missing, numbers["D"]), 1), game.n_max(a))
        while (count + 1) * numbers["D"] <= missing:
            count += 1
        if "past" in name and count * numbers["D"] < missing:
            count += 1
        count = max(count, 1)
    if a < q:
        count = max(count, 1)
    return min(count, game.n_max(a))


@pytest.mark.parametrize(
    "game",
    [
        Greed(14, 3),
        Greed(13, die="1,1,2,3,5,8"),
        Greed(11, die="3,4"),
        Greed(2, 6),
        Greed(9, 4, tie=1),
        Greed(12, die="1,1,2,3,5,8", tie=Fraction(3, 4)),
        Greed(8, 4, tie=-1),
    ],
    ids=str,
)
@pytest.mark.parametrize("family", FAMILIES)
def test_rules_of_thumb_are_what_they_say(game: Greed, family: str) -> None:
    random = np.random.default_rng(len(family))
    arena = Arena(game)
    for _ in range(3):
        numbers = {
            letter: grid_of(game, letter)[random.integers(len(grid_of(game, letter)))] for letter in letters_of(family)
        }
        name = name_of(family, numbers)
        rule = make(family, numbers)
        assert read(game, name) == rule
        policy = game.heuristic(name)
        assert isinstance(policy, Follower)
        tables = arena.tables(rule)
        check_dice(game, tables)
        for last in (False, True):
            for a in range(game.max + 1):
                for q in range(game.max + 1):
                    right = plainly(game, family, numbers, a, q, last)
                    state = game.at(a, q, last=last)
                    assert policy(state) == tables(state) == right, (name, state)
        assert str(rule.target) in in_words(game, rule)


@pytest.mark.parametrize(
    ("tie", "words", "stands_from"),
    [
        (-1, "stand if you are ahead; otherwise", 100),
        (0, "stand if you are ahead; otherwise", 97),
        (Fraction(1, 2), "stand if you are ahead, or level at 96 or more; otherwise", 96),
        (1, "stand if you are ahead or level; otherwise", 0),
    ],
)
def test_who_is_level_stands_where_a_tie_pays_enough(tie: Fraction | int, words: str, stands_from: int) -> None:
    game = Greed(100, 6, tie=tie)
    rule = make("aim-X", {"X": 96})
    assert f"In the last turn {words}" in in_words(game, rule)
    assert [rule.dice(game, q, q, True) == 0 for q in range(101)] == [q >= stands_from for q in range(101)]
    assert rule.dice(game, 96, 97, True) == 1  # whoever is behind rolls, whatever a tie pays


def test_names_that_are_no_rules() -> None:
    game = Greed(100, 6)
    assert game.heuristic("per-4.25-to-97") is None
    assert game.heuristic("aim-X") is None
    for name in ("aim-101", "per-0-to-97", "per-4-to-97-max-101"):
        with pytest.raises(InputError, match=r"is not allowed; it goes from 0"):
            game.heuristic(name)
    with pytest.raises(InputError, match="two players, not for 3"):
        Greed(20, 6, players=3).heuristic("aim-18")
