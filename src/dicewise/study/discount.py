"""The tuning of a discounted algorithm for hold dice, once more, beside the truth.

A. Lukic's "Solving a game of dice using value iteration" (github.com/andrejlukic/dicegame-solver) finds a policy by
sweeping over the rolls, in place and in sorted order, from V = 0:

    V(r) <- max( 0, max over keeps of -c + g E(V | keep), S(r) + g S(r) )

until a sweep changes nothing by `theta` or more. So sticking pays the final score S and g times it again, and nothing
is worth less than 0. A roll keeps the action of the sweep before where none is worth more than 0, at first to reroll
all dice; of equally good actions the one with the fewest dice held is taken, sticking last. The source tunes g and
theta by playing games. Here each policy that comes out is also evaluated exactly, so that what tuning finds can be told
from what chance makes of it.

Ties are judged within a tolerance, so that the policy does not depend on the order of additions. Games are drawn from
the raw 64-bit words of a PCG64 generator by whole numbers alone: a seed gives the same games on every machine.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from dicewise._version import __version__
from dicewise.chart import Chart, Mark, Plane, Series
from dicewise.errors import InputError, LimitError
from dicewise.game import Progress
from dicewise.games.dice_lattice import expect
from dicewise.games.hold_dice import HoldDice
from dicewise.games.hold_dice._layout import Dice, Nodes, dice_of
from dicewise.games.hold_dice.policy import Worth, evaluate, evaluate_exactly
from dicewise.games.hold_dice.solution import solve_fast
from dicewise.memory import require
from dicewise.solution import TIE_TOLERANCE
from dicewise.study.result import Study, Table, spaced
from dicewise.study.rulesets import read_numbers

LEAST_THETA = 1e-9
MOST_SWEEPS = 100_000
MOST_ROWS = 40
"""Settings that are printed; CSV and JSON have all."""
MOST_REROLLS = 1e9
"""Rerolls in all that a simulation is not begun for."""


# ---- the source's algorithm


class Stop(NamedTuple):
    """Where the algorithm stopped."""

    chosen: Nodes
    """The policy: the node that each roll goes to, itself to stick."""
    sweeps: int
    seconds: float


class Source:
    """The source's algorithm for one game; what does not depend on gamma and theta is worked out once."""

    def __init__(self, game: HoldDice) -> None:
        self.dice = dice_of(game)
        nodes, rolls = self.dice.lattice, len(self.dice.stick)
        require(40 * nodes.nodes * rolls, f"the source's algorithm for {game.spec}")
        chances = np.zeros((nodes.nodes, rolls))
        chances[nodes.rolls] = np.eye(rolls)
        expect(nodes.first, nodes.more, self.dice.chances, chances)
        self.chances = np.ascontiguousarray(chances[: nodes.rolls.start])
        self.chances_by_roll = np.ascontiguousarray(self.chances.T)
        # a roll is a result of rerolling after exactly those keeps that it contains
        self.keeps = [np.flatnonzero(row) for row in self.chances_by_roll]

    def run(self, gamma: float, thetas: Sequence[float]) -> list[Stop]:
        """Where the algorithm stops for each theta; it is one run, of which a larger theta ends earlier."""
        started = time.perf_counter()
        dice, rolls = self.dice, len(self.dice.stick)
        tolerance = TIE_TOLERANCE * max(1.0, dice.size)
        own, stick = dice.own.tolist(), ((1 + gamma) * dice.stick).tolist()
        values, policy = np.zeros(rolls), np.zeros(rolls, dtype=np.int64)
        waiting = sorted(set(thetas), reverse=True)
        found: dict[float, Stop] = {}
        for sweeps in range(1, MOST_SWEEPS + 1):
            largest = 0.0
            expected = self.chances @ values
            for roll in range(rolls):
                keeps = self.keeps[roll]
                worth = gamma * expected[keeps] - dice.cost
                best = float(worth.max())
                action = keeps[(worth >= best - tolerance).argmax()]
                if stick[roll] > best + tolerance:
                    best, action = stick[roll], own[roll]
                if best > 0:
                    policy[roll] = action
                change = max(best, 0.0) - values[roll]
                if change:
                    values[roll] += change
                    expected += change * self.chances_by_roll[roll]  # in place: the next roll reads it
                    largest = max(largest, abs(change))
            while waiting and largest < waiting[0]:
                found[waiting.pop(0)] = Stop(policy.copy(), sweeps, time.perf_counter() - started)
            if not waiting:
                return [found[theta] for theta in thetas]
        raise LimitError(f"after {MOST_SWEEPS:,} sweeps values still change by {waiting[0]:g}; choose a larger theta")


