"""Work of studies: the same answers on one process and on many, kept, and gone on with after any end."""

from __future__ import annotations

import json
import math
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import work_tasks
from dicewise.cli import common, main
from dicewise.errors import DicewiseError, InputError, LimitError
from dicewise.store import Store
from dicewise.study import kept, work
from dicewise.study.kept import Answers
from dicewise.study.work import Work

posix = pytest.mark.skipif(os.name != "posix", reason="signals")


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Help comes before the first item is done: every item is another process's."""

    class NoTimer:
        daemon = False

        def __init__(self, _: float, begin: Callable[[], None]) -> None:
            self.begin = begin

        def start(self) -> None:
            from threading import Thread

            helper = Thread(target=self.begin)  # a thread of its own: it blocks interrupts for itself
            helper.start()
            helper.join()

        def cancel(self) -> None:
            pass

        join = cancel

    monkeypatch.setattr(work, "Timer", NoTimer)


# ---- answers


def test_answers_come_in_order_from_other_processes(at_once: None) -> None:
    answers = Work(2).map(work_tasks.square, range(50), "squaring")
    assert [answer["square"] for answer in answers] == [item * item for item in range(50)]
    assert os.getpid() not in {answer["by"] for answer in answers}


def test_quick_work_stays_here() -> None:
    answers = Work(4).map(work_tasks.square, range(50), "squaring")
    assert {answer["by"] for answer in answers} == {os.getpid()}


def test_nothing_to_do() -> None:
    assert Work(2).map(work_tasks.square, [], "squaring") == []


def test_help_comes_while_the_first_item_is_worked_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "ALONE", 0.05)
    answers = Work(2).map(work_tasks.slow_square, range(4), "squaring")
    assert [answer["square"] for answer in answers] == [0, 1, 4, 9]
    assert len({answer["by"] for answer in answers}) > 1


def test_numbers_that_json_does_not_know(tmp_path: Path) -> None:
    for fresh in (True, False):
        first = Work(folder=tmp_path, fresh=fresh).map(work_tasks.odd_numbers, [1, 2], "x")
        assert math.isnan(first[0][0])
        assert first[0][1] == math.inf
        assert math.copysign(1, first[0][2]) == -1
        assert first[1][3] == 2.1


@pytest.mark.parametrize("jobs", [1, 2])
def test_errors_survive_the_way_home(jobs: int, at_once: None) -> None:
    for task, kind, words in (
        (work_tasks.refuse, InputError, "3 is not allowed; give another"),
        (work_tasks.go_round, DicewiseError, "play goes round at 7"),
    ):
        with pytest.raises(kind) as caught:
            Work(jobs).map(task, range(5), "x")
        assert str(caught.value) == words
    with pytest.raises((ZeroDivisionError, RuntimeError), match="division"):
        Work(jobs).map(work_tasks.slip, range(3), "x")
    with pytest.raises((TypeError, RuntimeError), match="not JSON serializable"):
        Work(jobs).map(work_tasks.unspeakable, range(3), "x")


@posix
def test_a_process_that_is_killed(at_once: None, tmp_path: Path) -> None:
    with pytest.raises(LimitError, match=r"ended too early \(exit code -9\).*fewer --jobs"):
        Work(2, folder=tmp_path).map(work_tasks.fall, range(30), "x")
    assert not _children()


def test_jobs_that_make_no_sense() -> None:
    with pytest.raises(InputError, match="jobs 0 is not allowed"):
        Work(0)


def _children() -> list[Any]:
    from multiprocessing import active_children

    return active_children()


# ---- progress


def test_progress_is_of_what_is_missing(tmp_path: Path) -> None:
    told: list[tuple[float, str]] = []
    Work(folder=tmp_path).map(work_tasks.square, range(4), "squaring")
    whole = Work(folder=tmp_path, progress=lambda *words: told.append(words))
    whole.stage(0.5, 1).stage(0, 0.5).map(work_tasks.square, range(6), "squaring")
    assert [share for share, _ in told] == [0.625, 0.75, 0.75]
    assert {words for _, words in told} == {"squaring, 4 known before"}


