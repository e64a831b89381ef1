"""Hoot Owl Hoot: rules, models, kernels, words."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dicewise import HootOwl, solve
from naive_hoot_owl import Naive


def tiny(seed: int, model: str, hands: int, **more: Any) -> HootOwl:
    """A random board and deck, small enough for the rules."""
    rng = random.Random(f"{seed} {model} {hands}")
    colours = rng.randint(1, 3)
    path = "".join(rng.choice("abc"[:colours]) for _ in range(rng.randint(1, 6)))
    owls = rng.randint(1, min(2, len(path)))
    starts = tuple(sorted(rng.sample(range(min(len(path), 4)), owls)))
    return HootOwl(
        owls,
        model,
        hands,
        path=path,
        starts=starts,
        cards=tuple(rng.randint(1, 2) for _ in set(path)),
        suns=rng.randint(0, 4),
        track=rng.randint(1, 4),
        size=1 if (model, hands) == ("deck", 2) else rng.randint(1, 2 if hands == 2 else 3),
        **more,
    )


def plain_value(game: HootOwl) -> Fraction:
    deck = dict(zip(game.deck_colours, game.colour_cards, strict=True))
    naive = Naive(
        game.path, game.first_spaces, deck, game.suns, game.track, game.model, game.hands, game.size, number=Fraction
    )
    return Fraction(naive.start_value())


MODELS = [(model, hands) for model in ("mix", "lumped", "deck") for hands in (0, 1, 2)]


@pytest.mark.parametrize(("model", "hands"), [*MODELS, ("deck", 3)])
def test_rules_and_a_plain_program_agree(model: str, hands: int) -> None:
    for seed in range(8):
        game = tiny(seed, model, hands)
        if hands == 3:
            game = replace(game, suns=min(game.suns, 2), size=1)
        found = solve(game, using="rules", exact=True)
        assert found.value(game.start()) == plain_value(game), game.spec
        assert found.report.states <= game.count_states(game.start())


KERNELS = [(model, hands) for model, hands in MODELS if model == "mix" or hands < 2]


def agree(game: HootOwl) -> None:
    """Exact arithmetic, the rules in doubles and the kernel: the same values, and best moves, in every state."""
    exact, fast = solve(game, using="rules", exact=True), solve(game, using="kernel")
    bound = fast.report.error_bound
    assert bound is not None
    for state in exact.states():
        value = exact.value(state)
        assert abs(Fraction(fast.value(state)) - Fraction(value)) <= Fraction(bound), (game.spec, state)
        if game.storage == "float64":
            assert fast.best_actions(state) == exact.best_actions(state), (game.spec, state)
    covered = set(fast.states())
    assert all(len(state.hands[0]) == game.full for state in covered)
    for state in exact.states():
        if len(game.actions(state)) > 1 and len(state.hands[0]) == game.full:
            assert state in covered, (game.spec, state)
    in_doubles = solve(game, using="rules")
    assert in_doubles.value(game.start()) == pytest.approx(fast.value(game.start()), abs=1e-12 + bound)


@pytest.mark.parametrize(("model", "hands"), KERNELS)
def test_kernel_and_exact_arithmetic_agree_in_every_state(model: str, hands: int) -> None:
    for seed in range(6):
        agree(tiny(seed, model, hands))


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_drawn_boards_and_decks_agree_in_every_state(data: Any) -> None:
    model, hands = data.draw(st.sampled_from(KERNELS))
    path = data.draw(st.text("abc", min_size=1, max_size=6))
    owls = data.draw(st.integers(1, min(2, len(path))))
    starts = tuple(sorted(data.draw(st.permutations(range(len(path))))[:owls]))
    colours = "".join(sorted(set(path) | set(data.draw(st.sampled_from(["", "a", "d"])))))
    game = HootOwl(
        owls,
        model,
        hands,
        path=path,
        starts=starts,
        colours=colours,
        cards=tuple(data.draw(st.integers(1, 2)) for _ in colours),
        suns=data.draw(st.integers(0, 3)),
        track=data.draw(st.integers(1, 4)),
        size=data.draw(st.integers(1, 2)),
    )
    agree(game)
    assert solve(game, using="kernel").value(game.start()) == pytest.approx(float(plain_value(game)), abs=1e-12)


def test_single_precision_is_as_good_as_its_bound() -> None:
    for model, hands in KERNELS:
        agree(tiny(3, model, hands, storage="float32"))
    double, single = HootOwl(2), HootOwl(2, storage="float32")
    bound = solve(single).report.error_bound
    off = abs(float(solve(single).value(single.start())) - float(solve(double).value(double.start())))
    assert 1e-10 < off < bound < 1e-5


# ---- known values


@pytest.mark.parametrize(
    ("owls", "model", "hands", "value", "digits"),
    [
        (1, "mix", 0, 0.996877495964, 12),
        (2, "mix", 0, 0.973808560244, 12),
        (3, "mix", 0, 0.919948431047, 12),
        (4, "mix", 0, 0.843189322097, 12),
        (1, "mix", 1, 0.998782772544, 12),
        (2, "mix", 1, 0.987335612987, 12),
        (3, "mix", 1, 0.954617001742, 12),
        (1, "mix", 2, 0.995887, 6),
        (1, "lumped", 1, 0.999993, 6),
        (2, "lumped", 1, 0.999749, 6),
    ],
)
def test_known_values(owls: int, model: str, hands: int, value: float, digits: int) -> None:
    """Computed by an independent program; those of six digits were stored in single precision."""
    game = HootOwl(owls, model, hands)
    solution = solve(game)
    assert solution.value(game.start()) == pytest.approx(value, abs=10.0**-digits)
    assert solution.report.interests == "team"
    assert solution.values(game.start()) == (solution.value(game.start()),) * 2


@pytest.mark.parametrize(
    ("owls", "model", "hands", "states"),
    [(1, "mix", 1, 34 * 13 * 84), (3, "mix", 1, 8_524_152), (1, "mix", 0, 34 * 91)],
)
def test_how_many_states_there_are(owls: int, model: str, hands: int, states: int) -> None:
    assert solve(HootOwl(owls, model, hands)).report.states == states
