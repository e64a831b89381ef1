"""Traces show the game as it was solved: every step rests on earlier ones, every sum adds up, every line fits."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from click.testing import CliRunner

from dicewise import CyclicError, Game, Greed, InputError, solve
from dicewise.cli import cli
from dicewise.engine.explore import explore
from dicewise.engine.solve import solve_graph
from dicewise.engine.trace import Trace, small_graph, trace, trace_as_dict, trace_lines
from random_games import random_game
from small_games import Ladder, Nim, RotatedNim, Table, Walk


def told(game: Game[Any, Any], exact: bool = True) -> Trace:
    return trace(solve(game, exact=exact))


def words(game: Game[Any, Any], exact: bool = False) -> str:
    return "\n".join(trace_lines(told(game, exact)))


LOOP = Table(1, ((0, (((1, 0, -1), (3, 1, 0)),)),), (8,))
"""Costs 1 with chance 1/4 and comes back, otherwise pays 8: V = 1/4 (V - 1) + 3/4 8, so V = 23/3."""

CHASE = Table(2, ((0, (((1, 1, 0), (1, 2, 0)),)), (1, (((1, 0, 0), (1, 2, 0)), ((1, 2, 0),)))), ((1, 0),))
"""The first player wins for certain once somebody gets to the end; the second may pass it back or end it."""


# ---- by hand


def test_the_ladder_as_in_the_notes() -> None:
    assert (
        words(Ladder())
        == """\
ladder(prizes=(1,4,16,64,250))
6 states, from the end of the game to its start; one player.
V(s) is what state s is worth.
Ties: the first listed of equally good actions.

1. 5 choose
   take: 250
   V = 250, nothing to choose

2. 4 choose
   take: 64
   flip: 1/4 x V(5 choose) + 3/4 x 0 = 1/4 x 250 + 3/4 x 0 = 62.5
   V = max(64, 62.5) = 64, by take

3. 3 choose
   take: 16
   flip: 1/4 x V(4 choose) + 3/4 x 0 = 1/4 x 64 + 3/4 x 0 = 16
   V = max(16, 16) = 16, by take (as good: flip)

4. 2 choose
   take: 4
   flip: 1/4 x V(3 choose) + 3/4 x 0 = 1/4 x 16 + 3/4 x 0 = 4
   V = max(4, 4) = 4, by take (as good: flip)

5. 1 choose
   take: 1
   flip: 1/4 x V(2 choose) + 3/4 x 0 = 1/4 x 4 + 3/4 x 0 = 1
   V = max(1, 1) = 1, by take (as good: flip)

6. 0 flip
   flip: 1/4 x V(1 choose) + 3/4 x 0 = 1/4 x 1 + 3/4 x 0 = 0.25
   V = 0.25, nothing to choose"""
    )
    assert "V = max(64, 125/2) = 64, by take" in words(Ladder(), exact=True)


def test_two_players_see_what_is_left_to_them() -> None:
    text = words(RotatedNim(4))
    assert "V(s) is what state s is worth to the player to move there, -V(s) to the other." in text
    assert text.endswith(
        """
4. 4 0
   1: -V(3 0) = -1
   2: -V(2 0) = -1
   3: -V(1 0) = -1
   V = max(-1, -1, -1) = -1, by 1 (as good: 2, 3)"""
    )
    assert "\n3. 2 1, player 2 to move\n" in words(Nim(3))
    assert "player" not in text.partition("\n1. ")[2]


def test_a_state_that_leads_back_to_itself() -> None:
    assert words(LOOP, exact=True).endswith(
        """
1. a state that leads back to itself
   Its value stands on both sides of its equation, which was solved by policy
   iteration in fractions. It holds:
   0
      0: 1/4 x (-1 + V(0)) + 3/4 x 8 = 1/4 x (-1 + 23/3) + 3/4 x 8 = 23/3
      V = 23/3, nothing to choose"""
    )


def test_a_cycle_of_two_players() -> None:
    assert words(CHASE).endswith(
        """
