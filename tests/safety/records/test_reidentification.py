"""Three adversaries, three chances: each as ARX's guide defines it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.safety.records.tables import released

from sekisho.errors import ParameterError
from sekisho.safety.records.reidentification import ProsecutorRisk, compute_reidentification


def by_record(classes: list[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.repeat(np.array(classes), classes)


def test_the_chances_of_three_classes() -> None:
    # f = 1, 2, 7 of 10 records in F = 2, 10, 20 people. Above 0.2: 1/1 and 1/2: 3 of 10 records; 1/2 only: 1 of 10.
    # prosecutor on average 3 classes / 10. Journalist: 3 / 32 = 0.094, or (1/2 + 2/10 + 7/20) / 10 = 0.105, the larger.
    sizes = by_record([1, 2, 7])
    fits = np.repeat([2, 10, 20], [1, 2, 7])
    found = compute_reidentification(sizes, fits)
    assert (found.prosecutor.at_risk, found.prosecutor.highest, found.prosecutor.average) == pytest.approx(
        (0.3, 1, 0.3)
    )
    assert (found.journalist.at_risk, found.journalist.highest) == pytest.approx((0.1, 0.5))
    assert found.journalist.average == found.marketer == pytest.approx(0.105)


@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(0, 30)), min_size=1, max_size=8), st.sampled_from([0.0, 0.2, 0.5])
)
def test_sums_over_records_are_those_over_classes(classes: list[tuple[int, int]], limit: float) -> None:
    pairs = [(size, size + more) for size, more in classes]
    rows = sum(size for size, _ in pairs)
    sizes, fits = (np.repeat([pair[side] for pair in pairs], [pair[0] for pair in pairs]) for side in (0, 1))
    found = compute_reidentification(sizes, fits, limit=limit)
    matched = sum(Fraction(size, people) for size, people in pairs) / rows
    assert found.marketer == pytest.approx(float(matched))
    assert found.prosecutor.average == pytest.approx(len(pairs) / rows)
    assert found.journalist.average == pytest.approx(max(len(pairs) / sum(p for _, p in pairs), float(matched)))
    assert found.journalist.at_risk == pytest.approx(sum(size for size, people in pairs if 1 / people > limit) / rows)
    assert found.prosecutor.highest == 1 / min(size for size, _ in pairs)


def test_without_a_population_all_see_the_same_classes() -> None:
    found = compute_reidentification(by_record([2, 2]))
    assert found.prosecutor == found.journalist


def test_a_limit_on_the_prosecutor_is_kept_or_broken() -> None:
    pairs = released([("f", 30, 1), ("f", 30, 1), ("m", 40, 1), ("m", 40, 1)])
    found = ProsecutorRisk(highest=0.4, average=1).check(pairs)
    assert (found.kept, found.worst) == (False, 0.5)
    assert ProsecutorRisk(highest=0.5, average=0.5).check(pairs).kept
    assert not ProsecutorRisk(highest=0.5, average=0.4).check(pairs).kept
    with pytest.raises(ParameterError, match="average must be a chance above 0"):
        ProsecutorRisk(average=0)
    with pytest.raises(ParameterError, match="limit must lie between 0 and 1"):
        compute_reidentification(by_record([1]), limit=2)
