"""Hoot Owl Hoot compiled for simulation: whole games, one after the other, by a rule of thumb or by a solved table.

The moves are those of the rules, and for what chance decides a game looks at the very digits that `engine.draws` gives
to its next move. A table that knows hands of another size than those that are held is read as its model has it: there
cards are drawn until the hand is full.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from dicewise.games.digits import first_digits, part_of
from dicewise.games.hoot_owl._kernel_boards import after_move

MIX, LUMPED, DECK = 0, 1, 2
LAST, FRONT, ANY, TABLE, TABLE_OWN = 0, 1, 2, 3, 4
UNDECIDED = -1


@njit(cache=True, nogil=True)
def play_games(
    key: Any, first: Any, last: Any, start: Any, rules: Any, way: Any, known: Any, won: Any, moves: Any
) -> None:
    """Games number first to last, from a position: whether each is won, and how many moves it takes (-1: undecided).

    `start` is (owls, suns, hands [hand, card], turn, pile [colour]); `rules` (model, colours of the path, cards of each
    colour, suns, track, full hand, players, kind of hands); `way` how a move is chosen; `known` the table that it is
    chosen by, with what tells where its positions are."""
    path, counts, players = rules[1], rules[2], rules[6]
    colours = len(counts)
    owls, hands, pile = start[0].copy(), start[2].copy(), start[4].copy()
    best = np.zeros(2, dtype=np.int64)
    for game in range(first, last):
        owls[:], hands[:], pile[:] = start[0], start[2], start[4]
        suns, turn, move = start[1], start[3], 0
        while True:
            if owls[0] == len(path):
                won[game - first] = 1.0
                break
            left = cards_left(rules, pile, suns, hands)
            if suns >= rules[4] or (left == 0 and hands.sum() == 0):
                break
            seat = turn if rules[7] >= 2 else 0
            hand = hands[seat]
            passes = False
            if hand.sum() < rules[5] and left > 0:
                card = draw(key, np.uint64(game), move, rules, pile, suns, hands)
                if card == UNDECIDED:
                    move = UNDECIDED
                    break
                if rules[0] != MIX and card < colours:
                    pile[card if rules[0] == DECK else 0] -= 1
                if card == colours and rules[7] < 2:
                    suns += 1
                    passes = rules[7] == 0 or cards_left(rules, pile, suns, hands) == 0
                else:
                    hand[card] += 1
                    full = hand.sum() == rules[5] or cards_left(rules, pile, suns, hands) == 0
                    passes = rules[7] > 0 and full
            elif hand[colours] > 0:
                hand[colours] -= 1
                suns += 1
                passes = cards_left(rules, pile, suns, hands) == 0
            else:
                if way <= ANY:
                    choose_far(best, owls, hand, path, way)
                elif not choose_by(best, owls, suns, hands, seat, pile, rules, known, way):
                    move = UNDECIDED
                    break
                hand[best[0]] -= 1
                move_owl(owls, best[1], best[0], path)
                passes = rules[7] == 0 or cards_left(rules, pile, suns, hands) == 0
            move += 1
            if passes:
                turn = (turn + 1) % players
                if rules[7] >= 2 and cards_left(rules, pile, suns, hands) == 0 and hands.sum() > 0:
                    while hands[turn].sum() == 0:
                        turn = (turn + 1) % players
        moves[game - first] = move


@njit(cache=True, nogil=True)
def suns_in_pile(rules: Any, suns: Any, hands: Any) -> Any:
    if rules[0] == MIX:
        return rules[3]
    return rules[3] - suns - hands[:, len(rules[2])].sum()


@njit(cache=True, nogil=True)
def cards_left(rules: Any, pile: Any, suns: Any, hands: Any) -> Any:
    """Cards in the draw pile; those of a mix are always there."""
    return (rules[2].sum() if rules[0] == MIX else pile.sum()) + suns_in_pile(rules, suns, hands)


@njit(cache=True, nogil=True)
def draw(key: Any, game: Any, move: Any, rules: Any, pile: Any, suns: Any, hands: Any) -> Any:
    """The card that is drawn, the sun being the one after the colours."""
    model, counts = rules[0], rules[2]
    colours, every = len(counts), counts.sum()
    sun = suns_in_pile(rules, suns, hands) * (every if model == LUMPED else 1)
    total = sun + (pile.sum() if model == DECK else every if model == MIX else pile[0] * every)
    at = part_of(first_digits(key[0], key[1], game, move), total)
    if at == UNDECIDED:
        return UNDECIDED
    for card in range(colours):
        at -= pile[card] if model == DECK else counts[card] if model == MIX else pile[0] * counts[card]
        if at < 0:
            return card
    return colours


@njit(cache=True, nogil=True)
def space_ahead(owls: Any, owl: Any, card: Any, path: Any) -> Any:
    """Where a colour card takes the owl at this place of the list."""
    for to in range(owls[owl] + 1, len(path)):
        if path[to] == card:
            free = True
            for other in range(len(owls)):
                free = free and owls[other] != to
            if free:
                return to
    return len(path)


@njit(cache=True, nogil=True)
def move_owl(owls: Any, owl: Any, card: Any, path: Any) -> None:
    owls[owl] = space_ahead(owls, owl, card, path)
    while owl + 1 < len(owls) and owls[owl] > owls[owl + 1]:
        owls[owl], owls[owl + 1] = owls[owl + 1], owls[owl]
        owl += 1


@njit(cache=True, nogil=True)
def choose_far(best: Any, owls: Any, hand: Any, path: Any, way: Any) -> None:
    """The card that takes the last owl, the front one, or any, furthest: into `best` the card and the owl."""
    out = 0
    while out < len(owls) and owls[out] < len(path):
        out += 1
    low, high = (0, 1) if way == LAST else (out - 1, out) if way == FRONT else (0, out)
    furthest = 0
    for card in range(len(hand) - 1):
        if hand[card] > 0:
            for owl in range(low, high):
                steps = space_ahead(owls, owl, card, path) - owls[owl]
                if steps > furthest:
                    furthest = steps
                    best[0], best[1] = card, owl


@njit(cache=True, nogil=True)
def choose_by(
    best: Any, owls: Any, suns: Any, hands: Any, seat: Any, pile: Any, rules: Any, known: Any, way: Any
) -> Any:
    """The first move that is as good as any by a table; False where it cannot say."""
    path, tolerance = rules[1], known[0]
    hand = hands[seat]
    worth = np.full((len(hand) - 1, len(owls)), -1.0)
    for card in range(len(hand) - 1):
        if hand[card] > 0:
            hand[card] -= 1
            for owl in range(len(owls)):
                if owls[owl] < len(path):
                    worth[card, owl] = worth_after(owls, owl, card, suns, hands, seat, pile, rules, known, way)
                    if worth[card, owl] < 0:
                        hand[card] += 1
                        return False
            hand[card] += 1
    most = worth.max()
    for card in range(len(hand) - 1):
        for owl in range(len(owls)):
            if worth[card, owl] >= 0 and most - worth[card, owl] <= tolerance:
                best[0], best[1] = card, owl
                return True
    return False


@njit(cache=True, nogil=True)
def worth_after(
    owls: Any, owl: Any, card: Any, suns: Any, hands: Any, seat: Any, pile: Any, rules: Any, known: Any, way: Any
) -> Any:
    """What a table says of the position after a move, the card being out of the hand already."""
    _, table, model, full, number_of, place, base, choose, offset, counts, shown = known
    path, colours = rules[1], len(counts)
    board = after_move(owls, owl, card, path, base, choose, offset)
    if board == 0:
        return 1.0
    hand = hands[seat]
    if way == TABLE_OWN:
        other = hands[1 - seat]
        if hand.sum() != full - 1 or other.sum() != full:
            return -1.0
        own, theirs = number_of[key_of(hand, full)], number_of[key_of(other, full)]
        return np.float64(table[place[0, board], (suns * shown[0] + own) * shown[1] + theirs])
    played, step, all_played = 0, 1, 0
    unplayed = counts.copy()
    if model != MIX:
        for colour in range(colours):
            held = 0
            for other in range(len(hands)):
                held += hands[other, colour]
            if rules[0] == DECK:
                unplayed[colour] = pile[colour] + held
            if model == DECK:
                played += (counts[colour] - unplayed[colour]) * step
                step *= counts[colour] + 1
        all_played = counts.sum() - (pile.sum() + hands[:, :colours].sum())
        if model == LUMPED:
            played = all_played
    row = place[played, board]
    if row < 0:
        return -1.0
    held = full - 1 if model == MIX else min(full - 1, counts.sum() - all_played)
    cards = hand.copy()
    if full == 1:
        cards[:] = 0
    pile_colours = counts.sum() - all_played if model != MIX else counts.sum()
    return worth_drawn(
        table, row, cards, np.int64(cards.sum()), held, suns, model, full, number_of, counts, unplayed, pile_colours,
        rules[3], shown[1],
    )  # fmt: skip


@njit(cache=True, nogil=True)
def worth_drawn(
    table: Any, row: Any, cards: Any, size: Any, held: Any, suns: Any, model: Any, full: Any, number_of: Any,
    counts: Any, unplayed: Any, left: Any, all_suns: Any, suns_shown: Any,
) -> Any:  # fmt: skip
    """An entry of a table; of a smaller hand, the mean over what is drawn until it is full."""
    if size >= held:
        return np.float64(table[row, number_of[key_of(cards, full)] * suns_shown + suns])
    value = 0.0
    for sun in range(suns_shown - 1, suns - 1, -1):
        in_pile = all_suns if model == MIX else all_suns - sun
        total, weights = in_pile * 1.0, 0.0
        mean = 0.0
        for colour in range(len(counts)):
            if model == DECK:
                weight = 1.0 * (unplayed[colour] - cards[colour])
            elif model == LUMPED:
                weight = (left - size) * counts[colour] / counts.sum()
            else:
                weight = 1.0 * counts[colour]
            if weight > 0:
                cards[colour] += 1
                mean += weight * worth_drawn(
                    table, row, cards, size + 1, held, sun, model, full, number_of, counts, unplayed, left, all_suns,
                    suns_shown,
                )  # fmt: skip
                cards[colour] -= 1
                weights += weight
        total += weights
        value = (in_pile * value + mean) / total if total > 0 else 0.0
    return value


@njit(cache=True, nogil=True)
def key_of(hand: Any, full: Any) -> Any:
    """A hand as one number, by which its place in the list is found."""
    key = 0
    for card in range(len(hand) - 1, -1, -1):
        key = key * (full + 1) + hand[card]
    return key
