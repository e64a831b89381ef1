"""A solution read from a CSV file is the one that was written; anything else is refused in one line."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dicewise.cli import main
from dicewise.errors import InputError
from dicewise.games.greed import Greed
from dicewise.games.greed.csv_file import _held_against_rules, read_csv
from dicewise.games.greed.rules import Position
from dicewise.games.greed.solution import solve_fast

HEAD = "active,queued,last,n,payoff"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Our own solution of a small ruleset, written by the program."""
    monkeypatch.chdir(tmp_path)
    assert main(["solve", "greed(max=6,sides=3)", "--format", "csv", "--quiet"]) == 0
    return tmp_path / "greed_6_3.csv"


def assert_same(found: object, wanted: object) -> None:
    for last in (False, True):
        assert np.array_equal(found.dice(last), wanted.dice(last))  # type: ignore[attr-defined]
        np.testing.assert_allclose(
            found.payoffs(last),  # type: ignore[attr-defined]
            wanted.payoffs(last),  # type: ignore[attr-defined]
            rtol=0,
            atol=1e-15,
        )


def test_what_was_written_is_read(file: Path) -> None:
    found = read_csv(file)
    assert found.game == Greed(6, 3)
    assert (found.report.method, found.report.error_bound) == ("read from greed_6_3.csv", None)
    assert_same(found, solve_fast(Greed(6, 3)))


def test_rows_and_columns_in_any_order(file: Path) -> None:
    _, *rows = file.read_text().splitlines()
    random.Random(3).shuffle(rows)
    turned = [",".join([*reversed(row.split(",")), "x, y".replace(", ", "")]) for row in rows]
    file.write_text("\n".join(["Payoff,N,last,Queued,active,note", "", *turned, "", ""]))
    assert_same(read_csv(file), solve_fast(Greed(6, 3)))


def test_the_file_of_an_exact_solution(file: Path) -> None:
    assert main(["solve", "greed", "--max", "6", "--sides", "3", "--exact", "--format", "csv", "--quiet"]) == 0
    assert "exact" in file.read_text().partition("\n")[0]
    assert_same(read_csv(file), solve_fast(Greed(6, 3)))


@pytest.mark.parametrize(
    "game",
    [
        Greed(9, 4, win=10, tie=Fraction(1, 3), lose=-2.5),
        Greed(9, die="1,1,2,3,5,8"),
        Greed(5, 4, tie=-1),
        Greed(5, 4, win=0, lose=0),
    ],
    ids=lambda game: game.spec,
)
def test_what_the_file_does_not_say_is_given(game: Greed, tmp_path: Path) -> None:
    solution = solve_fast(game)
    table = solution.table()
    rows = [",".join(map(str, row)) for row in zip(*(list(column) for column in table.values()), strict=True)]
    path = tmp_path / "mine.csv"
    path.write_text("\n".join([HEAD, *rows]))
    dice = {"die": game.die} if game.die else {"sides": game.sides}
    found = read_csv(path, win=game.win, tie=game.tie, lose=game.lose, **dice)
    assert found.game == game
    for last in (False, True):
        assert np.array_equal(found.dice(last), solution.dice(last))
        np.testing.assert_allclose(found.payoffs(last), solution.payoffs(last), rtol=0, atol=1e-14)


def test_nothing_is_made_up(file: Path) -> None:
    found = read_csv(file)
    assert not found.has_details
    with pytest.raises(InputError, match="payoffs and dice only"):
        found.tie_chances()


@pytest.mark.parametrize(
    "game",
    [
        Greed(12, 6),
        Greed(9, die="2,2,3,9", win=8, tie=5, lose=2),
        Greed(9, 4, tie=-1),
        Greed(5, 4, win=0, lose=0),
        Greed(1, 6),
    ],
    ids=lambda game: game.spec,
)
def test_what_follows_the_rules_is_not_doubted(game: Greed) -> None:
    solution = solve_fast(game)
    payoffs, dice = (np.stack([grid(False), grid(True)]) for grid in (solution.payoffs, solution.dice))
    states = (game.max + 1) ** 2 * (2 if game.constant_sum else 1)
    assert _held_against_rules(game, payoffs, dice) == (states, ())
    for last in (0, 1) if game.constant_sum else (1,):  # the same cell a little off
        payoffs[last, 1, 0] += 0.001
        assert Position((1, 0), 0, last) in _held_against_rules(game, payoffs, dice)[1]


