"""The digits of `engine.draws`, for compiled code that plays games out itself."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

LOW, HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
M0, M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
K0, K1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
ZERO = np.uint64(0)


@njit(cache=True, nogil=True)
def first_digits(k0: Any, k1: Any, game: Any, move: Any) -> Any:
    """`engine.draws.first_digits` of one game."""
    c0, c1, c2, c3 = ZERO, np.uint64(move), game & LOW, game >> HALF
    for _ in range(10):
        left, right = c0 * M0, c2 * M1
        c0, c1, c2, c3 = (right >> HALF) ^ c1 ^ k0, right & LOW, (left >> HALF) ^ c3 ^ k1, left & LOW
        k0, k1 = (k0 + K0) & LOW, (k1 + K1) & LOW
    return c0 << HALF | c1


@njit(cache=True, nogil=True)
def part_of(word: Any, total: Any) -> Any:
    """The whole part of U * total by the first 64 digits of U, and -1 where more of them must decide it."""
    parts = np.uint64(total)
    low = (word & LOW) * parts
    high = (word >> HALF) * parts + (low >> HALF)
    rest = (high & LOW) << HALF | (low & LOW)
    return -1 if rest > ~ZERO - parts else np.int64(high >> HALF)
