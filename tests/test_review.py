"""Reviews: skill and luck add up, mistakes are called so and nothing else is, and one learns why."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from dicewise import GAMES, CoinLadder, CyclicError, Game, Greed, HoldDice, InputError, Pig, find_game, solve, sure
from dicewise.cli import main
from dicewise.play.records import Record, Records
from dicewise.play.review import BEST, NEAR, SETTLED, Review, Score, review
from dicewise.play.session import Session
from dicewise.play.trend import Played, costly, periods, verdict
from dicewise.play.why import why
from random_games import random_game
from small_games import Nim

EXAMPLES = Path(__file__).parents[1] / "examples"
README = ((25, 74), (25, 89), (5, 16), (2, 6), (3, 10), (2, 9))
"""The game in the source's README: dice and totals, Alice first."""

SMALL = {
    "greed": ("greed(max=12,sides=3)", "greed(max=9,sides=4,win=3,tie=1,lose=0)", "greed(max=5,sides=3,players=3)"),
    "coin-ladder": ("coin-ladder", "coin-ladder(prizes=(1,2,3),coins=1)"),
    "hold-dice": ("hold-dice(dice=3,sides=4)", "hold-dice(dice=2,cost=1/3)"),
    "pig": ("pig(target=12)", "pig(target=12,players=1)", "pig(target=10,sides=4,win=5,lose=-2)"),
    "yahtzee": ("yahtzee(boxes=(ones,twos,yahtzee),bonus=3,bonus_at=3,dice=2,sides=2)",),
    "hoot-owl": ["hoot-owl(owls=1,model=deck,hands=1,path=abab,starts=(0),cards=(2),suns=3,track=2,size=2)"],
    "a user's": (f"{EXAMPLES}/race.py:Race(target=8)", f"{EXAMPLES}/shut_the_box.py:ShutTheBox(tiles=5)"),
}
"""Rulesets of every game that even exact arithmetic solves in a moment."""
RULESETS = [spec for specs in SMALL.values() for spec in specs]


@cache
def solved(spec: str, exact: bool = False) -> Any:
    return solve(find_game(spec), exact=exact)


def at_random(game: Game[Any, Any], seed: int, moves: int = 200) -> Session[Any, Any]:
    """A game of random moves, with hints and moves taken back."""
    rng = Random(seed)
    session = Session(game, seed=seed)
    for _ in range(moves):
        if session.over:
            break
        if rng.random() < 0.1:
            session.hint()
        session.push(rng.choice(session.actions))
        if rng.random() < 0.1:
            session.undo()
    return session


def check_sums(found: Review, session: Session[Any, Any]) -> None:
    """Skill and luck make the result, to the last digit and after rounding to doubles."""
    for player in range(found.game.players):
        parts = found.own_skill(player), found.others_skill(player), found.luck(player)
        assert found.result[player] - found.start[player] == sum(parts)
        scale = max(1.0, *(abs(float(part)) for part in parts))
        left = float(found.result[player]) - float(found.start[player])
        assert abs(left - sum(map(float, parts))) <= 1e-12 * scale
        if session.over:
            assert found.result[player] == Fraction(session.result[player])


# ---- sums


def test_every_game_is_among_the_rulesets() -> None:
    assert {*GAMES, "a user's"} == set(SMALL)
    assert {find_game(spec).players for spec in RULESETS} == {1, 2, 3}


