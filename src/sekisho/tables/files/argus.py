"""τ-ARGUS tables (``.tab`` with its ``.rda`` and ``.hrc``) and a-priori files (``.hst``), read and written.

A ``.tab`` file holds every cell with its value, suppressed or not: it is what τ-ARGUS works on, not what is published.

Source: τ-ARGUS manual 4.1, sections 5.1.4 (tabular data), 5.2 (hierarchies) and 5.6 (a-priori file).
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import polars as pl

from sekisho.data.files.plain_files.number_forms import settle_numbers
from sekisho.data.files.separated_rows import split_rows
from sekisho.data.files.whole_files import detect_and_decode, read_bytes
from sekisho.data.trees.hierarchy import Hierarchy, Tree
from sekisho.data.trees.tree_files import build_by_digits, parse_outline, write_hrc
from sekisho.errors import Fault, FaultsError, InputError, ParameterError
from sekisho.tables.files.argus_metadata import Meta, TabColumn, Variable, rda_meta, rda_text
from sekisho.tables.files.cells import CellFile
from sekisho.tables.model.geometry import Dimension
from sekisho.tables.model.margins import Margins
from sekisho.tables.model.table import TOTAL, Floats, Status, Table
from sekisho.words import Said

LETTERS = {Status.SAFE: "S", Status.PRIMARY: "U", Status.SECONDARY: "M", Status.PUBLISH: "P"}
OTHERS = {"M": Status.SECONDARY, "X": Status.SECONDARY, "E": Status.SAFE, "": Status.SAFE}


def read_tab(
    path: Path, meta_path: Path | None = None, *, encoding: str | None = None, margins: Margins | None = None
) -> Table:
    """Return the table of a ``.tab`` file; its metadata is the ``.rda`` beside it if not told.

    Its margins' codes are those of the metadata (``<TOTCODE>``), unless they do not occur or ``margins`` says
    otherwise.

    Raises:
        FaultsError: whatever is wrong with the metadata, a hierarchy, or the cells; of each file all at once.
    """
    rda = meta_path or path.with_suffix(".rda")
    meta = rda_meta(detect_and_decode(read_bytes(rda), rda, encoding=encoding)[0], source=rda)
    frame = _frame(detect_and_decode(read_bytes(path), path, encoding=encoding)[0], meta, path)
    said = margins or Margins()
    said.refuse_strange([one.name for one in meta.of(TabColumn.SPANNING)])
    meta = _named_totals(meta, frame, said)
    trees = _trees(meta, frame, rda.parent, encoding)
    file = CellFile(
        dims=tuple(one.name for one in meta.of(TabColumn.SPANNING)),
        value=meta.of(TabColumn.RESPONSE)[0].name,
        counts=False,
        frequency=_name(meta, TabColumn.FREQUENCY),
        largest=tuple(one.name for one in meta.of(TabColumn.LARGEST)),
        weight=_name(meta, TabColumn.COST),
        trees=trees,
        margins=Margins(of={one.name: one.total for one in meta.of(TabColumn.SPANNING)}, categories=said.categories),
    )
    return _with_status(file.table(frame, source=path), file, frame, meta, path)


def tab_response(path: Path, *, encoding: str | None = None) -> str:
    """Return the name of a ``.tab`` file's response."""
    rda = path.with_suffix(".rda")
    meta = rda_meta(detect_and_decode(read_bytes(rda), rda, encoding=encoding)[0], source=rda)
    return meta.of(TabColumn.RESPONSE)[0].name


def tab_totals(path: Path, *, encoding: str | None = None) -> dict[str, str]:
    """Return the totals' codes that the metadata of a ``.tab`` file names, by dimension."""
    rda = path.with_suffix(".rda")
    meta = rda_meta(detect_and_decode(read_bytes(rda), rda, encoding=encoding)[0], source=rda)
    return {one.name: one.total or TOTAL for one in meta.of(TabColumn.SPANNING)}


def tab_trees(
    path: Path, meta_path: Path | None = None, *, encoding: str | None = None, margins: Margins | None = None
) -> dict[str, Hierarchy]:
    """Return the trees of a ``.tab`` file's dimensions, those without one left out."""
    rda = meta_path or path.with_suffix(".rda")
    meta = rda_meta(detect_and_decode(read_bytes(rda), rda, encoding=encoding)[0], source=rda)
    frame = _frame(detect_and_decode(read_bytes(path), path, encoding=encoding)[0], meta, path)
    return _trees(_named_totals(meta, frame, margins or Margins()), frame, rda.parent, encoding)


