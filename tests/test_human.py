"""Policies small enough to remember: the search against brute force, losses against the engine, bytes and back."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dicewise import Greed, InputError, LimitError, best_response, evaluate, memory, solve
from dicewise.cli import main
from dicewise.games.greed.policies import Dice, best_reply_exactly, dice_of, duel, mean_exactly
from dicewise.games.greed.thumb import FAMILIES, letters_of, make, read
from dicewise.study import human, thumbs
from dicewise.study.compact import HEAD, decode, encode, sizes
from dicewise.study.human import study_human, tree_of
from dicewise.study.thumbs import Arena, arena_of, grid_of, search
from dicewise.study.trees import Garden, Leaf, Node, as_data, leaves_of, lines_of
from dicewise.study.work import Work

RULESETS = [Greed(9, 3), Greed(8, die="1,1,2,5"), Greed(8, 4, tie=-1), Greed(1, 1), Greed(2, 6)]


def told(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What a command prints."""
    code = main(list(words))
    output = capsys.readouterr()
    assert code == 0, output.err
    return output.out


# ---- rules of thumb


def by_trying(arena: Arena, family: str) -> float:
    """The least loss of a family: each rule of the grid played out from every state."""
    game, letters = arena.game, letters_of(family)
    optimum = duel(game, arena.optimal, arena.optimal).mean.payoff(game)
    losses = []
    for numbers in product(*(grid_of(game, letter) for letter in letters)):
        rule = make(family, dict(zip(letters, numbers, strict=True)))
        rolls = [
            np.array([[rule.dice(game, a, q, last) for q in range(game.max + 1)] for a in range(game.max + 1)])
            for last in (False, True)
        ]
        losses.append(optimum - duel(game, Dice(*rolls), arena.optimal).mean.payoff(game))
    return float(min(losses))


@pytest.mark.parametrize("game", [Greed(6, 2), Greed(5, die="1,1,2", tie=-1), Greed(1, 1)], ids=str)
def test_the_search_finds_the_best_rules(game: Greed) -> None:
    found, in_vain = search(game, game.spec, 2, Work())
    assert {each.family for each in found} == {family for family in FAMILIES if len(letters_of(family)) < 3}
    assert not in_vain
    for each in found:
        assert each.whole
        assert each.tried == math.prod(len(grid_of(game, letter)) for letter in letters_of(each.family))
        assert each.loss == pytest.approx(by_trying(arena_of(game.spec), each.family), abs=1e-12)
        assert read(game, each.name) == each.rule


def test_a_third_number_is_kept_only_if_it_helps() -> None:
    game = Greed(5, 2)
    found, in_vain = search(game, game.spec, 3, Work())
    losses = {each.family: each.loss for each in found}
    assert set(losses) | set(in_vain) == set(FAMILIES)
    for family in FAMILIES:
        if len(letters_of(family)) == 3:
            least, bar = by_trying(arena_of(game.spec), family), losses[thumbs.parent_of(family)]
            if family in in_vain:
                assert least >= bar - 1e-12
            else:
                assert losses[family] == pytest.approx(least, abs=1e-12)
                assert least < bar


def test_descents_come_near_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    game = Greed(20, 3)
    whole, _ = search(game, game.spec, 2, Work())
    monkeypatch.setattr(thumbs, "WHOLE_GRID", 0)
    some, _ = search(game, game.spec, 2, Work())
    for best, near in zip(whole, some, strict=True):
        assert best.whole
        assert not near.whole
        assert near.loss == pytest.approx(best.loss, abs=1e-9)
        assert near.tried < 16 * best.tried


def test_the_rule_for_the_standard_game() -> None:
    """The exact loss of the best rule with at most three numbers, against what the engine makes of its words."""
    game = Greed(100, 6)
    arena = arena_of(game.spec)
    policy = game.heuristic("per-4-to-97-max-98")
    assert policy is not None
    tables = dice_of(game, policy)
    exact = -mean_exactly(game, tables, arena.optimal).payoff(game)
    assert float(exact) == pytest.approx(0.00872974738739785, abs=1e-17)
    moving = evaluate(game, [policy, solve(game)])
    waiting = evaluate(game, [solve(game), policy])
    assert moving.error_bound is not None
    assert waiting.error_bound is not None
    engine = -(Fraction(moving.values[0]) + Fraction(waiting.values[1])) / 2
    assert abs(engine - exact) <= moving.error_bound + waiting.error_bound < 1e-9
    # no number of it can be changed a little for the better
    for x, k, d in product((96, 97, 98), (97, 98, 99), (Fraction(7, 2), Fraction(4), Fraction(9, 2))):
        near = arena.loss(make("per-D-to-X-max-K", {"D": d, "X": x, "K": k}))
        assert near >= float(exact) - 1e-12


