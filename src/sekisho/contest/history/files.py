"""What people hand in, checked and read: originals, releases, published tables and guesses of a contest over histories.

One validator for everybody. A bad file gets every error at once, with row, column, rule and value. How files are
written, strictly or as the owner of the data writes them, is the business of the rules' form. Rows of data of one's own
that the schema drops are not in the original: releases stand row by row beside what was read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.attack.guess import Guess
from sekisho.contest.history.rules import HistoryRules
from sekisho.data.files.frames import is_parquet, write_parquet
from sekisho.data.files.grammar import FieldRules, matches, read_cells, read_exact, split_sets, write_cells
from sekisho.data.files.published_frame import publish_values
from sekisho.data.files.schema_files.reading import read_own
from sekisho.data.files.sheet import Sheet
from sekisho.data.files.values.distinct_texts import DistinctTexts, find_distinct_texts
from sekisho.data.frame.cells import Cells, RangeCells, SetCells
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable, Release
from sekisho.data.frame.schema import Schema
from sekisho.data.review import ReleaseReview, review_release
from sekisho.errors import Fault, FaultsError, ParameterError
from sekisho.provenance import Provenance, digest_file

ROWS = 500_000
"""So many rows are written as text at a time."""


def read_original(path: Path, rules: HistoryRules) -> Dataset:
    """Return the original history."""
    if rules.own is not None:
        return read_own(path, rules.own).data
    sheet = rules.form.read(path, rules.schema.names)
    if not len(sheet):
        sheet.notes.note_file("rows", 0, "the file is empty")
    columns = [read_exact(sheet.cells[field.name], field, sheet.notes) for field in rules.columns]
    _note_header(sheet, rules)
    sheet.notes.raise_faults()
    return Dataset(pl.DataFrame(columns), rules.schema)


def read_release(path: Path, rules: HistoryRules, original: Dataset) -> Release:
    """Return a release of the original: row i of the file is what became of row i."""
    rules = rules.settle_columns(original.schema)
    sheet = rules.form.read(path, rules.schema.names, expected=len(original))
    _note_header(sheet, rules)
    deleted = _find_deleted(sheet, rules)
    people = find_distinct_texts(sheet.cells[rules.holder.name])
    table = _read_table(sheet, rules, _Known.of(original, rules), people, deleted)
    if len(table) == len(original):
        _note_untruths(sheet, table, original, deleted)
        _note_mixed_people(sheet, rules, original, people, deleted)
    elif not sheet.is_cut:
        message = f"the file has {len(table):,} rows, the original {len(original):,}"
        sheet.notes.note_file("rows", len(table), message)
    sheet.notes.raise_faults()
    provenance = Provenance(name="file", inputs={path.name: digest_file(path)})
    return Release(table=table, deleted=deleted, provenance=provenance)


def read_published(path: Path, rules: HistoryRules, original: Dataset) -> MaskedTable:
    """Return what is published of a release: no deleted rows, in no telling order."""
    rules = rules.settle_columns(original.schema)
    sheet = rules.form.read(path, rules.schema.names, expected=len(original))
    _note_header(sheet, rules)
    people = find_distinct_texts(sheet.cells[rules.holder.name])
    known = _Known.of(original, rules)
    table = _read_table(sheet, rules, known, people, np.zeros(len(sheet), dtype=np.bool_))
    sheet.notes.raise_faults()
    return table


def read_guess(path: Path, rules: HistoryRules, published: MaskedTable, original: Dataset) -> Guess:
    """Return an attack: lines ``pseudonym,customer``, each pseudonym at most once, customers as often as one likes."""
    pseudonyms = pl.Series(np.unique(_list_pseudonyms(published))).cast(pl.String)
    named, person = claim_columns(rules)
    sheet = rules.form.read(path, (named, person), expected=len(pseudonyms))
    notes, pseudonym, customer = sheet.notes, sheet.cells[named], sheet.cells[person]
    unknown = ~pseudonym.is_in(pseudonyms.implode()).to_numpy()
    notes.note(unknown, "pseudonym", "unknown", pseudonym, "pseudonym {value} is not in the published table")
    doubled = (~pseudonym.is_first_distinct()).to_numpy()
    notes.note(doubled, "pseudonym", "doubled", pseudonym, "pseudonym {value} was already named above")
    nobody = ~customer.is_in(pl.Series(original.domain(rules.holder.name)).implode()).to_numpy()
    notes.note(nobody, person, "unknown", customer, f"{person} {{value}} is not in the original")
    notes.raise_faults()
    names = pseudonym.cast(pl.Int64).to_numpy()
    return Guess(published=names, person=tuple(customer.to_list()), chance=np.full(len(names), np.nan))


def write_release(release: Release, rules: HistoryRules, *, review: ReleaseReview | None = None) -> bytes:
    """Return a release as the contest's file.

    Args:
        release: what a method made.
        rules: a contest's, which fix the form of files, or one's own.
        review: what whoever writes it has been told; made now if None, and a release that may harm people is refused.

    Raises:
        ReviewNeededError: nobody reviewed it, and it may harm people.
        FaultsError: a set holds more values than the rules allow.
    """
    if review is None:
        review_release(release).refuse()
    _refuse_large_sets(release.table, rules)
    return rules.form.write_parts(_write_rows(release, rules))


def _write_rows(release: Release, rules: HistoryRules) -> Iterator[pl.DataFrame]:
    """Give the rows of a release as text, some at a time, for the texts of many take more memory than the release."""
    gone = pl.Series([rules.grammar.suppressed])
    for start in range(0, max(1, len(release.table)), ROWS):
        rows = np.arange(start, min(start + ROWS, len(release.table)))
        kept = pl.Series(~release.deleted[rows])
        cells = _write_table(release.table.take(rows), rules)
        yield pl.DataFrame([column.zip_with(kept, gone) for column in cells])


def write_published(
    release: Release, rules: HistoryRules, out: Path | None = None, *, review: ReleaseReview | None = None
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
    if review is None:
        review_release(release).refuse()
    table = release.table.take(~release.deleted)
    _refuse_large_sets(table, rules)
    if not is_parquet(out):
        return rules.form.write(_write_table(table, rules), shuffled=True)
    rules.refuse_parquet()
    fields = rules.settle_columns(table.schema).columns
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
    path: Path, rules: HistoryRules, original: Dataset | None = None, *, out: Path | None = None
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
    if original is None:
        return _publish_alone(path, rules, out)
    release = read_release(path, rules, original)
    shown = release.table.take(~release.deleted)
    return PublishedFile(
        data=write_published(release, rules, out),
        rows=len(shown),
        people=len(np.unique(_list_pseudonyms(shown))),
        release=release,
    )


def _publish_alone(path: Path, rules: HistoryRules, out: Path | None) -> PublishedFile:
    """Return what is published of a release file whose original is not at hand."""
    if rules.own is not None and (rules.own.open_columns or any(each.kind is None for each in rules.own.columns)):
        raise ParameterError("original", "be given where the schema leaves open what columns are", None)
    if is_parquet(out):
        raise ParameterError("original", "be given to write Parquet", None)
    sheet = rules.form.read(path, rules.schema.names)
    _note_header(sheet, rules)
    deleted = _find_deleted(sheet, rules)
    people = find_distinct_texts(sheet.cells[rules.holder.name])
    domains = {
        each.name: _note_domain(sheet, each, rules, deleted) for each in rules.attributes if not each.kind.numeric
    }
    table = _read_table(sheet, rules, _Known(schema=rules.schema, domains=domains), people, deleted)
    sheet.notes.raise_faults()
    shown = table.take(~deleted)
    data = sheet.form.write(_write_table(shown, rules), shuffled=True)
    return PublishedFile(data=data, rows=len(shown), people=len(np.unique(_list_pseudonyms(shown))))


def _note_domain(sheet: Sheet, field: FieldRules, rules: HistoryRules, deleted: NDArray[np.bool_]) -> tuple[str, ...]:
    """Return the values of a column that a release file holds, having noted the cells with one that cannot be."""
    text = sheet.cells[field.name]
    cells = split_sets(text, field, rules.grammar)
    owner, values = np.repeat(np.arange(len(text)), cells.list.len().to_numpy()), field.writing.restore(cells.explode())
    shown = ~(text == rules.grammar.suppressed).to_numpy() & ~deleted
    odd = np.zeros(len(text), dtype=np.bool_)
    odd[owner[~matches(values, field.pattern)]] = True
    sheet.notes.note(odd & shown, field.name, "grammar", text, f"{field.name} {{value}} does not match {field.pattern}")
    return tuple(values.filter(pl.Series(shown[owner])).unique().sort().to_list())


def write_original(data: Dataset, rules: HistoryRules) -> bytes:
    """Return a history as the contest's file, or as data of one's own are written."""
    columns: list[pl.Series] = []
    for field in rules.settle_columns(data.schema).columns:
        if field.kind.numeric:
            columns.append(write_cells(RangeCells.exact(data.grid(field.name)), field, rules.grammar))
        else:
            columns.append(data.frame[field.name])
    return rules.form.write(pl.DataFrame(columns))


def claim_columns(rules: HistoryRules) -> tuple[str, str]:
    """Return the columns of an attack's file: the pseudonym and the person, as the original calls its people."""
    return "pseudonym", rules.holder.name if rules.holder.name != "pseudonym" else "person"


