"""Playing at one keyboard: through a pipe, as `dicewise play` is run by a person."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dicewise import GAMES, Greed, Session
from dicewise.play.players import find_player
from dicewise.play.records import Records, replay
from dicewise.play.table import Quit, Table

HERE = Path(__file__).parent


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return os.environ | {"DICEWISE_DATA_DIR": str(tmp_path / "data"), "DICEWISE_CACHE_DIR": str(tmp_path / "cache")}


def play(env: dict[str, str], words: str, typed: str | bytes = "", code: int = 0) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "dicewise", "play", *words.split()]
    data = typed.encode() if isinstance(typed, str) else typed
    done = subprocess.run(command, input=data, env=env, capture_output=True, timeout=120)
    out, err = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    assert done.returncode == code, (out[-2000:], err[-2000:])
    assert "Traceback" not in err
    return subprocess.CompletedProcess(command, done.returncode, out, err)


SOURCE = ((25, 74), (25, 89), (5, 16), (2, 6), (3, 10), (2, 9))
"""Dice and totals of the game that the source program's readme shows."""


def test_the_game_of_the_source_program(env: dict[str, str]) -> None:
    typed = "".join(f"{dice}\n{total}\n" for dice, total in SOURCE)
    out = play(env, "greed --max 100 --sides 6 Alice Bliar --first Alice --rolls typed", typed).stdout
    expected = [
        "max: 100, sides: 6",
        "round 0: Alice: 0, Bliar: 0, last: false",
        "Alice rolls: 25",
        "round 1: Bliar: 0, Alice: 74, last: false",
        "Bliar rolls: 25",
        "round 2: Alice: 74, Bliar: 89, last: false",
        "Alice rolls: 5",
        "round 3: Bliar: 89, Alice: 90, last: false",
        "Bliar rolls: 2",
        "round 4: Alice: 90, Bliar: 95, last: false",
        "Alice rolls: 3",
        "round 5: Bliar: 95, Alice: 100, last: false",
        "Bliar rolls: 2",
        "=" * 41,
        "final results",
        "=" * 41,
        "Alice: 100, Bliar: 104",
        "Alice wins!",
    ]
    lines = [line.strip() for line in out.splitlines()]
    at = 0
    for line in expected:
        assert line in lines[at:], (line, out)
        at = lines.index(line, at) + 1
    assert lines[-1] == "Alice wins!"
    assert max(map(len, out.splitlines())) <= 80


def test_typed_faces_count_as_their_total(env: dict[str, str]) -> None:
    out = play(env, "greed --max 12 Alice Blair --first Alice --rolls typed", "2\n3 4\n0\n0\n").stdout
    assert "round 1: Blair: 0, Alice: 7, last: false" in out
    assert "Alice wins!" in out


BAD = ["", "x", "-1", "1e9", "999999", "2.5", "hintt", "\x1b[A", "💥", "9" * 5000, "0 0 0", "nan"]


def test_bad_input_is_answered_in_a_line(env: dict[str, str]) -> None:
    typed = "\n".join(BAD) + "\n1\n0\n"
    done = play(env, "greed --max 12 --seed 1 Alice Blair --first Alice", typed)
    answers = [line for line in done.stdout.splitlines() if line.startswith("  ")]
    assert len(answers) >= len(BAD)
    assert all(len(line) < 400 for line in answers)
    assert "round 1" in done.stdout  # the game went on


def test_ten_megabytes_on_a_line(env: dict[str, str]) -> None:
    done = play(env, "greed --max 12 --seed 1 Alice Blair --first Alice", "7" * 10_000_000 + "\n2\n")
    assert "10,000,000 characters are too many" in done.stdout
    assert "round 1" in done.stdout
    assert len(done.stdout) < 5000


def test_bytes_that_are_no_text(env: dict[str, str]) -> None:
    done = play(env, "greed --max 12 --seed 1 Alice Blair --first Alice", b"\xff\xfe\n2\n")
    assert "kept; go on with" in done.stdout


def test_end_of_input_keeps_the_game_and_it_goes_on(env: dict[str, str]) -> None:
    first = play(env, "greed --max 12 --seed 3 Alice Blair --first Alice", "2\n")
    number = re.search(r"--resume (\d+)", first.stdout)
    assert number
    again = play(env, f"--resume {number[1]}", "0\n0\n")
    assert "round 1: Blair: 0, Alice:" in again.stdout
    assert "final results" in again.stdout
    over = play(env, f"--resume {number[1]}", code=2)
    assert "is over" in over.stderr
    nothing = play(env, "--resume last", code=2)
    assert "no game to go on with" in nothing.stderr


