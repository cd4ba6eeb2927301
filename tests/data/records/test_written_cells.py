"""What a text of a release admits, whatever wrote it."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from sekisho.data.files.fault_notes import FaultNotes
from sekisho.data.files.grammar import FieldRules
from sekisho.data.files.plain_files.form import OrdinaryWriting
from sekisho.data.frame.cells import RangeCells, SetCells
from sekisho.data.frame.dataset import Column, Dataset, Kind, Schema
from sekisho.data.records.written_release import WrittenColumn, read_written_column
from sekisho.data.trees.hierarchy import Tree
from sekisho.errors import FaultsError

SCHEMA = Schema(
    (
        Column(name="age", kind=Kind.INTEGER),
        Column(name="born", kind=Kind.DATE),
        Column(name="town", kind=Kind.CATEGORY),
    )
)
DATA = Dataset.of(
    pl.DataFrame(
        {
            "age": [16, 30, 50, 90],
            "born": pl.Series(["2000-01-01", "2000-01-05", "2001-01-01", "2002-01-01"]).str.to_date(),
            "town": ["a", "b", "c", "{x;y}"],
        }
    ),
    SCHEMA,
)
AGES = Tree.of([("16", "young"), ("30", "young"), ("50", "old"), ("90", "old"), ("young", "all"), ("old", "all")])
TOWNS = Tree.of(
    [("a", "north"), ("b", "north"), ("c", "south"), ("{x;y}", "south"), ("north", "all"), ("south", "all")]
)


def read(texts: list[str], name: str, tree: Tree | None = None) -> WrittenColumn:
    column = SCHEMA[name]
    rules = FieldRules(name=name, kind=column.kind, writing=OrdinaryWriting())
    notes = FaultNotes("R.csv", len(texts))
    found = read_written_column(pl.Series(texts, dtype=pl.String), rules, DATA, tree, notes)
    notes.raise_faults()
    return found


def list_ranges(column: WrittenColumn) -> list[tuple[int, int] | None]:
    cells = column.cells
    assert isinstance(cells, RangeCells)
    ends = zip(cells.lower.tolist(), cells.upper.tolist(), cells.suppressed.tolist(), strict=True)
    return [None if gone else (low, high) for low, high, gone in ends]


def list_sets(column: WrittenColumn) -> list[set[str]]:
    cells = column.cells
    assert isinstance(cells, SetCells)
    return [
        {cells.domain[code] for code in cells.codes[low:high]}
        for low, high in np.lib.stride_tricks.sliding_window_view(cells.offsets, 2)
    ]


def test_numbers_ranges_tails_labels_and_what_is_suppressed() -> None:
    texts = ["17", "[16;30]", ">=50", "<=20", "<20", "young", "*", "", "NA", "29.6", ">=95", "17"]
    assert list_ranges(read(texts, "age", AGES)) == [
        (17, 17),
        (16, 30),
        (50, 90),
        (16, 20),
        (16, 19),
        (16, 30),
        None,
        None,
        None,
        (30, 30),  # rounded to the grid
        (95, 95),  # above all the original's values
        (17, 17),
    ]


def test_dates_have_ranges_and_tails() -> None:
    day = int(DATA.grid("born")[0])
    assert list_ranges(read(["2000-01-02", "[2000-01-01;2000-01-05]", "<2000-01-05"], "born")) == [
        (day + 1, day + 1),
        (day, day + 4),
        (day, day + 3),
    ]


def test_a_number_that_means_nothing_is_named_with_its_row() -> None:
    with pytest.raises(FaultsError) as caught:
        read(["17", "[30;16]", "seventeen", "seventeen"], "age")
    assert [(fault.row, fault.column, fault.value) for fault in caught.value.faults] == [
        (2, "age", "[30;16]"),
        (3, "age", "seventeen"),
        (4, "age", "seventeen"),
    ]


def test_values_sets_labels_and_values_that_look_like_sets() -> None:
    texts = ["a", "{a;c}", "*", "", "{x;y}", "{a;%7Bx%3By%7D}", "south", "a"]
    assert list_sets(read(texts, "town", TOWNS)) == [
        {"a"},
        {"a", "c"},
        set(),
        set(),
        {"{x;y}"},
        {"a", "{x;y}"},
        {"c", "{x;y}"},
        {"a"},
    ]


def test_an_unknown_name_stands_for_what_is_not_written() -> None:
    column = read(["a", "Other", "b"], "town")
    assert list_sets(column) == [{"a"}, {"c", "{x;y}"}, {"b"}]
    assert column.notices == (
        "column town: 'Other' is no value, set or label; taken as any of 2 values that are not written otherwise",
    )
    everything = read(["a", "b", "c", "{x;y}", "a;b"], "town")
    assert list_sets(everything)[4] == set(DATA.domain("town"))
    assert everything.notices[0].endswith("taken as any of 4 values of the column")
