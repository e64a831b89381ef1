"""Pig: roll as often as you dare, bank the total before a 1 takes it away; the first to reach the target wins."""

from dicewise.games.pig.rules import Pig

__all__ = ["Pig"]
