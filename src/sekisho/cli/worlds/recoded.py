"""Recoded records at the door: the search is watched, cells are written class by class, a poor release is named."""

from __future__ import annotations

from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, TypeGuard

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.cli.kit.answer import Answer, format_keys, say
from sekisho.cli.kit.progress import watch
from sekisho.cli.worlds.files import ProtectFiles
from sekisho.cli.worlds.originals import open_and_say
from sekisho.contest.records.files import write_number_lines
from sekisho.contest.records.rules import RecordRules
from sekisho.data.files.frames import PARQUET, frame_bytes
from sekisho.data.files.grammar import FieldRules, Grammar, write_cells
from sekisho.data.frame.cells import RangeCells
from sekisho.data.frame.schema import Kind
from sekisho.errors import BugError, ParameterError
from sekisho.protect import Method
from sekisho.seeds import Seed

if TYPE_CHECKING:  # its compiled code is loaded only where it is asked for
    from sekisho.protect.records.partition import Partition
    from sekisho.protect.records.recoding.recoded import Recoding


def is_recoder(method: Method) -> TypeGuard[Partition]:
    """Tell whether a method writes cells that only files of one's own can hold."""
    return bool(getattr(method, "generalises", False))


def protect_recoded(name: str, method: Partition, book: RecordRules, files: ProtectFiles, *, seed: Seed) -> Answer:
    """Recode a file of one's own; what is written is published, its rows in an order that tells nothing.

    With a file for the deleted rows, the others stand in the original's order.
    """
    if book.own is None:
        rule = "be a schema of one's own: a contest's files hold whole values only"
        raise ParameterError("--rules", rule, book.name)
    data, book = open_and_say(files.source, book)
    start = process_time()
    last = watch(
        method.improve(data, rng=seed.child(name).rng()),
        doing="searching",
        tell=lambda step: f"NCP {step.utility:.5f}",
        keep=lambda step: f"the best classes so far are kept, NCP {step.utility:.5f}",
    )
    recoding = last.recoding()
    detail = method.describe(recoding)
    for warning in list_texts(detail["warnings"]):
        say(f"{files.source}: {warning}")
    rows = np.flatnonzero(recoding.owner >= 0)
    if files.deleted is None:
        rows = rows[seed.child("publish").rng().permutation(len(rows))]
    frame = write_frame(recoding, book, rows, typed=files.out.suffix.lower() in PARQUET)
    if smallest_class(frame, recoding, rows) < method.k:
        raise BugError("a class of the file to be written is smaller than k")
    written = {files.out: _write_file(frame, book, files.out)}
    if files.deleted is not None:
        written[files.deleted] = write_number_lines(np.flatnonzero(recoding.owner < 0).astype(np.int64))
    keys = {**detail, "seconds": process_time() - start, "seed": seed.value, "out": str(files.out)}
    useful = bool(detail["useful"])
    if not useful:
        say(f"the release is of hardly any use: NCP {last.utility:.3f}, of at most 1")
    return Answer(keys=keys, words=format_keys(keys), review=not useful, files=written)


def list_texts(value: object) -> list[str]:
    """Return a list of texts that a method tells, as such."""
    return [str(each) for each in value] if isinstance(value, list) else []


def write_frame(recoding: Recoding, book: RecordRules, rows: NDArray[np.intp], *, typed: bool) -> pl.DataFrame:
    """Return rows as they are written: keys as the cells of their classes, all other columns as they were.

    Args:
        recoding: the classes.
        book: how values are written.
        rows: which rows, in this order.
        typed: whether numbers and dates of other columns stay such, as Parquet keeps them, or become text.
    """
    fields = {each.name: each for each in book.settle_columns(recoding.data.schema).columns}
    parts: list[pl.Series] = []
    for column in recoding.data.schema.attributes:
        if column.name in recoding.cells:
            texts = write_class_cells(recoding, column.name, fields[column.name])
            parts.append(texts.gather(recoding.owner[rows]).alias(column.name))
        elif typed and column.kind is not Kind.DECIMAL:
            parts.append(recoding.data.frame[column.name].gather(rows))
        elif column.kind.numeric:
            exact = RangeCells.exact(recoding.data.grid(column.name)[rows])
            parts.append(write_cells(exact, fields[column.name], Grammar()))
        else:
            parts.append(recoding.data.frame[column.name].gather(rows))
    return pl.DataFrame(parts)


def write_class_cells(recoding: Recoding, name: str, field: FieldRules) -> pl.Series:
    """Return a key's cell of each class as text."""
    labels = recoding.labels.get(name)
    return write_cells(recoding.cells[name], field, Grammar()) if labels is None else labels


def smallest_class(frame: pl.DataFrame, recoding: Recoding, rows: NDArray[np.intp]) -> int:
    """Return the size of the smallest class of rows whose keys are written alike, regrouped from the texts alone."""
    first = np.unique(recoding.owner[rows], return_index=True)[1]
    texts = frame.select(recoding.cells.keys())[first].with_columns(pl.Series("rows", recoding.sizes))
    together = texts.group_by(list(recoding.cells)).agg(pl.col("rows").sum())["rows"]
    return int(together.to_numpy().min(initial=len(rows)))


def _write_file(frame: pl.DataFrame, book: RecordRules, out: Path) -> bytes:
    return frame_bytes(frame, out) if out.suffix.lower() in PARQUET else book.form.write(frame)
