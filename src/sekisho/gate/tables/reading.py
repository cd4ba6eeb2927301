"""The table of a recipe, read or tabulated as the recipe says, its own patterns, and what is said of it besides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.engines.engine import EngineChoice
from sekisho.data.files.schema_files.schema_file import SaidKind
from sekisho.errors import FaultsError, ParameterError
from sekisho.gate.recipes.keys import RecipeRelease, write_key
from sekisho.gate.tables.candidate import TableRelease
from sekisho.gate.tables.coarser_dims import CoarserDims
from sekisho.gate.tables.measures import PublishedMeasure, find_measure_links, join_levels
from sekisho.gate.tables.recipe import TableRecipe
from sekisho.gate.tables.recipe_file import BY_DIMENSION, TableRecipeFile
from sekisho.gate.tables.stage import PublishedValue, TableStage
from sekisho.gate.tables.system import NamedTable, TableSystem, link_named
from sekisho.provenance import Provenance, digest_file
from sekisho.tables.files.cells import CellFile
from sekisho.tables.files.input_marks import InputMarks
from sekisho.tables.files.records import RecordsBehind, RecordSource, RecordsRead
from sekisho.tables.files.row_unit import RowUnit
from sekisho.tables.files.source import JJ, CellSource, TableRead, choose_cells, read_apriori
from sekisho.tables.files.table_form import TableForm, read_groupings, read_trees
from sekisho.tables.model.margins import Margins
from sekisho.tables.model.table import Table
from sekisho.tables.reconstruct.joint_people import JointPeople
from sekisho.tables.rules.primary import COUNT_WIDTH
from sekisho.tables.rules.table_rules import guard_primaries, tell_bare, tell_switched_off
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecipeTable:
    """A table that was read.

    Attributes:
        table: its cells.
        source: how files of its cells are read.
        records: those of which it was made, where a method needs them.
        notices: what was found out or is less safe than usual, each a sentence.
        unit: whose the rows are that it was made of; None of cells.
        marks: what the columns of marks of its file say.
        amounts: what each record has of its measure; None where the records are not at hand.
        path: of the file that was read.
    """

    table: Table
    source: CellSource
    records: RecordsRead | None = None
    notices: tuple[str, ...] = ()
    unit: RowUnit | None = None
    marks: InputMarks = field(default_factory=InputMarks)
    amounts: NDArray[np.float64] | None = None
    path: str = ""

    @property
    def counts(self) -> bool:
        """Whether it counts."""
        return self.source.counts

    @property
    def value(self) -> str:
        """The name of the value's column."""
        return self.source.value

    @property
    def measure(self) -> str:
        """What its cells tell: a column and whether it is a count; records that are counted are no column's."""
        return f"{self.value} (count)" if self.counts else self.value

    def mark(self, recipe: TableRecipe) -> Table:
        """Return the table with the cells flagged that the recipe's rules and its a-priori file call unsafe."""
        rules = recipe.rules
        marked = rules.mark(self.table, counts=self.counts)
        if recipe.apriori is None:
            return marked
        usual = COUNT_WIDTH if self.counts else None
        return read_apriori(marked, recipe.apriori, width=usual if rules.width is None else rules.width)

    def flag(self, recipe: TableRecipe) -> Table:
        """Return the table marked, a level at every unsafe cell, and an earlier publication respected."""
        guarded = guard_primaries(self.mark(recipe), width=recipe.rules.width)
        return guarded if recipe.frozen is None else self.source.freeze_pattern(guarded, recipe.frozen)

    def make_stage(self, recipe: TableRecipe) -> TableStage:
        """Return the stage on which it is suppressed and attacked, beside the recipe's own patterns."""
        patterns, flagged = self.read_patterns(recipe.releases), self.flag(recipe)
        people = JointPeople.of(self.table) if recipe.adversaries else None
        stage = recipe.make_stage(self.table, counts=self.counts, patterns=patterns, flagged=flagged, people=people)
        everywhere = (np.arange(len(self.table)),)
        behind = None if self.records is None else RecordsBehind(parts=(self.records,), places=everywhere)
        return replace(stage, value=self.value, records=behind, unit=self.unit, marks=self.marks)

    def read_patterns(self, releases: Iterable[RecipeRelease]) -> dict[str, TableRelease]:
        """Return patterns of one's own by label, each a file of the same table: CSV, Parquet, ``.tab`` or ``.jj``.

        Raises:
            InputError: a file cannot be read, or is of another table.
            FaultsError: cells that are unknown, doubled or missing, statuses that are none, values that are not the
                table's; of all files at once.
        """
        patterns: dict[str, TableRelease] = {}
        errors: list[FaultsError] = []
        for release in releases:
            path = Path(release.file)
            try:
                hidden = self.source.apply_pattern(self.table, path).table
            except FaultsError as error:
                errors.append(error)
                continue
            origin = Provenance(name="pattern", inputs={path.name: digest_file(path)})
            patterns[release.name] = TableRelease(table=hidden, provenance=origin)
        if errors:
            raise _join_faults(errors)
        return patterns


