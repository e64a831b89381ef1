"""Simulated games of Hoot Owl Hoot, compiled: the games that the engine would play by the rules, sooner."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dicewise.engine.draws import Key
from dicewise.engine.layers import threads_here
from dicewise.game import Progress
from dicewise.games.hoot_owl.position import SUN, Position
from dicewise.games.hoot_owl.rules import MODELS, HootOwl

if TYPE_CHECKING:
    from dicewise.games.hoot_owl._layout import Layout
    from dicewise.games.hoot_owl.solution import HootOwlSolution

Played = tuple[NDArray[np.float64], NDArray[np.int64]]

FEW_GAMES = 20
"""Fewer than this are played by the rules: nobody should wait for a compiler."""
AT_ONCE = 2000
"""Games between two reports."""
MOST_KEYS = 1 << 22
"""Hands are found in a list of so many entries at most."""


def play_far(
    game: HootOwl, way: int, state: Position, key: Key, first: int, last: int, progress: Progress
) -> Played | None:
    """Games by a rule of thumb, number 0, 1 or 2 of `policies.FAR`."""
    nothing = np.zeros((1, 1)), np.zeros(1, dtype=np.int64), np.zeros((1, 1), dtype=np.int32)
    counts = np.array(game.colour_cards)
    one = np.zeros((1, 1), dtype=np.int64)
    known = 0.0, nothing[0], 0, 1, nothing[1], nothing[2], 0, one, nothing[1], counts, (1, 1)
    return _play(game, way, known, state, key, first, last, progress)


def play_by_table(
    game: HootOwl,
    solution: HootOwlSolution,
    tolerance: float,
    state: Position,
    key: Key,
    first: int,
    last: int,
    progress: Progress,
) -> Played | None:
    """Games by the best move in a model that was solved."""
    model, rows = solution.game, solution.rows
    if not solution.is_whole or (model.full + 1) ** (len(model.deck_colours) + 1) > MOST_KEYS:
        return None
    table = solution.chances.reshape(len(solution.chances), -1)
    shown = table_steps(model, solution.chances.shape)
    known = (
        *(tolerance, table, MODELS.index(model.model), model.full, hands_by_key(rows), rows.place, rows.base),
        *(rows.choose, rows.offset, np.array(model.colour_cards), shown),
    )
    return _play(game, 4 if model.own_hands else 3, known, state, key, first, last, progress)


def table_steps(model: HootOwl, shape: tuple[int, ...]) -> tuple[int, int]:
    """How far apart entries of a row are: of the own hands and the others', or (not used) of the suns."""
    return (shape[2], shape[3]) if model.own_hands else (shape[1], shape[2])


def hands_by_key(rows: Layout) -> NDArray[np.int64]:
    """The number of every hand in the list of its size, by its key."""
    game, cards = rows.game, rows.game.deck_colours + SUN
    found = np.full((game.full + 1) ** len(cards), -1, dtype=np.int64)
    for hands in rows.hand_number:
        for hand, number in hands.items():
            found[sum(hand.count(card) * (game.full + 1) ** at for at, card in enumerate(cards))] = number
    return found


def _play(
    game: HootOwl,
    way: int,
    known: tuple[Any, ...],
    state: Position,
    key: Key,
    first: int,
    last: int,
    progress: Progress,
) -> Played | None:
    if last - first < FEW_GAMES:
        return None
    from dicewise.games.hoot_owl._kernel_play import play_games
    from dicewise.games.hoot_owl._layout import path_of

    cards = game.deck_colours + SUN
    hands = np.array([[hand.count(card) for card in cards] for hand in state.hands])
    pile = np.array(state.pile if state.pile else (0,), dtype=np.int64)
    start = np.array(state.owls), state.suns, hands, state.turn, pile
    counts = np.array(game.colour_cards)
    rules = (
        *(MODELS.index(game.model), path_of(game), counts, game.suns, game.track, game.full, game.players),
        game.hands,
    )
    won, moves = np.zeros(last - first), np.zeros(last - first, dtype=np.int64)
    words: Any = np.array(key, dtype=np.uint64)
    task: Any = play_games
    with ThreadPoolExecutor(threads_here()) as pool:
        jobs = []
        for begin in range(first, last, AT_ONCE):
            end = min(begin + AT_ONCE, last)
            part = slice(begin - first, end - first)
            jobs.append(pool.submit(task, words, begin, end, start, rules, way, known, won[part], moves[part]))
        for number, job in enumerate(jobs, 1):
            job.result()
            progress(number / len(jobs), "simulating")
    return np.repeat(won[:, None], game.players, axis=1), moves
