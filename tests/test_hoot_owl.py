"""Hoot Owl Hoot: rules, models, kernels, words."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dicewise import HootOwl, InputError, LimitError, Session, certify, check_game, recall, simulate, solve
from dicewise.cli import main
from dicewise.games.hoot_owl import Move, Position
from dicewise.games.hoot_owl.policies import HEURISTICS, ByModel, policy
from dicewise.games.hoot_owl.rules import BOARD
from dicewise.games.hoot_owl.tables import cautions
from dicewise.plot.anygame import scores_chart
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


@pytest.mark.parametrize("form", ["csv", "stdout"])
def test_the_rows_that_are_written_are_counted(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = ["--owls", "1", "--path", "abab", "--starts", "0", "--suns", "2", "--track", "2", "--no-store"]
    assert main(["solve", "hoot-owl", *small, "--format", form, "-o", str(tmp_path / "all")]) == 0
    rows = len((tmp_path / "all").read_text().splitlines()) - (form == "csv")
    assert f"wrote {rows:,} states to" in capsys.readouterr().err


def test_small_decks_are_not_too_large_for_the_rules() -> None:
    small = HootOwl(2, "deck", 2, path="abcabc", starts=(0, 1), cards=(2,), suns=3, track=3)
    assert solve(small).report.states == 2703
    few = HootOwl(1, "deck", 3, players=3, path="abab", starts=(0,), cards=(2,), suns=1, track=2, size=4)
    assert solve(few).report.states == 30
    for owls, players, size in [(3, 2, 3), (6, 4, 10)]:
        with pytest.raises(LimitError, match="too many to go through one by one"):
            solve(HootOwl(owls, "deck", players, players=players, size=size))


MODELS = [(model, hands) for model in ("mix", "lumped", "deck") for hands in (0, 1, 2)]


@pytest.mark.parametrize(("model", "hands"), [*MODELS, ("deck", 3)])
def test_rules_and_a_plain_program_agree(model: str, hands: int) -> None:
    for seed in range(8):
        game = tiny(seed, model, hands)
        if hands == 3:
            game = replace(game, suns=min(game.suns, 2), size=1)
        found = solve(game, using="rules", exact=True)
        assert found.value(game.start()) == plain_value(game), game.spec
        assert found.report.states <= game.most_states(game.start())


KERNELS = [(model, hands) for model, hands in MODELS if model == "mix" or hands < 2]


def after_move(game: HootOwl, state: Position) -> bool:
    """Whether somebody has just played, and is to draw."""
    others = all(len(hand) == game.full for hand in state.hands[1:])
    return game.actions(state) == ("draw",) and len(state.hands[0]) == game.full - 1 and others


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
    covered = list(fast.states())
    worths = fast.worths()
    assert len(set(covered)) == len(covered) == len(worths)
    assert [fast.value(state) for state in covered] == worths.tolist()
    after_moves = {state for state in exact.states() if state.owls != game.first_spaces and after_move(game, state)}
    assert after_moves <= set(covered), game.spec
    certificate = certify(fast)
    assert certificate.violation <= bound
    assert certificate.policy_loss <= fast.tolerance
    assert certificate.states >= len(covered)
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


def test_six_owls_take_what_the_plan_says() -> None:
    plan = HootOwl(6).layered().plan()  # type: ignore[union-attr]
    assert (plan.states, plan.rows) == (3_930_550 * 13 * 84, 3_930_550)
    assert plan.disk == 3_930_550 * 13 * 21 * 8
    assert HootOwl(6, storage="float32").layered().plan().disk * 2 == plan.disk  # type: ignore[union-attr]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("owls", "model", "hands", "value", "digits"),
    [
        (6, "mix", 0, 0.665363531867, 12),
        (5, "mix", 1, 0.826508091750, 12),
        (6, "mix", 1, 0.744803654840, 12),
        (3, "mix", 2, 0.942100, 6),
        (3, "lumped", 1, 0.997580, 6),
        (4, "lumped", 1, 0.988024, 6),
        (1, "deck", 1, 0.999993277507, 12),
        (2, "deck", 1, 0.999708364771, 12),
    ],
)
def test_known_values_that_take_gigabytes(owls: int, model: str, hands: int, value: float, digits: int) -> None:
    """Computed by an independent program; two owls and the real deck are solved two layers at a time."""
    game = HootOwl(owls, model, hands)
    assert solve(game).value(game.start()) == pytest.approx(value, abs=10.0**-digits)


def test_a_wrong_entry_is_found() -> None:
    for model, hands in KERNELS:
        solution = solve(HootOwl(1, model, hands, path="abcab", starts=(0,), cards=(2,), suns=3, track=3, size=2))
        broken = solution.chances.copy()  # type: ignore[attr-defined]
        broken[tuple(np.argwhere(broken > 0)[0])] += 1e-6
        wrong = solution.game.restore({"table": broken}, solution.report)
        assert wrong is not None
        assert certify(wrong).violation > 1e-8


# ---- policies


@pytest.mark.parametrize("name", ["last-owl-first", "front-owl-first", "farthest", "optimal-mix-0", "optimal-mix-1"])
@pytest.mark.parametrize(("model", "hands"), [("deck", 2), ("deck", 3), ("deck", 1), ("lumped", 0)])
def test_compiled_games_are_those_of_the_rules(name: str, model: str, hands: int) -> None:
    game = HootOwl(3, model, hands, path="abcabdacbdabcadb", starts=(0, 1, 4), suns=6, track=5, cards=(2, 3, 2, 3))
    way = policy(game, name)
    assert simulate(game, way, 120, 5) == simulate(game, way, 120, 5, using="rules")


@pytest.mark.parametrize("name", ["optimal-lumped-1", "optimal-lumped-0", "optimal-deck-1", "optimal-mix-2"])
def test_compiled_games_by_models_that_count(name: str) -> None:
    game = HootOwl(2, "deck", 2, path="abcabdacbd", starts=(0, 1), suns=6, track=5, cards=(4,))
    way = policy(game, name)
    found = simulate(game, way, 120, 5)
    assert found == simulate(game, way, 120, 5, using="rules")
    assert 0.05 < found.means[0] < 0.95


@pytest.mark.parametrize(("model", "hands"), KERNELS)
def test_what_is_best_is_played_out_as_by_the_rules(model: str, hands: int) -> None:
    game = HootOwl(2, model, hands, path="abcabdacbd", starts=(0, 1), suns=6, track=4, cards=(2,))
    solution = solve(game)
    found = simulate(game, solution, 200, 6)
    assert found == simulate(game, solution, 200, 6, using="rules")
    assert simulate(game, solution, 20_000, 6).within(solution.values(game.start()))


def test_the_best_play_of_a_model_is_that_of_its_solution() -> None:
    """Who plays the model by the model plays its best moves; in the deck its worth is that of the real game."""
    game = HootOwl(2, "deck", 1, path="abcabdacbd", starts=(0, 1), suns=6, track=4, cards=(2,))
    way = policy(game, "optimal-deck-1")
    assert isinstance(way, ByModel)
    solution = solve(game)
    for before in list(solution.states())[::97]:
        for _, _, state in game.step(before, *game.actions(before)):
            if len(game.actions(state)) < 2:
                continue
            assert solution.choices(state)[0].value == pytest.approx(way.worth(state, way(state)), abs=1e-12)


def test_a_public_projects_figures() -> None:
    """The real deck, two players, last owl first with the farthest card: 0.98 to 0.99 with 3 owls, 0.68 with 6."""
    for owls, low, high in ((3, 0.98, 0.995), (6, 0.67, 0.695)):
        game = HootOwl(owls, "deck", 2)
        found = simulate(game, policy(game, "last-owl-first"), 20_000, 1)
        assert low < found.means[0] < high


def test_better_models_play_the_real_deck_better() -> None:
    game = HootOwl(4, "deck", 2)
    means = [simulate(game, policy(game, name), 20_000, 1).means[0] for name in ("front-owl-first", "last-owl-first")]
    means.append(simulate(game, policy(game, "optimal-mix-1"), 20_000, 1).means[0])
    assert means == sorted(means)


def test_policies_that_cannot_be() -> None:
    assert policy(HootOwl(), "optimal-mix") is None
    assert policy(HootOwl(), "middle-owl-first") is None
    assert all(len(words) > 10 for words in HEURISTICS.values())
    for game, name in (
        (HootOwl(1, "deck", 1), "optimal-mix-2"),
        (HootOwl(1, "mix", 1), "optimal-deck-1"),
        (HootOwl(1, "mix", 1), "optimal-lumped-1"),
        (HootOwl(1, "deck", 2), "optimal-deck-2"),
    ):
        with pytest.raises(InputError, match=f"policy '{name}' "):
            policy(game, name)


# ---- words


@pytest.mark.parametrize(("model", "hands"), MODELS)
def test_the_rules_keep_the_contract(model: str, hands: int) -> None:
    assert check_game(tiny(2, model, hands)).ok
    game = HootOwl(3, model, hands)
    session = Session(game, names=["Ann", "Ben"], seed=4)
    while not session.over:
        state = session.state
        assert game.parse(game.text(state)) == game.as_first(state)
        assert game.board(state, ["Ann", "Ben"])
        for action in game.actions(state):
            assert game.read_action(game.label(action), state) == action
        action = game.actions(state)[0]
        for outcome, _, _ in game.step(state, action):
            assert game.read_outcome(game.label(outcome), state, action) == outcome
        session.push(action)
    assert "owls" in game.final(session.state, ["Ann", "Ben"])


def test_moves_as_people_type_them() -> None:
    game = HootOwl(3)
    state = game.parse("owls=3,4,37 hand=bgr suns=2")
    assert state == Position((3, 4, 37), 2, ("bgr",))
    for text in ("b 3-6", "b 3", "blue 3", "3 b", "B3"):
        assert game.read_action(text, state) == Move("b", 3, 6)
    assert game.read_action("red 37", state) == Move("r", 37, 39)
    assert game.label(Move("r", 37, 39)) == "r 37-nest"
    draw = game.parse("owls=3,4,37 hand=bg")
    assert game.read_outcome("sun", draw, "draw") == "*"
    assert game.read_outcome("Green", draw, "draw") == "g"
    with pytest.raises(InputError, match="action 'y 3' is not possible"):
        game.read_action("y 3", state)


def test_an_owl_jumps_over_others() -> None:
    """Blue spaces are 3, 6, 11, 18, ...; those that are taken are skipped, and behind the last is the nest."""
    game = HootOwl(3)
    assert [at for at, colour in enumerate(BOARD) if colour == "b"][:4] == [3, 6, 11, 18]
    assert game.ahead((3, 6, 11), 3, "b") == 18
    assert game.ahead((3, 6, 34), 6, "b") == 11
    assert game.ahead((3, 6, 35), 35, "b") == 39
    assert HootOwl(1, path="aab", starts=(0,), colours="abc").ahead((0,), 0, "c") == 3


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"owls": 0}, "owls 0 is not allowed"),
        ({"owls": 7}, "have no usual start"),
        ({"model": "pack"}, "model 'pack' is not known; known: mix, lumped, deck"),
        ({"hands": 5}, "hands 5 is not allowed; it is 0 to 4"),
        ({"hands": 3, "players": 4}, "as many players as hands"),
        ({"path": "RGB"}, "path 'RGB' is not allowed"),
        ({"path": ""}, "has no space"),
        ({"path": "abc"}, "--starts 0,1"),
        ({"starts": (1, 2)}, "2 starts are given for 3 owls"),
        ({"starts": (1, 1, 2)}, "starts 1,1,2 are not allowed"),
        ({"starts": (1, 2, 39)}, "0 to 38"),
        ({"cards": (6, 5)}, "are 2 numbers; give one for all colours, or one for each of b, g, o, p, r, y"),
        ({"cards": (0,)}, "cards 0 is not allowed"),
        ({"suns": -1}, "suns -1 is not allowed"),
        ({"track": 0}, "track 0 is not allowed"),
        ({"size": 0}, "size 0 is not allowed"),
        ({"storage": "half"}, "storage 'half' is not known"),
        ({"colours": "aab"}, "name one twice"),
    ],
)
def test_what_cannot_be(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said) as refusal:
        HootOwl(**given)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("model", "hands", "text", "said"),
    [
        ("mix", 1, "owls=3,4", "3 are needed"),
        ("mix", 1, "owls=3,7,7", "two owls cannot be on one space"),
        ("mix", 1, "owls=3,4,40", "it is 0 to 39"),
        ("mix", 1, "owls=2,4,5", "never go back to 2"),
        ("mix", 1, "suns=14", "it is 0 to 13"),
        ("mix", 1, "hand=bgoy", "a full hand has 3"),
        ("mix", 1, "hand=bgx", "cards are b, g, o, p, r, y"),
        ("mix", 1, "hand=b*", "suns are played as they are drawn"),
        ("mix", 1, "pile=b3", "says nothing about"),
        ("mix", 1, "hand=b hand=g", "stands twice"),
        ("mix", 2, "others=b,g", "are 2 hands; 1 are needed"),
        ("lumped", 1, "owls=3,4,9 hand=b", "the draw pile is not known"),
        ("lumped", 1, "owls=3,4,9 hand=b left=36", "it is 0 to 35"),
        ("deck", 1, "owls=3,4,9 hand=b pile=b6", "it is 0 to 5"),
        ("deck", 1, "owls=3,4,9 hand=b pile=six", "cannot be read"),
        ("deck", 2, "suns=12 hand=*** others=bgo", "are too many; the deck has 14"),
        ("deck", 2, "owls=3,4,9 suns=12 hand=- others=** pile=-", "begin with another"),
    ],
)
def test_positions_that_cannot_be(model: str, hands: int, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        HootOwl(3, model, hands).parse(text)


def test_a_position_that_cannot_come_up() -> None:
    game = HootOwl(1, "lumped", path="abcabc", starts=(0,), cards=(2,), suns=2, track=2)
    with pytest.raises(InputError, match="cannot come up"):
        solve(game).value(game.parse("owls=1 hand=ab left=1"))
    deck = solve(HootOwl(2, "deck", path="abab", starts=(0, 1), cards=(2,), suns=3, track=3, size=3))
    for ask in deck.value, deck.choices:
        with pytest.raises(InputError, match="'owls=0,1 suns=0 hand=ab pile=a1' cannot come up"):
            ask(deck.game.parse("owls=0,1 hand=ab pile=a1"))


def test_large_games_of_own_hands_are_refused() -> None:
    with pytest.raises(LimitError, match="too many to go through one by one"):
        solve(HootOwl(3, "deck", 2))


def test_the_caution_stands_beside_the_value(capsys: pytest.CaptureFixture[str]) -> None:
    words = "hoot-owl", "--owls", "1", "--path", "abcabc", "--track", "3"
    assert main(["solve", *words]) == 0
    assert " ".join(capsys.readouterr().out.split()).count("poor picture of the real deck") == 1
    assert main(["simulate", *words, "--policies", "optimal", "--games", "10"]) == 0
    assert "poor picture of the real deck" in " ".join(capsys.readouterr().out.split())
    assert "poor picture of the real deck" in scores_chart(solve(HootOwl(1, path="abcabc"))).words
    assert main(["solve", *words, "--json"]) == 0
    assert "poor picture" in json.loads(capsys.readouterr().out)["cautions"][0]
    assert cautions(HootOwl(1, suns=0)) == ()
    assert "cannot lose to the sun at all" in cautions(HootOwl(1, suns=2))[0]
    assert cautions(HootOwl(1, track=1))[0].endswith("losing takes 1 sun move, and the deck has 14 suns")
    assert main(["advise", *words, "owls=5", "hand=abc"]) == 0
    assert "poor picture of the real deck" in " ".join(capsys.readouterr().out.split())
    assert main(["solve", *words, "--model", "deck", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cautions"] == []


def test_the_store_gives_back_what_was_solved() -> None:
    game = HootOwl(2, path="abcabdacbd", starts=(0, 1))
    assert recall(game).value(game.start()) == recall(game).value(game.start()) == solve(game).value(game.start())
    assert replace(game, storage="float32").spec.endswith("storage=float32)")
