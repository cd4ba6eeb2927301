"""A cut must hold for every safe pattern, whatever its multipliers; else the bound would lie."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.sparse import csr_array
from tests.tables.instances import KINDS, grid, instance
from tests.tables.oracle import safe

from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.table import Status, Table
from sekisho.tables.solvers.exact_solution import Ratios
from sekisho.tables.suppress.cuts import FINE, Cut, Cutter, Multipliers
from sekisho.tables.suppress.master import Master
from sekisho.tables.suppress.separation import Separator


def line() -> Table:
    """Cells Total = 43, a = 3 (primary), b = 40; the attacker knows that no cell is more than 5 above its value."""
    table = from_inner([Dimension.flat("v", ["a", "b"])], [("a",), ("b",)], np.array([3.0, 40.0]))
    return replace(table, upper=table.value + 5)


def unproven() -> None:
    """Prove nothing."""


ONE = Multipliers(rows=np.array([0]), values=np.array([1]), denominator=1)
LESS = Multipliers(rows=np.array([0]), values=np.array([-1]), denominator=1)


def test_cuts_by_hand() -> None:
    table = line()
    a = table.position[("a",)]
    mask = np.arange(3) == a
    # a = Total - b: up by at most 5 y_Total + 40 y_b, down by at most 43 y_Total + 5 y_b.
    up = Cutter(table.flag_cells(mask, upper=60.0)).cut(a, ONE, None)
    assert up is not None
    assert up.cells.tolist() == [0, 2]
    assert up.coefficients == pytest.approx([5 / 60, 40 / 60])
    down = Cutter(table.flag_cells(mask, lower=50.0)).cut(a, None, LESS)
    assert down is not None
    assert down.coefficients == pytest.approx([43 / 50, 5 / 50])
    # The width is the sum of both; coefficients stop at what is needed.
    both = Cutter(table.flag_cells(mask, sliding=46.0)).cut(a, ONE, LESS)
    assert both is not None
    assert both.coefficients == pytest.approx([1.0, 45 / 46])
    assert both.value(np.array([0.0, 1.0, 1.0])) == pytest.approx(45 / 46)


def test_what_is_hidden_anyway_is_taken_off() -> None:
    table = line()
    status = np.array([Status.SECONDARY, Status.SAFE, Status.SAFE], dtype=np.int8)
    hidden = replace(table, status=status).flag_cells(np.arange(3) == 1, upper=25.0)
    cut = Cutter(hidden).cut(1, ONE, None)
    assert cut is not None
    # 25 - 5 by the total = 20 are left, and b alone gives 40.
    assert (cut.cells.tolist(), cut.coefficients.tolist()) == ([2], [1.0])
    assert Cutter(replace(hidden, upper_level=np.array([0, 5.0, 0]))).cut(1, ONE, None) is None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [0, 3])
def test_no_multipliers_cut_off_a_safe_pattern(kind: str, seed: int) -> None:
    table = instance(kind, seed)
    rng = np.random.default_rng(seed)
    free = np.flatnonzero(table.status == Status.SAFE)[:7]
    patterns = list[np.ndarray[tuple[int], np.dtype[np.float64]]]()
    for chosen in product([False, True], repeat=len(free)):
        hidden = table.suppressed.copy()
        hidden[free] = chosen
        if safe(table, hidden):
            patterns.append(hidden.astype(np.float64))
    cutter = Cutter(table)
    primaries = np.flatnonzero(table.primary).tolist()
    for _ in range(60):
        up, down = (Multipliers.of(rng.integers(-2, 3, table.matrix.shape[0]) / 2, unproven) for _ in range(2))
        for cell in primaries:
            for sides in ((up, None), (None, down), (up, down)):
                cut = cutter.cut(cell, *sides)
                both = () if cut is None else (cut, cut.counting())
                assert all(each is None or each.value(y) >= 1 - 1e-9 for each in both for y in patterns)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("seed", "lean"), [(0, True), (3, True), (3, False)])
def test_the_separation_cuts_off_every_unsafe_pattern_and_no_safe_one(kind: str, seed: int, *, lean: bool) -> None:
    table = instance(kind, seed)
    rng = np.random.default_rng(seed)
    separator = Separator(table, lean=lean)
    free = np.flatnonzero(table.status == Status.SAFE)[:6]
    patterns = np.tile(table.suppressed.astype(np.float64), (2 ** len(free), 1))
    patterns[:, free] = list(product([0.0, 1.0], repeat=len(free)))
    protected = np.array([safe(table, each > 0) for each in patterns])
    for point, is_safe in zip(patterns, protected.tolist(), strict=True):
        assert (separator.cuts(point, limit=50) == []) == is_safe
    for point in [*patterns, *rng.random((20, len(table)))]:
        for cut in separator.cuts(point, limit=50):
            assert cut.value(point) < 1
            assert all(cut.value(each) >= 1 - 1e-9 for each in patterns[protected])


def test_cells_that_a_pattern_leaves_out_weigh_little_in_its_lean_cuts() -> None:
    rng = np.random.default_rng(0)
    table = grid((5, 5, 5), rng, high=90)
    flagged = table.flag_cells((table.value > 0) & (table.value < 9), sliding=10.0)
    pattern = (rng.random(len(table)) < 0.2).astype(np.float64)
    lean, careless = (Separator(flagged, lean=each).cuts(pattern, limit=1000) for each in (True, False))
    by_lean, by_careless = ({cut.primary for cut in cuts} for cuts in (lean, careless))
    assert by_lean == by_careless
    assert np.mean([cut.coefficients.sum() for cut in lean]) < 0.7 * np.mean([c.coefficients.sum() for c in careless])


def weighing(*coefficients: float) -> Cut:
    return Cut(cells=np.arange(len(coefficients)), coefficients=np.array(coefficients), primary=0, up=None, down=None)


@pytest.mark.parametrize(
    ("coefficients", "counted"),
    [
        # 0.7 + 0.4 reach 1: two of the three small ones, or the one that does alone
        ((0.7, 0.4, 0.4, 1.0), [0.5, 0.5, 0.5, 1.0]),
        # 0.5 + 0.5 just reach 1, so two; no coefficient falls
        ((0.5, 0.5), None),
        # 0.4 + 0.4 do not: three
        ((0.4, 0.4, 0.4), [1 / 3, 1 / 3, 1 / 3]),
        # all small ones together do not: they do not count
        ((0.3, 0.3, 1.0), [1.0]),
        ((1.0, 1.0), None),
        # nothing does: there is no such pattern, and the cut says so as it is
        ((0.3, 0.3), None),
    ],
)
def test_counted_cuts_by_hand(coefficients: tuple[float, ...], counted: list[float] | None) -> None:
    found = weighing(*coefficients).counting()
    assert (None if found is None else found.coefficients.tolist()) == counted


@pytest.mark.parametrize("seed", range(30))
def test_a_counted_cut_cuts_off_no_whole_pattern(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cut = weighing(*np.clip(rng.uniform(0.05, 1.3, 7), 0, 1).tolist())
    found = cut.counting()
    if found is not None:
        for y in product([0.0, 1.0], repeat=7):
            assert found.value(np.array(y)) >= 1 - 1e-9 or cut.value(np.array(y)) < 1


def test_multipliers_become_whole_numbers() -> None:
    found = Multipliers.of(np.array([0.5, 0.0, -1 / 3, 1e-12]), unproven)
    assert (found.rows.tolist(), found.values.tolist(), found.denominator) == ([0, 2], [3, -2], 6)
    rough = Multipliers.of(np.array([np.pi]), unproven)
    assert rough.values[0] / rough.denominator == pytest.approx(np.pi, abs=1e-6)


def test_multipliers_are_as_proven_where_no_small_denominator_fits() -> None:
    seventh = (np.array([4, 9]), Ratios(numbers=(22, 0), denominator=7))
    found = Multipliers.of(np.array([np.pi]), lambda: seventh)
    assert (found.rows.tolist(), found.values.tolist(), found.denominator) == ([4], [22], 7)
    vast = (np.array([4]), Ratios(numbers=(1 << 60,), denominator=7))
    assert Multipliers.of(np.array([np.pi]), lambda: vast).denominator == FINE


def test_every_exposed_primary_of_a_three_way_table_has_a_violated_cut() -> None:
    """With infinite bounds a rounded multiplier says nothing: the exact ones of the corner do."""
    rng = np.random.default_rng(0)
    small = rng.random((14, 14, 14)) < 0.1
    table = grid((14, 14, 14), rng, high=90)
    inner = np.array(["Total" not in key for key in table.keys])
    mask = np.zeros(len(table), dtype=np.bool_)
    mask[np.flatnonzero(inner)[small.ravel()]] = True
    separator = Separator(table.flag_cells(mask, sliding=10.0))
    master = Master(table.weight, separator.cutter.free)
    master.add(separator.start())
    found = separator.cuts(master.relaxed().x, limit=1000)
    assert len({cut.primary for cut in found}) > 0.9 * mask.sum()


def test_multiples_of_equations_add_up_beyond_64_binary_digits() -> None:
    # 2**19 a = 2**19 b, taken 2**45 times: in 64 binary digits both coefficients, 2**64 and -2**64, would be 0, and the
    # cut say that nothing but a itself moves a. Rightly d_a = (1 - 2**64) d_a + 2**64 d_b, and what a can lose alone is
    # more than its level.
    table = replace(line(), matrix=csr_array(np.array([[-(2.0**19), 2.0**19, 2.0**19]])))
    a = table.position[("a",)]
    many = Multipliers(rows=np.array([0]), values=np.array([2**45]), denominator=1)
    assert Cutter(table.flag_cells(np.arange(3) == a, upper=60.0)).cut(a, many, None) is None
