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

from sekisho.data.files.values.exact_numbers import parse_exact
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.schema import Kind, Role
from sekisho.errors import Fault
from sekisho.protect.records.coding.coded_column import PLAIN, NumberCoding

T = TypeVar("T")
PERCENT = "%"
WHOLE = 100
"""Per cent."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ColumnPlan:
    """What is asked of one column, as texts; made into numbers on its grid, or into faults."""

    data: Dataset
    name: str
    asked: Mapping[str, object]

    def make(self, faults: list[Fault]) -> NumberCoding | tuple[int, str | None]:
        """Return what to do with the column; what cannot be done is added to the faults."""
        wrong = [*self._find_misuse()]
        faults += wrong
        if wrong:
            return NumberCoding()
        if "rare" in self.asked:
            return self._read("rare", _read_rare, faults, (1, None))
        return self._check_order(
            NumberCoding(
                top=self._read("top", lambda value: self._read_end(value, largest=True), faults, None),
                bottom=self._read("bottom", lambda value: self._read_end(value, largest=False), faults, None),
                step=self._read("round", self._read_step, faults, None),
                edges=self._read("intervals", self._read_edges, faults, ()),
            ),
            faults,
        )

    def _find_misuse(self) -> Iterator[Fault]:
        schema = self.data.schema
        if self.name not in schema.names:
            yield self._fault(next(iter(self.asked)), f"is no column; there are {', '.join(schema.names)}")
            return
        column = schema[self.name]
        if column.role is Role.IDENTIFIER:
            yield self._fault(next(iter(self.asked)), "is the identifier, which is left out of the release")
        for rule in self.asked:
            if (rule == "rare") is column.kind.numeric:
                wanted = "categories" if rule == "rare" else "numbers and dates"
                yield self._fault(rule, f"is of the kind {column.kind}; {rule} is for {wanted}")
        if "round" in self.asked and "intervals" in self.asked:
            yield self._fault("intervals", "cannot be rounded and put into intervals at once")

    def _fault(self, rule: str, message: str) -> Fault:
        value = str(self.asked[rule])
        return Fault(row=0, column=f"--{rule}", rule=rule, value=value, message=f"{self.name} {message}")

    def _read(self, rule: str, read: Callable[[object], T], faults: list[Fault], otherwise: T) -> T:
        if rule not in self.asked:
            return otherwise
        try:
            return read(self.asked[rule])
        except ValueError as error:
            faults.append(self._fault(rule, str(error)))
            return otherwise

    def _read_value(self, value: object) -> int:
        column = self.data.schema[self.name]
        values, readable = PLAIN.read(pl.Series([_write_plainly(value)], dtype=pl.String), column.kind, column.decimals)
        if not readable[0]:
            digits = f" with at most {column.decimals} decimals" if column.kind is Kind.DECIMAL else ""
            rule = f"needs a {column.kind}{digits}, not {str(value)!r}"
            raise ValueError(rule)
        return int(values[0])

    def _read_end(self, value: object, *, largest: bool) -> int:
        text = _write_plainly(value)
        if not text.endswith(PERCENT):
            return self._read_value(text)
        return _find_end(self.data.grid(self.name), text.removesuffix(PERCENT), largest=largest)

    def _read_step(self, value: object) -> int:
        column = self.data.schema[self.name]
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
            ends = f"{self.asked['bottom']} and {self.asked['top']}"
            faults.append(self._fault("bottom", f"needs a bottom below its top, not {ends}"))
        return coding


def _write_plainly(value: object) -> str:
    """Return a value as a text; a float without decimals as a whole number."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value).strip()


def _find_end(grid: NDArray[np.int64], share: str, *, largest: bool) -> int:
    """Return the value from which on a tail holds at least a share of the records, and no value more than needed."""
    try:
        percent = parse_exact(share)
    except ValueError as error:
        rule = f"needs a share such as 1%, not {share + PERCENT!r}"
        raise ValueError(rule) from error
    if not 0 < percent < WHOLE or not len(grid):
        rule = f"needs a share above 0% and below 100%, not {share + PERCENT!r}"
        raise ValueError(rule)
    count = ceil(percent * len(grid) / WHOLE)
    place = len(grid) - count if largest else count - 1
    return int(np.partition(grid, place)[place])


def _read_rare(value: object) -> tuple[int, str | None]:
    text, colon, label = str(value).partition(":")
    if not text.isascii() or not text.isdecimal() or not 1 <= len(text) < 16 or int(text) < 1:
        rule = f"needs the fewest records of a category, 1 or more, not {text!r}"
        raise ValueError(rule)
    if colon and not label:
        rule = "needs a label after the colon"
        raise ValueError(rule)
    return int(text), label if colon else None
