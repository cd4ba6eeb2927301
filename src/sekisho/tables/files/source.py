"""The one reader of tables: files of cells, ours or other programs', and patterns of the same table.

What was found out on the way (how a CSV is written, which code was taken for a margin) comes back as notices beside the
table; nothing is printed here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from sekisho.data.files.plain_files.number_forms import settle_numbers
from sekisho.data.files.plain_files.numbers import POINT, UNDECIDED
from sekisho.data.files.plain_table import read_frame
from sekisho.data.files.whole_files import detect_and_decode, read_bytes
from sekisho.data.trees.hierarchy import Hierarchy
from sekisho.errors import ParameterError
from sekisho.tables.files.apriori import apply_hst
from sekisho.tables.files.argus import read_tab, tab_response, tab_totals, tab_unread
from sekisho.tables.files.cell_marks import MARKS, apply_marks
from sekisho.tables.files.cells import CellFile
from sekisho.tables.files.input_marks import NUMBERS, InputMarks, read_marks, take_contributors
from sekisho.tables.files.jj import jj_table
from sekisho.tables.files.notices import notice_margins, notice_trees
from sekisho.tables.files.pattern import STATUS, apply_pattern, apply_published, count_changes, freeze_pattern
from sekisho.tables.files.published import PublishedCellFile
from sekisho.tables.files.row_unit import RowUnit
from sekisho.tables.files.rows import BOUND_NAMES, find_bounds
from sekisho.tables.files.table_form import TableForm
from sekisho.tables.model.table import Table
from sekisho.words import Said, join_words, name_setting

ARGUS, JJ = ".tab", ".jj"
SELF_DESCRIBED = (ARGUS, JJ)
"""Files that say themselves which columns are dimensions and values."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TableRead:
    """A table that was read.

    Attributes:
        table: its cells.
        notices: what was found out about its file.
        unread: the columns, or variables, of the file that were read over, where that was asked.
        unit: whose the rows are, of microdata; None of cells.
        marks: what the file's columns of marks say of the cells, and which of them were not used.
    """

    table: Table
    notices: tuple[Said, ...] = ()
    unread: tuple[str, ...] = ()
    unit: RowUnit | None = None
    marks: InputMarks = field(default_factory=InputMarks)


