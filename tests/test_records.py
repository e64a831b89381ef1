"""No acknowledged move is lost, not to a kill, a crowd, a full disk or a damaged file, and nothing wrong is read."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dicewise import GAMES, Game, find_game
from dicewise.errors import InputError, RecordsError
from dicewise.play import database
from dicewise.play.records import Drill, Event, Record, Records, address_of, event_of, replay, source_of
from dicewise.play.session import Session

EXAMPLES = Path(__file__).parents[1] / "examples"
on_posix = pytest.mark.skipif(os.name != "posix", reason="needs signals and limits")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "games.sqlite3"


@pytest.fixture
def records(path: Path) -> Iterator[Records]:
    with Records(path) as records:
        yield records


def begin(records: Records, game: str = "pig(target=20,sides=6)", **more: Any) -> int:
    return records.begin(game, ("Ann", "Bo"), ("human", "optimal"), **{"seed": 5} | more)


def python(code: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process: subprocess.Popen[str], timeout: float = 120) -> str:
    out, err = process.communicate(timeout=timeout)
    assert (process.returncode, err) == (0, "")
    return out


def line(**changes: Any) -> str:
    content = {
        "schema": 1,
        "uuid": "1",
        "game": "pig",
        "names": ["Ann"],
        "players": ["human"],
        "seed": 1,
        "started": "2026-01-31T18:05:09Z",
        "events": [],
    }
    return json.dumps({name: value for name, value in (content | changes).items() if value != "gone"})


def event(**changes: Any) -> list[dict[str, Any]]:
    return [{"kind": "move", "player": 0, "action": "roll", "outcome": "2", "at": "2026-01-31T18:05:09Z"} | changes]


def played(session: Session[Any, Any], rng: random.Random, moves: int = 10**6) -> Session[Any, Any]:
    """A session gone on with at random, with hints and moves taken back."""
    while moves and not session.over:
        moves -= 1
        if rng.random() < 0.1:
            session.hint()
        session.push(rng.choice(session.actions))
        if rng.random() < 0.1:
            session.undo()
    return session


# ---- what goes in comes out


def test_a_game_from_beginning_to_end(records: Records) -> None:
    seed = 2**200 + 1
    id = begin(records, seed=seed, number=2**63, start="3 4", source="abc")
    events = [
        Event("move", 0, "roll", "6", choice=0, roll=5),
        Event("hint", 1),
        Event("move", 1, "", "", "2026-01-31T19:05:09.25+01:00"),
        Event("undo", 1),
    ]
    for event in events:
        records.add(id, event)
    assert [record.id for record in records.unfinished()] == [id]
    records.finish(id, (Fraction(1, 2), -0.1))
    record = records.get(id)
    events[2] = dataclasses.replace(events[2], at="2026-01-31T18:05:09.250Z")
    assert record.events == tuple(events)
    assert (record.seed, record.number, record.start, record.source) == (seed, 2**63, "3 4", "abc")
    assert (record.names, record.players) == (("Ann", "Bo"), ("human", "optimal"))
    assert record.result == (Fraction(1, 2), -0.1)
    assert record.ended is not None
    assert record.started <= record.ended
    assert record.started.endswith("Z")
    assert records.get("last") == records.get(str(id)) == record
    assert records.unfinished() == []
    for refused in (lambda: records.add(id, events[0]), lambda: records.finish(id, (1, 1))):
        with pytest.raises(InputError, match="is over"):
            refused()


def test_newest_first_and_ids_are_not_used_again(records: Records) -> None:
    ids = [begin(records) for _ in range(3)]
    records.add(ids[1], Event("hint", 0))
    assert [record.id for record in records.all()] == ids[::-1]
    assert records.delete(ids[2]) == ids[2]
    assert begin(records) > ids[2]
    for refused in (lambda: records.get(ids[2]), lambda: records.delete(ids[2])):
        with pytest.raises(InputError, match=f"game {ids[2]} is not in the records"):
            refused()
    records.delete(ids[1])
    with sqlite3.connect(records.path) as db:
        assert db.execute("SELECT count(*) FROM events").fetchone() == (0,)
    db.close()


def test_deleted_games_leave_no_trace(records: Records, path: Path) -> None:
    id = records.begin("pig", ["Rumpelstiltskin"], ["human"], seed=1)
    records.add(id, Event("move", 0, "Rumpelstiltskin"))
    records.delete(id)
    records.close()
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert b"Rumpelstiltskin" not in path.read_bytes()


@pytest.mark.parametrize("which", ["", "x", "-1", "1.5", "²", "9" * 30, -1])
def test_ids_that_are_none(records: Records, which: Any) -> None:
    with pytest.raises(InputError, match="is not a number"):
        records.get(which)


def test_nothing_is_kept_that_could_not_be_read_back(records: Records) -> None:
    with pytest.raises(InputError, match="one per seat"):
        records.begin("pig", ["Ann"], ["human", "human"], seed=1)
    with pytest.raises(InputError, match="half a letter"):
        records.begin("pig", ["\ud800"], ["human"], seed=1)
    id = begin(records)
    for event, reason in (
        (Event("fold", 0), "'fold' is not known"),
        (Event("move", 2), "player 2"),
        (Event("move", 0, at="yesterday"), "not a time"),
        (Event("move", 0, choice=-1), "choice -1"),
    ):
        with pytest.raises(InputError, match=reason):
            records.add(id, event)
    with pytest.raises(InputError, match="1 numbers for 2 seats"):
        records.finish(id, (1,))
    assert records.get(id).events == ()
    assert records.get(id).ended is None


def test_drills(records: Records, path: Path) -> None:
    records.put_drill("b", Drill(1, "2026-02-02", {"state": "85 70", "é": [1, None]}))
    records.put_drill("a", Drill(1, "2026-02-03", None))
    records.put_drill("b", Drill(2, "2026-02-04", {"state": "85 70"}))
    with Records(path) as again:
        kept = {"a": Drill(1, "2026-02-03", None), "b": Drill(2, "2026-02-04", {"state": "85 70"})}
        assert list(again.drills().items()) == list(kept.items())  # the first due first
        spoilt = "INSERT INTO drills VALUES ('c', 'x', '', 'null'), ('d', 1, x'ff', 'null'), ('e', 1, '', '{')"
        again._file.run(lambda db: db.execute(spoilt))
        assert again.drills() == kept


def test_the_folder_is_the_users_choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DICEWISE_DATA_DIR", str(tmp_path / "mine"))
    with Records() as records:
        assert records.path == tmp_path / "mine" / "games.sqlite3"
    assert records.path.exists()
    monkeypatch.delenv("DICEWISE_DATA_DIR")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    if sys.platform == "linux":
        with Records() as records:
            assert records.path == tmp_path / "home" / "dicewise" / "games.sqlite3"


# ---- replay


SPECS = [
    "greed(max=30,sides=6)",
    "greed(max=12,sides=4,players=3)",
    "pig(target=20,sides=6)",
    "coin-ladder",
    "hold-dice(dice=3,sides=4)",
    "yahtzee(rules=official,boxes=(ones,twos,yahtzee),dice=3,sides=3)",
    "hoot-owl(owls=2,model=deck,hands=2,path=abcabc,starts=(0,1),cards=(3),suns=4,track=3)",
    f"{EXAMPLES / 'shut_the_box.py'}:ShutTheBox(tiles=4,dice=1)",
]


def test_every_game_is_replayed() -> None:
    assert {find_game(spec).name for spec in SPECS} >= set(GAMES)


@pytest.mark.parametrize("spec", SPECS)
def test_a_session_that_was_kept_is_the_same_again_and_goes_on_the_same(spec: str, records: Records) -> None:
    for seed in range(8):
        rng = random.Random(seed)
        game = find_game(spec)
        session = Session(game, seed=seed, number=7)
        id = records.keep(played(session, rng, moves=2), ["human"] * game.players)
        resumed = replay(records.get(id), game)
        assert resumed == session
        kept = len(session.log)
        for each in (session, resumed):
            played(each, random.Random(seed))
        assert resumed == session
        for _, entry in session.log[kept:]:
            records.add(id, event_of(game, entry) if not isinstance(entry, str) else Event(entry, 0))
        records.finish(id, session.result)
        record = records.get(id)
        again = find_game(record.game)  # as it is found later, perhaps in another folder
        assert again == game or address_of(again) == address_of(game)
        assert record.source == source_of(again)
        assert bool(record.source) == (".py:" in spec)
        replayed = replay(record, game)
        assert replayed == session
        assert replayed.result == session.result


def test_a_game_from_another_position(records: Records) -> None:
    game = find_game("greed")
    session = Session(game, ["Ann", "Bo"], seed=1, state=game.at(85, 70, last=True))
    session.push(2, 7)
    record = records.get(records.keep(session, ["human", "human"]))
    assert record.start == "85 70 last"
    assert replay(record, game) == session


@dataclasses.dataclass(frozen=True)
class Twins(Game[int, str]):
    """Everything is called the same."""

    left: bool = True

    def start(self) -> int:
        return 0

    def actions(self, state: int) -> list[int]:  # type: ignore[override]
        return [10, 20] if state == 0 else []

    def step(self, state: int, action: Any) -> list[tuple[str, int, int]]:  # type: ignore[override]
        return [("heads", 1, action + 1), ("tails", 1, action + 2)]

    def payoff(self, state: int) -> int:
        return state

    def label(self, move: Any) -> str:
        return "same"


def test_moves_with_the_same_label_are_told_apart(records: Records) -> None:
    for action in (10, 20):
        for outcome in ("heads", "tails"):
            session = Session(Twins(), seed=1)
            session.push(action, outcome)
            record = records.get(records.keep(session, ["human"]))
            assert replay(record, Twins()) == session
            events = [dataclasses.replace(event, roll=None) for event in record.events]
            with pytest.raises(InputError, match=r"event 1 .*may mean several things"):
                replay(dataclasses.replace(record, events=tuple(events)), Twins())


def test_rules_that_have_changed_are_noticed() -> None:
    def record(*events: Event, **more: Any) -> Record:
        about = {"names": ("Ann", "Bo"), "players": ("human",) * 2, "start": "", "ended": None} | more
        return Record(3, "greed", "", seed=1, number=0, started="2026-01-01T00:00Z", events=events, **about)

    game = find_game("greed")
    roll = Event("move", 0, "25", "74", choice=25, roll=49)
    assert replay(record(roll), game).state.scores == (74, 0)
    moved = dataclasses.replace(roll, choice=3, roll=8)  # listed elsewhere now: the label is what was meant
    assert replay(record(moved), game).state.scores == (74, 0)
    for events, reason in (
        ((roll, Event("move", 0, "1", "1")), "event 2 of game 3 .*Ann moved, but it is the turn of Bo"),
        ((Event("move", 0, "30", "100"),), "event 1 .*action '30' is not possible"),
        ((Event("move", 0, "1", "7"),), "event 1 .*outcome '7' is not possible"),
        ((Event("move", 0, "2", "1"),), "event 1 .*outcome '1' is not possible"),  # 10, 11, 12 begin with it
        ((Event("undo", 0),), "event 1 .*no move to take back"),
    ):
        with pytest.raises(InputError, match=reason):
            replay(record(*events), game)
    stand = (Event("move", 0, "0"), Event("move", 1, "0"))
    assert replay(record(*stand, ended="2026-01-01T00:01Z", result=(0, 0)), game).over
    for wrong in (record(*stand, ended="2026-01-01T00:01Z", result=(1, -1)), record(roll, ended="x", result=(0, 0))):
        with pytest.raises(InputError, match=r"game 3 ended with .* but not by these rules"):
            replay(wrong, game)


# ---- kill -9


PLAYER = """
    import sys
    from dicewise.play.records import Event, Records
    print("up", flush=True)
    records = Records(sys.argv[1])
    id = records.begin("pig", ["Ann"], ["human"], seed=1)
    print(id, flush=True)
    for n in range(10**6):
        records.add(id, Event("move", 0, f"move {n} of {id}", "x" * (n % 7 * 100)))
        print(n, flush=True)
