"""A correlation must be Pearson's, and be called significant from the tabulated value on."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import pearsonr

from sekisho.errors import ParameterError
from sekisho.utility.pearson import compute_correlation, compute_critical_value

numbers = st.floats(-1e6, 1e6).map(lambda value: round(value, 3))


def test_the_reports_critical_value() -> None:
    value = compute_critical_value(13)
    assert value == pytest.approx(0.5529, abs=5e-5)


@given(st.integers(3, 40), st.sampled_from([0.01, 0.05, 0.1]))
def test_the_critical_value_has_exactly_the_level_as_its_p_value(size: int, level: float) -> None:
    # Two columns with a chosen correlation r: y = r x + sqrt(1 - r^2) z for x, z centred, orthogonal, of length 1.
    critical = compute_critical_value(size, level)
    assert critical is not None
    basis = np.linalg.qr(np.vander(np.arange(float(size)), 3, increasing=True))[0]
    x, z = basis[:, 1], basis[:, 2]
    result = pearsonr(x, critical * x + np.sqrt(1 - critical**2) * z)
    assert float(result.pvalue) == pytest.approx(level, rel=1e-6)


@given(st.lists(st.tuples(numbers, numbers), min_size=3, max_size=20))
def test_r_is_scipys(pairs: list[tuple[float, float]]) -> None:
    x, y = (np.array(column) for column in zip(*pairs, strict=True))
    r = compute_correlation(x, y)
    if np.ptp(x) < 1e-2 or np.ptp(y) < 1e-2:
        return
    assert r == pytest.approx(float(pearsonr(x, y).statistic), abs=1e-9)


def test_what_never_changes_correlates_with_nothing() -> None:
    assert compute_correlation(np.ones(4), np.arange(4.0)) is None
    assert compute_correlation(np.arange(1.0), np.arange(1.0)) is None
    assert compute_critical_value(2) is None


def test_report_table_6() -> None:
    # Columns of table 6 of the report: utility against the three similarity matrices; the printed r are 0.877, 0.949,
    # 0.594.
    utility = [0.193, 0.206, 0.206, 0.206, 0.209, 0.255, 0.262, 0.277, 0.294, 0.365, 0.430, 0.457, 0.476]
    wholesale = [0.655, 0.726, 0.726, 0.725, 0.773, 0.723, 0.763, 0.794, 0.805, 0.896, 0.865, 0.864, 0.864]
    retail = [0.759, 0.785, 0.785, 0.785, 0.796, 0.782, 0.802, 0.820, 0.818, 0.885, 0.882, 0.879, 0.885]
    top = [0.212, 0.221, 0.220, 0.220, 0.225, 0.223, 0.239, 0.238, 0.248, 0.261, 0.271, 0.295, 0.207]
    for column, printed in ((wholesale, 0.877), (retail, 0.949), (top, 0.594)):
        assert compute_correlation(np.array(utility), np.array(column)) == pytest.approx(printed, abs=0.02)


def test_impossible_questions_are_refused() -> None:
    with pytest.raises(ParameterError, match="level"):
        compute_critical_value(13, 1.0)
    with pytest.raises(ParameterError, match="y must have the 2 values of x"):
        compute_correlation(np.ones(2), np.ones(3))
