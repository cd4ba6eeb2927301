"""A perturbation table must say as little as its mean, variance and largest change allow, in chances that are exact."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from tests.tables.perturb.sample_rows import SAMPLES

from sekisho.errors import FaultsError, InfeasibleError, ParameterError
from sekisho.tables.perturb.entropy import RowQuestion, measure_entropy
from sekisho.tables.perturb.noise_file import read_noise, write_noise
from sekisho.tables.perturb.rows import UNIT, NoisePlan, NoiseRow, NoiseTable, VarianceCare


def test_published_rows(shared: Callable[[str], Path]) -> None:
    """The sample tables of τ-ARGUS and the rows of ptable's vignette, to the unit in which chances are kept."""
    cases = json.loads(shared("tables/beyond/perturbation-tables.json").read_text())["cases"]
    for case in cases:
        plan = NoisePlan(
            most=case["D"],
            variance=Fraction(str(case["V"])),
            threshold=case["js"],
            stay=Fraction(str(case["stay"])),
            care=VarianceCare.EQUAL if case["variance"] == "equal" else VarianceCare.REACH,
        )
        row = plan.make_row(case["i"])
        assert list(row.targets) == case["j"], case["id"]
        assert np.allclose(np.array(row.units) / UNIT, case["p"], rtol=0, atol=1.1e-8), case["id"]
        assert float(row.variance) == pytest.approx(case["variance_reached"], abs=1e-6), case["id"]
    assert len(cases) == 30


def test_all_rows_of_the_sample_tables() -> None:
    """All 26 rows as τ-ARGUS prints them, within the tolerance of the page (one unit more where ours are rounded)."""
    assert sum(len(sample.rows) for sample in SAMPLES) == 26
    for sample in SAMPLES:
        for i, chances in enumerate(sample.rows, 1):
            care = VarianceCare.EQUAL if i in sample.forced else VarianceCare.AT_MOST
            plan = NoisePlan(
                most=sample.most,
                variance=Fraction(sample.variance),
                threshold=2,
                stay=Fraction(sample.stay),
                care=care,
            )
            row = plan.make_row(i)
            assert row.targets == (
                *([0] if i <= sample.most else []),
                *range(max(3, i - sample.most), i + sample.most + 1),
            )
            error = np.abs(np.array(row.units) / UNIT - np.array(chances)).max()
            assert error <= sample.tolerance, (sample.most, sample.variance, i, error)


def test_a_row_by_hand() -> None:
    # js = 1, D = 2, row 1: only -1, +1, +2 may be added; sum 1, mean 0, variance 1.08 leave one solution:
    # a = b + 2c, a + b + c = 1, a + b + 4c = 1.08: c = 2/75, b = 23/50, a = 77/150
    row = NoisePlan(most=2, variance=Fraction("1.08"), threshold=1).make_row(1)
    assert row.targets == (0, 2, 3)
    assert row.units == (51333333, 46000000, 2666667)


def test_the_border_of_what_is_possible() -> None:
    # js = 2: -1 and +2 have mean 0 at variance 2 and no less
    with pytest.raises(InfeasibleError, match="row 1: no noise has a variance below 2"):
        NoisePlan(most=5, variance=Fraction("1.99"), threshold=2).make_table()
    row = NoisePlan(most=5, variance=Fraction(2), threshold=2).make_row(1)
    assert row.units == (66666667, 33333333, 0, 0, 0)
    with pytest.raises(InfeasibleError, match="above"):
        NoisePlan(most=2, variance=Fraction(4), care=VarianceCare.EQUAL).make_table()


def test_a_variance_that_the_order_forbids_is_told_and_can_be_forced() -> None:
    plan = NoisePlan(most=2, variance=Fraction(1))
    assert [plan.reaches(row) for row in plan.make_table().rows[1:]] == [False, True]
    forced = NoisePlan(most=2, variance=Fraction(1), care=VarianceCare.EQUAL).make_row(1)
    assert forced.units == (37500000, 37500000, 12500000, 12500000)  # the only one: 3/8, 3/8, 1/8, 1/8


def enumerate_ties(question: RowQuestion) -> float:
    """Return the greatest entropy by trying every set of ties, not only the runs that a proof leaves."""
    best = -np.inf
    last = max(0, question.ordered - 1)
    for ties in product((False, True), repeat=last):
        block = np.concatenate([[0], np.cumsum([*(not tie for tie in ties), *[True] * len(question.targets)])])
        for stay, bound in product((False, True), (False, True)):
            chances = fit_blocks(question, block[: len(question.targets)], stay=stay, bound=bound)
            if chances is not None and question.holds(chances):
                best = max(best, measure_entropy(chances))
    return best


def fit_blocks(question: RowQuestion, block: np.ndarray, *, stay: bool, bound: bool) -> np.ndarray | None:
    steps, sizes = question.steps, np.bincount(block).astype(float)
    means, squares = np.bincount(block, steps) / sizes, np.bincount(block, steps**2) / sizes
    held = np.zeros(len(sizes))
    if stay and question.ordered:
        held[block[question.ordered - 1]] = question.stay * sizes[block[question.ordered - 1]]
    free, rest = held == 0, 1 - held.sum()
    if not free.any() or rest <= 0:
        return None
    points = np.column_stack([means, squares])[free][:, : 2 if bound else 1]
    wanted = np.array([-(held @ means), question.variance - held @ squares])[: 2 if bound else 1] / rest

    def dual(at: np.ndarray) -> float:
        powers = np.log(sizes[free]) + points @ at
        return float(powers.max() + np.log(np.exp(powers - powers.max()).sum()) - at @ wanted)

    at = minimize(dual, np.zeros(points.shape[1]), method="BFGS", options={"gtol": 1e-12}).x
    powers = np.log(sizes[free]) + points @ at
    share = np.exp(powers - powers.max())
    share /= share.sum()
    if np.abs(share @ points - wanted).max() > 1e-6:
        return None
    held[free] = share * rest
    return (held / sizes)[block]


