"""A game and its parameters as text: what is written is read back, and what cannot be read is refused in words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Optional

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dicewise import Game, Greed, InputError, find_game, sure
from dicewise.game import Number
from dicewise.spec import build, parameters, read_spec, read_value, spec_of

if TYPE_CHECKING:
    from decimal import Decimal


@dataclass(frozen=True)
class Countdown(Game[int, int]):
    """A game, for its subclasses to have parameters."""

    def start(self) -> int:
        return 1

    def actions(self, state: int) -> Sequence[int]:
        return (1,) if state else ()

    def step(self, state: int, action: int) -> Any:
        return sure(0)

    def payoff(self, state: int) -> int:
        return 1


@dataclass(frozen=True)
class AllKinds(Countdown):
    """One parameter of each kind."""

    whole: int = 1
    flag: bool = False
    real: float = 0.5
    part: Fraction = Fraction(1, 3)
    number: Number = 1
    word: str = "abc"
    some: tuple[int, ...] = (1, 2)
    pair: tuple[int, str] = (1, "a")
    maybe: int | None = None
    perhaps: Optional[Fraction] = None  # noqa: UP045
    either: int | str = 0
    rarely_set: int = field(default=7, kw_only=True, metadata={"help": "seldom needed"})


@dataclass(frozen=True)
class Needs(Countdown):
    """A parameter without a default."""

    stones: int


@dataclass(frozen=True)
class HalfSeen(Countdown):
    """One annotation that only a type checker can see; the others still count."""

    stones: int = 3
    price: Decimal | None = None


KIND = {parameter.name: parameter for parameter in parameters(AllKinds)}
RATIONALS = st.fractions(max_denominator=50, min_value=-50, max_value=50)
WORDS = st.text(st.characters(exclude_characters='"', exclude_categories=["Cs"]), max_size=12)


# ---- Greed


@st.composite
def greeds(draw: st.DrawFn) -> Greed:
    given: dict[str, Any] = {"max": draw(st.integers(1, 10**6))}
    if draw(st.booleans()):
        faces = draw(st.dictionaries(st.integers(1, 200), st.integers(1, 40), min_size=1, max_size=6))
        given["die"] = ",".join(f"{face}:{weight}" for face, weight in faces.items())
    else:
        given["sides"] = draw(st.integers(1, 1000))
    if draw(st.booleans()):
        given["players"] = draw(st.integers(2, 9))
    if given.get("players", 2) == 2:
        given["lose"], given["tie"], given["win"] = sorted(draw(st.lists(RATIONALS, min_size=3, max_size=3)))
    return Greed(**given)


@given(greeds())
@settings(max_examples=300, deadline=None)
def test_spec_of_greed_reads_back(game: Greed) -> None:
    again = find_game(game.spec)
    assert again == game
    assert again.spec == game.spec
    assert hash(again) == hash(game)
    assert "\n" not in game.spec


def test_spec_names_what_is_always_given_and_what_differs() -> None:
    assert Greed().spec == "greed(max=100,sides=6)"
    assert Greed(50, 4, tie=Fraction(-1, 2)).spec == "greed(max=50,sides=4,tie=-1/2)"
    assert Greed(20, die="8,5,3,2,1,1").spec == 'greed(max=20,sides=6,die="1:2,2,3,5,8")'
    assert Greed(20, die="1,2,3").spec == "greed(max=20,sides=3)"
    assert Greed(20, win=0.5, tie=0.25).spec == "greed(max=20,sides=6,win=1/2,tie=1/4)"


@given(greeds(), greeds())
@settings(max_examples=200, deadline=None)
def test_different_rules_have_different_files(one: Greed, other: Greed) -> None:
    for mine, theirs in ((one, other), (one, replace(one, win=one.win + 1) if one.players == 2 else other)):
        assert mine == theirs or mine.file_stem != theirs.file_stem
    assert re.fullmatch(r"[\w.=+-]+", one.file_stem)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"tie": 1}, {"tie": -1}),
        ({"die": "1:2,2"}, {"die": "1,2:2"}),
        ({"win": Fraction(3, 2)}, {"win": 3, "lose": -2}),
        ({"die": "1,2,22"}, {"die": "1,22:2"}),
    ],
)
def test_files_of_near_twins_do_not_collide(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert Greed(20, **one).file_stem != Greed(20, **other).file_stem


def test_file_names_of_the_source_program() -> None:
    assert Greed(50, 4).file_stem == "greed_50_4"


# ---- reading


@pytest.mark.parametrize(
    ("text", "name", "given"),
    [
        ("greed", "greed", {}),
        ("  greed ", "greed", {}),
        ("greed()", "greed", {}),
        ("greed(max=50,sides=4)", "greed", {"max": "50", "sides": "4"}),
        (" greed ( max = 50 , sides = 4 ) ", "greed", {"max": "50", "sides": "4"}),
        ('greed(die="1,1,2",max=5)', "greed", {"die": '"1,1,2"', "max": "5"}),
        ("greed(die='1,1,2',max=5)", "greed", {"die": "'1,1,2'", "max": "5"}),
        ("ladder(prizes=(1,4,16),n=2)", "ladder", {"prizes": "(1,4,16)", "n": "2"}),
        ("some/file.py:Class(n=2)", "some/file.py:Class", {"n": "2"}),
        ("my file.py:Class", "my file.py:Class", {}),
        ("downloads/game (1).py:Class", "downloads/game (1).py:Class", {}),
    ],
)
def test_specs_are_read(text: str, name: str, given: dict[str, str]) -> None:
    assert read_spec(text) == (name, given)


@pytest.mark.parametrize(
    "text",
    ["", " ", "(", ")", "()", "(max=5)", "greed(", "greed(max=5", "greed max=5)", "greed(max=5))", "greed((max=5)",
     "greed(max)", "greed(=5)", "greed(5)", "greed(max=1,max=2)", "greed(max=1)(sides=2)", 'greed(die="1,2)',
     "greed(max=5)x"],
)  # fmt: skip
def test_broken_specs_are_refused(text: str) -> None:
    with pytest.raises(InputError) as refusal:
        find_game(text)
    assert "\n" not in str(refusal.value)


@given(st.text(alphabet="gred(max=5,0)'\" :.py", max_size=25))
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_game_or_is_refused(text: str) -> None:
    with suppress(InputError):
        assert isinstance(find_game(text), Game)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("grede", "did you mean 'greed'"),
        ("greed(mx=5)", "did you mean 'max'"),
        ("greed(max=1,max=2)", "'max' stands twice"),
        ("greed(max=ten)", "max 'ten' is not a whole number"),
        ("greed(max=0)", "max 0 is not allowed"),
        ("rules.py", "lacks the name of its class"),
    ],
)
def test_refusals_help(text: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        find_game(text)


def test_parameters_beside_the_spec() -> None:
    assert find_game("greed(max=50)", sides="4") == Greed(50, 4)
    assert find_game("GREED", max="7") == Greed(7)
    with pytest.raises(InputError, match="max is given both in"):
        find_game("greed(max=50)", max="60")


# ---- kinds of parameters


VALUES = {
    "whole": st.integers(),
    "flag": st.booleans(),
    "real": st.floats(allow_nan=False, allow_infinity=False),
    "part": RATIONALS,
    "number": RATIONALS.map(lambda value: int(value) if value.denominator == 1 else value),
    "word": WORDS,
    "some": st.lists(st.integers(), max_size=4).map(tuple),
    "pair": st.tuples(st.integers(), st.from_regex(r"[a-z]{1,5}", fullmatch=True)),
    "maybe": st.none() | st.integers(),
    "perhaps": st.none() | RATIONALS.filter(lambda value: value.denominator > 1),
    "either": st.integers() | st.from_regex(r"[a-z]{1,5}", fullmatch=True),
    "rarely_set": st.integers(),
}


@given(st.fixed_dictionaries({}, optional=VALUES))
@settings(max_examples=400, deadline=None)
def test_every_kind_reads_back(values: dict[str, Any]) -> None:
    game = AllKinds(**values)
    name, given = read_spec(game.spec)
    again = build(AllKinds, given)
    assert name == "all-kinds"
    assert again == game
    for one in fields(AllKinds):
        assert type(getattr(again, one.name)) is type(getattr(game, one.name))


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("whole", "12", 12), ("whole", " -3 ", -3), ("whole", "+4", 4), ("whole", '"5"', 5),
        ("flag", "yes", True), ("flag", "True", True), ("flag", "ON", True), ("flag", "no", False),
        ("real", "1e-3", 0.001), ("real", "2", 2.0),
        ("part", "0.1", Fraction(1, 10)), ("part", "-2/6", Fraction(-1, 3)), ("part", "3", Fraction(3)),
        ("number", "0.5", Fraction(1, 2)), ("number", "2.0", 2), ("number", "1/3", Fraction(1, 3)),
        ("word", "a b", "a b"), ("word", "'it'", "it"), ("word", "", ""),
        ("some", "1,2,3", (1, 2, 3)), ("some", "(4, 5)", (4, 5)), ("some", "6", (6,)), ("some", "", ()),
        ("pair", "1,x", (1, "x")),
        ("maybe", "none", None), ("maybe", "None", None), ("maybe", "3", 3),
        ("perhaps", "1/2", Fraction(1, 2)), ("either", "12", 12), ("either", "x", "x"),
    ],
)  # fmt: skip
def test_texts_people_type(name: str, text: str, value: Any) -> None:
    found = read_value(KIND[name], text)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("whole", ""), ("whole", "x"), ("whole", "1.5"), ("whole", "1e3"), ("whole", "1_000"), ("whole", "9" * 5000),
        ("whole", "²"), ("flag", "maybe"), ("flag", ""), ("real", "x"), ("real", ""),
        ("part", "1/0"), ("part", "x"), ("part", "nan"), ("number", "inf"), ("number", "1/0"), ("number", ""),
        ("some", "1,x"), ("some", "(1,2"), ("pair", "1"), ("pair", "1,a,2"), ("pair", "x,a"),
        ("maybe", "x"), ("perhaps", "x"),
    ],
)  # fmt: skip
def test_unreadable_texts_are_refused_with_an_example_that_works(name: str, text: str) -> None:
    with pytest.raises(InputError) as refusal:
        read_value(KIND[name], text)
    message = str(refusal.value)
    assert message.startswith(name)
    assert "\n" not in message
    example = re.search(r"for example (--\S+) (.+)$", message)
    assert example, message
    assert example[1] == KIND[name].option
    read_value(KIND[name], example[2])


@pytest.mark.parametrize("text", ["1e400", "1e5000", "1e-5000"])
def test_payoffs_beyond_doubles_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="win"):
        find_game("greed(max=5)", win=text)


def test_parameters_know_their_names_defaults_and_help() -> None:
    assert KIND["rarely_set"].option == "--rarely-set"
    assert (KIND["rarely_set"].default, KIND["rarely_set"].help) == (7, "seldom needed")
    assert "rarely_set" not in spec_of(AllKinds())
    assert "rarely_set=8" in spec_of(AllKinds(rarely_set=8))
    assert build(AllKinds, {"rarely-set": "9"}) == AllKinds(rarely_set=9)
    assert [parameter.name for parameter in parameters(Greed)] == [one.name for one in fields(Greed)]


def test_one_parameter_in_two_spellings_is_given_twice() -> None:
    with pytest.raises(InputError):
        build(AllKinds, {"rarely-set": "9", "rarely_set": "8"})


def test_game_without_parameters() -> None:
    assert Countdown().spec == "countdown"
    assert parameters(Countdown) == ()
    with pytest.raises(InputError, match="has no parameter 'n'; it has: none"):
        build(Countdown, {"n": "1"})


def test_parameter_without_default_is_asked_for() -> None:
    assert build(Needs, {"stones": "3"}) == Needs(3)
    with pytest.raises(InputError, match="needs a value for stones; give --stones"):
        build(Needs, {})
    with pytest.raises(InputError, match="is not a whole number"):
        build(Needs, {"stones": "x"})


def test_annotation_that_cannot_be_seen_spoils_no_other() -> None:
    assert build(HalfSeen, {"stones": "5"}) == HalfSeen(5)
