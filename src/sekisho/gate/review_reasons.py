"""What the review of a release means at the gate: each thing to look at is the reason of a rule."""

from __future__ import annotations

from collections.abc import Iterator

from sekisho.data.review import ReleaseReview
from sekisho.gate.outcome import Reason
from sekisho.gate.policy import make_reason


def list_review_reasons(review: ReleaseReview) -> Iterator[Reason]:
    """Give why a release may not simply leave, whatever shape it has: it names people, or hidden cells can be read.

    Whether anything is left to use the stage of each shape says, with its own figures.
    """
    if review.identifying:
        yield make_reason("identifying column", f"people are named by {', '.join(review.names)}")
    if review.derivable:
        yield make_reason("derivable cells", f"hidden cells of {', '.join(review.derivable)} can often be worked out")