def write_claims(pseudonyms: Iterable[int], people: Iterable[str], rules: HistoryRules) -> bytes:
    """Return who is said to be who as the contest's file."""
    names = pl.Series(list(pseudonyms), dtype=pl.Int64).cast(pl.String)
    columns = (names, pl.Series(list(people), dtype=pl.String))
    return rules.form.write(pl.DataFrame(dict(zip(claim_columns(rules), columns, strict=True))))


def write_guess(guess: Guess, rules: HistoryRules) -> bytes:
    """Return an attack as the contest's file."""
    return write_claims(guess.published.tolist(), guess.person, rules)


def _refuse_large_sets(table: MaskedTable, rules: HistoryRules) -> None:
    limit = rules.grammar.max_set
    faults = [
        Fault(
            row=row + 1,
            column=name,
            rule="set-size",
            value=str(cells.offsets[row + 1] - cells.offsets[row]),
            message=f"a set may hold at most {limit} values",
        )
        for name, cells in table.columns.items()
        if isinstance(cells, SetCells)
        for row in np.flatnonzero(cells.sizes() > limit).tolist()
    ]
    if faults:
        raise FaultsError("the release", faults)


def _write_table(table: MaskedTable, rules: HistoryRules) -> pl.DataFrame:
    people = pl.Series(rules.holder.name, _list_pseudonyms(table)).cast(pl.String)
    return pl.DataFrame(
        [
            people if field.name == people.name else write_cells(table.columns[field.name], field, rules.grammar)
            for field in rules.settle_columns(table.schema).columns
        ]
    )


