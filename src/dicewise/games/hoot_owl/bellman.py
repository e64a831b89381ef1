"""The Bellman equations of Hoot Owl Hoot, checked for all entries of a table.

They are written down as the rules say them, and share nothing with the sweeps that fill tables: every card that may be
drawn, every card that may then be played, every owl that it may move, with hands as counts of cards.

    W(before the draw) = mean over the cards c in the pile of V(hand and c), a sun moving the sun instead
    V(hand)            = max over the cards in it, and over the owls, of W(after the move), 1 with all owls home

Each play brings an owl or the sun forward, so that as many violations can add up as there are steps to the end.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from dicewise.engine.layers import blocks, threads_here
from dicewise.game import Progress
from dicewise.games.hoot_owl.position import SUN
from dicewise.games.hoot_owl.rules import MODELS
from dicewise.games.hoot_owl.simulate import hands_by_key
from dicewise.games.hoot_owl.tables import most_steps
from dicewise.solution import UNIT_ROUNDOFF, Violation

if TYPE_CHECKING:
    from dicewise.games.hoot_owl.solution import HootOwlSolution

ROWS_AT_ONCE = 500


def check(solution: HootOwlSolution, progress: Progress | None) -> Violation:
    """Hold a table against the equations."""
    from dicewise.games.hoot_owl._kernel_check import check_rows

    game, rows = solution.game, solution.rows
    cards = game.deck_colours + SUN
    lists = rows.hand_lists
    cards_of = np.zeros((len(lists), len(lists[-1]), len(cards)), dtype=np.int64)
    for size, hands in enumerate(lists):
        for number, hand in enumerate(hands):
            cards_of[size, number] = [hand.count(card) for card in cards]
    table = solution.chances.reshape(len(solution.chances), -1)
    shown = solution.chances.shape[1 if game.own_hands else 2]
    given: Any = (
        (rows.row_board, rows.row_played, rows.place),
        rows.board,
        (
            MODELS.index(game.model),
            np.array(game.colour_cards),
            game.suns,
            game.track,
            game.full,
            shown,
            game.own_hands,
        ),
        (cards_of, len(lists[-2]), len(lists[-1]), hands_by_key(rows), rows.pile[2]),
        float(solution.tolerance),
    )
    task: Any = check_rows
    states, largest, where, loss = 0, -1.0, (0, 0), 0.0
    parts = blocks(0, rows.rows, ROWS_AT_ONCE)
    with ThreadPoolExecutor(threads_here()) as pool:
        jobs = [pool.submit(task, table, solution.possible, first, last, *given) for first, last in parts]
        try:
            for number, job in enumerate(jobs, 1):
                checked, off, row, entry, short = job.result()
                states, loss = states + checked, max(loss, short)
                if off > largest:
                    largest, where = off, (row, entry)
                if progress is not None:
                    progress(number / len(jobs), "certifying")
        except BaseException:
            for job in jobs:
                job.cancel()
            raise
    rounding = (2 * len(cards) + 8) * UNIT_ROUNDOFF
    bound = 1.01 * most_steps(game) * (max(largest, 0.0) + rounding)
    state = solution.position(*where)
    text = "" if state is None else game.text(state)
    return Violation(states, max(largest, 0.0), text, loss, bound)
