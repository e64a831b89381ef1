"""The command line as people and scripts use it: answers, files, refusals, interruptions."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import fields, make_dataclass
from fractions import Fraction
from importlib import import_module
from itertools import filterfalse
from keyword import iskeyword
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import naive
from dicewise import Greed, __version__, check_game, solve
from dicewise.cli import COMMANDS, main
from dicewise.cli.common import GameCommand

EXAMPLES = Path(__file__).parents[1] / "examples"
SMALL = "greed --max 6 --sides 3"
on_posix = pytest.mark.skipif(os.name != "posix", reason="needs signals, pipes and /proc")


class Ran(NamedTuple):
    code: int
    out: str
    err: str


def run(words: str, *more: object) -> Ran:
    """A command in this process: `words` as a shell would split them, `more` as they are."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.StringIO())  # who asks gets the end of the input
        code = main([*shlex.split(words), *map(str, more)])
    return Ran(code, out.getvalue(), err.getvalue())


def answer(words: str, *more: object) -> str:
    ran = run(words, *more)
    assert ran.code == 0, ran
    return ran.out


def asked(words: str, *more: object) -> dict[str, Any]:
    """The JSON that a command prints."""
    content = json.loads(answer(words, *more, "--json"))
    assert (content["schema"], content["version"]) == (1, __version__)
    return dict(content)