def test_the_time_left_is_not_fooled_by_what_was_known(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("dicewise.cli.common.time.monotonic", lambda: now)
    pace = common._Pace()
    assert pace.left(0.0) is None
    now = 1.0
    pace.left(0.5)  # half of it was known
    for second in range(2, 200):  # the rest takes 500 s more
        now = float(second)
        left = pace.left(0.5 + second / 1000)
    assert left == pytest.approx(500 - 199, rel=0.01)
    assert pace.left(0.0) is None  # another piece of work


def test_the_time_left_does_not_count_the_compiler(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 0.0
    monkeypatch.setattr("dicewise.cli.common.time.monotonic", lambda: now)
    lines = common._Lines()
    lines(0.0, "loading the compiled search")
    for second, done in ((100, 0.0), (101, 0.005), (120, 0.105), (130, 0.155)):  # 200 s of work after 100 s of loading
        now = float(second)
        lines(done, "working")
    told = capsys.readouterr().err.splitlines()
    assert told == [
        "dicewise: loading the compiled search",
        "dicewise: working, 0%",
        "dicewise: working, 10%, about 170 s left",
        "dicewise: working, 16%, about 164 s left",
    ]


def test_nothing_is_said_of_the_time_left_before_a_percent(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("dicewise.cli.common.time.monotonic", lambda: now)
    pace = common._Pace()
    found = []
    for second, done in ((0, 0.0), (10, 0.0001), (11, 0.0099), (20, 0.2)):
        now = float(second)
        found.append(pace.left(done))
    assert found == [None, None, None, pytest.approx(80)]


def test_whoever_listens_may_stop_the_work(tmp_path: Path) -> None:
    def stop(done: float, doing: str) -> None:
        raise InputError("enough")

    with pytest.raises(InputError, match="enough"):
        Work(folder=tmp_path, progress=stop).map(work_tasks.square, range(4), "squaring")
    assert kept.count(tmp_path)[0] == 1


# ---- what is kept


def test_what_is_kept_is_not_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Work(folder=tmp_path).map(work_tasks.square, range(10), "x")
    monkeypatch.setattr(os, "getpid", lambda: 12345)
    again = Work(folder=tmp_path).map(work_tasks.square, [11, *range(9, -1, -1)], "x")
    assert again[1:] == first[::-1]
    assert again[0] == {"square": 121, "by": 12345}
    fresh = Work(folder=tmp_path, fresh=True).map(work_tasks.square, range(3), "x")
    assert {answer["by"] for answer in fresh} == {12345}
    # the newest answer counts
    assert Work(folder=tmp_path).map(work_tasks.square, range(3), "x") == fresh
    assert Work(folder=tmp_path).map(work_tasks.square, [3], "x", keep=False)[0]["by"] == 12345


def test_other_code_and_other_functions_answer_for_themselves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own, other = Answers(tmp_path, work_tasks.square), Answers(tmp_path, work_tasks.nap)
    assert own.path != other.path
    assert own.key(1) != other.key(1)
    monkeypatch.setattr(kept, "_source", lambda module: "changed")
    assert Answers(tmp_path, work_tasks.square).path != own.path


def test_the_source_that_counts_is_all_that_is_used() -> None:
    read: list[str] = []
    text = kept._text

    def note(module: str) -> str:
        read.append(module)
        return text(module)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept, "_text", note)
        kept._source.__wrapped__("dicewise.study.sweep")
    found = {name for name in read if text(name)}
    used = {"study.sweep", "study.rulesets", "engine.solve", "games.greed._kernel", "games.pig.rules", "solution"}
    assert {f"dicewise.{name}" for name in used} <= found
    assert not any(name.startswith(("dicewise.cli", "dicewise.plot", "dicewise.play")) for name in found)
    assert "dicewise.study.discount" not in found


def test_nothing_is_kept_where_nothing_may_be(tmp_path: Path) -> None:
    assert kept.studies_folder(Store(tmp_path, limit=0)) is None
    folder = kept.studies_folder(Store(tmp_path, limit=1))
    assert folder == tmp_path / "studies"
    assert kept.count(folder) == kept.clear(folder) == (0, 0)


@posix
def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("no folder", encoding="utf-8")
    study = Work(folder=place / "studies")
    assert study.stage(0, 1).map(work_tasks.nap, range(3), "x") == [0, 1, 4]
    assert len(study.problems) == 1
    assert study.problems[0].startswith("answers are not kept in")


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def write(self, line: bytes) -> int:
            return len(line) - 1

        def close(self) -> None:
            pass

    monkeypatch.setattr(Answers, "_opened", lambda *_: Full())
    study = Work(folder=tmp_path)
    assert study.map(work_tasks.nap, range(3), "x") == [0, 1, 4]
    assert study.problems == [f"answers are not kept in {tmp_path}: the disk is full"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(answers=st.lists(JSON, min_size=1, max_size=6), data=st.data())
@settings(max_examples=40, deadline=None)
def test_damage_makes_answers_missing_and_never_wrong(
    answers: list[Any], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    notes = Answers(tmp_path_factory.mktemp("notes"), work_tasks.nap)
    keys = [notes.key(number) for number in range(len(answers))]
    for key, answer in zip(keys, answers, strict=True):
        notes.add(key, answer)
    notes.close()
    assert notes.path is not None
    whole = notes.path.read_bytes()
    assert Answers(notes.path.parent, work_tasks.nap).read(keys) == dict(zip(keys, answers, strict=True))
    cut = data.draw(st.integers(0, len(whole)))
    junk = data.draw(st.binary(max_size=8) | st.sampled_from([b"[" * 10_000, b"\n[1,2,3]", b"\nnull\n", b"\xff"]))
    drop = data.draw(st.integers(0, 20))
    notes.path.write_bytes(whole[:cut] + junk + whole[cut + drop :])
    later = Answers(notes.path.parent, work_tasks.nap)
    for key, answer in later.read(keys).items():
        assert answer == answers[keys.index(key)]
    later.add(keys[0], answers[0])  # whatever stands before it, a new line is whole
    later.close()
    assert Answers(notes.path.parent, work_tasks.nap).read(keys[:1]) == {keys[0]: answers[0]}


def test_two_studies_at_the_same_time(tmp_path: Path) -> None:
    command = [sys.executable, work_tasks.__file__, str(tmp_path), "1", "60"]
    runs = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    wanted = [item * item for item in range(60)]
    for run in runs:
        assert json.loads(run.communicate(timeout=60)[0]) == wanted
    notes = _notes_of_the_script(tmp_path)
    assert sorted(notes.values()) == wanted


def _notes_of_the_script(folder: Path) -> dict[str, Any]:
    found = {}
    for file in folder.glob("*.jsonl"):
        for line in file.read_text(encoding="utf-8").splitlines():
            if line:
                key, _, answer = json.loads(line)
                found[key] = answer
    return found


def test_old_answers_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "LIMIT", 1000)
    for number, size in enumerate((600, 300, 500)):
        file = tmp_path / f"old-{number}.jsonl"
        file.write_text("x" * size, encoding="utf-8")
        os.utime(file, (number, number))
    Work(folder=tmp_path).map(work_tasks.nap, [1], "x")
    assert {file.stem for file in tmp_path.iterdir()} >= {"old-1", "old-2"}
    assert not (tmp_path / "old-0.jsonl").exists()


def test_a_long_file_keeps_what_is_of_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Work(folder=tmp_path).map(work_tasks.nap, range(20), "x")
    (file,) = tmp_path.iterdir()
    monkeypatch.setattr(kept, "LIMIT", 500)
    assert file.stat().st_size > 500
    assert Work(folder=tmp_path).map(work_tasks.nap, [2, 3, 30], "x") == [4, 9, 900]
    assert sorted(_notes_of_the_script(tmp_path).values()) == [4, 9, 900]


# ---- interrupted and killed


@posix
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL], ids=["interrupted", "killed"])
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_study_that_is_stopped_goes_on(sent: signal.Signals, jobs: int, tmp_path: Path) -> None:
    command = [sys.executable, work_tasks.__file__, str(tmp_path), str(jobs), "60"]
    chance = random.Random(jobs)
    before, stops = 0, 0
    while True:
        run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0)
        enough = before + chance.randint(5, 40)
        while run.poll() is None and kept.count(tmp_path)[0] < enough:
            time.sleep(0.01)
        if run.poll() is None:
            os.killpg(run.pid, sent) if sent == signal.SIGINT else run.send_signal(sent)  # as a terminal does
        out, err = run.communicate(timeout=60)  # returns when the last of its processes is gone
        after = kept.count(tmp_path)[0]
        if run.returncode == 0:
            break
        stops += 1
        assert run.returncode == (130 if sent == signal.SIGINT else -sent)
        assert after >= enough
        if sent == signal.SIGINT:
            assert err == f"interrupted; {after} of 60 answers are kept, the same command goes on from there\n"
        before = after
    assert stops >= 1
    assert json.loads(out) == [item * item for item in range(60)]
    assert after == 60  # nothing was asked twice


SWEEP = ["study", "sweep", "greed", "--max", "14:19", "--sides", "2:3", "--of", "moves"]


@posix
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL], ids=["interrupted", "killed"])
def test_the_command_goes_on(sent: signal.Signals, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SWEEP, "--json", "--fresh"]) == 0
    whole = capsys.readouterr().out
    command = [sys.executable, "-m", "dicewise", *SWEEP, "--json"]
    env = os.environ | {"DICEWISE_CACHE_DIR": str(tmp_path)}
    run = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0)
    while run.poll() is None and kept.count(tmp_path / "studies")[0] < 4:
        time.sleep(0.005)
    if run.poll() is None:
        os.killpg(run.pid, sent)
    _, err = run.communicate(timeout=60)
    count = kept.count(tmp_path / "studies")[0]
    if run.returncode == 130:
        assert err.endswith(f"interrupted; {count} of 12 answers are kept, the same command goes on from there\n")
        assert err.count("\n") == 1
    assert count >= 4
    result = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
    assert result.stdout == whole
    assert kept.count(tmp_path / "studies")[0] == 12
