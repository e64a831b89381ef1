"""The room of Greed (Addis)."""

from dicewise.games.greed.rules import Greed, Position

__all__ = ["Greed", "Position"]
