"""Is a release still of any use, and what of a mechanism must a person look at before it is used?

A value that is kept with chance rho lets the analyst estimate a share with about 1/rho times the standard error of a
plain sample: m changed records are worth about m rho^2 unchanged ones. Below a retention of 1/20 fewer than one in 400
is left; such a release is safe because it says hardly anything, and a person should look at it before it leaves.

What is kept of a matrix of one's own is the greatest distance in total variation between two of its rows (Dobrushin's
coefficient): how surely a released value tells the two values apart that it tells apart best. Of replacement with
retention rho that is rho.

The usual cause is a column in which almost every value is distinct, such as a customer number: it names people, and to
hide somebody among all its values nearly everything must be noise.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from sekisho.data.identity.identifying import FEWEST_RECORDS, IDENTIFYING_SHARE, Ground, Identifying
from sekisho.data.review import LEAST_RETENTION, ReleaseReview
from sekisho.safety.transition import Real, Replacement, Transition

MOST_LOST = 0.8
"""A release that lost more is of hardly any use: four fifths of what its cells told are gone."""
MOST_ERROR = 0.95
"""The same of a history's mean cell error, which counts every cell that is not exact nearly as lost."""
LEAST_KEPT = Fraction(1, 20)
"""A release with a smaller share of the rows, or of the cells of a table, is of hardly any use."""


def is_hardly_useful(*, kept: int, records: int, lost: float = 0.0, most: float = MOST_LOST) -> bool:
    """Tell whether hardly anything is left: of the rows or cells, or of what they tell.

    Args:
        kept: how many rows or cells are released.
        records: of how many.
        lost: how much of what the cells tell is gone, 0 to 1: an NCP or a mean cell error.
        most: how much may be gone.
    """
    return kept < LEAST_KEPT * records or not kept or lost > most


def list_noisy(transitions: Mapping[str, Transition]) -> tuple[str, ...]:
    """Return the attributes of whose values hardly anything is kept."""
    return tuple(name for name, move in transitions.items() if move.size > 1 and compute_kept(move) < LEAST_RETENTION)


def judge_mechanism(records: int, transitions: Mapping[str, Transition]) -> ReleaseReview:
    """Return what a person must look at, as far as it is known before a table of so many records is changed.

    An attribute with almost as many values as there are records names people: to hide somebody among all of them nearly
    everything must be noise, and what is not noise names him.
    """
    many = records >= FEWEST_RECORDS
    named = (name for name, move in transitions.items() if many and move.size >= IDENTIFYING_SHARE * records)
    return ReleaseReview(
        identifying=tuple(Identifying(column=name, ground=Ground.DISTINCT) for name in named),
        noisy=list_noisy(transitions),
    )


def compute_kept(transition: Transition) -> Real:
    """Return how much of an attribute is kept: rho, or the greatest distance between two rows of its matrix."""
    if isinstance(transition, Replacement):
        return transition.retention
    rows = transition.matrix()
    return max((float(np.abs(rows - row).sum(axis=1).max()) / 2 for row in rows), default=0.0)
