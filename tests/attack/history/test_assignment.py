"""One pseudonym per customer: what that rules out, which explanation is likeliest, and how sure it is."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sekisho.attack.history import assignment
from sekisho.attack.history.assignment import NOBODY, assign_customers, compute_class_shares, find_consistent_pairs
from sekisho.attack.history.candidate_search import CandidatePairs
from sekisho.errors import InfeasibleError

tables = st.tuples(st.integers(1, 5), st.integers(1, 5)).flatmap(lambda shape: arrays(np.bool_, shape))


def list_largest(possible: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], int]:
    """Try every assignment: which pairs occur in a largest one, and how many it assigns."""
    people, customers = possible.shape
    best, kept = 0, np.zeros_like(possible)
    for order in permutations([*range(customers), *[NOBODY] * people], people):
        if not all(who == NOBODY or possible[place, who] for place, who in enumerate(order)):
            continue
        count = sum(who != NOBODY for who in order)
        if count > best:
            best, kept = count, np.zeros_like(possible)
        if count == best:
            for place, who in enumerate(order):
                kept[place, who] |= who != NOBODY
    return kept, best


def make_candidates(possible: NDArray[np.bool_]) -> CandidatePairs:
    return CandidatePairs(twin=np.arange(len(possible)), example=np.arange(len(possible)), possible=csr_array(possible))


@given(tables.filter(lambda table: table.size <= 16))
def test_the_pairs_kept_are_those_of_the_largest_assignments(possible: NDArray[np.bool_]) -> None:
    kept, matching = find_consistent_pairs(csr_array(possible))
    expected, count = list_largest(possible)
    assert kept.toarray().tolist() == expected.tolist()
    assert (matching != NOBODY).sum() == count


def test_what_one_pseudonym_needs_another_cannot_have() -> None:
    # 0 can only be a, so 1 can only be b, and is surely b.
    possible = np.array([[True, False], [True, True]])
    assigned = assign_customers(make_candidates(possible), np.zeros(possible.sum()))
    assert assigned.customer.tolist() == [0, 1]
    assert assigned.share.tolist() == pytest.approx([1, 1])


def test_the_likeliest_explanation_wins() -> None:
    # Likelihoods 3 x 2 = 6 against 1 x 1.
    likelihood = np.log(np.array([[3.0, 1.0], [1.0, 2.0]]))
    assigned = assign_customers(make_candidates(np.ones((2, 2), np.bool_)), likelihood.ravel())
    assert assigned.customer.tolist() == [0, 1]
    assert 0.5 < assigned.share[0] == pytest.approx(assigned.share[1])


def test_twins_share_their_customers() -> None:
    # Two twins may be a, b or c; c must be the third pseudonym. So the twins are a and b, surely, as a set.
    possible = np.array([[True, True, True], [False, False, True]])
    candidates = CandidatePairs(twin=np.array([0, 1, 0]), example=np.array([0, 1]), possible=csr_array(possible))
    assigned = assign_customers(candidates, np.zeros(possible.sum()))
    assert {assigned.customer[0], assigned.customer[2]} == {0, 1}
    assert assigned.customer[1] == 2
    assert assigned.share.tolist() == pytest.approx([1, 1, 1])


def test_nobody_is_assigned_where_nobody_fits() -> None:
    assigned = assign_customers(make_candidates(np.zeros((2, 3), np.bool_)), np.zeros(0))
    assert assigned.customer.tolist() == [NOBODY, NOBODY]


@given(st.integers(1, 4), st.integers(0, 2), st.integers(0, 99))
def test_the_shares_sum_to_the_twins_and_no_customer_is_held_twice(people: int, spare: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    customers = people + spare
    twin = np.sort(rng.integers(0, people, people))
    twin = np.unique(twin, return_inverse=True)[1]
    likelihood = np.log(rng.random((int(twin.max()) + 1, customers)) + 0.01)
    possible = csr_array(np.ones(likelihood.shape, np.bool_))
    shares = compute_class_shares(np.bincount(twin), possible, likelihood.ravel()).reshape(likelihood.shape)
    assert shares.sum(axis=1).tolist() == pytest.approx(np.bincount(twin).tolist(), abs=1e-6)
    assert bool((shares.sum(axis=0) <= 1 + 1e-6).all())


def test_more_pairs_than_memory_should_hold_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assignment, "MOST", 3)
    with pytest.raises(InfeasibleError, match="4 pairs of pseudonym and customer are possible, more than the 3"):
        assign_customers(make_candidates(np.ones((2, 2), np.bool_)), np.zeros(4))
