"""A file of records is read as it was written, whatever its separator, or every reason against it is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from tests.data.records.microdata_text import write_microdata

from sekisho.data.files.csv_form import CsvForm
from sekisho.data.frame.dataset import Role
from sekisho.data.records.microdata import read_microdata
from sekisho.errors import EncodingError, FaultsError, InputError, MissingFileError, ParameterError


def written(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    path = folder / "people.csv"
    path.write_bytes(text.encode(encoding))
    return path


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_the_separator_is_found_out(tmp_path: Path, separator: str, ending: str) -> None:
    lines = [separator.join(cells) for cells in (["town", "sex"], ["a", "m"], ["b", ""], ["a", "f"])]
    found = read_microdata(written(tmp_path, ending.join([*lines, ""])))
    assert found.form == CsvForm(separator=separator, header=True, encoding="utf-8")
    assert found.data.frame.rows() == [("a", "m"), ("b", ""), ("a", "f")]


def test_the_header_is_found_out_or_given(tmp_path: Path) -> None:
    bare = written(tmp_path, "a,m\nb,f\na,f\nb,m\n")
    assert read_microdata(bare).data.schema.names == ("column_1", "column_2")
    assert len(read_microdata(bare).data) == 4
    assert read_microdata(bare, form=CsvForm(header=True)).data.schema.names == ("a", "m")
    numbers = written(tmp_path, "1,2\n3,4\n")
    assert not read_microdata(numbers).form.header
    assert str(read_microdata(numbers).form) == "separator comma, no header, encoding utf-8"


def test_japanese_windows_files_are_found_out(tmp_path: Path) -> None:
    path = written(tmp_path, "県,性別\n神奈川,男\n東京,女\n", "cp932")
    found = read_microdata(path)
    assert found.form.encoding == "cp932"
    assert found.data.frame["県"].to_list() == ["神奈川", "東京"]
    assert write_microdata(found.data.frame, found.form) == path.read_bytes()
    with pytest.raises(EncodingError, match="is not utf-8"):
        read_microdata(path, form=CsvForm(encoding="utf-8"))
    assert read_microdata(written(tmp_path, "\ufeffa,b\nx,y\n")).data.schema.names == ("a", "b")


def test_quoted_cells_may_hold_separators(tmp_path: Path) -> None:
    path = written(tmp_path, 'name,town\n"a, b",x\nc,"y\nz"\n')
    frame = read_microdata(path).data.frame
    assert frame.rows() == [("a, b", "x"), ("c", "y\nz")]
    again = written(tmp_path, write_microdata(frame, CsvForm(separator=",", header=True)).decode())
    assert read_microdata(again).data.frame.rows() == frame.rows()


def test_columns_are_chosen_and_an_identifier_is_kept_apart(tmp_path: Path) -> None:
    path = written(tmp_path, "id,town,sex\n1,a,m\n2,b,f\n")
    data = read_microdata(path, columns=["sex"], identifier="id").data
    assert data.schema.names == ("id", "sex")
    assert data.schema["id"].role is Role.IDENTIFIER
    assert [column.name for column in data.schema.attributes] == ["sex"]
    with pytest.raises(InputError, match="has no column age; it has id, town, sex"):
        read_microdata(path, columns=["age"])


def test_uneven_lines_are_all_told(tmp_path: Path) -> None:
    for text in ("a,b\n1,2\n3\n4,5,6\n", 'a,b\n"1",2\n3\n4,5,6\n'):
        with pytest.raises(FaultsError) as caught:
            read_microdata(written(tmp_path, text))
        assert [(fault.row, fault.rule) for fault in caught.value.faults] == [(3, "columns"), (4, "columns")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("a,a\n1,2\n", "needs a distinct name"),
        ("a,\nx,y\n", "needs a distinct name"),
        ("a,b\n", "has no records"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_microdata(written(tmp_path, text), form=CsvForm(header=True))


def test_missing_files_and_bad_separators_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError):
        read_microdata(tmp_path / "none.csv")
    with pytest.raises(ParameterError, match="separator must be one ASCII character"):
        CsvForm(separator="::")


def test_adult_is_read(shared: Callable[[str], Path]) -> None:
    found = read_microdata(shared("adult/adult.csv"))
    assert len(found.data) == 30162
    assert found.form.separator == ";"
    assert len(found.data.domain("education")) == 16
    assert found.data.frame.dtypes == [pl.String()] * 9


def test_parquet_is_read_as_text_like_csv(tmp_path: Path) -> None:
    path = tmp_path / "f.parquet"
    pl.DataFrame({"id": [1, 2], "town": ["x", None]}).write_parquet(path)
    data = read_microdata(path, identifier="id").data
    assert data.frame.rows() == [("1", "x"), ("2", "")]


def test_columns_are_read_by_their_exact_names(tmp_path: Path) -> None:
    # polars itself takes * for all columns and ^a.$ for those that match
    path = written(tmp_path, "a1,*,^a.$\nx,y,z\n")
    data = read_microdata(path, form=CsvForm(header=True), columns=("*", "^a.$")).data
    assert data.frame.rows() == [("y", "z")]
