"""Ranges: what a line of words stands for, and which words are refused."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dicewise import Greed, HoldDice, InputError, Pig
from dicewise.games import find_game
from dicewise.study import rulesets
from dicewise.study.rulesets import one_ruleset, read_numbers, read_rulesets, recipe_of, two_player_greed

# ---- numbers


@given(
    first=st.fractions(-50, 50, max_denominator=12),
    step=st.fractions(Fraction(1, 12), 20, max_denominator=12),
    count=st.integers(1, 40),
    rest=st.fractions(0, Fraction(99, 100), max_denominator=100),
)
def test_a_range_has_every_step_up_to_its_end(first: Fraction, step: Fraction, count: int, rest: Fraction) -> None:
    last = first + (count - 1 + rest) * step
    assert read_numbers("x", f"{first}:{last}:{step}") == [first + at * step for at in range(count)]


@given(st.lists(st.decimals(-1000, 1000, places=3), min_size=1, max_size=8))
def test_a_list_has_its_numbers(numbers: list[Any]) -> None:
    assert read_numbers("x", ",".join(map(str, numbers))) == [Fraction(number) for number in numbers]


def test_ranges_in_other_spellings() -> None:
    assert read_numbers("x", "1:3") == [1, 2, 3]
    assert read_numbers("x", " 2 , 6 ,") == [2, 6]
    assert read_numbers("x", "1e-9,.5,+2,1.") == [Fraction(1, 10**9), Fraction(1, 2), 2, 1]
    assert read_numbers("x", "") == []


@pytest.mark.parametrize(
    "text", ["x", "1:x", "5:1", "1:5:0", "1:5:-1", "1:2:3:4", ":", "1:", ".", "1e999999999", "1/0", "9" * 5000, "nan"]
)
def test_ranges_that_cannot_be_read(text: str) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_numbers("x", text)


# ---- rulesets


@given(
    low=st.integers(1, 30),
    more=st.integers(0, 6),
    step=st.integers(1, 3),
    sides=st.sets(st.integers(2, 12), min_size=1),
)
@settings(deadline=None)
def test_every_ruleset_of_a_grid(low: int, more: int, step: int, sides: set[int]) -> None:
    given_words = {"max": f"{low}:{low + more}:{step}", "sides": ",".join(map(str, sorted(sides)))}
    found = read_rulesets("greed", given_words)
    wanted = [(m, s) for m in range(low, low + more + 1, step) for s in sorted(sides)]
    assert list(found.games) == [Greed(m, s) for m, s in wanted]
    named = {"max": 0, "sides": 1}
    assert list(found.values) == [tuple(pair[named[name]] for name in found.varied) for pair in wanted]
    # what is said of them reads as them
    assert read_rulesets(found.text, {}).games == found.games
    assert read_rulesets(found.text, {}).text == found.text


@pytest.mark.parametrize(
    ("game", "words", "varied", "values"),
    [
        ("greed", {"tie": "-1:1:0.5"}, ("tie",), [(-1,), (Fraction(-1, 2),), (0,), (Fraction(1, 2),), (1,)]),
        ("greed", {"tie": "1/3,0.5"}, ("tie",), [(Fraction(1, 3),), (Fraction(1, 2),)]),
        ("greed", {"max": "5,5,7"}, ("max",), [(5,), (7,)]),
        ("greed", {"max": "5;7"}, ("max",), [(5,), (7,)]),
        ("greed", {"max": "5,5"}, (), [()]),
        ("greed", {"die": "1,2,3;1,1,4"}, ("die",), [("1,2,3",), ("1,1,4",)]),
        ("greed", {"die": "1:9,100:1"}, (), [()]),
        ("pig", {"bust": "1;1,2"}, ("bust",), [("1",), ("1,2",)]),
        ("coin-ladder", {"prizes": "1,4,16"}, (), [()]),
        ("coin-ladder", {"prizes": "1,4,16;1,5;"}, ("prizes",), [("1,4,16",), ("1,5",)]),
        ("coin-ladder", {"heads": "0.25:0.75:0.25"}, ("heads",), [(Fraction(n, 4),) for n in (1, 2, 3)]),
        ("greed(max=3:5)", {"sides": "2"}, ("max",), [(3,), (4,), (5,)]),
        ("greed(max='3,5')", {}, ("max",), [(3,), (5,)]),
    ],
)
def test_rulesets_of_every_kind(game: str, words: dict[str, str], varied: tuple[str, ...], values: list[Any]) -> None:
    found = read_rulesets(game, words)
    assert found.varied == varied
    assert list(found.values) == values
    assert len(found.games) == len(values)
    assert read_rulesets(found.text, {}).games == found.games


def test_a_die_is_that_die() -> None:
    found = read_rulesets("greed", {"max": "20", "die": "1,2,3;1,1,4"})
    assert found.games == (Greed(20, 3), Greed(20, die="1,1,4"))


def test_defaults_are_for_what_is_not_given() -> None:
    usual = {"max": "1:5", "sides": "2:3"}
    assert len(read_rulesets("greed", {}, usual).games) == 10
    assert len(read_rulesets("greed(sides=4)", {"max": "7"}, usual).games) == 1
    assert read_rulesets("pig", {}, usual).games == tuple(Pig(sides=sides) for sides in (2, 3))


@pytest.mark.parametrize(
    ("game", "words", "message"),
    [
        ("greed", {"mxa": "1:5"}, "did you mean 'max'"),
        ("gred", {}, "did you mean 'greed'"),
        ("greed(max=1:3)", {"max": "3"}, "give it once"),
        ("greed", {"max": "1:99999999"}, "has 99,999,999 values, at most 10,000"),
        ("greed", {"max": "1:1000", "sides": "1:1000"}, "max, sides make 1,000,000 rulesets, at most 100,000"),
        ("greed", {"max": "1:2:0.5"}, "max '1.5' is not a whole number"),
        ("greed", {"max": "-3:3"}, r"max -3 is not allowed.*\(met at max -3\)"),
        ("greed", {"max": "a,b"}, "max 'a' is not a whole number"),
        ("greed", {"max": ","}, "max ',' is not a whole number"),
        ("coin-ladder", {"coins": "1:2", "heads": "0,1"}, r"heads 0 is not allowed.*\(met at coins 1, heads 0\)"),
    ],
)
def test_what_is_refused(game: str, words: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_rulesets(game, words)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("words", [{"max": "abc"}, {"mxa": "3"}, {"lose": "5"}])
def test_a_range_is_not_named_where_it_is_not_to_blame(words: dict[str, str]) -> None:
    with pytest.raises(InputError, match=r"^((?!met at).)*$"):
        read_rulesets("greed", words | {"sides": "2:4"})
    with pytest.raises(InputError, match=r"lose 3 .*\(met at lose 3\)"):  # the last value alone
        read_rulesets("greed", {"lose": "-1,3"})


def test_what_studies_are_about() -> None:
    assert one_ruleset(read_rulesets("greed", {}), "x") == Greed()
    with pytest.raises(InputError, match="max and sides have several values"):
        one_ruleset(read_rulesets("greed", {"max": "1:2", "sides": "2:3"}), "x")
    assert two_player_greed([Greed(3), Greed(4)], "x") == [Greed(3), Greed(4)]
    for other in (Greed(3, players=3), HoldDice()):
        with pytest.raises(InputError, match="study x is about greed for two players, not"):
            two_player_greed([Greed(3), other], "x")


# ---- recipes

RULES = """
from dataclasses import dataclass, field
from dicewise import Game, sure

