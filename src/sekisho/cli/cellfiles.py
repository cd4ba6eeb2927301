"""How the table commands are told what the columns of a file of cells mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import numpy as np
import polars as pl
import typer

from sekisho.cli.answer import say
from sekisho.data.frames import read_frame
from sekisho.data.hierarchy import Hierarchy, Relation
from sekisho.data.io import decode_found, read_bytes
from sekisho.data.treefiles import read_groups, read_tree
from sekisho.errors import ParameterError
from sekisho.tables.argusfiles import read_tab, tab_response, tab_totals
from sekisho.tables.contributors import counted_of
from sekisho.tables.files import CellFile
from sekisho.tables.jjfiles import jj_table
from sekisho.tables.margins import Margins
from sekisho.tables.pattern import STATUS, as_published, patterned
from sekisho.tables.table import Table


class Price(StrEnum):
    """What the suppression of a cell costs."""

    ONE = "1"
    VALUE = "value"
    FREQUENCY = "frequency"


Dims = Annotated[str, typer.Option("--dims", help="The dimension columns, separated by commas.")]
OwnDims = Annotated[
    str,
    typer.Option("--dims", help="The dimension columns, separated by commas; .tab and .jj files tell them themselves."),
]
Counted = Annotated[str, typer.Option("--count", help="The column of counts.")]
Summed = Annotated[str, typer.Option("--value", help="The column of sums (a magnitude table).")]
Contributed = Annotated[
    str,
    typer.Option(
        "--contributors", help="The column of the number of contributors, then those of the largest contributions."
    ),
]
Cost = Annotated[Price, typer.Option("--cost", help="What a suppression costs.")]
TreeFiles = Annotated[
    list[str] | None, typer.Option("--tree", help="a=FILE: the tree of dimension a (node,parent CSV or .hrc).")
]
Groupings = Annotated[
    list[str] | None, typer.Option("--grouping", help="a=FILE: further sums of codes of a (group,member CSV).")
]


Separator = Annotated[
    str | None, typer.Option("--separator", help="Between the cells of FILE, a CSV; found out if not given.")
]
Encoding = Annotated[
    str | None, typer.Option("--encoding", help="Of FILE, such as cp932; found out if not given: UTF-8 or CP932.")
]
Decimal = Annotated[str, typer.Option("--decimal", help="The decimal mark of FILE, a CSV: . or ,")]

Totals = Annotated[
    list[str] | None,
    typer.Option("--total", help="The margins' code, such as 総数; or a=CODE for dimension a. Common names are known."),
]
Categories = Annotated[
    list[str] | None,
    typer.Option("--category", help="a=CODE: a code of dimension a that is no margin, though it looks like one."),
]

ARGUS, JJ = ".tab", ".jj"


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """How a file of cells is written, and what its margins are called; None is to be found out."""

    separator: str | None = None
    encoding: str | None = None
    decimal: str = "."
    margins: Margins = field(default_factory=Margins)

    def __post_init__(self) -> None:
        if self.decimal not in (".", ","):
            raise ParameterError("decimal", "be . or ,", self.decimal)

    @property
    def options(self) -> dict[str, object]:
        """What was said of the margins, for the provenance of a result; nothing if nothing was."""
        said = self.margins
        totals = [
            *([] if said.everywhere is None else [said.everywhere]),
            *(f"{a}={code}" for a, code in said.of.items()),
        ]
        others = [f"{a}={code}" for a, codes in said.categories.items() for code in codes]
        return {name: words for name, words in (("total", totals), ("category", others)) if words}

    def frame(self, source: Path, numbers: Sequence[str] = ()) -> pl.DataFrame:
        """Return the frame of a file, having said on stderr how it was read."""
        found = read_frame(source, separator=self.separator, encoding=self.encoding)
        say(f"{source}: {found.form}")
        return self.pointed(found.frame, numbers)

    def pointed(self, frame: pl.DataFrame, numbers: Sequence[str]) -> pl.DataFrame:
        """Return a frame in which the columns of numbers have decimal points."""
        if self.decimal == ".":
            return frame
        text = [name for name in dict.fromkeys(numbers) if name in frame.columns and frame[name].dtype == pl.String]
        return frame.with_columns([frame[name].str.replace(",", ".", literal=True) for name in text])


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Which columns say what, and the trees; None for files that say it themselves (.tab, .jj)."""

    cells: CellFile | None
    written: Written = field(default_factory=Written)
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

    def table(self, source: Path) -> Table:
        """Return the table of a file, having said on stderr how the file was read."""
        if self.cells is None:
            say(f"{source}: {'τ-ARGUS table' if source.suffix.lower() == ARGUS else 'JJ format'}")
            given = self.written.encoding
            if source.suffix.lower() == ARGUS:
                return self._argus(source)
            for option, words in self.written.options.items():
                raise ParameterError(option, "not be given with a .jj file, which has no codes", words)
            return jj_table(decode_found(read_bytes(source), source, encoding=given)[0], source=source)
        numbers = self.cells.columns[len(self.cells.dims) :]
        table = self.cells.table(self.written.frame(source, numbers), source=source)
        say_margins(source, self.cells.known_by_name(table))
        return table

    def _argus(self, source: Path) -> Table:
        said, given = self.written.margins, self.written.encoding
        table = read_tab(source, encoding=given, margins=said)
        named, totals = dict(zip(table.dims, table.margins, strict=True)), tab_totals(source, encoding=given)
        say_margins(
            source, [(a, code) for a, code in named.items() if code not in (totals[a], said.of.get(a), said.everywhere)]
        )
        return table

    def hidden(self, table: Table, pattern: Path | None, source: Path) -> Table:
        """Return a table suppressed as a pattern says; without one, as its own file does.

        A pattern is CSV or Parquet, or another program's ``.tab`` or ``.jj`` file of the same table.

        Raises:
            ParameterError: there is no pattern, and the file suppresses nothing.
            InputError: a ``.jj`` file is of another table.
            FaultsError: whatever else is wrong with a pattern.
        """
        if pattern is None and self.cells is None:
            if not table.suppressed.any():
                raise ParameterError("pattern", "be given", None, hint=f"{source} suppresses no cell")
            return table
        path = source if pattern is None else pattern
        if pattern is not None and pattern.suffix.lower() in (ARGUS, JJ):
            return as_published(table, Reading(cells=None).table(pattern), source=pattern)
        frame = self.written.pointed(read_frame(path).frame, [self.value])
        if pattern is None and STATUS not in frame.columns:
            raise ParameterError("pattern", "be given", None, hint=f"{source} has no column {STATUS}")
        return patterned(table, frame, value=self.value, trees=self.trees, source=path)


