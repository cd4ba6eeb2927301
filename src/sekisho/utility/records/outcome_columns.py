"""Which column is the outcome and which explain it: as named, else as the roles of the schema say."""

from __future__ import annotations

from sekisho.data.frame.dataset import Role, Schema
from sekisho.errors import ParameterError
from sekisho.words import Said


def settle_outcome(schema: Schema, name: str) -> str:
    """Return the outcome: the one named, else the only sensitive column.

    Raises:
        ParameterError: none is named, and there is no sensitive column or more than one; or there is no such column.
    """
    if name:
        return schema[name].name
    sensitive = schema.with_role(Role.SENSITIVE)
    if len(sensitive) != 1:
        raise ParameterError(
            "outcome", Said("be given where there is not exactly one sensitive column"), list(sensitive)
        )
    return sensitive[0]


def settle_explaining(schema: Schema, columns: tuple[str, ...]) -> tuple[str, ...]:
    """Return the explaining columns: those named, else all quasi-identifiers.

    Raises:
        ParameterError: there is none, or no such column.
    """
    names = tuple(schema[name].name for name in columns) or schema.with_role(Role.QUASI)
    if not names:
        raise ParameterError("columns", Said("be given where no column is a quasi-identifier"), list(schema.names))
    return names
