"""Draw released values from transition matrices, a whole column at once.

One random word of 64 bits decides one cell; with a seed it is a function of the record and the column. Replacement
compares it with the retention and, where the value is lost, uses the rest of the word for the new one; any other matrix
is drawn by aliases (Walker's method: one column and one coin per cell, whatever the number of values). Chances are kept
to within 2**-53. Work goes block by block, so that it stays in the processor's cache.

Source: Walker, "An efficient method for generating discrete random variables with general distributions", ACM TOMS 3
(1977); the tables are built as in Vose, IEEE Transactions on Software Engineering 17 (1991).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sekisho.safety.transition import Floats, Replacement, Transition
from sekisho.seeds import RecordWords, Words

Codes: TypeAlias = NDArray[np.int32]

BLOCK = 1 << 14
SCALE = 2.0**-53


class Draw(Protocol):
    """One attribute's matrix, prepared for drawing."""

    def __call__(self, codes: Codes, uniform: Floats) -> Codes:
        """Return what each value is released as, given an even number in [0, 1) for each."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnWords:
    """The words that decide one column.

    Attributes:
        words: where they come from.
        place: which column it is; its name plays no part, so that a column called otherwise is changed alike.
    """

    words: RecordWords
    place: int

    def draw(self, keys: Words) -> Words:
        """Return a word for each record's cell."""
        return self.words.draw(f"column {self.place}", keys)


def draw_codes(codes: Codes, keys: Words, draw: Draw, *, words: ColumnWords) -> Codes:
    """Return what the value of each record, known by its key, is released as."""
    out = np.empty(len(codes), dtype=np.int32)
    for start in range(0, len(codes), BLOCK):
        part = slice(start, start + BLOCK)
        uniform = (words.draw(keys[part]) >> np.uint64(11)).astype(np.float64)
        uniform *= SCALE
        out[part] = draw(codes[part], uniform)
    return out


def prepare_draw(transition: Transition) -> Draw:
    """Return a matrix prepared for drawing: a plain value, which can be sent to another process."""
    if not isinstance(transition, Replacement):
        rows = [build_alias_table(row) for row in transition.matrix()]
        prob, alias = np.concatenate([row[0] for row in rows]), np.concatenate([row[1] for row in rows])
        return AliasDraw(prob=prob, alias=alias, values=transition.size)
    retention = float(transition.retention)
    if retention == 1:
        return NoDraw()
    if transition.shares is None:
        return EvenDraw(retention=retention, values=transition.size)
    prob, alias = build_alias_table(np.array(transition.shares, dtype=np.float64))
    return ShareDraw(retention=retention, fresh=AliasDraw(prob=prob, alias=alias, values=len(prob)))


@dataclass(frozen=True, slots=True)
class NoDraw:
    """Every value stays."""

    def __call__(self, codes: Codes, uniform: Floats) -> Codes:
        """Return the values as they are."""
        del uniform
        return codes


@dataclass(frozen=True, slots=True, kw_only=True)
class EvenDraw:
    """A value stays with a chance, else it is one of all, each as likely."""

    retention: float
    values: int

    def __call__(self, codes: Codes, uniform: Floats) -> Codes:
        """Return what each value is released as."""
        rest = uniform - self.retention
        rest *= self.values / (1 - self.retention)
        fresh = rest.astype(np.int32)
        np.minimum(fresh, self.values - 1, out=fresh)
        np.copyto(fresh, codes, where=uniform < self.retention)
        return fresh


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AliasDraw:
    """Rows of a matrix as tables of aliases, one after another."""

    prob: Floats
    alias: Codes
    values: int

    def __call__(self, codes: Codes, uniform: Floats) -> Codes:
        """Return what each value is released as."""
        scaled = uniform * self.values
        column = np.minimum(scaled.astype(np.int32), self.values - 1)
        place = codes.astype(np.int64) * self.values + column
        return np.where(scaled - column < self.prob[place], column, self.alias[place])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ShareDraw:
    """A value stays with a chance, else it is drawn with given shares."""

    retention: float
    fresh: AliasDraw

    def __call__(self, codes: Codes, uniform: Floats) -> Codes:
        """Return what each value is released as."""
        rest = np.maximum(uniform - self.retention, 0) / (1 - self.retention)
        return np.where(uniform < self.retention, codes, self.fresh(np.zeros_like(codes), rest))


def build_alias_table(chances: Floats) -> tuple[Floats, Codes]:
    """Return for each column the chance to stay in it and where to go otherwise."""
    values = len(chances)
    prob = chances * values / chances.sum()
    alias = np.arange(values, dtype=np.int32)
    small = [place for place in range(values) if prob[place] < 1]
    large = [place for place in range(values) if prob[place] >= 1]
    while small and large:
        poor, rich = small.pop(), large[-1]
        alias[poor] = rich
        prob[rich] -= 1 - prob[poor]
        if prob[rich] < 1:
            small.append(large.pop())
    # Rounding alone leaves columns over; theirs is the whole chance.
    prob[[*small, *large]] = 1
    return prob, alias
