"""What was seen in a file, each a sign with its figures: the reason of a guess. The words are the report's."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Sign(StrEnum):
    """What was seen."""

    NAMED = "named"
    DISTINCT = "distinct"
    REPEATS = "repeats"
    FEW_VALUES = "few values"
    MANY_VALUES = "many values"
    NUMBERS = "numbers"
    HOLDS = "holds"
    POSTAL = "postal code"
    LONG_TEXT = "long text"
    REMARKS = "remarks"
    CONSTANT = "constant"
    ALL_MISSING = "all missing"
    MISSING_DROP = "missing: drop"
    MISSING_CARRIED = "missing: carried"
    OUTCOME = "outcome"
    TRANSACTION = "transaction"
    NAMES_PEOPLE = "names people"
    TAIL = "tail"
    FAR = "far"
    ONLY_KIND = "only kind"
    ALONE = "alone"
    MARGIN = "margin"
    DISTINCT_CELLS = "distinct cells"
    ONE_ROW_EACH = "one row each"
    KNOWN_OWNER = "known owner"
    UNSETTLED = "unsettled"
    ASKED = "asked"
    DIAGNOSES = "diagnoses"
    MARKS = "marks"
    SAME_AS = "same as"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """One thing that was seen.

    Attributes:
        sign: what it is.
        figures: what its words speak of: counts, or a word of a name; never a value of the data.
    """

    sign: Sign
    figures: dict[str, str | int | float] = field(default_factory=dict[str, str | int | float])


def make_hint(sign: Sign, **figures: str | float) -> Hint:
    """Return a hint."""
    return Hint(sign=sign, figures=figures)
