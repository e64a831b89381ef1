"""Greed as a user meets it: fresh processes, from the first word typed to the last line printed."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from functools import partial
from pathlib import Path

import dicewise
from benchmarks.measure import best_of, best_runs, dicewise_command, environment, imported, run
from benchmarks.report import Result, Target, count, gigabytes, seconds, times
from dicewise import Greed
from dicewise.games.greed._layout import layout

ROUNDS = 7

COMMANDS = {"advise greed 85 70": ("advise", "greed", "85", "70"), "solve greed": ("solve", "greed")}

DRESSES: tuple[tuple[int, int], ...] = ((50, 6), (100, 6), (200, 5), (300, 5), (500, 4), (700, 4))
"""max and rounds."""

IN_ONE_DRESS = """
from dicewise import Greed
from dicewise.games.greed.solution import solve_fast
solve_fast(Greed({top}), dress={dress!r})
"""


def first_use() -> Result:
    """Fresh processes, nothing stored and from the store, beside `import numpy`"""
    numpy, shown_help = 'python -c "import numpy"', "dicewise --help"
    result = Result(
        {"": str, "wall": seconds, "CPU": seconds, "wall / numpy": times, "CPU / numpy": times},
    )
    with tempfile.TemporaryDirectory(prefix="dicewise-bench-") as folder:
        scratch = Path(folder)
        empty, full, new = scratch / "empty", scratch / "full", scratch / "new"
        env = environment(scratch)
        later, at_first = env | {"DICEWISE_CACHE_DIR": str(full)}, env | {"DICEWISE_CACHE_DIR": str(empty)}
        # first use ever: there is bytecode of everything but dicewise, as after installing it
        ever = environment(new)
        unread = new / "bytecode" / Path(*Path(dicewise.__file__).parent.parts[1:])

        import_numpy = [sys.executable, "-c", "import numpy"]
        peers = {numpy: partial(run, import_numpy, env), shown_help: partial(run, dicewise_command("--help"), env)}
        before = {}
        for words, command in COMMANDS.items():
            line = dicewise_command(*command)
            for where in (later, ever):  # fills the store, writes the bytecode
                run(line, where)
            peers[f"dicewise {words}, first use ever"] = partial(run, line, ever)
            before[f"dicewise {words}, first use ever"] = partial(_remove, new / "store", unread)
            peers[f"dicewise {words}, nothing stored"] = partial(run, line, at_first)
            before[f"dicewise {words}, nothing stored"] = partial(_remove, empty)
            peers[f"dicewise {words}, from the store"] = partial(run, line, later)
        best = best_runs(ROUNDS, peers, before)
        for name, done in best.items():
            by_wall, by_cpu = done.wall / best[numpy].wall, done.cpu / best[numpy].cpu
            result.rows.append(
                {"": name, "wall": done.wall, "CPU": done.cpu, "wall / numpy": by_wall, "CPU / numpy": by_cpu}
            )
            if name.endswith("first use ever"):
                result.targets.append(Target(name, done.wall, 1.0, seconds))
            if name.endswith("from the store"):
                result.targets.append(Target(f"{name}, beside numpy (wall)", by_wall, 3.0, times))
                result.targets.append(Target(f"{name}, beside numpy (CPU)", by_cpu, 3.0, times))

        packages = imported(dicewise_command("--help"), env)
        result.checks[f"{shown_help} does not import numpy"] = "numpy" not in packages
        for words, command in COMMANDS.items():
            _remove(empty)
            for when, where in (("nothing stored", at_first), ("from the store", later)):
                packages = imported(dicewise_command(*command), where)
                result.checks[f"dicewise {words}, {when}, does not import numba"] = "numba" not in packages
    result.notes.append("First use ever: Python has not compiled dicewise to bytecode either.")
    return result


def _remove(*folders: Path) -> None:
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def dresses() -> Result:
    """NumPy and the compiled kernel: which answers first"""
    from dicewise.games.greed.solution import NUMPY_CELLS, solve_fast

    result = Result(
        {
            "max": count,
            "cells": count,
            "numpy": seconds,
            "compiled": seconds,
            "process, numpy": seconds,
            "process, compiled": seconds,
            "process, compiling": seconds,
            "solve takes": str,
        }
    )
    solve_fast(Greed(2), dress="compiled")
    with tempfile.TemporaryDirectory(prefix="dicewise-bench-") as folder:
        scratch = Path(folder)
        env = environment(scratch)
        run([sys.executable, "-c", IN_ONE_DRESS.format(top=2, dress="compiled")], env)  # writes the bytecode
        for top, rounds in DRESSES:
            game = Greed(top)
            dress = {name: partial(solve_fast, game, dress=name) for name in ("numpy", "compiled")}
            warm = best_of(rounds, dress)
            program = {
                name: [sys.executable, "-c", IN_ONE_DRESS.format(top=top, dress=name)] for name in ("numpy", "compiled")
            }
            _remove(scratch / "kernels")
            compiling = run(program["compiled"], env)
            fresh = best_runs(rounds, {name: partial(run, line, env) for name, line in program.items()})
            cells = layout(game).cells
            result.rows.append(
                {
                    "max": top,
                    "cells": cells,
                    **warm,
                    "process, numpy": fresh["numpy"].cpu,
                    "process, compiled": fresh["compiled"].cpu,
                    "process, compiling": compiling.cpu,
                    "solve takes": "numpy" if cells <= NUMPY_CELLS else "compiled",
                }
            )
    result.notes += [
        "All in CPU time. numpy, compiled: one solution, warm. process: a fresh process that solves once, with the",
        "compiled kernel in Numba's cache, or (compiling) with that cache empty.",
        f"solve takes: in a process that has not loaded numba; NumPy up to {NUMPY_CELLS:,} cells.",
    ]
    return result


def large() -> Result:
    """200 million states: max 10000"""
    result = Result(
        {
            "": str,
            "states": count,
            "value": repr,
            "opens with": str,
            "wall": seconds,
            "CPU": seconds,
            "memory": gigabytes,
        }
    )
    with tempfile.TemporaryDirectory(prefix="dicewise-bench-") as folder:
        line = dicewise_command("solve", "greed", "--max", "10000", "--no-store", "--json")
        # with the kernel already compiled where the user has it
        env = {name: text for name, text in environment(Path(folder)).items() if name != "NUMBA_CACHE_DIR"}
        done = run(line, env, show_progress=True)
    answer = json.loads(done.out)
    result.rows.append(
        {
            "": answer["game"],
            "states": answer["states"],
            "value": answer["value"],
            "opens with": answer["action"],
            "wall": done.wall,
            "CPU": done.cpu,
            "memory": done.bytes,
        }
    )
    result.targets.append(Target("time", done.wall, 15 * 60.0, seconds))
    result.targets.append(Target("memory", done.bytes, 24e9, gigabytes))
    return result
