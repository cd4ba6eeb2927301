"""What the gate does with records: columns and their roles, ways to protect, who attacks, what must hold.

One recipe, two judges: with a ``target`` a release is judged by test sets under the conditions of a round, as in a
contest; without one by its keys, sensitive columns and guarantees.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from sekisho.attack import Adversary, ControlledAttack
from sekisho.data.engines.engine import EngineChoice
from sekisho.data.frame.cells import are_equal_cells
from sekisho.data.frame.dataset import Dataset, Role, Schema
from sekisho.data.frame.release import Release, exact_table
from sekisho.data.title import Title
from sekisho.errors import ParameterError
from sekisho.gate.outcome import Reason
from sekisho.gate.output_files import BY_ROW, DELETED, TRUTH
from sekisho.gate.policy import Policy, make_reason
from sekisho.gate.recipes.keys import RecipeRelease, Standard
from sekisho.gate.records.downcode.adversary import DowncodeAdversary
from sekisho.gate.records.guarantees import RecordGuarantees
from sekisho.parameters import checked
from sekisho.protect import Method, TakesTrees
from sekisho.protect.coarser_columns import CoarserColumns
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
"""Where more people than this may be found, hardly anything is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class RecordsRecipe:
    """A recipe for records, its methods and adversaries made.

    Attributes:
        rules: one's own; a contest's where a target is given.
        keys: what may be known of a person; the schema's quasi-identifiers if empty.
        known: what may be known of a person as the schema itself says, whatever keys are named.
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
    """

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
    known: tuple[str, ...] = ()
    downcoders: Mapping[str, DowncodeAdversary] = field(default_factory=dict[str, DowncodeAdversary])

    @classmethod
    def of_method(
        cls,
        name: str,
        method: Method,
        terms: RecordTerms,
        *,
        allowed: Mapping[str, str] | None = None,
        known: tuple[str, ...] = (),
    ) -> RecordsRecipe:
        """Return the recipe of one release: its keys and trees are those that the method names.

        Args:
            name: of the method.
            method: the one way to protect.
            terms: of the records.
            allowed: by column that names people the reason why it leaves all the same.
            known: what may be known of a person as a schema says.
        """
        keys = list_parameters(method).get("keys", ())
        trees = method.tree or {} if isinstance(method, TakesTrees) else {}
        return cls(
            rules=terms,
            methods={name: method},
            allowed_columns=allowed or {},
            known=known,
            keys=tuple(map(str, keys)) if isinstance(keys, list | tuple) else (),
            trees={column: tree for column, tree in trees.items() if isinstance(tree, Path)},
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

    @property
    def allowed(self) -> float:
        """The largest share of people that an adversary may find."""
        if self.risk is not None:
            return self.risk
        return USUAL_RISK if self.guarantees.k is None else 1 / self.guarantees.k

    @property
    def writes(self) -> tuple[str, ...]:
        """The confidential files of a run that are of this shape alone."""
        return (BY_ROW, TRUTH, DELETED)

    @property
    def called(self) -> Title:
        """What the data are called."""
        return self.title or self.rules.title


def settle_roles(recipe: RecordsRecipe, data: Dataset) -> Dataset:
    """Return records with each column in the role that a recipe gives it, or else the schema.

    Raises:
        ParameterError: a column is unknown, or the identifier.
    """
    sensitive = recipe.sensitive or data.schema.with_role(Role.SENSITIVE)
    taken = {*sensitive, recipe.weights}
    keys = recipe.keys or tuple(name for name in data.schema.with_role(Role.QUASI) if name not in taken)
    names = [column.name for column in data.schema.attributes]
    weights = (recipe.weights,) if recipe.weights else ()
    for place, asked in (("keys", keys), ("sensitive", sensitive), ("weights", weights), ("trees", recipe.trees)):
        unknown = [name for name in asked if name not in names]
        if unknown:
            raise ParameterError(place, Said("be among {names}", names=", ".join(names)), ", ".join(unknown))
    roles = (
        dict.fromkeys(names, Role.OTHER) | dict.fromkeys(keys, Role.QUASI) | dict.fromkeys(sensitive, Role.SENSITIVE)
    )
    columns = tuple(replace(column, role=roles.get(column.name, column.role)) for column in data.schema)
    return Dataset(data.frame, Schema(columns))


def list_known(terms: RecordTerms) -> tuple[str, ...]:
    """Return the columns that others may know, as a schema says that no data have settled yet."""
    return tuple(one.output_name for one in terms.layout.described.columns if one.role is Role.QUASI)


def list_overlooked(recipe: RecordsRecipe, unchanged: Collection[str]) -> Iterator[Reason]:
    """Give that columns which others may know by the schema are no keys of the recipe, and leave as they were.

    Nothing is promised of them and nobody attacked by them, so nobody may call the release safe without a look.

    Args:
        recipe: whose keys, where it names them, are in place of the schema's.
        unchanged: the columns that leave as they were.
    """
    named = {*recipe.keys, *recipe.sensitive, recipe.weights}
    overlooked = [name for name in recipe.known if recipe.keys and name in unchanged and name not in named]
    if overlooked:
        detail = Said(
            "{columns}: others may know it, as the schema says; it is no key of the recipe and leaves as it was",
            columns=", ".join(overlooked),
        )
        yield make_reason("overlooked column", detail)


def list_unchanged(release: Release, original: Dataset, *, ordered: bool) -> list[str]:
    """Return the columns of a release that leave as they were; none where nobody says which row is whose."""
    table, before = release.table, exact_table(original)
    names = [each.name for each in table.schema.attributes] if ordered else []
    return [name for name in names if are_equal_cells(table.columns[name], before.columns[name], ~release.deleted)]
