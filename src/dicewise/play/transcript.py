"""A session as text that a person can read, write and mend, and that is read back to an equal session.

A few lines say what is played, then there is a line for everything that happened, in order:

    game: greed(max=100,sides=6)
    names: Alice, Blair
    seed: 7
    1. Alice: 25 -> 74
    2. Blair: 25 -> 89
    undo
    hint
    2. Blair: 24 -> 80
    3. Alice: 0

`number` and `start` stand there where they are not 0 and not the start of the game, `result` at the end of a finished
game. Moves are named by their labels. A label that could be taken for something else is written in quotes, as JSON
does it; where several moves have the same label, `#2` says which of the possible ones it is, counted from 0. What a
person writes may be anything that `read_action` and `read_outcome` understand.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from dicewise.errors import InputError, did_you_mean
from dicewise.game import Game, read_position
from dicewise.games import GAMES, find_game
from dicewise.spec import read_spec

if TYPE_CHECKING:
    from dicewise.play.session import Move, Session

HINT, UNDO = "hint", "undo"
"""What may happen besides moves."""

HEADS = ("game", "names", "seed", "number", "start", "result")

_QUOTED = r'"(?:[^"\\]|\\.)*"'
_NAME = re.compile(rf"\s*({_QUOTED}|[^,]+?)\s*(?:,|$)")
_MOVE = re.compile(
    rf"(?P<action>{_QUOTED}|.*?)(?: #(?P<which>\d+))?(?: -> (?P<outcome>{_QUOTED}|.*?)(?: #(?P<number>\d+))?)?"
)
_UNCLEAR = re.compile(r'^$|^\s|\s$|^"|->|#\d+$')


def write_transcript(session: Session[Any, Any]) -> str:
    """A session in words."""
    game = session.game
    lines = [f"game: {game.spec}", f"names: {', '.join(map(_name, session.names))}", f"seed: {session.seed}"]
    if session.number:
        lines.append(f"number: {session.number}")
    if session.start != game.start():
        lines.append(f"start: {_written(game.text(session.start))}")
    for place, event in session.log:
        lines.append(event if isinstance(event, str) else f"{place + 1}. {_line(session, event)}")
    if session.over:
        lines.append(f"result: {_result(session)}")
    return "\n".join(lines)


def _line(session: Session[Any, Any], move: Move[Any, Any]) -> str:
    game = session.game
    outcomes = [outcome for outcome, _, _ in game.step(move.state, move.action)]
    line = f"{_name(session.names[move.player])}: {_among(game, move.action, list(game.actions(move.state)))}"
    if len(outcomes) == 1 and not game.label(move.outcome):
        return line
    return f"{line} -> {_among(game, move.outcome, outcomes)}"


def _among(game: Game[Any, Any], move: Any, possible: list[Any]) -> str:
    """A move by its label, with its number where the label does not tell it from others."""
    label = game.label(move)
    same = sum(game.label(other) == label for other in possible) > 1
    return _written(label) + (f" #{possible.index(move)}" if same else "")


def _result(session: Session[Any, Any]) -> str:
    pairs = zip(session.names, session.result, strict=True)
    return ", ".join(f"{_name(name)} {number}" for name, number in pairs)


def _written(text: str) -> str:
    clear = text.isprintable() and not _UNCLEAR.search(text)
    return text if clear else json.dumps(text)


def _name(name: str) -> str:
    return json.dumps(name, ensure_ascii=False) if set(name) & set(',:"') else name


def _plain(text: str) -> str:
    """What a text means: without its quotes, if it has any."""
    try:
        return str(json.loads(text)) if re.fullmatch(_QUOTED, text) else text
    except ValueError:
        raise InputError(f"{text:.120} is not a text in quotes; write it as JSON does") from None


# ---- reading


def read_transcript(text: str, game: Game[Any, Any] | None, make: type[Session[Any, Any]]) -> Session[Any, Any]:
    """The session that a text tells of."""
    lines = [(number, line.strip()) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    heads: dict[str, str] = {}
    while lines and (head := re.match(r"([A-Za-z]+):\s*", lines[0][1])):
        number, line = lines[0]
        if head[1] not in HEADS[:-1]:
            break
        if head[1] in heads:
            raise InputError(f"transcript line {number}: {head[1]} stands there twice; write it once")
        heads[head[1]] = line[head.end() :]
        del lines[0]
    rules = _game(heads.get("game"), game)
    session = make(
        rules,
        _names(heads["names"]) if "names" in heads else (),
        seed=_whole("seed", heads["seed"]) if "seed" in heads else None,
        number=_whole("number", heads.get("number", "0")),
        state=read_position(rules, _plain(heads["start"])) if "start" in heads else None,
    )
    for number, line in lines:
        try:
            _replay(session, line)
        except InputError as error:
            raise InputError(f"transcript line {number}: {error}") from None
    return session


def _game(spec: str | None, game: Game[Any, Any] | None) -> Game[Any, Any]:
    """The game of a transcript. Files that it may name are not run: they would be somebody else's."""
    if spec is None:
        if game is None:
            raise InputError(
                "the transcript does not say what is played; begin it with 'game: greed', or give the game"
            )
        return game
    if game is None:
        if read_spec(spec)[0].lower() not in GAMES:
            raise InputError(f"the transcript is of {spec!r:.120}, which is no game of dicewise; give the game as well")
        return find_game(spec)
    if spec != game.spec and (read_spec(spec)[0].lower() not in GAMES or find_game(spec) != game):
        raise InputError(f"the transcript is of {spec!r:.120}, not of {game.spec}; give the game that was played")
    return game


