"""Random games with random policies, and what they are worth, straight from the rules: for the tests of policies."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from dicewise import Game
from small_games import Table

NUMBER = st.one_of(st.integers(-3, 3), st.fractions(-2, 2, max_denominator=6))


@st.composite
def tables(draw: st.DrawFn, loops: bool = False, pays: bool = True) -> Table:
    """Games of one to three players. With loops play may come back, but always finds its way to the end."""
    players = draw(st.integers(1, 3))
    count, ends = draw(st.integers(1, 7)), draw(st.integers(1, 4))

    def pay() -> Any:
        return tuple(draw(NUMBER) for _ in range(players))

    moves = []
    for state in range(count):
        actions = []
        for _ in range(draw(st.integers(1, 3))):
            lowest = 0 if loops else state + 1
            onward = draw(st.integers(state + 1, count + ends - 1))  # the way out that every action has
            others = draw(st.lists(st.integers(lowest, count + ends - 1), max_size=2))
            edges = [(draw(st.integers(1, 5)), to, pay() if pays else 0) for to in (onward, *others)]
            actions.append(tuple(draw(st.permutations(edges))))
        moves.append((draw(st.integers(0, players - 1)), tuple(actions)))
    return Table(players, tuple(moves), tuple(pay() for _ in range(ends)))


@st.composite
def policy_tables(draw: st.DrawFn, game: Table) -> dict[int, Any]:
    """A table with an action or a mix for every state."""
    table: dict[int, Any] = {}
    weight = st.one_of(st.integers(0, 4), st.fractions(0, 2, max_denominator=5), st.sampled_from([0.1, 0.25, 0.7]))
    for state, (_, actions) in enumerate(game.moves):
        mix = {action: draw(weight) for action in range(len(actions))}
        table[state] = mix if any(mix.values()) and draw(st.booleans()) else draw(st.sampled_from(sorted(mix)))
    return table


def mix_of(answer: Any) -> dict[Any, Fraction]:
    """An answer of a policy as chances."""
    if not isinstance(answer, dict):
        return {answer: Fraction(1)}
    weights = {a: Fraction(str(w)) if isinstance(w, float) else Fraction(w) for a, w in answer.items()}
    return {action: weight / sum(weights.values()) for action, weight in weights.items() if weight}


def pay_of(game: Game[Any, Any], pay: Any) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, pay if isinstance(pay, tuple) else (pay,) * game.players))


def endings(
    game: Game[Any, Any], policies: list[dict[Any, Any]], state: Any, known: dict[Any, Any]
) -> dict[tuple[Any, ...], Fraction]:
    """The chances of all (totals of the players, moves, decisions) from a state on, in a game without loops."""
    if state not in known:
        actions = list(game.actions(state))
        found: dict[tuple[Any, ...], Fraction] = {}
        if not actions:
            found[pay_of(game, game.payoff(state)), 0, 0] = Fraction(1)
        mix = mix_of(policies[game.turn(state)][state]) if len(actions) > 1 else dict.fromkeys(actions, Fraction(1))
        for action, share in mix.items():
            lottery = game.step(state, action)
            total = sum(weight for _, weight, _ in lottery)
            for outcome, weight, to in lottery:
                paid = pay_of(game, game.reward(state, action, outcome))
                for (totals, moves, decisions), chance in endings(game, policies, to, known).items():
                    end = (
                        tuple(a + b for a, b in zip(totals, paid, strict=True)),
                        moves + 1,
                        decisions + (len(actions) > 1),
                    )
                    found[end] = found.get(end, Fraction(0)) + share * Fraction(weight, total) * chance
        known[state] = found
    return known[state]  # type: ignore[no-any-return]
