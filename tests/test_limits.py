"""Limits hold: games without end are stopped, Ctrl-C is heard at once, and nothing but one line is said about it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from broken_games import INFINITE, infinite
from dicewise import LimitError, RulesError, check_game, solve
from dicewise.engine import explore as explore_module
from dicewise.engine.explore import explore

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="limits of memory and clocks as Linux has them")

WALK = """
import sys, time
from dataclasses import dataclass
from itertools import count
from dicewise import Game, sure

@dataclass(frozen=True)
class Walk(Game):
    size: int = 20

    def start(self): return self.size // 2
    def actions(self, state): return ("left", "right") if 0 < state < self.size else ()
    def step(self, state, action):
        ahead = -1 if action == "left" else 1
        return [(k, 1 + k % 3, min(max(state + ahead * k, 0), self.size)) for k in (-2, -1, 1, 2)]
    def reward(self, state, action, outcome): return -1
    def payoff(self, state): return 5 if state else 0
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rules(methods: str = "", before: str = "") -> str:
    """A file of rules, in the folder where a test runs; its class is `Walk`, with other methods."""
    Path("walk.py").write_text(before + WALK + textwrap.indent(textwrap.dedent(methods), "    "))
    return "walk.py:Walk"


def program(*words: str, code: str = "", timeout: float = 120) -> subprocess.CompletedProcess[str]:
    start = ["-c", code] if code else ["-m", "dicewise"]
    return subprocess.run([sys.executable, *start, *words], capture_output=True, text=True, timeout=timeout)


def assert_refused(done: subprocess.CompletedProcess[str], *parts: str) -> None:
    assert (done.returncode, done.stdout) == (2, ""), done
    (line,) = done.stderr.splitlines()
    for part in ("dicewise: ", *parts):
        assert part in line, line


# ---- games without end

UNSTEADY = "never the same"
"""A state with a NaN in it is not equal to its next self, which is noticed before anything grows."""


@pytest.mark.parametrize("name", INFINITE)
def test_the_limit_of_states(name: str) -> None:
    words = {"all at once": "lists more than 1,000,000", UNSTEADY: "step gives another answer"}
    with pytest.raises((LimitError, RulesError), match=words.get(name, "has more than 200 states")):
        explore(infinite(name), limit=200)


