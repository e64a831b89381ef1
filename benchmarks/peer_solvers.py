"""Other people's solvers, each given a `Process` in the form that it likes best.

`make` turns the arrays into the peer's own model; `solve` answers with the value of the start. Which methods and
settings are used, and why, is said beside each. Nothing is imported before it is asked for: a peer that is not
installed raises ImportError.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import version
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.hold_dice_model import Process

Value = float | Fraction

NEARLY_ONE = 1 - 1e-12
"""The discount for peers that refuse 1. What is paid after t steps counts (1 - 1e-12)^t, which here takes about 1e-10
from the value."""

STOP = 0.1
"""The epsilon of discounted peers. They stop when a sweep changes less than epsilon * (1 - discount) / 2, here 5e-14:
a little above rounding, and the least that makes sense."""


@dataclass(frozen=True)
class Peer:
    package: str
    method: str
    layouts: tuple[str, ...]
    make: Callable[[Process], Any]
    solve: Callable[[Any], Value]
    within: float
    """How far from the truth the answer may be: what the peer promises, or what the discount takes."""

    @property
    def name(self) -> str:
        return f"{self.package} {version(self.package)}, {self.method}"


# ---- Storm: costs instead of rewards, because its sound methods want rewards of one sign


def _storm_model(process: Process, number: Any, chances: list[Any]) -> Any:
    """The least expected cost of reaching the end: sticking costs what is missing to the top score."""
    from stormpy import datastructures, models

    rows = len(process.state)
    builder = datastructures.SparseMatrixBuilder[number](
        rows=rows,
        columns=process.states,
        entries=len(chances),
        has_custom_row_grouping=True,
        row_groups=process.states,
    )
    row_of_entry = np.repeat(np.arange(rows), np.diff(process.first))
    builder.add_next_values(row_of_entry.tolist(), process.column.tolist(), chances, process.first_rows[:-1].tolist())
    labels = models.StateLabeling(process.states)
    for label, state in (("init", process.start), ("done", process.end)):
        labels.add_label(label)
        labels.add_label_to_state(label, state)
    costs = models.SparseRewardModel[number](
        optional_state_action_reward_vector=[number(cost) for cost in _costs(process)]
    )
    parts = models.SparseModelComponents[number](
        transition_matrix=builder.build(), state_labeling=labels, reward_models={"cost": costs}
    )
    return models.SparseMdp[number](parts), process.start, int(process.reward.max())


def _costs(process: Process) -> list[int]:
    sticks = (process.column[process.first[:-1]] == process.end) & (process.state != process.end)
    return [int(cost) for cost in np.where(sticks, process.reward.max(), 0) - process.reward]


def _storm_doubles(process: Process) -> Any:
    return _storm_model(process, float, process.chance.tolist())


def _storm_rationals(process: Process) -> Any:
    from stormpy import Rational

    pairs = zip(process.weight.tolist(), process.totals.tolist(), strict=True)
    return _storm_model(process, Rational, [Rational(f"{weight}/{total}") for weight, total in pairs])


def _storm_check(made: Any, environment: Any) -> Any:
    import stormpy

    model, start, top = made
    least_cost = stormpy.parse_properties('R{"cost"}min=? [F "done"]')[0]
    return top, stormpy.model_checking(model, least_cost, environment=environment).get_value(start)


def _storm_sound(method: str) -> Callable[[Any], float]:
    def solve(made: Any) -> float:
        import stormpy

        environment = stormpy.environments.sound()
        solver = environment.solver().min_max()
        solver.method = getattr(stormpy.environments.MinMaxMethod, method)
        solver.precision = stormpy.Rational("1/1000000000000")
        solver.relative_termination_criterion = False
        top, cost = _storm_check(made, environment)
        return float(top - cost)

    return solve


def _storm_exact(made: Any) -> Fraction:
    import stormpy

    top, cost = _storm_check(made, stormpy.environments.exact())
    return Fraction(top) - Fraction(str(cost))


# ---- QuantEcon: state-action pairs and a sparse matrix


def _quantecon_model(process: Process) -> Any:
    from quantecon.markov import DiscreteDP
    from scipy.sparse import csr_matrix

    matrix = csr_matrix((process.chance, process.column, process.first), shape=(len(process.state), process.states))
    action = np.arange(len(process.state)) - process.first_rows[process.state]
    return DiscreteDP(process.reward, matrix, NEARLY_ONE, process.state, action), process.start


def _quantecon(method: str) -> Callable[[Any], float]:
    def solve(made: Any) -> float:
        model, start = made
        # from 0, a lower bound: its own beginning for modified policy iteration is the least reward / (1 - discount)
        found = model.solve(method=method, v_init=np.zeros(model.num_states), epsilon=STOP, max_iter=10_000)
        return float(found.v[start])

    return solve


# ---- mdpsolver: nested lists


def _mdpsolver_model(process: Process) -> Any:
    import mdpsolver

    rows = process.first_rows.tolist()
    first, columns, chances = process.first.tolist(), process.column.tolist(), process.chance.tolist()
    rewards = process.reward.tolist()

    def nested(entries: list[Any]) -> list[list[list[Any]]]:
        return [[entries[first[row] : first[row + 1]] for row in range(begin, stop)] for begin, stop in pairwise(rows)]

    model = mdpsolver.model()
    model.mdp(
        discount=NEARLY_ONE,
        rewards=[rewards[begin:stop] for begin, stop in pairwise(rows)],
        tranMatProbs=nested(chances),
        tranMatColumns=nested(columns),
    )
    return model, process.start, process.states


def _mdpsolver(made: Any) -> float:
    model, start, states = made
    # the quickest of its three algorithms and three updates here; its threads only cost CPU time at this size
    model.solve(algorithm="pi", update="gs", tolerance=STOP, parallel=False, initValueVector=[0.0] * states)
    return float(model.getValue(start))


_BOTH = ("flat", "shared")

HOLD_DICE = (
    Peer("stormpy", "sound", _BOTH, _storm_doubles, _storm_sound("SOUND_VALUE_ITERATION"), 1e-12),
    Peer("stormpy", "optimistic", _BOTH, _storm_doubles, _storm_sound("OPTIMISTIC_VALUE_ITERATION"), 1e-12),
    # flat takes 4 s to build and 11 s to solve, for the same fraction
    Peer("stormpy", "exact", ("shared",), _storm_rationals, _storm_exact, 0.0),
    Peer("quantecon", "policy iteration", _BOTH, _quantecon_model, _quantecon("policy_iteration"), 1e-9),
    Peer("quantecon", "modified", _BOTH, _quantecon_model, _quantecon("modified_policy_iteration"), 1e-9),
    Peer("quantecon", "value iteration", _BOTH, _quantecon_model, _quantecon("value_iteration"), 1e-9),
    Peer("mdpsolver", "policy iteration", _BOTH, _mdpsolver_model, _mdpsolver, 1e-9),
)


# ---- OpenSpiel: its own Pig


def open_spiel_pig(target: int, threshold: float) -> Callable[[], dict[str, float]]:
    """OpenSpiel's value iteration on its own Pig, for two: from the rules to every state's value.

    Values are for player 0, 1 for a win and -1 for a loss. States are keyed by their text.
    """
    import pyspiel
    from open_spiel.python.algorithms.value_iteration import value_iteration

    game = pyspiel.load_game(f"pig(players=2,winscore={target})")

    def solve() -> dict[str, float]:
        found: dict[str, float] = value_iteration(game, depth_limit=-1, threshold=threshold, cyclic_game=True)
        return found

    return solve