@pytest.mark.parametrize("spec", RULESETS)
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), exact=st.booleans())
def test_skill_and_luck_make_the_result(spec: str, seed: int, exact: bool) -> None:
    solution = solved(spec, exact)
    session = at_random(solution.game, seed)
    found = review(session, solution)
    assert found.finished == session.over
    check_sums(found, session)
    for step in found.steps:
        mover = step.move.player
        if step.decision is not None:
            difference = step.skill[mover] + step.decision.loss
            assert difference == 0 if exact else abs(difference) <= 1e-9
            assert step.decision.loss >= 0


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    kind=st.sampled_from([("acyclic", 1), ("acyclic", 2), ("acyclic", 3), ("cyclic", 1), ("cyclic", 2), ("slow", 2)]),
    exact=st.booleans(),
)
def test_skill_and_luck_make_the_result_of_random_games(seed: int, kind: tuple[str, int], exact: bool) -> None:
    game = random_game(seed, *kind, most=20)
    try:
        solution = solve(game, exact=exact)
    except CyclicError:  # play that one of them would rather not end
        reject()
    session = at_random(game, seed, moves=60)
    check_sums(review(session, solution), session)


@pytest.mark.parametrize("spec", RULESETS)
def test_luck_is_nothing_on_average(spec: str) -> None:
    solution = solved(spec, exact=True)
    game = solution.game
    for state in [state for state, _ in zip(solution.states(), range(30), strict=False)]:
        for action in game.actions(state):
            lottery = game.step(state, action)
            total, mean = sum(weight for _, weight, _ in lottery), [Fraction(0)] * game.players
            for outcome, weight, _ in lottery:
                session = Session(game, state=state)
                session.push(session.actions[list(game.actions(state)).index(action)], outcome)
                luck = review(session, solution).steps[0].luck
                mean = [m + Fraction(weight, total) * x for m, x in zip(mean, luck, strict=True)]
            assert not any(mean)


def test_a_game_that_is_not_over_is_reviewed_so_far() -> None:
    session = Session(Greed())
    session.push(24, 80)
    found = review(session, solved("greed"))
    assert not found.finished
    assert float(found.result[1]) == solved("greed").value(session.state)
    assert found.own_skill(0) == 0
    check_sums(found, session)


# ---- what is called a mistake


def readme() -> Session[Any, Any]:
    session = Session(Greed(), ["Alice", "Blair"])
    for dice, total in README:
        session.push(dice, total)
    return session


def test_the_game_in_the_source_s_readme() -> None:
    session = readme()
    found = review(session, solved("greed"))
    assert session.state.scores == (100, 104)
    assert [step.decision.best for step in found.steps if step.decision] == [24, 23, 5, 2, 1, 1]
    losses = [float(step.decision.loss) for step in found.steps if step.decision]
    for step, loss in zip(found.steps, losses, strict=True):
        values = solved("greed").after(step.move.state, step.move.action)
        best = max(solved("greed").after(step.move.state, n)[step.move.player] for n in range(30 if loss else 1))
        assert loss == pytest.approx(best - values[step.move.player] if loss else 0, abs=1e-12)
    assert losses == pytest.approx([0.01717132305, 0.02665911802, 0, 0, 0.40770092688, 5 / 36], abs=1e-10)
    words = [step.decision.verdict for step in found.steps if step.decision]
    assert words == ["slip", "mistake", BEST, BEST, "blunder", "blunder"]
    assert found.result == (1, -1)
    # 100 B / (B + L), with the mean loss of 30, 9 and 4 actions for B
    blind = [
        sum(choice.loss for choice in choices) / len(choices)
        for choices in (solved("greed").choices(step.move.state) for step in found.steps[::2])
    ]
    assert found.score(0).accuracy == pytest.approx(100 * sum(blind) / (sum(blind) + sum(losses[::2])))
    assert found.score(0).accuracy == pytest.approx(61.25, abs=0.001)
    assert float(found.start[0]) == pytest.approx(0.0276834661, abs=1e-10)
    assert [step.number for step in found.mistakes(0)] == [5, 1]
    assert found.own_skill(0) == pytest.approx(-sum(losses[::2]), abs=1e-12)
    assert found.others_skill(0) == pytest.approx(sum(losses[1::2]), abs=1e-12)
    check_sums(found, session)