def _named_totals(meta: Meta, frame: pl.DataFrame, margins: Margins) -> Meta:
    """Return the metadata with the margins' codes.

    They are as told, or as they occur under a common name where those of the file do not.
    """

    def named(one: Variable) -> Variable:
        codes = frozenset(frame[one.name])
        if one.name in margins.of:
            return replace(one, total=margins.of[one.name])
        others = [code for code in (margins.everywhere, *margins.recognised(one.name, codes)) if code in codes]
        return one if one.total in codes or not others else replace(one, total=others[0])

    spanning = [named(one) if one.part is TabColumn.SPANNING else one for one in meta.variables]
    return replace(meta, variables=tuple(spanning))


def tab_unread(path: Path, *, encoding: str | None = None) -> list[str]:
    """Return the variables of a ``.tab`` file that are read over: shadow variables, and those of no known kind."""
    rda = path.with_suffix(".rda")
    meta = rda_meta(detect_and_decode(read_bytes(rda), rda, encoding=encoding)[0], source=rda)
    return [one.name for one in meta.variables if one.part in (None, TabColumn.SHADOW)]


def tab_companions(path: Path, *, encoding: str | None = None) -> list[Path]:
    """Return the files that belong to a ``.tab`` file: its ``.rda`` and the ``.hrc`` files that it names."""
    rda = path.with_suffix(".rda")
    meta = rda_meta(detect_and_decode(read_bytes(rda), rda, encoding=encoding)[0], source=rda)
    return [rda, *(rda.parent / one.outline for one in meta.of(TabColumn.SPANNING) if one.outline)]


def _trees(meta: Meta, frame: pl.DataFrame, folder: Path, encoding: str | None) -> dict[str, Hierarchy]:
    return {
        one.name: Hierarchy(tree=_tree(one, frame, folder, encoding))
        for one in meta.of(TabColumn.SPANNING)
        if one.outline or one.widths
    }