def test_quit_help_hint_board_and_undo(env: dict[str, str]) -> None:
    out = play(env, "greed --seed 1 Alice Blair --first Alice", "?\nhint\nboard\n24\nundo\n23\nquit\n").stdout
    assert "hint   what each action is worth" in out
    assert "24  worth 0.0276835, best" in out
    assert out.count("round 0: Alice: 0, Blair: 0, last: false") == 3
    assert "Blair rolls: undo" in out
    record = Records(Path(env["DICEWISE_DATA_DIR"]) / "games.sqlite3").get("last")
    assert [event.kind for event in record.events] == ["hint", "move", "undo", "move"]
    session = replay(record, Greed())
    assert [move.action for move in session.moves] == [23]
    assert session.moves[0].hinted  # who takes a move back has still seen the advice
    assert session.moves[0].outcome != session.undone[0][1].outcome or session.undone[0][1].action == 24


def test_nothing_to_take_back(env: dict[str, str]) -> None:
    assert "no decision of yours" in play(env, "greed Alice Blair --first Alice", "undo\n").stdout


def test_the_tutor_asks_and_does_not_tell(env: dict[str, str]) -> None:
    out = play(env, "greed --seed 1 --tutor 0.05 Alice Blair --first Alice", "1\nn\n1\nwhat\ny\n").stdout
    asked = [line for line in out.splitlines() if "gives away more than 0.05" in line]
    assert len(asked) >= 2
    assert not any("24" in line for line in asked)
    assert "type y or n" in out
    assert "round 1: Blair: 0, Alice: " in out
    fine = play(env, "greed --seed 1 --tutor 0.05 Alice Blair --first Alice", "24\n").stdout
    assert "gives away" not in fine


@pytest.mark.parametrize("policy", ["optimal", "random", "stand-at-25"])
def test_against_a_policy(env: dict[str, str], policy: str) -> None:
    out = play(env, f"greed --max 30 --seed 5 --against {policy} Alice --first Alice", "3\n" + "0\n" * 20).stdout
    assert f"{policy} rolls: " in out
    assert "final results" in out


def test_undo_against_a_policy_goes_back_to_the_person(env: dict[str, str]) -> None:
    out = play(env, "greed --seed 5 --against optimal Alice --first Alice", "20\nundo\n21\n").stdout
    assert out.count("round 0: Alice: 0, optimal: 0") == 2


def test_who_starts_is_rolled(env: dict[str, str]) -> None:
    starters = set()
    for seed in range(8):
        out = play(env, f"greed --max 12 --seed {seed} --no-record Alice Blair").stdout
        rolls = re.findall(r"who starts\? (.*)", out)
        assert rolls
        last = dict(part.rsplit(" ", 1) for part in rolls[-1].split(", "))
        winner = max(last, key=lambda name: int(last[name]))
        assert f"{winner} starts" in out
        assert f"\n{winner} rolls: " in out
        starters.add(winner)
    assert starters == {"Alice", "Blair"}


@pytest.mark.parametrize("name", list(GAMES))
def test_every_game_can_be_played_to_its_end(name: str) -> None:
    """By a person who types anything that is allowed, in a small variant."""
    game = {
        "greed": Greed(12, 4),
        "pig": GAMES["pig"](target=8),  # type: ignore[call-arg]
    }.get(name) or GAMES[name]()
    session: Session = Session(game, seed=4)
    written: list[str] = []

    rng = random.Random(1)

    def read(prompt: str) -> str:
        return game.label(rng.choice(session.actions))

    people = [find_player("human", game)] * game.players

    def solution() -> None:
        raise AssertionError("nobody asked for it")

    Table(session, people, read=read, write=written.append, solution=solution).run()  # type: ignore[arg-type]
    assert session.over
    assert "final results" in "\n".join(written)
    assert all(len(line) <= 80 for text in written for line in text.splitlines())


