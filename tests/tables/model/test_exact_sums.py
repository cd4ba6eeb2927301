"""A sum is published as the sum: whatever digits the data do not have must not be in it, for they tell of hidden parts."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import fsum
from pathlib import Path
from random import Random

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.laws import try_examples

from sekisho.data.engines.engine import Engine, EngineChoice
from sekisho.errors import FaultsError
from sekisho.tables.files.cells import CellFile
from sekisho.tables.files.pattern import public_frame
from sekisho.tables.files.records import RecordSource
from sekisho.tables.files.scanned_records import read_large_table
from sekisho.tables.model.exact_sums import choose_decimals, count_decimals, settle_unit
from sekisho.tables.model.geometry import Dimension
from sekisho.tables.model.linked.populations import declare_populations
from sekisho.tables.model.margins import Margins
from sekisho.tables.model.table import Table
from sekisho.tables.model.tabulate import Tabulation

ENGINES = (EngineChoice(engine=Engine.POLARS), EngineChoice(engine=Engine.DUCKDB))
CODES = (("x", "y", "z"), ("p", "q"))
PLAIN = Margins(categories={"a": CODES[0], "b": CODES[1]})  # equal numbers look like margins


@st.composite
def decimals(draw: st.DrawFn, count: int) -> list[Decimal]:
    """Numbers of one unit, each of at most 13 digits: sums of a hundred have 15."""
    places = draw(st.integers(0, 6))
    digits = st.integers(-(10**13) + 1, 10**13 - 1)
    small = st.integers(-999, 999)
    return [Decimal(draw(digits | small)).scaleb(-places) for _ in range(count)]


def sum_up(rows: list[tuple[tuple[str, str], Decimal]]) -> dict[tuple[str, str], Fraction]:
    """Every cell's sum, in fractions."""
    sums = {key: Fraction(0) for key in product((*CODES[0], "Total"), (*CODES[1], "Total"))}
    for (a, b), number in rows:
        for key in product((a, "Total"), (b, "Total")):
            sums[key] += Fraction(number)
    return sums


def check_written(table: Table, sums: dict[tuple[str, str], Fraction], places: int) -> None:
    for a, b, text in public_frame(table).iter_rows():
        assert Fraction(text) == sums[a, b]
        assert len(text.partition(".")[2]) <= places


def count_places(numbers: list[Decimal]) -> int:
    return max(-int(number.normalize().as_tuple().exponent) for number in numbers)


@given(decimals(6))
@example([Decimal(text) for text in ("0.1", "0.2", "6.28", "0.3", "0.7", "1.1")])
@example([Decimal(text) for text in ("0.000001", "0", "0", "0", "0", "0")])
def test_margins_are_added_exactly(numbers: list[Decimal]) -> None:
    rows = list(zip(product(*CODES), numbers, strict=True))
    frame = pl.DataFrame([(*key, str(number)) for key, number in rows], schema=["a", "b", "v"], orient="row")
    table = CellFile(dims=("a", "b"), value="v", counts=False, margins=PLAIN).table(frame)
    check_written(table, sum_up(rows), max(0, count_places(numbers)))


@given(decimals(6))
def test_margins_that_a_program_added_up_as_floats_are_the_sums(numbers: list[Decimal]) -> None:
    rows = list(zip(product(*CODES), numbers, strict=True))
    floats = dict.fromkeys(sum_up(rows), 0.0)
    for (a, b), number in rows:
        for key in product((a, "Total"), (b, "Total")):
            floats[key] += float(number)
    frame = pl.DataFrame([(*key, number) for key, number in floats.items()], schema=["a", "b", "v"], orient="row")
    table = CellFile(dims=("a", "b"), value="v", counts=False, margins=PLAIN).table(frame)
    check_written(table, sum_up(rows), max(0, count_places(numbers)))


@given(st.data(), st.integers(1, 40))
def test_records_are_added_exactly(data: st.DataObject, count: int) -> None:
    numbers = data.draw(decimals(count))
    keys = data.draw(st.lists(st.sampled_from(list(product(*CODES))), min_size=count, max_size=count))
    rows = list(zip(keys, numbers, strict=True))
    frame = pl.DataFrame([(*key, float(number)) for key, number in rows], schema=["a", "b", "v"], orient="row")
    dimensions = tuple(Dimension.flat(name, codes) for name, codes in zip("ab", CODES, strict=True))
    table = Tabulation(dimensions=dimensions, value="v").table(frame)
    check_written(table, sum_up(rows), max(0, count_places(numbers)))


