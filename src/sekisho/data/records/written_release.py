"""Releases of records of one's own read beside their original, whatever their cells and their order.

A release file has a header and columns of the original, in any order; columns it lacks count as suppressed. Its rows
stand in the original's order only where somebody says so; else which row is whose is unknown, and only what does not
depend on it can be measured. Of a synthetic file, of as many rows as it likes, no row is anybody's.

Releases of records read back from their files, whatever wrote them: what each text admits.

A text of a column of numbers or dates is a value, a range ``[low;high]``, a tail ``>=85``, ``<=16`` or ``<0`` (up to
the original's own ends), or a label of a tree; of a category a value, a set ``{a;b}``, or a label of a tree. ``*``, an
empty text and ``NA`` are suppressed cells, unless the original has them as values; an empty text is a missing cell
where the original has missing cells in the column. A number with more decimals than the
original has is read as the nearest that it has. A text of a category that is nothing of this, such as the name under
which rare values were merged, is taken to stand for the original's values that the release nowhere writes, for all
where there are none; that is said. Cells are compared by what they admit, but classes are those of the texts, which
stay beside them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.fault_notes import CELL, FaultNotes
from sekisho.data.files.grammar import FieldRules, find_empty
from sekisho.data.files.layout import HasLayout, Layout
from sekisho.data.files.plain_files.numbers import POINT, round_numbers
from sekisho.data.files.plain_table import TableSource, digest_source
from sekisho.data.files.schema_files.columns import FileColumns, find_columns
from sekisho.data.files.schema_files.schema_file import SchemaFile
from sekisho.data.frame.cells import MISSING_NUMBER, Cells, RangeCells, SetCells, drop_gaps, gather_sets
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable, Release, SyntheticRelease
from sekisho.data.records.files import read_deleted
from sekisho.data.records.release_order import find_disorder, is_order_seen
from sekisho.data.shape import Shape
from sekisho.data.trees.hierarchy import Tree
from sekisho.errors import InputError, ParameterError
from sekisho.provenance import Provenance
from sekisho.words import Said, name_setting

SUPPRESSED = ("*", "", "NA")
RANGE, TAIL = r"^\[(.*);(.*)\]$", r"^(>=|<=|<)(.*)$"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WrittenColumn:
    """A column of a release as it was read.

    Attributes:
        cells: what each text admits.
        notices: what had to be assumed, each a sentence.
    """

    cells: Cells
    notices: tuple[str, ...] = ()


def read_written_column(
    text: pl.Series, rules: FieldRules, original: Dataset, tree: Tree | None, notes: FaultNotes
) -> WrittenColumn:
    """Return what the texts of a column of a release admit; what means nothing is noted.

    Args:
        text: the column as it is written, without nulls.
        rules: how its values are written.
        original: what the release was made from.
        tree: of the column's labels.
        notes: of the file.
    """
    distinct = text.unique(maintain_order=True)
    place = text.cast(pl.Enum(distinct)).to_physical().cast(pl.Int64).to_numpy() if len(text) else np.zeros(0, np.int64)
    if rules.kind.numeric:
        cells, readable = _read_numbers(distinct, rules, original, tree)
        message = Said("{name} {value} is no number, range, tail or label", name=rules.name, value=CELL)
        notes.note(~readable[place], rules.name, "grammar", text, message)
        return WrittenColumn(cells=cells.take(place))
    cells, unknown = _read_texts(distinct, rules, original.domain(rules.name), tree)
    return WrittenColumn(cells=cells.take(place), notices=unknown)


def _read_numbers(
    text: pl.Series, rules: FieldRules, original: Dataset, tree: Tree | None
) -> tuple[RangeCells, NDArray[np.bool_]]:
    values = original.grid(rules.name)
    grid = drop_gaps(values)
    least, largest = (int(grid.min()), int(grid.max())) if len(grid) else (0, 0)
    lower, readable = _read_values(text, rules)
    upper = lower.copy()
    gaps = find_empty(text, rules) & (len(grid) < len(values))
    readable = readable | gaps
    suppressed = text.is_in(SUPPRESSED).to_numpy() & ~readable
    spans = _find_label_spans(tree, rules)
    ends = _read_values(pl.concat([text.str.extract(RANGE, 1), text.str.extract(RANGE, 2)]).fill_null(""), rules)
    marks, (bounds, marked) = text.str.extract(TAIL, 1), _read_values(text.str.extract(TAIL, 2).fill_null(""), rules)
    (low, high), (low_read, high_read) = (np.split(part, 2) for part in ends)
    for at in np.flatnonzero(~readable & ~suppressed).tolist():
        span = spans.get(text[at])
        if span is None and low_read[at] and high_read[at] and low[at] <= high[at]:
            span = int(low[at]), int(high[at])
        elif span is None and marked[at]:
            bound = int(bounds[at])
            span = {">=": (bound, max(bound, largest)), "<=": (min(bound, least), bound)}.get(
                marks[at], (min(bound - 1, least), bound - 1)
            )
        if span is not None:
            lower[at], upper[at], readable[at] = *span, True
    lower[suppressed] = upper[suppressed] = 0
    lower[gaps] = upper[gaps] = MISSING_NUMBER
    lost = suppressed | ~readable
    return RangeCells(lower=lower, upper=upper, suppressed=lost), readable | suppressed


def _read_values(text: pl.Series, rules: FieldRules) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    values, readable = rules.read_values(text)
    if rules.kind.value == "date" or readable.all():
        return values.copy(), readable.copy()
    shorter, rounded = round_numbers(text, rules.decimals, getattr(rules.writing, "decimal", POINT))
    values, readable = rules.read_values(shorter) if rounded else (values, readable)
    return values.copy(), readable.copy()


def _find_label_spans(tree: Tree | None, rules: FieldRules) -> dict[str, tuple[int, int]]:
    """Return the least and the largest leaf under each label of a tree of numbers."""
    if tree is None:
        return {}
    values, readable = rules.read_values(pl.Series(tree.codes, dtype=pl.String))
    spans: dict[str, tuple[int, int]] = {}
    for place in reversed(range(len(tree.codes))):
        span = spans.get(tree.codes[place])
        if span is None and readable[place]:
            span = spans[tree.codes[place]] = int(values[place]), int(values[place])
        parent = tree.parents[place]
        if span is not None and parent >= 0:
            above = spans.get(tree.codes[parent], span)
            spans[tree.codes[parent]] = min(above[0], span[0]), max(above[1], span[1])
    return spans


def _read_texts(
    text: pl.Series, rules: FieldRules, domain: tuple[str, ...], tree: Tree | None
) -> tuple[SetCells, tuple[str, ...]]:
    at = {value: code for code, value in enumerate(domain)}
    leaves = _find_label_leaves(tree, at)
    split = [_split_set(one) for one in text.to_list()]
    coded = pl.Series(list(dict.fromkeys(part for parts in split for part in parts)), dtype=pl.String)
    values = dict(zip(coded.to_list(), rules.writing.restore(coded).to_list(), strict=True))
    found = [
        _read_text(one, [values[part] for part in parts], at, leaves)
        for one, parts in zip(text.to_list(), split, strict=True)
    ]
    written = {code for codes in found if codes is not None for code in codes}
    rest = [code for code in range(len(domain)) if code not in written] or list(range(len(domain)))
    unknown = [one for one, codes in zip(text.to_list(), found, strict=True) if codes is None]
    pairs = [(row, code) for row, codes in enumerate(found) for code in (rest if codes is None else codes)]
    rows, codes = (np.array([pair[place] for pair in pairs], dtype=np.int64) for place in (0, 1))
    notices = tuple(_say_unknown(rules.name, one, len(rest), whole=len(rest) == len(domain)) for one in unknown)
    return gather_sets(rows, codes.astype(np.int32), len(found), domain), notices


def _say_unknown(name: str, label: str, values: int, *, whole: bool) -> Said:
    if whole:
        return Said(
            "column {name}: {label!r} is no value, set or label; taken as any of {values:,} values of the column",
            name=name,
            label=label,
            values=values,
        )
    return Said(
        "column {name}: {label!r} is no value, set or label; taken as any of {values:,} values that are not written "
        "otherwise",
        name=name,
        label=label,
        values=values,
    )


def _split_set(text: str) -> list[str]:
    return text[1:-1].split(";") if text[:1] == "{" and text[-1:] == "}" else [text]


def _read_text(
    text: str, values: Sequence[str], at: Mapping[str, int], leaves: Mapping[str, tuple[int, ...]]
) -> tuple[int, ...] | None:
    """Return the values that a text or its parts admit, none if it is suppressed; None if it means nothing."""
    if text in at:
        return (at[text],)
    if text in SUPPRESSED:
        return ()
    if text in leaves:
        return leaves[text]
    codes = tuple(at[value] for value in values if value in at)
    return codes if len(codes) == len(values) else None


def _find_label_leaves(tree: Tree | None, at: Mapping[str, int]) -> dict[str, tuple[int, ...]]:
    """Return the original's values under each label of a tree; labels without any are left out."""
    if tree is None:
        return {}
    below: dict[str, tuple[int, ...]] = {}
    for place in reversed(range(len(tree.codes))):
        code = tree.codes[place]
        if code in at and code not in tree.children:
            below[code] = (at[code],)
        parent = tree.parents[place]
        if parent >= 0:
            above = tree.codes[parent]
            below[above] = (*below.get(above, ()), *below.get(code, ()))
    return {code: tuple(sorted(codes)) for code, codes in below.items() if codes}


