"""Tight cells speak for a candidate; a range's ends speak louder than its inside."""

from __future__ import annotations

import numpy as np
import pytest
from tests.attack.histories import make_history, make_release

from sekisho.attack.history.candidate_search import find_candidates
from sekisho.attack.history.histories import gather_known, gather_published
from sekisho.attack.history.maximum_knowledge import compute_log_likelihoods


def test_golden() -> None:
    # One range of five days, 0 to 4. a: one row at an end, 0.5/5 + 0.5/2 = 0.35. b: one row inside, 0.1. c: one row at
    # an end and one elsewhere, 0.35/2. d: does not fit. The exact quantity and the suppressed price count 1, so does
    # the set.
    original = make_history(
        [
            ("a", 0, "x", 1, 7),
            ("b", 2, "x", 1, 7),
            ("c", 4, "y", 1, 7),
            ("c", 9, "y", 1, 7),
            ("d", 5, "x", 1, 7),
        ]
    )
    table = make_release(original, [(1, (0, 4), ("x", "y"), None, (7, 7))])
    facts, rows = gather_known(original), gather_published(table, original)
    logs = compute_log_likelihoods(find_candidates(rows, facts), rows, facts)
    assert np.exp(logs).tolist() == pytest.approx([0.35, 0.1, 0.175])  # d is no candidate
