"""Columns of texts understood value by value in plain Python: the oracle of the tests and the reference of the benchmark.

It knows fewer forms than the fast way and decides nothing but whether every text of a column is a date of one form, or
a number, and what each is; where it says so, the fast way must say the same.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from datetime import date
from decimal import Decimal

ERAS = {"明治": 1867, "大正": 1911, "昭和": 1925, "平成": 1988, "令和": 2018}
LETTERS = dict(zip("MTSHR", ERAS, strict=True))
ERA = re.compile(r"(明治|大正|昭和|平成|令和|[MTSHR])(\d{1,2}|元)[年./-](\d{1,2})[月./-](\d{1,2})日?")
YEAR_FIRST = re.compile(r"(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?")
YEAR_LAST = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})")
NUMBER = re.compile(r"([-△▲]?)([¥$€£]?)(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(円|%)?")


def make_day(year: int, month: int, day: int) -> date | None:
    """Return a day, None if there is none such."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def read_day(text: str, *, day_first: bool) -> date | None:
    """Return the day that a text means."""
    plain = unicodedata.normalize("NFKC", text).strip()
    if match := YEAR_FIRST.fullmatch(plain):
        return make_day(*map(int, match.groups()))
    if match := ERA.fullmatch(plain):
        era, year, month, day = match.groups()
        return make_day(ERAS[LETTERS.get(era, era)] + (1 if year == "元" else int(year)), int(month), int(day))
    if match := YEAR_LAST.fullmatch(plain):
        first, second, year = int(match[1]), int(match[3]), int(match[4])
        return make_day(year, second, first) if day_first else make_day(year, first, second)
    return None


def read_number(text: str) -> Decimal | None:
    """Return the number that a text with a decimal point means."""
    plain = unicodedata.normalize("NFKC", text).strip().replace("\u2212", "-")
    closed = plain.startswith("(") and plain.endswith(")")
    match = NUMBER.fullmatch(plain[1:-1] if closed else plain)
    if match is None or (closed and match[1]):
        return None
    value = Decimal(match[3].replace(",", "") + (match[4] or ""))
    return -value if closed or match[1] else value


def understand_plainly(texts: Sequence[str]) -> list[date] | list[Decimal] | None:
    """Return what the texts of a column mean, dates or numbers; None if they are not all one of them."""
    for day_first in (True, False):
        days = [read_day(text, day_first=day_first) for text in texts]
        known = [day for day in days if day is not None]
        if len(known) == len(texts):
            return known
    numbers = [number for number in map(read_number, texts) if number is not None]
    return numbers if len(numbers) == len(texts) else None
