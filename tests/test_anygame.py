"""Charts of any game say what the solution and the engine say, for every kind of game."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dicewise import Game, Greed, InputError, LimitError, Pig, Solution, Yahtzee, evaluate, find_game, solve
from dicewise._version import __version__
from dicewise.chart import Bars, Chart, Plane
from dicewise.engine.reach import reach
from dicewise.games.yahtzee.distribution import scores_of
from dicewise.plot import anygame
from dicewise.plot.anygame import reach_chart, scores_chart, slice_chart, values_chart
from dicewise.plot.charts import draw
from small_games import Nim, RotatedNim, Table, Walk

EXAMPLES = Path(__file__).parents[1] / "examples"
TEAM = Table(2, ((0, (((1, 1, 0), (1, 2, 0)), ((1, 2, 1),))), (1, (((1, 3, 0),),))), (5, 0))
GAMES: dict[str, Game[Any, Any]] = {
    "coin ladder": find_game("coin-ladder"),
    "hold dice": find_game("hold-dice(dice=2,sides=4)"),
    "pig": find_game("pig(target=12)"),
    "pig alone": find_game("pig(target=12,players=1)"),
    "greed": Greed(12, 3),
    "greed, a tie is a loss": Greed(12, 3, tie=-1),
    "greed for three": Greed(5, 2, players=3),
    "race": find_game(f"{EXAMPLES}/race.py:Race", target="8"),
    "shut the box": find_game(f"{EXAMPLES}/shut_the_box.py:ShutTheBox", tiles="5"),
    "nim": Nim(6),
    "rotated nim": RotatedNim(6),
    "walk": Walk(),
    "team": TEAM,
}
VIEWS: dict[str, Any] = {
    "values": values_chart,
    "scores": scores_chart,
    "reach": reach_chart,
    "slice": lambda solution: slice_chart(solution, solution.game.start()),
}


@cache
def solved(name: str) -> Solution[Any, Any]:
    return solve(GAMES[name])


@cache
def chart(name: str, view: str) -> Chart:
    return VIEWS[view](solved(name))  # type: ignore[no-any-return]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_every_chart(name: str, view: str) -> None:
    found = chart(name, view)
    assert 1 <= len(found.panels) <= 6
    assert found.caption[0] == GAMES[name].spec
    assert found.caption[-1] == f"dicewise {__version__}"
    assert GAMES[name].spec in found.words
    assert all(sentence in found.words for sentence in found.caption[1:-1])
    said = "est play takes " in " ".join(found.caption)
    assert said == (view in ("scores", "reach") or solved(name).report.interests == "each for itself")


@pytest.mark.parametrize(
    ("name", "view"), [("greed for three", "scores"), ("pig", "reach"), ("shut the box", "values")]
)
def test_they_can_be_drawn(name: str, view: str) -> None:
    found = chart(name, view)
    figure = draw(found)
    assert len([axes for axes in figure.axes if str(axes.get_label()).startswith("panel")]) == len(found.panels)


# ---- values


@pytest.mark.parametrize("name", GAMES)
def test_values_are_those_of_all_states(name: str) -> None:
    solution = solved(name)
    values = np.array([float(solution.value(state)) for state in solution.states()])
    assert np.array_equal(solution.worths(), values)
    panel = chart(name, "values").panels[0]
    assert isinstance(panel, Plane)
    (series,) = panel.series
    assert sum(series.y) == pytest.approx(1)
    assert min(series.x) <= values.min() + 1e-9 + np.ptp(values) / 50
    mean = float(np.dot(series.x, series.y))
    assert mean == pytest.approx(values.mean(), abs=1e-9 + np.ptp(values) / 50)
    assert panel.marks[0].at == float(solution.value(solution.game.start()))


def test_exact_values_are_the_same() -> None:
    exact = solve(GAMES["coin ladder"], exact=True)
    assert exact.worths().tolist() == solved("coin ladder").worths().tolist()
    assert values_chart(exact).panels[0] == chart("coin ladder", "values").panels[0]


def test_good_actions_are_counted() -> None:
    panel = chart("coin ladder", "values").panels[1]
    assert isinstance(panel, Bars)
    found = dict(zip(panel.labels, panel.values, strict=True))
    assert found == {"nothing to choose": 2, "one best action": 1, "all actions as good": 3}


def test_large_games_are_quick_as_their_values_are_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    solution = solve(Greed(200, 6))

    def refuse(self: object, state: object) -> None:
        raise AssertionError("asked state by state")

    monkeypatch.setattr(type(solution), "choices", refuse)
    found = values_chart(solution)
    assert len(found.panels) == 1
    assert "80,802 states" in found.words


# ---- scores


@pytest.mark.parametrize("name", GAMES)
def test_scores_are_those_of_the_evaluated_policy(name: str) -> None:
    solution, found = solved(name), chart(name, "scores")
    game = solution.game
    played = evaluate(game, solution)
    assert len(found.panels) == (1 if solution.report.interests == "team" else game.players)
    for seat, panel in enumerate(found.panels):
        wanted = {float(total): float(chance) for total, chance in played.distribution(seat).items()}
        if isinstance(panel, Plane):
            (series,) = panel.series
            assert panel.marks[0].at == pytest.approx(float(played.distribution(seat).mean()))
            assert list(series.y) == pytest.approx([wanted[total] for total in series.x], abs=1e-12)
            assert sum(series.y) == pytest.approx(1, abs=3 * anygame.TAIL)
        else:
            assert isinstance(panel, Bars)
            shown = list(panel.values)
            if name == "greed, a tie is a loss":
                shown = [shown[0] + shown[1], shown[2]]
            # what cannot be is drawn with a chance of 0
            assert [chance for chance in shown if chance] == pytest.approx(list(wanted.values()), abs=1e-12)


def test_totals_of_all_sizes_are_put_together() -> None:
    endings = [anygame.Ending("", float(total), 1 / 500) for total in range(500)]
    panel, left_out = anygame._ending_panel("", endings, 249.5)
    assert isinstance(panel, Plane)
    assert len(panel.series[0].x) == anygame.BINS
    assert sum(panel.series[0].y) == pytest.approx(1)
    assert left_out == 0
    tailed = [anygame.Ending("", float(total), 2.0**-total) for total in range(1, 80)]
    panel, left_out = anygame._ending_panel("", tailed, 2.0)
    assert isinstance(panel, Plane)
    assert left_out == pytest.approx(1 - sum(panel.series[0].y))
    assert 0 < left_out <= anygame.TAIL


def test_games_that_pay_two_things_need_not_be_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*given: object, **more: object) -> None:
        raise AssertionError("followed")

    solution = solve(Pig(12))
    monkeypatch.setattr(anygame, "evaluate", refuse)
    first, second = scores_chart(solution).panels
    assert isinstance(first, Bars)
    assert isinstance(second, Bars)
    assert first.values[1] == pytest.approx(float(solution.value(solution.game.start())))
    assert list(second.values) == pytest.approx(list(first.values)[::-1])


@pytest.mark.parametrize("view", [scores_chart, reach_chart])
def test_games_too_large_to_follow_are_refused(view: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anygame, "MOST_FOLLOWED", 5)
    with pytest.raises(LimitError, match="comes to more than 5 states, too many to be followed; choose smaller"):
        view(solved("shut the box"))


def test_many_players_are_shown_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anygame, "MOST_PLAYERS", 2)
    found = scores_chart(solved("greed for three"))
    assert len(found.panels) == 2
    assert "The first 2 of 3 players are shown." in found.caption


# ---- reach


@pytest.mark.parametrize("name", GAMES)
def test_reach_is_that_of_the_engine(name: str) -> None:
    solution, found = solved(name), chart(name, "reach")
    wanted = reach(solution.game, solution)
    likely, many = found.panels
    assert isinstance(likely, Bars)
    assert isinstance(many, Bars)
    certain = int((wanted.chances > 1 - 1e-9).sum())
    assert sum(many.values) == max(solution.report.states, len(wanted.states))
    assert dict(zip(many.labels, many.values, strict=True))["always"] == certain
    others = sorted(wanted.chances.tolist(), reverse=True)[certain : certain + anygame.LIKELIEST]
    if others:
        assert list(likely.values) == pytest.approx(others, abs=1e-11)


def test_states_stand_beside_what_is_done_there() -> None:
    likely = chart("coin ladder", "reach").panels[0]
    assert isinstance(likely, Bars)
    assert (list(likely.labels), list(likely.values), list(likely.notes)) == (["rung 1: take"], [0.25], ["25.0%"])


# ---- slice


@pytest.mark.parametrize("name", GAMES)
def test_a_slice_lists_the_choices(name: str) -> None:
    solution = solved(name)
    for state in list(solution.states())[:20]:
        found, choices = slice_chart(solution, state), solution.choices(state)
        assert len(found.panels) == (2 if len(choices) > 1 else 1)
        values, *losses = found.panels
        assert isinstance(values, Bars)
        assert list(values.values) == [float(choice.value) for choice in choices][: anygame.MOST_ACTIONS]
        assert list(values.chosen) == [at for at, choice in enumerate(choices) if choice.loss == 0]
        for panel in losses:
            assert isinstance(panel, Bars)
            assert list(panel.values) == [float(choice.loss) for choice in choices][: anygame.MOST_ACTIONS]


def test_a_slice_reads_positions_and_cuts_long_lists() -> None:
    solution = solve(Greed(200, 6))
    found = slice_chart(solution, "0 0")
    assert found.title == "Greed at 0 0"
    assert len(found.panels[0].labels) == anygame.MOST_ACTIONS  # type: ignore[union-attr]
    assert any(sentence.startswith("The best 30 of ") for sentence in found.caption)
    assert slice_chart(solution, solution.game.at(0, 0)) == found
    over = solution.game.step(solution.game.at(3, 1, last=True), 0)[0][2]
    with pytest.raises(InputError, match=r"is over at .*: there is no action to show; choose an unfinished position"):
        slice_chart(solution, over)


@pytest.mark.parametrize("view", [values_chart, scores_chart, reach_chart])
def test_a_game_that_is_over_before_it_begins_has_no_chart(view: Any) -> None:
    with pytest.raises(InputError, match="is over before it begins: there is nothing to draw"):
        view(solve(Nim(0)))


def test_final_scores_of_cards_too_large_to_go_through() -> None:
    """Yahtzee knows how its games end; the chart has the chances of the study."""
    game = Yahtzee("official", boxes=("upper", "chance", "yahtzee"), bonus_at=40)
    assert game.count_states(game.start()) > 200_000
    chart = scores_chart(solve(game))
    expected = scores_of(game).distribution()
    assert f"standard deviation {expected.sd():.4g}" in " ".join([*chart.caption, chart.words])
    made = solve(Yahtzee("official", boxes=("upper", "chance", "yahtzee"), bonus_at=40, aim="reach:90"))
    assert made.endings(made.game.start()) == {0: 1 - made.value(made.game.start()), 1: made.value(made.game.start())}
