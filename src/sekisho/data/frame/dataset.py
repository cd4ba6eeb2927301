"""An immutable data set: a polars frame with its schema.

The frame holds dates as ``Date``, decimals as whole numbers of their last digit (pence, not pounds), integers as
``Int64`` and categories as ``String``. A missing cell is null among numbers and dates and the empty text among
categories. Two views serve the array code: :meth:`Dataset.grid` for numbers and :meth:`Dataset.codes` for categories;
they have a missing cell as a value of its own (``data.frame.cells``).

What the columns of a data set are: how a value is written, what it says about a person.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.cells import MISSING_NUMBER, MISSING_TEXT, find_gaps
from sekisho.data.frame.spread import standard_deviation
from sekisho.errors import Fault, FaultsError, ParameterError
from sekisho.extras import require_extra
from sekisho.parameters import checked
from sekisho.words import Said

if TYPE_CHECKING:  # only frames of other libraries need it
    from narwhals.typing import IntoDataFrame


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
    """What a column says about a person: who he is, what an adversary may know, what must stay hidden, or nothing.

    A household says who lives together: it never leaves, since its number links the rows of those who do.
    """

    IDENTIFIER = "identifier"
    QUASI = "quasi"
    SENSITIVE = "sensitive"
    HOUSEHOLD = "household"
    OTHER = "other"

    @property
    def leaves(self) -> bool:
        """Whether such a column stands in a release: who it is, and who lives together, never do."""
        return self not in {Role.IDENTIFIER, Role.HOUSEHOLD}


class RoleOrigin(StrEnum):
    """Who said what a column says about a person: whoever holds the data, or nobody: then it is the careful guess."""

    HOLDER = "holder"
    NOBODY = "nobody"


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
        origin: who said that.
        decimals: of a decimal column, how many digits follow the point.
        means: what it says about a purchase, where that is declared.
    """

    name: str
    kind: Kind
    role: Role = Role.QUASI
    origin: RoleOrigin = RoleOrigin.NOBODY
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
        """The columns that may leave: not the identifier, nor who lives together."""
        return tuple(column for column in self.columns if column.role.leaves)

    @property
    def household(self) -> str:
        """The column that says who lives together; empty if there is none."""
        return next(iter(self.with_role(Role.HOUSEHOLD)), "")

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


T = TypeVar("T", bound=np.generic)

