"""What a person must look at before a release beyond memory leaves: an engine counts, a few values are looked at here.

The engine counts the distinct values of every column; of these at most a thousand pass through here, the least and the
largest, so that the answer does not depend on how the engine orders its rows. What the values and the header of a
column say is then asked as in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import narwhals as nw
import polars as pl

from sekisho.data.engines.names import file_column, make_plain
from sekisho.data.engines.scan import COUNT, Scan
from sekisho.data.engines.session import Frame
from sekisho.data.frame.dataset import Kind
from sekisho.data.identity.header_words import ColumnEvidence
from sekisho.data.identity.identifying import (
    FEWEST_RECORDS,
    IDENTIFYING_SHARE,
    Ground,
    Identifying,
    list_naming_columns,
)
from sekisho.data.review import ReleaseReview, make_review

LOOKED_AT = 500
"""So many values are looked at from either end of a column."""
WIDE = r"^(\[.*;.*\]|\{.*;.*\}|\*)$"
"""How a range, a set and a withheld cell are written."""
COUNTED = (Kind.CATEGORY, Kind.INTEGER)


def review_scan(
    scan: Scan,
    detail: Mapping[str, object],
    *,
    kinds: Mapping[str, Kind] | None = None,
    holder: str = "",
    lasting: Iterable[Identifying] = (),
    allowed: Mapping[str, str] | None = None,
) -> ReleaseReview:
    """Return what a person must look at before rows of an engine leave.

    Args:
        scan: the rows as they leave.
        detail: what their method says of them.
        kinds: of columns as far as they are known; else found out from the values that are looked at.
        holder: of a history the column of the pseudonyms; empty where a row is a person.
        lasting: columns of the original that are known to name people and to leave.
        allowed: by column that names people why it may leave all the same.
    """
    names = tuple(name for name in scan.names if name != holder)
    values = {name: _look_at(scan, name) for name in names}
    by_values = _read_values(values, kinds or {}, scan.count_rows(), holder)
    counted = _count_people(scan, values, kinds or {}, holder)
    return make_review(detail, [*by_values, *counted, *lasting], columns=names, allowed=allowed)


def _look_at(scan: Scan, name: str) -> pl.Series:
    distinct = scan.frame.select(file_column(name)).unique().drop_nulls()
    ends = (distinct.sort(make_plain(name), descending=last).head(LOOKED_AT) for last in (False, True))
    return scan.show(pl.concat([scan.collect(each)[name] for each in ends]).unique(maintain_order=True)).alias(name)


def _read_values(
    values: Mapping[str, pl.Series], kinds: Mapping[str, Kind], rows: int, holder: str
) -> Iterator[Identifying]:
    """Give the columns whose header or values name people, as memory does; how many are distinct is counted apart.

    Where not all values are looked at, and in a history, nothing is said of how many rows have one.
    """
    evidence = {
        name: ColumnEvidence(
            header=name,
            kind=kinds.get(name, Kind.CATEGORY),
            values=_list_members(texts),
            rows=None if holder or len(texts) >= 2 * LOOKED_AT else rows,
        )
        for name, texts in values.items()
        if len(texts)
    }
    for identifying in list_naming_columns(evidence).values():
        if identifying.ground is not Ground.DISTINCT:
            yield identifying


def _list_members(texts: pl.Series) -> pl.Series:
    """Return the values that cells admit: the members of sets, the ends of ranges."""
    parts = texts.cast(pl.String).str.strip_chars("[]{}").str.split(";").explode()
    return parts.filter(parts != "*").unique(maintain_order=True)


def _count_people(
    scan: Scan, values: Mapping[str, pl.Series], kinds: Mapping[str, Kind], holder: str
) -> Iterator[Identifying]:
    rows = scan.count_rows()
    people = _count_distinct(scan, scan.frame.select(file_column(holder))) if holder else rows
    if people < FEWEST_RECORDS:
        return
    for name, texts in values.items():
        wide = bool(texts.cast(pl.String).str.contains(WIDE).any())
        kind = kinds.get(name, _guess_kind(texts))
        if kind not in COUNTED or (wide and (holder or kind is not Kind.CATEGORY)):
            continue
        distinct = _count_distinct(scan, scan.frame.select(file_column(name)))
        if distinct * (_count_listed(texts) if wide else 1) < IDENTIFYING_SHARE * people:
            continue
        if not holder or distinct == rows or _is_steady(scan, holder, name, people):
            yield Identifying(column=name, ground=Ground.DISTINCT)


def _count_listed(texts: pl.Series) -> float:
    """Return how many values of its own a set lists on average, of those looked at; 0 where sets share their values."""
    members = texts.cast(pl.String).str.strip_chars("{}").str.split(";").explode()
    own = members.n_unique()
    return own / len(texts) if own >= IDENTIFYING_SHARE * len(members) else 0.0


def _is_steady(scan: Scan, holder: str, name: str, people: int) -> bool:
    """Tell whether a column is the same in all rows of nearly everybody."""
    return (
        IDENTIFYING_SHARE * _count_distinct(scan, scan.frame.select(file_column(holder), file_column(name))) <= people
    )


def _count_distinct(scan: Scan, frame: Frame) -> int:
    return int(scan.collect(frame.unique().select(nw.len().alias(COUNT)))[COUNT][0])


def _guess_kind(texts: pl.Series) -> Kind:
    """Return what values look like; a column of texts is a category."""
    plain = texts.cast(pl.String)
    for kind, type_ in ((Kind.INTEGER, pl.Int64), (Kind.DECIMAL, pl.Float64)):
        if not plain.cast(type_, strict=False).null_count():
            return kind
    return Kind.CATEGORY if plain.str.to_date(strict=False, format="%Y-%m-%d").null_count() else Kind.DATE
