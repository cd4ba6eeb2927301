"""Small histories and releases for Hypothesis."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import strategies as st

FIRST, DAYS = date(2010, 12, 1), 364


def written_day(offset: int) -> str:
    day = FIRST + timedelta(days=offset)
    return f"{day.year}/{day.month}/{day.day}"


def written_price(pence: int) -> str:
    return f"{pence // 100}.{pence % 100:02}".rstrip("0").rstrip(".")


customers = st.sampled_from(["12350", "13047", "9", "17850"])
items = st.sampled_from(["22728", "POST", "84879", "85123A", "1"])
days = st.integers(0, DAYS)
prices = st.integers(1, 2000)
quantities = st.integers(1, 300)
rows = st.tuples(customers, days, items, prices, quantities)


@st.composite
def histories(draw: st.DrawFn, *, max_rows: int = 12) -> list[tuple[str, int, str, int, int]]:
    return draw(st.lists(rows, min_size=1, max_size=max_rows))


def lines_of(history: list[tuple[str, int, str, int, int]]) -> list[str]:
    return [
        f"{who},{written_day(day)},{item},{written_price(price)},{number}" for who, day, item, price, number in history
    ]


@st.composite
def processed(draw: st.DrawFn, history: list[tuple[str, int, str, int, int]]) -> list[str]:
    """Return a valid release of a history, as lines."""
    known = sorted({row[2] for row in history})
    names = {who: str(number + 1) for number, who in enumerate(sorted({row[0] for row in history}))}
    return [draw(_processed_row(row, names[row[0]], known)) for row in history]


@st.composite
def _processed_row(draw: st.DrawFn, row: tuple[str, int, str, int, int], name: str, known: list[str]) -> str:
    if draw(st.integers(0, 9)) == 0:
        return "*,*,*,*,*"
    _, day, item, price, number = row
    date_cell = draw(_number_cell(day, 0, DAYS).map(lambda ends: _written(ends, written_day)))
    others = draw(st.sets(st.sampled_from(known)))
    item_cell = draw(st.sampled_from(["*", item, "{" + ";".join(sorted(others | {item})) + "}"]))
    price_cell = draw(_number_cell(price, 1, 3000).map(lambda ends: _written(ends, written_price)))
    number_cell = draw(_number_cell(number, 1, 500).map(lambda ends: _written(ends, str)))
    return f"{name},{date_cell},{item_cell},{price_cell},{number_cell}"


def _written(ends: tuple[int, int] | int | None, write: object) -> str:
    assert callable(write)
    if ends is None:
        return "*"
    return str(write(ends)) if isinstance(ends, int) else f"[{write(ends[0])};{write(ends[1])}]"


def _number_cell(value: int, low: int, high: int) -> st.SearchStrategy[tuple[int, int] | int | None]:
    return st.one_of(st.none(), st.just(value), st.tuples(st.integers(low, value), st.integers(value, high)))
