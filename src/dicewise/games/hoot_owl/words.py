"""Hoot Owl Hoot in words: positions as people type them, and the board that `play` shows.

A position is `owls=3,4,nest suns=2 hand=bgo`: the spaces of the owls (0 is the first), how often the sun has moved, and
the cards of the player to move, `-` for none and `*` for a sun. Where everybody has a hand, `others=yrr,b*` has those
of the others, in the order of their turns. What is left in the draw pile is `left=30` colour cards in the lumped model,
and `pile=b6,g5,o6` in the real deck; the suns that are neither moved nor in a hand are there as well.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from dicewise.errors import InputError, did_you_mean
from dicewise.game import read_move
from dicewise.games.hoot_owl.position import SUN, Action, Move, Position

if TYPE_CHECKING:
    from dicewise.games.hoot_owl.rules import HootOwl

IN_A_ROW = 13
COLOURS = {"y": "yellow", "g": "green", "o": "orange", "b": "blue", "p": "purple", "r": "red"}


def space(game: HootOwl, at: int) -> str:
    return "nest" if at == game.nest else str(at)


# ---- writing


def text(game: HootOwl, state: Position) -> str:
    """A position as `parse` reads it, its mover being the first."""
    said = [f"owls={','.join(space(game, owl) for owl in state.owls)}", f"suns={state.suns}"]
    said.append(f"hand={state.hands[0] or '-'}")
    if game.own_hands:
        said.append(f"others={','.join(hand or '-' for hand in state.hands[1:])}")
    if game.model == "lumped":
        said.append(f"left={state.pile[0]}")
    if game.model == "deck":
        left = (f"{card}{count}" for card, count in zip(game.deck_colours, state.pile, strict=True) if count)
        said.append(f"pile={','.join(left) or '-'}")
    return " ".join(said)


# ---- reading


def parse(game: HootOwl, typed: str) -> Position:
    """The position that a text names; one that cannot be is refused with the reason."""
    given = _entries(game, typed)
    start = game.start()
    owls = _owls(game, given["owls"]) if "owls" in given else start.owls
    suns = _number("suns", given.get("suns", "0"), game.track)
    hands = [_hand(game, "hand", given.get("hand", "-"))]
    if game.own_hands:
        others = given.get("others", ",".join("-" * (game.players - 1))).split(",")
        if len(others) != game.players - 1:
            raise InputError(f"others={given['others']:.60} are {len(others)} hands; {game.players - 1} are needed")
        hands += [_hand(game, "others", other) for other in others]
    held = "".join(hands)
    if game.model != "mix" and suns + held.count(SUN) > game.suns:
        raise InputError(f"suns={suns} and {held.count(SUN)} in hands are too many; the deck has {game.suns}")
    pile = _pile(game, given, owls == start.owls, held)
    position = Position(owls, suns, tuple(hands), 0, pile)
    if any(hands) and not hands[0] and not game.left(position):
        raise InputError(
            f"position {typed!r:.120} has no card for the player to move and none to draw; begin with another"
        )
    return position


def _entries(game: HootOwl, typed: str) -> dict[str, str]:
    known = ["owls", "suns", "hand"] + ["others"] * game.own_hands
    known += {"mix": [], "lumped": ["left"], "deck": ["pile"]}[game.model]
    found: dict[str, str] = {}
    for entry in re.sub(r"\s*=\s*", "=", typed.strip().lower()).split():
        if entry == "start":
            continue
        name, equals, value = entry.partition("=")
        if name not in known:
            raise InputError(
                f"{entry!r:.60} says nothing about {game.spec}; positions look like {game.text(game.start())!r}"
                + did_you_mean(name, known)
            )
        if not equals or not value:
            raise InputError(f"{entry!r:.60} lacks what it is; positions look like {game.text(game.start())!r}")
        if name in found:
            raise InputError(f"{name!r} stands twice in {typed!r:.120}; give it once")
        found[name] = value
    return found


def _number(name: str, value: str, most: int) -> int:
    if not re.fullmatch("[0-9]{1,6}", value) or int(value) > most:
        raise InputError(f"{name}={value:.40} is impossible; it is 0 to {most}")
    return int(value)


def _owls(game: HootOwl, value: str) -> tuple[int, ...]:
    words = [word for word in value.split(",") if word]
    owls = sorted(game.nest if word == "nest" else _number("owls", word, game.nest) for word in words)
    if len(owls) != game.owls:
        raise InputError(f"owls={value:.60} are {len(owls)}; {game.owls} are needed, such as owls=3,17,nest")
    on_path = [owl for owl in owls if owl < game.nest]
    if len(set(on_path)) < len(on_path):
        raise InputError(f"owls={value:.60} is impossible: two owls cannot be on one space, except in the nest")
    behind = [owl for owl, start in zip(owls, game.first_spaces, strict=True) if owl < start]
    if behind:
        starts = ",".join(map(str, game.first_spaces))
        raise InputError(f"owls={value:.60} is impossible: owls that begin on {starts} never go back to {behind[0]}")
    return tuple(owls)


def _hand(game: HootOwl, name: str, value: str) -> str:
    cards = "" if value == "-" else value
    known = game.deck_colours + (SUN if game.own_hands else "")
    wrong = [card for card in cards if card not in known]
    if wrong:
        sun = "; suns are played as they are drawn, never held" if wrong[0] == SUN else ""
        raise InputError(f"{name}={value:.40} has the card {wrong[0]!r}; cards are {', '.join(known)}{sun}")
    if len(cards) > game.full:
        raise InputError(f"{name}={value:.40} are {len(cards)} cards; a full hand has {game.full}")
    return "".join(sorted(cards))


def _pile(game: HootOwl, given: dict[str, str], at_start: bool, held: str) -> tuple[int, ...]:
    """What is known of the draw pile."""
    counts, colours = game.colour_cards, game.deck_colours
    if game.model == "mix":
        return ()
    in_hands = [held.count(card) for card in colours]
    name = "left" if game.model == "lumped" else "pile"
    if name not in given and not at_start:
        example = "left=30" if game.model == "lumped" else "pile=" + ",".join(f"{card}4" for card in colours)
        raise InputError(f"the draw pile is not known: say what is left of its colour cards, such as {example}")
    if game.model == "lumped":
        most = sum(counts) - sum(in_hands)
        if most < 0:
            raise InputError(f"{sum(in_hands)} colour cards in hands are too many; the deck has {sum(counts)}")
        return (_number("left", given.get("left", str(most)), most),)
    most_left = [count - holds for count, holds in zip(counts, in_hands, strict=True)]
    for card, most in zip(colours, most_left, strict=True):
        if most < 0:
            raise InputError(f"{held.count(card)} cards {card} in hands are too many; the deck has fewer")
    if "pile" not in given:
        return tuple(most_left)
    left = dict.fromkeys(colours, 0)
    for word in [] if given["pile"] == "-" else given["pile"].split(","):
        if not re.fullmatch("[a-z][0-9]{1,4}", word) or word[0] not in left:
            raise InputError(f"pile={given['pile']:.60} cannot be read at {word!r:.20}; write each colour as in b6,g5")
        left[word[0]] = _number(f"pile of {word[0]}", word[1:], most_left[colours.index(word[0])])
    return tuple(left.values())


def read_action(game: HootOwl, typed: str, state: Position) -> Action:
    """A card and the space of an owl, `b 5`; the colour may be written in full."""
    actions = list(game.actions(state))
    plain = " ".join(re.sub("[^a-z0-9*]+", " ", typed.lower()).split())
    for letter, word in COLOURS.items():
        plain = re.sub(rf"\b{word}\b", letter, plain)
    found = re.fullmatch("(?:([a-z]) ?([0-9]+)|([0-9]+) ?([a-z]))", plain)
    if found:
        card, owl = found[1] or found[4], int(found[2] or found[3])
        for action in actions:
            if isinstance(action, Move) and (action.card, action.owl) == (card, owl):
                return action
    return read_move(typed, actions, game.label, "action", game.text(state))


def read_outcome(game: HootOwl, typed: str, state: Position, action: Action) -> Hashable:
    """The card that was drawn: its letter, the colour in full, or `sun`."""
    plain = typed.strip().lower()
    letters = {word: letter for letter, word in COLOURS.items()}
    outcomes = [outcome for outcome, _, _ in game.step(state, action)]
    if action == "draw":
        plain = SUN if plain in (SUN, "sun") else letters.get(plain, plain)
        if plain in outcomes:
            return plain
    return read_move(typed, outcomes, game.label, "outcome", game.text(state))


# ---- the board on the screen


def board(game: HootOwl, state: Position, names: Sequence[str]) -> str:
    """The path in rows, owls in brackets; the sun; the hands."""
    lines = []
    for first in range(0, game.nest, IN_A_ROW):
        cells = []
        for at in range(first, min(first + IN_A_ROW, game.nest)):
            cell = f"{at}{game.path[at]}"
            cells.append((f"[{cell}]" if at in state.owls else f"{cell} ").rjust(6))
        lines.append("".join(cells).rstrip())
    home = state.owls.count(game.nest)
    cards = f", {game.left(state)} cards in the pile" if game.model != "mix" else ""
    lines.append(f"  nest: {home} of {game.owls} owls   sun: {state.suns} of {game.track}{cards}")
    if game.own_hands:
        lines += [f"  {name}: {_spoken(hand)}" for name, hand in zip(names, state.hands, strict=False)]
    else:
        lines.append(f"  {'hand' if game.hands else 'card'}: {_spoken(state.hands[0])}")
    return "\n".join(lines)


def _spoken(hand: str) -> str:
    return ", ".join("sun" if card == SUN else COLOURS.get(card, card) for card in hand) or "no card"


def final(game: HootOwl, state: Position) -> str:
    if state.owls[0] == game.nest:
        return f"All owls are home, with the sun at {state.suns} of {game.track}."
    away = sum(owl < game.nest for owl in state.owls)
    why = "The sun is up" if state.suns >= game.track else "There is no card left"
    return f"{why}, with {away} of {game.owls} owls not at home."
