"""Yahtzee: every scorecard beside a published solver and a plain one, first use, and the long questions."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import Run, best_of, best_runs, dicewise_command, environment, run
from benchmarks.report import Result, Target, gigabytes, seconds, small, times
from dicewise.games.yahtzee import Yahtzee
from dicewise.games.yahtzee.solution import YahtzeeSolution, solve_fast

AGREE = 1e-11
OFFICIAL = 254.58772873450
"""The mean score under the official rules, to 11 decimals."""

CARD = "ones=3 full-house=25 dice=11122 rerolls=2"

PEER_BOXES = (
    *("ones", "twos", "threes", "fours", "fives", "sixes", "three_of_a_kind", "four_of_a_kind", "full_house"),
    *("small_straight", "large_straight", "chance", "five_of_a_kind"),
)
"""Our boxes in order, by the names that yatzy-solver gives them."""

TARGETS = """
import json
from dicewise.games.yahtzee import Yahtzee
from dicewise.games.yahtzee import _kernel_reach
from dicewise.games.yahtzee._layout import layout
game = Yahtzee("free-joker")
needs = _kernel_reach.solve(layout(game), game.rerolls, 800, every=True)
print(json.dumps([float(needs.at(0, need)) for need in (200, 250, 300)]))
"""
REACHED = (0.91080460, 0.54188692, 0.17603092)

DISTRIBUTION = """
import json
from dicewise.games.yahtzee import Yahtzee
from dicewise.games.yahtzee import _kernel, _kernel_flow
from dicewise.games.yahtzee._layout import layout
from dicewise.solution import TIE_TOLERANCE
game = Yahtzee("free-joker")
rules = layout(game)
table = _kernel.solve(rules, game.rerolls)
chances = _kernel_flow.flow(rules, game.rerolls, table, TIE_TOLERANCE * rules.most_points).points
mean = sum(score * chance for score, chance in enumerate(chances))
square = sum((score - mean) ** 2 * chance for score, chance in enumerate(chances))
print(json.dumps([mean, float(square) ** 0.5]))
"""
FREE = (254.58960948196, 59.6114)
"""Mean and standard deviation with a free joker."""


def speed() -> Result:
    """Every scorecard, warm, beside yatzy-solver and a straightforward compiled solver"""
    from benchmarks import component_yahtzee

    game = Yahtzee()
    result = Result({"": str, "CPU": seconds, "CPU / dicewise": times, "mean score": "{:.11f}".format, "off": small})
    found: dict[str, Any] = {}

    def enter(name: str, solve: Callable[[], Any]) -> Callable[[], None]:
        def call() -> None:
            found[name] = solve()

        return call

    plain, ours = "components, compiled with Numba", "dicewise"
    component_yahtzee.solve(True, last=2)  # compiles
    solve_fast(game)
    peers = {ours: enter(ours, lambda: solve_fast(game))}
    peers[plain] = enter(plain, lambda: component_yahtzee.solve(forced=True))
    theirs = ""
    try:
        import yatzy_solver
    except ImportError as error:
        result.notes.append(f"yatzy-solver is left out: {error}.")
    else:
        theirs = f"yatzy-solver {version('yatzy-solver')}"
        variant = yatzy_solver.Variant("american+forced-joker")
        peers[theirs] = enter(theirs, lambda: yatzy_solver.Solver.build(variant))
    best = best_of(2, peers)
    table = found[plain]
    used, upper, extra = np.nonzero(~np.isnan(table))
    open_cards = used < game.all_used
    cards = used[open_cards], upper[open_cards], extra[open_cards]
    solution: YahtzeeSolution = found[ours]
    mine = solution.anchor(cards[0], cards[2], cards[1])
    values = {ours: mine, plain: table[cards]}
    if theirs:
        values[theirs] = _their_values(found[theirs], *cards)
    for name, taken in best.items():
        off = float(np.abs(values[name] - mine).max())
        row = {"": name, "CPU": taken, "CPU / dicewise": taken / best[ours], "mean score": values[name][0]}
        result.rows.append(row | ({} if name == ours else {"off": off}))
        result.checks[f"{name}: all {len(mine):,} turn starts agree to {AGREE}"] = off <= AGREE
    result.checks[f"the mean score is {OFFICIAL}"] = abs(mine[0] - OFFICIAL) <= 1e-8
    if theirs:
        result.targets.append(Target("beside yatzy-solver", best[theirs] / best[ours], 10.0, times, least=True))
    result.notes.append("Official rules. CPU time of all threads, warm. `off`: the largest difference from dicewise.")
    return result


def _their_values(solver: Any, used: Any, upper: Any, extra: Any) -> Any:
    order = solver.variant.categories
    filled = np.zeros(len(used), dtype=np.uint32)
    for box, name in enumerate(PEER_BOXES):
        filled |= ((used >> box & 1) << order.index(name)).astype(np.uint32)
    return solver.state_values(filled, upper.astype(np.uint16), extra.astype(bool))


def first_use() -> Result:
    """Fresh processes: compiling, nothing stored, from the store; and advice where the solution is at hand"""
    result = Result({"": str, "wall": seconds, "CPU": seconds})
    solve, advise = dicewise_command("solve", "yahtzee"), dicewise_command("advise", "yahtzee", *CARD.split())
    with tempfile.TemporaryDirectory(prefix="dicewise-bench-") as folder:
        scratch = Path(folder)
        env = environment(scratch)
        store, kernels = scratch / "store", scratch / "kernels"
        run(dicewise_command("--help"), env)  # writes the bytecode
        run(solve, env)
        before: dict[str, Callable[[], None]] = {
            "dicewise solve yahtzee, compiling": partial(_remove, store, kernels),
            "dicewise solve yahtzee, nothing stored": partial(_remove, store),
        }
        peers: dict[str, Callable[[], Run]] = dict.fromkeys(before, partial(run, solve, env))
        peers["dicewise solve yahtzee, from the store"] = partial(run, solve, env)
        peers["dicewise advise yahtzee ..., the first time"] = partial(run, advise, env)  # finds more to be kept
        peers["dicewise advise yahtzee ..., from the store"] = partial(run, advise, env)
        best = best_runs(2, peers, before)
    for name, done in best.items():
        result.rows.append({"": name, "wall": done.wall, "CPU": done.cpu})
    game = Yahtzee()
    solution = solve_fast(game)
    state = game.parse(CARD)

    def ask() -> None:
        solution._turn.cache_clear()
        solution.choices(state)

    taken = best_of(5, {"ask": ask})["ask"]
    result.rows.append({"": f"choices at {CARD}", "CPU": taken})
    result.targets.append(
        Target("cold, with compiling (CPU)", best["dicewise solve yahtzee, compiling"].cpu, 10.0, seconds)
    )
    result.targets.append(Target("advice once the solution is loaded", taken, 0.05, seconds))
    return result


def _remove(*folders: Path) -> None:
    for folder in folders:
        shutil.rmtree(folder)


def targets() -> Result:
    """The best chance of every score up to 800, free joker"""
    result, answer = _long(TARGETS, 90.0, 6e9)
    for points, chance, known in zip((200, 250, 300), answer, REACHED, strict=True):
        result.checks[f"{points} or more: {chance:.8f}"] = abs(chance - known) < 1e-8
    return result


def distribution() -> Result:
    """The exact distribution of the final score of the best play for the mean, free joker"""
    result, answer = _long(DISTRIBUTION, 60.0, 6e9)
    for name, value, known, within in zip(("mean", "standard deviation"), answer, FREE, (1e-8, 1e-4), strict=True):
        result.checks[f"{name} {value:.8f}"] = abs(value - known) < within
    return result


def _long(program: str, most_seconds: float, most_bytes: float) -> tuple[Result, list[float]]:
    """A process of its own, so that its memory is its own; compiling is counted in."""
    result = Result({"": str, "wall": seconds, "CPU": seconds, "memory": gigabytes})
    with tempfile.TemporaryDirectory(prefix="dicewise-bench-") as folder:
        done = run([sys.executable, "-c", program], environment(Path(folder)), show_progress=True)
    result.rows.append({"": "with compiling", "wall": done.wall, "CPU": done.cpu, "memory": done.bytes})
    result.targets.append(Target("time (CPU)", done.cpu, most_seconds, seconds))
    result.targets.append(Target("memory", done.bytes, most_bytes, gigabytes))
    answer: list[float] = json.loads(done.out)
    return result, answer
