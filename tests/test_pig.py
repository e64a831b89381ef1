"""Pig: its rules and words, its arrays against its rules, and both against slow twins."""

from __future__ import annotations

import time
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_pig
from dicewise import CyclicError, InputError, LimitError, Pig, certify, check_game, find_game, solve
from dicewise.chance import Lottery, write_die
from dicewise.engine.explore import explore
from dicewise.engine.solve import solve_graph
from dicewise.games.pig.arrays import PigStates
from dicewise.games.pig.rules import Position
from dicewise.graph import Graph

SIX = dict.fromkeys(range(1, 7), 1)


@st.composite
def pigs(draw: Any, most: int = 9, players: tuple[int, ...] = (1, 2)) -> Pig:
    """Pigs of all kinds: weighted dice, no, one or several faces that lose, faces beyond the target."""
    faces = draw(st.dictionaries(st.integers(1, 12), st.integers(1, 4), min_size=1, max_size=5))
    losing = draw(st.sets(st.sampled_from(sorted(faces)), max_size=len(faces) - 1))
    return Pig(
        draw(st.integers(1, most)),
        die=write_die(Lottery(tuple(faces), tuple(faces.values()))),
        bust=tuple(losing),
        players=draw(st.sampled_from(players)),
    )


# ---- arrays against rules


def described(graph: Graph, game: Pig) -> dict[Any, Any]:
    """What a graph says, whatever its numbers: state -> its actions, each with the chance of (to, shift, reward)."""
    count, said = len(graph.states), {}
    names = [*graph.states, *map(tuple, graph.ends.tolist())]
    for state in range(count):
        options = []
        for choice in range(graph.first_choice[state], graph.first_choice[state + 1]):
            lottery = graph.lottery[choice]
            edges = range(graph.first_edge[lottery], graph.first_edge[lottery + 1])
            cases = sum(int(graph.weight[edge]) for edge in edges)
            lot: Counter[Any] = Counter()
            for edge in edges:
                paid = (0,) * game.players if graph.reward is None else tuple(graph.reward[edge].tolist())
                lot[names[graph.target[edge]], int(graph.shift[edge]), paid] += int(graph.weight[edge])
                assert graph.chance[edge] == pytest.approx(int(graph.weight[edge]) / cases)
            assert len(lot) == len(edges), "an edge stands twice"
            options.append((graph.actions[choice], {to: Fraction(weight, cases) for to, weight in lot.items()}))
        said[names[state]] = options
    assert graph.states[0] == game.start()
    assert graph.first_choice[-1] == len(graph.actions) == len(graph.lottery)
    assert graph.first_edge[-1] == len(graph.target) == len(graph.shift) == len(graph.weight) == len(graph.chance)
    assert sorted(set(graph.lottery.tolist())) == list(range(len(graph.first_edge) - 1)), "a lottery nobody uses"
    return said


@given(game=pigs())
@settings(deadline=None, max_examples=150)
def test_arrays_say_what_the_rules_say(game: Pig) -> None:
    graph = game.graph()
    assert graph is not None
    by_arrays = described(graph, game)
    assert set(explore(game).states) <= set(by_arrays)
    assert by_arrays == described(explore(game, graph.states), game)


@pytest.mark.parametrize(
    "game",
    [
        Pig(1),
        Pig(1, players=1),
        Pig(2, 2),
        Pig(3, 20),
        Pig(5, 2, bust=(2,)),
        Pig(12),
        Pig(12, players=1),
        Pig(8, win=Fraction(1, 3), lose=-2),
        Pig(8, win=2**80),
        Pig(8, bust=()),
        Pig(8, bust=(1, 6)),
        Pig(2, die="5,9:3,1"),
    ],
    ids=lambda game: game.spec,
)
def test_arrays_of_corner_cases(game: Pig) -> None:
    graph = game.graph()
    assert graph is not None
    assert described(graph, game) == described(explore(game, graph.states), game)


@pytest.mark.parametrize("players", [1, 2])
def test_states_and_their_numbers(players: int) -> None:
    for target in (1, 2, 3, 10, 37):
        states = PigStates(target, players)
        listed = list(states)
        assert len(listed) == len(states) == len(set(listed))
        assert [states.find(state) for state in listed] == list(range(len(states)))
        assert [states[number] for number in range(len(states))] == listed
        assert states[-1] == listed[-1]
        assert states[1:5] == listed[1:5]
        assert states[np.int64(0)] == listed[0]
        for number in (len(states), -len(states) - 1):
            with pytest.raises(IndexError):
                states[number]
        rest = (0,) * (players - 1)
        for other in (Position((target, *rest)), Position((0, *rest), 0, target), Position((-1, *rest))):
            assert states.find(other) is None
    assert PigStates(10, 2).find(Position((0, 10))) is None
    assert PigStates(10, 2).find(Position((0, 0), 1)) is None


