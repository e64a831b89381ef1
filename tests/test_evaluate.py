"""Policies evaluated: values, lengths and distributions against the rules followed by hand, in fractions."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dicewise import (
    GAMES,
    CyclicError,
    Game,
    Greed,
    InputError,
    LimitError,
    best_response,
    certify,
    check_game,
    evaluate,
    exploitability,
    find_game,
    simulate,
    solve,
    sure,
)
from dicewise.engine import distribution as distributing
from dicewise.engine.distribution import Distribution
from random_policies import endings, mix_of, pay_of, policy_tables, tables
from small_games import Ladder, Nim, Pile, RotatedNim, Table, Walk

# ---- without loops: every play followed to its end


def marginal(ends: dict[Any, Fraction], what: Callable[[Any], Any]) -> dict[Any, Fraction]:
    found: dict[Any, Fraction] = {}
    for end, chance in ends.items():
        found[what(end)] = found.get(what(end), Fraction(0)) + chance
    return found


@settings(max_examples=80, deadline=None)
@given(st.data(), st.booleans())
def test_any_policies(data: st.DataObject, pays: bool) -> None:
    game = data.draw(tables(pays=pays))
    policies = [data.draw(policy_tables(game)) for _ in range(game.players)]
    known: dict[Any, Any] = {}
    ends = endings(game, policies, 0, known)
    exact, fast = evaluate(game, policies, exact=True), evaluate(game, policies)
    right = tuple(sum(chance * totals[p] for (totals, _, _), chance in ends.items()) for p in range(game.players))
    assert exact.values == right
    assert exact.error_bound == 0
    assert exact.moves == sum(chance * moves for (_, moves, _), chance in ends.items())
    assert exact.decisions == sum(chance * decisions for (_, _, decisions), chance in ends.items())
    assert exact.outcomes() == marginal(ends, lambda end: end[0])
    for value, truth in zip(fast.values, right, strict=True):
        assert fast.error_bound is not None
        assert abs(Fraction(value) - truth) <= fast.error_bound <= 1e-11
    assert fast.moves == pytest.approx(float(exact.moves))
    assert fast.decisions == pytest.approx(float(exact.decisions))
    for player in range(game.players):
        shares = marginal(ends, lambda end: end[0][player])  # noqa: B023
        found = exact.distribution(player)
        assert found.chances == shares
        assert list(found) == sorted(found)
        assert found.left_over == 0
        assert found.mean() == right[player]
        rounded = fast.distribution(player)
        assert list(rounded) == pytest.approx([float(total) for total in found])
        assert list(rounded.values()) == pytest.approx([float(chance) for chance in found.values()])
        assert abs(rounded.left_over) < 1e-14
    for state in range(len(game.moves)):
        there = endings(game, policies, state, known)
        worth = tuple(sum(chance * totals[p] for (totals, _, _), chance in there.items()) for p in range(game.players))
        assert exact.values_of(state) == worth
        assert exact.value_of(state) == worth[game.turn(state)]
        assert evaluate(game, policies, state=state, exact=True).values == worth


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_best_responses(data: st.DataObject) -> None:
    """Against everything that the player could do instead, by the rules alone."""
    game = data.draw(tables())
    policies = [data.draw(policy_tables(game)) for _ in range(game.players)]

    def best(player: int, state: int) -> Fraction:
        """The most that the player can get from a state on."""
        actions = game.actions(state)
        if not actions:
            return pay_of(game, game.payoff(state))[player]
        worth = {}
        for action in actions:
            lottery = game.step(state, action)
            total = sum(weight for _, weight, _ in lottery)
            worth[action] = sum(
                Fraction(weight, total) * (pay_of(game, game.reward(state, action, outcome))[player] + best(player, to))
                for outcome, weight, to in lottery
            )
        if game.turn(state) == player:
            return max(worth.values())
        mix = mix_of(policies[game.turn(state)][state]) if len(actions) > 1 else {actions[0]: Fraction(1)}
        return sum((share * worth[action] for action, share in mix.items()), Fraction(0))

    found = exploitability(game, policies, exact=True)
    assert found.values == evaluate(game, policies, exact=True).values
    for player in range(game.players):
        response = best_response(game, policies, player, exact=True)
        most = best(player, 0)
        assert response.value(0) == found.best[player] == most
        assert found.gains[player] == most - found.values[player] >= 0
        assert certify(response, exact=True).proven
        mixed = [*policies[:player], response, *policies[player + 1 :]]
        assert evaluate(game, mixed, exact=True).values[player] == most
        fast = best_response(game, policies, player)
        assert abs(Fraction(fast.value(0)) - most) <= fast.report.error_bound <= 1e-11
    assert found.total == sum(found.gains)
    rounded = exploitability(game, policies)
    assert abs(Fraction(rounded.total) - found.total) <= rounded.error_bound <= 1e-10


# ---- with loops: linear equations, solved by elimination


def eliminate(system: list[list[Fraction]], side: list[Fraction]) -> list[Fraction]:
    """The solution of linear equations, by the schoolbook."""
    rows = [[*row, right] for row, right in zip(system, side, strict=True)]
    for at in range(len(rows)):
        pivot = next(row for row in range(at, len(rows)) if rows[row][at])
        rows[at], rows[pivot] = rows[pivot], rows[at]
        rows[at] = [entry / rows[at][at] for entry in rows[at]]
        for other in range(len(rows)):
            if other != at and rows[other][at]:
                rows[other] = [a - rows[other][at] * b for a, b in zip(rows[other], rows[at], strict=True)]
    return [row[-1] for row in rows]


def expected(game: Table, policies: list[dict[int, Any]], pay: Any, end: Any) -> list[Fraction]:
    """The expected sum of what moves pay and what the end pays, for every state: x = paid + P x."""
    count = len(game.moves)
    system = [[Fraction(int(row == column)) for column in range(count)] for row in range(count)]
    side = [Fraction(0)] * count
    for state in range(count):
        actions = game.actions(state)
        mix = mix_of(policies[game.turn(state)][state]) if len(actions) > 1 else {0: Fraction(1)}
        for action, share in mix.items():
            lottery = game.step(state, action)
            total = sum(weight for _, weight, _ in lottery)
            for outcome, weight, to in lottery:
                chance = share * Fraction(weight, total)
                side[state] += chance * pay(state, action, outcome)
                if to < count:
                    system[state][to] -= chance
                else:
                    side[state] += chance * end(to)
    return eliminate(system, side)


@settings(max_examples=80, deadline=None)
@given(st.data(), st.booleans())
def test_any_policies_where_play_can_come_back(data: st.DataObject, pays: bool) -> None:
    game = data.draw(tables(loops=True, pays=pays))
    policies = [data.draw(policy_tables(game)) for _ in range(game.players)]
    exact, fast = evaluate(game, policies, exact=True), evaluate(game, policies)
    for player in range(game.players):
        worth = expected(
            game,
            policies,
            lambda *move: pay_of(game, game.reward(*move))[player],  # noqa: B023
            lambda end: pay_of(game, game.payoff(end))[player],  # noqa: B023
        )
        assert exact.values[player] == worth[0]
        assert fast.error_bound is not None
        assert abs(Fraction(fast.values[player]) - worth[0]) <= fast.error_bound <= 1e-9
    assert exact.moves == expected(game, policies, lambda *move: 1, lambda end: 0)[0]
    assert exact.decisions == expected(game, policies, lambda s, *_: int(len(game.actions(s)) > 1), lambda end: 0)[0]
    if not pays:
        reached: dict[Any, Fraction] = {}
        for end in range(len(game.moves), len(game.moves) + len(game.ends)):
            chance = expected(game, policies, lambda *move: 0, lambda to: int(to == end))[0]  # noqa: B023
            if chance:
                totals = pay_of(game, game.payoff(end))
                reached[totals] = reached.get(totals, Fraction(0)) + chance
        assert exact.outcomes() == reached
        found = fast.outcomes()
        assert [found[key] for key in sorted(found)] == pytest.approx([float(reached[key]) for key in sorted(reached)])
    for player in range(game.players):
        totals = fast.distribution(player)
        assert abs(totals.left_over) < 1e-12
        assert totals.mean() == pytest.approx(float(exact.values[player]), abs=1e-9)


def test_large_components_go_round_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Gambler(stakes=12, players=1)
    right = evaluate(game, lambda state: 1, exact=True).distribution()
    monkeypatch.setattr(distributing, "MOST_NODES", 3)
    found = evaluate(game, lambda state: 1).distribution()
    assert list(found.values()) == pytest.approx([float(chance) for chance in right.values()])
    assert 0 < found.left_over < 1e-14


@pytest.mark.parametrize("size", [10**6, 10**15, 10**25])
def test_rare_ways_out_are_as_precise_as_any(size: int) -> None:
    """Round and round between two states, out to the one end or the other once in a while, one time in three each."""
    moves = ((0, (((size, 1, 0), (1, 2, 0)),)), (0, (((size, 0, 0), (2, 3, 0)),)))
    game = Table(1, moves, (5, 7))
    exact, found = evaluate(game, {}, exact=True), evaluate(game, {}).distribution()
    assert exact.distribution()[5] == Fraction(2 + size, 2 + 3 * size)
    for total, chance in exact.distribution().items():
        assert abs(Fraction(found[total]) / chance - 1) < Fraction(1, 10**15)


@dataclass(frozen=True)
class Gambler(Game[tuple[int, int], int]):
    """Bet 1 or 2 on a coin until all is lost or won; two players bet in turn from one purse, each a coin of its own.

    With p = 1/3 to win 1 a bet from h of n, the chance to win is (2^h - 1) / (2^n - 1) (the gambler's ruin).
    """

    stakes: int = 6
    players: int = 1

    def start(self) -> tuple[int, int]:
        return (self.stakes // 2, 0)

    def actions(self, state: tuple[int, int]) -> Any:
        return tuple(bet for bet in (1, 2) if bet <= min(state[0], self.stakes - state[0]))

    def step(self, state: tuple[int, int], action: int) -> Any:
        purse, turn = state
        after = (turn + 1) % self.players
        return [("win", 1, (purse + action, after)), ("lose", 2, (purse - action, after))]

    def payoff(self, state: tuple[int, int]) -> Any:
        return 1 if state[0] else 0

    def turn(self, state: tuple[int, int]) -> int:
        return state[1]

    def as_first(self, state: tuple[int, int]) -> tuple[int, int]:
        return (state[0], 0)


def test_the_gamblers_ruin() -> None:
    for players in (1, 2, 3):
        game = Gambler(8, players)
        found = evaluate(game, lambda state: 1, exact=True)
        chance = Fraction(2**4 - 1, 2**8 - 1)
        assert found.values == (chance,) * players
        assert found.distribution().chances == {0: 1 - chance, 1: chance}
        # a drift of -1/3 a bet: from 4 to the end in (4 - 8 * chance) * 3 bets
        assert found.moves == (4 - 8 * chance) * 3
        assert found.states == 7
        apart = evaluate(game, [lambda state: 1 for _ in range(players)], exact=True)
        assert apart.values == found.values
        assert apart.states == (21 if players == 3 else 7)  # with two players the purse tells whose turn it is
    assert evaluate(Gambler(8), lambda state: 1, state=(2, 0), exact=True).values == (Fraction(3, 255),)


@dataclass(frozen=True)
class Pig(Game[tuple[int, int, int, int], str]):
    """Scores, the turn's points (-1 when somebody has won), and whose turn it is; a 1 loses the turn's points."""

    goal: int = 10
    players: int = 2

    def start(self) -> tuple[int, int, int, int]:
        return (0, 0, 0, 0)

    def actions(self, state: tuple[int, int, int, int]) -> Any:
        return () if state[2] < 0 else ("roll", "hold") if state[2] else ("roll",)

    def step(self, state: tuple[int, int, int, int], action: str) -> Any:
        a, b, points, turn = state
        if action == "hold":
            return sure((a + points, b, 0, 1) if turn == 0 else (a, b + points, 0, 0))
        won = [state[turn] + points + face >= self.goal for face in range(7)]
        return [
            (1, 1, (a, b, 0, 1 - turn)),
            *((face, 1, (a, b, -1 if won[face] else points + face, turn)) for face in range(2, 7)),
        ]

    def payoff(self, state: tuple[int, int, int, int]) -> Any:
        return (1, 0) if state[3] == 0 else (0, 1)

    def turn(self, state: tuple[int, int, int, int]) -> int:
        return state[3]

    def as_first(self, state: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
        a, b, points, turn = state
        return state if turn == 0 else (b, a, points, 0)


def test_pig() -> None:
    """To 10 the first player wins 0.709424322598 with the best play; who holds at once is easily beaten."""
    game = Pig()
    solution = solve(game, exact=True)
    best = evaluate(game, solution, exact=True)
    assert float(best.values[0]) == pytest.approx(0.709424322598, abs=1e-12)
    assert best.values == solution.values(game.start())
    assert best.outcomes() == {(0, 1): best.values[1], (1, 0): best.values[0]}
    found = exploitability(game, solution, exact=True)
    assert found.gains == (0, 0)
    timid = exploitability(game, lambda state: "hold", exact=True)
    assert timid.total > Fraction(1, 4)
    met = best_response(game, lambda state: "hold", 1, exact=True)
    played = evaluate(game, [lambda state: "hold", met], exact=True)
    assert played.values[1] == met.value(game.start()) == timid.best[1]
    assert played.distribution(1).probability(1) == played.values[1]
    assert simulate(game, [lambda state: "hold", met], 20_000, 1).within(played.values)


class Dear(Walk):
    """Each step costs 1, so that totals have no end: P(total = -k) is the chance of k steps."""

    def step(self, state: int, action: int) -> Any:
        return [("there", 1, 0), ("back", 1, state)]

    def reward(self, state: int, action: int, outcome: Any) -> int:
        return -1


@pytest.mark.parametrize("exact", [False, True])
def test_totals_without_end(exact: bool) -> None:
    found = evaluate(Dear(), lambda state: 1, exact=exact)
    assert found.values == (-2,)
    totals = found.distribution()
    assert all(totals[-steps] == Fraction(1, 2**steps) for steps in range(1, 50))
    assert len(totals) == 50
    assert totals.left_over == Fraction(1, 2**50) <= distributing.LEFT_OVER
    assert totals.mean() == pytest.approx(-2, abs=1e-12)
    assert isinstance(totals[-1], Fraction if exact else float)


def test_going_round_is_given_up_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distributing, "MOST_WORK", 18)
    found = evaluate(Dear(), lambda state: 1)
    with pytest.raises(
        LimitError, match=r"given up: 0\.002 of the chances still went round among 1 states, and too slo"
    ):
        found.distribution()
    assert found.values == (-2,)


def test_totals_beyond_64_bits() -> None:
    far = 10**30
    moves = (
        (0, (((1, 1, (far, 0)), (1, 1, (0, 1)), (2, 2, (Fraction(1, 7), 1))),)),
        (1, (((1, 2, (far, -far)), (2, 2, (0, 1))),)),
    )
    game = Table(2, moves, ((Fraction(1, 3), 5),))
    known: dict[Any, Any] = {}
    ends = endings(game, [{}, {}], 0, known)
    assert evaluate(game, [{}, {}], exact=True).outcomes() == marginal(ends, lambda end: end[0])
    assert evaluate(game, [{}, {}], exact=True).distribution(1).chances == marginal(ends, lambda end: end[0][1])


def test_equal_totals_are_one_however_they_came_about() -> None:
    """0.1 + 0.2 and 0.2 + 0.1 are the same, though 0.1 + 0.2 is not 0.3."""
    first = (0, (((1, 1, 0.1), (1, 2, 0.2)),))
    game = Table(1, (first, (0, (((1, 3, 0.2),),)), (0, (((1, 3, 0.1),),))), (0,))
    assert evaluate(game, {}).distribution().chances == {0.1 + 0.2: 1.0}


# ---- games


class Tithe(NamedTuple):
    rounds: int
    turn: int


@dataclass(frozen=True)
class Tithes(Game[Tithe, str]):
    """Roll two coins or one die of three in turn: what it shows is yours, and the next player pays 1 of it."""

    players: int = 3

    def start(self) -> Tithe:
        return Tithe(4, 1)

    def actions(self, state: Tithe) -> Any:
        return ("coins", "die") if state.rounds else ()

    def step(self, state: Tithe, action: str) -> Any:
        onward = Tithe(state.rounds - 1, (state.turn + 1) % self.players)
        again = Tithe(state.rounds - 1, state.turn)
        if action == "coins":
            return [(0, 1, onward), (1, 2, onward), (2, 1, again)]
        return [(1, 1, onward), (2, 1, again), (3, 1, onward)]

    def reward(self, state: Tithe, action: str, outcome: Any) -> Any:
        pays = [0] * self.players
        pays[state.turn] += outcome
        pays[(state.turn + 1) % self.players] -= 1
        return tuple(pays)

    def payoff(self, state: Tithe) -> Any:
        return tuple(10 * int(player == state.turn) for player in range(self.players))

    def turn(self, state: Tithe) -> int:
        return state.turn


class RotatedTithes(Tithes):
    """The same with the rotated twins kept once."""

    def as_first(self, state: Tithe) -> Tithe:
        return Tithe(state.rounds, 0)


def test_twins_collect_for_the_right_player() -> None:
    mixes: dict[int, Any] = {4: {"coins": 1, "die": 3}, 3: "coins", 2: {"coins": 0.5, "die": 0.5}, 1: "die"}
    plain, rotated = Tithes(), RotatedTithes()
    assert check_game(rotated).ok
    table = {Tithe(rounds, turn): mixes[rounds] for rounds in mixes for turn in range(3)}
    ends = endings(plain, [table] * 3, plain.start(), {})
    for game in (plain, rotated):
        found = evaluate(game, lambda state: mixes[state.rounds], exact=True)
        assert found.states == (4 if game is rotated else 9)
        assert found.outcomes() == marginal(ends, lambda end: end[0])
        for player in range(3):
            assert found.distribution(player).mean() == found.values[player]
            assert found.distribution(player).chances == marginal(ends, lambda end: end[0][player])  # noqa: B023
        assert found.moves == 4
    samples = [simulate(game, lambda state: mixes[state.rounds], 3000, 5) for game in (plain, rotated)]
    assert samples[0].counts == samples[1].counts
    assert samples[0].within(found.values)


@pytest.mark.parametrize(
    "game", [Ladder(), Nim(7), RotatedNim(10), Greed(15, 6), Greed(9, 2, win=2), Greed(5, 3, players=3)], ids=repr
)
@pytest.mark.parametrize("exact", [False, True])
def test_the_best_policy_is_worth_the_value_of_the_game(game: Game[Any, Any], exact: bool) -> None:
    solution = solve(game, exact=exact)
    found = evaluate(game, solution, exact=exact)
    assert found.values == (solution.values(game.start()) if exact else pytest.approx(solution.values(game.start())))
    apart = evaluate(game, [solution] * game.players, exact=exact)
    assert apart.values == found.values
    other = [solution, *(lambda state: solution.action(state) for _ in range(1, game.players))]
    assert evaluate(game, other, exact=exact).values == (found.values if exact else pytest.approx(found.values))
    assert evaluate(game, {state: solution.action(state) for state in solution.states()}).values == pytest.approx(
        tuple(map(float, found.values))
    )
    gains = exploitability(game, solution, exact=exact)
    assert gains.total == (0 if exact else pytest.approx(0, abs=1e-12))
    assert gains.best == (found.values if exact else pytest.approx(found.values))


def test_a_bad_policy_by_hand() -> None:
    """Who always takes one stone in Nim: the first player takes the last of an odd pile, the second of an even one.

    Of 5 stones the first wins by it, and the second, met by the best, could have won: 4 is lost for whoever is there.
    """
    for rules in (Nim, RotatedNim):
        found = exploitability(rules(5), lambda pile: 1, exact=True)
        assert found.values == (1, -1)
        assert found.best == (1, 1)  # after 1 from 5 the second player takes 1 or 3 and leaves 3 or 1 ...
        assert found.gains == (0, 2)
        assert found.total == 2
        response = best_response(rules(5), lambda pile: 1, 1, exact=True)
        assert response.value(Pile(5, 0)) == 1
        assert response.action(Pile(4, 1)) in (1, 2, 3)
        assert evaluate(rules(5), [lambda pile: 1, response]).values == (-1, 1)


def test_a_mix_by_hand() -> None:
    """The coin ladder, at each rung taken with chance 1/3: 1/3 of the prize, or on with 2/3 of 1/4."""
    game = Ladder()
    worth = Fraction(0)
    for prize in reversed(game.prizes):
        worth = Fraction(1, 4) * (Fraction(1, 3) * prize + Fraction(2, 3) * worth if worth else prize)
    mixes: list[Any] = [{"take": 1, "flip": 2}, {"flip": Fraction(4, 3), "take": Fraction(2, 3)}]
    mixes += [{"take": 0.1, "flip": 0.2}, {"flip": 0.2, "take": 0.1}]  # one in ten and two in ten, not their binaries
    for mix in mixes:
        assert evaluate(game, lambda state, mix=mix: mix, exact=True).values == (worth,)
        assert evaluate(game, lambda state, mix=mix: mix).values == pytest.approx((float(worth),))
    assert evaluate(game, lambda state: {"take": 3, "flip": 0}, exact=True).values == (Fraction(1, 4),)
    loss = exploitability(game, lambda state: {"take": 1, "flip": 2}, exact=True)
    assert loss.total == Fraction(1, 4) - worth


def test_the_known_opening_of_greed() -> None:
    """With maximum 100 and six sides both players at their best: worth 0.027683466081240272, of which a fifth ties."""
    game = Greed()
    found = evaluate(game, solve(game))
    assert found.values == pytest.approx((0.027683466081240272, -0.027683466081240272), abs=1e-13)
    ends = found.outcomes()
    chances = solve(game).chances(game.start())  # type: ignore[attr-defined]
    assert ends[1, -1] == pytest.approx(chances.win)
    assert ends[0, 0] == pytest.approx(chances.tie)
    assert found.distribution().at_least(0) == pytest.approx(chances.win + chances.tie)


def test_a_game_that_is_over_before_it_begins() -> None:
    game = Table(2, (), ((3, Fraction(1, 2)),))
    for exact in (False, True):
        found = evaluate(game, {}, exact=exact)
        assert found.values == (3, Fraction(1, 2))
        assert found.moves == found.decisions == 0
        assert found.distribution(1).chances == {Fraction(1, 2): 1}
        assert found.outcomes() == {(3, Fraction(1, 2)): 1}


# ---- a distribution


def test_what_a_distribution_can_be_asked() -> None:
    found = Distribution({-2: Fraction(1, 4), 1: Fraction(1, 2), 5: Fraction(1, 4)})
    assert dict(found) == found.chances
    assert len(found) == 3
    assert found.probability(1) == Fraction(1, 2)
    assert found.probability(2) == 0
    assert found.mean() == Fraction(5, 4)
    assert found.variance() == Fraction(1, 4) * 4 + Fraction(1, 2) + Fraction(25, 4) - Fraction(25, 16)
    assert found.sd() == math.sqrt(found.variance())
    assert found.at_least(1) == Fraction(3, 4)
    assert found.at_least(6) == 0
    assert [found.quantile(share) for share in (0, 0.25, 0.26, 0.75, 0.76, 1)] == [-2, -2, 1, 1, 5, 5]
    assert Distribution({1: 0.1, 2: 0.2, 3: 0.7 - 1e-16}).quantile(1) == 3
    for share in (-0.1, 1.1, math.nan):
        with pytest.raises(InputError, match=r"share .* is not allowed; give a number from 0 to 1"):
            found.quantile(share)


# ---- policies that cannot be


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("optimal", "policy 'optimal' is none; give a function of the state, a table"),
        (None, "policy None is none"),
        ([lambda pile: 1], "1 policies were given for 2 players; give one for each, or a single one"),
        (lambda pile: np.array([1, 2]), r"the policy of player 0 chose array\(\[1, 2\]\), which is not possible"),
        (lambda pile: 7, r"the policy of player 0 chose 7, which is not possible; allowed: 1, 2, 3 \(state Pile\(sto"),
        (lambda pile: {1: 1, 4: 1}, "the policy of player 0 chose 4, which is not possible"),
        (lambda pile: {1: -1, 2: 3}, "the policy of player 0 gives action 1 the weight -1; weights are finite numbers"),
        (lambda pile: {1: math.inf}, "gives action 1 the weight inf; weights are finite numbers from 0 up"),
        (lambda pile: {1: math.nan}, "gives action 1 the weight nan"),
        (lambda pile: {1: "x"}, "gives action 1 the weight 'x'"),
        (lambda pile: {1: 0, 2: 0.0}, r"the policy of player 0 gives no action a weight above 0 \(state Pile"),
        (lambda pile: {}, "gives no action a weight above 0"),
        (lambda pile: 1 // 0, r"the policy of player 0 raised ZeroDivisionError: .* \(state Pile\(stones=5"),
        ({Pile(5, 0): 1}, r"the table of player . has no entry for a state that can come up \(state Pile\(stones=4"),
        ({Pile(5, 0): 1, 17: 3}, r"a table of a policy has the entry 17, which is no state of rotated-nim"),
    ],
)
def test_policies_that_cannot_be(policy: Any, message: str) -> None:
    for ask in (evaluate, best_response, exploitability):
        if ask is best_response and not isinstance(policy, str | list | None):
            continue  # at the start the player who is free decides
        with pytest.raises(InputError, match=message):
            ask(RotatedNim(5), policy)
    with pytest.raises(InputError, match=message):
        simulate(RotatedNim(5), policy, 1, 1)


@pytest.mark.parametrize("player", [-1, 2, 1.0, "0"])
def test_players_who_are_not_there(player: Any) -> None:
    with pytest.raises(InputError, match=r"player .* is not at the table; players are numbered 0 to 1"):
        best_response(Nim(5), lambda pile: 1, player)
    with pytest.raises(InputError, match=r"player .* is not at the table; players are numbered 0 to 1"):
        evaluate(Nim(5), lambda pile: 1).distribution(player)


class Round(Walk):
    def step(self, state: int, action: int) -> Any:
        return sure(state + 1) if action == 1 and state < 4 else sure(3 if action == 1 else 0)


def test_policies_that_never_end() -> None:
    with pytest.raises(
        CyclicError, match=r"round cannot end from '[34]', '[34]' with these policies: they go round"
    ) as e:
        evaluate(Round(), lambda state: 1)
    assert e.value.reason == "no end"
    assert evaluate(Round(), lambda state: {1: 1, -1: 1}, exact=True).moves == 2


def test_seats_in_tables() -> None:
    """Entries for the state as it is come before those for the state as its mover sees it."""
    by_seat = {Pile(n, turn): 1 + turn if n > 1 else 1 for n in range(1, 8) for turn in (0, 1)}
    game = RotatedNim(7)
    for policies in (by_seat, [by_seat, dict(by_seat)]):
        # 7 -> 6 -> 4 -> 3 -> 1 -> 0
        assert evaluate(game, policies).values == (1, -1)
        assert evaluate(game, policies).moves == 5
    seen_by_mover = {Pile(n, 0): 1 for n in range(1, 8)}
    assert evaluate(game, seen_by_mover).moves == 7
    assert evaluate(game, seen_by_mover).states == 7
    assert evaluate(game, [seen_by_mover, dict(seen_by_mover)]).moves == 7


def test_numbers_of_numpy() -> None:
    for answer in (np.int64(1), {np.int64(1): np.int64(2), 2: np.float64(0)}, {1: np.float32(0.5)}):
        assert evaluate(RotatedNim(5), lambda pile, answer=answer: answer).moves == 5


def test_forced_moves_are_not_asked_about() -> None:
    def choose(state: Any) -> str:
        assert state[1] == "choose", "only one action"
        assert state[0] < 5
        return "flip"

    assert evaluate(Ladder(), choose, exact=True).values == (Fraction(250, 4**5),)


# ---- simulation

GREED = Greed(30, 6)
EXAMPLES = Path(__file__).parents[1] / "examples"
SMALLER = {
    "hoot-owl": {"owls": "1", "path": "abcabc", "track": "3"},
    "greed": {"max": "30"},
    "pig": {"target": "20"},
    "race": {"target": "20"},
    "yahtzee": {"boxes": "ones,twos,yahtzee", "dice": "2", "sides": "2"},
}
"""Parameters for games that take long as people play them."""


def every_game() -> Iterator[Game[Any, Any]]:
    """Those of the house, and all examples."""
    texts = [*GAMES]
    for path in sorted(EXAMPLES.glob("*.py")):
        rules = re.findall(r"^class (\w+)\(Game\b", path.read_text(encoding="utf-8"), flags=re.M)
        texts += [f"{path}:{name}" for name in rules]
    for text in texts:
        yield find_game(text, **SMALLER.get(find_game(text).name, {}))


EVERY = list(every_game())


@pytest.mark.parametrize(
    ("game", "policy"),
    [
        *((game, None) for game in EVERY),
        (Ladder(), None),
        (Nim(10), None),
        (RotatedNim(10), None),
        (GREED, lambda state: {0: 1, min(3, GREED.n_max(state.scores[0])): 2}),
        (Greed(5, 3, players=3), None),
        (Gambler(9), lambda state: {1: 2, min(2, state[0], 9 - state[0]): 1}),
        (Pig(25), lambda state: "roll" if state[2] < 8 else {"roll": 1, "hold": 3}),
        (Dear(), lambda state: 1),
    ],
    ids=lambda it: repr(it) if it is None or isinstance(it, Game) else "policy",
)
def test_means_lie_within_four_standard_errors(game: Game[Any, Any], policy: Callable[[Any], Any] | None) -> None:
    chosen = solve(game) if policy is None else policy
    sample, exact = simulate(game, chosen, 20_000, 1), evaluate(game, chosen)
    assert sample.within(exact.values)
    assert sample.moves == pytest.approx(float(exact.moves), rel=0.05)
    totals = exact.distribution()
    assert float(totals.mean()) == pytest.approx(float(exact.values[0]), abs=1e-9)
    for total, share in sample.distribution().items():
        chance = float(totals.probability(total))
        assert abs(share - chance) <= 4.5 * math.sqrt(chance * (1 - chance) / 20_000) + 1e-9


def test_there_are_examples() -> None:
    assert {game.name for game in EVERY} >= {"greed", "shut-the-box"}