def _join_faults(errors: Sequence[FaultsError]) -> FaultsError:
    faults = [replace(fault, message=f"{error.source}: {fault.message}") for error in errors for fault in error.faults]
    return FaultsError(", ".join(error.source for error in errors), faults, count=sum(error.count for error in errors))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecipeTables:
    """The tables of a recipe that were read: one, or several that leave together.

    Attributes:
        parts: each with the recipe as it is for it alone.
        notices: what was found out or is less safe than usual, each a sentence.
        whole: how the true table by all dimensions is read, where the records are at hand and somebody asks for it.
    """

    parts: tuple[tuple[TableRecipe, RecipeTable], ...]
    notices: tuple[str, ...] = ()
    whole: TableRecipeFile | None = None

    def make_stage(self, recipe: TableRecipe) -> TableStage:
        """Return the stage on which they are suppressed and attacked: several as one system.

        Raises:
            FaultsError: the tables disagree on a cell that they share, or on what is wished of it.
        """
        tables = [read for _, read in self.parts]
        if recipe.names == ("",):
            return tables[0].make_stage(self.parts[0][0])
        system = link_named(
            [
                NamedTable(name=name, measure=read.measure, table=read.flag(own), counts=read.counts)
                for name, (own, read) in zip(recipe.names, self.parts, strict=True)
            ]
        )
        stage = recipe.make_stage(
            system.table,
            counts=all(read.counts for read in tables),
            flagged=system.table,
            people=self._join_people(recipe, system) if recipe.adversaries else None,
        )
        values = tuple(
            PublishedValue(column=read.value, counts=read.counts, rules=own.rules, unit=read.unit, marks=read.marks)
            for own, read in self.parts
        )
        links = find_measure_links(
            [
                PublishedMeasure(name=read.measure, table=read.table, source=read.path, amounts=read.amounts)
                for _, read in self.parts
            ]
        )
        records = tuple(read.records for read in tables if read.records is not None)
        behind = RecordsBehind(parts=records, places=system.places) if len(records) == len(tables) else None
        flagged = join_levels(system.table, system, links)
        return replace(stage, system=system, values=values, records=behind, flagged=flagged, measures=links)

    def _join_people(self, recipe: TableRecipe, system: TableSystem) -> JointPeople:
        """Return how the tables count people by all dimensions; the records tell how many they are."""
        people = JointPeople.of(system.table, system.parts)
        if self.whole is None:
            return people
        joint = read_recipe_table(replace(recipe, names=("",)), self.whole).table
        return JointPeople.of(system.table, system.parts, joint=joint)


def read_recipe_tables(recipe: TableRecipe, file: TableRecipeFile) -> RecipeTables:
    """Return the tables of a recipe; what is found out of one of several is told with its name."""
    parts: list[tuple[TableRecipe, RecipeTable]] = []
    notices: list[str] = []
    for name, rules, own in zip(file.names, recipe.own_rules or (recipe.rules,), file.split_tables(), strict=True):
        apriori, frozen = (Path(said) if said else None for said in (own.apriori, own.frozen))
        alone = replace(recipe, rules=rules, apriori=apriori, frozen=frozen, names=("",))
        read = read_recipe_table(alone, own)
        parts.append((alone, read))
        notices += [Said("{source}: {reason}", source=name, reason=one) if name else one for one in read.notices]
    whole = _join_keys(file) if recipe.adversaries and file.tables and file.microdata else None
    return RecipeTables(parts=tuple(parts), notices=tuple(dict.fromkeys(notices)), whole=whole)