def test_a_table_can_be_left() -> None:
    session: Session = Session(Greed(), seed=1)
    people = [find_player("human", Greed())] * 2
    table = Table(session, people, read=lambda _: "quit", write=lambda _: None, solution=lambda: None)  # type: ignore[arg-type, return-value]
    with pytest.raises(Quit):
        table.run()


def test_a_users_own_game(env: dict[str, str]) -> None:
    file = HERE.parent / "examples" / "race.py"
    name = "Race"
    out = play(env, f"{file}:{name} --seed 2 One Two --first One", "1\n1\nhint\nquit\n").stdout
    assert "round 0:" in out
    assert "kept; go on with" in out
    number = re.search(r"--resume (\d+)", out)
    assert number
    assert "round " in play(env, f"--resume {number[1]}", "quit\n").stdout


def test_json(env: dict[str, str]) -> None:
    done = play(env, "greed --max 12 --seed 1 --json Alice Blair --first Alice", "2\n0\n0\n0\n0\n0\n")
    answer = json.loads(done.stdout)
    assert answer["schema"] == 1
    assert answer["names"] == ["Alice", "Blair"]
    assert Session.parse(answer["transcript"]).names == ("Alice", "Blair")
    assert "round 0" in done.stderr


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("greed Alice", "1 names are given"),
        ("greed Alice Alice", "same"),
        ("greed Alice Blair --first Alic", "did you mean 'Alice'"),
        ("greed --against optimall Alice", "did you mean 'optimal'"),
        ("hold-dice --against optimal", "played alone"),
        ("greed Alice Blair --from 200,3", "200"),
        ("greed Alice Blair --seed x", "seed"),
        ("--resume 99999", "not in the records"),
        ("--resume x", "not a number"),
        ("--resume", "no game to go on with"),
        ("", "GAME is missing"),
    ],
)
def test_refusals(env: dict[str, str], words: str, part: str) -> None:
    done = play(env, words, code=2)
    assert re.fullmatch(r"dicewise: [^\n]+\n", done.stderr), done.stderr
    assert part in done.stderr
    assert not done.stdout


def test_records_that_cannot_be_written_do_not_stop_play(env: dict[str, str], tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    done = play(env | {"DICEWISE_DATA_DIR": str(blocked / "deep")}, "greed --max 12 --seed 1 Alice Blair", "2\n")
    assert "goes on without being kept" in done.stderr
    assert "round 1" in done.stdout


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_an_interrupt_is_answered_and_the_game_goes_on(env: dict[str, str]) -> None:
    command = [sys.executable, "-m", "dicewise", "play", "greed", "--seed", "1", "Alice", "Blair", "--first", "Alice"]
    with subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        seen = ""
        while not seen.endswith("Alice rolls: "):
            seen += process.stdout.read(1)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        while not seen.endswith("leaves at once\nAlice rolls: "):
            seen += process.stdout.read(1)
        rest, _ = process.communicate("24\n", timeout=60)
    assert process.returncode == 0
    assert "round 1" in rest
    assert "kept" in rest


def killed_at_random(env: dict[str, str], times: int) -> None:
    """Play until the process is killed: a board is shown only when all moves before it are on the disk."""
    rng = random.Random(7)
    records = Records(Path(env["DICEWISE_DATA_DIR"]) / "games.sqlite3")
    command = [
        sys.executable,
        "-m",
        "dicewise",
        "play",
        "greed",
        "--max",
        "300",
        "--sides",
        "2",
        "A",
        "B",
        "--first",
        "A",
    ]
    moved = 0
    for _ in range(times):
        with subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdin
            assert process.stdout
            process.stdin.write(b"1\n" * 100)
            process.stdin.flush()
            seen = process.stdout.readline()  # it has begun
            time.sleep(rng.uniform(0.0, 0.12))
            process.kill()
            seen += process.stdout.read()
        rounds = [int(number) for number in re.findall(rb"round (\d+):", seen)]
        if not rounds:
            continue
        record = records.get("last")
        session = replay(record, Greed(300, 2))
        assert rounds[-1] <= len(session.moves) <= rounds[-1] + 1
        assert record.ended is None
        moved += len(session.moves)
    assert moved > times  # else this has tested nothing


def test_killed_at_random_moments_of_play(env: dict[str, str]) -> None:
    killed_at_random(env, 20)


@pytest.mark.slow
def test_killed_a_thousand_times(env: dict[str, str]) -> None:
    killed_at_random(env, 1000)