@pytest.mark.slow
def test_the_rule_for_the_standard_game_in_fractions() -> None:
    game = Greed(100, 6)
    found = study_human(game).facts["best"]
    assert found["rule"] == "per-4-to-97-max-98"
    policy, optimal = game.heuristic(found["rule"]), dice_of(game, solve(game, exact=True))
    moving = evaluate(game, [policy, optimal], exact=True).values[0]
    waiting = evaluate(game, [optimal, policy], exact=True).values[1]
    assert -(moving + waiting) / 2 == Fraction(found["exact_loss"])


# ---- the study


@pytest.mark.parametrize("game", RULESETS, ids=str)
def test_losses_of_the_study_are_the_engine_s(game: Greed) -> None:
    study = study_human(game, leaves=3)
    optimal = dice_of(game, solve(game, exact=True))
    value = evaluate(game, optimal, exact=True)
    optimum = sum(value.values) / Fraction(2)
    best, tree = study.facts["best"], study.facts["tree_of"]
    for facts, policy in (
        (best, game.heuristic(best["rule"])),
        (tree, Garden(arena_of(game.spec)).policy(tree_of(tree["root"]))),
    ):
        got = evaluate(game, [policy, optimal], exact=True).values[0]
        got += evaluate(game, [optimal, policy], exact=True).values[1]
        assert Fraction(facts["exact_loss"]) == optimum - got / 2
        replies = [best_response(game, policy, seat, exact=True).value(game.start()) for seat in (0, 1)]
        assert Fraction(facts["exact_exposure"]) == sum(replies) / Fraction(2) - optimum
        assert facts["loss"] == pytest.approx(float(Fraction(facts["exact_loss"])), abs=1e-12)
        assert facts["exposure"] == pytest.approx(float(Fraction(facts["exact_exposure"])), abs=1e-12)
        assert facts["loss"] > -1e-12
    for row in study.table("rules").rows():
        assert row["win"] + row["tie"] + row["lose"] == pytest.approx(1)
        assert row["loss"] >= best["loss"] - 1e-12
    losses = [row["loss"] for row in study.table("sizes").rows()]
    assert all(later < former for former, later in pairwise(losses))


def test_nothing_is_lost_where_a_tie_is_a_win() -> None:
    """Both stand at once, which half-way in the last turn would not."""
    study = study_human(Greed(5, tie=1), numbers=1, leaves=1)
    assert study.facts["best"]["exact_loss"] == study.facts["tree_of"]["exact_loss"] == "0/1"
    # what 'exposure' means is said before any is told
    assert study.findings[0].startswith("With these payoffs")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("pig",), "study human is about greed for two players, not pig"),
        (("greed", "--players", "3"), "about greed for two players"),
        (("greed", "--max", "10,20"), "is about one ruleset"),
        (("greed", "--numbers", "4"), "numbers 4 is not allowed; rules have 1 to 3 numbers"),
        (("greed", "--leaves", "0"), "leaves 0 is not allowed; trees have 1 to 64 leaves"),
        (("greed", "--lose", "1", "--tie", "1"), "pays the same whoever wins"),
    ],
)
def test_what_is_refused(words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "human", *words]) == 2
    assert message in capsys.readouterr().err


def test_what_does_not_fit_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(memory, "available", lambda: 10**9)
    monkeypatch.setattr(human, "arena_of", lambda recipe: pytest.fail("the search is loaded"))
    with pytest.raises(LimitError, match=r"trying policies of greed\(max=2000,sides=6\) needs 37\.. GB of memory"):
        study_human(Greed(2000, 6), work=Work(progress=lambda done, doing: told.append(doing)))
    assert not told


def test_the_search_is_loaded_before_its_progress_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    def noted(what: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*words: Any) -> Any:
            done.append(what)
            return function(*words)

        return call

    monkeypatch.setattr(Arena, "loss", noted("tried", Arena.loss))
    monkeypatch.setattr(human, "search", noted("searched", search))
    study_human(Greed(2, 2), numbers=1, leaves=1)
    assert done[:2] == ["tried", "searched"]


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ("study", "human", "greed", "--max", "6", "--sides", "2", "--leaves", "3", "--jobs", "1", "--quiet")
    said = told(capsys, *words, "-o", str(tmp_path / "human.svg"))
    assert "a tree of 3 leaves" in said
    assert "on a card: Stand at" in said
    assert max(map(len, said.partition("The best rule")[0].splitlines())) <= 80
    assert "numbers, or leaves" in (tmp_path / "human.svg").read_text()
    found = json.loads(told(capsys, *words, "--json"))
    assert found["study"] == "human"
    assert found["bytes"]["compact"] < found["bytes"]["raw"]
    assert leaves_of(tree_of(found["tree_of"]["root"])) == found["tree_of"]["leaves"] == 3
    rows = list(csv.DictReader(io.StringIO(told(capsys, *words, "--format", "csv"))))
    assert {row["rule"] for row in rows} == {row["rule"] for row in found["rules"]}
    one = json.loads(told(capsys, *words, "--numbers", "1", "--json"))
    assert [row["rule"] for row in one["rules"]] == [one["best"]["rule"]]


