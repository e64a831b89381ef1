"""`dicewise history`: the list, one game, games from machine to machine, refusals."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from dicewise import Session, find_game
from dicewise.cli import main
from dicewise.play.records import Event, Records

EXAMPLES = Path(__file__).parents[1] / "examples"
README_GAME = EXAMPLES / "greed-game.jsonl"


class Ran(NamedTuple):
    code: int
    out: str
    err: str


def run(words: str, *more: object) -> Ran:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(["history", *shlex.split(words), *map(str, more)])
    return Ran(code, out.getvalue(), err.getvalue())


def answer(words: str, *more: object) -> str:
    ran = run(words, *more)
    assert (ran.code, ran.err) == (0, ""), ran
    return ran.out


def asked(words: str, *more: object) -> dict[str, Any]:
    content = json.loads(answer(words, *more, "--json"))
    assert content["schema"] == 1
    return dict(content)


def assert_refused(ran: Ran, *parts: str) -> None:
    assert (ran.code, ran.out) == (2, ""), ran
    assert re.fullmatch(r"dicewise: [^\n]+\n", ran.err), ran
    assert "bug" not in ran.err
    for part in parts:
        assert part in ran.err, ran


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Records of this test's own."""
    monkeypatch.setenv("DICEWISE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "data"


def kept(spec: str, *actions: Any) -> int:
    """A game of which so much was played."""
    game = find_game(spec)
    session = Session(game, ["Ann", "Bo"][: game.players], seed=1)
    for action in actions:
        session.push(action)
    with Records() as records:
        return records.keep(session, ["human"] * game.players)


def test_nothing_yet() -> None:
    assert answer("") == "0 game(s)\n"
    assert asked("")["games"] == []
    assert_refused(run("last"), "there is no last game")
    assert_refused(run("7"), "game 7 is not in the records")


def test_the_game_of_the_source_program() -> None:
    assert asked("--import", README_GAME) | {"version": 0} == {
        "schema": 1,
        "version": 0,
        "new": 1,
        "longer": 0,
        "known": 0,
    }
    told = answer("last").splitlines()
    assert [line.strip() for line in told if "->" in line] == [
        "1. Alice 25 -> 74",
        "2. Bliar 25 -> 89",
        "3. Alice 5 -> 16",
        "4. Bliar 2 -> 6",
        "5. Alice 3 -> 10",
        "6. Bliar 2 -> 9",
    ]
    assert told[-1] == "result: Alice 1, Bliar -1"
    assert asked("1")["result"] == ["1", "-1"]
    assert len(asked("1")["events"]) == asked("")["games"][0]["moves"] == 6


def test_list_is_newest_first_and_shows_what_is_not_finished() -> None:
    answer("--import", README_GAME)
    kept("pig(target=20,sides=6)", "roll")
    head, pig, greed, count = answer("").splitlines()
    assert head.split() == ["id", "started", "moves", "game", "players"]
    assert (pig.split()[0], greed.split()[0], count) == ("2", "1", "2 game(s)")
    assert pig.endswith("pig(target=20,sides=6)  Ann, Bo")
    assert greed.endswith("Alice 1, Bliar -1")
    assert "not finished" in answer("2")
    assert [game["id"] for game in asked("")["games"]] == [2, 1]


def test_hints_and_moves_taken_back_are_told() -> None:
    id = kept("greed", 24)
    with Records() as records:
        for kind in ("undo", "hint"):
            records.add(id, Event(kind, 0))
    assert answer(str(id)).splitlines()[-2:] == ["     Ann takes back", "     Ann asks for a hint"]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("greed", [2, 1]),
        ("GREED", [2, 1]),
        ("greed(sides=6)", [2, 1]),
        ("greed(max=50)", [2]),
        ("greed(win=1)", [2, 1]),  # a default that specs leave out
        ("greed(win=2)", []),
        ('greed(die="1:1,2:1")', []),
        ("pig", [3]),
        ("coin-ladder", []),
        (f"{EXAMPLES}/race.py:Race", [4]),
        (f"{EXAMPLES}/../examples/race.py:Race(target=10)", [4]),
        (f"{EXAMPLES}/race.py:Race(target=11)", []),
        ("no-such-file.py:Race", []),
    ],
)
def test_only_one_game(wanted: str, found: list[int]) -> None:
    for spec in ("greed", "greed(max=50)", "pig", f"{EXAMPLES}/race.py:Race(target=10)"):
        kept(spec)
    assert [game["id"] for game in asked("--game", wanted)["games"]] == found


def test_files_are_not_run_and_need_not_be_there(tmp_path: Path) -> None:
    rules = tmp_path / "mine.py"
    rules.write_text((EXAMPLES / "race.py").read_text())
    kept(f"{rules}:Race(target=10)")
    rules.write_text("raise SystemExit('run')")
    assert "mine.py:Race(target=10)" in answer("")
    assert str(tmp_path) not in answer("")
    assert "Ann: human" in answer("last")
    assert "1 game(s)" in answer("--game mine.py:Race")


