"""Which columns of a history say when, what, at what price and how many."""

from __future__ import annotations

from dataclasses import dataclass

from sekisho.data.frame.schema import Kind, Meaning, Schema
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
