"""A column is understood as its owner wrote it: nothing that is a date or a number stays a text, no code becomes one."""

from __future__ import annotations

import polars as pl
import pytest

from sekisho.data.files.plain_files.column_reading import Surroundings, TextKind
from sekisho.data.files.plain_files.understanding import (
    translate_dates,
    translate_numbers,
    understand,
    understand_columns,
)

DATES = {
    "%Y-%m-%d": ("2024-01-03", "2024-12-31"),
    "%Y/%m/%d": ("2024/01/03", "2024/12/31"),
    "%d/%m/%Y": ("03/01/2024", "31/12/2024"),
    "%m/%d/%Y": ("01/03/2024", "12/31/2024"),
    "%d.%m.%Y": ("3.1.2024", "31.12.2024"),
    "%d.%m.%y": ("03.01.24", "31.12.24", "01.02.23"),
    "%Y年%m月%d日": ("2024年1月3日", "２０２４年１２月３１日(火)"),
    "wareki": ("令和6年1月3日", "R6.12.31", "昭和45年1月1日", "H31/4/30", "令和元年5月1日", "Ｓ４５．１．１"),
    "wareki-month": ("令和6年1月", "R6.12"),
    "%Y年%m月": ("2024年1月", "2024年12月"),
    "%d %B %Y": ("3 January 2024", "1er mars 2024", "3 de diciembre de 2024"),
    "%d. %B %Y": ("3. März 2024", "31. Dez. 2024"),
    "%d%b%Y": ("03JAN2024", "31DEC2024"),
    "%B %d, %Y": ("January 3, 2024", "Dec 31, 2024"),
}


@pytest.mark.parametrize("form", DATES)
def test_dates_are_understood_in_every_form(form: str) -> None:
    reading = understand(pl.Series(DATES[form]))
    assert (reading.kind, [each.text for each in reading.forms]) == (TextKind.DATE, [form])
    if not reading.plain:
        iso = translate_dates(pl.Series(DATES[form]), reading.format)
        assert bool((iso.str.to_date("%Y-%m-%d").dt.year() >= 1970).all())


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2024年1月3日 午後3時05分", "2024-01-03 15:05:00"),
        ("2024年1月3日(水) 08:30", "2024-01-03 08:30:00"),
        ("2024年1月3日 12:05 am", "2024-01-03 00:05:00"),
        ("2024年1月3日 08:30:15.25 JST", "2024-01-03 08:30:15.25+09:00"),
        ("2024年1月3日 25:30", "2024年1月3日 25:30"),
        ("不明", ""),
    ],
)
def test_times_keep_their_place_and_zone(text: str, iso: str) -> None:
    assert translate_dates(pl.Series([text]), "%Y年%m月%d日").to_list() == [iso]


def test_one_day_above_twelve_decides_for_the_column() -> None:
    assert understand(pl.Series(["01/02/2024", "13/02/2024"])).format == "%d/%m/%Y"
    assert understand(pl.Series(["01/02/2024", "02/13/2024"])).format == "%m/%d/%Y"


def test_an_open_order_is_told_and_decided_by_the_other_columns() -> None:
    open_column = pl.Series(["01/02/2024", "03/04/2024"])
    alone = understand(open_column)
    assert (alone.format, alone.order_open, alone.twin) == ("%d/%m/%Y", True, "%m/%d/%Y")
    both = understand_columns({"a": open_column, "b": pl.Series(["12/31/2024", "01/02/2024"])})
    assert (both["a"].format, both["a"].order_open) == ("%m/%d/%Y", False)


def test_mixed_forms_are_both_read() -> None:
    reading = understand(pl.Series(["R6.1.3", "R6.2.3", "2024/03/05"]))
    assert {each.text: each.count for each in reading.forms} == {"wareki": 2, "%Y/%m/%d": 1}
    assert translate_dates(pl.Series(["R6.1.3", "2024/03/05"]), reading.format).to_list() == [
        "2024-01-03",
        "2024-03-05",
    ]


def test_digits_are_days_where_the_name_speaks_of_time() -> None:
    compact, serial = pl.Series(["20240103", "20241231"]), pl.Series(["45294", "45295.5"])
    assert understand(compact, Surroundings(header="取引日")).format == "%Y%m%d"
    assert understand(compact, Surroundings(header="amount")).kind is TextKind.INTEGER
    assert understand(serial, Surroundings(header="Datum")).format == "excel-serial"
    assert understand(serial, Surroundings(header="price")).kind is TextKind.DECIMAL
    # 2024-01-03 is day 45294 of a workbook that counts from 1899-12-30
    assert translate_dates(serial, "excel-serial").to_list() == ["2024-01-03", "2024-01-04 12:00:00"]


