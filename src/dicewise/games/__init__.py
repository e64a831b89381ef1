"""The games of the house, and how a game is found by what a person types."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dicewise.errors import InputError, RulesError, did_you_mean
from dicewise.game import Game
from dicewise.games.coin_ladder import CoinLadder
from dicewise.games.greed import Greed
from dicewise.games.hold_dice import HoldDice
from dicewise.games.hoot_owl import HootOwl
from dicewise.games.pig import Pig
from dicewise.games.yahtzee import Yahtzee
from dicewise.spec import build, read_spec
from dicewise.user_file import run_file

GAMES: dict[str, type[Game[Any, Any]]] = {
    rules.name: rules
    for rules in (
        Greed,
        CoinLadder,
        HoldDice,
        Pig,
        Yahtzee,
        HootOwl,
    )
}


def find_game(text: str, **given: str) -> Game[Any, Any]:
    """The game that a text names: `greed`, `greed(max=50,sides=4)`, or `path/file.py:Class`; parameters as texts."""
    rules, in_spec = find_rules(text)
    twice = sorted(set(in_spec) & set(given))
    if twice:
        raise InputError(f"{twice[0]} is given both in {text!r} and as an option; give it once")
    return build(rules, in_spec | given)


def find_rules(text: str) -> tuple[type[Game[Any, Any]], dict[str, str]]:
    """The class of a game, and the parameters that stand in its spec."""
    name, given = read_spec(text)
    path, colon, class_name = name.rpartition(":")
    if colon and path.endswith(".py"):
        return load_rules(Path(path), class_name), given
    if name.endswith(".py"):
        raise InputError(f"game {text!r} lacks the name of its class; write {name}:ClassName")
    if name.lower() not in GAMES:
        known = ", ".join(GAMES)
        raise InputError(
            f"game {name!r} is not known; known: {known}, or a file of your own as path/file.py:Class"
            + did_you_mean(name.lower(), list(GAMES))
        )
    return GAMES[name.lower()], given


def load_rules(path: Path, class_name: str) -> type[Game[Any, Any]]:
    """The class of a game in a user's file. This runs the file: only load what you trust."""
    module = run_file(path, "rules")
    found = {
        key: value
        for key, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Game) and value.__module__ == module.__name__
    }
    if class_name not in found:
        listed = f"it has: {', '.join(found)}" if found else "it defines no subclass of dicewise.Game"
        raise InputError(f"{str(path)!r} has no game {class_name!r}; {listed}{did_you_mean(class_name, list(found))}")
    rules = found[class_name]
    if missing := sorted(getattr(rules, "__abstractmethods__", ())):
        raise RulesError(f"{class_name} in {str(path)!r} lacks {', '.join(missing)}: write them, a game needs them")
    return rules
