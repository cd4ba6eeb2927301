"""A code that adds up like a margin must be found in any table, and a category only where it adds up."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sekisho.errors import FaultsError
from sekisho.tables.files.cells import CellFile
from sekisho.tables.model.lookalikes import rounding_unit
from sekisho.tables.model.margins import Margins

Cells = dict[tuple[str, ...], float]


def suspects(cells: Cells, *, counts: bool = True, margins: Margins | None = None) -> set[tuple[str, str]]:
    """The codes that a file of these cells is refused for; dimensions are a, b, c."""
    dims = "abc"[: len(next(iter(cells)))]
    frame = pl.DataFrame([(*key, value) for key, value in cells.items()], schema=[*dims, "n"], orient="row")
    try:
        CellFile(dims=tuple(dims), value="n", counts=counts, margins=margins or Margins()).table(frame)
    except FaultsError as error:
        return {(fault.column, fault.value) for fault in error.faults if fault.rule == "margin"}
    return set()


def slow(cells: Cells) -> set[tuple[str, str]]:
    """The same for complete tables, as it is said: in every line the code's cell is the sum of the others."""
    found: set[tuple[str, str]] = set()
    width = len(next(iter(cells)))
    codes = [sorted({key[axis] for key in cells}) for axis in range(width)]
    for axis in range(width):
        lines = list(product(*(codes[other] for other in range(width) if other != axis)))
        for code in codes[axis]:
            own = [cells[(*line[:axis], code, *line[axis:])] for line in lines]
            rest = [
                sum(cells[(*line[:axis], other, *line[axis:])] for other in codes[axis] if other != code)
                for line in lines
            ]
            if own == rest and any(own):
                found.add(("abc"[axis], code))
    return found


def with_margins(cells: Cells, axes: tuple[int, ...]) -> Cells:
    """The cells and their sums along some dimensions, under the code g."""
    out = dict(cells)
    for axis in axes:
        for key, value in list(out.items()):
            there = (*key[:axis], "g", *key[axis + 1 :])
            out[there] = out.get(there, 0) + value
    return out


@st.composite
def tables(draw: st.DrawFn, *, most: int = 6) -> Cells:
    shape = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    keys = list(product(*("xyz"[:size] for size in shape)))
    return dict(zip(keys, draw(st.lists(st.integers(0, most), min_size=len(keys), max_size=len(keys))), strict=True))


@given(tables(most=2))
def test_complete_tables_as_the_slow_check_has_it(cells: Cells) -> None:
    assert suspects(cells) == slow(cells)


@given(tables(), st.data())
def test_margins_are_found_whatever_dimensions_have_them(cells: Cells, data: st.DataObject) -> None:
    assume(any(cells.values()))
    width = len(next(iter(cells)))
    axes = data.draw(st.sets(st.integers(0, width - 1), min_size=1))
    full = with_margins(cells, tuple(axes))
    hit = suspects(full)
    assert {("abc"[axis], "g") for axis in axes} <= hit
    assert hit == slow(full)
    # Cells of 0 may be left out of a file without margins that are called so, and the grand total of a file may be
    # missing.
    sparse = {key: value for key, value in full.items() if value or data.draw(st.booleans())}
    assert {("abc"[axis], "g") for axis in axes} <= suspects(sparse)


def test_a_grand_total_that_is_missing_hides_nothing() -> None:
    cells = with_margins({("x", "p"): 2, ("x", "q"): 40, ("y", "p"): 30, ("y", "q"): 51}, (0, 1))
    del cells["g", "g"]
    assert suspects(cells) == {("a", "g"), ("b", "g")}


def test_a_grand_total_alone_and_one_way_margins_are_found() -> None:
    inner: Cells = {("x", "p"): 2, ("x", "q"): 40, ("y", "p"): 30, ("y", "q"): 51}
    assert suspects({**inner, ("g", "h"): 123}) == {("a", "g"), ("b", "h")}
    assert suspects({**inner, ("g", "h"): 124}) == set()
    cube: Cells = {(*key, c): n + at for key, n in inner.items() for at, c in enumerate("uv")}
    full = with_margins(cube, (0, 1, 2))
    # Three-way cells and the margins of one dimension at a time.
    few = {key: n for key, n in full.items() if key.count("g") in (0, 2, 3)}
    assert suspects(few) == {("a", "g"), ("b", "g"), ("c", "g")}
    # Pairs of sums for each code of the third dimension.
    pairs = {key: n for key, n in full.items() if key[2] != "g" and key[:2].count("g") in (0, 2)}
    assert suspects(pairs) == {("a", "g"), ("b", "g")}
    # The same where the third dimension has a margin that is known.
    known = {(*key[:2], key[2].replace("g", "Total")): n for key, n in full.items() if key[:2].count("g") in (0, 2)}
    assert suspects(known) == {("a", "g"), ("b", "g")}


