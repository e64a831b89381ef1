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


def shown(value: object, most: int = 120) -> str:
    """A value as Python prints it, in one line of readable length; it must not fail, whatever the value does."""
    try:
        text = repr(value)
    except Exception:
        return f"<{type(value).__name__} that cannot be shown>"
    return on_one_line(text, most)


def raised(error: BaseException) -> str:
    """`raised KeyError: 'x'`, in one line; it must not fail, whatever the error does."""
    try:
        text = on_one_line(" ".join(str(error)[:1000].split()), 300)
    except Exception:
        text = "(it cannot be put into words)"
    return f"raised {type(error).__name__}" + (f": {text}" if text else "")


def on_one_line(text: str, most: int) -> str:
    """A text that was written by somebody else, fit for a message."""
    cut = text if len(text) <= most else text[: most - 3] + "..."
    if not cut.isprintable():
        cut = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in cut)
    return cut


def did_you_mean(word: str, known: list[str]) -> str:
    """`; did you mean 'greed'?`, or nothing where no known word is close."""
    from difflib import get_close_matches

    close = get_close_matches(word, known, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