# ---- playing


class Played(NamedTuple):
    """What came out of playing games."""

    mean: float
    standard_error: float


def play(dice: Dice, chosen: Nodes, games: int, seed: int | Sequence[int]) -> Played:
    """The mean score of so many games, and how far from the true mean it is likely to be."""
    draw = _Die(dice, seed)
    nodes, first = dice.lattice, dice.lattice.rolls.start
    at = np.zeros(games, dtype=np.int64)  # the node of each game: dice that are kept, or a roll
    rerolls, scores = np.zeros(games), np.zeros(games)
    playing = np.arange(games)
    while len(playing):
        short = playing[at[playing] < first]
        while len(short):  # one die after the other, for every game that lacks one
            at[short] = nodes.more[at[short], draw.faces(len(short))]
            short = short[at[short] < first]
        to = chosen[at[playing] - first]
        again = to != at[playing]
        done = playing[~again]
        scores[done] = dice.stick[at[done] - first] - dice.cost * rerolls[done]
        playing = playing[again]
        rerolls[playing] += 1
        at[playing] = to[again]
    error = float(scores.std(ddof=1)) / games**0.5 if games > 1 else float("inf")
    return Played(float(scores.mean()), error)


class _Die:
    """A die that is thrown by whole numbers: words above the largest multiple of the total weight are thrown away."""

    def __init__(self, dice: Dice, seed: int | Sequence[int]) -> None:
        weights = [int(weight) for weight in dice.weights]
        self.total = np.uint64(sum(weights))
        self.limit = np.uint64(2**64 // sum(weights) * sum(weights) - 1)
        self.edges = np.cumsum(np.array(weights, dtype=np.uint64))
        self.words = np.random.PCG64(np.random.SeedSequence(seed))

    def faces(self, count: int) -> Nodes:
        words = np.empty(0, dtype=np.uint64)
        while len(words) < count:
            more = np.atleast_1d(self.words.random_raw(count - len(words)))
            words = np.concatenate([words, more[more <= self.limit]])
        return np.searchsorted(self.edges, words % self.total, side="right")


# ---- the study


@dataclass(frozen=True)
class Setting:
    """One pair of gamma and theta, and what becomes of it."""

    gamma: float
    theta: float
    sweeps: int
    score: float
    """The exact mean score of the policy (in doubles); minus infinity where it may never stick."""
    error_bound: float
    """The true mean is no further from `score` than this."""
    rerolls: float
    """The mean number of rerolls."""
    simulated: float | None
    """The mean score of the games that were played; None where a game would take too long."""
    standard_error: float | None
    seconds: float
    """For finding the policy."""
    policy: int
    """Settings with the same number have the same policy."""
    fraction: str | None = None
    """The exact mean score as a fraction, where asked for."""

    def as_dict(self) -> dict[str, Any]:
        row = asdict(self)
        if self.fraction is None:
            del row["fraction"]
        return row


@dataclass(frozen=True)
class DiscountStudy:
    """All settings, and the truth beside them."""

    game: str
    games: int
    seed: int
    optimum: float
    """The mean score of the best play."""
    settings: tuple[Setting, ...]

    @property
    def best(self) -> Setting:
        """The setting whose policy is best in truth."""
        return max(self.settings, key=lambda setting: setting.score)

    def played(self) -> list[tuple[Setting, float, float]]:
        """The settings for which games were played, with the mean and its standard error."""
        return [
            (setting, setting.simulated, setting.standard_error)
            for setting in self.settings
            if setting.simulated is not None and setting.standard_error
        ]

    def findings(self) -> list[str]:
        """What the study shows, in sentences."""
        best, count = self.best, len(self.settings)
        policies = len({setting.policy for setting in self.settings})
        ending = [setting.score for setting in self.settings if setting.score > -np.inf]
        said = [f"The best play scores {self.optimum:.5f} on average."]
        if not ending:
            return [*said, "None of the policies is sure to end."]
        said.append(
            f"{count} setting{'s' if count > 1 else ''}, {policies} different polic{'ies' if policies > 1 else 'y'}, "
            f"worth from {min(ending):.5f} to {best.score:.5f} (gamma {best.gamma:g}, theta {best.theta:g})."
        )
        rows = self.played()
        if len(rows) > 1:
            said += _on_noise(rows, self.games)
        return said

    def as_study(self) -> Study:
        """The same as tables and a chart."""
        rows = [setting.as_dict() for setting in self.settings]
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        columns["off_by"] = [
            None
            if not row.standard_error or row.simulated is None
            else (row.simulated - row.score) / row.standard_error
            for row in self.settings
        ]
        shown = {"gamma": "{:.4g}", "theta": "{:.4g}", "sweeps": "{:,}", "score": "{:.5f}", "simulated": "{:.4f}"}
        shown |= {"standard_error": "{:.3f}", "off_by": "{:+.1f}", "seconds": "{:.2g} s"}
        title = (
            f"value iteration with a discount; {self.games:,} games of each policy, seed {self.seed}; off_by is in "
            "standard errors"
        )
        facts = {"games": self.games, "seed": self.seed, "optimum": self.optimum}
        findings = self.findings()
        table = Table("settings", title, columns, shown, spaced(len(rows), MOST_ROWS))
        return Study("discount", self.game, [table], findings, self._chart(), facts)

    def _chart(self) -> Chart:
        by_theta = len({row.gamma for row in self.settings}) == 1 and len(self.settings) > 1
        name, other = ("gamma", "theta") if by_theta else ("theta", "gamma")
        groups: dict[float, list[Setting]] = {}
        for row in self.settings:
            groups.setdefault(getattr(row, name), []).append(row)
        series = []
        for value, rows in groups.items():
            at = [getattr(row, other) for row in rows]
            scores = [row.score if np.isfinite(row.score) else np.nan for row in rows]
            means = [np.nan if row.simulated is None else row.simulated for row in rows]
            errors = [row.standard_error or 0.0 for row in rows]
            series += [
                Series(f"{name} {value:g}, exact", at, scores, group=str(value)),
                Series(f"{name} {value:g}, games", at, means, "dots", errors, group=str(value)),
            ]
        axis = "theta: a sweep that changes less is the last" if by_theta else "gamma: the discount of each step"
        best = Mark(f"best play: {self.optimum:.4f}", self.optimum)
        panel = Plane("", axis, "mean score, games with standard errors", series, [best])
        said = self.findings()
        title = f"Tuning a discount: {self.game}"
        return Chart(title, [panel], [self.game, *said, f"dicewise {__version__}"], " ".join(said))


def _on_noise(rows: list[tuple[Setting, float, float]], games: int) -> list[str]:
    """How much of what games show is chance."""
    error = float(np.median([error for _, _, error in rows]))
    off = float(np.sqrt(np.mean([((mean - setting.score) / error) ** 2 for setting, mean, error in rows])))
    lucky, mean, _ = max(rows, key=lambda row: row[1])
    said = [
        f"The mean of {games:,} games has a standard error of {error:.3f}; simulated and exact scores are "
        f"{off:.2f} standard errors apart (root mean square; 1 is chance alone).",
        f"By games alone the best setting is gamma {lucky.gamma:g}, theta {lucky.theta:g}, with {mean:.3f}; "
        f"in truth it is worth {lucky.score:.3f}.",
    ]
    top = max(setting.score for setting, _, _ in rows)
    close = [(setting.score, mean, error) for setting, mean, error in rows if setting.score >= top - 0.1]
    if len(close) > 2:
        scores, means, errors = np.array(close).T
        noise, true = float(np.mean(errors**2)), float(np.var(scores, ddof=1))
        share = noise / (noise + true) if noise + true else 1.0
        said.append(
            f"Among the {len(close)} settings within 0.1 of the best, exact scores spread by {true**0.5:.3f} and "
            f"simulated ones by {np.std(means, ddof=1):.3f}: about {share:.0%} of that variance is sampling noise."
        )
    return said


def study_discount(
    game: HoldDice,
    gammas: Sequence[float],
    thetas: Sequence[float],
    *,
    games: int = 10_000,
    seed: int = 1,
    exact: bool = False,
    progress: Progress | None = None,
) -> DiscountStudy:
    """Run the source's algorithm for every gamma and theta, evaluate each policy, and play it.

    `exact` adds the scores as fractions. Each setting plays games of its own, drawn from the seed and its number.
    """
    _check(gammas, thetas, games, seed)
    require(80 * games, f"playing {games:,} games at once")
    optimum = float(solve_fast(game).value(game.start()))
    settings = tuple(_settings(game, gammas, thetas, games, seed, exact, progress))
    return DiscountStudy(game.spec, games, seed, optimum, settings)


def _settings(
    game: HoldDice,
    gammas: Sequence[float],
    thetas: Sequence[float],
    games: int,
    seed: int,
    exact: bool,
    progress: Progress | None,
) -> Iterator[Setting]:
    source = Source(game)
    whole = dice_of(game, exact=True) if exact else None
    known: dict[bytes, tuple[int, Worth, str | None]] = {}
    done, total = 0, len(gammas) * len(thetas)
    for gamma in gammas:
        for theta, stop in zip(thetas, source.run(gamma, thetas), strict=True):
            if progress is not None:
                progress(done / total, f"studying gamma {gamma:g}")
            key = stop.chosen.tobytes()
            if key not in known:
                fraction = evaluate_exactly(whole, stop.chosen) if whole is not None else None
                text = None if fraction is None else f"{fraction.numerator}/{fraction.denominator}"
                known[key] = len(known), evaluate(source.dice, stop.chosen), text
            number, worth, text = known[key]
            played = None
            if worth.rerolls * games <= MOST_REROLLS:
                played = play(source.dice, stop.chosen, games, (seed, done))
            yield Setting(
                gamma,
                theta,
                stop.sweeps,
                worth.score,
                worth.error_bound,
                worth.rerolls,
                played.mean if played else None,
                played.standard_error if played else None,
                stop.seconds,
                number,
                text,
            )
            done += 1


def _check(gammas: Sequence[float], thetas: Sequence[float], games: int, seed: int) -> None:
    for gamma in gammas:
        if not 0 <= gamma <= 1:
            raise InputError(f"gamma {gamma:g} is not allowed; it is a number from 0 to 1")
    for theta in thetas:
        if not theta >= LEAST_THETA:
            raise InputError(f"theta {theta:g} is not allowed; it is a number from {LEAST_THETA:g} up")
    if not gammas or not thetas:
        raise InputError("no gamma or no theta was given; give at least one of each")
    if games < 2:
        raise InputError(f"games {games} is not allowed; an error bar takes 2 or more")
    if seed < 0:
        raise InputError(f"seed {seed} is not allowed; it is 0 or more")


def grid(name: str, text: str) -> list[float]:
    """The numbers of a list `0.9,0.95` or a range `0.88:0.998:0.002`, whose end is included."""
    return [float(number) for number in read_numbers(name, text)]
