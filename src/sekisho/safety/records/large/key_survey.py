"""What is known of each key at a glance: how many cells are missing, how many values it has, and what is odd about it.

Values are counted exactly only where a number is asked for, or where their range does not settle that they are few.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

import narwhals as nw

from sekisho.data.large.names import file_column, list_kinds
from sekisho.safety.records.key_choice import FEWEST, NEARLY_ALL, Oddity, Remark
from sekisho.safety.records.large.packed_keys import WHOLE, KeyRange
from sekisho.safety.records.large.records import COUNT, LargeRecords

PROBED = 1000
"""So many records show, usually, that a key has several values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySurvey:
    """What is known of the keys.

    Attributes:
        rows: how many records there are.
        missing: by key, how many cells are missing.
        values: by key, how many different values there are, missing being one; None where they were not counted.
        remarks: what is odd.
        ranges: of keys that are whole numbers.
    """

    rows: int
    missing: dict[str, int]
    values: dict[str, int | None]
    remarks: tuple[Remark, ...]
    ranges: dict[str, KeyRange]


def survey_keys(records: LargeRecords, *, count_values: bool) -> KeySurvey:
    """Return what is known of the keys; ``count_values`` counts the values of every key."""
    names, kinds = records.keys, list_kinds(records.frame)
    ranged = [name for name in names if kinds[name] in WHOLE or kinds[name] == nw.Date]
    questions = [file_column(name).count().alias(f"filled {place}") for place, name in enumerate(names)]
    questions += [file_column(name).min().alias(f"low {place}") for place, name in enumerate(ranged)]
    questions += [file_column(name).max().alias(f"high {place}") for place, name in enumerate(ranged)]
    found = records.ask(records.frame.select(nw.len().alias(COUNT), *questions)).row(0, named=True)
    rows = int(found[COUNT])
    missing = {name: rows - int(found[f"filled {place}"]) for place, name in enumerate(names)}
    ends = {name: (found[f"low {place}"], found[f"high {place}"]) for place, name in enumerate(ranged)}
    few = set[str]() if count_values else _find_few(records, rows, ends)
    values = {name: None if name in few else _count_values(records, name) for name in names}
    remarks = [_find_remark(name, rows, missing[name], values[name]) for name in names]
    return KeySurvey(
        rows=rows,
        missing=missing,
        values=values,
        remarks=tuple(remark for remark in remarks if remark is not None),
        ranges={
            name: KeyRange(*ends[name], missing[name] > 0)
            for name in ranged
            if kinds[name] in WHOLE and missing[name] < rows
        },
    )


def _find_few(records: LargeRecords, rows: int, ends: Mapping[str, tuple[object, object]]) -> set[str]:
    """Return the keys that have several values, but far fewer than there are records: by their ranges."""
    if not ends:
        return set()
    first = records.ask(records.frame.select(*map(file_column, ends)).head(PROBED))
    several = [name for name in ends if first[name].n_unique() > 1]
    return {name for name in several if _count_range(*ends[name]) + 1 < NEARLY_ALL * rows or rows < FEWEST}


def _count_range(low: object, high: object) -> int:
    if isinstance(low, date) and isinstance(high, date):
        return (high - low).days + 1
    return high - low + 1 if isinstance(low, int) and isinstance(high, int) else 0


def _count_values(records: LargeRecords, name: str) -> int:
    return int(records.ask(records.group(name).select(nw.len().alias(COUNT)))[COUNT][0])


def _find_remark(name: str, rows: int, missing: int, values: int | None) -> Remark | None:
    if values == 1:
        return Remark(column=name, oddity=Oddity.MISSING if missing == rows else Oddity.CONSTANT, values=values)
    if values is not None and rows >= FEWEST and values >= NEARLY_ALL * rows:
        return Remark(column=name, oddity=Oddity.IDENTIFIER, values=values)
    return None
