"""A file beyond memory shows the same texts as the in-memory path, on every engine, and leaves nothing behind."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import narwhals as nw
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from tests.data.engines.engines import CHOICES, RECORDS, describe, leaves_nothing, show
from tests.laws import try_examples

from sekisho.data.engines.blocks import map_blocks
from sekisho.data.engines.engine import EngineChoice
from sekisho.data.engines.names import Batch
from sekisho.data.engines.scan import open_scan, open_within
from sekisho.data.engines.session import BLOCK, Frame
from sekisho.data.files.schema_files.schema_file import FileRules
from sekisho.data.records.text_table import read_text_table
from sekisho.errors import InputError, ParameterError

texts = st.none() | st.sampled_from(["", "NA", " null ", "a", "b", "a\r\nb", "a\nb", "9", "9.0", "日"])
frames = st.fixed_dictionaries(
    {
        "text": st.lists(texts, min_size=4, max_size=4),
        "whole": st.lists(st.none() | st.sampled_from([0, 9, -9, 2**62]), min_size=4, max_size=4),
        "float": st.lists(
            st.none() | st.sampled_from([0.5, 9.0, float("nan"), 1e20, float("inf")]), min_size=4, max_size=4
        ),
        "truth": st.lists(st.none() | st.booleans(), min_size=4, max_size=4),
        "day": st.lists(st.none() | st.dates(date(1999, 1, 1), date(2001, 1, 1)), min_size=4, max_size=4),
    }
)
KINDS = {"text": pl.String, "whole": pl.Int64, "float": pl.Float64, "truth": pl.Boolean, "day": pl.Date}
quick = try_examples(30, share_fixtures=True)


@pytest.mark.parametrize("choice", CHOICES)
@quick
@given(
    columns=frames, missing=st.sampled_from([("", "NA", "null", "NaN"), ("", "9"), ("9.0", "true"), ("", "2000-01-01")])
)
def test_parquet_shows_the_same_texts(
    tmp_path: Path, choice: EngineChoice, columns: dict[str, list[object]], missing: tuple[str, ...]
) -> None:
    path, schema = tmp_path / "some.parquet", describe(FileRules(missing=missing))
    pl.DataFrame(columns, schema=KINDS).write_parquet(path)
    with open_scan(path, schema, choice) as scan:
        assert_frame_equal(show(scan), read_text_table(path, schema).frame)


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("date_format", ["", "%d.%m.%Y"])
def test_other_kinds_show_the_same_texts(tmp_path: Path, choice: EngineChoice, date_format: str) -> None:
    path, schema = tmp_path / "some.parquet", describe(FileRules(date_format=date_format))
    pl.DataFrame(
        {
            "moment": [datetime(2000, 1, 2, 3, 4, 5, 6, tzinfo=UTC), None],
            "decimal": pl.Series(["1.50", None], dtype=pl.Decimal(10, 2)),
            "group": pl.Series(["a", "NA"], dtype=pl.Categorical),
            "day": [date(2000, 1, 2), None],
            "with\nend": ["x", "y"],
        }
    ).write_parquet(path)
    with open_scan(path, schema, choice, row="place") as scan:
        found = show(scan)
    assert_frame_equal(found.drop("place"), read_text_table(path, schema).frame)
    assert found["place"].to_list() == ["0", "1"]


@pytest.mark.parametrize("choice", CHOICES)
def test_csv_shows_the_same_texts(tmp_path: Path, choice: EngineChoice) -> None:
    path = tmp_path / "some.csv"
    path.write_bytes('名;b\r\n"x;\r\n1";NA\r\ny; null \r\n'.encode("cp932"))
    with open_scan(path, RECORDS, choice, row="place") as scan:
        in_memory = read_text_table(path, RECORDS)
        assert scan.form == in_memory.form
        assert scan.names == (*in_memory.names, "place")
        assert_frame_equal(show(scan).drop("place"), in_memory.frame)


@pytest.mark.parametrize("choice", CHOICES)
def test_a_folder_is_its_files_in_the_order_of_their_names(tmp_path: Path, choice: EngineChoice) -> None:
    folder = tmp_path / "parts of 'it'"
    folder.mkdir()
    for name, values in (("b.parquet", [3, 4]), ("a.parquet", [1, 2]), ("_hidden.parquet", [9])):
        pl.DataFrame({"value": values}).write_parquet(folder / name)
    (folder / "_SUCCESS").touch()
    with open_scan(folder, RECORDS, choice, row="place") as scan:
        found = scan.collect(scan.frame.sort("place"))
    assert found.rows() == [(1, 0), (2, 1), (3, 2), (4, 3)]
    pl.DataFrame({"other": [1]}).write_parquet(folder / "c.parquet")
    with (
        pytest.raises(InputError, match=r"c\.parquet: has other columns than a\.parquet"),
        open_scan(folder, RECORDS, choice),
    ):
        pass


@pytest.mark.parametrize("choice", CHOICES)
def test_counts_are_integers_and_small_frames_can_be_joined(tmp_path: Path, choice: EngineChoice) -> None:
    path = tmp_path / "some.parquet"
    pl.DataFrame({"key": ["a", "b", "a"], "value": [1, 2, 3]}).write_parquet(path)
    with open_scan(path, RECORDS, choice) as scan:
        by_key = scan.frame.group_by("key").agg(nw.col("value").sum().alias("sum"))
        names = scan.session.take(pl.DataFrame({"key": ["a", "b"], "name": ["A", "B"]}))
        found = scan.collect(by_key.join(names, on="key").sort("key"))
        other = open_within(scan.session, path, RECORDS)
        assert scan.collect(scan.frame.join(other.frame, on="value")).height == 3
    assert found.rows() == [("a", 4, "A"), ("b", 2, "B")]
    assert found.schema["sum"] == pl.Int64


@pytest.mark.parametrize("choice", CHOICES)
def test_what_cannot_be_read_is_refused_and_nothing_stays(tmp_path: Path, choice: EngineChoice) -> None:
    broken, empty, out = tmp_path / "broken.parquet", tmp_path / "empty.parquet", tmp_path / "out.csv"
    broken.write_bytes(b"PAR1 no")
    pl.DataFrame({"a": []}).write_parquet(empty)
    (tmp_path / "head.csv").write_text("a,b\n")
    (tmp_path / "bare").mkdir()
    for path, reason in (
        (broken, "is no Parquet file"),
        (empty, "has no records"),
        (tmp_path / "head.csv", "has no records"),
        (tmp_path / "none.parquet", "no such file"),
        (tmp_path / "bare", "is a folder without Parquet files"),
    ):
        with pytest.raises(InputError, match=reason), open_scan(path, RECORDS, choice, beside=out):
            pass
    assert leaves_nothing(tmp_path)


def test_an_engine_that_is_not_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "some.csv"
    path.write_text("a\n1\n")
    monkeypatch.setitem(__import__("sys").modules, "sekisho.data.engines.local.duckdb_session", None)
    with pytest.raises(ParameterError, match="engine must be installed"), open_scan(path, RECORDS, CHOICES[1]):
        pass


@pytest.mark.parametrize("choice", CHOICES)
def test_a_name_with_signs_of_a_pattern_is_that_files(tmp_path: Path, choice: EngineChoice) -> None:
    asked, other = tmp_path / "a[1]*?.parquet", tmp_path / "a1xy.parquet"  # the first name as a pattern is the second
    pl.DataFrame({"town": ["x", "y"]}).write_parquet(asked)
    pl.DataFrame({"town": ["z", "z"]}).write_parquet(other)
    with open_scan(asked, RECORDS, choice) as scan:
        assert show(scan)["town"].to_list() == ["x", "y"]


@pytest.mark.parametrize("choice", CHOICES)
def test_one_row_shows_the_kinds_and_no_other_row_is_asked_for(
    tmp_path: Path, choice: EngineChoice, monkeypatch: pytest.MonkeyPatch
) -> None:
    pl.DataFrame({"a": range(1000), "b": ["x"] * 1000}).write_parquet(tmp_path / "some.parquet")
    with open_scan(tmp_path / "some.parquet", RECORDS, choice) as scan:
        streamed = list[int]()
        stream = scan.session.stream

        def watch(frame: Frame, rows: int = BLOCK) -> Iterator[Batch]:
            for block in stream(frame, rows):
                streamed.append(block.num_rows)
                yield block

        monkeypatch.setattr(scan.session, "stream", watch)
        mapped = map_blocks(scan, _add_one, _add_one(scan.probe()).schema)
        assert mapped.probe().to_pydict() == {"a": [1], "b": ["x"]}
        # an engine that makes blocks of one row each makes as many as there are rows, and holds them
        assert sum(streamed) == 2


def _add_one(block: Batch) -> Batch:
    return block.set_column(0, "a", pa.array([value + 1 for value in block.column("a").to_pylist()]))
