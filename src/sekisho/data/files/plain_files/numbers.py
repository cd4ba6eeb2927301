"""Numbers as their owner writes them: with a sign, a decimal point or comma, marks between thousands, an exponent.

On the grid a number is a whole number of its last decimal, computed from the digits themselves and never through a
float. Between thousands stand blanks, apostrophes, or the one of point and comma that is not the decimal mark; groups
have three digits, the first one to three and no leading zero, and a number has one mark between all of them. Nobody can
tell whether ``1,234`` is one and a bit or more than a thousand while the decimal mark is not known: where it is
``UNDECIDED`` no text with a point or a comma is a number.

What kind of values a column holds, where nobody says it: found from its texts, and said.

A column is of dates or numbers only if every cell is one. Digits that are a code and not a number (with a leading zero,
or more than twelve of them) are a category.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import ROUND_HALF_EVEN, Decimal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.plain_files.date_forms import read_days
from sekisho.data.files.values import find_distinct_texts
from sekisho.data.frame.dataset import Kind

DIGITS = 15
"""So many digits a number may have on its grid; a float still tells them apart."""
MOST_DECIMALS = 9
STEEPEST = 30
POINT, COMMA = ".", ","
UNDECIDED = ""
"""The decimal mark of texts that can be read with a point and with a comma, and mean different numbers."""
BETWEEN = (" ", "\u00a0", "\u2009", "\u202f", "'", "\u2019")
"""Blanks and apostrophes that stand between thousands whatever the decimal mark is."""


def number_pattern(mark: str) -> str:
    """Return the regular expression of a number: sign, whole part or its groups, decimals."""
    signs = (*BETWEEN, *(sign for sign in (POINT, COMMA) if mark not in {UNDECIDED, sign}))
    groups = "|".join(rf"[1-9][0-9]{{0,2}}(?:{re.escape(sign)}[0-9]{{3}})+" for sign in signs)
    decimals = "()" if mark == UNDECIDED else rf"(?:{re.escape(mark)}([0-9]*?)0*)?"
    return rf"^\s*([+-]?)(?:0*([0-9]*?)|({groups})){decimals}\s*$"


def _split_parts(mark: str) -> tuple[pl.Expr, pl.Expr, pl.Expr, pl.Expr]:
    """Return sign, whole part without leading zeros, decimals without trailing zeros, and whether it is a number."""
    cell = pl.col("cell")
    groups = cell.str.extract_groups(number_pattern(mark))
    sign, plain, grouped, after = (groups.struct.field(str(place)) for place in (1, 2, 3, 4))
    whole = pl.coalesce(plain, grouped.str.replace_all("[^0-9]", ""))
    return sign, whole.fill_null(""), after.fill_null(""), whole.is_not_null() & cell.str.contains("[0-9]")


def read_numbers(text: pl.Series, decimals: int, mark: str) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return what each text means on a grid of so many decimals (0 where nothing), and which texts mean something."""
    distinct = find_distinct_texts(text)
    sign, whole, after, number = _split_parts(mark)
    fits = number & (after.str.len_chars() <= decimals) & (whole.str.len_chars() + decimals <= DIGITS)
    digits = pl.concat_str(pl.lit("0"), whole, after.str.pad_end(decimals, "0")).cast(pl.Int64, strict=False)
    value = pl.when(sign == "-").then(-digits).otherwise(digits)
    grid = distinct.text.to_frame("cell").select(pl.when(fits).then(value)).to_series()
    return grid.fill_null(0).to_numpy()[distinct.place], grid.is_not_null().to_numpy()[distinct.place]


def write_numbers(values: NDArray[np.int64], decimals: int, mark: str) -> pl.Series:
    """Return grid values as text, decimals without trailing zeros."""
    whole, rest = np.divmod(np.abs(values), 10**decimals)
    text = pl.Series(np.where(values < 0, "-", "")) + pl.Series(whole).cast(pl.String)
    if not decimals:
        return text
    after = pl.Series(rest).cast(pl.String).str.zfill(decimals).str.strip_chars_end("0")
    return text.zip_with(after == "", text + mark + after)


def write_points(text: pl.Series, mark: str) -> pl.Series:
    """Return numbers with a decimal point and no marks between thousands; null for what is none."""
    sign, whole, after, number = _split_parts(mark)
    minus = pl.when(sign == "-").then(pl.lit("-")).otherwise(pl.lit(""))
    digits = pl.concat_str(minus, pl.when(whole == "").then(pl.lit("0")).otherwise(whole))
    plain = pl.when(after == "").then(digits).otherwise(pl.concat_str(digits, pl.lit(POINT), after))
    return spell_out_exponents(text, mark).to_frame("cell").select(pl.when(number).then(plain)).to_series()


