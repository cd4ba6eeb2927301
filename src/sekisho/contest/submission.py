"""What people hand in, checked and read: originals, releases, published tables and guesses of a contest over histories.

One validator for everybody. A bad file gets every error at once, with row, column, rule and value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.attack.claims import Guess
from sekisho.contest.rules import HistoryRules
from sekisho.data.cells import Cells, RangeCells, SetCells
from sekisho.data.dataset import Dataset
from sekisho.data.grammar import matches, read_cells, read_exact, write_cells
from sekisho.data.release import MaskedTable, Release
from sekisho.data.sheet import Sheet, read_sheet
from sekisho.data.words import Words, words_of
from sekisho.errors import Fault, FaultsError
from sekisho.provenance import Provenance, digest


def read_original(path: Path, rules: HistoryRules) -> Dataset:
    """Return the original history."""
    sheet = read_sheet(path, rules.schema.names, rules.sheet)
    if not len(sheet):
        sheet.notes.note_file("rows", 0, "the file is empty")
    columns = [read_exact(sheet.cells[field.name], field, sheet.notes) for field in rules.columns]
    _note_header(sheet, rules)
    sheet.notes.settle()
    return Dataset(pl.DataFrame(columns), rules.schema)


def read_release(path: Path, rules: HistoryRules, original: Dataset) -> Release:
    """Return a release of the original: row i of the file is what became of row i."""
    sheet = read_sheet(path, rules.schema.names, rules.sheet, expected=len(original))
    _note_header(sheet, rules)
    deleted = _deleted(sheet, rules)
    people = words_of(sheet.cells[rules.holder.name])
    table = _read_table(sheet, rules, original, people, deleted)
    if len(table) == len(original):
        _note_untruths(sheet, table, original, deleted)
        _note_mixed_people(sheet, rules, original, people, deleted)
    elif not sheet.cut:
        message = f"the file has {len(table):,} rows, the original {len(original):,}"
        sheet.notes.note_file("rows", len(table), message)
    sheet.notes.settle()
    made = Provenance(name="file", inputs={path.name: digest(path)})
    return Release(table=table, deleted=deleted, provenance=made)


def read_published(path: Path, rules: HistoryRules, original: Dataset) -> MaskedTable:
    """Return what is published of a release: no deleted rows, in no telling order."""
    sheet = read_sheet(path, rules.schema.names, rules.sheet, expected=len(original))
    _note_header(sheet, rules)
    people = words_of(sheet.cells[rules.holder.name])
    table = _read_table(sheet, rules, original, people, np.zeros(len(sheet), dtype=np.bool_))
    sheet.notes.settle()
    return table


def read_guess(path: Path, rules: HistoryRules, published: MaskedTable, original: Dataset) -> Guess:
    """Return an attack: lines ``pseudonym,customer``, each pseudonym at most once, customers as often as one likes."""
    known = pl.Series(np.unique(_people(published))).cast(pl.String)
    sheet = read_sheet(path, ("pseudonym", "customer"), rules.sheet, expected=len(known))
    notes, pseudonym, customer = sheet.notes, sheet.cells["pseudonym"], sheet.cells["customer"]
    unknown = ~pseudonym.is_in(known.implode()).to_numpy()
    notes.note(unknown, "pseudonym", "unknown", pseudonym, "pseudonym {value} is not in the published table")
    doubled = (~pseudonym.is_first_distinct()).to_numpy()
    notes.note(doubled, "pseudonym", "doubled", pseudonym, "pseudonym {value} was already named above")
    nobody = ~customer.is_in(pl.Series(original.domain(rules.holder.name)).implode()).to_numpy()
    notes.note(nobody, "customer", "unknown", customer, "customer {value} is not in the original")
    notes.settle()
    names = pseudonym.cast(pl.Int64).to_numpy()
    return Guess(pseudonym=names, customer=tuple(customer.to_list()), chance=np.full(len(names), np.nan))


def write_release(release: Release, rules: HistoryRules) -> bytes:
    """Return a release as the contest's file.

    Raises:
        FaultsError: a set holds more values than the rules allow.
    """
    deleted = pl.Series(release.deleted)
    gone = pl.Series([_gone(rules)])
    lines = _written(release.table, rules)
    return _file(gone.new_from_index(0, len(lines)).zip_with(deleted, lines))


def publish(release: Release, rules: HistoryRules) -> bytes:
    """Return what is published: the undeleted lines, sorted as strings, which is the contest's shuffle."""
    lines = _written(release.table.take(~release.deleted), rules)
    return _file(lines.sort())


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedFile:
    """What is published, as bytes, and how many rows and people are in it."""

    data: bytes
    rows: int
    people: int


