"""The classes of the last release once more: own class first, then the fullest that fits, never fewer than k."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sekisho.gate.register.like_last import choose_classes
from sekisho.safety.records.joint.known import FittingClasses


@given(
    st.lists(st.sets(st.integers(0, 4), max_size=3), min_size=1, max_size=14),
    st.integers(1, 4),
    st.integers(0, 1 << 30),
)
def test_everybody_is_in_a_class_that_fits_of_at_least_k(sets: list[set[int]], k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    classes = [sorted(each) for each in sets]
    first = np.concatenate([[0], np.cumsum([len(each) for each in classes])]).astype(np.int64)
    flat = np.array([one for each in classes for one in each], dtype=np.int64)
    fits = FittingClasses(first=first, classes=flat, present=np.ones(len(sets), dtype=np.bool_))
    own = rng.integers(-1, 5, len(sets))
    owner = choose_classes(fits, own, size=5, k=k)
    sizes = np.bincount(owner[owner >= 0], minlength=5)
    assert all(one in each for one, each in zip(owner.tolist(), classes, strict=True) if one >= 0)
    assert all(size == 0 or size >= k for size in sizes.tolist())


def test_who_was_in_a_class_stays_there_and_others_join_the_fullest() -> None:
    fits = FittingClasses(
        first=np.array([0, 2, 4, 6, 7], dtype=np.int64),
        classes=np.array([0, 1, 0, 1, 0, 1, 1], dtype=np.int64),
        present=np.ones(4, dtype=np.bool_),
    )
    assert choose_classes(fits, np.array([1, 1, -1, -1]), size=2, k=2).tolist() == [1, 1, 1, 1]
    assert choose_classes(fits, np.array([0, 0, -1, -1]), size=2, k=2).tolist() == [0, 0, 0, -1]
