"""Originals at the door: read under their rules, and what was found out, left out or dropped is said on stderr."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from sekisho.cli.kit.answer import say
from sekisho.data.files.layout import open_original
from sekisho.data.frame.dataset import Dataset
from sekisho.safety.terms import HistoryTerms, RecordTerms
from sekisho.words import Said

R = TypeVar("R", HistoryTerms, RecordTerms)


def open_and_say(path: Path, book: R) -> tuple[Dataset, R]:
    """Return an original and the rules with nothing left open, having said what there is to say of it."""
    original, settled = open_original(path, book)
    for notice in original.notices:
        say(Said("{source}: {reason}", source=path, reason=notice.message))
    return original.data, settled
