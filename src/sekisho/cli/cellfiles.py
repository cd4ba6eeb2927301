"""How the table commands are told what the columns of a file of cells mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sekisho.cli.answer import say
from sekisho.data.frames import read_frame
from sekisho.data.hierarchy import Hierarchy, Relation
from sekisho.data.io import decode, read_bytes
from sekisho.data.treefiles import read_groups, read_tree
from sekisho.errors import ParameterError
from sekisho.tables.argusfiles import read_tab
from sekisho.tables.files import CellFile
from sekisho.tables.jjfiles import jj_table
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


ARGUS, JJ = ".tab", ".jj"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Which columns say what, and the trees; None for files that say it themselves (.tab, .jj)."""

    cells: CellFile | None

    @property
    def value(self) -> str:
        """The column of the value."""
        return "value" if self.cells is None else self.cells.value

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
            return read_tab(source) if source.suffix.lower() == ARGUS else jj_table(_text(source), source=source)
        found = read_frame(source)
        say(f"{source}: {found.form}")
        return self.cells.table(found.frame, source=source)


def _text(source: Path) -> str:
    return decode(read_bytes(source), source)


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
) -> Reading:
    """Return how to read a file of cells; to ``guess`` is to take its only other column for the value.

    Raises:
        ParameterError: no dimension, no value column or two of them, or a tree or grouping that is not written ``a=FILE``.
    """
    if source is not None and source.suffix.lower() in (ARGUS, JJ):
        return Reading(cells=None)
    names = tuple(part.strip() for part in dims.split(",") if part.strip())
    if count and value:
        raise ParameterError("count", "not be given together with --value", f"{count}, {value}")
    if not (count or value) and guess and source is not None:
        others = [name for name in read_frame(source).frame.columns if name not in names]
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
        )
    )


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


def files_of(words: Sequence[str]) -> list[Path]:
    """Return the files that words of the form ``a=FILE`` name."""
    return [Path(_named(word)[1]) for word in words]


def _named(text: str, option: str = "tree") -> tuple[str, str]:
    name, mark, file = text.partition("=")
    if not mark or not name.strip() or not file:
        raise ParameterError(option, "be written as a=FILE", text)
    return name.strip(), file
