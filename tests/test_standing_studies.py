"""Standing, balanced last turns, bands and spikes: held against slow, obvious twins and fractions."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from functools import cache
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from dicewise import Greed, InputError
from dicewise.chance import total_of
from dicewise.cli import main
from dicewise.engine.evaluate import best_response, evaluate
from dicewise.games.greed.exact import solve_exactly
from dicewise.games.greed.policies import Dice, rolls_of
from dicewise.games.greed.rules import Position
from dicewise.games.greed.solution import solve_fast
from dicewise.study.balanced import HALF_WITHIN, Points, band, fitted, moments, predicted
from dicewise.study.bands import Aim, explained, measured, smoother, spectrum, study_bands, waves
from dicewise.study.regard import KINDS, blind, held, price, regard_table, shares_of
from dicewise.study.result import spaced
from dicewise.study.spikes import exact_value, expected_rolls, masks, next_turn, regions, spike_table
from dicewise.study.stop import standing, study_stop

SMALL = [
    Greed(12, 3),
    Greed(14, 4),
    Greed(11, 2),
    Greed(9, 12),
    Greed(10, die="1:9,4:1"),
    Greed(8, 4, win=5, tie=3, lose=1),  # constant sum, but not 0
    Greed(9, 3, tie=-1),
    Greed(8, 4, win=5, tie=4, lose=1),
    Greed(6, 1),
    Greed(1, 6),
]


def told_again(game: Greed) -> dict[naive.State, Any]:
    return naive.greed(game.max, dict(game.dice), game.win, game.tie, game.lose)


def rolled(game: Greed, n: int) -> dict[int, Fraction]:
    return naive.totals(dict(game.dice), n)


def columns(study: Any, table: str) -> Any:
    return study.table(table).columns


# ---- how safe standing is, and when it is right


def ends_of_last_turn(game: Greed, a: int, q: int, n: int) -> tuple[Fraction, Fraction]:
    """Chances of the one who has the last turn to win and to tie."""
    chances = rolled(game, n)
    win = sum((chance for t, chance in chances.items() if q < a + t <= game.max), Fraction(0))
    return win, chances.get(q - a, Fraction(0))


@pytest.mark.parametrize("game", SMALL, ids=str)
def test_safety(game: Greed) -> None:
    truth, found = told_again(game), columns(study_stop(game), "safety")
    largest = max(face for face, _ in game.dice)
    for x in range(game.max + 1):
        others = {"start": 0, "half": game.max // 2, "behind": max(0, x - largest), "level": x}
        for name, q in others.items():
            (own, stood), best = truth[q, x, True]
            win, tie = ends_of_last_turn(game, q, x, best[0])
            assert found[f"other_{name}"][x] == q
            assert found[f"reply_{name}"][x] == best[0]
            assert found[f"wins_{name}"][x] == pytest.approx(float(win), abs=1e-12)
            assert found[f"ties_{name}"][x] == pytest.approx(float(tie), abs=1e-12)
            assert found[f"value_{name}"][x] == pytest.approx(float(stood), abs=1e-12)
            share = Fraction(own - game.lose) / Fraction(game.win - game.lose)
            assert found[f"share_{name}"][x] == pytest.approx(float(share), abs=1e-12)


def test_safety_does_not_hang_on_which_of_equal_replies_is_played() -> None:
    """Level at 27 of 30 one die wins half of the time and busts otherwise, and standing ties: equally good."""
    game = Greed(30, 6)
    exact, study = solve_exactly(game), study_stop(game)
    safety, level = study.table("safety"), [game.at(score, score, last=True) for score in range(31)]
    assert set(exact.best_actions(level[27])) == {0, 1}
    assert safety.columns["wins_level"][26:28] == pytest.approx([2 / 3, 0])
    assert safety.columns["share_level"][26:28] == pytest.approx([2 / 3, 1 / 2])
    even = next(score for score in range(31) if exact.value(level[score]) <= 0)
    assert f"at the same score has a share of at most 50% from {even} on." in study.findings[1]
    assert {name for name in safety.shown if name.startswith("wins")} == set()


@pytest.mark.parametrize("game", SMALL, ids=str)
def test_leads(game: Greed) -> None:
    truth, study = told_again(game), study_stop(game)
    scores = range(game.max + 1)
    right = {
        (a, q): truth[a, q, False][1][0] == 0 and truth[a, q, False][0][0] > game.lose for a in scores for q in scores
    }
    leads, against = columns(study, "leads"), columns(study, "against")
    for a in scores:
        stood = [q for q in scores if right[a, q]]
        assert leads["stands"][a] == bool(stood)
        up_to = next((q - 1 for q in scores if not right[a, q]), game.max)
        assert leads["up_to"][a] == (up_to if up_to >= 0 else None)
        assert leads["least_lead"][a] == (a - up_to if up_to >= 0 else None)
        assert leads["last"][a] == (stood[-1] if stood else None)
        assert leads["gaps"][a] == (stood[-1] + 1 - len(stood) if stood else 0)
    for q in scores:
        stood = [a for a in scores if right[a, q]]
        always = [a for a in scores if all(right[b, q] for b in scores if b >= a)]
        assert against["first"][q] == (stood[0] if stood else None)
        assert against["always"][q] == (always[0] if always else None)
        assert against["gaps"][q] == (game.max + 1 - stood[0] - len(stood) if stood else 0)


def test_standing_in_the_standard_ruleset() -> None:
    """The rows that have gaps are gaps in exact arithmetic, too."""
    game = Greed(100, 6)
    exact, fast = solve_exactly(game), standing(solve_fast(game))
    best = np.array([[0 in exact.best_actions(game.at(a, q)) for q in range(101)] for a in range(101)])
    assert (fast == best).all()
    torn = [a for a in range(101) if best[a].any() and not best[a][: np.flatnonzero(best[a])[-1]].all()]
    assert torn == [91, 94, 95, 96]
    assert [held(best[a]) for a in range(91, 101)] == [17, 31, 35, 30, 75, 90, 97, 98, 99, 100]


def test_panels_in_which_there_is_nothing_to_see_are_left_out() -> None:
    small, usual = study_stop(Greed(1, 6)).chart, study_stop(Greed(14, 4)).chart
    assert small is not None
    assert usual is not None
    assert [panel.title for panel in small.panels] == [usual.panels[at].title for at in (0, 1, 4)]
    assert len(usual.panels) == 6
    assert "is lost by ignoring" in usual.words
    assert "is lost by ignoring" not in small.words
    bands = study_bands([Greed(1, 6)]).chart
    assert bands is not None
    assert bands.caption[1:3] == ["There are no bands to measure.", "Nobody who is ahead is worse off."]
    assert "spectrum" not in bands.words


# ---- the band of balanced last turns


@pytest.mark.parametrize("game", SMALL, ids=str)
def test_the_band_is_where_last_turns_are_even(game: Greed) -> None:
    truth, points = told_again(game), band(solve_fast(game))
    expected = {}
    for a in range(game.max):
        edge = []
        for q in range(game.max + 1):
            n = truth[a, q, True][1][0]
            win, tie = ends_of_last_turn(game, a, q, n)
            edge.append(2 * win + tie - 1)
        q = max(q for q in range(game.max + 1) if edge[q] >= 0)
        if q < game.max:
            expected[game.max - a] = float(game.max - q - edge[q] / (edge[q] - edge[q + 1]))
    assert dict(zip(points.room.tolist(), points.width.tolist(), strict=True)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("game", [Greed(100, 6), Greed(60, 20), Greed(80, die="1,1,2,3,5,8")], ids=str)
def test_the_derivation(game: Greed) -> None:
    """Without whole dice the window that is predicted holds half of the normal distribution around its middle."""
    mean, variance = moments(game)
    assert mean == float(sum(Fraction(f * w, game.dice.total) for f, w in game.dice))
    second = sum(Fraction(f * f * w, game.dice.total) for f, w in game.dice)
    assert variance == pytest.approx(float(second) - mean**2)
    room = np.arange(1.0, game.max + 1)
    for r, whole in zip(room.tolist(), predicted(game, room).tolist(), strict=True):
        # the width W solves W = 2 z sigma sqrt(n), n mu = r + 1/2 - W / 2: by halving
        low, high = 0.0, 2 * r + 1
        for _ in range(80):
            width = (low + high) / 2
            spread = math.sqrt(variance * (r + 0.5 - width / 2) / mean)
            low, high = (width, high) if width < 2 * HALF_WITHIN * spread else (low, width)
        inside = NormalDist(0, spread)
        assert inside.cdf(width / 2) - inside.cdf(-width / 2) == pytest.approx(0.5, abs=1e-9)
        assert whole == pytest.approx(width - 0.5 + HALF_WITHIN * mean**2 / (12 * spread), abs=1e-9)


def test_the_prediction_is_near() -> None:
    for game, off in ((Greed(200, 6), 0.2), (Greed(200, 2), 0.1), (Greed(200, die="1,1,2,3,5,8"), 0.4)):
        points = band(solve_fast(game))
        far = points.room > 60
        assert np.abs(predicted(game, points.room) - points.width)[far].max() < off


def test_a_curve_is_found_again() -> None:
    game, room = Greed(100, 6), np.arange(1.0, 101)
    fit = fitted(game, Points(room, 1.5 * room**0.4))
    assert fit.power == pytest.approx(0.4)
    assert fit.factor == pytest.approx(1.5)
    assert fit.spread == pytest.approx(0, abs=1e-9)
    assert fit.points == 95
    few = fitted(game, Points(room[:12], room[:12]))
    assert few.points == 7
    assert few.power is None


def test_figures_of_the_standard_band() -> None:
    game = Greed(100, 6)
    fit = fitted(game, band(solve_fast(game)))
    assert (fit.power, fit.factor) == (pytest.approx(0.5212, abs=1e-4), pytest.approx(1.0497, abs=1e-4))
    assert fit.theory_spread is not None
    assert fit.root_spread is not None
    assert fit.theory_spread < 0.14 < 0.6 < fit.root_spread


# ---- how much the other's score matters


@given(st.lists(st.lists(st.integers(0, 4), min_size=5, max_size=5), min_size=5, max_size=5), st.integers(0, 4))
def test_ignoring(rows: list[list[int]], up_to: int) -> None:
    dice = np.array(rows)
    for kind in KINDS:
        played = blind(dice, up_to, kind)
        for a, row in enumerate(rows):
            often = max(range(5), key=lambda n: (row[: up_to + 1].count(n), -n))
            for q, n in enumerate(row):
                fixed = {"start": row[0], "often": often, "rolls": row[0] if row[0] and n else n}[kind]
                assert played[a, q] == (fixed if q <= up_to else n)


@pytest.mark.parametrize("game", SMALL, ids=str)
@pytest.mark.parametrize("kind", list(KINDS))
def test_prices_against_the_engine(game: Greed, kind: str) -> None:
    best = solve_exactly(game)
    normal, last = best.dice(False).astype(int), best.dice(True).astype(int)
    up_to = round(0.8 * game.max)
    policy, optimal = Dice(blind(normal, up_to, kind), last), Dice(normal, last)
    full = best.values(game.start())
    as_first = evaluate(game, [policy, optimal], exact=True)
    as_second = evaluate(game, [optimal, policy], exact=True)
    found = price([game.spec, up_to, kind])
    assert found["first"] == pytest.approx(float(full[0] - as_first.values[0]), abs=1e-11)
    assert found["second"] == pytest.approx(float(full[1] - as_second.values[1]), abs=1e-11)
    assert found["both"] == pytest.approx((found["first"] + found["second"]) / 2, abs=1e-12)
    if game.constant_sum:
        answers = [best_response(game, policy, player, exact=True).value(game.start()) for player in (0, 1)]
        gained = (answers[0] + answers[1] - full[0] - full[1]) / 2
        assert found["exploited"] == pytest.approx(float(gained), abs=1e-11)
    else:
        assert found["exploited"] is None
    worst = max(
        (best.value(game.at(a, q)) - evaluate(game, [policy, optimal], state=game.at(a, q), exact=True).values[0])
        for a in range(0, game.max + 1, 6)
        for q in range(0, game.max + 1, 6)
    )
    assert found["worst"] >= float(worst) - 1e-11
    a, q = map(int, found["worst_at"].split())
    there = evaluate(game, [policy, optimal], state=game.at(a, q), exact=True)
    assert found["worst"] == pytest.approx(float(best.value(game.at(a, q)) - there.values[0]), abs=1e-11)


@pytest.mark.parametrize("game", SMALL, ids=str)
def test_regard(game: Greed) -> None:
    truth, solution = told_again(game), solve_fast(game)
    scores = range(game.max + 1)
    n = {(a, q): truth[a, q, False][1][0] for a in scores for q in scores}
    found = regard_table(solution).columns
    for a in scores:
        for name, allowed in (("same_up_to", 0), ("near_up_to", 1)):
            last = next((q - 1 for q in scores if abs(n[a, q] - n[a, 0]) > allowed), game.max)
            assert found[name][a] == last
    shares = shares_of(solution)
    assert shares["same_states"] == pytest.approx(np.mean([n[a, q] == n[a, 0] for a in scores for q in scores]))
    below = [(a, q) for a in scores for q in scores if q <= 0.95 * game.max]
    assert shares["near_outside_margin"] == pytest.approx(np.mean([abs(n[a, q] - n[a, 0]) <= 1 for a, q in below]))
    assert 0 <= shares["same_turns"] <= shares["near_turns"] <= 1 + 1e-12


# ---- spikes


@pytest.mark.parametrize("game", SMALL, ids=str)
def test_spikes_are_all_there(game: Greed) -> None:
    solution = solve_fast(game, ties=True)
    edge = 2 * solve_ends(game)
    scores = range(game.max + 1)
    ahead = {(a, q) for a in scores for q in range(a) if edge[a, q] < 0}
    behind = {
        (a, q)
        for a in scores
        for q in range(a + 1, game.max + 1)
        if edge[a, q] > 0 and any(edge[a, lead] < 0 for lead in range(a + 1, q))
    }
    for kind, expected in (("ahead", ahead), ("behind", behind)):
        assert {(int(a), int(q)) for a, q in np.argwhere(masks(solution)[kind])} == expected
        parts = [region.states for region in regions(solution) if region.kind == kind]
        assert sorted(state for part in parts for state in part) == sorted(expected)
        owner = {state: number for number, part in enumerate(parts) for state in part}
        for (a, q), number in owner.items():
            assert {owner.get(near, number) for near in ((a + 1, q), (a, q + 1))} == {number}
        for part in parts:
            assert len(connected(part)) == len(part)


def connected(states: list[tuple[int, int]]) -> set[tuple[int, int]]:
    """What can be walked to from the first of them."""
    reached = {states[0]}
    while True:
        more = {(a, q) for a, q in states if {(a - 1, q), (a + 1, q), (a, q - 1), (a, q + 1)} & reached}
        if more <= reached:
            return reached
        reached |= more


def solve_ends(game: Greed) -> Any:
    """Chance to win minus chance to lose, halved, of every normal state, by playing the best n of the slow twin."""
    truth = told_again(game)
    found = np.zeros((game.max + 1, game.max + 1), dtype=object)
    for points in range(2 * game.max, -1, -1):
        for a in range(max(0, points - game.max), min(points, game.max) + 1):
            q = points - a
            n = truth[a, q, False][1][0]
            if n == 0:
                win, tie = ends_of_last_turn(game, q, a, truth[q, a, True][1][0])
                found[a, q] = -(2 * win + tie - 1) / 2
            else:
                met = [(chance, found[q, a + t]) for t, chance in rolled(game, n).items() if a + t <= game.max]
                bust = 1 - sum(chance for chance, _ in met)
                found[a, q] = -sum((chance * edge for chance, edge in met), Fraction(0)) - bust / 2
    return found


@settings(deadline=None, max_examples=25)
@given(st.sampled_from(SMALL), st.integers(0, 30), st.integers(0, 30))
def test_a_small_board_has_the_exact_value(game: Greed, lower: int, other: int) -> None:
    truth = told_again(game)
    a, q = lower % (game.max + 1), other % (game.max + 1)
    assert exact_value(game, a, q) == (None if a == q == game.max else truth[a, q, False][0][0])


@pytest.mark.parametrize("game", SMALL, ids=str)
def test_what_follows_a_roll(game: Greed) -> None:
    truth, solution = told_again(game), solve_fast(game)
    exactly = rolls_of(game).exactly

    def n(a: int, q: int, last: bool = False) -> int:
        return int(truth[a, q, last][1][0])

    def after(a: int, dice: int) -> list[tuple[int, Fraction]]:
        return [(a + t, chance) for t, chance in rolled(game, dice).items() if a + t <= game.max]

    @cache
    def rolls(a: int, q: int) -> tuple[Fraction, Fraction]:
        if n(a, q) == 0:
            return Fraction(0), Fraction(n(q, a, True) > 0)
        met = [(chance, rolls(q, x)) for x, chance in after(a, n(a, q))]
        return 1 + sum(c * both[1] for c, both in met), sum((c * both[0] for c, both in met), Fraction(0))

    for a in range(0, game.max + 1, 2):
        for q in range(game.max + 1):
            assert expected_rolls(solution, exactly, a, q) == pytest.approx([float(x) for x in rolls(a, q)], abs=1e-12)
            found = dict.fromkeys(("other_stands", "other_busts", "stands_next", "rolls_next"), Fraction(0))
            for x, chance in after(a, n(a, q)) if n(a, q) else []:
                if n(q, x) == 0:
                    found["other_stands"] += chance
                    continue
                met = after(q, n(q, x))
                found["other_busts"] += chance * (1 - sum(then for _, then in met))
                for y, then in met:
                    found["rolls_next" if n(x, y) else "stands_next"] += chance * then
            assert next_turn(solution, exactly, a, q) == pytest.approx(
                {k: float(v) for k, v in found.items()}, abs=1e-12
            )


def test_the_two_spikes_of_the_standard_ruleset() -> None:
    game = Greed(100, 6)
    rows = [row for row in spike_table(solve_fast(game)).rows() if row["kind"] == "ahead" and row["states"] > 2]
    assert [(row["at"], row["exact"]) for row in rows] == [("96 94", "-7/27"), ("91 89", "-429656711/9795520512")]
    exact = solve_exactly(game)
    for row in rows:
        a, q = map(int, row["at"].split())
        assert row["exact"] == str(exact.value(game.at(a, q)))
        assert row["stand"] == pytest.approx(-float(exact.value(game.at(q, a, last=True))), abs=1e-12)
        assert row["dice"] == exact.action(game.at(a, q))
        one = sum(
            Fraction(weight, 6) * (-exact.value(handed(q, a + t)) if a + t <= 100 else -1)
            for t, weight in total_of(1, 6)
        )
        assert row["one_die"] == pytest.approx(float(one), abs=1e-12)
    assert rows[0]["reply"] == 1
    assert rows[0]["reply_wins"] == pytest.approx(2 / 3)
    assert rows[0]["bust"] == pytest.approx(1 / 3)


def handed(active: int, queued: int) -> Position:
    return Position((active, queued))


# ---- bands


@pytest.mark.parametrize(("count", "half"), [(7, 3), (30, 4), (12, 9)])
def test_a_cubic_has_no_rest(count: int, half: int) -> None:
    at = np.arange(count) / count
    cubic = 2 - 3 * at + at**2 - 4 * at**3
    assert smoother(count, half) @ cubic == pytest.approx(cubic, abs=1e-9)


@pytest.mark.parametrize("period", [2.6, 4.0, 6.0, 7.5])
def test_a_wave_is_found_whatever_its_period(period: float) -> None:
    """The measurement would find bands one largest face apart if there were any."""
    wave = waves(solve_fast(Greed(120, 6)))
    assert wave is not None
    trend = 1 / wave.room**1.5
    rest = trend * (1 + 0.05 * np.cos(2 * np.pi * wave.room / period))
    rest = rest - smoother(len(wave.room), 7) @ rest
    size = np.sqrt(np.convolve(rest**2, np.ones(15), "same"))
    wave.even["own"][:] = rest / size
    periods = 1 / np.linspace(1 / 12, 0.5, 2000)
    assert periods[spectrum(wave, "own", periods).argmax()] == pytest.approx(period, rel=0.02)
    assert explained(wave.even["own"], wave.room / period) > 0.9


def test_the_ideal_number_of_dice() -> None:
    aim = Aim(2.3, -2.0, 3.5, 1.7)
    for dice in (1.0, 4.5, 24.0):
        room = 3.5 * dice + 2.3 * 1.7 * math.sqrt(dice) - 2.0
        assert aim.dice(np.array([room])) == pytest.approx(dice)


@pytest.mark.parametrize(("game", "low", "high"), [(Greed(100, 6), 4.0, 4.2), (Greed(150, 12), 7.4, 8.0)], ids=str)
def test_bands_are_a_die_apart(game: Greed, low: float, high: float) -> None:
    solution = solve_fast(game)
    found = measured(solution, waves(solution))
    # the spacing, counted from the policy alone
    dice = solution.dice(False)[::-1, 0].astype(int)
    changes = [room for room in range(1, game.max + 1) if dice[room] == dice[room - 1] + 1 and dice[room] > 2]
    assert found["spacing"] == pytest.approx((changes[-1] - changes[0]) / (len(changes) - 1))
    for name in ("own", "other", "diagonal"):
        assert low < found[f"{name}_period"] < high
        assert found[f"{name}_period"] == pytest.approx(found["spacing"], rel=0.05)
        assert found[f"{name}_by_dice"] > 0.6
        assert found[f"{name}_by_face"] < 0.1


def test_bands_closer_than_two_points_look_further_apart() -> None:
    solution = solve_fast(Greed(200, 2))
    found = measured(solution, waves(solution))
    assert found["spacing"] < 2 < found["seen"]
    assert found["own_period"] == pytest.approx(found["seen"], rel=0.03)


def test_values_depend_on_rooms_alone() -> None:
    small, large = solve_exactly(Greed(20, 4)), solve_exactly(Greed(31, 4))
    for a in range(21):
        for q in range(21):
            assert small.value(handed(a, q)) == large.value(handed(a + 11, q + 11))


def test_rulesets_without_bands_say_so() -> None:
    for game in (Greed(1, 6), Greed(30, 20), Greed(40, 1), Greed(30, die="1:9,100:1")):
        study = study_bands([game])
        assert "has no bands to measure" in study.findings[0]
        assert columns(study, "periods")["period"] == [None] * 3
        assert len(study.table("runs")) == 0
        assert study.chart is not None


def test_rulesets_compared() -> None:
    study = study_bands([Greed(10, 6), Greed(100, 4), Greed(100, 6)])
    assert study.findings[0] == "1 of 3 rulesets are too small to have bands."
    assert study.findings[1].startswith("In 2 of 2 rulesets")
    one = study_bands([Greed(100, 6)])
    assert columns(study, "periods")["period"][6:] == columns(one, "periods")["period"]
    assert columns(study, "periods")["deepest"][-1] == "96 94"


# ---- the commands


def test_rows_that_are_printed() -> None:
    assert spaced(0, 5) == []
    assert spaced(1, 5) == [0]
    assert spaced(4, 9) == [0, 1, 2, 3]
    assert spaced(101, 5) == [0, 25, 50, 75, 100]


@pytest.mark.parametrize("name", ["stop", "bands"])
def test_in_every_form(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["study", name, "greed", "--max", "40", "--sides", "4", "--quiet", "--jobs", "1"]
    picture = tmp_path / "figure.svg"
    assert main([*words, "-o", str(picture)]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith(f"{name}: greed(max=40,sides=4)\n")
    assert "Greed" in picture.read_text(encoding="utf-8")
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    tables = {
        "stop": ("safety", "leads", "against", "band", "regard", "ignored"),
        "bands": ("periods", "runs", "spikes"),
    }
    assert all(found[table] for table in tables[name])
    assert main([*words, "--format", "csv", "--table", tables[name][-1]]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(found[tables[name][-1]]) + 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["stop", "greed", "--players", "3"], "study stop is about greed for two players"),
        (["bands", "pig"], "study bands is about greed for two players"),
        (["stop", "greed", "--max", "10:20"], "study stop is about one ruleset, and max has several values"),
        (["stop", "greed", "--win", "0", "--lose", "0"], "nothing is at stake; choose lose < win"),
        (["bands", "greed", "--win", "0", "--lose", "0"], "nothing is at stake; choose lose < win"),
    ],
)
def test_what_is_refused(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", *words]) == 2
    assert message in capsys.readouterr().err


def test_nothing_at_stake_is_refused() -> None:
    with pytest.raises(InputError, match="nothing is at stake"):
        study_stop(Greed(10, 3, win=0, lose=0))
