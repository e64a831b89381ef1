"""dicewise beside general solvers, on games that they can express, and how quickly rules become arrays.

Every answer of a peer is held against ours to the precision that the peer promises. A peer that is not installed is
noted and left out; `make bench` installs them all (the extra `bench`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from importlib.metadata import version
from typing import Any

import dicewise
from benchmarks import hold_dice_model
from benchmarks.measure import best_of
from benchmarks.peer_solvers import HOLD_DICE, Peer, open_spiel_pig
from benchmarks.report import Result, Row, Target, count, seconds, small, times
from dicewise import Game, Greed, HoldDice, Pig
from dicewise.engine.explore import explore as explore_rules
from dicewise.engine.solve import solve_graph
from dicewise.graph import Graph

CERTIFIED = 1e-12
"""What is asked of our own error bounds."""

PIG = 0.5305927252737
"""The first player's chance in Pig to 100, to 13 digits (0.5306: Neller and Presser, UMAP Journal 25(1), 2004)."""

OPEN_SPIEL_TARGET = 20
"""To 100 it needs ten minutes and 4.7 GB."""

OPEN_SPIEL_THRESHOLD = 1e-12
OPEN_SPIEL_WITHIN = 1e-10
"""It stops when a sweep changes less than the threshold, which does not bound the error; this does in practice."""

DICE = (6, 6)

EXPLORED: tuple[tuple[Callable[[], Game[Any, Any]], int], ...] = (
    (lambda: Greed(40, 6), 3),
    (lambda: Pig(60), 2),
    (lambda: HoldDice(5, 6), 3),
)
"""Fresh games, since a game may remember what its rules have answered, and rounds."""

RATE = 400_000.0
"""Transitions per second."""


# ---- Pig


def pig() -> Result:
    """Pig to 100 from arrays, certified; Pig to 20 beside OpenSpiel's value iteration"""
    result = Result(
        {
            "": str,
            "states": count,
            "CPU": seconds,
            "ratio": times,
            "first player wins": "{:.12f}".format,
            "error bound": small,
        }
    )
    _pig_from_arrays(result)
    _pig_beside_open_spiel(result)
    result.notes.append("CPU time, warm. Ratios are to the row of dicewise from rules.")
    return result


def _pig_from_arrays(result: Result) -> None:
    game = Pig(100)
    graph = _own_graph(game)
    found: dict[str, Any] = {}

    def solve() -> None:
        found["solution"] = solve_graph(game, graph)

    best = best_of(3, {"arrays": game.graph, "solve": solve})
    solution = found["solution"]
    value, bound = solution.value(game.start()), solution.report.error_bound
    result.rows += [
        {"": "Pig to 100: arrays, by NumPy", "states": len(graph.states), "CPU": best["arrays"]},
        {
            "": "Pig to 100: dicewise, from arrays",
            "states": len(graph.states),
            "CPU": best["solve"],
            "first player wins": value,
            "error bound": bound,
        },
    ]
    result.targets.append(Target("Pig to 100, arrays and solving", sum(best.values()), 1.0, seconds))
    result.checks[f"Pig to 100 is certified to {CERTIFIED}"] = bound is not None and bound <= CERTIFIED
    result.checks[f"Pig to 100 is {PIG}"] = abs(value - PIG) <= 1e-12


def _own_graph(game: Game[Any, Any]) -> Graph:
    graph = game.graph()
    if graph is None:
        raise TypeError(f"{game.spec} builds no arrays of its own")
    return graph


def _pig_beside_open_spiel(result: Result) -> None:
    game = Pig(OPEN_SPIEL_TARGET)
    name = f"Pig to {OPEN_SPIEL_TARGET}"
    found: dict[str, Any] = {}

    def ours(using: str) -> None:
        found[using] = dicewise.solve(game, using=using)

    peers: dict[str, Callable[[], None]] = {using: partial(ours, using) for using in ("rules", "graph")}
    try:
        their_solve = open_spiel_pig(OPEN_SPIEL_TARGET, OPEN_SPIEL_THRESHOLD)
    except ImportError as error:
        result.notes.append(f"OpenSpiel is left out: {error}.")
    else:

        def theirs() -> None:
            found["theirs"] = their_solve()

        peers["theirs"] = theirs
    best = best_of(3, peers)
    for using in ("rules", "graph"):
        solution = found[using]
        result.rows.append(
            {
                "": f"{name}: dicewise, from {'rules' if using == 'rules' else 'arrays, building them'}",
                "states": solution.report.states,
                "CPU": best[using],
                "ratio": best[using] / best["rules"],
                "first player wins": solution.value(game.start()),
                "error bound": solution.report.error_bound,
            }
        )
    if "theirs" not in found:
        return
    chances = _movers_chances(found["theirs"])
    result.rows.append(
        {
            "": f"{name}: OpenSpiel {version('open_spiel')}, from rules",
            "states": len(found["theirs"]),
            "CPU": best["theirs"],
            "ratio": best["theirs"] / best["rules"],
            "first player wins": chances[0, 0, 0],
        }
    )
    differences = [
        abs(chance - found["graph"].value(game.at(own, other, total=total)))
        for (own, other, total), chance in chances.items()
        if own + total < game.target and other < game.target
    ]
    largest = max(differences)
    result.checks[f"{name}: OpenSpiel agrees to {OPEN_SPIEL_WITHIN} in {len(differences):,} positions"] = (
        largest <= OPEN_SPIEL_WITHIN
    )
    result.notes.append(
        f"OpenSpiel's largest difference is {largest:.1e}, its threshold {OPEN_SPIEL_THRESHOLD}. Its players may pass "
        "at 0, have to say 'hold' with enough to win, and keep their seats: the same values in more states."
    )


