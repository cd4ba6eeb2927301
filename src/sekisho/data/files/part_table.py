"""A part of a release, or an answer, as a table of strict form: its columns, how many rows, what a cell may hold.

A release may have several parts (ten sheets of one database). Each is a strict file (:mod:`sekisho.data.files.sheet`)
with or without a line of names, and everything that is wrong with it is told at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.fault_notes import CELL
from sekisho.data.files.sheet import Sheet, SheetRules
from sekisho.errors import ParameterError
from sekisho.parameters import checked
from sekisho.words import Said

NUMBER = r"^-?[0-9]{1,15}(\.[0-9]{1,25})?([eE][-+]?[0-9]{1,2})?$"
"""As many decimals as programs write that print all digits of a double, and some more."""
WHOLE = r"^-?[0-9]{1,15}$"
NONE = "*"
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class CellRules:
    """What the cells of a column may hold; anything if nothing is said.

    Attributes:
        values: these texts only.
        known: only texts that occur in the same column of the original.
        number: numbers only; implied by the four below.
        whole: whole numbers only.
        least: not below it.
        above: not below it, nor equal to it.
        most: not above it.
        empty: an empty cell is fine.
        several: a cell may hold several such numbers, a space between two, or ``*`` for none.
    """

    values: tuple[str, ...] = ()
    known: bool = False
    number: bool = False
    whole: bool = False
    least: float | None = None
    above: float | None = None
    most: float | None = None
    empty: bool = False
    several: bool = False

    @property
    def numeric(self) -> bool:
        """Whether only numbers are fine."""
        limits = (self.least, self.above, self.most)
        return self.number or self.whole or any(limit is not None for limit in limits)


ANYTHING = CellRules()
PLAIN = SheetRules()


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class PartTable:
    """The rules of one table.

    Attributes:
        columns: their names, in order.
        rows: how many rows it has, its header apart; None if any number is fine.
        header: whether the first line names the columns.
        cells: what the cells of a column may hold.
        others: what those of all other columns may hold.
        form: of the file.
    """

    columns: tuple[str, ...]
    rows: int | None = None
    header: bool = True
    cells: Mapping[str, CellRules] = field(default_factory=dict[str, CellRules])
    others: CellRules = ANYTHING
    form: SheetRules = PLAIN

    def __post_init__(self) -> None:
        if not self.columns or len(set(self.columns)) < len(self.columns):
            raise ParameterError("columns", Said("be one or more distinct names"), self.columns)
        for name in self.cells:
            if name not in self.columns:
                raise ParameterError("cells", Said("name columns of the table"), name)

    def read(self, path: Path, *, original: pl.DataFrame | None = None) -> pl.DataFrame:
        """Return the cells as texts.

        Args:
            path: the file.
            original: whose values the cells of ``known`` columns must have.

        Raises:
            InputError: the file cannot be read at all.
            FaultsError: it breaks the rules; all faults at once, rows counted as lines of the file.
        """
        sheet = self.note(path, original=original)
        sheet.notes.raise_faults()
        return sheet.cells[int(self.header) :]

    def note(self, path: Path, *, original: pl.DataFrame | None = None) -> Sheet:
        """Return the file with a note of everything that is wrong; its first line is the header, if it has one."""
        first = int(self.header)
        spaced = any(rules.several for rules in (self.others, *self.cells.values()))
        form = replace(self.form, spaced=True) if spaced else self.form
        sheet = form.read(path, self.columns, expected=None if self.rows is None else self.rows + first)
        if self.header:
            _note_header(sheet)
        if self.rows is not None and not sheet.is_cut and len(sheet) != self.rows + first:
            message = Said(
                "the file has {found:,} rows, not {rows:,}", found=max(0, len(sheet) - first), rows=self.rows
            )
            sheet.notes.note_file("rows", len(sheet) - first, message)
        for name in self.columns:
            known = None if original is None or name not in original.columns else original[name]
            _note_column(sheet, name, self.cells.get(name, self.others), known, first)
        return sheet

    def write(self, cells: pl.DataFrame) -> bytes:
        """Return cells as the bytes of such a file."""
        chosen = cells.select(pl.col(name).cast(pl.String) for name in self.columns)
        names = pl.DataFrame({name: [name] for name in self.columns})
        return self.form.write_parts([names, chosen] if self.header else [chosen])


def _note_header(sheet: Sheet) -> None:
    for name in sheet.cells.columns:
        text = sheet.cells[name]
        wrong = np.zeros(len(sheet), dtype=np.bool_)
        wrong[:1] = text.head(1).to_numpy() != name
        message = Said("the column is called {value}, not {name}", value=CELL, name=name)
        sheet.notes.note(wrong, name, "header", text, message)
    if not len(sheet):
        sheet.notes.note_file("header", "", Said("the file has no line of names"))


def _note_column(sheet: Sheet, name: str, rules: CellRules, known: pl.Series | None, first: int) -> None:
    text = sheet.cells[name]
    asked = np.arange(len(sheet)) >= first
    if rules.empty:
        asked &= (text != "").to_numpy()
    if rules.values:
        odd = ~text.is_in(pl.Series(rules.values).implode()).to_numpy()
        allowed = ", ".join(rules.values)
        message = Said("{name} {value} is none of {allowed}", name=name, value=CELL, allowed=allowed)
        sheet.notes.note(asked & odd, name, "values", text, message)
    if rules.known and known is not None:
        odd = ~text.is_in(known.cast(pl.String).unique().implode()).to_numpy()
        message = Said("{name} {value} does not occur in the original", name=name, value=CELL)
        sheet.notes.note(asked & odd, name, "domain", text, message)
    if rules.numeric:
        _note_numbers(sheet, name, rules, asked)


def _note_numbers(sheet: Sheet, name: str, rules: CellRules, asked: NDArray[np.bool_]) -> None:
    text = sheet.cells[name]
    form = WHOLE if rules.whole else NUMBER
    one = form.strip("^$")
    fine = text.str.contains(rf"^(\*|{one}( {one})*)$" if rules.several else form).to_numpy()
    message = (
        Said("{value} is not a whole number", value=CELL) if rules.whole else Said("{value} is no number", value=CELL)
    )
    sheet.notes.note(asked & ~fine, name, "integer" if rules.whole else "number", text, message)
    lowest, highest = _find_ends(text, asked & fine, several=rules.several)
    below = Said("{value} is below {least}", value=CELL, least=rules.least)
    not_above = Said("{value} is not above {above}", value=CELL, above=rules.above)
    beyond = Said("{value} is above {most}", value=CELL, most=rules.most)
    for limit, wrong, rule in (
        (rules.least, lowest < (rules.least or 0), below),
        (rules.above, lowest <= (rules.above or 0), not_above),
        (rules.most, highest > (rules.most or 0), beyond),
    ):
        if limit is not None:
            sheet.notes.note(wrong, name, "range", text, rule)


def _find_ends(text: pl.Series, told: NDArray[np.bool_], *, several: bool) -> tuple[Floats, Floats]:
    """Return the least and the largest number of each cell; NaN where none is told."""
    texts = text.zip_with(pl.Series(told), pl.Series([NONE], dtype=pl.String)).replace(NONE, None)
    if not several:
        numbers = texts.cast(pl.Float64).to_numpy()
        return numbers, numbers
    lists = texts.str.split(" ").list.eval(pl.element().cast(pl.Float64))
    return lists.list.min().to_numpy(), lists.list.max().to_numpy()
