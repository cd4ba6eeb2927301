"""Small records and releases of them with every kind of cell, for the measures' slow versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import polars as pl
from hypothesis import strategies as st

from sekisho.data.frame.cells import RangeCells, SetCells, gather_sets
from sekisho.data.frame.dataset import Column, Dataset, Kind, Schema
from sekisho.data.frame.release import MaskedTable, Release
from sekisho.provenance import Provenance

SCHEMA = Schema(
    (
        Column(name="age", kind=Kind.INTEGER),
        Column(name="pay", kind=Kind.INTEGER),
        Column(name="town", kind=Kind.CATEGORY),
        Column(name="job", kind=Kind.CATEGORY),
    )
)
NUMBERS, TEXTS = ("age", "pay"), ("town", "job")

NumberCell = tuple[int, int] | None
TextCell = frozenset[str] | None


@dataclass(frozen=True, kw_only=True)
class Case:
    """An original as plain values and its release as plain cells: a range, a set, or None where suppressed."""

    numbers: Mapping[str, list[int]]
    texts: Mapping[str, list[str]]
    ranges: Mapping[str, Sequence[NumberCell]]
    sets: Mapping[str, Sequence[TextCell]]
    deleted: Sequence[bool]

    @property
    def rows(self) -> int:
        return len(self.deleted)

    @cached_property
    def data(self) -> Dataset:
        return Dataset(pl.DataFrame({**self.numbers, **self.texts}, schema=_types()), SCHEMA)

    @cached_property
    def release(self) -> Release:
        deleted = np.array(self.deleted, dtype=np.bool_)
        ranges = {name: make_ranges(self.ranges[name]).suppress(deleted) for name in NUMBERS}
        sets = {name: make_sets(self.sets[name], self.data.domain(name)).suppress(deleted) for name in TEXTS}
        table = MaskedTable(schema=SCHEMA, columns={**ranges, **sets})
        return Release(table=table, deleted=deleted, provenance=Provenance(name="test"))

    def number_cells(self, name: str) -> list[NumberCell]:
        return [None if gone else cell for cell, gone in zip(self.ranges[name], self.deleted, strict=True)]

    def text_cells(self, name: str) -> list[TextCell]:
        return [None if gone else cell for cell, gone in zip(self.sets[name], self.deleted, strict=True)]


def _types() -> dict[str, pl.DataType]:
    return {**{name: pl.Int64() for name in NUMBERS}, **{name: pl.String() for name in TEXTS}}


def make_ranges(cells: Sequence[NumberCell]) -> RangeCells:
    ends = [cell or (0, 0) for cell in cells]
    return RangeCells(
        lower=np.array([low for low, _ in ends], dtype=np.int64),
        upper=np.array([high for _, high in ends], dtype=np.int64),
        suppressed=np.array([cell is None for cell in cells], dtype=np.bool_),
    )


def make_sets(cells: Sequence[TextCell], domain: tuple[str, ...]) -> SetCells:
    known = tuple(sorted({*domain, *(value for cell in cells if cell for value in cell)}))
    pairs = sorted((row, known.index(value)) for row, cell in enumerate(cells) if cell for value in cell)
    rows, codes = (np.array([pair[place] for pair in pairs], dtype=np.int64) for place in (0, 1))
    return gather_sets(rows, codes.astype(np.int32), len(cells), known)


@st.composite
def cases(draw: st.DrawFn, *, truthful: bool = False) -> Case:
    """Draw an original and a release; a truthful one's cells all admit the truth."""
    rows = draw(st.integers(1, 8))
    numbers = {name: draw(st.lists(st.integers(-5, 9), min_size=rows, max_size=rows)) for name in NUMBERS}
    texts = {name: draw(st.lists(st.sampled_from("abcd"), min_size=rows, max_size=rows)) for name in TEXTS}
    ranges: dict[str, list[NumberCell]] = {}
    for name, values in numbers.items():
        ranges[name] = [draw(_ranges(value if truthful else None)) for value in values]
    sets: dict[str, list[TextCell]] = {}
    for name, words in texts.items():
        sets[name] = [draw(_sets(sorted(set(words)), word if truthful else "")) for word in words]
    deleted = draw(st.lists(st.booleans(), min_size=rows, max_size=rows))
    return Case(numbers=numbers, texts=texts, ranges=ranges, sets=sets, deleted=deleted)


def _ranges(value: int | None) -> st.SearchStrategy[NumberCell]:
    centre = st.integers(-7, 11) if value is None else st.just(value)
    spread = st.tuples(centre, st.integers(0, 4), st.integers(0, 4)).map(
        lambda three: (three[0] - three[1], three[0] + three[2])
    )
    return st.one_of(st.none(), centre.map(lambda at: (at, at)), spread)


def _sets(domain: Sequence[str], word: str) -> st.SearchStrategy[TextCell]:
    some = st.frozensets(st.sampled_from(domain), min_size=0 if word else 1)
    return st.one_of(st.none(), some.map(lambda values: values | {word} if word else values))


def slow_distance(case: Case, person: int, row: int, names: tuple[str, ...]) -> Fraction:
    """Return how far a person of the original is from a row of the release, over some columns."""
    total = Fraction(0)
    for name in names:
        if name in TEXTS:
            cell = case.text_cells(name)[row]
            total += cell is not None and case.texts[name][person] not in cell
            continue
        span, value = case.number_cells(name)[row], case.numbers[name][person]
        if span is None or span[0] <= value <= span[1]:
            continue
        gap, width = max(span[0] - value, value - span[1]), max(case.numbers[name]) - min(case.numbers[name])
        total += min(Fraction(1), Fraction(gap, width)) if width else 1
    return total
