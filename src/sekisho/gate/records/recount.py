"""What a method promised about classes, counted again from what is written.

A method says in its release what it promises, as plain data: ``alike`` (every record is written like ``least - 1``
others in the keys), ``matched`` (the same, where a suppressed cell matches any value), and beside ``alike`` what
``sensitive`` values keep in every class (l, t). Here each figure is counted from the texts that are written, and from
nothing that the method computed: rows whose texts are equal are one class, whatever the method took for one. Where the
rows share texts, the distinct ones are counted with their rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.grammar import FieldRules
from sekisho.data.files.published_frame import PublishedRows
from sekisho.errors import BugError
from sekisho.safety.records.classes import (
    ColumnCodes,
    CrossTable,
    code_values,
    count_classes,
    cross_tabulate,
    number_classes,
)
from sekisho.safety.records.closeness import SLACK, measure_equal, measure_ordered
from sekisho.safety.records.diversity import (
    Diversity,
    compute_entropy_diversity,
    compute_recursive_ratio,
    count_distinct,
)
from sekisho.safety.records.wildcards import count_matches

SUPPRESSED = "*"


class Promise(StrEnum):
    """What is promised: k records alike, k that match, l values, or shares within t."""

    ALIKE = "k-anonymity"
    MATCHED = "k matches"
    DIVERSE = "l-diversity"
    CLOSE = "t-closeness"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recount:
    """A promise and what was counted.

    Attributes:
        promise: which.
        keys: the columns that make the classes.
        wanted: what was promised.
        counted: the figure of the worst class in the file.
        kept: whether the file keeps it.
        column: the sensitive one, where the promise speaks of one.
        kind: of diversity what l counts; of closeness whether the order of the values is heeded.
    """

    promise: Promise
    keys: tuple[str, ...]
    wanted: float
    counted: float
    kept: bool
    column: str = ""
    kind: str = ""

    def as_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        return {
            "promise": self.promise.value,
            "keys": list(self.keys),
            "wanted": self.wanted,
            "counted": self.counted,
            "kept": self.kept,
            "column": self.column,
            "kind": self.kind,
        }


def recount_promises(
    rows: PublishedRows, promised: Mapping[str, object], fields: Mapping[str, FieldRules]
) -> tuple[Recount, ...]:
    """Return every promise as the file keeps it; none of an empty file, which has no class.

    Args:
        rows: of the file, as they are handed to its writer, or read back from it.
        promised: what the method told of its release.
        fields: how the cells of each column are written.

    Raises:
        BugError: the file does not keep one of them.
    """
    if not len(rows):
        return ()
    counted: list[Recount] = []
    alike = cast("Mapping[str, object] | None", promised.get("alike"))
    matched = cast("Mapping[str, object] | None", promised.get("matched"))
    if matched is not None:
        counted.append(_count_matches(rows, matched))
    if alike is not None:
        keys = _list_keys(alike)
        classes = _number_classes(rows, keys)
        least = cast("int", alike["least"])
        k = int(count_classes(classes).min())
        counted.append(Recount(promise=Promise.ALIKE, keys=keys, wanted=least, counted=k, kept=k >= least))
        counted += _count_sensitive(rows, classes, alike, fields)
    refuse_broken(counted)
    return tuple(counted)


def refuse_broken(counted: Sequence[Recount]) -> None:
    """Refuse a file that does not keep a promise.

    Raises:
        BugError: it does not.
    """
    broken = [each for each in counted if not each.kept]
    if broken:
        worst = broken[0]
        raise BugError(f"the file to be written has {worst.promise} {worst.counted:g}, {worst.wanted:g} is promised")


def _list_keys(promise: Mapping[str, object]) -> tuple[str, ...]:
    return tuple(cast("list[str]", promise["keys"]))


def _number_classes(rows: PublishedRows, keys: Sequence[str]) -> NDArray[np.int64]:
    """Return the class of each row: rows with equal texts in the keys are one."""
    if not set(keys) <= set(rows.shared.columns):
        return number_classes([ColumnCodes.of(rows.text(name)) for name in keys], len(rows))
    columns = [ColumnCodes.of(rows.shared[name].cast(pl.String)) for name in keys]
    return number_classes(columns, rows.shared.height)[rows.owner]


def _count_matches(rows: PublishedRows, promise: Mapping[str, object]) -> Recount:
    """Return the fewest records that match one, a suppressed cell matching any value."""
    keys, least = _list_keys(promise), cast("int", promise["least"])
    hidden_in = cast("list[str]", promise["hidden_in"])  # elsewhere the mark is a value of the data
    columns = [
        ColumnCodes.of(rows.text(name).replace(SUPPRESSED, None) if name in hidden_in else rows.text(name))
        for name in keys
    ]
    k = int(count_matches(columns, np.ones(len(rows)))[0].min())
    return Recount(promise=Promise.MATCHED, keys=keys, wanted=least, counted=k, kept=k >= least)


def _count_sensitive(
    rows: PublishedRows, classes: NDArray[np.int64], promise: Mapping[str, object], fields: Mapping[str, FieldRules]
) -> list[Recount]:
    asked = cast("Mapping[str, object] | None", promise.get("sensitive"))
    if asked is None:
        return []
    name, keys, ordered = str(asked["column"]), _list_keys(promise), bool(asked["ordered"])
    values = code_values(pl.Series(fields[name].read_values(rows.text(name))[0]) if ordered else rows.text(name))
    return measure_sensitive(cross_tabulate(classes, values.codes), keys, asked)


def measure_sensitive(table: CrossTable, keys: Sequence[str], asked: Mapping[str, object]) -> list[Recount]:
    """Return what was promised of the sensitive values of some classes, as they keep it.

    Args:
        table: which values the classes have, in their order where that matters.
        keys: the columns that make the classes.
        asked: the promise, as plain data.
    """
    name, ordered, keys = str(asked["column"]), bool(asked["ordered"]), tuple(keys)
    counted: list[Recount] = []
    if asked["l"] is not None:
        kind, least, c = Diversity(str(asked["kind"])), cast("float", asked["l"]), cast("float", asked["c"])
        figure, kept = _measure_diversity(table, kind, least, c)
        counted.append(
            Recount(
                promise=Promise.DIVERSE,
                keys=keys,
                wanted=c if kind is Diversity.RECURSIVE else least,
                counted=figure,
                kept=kept,
                column=name,
                kind=kind.value,
            )
        )
    if asked["t"] is not None:
        t = cast("float", asked["t"])
        far = float((measure_ordered if ordered else measure_equal)(table).max())
        counted.append(
            Recount(
                promise=Promise.CLOSE,
                keys=keys,
                wanted=t,
                counted=far,
                kept=far <= t + SLACK,
                column=name,
                kind="ordered" if ordered else "equal",
            )
        )
    return counted


def _measure_diversity(table: CrossTable, kind: Diversity, least: float, c: float) -> tuple[float, bool]:
    """Return the worst class's figure, of recursive diversity the ratio that c limits, and whether it is enough."""
    if kind is Diversity.RECURSIVE:
        ratio = float(compute_recursive_ratio(table, int(least)).max())
        return ratio, ratio < c
    if kind is Diversity.ENTROPY:
        entropy = float(compute_entropy_diversity(table).min())
        return entropy, entropy >= least * (1 - 2 * SLACK)
    distinct = int(count_distinct(table).min())
    return distinct, distinct >= least