def _find_deleted(sheet: Sheet, rules: HistoryRules) -> NDArray[np.bool_]:
    marks = sheet.cells.select(pl.all_horizontal(pl.all() == rules.grammar.suppressed)).to_series()
    return marks.to_numpy().astype(np.bool_)


def _list_pseudonyms(table: MaskedTable) -> NDArray[np.int64]:
    return np.zeros(len(table), dtype=np.int64) if table.pseudonym is None else table.pseudonym


def _note_header(sheet: Sheet, rules: HistoryRules) -> None:
    if rules.own is not None:
        return  # an ordinary file has one
    regular = len(sheet) > 0 and bool(sheet.notes.is_fine("")[0])
    first = rules.sheet.separator.join(sheet.cells.row(0)) if regular else ""
    if first and not re.search(r"[0-9]", first) and set(sheet.cells.row(0)) != {rules.grammar.suppressed}:
        sheet.notes.note_file("header", first, "the first line looks like a header; the file must have none")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What a reader of cells knows of the original: its columns, and the values of its categories."""

    schema: Schema
    domains: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, original: Dataset, rules: HistoryRules) -> _Known:
        names = [field.name for field in rules.attributes if not field.kind.numeric]
        return cls(schema=original.schema, domains={name: original.domain(name) for name in names})


def _read_table(
    sheet: Sheet, rules: HistoryRules, known: _Known, people: DistinctTexts, deleted: NDArray[np.bool_]
) -> MaskedTable:
    holder, notes, text = rules.holder.name, sheet.notes, sheet.cells[rules.holder.name]
    unnamed = (people.text == rules.grammar.suppressed).to_numpy()[people.place] & ~deleted
    notes.note(unnamed, holder, "deleted", text, "the row is half deleted: a deleted row holds only suppression marks")
    formed = matches(people.text, rules.pseudonym.pattern)
    strange = ~formed[people.place] & ~deleted
    notes.note(strange, holder, "pseudonym", text, f"pseudonym {{value}} does not match {rules.pseudonym.pattern}")
    columns: dict[str, Cells] = {
        field.name: read_cells(
            sheet.cells[field.name],
            field,
            rules.grammar,
            known.domains.get(field.name, ()),
            notes,
        )
        for field in rules.attributes
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
            ~admitted & ~deleted, name, "untrue", text, f"{name} {{value}} does not hold the original's value"
        )


def _note_mixed_people(
    sheet: Sheet, rules: HistoryRules, original: Dataset, people: DistinctTexts, deleted: NDArray[np.bool_]
) -> None:
    holder, notes, text = rules.holder.name, sheet.notes, sheet.cells[rules.holder.name]
    named = notes.is_fine(holder) & ~deleted
    true, false = original.codes(holder), people.place
    owner = true[_first_rows(false, named)]
    notes.note(
        named & (true != owner), holder, "shared", text, "pseudonym {value} already stands for another customer above"
    )
    alias = false[_first_rows(true, named)]
    notes.note(
        named & (false != alias), holder, "split", text, "pseudonym {value}: the customer has another pseudonym above"
    )


def _first_rows(codes: NDArray[np.integer], named: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return for each row the first named row with the same code; 0 where there is none."""
    rows = np.flatnonzero(named)[::-1]
    first = np.zeros(codes.max(initial=-1) + 1, dtype=np.intp)
    first[codes[rows]] = rows  # the last one written stays
    return first[codes]
