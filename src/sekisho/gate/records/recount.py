"""What a method promised about classes, counted again from what is written.

A method says in its release what it promises, as plain data: ``alike`` (every record is written like ``least - 1``
others in the keys), ``matched`` (the same, where a suppressed cell matches any value), and beside ``alike`` what
``sensitive`` values keep in every class (l, t). Here each figure is counted from the texts that are written, and from
nothing that the method computed: rows whose texts are equal are one class, whatever the method took for one. Where the
rows share texts, the distinct ones are counted with their rows. What sensitive values keep is counted among the known
ones: a missing or suppressed cell is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import isnan, nan
from typing import Protocol, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.grammar import FieldRules
from sekisho.data.files.published_frame import PublishedRows
from sekisho.errors import BugError
from sekisho.safety.records.classes import (
    ColumnCodes,
    CrossTable,
    KnownTable,
    code_values,
    count_classes,
    cross_tabulate,
    drop_unknown,
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
        unknown: how many classes have no known sensitive value; nothing is learnt in them, and the figure is of the
            others. Where there are no others, it is not a number.
    """

    promise: Promise
    keys: tuple[str, ...]
    wanted: float
    counted: float
    kept: bool
    column: str = ""
    kind: str = ""
    unknown: int = 0

    def as_dict(self) -> dict[str, object]:
        """Return it as plain data; no figure where no class has a known value."""
        recount: dict[str, object] = {
            "promise": self.promise.value,
            "keys": list(self.keys),
            "wanted": self.wanted,
            "counted": None if isnan(self.counted) else self.counted,
            "kept": self.kept,
            "column": self.column,
            "kind": self.kind,
        }
        return recount | ({"unknown": self.unknown} if self.unknown else {})


class WrittenClasses(Protocol):
    """What is written, wherever its rows are: rows whose texts are equal in the keys are one class."""

    def __len__(self) -> int:
        """How many rows there are."""
        ...

    def find_smallest(self, keys: Sequence[str]) -> int:
        """Return how many rows the smallest class has."""
        ...

    def find_fewest_matches(self, keys: Sequence[str], hidden_in: Sequence[str]) -> int:
        """Return the fewest rows that match one, a suppressed cell of some columns matching any value."""
        ...

    def measure(self, keys: Sequence[str], asked: Mapping[str, object]) -> Iterator[list[Recount]]:
        """Give what was promised of sensitive values as some classes at a time keep it, whole ones."""
        ...


def recount_promises(written: WrittenClasses, promised: Mapping[str, object]) -> tuple[Recount, ...]:
    """Return every promise as what is written keeps it; none of an empty file, which has no class.

    Args:
        written: the rows as they are handed to a writer, or read back from a file, here or by an engine.
        promised: what the method told of its release.

    Raises:
        BugError: it does not keep one of them.
    """
    alike = cast("Mapping[str, object] | None", promised.get("alike"))
    matched = cast("Mapping[str, object] | None", promised.get("matched"))
    if (alike is None and matched is None) or not len(written):
        return ()
    counted: list[Recount] = []
    if matched is not None:
        fewest = written.find_fewest_matches(_list_keys(matched), cast("list[str]", matched["hidden_in"]))
        counted.append(_compare_least(Promise.MATCHED, matched, fewest))
    if alike is not None:
        counted.append(_compare_least(Promise.ALIKE, alike, written.find_smallest(_list_keys(alike))))
        asked = cast("Mapping[str, object] | None", alike.get("sensitive"))
        counted += [] if asked is None else find_worst(written.measure(_list_keys(alike), asked))
    refuse_broken(counted)
    return tuple(counted)


def _compare_least(promise: Promise, asked: Mapping[str, object], counted: int) -> Recount:
    least = cast("int", asked["least"])
    return Recount(promise=promise, keys=_list_keys(asked), wanted=least, counted=counted, kept=counted >= least)


def find_worst(parts: Iterator[list[Recount]]) -> list[Recount]:
    """Return the worst of what several parts of the classes keep."""
    worst: list[Recount] = []
    for part in parts:
        worst = [_choose_worse(*both) for both in zip(worst, part, strict=True)] if worst else part
    return worst


def _choose_worse(one: Recount, other: Recount) -> Recount:
    unknown = one.unknown + other.unknown
    if isnan(one.counted) or isnan(other.counted):
        return replace(other if isnan(one.counted) else one, unknown=unknown)
    falls_short = one.promise is Promise.DIVERSE and one.kind != "recursive"
    worse = min(one, other, key=lambda recount: recount.counted if falls_short else -recount.counted)
    return replace(worse, unknown=unknown)


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


