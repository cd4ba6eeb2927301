"""What somebody writes in a form is understood as he meant it, and as plain Python understands it value by value."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal

import polars as pl
import pytest
from bench.plain_columns import understand_plainly
from hypothesis import example, given
from hypothesis import strategies as st
from tests.laws import try_examples

from sekisho.data.files.plain_files.column_reading import Surroundings
from sekisho.data.files.plain_files.understanding import translate_dates, translate_numbers, understand

WIDE = str.maketrans("0123456789,.-/", "０１２３４５６７８９，．－／")
ENGLISH = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def write_era(day: date) -> str:
    name, start = ("令和", 2018) if day >= date(2019, 5, 1) else ("平成", 1988) if day.year > 1989 else ("昭和", 1925)
    count = day.year - start
    return f"{name}{'元' if count == 1 else count}年{day.month}月{day.day}日"


WRITERS: dict[str, Callable[[date], str]] = {
    "%d/%m/%Y": lambda day: f"{day:%d/%m/%Y}",
    "%m/%d/%Y": lambda day: f"{day:%m/%d/%Y}",
    "%d.%m.%Y": lambda day: f"{day.day}.{day.month}.{day.year}",
    "%Y年%m月%d日": lambda day: f"{day.year}年{day.month}月{day.day}日",
    "wide": lambda day: f"{day.year}/{day.month}/{day.day}".translate(WIDE),
    "wareki": write_era,
    "letters": lambda day: (
        f"R{day.year - 2018}.{day.month}.{day.day}" if day.year > 2019 else f"S{day.year - 1925}/1/2"
    ),
    "%d %B %Y": lambda day: f"{day.day} {ENGLISH[day.month - 1]} {day.year}",
    "%Y%m%d": lambda day: f"{day:%Y%m%d}",
    "excel-serial": lambda day: str(day.toordinal() - date(1899, 12, 30).toordinal()),
}
days = st.lists(st.dates(date(1955, 1, 1), date(2060, 12, 31)), min_size=1, max_size=12)


@try_examples(60)
@given(written=days, form=st.sampled_from(sorted(WRITERS)))
@example(written=[date(2019, 5, 1), date(2024, 2, 29)], form="wareki")
def test_a_day_is_understood_as_it_was_meant(written: list[date], form: str) -> None:
    if form in {"%d/%m/%Y", "%m/%d/%Y"}:
        written = [*written, date(2024, 1, 31)]  # one day above 12 decides for the column
    if form == "letters":
        written = [day for day in written if day.year > 2019] or [date(2024, 2, 3)]
    texts = pl.Series([WRITERS[form](day) for day in written])
    reading = understand(texts, Surroundings(header="入社日"))
    assert reading.kind.kind.value == "date"
    iso = translate_dates(texts, reading.format) if reading.format else texts.str.replace_all("/", "-")
    assert iso.to_list() == [day.isoformat() for day in written]


MINUSES: dict[str, Callable[[str], str]] = {
    "-": lambda text: f"-{text}",
    "\u2212": lambda text: f"\u2212{text}",
    "△": lambda text: f"△{text}",
    "▲": lambda text: f"▲ {text}",
    "()": lambda text: f"({text})",
    "behind": lambda text: f"{text}-",
    "wide": lambda text: f"-{text}".translate(WIDE),
}


@try_examples(60)
@given(
    numbers=st.lists(st.decimals(-(10**9), 10**9, places=2), min_size=1, max_size=12),
    minus=st.sampled_from(sorted(MINUSES)),
    around=st.sampled_from([("", ""), ("¥", ""), ("", "円"), ("€ ", ""), ("", " %"), ("", " kg")]),
    comma=st.booleans(),
)
def test_a_number_is_understood_as_it_was_meant(
    numbers: list[Decimal], minus: str, around: tuple[str, str], *, comma: bool
) -> None:
    def write(number: Decimal) -> str:
        text = f"{abs(number):,.2f}"
        text = text.translate(str.maketrans(",.", ".,")) if comma else text
        text = f"{around[0]}{text}{around[1]}"
        return MINUSES[minus](text) if number < 0 else text

    texts = pl.Series([write(number) for number in numbers])
    reading = understand(texts)
    assert reading.numbers is not None
    assert reading.numbers.decimal == ("," if comma else ".")
    plain = translate_numbers(texts, reading.numbers.decimal).str.replace(",", ".", literal=True)
    assert [Decimal(text) for text in plain] == numbers


CELLS = (
    *("2024-01-03", "2024/1/3", "2024年1月3日", "令和6年1月3日", "H31/4/30", "R6.1.3", "03/01/2024", "31/01/2024"),
    *("01/31/2024", "2024-02-30", "31.12.2023", "１２", "△1,200", "(5)", "¥1,234,567", "12.5%", "-3", "0", "7円", "x"),
)


@try_examples(150)
@given(texts=st.lists(st.sampled_from(CELLS), min_size=1, max_size=5))
@example(texts=["03/01/2024", "31/01/2024"])
@example(texts=["R6.1.3", "2024年1月3日"])
def test_what_plain_python_understands_is_understood_alike(texts: list[str]) -> None:
    known = understand_plainly(texts)
    reading = understand(pl.Series(texts))
    if known is None or (isinstance(known[0], Decimal) and reading.numbers is None):
        return  # several units are no numbers of one column
    if isinstance(known[0], date):
        assert reading.kind.kind.value == "date"
        iso = translate_dates(pl.Series(texts), reading.format or "%Y-%m-%d|%Y/%m/%d")
        assert iso.to_list() == [day.isoformat() for day in known if isinstance(day, date)]
    elif reading.kind.kind.numeric and reading.numbers is not None:
        plain = translate_numbers(pl.Series(texts), reading.numbers.decimal)
        assert [Decimal(text) for text in plain] == known


@pytest.mark.parametrize("text", ["2024-02-30", "令和6年13月1日", "31/13/2024", "M46.1.1", "平成0年1月1日"])
def test_a_day_that_there_is_not_is_none(text: str) -> None:
    assert not understand(pl.Series([text])).kind.kind.numeric
