"""Hoot Owl Hoot: bring all owls home to the nest before the sun is up. All players win or lose together.

The path has coloured spaces and ends in the nest. On a turn a player plays a card and draws one. A colour card moves
any one owl to the next space of that colour ahead of it that no other owl is on; if there is none, to the nest. A sun
card moves the sun; a player who holds one must play it. The game is won when all owls are in the nest, and lost with
the last move of the sun. All hands are open. (Peaceable Kingdom, 2010.)

Rule books do not say what happens when the draw pile is empty: here play goes on with the cards that are left. Whoever
has none is passed over; when nobody has any, the game is lost.

`hands` says who holds cards:

| hands | what it means |
|---|---|
| 0 | no hand: a card is drawn and played at once; only the owl is chosen |
| 1 | one hand that all players share; a sun is played as soon as it is drawn, and another card drawn |
| 2 (3, 4) | each of so many players has a hand; a sun stays in it until its owner's turn, and must be played then |

`model` says what is drawn. The real game is `deck`; the others forget something, and have far fewer positions:

- `mix`: every card is drawn from the initial mix of the whole deck, so that cards that were played are drawn again, and
  there are always as many suns as at first;
- `lumped`: suns and colour cards are counted, but which colours were played is forgotten: a colour card is each colour
  with its share of the whole deck;
- `deck`: from the cards that are left, by number and colour. Nothing is simplified.

The initial mix is a poor picture of the real deck: to lose takes 13 of the 14 suns, which a deck that is drawn down
seldom shows in time, and a mix that never runs out of suns does.

| parameter | meaning | default |
|---|---|---|
| owls | how many, 1 to 6 (more with starts of their own) | 3 |
| model, hands | see above | mix, 1 |
| players | at the table; with a hand each, as many as hands | 2 |
| path | the colours of the spaces, a letter each, from the first space to the last before the nest | the board's 39 |
| starts | the spaces on which the owls begin | the last of the first six |
| colours | the colours in the deck; those of the path if it is not said | those of the path |
| cards | how many cards of each colour: one number for all, or one each in the alphabet's order of the letters | 6 |
| suns | how many sun cards | 14 |
| track | the move of the sun that loses | 13 |
| size | cards in a full hand | 3 |
| storage | numbers in solved tables: float64, or float32, half as large and right to about 6 digits | float64 |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar

from dicewise.errors import InputError, did_you_mean
from dicewise.game import Game, Progress, sure
from dicewise.games.hoot_owl import words
from dicewise.games.hoot_owl.counting import (
    count_by_progress,
    count_hands,
    count_played,
    count_shares,
    sizes_of_hands,
)
from dicewise.games.hoot_owl.policies import HEURISTICS, policy
from dicewise.games.hoot_owl.position import SUN, Action, Move, Position
from dicewise.spec import whole_number

if TYPE_CHECKING:
    from dicewise.games.hoot_owl.solution import HootOwlSolution
    from dicewise.games.hoot_owl.tables import HootTable

BOARD = "ygobprbprygborpygobprgyobprygborpygborp"
START_SPACES = 6
MODELS = ("mix", "lumped", "deck")
STORAGES = ("float64", "float32")
MOST = {"owls": 12, "players": 4, "hands": 4, "suns": 200, "track": 200, "size": 10}
TRIED = 2_000_000
"""Positions, by a bound far above the truth, that the rules are tried on where nobody else solves the game."""
MOST_SPACES, MOST_COLOURS, MOST_CARDS = 120, 12, 200


@dataclass(frozen=True)
class HootOwl(Game[Position, Action]):
    """The rules; see the module's docstring."""

    name: ClassVar[str] = "hoot-owl"

    owls: int = field(default=3, metadata={"help": "how many owls"})
    model: str = field(default="mix", metadata={"help": "what is drawn: mix, lumped or deck"})
    hands: int = field(
        default=1, metadata={"help": "0: none, 1: one that all share, 2 (3, 4): one for each of so many players"}
    )
    players: int = field(default=2, kw_only=True, metadata={"help": "people at the table"})
    path: str = field(default=BOARD, kw_only=True, metadata={"help": "the colours of the spaces, a letter each"})
    starts: tuple[int, ...] = field(
        default=(), kw_only=True, metadata={"help": "the spaces on which the owls begin, such as 3,4,5"}
    )
    colours: str = field(default="", kw_only=True, metadata={"help": "the colours in the deck, if not the path's"})
    cards: tuple[int, ...] = field(
        default=(6,), kw_only=True, metadata={"help": "cards of each colour: one number, or one for each"}
    )
    suns: int = field(default=14, kw_only=True, metadata={"help": "sun cards"})
    track: int = field(default=13, kw_only=True, metadata={"help": "the move of the sun that loses"})
    size: int = field(default=3, kw_only=True, metadata={"help": "cards in a full hand"})
    storage: str = field(default="float64", kw_only=True, metadata={"help": "numbers in tables: float64 or float32"})

    def __post_init__(self) -> None:
        for name, known in (("model", MODELS), ("storage", STORAGES)):
            given = getattr(self, name)
            if given not in known:
                hint = did_you_mean(str(given), list(known))
                raise InputError(f"{name} {given!r} is not known; known: {', '.join(known)}{hint}")
        for name, least in (("owls", 1), ("hands", 0), ("players", 1), ("suns", 0), ("track", 1), ("size", 1)):
            if whole_number(name, getattr(self, name), least) > MOST[name]:
                raise InputError(f"{name} {getattr(self, name)} is not allowed; it is {least} to {MOST[name]}")
        if self.hands >= 2 and self.players != self.hands:
            if self.players != 2:
                raise InputError(
                    f"hands {self.hands} with players {self.players} is not allowed; with a hand each there are as "
                    f"many players as hands: give hands {self.players}, or hands 1 for one that all share"
                )
            object.__setattr__(self, "players", self.hands)
        self._settle_path()
        self._settle_starts()
        self._settle_cards()

    def _settle_path(self) -> None:
        for name, text, most in (("path", self.path, MOST_SPACES), ("colours", self.colours, MOST_COLOURS)):
            if not re.fullmatch("[a-z]*", str(text)) or len(text) > most:
                raise InputError(
                    f"{name} {text!r:.80} is not allowed; it is a small letter for each colour, at most {most}, "
                    "such as ygobpr"
                )
        if not self.path:
            raise InputError("path '' has no space; give a letter for each, such as --path ygobprbpr")
        deck = "".join(sorted(set(self.colours or self.path)))
        if len(deck) > MOST_COLOURS:
            raise InputError(f"path {self.path!r:.80} has {len(deck)} colours; at most {MOST_COLOURS} are allowed")
        if self.colours and len(deck) != len(self.colours):
            raise InputError(f"colours {self.colours!r} name one twice; give each once")
        if self.colours:  # one spelling for each deck
            object.__setattr__(self, "colours", "" if deck == "".join(sorted(set(self.path))) else deck)

    def _settle_starts(self) -> None:
        usual = tuple(range(START_SPACES - self.owls, START_SPACES))
        if not self.starts:
            if self.owls > START_SPACES or len(self.path) < START_SPACES:
                raise InputError(
                    f"{self.owls} owls on a path of {len(self.path)} spaces have no usual start; say on which spaces "
                    "they begin, such as --starts 0,1"
                )
            return
        starts = tuple(sorted(whole_number("starts", space, 0) for space in self.starts))
        if len(starts) != self.owls:
            raise InputError(f"{len(starts)} starts are given for {self.owls} owls; give one for each owl")
        if len(set(starts)) < len(starts) or starts[-1] >= len(self.path):
            raise InputError(
                f"starts {','.join(map(str, self.starts))} are not allowed; they are different spaces of the path, "
                f"0 to {len(self.path) - 1}"
            )
        object.__setattr__(self, "starts", () if starts == usual else starts)

    def _settle_cards(self) -> None:
        counts = self.cards if isinstance(self.cards, tuple) else (self.cards,)
        if len(counts) not in (1, len(self.deck_colours)):
            raise InputError(
                f"cards {','.join(map(str, counts))} are {len(counts)} numbers; give one for all colours, or one for "
                f"each of {', '.join(self.deck_colours)}"
            )
        for count in counts:
            if whole_number("cards", count, 1) > MOST_CARDS:
                raise InputError(f"cards {count} is not allowed; it is 1 to {MOST_CARDS}")
        object.__setattr__(self, "cards", counts[:1] if len(set(counts)) == 1 else counts)

    # ---- the board and the deck

    @property
    def nest(self) -> int:
        return len(self.path)

    @cached_property
    def first_spaces(self) -> tuple[int, ...]:
        """Where the owls begin."""
        return self.starts or tuple(range(START_SPACES - self.owls, START_SPACES))

    @cached_property
    def deck_colours(self) -> str:
        """The colours in the deck, in the alphabet's order."""
        return self.colours or "".join(sorted(set(self.path)))

    @cached_property
    def colour_cards(self) -> tuple[int, ...]:
        """How many cards there are of each colour."""
        return self.cards if len(self.cards) > 1 else self.cards * len(self.deck_colours)

    @property
    def full(self) -> int:
        """Cards in a full hand; without hands, the one that is played."""
        return self.size if self.hands else 1

    @property
    def own_hands(self) -> bool:
        """Whether each player has a hand."""
        return self.hands >= 2

    def ahead(self, owls: tuple[int, ...], owl: int, card: str) -> int:
        """Where a colour card takes an owl."""
        at = self.path.find(card, owl + 1)
        while at in owls and at >= 0:
            at = self.path.find(card, at + 1)
        return self.nest if at < 0 else at

    # ---- rules

    def start(self) -> Position:
        counts = self.colour_cards
        pile = {"mix": (), "lumped": (sum(counts),), "deck": counts}[self.model]
        return Position(self.first_spaces, 0, ("",) * max(self.hands, 1), 0, pile)

    def actions(self, state: Position) -> Sequence[Action]:
        if self.is_over(state):
            return ()
        hand = self.hand(state)
        if len(hand) < self.full and self.left(state):
            return ("draw",)
        if SUN in hand:
            return ("sun",)
        owls = [owl for owl in state.owls if owl < self.nest]
        return [Move(card, owl, self.ahead(state.owls, owl, card)) for card in sorted(set(hand)) for owl in owls]

    def is_over(self, state: Position) -> bool:
        if state.owls[0] == self.nest or state.suns >= self.track:
            return True
        return not any(state.hands) and not self.left(state)

    def hand(self, state: Position) -> str:
        """The cards that the mover may play."""
        return state.hands[state.turn if self.own_hands else 0]

    def suns_left(self, state: Position) -> int:
        """Suns in the draw pile."""
        if self.model == "mix":
            return self.suns
        return self.suns - state.suns - sum(hand.count(SUN) for hand in state.hands)

    def left(self, state: Position) -> int:
        """Cards in the draw pile; in a mix it never ends."""
        return sum(state.pile if state.pile else self.colour_cards) + self.suns_left(state)

    def drawn(self, state: Position) -> list[tuple[str, int, tuple[int, ...]]]:
        """What may be drawn: the card, its weight, and the pile then."""
        pile, counts = state.pile, self.colour_cards
        if self.model == "deck":
            found = [(card, pile[at], _less(pile, at)) for at, card in enumerate(self.deck_colours)]
            return [*found, (SUN, self.suns_left(state), pile)]
        if self.model == "lumped":
            found = [(card, pile[0] * counts[at], _less(pile, 0)) for at, card in enumerate(self.deck_colours)]
            return [*found, (SUN, self.suns_left(state) * sum(counts), pile)]
        return [*((card, counts[at], ()) for at, card in enumerate(self.deck_colours)), (SUN, self.suns, ())]

    def step(self, state: Position, action: Action) -> Sequence[tuple[Hashable, int, Position]]:
        if action == "draw":
            return [(card, weight, self._drew(state, card, pile)) for card, weight, pile in self.drawn(state) if weight]
        if isinstance(action, Move):
            moved = list(state.owls)
            moved[moved.index(action.owl)] = action.to
            after = self._holding(state, _without(self.hand(state), action.card))._replace(owls=tuple(sorted(moved)))
        else:
            after = self._holding(state, _without(self.hand(state), SUN))._replace(suns=state.suns + 1)
        done = not self.hands or not self.left(after)
        return sure(self._passed(after) if done else after)

    def _drew(self, state: Position, card: str, pile: tuple[int, ...]) -> Position:
        if card == SUN and not self.own_hands:
            after = state._replace(suns=state.suns + 1, pile=pile)
            return after if self.hands and self.left(after) else self._passed(after)
        after = self._holding(state, "".join(sorted(self.hand(state) + card)))._replace(pile=pile)
        done = len(self.hand(after)) == self.full or not self.left(after)
        return self._passed(after) if self.hands and done else after

    def _holding(self, state: Position, hand: str) -> Position:
        """With another hand for the mover."""
        if not self.own_hands:
            return state._replace(hands=(hand,))
        return state._replace(hands=(*state.hands[: state.turn], hand, *state.hands[state.turn + 1 :]))

    def _passed(self, state: Position) -> Position:
        """With the next player to move who has a card, or can draw one."""
        turn = (state.turn + 1) % self.players
        if self.own_hands and not self.left(state) and any(state.hands):
            while not state.hands[turn]:
                turn = (turn + 1) % self.players
        return state._replace(turn=turn)

    def turn(self, state: Position) -> int:
        return state.turn

    def payoff(self, state: Position) -> int:
        return int(state.owls[0] == self.nest)

    def payoff_range(self) -> tuple[int, int]:
        return 0, 1

    def as_first(self, state: Position) -> Position:
        if not state.turn:
            return state
        hands = state.hands[state.turn :] + state.hands[: state.turn] if self.own_hands else state.hands
        return state._replace(turn=0, hands=hands)

    # ---- words

    def text(self, state: Position) -> str:
        return words.text(self, self.as_first(state))

    def parse(self, text: str) -> Position:
        return words.parse(self, text)

    def label(self, move: Hashable) -> str:
        if isinstance(move, Move):
            return f"{move.card} {move.owl}-{words.space(self, move.to)}"
        return "sun" if move == SUN else super().label(move)

    def read_action(self, text: str, state: Position) -> Action:
        return words.read_action(self, text, state)

    def read_outcome(self, text: str, state: Position, action: Action) -> Hashable:
        return words.read_outcome(self, text, state, action)

    def board(self, state: Position, names: Sequence[str]) -> str:
        return words.board(self, state, names)

    def prompt(self, state: Position, name: str) -> str:
        return f"{name}, card and owl: " if len(self.actions(state)) > 1 else f"{name}: "

    def final(self, state: Position, names: Sequence[str]) -> str:
        return words.final(self, state)

    # ---- rules of thumb

    heuristics: ClassVar[Mapping[str, str]] = HEURISTICS

    def heuristic(self, name: str) -> Callable[[Position], Any] | None:
        return policy(self, name)

    # ---- how large it is

    def count_states(self, state: Position) -> int | None:
        count = self.most_states(state)
        return None if count <= TRIED and self.layered() is None else count

    def most_states(self, state: Position) -> int:
        """Boards, suns, hands and piles that can come after this position: not far above the truth with one hand or
        none, several times as many with more."""
        hands, kinds = len(state.hands), len(self.deck_colours) + self.own_hands
        sizes = sizes_of_hands(hands, self.full)
        many: int = sum(prod(count_hands(kinds, cards) for cards in held) for held in sizes)
        moves, boards = self.track - state.suns + 1, count_by_progress(state.owls, self.nest)
        if self.model == "mix":
            return sum(boards) * moves * many
        further = list(accumulate(reversed(boards)))[::-1]  # every card that is played is a step at least
        if self.model == "lumped":
            cards = sum(state.pile) + sum(len(hand) - hand.count(SUN) for hand in state.hands)
            return many * moves * sum(further[: 1 + cards])
        colours = tuple(
            left + sum(hand.count(card) for hand in state.hands)
            for card, left in zip(self.deck_colours, state.pile, strict=True)
        )
        shares = count_shares(colours, self.suns - state.suns, moves - 1, hands, self.full, self.own_hands)
        if shares is None:
            shares = [moves * many * count_played(state.pile, len(boards) - 1)]
        return sum(count * ways for count, ways in zip(further, shares, strict=False))

    # ---- speed

    def layered(self) -> HootTable | None:
        if self.own_hands and (self.model != "mix" or self.hands > 2):
            return None  # nobody has a kernel for that; small games are solved by the rules
        from dicewise.games.hoot_owl.tables import HootTable

        return HootTable(self)

    def kernel(self, *, exact: bool = False, progress: Progress | None = None) -> HootOwlSolution | None:
        if exact or self.layered() is None:
            return None
        from dicewise.games.hoot_owl.solution import solve_fast

        return solve_fast(self, progress)

    def restore(self, arrays: dict[str, Any], report: Any) -> HootOwlSolution | None:
        if "table" not in arrays:
            return None
        from dicewise.games.hoot_owl.solution import HootOwlSolution

        return HootOwlSolution(self, report, arrays["table"])


def _less(pile: tuple[int, ...], at: int) -> tuple[int, ...]:
    return (*pile[:at], pile[at] - 1, *pile[at + 1 :])


def _without(hand: str, card: str) -> str:
    return hand.replace(card, "", 1)
