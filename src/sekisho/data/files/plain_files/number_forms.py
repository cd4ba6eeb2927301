"""Numbers in the forms that people write: with a currency, a per cent sign or a unit, a minus of any kind, wide digits.

What stands around a number is taken off, and the minus put in front: ``△1,200``, ``(1,200)``, ``1,200-`` and
``−¥1,200`` are ``-1,200``. Marks between thousands and the decimal mark stay for whoever reads the number
(:mod:`numbers`). A per cent sign is a unit: ``12.5%`` is 12.5. The numbers of a column have one unit, or none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.plain_files.numbers import BETWEEN, COMMA, POINT, UNDECIDED
from sekisho.data.files.values.widths import MINUS, has_wide_digits, narrow

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
