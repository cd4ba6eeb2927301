"""A CSV that is read in blocks has the same cells, form and refusals as if it were read at once."""

from __future__ import annotations

import csv
from dataclasses import replace
from io import StringIO
from pathlib import Path
from unittest.mock import patch

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.laws import try_examples

from sekisho.data.engines import csv_blocks
from sekisho.data.engines.csv_blocks import CsvBlocks
from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.plain_table import read_table
from sekisho.data.files.readers.body_lines import LeftOut
from sekisho.errors import FaultsError, InputError, SekishoError

cells = st.text(alphabet='ab1, ;"\n\r日é|', max_size=4)
tables = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(cells, min_size=width, max_size=width), min_size=1, max_size=12)
)
quick = try_examples(150, share_fixtures=True)


def read_in_blocks(path: Path, form: CsvForm, characters: int) -> tuple[pl.DataFrame, CsvForm]:
    with patch.multiple(csv_blocks, CHARACTERS=characters, WHOLE=-1, SHORT=0):
        blocks = CsvBlocks(path, form)
        return pl.concat(list(blocks.read())), blocks.form


def outcome(path: Path, form: CsvForm, characters: int | None) -> tuple[list[object], CsvForm] | str:
    try:
        if characters is None:
            table = read_table(path, form)
            frame, known = table.frame, table.form
        else:
            frame, known = read_in_blocks(path, form, characters)
    except SekishoError as error:
        return str(error)
    return [frame.columns, frame.rows()], replace(known, header_line=None, header_lines=None, footer_lines=None)


@quick
@given(table=tables, separator=st.sampled_from(",;\t|"), ends=st.sampled_from(["\n", "\r\n"]), seed=st.integers(8, 60))
@example(table=[["a", "b"], ["\n", '"'], ["x", "y"]], separator=",", ends="\n", seed=8)
def test_blocks_of_any_size_have_the_same_cells(
    tmp_path: Path, table: list[list[str]], separator: str, ends: str, seed: int
) -> None:
    names = [f"name{place}" for place in range(len(table[0]))]
    text = StringIO()
    quoting = csv.QUOTE_ALL if seed % 2 else csv.QUOTE_MINIMAL
    csv.writer(text, delimiter=separator, lineterminator=ends, quoting=quoting).writerows([names, *table])
    path = tmp_path / "some.csv"
    path.write_bytes(text.getvalue().encode())
    form = CsvForm(separator=separator, header=True, left_out=LeftOut.NOTHING)
    assert outcome(path, form, seed) == outcome(path, form, None)


@quick
@given(lines=st.lists(st.text(alphabet="ab,", max_size=5), min_size=1, max_size=10), characters=st.integers(1, 30))
def test_lines_with_too_few_or_too_many_cells_are_refused_alike(
    tmp_path: Path, lines: list[str], characters: int
) -> None:
    path = tmp_path / "some.csv"
    path.write_text("\n".join(["x,y", *lines]) + "\n")
    form = CsvForm(separator=",", header=True, left_out=LeftOut.NOTHING)
    assert outcome(path, form, characters) == outcome(path, form, None)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n\n",
        b"a,b\n1,2",
        b"\xef\xbb\xbfa,b\n1,2\n",
        b"a,a\n1,2\n",
        b"a,b\n1,2\n\x00,3\n",
        "名,b\nあ,2\n".encode("cp932"),
        "名,b\nあ,2\n".encode(),
        b"\xff\xfea\x00",
        b"a,b\n\xff\xff,2\n",
        b"a,b\r1,2\r3,4\r",
        b'a;b\n"1;1";2\n',
        b"1,2\n3,4\n",
    ],
)
def test_texts_of_all_kinds_are_read_or_refused_alike(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "some.csv"
    path.write_bytes(content)
    assert outcome(path, CsvForm(), 1 << 20) == outcome(path, CsvForm(), None)


def test_a_given_encoding_that_does_not_fit_is_refused_by_line(tmp_path: Path) -> None:
    path = tmp_path / "some.csv"
    path.write_bytes(b"a,b\n1,2\n" + "あ,2\n".encode("cp932"))
    for form in (CsvForm(encoding="utf-8"), CsvForm(encoding="euc_jp")):
        assert outcome(path, form, 5) == outcome(path, form, None)
        assert "line 3" in str(outcome(path, form, 5))


def test_only_a_thousand_faults_are_listed_and_all_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "some.csv"
    path.write_text("a,b\n" + "1\n" * 1500)
    with pytest.raises(FaultsError) as caught:
        read_in_blocks(path, CsvForm(separator=","), 64)
    assert (caught.value.count, len(caught.value.faults), caught.value.faults[-1].row) == (1500, 1000, 1001)


def test_a_quotation_mark_inside_a_cell_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "some.csv"
    path.write_text('a,b\n5" disk,2\n6" disk,3\n')
    with pytest.raises(InputError, match="a quotation mark stands inside a cell"):
        read_in_blocks(path, CsvForm(), 64)


def test_a_quotation_mark_left_open_does_not_fill_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "some.csv"
    path.write_text('a,b\n"1,2\n' + "3,4\n" * 100)
    with patch.object(csv_blocks, "LONGEST", 100), pytest.raises(InputError, match="is a quotation mark left open"):
        read_in_blocks(path, CsvForm(), 16)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none.csv", tmp_path):
        assert outcome(path, CsvForm(), 5) == outcome(path, CsvForm(), None)


TITLES = ("", "list of sales\n\n", "sales,,,\n2024,,,\n", "sep=,\n")
NOTES = ("", "total,,,9\n", "total,,,9\n\nend of list\n", "end of list\n")


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize("note", NOTES)
@pytest.mark.parametrize("page", ["", "number,name,day,sum\n"])
def test_lines_that_are_no_data_are_left_out_of_blocks_too(tmp_path: Path, title: str, note: str, page: str) -> None:
    lines = [f"{n:05},{'abc'[n % 3]} b,2024-01-{n % 28 + 1:02},{n}\n" for n in range(300)]
    path = tmp_path / "some.csv"
    path.write_text(title + "number,name,day,sum\n" + "".join(lines[:150]) + page + "".join(lines[150:]) + note)
    whole = read_table(path, CsvForm())
    frame, form = read_in_blocks(path, CsvForm(), 2000)
    assert frame.height == 300
    assert (frame.columns, frame.rows(), form.header) == (whole.frame.columns, whole.frame.rows(), whole.form.header)


def test_a_column_without_a_name_that_gets_values_later_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "some.csv"
    path.write_text("a,b,\n" + "1,2,\n" * 500 + "1,2,3\n")
    with pytest.raises(InputError, match="column 3 has values, but no name"):
        read_in_blocks(path, CsvForm(), 256)