"""


def kill_and_look(path: Path, rng: random.Random, known: dict[int, int]) -> None:
    """Kill a player at a random moment; every acknowledged move, those of earlier games too, must be there."""
    player = python(PLAYER, path)
    assert player.stdout is not None
    assert player.stderr is not None
    with player, player.stdout, player.stderr:
        assert player.stdout.readline() == "up\n"
        time.sleep(rng.choice([0.002, 0.02, 0.2]) * rng.random())
        player.kill()
        said, err = player.stdout.read(), player.stderr.read()  # communicate() would skip what readline() has buffered
    assert (player.returncode, err) == (-signal.SIGKILL, "")
    whole = [int(line) for line in said.splitlines(keepends=True) if line.endswith("\n")]
    if whole:
        known[whole[0]] = len(whole) - 1
    with Records(path) as records:
        assert records.problem is None
        found = {record.id: record for record in records.all()}
        assert records.problem is None
    for id, acknowledged in known.items():
        events = found[id].events
        assert acknowledged <= len(events) <= acknowledged + 1
        known[id] = len(events)
        for n, event in enumerate(events):
            assert (event.action, event.outcome) == (f"move {n} of {id}", "x" * (n % 7 * 100))
    assert len(found) - len(known) in (0, 1)
    for id in set(found) - set(known):  # killed before it could say that the game has begun
        assert found[id].events == ()
        known[id] = 0


def kills(tmp_path: Path, count: int) -> None:
    rng = random.Random(count)
    known: dict[int, int] = {}
    moves = 0
    for number in range(count):
        folder = tmp_path / str(number // 25)  # a new file now and then: it may be killed while it is being made
        if number % 25 == 0:
            known = {}
        kill_and_look(folder / "games.sqlite3", rng, known)
        moves += sum(known.values()) if number % 25 == 24 or number == count - 1 else 0
    assert moves > count  # they did play


@on_posix
def test_twenty_kills(tmp_path: Path) -> None:
    kills(tmp_path, 20)


@on_posix
@pytest.mark.slow
def test_a_thousand_kills(tmp_path: Path) -> None:
    kills(tmp_path, 1000)


# ---- a crowd


WRITER = """
    import sys
    from dicewise.play.records import Event, Records
    records = Records(sys.argv[1])
    shared, count = int(sys.argv[2]), int(sys.argv[3])
    id = records.begin("pig", ["Ann"], ["human"], seed=1)
    for n in range(count - 1):
        records.add(shared if n % 5 == 0 else id, Event("move", 0, f"{id} {n}"))
    records.finish(id, [1])
    print(id)
