"""Patterns of suppression as frames.

What is published, what was published before, and another tool's pattern on our table. A pattern has the dimension
columns, the value (empty where suppressed) and ``status``: safe, primary, secondary. The margin's code is the table's;
a common name of margins means the same. Tree nodes have their own.

A table as it may be published: one mark for every suppressed cell, and nothing that tells one from another.

The reader sees the codes, the published values and where something is hidden. He does not see which cells are unsafe
and which hide them, nor levels, costs or rules: whoever knows that a cell is secondary knows that its count is not
small. The file depends on the shown values and the hidden places alone; even whether a column has decimals is asked of
the shown values only.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.trees.hierarchy import Hierarchy
from sekisho.errors import Fault, FaultsError, InputError, ParameterError
from sekisho.tables.files.rows import columns_of, fault, find_bounds, find_doubled, refuse_missing, tighten_bounds
from sekisho.tables.model.margins import is_margin
from sekisho.tables.model.table import Key, Mask, Status, Table
from sekisho.words import Said

STATUS = "status"
WORDS = {"safe": Status.SAFE, "primary": Status.PRIMARY, "secondary": Status.SECONDARY, "publish": Status.PUBLISH}
EXACT = 1e-9


def pattern_frame(table: Table, *, value: str = "value") -> pl.DataFrame:
    """Return the pattern of a table: its shown values, and the status of each cell.

    The values of suppressed cells are empty, and cells of no published table are left out. It tells primary from
    secondary: what may be published is :func:`sekisho.tables.files.pattern.public_frame`.
    """
    clash = [name for name in (value, STATUS) if name in table.dims]
    if clash:
        raise ParameterError("value", Said("not be named like a dimension"), clash[0])
    own = ~table.unpublished
    columns = [pl.Series(dim, [key[axis] for key in table.keys]) for axis, dim in enumerate(table.dims)]
    whole = bool(np.all(table.value[~table.suppressed] % 1 == 0))  # decimals of hidden values are hidden too
    shown = pl.Series(value, table.value.astype(np.int64) if whole else table.value)
    hidden = pl.Series(table.suppressed)
    words = [Status.SAFE.word if code == Status.PUBLISH else Status(code).word for code in table.status.tolist()]
    return pl.DataFrame([*columns, shown.set(hidden, None), pl.Series(STATUS, words)]).filter(own)


def apply_pattern(
    table: Table,
    frame: pl.DataFrame,
    *,
    value: str,
    trees: Mapping[str, Hierarchy] | None = None,
    source: object = "pattern",
) -> Table:
    """Return a table suppressed as a pattern file says, ours or another tool's.

    A primary without a level gets the least there is. Bounds that the file tells count beside the table's.

    Raises:
        FaultsError: cells that are unknown, doubled or missing, statuses that are none, a shown value that is not the
            table's: all of them at once.
    """
    refuse_missing(frame, (*table.dims, STATUS), source)
    keys = _keys(table, frame, trees or {})
    words = _words(frame)
    faults = [*find_doubled(keys), *_no_status(words)]
    faults += [
        fault(row, "", "cell", ",".join(key), Said("the table has no cell {key}", key=", ".join(key)))
        for row, key in enumerate(keys, start=1)
        if key not in table.position
    ]
    seen = frozenset(keys)
    faults += [
        fault(0, "", "complete", ",".join(key), Said("the cell {key} is missing", key=", ".join(key)))
        for key in table.keys
        if key not in seen
    ]
    if value in frame.columns:
        faults += _differing(table, keys, frame[value], words, value)
    if faults:
        raise FaultsError(source, sorted(faults, key=lambda found: found.row))
    table = tighten_bounds(table, keys, frame, find_bounds(frame.columns, (*table.dims, value), source=source))
    status = table.status.copy()
    status[[table.position[key] for key in keys]] = [WORDS[word] for word in words]
    return table.mark_cells(np.where((status == Status.SAFE) & (table.status == Status.PUBLISH), table.status, status))


def apply_published(table: Table, other: Table, *, source: object = "pattern", costs: bool = False) -> Table:
    """Return a table suppressed as another program's file of the same table is.

    Cells are found by their codes, or in the file's order if it has none. Its protection levels count as well, and of a
    file without codes (``.jj``) the attacker's bounds beside the table's; if ``costs`` are asked for, its costs and
    bounds instead of the table's.

    Raises:
        InputError: it is of another table.
    """
    if other.dims == table.dims:
        at = np.array([other.position.get(key, -1) for key in table.keys_under(other.margins)])
    else:
        at = np.arange(len(table)) if len(other) == len(table) else np.full(len(table), -1)
    if np.any(at < 0) or len(other) != len(table):
        raise InputError(
            source,
            Said("has {other:,} cells that are not the {table:,} of the table", other=len(other), table=len(table)),
        )
    odd = np.flatnonzero(~np.isclose(other.value[at], table.value, rtol=EXACT, atol=EXACT))
    if odd.size:
        cell = int(odd[0])
        raise InputError(
            source,
            Said(
                "is of another table: {cell} is {there:g} instead of {here:g} ({odd:,} such cells)",
                cell=table.named(cell),
                there=other.value[at[cell]],
                here=table.value[cell],
                odd=odd.size,
            ),
        )
    bounded = other.dims == ("cell",)  # of the formats with costs only .jj has bounds
    if costs:
        lower, upper = (other.lower[at], other.upper[at]) if bounded else (table.lower, table.upper)
        table = replace(table, weight=other.weight[at], lower=lower, upper=upper)
    elif bounded:
        lower, upper = np.maximum(table.lower, other.lower[at]), np.minimum(table.upper, other.upper[at])
        table = replace(table, lower=lower, upper=upper)
    return table.mark_cells(
        other.status[at], lower=other.lower_level[at], upper=other.upper_level[at], sliding=other.sliding_level[at]
    )


def freeze_pattern(
    table: Table,
    frame: pl.DataFrame,
    *,
    value: str,
    trees: Mapping[str, Hierarchy] | None = None,
    source: object = "earlier",
) -> Table:
    """Return the table with an earlier publication respected.

    What was hidden stays hidden, at no cost, and what was shown stays shown. The earlier pattern may be of another
    revision: cells that it does not have are free, and shown values may have changed.

    Raises:
        FaultsError: a status that is none, a doubled cell, margins under a name that the table does not have, or a cell
            that is unsafe now and whose very value was shown; all at once.
    """
    refuse_missing(frame, (*table.dims, STATUS), source)
    keys = _keys(table, frame, trees or {})
    words = _words(frame)
    faults = [*find_doubled(keys), *_no_status(words), *_unmatched(table, keys)]
    if value in frame.columns:
        numbers = frame[value].cast(pl.Float64, strict=False).to_list()
        faults += [
            fault(
                row,
                value,
                "shown",
                f"{number:g}",
                Said("the cell {key} is unsafe, but {number:g} was shown", key=", ".join(key), number=number),
            )
            for row, (key, number) in enumerate(zip(keys, numbers, strict=True), start=1)
            if number is not None and _holds(table, key, number)
        ]
    if faults:
        raise FaultsError(source, sorted(faults, key=lambda found: found.row))
    at = np.array([table.position.get(key, -1) for key in keys])
    hides = np.array([WORDS[word] in (Status.PRIMARY, Status.SECONDARY) for word in words])
    hidden, shown = (_mask(len(table), at[(at >= 0) & chosen]) & ~table.primary for chosen in (hides, ~hides))
    status = np.where(hidden, np.int8(Status.SECONDARY), table.status)
    return replace(
        table,
        status=np.where(shown, np.int8(Status.PUBLISH), status),
        weight=np.where(hidden, 0.0, table.weight),
    )


def count_changes(
    table: Table, frame: pl.DataFrame, *, value: str, trees: Mapping[str, Hierarchy] | None = None
) -> tuple[int, int]:
    """Return how many cells of an earlier pattern show another value than the table has, and how many show one."""
    if value not in frame.columns:
        return 0, 0
    at = [table.position.get(key, -1) for key in _keys(table, frame, trees or {})]
    numbers = frame[value].cast(pl.Float64, strict=False).to_list()
    pairs = [
        (number, float(table.value[place]))
        for number, place in zip(numbers, at, strict=True)
        if number is not None and place >= 0
    ]
    return sum(abs(now - then) > EXACT * max(1.0, abs(now)) for then, now in pairs), len(pairs)


def _keys(table: Table, frame: pl.DataFrame, trees: Mapping[str, Hierarchy]) -> list[Key]:
    """Return each row's codes.

    A code that the table does not have and that names a margin, or the tree's root, is the table's margin.
    """
    columns = columns_of(frame, table.dims)
    for axis, (dim, margin) in enumerate(zip(table.dims, table.margins, strict=True)):
        codes = frozenset(key[axis] for key in table.keys)
        root = trees[dim].root if dim in trees else margin
        alias = {code: margin for code in columns[axis].unique() if is_margin(code, codes) or code == root}
        columns[axis] = columns[axis].replace(alias)
    return list(zip(*columns, strict=True))


def _unmatched(table: Table, keys: Sequence[Key]) -> list[Fault]:
    """Return a fault for each dimension whose margin a pattern lacks while it has codes that are strange.

    Strange are codes that the table does not have: they may be the margin's.
    """
    faults: list[Fault] = []
    for axis, (dim, margin) in enumerate(zip(table.dims, table.margins, strict=True)):
        codes, there = ({key[axis] for key in those} for those in (table.keys, keys))
        if margin in codes - there and not there <= codes:
            strange = ", ".join(map(repr, sorted(there - codes)[:5]))
            message = Said(
                "has no margin {margin!r} of {dim}, but {strange}, which the table lacks: the margins "
                "must have one name",
                margin=margin,
                dim=dim,
                strange=strange,
            )
            faults.append(fault(0, dim, "margin", margin, message))
    return faults


def _words(frame: pl.DataFrame) -> list[str]:
    return frame[STATUS].cast(pl.String).fill_null("").str.strip_chars().str.to_lowercase().to_list()


def _no_status(words: Sequence[str]) -> list[Fault]:
    return [
        fault(
            row,
            STATUS,
            "status",
            word,
            Said("{word!r} is no status; known are {words}", word=word, words=", ".join(WORDS)),
        )
        for row, word in enumerate(words, start=1)
        if word not in WORDS
    ]


def _holds(table: Table, key: Key, number: float) -> bool:
    """Tell whether a cell is primary and has just this value."""
    at = table.position.get(key)
    return at is not None and bool(table.primary[at]) and _same(number, float(table.value[at]))


def _same(one: float, other: float) -> bool:
    return abs(one - other) <= EXACT * max(1.0, abs(other))


def _mask(cells: int, places: NDArray[np.int64]) -> Mask:
    mask = np.zeros(cells, dtype=np.bool_)
    mask[places] = True
    return mask


def _differing(table: Table, keys: Sequence[Key], shown: pl.Series, words: Sequence[str], value: str) -> list[Fault]:
    numbers = shown.cast(pl.Float64, strict=False).to_list()
    text = shown.cast(pl.String).fill_null("").to_list()
    faults: list[Fault] = []
    for row, (key, word, number, said) in enumerate(zip(keys, words, numbers, text, strict=True), start=1):
        at = table.position.get(key)
        if at is None or word not in WORDS or WORDS[word] in (Status.PRIMARY, Status.SECONDARY):
            continue
        true = float(table.value[at])
        if number is None or not _same(number, true):
            faults.append(
                fault(
                    row,
                    value,
                    "value",
                    said,
                    Said("shows {said} where the table has {true:g}", said=said or Said("nothing"), true=true),
                )
            )
    return faults


MARK = "x"
"""The mark of τ-ARGUS and of many offices."""
LONGEST = 8
STARS = "*"
NOT_MARKS = frozenset({"nan", "inf", "infinity", "na", "null", "none", "nil", "true", "false"})
"""Words that readers of files take for numbers or for nothing."""


def public_frame(table: Table, *, value: str = "value", mark: str = MARK) -> pl.DataFrame:
    """Return a table as it may be published.

    The dimension columns, and the values as text, with the mark where a cell is suppressed. Cells of no published table
    are left out.

    Raises:
        ParameterError: the mark could be taken for a value, or the value's column is named like a dimension.
    """
    refuse_mark(mark)
    if value in table.dims:
        raise ParameterError("value", Said("not be named like a dimension"), value)
    columns = [pl.Series(dim, [key[axis] for key in table.keys]) for axis, dim in enumerate(table.dims)]
    hidden = table.suppressed.tolist()
    shown = [mark if out else _write_number(number) for number, out in zip(table.value.tolist(), hidden, strict=True)]
    return pl.DataFrame([*columns, pl.Series(value, shown)]).filter(pl.Series(~table.unpublished))


def refuse_mark(mark: str) -> None:
    """Refuse a mark that could be taken for a value, for zero or for a missing one.

    A dash is zero in many tables, and letters such as 一 and 〇 are numbers.
    """
    letters = all(sign in STARS or (sign.isalpha() and unicodedata.numeric(sign, None) is None) for sign in mark)
    if not mark or len(mark) > LONGEST or not letters or unicodedata.normalize("NFKC", mark).lower() in NOT_MARKS:
        hint = Said("a mark must not be taken for a value, for zero or for a missing one")
        raise ParameterError(
            "mark",
            Said("be 1 to {longest} letters or {star}, such as x or ***", longest=LONGEST, star=STARS),
            mark,
            hint=hint,
        )


def _write_number(number: float) -> str:
    return str(int(number)) if number == int(number) else f"{Decimal(repr(number)):f}"
