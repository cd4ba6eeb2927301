"""What the gate does with records: columns and their roles, ways to protect, who attacks, what must hold.

One recipe, two judges: with a ``target`` a release is judged by test sets under the conditions of a round, as in a
contest; without one by its keys, sensitive columns and guarantees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Literal

from sekisho.attack import Adversary, ControlledAttack
from sekisho.data.engines.engine import EngineChoice
from sekisho.data.frame.dataset import Column, Dataset, Role, RoleOrigin, Schema
from sekisho.data.shape import Shape
from sekisho.data.title import Title
from sekisho.errors import ParameterError
from sekisho.gate.account.reasons import check_reasons
from sekisho.gate.account.unit import check_unit
from sekisho.gate.output_files import BY_ROW, DELETED, TRUTH
from sekisho.gate.policy import Policy
from sekisho.gate.recipes.keys import RecipeKeys, RecipeRelease, Standard
from sekisho.gate.records.downcode import Downcoder
from sekisho.gate.records.guarantees import RecordGuarantees
from sekisho.parameters import checked
from sekisho.protect import Method, TakesTrees
from sekisho.protect.coarser_columns import OUT, CoarserColumns
from sekisho.provenance import list_parameters
from sekisho.safety.terms import RecordTerms
from sekisho.utility.kept import Kept
from sekisho.words import Said

PEOPLE = 2000
"""So many people of the file are looked for, drawn by chance; more make no difference that could be seen."""
TESTS = 20
USUAL_RISK = 0.2
"""The share of people that may be found where neither a risk nor a k is asked for: that of classes of five."""
MOST_RISK = 0.5
"""A promise that lets more people be found than this covers nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnRoles:
    """What is said of columns beside a method, where there is no recipe that says it.

    Attributes:
        keys: what may be known of a person; the method's own keys if empty.
        sensitive: what must stay hidden; the method's own if empty.
        harmless: by column the reason why nothing need be promised of it.
        learnable: by sensitive column the reason why it may be learnt.
        unit: ``row``, the reason why a row is a person; empty where nobody says so.
        drop: columns that do not leave.
        guarantees: what must hold of the release, whatever the method promises.
    """

    keys: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    harmless: Mapping[str, str] = field(default_factory=dict[str, str])
    learnable: Mapping[str, str] = field(default_factory=dict[str, str])
    unit: Mapping[str, str] = field(default_factory=dict[str, str])
    drop: tuple[str, ...] = ()
    guarantees: RecordGuarantees = field(default_factory=RecordGuarantees)


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class RecordsRecipe:
    """A recipe for records, its methods and adversaries made.

    Attributes:
        rules: one's own; a contest's where a target is given.
        keys: what may be known of a person; the schema's quasi-identifiers if empty.
        sensitive: what must stay hidden; as the schema says if empty.
        weights: the column that says how many people a record stands for; empty if there is none.
        trees: by column the file of its tree.
        methods: the ways to protect, each under the label that reports use.
        releases: finished ones of one's own.
        adversaries: those who attack, likewise; where keys are judged, the usual ones if none is named.
        guarantees: what must hold.
        risk: the largest share of people that an adversary may find; 1/k of the k asked for, else 1/5, if None.
        people: how many people are looked for at most.
        utility: the measure that ranks the candidates; that of the pair tables if empty.
        keep: what must be kept: it ranks the releases that may leave.
        limits: by measure the largest value that leaves without a look.
        target: the mean risk that no adversary may reach over the test sets; None judges by keys.
        tests: how many test sets are drawn for each adversary.
        round_name: whose conditions hold; the rules' usual one if empty.
        shuffled: whether the rows are published in an order that tells nothing.
        policy: which verdict each rule asks for.
        title: on pages; the rules' own if None.
        standards: what the report shows beside what was done.
        allowed_columns: by column that names people the reason why it leaves all the same.
        coarser: the columns that are told more coarsely than they are known.
        controls: people of the same population who are not in the original; attacks are counted on them as well.
        reference: still others, whom an adversary has; half of the controls if None.
        controlled: those who attack against controls, by label; the usual ones if none is named.
        choice: the engine with which the rows stay; None: they are in memory.
        downcoders: those who read values out of hidden and generalised cells, by label.
        harmless: by column that a person calls harmless the reason.
        learnable: by sensitive column that may be learnt the reason.
        unit: ``row``, the reason why a row is a person; empty where nobody says so.
    """

    shape: ClassVar[Literal[Shape.RECORDS]] = Shape.RECORDS

    rules: RecordTerms
    keys: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    weights: str = ""
    trees: Mapping[str, Path] = field(default_factory=dict[str, Path])
    methods: Mapping[str, Method] = field(default_factory=dict[str, Method])
    releases: tuple[RecipeRelease, ...] = ()
    adversaries: Mapping[str, Adversary] = field(default_factory=dict[str, Adversary])
    guarantees: RecordGuarantees = field(default_factory=RecordGuarantees)
    risk: float | None = None
    people: int = PEOPLE
    utility: str = ""
    keep: tuple[Kept, ...] = ()
    limits: Mapping[str, float] = field(default_factory=dict[str, float])
    target: float | None = None
    tests: int = TESTS
    round_name: str = ""
    shuffled: bool = True
    policy: Policy = field(default_factory=Policy)
    title: Title | None = None
    standards: tuple[Standard, ...] = ()
    allowed_columns: Mapping[str, str] = field(default_factory=dict[str, str])
    coarser: CoarserColumns = field(default_factory=CoarserColumns)
    controls: Path | None = None
    reference: Path | None = None
    controlled: Mapping[str, ControlledAttack] = field(default_factory=dict[str, ControlledAttack])
    choice: EngineChoice | None = None
    downcoders: Mapping[str, Downcoder] = field(default_factory=dict[str, Downcoder])
    harmless: Mapping[str, str] = field(default_factory=dict[str, str])
    learnable: Mapping[str, str] = field(default_factory=dict[str, str])
    unit: Mapping[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def of_method(
        cls,
        name: str,
        method: Method,
        terms: RecordTerms,
        *,
        allowed: Mapping[str, str] | None = None,
        columns: ColumnRoles | None = None,
    ) -> RecordsRecipe:
        """Return the recipe of one release: its keys and trees are those that the method names.

        Args:
            name: of the method.
            method: the one way to protect.
            terms: of the records.
            allowed: by column that names people the reason why it leaves all the same.
            columns: what is said of columns besides.
        """
        spoken = columns or ColumnRoles()
        parameters = list_parameters(method)
        keys, sensitive = parameters.get("keys", ()), parameters.get("sensitive", "")
        trees = method.tree or {} if isinstance(method, TakesTrees) else {}
        return cls(
            rules=terms,
            methods={name: method},
            allowed_columns=allowed or {},
            keys=spoken.keys or (tuple(map(str, keys)) if isinstance(keys, list | tuple) else ()),
            sensitive=spoken.sensitive or ((sensitive,) if isinstance(sensitive, str) and sensitive else ()),
            trees={column: tree for column, tree in trees.items() if isinstance(tree, Path)},
            harmless={**terms.layout.described.harmless, **spoken.harmless},
            learnable={**terms.layout.described.learnable, **spoken.learnable},
            unit={**terms.layout.described.unit, **spoken.unit},
            coarser=CoarserColumns(columns=dict.fromkeys(spoken.drop, OUT)),
            guarantees=spoken.guarantees,
        )

    @classmethod
    def of_releases(
        cls,
        terms: RecordTerms,
        releases: Sequence[RecipeRelease] = (),
        *,
        trees: Mapping[str, Path],
        columns: ColumnRoles,
    ) -> RecordsRecipe:
        """Return the recipe of finished releases, which are looked at beside their original.

        Args:
            terms: of the records.
            releases: their files.
            trees: by column the file of its tree.
            columns: what must hold, and what is said of columns besides.
        """
        described = terms.layout.described
        return cls(
            rules=terms,
            releases=tuple(releases),
            trees=trees,
            keys=columns.keys,
            sensitive=columns.sensitive,
            harmless={**described.harmless, **columns.harmless},
            learnable={**described.learnable, **columns.learnable},
            unit={**described.unit, **columns.unit},
            guarantees=columns.guarantees,
        )

    def __post_init__(self) -> None:
        if self.risk is not None and not 0 < self.risk <= 1:
            raise ParameterError("risk", Said("lie above 0 and be at most 1"), self.risk)
        if self.people < 1:
            raise ParameterError("people", Said("be at least 1"), self.people)
        if self.target is not None and not 0 < self.target <= 1:
            raise ParameterError("target", Said("lie above 0 and be at most 1"), self.target)
        if self.tests < 1:
            raise ParameterError("tests", Said("be at least 1"), self.tests)
        if self.target is not None:
            self.rules.find_round(self.round_name)
        for place, reasons in (("harmless", self.harmless), ("learnable", self.learnable)):
            check_reasons(place, reasons)
        check_unit(self.unit)

    @property
    def allowed(self) -> float:
        """The largest share of people that an adversary may find."""
        if self.risk is not None:
            return self.risk
        return USUAL_RISK if self.guarantees.k is None else 1 / self.guarantees.k

    @property
    def demanded(self) -> float:
        """The largest chance of naming somebody that a promise by chance may leave; one half at most."""
        return min(self.allowed, MOST_RISK)

    @property
    def writes(self) -> tuple[str, ...]:
        """The confidential files of a run that are of this shape alone."""
        return (BY_ROW, TRUTH, DELETED)

    def list_candidates(self) -> tuple[str, ...]:
        """Return what is tried: methods, finished releases."""
        return (*self.methods, *(release.name for release in self.releases))

    def list_adversaries(self) -> tuple[str, ...]:
        """Return who attacks: where keys are judged and nobody is named, the usual ones."""
        if self.target is not None or self.adversaries:
            return tuple(self.adversaries)
        keys = self.keys or self._list_schema_keys()
        half = keys[: -(-len(keys) // 2)]
        return tuple(describe_usual_adversaries((half,) if len(half) < len(keys) else ()))

    def tell_demands(self, file: RecipeKeys) -> dict[str, object]:
        """Return what must hold, by name."""
        del file
        if self.target is not None:
            return {"target": self.target, "tests": self.tests, "shuffled": self.shuffled}
        asked = self.guarantees.tell(whole=True)
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in asked.items()}
        return {**plain, "risk": self.allowed}

    def _list_schema_keys(self) -> tuple[str, ...]:
        taken = {*self.sensitive, self.weights}
        columns = (column for column in self.rules.layout.described.columns if column.role is Role.QUASI)
        return tuple(column.output_name for column in columns if column.output_name not in taken)

    @property
    def called(self) -> Title:
        """What the data are called."""
        return self.title or self.rules.title


def describe_usual_adversaries(
    subsets: Sequence[tuple[str, ...]],
) -> dict[str, tuple[str, Mapping[str, tuple[str, ...]]]]:
    """Return by label those who attack where nobody is named, each with their registered name and parameters.

    The prosecutor who knows all keys, and one for each subset of them; who takes the nearest row; who knows half of
    the people.
    """
    return {
        "prosecutor": ("prosecutor", {}),
        **{f"prosecutor keys={','.join(keys)}": ("prosecutor", {"keys": keys}) for keys in subsets},
        "nearest-cell": ("nearest-cell", {}),
        "partial-knowledge": ("partial-knowledge", {}),
    }


def settle_roles(recipe: RecordsRecipe, data: Dataset) -> Dataset:
    """Return records with each column in the role that a recipe gives it, or else the schema.

    Raises:
        ParameterError: a column is unknown, or the identifier.
    """
    sensitive = recipe.sensitive or data.schema.with_role(Role.SENSITIVE)
    taken = {*sensitive, recipe.weights, *recipe.harmless}
    keys = recipe.keys or tuple(name for name in data.schema.with_role(Role.QUASI) if name not in taken)
    names = [column.name for column in data.schema.attributes]
    weights = (recipe.weights,) if recipe.weights else ()
    for place, asked in (
        ("keys", keys),
        ("sensitive", sensitive),
        ("weights", weights),
        ("trees", recipe.trees),
        ("harmless", recipe.harmless),
        ("learnable", recipe.learnable),
    ):
        unknown = [name for name in asked if name not in names]
        if unknown:
            raise ParameterError(place, Said("be among {names}", names=", ".join(names)), ", ".join(unknown))
    roles = dict.fromkeys(keys, Role.QUASI) | dict.fromkeys(sensitive, Role.SENSITIVE)
    columns = tuple(_settle_role(column, recipe, roles) for column in data.schema)
    return replace(data, schema=Schema(columns))


def _settle_role(column: Column, recipe: RecordsRecipe, roles: Mapping[str, Role]) -> Column:
    """Return a column in its role; one that nobody named is of no use to a method, and nobody's word."""
    if not column.role.leaves:
        return column
    named = column.name in {*recipe.keys, *recipe.sensitive, recipe.weights, *recipe.harmless}
    origin = RoleOrigin.HOLDER if named else column.origin if column.name in roles else RoleOrigin.NOBODY
    return replace(column, role=roles.get(column.name, Role.OTHER), origin=origin)
