"""Hoot Owl Hoot: three owls beside a plain compiled solver, and six owls, 4.3 billion positions, in minutes."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit

from benchmarks.measure import best_of, environment, run
from benchmarks.report import Result, Target, gigabytes, seconds, small, times
from dicewise.engine.layers import run as fill
from dicewise.games.hoot_owl import HootOwl
from dicewise.games.hoot_owl.tables import HootTable

THREE, SIX = 0.954617001742, 0.744803654840
"""The chance to win with one hand, cards drawn from the initial mix, by an independent program."""

LARGE = """
import json
from dicewise.games.hoot_owl import HootOwl
from dicewise.games.hoot_owl.solution import solve_fast
solution = solve_fast(HootOwl(6))
print(json.dumps([float(solution.value(solution.game.start())), solution.report.seconds]))
"""


def three() -> Result:
    """Three owls, one hand, 8.5 million positions, beside a solver that goes position by position"""
    game = HootOwl(3)
    result = Result({"": str, "CPU": seconds, "CPU / dicewise": times, "chance to win": "{:.12f}".format, "off": small})
    table = HootTable(game)
    found: dict[str, float] = {}

    def ours() -> None:
        found["dicewise"] = _start(game, fill(table)[0])

    def plain() -> None:
        found["position by position, compiled with Numba"] = _plain(game)

    ours()
    plain()  # both compile
    best = best_of(2, {"dicewise": ours, "position by position, compiled with Numba": plain})
    for name, taken in best.items():
        row = {"": name, "CPU": taken, "CPU / dicewise": taken / best["dicewise"], "chance to win": found[name]}
        result.rows.append(row | {"off": abs(found[name] - THREE)})
        result.checks[f"{name}: {THREE}"] = abs(found[name] - THREE) < 1e-11
    result.targets.append(Target("three owls (CPU)", best["dicewise"], 1.0, seconds))
    result.notes.append("CPU time of all threads, warm. A C++ program of the same model took 0.4 s.")
    return result


def _start(game: HootOwl, table: Any) -> float:
    from dicewise.games.hoot_owl.solution import HootOwlSolution

    return float(HootOwlSolution(game, HootTable(game).report(), table).value(game.start()))


def six() -> Result:
    """Six owls, one hand, 4.3 billion positions, in a process of its own; compiling is counted in"""
    result = Result({"": str, "wall": seconds, "CPU": seconds, "memory": gigabytes})
    with tempfile.TemporaryDirectory(prefix="dicewise-bench-") as folder:
        done = run([sys.executable, "-c", LARGE], environment(Path(folder)), show_progress=True)
    value, solving = json.loads(done.out)
    result.rows.append({"": "with compiling", "wall": done.wall, "CPU": done.cpu, "memory": done.bytes})
    result.checks[f"the chance to win is {SIX}"] = abs(value - SIX) < 1e-11
    result.targets.append(Target("time", solving, 600.0, seconds))
    result.targets.append(Target("memory", done.bytes, 16e9, gigabytes))
    result.notes.append("The table is held in memory. A C++ program of the same model took 129 s.")
    return result


# ---- the peer


def _plain(game: HootOwl) -> float:
    """The recurrence as one would write it down: owls in a cube, hands of three cards, no after-states."""
    path = np.array([game.deck_colours.index(colour) for colour in game.path])
    colours, spaces = len(game.deck_colours), game.nest + 1
    hands = [(a, b, c) for a in range(colours) for b in range(a, colours) for c in range(b, colours)]
    number = np.zeros((colours,) * 3, dtype=np.int64)
    for at, (a, b, c) in enumerate(hands):
        for x, y, z in ((a, b, c), (a, c, b), (b, a, c), (b, c, a), (c, a, b), (c, b, a)):
            number[x, y, z] = at
    worth = np.zeros((game.track + 1, spaces, spaces, spaces, len(hands)))
    cards = sum(game.colour_cards) + game.suns
    chance, sun = np.array(game.colour_cards) / cards, game.suns / cards
    task: Any = _fill_plain
    task(worth, path, np.array(hands), number, chance, sun, game.first_spaces[0])
    a, b, c = game.first_spaces
    start = 0.0  # three cards are dealt, and a sun among them moves the sun
    for suns in range(game.track):
        dealt = (suns + 1) * (suns + 2) / 2 * sun**suns
        for at, hand in enumerate(hands):
            ways = {3: 1, 2: 3, 1: 6}[max(hand.count(card) for card in hand)]
            start += dealt * ways * float(np.prod(chance[list(hand)])) * float(worth[suns, a, b, c, at])
    return start


@njit(cache=True)
def _fill_plain(worth: Any, path: Any, hands: Any, number: Any, chance: Any, sun: Any, low: Any) -> None:
    nest, track = len(path), len(worth) - 1
    drawn = np.zeros((track + 1, nest + 1, nest + 1, nest + 1, len(chance), len(chance)))
    for suns in range(track):
        drawn[suns, nest, nest, nest] = 1.0
    owls = np.empty(3, dtype=np.int64)
    for progress in range(3 * nest - 1, 3 * low + 2, -1):
        for a in range(low, nest):
            for b in range(a, nest + 1):
                c = progress - a - b
                if c < b or c > nest or (a == b) or (b == c and c < nest):
                    continue
                for suns in range(track - 1, -1, -1):
                    for at in range(len(hands)):
                        best = 0.0
                        for i in range(3):
                            card, one, two = hands[at, i], hands[at, (i + 1) % 3], hands[at, (i + 2) % 3]
                            for owl in range(3):
                                owls[0], owls[1], owls[2] = a, b, c
                                if owls[owl] == nest:
                                    continue
                                to = owls[owl] + 1
                                while to < nest and (path[to] != card or to in (a, b, c)):
                                    to += 1
                                owls[owl] = to
                                x, y, z = owls
                                if x > y:
                                    x, y = y, x
                                if y > z:
                                    y, z = z, y
                                best = max(best, drawn[suns, x, y, z, one, two])
                        worth[suns, a, b, c, at] = best
                    for one in range(len(chance)):
                        for two in range(len(chance)):
                            total = sun * drawn[suns + 1, a, b, c, one, two] if suns + 1 < track else 0.0
                            for card in range(len(chance)):
                                total += chance[card] * worth[suns, a, b, c, number[one, two, card]]
                            drawn[suns, a, b, c, one, two] = total
