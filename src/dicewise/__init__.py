"""dicewise: the best move in games of chance, and the proof of it.

The public names; those that need NumPy are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dicewise._version import __version__
from dicewise.chance import Lottery, coins, die, draw, faces_of, read_die, total_of
from dicewise.errors import CyclicError, DicewiseError, InputError, LimitError, RecordsError, RulesError
from dicewise.game import Game, sure
from dicewise.games import GAMES, find_game
from dicewise.games.coin_ladder import CoinLadder
from dicewise.games.greed import Greed
from dicewise.games.hold_dice import HoldDice
from dicewise.games.hoot_owl import HootOwl
from dicewise.games.pig import Pig
from dicewise.games.yahtzee import Yahtzee

if TYPE_CHECKING:
    from dicewise.engine.certify import Certificate, certify
    from dicewise.engine.check import CheckReport, check_game
    from dicewise.engine.distribution import Distribution
    from dicewise.engine.evaluate import Evaluation, Exploitability, best_response, evaluate, exploitability
    from dicewise.engine.outlook import Outlook
    from dicewise.engine.recall import recall
    from dicewise.engine.simulate import Simulation, simulate
    from dicewise.engine.solve import solve
    from dicewise.play.records import Records, replay
    from dicewise.play.review import Review, review
    from dicewise.play.session import Session
    from dicewise.play.why import Comparison, why
    from dicewise.solution import Choice, Report, Solution
    from dicewise.store import Store

_LATER = {
    "Certificate": "dicewise.engine.certify",
    "certify": "dicewise.engine.certify",
    "CheckReport": "dicewise.engine.check",
    "check_game": "dicewise.engine.check",
    "Distribution": "dicewise.engine.distribution",
    "Evaluation": "dicewise.engine.evaluate",
    "Exploitability": "dicewise.engine.evaluate",
    "best_response": "dicewise.engine.evaluate",
    "evaluate": "dicewise.engine.evaluate",
    "exploitability": "dicewise.engine.evaluate",
    "Outlook": "dicewise.engine.outlook",
    "recall": "dicewise.engine.recall",
    "Simulation": "dicewise.engine.simulate",
    "simulate": "dicewise.engine.simulate",
    "solve": "dicewise.engine.solve",
    "Review": "dicewise.play.review",
    "review": "dicewise.play.review",
    "Session": "dicewise.play.session",
    "Records": "dicewise.play.records",
    "replay": "dicewise.play.records",
    "Comparison": "dicewise.play.why",
    "why": "dicewise.play.why",
    "Choice": "dicewise.solution",
    "Report": "dicewise.solution",
    "Solution": "dicewise.solution",
    "Store": "dicewise.store",
}

__all__ = [
    "GAMES",
    "Certificate",
    "CheckReport",
    "Choice",
    "CoinLadder",
    "Comparison",
    "CyclicError",
    "DicewiseError",
    "Distribution",
    "Evaluation",
    "Exploitability",
    "Game",
    "Greed",
    "HoldDice",
    "HootOwl",
    "InputError",
    "LimitError",
    "Lottery",
    "Outlook",
    "Pig",
    "Records",
    "RecordsError",
    "Report",
    "Review",
    "RulesError",
    "Session",
    "Simulation",
    "Solution",
    "Store",
    "Yahtzee",
    "__version__",
    "best_response",
    "certify",
    "check_game",
    "coins",
    "die",
    "draw",
    "evaluate",
    "exploitability",
    "faces_of",
    "find_game",
    "read_die",
    "recall",
    "replay",
    "review",
    "simulate",
    "solve",
    "sure",
    "total_of",
    "why",
]


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'dicewise' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LATER[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