def test_the_arrays_of_the_standard_game_are_built_at_once() -> None:
    times = []
    for _ in range(3):
        started = time.process_time()
        graph = Pig().graph()
        times.append(time.process_time() - started)
    assert graph is not None
    assert len(graph.states) == 505_000
    assert min(times) < 1


def test_no_arrays_where_they_would_not_fit_or_not_help() -> None:
    with pytest.raises(LimitError, match="building pig"):
        Pig(100_000).graph()
    assert Pig(5, players=3).graph() is None


# ---- rules and words


@given(game=pigs(most=5, players=(1, 2, 3)))
@settings(deadline=None, max_examples=60)
def test_rules_are_in_order(game: Pig) -> None:
    report = check_game(game, limit=400)
    # the rules of three players are in order, and cannot be solved
    assert all("plays for itself" in problem for problem in report.problems)
    assert not report.problems or game.players > 2
    assert find_game(game.spec) == game


def test_a_turn() -> None:
    game = Pig(20)
    start = game.start()
    assert game.actions(start) == ("roll",)
    assert game.step(start, "roll")[:2] == [(1, 1, Position((0, 0), 1)), (2, 1, Position((0, 0), 0, 2))]
    there = Position((3, 15), 1, 4)
    assert game.actions(there) == ("roll", "hold")
    assert game.step(there, "hold") == [(None, 1, Position((3, 19), 0))]
    assert [to for _, _, to in game.step(there, "roll")] == [Position((3, 15), 0)] + [
        Position((3, score), 1) for score in (21, 22, 23, 24, 25)
    ]
    won = Position((3, 21), 1)
    assert game.actions(won) == ()
    assert game.payoff(won) == (0, 1)
    assert Pig(20, win=3, lose=-3, players=3).payoff(Position((3, 21, 5), 1)) == (-3, 3, -3)


def test_alone_every_turn_costs_one() -> None:
    game = Pig(20, players=1)
    assert game.reward(game.start(), "roll", 1) == game.reward(game.start(), "roll", 6) == -1
    assert game.reward(game.at(0, total=5), "roll", 1) == game.reward(game.at(0, total=5), "hold", None) == 0
    assert game.payoff(Position((20,))) == (0,)
    assert game.step(game.at(7, total=5), "roll")[0] == (1, 1, game.at(7))


