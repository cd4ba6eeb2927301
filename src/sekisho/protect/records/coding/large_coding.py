"""Coding of columns of records beyond memory: what is written depends on the value alone, so distinct values are coded.

The records pass once to count the values of the columns that are coded. Then the written text of each value is known,
and rows bear the numbers of their values until they are written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.grammar import FieldRules
from sekisho.data.files.published_frame import publish_texts, publish_values
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable, Release
from sekisho.data.frame.schema import Schema
from sekisho.errors import ParameterError
from sekisho.protect.records.coding.code import Code
from sekisho.protect.records.coding.coded_column import CodedColumn
from sekisho.protect.records.coding.column_plan import ColumnValues
from sekisho.protect.records.parts.value_codes import ValueNumbers
from sekisho.provenance import Provenance

MOST_VALUES = 5_000_000
"""So many distinct values a coded column may have: they are held in memory."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LargeCoding:
    """How columns are coded, value by value.

    Attributes:
        numbers: the numbers of the values, by column.
        coded: the coded values, by column, in the order of their numbers.
        records: how many there are.
    """

    numbers: Mapping[str, ValueNumbers]
    coded: Mapping[str, CodedColumn]
    records: int

    def number(self, data: Dataset) -> dict[str, NDArray[np.int32]]:
        """Return the numbers of the values of a block, by column."""
        return {name: numbers.number(data) for name, numbers in self.numbers.items()}

    def count_changed(self, codes: Mapping[str, NDArray[np.int32]]) -> int:
        """Return how many records of a block are written otherwise than they were."""
        return int(np.logical_or.reduce([self.coded[name].changed[code] for name, code in codes.items()]).sum())

    def write_values(self, fields: Mapping[str, FieldRules], *, as_values: bool) -> dict[str, pl.Series]:
        """Return what each value is written as, by column.

        Args:
            fields: how cells of each column are written.
            as_values: whether numbers that were only rounded stay numbers, as in Parquet.
        """
        written: dict[str, pl.Series] = {}
        for name, column in self.coded.items():
            release = Release(
                table=MaskedTable(schema=Schema((fields[name].column,)), columns={name: column.cells}),
                deleted=np.zeros(len(column.changed), dtype=np.bool_),
                provenance=Provenance(name="code", parameters={}),
                labels={} if column.labels is None else {name: column.labels},
            )
            rows = (
                publish_values(release, writing=fields[name].writing) if as_values else publish_texts(release, fields)
            )
            written[name] = rows.frame[name]
        return written


def code_blocks(method: Code, blocks: Iterable[Dataset], schema: Schema) -> LargeCoding:
    """Return how the columns of records are coded, having counted their values.

    Args:
        method: what is asked.
        blocks: the records.
        schema: of the records.

    Raises:
        FaultsError: columns are unknown or of the wrong kind, values cannot be read, borders do not ascend; all at
            once.
        ParameterError: a column has too many distinct values.
    """
    method.check_columns(schema)
    numbers = {name: ValueNumbers(schema[name]) for name in method.columns}
    records = 0
    for data in blocks:
        records += len(data)
        for name, each in numbers.items():
            each.number(data)
            if len(each.counts) > MOST_VALUES:
                rule = f"have at most {MOST_VALUES:,} distinct values to be coded beyond memory"
                raise ParameterError(f"column {name}", rule, f"more than {MOST_VALUES:,}")
    values = {name: ColumnValues(data=each.list_values(), weights=each.counts) for name, each in numbers.items()}
    return LargeCoding(numbers=numbers, coded=method.code_columns(schema, values), records=records)