# ---- trees


def test_a_tree_says_what_it_does() -> None:
    garden = Garden(arena_of(Greed(20, 6).spec))
    tree = Node("own", 17, Node("lead", 2, Leaf("stand"), Leaf("roll", 1)), Leaf("per", 18, Fraction(7, 2)))
    assert list(lines_of(tree)) == [
        "if you have 17 or more:",
        "| if you lead by 2 or more: stand",
        "| otherwise: roll 1",
        "otherwise: 3.5 a die to 18",
    ]
    assert tree_of(json.loads(json.dumps(as_data(tree)))) == tree
    policy = garden.policy(tree)
    assert [policy(garden.game.at(*scores)) for scores in ((17, 15), (17, 16), (4, 0), (15, 0))] == [0, 1, 4, 1]
    assert policy(garden.game.at(20, 19)) == 0
    stands = garden.policy(Leaf("stand"))
    assert stands(garden.game.at(5, 5)) == 0
    assert stands(garden.game.at(5, 6)) == 1  # whoever is behind rolls


def test_a_split_gains_what_it_promises() -> None:
    """The best single question, by trying every one with every pair of leaves on the weights of optimal play."""
    game = Greed(6, 2)
    garden = Garden(arena_of(game.spec))
    garden.leaves = garden.leaves[::4]
    weights = garden.weights(Leaf("roll", 1))
    regret = garden.arena.opponent.regret

    def cost(policy: Any) -> float:
        counted = [(a, q) for a, q in product(range(7), repeat=2) if weights[a, q] > 1e-7]
        return float(sum(weights[a, q] * regret[a, q, policy[a, q]] for a, q in counted))

    least = min(
        cost(garden.policy(Node(asks, number, yes, no)).normal)
        for asks in ("own", "other", "lead")
        for number in range(-6, 7)
        for yes in garden.leaves
        for no in garden.leaves
    )
    first = garden.splits(Leaf("roll", 1))[0]
    assert cost(garden.policy(first).normal) == pytest.approx(least, abs=1e-12)


def test_improving_never_makes_it_worse() -> None:
    garden = Garden(arena_of(Greed(20, 6).spec))
    tree = Node("own", 12, Leaf("stand"), Leaf("aim", 14))
    better, loss = garden.improve(tree)
    assert loss < garden.loss(tree)
    assert loss == garden.loss(better)
    assert leaves_of(better) == 2


# ---- bytes


@pytest.mark.parametrize("game", [*RULESETS, Greed(40, 6), Greed(30, die="2,3,7")], ids=str)
def test_the_optimal_policy_there_and_back(game: Greed) -> None:
    policy = dice_of(game, solve(game))
    packed = encode(game, policy)
    assert decode(game, packed).differs(policy) == 0
    found = sizes(game, policy)
    assert found["compact"] == len(packed)
    assert found["raw"] == 2 * (game.max + 1) ** 2
    if game.max >= 20:
        assert len(packed) < min(found["zlib"], found["lzma"])


@given(st.integers(1, 9), st.sampled_from(["1,2,3", "2,3,3", "1:5,9"]), st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_any_policy_there_and_back(top: int, die: str, seed: int) -> None:
    game = Greed(top, die=die)
    random = np.random.default_rng(seed)
    most = np.array([[game.n_max(a)] * (top + 1) for a in range(top + 1)])
    normal, last = random.integers(0, most + 1), np.triu(random.integers(0, most + 1))
    assert decode(game, encode(game, Dice(normal, last))).differs(Dice(normal, last)) == 0


@given(st.binary(max_size=60))
@settings(max_examples=60, deadline=None)
def test_other_bytes_are_refused(data: bytes) -> None:
    game = Greed(8, 3)
    for packed in (data, HEAD.pack(1, 8, 0) + data):
        with pytest.raises(InputError, match="no packed policy of"):
            decode(game, packed)


def test_policies_that_do_not_fit_are_refused() -> None:
    game = Greed(8, 3)
    policy = dice_of(game, solve(game))
    packed = encode(game, policy)
    with pytest.raises(InputError, match="no packed policy"):
        decode(Greed(9, 3), packed)
    with pytest.raises(InputError, match="no packed policy"):
        decode(game, packed[:-2] + bytes([packed[-2] ^ 255, packed[-1]]))
    policy.last[5, 2] = 1
    with pytest.raises(InputError, match="while ahead cannot be packed"):
        encode(game, policy)


def test_the_optimum_is_not_exposed() -> None:
    game = Greed(12, 3)
    optimal = dice_of(game, solve(game))
    assert sum(best_reply_exactly(game, optimal)) == 0