def test_words() -> None:
    game = Pig()
    assert game.text(Position((35, 20), 1, 12)) == "20 35 +12"
    assert game.parse("20 35 +12") == game.parse("20,35,12") == game.parse("20 35+12") == game.at(20, 35, total=12)
    assert game.parse("20 35") == game.parse("20 35 0") == game.at(20, 35)
    assert game.parse("102 35") == game.at(102, 35)
    assert game.board(Position((35, 20), 1, 12), ["Alice", "Blair"]) == "Blair: 20, Alice: 35, this turn: 12"
    alone = Pig(players=1)
    assert alone.text(alone.at(20, total=5)) == "20 +5"
    assert alone.parse("20 5") == alone.at(20, total=5)
    assert game.read_action("h", game.at(0, 0, total=4)) == "hold"
    assert game.read_outcome("6", game.start(), "roll") == 6


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("20", "'0 0 \\+8'"),
        ("1 2 3 4", "cannot be read"),
        ("20 x", "cannot be read"),
        ("-5 20", "cannot be read"),
        ("5 " + "9" * 5000, "cannot be read"),
        ("20 100", "has won"),
        ("90 20 +10", "the game is over"),
        ("120 20 +10", "the game is over"),
    ],
)
def test_positions_that_cannot_be(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Pig().parse(text)


def test_one_spelling_for_each_game() -> None:
    assert Pig(die="6,5,4,3,2,1") == Pig()
    assert Pig(die="1,1,2,2").spec == "pig(target=100,sides=2)"
    assert Pig(bust=(6, 1, 6)).spec == "pig(target=100,sides=6,bust=(1,6))"
    assert find_game("pig", target="10", sides="2", bust="2") == Pig(10, 2, bust=(2,))
    assert find_game("pig", bust="") == Pig(bust=())


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"target": 0}, "from 1 up"),
        ({"target": True}, "from 1 up"),
        ({"target": 10**10}, "at most 1,000,000,000 points"),
        ({"sides": 0}, "from 1 up"),
        ({"sides": 10**7}, "at most 1,000,000 sides"),
        ({"players": 0}, "from 1 up"),
        ({"bust": (7,)}, "some of the faces of the die: 1, 2, 3, 4, 5, 6"),
        ({"bust": 1}, "some of the faces"),
        ({"bust": ("1",)}, "some of the faces"),
        ({"die": "2,3"}, "some of the faces of the die: 2, 3"),
        ({"sides": 1}, "nobody could ever win"),
        ({"bust": (1, 2, 3, 4, 5, 6)}, "nobody could ever win"),
        ({"die": "0,1"}, "a face of 0"),
        ({"die": "1,2,3", "sides": 4}, "give one of the two"),
        ({"win": 1, "lose": 1}, "lose must be less than win"),
        ({"win": "x"}, "is not a number"),
        ({"players": 1, "win": 2}, "leave win and lose out"),
    ],
)
def test_games_that_cannot_be(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Pig(**parameters)


# ---- the slow twins against what is known


def test_the_twin_of_two_players() -> None:
    assert float(naive_pig.pig(10, SIX, {1})[0, 0, 0]) == pytest.approx(0.7094243225983, abs=1e-13)
    piglets = {goal: naive_pig.pig(goal, {1: 1, 2: 1}, {2})[0, 0, 0] for goal in (2, 3, 5, 10)}
    assert piglets[2] == Fraction(4, 7)
    assert {goal: round(float(value), 12) for goal, value in piglets.items() if goal > 2} == {
        3: 0.545454545455,
        5: 0.532987012987,
        10: 0.522479407949,
    }


def test_the_twin_of_one_player() -> None:
    assert float(naive_pig.pig_alone(100, SIX, {1})[0, 0]) == pytest.approx(12.545232352, abs=1e-9)


# ---- every engine against the twins


def by_twin(game: Pig) -> dict[Position, Fraction]:
    """What every state is worth to its mover."""
    weights, bust = dict(game.dice), set(game.bust)
    if game.players == 1:
        alone = naive_pig.pig_alone(game.target, weights, bust)
        return {game.at(score, total=total): -turns for (score, total), turns in alone.items()}
    return {
        game.at(*scores, total=total): p for (*scores, total), p in naive_pig.pig(game.target, weights, bust).items()
    }


@given(game=pigs(most=7))
@settings(deadline=None, max_examples=60)
def test_every_state_is_worth_what_the_twin_says(game: Pig) -> None:
    known = by_twin(game)
    exact = solve(game, exact=True)
    assert {state: exact.value(state) for state in exact.states()} == known
    explored = solve(game, using="rules", exact=True)
    assert all(explored.value(state) == known[state] for state in explored.states())
    graph = game.graph()
    assert graph is not None
    for doubles in (solve(game), solve(game, using="rules"), solve_graph(game, graph, in_doubles=True)):
        bound = doubles.report.error_bound
        assert bound is not None
        assert bound < 1e-11
        assert all(abs(Fraction(doubles.value(state)) - known[state]) <= bound for state in doubles.states())


@pytest.mark.parametrize("game", [Pig(30), Pig(60, players=1), Pig(25, 2, bust=(2,))], ids=lambda game: game.spec)
def test_larger_games_are_worth_what_the_twin_says(game: Pig) -> None:
    known, solution = by_twin(game), solve(game)
    assert solution.report.error_bound is not None
    assert all(abs(solution.value(state) - value) <= solution.report.error_bound for state, value in known.items())


def test_the_standard_game() -> None:
    game = Pig()
    solution = solve(game)
    bound = solution.report.error_bound
    assert bound is not None
    assert bound < 1e-12
    assert solution.value(game.start()) == pytest.approx(0.5305927252737, abs=bound + 5e-14)
    # Neller and Presser: with no points on either side hold at 21, not at 20 as the rule of thumb says
    assert [solution.action(game.at(0, 0, total=total)) for total in (19, 20, 21, 22)] == ["roll"] * 2 + ["hold"] * 2
    # a position that play cannot reach, and one of the other seat
    assert 0 < solution.value(game.at(1, 1, total=1)) < 1
    assert solution.values(Position((20, 35), 1, 12)) == solution.values(game.at(35, 20, total=12))[::-1]


def test_payoffs_only_stretch_the_values() -> None:
    chance = solve(Pig(15), exact=True).value(Pig(15).start())
    stretched = Pig(15, win=3, lose=Fraction(-1, 2))
    solution = solve(stretched, exact=True)
    assert solution.value(stretched.start()) == Fraction(-1, 2) + Fraction(7, 2) * Fraction(chance)
    assert certify(solution, exact=True).proven


def test_more_than_two_players_are_refused_by_the_engine() -> None:
    with pytest.raises(CyclicError, match="each of its 3 players plays for itself"):
        solve(Pig(4, players=3))