@pytest.mark.parametrize(
    ("old", "new", "options", "wrong"),
    [
        ("", "", ["--sides", "2"], True),
        ("", "", ["--sides", "3", "--tie", "-1"], True),
        ("", "", ["--sides", "3"], False),
        ("\n0,0,false,2,", "\n0,0,false,0,", ["--sides", "3"], True),
        ("\n6,6,true,0,0.0", "\n6,6,true,0,0.5", ["--sides", "3"], True),
    ],
)
def test_a_file_of_other_rules_is_drawn_with_a_warning(
    old: str, new: str, options: list[str], wrong: bool, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert old in file.read_text()
    Path("mine.csv").write_text(file.read_text().replace(old, new, 1))
    capsys.readouterr()
    assert main(["plot", "greed", "--csv", "mine.csv", *options, "--view", "payoff"]) == 0
    shown = capsys.readouterr()
    assert "from mine.csv" in shown.out.replace("\n", " ")
    assert ("payoffs are wrong" in shown.out.replace("\n", " ")) is wrong
    assert ("mine.csv is not of greed(max=6," in shown.err) is wrong


def changed(old: str, new: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: "", "has no column 'active' in its first line; it must name active,queued,last,n,payoff"),
        (lambda text: HEAD, "has no rows"),
        (changed("payoff", "value"), "has no column 'payoff'"),
        (changed("active,", "active,active,"), "has no column 'active' .* each once"),
        (changed("\n6,6,true,", "\n"), r"line 99 cannot be read: '0,0.0'; scores and n are whole numbers"),
        (changed("\n3,2,false,", "\n3,2,perhaps,"), "line 19 cannot be read: '3,2,perhaps"),
        (changed("\n3,2,false,", "\n3,2.5,false,"), "line 19 cannot be read"),
        (changed("\n3,2,false,", "\n3,-2,false,"), "line 19 cannot be read"),
        (changed("\n0,0,false,2,", "\n0,0,false,2,nan\n0,0,false,2,"), "line 2 cannot be read: '0,0,false,2,nan'"),
        (changed("\n3,2,false,", "\n3,3,false,"), "more than one row for active 3, queued 3, last false"),
        (lambda text: "\n".join(text.splitlines()[:-2]), "lacks 2 of 98 states .* active 5, queued 6, last true"),
        (lambda text: text + "6,6,true,0,0.5\n", "more than one row for active 6, queued 6, last true"),
        (lambda text: text + "9,9,true,0,0\n", "named after maximum 6, and its highest score is 9"),
        (lambda text: text + "1e300,9,true,0,0\n", r"has 99 rows; with scores up to 1000\d* there are"),
        (changed("\n6,6,true,0,0.0", "\n6,6,true,0,1.5"), "payoff 1.5 for active 6, queued 6, .* --win, --tie"),
        (changed("\n6,6,true,0,", "\n6,6,true,1,"), "n 1 for active 6, queued 6, last true is not possible"),
        (changed("\n6,6,true,0,", "\n6,6,true,1e300,"), "n 1e.300 for active 6"),
        (lambda text: "\x00\x01\x02", "has no column 'active'"),
    ],
)
def test_wrong_files_are_refused_in_a_line(change: Callable[[str], str], message: str, file: Path) -> None:
    file.write_text(change(file.read_text()))
    with pytest.raises(InputError, match=message) as caught:
        read_csv(file)
    assert "greed_6_3.csv" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_bytes_that_are_no_text(file: Path) -> None:
    file.write_bytes(b"\xff\xfe\x80")
    with pytest.raises(InputError, match="is no text"):
        read_csv(file)
    file.write_bytes(HEAD.encode() + b"\n0,0,false,1,1" * 20_000 + b"\n0,0,false,\xff,1\n")
    with pytest.raises(InputError, match="line 20002 cannot be read"):
        read_csv(file)


def test_names_and_options_that_contradict_each_other(file: Path) -> None:
    with pytest.raises(InputError, match="named after 3-sided dice, and sides 8 was given"):
        read_csv(file, sides=8)
    with pytest.raises(InputError, match=r"max 7 was given, and the highest score in 'greed_6_3\.csv' is 6"):
        read_csv(file, max=7)
    with pytest.raises(InputError, match="players 3 was given"):
        read_csv(file, players=3)
    other = file.rename(file.with_name("mine.csv"))
    with pytest.raises(InputError, match=r"does not say what dice it is for; give --sides, or name it greed_6_SIDES"):
        read_csv(other)
    assert read_csv(other, sides=3).game == Greed(6, 3)
    with pytest.raises(InputError, match=r"cannot read .*: No such file"):
        read_csv(file)


def test_boards_are_drawn_from_it(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plot", "greed", "--csv", file.name, "-o", "x.svg", "--quiet"]) == 0
    assert "<title>Greed for two players, maximum 6, 3-sided dice</title>" in Path("x.svg").read_text()
    assert "from greed_6_3.csv" in Path("x.svg").read_text().partition("<desc>")[2]
    assert main(["plot", "greed", "--csv", file.name, "--view", "difference"]) == 0
    assert " ".join(capsys.readouterr().out.split()).count("no difference") == 4
    file.write_text(file.read_text().replace("\n0,0,false,2,", "\n0,0,false,3,"))
    assert main(["plot", "greed", "--csv", file.name, "--view", "difference"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "normal turns, dice to roll: 1 of 49 states differ, by up to 1 dice" in out
    assert main(["plot", "greed", "--csv", file.name, "--view", "slice"]) == 2
    assert "--csv is for boards" in capsys.readouterr().err
