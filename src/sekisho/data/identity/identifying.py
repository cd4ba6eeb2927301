"""Which columns of a table name people, whatever made the table and whoever asks.

The adversary here needs no skill: he reads the release. A column names people if its header says so (``name``, 氏名),
if what stands in it does (e-mail addresses, telephone numbers, names), or if almost every value of it is distinct, as
of a customer number. It does so generalised too: ``{Anna Weber;Bob Stone}`` holds two names. Every door asks here
before anything leaves.

Columns that name people together: two of exact coordinates, and parts of what names people in another column.

Under headers that say nothing, a family name is known by standing in the mail address of the same row.

Who is published as he was: counted from the release itself, whoever made it.

A person is raw if every cell that is published of him is exact and nobody else publishes the same rows. Whoever knows
one of his rows knows that it is his: nothing protects him, whatever a method promises of the others. Deleted rows do
not help those that are left.

Source: PWS Cup 2018 report, table 5 ("two people raw, the rest 2-anonymous").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.cells import RangeCells, SetCells
from sekisho.data.frame.dataset import Column, Dataset, Kind
from sekisho.data.frame.release import Labels, MaskedTable, Release
from sekisho.data.identity.content_judgement import FEWEST_RECORDS, IDENTIFYING_SHARE, holds_single_words, judge_column
from sekisho.data.identity.forms import IdentityForm
from sekisho.data.identity.header_words import ColumnEvidence, Ground, Identifying, fold

FINE = r"\.[0-9]{4,}$"
MOSTLY = 0.5
ROWS = 500
SHORTEST = 3


def judge_neighbours(
    evidence: Mapping[str, ColumnEvidence], judged: Mapping[str, Identifying], cells: Mapping[str, pl.Series]
) -> Mapping[str, Identifying]:
    """Return the further columns that name people because of what stands beside them."""
    open_columns = {name: each for name, each in evidence.items() if name not in judged and not each.is_innocent}
    further = {
        name: Identifying(column=name, ground=Ground.CONTENT, sign=IdentityForm.COORDINATES.value)
        for name in _list_coordinates(open_columns, list(evidence))
    }
    wholes = [name for name, finding in judged.items() if finding.ground is not Ground.DISTINCT and name in cells]
    for name, each in open_columns.items():
        if each.kind is not Kind.CATEGORY or name not in cells or name in further:
            continue
        if any(_is_part(cells[name], cells[whole]) for whole in wholes):
            further[name] = Identifying(column=name, ground=Ground.CONTENT, sign=IdentityForm.PARTS.value)
    for name in _list_beside_names(open_columns, judged, list(evidence)):
        further.setdefault(name, Identifying(column=name, ground=Ground.CONTENT, sign=IdentityForm.WORDS.value))
    return further


def _list_beside_names(
    columns: Mapping[str, ColumnEvidence], judged: Mapping[str, Identifying], order: list[str]
) -> Iterator[str]:
    """Give columns of single words without a telling header that stand beside a column of names."""
    for first, second in pairwise(order):
        for name, other in ((first, second), (second, first)):
            named = other in judged and judged[other].sign in (IdentityForm.NAMES.value, IdentityForm.WORDS.value)
            if named and name in columns and columns[name].is_meaningless and holds_single_words(columns[name]):
                yield name


def _list_coordinates(columns: Mapping[str, ColumnEvidence], order: list[str]) -> Iterator[str]:
    """Give decimals that stand beside each other and can be latitude and longitude, exact to four decimals or more."""
    for first, second in pairwise(order):
        if first not in columns or second not in columns:
            continue
        ranges = [_find_range(columns[name]) for name in (first, second)]
        if None in ranges:
            continue
        limits = sorted(max(abs(low), abs(high)) for low, high in filter(None, ranges))
        if limits[0] <= 90 and 10 <= limits[1] <= 180:
            yield from (first, second)


def _find_range(column: ColumnEvidence) -> tuple[float, float] | None:
    if column.kind is not Kind.DECIMAL or not column.covers(0.1):
        return None
    fine = float(column.probe.str.contains(FINE).sum())
    if fine < MOSTLY * len(column.probe):
        return None
    numbers = column.probe.str.replace(",", ".", literal=True).cast(pl.Float64, strict=False).drop_nulls()
    return (float(numbers.to_numpy().min()), float(numbers.to_numpy().max())) if len(numbers) else None


def _is_part(parts: pl.Series, wholes: pl.Series) -> bool:
    step = max(1, len(parts) // ROWS)
    pairs = zip(parts.gather_every(step).to_list(), wholes.gather_every(step).to_list(), strict=True)
    folded = [(_letters(part), _letters(whole)) for part, whole in pairs if part and whole]
    told = [(part, whole) for part, whole in folded if len(part) >= SHORTEST]
    if len(told) < 5 or len({part for part, _ in told}) < 5:
        return False
    return sum(part in whole and part != whole for part, whole in told) >= MOSTLY * len(told)


def _letters(text: str) -> str:
    return "".join(sign for sign in fold(text) if sign.isalpha())


SEVERAL = 1.5
__all__ = [
    "FEWEST_RECORDS",
    "IDENTIFYING_SHARE",
    "Ground",
    "Identifying",
    "do_cross",
    "list_identifying",
    "list_naming_columns",
]


def list_identifying(
    table: MaskedTable, *, labels: Mapping[str, Labels] | None = None, original: Dataset | None = None
) -> tuple[Identifying, ...]:
    """Return the columns of a table that name people, in the order of the columns.

    Args:
        table: what would leave; deleted rows taken out.
        labels: what is written instead of some cells, such as a label of a tree; it is looked at as well.
        original: of a history, the data before, which say whether a value is several people's.
    """
    evidence = {
        column.name: gather_evidence(table, column, original=original)
        for column in table.schema.attributes
        if not bool(table.hold_once([column.name])[0][column.name].suppressed.all())
    }
    judged = dict(list_naming_columns(evidence))
    for name, written in (labels or {}).items():
        if name not in judged and isinstance(written, pl.Series) and name in evidence:
            texts = written.drop_nulls().unique().cast(pl.String)
            shown = replace(evidence[name], kind=Kind.CATEGORY, values=texts, rows=None)
            finding = judge_column(shown)
            if finding is not None:
                judged[name] = finding
    return tuple(judged[name] for name in evidence if name in judged)


def list_naming_columns(
    evidence: Mapping[str, ColumnEvidence], cells: Mapping[str, pl.Series] | None = None
) -> Mapping[str, Identifying]:
    """Return by name the columns that name people, judged each by itself, then beside its neighbours.

    Args:
        evidence: by name what is known of each column.
        cells: by name the cells as texts, row by row, where they are at hand.
    """
    judged = {name: finding for name, each in evidence.items() if (finding := judge_column(each)) is not None}
    return {**judged, **judge_neighbours(evidence, judged, cells or {})}


def gather_evidence(table: MaskedTable, column: Column, *, original: Dataset | None = None) -> ColumnEvidence:
    """Return what is known of one column of a table: of generalised cells, what stands in them."""
    held, owner = table.hold_once([column.name])
    cells = held[column.name]
    shown = ~cells.suppressed
    is_exact = bool(cells.is_exact()[shown].all())
    return ColumnEvidence(
        header=column.name,
        kind=column.kind,
        values=_list_numbers(cells, column) if isinstance(cells, RangeCells) else _list_elements(cells),
        rows=int((shown if owner is None else shown[owner]).sum()),
        meaning=column.means,
        crosses=_crosses_before(original, column.name) if original else _crosses(table, column.name, is_exact=is_exact),
        is_exact=is_exact or isinstance(cells, SetCells),
    )


def _list_elements(cells: SetCells) -> pl.Series:
    used = np.zeros(len(cells.domain), dtype=np.bool_)
    used[cells.codes] = True
    return pl.Series(cells.domain, dtype=pl.String).filter(pl.Series(used, dtype=pl.Boolean))


def _list_numbers(cells: RangeCells, column: Column) -> pl.Series:
    shown = ~cells.suppressed
    values = np.unique(np.concatenate([cells.lower[shown], cells.upper[shown]]))
    return write_plainly(values, column.decimals)


def write_plainly(values: NDArray[np.int64], decimals: int) -> pl.Series:
    """Return numbers on a grid as texts with a point."""
    texts = pl.Series(values).cast(pl.String)
    if not decimals:
        return texts
    sign = texts.str.extract("^(-?)", 1)
    digits = texts.str.strip_prefix("-").str.zfill(decimals + 1)
    return sign + digits.str.head(-decimals) + "." + digits.str.tail(decimals)


def _crosses_before(original: Dataset, name: str) -> bool | None:
    person = original.schema.identifier
    return None if person is None else do_cross(original.frame[person.name], original.frame[name])


def _crosses(table: MaskedTable, name: str, *, is_exact: bool) -> bool | None:
    if table.pseudonym is None or not is_exact:
        return None
    cells = table.columns[name]
    if not isinstance(cells, SetCells) or cells.suppressed.any():
        return None
    return do_cross(pl.Series(table.pseudonym), pl.Series(cells.codes))


def do_cross(people: pl.Series, values: pl.Series) -> bool:
    """Tell whether one person has several values and one value several people, as wares have, and names have not."""
    pairs = pl.DataFrame({"person": people, "value": values}).n_unique()
    return pairs > SEVERAL * people.n_unique() and pairs > SEVERAL * values.n_unique()


def count_raw_people(release: Release) -> int:
    """Return how many people of a release of a history are published as they were, each alone with his rows."""
    table = release.table
    if table.pseudonym is None:
        return 0
    exact = ~release.deleted
    for cells in table.columns.values():
        exact = exact & cells.is_exact()
    touched = np.unique(table.pseudonym[~release.deleted & ~exact])
    rows = np.flatnonzero(exact & ~np.isin(table.pseudonym, touched))
    if not len(rows):
        return 0
    plain = table.take(rows)
    values = [
        pl.Series(name, cells.lower if isinstance(cells, RangeCells) else cells.codes)
        for name, cells in plain.columns.items()
    ]
    kinds = pl.DataFrame(values).select(pl.struct(pl.all()).rank("dense").alias("kind"))
    histories = (
        kinds.with_columns(pl.Series("person", table.pseudonym[rows]))
        .group_by("person")
        .agg(pl.col("kind").sort().cast(pl.String).str.join(" ").alias("history"))
    )
    shared = histories.group_by("history").len()
    return int((shared["len"] == 1).sum())
