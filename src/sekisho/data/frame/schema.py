"""What the columns of a data set are: how a value is written, what it says about a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.words import Said


class Kind(StrEnum):
    """How a column's values are written and counted.

    Date, decimal and integer are numbers on a grid (days, the last decimal, units); category is a finite set of
    strings.
    """

    CATEGORY = "category"
    DATE = "date"
    DECIMAL = "decimal"
    INTEGER = "integer"

    @property
    def words(self) -> Said:
        """What a value of it is called."""
        words = {
            Kind.CATEGORY: Said("category"),
            Kind.DATE: Said("date"),
            Kind.DECIMAL: Said("decimal"),
            Kind.INTEGER: Said("integer"),
        }
        return words[self]

    @property
    def numeric(self) -> bool:
        """Tell whether the values lie on a grid of numbers."""
        return self is not Kind.CATEGORY


class Role(StrEnum):
    """What a column says about a person: who he is, what an adversary may know, what must stay hidden, or nothing."""

    IDENTIFIER = "identifier"
    QUASI = "quasi"
    SENSITIVE = "sensitive"
    OTHER = "other"


class Meaning(StrEnum):
    """What a column of a purchase history says: when, what, at what price, how many."""

    TIME = "time"
    ITEM = "item"
    PRICE = "price"
    QUANTITY = "quantity"


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Column:
    """One column.

    Attributes:
        name: as messages and reports say it.
        kind: how its values are written.
        role: what it says about a person.
        decimals: of a decimal column, how many digits follow the point.
        means: what it says about a purchase, where that is declared.
    """

    name: str
    kind: Kind
    role: Role = Role.QUASI
    decimals: int = 0
    means: Meaning | None = None

    def __post_init__(self) -> None:
        if self.decimals and self.kind is not Kind.DECIMAL:
            raise ParameterError(
                Said("decimals of {name}", name=self.name), Said("be 0 for kind {kind}", kind=self.kind), self.decimals
            )
        if not 0 <= self.decimals <= 9:
            raise ParameterError(Said("decimals of {name}", name=self.name), Said("lie between 0 and 9"), self.decimals)


@dataclass(frozen=True, slots=True)
@checked
class Schema:
    """The columns of a data set, in order."""

    columns: tuple[Column, ...]

    def __post_init__(self) -> None:
        doubled = [name for name, times in Counter(self.names).items() if times > 1]
        if doubled:
            raise ParameterError(Said("column names"), Said("be distinct"), doubled)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names, in order."""
        return tuple(column.name for column in self.columns)

    @property
    def identifier(self) -> Column | None:
        """The column that says whose row it is, if there is one."""
        return next((column for column in self.columns if column.role is Role.IDENTIFIER), None)

    @property
    def attributes(self) -> tuple[Column, ...]:
        """The columns that are not the identifier."""
        return tuple(column for column in self.columns if column.role is not Role.IDENTIFIER)

    def with_role(self, role: Role) -> tuple[str, ...]:
        """Return the names of the columns of one role, in order."""
        return tuple(column.name for column in self.columns if column.role is role)

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __getitem__(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        raise ParameterError("column", Said("be one of {choices}", choices=", ".join(self.names)), name)