@dataclass(frozen=True)
class Bets(Game[int, int]):
    """Choose a number at each of several states; each pays what stands in the table."""

    table: tuple[tuple[int, ...], ...] = ()

    def start(self) -> int:
        return 0

    def actions(self, state: int) -> Any:
        return range(len(self.table[state])) if state < len(self.table) else ()

    def step(self, state: int, action: int) -> Any:
        return sure(state + 1)

    def reward(self, state: int, action: int, outcome: Any) -> int:
        return self.table[state][action]

    def payoff(self, state: int) -> int:
        return 0


def verdicts(game: Game[Any, Any], actions: list[Any], **options: Any) -> list[str]:
    session = Session(game)
    for action in actions:
        session.push(action)
    return [
        step.decision.verdict if step.decision else "forced" for step in review(session, solve(game), **options).steps
    ]


def test_words_for_losses() -> None:
    game = Bets(((0, 1000), (7, 7), (3,), (10, 9, 0, 10)))
    assert solve(game).payoff_range == (0, 1020)
    assert verdicts(game, [1, 0, 0, 0]) == [BEST, SETTLED, "forced", BEST]
    assert verdicts(game, [0, 1, 0, 1]) == ["blunder", SETTLED, "forced", NEAR]
    assert verdicts(game, [0, 1, 0, 2]) == ["blunder", SETTLED, "forced", "slip"]
    assert verdicts(game, [0, 1, 0, 3]) == ["blunder", SETTLED, "forced", BEST]
    assert verdicts(game, [0, 1, 0, 1], near_tie=0) == ["blunder", SETTLED, "forced", "slip"]
    assert verdicts(game, [0, 1, 0, 2], near_tie=0.01) == ["blunder", SETTLED, "forced", NEAR]
    assert verdicts(game, [0, 1, 0, 2], near_tie=1) == [NEAR, SETTLED, "forced", NEAR]


def test_a_loss_of_just_the_near_tie_is_a_mistake() -> None:
    game = Bets(((0, 1), (0, 999)))
    assert solve(game).payoff_range == (0, 1000)
    assert verdicts(game, [0, 1]) == ["slip", BEST]
    assert verdicts(game, [0, 1], near_tie=Fraction(1001, 10**6)) == [NEAR, BEST]


def test_lost_and_won_positions_blame_nobody() -> None:
    # 8 stones are lost whatever is taken, so is nothing a mistake; 9 are won by taking one alone
    session = Session(Nim(8))
    session.push(1)
    session.push(1)
    found = review(session, solve(Nim(8)))
    words = [step.decision.verdict for step in found.steps if step.decision]
    assert words == [SETTLED, "blunder"]
    assert found.score(0) == Score()
    assert found.score(0).accuracy is None
    assert found.score(0).grade is None
    assert found.score(1).mistakes == 1


@pytest.mark.parametrize(
    ("game", "text", "value"),
    [(Greed(10, die="2,4"), "5 10 last", -1), (Greed(10, 1), "9 5 last", 1)],
    ids=["every action loses", "every action wins"],
)
@pytest.mark.parametrize("exact", [False, True])
def test_greed_that_is_decided_blames_nobody(game: Greed, text: str, value: int, exact: bool) -> None:
    solution = solve(game, exact=exact)
    state = game.parse(text)
    assert len(game.actions(state)) > 1
    for action in game.actions(state):
        session = Session(game, state=state)
        session.push(action)
        found = review(session, solution, near_tie=0)
        assert solution.value(state) == value
        assert found.steps[0].decision is not None
        assert found.steps[0].decision.verdict == SETTLED
        assert found.score(0) == Score()


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), near_tie=st.sampled_from([0.0, 0.001, 0.02, 0.3]))
def test_no_near_tie_and_nothing_settled_is_a_mistake(seed: int, near_tie: float) -> None:
    solution = solved("greed(max=12,sides=3)")
    found = review(at_random(solution.game, seed), solution, near_tie=near_tie)
    for step in found.steps:
        if step.decision is None:
            assert len(solution.game.actions(step.move.state)) == 1
            continue
        choices = solution.choices(step.move.state)
        loss = next(choice.loss for choice in choices if choice.action == step.move.action)
        same = all(choice.loss == 0 for choice in choices)
        assert step.decision.is_mistake == (not same and loss > 0 and loss >= Fraction(str(near_tie)) * 2)


