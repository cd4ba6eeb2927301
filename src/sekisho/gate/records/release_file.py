"""The file of a release of records: written, and what the method promised counted again from what is written.

A file of few rows is read back from its bytes, as whoever gets it will read it. Of a larger one the rows are counted as
they are handed to the writer: its bytes would take as long to read as all the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sekisho.data.files.published_frame import PublishedRows
from sekisho.data.frame.release import Release
from sekisho.data.records.files import lay_out_rows, write_rows, write_whole_rows
from sekisho.data.records.written_release import read_back
from sekisho.data.review import ReleaseReview, review_release
from sekisho.gate.records.recount import Recount, recount_promises
from sekisho.safety.terms import RecordTerms

FEW = 100_000
"""Up to so many rows a file is read back."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReleaseFile:
    """The bytes of a file, and what the method promised, counted from what is written."""

    content: bytes
    recounts: tuple[Recount, ...]


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
    return ReleaseFile(content=content, recounts=recount_promises(rows, release.detail, fields))
