"""Solution: what every solver returns and every reader asks.

A solver supplies the values of states; everything else (what a move is worth, what it loses, the best one) follows
from the rules:

    after(s, a)[p] = sum over outcomes of P(outcome) * (reward[p] + values(next)[p])
    action(s)      = the first listed action whose after(s, a)[mover] is the largest

Floating-point values that differ by no more than `tolerance` count as equal; exact ones are compared exactly.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from operator import index as as_int
from typing import TYPE_CHECKING, Any, Generic

from dicewise.errors import DicewiseError, InputError
from dicewise.game import A, Game, Number, Progress, S, pay_each, spoken

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure
    from numpy.typing import NDArray
    from pandas import DataFrame

    from dicewise.graph import Numbering

UNIT_ROUNDOFF = 2.0**-53

TIE_TOLERANCE = 1e-13
"""Floating-point values closer than this, in units of the largest payoff, count as a tie."""

LOOKED_AT = 200_000
"""Outcomes that are looked at for what is at stake in a game whose rules do not say."""


@dataclass(frozen=True)
class Choice(Generic[A]):
    """One action in one state."""

    action: A
    value: Number
    """What it is worth to the mover."""
    loss: Number
    """What it gives away against the best action; 0 for a best one."""
    values: tuple[Number, ...]
    """What it is worth to each player."""


@dataclass(frozen=True)
class Report:
    """How a solution came about, and how far it can be trusted."""

    game: str
    """The game's spec."""
    method: str
    interests: str
    """`one player`, `team`, `constant sum` or `each for itself`."""
    states: int
    seconds: float
    exact: bool
    error_bound: float | None
    """No value is further than this from the true one; None where nothing is proven."""
    tie_rule: str = "the first listed of equally good actions"
    doubts: int = 0
    """States in which another action is too close to the best one for floating point to tell them apart."""
    note: str = ""
    """What the method does not guarantee, where that needs saying."""
    cautions: tuple[str, ...] = ()
    """What has to be said beside the value: of a simplified model, how good a picture it is."""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of_dict(cls, kept: Mapping[str, Any]) -> Report:
        """What `as_dict` gave, also where JSON has made lists of tuples."""
        return cls(**{**kept, "cautions": tuple(kept.get("cautions", ()))})


@dataclass(frozen=True)
class Violation:
    """How far a solution is from satisfying the Bellman equations."""

    states: int
    """How many states were checked."""
    largest: Number
    """The largest difference between a state's value and what its best action is worth by the values that follow."""
    where: str
    """The state with that difference, in words."""
    policy_loss: Number
    """The most that the action chosen in any state falls short of the best one there."""
    error_bound: Number | None
    """No value is further than this from the true one; None where ties could change the answer."""
    wrong_ties: int = 0
    """States whose list of equally good actions is wrong, where the solution keeps one."""
    unending: int = 0
    """Positions in cycles from which the chosen actions are not shown to bring play to an end."""


