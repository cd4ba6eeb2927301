"""A release of records at the gate, and its file: written, and what was promised counted again from what is written.

A file of few rows is read back from its bytes, as whoever gets it will read it. Of a larger one the rows are counted as
they are handed to the writer: its bytes would take as long to read as all the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from sekisho.data.files.published_frame import PublishedRows
from sekisho.data.frame.dataset import Dataset, Schema
from sekisho.data.frame.release import MaskedTable, Release
from sekisho.data.records.files import lay_out_rows, read_back, write_rows, write_whole_rows
from sekisho.data.review import ReleaseReview, review_release
from sekisho.gate.outcome import Attempt, Reason, ReviewedCandidate
from sekisho.gate.policy import list_useless_columns, make_reason
from sekisho.gate.records.recount import Recount, RowClasses, recount_promises
from sekisho.protect.records.sample import DrawnSample
from sekisho.safety.terms import RecordTerms
from sekisho.safety.usefulness import is_hardly_useful
from sekisho.utility.records.conditions import Condition
from sekisho.utility.score import Score
from sekisho.words import Said

if TYPE_CHECKING:  # the attack, which only a sample needs
    from sekisho.gate.records.known_part import KnownPartAttack

CONDITION = "condition broken"
UTILITY = ("rate", "odds", "cor")
"""The conditions that measure utility."""
FEW = 100_000
"""Up to so many rows a file is read back."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReleaseFile:
    """The bytes of a file, and what the method promised, counted from what is written."""

    content: bytes
    recounts: tuple[Recount, ...]


