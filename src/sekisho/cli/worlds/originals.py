"""Originals at the door: read under their rules, and what was found out, left out or dropped is said on stderr."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from sekisho.cli.kit.answer import say
from sekisho.contest.history.rules import HistoryRules
from sekisho.contest.original import open_original
from sekisho.contest.records.rules import RecordRules
from sekisho.data.frame.dataset import Dataset

R = TypeVar("R", HistoryRules, RecordRules)


def open_and_say(path: Path, book: R) -> tuple[Dataset, R]:
    """Return an original and the rules with nothing left open, having said what there is to say of it."""
    original, settled = open_original(path, book)
    for notice in original.notices:
        say(f"{path}: {notice.message}")
    return original.data, settled
