"""A game as it is kept: `Record` and `Event`, and the JSON that they are written as.

One object per game, with `"schema": 1`. What is read is looked over field by field, as it may come from anywhere.
"""

from __future__ import annotations

import dataclasses
import json
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any
from zlib import crc32

from dicewise.errors import InputError
from dicewise.game import Number

SCHEMA = 1


def now() -> str:
    """The time, in UTC: `2026-01-31T18:05:09.250Z`."""
    return _utc(datetime.now(UTC))


def _utc(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclasses.dataclass(frozen=True)
class Event:
    """One thing that happened in a game, in the words of the game."""

    kind: str
    """`move`, `undo` (the last decision is taken back) or `hint` (advice was asked for)."""
    player: int
    """The seat, from 0."""
    action: str = ""
    """Of a move, as is all below: the label of what was chosen ..."""
    outcome: str = ""
    """... and of what chance made of it."""
    at: str = dataclasses.field(default_factory=now)
    choice: int | None = None
    """Where the action stands in the rules' list; it tells actions with the same label apart."""
    roll: int | None = None
    """Where the outcome stands in the rules' list."""


@dataclasses.dataclass(frozen=True)
class Record:
    """One game, as it is kept."""

    id: int
    """Its number on this machine."""
    game: str
    """What `find_game` reads: a spec, or `path/file.py:Class(...)`."""
    source: str
    """A digest of the rules in a user's file; empty for the games of the house."""
    names: tuple[str, ...]
    """One per seat, as are `players`."""
    players: tuple[str, ...]
    """Who chose: `human`, `optimal` ..."""
    seed: int
    number: int
    """Of the game under the seed."""
    start: str
    """The position in which it began, as `Game.parse` reads it; empty for the game's own start."""
    started: str
    ended: str | None
    """None while it can go on."""
    events: tuple[Event, ...]
    result: tuple[Number, ...] | None = None
    """What each seat got, once it has ended."""
    uuid: str = ""
    """The same on every machine that the game is brought to."""


# ---- JSON


def sealed(content: Any, place: tuple[int, ...] = ()) -> tuple[str, int]:
    """Some content as text, and a checksum of it and of its place."""
    text = json.dumps(content, ensure_ascii=False)
    return text, crc32(f"{place}{text}".encode())


def opened(text: Any, crc: Any, place: tuple[int, ...] = ()) -> dict[str, Any]:
    """The inverse of `sealed`; a ValueError where this is not what was sealed there."""
    if not isinstance(text, bytes) or crc32(f"{place}".encode() + text) != crc:
        raise ValueError("the checksum is not right")
    content: dict[str, Any] = json.loads(text.decode())
    return content


def written(record: Record) -> dict[str, Any]:
    """A game as the JSON object that is exported."""
    content = {name: value for name, value in vars(record).items() if name not in ("id", "events", "result")}
    result = None if record.result is None else [number_text(number) for number in record.result]
    events = [written_event(event) for event in record.events]
    return {"schema": SCHEMA} | content | {"result": result, "events": events}


def written_event(event: Event) -> dict[str, Any]:
    return {name: value for name, value in vars(event).items() if value not in (None, "")}


def number_text(number: Number) -> str:
    return repr(float(number)) if isinstance(number, float) else str(number)


def read_record(content: Any) -> Record:
    """The inverse of `written`, with the id 0; an InputError says what is wrong with the content."""
    if not isinstance(content, dict):
        raise InputError("a game is an object in braces")
    if content.get("schema") != SCHEMA:
        raise InputError(f"schema {content.get('schema')!r:.60} is not known; this dicewise reads schema {SCHEMA}")
    for name in ("game", "uuid"):
        if not _text(content, name):
            raise InputError(f"{name} is empty")
    names, players = (tuple(_texts(content, name)) for name in ("names", "players"))
    if not names or len(names) != len(players):
        raise InputError(f"{len(names)} names and {len(players)} players do not go together; give one per seat")
    ended, result = content.get("ended"), content.get("result")
    if (ended is None) != (result is None):
        raise InputError("ended and result do not go together; give both, or neither")
    if result is not None and len(_texts(content, "result")) != len(names):
        raise InputError(f"result has {len(result)} numbers for {len(names)} seats")
    return Record(
        id=0,
        game=_text(content, "game"),
        source=_text(content, "source", ""),
        names=names,
        players=players,
        seed=_whole(content, "seed"),
        number=_whole(content, "number", 0),
        start=_text(content, "start", ""),
        started=_time(content, "started"),
        ended=None if ended is None else _time(content, "ended"),
        events=tuple(read_event(event, len(names)) for event in _list(content, "events")),
        result=None if result is None else tuple(map(_number, result)),
        uuid=_text(content, "uuid"),
    )


def read_event(content: Any, seats: int) -> Event:
    if not isinstance(content, dict):
        raise InputError(f"event {content!r:.60} is not an object in braces")
    kind, player = _text(content, "kind"), _whole(content, "player")
    if kind not in ("move", "undo", "hint"):
        raise InputError(f"event {kind!r:.60} is not known; known: move, undo, hint")
    if player >= seats:
        raise InputError(f"player {player} is not at the table; players are numbered from 0 to {seats - 1}")
    action, outcome = (_text(content, name, "") for name in ("action", "outcome"))
    choice, roll = (None if content.get(name) is None else _whole(content, name) for name in ("choice", "roll"))
    return Event(kind, player, action, outcome, _time(content, "at"), choice, roll)


def _text(content: dict[str, Any], name: str, default: str | None = None) -> str:
    value = content.get(name, default)
    if not isinstance(value, str):
        raise InputError(f"{name} {value!r:.60} is not a text")
    if not value.isprintable() and any("\ud800" <= letter <= "\udfff" for letter in value):
        raise InputError(f"{name} {value!r:.60} has half a letter in it")
    return value


def _list(content: dict[str, Any], name: str) -> list[Any]:
    value = content.get(name)
    if not isinstance(value, list | tuple):
        raise InputError(f"{name} {value!r:.60} is not a list")
    return list(value)


def _texts(content: dict[str, Any], name: str) -> list[str]:
    return [_text({name: value}, name) for value in _list(content, name)]


def _whole(content: dict[str, Any], name: str, default: int | None = None) -> int:
    value = content.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise InputError(f"{name} {value!r:.60} is not a whole number from 0 up")
    return value


def _time(content: dict[str, Any], name: str) -> str:
    text = _text(content, name)
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            raise ValueError
        return _utc(moment)
    except (ValueError, OverflowError):
        raise InputError(f"{name} {text!r:.60} is not a time such as 2026-01-31T18:05:09.250Z") from None


def _number(text: str) -> Number:
    try:
        if any(letter in text for letter in ".en"):
            return float(text)
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise InputError(f"result {text!r:.60} is not a number; for example '1' or '-1/2'") from None
    return int(value) if value.denominator == 1 else value
