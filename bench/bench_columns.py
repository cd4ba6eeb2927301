"""Columns of texts understood and turned into one writing, beside plain Python value by value."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

import plain_columns
from sekisho.data.files.plain_files.column_reading import Surroundings
from sekisho.data.files.plain_files.understanding import translate_dates, translate_numbers, understand_columns
from sekisho.seeds import Seed
from spec import Case

ROWS, PART = 1_000_000, 100
ERAS = ("昭和", "平成")


def write_columns(rows: int) -> dict[str, pl.Series]:
    """Return ten columns as offices write them."""
    rng = Seed(1).rng()
    days = [pl.Series(rng.integers(-9000, 19000, rows)).cast(pl.Int32).cast(pl.Date) for _ in range(4)]
    months, years = (pl.Series(rng.integers(1, most, rows)).cast(pl.String) for most in (13, 30))
    era = pl.Series(rng.choice(ERAS, rows))
    money = pl.Series(rng.integers(1, 999, rows)).cast(pl.String)
    return {
        "birth": days[0].dt.strftime("%d/%m/%Y"),
        "start": days[1].dt.strftime("%Y年%m月%d日"),
        "seen": days[2].dt.strftime("%Y-%m-%d"),
        "left": days[3].dt.strftime("%d.%m.%Y"),
        "入社日": era + years + "年" + months + "月3日",
        "pay": "¥" + money + ",000",
        "rate": pl.Series(rng.integers(0, 1000, rows)).cast(pl.String) + "%",
        "age": pl.Series(rng.integers(0, 100, rows)).cast(pl.String),
        "town": pl.Series(rng.choice(["東京", "大阪", "京都"], rows)),
        "code": pl.Series(rng.integers(0, 10**6, rows)).cast(pl.String).str.zfill(8),
    }


def understand_and_write(columns: dict[str, pl.Series]) -> list[pl.Series]:
    """Return all columns in one writing."""
    readings = understand_columns(columns, Surroundings(separator=","))
    written = list[pl.Series]()
    for name, reading in readings.items():
        text = columns[name]
        if reading.format:
            text = translate_dates(text, reading.format)
        elif reading.numbers is not None and not reading.plain:
            text = translate_numbers(text, reading.numbers.decimal)
        written.append(text)
    return written


def cases() -> Iterator[Case]:
    """Yield one file of ten columns."""
    columns = write_columns(ROWS)
    few = [column.head(ROWS // PART).to_list() for column in columns.values()]
    yield Case(
        work="understand columns of texts",
        size=f"{ROWS:,} rows, 10 columns",
        ours=lambda: understand_and_write(columns),
        reference=f"plain Python, one row in {PART}",
        other=lambda: [plain_columns.understand_plainly(texts) for texts in few],
        part=PART,
    )
