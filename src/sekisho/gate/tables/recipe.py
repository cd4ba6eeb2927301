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

    [trees]
    region = "regions.csv"
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from sekisho.data.files.settings import build_settings
from sekisho.data.shape import Shape
from sekisho.errors import Fault, ParameterError, SettingsError, UnknownNameError
from sekisho.gate.tables.search import USUAL_SECONDS, TableSearch
from sekisho.gate.tables.stage import TableStage
from sekisho.tables import CellRule
from sekisho.tables.model.table import Table
from sekisho.tables.rules.costs import Price
from sekisho.tables.rules.table_rules import TableRules
from sekisho.tables.rules.words import rule

SOLVERS = ("highs", "scip")
SELF_DESCRIBED = (".tab", ".jj")
"""Files that say themselves which columns are dimensions and values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRecipeFile:
    """A recipe for a table as its file has it.

    Attributes:
        shape: says that the recipe is for a table.
        original: the file of cells: CSV, Parquet, ``.tab`` or ``.jj``.
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
        total: the margins' code in every dimension; empty if it is known by its name.
        totals: by dimension the margin's code.
        categories: by dimension the codes that are no margin, though they look like one.
        separator: of a CSV; found out if None.
        encoding: of a CSV; found out if None.
        decimal: the decimal mark of a CSV.
        time: seconds for each search and its certificate; a minute if not said, 0 for no limit.
        solvers: who searches, each a candidate.
        insiders: how many contributors of one cell may know things together, to be protected against; 0 for none.
        whole: whether the attackers use that counts are whole numbers.
    """

    shape: Shape
    original: str
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
    total: str = ""
    totals: Mapping[str, str] = field(default_factory=dict[str, str])
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    separator: str | None = None
    encoding: str | None = None
    decimal: str = "."
    time: float = USUAL_SECONDS
    solvers: tuple[str, ...] = ("highs",)
    insiders: int = 0
    whole: bool = False

    @property
    def reads(self) -> list[Path]:
        """The files that the recipe reads."""
        groups = [name for names in self.groupings.values() for name in names]
        return [Path(name) for name in (self.original, *self.trees.values(), *groups)]

    def place_beside(self, folder: Path) -> TableRecipeFile:
        """Return the recipe with the files that it names beside it."""
        return replace(
            self,
            original=str(folder / self.original),
            trees={dim: str(folder / name) for dim, name in self.trees.items()},
            groupings={dim: tuple(str(folder / name) for name in names) for dim, names in self.groupings.items()},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRecipe:
    """A recipe for a table, its rules and searches made.

    Attributes:
        rules: which cells are unsafe, and what hiding one costs.
        searches: by label.
        insiders: how many contributors of one cell may know things together, to be protected against; 0 for none.
        whole: whether the attackers use that counts are whole numbers.
    """

    rules: TableRules
    searches: Mapping[str, TableSearch]
    insiders: int = 0
    whole: bool = False

    def make_stage(self, table: Table, *, counts: bool) -> TableStage:
        """Return the stage on which a table, of counts or of sums, is suppressed and attacked."""
        return TableStage(
            table=table,
            rules=self.rules,
            searches=self.searches,
            insiders=self.insiders,
            whole=self.whole,
            counts=counts,
        )


def build_table_recipe(settings: Mapping[str, object], path: Path) -> tuple[TableRecipe, TableRecipeFile]:
    """Return the recipe that the settings of a file describe, and the file's own words.

    Raises:
        SettingsError: keys or values are wrong; all of them at once.
    """
    file = build_settings(settings, TableRecipeFile, source=str(path))
    faults = [*_check_columns(file), *_check_limits(file)]
    rules: list[CellRule] = []
    for number, word in enumerate(file.rules, 1):
        try:
            rules.append(rule(word))
        except (ParameterError, UnknownNameError) as error:
            faults.append(Fault(row=0, column=f"rules.{number}", rule="known", value=word, message=str(error)))
    if faults:
        raise SettingsError(path, faults)
    recipe = TableRecipe(
        rules=TableRules(rules=tuple(rules), min_count=file.min_count, width=file.width, cost=file.cost),
        searches={solver: TableSearch(seconds=file.time or None, solver=solver) for solver in file.solvers},
        insiders=file.insiders,
        whole=file.whole,
    )
    return recipe, file.place_beside(path.parent)


def _check_columns(file: TableRecipeFile) -> Iterator[Fault]:
    described = Path(file.original).suffix.lower() in SELF_DESCRIBED
    if not described and not file.dims:
        yield _make_fault("dims", "name at least one column", [])
    if not described and bool(file.count) == bool(file.value):
        yield _make_fault("count", "name the column of counts, or value that of sums", file.count)
    if len(set(file.dims)) != len(file.dims):
        yield _make_fault("dims", "be different columns", list(file.dims))
    for name, dims in (("trees", file.trees), ("groupings", file.groupings)):
        for dim in dims:
            if file.dims and dim not in file.dims:
                yield _make_fault(f"{name}.{dim}", f"be of one of {', '.join(file.dims)}", dim)


def _check_limits(file: TableRecipeFile) -> Iterator[Fault]:
    for name, value in (("min_count", file.min_count), ("width", file.width), ("insiders", file.insiders)):
        if value is not None and not 0 <= value < float("inf"):
            yield _make_fault(name, "be at least 0", value)
    if not 0 <= file.time < float("inf"):
        yield _make_fault("time", "be a number of seconds, 0 for no limit", file.time)
    if file.decimal not in (".", ","):
        yield _make_fault("decimal", "be . or ,", file.decimal)
    if not file.solvers or any(solver not in SOLVERS for solver in file.solvers):
        yield _make_fault("solvers", f"be of {', '.join(SOLVERS)}", list(file.solvers))


def _make_fault(column: str, rule_words: str, value: object) -> Fault:
    message = f"{column} must {rule_words}, not {value!r}"
    return Fault(row=0, column=column, rule=rule_words, value=str(value), message=message)
