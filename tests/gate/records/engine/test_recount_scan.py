"""An engine counts from a written file what the in-memory recount counts from its texts."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.data.engines.engines import CHOICES, describe

from sekisho.data.engines.scan import open_scan
from sekisho.data.files.grammar import FieldRules
from sekisho.data.files.published_frame import PublishedRows
from sekisho.data.files.schema_files.schema_file import FileRules
from sekisho.data.frame.dataset import Kind
from sekisho.errors import BugError
from sekisho.gate.records.engine import recount_scan as room
from sekisho.gate.records.engine.recount_scan import ScanClasses
from sekisho.gate.records.recount import Recount, RowClasses, recount_promises

KEYS = ["age", "town"]
FIELDS = {
    "age": FieldRules(name="age", kind=Kind.INTEGER),
    "town": FieldRules(name="town", kind=Kind.CATEGORY),
    "pay": FieldRules(name="pay", kind=Kind.INTEGER),
}


def ask(least: int, **asked: object) -> dict[str, object]:
    sensitive = {"column": "pay", "l": None, "kind": "distinct", "c": 3.0, "t": None, "ordered": False, **asked}
    return {"alike": {"keys": KEYS, "least": least, **({"sensitive": sensitive} if asked else {})}}


def count_beyond(frame: pl.DataFrame, choice: int, promise: dict[str, object]) -> tuple[Recount, ...]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "release.parquet"
        frame.write_parquet(path)
        with open_scan(path, describe(FileRules(missing=())), CHOICES[choice]) as scan:
            return recount_promises(ScanClasses(scan=scan, fields=FIELDS), promise)


@given(
    rows=st.lists(
        st.tuples(st.sampled_from(["1", "[2;3]"]), st.sampled_from("a*"), st.integers(0, 12)), min_size=1, max_size=30
    ),
    choice=st.integers(0, 1),
    asked=st.sampled_from(
        [
            {},
            {"l": 1.0, "t": 1.0},
            {"l": 1.0, "kind": "entropy"},
            {"l": 1.0, "kind": "recursive", "c": 1e9},
            {"t": 1.0, "ordered": True},
        ]
    ),
    kind=st.sampled_from([pl.String, pl.Int64]),
)
def test_every_figure_is_that_of_the_in_memory_recount(
    rows: list[tuple[str, str, int]], choice: int, asked: dict[str, object], kind: type[pl.DataType]
) -> None:
    frame = pl.DataFrame(rows, schema={"age": pl.String, "town": pl.String, "pay": pl.Int64}, orient="row")
    frame = frame.with_columns(pl.col("pay").cast(kind))
    counted, expected = (
        count_beyond(frame, choice, ask(1, **asked)),
        recount_promises(RowClasses(rows=PublishedRows(frame), fields=FIELDS), ask(1, **asked)),
    )
    assert [each.counted for each in counted] == pytest.approx([each.counted for each in expected])
    assert [(each.promise, each.keys, each.wanted, each.kind) for each in counted] == [
        (each.promise, each.keys, each.wanted, each.kind) for each in expected
    ]


@pytest.mark.parametrize("choice", [0, 1])
def test_classes_are_not_cut_where_a_block_ends(choice: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "ROWS", 2)
    frame = pl.DataFrame(
        {"age": ["1"] * 5 + ["2"] * 4, "town": ["a"] * 9, "pay": ["1", "2", "3", "4", "5", "1", "2", "3", "3"]}
    )
    counted = count_beyond(frame, choice, ask(4, l=3.0))
    assert [each.counted for each in counted] == [4, 3]
    with pytest.raises(BugError, match="has l-diversity 3, 4 is promised"):
        count_beyond(frame, choice, ask(4, l=4.0))
    with pytest.raises(BugError, match="has k-anonymity 4, 5 is promised"):
        count_beyond(frame, choice, ask(5))


@pytest.mark.parametrize("choice", [0, 1])
def test_a_suppressed_cell_matches_any_value_wherever_the_rows_are(choice: int) -> None:
    frame = pl.DataFrame({"age": ["1", "1", "*", "2", "2"], "town": ["a", "a", "a", "*", "b"]})
    for hidden in (["age", "town"], ["age"], []):
        promise: dict[str, object] = {"matched": {"keys": KEYS, "least": 1, "hidden_in": hidden}}
        expected = recount_promises(RowClasses(rows=PublishedRows(frame), fields=FIELDS), promise)
        assert count_beyond(frame, choice, promise) == expected