GONE = "*"
"""What stands as the text of a cell that the file does not have."""


UNSEEN = Said(
    "nothing in it shows that its rows stand in the original's order, as somebody says: which row is whose is not known"
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WrittenRelease:
    """A release that was read from a file.

    Attributes:
        release: beside the original; the rows that the file lacks are deleted ones.
        ordered: whether row i of it is what became of row i of the original, which somebody said and the data show;
            else only which rows there are is known.
        notices: what was found out or had to be assumed.
    """

    release: Release
    ordered: bool
    notices: tuple[str, ...]

    @property
    def published(self) -> MaskedTable:
        """The rows that left."""
        return self.release.table.take(~self.release.deleted)


def read_written_release(
    path: TableSource,
    rules: HasLayout,
    original: Dataset,
    *,
    trees: Mapping[str, Tree],
    in_order: bool = False,
    deleted: Path | None = None,
    synthetic: bool = False,
) -> WrittenRelease:
    """Return a release as its file says it.

    Args:
        path: CSV or Parquet.
        rules: one's own, settled by the original.
        original: what it was made from.
        trees: of columns whose cells are labels.
        in_order: whether somebody says that its rows stand in the original's order.
        deleted: the rows of the original that it lacks, from 0; the others then stand in their order.
        synthetic: whether its rows are nobody's; so they are, too, where there are more than the original has.

    Raises:
        FaultsError: cells mean nothing, or the rows do not fit the original's; all at once.
    """
    layout = rules.layout
    table = _read_table(path, layout, original, trees)
    paired = in_order or deleted is not None
    if not paired and (synthetic or table.rows > len(original)):
        table.notes.raise_faults()
        return _read_synthetic(table, original, path)
    gone = _settle_rows(table.rows, original, layout, table.notes, in_order=in_order, deleted=deleted)
    table.notes.raise_faults()
    notices, is_seen = table.notices, False
    if paired:
        rows = np.flatnonzero(~gone)
        table.notes.of_file += find_disorder(table.cells, table.texts, original, rows, unsure=table.unsure)
        table.notes.raise_faults()
        is_seen = is_order_seen(table.cells, original, rows)
        notices = notices if is_seen else (*notices, UNSEEN)
    release = _place_rows(table, original, gone, path)
    return WrittenRelease(release=release, ordered=is_seen, notices=notices)


def _read_synthetic(table: _Table, original: Dataset, path: TableSource) -> WrittenRelease:
    notice = Said(
        "{rows:,} rows beside {records:,} records: taken as synthetic, no row of it is anybody's",
        rows=table.rows,
        records=len(original),
    )
    release = SyntheticRelease(
        table=MaskedTable(schema=original.schema, columns=table.cells),
        deleted=np.zeros(table.rows, dtype=np.bool_),
        provenance=Provenance(name="file", inputs=digest_source(path)),
        labels=table.texts,
    )
    return WrittenRelease(release=release, ordered=False, notices=(*table.notices, notice))


def read_written_table(
    path: TableSource, rules: HasLayout, known: Dataset, trees: Mapping[str, Tree]
) -> tuple[MaskedTable, tuple[str, ...]]:
    """Return a release as somebody reads it who knows some people, and what he had to assume.

    Raises:
        FaultsError: cells mean nothing; all at once.
    """
    layout = rules.layout
    table = _read_table(path, layout, known, trees)
    table.notes.raise_faults()
    return MaskedTable(schema=known.schema, columns=table.cells), table.notices


def describe_release(layout: Layout) -> SchemaFile:
    """Return how a release is written: as the original is, without what stands above and below its table."""
    return SchemaFile(shape=Shape.RECORDS, file=layout.described.file.forget_surroundings())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Table:
    cells: Mapping[str, Cells]
    texts: Mapping[str, pl.Series]
    rows: int
    notes: FaultNotes
    notices: tuple[str, ...]
    unsure: frozenset[str] = frozenset()


def _read_table(path: TableSource, layout: Layout, original: Dataset, trees: Mapping[str, Tree]) -> _Table:
    if layout.strict:
        raise ParameterError("rules", Said("be one's own: a contest's releases hold whole values only"), str(path))
    file = find_columns(path, describe_release(layout))
    if not file.rows:
        raise InputError(path, Said("has no records"))
    notes = FaultNotes(str(path), file.rows)
    cells: dict[str, Cells] = {}
    notices, unsure = [str(notice) for notice in file.notices], set[str]()
    for each in layout.settle_columns(original.schema).attributes:
        text = file.texts.get(each.name)
        if text is None:
            cells[each.name] = _suppress_all(original, each.name, file.rows)
            notices.append(Said("has no column {name}, which counts as suppressed", name=each.name))
            continue
        column = read_written_column(text.fill_null(""), each, original, trees.get(each.name), notes)
        cells[each.name] = column.cells
        notices += column.notices
        unsure |= {each.name} if column.notices else set()
    others = [name for name in file.texts if name not in cells]
    notices += [Said("columns left out: {others}", others=", ".join(others))] if others else []
    if len(others) == len(file.texts):
        notes.note_file("header", ", ".join(file.texts), Said("the file has no column of the original"))
    return _Table(
        cells=cells,
        texts=_list_texts(file, cells),
        rows=file.rows,
        notes=notes,
        notices=tuple(notices),
        unsure=frozenset(unsure),
    )


def _settle_rows(
    rows: int, original: Dataset, layout: Layout, notes: FaultNotes, *, in_order: bool, deleted: Path | None
) -> NDArray[np.bool_]:
    """Return which rows of the original are not there."""
    if deleted is not None:
        gone = read_deleted(deleted, layout, original)
        if rows + int(gone.sum()) != len(original):
            message = Said(
                "{sheet_total:,} rows are released and {lists_total:,} deleted; together they must be "
                "the original's {original:,}",
                sheet_total=rows,
                lists_total=int(gone.sum()),
                original=len(original),
            )
            notes.note_file("rows", rows, message)
        return gone
    if rows > len(original) or (in_order and rows < len(original)):
        message = (
            Said(
                "the file has {rows:,} rows, the original {original:,}; say with {deleted} which are left out",
                rows=rows,
                original=len(original),
                deleted=name_setting("deleted"),
            )
            if rows < len(original)
            else Said("the file has {rows:,} rows, the original {original:,}", rows=rows, original=len(original))
        )
        notes.note_file("rows", rows, message)
    return np.arange(len(original)) >= rows


def _suppress_all(original: Dataset, name: str, rows: int) -> Cells:
    gone = np.ones(rows, dtype=np.bool_)
    if original.schema[name].kind.numeric:
        return RangeCells.exact(np.zeros(rows, dtype=np.int64)).suppress(gone)
    return SetCells.exact(np.zeros(rows, dtype=np.int32), original.domain(name)).suppress(gone)


def _list_texts(file: FileColumns, cells: Mapping[str, Cells]) -> dict[str, pl.Series]:
    gone = pl.Series([GONE], dtype=pl.String)
    return {
        name: file.texts[name].fill_null("") if name in file.texts else gone.new_from_index(0, file.rows)
        for name in cells
    }


def _place_rows(table: _Table, original: Dataset, gone: NDArray[np.bool_], path: TableSource) -> Release:
    place = np.maximum(np.cumsum(~gone) - 1, 0).astype(np.intp)
    columns = {name: each.take(place).suppress(gone) for name, each in table.cells.items()}
    return Release(
        table=MaskedTable(schema=original.schema, columns=columns),
        deleted=gone,
        provenance=Provenance(name="file", inputs=digest_source(path)),
        labels={name: text.gather(place) for name, text in table.texts.items()},
    )
