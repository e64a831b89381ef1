"""Simulated games of Yahtzee, turn after turn for all of them at once: the games that the engine would play, sooner.

Games are sorted by their cards before each turn, and each card's turn is worked out once (`_kernel_play`). The more
games there are at once the more of them share a card: of a million, about three quarters of their turns.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import accumulate
from typing import Any

import numpy as np

from dicewise.chance import faces_of
from dicewise.engine.draws import Key, thresholds
from dicewise.game import Progress
from dicewise.games.yahtzee._layout import Floats, Ints, Layout, keeps_of

THREADS = 2


def play_out(
    rules: Layout,
    rerolls: int,
    anchors: Floats,
    tolerance: float,
    card: tuple[int, int, int],
    key: Key,
    first: int,
    last: int,
    progress: Progress,
) -> tuple[Floats, Ints]:
    """The games from number `first` up to `last`, from the start of a turn with the card (used, upper, flag): the
    points of each, in a row of its own, and its number of moves, -1 where the first digits of a draw do not decide."""
    from dicewise.games.yahtzee import _kernel_play

    count = last - first
    used, upper, flag = (np.full(count, entry, dtype=np.int64) for entry in card)
    moves, total = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    shape = (
        *(rules.boxes, rules.flags, rules.limit, rules.bonus),
        *(rules.yahtzee, rules.extra, rules.joker, rerolls),
    )
    words = np.array(key, dtype=np.uint64)
    state: Any = (words, np.uint64(first), used, upper, flag, moves, total, tolerance, anchors, shape, *_tables(rules))
    task: Any = _kernel_play.play_turns
    turns = rules.boxes - card[0].bit_count()
    with ThreadPoolExecutor(THREADS) as pool:
        for turn in range(turns):
            progress(turn / turns, "simulating")
            cards = (used * rules.flags + flag) * (rules.limit + 1) + upper
            order = np.argsort(cards, kind="stable")
            starts = np.concatenate([[0], np.flatnonzero(np.diff(cards[order])) + 1, [count]])
            middle = int(np.searchsorted(starts, count // 2))
            jobs = [pool.submit(task, order, part, *state) for part in (starts[: middle + 1], starts[middle:])]
            for job in jobs:
                job.result()
    return total.astype(np.float64)[:, None], moves


@lru_cache(maxsize=4)
def _tables(rules: Layout) -> tuple[Any, ...]:
    """What depends on the rules alone: what boxes pay, the lattice, the dice that may be kept of each roll, and where
    the outcomes of each number of dice end and lead to."""
    nodes = rules.nodes
    counts = [tuple(row) for row in nodes.counts.tolist()]
    rolls = nodes.rolls.start
    alike = np.full(nodes.nodes - rolls, -1)
    alike[rules.alike] = np.arange(nodes.faces)
    there = nodes.less < nodes.nodes
    edges = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
    size_of = nodes.counts.sum(axis=1).astype(np.int64)
    parts = [keeps_of(nodes, row) for row in counts[rolls:]]
    first_part = np.concatenate([[0], np.cumsum([len(found) for found in parts])])
    ends, first_outcome = list[int](), [0]
    for dice in range(nodes.dice + 1):
        sums = list(accumulate(weight for _, weight in faces_of(dice, nodes.faces)))
        ends += [*thresholds(sums), 2**64 - 1]
        first_outcome.append(len(ends))
    landing, first_landing = list[int](), list[int]()
    for node in range(rolls):
        first_landing.append(len(landing))
        size = nodes.dice - int(size_of[node])
        for rolled in range(nodes.first[size], nodes.first[size + 1]):
            both = [a + b for a, b in zip(counts[node], counts[rolled], strict=True)]
            landing.append(nodes.number(both) - rolls)
    return (
        (rules.points, alike, rules.own_box, rules.as_joker),
        (rolls, nodes.nodes, nodes.faces),
        nodes.more,
        edges,
        nodes.less[there],
        first_part,
        np.array([part for found in parts for part in found], dtype=np.int64),
        size_of,
        np.array(first_outcome),
        np.array(ends, dtype=np.uint64),
        np.array(first_landing),
        np.array(landing),
    )
