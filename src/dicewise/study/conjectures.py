"""What the papers on Greed suppose, held against every state of a grid of rulesets in exact arithmetic.

The guide supposes that in a last turn the payoff falls with the number of dice n once their mean passes half-way
(conjecture 1), that it has one peak (conjecture 2), and builds an algorithm on it. The policy paper supposes one peak,
too, says how the best n of neighbouring states compare, and bounds it by n_max = ceil(2 (M - a) / (s + 1)). What each
claim says, and how it is checked, is in `claims`; here the answers of all dice are added up.

Dice and payoffs are checked once, for the largest maximum; smaller ones have the same states (`curves`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dicewise._version import __version__
from dicewise.chart import Bars, Chart, Panel, Plane, Series
from dicewise.errors import InputError
from dicewise.games.greed import Greed
from dicewise.study.claims import Bounds, check_one_die
from dicewise.study.result import Study, Table, whole
from dicewise.study.rulesets import Rulesets, recipe_of, two_player_greed
from dicewise.study.work import Work

MOST = 400
"""The largest maximum; it takes about a minute for each die, and twice the maximum takes twenty times as long."""

CLAIMS = {
    ("last", "conjecture 1"): "conjecture 1: falls above half-way",
    ("last", "conjecture 1, strictly"): "conjecture 1, strictly",
    ("last", "conjecture 2"): "conjecture 2: one peak",
    ("last", "conjecture 2, strictly"): "conjecture 2, strictly",
    ("last", "search from n0 up, as printed"): "guide's algorithm, as printed",
    ("last", "search from n0, both ways"): "guide's algorithm, both ways",
    ("last", "search n0 and n0 - 1"): "n0 or n0 - 1 is best",
    ("last", "n rises with q"): "n rises with q",
    ("last", "n rises as a falls"): "n rises as a falls",
    ("last", "largest n rises with q"): "largest n rises with q",
    ("last", "largest n rises as a falls"): "largest n rises as a falls",
    ("last", "as printed, n falls with q"): "n falls with q, as printed",
    ("last", "as printed, n falls as a falls"): "n falls as a falls, as printed",
    ("last", "search warm start"): "warm start finds the best",
    ("last", "no more than n_max"): "no n above n_max is better",
    ("last", "no more than nearest"): "no n above nearest is better",
    ("normal", "one peak"): "one peak among the rolls",
    ("normal", "one peak, strictly"): "one peak, strictly",
    ("normal", "search from 1 to the first fall"): "stop at the first fall finds the best",
    ("normal", "no more than n_max"): "no n above n_max is better",
    ("normal", "no more than floor"): "no n above floor is better",
}
"""By turn and name, as people read it."""

SEARCHES = (
    ("last", "all up to n_max"),
    ("last", "all up to nearest"),
    ("last", "from 0 to the first fall"),
    ("last", "from n0, both ways"),
    ("last", "warm start"),
    ("last", "n0 and n0 - 1"),
    ("normal", "all up to n_max"),
    ("normal", "all up to floor"),
    ("normal", "from 1 to the first fall"),
)


@dataclass(frozen=True)
class Dice:
    """The rulesets that differ in nothing but the maximum, and what was found about them."""

    game: Greed
    """That with the largest maximum."""
    maxes: tuple[int, ...]
    found: dict[str, dict[str, Any]] = dataclasses.field(default_factory=dict)
    """By turn."""

    @property
    def name(self) -> str:
        rules = self.game
        extra = [] if (rules.win, rules.tie, rules.lose) == (1, 0, -1) else [f"{rules.win}/{rules.tie}/{rules.lose}"]
        return " ".join([rules.die or str(rules.sides), *extra])


def conjectures(rulesets: Rulesets, *, work: Work | None = None) -> Study:
    """Every claim over all rulesets: how many states were checked, and what speaks against it."""
    work = work or Work()
    games = two_player_greed(rulesets.games, "conjectures")
    if (largest := max(game.max for game in games)) > MOST:
        raise InputError(f"max {largest} is too large for exact arithmetic over all states; at most {MOST}")
    every = _check(_by_dice(games), work)
    searches = _searches(every)
    tables = [_claims(every), searches, _dice(every), _rooms(every)]
    states = sum((top + 1) ** 2 for dice in every for top in dice.maxes)
    facts = {"rulesets": len(games), "kinds_of_dice": len(every), "last_turns": states, "normal_states": states}
    findings = [*_findings(every, searches, facts)]
    return Study(
        "conjectures", rulesets.text, tables, findings, _chart(every, searches, rulesets.text, findings), facts
    )


def _by_dice(games: Sequence[Greed]) -> list[Dice]:
    """Rulesets with the same dice and payoffs, in the order in which they were given."""
    found: dict[Greed, list[int]] = {}
    for game in games:
        found.setdefault(dataclasses.replace(game, max=1), []).append(game.max)
    return [Dice(dataclasses.replace(game, max=max(maxes)), tuple(sorted(maxes))) for game, maxes in found.items()]


def _check(every: list[Dice], work: Work) -> list[Dice]:
    items = [
        [turn, recipe_of(dice.game) or dice.game.spec, list(dice.maxes)]
        for turn in ("normal", "last")  # the heavy ones first
        for dice in every
    ]
    answers = work.map(check_one_die, items, f"checking {len(every)} kinds of dice")
    both = zip(every, answers[: len(every)], answers[len(every) :], strict=True)
    return [dataclasses.replace(dice, found={"normal": normal, "last": last}) for dice, normal, last in both]


# ---- tables


def _added_up(every: Sequence[Dice], turn: str, claim: str) -> dict[str, Any]:
    """One claim over all dice; the first exception is that with the smallest maximum, then in the order of the dice."""
    parts = [(dice, dice.found[turn]["claims"].get(claim)) for dice in every]
    known = [(number, dice, part) for number, (dice, part) in enumerate(parts) if part is not None]
    total = {name: sum(part[name] for *_, part in known) for name in ("checked", "exceptions", "evaluations")}
    firsts = [(part["first"]["at"][0], number, dice, part["first"]) for number, dice, part in known if part["first"]]
    worst = max(known, key=lambda each: Fraction(each[2]["loss"]), default=None)
    first = min(firsts, key=lambda each: each[:2], default=None)
    found: dict[str, Any] = {**total, "loss": Fraction(0), "worst": None, "first": None}
    if first is not None:
        found["first"] = (first[2], first[3])
    if worst is not None and worst[2]["worst"]:
        found |= {"loss": Fraction(worst[2]["loss"]), "worst": (worst[1], worst[2]["worst"])}
    return found


def _place(case: tuple[Dice, dict[str, Any]] | None) -> str | None:
    """As in `(6,2) at 0 0`."""
    if case is None:
        return None
    dice, found = case
    return f"({found['at'][0]},{dice.name}) at {' '.join(map(str, found['at'][1:]))}"


def _claims(every: Sequence[Dice]) -> Table:
    rows = []
    for (turn, name), words in CLAIMS.items():
        found = _added_up(every, turn, name)
        case = found["first"][1] if found["first"] else {}
        rows.append(
            {
                "claim": words,
                "turn": turn,
                "checked": found["checked"],
                "exceptions": found["exceptions"],
                "first": _place(found["first"]),
                "to": " ".join(map(str, case["to"])) if "to" in case else None,
                "dice": "|".join(map(str, case["dice"])) if case else None,
                "values": "|".join(case["values"]) if "values" in case else None,
                "loss": found["loss"],
                "loss_at": _place(found["worst"]),
            }
        )
    shown = {"claim": "{}", "turn": "{}", "checked": "{:,}", "exceptions": "{:,}", "first": "{}"}
    title = "claims, checked in so many states (or pairs); the first exception: (max,dice) at a q"
    return Table("claims", title, {name: [row[name] for row in rows] for name in rows[0]}, shown)


def _searches(every: Sequence[Dice]) -> Table:
    columns: dict[str, list[Any]] = {"search": [], "turn": [], "evaluations": [], "per_state": [], "share": []}
    columns |= {"missed": [], "loss": []}
    # who is ahead in a last turn stands, and needs no search
    states = {"last": sum((top + 1) * (top + 2) // 2 for dice in every for top in dice.maxes)}
    states["normal"] = sum((top + 1) ** 2 for dice in every for top in dice.maxes)
    everything: dict[str, int] = {}
    for turn, name in SEARCHES:
        found = _added_up(every, turn, f"search {name}")
        looked = found["evaluations"]
        whole = everything.setdefault(turn, looked)
        row = (name, turn, looked, looked / states[turn], looked / whole, found["exceptions"], found["loss"])
        for column, value in zip(columns.values(), row, strict=True):
            column.append(value)
    shown = {"search": "{}", "turn": "{}", "evaluations": "{:,}", "per_state": "{:.2f}", "share": "{:.1%}"}
    shown |= {"missed": "{:,}", "loss": "{:.4f}"}
    return Table("searches", "how many n a search looks at (last turns: of those not ahead)", columns, shown)


def _dice(every: Sequence[Dice]) -> Table:
    rows = []
    for dice in every:
        last, normal = dice.found["last"], dice.found["normal"]
        printed = last["claims"].get("search from n0 up, as printed", {"checked": 0, "exceptions": 0})
        rows.append(
            {
                "dice": dice.name,
                "rulesets": len(dice.maxes),
                "states": sum((top + 1) ** 2 for top in dice.maxes),
                "c_n_max": dice.game.sides if not dice.game.die else None,
                "c_last": _number(last["c"]),
                "c_normal": _number(normal["c"]),
                "printed_missed": printed["exceptions"],
                "printed_checked": printed["checked"],
                "two_peaks": normal["claims"]["one peak"]["exceptions"],
                "fall_missed": normal["claims"]["search from 1 to the first fall"]["exceptions"],
            }
        )
    shown = {"dice": "{}", "states": "{:,}", "c_n_max": "{}", "c_last": "{}", "c_normal": "{}"}
    shown |= {"printed_missed": "{:,}", "two_peaks": "{:,}"}
    title = "the smallest c with which max(1, floor((2(M-a) + c) / (s+1))) bounds the best n"
    return Table("dice", title, {name: [row[name] for row in rows] for name in rows[0]}, shown)


def _number(text: str | None) -> int | Fraction | None:
    if text is None:
        return None
    return whole(Fraction(text))


def _rooms(every: Sequence[Dice]) -> Table:
    columns: dict[str, list[Any]] = {name: [] for name in ("dice", "room", "n_max", "nearest", "floor")}
    columns |= {"best_last": [], "best_normal": []}
    brief = []
    pictured = _pictured(every)
    for dice in every:
        bounds = Bounds(dice.game)
        rooms = range(dice.game.max + 1)
        shown = {round(at * dice.game.max / 6) for at in range(1, 7)} if dice is pictured else set()
        for room, last, normal in zip(
            rooms, dice.found["last"]["largest"], dice.found["normal"]["largest"], strict=True
        ):
            if room in shown:
                brief.append(len(columns["room"]))
            row = (dice.name, room, bounds.n_max(room), bounds.nearest(room), bounds.floor(room), last, normal)
            for column, value in zip(columns.values(), row, strict=True):
                column.append(value)
    title = "by room M - a: bounds, and the largest best n over all scores of the other"
    return Table("rooms", title, columns, dict.fromkeys(columns, "{}"), brief)


def _pictured(every: Sequence[Dice]) -> Dice:
    """The dice that people know best, or else those in the middle."""
    return next((dice for dice in every if dice.name == "6"), every[len(every) // 2])


# ---- words


def _findings(every: Sequence[Dice], searches: Table, facts: dict[str, Any]) -> Iterator[str]:
    def holds(turn: str, name: str, what: str) -> str:
        found = _added_up(every, turn, name)
        if not found["exceptions"]:
            return f"{what} holds in all {found['checked']:,}"
        return f"{what} fails in {found['exceptions']:,} of {found['checked']:,}, first {_case(found['first'])}"

    tops = sorted({top for dice in every for top in dice.maxes})
    rulesets = f"{facts['rulesets']:,} rulesets" if facts["rulesets"] > 1 else "One ruleset"
    yield (
        f"{rulesets} of {f'max {tops[0]} to {tops[-1]}' if len(tops) > 1 else f'max {tops[0]}'}: "
        f"{facts['last_turns']:,} last turns and as many normal states, checked in whole numbers, nothing rounded. "
        "What holds in all of them is evidence for others, not a proof."
    )
    yield f"{holds('last', 'conjecture 1', 'Conjecture 1')}; {holds('last', 'conjecture 2', 'conjecture 2')}."
    printed = _added_up(every, "last", "search from n0 up, as printed")
    if printed["exceptions"]:
        yield (
            "The guide's algorithm as printed goes up from n0, the first n with its mean above half-way. It misses the "
            f"best n in {printed['exceptions']:,} of the {printed['checked']:,} states that are not set apart "
            f"({printed['exceptions'] / printed['checked']:.1%}), by up to {float(printed['loss']):.4f} "
            f"{_case(printed['worst'])}."
        )
    yield f"{holds('last', 'search from n0, both ways', 'Going down from n0 as well finds it: this')}."
    yield f"{holds('last', 'search n0 and n0 - 1', 'n0 or n0 - 1 is best, so that two evaluations do: this')}."
    for way, when in (("with q", "when q grows"), ("as a falls", "when a falls")):
        yield (
            f"{holds('last', f'n rises {way}', f'The best n of a last turn never falls {when}: this')}; "
            f"{holds('last', f'as printed, n falls {way}', 'the printed direction')}."
        )
    for turn, turns, tighter, how in (
        ("last", "a last turn", "nearest", "to the nearest whole number"),
        ("normal", "a normal state", "floor", "down"),
    ):
        yield (
            f"{holds(turn, 'no more than n_max', f'No n above n_max is better in {turns}: this')}; with 2(M-a)/(s+1) "
            f"rounded {how}, at least 1, {holds(turn, f'no more than {tighter}', 'it')}."
        )
    yield f"{holds('normal', 'one peak', 'One peak among the rolls of a normal state')}."
    stop = _added_up(every, "normal", "search from 1 to the first fall")
    if stop["exceptions"]:
        yield (
            f"There, stopping at the first fall misses the best in {stop['exceptions']:,} states, by up to "
            f"{float(stop['loss']):.4f}."
        )
    named = zip(searches.columns["turn"], searches.columns["search"], strict=True)
    cost = {at[1]: each for at, each in zip(named, searches.columns["per_state"], strict=True) if at[0] == "last"}
    yield (
        f"In a last turn, all n up to n_max are {cost['all up to n_max']:.2f} evaluations a state, stopping at the "
        f"first fall {cost['from 0 to the first fall']:.2f}, a warm start from neighbours {cost['warm start']:.2f}, "
        f"n0 and n0 - 1 {cost['n0 and n0 - 1']:.2f}."
    )
    if any(dice.game.die for dice in every):
        yield (
            "The conjectures, the algorithm and n_max speak of fair dice. For other dice their mean takes the place of "
            "(s+1)/2, and nothing is promised: dicewise itself looks at all n that may fit."
        )


def _case(case: tuple[Dice, dict[str, Any]]) -> str:
    """An exception with its numbers."""
    found = case[1]
    if "to" in found:
        here, there = found["dice"]
        return f"in {_place(case)}, where {here} is best, and {there} at {' '.join(map(str, found['to']))}"
    worth = zip(found["dice"], found["values"], strict=True)
    options = [f"{n} {'die' if n == 1 else 'dice'} {_short(value)}" for n, value in worth]
    return f"in {_place(case)} ({', '.join(options)})"


def _short(value: str) -> str:
    return value if len(value) <= 12 else f"{float(Fraction(value)):.6g}"


# ---- the picture


def _chart(every: Sequence[Dice], searches: Table, text: str, findings: Sequence[str]) -> Chart:
    dice = _pictured(every)
    bounds, rooms = Bounds(dice.game), range(dice.game.max + 1)
    reached = [
        Series("n_max", rooms, [bounds.n_max(room) for room in rooms], kind="steps"),
        Series("last turns", rooms, dice.found["last"]["largest"], kind="steps"),
        Series("normal states", rooms, dice.found["normal"]["largest"], kind="steps"),
    ]
    every_room = range(max(each.game.max for each in every) + 1)
    slack = [
        Series(words, every_room, [_unused(every, turn, room) for room in every_room])
        for turn, words in (("last", "last turns"), ("normal", "normal states"))
    ]
    names = [f"{name} ({turn})" for turn, name in SEARCHES]
    per_state = searches.columns["per_state"]
    title = f"dice {dice.name}" if dice.game.die else f"{dice.game.sides} sides"
    panels: list[Panel] = [
        Plane(f"Bound, and the largest best n, {title}", "room M - a", "number of dice", reached),
        Plane("What n_max leaves unused, mean over all dice", "room M - a", "n_max less the largest best n", slack),
        Bars("Work of a search", "evaluations per state", names, per_state, notes=[f"{x:.2f}" for x in per_state]),
    ]
    caption = [text, " ".join(findings[:2]), f"dicewise {__version__}"]
    return Chart("How tight the bound n_max is", panels, caption, " ".join(findings))


def _unused(every: Sequence[Dice], turn: str, room: int) -> float:
    """How many of the numbers of dice up to n_max are never best with this room, on average over the dice."""
    each = [
        Bounds(dice.game).n_max(room) - dice.found[turn]["largest"][room] for dice in every if dice.game.max >= room
    ]
    return float(sum(each) / len(each))
