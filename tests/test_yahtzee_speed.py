"""What is fast about Yahtzee is held against what is slow and plain: the kernel against one turn in NumPy, simulated
games against those that the engine plays by the rules."""

from __future__ import annotations

import random
from typing import Any

import click
import numpy as np
import pytest

from dicewise.cli.simulate import _truth
from dicewise.engine.draws import digits, key_of
from dicewise.engine.simulate import simulate
from dicewise.games.yahtzee import Yahtzee, _kernel_play
from dicewise.games.yahtzee._kernel import groups_by_roll, groups_of, solve
from dicewise.games.yahtzee._layout import layout
from dicewise.games.yahtzee.position import Position
from dicewise.games.yahtzee.solution import YahtzeeSolution, solve_fast

SMALL = {
    "upper": Yahtzee(boxes=("ones", "twos", "threes"), bonus_at=7, dice=3, sides=3),
    "official": Yahtzee(boxes=("twos", "threes", "three-of-a-kind", "full-house", "yahtzee"), bonus_at=9, sides=3),
    "free": Yahtzee("free-joker", boxes=("ones", "threes", "small-straight", "chance", "yahtzee"), bonus_at=6, dice=4),
    "no-reroll": Yahtzee("no-bonus", boxes=("sixes", "chance", "yahtzee"), rerolls=0),
    "yatzy": Yahtzee("yatzy", boxes=("fives", "one-pair", "two-pairs", "high-straight", "yahtzee"), rerolls=3, dice=4),
    "one-die": Yahtzee(boxes=("ones", "chance", "yahtzee"), dice=1, sides=2, bonus_at=1),
}


@pytest.fixture(scope="module")
def official() -> YahtzeeSolution:
    return solve_fast(Yahtzee())


@pytest.mark.parametrize("game", SMALL.values(), ids=SMALL)
def test_every_anchor_is_the_start_of_its_turn(game: Yahtzee) -> None:
    solution = solve_fast(game)
    for state in solution.states():
        assert solution.turn_at(state).start == pytest.approx(solution.value(state), abs=1e-11)


def test_anchors_of_the_full_card(official: YahtzeeSolution) -> None:
    assert official.value(official.game.start()) == pytest.approx(254.58772873450, abs=1e-10)
    rng = random.Random(1)
    anchors = list(official._rules.anchors())
    for used, extra, upper in rng.sample(anchors, 300):
        state = Position(used, upper, bool(extra))
        assert official.turn_at(state).start == pytest.approx(official.value(state), abs=1e-11)


@pytest.mark.parametrize("game", SMALL.values(), ids=SMALL)
def test_entries_past_the_limit_repeat_the_one_at_it(game: Yahtzee) -> None:
    rules = layout(game)
    table = solve(rules, game.rerolls)
    assert (table[:, rules.limit :] == table[:, rules.limit, None]).all()


def test_groups_by_roll_are_the_groups() -> None:
    rules = layout(Yahtzee("yatzy"))
    first_group, points, _, first_roll, rolls = groups_of(rules)
    found = groups_by_roll(rules)
    assert ((found < 0) == (rules.points.T == 0)).all()
    for box in range(rules.boxes):
        for group in range(first_group[box], first_group[box + 1]):
            here = np.flatnonzero(found[:, box] == 8 * group)
            there = rolls[int(first_roll[group]) : int(first_roll[group + 1])].astype(int) // 8
            assert (here + rules.nodes.rolls.start == there).all()
            assert (rules.points[box, here] == points[group]).all()


def test_compiled_draws_are_the_engine_s() -> None:
    for seed, game, move in ((0, 0, 0), (1, 5, 3), (2**63 + 11, 2**40 + 7, 60)):
        key = key_of(seed)
        first = _kernel_play.first_digits(np.uint64(key[0]), np.uint64(key[1]), np.uint64(game), move)
        assert int(first) == digits(key, game, move) >> 64


def test_a_word_on_a_border_is_left_to_more_digits() -> None:
    ends = np.array([10, 20, 2**64 - 1], dtype=np.uint64)
    assert [_kernel_play.pick(ends, 0, 2, np.uint64(word)) for word in (9, 10, 11, 20, 21)] == [0, -1, 1, -1, 2]


def sampled(solution: YahtzeeSolution, games: int, using: str, **more: Any) -> Any:
    return simulate(solution.game, solution, games, 3, using=using, **more)


@pytest.mark.parametrize("game", SMALL.values(), ids=SMALL)
def test_small_cards_play_the_same_games(game: Yahtzee) -> None:
    solution = solve_fast(game)
    assert sampled(solution, 200, "auto") == sampled(solution, 200, "rules")


def test_full_cards_play_the_same_games(official: YahtzeeSolution) -> None:
    assert sampled(official, 25, "auto") == sampled(official, 25, "rules")


def test_games_from_a_card_that_is_begun(official: YahtzeeSolution) -> None:
    """Few boxes are left, Yahtzees pay extra, and the upper section is close to its bonus."""
    game = official.game
    used = game.all_used & ~sum(1 << game.words.index(word) for word in ("fours", "sixes", "full-house", "chance"))
    state = Position(used, 30, True)
    fast, slow = (sampled(official, 200, using, state=state) for using in ("auto", "rules"))
    assert fast == slow
    assert fast.total_moves >= 200 * 4 * 2


def test_games_left_to_the_rules_are_played_by_them(official: YahtzeeSolution, monkeypatch: pytest.MonkeyPatch) -> None:
    state = Position(official.game.all_used & ~3, 40, False)
    whole = sampled(official, 40, "rules", state=state)
    play_out = YahtzeeSolution.play_out

    def leaves_some(self: YahtzeeSolution, *given: Any) -> Any:
        totals, lengths = play_out(self, *given)  # type: ignore[misc]
        totals[::3], lengths[::3] = -5, -1
        return totals, lengths

    monkeypatch.setattr(YahtzeeSolution, "play_out", leaves_some)
    assert sampled(official, 40, "auto", state=state) == whole


def test_the_mean_is_within_its_error(official: YahtzeeSolution) -> None:
    sample = sampled(official, 20_000, "auto")
    assert sample.within(official.values(official.game.start()))
    assert sample.sds[0] == pytest.approx(59.6, abs=1.5)


def test_exact_mean_comes_with_the_solution(official: YahtzeeSolution) -> None:
    game = official.game
    state = Position(0, 0, False)
    with click.Context(click.Command("simulate"), obj={}):
        truth = _truth(game, [official], state, 1000, True)
        by_rule = _truth(game, [game.heuristic("alike")], state, 1000, True)
    assert truth.values == official.values(state)
    assert truth.error_bound == official.report.error_bound
    assert truth.outcomes is None
    assert "positions" in (truth.problem or "")
    assert by_rule.values is None