class Solution(ABC, Generic[S, A]):
    """The optimal value and action of every state of a game."""

    def __init__(self, game: Game[S, A], report: Report, tolerance: float = TIE_TOLERANCE) -> None:
        self.game = game
        self.report = report
        self.tolerance: Number = 0 if report.exact else tolerance
        self.gamma: Number = 1
        """What whatever follows a move counts for."""

    # ---- what a solver supplies

    @abstractmethod
    def values(self, state: S) -> tuple[Number, ...]:
        """What the state is worth to each player when all play their best."""

    @abstractmethod
    def states(self) -> Iterator[S]:
        """Every unfinished state that the solution covers."""

    def worths(self) -> NDArray[np.float64]:
        """What every state is worth to its mover, in the order of `states`."""
        import numpy as np

        return np.array([float(self.value(state)) for state in self.states()])

    def arrays(self) -> dict[str, np.ndarray[Any, Any]] | None:
        """What the store should keep, or None where it cannot be kept."""
        return None

    def endings(self, state: S, progress: Progress | None = None) -> Mapping[Number, Number] | None:
        """For one player the chances of all totals that this solution's play ends with, from a state on, where it can
        tell faster than state by state."""
        return None

    def check_bellman(self, exact: bool, progress: Progress | None = None) -> Violation | None:
        """The Bellman equations of all states at once, where a solution can check them faster than state by state."""
        return None

    def play_out(
        self, state: S, key: tuple[int, int], first: int, last: int, progress: Progress
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]] | None:
        """Simulated games by this solution's own play, where it can play many faster than move by move: those from
        number `first` up to `last`, from a state. What each player has in the end, a row per game, and the number of
        moves, -1 for a game that is left to the rules.

        They have to be the games that `simulate` plays by the rules, one by one: the action of `action`, and the
        outcome that the draw of the game's next move falls on (`engine.draws`, where the key comes from).
        """
        return None

    # ---- what follows from it

    def value(self, state: S) -> Number:
        """What the state is worth to its mover."""
        return self.values(state)[self.game.turn(state)]

    def after(self, state: S, action: A) -> tuple[Number, ...]:
        """What the state is worth to each player once the action is chosen, before the dice are rolled."""
        game, players = self.game, self.game.players
        lottery = list(game.step(state, action))
        gains = [
            tuple(
                r + self.gamma * v
                for r, v in zip(pay_each(game.reward(state, action, outcome), players), self.values(to), strict=True)
            )
            for outcome, _, to in lottery
        ]
        weights = [as_int(weight) for _, weight, _ in lottery]  # sums of NumPy's integers could overflow
        total = sum(weights)
        if self.report.exact:
            return tuple(
                Fraction(sum(w * Fraction(gain[p]) for w, gain in zip(weights, gains, strict=True)), total)
                for p in range(players)
            )
        chances = [weight / total for weight in weights]  # of Python integers: 6**400 is no float
        return tuple(
            math.fsum(c * float(gain[p]) for c, gain in zip(chances, gains, strict=True)) for p in range(players)
        )

    def choices(self, state: S) -> list[Choice[A]]:
        """Every action with its value and loss, best first, equally good ones in the order in which they are listed."""
        mover = self.game.turn(state)
        afters = [(action, self.after(state, action)) for action in self.game.actions(state)]
        if not afters:
            return []
        best = max(values[mover] for _, values in afters)
        return rank(
            [(action, values[mover], best - values[mover], values) for action, values in afters],
            self.tolerance,
        )

    def action(self, state: S) -> A:
        """The best action."""
        choices = self.choices(state)
        if not choices:
            raise InputError(f"the game is over at {spoken(self.game, 'text', state)!r}: there is no action to choose")
        return choices[0].action

    def best_actions(self, state: S) -> list[A]:
        """All equally good best actions, in the order in which they are listed."""
        return [choice.action for choice in self.choices(state) if choice.loss == 0]

    def details(self, state: S, action: A) -> Mapping[str, Number]:
        """More about an action in the game's own words (chances to win, to tie ...), for tables and JSON."""
        return {}

    def in_brief(self, state: S, action: A) -> Mapping[str, str]:
        """What a table for people shows of an action beside its value and its loss."""
        return {name: f"{float(number):.2%}" for name, number in self.details(state, action).items()}

    @cached_property
    def payoff_range(self) -> tuple[Number, Number]:
        """The least and the most that a player may get out of a game: as the rules say, or else the extremes of what
        the positions of the solution are worth and of what the ends beside them pay."""
        game, players, declared = self.game, self.game.players, self.game.payoff_range()
        if declared is not None:
            return declared
        seen, left = set(self._extremes()), LOOKED_AT
        for state in self.states():
            seen.update(self.values(state))
            for action in game.actions(state):
                for outcome, _, to in game.step(state, action):
                    left -= 1
                    if not game.actions(to):
                        paid = zip(
                            pay_each(game.reward(state, action, outcome), players),
                            pay_each(game.payoff(to), players),
                            strict=True,
                        )
                        seen.update(reward + payoff for reward, payoff in paid)
            if left < 0:
                break
        return min(seen, default=0), max(seen, default=0)

    def _extremes(self) -> tuple[Number, ...]:
        """The least and the most that any position is worth, where that is quickly said."""
        return ()

    has_details: bool = True
    """Whether `details` and `why` can answer at once; otherwise they first do what `find_details` does."""

    def find_details(self, progress: Progress | None = None) -> None:
        """Do the work that `details` and `why` need beyond the values."""

    def why(self, state: S) -> str:
        """One sentence that says why the best action is best."""
        choices = self.choices(state)
        if not choices:
            return "The game is over."
        label = spoken(self.game, "label", choices[0].action) or "going on"
        if len(choices) == 1:
            return "There is nothing to choose here."
        rivals = [choice for choice in choices if choice.loss > 0]
        if not rivals:
            return "All actions are worth the same."
        ties = len(choices) - len(rivals)
        best = f"{label} is best" if ties == 1 else f"{label} is one of {ties} equally good actions"
        return (
            f"{best}: worth {float(choices[0].value):.6g}, {float(rivals[0].loss):.3g} more than "
            f"{spoken(self.game, 'label', rivals[0].action)}."
        )

    def lines(self) -> Iterator[str]:
        """All states in words, one a line."""
        for state in self.states():
            action, value = spoken(self.game, "label", self.action(state)), self.value(state)
            yield f"({spoken(self.game, 'text', state)}) => (action: {action}, value: {value})"

    def table(self) -> dict[str, Sequence[Any]]:
        """All states with their value and best action, as columns."""
        states = list(self.states())
        label, text = partial(spoken, self.game, "label"), partial(spoken, self.game, "text")
        columns: dict[str, Sequence[Any]] = {
            "state": [text(state) for state in states],
            "action": [label(self.action(state)) for state in states],
            "value": [float(self.value(state)) for state in states],
        }
        if self.report.exact:
            exact = [Fraction(self.value(state)) for state in states]
            columns["exact"] = [f"{value.numerator}/{value.denominator}" for value in exact]
            columns["best"] = ["|".join(map(label, self.best_actions(state))) for state in states]
        return columns

    # ---- in notebooks

    def plot(self, view: str | None = None, **options: Any) -> Figure:
        """A picture, as a matplotlib figure that a notebook shows; `view` and its options are those of `plot.figure`.

        It needs matplotlib: `pip install 'dicewise[plot]'`.
        """
        from dicewise.plot.notebook import figure_of

        return figure_of(self, view, **options)

    def to_pandas(self) -> DataFrame:
        """`table` as a DataFrame of pandas, which is an extra: `pip install 'dicewise[pandas]'`."""
        try:
            from pandas import DataFrame
        except ModuleNotFoundError:
            raise DicewiseError("a DataFrame needs pandas: pip install 'dicewise[pandas]'") from None
        return DataFrame(self.table())

    def _repr_html_(self) -> str:
        """What a notebook shows of a solution."""
        from dicewise.plot.notebook import html_of

        return html_of(self)