def program(words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own."""
    command = [sys.executable, "-m", "dicewise", *shlex.split(words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=os.environ | variables)


def shell(script: str) -> subprocess.CompletedProcess[str]:
    """A line of shell in which `dicewise` is the program."""
    start = f'dicewise() {{ {shlex.quote(sys.executable)} -m dicewise "$@"; }}; set -o pipefail; '
    return subprocess.run(["bash", "-c", start + script], capture_output=True, text=True, timeout=60)


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60)


def assert_refused(ran: Ran, *parts: str) -> None:
    """Exit code 2, one helpful line, nothing else; `parts` are in the line."""
    assert (ran.code, ran.out) == (2, ""), ran
    assert re.fullmatch(r"dicewise: [^\n]+\n", ran.err), ran
    for bad in ("Traceback", "this is a bug", "\0", r"\x00", "<class", " object at 0x"):
        assert bad not in ran.err, ran
    for part in parts:
        assert part in ran.err, ran


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, and an empty store."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("DICEWISE_CACHE_DIR", str(tmp_path / "store"))
    monkeypatch.delenv("COLUMNS", raising=False)
    return folder


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


# ---- solve: the summary


def test_summary_says_what_a_new_user_wants_to_know() -> None:
    out = answer("solve greed")
    for part in ("greed(max=100,sides=6)", "0.02768346608", "20,402", "the first player", "Rolling 24 dice is best"):
        assert part in out
    for row in ("value of the start", "opening move +24\n", "favoured", "states", "method", "time", "error bound"):
        assert re.search(rf"^  {row}", out, re.MULTILINE), row


def test_summary_names_who_is_favoured() -> None:
    assert re.search("favoured +the second player", answer("solve greed --max 23 --sides 2"))
    assert re.search("favoured +nobody", answer("solve greed --max 1 --sides 1"))
    assert "from the store" in answer("solve greed --max 1 --sides 1")


def test_summary_as_json() -> None:
    content = asked("solve greed")
    assert list(content)[:3] == ["schema", "version", "game"]
    assert content["game"] == "greed(max=100,sides=6)"
    assert (content["states"], content["action"]) == (20402, "24")
    assert content["method"].startswith("kernel")
    error = abs(content["value"] - 0.027683466081240272)
    assert error <= content["error_bound"] <= 1e-12
    assert content["values"] == [content["value"], -content["value"]]
    assert not content["stored"]
    assert asked("solve greed") == content | {"stored": True}


@pytest.mark.parametrize(
    ("top", "sides", "exact", "action"),
    [
        (10, 3, "3688/14348907", "1"),
        (12, 4, "11053776859/1099511627776", "3"),
        (23, 2, "-46618808451/8796093022208", "1"),
        (1, 1, "0/1", "1"),
    ],
)
def test_exact_summary(top: int, sides: int, exact: str, action: str) -> None:
    content = asked(f"solve greed --max {top} --sides {sides} --exact")
    assert (content["exact"], content["action"], content["error_bound"]) == (exact, action, 0)
    assert content["value"] == float(Fraction(exact))
    assert content["best"][0] == action
    assert exact in answer(f"solve greed --max {top} --sides {sides} --exact") or exact == "0/1"


def test_specs_options_and_their_order_are_one_and_the_same() -> None:
    value = asked(f"solve {SMALL}")["value"]
    for words in (
        "solve 'greed(max=6,sides=3)'",
        "solve 'greed(max=6)' --sides 3",
        "solve --max 6 --sides=3 greed",
        "solve --sides 3 GREED --max 6",
        "--quiet solve greed --max 6 --sides 3",
        "solve greed --max 6 --die 1,2,3",
        "solve greed --max 6 --die 3:2,2:2,1:2",
    ):
        assert asked(words)["value"] == value, words
    assert json.loads(answer("solve --json --max 6 --sides 3 -- greed"))["value"] == value


def test_no_store_neither_reads_nor_keeps(tmp_path: Path) -> None:
    answer(f"solve {SMALL} --no-store")
    assert not asked(f"solve {SMALL} --no-store")["stored"]
    answer(f"solve {SMALL} --no-store --format csv")
    assert asked("cache list")["entries"] == []


# ---- solve: all states


def table(text: str) -> list[dict[str, str]]:
    assert "\r" not in text
    assert text.endswith("\n")
    return list(csv.DictReader(io.StringIO(text)))


def states(top: int) -> list[tuple[int, int, bool]]:
    """In the order of the source program's files: normal states first, active running fastest."""
    return [(a, q, last) for last in (False, True) for q in range(top + 1) for a in range(top + 1)]


def test_csv_is_the_source_programs(here: Path) -> None:
    ran = run("solve greed --max 12 --sides 4 --format csv")
    assert (ran.code, ran.out) == (0, "")
    assert files(here) == ["greed_12_4.csv"]
    text = Path("greed_12_4.csv").read_bytes().decode()
    assert text.startswith("active,queued,last,n,payoff\n")
    rows = table(text)
    assert [(int(row["active"]), int(row["queued"]), row["last"]) for row in rows] == [
        (a, q, "true" if last else "false") for a, q, last in states(12)
    ]
    solution, right = solve(Greed(12, 4)), naive.greed(12, dict.fromkeys(range(1, 5), 1))
    for row, (a, q, last) in zip(rows, states(12), strict=True):
        values, best = right[a, q, last]
        assert float(row["payoff"]) == pytest.approx(float(values[0]), abs=1e-12)
        assert float(row["payoff"]) == solution.value(solution.game.at(a, q, last=last))  # every digit that it has
        assert int(row["n"]) == best[0]


def test_exact_csv_has_every_fraction_and_every_tie() -> None:
    answer("solve greed --max 10 --sides 3 --format csv --exact")
    text = Path("greed_10_3.csv").read_text()
    assert text.startswith("active,queued,last,n,payoff,exact,best\n")
    right = naive.greed(10, {1: 1, 2: 1, 3: 1})
    ties = 0
    for row, (a, q, last) in zip(table(text), states(10), strict=True):
        values, best = right[a, q, last]
        assert row["exact"] == f"{Fraction(values[0]).numerator}/{Fraction(values[0]).denominator}"
        assert float(row["payoff"]) == float(values[0])
        assert row["best"] == "|".join(map(str, best))
        assert row["n"] == row["best"].split("|")[0]
        ties += "|" in row["best"]
    assert ties


def test_stdout_is_the_source_programs(here: Path) -> None:
    out = answer("solve greed --format stdout")
    lines = out.split("\n")
    assert lines.pop() == ""
    scores = [(a, q) for a in range(101) for q in range(101)]
    words = [*(f"({a}, {q}, terminal)" for a, q in scores), "", *(f"({a}, {q}, normal)" for a, q in scores)]
    assert [line.partition(" => ")[0] for line in lines] == words
    pattern = re.compile(r"|\(\d+, \d+, (terminal|normal)\) => \(dice: #\d+, payoff: (-?\d+(?:\.\d+)?)\)")
    assert all(pattern.fullmatch(line) for line in lines)
    assert "(85, 70, terminal) => (dice: #0, payoff: 1)" in lines
    (normal,) = [line for line in lines if line.startswith("(85, 70, normal) => (dice: #3, payoff: 0.06009")]
    solution = solve(Greed())
    assert float(normal[:-1].split()[-1]) == solution.value(solution.game.at(85, 70))
    assert not [line for line in lines if "payoff: -0)" in line or "payoff: -0.0)" in line]
    assert files(here) == []


def test_parquet_json_and_table_hold_the_same_as_csv(here: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = table(answer(f"solve {SMALL} --format csv -o -"))
    wanted = {
        "active": [int(row["active"]) for row in rows],
        "queued": [int(row["queued"]) for row in rows],
        "last": [row["last"] == "true" for row in rows],
        "n": [int(row["n"]) for row in rows],
        "payoff": [float(row["payoff"]) for row in rows],
    }
    content = json.loads(answer(f"solve {SMALL} --format json"))
    assert (content["schema"], content["version"], content["game"]) == (1, __version__, "greed(max=6,sides=3)")
    assert content["columns"] == wanted
    answer(f"solve {SMALL} --format parquet")
    assert files(here) == ["greed_6_3.parquet"]
    found = parquet.read_table("greed_6_3.parquet")
    assert found.to_pydict() == wanted
    assert found.schema.metadata[b"game"] == b"greed(max=6,sides=3)"
    header, *body = answer(f"solve {SMALL} --format table").splitlines()
    assert header.split() == list(wanted)
    assert [line.split() for line in body] == [list(row.values()) for row in rows]


@pytest.mark.parametrize("form", ["csv", "json", "parquet", "table", "stdout"])
def test_output_file(form: str, here: Path) -> None:
    Path("old.txt").write_text("old")
    ran = run(f"solve {SMALL} --exact --format {form} -o old.txt")
    assert (ran.code, ran.out) == (0, "")
    assert "98 states" in ran.err
    assert files(here) == ["old.txt"]
    assert Path("old.txt").stat().st_size > 1000
    if form != "parquet":
        assert Path("old.txt").read_text() == answer(f"solve {SMALL} --exact --format {form} -o -")


@pytest.mark.parametrize("ending", ["csv", "json", "parquet"])
def test_ending_says_the_form(ending: str) -> None:
    answer(f"solve {SMALL} --format {ending} -o one.{ending}")
    answer(f"solve {SMALL} -o two.{ending}")
    assert Path(f"one.{ending}").read_bytes() == Path(f"two.{ending}").read_bytes()


@pytest.mark.parametrize("words", ["-o -5.csv", "-o=x.csv", "-o5.csv", "--output x.csv", "-o 'a b.csv'", "-o ü.csv"])
def test_odd_file_names(words: str, here: Path) -> None:
    answer(f"solve {words} {SMALL}")
    assert len(files(here)) == 1


def test_rules_the_source_program_lacks_get_files_of_their_own(here: Path) -> None:
    for words in ("", "--tie 1", "--tie -1", "--die 1:2,2", "--die 1,2:2", "--win 2"):
        answer("solve greed --max 6 --sides 3 --format csv", *words.split())
    assert len(files(here)) == 6
    assert "greed_6_3.csv" in files(here)


@on_posix
def test_pipe_or_device_is_not_replaced_by_a_file(here: Path) -> None:
    os.mkfifo("pipe.csv")
    reader = os.open("pipe.csv", os.O_RDONLY | os.O_NONBLOCK)
    try:
        run(f"solve {SMALL} --format csv -o pipe.csv")
        assert stat.S_ISFIFO(os.stat("pipe.csv").st_mode), "as root, -o /dev/null would destroy /dev/null"
    finally:
        os.close(reader)


# ---- advise


@pytest.mark.parametrize("words", ["85 70", "85 70 normal", "85 70 last", "100 70", "0 0", "3 99", "99 3 last"])
def test_advice_as_json(words: str) -> None:
    content = asked("advise greed", *words.split())
    assert content["game"] == "greed(max=100,sides=6)"
    assert content["state"] == words.removesuffix(" normal")
    choices = content["choices"]
    score = int(words.split()[0])
    assert sorted(int(choice["action"]) for choice in choices) == list(range(Greed().n_max(score) + 1))
    assert choices[0]["loss"] == 0
    assert choices[0]["value"] == pytest.approx(content["value"], abs=1e-12)
    assert [choice["loss"] for choice in choices] == sorted(choice["loss"] for choice in choices)
    for choice in choices:
        assert list(choice) == ["action", "value", "loss", "win", "tie", "lose", "bust"]
        assert choice["win"] + choice["tie"] + choice["lose"] == pytest.approx(1, abs=1e-12)
        assert choice["win"] - choice["lose"] == pytest.approx(choice["value"], abs=1e-12)
        assert content["value"] - choice["value"] == pytest.approx(choice["loss"], abs=1e-12)
        assert 0 <= choice["bust"] <= choice["lose"] + 1e-12


def test_advice_has_the_right_numbers() -> None:
    best = asked("advise greed 85 70")["choices"][0]
    assert best["action"] == "3"
    assert best["bust"] == pytest.approx(10 / 216)
    assert best["value"] == pytest.approx(0.06009049973677897, abs=1e-12)


@pytest.mark.parametrize("words", ["'85 70'", "85,70", "85, 70", "85 70 NORMAL", "-- 85 70"])
def test_positions_may_be_typed_in_many_ways(words: str) -> None:
    assert answer(f"advise greed {words}") == answer("advise greed 85 70")


def test_position_is_the_start_unless_given() -> None:
    assert asked("advise greed")["state"] == "0 0"
    assert asked("advise greed")["choices"][0]["action"] == "24"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("85 70 last", "forfeit"),
        ("90 90 last", "certain win"),
        ("100 70", "forced stand"),
        ("100 100 last", "forced stand"),
        ("85 70", "rolling 3 dice is best"),
        ("100 0 over", "over"),
    ],
)
def test_advice_gives_its_reason(words: str, reason: str) -> None:
    assert reason in answer(f"advise greed {words}").splitlines()[-1].lower()
    assert reason in asked(f"advise greed {words}")["why"].lower()


