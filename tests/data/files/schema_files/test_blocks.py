"""A file in blocks is the file at once: the same data, the same kinds, the same refusals, wherever a block ends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.laws import try_examples

from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.schema_files.blocks import OwnBlocks, open_blocks
from sekisho.data.files.schema_files.columns import FileColumns, Notice
from sekisho.data.files.schema_files.reading import OwnData, read_texts
from sekisho.data.files.schema_files.schema_file import ColumnRules, FileRules, Missing, Outside, SchemaFile
from sekisho.data.frame.dataset import Kind
from sekisho.data.shape import Shape
from sekisho.errors import FaultsError, InputError, ParameterError

FORM = CsvForm(separator=",", header=True, encoding="utf-8")
PATH = Path("people.csv")
WORDS = (
    *(
        "1",
        "23",
        "456",
        "-7",
        "0.5",
        "1.25",
        "1,5",
        "1,234",
        "2e3",
        "1.5e-4",
        "007",
        "1234567890123",
        "12345678.123456789",
    ),
    *("2024-01-03", "2024/1/3", "2024/01/03", "2024-02-30", "2024-01-03 10:30", "03.01.2024"),
    *("Kyoto", "", "NA"),
)


def describe(missing: Missing, *columns: ColumnRules, date_format: str = "") -> SchemaFile:
    file = FileRules(date_format=date_format)
    return SchemaFile(shape=Shape.RECORDS, columns=columns, file=file, missing_cells=missing, all_columns=True)


def read_at_once(frame: pl.DataFrame, schema: SchemaFile) -> OwnData:
    names = {each.source_name: each for each in schema.columns}
    columns = tuple(names.get(name, ColumnRules(name=name, source=name)) for name in frame.columns)
    texts = {rules.output_name: frame[rules.source_name] for rules in columns}
    return read_texts(PATH, FileColumns(columns=columns, texts=texts, rows=frame.height, form=FORM, notices=[]), schema)


def cut(frame: pl.DataFrame, schema: SchemaFile, size: int) -> OwnBlocks:
    def frames() -> Iterator[pl.DataFrame]:
        yield from frame.iter_slices(size)

    return open_blocks(PATH, frames, frame.columns, schema, form=FORM)


def try_reading(frame: pl.DataFrame, schema: SchemaFile) -> OwnData | FaultsError:
    try:
        return read_at_once(frame, schema)
    except FaultsError as error:
        return error


@try_examples(50)
@given(
    cells=st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)), min_size=1, max_size=12),
    size=st.integers(1, 5),
    missing=st.sampled_from(list(Missing)),
    date_format=st.sampled_from(["", "%d.%m.%Y"]),
    times=st.sampled_from([1, 8]),
)
@example(cells=[("1", "a"), ("", "2"), ("0.5", "3")], size=1, missing=Missing.DROP, date_format="", times=1)
@example(cells=[("1", "a"), ("", "2"), ("0.5", "3")], size=1, missing=Missing.DROP, date_format="", times=8)
@example(cells=[("12345678901", "1"), ("0.123456789", "1")], size=1, missing=Missing.REFUSE, date_format="", times=8)
@example(cells=[("1", "1,5"), ("1", "")], size=1, missing=Missing.CATEGORY, date_format="", times=1)
def test_blocks_are_read_like_the_whole(
    cells: list[tuple[str, str]], size: int, missing: Missing, date_format: str, times: int
) -> None:
    rows = [pair for pair in cells for _ in range(times)]  # values that many rows bear are read once
    size *= times
    text = pl.DataFrame(rows, schema={"a": pl.String, "b": pl.String}, orient="row")
    frame = text.with_columns(pl.all().replace({"": None, "NA": None}))  # as files beyond memory hand them over
    schema = describe(missing, date_format=date_format)
    expected, blocks = try_reading(frame, schema), cut(frame, schema, size)
    if isinstance(expected, FaultsError):
        with pytest.raises(FaultsError) as caught:
            list(blocks.read())
        assert (caught.value.count, sorted(map(str, caught.value.faults))) == (
            expected.count,
            sorted(map(str, expected.faults)),
        )
        return
    told = list[Notice]()
    data = pl.concat([each.frame for each in blocks.read(told.append)])
    assert data.equals(expected.data.frame)
    assert blocks.data_schema == expected.data.schema
    assert blocks.schema.file == expected.schema.file
    assert sorted(map(str, (*blocks.notices, *told))) == sorted(map(str, expected.notices))


def test_values_of_parquet_are_read_like_their_texts() -> None:
    values = pl.DataFrame({"age": [3, 4, 5], "pay": [1.5, 2.25, 3.0], "town": ["a", None, "b"]})
    blocks = cut(values, describe(Missing.DROP), 2)
    told = list[Notice]()
    # the row of 2.25 is dropped and has no say: one decimal is kept
    assert [each.frame.rows() for each in blocks.read(told.append)] == [[(3, 15, "a")], [(5, 30, "b")]]
    assert told[0].message == "1 row dropped: town is missing"


def test_truth_values_and_days_are_read_once() -> None:
    values = pl.DataFrame({"sick": [True, False] * 8, "born": pl.Series([1, 2] * 8).cast(pl.Int32).cast(pl.Date)})
    read = pl.concat([each.frame for each in cut(values, describe(Missing.REFUSE), 8).read()])
    assert read["sick"].to_list() == ["true", "false"] * 8
    assert read["born"].equals(values["born"])


def test_limits_drop_rows_of_every_block() -> None:
    age = ColumnRules(name="age", kind=Kind.INTEGER, low="0", high="120", outside=Outside.DROP)
    frame = pl.DataFrame({"age": ["3", "999", "7", "-1"]})
    told = list[Notice]()
    data = [each.frame["age"].to_list() for each in cut(frame, describe(Missing.REFUSE, age), 1).read(told.append)]
    assert (data, [notice.message for notice in told]) == ([[3], [7]], ["2 rows dropped: age is outside 0 to 120"])
    with pytest.raises(ParameterError, match=r"say the kind of every column where rows are dropped by limits.*town"):
        cut(frame.with_columns(town=pl.lit("a")), describe(Missing.REFUSE, age), 1)


def test_no_row_left_and_no_such_column() -> None:
    frame = pl.DataFrame({"a": pl.Series([None, None], dtype=pl.String)})
    with pytest.raises(FaultsError, match="no row is left of 2"):
        list(cut(frame, describe(Missing.DROP), 1).read())
    with pytest.raises(InputError, match="has no column b; it has a"):
        cut(frame, describe(Missing.DROP, ColumnRules(name="b")), 1)
