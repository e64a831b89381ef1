"""A solution from the store, or solved and kept there for the next time."""

from __future__ import annotations

from typing import Any

from dicewise.engine.solve import solve, solve_from
from dicewise.game import A, Game, Progress, S
from dicewise.solution import Report, Solution, TableSolution
from dicewise.store import Store, key_of


def recall(game: Game[S, A], *, store: Store | None = None, progress: Progress | None = None) -> Solution[S, A]:
    """The solution of a game, in doubles: out of the store if it is there and sound, otherwise solved and kept."""
    store = store or Store()
    solution = recall_stored(game, store)
    if solution is None:
        solution = solve(game, progress=progress)
        keep(solution, store)
    return solution


def recall_stored(game: Game[S, A], store: Store) -> Solution[S, A] | None:
    """The stored solution of a game; None where there is none, or none that is sound and fits."""
    key = key_of(game)
    found = None if key is None else store.load(key)
    if found is None:
        return None
    arrays, meta = found
    try:
        report = Report(**meta["report"])
        solution = game.restore(arrays, report)
        if solution is not None:
            return solution
        states, values = arrays["states"], arrays["values"]
        index = {game.parse(text.decode()): at for at, text in enumerate(states.tolist())}
        if len(index) != len(states) or values.shape != (len(states), game.players):
            return None
        return TableSolution(game, report, index, values, solve_from(game, exact=False), meta["tolerance"])
    except (KeyError, TypeError, ValueError):
        return None


def keep(solution: Solution[Any, Any], store: Store) -> bool:
    """Put a solution into the store; `store.problem` says why where that fails."""
    key, arrays = key_of(solution.game), solution.arrays()
    if key is None or arrays is None:
        return False
    meta = {"report": solution.report.as_dict(), "tolerance": float(solution.tolerance)}
    return store.save(key, arrays, meta)
