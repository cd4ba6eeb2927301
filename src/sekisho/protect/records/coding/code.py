"""Code columns: cut tails, round, put into intervals, merge rare categories.

Against whom: one who recognises a person by a value that hardly anybody else has, a very large income or a rare job.
Nothing is promised beyond that: several coded columns together may still single a record out. How many records bear
each coded value is reported, since sampling promises nothing where a value known to be unique is left as it is.

Source: Hundepool et al., "Statistical Disclosure Control", Wiley 2012, section 3.4 (global recoding, top and bottom
coding, rounding); Kikuchi, "How much can sampling reduce the identification risk", section 4 (outliers are coded
first).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from sekisho.data.frame.cells import Cells
from sekisho.data.frame.dataset import Dataset, Schema
from sekisho.data.frame.release import MaskedTable, Release, exact_table
from sekisho.data.records.space import require_one_row
from sekisho.data.shape import Abilities, Place, Shape
from sekisho.errors import Fault, FaultsError, ParameterError
from sekisho.parameters import checked
from sekisho.protect.records.coding.coded_column import CodingResult, NumberCoding, code_numbers, merge_rare
from sekisho.protect.records.coding.column_plan import ColumnPlan, ColumnValues
from sekisho.provenance import Provenance, list_parameters
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Code:
    """Code columns: top and bottom, rounding, intervals, merging of rare categories.

    Nothing provable is promised: what is coded, and how many records bear it, is counted and said.

    Example: `sekisho protect code people.csv --top income=100000,age=1% --rare job=20:Other --out R.csv`

    Source: Hundepool et al., Statistical Disclosure Control, 2012, section 3.4.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})
    abilities: ClassVar[Abilities] = Abilities(writes_cells=True, runs_on=frozenset({Place.MEMORY, Place.ENGINE}))

    top: Mapping[str, str | float] = field(
        default_factory=dict[str, str | float],
        metadata={"help": "By column, the value from which on it is written >=value, or the share of records: 1%."},
    )
    bottom: Mapping[str, str | float] = field(
        default_factory=dict[str, str | float],
        metadata={"help": "By column, the value down from which it is written <=value, or the share of records: 1%."},
    )
    round: Mapping[str, str | float] = field(
        default_factory=dict[str, str | float],
        metadata={"help": "By column, the step to whose multiples values are rounded, halves up; of dates, days."},
    )
    intervals: Mapping[str, tuple[str, ...]] = field(
        default_factory=dict[str, tuple[str, ...]],
        metadata={"help": "By column, ascending borders of intervals, each with its lower border: age=0,18,65."},
    )
    rare: Mapping[str, str | int] = field(
        default_factory=dict[str, str | int],
        metadata={
            "help": "By column, the fewest records of a category; rarer ones are merged: job=20 or job=20:Other."
        },
    )

    def __post_init__(self) -> None:
        if not any(self._rules().values()):
            rules = ", ".join(self._rules())
            raise ParameterError("code", Said("be given at least one of {rules}", rules=rules), "none")

    def _rules(self) -> dict[str, Mapping[str, object]]:
        return {
            "top": self.top,
            "bottom": self.bottom,
            "round": self.round,
            "intervals": self.intervals,
            "rare": self.rare,
        }

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> Release:
        """Return the coded records; none is deleted and no chance plays a part.

        Raises:
            FaultsError: columns are unknown or of the wrong kind, values cannot be read, borders do not ascend; all at
                once.
        """
        del rng
        require_one_row(data)
        coded = self.code_columns(data.schema, {name: ColumnValues(data=data) for name in self.columns})
        exact = exact_table(data).columns
        columns: dict[str, Cells] = {
            name: coded[name].cells if name in coded else cells for name, cells in exact.items()
        }
        changed = np.zeros(len(data), dtype=np.bool_)
        for column in coded.values():
            changed |= column.changed
        return Release(
            table=MaskedTable(schema=data.schema, columns=columns),
            deleted=np.zeros(len(data), dtype=np.bool_),
            provenance=Provenance(name="code", parameters=list_parameters(self)),
            detail=describe_coding(coded, records=len(data), changed=int(changed.sum())),
            labels={name: column.labels for name, column in coded.items() if column.labels is not None},
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are coded."""
        return tuple(dict.fromkeys(name for rule in self._rules().values() for name in rule))

    def check_columns(self, schema: Schema) -> None:
        """Refuse what cannot be done to columns of these kinds, whatever their values are.

        Raises:
            FaultsError: all at once.
        """
        faults = [fault for plan in self._list_plans(schema) for fault in plan.find_misuse()]
        if faults:
            raise FaultsError(Said("options"), faults)

    def _list_plans(self, schema: Schema) -> list[ColumnPlan]:
        rules = self._rules().items()
        return [
            ColumnPlan(
                schema=schema, name=name, asked={rule: columns[name] for rule, columns in rules if name in columns}
            )
            for name in self.columns
        ]

    def code_columns(self, schema: Schema, values: Mapping[str, ColumnValues]) -> dict[str, CodingResult]:
        """Return the coded columns, having collected everything that is wrong with what was asked.

        Args:
            schema: of the records.
            values: of the columns that are coded, of every record or distinct ones with their numbers of records.
        """
        faults: list[Fault] = []
        codings = {plan.name: plan.make(values.get(plan.name), faults) for plan in self._list_plans(schema)}
        if faults:
            raise FaultsError(Said("options"), faults)
        coded: dict[str, CodingResult] = {}
        for name, coding in codings.items():
            column, data, weights = schema[name], values[name].data, values[name].weights
            if isinstance(coding, NumberCoding):
                coded[name] = code_numbers(column, data.grid(name), coding, weights)
            else:
                coded[name] = merge_rare(column, data.codes(name), data.domain(name), coding, weights)
        return coded


def describe_coding(coded: Mapping[str, CodingResult], *, records: int, changed: int) -> dict[str, object]:
    """Return what is told of coded records, as plain data."""
    return {
        "coded": {name: dict(column.report) for name, column in coded.items()},
        "records": records,
        "changed": changed,
        "warnings": [warning for column in coded.values() for warning in column.warnings],
    }
