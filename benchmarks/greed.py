"""The solvers of Greed, warm, in this process."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import dicewise
from benchmarks.measure import best_of, cpu, wall
from benchmarks.report import Result, Target, count, seconds, small, times
from dicewise import Greed
from dicewise.games.greed._layout import layout

AGREE = 1e-12

SPEED: tuple[tuple[int, int, int, float], ...] = ((100, 6, 10, 12.0), (500, 6, 4, 100.0), (500, 20, 4, 40.0))
"""max, sides, rounds, and how many times faster than the plain peer we want to be."""

DOUBLING: tuple[tuple[int, int], ...] = ((500, 6), (1000, 4), (2000, 3))
"""max and rounds."""

THREADS: tuple[tuple[int, int], ...] = ((500, 6), (1000, 4), (2000, 3))
"""Max and rounds; smaller boards are solved by diagonals, on one thread."""


def speed() -> Result:
    """The paper's O(M^4) algorithm, compiled twice, against dicewise.solve"""
    from benchmarks import paper_greed  # imports numba: from here on dicewise.solve is compiled

    paper_greed.solve(1, 2, False)
    paper_greed.solve(1, 2, True)
    dicewise.solve(Greed(2))
    result = Result(
        {
            "max, sides": str,
            "plain": seconds,
            "simd": seconds,
            "dicewise": seconds,
            "plain / dicewise": times,
            "target": times,
            "simd / dicewise": times,
            "largest difference": small,
        }
    )
    methods = set()
    for top, sides, rounds, target in SPEED:
        game = f"({top}, {sides})"
        answers: dict[str, Any] = {}

        def paper(simd: bool, top: int = top, sides: int = sides, answers: dict[str, Any] = answers) -> None:
            answers["simd" if simd else "plain"] = paper_greed.solve(top, sides, simd)[::2]

        def ours(top: int = top, sides: int = sides, answers: dict[str, Any] = answers) -> None:
            answers["dicewise"] = dicewise.solve(Greed(top, sides))

        best = best_of(rounds, {"plain": partial(paper, False), "simd": partial(paper, True), "dicewise": ours})
        solution = answers["dicewise"]
        methods.add(solution.report.method)
        tables = solution.payoffs(False), solution.payoffs(True)
        difference = max(
            float(np.abs(theirs - table).max())
            for peer in ("plain", "simd")
            for theirs, table in zip(answers[peer], tables, strict=True)
        )
        ratio = best["plain"] / best["dicewise"]
        result.rows.append(
            {
                "max, sides": game,
                **best,
                "plain / dicewise": ratio,
                "target": target,
                "simd / dicewise": best["simd"] / best["dicewise"],
                "largest difference": difference,
            }
        )
        result.targets.append(Target(f"{game} against plain", ratio, target, times, least=True))
        result.checks[f"{game}: all three agree to {AGREE} in every state"] = difference <= AGREE
    result.checks["dicewise.solve was the compiled kernel"] = methods == {"kernel (compiled)"}
    result.notes.append("CPU time, warm; that of dicewise counts all its threads.")
    return result


def doubling() -> Result:
    """What twice the maximum costs, one thread"""
    from dicewise.games.greed import _kernel

    result = Result({"max": count, "states": count, "cells": count, "CPU": seconds, "factor": times})
    _kernel.solve(layout(Greed(2)), False, threads=1)
    before: float | None = None
    for top, rounds in DOUBLING:
        rules = layout(Greed(top))
        taken = best_of(rounds, {"CPU": partial(_kernel.solve, rules, False, threads=1)})["CPU"]
        row = {"max": top, "states": 2 * (top + 1) ** 2, "cells": rules.cells, "CPU": taken}
        if before is not None:
            row["factor"] = taken / before
            result.targets.append(Target(f"from {top // 2} to {top}", taken / before, 9.0, times))
        result.rows.append(row)
        before = taken
    result.notes.append("Eight times the cells of E each time; what is above 8x is the memory's share.")
    return result


def threads() -> Result:
    """One thread and two"""
    from dicewise.games.greed import _kernel

    result = Result({"max": count, "1 thread": seconds, "2 threads": seconds, "gain": times, "threads of solve": count})
    _kernel.solve(layout(Greed(2)), False, threads=2)
    for top, rounds in THREADS:
        rules = layout(Greed(top))
        peers = {"1 thread": partial(_kernel.solve, rules, False, threads=1)}
        peers["2 threads"] = partial(_kernel.solve, rules, False, threads=2)
        best = best_of(rounds, peers, wall)
        chosen = _kernel._cores() if rules.cells >= _kernel.THREADS_FROM else 1
        gain = best["1 thread"] / best["2 threads"]
        result.rows.append({"max": top, **best, "gain": gain, "threads of solve": chosen})
    result.notes.append("Wall time: two threads gain nothing while other processes keep a core busy.")
    return result


def exact() -> Result:
    """Every state of standard Greed as a fraction, and the proof"""
    from dicewise.engine.certify import certify

    result = Result({"": str, "CPU": seconds})
    start = cpu()
    solution = dicewise.solve(Greed(), exact=True)
    solved = cpu()
    certificate = certify(solution, exact=True)
    proven = cpu()
    rounded = certify(dicewise.solve(Greed()), exact=True)
    checked = cpu()
    result.rows = [
        {"": "solve(Greed(), exact=True)", "CPU": solved - start},
        {"": "certify(it, exact=True), the proof", "CPU": proven - solved},
        {"": "certify(solve(Greed()), exact=True), doubles held against exact equations", "CPU": checked - proven},
    ]
    result.targets.append(Target("solving and proving", proven - start, 60.0, seconds))
    result.checks["the exact solution is proven"] = certificate.proven
    result.checks[f"the doubles are within {AGREE} of the truth"] = (
        rounded.error_bound is not None and rounded.error_bound <= AGREE
    )
    return result
