"""Hoot Owl Hoot."""

from dicewise.games.hoot_owl.position import Move, Position
from dicewise.games.hoot_owl.rules import HootOwl

__all__ = ["HootOwl", "Move", "Position"]
