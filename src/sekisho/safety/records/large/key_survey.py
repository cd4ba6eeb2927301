"""What is known of each key at a glance: how many cells are missing, how many values it has, and what is odd about it.

Values are counted exactly only where a number is asked for, or where their range does not settle that they are few.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import narwhals as nw

from sekisho.safety.records.key_choice import FEWEST, NEARLY_ALL, Oddity, Remark
from sekisho.safety.records.large.records import COUNT, LargeRecords


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
    kinds = records.frame.collect_schema()
    questions = [nw.len().alias(COUNT)]
    for place, name in enumerate(names):
        cell = nw.col(name)
        questions.append(cell.is_null().cast(nw.Int64).sum().alias(f"gaps {place}"))
        if _has_range(kinds[name]):
            questions += [cell.min().alias(f"low {place}"), cell.max().alias(f"high {place}")]
    found = records.ask(records.frame.select(*questions)).row(0, named=True)
    rows = int(found[COUNT])
    missing = {name: int(found[f"gaps {place}"] or 0) for place, name in enumerate(names)}
    values = dict[str, int | None]()
    for place, name in enumerate(names):
        most = _count_range(found.get(f"low {place}"), found.get(f"high {place}"))
        most = None if most is None else most + (missing[name] > 0)
        few = most is not None and (most < NEARLY_ALL * rows or rows < FEWEST)
        settled = few and found[f"low {place}"] != found[f"high {place}"]
        values[name] = None if settled and not count_values else _count_values(records, name)
    remarks = [_find_remark(name, rows, missing[name], values[name]) for name in names]
    return KeySurvey(
        rows=rows, missing=missing, values=values, remarks=tuple(remark for remark in remarks if remark is not None)
    )


def _has_range(kind: nw.dtypes.DType) -> bool:
    return kind.is_integer() or kind == nw.Date


def _count_range(low: object, high: object) -> int | None:
    if isinstance(low, int) and isinstance(high, int):
        return high - low + 1
    if isinstance(low, date) and isinstance(high, date):
        return (high - low).days + 1
    return None


def _count_values(records: LargeRecords, name: str) -> int:
    return int(records.ask(records.group(name).select(nw.len().alias(COUNT)))[COUNT][0])


def _find_remark(name: str, rows: int, missing: int, values: int | None) -> Remark | None:
    if values == 1:
        return Remark(column=name, oddity=Oddity.MISSING if missing == rows else Oddity.CONSTANT, values=values)
    if values is not None and rows >= FEWEST and values >= NEARLY_ALL * rows:
        return Remark(column=name, oddity=Oddity.IDENTIFIER, values=values)
    return None
