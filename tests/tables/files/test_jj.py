"""A table written in the JJ format must come back number by number; a broken file must be told whole."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.errors import FaultsError
from sekisho.tables.files.jj import jj_table, jj_text
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.limits import LEAST
from sekisho.tables.model.table import Status, Table

DIMENSIONS = (Dimension(name="a", parent={"x": "Total", "y": "x", "z": "x", "w": "Total"}), Dimension.flat("b", "pq"))
ARRAYS = ("value", "weight", "status", "lower", "upper", "lower_level", "upper_level", "sliding_level")


@st.composite
def tables(draw: st.DrawFn) -> Table:
    keys = [(row, column) for row in ("y", "z", "w") for column in "pq"]
    value = np.array(draw(st.lists(st.integers(0, 1000).map(lambda n: n / 4), min_size=6, max_size=6)))
    table = from_inner(DIMENSIONS, keys, value)
    numbers = st.lists(st.floats(0, 50), min_size=len(table), max_size=len(table)).map(np.array)
    status = draw(st.lists(st.integers(0, 3), min_size=len(table), max_size=len(table)))
    width = np.where(np.array(status) == Status.PRIMARY, LEAST, 0.0)
    bounded = np.array(draw(st.lists(st.booleans(), min_size=len(table), max_size=len(table))))
    return replace(
        table,
        weight=draw(numbers),
        status=np.array(status, dtype=np.int8),
        lower=np.where(bounded, table.value - draw(numbers), -np.inf),
        upper=np.where(bounded, table.value + draw(numbers), np.inf),
        lower_level=draw(numbers),
        upper_level=draw(numbers),
        sliding_level=np.maximum(draw(numbers), width),
    )


@given(tables())
def test_what_is_written_is_read(table: Table) -> None:
    again = jj_table(jj_text(table))
    for name in ARRAYS:
        assert getattr(again, name).tolist() == getattr(table, name).tolist(), name
    assert np.array_equal(again.matrix.toarray(), table.matrix.toarray())
    assert jj_text(again) == jj_text(table)


def test_the_manuals_lines_are_read() -> None:
    # Shaped like the manual's example (section 5.5): spaces vary, "144(1)" is written without one, "m" is a secondary.
    text = "0\n3\n0 7.50 20000 s 0.00 25.26 0.0100 0.0100 0.00\n1 4 5192 u 0 25 1 2 3\n2 3.5 1 m 0 25 0 0 0\n1\n0 3 : 0 (-1) 1 (1) 2(1)\n"
    table = jj_table(text)
    assert table.status.tolist() == [0, 1, 2]
    assert table.matrix.toarray().tolist() == [[-1, 1, 1]]
    assert (table.lower_level[1], table.upper_level[1], table.sliding_level[1]) == (1, 2, 3)


def test_a_primary_without_levels_gets_the_least_width() -> None:
    # The standard allows three zeros for a primary; hidden so, it could be worked out.
    text = "0\n3\n0 7 1 s 0 25 0 0 0\n1 4 1 u 0 25 0 0 0\n2 3 1 u 0 25 0 1 0\n1\n0 3 : 0 (-1) 1 (1) 2(1)\n"
    table = jj_table(text)
    assert table.sliding_level.tolist() == [0, LEAST, 0]
    assert table.upper_level.tolist() == [0, 0, 1]


def test_all_faults_are_told_at_once() -> None:
    text = "1\n4\n0 1 1 s 0 9 0 0 0\n0 1 1 s 0 9 0 0 0\n2 1 1 q 0 9 0 0 0\n3 x 1 s 0 9 0 0 0\n2\n0 2 : 0 (-1) 7 (1)\n5 1 : 0 (1)\nend\n"
    with pytest.raises(FaultsError) as caught:
        jj_table(text)
    told = [(fault.row, fault.rule) for fault in caught.value.faults]
    assert told == [
        (1, "head"),
        (5, "status"),
        (6, "number"),
        (0, "duplicate"),
        (8, "unknown cell"),
        (9, "relation"),
        (10, "end"),
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "number of cells is missing"),
        ("0\n2\n0 1 1 s 0 9 0 0 0\n", "says 2 cells"),
        ("0\n1\n0 1 1 s\n0\n", "4 fields instead of 9"),
        ("0\n1\n0 1 1 s 0 9 0 0 0\n1\n0 1 0 (1)\n", "is no relation"),
        ("0\n2\n0 1 1 s 0 9 0 0 0\n1 2 1 s 0 9 0 0 0\n1\n0 2 : 0 (-1) 1 (1)\n", "does not add up"),
        ("0\n1\n0 1 1 s 2 9 0 0 0\n0\n", "outside its bounds"),
    ],
)
def test_broken_files_are_refused(text: str, reason: str) -> None:
    with pytest.raises(FaultsError, match=reason):
        jj_table(text)


THREE = "0\n3\n0 3 1 s 0 1e20 0 0 0\n1 1 1 s 0 1e20 0 0 0\n2 2 1 s 0 1e20 0 0 0\n1\n0 3 : 0 (-1) 1 (1) 2 (1)\n"


@pytest.mark.parametrize(
    ("old", "new", "row", "rule"),
    [
        ("(-1)", "(-e)", 7, "relation"),
        ("(-1)", "(.)", 7, "relation"),
        ("(-1)", "(1e400)", 7, "coefficient"),
        ("(-1)", "(0.5)", 7, "coefficient"),
        ("1 (1)", "1" * 5000 + " (1)", 7, "unknown cell"),
        ("0\n3\n", "0\n" + "3" * 5000 + "\n", 2, "number"),
        ("0\n3\n", "0\n٣\n", 2, "number"),
        ("\n1 1 1 s 0 1e20", "\n1 1 1 s 0 nan", 2, "bounds"),
    ],
)
def test_numbers_that_are_none_are_refused_where_they_stand(old: str, new: str, row: int, rule: str) -> None:
    assert len(jj_table(THREE)) == 3
    with pytest.raises(FaultsError) as caught:
        jj_table(THREE.replace(old, new, 1))
    assert (caught.value.faults[0].row, caught.value.faults[0].rule) == (row, rule)
    assert len(str(caught.value)) < 1000
