"""Which columns of a history tell when, what, at what price and how many."""

from __future__ import annotations

from dataclasses import dataclass

from sekisho.data.frame.schema import Kind, Meaning, Schema
from sekisho.errors import ParameterError

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
        """Return the columns of a schema: those it says, else the only one of the kind (date, category, decimal, integer).

        Raises:
            ParameterError: a column is not said and not the only one of its kind, or said twice, or of another kind.
        """
        return cls(
            date=_column(schema, Meaning.TIME),
            item=_column(schema, Meaning.ITEM),
            price=_column(schema, Meaning.PRICE),
            quantity=_column(schema, Meaning.QUANTITY),
        )


def _column(schema: Schema, meaning: Meaning) -> str:
    said = [column for column in schema.attributes if column.means is meaning]
    wanted = KINDS[meaning]
    found = said or [column for column in schema.attributes if column.kind is wanted and column.means is None]
    if len(found) != 1:
        raise ParameterError(
            f"the column of the {meaning}", f"be said where there is not exactly one of kind {wanted}",
            [column.name for column in found], hint=f'means = "{meaning}" in the schema',
        )  # fmt: skip
    (column,) = found
    if column.kind.numeric is not wanted.numeric:
        raise ParameterError(f"the column of the {meaning}", f"be of kind {wanted}", f"{column.name}: {column.kind}")
    return column.name
