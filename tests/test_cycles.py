"""Games that can come back to a position: values, proofs, policies that end, and refusals that say why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

from dicewise import CyclicError, Game, InputError, LimitError, Solution, certify, check_game, evaluate, solve
from dicewise.engine.components import Way, components_of, end_components, force_the_end
from dicewise.engine.explore import explore
from dicewise.engine.solve import solve_graph
from naive import endless
from random_games import random_game
from small_games import Nim, Table, Walk


def table(*moves: Any, ends: Any, players: int = 1) -> Table:
    """A game from states ((mover, options)), each option a tuple of edges (weight, next, reward)."""
    return Table(players, moves, ends)


def in_doubles(game: Game[Any, Any]) -> Solution[Any, Any]:
    """Solved by compiled sweeps, however small the game is."""
    return solve_graph(game, explore(game), in_doubles=True)


def answer(solver: Any, game: Game[Any, Any]) -> tuple[str | None, Any]:
    """Why a game was refused, or None and its solution."""
    try:
        return None, solver(game)
    except CyclicError as error:
        return error.reason, None


def ends(game: Any, solution: Solution[Any, Any]) -> bool:
    """Whether play by the solution's actions can come to an end from everywhere."""
    before: dict[Any, list[Any]] = {}
    ending, waiting = set(), []
    for state in solution.states():
        for _, _, to in game.step(state, solution.action(state)):
            before.setdefault(to, []).append(state)
            if not game.actions(to):
                waiting.append(to)
    while waiting:
        for state in before.get(waiting.pop(), ()):
            if state not in ending:
                ending.add(state)
                waiting.append(state)
    return set(solution.states()) == ending


# ---- against what becomes of games that are cut off after a very long time


@pytest.mark.parametrize("kind", ["cyclic", "rewards", "paying", "free"])
@pytest.mark.parametrize("players", [1, 2])
def test_small_games_against_very_long_play(kind: str, players: int) -> None:
    for seed in range(12):
        game = random_game(seed, kind, players, most=8)
        reason, exact = answer(lambda game: solve(game, exact=True), game)
        expected, values = endless(game)
        assert reason == expected, game.spec
        for state, value in values.items():
            assert float(exact.values(state)[0]) == pytest.approx(value, abs=1e-6)


# ---- doubles against fractions


def compare(seed: int, most: int) -> str | None:
    """The certified interval holds the truth, or both refuse for the same reason; which is returned."""
    game = random_game(seed, most=most)
    reason, exact = answer(lambda game: solve(game, exact=True), game)
    for solver in (in_doubles, solve):
        other, doubles = answer(solver, game)
        assert other == reason, (seed, game.spec)
        if reason is not None:
            continue
        bound = doubles.report.error_bound
        assert bound is not None or (solver is in_doubles and doubles.report.interests == "each for itself")
        for state in exact.states():
            for mine, truth in zip(doubles.values(state), exact.values(state), strict=True):
                assert abs(Fraction(mine) - truth) <= (1e-9 if bound is None else bound), (seed, state)
    return reason


def test_random_games() -> None:
    reasons = [compare(seed, most=60) for seed in range(250)]
    assert {"no end", "endless play", "paying loop", None} == set(reasons)
    assert reasons.count(None) > 100


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
def test_ten_thousand_random_games(block: int) -> None:
    for seed in range(1000 + 500 * block, 1500 + 500 * block):
        compare(seed, most=200)


def test_exact_solutions_of_cyclic_games_are_proven() -> None:
    proven = 0
    for seed in range(80):
        game = random_game(seed, ("cyclic", "rewards", "free")[seed % 3], most=25)
        reason, exact = answer(lambda game: solve(game, exact=True), game)
        if reason is None:
            assert certify(exact, exact=True).proven, (seed, game.spec)
            proven += 1
            doubles = in_doubles(game)
            for check in (certify(doubles), certify(doubles, exact=True)):
                assert check.violation < 1e-12
                assert check.policy_loss < 1e-12
                if check.error_bound is not None:
                    for state in exact.states():
                        assert abs(Fraction(doubles.value(state)) - exact.value(state)) <= check.error_bound
    assert proven > 40


