"""What is published can be taken as a frame: values where all are exact, texts where some are not."""

from __future__ import annotations

import sys
from datetime import date
from typing import Any, cast

import numpy as np
import polars as pl
import pytest

from sekisho.data.files.plain_files.form import OrdinaryWriting
from sekisho.data.files.published_frame import published_frame
from sekisho.data.frame.cells import Cells, RangeCells, SetCells
from sekisho.data.frame.convert import to_arrow, to_pandas
from sekisho.data.frame.dataset import Column, Kind, Role, Schema
from sekisho.data.frame.release import MaskedTable, Release
from sekisho.errors import ParameterError
from sekisho.provenance import Provenance

SCHEMA = Schema(
    (
        Column(name="who", kind=Kind.CATEGORY, role=Role.IDENTIFIER),
        Column(name="day", kind=Kind.DATE),
        Column(name="item", kind=Kind.CATEGORY),
        Column(name="price", kind=Kind.DECIMAL, decimals=2),
    )
)


def numbers(lower: list[int], upper: list[int], hidden: list[bool]) -> RangeCells:
    return RangeCells(lower=np.array(lower), upper=np.array(upper), suppressed=np.array(hidden))


def release() -> Release:
    columns: dict[str, Cells] = {
        "day": numbers([0, 0, 1], [0, 0, 1], [False, True, False]),
        "item": SetCells(
            offsets=np.array([0, 2, 2, 3]),
            codes=np.array([0, 1, 1], dtype=np.int32),
            suppressed=np.array([False, True, False]),
            domain=("a;b", "tea"),
        ),
        "price": numbers([150, 0, 200], [250, 0, 200], [False, True, False]),
    }
    table = MaskedTable(schema=SCHEMA, columns=columns, pseudonym=np.array([2, 0, 1]))
    return Release(table=table, deleted=np.array([False, True, False]), provenance=Provenance(name="test"))


def test_exact_columns_have_values_and_others_texts() -> None:
    assert published_frame(release()).rows() == [
        (2, date(1970, 1, 1), "{a%3Bb;tea}", "[1.5;2.5]"),
        (1, date(1970, 1, 2), "tea", "2"),
    ]
    last = published_frame(release().table.take(np.array([2])))
    assert last.rows() == [(1, date(1970, 1, 2), "tea", 2.0)]
    whole = published_frame(release().table, writing=OrdinaryWriting(date_format="%d.%m.%Y", decimal=","))
    assert whole.row(1) == (0, "*", "*", "*")
    assert whole.row(0) == (2, "01.01.1970", "{a%3Bb;tea}", "[1,5;2,5]")


def test_records_have_no_pseudonyms() -> None:
    table = MaskedTable(schema=SCHEMA, columns=release().table.columns)
    assert published_frame(table).columns == ["day", "item", "price"]


def test_other_programs_get_their_own_frames() -> None:
    frame = published_frame(release())
    assert to_pandas(frame)["item"].tolist() == ["{a%3Bb;tea}", "tea"]
    assert pl.DataFrame(cast("Any", to_arrow(frame))).equals(frame)


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ParameterError, match="pandas must be installed"):
        to_pandas(pl.DataFrame({"a": [1]}))
