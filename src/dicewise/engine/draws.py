"""Draws: what chance decides in move m of game g under a seed, the same on every machine and for ever.

Each move has a number U of its own, uniform in [0, 1), whose binary digits come from Philox4x32-10 (Salmon, Moraes,
Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011): a function of a counter and a key, four words of
32 bits each time. The key is the seed, the counter is (block, m, lower half of g, upper half of g), and the digits of
U are the words of the blocks 0, 1, 2, ... one after the other. So any game can be played alone, in any order, one by
one or thousands side by side, and is always the same.

A lottery of integer weights with the sums c_1 < ... < c_k = T falls on the first i with U T < c_i. After b digits, W
as an integer, U T is known to lie in [W T, (W+1) T) / 2^b; if no c_i lies in between, the outcome is decided, otherwise
64 more digits are looked at. Nothing is rounded, so every outcome has exactly the chance of its weight, whatever the
size of T; the first 64 digits decide nearly always (all but k in 2^64 times).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dicewise.errors import InputError

_LOW = 0xFFFFFFFF
_MULTIPLIERS = 0xD2511F53, 0xCD9E8D57
_KEY_STEPS = 0x9E3779B9, 0xBB67AE85
_ROUNDS = 10

Words = tuple[Any, Any, Any, Any]
Key = tuple[int, int]


def philox(counter: Words, key: Key) -> Words:
    """Four random words of 32 bits; the words of the counter are integers or arrays of uint64."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(_ROUNDS):
        left, right = c0 * _MULTIPLIERS[0], c2 * _MULTIPLIERS[1]
        c0, c1, c2, c3 = (right >> 32) ^ c1 ^ k0, right & _LOW, (left >> 32) ^ c3 ^ k1, left & _LOW
        k0, k1 = (k0 + _KEY_STEPS[0]) & _LOW, (k1 + _KEY_STEPS[1]) & _LOW
    return c0, c1, c2, c3


def key_of(seed: int) -> Key:
    """The key of a seed: its 64 bits; a longer one is mixed down, 64 bits after 64 bits."""
    if type(seed) is not int or seed < 0:
        raise InputError(f"seed {seed!r} is not allowed; give a whole number from 0 up")
    key = seed & _LOW, seed >> 32 & _LOW
    count = 0
    while seed := seed >> 64:
        count += 1
        key = philox((seed & _LOW, seed >> 32 & _LOW, count & _LOW, count >> 32), key)[:2]
    return key


def digits(key: Key, game: int, move: int, block: int = 0) -> int:
    """128 binary digits of U, as an integer: those number 128 * block and on."""
    words = philox((block & _LOW, move, game & _LOW, game >> 32), key)
    return int(words[0] << 96 | words[1] << 64 | words[2] << 32 | words[3])


def pick(sums: Sequence[int], key: Key, game: int, move: int) -> int:
    """The number of the outcome that U falls on, given the running sums of the weights."""
    total, known, bits = sums[-1], 0, 0
    while True:
        block = digits(key, game, move, bits // 128)
        for word in (block >> 64, block & (1 << 64) - 1):
            known, bits = known << 64 | word, bits + 64
            least = bisect_right(sums, known * total >> bits)
            if least == bisect_right(sums, (known + 1) * total - 1 >> bits):
                return least


def first_digits(key: Key, games: NDArray[np.uint64], move: int) -> NDArray[np.uint64]:
    """The first 64 digits of U for many games at the same move."""
    zero = np.zeros_like(games)
    words = philox((zero, zero + np.uint64(move), games & _LOW, games >> np.uint64(32)), key)
    return words[0] << np.uint64(32) | words[1]  # type: ignore[no-any-return]


def thresholds(sums: Sequence[int]) -> list[int]:
    """Where outcomes end on the scale of the first 64 digits, rounded down, for all but the last: an outcome is
    number #{t <= W}, and decided unless one of them is W itself."""
    total = sums[-1]
    return [(end << 64) // total for end in sums[:-1]]
