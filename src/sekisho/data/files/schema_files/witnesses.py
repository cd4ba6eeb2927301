"""A few texts of a column from which everything is found out that all of them decide.

What kind of values a column holds, with how many decimals, and how its file writes dates and numbers, is asked of all
its texts: is there one that is no date, no number, a code? how many digits has the longest? A few texts answer like all
of them, so a file of any size can be asked block by block, and the blocks' few texts together.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.plain_files.dates import SHORT_DAY, SLASHED_DAY, read_days
from sekisho.data.files.plain_files.kinds import CODE, MARKED
from sekisho.data.files.plain_files.number_forms import strip_marks
from sekisho.data.files.plain_files.numbers import COMMA, POINT, are_numbers, measure_digits, spell_out_exponents

SAMPLED, SEED = 200, 1
"""So many texts of a column that is not plainly dates or numbers tell its form."""


def keep_witnesses(words: pl.Series, date_format: str) -> pl.Series:
    """Return a few of some distinct texts, none of them missing, that answer like all of them.

    Args:
        words: the texts.
        date_format: in which dates are written, as far as it is said.
    """
    if not len(words):
        return words
    masks = [np.ones(len(words), dtype=np.bool_), ~read_days(words, date_format)[1]]
    days = read_days(words, "")[1]
    masks += [
        ~days,
        days & ~_matches(words, SLASHED_DAY),
        days & _matches(words, SHORT_DAY),
        _matches(words, MARKED),
    ]
    places = {int(np.argmax(mask)) for mask in masks if mask.any()}
    plain = bool(days.all()) or any(_are_numbers(words, mark) for mark in (POINT, COMMA))
    bare = [] if plain else [strip_marks(words).fill_null("")]
    places |= set() if plain else set(_sample(words))
    for mark in (POINT, COMMA):
        for texts in (words, spell_out_exponents(words, mark), *bare):
            number, whole, after = measure_digits(texts, mark)
            code, other = _matches(texts, CODE), ~number
            places |= {int(np.argmax(mask)) for mask in (code, other) if mask.any()}
            if number.any():
                places |= {int(np.argmax(np.where(number, digits, -1))) for digits in (whole, after)}
    return words.gather(sorted(places))


def _are_numbers(words: pl.Series, mark: str) -> bool:
    return are_numbers(spell_out_exponents(words, mark), mark)


def _sample(words: pl.Series) -> list[int]:
    """Return the places of texts that tell in which form a column is written, the same whichever block holds them."""
    order = words.hash(seed=SEED).arg_sort()
    return order.head(SAMPLED).to_list()


def _matches(words: pl.Series, pattern: str) -> NDArray[np.bool_]:
    return words.str.contains(pattern).to_numpy().astype(np.bool_)
