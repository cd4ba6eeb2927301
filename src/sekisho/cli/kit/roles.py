"""What options say of columns beside a method: keys, sensitive and harmless ones, what does not leave, what must hold.

A method whose own options have one of these names keeps it; the others are offered beside every method.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from sekisho.cli.kit.options import split_names
from sekisho.errors import ParameterError
from sekisho.words import Said

if TYPE_CHECKING:  # recipes, which other commands do not need
    from sekisho.gate.records.recipe import ColumnRoles


@dataclass(frozen=True, slots=True, kw_only=True)
class DemandOptions:
    """What must hold of a release of records, and the reasons why nothing need be promised of some of its columns."""

    k: Annotated[
        int | None, typer.Option("--k", help="What must hold: so many people at least are alike in the keys.")
    ] = None
    l: Annotated[
        float | None,
        typer.Option("--l", help="What must hold: so many different sensitive values at least in each class."),
    ] = None
    harmless: Annotated[
        list[str] | None,
        typer.Option("--harmless", help="A column of which nothing need be promised, and why: NAME=REASON; repeated."),
    ] = None
    learnable: Annotated[
        list[str] | None,
        typer.Option("--learnable", help="A sensitive column that may be learnt, and why: NAME=REASON; repeated."),
    ] = None
    unit: Annotated[
        list[str] | None,
        typer.Option("--unit", help="Why a row is a person where a column says who and repeats: row=REASON."),
    ] = None

    def read_demands(self) -> ColumnRoles:
        """Return what they say.

        Raises:
            ParameterError: a reason is missing, or a column is named twice.
        """
        from sekisho.gate.records.guarantees import RecordGuarantees
        from sekisho.gate.records.recipe import ColumnRoles

        wanted: dict[str, Mapping[str, object]] = {}
        wanted |= {} if self.k is None else {"k-anonymity": {"k": self.k}}
        wanted |= {} if self.l is None else {"l-diversity": {"l": self.l}}
        return ColumnRoles(
            harmless=read_reasons("--harmless", self.harmless),
            learnable=read_reasons("--learnable", self.learnable),
            unit=read_reasons("--unit", self.unit),
            guarantees=RecordGuarantees(wanted=wanted),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnRoleOptions(DemandOptions):
    """What is said of the columns of records, and what must hold of their release."""

    names: ClassVar[tuple[str, ...]] = ("keys", "sensitive", "k", "l", "harmless", "learnable", "unit", "drop")

    keys: Annotated[
        str, typer.Option("--keys", help="What others may know of a person, a,b,c: all of it together must be covered.")
    ] = ""
    sensitive: Annotated[
        str, typer.Option("--sensitive", help="What must stay hidden, a,b,c: something must hold of what is learnt.")
    ] = ""
    drop: Annotated[str, typer.Option("--drop", help="Columns that do not leave, a,b,c.")] = ""

    def read(self) -> ColumnRoles:
        """Return what they say.

        Raises:
            ParameterError: a reason is missing, or a column is named twice.
        """
        keys, sensitive, drop = map(split_names, (self.keys, self.sensitive, self.drop))
        return replace(self.read_demands(), keys=keys, sensitive=sensitive, drop=drop)


def read_reasons(option: str, words: Sequence[str] | None) -> dict[str, str]:
    """Return by column the reason that an option gives for it: NAME=REASON.

    Raises:
        ParameterError: it has no reason, or is named twice.
    """
    reasons: dict[str, str] = {}
    for word in words or ():
        name, _, reason = word.partition("=")
        if not name or not reason.strip() or name in reasons:
            raise ParameterError(option, Said("be NAME=REASON, once for each column"), word)
        reasons[name] = reason.strip()
    return reasons