def _movers_chances(values: dict[str, float]) -> dict[tuple[int, int, int], float]:
    """OpenSpiel's values as the mover's chance to win, by the mover's score, the other's, and the turn's total."""
    pattern = re.compile(r"Scores: (\d+) (\d+), Turn total: (\d+)\nCurrent player: ([01])\n")
    chances: dict[tuple[int, int, int], float] = {}
    for text, value in values.items():
        if (read := pattern.fullmatch(text)) is not None:
            first, second, total, player = map(int, read.groups())
            if player == 0:
                chances[first, second, total] = (1 + value) / 2
            else:
                chances.setdefault((second, first, total), (1 - value) / 2)
    return chances


# ---- hold dice


def hold_dice() -> Result:
    """Hold dice 6d6 beside Storm, QuantEcon and mdpsolver, all given arrays"""
    result = Result(
        {
            "": str,
            "arrays": str,
            "build": seconds,
            "solve": seconds,
            "solve / kernel": times,
            "both / kernel": times,
            "difference": small,
        }
    )
    game = HoldDice(*DICE)
    dicewise.solve(HoldDice(2, 6))  # compiles
    graph = explore_rules(game)
    answers: dict[str, Any] = {}
    calls: dict[str, Callable[[], None]] = {}
    rows: dict[str, Row] = {}
    builds: dict[str, Callable[[], Any]] = {}

    def enter(row: Row, key: str, solve: Callable[[], Any], build: Callable[[], Any] | None = None) -> None:
        def call() -> None:
            answers[key] = solve()

        call()  # compiles, where a peer compiles
        rows[key], calls[key] = row, call
        if build is not None:
            builds[key] = build

    enter({"": "dicewise, kernel"}, "kernel", lambda: dicewise.solve(game, using="kernel"))
    enter({"": "dicewise, kernel, exact"}, "exact", lambda: dicewise.solve(game, using="kernel", exact=True))
    enter(
        {"": "dicewise, engine", "arrays": "from rules"},
        "engine",
        lambda: solve_graph(game, graph),
        lambda: explore_rules(HoldDice(*DICE)),
    )
    ours = list(rows)
    processes = {layout: hold_dice_model.build(*DICE, layout) for layout in ("flat", "shared")}
    asked: dict[str, Peer] = {}
    missing: dict[str, str] = {}
    for peer in HOLD_DICE:
        for layout in peer.layouts:
            process = processes[layout]
            try:
                made = peer.make(process)
            except ImportError as error:
                missing[peer.package] = str(error)
                continue
            key = f"{peer.name}, {layout}"
            asked[key] = peer
            enter({"": peer.name, "arrays": layout}, key, partial(peer.solve, made), partial(peer.make, process))
    solved, built = best_of(4, calls), best_of(3, builds)
    truth = answers["exact"].value(game.start())
    for key, row in rows.items():
        value = answers[key].value(game.start()) if key in ours else answers[key]
        row |= {
            "solve": solved[key],
            "solve / kernel": solved[key] / solved["kernel"],
            "difference": abs(float(Fraction(value) - truth)),
        }
        if key in built:
            row |= {"build": built[key], "both / kernel": (built[key] + solved[key]) / solved["kernel"]}
        bound = asked[key].within if key in asked else answers[key].report.error_bound
        within = 0.0 if bound is None else bound
        result.checks[f"{key}: within {within:.1e} of the exact value"] = abs(Fraction(value) - truth) <= within
        result.rows.append(row)
    result.targets.append(Target("6d6 by the kernel", solved["kernel"], 0.02, seconds))
    result.notes += [f"{package} is left out: {error}." for package, error in missing.items()]
    result.notes.append(
        f"CPU time, warm. The value is {truth}, {float(truth):.12f}. `build`, not part of `solve`, turns arrays into "
        "the peer's model, or rules into our arrays; the kernel needs nothing built. Discounted peers lose 1e-10 to "
        "the discount."
    )
    return result


# ---- from rules to arrays


def explore() -> Result:
    """Transitions per second from rules to arrays"""
    result = Result({"": str, "states": count, "transitions": count, "CPU": seconds, "per second": count})
    for make, rounds in EXPLORED:
        found: dict[str, Graph] = {}

        def run(make: Callable[[], Game[Any, Any]] = make, found: dict[str, Graph] = found) -> None:
            found["graph"] = explore_rules(make())

        taken = best_of(rounds, {"CPU": run})["CPU"]
        game, graph = make(), found["graph"]
        transitions = _transitions(game, graph)
        rate = transitions / taken
        states = len(graph.states)
        result.rows.append(
            {"": game.spec, "states": states, "transitions": transitions, "CPU": taken, "per second": round(rate)}
        )
        result.targets.append(Target(f"{game.spec}, transitions per second", rate, RATE, "{:,.0f}".format, least=True))
    result.notes.append("A transition is an outcome of an action in a state, before equal ones are merged.")
    return result


def _transitions(game: Game[Any, Any], graph: Graph) -> int:
    first = graph.first_choice.tolist()
    return sum(
        len(game.step(state, action))
        for at, state in enumerate(graph.states)
        for action in graph.actions[first[at] : first[at + 1]]
    )
