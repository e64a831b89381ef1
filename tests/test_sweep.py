"""Sweeps: every number is what solving that one ruleset gives, whatever is asked and however it is printed."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import shutil
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dicewise import Greed, InputError, evaluate, solve
from dicewise.chart import Bars, Grid, Plane
from dicewise.cli import main
from dicewise.games import find_game
from dicewise.study import kept
from dicewise.study.result import Study, Table
from dicewise.study.rulesets import read_rulesets
from dicewise.study.sweep import MEASURES, answer, solve_one, sweep
from dicewise.study.work import Work
from test_rulesets import RULES


def swept(game: str, of: str = "value", **options: Any) -> Study:
    return sweep(read_rulesets(game, {}), of=of, **options)


# ---- numbers


@pytest.mark.parametrize("game", ["greed(max=5:9,sides=3)", "pig(target=4:6)", "hold-dice(dice=1:2,sides=3)"])
def test_every_measure_is_that_of_the_ruleset(game: str) -> None:
    rulesets = read_rulesets(game, {})
    alone = rulesets.games[0].players == 1
    for of in MEASURES:
        if alone and of in ("win", "tie", "lose"):
            with pytest.raises(InputError, match="alone nobody wins"):
                sweep(rulesets, of=of)
            continue
        column = sweep(rulesets, of=of).table("rulesets").columns[of]
        for each, number in zip(rulesets.games, column, strict=True):
            start, solution = each.start(), solve(each)
            played = evaluate(each, solution)
            if of == "margin":
                losses = [choice.loss for choice in solution.choices(start)]
                assert number == (None if len(losses) == 1 else pytest.approx(min(x for x in losses if x > 0)))
                continue
            ends = played.outcomes()
            wanted = {
                "value": solution.value(start),
                "states": solution.report.states,
                "moves": played.moves,
                "decisions": played.decisions,
                "sd": math.sqrt(
                    sum(p * (t[0] - float(played.values[0])) ** 2 for t, p in ends.items())  # type: ignore[misc]
                ),
                "win": sum(p for t, p in ends.items() if len(t) > 1 and t[0] > t[1]),
                "tie": sum(p for t, p in ends.items() if len(t) > 1 and t[0] == t[1]),
                "lose": sum(p for t, p in ends.items() if len(t) > 1 and t[0] < t[1]),
            }[of]
            assert number == pytest.approx(float(wanted), abs=1e-12), (each.spec, of)


@pytest.mark.parametrize("of", ["value", "margin", "moves", "win", "lose"])
def test_exact_numbers_are_fractions(of: str) -> None:
    columns = swept("greed(max=4:6,sides=2)", of, exact=True).table("rulesets").columns
    for top, number, exact in zip(columns["max"], columns[of], columns["exact"], strict=True):
        solution = solve(Greed(top, 2), exact=True)
        played = evaluate(Greed(top, 2), solution, exact=True)
        choices = solution.choices(solution.game.start())
        wanted = {
            "value": solution.value(solution.game.start()),
            "margin": min((choice.loss for choice in choices if choice.loss), default=0),
            "moves": played.moves,
            "win": played.distribution().get(1, 0),
            "lose": played.distribution().get(-1, 0),
        }[of]
        assert Fraction(exact) == wanted
        assert number == float(wanted)


def test_what_the_game_itself_says_of_its_best_action() -> None:
    columns = swept("greed(max=20:22)", "bust", at="15 17").table("rulesets").columns
    for top, bust in zip(columns["max"], columns["bust"], strict=True):
        solution = solve(Greed(top))
        state = solution.game.at(15, 17)
        assert bust == solution.details(state, solution.action(state))["bust"]


def test_players_are_counted_from_the_mover() -> None:
    first, second = (swept("greed(max=6:9,tie=1)", player=player).table("rulesets") for player in (1, 2))
    for at, top in enumerate(range(6, 10)):
        values = solve(Greed(top, tie=1)).values(Greed(top, tie=1).start())
        assert (first.columns["value"][at], second.columns["value"][at]) == values
    mine, other = (swept("greed(max=6:9)", "win", player=player).table("rulesets") for player in (1, 2))
    lost = swept("greed(max=6:9)", "lose").table("rulesets")
    assert list(other.columns["win"]) == pytest.approx(list(lost.columns["lose"]))
    assert list(mine.columns["win"]) != list(other.columns["win"])
    three = swept("greed(max=3:4,sides=2,players=3)", player=3).table("rulesets")
    game = find_game("greed(max=4,sides=2,players=3)")
    assert three.columns["value"][1] == pytest.approx(float(solve(game).values(game.start())[2]))


def test_a_position_that_some_rulesets_do_not_have() -> None:
    study = swept("greed(max=10:14)", at="12 11")
    table = study.table("rulesets")
    assert [value is None for value in table.columns["value"]] == [True, True, False, False, False]
    assert [row[1] for row in table.printed()][:2] == ["-", "-"]
    assert study.findings[-1] == "2 rulesets do not have the position '12 11'."
    (panel,) = study.chart.panels  # type: ignore[union-attr]
    assert isinstance(panel, Plane)
    assert [math.isnan(y) for y in panel.series[0].y] == [True, True, False, False, False]
    with pytest.raises(InputError, match="90"):
        swept("greed(max=10:14)", at="90 11")
    over = swept("pig(target=4:5)", "margin")
    assert over.findings[-1] == "In 2 rulesets there is nothing to choose there."


def test_findings() -> None:
    study = swept("greed(max=20:24,sides=2)")
    values = study.table("rulesets").columns["value"]
    assert f"goes from {min(values):.6g} (max {20 + values.index(min(values))})" in study.findings[0]
    assert swept("pig(target=4:6)", "states").findings[1] == "It rises all the way with target."
    assert swept("greed(max=1:3)").findings == ["Over 3 rulesets the value of the start is 0 everywhere."]
    mixed = swept("greed(max=20,sides=2:3)").findings
    assert mixed[1] == "It is below 0 in 1 of them."


@pytest.mark.parametrize(
    ("game", "options", "message"),
    [
        ("greed", {}, "over one or two parameters, not none"),
        ("greed(max=3:4,sides=2:3,tie='0,1')", {}, "not max, sides, tie"),
        ("greed(max=3:4)", {"of": "wni"}, "'wni' is not known of .*bust; did you mean 'win'"),
        ("greed(max=3:4)", {"of": "action"}, "'action' is not known"),
        ("greed(max=3:4)", {"player": 3}, "player 3 is not at the table .*1 to 2"),
        ("greed(max=3:4)", {"player": 0}, "player 0 is not at the table"),
    ],
)
def test_what_is_refused(game: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        swept(game, **options)


# ---- games of one's own


def test_a_game_of_ones_own_is_kept_until_it_changes(tmp_path: Path) -> None:
    path, folder = tmp_path / "rules.py", tmp_path / "kept"
    for payoff, answers in ((20, 5), (20, 5), (30, 10)):
        path.write_text(RULES.replace("20", str(payoff)), encoding="utf-8")
        rulesets = read_rulesets(f"{path}:Countdown(stones=4:8)", {})
        values = sweep(rulesets, work=Work(folder=folder)).table("rulesets").columns["value"]
        assert values == [payoff - 0.5 * -(-stones // 2) for stones in range(4, 9)]
        assert kept.count(folder)[0] == answers


def test_a_file_that_is_changed_meanwhile_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "rules.py"
    path.write_text(RULES, encoding="utf-8")
    from dicewise.store import key_of
    from dicewise.study.rulesets import recipe_of

    game = find_game(f"{path}:Countdown")
    question = {"of": "value", "at": "", "player": 1, "exact": False}
    item = [recipe_of(game), key_of(game), question]
    assert solve_one(item) == answer(game, question)
    path.write_text(RULES.replace("20", "30"), encoding="utf-8")
    with pytest.raises(InputError, match="was changed while the study ran"):
        solve_one(item)


# ---- charts


@pytest.mark.parametrize(
    ("game", "kind"),
    [
        ("greed(max=5:9)", Plane),
        ("greed(max=5:9,sides=2:4)", Grid),
        ("greed(max=5:9,sides='2,3,6')", Plane),
        ("greed(max=9,die='1,2;1,1,4')", Bars),
        ("greed(max=5:9,die='1,2;1,1,4')", Plane),
        ("coin-ladder(prizes='1,4;1,5;2',coins=2)", Bars),
        ("greed(max=9,die='1,2;1,1,4',win='1,2')", Plane),
        ("pig(target=5,die='1,2;1,1,4',bust='1;1')", Bars),
    ],
)
def test_the_chart_has_every_number(game: str, kind: type) -> None:
    study = swept(game)
    (panel,) = study.chart.panels  # type: ignore[union-attr]
    assert isinstance(panel, kind)
    values = sorted(study.table("rulesets").columns["value"])
    if isinstance(panel, Plane):
        drawn = [y for series in panel.series for y in series.y]
    elif isinstance(panel, Grid):
        drawn = panel.cells.ravel().tolist()
        assert panel.cells[-1, 0] == solve(Greed(9, 2)).value(Greed(9, 2).start())
    else:
        drawn = list(panel.values)
    assert sorted(drawn) == values
    assert study.chart is not None
    assert study.chart.caption[0] == study.game


# ---- the command

ROW = ["study", "sweep", "greed", "--max", "20:24:2"]
SQUARE = [*ROW, "--sides", "2:4"]


def test_forms_agree(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SQUARE, "--json", "--exact"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["schema"] == 1
    assert content["game"] == "greed(max=20:24:2,sides=2:4)"
    assert main([*SQUARE, "--format", "csv", "--exact"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [{key: str(value) for key, value in row.items()} for row in content["rulesets"]] == rows
    assert main([*SQUARE, "--format", "csv", "--table", "grid"]) == 0
    grid = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    for row in rows:
        (line,) = [line for line in grid if line["max"] == row["max"]]
        assert float(line[f"sides={row['sides']}"]) == pytest.approx(float(row["value"]), abs=1e-12)


def test_tables_are_small_and_fit(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "get_terminal_size", lambda *_: os.terminal_size((80, 24)))
    for words in (
        ["greed", "--max", "3:40"],
        ["greed", "--max", "3:30", "--sides", "2:12"],
        ["greed", "--max", "9", "--sides", "2:12", "--tie", "-1:1:0.125"],
        ["greed", "--max", "9,10", "--die", "1,2;1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16"],
        ["greed", "--max", "4:6", "--sides", "2:3", "--of", "states"],
    ):
        assert main(["study", "sweep", *words]) == 0
        out = capsys.readouterr().out
        table = out.split("\n\n")[1].splitlines()[1:]
        assert max(map(len, table)) <= 80, out
        assert len(table) <= 26


def test_negative_numbers_get_through(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "sweep", "greed", "--max", "9", "--tie", "-1:1:0.5", "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["tie"] for row in rows] == ["-1", "-1/2", "0", "1/2", "1"]


def test_help_has_the_studys_options_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "sweep", "greed", "--help"]) == 0
    out = capsys.readouterr().out
    places = [
        out.index(word) for word in ("--of ", "--exact ", "--max ", "--players ", "--format ", "--json ", "--help ")
    ]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([*ROW, "--table", "rows", "--format", "csv"], "no table 'rows'; it has: rulesets, grid"),
        ([*ROW, "--table", "grid"], "add --format csv"),
        ([*ROW, "-o", "x.txt"], "must end in .csv"),
        ([*ROW, "-o", "no/such/folder/x.csv"], "cannot write"),
        ([*ROW, "-o", "no/such/folder/x.png"], "cannot write"),
        ([*ROW, "--json", "--format", "csv"], "give one of them"),
        ([*ROW, "--jobs", "0"], "--jobs"),
        ([*ROW, "--at", "99 99"], "99"),
        (["study", "sweep", "greed", "--max", "5:1"], "cannot be read"),
    ],
)
def test_refused_before_any_work(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(*_: Any, **__: Any) -> None:
        raise AssertionError("work was done")

    monkeypatch.setattr("dicewise.study.work.Work.map", work)
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert message in err
    assert err.count("\n") == 1
    assert not out


def test_a_table_that_this_sweep_has_not(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ROW, "--table", "grid", "--format", "csv"]) == 2
    assert "no table 'grid'; it has: rulesets" in capsys.readouterr().err


def test_files_of_several_kinds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = [tmp_path / name for name in ("a.csv", "a.png", "a.svg")]
    assert main([*SQUARE, *(word for name in names for word in ("-o", str(name)))]) == 0
    assert sorted(tmp_path.iterdir()) == names
    assert capsys.readouterr().err.count("wrote") == 3
    assert "greed(max=20:24:2,sides=2:4)" in names[2].read_text(encoding="utf-8")


def test_a_file_that_is_named_twice_is_written_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ROW, "-o", f"{tmp_path}/a.csv", "-o", f"{tmp_path}/./a.csv"]) == 0
    assert capsys.readouterr().err.count("wrote") == 1


def test_what_is_not_kept_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "studies").write_text("no folder", encoding="utf-8")
    monkeypatch.setenv("DICEWISE_CACHE_DIR", str(tmp_path))
    assert main(ROW) == 0
    assert "answers are not kept in" in capsys.readouterr().err
    monkeypatch.setenv("DICEWISE_CACHE_LIMIT", "0")
    assert main(ROW) == 0
    assert not capsys.readouterr().err


def test_the_cache_knows_the_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DICEWISE_CACHE_DIR", str(tmp_path))
    assert main(ROW) == main(["solve", "greed", "--max", "5", "--quiet"]) == 0
    (file,) = (tmp_path / "studies").iterdir()
    size = file.stat().st_size
    capsys.readouterr()
    assert main(["cache", "list"]) == main(["cache", "list", "--json"]) == 0
    words, _, content = capsys.readouterr().out.partition("{")
    assert "3 answer(s) of studies" in words
    assert json.loads("{" + content)["studies"] == {"answers": 3, "bytes": size}
    assert main(["cache", "clear", "greed(max=5,sides=6)"]) == 0
    assert file.exists()
    capsys.readouterr()
    assert main(["cache", "clear", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["studies"] == {"answers": 3, "bytes": size}
    assert not file.exists()


# ---- results


def test_nothing_is_printed_without_a_minus() -> None:
    forms = ("{}", "{:.6f}", "{:+.6f}", "{:+.1e}", "{:.1%}", "{:.3g}", "{:+.2f}")
    values = (-0.0, -1e-300, -0.04, Fraction(-1, 10**9), -10, -math.inf)
    table = Table("rows", "", dict.fromkeys(forms, values), {form: form for form in forms})
    printed = dict(zip(forms, zip(*table.printed(), strict=True), strict=True))
    assert printed["{}"][0] == "0.0"
    assert printed["{:.6f}"] == ("0.000000", "0.000000", "-0.040000", "0.000000", "-10.000000", "-inf")
    assert printed["{:+.6f}"][:3] == ("+0.000000", "+0.000000", "-0.040000")
    assert printed["{:+.1e}"][:3] == ("+0.0e+00", "-1.0e-300", "-4.0e-02")
    assert printed["{:.1%}"][:3] == ("0.0%", "0.0%", "-4.0%")
    assert printed["{:.3g}"][:3] == ("0", "-1e-300", "-0.04")
    assert printed["{:+.2f}"][3:] == ("+0.00", "-10.00", "-inf")


def test_results_that_contradict_themselves() -> None:
    table = Table("rows", "", {"a": [1, math.inf]}, {"a": "{}"})
    with pytest.raises(ValueError, match="lengths"):
        Table("rows", "", {"a": [1], "b": []}, {})
    for tables, facts in (([], {}), ([table, table], {}), ([table], {"rows": 1}), ([table], {"findings": 1})):
        with pytest.raises(ValueError, match="two fields of one name"):
            Study("x", "greed", tables, [], None, facts)  # type: ignore[arg-type]
    found = Study("x", "greed", [table], [], None, {"fact": [math.nan, Fraction(1, 3)]}).as_dict()
    assert found["rows"] == [{"a": 1}, {"a": None}]
    assert found["fact"] == [None, "1/3"]
