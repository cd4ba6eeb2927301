"""A date is a day, written in whatever format; what is no date is told."""

from __future__ import annotations

from datetime import date, timedelta

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.data.files.plain_files.date_forms import (
    ISO,
    SHORT,
    SLASHED,
    check_date_format,
    count_times,
    find_date_format,
    read_days,
    write_days,
)
from sekisho.errors import ParameterError

EPOCH = date(1970, 1, 1)


@pytest.mark.parametrize(
    ("text", "form", "day"),
    [
        ("2024-01-03", "", date(2024, 1, 3)),
        ("2024/1/3", "", date(2024, 1, 3)),
        ("2024-01-03T10:00:00.5Z", "", date(2024, 1, 3)),
        ("2024/01/03 9:05", "", date(2024, 1, 3)),
        ("2024-02-30", "", None),
        ("2024-01-03 noon", "", None),
        ("03.01.2024", "", None),
        ("03.01.2024", "%d.%m.%Y", date(2024, 1, 3)),
        ("3.1.2024", "%d.%m.%Y", date(2024, 1, 3)),
        ("2024-01-03", "%d.%m.%Y", None),
        ("03.01.2024 10:00", "%d.%m.%Y %H:%M", date(2024, 1, 3)),
        ("03.01.2024", "%d.%m.%Y %H:%M", date(2024, 1, 3)),  # as we write it
    ],
)
def test_what_a_text_means(text: str, form: str, day: date | None) -> None:
    days, readable = read_days(pl.Series([text]), form)
    assert (EPOCH + timedelta(days=int(days[0])) if readable[0] else None) == day


@pytest.mark.parametrize("form", ["%Q", "%Y-%m", "no date", "%H:%M %d.%m.%Y", "%d;%m;%Y", "%", "[%Y-%m-%d]"])
def test_a_format_that_tells_no_day_is_refused(form: str) -> None:
    with pytest.raises(ParameterError, match="date_format"):
        check_date_format(form)


@given(
    st.lists(st.dates(), min_size=1, max_size=5),
    st.sampled_from(["", SLASHED, SHORT, "%d.%m.%Y", "%m/%d/%Y", "%d %b %Y", "%Y年%m月%d日", "%d.%m.%Y %H:%M"]),
)
def test_reading_undoes_writing(days: list[date], form: str) -> None:
    check_date_format(form)
    grid = pl.Series([(day - EPOCH).days for day in days]).to_numpy()
    again, readable = read_days(write_days(grid, form), form)
    assert readable.all()
    assert again.tolist() == grid.tolist()


def test_the_form_of_plain_dates_is_found_and_times_are_counted() -> None:
    assert find_date_format(pl.Series(["2024-01-03", "2024/1/3"])) == ISO
    assert find_date_format(pl.Series(["2024/01/03", "2024/11/30"])) == SLASHED
    assert find_date_format(pl.Series(["2024/1/3", "2024/11/30"])) == SHORT
    assert count_times(pl.Series(["2024-01-03 10:00", "2024-01-03"]), "") == 1
    assert count_times(pl.Series(["03.01.2024 10:00", "03.01.2024"]), "%d.%m.%Y %H:%M") == 1
    assert count_times(pl.Series(["03.01.2024"]), "%d.%m.%Y") == 0
