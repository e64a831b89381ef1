"""A game and its parameters as text: `greed(max=50,sides=4)` is constructor, cache key and file name at once.

Fields that may be given by position are always named; keyword-only ones only where they differ from their default.
A parameter's text is read by its annotation: numbers exactly (`1/3`, `0.5` become fractions), tuples with commas.
"""

from __future__ import annotations

import dataclasses
import re
import sys
import types
import typing
from fractions import Fraction
from functools import cache
from typing import Any

from dicewise.errors import DicewiseError, InputError, RulesError, did_you_mean, on_one_line, raised
from dicewise.game import Game

MOST_PAY = 10**100


@dataclasses.dataclass(frozen=True)
class Parameter:
    """One field of a game's rules."""

    name: str
    kind: Any
    default: Any
    always: bool
    help: str

    @property
    def option(self) -> str:
        """Its name on the command line."""
        return "--" + self.name.replace("_", "-")


@cache
def parameters(rules: type[Game[Any, Any]]) -> tuple[Parameter, ...]:
    """The parameters of a game's class, in the order of its fields."""
    if not dataclasses.is_dataclass(rules):
        return ()
    kinds = _annotations(rules)
    found = []
    for field in dataclasses.fields(rules):
        if not field.init:
            continue
        default = field.default
        if field.default_factory is not dataclasses.MISSING:
            try:
                default = field.default_factory()
            except Exception as error:
                raise RulesError(f"{rules.name}: default of field {field.name!r} {raised(error)}") from error
        found.append(
            Parameter(
                field.name,
                kinds.get(field.name, str),
                default,
                not field.kw_only,
                field.metadata.get("help", ""),
            )
        )
    return tuple(found)


def _annotations(rules: type) -> dict[str, Any]:
    kinds = {}
    for base in reversed(rules.__mro__):
        names = vars(sys.modules.get(base.__module__, typing))
        for name, kind in vars(base).get("__annotations__", {}).items():
            try:
                kinds[name] = eval(kind, dict(names), dict(vars(base))) if isinstance(kind, str) else kind
            except Exception:  # only a type checker can see what it names
                kinds[name] = str
    return kinds


def spec_of(game: Game[Any, Any]) -> str:
    """`greed(max=100,sides=6)`."""
    words = []
    for parameter in parameters(type(game)):
        try:
            value = getattr(game, parameter.name)
            if parameter.always or value != parameter.default:
                words.append(f"{parameter.name}={_written(value)}")
        except Exception as error:
            raise RulesError(f"{game.name}: field {parameter.name!r} {raised(error)}") from error
    return f"{game.name}({','.join(words)})" if words else game.name


def _written(value: Any) -> str:
    if isinstance(value, tuple):
        return "(" + ",".join(map(_written, value)) + ")"
    if isinstance(value, str):
        return value if re.fullmatch(r"[\w.:+-]+", value) else '"' + value.replace('"', "'") + '"'
    text = str(value)
    return on_one_line(text, len(text))


def read_spec(text: str) -> tuple[str, dict[str, str]]:
    """The name in a spec, and the texts of its parameters."""
    name, inside = _split(text.strip())
    if not name or (set("()") & set(name) and ".py:" not in name):
        raise InputError(f"game {text!r} cannot be read; write a name, or a spec such as 'greed(max=50,sides=4)'")
    given: dict[str, str] = {}
    # commas inside quotes or brackets belong to a value
    for word in re.findall(r"(?:\"[^\"]*\"|'[^']*'|\([^()]*\)|[^,\"'()])+", inside):
        key, equals, value = word.partition("=")
        key = key.strip().replace("-", "_")
        if not equals or not key:
            raise InputError(f"parameter {word.strip()!r} in {text!r} cannot be read; write name=value")
        if key in given:
            raise InputError(f"parameter {key!r} stands twice in {text!r}; give it once")
        given[key] = value.strip()
    return name, given


def _split(text: str) -> tuple[str, str]:
    """A spec's name, and what stands in the brackets at its end."""
    for match in re.finditer(r"\(", text):
        if _closes_at_the_end(text[match.start() :]):
            return text[: match.start()].strip(), text[match.end() : -1]
    return text, ""


def _closes_at_the_end(text: str) -> bool:
    """Whether the bracket that a text begins with is closed by its last character; quoted ones do not count."""
    depth = 0
    for match in re.finditer(r"\"[^\"]*\"|'[^']*'|[()]", text):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if depth == 0:
            return match.end() == len(text)
    return False


