"""Solitaire Yahtzee: three rolls a turn, thirteen boxes, every box once, as many points as possible.

A turn begins with a roll of all dice. Twice, any of them may be kept and the others rolled again; then, or earlier, the
roll is scored in a box that is still open. The boxes ones to sixes are the upper section: 63 points there earn a bonus.
A Yahtzee, five alike, pays 50 in its own box; each further one pays 100 if that box holds 50, and is a joker: it may
count in other boxes for what it is not. The conventions differ, and each has a name:

| rules | boxes | upper bonus | further Yahtzees | joker |
|---|---|---|---|---|
| official | the usual thirteen | 35 at 63 | 100 each | forced |
| free-joker | the same | 35 at 63 | 100 each | free |
| no-bonus | the same | 35 at 63 | nothing | none |
| yatzy | fifteen, Scandinavian | 50 at 63 | nothing | none |

Jokers, for a Yahtzee when the Yahtzee box is filled. *Forced* (the official rules): it must go to the upper box of its
face if that is open; otherwise to an open lower box, where full house and straights pay in full; otherwise it is a zero
in an upper box. *Free* (T. Verhoeff): any open box may be chosen, and where the upper box of its face is filled too,
lower boxes pay in full. Without a joker, five alike are no full house and no straight.

| parameter | meaning | default |
|---|---|---|
| rules | one of the conventions above | official |
| boxes | the boxes of the card (see `boxes`); `upper` and `lower` stand for those of the convention | all |
| bonus, bonus_at | the bonus of the upper section, and the points that earn it | 35, 63 |
| extra | what each further Yahtzee pays | 100 |
| joker | `forced`, `free` or `none` | forced |
| dice, sides, rerolls | how many dice, with how many sides, and how often some are rolled again | 5, 6, 2 |
| aim | `mean`, the most points; `reach:250`, the best chance of 250 or more; `beat:270`, of more than 270 | mean |
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain, product
from math import comb
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from dicewise.chance import faces_of
from dicewise.errors import InputError, did_you_mean
from dicewise.game import Game, Progress, sure
from dicewise.games.yahtzee import words
from dicewise.games.yahtzee.boxes import FACES, USUAL, Box, read_box
from dicewise.games.yahtzee.position import Action, Keep, Position
from dicewise.spec import whole_number

if TYPE_CHECKING:
    from dicewise.games.yahtzee.aims import ReachSolution
    from dicewise.games.yahtzee.solution import YahtzeeSolution

LOWER = ("three-of-a-kind", "four-of-a-kind", "full-house", "small-straight", "large-straight", "chance", "yahtzee")
YATZY = (
    *("one-pair", "two-pairs", "three-of-a-kind", "four-of-a-kind", "low-straight", "high-straight"),
    *("full-house", "chance", "yahtzee"),
)
SUMS = {"three-of-a-kind": "sum", "four-of-a-kind": "sum", "full-house": "sum"}


class Convention(NamedTuple):
    """What a name stands for."""

    lower: tuple[str, ...]
    bonus: int
    extra: int
    joker: str
    pays: Mapping[str, str] = USUAL
    """What boxes pay if nothing else is said."""


CONVENTIONS = {
    "official": Convention(LOWER, 35, 100, "forced"),
    "free-joker": Convention(LOWER, 35, 100, "free"),
    "no-bonus": Convention(LOWER, 35, 0, "none"),
    "yatzy": Convention(YATZY, 50, 0, "none", USUAL | SUMS),
}
JOKERS = ("forced", "free", "none")
MOST_COUNTED = 2**18
MOST_BOXES, MOST_DICE, MOST_REROLLS, MOST_TARGET = 20, 8, 10, 5000


@dataclass(frozen=True)
class Yahtzee(Game[Position, Action]):
    """The rules; see the module's docstring."""

    rules: str = field(default="official", metadata={"help": f"convention: {', '.join(CONVENTIONS)}"})
    boxes: tuple[str, ...] = field(
        default=(), kw_only=True, metadata={"help": "a card of your own, such as upper,chance,full-house:28"}
    )
    bonus: int | None = field(default=None, kw_only=True, metadata={"help": "bonus of the upper section"})
    bonus_at: int = field(default=63, kw_only=True, metadata={"help": "points in the upper section that earn it"})
    extra: int | None = field(default=None, kw_only=True, metadata={"help": "what each further Yahtzee pays"})
    joker: str | None = field(default=None, kw_only=True, metadata={"help": "forced, free or none"})
    dice: int = field(default=5, kw_only=True, metadata={"help": "how many dice"})
    sides: int = field(default=6, kw_only=True, metadata={"help": "sides of the dice"})
    rerolls: int = field(default=2, kw_only=True, metadata={"help": "how often some dice are rolled again"})
    aim: str = field(default="mean", kw_only=True, metadata={"help": "mean, reach:POINTS or beat:POINTS"})

    def __post_init__(self) -> None:
        if self.rules not in CONVENTIONS:
            known = list(CONVENTIONS)
            raise InputError(
                f"rules {self.rules!r} are not known; known: {', '.join(known)}{did_you_mean(str(self.rules), known)}"
            )
        for name, least, most in (
            ("dice", 1, MOST_DICE),
            ("sides", 1, len(FACES)),
            ("rerolls", 0, MOST_REROLLS),
            ("bonus_at", 0, 1000),
        ):
            if whole_number(name, getattr(self, name), least) > most:
                raise InputError(f"{name} {getattr(self, name)} is not allowed; it is a whole number up to {most}")
        usual = CONVENTIONS[self.rules]
        for name, most in (("bonus", 1000), ("extra", 1000)):
            given = getattr(self, name)
            if given is not None and whole_number(name, given, 0) > most:
                raise InputError(f"{name} {given} is not allowed; it is a whole number up to {most}")
            if given == getattr(usual, name):  # one spelling for each card
                object.__setattr__(self, name, None)
        if self.joker not in (None, *JOKERS):
            raise InputError(f"joker {self.joker!r} is not allowed; it is {', '.join(JOKERS)}")
        found = re.fullmatch("mean|(reach|beat):([0-9]{1,4})", str(self.aim))
        if found is None or self.target > MOST_TARGET:
            raise InputError(f"aim {self.aim!r} is not allowed; it is mean, reach:250 or beat:270, up to {MOST_TARGET}")
        if self.joker == usual.joker:
            object.__setattr__(self, "joker", None)
        self._settle_boxes(usual)

    def _settle_boxes(self, usual: Convention) -> None:
        """One spelling for each card: words in full, none for the card of the convention."""
        whole = {"upper": FACES[: self.sides], "lower": usual.lower}
        words = [word for text in self.boxes or ("upper", "lower") for word in whole.get(text.strip().lower(), (text,))]
        boxes = [read_box(word, self.sides, usual.pays) for word in words]
        twice = [word for word, count in Counter(box.word for box in boxes).items() if count > 1]
        if twice:
            raise InputError(f"box {twice[0]!r} stands twice on the card; every box is there once")
        if not 1 <= len(boxes) <= MOST_BOXES:
            raise InputError(f"a card with {len(boxes)} boxes is not allowed; it has 1 to {MOST_BOXES}")
        boxes.sort(key=lambda box: (not box.face, box.face))  # the upper section first, whatever the order given
        texts = tuple(box.written(usual.pays) for box in boxes)
        plain = (*FACES[: self.sides], *usual.lower)
        object.__setattr__(self, "boxes", () if texts == plain else texts)

    # ---- the card

    @cached_property
    def card(self) -> tuple[Box, ...]:
        """The boxes, the upper section first."""
        usual = CONVENTIONS[self.rules]
        words = self.boxes or (*FACES[: self.sides], *usual.lower)
        return tuple(read_box(word, self.sides, usual.pays) for word in words)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """What the boxes are called."""
        return tuple(box.word for box in self.card)

    @property
    def all_used(self) -> int:
        return (1 << len(self.card)) - 1

    @property
    def upper_bonus(self) -> int:
        return CONVENTIONS[self.rules].bonus if self.bonus is None else self.bonus

    @property
    def extra_pays(self) -> int:
        """What each further Yahtzee pays; nothing on a card without a Yahtzee box."""
        given = CONVENTIONS[self.rules].extra if self.extra is None else self.extra
        return given if self.yahtzee_box is not None else 0

    @property
    def joker_rule(self) -> str:
        return CONVENTIONS[self.rules].joker if self.joker is None else self.joker

    @cached_property
    def yahtzee_box(self) -> int | None:
        """The number of the Yahtzee box, if the card has one."""
        return self.words.index("yahtzee") if "yahtzee" in self.words else None

    @cached_property
    def target(self) -> int:
        """The points to reach; 0 where the aim is the mean."""
        word, _, points = self.aim.partition(":")
        return int(points or 0) + (word == "beat")

    @cached_property
    def upper_at(self) -> int:
        """Where the upper section is counted to: its bonus; not at all where nothing depends on it."""
        return self.bonus_at if self.upper_bonus and any(box.face for box in self.card) else 0

    def counts(self, dice: Sequence[int]) -> tuple[int, ...]:
        """How often each face is there."""
        return tuple(dice.count(face) for face in range(1, self.sides + 1))

    def pays(self, used: int, extra: bool, dice: Sequence[int]) -> dict[int, int]:
        """What a roll may score: the boxes allowed, in the order of the card, each with its points (without the bonus
        of the upper section)."""
        counts = self.counts(dice)
        free = [at for at in range(len(self.card)) if not used >> at & 1]
        scores = {at: self.card[at].score(counts) for at in free}
        is_joker = len(set(dice)) == 1 and self.yahtzee_box is not None and used >> self.yahtzee_box & 1
        if not is_joker:
            return scores
        own = next((at for at in free if self.card[at].face == dice[0]), None)
        lower = [at for at in free if not self.card[at].face]
        in_full = {at: self.as_joker(self.card[at], counts) for at in lower}
        if self.joker_rule == "forced":
            if own is not None:
                scores = {own: scores[own]}
            elif lower:
                scores = in_full
        elif self.joker_rule == "free" and own is None:
            scores |= in_full
        more = self.extra_pays if extra else 0
        return {at: points + more for at, points in scores.items()}

    def as_joker(self, box: Box, counts: Sequence[int]) -> int:
        """What a Yahtzee pays in a lower box where it is a joker: figures that it does not show count as shown, for
        their points, or where they have none for the sum of all dice."""
        if box.fixed is not None:
            return box.fixed
        return max(box.score(counts), sum(face * count for face, count in enumerate(counts, 1)))

    # ---- rules

    def start(self) -> Position:
        return Position(0, 0, False, need=self.target, scores=(None,) * len(self.card) + (0,))

    def actions(self, state: Position) -> Sequence[Action]:
        if state.used == self.all_used:
            return ()
        if not state.dice:
            return ("roll",)
        boxes = [self.words[at] for at in self.pays(state.used, state.extra, state.dice)]
        return (*self._keeps(state.dice), *boxes) if state.rerolls else tuple(boxes)

    def _keeps(self, dice: tuple[int, ...]) -> list[Keep]:
        """The dice that may be kept, most first; to keep all is to score."""
        held = product(*([(face,) * n for n in range(count + 1)] for face, count in Counter(dice).items()))
        return sorted((Keep(chain.from_iterable(parts)) for parts in held), key=lambda keep: (-len(keep), keep))[1:]

    def step(self, state: Position, action: Action) -> Sequence[tuple[Hashable, int, Position]]:
        if isinstance(action, str) and action != "roll":
            return sure(self._scored(state, self.words.index(action)))
        keep = () if isinstance(action, str) else tuple(action)
        left = state.rerolls - 1 if state.dice else self.rerolls
        used, upper, extra, need, scores = state.used, state.upper, state.extra, state.need, state.scores
        return [
            (roll, weight, Position(used, upper, extra, dice, left, need, scores))
            for roll, weight, dice in rolls_after(keep, self.dice, self.sides)
        ]

    def _scored(self, state: Position, at: int) -> Position:
        box, points = self.card[at], self.card[at].score(self.counts(state.dice))
        upper = min(state.upper + points, self.upper_at) if box.face else state.upper
        extra = state.extra or (at == self.yahtzee_box and points > 0 and self.extra_pays > 0)
        scores = state.scores
        if scores is not None:
            more = self._extra_now(state)
            held = self.pays(state.used, state.extra, state.dice)[at] - more
            scores = (*scores[:at], held, *scores[at + 1 : -1], (scores[-1] or 0) + more)
        need = max(state.need - self.gain(state, at), 0) if state.need else 0
        return Position(state.used | 1 << at, upper, extra, need=need, scores=scores)

    def _extra_now(self, state: Position) -> int:
        """What is paid besides the box for a further Yahtzee."""
        return self.extra_pays if state.extra and len(set(state.dice)) == 1 else 0

    def gain(self, state: Position, at: int) -> int:
        """The points that a box pays for the dice on the table, with all that comes with it: a further Yahtzee's, and
        the bonus of the upper section where this earns it."""
        paid, box = self.pays(state.used, state.extra, state.dice)[at], self.card[at]
        own = box.score(self.counts(state.dice)) if box.face else 0
        return paid + (self.upper_bonus if state.upper < self.upper_at <= state.upper + own else 0)

    def reward(self, state: Position, action: Action, outcome: Hashable) -> int:
        if not isinstance(action, str) or action == "roll" or self.target:
            return 0
        return self.gain(state, self.words.index(action))

    def payoff(self, state: Position) -> int:
        return int(state.need == 0) if self.target else 0

    def as_first(self, state: Position) -> Position:
        return state._replace(scores=None)

    # ---- words

    def text(self, state: Position) -> str:
        return words.text(self, state)

    def parse(self, text: str) -> Position:
        return words.parse(self, text)

    def label(self, move: Hashable) -> str:
        if isinstance(move, Keep):
            return f"keep {' '.join(map(str, move))}" if move else "reroll all"
        return super().label(move)

    def read_action(self, text: str, state: Position) -> Action:
        return words.read_action(self, text, state)

    def read_outcome(self, text: str, state: Position, action: Action) -> Hashable:
        return words.read_outcome(self, text, state, action)

    def board(self, state: Position, names: Sequence[str]) -> str:
        return words.board(self, state, names)

    def prompt(self, state: Position, name: str) -> str:
        if not state.dice:
            return f"{name}: "
        return f"{name}, keep or box: " if state.rerolls else f"{name}, box: "

    def final(self, state: Position, names: Sequence[str]) -> str:
        return words.board(self, state, names)

    # ---- rules of thumb

    heuristics: ClassVar[Mapping[str, str]] = {
        "alike": "keeps the face that shows most often; then takes the open box that pays the most",
    }

    by_boxes: ClassVar[frozenset[str]] = frozenset({"alike"})
    """Those that look at the open boxes and the dice alone."""

    def heuristic(self, name: str) -> Callable[[Position], Action] | None:
        return self._alike if name == "alike" else None

    def _alike(self, state: Position) -> Action:
        most = max(state.dice, key=lambda face: (state.dice.count(face), face))
        if state.rerolls and state.dice.count(most) < self.dice:
            return Keep(die for die in state.dice if die == most)
        paid = self.pays(state.used, state.extra, state.dice)
        return self.words[max(paid, key=lambda at: (paid[at], -at))]

    # ---- speed

    def count_states(self, state: Position) -> int:
        """Not far above the truth: turn starts by what the open boxes may hold, times what a turn can show."""
        in_a_turn = 1 + (self.rerolls + 1) * comb(self.dice + self.sides - 1, self.dice)
        left = [box for at, box in enumerate(self.card) if not state.used >> at & 1]
        most = (in_a_turn << len(left)) * (2 if self.extra_pays else 1)
        if most > MOST_COUNTED:
            return most * (1 + self.upper_at // 2)
        filled = [({state.upper}, 1)]  # for each set of boxes the upper section, and how many scores there may be
        for box in left:
            ways = len(words.possible_scores(self, self.words.index(box.word))) if self.target else 1
            added = [box.face * dice for dice in range(self.dice + 1)] if box.face and self.upper_at else [0]
            filled += [
                (
                    {min(held + more, self.upper_at) for held in upper for more in added},
                    min(scores * ways, self.target + 1),
                )
                for upper, scores in filled
            ]
        return sum(len(upper) * scores for upper, scores in filled) * in_a_turn * (2 if self.extra_pays else 1)

    def kernel(
        self, *, exact: bool = False, progress: Progress | None = None
    ) -> YahtzeeSolution | ReachSolution | None:
        if exact:
            return None
        if self.target:
            from dicewise.games.yahtzee.aims import solve_aim

            return solve_aim(self, progress)
        from dicewise.games.yahtzee.solution import solve_fast

        return solve_fast(self, progress)

    def restore(self, arrays: dict[str, Any], report: Any) -> YahtzeeSolution | ReachSolution | None:
        if self.target:
            from dicewise.games.yahtzee.aims import aim_from_arrays

            return aim_from_arrays(self, arrays, report)
        from dicewise.games.yahtzee.solution import from_arrays

        return from_arrays(self, arrays, report)


@lru_cache(maxsize=4096)
def rolls_after(keep: tuple[int, ...], dice: int, sides: int) -> list[tuple[tuple[int, ...], int, tuple[int, ...]]]:
    """What the other dice may show once some are kept: the faces, in how many ways, and all dice then, ascending."""
    return [(roll, weight, tuple(sorted(keep + roll))) for roll, weight in faces_of(dice - len(keep), sides)]