def tab_files(
    table: Table, path: Path, dimensions: Sequence[Dimension] = (), *, value: str = "value"
) -> dict[Path, bytes]:
    """Return a table as the ``.tab`` file of this path and those beside it.

    Beside it lie the ``.rda``, and an ``.hrc`` for each dimension with a tree. Frequencies that are not known (those of
    a table of sums alone) are left out.

    Raises:
        ParameterError: the table has cells that stand in no published table: their values are not the true ones.
    """
    if table.unpublished.any():
        raise ParameterError(
            "table", Said("have published cells only"), f"{int(table.unpublished.sum())} unpublished ones"
        )
    deep = {one.name: one for one in dimensions if any(parent != one.total for parent in one.parent.values())}
    trees = {name: path.with_name(f"{path.stem}_{name}.hrc") for name in deep}
    spanning = [
        Variable(name=dim, part=TabColumn.SPANNING, total=total, outline=trees[dim].name if dim in trees else "")
        for dim, total in zip(table.dims, table.margins, strict=True)
    ]
    places = range(table.largest.shape[1])
    counted = bool(table.frequency.any())
    meta = Meta(
        separator=";",
        variables=(
            *spanning,
            Variable(name=_free_name(value, table.dims), part=TabColumn.RESPONSE, decimals=0 if table.whole else 6),
            *(
                Variable(name=_free_name(name, (*table.dims, value)), part=part)
                for name, part in (
                    *((("frequency", TabColumn.FREQUENCY),) if counted else ()),
                    ("cost", TabColumn.COST),
                    *((f"top{place + 1}", TabColumn.LARGEST) for place in places),
                    ("status", TabColumn.STATUS),
                    ("lower", TabColumn.LOWER),
                    ("upper", TabColumn.UPPER),
                )
            ),
        ),
    )
    out = StringIO()
    writer = csv.writer(out, delimiter=meta.separator, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    letters = [LETTERS[Status(code)] for code in table.status.tolist()]
    for cell, key in enumerate(table.keys):
        count = (int(table.frequency[cell]),) if counted else ()
        sums = (table.value[cell], *count, table.weight[cell], *table.largest[cell])
        levels = (table.lower_level[cell], table.upper_level[cell])
        writer.writerow([*key, *map(_plain, sums), letters[cell], *map(_plain, levels)])
    outlines = {trees[name]: write_hrc(Tree.of(list(one.parent.items()))).encode() for name, one in deep.items()}
    return {path: out.getvalue().encode(), path.with_suffix(".rda"): rda_text(meta).encode(), **outlines}


def _free_name(name: str, taken: Sequence[str]) -> str:
    """Return a name for a column, lengthened as long as a dimension or the value has it."""
    while name in taken:
        name += "_"
    return name


def _frame(text: str, meta: Meta, source: object) -> pl.DataFrame:
    rows = [row for row in split_rows(text, meta.separator, source, trim=True) if any(row)]
    width = len(meta.variables)
    faults = [
        Fault(
            row=number,
            column="",
            rule="columns",
            value=meta.separator.join(row),
            message=Said("has {row} columns, not {width}", row=len(row), width=width),
        )
        for number, row in enumerate(rows, start=1)
        if len(row) != width
    ]
    if faults:
        raise FaultsError(source, faults)
    if not rows:
        raise InputError(source, Said("has no rows"))
    frame = pl.DataFrame(
        {one.name: [row[place].strip() for row in rows] for place, one in enumerate(meta.variables)},
        schema=dict.fromkeys((one.name for one in meta.variables), pl.String()),
    )
    if meta.separator == ",":
        return frame
    numbers = [one.name for one in meta.variables if one.part not in (TabColumn.SPANNING, TabColumn.STATUS)]
    return settle_numbers(frame, numbers, None, source)  # some have a decimal comma


def _tree(variable: Variable, frame: pl.DataFrame, folder: Path, encoding: str | None) -> Tree:
    """Return a variable's tree; codes that mean "unknown" hang from the total where they occur."""
    codes = [code for code in dict.fromkeys(frame[variable.name].to_list()) if code != variable.total]
    if variable.outline:
        path = folder / variable.outline
        text, _ = detect_and_decode(read_bytes(path), path, encoding=encoding)
        tree = parse_outline(text, root=variable.total, lead=variable.lead, source=path)
    elif variable.widths:
        known = [code for code in codes if code not in variable.missing]
        tree = build_by_digits(known, variable.widths, root=variable.total)
    else:
        return Tree.flat(codes, root=variable.total)
    unknown = [code for code in map(str.strip, variable.missing) if code in codes and code not in tree]
    return Tree(codes=(*tree.codes, *unknown), parents=(*tree.parents, *(0 for _ in unknown)))


def _with_status(table: Table, file: CellFile, frame: pl.DataFrame, meta: Meta, source: object) -> Table:
    """Return the table with the statuses and protection levels of the file.

    A primary without levels gets the least there is.
    """
    at = np.array([table.position[key] for key in file.keys(frame)])
    for part, field in ((TabColumn.LOWER, "lower_level"), (TabColumn.UPPER, "upper_level")):
        name = _name(meta, part)
        if name is not None:
            numbers = frame[name].cast(pl.Float64, strict=False).fill_null(0.0).to_numpy()
            levels: Floats = np.zeros(len(table))
            levels[at] = numbers
            table = replace(table, **{field: levels})
    name = _name(meta, TabColumn.STATUS)
    if name is None:
        return table
    meant = OTHERS | {meta.safe: Status.SAFE, meta.unsafe: Status.PRIMARY, meta.protect: Status.PUBLISH}
    letters = frame[name].str.to_uppercase().to_list()
    faults = [
        Fault(row=row, column=name, rule="status", value=letter, message=Said("{letter!r} is no status", letter=letter))
        for row, letter in enumerate(letters, start=1)
        if letter not in meant
    ]
    if faults:
        raise FaultsError(source, faults)
    status = table.status.copy()
    status[at] = [meant[letter] for letter in letters]
    lower, upper = (np.where(status == Status.PRIMARY, level, 0.0) for level in (table.lower_level, table.upper_level))
    return table.mark_cells(status, lower=lower, upper=upper)


def _name(meta: Meta, part: TabColumn) -> str | None:
    return next((one.name for one in meta.of(part)), None)


def _plain(number: float) -> float | int:
    return int(number) if number == int(number) else float(number)
