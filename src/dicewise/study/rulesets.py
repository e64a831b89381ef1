"""Many rulesets from one line: a parameter given as a range or a list stands for each of its values.

`1:60` is every whole number from 1 to 60, `20:200:10` every tenth, `-1:1:0.5` and `0:1:1/3` work for payoffs; the end
counts where a step meets it. `2,6,12` is a list. Parameters that are texts or lists themselves (dice, prizes) take
several values with semicolons between them: `1,2,3;1,1,4`. All of it may stand in a spec as well, lists in quotes:
`greed(max=1:60,sides="2,6")`.
"""

from __future__ import annotations

import math
import re
import sys
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from dicewise.errors import DicewiseError, InputError
from dicewise.game import Game
from dicewise.games import find_game, find_rules
from dicewise.games.greed import Greed
from dicewise.spec import Parameter, build, parameters, read_spec, read_value

MOST_VALUES, MOST_RULESETS = 10_000, 100_000

_FRACTION = re.compile(r"\s*([+-]?(\d{1,15}(/\d{1,15})?|\d{0,15}\.\d{0,20}|\d{1,15}(\.\d{0,20})?[eE][+-]?\d{1,2}))\s*")


@dataclass(frozen=True)
class Rulesets:
    """The rulesets that a study is about."""

    varied: tuple[str, ...]
    """The parameters that take several values."""
    values: tuple[tuple[Any, ...], ...]
    """What they are, ruleset by ruleset."""
    games: tuple[Game[Any, Any], ...]
    text: str
    """All of them in a word, `greed(max=1:60,sides=2:12)`."""


def read_rulesets(game: str, given: Mapping[str, str], defaults: Mapping[str, str] | None = None) -> Rulesets:
    """The rulesets that a GAME and the texts of its parameters stand for; `defaults` are texts for those not given."""
    rules, in_spec = find_rules(game)
    known = {parameter.name: parameter for parameter in parameters(rules)}
    if twice := sorted(set(in_spec) & set(given)):
        raise InputError(f"{twice[0]} is given both in {game!r} and as an option; give it once")
    usual = {name: text for name, text in (defaults or {}).items() if name in known}
    if "die" in in_spec or "die" in given:  # dice of one's own have the sides that they have
        usual.pop("sides", None)
    texts = {**usual, **in_spec, **given}
    words = {name: spread_out(known[name], text) if name in known else [text] for name, text in texts.items()}
    varied = tuple(name for name in known if len(words.get(name, ())) > 1)
    if (count := math.prod(len(words[name]) for name in varied)) > MOST_RULESETS:
        raise InputError(f"{', '.join(varied)} make {count:,} rulesets, at most {MOST_RULESETS:,} are allowed")
    fixed = {name: values[0] for name, values in words.items() if name not in varied}
    rows = list(product(*(words[name] for name in varied)))

    def made(row: Sequence[str]) -> Game[Any, Any]:
        return build(rules, fixed | dict(zip(varied, row, strict=True)))

    games = []
    for row in rows:
        try:
            games.append(made(row))
        except InputError as error:
            if not games and str(error) == _refusal(made, rows[-1]):  # whatever the values of the ranges are
                raise
            which = ", ".join(f"{name} {text}" for name, text in zip(varied, row, strict=True))
            raise InputError(f"{error} (met at {which})") from None
    values = tuple(
        # the rules may spell a die or a list in another way
        tuple(
            getattr(each, name) if _is_word(known[name].kind) else text for name, text in zip(varied, row, strict=True)
        )
        for each, row in zip(games, rows, strict=True)
    )
    return Rulesets(varied, values, tuple(games), _in_a_word(games, {name: texts[name] for name in varied}))


def _refusal(made: Callable[[Sequence[str]], object], row: Sequence[str]) -> str | None:
    """Why there is no such ruleset; None where there is."""
    try:
        made(row)
    except InputError as error:
        return str(error)
    return None