def test_near_ties_out_of_range_are_refused() -> None:
    for wrong in (-0.1, 1.5, float("nan"), float("inf")):
        with pytest.raises(InputError, match=r"near-tie .* is not allowed"):
            review(Session(Greed()), solved("greed"), near_tie=wrong)


def test_a_solution_of_another_game_is_refused() -> None:
    with pytest.raises(InputError, match="the solution is of"):
        review(Session(Greed(50)), solved("greed"))
    with pytest.raises(InputError, match="discounted"):
        review(Session(CoinLadder()), solve(CoinLadder(), gamma=0.9))


def test_hinted_and_undone_moves_are_marked_and_not_counted() -> None:
    session = Session(Greed(), ["Alice", "Blair"])
    session.push(10, 30)
    session.undo()
    session.hint()
    session.push(5, 12)
    session.push(24, 84)
    found = review(session, solved("greed"))
    assert [(step.number, step.undone, step.move.action) for step in found.undone] == [(1, True, 10)]
    undone = found.undone[0].decision
    assert undone is not None
    assert undone.verdict in ("mistake", "blunder")
    assert found.steps[0].move.hinted
    assert found.steps[0].decision is not None
    assert found.steps[0].decision.is_mistake
    assert found.mistakes(0) == []
    assert found.score(0).decisions == 0
    assert found.own_skill(0) < 0  # what happened, happened
    check_sums(found, session)


# ---- the range, the accuracy and the grade


def test_payoff_ranges() -> None:
    assert solved("greed").payoff_range == (-1, 1)
    assert solved("greed(max=9,sides=4,win=3,tie=1,lose=0)").payoff_range == (0, 3)
    assert solved("greed(max=5,sides=3,players=3)").payoff_range == (0, 1)
    assert solved("pig(target=12)").payoff_range == (0, 1)
    assert solved("coin-ladder").payoff_range == (0, 250)
    assert solved(f"{EXAMPLES}/race.py:Race(target=8)").payoff_range == (0, 1)
    alone = solved("pig(target=12,players=1)")
    assert alone.payoff_range == (min(alone.value(state) for state in alone.states()), 0)
    for game in (HoldDice(1), HoldDice(2, 3), HoldDice(3, 4), HoldDice(3, values=(-2, 5, 9))):
        ends = [game.payoff(state) for state in solve(game).states() if state.dice]
        assert solve(game).payoff_range == (min(ends), max(ends)) == solve(game, exact=True).payoff_range


@pytest.mark.parametrize("exact", [False, True])
def test_a_game_that_is_over_before_it_begins(exact: bool) -> None:
    solution = solve(Bets(), exact=exact)
    assert solution.payoff_range == (0, 0)
    found = review(Session(Bets()), solution)
    assert found.finished
    assert found.score(0).accuracy is None


def test_the_range_that_the_rules_state_is_that_of_the_ends() -> None:
    for spec in ("greed(max=9,sides=4,win=3,tie=1,lose=0)", "pig(target=10,sides=4,win=5,lose=-2)", "coin-ladder"):
        solution = solved(spec)
        ends = set()
        for state in solution.states():
            for action in solution.game.actions(state):
                for _, _, to in solution.game.step(state, action):
                    if not solution.game.actions(to):
                        pay = solution.game.payoff(to)
                        ends |= set(pay) if isinstance(pay, tuple) else {pay}
        assert solution.payoff_range == (min(ends), max(ends))