def _join_keys(file: TableRecipeFile) -> TableRecipeFile | None:
    """Return the recipe of the table by all dimensions of several tables; None where they are not of one file."""
    own = file.split_tables()
    if len({each.original for each in own}) > 1:
        return None
    dims = tuple(dict.fromkeys(dim for each in own for dim in each.dims))
    shared = {name: {dim: said for each in own for dim, said in getattr(each, name).items()} for name in BY_DIMENSION}
    return replace(own[0], dims=dims, apriori="", frozen="", **shared)


def read_recipe_table(recipe: TableRecipe, file: TableRecipeFile) -> RecipeTable:
    """Return the table of a recipe that has one."""
    path, form = Path(file.original), _read_form(file)
    made: RecordsRead | None = None
    if file.microdata:
        records = choose_records(file, form)
        counted = CellFile(dims=file.dims, value=records.named, counts=not file.value, trees=form.trees)
        source = CellSource(cells=counted, form=form)
        if recipe.choice is None:
            made = records.read_records(path)
            read = made.read
        else:
            read = _tabulate_there(records, path, recipe.choice)
    else:
        _refuse_margins(file, path)
        source = choose_cells(
            path, form, dims=file.dims, count=file.count, value=file.value, contributors=file.contributors
        )
        read = source.read_table(path)
    kept = made if any(method.needs_records for method in recipe.methods.values()) else None
    table = RecipeTable(table=read.table, source=source, records=kept, unit=read.unit, marks=read.marks)
    table = replace(table, amounts=_list_amounts(made, file), path=file.original)
    notices = (*read.notices, *_list_warnings(recipe, table))
    return replace(table, notices=tuple(notice.write_settings(write_key) for notice in notices))


def _list_amounts(made: RecordsRead | None, file: TableRecipeFile) -> NDArray[np.float64] | None:
    """Return what each record has of the measure, where one of several measures is summed and the records are here."""
    if made is None or not file.value:
        return None
    return made.frame[file.value].cast(pl.Float64, strict=False).fill_null(0.0).to_numpy()


def _tabulate_there(records: RecordSource, path: Path, choice: EngineChoice) -> TableRead:
    """Return the table of records that stay with an engine."""
    from sekisho.tables.files.scanned_records import read_large_table

    return read_large_table(records, path, choice)


def choose_records(file: TableRecipeFile, form: TableForm) -> RecordSource:
    """Return how the records of a recipe are read."""
    return RecordSource(
        dims=file.dims,
        value=file.value,
        contributor=file.contributor,
        holding=file.holding,
        weight=file.weight,
        request=file.request,
        waiver=file.waiver,
        form=form,
    )


def _read_form(file: TableRecipeFile) -> TableForm:
    form = TableForm(
        separator=file.separator,
        encoding=file.encoding,
        sheet=file.sheet,
        decimal=file.decimal,
        kinds=tuple(SaidKind.parse(f"{column}={kind}") for column, kind in file.kinds.items()),
        margins=Margins(everywhere=file.total or None, of=file.totals, categories=file.categories),
        trees=read_trees({dim: Path(name) for dim, name in file.trees.items()}),
        groups=read_groupings({dim: [Path(name) for name in names] for dim, names in file.groupings.items()}),
    )
    return CoarserDims(dims=file.coarser).apply(form) if file.coarser else form


def _refuse_margins(file: TableRecipeFile, path: Path) -> None:
    """Refuse what a recipe says of margins where there are none, by the recipe's own keys."""
    for option, words in (("total", file.total), ("totals", file.totals), ("categories", file.categories)):
        if words and path.suffix.lower() == JJ:
            raise ParameterError(option, Said("not be given with a .jj file, which has no codes"), words)


def _list_warnings(recipe: TableRecipe, read: RecipeTable) -> Iterator[Said]:
    rules = recipe.rules
    if recipe.frozen is not None:
        yield from read.source.notice_changes(read.table, recipe.frozen)
    yield from tell_switched_off(rules.min_count, counts=read.counts)
    if rules.width is None:
        yield from tell_bare(read.mark(recipe))
