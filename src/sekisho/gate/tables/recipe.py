"""What the gate does with a table: where its cells are, which of them are unsafe, what hiding costs, who attacks.

::

    shape = "table"
    original = "cells.csv"        # beside the recipe
    dims = ["region", "job"]
    count = "n"                   # or: value = "turnover", contributors = ["firms", "x1", "x2"]
    min_count = 5                 # of counts; 5 if not given
    rules = ["p%:15"]             # further rules, as words
    width = 10
    cost = "value"                # 1, value or frequency
    time = 60
    insiders = 1
    margins = "free"              # keep: totals of totals are hidden only where nothing else helps
    apriori = "cells.hst"         # a τ-ARGUS a-priori file
    frozen = "last-year.csv"      # an earlier pattern that stays in force
    release = "pattern.csv"       # a pattern of one's own, audited; then no search unless solvers are named

    [trees]
    region = "regions.csv"

    [kinds]
    month = "date:%d/%m/%Y"       # what a column is, where that is not to be found out

    [coarser]
    region = 1                    # without the finest level of its tree; or ["13"]: 13 without its parts

Of microdata the cells are tabulated: ``microdata = true``, ``dims``, ``value`` (else records are counted), and who
contributes: ``contributor = "firm"``, also ``holding``, ``weight``, ``request`` and ``waiver``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from sekisho.data.files.schema_files.schema_file import SaidKind
from sekisho.data.shape import Shape
from sekisho.data.title import Title
from sekisho.errors import Fault, ParameterError, SettingsError, UnknownNameError
from sekisho.gate.output_files import PATTERN, TABLE_PROOF
from sekisho.gate.policy import Policy
from sekisho.gate.recipes.keys import RecipeKeys, RecipeRelease, Standard, make_fault
from sekisho.gate.recipes.lenient import build_leniently
from sekisho.gate.tables.search import USUAL_SECONDS, MarginCare, TableSearch
from sekisho.gate.tables.stage import MEASURED, TableRelease, TableStage
from sekisho.tables import CellRule
from sekisho.tables.model.table import Table
from sekisho.tables.rules.table_rules import Price, TableRules, rule
from sekisho.words import Said, name_setting, quote_words

SOLVERS = ("highs", "scip")
USUAL_SOLVERS = ("highs",)
MICRODATA = ("contributor", "holding", "weight", "request", "waiver")
"""Columns that only microdata have."""
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
        insiders: how many contributors of one cell may know things together, to be protected against; 0 for none.
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
    insiders: int = 0
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

    @property
    def searched(self) -> tuple[str, ...]:
        """Who searches: as named; highs if nobody is and no pattern is given."""
        if self.solvers is not None:
            return self.solvers
        return () if self.own_releases else USUAL_SOLVERS

    @property
    def reads(self) -> list[Path]:
        """The files that the recipe reads."""
        groups = [name for names in self.groupings.values() for name in names]
        patterns = [name for each in self.releases for name in each.reads]
        said = [name for name in (self.apriori, self.frozen) if name]
        return [Path(name) for name in (self.original, *self.trees.values(), *groups, *said, *patterns)]

    def place_beside(self, folder: Path) -> TableRecipeFile:
        """Return the recipe with the files that it names beside it."""
        return replace(
            self.settle_releases(folder),
            trees={dim: str(folder / name) for dim, name in self.trees.items()},
            groupings={dim: tuple(str(folder / name) for name in names) for dim, names in self.groupings.items()},
            apriori=self.apriori and str(folder / self.apriori),
            frozen=self.frozen and str(folder / self.frozen),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRecipe:
    """A recipe for a table, its rules and searches made.

    Attributes:
        rules: which cells are unsafe, and what hiding one costs.
        searches: by label.
        insiders: how many contributors of one cell may know things together, to be protected against; 0 for none.
        whole: whether the attackers use that counts are whole numbers.
        apriori: a τ-ARGUS a-priori file, which may say otherwise than the rules.
        frozen: an earlier pattern that stays in force.
        releases: patterns of one's own.
        limits: by measure (``cost``, ``secondary``, ``hidden``) the largest value that leaves without a look.
        policy: which verdict each rule asks for.
        title: on pages.
        standards: what the report shows beside what was done.
        allowed_columns: by column that names people the reason why it leaves all the same.
    """

    rules: TableRules
    searches: Mapping[str, TableSearch]
    insiders: int = 0
    whole: bool = False
    apriori: Path | None = None
    frozen: Path | None = None
    releases: tuple[RecipeRelease, ...] = ()
    limits: Mapping[str, float] = field(default_factory=dict[str, float])
    policy: Policy = field(default_factory=Policy)
    title: Title | None = None
    standards: tuple[Standard, ...] = ()
    allowed_columns: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def writes(self) -> tuple[str, ...]:
        """The confidential files of a run that are of this shape alone."""
        return (PATTERN, TABLE_PROOF)

    def make_stage(
        self,
        table: Table,
        *,
        counts: bool,
        patterns: Mapping[str, TableRelease] | None = None,
        flagged: Table | None = None,
    ) -> TableStage:
        """Return the stage on which a table, of counts or of sums, is suppressed and attacked.

        ``flagged`` is the table with its unsafe cells flagged, where more than the rules says which these are.
        """
        return TableStage(
            table=table,
            rules=self.rules,
            searches=self.searches,
            insiders=self.insiders,
            whole=self.whole,
            counts=counts,
            patterns=patterns or {},
            flagged=flagged,
            limits=self.limits,
            policy=self.policy,
            standards=self.standards,
            allowed_columns=self.allowed_columns,
        )


def build_table_recipe(settings: Mapping[str, object], path: Path) -> tuple[TableRecipe, TableRecipeFile]:
    """Return the recipe that the settings of a file describe, and the file's own words.

    Raises:
        SettingsError: keys or values are wrong; all of them at once.
    """
    file, faults = build_leniently(settings, TableRecipeFile, source=str(path))
    faults += [*file.list_common_faults(Shape.TABLE), *_check_columns(file), *_check_kinds(file), *_check_limits(file)]
    rules: list[CellRule] = []
    for number, word in enumerate(file.rules, 1):
        try:
            rules.append(rule(word))
        except (ParameterError, UnknownNameError) as error:
            faults.append(
                Fault(row=0, column=f"rules.{number}", rule="known", value=word, message=quote_words(str(error)))
            )
    if faults:
        raise SettingsError(path, faults)
    placed = file.place_beside(path.parent)
    recipe = TableRecipe(
        rules=TableRules(rules=tuple(rules), min_count=file.min_count, width=file.width, cost=file.cost),
        searches={
            solver: TableSearch(seconds=file.time or None, solver=solver, keep=file.margins is MarginCare.KEEP)
            for solver in file.searched
        },
        insiders=file.insiders,
        whole=file.whole,
        apriori=Path(placed.apriori) if file.apriori else None,
        frozen=Path(placed.frozen) if file.frozen else None,
        releases=placed.releases,
        limits=file.limits,
        policy=Policy(verdicts=file.policy),
        title=file.titled,
        standards=file.standards,
        allowed_columns=file.allowed_columns,
    )
    return recipe, placed


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
            yield make_fault(name, Said("be given with microdata = true only"), getattr(file, name))
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
    if not (searched or file.own_releases) or any(solver not in SOLVERS for solver in searched):
        yield make_fault("solvers", Said("be of {solvers}", solvers=", ".join(SOLVERS)), list(searched))
    for name in file.limits:
        if name not in MEASURED:
            yield make_fault(f"limits.{name}", Said("be of {solvers}", solvers=", ".join(MEASURED)), file.limits[name])
