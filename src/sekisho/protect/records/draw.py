"""Draw released values from transition matrices, a whole column at once.

One random word of 64 bits decides one cell; with a seed it is a function of the record and the column. Replacement
compares it with the retention and, where the value is lost, uses the rest of the word for the new one; any other matrix
is drawn by aliases (Walker's method: one column and one coin per cell, whatever the number of values). Chances are kept
to within 2**-53. Work goes block by block, so that it stays in the processor's cache.

Source: Walker, "An efficient method for generating discrete random variables with general distributions", ACM TOMS 3
(1977); the tables are built as in Vose, IEEE Transactions on Software Engineering 17 (1991).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sekisho.safety.transition import Floats, Replacement, Transition
from sekisho.seeds import RecordWords, Words

Draw: TypeAlias = Callable[[NDArray[np.int32], Floats], NDArray[np.int32]]

BLOCK = 1 << 15
SCALE = 2.0**-53


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


def draw_codes(
    codes: NDArray[np.int32], keys: Words, transition: Transition, *, words: ColumnWords
) -> NDArray[np.int32]:
    """Return what the value of each record, known by its key, is released as."""
    draw = _choose_draw(transition)
    out = np.empty(len(codes), dtype=np.int32)
    for start in range(0, len(codes), BLOCK):
        part = slice(start, start + BLOCK)
        uniform = (words.draw(keys[part]) >> np.uint64(11)).astype(np.float64) * SCALE
        out[part] = draw(codes[part], uniform)
    return out


def _choose_draw(transition: Transition) -> Draw:
    if not isinstance(transition, Replacement):
        rows = [build_alias_table(row) for row in transition.matrix()]
        prob, alias = np.concatenate([row[0] for row in rows]), np.concatenate([row[1] for row in rows])
        return lambda codes, uniform: _draw_by_alias(codes, uniform, prob, alias, transition.size)
    retention = float(transition.retention)
    if retention == 1:
        return lambda codes, _: codes
    if transition.shares is None:
        return lambda codes, uniform: _draw_replacements(codes, uniform, retention, transition.size)
    prob, alias = build_alias_table(np.array(transition.shares, dtype=np.float64))
    return lambda codes, uniform: np.where(
        uniform < retention,
        codes,
        _draw_by_alias(
            np.zeros_like(codes), np.maximum(uniform - retention, 0) / (1 - retention), prob, alias, len(prob)
        ),
    )


def _draw_replacements(codes: NDArray[np.int32], uniform: Floats, retention: float, values: int) -> NDArray[np.int32]:
    fresh = ((uniform - retention) * (values / (1 - retention))).astype(np.int32)
    return np.where(uniform < retention, codes, np.minimum(fresh, values - 1))


def _draw_by_alias(
    codes: NDArray[np.int32], uniform: Floats, prob: Floats, alias: NDArray[np.int32], values: int
) -> NDArray[np.int32]:
    scaled = uniform * values
    column = np.minimum(scaled.astype(np.int32), values - 1)
    place = codes.astype(np.int64) * values + column
    return np.where(scaled - column < prob[place], column, alias[place])


def build_alias_table(chances: Floats) -> tuple[Floats, NDArray[np.int32]]:
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
