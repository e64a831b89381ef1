"""The bands of normal states in Greed: how far apart they are, and why.

Profiles of the chance to win minus the chance to lose are taken by distance from the maximum ("room"): by own room
against a player at 0, by the other's room for a player at 0, and along the diagonal. A smooth trend, a cubic fitted
around each point as far as two mean dice on either side, is subtracted, and what remains is divided by its local size
and looked at by Fourier sums.

The explanation that is tested: players roll whole dice. From a room r the best number would be x(r) dice if it could be
any, with mean mu and standard deviation sigma of one die

    mu x + k sigma sqrt(x) + c = r,

that is, one aims k standard deviations below the maximum; k and c are fitted to the rooms at which the best whole
number n(r) changes, x = n + 1/2. Where x is whole the aim is right, half-way between no n fits. So there is one band
per die, dr/dx = mu + k sigma / (2 sqrt(x)) apart, and not one per largest face s. Scores are whole, too: bands that are
p < 2 apart are seen as p / (p - 1) apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicewise._version import __version__
from dicewise.chart import Chart, Grid, Mark, Panel, Plane, Series
from dicewise.errors import InputError
from dicewise.games import find_game
from dicewise.games.greed import Greed
from dicewise.games.greed.solution import GreedSolution, solve_fast
from dicewise.study.balanced import moments
from dicewise.study.result import Study, Table, spaced
from dicewise.study.spikes import edges, masks, on_spikes, regions, spike_table
from dicewise.study.work import Work

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FEWEST_BANDS = 4
"""Bands that a period is measured over."""

PROFILES = {"own": "by own score", "other": "by the other's", "diagonal": "equal scores"}


def study_bands(games: Sequence[Greed], work: Work | None = None) -> Study:
    """The bands and spikes of one ruleset, or the periods of several."""
    work = work or Work()
    for game in games:
        if game.win == game.lose:
            raise InputError(f"{game.spec} pays the same for a win and a loss: nothing is at stake; choose lose < win")
    if len(games) > 1:
        return _compared(games, work)
    (game,) = games
    solution = solve_fast(game, ties=not game.constant_sum, progress=work.tell)
    wave = waves(solution)
    periods = _period_table([game], [measured(solution, wave)])
    tables = [periods, _run_table(game, wave), spike_table(solution)]
    findings = [*_on_bands(game, wave, periods), *on_spikes(game, tables[-1])]
    return Study("bands", game.spec, tables, findings, _chart(solution, wave, tables), {})


# ---- bands measured


@dataclass(frozen=True, eq=False)
class Aim:
    """The number of dice that would be best from a room if it need not be whole."""

    safety: float
    """k: standard deviations below the maximum."""
    shift: float
    """c: points."""
    mean: float
    deviation: float

    def dice(self, room: Floats) -> Floats:
        slope = self.safety * self.deviation
        root = (np.sqrt(slope**2 + 4 * self.mean * np.maximum(room - self.shift, 0.0)) - slope) / (2 * self.mean)
        found: Floats = root**2
        return found


@dataclass(frozen=True, eq=False)
class Waves:
    """What there is to see of bands, from a room of three dice on."""

    room: Ints
    dice: Ints
    """The best number against a player at 0."""
    aim: Aim
    spacing: float
    """Rooms per additional die, on average."""
    level: dict[str, Floats]
    rest: dict[str, Floats]
    """The same without its trend."""
    even: dict[str, Floats]
    """The rest, divided by its local size."""

    @property
    def ideal(self) -> Floats:
        return self.aim.dice(self.room.astype(float))


def waves(solution: GreedSolution) -> Waves | None:
    """The bands of a ruleset; None where the maximum is too small to have any."""
    game, top = solution.game, solution.game.max
    edge, _ = edges(solution)
    mean, variance = moments(game)
    dice = solution.dice(False)[::-1, 0].astype(np.int64)  # by room
    turns = np.flatnonzero((np.diff(dice) == 1) & (dice[:-1] >= 2))
    half = max(3, round(2 * mean))
    if variance == 0 or len(turns) <= FEWEST_BANDS or top - turns[0] < 2 * half + 1:
        return None
    between, at = dice[turns] + 0.5, turns + 0.5  # as many dice would be best between two rooms
    matrix = np.stack([np.sqrt(variance * between), np.ones(len(at))], axis=1)
    (safety, shift), *_ = np.linalg.lstsq(matrix, at - mean * between, rcond=None)
    room = np.arange(turns[0] + 1, top + 1)
    level = {"own": edge[::-1, 0][room], "other": edge[0, ::-1][room], "diagonal": np.diag(edge)[::-1][room]}
    smooth = smoother(len(room), half)
    rest = {name: values - smooth @ values for name, values in level.items()}
    width = np.ones(2 * half + 1)
    count = np.convolve(np.ones(len(room)), width, "same")
    even = {
        name: values
        / np.sqrt(np.maximum(np.convolve(values**2, width, "same")[: len(room)] / count[: len(room)], 1e-300))
        for name, values in rest.items()
    }
    spacing = float((at[-1] - at[0]) / (between[-1] - between[0]))
    return Waves(room, dice[room], Aim(float(safety), float(shift), mean, variance**0.5), spacing, level, rest, even)


def smoother(count: int, half: int) -> Floats:
    """The matrix that replaces each of a row of numbers by a cubic's, fitted to those up to `half` places away; towards
    the ends the window stays as wide."""
    found = np.zeros((count, count))
    rows: dict[int, Floats] = {}
    for at in range(count):
        first = min(max(0, at - half), max(0, count - 2 * half - 1))
        if at - first not in rows:
            places = (np.arange(min(2 * half + 1, count)) - (at - first)) / half
            rows[at - first] = np.linalg.pinv(np.vander(places, 4, increasing=True))[0]
        found[at, first : first + len(rows[at - first])] = rows[at - first]
    return found


def spectrum(wave: Waves, name: str, periods: Floats) -> Floats:
    """The share of a profile's variance that a wave of each period has, about."""
    values, window = wave.even[name], np.hanning(len(wave.room) + 2)[1:-1]
    sums = np.exp(-2j * np.pi * np.outer(1 / periods, wave.room)) @ (values * window)
    share: Floats = 2 * np.abs(sums) ** 2 / (window.sum() ** 2 * np.maximum((values**2).mean(), 1e-300))
    return share


