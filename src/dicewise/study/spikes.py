"""The spikes of Greed: states near the maximum in which the player who is ahead is worse off.

Two kinds of states, each in connected regions (neighbours share a side):

    ahead     a > q, and the mover loses more often than wins
    behind    a < q, and the mover wins more often, although against a smaller lead, q' < q, the same mover does not

The second condition leaves out the opening, where to be on the move is worth more than a few points. In each region the
deepest state, the one furthest from even, is taken apart: what standing and what one die are worth there, how the other
replies to a stand, and what happens after the best roll. A position is worth the same as one with both scores and the
maximum lower by k, so that its exact value is that of a small board.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicewise.games.greed import Greed
from dicewise.games.greed.exact import solve_exactly
from dicewise.games.greed.policies import rolls_of
from dicewise.games.greed.solution import GreedSolution
from dicewise.study.result import Table

Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]

EXACT_UP_TO = 50
"""Deepest states are worked out in fractions where the lower score is no further from the maximum."""

TAKEN_APART = 12
"""Regions whose deepest states are taken apart."""

FEWEST_STATES = 3
"""Smaller regions are listed, but not spoken of."""


EXPLAINING = (
    *("value", "exact", "dice", "stand", "one_die", "reply", "reply_wins", "bust"),
    *("other_stands", "other_busts", "stands_next", "rolls_next", "own_rolls", "other_rolls"),
)
"""What is said about a deepest state."""


class Region(NamedTuple):
    """A connected set of states."""

    kind: str
    states: list[tuple[int, int]]
    deepest: tuple[int, int]


def edges(solution: GreedSolution) -> tuple[Floats, float]:
    """The chance to win minus the chance to lose of every normal state, and what of it may be rounding."""
    return 2 * solution.ratings(False) - 1, 4 * (solution.report.error_bound or 1e-12)


def masks(solution: GreedSolution) -> dict[str, Mask]:
    """The states of each kind, [active, queued]."""
    edge, noise = edges(solution)
    a, q = np.indices(edge.shape)
    turned = np.logical_or.accumulate((edge < -noise) & (q > a), axis=1)
    return {"ahead": (a > q) & (edge < -noise), "behind": (a < q) & (edge > noise) & turned}


def regions(solution: GreedSolution) -> list[Region]:
    """All regions, those furthest from even first."""
    edge, _ = edges(solution)
    found = []
    for kind, mask in masks(solution).items():
        waiting = {(int(a), int(q)) for a, q in np.argwhere(mask)}
        while waiting:
            states, border = [], [waiting.pop()]
            while border:
                a, q = border.pop()
                states.append((a, q))
                near = {(a - 1, q), (a + 1, q), (a, q - 1), (a, q + 1)} & waiting
                waiting -= near
                border += near
            found.append(Region(kind, sorted(states), max(sorted(states), key=lambda state: abs(edge[state]))))
    return sorted(found, key=lambda region: (-abs(float(edge[region.deepest])), region.kind))


def spike_table(solution: GreedSolution) -> Table:
    """Every region, with its deepest state taken apart."""
    edge, _ = edges(solution)
    exactly = rolls_of(solution.game).exactly
    rows: list[dict[str, Any]] = []
    large = 0
    for region in regions(solution):
        large += len(region.states) >= FEWEST_STATES
        apart = len(region.states) >= FEWEST_STATES and large <= TAKEN_APART
        own, other = ([state[seat] for state in region.states] for seat in (0, 1))
        rows.append(
            {
                "kind": region.kind,
                "states": len(region.states),
                "own": f"{min(own)}-{max(own)}",
                "other": f"{min(other)}-{max(other)}",
                "at": " ".join(map(str, region.deepest)),
                "edge": float(edge[region.deepest]),
                **(taken_apart(solution, exactly, *region.deepest) if apart else dict.fromkeys(EXPLAINING)),
            }
        )
    names = ["kind", "states", "own", "other", "at", "edge", *EXPLAINING]
    shown = {"kind": "{}", "states": "{}", "own": "{}", "other": "{}", "at": "{}", "edge": "{:.4f}", "dice": "{}"}
    shown |= {"stand": "{:.3f}", "one_die": "{:.3f}"}
    title = "spikes: ahead and worse off, or behind and better off; the deepest state, its best n, stand, one die"
    brief = [at for at, row in enumerate(rows) if row["dice"] is not None][:8]
    return Table("spikes", title, {name: [row[name] for row in rows] for name in names}, shown, brief)


def taken_apart(solution: GreedSolution, exactly: Floats, a: int, q: int) -> dict[str, Any]:
    """The numbers that explain a state; `exactly` are the chances of all totals, [dice, total]."""
    game = solution.game
    state = game.at(a, q)
    worth = {choice.action: float(choice.value) for choice in solution.choices(state)}
    n = solution.action(state)
    reply = game.at(q, a, last=True)
    exact = exact_value(game, a, q)
    own, other = expected_rolls(solution, exactly, a, q)
    return {
        "value": float(solution.value(state)),
        "exact": None if exact is None else str(exact),
        "dice": n,
        "stand": worth[0],
        "one_die": worth.get(1),
        "reply": solution.action(reply),
        "reply_wins": solution.chances(reply).win,
        "bust": float(solution.details(state, n)["bust"]),
        **next_turn(solution, exactly, a, q),
        "own_rolls": own,
        "other_rolls": other,
    }


def exact_value(game: Greed, a: int, q: int) -> Fraction | None:
    """What a state is worth to its mover, from a board that begins at the lower score; None where that is large."""
    room = game.max - min(a, q)
    if not 0 < room <= EXACT_UP_TO:
        return None
    shift = game.max - room
    board = replace(game, max=room)
    return Fraction(solve_exactly(board).value(board.at(a - shift, q - shift)))


def next_turn(solution: GreedSolution, exactly: Floats, a: int, q: int) -> dict[str, float]:
    """How a best roll goes on until the mover's next turn: chances that the other stands, or busts, and that the mover
    then stands, or rolls again; the rest is the mover's own bust."""
    dice, top = solution.dice(False), solution.game.max
    found = dict.fromkeys(("other_stands", "other_busts", "stands_next", "rolls_next"), 0.0)
    if dice[a, q] == 0:
        return found
    for total, chance in enumerate(exactly[dice[a, q], : top - a + 1].tolist()):
        if chance == 0:
            continue
        landed = a + total
        m = int(dice[q, landed])
        if m == 0:
            found["other_stands"] += chance
            continue
        met = exactly[m, : top - q + 1]
        stands = float(met[dice[landed, q:] == 0].sum())
        found["other_busts"] += chance * max(0.0, 1 - float(met.sum()))
        found["stands_next"] += chance * stands
        found["rolls_next"] += chance * (float(met.sum()) - stands)
    return found


