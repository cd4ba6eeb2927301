"""Months of histories read together: golden, by hand, and against listing every assignment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from tests.red_team_cases import read_cases
from verify.red_team.months_listing import draw_months, list_block

from sekisho.attack.history.composition import compose_months
from sekisho.errors import ParameterError

PAIRINGS = [
    [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]],
    [[1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1]],
]


def _months(lines: list[list[list[int]]]) -> list[csr_array]:
    return [csr_array(np.array(line, dtype=np.bool_)) for line in lines]


def test_pseudonyms_that_stay_leave_one_candidate_and_drawn_anew_two() -> None:
    stay = compose_months(_months(PAIRINGS), [[0, 1]], k=2)
    assert stay.candidates.tolist() == [1, 1, 1, 1]
    assert stay.safe_alone
    assert not stay.safe_together
    anew = compose_months(_months(PAIRINGS), [[0], [1]], k=2)
    assert anew.candidates.tolist() == [2, 2, 2, 2]
    assert anew.safe_together


def test_who_knows_everybody_excludes_more() -> None:
    chain = _months([[[1, 0, 0], [1, 1, 0], [0, 1, 1]]])
    assert compose_months(chain, [[0]]).candidates.tolist() == [1, 2, 2]
    assert compose_months(chain, [[0]], everybody=True).candidates.tolist() == [1, 1, 1]


def test_golden_months(shared: Callable[[str], Path]) -> None:
    for case in read_cases(shared, "composition-histories", "all"):
        for way in ("stay", "new_each_month", "change_after_first"):
            expected = case[way]
            answer = compose_months(_months(case["fit"]), [each["months"] for each in expected["by_block"]])
            for block, each in zip(answer.blocks, expected["by_block"], strict=True):
                assert block.candidates.tolist() == each["candidates"]
                assert block.roster.tolist() == each["roster_candidates"]
                assert list(map(str, block.best)) == each["roster_best"]
                assert block.explanations == each["explanations"]
            figures = answer.to_dict()
            assert (figures["least_candidates"], figures["alone"]) == (expected["least_candidates"], expected["alone"])
            everybody = compose_months(
                _months(case["fit"]), [each["months"] for each in expected["by_block"]], everybody=True
            )
            assert everybody.to_dict()["alone"] == expected["alone_roster"]


@given(st.integers(0, 2**32))
def test_months_equal_listing(seed: int) -> None:
    fits, blocks = draw_months(np.random.default_rng(seed))
    answer = compose_months([csr_array(fit) for fit in fits], blocks)
    for block, places in zip(answer.blocks, blocks, strict=True):
        listed = list_block([fits[place] for place in places])
        assert block.candidates.tolist() == listed.candidates
        assert block.roster.tolist() == listed.roster
        assert (list(block.best), block.explanations) == (listed.best, listed.explanations)


def test_blocks_must_hold_every_month_once() -> None:
    with pytest.raises(ParameterError, match="every month once"):
        compose_months(_months(PAIRINGS), [[0]])