def test_table_of_advice() -> None:
    out = answer("advise greed 85 70")
    rows = [line.split() for line in out.splitlines() if re.match(r"\W*\d+ .*%", line)]
    assert [row[0] for row in rows] == ["3", "2", "1", "4", "5", "0"]
    assert rows[0][1:4] == ["0.060090", "-", "42.98%"]
    for word in ("win", "tie", "lose", "bust", "loss"):
        assert word in out
    assert len(answer("advise greed --all").splitlines()) > len(answer("advise greed").splitlines())


@pytest.mark.parametrize("columns", ["20", "40", "80"])
def test_table_is_never_cut(columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    out = answer("advise greed 85 70")
    assert "…" not in out
    assert "0.060090" in out


def test_terminal_without_unicode() -> None:
    for words in ("advise greed 85 70", "solve greed", "games"):
        done = program(words, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
        assert (done.returncode, done.stderr) == (0, "")


# ---- refusals


REFUSED = [
    # numbers
    ("solve greed --max 0", "max 0"),
    ("solve greed --sides 0", "sides 0"),
    ("solve greed --max -5", "max -5"),
    ("solve greed --max=-5", "max -5"),
    ("solve greed --max ten", "max 'ten'"),
    ("solve greed --max 1.5", "1.5"),
    ("solve greed --max ''", "max"),
    ("solve greed --sides six", "six"),
    ("solve greed --players 1", "players 1"),
    ("solve greed --players two", "two"),
    ("solve greed --win x", "win 'x'"),
    ("solve greed --win 1/0", "win '1/0'"),
    ("solve greed --win nan", "nan"),
    ("solve greed --win inf", "inf"),
    ("solve greed --max 5 --win 1e400", "win"),
    ("solve greed --max 5 --win 1e5000", "win"),
    ("solve greed --lose 1 --tie 0", "lose <= tie <= win"),
    ("solve greed --tie 2", "lose <= tie <= win"),
    ("solve greed --players 3 --win 2", "leave them out"),
    # positions
    ("advise greed -5 70", "-5", "0 to 100"),
    ("advise greed 85 101", "101", "0 to 100"),
    ("advise greed 85 70 --max 80", "85", "0 to 80"),
    ("advise greed eighty 70", "'eighty'"),
    ("advise greed 85", "2 are needed"),
    ("advise greed 85 70 60", "3 scores"),
    ("advise greed 85 70 lats", "lats"),
    ("advise greed 85 70 last=x", "last"),
    ("advise greed 85 70 last=2", "last"),
    ("advise greed 85 70 last²", "last"),
    ("advise greed 8.5 70", "8.5"),
    ("advise greed --players 3 out 1 2", "mover"),
    # games
    ("solve grede", "'grede'", "did you mean 'greed'"),
    ("solve chess", "'chess'", "greed"),
    ("solve ''", "game"),
    ("solve", "GAME"),
    ("solve --max 5", "GAME"),
    ("advise", "GAME"),
    ("plot", "GAME"),
    ("check", "GAME"),
    ("certify", "GAME"),
    ("solve 'greed(mx=5)'", "'mx'", "did you mean 'max'"),
    ("solve 'greed(max=5,max=6)'", "twice"),
    ("solve 'greed(max=5)' --max 6", "once"),
    ("solve 'greed(max=5'", "cannot be read"),
    ("solve 'greed(max=5))'", "greed"),
    # dice
    ("solve greed --die 0,1", "0"),
    ("solve greed --die -1,2", "-1"),
    ("solve greed --die 1,x", "'x'"),
    ("solve greed --die 1.5", "1.5"),
    ("solve greed --die 1,,2", "face"),
    ("solve greed --die ,", "face"),
    ("solve greed --die 1:0", "weight"),
    ("solve greed --die 1:-2", "1:-2"),
    ("solve greed --die 1:2:3", "1:2:3"),
    ("solve greed --die 1,2,3 --sides 4", "sides"),
    # too large
    ("solve greed --max 1000000", "needs", "TB of memory"),
    ("advise greed 1 2 --max 1000000", "TB"),
    ("certify greed --max 1000000", "TB"),
    ("solve greed --max 1" + "0" * 30, "needs"),
    ("solve greed --max 20000 --exact", "needs"),
    # words and options
    ("solve greed 85 70", "85 70"),
    ("games greed", "greed"),
    ("slove greed", "did you mean 'solve'"),
    ("85 70", "'85'"),
    ("solve greed --mx 5", "--max"),
    ("solve greed --max", "--max"),
    ("solve greed --format excel", "excel"),
    ("solve greed --format -5", "'-5'"),
    ("--nonsense", "--nonsense"),
    ("solve greed --json --format csv", "one of them"),
    ("solve greed --json -o x.csv", "one of them"),
    ("check greed --limit 0", "limit"),
    ("check greed --limit -5", "-5"),
    ("plot greed --max 5 --dpi 5", "dpi"),
    ("plot greed --max 5 --view graf", "'graf'", "'graph'"),
    ("plot greed --view graph", "too large to be drawn", "at most 100 states"),
    ("plot pig --view graph", "too large to be drawn", "at most 100 states"),
    ("plot coin-ladder --view heatmap", "has no view heatmap", "it has: reach", "graph"),
    ("plot pig --view dice", "has no view dice", "greed for two players"),
    ("plot greed --max 5 --with sides=3", "--view difference"),
    ("plot greed --max 5 --view totals --at '1 2'", "--view slice"),
    ("plot greed --max 5 --view totals --counts 2,x", "counts '2,x'", "2,3,4"),
    ("plot greed --max 5 --view totals --counts 0", "counts 0", "1 to 1000"),
    ("plot greed --max 5 --view slice --at '9 9'", "score 9", "0 to 5"),
    ("plot greed --max 5 --view difference", "--with sides=8"),
    ("plot greed --max 5 --view difference --with pig", "no board", "greed for two players"),
    ("plot greed --max 5 --view difference --with sidez=8", "sidez"),
    ("plot greed --max 5 --view sweep", "one or two parameters"),
    ("plot greed --max 5:9 -o x.png", "max '5:9'"),
    ("plot greed --csv missing.csv", "cannot read 'missing.csv'"),
    ("plot pig --csv missing.csv", "files of greed"),
    ("solve greed --trace", "too large to read", "at most 200 states"),
    ("solve greed --max 20 --trace", "842 states", "at most 200 states"),
    ("solve coin-ladder --trace --format csv", "one of them"),
    ("solve coin-ladder --trace --theta 0.1", "one of them"),
    ("plot greed --max 5 --dpi -5", "-5"),
    ("cache", "list"),
    ("cache lst", "list"),
    ("cache clear nonsense", "nothing is kept of 'nonsense'"),
    # places
    (f"solve {SMALL} --format csv -o missing/x.csv", "missing/x.csv"),
    (f"solve {SMALL} --format csv -o .", "'.'"),
    (f"solve {SMALL} --format csv -o ..", "'..'"),
    (f"solve {SMALL} --format csv -o /", "'/'"),
    (f"solve {SMALL} --format csv -o ''", "-o"),
    (f"solve {SMALL} -o x.txt", "--format"),
    (f"solve {SMALL} --format parquet -o -", "-o"),
    ("plot greed --max 5 -o x.gif", ".png"),
    ("plot greed --max 5 -o ''", "picture ''", ".png"),
    ("plot greed --max 5 -o missing/x.png", "missing"),
    ("plot greed --max 5 -o .png/x.png", "cannot write"),
]


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case[0][:60])
def test_refused_in_one_helpful_line(case: tuple[str, ...], here: Path) -> None:
    words, *parts = case
    assert_refused(run(words), *parts)
    assert files(here) == []


@on_posix
@pytest.mark.parametrize("command", [f"solve {SMALL} --format csv -o", "plot greed --max 5 -o"])
def test_unwritable_places(command: str, here: Path) -> None:
    Path("file").write_text("mine")
    Path("folder.csv").mkdir()
    before = files(here)
    ending = "png" if command.startswith("plot") else "csv"
    assert_refused(run(command, f"file/x.{ending}"), "cannot write", "file/x")
    assert_refused(run(command, f"/proc/dicewise.{ending}"), "cannot write", "/proc/dicewise")  # root may not either
    assert_refused(run(command, f"{'x' * 300}.{ending}"), "cannot write")
    if ending == "csv":
        assert_refused(run(command, "folder.csv"), "cannot write", "folder")
    assert files(here) == before
    assert Path("file").read_text() == "mine"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_read_only_folder(here: Path) -> None:
    here.chmod(0o555)
    try:
        assert_refused(run(f"solve {SMALL} --format csv"), "greed_6_3.csv")
    finally:
        here.chmod(0o755)


@on_posix
@pytest.mark.parametrize("words", [f"--sides {10**9}", f"--sides {10**12}", f"--sides {10**26}", f"--die 1,2:{10**40}"])
def test_dice_with_very_many_sides_are_solved_or_refused_with_a_reason(words: str) -> None:
    done = shell(f"ulimit -v 3000000; dicewise solve greed --max 10 {words} --json")
    if done.returncode == 0:
        assert json.loads(done.stdout)["states"] == 242
    else:
        assert_refused(Ran(done.returncode, done.stdout, done.stderr), words.split()[0][2:])
        assert re.search(r"needs [\d.,]+ [kMGT]B|is not allowed|at most", done.stderr)


def test_existing_file_stays_whole_when_a_run_fails(here: Path) -> None:
    Path("mine.csv").write_text("mine")
    for words in ("--max 0", "--max 1000000", "--die 0", "--json", "--nonsense"):
        assert_refused(run("solve greed --format csv -o mine.csv", *words.split()))
    assert Path("mine.csv").read_text() == "mine"
    assert files(here) == ["mine.csv"]


def test_help_and_version() -> None:
    assert answer("--version") == f"dicewise {__version__}\n"
    assert answer("") == answer("--help") == answer("-h")
    for name in COMMANDS:
        assert re.search(rf"^  {name} ", answer("--help"), re.MULTILINE)


@pytest.mark.parametrize("words", [*COMMANDS, "cache list", "cache path", "cache clear"])
def test_help_of_every_command_shows_an_example(words: str) -> None:
    out = answer(f"{words} --help")
    assert re.search(rf"Example: dicewise {words}", out)
    assert answer(f"{words} -h") == out
    for option in ("--json", "--quiet") if words not in ("cache", "study") else ():
        assert option in out


def test_help_shows_the_games_own_options() -> None:
    out = answer("solve greed --help")
    for one in fields(Greed):
        assert f"--{one.name}" in out
    assert "the score not to pass" not in answer("solve --help")
    assert "Usage" in answer("solve no-such-game --help")


def test_debug_shows_the_traceback() -> None:
    for words in ("--debug solve greed --max 0", "solve greed --max 0 --debug"):
        done_here = run(words)
        assert done_here.code == 2
        assert "Traceback" in done_here.err
    done = program("solve greed --max 0 --debug")
    assert done.returncode != 0
    assert "Traceback" in done.stderr
    assert "InputError: max 0" in done.stderr


# ---- any words at all


NUMBERS = st.sampled_from(["0", "1", "2", "3", "5", "-1", "1/2", "0.5", "1e2", "x", "", "²", "nan", "-", "1e999"])
PIECES = st.one_of(
    st.sampled_from(["1 2", "1 2 last", "3 0 last²", "1 x", "2 2 over", "9 9", "-1 0", "1 2 3", "0 4 normal last"]),
    st.sampled_from(["--json", "--exact", "--no-store", "--quiet", "--all", "-h", "--version", "--max", "-o", "--"]),
    st.builds("{} {}".format, st.sampled_from(["--max", "--sides", "--win", "--tie", "--lose", "--limit"]), NUMBERS),
    st.builds("--format {}".format, st.sampled_from(["csv", "json", "table", "stdout", "parquet", "x"])),
    st.builds("-o {}".format, st.sampled_from(["a.csv", "a.json", "b/a.csv", ".", "/", "-", "-1.csv", "a", ""])),
    st.builds("--die {}".format, st.sampled_from(["1,2", "1:2,3", "0", "1,x", "2", "7,9", "", f"1,2:{10**30}"])),
    st.builds("--players {}".format, st.sampled_from(["2", "3", "0", "x"])),
    st.sampled_from(["greed", "greed(max=3)", "greed(", "nope.py:X", "--dpi -3", "--limit -3", "'greed(win=2)'"]),
    st.text(max_size=4),
)
GAME_COMMANDS = st.sampled_from(["solve", "solve --format csv", "advise", "check --limit 20", "certify"])
OTHERS = st.sampled_from([*COMMANDS, "cache list", "cache path", "cache clear", "nonsense", "", "--quiet"])


@given(st.one_of(GAME_COMMANDS.map(lambda command: f"{command} greed --max 4"), OTHERS), st.lists(PIECES, max_size=3))
@settings(max_examples=500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_words_bring_it_down(command: str, more: list[str]) -> None:
    words = [word for piece in (command, *more) for word in piece.replace("'", "").split(" ")]
    if "greed" in words and not {"--max", "greed(max=3)"} & set(words):
        words += ["--max", "3"]
    if "plot" in words:
        words.append("--nonsense")  # drawing takes long; its words are read all the same
    ran = run("", *words)
    assert ran.code in (0, 1, 2), ran
    assert "Traceback" not in ran.out + ran.err, ran
    assert "this is a bug" not in ran.err, ran
    if ran.code == 2:
        assert_refused(ran)


# ---- streams, speed of the first answer, interruption


def test_quiet_is_quiet(here: Path) -> None:
    for words in (
        f"solve {SMALL}",
        f"solve {SMALL} --exact --format csv",
        f"advise {SMALL} 1 2",
        f"certify {SMALL} --exact",
        f"check {SMALL}",
        f"plot {SMALL} -o x.png",
        "games",
        "cache list",
        "cache clear",
    ):
        command, _, rest = words.partition(" ")
        assert run(f"{words} --quiet")[::2] == (0, ""), words
        assert run(f"--quiet {command} {rest}")[::2] == (0, ""), words
    assert files(here) == ["greed_6_3.csv", "x.png"]


def test_store_that_cannot_be_used_is_mentioned_unless_quiet(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("file").write_text("")
    monkeypatch.setenv("DICEWISE_CACHE_DIR", "file")
    ran = run(f"solve {SMALL}")
    assert (ran.code, ran.err.count("\n")) == (0, 1)
    assert "not kept" in ran.err
    assert run(f"solve {SMALL} --quiet")[::2] == (0, "")
    assert run(f"advise {SMALL} 1 2 --quiet")[::2] == (0, "")


def test_program_and_module_are_the_same() -> None:
    done = program("advise greed 85 70 --json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["choices"][0]["action"] == "3"
    refused = program("solve greed --max 0")
    assert_refused(Ran(refused.returncode, refused.stdout, refused.stderr), "max 0")


def loaded_by(words: str) -> set[str]:
    """Which heavy packages a command has loaded when it is done."""
    done = python(
        f"""
        import sys
        from dicewise.cli import main
        code = main({shlex.split(words)!r})
        heavy = ("numpy", "numba", "rich", "matplotlib", "pyarrow")
        print(code, *(name for name in heavy if name in sys.modules), file=sys.stderr)
        """
    )
    code, *found = done.stderr.splitlines()[-1].split()
    assert code == "0", done
    return set(found)


def test_help_and_lists_load_nothing_heavy() -> None:
    for words in ("--help", "solve greed --help", "games", "cache path", "--version"):
        assert loaded_by(words) == set()


@pytest.mark.parametrize("words", ["advise greed 85 70", "solve greed", "solve greed --json"])
def test_neither_the_first_nor_a_later_answer_loads_the_compiler(words: str) -> None:
    for _ in range(2):
        assert not loaded_by(words) & {"numba", "matplotlib", "pyarrow"}


def test_large_stored_solution_loads_no_compiler() -> None:
    answer("solve greed --max 420 --json")
    assert asked("solve greed --max 420")["stored"]
    assert loaded_by("solve greed --max 420 --json") == {"numpy"}


@on_posix
def test_stored_answer_takes_less_than_three_times_what_numpy_takes_to_load() -> None:
    from resource import RUSAGE_CHILDREN, getrusage

    def seconds(*words: str) -> float:
        before = getrusage(RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *words], stdout=subprocess.DEVNULL, check=True, timeout=60)
        after = getrusage(RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    answer("advise greed 85 70")
    pairs = [
        (seconds("-c", "import numpy"), seconds("-m", "dicewise", "advise", "greed", "85", "70")) for _ in range(6)
    ]
    assert min(ours for _, ours in pairs) < 3 * min(theirs for theirs, _ in pairs)


@on_posix
@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("dicewise games >&-", 0),
        (f"dicewise solve {SMALL} --json --no-store >&-", 0),
        (f"dicewise solve {SMALL} --no-store 2>&-", 0),
        ("dicewise solve greed --format csv -o - | head -1", 0),
        ("dicewise solve greed --format stdout | head -1", 0),
        ("dicewise games > /dev/full", 2),
        (f"dicewise solve {SMALL} --format csv -o - > /dev/full", 2),
    ],
)
def test_streams_that_are_closed_or_full(script: str, code: int) -> None:
    done = shell(script)
    assert "Traceback" not in done.stderr
    assert "bug" not in done.stderr + done.stdout
    assert done.returncode == code
    assert done.stderr.count("\n") == (1 if code else 0)


def test_shell_completion() -> None:
    assert "_dicewise_completion" in program("", _DICEWISE_COMPLETE="bash_source").stdout
    for words, wanted in (("adv", "advise"), ("solve gr", "greed"), ("solve greed --si", "--sides")):
        count = str(len(words.split()))
        done = program("", _DICEWISE_COMPLETE="bash_complete", COMP_WORDS=f"dicewise {words}", COMP_CWORD=count)
        assert done.stdout.split(",")[-1].strip() == wanted


def interrupted(words: str, when: Callable[[float], bool]) -> Ran:
    """A program that gets Ctrl-C as soon as `when`, asked with the seconds since its start, says so."""
    command = [sys.executable, "-m", "dicewise", *shlex.split(words)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    started = time.monotonic()
    while not when(time.monotonic() - started) and time.monotonic() - started < 60:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return Ran(process.returncode, out, err)


def assert_interrupted(ran: Ran) -> None:
    assert (ran.code, ran.out) == (130, ""), ran
    assert len(ran.err.strip().splitlines()) == 1, ran
    assert "interrupted" in ran.err


@on_posix
@pytest.mark.parametrize("delay", [0.5, 1.5])
def test_ctrl_c_leaves_nothing_behind(delay: float, here: Path) -> None:
    ran = interrupted(
        "--quiet solve greed --max 4000 --no-store --format csv -o big.csv", lambda seconds: seconds > delay
    )
    assert_interrupted(ran)
    assert files(here) == []


@on_posix
def test_ctrl_c_while_writing_leaves_the_old_file(here: Path) -> None:
    Path("big.csv").write_text("mine")
    ran = interrupted(
        "--quiet solve greed --max 1500 --no-store --format csv -o big.csv",
        lambda _: any(name != "big.csv" and Path(name).exists() and Path(name).stat().st_size for name in files(here)),
    )
    assert_interrupted(ran)
    assert files(here) == ["big.csv"]
    assert Path("big.csv").read_text() == "mine"


@on_posix
@pytest.mark.parametrize("pause", [0.0, 0.05, 0.2])
def test_ctrl_c_in_compiled_code(pause: float, here: Path) -> None:
    """The signal is sent when the main thread has entered the compiled solver."""
    done = python(
        f"""
        import os, signal, sys, threading, time
        from dicewise.cli import main

        def watch(thread):
            while True:
                frame = sys._current_frames()[thread]
                solver = frame.f_code.co_filename.endswith(("_kernel.py", "_kernel_last.py"))
                if solver and frame.f_code.co_name != "<module>":
                    time.sleep({pause})
                    os.kill(os.getpid(), signal.SIGINT)
                    return
                time.sleep(0.001)

        threading.Thread(target=watch, args=[threading.main_thread().ident], daemon=True).start()
        sys.exit(main("--quiet solve greed --max 3000 --no-store --format csv -o big.csv".split()))
        """
    )
    assert_interrupted(Ran(done.returncode, done.stdout, done.stderr))
    assert files(here) == []


# ---- the store


def test_cache_list_path_clear(tmp_path: Path) -> None:
    assert answer("cache path") == f"{tmp_path / 'store'}\n"
    assert asked("cache path")["path"] == str(tmp_path / "store")
    assert "0 solution(s)" in answer("cache list")
    for words in ("greed --max 5", "greed --max 6", "greed --max 7"):
        answer(f"solve {words} --json")
    answer("solve greed --max 6")
    listed = asked("cache list")
    assert listed["entries"][0]["game"] == "greed(max=6,sides=6)"  # the last one used
    assert {entry["game"] for entry in listed["entries"]} == {f"greed(max={n},sides=6)" for n in (5, 6, 7)}
    for entry in listed["entries"]:
        assert 0 < entry["bytes"] < 10_000
        assert entry["created"] <= entry["used"] <= time.time() + 1
    assert "3 solution(s)" in answer("cache list")
    assert asked("cache clear 'greed(max=5,sides=6)'")["removed"] == 1
    assert "2 solution(s)" in answer("cache list")
    assert "removed 2 solution(s)" in answer("cache clear")
    nothing = {"removed": 0, "bytes": 0, "studies": {"answers": 0, "bytes": 0}}
    assert asked("cache clear") == {"schema": 1, "version": __version__} | nothing
    assert files(tmp_path / "store") == []


def test_damaged_entry_is_noticed_and_solved_again(tmp_path: Path) -> None:
    right = asked(f"solve {SMALL}")["value"]
    kept = [path for path in (tmp_path / "store").rglob("*") if path.is_file()]
    assert any(path.suffix == ".npy" for path in kept)
    for path in kept:
        content = bytearray(path.read_bytes())
        content[-9] ^= 4
        path.write_bytes(content)
        again = asked(f"solve {SMALL}")
        assert (again["value"], again["stored"]) == (right, False), path.name
        assert asked(f"solve {SMALL}")["stored"]


def test_three_players_are_kept_too() -> None:
    first = asked("solve greed --players 3 --max 4")
    assert asked("solve greed --players 3 --max 4") == first | {"stored": True}
    assert asked("advise greed --players 3 --max 4 1 2 3")["state"] == "1 2 3"


# ---- games, check, certify, plot


def test_games() -> None:
    (greed,) = [game for game in asked("games")["games"] if game["name"] == "greed"]
    assert [parameter["name"] for parameter in greed["parameters"]] == [one.name for one in fields(Greed)]
    assert "Greed (Addis)" in answer("games")
    assert "--sides" in answer("games")


def test_check() -> None:
    content = asked("check greed --max 5 --sides 3")
    assert (content["ok"], content["complete"], content["problems"]) == (True, True, [])
    assert "nothing is wrong" in answer("check greed --max 5 --sides 3")
    assert not asked("check greed --max 20 --sides 3 --limit 10")["complete"]


def test_check_says_what_a_solver_will_meet(box: str) -> None:
    content = asked("check pig --target 5")
    assert (content["players"], content["outlook"]["interests"]) == (2, "constant sum")
    assert 0 < content["outlook"]["cyclic"] <= content["states"]
    words = answer("check pig --target 5")
    assert "players    2, opponents (what one wins the other loses)" in words
    assert "play can come back to" in words
    words = answer(f"check {box} --limit 100")
    assert "cycles     none so far: no position comes back" in words
    assert "for the states known so far" in " ".join(words.split())
    assert max(map(len, words.splitlines())) <= 80
    assert "its kernel is quicker" in answer("check greed --max 5 --sides 3")


def test_check_names_every_field_that_hides_an_option() -> None:
    """A parameter called like an option of a command about a game could not be set there."""
    taken = set()
    for name in COMMANDS:
        command = import_module(f"dicewise.cli.{name}").command
        inner = []
        if isinstance(command, click.Group):  # some load their commands when they are asked for
            ctx = click.Context(command)
            inner = [command.get_command(ctx, each) for each in command.list_commands(ctx)]
        about_games = [each for each in [command, *inner] if isinstance(each, GameCommand)]
        taken |= {word for each in about_games for one in each.params for word in getattr(one, "opts", ())}
    names = sorted(word[2:].replace("-", "_") for word in taken if word.startswith("--"))
    assert {"json", "output", "limit", "exact"} <= set(names)
    silent = []
    for name in filterfalse(iskeyword, names):  # no field can be called `from`
        rules = make_dataclass("Rules", [(name, int, 1)], bases=(Greed,), frozen=True, kw_only=True)
        if not any(name in problem and "option" in problem for problem in check_game(rules(2, 2), limit=1).problems):
            silent.append(name)
    assert silent == []


def test_certify() -> None:
    content = asked("certify greed")
    assert content["states"] == 20402
    assert content["violation"] <= content["error_bound"] <= 1e-10
    proof = asked("certify greed --max 12 --sides 4 --exact")
    assert (proof["proven"], proof["exact"], proof["other_actions"]) == (True, "11053776859/1099511627776", 0)
    assert proof["largest_error"] <= 1e-12
    assert "proven" in answer("certify greed --max 12 --sides 4 --exact")


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_plot(ending: str, here: Path) -> None:
    pytest.importorskip("matplotlib")
    ran = run(f"plot {SMALL} -o picture.{ending} --dpi 50")
    assert (ran.code, ran.out) == (0, "")
    assert files(here) == [f"picture.{ending}"]
    start = Path(f"picture.{ending}").read_bytes()[:5]
    assert {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF-"}[ending] in start


def test_plot_draws_graphs(here: Path) -> None:
    pytest.importorskip("matplotlib")
    assert asked("plot coin-ladder --dpi 50 -o ladder.svg") | {"view": "graph", "output": "ladder.svg"} == asked(
        "plot coin-ladder --view graph --dpi 50 -o ladder.svg"
    )
    assert asked(f"plot {SMALL} --dpi 50")["view"] == "heatmap"
    assert asked("plot hold-dice --dice 3 --sides 6 --dpi 50 -o hold.png")["view"] == "values"  # too large for a graph
    Path("hold.png").unlink()
    assert asked("plot greed --max 2 --sides 2 --view graph --dpi 50 -o graph.png")["view"] == "graph"
    assert files(here) == ["graph.png", "greed_6_3.png", "ladder.svg"]


def test_plot_is_named_after_the_game(here: Path) -> None:
    pytest.importorskip("matplotlib")
    assert asked(f"plot {SMALL} --dpi 50")["output"] == "greed_6_3.png"
    assert files(here) == ["greed_6_3.png"]


# ---- a game of one's own


@pytest.fixture
def box(here: Path) -> str:
    shutil.copy(EXAMPLES / "shut_the_box.py", here / "box.py")
    return "box.py:ShutTheBox"


def test_shut_the_box(box: str) -> None:
    content = asked(f"solve {box}")
    assert content["game"] == "shut-the-box(tiles=9,dice=2)"
    assert round(100 * content["value"], 4) == 7.1432  # published
    assert asked(f"solve {box}") == content | {"stored": True}
    exact = asked(f"solve {box} --exact")
    assert float(Fraction(exact["exact"])) == pytest.approx(content["value"], abs=1e-14)
    assert asked(f"check {box}")["problems"] == []
    assert asked(f"certify {box} --tiles 5 --exact")["proven"]
    assert asked(f"certify {box}")["error_bound"] < 1e-12


def test_advice_in_a_game_of_ones_own(box: str) -> None:
    content = asked(f"advise {box} --tiles 6", "(1,2,3,4,5,6)", 7)
    assert content["state"] == "(1,2,3,4,5,6) 7"
    assert {choice["action"] for choice in content["choices"]} == {"1 6", "2 5", "3 4", "1 2 4"}
    assert [choice["loss"] for choice in content["choices"]] == sorted(choice["loss"] for choice in content["choices"])
    assert content["choices"][0]["value"] == pytest.approx(content["value"])
    assert content["choices"][0]["action"] in answer(f"advise {box} --tiles 6", "(1,2,3,4,5,6) 7")


def test_all_states_of_a_game_of_ones_own(box: str, here: Path) -> None:
    answer(f"solve {box} --tiles 3 --format csv")
    (name,) = [name for name in files(here) if name.endswith(".csv")]
    rows = table(Path(name).read_text())
    assert list(rows[0]) == ["state", "action", "value"]
    assert len(rows) == asked(f"solve {box} --tiles 3")["states"]
    assert answer(f"solve {box} --tiles 3 --format csv -o -") == Path(name).read_text()  # now from the store
    assert json.loads(answer(f"solve {box} --tiles 3 --format json"))["columns"]["state"][0] == "(1,2,3) 0"


def test_edited_file_changes_the_answer(box: str) -> None:
    before = asked(f"solve {box} --tiles 5")["value"]
    path = Path("box.py")
    source = path.read_text()
    path.write_text(source.replace("return 0 if state.up else 1", "return 0 if state.up else 2"))
    after = asked(f"solve {box} --tiles 5")
    assert (after["value"], after["stored"]) == (pytest.approx(2 * before), False)
    path.write_text(source)
    assert asked(f"solve {box} --tiles 5")["value"] == before


@pytest.mark.parametrize(
    "words", ["abc def", "abc", "5 3", "'(1,2,x)' 3", "'(1,2,[3])' 3", "'(1,2)' 3 4", "'(1,2,3' 3"]
)
def test_positions_that_make_no_sense_to_the_rules(words: str, box: str) -> None:
    assert_refused(run(f"advise {box} {words}"))


OWN_RULES = """
from dataclasses import dataclass
from dicewise import Game, sure

@dataclass(frozen=True)
class Own(Game[int, int]):
    n: int = 3

    def start(self):
        return self.n

    def actions(self, state):
        return (1, 2)[:state]

    def step(self, state, action):
        return sure(state - action)

    def payoff(self, state):
        return 1
"""


def own(methods: str, fields: str = "n: int = 3") -> str:
    """Write `rules.py` with these methods in place of, or beside, the ones above."""
    body = OWN_RULES.replace("n: int = 3", fields) + textwrap.indent(textwrap.dedent(methods), "    ")
    Path("rules.py").write_text(body)
    return "rules.py:Own"


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (None, ["rules.py", "No such file"]),
        ("", ["'Own'", "no subclass"]),
        ("from dicewise import Game\nclass Owns(Game): pass", ["it has: Owns", "did you mean"]),
        ("from dicewise import Game\nclass Own(Game): pass", ["lacks", "start"]),
        ("class Own: pass", ["'Own'"]),
        ("def (", ["SyntaxError", "line 1"]),
        ("x = 1 / 0", ["ZeroDivisionError"]),
        ("import no_such_module", ["no_such_module"]),
        ("import sys; sys.exit(0)", ["rules.py"]),
        ("import sys; sys.exit('bye')", ["rules.py"]),
        ("x = 'ÿ'.encode('latin-1')\n\udcff", ["SyntaxError"]),
        ("raise ValueError('several\\nlines')", ["several lines"]),
    ],
)
def test_rules_files_that_cannot_be_used(content: str | None, parts: list[str]) -> None:
    if content is not None:
        Path("rules.py").write_text(content, encoding="utf-8", errors="surrogateescape")
    for _ in range(2):  # a failed try leaves nothing behind
        assert_refused(run("solve rules.py:Own"), *parts)
    assert "Usage" in answer("solve rules.py:Own --help")


def test_rules_file_needs_a_class(box: str) -> None:
    assert_refused(run("solve box.py"), "box.py:")
    assert_refused(run("solve box.py:"), "box.py")
    Path("folder.py").mkdir()
    assert_refused(run("solve folder.py:Own"), "folder.py")


@pytest.mark.parametrize(
    ("methods", "part"),
    [
        ("def start(self): raise RuntimeError('no start')", "no start"),
        ("def actions(self, state): raise RuntimeError('no actions')", "no actions"),
        ("def actions(self, state): return self.actions(state)", "actions"),
        ("def actions(self, state): return 5", "actions"),
        ("def step(self, state, action): raise RuntimeError('no step')", "no step"),
        ("def step(self, state, action): return []", "no outcome"),
        ("def step(self, state, action): return [(1, 0.5, 0), (2, 0.5, 0)]", "weight"),
        ("def payoff(self, state): return 'much'", "much"),
        ("def payoff(self, state): return float('nan')", "nan"),
        ("def step(self, state, action): return sure(state)", "cannot end from"),
        ("def turn(self, state): return 5", "turn"),
        ("def start(self): return [1]", "hash"),
        ("def __post_init__(self): raise ValueError('n must be even')", "n must be even"),
    ],
)
def test_rules_that_go_wrong_are_named(methods: str, part: str) -> None:
    game = own(methods)
    assert_refused(run(f"solve {game}"), part)


@pytest.mark.parametrize(
    "methods",
    [
        "def label(self, move): raise RuntimeError('no label')",
        "def text(self, state): raise RuntimeError('no text')",
        "def text(self, state): return 5",
    ],
)
def test_failing_words_leave_the_old_file(methods: str, here: Path) -> None:
    game = own(methods)
    Path("mine.csv").write_text("mine")
    ran = run(f"solve {game} --format csv -o mine.csv")
    assert ran.code in (1, 2)
    assert ran.err.count("\n") == 1
    assert Path("mine.csv").read_text() == "mine"
    assert sorted(name for name in files(here) if "pycache" not in name) == ["mine.csv", "rules.py"]


def test_check_finds_what_is_wrong() -> None:
    game = own("def step(self, state, action): return [('a', 1, 0), ('a', 1, 0)]")
    ran = run(f"check {game}")
    assert (ran.code, ran.err) == (1, "")
    assert "lists an outcome twice" in ran.out
    assert json.loads(run(f"check {game} --json").out)["ok"] is False


def test_text_that_cannot_be_read_back_never_spoils_the_store() -> None:
    game = own(
        """
        def start(self): return (0, 0)
        def actions(self, state): return ("left", "right") if sum(state) < self.n else ()
        def step(self, state, action): return sure((state[0] + (action == "left"), state[1] + (action == "right")))
        def payoff(self, state): return 10 * state[0] + state[1] ** 2
        def text(self, state): return f"{state[1]} {state[0]}"
        """
    )
    first = answer(f"solve {game} --format csv -o -")
    assert answer(f"solve {game} --format csv -o - --no-store") == first
    assert answer(f"solve {game} --format csv -o -") == first


def test_parameters_of_a_game_of_ones_own() -> None:
    game = own("", fields="n: int\n    big: bool = False\n    price_each: float = 0.5")
    assert_refused(run(f"solve {game}"), "needs a value for n", "--n")
    out = answer(f"solve {game} --help")
    assert "--price-each" in out
    assert "MISSING" not in out
    assert asked(f"solve {game} --n 4 --big yes --price-each 2")["game"] == "own(n=4,big=True,price_each=2.0)"
    assert_refused(run(f"solve {game} --n 4 --big perhaps"), "big 'perhaps'", "yes or no")
    assert asked(f"solve '{game}(n=2)'")["states"] == 2


def test_file_in_a_folder_with_brackets(here: Path, box: str) -> None:
    Path("copies (2)").mkdir()
    shutil.move("box.py", "copies (2)/box (1).py")
    assert asked("solve 'copies (2)/box (1).py:ShutTheBox' --tiles 3")["states"] == 17