def test_a_code_with_few_cells_is_no_margin_in_a_list_without_zeros() -> None:
    # y is as large as x in its only cell, but it has none beside x and z in the columns q and r, where a margin would
    # have one; most combinations are left out, so that such lines come by chance.
    cells: Cells = {("x", "p"): 3, ("y", "p"): 3, ("x", "q"): 5, ("z", "q"): 2, ("z", "r"): 4, ("v", "s"): 1}
    assert suspects(cells) == set()
    assert suspects({("x", "p"): 3, ("y", "p"): 3}) == {("a", "x"), ("a", "y")}
    # Where most combinations are there it may be a margin whose other rows were lost, and is asked.
    full: Cells = {("x", "p"): 3, ("y", "p"): 3, ("x", "q"): 5, ("z", "q"): 2, ("z", "r"): 4}
    assert suspects(full) == {("a", "x"), ("a", "y")}
    # Sums of thousands are not met by chance, however few cells there are.
    large = {key: 1000.0 + number for key, number in cells.items()}
    large |= {("g", "q"): large["x", "q"] + large["z", "q"], ("g", "p"): large["x", "p"] + large["y", "p"]}
    assert suspects({**large, ("w", "t"): 1777.0}) == {("a", "g")}


def test_a_margin_beside_one_that_is_known() -> None:
    cells = with_margins({("x", "p"): 2, ("x", "q"): 40, ("y", "p"): 30, ("y", "q"): 51}, (0, 1))
    mixed = {("Total" if key[0] == "g" else key[0], key[1]): n for key, n in cells.items()}
    assert suspects(mixed) == {("b", "g")}
    # Both a margin's name and a second margin in one dimension: 総数 = x + y and Total = x + y + 総数.
    double: Cells = {("x",): 3, ("y",): 4, ("gg",): 7, ("Total",): 14}
    assert suspects(double) == {("a", "gg")}


# One line only: whatever is equal to the sum of the others may be its margin, and it costs one option to say that it is
# not.
ONE_LINE: dict[str, tuple[Cells, set[tuple[str, str]]]] = {
    "one code": ({("x",): 3}, set()),
    "two equal codes": ({("x",): 3, ("y",): 3}, {("a", "x"), ("a", "y")}),
    "two codes": ({("x",): 3, ("y",): 4}, set()),
    "three codes": ({("x",): 3, ("y",): 4, ("z",): 7}, {("a", "z")}),
    "nothing but zeros": ({("x",): 0, ("y",): 0}, set()),
    "a code of zeros": ({("x",): 0, ("y",): 3, ("z",): 4}, set()),
}


@pytest.mark.parametrize("case", ONE_LINE)
def test_tables_of_one_line(case: str) -> None:
    cells, expected = ONE_LINE[case]
    assert suspects(cells) == expected
    told = Margins(categories={"a": tuple(code for _, code in expected)})
    assert suspects(cells, margins=told) == set()


def test_what_is_said_of_one_code_says_nothing_of_another() -> None:
    assert suspects({("x",): 3, ("y",): 3}, margins=Margins(categories={"a": ("x",)})) == {("a", "y")}


def test_rounded_sums_are_margins_too() -> None:
    # 120.4 + 333.3 + 250.4 = 704.1, published as 704.2 from unrounded parts; the second line misses by as much
    # downwards.
    cells: Cells = {("x", "p"): 120.4, ("y", "p"): 333.3, ("z", "p"): 250.4, ("g", "p"): 704.2}
    cells |= {("x", "q"): 11.1, ("y", "q"): 22.2, ("z", "q"): 33.3, ("g", "q"): 66.5}
    assert suspects(cells, counts=False) == {("a", "g")}
    # Four cells are rounded by at most 0.05 each: 0.2. A miss of 0.3 is no rounding.
    assert suspects({**cells, ("g", "q"): 66.9}, counts=False) == set()
    # Counts are not rounded; small sums are not large beside their rounding.
    whole = {key: float(round(10 * value)) for key, value in cells.items()}
    assert suspects(whole) == set()
    assert suspects(whole, counts=False) == {("a", "g")}
    assert suspects({("x",): 3.0, ("y",): 4.0, ("z",): 8.0}, counts=False) == set()


def test_the_last_digit_of_numbers() -> None:
    assert rounding_unit(np.array([3.0, 40.0])) == 1
    assert rounding_unit(np.array([3.25, 40.5])) == 0.01
    assert rounding_unit(np.array([1 / 3])) == 0
