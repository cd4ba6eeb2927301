"""Keys that are whole numbers share a word where their ranges allow it: an engine groups by one column for several.

Two records have the same words exactly if they have the same keys, so classes and their sizes are the same. A missing
cell is a value of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import narwhals as nw

from sekisho.data.large.names import file_column, list_plain
from sekisho.data.large.session import Frame

WORD = "sekisho word"
LARGEST = 1 << 62
"""A word has so many values at most: it is a 64-bit number with a sign."""
WHOLE: frozenset[nw.dtypes.DType] = frozenset(
    {nw.Int8(), nw.Int16(), nw.Int32(), nw.Int64(), nw.UInt8(), nw.UInt16(), nw.UInt32()}
)
"""Kinds of columns of which every value is a 64-bit number with a sign."""


class KeyRange(NamedTuple):
    """What a key that is a whole number may be: from the least value to the largest, and perhaps missing."""

    low: int
    high: int
    has_gaps: bool

    def count_codes(self) -> int:
        """Return how many codes there are, missing being one of them, the first."""
        return self.high - self.low + 1 + self.has_gaps

    def code(self, name: str) -> nw.Expr:
        """Return the code of a column of this range, from 0."""
        code = file_column(name).cast(nw.Int64)
        if self.has_gaps:
            return (code - (self.low - 1)).fill_null(0)
        return code - self.low if self.low else code


Ranges: TypeAlias = Mapping[str, KeyRange]
"""Of keys that are whole numbers, by name."""


@dataclass(frozen=True, slots=True)
class PackedKeys:
    """Rows to be grouped.

    Attributes:
        frame: words and keys, and what was asked for beside.
        names: the columns to group by.
    """

    frame: Frame
    names: tuple[str, ...]


def pack_keys(frame: Frame, keys: Sequence[str], ranges: Ranges, *, beside: Sequence[str] = ()) -> PackedKeys:
    """Return rows whose classes are those of some keys.

    Args:
        frame: the records.
        keys: to group by.
        ranges: of keys that are whole numbers.
        beside: other columns that are needed.
    """
    words, alone = _share_words(keys, ranges)
    packed = {f"{WORD} {place}": _pack_word(word, ranges) for place, word in enumerate(words)}
    columns = [word.alias(name) for name, word in packed.items()]
    return PackedKeys(frame.select(*columns, *list_plain(alone), *beside), (*packed, *list_plain(alone)))


def _share_words(keys: Sequence[str], ranges: Ranges) -> tuple[list[list[str]], list[str]]:
    """Return which keys share each word, and which stand alone."""
    words, room = list[list[str]](), 0
    for key in keys:
        codes = ranges[key].count_codes() if key in ranges else LARGEST + 1
        if room < codes:
            words.append([])
            room = LARGEST
        words[-1].append(key)
        room //= codes
    return [word for word in words if len(word) > 1], [word[0] for word in words if len(word) == 1]


def _pack_word(keys: Sequence[str], ranges: Ranges) -> nw.Expr:
    word, step = ranges[keys[0]].code(keys[0]), ranges[keys[0]].count_codes()
    for key in keys[1:]:
        word += ranges[key].code(key) * step
        step *= ranges[key].count_codes()
    return word
