"""Equal records counted once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sekisho.kernels import njit
from sekisho.protect.records.recoding.key_space import KeyCodes, Records

MIX = np.uint64(0x9E3779B97F4A7C15)
SMALLEST = 1 << 12
"""Slots of the table at first."""


def count_distinct(
    columns: Sequence[KeyCodes], sensitive: NDArray[np.int32] | None
) -> tuple[Records, NDArray[np.int64]]:
    """Return the distinct records in the order in which they first occur, and which of them each row is."""
    parts = [column.codes for column in columns]
    parts.append(np.zeros_like(parts[0]) if sensitive is None else sensitive)
    codes = np.stack(parts, axis=1, dtype=np.int32)
    first, which = _number_rows(codes)
    records = Records(
        codes=np.ascontiguousarray(codes[first, :-1]),
        copies=np.bincount(which, minlength=len(first)).astype(np.int64),
        sensitive=np.ascontiguousarray(codes[first, -1]),
    )
    return records, which


@njit(cache=True, nogil=True)
def _number_rows(codes: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first row of each distinct one, and the number of each row among them."""
    table = np.full(SMALLEST, -1, np.int32)
    first, word = np.empty(len(codes), np.int32), np.empty(len(codes), np.uint32)
    which, distinct = np.empty(len(codes), np.int64), 0
    for row in range(len(codes)):
        own = _mix_codes(codes[row])
        slot = np.int64(own) & (len(table) - 1)
        while table[slot] >= 0 and (word[table[slot]] != own or _differ(codes, first[table[slot]], row)):
            slot = (slot + 1) & (len(table) - 1)
        if table[slot] < 0:
            table[slot], first[distinct], word[distinct] = distinct, row, own
            distinct += 1
        which[row] = table[slot]
        if 2 * distinct > len(table):
            table = _widen_table(word[:distinct], 4 * len(table))
    return first[:distinct].astype(np.int64), which


@njit(cache=True, nogil=True)
def _mix_codes(codes: NDArray[np.int32]) -> np.uint32:
    word = np.uint64(0)
    for code in codes:
        word = (word ^ np.uint64(code)) * MIX
        word ^= word >> np.uint64(29)
    return np.uint32(word & np.uint64(0xFFFFFFFF))


@njit(cache=True, nogil=True)
def _widen_table(word: NDArray[np.uint32], size: int) -> NDArray[np.int32]:
    """Return a larger table of what is numbered so far; a small one stays in the cache while it is large enough."""
    table = np.full(size, -1, np.int32)
    for number in range(len(word)):
        slot = np.int64(word[number]) & (size - 1)
        while table[slot] >= 0:
            slot = (slot + 1) & (size - 1)
        table[slot] = number
    return table


@njit(cache=True, nogil=True)
def _differ(codes: NDArray[np.int32], one: int, other: int) -> bool:
    column = 0
    while column < codes.shape[1] and codes[one, column] == codes[other, column]:
        column += 1
    return column < codes.shape[1]
