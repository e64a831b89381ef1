"""`dicewise simulate`."""

from __future__ import annotations

import csv
import sys
import textwrap
from collections.abc import Callable, Mapping
from functools import partial
from math import floor, fsum, isnan, log10, nan, sqrt
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import click

from dicewise.cli.common import (
    GameCommand,
    common_options,
    game_argument,
    print_json,
    progress_shown,
    say,
    solved,
    the_game,
)
from dicewise.cli.histogram import Bar, histogram
from dicewise.errors import InputError, LimitError
from dicewise.files import check_writable, written_whole
from dicewise.game import Game, Number, read_position
from dicewise.solution import Solution

if TYPE_CHECKING:
    from dicewise.engine.evaluate import Evaluation
    from dicewise.engine.simulate import Simulation
    from dicewise.play.players import Player

Totals = tuple[float, ...]

EXACT_UP_TO = 1_000_000
"""Positions up to which exact values are worked out: beyond that they take minutes where games take seconds."""


@click.command(
    cls=GameCommand, epilog="Example: dicewise simulate greed --policies optimal,stand-at-85 --games 100000 --seed 1"
)
@game_argument
@click.option(
    "--policies",
    default="optimal",
    show_default=True,
    metavar="WORDS",
    help="Who plays: one word for everybody, or one for each player, with commas. A word is optimal, random, a rule of "
    "thumb of the game, or path/file.py:function.",
)
@click.option("--games", default=10_000, show_default=True, type=click.IntRange(min=1), help="Games to play.")
@click.option(
    "--seed",
    default=1,
    show_default=True,
    type=click.IntRange(min=0),
    help="The same seed plays the same games everywhere.",
)
@click.option(
    "--from", "state", metavar="STATE", help="Play from this position, seen by its mover, not from the start."
)
@click.option(
    "--limit",
    default=EXACT_UP_TO,
    show_default=True,
    type=click.IntRange(min=0),
    help="Positions up to which exact values are worked out; 0 leaves them out.",
)
@click.option("--format", "form", type=click.Choice(("table", "csv")), help="What is printed, or written with -o.")
@click.option("-o", "--output", metavar="FILE", help="Also write a .csv; - is the terminal.")
@common_options
@click.pass_context
def command(
    ctx: click.Context,
    game: str,
    policies: str,
    games: int,
    seed: int,
    state: str | None,
    limit: int,
    form: str | None,
    output: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Play games of GAME between policies, and say how they ended: with error bars, and beside the exact values."""
    from dicewise.engine.simulate import simulate
    from dicewise.play.players import find_players

    rules = the_game(ctx)
    as_csv = _prints_csv(form, output, as_json)
    position = None if state is None else read_position(rules, state)
    players = find_players(policies.split(","), rules, lambda: solved(rules, quiet)[0])
    if any(player.policy is None for player in players):
        raise InputError(
            "policy 'human' cannot be simulated; a person plays with 'dicewise play', or name another policy"
        )
    each = [player.policy for player in players]
    # first, since policies that go round for ever are found out at once, and not after very long games
    truth = _truth(rules, each, position, limit, quiet) if limit else Truth()
    warned = [policy.report.cautions for policy in each if isinstance(policy, Solution) and policy.game == rules]
    if truth.values is not None and warned:
        truth = truth._replace(cautions=warned[0])
    with progress_shown(quiet) as progress:
        sample = simulate(rules, each, games, seed, state=position, progress=progress)
    result = Result(rules, players, sample, truth)
    if output not in (None, "-"):
        assert output is not None
        with written_whole(output) as unfinished, open(unfinished, "w", encoding="utf-8", newline="") as file:
            _write_csv(result, file)
        say(f"wrote {output}", quiet)
    if as_json:
        print_json(rules.spec, **_as_dict(result, None if position is None else rules.text(position)))
    elif as_csv:
        _write_csv(result, sys.stdout)
    else:
        _print(result, None if position is None else rules.text(position))


def _prints_csv(form: str | None, output: str | None, as_json: bool) -> bool:
    """Whether CSV goes to the terminal; what is asked for twice or cannot be written is refused at once."""
    if output not in (None, "-"):
        if form == "table":
            raise InputError("--format table is for the terminal; files are CSV: leave --format out, or give csv")
        if form is None and not str(output).lower().endswith(".csv"):
            raise InputError(f"output {output!r} is of no known kind; its name must end in .csv, or give --format csv")
        check_writable(str(output))
        return False
    prints = form == "csv" or (output == "-" and form is None)
    if prints and as_json:
        raise InputError("--json and --format csv both say what is printed; give one of them")
    return prints


class Truth(NamedTuple):
    """What is known beyond the sample."""

    values: tuple[Number, ...] | None = None
    error_bound: float | None = None
    outcomes: dict[tuple[Number, ...], Number] | None = None
    problem: str | None = None
    """Why something is missing."""
    cautions: tuple[str, ...] = ()
    """What has to be said of the values, if anything."""


def _truth(rules: Game[Any, Any], policies: list[Any], position: Any, limit: int, quiet: bool) -> Truth:
    """The exact values, as far as they are within reach."""
    from dicewise.engine.evaluate import evaluate

    known: Evaluation | None = None
    try:
        with progress_shown(quiet) as progress:
            known = evaluate(rules, policies, state=position, limit=limit, progress=progress)
            return Truth(known.values, known.error_bound, known.outcomes(progress=progress))
    except (LimitError, MemoryError) as error:
        problem = str(error) or "out of memory"
    if known is not None:
        return Truth(known.values, known.error_bound, problem=problem)
    solution = policies[0]
    if isinstance(solution, Solution) and solution.game == rules and all(policy is solution for policy in policies):
        values = solution.values(rules.start() if position is None else position)  # they come with the solution
        return Truth(values, solution.report.error_bound, problem=problem)
    return Truth(problem=problem)


class Figure(NamedTuple):
    """One number about one player, found by playing and exactly."""

    measure: str
    """`mean`, `win`, `tie`, `lose`, or `share` of the games that ended with a total."""
    total: float | None
    simulated: float
    error: float
    """The standard error."""
    exact: float | None


class Result:
    """A sample beside the truth, and the figures that people ask of them."""

    def __init__(self, rules: Game[Any, Any], players: list[Player], sample: Simulation, truth: Truth) -> None:
        self.rules, self.players, self.sample, self.truth = rules, players, sample, truth
        self.counts = _by_rounded(sample.counts)
        self.chances = None if truth.outcomes is None else _by_rounded(truth.outcomes)
        self.together = all(len(set(totals)) == 1 for totals in (*self.counts, *(self.chances or ())))
        """Whether all have the same in the end: one player, or a team."""
        self.shown = range(1 if self.together else len(players))

    def name(self, player: int) -> str:
        if self.together:
            return " and ".join(dict.fromkeys(player.name for player in self.players))
        return f"player {player + 1}, {self.players[player].name}"

    def summary(self, player: int) -> list[Figure]:
        """Wins, ties and losses, where players do not win and lose together, and the mean."""
        values = self.truth.values
        exact = None if values is None else float(values[player])
        mean = Figure("mean", None, self.sample.means[player], self.sample.errors[player], exact)
        if self.together:
            return [mean]
        return [*(self._share(measure, None, partial(ends, player)) for measure, ends in ENDS.items()), mean]

    def distribution(self, player: int) -> list[Figure]:
        """How often a player ended with each total, those included that only the truth knows of."""
        known = sorted({totals[player] for totals in (*self.counts, *(self.chances or ()))})
        return [self._share("share", total, partial(_has, player, total)) for total in known]

    def _share(self, measure: str, total: float | None, ends: Callable[[Totals], bool]) -> Figure:
        games = self.sample.games
        share = sum(count for totals, count in self.counts.items() if ends(totals)) / games
        error = sqrt(share * (1 - share) / (games - 1)) if games > 1 else nan
        if self.chances is None:
            return Figure(measure, total, share, error, None)
        return Figure(measure, total, share, error, fsum(c for totals, c in self.chances.items() if ends(totals)))


def _by_rounded(found: Mapping[Any, Number]) -> dict[Totals, float]:
    """Totals that differ by rounding as one: those of games are sums of floats."""
    merged: dict[Totals, float] = {}
    for totals, share in found.items():
        key = tuple(float(f"{float(total):.12g}") + 0.0 for total in totals)
        merged[key] = merged.get(key, 0.0) + float(share)
    return merged


def _has(player: int, total: float, totals: Totals) -> bool:
    return totals[player] == total


def _wins(player: int, totals: Totals) -> bool:
    return totals[player] == max(totals) and totals.count(totals[player]) == 1


def _ties(player: int, totals: Totals) -> bool:
    return totals[player] == max(totals) and totals.count(totals[player]) > 1


def _loses(player: int, totals: Totals) -> bool:
    return totals[player] < max(totals)


ENDS = {"win": _wins, "tie": _ties, "lose": _loses}


# ---- for people


def _print(result: Result, state: str | None) -> None:
    sample, truth = result.sample, result.truth
    print(sample.game if state is None else f"{sample.game} from {state}")
    print(f"{sample.games:,} games, seed {sample.seed}, {sample.moves:.1f} moves each, {sample.seconds:.2f} s")
    for player in result.shown:
        name = result.name(player)
        if len(name) > 24:
            print(f"\n{name}", end="")
            name = ""
        exact = "" if truth.values is None else f"{'exact':>15}{'off by':>14}"
        print(f"\n{name:<24}{'simulated':>12}{'s.e.':>12}{exact}")
        for figure in result.summary(player):
            print(_row(figure))
    for caution in truth.cautions:
        print("\n" + textwrap.fill(f"Mind that {caution}.", 79))
    if truth.problem is not None:
        missing = "values" if truth.values is None else "chances"
        print("\n" + textwrap.fill(f"There are no exact {missing}: {truth.problem}", 79))
    mirrored = len(result.players) == 2 and len({sum(totals) for totals in result.counts}) == 1
    for player in result.shown[:1] if mirrored else result.shown:
        print(f"\nwhat {result.name(player)} ended with:")
        bars = [Bar(figure.total or 0.0, figure.simulated, figure.exact) for figure in result.distribution(player)]
        for line in histogram(bars):
            print(line)


WORDS = {"win": "wins", "tie": "ties", "lose": "loses", "mean": "mean"}


def _row(figure: Figure) -> str:
    scale, unit = (1, "") if figure.measure == "mean" else (100, " %")
    digits = 2
    if figure.error > 0:  # nan is not
        digits = min(max(2 - floor(log10(scale * figure.error)), 0), 12)

    def number(value: float, more: int = 0) -> str:
        return "-" if isnan(value) else f"{scale * value:.{digits + more}f}{unit}"

    row = f"  {WORDS[figure.measure]:<22}{number(figure.simulated):>12}{number(figure.error):>12}"
    if figure.exact is None:
        return row
    row += f"{number(figure.exact, more=2):>15}"
    off = figure.simulated - figure.exact
    return f"{row}{off / figure.error:>+9.1f} s.e." if figure.error > 0 else row


# ---- for programs


def _write_csv(result: Result, file: IO[str]) -> None:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(("player", "policy", "measure", "total", "simulated", "standard_error", "exact"))
    for player in range(len(result.players)):
        for figure in (*result.summary(player), *result.distribution(player)):
            row = figure.measure, figure.total, figure.simulated, _known(figure.error), figure.exact
            writer.writerow((player + 1, result.players[player].name, *("" if cell is None else cell for cell in row)))


def _known(number: float) -> float | None:
    return None if isnan(number) else number


def _as_dict(result: Result, state: str | None) -> dict[str, Any]:
    sample, truth = result.sample, result.truth

    def figures(found: list[Figure]) -> list[dict[str, Any]]:
        return [
            {"simulated": figure.simulated, "standard_error": _known(figure.error), "exact": figure.exact}
            for figure in found
        ]

    seats = []
    for player in range(len(result.players)):
        summary, shares = result.summary(player), result.distribution(player)
        named = dict(zip((figure.measure for figure in summary), figures(summary), strict=True))
        listed = [{"total": at.total, **row} for at, row in zip(shares, figures(shares), strict=True)]
        seats.append({"policy": result.players[player].name, **named, "distribution": listed})
    return {
        "state": state,
        "games": sample.games,
        "seed": sample.seed,
        "moves": sample.moves,
        "error_bound": truth.error_bound,
        "problem": truth.problem,
        "players": seats,
        "seconds": sample.seconds,
    }
