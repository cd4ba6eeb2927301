"""``sekisho table tabulate``, and microdata as the input of ``table suppress``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import polars as pl
import typer

from sekisho.cli.kit.answer import Answer, AsJson
from sekisho.cli.kit.large_options import LargeOptions
from sekisho.cli.kit.options import expand_options
from sekisho.cli.table.files.cell_files import CellForm, code_files, read_form, split_names
from sekisho.cli.table.options import CodeOptions, Contributor, CsvOptions, Dims, MicroOptions, SampleWeight, Summed
from sekisho.data.files.frames import frame_bytes
from sekisho.data.files.output_paths import check_paths
from sekisho.tables.files.dimensions import dimension_of, group_dimension
from sekisho.tables.model.contributors import Surveyed
from sekisho.tables.model.geometry import Dimension
from sekisho.tables.model.tabulate import Tabulation, flat_dimensions
from sekisho.words import Said

if TYPE_CHECKING:
    from sekisho.data.large.engine import EngineChoice

COUNT = "n"
FREQUENCY = "frequency"


@dataclass(frozen=True, slots=True, kw_only=True)
class MicroFile:
    """Which columns of a file of microdata say what; empty names are not there."""

    dims: str
    value: str = ""
    columns: MicroOptions = field(default_factory=MicroOptions)
    places: int = 5
    form: CellForm = field(default_factory=CellForm)

    @property
    def named(self) -> str:
        """The name of the value's column in files of cells."""
        return self.value or COUNT

    @property
    def numbers(self) -> list[str]:
        """The columns of numbers."""
        return [name for name in (self.value, self.columns.weight) if name]

    def read_table(self, source: Path) -> Surveyed:
        """Return the table of a file of microdata."""
        frame = self.form.read_frame(source, self.numbers)
        return self.tabulation(frame, source).table(frame, source=source)

    def read_large_table(self, source: Path, choice: EngineChoice) -> Surveyed:
        """Return the table of a file of microdata beyond memory."""
        large = import_module("sekisho.cli.table.files.large_microdata")
        table: Surveyed = large.read_large_table(self, source, choice)
        return table

    def tabulation(self, frame: pl.DataFrame, source: Path) -> Tabulation:
        """Return how records are tabulated, the codes of dimensions without a tree being those of these records."""
        flat = self.list_flat()
        return self.tabulate_by(flat_dimensions(frame, flat, source=source, margins=self.form.margins.only(flat)))

    def list_flat(self) -> list[str]:
        """Return the dimensions without a tree."""
        names = split_names(self.dims)
        self.form.refuse_strange(names)
        return [name for name in names if name not in self.form.trees]

    def tabulate_by(self, flat: Sequence[Dimension]) -> Tabulation:
        """Return how records are tabulated, given the dimensions without a tree."""
        form, columns = self.form, self.columns
        names = split_names(self.dims)
        plain = {one.name: one for one in flat}
        for name, tree in form.trees.items():
            plain[name] = dimension_of(name, tree, total=form.margins.root(name, tree.tree.codes, ()))
        return Tabulation(
            dimensions=tuple(group_dimension(plain[name], form.groups.get(name, ())) for name in names),
            value=self.value or None,
            contributor=columns.contributor or None,
            holding=columns.holding or None,
            weight=columns.weight or None,
            request=columns.request or None,
            waiver=columns.waiver or None,
            places=self.places,
        )


@expand_options
def tabulate(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="Microdata: CSV or Parquet, a row per record.")],
    *,
    dims: Dims,
    out: Annotated[Path, typer.Option("--out", help="The file of cells to write.")],
    value: Summed = "",
    contributor: Contributor = "",
    weight: SampleWeight = "",
    places: Annotated[int, typer.Option("--places", min=1, help="How many of the largest contributions to keep.")] = 3,
    codes: CodeOptions,
    csv: CsvOptions,
    large: LargeOptions,
    as_json: AsJson = False,
) -> None:
    """Tabulate microdata: every cell, margins included, with its frequency and its largest contributions.

    The file is confidential: it holds what suppression is to hide. Go on with `table suppress OUT --value V
    --contributors frequency,x1,x2,x3`.

    Example: `sekisho table tabulate firms.csv --dims region,industry --value turnover --contributor firm --out
    cells.csv`
    """
    check_paths(reads=[source, *code_files(codes)], writes={"--out": out})
    micro = MicroFile(
        dims=dims,
        value=value,
        columns=MicroOptions(contributor=contributor, weight=weight),
        places=places,
        form=read_form(codes, csv),
    )
    engine = large.choose()
    table = micro.read_table(source) if engine is None else micro.read_large_table(source, engine)
    columns = [pl.Series(dim, [key[axis] for key in table.keys]) for axis, dim in enumerate(table.dims)]
    columns.append(pl.Series(micro.named, table.value.astype(np.int64) if table.whole else table.value))
    columns.append(pl.Series(FREQUENCY, table.frequency))
    if value:
        columns += [pl.Series(f"x{place + 1}", table.largest[:, place]) for place in range(places)]
    keys = {"cells": len(table), "total": float(table.value[0]), "out": str(out)}
    keys |= {} if engine is None else {"engine": engine.engine.value}
    files = {out: frame_bytes(pl.DataFrame(columns), out)}
    Answer(
        keys=keys, words=Said("{table:,} cells written to {names}", table=len(table), names=out), files=files
    ).deliver(as_json=as_json)