def expected_rolls(solution: GreedSolution, exactly: Floats, a: int, q: int) -> tuple[float, float]:
    """How often the mover and the other player roll from a normal state on, last turn included, under best play.

    Only states with scores of at least a and q can follow. By falling sum of both scores, for each of the two on the
    move: rolls of the one who began with a, and of the one who began with q.
    """
    dice, last, top = solution.dice(False), solution.dice(True), solution.game.max
    first = np.zeros((2, top + 1, top + 1))  # [whose rolls, score of a, score of q], a to move
    second = np.zeros((2, top + 1, top + 1))  # the same, q to move
    for d in range(2 * top, a + q - 1, -1):
        for x in range(max(a, d - top), min(top, d - q) + 1):
            y = d - x
            n, m = int(dice[x, y]), int(dice[y, x])
            if n:
                first[:, x, y] = second[:, x:, y] @ exactly[n, : top - x + 1]
                first[0, x, y] += 1
            else:
                first[1, x, y] = last[y, x] > 0
            if m:
                second[:, x, y] = first[:, x, y:] @ exactly[m, : top - y + 1]
                second[1, x, y] += 1
            else:
                second[0, x, y] = last[x, y] > 0
    return float(first[0, a, q]), float(first[1, a, q])


def on_spikes(game: Greed, table: Table) -> list[str]:
    """What the regions show, and whether the policy paper's explanation holds in their deepest states."""
    rows = [row for row in table.rows() if row["dice"] is not None]
    ahead, behind = ([row for row in rows if row["kind"] == kind] for kind in ("ahead", "behind"))
    if not ahead and not behind:
        return [f"There are no spikes: no {FEWEST_STATES} connected states in which the player who leads is worse off."]
    said = []
    top, largest = game.max, game.dice.outcomes[-1]
    for row in ahead[:2]:
        a, q = row["at"].split()
        worth = row["exact"] if len(row["exact"] or "") in range(1, 40) else f"{row['value']:.4f}"
        room = f"The other is {top - int(q)} from the maximum, and one die shows at most {largest}. "
        said.append(
            f"Ahead and worse off in {row['states']} states, own scores {row['own']} against {row['other']}; deepest "
            f"at {a} against {q}, worth {worth}. {room}Standing is worth {row['stand']:.3f} there: the other replies "
            f"with {_dice(row['reply'])} and wins {row['reply_wins']:.1%}. {_best_roll(row)} From there on the mover "
            f"rolls {row['own_rolls']:.2f} times on average, the other {row['other_rolls']:.2f} times"
            f"{_unless_bust(row)}."
        )
    if ahead:
        said.append(_verdict(ahead[:2]))
    if behind:
        row = behind[0]
        said.append(
            f"The mirror image: {len(behind)} region{'s' if len(behind) > 1 else ''} in which the mover is behind and "
            f"better off, though not against a smaller lead; the deepest state is {row['at']}, edge {row['edge']:+.4f}."
        )
    return said


