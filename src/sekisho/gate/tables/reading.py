"""The table of a recipe, read or tabulated as the recipe says, its own patterns, and what is said of it besides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from sekisho.data.files.frames import read_frame
from sekisho.data.files.plain_files.number_columns import settle_numbers
from sekisho.data.files.whole_files import detect_and_decode, read_bytes
from sekisho.data.trees.hierarchy import Hierarchy, Relation
from sekisho.data.trees.tree_files import read_groups, read_tree
from sekisho.errors import ParameterError
from sekisho.gate.recipes.keys import ReleaseFile
from sekisho.gate.tables.microdata import COUNT, MicrodataForm, list_numbers, tabulate_records
from sekisho.gate.tables.patterns import read_patterns
from sekisho.gate.tables.recipe import TableRecipe, TableRecipeFile
from sekisho.gate.tables.stage import TableRelease
from sekisho.tables.files.argus import read_tab, tab_response, tab_totals
from sekisho.tables.files.bounds import BOUND_NAMES
from sekisho.tables.files.cells import CellFile
from sekisho.tables.files.jj import jj_table
from sekisho.tables.model.margins import Margins
from sekisho.tables.model.table import Table
from sekisho.tables.rules.levels import bare_primaries, switched_off
from sekisho.tables.rules.reach import MARGIN
from sekisho.words import Said

ARGUS, JJ = ".tab", ".jj"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecipeTable:
    """A table that was read.

    Attributes:
        table: its cells.
        counts: whether it counts.
        value: the name of the value's column.
        trees: by dimension.
        notices: what was found out or is less safe than usual, each a sentence.
    """

    table: Table
    counts: bool
    value: str
    trees: Mapping[str, Hierarchy] = field(default_factory=dict[str, Hierarchy])
    notices: tuple[str, ...] = ()

    def read_patterns(self, releases: Iterable[ReleaseFile]) -> dict[str, TableRelease]:
        """Return patterns of one's own by label, each a file of the same table: CSV, Parquet, ``.tab`` or ``.jj``.

        Raises:
            InputError: a file cannot be read, or is of another table.
            FaultsError: whatever else is wrong with patterns, of all of them at once.
        """
        return read_patterns(tuple(releases), self.table, value=self.value, trees=self.trees)


def read_recipe_table(recipe: TableRecipe, file: TableRecipeFile) -> RecipeTable:
    """Return the table of a recipe."""
    source = Path(file.original)
    margins = Margins(everywhere=file.total or None, of=file.totals, categories=file.categories)
    kind = source.suffix.lower()
    if file.microdata:
        read = _tabulate(file, source, margins)
    elif kind == ARGUS:
        read = _read_argus(file, source, margins)
    elif kind == JJ:
        read = _read_jj(file, source)
    else:
        read = _read_cells(file, source, margins)
    return replace(read, notices=(*read.notices, *_list_warnings(recipe, read)))


def _tabulate(file: TableRecipeFile, source: Path, margins: Margins) -> RecipeTable:
    read = read_frame(source, separator=file.separator, encoding=file.encoding)
    frame = settle_numbers(read.frame, list_numbers(file), file.decimal, source)
    trees = _read_trees(file)
    form = MicrodataForm(trees=trees, groups=_read_groupings(file), margins=margins)
    return RecipeTable(
        table=tabulate_records(frame, file, form),
        counts=not file.value,
        value=file.value or COUNT,
        trees=trees,
        notices=(f"{source}: {read.form}; {frame.height:,} records",),
    )


def _read_trees(file: TableRecipeFile) -> dict[str, Hierarchy]:
    return {dim: Hierarchy(tree=read_tree(Path(name))) for dim, name in file.trees.items()}


def _read_groupings(file: TableRecipeFile) -> dict[str, tuple[Relation, ...]]:
    return {
        dim: tuple(relation for name in names for relation in read_groups(Path(name)))
        for dim, names in file.groupings.items()
    }


def _read_argus(file: TableRecipeFile, source: Path, margins: Margins) -> RecipeTable:
    table = read_tab(source, encoding=file.encoding, margins=margins)
    totals = tab_totals(source, encoding=file.encoding)
    named = [
        (dim, code)
        for dim, code in zip(table.dims, table.margins, strict=True)
        if code not in (totals[dim], margins.of.get(dim), margins.everywhere)
    ]
    return RecipeTable(
        table=table,
        counts=False,
        value=tab_response(source, encoding=file.encoding),
        notices=(f"{source}: τ-ARGUS table", *_name_margins(source, named)),
    )


def _read_jj(file: TableRecipeFile, source: Path) -> RecipeTable:
    for option, words in (("total", file.total), ("totals", file.totals), ("categories", file.categories)):
        if words:
            raise ParameterError(option, Said("not be given with a .jj file, which has no codes"), words)
    text = detect_and_decode(read_bytes(source), source, encoding=file.encoding)[0]
    return RecipeTable(
        table=jj_table(text, source=source), counts=False, value="value", notices=(f"{source}: JJ format",)
    )


def _read_cells(file: TableRecipeFile, source: Path, margins: Margins) -> RecipeTable:
    contributors = file.contributors
    cells = CellFile(
        dims=file.dims,
        value=file.count or file.value,
        counts=bool(file.count),
        frequency=contributors[0] if contributors else None,
        largest=tuple(contributors[1:]),
        trees=_read_trees(file),
        groups=_read_groupings(file),
        margins=margins,
    )
    read = read_frame(source, separator=file.separator, encoding=file.encoding)
    numbers = (*cells.columns[len(cells.dims) :], *BOUND_NAMES)
    frame = settle_numbers(read.frame, numbers, file.decimal, source)
    table = cells.table(frame, source=source)
    bounds = " and ".join(cells.bounds_of(frame).values())
    notices = (
        Said("{source}: {reason}", source=source, reason=read.form),
        *_name_margins(source, cells.known_by_name(table)),
        *(
            [Said("{source}: {bounds} are read as what everybody knows of each cell", source=source, bounds=bounds)]
            if bounds
            else []
        ),
    )
    return RecipeTable(table=table, counts=cells.counts, value=cells.value, trees=cells.trees, notices=notices)


def _name_margins(source: Path, margins: Sequence[tuple[str, str]]) -> Iterator[str]:
    for dim, code in margins:
        yield Said(
            "{source}: {code} is read as the margin of {dim}; if it is a category, write categories.{dim} = [{code!r}]",
            source=source,
            code=code,
            dim=dim,
        )


def _list_warnings(recipe: TableRecipe, read: RecipeTable) -> Iterator[str]:
    rules = recipe.rules
    if read.counts and rules.min_count is not None and switched_off(rules.min_count):
        yield f"the minimum frequency is switched off (min_count = {rules.min_count}): counts of 1 may be published"
    marked = rules.mark(read.table, counts=read.counts)
    bare = np.flatnonzero(bare_primaries(marked))
    if bare.size and rules.width is None:
        smallest = ", of 0 that of the smallest other value" if np.any(marked.value[bare] == 0) else ""
        yield (
            f"{bare.size} unsafe cells come without a protection level: {MARGIN} % of their value is taken{smallest} "
            "(or say width)"
        )
