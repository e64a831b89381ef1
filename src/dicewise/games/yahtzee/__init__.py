"""Solitaire Yahtzee."""

from dicewise.games.yahtzee.position import Keep, Position
from dicewise.games.yahtzee.rules import Yahtzee

__all__ = ["Keep", "Position", "Yahtzee"]