@dataclass(frozen=True, slots=True, kw_only=True)
class CellSource:
    """How a file of cells is read.

    Attributes:
        cells: which columns say what; None for files that say it themselves (``.tab``, ``.jj``).
        form: how they are written, and what their codes mean.
        name: the column of the value of a file that says it itself.
    """

    cells: CellFile | None
    form: TableForm = field(default_factory=TableForm)
    name: str = "value"

    @property
    def value(self) -> str:
        """The column of the value."""
        return self.name if self.cells is None else self.cells.value

    @property
    def counts(self) -> bool:
        """Whether the table counts."""
        return self.cells is not None and self.cells.counts

    @property
    def trees(self) -> Mapping[str, Hierarchy]:
        """The trees by dimension."""
        return {} if self.cells is None else self.cells.trees

    def read_table(self, source: Path) -> TableRead:
        """Return the table of a file."""
        if self.cells is None:
            return self._read_argus(source) if source.suffix.lower() == ARGUS else self._read_jj(source)
        numbers = self.cells.columns[len(self.cells.dims) :]
        marks = [name for name in NUMBERS if name not in self.cells.dims and name != STATUS]
        frame, form = self.form.read_frame(source, (*dict.fromkeys((*numbers, *BOUND_NAMES, *marks)),))
        frame = self.form.drop_finer(frame)
        cells = take_contributors(self.cells, frame.columns)
        table, marked = read_marks(cells, cells.table(frame, source=source), frame, said=self.cells, source=source)
        notices = (form, *marked.notice(source), *self._notice_codes(cells, source, table, frame))
        return TableRead(table=table, notices=notices, marks=marked)

    def read_marked(self, source: Path, *, marks: bool = True) -> TableRead:
        """Return the table of a file with the statuses, costs, levels and bounds that it tells.

        Of a file of cells without ``marks`` the plain cells are read only.
        """
        if self.cells is None:
            argus = source.suffix.lower() == ARGUS
            unread = tab_unread(source, encoding=self.form.encoding) if argus else []
            return replace(self.read_table(source), unread=tuple(unread))
        cells = self.cells
        frame, form = self.form.read_frame(source, (*cells.columns[len(cells.dims) :], *MARKS))
        table = replace(cells, bounds=False).table(frame, source=source)
        notices = [form, *notice_margins(source, cells.known_by_name(table))]
        others = [name for name in frame.columns if name not in cells.columns]
        names = [name for name in MARKS if name in others] if marks else []
        if names:
            words = Said(
                "{source}: {names} are read as marks of the cells; {over} reads over them",
                source=source,
                names=", ".join(names),
                over=name_setting("no_marks"),
            )
            notices.append(words)
            table = apply_marks(table, cells.keys(frame), frame, names, source=source)
        unread = [name for name in others if name not in names]
        return TableRead(table=table, notices=tuple(notices), unread=tuple(unread))

    def read_published(self, source: Path, mark: str | None) -> TableRead | None:
        """Return the table of a published file as an outsider sees it; None if every value is there."""
        if self.cells is None:
            return None
        form = self.form
        file = read_frame(source, separator=form.separator, encoding=form.encoding, sheet=form.sheet)
        settled = form.settle_kinds(file.frame, source)[0]
        frame = settle_numbers(settled, (self.value, *BOUND_NAMES), form.decimal, source, otherwise=POINT)
        published = PublishedCellFile(cells=self.cells, mark=mark)
        hides = published.find_mark(frame)
        if hides is None:
            return None
        table = published.table(frame, source=source)
        hidden = int((table.suppressed & ~table.unpublished).sum())
        sentences = [
            Said(
                "{source}: a published table, in which {hides!r} stands for {hidden} hidden cells",
                source=source,
                hides=hides,
                hidden=hidden,
            )
        ]
        if STATUS not in frame.columns:
            sentences.append(
                Said(
                    "which hidden cells are unsafe is not told: {width} asks how closely each may be estimated",
                    width=name_setting("width"),
                )
            )
        notices = (
            Said("{source}: {reason}", source=source, reason=file.form),
            *self._notice_codes(self.cells, source, table, frame),
            *sentences,
        )
        return TableRead(table=table, notices=notices)

    def _notice_codes(self, cells: CellFile, source: Path, table: Table, frame: pl.DataFrame) -> Iterator[Said]:
        yield from notice_margins(source, cells.known_by_name(table))
        yield from notice_trees(source, table, self.form.margins, self.form.trees)
        bounds = join_words(cells.bounds_of(frame).values(), " and ")
        if bounds:
            yield Said("{source}: {bounds} are read as what everybody knows of each cell", source=source, bounds=bounds)

    def _read_argus(self, source: Path) -> TableRead:
        margins, encoding = self.form.margins, self.form.encoding
        table = read_tab(source, encoding=encoding, margins=margins)
        totals = tab_totals(source, encoding=encoding)
        named = [
            (dim, code)
            for dim, code in zip(table.dims, table.margins, strict=True)
            if code not in (totals[dim], margins.of.get(dim), margins.everywhere)
        ]
        notices = (Said("{source}: τ-ARGUS table", source=source), *notice_margins(source, named))
        return TableRead(table=table, notices=notices, marks=InputMarks(rated=bool(table.primary.any())))

    def _read_jj(self, source: Path) -> TableRead:
        for option, words in self.form.options.items():
            raise ParameterError(option, Said("not be given with a .jj file, which has no codes"), words)
        text = detect_and_decode(read_bytes(source), source, encoding=self.form.encoding)[0]
        table = jj_table(text, source=source)
        return TableRead(
            table=table,
            notices=(Said("{source}: JJ format", source=source),),
            marks=InputMarks(rated=bool(table.primary.any())),
        )

    def freeze_pattern(self, table: Table, earlier: Path) -> Table:
        """Return a table with an earlier publication respected; its numbers are ours, or written like the table's."""
        return freeze_pattern(table, self._read_earlier(earlier), value=self.value, trees=self.trees, source=earlier)

    def notice_changes(self, table: Table, earlier: Path) -> Iterator[Said]:
        """Give a notice where an earlier publication shows other values: whoever has both can subtract them."""
        changed, shown = count_changes(table, self._read_earlier(earlier), value=self.value, trees=self.trees)
        if changed:
            words = Said(
                "{earlier}: {changed:,} of {shown:,} values that it shows are others now: of another population, or of "
                "a revision, whoever has both can subtract them, and a frozen pattern does not protect the "
                "differences; sekisho table difference does",
                earlier=earlier,
                changed=changed,
                shown=shown,
            )
            yield words

    def _read_earlier(self, earlier: Path) -> pl.DataFrame:
        mark = self.form.decimal or UNDECIDED
        return settle_numbers(read_frame(earlier).frame, [self.value], None, earlier, otherwise=mark)

    def apply_pattern(self, table: Table, pattern: Path, *, costs: bool = False) -> TableRead:
        """Return a table suppressed as a pattern says: CSV or Parquet, or a ``.tab`` or ``.jj`` file of the same table.

        With ``costs`` the costs, levels and bounds of another program's file count as well as its statuses.

        Raises:
            InputError: a ``.jj`` file is of another table.
            FaultsError: whatever else is wrong with a pattern.
        """
        if pattern.suffix.lower() in SELF_DESCRIBED:
            other = CellSource(cells=None).read_table(pattern)
            return replace(other, table=apply_published(table, other.table, source=pattern, costs=costs))
        return TableRead(table=self._apply_frame(table, self._read_pattern(pattern), pattern))

    def apply_own_pattern(self, table: Table, source: Path) -> TableRead:
        """Return a table suppressed as its own file says.

        Raises:
            ParameterError: the file suppresses nothing.
            FaultsError: whatever else is wrong with the statuses.
        """
        if self.cells is None:
            if not table.suppressed.any():
                raise ParameterError(
                    "pattern", Said("be given"), None, hint=Said("{source} suppresses no cell", source=source)
                )
            return TableRead(table=table)
        frame = self._read_pattern(source)
        if STATUS not in frame.columns:
            raise ParameterError(
                "pattern",
                Said("be given"),
                None,
                hint=Said("{source} has no column {status}", source=source, status=STATUS),
            )
        return TableRead(table=self._apply_frame(table, frame, source))

    def _read_pattern(self, path: Path) -> pl.DataFrame:
        return settle_numbers(read_frame(path).frame, [self.value, *BOUND_NAMES], None, path, otherwise=POINT)

    def _apply_frame(self, table: Table, frame: pl.DataFrame, path: Path) -> Table:
        return apply_pattern(table, frame, value=self.value, trees=self.trees, source=path)


