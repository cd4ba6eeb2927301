"""How many people may be left raw is answered by exact chances, and never called proven."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.errors import ParameterError
from sekisho.gate.history.raw_frontier import MixtureFinding, RawFrontier, RawMixture
from sekisho.safety.claim import Standing
from sekisho.safety.rejection import Bound


def examine(people: int, raw: int, k: int) -> MixtureFinding:
    (step,) = RawFrontier(people=people, raw=[raw], sizes=[k]).steps()
    return step.findings[0]


def test_the_survival_of_the_report() -> None:
    # Pairs: 24 claims, 18 needed, P(9 or more of 12 pairs) = 299/4096; survives 13 with 0.373 (footnote 1).
    finding = examine(1000, 0, 2)
    assert finding.plans[Bound.UNION].chance == Fraction(299, 4096)
    assert finding.survival[Bound.UNION] == pytest.approx(0.3733, abs=5e-5)
    assert finding.survival[Bound.EXACT] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    ("raw", "k", "chance"),
    [
        # Seven of seven are needed. A raw person and three pairs: (1/2)^3; three raw and two pairs: 1/4.
        (1, 2, Fraction(1, 8)),
        (3, 2, Fraction(1, 4)),
        # Six raw and one of a three: 1/3. A raw person and two threes: 1/36. Three raw, a three, one of another: 1/18.
        (6, 3, Fraction(1, 3)),
        (1, 3, Fraction(1, 36)),
        (3, 3, Fraction(1, 18)),
        # Ten raw: 11 claims, 10 needed: for certain.
        (10, 7, Fraction(1)),
    ],
)
def test_raw_people_are_certain_hits(raw: int, k: int, chance: Fraction) -> None:
    assert examine(1000, raw, k).plans[Bound.UNION].chance == chance


def test_a_raw_person_refutes_the_claim_whatever_survives() -> None:
    finding = examine(1000, 1, 7)
    assert finding.survival[Bound.EXACT] > 0.99
    assert finding.standing is Standing.REFUTED
    assert examine(1000, 0, 7).standing is Standing.HOLDS
    assert examine(1000, 0, 6).standing is Standing.REFUTED


@given(people=st.integers(1, 60), data=st.data())
def test_groups_hold_everybody_and_are_large_enough(people: int, data: st.DataObject) -> None:
    raw = data.draw(st.integers(0, people))
    k = data.draw(st.integers(1, max(1, people - raw)))
    sizes = RawMixture(people=people, raw=raw, k=k).sizes()
    assert sum(sizes) == people
    assert sizes[:raw] == (1,) * raw
    assert all(k <= size < 2 * k for size in sizes[raw:])


def test_the_border_is_the_last_number_before_the_first_fall() -> None:
    frontier = RawFrontier(people=1000, raw=[0, 1, 2, 3], sizes=[2, 7])
    *_, last = frontier.steps()
    findings = last.findings
    assert last.done == last.total == 8
    assert [(each.mixture.k, each.mixture.raw) for each in findings[:2]] == [(2, 0), (2, 1)]
    # k = 7: 1/7! four times over survive with 0.997; three raw and four of seven: 1/840, (839/840)^13 = 0.985.
    assert frontier.most_raw(findings, Bound.EXACT) == {2: None, 7: 3}


@pytest.mark.parametrize(
    ("raw", "k", "message"),
    [
        (5, 2, "raw must lie between 0 and the 4 people"),
        (1, 4, "k must be at most the 3 people that are not raw"),
        (0, 0, "k must be at least 1"),
    ],
)
def test_mixtures_that_cannot_be(raw: int, k: int, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        RawFrontier(people=4, raw=[raw], sizes=[k])


def test_too_many_mixtures_are_refused() -> None:
    with pytest.raises(ParameterError, match="raw must make 1 to 400 mixtures with k"):
        RawFrontier(people=1000, raw=range(50), sizes=range(1, 10))
