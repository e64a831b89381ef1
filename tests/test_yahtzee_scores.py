"""Distributions of final scores: random cards held against the general engine and against counting, in fractions."""

from __future__ import annotations

import dataclasses
import json
from collections import defaultdict
from fractions import Fraction
from typing import Any

import pytest

from dicewise import solve
from dicewise.cli import main
from dicewise.engine.evaluate import evaluate
from dicewise.errors import InputError, LimitError
from dicewise.games.greed import Greed
from dicewise.games.yahtzee import Position, Yahtzee
from dicewise.games.yahtzee.distribution import best_chances, points_held, scores_of, win_chances
from dicewise.games.yahtzee.policy_scores import policy_scores
from dicewise.study.scores import scores
from dicewise.study.work import Work
from test_yahtzee_aims import random_card

SMALL = Yahtzee("official", boxes=("ones", "threes", "yahtzee"), dice=3, sides=3, bonus_at=6)


def counted(game: Yahtzee, start: Position) -> dict[str, Any]:
    """How games for the aim of `game` end, card by card and roll by roll, in fractions."""
    plain = dataclasses.replace(game, aim="mean")
    for_aim, for_mean = solve(game, using="rules", exact=True), solve(plain, using="rules", exact=True)
    here: dict[Any, Fraction] = {(start._replace(scores=None), 0): Fraction(1)}
    ends: dict[int, Fraction] = defaultdict(Fraction)
    mean, zero = ([Fraction(0)] * len(game.card) for _ in range(2))
    bonus = Fraction(0)
    while here:
        onward: dict[Any, Fraction] = defaultdict(Fraction)
        for (state, made), mass in here.items():
            if not game.actions(state):
                ends[made] += mass
                bonus += mass * (0 < game.upper_at <= state.upper)
                continue
            aimed = state.need and for_aim.value(state._replace(dice=(), rerolls=0)) > 0
            action = for_aim.action(state) if aimed else for_mean.action(state._replace(need=0))
            gain = 0
            if isinstance(action, str) and action != "roll":
                box = game.words.index(action)
                gain = game.gain(state, box)
                held = game.pays(state.used, state.extra, state.dice)[box]
                if state.extra and len(set(state.dice)) == 1:
                    held -= game.extra_pays
                mean[box] += mass * held
                zero[box] += mass * (held == 0)
            lottery = game.step(state, action)
            total = sum(weight for _, weight, _ in lottery)
            for _, weight, to in lottery:
                onward[to, made + gain] += mass * Fraction(weight, total)
        here = onward
    return {"ends": ends, "means": mean, "zeros": zero, "bonus": bonus}


@pytest.mark.parametrize("seed", range(300, 308))
def test_play_for_the_mean(seed: int) -> None:
    """Ties are broken as `Solution.action` breaks them, so that every chance agrees."""
    game = dataclasses.replace(random_card(seed, most_dice=3), aim="mean")
    found = scores_of(game).distribution()
    exact = evaluate(game, solve(game, using="rules", exact=True), exact=True).distribution()
    for score in {*found, *exact}:
        assert float(found.probability(score)) == pytest.approx(float(exact.probability(score)), abs=1e-13)
    assert float(found.mean()) == pytest.approx(float(solve(game).value(game.start())))


@pytest.mark.parametrize("seed", range(403, 409))
@pytest.mark.parametrize("aimed", [False, True])
def test_scores_boxes_and_bonus(seed: int, aimed: bool) -> None:
    game = random_card(seed, most_dice=3)
    game = game if aimed else dataclasses.replace(game, aim="mean")
    cards = [state for state in solve(game, using="rules", exact=True).states() if not state.dice]
    for start in (game.start(), cards[seed % len(cards)]._replace(scores=None)):
        found, expected = scores_of(game, start), counted(game, start)
        for score in {*range(len(found.points)), *expected["ends"]}:
            chance = found.points[score] if score < len(found.points) else 0.0
            assert chance == pytest.approx(float(expected["ends"].get(score, 0)), abs=1e-13)
        left = [game.words.index(box) for box in found.boxes]
        assert found.means == pytest.approx([float(expected["means"][box]) for box in left], abs=1e-12)
        assert found.zeros == pytest.approx([float(expected["zeros"][box]) for box in left], abs=1e-12)
        assert (found.bonus or 0.0) == pytest.approx(float(expected["bonus"]), abs=1e-13)
        assert found.doubt < 1e-12