def test_from_machine_to_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer("--import", README_GAME)
    kept("pig", "roll")
    ran = run("--export games.jsonl")
    assert (ran.code, ran.out, ran.err) == (0, "", "dicewise: 2 game(s) written to games.jsonl\n")
    lines = Path("games.jsonl").read_text()
    assert answer("--export -") == lines
    assert lines.splitlines()[0] == README_GAME.read_text().strip()  # the oldest first
    assert answer("1 --export -") == answer("--game greed --export -") == README_GAME.read_text()
    assert asked("last --export one.jsonl") | {"version": 0} == {
        "schema": 1,
        "version": 0,
        "exported": 1,
        "file": "one.jsonl",
    }
    monkeypatch.setenv("DICEWISE_DATA_DIR", str(tmp_path / "other"))
    command = [sys.executable, "-m", "dicewise", "history", "--import", "-"]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("2 game(s) imported, 0 continued, 0 known already\n", "")
    assert answer("--import games.jsonl") == "0 game(s) imported, 0 continued, 2 known already\n"
    assert answer("--export -") == lines


def test_delete() -> None:
    for _ in range(3):
        kept("pig")
    assert answer("--delete 1") == "deleted game 1\n"
    assert asked("--delete last")["deleted"] == 3
    assert [game["id"] for game in asked("")["games"]] == [2]


REFUSED = [
    ("x", "'x' is not a number"),
    ("1 2", "2"),
    ("--game grede", "did you mean 'greed'"),
    ("--game 'greed(mx=1)'", "did you mean 'max'"),
    ("1 --game pig", "game 1 is not of pig"),
    ("--export a --import b", "do not go together"),
    ("--delete 1 --export a", "do not go together"),
    ("1 --import a", "leave those out"),
    ("--game pig --delete 1", "leave those out"),
    ("--export - --json", "give one of them"),
    ("--export missing/x", "cannot write 'missing/x'"),
    ("--export ''", "cannot write"),
    ("--import missing", "cannot read 'missing'"),
    ("--import .", "cannot read '.'"),
    ("--delete 9", "game 9 is not in the records"),
    ("--delete x", "'x' is not a number"),
    ("--import bad.jsonl", "line 2 cannot be imported"),
]


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case[0])
def test_refused_in_one_helpful_line(case: tuple[str, str]) -> None:
    words, part = case
    answer("--import", README_GAME)
    before = answer("--export -")
    Path("bad.jsonl").write_text(README_GAME.read_text().replace("5b7f", "1234") + "{}\n")
    assert_refused(run(words), part)
    assert answer("--export -") == before
    assert sorted(file.name for file in Path().iterdir()) == ["bad.jsonl", "data"]


def test_damaged_file_is_named_unless_quiet(data: Path) -> None:
    for words, lines in (("", 1), ("--quiet", 0)):
        data.mkdir(exist_ok=True)
        for file in data.iterdir():
            file.unlink()
        (data / "games.sqlite3").write_text("my diary\n" * 1000)
        ran = run(words)
        assert (ran.code, ran.out, ran.err.count("\n")) == (0, "0 game(s)\n", lines)
        assert ("games.sqlite3.damaged-" in ran.err) == bool(lines)
        assert any(file.read_text() == "my diary\n" * 1000 for file in data.glob("*.damaged-*"))


def test_folder_that_cannot_be(data: Path) -> None:
    data.write_text("mine")
    assert_refused(run(""), "games cannot be kept in", "DICEWISE_DATA_DIR")
    assert data.read_text() == "mine"


def test_nothing_that_is_imported_plays_with_the_terminal() -> None:
    content = json.loads(README_GAME.read_text())
    content |= {"names": ["\x1b[2J", "a\nb"], "game": "greed\x07", "start": "\r", "players": ["\x00", "\u202e"]}
    content["events"][0] |= {"action": "\x1b[31m", "outcome": "\x9b"}
    Path("odd.jsonl").write_text(json.dumps(content))
    answer("--import odd.jsonl")
    for words in ("", "last", "--json", "last --json"):
        assert all(letter.isprintable() or letter == "\n" for letter in answer(words))
    assert answer("").count("\n") == 3
    assert answer("--game greed") == "0 game(s)\n"


def test_nothing_heavy_is_loaded() -> None:
    code = """
import sys
from dicewise.cli import main
main(["history"])
print(*({"numpy", "numba", "rich", "matplotlib"} & set(sys.modules)), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("0 game(s)\n", "\n")


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
@pytest.mark.parametrize("ending", ["<&-", "</dev/null"])
def test_no_standard_input(ending: str) -> None:
    command = f"{shlex.quote(sys.executable)} -m dicewise history --import - {ending}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
    assert "bug" not in done.stderr
    assert done.returncode == (2 if "&" in ending else 0)


def test_terminal_without_unicode() -> None:
    content = json.loads(README_GAME.read_text()) | {"names": ["Zoë", "李"]}
    Path("odd.jsonl").write_text(json.dumps(content))
    answer("--import odd.jsonl")
    for words in ([], ["last"], ["last", "--json"], ["--export", "-"]):
        command = [sys.executable, "-m", "dicewise", "history", *words]
        env = os.environ | {"PYTHONIOENCODING": "ascii"}
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=env)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
