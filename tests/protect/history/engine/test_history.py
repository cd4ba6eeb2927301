"""A history that stays where it lies is read as one in memory is: the same cells, kinds, notices and faults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.data.engines.engines import CHOICES
from tests.laws import try_examples

from sekisho.data.engines.engine import EngineChoice
from sekisho.data.files.schema_files.reading import read_own
from sekisho.data.files.schema_files.schema_file import ColumnRules, FileRules, Missing, Outside, SchemaFile
from sekisho.data.frame.dataset import Kind, Role
from sekisho.data.frame.spread import measure_spread
from sekisho.data.history.arrays import History
from sekisho.data.shape import Shape
from sekisho.errors import FaultsError, ParameterError
from sekisho.protect.history.block import Units
from sekisho.protect.history.engine import history as histories
from sekisho.protect.history.engine.history import open_history
from sekisho.protect.history.grouping.rows import lay_out_rows

WHO = ColumnRules(name="who", role=Role.IDENTIFIER)
CELLS = st.fixed_dictionaries(
    {
        "who": st.sampled_from(["b", "a", "C", "NA"]),
        "item": st.sampled_from(["x", "y\r\nz", "", "é", "x "]) | st.none(),
        "price": st.sampled_from([0.0, -0.0, 1.25, 1.2, 1e-4, 700.0]),
        "day": st.dates(date(2026, 1, 1), date(2026, 1, 4)),
        "count": st.integers(-2, 2) | st.none(),
    }
)
TYPES = {"who": pl.String, "item": pl.String, "price": pl.Float64, "day": pl.Date, "count": pl.Int16}


def write(rows: Sequence[Mapping[str, object]], folder: Path) -> tuple[Path, Path]:
    """Write rows as one file, and as two of a folder."""
    frame = pl.DataFrame(rows, schema=TYPES)
    frame.write_parquet(folder / "one.parquet")
    (folder / "parts.parquet").mkdir(exist_ok=True)
    for part, piece in enumerate((frame.head(len(rows) // 2), frame.tail(-(len(rows) // 2)))):
        piece.write_parquet(folder / "parts.parquet" / f"{part}.parquet")
    return folder / "one.parquet", folder / "parts.parquet"


def describe_faults(error: FaultsError) -> tuple[list[tuple[int, str, str, str]], int, str]:
    """Return what is wrong, how often, and the way out."""
    faults = sorted((each.row, each.column, each.rule, str(each.message)) for each in error.faults)
    return faults, error.count, error.hint


def list_faults(path: Path, schema: SchemaFile) -> tuple[list[tuple[int, str, str, str]], int, str] | None:
    """Return what is wrong with a file that is read at once; None if nothing is."""
    try:
        read_own(path, schema)
    except FaultsError as error:
        return describe_faults(error)
    return None


@pytest.mark.parametrize("choice", CHOICES)
@try_examples(15, share_fixtures=True)
@given(rows=st.lists(CELLS, min_size=2, max_size=12), missing=st.sampled_from(Missing))
@example(
    rows=[
        {"who": "a", "item": None, "price": 1.2, "day": date(2026, 1, 2), "count": 2},
        {"who": "NA", "item": "x", "price": 700.0, "day": date(2026, 1, 1), "count": 1},
    ],
    missing=Missing.DROP,
)
@example(
    rows=[{"who": "b", "item": None, "price": 0.0, "day": date(2026, 1, 1), "count": None}] * 2,
    missing=Missing.REFUSE,
)
def test_it_is_read_as_in_memory(
    tmp_path: Path, choice: EngineChoice, rows: list[dict[str, object]], missing: Missing
) -> None:
    one, parts = write(rows, tmp_path)
    file = FileRules(missing=("", "NA"))
    count = ColumnRules(name="count", missing=Missing.DROP)
    schema = SchemaFile(shape=Shape.HISTORY, file=file, columns=(WHO, count), all_columns=True, missing_cells=missing)
    if (faults := list_faults(one, schema)) is not None:
        with pytest.raises(FaultsError) as refusal, open_history(parts, schema, choice):
            pass
        assert describe_faults(refusal.value) == faults
        return
    own = read_own(one, schema)
    if missing is Missing.CATEGORY and "missing" in own.data.domain("who"):
        with (
            pytest.raises(ParameterError, match="refuse or drop for the identifier"),
            open_history(parts, schema, choice),
        ):
            pass
        return
    with open_history(parts, schema, choice) as history:
        data = history.read_all()
        assert data.schema == own.data.schema
        assert data.frame.equals(own.data.frame)
        assert history.settled == own.schema
        plain = History.of(own.data)
        assert history.lengths.tolist() == plain.lengths.tolist()
        assert history.spreads == {
            each.name: measure_spread(own.data.grid(each.name)) for each in data.schema.attributes if each.kind.numeric
        }
        units, here = Units.of(lay_out_rows(plain)), history.describe_people()
        assert here.place.tolist() == units.place.tolist()
        assert here.rows.tolist() == units.rows.tolist()
        kinds = {each.message for each in own.notices if not each.count}
        assert kinds <= {each.message for each in history.notices}


def test_what_was_changed_in_reading_is_told(tmp_path: Path) -> None:
    prices = [1.005, 1.005, 2.0, 3.125]
    frame = pl.DataFrame(
        {"who": list("abab"), "price": prices, "item": ["x", None, "x", None], "at": ["2026-01-01 10:00"] * 4}
    )
    frame.write_parquet(tmp_path / "a.parquet")
    price = ColumnRules(name="price", kind=Kind.DECIMAL, decimals=2)
    schema = SchemaFile(shape=Shape.HISTORY, columns=(WHO, price), all_columns=True, missing_cells=Missing.CATEGORY)
    with open_history(tmp_path / "a.parquet", schema, CHOICES[0]) as history:
        told = [each.message for each in history.notices]
    assert "2 different values of price were rounded to 2 decimals" in told
    assert '2 missing cells of item are a category, "missing"' in told
    assert "1 different values of at had times of day, which were dropped" in told


def test_what_a_cluster_cannot_hold_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, _ = write(
        [{"who": str(n), "item": "x", "price": 1.0 * n, "day": date(2026, 1, 1), "count": n} for n in range(4)],
        tmp_path,
    )
    limited = ColumnRules(name="count", kind=Kind.INTEGER, low="1", outside=Outside.DROP)
    schema = SchemaFile(shape=Shape.HISTORY, columns=(WHO, limited), all_columns=True)
    with (
        pytest.raises(ParameterError, match=r"drop no rows by limits .* \['count'\]"),
        open_history(one, schema, CHOICES[0]),
    ):
        pass
    monkeypatch.setattr(histories, "MOST_VALUES", 3)
    plain = SchemaFile(shape=Shape.HISTORY, columns=(WHO,), all_columns=True)
    with (
        pytest.raises(ParameterError, match="column price must have at most 3 different"),
        open_history(one, plain, CHOICES[0]),
    ):
        pass


def test_middles_are_those_of_all_rows(tmp_path: Path) -> None:
    # Counts 1, 1, 5 and 9: the middle two are 1 and 5; a fifth row of 5 makes both 5.
    for values, middles in (([9, 1, 5, 1], (1, 5)), ([9, 1, 5, 1, 5], (5, 5))):
        rows = [{"who": "a", "item": "x", "price": 1.0, "day": date(2026, 1, 1), "count": value} for value in values]
        one, _ = write(rows, tmp_path)
        with open_history(
            one, SchemaFile(shape=Shape.HISTORY, columns=(WHO,), all_columns=True), CHOICES[0]
        ) as history:
            counts = next(each for each in history.columns if each.column.name == "count")
            assert counts.find_middles() == middles
            assert np.median(values) == sum(middles) / 2