"""


def crowd(path: Path, count: int) -> None:
    """Eight processes write to games of their own and, every fifth time, to one that they share."""
    with Records(path) as records:
        shared = records.begin("pig", ["Ann"], ["human"], seed=1)
    writers = [python(WRITER, path, shared, count) for _ in range(8)]
    ids = [int(finish(writer, timeout=600)) for writer in writers]
    with Records(path) as records:
        assert records.problem is None
        found = {record.id: [event.action for event in record.events] for record in records.all()}
    assert sorted(found) == sorted([shared, *ids])
    for id in ids:
        written = [f"{id} {n}" for n in range(count - 1)]
        assert found[id] == [action for n, action in enumerate(written) if n % 5]
        assert [action for action in found[shared] if action.startswith(f"{id} ")] == written[::5]


def test_eight_processes(path: Path) -> None:
    crowd(path, 100)


@pytest.mark.slow
def test_eight_processes_with_a_thousand_writes_each(path: Path) -> None:
    crowd(path, 1000)


def test_eight_processes_make_the_same_file(path: Path) -> None:
    code = """
        import sys
        from dicewise.play.records import Records
        print(Records(sys.argv[1]).begin("pig", ["Ann"], ["human"], seed=1))
    """
    starters = [python(code, path) for _ in range(8)]
    assert sorted(int(finish(starter)) for starter in starters) == list(range(1, 9))


def test_a_game_that_goes_on_in_two_places_is_not_mixed_up(records: Records, path: Path) -> None:
    id = begin(records)
    records.add(id, Event("hint", 0))
    with Records(path) as other:
        other.get(id)
        records.add(id, Event("hint", 0))
        with pytest.raises(RecordsError, match=f"game {id} has gone on in another process"):
            other.add(id, Event("hint", 1))
        assert other.get(id).events == records.get(id).events
        other.add(id, Event("hint", 1))
    assert [event.player for event in records.get(id).events] == [0, 0, 1]


def test_a_program_that_does_not_let_go(records: Records, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    id = begin(records)
    monkeypatch.setattr(database, "PATIENCE", 0.2)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(RecordsError, match="another program has locked it"):
        records.add(id, Event("hint", 0))
    assert records.get(id).events == ()  # reading goes on
    other.execute("COMMIT")
    other.close()
    records.add(id, Event("hint", 0))
    assert len(records.get(id).events) == 1


def test_a_move_is_on_the_disk_and_not_only_on_its_way(records: Records) -> None:
    settings = ("journal_mode", b"wal"), ("synchronous", 2), ("foreign_keys", 1)
    for name, wanted in settings:
        found = records._file.run(lambda db, name=name: db.execute(f"PRAGMA {name}").fetchone()[0])
        assert found == wanted, name


# ---- damaged and foreign files


def filled(path: Path, games: int = 12) -> dict[int, Record]:
    """A file with some games, closed, so that all is in one file."""
    moves = [event(action=f"move {n}", outcome="x" * n)[0] for n in range(30)]
    with Records(path) as records:
        records.import_(line(uuid=str(number), events=moves) for number in range(games))
        return {record.id: record for record in records.all()}


def aside_of(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f"{path.name}.damaged-*"))


def foreign_database(path: Path) -> None:
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE mine (x)")
    db.commit()
    db.close()


def overwritten(path: Path, start: int, content: bytes) -> None:
    filled(path)
    with path.open("r+b") as file:
        file.seek(start)
        file.write(content)


SPOILT = {
    "text": lambda path: path.write_text("my diary\n" * 1000),
    "a few bytes": lambda path: path.write_bytes(b"diary"),
    "another program's database": foreign_database,
    "no header": lambda path: overwritten(path, 0, b"x" * 100),
    "nothing but zeros": lambda path: path.write_bytes(bytes(8192)),
    "cut off": lambda path: (filled(path), os.truncate(path, path.stat().st_size // 2 // 4096 * 4096)),
    "a page of garbage": lambda path: overwritten(path, 4096, random.Random(1).randbytes(4096)),
}


@pytest.mark.parametrize("how", SPOILT)
def test_a_damaged_or_foreign_file_is_named_and_kept_aside(how: str, path: Path) -> None:
    path.parent.mkdir()
    SPOILT[how](path)
    content = path.read_bytes()
    with Records(path) as records:
        (aside,) = aside_of(path)
        assert records.problem is not None
        assert "\n" not in records.problem
        assert str(path) in records.problem
        assert aside.name in records.problem
        assert aside.read_bytes() == content
        id = begin(records)
    with Records(path) as records:
        assert records.problem is None
        assert [record.id for record in records.all()] == [id]
    assert aside.read_bytes() == content


def test_an_empty_file_is_a_new_one(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    with Records(path) as records:
        assert begin(records) == 1
    assert aside_of(path) == []


@pytest.mark.parametrize("seed", range(4))
def test_damage_is_never_taken_for_a_game(seed: int, path: Path) -> None:
    right = filled(path)
    sound = path.read_bytes()
    rng = random.Random(seed)
    outcomes = {"whole": 0, "left out": 0, "set aside": 0, "refused": 0}
    for _ in range(60):
        for file in path.parent.iterdir():
            file.unlink()
        content = bytearray(sound)
        for _ in range(rng.choice([1, 1, 8])):
            content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        path.write_bytes(content)
        try:
            with Records(path) as records:
                found = records.all()
                problem = records.problem
        except RecordsError:
            outcomes["refused"] += 1
            assert aside_of(path) or path.read_bytes() == content
            continue
        for record in found:
            assert record == right[record.id]
        if aside_of(path):
            assert aside_of(path)[0].read_bytes() == content
            outcomes["set aside"] += 1
        else:
            assert (len(found) == len(right)) == (problem is None)
            outcomes["whole" if problem is None else "left out"] += 1
    assert outcomes["left out"] > 5
    assert outcomes["whole"] > 5


def test_a_damaged_game_does_not_hide_the_others(path: Path) -> None:
    right = filled(path)
    damaged, missing, robbed, richer, longer = sorted(right)[3:8]
    db = sqlite3.connect(path)
    db.execute("UPDATE events SET event = replace(event, 'move', 'undo') WHERE game = ? AND n = 7", (damaged,))
    db.execute("DELETE FROM events WHERE game = ? AND n = 8", (missing,))
    db.execute("UPDATE events SET game = ?, n = 30 WHERE game = ? AND n = 29", (richer, robbed))
    db.execute("UPDATE games SET length = ? WHERE id = ?", (1 << 60, longer))
    db.commit()
    db.close()
    with Records(path) as records:
        assert {record.id for record in records.all()} == set(right) - {damaged, missing, robbed, richer, longer}
        assert records.problem is not None
        assert "is damaged and left out" in records.problem
        for id in (damaged, missing, robbed, richer, longer):
            with pytest.raises(RecordsError, match=f"game {id} is damaged"):
                records.get(id)
            records.delete(id)
        assert len(records.all()) == len(right) - 5


def test_damage_that_appears_during_play(path: Path) -> None:
    filled(path)
    spoil = """
        import random, sqlite3, sys
        with open(sys.argv[1], "r+b") as file:
            file.seek(10 * 4096)
            file.write(random.Random(1).randbytes(5 * 4096))
        with sqlite3.connect(sys.argv[1]) as db:  # a change, so that nobody trusts what is in memory
            db.execute("INSERT INTO drills VALUES ('key', 1, 'now', 'null')")
    """
    with Records(path) as records:
        finish(python(spoil, path))
        with pytest.raises(RecordsError, match=r"it is kept as .*what is played now is not kept"):
            records.all()
        assert len(aside_of(path)) >= 1
        assert begin(records) == 1  # in a new file
        assert [record.id for record in records.all()] == [1]


def test_four_processes_find_the_same_damage(path: Path) -> None:
    filled(path)
    with path.open("r+b") as file:
        file.write(b"x" * 100)
    content = path.read_bytes()
    code = """
        import sys
        from dicewise.play.records import Event, Records
        records = Records(sys.argv[1])
        id = records.begin("pig", ["Ann"], ["human"], seed=1)
        for n in range(20):
            records.add(id, Event("hint", 0))
    """
    for process in [python(code, path) for _ in range(4)]:
        finish(process)
    (aside,) = aside_of(path)
    assert aside.read_bytes() == content
    with Records(path) as records:
        assert [len(record.events) for record in records.all()] == [20] * 4


def test_a_file_of_a_newer_version_is_left_alone(path: Path) -> None:
    filled(path)
    db = sqlite3.connect(path)
    db.execute("PRAGMA user_version = 2")
    db.close()
    content = path.read_bytes()
    with pytest.raises(RecordsError, match="version 2, this dicewise knows version 1; update"):
        Records(path)
    assert path.read_bytes() == content
    assert aside_of(path) == []


# ---- places that cannot be written to


@on_posix
@pytest.mark.parametrize("place", ["file/games.sqlite3", "/proc/dicewise/games.sqlite3", "folder", "x" * 300])
def test_places_that_cannot_be(place: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    with pytest.raises(RecordsError, match="games cannot be kept in") as caught:
        Records(tmp_path / place)
    assert "\n" not in str(caught.value)
    assert "DICEWISE_DATA_DIR" in str(caught.value)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["file", "folder"]


@on_posix
def test_a_full_disk_loses_nothing_and_play_goes_on(path: Path) -> None:
    code = """
        import resource, sys
        from dicewise.errors import RecordsError
        from dicewise.play.records import Event, Records
        records = Records(sys.argv[1])
        id = records.begin("pig", ["Ann"], ["human"], seed=1)
        unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, unlimited[1]))
        kept = refused = 0
        while refused < 5:
            try:
                records.add(id, Event("move", 0, f"{kept}", "x" * 3000))
                kept += 1
            except RecordsError as error:
                assert "games cannot be kept in" in str(error), error
                assert "\\n" not in str(error)
                refused += 1
        assert kept > 5, kept
        assert len(records.get(id).events) == kept
        resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
        records.add(id, Event("move", 0, f"{kept}"))
        print(kept + 1)
    """
    kept = int(finish(python(code, path)))
    with Records(path) as records:
        assert records.problem is None
        assert [event.action for event in records.get("last").events] == [str(n) for n in range(kept)]


# ---- lines


def exported(records: Records) -> str:
    file = io.StringIO()
    records.export(file)
    return file.getvalue()


def test_export_and_import(records: Records, tmp_path: Path) -> None:
    for seed in range(5):
        game = find_game("greed(max=20,sides=4)")
        session = played(Session(game, ["Ann", "Zoë, \u2028 7"[:4]], seed=seed), random.Random(seed), 20 if seed else 1)
        id = records.keep(session, ["human", "optimal"])
        if session.over:
            records.finish(id, session.result)
    text = exported(records)
    assert text.isascii()
    assert len(text.splitlines()) == 5
    assert all(json.loads(line)["schema"] == 1 for line in text.splitlines())
    with Records(tmp_path / "other.sqlite3") as other:
        assert other.import_(io.BytesIO(text.encode())) == (5, 0, 0)
        assert other.import_(io.StringIO(text)) == (0, 0, 5)
        assert exported(other) == text
        forget = dataclasses.replace
        assert [forget(it, id=0) for it in other.all()] == [forget(it, id=0) for it in records.all()]
        assert other.import_([]) == (0, 0, 0)


def test_a_game_that_went_on_elsewhere(records: Records, tmp_path: Path) -> None:
    id = begin(records)
    records.add(id, Event("move", 0, "roll", "2"))
    short = exported(records)
    with Records(tmp_path / "other.sqlite3") as other:
        other.import_([short])
        (there,) = other.all()
        other.add(there.id, Event("move", 0, "roll", "3"))
        other.finish(there.id, (1, 0))
        long = exported(other)
        assert other.import_([short]) == (0, 0, 1)  # what is here and longer stays
        assert exported(other) == long
    assert records.import_([long, short, long]) == (0, 1, 2)
    assert exported(records) == long
    assert records.get(id).result == (1, 0)


def test_games_that_went_on_differently_stay_as_they_are_here(records: Records) -> None:
    id = begin(records)
    records.add(id, Event("move", 0, "roll", "2"))
    content = json.loads(exported(records))
    content["events"][0]["outcome"] = "3"
    content["events"].append(content["events"][0])
    before = exported(records)
    assert records.import_([json.dumps(content)]) == (0, 0, 1)
    assert exported(records) == before


BAD = [
    ("{", "not JSON"),
    ("[]", "an object"),
    ("[" * 100_000, "not JSON"),
    ("1" * 5000, "not JSON"),
    (b'"\xff"', "not JSON"),
    ("null", "an object"),
    (line(schema=2), "schema 2 is not known"),
    (line(schema="gone"), "schema None"),
    (line(uuid="gone"), "uuid None"),
    (line(uuid=""), "uuid is empty"),
    (line(game=7), "game 7 is not a text"),
    (line(game="\ud800"), "half a letter"),
    (line(names="Ann"), "names 'Ann' is not a list"),
    (line(names=[], players=[]), "one per seat"),
    (line(names=["Ann", "Bo"]), "one per seat"),
    (line(seed=-1), "seed -1"),
    (line(seed=1.0), "seed 1.0"),
    (line(seed=True), "seed True"),
    (line(number="1"), "number '1'"),
    (line(started="2026-01-31T18:05:09"), "started"),
    (line(started="0001-01-01T00:00:00+23:00"), "started"),
    (line(ended="2026-01-31T18:05:09Z"), "do not go together"),
    (line(ended="2026-01-31T18:05:09Z", result=["1", "2"]), "2 numbers for 1 seats"),
    (line(ended="2026-01-31T18:05:09Z", result=["one"]), "'one' is not a number"),
    (line(ended="2026-01-31T18:05:09Z", result=["1/0"]), "'1/0' is not a number"),
    (line(ended="2026-01-31T18:05:09Z", result=[1]), "result 1 is not a text"),
    (line(events={}), "events {} is not a list"),
    (line(events=[7]), "event 7"),
    (line(events=event(kind="fold")), "'fold' is not known"),
    (line(events=event(player=1)), "player 1 is not at the table"),
    (line(events=event(player=None)), "player None"),
    (line(events=event(action=5)), "action 5"),
    (line(events=event(roll=-1)), "roll -1"),
    (line(events=event(at="now")), "at 'now'"),
    (line(events=event(at="now" * 10**6)), "at 'now"),
    (line(names=[[0] * 10**6]), "names [0, 0"),
]


def test_the_line_that_the_bad_ones_are_made_of_is_good(records: Records) -> None:
    assert records.import_([line(events=event())]) == (1, 0, 0)
    (record,) = records.all()
    assert record.events == (Event("move", 0, "roll", "2", "2026-01-31T18:05:09.000Z"),)


@pytest.mark.parametrize(("bad", "reason"), BAD, ids=range(len(BAD)))
def test_a_bad_line_is_named_and_nothing_is_imported(bad: str | bytes, reason: str, records: Records) -> None:
    with pytest.raises(InputError) as caught:
        records.import_([line(uuid="7"), "\n", bad, line(uuid="8")])
    assert str(caught.value).startswith("line 3 cannot be imported: ")
    assert reason in str(caught.value)
    assert len(str(caught.value)) < 300
    assert records.all() == []