NUMBERS = {
    ".": {
        "△1,200": "-1200",
        "▲ 5": "-5",
        "(1,200)": "-1200",
        "1,200-": "-1200",
        "−¥1,200": "-1200",
        "\\980": "980",
        "１，２００円": "1200",
        "12.5%": "12.5",
        "$-3.50": "-3.5",
        "1 234.5": "1234.5",
        "–7": "-7",
        "－８": "-8",
        "35歳": "35",
        "1,412万円": "1412",
        "未測定": "",
        "1-9": "1-9",
        "(5": "(5",
    },
    ",": {"1.234,56 €": "1234,56", "-0,5": "-0,5", "1\u00a0234,5": "1234,5"},
}


@pytest.mark.parametrize(("mark", "text"), [(mark, text) for mark in NUMBERS for text in NUMBERS[mark]])
def test_numbers_are_read_whatever_stands_around_them(mark: str, text: str) -> None:
    assert translate_numbers(pl.Series([text]), mark).to_list() == [NUMBERS[mark][text]]


def test_a_currency_without_coins_has_thousands() -> None:
    reading = understand(pl.Series(["¥1,200", "¥3,400"]))
    assert (reading.kind, reading.plain) == (TextKind.INTEGER, False)
    assert reading.numbers is not None
    assert (reading.numbers.prefix, reading.numbers.thousands) == ("¥", ",")


def test_nobody_can_tell_what_a_mark_before_three_digits_is() -> None:
    texts = pl.Series(["1,200", "3,400"])
    assert understand(texts).kind.kind.value == "category"
    assert understand(texts, Surroundings(separator=",")).kind is TextKind.INTEGER  # a comma parts cells there
    assert understand_columns({"a": texts, "b": pl.Series(["1,5", "2,25"])})["a"].kind is TextKind.DECIMAL


@pytest.mark.parametrize(
    "texts",
    [
        ("007", "120"),
        ("4900004513833",),
        ("+15035550110",),
        tuple(f"555 000 {number}" for number in range(285, 299)),
        ("A01", "B02"),
    ],
)
def test_codes_stay_texts(texts: tuple[str, ...]) -> None:
    assert understand(pl.Series(texts)).kind is TextKind.CODE


def test_sure_texts_are_missing_and_numbers_are_proposed() -> None:
    texts = [str(value) for value in range(80, 180)] + ["未測定"] * 3 + ["-"] + ["999"] * 5
    reading = understand(pl.Series(texts))
    assert (reading.kind, reading.sure_missing) == (TextKind.INTEGER, ("未測定", "-"))
    assert [(each.text, each.count) for each in reading.proposed_missing] == [("999", 5)]


def test_a_frequent_value_within_the_others_is_no_proposal() -> None:
    assert understand(pl.Series([str(value) for value in range(900, 1100)] + ["999"] * 9)).proposed_missing == ()


def test_an_answer_among_words_is_a_value() -> None:
    reading = understand(pl.Series(["あり", "なし", "未回答", "過去"]))
    assert (reading.kind, reading.sure_missing) == (TextKind.CATEGORY, ())
    assert [each.text for each in reading.proposed_missing] == ["未回答"]


def test_who_was_absent_has_no_mark_but_an_entry_in_the_roll() -> None:
    marks = understand(pl.Series([str(value) for value in range(30, 90)] + ["欠"] * 3))
    assert (marks.kind, marks.sure_missing) == (TextKind.INTEGER, ("欠",))
    roll = understand(pl.Series(["出席", "欠席", "遅刻"]))
    assert (roll.kind, roll.sure_missing, roll.proposed_missing) == (TextKind.CATEGORY, (), ())


def test_few_misfits_are_told_and_many_make_a_text() -> None:
    dates = [f"{day:02}/01/2024" for day in range(1, 32)] * 10
    reading = understand(pl.Series([*dates, "see file"]))
    assert (reading.kind, reading.misfit_rows) == (TextKind.DATE, 1)
    assert reading.misfits[0].text == "see file"
    assert understand(pl.Series([*dates, *["see file"] * 10])).kind is not TextKind.DATE