@pytest.mark.parametrize("seed", range(500, 506))
@pytest.mark.parametrize("name", ["alike", "best", "mixed"])
def test_any_policy(seed: int, name: str) -> None:
    """Rules of thumb, best play, and somebody who often just takes the first or the last that is allowed."""
    game = dataclasses.replace(random_card(seed, most_dice=3), aim="mean")
    exact = solve(game, using="rules", exact=True)

    def mixed(state: Position) -> Any:
        first, *_, last = game.actions(state)
        return {exact.action(state): Fraction(1, 2)} | {first: 2, last: 3}

    policy = {"alike": game.heuristic("alike"), "best": exact.action, "mixed": mixed}[name]
    assert policy is not None
    cards = [state for state in exact.states() if not state.dice]
    for start in (game.start(), cards[seed % len(cards)]):
        found = policy_scores(game, policy, start).distribution()
        expected = evaluate(game, policy, state=start._replace(scores=None), exact=True).distribution()
        for score in {*found, *expected}:
            assert float(found.probability(score)) == pytest.approx(float(expected.probability(score)), abs=1e-13)


@pytest.mark.parametrize("seed", range(300, 304))
def test_any_policy_fills_the_boxes_as_best_play_does(seed: int) -> None:
    game = dataclasses.replace(random_card(seed, most_dice=3), aim="mean")
    one, two = scores_of(game), policy_scores(game, solve(game).action)
    assert two.boxes == one.boxes
    for name in ("means", "zeros", "bonus", "further", "yahtzees"):
        assert getattr(two, name) == pytest.approx(getattr(one, name), abs=1e-12)


def test_a_policy_by_boxes_is_asked_once_for_all_cards_with_these_boxes() -> None:
    asked = []

    def counting(state: Position) -> Any:
        asked.append(state)
        return alike(state)

    alike = SMALL.heuristic("alike")
    assert alike is not None
    brief = policy_scores(SMALL, counting, by_boxes=True)
    seldom = len(asked)
    whole = policy_scores(SMALL, counting)
    assert whole.points == pytest.approx(brief.points, abs=1e-15)
    assert seldom < (len(asked) - seldom) / 2
    assert SMALL.by_boxes <= set(SMALL.heuristics)


def test_a_policy_that_does_what_is_not_allowed() -> None:
    with pytest.raises(InputError, match="answers 'sixes' at"):
        policy_scores(SMALL, lambda state: "sixes")
    with pytest.raises(InputError, match="in the middle of a turn"):
        policy_scores(SMALL, lambda state: "ones", SMALL.parse("dice=112"))


def test_play_for_a_target_has_the_best_chance() -> None:
    best = best_chances(SMALL, 40)
    for target in (5, 12, 40):
        found = scores_of(dataclasses.replace(SMALL, aim=f"reach:{target}")).distribution()
        assert float(found.at_least(target)) == pytest.approx(best[target], abs=1e-13)
        assert float(scores_of(SMALL).distribution().at_least(target)) <= best[target] + 1e-13


def test_two_players() -> None:
    one = scores_of(SMALL).distribution()
    two = scores_of(dataclasses.replace(SMALL, aim="reach:12")).distribution()
    expected = [0.0, 0.0, 0.0]
    for mine, chance in one.items():
        for other, at_once in two.items():
            expected[0 if mine > other else 1 if mine == other else 2] += float(chance) * float(at_once)
    assert win_chances(one, two) == pytest.approx(tuple(expected), abs=1e-13)
    win, _, lose = win_chances(one, one)
    assert win == pytest.approx(lose, abs=1e-13)


def test_points_on_a_card() -> None:
    game = Yahtzee("official")
    assert points_held(game, "") == 0
    assert points_held(game, "ones=3 full-house=25") == 28
    assert points_held(game, "sixes=30 fives=25 fours=8 yahtzee=50 chance=20 extra=100") == 268
    assert points_held(game, "chance=x") is None
    assert points_held(game, "chance=x total=22") == 22


