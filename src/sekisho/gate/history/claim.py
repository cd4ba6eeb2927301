"""Whether the safety claim H0 holds of a release of a history, class of twins by class.

A class is closed if one who holds the whole original can tell that its people are just its members: the customers whose
rows explain the published ones, after dropping those who are needed elsewhere since everybody has one pseudonym.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.history.assignment import find_consistent_pairs, merge_twins, spread_classes
from sekisho.attack.history.candidate_search import CandidatePairs, find_candidates
from sekisho.attack.history.histories import sort_known, sort_published
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.safety.claim import ClaimFinding, SafetyClaim
from sekisho.safety.pseudonyms import find_release_pattern


def check_claim(original: Dataset, release: Release, p: Fraction) -> ClaimFinding:
    """Return whether nobody names a set S of the published people with a chance above ``p ** len(S)``."""
    classes = find_candidates(sort_published(release.table, original, deleted=release.deleted), sort_known(original))
    finding = SafetyClaim(p=p).check_classes(classes.sizes(), _find_closed(classes))
    return replace(finding, pattern=find_release_pattern(original, release))


def _find_closed(classes: CandidatePairs) -> NDArray[np.bool_]:
    """Return of each class of twins whether it has just as many candidates as members.

    A class without enough candidates, as in a release that is not truthful, is not closed: its people are others.
    """
    if not len(classes.twin):
        return np.zeros(0, dtype=np.bool_)
    pairs, assigned = find_consistent_pairs(spread_classes(classes))
    left = merge_twins(pairs, classes.twin, len(classes.example))
    explained = bool((assigned >= 0).all())
    return (np.diff(left.indptr) == classes.sizes()) & explained