def publish_file(path: Path, rules: HistoryRules) -> PublishedFile:
    """Return what is published of a release file, its lines as handed in."""
    sheet = read_sheet(path, rules.schema.names, rules.sheet)
    sheet.notes.settle()
    kept = pl.Series(~_deleted(sheet, rules))
    people = sheet.cells[rules.holder.name].filter(kept).n_unique()
    lines = pl.Series(sheet.lines(), dtype=pl.String).filter(kept)
    return PublishedFile(data=_file(lines.sort()), rows=len(lines), people=people)


def write_original(data: Dataset, rules: HistoryRules) -> bytes:
    """Return a history as the contest's file."""
    columns: list[pl.Series] = []
    for field in rules.columns:
        if field.kind.numeric:
            columns.append(write_cells(RangeCells.exact(data.grid(field.name)), field, rules.grammar))
        else:
            columns.append(data.frame[field.name])
    return _file(_lines_of(columns, rules))


def write_guess(guess: Guess, rules: HistoryRules) -> bytes:
    """Return an attack as the contest's file."""
    columns = [
        pl.Series("pseudonym", guess.pseudonym).cast(pl.String),
        pl.Series("customer", guess.customer, dtype=pl.String),
    ]
    return _file(_lines_of(columns, rules))


def _refuse_large_sets(table: MaskedTable, rules: HistoryRules) -> None:
    limit = rules.grammar.max_set
    faults = [
        Fault(
            row=row + 1, column=name, rule="set-size", value=str(size), message=f"a set may hold at most {limit} values"
        )
        for name, cells in table.columns.items()
        if isinstance(cells, SetCells)
        for row, size in enumerate(cells.sizes().tolist())
        if size > limit
    ]
    if faults:
        raise FaultsError("the release", faults)


def _written(table: MaskedTable, rules: HistoryRules) -> pl.Series:
    _refuse_large_sets(table, rules)
    people = pl.Series(rules.holder.name, _people(table)).cast(pl.String)
    columns = [
        people if field is rules.holder else write_cells(table.columns[field.name], field, rules.grammar)
        for field in rules.columns
    ]
    return _lines_of(columns, rules)


def _lines_of(columns: list[pl.Series], rules: HistoryRules) -> pl.Series:
    return pl.DataFrame(columns).select(pl.concat_str(pl.all(), separator=rules.sheet.separator)).to_series()


def _file(lines: pl.Series) -> bytes:
    return ("\n".join(lines.to_list()) + "\n" if len(lines) else "").encode("ascii")


def _deleted(sheet: Sheet, rules: HistoryRules) -> NDArray[np.bool_]:
    marks = sheet.cells.select(pl.all_horizontal(pl.all() == rules.grammar.suppressed)).to_series()
    return marks.to_numpy().astype(np.bool_)


def _gone(rules: HistoryRules) -> str:
    return rules.sheet.separator.join([rules.grammar.suppressed] * len(rules.columns))


def _people(table: MaskedTable) -> NDArray[np.int64]:
    return np.zeros(len(table), dtype=np.int64) if table.pseudonym is None else table.pseudonym


def _note_header(sheet: Sheet, rules: HistoryRules) -> None:
    regular = len(sheet) > 0 and bool(sheet.notes.fine("")[0])
    first = rules.sheet.separator.join(sheet.cells.row(0)) if regular else ""
    if first and not re.search(r"[0-9]", first) and first != _gone(rules):
        sheet.notes.note_file("header", first, "the first line looks like a header; the file must have none")


def _read_table(
    sheet: Sheet, rules: HistoryRules, original: Dataset, people: Words, deleted: NDArray[np.bool_]
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
            () if field.kind.numeric else original.domain(field.name),
            notes,
        )
        for field in rules.attributes
    }
    named = notes.fine(holder) & ~deleted
    used = np.zeros(len(people.text), dtype=np.bool_)
    used[people.place[named]] = True
    numbers = people.text.zip_with(pl.Series(used), pl.Series(["0"])).cast(pl.Int64).to_numpy()
    pseudonym = np.where(named, numbers[people.place], 0)
    return MaskedTable(schema=original.schema, columns=columns, pseudonym=pseudonym)


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
    sheet: Sheet, rules: HistoryRules, original: Dataset, people: Words, deleted: NDArray[np.bool_]
) -> None:
    holder, notes, text = rules.holder.name, sheet.notes, sheet.cells[rules.holder.name]
    named = notes.fine(holder) & ~deleted
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
