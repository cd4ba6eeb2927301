"""The shared cases of rounding, each with a proven answer: least changes, conflicts, small counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.tables.round_cases import lay_out, needs_cases, read_cases, read_table, round_table

from sekisho.errors import InfeasibleError
from sekisho.tables.round.rounding import Objective, Rounder
from sekisho.tables.round.small_counts import Norm


@needs_cases
@pytest.mark.parametrize("case", read_cases("controlled-rounding"), ids=lambda case: case["id"])
def test_the_change_is_the_least(case: dict[str, Any]) -> None:
    table = read_table(case)
    if case["status"] == "infeasible":
        with pytest.raises(InfeasibleError):
            round_table(table, Rounder(base=case["base"], steps=case["steps"]))
        return
    rounded = round_table(table, Rounder(base=case["base"], steps=case["steps"]))
    assert (rounded.status, rounded.deviation) == ("optimal", case["least"])
    assert rounded.additive
    assert rounded.certified <= case["least"]
    if "lp" in case:  # where the linear program is whole its multipliers prove the optimum
        assert rounded.certified == case["least"]
        assert rounded.choices.nearest == case["nearest"]


@needs_cases
@pytest.mark.parametrize("case", read_cases("small-count-rounding"), ids=lambda case: case["id"])
@pytest.mark.parametrize(
    ("norm", "key"),
    [(Norm.ALL, "least_sum_all_cells"), (Norm.MARGINS, "least_sum_margins"), (Norm.GREATEST, "least_max_margin")],
)
def test_small_counts_change_least_in_the_norm_that_is_named(case: dict[str, Any], norm: Norm, key: str) -> None:
    inner = np.array(case["inner"])
    table = lay_out(inner.ravel().tolist(), inner.shape)
    rounded = round_table(table, Rounder(base=case["base"], objective=Objective.SMALL, norm=norm))
    assert (rounded.status, rounded.step.cost) == ("optimal", case[key])
    assert rounded.certified <= case[key]
    assert int((rounded.choices.unit > 1).sum()) == case["small"]
    assert rounded.statements.hold(table.value).all()