def test_optimal_play_ends() -> None:
    for seed in range(60):
        game = random_game(seed, ("cyclic", "free", "rewards")[seed % 3], 1, most=25)
        for solver in (in_doubles, lambda game: solve(game, exact=True)):
            reason, solution = answer(solver, game)
            if reason is None:
                assert ends(game, solution), (seed, game.spec)


# ---- the values may be right and the solution wrong all the same


class Claimed(Solution[Any, Any]):
    """Values and actions that somebody claims to be right."""

    def __init__(self, like: Solution[Any, Any], values: dict[Any, Any], actions: dict[Any, Any]) -> None:
        super().__init__(like.game, like.report)
        self._like, self._values, self._actions = like, values, actions

    def values(self, state: Any) -> Any:
        return self._values.get(state) or self._like.values(state)

    def states(self) -> Any:
        return self._like.states()

    def action(self, state: Any) -> Any:
        return self._actions.get(state, self._like.action(state))


LOOP = table((0, (((1, 1, 0),), ((1, 2, 0),))), (0, (((1, 0, 0),),)), ends=(5,))
"""From 0 to 1 and back for nothing, or from 0 to the end for 5."""


def test_values_that_a_loop_keeps_up_are_not_proven() -> None:
    exact = solve(LOOP, exact=True)
    assert exact.values(0) == exact.values(1) == (5,)
    assert exact.action(0) == 1
    assert certify(exact, exact=True).proven
    dreamt = Claimed(exact, {0: (Fraction(9),), 1: (Fraction(9),)}, {0: 0})
    found = certify(dreamt, exact=True)
    assert (found.violation, found.policy_loss) == (0, 0)  # the equations hold ...
    assert not found.proven  # ... but nobody gets there
    assert found.unending == 2
    assert found.error_bound is None
    idle = Claimed(exact, {}, {0: 0})  # right values, but going round for ever
    assert certify(idle, exact=True).violation == 0
    assert not certify(idle, exact=True).proven


def test_a_wrong_value_in_a_cycle_is_found() -> None:
    for exact in (False, True):
        solution = solve(Race(4), exact=exact)
        state = Race(4).start()
        value = solution.values(state)
        wrong = Claimed(solution, {state: (value[0] + Fraction(1, 1000), value[1] - Fraction(1, 1000))}, {})
        found = certify(wrong, exact=exact)
        assert float(found.violation) >= 0.9e-3
        assert not found.proven


# ---- games by hand


@dataclass(frozen=True)
class Race(Game[Any, str]):
    """Two players, a coin: heads is one step ahead, tails passes the turn; first at the goal wins. No choice but one:
    `safe` flips once and passes the turn, `dare` flips two coins for two steps."""

    goal: int = 2
    players: int = 2

    def start(self) -> Any:
        return (0, 0, 0)

    def actions(self, state: Any) -> Sequence[str]:
        return () if max(state[:2]) >= self.goal else ("safe", "dare")

    def step(self, state: Any, action: str) -> Any:
        mine, other, turn = state
        steps, of = (1, 2) if action == "safe" else (2, 4)
        return [("ahead", 1, (other, mine + steps, 1 - turn)), ("no", of - 1, (other, mine, 1 - turn))]

    def payoff(self, state: Any) -> Any:
        mine, _, turn = state
        won = mine >= self.goal
        return (int(won), int(not won)) if turn == 0 else (int(not won), int(won))

    def turn(self, state: Any) -> int:
        return int(state[2])

    def as_first(self, state: Any) -> Any:
        return (state[0], state[1], 0)


def test_a_race_by_hand() -> None:
    """With one step to go for both, v = 1/2 + 1/2 (1 - v), so v = 2/3."""
    game = Race(1)
    solution = solve(game, exact=True)
    assert solution.values((0, 0, 0)) == (Fraction(2, 3), Fraction(1, 3))
    assert solution.values((0, 0, 1)) == (Fraction(1, 3), Fraction(2, 3))
    assert certify(solution, exact=True).proven
    assert check_game(Race(3)).ok
    for goal in (1, 2, 5):
        fast, truth = in_doubles(Race(goal)), solve(Race(goal), exact=True)
        for state in truth.states():
            assert abs(Fraction(fast.value(state)) - truth.value(state)) <= fast.report.error_bound < 1e-13


