"""The files of contests over records, as the verbs read them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sekisho.contest.records.files import (
    read_record_guess,
    read_record_original,
    read_record_release,
)
from sekisho.contest.records.rules import RecordRules
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.errors import ParameterError

Deleted = Annotated[
    Path | None, typer.Option("--deleted", help="Of records: X, the deleted rows of the original from 0.")
]


def needed(name: str, value: Path | None) -> Path:
    """Return an option that the kind of contest needs."""
    if value is None:
        raise ParameterError(f"--{name}", "be given under these rules", None)
    return value


def read_both(
    book: RecordRules, original: Path, released: Path | None, deleted: Path | None
) -> tuple[Dataset, Release]:
    """Return B, and D with X as a release of it."""
    data = read_record_original(original, book)
    return data, read_record_release(needed("released", released), needed("deleted", deleted), book, data)


def read_attack(book: RecordRules, guess: Path, rows: int) -> object:
    """Return an attack, checked against the rows of D and the size of the test set."""
    return read_record_guess(guess, book, records=book.test.members + book.test.others, rows=rows)