def _names(text: str) -> list[str]:
    return [_plain(name) for name in _NAME.findall(text)]


def _whole(what: str, text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,1000}", text):
        raise InputError(f"{what} {text!r:.120} in the transcript is not a whole number")
    return int(text)


def _replay(session: Session[Any, Any], line: str) -> None:
    """Let happen what a line says."""
    if line == HINT:
        session.hint()
    elif line == UNDO:
        session.undo()
    elif line.startswith("result:"):
        told = line.removeprefix("result:").strip()
        if told != _result(session):
            raise InputError(f"the result is {_result(session)!r}, not {told!r:.120}")
    elif numbered := re.match(r"[0-9]+\.\s*", line):
        _replay_move(session, line[numbered.end() :])
    else:
        word = line.partition(":")[0]
        known = [*HEADS, HINT, UNDO]
        raise InputError(
            f"{line!r:.120} cannot be read; write a move as '1. {session.names[0]}: action -> outcome', "
            f"or {HINT}, {UNDO}{did_you_mean(word[:80], known)}"
        )


def _replay_move(session: Session[Any, Any], text: str) -> None:
    if session.over:
        raise InputError("the game is over, but there is another move")
    mover = _name(session.mover)
    if not text.startswith(f"{mover}:"):
        raise InputError(f"it is the turn of {mover}, so the line must begin with '{mover}:', not {text!r:.60}")
    parts = _MOVE.fullmatch(text.removeprefix(f"{mover}:").strip())
    assert parts is not None  # every line without a line break fits
    game, state = session.game, session.state
    actions = session.actions
    which = _find(game, parts["action"], parts["which"], actions)
    action = game.read_action(_plain(parts["action"]), state) if which is None else actions[which]
    outcomes = [outcome for outcome, _, _ in game.step(state, action)]
    if parts["outcome"] is None:
        if len(outcomes) > 1:
            raise InputError(
                f"what came of {parts['action']!r:.60} is missing; write it behind the action, as in '-> 7'"
            )
        session.make(action, 0)
        return
    number = _find(game, parts["outcome"], parts["number"], outcomes)
    if number is None:
        number = outcomes.index(game.read_outcome(_plain(parts["outcome"]), state, action))
    session.make(action, number)


def _find(game: Game[Any, Any], text: str, number: str | None, possible: list[Any]) -> int | None:
    """The number of a move by its exact label; None where none has it, or several have and no number is given."""
    label = _plain(text)
    same = [at for at, move in enumerate(possible) if game.label(move) == label]
    if number is not None:
        chosen = int(number) if len(number) < 10 else -1
        if chosen not in same:
            raise InputError(f"number {number:.20} is not one of those called {label!r:.60}")
        return chosen
    return same[0] if len(same) == 1 else None
