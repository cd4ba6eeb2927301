"""The rule of a class, on counts that can be worked out by hand."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from sekisho.protect.records.recoding.value_sums import ClassRule, keeps_rule

SHARES = np.array([0.5, 0.25, 0.25])


def rule(**parts: object) -> ClassRule:
    usual = ClassRule(1, 0, 0.0, 0.0, 0, 1.0, False, SHARES, -1)
    return usual._replace(**parts)


@pytest.mark.parametrize(
    ("asked", "counts", "kept"),
    [
        (rule(k=4), [2, 1, 1], True),
        (rule(k=5), [2, 1, 1], False),
        (rule(distinct=2), [3, 1, 0], True),
        (rule(distinct=3), [3, 1, 0], False),
        # entropy of 2, 1, 1: log 2 / 2 + 2 log 4 / 4 = 1.5 log 2 = log 2.828
        (rule(entropy=2.8), [2, 1, 1], True),
        (rule(entropy=2.9), [2, 1, 1], False),
        (rule(entropy=2.0), [2, 2, 0], True),  # log 2 exactly
        # recursive (c, 2): 4 < c (2 + 1)
        (rule(recursive_c=1.4, recursive_l=2), [4, 2, 1], True),
        (rule(recursive_c=1.3, recursive_l=2), [4, 2, 1], False),
        # recursive (c, 3): 4 < c 1
        (rule(recursive_c=4.0, recursive_l=3), [4, 2, 1], False),
        (rule(recursive_c=4.1, recursive_l=3), [4, 2, 1], True),
        # 1, 0, 0 against 1/2, 1/4, 1/4: half of 1/2 + 1/4 + 1/4 is 1/2
        (rule(t=0.5), [4, 0, 0], True),
        (rule(t=0.49), [4, 0, 0], False),
        # ordered: |1/2| + |1/4| + 0 over 2 steps is 3/8
        (rule(t=0.375, ordered=True), [4, 0, 0], True),
        (rule(t=0.37, ordered=True), [4, 0, 0], False),
    ],
)
def test_what_a_class_must_keep(asked: ClassRule, counts: list[int], kept: object) -> None:
    assert keeps_rule(asked, np.array(counts, dtype=np.int64), sum(counts)) is kept


def test_entropy_is_compared_with_the_logarithm() -> None:
    assert 1.5 * log(2) == pytest.approx(log(2.8284271247461903))
