"""Charts of any solved game: what its states are worth, how it ends, where play goes, what one state offers.

Nothing here knows a game. Values are read off the solution; where play goes and how it ends follows from the rules and
the best actions, by the engine's forward passes (`engine.reach`, `engine.distribution`). What comes out is a chart, as
data; `charts` draws it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dicewise._version import __version__
from dicewise.chart import Bars, Chart, Mark, Panel, Plane, Series
from dicewise.engine.evaluate import evaluate
from dicewise.engine.reach import Reach, reach
from dicewise.engine.reading import shortcut
from dicewise.errors import InputError, LimitError
from dicewise.game import Game, Number, Progress, read_position, spoken
from dicewise.games.greed.solution import GreedSolution
from dicewise.graph import Graph
from dicewise.solution import Solution

BINS = 50
FEW_TOTALS = 12
"""So many ways to end are shown as lying bars, more along an axis."""
MOST_TOTALS, TAIL = 120, 1e-4
"""More totals than this are put together; where there are many, the least likely ones on either side are left out."""
MOST_PLAYERS = 6
MOST_CHOSEN = 2_000
"""States up to which all actions of each are compared, to count the good ones."""
MOST_FOLLOWED = 1_000_000
"""States that play is followed through: about a minute or two."""
LIKELIEST, MOST_ACTIONS, LABEL = 28, 30, 34
SURE = 1e-9
"""Chances that come so close to 1 are certain."""


# ---- what the states are worth


def values_chart(solution: Solution[Any, Any]) -> Chart:
    """How many states are worth how much to the player to move, and in how many there is one good action, or more."""
    game, report = solution.game, solution.report
    check_begun(game)
    values = solution.worths()
    start = float(solution.value(game.start()))
    at, share, width = _histogram(values)
    whose = _whose(solution)
    panels: list[Panel] = [
        Plane(
            "All states by their value",
            f"value{whose}" + (f", in bins of {width:.3g}" if width else ""),
            "share of all states",
            [Series("", at, share, "bars")],
            [Mark(f"the start: {_number(start)}", start, upright=True)],
        )
    ]
    said = [
        f"{len(values):,} states, worth {_number(values.min())} to {_number(values.max())}{whose}, "
        f"{_number(values.mean())} on average; the start {_number(start)}"
    ]
    if len(values) <= MOST_CHOSEN:
        counts = _good_actions(solution)
        if counts.keys() != {"nothing to choose"}:
            panels.append(
                Bars(
                    "All states by their choices",
                    "number of states",
                    list(counts),
                    list(counts.values()),
                    notes=[f"{count:,}" for count in counts.values()],
                )
            )
            said.append("; ".join(f"{words}: {count:,} states" for words, count in counts.items()))
    if report.interests == "each for itself":
        said.append(_tie_rule(solution))
    return _chart(f"What the states of {game.name} are worth", panels, solution, [*said, *_cautions(solution)])


def _good_actions(solution: Solution[Any, Any]) -> dict[str, int]:
    """States by the number of equally good actions, in words."""
    found: dict[tuple[int, str], int] = {}
    for state in solution.states():
        choices = solution.choices(state)
        good = sum(choice.loss == 0 for choice in choices)
        if len(choices) == 1:
            key = (0, "nothing to choose")
        elif good == len(choices):
            key = (99, "all actions as good")
        elif good < 4:
            key = (good, "one best action" if good == 1 else f"{good} best actions")
        else:
            key = (4, "4 best actions or more")
        found[key] = found.get(key, 0) + 1
    return {words: found[rank, words] for rank, words in sorted(found)}


def _histogram(values: NDArray[np.float64]) -> tuple[list[float], list[float], float]:
    """Places, shares, and the width of the bins; 0 where each bar is one number."""
    distinct = np.unique(np.round(values, 12))
    steps = np.diff(distinct)
    if not len(steps):
        return [float(distinct[0])], [1.0], 0.0
    step, span = float(steps.min()), float(distinct[-1] - distinct[0])
    whole = np.round((distinct - distinct[0]) / step)
    if span / step <= BINS and np.allclose(distinct, distinct[0] + whole * step, atol=1e-9 * max(1.0, span)):
        places = distinct[0] + np.arange(round(span / step) + 1) * step
        counts = np.bincount(np.round((values - distinct[0]) / step).astype(int), minlength=len(places))
        return places.tolist(), (counts / len(values)).tolist(), 0.0
    counts, edges = np.histogram(values, BINS)
    return ((edges[1:] + edges[:-1]) / 2).tolist(), (counts / len(values)).tolist(), span / BINS


# ---- how it ends


class Ending(NamedTuple):
    """A way to end, for one player."""

    words: str
    total: float
    """Payoff and all rewards."""
    chance: float


def scores_chart(solution: Solution[Any, Any], progress: Progress | None = None) -> Chart:
    """The chances of what each player ends with when all play their best."""
    game, team = solution.game, solution.report.interests == "team"
    check_begun(game)
    seats = 1 if team else min(game.players, MOST_PLAYERS)
    panels: list[Panel] = []
    said = []
    for seat, endings in enumerate(_endings(solution, seats, progress)):
        name = "the player" if game.players == 1 else "everybody" if team else f"player {seat + 1}"
        mean = sum(ending.total * ending.chance for ending in endings)
        spread = sum((ending.total - mean) ** 2 * ending.chance for ending in endings) ** 0.5
        said.append(f"{name} ends with {_number(mean)} on average, standard deviation {spread:.4g}")
        panel, left_out = _ending_panel("" if game.players == 1 else f"{name.capitalize()}, by payoff", endings, mean)
        panels.append(panel)
        if left_out:
            said.append(f"totals beyond the axis have a chance of {left_out:.1g} together")
    if not team and game.players > seats:
        said.append(f"the first {seats} of {game.players} players are shown")
    title = f"What the player of {game.name} ends with"
    if game.players > 1:
        title = f"What the players of {game.name} end with"
    return _chart(title, panels, solution, [*said, _tie_rule(solution), *_cautions(solution)])


def _endings(solution: Solution[Any, Any], seats: int, progress: Progress | None) -> list[list[Ending]]:
    """For each player all ways to end, by what they come to."""
    game = solution.game
    if isinstance(solution, GreedSolution):
        return _greed_endings(solution, progress)
    known = solution.endings(game.start(), progress) if game.players == 1 else None
    if known is not None:
        return [[Ending(_number(total), float(total), float(chance)) for total, chance in known.items() if chance > 0]]
    values = solution.values(game.start())[:seats]
    graph = shortcut(game, "graph", Graph)  # games that build their own arrays may be too large to follow
    found = (
        None if graph is None or graph.reward is not None else _of_two(frozenset(graph.ends.ravel().tolist()), values)
    )
    if found is None:
        try:
            played = evaluate(game, solution, limit=MOST_FOLLOWED, progress=progress)
        except LimitError as error:
            raise _too_large(game, error) from None
        found = _of_two(played.ends, values)
        if found is None:
            found = [dict(played.distribution(seat, progress=progress)) for seat in range(seats)]
    return [
        [Ending(_number(total), float(total), float(chances[total])) for total in sorted(chances)] for chances in found
    ]


def _of_two(ends: frozenset[Number] | None, values: Sequence[Number]) -> list[dict[Number, Number]] | None:
    """For each value the chances of two ends, if there are no others: the value says how likely each is."""
    if ends is None or len(ends) != 2:
        return None
    low, high = (Fraction(end) for end in sorted(ends))
    wins = [(Fraction(value) - low) / (high - low) for value in values]
    return [{low: 1 - win, high: win} for win in wins]


def _greed_endings(solution: GreedSolution, progress: Progress | None) -> list[list[Ending]]:
    """Greed for two players knows its chances, and has words for them."""
    game = solution.game
    solution.find_details(progress)
    win, tie, lose = solution.chances(game.start())
    named = (("loses", game.lose), ("ties", game.tie), ("wins", game.win))
    return [
        [
            Ending(f"{words} ({_number(pay)})", float(pay), chance)
            for (words, pay), chance in zip(named, chances, strict=True)
        ]
        for chances in ((lose, tie, win), (win, tie, lose))
    ]


def _too_large(game: Game[Any, Any], error: LimitError) -> LimitError:
    if "more than" not in str(error):
        return error
    return LimitError(
        f"best play of {game.spec} comes to more than {MOST_FOLLOWED:,} states, too many to be followed; "
        "choose smaller parameters, or look at the values: they need no following"
    )


def _bins_of(totals: NDArray[np.float64]) -> Any:
    """About `BINS` of them; of whole numbers each has as many."""
    if (totals % 1).any():
        return BINS
    width = -(-(totals[-1] - totals[0] + 1) // BINS)
    return np.arange(totals[0] - 0.5, totals[-1] + width, width)


def _ending_panel(title: str, endings: list[Ending], mean: float) -> tuple[Panel, float]:
    """A panel, and the chance of what it leaves out."""
    chances = np.array([ending.chance for ending in endings])
    if len(endings) <= FEW_TOTALS:
        words, notes = [ending.words for ending in endings], [_percent(chance) for chance in chances]
        return Bars(title, "chance", words, chances.tolist(), notes=notes), 0.0
    totals = np.array([ending.total for ending in endings])
    shown = np.ones(len(totals), dtype=bool)
    if len(totals) > BINS:
        shown = (np.cumsum(chances) > TAIL) & (np.cumsum(chances[::-1])[::-1] > TAIL)
    left_out = float(chances[~shown].sum())
    totals, chances, measure = totals[shown], chances[shown], "chance"
    if len(totals) > MOST_TOTALS:
        chances, edges = np.histogram(totals, _bins_of(totals), weights=chances)
        totals, measure = (edges[1:] + edges[:-1]) / 2, f"chance, in bins of {edges[1] - edges[0]:.3g}"
    series = [Series("", totals.tolist(), chances.tolist(), "bars")]
    marks = [Mark(f"mean: {_number(mean)}", mean, upright=True)]
    return Plane(title, "payoff and rewards together", measure, series, marks), left_out


# ---- where play goes


def reach_chart(solution: Solution[Any, Any], progress: Progress | None = None) -> Chart:
    """The states that best play comes to most likely, and how many states are how likely."""
    game = solution.game
    check_begun(game)
    try:
        found = reach(game, solution, limit=MOST_FOLLOWED, progress=progress)
    except LimitError as error:
        raise _too_large(game, error) from None
    chances = np.asarray(found.visits if found.is_partial else found.chances, dtype=float)
    # states that every game comes to say little, and would make all others look small
    certain = (np.abs(chances - 1) <= SURE) & (not found.is_partial)
    top = [number for number in found.likeliest(LIKELIEST + int(certain.sum())) if not certain[number]][:LIKELIEST]
    beside = " (beside those that always come up)" if top and certain.any() else ""
    top = top or found.likeliest(LIKELIEST)
    likely = Bars(
        f"The likeliest states, and what is done there{beside}",
        "expected visits in a game" if found.is_partial else "chance to come up in a game",
        [_in_words(found, game, number) for number in top],
        [float(chances[number]) for number in top],
        notes=[f"{chances[n]:.3g}" if found.is_partial else _percent(float(chances[n])) for n in top],
    )
    groups = _by_likelihood(chances, max(solution.report.states - len(chances), 0))
    many = Bars(
        "States by how likely they are" if not found.is_partial else "States by how often they are visited",
        "number of states",
        list(groups),
        list(groups.values()),
        notes=[f"{count:,}" for count in groups.values()],
    )
    visits = np.sort(np.asarray(found.visits, dtype=float))[::-1]
    half = int(np.searchsorted(np.cumsum(visits), visits.sum() / 2)) + 1
    said = [
        f"best play comes to {len(chances):,} of {max(solution.report.states, len(chances)):,} states and takes "
        f"{visits.sum():.4g} moves on average, forced ones included; half of all moves are made in {half:,} of these "
        "states",
        _tie_rule(solution),
    ]
    return _chart(f"Where best play of {game.name} goes", [likely, many], solution, said)


def _in_words(found: Reach, game: Game[Any, Any], number: int) -> str:
    text, action = spoken(game, "text", found.states[number]), spoken(game, "label", found.actions[number])
    room = max(12, LABEL - len(action))
    short = text if len(text) <= room else text[: room - 1] + "…"
    return f"{short}: {action}" if action else short


def _by_likelihood(chances: NDArray[np.float64], never: int) -> dict[str, int]:
    """How many states there are of each order of magnitude."""
    certain = np.abs(chances - 1) <= SURE
    found = {"more than once": int(((chances > 1) & ~certain).sum()), "always": int(certain.sum())}
    if not found["more than once"]:
        del found["more than once"]
    less = chances[(chances < 1) & ~certain]
    bounds = {"1 in 10 or more": 0.1, "1 in 100": 0.01, "1 in 1,000": 1e-3, "1 in 10,000": 1e-4, "1 in 100,000": 1e-5}
    bounds |= {"1 in a million": 1e-6, "1 in a billion": 1e-9, "more seldom": 0.0}
    for words, low in bounds.items():
        found[words] = int((less >= low).sum())
        less = less[less < low]
    last = max(at for at, count in enumerate(found.values()) if count)
    return dict(list(found.items())[: last + 1]) | ({"never": never} if never else {})


# ---- what one state offers


def slice_chart(solution: Solution[Any, Any], state: Any) -> Chart:
    """All actions of a state, the best first: what each is worth, and what it gives away. A state in words is read as
    the game reads it."""
    game = solution.game
    if isinstance(state, str) and not isinstance(game.start(), str):
        state = read_position(game, state)
    choices = solution.choices(state)
    text = spoken(game, "text", state)
    if not choices:
        raise InputError(f"{game.spec} is over at {text!r}: there is no action to show; choose an unfinished position")
    shown = choices[:MOST_ACTIONS]
    labels = [spoken(game, "label", choice.action) or "go on" for choice in shown]
    best = [at for at, choice in enumerate(shown) if choice.loss == 0]
    values, losses = ([float(getattr(choice, what)) for choice in shown] for what in ("value", "loss"))
    panels = [
        Bars("Value of each action", f"value{_whose(solution)}", labels, values, best, [*map(_number, values)]),
        Bars("What it gives away", "loss against the best action", labels, losses, best, [*map(_loss, losses)]),
    ]
    said = [f"position {text!r}: {solution.why(state)}"]
    if len(shown) < len(choices):
        said.append(f"the best {len(shown)} of {len(choices):,} actions are shown")
    if solution.report.interests == "each for itself":
        said.append(_tie_rule(solution))
    return _chart(f"{game.name.capitalize()} at {text}", panels if len(choices) > 1 else panels[:1], solution, said)


# ---- words


def _chart(title: str, panels: Sequence[Panel], solution: Solution[Any, Any], said: Sequence[str]) -> Chart:
    spec = solution.game.spec
    sentences = [sentence[:1].upper() + sentence[1:] + ("" if sentence.endswith(".") else ".") for sentence in said]
    return Chart(
        title, panels, [spec, *sentences, f"dicewise {__version__}"], " ".join([f"{title}: {spec}.", *sentences])
    )


def _tie_rule(solution: Solution[Any, Any]) -> str:
    return f"best play takes {solution.report.tie_rule}"


def _cautions(solution: Solution[Any, Any]) -> list[str]:
    return [f"mind that {caution}" for caution in solution.report.cautions]


def _whose(solution: Solution[Any, Any]) -> str:
    alone = solution.game.players == 1 or solution.report.interests == "team"
    return "" if alone else " to the player to move"


def check_begun(game: Game[Any, Any]) -> None:
    if not game.actions(game.start()):
        raise InputError(f"{game.spec} is over before it begins: there is nothing to draw")


def _number(number: Any) -> str:
    return f"{float(number) + 0.0:.5g}".replace("-", "\N{MINUS SIGN}")


def _loss(loss: float) -> str:
    return "best" if loss == 0 else f"{loss:.3g}"


def _percent(chance: float) -> str:
    if not chance:
        return "0%"
    return f"{chance:.1%}" if chance >= 0.001 else f"{100 * chance:.2g}%" if chance >= 1e-6 else f"{chance:.1e}"
