"""A release that is only tables, and what it was made of: read part by part, everything that is wrong told at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
import polars as pl

from sekisho.contest.tables.rules import CHOICE, MODEL, MODEL_ACCURACY, SEED, PartRules, TablesRules
from sekisho.data.files.csv_form import CsvForm
from sekisho.data.files.part_table import PartTable
from sekisho.data.files.plain_table import read_table
from sekisho.data.files.readers.body_lines import LeftOut
from sekisho.data.files.whole_files import read_bytes
from sekisho.data.synthetic.secret_cells import draw_secret_cells
from sekisho.errors import Fault, FaultsError, InputError, MissingFileError, ParameterError
from sekisho.utility.tables.tree_model import TreeModel, read_tree_model
from sekisho.words import Said

T = TypeVar("T")
LONGEST_NUMBER, MOST_FAULTS = 40, 1000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TablesOriginal:
    """What a release is made of.

    Attributes:
        table: what the team holds and what its release is compared with.
        candidates: all rows of which the team's are some; the same table where nobody else is in the file.
        secret: the columns that attackers are asked for, where they follow from a number.
        given: tables that everybody is given, by name.
    """

    table: pl.DataFrame
    candidates: pl.DataFrame
    secret: pl.DataFrame | None = None
    given: Mapping[str, pl.DataFrame] = field(default_factory=dict[str, pl.DataFrame])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TablesRelease:
    """A valid release.

    Attributes:
        tables: by part.
        model: of trees, where the rules ask for one.
        model_file: its bytes as they were handed in.
        original: what it was made of; the first set where there are several.
        sets: by part the set that it was made of.
    """

    tables: Mapping[str, pl.DataFrame]
    model: TreeModel | None
    model_file: bytes | None
    original: TablesOriginal
    sets: Mapping[str, TablesOriginal] = field(default_factory=dict[str, TablesOriginal])

    def find_original(self, part: str) -> TablesOriginal:
        """Return what a part was made of."""
        return self.sets.get(part, self.original)


def list_originals(path: Path, rules: TablesRules) -> tuple[Path, ...]:
    """Return the files of a team: the file itself; or those of which it picks one, or its sets: FILE-1, FILE-2 etc."""
    names = rules.original.sets or tuple(map(str, range(1, rules.original.choices + 1)))
    if len(names) == 1 and not rules.original.sets:
        return (path,)
    return tuple(path.with_name(f"{path.stem}-{name}{path.suffix}") for name in names)


def read_plain(path: Path, *, header: bool = True) -> pl.DataFrame:
    """Return a table of texts as it stands in a file.

    Raises:
        InputError: it cannot be read.
    """
    if not path.is_file():
        raise MissingFileError(path)
    return read_table(path, CsvForm(separator=",", header=header, left_out=LeftOut.NOTHING)).frame


def read_tables_original(path: Path, rules: TablesRules) -> TablesOriginal:
    """Return one original, with the tables that everybody is given, which lie beside it.

    Raises:
        InputError: it cannot be read, or lacks a column that the rules name.
        ParameterError: the team is called as a table that everybody is given.
    """
    if path.stem in rules.original.given:
        raise ParameterError("team", Said("have another name than a table that everybody is given"), path.stem)
    given = {name: read_plain(path.with_name(f"{name}.csv")) for name in rules.original.given}
    frame = read_plain(path, header=rules.original.header)
    if not rules.original.header:
        frame = frame.rename({name: f"c{place}" for place, name in enumerate(frame.columns, 1)})
    members = rules.original.members
    wanted = {name for part in rules.release.parts for name in (*part.columns, part.people) if name}
    wanted |= {members} if members else set()
    missing = sorted(wanted - set(frame.columns))
    if missing:
        raise InputError(path, Said("has no column {names}", names=", ".join(missing)))
    if not members:
        return TablesOriginal(table=frame, candidates=frame, given=given)
    everybody = frame.drop(members)
    return TablesOriginal(table=everybody.filter(frame[members] == "1"), candidates=everybody, given=given)


def read_tables_release(
    files: Mapping[str, Path], rules: TablesRules, originals: tuple[TablesOriginal, ...]
) -> TablesRelease:
    """Return a release.

    Raises:
        FaultsError: everything that is wrong with every part; a column's name has its part's before it.
    """
    faults: list[Fault] = []
    count = 0

    def attempt(name: str, read: Callable[[], T]) -> T | None:
        nonlocal count
        try:
            return read()
        except FaultsError as error:
            faults.extend(_name_part(rules, name, fault) for fault in error.faults[:MOST_FAULTS])
            count += error.count
        except InputError as error:
            faults.append(_name_part(rules, name, Fault(row=0, column="", rule="file", value="", message=error.reason)))
            count += 1
        return None

    sets = dict(zip(rules.original.sets, originals, strict=True)) if rules.original.sets else {}
    original = originals[0] if sets else attempt(CHOICE, lambda: _choose(files, originals))
    seed = attempt(SEED, lambda: _read_number(files[SEED])) if rules.original.secret else None
    if original is not None and rules.original.secret:
        original = None if seed is None else add_secret(original, seed, rules)
    tables: dict[str, pl.DataFrame | None] = {}
    for part in rules.release.parts:
        if part.is_table and original is not None:
            table = sets.get(part.name, original).table
            tables[part.name] = attempt(part.name, partial(_read_table, part, rules, files[part.name], table))
    model_file = read_bytes(files[MODEL]) if MODEL in rules.release_files else None
    model = None if model_file is None else attempt(MODEL, lambda: _read_model(model_file, files[MODEL], rules))
    if faults or original is None:
        raise FaultsError(", ".join(rules.release_files), faults, count=count)
    return TablesRelease(
        tables={name: table for name, table in tables.items() if table is not None},
        model=model,
        model_file=model_file,
        original=original,
        sets=sets,
    )


def _read_table(part: PartRules, rules: TablesRules, path: Path, original: pl.DataFrame) -> pl.DataFrame:
    """Return a part, or raise everything that is wrong with it: its form, its cells, and cells that exclude another."""
    form = find_form(part, rules, original)
    sheet = form.note(path, original=original)
    for names in rules.release.exclusive:
        if set(names) <= set(form.columns):
            ones = np.stack([(sheet.cells[name] == "1").to_numpy() for name in names])
            message = Said("at most one of {names} may be 1", names=", ".join(names))
            sheet.notes.note(ones.sum(axis=0) > 1, names[-1], "exclusive", sheet.cells[names[-1]], message)
    sheet.notes.raise_faults()
    return sheet.cells[int(form.header) :]


def find_form(part: PartRules, rules: TablesRules, original: pl.DataFrame) -> PartTable:
    """Return the strict form of a part, as its original settles it."""
    columns = part.columns or tuple(original.columns)
    return PartTable(
        columns=columns,
        rows=original.height,
        header=rules.release.header,
        cells={name: cell for name, cell in rules.release.cells.items() if name in columns},
        others=rules.release.others,
    )


def add_secret(original: TablesOriginal, seed: int, rules: TablesRules) -> TablesOriginal:
    """Return an original with the columns that follow from a number beside it."""
    drawn = draw_secret_cells(seed, rows=original.table.height, columns=rules.original.secret)
    names = name_secrets(rules.original.secret)
    secret = pl.DataFrame({name: drawn[:, place].astype(str) for place, name in enumerate(names)})
    return replace(original, table=pl.concat([original.table, secret], how="horizontal"), secret=secret)


def name_secrets(count: int) -> tuple[str, ...]:
    """Return what the columns are called that follow from a number."""
    return tuple(f"s{place}" for place in range(1, count + 1))


def _choose(files: Mapping[str, Path], originals: tuple[TablesOriginal, ...]) -> TablesOriginal:
    if len(originals) == 1:
        return originals[0]
    number = _read_number(files[CHOICE])
    if not 1 <= number <= len(originals):
        raise _blame(files[CHOICE], Said("lie between {least} and {most:,}", least=1, most=len(originals)), number)
    return originals[number - 1]


def _read_number(path: Path) -> int:
    text = read_bytes(path, max_bytes=4096).decode("ascii", errors="replace").strip()
    if not text.isdecimal() or len(text) > LONGEST_NUMBER:
        raise _blame(path, Said("be one whole number of at most {most} digits", most=LONGEST_NUMBER), text[:60])
    return int(text)


def _blame(path: Path, rule: Said, value: object) -> FaultsError:
    return FaultsError(path, [Fault(row=1, column="", rule="number", value=str(value), message=rule)])


def _read_model(content: bytes, path: Path, rules: TablesRules) -> TreeModel:
    use = next((each for each in rules.score.utility if each.measure == MODEL_ACCURACY), None)
    target = "" if use is None else str(use.settings.get("target", ""))
    return read_tree_model(content, source=str(path), target=target)


def name_part(name: str, fault: Fault) -> Fault:
    """Return what is wrong with one of several files, its name before the column's."""
    return replace(fault, column=f"{name}/{fault.column}" if fault.column else name)


def _name_part(rules: TablesRules, name: str, fault: Fault) -> Fault:
    return fault if len(rules.release_files) == 1 else name_part(name, fault)
