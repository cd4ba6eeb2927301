"""The ends of a tight range are likelier than what lies between: golden chances, and the formula against listing."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from tests.red_team_cases import read_cases

from sekisho.attack.records.downcode.answer import Roster
from sekisho.attack.records.downcode.spanned import SpannedCells, SpannedKey, SpannedKind, downcode_spanned


def list_chance(values: int, records: int) -> Fraction:
    """Return the chance that a row has the lower end, over all files of a class in which both ends occur."""
    dealt = [each for each in product(range(values), repeat=records) if {0, values - 1} <= set(each)]
    return Fraction(sum(each[0] == 0 for each in dealt), len(dealt))


def test_golden_chances_of_an_end(shared: Callable[[str], Path]) -> None:
    cases = read_cases(shared, "downcode-partition", "ends")
    for case in cases:
        values, records = case["values_in_range"], case["records_in_class"]
        wanted = Fraction(case["chance_of_an_end"])
        assert list_chance(values, records) == wanted
        key = SpannedKey(
            name="x",
            kind=SpannedKind.RANGE,
            wide=np.ones(records, dtype=np.bool_),
            values=np.full(records, values, dtype=np.int64),
        )
        cells = SpannedCells(keys=(key,), classes=np.zeros(records, dtype=np.int64))
        answer = downcode_spanned(cells, roster=Roster.ONE)
        assert (answer.guess, answer.guess_rule) == pytest.approx((float(wanted), float(Fraction(case["chance_rule"]))))
    assert len(cases) == 4
