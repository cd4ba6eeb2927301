"""One who knows everybody's keys: golden cases, listing of all assignments, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.red_team_cases import read_cases
from verify.red_team.joint_listing import draw_roster, list_explanations, read_golden

from sekisho.errors import ParameterError
from sekisho.gate.records.together.roster import audit_roster


def test_golden_rosters(shared: Callable[[str], Path]) -> None:
    for line in read_cases(shared, "composition-records", "all"):
        case = read_golden(line, everybody=True)
        answer = audit_roster(case.question, case.people, case.question.count(case.people))
        assert (answer.unsettled, answer.explanations) == (0, line["explanations"])
        for each in line["people_in_both"]:
            who, roster = each["person"], each["roster"]
            assert (answer.joint.pairs[who], answer.joint.rows[who].tolist()) == (roster["pairs"], roster["rows"])
            assert answer.joint.values[who, -1] == len(roster["value_now"])
            assert sorted(map(str, answer.values[who].values())) == sorted(roster["chance_of_value_now"].values())
            assert answer.best_tuple[who] == Fraction(roster["best_pair"])
        both = case.people.present.all(axis=1)
        assert int((answer.joint.disclosed & both).sum()) == line["disclosed_roster"]


@given(st.integers(0, 2**32), st.integers(2, 3))
def test_rosters_equal_listing(seed: int, releases: int) -> None:
    case = draw_roster(np.random.default_rng(seed), releases=releases)
    question = case.to_question()
    people = case.fit_people(question)
    answer = audit_roster(question, people, question.count(people))
    listed = list_explanations(case)
    assert (answer.unsettled, answer.explanations) == (0, listed.explanations)
    assert answer.joint.rows.tolist() == listed.rows
    assert answer.joint.values.tolist() == listed.values
    if answer.chance is not None:
        assert answer.chance.row == pytest.approx(float(listed.row_chance))


def test_everybody_of_every_release_must_be_known() -> None:
    case = draw_roster(np.random.default_rng(3), releases=2)
    question = case.to_question()
    people = case.fit_people(question)
    fewer = type(people)(fits=tuple(fit.take(np.arange(len(fit) - 1)) for fit in people.fits))
    with pytest.raises(ParameterError, match="be everybody of every release"):
        audit_roster(question, fewer, question.count(fewer))
