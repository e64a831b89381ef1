"""Where play of Greed goes: the fast forward pass, the engine's, and the obvious one in fractions agree."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dicewise.chance import total_of
from dicewise.engine.evaluate import evaluate
from dicewise.engine.reach import reach as reach_by_engine
from dicewise.games.greed import Greed
from dicewise.games.greed.reach import reach, totals
from dicewise.games.greed.solution import GreedSolution, solve_fast

Chances = dict[tuple[int, int, bool], Fraction]


def obvious(solution: GreedSolution) -> Chances:
    """Every state by the sum of its scores, its mass handed on outcome by outcome."""
    game, found = solution.game, {(0, 0, False): Fraction(1)}
    for total in range(2 * game.max + 1):
        for a, q, last in [state for state in found if sum(state[:2]) == total and not state[2]]:
            n = solution.action(game.at(a, q))
            for rolled, weight in total_of(n, game.dice):
                after = (q, a + rolled, n == 0)
                if a + rolled <= game.max:
                    chance = found[a, q, last] * Fraction(weight, game.dice.total**n)
                    found[after] = found.get(after, Fraction(0)) + chance
    return found


def assert_right(solution: GreedSolution) -> None:
    found, wanted = reach(solution), obvious(solution)
    for last, table in ((False, found.normal), (True, found.last)):
        for (a, q), chance in np.ndenumerate(table):
            assert chance == pytest.approx(float(wanted.get((a, q, last), 0)), rel=1e-12, abs=0)
    assert found.turns == pytest.approx(float(sum(wanted.values())), rel=1e-12)


@pytest.mark.parametrize(
    "game",
    [
        Greed(1, 6),
        Greed(10, 3),
        Greed(12, 4),
        Greed(20, 1),
        Greed(3, die="5,6,6"),
        Greed(20, die="1,1,2,3,5,8", tie=-1),
        Greed(15, die="1:9,10:1"),
        Greed(9, 4, win=0, lose=0),
    ],
    ids=lambda game: game.spec,
)
def test_every_chance_is_the_exact_one(game: Greed) -> None:
    assert_right(solve_fast(game))


@given(st.integers(1, 18), st.integers(1, 8), st.sampled_from([-1, 0, 1]))
@settings(max_examples=25, deadline=None)
def test_every_chance_is_the_exact_one_of_any_ruleset(top: int, sides: int, tie: int) -> None:
    assert_right(solve_fast(Greed(top, sides, tie=tie)))


def test_the_engine_says_the_same() -> None:
    game = Greed(30, 6)
    solution = solve_fast(game)
    found, engine = reach(solution), reach_by_engine(game, solution)
    by_state = dict(zip(engine.states, engine.visits, strict=True))
    for last, table in ((False, found.normal), (True, found.last)):
        for (a, q), chance in np.ndenumerate(table):
            assert chance == pytest.approx(float(by_state.get(game.at(a, q, last=last), 0.0)), rel=1e-9, abs=1e-300)
    assert found.turns == pytest.approx(float(evaluate(game, solution).moves), rel=1e-12)


def test_standard_greed() -> None:
    found = reach(solve_fast(Greed(100, 6)))
    assert found.normal[0, 0] == 1
    assert found.normal[0, 1:].sum() == pytest.approx(totals(Greed(), 24)[24].sum()), "the opening does not bust"
    assert (found.normal[1:23, :] == 0).all(), "24 dice show at least 24, and so do the other player’s 23 at least 23"
    assert found.normal[23, 60] > 0
    assert 0 < found.last.sum() < 1, "a game has at most one last turn, and some end with a bust before"


def test_it_tells_its_progress() -> None:
    told: list[float] = []
    reach(solve_fast(Greed(40, 6)), lambda done, doing: told.append(done))
    assert told == sorted(told)
    assert told[0] == 0
    assert told[-1] <= 1


def test_totals_are_those_of_exact_dice() -> None:
    game = Greed(30, die="1,1,2,7")
    for n, row in enumerate(totals(game, 9)):
        exact = {total: weight / game.dice.total**n for total, weight in total_of(n, game.dice) if total <= 30}
        assert row.tolist() == pytest.approx([exact.get(total, 0.0) for total in range(31)], rel=1e-12)
