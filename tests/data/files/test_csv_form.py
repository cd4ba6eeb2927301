"""A file of any make is read cell by cell as it stands; a line with too few or too many cells is refused, quoted or not.

Most files are only counted through: as many separators outside quotes as equal lines have. Such a count must never let
pass what reading line by line would refuse.
"""

from __future__ import annotations

import csv
from io import StringIO
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sekisho.data.files import csv_form
from sekisho.data.files.csv_form import CsvForm, parse_csv
from sekisho.errors import FaultsError

FORM = CsvForm(separator=";", header=False, encoding="utf-8")
cells = st.text(alphabet='ab;"\n', max_size=4)
QUOTING = st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
ragged = st.lists(st.lists(cells, min_size=2, max_size=4), min_size=1, max_size=6)


def read(text: str) -> list[tuple[str, ...]]:
    return parse_csv(text.encode(), Path("people.csv"), FORM)[0].rows()


def write(rows: list[list[str]], quoting: Literal[0, 1]) -> str:
    stream = StringIO()
    csv.writer(stream, delimiter=";", lineterminator="\n", quoting=quoting).writerows(rows)
    return stream.getvalue()


@given(ragged, QUOTING, st.integers(1, 9))
@example([["a", "b"], ["a;b", "b"]], csv.QUOTE_MINIMAL, 3)
@example([["a", "b"], ["a\nb", '"']], csv.QUOTE_ALL, 1)
@example([["a", "b", "a"], ["a", "b"], ["a", "b", "a", "b"]], csv.QUOTE_MINIMAL, 5)
def test_quoted_cells_are_read_as_written_and_uneven_lines_are_named(
    rows: list[list[str]], quoting: Literal[0, 1], chunk: int
) -> None:
    uneven = [place for place, row in enumerate(rows, 1) if len(row) != len(rows[0])]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_form, "CHUNK", chunk)  # quotes that are open at the end of a part stay open in the next
        if not uneven:
            assert read(write(rows, quoting)) == [tuple(row) for row in rows]
            return
        with pytest.raises(FaultsError) as caught:
            read(write(rows, quoting))
    assert [fault.row for fault in caught.value.faults] == uneven


@given(st.lists(st.tuples(cells, cells), max_size=6), QUOTING, st.integers(1, 9))
@example([("a;b\na", "b")], csv.QUOTE_MINIMAL, 3)
def test_even_lines_are_counted_and_not_read_twice(
    rows: list[tuple[str, str]], quoting: Literal[0, 1], chunk: int
) -> None:
    text = "a;b\n" + write([list(row) for row in rows], quoting)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_form, "CHUNK", chunk)
        patch.delattr(csv_form, "split_rows")
        assert read(text) == [("a", "b"), *rows]


@pytest.mark.parametrize(
    ("text", "row", "count"),
    [
        ('a;b\n"x;y"\n', 2, 1),  # two separators in two lines, one of them a part of a cell
        ('a;b\nc;d;e\n"x\n"\n', 3, 1),  # three lines and three separators, one line end a part of a cell
        ('a;b\n;""x";"\n', 2, 3),  # the third quotation mark neither opens a cell nor closes one
    ],
)
def test_a_count_that_comes_out_even_lets_nothing_pass(text: str, row: int, count: int) -> None:
    with pytest.raises(FaultsError, match=f"the line has {count} cells?, the first line 2") as caught:
        read(text)
    assert row in [fault.row for fault in caught.value.faults]
