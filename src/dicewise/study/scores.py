"""How games of Yahtzee end: distributions of the final score, of one player or of two, and all targets at once.

Distributions are exact: chances flow forwards along the best play for an aim (see `games.yahtzee.distribution`), or
along a rule of thumb (`games.yahtzee.policy_scores`). Two players who do not look at each other's card are independent,
so that the chances to win follow from two distributions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any

from dicewise._version import __version__
from dicewise.chart import Bars, Chart, Panel, Plane, Series
from dicewise.engine.distribution import Distribution
from dicewise.errors import InputError
from dicewise.game import Game, Progress
from dicewise.games import find_game
from dicewise.games.yahtzee import Yahtzee
from dicewise.games.yahtzee.distribution import Scores, best_chances, points_held, scores_of, win_chances
from dicewise.games.yahtzee.policy_scores import policy_scores
from dicewise.games.yahtzee.rules import MOST_TARGET
from dicewise.study.kept import Answers
from dicewise.study.result import Study, Table
from dicewise.study.work import Work

QUANTILES = {"1 %": 0.01, "5 %": 0.05, "25 %": 0.25, "median": 0.5, "75 %": 0.75, "95 %": 0.95, "99 %": 0.99}
SURE = 1e-9
"""What is told of a first player's score needs targets that cover it but for this chance."""


def scores(game: Game[Any, Any], *, at: str = "", aims: str = "", targets: int = 0, work: Work | None = None) -> Study:
    """The distribution of the final score from a card on, for one aim or rule of thumb, or two; with `targets` the best
    chance to reach each score up to that number."""
    work = work or Work()
    if not isinstance(game, Yahtzee):
        raise InputError(f"study scores is about yahtzee, not {game.spec}; write 'study scores yahtzee'")
    given = [word.strip() for word in aims.split(",") if word.strip()]
    if given and game.aim != "mean":
        raise InputError(f"the aim is given as {game.aim} and by --aims {aims}; give it once")
    if len(given) > 2:
        raise InputError(f"--aims {aims} are {len(given)} aims; give one, or two for two players")
    if not 0 <= targets <= MOST_TARGET:
        raise InputError(f"--targets {targets} is not allowed; it is a whole number up to {MOST_TARGET}")
    plain = replace(game, aim="mean")
    played = {aim: plain if aim in game.heuristics else replace(game, aim=aim) for aim in given or [game.aim]}
    for each in played.values():
        if each.parse(at).dice:  # a card that cannot be is refused before any work is done
            raise InputError(f"--at {at!r} is in the middle of a turn; leave out the dice")
    asked = played | ({"mean": plain} if targets else {})
    steps = len(asked) + bool(targets)
    found: dict[str, Scores] = {}
    for number, (aim, each) in enumerate(asked.items()):
        part = work.stage(number / steps, (number + 1) / steps)
        by_thumb = aim in game.heuristics
        answer = _kept(part, _by_thumb, [each.spec, aim, at]) if by_thumb else _kept(part, _scores, [each.spec, at])
        found[aim] = Scores(**answer)
    best = _kept(work.stage(len(asked) / steps, 1.0), _targets, [plain.spec, at, targets]) if targets else []
    return _Told(game, at, given or [game.aim], found, best).study()


def _kept(work: Work, task: Callable[[Any, Progress], Any], item: Any) -> Any:
    """One long answer, kept for the next time."""
    notes = Answers(work.folder, task)  # type: ignore[arg-type]
    key = notes.key(item)
    known = {} if work.fresh else notes.read([key])
    if key not in known:
        known[key] = task(item, work.tell)
        notes.add(key, known[key])
        if notes.problem and notes.problem not in work.problems:
            work.problems.append(notes.problem)
    notes.close()
    return known[key]


def _scores(item: Sequence[str], progress: Progress) -> dict[str, Any]:
    spec, at = item
    game = find_game(spec)
    assert isinstance(game, Yahtzee)
    return asdict(scores_of(game, game.parse(at), progress))


def _by_thumb(item: Sequence[str], progress: Progress) -> dict[str, Any]:
    spec, name, at = item
    game = find_game(spec)
    assert isinstance(game, Yahtzee)
    policy = game.heuristic(name)
    assert policy is not None
    return asdict(policy_scores(game, policy, game.parse(at), by_boxes=name in game.by_boxes, progress=progress))


