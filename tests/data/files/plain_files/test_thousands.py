"""A number that is written with marks between its thousands is read as it was written, or refused: never as another.

The style of a file is drawn (decimal mark, mark between thousands, how many decimals), numbers are written in it, and
every reader is asked: data of one's own in memory and in blocks, the cells of tables, weights beyond memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from enum import Enum
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.data.engines.engines import CHOICES, RECORDS
from tests.laws import try_examples

from sekisho.data.engines.scan import find_large_mark, open_scan
from sekisho.data.engines.schema_files.survey import open_own_blocks
from sekisho.data.engines.session import open_session
from sekisho.data.files.plain_files.number_forms import find_mark, read_floats, settle_numbers
from sekisho.data.files.plain_files.numbers import UNDECIDED, find_decimal_mark
from sekisho.data.files.schema_files.reading import read_own
from sekisho.data.files.schema_files.schema_file import ColumnRules, FileRules, SchemaFile
from sekisho.data.frame.dataset import Kind
from sekisho.data.shape import Shape
from sekisho.errors import FaultsError

STYLES = [
    (mark, sign)
    for mark in ".,"
    for sign in ("", ".", ",", " ", "\u00a0", "\u2009", "\u202f", "'", "\u2019")
    if sign != mark
]
quick = try_examples(120, share_fixtures=True)
broad = st.tuples(st.lists(st.integers(-(10**9), 10**9), min_size=2, max_size=6), st.integers(0, 3))
narrow = st.tuples(st.lists(st.integers(0, 999) | st.integers(1000, 999_999), min_size=1, max_size=3), st.just(0))
"""Whole numbers with at most one mark between their thousands: with such alone nobody can tell."""
three = st.tuples(st.lists(st.integers(1000, 999_999), min_size=1, max_size=3), st.just(3))
"""Numbers with three decimals, which look like them."""
columns = broad | narrow | three


class Word(Enum):
    """Whether somebody says which the decimal mark is."""

    TOLD = "told"
    NONE = "none"


def refuse_untold(error: FaultsError, word: Word) -> None:
    """Require that only what nobody can tell is refused."""
    assert word is Word.NONE
    assert {fault.rule for fault in error.faults} == {"decimal"}
    assert all(set(".,") & set(fault.value) for fault in error.faults)


def write(number: Decimal, mark: str, sign: str) -> str:
    """Return a number as people of one style write it."""
    return f"{number:,f}".replace(",", "\0").replace(".", mark).replace("\0", sign)


def scale(numbers: Sequence[int], decimals: int) -> list[Decimal]:
    return [Decimal(number).scaleb(-decimals) for number in numbers]


def write_file(path: Path, texts: Iterable[str]) -> None:
    rows = [f"{place}\t{text}\n" for place, text in enumerate(texts)]
    path.write_text("row\tnumber\n" + "".join(rows), encoding="utf-8")


def schema(decimal: str | None, kind: Kind | None) -> SchemaFile:
    rules = (ColumnRules(name="row", kind=Kind.INTEGER), ColumnRules(name="number", kind=kind))
    return SchemaFile(shape=Shape.RECORDS, file=FileRules(decimal=decimal, separator="\t"), columns=rules)


@pytest.mark.parametrize("kind", [None, Kind.DECIMAL])
@quick
@given(column=columns, style=st.sampled_from(STYLES), word=st.sampled_from(Word))
def test_data_of_ones_own(
    tmp_path: Path, kind: Kind | None, column: tuple[list[int], int], style: tuple[str, str], word: Word
) -> None:
    numbers = scale(*column)
    path, asked = tmp_path / "own.csv", schema(style[0] if word is Word.TOLD else None, kind)
    write_file(path, [write(number, *style) for number in numbers])
    try:
        own = read_own(path, asked)
    except FaultsError as error:
        refuse_untold(error, word)
        return
    answer = own.data.schema["number"]
    if answer.kind is Kind.CATEGORY:
        assert word is Word.NONE
        return
    assert [Decimal(value).scaleb(-answer.decimals) for value in own.data.frame["number"].to_list()] == numbers
    session = open_session(CHOICES[0], tmp_path)
    parts = list(open_own_blocks(session, path, asked).read_parts(lambda _: None))
    assert pl.concat([part.data.frame for part in parts]).equals(own.data.frame)


@quick
@given(column=columns, style=st.sampled_from(STYLES), word=st.sampled_from(Word))
def test_cells_of_tables(column: tuple[list[int], int], style: tuple[str, str], word: Word) -> None:
    numbers = [abs(number) for number in scale(*column)]
    texts = [write(number, *style) for number in numbers]
    frame = pl.DataFrame({"town": [f"t{place}" for place in range(len(texts))], "sum": texts})
    try:
        settled = settle_numbers(frame, ["sum"], style[0] if word is Word.TOLD else None, "cells.csv")
    except FaultsError as error:
        refuse_untold(error, word)
        return
    assert settled["sum"].cast(pl.Float64).to_list() == [float(number) for number in numbers]


@quick
@given(column=columns, style=st.sampled_from(STYLES))
def test_weights_beyond_memory(tmp_path: Path, column: tuple[list[int], int], style: tuple[str, str]) -> None:
    numbers = scale(*column)
    path, texts = tmp_path / "weights.csv", [write(number, *style) for number in numbers]
    write_file(path, texts)
    with open_scan(path, RECORDS, CHOICES[0]) as scan:
        mark = find_large_mark(scan, ["number"], None)
    assert mark == find_mark([pl.Series(texts)], None)
    read = read_floats(pl.Series(texts), mark).to_list()
    assert all(value in {None, float(number)} for value, number in zip(read, numbers, strict=True))


@pytest.mark.parametrize(
    ("texts", "mark"),
    [
        (["1.000", "2.500"], UNDECIDED),
        (["1,000"], UNDECIDED),
        (["1.000", "0.5"], "."),
        (["1.000", "1,5"], ","),
        (["1.000", "1.000.000"], ","),
        (["1,000.5"], "."),
        (["1000.125"], "."),
        (["0.125"], "."),
        (["1 000", "7"], "."),
        (["7"], "."),
    ],
)
def test_what_decides_the_mark(texts: list[str], mark: str) -> None:
    assert find_decimal_mark([pl.Series(texts)]) == mark


def test_another_column_decides_for_one_that_does_not() -> None:
    assert find_decimal_mark([pl.Series(["1.000"]), pl.Series(["0,5"])]) == ","
    assert find_decimal_mark([pl.Series(["1.000"]), pl.Series(["0,5"]), pl.Series(["0.5"])]) == UNDECIDED


def test_a_cell_that_nobody_can_tell_is_refused_with_its_place(tmp_path: Path) -> None:
    write_file(tmp_path / "own.csv", ["7", "1.000"])
    with pytest.raises(FaultsError, match=r"row 2, number: number '1.000' can be read with a decimal point and with a"):
        read_own(tmp_path / "own.csv", schema(None, Kind.INTEGER))
