"""A purchase history as plain arrays: who bought what, when, at what price and how many.

Rows of one customer and one date are one invoice (PWS Cup 2018, report, section 6.3.1: the data carry neither invoice
nor time).

Which columns of a history say when, what, at what price and how many.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sekisho.data.frame.cells import find_gaps
from sekisho.data.frame.concrete_draws import Draws, PlainColumns
from sekisho.data.frame.dataset import Dataset, Kind, Meaning, Schema
from sekisho.data.frame.release import Release
from sekisho.errors import ParameterError
from sekisho.words import Said

KINDS = {
    Meaning.TIME: Kind.DATE,
    Meaning.ITEM: Kind.CATEGORY,
    Meaning.PRICE: Kind.DECIMAL,
    Meaning.QUANTITY: Kind.INTEGER,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PurchaseColumns:
    """The names of the four columns."""

    date: str
    item: str
    price: str
    quantity: str

    @classmethod
    def of(cls, schema: Schema) -> PurchaseColumns:
        """Return the columns of a schema: those it declares, else the only one of the kind.

        The kinds are date, category, decimal and integer.

        Raises:
            ParameterError: a column is not said and not the only one of its kind, or said twice, or of another kind.
        """
        return cls(
            date=_find_column(schema, Meaning.TIME),
            item=_find_column(schema, Meaning.ITEM),
            price=_find_column(schema, Meaning.PRICE),
            quantity=_find_column(schema, Meaning.QUANTITY),
        )


def _find_column(schema: Schema, meaning: Meaning) -> str:
    declared = [column for column in schema.attributes if column.means is meaning]
    kind = KINDS[meaning]
    candidates = declared or [column for column in schema.attributes if column.kind is kind and column.means is None]
    if len(candidates) != 1:
        raise ParameterError(
            Said("the column of the {meaning}", meaning=meaning),
            Said("be said where there is not exactly one of kind {kind}", kind=kind),
            [column.name for column in candidates],
            hint=Said('means = "{meaning}" in the schema', meaning=meaning),
        )
    (column,) = candidates
    if column.kind.numeric is not kind.numeric:
        raise ParameterError(
            Said("the column of the {meaning}", meaning=meaning),
            Said("be of kind {kind}", kind=kind),
            f"{column.name}: {column.kind}",
        )
    return column.name


NUMBERS = ("date", "price", "quantity")
NAMELESS = Said("have pseudonyms: a history's rows belong to somebody")


@dataclass(frozen=True, kw_only=True, eq=False)
class Purchases:
    """Rows of plain purchases.

    Attributes:
        person: each row's customer or pseudonym, as codes 0 to people - 1; every code occurs.
        people: how many there are.
        date: day numbers.
        item: codes into items.
        price: on the grid of its last decimal (pence).
        quantity: units.
        items: the original's items, sorted as strings.
    """

    person: NDArray[np.int64]
    people: int
    date: NDArray[np.int64]
    item: NDArray[np.int64]
    price: NDArray[np.int64]
    quantity: NDArray[np.int64]
    items: tuple[str, ...]

    @classmethod
    def of(cls, data: Dataset) -> Purchases:
        """Return an original history.

        Its schema says whose each row is, and which columns are date, item, price and quantity.
        """
        identifier = data.schema.identifier
        if identifier is None:
            raise ParameterError(
                "schema", Said("have an identifier: a history's rows belong to somebody"), data.schema.names
            )
        person = data.grid(identifier.name) if identifier.kind.numeric else data.codes(identifier.name)
        names = PurchaseColumns.of(data.schema)
        columns = {name: data.grid(getattr(names, name)) for name in NUMBERS}
        codes = data.codes(names.item).astype(np.int64)
        return cls.from_columns(person, columns | {"item": codes}, data.domain(names.item))

    @classmethod
    def from_columns(
        cls, person: NDArray[np.int64] | NDArray[np.int32], columns: PlainColumns, items: tuple[str, ...]
    ) -> Purchases:
        """Return a history from its columns and the names of its people, which may be any whole numbers."""
        names, codes = np.unique(person, return_inverse=True)
        return cls(person=codes.astype(np.int64), people=len(names), items=items, **_count_nothing(columns))

    @classmethod
    def draw(cls, draws: Draws, *, rng: np.random.Generator) -> Purchases:
        """Return one sample of a release."""
        if draws.person is None:
            raise ParameterError("release", NAMELESS, None)
        table, sample = draws.release.table, draws.draw_columns(rng=rng)
        names = PurchaseColumns.of(table.schema)
        columns = {name: sample[getattr(names, name)] for name in (*NUMBERS, "item")}
        items = table.sets(names.item).domain
        return cls(person=draws.person, people=draws.people, items=items, **_count_nothing(columns))

    @classmethod
    def from_release(cls, release: Release) -> Purchases:
        """Return a release's undeleted rows; their cells must all be exact."""
        table = release.table.take(~release.deleted)
        if table.pseudonym is None:
            raise ParameterError("release", NAMELESS, None)
        for name, cells in table.columns.items():
            if not bool(cells.is_exact().all()):
                raise ParameterError(
                    Said("column {name}", name=name),
                    Said("hold exact cells only"),
                    "a generalised or suppressed cell",
                    hint=Said("draw concrete data first: sekisho.data.frame.concrete_draws.Draws"),
                )
        names = PurchaseColumns.of(table.schema)
        columns = {name: table.numbers(getattr(names, name)).lower for name in NUMBERS}
        items = table.sets(names.item)
        return cls.from_columns(table.pseudonym, columns | {"item": items.codes.astype(np.int64)}, items.domain)

    def __len__(self) -> int:
        return len(self.person)

    @cached_property
    def invoices(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Each row's invoice as a code, and each invoice's person."""
        if not len(self):
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        first = int(self.date.min())
        span = int(self.date.max()) - first + 1
        keys, codes = np.unique(self.person * span + (self.date - first), return_inverse=True)
        return codes.astype(np.int64), keys // span

    @cached_property
    def totals(self) -> csr_array:
        """The units bought per person (row) and item (column), summed over the person's rows."""
        shape = (self.people, len(self.items))
        matrix = csr_array((self.quantity, (self.person, self.item)), shape=shape)
        matrix.sum_duplicates()
        return matrix

    def count_buyers(self) -> NDArray[np.int64]:
        """Return how many people bought each item at least once."""
        return np.bincount(self.totals.indices, minlength=len(self.items))

    def find_most_bought(self, count: int) -> NDArray[np.int64]:
        """Return the codes of the items with most buyers, the most first; of equals, the larger item string first."""
        descending = np.arange(len(self.items))[::-1]
        order = descending[np.argsort(-self.count_buyers()[::-1], kind="stable")]
        return order[:count].astype(np.int64)


def _count_nothing(columns: PlainColumns) -> PlainColumns:
    """Return columns in which a missing price or quantity is 0: it adds nothing to a sum, before and after."""
    return {name: np.where(find_gaps(values), 0, values) for name, values in columns.items()}
