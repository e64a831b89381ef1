"""A solution from the store, or solved and kept there for the next time."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from dicewise.engine import layers
from dicewise.engine.solve import announce_compiler, solve, solve_from
from dicewise.game import A, Game, Progress, S
from dicewise.graph import Listed
from dicewise.layered import Layered
from dicewise.solution import Report, Solution, TableSolution
from dicewise.store import Store, key_of


def recall(game: Game[S, A], *, store: Store | None = None, progress: Progress | None = None) -> Solution[S, A]:
    """The solution of a game, in doubles: out of the store if it is there and sound, otherwise solved and kept."""
    return recall_or_solve(game, store or Store(), progress=progress)[0]


def recall_or_solve(
    game: Game[S, A],
    store: Store | None,
    *,
    details_up_to: int = 0,
    resume: bool = True,
    checked: bool = False,
    progress: Progress | None = None,
) -> tuple[Solution[S, A], bool]:
    """The solution of a game and whether the store had it; what is worked out is kept. Without a store, solved.

    For games of up to `details_up_to` states, what `Solution.details` and `why` need is found and kept as well. Where a
    table is filled in layers, `resume` goes on with what an earlier run has left behind, and `checked` holds a
    finished one against its checksums, to fill again what does not fit.
    """
    key = None if store is None or not store.limit else key_of(game)
    if store is not None and key is not None and (layered := game.layered()) is not None:
        folder = layers.folder_of(store.path, key)
        known = layers.finished(folder, key)
        if known is not None and checked and not layers.is_sound(folder, known[0]):
            known = None
        return _layered(game, layered, folder, key, known, resume, progress)
    found = None if store is None else recall_stored(game, store)
    if found is not None and (found.has_details or found.report.states > details_up_to):
        return found, True
    solution = found or solve(game, progress=progress)
    if solution.report.states <= details_up_to:
        solution.find_details(progress)
    if store is not None:
        keep(solution, store)
    return solution, found is not None


def _layered(
    game: Game[S, A],
    layered: Layered,
    folder: Path,
    key: str,
    known: tuple[layers.Table, dict[str, Any]] | None,
    resume: bool,
    progress: Progress | None,
) -> tuple[Solution[S, A], bool]:
    """The solution of a game whose table is filled in layers, which are checkpoints and stay where they are."""
    if (
        known is not None
        and (solution := game.restore({"table": known[0]}, Report.of_dict(known[1]["report"]))) is not None
    ):
        return solution, True
    started = time.perf_counter()
    announce_compiler(progress)
    table = layers.run_in(folder, layered, key, resume=resume, progress=progress)
    report = replace(layered.report(), seconds=time.perf_counter() - started)
    layers.finish(folder, {"report": report.as_dict()})
    solution = game.restore({"table": table}, report)
    assert solution is not None  # who has layers makes a solution of them
    return solution, False


def recall_stored(game: Game[S, A], store: Store) -> Solution[S, A] | None:
    """The stored solution of a game; None where there is none, or none that is sound and fits."""
    key = key_of(game)
    found = None if key is None else store.load(key)
    if found is None:
        return None
    arrays, meta = found
    try:
        report = Report.of_dict(meta["report"])
        solution = game.restore(arrays, report)
        if solution is not None:
            return solution
        values, policy = arrays["values"], arrays.get("policy")
        numbering = game.numbering() if "states" not in arrays else _listed(game, arrays["states"])
        if numbering is None or values.shape != (len(numbering), game.players):
            return None
        if policy is not None and policy.shape != (len(numbering),):
            return None
        elsewhere = solve_from(game, exact=False)
        return TableSolution(game, report, numbering, values, elsewhere, meta["tolerance"], policy=policy)
    except (KeyError, TypeError, ValueError):
        return None


def _listed(game: Game[Any, Any], states: Any) -> Listed | None:
    """Stored states by number; None if one stands there twice."""
    texts = [text.decode() for text in states.tolist()]
    return Listed([game.parse(text) for text in texts]) if len(set(texts)) == len(texts) else None


def keep(solution: Solution[Any, Any], store: Store) -> bool:
    """Put a solution into the store; `store.problem` says why where that fails."""
    key, arrays = key_of(solution.game), solution.arrays()
    if key is None or arrays is None:
        return False
    meta = {"report": solution.report.as_dict(), "tolerance": float(solution.tolerance)}
    return store.save(key, arrays, meta)
