"""The whole optimal policy of two-player Greed in few bytes, and back again without loss.

The tables dice[a, q] of normal and of last turns hardly change from one state to the next, and where they do, the row
above changed near by. So a state is written as its difference from its neighbour dice[a, q + 1], rows from the maximum
down and each from right to left. What the rules settle is not written at all: the last turn of a player who is ahead (0
dice), and states in which no roll is listed (n_max = 0).

A difference is a few yes-or-no questions: is it 0, is it positive, is it 1, is it 2 ... Each answer takes as little
room as it is expected: an arithmetic coder narrows an interval in proportion to the chance p of the answer that came,
which costs -log2 p bits. The chances are learned on the way, by the decoder just as by the encoder, for each context
apart: the question, and the differences at the same and the two nearby places of the row before. With x yes and y no
so far in a context, yes is expected with (x + 1/2) / (x + y + 1). All of it is in whole numbers, the same on every
machine. A head of nine bytes says what the rest is: the form, the maximum, and a check of the tables.

    >>> from dicewise import Greed, solve
    >>> from dicewise.games.greed.policies import dice_of
    >>> from dicewise.study.compact import decode, encode
    >>> game = Greed(20, 6)
    >>> policy = dice_of(game, solve(game))
    >>> packed = encode(game, policy)
    >>> decode(game, packed).differs(policy)
    0
"""

from __future__ import annotations

import lzma
import struct
import zlib
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from dicewise.errors import InputError
from dicewise.games.greed.policies import Dice, check_dice
from dicewise.games.greed.rules import Greed

HEAD = struct.Struct("<BII")
"""The form, the maximum, and a CRC-32 of both tables."""

FORM = 1
BITS = 32
"""The interval of the coder is kept in so many bits."""

Answer = Callable[[Hashable, bool], bool]
"""Asked in a context: the encoder writes the answer that it is given, the decoder returns the one that it reads."""


def encode(game: Greed, policy: Dice) -> bytes:
    """A policy that stands wherever the rules leave nothing else that helps (see above); others are refused."""
    check_dice(game, policy)
    coder = _Writer()
    for last, table in ((False, policy.normal), (True, policy.last)):
        if (table[~_open(game, last)] != 0).any():
            raise InputError("a policy that rolls in a last turn while ahead cannot be packed; let it stand there")
        _walk(game, last, table.tolist(), coder.answer)
    check = HEAD.pack(FORM, game.max, _check(policy))
    return check + coder.finish()


def decode(game: Greed, packed: bytes) -> Dice:
    """The policy that was packed for this ruleset; anything else is refused."""
    refused = InputError(
        f"these {len(packed)} bytes are no packed policy of {game.spec}; use what encode gave for the same ruleset"
    )
    if len(packed) < HEAD.size:
        raise refused
    form, top, check = HEAD.unpack_from(packed)
    if (form, top) != (FORM, game.max):
        raise refused
    coder, size = _Reader(packed[HEAD.size :]), game.max + 1
    tables = []
    for last in (False, True):
        rows = [[0] * size for _ in range(size)]
        if not _walk(game, last, rows, coder.answer, reading=True):
            raise refused
        tables.append(np.array(rows, dtype=np.int64))
    policy = Dice(*tables)
    if _check(policy) != check:
        raise refused
    return policy


def sizes(game: Greed, policy: Dice) -> dict[str, int]:
    """Bytes of the policy in several forms: one or two bytes a state, these compressed, and ours."""
    kind = np.uint8 if max(int(policy.normal.max()), int(policy.last.max())) < 256 else np.uint16
    raw = policy.normal.astype(kind).tobytes() + policy.last.astype(kind).tobytes()
    return {
        "raw": len(raw),
        "zlib": len(zlib.compress(raw, 9)),
        "lzma": len(lzma.compress(raw, preset=9 | lzma.PRESET_EXTREME)),
        "compact": len(encode(game, policy)),
    }


def _open(game: Greed, last: bool) -> Any:
    """The states in which there is something to choose."""
    scores = np.arange(game.max + 1)
    rolls = np.array([game.n_max(int(a)) > 0 for a in scores])[:, None]
    return rolls & (scores[:, None] <= scores) if last else np.broadcast_to(rolls, (game.max + 1, game.max + 1))


