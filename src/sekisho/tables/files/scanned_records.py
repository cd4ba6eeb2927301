"""Files of records beyond memory as the source of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

import narwhals as nw
import numpy as np
import polars as pl

from sekisho.data.engines.blocks import map_blocks
from sekisho.data.engines.engine import EngineChoice
from sekisho.data.engines.names import Batch, file_column, list_kinds, list_plain, make_plain
from sekisho.data.engines.scan import Scan, find_large_mark, take_texts
from sekisho.data.engines.schema_files.text_rows import open_text_table
from sekisho.data.files.fault_notes import FaultNote
from sekisho.data.files.plain_files.number_forms import find_doubtful, read_settled_floats, say_doubtful
from sekisho.data.files.plain_files.numbers import POINT
from sekisho.data.files.schema_files.schema_file import FileRules, SchemaFile
from sekisho.data.frame.dataset import Kind
from sekisho.data.identity.contributor_column import ContributorColumn, rate_owner, says_owner
from sekisho.data.identity.header_words import ColumnEvidence
from sekisho.data.shape import Shape
from sekisho.errors import Fault, FaultsError, MissingColumnsError
from sekisho.tables.files.notices import notice_trees
from sekisho.tables.files.records import RecordSource, notice_unit
from sekisho.tables.files.row_unit import RowUnit
from sekisho.tables.files.source import TableRead
from sekisho.tables.model.contributor_sums import ROW
from sekisho.tables.model.tabulate import AMOUNT, WEIGHT, list_codes
from sekisho.words import Said

TOLD, FIRST, OWNERS = "sekisho_told", "sekisho_first", "sekisho_owners"


def read_large_table(micro: RecordSource, source: Path, choice: EngineChoice) -> TableRead:
    """Return the table of a file of records."""
    form = micro.form
    rules = FileRules(separator=form.separator, encoding=form.encoding, sheet=form.sheet, header=True, missing=("",))
    schema = SchemaFile(shape=Shape.RECORDS, file=rules, said=form.kinds)
    with open_text_table(source, schema, choice, row=ROW) as texts:
        scan, flat = texts.scan, micro.list_flat()
        missing = [name for name in micro.columns if name not in scan.names]
        if missing:
            raise MissingColumnsError(source, missing, texts.names)
        codes = {name: list_codes(scan, name)["text"] for name in flat}
        unit = settle_large_unit(micro, scan)
        settled = micro.take_unit(unit)
        tabulation = settled.tabulate_by(form.margins.only(flat).make_flat(codes, source))
        rows = scan.ask(scan.frame.select(*list_plain(settled.columns), ROW))  # others need not be written anew
        for name, joined in form.joined.items():
            rows = _join_codes(rows, name, joined)
        rows = _add_numbers(rows, micro, source)
        table = tabulation.count(rows, source=source)
        form_found = Said("{source}: {reason}", source=source, reason=scan.form)
        return TableRead(
            table=table,
            notices=(
                Said("{form}; {rows:,} records", form=form_found, rows=scan.count_rows()),
                *(Said("{source}: {reason}", source=source, reason=each.message) for each in texts.notices),
                *notice_unit(source, unit, micro.contributor),
                *notice_trees(source, table, form.margins, form.trees),
            ),
            unit=unit,
        )


def settle_large_unit(micro: RecordSource, scan: Scan) -> RowUnit:
    """Return whose the rows of a file beyond memory are: as is said, else by the column whose header says so.

    What stands in a column without such a header is not looked at, and of several columns it is not asked whether they
    nest.
    """
    taken = micro.list_taken()
    headers = {
        name: ColumnEvidence(header=name, kind=Kind.CATEGORY, values=pl.Series([name]), rows=None)
        for name in scan.names
        if name not in taken
    }
    counted = {name: _count_owners(scan, name) for name, evidence in headers.items() if says_owner(evidence)}
    owners = [rate_owner(name, owners=count, rows=filled) for name, (count, filled) in counted.items()]
    return micro.find_unit(
        [owner for owner in owners if owner.owners > 1],
        rows=scan.count_rows(),
        nests=_never_nest,
        count=lambda column: _count_owners(scan, column)[0],
    )


def _never_nest(finer: ContributorColumn, coarser: ContributorColumn) -> bool:
    """Return that it is not known whether owners nest: that takes a pass for each pair of columns."""
    del finer, coarser
    return False


def _count_owners(scan: Scan, name: str) -> tuple[int, int]:
    """Return how many different values a column has, and how many rows have one."""
    cell = file_column(name)
    filled = scan.frame.filter(~cell.is_null())
    counted = scan.collect(filled.select(cell.n_unique().alias(OWNERS), nw.len().alias(FIRST)))
    return int(counted[OWNERS][0] or 0), int(counted[FIRST][0])  # of no rows at all DuckDB counts no values: null


def _join_codes(scan: Scan, name: str, joined: Mapping[str, str]) -> Scan:
    """Return rows with the codes that are told, as :meth:`TableForm.join_records` has them."""
    values = list_codes(scan, name).drop_nulls(name)
    told = values.select(name, pl.col("text").replace(dict(joined)).alias(TOLD))
    beside = scan.frame.join(scan.session.take(told), on=make_plain(name), how="left")
    return scan.ask(beside.with_columns(nw.col(TOLD).alias(make_plain(name))).drop(TOLD))


def _add_numbers(scan: Scan, micro: RecordSource, source: Path) -> Scan:
    """Return rows with what each adds and how many it stands for, as :meth:`TableForm.read_frame` has them.

    Raises:
        FaultsError: cells would be read as other numbers, or nobody can tell which; all at once.
    """
    named = {column: name for name, column in ((micro.value, AMOUNT), (micro.weight, WEIGHT)) if name}
    kinds, said = list_kinds(scan.frame), [each.column for each in micro.form.kinds]
    texts = {column: name for column, name in named.items() if kinds[name] == nw.String}
    others = [nw.col(make_plain(name)).cast(nw.Float64).alias(at) for at, name in named.items() if at not in texts]
    finite = [nw.when(nw.col(at).is_finite()).then(nw.col(at)).alias(at) for at in named if at not in texts]
    rows = scan.ask(scan.frame.with_columns(others).with_columns(finite)) if others else scan
    if not texts:
        return rows
    found = [name for name in dict.fromkeys(texts.values()) if name not in said]
    mark = find_large_mark(rows, found, micro.form.decimal) if found else POINT
    marks = {column: (name, POINT if name in said else mark) for column, name in texts.items()}
    kernel = partial(parse_numbers, marks=marks)
    rows = map_blocks(rows, kernel, kernel(rows.probe()).schema)
    faults = [fault for column, (name, of) in marks.items() for fault in _find_doubtful(rows, column, name, of)]
    if faults:
        raise FaultsError(source, sorted(faults, key=lambda fault: (fault.row, fault.column)))
    return rows


def _find_doubtful(rows: Scan, column: str, name: str, mark: str) -> Iterator[Fault]:
    if mark == POINT:
        return
    unread = rows.frame.filter(nw.col(column).is_null() & ~file_column(name).is_null())
    words = rows.collect(unread.group_by(make_plain(name)).agg(nw.col(ROW).min().alias(FIRST)))
    doubtful = words.filter(find_doubtful(words[name], mark)).sort(FIRST)
    yield from FaultNote(
        rows=doubtful[FIRST].to_numpy().astype(np.intp),
        places=np.arange(doubtful.height),
        column=name,
        rule="decimal",
        text=doubtful[name],
        message=say_doubtful(name, mark),
    ).faults()


def parse_numbers(block: Batch, *, marks: Mapping[str, tuple[str, str]]) -> Batch:
    """Return a block of rows with the numbers of columns of texts, null where a text is none.

    Args:
        block: the rows.
        marks: by column of numbers that of texts, and its decimal mark.
    """
    for column, (name, mark) in marks.items():
        numbers = read_settled_floats(take_texts(block, name), mark)
        finite = numbers.set(~numbers.is_finite().fill_null(value=True), None)
        block = block.append_column(column, finite.to_arrow())
    return block