@pytest.mark.parametrize("spec", ["greed(max=30)", "pig(target=30)", "hold-dice", "coin-ladder(prizes=(1,5,9,50))"])
def test_accuracy_of_perfect_and_of_blind_play(spec: str) -> None:
    solution = solved(spec)
    blind = perfect = Score()
    for seed in range(60):
        blind += review(at_random(solution.game, seed), solution).score(0)
        session = Session(solution.game, seed=seed)
        while not session.over:
            session.push(solution.action(session.state))
        perfect += review(session, solution).score(0)
    assert perfect.accuracy == 100
    assert perfect.grade == "A+"
    assert perfect.mistakes == 0
    assert blind.accuracy is not None
    assert 35 < blind.accuracy < 65


def test_accuracy_by_hand() -> None:
    game = Bets(((0, 10), (0, 10, 20), (5, 5)))
    session = Session(game)
    for action in (0, 1, 0):
        session.push(action)
    found = review(session, solve(game))
    # losses 10 and 10 of blind losses 5 and 10; the third is settled, so two decisions count
    assert found.score(0).decisions == 2
    assert found.score(0).accuracy == pytest.approx(100 * 15 / (15 + 20))
    assert found.score(0).grade == "F"


def test_grades() -> None:
    for accuracy, grade in (
        (100, "A+"),
        (99, "A+"),
        (98.9, "A"),
        (90, "B"),
        (89, "C"),
        (65, "D"),
        (50, "E"),
        (49, "F"),
    ):
        blind = Fraction(str(accuracy))
        assert Score(1, 0, 100 - blind, blind).grade == grade


# ---- why


def test_why_25_dice_are_too_many() -> None:
    game, solution = Greed(), solved("greed")
    found = why(game, solution, game.start(), 25)
    assert found.best.action == 24
    assert found.kinds == ("bust", "ahead")
    assert found.loss == pytest.approx(0.01717132305, abs=1e-10)
    for prospect in (found.chosen, found.best):
        assert prospect.groups["bust"].worth == -1
        assert prospect.groups["bust"].chance == pytest.approx(
            solution.details(game.start(), prospect.action)["bust"], abs=1e-12
        )
    assert found.chosen.groups["bust"].chance > found.best.groups["bust"].chance
    assert found.reason == solution.why(game.start())


def test_kinds_of_greed() -> None:
    game, solution = Greed(), solved("greed")
    found = why(game, solution, game.parse("90 94 last"), 2)
    assert found.kinds[2:] == ("level", "ahead")
    assert {*found.chosen.groups} == {"behind", "level", "ahead", "bust"}
    assert found.chosen.groups["level"].chance == Fraction(3, 36)
    assert found.chosen.groups["bust"].chance == Fraction(3, 36)
    assert [float(found.chosen.groups[kind].worth) for kind in ("bust", "behind", "level", "ahead")] == [-1, -1, 0, 1]
    three = Greed(5, 3, players=3)
    state = three.parse("3 out 4")
    assert three.kind_of(state, 1, 1, three.step(state, 1)[0][2]) == "level"
    assert three.kind_of(state, 1, 3, three.step(state, 1)[2][2]) == "bust"


@pytest.mark.parametrize("spec", RULESETS)
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_chances_and_worths_add_up(spec: str, seed: int) -> None:
    solution = solved(spec, exact=True)
    for move in at_random(solution.game, seed).moves:
        found = why(solution.game, solution, move.state, move.action)
        for prospect in (found.chosen, found.best):
            groups = prospect.groups.values()
            assert sum(group.chance for group in groups) == 1
            assert sum(group.chance * group.worth for group in groups) == prospect.value
            assert prospect.value == solution.after(move.state, prospect.action)[move.player]
            assert set(prospect.groups) <= set(found.kinds)
        assert found.best.value - found.chosen.value == found.loss
        assert found.best.value == solution.value(move.state)


