"""``sekisho table tabulate``, and microdata as the input of ``table suppress``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import numpy as np
import polars as pl
import typer

from sekisho.cli.kit.answer import AsJson, give
from sekisho.cli.table.cell_files import (
    Categories,
    Decimal,
    Dims,
    Encoding,
    Groupings,
    Separator,
    Summed,
    Totals,
    TreeFiles,
    Written,
    files_of,
    groups_of,
    margins_of,
    trees_of,
)
from sekisho.data.files.frames import frame_bytes
from sekisho.data.files.places import check_places
from sekisho.data.files.whole import write_whole
from sekisho.errors import ParameterError
from sekisho.tables.files.cells import dimension_of, grouped
from sekisho.tables.model.contributors import Surveyed
from sekisho.tables.model.tabulate import Tabulation, flat_dimensions

Contributor = Annotated[str, typer.Option("--contributor", help="The column that says whose row it is.")]
Holding = Annotated[str, typer.Option("--holding", help="The column of the holding a contributor belongs to.")]
SampleWeight = Annotated[str, typer.Option("--weight", help="The column of sampling weights.")]
Request = Annotated[str, typer.Option("--request", help="The column that is 1 where protection was asked for.")]
Waiver = Annotated[str, typer.Option("--waiver", help="The column that is 1 where protection was waived.")]
Places = Annotated[int, typer.Option("--places", min=1, help="How many of the largest contributions to keep.")]

COUNT = "n"
FREQUENCY = "frequency"


@dataclass(frozen=True, slots=True, kw_only=True)
class MicroFile:
    """Which columns of a file of microdata say what; empty names are not there."""

    dims: str
    trees: Sequence[str]
    groupings: Sequence[str] = ()
    value: str = ""
    contributor: str = ""
    holding: str = ""
    weight: str = ""
    request: str = ""
    waiver: str = ""
    places: int = 5
    written: Written = field(default_factory=Written)

    @property
    def named(self) -> str:
        """The name of the value's column in files of cells."""
        return self.value or COUNT

    def table(self, source: Path) -> Surveyed:
        """Return the table of a file of microdata."""
        frame = self.written.frame(source, [name for name in (self.value, self.weight) if name])
        names = [part.strip() for part in self.dims.split(",") if part.strip()]
        trees = trees_of(self.trees)
        strange = [name for name in trees if name not in names]
        if strange:
            raise ParameterError("tree", f"be of one of {', '.join(names)}", strange[0])
        groups = groups_of(self.groupings)
        strange = [name for name in groups if name not in names]
        if strange:
            raise ParameterError("grouping", f"be of one of {', '.join(names)}", strange[0])
        said = self.written.margins
        said.refuse_strange(names)
        flat = [name for name in names if name not in trees]
        plain = {one.name: one for one in flat_dimensions(frame, flat, source=source, margins=said.only(flat))}
        for name, tree in trees.items():
            plain[name] = dimension_of(name, tree, total=said.root(name, tree.tree.codes, ()))
        tabulation = Tabulation(
            dimensions=tuple(grouped(plain[name], groups.get(name, ())) for name in names),
            value=self.value or None,
            contributor=self.contributor or None,
            holding=self.holding or None,
            weight=self.weight or None,
            request=self.request or None,
            waiver=self.waiver or None,
            places=self.places,
        )
        return tabulation.table(frame, source=source)


def tabulate(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="Microdata: CSV or Parquet, a row per record.")],
    *,
    dims: Dims,
    out: Annotated[Path, typer.Option("--out", help="The file of cells to write.")],
    value: Summed = "",
    contributor: Contributor = "",
    weight: SampleWeight = "",
    places: Places = 3,
    trees: TreeFiles = None,
    groupings: Groupings = None,
    total: Totals = None,
    category: Categories = None,
    separator: Separator = None,
    encoding: Encoding = None,
    decimal: Decimal = ".",
    as_json: AsJson = False,
) -> None:
    """Tabulate microdata: every cell, margins included, with its frequency and its largest contributions.

    The file is confidential: it holds what suppression is to hide. Go on with `table suppress OUT --value V --contributors
    frequency,x1,x2,x3`.

    Example: `sekisho table tabulate firms.csv --dims region,industry --value turnover --contributor firm --out cells.csv`
    """
    check_places(reads=[source, *files_of(trees, groupings)], writes={"--out": out})
    micro = MicroFile(
        dims=dims,
        trees=trees or [],
        groupings=groupings or [],
        value=value,
        contributor=contributor,
        weight=weight,
        places=places,
        written=Written(separator=separator, encoding=encoding, decimal=decimal, margins=margins_of(total, category)),
    )
    table = micro.table(source)
    columns = [pl.Series(dim, [key[axis] for key in table.keys]) for axis, dim in enumerate(table.dims)]
    columns.append(pl.Series(micro.named, table.value.astype(np.int64) if table.whole else table.value))
    columns.append(pl.Series(FREQUENCY, table.frequency))
    if value:
        columns += [pl.Series(f"x{place + 1}", table.largest[:, place]) for place in range(places)]
    write_whole({out: frame_bytes(pl.DataFrame(columns), out)})
    keys = {"cells": len(table), "total": float(table.value[0]), "out": str(out)}
    give(keys, f"{len(table):,} cells written to {out}", as_json=as_json)
