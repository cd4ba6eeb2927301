"""Who is left out follows from the data: the longest and rarest histories; the others are protected as if alone."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.data.frame.cells import Cells, RangeCells
from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.errors import ParameterError
from sekisho.protect.history.left_out import (
    check_left_out,
    find_hardest,
    mark_left_out,
    measure_bits,
    put_back_rows,
)
from sekisho.protect.history.similar_length import SimilarLength
from sekisho.seeds import Seed

SCHEMA = Schema(
    (
        Column(name="who", kind=Kind.CATEGORY, role=Role.IDENTIFIER),
        Column(name="item", kind=Kind.CATEGORY),
        Column(name="paid", kind=Kind.INTEGER),
    )
)


def make_history(rows: list[tuple[str, str, int | None]]) -> Dataset:
    return Dataset(pl.DataFrame(rows, schema=["who", "item", "paid"], orient="row"), SCHEMA)


def test_the_bits_of_a_small_history() -> None:
    """Of 4 rows: tea is 3 of 4, a harp 1 of 4; 5 is 3 of 4 (one step), 100 is 1 of 4."""
    data = make_history([("a", "tea", 5), ("a", "tea", 5), ("b", "tea", 5), ("c", "harp", 100)])
    bits, names = measure_bits(data)
    common, rare = -np.log2(3 / 4), -np.log2(1 / 4)
    assert names == ("a", "b", "c")
    assert bits == pytest.approx([4 * common, 2 * common, 2 * rare])
    assert find_hardest(data, 2) == ("c", "a")
    assert mark_left_out(data, 1).tolist() == [False, False, False, True]


def test_of_equal_people_the_first_by_name_and_a_missing_number_is_a_value() -> None:
    data = make_history([("b", "tea", None), ("a", "tea", None), ("c", "tea", 3), ("d", "tea", 3)])
    assert find_hardest(data, 3) == ("a", "b", "c")


def list_cells(cells: Cells) -> list[object]:
    if isinstance(cells, RangeCells):
        return list(zip(cells.lower.tolist(), cells.upper.tolist(), cells.suppressed.tolist(), strict=True))
    texts = [cells.domain[code] for code in cells.codes.tolist()]
    return [texts[start:end] for start, end in pairwise(cells.offsets.tolist())]


@given(few=st.integers(0, 11), k=st.integers(1, 4), seed=st.integers(0, 5))
def test_the_others_are_protected_as_if_they_were_alone(few: int, k: int, seed: int) -> None:
    data = SyntheticHistory(customers=16).draw(rng=Seed(seed).rng())
    gone = mark_left_out(data, few)
    kept = Dataset(data.frame.filter(pl.Series(~gone)), data.schema)
    alone = SimilarLength(k=k).apply(kept, rng=Seed(1).rng())
    whole = put_back_rows(alone, data, gone)
    assert whole.deleted[gone].all()
    assert whole.deleted[~gone].tolist() == alone.deleted.tolist()
    assert whole.table.pseudonym is not None
    assert not whole.table.pseudonym[gone].any()
    for name, cells in whole.table.columns.items():
        original = alone.table.columns[name]
        assert cells.suppressed[gone].all()
        assert list_cells(cells.take(~gone)) == list_cells(original)


@pytest.mark.parametrize("few", [-1, 3])
def test_somebody_must_be_left(few: int) -> None:
    data = make_history([("a", "tea", 1), ("b", "tea", 1), ("c", "tea", 1)])
    check_left_out(data, 2)
    with pytest.raises(ParameterError, match="leave_out must lie between 0 and 2: somebody must be left"):
        check_left_out(data, few)