def test_the_study_tells_all_of_it() -> None:
    found = scores(SMALL, aims="mean,reach:12", targets=400)
    rows = found.as_dict()
    assert sum(row["chance"] for row in rows["scores"]) == pytest.approx(1)
    assert [row["aim"] for row in rows["players"]] == ["mean", "reach:12"]
    assert rows["players"][0]["mean"] == pytest.approx(float(solve(SMALL).value(SMALL.start())))
    assert rows["win"] + rows["tie"] + rows["lose"] == pytest.approx(1)
    assert rows["targets"][12]["best"] == pytest.approx(rows["scores"][12 - rows["scores"][0]["score"]]["at_least_2"])
    assert any("plays to beat it" in sentence for sentence in found.findings)
    assert found.chart is not None


def test_a_card_with_points_on_it() -> None:
    found = scores(SMALL, at="threes=3", targets=20).as_dict()
    assert found["held"] == 3
    assert min(row["score"] for row in found["scores"]) >= 3
    assert [row["box"] for row in found["boxes"]] == ["ones", "yahtzee"]
    assert found["targets"][0] == {
        "target": 3,
        "best": 1.0,
        "mean_play": pytest.approx(1.0),
        "gain": pytest.approx(0.0),
    }


def test_a_rule_of_thumb_beside_an_aim() -> None:
    study = scores(SMALL, aims="mean,alike")
    by_mean, by_thumb = (row["mean"] for row in study.table("players").rows())
    assert by_mean > by_thumb
    policy = SMALL.heuristic("alike")
    assert policy is not None
    assert by_thumb == pytest.approx(float(policy_scores(SMALL, policy).distribution().mean()))
    assert any("play by alike" in said for said in study.findings)
    with pytest.raises(InputError, match="aim 'alikes' is not allowed"):
        scores(SMALL, aims="alikes")


def test_answers_are_kept(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    first = scores(SMALL, targets=20, work=Work(folder=tmp_path)).as_dict()
    monkeypatch.setattr("dicewise.study.scores.scores_of", None)
    monkeypatch.setattr("dicewise.study.scores.best_chances", None)
    assert scores(SMALL, targets=20, work=Work(folder=tmp_path)).as_dict() == first


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"aims": "mean,mean,mean"}, "3 aims"),
        ({"aims": "most"}, "aim 'most' is not allowed"),
        ({"targets": 9000}, "--targets 9000"),
        ({"at": "threes=7"}, "impossible"),
        ({"at": "dice=123"}, "middle of a turn"),
    ],
)
def test_what_is_refused(given: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        scores(SMALL, **given)


def test_other_games_and_aims_given_twice_are_refused() -> None:
    with pytest.raises(InputError, match="about yahtzee"):
        scores(Greed())
    with pytest.raises(InputError, match="give it once"):
        scores(dataclasses.replace(SMALL, aim="reach:9"), aims="mean")


def test_too_many_dice_are_refused_at_once() -> None:
    with pytest.raises(LimitError, match="choose fewer dice or sides"):
        scores_of(Yahtzee("official", boxes=("ones",), dice=8, sides=12))


def test_the_command(tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("DICEWISE_CACHE_DIR", str(tmp_path))
    words = "study scores yahtzee --boxes ones,yahtzee --dice 2 --targets 30 --json --quiet"
    assert main(words.split()) == 0
    assert json.loads(capsys.readouterr().out)["aims"] == ["mean"]


@pytest.mark.slow
def test_published_distribution() -> None:
    found = scores_of(Yahtzee("free-joker"))
    end = found.distribution()
    assert float(end.mean()) == pytest.approx(254.58960948196, abs=1e-8)
    assert end.sd() == pytest.approx(59.611, abs=1e-3)
    assert found.bonus == pytest.approx(0.68118093, abs=5e-9)
    for target, chance in ((200, 0.86358503), (250, 0.48369316), (300, 0.14326577)):
        assert float(end.at_least(target)) == pytest.approx(chance, abs=5e-9)
    assert scores_of(Yahtzee("no-bonus")).distribution().sd() == pytest.approx(39.820, abs=1e-3)
