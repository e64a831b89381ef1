"""What can go wrong, by whose hand: the person who asks, the author of the rules, or the size of the machine."""

from __future__ import annotations


class DicewiseError(Exception):
    """Anything that dicewise refuses; its message is one line that a person can act on."""


class InputError(DicewiseError, ValueError):
    """Something that was given is not allowed; the message says what was given, what is allowed, how to fix it."""


class RulesError(DicewiseError):
    """The rules of a game contradict themselves; the message names the state and the action at fault."""


class CyclicError(DicewiseError):
    """Play can come back to a position, and that leaves no answer; `reason` says in a word what is in the way.

    `no end`: from some position no play leads to an end. `paying loop`: coming back pays, so that there is no best
    play. `endless play`: somebody would rather never finish. `interests`: three or more players, or two whose
    interests are not opposed.
    """

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


class LimitError(DicewiseError):
    """The job is larger than this machine or the limit that was set; refused before it starts."""


class RecordsError(DicewiseError):
    """Games cannot be kept or read: the folder, the disk or the file is at fault; play can go on without."""


def did_you_mean(word: str, known: list[str]) -> str:
    """`; did you mean 'greed'?`, or nothing where no known word is close."""
    from difflib import get_close_matches

    close = get_close_matches(word, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
