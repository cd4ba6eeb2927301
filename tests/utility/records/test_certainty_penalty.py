"""The certainty penalty of cells that can be counted by hand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from sekisho.data.frame.cells import RangeCells, SetCells
from sekisho.data.frame.dataset import Column, Dataset, Kind, Schema
from sekisho.data.frame.release import MaskedTable, Release
from sekisho.data.trees.hierarchy import Tree
from sekisho.errors import ParameterError
from sekisho.provenance import Provenance
from sekisho.utility.records.information_loss import CertaintyPenalty

SCHEMA = Schema((Column(name="age", kind=Kind.INTEGER), Column(name="town", kind=Kind.CATEGORY)))
DATA = Dataset(pl.DataFrame({"age": [20, 25, 30, 40], "town": ["a", "b", "c", "c"]}), SCHEMA)
TOWNS = Tree(codes=("all", "north", "a", "b", "south", "c", "d"), parents=(-1, 0, 1, 1, 0, 4, 4))
AGES = Tree(codes=("*", "twenties", "20", "25", "older", "30", "40"), parents=(-1, 0, 1, 1, 0, 4, 4))


def release(deleted: tuple[bool, ...] = (False,) * 4) -> Release:
    """Return [20;25] and {a;b} for the first two, [30;40] and c for the others."""
    mask = np.array(deleted)
    ages = RangeCells(
        lower=np.array([20, 20, 30, 30]), upper=np.array([25, 25, 40, 40]), suppressed=np.zeros(4, dtype=np.bool_)
    )
    towns = SetCells(
        offsets=np.array([0, 2, 4, 5, 6]),
        codes=np.array([0, 1, 0, 1, 2, 2], dtype=np.int32),
        suppressed=np.zeros(4, dtype=np.bool_),
        domain=("a", "b", "c"),
    )
    columns = {"age": ages.suppress(mask), "town": towns.suppress(mask)}
    return Release(table=MaskedTable(schema=SCHEMA, columns=columns), deleted=mask, provenance=Provenance(name="test"))


def test_ranges_and_sets() -> None:
    # age: 5/20, 5/20, 10/20, 10/20, mean 3/8; town: 1/2, 1/2, 0, 0, mean 1/4
    score = CertaintyPenalty().compare(DATA, release())
    assert score.detail == {"age": pytest.approx(3 / 8), "town": pytest.approx(1 / 4)}
    assert score.value == pytest.approx(5 / 16)


def test_labels_count_leaves_that_the_data_lack() -> None:
    # north covers 2 of the tree's 4 towns: 1/3 twice; twenties and older cover 2 of 4 ages: 1/3 throughout
    score = CertaintyPenalty(tree={"town": TOWNS, "age": AGES}).compare(DATA, release())
    assert score.detail == {"age": pytest.approx(1 / 3), "town": pytest.approx(1 / 6)}


def test_a_deleted_record_counts_1_a_cell() -> None:
    gone = release((True, False, False, False))
    # age: 1, 1/4, 1/2, 1/2; town: 1, 1/2, 0, 0
    assert CertaintyPenalty().compare(DATA, gone).value == pytest.approx((2.25 / 4 + 1.5 / 4) / 2)
    # age: 1, 1/3, 1/3, 1/3; town: 1, 1/3, 0, 0
    trees = CertaintyPenalty(tree={"town": TOWNS, "age": AGES}).compare(DATA, gone)
    assert trees.value == pytest.approx((2 / 4 + 4 / 3 / 4) / 2)


def test_a_value_that_is_no_leaf_is_named() -> None:
    with pytest.raises(ParameterError, match=r"tree of town must have every value of the data as a leaf.*'c'"):
        CertaintyPenalty(tree={"town": Tree.flat(["a", "b"])}).compare(DATA, release())


def test_without_keys_there_is_nothing_to_measure() -> None:
    with pytest.raises(ParameterError, match="column"):
        CertaintyPenalty(keys=("height",)).compare(DATA, release())
