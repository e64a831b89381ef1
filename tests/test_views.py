"""Every view shows what its name says, of all rulesets, with title, axes, ruleset and words."""

from __future__ import annotations

import json
import shlex
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from dicewise import InputError, find_game, plot, solve
from dicewise.chance import total_of
from dicewise.chart import Chart, Grid, Plane
from dicewise.cli import main
from dicewise.games.greed import Greed
from dicewise.games.greed.solution import GreedSolution, solve_fast
from dicewise.plot.boards import CERTAIN, DEAD, FORFEIT, OPEN, last_kinds

RULESETS = [
    Greed(1, 6),
    Greed(12, 4),
    Greed(30, 6),
    Greed(20, die="1,1,2,3,5,8", tie=-1),
    Greed(3, die="5,6,6"),
    Greed(15, die="1:9,100:1"),
    Greed(10, 3, win=10, tie=2, lose=-2.5),
    Greed(8, 4, win=0, lose=0),
    Greed(25, 1),
]
BOARDS = [name for name, view in plot.VIEWS.items() if view.board]


@cache
def solved(game: Greed) -> GreedSolution:
    return solve_fast(game)


def grids(chart: Chart) -> list[Grid]:
    assert all(isinstance(panel, Grid) for panel in chart.panels)
    return [panel for panel in chart.panels if isinstance(panel, Grid)]


@pytest.mark.parametrize("game", RULESETS, ids=lambda game: game.spec)
@pytest.mark.parametrize("view", [name for name in plot.VIEWS if name not in ("graph", "values", "scores")])
def test_every_view_of_every_ruleset_has_all_its_words(view: str, game: Greed) -> None:
    chart = plot.chart(solved(game), view, **({"other": solved(Greed(12, 4))} if view == "difference" else {}))
    assert chart.title
    assert chart.words
    assert game.spec in " ".join(chart.caption)
    assert "dicewise " in " ".join(chart.caption)
    assert 1 <= len(chart.panels) <= 6
    for panel in chart.panels:
        assert panel.x
        if isinstance(panel, Plane):
            assert panel.y
            assert all(len(series.x) == len(series.y) > 0 for series in panel.series)
        if isinstance(panel, Grid):
            assert panel.cells.shape == (len(panel.at_x), len(panel.at_y))
            assert panel.scale or panel.kinds


@pytest.mark.parametrize("view", ["values", "scores", "reach", "slice"])
def test_every_game_has_these(view: str) -> None:
    for game in (Greed(12, 4), find_game("pig(target=4)"), find_game("coin-ladder"), Greed(4, 3, players=3)):
        assert view in plot.views_of(game)
        assert game.spec in " ".join(plot.chart(solve(game), view).caption)


def test_the_four_boards_are_the_tables() -> None:
    solution = solved(Greed(30, 6))
    payoff, last_payoff, dice, last_dice = grids(plot.chart(solution, "heatmap"))
    for view, grid, table in (
        ("payoff", payoff, solution.payoffs(False)),
        ("last-payoff", last_payoff, solution.payoffs(True)),
        ("dice", dice, solution.dice(False)),
        ("last-dice", last_dice, solution.dice(True)),
    ):
        (alone,) = grids(plot.chart(solution, view))
        assert np.array_equal(grid.cells, table)
        assert np.array_equal(alone.cells, table)
        assert alone.title == grid.title
        figure = plot.figure(solution, view)
        (panel,) = [ax for ax in figure.axes if ax.get_label() == grid.title]
        assert np.array_equal(np.asarray(panel.images[0].get_array()).T, table)
        assert (len(figure.axes) > 2) == (alone.look == "counts"), "boards of dice have rims"


@pytest.mark.parametrize(("view", "format_"), [("payoff", "{:.2f}"), ("last-dice", "{:.0f}")])
def test_small_boards_have_a_number_in_every_cell(view: str, format_: str) -> None:
    for game in (Greed(12, 4), Greed(25, 1), Greed(10, 3, win=10, tie=2, lose=-2.5)):
        (grid,) = grids(plot.chart(solved(game), view))
        assert grid.numbers == format_
        (panel, *_) = plot.figure(solved(game), view).axes
        found = {text.get_position(): text.get_text().replace("−", "-") for text in panel.texts}
        assert len(found) == (game.max + 1) ** 2
        for (a, q), value in np.ndenumerate(grid.cells):
            assert float(found[a, q]) == pytest.approx(value, abs=0.0501 if game.win == 10 else 0.00501)
    assert grids(plot.chart(solved(Greed(30, 6)), view))[0].numbers == ""


# ---- differences