TYPES: dict[Kind, pl.DataType] = {
    Kind.CATEGORY: pl.String(),
    Kind.DATE: pl.Date(),
    Kind.DECIMAL: pl.Int64(),
    Kind.INTEGER: pl.Int64(),
}


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows and what their columns mean. Nothing writes into it.

    Attributes:
        frame: the columns that are read.
        schema: what they mean.
        unread: of the columns of the file that are not read those that may say who somebody is: whether a value of
            theirs leaves is all that is asked of them.
    """

    frame: pl.DataFrame
    schema: Schema
    unread: Mapping[str, pl.Series] = field(default_factory=dict[str, pl.Series], repr=False)

    def __post_init__(self) -> None:
        if tuple(self.frame.columns) != self.schema.names:
            raise ParameterError(
                "frame", Said("have the columns {names}", names=", ".join(self.schema.names)), self.frame.columns
            )
        for column in self.schema:
            if self.frame.schema[column.name] != TYPES[column.kind]:
                dtype = self.frame.schema[column.name]
                raise ParameterError(
                    Said("column {name}", name=column.name),
                    Said("hold {types} for kind {kind}", types=TYPES[column.kind], kind=column.kind),
                    str(dtype),
                )
        gaps = [each.name for each in self.schema if not each.kind.numeric and self.frame[each.name].null_count()]
        if gaps:
            object.__setattr__(self, "frame", self.frame.with_columns(pl.col(gaps).fill_null(MISSING_TEXT)))

    @classmethod
    def of(cls, frame: IntoDataFrame, schema: Schema) -> Dataset:
        """Return a data set from any frame at the door (polars, pandas, Arrow).

        Decimals may come as numbers with a point. A null, and a float that is no number, is a missing cell.

        Raises:
            FaultsError: a cell does not fit its column's kind; all of them at once.
        """
        native = take_frame(frame)
        missing = [name for name in schema.names if name not in native.columns]
        if missing:
            raise ParameterError(
                "frame", Said("have the columns {names}", names=", ".join(schema.names)), native.columns
            )
        parts: list[pl.Series] = []
        faults: list[Fault] = []
        for column in schema:
            raw = native[column.name]
            values = _cast(raw, column.kind, column.decimals)
            bad = (values.is_null() & ~_find_empty(raw)).arg_true().to_list()
            faults += [
                Fault(
                    row=row + 1,
                    column=column.name,
                    rule=column.kind,
                    value=str(raw[row]),
                    message=Said("{raw!r} is no {kind}", raw=raw[row], kind=column.kind.words),
                )
                for row in bad
            ]
            parts.append(values)
        if faults:
            raise FaultsError(Said("frame"), sorted(faults, key=lambda fault: fault.row))
        return cls(pl.DataFrame(parts), schema)

    def __len__(self) -> int:
        return self.frame.height

    @cached_property
    def _grids(self) -> dict[str, NDArray[np.int64]]:
        return {
            column.name: _freeze(
                self.frame[column.name]
                .cast(pl.Int32 if column.kind is Kind.DATE else pl.Int64)
                .cast(pl.Int64)
                .fill_null(MISSING_NUMBER)
                .to_numpy()
            )
            for column in self.schema
            if column.kind.numeric
        }

    @cached_property
    def _codes(self) -> dict[str, tuple[NDArray[np.int32], tuple[str, ...]]]:
        """The category columns that were asked for: names of a million people that nobody asks for are not coded."""
        return {}

    def grid(self, name: str) -> NDArray[np.int64]:
        """Return a numeric column as whole numbers: day numbers since 1970, last decimals, units; or missing."""
        if not self.schema[name].kind.numeric:
            raise ParameterError("column", Said("be numeric"), name)
        return self._grids[name]

    @cached_property
    def _deviations(self) -> dict[str, float]:
        """The deviations that were asked for: every release of the same rows is measured in them."""
        return {}

    def deviation(self, name: str) -> float:
        """Return the population standard deviation of a numeric column on its grid."""
        if name not in self._deviations:
            self._deviations[name] = standard_deviation(self.grid(name))
        return self._deviations[name]

    def codes(self, name: str) -> NDArray[np.int32]:
        """Return a category column as positions in its :meth:`domain`."""
        return self._find_codes(name)[0]

    def domain(self, name: str) -> tuple[str, ...]:
        """Return the distinct values of a category column, sorted as strings."""
        return self._find_codes(name)[1]

    def text(self, name: str) -> pl.Series:
        """Return a column's values as text, whatever its kind; a missing cell is the empty one."""
        return self.frame[self.schema[name].name].cast(pl.String).fill_null(MISSING_TEXT)

    def count_missing(self) -> dict[str, int]:
        """Return how many cells of each column are missing; columns without any are left out."""
        gaps = {name: self.count_gaps(name) for name in self.schema.names}
        return {name: count for name, count in gaps.items() if count}

    def count_gaps(self, name: str) -> int:
        """Return how many cells of a column are missing."""
        cells = self.frame[name]
        return cells.null_count() if self.schema[name].kind.numeric else int((cells == MISSING_TEXT).sum())

    def _find_codes(self, name: str) -> tuple[NDArray[np.int32], tuple[str, ...]]:
        if self.schema[name].kind.numeric:
            raise ParameterError("column", Said("be a category"), name)
        if name not in self._codes:
            self._codes[name] = encode_texts(self.frame[name])
        return self._codes[name]


def take_frame(frame: IntoDataFrame) -> pl.DataFrame:
    """Return any frame at the door (polars, pandas, Arrow) as one of polars.

    Raises:
        ParameterError: it comes by way of Arrow, which is not installed.
    """
    try:
        return import_module("narwhals").from_native(frame, eager_only=True).to_polars()
    except ModuleNotFoundError:
        require_extra("large", Said("Arrow, by way of which the frame comes,"), "not installed")
        raise


def grid_series(name: str, values: NDArray[np.int64]) -> pl.Series:
    """Return numbers of a grid as a column, null where a cell is missing."""
    series, gaps = pl.Series(name, values), find_gaps(values)
    return series.set(pl.Series(gaps), None) if gaps.any() else series


def encode_texts(series: pl.Series) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Return a string column as codes into its sorted distinct values, and those values."""
    domain = series.unique().sort()
    codes = series.cast(pl.Enum(domain)).to_physical().cast(pl.Int32)
    return _freeze(codes.to_numpy().astype(np.int32)), tuple(domain.to_list())


def _freeze(values: NDArray[T]) -> NDArray[T]:
    copy = values if values.flags.owndata else values.copy()
    copy.flags.writeable = False
    return copy


def _find_empty(raw: pl.Series) -> pl.Series:
    """Tell which cells of a frame hold nothing."""
    return raw.is_null() | raw.is_nan() if raw.dtype.is_float() else raw.is_null()


def _cast(raw: pl.Series, kind: Kind, decimals: int) -> pl.Series:
    if kind is Kind.DECIMAL and (raw.dtype.is_float() or raw.dtype.is_decimal()):
        scaled = raw.cast(pl.Float64) * 10**decimals
        whole = scaled.round()
        fits = (scaled - whole).abs() < 1e-6
        return whole.cast(pl.Int64, strict=False).set(~fits.fill_null(value=False), None).alias(raw.name)
    if kind is Kind.DATE and raw.dtype == pl.Datetime:
        return raw.dt.date()
    return raw.cast(TYPES[kind], strict=False)
