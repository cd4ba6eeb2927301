"""One population at two times: the same, growing, or with people who left and came."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.red_team_cases import read_cases
from verify.red_team.turnover_listing import RELATIONS, TwoTimes, draw_times, make_table

from sekisho.errors import FaultsError, ParameterError
from sekisho.tables.model.linked.populations import Populations
from sekisho.tables.model.linked.turnover import Turnover

CUMULATIVE = TwoTimes(shown=([None, None, 12, 9, 31], [None, 7, 14, None, 34]), left=0, came=3)


@pytest.mark.parametrize("relation", ["grows", "overlap"])
def test_another_pattern_a_time_later_tells_both(relation: str) -> None:
    first, second = CUMULATIVE.audit(relation)
    assert first == [(3, 4), (6, 7), (12, 12), (9, 9)]  # alone: 0 to 10
    assert second == [(3, 4), (7, 7), (14, 14), (9, 10)]  # alone: 0 to 13


def test_the_same_pattern_tells_nothing_more_of_the_levels() -> None:
    again = TwoTimes(shown=([None, None, 12, 9, 31], [None, None, 14, 9, 36]), left=0, came=5)
    first, second = again.audit("grows")
    assert first[:2] == [(0, 10), (0, 10)]
    assert second[:2] == [(0, 13), (0, 13)]


def test_the_same_people_in_another_pattern_tell_all() -> None:
    other = TwoTimes(shown=([None, None, 8, 10, 26], [None, 6, None, 10, 26]), left=0, came=0)
    first, second = other.audit("same")
    assert first == second == [(2, 2), (6, 6), (8, 8), (10, 10)]


@given(st.integers(0, 2**32), st.sampled_from(RELATIONS))
def test_intervals_equal_listing(seed: int, relation: str) -> None:
    case = draw_times(np.random.default_rng(seed))
    listed = case.list_intervals(relation)
    if listed is not None:
        assert case.audit(relation) == listed


def test_golden_tables(shared: Callable[[str], Path]) -> None:
    for case in read_cases(shared, "composition-tables", "all"):
        times = TwoTimes(shown=(case["shown"][0], case["shown"][1]), left=case["left"], came=case["came"])
        for relation in RELATIONS:
            if relation in case:
                expected = tuple([tuple(each) for each in case[relation][time]] for time in ("first", "second"))
                assert times.audit(relation) == expected, (case["id"], relation)


FIRST, SECOND = [3, 7, 12, 9, 31], [4, 7, 14, 9, 34]


def _relate(relation: str, *, left: int, came: int) -> Populations:
    tables = {"first": make_table(FIRST, list(FIRST)), "second": make_table(SECOND, list(SECOND))}
    return TwoTimes(shown=(list(FIRST), list(SECOND)), left=left, came=came).relate(relation, tables)


def test_so_many_cannot_have_left_and_come() -> None:
    with pytest.raises(ParameterError, match="explain the totals 31 and 34"):
        _relate("overlap", left=1, came=3).join([])
    with pytest.raises(ParameterError, match="be so many that"):
        _relate("overlap", left=40, came=43).join([])
    with pytest.raises(ParameterError, match="at least 0"):
        Turnover(earlier="a", later="b", left=-1, came=0)


def test_tables_of_the_same_people_must_be_equal() -> None:
    with pytest.raises(FaultsError, match="whose people are the same"):
        _relate("same", left=0, came=0)
