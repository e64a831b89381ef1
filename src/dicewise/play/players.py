"""Who plays: a person, or a policy that is found by what people type.

| word | who that is |
|---|---|
| `human` | a person, who is asked |
| `optimal` | the solution of the game |
| `random` | every action as likely as any other |
| `stand-at-85`, `hold-at-20`, ... | a rule of thumb of the game (`Game.heuristics`) |
| `path/file.py:function` | a function of the state, or a table, in a file of the user's own, which is run |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from dicewise.engine.draws import key_of, pick
from dicewise.engine.policies import Mixed, Policy, play
from dicewise.engine.reading import action_list, player_count
from dicewise.engine.recall import recall
from dicewise.errors import InputError, did_you_mean
from dicewise.game import Game
from dicewise.play.session import CHOOSING, Session
from dicewise.solution import Solution
from dicewise.user_file import run_file

HUMAN = "human"


@dataclass(frozen=True, eq=False)
class Player:
    """Somebody at the table."""

    name: str
    """The word by which the player was found."""
    policy: Policy | None
    """None for a person."""

    def choose(self, session: Session[Any, Any]) -> Any:
        """What the policy does where a session stands. A mix is drawn by the seed, apart from the dice: asked again
        before anything happens, it gives the same answer."""
        if session.over:
            raise InputError(f"the game is over at {session.game.text(session.state)!r}: there is nothing to choose")
        if self.policy is None:
            raise InputError(f"player {self.name!r} is a person, whose choice is not known before it is made")
        (chosen,) = play(session.game, self.policy).actions(session.state)
        if not isinstance(chosen, Mixed):
            return chosen
        sums = list(accumulate(weight for _, weight in chosen.parts))
        drawn = pick(sums, key_of(session.seed), session.number, CHOOSING + session.pushes)
        return chosen.parts[drawn][0]


def find_player(text: str, game: Game[Any, Any], solution: Callable[[], Solution[Any, Any]] | None = None) -> Player:
    """The player that a word names. `solution` is called for the optimal one only; without it, it is recalled."""
    word = text.strip()
    path, colon, name = word.rpartition(":")
    if colon and path.endswith(".py"):
        return Player(word, _in_file(Path(path), name))
    if word.endswith(".py"):
        raise InputError(f"policy {word!r:.120} lacks the name of its function; write {word:.120}:function")
    lowered = word.lower()
    if lowered == HUMAN:
        return Player(HUMAN, None)
    if lowered == "optimal":
        return Player("optimal", recall(game) if solution is None else solution())
    if lowered == "random":
        return Player("random", lambda state: dict.fromkeys(action_list(game, state), 1))
    policy = game.heuristic(lowered)
    if policy is None:
        known = ["optimal", "random", *game.heuristics]
        raise InputError(
            f"policy {word!r:.120} is not known to {game.name}; known: {', '.join(known)}, or a function of your own "
            f"as path/file.py:function{did_you_mean(re.sub('[0-9]+', 'N', lowered[:120]), known)}"
        )
    return Player(lowered, policy)


def find_players(
    texts: Sequence[str], game: Game[Any, Any], solution: Callable[[], Solution[Any, Any]] | None = None
) -> list[Player]:
    """One player for each seat, of one word for everybody or one each; the same word is the same player."""
    players = player_count(game)
    if len(texts) not in (1, players):
        raise InputError(
            f"{len(texts)} policies were given for {players} player{'s' * (players > 1)} of {game.spec}; "
            "give one for each, or a single one for everybody"
        )
    found: dict[str, Player] = {}
    for text in texts:
        if text not in found:
            found[text] = find_player(text, game, solution)
    each = [found[text] for text in texts]
    return each if len(each) == players else each * players


def _in_file(path: Path, name: str) -> Policy:
    """A policy in a user's file. This runs the file: only load what you trust."""
    module = run_file(path, "policy")
    found = {
        key: value
        for key, value in vars(module).items()
        if not key.startswith("_") and (isinstance(value, Mapping) or (callable(value) and not isinstance(value, type)))
    }
    if name not in found:
        own = [key for key, value in found.items() if getattr(value, "__module__", None) == module.__name__]
        listed = f"it has: {', '.join(own)}" if own else "it defines no function"
        raise InputError(f"{str(path)!r} has no policy {name!r:.120}; {listed}{did_you_mean(name, own)}")
    policy: Policy = found[name]
    return policy
