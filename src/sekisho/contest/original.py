"""Originals of any shape, of a contest or of one's own: the data, the rules with nothing left open, and notices."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from sekisho.contest.history import files as history_files
from sekisho.contest.history.rules import HistoryRules
from sekisho.contest.records import files as records_files
from sekisho.contest.records.rules import RecordRules
from sekisho.data.files.schema_files.columns import Notice
from sekisho.data.files.schema_files.reading import read_own
from sekisho.data.frame.dataset import Dataset

R = TypeVar("R", HistoryRules, RecordRules)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Original:
    """An original that was read.

    Attributes:
        data: what was read, without the rows that the schema drops.
        notices: what was found out, left out or dropped, each a sentence; nothing of a contest's file.
    """

    data: Dataset
    notices: tuple[Notice, ...] = ()


def open_original(path: Path, rules: R) -> tuple[Original, R]:
    """Return an original, and the rules with columns, kinds and the form of files settled by it.

    Files that are made under the settled rules are written as the original is.
    """
    if rules.own is not None:
        own_data = read_own(path, rules.own)
        return Original(data=own_data.data, notices=own_data.notices), rules.adopt_schema(own_data.schema)
    if isinstance(rules, HistoryRules):
        return Original(data=history_files.read_original(path, rules)), rules
    return Original(data=records_files.read_original(path, rules)), rules
