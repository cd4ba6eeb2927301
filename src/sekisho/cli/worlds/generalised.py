"""Releases of records of one's own at the door: made, written in an order that tells nothing, counted again, shown.

What a method promises about its classes is counted once more from what is written; where a page is asked for, the
release is also measured and attacked beside its original.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from time import process_time

import numpy as np
import polars as pl

from sekisho.cli.kit.answer import Answer, format_keys
from sekisho.cli.kit.choices import list_files
from sekisho.cli.kit.language.choice import chosen_language
from sekisho.cli.kit.progress import show_progress, watch
from sekisho.cli.kit.review import tell_review
from sekisho.cli.worlds.files import ProtectFiles
from sekisho.cli.worlds.originals import open_and_say
from sekisho.contest.records.files import write_number_lines
from sekisho.contest.records.rules import RecordRules
from sekisho.data.abilities import read_abilities
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.review import ReleaseReview, review_release
from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.tree_files import read_tree
from sekisho.errors import ParameterError
from sekisho.gate.records.recount import Recount
from sekisho.gate.records.release_file import write_and_count
from sekisho.protect import Anytime, Method, TakesTrees
from sekisho.provenance import digest_file
from sekisho.seeds import Seed, choose_words


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WrittenFiles:
    """The files of a release, what the method promised about it, counted from what is written, and its review."""

    files: Mapping[Path, bytes]
    recounts: tuple[Recount, ...]
    review: ReleaseReview


def writes_cells(method: Method) -> bool:
    """Tell whether a method writes cells that only files of one's own can hold."""
    return read_abilities(method).writes_cells


def protect_generalised(name: str, method: Method, book: RecordRules, files: ProtectFiles, *, seed: Seed) -> Answer:
    """Generalise a file of one's own; what is written is published, its rows in an order that tells nothing.

    With a file for the deleted rows, the others stand in the original's order.
    """
    if book.own is None:
        rule = "be a schema of one's own: a contest's files hold whole values only"
        raise ParameterError("--rules", rule, book.name)
    data, book = open_and_say(files.source, book)
    start = process_time()
    release = _make_release(name, method, data, seed)
    review = review_release(release, data, allowed=files.allowed)
    written = write_release(release, book, files, review, seed=seed)
    tell_review(files.source, review)
    keys = {**release.detail, "seconds": process_time() - start, "seed": seed.value, "out": str(files.out)}
    keys |= describe_recounts(written) | review.as_dict()
    page = show_release(method, data, release, written, files, seed=seed)
    keys |= {"report": str(files.report)} if page else {}
    return Answer(keys=keys, words=format_keys(keys), review=review.needed, files={**written.files, **page})


def _make_release(name: str, method: Method, data: Dataset, seed: Seed) -> Release:
    """Return a method's release; a search is watched, and may be interrupted."""
    rng = seed.child(name).rng()
    if not isinstance(method, Anytime):
        with show_progress("protecting"):
            return method.apply(data, rng=rng)
    last = watch(
        method.improve(data, rng=rng),
        doing="searching",
        tell=lambda step: f"NCP {step.utility:.5f}",
        keep=lambda step: f"the best classes so far are kept, NCP {step.utility:.5f}",
    )
    return last.release()


def write_release(
    release: Release, book: RecordRules, files: ProtectFiles, review: ReleaseReview, *, seed: Seed
) -> WrittenFiles:
    """Return the files of a release: the rows that are left, and which were deleted if that is asked for.

    Where it is not asked for, the rows stand in an order that tells nothing.
    """
    rows = np.flatnonzero(~release.deleted)
    written: dict[Path, bytes] = {}
    if files.deleted is None:
        words = choose_words(seed.child("publish").rng()).draw("order", rows.astype(np.uint64))
        rows = rows[pl.Series(words).arg_sort().to_numpy()]  # keyed by row, so that it is the same beyond memory
    else:
        written[files.deleted] = write_number_lines(np.flatnonzero(release.deleted).astype(np.int64))
    left = release.take(rows)
    counted = write_and_count(left, book, files.out, review=review)
    return WrittenFiles(files={files.out: counted.content, **written}, recounts=counted.recounts, review=review)


def describe_recounts(written: WrittenFiles) -> dict[str, object]:
    """Return what was proven of a file, as keys of an answer; none of a method that promises nothing."""
    return {"proven": [each.as_dict() for each in written.recounts]} if written.recounts else {}


def show_release(
    method: Method, data: Dataset, release: Release, written: WrittenFiles, files: ProtectFiles, *, seed: Seed
) -> dict[Path, bytes]:
    """Return the page about a release; nothing where none is asked for."""
    if files.report is None:
        return {}
    trees = {
        column: tree if isinstance(tree, Tree) else read_tree(Path(tree))
        for column, tree in (method.tree or {} if isinstance(method, TakesTrees) else {}).items()
    }
    gate = import_module("sekisho.gate.records.protection")  # brings measures and attacks, which only a page needs
    with show_progress("measuring and attacking"):
        protection = gate.examine_protection(
            data, release, written.recounts, review=written.review, trees=trees, seed=seed.child("report")
        )
    inputs = [files.source, *list_files(method)]
    origin = replace(release.provenance, seed=seed.value, inputs={one.name: digest_file(one) for one in inputs})
    pages = import_module("sekisho.report.pages.risk.protection")
    page: str = pages.render_protection_page(data, protection, origin, language=chosen_language())
    return {files.report: page.encode()}
