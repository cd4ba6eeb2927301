"""Any frame is taken at the door, turned into grids and codes, and never written to."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sekisho.data.frame.cells import MISSING_NUMBER, MISSING_TEXT
from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.frame.release import exact_table
from sekisho.errors import FaultsError, ParameterError

SCHEMA = Schema(
    (
        Column(name="who", kind=Kind.CATEGORY, role=Role.IDENTIFIER),
        Column(name="day", kind=Kind.DATE),
        Column(name="price", kind=Kind.DECIMAL, decimals=2),
        Column(name="number", kind=Kind.INTEGER),
        Column(name="item", kind=Kind.CATEGORY),
    )
)
ROWS = {
    "who": ["b", "a", "b"],
    "day": [date(2010, 12, 1), date(1970, 1, 2), date(2011, 1, 1)],
    "price": [3.75, 0.29, 18.0],
    "number": [1, 2, 3],
    "item": ["x", "z", "y"],
}


@pytest.mark.parametrize("door", [pl.DataFrame, pd.DataFrame, pa.table])
def test_frames_of_every_kind_are_taken(door: type) -> None:
    data = Dataset.of(door(ROWS), SCHEMA)
    assert data.grid("price").tolist() == [375, 29, 1800]
    assert data.grid("day").tolist()[1] == 1
    assert data.codes("item").tolist() == [0, 2, 1]
    assert data.domain("item") == ("x", "y", "z")
    assert len(data) == 3


def test_cells_that_do_not_fit_are_all_named() -> None:
    frame = pl.DataFrame({**ROWS, "price": [3.755, 1.0, None], "number": ["1", "x", "3"]})
    with pytest.raises(FaultsError) as caught:
        Dataset.of(frame, SCHEMA)
    found = [(fault.row, fault.column) for fault in caught.value.faults]
    assert found == [(1, "price"), (2, "number")]


@pytest.mark.parametrize("door", [pl.DataFrame, pd.DataFrame, pa.table])
def test_what_holds_nothing_is_a_missing_cell_in_every_frame(door: type) -> None:
    lacking = {**ROWS, "day": [None, *ROWS["day"][1:]], "price": [3.75, None, 18.0], "item": ["x", "z", None]}
    data = Dataset.of(door(lacking), SCHEMA)
    assert data.count_missing() == {"day": 1, "price": 1, "item": 1}
    assert data.grid("price").tolist() == [375, MISSING_NUMBER, 1800]
    assert data.grid("day").tolist()[0] == MISSING_NUMBER
    assert data.domain("item") == (MISSING_TEXT, "x", "z")
    assert data.text("price").to_list() == ["375", MISSING_TEXT, "1800"]


def test_the_views_cannot_be_written_to() -> None:
    data = Dataset.of(pl.DataFrame(ROWS), SCHEMA)
    for view in (data.grid("price"), data.codes("item")):
        with pytest.raises(ValueError, match="read-only"):
            view[0] = 9


def test_an_exact_table_is_its_data_set_again() -> None:
    data = Dataset.of(pl.DataFrame(ROWS), SCHEMA)
    again = exact_table(data, pseudonym=np.array([1, 2, 1])).to_dataset()
    assert again.frame.equals(data.frame.drop("who"))


def test_wrong_frames_columns_and_kinds_are_refused() -> None:
    with pytest.raises(ParameterError, match="have the columns"):
        Dataset.of(pl.DataFrame({"who": ["a"]}), SCHEMA)
    with pytest.raises(ParameterError, match="column who must hold String"):
        Dataset(pl.DataFrame({name: [1] for name in SCHEMA.names}), SCHEMA)
    data = Dataset.of(pl.DataFrame(ROWS), SCHEMA)
    with pytest.raises(ParameterError, match="numeric"):
        data.grid("item")
    with pytest.raises(ParameterError, match="category"):
        data.codes("price")
    with pytest.raises(ParameterError, match="be one of who, day"):
        data.grid("nothing")


def test_a_schema_refuses_doubled_names_and_decimals_without_a_point() -> None:
    with pytest.raises(ParameterError, match="distinct"):
        Schema((Column(name="a", kind=Kind.DATE), Column(name="a", kind=Kind.DATE)))
    with pytest.raises(ParameterError, match="decimals of a must be 0 for kind integer"):
        Column(name="a", kind=Kind.INTEGER, decimals=2)
    with pytest.raises(ParameterError, match="lie between 0 and 9"):
        Column(name="a", kind=Kind.DECIMAL, decimals=10)