def measured(solution: GreedSolution, wave: Waves | None) -> dict[str, Any]:
    """The numbers of the bands of one ruleset, by profile."""
    game = solution.game
    largest = game.dice.outcomes[-1]
    mean, _ = moments(game)
    found: dict[str, Any] = {"mean": mean, "largest": largest, "spacing": None, "seen": None, "safety": None}
    for name in PROFILES:
        found |= {f"{name}_{what}": None for what in ("period", "by_dice", "by_face", "overshoot")}
    spiky = [region for region in regions(solution) if region.kind == "ahead"]
    found |= {"spikes": sum(len(region.states) > 2 for region in spiky), "deepest": None}
    if spiky:
        found["deepest"] = "{} {}".format(*spiky[0].deepest)
    if wave is None:
        return found
    seen = wave.spacing if wave.spacing >= 2 else wave.spacing / (wave.spacing - 1)
    found |= {"spacing": wave.spacing, "seen": seen, "safety": wave.aim.safety}
    periods = 1 / np.linspace(1 / min(2 * largest, len(wave.room) / 2), 0.5, 4000)
    over = largest * wave.dice - wave.room
    for name in PROFILES:
        found[f"{name}_period"] = float(periods[spectrum(wave, name, periods).argmax()])
        found[f"{name}_by_dice"] = explained(wave.even[name], wave.ideal)
        found[f"{name}_by_face"] = explained(wave.even[name], wave.room / largest)
        found[f"{name}_overshoot"] = float(np.corrcoef(over, wave.even[name])[0, 1])
    return found