def test_a_difference_is_the_first_minus_the_other() -> None:
    one, two = solved(Greed(12, 4)), solved(Greed(12, 4, tie=-1))
    chart = plot.chart(one, "difference", other=two)
    for grid, first, second in zip(
        grids(chart),
        (one.payoffs(False), one.payoffs(True), one.dice(False).astype(float), one.dice(True).astype(float)),
        (two.payoffs(False), two.payoffs(True), two.dice(False).astype(float), two.dice(True).astype(float)),
        strict=True,
    ):
        assert np.array_equal(grid.cells, np.subtract(first, second))
        assert list(grid.at_x) == list(grid.at_y) == list(range(13))
        assert grid.look == "diverging"
    assert chart.title == "greed(max=12,sides=4) minus greed(max=12,sides=4,tie=-1)"
    assert "aligned" not in " ".join(chart.caption)


def test_different_maxima_are_aligned_by_points_to_go_and_it_is_said() -> None:
    one, two = solved(Greed(30, 6)), solved(Greed(12, 4))
    for first, second, sign in ((one, two, 1), (two, one, -1)):
        chart = plot.chart(first, "difference", other=second)
        payoff = grids(chart)[0]
        assert list(payoff.at_x) == list(range(-12, 1))
        for to_go in ((0, 0), (12, 3), (1, 12)):
            a, q = (30 - points for points in to_go)
            b, r = (12 - points for points in to_go)
            wanted = sign * (one.payoffs()[a, q] - two.payoffs()[b, r])
            assert payoff.cells[12 - to_go[0], 12 - to_go[1]] == pytest.approx(wanted, abs=1e-15)
        assert "aligned by points to go" in " ".join(chart.caption)
        assert "minus the maximum" in payoff.x


def test_a_difference_needs_another() -> None:
    with pytest.raises(InputError, match="a difference is of two rulesets"):
        plot.chart(solved(Greed(12, 4)), "difference")


# ---- regions


@pytest.mark.parametrize("game", RULESETS, ids=lambda game: game.spec)
def test_what_is_certain_is_certain(game: Greed) -> None:
    """By trying every number of dice: does some roll win whatever it shows?"""
    solution = solved(game)
    kinds = last_kinds(solution)
    for a in range(game.max + 1):
        for q in range(game.max + 1):
            sure = any(
                all(q < a + total <= game.max for total in total_of(n, game.dice).outcomes)
                for n in range(game.max - a + 1)
            )
            tied = a == q and solution.action(game.at(a, q, last=True)) == 0
            wanted = FORFEIT if a > q else DEAD if tied else CERTAIN if sure else OPEN
            assert kinds[a, q] == wanted, (a, q)


def test_the_tied_tiles_of_the_paper() -> None:
    normal, last = grids(plot.chart(solved(Greed(100, 6)), "regions"))
    for grid in (normal, last):
        assert [(int(a), int(q)) for a, q in np.argwhere(grid.cells == DEAD)] == [(n, n) for n in range(97, 101)]
    assert last.kinds[FORFEIT] == "forfeit: 5,050"
    assert sum(int(kind.split(": ")[1].replace(",", "")) for kind in last.kinds) == 101**2


# ---- where play goes


def test_reach_is_that_of_the_tables() -> None:
    normal, last = grids(plot.chart(solved(Greed(30, 6)), "reach"))
    assert normal.cells[0, 0] == 1
    assert np.isnan(normal.cells[1, 1])
    assert np.nansum(last.cells) <= 1
    assert normal.look == last.look == "log"
    assert normal.limits == last.limits


def test_reach_of_other_games_and_of_more_players() -> None:
    for game in (find_game("pig(target=5)"), Greed(4, 3, players=3)):
        assert "reach" in plot.views_of(game)
        assert game.spec in " ".join(plot.chart(solve(game), "reach").caption)


# ---- dice


def test_totals_are_those_of_the_dice() -> None:
    (panel,) = plot.totals_chart(Greed(100, 6)).panels
    assert isinstance(panel, Plane)
    assert [series.label for series in panel.series] == ["2 dice", "3 dice", "4 dice"]
    two = dict(zip(panel.series[0].x, panel.series[0].y, strict=True))
    assert two == {total: pytest.approx((6 - abs(total - 7)) / 36) for total in range(2, 13)}
    assert all(sum(series.y) == pytest.approx(1) for series in panel.series)
    (panel,) = plot.totals_chart(Greed(100, die="1:9,100:1", players=4), [1]).panels
    assert isinstance(panel, Plane)
    assert (panel.series[0].label, panel.series[0].x, panel.series[0].y) == ("1 die", [1, 100], [0.9, 0.1])
    for counts in ([], [0], list(range(1, 9)), [2001]):
        with pytest.raises(InputError, match=r"counts .* are not allowed; give up to 6 numbers of dice"):
            plot.totals_chart(Greed(), counts)