def test_self_loops_have_a_closed_form() -> None:
    """Roll until something other than a one comes up: each try costs 1, 1 in 10**9 gets through."""
    slow = table((0, (((10**9 - 1, 0, -1), (1, 1, -1)),)), ends=(7,))
    for solver in (in_doubles, lambda game: solve(game, exact=True)):
        assert float(solver(slow).value(0)) == pytest.approx(7 - 10**9, rel=1e-15)
    assert in_doubles(slow).report.error_bound < 1e-4


def test_slow_loops_are_proven_not_hoped_for() -> None:
    """Sweeps that change little are not within that distance: here every sweep changes 1e-9 of what is missing."""
    there_and_back = table((0, (((10**9 - 1, 1, 0), (1, 2, 0)),)), (0, (((10**9 - 1, 0, 0), (1, 3, 0)),)), ends=(1, 0))
    solution = in_doubles(there_and_back)
    truth = solve(there_and_back, exact=True)
    assert truth.value(0) == Fraction(10**9, 2 * 10**9 - 1)
    assert abs(Fraction(solution.value(0)) - truth.value(0)) <= solution.report.error_bound < 1e-12


@pytest.mark.parametrize(
    ("game", "reason", "words"),
    [
        (table((0, (((1, 0, 0),),)), ends=(1,)), "no end", "cannot end from '0'"),
        (table((0, (((1, 0, 1),), ((1, 1, 0),))), ends=(1,)), "paying loop", "again and again pays"),
        (table((0, (((1, 0, 0),), ((1, 1, 0),))), ends=(-1,)), "endless play", "the best play never ends"),
        (table((0, (((1, 1, 2),), ((1, 2, 0),))), (0, (((1, 0, -2),),)), ends=(-1,)), "endless play", "never ends"),
        (
            # who goes to the end loses, who goes to the other does not
            table(
                (0, (((1, 1, 0),), ((1, 2, 0),))),
                (1, (((1, 0, 0),), ((1, 3, 0),))),
                ends=((-1, 1), (1, -1)),
                players=2,
            ),
            "endless play",
            "would rather have that",
        ),
        (
            table(
                (0, (((1, 1, 0),), ((1, 2, 0),))), (1, (((1, 0, 0),), ((1, 3, 0),))), ends=((1, 1), (3, 0)), players=2
            ),
            "interests",
            "plays for itself",
        ),
    ],
)
def test_refusals(game: Table, reason: str, words: str) -> None:
    for solver in (solve, in_doubles, lambda game: solve(game, exact=True)):
        with pytest.raises(CyclicError, match=words) as refused:
            solver(game)
        assert refused.value.reason == reason
        assert game.spec in str(refused.value)
        assert "\n" not in str(refused.value)


def test_a_free_loop_is_no_harm_where_the_way_out_pays() -> None:
    for solver in (solve, in_doubles, lambda game: solve(game, exact=True)):
        solution = solver(LOOP)
        assert solution.value(0) == 5
        assert solution.action(0) == 1
        assert [choice.loss for choice in solution.choices(0)] == [0, 0]


@dataclass(frozen=True)
class Stroll(Game[Any, str]):
    """Walk round a ring for nothing; at some places a prize may be taken, at others a coin decides."""

    places: int = 2000
    prize: int = 7

    def start(self) -> Any:
        return 0

    def actions(self, state: Any) -> Sequence[str]:
        return ("on", "back", "take") if state >= 0 else ()

    def step(self, state: int, action: str) -> Any:
        if action == "take":
            return [("yes", 1, -1 - state), ("no", 2, (state * 7) % self.places)]
        return [(None, 1, (state + (1 if action == "on" else -1)) % self.places)]

    def payoff(self, state: int) -> int:
        return self.prize if (-1 - state) % 10 == 3 else min(self.prize, 1)

    def reward(self, state: int, action: str, outcome: Any) -> int:
        return -1 if outcome == "no" else 0


