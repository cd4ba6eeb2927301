"""Files of histories, checked, read and written: originals, releases, and what is published of them.

One validator for everybody. A bad file gets every error at once, with row, column, rule and value. How files are
written, strictly or as the owner of the data writes them, is the business of the layout. Rows of data of one's own
that the schema drops are not in the original: releases stand row by row beside what was read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.fault_notes import CELL
from sekisho.data.files.grammar import FieldRules, matches, read_cells, split_sets, write_cells
from sekisho.data.files.layout import HasLayout, Layout
from sekisho.data.files.plain_table import is_parquet, write_parquet
from sekisho.data.files.published_frame import publish_values
from sekisho.data.files.sheet import Sheet
from sekisho.data.files.values import DistinctTexts, find_distinct_texts
from sekisho.data.frame.cells import Cells, RangeCells, SetCells
from sekisho.data.frame.dataset import Dataset, Schema
from sekisho.data.frame.release import MaskedTable, Release
from sekisho.data.review import ReleaseReview, review_release
from sekisho.errors import Fault, FaultsError, ParameterError
from sekisho.provenance import Provenance, digest_file
from sekisho.words import Said

ROWS = 500_000
"""So many rows are written as text at a time."""


def read_original(path: Path, rules: HasLayout) -> Dataset:
    """Return the original history."""
    return rules.layout.open(path)[0].data


def read_release(path: Path, rules: HasLayout, original: Dataset) -> Release:
    """Return a release of the original: row i of the file is what became of row i."""
    layout = rules.layout.settle_columns(original.schema)
    sheet = layout.form.read(path, layout.schema.names, expected=len(original))
    layout.note_header(sheet)
    deleted = _find_deleted(sheet, layout)
    people = find_distinct_texts(sheet.cells[layout.holder.name])
    table = _read_table(sheet, layout, _Known.of(original, layout), people, deleted)
    if len(table) == len(original):
        _note_untruths(sheet, table, original, deleted)
        _note_mixed_people(sheet, layout, original, people, deleted)
    elif not sheet.is_cut:
        message = Said(
            "the file has {table:,} rows, the original {original:,}", table=len(table), original=len(original)
        )
        sheet.notes.note_file("rows", len(table), message)
    sheet.notes.raise_faults()
    provenance = Provenance(name="file", inputs={path.name: digest_file(path)})
    return Release(table=table, deleted=deleted, provenance=provenance)


def read_published(path: Path, rules: HasLayout, original: Dataset) -> MaskedTable:
    """Return what is published of a release: no deleted rows, in no telling order."""
    layout = rules.layout.settle_columns(original.schema)
    sheet = layout.form.read(path, layout.schema.names, expected=len(original))
    layout.note_header(sheet)
    people = find_distinct_texts(sheet.cells[layout.holder.name])
    known = _Known.of(original, layout)
    table = _read_table(sheet, layout, known, people, np.zeros(len(sheet), dtype=np.bool_))
    sheet.notes.raise_faults()
    return table


def write_release(release: Release, rules: HasLayout, *, review: ReleaseReview | None = None) -> bytes:
    """Return a release as the contest's file.

    Args:
        release: what a method made.
        rules: a contest's, which fix the form of files, or one's own.
        review: what whoever writes it has been told; made now if None, and a release that may harm people is refused.

    Raises:
        ReviewNeededError: nobody reviewed it, and it may harm people.
        FaultsError: a set holds more values than the rules allow.
    """
    layout = rules.layout
    if review is None:
        review_release(release).refuse()
    _refuse_large_sets(release.table, layout)
    return layout.form.write_parts(_write_rows(release, layout))


def _write_rows(release: Release, layout: Layout) -> Iterator[pl.DataFrame]:
    """Give the rows of a release as text, some at a time, for the texts of many take more memory than the release."""
    gone = pl.Series([layout.grammar.suppressed])
    for start in range(0, max(1, len(release.table)), ROWS):
        rows = np.arange(start, min(start + ROWS, len(release.table)))
        kept = pl.Series(~release.deleted[rows])
        cells = _write_table(release.table.take(rows), layout)
        yield pl.DataFrame([column.zip_with(kept, gone) for column in cells])


def write_published(
    release: Release, rules: HasLayout, out: Path | None = None, *, review: ReleaseReview | None = None
) -> bytes:
    """Return what is published: the undeleted rows, sorted, which is the shuffle.

    Args:
        release: what a method made.
        rules: a contest's, which fix the form of files, or one's own.
        out: the file; its ending says whether it is Parquet, which only data of one's own may be.
        review: what whoever writes it has been told; made now if None, and a release that may harm people is refused.

    Raises:
        ReviewNeededError: nobody reviewed it, and it may harm people.
        ParameterError: Parquet under a contest's rules.
    """
    layout = rules.layout
    if review is None:
        review_release(release).refuse()
    table = release.table.take(~release.deleted)
    _refuse_large_sets(table, layout)
    if not is_parquet(out):
        return layout.form.write(_write_table(table, layout), shuffled=True)
    layout.refuse_parquet()
    fields = layout.settle_columns(table.schema).columns
    frame = publish_values(table, writing=fields[0].writing).frame.select(field.name for field in fields)
    return write_parquet(frame.sort(frame.columns))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PublishedFile:
    """What is published of a release file.

    Attributes:
        data: the bytes, every value written in the one way.
        rows: how many rows are in it.
        people: how many people.
        release: the release beside its original; None where the original is not at hand.
    """

    data: bytes
    rows: int
    people: int
    release: Release | None = None


def publish_file(
    path: Path, rules: HasLayout, original: Dataset | None = None, *, out: Path | None = None
) -> PublishedFile:
    """Return what is published of a release file: equal values alike, however they were spelled.

    A spelling is a mark by which somebody could know his own row again, or be known. Without the original only what the
    file itself shows is checked.

    Args:
        path: the release.
        rules: of the contest, or one's own.
        original: what it was made from; then what ``read_release`` refuses is refused.
        out: the file to be written; its ending says whether it is Parquet.

    Raises:
        FaultsError: everything that is wrong with the release, at once.
        ParameterError: rules of one's own leave open what columns are, and the original is not given.
    """
    layout = rules.layout
    if original is None:
        return _publish_alone(path, layout, out)
    release = read_release(path, layout, original)
    shown = release.table.take(~release.deleted)
    return PublishedFile(
        data=write_published(release, layout, out),
        rows=len(shown),
        people=len(np.unique(list_pseudonyms(shown))),
        release=release,
    )


def _publish_alone(path: Path, layout: Layout, out: Path | None) -> PublishedFile:
    """Return what is published of a release file whose original is not at hand."""
    layout.require_settled()
    if is_parquet(out):
        raise ParameterError("original", Said("be given to write Parquet"), None)
    sheet = layout.form.read(path, layout.schema.names)
    layout.note_header(sheet)
    deleted = _find_deleted(sheet, layout)
    people = find_distinct_texts(sheet.cells[layout.holder.name])
    domains = {
        each.name: _note_domain(sheet, each, layout, deleted) for each in layout.attributes if not each.kind.numeric
    }
    table = _read_table(sheet, layout, _Known(schema=layout.schema, domains=domains), people, deleted)
    sheet.notes.raise_faults()
    shown = table.take(~deleted)
    data = sheet.form.write(_write_table(shown, layout), shuffled=True)
    return PublishedFile(data=data, rows=len(shown), people=len(np.unique(list_pseudonyms(shown))))


def _note_domain(sheet: Sheet, field: FieldRules, layout: Layout, deleted: NDArray[np.bool_]) -> tuple[str, ...]:
    """Return the values of a column that a release file holds, having noted the cells with one that cannot be."""
    text = sheet.cells[field.name]
    cells = split_sets(text, field, layout.grammar)
    owner, values = np.repeat(np.arange(len(text)), cells.list.len().to_numpy()), field.writing.restore(cells.explode())
    shown = ~(text == layout.grammar.suppressed).to_numpy() & ~deleted
    odd = np.zeros(len(text), dtype=np.bool_)
    odd[owner[~matches(values, field.pattern)]] = True
    sheet.notes.note(
        odd & shown,
        field.name,
        "grammar",
        text,
        Said("{name} {value} does not match {pattern}", name=field.name, value=CELL, pattern=field.pattern),
    )
    return tuple(values.filter(pl.Series(shown[owner])).unique().sort().to_list())


def write_original(data: Dataset, rules: HasLayout) -> bytes:
    """Return a history as the contest's file, or as data of one's own are written."""
    layout = rules.layout
    columns: list[pl.Series] = []
    for field in layout.settle_columns(data.schema).columns:
        if field.kind.numeric:
            columns.append(write_cells(RangeCells.exact(data.grid(field.name)), field, layout.grammar))
        else:
            columns.append(data.frame[field.name])
    return layout.form.write(pl.DataFrame(columns))


def claim_columns(rules: HasLayout) -> tuple[str, str]:
    """Return the columns of an attack's file: the pseudonym and the person, as the original calls its people."""
    layout = rules.layout
    return "pseudonym", layout.holder.name if layout.holder.name != "pseudonym" else "person"


