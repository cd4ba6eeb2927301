"""Rows of a release of records as their file has them: in the form of the original, or as Parquet."""

from __future__ import annotations

from pathlib import Path

from sekisho.contest.records.files import write_records
from sekisho.contest.records.rules import RecordRules
from sekisho.data.files.frames import is_parquet, write_parquet
from sekisho.data.files.published_frame import PublishedRows, publish_texts, publish_values
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release, exact_table


def lay_out_rows(release: Release, rules: RecordRules, out: Path) -> PublishedRows:
    """Return rows of a release as they are handed to the writer of a file of one's own.

    Args:
        release: the rows; take the kept ones first, in the order in which they leave.
        rules: one's own.
        out: the file; its ending says whether it is Parquet.
    """
    fields = {each.name: each for each in rules.settle_columns(release.table.schema).columns}
    if is_parquet(out):
        return publish_values(release, writing=next(iter(fields.values())).writing)
    return publish_texts(release, fields)


def write_rows(rows: PublishedRows, rules: RecordRules, out: Path) -> bytes:
    """Return rows as a file of one's own."""
    return write_parquet(rows.frame) if is_parquet(out) else rules.form.write(rows.frame)


def write_whole_rows(data: Dataset, rules: RecordRules, out: Path) -> bytes:
    """Return records whose values are all whole, in their order.

    Args:
        data: the rows.
        rules: a contest's, which fix the form of files, or one's own.
        out: the file; its ending says whether it is Parquet, which only data of one's own may be.

    Raises:
        ParameterError: Parquet under a contest's rules.
    """
    if not is_parquet(out):
        return write_records(data, rules)
    rules.refuse_parquet()
    return write_parquet(publish_values(exact_table(data)).frame)
