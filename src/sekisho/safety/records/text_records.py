"""Records that were read as texts, coded for a question about risk: keys, sensitive columns, weights, population."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.plain_files.number_forms import find_mark, read_floats
from sekisho.data.files.plain_table import FrameSource
from sekisho.data.files.schema_files.schema_file import Missing, SchemaFile
from sekisho.data.files.values import parse_exact
from sekisho.data.files.whole_files import is_file
from sekisho.data.records.text_table import TextTable, read_text_table, treat_missing
from sekisho.data.trees.hierarchy import Tree
from sekisho.errors import ParameterError
from sekisho.safety.records.assessment import KeyedRecords
from sekisho.safety.records.classes import ColumnCodes
from sekisho.safety.records.key_choice import KeyChoice
from sekisho.safety.records.presence import match_population
from sekisho.safety.records.reidentification import check_weights
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TextRecords:
    """Records as texts, and what is asked of them.

    Attributes:
        table: the texts.
        choice: which columns are what.
        schema: how their file is written; a file of the population is written alike.
        missing: what becomes of missing cells.
        trees: of sensitive columns.
        population: how many people there are, the sampling fraction, their file, or their frame; empty if nothing is
            known.
        source: what they are called in messages.
    """

    table: TextTable
    choice: KeyChoice
    schema: SchemaFile
    missing: Missing = Missing.CATEGORY
    trees: Mapping[str, Tree] = field(default_factory=dict[str, Tree])
    population: str | FrameSource = ""
    source: str

    def code(self) -> KeyedRecords:
        """Return the records, coded.

        Raises:
            FaultsError: columns are not there, or cells that no one may miss; all of them at once.
            ParameterError: the population is none.
        """
        table, choice = self.table, self.choice
        choice.check(table.names, source=self.source)
        whole = table.frame.select(choice.used)
        kept = treat_missing(whole, self.missing, source=self.source)
        frame = whole if len(kept) == whole.height else whole[kept]
        rows = table.rows[kept]
        sensitive = {name: _code_sensitive(frame[name]) for name in choice.sensitive}
        records = KeyedRecords(
            keys={name: ColumnCodes.of(frame[name]) for name in choice.keys},
            sensitive={name: column for name, (column, _) in sensitive.items()},
            ordered=frozenset(name for name, (_, is_ordered) in sensitive.items() if is_ordered),
            trees=self.trees,
            weights=_read_weights(frame[choice.weights], rows, self.source) if choice.weights else None,
            rows=rows,
            household=ColumnCodes.of(frame[choice.household]) if choice.household else None,
        )
        return self._add_population(records, frame.select(choice.keys))

    def _add_population(self, records: KeyedRecords, keys: pl.DataFrame) -> KeyedRecords:
        """Return the records with what is said of the population: its size, the sampling fraction, or its file."""
        told = self.population
        if not told:
            return records
        people = parse_population(told, len(records)) if isinstance(told, str) else None
        if people is not None:
            return replace(records, people=people)
        table = read_text_table(Path(told) if isinstance(told, str) else told, self.schema)
        KeyChoice(keys=tuple(keys.columns)).check(table.names, source=str(told))
        population = match_population(keys, table.frame.select(keys.columns), source=str(told), rows=records.rows)
        return replace(records, population=population)


def _code_sensitive(texts: pl.Series) -> tuple[ColumnCodes, bool]:
    """Return a sensitive column; where all its values are numbers, they stand in their order."""
    column = ColumnCodes.of(texts)
    words = pl.Series(column.values, dtype=pl.String)
    numbers = read_floats(words, find_mark([words], None))
    if numbers.null_count() or not bool(numbers.is_finite().all()):
        return column, False
    order = numbers.to_numpy().argsort(kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return ColumnCodes(codes=place[column.codes], values=tuple(column.values[at] for at in order.tolist())), True


def _read_weights(texts: pl.Series, rows: NDArray[np.int64], source: str) -> NDArray[np.float64]:
    weights = read_floats(texts, find_mark([texts], None)).fill_null(float("nan")).to_numpy().astype(np.float64)
    check_weights(weights, texts.fill_null("").to_list(), rows, name=texts.name, source=source)
    return weights


def parse_population(text: str, rows: int) -> int | None:
    """Return how many people there are: a number, or the records by a sampling fraction; None where it is a file.

    Raises:
        ParameterError: it is none of these.
    """
    try:
        number = parse_exact(text)
    except ValueError as error:
        if not is_file(Path(text)):
            rule = Said("be a number of people, a sampling fraction such as 0.01 or 1/100, or a file")
            raise ParameterError("population", rule, text) from error
        return None
    if number.denominator == 1 and text.strip().isdecimal():
        return int(number)
    if not 0 < number <= 1:
        raise ParameterError("population", Said("be whole, or a sampling fraction above 0 and at most 1"), text)
    return round(rows / number)
