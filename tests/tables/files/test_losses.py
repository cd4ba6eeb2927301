"""What a format can hold must come back equal, and what it cannot must be told: nothing is dropped in silence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.data.files.plain_table import frame_bytes, read_frame
from sekisho.data.files.whole_files import write_whole
from sekisho.data.trees.hierarchy import Hierarchy, Tree
from sekisho.errors import FaultsError, ParameterError
from sekisho.tables.files.apriori import apply_hst, hst_text
from sekisho.tables.files.argus import read_tab, tab_files
from sekisho.tables.files.cell_marks import (
    FREQUENCY,
    MARKS,
    TableFormat,
    apply_marks,
    cells_frame,
    count_unlevelled,
    find_losses,
    taken_names,
)
from sekisho.tables.files.cells import CellFile
from sekisho.tables.files.jj import jj_table, jj_text
from sekisho.tables.files.pattern import apply_published
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.limits import LEAST
from sekisho.tables.model.margins import Margins
from sekisho.tables.model.table import Status, Table

DEEP = Dimension(name="a", parent={"x": "Total", "y": "x", "z": "x", "w": "Total"})
FLAT = Dimension.flat("b", "pq")
TREES = {one.name: Hierarchy(tree=Tree.of(list(one.parent.items()))) for one in (DEEP, FLAT)}
SAID = Margins(categories={"b": ("p", "q")})
CELLS = 15
QUARTERS = st.integers(0, 200).map(lambda number: number / 4)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Tables with any statuses, levels of anybody, costs, bounds and contributors; each kind may be absent."""

    def numbers(choice: st.SearchStrategy[float] = QUARTERS, usual: float = 0.0) -> np.ndarray:
        if draw(st.booleans()):
            return np.full(CELLS, usual)
        return np.array(draw(st.lists(choice, min_size=CELLS, max_size=CELLS)))

    keys = [(row, column) for row in ("y", "z", "w") for column in "pq"]
    table = from_inner((DEEP, FLAT), keys, np.array(draw(st.lists(QUARTERS, min_size=6, max_size=6))))
    status = numbers(st.sampled_from([0.0, 1.0, 2.0, 3.0])).astype(np.int8)
    sliding = numbers(st.sampled_from([0.0, LEAST, 3.5, 10.0]))
    lower, upper = numbers(), numbers()
    bare = (status == Status.PRIMARY) & (np.maximum(np.maximum(lower, upper), sliding) < LEAST)
    below, above = (
        numbers(st.sampled_from([0.0, 2.5, -1.0, np.inf]), np.inf),
        numbers(st.sampled_from([0.0, 9.0, np.inf]), np.inf),
    )
    return replace(
        table,
        weight=numbers(usual=1.0),
        frequency=numbers(st.integers(0, 9).map(float)).astype(np.int64),
        largest=-np.sort(-np.column_stack([numbers(), numbers()]), axis=1)
        if draw(st.booleans())
        else np.zeros((CELLS, 0)),
        status=status,
        # -1 stands for no bound at all
        lower=np.where(below < 0, -np.inf, np.where(np.isinf(below), 0.0, table.value - below)),
        upper=table.value + above,
        lower_level=lower,
        upper_level=upper,
        sliding_level=np.where(bare, LEAST, sliding),
    )


def through_cells(table: Table, folder: Path, suffix: str) -> Table:
    path = folder / f"t{suffix}"
    path.write_bytes(frame_bytes(cells_frame(table, value="v"), path))
    frame = read_frame(path).frame
    file = CellFile(
        dims=("a", "b"),
        value="v",
        counts=False,
        frequency=FREQUENCY if FREQUENCY in frame.columns else None,
        largest=tuple(name for name in ("x1", "x2") if name in frame.columns),
        trees=TREES,
    )
    marks = [name for name in MARKS if name in frame.columns]
    return apply_marks(file.table(frame), file.keys(frame), frame, marks)


def through_argus(table: Table, folder: Path) -> Table:
    write_whole(tab_files(table, folder / "t.tab", (DEEP, FLAT)))
    return read_tab(folder / "t.tab", margins=SAID)


def through_jj(table: Table, _: Path) -> Table:
    plain = Table.of(
        dims=table.dims, keys=table.keys, value=table.value, matrix=table.matrix, equations=table.equations
    )
    return apply_published(plain, jj_table(jj_text(table)), costs=True)


def through_apriori(table: Table, _: Path) -> Table:
    plain = Table.of(
        dims=table.dims, keys=table.keys, value=table.value, matrix=table.matrix, equations=table.equations
    )
    return apply_hst(plain, hst_text(table))


ROADS: dict[str, tuple[TableFormat, Callable[[Table, Path], Table]]] = {
    "csv": (TableFormat.CELLS, lambda table, folder: through_cells(table, folder, ".csv")),
    "parquet": (TableFormat.CELLS, lambda table, folder: through_cells(table, folder, ".parquet")),
    "tab": (TableFormat.ARGUS, through_argus),
    "jj": (TableFormat.JJ, through_jj),
    "hst": (TableFormat.APRIORI, through_apriori),
}
LOST_IN = {
    "value": {"values"},
    "frequency": {"frequency"},
    "largest": {"largest"},
    "weight": {"cost"},
    "status": {"status"},
    "lower": {"bounds"},
    "upper": {"bounds"},
    # where an a-priori file loses the width of an unsafe cell without other levels, the usual ones stand in for it
    "lower_level": {"levels", "sliding_level"},
    "upper_level": {"levels", "sliding_level"},
    "sliding_level": {"levels", "sliding_level"},
}


UNTOLD = {TableFormat.JJ: {"frequency", "largest"}, TableFormat.APRIORI: {"value", "frequency", "largest"}}
"""What a format never holds: its reader has to make something up, whatever there was."""