@dataclass(frozen=True)
class Countdown(Game[int, int]):
    stones: int = 5
    rate: float = 0.5
    slow: bool = False
    note: str = ""

    def start(self): return self.stones
    def actions(self, state): return tuple(n for n in (1, 2) if n <= state)
    def step(self, state, action): return sure(state - action)
    def payoff(self, state): return 10 if self.slow else 20
    def reward(self, state, action, outcome): return -self.rate
"""


@pytest.mark.parametrize("folder", ["plain", "with space", "with (brackets)", "it's", "a,b=c", "ü(", "x:y"])
def test_a_recipe_makes_the_same_game(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / folder).mkdir()
    path = tmp_path / folder / "own rules.py"
    path.write_text(RULES, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for text in (f"{folder}/own rules.py:Countdown", f"{path}:Countdown(stones=7,slow=yes)"):
        game = find_game(text)
        recipe = recipe_of(game)
        assert recipe is not None
        monkeypatch.chdir("/")
        assert find_game(recipe) == game
        monkeypatch.chdir(tmp_path)


def test_recipes_of_the_house_and_of_nothing(tmp_path: Path) -> None:
    from small_games import Nim  # rules that were imported, not read from a file by their name

    assert recipe_of(Greed(5, die="1,1,4")) == Greed(5, die="1,1,4").spec
    assert recipe_of(Nim()) is None
    path = tmp_path / "rules.py"
    path.write_text(RULES, encoding="utf-8")
    game = find_game(f"{path}:Countdown", note="both \" and ' stand in it")
    assert recipe_of(game) is None  # its spec does not lead back to it
    game = find_game(f"{path}:Countdown")
    path.write_text(RULES.replace("20", "30"), encoding="utf-8")
    assert recipe_of(game) is None  # the file has changed
    path.unlink()
    assert recipe_of(game) is None


def test_ranges_of_a_game_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "rules.py"
    path.write_text(RULES, encoding="utf-8")
    found = read_rulesets(f"{path}:Countdown(stones=3:5)", {"rate": "0:1:0.25", "slow": "yes,no"})
    assert found.varied == ("stones", "rate", "slow")
    assert len(found.games) == 3 * 5 * 2
    assert found.values[3] == (3, 0.25, False)
    assert found.text == 'countdown(stones=3:5,rate=0:1:0.25,slow="yes,no",note="")'


def test_words_and_lists_are_told_apart() -> None:
    for kind, word in (
        *((int, True), (float, True), (bool, True), (Fraction, True), (int | Fraction, True), (int | None, True)),
        *((str, False), (tuple[int, ...], False), (int | str, False), (int | tuple[int, ...], False)),
    ):
        assert rulesets._is_word(kind) == word, kind
