"""Frames of every type a file can hold, drawn at random, with what a plain reader makes of their equal rows.

A drawn column carries its values as they are written and, beside them, what tells a cell from another: two cells of
equal marks are equal, a missing one has no mark. Values lie close together, so that whoever cuts or joins is seen.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal, localcontext
from math import copysign, inf, isnan, nan
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

Kind = Any
MISSING = frozenset({"", "NA", "N/A", "NaN", "nan", "NULL", "null", "None"})
FOLD = 1603585800
"""Half past two in the night in which the clocks of Paris go back, the first time."""
TEXTS = (
    *(
        "a",
        "A",
        "a ",
        "á",
        "a\u0301",
        "日",
        "1",
        "1.0",
        "-0",
        "0",
        "a\nb",
        "a\r\nb",
        "a\rb",
        "\r",
        "a\n",
        'a"b',
        '"',
        "a,b",
    ),
    *("a;b", "", "NA", " NA ", "\u3000", "\u3000null\t", "missing", "{a;b}", "*", "a\tb", "\u2028"),
)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A column as it is written, and the mark of each of its cells; None for a missing one."""

    kind: Kind
    values: list[Any]
    marks: list[object]


def mark_text(text: str) -> str | None:
    """Return what tells a text from another."""
    return None if text.strip() in MISSING else text


def _mark_float(value: float) -> object:
    return None if isnan(value) else (value, copysign(1.0, value))


def _mark_same(value: object) -> object:
    return value


def _close(*around: int) -> tuple[int, ...]:
    return tuple(value + step for value in around for step in (-1, 0, 1))


def _count(unit: str) -> tuple[int, ...]:
    scale = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    return _close(0, FOLD * scale, (FOLD + 3600) * scale)


def _numbers() -> Iterator[tuple[Kind, Sequence[Any], Callable[[Any], object]]]:
    for bits in (8, 16, 32, 64):
        top = 2 ** (bits - 1)
        yield getattr(pa, f"int{bits}")(), (0, 1, -1, top - 1, top - 2, -top, -top + 1), _mark_same
        yield getattr(pa, f"uint{bits}")(), (0, 1, 2 * top - 1, 2 * top - 2), _mark_same
    floats = (0.0, -0.0, 1.0, 0.5, inf, -inf, nan)
    yield pa.float64(), (*floats, 0.1, 0.30000000000000004, 0.3, 1e16, 1e16 + 2, 5e-324, -5e-324), _mark_float
    yield pa.float32(), (*floats, 16777216.0, 16777214.0, 2.0**-149), _mark_float
    yield pa.bool_(), (True, False), _mark_same
    with localcontext(prec=60):
        for digits, scale in ((38, 9), (38, 0), (20, 3), (5, 2)):
            unit = Decimal(1).scaleb(-scale)
            counts = (*_close(0, 10 ** (digits - 1)), 10**digits - 1)
            yield pa.decimal128(digits, scale), tuple(unit * each for each in counts), str


def _moments() -> Iterator[tuple[Kind, Sequence[Any], Callable[[Any], object]]]:
    yield pa.date32(), tuple(date(2020, 2, 28) + timedelta(days=step) for step in range(4)), _mark_same
    for unit in ("s", "ms", "us", "ns"):
        for zone in (None, "UTC", "Europe/Paris", "+02:00", "Africa/Monrovia"):
            yield pa.timestamp(unit, zone), _count(unit), _mark_same
        yield pa.duration(unit), _count(unit), _mark_same
    yield pa.time32("ms"), _close(1, 1000, 86_398_999), _mark_same
    yield pa.time64("us"), _close(1, 10**6), _mark_same
    yield pa.time64("ns"), _close(1, 10**9), _mark_same


def _words() -> Iterator[tuple[Kind, Sequence[Any], Callable[[Any], object]]]:
    for kind in (pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())):
        yield kind, TEXTS, mark_text
    yield pa.binary(), tuple(text.encode() for text in TEXTS), lambda value: mark_text(value.decode())


KINDS = (*_numbers(), *_moments(), *_words())


@st.composite
def columns(draw: st.DrawFn, rows: int) -> Drawn:
    """Return a column of some type; few values, so that rows agree."""
    kind, domain, mark = draw(st.sampled_from(KINDS))
    few = draw(st.lists(st.sampled_from(domain), min_size=1, max_size=4))
    values = draw(st.lists(st.none() | st.sampled_from(few), min_size=rows, max_size=rows))
    return Drawn(kind, values, [None if value is None else mark(value) for value in values])


@st.composite
def frames(draw: st.DrawFn) -> list[Drawn]:
    """Return one to three columns of as many rows."""
    rows = draw(st.integers(1, 12))
    return draw(st.lists(columns(rows), min_size=1, max_size=3))


@st.composite
def text_frames(draw: st.DrawFn) -> list[Drawn]:
    """Return one to three columns of texts without nulls, as a CSV file holds them."""
    rows = draw(st.integers(1, 12))
    texts = st.lists(st.sampled_from(TEXTS), min_size=rows, max_size=rows)
    cells = draw(st.lists(texts, min_size=2, max_size=3))
    return [Drawn(pa.string(), values, [mark_text(value) for value in values]) for values in cells]


def name_columns(drawn: Sequence[Drawn]) -> list[str]:
    """Return what the columns of a drawn frame are called."""
    return [f"key{place}" for place in range(len(drawn))]


def write_parquet(drawn: Sequence[Drawn], path: Path) -> None:
    """Write a drawn frame as Parquet."""
    arrays = [pa.array(each.values, each.kind) for each in drawn]
    pq.write_table(pa.table(arrays, names=name_columns(drawn)), path)


def write_csv(drawn: Sequence[Drawn], path: Path, *, end: str = "\n") -> None:
    """Write a drawn frame of texts as CSV, every cell in quotation marks."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, quoting=csv.QUOTE_ALL, lineterminator=end)
        writer.writerow(name_columns(drawn))
        writer.writerows(zip(*[each.values for each in drawn], strict=True))


def count_equal(drawn: Sequence[Drawn]) -> Counter[int]:
    """Return how many classes of equal rows there are of each size, counted plainly."""
    return Counter(Counter(zip(*[each.marks for each in drawn], strict=True)).values())
