"""One verdict for all shapes: the worst reason decides, and of equal verdicts the better utility, of refused ones the least harm."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.accounts import CLOSED

from sekisho.data.frame.dataset import Column, Dataset, Kind, Schema
from sekisho.data.frame.release import Release, exact_table
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.gate.outcome import Attempt, Candidate, Outcome, Reason, Verdict
from sekisho.provenance import Provenance
from sekisho.seeds import Seed
from sekisho.utility.score import Score
from sekisho.words import Said

ONE = Dataset(pl.DataFrame({"a": ["x"]}), Schema((Column(name="a", kind=Kind.CATEGORY),)))
RELEASE = Release(table=exact_table(ONE), deleted=np.zeros(1, np.bool_), provenance=Provenance(name="test"))
RELEASE_IT, REVIEW, REFUSE = ORDER = [Verdict.RELEASE, Verdict.REVIEW, Verdict.REFUSE]


def attempt(strength: float = 0.5, predicted: float | None = None) -> Attempt:
    return Attempt(adversary="x", claimed=4, hits=2, baseline=0.1, strength=strength, predicted=predicted)


def candidate(utility: float, *verdicts: Verdict, attempts: tuple[Attempt, ...] = ()) -> Candidate[Attempt]:
    return Candidate(
        label=f"{utility} {verdicts}",
        release=RELEASE,
        score=Score(value=utility),
        attempts=attempts,
        reasons=tuple(
            Reason(rule="rule", verdict=verdict, detail=Said("nobody has tried to find people in it"))
            for verdict in verdicts
        ),
        account=CLOSED,
    )


def test_the_worst_reason_decides_in_any_order() -> None:
    assert candidate(0.0).verdict is Verdict.RELEASE
    for one, other in product(ORDER, ORDER):
        assert candidate(0.0, one, other).verdict is max(one, other, key=ORDER.index)


@given(st.lists(st.tuples(st.sampled_from(ORDER), st.integers(0, 3)), min_size=1))
def test_nobody_else_has_a_better_verdict_or_the_same_and_a_better_utility(
    tried: list[tuple[Verdict, int]],
) -> None:
    each = tuple(candidate(float(utility), verdict) for verdict, utility in tried)
    outcome = Outcome(shape=Shape.RECORDS, seed=Seed(1), candidates=each)
    best = ORDER.index(outcome.verdict), outcome.best.score.value
    assert all(best <= (ORDER.index(verdict), utility) for verdict, utility in tried)


@pytest.mark.parametrize(
    ("less", "more"),
    [
        pytest.param(candidate(0.9, REFUSE), candidate(0.1, REFUSE, REFUSE), id="fewer reasons to refuse"),
        pytest.param(candidate(0.9, REFUSE), candidate(0.1, REVIEW, REFUSE), id="fewer reasons to review"),
        pytest.param(
            candidate(0.9, REFUSE, REVIEW, REVIEW),
            candidate(0.1, REFUSE, REFUSE),
            id="a refusal weighs more than reviews",
        ),
        pytest.param(candidate(0.1, REFUSE, RELEASE_IT), candidate(0.9, REFUSE), id="what is told only weighs nothing"),
        pytest.param(
            candidate(0.9, REFUSE, attempts=(attempt(0.2), attempt(1.5))),
            candidate(0.1, REFUSE, attempts=(attempt(1.6),)),
            id="the weaker strongest attack",
        ),
        pytest.param(
            candidate(0.1, REFUSE, attempts=(attempt(1.5),)),
            candidate(0.9, REFUSE, attempts=(attempt(1.5),)),
            id="then the better utility",
        ),
    ],
)
def test_of_refused_ones_the_least_harmful_is_shown(less: Candidate[Attempt], more: Candidate[Attempt]) -> None:
    for order in ((less, more), (more, less)):
        assert Outcome(shape=Shape.RECORDS, seed=Seed(1), candidates=order).best is less


def test_the_least_useful_that_is_reviewed_is_better_than_any_refused_one() -> None:
    reviewed = candidate(0.9, REVIEW, REVIEW, attempts=(attempt(0.99),))
    refused = candidate(0.1, REFUSE, attempts=(attempt(0.0),))
    assert Outcome(shape=Shape.RECORDS, seed=Seed(1), candidates=(refused, reviewed)).best is reviewed


def test_of_reviewed_ones_the_useful_one_is_chosen_however_many_reasons_it_has() -> None:
    useful, other = candidate(0.1, REVIEW, REVIEW), candidate(0.9, REVIEW)
    assert Outcome(shape=Shape.RECORDS, seed=Seed(1), candidates=(other, useful)).best is useful


def test_the_strongest_attack_is_the_nearest_to_refuting_and_1_refutes() -> None:
    weak, strong = attempt(0.99, predicted=0.5), attempt(1.0, predicted=0.1)
    made = candidate(0.0, attempts=(weak, strong, attempt(0.1)))
    assert made.strongest is strong
    assert (weak.refutes, strong.refutes) == (False, True)
    assert made.predicted == 0.5
    assert (candidate(0.0).strongest, candidate(0.0).predicted) == (None, 0.0)


@pytest.mark.parametrize("hits", [-1, 5])
def test_more_hits_than_claims_are_refused(hits: int) -> None:
    with pytest.raises(ParameterError, match=f"hits of x must lie between 0 and the 4 claimed, not {hits}"):
        Attempt(adversary="x", claimed=4, hits=hits, baseline=0.0, strength=0.0)
