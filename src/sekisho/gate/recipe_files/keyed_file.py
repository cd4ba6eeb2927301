"""A recipe for keyed records made of its file: guarantees, methods, searches, adversaries who read cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from sekisho.attack import ADVERSARIES, AGAINST_CONTROLS, Adversary, ControlledAttack
from sekisho.data.frame.dataset import Role
from sekisho.data.shape import Shape
from sekisho.errors import Fault, ParameterError
from sekisho.gate.account.reasons import list_reason_faults
from sekisho.gate.policy import Policy
from sekisho.gate.recipe_files.engine_keys import read_engine
from sekisho.gate.recipe_files.people_file import RecipeFile
from sekisho.gate.recipes.keys import make_fault
from sekisho.gate.recipes.making import Maker
from sekisho.gate.records.cell_attacks import PEOPLE, reads_keys
from sekisho.gate.records.downcode import DOWNCODERS
from sekisho.gate.records.guarantees import RecordGuarantees, read_guarantees
from sekisho.gate.records.recipe import RecordsRecipe
from sekisho.protect import METHODS, Method
from sekisho.protect.coarser_columns import CoarserColumns
from sekisho.safety.records.diversity import Diversity
from sekisho.safety.terms import RecordTerms
from sekisho.utility.kept import Kept
from sekisho.words import Said

FOUND = ("partition", "lattice", "suppress", "delete-small", "microaggregate", "pram")
"""Methods with a k, of which the least may be looked for."""
RECODERS = ("partition", "lattice")
"""Of these the guarantees on sensitive columns are asked too."""
LARGEST_K = 100
COLUMN_MEASURES = ("ncp", "discernibility", "entropy", "marginals", "earth-mover", "pair-tables", "associations")
"""The measures of any release; sensitive columns add how well models predict them."""


def build_keyed_recipe(
    file: RecipeFile, rules: RecordTerms | None, maker: Maker, *, keep: tuple[Kept, ...] = ()
) -> RecordsRecipe | None:
    """Return the recipe; None where something is wrong, which is noted in the maker."""
    guarantees = _read_guarantees(file, maker)
    methods: dict[str, Method] = maker.make(file.methods, METHODS, "methods")
    if file.find is not None:
        searched = _find_methods(file, file.find, guarantees, maker)
        listed = list(methods.values())  # the same under another label is not made twice
        methods |= {label: method for label, method in searched.items() if method not in listed}
    others = (*AGAINST_CONTROLS.builtin, *DOWNCODERS.builtin)  # those of other packages are adversaries like any
    alone = tuple(each for each in file.adversaries if each.get("name") not in others)
    beside = tuple(each for each in file.adversaries if each.get("name") in AGAINST_CONTROLS.builtin)
    readers = tuple(each for each in file.adversaries if each.get("name") in DOWNCODERS.builtin)
    adversaries: dict[str, Adversary] = maker.make(alone, ADVERSARIES, "adversaries")
    controlled: dict[str, ControlledAttack] = maker.make(beside, AGAINST_CONTROLS, "adversaries")
    downcoders = maker.make(readers, DOWNCODERS, "adversaries")
    maker.faults.extend(_list_faults(file, adversaries))
    maker.faults.extend(
        make_fault(error.name, error.rule, error.value)
        for place, reasons in (("harmless", file.harmless), ("learnable", file.learnable), ("unit", file.unit))
        for error in list_reason_faults(place, reasons)
    )
    maker.faults.extend(_check_columns(file, rules, guarantees))
    choice, faults = read_engine(file, Shape.RECORDS, methods, guarantees)
    maker.faults.extend(faults)
    if maker.faults or rules is None:
        return None
    placed = file.place_beside(maker.folder)
    try:
        return RecordsRecipe(
            rules=rules,
            keys=file.keys,
            sensitive=file.sensitive,
            weights=file.weights,
            trees={name: Path(tree) for name, tree in placed.trees.items()},
            methods=methods,
            releases=placed.releases,
            adversaries=adversaries,
            guarantees=guarantees,
            risk=file.risk,
            people=PEOPLE if file.people is None else file.people,
            utility=file.utility,
            keep=keep,
            limits=file.limits,
            policy=Policy(verdicts=file.policy),
            title=file.titled,
            standards=file.standards,
            allowed_columns=file.allowed_columns,
            coarser=CoarserColumns(columns=file.coarser),
            controls=Path(placed.controls) if placed.controls else None,
            reference=Path(placed.reference) if placed.reference else None,
            controlled=controlled,
            choice=choice,
            downcoders=downcoders,
            harmless={**rules.layout.described.harmless, **file.harmless},
            learnable={**rules.layout.described.learnable, **file.learnable},
            unit={**rules.layout.described.unit, **file.unit},
        )
    except ParameterError as error:
        maker.faults.append(make_fault(error.name, error.rule, error.value))
        return None


def _read_guarantees(file: RecipeFile, maker: Maker) -> RecordGuarantees:
    guarantees, faults = read_guarantees(file.place_beside(maker.folder).guarantees, source=maker.source)
    maker.faults.extend(faults)
    return guarantees


def _find_methods(
    file: RecipeFile, find: Mapping[str, object], guarantees: RecordGuarantees, maker: Maker
) -> dict[str, Method]:
    """Return the candidates of a search: from the k that is guaranteed to that at which nobody finds more than asked.

    Partition and lattice keep the guarantees on sensitive columns as well. Where the recipe has the method among its
    own, what it says there of it (which sensitive column, weights) holds here too, unless the search says otherwise.
    """
    name = str(find.get("method", "partition"))
    if name not in FOUND:
        maker.faults.append(make_fault("find.method", Said("be one of {found}", found=", ".join(FOUND)), name))
        return {}
    low = max(2, guarantees.k or 2)
    high = low if file.risk is None else max(low, min(LARGEST_K, -int(-1 // file.risk)) if file.risk > 0 else low)
    usual: dict[str, object] = {"name": name, "k": [low, high]}
    if name in RECODERS:
        kinds = {Diversity.DISTINCT: "distinct", Diversity.ENTROPY: "entropy", Diversity.RECURSIVE: "recursive"}
        if guarantees.l is not None:
            usual |= {"l": guarantees.l, "diversity": kinds[guarantees.l_kind], "c": guarantees.c}
        if guarantees.t is not None:
            usual |= {"t": guarantees.t}
    listed = next((table for table in file.methods if table.get("name") == name), {})
    usual |= {key: value for key, value in listed.items() if key not in {"name", "k"}}
    return maker.find(find, METHODS, usual)


def _list_faults(file: RecipeFile, adversaries: dict[str, Adversary]) -> Iterator[Fault]:
    for label, adversary in adversaries.items():
        if not reads_keys(adversary):
            rule = Said(
                "read cells and keys (prosecutor, nearest-cell, partial-knowledge); others need a target and test sets"
            )
            yield make_fault("adversaries", rule, label)
    named = [str(each["name"]) for each in file.adversaries if each.get("name") in AGAINST_CONTROLS.builtin]
    if (named or file.reference) and not file.controls:
        who = named[0] if named else "reference"
        yield make_fault("controls", Said("be named: {who} is counted on people who are not in the file", who=who), "")
    for number, each in enumerate(file.own_releases, 1):
        if each.deleted and each.ordered is False:
            yield make_fault(
                f"releases.{number}.ordered", Said("be true where the deleted rows are named"), each.ordered
            )
        if each.synthetic and (each.deleted or each.ordered):
            rule = Said("be false where ordered or deleted says which row is whose")
            yield make_fault(f"releases.{number}.synthetic", rule, each.synthetic)
    for name, limit in file.limits.items():
        if name not in COLUMN_MEASURES and not name.startswith(("classifier of ", "regression of ")):
            known = ", ".join((*COLUMN_MEASURES, Said("classifier of COLUMN"), Said("regression of COLUMN")))
            yield make_fault(f"limits.{name}", Said("be a measure of records ({known})", known=known), limit)
    if file.utility and file.utility not in COLUMN_MEASURES:
        yield make_fault("utility", Said("be one of {found}", found=", ".join(COLUMN_MEASURES)), file.utility)


def _check_columns(file: RecipeFile, rules: RecordTerms | None, guarantees: RecordGuarantees) -> Iterator[Fault]:
    named = {"keys": file.keys, "sensitive": file.sensitive, "trees": tuple(file.trees)}
    named |= {"weights": (file.weights,)} if file.weights else {}
    columns = () if rules is None else rules.layout.described.columns
    if columns and rules is not None and not rules.layout.open_columns:
        known = [column.output_name for column in columns]
        for key, names in named.items():
            for name in names:
                if name not in known:
                    yield make_fault(
                        key, Said("be among the columns of the schema ({known})", known=", ".join(known)), name
                    )
    twice = {name for name in file.keys if file.keys.count(name) > 1 or name in (*file.sensitive, file.weights)}
    for name in sorted(twice):
        yield make_fault("keys", Said("be distinct, and neither sensitive nor weights"), name)
    if guarantees.individual is not None and not file.weights:
        yield make_fault("weights", Said("be named: guarantees.individual speaks of them"), "")
    hidden = file.sensitive or [column for column in columns if column.role is Role.SENSITIVE]
    if guarantees.of_sensitive and not hidden:
        yield make_fault(
            "sensitive",
            Said("be named: guarantees.{of_sensitive} speaks of it", of_sensitive=guarantees.of_sensitive[0]),
            [],
        )
