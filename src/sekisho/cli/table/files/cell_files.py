"""How the table commands read files of cells: what their columns and codes mean, as the options tell it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from sekisho.cli.kit.answer import say
from sekisho.cli.table.options import CodeOptions, ColumnOptions, CsvOptions
from sekisho.data.files.frames import read_frame
from sekisho.data.files.plain_files.number_columns import settle_numbers
from sekisho.data.files.plain_files.numbers import POINT, UNDECIDED
from sekisho.data.files.whole_files import detect_and_decode, read_bytes
from sekisho.data.trees.hierarchy import Hierarchy, Relation
from sekisho.data.trees.tree_files import read_groups, read_tree
from sekisho.errors import ParameterError
from sekisho.tables.files.argus import read_tab, tab_response, tab_totals
from sekisho.tables.files.bounds import BOUND_NAMES, find_bounds
from sekisho.tables.files.cells import CellFile
from sekisho.tables.files.jj import jj_table
from sekisho.tables.files.pattern import STATUS, apply_pattern, apply_published, freeze_pattern
from sekisho.tables.model.margins import Margins
from sekisho.tables.model.table import Table
from sekisho.words import Said

ARGUS, JJ = ".tab", ".jj"


@dataclass(frozen=True, slots=True, kw_only=True)
class CellForm:
    """How a file of cells is written, what its margins are called and what its codes add up to.

    None is to be found out.
    """

    csv: CsvOptions = field(default_factory=CsvOptions)
    margins: Margins = field(default_factory=Margins)
    trees: Mapping[str, Hierarchy] = field(default_factory=dict[str, Hierarchy])
    groups: Mapping[str, tuple[Relation, ...]] = field(default_factory=dict[str, tuple[Relation, ...]])

    def __post_init__(self) -> None:
        if self.csv.decimal not in (None, ".", ","):
            raise ParameterError("decimal", Said("be . or ,"), self.csv.decimal)

    @property
    def options(self) -> dict[str, object]:
        """What was said of the margins, for the provenance of a result; nothing if nothing was."""
        margins = self.margins
        totals = [
            *([] if margins.everywhere is None else [margins.everywhere]),
            *(f"{a}={code}" for a, code in margins.of.items()),
        ]
        others = [f"{a}={code}" for a, codes in margins.categories.items() for code in codes]
        return {name: words for name, words in (("total", totals), ("category", others)) if words}

    def refuse_strange(self, dims: Sequence[str]) -> None:
        """Refuse trees, groupings and margins of other dimensions than these."""
        for option, names in (("tree", self.trees), ("grouping", self.groups)):
            strange = [name for name in names if name not in dims]
            if strange:
                raise ParameterError(option, Said("be of one of {dims}", dims=", ".join(dims)), strange[0])
        self.margins.refuse_strange(dims)

    def only(self, dims: Sequence[str]) -> CellForm:
        """Return what concerns these dimensions."""
        return replace(
            self,
            margins=self.margins.only(dims),
            trees={name: tree for name, tree in self.trees.items() if name in dims},
            groups={name: groups for name, groups in self.groups.items() if name in dims},
        )

    def read_frame(self, source: Path, numbers: Sequence[str] = ()) -> pl.DataFrame:
        """Return the frame of a file, having said on stderr how it was read."""
        file = read_frame(source, separator=self.csv.separator, encoding=self.csv.encoding)
        say(Said("{source}: {reason}", source=source, reason=file.form))
        return settle_numbers(file.frame, numbers, self.csv.decimal, source)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Which columns say what, and the trees; None for files that say it themselves (.tab, .jj)."""

    cells: CellFile | None
    form: CellForm = field(default_factory=CellForm)
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

    def read_table(self, source: Path) -> Table:
        """Return the table of a file, having said on stderr how the file was read."""
        if self.cells is None:
            say(
                Said(
                    "{source}: {reason}",
                    source=source,
                    reason=Said("τ-ARGUS table") if source.suffix.lower() == ARGUS else Said("JJ format"),
                )
            )
            encoding = self.form.csv.encoding
            if source.suffix.lower() == ARGUS:
                return self._read_argus(source)
            for option, words in self.form.options.items():
                raise ParameterError(option, Said("not be given with a .jj file, which has no codes"), words)
            return jj_table(detect_and_decode(read_bytes(source), source, encoding=encoding)[0], source=source)
        numbers = self.cells.columns[len(self.cells.dims) :]
        frame = self.form.read_frame(source, (*numbers, *BOUND_NAMES))
        table = self.cells.table(frame, source=source)
        say_margins(source, self.cells.known_by_name(table))
        say_bounds(source, self.cells.bounds_of(frame))
        return table

    def _read_argus(self, source: Path) -> Table:
        margins, encoding = self.form.margins, self.form.csv.encoding
        table = read_tab(source, encoding=encoding, margins=margins)
        named, totals = dict(zip(table.dims, table.margins, strict=True)), tab_totals(source, encoding=encoding)
        say_margins(
            source,
            [(a, code) for a, code in named.items() if code not in (totals[a], margins.of.get(a), margins.everywhere)],
        )
        return table

    def freeze_pattern(self, table: Table, earlier: Path) -> Table:
        """Return a table with an earlier publication respected; its numbers are ours, or written like the table's."""
        mark = self.form.csv.decimal or UNDECIDED
        frame = settle_numbers(read_frame(earlier).frame, [self.value], None, earlier, otherwise=mark)
        return freeze_pattern(table, frame, value=self.value, trees=self.trees, source=earlier)

    def apply_pattern(self, table: Table, pattern: Path | None, source: Path) -> Table:
        """Return a table suppressed as a pattern says; without one, as its own file does.

        A pattern is CSV or Parquet, or another program's ``.tab`` or ``.jj`` file of the same table.

        Raises:
            ParameterError: there is no pattern, and the file suppresses nothing.
            InputError: a ``.jj`` file is of another table.
            FaultsError: whatever else is wrong with a pattern.
        """
        if pattern is None and self.cells is None:
            if not table.suppressed.any():
                raise ParameterError(
                    "pattern", Said("be given"), None, hint=Said("{source} suppresses no cell", source=source)
                )
            return table
        path = source if pattern is None else pattern
        if pattern is not None and pattern.suffix.lower() in (ARGUS, JJ):
            return apply_published(table, Reading(cells=None).read_table(pattern), source=pattern)
        frame = settle_numbers(read_frame(path).frame, [self.value, *BOUND_NAMES], None, path, otherwise=POINT)
        if pattern is None and STATUS not in frame.columns:
            raise ParameterError(
                "pattern",
                Said("be given"),
                None,
                hint=Said("{source} has no column {status}", source=source, status=STATUS),
            )
        return apply_pattern(table, frame, value=self.value, trees=self.trees, source=path)