@pytest.mark.parametrize("name", [name for name in INFINITE if name not in ("all at once", UNSTEADY)])
def test_the_limit_of_memory(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory is looked at before there are many states, and before much time has passed."""
    monkeypatch.setattr(explore_module, "available", lambda: 1000)
    with pytest.raises(LimitError, match=r"broken\(depth=3,players=2\) does not fit the memory: [\d,]+ states so far"):
        solve(infinite(name))


def test_a_check_is_stopped_by_the_limit_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explore_module, "available", lambda: 1000)
    monkeypatch.setattr("dicewise.engine.check.PAUSE", 0)
    report = check_game(infinite("deep"))
    assert report.states == 1
    assert "does not fit the memory" in report.problems[0]


def test_states_inside_states_are_refused_before_python_crashes() -> None:
    with pytest.raises(RulesError, match=r"broken\(depth=3,players=2\): states grow without end, one inside the other"):
        explore(infinite("nested"))


def test_progress_appears_meanwhile() -> None:
    said: list[str] = []
    with pytest.raises(LimitError):
        explore(infinite("deep"), limit=100_000, progress=lambda done, doing: said.append(doing))
    assert len(said) >= 4
    assert said[0].startswith("exploring, ")


@on_linux
def test_memory_that_runs_out_is_one_line(here: Path) -> None:
    """Under a limit that the machine does not know of, as a batch system may set one."""
    game = rules(
        """
        def start(self): return (0,)
        def actions(self, state): return ("on",)
        def step(self, state, action): return sure(tuple(range(state[0] + 1, state[0] + 20_000)))
        """
    )
    code = """
        import resource, sys
        resource.setrlimit(resource.RLIMIT_AS, (1_000_000_000, 1_000_000_000))
        from dicewise.cli import main
        sys.exit(main(sys.argv[1:]))
    """
    done = program("solve", game, "--no-store", "--quiet", code=textwrap.dedent(code))
    assert_refused(done, "memory")


# ---- Ctrl-C

WATCHED = """
import os, signal, sys, threading, time
from dicewise.cli import main

file, function, pause, *words = sys.argv[1:]

def inside(frame):
    while frame is not None:
        if frame.f_code.co_filename.endswith(file) and frame.f_code.co_name == function:
            return True
        frame = frame.f_back
    return False

def watch(thread):
    while not inside(sys._current_frames()[thread]):
        time.sleep(0.005)
    time.sleep(float(pause))
    with open("sent", "w") as note:
        note.write(str(time.monotonic()))
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=watch, args=[threading.main_thread().ident], daemon=True).start()
sys.exit(main(words))
"""

WITHIN = 1.0
"""Seconds in which Ctrl-C must end everything; busy machines get some more to start and to stop Python."""


def interrupted(file: str, function: str, *words: str, pause: float = 0.3) -> None:
    """Send the signal when the program has been in a function for a moment, and see that it ends in time."""
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    done = program(file, function, str(pause), *words, code=WATCHED, timeout=200)
    took = time.monotonic() - float(Path("sent").read_text())
    assert (done.returncode, done.stdout) == (130, ""), done
    *_, line = done.stderr.splitlines()
    assert line == "dicewise: interrupted; nothing was left half-written"
    assert "Traceback" not in done.stderr
    assert took < WITHIN * (1.5 + 2 * load), f"{took:.2f} s"


@on_linux
@pytest.mark.parametrize(
    ("methods", "function"),
    [
        ("def actions(self, state): return ('on',)\ndef step(self, state, action): return sure(state + 1)", "step"),
        ("def step(self, state, action):\n    while True: pass", "step"),
        ("def step(self, state, action): time.sleep(1000)", "step"),
        ("def step(self, state, action): return ((at, 1, 0) for at in count() if at < 0)", "<genexpr>"),
    ],
    ids=["endless game", "endless rule", "sleeping rule", "endless generator"],
)
@pytest.mark.parametrize("command", ["solve", "check"])
def test_ctrl_c_while_exploring(command: str, methods: str, function: str, here: Path) -> None:
    limit = ("--limit", "100000000") if command == "check" else ()
    interrupted("walk.py", function, command, rules(methods), "--quiet", *limit)


@on_linux
def test_ctrl_c_while_a_file_is_read(here: Path) -> None:
    interrupted("walk.py", "<module>", "solve", rules(before="while True: pass\n"), "--quiet")


@on_linux
def test_ctrl_c_in_compiled_sweeps(here: Path) -> None:
    words = ("solve", rules(), "--size", "5000", "--no-store", "--quiet")
    interrupted("cycles.py", "solve_large", *words)


@on_linux
def test_ctrl_c_in_exact_arithmetic(here: Path) -> None:
    interrupted("exact.py", "_evaluate", "solve", rules(), "--size", "700", "--exact", "--quiet", pause=0.1)


# ---- files that are broken as a whole

FILES = {
    "syntax": ("def", "SyntaxError"),
    "indent": ("  x = 1", "IndentationError"),
    "missing import": ("import not_there_at_all", "ModuleNotFoundError: No module named 'not_there_at_all'"),
    "wrong import": ("from dicewise import NotThere", "ImportError"),
    "exit": ("import sys; sys.exit(0)", "SystemExit: 0"),
    "exit in words": ("raise SystemExit('bye\\nbye')", "SystemExit: bye bye"),
    "null": ("x = 1\0", "raised"),
    "recursion": ("def f(): return f()\nf()", "RecursionError"),
    "mute": (
        "class E(Exception):\n    def __str__(self): return 5\nraise E",
        "raised E: (it cannot be put into words)",
    ),
    "several errors": (
        "raise ExceptionGroup('several', [ValueError(1), KeyError(2)])",
        "raised ExceptionGroup: several",
    ),
    "mutable default": (
        "from dataclasses import dataclass\nfrom dicewise import Game\n@dataclass(frozen=True)\nclass Walk(Game):\n"
        "    x: list = []",
        "ValueError: mutable default <class 'list'>",
    ),
    "abstract": (
        "from dicewise import Game\nclass Walk(Game):\n    def start(self): return 0",
        "lacks actions, payoff, step",
    ),
    "no game": ("class Walk: pass", "it defines no subclass of dicewise.Game"),
    "empty": ("", "it defines no subclass of dicewise.Game"),
    "forgets itself": ("import sys; del sys.modules[__name__]; 1 / 0", "ZeroDivisionError"),
    "forgets its folder": ("import sys; sys.path.clear(); 1 / 0", "ZeroDivisionError"),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("command", ["solve", "check"])
def test_files_that_cannot_be_used(command: str, name: str, here: Path) -> None:
    content, words = FILES[name]
    Path("walk.py").write_text(content)
    assert_refused(program(command, "walk.py:Walk"), words, "walk.py")


@pytest.mark.parametrize(
    ("methods", "words"),
    [
        ("def step(self, state, action): sys.exit(3)", "walk: step raised SystemExit: 3 (state 10, action 'left')"),
        ("def start(self): raise KeyError", "walk: start raised KeyError"),
        ("def __post_init__(self): sys.exit(0)", "walk refuses its parameters: it raised SystemExit: 0"),
        ("def label(self, move): return 5", "walk: label is 5; it must be one line of words"),
        ("def label(self, move): 1 / 0", "walk: label raised ZeroDivisionError"),
        ("def kernel(self, **_): return self.missing", "walk: kernel raised AttributeError"),
        ("def restore(self, arrays, report): 1 / 0", ""),
        ("def read_action(self, text, state): 1 / 0", ""),
    ],
)
def test_broken_rules_on_the_command_line(methods: str, words: str, here: Path) -> None:
    done = program("solve", rules(methods), "--no-store")
    if words:
        assert_refused(done, words)
    else:
        assert done.returncode == 0


def test_what_rules_print_does_not_spoil_the_result(here: Path) -> None:
    game = rules("def step(self, state, action):\n    print('stepping')\n    return Walk.step2(self, state, action)")
    text = Path("walk.py").read_text().replace("    def step(", "    def step2(", 1)
    Path("walk.py").write_text("print('loading')\n" + text)
    for command in ("solve", "check"):
        done = program(command, game, "--json")
        assert json.loads(done.stdout)["game"] == "walk(size=20)"
        assert "loading" in done.stderr
        assert "stepping" in done.stderr