@pytest.mark.parametrize("road", ROADS)
@given(table=tables())
def test_what_is_not_told_as_lost_comes_back(road: str, table: Table) -> None:
    form, travel = ROADS[road]
    losses = {loss.what: set(loss.cells) for loss in find_losses(table, form)}
    with TemporaryDirectory() as place:
        again = travel(table, Path(place))
    at = np.array([again.position[key] for key in table.keys])
    for field, names in LOST_IN.items():
        lost = set[int]().union(*(losses.get(name, set()) for name in names))
        kept = [cell for cell in range(len(table)) if cell not in lost]
        if field not in UNTOLD.get(form, ()):
            assert getattr(again, field)[at][kept].tolist() == getattr(table, field)[kept].tolist(), field
        elif field != "value" and getattr(table, field).any():
            assert field in losses


@given(table=tables())
def test_nothing_is_told_as_lost_that_comes_back(table: Table) -> None:
    # The width and the bounds that a .tab file has no place for: where a loss is told, something did change.
    losses = {loss.what: list(loss.cells) for loss in find_losses(table, TableFormat.ARGUS)}
    with TemporaryDirectory() as place:
        again = through_argus(table, Path(place))
    at = np.array([again.position[key] for key in table.keys])
    for cell in losses.get("sliding_level", []):
        assert again.sliding_level[at[cell]] != table.sliding_level[cell]
    for cell in losses.get("bounds", []):
        assert (again.lower[at[cell]], again.upper[at[cell]]) != (table.lower[cell], table.upper[cell])
    for cell in losses.get("levels", []):
        assert again.lower_level[at[cell]] == again.upper_level[at[cell]] == again.sliding_level[at[cell]] == 0


def small() -> Table:
    return from_inner((FLAT,), [("p",), ("q",)], np.array([3.0, 4.0]))


def test_each_format_says_what_it_has_no_place_for() -> None:
    table = replace(small(), upper=np.array([9.0, 9.0, 9.0]), weight=np.array([1.0, 2.0, 1.0]))
    table = table.flag_cells(table.value == 3, sliding=10.0)
    told = {form: [(loss.what, len(loss.cells)) for loss in find_losses(table, form)] for form in TableFormat}
    assert told == {
        TableFormat.CELLS: [],
        TableFormat.ARGUS: [("sliding_level", 1), ("bounds", 3)],
        TableFormat.JJ: [("codes", 3), ("frequency", 3)],
        TableFormat.APRIORI: [("values", 3), ("frequency", 3), ("sliding_level", 1), ("bounds", 3)],
    }
    numbered = jj_table(jj_text(table))
    assert [loss.what for loss in find_losses(numbered, TableFormat.CELLS)] == ["equations"]
    assert "codes" not in [loss.what for loss in find_losses(numbered, TableFormat.JJ)]


def test_an_unsafe_cell_without_a_level_is_counted() -> None:
    table = small()
    assert count_unlevelled(table) == 0
    assert count_unlevelled(table.mark_cells(np.array([0, 1, 1], dtype=np.int8))) == 2
    assert count_unlevelled(table.flag_cells(table.value == 3, sliding=10.0)) == 0


def test_marks_that_are_none_are_told_whole() -> None:
    table, keys = small(), [("p",), ("q",), ("Total",)]
    frame = pl.DataFrame(
        {
            "status": ["odd", "Primary", None],
            "cost": ["1", "-1", "2"],
            "lower_level": ["a", "", "inf"],
            "upper_bound": ["9", "nan", ""],
        }
    )
    with pytest.raises(FaultsError) as caught:
        apply_marks(table, keys, frame, frame.columns, source="t.csv")
    assert [(fault.row, fault.column) for fault in caught.value.faults] == [
        (1, "lower_level"),
        (1, "status"),
        (2, "cost"),
        (2, "upper_bound"),
        (3, "lower_level"),
    ]
    bounds = pl.DataFrame({"upper_bound": ["2", "9", "9"]})
    with pytest.raises(FaultsError, match=r"t\.csv: .*outside its bounds"):
        apply_marks(table, keys, bounds, ["upper_bound"], source="t.csv")


def test_columns_whose_names_are_taken_are_told() -> None:
    dim = Dimension.flat("cost", ["p", "q"])
    table = replace(from_inner((dim,), [("p",), ("q",)], np.array([3.0, 4.0])), weight=np.array([1.0, 2.0, 3.0]))
    assert taken_names(table, "frequency") == ["frequency", "cost"]
    assert cells_frame(table, value="frequency").columns == ["cost", "frequency", "status"]
    with pytest.raises(ParameterError, match="value must not be named like a dimension"):
        cells_frame(table, value="cost")


def test_a_tab_file_takes_any_names_of_dimensions(tmp_path: Path) -> None:
    dims = (Dimension.flat("cost", ["p", "q"]), Dimension.flat("status", ["r", "s"]))
    keys = [(one, two) for one in "pq" for two in "rs"]
    table = from_inner(dims, keys, np.array([1.0, 20.0, 4.0, 80.0]))
    write_whole(tab_files(table, tmp_path / "t.tab", dims, value="lower"))
    assert read_tab(tmp_path / "t.tab").value.sum() == table.value.sum()


def test_a_code_that_is_a_remark_is_not_lost_in_an_a_priori_file() -> None:
    dim = Dimension.flat("a", ["//p", "q"])
    table = from_inner((dim,), [("//p",), ("q",)], np.array([3.0, 4.0]))
    with pytest.raises(ParameterError, match="codes that begin with //"):
        hst_text(table.flag_cells(table.value == 3, upper=1.0))
