"""Which columns are keys, which are sensitive, which weighs: what is refused, and what is worth a word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from sekisho.errors import Fault, FaultsError
from sekisho.safety.records.classes import ColumnCodes
from sekisho.words import Said

NEARLY_ALL = 0.95
FEWEST = 20
"""In so few records nearly distinct values tell nothing."""


class Oddity(StrEnum):
    """What is odd about a key."""

    CONSTANT = "constant"
    MISSING = "missing"
    IDENTIFIER = "identifier"


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """Something about a key that a reader should know."""

    column: str
    oddity: Oddity
    values: int

    def __str__(self) -> str:
        if self.oddity is Oddity.MISSING:
            return Said("key {column} is missing in every record: it tells nobody from anybody", column=self.column)
        if self.oddity is Oddity.CONSTANT:
            return Said("key {column} has one value only: it tells nobody from anybody", column=self.column)
        return Said(
            "key {column} has {values:,} different values, almost one a record: it looks like an "
            "identifier, which makes everybody unique by itself; leave it out, or do not release it",
            column=self.column,
            values=self.values,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyChoice:
    """The columns that a question about risk names.

    Attributes:
        keys: what an adversary may know.
        sensitive: what must stay hidden from him.
        weights: the column of sampling weights, if there is one.
        identifier: the column that says whose each record is, if there is one; never a key, never shown.
        household: the column that says who lives together, if there is one; never a key.
    """

    keys: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    weights: str = ""
    identifier: str = ""
    household: str = ""

    @property
    def used(self) -> tuple[str, ...]:
        """All columns that are read, each once."""
        return tuple(dict.fromkeys((*self.keys, *self.sensitive, *filter(None, [self.weights, self.household]))))

    def check(self, columns: Sequence[str], *, source: str) -> None:
        """Refuse columns that a file does not have, and columns that cannot be what they are named as.

        Raises:
            FaultsError: all reasons at once.
        """
        faults = [*self._find_unknown(columns), *self._find_doubled(), *self._find_clashes()]
        if faults:
            raise FaultsError(source, faults)

    def _find_unknown(self, columns: Sequence[str]) -> Iterator[Fault]:
        """Give what is not there: a key, or a column that is named."""
        if not self.keys:
            yield _make_fault("", "keys", Said("no key is named: say by which columns a person may be known"))
        there = ", ".join(columns)
        for name in dict.fromkeys((*self.used, *filter(None, [self.identifier]))):
            if name not in columns:
                message = Said("there is no column {name!r}; there are {columns}", name=name, columns=there)
                yield _make_fault(name, "column", message)

    def _find_doubled(self) -> Iterator[Fault]:
        """Give the columns that are named twice as the same thing."""
        for what, names in ((Said("key"), self.keys), (Said("sensitive column"), self.sensitive)):
            for name, times in Counter(names).items():
                if times > 1:
                    message = Said("{name!r} is named twice as a {what}", name=name, what=what)
                    yield _make_fault(name, "doubled", message)

    def _find_clashes(self) -> Iterator[Fault]:
        """Give the columns that are named as two things."""
        own, hidden = self.identifier, (Said("role|sensitive"), self.sensitive)
        weights = (Said("the weights"), (self.weights,))
        home = (Said("the household"), (self.household,))
        for what, names in (hidden, weights, (Said("the identifier"), (own,)), home):
            for name in dict.fromkeys(names):
                if name and name in self.keys:
                    message = Said("{name!r} is {what} and cannot be a key as well", name=name, what=what)
                    yield _make_fault(name, "role", message)
        for what, names in (hidden, weights, home):
            if own and own in names:
                message = Said(
                    "{identifier!r} is the identifier and cannot be {what} as well", identifier=own, what=what
                )
                yield _make_fault(own, "role", message)


def find_remarks(keys: Mapping[str, ColumnCodes]) -> tuple[Remark, ...]:
    """Return what is odd about keys: constant, missing everywhere, or almost an identifier."""
    remarks = list[Remark]()
    for name, column in keys.items():
        values, rows = len(np.unique(column.codes)), len(column)
        if values == 1:
            missing = bool(column.missing.all())
            remarks.append(Remark(column=name, oddity=Oddity.MISSING if missing else Oddity.CONSTANT, values=values))
        elif rows >= FEWEST and values >= NEARLY_ALL * rows:
            remarks.append(Remark(column=name, oddity=Oddity.IDENTIFIER, values=values))
    return tuple(remarks)


def _make_fault(column: str, rule: str, message: Said) -> Fault:
    return Fault(row=0, column=column, rule=rule, value=column, message=message)