def test_free_moves_in_a_large_component() -> None:
    """Everything is worth the same: walk to where the prize is, and try until it is won, two misses on average."""
    game = Stroll()
    solution = solve(game)
    assert solution.value(0) == pytest.approx(7 - 2)
    assert solution.report.error_bound < 1e-10
    assert ends(game, solution)
    small = Stroll(20)
    truth = solve(small, exact=True)
    assert {truth.value(state) for state in truth.states()} == {5}
    for prize in (1, 2):  # 2 misses cost as much as the prize, or more: not to play is as good, or better
        if prize == 2:
            assert solve(Stroll(30, 2), exact=True).value(0) == 0
        else:
            for places in (30, 2000):
                with pytest.raises(CyclicError) as refused:
                    solve(Stroll(places, 1))
                assert refused.value.reason == "endless play"


def test_who_has_won_may_dawdle() -> None:
    """Player 0 can win at once or go round first; that is no reason to refuse, and the policy does not go round."""
    game = table(
        (0, (((1, 1, 0),), ((1, 3, 0),))),
        (1, (((1, 0, 0),), ((1, 2, 0),))),
        (0, (((1, 0, 0),), ((1, 4, 0),))),
        ends=((1, -1), (-1, 1)),
        players=2,
    )
    for solver in (solve, in_doubles, lambda game: solve(game, exact=True)):
        solution = solver(game)
        assert solution.value(0) == 1
        assert solution.action(0) == 1
        assert solution.values(1) == (1, -1)


def test_two_opponents_who_pay_for_going_on() -> None:
    """Each may roll again for 1, paid to the other, or move on: nobody can force the end, yet nobody puts it off."""
    coin = ((1, 0, (-1, 1)), (1, 1, (-1, 1)))
    game = table(
        (0, (((1, 0, (-1, 1)),), coin, ((1, 2, 0),))),
        (1, (((1, 1, (1, -1)),), ((1, 0, (1, -1)), (1, 3, (1, -1))))),
        ends=((-3, 3), (2, -2)),
        players=2,
    )
    exact = solve(game, exact=True)
    # 0: v = max(-3, -1 + v/2 + w/2), 1: w = 1 + v/2 + 2/2
    assert (exact.values(0), exact.values(1)) == ((0, 0), (2, -2))
    assert in_doubles(game).value(0) == pytest.approx(0, abs=1e-14)
    assert certify(exact, exact=True).proven


def test_a_walk_costs_what_it_takes() -> None:
    solution = solve(Walk(), exact=True)
    assert solution.value(3) == 0
    assert certify(solution, exact=True).proven


def test_components() -> None:
    graph = explore(Nim(10))
    shape = components_of(graph)
    assert not shape.cyclic.any()
    assert sorted(shape.order.tolist()) == list(range(len(graph.states)))
    graph = explore(Race(3))
    shape = components_of(graph)
    place = {state: at for at, state in enumerate(shape.order.tolist())}
    for state in range(len(graph.states)):
        for choice in range(graph.first_choice[state], graph.first_choice[state + 1]):
            lottery = graph.lottery[choice]
            for target in graph.target[graph.first_edge[lottery] : graph.first_edge[lottery + 1]].tolist():
                if target < len(graph.states):
                    assert shape.component[target] <= shape.component[state]
                    if shape.component[target] < shape.component[state]:
                        assert place[target] < place[state]


def test_end_components_and_forcing() -> None:
    stay, leave = Way(frozenset([0, 1]), False), Way(frozenset([0]), True)
    assert end_components([[stay, leave], [stay]]) == [{0, 1}]
    assert end_components([[leave], [stay]]) == []
    assert force_the_end([True, True], [[stay, leave], [stay]]) == {0: 1, 1: 0}
    assert force_the_end([False, True], [[stay, leave], [stay]]) == {}
    assert force_the_end([False, True], [[leave], [stay]]) == {0: -1, 1: 0}


# ---- discounting, and the textbook's value iteration


def test_discounting() -> None:
    """A loop that pays 1 for ever is worth 1 / (1 - gamma); moving on counts for gamma of what follows."""
    paying = table((0, (((1, 0, 1),), ((1, 1, 0),))), ends=(4,))
    with pytest.raises(CyclicError):
        solve(paying)
    for gamma in (Fraction(1, 2), 0.9):
        exact = solve(paying, exact=True, gamma=gamma)
        factor = Fraction(str(gamma))
        assert exact.value(0) == max(1 / (1 - factor), 4 * factor)
        doubles = solve(paying, gamma=gamma)
        assert doubles.value(0) == pytest.approx(float(exact.value(0)), rel=1e-14)
    never = table((0, (((1, 0, 1),),)), ends=())
    assert solve(never, gamma=0.5).value(0) == 2
    acyclic = Nim(6)
    for exact in (False, True):
        assert abs(solve(acyclic, gamma=0.5, exact=exact).value(acyclic.start())) == pytest.approx(1 / 8)
    with pytest.raises(InputError, match=r"gamma 1\.5"):
        solve(paying, gamma=1.5)


