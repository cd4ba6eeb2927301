"""Releases of records at the door, whatever their cells: as CSV or Parquet, in an order that tells nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from time import process_time
from typing import cast

import numpy as np

from sekisho.cli.kit.answer import Answer, format_keys, say
from sekisho.cli.kit.progress import show_progress
from sekisho.cli.worlds.files import ProtectFiles
from sekisho.cli.worlds.originals import open_and_say
from sekisho.contest.records.files import write_number_lines
from sekisho.contest.records.release_rows import write_release_rows
from sekisho.contest.records.rules import RecordRules
from sekisho.data.frame.release import Release
from sekisho.errors import ParameterError
from sekisho.protect import Anytime, Method
from sekisho.seeds import Seed


def writes_cells(method: Method) -> bool:
    """Tell whether a method that needs no watching writes cells that only files of one's own can hold."""
    return bool(getattr(method, "generalises", False)) and not isinstance(method, Anytime)


def protect_generalised(name: str, method: Method, book: RecordRules, files: ProtectFiles, *, seed: Seed) -> Answer:
    """Generalise a file of one's own; what is written is published, its rows in an order that tells nothing.

    With a file for the deleted rows, the others stand in the original's order.
    """
    if book.own is None:
        rule = "be a schema of one's own: a contest's files hold whole values only"
        raise ParameterError("--rules", rule, book.name)
    data, book = open_and_say(files.source, book)
    start = process_time()
    with show_progress("protecting"):
        release = method.apply(data, rng=seed.child(name).rng())
    written = write_release(release, book, files, seed=seed)
    for warning in cast("Sequence[str]", release.detail.get("warnings", ())):
        say(f"{files.source}: {warning}")
    keys = {**release.detail, "seconds": process_time() - start, "seed": seed.value, "out": str(files.out)}
    review = release.detail.get("useful") is False
    if review:
        say("the release is of hardly any use")
    return Answer(keys=keys, words=format_keys(keys), review=review, files=written)


def write_release(release: Release, book: RecordRules, files: ProtectFiles, *, seed: Seed) -> dict[Path, bytes]:
    """Return the files of a release: the rows that are left, and which were deleted if that is asked for.

    Where it is not asked for, the rows stand in an order that tells nothing.
    """
    rows = np.flatnonzero(~release.deleted)
    written: dict[Path, bytes] = {}
    if files.deleted is None:
        rows = rows[seed.child("publish").rng().permutation(len(rows))]
    else:
        written[files.deleted] = write_number_lines(np.flatnonzero(release.deleted).astype(np.int64))
    return {files.out: write_release_rows(release.take(rows), book, files.out), **written}
