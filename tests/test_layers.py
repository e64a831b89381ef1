"""Tables in layers: checkpoints, kills, resuming, what does not fit."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dicewise import HootOwl, InputError, LimitError, Store
from dicewise.cli import main
from dicewise.engine import layers
from dicewise.engine.recall import recall_or_solve
from dicewise.layered import Layered, Plan
from dicewise.solution import Report


class Pascal(Layered):
    """A table that anybody can check: row n holds the binomials of n, a layer for each row."""

    def __init__(self, rows: int = 40, stop_at: int | None = None, wide: int = 1) -> None:
        self.rows, self.stop_at, self.wide = rows, stop_at, wide

    def plan(self) -> Plan:
        size = 8 * self.rows**2 * self.wide
        return Plan("pascal", self.rows, self.rows, self.rows, size, size, 0.0)

    def prepare(self) -> None:
        pass

    def report(self) -> Report:
        return Report("pascal", "addition", "one player", self.rows, 0.0, False, 0.0)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.rows, self.rows

    @property
    def bounds(self) -> Any:
        return np.arange(self.rows + 1)

    @property
    def rows_per_block(self) -> int:
        return 1

    @property
    def reads_one_layer(self) -> bool:
        return True

    def fill(self, earlier: Any, at: int, out: Any, first: int, last: int) -> None:
        if first == self.stop_at:
            raise KeyboardInterrupt
        assert last == first + 1
        out[0] = 0.0
        out[0, 0] = 1.0
        if first:
            out[0, 1:] = earlier[first - 1 - at, :-1] + earlier[first - 1 - at, 1:]


KEY = json.dumps({"spec": "pascal"})


def table(folder: Path, layered: Layered, **how: Any) -> Any:
    return np.array(layers.run_in(folder, layered, KEY, **how))


def test_in_memory_and_in_a_folder(tmp_path: Path) -> None:
    from math import comb

    whole, first = layers.run(Pascal())
    assert first == 0
    assert [[int(entry) for entry in row] for row in whole] == [[comb(n, k) for k in range(40)] for n in range(40)]
    assert (table(tmp_path, Pascal(), threads=2) == whole).all()
    assert layers.finished(tmp_path, KEY) is None  # until somebody says what it is
    layers.finish(tmp_path, {"what": "binomials"})
    found = layers.finished(tmp_path, KEY)
    assert found is not None
    assert (found[0] == whole).all()
    assert found[1] == {"what": "binomials"}
    assert not found[0].flags.writeable
    assert layers.finished(tmp_path, KEY.replace("pascal", "fermat")) is None


def test_two_layers_where_there_is_no_room_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, _ = layers.run(Pascal())
    monkeypatch.setattr(layers, "available", lambda: 2000)
    last, first = layers.run(Pascal())
    assert (first, last.shape) == (39, (1, 40))
    assert (last[0] == whole[39]).all()
    monkeypatch.setattr(layers, "available", lambda: 500)
    with pytest.raises(LimitError, match="pascal needs 640 bytes of memory, and 500 bytes is free"):
        layers.run(Pascal())


def test_an_interrupt_says_how_to_go_on(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt, match="21 of 40 layers are kept: 'dicewise solve' with --resume"):
        table(tmp_path, Pascal(stop_at=21))
    assert layers.unfinished(tmp_path) == (21, 40)
    filled: list[int] = []

    class Watched(Pascal):
        def fill(self, earlier: Any, at: int, out: Any, first: int, last: int) -> None:
            filled.append(first)
            super().fill(earlier, at, out, first, last)

    assert (table(tmp_path, Watched()) == layers.run(Pascal())[0]).all()
    assert filled == list(range(21, 40))


@pytest.mark.parametrize("harm", ["layer", "journal", "table", "shape", "fresh"])
def test_what_does_not_fit_its_checksum_is_filled_again(tmp_path: Path, harm: str) -> None:
    whole = table(tmp_path, Pascal())
    if harm == "layer":
        damaged = np.lib.format.open_memmap(tmp_path / layers.TABLE, mode="r+")
        damaged[7, 3] += 1
        damaged[30, 3] += 1
        del damaged
    elif harm == "journal":
        path = tmp_path / layers.JOURNAL
        path.write_text(path.read_text().replace("pascal", "pastis"))
    elif harm == "table":
        os.truncate(tmp_path / layers.TABLE, 1000)
    elif harm == "shape":
        whole = table(tmp_path, Pascal(30))
    assert (table(tmp_path, Pascal(), resume=harm != "fresh") == layers.run(Pascal())[0]).all()
    assert len(whole) in (30, 40)


def test_two_at_a_time_are_refused(tmp_path: Path) -> None:
    with layers._alone(tmp_path, "pascal"), pytest.raises(InputError, match="being solved by another process"):
        table(tmp_path, Pascal())


def test_a_table_that_is_being_filled_is_not_cleared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DICEWISE_CACHE_DIR", str(tmp_path))
    folder = tmp_path / "layers" / "pascal"
    table(folder, Pascal())
    with layers._alone(folder, "pascal"):
        assert main(["cache", "clear"]) == 0
    told = capsys.readouterr()
    assert "removed 0 solution(s)" in told.out
    assert told.err == "dicewise: pascal is being solved by another process; its table is left alone\n"
    assert (folder / layers.TABLE).exists()
    assert main(["cache", "clear"]) == 0
    assert "removed 1 solution(s)" in capsys.readouterr().out
    assert not folder.exists()


def test_a_folder_that_goes_away(tmp_path: Path) -> None:
    class Removed(Pascal):
        def fill(self, earlier: Any, at: int, out: Any, first: int, last: int) -> None:
            super().fill(earlier, at, out, first, last)
            if first == 7:
                (tmp_path / "folder").rename(tmp_path / "gone")

    with pytest.raises(InputError, match="was removed while its table was being filled"):
        table(tmp_path / "folder", Removed())


def test_what_the_disk_has_no_room_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layers, "available", lambda: None)
    with pytest.raises(LimitError, match=r"needs 12\.8 PB on disk|on disk, and .* is free"):
        table(tmp_path, Pascal(wide=10**12))


# ---- killed


KILLED = """
import sys, time
from dicewise.engine import layers
from dicewise.games.hoot_owl.tables import HootTable
fill = HootTable.fill
def slowly(self, *given):
    time.sleep(float(sys.argv[1]))
    fill(self, *given)
