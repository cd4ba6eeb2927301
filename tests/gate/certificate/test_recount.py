"""Whatever a file calls its columns, its classes, values, twins and cells are counted alike."""

from __future__ import annotations

import polars as pl
import pytest

from sekisho.gate.certificate.recount import (
    count_least_class,
    count_least_values,
    count_twins,
    list_hidden_cells,
    measure_farthest,
)

ROWS = {0: ["x", "x", "y", "y", "y"], 1: ["a", "b", "a", "a", "b"], 2: ["1", "1", "1", "2", "2"]}


@pytest.mark.parametrize(
    "names", [("a", "b", "c"), ("size", "len", "share"), ("gap", "values", "row"), ("*", "^.*$", "0"), ("2", "1", "0")]
)
def test_names_of_columns_do_not_matter(names: tuple[str, str, str]) -> None:
    frame = pl.DataFrame([pl.Series(name, values) for name, values in zip(names, ROWS.values(), strict=True)])
    assert count_least_class(frame, [0]) == 2
    assert count_least_values(frame, [0], 1) == 2
    # of all a is 3/5: x has 1/2, 0.1 away; y has 2/3, 1/15 away
    assert measure_farthest(frame, [0], 1) == pytest.approx(0.1)
    assert count_twins(frame, 0) == {1: 2}
    cells, hidden = list_hidden_cells(frame[:3], [0, 1], 2, "1")
    assert (cells, hidden) == ({("x", "a"): "1", ("x", "b"): "1", ("y", "a"): "1"}, 3)
