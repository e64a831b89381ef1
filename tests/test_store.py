"""The store never gives a wrong answer: not after a kill, a full disk, a race or a damaged file."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import pickle
import random
import subprocess
import sys
import textwrap
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dicewise import store as store_module
from dicewise.errors import InputError
from dicewise.game import Game, sure
from dicewise.store import DEFAULT_LIMIT, SOLVER_VERSION, Store, key_of

KEY = json.dumps({"spec": "greed(max=50,sides=4)", "solver": 1})
TABLES = {
    "values": np.linspace(0, 1, 60).reshape(5, 12),
    "by columns": np.asfortranarray(np.arange(6, dtype=np.uint16).reshape(2, 3)),
    "states": np.array([b"0 0", b"17 3", b""], dtype=np.bytes_),
    "flags": np.array([True, False]),
    "none": np.zeros((0, 3), dtype=np.int32),
    "one": np.array(2.5, dtype=np.float32),
}
META = {"method": "kernel", "seconds": 0.1, "bound": None, "players": [1, 2], "é": "日本"}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "solutions")


def only_folder(store: Store) -> Path:
    (folder,) = store.path.iterdir()
    return folder


def is_right(found, tables=TABLES, meta=META) -> bool:
    arrays, kept = found
    return (
        kept == meta
        and list(arrays) == list(tables)
        and all(arrays[name].dtype == tables[name].dtype for name in tables)
        and all(arrays[name].shape == tables[name].shape for name in tables)
        and all(np.array_equal(arrays[name], tables[name]) for name in tables)
    )


def forge(folder: Path, change) -> None:
    """Edit the content of meta.json and make its checksum right again."""
    whole = json.loads((folder / "meta.json").read_bytes())
    change(whole["content"])
    whole["check"] = store_module._check(whole["content"])
    (folder / "meta.json").write_text(json.dumps(whole))


def python(code: str, *arguments: object, **options) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def finish(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return out


# ---- what goes in comes out


def test_round_trip(store: Store) -> None:
    assert store.load(KEY) is None
    assert store.save(KEY, TABLES, META)
    assert store.problem is None
    found = store.load(KEY)
    assert is_right(found)
    for array in found[0].values():
        assert isinstance(array, np.memmap)
        assert not array.flags.writeable
    assert found[0]["by columns"].flags.f_contiguous
    with pytest.raises(ValueError, match="read-only"):
        found[0]["values"][0, 0] = 1


def test_tables_from_elsewhere_and_nothing_at_all(store: Store) -> None:
    assert store.save(KEY, {"strided": np.arange(20)[::3], "swapped": np.arange(3, dtype=">i4")}, {10: (2, 3), 9: 1})
    arrays, meta = store.load(KEY)
    assert arrays["strided"].tolist() == list(range(0, 20, 3))
    assert arrays["swapped"].tolist() == [0, 1, 2]
    assert meta == {"10": [2, 3], "9": 1}
    assert store.save(KEY, arrays, {})  # mapped tables may be kept again over themselves
    assert store.load(KEY)[0]["strided"].tolist() == arrays["strided"].tolist() == list(range(0, 20, 3))
    assert store.save("empty", {}, {})
    assert store.load("empty") == ({}, {})


def test_names_that_file_systems_would_mix_up(store: Store) -> None:
    tables = {name: np.array([i]) for i, name in enumerate(["a", "A", "a/b", "a:b", "../../up", "CON", "", "é"])}
    assert store.save(KEY, tables, {})
    assert is_right(store.load(KEY), tables, {})


def test_a_second_save_replaces_the_first(store: Store) -> None:
    for number in range(3):
        assert store.save(KEY, {"x": np.full(4, number)}, {"number": number})
        arrays, meta = store.load(KEY)
        assert arrays["x"].tolist() == [meta["number"]] * 4 == [number] * 4
    assert len(list(store.path.iterdir())) == 1


@pytest.mark.parametrize("array", [np.array([{}, 1], dtype=object), np.array(["text"]), np.zeros(2, "i4,f8")])
def test_only_numbers_and_bytes_are_kept(store: Store, array: np.ndarray) -> None:
    assert not store.save(KEY, {"fine": np.zeros(3), "odd": array}, {})
    assert "'odd'" in store.problem
    assert list(store.path.iterdir()) == []


def test_meta_must_be_json(store: Store) -> None:
    with pytest.raises(TypeError, match="JSON"):
        store.save(KEY, TABLES, {"odd": object()})
    assert list(store.path.iterdir()) == []


def test_folder_names_are_readable_and_safe(store: Store) -> None:
    store.save(KEY, {}, {})
    assert only_folder(store).name.startswith("greed(max=50,sides=4)-")
    store.clear()
    store.save(json.dumps({"spec": 'a/b\\c:d*"e.f ' + "x" * 99}), {}, {})
    name = only_folder(store).name
    assert name.startswith("a-b-c-d--e-f-xxx")
    assert len(name) == 60 + 1 + 16


# ---- damage


def damage(file: Path, how: str, where: float, byte: int) -> None:
    """Change, cut off or add something anywhere in a file."""
    whole = bytearray(file.read_bytes())
    at = int(where * len(whole))
    if how == "change":
        whole[at] = byte
    elif how == "cut":
        del whole[at:]
    elif how == "add":
        whole.append(byte)
    else:
        whole.insert(at, byte)
    file.write_bytes(whole)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    number=st.integers(0, len(TABLES)),
    how=st.sampled_from(["change", "cut", "add", "insert"]),
    where=st.floats(0, 1, exclude_max=True),
    byte=st.integers(0, 255),
)
def test_any_damage_is_noticed(store: Store, number: int, how: str, where: float, byte: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)  # for speed
        assert store.save(KEY, TABLES, META)
    damage(sorted(only_folder(store).iterdir())[number], how, where, byte)
    found = store.load(KEY)
    assert found is None or is_right(found)
    assert found is not None or list(store.path.iterdir()) == []


def test_every_byte_of_meta_counts(store: Store) -> None:
    store.save(KEY, {"x": np.arange(3)}, {"value": 1.25, "yes": True})
    folder = only_folder(store)
    whole = (folder / "meta.json").read_bytes()
    for at in range(len(whole)):
        for byte in (whole[at] ^ 1, ord("0"), ord(" ")):
            (folder / "meta.json").write_bytes(whole[:at] + bytes([byte]) + whole[at + 1 :])
            try:
                content = store_module._read_meta(folder)
            except Exception:
                continue
            assert content == json.loads(whole)["content"]


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", "[" * 100_000, '{"content": 1, "check": 2}', "\udcff"])
def test_meta_of_another_kind(store: Store, text: str) -> None:
    store.save(KEY, TABLES, META)
    (only_folder(store) / "meta.json").write_text(text, errors="surrogateescape")
    assert [entry.spec for entry in store.entries()] == ["damaged"]
    assert store.load(KEY) is None
    assert list(store.path.iterdir()) == []


@pytest.mark.parametrize("name", ["meta.json", "0-values.npy"])
def test_a_missing_file(store: Store, name: str) -> None:
    store.save(KEY, TABLES, META)
    (only_folder(store) / name).unlink()
    assert store.load(KEY) is None
    assert list(store.path.iterdir()) == []
    assert store.save(KEY, TABLES, META)
    assert is_right(store.load(KEY))


def test_another_key_with_the_same_name_is_not_taken(store: Store) -> None:
    store.save("other", {"x": np.arange(3)}, {})
    only_folder(store).rename(store._place(KEY))
    assert store.load(KEY) is None
    assert store.save(KEY, TABLES, META)
    assert is_right(store.load(KEY))
    assert store.load("other") is None


def test_a_disk_that_fails_now_costs_no_entry(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_):
        raise OSError(24, "Too many open files")

    store.save(KEY, TABLES, META)
    with monkeypatch.context() as patch:
        patch.setattr(store_module, "_map", fail)
        assert store.load(KEY) is None
    assert is_right(store.load(KEY))


class Bomb:
    def __reduce__(self):
        return (os.mkdir, ("exploded",))


def plant(folder: Path, table: bytes) -> None:
    """Put a forged table in an entry, with all sizes and checksums right."""
    (folder / "0-x.npy").write_bytes(table)
    digest = hashlib.blake2b(table, digest_size=16).hexdigest()
    forge(folder, lambda content: content.update(tables=[["x", len(table), digest]]))


def npy(descr: str, shape: str, data: bytes = b"", version: bytes = b"\1\0") -> bytes:
    head = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}}}"
    head += " " * (117 - len(head)) + "\n"
    return b"\x93NUMPY" + version + len(head).to_bytes(2, "little") + head.encode() + data


def test_a_forged_but_sound_table_is_read(store: Store) -> None:
    store.save(KEY, {"x": np.arange(3)}, {})
    plant(only_folder(store), npy("'<i8'", "(2,)", bytes(16)))
    assert store.load(KEY)[0]["x"].tolist() == [0, 0]


@pytest.mark.parametrize(
    "table",
    [
        pickle.dumps(Bomb()),
        npy("'|O'", "(1,)", pickle.dumps([Bomb()])),
        npy("'|O'", "(1,)", bytes(8)),  # a pointer
        npy("[('a', '|O')]", "(1,)", bytes(8)),
        npy("'<M8[s]'", "(2,)", bytes(16)),
        npy("'<i8'", "(3,)", bytes(16)),
        npy("'<i8'", "(1,)", bytes(16)),
        npy("'<i8'", "(-1, -2)", bytes(16)),
        npy("'<i8'", f"({2**62}, 4)", b""),
        npy("'<i8'", f"(0, {2**70})", b""),
        npy("'<i8'", "__import__('os').mkdir('exploded')", bytes(16)),
        npy("'<i8'", "(2,)", bytes(16), version=b"\3\0"),
        npy("'<i8'", "(2,)", bytes(16))[:20],
        b"",
    ],
)
def test_a_forged_table_is_refused_and_runs_no_code(
    store: Store, table: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store.save(KEY, {"x": np.arange(3)}, {})
    plant(only_folder(store), table)
    assert store.load(KEY) is None
    assert list(store.path.iterdir()) == []
    assert not (tmp_path / "exploded").exists()


def test_a_forged_name_does_not_lead_out_of_the_folder(store: Store, tmp_path: Path) -> None:
    np.save(tmp_path / "secret.npy", np.arange(3))
    table = (tmp_path / "secret.npy").read_bytes()
    digest = hashlib.blake2b(table, digest_size=16).hexdigest()
    store.save(KEY, {"x": np.arange(3)}, {})
    name = str(tmp_path / "secret")
    forge(only_folder(store), lambda content: content.update(tables=[[name, len(table), digest]]))
    assert store.load(KEY) is None


# ---- kills, races, full disks

SAVE_FOREVER = """
    import sys, itertools
    from pathlib import Path
    import numpy as np
    from dicewise.store import Store
    store = Store(Path(sys.argv[1]))
    for number in itertools.count():
        assert store.save("key", {"x": np.full(30_000, number), "y": np.full(10, number)}, {"number": number})
        if number == 0:
            print("ready", flush=True)
