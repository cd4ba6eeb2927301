"""What is asked of one column, read and checked: all that is wrong with it becomes faults."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from typing import TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.values import parse_exact
from sekisho.data.frame.cells import drop_gaps, find_gaps
from sekisho.data.frame.dataset import Dataset, Kind, Role, Schema
from sekisho.errors import Fault
from sekisho.protect.records.coding.coded_column import PLAIN, NumberCoding, RareCoding
from sekisho.words import Said

T = TypeVar("T")
PERCENT = "%"
WHOLE = 100
"""Per cent."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ColumnValues:
    """The values of a column: of every record, or distinct ones with how many records bear each.

    Attributes:
        data: rows that have the column.
        weights: how many records each row stands for; None: one each.
    """

    data: Dataset
    weights: NDArray[np.int64] | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ColumnPlan:
    """What is asked of one column, as texts; made into numbers on its grid, or into faults.

    Attributes:
        schema: of the records.
        name: the column.
        asked: by rule, what is asked.
    """

    schema: Schema
    name: str
    asked: Mapping[str, object]

    def make(self, values: ColumnValues | None, faults: list[Fault]) -> NumberCoding | RareCoding:
        """Return what to do with the column; what cannot be done is added to the faults.

        Args:
            values: of the column; None where it is not one that can be coded.
            faults: what is wrong.
        """
        wrong = [*self.find_misuse()]
        faults += wrong
        if wrong or values is None:
            return NumberCoding()
        if "rare" in self.asked:
            return self._read("rare", _read_rare, faults, RareCoding())
        return self._check_order(
            NumberCoding(
                top=self._read("top", lambda value: self._read_end(value, values, largest=True), faults, None),
                bottom=self._read("bottom", lambda value: self._read_end(value, values, largest=False), faults, None),
                step=self._read("round", self._read_step, faults, None),
                edges=self._read("intervals", self._read_edges, faults, ()),
            ),
            faults,
        )

    def find_misuse(self) -> Iterator[Fault]:
        """Give what is wrong with what is asked, whatever the values are."""
        if self.name not in self.schema.names:
            yield self._fault(
                next(iter(self.asked)), Said("is no column; there are {names}", names=", ".join(self.schema.names))
            )
            return
        column = self.schema[self.name]
        if column.role is Role.IDENTIFIER:
            yield self._fault(next(iter(self.asked)), Said("is the identifier, which is left out of the release"))
        for rule in self.asked:
            if (rule == "rare") is column.kind.numeric:
                of_categories, of_numbers = (
                    Said("is of the kind {kind}; {rule} is for categories", kind=column.kind, rule=rule),
                    Said("is of the kind {kind}; {rule} is for numbers and dates", kind=column.kind, rule=rule),
                )
                yield self._fault(rule, of_categories if rule == "rare" else of_numbers)
        if "round" in self.asked and "intervals" in self.asked:
            yield self._fault("intervals", Said("cannot be rounded and put into intervals at once"))

    def _fault(self, rule: str, message: str) -> Fault:
        value = str(self.asked[rule])
        sentence = Said("{name} {message}", name=self.name, message=message)
        return Fault(row=0, column=f"--{rule}", rule=rule, value=value, message=sentence)

    def _read(self, rule: str, read: Callable[[object], T], faults: list[Fault], otherwise: T) -> T:
        if rule not in self.asked:
            return otherwise
        try:
            return read(self.asked[rule])
        except ValueError as error:
            faults.append(self._fault(rule, str(error)))
            return otherwise

    def _read_value(self, value: object) -> int:
        column = self.schema[self.name]
        values, readable = PLAIN.read(pl.Series([_write_plainly(value)], dtype=pl.String), column.kind, column.decimals)
        if not readable[0]:
            digits = f" with at most {column.decimals} decimals" if column.kind is Kind.DECIMAL else ""
            rule = f"needs a {column.kind}{digits}, not {str(value)!r}"
            raise ValueError(rule)
        return int(values[0])

    def _read_end(self, value: object, values: ColumnValues, *, largest: bool) -> int:
        text = _write_plainly(value)
        if not text.endswith(PERCENT):
            return self._read_value(text)
        return _find_end(values.data.grid(self.name), values.weights, text.removesuffix(PERCENT), largest=largest)

    def _read_step(self, value: object) -> int:
        column = self.schema[self.name]
        unit = 10**column.decimals
        try:
            step = parse_exact(str(value)) * unit
        except ValueError as error:
            rule = f"needs a step above 0, not {str(value)!r}"
            raise ValueError(rule) from error
        if step <= 0 or step.denominator != 1 or step > np.iinfo(np.int64).max // 4:
            rule = f"needs a step above 0 of at most {column.decimals} decimals, not {str(value)!r}"
            raise ValueError(rule)
        return int(step)

    def _read_edges(self, value: object) -> tuple[int, ...]:
        texts = tuple(value) if isinstance(value, tuple | list) else (value,)
        edges = tuple(self._read_value(text) for text in texts)
        if not edges or any(low >= high for low, high in pairwise(edges)):
            rule = f"needs ascending borders, not {', '.join(map(str, texts))}"
            raise ValueError(rule)
        return edges

    def _check_order(self, coding: NumberCoding, faults: list[Fault]) -> NumberCoding:
        if coding.top is not None and coding.bottom is not None and coding.bottom >= coding.top:
            message = Said(
                "needs a bottom below its top, not {bottom} and {top}",
                bottom=self.asked["bottom"],
                top=self.asked["top"],
            )
            faults.append(self._fault("bottom", message))
        return coding


def _write_plainly(value: object) -> str:
    """Return a value as a text; a float without decimals as a whole number."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()


def _find_end(grid: NDArray[np.int64], weights: NDArray[np.int64] | None, share: str, *, largest: bool) -> int:
    """Return the value from which on a tail holds at least a share of the records, and no value more than needed."""
    try:
        percent = parse_exact(share)
    except ValueError as error:
        rule = f"needs a share such as 1%, not {share + PERCENT!r}"
        raise ValueError(rule) from error
    if not 0 < percent < WHOLE or not len(grid):
        rule = f"needs a share above 0% and below 100%, not {share + PERCENT!r}"
        raise ValueError(rule)
    weights = None if weights is None else weights[~find_gaps(grid)]
    grid = drop_gaps(grid)
    if not len(grid):
        rule = "needs a number that is not missing for a share"
        raise ValueError(rule)
    records = len(grid) if weights is None else int(weights.sum())
    count = ceil(percent * records / WHOLE)
    place = records - count if largest else count - 1
    if weights is None:
        return int(np.partition(grid, place)[place])
    order = np.argsort(grid)
    return int(grid[order[np.searchsorted(np.cumsum(weights[order]), place, side="right")]])


def _read_rare(value: object) -> RareCoding:
    text, colon, label = str(value).partition(":")
    if not text.isascii() or not text.isdecimal() or not 1 <= len(text) < 16 or int(text) < 1:
        rule = f"needs the fewest records of a category, 1 or more, not {text!r}"
        raise ValueError(rule)
    if colon and not label:
        rule = "needs a label after the colon"
        raise ValueError(rule)
    return RareCoding(least=int(text), label=label if colon else None)