def explained(values: Floats, turns: Floats) -> float:
    """The share of the variance of values that one sine wave explains, its phase given in turns."""
    angle = 2 * np.pi * turns
    matrix = np.stack([np.cos(angle), np.sin(angle), np.ones(len(angle))], axis=1)
    fit, *_ = np.linalg.lstsq(matrix, values, rcond=None)
    return float(1 - ((values - matrix @ fit) ** 2).sum() / ((values - values.mean()) ** 2).sum())


# ---- tables


def _period_table(games: Sequence[Greed], found: Sequence[dict[str, Any]]) -> Table:
    rows: list[dict[str, Any]] = []
    for game, numbers in zip(games, found, strict=True):
        for name in PROFILES:
            row = {"game": game.spec, "max": game.max, "largest": numbers["largest"], "mean": numbers["mean"]}
            row |= {"profile": name, "period": numbers[f"{name}_period"], "spacing": numbers["spacing"]}
            row |= {"seen": numbers["seen"], "safety": numbers["safety"]}
            row |= {what: numbers[f"{name}_{what}"] for what in ("by_dice", "by_face", "overshoot")}
            rows.append(row | {"spikes": numbers["spikes"], "deepest": numbers["deepest"]})
    several = len(games) > 1
    shown = {"max": "{}"} if len({game.max for game in games}) > 1 else {}
    shown |= {"largest": "{}", "mean": "{:.2f}"} | ({} if several else {"profile": "{}"})
    shown |= {"period": "{:.2f}", "spacing": "{:.2f}", "seen": "{:.2f}", "by_dice": "{:.1%}", "by_face": "{:.1%}"}
    shown |= {"overshoot": "{:+.2f}"} | ({"deepest": "{}"} if several else {})
    own = [3 * at for at in spaced(len(games), 24)] if several else None
    title = "bands: period, points per die (spacing, as seen), share explained by the dice and by period s"
    return Table("periods", title, {name: [row[name] for row in rows] for name in rows[0]}, shown, own)


def _run_table(game: Greed, wave: Waves | None) -> Table:
    """One row for each number of dice: where its band is."""
    rows: list[dict[str, Any]] = []
    if wave is not None:
        rest, largest, aim = wave.rest["own"], game.dice.outcomes[-1], wave.aim
        for n in sorted(set(wave.dice.tolist())):
            (at,) = np.nonzero(wave.dice == n)
            best = int(wave.room[at[rest[at].argmax()]])
            rows.append(
                {
                    "dice": n,
                    "from": int(wave.room[at[0]]),
                    "to": int(wave.room[at[-1]]),
                    "best": best,
                    "overshoot": largest * n - best,
                    "aim": (best - n * aim.mean) / (aim.deviation * math.sqrt(n)),
                    "height": float(rest[at].max() - rest[at].min()),
                }
            )
    names = ("dice", "from", "to", "best", "overshoot", "aim", "height")
    shown = dict.fromkeys(names, "{}") | {"aim": "{:.2f}", "height": "{:.5f}"}
    title = "rooms from which n dice are best against 0; the best of them, s n - room, and its aim in deviations"
    return Table("runs", title, {name: [row[name] for row in rows] for name in names}, shown, spaced(len(rows), 10))


# ---- findings


