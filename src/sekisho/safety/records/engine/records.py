"""Records beyond memory, as a question about risk needs them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import narwhals as nw
import polars as pl

from sekisho.data.engines.names import file_column, list_plain, make_plain
from sekisho.data.engines.scan import Scan
from sekisho.data.engines.session import Frame
from sekisho.data.files.schema_files.schema_file import Missing
from sekisho.data.trees.hierarchy import Tree
from sekisho.errors import LISTED, Fault, FaultsError, InputError
from sekisho.safety.records.key_choice import KeyChoice
from sekisho.words import Said

ROW, WEIGHT, COUNT = "sekisho_row", "sekisho_weight", "sekisho_count"
"""Columns of our own beside those of the file; ``ROW`` is where a record stands in its file, from 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeRecords:
    """Records of an engine.

    Attributes:
        scan: the columns that are asked about, and ``ROW``; weights as numbers in ``WEIGHT``.
        choice: which columns say what.
        trees: of sensitive columns.
        people: how many people the population has, where that is known.
        population: the keys of everybody in a population file, where there is one.
        source: the file's name.
        population_source: the population file's.
    """

    scan: Scan
    choice: KeyChoice
    trees: Mapping[str, Tree] = field(default_factory=dict[str, Tree])
    people: int | None = None
    population: Scan | None = None
    source: str = "records"
    population_source: str = "population"

    @property
    def frame(self) -> Frame:
        """The records."""
        return self.scan.frame

    @property
    def keys(self) -> tuple[str, ...]:
        """What an adversary may know."""
        return self.choice.keys

    def ask(self, frame: Frame) -> pl.DataFrame:
        """Return a small answer."""
        return self.scan.collect(frame)

    def count_rows(self) -> int:
        """Return how many records there are."""
        return int(self.ask(self.frame.select(nw.len().alias(COUNT)))[COUNT][0])

    def group(self, *names: str) -> Frame:
        """Return the classes of equal values of some columns, and in ``COUNT`` how many records each has."""
        return self.frame.group_by(*list_plain(names)).agg(nw.len().alias(COUNT))


def treat_large_missing(scan: Scan, names: tuple[str, ...], treatment: Missing, *, source: str) -> Scan:
    """Return the records that are kept where cells of some columns are missing.

    Raises:
        FaultsError: a cell is missing where none may be.
        InputError: no record is left.
    """
    if treatment in {Missing.CARRY, Missing.CATEGORY}:
        return scan
    lacking = nw.any_horizontal(*[file_column(name).is_null() for name in names], ignore_nulls=False)
    if treatment is Missing.REFUSE:
        _refuse_missing(scan, names, source)
        return scan
    kept = scan.ask(scan.frame.filter(~lacking))
    if not kept.count_rows():
        raise InputError(
            source, Said("no record is left of {records:,}: each has a missing cell", records=scan.count_rows())
        )
    return kept


def _refuse_missing(scan: Scan, names: tuple[str, ...], source: str) -> None:
    gaps = scan.collect(
        scan.frame.select(*[file_column(name).is_null().cast(nw.Int64).sum().alias(make_plain(name)) for name in names])
    )
    count = sum(int(number or 0) for number in gaps.row(0))
    if not count:
        return
    faults = list[Fault]()
    for name in names:
        rows = scan.frame.filter(file_column(name).is_null()).select(ROW).sort(ROW).head(LISTED)
        faults += [
            Fault(row=row + 1, column=name, rule="missing", value="", message=Said("{name} is missing", name=name))
            for row in scan.collect(rows)[ROW].to_list()
        ]
    raise FaultsError(source, sorted(faults, key=lambda fault: fault.row), count=count)