def _targets(item: Sequence[Any], progress: Progress) -> list[float]:
    """The best chance of each final score, from what the card holds on."""
    spec, at, most = item
    game = find_game(spec)
    assert isinstance(game, Yahtzee)
    more = most - (points_held(game, at) or 0)
    found: list[float] = best_chances(game, more, game.parse(at), progress).tolist() if more > 0 else [1.0]
    return found


class _Told:
    """The distributions as tables, words and a chart."""

    def __init__(
        self, game: Yahtzee, at: str, aims: Sequence[str], found: dict[str, Scores], best: Sequence[float]
    ) -> None:
        self.game, self.at, self.aims, self.best = game, at, aims, best
        known = points_held(game, at)
        self.held = known or 0
        self.what = "final score" if known is not None else "points from here on"
        self.players = [found[aim] for aim in aims]
        self.plays = [f"play {'by' if aim in game.heuristics else 'for'} {aim}" for aim in aims]
        self.ends = [each.distribution(self.held) for each in self.players]
        mean = found.get("mean")
        self.mean = None if mean is None else mean.distribution(self.held)

    def study(self) -> Study:
        tables = [self._scores(), self._players(), self._boxes()]
        if self.best:
            tables.append(self._targets())
        facts: dict[str, Any] = {"at": self.at or "start", "aims": self.aims, "held": self.held}
        if len(self.ends) == 2:
            facts |= dict(zip(("win", "tie", "lose"), win_chances(*self.ends), strict=True))
        said = self._findings()
        return Study("scores", self.game.spec, tables, said, self._chart(said), facts)

    # ---- tables

    def _scores(self) -> Table:
        low = int(min(min(end) for end in self.ends))
        high = int(max(max(end) for end in self.ends))
        scores = range(low, high + 1)
        columns: dict[str, Sequence[Any]] = {"score": list(scores)}
        for number, end in enumerate(self.ends):
            more = f"_{number + 1}" if number else ""
            columns[f"chance{more}"] = [float(end.probability(score)) for score in scores]
            columns[f"at_least{more}"] = _at_least(end, low, high)
        first = min(int(end.quantile(0.002)) for end in self.ends)
        last = max(int(end.quantile(0.998)) for end in self.ends)
        step = next(step for step in (1, 2, 5, 10, 20, 25, 50, 100, 200, 500) if (last - first) // step < 16)
        brief = [score - low for score in range(-(-first // step) * step, last + 1, step) if low <= score <= high]
        shown = {name: "{}" if name == "score" else "{:.6f}" for name in columns}
        return Table("scores", f"{self.what}, {_both(self.plays)}", columns, shown, brief)

    def _players(self) -> Table:
        ends = self.ends
        columns: dict[str, Sequence[Any]] = {
            "aim": self.aims,
            "mean": [float(end.mean()) for end in ends],
            "sd": [end.sd() for end in ends],
        }
        columns |= {name: [int(end.quantile(share)) for end in ends] for name, share in QUANTILES.items()}
        columns |= {
            "bonus": [each.bonus for each in self.players],
            "further_yahtzees": [each.further for each in self.players],
            "yahtzees": [each.yahtzees for each in self.players],
            "doubt": [each.doubt for each in self.players],
        }
        shown = {"aim": "{}", "mean": "{:.4f}", "sd": "{:.4f}", **dict.fromkeys(QUANTILES, "{}")}
        return Table("players", "mean, standard deviation and quantiles", columns, shown)

    def _boxes(self) -> Table:
        columns: dict[str, Sequence[Any]] = {"box": self.players[0].boxes}
        for number, each in enumerate(self.players):
            more = f"_{number + 1}" if number else ""
            columns[f"mean{more}"] = each.means
            columns[f"zero{more}"] = each.zeros
        shown = {name: "{}" if name == "box" else "{:.5f}" for name in columns}
        return Table("boxes", "what each box will hold on average, and how likely that is nothing", columns, shown)

    def _targets(self) -> Table:
        assert self.mean is not None
        targets = [self.held + made for made in range(len(self.best))]
        by_mean = _at_least(self.mean, targets[0], targets[-1])
        columns: dict[str, Sequence[Any]] = {"target": targets, "best": list(self.best), "mean_play": by_mean}
        columns["gain"] = [max(one - two, 0.0) for one, two in zip(self.best, by_mean, strict=True)]
        step = next(step for step in (1, 2, 5, 10, 20, 25, 50, 100, 200, 500) if len(targets) // step < 20)
        brief = [at for at, target in enumerate(targets) if target % step == 0]
        shown = {"target": "{}", "best": "{:.8f}", "mean_play": "{:.8f}", "gain": "{:.8f}"}
        return Table(
            "targets", "the best chance to reach a target, beside that of play for the mean", columns, shown, brief
        )

    # ---- words

    def _findings(self) -> list[str]:
        where = "From this card on" if self.at else "From the start"
        said = []
        for aim, play, end, each in zip(self.aims, self.plays, self.ends, self.players, strict=True):
            median, low, high = (int(end.quantile(share)) for share in (0.5, 0.05, 0.95))
            said.append(
                f"{where}, {play} makes {float(end.mean()):.4f} points on average, standard deviation "
                f"{end.sd():.4f}; half of the games make {median} or less, nine of ten {low} to {high}."
            )
            if each.bonus is not None:
                said.append(f"It has the bonus of the upper section with a chance of {each.bonus:.8f}.")
            if self.game.extra_pays:
                said.append(f"{each.further:.6f} further Yahtzees pay extra, on average.")
            if ":" in aim:
                target = replace(self.game, aim=aim).target
                said.append(
                    f"It reaches {target} with a chance of {float(end.at_least(target)):.8f}; then, or out of reach, "
                    "it plays for the mean."
                )
        if len(self.ends) == 2:
            win, tie, lose = win_chances(*self.ends)
            said.append(
                "Of two players who do not look at each other's card the first has more points with a chance of "
                f"{win:.8f}, as many with {tie:.8f}, fewer with {lose:.8f}."
            )
        if self.best:
            said += self._on_targets()
        return said

    def _on_targets(self) -> list[str]:
        table = self._targets()
        rows = list(table.rows())
        most = max(rows, key=lambda row: row["gain"])
        said = [
            f"To play for the target gains most at {most['target']}: {most['best']:.6f} instead of "
            f"{most['mean_play']:.6f}."
        ]
        assert self.mean is not None
        first, last = rows[0]["target"], rows[-1]["target"]
        if float(self.mean.at_least(last)) < SURE:
            beats = sum(float(chance) * self.best[int(score) + 1 - first] for score, chance in self.mean.items()
                        if score < last)  # fmt: skip
            said.append(
                "Somebody who has the same card, knows what play for the mean has made, and plays to beat it, does so "
                f"with a chance of {beats:.8f}."
            )
        return said

    # ---- the chart

    def _chart(self, said: Sequence[str]) -> Chart:
        low = min(int(end.quantile(0.0005)) for end in self.ends)
        high = max(int(end.quantile(0.9995)) for end in self.ends)
        xs = [float(score) for score in range(low, high + 1)]
        each = [
            Series(aim, xs, [float(end.probability(score)) for score in range(low, high + 1)], "steps")
            for aim, end in zip(self.aims, self.ends, strict=True)
        ]
        reach = [
            Series(play, xs, _at_least(end, low, high), group=aim)
            for aim, play, end in zip(self.aims, self.plays, self.ends, strict=True)
        ]
        if self.best:
            targets = [self.held + made for made in range(len(self.best))]
            inside = [at for at, target in enumerate(targets) if low <= target <= high]
            reach.append(
                Series("play for each target", [float(targets[at]) for at in inside], [self.best[at] for at in inside])
            )
        panels: list[Panel] = [
            Plane("", self.what, "chance", each),
            Plane("", self.what, "chance of so many points or more", reach),
        ]
        boxes = self.players[0]
        if boxes.boxes:
            notes = [f"{mean:.2f}, nothing {zero:.1%}" for mean, zero in zip(boxes.means, boxes.zeros, strict=True)]
            panels.append(Bars("", f"mean of each box, {self.plays[0]}", boxes.boxes, boxes.means, notes=notes))
        title = f"How games of yahtzee end, {_both(self.plays)}"
        return Chart(title, panels, [self.game.spec, *said, f"dicewise {__version__}"], " ".join(said))


def _both(plays: Sequence[str]) -> str:
    """`play for mean and reach:250`, `play for mean and by alike`."""
    first, *others = plays
    kind = first.rpartition(" ")[0] + " "
    return " and ".join([first, *(other.removeprefix(kind).removeprefix("play ") for other in others)])


def _at_least(end: Distribution, low: int, high: int) -> list[float]:
    """The chance of each score from `low` to `high`, or more."""
    total = float(end.at_least(high + 1))
    found = []
    for score in range(high, low - 1, -1):
        total += float(end.probability(score))
        found.append(total)
    return found[::-1]
