"""Rows of a release of records as their file has them: in the form of the original, or as Parquet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.contest.records.files import write_records
from sekisho.contest.records.rules import RecordRules
from sekisho.data.files.frames import is_parquet, write_parquet
from sekisho.data.files.published_frame import published_frame, write_texts
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release, exact_table
from sekisho.errors import BugError


def write_release_rows(release: Release, rules: RecordRules, out: Path) -> bytes:
    """Return rows of a release as they are written; take the kept ones first, in the order in which they leave.

    Args:
        release: the rows.
        rules: a contest's, whose files hold whole values only, or one's own.
        out: the file; its ending says whether it is Parquet.
    """
    if rules.own is None:
        if is_parquet(out):
            rules.refuse_parquet()
        return write_records(release.table.to_dataset(), rules)
    fields = {each.name: each for each in rules.settle_columns(release.table.schema).columns}
    texts = write_texts(release, fields)
    _count_again(release, texts)
    if is_parquet(out):
        return write_parquet(published_frame(release, writing=next(iter(fields.values())).writing))
    return rules.form.write(texts)


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
    return write_parquet(published_frame(exact_table(data)))


def _count_again(release: Release, texts: pl.DataFrame) -> None:
    """Count the classes that a method promised once more, from the texts alone."""
    promise = cast("Mapping[str, object] | None", release.detail.get("alike"))
    if promise is None or not len(texts):
        return
    sizes = cast("NDArray[np.int64]", texts.group_by(cast("Sequence[str]", promise["keys"])).len()["len"].to_numpy())
    if int(sizes.min()) < cast("int", promise["least"]):
        raise BugError("a class of the file to be written is smaller than k")