@try_examples(8, share_fixtures=True)
@given(decimals(30), st.sampled_from(["csv", "parquet"]))
@example([Decimal("0.0001"), Decimal("999999999.9999")], "csv")  # polars divides by multiplying
def test_engines_add_exactly(tmp_path: Path, numbers: list[Decimal], ending: str) -> None:
    keys = list(product(*CODES))
    rows = [(keys[at % 5], number) for at, number in enumerate(numbers)] + [(key, Decimal(0)) for key in keys]
    path = tmp_path / f"rows.{ending}"
    texts = pl.DataFrame([(*key, str(number)) for key, number in rows], schema=["a", "b", "v"], orient="row")
    if ending == "csv":
        texts.write_csv(path)
    else:
        texts.with_columns(pl.col("v").cast(pl.Float64)).write_parquet(path)
    micro = RecordSource(dims=("a", "b"), value="v")
    for choice in ENGINES:
        check_written(read_large_table(micro, path, choice).table, sum_up(rows), max(0, count_places(numbers)))


@given(decimals(8))
def test_differences_of_populations_are_exact(numbers: list[Decimal]) -> None:
    def make(parts: list[Decimal]) -> Table:
        rows = [("x", parts[0]), ("y", parts[1]), ("z", parts[2]), ("w", parts[3])]
        frame = pl.DataFrame([(key, str(abs(number))) for key, number in rows], schema=["a", "v"], orient="row")
        codes = ("x", "y", "z", "w")
        dimension = Dimension.flat("a", codes)
        return Tabulation(dimensions=(dimension,), value="v").table(frame)

    whole, part = make([abs(a) + abs(b) for a, b in zip(numbers[:4], numbers[4:], strict=True)]), make(numbers[4:])
    populations = declare_populations({"all": whole, "part": part})
    left = populations.subtract(populations.differences[0])
    for cell, number in zip(("x", "y", "z", "w"), numbers[:4], strict=True):
        assert Fraction(repr(float(left.value[left.position[(cell,)]]))) == Fraction(abs(number))


def test_a_sum_with_a_rounding_error_is_written_without_it() -> None:
    # 0.1 + 0.2 + 6.58 as floats is 6.88 with an error in the last digit; nothing of it may be seen.
    noisy = np.array([0.1, 0.2, 6.58, 0.1 + 0.2 + 6.58 - 1e-15, 1234567890123.45 + 2.5e-4])
    assert [repr(number) for number in settle_unit(noisy).tolist()] == [
        "0.1",
        "0.2",
        "6.58",
        "6.88",
        "1234567890123.45",
    ]
    assert count_decimals(np.array([123456789.000001, 0.0])) == 6  # written so: no error is behind it
    assert count_decimals(np.array([1 / 3])) is None
    assert count_decimals(np.array([0.123456789])) == 9
    assert count_decimals(np.array([2.0**53 - 1, -3.0, np.inf, np.nan])) == 0


def test_sums_of_too_many_digits_are_refused_and_those_of_weights_rounded() -> None:
    with pytest.raises(FaultsError, match="more than 15 digits are not exact; round the numbers to 5 decimals"):
        choose_decimals(np.array([1234567890.123456, 1.5]))
    assert choose_decimals(np.array([123456.25, 1e9]), np.array([1.234567, 1.0])) == 5
    assert choose_decimals(np.array([1.25]), np.array([1.5])) == 3
    assert choose_decimals(np.array([1 / 3, 100.0])) == 12


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30), st.randoms())
def test_sums_of_numbers_without_a_unit_do_not_tell_their_order(numbers: list[float], chance: Random) -> None:
    frame = pl.DataFrame({"a": ["x"] * len(numbers), "v": numbers})
    other = pl.DataFrame({"a": ["x"] * len(numbers), "v": chance.sample(numbers, len(numbers))})
    tabulation = Tabulation(dimensions=(Dimension.flat("a", ["x"]),), value="v")
    sums = [float(tabulation.table(each).value[0]) for each in (frame, other)]
    assert sums[0] == sums[1] == pytest.approx(fsum(numbers), rel=1e-12, abs=1e-8)
