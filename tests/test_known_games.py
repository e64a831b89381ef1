"""Well-known games written as rules, against answers worked out here by other means.

The answers in decimals are in published.toml; here every game is held against a formula, a linear system or a
recurrence of its own, in fractions where they stay short.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import known_games
from dicewise import check_game, find_game, solve

EXAMPLES = Path(__file__).parents[1] / "examples"
RACE, SHUT_THE_BOX = str(EXAMPLES / "race.py:Race"), str(EXAMPLES / "shut_the_box.py:ShutTheBox")


def solved_linear(rows: list[list[Fraction]]) -> list[Fraction]:
    """x with A x = b, for rows (A | b), by elimination."""
    size = len(rows)
    for at in range(size):
        pivot = next(row for row in range(at, size) if rows[row][at])
        rows[at], rows[pivot] = rows[pivot], rows[at]
        rows[at] = [entry / rows[at][at] for entry in rows[at]]
        for row in range(size):
            if row != at and (factor := rows[row][at]):
                rows[row] = [x - factor * y for x, y in zip(rows[row], rows[at], strict=True)]
    return [row[-1] for row in rows]


@pytest.mark.parametrize(
    "game",
    [
        known_games.ChutesAndLadders(),
        known_games.Craps(),
        known_games.Risk(6, 5),
        known_games.Secretary(7),
        known_games.Hog(12, 3),
        find_game(RACE, target="12"),
        find_game(SHUT_THE_BOX, tiles="7", one_die="6"),
    ],
    ids=lambda game: game.name,
)
def test_rules_are_in_order(game: Any) -> None:
    report = check_game(game)
    assert not report.problems
    assert report.complete


def test_chutes_and_ladders() -> None:
    """Expected turns t solve t(square) = 1 + mean over spins of t(next), t(100) = 0."""
    board = known_games.LADDERS | known_games.CHUTES
    squares = [square for square in range(100) if square not in board]
    rows = []
    for square in squares:
        row = [Fraction(int(other == square)) for other in squares] + [Fraction(1)]
        for spin in range(1, 7):
            to = square + spin if square + spin <= 100 else square
            to = board.get(to, to)
            if to < 100:
                row[squares.index(to)] -= Fraction(1, 6)
        rows.append(row)
    turns = solved_linear(rows)[0]
    assert float(turns) == pytest.approx(39.22512231, abs=5e-9)
    game = known_games.ChutesAndLadders()
    assert solve(game, exact=True).value(0) == -turns
    assert solve(game).value(0) == pytest.approx(-float(turns), rel=1e-12)


def test_craps() -> None:
    ways = {total: 6 - abs(total - 7) for total in range(2, 13)}
    won = Fraction(ways[7] + ways[11], 36)
    for point in (4, 5, 6, 8, 9, 10):
        won += Fraction(ways[point], 36) * Fraction(ways[point], ways[point] + ways[7])
    assert won == Fraction(244, 495)
    game = known_games.Craps()
    assert solve(game, exact=True).value(game.start()) == won
    assert solve(game).value(game.start()) == pytest.approx(float(won), abs=1e-13)


@pytest.mark.parametrize(("armies", "chance"), [(3, 0.470251), (5, 0.506203), (10, 0.567593)])
def test_risk(armies: int, chance: float) -> None:
    """By counting the rolls of up to five dice one by one."""

    @cache
    def losses(attack: int, defence: int) -> dict[int, int]:
        """How many rolls cost the defender so many armies."""
        counted: dict[int, int] = {}
        for roll in product(range(1, 7), repeat=attack + defence):
            duels = zip(sorted(roll[:attack])[::-1], sorted(roll[attack:])[::-1], strict=False)
            won = sum(a > d for a, d in duels)
            counted[won] = counted.get(won, 0) + 1
        return counted

    @cache
    def wins(attackers: int, defenders: int) -> Fraction:
        if not (attackers and defenders):
            return Fraction(int(defenders == 0))
        attack, defence = min(3, attackers), min(2, defenders)
        lost = min(attack, defence)
        counted = losses(attack, defence)
        chances = (ways * wins(attackers - (lost - won), defenders - won) for won, ways in counted.items())
        return sum(chances, Fraction(0)) / sum(counted.values())

    game = known_games.Risk(armies, armies)
    assert float(wins(armies, armies)) == pytest.approx(chance, abs=5e-7)
    assert solve(game, exact=True).value(game.start()) == wins(armies, armies)
    assert solve(game).value(game.start()) == pytest.approx(float(wins(armies, armies)), abs=1e-13)


@pytest.mark.parametrize("count", [1, 2, 3, 10, 25])
def test_secretary(count: int) -> None:
    """Let r - 1 go by and take the next that is best so far: (r - 1) / n * sum of 1 / (i - 1) for i from r to n."""

    def chance(r: int) -> Fraction:
        if r == 1:
            return Fraction(1, count)
        return Fraction(r - 1, count) * sum(Fraction(1, i - 1) for i in range(r, count + 1))

    best = max(chance(r) for r in range(1, count + 1))
    game = known_games.Secretary(count)
    assert solve(game, exact=True).value(game.start()) == best
    assert solve(game).value(game.start()) == pytest.approx(float(best), abs=1e-13)
    if count == 10:
        assert float(best) == pytest.approx(0.398690476, abs=5e-10)


def hog_turns(target: int, most: int, number: type) -> Any:
    """V(s) = min over n of (1 + sum over totals t of P(n, t) V(s + t)) / (1 - P(a 1 among n))."""
    shown: list[dict[int, int]] = [{0: 1}]  # ways to a total with n dice, none a 1
    for _ in range(most):
        more: dict[int, int] = {}
        for total, ways in shown[-1].items():
            for face in range(2, 7):
                more[total + face] = more.get(total + face, 0) + ways
        shown.append(more)
    value = {score: number(0) for score in range(target, target + 6 * most + 1)}
    for score in range(target - 1, -1, -1):
        value[score] = min(
            (number(6**n) + sum(ways * value[score + total] for total, ways in shown[n].items())) / number(5**n)
            for n in range(1, most + 1)
        )
    return value[0]


def test_hog_alone() -> None:
    assert solve(known_games.Hog(20, 6), exact=True).value(0) == -hog_turns(20, 6, Fraction)
    turns = hog_turns(100, 30, float)
    assert turns == pytest.approx(13.038905501, abs=1e-9)
    assert solve(known_games.Hog()).value(0) == pytest.approx(-turns, rel=1e-12)


def race_of_two(target: int, number: type) -> Any:
    """The chance of player 2 in Problem 232 of Project Euler. With player 1 to move at (a, b) it is x, with player 2 to
    move and T coins y, where x = (y(a+1, b) + y) / 2 and y = p x(a, b + 2^(T-1)) + (1 - p) x with p = 2^-T. Both at
    once: y (1 + p) / 2 = p x(a, b + 2^(T-1)) + (1 - p) y(a+1, b) / 2; the best T gives the largest y."""
    x: dict[tuple[int, int], Any] = {}
    y: dict[tuple[int, int], Any] = {}
    half = number(1) / 2
    for b in range(target - 1, -1, -1):
        for a in range(target - 1, -1, -1):
            above = number(0) if a + 1 == target else y[a + 1, b]
            options = []
            for coins in range(1, target.bit_length() + 2):
                p, reached = half**coins, b + 2 ** (coins - 1)
                won = number(1) if reached >= target else x[a, reached]
                options.append((p * won + (1 - p) * half * above) / ((1 + p) * half))
            y[a, b] = max(options)
            x[a, b] = (above + y[a, b]) * half
    return x[0, 0]


def test_project_euler_232() -> None:
    small = find_game(RACE, target="7")
    assert solve(small, exact=True).values(small.start())[1] == race_of_two(7, Fraction)
    game = find_game(RACE)
    chance = race_of_two(100, float)
    assert chance == pytest.approx(0.8364855558, abs=5e-11)
    assert solve(game).values(game.start())[1] == pytest.approx(chance, abs=1e-11)


@pytest.mark.parametrize(("one_die", "chance"), [(0, 0.0714316), (6, 0.0976137)])
def test_shut_the_box(one_die: int, chance: float) -> None:
    """Folding by the smallest tile that goes: which tiles add up to a total, found one tile at a time."""

    def folds(up: frozenset[int], total: int) -> list[frozenset[int]]:
        if total == 0:
            return [up]
        rest = [tile for tile in sorted(up) if tile <= total]
        return [left for tile in rest for left in folds(up - {tile}, total - tile)]

    @cache
    def shut(up: frozenset[int]) -> Fraction:
        if not up:
            return Fraction(1)
        rolls = [(a,) for a in range(1, 7)] if sum(up) <= one_die else list(product(range(1, 7), repeat=2))
        best = (max(map(shut, folds(up, sum(roll))), default=Fraction(0)) for roll in rolls)
        return sum(best, Fraction(0)) / len(rolls)

    game = find_game(SHUT_THE_BOX, one_die=str(one_die))
    exact = shut(frozenset(range(1, 10)))
    assert float(exact) == pytest.approx(chance, abs=5e-8)
    assert solve(game, exact=True).value(game.start()) == exact
    assert solve(game).value(game.start()) == pytest.approx(float(exact), abs=1e-13)
