"""A recipe for tables as its file has it, and everything that is wrong with it.

Several tables that leave together stand in ``[[tables]]``::

    [[tables]]
    name = "jobs"                 # its files: release-jobs.csv, pattern-jobs.csv
    dims = ["region", "job"]
    value = "turnover"

    [[tables]]
    name = "sizes"
    dims = ["region", "size"]
    value = "turnover"
    apriori = "sizes.hst"

Whatever is not a table's own (where the data are, rules, insiders, costs, time, trees by dimension) stands at the top
and holds for all of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from sekisho.data.files.schema_files.schema_file import SaidKind
from sekisho.data.shape import Shape
from sekisho.errors import Fault, ParameterError
from sekisho.gate.recipes.keys import ON_ENGINES, RecipeKeys, make_fault
from sekisho.gate.tables.search import USUAL_SECONDS, MarginCare
from sekisho.gate.tables.stage import MEASURED
from sekisho.tables.rules.table_rules import Price
from sekisho.words import Said, name_setting

OWN_KEYS = ("dims", "count", "value", "contributors", "apriori", "frozen")
"""Keys that stand at the top of a recipe of one table, and with each table of a recipe of several."""
BY_DIMENSION = ("trees", "groupings", "coarser", "totals", "categories")
"""Keys that say something of dimensions: those at the top hold for every table that has the dimension."""
NOISE, KEYS = "noise_file", "key_file"
"""Keys of methods that name files: what may be told of noise, and what is secret."""
PLAIN_NAME = re.compile(r"[\w-]{1,40}")


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedTableKeys:
    """One of several tables of a recipe.

    Attributes:
        name: what its files are called after: letters, digits, ``_`` and ``-``.
        original: its own file of data; the recipe's if empty.
        dims: its dimensions.
        count: the column of counts.
        value: or the column of sums.
        contributors: the column of the number of contributors, then those of the largest contributions.
        rules: its own primary rules; the recipe's if None.
        trees: by dimension the file of its tree, where it is another than the recipe's.
        groupings: by dimension the files of its further sums.
        coarser: by dimension with a tree how many of its finest levels are not told, or the codes whose parts are not.
        totals: by dimension the margin's code.
        categories: by dimension the codes that are no margin, though they look like one.
        apriori: a τ-ARGUS a-priori file of its cells.
        frozen: an earlier pattern of it that stays in force.
    """

    name: str = ""
    original: str = ""
    dims: tuple[str, ...] = ()
    count: str = ""
    value: str = ""
    contributors: tuple[str, ...] = ()
    rules: tuple[str, ...] | None = None
    trees: Mapping[str, str] = field(default_factory=dict[str, str])
    groupings: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    coarser: Mapping[str, object] = field(default_factory=dict[str, object])
    totals: Mapping[str, str] = field(default_factory=dict[str, str])
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    apriori: str = ""
    frozen: str = ""

    @property
    def reads(self) -> list[Path]:
        """The files that it names, the original apart where it is the recipe's."""
        groups = [name for names in self.groupings.values() for name in names]
        said = (self.original, *self.trees.values(), *groups, self.apriori, self.frozen)
        return [Path(name) for name in said if name]


def _check_names(tables: Sequence[LinkedTableKeys]) -> Iterator[Fault]:
    """Give what is wrong with the names of tables: each is part of a file's name, and some systems know one case."""
    counted = Counter(table.name.casefold() for table in tables)
    for number, table in enumerate(tables, 1):
        place = f"tables.{number}.name"
        if not PLAIN_NAME.fullmatch(table.name):
            yield make_fault(place, Said("be given: letters, digits, _ and -, at most 40"), table.name)
        elif counted[table.name.casefold()] > 1:
            yield make_fault(place, Said("be another for each table"), table.name)


