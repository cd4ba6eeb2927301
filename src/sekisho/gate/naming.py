"""What the gate has against columns that name people, and what a recipe may say in their favour.

A column that names people by its header or by its content never leaves, generalised or not, unless the recipe allows it
by name with a reason, which then stands in the certificate and on the page::

    [allowed_columns]
    doctor = "the doctors of this register agreed in writing to be named"
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from sekisho.data.identity.identifying import Ground, Identifying
from sekisho.errors import ParameterError
from sekisho.gate.outcome import Reason
from sekisho.gate.policy import make_reason

IDENTIFYING, ALLOWED, NEEDLESS = "identifying column", "allowed column", "needless allowance"


def check_allowed(allowed: Iterable[str], columns: Sequence[str]) -> None:
    """Refuse allowances for columns that would not leave.

    Raises:
        ParameterError: there are such; all of them at once.
    """
    unknown = [name for name in allowed if name not in columns]
    if unknown:
        raise ParameterError("allowed_columns", f"be among {', '.join(columns)}", ", ".join(unknown))


def list_naming_reasons(identifying: Iterable[Identifying], allowed: Mapping[str, str]) -> Iterator[Reason]:
    """Give what is against a release in which columns name people, and what was allowed of it."""
    named = {each.column: each for each in identifying}
    for name, each in named.items():
        if name not in allowed:
            yield make_reason(IDENTIFYING, describe_identifying(each))
    for name, why in allowed.items():
        if name in named:
            yield make_reason(ALLOWED, f"{name} leaves though it names people, because: {why}")
        else:
            yield make_reason(NEEDLESS, f"{name} names nobody as far as is seen, and is allowed to")


def describe_identifying(identifying: Identifying) -> str:
    """Return why a column is taken to name people, in words."""
    column, sign = identifying.column, identifying.sign
    if identifying.ground is Ground.HEADER:
        return f"{column} names people, as its header says ({sign})"
    if identifying.ground is Ground.CONTENT:
        return f"{column} names people: it holds {sign}"
    return f"almost every value of {column} is distinct"