def say_margins(source: Path, margins: Iterable[tuple[str, str]]) -> None:
    """Say on stderr which codes were taken for margins for their names."""
    for dim, code in margins:
        say(f"{source}: {code} is read as the margin of {dim}; if it is a category, give --category {dim}={code}")


def reading(
    dims: str,
    *,
    count: str,
    value: str,
    contributors: str,
    trees: Sequence[str],
    groupings: Sequence[str] = (),
    source: Path | None = None,
    guess: bool = False,
    written: Written | None = None,
) -> Reading:
    """Return how to read a file of cells; to ``guess`` is to take its only other column for the value.

    Raises:
        ParameterError: no dimension, no value column or two of them, or a tree or grouping that is not written ``a=FILE``.
    """
    if source is not None and source.suffix.lower() in (ARGUS, JJ):
        argus = source.suffix.lower() == ARGUS
        given = None if written is None else written.encoding
        name = tab_response(source, encoding=given) if argus else "value"
        return Reading(cells=None, written=written or Written(), name=name)
    names, how = tuple(part.strip() for part in dims.split(",") if part.strip()), written or Written()
    if count and value:
        raise ParameterError("count", "not be given together with --value", f"{count}, {value}")
    if not (count or value) and guess and source is not None:
        columns = read_frame(source, separator=how.separator, encoding=how.encoding).frame.columns
        others = [name for name in columns if name not in (*names, STATUS)]
        count = others[0] if len(others) == 1 else ""
    if not (count or value):
        raise ParameterError("count", "name the column of counts, or --value that of sums", "neither")
    known = [part.strip() for part in contributors.split(",") if part.strip()]
    return Reading(
        cells=CellFile(
            dims=names,
            value=count or value,
            counts=bool(count),
            frequency=known[0] if known else None,
            largest=tuple(known[1:]),
            trees=trees_of(trees),
            groups=groups_of(groupings),
            margins=how.margins,
        ),
        written=how,
    )


def charged(table: Table, cost: Price) -> Table:
    """Return the table with the costs asked for; a cell of 0 costs as much as the least other one, but at most 1.

    What costs nothing would be suppressed for nothing.

    Raises:
        ParameterError: costs by frequency are asked of a table whose frequencies are not known.
    """
    if cost is Price.ONE:
        return table
    if cost is Price.FREQUENCY:
        weight = counted_of(table, holdings=False).count.astype(np.float64)
    else:
        weight = np.abs(table.value)
    return replace(table, weight=np.maximum(weight, min(1.0, float(weight[weight > 0].min(initial=1.0)))))


def trees_of(words: Sequence[str]) -> dict[str, Hierarchy]:
    """Return the trees that words of the form ``a=FILE`` name."""
    return {name: Hierarchy(tree=read_tree(Path(file))) for name, file in map(_named, words)}


def groups_of(words: Sequence[str]) -> dict[str, tuple[Relation, ...]]:
    """Return the groupings that words of the form ``a=FILE`` name."""
    found: dict[str, tuple[Relation, ...]] = {}
    for word in words:
        name, file = _named(word, "grouping")
        found[name] = (*found.get(name, ()), *read_groups(Path(file)))
    return found


def margins_of(totals: Sequence[str] | None, categories: Sequence[str] | None) -> Margins:
    """Return what words of the form ``CODE`` or ``a=CODE`` say of margins, and ``a=CODE`` of categories.

    Raises:
        ParameterError: two margins of one dimension, or a category of no dimension.
    """
    everywhere: str | None = None
    of: dict[str, str] = {}
    for word in totals or ():
        name, mark, code = map(str.strip, word.partition("="))
        before = of.get(name) if mark else everywhere
        if before not in (None, code if mark else name):
            raise ParameterError("total", f"be one code{' of ' + name if mark else ''}, and {before!r} was given", word)
        if mark:
            of[name] = code
        else:
            everywhere = name
    others: dict[str, tuple[str, ...]] = {}
    for word in categories or ():
        name, code = _named(word, "category", what="CODE")
        others[name] = (*others.get(name, ()), code.strip())
    return Margins(everywhere=everywhere, of=of, categories=others)


def files_of(trees: Sequence[str] | None, groupings: Sequence[str] | None) -> list[Path]:
    """Return the files that words of the form ``a=FILE`` name."""
    return [
        Path(_named(word, option)[1])
        for option, words in (("tree", trees), ("grouping", groupings))
        for word in words or ()
    ]


def _named(text: str, option: str = "tree", *, what: str = "FILE") -> tuple[str, str]:
    name, mark, file = text.partition("=")
    if not mark or not name.strip() or not file:
        raise ParameterError(option, f"be written as a={what}", text)
    return name.strip(), file
