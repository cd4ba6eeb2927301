"""Columns that name people together: two of exact coordinates, and parts of what names people in another column.

Under headers that say nothing, a family name is known by standing in the mail address of the same row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

import polars as pl

from sekisho.data.frame.schema import Kind
from sekisho.data.identity.column_evidence import ColumnEvidence, Ground, Identifying
from sekisho.data.identity.content_judgement import holds_single_words
from sekisho.data.identity.forms import IdentityForm
from sekisho.data.identity.header_words import fold

FINE = r"\.[0-9]{4,}$"
MOSTLY = 0.5
ROWS = 500
SHORTEST = 3


def judge_neighbours(
    evidence: Mapping[str, ColumnEvidence], judged: Mapping[str, Identifying], cells: Mapping[str, pl.Series]
) -> Mapping[str, Identifying]:
    """Return the further columns that name people because of what stands beside them."""
    open_columns = {name: each for name, each in evidence.items() if name not in judged and not each.is_innocent}
    further = {
        name: Identifying(column=name, ground=Ground.CONTENT, sign=IdentityForm.COORDINATES.value)
        for name in _list_coordinates(open_columns, list(evidence))
    }
    wholes = [name for name, finding in judged.items() if finding.ground is not Ground.DISTINCT and name in cells]
    for name, each in open_columns.items():
        if each.kind is not Kind.CATEGORY or name not in cells or name in further:
            continue
        if any(_is_part(cells[name], cells[whole]) for whole in wholes):
            further[name] = Identifying(column=name, ground=Ground.CONTENT, sign=IdentityForm.PARTS.value)
    for name in _list_beside_names(open_columns, judged, list(evidence)):
        further.setdefault(name, Identifying(column=name, ground=Ground.CONTENT, sign=IdentityForm.WORDS.value))
    return further


def _list_beside_names(
    columns: Mapping[str, ColumnEvidence], judged: Mapping[str, Identifying], order: list[str]
) -> Iterator[str]:
    """Give columns of single words without a telling header that stand beside a column of names."""
    for first, second in pairwise(order):
        for name, other in ((first, second), (second, first)):
            named = other in judged and judged[other].sign in (IdentityForm.NAMES.value, IdentityForm.WORDS.value)
            if named and name in columns and columns[name].is_meaningless and holds_single_words(columns[name]):
                yield name


def _list_coordinates(columns: Mapping[str, ColumnEvidence], order: list[str]) -> Iterator[str]:
    """Give decimals that stand beside each other and can be latitude and longitude, exact to four decimals or more."""
    for first, second in pairwise(order):
        if first not in columns or second not in columns:
            continue
        ranges = [_find_range(columns[name]) for name in (first, second)]
        if None in ranges:
            continue
        limits = sorted(max(abs(low), abs(high)) for low, high in filter(None, ranges))
        if limits[0] <= 90 and 10 <= limits[1] <= 180:
            yield from (first, second)


def _find_range(column: ColumnEvidence) -> tuple[float, float] | None:
    if column.kind is not Kind.DECIMAL or not column.covers(0.1):
        return None
    fine = float(column.probe.str.contains(FINE).sum())
    if fine < MOSTLY * len(column.probe):
        return None
    numbers = column.probe.str.replace(",", ".", literal=True).cast(pl.Float64, strict=False).drop_nulls()
    return (float(numbers.to_numpy().min()), float(numbers.to_numpy().max())) if len(numbers) else None


def _is_part(parts: pl.Series, wholes: pl.Series) -> bool:
    step = max(1, len(parts) // ROWS)
    pairs = zip(parts.gather_every(step).to_list(), wholes.gather_every(step).to_list(), strict=True)
    folded = [(_letters(part), _letters(whole)) for part, whole in pairs if part and whole]
    told = [(part, whole) for part, whole in folded if len(part) >= SHORTEST]
    if len(told) < 5 or len({part for part, _ in told}) < 5:
        return False
    return sum(part in whole and part != whole for part, whole in told) >= MOSTLY * len(told)


def _letters(text: str) -> str:
    return "".join(sign for sign in fold(text) if sign.isalpha())
