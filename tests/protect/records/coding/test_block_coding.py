"""What a value is written as is found by its place among the distinct ones, near or far apart."""

from __future__ import annotations

import pickle

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from sekisho.data.frame.dataset import Column, Dataset, Kind, Schema
from sekisho.protect.records.coding.block_coding import NARROW, WIDEST, ValueCodes


def make_codes(values: pl.Series, written: int = 2) -> ValueCodes:
    return ValueCodes(
        values=values,
        codes=np.arange(len(values), dtype=np.int32) % written,
        written=pl.Series([f"w{place}" for place in range(written)]),
        changed=np.zeros(len(values), dtype=np.bool_),
    )


@pytest.mark.parametrize("largest", [9, WIDEST, WIDEST + 1, 2**62])
def test_numbers_near_and_far(largest: int) -> None:
    column = Column(name="pay", kind=Kind.INTEGER)
    codes = pickle.loads(pickle.dumps(make_codes(pl.Series([-3, 0, 7, largest]))))
    data = Dataset(pl.DataFrame({"pay": [7, largest, -3, 0, 7]}), Schema((column,)))
    assert codes.find_places(data, column).tolist() == [2, 3, 0, 1, 2]


def test_texts() -> None:
    column = Column(name="town", kind=Kind.CATEGORY)
    data = Dataset(pl.DataFrame({"town": ["b", "", "b", "a.b"]}), Schema((column,)))
    codes = pickle.loads(pickle.dumps(make_codes(pl.Series(["", "a.b", "b"]))))
    assert codes.find_places(data, column).tolist() == [2, 0, 2, 1]


def test_codes_are_as_wide_as_they_must_be() -> None:
    values = pl.Series(range(NARROW))
    # the largest code of NARROW - 1 written values is NARROW - 2, which fits
    assert make_codes(values, NARROW - 1).kind == pa.int16()
    assert make_codes(values, NARROW).kind == pa.int32()