def write_claims(pseudonyms: Iterable[int], people: Iterable[str], rules: HasLayout) -> bytes:
    """Return who is said to be who as the contest's file."""
    layout = rules.layout
    names = pl.Series(list(pseudonyms), dtype=pl.Int64).cast(pl.String)
    columns = (names, pl.Series(list(people), dtype=pl.String))
    return layout.form.write(pl.DataFrame(dict(zip(claim_columns(layout), columns, strict=True))))


def _refuse_large_sets(table: MaskedTable, layout: Layout) -> None:
    limit = layout.grammar.max_set
    faults = [
        Fault(
            row=row + 1,
            column=name,
            rule="set-size",
            value=str(cells.offsets[row + 1] - cells.offsets[row]),
            message=Said("a set may hold at most {limit} values", limit=limit),
        )
        for name, cells in table.columns.items()
        if isinstance(cells, SetCells)
        for row in np.flatnonzero(cells.sizes() > limit).tolist()
    ]
    if faults:
        raise FaultsError(Said("the release"), faults)


def _write_table(table: MaskedTable, layout: Layout) -> pl.DataFrame:
    people = pl.Series(layout.holder.name, list_pseudonyms(table)).cast(pl.String)
    return pl.DataFrame(
        [
            people if field.name == people.name else write_cells(table.columns[field.name], field, layout.grammar)
            for field in layout.settle_columns(table.schema).columns
        ]
    )


