"""`dicewise simulate`: figures beside the truth, pictures in plain text, files, and refusals."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dicewise import Game, Greed, HoldDice, LimitError, evaluate, find_game, simulate, solve
from dicewise.cli import simulate as simulating
from dicewise.cli.histogram import WIDTH, Bar, histogram
from dicewise.engine import distribution
from test_cli import answer, asked, assert_refused, run

SMALL = "simulate greed --max 20 --policies optimal,stand-at-17 --games 2000"
EXAMPLES = Path(__file__).parents[1] / "examples"


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


# ---- figures


def test_json_has_the_sample_and_the_truth() -> None:
    found = asked(SMALL)
    game = Greed(20)
    policies = [solve(game), game.heuristic("stand-at-17")]
    sample, truth = simulate(game, policies, 2000, 1), evaluate(game, policies)
    outcomes = truth.outcomes()
    assert (found["game"], found["games"], found["seed"], found["state"]) == ("greed(max=20,sides=6)", 2000, 1, None)
    assert (found["moves"], found["problem"]) == (sample.moves, None)
    assert [seat["policy"] for seat in found["players"]] == ["optimal", "stand-at-17"]
    for player, seat in enumerate(found["players"]):
        assert seat["mean"] == {
            "simulated": sample.means[player],
            "standard_error": sample.errors[player],
            "exact": truth.values[player],
        }
        sign = 1 if player == 0 else -1
        for measure, payoff in (("win", sign), ("tie", 0), ("lose", -sign)):
            share = sample.counts[(payoff, -payoff)] / 2000
            assert seat[measure]["simulated"] == share
            assert seat[measure]["standard_error"] == pytest.approx(math.sqrt(share * (1 - share) / 1999))
            assert seat[measure]["exact"] == pytest.approx(outcomes[payoff, -payoff])
        assert [row["total"] for row in seat["distribution"]] == [-1, 0, 1]
        assert sum(row["simulated"] for row in seat["distribution"]) == pytest.approx(1)
        assert sum(row["exact"] for row in seat["distribution"]) == pytest.approx(1)


def test_csv_says_the_same_as_json(tmp_path: Path) -> None:
    found = asked(SMALL)
    table = rows(answer(f"{SMALL} --format csv"))
    assert list(table[0]) == ["player", "policy", "measure", "total", "simulated", "standard_error", "exact"]
    for row in table:
        seat = found["players"][int(row["player"]) - 1]
        assert row["policy"] == seat["policy"]
        if row["measure"] == "share":
            (known,) = [entry for entry in seat["distribution"] if entry["total"] == float(row["total"])]
        else:
            known = seat[row["measure"]]
        assert [float(row[name]) for name in ("simulated", "standard_error", "exact")] == [
            known[name] for name in ("simulated", "standard_error", "exact")
        ]
    assert [row["measure"] for row in table if row["player"] == "2"] == ["win", "tie", "lose", "mean", *["share"] * 3]
    path = tmp_path / "games.csv"
    ran = run(SMALL, "-o", path)
    assert "wins" in ran.out
    assert ran.err == f"dicewise: wrote {path}\n"
    other = tmp_path / "games.txt"
    assert asked(f"{SMALL} --format csv -o", other)["players"] == found["players"]
    assert rows(path.read_text()) == rows(other.read_text()) == table == rows(answer(f"{SMALL} -o -"))


def test_what_people_read() -> None:
    text = answer(SMALL)
    lines = text.splitlines()
    assert lines[0] == "greed(max=20,sides=6)"
    assert re.fullmatch(r"2,000 games, seed 1, \d\.\d moves each, [\d.]+ s", lines[1])
    assert "player 1, optimal          simulated        s.e.          exact        off by" in lines
    found = asked(SMALL)["players"][1]["mean"]
    off = (found["simulated"] - found["exact"]) / found["standard_error"]
    (row,) = [line.split() for line in lines if line.split()[:1] == ["mean"] and line.split()[1].startswith("-")]
    assert row == [
        "mean",
        f"{found['simulated']:.4f}",
        f"{found['standard_error']:.4f}",
        f"{found['exact']:.6f}",
        f"{off:+.1f}",
        "s.e.",
    ]
    assert text.count("ended with:") == 1  # the other's would be its mirror image
    assert text.count("#") > 40
    assert max(map(len, lines)) < 80


def test_one_player_has_a_mean_only() -> None:
    found = asked("simulate hold-dice --games 500")
    assert set(found["players"][0]) == {"policy", "mean", "distribution"}
    assert found["players"][0]["mean"]["exact"] == pytest.approx(103369 / 7744)
    text = answer("simulate hold-dice --games 500")
    assert "wins" not in text
    assert "what optimal ended with:" in text


def test_three_players() -> None:
    words = "simulate greed --max 8 --sides 3 --players 3 --policies random,stand-at-6,random --games 400"
    found = asked(words)
    for seat in found["players"]:
        assert sum(seat[measure]["simulated"] for measure in ("win", "tie", "lose")) == pytest.approx(1)
        assert sum(seat[measure]["exact"] for measure in ("win", "tie", "lose")) == pytest.approx(1)
        assert {row["total"] for row in seat["distribution"]} >= {0, 0.5, 1}
    text = answer(words)
    assert text.count("ended with:") == 3
    assert max(map(len, text.splitlines())) < 80


def test_from_a_position() -> None:
    found = asked("simulate greed --max 20 --policies random,stand-at-17 --games 900 --from", "15 12 last")
    game = Greed(20)
    assert found["state"] == "15 12 last"
    truth = evaluate(game, [lambda state: dict.fromkeys(game.actions(state), 1)] * 2, state=game.at(15, 12, last=True))
    assert found["players"][0]["mean"]["exact"] == pytest.approx(float(truth.values[0]))
    assert (
        abs(found["players"][0]["mean"]["simulated"] - float(truth.values[0]))
        < 4 * found["players"][0]["mean"]["standard_error"]
    )
    assert answer("simulate greed --games 5 --from '85 70'").startswith("greed(max=100,sides=6) from 85 70\n")


def test_a_game_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def low(state):\n    return 1\n")
    race = EXAMPLES / "race.py"
    found = asked(f"simulate {race}:Race --target 6 --games 300 --policies random,{tmp_path / 'mine.py'}:low")
    assert found["game"] == "race(target=6)"
    assert found["players"][1]["policy"].endswith("mine.py:low")
    text = answer(f"simulate {race}:Race --target 6 --games 300 --policies random,{tmp_path / 'mine.py'}:low")
    assert all(len(line) < 80 or "mine.py" in line for line in text.splitlines())


@dataclass(frozen=True)
class Tenths(Game[int, str]):
    """Rewards that are no floats: adding up 1/10 three times must give the same 3/10 on both sides."""

    def start(self) -> int:
        return 3

    def actions(self, state: int) -> Any:
        return ("on", "off") if state else ()

    def step(self, state: int, action: str) -> Any:
        return [("heads", 1, state - 1), ("tails", 1, 0)]

    def reward(self, state: int, action: str, outcome: Any) -> Fraction:
        return Fraction(1, 10)

    def payoff(self, state: int) -> int:
        return 0


def test_totals_that_differ_by_rounding_are_one() -> None:
    game = Tenths()
    sample = simulate(game, lambda state: "on", 500, 1)
    assert 0.3 not in {totals[0] for totals in sample.counts}  # but 0.30000000000000004
    truth = evaluate(game, lambda state: "on")
    known = simulating.Truth(truth.values, truth.error_bound, truth.outcomes())
    result = simulating.Result(game, [simulating_player("on")], sample, known)
    found = result.distribution(0)
    assert [figure.total for figure in found] == [0.1, 0.2, 0.3]
    assert [figure.exact for figure in found] == [0.5, 0.25, 0.25]
    assert all(figure.simulated > 0.2 for figure in found)


def simulating_player(name: str) -> Any:
    from dicewise.play.players import Player

    return Player(name, lambda state: "on")


# ---- where the truth is out of reach


def test_games_that_are_too_large_are_simulated_alone() -> None:
    words = f"{SMALL} --limit 50"
    found = asked(words)
    assert "has more than 50 states" in found["problem"]
    assert found["players"][0]["win"]["simulated"] > 0.4
    assert found["players"][0]["win"]["exact"] is None
    assert found["players"][0]["mean"]["exact"] is None
    text = answer(words)
    assert "There are no exact values: greed(max=20,sides=6) has more than 50 states" in text
    assert "off by" not in text
    assert "played" not in text
    assert {row["exact"] for row in rows(answer(f"{words} --format csv"))} == {""}


def test_chances_that_are_out_of_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> Any:
        raise LimitError("the distribution was given up")

    monkeypatch.setattr(distribution.Flow, "run", refuse)
    found = asked(SMALL)
    assert found["problem"] == "the distribution was given up"
    assert found["players"][0]["mean"]["exact"] is not None
    assert found["players"][0]["win"]["exact"] is None
    assert "There are no exact chances: the distribution was given up" in answer(SMALL)


def test_exact_values_may_be_left_out() -> None:
    found = asked(f"{SMALL} --limit 0")
    assert found["problem"] is None
    assert found["players"][0]["mean"]["exact"] is None
    assert "exact" not in answer(f"{SMALL} --limit 0")


def test_a_single_game_has_no_error() -> None:
    found = asked("simulate coin-ladder --games 1")
    assert found["players"][0]["mean"]["standard_error"] is None
    assert re.search(r"mean +\d+\.00 +- +0\.2500", answer("simulate coin-ladder --games 1"))


# ---- refusals


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ("greed --policies optmal", ["policy 'optmal' is not known to greed", "did you mean 'optimal'?"]),
        ("greed --policies random,random,random", ["3 policies were given for 2 players"]),
        ("greed --policies human", ["policy 'human' cannot be simulated"]),
        ("greed --policies random,", ["policy '' is not known"]),
        ("greed --games 0", ["--games"]),
        ("greed --games many", ["--games"]),
        ("greed --seed -1", ["--seed"]),
        ("greed --from", ["--from"]),
        ("greed --from x --max 9", ["position 'x' has 1 scores"]),
        ("greed --from= --max 9", ["position '' has 0 scores"]),
        ("greed -o games.png", ["output 'games.png' is of no known kind; its name must end in .csv"]),
        ("greed -o nowhere/games.csv", ["cannot write"]),
        ("greed -o games.csv --format table", ["--format table is for the terminal"]),
        ("greed --json --format csv", ["--json and --format csv both say what is printed"]),
        ("greed --json -o -", ["--json and --format csv both say what is printed"]),
        ("greed --policies nowhere.py:f", ["policy file 'nowhere.py' cannot be read"]),
        ("greeed", ["did you mean 'greed'?"]),
    ],
)
def test_refused_in_one_line(words: str, parts: list[str]) -> None:
    assert_refused(run(f"simulate {words}"), *parts)


def test_policies_that_never_end(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def all_again(state):\n    return ()\n")
    ran = run(f"simulate hold-dice --games 3 --policies {tmp_path / 'mine.py'}:all_again")
    assert_refused(ran, "with these policies: they go round there for ever")


# ---- without a terminal, a colour or a wide alphabet


def test_plain_text_everywhere() -> None:
    line = [sys.executable, "-m", "dicewise", *SMALL.split()]
    outputs = []
    for more in ({}, {"NO_COLOR": "1"}, {"PYTHONIOENCODING": "ascii"}, {"COLUMNS": "20"}, {"FORCE_COLOR": "1"}):
        env = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "NO_COLOR")} | more
        done = subprocess.run(line, capture_output=True, env=env, timeout=120)
        assert (done.returncode, done.stderr) == (0, b"")
        outputs.append(re.sub(rb"[\d.]+ s\b", b"", done.stdout))
    assert len(set(outputs)) == 1
    assert outputs[0].isascii()
    assert b"\x1b" not in outputs[0]


# ---- the picture


def bar_lines(bars: list[Bar]) -> list[str]:
    lines = list(histogram(bars))
    assert max(map(len, lines)) <= WIDTH
    return lines


def test_few_bars() -> None:
    lines = bar_lines([Bar(0, 0.25, 0.5), Bar(0.5, 0.0, 0.0), Bar(10, 0.75, 0.5)])
    assert [line.split()[0] for line in lines] == ["played", "0", "0.5", "10"]
    assert [line.count("#") for line in lines[1:]] == [round(lines[3].count("#") / 3), 0, lines[3].count("#")]
    assert len(lines[3]) == WIDTH
    assert "exact" not in "".join(bar_lines([Bar(0, 0.25, None), Bar(1, 0.75, None)]))


@pytest.mark.parametrize("count", [21, 22, 100, 1000])
@pytest.mark.parametrize("step", [1, 3, 0.25, 1e-9, 1e12, Fraction(1, 7)])
@pytest.mark.parametrize("first", [0, -500])
def test_many_bars_are_put_together(count: int, step: float, first: int) -> None:
    """Bins of a round width that hold all there is, and not too many of them."""
    bars = [Bar(float((first + at) * step), 1 / count, 1 / count) for at in range(count)]
    lines = bar_lines(bars)[1:]
    assert 5 <= len(lines) <= 21
    shares = [float(line.split("%")[0].split()[-1]) for line in lines]
    assert sum(shares) == pytest.approx(100, abs=0.2)


def test_rare_ends_are_one_bar_each() -> None:
    bars = [Bar(-1000.0, 0.0004, None), Bar(-900.0, 0.0004, None)]
    bars += [Bar(float(at), 0.9992 / 40, None) for at in range(40)]
    bars += [Bar(1e6, 0.00001, None)]
    lines = bar_lines(bars)
    assert lines[0].split() == ["under", "0", "0.08", "%"]
    assert lines[-1].split() == ["40", "and", "over", "0.00", "%"]
    assert len(lines) <= 21


# ---- a million games


def test_a_million_games_of_greed() -> None:
    """The value of the opening is 0.0276834661; 1,000,000 games take seconds."""
    found = json.loads(answer("simulate greed --games 1000000 --seed 1 --json"))
    mean = found["players"][0]["mean"]
    assert abs(mean["simulated"] - 0.0276834661) < 4 * mean["standard_error"]
    assert mean["exact"] == pytest.approx(0.0276834661, abs=1e-10)
    assert mean["standard_error"] < 0.001
    assert found["seconds"] < 30


def test_the_same_games_from_python_and_the_command_line() -> None:
    game = find_game("hold-dice(dice=2)")
    assert isinstance(game, HoldDice)
    found = asked("simulate hold-dice --dice 2 --games 700 --seed 9 --limit 0")
    assert found["players"][0]["mean"]["simulated"] == simulate(game, solve(game), 700, 9).means[0]