def _in_a_word(games: Sequence[Game[Any, Any]], varied: Mapping[str, str]) -> str:
    """The spec of the rulesets: what they share, and the ranges."""
    name, words = read_spec(games[0].spec)
    found = []
    for key in (parameter.name for parameter in parameters(type(games[0]))):
        if key in varied:
            text = _bare(varied[key])
            found.append(f"{key}={text}" if re.fullmatch(r"[\w.:/+-]+", text) else f'{key}="{text}"')
        elif key in words and len({getattr(game, key) for game in games}) == 1:
            found.append(f"{key}={words[key]}")
    return f"{name}({','.join(found)})" if found else name


def _bare(text: str) -> str:
    """Without quotes."""
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def spread_out(parameter: Parameter, text: str) -> list[str]:
    """The texts of all values that a text stands for, each value once."""
    bare = _bare(text)
    if not _is_word(parameter.kind):
        words = [word.strip() for word in bare.split(";") if word.strip()]
    elif ":" in bare:
        words = [_written(number, parameter.kind) for number in read_numbers(parameter.name, bare)]
    else:
        words = [word.strip() for word in re.split("[,;]", bare) if word.strip()]
    if len(words) < 2:
        return words or [text]
    found: dict[Any, str] = {}
    for word in words:
        found.setdefault(read_value(parameter, word), word)
    return list(found.values())


def _is_word(kind: Any) -> bool:
    """Whether values are numbers, yes or no, or none: words in which there is no comma."""
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        return all(map(_is_word, typing.get_args(kind)))
    return kind in (int, float, Fraction, bool, type(None))


def _written(number: Fraction, kind: Any) -> str:
    """As a parameter of this kind reads it."""
    if number.denominator == 1 or Fraction in (kind, *typing.get_args(kind)):
        return str(number)
    return str(float(number))


def read_numbers(name: str, text: str) -> list[Fraction]:
    """The numbers of a list `0.9,0.95`, or of a range `FROM:TO` or `FROM:TO:STEP`, whose end is included."""
    parts = text.split(":")
    try:
        if len(parts) == 1:
            return [_number(word) for word in text.split(",") if word.strip()]
        if len(parts) <= 3:
            first, last, step = (*map(_number, parts), Fraction(1))[:3]
            if step > 0 and first <= last:
                count = (last - first) // step + 1
                if count > MOST_VALUES:
                    raise InputError(f"{name} {text!r} has {count:,} values, at most {MOST_VALUES:,} are allowed")
                return [first + at * step for at in range(count)]
    except (ArithmeticError, LookupError):
        pass
    raise InputError(
        f"{name} {text!r} cannot be read; write a list 2,6,12 or a range FROM:TO or FROM:TO:STEP such as 20:200:10, "
        "from the least to the most"
    )


def _number(text: str) -> Fraction:
    if not (found := _FRACTION.fullmatch(text)) or not re.search(r"\d", text):
        raise LookupError
    return Fraction(found[1])


# ---- the same game in another process


def recipe_of(game: Game[Any, Any]) -> str | None:
    """A text from which `find_game` makes the same game in any process; None where there is none."""
    rules, spec = type(game), game.spec
    module = sys.modules.get(rules.__module__)
    text = spec
    if hasattr(module, "__dicewise_source__"):
        text = f"{getattr(module, '__file__', '')}:{rules.__name__}{spec[len(game.name) :]}"
    try:
        again = find_game(text)
        return text if type(again) is rules and again == game else None
    except DicewiseError:
        return None


# ---- what studies are about


def two_player_greed(games: Sequence[Game[Any, Any]], study: str) -> list[Greed]:
    """The same games, refused where they are not what a study is about."""
    found = [game for game in games if isinstance(game, Greed) and game.players == 2]
    if len(found) < len(games):
        other = next(game for game in games if not isinstance(game, Greed) or game.players != 2)
        # of another game only the name: its parameters may be this study's usual ones
        given = other.spec if isinstance(other, Greed) else other.name
        raise InputError(f"study {study} is about greed for two players, not {given}; write 'study {study} greed'")
    return found


def one_ruleset(rulesets: Rulesets, study: str) -> Game[Any, Any]:
    """The only ruleset, where a study is about one."""
    if len(rulesets.games) > 1:
        names, have = " and ".join(rulesets.varied), "has" if len(rulesets.varied) == 1 else "have"
        raise InputError(f"study {study} is about one ruleset, and {names} {have} several values; give one of each")
    return rulesets.games[0]
