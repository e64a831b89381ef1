"""What is claimed about the curves of Greed, payoff against the number of dice, each claim held against every state.

States are taken by their rooms r = M - a and o = M - q (see `curves`), so one table serves all maximums of a grid; a
pair of rooms stands for as many states as there are maximums of max(r, o) or more. With m the mean of one die:

- half-way: n0 is the smallest n whose mean lies above it, a + n m > (q + M) / 2, that is 2 n m > 2 r - o;
- the papers' bound is n_max = ceil(r / m); beside it stand r / m rounded to the nearest whole number (half up), and
  floor(r / m), both at least 1;
- the smallest c with n* <= max(1, floor((2 r + c) / (2 m))) for every best n* is the largest 2 m n* - 2 r of all n*
  above 1. (n_max is c = s for fair dice.)

A search is a rule that says which numbers of dice to look at, one after the other, in a state; what it finds is the
first of the best among them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from fractions import Fraction
from typing import Any

from dicewise.games import find_game
from dicewise.games.greed import Greed
from dicewise.games.greed.exact import solve_exactly
from dicewise.study.curves import Curve, LastTurns, normal_curves

# ---- one curve


def rise_from(curve: Sequence[int], start: int) -> int | None:
    """The first n, from `start` on, that one more die is better than."""
    return next((n for n in range(start, len(curve) - 1) if curve[n + 1] > curve[n]), None)


def level_from(curve: Sequence[int], start: int, lost: int) -> int | None:
    """The first n, from `start` on, that one more die is as good as, unless everything is lost anyway."""
    return next((n for n in range(start, len(curve) - 1) if curve[n + 1] == curve[n] > lost), None)


def second_rise(curve: Sequence[int], start: int = 0) -> tuple[int, int] | None:
    """Where a curve has two peaks: the last n before the first fall, and the first n after it that one more die is
    better than."""
    fall = next((n for n in range(start, len(curve) - 1) if curve[n + 1] < curve[n]), None)
    rise = None if fall is None else rise_from(curve, fall + 1)
    return None if fall is None or rise is None else (fall, rise)


def climb(curve: Sequence[int], start: int, end: int, step: int = 1) -> list[int]:
    """The numbers that are looked at from `start` towards `end` until the payoff falls."""
    seen = [start]
    for n in range(start + step, end + step, step):
        seen.append(n)
        if curve[n] < curve[n - step]:
            break
    return seen


# ---- one die


class Bounds:
    """The numbers of dice that follow from a room and the mean of a die."""

    def __init__(self, game: Greed) -> None:
        self.mean = game.dice.mean()

    def half_way(self, room: int, other: int) -> int:
        """The smallest n whose mean lies above half-way between the other's score and the maximum."""
        return max(0, (2 * room - other) // (2 * self.mean) + 1)

    def n_max(self, room: int) -> int:
        return -int(-room // self.mean)

    def nearest(self, room: int) -> int:
        return max(min(room, 1), int((room + self.mean / 2) // self.mean))

    def floor(self, room: int) -> int:
        return max(min(room, 1), int(room // self.mean))

    def excess(self, room: int, n: int) -> Fraction:
        """The c that n needs."""
        return 2 * (self.mean * n - room)


class Tally:
    """How often each claim was checked, and what speaks against it; rooms count once for each maximum that has them."""

    def __init__(self, maxes: Sequence[int], scale: int) -> None:
        self.maxes, self.scale = sorted(maxes), scale
        self.states = [sum(top >= room for top in self.maxes) for room in range(self.maxes[-1] + 1)]
        self.claims: dict[str, dict[str, Any]] = {}

    def check(
        self,
        claim: str,
        rooms: tuple[int, int],
        against: Sequence[int] | None,
        curve: Curve,
        *,
        to: tuple[int, int] | None = None,
        evaluations: int = 0,
    ) -> None:
        """One pair of rooms: `against` are the numbers of dice that speak against the claim, None if nothing does; the
        first of them is the better one. A claim about two states is also about the neighbour `to`, and `against` are
        the best numbers of both."""
        largest = max(*rooms, *(to or ()))
        count = self.states[largest]
        found = self.claims.setdefault(
            claim, {"checked": 0, "exceptions": 0, "evaluations": 0, "first": None, "loss": "0", "worst": None}
        )
        found["checked"] += count
        found["evaluations"] += count * evaluations
        if against is None or not count:
            return
        found["exceptions"] += count
        top = next(top for top in self.maxes if top >= largest)
        where = [top, *(top - room for room in rooms)]
        case: dict[str, Any] = {"at": where, "dice": list(against)}
        if to:
            case["to"] = [top - room for room in to]
        else:
            case["values"] = [str(Fraction(curve[n], self.scale)) for n in against]
            loss = Fraction(curve[against[0]] - curve[against[1]], self.scale)
            if loss > Fraction(found["loss"]):
                found["loss"], found["worst"] = str(loss), case
        # of several, that with the smallest maximum, nearest to the end: the largest a, then the smallest q
        if found["first"] is None or (top, rooms[0], where[2]) < found["order"]:
            found["first"], found["order"] = case, (top, rooms[0], where[2])

    def search(
        self, name: str, rooms: tuple[int, int], seen: Collection[int], curve: Curve, best: int, counted: bool = True
    ) -> None:
        """One search in one state: does it find a best number of dice, and how many does it look at?"""
        found = max(seen, key=lambda n: (curve[n], -n))
        missed = None if curve[found] == curve[best] else (best, found)
        self.check(f"search {name}", rooms, missed, curve, evaluations=len(seen) if counted else 0)


# ---- last turns


def check_last_turns(game: Greed, maxes: Sequence[int]) -> dict[str, Any]:
    """All claims about last turns with one die, over all maximums; the game has the largest of them."""
    top, bounds, turns = game.max, Bounds(game), LastTurns(game)
    tally = Tally(maxes, turns.scale)
    best: dict[tuple[int, int], int] = {}
    most: dict[tuple[int, int], int] = {}
    for room in range(top + 1):
        for other in range(top, -1, -1):
            rooms = room, other
            curve = turns.curve(room, other)
            listed = curve[: game.n_max(top - room) + 1]
            value = max(listed)
            best[rooms] = listed.index(value)
            most[rooms] = max(n for n, worth in enumerate(listed) if worth == value)
            _about_one_last_turn(tally, game, bounds, turns.lost, rooms, curve, best)
    for claim, by_rooms, sign in (
        ("n rises", best, 1),
        ("largest n rises", most, 1),
        ("as printed, n falls", best, -1),
    ):
        _about_neighbours(tally, claim, by_rooms, sign)
    return {"claims": tally.claims, **_tightness(bounds, top, best)}


def _about_one_last_turn(
    tally: Tally,
    game: Greed,
    bounds: Bounds,
    lost: int,
    rooms: tuple[int, int],
    curve: Curve,
    best: dict[tuple[int, int], int],
) -> None:
    room, other = rooms
    n, n0 = best[rooms], bounds.half_way(room, other)

    rise = rise_from(curve, n0)
    tally.check("conjecture 1", rooms, None if rise is None else (rise + 1, rise), curve)
    level = rise if rise is not None else level_from(curve, n0, lost)
    tally.check("conjecture 1, strictly", rooms, None if level is None else (level + 1, level), curve)
    peaks = second_rise(curve)
    tally.check("conjecture 2", rooms, None if peaks is None else (peaks[1] + 1, peaks[1], peaks[0]), curve)
    level = peaks[1] if peaks is not None else level_from(curve, 0, lost)
    tally.check("conjecture 2, strictly", rooms, None if level is None else (level + 1, level), curve)
    _about_bounds(tally, rooms, curve, {"n_max": bounds.n_max, "nearest": bounds.nearest})

    last = min(game.n_max(game.max - room), len(curve) - 1)
    padded = curve + [lost] * max(1, n0 + 2 - len(curve))  # more dice bust for certain
    searches: dict[str, Collection[int]] = {
        "all up to n_max": range(last + 1),
        "all up to nearest": range(min(bounds.nearest(room), last) + 1),
        "from 0 to the first fall": climb(curve, 0, last),
        "warm start": climb(curve, _warm(rooms, best, last), last),
        "from n0, both ways": {*climb(padded, n0, 0, -1), *climb(padded, n0, len(padded) - 1)},
        "n0 and n0 - 1": {max(n0 - 1, 0), n0},
    }
    # the guide sets apart who is ahead and stands, and who wins for certain, with the fewest dice that pass the other;
    # who has reached the maximum has nothing to search for
    sure = -(-(room - other + 1) // game.dice.outcomes[0])
    if room and other <= room < sure * game.dice.outcomes[-1]:
        searches["from n0 up, as printed"] = climb(padded, n0, len(padded) - 1)
    for name, seen in searches.items():
        # nobody needs to search when ahead
        tally.search(name, rooms, seen, padded, n, counted=other <= room)


def _warm(rooms: tuple[int, int], best: dict[tuple[int, int], int], last: int) -> int:
    """Where to begin: what is best with a point more for the mover, or a point less for the other, if known."""
    room, other = rooms
    return min(max(best.get((room - 1, other), 0), best.get((room, other + 1), 0)), last)


def _about_neighbours(tally: Tally, claim: str, best: dict[tuple[int, int], int], sign: int) -> None:
    """Whether the best n goes the claimed way when the other has a point more, and when the mover has one less."""
    for (room, other), n in best.items():
        for way, to in (("with q", (room, other - 1)), ("as a falls", (room + 1, other))):
            if to in best:
                against = (n, best[to]) if sign * (best[to] - n) < 0 else None
                tally.check(f"{claim} {way}", (room, other), against, [], to=to)


# ---- normal states


def check_normal_states(game: Greed, maxes: Sequence[int]) -> dict[str, Any]:
    """All claims about normal states with one die, over all maximums; the game has the largest of them."""
    bounds, solution = Bounds(game), solve_exactly(game)
    lost = int(Fraction(game.lose) * solution.scale)
    tally = Tally(maxes, solution.scale)
    best: dict[tuple[int, int], int] = {}
    for other in range(game.max + 1):
        for room, curve in normal_curves(solution, other):
            rooms = room, other
            last = min(game.n_max(game.max - room), len(curve) - 1)
            n = best[rooms] = max(range(last + 1), key=lambda n: (curve[n], -n))
            # standing hands over another kind of turn: the rolls stand by themselves
            peaks = second_rise(curve, 1)
            tally.check("one peak", rooms, None if peaks is None else (peaks[1] + 1, peaks[1], peaks[0]), curve)
            level = peaks[1] if peaks is not None else level_from(curve, 1, lost)
            tally.check("one peak, strictly", rooms, None if level is None else (level + 1, level), curve)
            _about_bounds(tally, rooms, curve, {"n_max": bounds.n_max, "floor": bounds.floor})
            searches: dict[str, Collection[int]] = {
                "all up to n_max": range(last + 1),
                "all up to floor": range(min(bounds.floor(room), last) + 1),
                "from 1 to the first fall": [0, *(climb(curve, 1, last) if last else ())],
            }
            for name, seen in searches.items():
                tally.search(name, rooms, seen, curve, n)
    return {"claims": tally.claims, **_tightness(bounds, game.max, best)}


# ---- both


def _about_bounds(tally: Tally, rooms: tuple[int, int], curve: Curve, each: dict[str, Callable[[int], int]]) -> None:
    """Whether more dice than a bound are ever better than all up to it."""
    for name, bound in each.items():
        within = min(bound(rooms[0]), len(curve) - 1)
        inside = max(range(within + 1), key=lambda n: (curve[n], -n))
        beyond = max(range(within + 1, len(curve)), key=lambda n: (curve[n], -n), default=inside)
        tally.check(f"no more than {name}", rooms, (beyond, inside) if curve[beyond] > curve[inside] else None, curve)


def _tightness(bounds: Bounds, top: int, best: dict[tuple[int, int], int]) -> dict[str, Any]:
    """By room, the largest of the best n; and the smallest c of all n above 1."""
    largest = [0] * (top + 1)
    for (room, _), n in best.items():
        largest[room] = max(largest[room], n)
    needs = [(bounds.excess(room, n), -room) for room, n in enumerate(largest) if n > 1]
    if not needs:
        return {"largest": largest, "c": None, "c_room": None}
    c, room = max(needs)
    return {"largest": largest, "c": str(c), "c_room": -room}


CHECKS = {"last": check_last_turns, "normal": check_normal_states}


def check_one_die(item: list[Any]) -> dict[str, Any]:
    """One kind of turn, `last` or `normal`, with one die: the ruleset with the largest maximum, and all maximums."""
    turn, recipe, maxes = item
    game = find_game(recipe)
    assert isinstance(game, Greed)
    return CHECKS[turn](game, maxes)
