"""A table with given margins: exact where that can be, none where there is none."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from sekisho.tables.model.linked.joint import Filling, fill_margins


def test_margins_are_filled_in_whole_numbers_where_that_can_be() -> None:
    rows = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])
    kind, x = fill_margins(csr_array(rows), np.array([3.25, 2.5]))
    assert kind is Filling.EXACT
    assert x is not None
    assert (rows @ x).tolist() == [3.25, 2.5]
    assert (x >= 0).all()


def test_a_fractional_corner_is_taken_where_there_is_no_whole_table() -> None:
    # every two of three cells make 1: each is a half
    kind, x = fill_margins(csr_array(1.0 - np.eye(3)), np.ones(3))
    assert kind is Filling.CLOSE
    assert x is not None
    assert x == pytest.approx([0.5, 0.5, 0.5])


def test_margins_that_no_table_has() -> None:
    assert fill_margins(csr_array([[1.0, 1.0], [1.0, 1.0]]), np.array([1.0, 2.0])) == (Filling.NONE, None)
    # with so many digits the difference may be rounding: nothing is refused for it
    off = np.array([1 / 3, 1 / 3 + 1e-5])
    assert fill_margins(csr_array([[1.0, 1.0], [1.0, 1.0]]), off) == (Filling.ROUNDED, None)