1. a cycle of 2 states
   Each leads to the others, so they were solved together, by policy iteration
   in fractions. These equations hold:
   0, player 1 to move
      0: 1/2 x (1 - V(1)) + 1/2 x 1 = 1/2 x 1 + 1/2 x 1 = 1
      V = 1, nothing to choose
   1, player 2 to move
      0: 1/2 x (1 - V(0)) + 1/2 x 0 = 1/2 x 0 + 1/2 x 0 = 0
      1: 0
      V = max(0, 0) = 0, by 0 (as good: 1)"""
    )


def test_sweeps_are_named_where_they_were_used() -> None:
    game = random_game(3, "cyclic", 1, most=40)
    solution = solve_graph(game, explore(game), in_doubles=True)
    assert "sweeps" in solution.report.method
    assert "together, by sweeps with proven bounds." in " ".join("\n".join(trace_lines(trace(solution))).split())


def test_discounting_is_written_out() -> None:
    solution = solve(Ladder(), exact=True, gamma=Fraction(1, 2))
    assert "1/4 x (1/2 x V(5 choose)) + 3/4 x (1/2 x 0)" in "\n".join(trace_lines(trace(solution)))


def test_each_for_itself_names_the_seats() -> None:
    game = Table(3, ((0, (((1, 1, 0),),)), (1, (((1, 2, 0),), ((1, 3, 0),)))), ((5, 1, 2), (0, 3, 4)))
    text = words(game)
    assert "1: 3\n   V = max(1, 3) = 3, V1 = 4, V2 = 0, by 1" in text
    assert "0: V2(1) = 0\n   V = 0, V1 = 3, V2 = 4, nothing to choose" in text


def test_a_game_that_is_over_at_once() -> None:
    assert "nothing to solve" in words(Nim(0))
    assert told(Nim(0)).steps == ()


# ---- of all games


def has_answer(game: Game[Any, Any]) -> bool:
    try:
        solve(game)
    except CyclicError:
        return False
    return True


KINDS = [("acyclic", 1), ("acyclic", 2), ("acyclic", 3), ("cyclic", 1), ("cyclic", 2), ("rewards", 1)]
RANDOM = [random_game(seed, kind, players, most=60) for seed in range(6) for kind, players in KINDS]
BY_HAND = [Ladder(), RotatedNim(9), Nim(7), Walk(), LOOP, CHASE, Greed(3, 2), Greed(2, 2, players=3)]
GAMES = BY_HAND + [game for game in RANDOM if has_answer(game)]


def test_most_random_games_have_an_answer() -> None:
    assert len(GAMES) - len(BY_HAND) >= 30


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.spec:.40}")
def test_steps_rest_on_earlier_ones_and_sums_add_up(game: Game[Any, Any]) -> None:
    shown = told(game)
    known: set[int] = set()
    for step in shown.steps:
        here = set(step.states)
        assert not here & known
        leads_to = set()
        for state in step.states:
            position = shown.positions[state]
            for option in position.options:
                assert sum(term.chance for term in option.terms) == 1
                assert option.value == sum(term.chance * (term.reward + term.values[0]) for term in option.terms)
                assert option.best == (option.value == position.values[0])
                leads_to |= {term.to for term in option.terms if term.to is not None}
                for term in option.terms:
                    if term.to is not None:
                        assert term.values[0] == shown.positions[term.to].values[term.seat]
            assert position.values[0] == max(option.value for option in position.options)
            assert position.options[position.chosen].best
        assert leads_to <= known | here
        assert step.cycle == bool(leads_to & here)
        known |= here
    assert known == set(range(len(shown.positions)))
    assert shown.positions[0].text == game.text(game.start())


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.spec:.40}")
def test_lines_fit(game: Game[Any, Any], exact: bool) -> None:
    spec, *lines = trace_lines(told(game, exact))
    assert spec == game.spec
    assert max(map(len, lines)) <= 79
    assert all(line == line.rstrip() for line in lines)


def test_long_fractions_are_shortened_and_long_sums_counted() -> None:
    edges = tuple((7**at, 1 + at, 0) for at in range(14))
    game = Table(1, ((0, (edges,)),), tuple(range(14)))
    text = words(game, exact=True)
    assert "0: a sum of 14 terms = 12.8333\n" in text
    assert len(told(game).positions[0].options[0].terms) == 14


# ---- limits, and the command


def test_large_games_are_refused_before_they_are_solved() -> None:
    solution = solve(Greed(20, 6))
    with pytest.raises(
        InputError, match=r"greed\(max=20,sides=6\) has 842 states, too many to read step by step; at most"
    ):
        trace(solution)
    with pytest.raises(InputError, match="is far too large to be drawn; at most 50 states: choose smaller parameters"):
        small_graph(Greed(), 50, "to be drawn")
    ran = CliRunner().invoke(cli, ["solve", "greed", "--max", "100000", "--trace"])
    assert isinstance(ran.exception, InputError)
    assert "too large to read step by step" in str(ran.exception)


def test_the_command_prints_the_same() -> None:
    ran = CliRunner().invoke(cli, ["solve", "greed", "--max", "3", "--sides", "2", "--trace", "--exact"])
    assert ran.output == words(Greed(3, 2), exact=True) + "\n"
    both = CliRunner().invoke(cli, ["solve", "greed", "--max", "3", "--trace", "--format", "csv"])
    assert "give one of them" in str(both.exception)


def test_as_data() -> None:
    content = trace_as_dict(told(Ladder()))
    assert [len(step["states"]) for step in content["steps"]] == [1] * 6
    (state,) = content["steps"][1]["states"]
    assert (state["state"], state["action"], state["value"], state["exact"]) == ("4 choose", "take", 64.0, "64/1")
    take, flip = state["choices"]
    assert (take["best"], flip["best"], flip["exact"]) == (True, False, "125/2")
    assert flip["terms"] == [
        {
            "outcomes": ["HH"],
            "chance": "1/4",
            "to": "5 choose",
            "reward": 0.0,
            "exact_reward": "0/1",
            "value": 250.0,
            "exact": "250/1",
        },
        {
            "outcomes": ["not HH"],
            "chance": "3/4",
            "to": None,
            "reward": 0.0,
            "exact_reward": "0/1",
            "value": 0.0,
            "exact": "0/1",
        },
    ]
    rounded = trace_as_dict(told(Ladder(), exact=False))["steps"][1]["states"][0]
    assert "exact" not in rounded