@dataclass(frozen=True, kw_only=True, eq=False)
class RowClasses:
    """Classes of rows in memory.

    Attributes:
        rows: as they are handed to a writer, or read back from a file.
        fields: how the cells of each column are written.
    """

    rows: PublishedRows
    fields: Mapping[str, FieldRules]
    _numbers: dict[Sequence[str], NDArray[np.int64]] = field(
        default_factory=dict[Sequence[str], "NDArray[np.int64]"], init=False, repr=False
    )

    def __len__(self) -> int:
        return len(self.rows)

    def _number(self, keys: Sequence[str]) -> NDArray[np.int64]:
        """Return the class of each row."""
        known = self._numbers.get(keys)
        return self._numbers.setdefault(keys, self._number_anew(keys)) if known is None else known

    def _number_anew(self, keys: Sequence[str]) -> NDArray[np.int64]:
        """Return the class of each row; where the rows share texts, the distinct ones are numbered."""
        rows = self.rows
        if not set(keys) <= set(rows.shared.columns):
            return number_classes([ColumnCodes.of(rows.text(name)) for name in keys], len(rows))
        columns = [ColumnCodes.of(rows.shared[name].cast(pl.String)) for name in keys]
        return number_classes(columns, rows.shared.height)[rows.owner]

    def find_smallest(self, keys: Sequence[str]) -> int:
        """Return how many rows the smallest class has."""
        return int(count_classes(self._number(keys)).min())

    def find_fewest_matches(self, keys: Sequence[str], hidden_in: Sequence[str]) -> int:
        """Return the fewest rows that match one, a suppressed cell of some columns matching any value."""
        return count_fewest_matches([self.rows.text(name) for name in keys], keys, hidden_in)

    def measure(self, keys: Sequence[str], asked: Mapping[str, object]) -> Iterator[list[Recount]]:
        """Give what all classes keep, at once."""
        name, ordered = str(asked["column"]), bool(asked["ordered"])
        texts = self.rows.text(name)
        values = code_values(pl.Series(self.fields[name].read_values(texts)[0]) if ordered else texts)
        known = drop_unknown(cross_tabulate(self._number(keys), values.codes), values.unknown)
        yield measure_sensitive(known, keys, asked)


def count_fewest_matches(
    texts: Sequence[pl.Series],
    keys: Sequence[str],
    hidden_in: Sequence[str],
    counts: NDArray[np.float64] | None = None,
) -> int:
    """Return the fewest rows that match one.

    Args:
        texts: what is written in each of the keys.
        keys: the columns.
        hidden_in: those in which the mark of suppression means any value; elsewhere it is a value of the data.
        counts: how many rows each stands for; one if None.
    """
    columns = [
        ColumnCodes.of(text.replace(SUPPRESSED, None) if name in hidden_in else text)
        for name, text in zip(keys, texts, strict=True)
    ]
    return int(count_matches(columns, np.ones(len(texts[0])) if counts is None else counts)[1].min())


def measure_sensitive(known: KnownTable, keys: Sequence[str], asked: Mapping[str, object]) -> list[Recount]:
    """Return what was promised of the sensitive values of some classes, as they keep it.

    Args:
        known: which known values the classes have, in their order where that matters.
        keys: the columns that make the classes.
        asked: the promise, as plain data.
    """
    table, nothing = known.table, not len(known.table.sizes)
    name, ordered, keys = str(asked["column"]), bool(asked["ordered"]), tuple(keys)
    counted: list[Recount] = []
    if asked["l"] is not None:
        kind, least, c = Diversity(str(asked["kind"])), cast("float", asked["l"]), cast("float", asked["c"])
        figure, kept = (nan, True) if nothing else _measure_diversity(table, kind, least, c)
        counted.append(
            Recount(
                promise=Promise.DIVERSE,
                keys=keys,
                wanted=c if kind is Diversity.RECURSIVE else least,
                counted=figure,
                kept=kept,
                column=name,
                kind=kind.value,
                unknown=known.unknown,
            )
        )
    if asked["t"] is not None:
        t = cast("float", asked["t"])
        far = nan if nothing else float((measure_ordered if ordered else measure_equal)(table).max())
        counted.append(
            Recount(
                promise=Promise.CLOSE,
                keys=keys,
                wanted=t,
                counted=far,
                kept=nothing or far <= t + SLACK,
                column=name,
                kind="ordered" if ordered else "equal",
                unknown=known.unknown,
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