def test_a_game_without_words_is_told_by_better_and_worse() -> None:
    game = find_game(f"{EXAMPLES}/race.py:Race(target=8)")
    found = why(game, solved(f"{EXAMPLES}/race.py:Race(target=8)"), game.parse("2 2 1"), 3)
    assert found.kinds == ("worse", "better")
    assert found.chosen.groups["better"].chance == Fraction(1, 8)
    nothing = why(CoinLadder(), solved("coin-ladder"), CoinLadder().parse("rung 1"), "take")
    assert nothing.kinds == ("the same",)


def test_an_impossible_action_is_refused() -> None:
    with pytest.raises(InputError, match="action '99' is not possible at '0 0'"):
        why(Greed(), solved("greed"), Greed().start(), 99)


# ---- many games


def played(actions: list[int], number: int) -> Played:
    game = Bets(((0, 10), (0, 20)))
    session = Session(game)
    for action in actions:
        session.push(action)
    return Played(record(f"2026-01-{number:02}"), review(session, solve(game)), (0,))


def record(started: str) -> Record:
    return Record(1, "bets", "", ("You",), ("human",), 0, 0, "", started, None, ())


def test_trend() -> None:
    worse = [played([0, 0], n) for n in range(1, 6)]
    better = [played([1, 1], n) for n in range(6, 11)]
    found = periods(worse + better, 2)
    assert [(period.games, period.score.decisions, period.loss, period.error) for period in found] == [
        (5, 10, pytest.approx(0.5), pytest.approx(((5 * (1 / 6) ** 2 + 5 * (1 / 6) ** 2) / 9 / 10) ** 0.5)),
        (5, 10, 0, 0),
    ]
    assert (found[0].first, found[0].last) == ("2026-01-01", "2026-01-05")
    assert verdict(found).startswith("Better: the loss per decision went from 50.00% to 0.00%")
    assert verdict(found[::-1]).startswith("Worse: ")
    assert "may be chance" in verdict([found[0], found[0]])
    assert verdict(found[:1]) == "One more game is needed before there is a trend."
    assert periods([]) == []
    assert [period.games for period in periods(worse + better[:2])] == [1, 1, 2, 1, 2]


def test_too_few_decisions_for_a_trend() -> None:
    game = Bets(((1,),))
    session = Session(game)
    session.push(0)
    one = Played(record(""), review(session, solve(game)), (0,))
    assert verdict(periods([one, one])) == "Too few decisions for a trend."


def test_what_cost_most() -> None:
    games = [played([0, 1], 1), played([0, 0], 2), played([1, 0], 3), played([0, 1], 4)]
    positions, habits = costly(games)
    assert [(s.where, s.times, s.best, s.loss) for s in positions] == [
        ("1", 2, "1", Fraction(40, 30)),
        ("0", 3, "1", Fraction(30, 30)),
    ]
    assert positions[0].chosen == {"0": 2}
    assert [(s.where, s.times, s.best, s.loss) for s in habits] == [("", 5, "1", Fraction(70, 30))]


# ---- the command