SOLVERS = ("auto", "highs", "scip")
USUAL_SOLVERS = ("auto",)
MICRODATA = ("contributor", "holding", "weight", "request", "waiver")
"""Columns that only microdata have."""
OF_MICRODATA = Said("be given with microdata = true only")
SELF_DESCRIBED = (".tab", ".jj")
"""Files that say themselves which columns are dimensions and values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRecipeFile(RecipeKeys):
    """A recipe for a table as its file has it; the original is a file of cells (CSV, Parquet, ``.tab``, ``.jj``).

    Or it is one of microdata. Its ``releases`` are patterns.

    Attributes:
        dims: the dimension columns.
        count: the column of counts.
        value: or the column of sums.
        contributors: the column of the number of contributors, then those of the largest contributions.
        rules: primary rules as words, such as ``p%:15``.
        min_count: the minimum frequency of counts; 5 if None, 0 switches it off.
        width: how wide an attacker's interval of each unsafe cell must be; 10 for counts if None.
        cost: of hiding a cell.
        trees: by dimension the file of its tree.
        groupings: by dimension the files of its further sums.
        coarser: by dimension with a tree how many of its finest levels are not told, or the codes whose parts are not.
        total: the margins' code in every dimension; empty if it is known by its name.
        totals: by dimension the margin's code.
        categories: by dimension the codes that are no margin, though they look like one.
        separator: of a CSV; found out if None.
        encoding: of a CSV; found out if None.
        sheet: of a workbook; the first that holds a table if None.
        decimal: the decimal mark of a CSV; found out if not said.
        kinds: by column what it is, such as ``date:%d/%m/%Y``; found out if not said.
        time: seconds for each search and its certificate; a minute if not said, 0 for no limit.
        solvers: who searches, each a candidate.
        methods: ways to publish the table, each a candidate with its name and its own parameters: ``suppress``,
            ``round``, …; hiding cells alone if none is named.
        adversaries: who attacks beside the outsider and the insiders: ``reconstruct``, of tables of counts.
        insiders: how many contributors of one cell may know things together, to be protected against; 0 for none.
            None: one where it is known who contributes.
        whole: whether the attackers use that counts are whole numbers.
        margins: what becomes of totals of totals.
        apriori: a τ-ARGUS a-priori file of the cells.
        frozen: an earlier pattern that stays in force.
        microdata: whether the original has a row for each record, of which cells are made.
        contributor: of microdata: the column that says whose a record is; each is another's if empty.
        holding: of microdata: the column of the group to which contributors belong.
        weight: of microdata: the column of sampling weights.
        request: of microdata: the column that marks those who asked for protection.
        waiver: of microdata: the column that marks those who gave theirs up.
        tables: several tables that are protected as one and leave together; none where the keys above tell of one.
    """

    dims: tuple[str, ...] = ()
    count: str = ""
    value: str = ""
    contributors: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    min_count: int | None = None
    width: float | None = None
    cost: Price = Price.ONE
    trees: Mapping[str, str] = field(default_factory=dict[str, str])
    groupings: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    coarser: Mapping[str, object] = field(default_factory=dict[str, object])
    total: str = ""
    totals: Mapping[str, str] = field(default_factory=dict[str, str])
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    separator: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    decimal: str | None = None
    kinds: Mapping[str, str] = field(default_factory=dict[str, str])
    time: float = USUAL_SECONDS
    solvers: tuple[str, ...] | None = None
    methods: tuple[Mapping[str, object], ...] = ()
    adversaries: tuple[Mapping[str, object], ...] = ()
    insiders: int | None = None
    whole: bool = False
    margins: MarginCare = MarginCare.KEEP
    apriori: str = ""
    frozen: str = ""
    microdata: bool = False
    contributor: str = ""
    holding: str = ""
    weight: str = ""
    request: str = ""
    waiver: str = ""
    tables: tuple[LinkedTableKeys, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """What the files of each table are called after; nothing where there is one table."""
        return tuple(table.name for table in self.tables) or ("",)

    def split_tables(self) -> tuple[TableRecipeFile, ...]:
        """Return the recipe of each table by itself; the recipe as it is where it has one."""
        if not self.tables:
            return (self,)
        return tuple(
            replace(
                self,
                tables=(),
                original=table.original or self.original,
                rules=self.rules if table.rules is None else table.rules,
                **{name: getattr(table, name) for name in OWN_KEYS},
                **{name: self._list_of_dims(name, table) for name in BY_DIMENSION},
            )
            for table in self.tables
        )

    def _list_of_dims(self, name: str, table: LinkedTableKeys) -> Mapping[str, object]:
        """Return what is said of a table's dimensions: its own word, else the recipe's."""
        shared: Mapping[str, object] = getattr(self, name)
        own: Mapping[str, object] = getattr(table, name)
        return {dim: said for dim, said in shared.items() if dim in table.dims} | dict(own)

    @property
    def searched(self) -> tuple[str, ...]:
        """Who searches: as named; auto if nobody is and neither a pattern nor methods are given."""
        if self.solvers is not None:
            return self.solvers
        return () if self.own_releases or self.methods else USUAL_SOLVERS

    @property
    def reads(self) -> list[Path]:
        """The files that the recipe reads."""
        groups = [name for names in self.groupings.values() for name in names]
        patterns = [name for each in self.releases for name in each.reads]
        said = [name for name in (self.apriori, self.frozen) if name]
        parts = [path for table in self.tables for path in table.reads]
        noise = self._list_method_files(NOISE)
        return [
            *(Path(name) for name in (self.original, *self.trees.values(), *groups, *said, *patterns, *noise)),
            *parts,
        ]

    @property
    def secrets(self) -> list[Path]:
        """The files of keys: read, written where there are none, and never published."""
        return [Path(name) for name in self._list_method_files(KEYS)]

    def _list_method_files(self, key: str) -> list[str]:
        return [name for method in self.methods if isinstance(name := method.get(key), str)]

    def place_beside(self, folder: Path) -> TableRecipeFile:
        """Return the recipe with the files that it names beside it."""
        tables = tuple(
            replace(_place_beside(table, folder), original=table.original and str(folder / table.original))
            for table in self.tables
        )
        methods = tuple(
            {key: str(folder / str(said)) if key in (NOISE, KEYS) else said for key, said in method.items()}
            for method in self.methods
        )
        return replace(_place_beside(self.settle_releases(folder), folder), tables=tables, methods=methods)


T = TypeVar("T", TableRecipeFile, LinkedTableKeys)


def _place_beside(said: T, folder: Path) -> T:
    """Return the keys of a table with the files that they name beside the recipe, the original apart."""
    return replace(
        said,
        trees={dim: str(folder / name) for dim, name in said.trees.items()},
        groupings={dim: tuple(str(folder / name) for name in names) for dim, names in said.groupings.items()},
        apriori=said.apriori and str(folder / said.apriori),
        frozen=said.frozen and str(folder / said.frozen),
    )


def list_faults(file: TableRecipeFile, *, tables: bool) -> Iterator[Fault]:
    """Give what is wrong with a recipe; with its tables only if they could be read."""
    yield from file.list_common_faults(Shape.TABLE)
    yield from _check_kinds(file)
    yield from _check_limits(file)
    yield from _check_adversaries(file)
    for name in () if file.microdata else ON_ENGINES:
        if getattr(file, name):
            yield make_fault(name, OF_MICRODATA, getattr(file, name))
    if tables and file.tables:
        yield from _check_tables(file)
    elif tables:
        yield from _check_columns(file)


def _check_adversaries(file: TableRecipeFile) -> Iterator[Fault]:
    """Give that people are to be rebuilt from tables that do not count them one by one."""
    parts = file.tables or (file,)
    if file.adversaries and (file.weight or any(part.value for part in parts)):
        rule = Said("not be given with sums or weights: people are rebuilt from counts")
        yield make_fault("adversaries", rule, ", ".join(str(each.get("name")) for each in file.adversaries))


def _check_tables(file: TableRecipeFile) -> Iterator[Fault]:
    """Give what is wrong with what the recipe says of each of several tables."""
    for name in (*OWN_KEYS, "release", "releases"):
        own = name in OWN_KEYS
        if getattr(file, name):
            moved = Said("stand in each of [[tables]] instead of the top")
            rule = moved if own else Said("not stand at the top of a recipe with [[tables]]")
            yield make_fault(name, rule, getattr(file, name))
    yield from _check_names(file.tables)
    known = sorted({dim for table in file.tables for dim in table.dims})
    strange = ((name, dim) for name in BY_DIMENSION for dim in getattr(file, name) if dim not in known)
    for name, dim in strange:
        yield make_fault(f"{name}.{dim}", Said("be of one of {dims}", dims=", ".join(known)), dim)
    for number, part in enumerate(file.split_tables(), 1):
        if Path(part.original).suffix.lower() in SELF_DESCRIBED:
            yield make_fault(f"tables.{number}.original", Said("not be a file that describes itself"), part.original)
        for fault in _check_columns(part):
            message = Said("{source}: {reason}", source=f"tables.{number}", reason=fault.message)
            yield replace(fault, column=f"tables.{number}.{fault.column}", message=message)


def _check_columns(file: TableRecipeFile) -> Iterator[Fault]:
    described = Path(file.original).suffix.lower() in SELF_DESCRIBED
    if not described and not file.dims:
        yield make_fault("dims", Said("name at least one column"), [])
    if file.microdata:
        yield from _check_microdata(file, described=described)
    elif not described and bool(file.count) == bool(file.value):
        yield make_fault(
            "count", Said("name the column of counts, or {value} that of sums", value=name_setting("value")), file.count
        )
    for name in () if file.microdata else MICRODATA:
        if getattr(file, name):
            yield make_fault(name, OF_MICRODATA, getattr(file, name))
    if len(set(file.dims)) != len(file.dims):
        yield make_fault("dims", Said("be different columns"), list(file.dims))
    for name, dims in (("trees", file.trees), ("groupings", file.groupings)):
        for dim in dims:
            if file.dims and dim not in file.dims:
                yield make_fault(f"{name}.{dim}", Said("be of one of {dims}", dims=", ".join(file.dims)), dim)
    yield from _check_coarser(file, described=described)


def _check_kinds(file: TableRecipeFile) -> Iterator[Fault]:
    for column, kind in file.kinds.items():
        try:
            SaidKind.parse(f"{column}={kind}")
        except ParameterError as error:
            yield make_fault(f"kinds.{column}", error.rule, kind)


def _check_coarser(file: TableRecipeFile, *, described: bool) -> Iterator[Fault]:
    for dim, how in file.coarser.items():
        if described or dim not in file.trees:
            yield make_fault(f"coarser.{dim}", Said("be of a dimension with a tree"), how)
        elif dim in file.groupings:
            yield make_fault(f"coarser.{dim}", Said("not be of a dimension with groupings"), how)
    if file.coarser and (file.frozen or file.apriori or file.own_releases):
        rule = Said("not be given together with frozen, apriori or releases, which tell finer cells")
        yield make_fault("coarser", rule, dict(file.coarser))


def _check_microdata(file: TableRecipeFile, *, described: bool) -> Iterator[Fault]:
    if described:
        yield make_fault("microdata", Said("not be given with a file of cells that describes itself"), file.original)
    for name in ("count", "contributors"):
        if getattr(file, name):
            rule = Said("not be given with microdata: records are counted, and their contributor is a column")
            yield make_fault(name, rule, getattr(file, name))


def _check_limits(file: TableRecipeFile) -> Iterator[Fault]:
    for name, value in (("min_count", file.min_count), ("width", file.width), ("insiders", file.insiders)):
        if value is not None and not 0 <= value < float("inf"):
            yield make_fault(name, Said("be at least 0"), value)
    if not 0 <= file.time < float("inf"):
        yield make_fault("time", Said("be a number of seconds, 0 for no limit"), file.time)
    if file.decimal not in (None, ".", ","):
        yield make_fault("decimal", Said("be . or ,"), file.decimal)
    searched = file.searched
    if not (searched or file.own_releases or file.methods) or any(solver not in SOLVERS for solver in searched):
        yield make_fault("solvers", Said("be of {solvers}", solvers=", ".join(SOLVERS)), list(searched))
    for name in file.limits:
        if name not in MEASURED:
            yield make_fault(f"limits.{name}", Said("be of {solvers}", solvers=", ".join(MEASURED)), file.limits[name])
