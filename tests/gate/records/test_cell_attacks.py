"""Expected hits are exact: the mean over all that the attacker may draw, counted by loops."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from tests.recodings import Case, cases, slow_distance

from sekisho.errors import ParameterError
from sekisho.gate.records.cell_attacks import attack_cells
from sekisho.gate.records.comparison import Comparison
from sekisho.seeds import Seed

KEYS = ("age", "town")


@given(cases())
def test_expected_hits_are_those_of_a_loop(case: Case) -> None:
    attacks = attack_cells(case.data, case.release, ordered=True, keys=KEYS, subsets=[("town",)], seed=Seed(1))
    left = [row for row in range(case.rows) if not case.deleted[row]]
    for attack, keys, fits in zip(attacks[:3], (KEYS, ("town",), KEYS), (True, True, False), strict=True):
        expected = Fraction(0)
        for person in range(case.rows):
            distances = {row: slow_distance(case, person, row, keys) for row in left}
            best = min(distances.values(), default=Fraction(0))
            if not left or (fits and best > 0):
                continue
            as_near = [row for row in left if distances[row] == best]
            expected += Fraction(person in as_near, len(as_near))
        assert attack.expected == pytest.approx(float(expected))
        assert attack.rate is not None
        assert attack.rate.hits <= attack.claimed == attack.rate.trials


@given(cases())
def test_without_the_order_nobody_says_who_was_right(case: Case) -> None:
    for attack in attack_cells(case.data, case.release, ordered=False, keys=KEYS, subsets=[], seed=Seed(1)):
        assert attack.rate is None
        assert attack.expected is None
        assert attack.share is None or attack.share >= 0


def test_people_are_at_least_one() -> None:
    with pytest.raises(ParameterError, match="people must be at least 1, not 0"):
        Comparison(people=0)