def _find_deleted(sheet: Sheet, layout: Layout) -> NDArray[np.bool_]:
    marks = sheet.cells.select(pl.all_horizontal(pl.all() == layout.grammar.suppressed)).to_series()
    return marks.to_numpy().astype(np.bool_)


def list_pseudonyms(table: MaskedTable) -> NDArray[np.int64]:
    """Return whose each row is said to be, by pseudonym."""
    return np.zeros(len(table), dtype=np.int64) if table.pseudonym is None else table.pseudonym


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What a reader of cells knows of the original: its columns, and the values of its categories."""

    schema: Schema
    domains: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, original: Dataset, layout: Layout) -> _Known:
        names = [field.name for field in layout.attributes if not field.kind.numeric]
        return cls(schema=original.schema, domains={name: original.domain(name) for name in names})


def _read_table(
    sheet: Sheet, layout: Layout, known: _Known, people: DistinctTexts, deleted: NDArray[np.bool_]
) -> MaskedTable:
    holder, notes, text = layout.holder.name, sheet.notes, sheet.cells[layout.holder.name]
    unnamed = (people.text == layout.grammar.suppressed).to_numpy()[people.place] & ~deleted
    notes.note(
        unnamed, holder, "deleted", text, Said("the row is half deleted: a deleted row holds only suppression marks")
    )
    formed = matches(people.text, layout.pseudonym)
    strange = ~formed[people.place] & ~deleted
    notes.note(
        strange,
        holder,
        "pseudonym",
        text,
        Said("pseudonym {value} does not match {pseudonym}", value=CELL, pseudonym=layout.pseudonym),
    )
    columns: dict[str, Cells] = {
        field.name: read_cells(
            sheet.cells[field.name],
            field,
            layout.grammar,
            known.domains.get(field.name, ()),
            notes,
        )
        for field in layout.attributes
    }
    named = notes.is_fine(holder) & ~deleted
    used = np.zeros(len(people.text), dtype=np.bool_)
    used[people.place[named]] = True
    numbers = people.text.zip_with(pl.Series(used), pl.Series(["0"])).cast(pl.Int64).to_numpy()
    pseudonym = np.where(named, numbers[people.place], 0)
    return MaskedTable(schema=known.schema, columns=columns, pseudonym=pseudonym)


def _note_untruths(sheet: Sheet, table: MaskedTable, original: Dataset, deleted: NDArray[np.bool_]) -> None:
    for name, cells in table.columns.items():
        admitted = (
            cells.admits(original.grid(name)) if isinstance(cells, RangeCells) else cells.admits(original.codes(name))
        )
        text = sheet.cells[name]
        sheet.notes.note(
            ~admitted & ~deleted,
            name,
            "untrue",
            text,
            Said("{name} {value} does not hold the original's value", name=name, value=CELL),
        )


def _note_mixed_people(
    sheet: Sheet, layout: Layout, original: Dataset, people: DistinctTexts, deleted: NDArray[np.bool_]
) -> None:
    holder, notes, text = layout.holder.name, sheet.notes, sheet.cells[layout.holder.name]
    named = notes.is_fine(holder) & ~deleted
    true, false = original.codes(holder), people.place
    owner = true[_first_rows(false, named)]
    notes.note(
        named & (true != owner),
        holder,
        "shared",
        text,
        Said("pseudonym {value} already stands for another customer above", value=CELL),
    )
    alias = false[_first_rows(true, named)]
    notes.note(
        named & (false != alias),
        holder,
        "split",
        text,
        Said("pseudonym {value}: the customer has another pseudonym above", value=CELL),
    )


def _first_rows(codes: NDArray[np.integer], named: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return for each row the first named row with the same code; 0 where there is none."""
    rows = np.flatnonzero(named)[::-1]
    first = np.zeros(codes.max(initial=-1) + 1, dtype=np.intp)
    first[codes[rows]] = rows  # the last one written stays
    return first[codes]
