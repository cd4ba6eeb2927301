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
contributes: ``contributor = "firm"``, also ``holding``, ``weight``, ``request`` and ``waiver``. Several tables that
leave together stand in ``[[tables]]`` (:mod:`sekisho.gate.tables.recipe_file`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sekisho.data.title import Title
from sekisho.errors import Fault, ParameterError, SettingsError, UnknownNameError
from sekisho.gate.output_files import PATTERN, TABLE_PROOF, name_table_file
from sekisho.gate.policy import Policy
from sekisho.gate.recipes.keys import RecipeRelease, Standard
from sekisho.gate.recipes.lenient import build_leniently
from sekisho.gate.tables.recipe_file import TableRecipeFile, list_faults
from sekisho.gate.tables.search import MarginCare, TableSearch
from sekisho.gate.tables.stage import TableRelease, TableStage
from sekisho.tables import CellRule
from sekisho.tables.model.table import Table
from sekisho.tables.rules.table_rules import TableRules, rule
from sekisho.words import quote_words


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
        names: what the files of each table are called after; nothing where there is one.
        own_rules: the rules of each of several tables.
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
    names: tuple[str, ...] = ("",)
    own_rules: tuple[TableRules, ...] = ()

    @property
    def writes(self) -> tuple[str, ...]:
        """The confidential files of a run that are of this shape alone."""
        return (*(name_table_file(PATTERN, name) for name in self.names), TABLE_PROOF)

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
    # where tables cannot be read it is not known which columns are meant
    known = not any(fault.column.startswith("tables") for fault in faults)
    faults += list_faults(file, tables=known)
    rules = _read_rules(file.rules, "rules", faults)
    own_rules = [
        rules if table.rules is None else _read_rules(table.rules, f"tables.{number}.rules", faults)
        for number, table in enumerate(file.tables, 1)
    ]
    if faults:
        raise SettingsError(path, faults)
    placed = file.place_beside(path.parent)
    shared = TableRules(rules=rules, min_count=file.min_count, width=file.width, cost=file.cost)
    recipe = TableRecipe(
        rules=shared,
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
        names=file.names,
        own_rules=tuple(replace(shared, rules=each) for each in own_rules),
    )
    return recipe, placed


def _read_rules(words: Sequence[str], place: str, faults: list[Fault]) -> tuple[CellRule, ...]:
    """Return the rules that words name; what is no rule is noted."""
    rules: list[CellRule] = []
    for number, word in enumerate(words, 1):
        try:
            rules.append(rule(word))
        except (ParameterError, UnknownNameError) as error:
            message = quote_words(str(error))
            faults.append(Fault(row=0, column=f"{place}.{number}", rule="known", value=word, message=message))
    return tuple(rules)