def rank(rows: list[tuple[A, Number, Number, tuple[Number, ...]]], tolerance: Number) -> list[Choice[A]]:
    """Rows (action, value, loss, values) as choices, best first; losses within the tolerance count as none."""
    choices = [Choice(a, value, loss if loss > tolerance else 0 * loss, values) for a, value, loss, values in rows]
    unit = tolerance or None
    # rounding noise must not shuffle equal actions, so losses are compared in units of the tolerance
    return sorted(choices, key=lambda choice: round(choice.loss / unit) if unit else choice.loss)


class TableSolution(Solution[S, A]):
    """A solution kept state by state, as the engine makes it from rules.

    `table` has one row per state, seen by its mover: entry j is what the state is worth to the j-th player from the
    mover on. States are looked up by `as_first`; one that play cannot reach from the start is solved when asked for.
    """

    def __init__(
        self,
        game: Game[S, A],
        report: Report,
        numbering: Numbering,
        table: Any,
        solve_from: Callable[[S], TableSolution[S, A]],
        tolerance: float = TIE_TOLERANCE,
        *,
        policy: NDArray[np.int64] | None = None,
        gamma: Number = 1,
    ) -> None:
        super().__init__(game, report, tolerance)
        self.gamma = gamma
        self._policy = policy
        self._numbering = numbering
        self._table = table
        self._solve_from = solve_from
        self._elsewhere: list[TableSolution[S, A]] = []

    def values(self, state: S) -> tuple[Number, ...]:
        game = self.game
        if not game.actions(state):
            return pay_each(game.payoff(state), game.players)
        row = self._row(game.as_first(state))
        turn, players = game.turn(state), game.players
        return tuple(row[(p - turn) % players] for p in range(players))

    def _row(self, first: S) -> Sequence[Number]:
        table, at = self._found(first)
        row = table._table[at]
        return row if self.report.exact else row.tolist()  # type: ignore[no-any-return]

    def _found(self, first: S) -> tuple[TableSolution[S, A], int]:
        """Where a state is kept."""
        for table in (self, *self._elsewhere):
            if (at := table._numbering.find(first)) is not None:
                return table, at
        self._elsewhere.append(self._solve_from(first))
        return self._found(first)

    def choices(self, state: S) -> list[Choice[A]]:
        """As every solution's, but that in a cycle the first of the best ones makes headway to the end."""
        choices = super().choices(state)
        chosen = self._chosen(state) if choices else None
        if chosen is not None:
            first = next(choice for choice in choices if choice.action == self.game.actions(state)[chosen])
            choices.remove(first)
            choices.insert(0, replace(first, loss=0 * first.loss))
        return choices

    def action(self, state: S) -> A:
        """The first of the choices, without working out the others where it was noted when the game was solved."""
        actions = self.game.actions(state)
        chosen = self._chosen(state) if actions else None
        return super().action(state) if chosen is None else actions[chosen]

    def _chosen(self, state: S) -> int | None:
        """The number of the action that was chosen when the game was solved, where that was noted."""
        table, at = self._found(self.game.as_first(state))
        if table._policy is None or table._policy[at] < 0:
            return None
        return int(table._policy[at])

    def states(self) -> Iterator[S]:
        return iter(self._numbering)

    def worths(self) -> NDArray[np.float64]:
        import numpy as np

        return np.array([float(row[0]) for row in self._table] if self.report.exact else self._table[:, 0], dtype=float)

    def _extremes(self) -> tuple[Number, ...]:
        if not len(self._table):  # a game that is over before it begins
            return ()
        if self.report.exact:
            numbers = [number for row in self._table for number in row]
            return min(numbers), max(numbers)
        return float(self._table.min()), float(self._table.max())

    def arrays(self) -> dict[str, np.ndarray[Any, Any]] | None:
        if self.report.exact:
            return None
        import numpy as np

        kept = {"values": np.asarray(self._table)}
        if self._policy is not None:
            kept["policy"] = self._policy
        own = self.game.numbering()
        if own is not None and type(own) is type(self._numbering) and len(own) == len(self._numbering):
            return kept
        states = list(self.states())
        try:
            texts = [self.game.text(state) for state in states]
            if any("\0" in text or self.game.parse(text) != state for text, state in zip(texts, states, strict=True)):
                return None  # words that do not lead back to their state cannot stand for it in the store
            return kept | {"states": np.array([text.encode() for text in texts], dtype=np.bytes_)}
        except Exception:  # nor can words that fail
            return None
