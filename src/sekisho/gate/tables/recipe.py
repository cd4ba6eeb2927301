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

    [[methods]]                   # other ways to publish it, each a candidate; without any: suppress
    name = "suppress"

    [[methods]]
    name = "round"
    base = 5

    [[methods]]
    name = "perturb"              # of microdata
    noise_file = "noise.csv"
    key_file = "people.keys.json" # secret; drawn and kept where there is none

    [[adversaries]]               # beside the outsider; tables of counts
    name = "reconstruct"

    [coarser]
    region = 1                    # without the finest level of its tree; or ["13"]: 13 without its parts

Of microdata the cells are tabulated: ``microdata = true``, ``dims``, ``value`` (else records are counted), and who
contributes: ``contributor = "firm"`` (found out where a column repeats and says so; ``"row="`` and a reason counts
rows), also ``holding``, ``weight``, ``request`` and ``waiver``. With ``memory = "2GB"`` (or ``engine = "duckdb"``) an
engine tabulates them, and no record is held in memory. Several tables that leave together stand in ``[[tables]]``
(:mod:`sekisho.gate.tables.recipe_file`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, cast

from sekisho.data.engines.engine import EngineChoice
from sekisho.data.files.settings import build_settings
from sekisho.data.shape import Shape
from sekisho.data.title import Title
from sekisho.errors import Fault, ParameterError, SettingsError, UnknownNameError
from sekisho.gate.output_files import PATTERN, TABLE_PROOF, name_table_file
from sekisho.gate.policy import Policy
from sekisho.gate.recipes.keys import RecipeKeys, RecipeRelease, Standard, refuse_in_memory
from sekisho.gate.recipes.lenient import build_leniently
from sekisho.gate.recipes.making import Maker, make_label
from sekisho.gate.tables.candidate import TableRelease
from sekisho.gate.tables.people_adversary import TABLE_ADVERSARIES, ReconstructAdversary
from sekisho.gate.tables.recipe_file import TableRecipeFile, list_faults
from sekisho.gate.tables.search import USUAL_SECONDS, MarginCare, TableSearch
from sekisho.gate.tables.stage import TableStage
from sekisho.tables import CellRule
from sekisho.tables.methods import TABLE_METHODS, TableMethod
from sekisho.tables.model.table import Table
from sekisho.tables.reconstruct.joint_people import JointPeople
from sekisho.tables.rules.table_rules import TableRules, rule, write_rule
from sekisho.words import quote_words

SUPPRESS = "suppress"
"""The method that hides cells: a search for the cheapest pattern."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRecipe:
    """A recipe for a table, its rules and searches made.

    Attributes:
        rules: which cells are unsafe, and what hiding one costs.
        searches: by label.
        methods: by label, other ways to publish the table than to hide cells.
        adversaries: by label, who attacks beside the outsider and the insiders.
        insiders: how many contributors of one cell may know things together, to be protected against; 0 for none.
            None: as is usual, one where it is known who contributes.
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
        choice: the engine with which the records stay; None where they come into memory.
    """

    shape: ClassVar[Literal[Shape.TABLE]] = Shape.TABLE

    rules: TableRules
    searches: Mapping[str, TableSearch]
    methods: Mapping[str, TableMethod] = field(default_factory=dict[str, TableMethod])
    adversaries: Mapping[str, ReconstructAdversary] = field(default_factory=dict[str, ReconstructAdversary])
    insiders: int | None = None
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
    choice: EngineChoice | None = None

    @property
    def writes(self) -> tuple[str, ...]:
        """The confidential files of a run that are of this shape alone."""
        return (*(name_table_file(PATTERN, name) for name in self.names), TABLE_PROOF)

    def list_candidates(self) -> tuple[str, ...]:
        """Return what is tried: searches, methods, finished patterns."""
        return (*self.searches, *self.methods, *(release.name for release in self.releases))

    def list_adversaries(self) -> tuple[str, ...]:
        """Return who attacks."""
        inside = (f"insiders, {self.insiders} of one cell",) if self.insiders else ()
        return ("outsider", *inside, *self.adversaries)

    def tell_demands(self, file: RecipeKeys) -> dict[str, object]:
        """Return what must hold, by name, of the table that the recipe's own words are of."""
        counts = isinstance(file, TableRecipeFile) and bool(file.count)
        rules = self.rules.choose(counts=counts) if counts or self.rules.stated else []
        return {"rules": [write_rule(item) for item in rules], "width": self.rules.width, "insiders": self.insiders}

    def make_stage(
        self,
        table: Table,
        *,
        counts: bool,
        patterns: Mapping[str, TableRelease] | None = None,
        flagged: Table | None = None,
        people: JointPeople | None = None,
    ) -> TableStage:
        """Return the stage on which a table, of counts or of sums, is suppressed and attacked.

        ``flagged`` is the table with its unsafe cells flagged, where more than the rules says which these are.
        """
        return TableStage(
            table=table,
            rules=self.rules,
            searches=self.searches,
            methods=self.methods,
            adversaries=self.adversaries,
            people=people,
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
    searches, methods = _make_methods(file, path, faults)
    choice, unfit = _read_engine(file, methods)
    faults += unfit
    maker = Maker(folder=path.parent, source=str(path), shape=Shape.TABLE, faults=faults)
    adversaries = maker.make(file.adversaries, TABLE_ADVERSARIES, "adversaries")
    if faults:
        raise SettingsError(path, faults)
    placed = file.place_beside(path.parent)
    shared = TableRules(rules=rules, min_count=file.min_count, width=file.width, cost=file.cost)
    recipe = TableRecipe(
        rules=shared,
        searches=searches,
        methods=methods,
        adversaries=adversaries,
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
        choice=choice,
    )
    return recipe, placed


def _read_engine(file: TableRecipeFile, methods: Mapping[str, TableMethod]) -> tuple[EngineChoice | None, list[Fault]]:
    """Return the engine that tabulates the records, None where none is asked for, and what has no way there."""
    choice, faults = file.read_choice()
    needing = [] if choice is None else [label for label, method in methods.items() if method.needs_records]
    return choice, faults + [refuse_in_memory(label, list_cell_methods()) for label in needing]


def list_cell_methods() -> tuple[str, ...]:
    """Return the ways to publish a table that need its cells alone, wherever the records are."""
    return SUPPRESS, *(name for name in TABLE_METHODS if not TABLE_METHODS[name].needs_records)


def _make_methods(
    file: TableRecipeFile, path: Path, faults: list[Fault]
) -> tuple[dict[str, TableSearch], dict[str, TableMethod]]:
    """Return the searches and the other methods of a recipe by label; what is wrong with them is noted.

    The recipe's time holds for each method that does not say its own.
    """
    usual: dict[str, Any] = {"seconds": file.time or None, "keep": file.margins is MarginCare.KEEP}
    named: dict[str, dict[str, object]] = {solver: {"solver": solver} for solver in file.searched}
    maker = Maker(folder=path.parent, source=str(path), shape=Shape.TABLE, faults=faults)
    searches: dict[str, TableSearch] = {}
    methods: dict[str, TableMethod] = {}
    for number, table in enumerate(file.methods, 1):
        here = f"methods.{number}"
        if table.get("name") == SUPPRESS:
            own = {key: value for key, value in table.items() if key != "name"}
            named[SUPPRESS if not own else f"{SUPPRESS} {number}"] = own
            continue
        timed = _takes_time(str(table.get("name", ""))) and file.time != USUAL_SECONDS and "seconds" not in table
        method = maker.make_one({**table, "seconds": file.time} if timed else table, TABLE_METHODS, here)
        if method is not None:
            label = make_label(str(table.get("name", "")), method)
            methods[label if label not in methods else f"{label} ({number})"] = method
    if not faults:
        searches = {label: _make_search(own, path, usual, faults) for label, own in named.items()}
    return searches, methods


def _make_search(own: Mapping[str, object], path: Path, usual: Mapping[str, Any], faults: list[Fault]) -> TableSearch:
    """Return a search as its table says, and as usual where it says nothing."""
    try:
        search = build_settings(own, TableSearch, source=str(path), place="methods")
    except SettingsError as error:
        faults.extend(error.faults)
        return TableSearch()
    return replace(search, **{name: value for name, value in usual.items() if name not in own})


def _takes_time(name: str) -> bool:
    """Tell whether a method has a time limit of its own."""
    return name in TABLE_METHODS and "seconds" in {item.name for item in fields(cast("Any", TABLE_METHODS[name]))}


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