def _after(row: dict[str, Any]) -> tuple[float, float]:
    """Expected rolls of both, the mover's first included, when that one does not bust."""
    alive = 1 - row["bust"]
    return 1 + (row["own_rolls"] - 1) / alive, row["other_rolls"] / alive


def _unless_bust(row: dict[str, Any]) -> str:
    own, other = _after(row)
    return f" (unless the first roll busts, {own:.2f} and {other:.2f})" if row["dice"] and row["bust"] else ""


def _best_roll(row: dict[str, Any]) -> str:
    if row["dice"] == 0:
        return "Still, standing is best."
    return (
        f"Rolling {_dice(row['dice'])} is best: it busts {row['bust']:.1%}, the other then stands "
        f"{row['other_stands']:.1%} or busts {row['other_busts']:.1%}, and the mover comes to stand next "
        f"{row['stands_next']:.1%}, to roll again {row['rolls_next']:.1%}."
    )


def _verdict(rows: list[dict[str, Any]]) -> str:
    """The paper: you cannot stand, as the other easily wins with one die; so you roll once and stand next turn; but
    then the other has had two chances."""
    tests = (
        ("a stand loses more often than it wins", [row["reply_wins"] > 0.5 for row in rows]),
        ("the other's reply to it is one die", [row["reply"] == 1 for row in rows]),
        ("rolling one die is best", [row["dice"] == 1 for row in rows]),
        ("the mover more often stands next than rolls again", [row["stands_next"] > row["rolls_next"] for row in rows]),
        (
            "unless the mover busts at once, the other rolls more often",
            [_after(row)[1] > _after(row)[0] for row in rows],
        ),
    )
    parts = [f"{words}: {', '.join('yes' if answer else 'no' for answer in answers)}" for words, answers in tests]
    return f"The policy paper's explanation, at {' and at '.join(row['at'] for row in rows)}: {'; '.join(parts)}."


def _dice(n: int) -> str:
    return "1 die" if n == 1 else f"{n} dice" if n else "no dice"
