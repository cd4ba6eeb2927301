"""What is known of each key at a glance: how many cells are missing, how many values it has, and what is odd about it.

Values are counted exactly only where a number is asked for, or where their range does not settle that they are few.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import narwhals as nw

from sekisho.safety.records.key_choice import FEWEST, NEARLY_ALL, Oddity, Remark
from sekisho.safety.records.large.records import COUNT, LargeRecords

PROBED = 1000
"""So many records show, usually, that a key has several values."""
BITS: dict[nw.dtypes.DType, int] = {nw.Boolean(): 1, nw.Int8(): 8, nw.UInt8(): 8, nw.Int16(): 16, nw.UInt16(): 16}


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySurvey:
    """What is known of the keys.

    Attributes:
        rows: how many records there are.
        missing: by key, how many cells are missing.
        values: by key, how many different values there are, missing being one; None where they were not counted.
        remarks: what is odd.
    """

    rows: int
    missing: dict[str, int]
    values: dict[str, int | None]
    remarks: tuple[Remark, ...]


def survey_keys(records: LargeRecords, *, count_values: bool) -> KeySurvey:
    """Return what is known of the keys; ``count_values`` counts the values of every key."""
    names = records.keys
    filled = [nw.col(name).count().alias(f"filled {place}") for place, name in enumerate(names)]
    found = records.ask(records.frame.select(nw.len().alias(COUNT), *filled)).row(0, named=True)
    rows = int(found[COUNT])
    missing = {name: rows - int(found[f"filled {place}"]) for place, name in enumerate(names)}
    few = set[str]() if count_values else _find_few(records, rows)
    values = {name: None if name in few else _count_values(records, name) for name in names}
    remarks = [_find_remark(name, rows, missing[name], values[name]) for name in names]
    return KeySurvey(
        rows=rows, missing=missing, values=values, remarks=tuple(remark for remark in remarks if remark is not None)
    )


def _find_few(records: LargeRecords, rows: int) -> set[str]:
    """Return the keys that have several values, but far fewer than there are records: by their kinds and ranges."""
    first = records.ask(records.frame.select(*records.keys).head(PROBED))
    several = [name for name in records.keys if first[name].n_unique() > 1]
    kinds = records.frame.collect_schema()
    most = {name: BITS[kinds[name]] for name in several if kinds[name] in BITS}
    few = {name for name, bits in most.items() if 2**bits + 1 < NEARLY_ALL * rows}
    ranged = [name for name in several if name not in few and (kinds[name].is_integer() or kinds[name] == nw.Date)]
    if not ranged:
        return few
    questions = [
        question
        for place, name in enumerate(ranged)
        for question in (nw.col(name).min().alias(f"low {place}"), nw.col(name).max().alias(f"high {place}"))
    ]
    found = records.ask(records.frame.select(*questions)).row(0, named=True)
    spans = {name: _count_range(found[f"low {place}"], found[f"high {place}"]) for place, name in enumerate(ranged)}
    return few | {name for name, span in spans.items() if span + 1 < NEARLY_ALL * rows or rows < FEWEST}


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