@pytest.fixture
def records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Records]:
    monkeypatch.setenv("DICEWISE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "80")
    with Records() as opened:
        yield opened


def keep(records: Records, session: Session[Any, Any], *players: str) -> int:
    id = records.keep(session, players or ("human",) * session.game.players)
    if session.over:
        records.finish(id, session.result)
    return id


def told(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["review", *words]) == 0
    return capsys.readouterr().out


def test_the_readme_s_game_on_the_screen(records: Records, capsys: pytest.CaptureFixture[str]) -> None:
    keep(records, readme())
    printed = told(capsys)
    assert max(map(len, printed.splitlines()[:-1])) <= 80
    lines = [line.split() for line in printed.splitlines()]
    assert ["1", "Alice", "0", "0", "25", "->", "74", "24", "0.0172", "slip", "+0.0028"] in lines
    assert ["3", "Alice", "74", "89", "5", "->", "16", "5", "-", "best", "-0.0052"] in lines
    assert ["Alice", "0.0277", "-0.4249", "+0.1655", "+1.2316", "1"] in lines
    assert "Alice: 3 decisions, 2 mistakes, accuracy 61.2, grade E" in printed
    assert "Alice, move 5 at 90 95: 3 gives away 0.4077" in printed
    assert printed.count("gives away 0.4077") == 1
    assert "move 1 at" not in printed
    assert "Alice, move 1 at 0 0: 25 gives away 0.0172" in told(capsys, "last", "--why")
    assert "\x1b" not in printed
    only = told(capsys, "1", "--player", "blair")
    assert "Alice:" not in only
    assert "Blair, move 6 at 95 100: 2 gives away 0.1389" in only
    lenient = told(capsys, "--near-tie", "0.25")
    assert "No mistakes." in lenient
    assert "0.4077  near-tie" in lenient


def test_the_review_as_json(records: Records, capsys: pytest.CaptureFixture[str]) -> None:
    session = readme()
    keep(records, session)
    found = json.loads(told(capsys, "--json"))
    assert found["schema"] == 1
    assert found["game"] == "greed(max=100,sides=6)"
    assert [(move["action"], move["best"]) for move in found["moves"]] == [
        ("25", "24"), ("25", "23"), ("5", "5"), ("2", "2"), ("3", "1"), ("2", "1"),
    ]  # fmt: skip
    for seat, player in enumerate(found["players"]):
        parts = player["own_skill"] + player["others_skill"] + player["luck"]
        assert player["result"] - player["start"] == pytest.approx(parts, abs=1e-12)
        luck = sum(move["luck"][seat] for move in found["moves"])
        skill = sum(move["skill"][seat] for move in found["moves"])
        assert player["result"] - player["start"] == pytest.approx(luck + skill, abs=1e-12)
    reason = found["why"][0]
    assert (reason["number"], reason["chosen"]["action"], reason["best"]["action"]) == (5, "3", "1")
    assert sum(part["chance"] * part["worth"] for part in reason["best"]["outcomes"]) == pytest.approx(
        reason["best"]["value"]
    )


@pytest.mark.parametrize("spec", RULESETS)
def test_every_game_is_told(spec: str, records: Records, capsys: pytest.CaptureFixture[str]) -> None:
    session = at_random(find_game(spec), 3)
    keep(records, session)
    printed = told(capsys, "--why")
    assert f"game 1: {session.game.spec}" in printed
    assert ("undone" in printed) == bool(session.undone)
    found = json.loads(told(capsys, "--json"))
    assert len(found["moves"]) == len(session.moves) + len(session.undone)
    for player in found["players"]:
        parts = player["own_skill"] + player["others_skill"] + player["luck"]
        assert player["result"] - player["start"] == pytest.approx(parts, abs=1e-12)


def test_a_game_that_is_not_over_is_told(records: Records, capsys: pytest.CaptureFixture[str]) -> None:
    session = Session(Greed())
    session.push(24, 80)
    keep(records, session, "human", "optimal")
    printed = told(capsys)
    assert "so far" in printed
    assert "No mistakes." in printed
    assert "Player 2:" not in printed  # only people are looked at


def test_where_no_person_plays_everybody_is_told(records: Records, capsys: pytest.CaptureFixture[str]) -> None:
    keep(records, readme(), "optimal", "random")
    printed = told(capsys)
    assert "Alice: 3 decisions" in printed
    assert "Blair: 3 decisions" in printed
    assert told(capsys, "all").startswith("0 games: ")


def test_all_games(records: Records, capsys: pytest.CaptureFixture[str]) -> None:
    for spec in RULESETS:
        keep(records, at_random(find_game(spec), 1))
    for _ in range(2):
        keep(records, readme(), "human", "optimal")
    printed = told(capsys, "all")
    assert max(map(len, printed.splitlines())) <= 120
    assert printed.startswith(f"{len(RULESETS) + 2} games: ")
    lines = [line.split() for line in printed.splitlines()]
    assert ["greed(max=100,sides=6)", "2", "6", "4", "61.2", "E", "+61.58%"] in lines
    assert "What cost most" in printed
    assert "Habits that cost most" in printed
    found = json.loads(told(capsys, "all", "--json", "--player", "Alice"))
    assert found["games"] == 2
    assert found["positions"][0] == {
        "game": "greed(max=100,sides=6)",
        "state": "90 95",
        "played": {"3": 2},
        "best": "1",
        "times": 2,
        "loss": pytest.approx(0.40770092688),
    }
    assert sum(period["games"] for period in found["trend"]) == 2
    assert found["accuracy"] == pytest.approx(found["by_game"][0]["accuracy"])


def test_games_whose_rules_changed_are_left_out(
    records: Records, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "race.py"
    source = (EXAMPLES / "race.py").read_text(encoding="utf-8")
    path.write_text(source, encoding="utf-8")
    session = at_random(find_game(f"{path}:Race(target=4)"), 1)
    assert session.over
    keep(records, session)
    keep(records, readme())
    path.write_text(source.replace('"all heads"', '"heads all over"'), encoding="utf-8")
    assert main(["review", "all"]) == 0
    done = capsys.readouterr()
    assert done.out.startswith("1 game: ")
    assert done.err.startswith("dicewise: game 1 is left out: event ")
    assert done.err.count("\n") == 1
    assert main(["review", "1"]) == 2
    assert "does not fit the rules" in capsys.readouterr().err
    path.write_text(source.replace("def step(", "def stop("), encoding="utf-8")
    assert main(["review", "all"]) == 0
    assert "game 1 is left out: Race in" in capsys.readouterr().err
    path.write_text(source.replace("        first, second, turn = state\n", "        oh\n"), encoding="utf-8")
    assert main(["review", "all"]) == 0
    assert "raised NameError" in capsys.readouterr().err
    assert main(["review", "1"]) == 2
    assert "raised NameError" in capsys.readouterr().err
    path.unlink()
    assert main(["review", "all"]) == 0
    assert "cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["7"], "game 7 is not in the records"),
        (["first"], "game 'first' is not a number"),
        (["last", "--player", "Zoe"], "'Zoe' did not play game 1; its players are Alice, Blair"),
        (["all", "--player", "Zoe"], "no game with 'Zoe' is kept; the players are Alice, Blair"),
        (["--near-tie", "2"], "near-tie 2.0 is not allowed"),
        (["--near-tie", "much"], "'much' is not a valid float"),
    ],
)
def test_refusals(records: Records, words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    keep(records, readme())
    assert main(["review", *words]) == 2
    done = capsys.readouterr()
    assert message in done.err
    assert done.err.count("\n") == 1
    assert not done.out


def test_nothing_played_yet(records: Records, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review"]) == 2
    assert "none has been played yet" in capsys.readouterr().err
    assert told(capsys, "all") == "0 games: 0 decisions that counted\n"


def test_no_colour_where_none_is_wanted(records: Records) -> None:
    keep(records, readme())
    line = [sys.executable, "-m", "dicewise", "review"]
    plain = os.environ | {"NO_COLOR": "1", "TERM": "xterm", "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(line, env=plain, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    assert "\x1b[3" not in done.stdout
    assert done.stdout.isascii()


def test_pig_in_words() -> None:
    game = Pig(12)
    found = why(game, solved("pig(target=12)"), game.parse("0 0 +4"), "hold")
    assert {*found.chosen.groups} == {"banked"}
    state = game.parse("0 0 +10")
    assert {game.kind_of(state, "roll", face, to) for face, _, to in game.step(state, "roll")} == {
        "bust",
        "over the target",
    }
