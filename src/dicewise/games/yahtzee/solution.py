"""Yahtzee solved: a table of all anchors, and the questions that people ask of it.

The table holds one number per turn start; what is best within a turn is worked out when it is asked for, in less than
a millisecond, from the anchors that the turn leads to.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from dicewise.errors import InputError
from dicewise.game import Number, Progress
from dicewise.games.yahtzee._layout import Floats, Ints, Layout, layout
from dicewise.games.yahtzee.boxes import SHORT_WORDS
from dicewise.games.yahtzee.position import Action, Keep, Position
from dicewise.games.yahtzee.rules import Yahtzee
from dicewise.games.yahtzee.turn import Lookout, Turn, look_out, scoring, turn
from dicewise.memory import require
from dicewise.solution import TIE_TOLERANCE, UNIT_ROUNDOFF, Report, Solution, Violation

FEW_GAMES = 20
"""Fewer than this are played by the rules: nobody should wait for a compiler."""


def solve_fast(game: Yahtzee, progress: Progress | None = None) -> YahtzeeSolution:
    """The best mean score from every turn start, in doubles."""
    started = time.perf_counter()
    rules = layout(game)
    require(8 * rules.rows * rules.length, f"solving {game.spec}")
    if progress is not None and "numba" not in sys.modules:
        progress(0.0, "loading the compiled solver (the first time it is compiled, which takes some seconds)")
    from dicewise.games.yahtzee import _kernel

    table = _kernel.solve(rules, game.rerolls, progress)
    report = Report(
        game=game.spec,
        method="kernel (compiled)",
        interests="one player",
        states=rules.count_anchors(),
        seconds=time.perf_counter() - started,
        exact=False,
        error_bound=rounding(rules, game.rerolls),
        tie_rule="of equally good actions the one that keeps the most dice; boxes last, in the order of the card",
    )
    return YahtzeeSolution(game, report, table[:, : rules.limit + 1].copy())


def rounding(rules: Layout, rerolls: int) -> float:
    """A bound on the rounding error of any value. A sweep of expectations is a sum over the faces and a product per
    level, the first roll a sum over all rolls, and every turn adds to what follows it."""
    dice, faces = rules.nodes.dice, rules.nodes.faces
    sums = rerolls * dice * (faces + 2) + rules.points.shape[1] + 4
    return float(1.01 * rules.boxes * sums * UNIT_ROUNDOFF * rules.most_points)


def from_arrays(game: Yahtzee, arrays: Mapping[str, Any], report: Report) -> YahtzeeSolution:
    """A solution from what the store kept of it."""
    rules, table = layout(game), arrays["anchors"]
    if table.shape != (rules.rows, rules.limit + 1):
        raise InputError(f"the stored table of {game.spec} has the wrong shape")
    return YahtzeeSolution(game, report, table, arrays.get("bonus"))


class YahtzeeSolution(Solution[Position, Action]):
    """The best mean score from every position, and how to get it."""

    game: Yahtzee

    def __init__(self, game: Yahtzee, report: Report, anchors: Floats, bonus: Floats | None = None) -> None:
        """`anchors` has a row per set of used boxes and flag, a column per total of the upper section; a bonus that is
        earned already is counted in. `bonus` has the chances that the upper section earns it."""
        self._rules = layout(game)
        super().__init__(game, report, TIE_TOLERANCE * self._rules.most_points)
        self._anchors = anchors
        self._bonus = bonus
        self._turn = lru_cache(maxsize=256)(self._compute_turn)
        self._lookout = lru_cache(maxsize=64)(self._compute_lookout)

    # ---- what a solver supplies

    def values(self, state: Position) -> tuple[Number, ...]:
        if state.used == self.game.all_used:
            return (0.0,)
        if not state.dice:
            return (float(self.anchor(state.used, int(state.extra), state.upper)),)
        return (float(self.turn_at(state).rolls[state.rerolls][self._roll(state.dice)]),)

    def anchor(self, used: Any, extra: Any, upper: Any) -> Any:
        """The mean of what is still to come at a turn start; takes arrays, too."""
        rules = self._rules
        earned = np.where(rules.limit and np.asarray(upper) >= rules.limit, rules.bonus, 0)
        return self._anchors[self._row(used, extra), upper] - earned

    def states(self) -> Iterator[Position]:
        """All turn starts that play can reach."""
        for used, extra, upper in self._rules.anchors():
            yield Position(used, upper, bool(extra))

    def arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        return {"anchors": self._anchors} | ({} if self._bonus is None else {"bonus": self._bonus})

    def endings(self, state: Position, progress: Progress | None = None) -> Mapping[Number, Number] | None:
        if state.dice:
            return None
        from dicewise.games.yahtzee.distribution import scores_of

        return scores_of(self.game, state, progress).distribution()

    def check_bellman(self, exact: bool, progress: Progress | None = None) -> Violation | None:
        if exact:
            return None
        from dicewise.games.yahtzee.bellman import check

        def name(used: int, extra: int, upper: int) -> str:
            return self.game.text(Position(used, upper, bool(extra)))

        rules = self._rules
        return check(rules, self.game.rerolls, self._anchors, rounding(rules, self.game.rerolls), name, progress)

    def play_out(
        self, state: Position, key: tuple[int, int], first: int, last: int, progress: Progress
    ) -> tuple[Floats, Ints] | None:
        """From turn starts: all games of a turn together."""
        if state.dice or last - first < FEW_GAMES:
            return None
        from dicewise.games.yahtzee.simulate import play_out

        card = state.used, state.upper, int(state.extra)
        return play_out(
            self._rules, self.game.rerolls, self._anchors, float(self.tolerance), card, key, first, last, progress
        )

    # ---- a turn

    def turn_at(self, state: Position) -> Turn:
        """All that can happen until the turn of a position ends."""
        return self._turn(state.used, state.upper, int(state.extra))

    def _compute_turn(self, used: int, upper: int, extra: int) -> Turn:
        rules = self._rules
        after = scoring(rules, used, upper, extra)
        to = used | 1 << np.arange(rules.boxes)
        worth = np.where(after.gain >= 0, after.gain + self.anchor(to[:, None], after.extra, after.upper), -np.inf)
        return turn(rules, worth, self.game.rerolls, 1 / self.game.sides)

    def after(self, state: Position, action: Action) -> tuple[Number, ...]:
        if action == "roll":
            return self.values(state)
        turn = self.turn_at(state)
        if isinstance(action, str):
            return (float(turn.boxes[self.game.words.index(action), self._roll(state.dice)]),)
        return (float(turn.keeps[state.rerolls - 1][self._node(action)]),)

    # ---- where it leads

    @property
    def has_details(self) -> bool:  # type: ignore[override]
        """Whether the chances of the upper bonus are at hand."""
        return self._bonus is not None or not self._rules.limit

    def find_details(self, progress: Progress | None = None) -> None:
        """Have the chances of the upper bonus at hand."""
        if self.has_details:
            return
        if progress is not None:
            progress(0.0, "chances of the upper bonus (the first time they are compiled, which takes some seconds)")
        from dicewise.games.yahtzee import _kernel_bonus

        rules = self._rules
        past = np.repeat(self._anchors[:, -1:], rules.length - rules.limit - 1, axis=1)
        table = np.concatenate([self._anchors, past], axis=1)
        found = _kernel_bonus.bonus_chances(rules, self.game.rerolls, table, float(self.tolerance), progress)
        self._bonus = found[:, : rules.limit + 1].copy()

    def bonus_chance(self, state: Position) -> float:
        """The chance that the upper section earns its bonus, or has earned it, by the best play from a turn start."""
        self.find_details()
        return 0.0 if self._bonus is None else float(self._bonus[self._row(state.used, state.extra), state.upper])

    def details(self, state: Position, action: Action) -> dict[str, float]:
        """Where an action leads if play goes on as well as it can: the chance of each open box to be filled in this
        turn, of all dice alike at its end, of a turn for nothing, and of the upper bonus at the end of the game."""
        found = self._where(state, action).tolist()
        chances = {word: found[at] for at, word in enumerate(self.game.words) if not state.used >> at & 1}
        chances |= {"all_alike": found[-3], "nothing": found[-2]}
        return chances | ({"upper_bonus": found[-1]} if self._rules.limit else {})

    def in_brief(self, state: Position, action: Action) -> dict[str, str]:
        details = self.details(state, action)
        bonus = {"bonus": f"{details['upper_bonus']:.1%}"} if self._rules.limit else {}
        likely = [f"{SHORT_WORDS.get(word, word)} {chance:.0%}" for word, chance in self._likely(details)]
        if action in self.game.words:
            likely = [f"{self.game.gain(state, self.game.words.index(action))} points"]
            if not state.rerolls:
                return bonus | {"scores": likely[0]}
        return {"alike": f"{details['all_alike']:.1%}"} | bonus | {"boxes": " ".join(likely)}

    def why(self, state: Position) -> str:
        choices = self.choices(state)
        if not choices:
            return "The game is over."
        if len(choices) == 1 and not self.has_details:  # what follows is worth the work only to somebody who chooses
            return "There is nothing to choose here."
        best, details = choices[0].action, self.details(state, choices[0].action)
        if len(choices) == 1:
            said = "There is nothing to choose here"
        else:
            ties = sum(choice.loss == 0 for choice in choices)
            said = f"{self._deed(state, best)} is best" if ties == 1 else f"{self._deed(state, best)} is as good as any"
            if ties < len(choices):
                rival = choices[ties]
                said += f", {float(rival.loss):.3g} points better than {self._deed(state, rival.action)}"
        said = said[0].upper() + said[1:]
        if isinstance(best, str) and best != "roll":
            return f"{said}{self._bonus_then(details)}."
        likely = " or ".join(f"{word} ({chance:.0%})" for word, chance in self._likely(details))
        return f"{said}: the turn most often ends in {likely}, with all dice alike in {details['all_alike']:.1%}" + (
            f"{self._bonus_then(details)}."
        )

    def _deed(self, state: Position, action: Action) -> str:
        """What is done, as in "... is best"."""
        dice = " ".join(map(str, action if isinstance(action, Keep) else state.dice))
        if isinstance(action, Keep):
            return f"keeping {dice}" if action else "rolling all dice again"
        return f"{dice} as {action} for {self.game.gain(state, self.game.words.index(action))}"

    def _bonus_then(self, details: Mapping[str, float]) -> str:
        if not self._rules.limit:
            return ""
        if details["upper_bonus"] in (0.0, 1.0):
            return f"; the upper bonus is {'earned' if details['upper_bonus'] else 'out of reach'}"
        return f"; the upper bonus is earned in {details['upper_bonus']:.1%} of all games from there"

    def _likely(self, details: Mapping[str, float]) -> list[tuple[str, float]]:
        """The boxes that are filled most often, two at most."""
        boxes = sorted(((word, details[word]) for word in self.game.words if word in details), key=lambda box: -box[1])
        return [(word, chance) for word, chance in boxes[:2] if chance >= 0.005]

    def _where(self, state: Position, action: Action) -> Any:
        found = self._lookout(state.used, state.upper, int(state.extra))
        if action == "roll":
            return found.start
        if isinstance(action, str):
            return found.scored[self.game.words.index(action), self._roll(state.dice)]
        return found.kept[state.rerolls - 1][self._node(action)]

    def _compute_lookout(self, used: int, upper: int, extra: int) -> Lookout:
        """The chances of `details`, in this order: all boxes, all alike, nothing, upper bonus."""
        self.find_details()
        rules = self._rules
        after = scoring(rules, used, upper, extra)
        scored = np.zeros((*after.gain.shape, rules.boxes + 3))
        scored[np.arange(rules.boxes), :, np.arange(rules.boxes)] = 1.0
        scored[:, rules.alike, rules.boxes] = 1.0
        scored[:, :, rules.boxes + 1] = after.gain == 0
        if self._bonus is not None:
            to = used | 1 << np.arange(rules.boxes)
            scored[:, :, rules.boxes + 2] = self._bonus[self._row(to[:, None], after.extra), after.upper]
        return look_out(rules, self._compute_turn(used, upper, extra), float(self.tolerance), scored)

    # ---- inside

    def _row(self, used: Any, extra: Any) -> Any:
        return np.asarray(used) * self._rules.flags + np.asarray(extra) * (self._rules.flags - 1)

    @cached_property
    def _first_roll(self) -> int:
        return self._rules.nodes.rolls.start  # type: ignore[no-any-return]

    def _node(self, dice: Sequence[int]) -> int:
        return self._rules.nodes.number(self.game.counts(dice))

    def _roll(self, dice: Sequence[int]) -> int:
        return self._node(dice) - self._first_roll