def _on_bands(game: Greed, wave: Waves | None, periods: Table) -> list[str]:
    largest = game.dice.outcomes[-1]
    if wave is None:
        return [
            f"{game.spec} has no bands to measure: a period takes {FEWEST_BANDS + 1} changes of the best number of "
            "dice by one, from two dice up; choose a larger max, or dice that differ less."
        ]
    own, other, diagonal = list(periods.rows())
    aim = wave.aim
    far = aim.mean + aim.safety * aim.deviation / (2 * math.sqrt(wave.dice.max()))
    height = _run_table(game, wave).columns
    said = [
        f"Bands are {own['period']:.2f} points apart by own score, {other['period']:.2f} by the other's, "
        f"{diagonal['period']:.2f} along equal scores; the largest face is {largest}. The best number of dice changes "
        f"every {wave.spacing:.2f} points"
        + ("." if wave.spacing >= 2 else f", which on whole scores looks like {own['seen']:.2f}.")
        + f" That is {far:.2f} at the start, and tends to the mean of a die, {aim.mean:.2f}, far from the maximum.",
        f"Where the whole number of dice fits the aim ({aim.safety:.2f} standard deviations below the maximum, "
        f"{aim.shift:+.1f} points) explains {own['by_dice']:.0%} of the bands by own score; a period of {largest} "
        f"explains {own['by_face']:.1%}, and the overshoot of the largest total, s n - (M - a), has a correlation of "
        f"{own['overshoot']:+.2f} with them.",
    ]
    if len(height["dice"]) > 3:
        power = np.polyfit(np.log(height["best"][1:-1]), np.log(np.maximum(height["height"][1:-1], 1e-300)), 1)[0]
        said.append(
            f"Bands are {height['height'][1]:.4f} high at {height['dice'][1]} dice and {height['height'][-2]:.5f} at "
            f"{height['dice'][-2]}: they fade like the distance from the maximum to the power {power:.1f}."
        )
    return said


# ---- several rulesets


def measure(item: list[Any]) -> dict[str, Any]:
    """The numbers of one ruleset."""
    game = find_game(item[0])
    assert isinstance(game, Greed)
    solution = solve_fast(game)
    return measured(solution, waves(solution))


def _compared(games: Sequence[Greed], work: Work) -> Study:
    found = work.map(measure, [[game.spec] for game in games], f"solving {len(games)} rulesets")
    table = _period_table(games, found)
    some = [numbers for numbers in found if numbers["own_period"] is not None]
    text = f"{len(games)} rulesets, {games[0].spec} to {games[-1].spec}"
    said = []
    if len(some) < len(found):
        said.append(f"{len(found) - len(some)} of {len(found)} rulesets are too small to have bands.")
    if some:
        off = [abs(numbers["own_period"] / numbers["seen"] - 1) for numbers in some]
        by_dice, by_face = ([numbers[f"own_{name}"] for numbers in some] for name in ("by_dice", "by_face"))
        like_face = sum(abs(numbers["own_period"] / numbers["largest"] - 1) < 0.05 for numbers in some)
        said.append(
            f"In {sum(each < 0.05 for each in off)} of {len(some)} rulesets the period by own score is within 5 % of "
            f"the points per additional die (as seen on whole scores); in {like_face} it is within 5 % of the largest "
            f"face. The dice explain {np.median(by_dice):.0%} of the bands (the middle ruleset), a period of the "
            f"largest face {np.median(by_face):.1%}."
        )
    return Study("bands", text, [table], said, _compared_chart(games, found, text, said) if some else None, {})


def _compared_chart(games: Sequence[Greed], found: Sequence[dict[str, Any]], text: str, said: Sequence[str]) -> Chart:
    by_face = len({numbers["largest"] for numbers in found}) > 1
    at = [numbers["largest"] if by_face else game.max for game, numbers in zip(games, found, strict=True)]
    series = [
        Series(label, at, [np.nan if numbers[name] is None else numbers[name] for numbers in found], kind)
        for name, label, kind in (
            ("own_period", "period by own score", "dots"),
            ("seen", "points per die, as seen", "line"),
            ("mean", "mean of a die", "line"),
            ("largest", "largest face", "line"),
        )
    ]
    panel = Plane("", "largest face" if by_face else "max", "points", series)
    return Chart("Bands in Greed: how far apart", [panel], [text, f"dicewise {__version__}"], " ".join(said))


# ---- the figure of one ruleset