HootTable.fill = slowly
from dicewise.cli import main
sys.exit(main(sys.argv[2:]))
"""
SMALL = ("hoot-owl", "--owls", "2", "--path", "abcabdacbdab", "--starts", "0,1", "--suns", "4", "--track", "4")
LARGE = ("hoot-owl", "--owls", "4")


def _whole(game: HootOwl, store: Path) -> bytes:
    from dicewise.engine.layers import folder_of
    from dicewise.store import key_of

    return (folder_of(store, key_of(game) or "") / layers.TABLE).read_bytes()


def _kill_and_resume(words: tuple[str, ...], game: HootOwl, tmp_path: Path, kills: int, pause: float) -> None:
    """Killed at random moments, each run going on with what the one before has left: the same table to the last bit."""
    recall_or_solve(game, Store(tmp_path / "quiet"))
    store = tmp_path / "killed"
    env = os.environ | {"DICEWISE_CACHE_DIR": str(store)}
    command = [sys.executable, "-c", KILLED, str(pause), "solve", *words, "--resume", "--quiet"]
    rng, killed, at = random.Random(8), 0, []
    while killed < kills:
        process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        folder = layers.folder_of(store, _key(game))
        before = _layers_done(folder)
        wanted = before + rng.randint(1, 3)
        while process.poll() is None and _layers_done(folder) < wanted:
            time.sleep(0.002)
        time.sleep(rng.random() * 2 * pause)
        if process.poll() is not None:
            break
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert process.stderr is not None
        assert process.stderr.read() == ""
        process.stderr.close()
        killed += 1
        at.append(_layers_done(folder))
    assert killed == kills
    assert at[-1] > at[0]  # it went on, and not from the beginning each time
    done = subprocess.run([*command[:3], "0", *command[4:]], env=env, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert _whole(game, store) == _whole(game, tmp_path / "quiet")


def _key(game: HootOwl) -> str:
    from dicewise.store import key_of

    return key_of(game) or ""


def _layers_done(folder: Path) -> int:
    found = layers.unfinished(folder)
    return found[0] if found else 0


@pytest.mark.skipif(os.name != "posix", reason="kills as on Unix")
def test_killed_and_resumed_is_the_same_to_the_last_bit(tmp_path: Path) -> None:
    game = HootOwl(2, path="abcabdacbdab", starts=(0, 1), suns=4, track=4)
    _kill_and_resume(SMALL, game, tmp_path, kills=3, pause=0.03)


@pytest.mark.slow
def test_killed_at_20_random_moments(tmp_path: Path) -> None:
    _kill_and_resume(LARGE, HootOwl(4), tmp_path, kills=20, pause=0.01)


@pytest.mark.skipif(os.name != "posix", reason="Ctrl-C as on Unix")
def test_ctrl_c_ends_with_130_and_one_line(tmp_path: Path) -> None:
    env = os.environ | {"DICEWISE_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", KILLED, "0.05", "solve", *SMALL, "--quiet"]
    process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    folder = layers.folder_of(tmp_path, _key(HootOwl(2, path="abcabdacbdab", starts=(0, 1), suns=4, track=4)))
    while _layers_done(folder) < 3:
        assert process.poll() is None
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err.count("\n") == 1
    assert "--resume goes on from there" in err


# ---- the commands


def test_the_plan(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "hoot-owl", "--owls", "6", "--hands", "2", "--plan", "--json"]) == 2
    out, err = capsys.readouterr()
    plan = json.loads(out)
    assert plan["states"] == 3_930_550 * 13 * 84 * 84
    assert plan["disk"] == 3_930_550 * 13 * 28 * 84 * 8
    assert not plan["fits"]
    assert err.count("\n") == 1
    assert "needs 961.5 GB of memory" in err
    assert main(["solve", "hoot-owl", "--owls", "2", "--plan"]) == 0
    assert "688,506\n" not in capsys.readouterr().out
    assert main(["solve", "greed", "--plan"]) == 2
    assert "is not solved in layers" in capsys.readouterr().err
    assert main(["solve", "hoot-owl", "--resume", "--no-store"]) == 2


def test_the_commands_share_the_table(capsys: pytest.CaptureFixture[str], monkeypatch: Any, tmp_path: Path) -> None:
    monkeypatch.setenv("DICEWISE_CACHE_DIR", str(tmp_path))
    assert main(["solve", *SMALL, "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert main(["advise", *SMALL, "owls=0,1", "hand=abc", "--json"]) == 0
    assert main(["solve", *SMALL, "--json"]) == 0
    capsys.readouterr()
    assert main(["cache", "list", "--json"]) == 0
    (kept,) = json.loads(capsys.readouterr().out)["layers"]
    assert kept["game"] == first["game"]
    assert main(["cache", "clear"]) == 0
    assert layers.kept(tmp_path) == []


def test_resume_checks_a_finished_table(monkeypatch: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("DICEWISE_CACHE_DIR", str(tmp_path))
    game = HootOwl(2, path="abcabdacbdab", starts=(0, 1), suns=4, track=4)
    assert main(["solve", *SMALL]) == 0
    whole = _whole(game, tmp_path)
    damaged = np.lib.format.open_memmap(layers.folder_of(tmp_path, _key(game)) / layers.TABLE, mode="r+")
    damaged[30] += 0.1
    del damaged
    capsys.readouterr()
    for resume, stored in ([], True), (["--resume"], False), (["--resume"], True):
        assert main(["solve", *SMALL, "--json", *resume]) == 0
        assert json.loads(capsys.readouterr().out)["stored"] == stored
        assert (_whole(game, tmp_path) == whole) == bool(resume)