def _check(policy: Dice) -> int:
    return zlib.crc32(b"".join(table.astype("<u4").tobytes() for table in (policy.normal, policy.last)))


def _walk(game: Greed, last: bool, rows: list[list[int]], answer: Answer, reading: bool = False) -> bool:
    """Ask about all open states; `rows` are read, or filled. False where what is read cannot be."""
    top, free = game.max, _open(game, last).tolist()
    limits = [game.n_max(a) for a in range(top + 1)]
    above = [0] * (top + 3)  # differences of the row before, one place further on
    for a in range(top, -1, -1):
        row, current = rows[a], [0] * (top + 3)
        for q in range(top, -1, -1):
            if not free[a][q]:
                continue
            left = row[q + 1] if q < top else (rows[a + 1][q] if a < top else 0)
            near = (last, q == top, _sign(above[q]), _sign(above[q + 1]), _sign(above[q + 2]), _sign(current[q + 2]))
            least, most = -left, limits[a] - left
            change = _ask(answer, near, row[q] - left, most - least + 1)
            if not least <= change <= most:
                return False
            if reading:
                row[q] = left + change
            current[q + 1] = change
        above = current
    return True


def _sign(change: int) -> int:
    return max(-1, min(change, 1))


def _ask(answer: Answer, near: tuple[Hashable, ...], change: int, most: int) -> int:
    """A difference, by questions; of at most `most`, so that bytes that are none come to an end."""
    if answer((near, "same"), change == 0):
        return 0
    up = answer((near, "up"), change > 0)
    size = 1
    while size < most and answer((near[0], up, min(size, 6), "more"), abs(change) > size):
        size += 1
    return size if up else -size


class _Chances:
    """How often a question was answered yes, and no, in each context."""

    def __init__(self) -> None:
        self.seen: dict[Hashable, list[int]] = {}

    def split(self, context: Hashable, width: int) -> int:
        """The share of an interval that stands for yes."""
        no, yes = self.seen.setdefault(context, [0, 0])
        return max(1, min(width - 1, width * (2 * yes + 1) // (2 * (yes + no + 1))))

    def learn(self, context: Hashable, said: bool) -> None:
        self.seen[context][said] += 1


class _Writer:
    """An arithmetic encoder: the interval [low, low + width) of numbers in [0, 1) that stand for all answers so far.

    `low` is one whole number of any length, so that there is nothing to carry.
    """

    def __init__(self) -> None:
        self.low, self.width, self.shifts = 0, 1 << BITS, 0
        self.chances = _Chances()

    def answer(self, context: Hashable, said: bool) -> bool:
        share = self.chances.split(context, self.width)
        if said:
            self.width = share
        else:
            self.low, self.width = self.low + share, self.width - share
        self.chances.learn(context, said)
        while self.width < 1 << (BITS - 8):
            self.low, self.width, self.shifts = self.low << 8, self.width << 8, self.shifts + 1
        return said

    def finish(self) -> bytes:
        """The shortest bytes in the interval; those that are missing at the end count as 0."""
        length = self.shifts + BITS // 8
        for kept in range(length + 1):
            unit = 1 << (8 * (length - kept))
            number = -(-self.low // unit)
            if number * unit < self.low + self.width:
                return number.to_bytes(kept, "big")
        raise AssertionError("an interval holds a number")


class _Reader:
    """The decoder: the same intervals, and where in them the number lies."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at, self.width = data, BITS // 8, 1 << BITS
        self.offset = int.from_bytes(data[: self.at].ljust(self.at, b"\0"), "big")
        self.chances = _Chances()

    def answer(self, context: Hashable, said: bool) -> bool:
        share = self.chances.split(context, self.width)
        said = self.offset < share
        if said:
            self.width = share
        else:
            self.offset, self.width = self.offset - share, self.width - share
        self.chances.learn(context, said)
        while self.width < 1 << (BITS - 8):
            byte = self.data[self.at] if self.at < len(self.data) else 0
            self.offset, self.width, self.at = (self.offset << 8) + byte, self.width << 8, self.at + 1
        return said