def _chart(solution: GreedSolution, wave: Waves | None, tables: Sequence[Table]) -> Chart:
    game, top = solution.game, solution.game.max
    panels: list[Panel] = [*(() if wave is None else _wave_panels(solution, wave, tables[1])), _spike_panel(solution)]
    bands = (
        "what is left of their values without a trend; its profile by own distance from the maximum, with marks where "
        "the best number of dice changes; its spectrum; the same by the phase of the dice; how high the bands are; and "
    )
    missing = [] if wave is not None else ["There are no bands to measure."]
    if not masks(solution)["ahead"].any():
        missing.append("Nobody who is ahead is worse off.")
    return Chart(
        "Bands and spikes in Greed",
        panels,
        [game.spec, *missing, f"dicewise {__version__}"],
        f"Normal states of Greed up to {top}: {'' if wave is None else bands}the states in which the player ahead is "
        f"worse off. {' '.join(missing)}".strip(),
    )


def _wave_panels(solution: GreedSolution, wave: Waves, runs: Table) -> list[Panel]:
    game, top = solution.game, solution.game.max
    largest = game.dice.outcomes[-1]
    edge, _ = edges(solution)
    inner = edge[: top - wave.room[0] + 1, : top - wave.room[0] + 1]
    smooth = smoother(len(inner), max(3, round(2 * wave.aim.mean)))
    rest = inner - smooth @ inner @ smooth.T
    limit = float(np.quantile(np.abs(rest), 0.97)) or 1e-12
    scores = [float(score) for score in range(len(inner))]
    cells = Grid(
        "Values without their trend",
        "own score",
        "the other's score",
        rest,
        scores,
        scores,
        "above or below the trend",
        "diverging",
        (-limit, limit),
    )
    room = wave.room.tolist()
    shown = slice(0, min(len(room), round(10 * wave.spacing)))
    changes = [at - 0.5 for at in runs.columns["from"] if at <= room[shown][-1]]
    profile = Plane(
        "By own distance from the maximum, against 0",
        "M - a",
        "share of the local size",
        [
            Series("without trend", room[shown], wave.even["own"][shown].tolist()),
            Series("one die more is best", changes, [0.0] * len(changes), "dots"),
        ],
    )
    periods = np.linspace(max(2.0, 0.5 * wave.spacing), 1.25 * largest, 600)
    waves_seen = [
        Series(words, periods.tolist(), spectrum(wave, name, periods).tolist()) for name, words in PROFILES.items()
    ]
    marks = [
        Mark(f"largest face, {largest}", largest, upright=True),
        Mark("points per die", wave.spacing, upright=True),
    ]
    power = Plane("Spectrum", "period, points", "share of the variance", waves_seen, marks)
    phase = wave.ideal - np.floor(wave.ideal)
    folded = Plane(
        "The same by the dice that would be best",
        "fraction of the ideal number of dice, or of room / largest face",
        "share of the local size",
        [
            Series("ideal number of dice", phase.tolist(), wave.even["own"].tolist(), "dots"),
            Series("room / largest face", (wave.room % largest / largest).tolist(), wave.even["own"].tolist(), "dots"),
        ],
    )
    columns = runs.columns
    heights = Series("", columns["best"], columns["height"], "dots")
    fading = Plane("How high bands are", "M - a", "from trough to crest", [heights], log="xy")
    return [cells, profile, power, folded, fading]


def _spike_panel(solution: GreedSolution) -> Grid:
    top, found = solution.game.max, masks(solution)
    spikes = np.argwhere(found["ahead"])
    low = max(0, top - max(2 * (top - int(spikes.min())), 4) if len(spikes) else 0)
    kinds = (found["ahead"] * 1.0 + found["behind"] * 2.0)[low:, low:]
    scores = [float(score) for score in range(low, top + 1)]
    names = ("as usual", "ahead, worse off", "behind, better off")
    return Grid("Spikes", "own score", "the other's score", kinds, scores, scores, "", "kinds", None, names)
