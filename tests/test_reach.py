"""How often play comes to each state: against a walk through all plays in fractions, and against played games."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dicewise import CyclicError, Game, Greed, LimitError, Session, evaluate, find_game, solve
from dicewise.engine import reach as reaching
from dicewise.engine.reach import Reach, reach
from random_policies import mix_of, policy_tables, tables
from small_games import RotatedNim, Table


def moves_of(game: Game[Any, Any], policies: list[dict[Any, Any]], state: Any) -> dict[Any, Fraction]:
    """Where a state leads to, straight from the rules."""
    actions = list(game.actions(state))
    found: dict[Any, Fraction] = {}
    mix = mix_of(policies[game.turn(state)][state]) if len(actions) > 1 else dict.fromkeys(actions, Fraction(1))
    for action, share in mix.items():
        lottery = game.step(state, action)
        total = sum(weight for _, weight, _ in lottery)
        for _, weight, to in lottery:
            found[to] = found.get(to, Fraction(0)) + share * Fraction(weight, total)
    return found


def all_plays(game: Game[Any, Any], policies: list[dict[Any, Any]]) -> dict[Any, Fraction]:
    """The chance of every state of a game without loops, play by play."""
    found: dict[Any, Fraction] = {}

    def walk(state: Any, chance: Fraction) -> None:
        found[state] = found.get(state, Fraction(0)) + chance
        for to, share in moves_of(game, policies, state).items():
            walk(to, chance * share)

    walk(game.start(), Fraction(1))
    return {state: chance for state, chance in found.items() if list(game.actions(state))}


def solve_line_by_line(rows: list[list[Fraction]]) -> list[Fraction]:
    """Gauss and Jordan, in fractions: rows are the equations with their right sides."""
    count = len(rows)
    for at in range(count):
        pivot = next(row for row in range(at, count) if rows[row][at])
        rows[at], rows[pivot] = rows[pivot], rows[at]
        rows[at] = [number / rows[at][at] for number in rows[at]]
        for other in range(count):
            if other != at and rows[other][at]:
                factor = rows[other][at]
                rows[other] = [a - factor * b for a, b in zip(rows[other], rows[at], strict=True)]
    return [row[-1] for row in rows]


def hit(game: Game[Any, Any], policies: list[dict[Any, Any]], states: list[Any], goal: Any) -> Fraction:
    """The chance to come to a state, by its own equations: h(goal) = 1, h(s) = sum of P(t | s) h(t)."""
    place = {state: at for at, state in enumerate(states)}
    rows = []
    for state in states:
        row = [Fraction(0)] * (len(states) + 1)
        row[place[state]] += 1
        if state == goal:
            row[-1] = Fraction(1)
        else:
            for to, share in moves_of(game, policies, state).items():
                if to in place:
                    row[place[to]] -= share
        rows.append(row)
    return solve_line_by_line(rows)[place[game.start()]]


def by_state(found: Reach, numbers: Any) -> dict[Any, Any]:
    return dict(zip(found.states, numbers.tolist(), strict=True))


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_without_loops_every_play_adds_its_chance(data: st.DataObject) -> None:
    game = data.draw(tables())
    policies = [data.draw(policy_tables(game)) for _ in range(game.players)]
    wanted = all_plays(game, policies)
    found = reach(game, policies, exact=True)
    assert by_state(found, found.chances) == by_state(found, found.visits) == wanted
    rounded = reach(game, policies)
    assert by_state(rounded, rounded.chances) == pytest.approx({s: float(c) for s, c in wanted.items()}, abs=1e-14)
    assert found.moves == evaluate(game, policies, exact=True).moves


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_with_loops_visits_and_chances_satisfy_their_equations(data: st.DataObject) -> None:
    game = data.draw(tables(loops=True))
    policies = [data.draw(policy_tables(game)) for _ in range(game.players)]
    found = reach(game, policies, exact=True)
    visits, states = by_state(found, found.visits), list(found.states)
    for state in states:
        came = sum((visits[s] * moves_of(game, policies, s).get(state, 0) for s in states), Fraction(0))
        assert visits[state] == came + (state == game.start())
    for state, chance in by_state(found, found.chances).items():
        assert chance == hit(game, policies, states, state)
    assert found.moves == evaluate(game, policies, exact=True).moves
    rounded = reach(game, policies)
    assert np.allclose(rounded.visits, found.visits.astype(float), rtol=1e-12, atol=0)
    assert np.allclose(rounded.chances, found.chances.astype(float), rtol=1e-12, atol=0)


def test_slow_loops_keep_their_digits() -> None:
    rare = 10**12
    game = Table(1, ((0, (((rare, 0, 0), (1, 1, 0)),)), (0, (((rare, 0, 0), (1, 2, 0)),))), (8,))
    found, wanted = reach(game, {}), reach(game, {}, exact=True)
    assert wanted.visits.tolist() == [(rare + 1) ** 2, rare + 1]
    assert np.allclose(found.visits, wanted.visits.astype(float), rtol=1e-12, atol=0)
    assert found.chances.tolist() == [1.0, 1.0]


def test_loops_that_are_too_large_go_round(monkeypatch: pytest.MonkeyPatch) -> None:
    game = find_game("hold-dice(dice=2,sides=4)")
    solution = solve(game)
    whole = reach(game, solution)
    monkeypatch.setattr(reaching, "MOST_NODES", 1)
    partly = reach(game, solution)
    assert np.allclose(partly.visits, whole.visits, rtol=1e-9)
    assert 0 < partly.left_over <= reaching.LEFT_OVER
    assert partly.is_partial
    assert not whole.is_partial
    assert np.isnan(partly.chances).any()
    assert partly.likeliest(3) == np.argsort(-np.round(whole.visits, 12), kind="stable")[:3].tolist()
    monkeypatch.setattr(reaching, "MOST_WORK", 10)
    with pytest.raises(LimitError, match="of the chances still went round among"):
        reach(game, solution)
    monkeypatch.setattr(reaching, "MOST_EXACTLY", 1)
    with pytest.raises(LimitError, match=r"at most 1 can be followed in fractions: .* or leave exact out"):
        reach(game, solution, exact=True)


def test_play_that_never_ends_is_refused() -> None:
    game = Table(1, ((0, (((1, 0, 0),), ((1, 1, 0),))),), (8,))
    assert reach(game, {0: 1}).visits.tolist() == [1.0]
    with pytest.raises(CyclicError, match="with these policies: they go round there for ever"):
        reach(game, {0: 0})


def test_rotated_twins_are_one() -> None:
    found = reach(RotatedNim(4), solve(RotatedNim(4)))
    assert {state.stones for state in found.states} >= {4}
    assert {state.turn for state in found.states} == {0}
    assert found.moves == 2


def test_it_is_what_happens_in_played_games() -> None:
    game = Greed(12, 3)
    solution = solve(game)
    found = reach(game, solution)
    chances, seen = by_state(found, found.chances), dict.fromkeys(found.states, 0)
    games = 2000
    for number in range(games):
        session = Session(game, ["a", "b"], seed=7, number=number)
        while game.actions(session.state):
            seen[game.as_first(session.state)] += 1
            session.push(solution.action(session.state))
    for state, chance in chances.items():
        error = max((chance * (1 - chance) / games) ** 0.5, 1 / games)
        assert abs(seen[state] / games - chance) < 5 * error


def test_from_another_state_and_with_a_limit() -> None:
    game = Greed(12, 3)
    solution = solve(game)
    assert reach(game, solution, state=game.at(12, 12)).moves == 2
    assert len(reach(game, solution, state=game.at(3, 12, last=True)).states) == 1
    with pytest.raises(LimitError, match="has more than 5 states"):
        reach(game, solution, limit=5)
    told: list[float] = []
    reach(game, solution, progress=lambda share, doing: told.append(share))
    assert told
    assert 0 <= min(told) <= max(told) <= 1
