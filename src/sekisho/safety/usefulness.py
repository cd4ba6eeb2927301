"""Is a release by PRAM still of any use, and is a column among those released that names people?

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
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sekisho.data.identity.identifying import FEWEST_RECORDS, IDENTIFYING_SHARE
from sekisho.safety.transition import Real, Replacement, Transition

LEAST_RETENTION = Fraction(1, 20)
"""Below this a release is of hardly any use: its records are worth less than one in 400 unchanged ones."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Usefulness:
    """What a person should look at before a release by PRAM leaves.

    Attributes:
        noisy: attributes of whose values hardly anything is kept.
        identifying: attributes in which almost every value is distinct.
    """

    noisy: tuple[str, ...] = ()
    identifying: tuple[str, ...] = ()

    @property
    def review(self) -> bool:
        """Tell whether a person must look at it."""
        return bool(self.noisy or self.identifying)

    def list_warnings(self) -> list[str]:
        """Return what to look at, in words."""
        warnings: list[str] = []
        if self.noisy:
            warnings.append(
                f"of hardly any use: less than {float(LEAST_RETENTION):g} is kept of {', '.join(self.noisy)}; the "
                "records "
                f"are worth less than one in {1 / LEAST_RETENTION**2} unchanged ones"
            )
        if self.identifying:
            warnings.append(
                f"{', '.join(self.identifying)}: almost every value is distinct, so the column names people; leave "
                "it out,"
                " or name it as the identifier"
            )
        return warnings

    def as_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        return {
            "useful": not self.noisy,
            "noisy": list(self.noisy),
            "identifying": list(self.identifying),
            "warnings": self.list_warnings(),
        }


def judge_usefulness(records: int, transitions: Mapping[str, Transition]) -> Usefulness:
    """Return which attributes keep hardly anything, and which name people, in a table of so many records."""
    many = records >= FEWEST_RECORDS
    return Usefulness(
        noisy=tuple(
            name for name, each in transitions.items() if each.size > 1 and compute_kept(each) < LEAST_RETENTION
        ),
        identifying=tuple(
            name for name, each in transitions.items() if many and each.size >= IDENTIFYING_SHARE * records
        ),
    )


def compute_kept(transition: Transition) -> Real:
    """Return how much of an attribute is kept: rho, or the greatest distance between two rows of its matrix."""
    if isinstance(transition, Replacement):
        return transition.retention
    rows = transition.matrix()
    return max((float(np.abs(rows - row).sum(axis=1).max()) / 2 for row in rows), default=0.0)