A_co = TypeVar("A_co", bound=Attempt, covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecordsCandidate(ReviewedCandidate[A_co]):
    """One release of records, and what came of it.

    Attributes:
        ordered: whether row i of it is known to be what became of row i of the original.
        conditions: of the round, kept or broken; none where none is asked for.
        known_part: of a sample, what one came to who knows as many records as were named; else None.
    """

    ordered: bool = True
    conditions: tuple[Condition, ...] = ()
    known_part: KnownPartAttack | None = None

    @property
    def refuted(self) -> bool:
        """Whether he was right more often than was promised."""
        risk = self.release.risk if isinstance(self.release, DrawnSample) else None
        return self.known_part is not None and self.known_part.refutes(risk)

    def write(self, rules: RecordTerms, rows: NDArray[np.intp], out: Path) -> ReleaseFile:
        """Return rows of the release, in their order, as their file has them; what was promised is counted again.

        What a review says are reasons here, and the verdict says where the file goes.

        Args:
            rules: settled by the original.
            rows: kept rows of the original, as they are published.
            out: the file; its ending says whether it is Parquet.
        """
        return write_and_count(leave_out_hidden(self.release.take(rows)), rules, out, review=self.review)


AnyRecordsCandidate: TypeAlias = RecordsCandidate[Attempt]


def judge_use(
    review: ReleaseReview, *, kept: int, rows: int, lost: float, drawn: bool = False
) -> tuple[ReleaseReview, tuple[Reason, ...]]:
    """Return the review of records with whether they are of hardly any use, and what the gate has against that.

    Few are left, their keys tell nothing, or all is noise. Records that were not drawn into a sample are not lost: so
    few were asked for.

    Args:
        review: what else a person must look at.
        kept: how many records are released.
        rows: of how many.
        lost: how much of what the keys told is lost, of at most 1.
        drawn: whether they are a sample.
    """
    little = not drawn and is_hardly_useful(kept=kept, records=rows, lost=lost)
    if not little and review.useful and not review.noisy:
        return review, ()
    names = ", ".join(review.noisy)
    noise = Said(", hardly anything is kept of {names}", names=names) if names else ""
    detail = Said(
        "{kept:,} of {rows:,} {rows:record|records} left, NCP {ncp:.3f} of at most 1{noise}",
        kept=kept,
        rows=rows,
        ncp=lost,
        noise=noise,
    )
    told = review if review.noisy or not review.useful else replace(review, useful=False, lost=lost)
    return told, (make_reason("hardly any use", detail),)


def judge_release_use(
    release: Release, review: ReleaseReview, *, lost: float
) -> tuple[ReleaseReview, tuple[Reason, ...]]:
    """Return :func:`judge_use` of a release."""
    kept, rows = int((~release.deleted).sum()), len(release.deleted)
    return judge_use(review, kept=kept, rows=rows, lost=lost, drawn=release.order is not None)


def list_useless_keys(
    lost: Score, distinct: Callable[[str], int], *, left_out: Iterable[str] = ()
) -> tuple[Reason, ...]:
    """Return that hardly anything is left of some keys; of two values either both are told or nothing is.

    Args:
        lost: the NCP, with that of each key.
        distinct: tells how many different values of a key there are in the original.
        left_out: keys that are left out on purpose, which is no surprise.
    """
    losses = {name: loss for name, loss in lost.detail.items() if distinct(name) > 2}
    return list_useless_columns(losses, left_out=left_out)


def list_useless_in_release(
    lost: Score, data: Dataset, release: Release, *, left_out: Iterable[str]
) -> tuple[Reason, ...]:
    """Return :func:`list_useless_keys` of a release in memory; of drawn records those that were not are not lost."""
    if release.order is not None:
        return ()
    return list_useless_keys(lost, lambda name: data.frame[name].n_unique(), left_out=left_out)


def score_strain(checked: tuple[Condition, ...]) -> Score:
    """Return how near a release comes to a limit of utility: the largest of value over limit, each in the detail.

    Where no measure of utility has a limit, the largest of the values themselves.
    """
    measured = [one for one in checked if one.value is not None and one.name in UTILITY]
    used = {one.name: one.value / one.limit for one in measured if one.value is not None and one.limit}
    if all(one.limit is None for one in checked if one.name in UTILITY):
        used = {one.name: one.value for one in measured if one.value is not None}
    return Score(value=max(used.values(), default=float("inf")), detail=used)


def list_broken(checked: tuple[Condition, ...]) -> tuple[Reason, ...]:
    """Return which conditions a release breaks."""
    return tuple(make_reason(CONDITION, one.describe()) for one in checked if not one.met)


def list_hidden(release: Release) -> tuple[str, ...]:
    """Return the columns of drawn records that their method hides."""
    if release.order is None or not len(release.table):
        return ()
    return tuple(name for name, cells in release.table.columns.items() if bool(cells.suppressed.all()))


def leave_out_hidden(release: Release) -> Release:
    """Return drawn records without the columns that their method hides."""
    hidden = list_hidden(release)
    if not hidden:
        return release
    schema = Schema(tuple(column for column in release.table.schema if column.name not in hidden))
    cells = {name: column for name, column in release.table.columns.items() if name not in hidden}
    return replace(release, table=MaskedTable(schema=schema, columns=cells))


def write_and_count(
    release: Release, rules: RecordTerms, out: Path, *, review: ReleaseReview | None = None
) -> ReleaseFile:
    """Return the file of a release.

    Args:
        release: its rows; take the kept ones first, in the order in which they leave.
        rules: one's own, settled by the original; or a contest's, whose files hold whole values only.
        out: where it is to be written; its ending says whether it is Parquet.
        review: what whoever writes it has been told; made now if None, and a release that may harm people is refused.

    Raises:
        ReviewNeededError: nobody reviewed it, and it may harm people.
        BugError: what is written does not keep what the method promised.
        ParameterError: Parquet, or a generalised cell, under a contest's rules.
    """
    if review is None:
        review_release(release).refuse()
    if rules.layout.strict:
        return ReleaseFile(content=write_whole_rows(release.table.to_dataset(), rules, out), recounts=())
    rows = lay_out_rows(release, rules, out)
    content = write_rows(rows, rules, out)
    if not release.detail.keys() & {"alike", "matched"}:
        return ReleaseFile(content=content, recounts=())
    if len(rows) <= FEW:
        rows = PublishedRows(read_back(content, out, rules, tuple(release.table.columns)))
    fields = {each.name: each for each in rules.layout.settle_columns(release.table.schema).columns}
    return ReleaseFile(content=content, recounts=recount_promises(RowClasses(rows=rows, fields=fields), release.detail))
