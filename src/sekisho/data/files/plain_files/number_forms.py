"""Numbers in the forms that people write: with a currency, a per cent sign or a unit, a minus of any kind, wide digits.

What stands around a number is taken off, and the minus put in front: ``△1,200``, ``(1,200)``, ``1,200-`` and
``−¥1,200`` are ``-1,200``. Marks between thousands and the decimal mark stay for whoever reads the number
(:mod:`numbers`). A per cent sign is a unit: ``12.5%`` is 12.5. The numbers of a column have one unit, or none.

Columns of numbers in a frame of texts: each number is written with a point, and none is ever taken for another.

What stands around a number (a currency, a unit, a minus of any kind) is taken off.

The decimal mark is told, or decided by the texts themselves. A cell that a program would read as a number, though with
that mark it is none or another, is refused with its row; what is no number in any way is left to whoever reads it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.fault_notes import CELL, FaultNotes
from sekisho.data.files.plain_files.numbers import (
    BETWEEN,
    COMMA,
    MARKED,
    POINT,
    UNDECIDED,
    find_decimal_mark,
    write_points,
)
from sekisho.data.files.values import MINUS, has_wide_digits, narrow
from sekisho.words import Said

CURRENCIES = (
    "¥",
    "\\",
    "$",
    "€",
    "£",
    "₩",
    "₹",
    "₽",
    "₺",
    "元",
    "円",
    "圓",
    "원",
    "US$",
    "R$",
    "Fr.",
    "Rs.",
    "Rs",
    "kr",
)
CURRENCY_CODES = (
    "JPY",
    "USD",
    "EUR",
    "GBP",
    "CHF",
    "KRW",
    "CNY",
    "RMB",
    "CAD",
    "AUD",
    "SEK",
    "NOK",
    "DKK",
    "PLN",
    "CZK",
)
UNITS = (
    "%",
    "‰",
    "千円",
    "万円",
    "百万円",
    "億円",
    "歳",
    "才",
    "人",
    "名",
    "kg",
    "cm",
    "mm",
    "km",
    "℃",
    "°C",
    "zł",
    "Kč",
    ",-",
    ".-",
    ".–",
)
WHOLE_CURRENCIES = frozenset(("¥", "\\", "円", "圓", "₩", "원", "JPY", "KRW"))
"""Money without a smaller coin: three digits after a mark are thousands."""
SIGN = "[+\\-△▲]"
LISTED = "|".join(re.escape(unit) for unit in sorted((*CURRENCIES, *CURRENCY_CODES), key=len, reverse=True))
BEHIND = "|".join(re.escape(unit) for unit in sorted((*CURRENCIES, *CURRENCY_CODES, *UNITS), key=len, reverse=True))
BLANKS = "".join(BETWEEN)
FORM = (
    rf"^\s*(?<open>\()?\s*(?<first>{SIGN})?\s*(?<prefix>{LISTED})?\s*(?<second>{SIGN})?\s*"
    rf"(?<core>(?:[0-9](?:[0-9.,{BLANKS}]*[0-9])?[.,]?|[.,][0-9]+)(?:[eE][+-]?[0-9]{{1,2}})?)"
    rf"\s*(?<suffix>{BEHIND})?\s*(?<third>-)?\s*(?<close>\))?\s*$"
)
NEGATIVES = ("△", "▲", "()", MINUS)
SIGNS = ("first", "second", "third")


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberWriting:
    """How the numbers of a column are written.

    Attributes:
        decimal: their decimal mark; empty where nobody can tell.
        thousands: what stands between thousands; empty if nothing does.
        prefix: a currency before them.
        suffix: a unit behind them.
        negative: how what is below 0 is marked otherwise than by a hyphen: △, ▲, (), or a minus behind.
        wide: whether digits are wide.
    """

    decimal: str = POINT
    thousands: str = ""
    prefix: str = ""
    suffix: str = ""
    negative: str = ""
    wide: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class NumberParts:
    """Distinct texts taken apart: ``bare`` numbers, null for what is none, and what stands around them.

    The frame has the columns ``bare``, ``prefix``, ``suffix`` and ``negative``, a mark of what is below 0.
    """

    text: pl.Series
    frame: pl.DataFrame

    @property
    def bare(self) -> pl.Series:
        """The numbers without what stands around them."""
        return self.frame["bare"]

    def describe(self, decimal: str) -> NumberWriting | None:
        """Return how the numbers are written; None if they have several units."""
        units = [self.frame[name].drop_nulls().unique().to_list() for name in ("prefix", "suffix")]
        if sum(map(len, units)) > 1 or (units[1] == ["%"] and self.frame["suffix"].null_count()):
            return None
        negative = set(self.frame["negative"].drop_nulls().unique().to_list())
        return NumberWriting(
            decimal=decimal,
            thousands=_find_thousands(self.bare.drop_nulls(), decimal),
            prefix="".join(units[0]),
            suffix="".join(units[1]),
            negative=next((mark for mark in NEGATIVES if mark in negative), ""),
            wide=has_wide_digits(self.text),
        )

    def take(self, mask: NDArray[np.bool_]) -> NumberParts:
        """Return some of them."""
        keep = pl.Series(mask)
        return NumberParts(self.text.filter(keep), self.frame.filter(keep))


def split_numbers(text: pl.Series) -> NumberParts:
    """Return distinct texts without nulls taken apart; one with a minus twice or two units is no number."""
    field = pl.col("cell").struct.field
    signs = [field(name) for name in SIGNS]
    marks = pl.sum_horizontal(*(sign.is_not_null().cast(pl.Int8) for sign in signs), field("open").is_not_null())
    paired = field("open").is_null() == field("close").is_null()
    sign = pl.coalesce(signs)
    minus = field("open").is_not_null() | (sign != "+").fill_null(value=False)
    bare = pl.concat_str(pl.when(minus).then(pl.lit(MINUS)).otherwise(pl.lit("")), field("core"))
    fits = (marks <= 1) & paired & ~(field("prefix").is_not_null() & field("suffix").is_not_null())
    negative = (
        pl.when(field("open").is_not_null())
        .then(pl.lit("()"))
        .when(sign.is_in(["△", "▲"]))
        .then(sign)
        .when(field("third").is_not_null())
        .then(pl.lit(MINUS))
    )
    parts = narrow(text).to_frame("cell").select(pl.col("cell").str.extract_groups(FORM))
    frame = parts.select(
        bare=pl.when(fits).then(bare), prefix=field("prefix"), suffix=field("suffix"), negative=negative
    )
    return NumberParts(text, frame)


def strip_marks(text: pl.Series) -> pl.Series:
    """Return numbers without what stands around them; null for what is none.

    Args:
        text: distinct texts without nulls.
    """
    return split_numbers(text).bare.alias(text.name)


def _find_thousands(core: pl.Series, decimal: str) -> str:
    for mark in (*BETWEEN, *(mark for mark in (COMMA, POINT) if mark != decimal)):
        if decimal != UNDECIDED and bool(core.str.contains(mark, literal=True).any()):
            return mark
    return ""


def find_coinless(core: pl.Series, text: pl.Series) -> tuple[str, ...]:
    """Return the decimal mark of money that has no smaller coin, whose marks part thousands; nothing of others.

    Args:
        core: distinct numbers without what stands around them.
        text: the same as they are written.
    """
    parts = split_numbers(text)
    writing = parts.take(parts.bare.is_not_null().to_numpy()).describe(POINT)
    unit = "" if writing is None else writing.prefix or writing.suffix
    if unit not in WHOLE_CURRENCIES:
        return ()
    pairs = ((COMMA, POINT), (POINT, COMMA))
    return tuple(decimal for thousands, decimal in pairs if are_thousands(core, thousands, unit))


def are_thousands(core: pl.Series, mark: str, writing_unit: str) -> bool:
    """Tell whether a mark that always has three digits behind it surely stands between thousands.

    It does if there are no smaller coins, if it stands twice in a number, or if numbers without it are frequent and all
    below a thousand: of decimals with three digits but one in a thousand would have none.

    Args:
        core: distinct numbers without what stands around them.
        mark: point or comma.
        writing_unit: the currency beside them.
    """
    marked = core.str.contains(mark, literal=True)
    if not bool(marked.any()):
        return False
    sound = core.filter(marked).str.contains(rf"^[+-]?[1-9][0-9]{{0,2}}(?:{re.escape(mark)}[0-9]{{3}})+$").all()
    if not sound:
        return False
    if writing_unit in WHOLE_CURRENCIES or bool((core.str.count_matches(mark, literal=True) > 1).any()):
        return True
    rest = core.filter(~marked)
    small = bool(rest.str.contains(r"^[+-]?[0-9]{1,3}$").all())
    return small and len(rest) >= 5 and len(rest) >= 0.02 * len(core)


WIDE_DIGITS = "".join(map(chr, range(0xFF11, 0xFF1A)))
EXPONENT = r"[eE\uff45\uff25]"
PLAIN_WHOLE, PLAIN_POINT = r"^-?[0-9]+$", r"^-?[0-9]+(?:\.[0-9]+)?$"
NUMERIC = r"^\s*[+-]?[0-9][0-9.,'\u2019\s]*(?:[eE][+-]?[0-9]+)?\s*$"


def find_mark(columns: Sequence[pl.Series], decimal: str | None) -> str:
    """Return the decimal mark of columns in which texts that are no numbers may stand: as told, else as found."""
    if decimal is not None:
        return decimal
    words = [column.drop_nulls().unique() for column in columns]
    texts = [text.filter(text.str.contains(NUMERIC)) for text in map(bare_numbers, words)]
    mark = find_decimal_mark(texts)
    if mark != UNDECIDED:
        return mark
    marks = {decimal for text, raw in zip(texts, words, strict=True) for decimal in find_coinless(text, raw)}
    return marks.pop() if len(marks) == 1 else mark


def bare_numbers(words: pl.Series) -> pl.Series:
    """Return distinct texts of which numbers have lost what stands around them."""
    return strip_marks(words).fill_null(words)


def settle_numbers(
    frame: pl.DataFrame, names: Sequence[str], decimal: str | None, source: object, *, otherwise: str = UNDECIDED
) -> pl.DataFrame:
    """Return a frame in which the numbers of some columns have a decimal point and no marks between thousands.

    Args:
        frame: columns of texts; others hold numbers already.
        names: of the columns of numbers; one that is not there is passed over.
        decimal: the decimal mark; None where it is to be found out.
        source: the file, as faults name it.
        otherwise: the mark where the texts do not decide it, of files that say no other number than one that is known.

    Raises:
        FaultsError: cells would be read as other numbers, or nobody can tell which; all at once.
    """
    texts = [frame[name] for name in dict.fromkeys(names) if name in frame.columns and frame[name].dtype == pl.String]
    mark, notes = find_mark(texts, decimal) or otherwise, FaultNotes(str(source), frame.height)
    columns = [_settle_column(text, mark, notes) for text in texts]
    notes.raise_faults()
    return frame.with_columns(columns)


def read_floats(text: pl.Series, mark: str) -> pl.Series:
    """Return the numbers that texts mean; null for what is none, or cannot be told."""
    written = write_points(text.fill_null("").alias(""), mark)
    steep = text.cast(pl.Float64, strict=False) if mark == POINT else pl.Series([None], dtype=pl.Float64)
    return written.cast(pl.Float64, strict=False).zip_with(written.is_not_null(), steep).alias(text.name)


def read_settled_floats(text: pl.Series, mark: str) -> pl.Series:
    """Return the numbers that texts mean once :func:`settle_numbers` has settled them; null for what is none.

    Most texts are plain digits, which need not be taken apart.
    """
    plain = text.str.contains(PLAIN_POINT if mark == POINT else PLAIN_WHOLE).fill_null(value=True)
    numbers = text.set(~plain, None).cast(pl.Float64, strict=False)
    if bool(plain.all()):
        return numbers
    words = text.filter(~plain).unique()
    written = write_points(bare_numbers(words), mark)
    steep = words if mark == POINT else pl.Series([None], dtype=pl.String)
    values = written.zip_with(written.is_not_null(), steep).cast(pl.Float64, strict=False)
    others = text.set(plain, None).replace_strict(words, values, default=None, return_dtype=pl.Float64)
    return numbers.zip_with(plain, others)


def find_doubtful(words: pl.Series, mark: str) -> pl.Series:
    """Tell which distinct texts would be read as other numbers than with this mark, or nobody can tell as which."""
    if mark == POINT:
        return pl.Series([False]).new_from_index(0, len(words))
    bare = bare_numbers(words)
    could = bare.cast(pl.Float64, strict=False).is_not_null()
    could |= bare.str.contains(NUMERIC) & bare.str.contains(MARKED)
    return write_points(bare, mark).is_null() & could


def say_doubtful(name: str, mark: str) -> Said:
    """Return why a text of a column is doubtful, as a note of faults says it."""
    if mark == UNDECIDED:
        return Said(
            "{source_name} {value} can be read with a decimal point and with a comma: say which",
            source_name=name,
            value=CELL,
        )
    return Said("{name} {value} is no number with a decimal comma", name=name, value=CELL)


def keep_forms(text: pl.Series) -> pl.Series:
    """Return a few of some texts that decide on a decimal mark like all of them: one of each form, digits aside.

    Whether a text is a number depends on where it has zeros and other digits, not on which; but for exponents.
    """
    words = text.drop_nulls()
    forms = words.str.replace_all("[1-9]", "1").str.replace_all(f"[{WIDE_DIGITS}]", WIDE_DIGITS[:1])
    forms = forms.zip_with(~words.str.contains(EXPONENT), words)
    few = words.filter(forms.is_first_distinct())
    return few.filter(bare_numbers(few).str.contains(NUMERIC))


def _settle_column(text: pl.Series, mark: str, notes: FaultNotes) -> pl.Series:
    words = text.drop_nulls().unique()
    doubtful, written = find_doubtful(words, mark), write_points(bare_numbers(words), mark)
    if bool(doubtful.any()):
        mask = text.is_in(words.filter(doubtful).implode()).fill_null(value=False).to_numpy().astype(np.bool_)
        notes.note(mask, text.name, "decimal", text.fill_null(""), say_doubtful(text.name, mark))
    known = written.is_not_null()
    return text.replace(words.filter(known), written.filter(known)) if bool(known.any()) else text