def test_value_iteration_says_what_it_does_not_promise() -> None:
    """Each try costs 1 and one in 10000 gets through: sweeps soon change little, far from the truth."""
    slow = table((0, (((9999, 1, -1), (1, 2, -1)),)), (0, (((1, 0, 0),),)), ends=(0,))
    found = solve(slow, theta=1.5)
    assert found.report.error_bound is None
    assert "does not mean" in found.report.note
    assert "theta 1.5" in found.report.method
    assert float(found.value(0)) > -100
    assert solve(slow).value(0) == pytest.approx(-10000)
    for theta in (0, -1, float("nan"), float("inf")):
        with pytest.raises(InputError, match="theta"):
            solve(slow, theta=theta)
    with pytest.raises(InputError, match="never exact"):
        solve(slow, theta=0.1, exact=True)


def test_forced_games_of_three_players_may_come_back() -> None:
    """Without a choice each player's expectation is a sum of its own: three players take turns at a coin."""

    @dataclass(frozen=True)
    class Coin(Game[int, str]):
        players: int = 3

        def start(self) -> int:
            return 0

        def actions(self, state: int) -> Sequence[str]:
            return ("flip",) if state >= 0 else ()

        def step(self, state: int, action: str) -> Any:
            return [("heads", 1, -1 - state), ("tails", 1, (state + 1) % 3)]

        def payoff(self, state: int) -> Any:
            return tuple(Fraction(int(p == -1 - state)) for p in range(3))

        def turn(self, state: int) -> int:
            return state if state >= 0 else -1 - state

        def reward(self, state: int, action: str, outcome: Any) -> Any:
            return (0, 0, 1) if outcome == "tails" else 0

    exact = solve(Coin(), exact=True)
    assert exact.values(0) == (Fraction(4, 7), Fraction(2, 7), Fraction(1, 7) + 1)
    assert exact.values(1)[0] == Fraction(1, 7)
    assert solve(Coin()).values(0) == pytest.approx((4 / 7, 2 / 7, 8 / 7), rel=1e-15)
    assert in_doubles(Coin()).values(0) == pytest.approx((4 / 7, 2 / 7, 8 / 7), rel=1e-14)


def test_tables_of_cyclic_games_keep_their_policy(tmp_path: Any) -> None:
    from dicewise import Store, recall
    from dicewise.engine.recall import recall_stored

    store = Store(tmp_path / "store")
    for game in (LOOP, Race(3)):
        solved = recall(game, store=store)
        if (again := recall_stored(game, store)) is not None:
            for state in solved.states():
                assert again.action(state) == solved.action(state)
                assert again.values(state) == solved.values(state)
    assert recall_stored(Race(3), store) is not None


def test_components_too_large_for_fractions_are_refused() -> None:
    with pytest.raises(LimitError, match="3,000 positions"):
        solve(Stroll(3000), exact=True)


# ---- what an adversary found


@dataclass(frozen=True)
class Spin(Game[Any, str]):
    """Take 10, or spin: a little is lost at every turn of the wheel, which hardly ever stops. Elsewhere a jackpot makes
    the little look like rounding, and many states keep fractions away."""

    pad: int = 4500
    jackpot: int = 10**9
    odds: int = 10**6
    price: float = 0.00005
    prize: int = 10

    def start(self) -> Any:
        return ("deal", 0)

    def actions(self, state: Any) -> Sequence[str]:
        return {"deal": ("deal",), "wheel": ("spin", "take"), "pad": ("on",), "mid": ("back",)}.get(state[0], ())

    def step(self, state: Any, action: str) -> Any:
        if action == "deal":
            pads = [(at, 1, ("pad", at)) for at in range(self.pad)]
            return [("wheel", self.pad, ("wheel", 0)), ("jackpot", 1, ("end", self.jackpot)), *pads]
        if action == "take":
            return [(None, 1, ("end", 10))]
        if action == "spin":
            return [("again", self.odds - 1, ("mid", 0)), ("stop", 1, ("end", self.prize))]
        return [(None, 1, ("wheel", 0))]

    def reward(self, state: Any, action: str, outcome: Any) -> float:
        return -self.price if action == "spin" else 0

    def payoff(self, state: Any) -> int:
        return int(state[1])