"""


def assert_whole(found) -> None:
    if found is not None:
        arrays, meta = found
        assert set(arrays["x"].tolist()) == set(arrays["y"].tolist()) == {meta["number"]}
        assert arrays["x"].shape == (30_000,)
        assert arrays["y"].shape == (10,)


def test_killed_while_saving(store: Store) -> None:
    found = 0
    for _ in range(5):
        pair = [python(SAVE_FOREVER, store.path) for _ in range(2)]
        for process in pair:
            assert process.stdout.readline() == "ready\n", process.stderr.read()
        for process in pair:
            time.sleep(random.uniform(0.005, 0.1))
            process.kill()
            left = store.load("key")
            assert_whole(left)
            found += left is not None
        for process in pair:
            process.communicate()
        assert_whole(store.load("key"))
    assert store.save("key", {"x": np.zeros(30_000), "y": np.zeros(10)}, {"number": 0})
    assert len(list(store.path.iterdir())) == 1  # what the dead left behind is gone
    assert_whole(store.load("key"))
    assert found  # else this has tested nothing


def test_eight_processes_at_once(store: Store) -> None:
    code = """
        import sys
        from pathlib import Path
        import numpy as np
        from dicewise.store import Store
        store, loaded = Store(Path(sys.argv[1])), 0
        for _ in range(15):
            assert store.save("key", {"x": np.arange(5000)}, {"length": 5000}), store.problem
            found = store.load("key")
            if found:
                loaded += 1
                assert (found[0]["x"] == np.arange(5000)).all() and found[1] == {"length": 5000}
        print(loaded)
    """
    crowd = [python(code, store.path) for _ in range(8)]
    assert sum(int(finish(process)) for process in crowd) > 0
    assert [entry.spec for entry in store.entries()] == ["key"]
    assert len(list(store.path.iterdir())) == 1
    assert store.load("key")[0]["x"].tolist() == list(range(5000))


def test_full_disk(store: Store) -> None:
    pytest.importorskip("resource")
    assert store.save(KEY, TABLES, META)
    code = """
        import resource, signal, sys
        from pathlib import Path
        import numpy as np
        from dicewise.store import Store
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        store = Store(Path(sys.argv[1]))
        assert not store.save(sys.argv[2], {"small": np.arange(9), "large": np.zeros(100_000)}, {})
        print(store.problem)
    """
    problem = finish(python(code, store.path, KEY))
    assert "the solution is not kept" in problem
    assert len(problem.splitlines()) == 1
    assert len(list(store.path.iterdir())) == 1
    assert is_right(store.load(KEY))


def test_a_file_where_the_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        store = Store(folder)
        assert not store.save(KEY, TABLES, META)
        assert str(folder) in store.problem
        assert store.load(KEY) is None
        assert store.entries() == []
        assert store.clear() == (0, 0)
    assert (tmp_path / "file").read_text() == "mine"


def test_an_interrupted_save_leaves_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", interrupt)
        with pytest.raises(KeyboardInterrupt):
            store.save(KEY, TABLES, META)
    assert list(store.path.iterdir()) == []


def test_a_place_that_cannot_be_freed(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.save(KEY, {"x": np.arange(3)}, {"old": True})
    monkeypatch.setattr(Store, "_remove", lambda *_: False)  # as on Windows, where mapped files stay where they are
    assert not store.save(KEY, {"x": np.arange(4)}, {})
    assert store.problem
    assert store.load(KEY)[1] == {"old": True}
    assert len(list(store.path.iterdir())) == 1


def test_a_read_only_store_can_be_read(store: Store) -> None:
    store.save(KEY, TABLES, META)
    folders = [only_folder(store), store.path]
    for folder in folders:
        folder.chmod(0o555)
    try:
        assert is_right(store.load(KEY))
    finally:
        for folder in folders:
            folder.chmod(0o755)


# ---- the limit


def specs(store: Store) -> list[str]:
    return [entry.spec for entry in store.entries()]


def test_the_least_recently_used_goes_first(tmp_path: Path) -> None:
    store = Store(tmp_path, limit=10**6)
    tables = {"x": np.zeros(1000)}
    for name in "abc":
        assert store.save(name, tables, {})
        long_ago = time.time() - 100 + ord(name) - ord("a")
        os.utime(store._place(name) / "meta.json", (long_ago, long_ago))
    assert specs(store) == ["c", "b", "a"]
    size = store.entries()[0].bytes
    assert size > 8000
    assert store.load("a")
    assert specs(store) == ["a", "c", "b"]
    store.limit = 3 * size + size // 2
    assert store.save("d", tables, {})
    assert specs(store) == ["d", "a", "c"]
    assert store.save("e", {"x": np.zeros(2000)}, {})
    assert specs(store) == ["e", "d"]
    assert sum(entry.bytes for entry in store.entries()) <= store.limit
    assert sum(file.stat().st_size for file in tmp_path.rglob("*.*") if file.is_file()) <= store.limit


def test_the_new_one_stays_whatever_the_clock_says(tmp_path: Path) -> None:
    store = Store(tmp_path, limit=10_000)
    assert store.save("a", {"x": np.zeros(1000)}, {})
    tomorrow = time.time() + 86400
    os.utime(store._place("a") / "meta.json", (tomorrow, tomorrow))
    assert store.save("b", {"x": np.zeros(1000)}, {})
    assert specs(store) == ["b"]


def test_larger_than_the_limit(tmp_path: Path) -> None:
    store = Store(tmp_path, limit=20_000)
    assert store.save("a", {"x": np.zeros(1000)}, {})
    assert not store.save("b", {"x": np.zeros(3000)}, {})
    assert "24,000 bytes" in store.problem
    assert not store.save("b", {"x": np.zeros(2490)}, {})  # fits without its header and meta.json only
    assert specs(store) == ["a"]
    assert store.save("b", {"x": np.zeros(2400)}, {})
    assert store.problem is None
    assert specs(store) == ["b"]


def test_a_limit_of_nothing_keeps_nothing_and_says_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path / "none", limit=0)
    assert not store.save(KEY, {}, {})
    assert store.problem is None
    assert not store.path.exists()


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("", DEFAULT_LIMIT),
        ("0", 0),
        ("123", 123),
        ("500M", 500 << 20),
        ("4G", 4 << 30),
        (" 2 kb", 2048),
        ("1T", 1 << 40),
    ],
)
def test_limit_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str, limit: int) -> None:
    monkeypatch.setenv("DICEWISE_CACHE_LIMIT", text)
    monkeypatch.setenv("DICEWISE_CACHE_DIR", str(tmp_path))
    assert Store().limit == limit
    assert Store().path == tmp_path
    assert Store(limit=7).limit == 7


@pytest.mark.parametrize("text", ["lots", "-1", "1.5G", "4X", "9" * 40])
def test_bad_limit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str) -> None:
    monkeypatch.setenv("DICEWISE_CACHE_LIMIT", text)
    with pytest.raises(InputError, match="500M or 4G") as caught:
        Store(tmp_path)
    assert "\n" not in str(caught.value)


def test_default_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DICEWISE_CACHE_DIR", raising=False)
    assert Store().path.name == "solutions"
    assert "dicewise" in Store().path.parts
    monkeypatch.setenv("DICEWISE_CACHE_DIR", "~/there")
    assert Store().path == Path.home() / "there"


# ---- listing and clearing


def test_entries(store: Store) -> None:
    before = time.time()
    assert store.entries() == []
    store.save(KEY, TABLES, META)
    (entry,) = store.entries()
    folder = only_folder(store)
    assert (entry.name, entry.spec) == (folder.name, "greed(max=50,sides=4)")
    assert entry.bytes == sum(file.stat().st_size for file in folder.iterdir())
    assert before - 2 < entry.created < time.time() + 2
    assert before - 2 < entry.used < time.time() + 2


def test_clear(store: Store) -> None:
    for variant in ("float", "exact"):
        store.save(json.dumps({"spec": "greed", "variant": variant}), TABLES, META)
    store.save(json.dumps({"spec": "pig"}), TABLES, META)
    store.save(json.dumps({"spec": "farkle"}), TABLES, META)
    (store._place(json.dumps({"spec": "farkle"})) / "meta.json").write_text("{")
    sizes = {entry.name: entry.bytes for entry in store.entries() if entry.spec == "greed"}
    assert store.clear("greed") == (2, sum(sizes.values()))
    assert specs(store) == ["pig", "damaged"]
    assert store.clear("greed") == (0, 0)
    assert store.clear()[0] == 2
    assert list(store.path.iterdir()) == []


def test_clear_leaves_all_else_alone(store: Store, tmp_path: Path) -> None:
    store.save(KEY, TABLES, META)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "meta.json").write_text("{}")
    (store.path / "notes.txt").write_text("mine")
    (store.path / "photos").mkdir()
    (store.path / "photos" / "meta.json").write_text("{}")
    (store.path / "a-file-0123456789abcdef").write_text("mine")
    (store.path / "a-link-0123456789abcdef").symlink_to(outside)
    (store.path / ".dicewise-nobody-0123456789abcdef").mkdir()
    assert store.clear()[0] == 1
    assert {path.name for path in store.path.iterdir()} == {
        "notes.txt",
        "photos",
        "a-file-0123456789abcdef",
        "a-link-0123456789abcdef",
        ".dicewise-nobody-0123456789abcdef",
    }
    assert (store.path / "photos" / "meta.json").exists()
    assert (outside / "meta.json").exists()


def test_leftovers_of_dead_processes_are_swept(store: Store) -> None:
    process = python("pass")
    finish(process)
    digits = "0123456789abcdef"
    dead = store.path / f".dicewise-{process.pid}-{digits}"
    impossible = store.path / f".dicewise-{9_999_999_999}-{digits}"
    alive = store.path / f".dicewise-{os.getpid()}-{digits}"
    forgotten = store.path / f".dicewise-{os.getpid()}-{digits[::-1]}"
    for folder in (dead, impossible, alive, forgotten):
        folder.mkdir(parents=True)
        (folder / "0-values.npy").write_bytes(b"half")
    os.utime(forgotten, (time.time() - 100_000,) * 2)
    assert store.save(KEY, TABLES, META)
    assert sorted(store.path.iterdir()) == sorted([alive, store._place(KEY)])


# ---- keys


@dataclass(frozen=True)
class Walk(Game[int, str]):
    steps: int | str = 3
    prize: object = field(default=1, kw_only=True)

    def start(self):
        return self.steps

    def actions(self, state):
        return ("step",) if state else ()

    def step(self, state, action):
        return sure(state - 1)

    def payoff(self, state):
        return 1


GAME = """
    from dataclasses import dataclass
    from dicewise.game import Game, sure
    {imports}

    @dataclass(frozen=True)
    class Walk(Game[int, str]):
        steps: int = 3
        def start(self): return self.steps
        def actions(self, state): return ("step",) if state else ()
        def step(self, state, action): return sure(state - 1)
        def payoff(self, state): return {prize}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A folder to import from; what was imported is forgotten afterwards."""
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)

    def write(path: str, text: str, **words: object) -> None:
        (tmp_path / path).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / path).write_text(textwrap.dedent(text).format(**words))

    yield write
    for name in set(sys.modules) - before:
        if (getattr(sys.modules[name], "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


def test_key_names_all_that_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    key = key_of(Walk(5))
    assert json.loads(key)["spec"] == "walk(steps=5)"
    assert json.loads(key)["solver"] == SOLVER_VERSION
    assert key == key_of(Walk(5))
    others = [key_of(game) for game in (Walk(6), Walk("5"), Walk(5, prize=2), Walk(5, prize=("a", 'b"')))]
    others += [key_of(Walk(5, prize=("a", "b'"))), key_of(Walk(5), variant="exact")]
    monkeypatch.setattr(store_module, "SOLVER_VERSION", SOLVER_VERSION + 1)
    others.append(key_of(Walk(5)))
    assert None not in others
    assert len({key, *others}) == 1 + len(others)


def test_a_built_in_game_needs_no_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Walk, "__module__", "dicewise.games.walk")
    monkeypatch.setattr(store_module, "_sources_digest", None)
    assert json.loads(key_of(Walk(5)))["source"] == ""


def test_key_follows_the_source_and_its_helpers(project) -> None:
    project("walk_rules.py", GAME, imports="import walk_helper", prize="walk_helper.PRIZE")
    project("walk_helper.py", "PRIZE = 1")
    project("walk_stranger.py", "never imported")
    game = importlib.import_module("walk_rules").Walk()
    key = key_of(game)
    assert key
    assert key_of(game) == key
    project("walk_helper.py", "PRIZE = 2")
    changed = key_of(game)
    project("walk_rules.py", GAME, imports="import walk_helper", prize="3")
    assert len({key, changed, key_of(game)}) == 3
    project("walk_rules.py", GAME, imports="import walk_helper", prize="walk_helper.PRIZE")
    project("walk_helper.py", "PRIZE = 1")
    project("walk_stranger.py", "still never imported")
    assert key_of(game) == key


def test_key_follows_the_whole_package_and_the_classes_above(project) -> None:
    project("walk_package/__init__.py", "")
    project("walk_package/prizes.py", "PRIZE = 1")
    project("walk_package/inner/__init__.py", "")
    project("walk_package/inner/rules.py", GAME, imports="from walk_package import prizes", prize="prizes.PRIZE")
    project("elsewhere/walk_fast.py", "from walk_package.inner.rules import Walk\nclass Fast(Walk): pass")
    sys.path.insert(0, str(Path(sys.path[0]) / "elsewhere"))
    game = importlib.import_module("walk_fast").Fast()
    key = key_of(game)
    project("walk_package/prizes.py", "PRIZE = 2")
    assert key
    assert key_of(game) != key


def test_installed_modules_are_no_helpers(project) -> None:
    project("walk_rules.py", GAME, imports="import walk_helper", prize=1)
    project(".venv/lib/site-packages/walk_helper.py", "PRIZE = 1")
    sys.path.insert(0, str(Path(sys.path[0]) / ".venv/lib/site-packages"))
    game = importlib.import_module("walk_rules").Walk()
    key = key_of(game)
    project(".venv/lib/site-packages/walk_helper.py", "PRIZE = 2")
    assert key
    assert key_of(game) == key


def test_the_source_noted_at_import_counts(project) -> None:
    project("walk_rules.py", GAME, imports="", prize=1)
    module = importlib.import_module("walk_rules")
    module.__dicewise_source__ = "as imported"
    key = key_of(module.Walk())
    project("walk_rules.py", GAME, imports="", prize=2)
    assert key_of(module.Walk()) == key
    module.__dicewise_source__ = "as imported again"
    assert key_of(module.Walk()) != key


def test_a_source_that_is_gone_gives_no_key(project, tmp_path: Path) -> None:
    project("walk_rules.py", GAME, imports="", prize=1)
    game = importlib.import_module("walk_rules").Walk()
    (tmp_path / "walk_rules.py").unlink()
    assert key_of(game) is None


def test_typed_games_have_no_key(project, tmp_path: Path) -> None:
    source = textwrap.dedent(GAME).format(imports="", prize=1) + "\nfrom dicewise.store import key_of"
    assert finish(python(source + "\nprint(key_of(Walk()))")) == "None\n"
    (tmp_path / "script.py").write_text(source + "\nprint(key_of(Walk()))")
    script = [sys.executable, str(tmp_path / "script.py")]
    assert "walk(steps=3)" in subprocess.run(script, capture_output=True, text=True, check=True).stdout
    # at a prompt that has followed a script, __main__ has a file
    (tmp_path / "script.py").write_text("exec(compile(open('typed').read(), '<stdin>', 'exec'))")
    (tmp_path / "typed").write_text(source + "\nprint(key_of(Walk()))")
    done = subprocess.run(script, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout == "None\n"


def test_what_no_text_can_tell_apart_has_no_key() -> None:
    @dataclass(frozen=True)
    class Local(Walk):
        pass

    class Bare(Game[int, str]):
        start = actions = step = payoff = Walk.start

    assert key_of(Local()) is None
    assert key_of(Bare()) is None
    assert key_of(Walk(prize=lambda: 1)) is None
    assert key_of(Walk(prize=(1, object()))) is None


def test_importing_the_store_is_light() -> None:
    code = "import sys, dicewise.store; print({'numpy', 'numba', 'platformdirs'} & set(sys.modules))"
    assert finish(python(code)) == "set()\n"
