"""The room of hold dice."""

from dicewise.games.hold_dice.rules import HoldDice, Keep, Position

__all__ = ["HoldDice", "Keep", "Position"]