@pytest.mark.parametrize("game", [Spin(), Spin(odds=10**13, price=0, prize=0, jackpot=1), Spin(pad=5)], ids=str)
def test_what_is_lost_at_every_visit_is_no_rounding(game: Spin) -> None:
    solution = solve(game)
    assert solution.value(("wheel", 0)) == pytest.approx(10)
    assert solution.action(("wheel", 0)) == "take"
    assert evaluate(game, solution).values[0] == pytest.approx(float(solution.value(game.start())))


def test_a_policy_makes_headway_where_the_other_may_idle() -> None:
    """Player 0 has won in state 1 and may stay there for ever; player 1 can only lead play there, or end it."""
    idle = table(
        (1, (((1, 1, 0),), ((1, 2, 0),))),
        (0, (((1, 1, 0),), ((1, 0, 0),), ((1, 2, 0),))),
        ends=((1, -1), (-1, 1)),
        players=2,
    )
    exact = solve(idle, exact=True)
    assert certify(exact, exact=True).proven
    assert evaluate(idle, exact).values == (1, -1)


def test_nothing_to_win_or_lose_ends_all_the_same() -> None:
    same = table(
        (0, (((1, 1, 0),), ((1, 2, 0),))), (1, (((1, 0, 0),), ((1, 3, 0),))), ends=((1, -1), (1, -1)), players=2
    )
    for solver in (solve, in_doubles, lambda game: solve(game, exact=True)):
        solution = solver(same)
        assert evaluate(same, solution).values == (1, -1)
    assert certify(solve(same, exact=True), exact=True).proven


def test_a_value_of_nothing_is_bounded_by_nothing() -> None:
    rest = table((0, (((1, 0, 0),), ((1, 1, 0),))), (0, (((1, 0, 0),), ((1, 2, 0),))), ends=(0,))
    bound = certify(solve(rest)).error_bound
    assert bound is not None
    assert bound < 1e-50


def test_discounting_what_is_shared_is_refused_by_its_reason() -> None:
    for theta in (None, 0.1):
        with pytest.raises(InputError, match=r"gamma 0\.9 shrinks the total of 1"):
            solve(Race(2), gamma=0.9, theta=theta)


@dataclass(frozen=True)
class Tug(Game[Any, str]):
    """Pull the rope to your side, safely or with a risk: it goes to and fro for a long time."""

    size: int = 20
    players: int = 2

    def start(self) -> Any:
        return (0, 0)

    def turn(self, state: Any) -> int:
        return int(state[1])

    def actions(self, state: Any) -> Sequence[str]:
        return () if abs(state[0]) >= self.size else ("safe", "risky")

    def step(self, state: Any, action: str) -> Any:
        at, turn = state
        pull = 1 if turn == 0 else -1
        if action == "safe":
            return [("hit", 1, (at + pull, 1 - turn)), ("miss", 1, (at, 1 - turn))]
        return [("hit", 1, (at + 2 * pull, 1 - turn)), ("miss", 2, (at - pull, 1 - turn))]

    def payoff(self, state: Any) -> Any:
        return (1, -1) if state[0] > 0 else (-1, 1)


def test_play_that_goes_to_and_fro() -> None:
    """Fair pulls: who moves first is half a pull ahead, one in 2 * size - 1/2."""
    for size in (5, 20):
        exact = solve(Tug(size), exact=True)
        assert exact.value((0, 0)) == Fraction(1, 4 * size - 1)
        assert certify(exact, exact=True).proven
        doubles = in_doubles(Tug(size))
        assert abs(Fraction(doubles.value((0, 0))) - exact.value((0, 0))) <= doubles.report.error_bound < 1e-11