def say_margins(source: Path, margins: Iterable[tuple[str, str]]) -> None:
    """Say on stderr which codes were taken for margins for their names."""
    for dim, code in margins:
        say(
            Said(
                "{source}: {code} is read as the margin of {dim}; if it is a category, give --category {dim}={code}",
                source=source,
                code=code,
                dim=dim,
            )
        )


def say_bounds(source: Path, columns: Mapping[str, str]) -> None:
    """Say on stderr which columns were taken for what everybody knows of the cells."""
    if columns:
        say(
            Said(
                "{source}: {bounds} are read as what everybody knows of each cell",
                source=source,
                bounds=" and ".join(columns.values()),
            )
        )


def read_columns(
    dims: str, columns: ColumnOptions, form: CellForm, *, source: Path | None = None, guess: bool = False
) -> Reading:
    """Return how to read a file of cells; to ``guess`` is to take its only other column for the value.

    Raises:
        ParameterError: no dimension, no value column or two of them.
    """
    if source is not None and source.suffix.lower() in (ARGUS, JJ):
        argus = source.suffix.lower() == ARGUS
        return Reading(
            cells=None, form=form, name=tab_response(source, encoding=form.csv.encoding) if argus else "value"
        )
    names, count, value = tuple(split_names(dims)), columns.count, columns.value
    if count and value:
        raise ParameterError("count", Said("not be given together with --value"), f"{count}, {value}")
    if not (count or value) and guess and source is not None:
        held = read_frame(source, separator=form.csv.separator, encoding=form.csv.encoding).frame.columns
        others = [name for name in held if name not in (*names, STATUS, *find_bounds(held, names).values())]
        count = others[0] if len(others) == 1 else ""
    if not (count or value):
        raise ParameterError("count", Said("name the column of counts, or --value that of sums"), "neither")
    contributors = split_names(columns.contributors)
    cells = CellFile(
        dims=names,
        value=count or value,
        counts=bool(count),
        frequency=contributors[0] if contributors else None,
        largest=tuple(contributors[1:]),
        trees=form.trees,
        groups=form.groups,
        margins=form.margins,
    )
    return Reading(cells=cells, form=form)


def split_names(text: str) -> list[str]:
    """Return the names that stand between commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


def read_form(codes: CodeOptions, csv: CsvOptions) -> CellForm:
    """Return what the options tell of a file of cells, the trees and groupings read.

    Raises:
        ParameterError: a tree or grouping that is not written ``a=FILE``, two margins of one dimension, or a category
            of no dimension.
    """
    groups: dict[str, tuple[Relation, ...]] = {}
    for word in codes.groupings or ():
        name, file = _split_word(word, "grouping")
        groups[name] = (*groups.get(name, ()), *read_groups(Path(file)))
    trees = {name: Hierarchy(tree=read_tree(Path(file))) for name, file in map(_split_word, codes.trees or ())}
    return CellForm(csv=csv, margins=_read_margins(codes.total or (), codes.category or ()), trees=trees, groups=groups)


def code_files(codes: CodeOptions) -> list[Path]:
    """Return the files that the options of the codes name."""
    return [
        Path(_split_word(word, option)[1])
        for option, words in (("tree", codes.trees), ("grouping", codes.groupings))
        for word in words or ()
    ]


def _read_margins(totals: Sequence[str], categories: Sequence[str]) -> Margins:
    """Return what words of the form ``CODE`` or ``a=CODE`` say of margins, and ``a=CODE`` of categories."""
    everywhere: str | None = None
    of: dict[str, str] = {}
    for word in totals:
        name, mark, code = map(str.strip, word.partition("="))
        before = of.get(name) if mark else everywhere
        if before not in (None, code if mark else name):
            rule = (
                Said("be one code of {name}, and {before!r} was given", name=name, before=before)
                if mark
                else Said("be one code, and {before!r} was given", before=before)
            )
            raise ParameterError("total", rule, word)
        if mark:
            of[name] = code
        else:
            everywhere = name
    others: dict[str, tuple[str, ...]] = {}
    for word in categories:
        name, code = _split_word(word, "category", what=Said("CODE"))
        others[name] = (*others.get(name, ()), code.strip())
    return Margins(everywhere=everywhere, of=of, categories=others)


def _split_word(text: str, option: str = "tree", *, what: str = "FILE") -> tuple[str, str]:
    name, mark, file = text.partition("=")
    if not mark or not name.strip() or not file:
        raise ParameterError(option, Said("be written as a={what}", what=what), text)
    return name.strip(), file