def are_numbers(text: pl.Series, mark: str) -> bool:
    """Tell whether every text is a number."""
    number = _split_parts(mark)[3]
    return bool(text.unique().to_frame("cell").select(number).to_series().all())


def count_digits(text: pl.Series, mark: str) -> tuple[int, int]:
    """Return the most digits that a number has before its mark and after it, leading and trailing zeros left out."""
    _, whole, after, number = _split_parts(mark)
    lengths = (
        text.unique().to_frame("cell").filter(number).select(whole.str.len_chars().max(), after.str.len_chars().max())
    )
    before, behind = lengths.row(0)
    return int(before or 0), int(behind or 0)


def measure_digits(text: pl.Series, mark: str) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]:
    """Return which texts are numbers, and how many digits each has before its mark and after it."""
    _, whole, after, number = _split_parts(mark)
    parts = text.to_frame("cell").select(
        number.alias("number"), whole.str.len_chars().alias("whole"), after.str.len_chars().alias("after")
    )
    before, behind = (parts[name].cast(pl.Int64).to_numpy() for name in ("whole", "after"))
    return parts["number"].to_numpy().astype(np.bool_), before, behind


def spell_out_exponents(text: pl.Series, mark: str) -> pl.Series:
    """Return texts whose numbers with an exponent, as programs write very small and large ones, are written out."""
    after = rf"(?:{re.escape(mark)}[0-9]*)?" if mark != UNDECIDED else ""
    form = rf"^\s*[+-]?[0-9]+{after}[eE][+-]?[0-9]{{1,2}}\s*$"
    words = text.unique()
    plain = {word: _spell_out(word, mark) for word in words.filter(words.str.contains(form)).to_list()}
    return text.replace(list(plain), list(plain.values())) if plain else text


def _spell_out(word: str, mark: str) -> str:
    number = Decimal(word.strip().replace(mark or POINT, POINT))
    return word if abs(number.adjusted()) > STEEPEST else format(number, "f").replace(POINT, mark or POINT)


def round_numbers(text: pl.Series, decimals: int, mark: str) -> tuple[pl.Series, int]:
    """Return texts whose numbers have at most so many decimals, half to even, and how many were rounded."""
    _, _, after, number = _split_parts(mark)
    words = text.unique()
    long = words.filter(words.to_frame("cell").select(number & (after.str.len_chars() > decimals)).to_series())
    step = Decimal(1).scaleb(-decimals)
    shorter: dict[str, str] = {}
    for word in long.to_list():
        digits = "".join(sign for sign in word if sign in f"+-0123456789{mark}")
        value = Decimal(digits.replace(mark, POINT)).quantize(step, ROUND_HALF_EVEN)
        shorter[word] = format(value, "f").replace(".", mark)
    if not shorter:
        return text, 0
    return text.replace(list(shorter), list(shorter.values())), int(text.is_in(long.implode()).sum())


def choose_decimals(whole: int, after: int) -> int:
    """Return how many decimals are kept of numbers that have so many digits before and after the mark.

    Where some are cut off, rounding may carry into one more digit before the mark: 9.99 becomes 10.0.
    """
    room = max(0, DIGITS - whole)
    return after if after <= min(MOST_DECIMALS, room) else min(MOST_DECIMALS, max(0, room - 1))


CODE = r"^\s*[+-]?(?:0[0-9]|[0-9]{13})"

MARKED = "[.,]"


def find_kind(text: pl.Series, *, date_format: str, decimal: str) -> Kind:
    """Return the kind of a column's texts, of which none is missing."""
    text = text.unique()
    if not len(text):
        return Kind.CATEGORY
    if bool(read_days(text, date_format)[1].all()):
        return Kind.DATE
    if not are_numbers(text, decimal) or bool(text.str.contains(CODE).any()):
        return Kind.CATEGORY
    return Kind.DECIMAL if count_digits(text, decimal)[1] else Kind.INTEGER


def find_decimal_mark(columns: Iterable[pl.Series]) -> str:
    """Return the decimal mark of some columns: the one without which some column could not be read.

    ``1,234`` and ``1.234`` are numbers with either mark, and different ones: columns of such texts alone decide
    nothing, and where others decide nothing either, or not alike, the mark is undecided. Without any mark it is the
    point.
    """
    wanted, open_columns = set[str](), False
    for column in columns:
        text = column.unique()
        if not len(text):
            continue
        marks = {mark for mark in (POINT, COMMA) if are_numbers(spell_out_exponents(text, mark), mark)}
        wanted |= marks if len(marks) == 1 else set()
        open_columns |= len(marks) > 1 and bool(text.str.contains(MARKED).any())
    if open_columns and len(wanted) != 1:
        return UNDECIDED
    return COMMA if COMMA in wanted else POINT
