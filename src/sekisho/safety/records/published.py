"""The classes of a release as they are published: what every guarantee on records looks at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.published_frame import publish_values
from sekisho.data.frame.dataset import Role, Schema
from sekisho.data.frame.release import Release
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.safety.guarantee import Finding
from sekisho.safety.records.classes import (
    ColumnCodes,
    KnownTable,
    code_values,
    cross_tabulate,
    drop_unknown,
    number_classes,
)
from sekisho.words import Said, join_words

KEYS_HELP = "The columns that make the classes; all but the sensitive one if none is named."
SENSITIVE_HELP = "The column that must stay hidden; the schema's if not named."
SHOWN = 5
NOTHING_KNOWN = Said("no class has a known value")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PublishedClasses:
    """The published records in classes.

    Attributes:
        keys: the columns that make the classes.
        frame: what is published, row by row.
        rows: of each published record its row in the original.
        classes: of each published record its class.
        sensitive: the sensitive column, where one is asked about.
    """

    keys: tuple[str, ...]
    frame: pl.DataFrame
    rows: NDArray[np.int64]
    classes: NDArray[np.int64]
    sensitive: str = ""

    def count_known(self) -> KnownTable:
        """Return how the known sensitive values fall into the classes."""
        column = self.read_sensitive()
        return drop_unknown(cross_tabulate(self.classes, column.codes), column.unknown)

    def read_sensitive(self) -> ColumnCodes:
        """Return the sensitive column; its values in their own order where they are numbers or dates."""
        return code_values(self.frame[self.sensitive])

    def find(self, worst: int, *, kept: bool, figure: float, wanted: float, words: str, assumes: str = "") -> Finding:
        """Return what was found, the rows of the worst class with it."""
        where = tuple(self.rows[self.classes == worst][:SHOWN].tolist())
        return Finding(kept=kept, worst=figure, wanted=wanted, where=where, words=words, assumes=assumes)

    def find_nothing(self, wanted: float) -> Finding:
        """Return what is found where no class has a known value: nothing is learnt in any."""
        return Finding(kept=True, worst=float("nan"), wanted=wanted, where=(), words=NOTHING_KNOWN)


def read_classes(release: Release, keys: tuple[str, ...], sensitive: str | None = None) -> PublishedClasses:
    """Return the classes of a release; generalised cells count as they are written.

    Args:
        release: of records.
        keys: the columns that make the classes; all but the sensitive one if none is named.
        sensitive: the sensitive column, the schema's if empty; None if none is asked about.

    Raises:
        ParameterError: the release is of a history, has no such column, or a key is the sensitive column.
        InfeasibleError: nothing is published.
    """
    if release.table.pseudonym is not None:
        raise ParameterError("release", Said("be of records, one row a person"), "a history")
    schema = release.table.schema
    hidden = "" if sensitive is None else _settle_sensitive(schema, sensitive)
    frame = publish_values(release).frame
    if not frame.height:
        raise InfeasibleError(Said("nothing is published: there is no class to count"))
    names = tuple(schema[name].name for name in keys) or tuple(name for name in frame.columns if name != hidden)
    if hidden in names or not names:
        raise ParameterError("keys", Said("be at least one, and not the sensitive column"), hidden)
    columns = [ColumnCodes.of(frame[name].cast(pl.String)) for name in names]
    return PublishedClasses(
        keys=names,
        frame=frame,
        rows=np.flatnonzero(~release.deleted),
        classes=number_classes(columns, frame.height),
        sensitive=hidden,
    )


def add_unknown_classes(words: str, unknown: int) -> str:
    """Return a finding in words, and how many classes have no known value where there are any: nothing is learnt there.

    Args:
        words: of the classes with known values.
        unknown: how many have none.
    """
    return join_words([words, say_unknown_classes(unknown)], "; ") if unknown else words


def say_unknown_classes(unknown: int) -> Said:
    """Return in words how many classes have no known value."""
    return Said("{unknown:,} {unknown:class has|classes have} no known value", unknown=unknown)


def _settle_sensitive(schema: Schema, sensitive: str) -> str:
    if sensitive:
        return schema[sensitive].name
    columns = schema.with_role(Role.SENSITIVE)
    if len(columns) != 1:
        raise ParameterError("sensitive", Said("be named: the schema does not say one"), columns)
    return columns[0]