@pytest.mark.parametrize(
    ("most", "variance", "threshold", "stay", "count"),
    [(2, 1.0, 0, 0.0, 1), (3, 2.0, 0, 0.0, 1), (3, 0.7, 0, 0.6, 2), (4, 3.0, 1, 0.4, 3), (4, 5.0, 0, 0.3, 3)],
)
def test_other_ties_are_no_better(most: int, variance: float, threshold: int, stay: float, count: int) -> None:
    plan = NoisePlan(most=most, variance=Fraction(variance), threshold=threshold)
    question = RowQuestion(count=count, targets=plan.list_targets(count), variance=variance, stay=stay)
    assert measure_entropy(question.solve()) >= enumerate_ties(question) - 1e-6


@given(
    most=st.integers(1, 8),
    threshold=st.integers(0, 2),
    tenths=st.integers(5, 80),
    stay=st.sampled_from(["0", "0.3", "0.7"]),
)
def test_every_row_keeps_its_conditions(most: int, threshold: int, tenths: int, stay: str) -> None:
    if threshold >= most:
        return
    plan = NoisePlan(most=most, variance=Fraction(tenths, 10), threshold=threshold, stay=Fraction(stay))
    try:
        table = plan.make_table()
    except InfeasibleError:
        return
    for row in table.rows[1:]:
        assert sum(row.units) == UNIT
        assert abs(row.bias) < Fraction(1, 10**6)
        assert row.variance < plan.variance + Fraction(1, 10**5)
        left = [units for target, units in zip(row.targets, row.units, strict=True) if target <= row.count]
        assert row.count not in row.targets or all(b >= a - 1 for a, b in pairwise(left))
        assert row.count not in row.targets or row.stay >= plan.stay - Fraction(1, 10**7)
        assert not set(row.targets) & set(range(1, threshold + 1))
    last = table.rows[-1]
    assert [target - last.count for target in last.targets] == list(range(-most, most + 1))


def test_what_is_shown_for_a_key() -> None:
    table = NoisePlan(most=2, variance=Fraction(1)).make_table()
    # row 1: 0 below 0.36648551, 1 below 0.73297101, 2 below 0.90054348, else 3; the last row moves along
    places = np.array([0, 36648550, 36648551, 73297101, 90054348, UNIT - 1, 0, 50_000_000, UNIT - 1, UNIT - 1])
    counts = np.array([1, 1, 1, 1, 1, 1, 9, 9, 9, 0])
    assert table.show_counts(counts, places).tolist() == [0, 0, 1, 2, 3, 3, 7, 9, 11, 0]
    assert table.list_origins(0) == [0, 1, 2]
    assert table.list_origins(2) == [1, 2, 3, 4]  # a true 0 stays 0
    assert table.interval_of(9, 7) == (0, table.units_of(2, 0))
    with pytest.raises(ParameterError):
        table.show_counts(np.array([-1]), np.array([0]))


def test_files_of_perturbation_tables(tmp_path: Path) -> None:
    table = NoisePlan(most=2, variance=Fraction(1)).make_table()
    path = tmp_path / "P.csv"
    path.write_bytes(write_noise(table, path))
    assert read_noise(path) == table
    # as τ-ARGUS writes them: other names, floats, sums that are 1 to the last digit or nearly
    path.write_text("i;j;p_ij;v;p_ij_ub\n0;0;1;0;1\n1;0;0.3333333;-1;0.3333333\n1;1;6.666667E-01;0;1\n")
    assert [row.units for row in read_noise(path).rows] == [(UNIT,), (33333330, 66666670)]
    for text, what in (
        ("i,j,p\n0,0,1\n1,0,0.5\n1,1,0.4\n", "add up to 1"),
        ("i,j,p\n0,0,1\n2,0,0.5\n2,1,0.5\n", "each once"),
        ("i,j,p\n0,1,1\n1,1,1\n", "leave a true 0"),
        ("i,j,p\n0,0,1\n1,x,1\n", "two counts and a chance"),
        ("i,j,p\n0,0,1\n1,-1,1\n", "from 0 on"),
    ):
        path.write_text(text)
        with pytest.raises(FaultsError, match=what):
            read_noise(path)


def test_refused() -> None:
    for most, variance, threshold, stay in ((0, 1, 0, 0), (2, 0, 0, 0), (2, 1, 2, 0), (2, 1, 0, 1)):
        with pytest.raises(ParameterError):
            NoisePlan(most=most, variance=Fraction(variance), threshold=threshold, stay=Fraction(stay))
    with pytest.raises(ParameterError):
        NoiseRow(count=1, targets=(0, 1), units=(1, 1))
    with pytest.raises(ParameterError):
        NoiseTable(rows=(NoiseRow(count=0, targets=(0,), units=(UNIT,)),))
