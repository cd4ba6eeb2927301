"""Keys that share words have the classes that they have by themselves, whatever their ranges and gaps."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import narwhals as nw
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.data.engines.engines import CHOICES, RECORDS
from tests.laws import try_examples

from sekisho.data.engines.engine import EngineChoice
from sekisho.data.engines.scan import open_scan
from sekisho.safety.records.engine.assessment import survey_keys
from sekisho.safety.records.engine.class_counts import LARGEST, KeyRange, count_class_sizes, pack_keys
from sekisho.safety.records.engine.records import EngineRecords
from sekisho.safety.records.key_choice import KeyChoice

KINDS: dict[type[pl.DataType], tuple[int, int]] = {
    pl.Int8: (-(2**7), 2**7 - 1),
    pl.UInt16: (0, 2**16 - 1),
    pl.Int32: (-(2**31), 2**31 - 1),
    pl.UInt32: (0, 2**32 - 1),
    pl.Int64: (-(2**63), 2**63 - 1),
    pl.UInt64: (0, 2**64 - 1),
}
ROWS = 12


@st.composite
def draw_columns(draw: st.DrawFn) -> pl.DataFrame:
    """Draw columns of few values each, which lie as far apart as their kind allows, and of texts."""
    columns = list[pl.Series]()
    for place in range(draw(st.integers(1, 5))):
        kind = draw(st.sampled_from([*KINDS, pl.String]))
        values = st.sampled_from(["a", "b"]) if kind is pl.String else st.integers(*KINDS[kind])
        few = draw(st.lists(values | st.none(), min_size=1, max_size=3))
        cells = draw(st.lists(st.sampled_from(few), min_size=ROWS, max_size=ROWS))
        columns.append(pl.Series(f"k{place}", cells, dtype=kind))
    return pl.DataFrame(columns)


@pytest.mark.parametrize("choice", CHOICES)
@given(frame=draw_columns())
@try_examples(40)
def test_classes_are_those_of_the_keys_themselves(choice: EngineChoice, frame: pl.DataFrame) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "some.parquet"
        frame.write_parquet(path)
        with open_scan(path, RECORDS, choice) as scan:
            records = EngineRecords(scan=scan, choice=KeyChoice(keys=tuple(frame.columns)))
            counts = count_class_sizes(records, survey_keys(records, count_values=False).ranges)
    sizes = Counter(Counter(frame.rows()).values())
    assert dict(zip(counts.sizes.tolist(), counts.classes.tolist(), strict=True)) == sizes


def list_groups(frame: pl.DataFrame, ranges: dict[str, KeyRange]) -> tuple[str, ...]:
    return pack_keys(nw.from_native(frame.lazy()), frame.columns, ranges).names


def test_a_word_is_filled_to_its_last_value_and_no_further() -> None:
    # two ranges of 2 ** 31 values are 2 ** 62 together, which is LARGEST; with a gap in one of them they are more
    frame = pl.DataFrame({"a": [0], "b": [0], "c": [0]})
    half, gap = KeyRange(0, 2**31 - 1, has_gaps=False), KeyRange(0, 2**31 - 1, has_gaps=True)
    assert half.count_codes() ** 2 == LARGEST
    assert list_groups(frame, {"a": half, "b": half}) == ("sekisho_word_0", "c")
    assert list_groups(frame, {"a": half, "b": gap}) == ("a", "b", "c")
    wide = KeyRange(-(2**63), 2**63 - 1, has_gaps=False)
    assert list_groups(frame, {"a": half, "b": wide, "c": half}) == ("a", "b", "c")


def test_a_missing_cell_is_the_first_code() -> None:
    # a: missing 0, -1 is 1, 1 is 3 of 4 codes; b, of 3 codes: 5 is 0, 7 is 2; so -1 and 7 are 1 + 4 * 2
    frame = pl.LazyFrame({"a": [None, -1, 1], "b": [5, 7, 7]}, schema={"a": pl.Int8, "b": pl.Int8})
    ranges = {"a": KeyRange(-1, 1, has_gaps=True), "b": KeyRange(5, 7, has_gaps=False)}
    packed = pack_keys(nw.from_native(frame), ("a", "b"), ranges)
    words = packed.frame.select(*packed.names).collect()
    assert words["sekisho_word_0"].to_list() == [0, 9, 11]
