"""What the gate has against a release that a person must look at, and what a recipe may say in its favour.

A column that names people by its header or by its content never leaves, generalised or not, unless the recipe allows it
by name with a reason, which then stands in the certificate and on the page::

    [allowed_columns]
    doctor = "the doctors of this register agreed in writing to be named"
"""

from __future__ import annotations

from collections.abc import Iterator

from sekisho.data.identity.identifying import Ground, Identifying
from sekisho.data.review import ReleaseReview
from sekisho.gate.names import FORMS
from sekisho.gate.outcome import Reason
from sekisho.gate.policy import make_reason
from sekisho.words import Said

IDENTIFYING, ALLOWED, NEEDLESS = "identifying column", "allowed column", "needless allowance"


def list_review_reasons(review: ReleaseReview) -> Iterator[Reason]:
    """Give why a release may not simply leave, whatever shape it has, and what was allowed of it.

    It names people, or hidden cells can be read. Whether anything is left to use the stage of each shape says, with its
    own figures.
    """
    for identifying in review.identifying:
        yield make_reason(IDENTIFYING, describe_identifying(identifying))
    for name, why in review.allowed.items():
        yield make_reason(ALLOWED, Said("{name} leaves though it names people, because: {why}", name=name, why=why))
    for name in review.needless:
        yield make_reason(NEEDLESS, Said("{name} names nobody as far as is seen, and is allowed to", name=name))
    if review.raw:
        yield make_reason("raw people", Said("{people:,} people are published as they were", people=review.raw))
    if review.derivable:
        yield make_reason(
            "derivable cells",
            Said("hidden cells of {names} can often be worked out", names=", ".join(review.derivable)),
        )


def describe_identifying(identifying: Identifying) -> Said:
    """Return why a column is taken to name people, in words."""
    column, sign = identifying.column, identifying.sign
    if identifying.ground is Ground.HEADER:
        return Said("{column} names people, as its header says ({sign})", column=column, sign=sign)
    if identifying.ground is Ground.CONTENT:
        return Said("{column} names people: it holds {form}", column=column, form=FORMS.get(sign, sign))
    return Said("almost every value of {column} is distinct", column=column)
