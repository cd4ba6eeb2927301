"""One block of a file of one's own: what it tells of the columns' kinds, and its data once they are settled.

Both readers hold no rows and can be sent to another machine. What a text is, is found out once for all cells of a block
that hold it, as long as all of them are as they should be; else the block is read cell by cell, as a file is.

A few texts of a column from which everything is found out that all of them decide.

What kind of values a column holds, with how many decimals, and how its file writes dates and numbers, is asked of all
its texts: is there one that is no date, no number, a code? how many digits has the longest? A few texts answer like all
of them, so a file of any size can be asked block by block, and the blocks' few texts together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.plain_files.date_forms import SHORT_DAY, SLASHED_DAY, read_days
from sekisho.data.files.plain_files.number_forms import strip_marks
from sekisho.data.files.plain_files.numbers import (
    CODE,
    COMMA,
    MARKED,
    POINT,
    are_numbers,
    measure_digits,
    spell_out_exponents,
)
from sekisho.data.files.schema_files.columns import FileColumns, Notice, format_values, match_columns
from sekisho.data.files.schema_files.reading import OwnData, read_texts, settle_schema
from sekisho.data.files.schema_files.schema_file import (
    MISSING_VALUE,
    ColumnRules,
    FileRules,
    Missing,
    Outside,
    SchemaFile,
)
from sekisho.data.files.schema_files.understood_columns import find_missing, holds_categories, is_formed
from sekisho.data.frame.dataset import Dataset, Schema
from sekisho.errors import FaultsError, ParameterError
from sekisho.words import Said

SAMPLED, SEED = 200, 1
"""So many texts of a column that is not plainly dates or numbers tell its form."""


def keep_witnesses(words: pl.Series, date_format: str) -> pl.Series:
    """Return a few of some distinct texts, none of them missing, that answer like all of them.

    Args:
        words: the texts.
        date_format: in which dates are written, as far as it is said.
    """
    if not len(words):
        return words
    masks = [np.ones(len(words), dtype=np.bool_), ~read_days(words, date_format)[1]]
    days = read_days(words, "")[1]
    masks += [
        ~days,
        days & ~_matches(words, SLASHED_DAY),
        days & _matches(words, SHORT_DAY),
        _matches(words, MARKED),
    ]
    places = {int(np.argmax(mask)) for mask in masks if mask.any()}
    plain = bool(days.all()) or any(_are_numbers(words, mark) for mark in (POINT, COMMA))
    bare = [] if plain else [strip_marks(words).fill_null("")]
    places |= set() if plain else set(_sample(words))
    for mark in (POINT, COMMA):
        for texts in (words, spell_out_exponents(words, mark), *bare):
            number, whole, after = measure_digits(texts, mark)
            code, other = _matches(texts, CODE), ~number
            places |= {int(np.argmax(mask)) for mask in (code, other) if mask.any()}
            if number.any():
                places |= {int(np.argmax(np.where(number, digits, -1))) for digits in (whole, after)}
    return words.gather(sorted(places))


def _are_numbers(words: pl.Series, mark: str) -> bool:
    return are_numbers(spell_out_exponents(words, mark), mark)


def _sample(words: pl.Series) -> list[int]:
    """Return the places of texts that tell in which form a column is written, the same whichever block holds them."""
    order = words.hash(seed=SEED).arg_sort()
    return order.head(SAMPLED).to_list()


def _matches(words: pl.Series, pattern: str) -> NDArray[np.bool_]:
    return words.str.contains(pattern).to_numpy().astype(np.bool_)


FEW = 4
"""A column is read by its distinct values where a block has this many times as many rows."""
GAP = pl.Series([None], dtype=pl.String)
TELLABLE = 100
"""So many texts are told as they are, rather than searched for the few that answer like all of them."""


class _ReadBefore(NamedTuple):
    """Distinct cells of a column that are as they should be, sorted, and what they are read as."""

    cells: pl.Series
    values: pl.Series


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BlockReader:
    """Reads blocks of a file whose schema is settled.

    Attributes:
        path: the file, as messages name it.
        columns: those that are read, by what the file calls them.
        schema: with nothing left open.
        form: how the file was written.
    """

    path: Path
    columns: Mapping[str, ColumnRules]
    schema: SchemaFile
    form: CsvForm
    _read_before: dict[str, _ReadBefore] = field(default_factory=dict[str, "_ReadBefore"], repr=False)

    @property
    def data_schema(self) -> Schema:
        """The columns of the data."""
        return Schema(tuple(field.column for field in self.schema.fields()))

    def read(self, frame: pl.DataFrame) -> OwnData:
        """Return the data of a block.

        Raises:
            FaultsError: cells break the rules; rows count from 1 in the block.
        """
        return self._read_distinct(frame) or self._read_cells(
            {name: frame[name] for name in self.columns}, frame.height
        )

    def _read_distinct(self, frame: pl.DataFrame) -> OwnData | None:
        """Return the data of a block, texts that many cells hold read once; None where a cell breaks a rule."""
        parts = dict[str, pl.Series]()
        for name, rules in self.columns.items():
            cells = _encode(frame[name])
            if len(cells.values) * FEW <= frame.height:
                values = self._look_up(name, cells.values)
                if values is None:
                    return None
                parts[rules.output_name] = values.gather(cells.codes)
        others = {name: frame[name] for name, rules in self.columns.items() if rules.output_name not in parts}
        rest = self._read_cells(others, frame.height)
        if len(rest.rows) < frame.height:
            return None
        schema = self.data_schema
        columns = [parts[name] if name in parts else rest.data.frame[name] for name in schema.names]
        return replace(rest, data=Dataset(pl.DataFrame(columns), schema), schema=self.schema)

    def _look_up(self, name: str, cells: pl.Series) -> pl.Series | None:
        """Return what distinct cells of a column are read as; None where one of them breaks a rule.

        What was read once is remembered: most blocks hold the same few values.
        """
        memory = self._read_before.get(name)
        if memory is not None:
            places = memory.cells.search_sorted(cells).clip(0, len(memory.cells) - 1)
            if bool(memory.cells.gather(places).eq_missing(cells).all()):
                return memory.values.gather(places)
            cells_now = pl.concat([memory.cells, cells]).unique().sort()
        else:
            cells_now = cells.sort()
        try:
            read = self._read_cells({name: cells_now}, len(cells_now))
        except FaultsError:
            return None
        if read.notices or len(read.rows) < len(cells_now):
            return None
        values = read.data.frame[self.columns[name].output_name]
        self._read_before[name] = _ReadBefore(cells_now, values)
        return values.gather(cells_now.search_sorted(cells))

    def _read_cells(self, cells: Mapping[str, pl.Series], rows: int) -> OwnData:
        rules = tuple(self.columns[name] for name in cells)
        file = self.schema.file
        texts = {self.columns[name].output_name: format_values(self.path, each, file) for name, each in cells.items()}
        settled = {each.output_name: each for each in self.schema.columns}
        columns = FileColumns(
            columns=tuple(settled[each.output_name] for each in rules),
            texts=texts,
            rows=rows,
            form=self.form,
            notices=[],
        )
        return read_texts(self.path, columns, self.schema, whole=False)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BlockColumns:
    """The columns of a file that are read, as long as their kinds are open.

    Attributes:
        path: the file, as messages name it.
        columns: by what the file calls them.
        schema: of the file.
        form: how it is written.
        left_out: what there is to say of columns that are not read.
    """

    path: Path
    columns: Mapping[str, ColumnRules]
    schema: SchemaFile
    form: CsvForm
    left_out: tuple[Notice, ...]

    def find_witnesses(self, frame: pl.DataFrame) -> dict[str, pl.Series]:
        """Return a few texts of each column of a block, by output name: they answer like all of them.

        Rows with a missing cell that drops them have no say. A null stands for missing cells that may be a category.
        """
        file = self.schema.file
        dropping = [
            name for name, rules in self.columns.items() if (rules.missing or self.schema.missing_cells) is Missing.DROP
        ]
        kept = _drop_missing(self.path, frame, dropping, file)
        words = dict[str, pl.Series]()
        for name, rules in self.columns.items():
            texts = format_values(self.path, kept[name].unique(maintain_order=True), file).alias("")
            missing = find_missing(texts, file)
            has_gaps = bool(missing.any()) and (rules.missing or self.schema.missing_cells) is Missing.CATEGORY
            texts = texts.filter(pl.Series(~missing)) if missing.any() else texts
            few = texts if len(texts) <= TELLABLE else self.merge_witnesses(texts)
            words[rules.output_name] = few.extend(GAP) if has_gaps else few
        return words

    def merge_witnesses(self, words: pl.Series) -> pl.Series:
        """Return those of some texts of a column that answer like all of them."""
        distinct = words.unique(maintain_order=True)
        few = keep_witnesses(distinct.drop_nulls(), self.schema.file.date_format)
        return few.extend(GAP) if distinct.null_count() else few

    def settle(self, words: Mapping[str, pl.Series]) -> tuple[BlockReader, tuple[Notice, ...]]:
        """Return what reads the file, and what was found out, having been told a few texts of each column."""
        named = {rules: self._name_gaps(rules, words[rules.output_name]) for rules in self.columns.values()}
        rows = max(1, *map(len, named.values()))
        texts = {rules.output_name: _fill_up(words, rows) for rules, words in named.items()}
        few = FileColumns(columns=tuple(self.columns.values()), texts=texts, rows=rows, form=self.form, notices=[])
        settled, found = settle_schema(few, self.schema)
        reader = BlockReader(path=self.path, columns=self.columns, schema=settled, form=self.form)
        return reader, (*self.left_out, *found)

    def _name_gaps(self, column: ColumnRules, words: pl.Series) -> pl.Series:
        """Return texts of a column among which missing cells are one if they are going to be a category."""
        texts = words.drop_nulls()
        file = self.schema.file
        if len(texts) == len(words) or not holds_categories(column, texts, file):
            return texts
        if column.kind is None and is_formed(texts, column.source_name, file, self.form):
            return texts
        return texts.extend(pl.Series([MISSING_VALUE]))


def match_block_columns(path: Path, names: Sequence[str], schema: SchemaFile, form: CsvForm) -> BlockColumns:
    """Return which columns of a file are read.

    Args:
        path: as messages name it.
        names: of its columns.
        schema: of the file.
        form: how it is written.

    Raises:
        InputError: a column is lacking.
        ParameterError: rows are dropped by limits, and a column's kind is left open, which the other rows decide.
    """
    columns, left_out = match_columns(path, names, schema, header=bool(form.header))
    dropping = [
        each.output_name for each in columns.values() if each.outside is Outside.DROP and (each.low or each.high)
    ]
    open_kinds = [each.output_name for each in columns.values() if each.kind is None]
    if dropping and open_kinds:
        rule = Said("say the kind of every column where rows are dropped by limits, to be read block by block")
        raise ParameterError("schema", rule, open_kinds)
    return BlockColumns(path=path, columns=columns, schema=schema, form=form, left_out=tuple(left_out))


class _Coded(NamedTuple):
    """The distinct values of a column, and the place among them of each row's."""

    values: pl.Series
    codes: NDArray[np.int32]


def _encode(cells: pl.Series) -> _Coded:
    import pyarrow as pa  # comes with the engines, whose blocks these are

    array = cells.rechunk().to_arrow()
    coded = pa.array(array).dictionary_encode(null_encoding="encode")
    return _Coded(pl.Series(cells.name, coded.dictionary), coded.indices.to_numpy())


def _fill_up(words: pl.Series, rows: int) -> pl.Series:
    filling = words[0] if len(words) else MISSING_VALUE
    return pl.concat([words, pl.Series([filling] * (rows - len(words)), dtype=pl.String)])


def _drop_missing(path: Path, frame: pl.DataFrame, names: Sequence[str], file: FileRules) -> pl.DataFrame:
    """Return the rows without missing cells in some columns; a column whose distinct cells are none is not searched."""
    gone = np.zeros(frame.height, dtype=np.bool_)
    for name in names:
        if find_missing(format_values(path, frame[name].unique(), file), file).any():
            gone |= find_missing(format_values(path, frame[name], file), file)
    return frame.filter(pl.Series(~gone)) if gone.any() else frame
