"""Joint candidates of several releases: by hand, against listing, and the golden cases."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.red_team_cases import read_cases
from verify.red_team.joint_listing import PopulationCase, check_case, draw_case, read_golden

from sekisho.attack.records.composition import attack_composition, summarise
from sekisho.errors import ParameterError
from sekisho.safety.records.joint.candidates import JointReleases, Presence
from sekisho.safety.records.joint.known import FittingClasses, KnownPeople, bind_people

HIV, FLU, BURN, GOUT = (frozenset({name}) for name in ("a", "b", "c", ""))


def _intersection(stable: tuple[str, ...]) -> PopulationCase:
    """Return two releases, k = 2 and two values in every class of each."""

    def row(ages: set[int], towns: set[str] | None, value: frozenset[str]) -> dict[str, frozenset[int | str] | None]:
        town = None if towns is None else frozenset[int | str](towns)
        return {"age": frozenset(ages), "town": town, "s": frozenset(value), "year": None, "blood": None}

    first = [row({0, 1}, None, HIV), row({0, 1}, None, FLU), row({2, 3}, None, BURN), row({2, 3}, None, FLU)]
    every = {0, 1, 2, 3}
    second = [row(every, {"a"}, GOUT), row(every, {"a"}, HIV), row(every, {"b"}, BURN), row(every, {"b"}, GOUT)]
    both = (True, True)
    return PopulationCase(people=[(0, "a"), (2, "b")], present=[both, both], releases=[first, second], stable=stable)


def test_two_releases_of_two_values_each_tell_one_value_together() -> None:
    case = _intersection(("s",))
    question = case.to_question()
    answer = attack_composition(question, case.fit_people(question), k=2)
    assert summarise(answer.joint) == {"least_candidates": 1, "alone": 2, "disclosed": 2}
    assert answer.joint.rows_alone.tolist() == [[2, 2], [2, 2]]
    assert answer.joint.values_alone.tolist() == [[2, 2], [2, 2]]
    assert answer.safe_alone
    assert not answer.safe_together


def test_a_value_that_may_change_links_nothing() -> None:
    case = _intersection(())
    question = case.to_question()
    answer = attack_composition(question, case.fit_people(question), k=2)
    assert summarise(answer.joint) == {"least_candidates": 2, "alone": 0, "disclosed": 0}
    assert answer.joint.pairs.tolist() == [4, 4]
    assert answer.joint.linked_by == ()
    assert answer.safe_together


def test_who_may_be_in_either_release_has_the_rows_of_both() -> None:
    case = _intersection(("s",))
    question = case.to_question()
    some = question.count(case.fit_people(question), presence=Presence.SOME)
    assert some.pairs.tolist() == [5, 5]  # a linked pair, and two rows of each release alone
    assert some.values.tolist() == [[3, 3], [3, 3]]


@given(st.integers(0, 2**32), st.integers(2, 4), st.integers(0, 1))
def test_counts_equal_listing(seed: int, releases: int, generalised: int) -> None:
    check_case(draw_case(np.random.default_rng(seed), releases=releases, generalised=bool(generalised)))


def test_golden_cases_of_records(shared: Callable[[str], Path]) -> None:
    for case in map(read_golden, read_cases(shared, "composition-records", "all")):
        candidates = case.question.count(case.people)
        assert candidates.pairs.tolist() == [each["pairs"] for each in case.expected], case.name
        assert candidates.rows.tolist() == [each["rows"] for each in case.expected]
        assert candidates.values.tolist() == [[len(left) for left in each["values"]] for each in case.expected]
        assert summarise(candidates) == case.summary
        some = case.question.count(case.people, presence=Presence.SOME)
        listed = [each["in_one_unknown_which"] for each in case.expected]
        assert some.pairs.tolist() == [each["explanations"] for each in listed]
        assert some.values[:, 0].tolist() == [len(each["values"]) for each in listed]


def test_people_are_bound_by_digests_without_original_or_keys() -> None:
    case = _intersection(("s",))
    question = case.to_question()
    first = FittingClasses.of_one(np.array([0, 0, 1, 1]))
    second = FittingClasses.of_one(np.array([1, 0, 1, 0]))
    names = [np.array([b"p", b"q", b"r", b"t"]), np.array([b"r", b"p", b"u", b"v"])]
    people = bind_people(names, [first, second])
    assert len(people) == 6
    assert people.present.sum(axis=1).tolist() == [2, 1, 2, 1, 1, 1]
    candidates = question.count(people)
    assert candidates.least.tolist() == [1, 2, 1, 2, 2, 2]
    assert candidates.rows[1].tolist() == [2, -1]
    assert candidates.disclosed.tolist() == [True, False, True, False, False, False]


def test_a_digest_that_stands_twice_is_refused() -> None:
    fits = FittingClasses.of_one(np.array([0, 0]))
    with pytest.raises(ParameterError, match="each once"):
        bind_people([np.array([b"p", b"p"])], [fits])


@given(st.integers(0, 2**32))
def test_who_knows_the_class_has_no_more_candidates(seed: int) -> None:
    case = draw_case(np.random.default_rng(seed), releases=2, generalised=False)
    question = case.to_question()
    people = case.fit_people(question)
    own = KnownPeople(fits=tuple(_keep_first(fit) for fit in people.fits))
    wide, narrow = question.count(people), question.count(own)
    assert (narrow.pairs <= wide.pairs).all()
    assert (narrow.rows <= wide.rows).all()


def _keep_first(fit: FittingClasses) -> FittingClasses:
    sizes = np.diff(fit.first)
    classes = np.full(len(fit), -1, dtype=np.int64)
    classes[sizes > 0] = fit.classes[fit.first[:-1][sizes > 0]]
    kept = FittingClasses.of_one(classes)
    return FittingClasses(first=kept.first, classes=kept.classes, present=fit.present)


def test_columns_must_be_of_the_releases() -> None:
    question = _intersection(("s",)).to_question()
    with pytest.raises(ParameterError, match="columns of the releases"):
        JointReleases(releases=question.releases, stable=("shoe",))


@pytest.mark.parametrize("stable", [("s",), ()])
def test_what_one_release_tells_alone_is_not_told_anew(stable: tuple[str, ...]) -> None:
    """The first release says of everybody b; the second a or b: of a lasting value both say b, which was known."""
    case = _intersection(stable)
    case.releases[0] = [{**row, "s": FLU} for row in case.releases[0]]
    case.releases[1] = [{**row, "s": FLU if place % 2 else HIV} for place, row in enumerate(case.releases[1])]
    question = case.to_question()
    counted = question.count(case.fit_people(question))
    assert counted.values_alone.tolist() == [[1, 2], [1, 2]]
    assert counted.values.tolist() == ([[1, 1], [1, 1]] if stable else [[1, 2], [1, 2]])
    assert not counted.disclosed_anew.any()


def test_whom_no_row_of_a_release_fits_is_in_the_other_one() -> None:
    case = _intersection(("s",))
    case.people[0] = (0, "c")  # two rows of the first release fit him, and none of the second
    question = case.to_question()
    people = case.fit_people(question)
    some = question.count(people, presence=Presence.SOME)
    assert (some.rows[0].tolist(), some.least.tolist(), some.explained.tolist()) == ([2, 0], [2, 2], [True, True])
    both = question.count(people)
    assert (both.least[0], bool(both.explained[0])) == (0, False)
