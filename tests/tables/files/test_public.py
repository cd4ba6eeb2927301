"""A published table must not tell an unsafe cell from one that hides it, nor anything of a hidden value."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.data.files.plain_table import frame_bytes
from sekisho.errors import ParameterError
from sekisho.tables.files.pattern import pattern_frame, public_frame
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.table import Mask, Status, Table

DIMENSIONS = (Dimension.flat("a", ["u", "v", "w"]), Dimension.flat("b", ["p", "q"]))
CELLS = 12
QUARTERS = st.integers(0, 400).map(lambda quarters: quarters / 4)
MASKS = st.lists(st.booleans(), min_size=CELLS, max_size=CELLS).map(np.array)
NUMBERS = st.lists(QUARTERS, min_size=CELLS, max_size=CELLS).map(np.array)


def summed(inner: list[float]) -> Table:
    keys = [(a, b) for a in "uvw" for b in "pq"]
    return from_inner(DIMENSIONS, keys, np.array(inner))


def hide(table: Table, hidden: Mask, primary: Mask, levels: np.ndarray, costs: np.ndarray) -> Table:
    status = np.where(hidden, np.where(primary, Status.PRIMARY, Status.SECONDARY), Status.SAFE).astype(np.int8)
    return replace(table, weight=costs).mark_cells(status, lower=levels, upper=levels)


@given(
    inner=st.lists(QUARTERS, min_size=6, max_size=6),
    hidden=MASKS,
    primaries=st.tuples(MASKS, MASKS),
    levels=st.tuples(NUMBERS, NUMBERS),
    costs=st.tuples(NUMBERS, NUMBERS),
    suffix=st.sampled_from([".csv", ".parquet"]),
)
def test_the_same_hidden_cells_give_the_same_bytes_whichever_are_unsafe(
    inner: list[float],
    hidden: Mask,
    primaries: tuple[Mask, Mask],
    levels: tuple[np.ndarray, np.ndarray],
    costs: tuple[np.ndarray, np.ndarray],
    suffix: str,
) -> None:
    path = Path(f"t{suffix}")
    one, two = (
        frame_bytes(public_frame(hide(summed(inner), hidden, each, level, cost)), path)
        for each, level, cost in zip(primaries, levels, costs, strict=True)
    )
    assert one == two


@given(
    inner=st.lists(QUARTERS, min_size=6, max_size=6),
    step=st.integers(-20, 20).map(lambda quarters: quarters / 4),
)
def test_the_bytes_tell_nothing_of_hidden_values(inner: list[float], step: float) -> None:
    # A rectangle is hidden, so that a step around it changes no shown value; +100 keeps all at least 0.
    base = [number + 100 for number in inner]
    moved = [base[0] + step, base[1] - step, base[2] - step, base[3] + step, *base[4:]]
    one, two = summed(base), summed(moved)
    hidden = np.zeros(len(one), dtype=np.bool_)
    hidden[[one.position[key] for key in (("u", "p"), ("u", "q"), ("v", "p"), ("v", "q"))]] = True
    for frame in (public_frame, pattern_frame):
        first, second = (frame(hide(each, hidden, hidden, np.ones(CELLS), np.ones(CELLS))) for each in (one, two))
        assert first.write_csv() == second.write_csv()


def test_hidden_margins_are_marked_and_whole_numbers_have_no_decimals() -> None:
    # u: 1 + 2.5 = 3.5, v: 3 + 4 = 7, w: 5 + 6 = 11; p: 9, q: 12.5; all: 21.5
    table = summed([1, 2.5, 3, 4, 5, 6])
    hidden = np.zeros(len(table), dtype=np.bool_)
    hidden[[table.position[key] for key in (("u", "Total"), ("v", "Total"), ("u", "p"), ("v", "p"))]] = True
    frame = public_frame(hide(table, hidden, hidden, np.ones(CELLS), np.ones(CELLS)), value="sum", mark="秘")
    assert frame.columns == ["a", "b", "sum"]
    assert dict(zip(zip(frame["a"], frame["b"], strict=True), frame["sum"], strict=True)) == {
        ("Total", "Total"): "21.5",
        ("Total", "p"): "9",
        ("Total", "q"): "12.5",
        ("u", "Total"): "秘",
        ("u", "p"): "秘",
        ("u", "q"): "2.5",
        ("v", "Total"): "秘",
        ("v", "p"): "秘",
        ("v", "q"): "4",
        ("w", "Total"): "11",
        ("w", "p"): "5",
        ("w", "q"): "6",
    }


def test_parquet_and_csv_hold_the_same_cells() -> None:
    table = summed([1, 2.5, 3, 4, 5, 6])
    frame = public_frame(hide(table, table.value < 3, table.value < 2, np.ones(CELLS), np.ones(CELLS)))
    parquet = pl.read_parquet(BytesIO(frame_bytes(frame, Path("t.parquet"))))
    csv = pl.read_csv(BytesIO(frame_bytes(frame, Path("t.csv"))), infer_schema=False)
    assert parquet.rows() == csv.rows()
    assert parquet["value"].to_list().count("x") == 2


def test_cells_of_no_published_table_stay_out() -> None:
    table = summed([1, 2, 3, 4, 5, 6])
    status = np.where(table.value == 6, Status.UNPUBLISHED, Status.PUBLISH).astype(np.int8)
    frame = public_frame(table.mark_cells(status))
    assert (frame.height, "6" in frame["value"].to_list()) == (CELLS - 1, False)


@pytest.mark.parametrize(
    "mark", ["", "-", "0", "5", "１", "一", "〇", "x 5", "..", "NaN", "ＮＡ", "inf", "x,y", '"', "=x", "x" * 9]
)
def test_a_mark_that_could_be_a_value_is_refused(mark: str) -> None:
    with pytest.raises(ParameterError, match="mark must be 1 to 8 letters"):
        public_frame(summed([1, 2, 3, 4, 5, 6]), mark=mark)


def test_a_value_named_like_a_dimension_is_refused() -> None:
    with pytest.raises(ParameterError, match="value must not be named like a dimension"):
        public_frame(summed([1, 2, 3, 4, 5, 6]), value="a")