def read_apriori(table: Table, apriori: Path, *, width: float | None = None) -> Table:
    """Return a table with what a τ-ARGUS a-priori file says of its cells."""
    text = detect_and_decode(read_bytes(apriori), apriori)[0]
    return apply_hst(table, text, width=width, source=apriori)


def choose_cells(
    source: Path | None,
    form: TableForm,
    *,
    dims: Sequence[str],
    count: str = "",
    value: str = "",
    contributors: Sequence[str] = (),
    guess: bool = False,
) -> CellSource:
    """Return how to read a file of cells; to ``guess`` is to take its only other column for the value.

    Args:
        source: the file; None if it does not describe itself.
        form: how it is written.
        dims: the dimension columns.
        count: the column of counts.
        value: or the column of sums.
        contributors: the column of the number of contributors, then those of the largest contributions.
        guess: whether neither need be named.

    Raises:
        ParameterError: no dimension, no value column or two of them.
    """
    if source is not None and source.suffix.lower() in SELF_DESCRIBED:
        argus = source.suffix.lower() == ARGUS
        if form.kinds:
            rule = Said("not be given with a file of cells that describes itself")
            raise ParameterError("kinds", rule, form.kinds[0].column)
        return CellSource(
            cells=None, form=form, name=tab_response(source, encoding=form.encoding) if argus else "value"
        )
    if count and value:
        raise ParameterError(
            "count", Said("not be given together with {value}", value=name_setting("value")), f"{count}, {value}"
        )
    if not (count or value) and guess and source is not None:
        held = form.list_columns(source)
        others = [name for name in held if name not in (*dims, STATUS, *find_bounds(held, dims).values())]
        count = others[0] if len(others) == 1 else ""
    if not (count or value):
        rule = Said("name the column of counts, or {value} that of sums", value=name_setting("value"))
        raise ParameterError("count", rule, "neither")
    cells = CellFile(
        dims=tuple(dims),
        value=count or value,
        counts=bool(count),
        frequency=contributors[0] if contributors else None,
        largest=tuple(contributors[1:]),
        trees=form.trees,
        groups=form.groups,
        margins=form.margins,
    )
    return CellSource(cells=cells, form=form)
