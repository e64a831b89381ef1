"""Yahtzee for other aims: every position of random cards held against the general engine in fractions."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dicewise import certify, solve
from dicewise.engine.certify import check_by_rules
from dicewise.engine.recall import recall
from dicewise.errors import LimitError
from dicewise.games.yahtzee import Yahtzee, _kernel_reach
from dicewise.games.yahtzee._layout import layout
from dicewise.games.yahtzee.aims import ReachSolution, chances, error_bound
from dicewise.games.yahtzee.boxes import FACES, USUAL
from dicewise.games.yahtzee.position import Position

OTHER_PAYS = ("full-house:sum", "three-of-a-kind:sum", "small-straight:7", "chance:5", "yahtzee:sum", "one-pair:all")


def random_card(seed: int, most_dice: int = 4) -> Yahtzee:
    """A small card of any kind, with any house rules."""
    draw = random.Random(seed)
    sides = draw.randint(1, 4)
    pool = [*FACES[:sides], *USUAL, *OTHER_PAYS]
    draw.shuffle(pool)
    boxes = list({text.split(":")[0]: text for text in pool[: draw.randint(1, 3)]}.values())
    if draw.random() < 0.7 and not any(text.startswith("yahtzee") for text in boxes):
        boxes.append("yahtzee")
    return Yahtzee(
        draw.choice(["official", "free-joker", "no-bonus", "yatzy"]),
        boxes=tuple(boxes),
        bonus=draw.choice([None, 0, 7]),
        bonus_at=draw.randint(0, 8),
        extra=draw.choice([None, 0, 11]),
        joker=draw.choice([None, "forced", "free", "none"]),
        dice=draw.randint(1, most_dice),
        sides=sides,
        rerolls=draw.randint(0, 2),
        aim=f"{draw.choice(['reach', 'beat'])}:{draw.randint(1, 60)}",
    )


def row_of(game: Yahtzee, needs: _kernel_reach.Needs, state: Position) -> Any:
    rules = layout(game)
    return needs.plan.first_row[state.used * rules.flags + int(state.extra) * (rules.flags - 1)] + state.upper


@pytest.mark.parametrize("seed", range(24))
def test_every_position_and_choice(seed: int) -> None:
    game = random_card(seed)
    exact, fast = solve(game, using="rules", exact=True), solve(game)
    assert isinstance(fast, ReachSolution)
    listed = {(state.used, state.upper, state.extra, state.need) for state in fast.states()}
    bound = fast.report.error_bound
    assert bound is not None
    assert bound < 1e-12
    for number, state in enumerate(exact.states()):
        assert abs(float(exact.value(state)) - fast.value(state)) < bound
        assert (state.used, state.upper, state.extra, state.need) in listed
        if number % 7 == 0:
            assert fast.action(state) == exact.action(state)
            expected = {choice.action: float(choice.value) for choice in exact.choices(state)}
            assert {choice.action: choice.value for choice in fast.choices(state)} == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("seed", range(100, 108))
def test_every_target_at_once(seed: int) -> None:
    game = random_card(seed)
    needs = _kernel_reach.solve(layout(game), game.rerolls, game.target, every=True)
    start, row = game.start(), row_of(game, needs, game.start())
    for target in range(1, game.target + 1):
        alone = solve(dataclasses.replace(game, aim=f"reach:{target}"), using="rules", exact=True)
        found = float(needs.at(row, target))
        assert abs(found - float(alone.value(start._replace(need=target)))) < error_bound(game)


@pytest.mark.parametrize("seed", range(200, 212))
def test_positions_that_play_does_not_come_to(seed: int) -> None:
    """A need that the card cannot leave is solved from that card on."""
    game = random_card(seed, most_dice=3)
    exact, fast = solve(game, using="rules", exact=True), solve(game)
    draw = random.Random(seed)
    cards = [state for state in exact.states() if not state.dice]
    for card in draw.sample(cards, min(5, len(cards))):
        state = card._replace(need=draw.randint(1, game.target))
        assert abs(float(exact.value(state)) - fast.value(state)) < 1e-12
        rolled = game.step(state, "roll")[-1][2]
        assert fast.action(rolled) == exact.action(rolled)


@pytest.mark.parametrize("seed", range(300, 312))
def test_tables_hold_against_the_equations(seed: int) -> None:
    game = random_card(seed)
    solution = solve(game)
    found, by_rules = certify(solution), check_by_rules(solution, exact=False)
    assert found.violation < 1e-14
    assert by_rules.largest < 1e-14
    assert found.error_bound is not None
    assert max(found.error_bound, by_rules.error_bound or 0) < 1e-12
    assert found.states == solution.report.states


@pytest.mark.parametrize("seed", [300, 301, 303, 304])  # targets that can be made
def test_any_number_that_is_changed_is_found(seed: int) -> None:
    game = random_card(seed)
    solution = solve(game)
    assert isinstance(solution, ReachSolution)
    arrays = solution.arrays()
    used = [at for at, chance in enumerate(arrays["chance"].tolist()) if chance > 0]
    assert used
    for at in random.Random(seed).sample(used, min(5, len(used))):
        table = arrays["chance"].copy()
        table[at] -= 1e-6
        changed = game.restore({**arrays, "chance": table}, solution.report)
        assert changed is not None
        assert certify(changed).violation == pytest.approx(1e-6, rel=1e-6)


def test_rows_that_stand_for_totals_other_than_theirs_are_checked() -> None:
    """With one side every upper box scores: no card has the total 0, whose row has the chances of larger ones."""
    game = Yahtzee("no-bonus", boxes=("ones", "chance"), dice=2, sides=1, bonus=5, bonus_at=40, aim="reach:4")
    solution = solve(game)
    assert isinstance(solution, ReachSolution)
    arrays = solution.arrays()
    for at in np.flatnonzero(arrays["chance"] > 0).tolist():
        table = arrays["chance"].copy()
        table[at] -= 0.25
        changed = game.restore({**arrays, "chance": table}, solution.report)
        assert changed is not None
        assert certify(changed).violation == pytest.approx(0.25)


def test_the_store_gives_back_what_it_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DICEWISE_CACHE_DIR", str(tmp_path))
    game = Yahtzee("official", boxes=("twos", "chance", "yahtzee"), dice=2, aim="reach:60")
    first, again = recall(game), recall(game)
    assert first is not again
    assert isinstance(again, ReachSolution)
    assert [again.value(state) for state in again.states()] == [first.value(state) for state in first.states()]
    wrong = {name: table[:-1] for name, table in again.arrays().items()}
    with pytest.raises(Exception, match="wrong shape"):
        game.restore(wrong, again.report)


def test_a_target_that_is_made_or_out_of_reach() -> None:
    game = Yahtzee("official", boxes=("ones", "chance"), dice=2, aim="reach:30")
    solution = solve(game)
    assert solution.value(game.start()) == 0.0
    assert solution.value(game.parse("ones=2 chance=12")) == 0.0
    made = solve(dataclasses.replace(game, aim="reach:10"))
    assert made.value(made.game.parse("chance=12")) == made.value(made.game.parse("chance=x need=0")) == 1.0
    assert solution.payoff_range == (0, 1)


def test_chances_fall_with_the_target() -> None:
    game = Yahtzee("official", boxes=("upper", "yahtzee", "chance"), dice=2, bonus_at=20)
    needs = chances(game, 800, every=True)
    falling = needs.at(row_of(game, needs, game.start()), np.arange(1, 801))
    assert (np.diff(falling) <= 1e-15).all()
    assert falling[0] > 0.99
    assert falling[-1] < 0.01


def test_too_large_for_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dicewise.memory.available", lambda: 1 << 27)
    with pytest.raises(LimitError, match="250 points"):
        chances(Yahtzee(), 250)


def test_it_can_be_stopped() -> None:
    def stop(share: float, doing: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve(Yahtzee("official", boxes=("upper",), aim="reach:50"), progress=stop)


@pytest.mark.slow
@pytest.mark.parametrize(("target", "chance"), [(200, 0.91080460), (250, 0.54188692), (300, 0.17603092)])
def test_published_chances(target: int, chance: float) -> None:
    game = Yahtzee("free-joker", aim=f"reach:{target}")
    assert float(solve(game).value(game.start())) == pytest.approx(chance, abs=5e-9)