@pytest.mark.parametrize(("last", "best"), [(False, 3), (True, 0)])
def test_a_slice_has_every_number_of_dice(last: bool, best: int) -> None:
    solution = solved(Greed(100, 6))
    state = solution.game.at(85, 70, last=last)
    worth, ends = plot.chart(solution, "slice", at=state).panels
    assert isinstance(worth, Plane)
    assert isinstance(ends, Plane)
    values, marked = worth.series
    assert values.x == [0, 1, 2, 3, 4, 5]
    choices = {choice.action: choice.value for choice in solution.choices(state)}
    assert values.y == [choices[n] for n in range(6)]
    assert (marked.x, marked.y) == ([best], [max(values.y)])
    win, tie, lose, bust = (np.array(series.y) for series in ends.series)
    assert win + tie + lose == pytest.approx(np.ones(6))
    assert (bust <= lose + 1e-15).all()
    assert win - lose == pytest.approx(np.array(values.y))


def test_a_slice_is_at_the_start_unless_it_is_said() -> None:
    assert "active 0, queued 0, normal turn" in plot.chart(solved(Greed(12, 4)), "slice").title
    with pytest.raises(InputError, match="is over"):
        plot.chart(solved(Greed(12, 4)), "slice", at=find_game("greed(max=12,sides=4)").parse("12 3 over"))


# ---- files


def test_an_svg_of_each_view_is_small_and_can_be_read_aloud(tmp_path: Path) -> None:
    solution = solved(Greed(100, 6))
    for view in ("last-dice", "reach", "slice"):
        path = tmp_path / f"{view}.svg"
        plot.save(solution, path, view=view)
        text = path.read_text(encoding="utf-8")
        assert path.stat().st_size < 1_000_000
        chart = plot.chart(solution, view)
        assert f"<title>{chart.title}</title>" in text
        assert "<desc>" in text
        assert 'role="img"' in text
        assert "greed(max=100,sides=6)" in text


def test_a_graph_is_no_chart() -> None:
    with pytest.raises(InputError, match="view graph is a drawing, not a chart"):
        plot.chart(solve(find_game("coin-ladder")), "graph")


# ---- the command


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(words: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    code = main(shlex.split(words))
    said = capsys.readouterr()
    return code, said.out, said.err


def test_boards_asked_for_by_name_are_shown_and_the_rest_is_written(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run("plot greed --max 6 --sides 3 --view dice", capsys)
    assert (code, err, list(here.iterdir())) == (0, "", [])
    assert "Normal turns: dice to roll" in out
    for words, name in (
        ("plot greed --max 6 --sides 3", "greed_6_3.png"),
        ("plot greed --max 6 --sides 3 --view slice --at '2 3'", "greed_6_3_slice.png"),
        ("plot greed --max 6 --sides 3 --view totals --counts 1,2", "greed_6_3_totals.png"),
        ("plot greed --max 6 --sides 3 --view dice --json", "greed_6_3_dice.png"),
        ("plot pig --target 3 --view graph", "pig_target=3_sides=6_graph.png"),
    ):
        code, out, err = run(f"{words} --dpi 40", capsys)
        assert code == 0
        assert (here / name).is_file(), words
        assert json.loads(out)["output"] == name if "--json" in words else err == f"dicewise: wrote {name}\n"


def test_a_difference_by_spec_and_by_what_is_other(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = "greed(max=6,sides=3)"
    for said, other in (
        ("sides=4", "greed(max=6,sides=4)"),
        ("die='1,1,5'", "greed(max=6,sides=3,die="),
        ("max=9,tie=-1", "greed(max=9,sides=3,tie=-1)"),
        ("greed(max=4,sides=2)", "greed(max=4,sides=2)"),
        ("greed", "greed(max=100,sides=6)"),
    ):
        code, out, err = run(f'plot "{first}" --view difference --with "{said}"', capsys)
        assert (code, err) == (0, "")
        assert f"{first} minus {other}" in " ".join(out.split())


def test_a_sweep_is_drawn(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run("plot pig --view sweep --target 2:6:2 --json -o sweep.svg", capsys)
    assert code == 0
    assert json.loads(out) | {
        "game": "pig(target=2:6:2,sides=6)",
        "view": "sweep",
        "output": "sweep.svg",
    } == json.loads(out)
    assert "<title>Value of the start by target</title>" in (here / "sweep.svg").read_text(encoding="utf-8")
    code, _, err = run("plot pig --view sweep --target 2:4", capsys)
    assert (code, err) == (0, "dicewise: wrote pig_sweep.png\n")


def test_chances_of_nothing_and_differences_of_dice_are_plain() -> None:
    notes = [note for panel in plot.chart(solve(Greed(5, 1)), "scores").panels for note in panel.notes]  # type: ignore[union-attr]
    assert "0%" in notes
    assert not [note for note in notes if "e" in note]
    figure = plot.figure(solve(Greed(6, 6)), "difference", other=solve(Greed(6, 4)))
    figure.draw_without_rendering()
    bars = [ax for ax in figure.axes if ax.get_label() == "scale" and ax.get_ylabel() == "difference of dice"]
    assert bars
    assert all(float(tick).is_integer() for ax in bars for tick in ax.get_yticks())
