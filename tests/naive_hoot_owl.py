"""Hoot Owl Hoot once more, slow and obvious: whole positions, a dictionary, fractions. It shares no code with dicewise.

A position is (owls, suns moved, hands, whose turn, pile). Cards are letters, the sun is `*`. The pile is what each
model knows of it: the cards of a real deck, the number of its colour cards and suns, or nothing at all.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any


class Naive:
    def __init__(
        self,
        path: str,
        starts: tuple[int, ...],
        deck: dict[str, int],
        suns: int,
        track: int,
        model: str,
        hands: int,
        size: int,
        number: Any = Fraction,
    ) -> None:
        self.path, self.starts, self.deck, self.suns, self.track = path, starts, deck, suns, track
        self.model, self.hands, self.number = model, hands, number
        self.size = size if hands else 1
        self.known: dict[Any, Any] = {}

    def start_value(self) -> Any:
        colours = {"mix": None, "lumped": sum(self.deck.values()), "deck": tuple(sorted(self.deck.items()))}[self.model]
        pile = None if colours is None else (colours, self.suns)
        return self.deal(self.starts, 0, ("",) * max(self.hands, 1), 0, pile)

    # ---- the pile

    def draws(self, pile: Any) -> list[tuple[str, Any, Any]]:
        """(card, chance, pile that is left)."""
        every = sum(self.deck.values())
        if self.model == "mix":
            cards = [(card, count, None) for card, count in self.deck.items()] + [("*", self.suns, None)]
        elif self.model == "lumped":
            left, suns = pile
            cards = [(card, self.number(left * count) / every, (left - 1, suns)) for card, count in self.deck.items()]
            cards += [("*", suns, (left, suns - 1))]
        else:
            left, suns = pile
            cards = [(card, count, (tuple((c, n - (c == card)) for c, n in left), suns)) for card, count in left] + [
                ("*", suns, (left, suns - 1))
            ]
        total = sum(weight for _, weight, _ in cards)
        return [(card, self.number(weight) / total, after) for card, weight, after in cards if weight]

    # ---- play

    def deal(self, owls: Any, suns: int, hands: Any, player: int, pile: Any) -> Any:
        """Everybody draws up to the full hand, one after the other; then the first player plays."""
        if suns == self.track:
            return 0
        if player == len(hands):
            return self.play(owls, suns, hands, 0, pile)
        if len(hands[player]) == self.size or not self.draws(pile):
            return self.deal(owls, suns, hands, player + 1, pile)
        key = ("deal", owls, suns, hands, player, pile)
        if key not in self.known:
            self.known[key] = sum(
                chance * self.deal(owls, suns + sun, held, player, after)
                for card, chance, after in self.draws(pile)
                for sun, held in [self.take(hands, player, card)]
            )
        return self.known[key]

    def take(self, hands: Any, player: int, card: str) -> tuple[int, Any]:
        """A card is drawn: a shared hand plays a sun at once, others keep it until it is their turn."""
        if card == "*" and self.hands < 2:
            return 1, hands
        return 0, (*hands[:player], "".join(sorted(hands[player] + card)), *hands[player + 1 :])

    def play(self, owls: Any, suns: int, hands: Any, player: int, pile: Any) -> Any:
        if suns == self.track:
            return 0
        if all(owl == len(self.path) for owl in owls):
            return 1
        if not any(hands) and not self.draws(pile):
            return 0
        following = (player + 1) % len(hands)
        hand = hands[player]
        if not hand:
            return self.play(owls, suns, hands, following, pile)
        key = ("play", owls, suns, hands, player, pile)
        if key in self.known:
            return self.known[key]
        best: Any = 0
        for card in sorted(set(hand)):
            if "*" in hand and card != "*":
                continue
            at = hand.index(card)
            held = (*hands[:player], hand[:at] + hand[at + 1 :], *hands[player + 1 :])
            if card == "*":
                best = max(best, self.draw(owls, suns + 1, held, player, pile))
                continue
            for owl in owls:
                if owl < len(self.path):
                    ahead = [at for at in range(owl + 1, len(self.path)) if self.path[at] == card and at not in owls]
                    moved = list(owls)
                    moved[moved.index(owl)] = min(ahead, default=len(self.path))
                    best = max(best, self.draw(tuple(sorted(moved)), suns, held, player, pile))
        self.known[key] = best
        return best

    def draw(self, owls: Any, suns: int, hands: Any, player: int, pile: Any) -> Any:
        """The player who has played draws a card, and with a shared hand goes on until it is no sun."""
        if suns == self.track:
            return 0
        if all(owl == len(self.path) for owl in owls):
            return 1
        following = (player + 1) % len(hands)
        if not self.draws(pile):
            return self.play(owls, suns, hands, following, pile)
        key = ("draw", owls, suns, hands, player, pile)
        if key not in self.known:
            total: Any = 0
            for card, chance, after in self.draws(pile):
                sun, held = self.take(hands, player, card)
                again = self.draw if sun else self.play
                total += chance * again(owls, suns + sun, held, player if sun else following, after)
            self.known[key] = total
        return self.known[key]