def build(rules: type[Game[Any, Any]], given: dict[str, str]) -> Game[Any, Any]:
    """A game from the texts of its parameters."""
    known = {parameter.name: parameter for parameter in parameters(rules)}
    values = {}
    for name, text in given.items():
        parameter = known.get(name.replace("-", "_"))
        if parameter is None:
            allowed = ", ".join(known) or "none"
            raise InputError(
                f"{rules.name} has no parameter {name!r}; it has: {allowed}{did_you_mean(name, list(known))}"
            )
        if parameter.name in values:
            raise InputError(f"parameter {parameter.name!r} is given twice; give it once")
        values[parameter.name] = read_value(parameter, text)
    missing = [p.name for p in known.values() if p.default is dataclasses.MISSING and p.name not in values]
    if missing:
        raise InputError(f"{rules.name} needs a value for {', '.join(missing)}; give --{missing[0]} VALUE")
    try:
        return rules(**values)
    except (DicewiseError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise InputError(f"{rules.name} refuses its parameters: it {raised(error)}") from error


def read_value(parameter: Parameter, text: str) -> Any:
    """A parameter's value from its text."""
    bare = text.strip()
    if len(bare) >= 2 and bare[0] == bare[-1] and bare[0] in "\"'":
        bare = bare[1:-1]
    try:
        return _read(parameter.kind, bare)
    except (ValueError, ZeroDivisionError, OverflowError):
        raise InputError(
            f"{parameter.name} {text!r} is not {_wanted(parameter.kind)}; "
            f"for example {parameter.option} {_example(parameter)}"
        ) from None


def _read(kind: Any, text: str) -> Any:
    if kind in (Any, str):
        return text
    if kind is bool:
        lowered = text.lower()
        if lowered in ("true", "yes", "on", "1"):
            return True
        if lowered in ("false", "no", "off", "0"):
            return False
        raise ValueError
    if kind is int:
        if not re.fullmatch(r"[+-]?\d+", text):
            raise ValueError
        return int(text)
    if kind is float:
        return float(text)
    if kind is Fraction:
        return _fraction(text)
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        if type(None) in parts and text.lower() in ("none", ""):
            return None
        if Fraction in parts:  # a Number: exact, and an int where it is whole
            value = _fraction(text)
            return int(value) if value.denominator == 1 else value
        for part in parts:
            if part is not type(None):
                try:
                    return _read(part, text)
                except ValueError:
                    continue
        raise ValueError
    if origin is tuple or kind is tuple:
        inner = text[1:-1] if text.startswith("(") and text.endswith(")") else text
        words = [word for word in (word.strip() for word in inner.split(",")) if word]
        if not parts:
            return tuple(words)
        if len(parts) == 2 and parts[1] is Ellipsis:
            return tuple(_read(parts[0], word) for word in words)
        if len(words) != len(parts):
            raise ValueError
        return tuple(_read(part, word) for part, word in zip(parts, words, strict=True))
    return text


def whole_number(name: str, given: Any, least: int) -> int:
    """A parameter that counts something, refused where it is no integer or too small."""
    if not isinstance(given, int) or isinstance(given, bool) or given < least:
        raise InputError(f"{name} {given!r} is not allowed; it is a whole number from {least} up")
    return given


def exact_number(name: str, given: Any) -> int | Fraction:
    """A parameter that pays something: floats count as the decimals that they print as, whole numbers as integers."""
    try:
        value = Fraction(str(given)) if isinstance(given, float) else Fraction(given)
    except (ValueError, TypeError, ZeroDivisionError, OverflowError):
        raise InputError(f"{name} {given!r} is not a number; for example {name} 1/2") from None
    if abs(value) > MOST_PAY or value.denominator > MOST_PAY:
        raise InputError(f"{name} is too large or too fine a number; payoffs are at most {float(MOST_PAY):.0e}")
    return int(value) if value.denominator == 1 else value


def _fraction(text: str) -> Fraction:
    if re.search(r"[eE][+-]?\d{4}|\d{1000}", text):  # it would be written out in full
        raise ValueError
    return Fraction(text)


def _wanted(kind: Any) -> str:
    if kind is int:
        return "a whole number"
    if kind is bool:
        return "yes or no"
    if typing.get_origin(kind) is tuple:
        return "a list such as 1,2,3"
    return "a number"


def _example(parameter: Parameter) -> str:
    default = parameter.default
    if default in (dataclasses.MISSING, None, ""):
        return "1"
    return _written(default).strip("()")
