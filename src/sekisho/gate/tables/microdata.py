"""The table of a recipe whose original has a row for each record: tabulated, with its largest contributions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from sekisho.data.trees.hierarchy import Hierarchy, Relation
from sekisho.gate.tables.recipe import TableRecipeFile
from sekisho.tables.files.dimensions import dimension_of, group_dimension
from sekisho.tables.model.contributors import Surveyed
from sekisho.tables.model.margins import Margins
from sekisho.tables.model.tabulate import Tabulation, flat_dimensions

COUNT = "n"
"""The name of the value's column where records are counted."""
PLACES = 5
"""How many of the largest contributions to a cell are kept: what the usual rules look at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MicrodataForm:
    """What the codes of microdata mean.

    Attributes:
        trees: by dimension its hierarchy.
        groups: by dimension its further sums.
        margins: what is said of the margins' codes.
    """

    trees: Mapping[str, Hierarchy] = field(default_factory=dict[str, Hierarchy])
    groups: Mapping[str, tuple[Relation, ...]] = field(default_factory=dict[str, tuple[Relation, ...]])
    margins: Margins = field(default_factory=Margins)


def list_numbers(file: TableRecipeFile) -> list[str]:
    """Return the columns of numbers that are read."""
    return [name for name in (file.value, file.weight) if name]


def tabulate_records(frame: pl.DataFrame, file: TableRecipeFile, form: MicrodataForm) -> Surveyed:
    """Return the table of microdata; the codes of dimensions without a tree are those of these records.

    Raises:
        FaultsError: columns that are not there, values that are no numbers, codes that a tree does not have; all at
            once.
    """
    dims, source = file.dims, file.original
    form.margins.refuse_strange(dims)
    flat = [name for name in dims if name not in form.trees]
    plain = {one.name: one for one in flat_dimensions(frame, flat, source=source, margins=form.margins.only(flat))}
    for name, tree in form.trees.items():
        plain[name] = dimension_of(name, tree, total=form.margins.root(name, tree.tree.codes, ()))
    tabulation = Tabulation(
        dimensions=tuple(group_dimension(plain[name], form.groups.get(name, ())) for name in dims),
        value=file.value or None,
        contributor=file.contributor or None,
        holding=file.holding or None,
        weight=file.weight or None,
        request=file.request or None,
        waiver=file.waiver or None,
        places=PLACES,
    )
    return tabulation.table(frame, source=source)
