"""What a recipe would do, without doing it: what is read, tried, attacked, asked, decided and written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sekisho.data.frame.dataset import Role
from sekisho.data.shape import Shape
from sekisho.data.title import Title
from sekisho.gate.history.recipe import HistoryRecipe
from sekisho.gate.outcome import Verdict
from sekisho.gate.policy import POLICY_RULES
from sekisho.gate.recipe import AnyRecipe, read_recipe
from sekisho.gate.recipe_files.people_file import RecipeFile
from sekisho.gate.recipes.keys import Standard
from sekisho.gate.records.cell_attacks import list_usual_adversaries
from sekisho.gate.records.guarantees import RecordGuarantees
from sekisho.gate.records.recipe import RecordsRecipe
from sekisho.gate.tables.recipe import TableRecipe
from sekisho.gate.tables.recipe_file import TableRecipeFile
from sekisho.tables.rules.table_rules import write_rule
from sekisho.utility.kept import Kept


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyLine:
    """What becomes of a release that a rule speaks against.

    Attributes:
        rule: by name.
        verdict: what it asks for.
        usual: what it would ask for if the recipe said nothing.
        meaning: when it speaks.
    """

    rule: str
    verdict: Verdict
    usual: Verdict
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What a recipe would do.

    Attributes:
        shape: of the data.
        title: of its pages; None if the recipe says none.
        reads: the files that it reads, each with whether it is there.
        candidates: what is tried: methods, searches, finished releases.
        adversaries: who attacks.
        asked: what must hold, by name.
        keep: what must be kept; it ranks the releases that may leave.
        limits: by measure the largest value that leaves without a look.
        policy: the rules that can speak, with their verdicts.
        writes: the files that it writes.
        seed: of all chance; None if it is drawn, or no chance plays a part.
        standards: the rules of laws and handbooks that it names.
    """

    shape: Shape
    title: Title | None
    reads: tuple[tuple[Path, bool], ...]
    candidates: tuple[str, ...]
    adversaries: tuple[str, ...]
    asked: Mapping[str, object]
    keep: tuple[Kept, ...]
    limits: Mapping[str, float]
    policy: tuple[PolicyLine, ...]
    writes: tuple[str, ...]
    seed: int | None
    standards: tuple[Standard, ...]

    @property
    def missing(self) -> tuple[Path, ...]:
        """The files that are not there."""
        return tuple(path for path, there in self.reads if not there)

    def as_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        return {
            "shape": self.shape.value,
            "title": None if self.title is None else {"en": self.title.en, "ja": self.title.ja},
            "reads": [{"file": str(path), "exists": there} for path, there in self.reads],
            "candidates": list(self.candidates),
            "adversaries": list(self.adversaries),
            "asked": dict(self.asked),
            "keep": [{"what": one.name, "kind": one.kind.value, "within": one.within} for one in self.keep],
            "limits": dict(self.limits),
            "policy": {line.rule: line.verdict.value for line in self.policy},
            "writes": list(self.writes),
            "seed": self.seed,
        }


def explain_recipe(path: Path, *, writes: Sequence[str] = ()) -> Explanation:
    """Return what a recipe would do; no data are read.

    Args:
        path: the recipe.
        writes: the files that a run writes.

    Raises:
        SettingsError: keys or values are wrong; all of them at once.
    """
    recipe, file = read_recipe(path)
    shape = Shape.TABLE if isinstance(recipe, TableRecipe) else recipe.rules.shape
    names = [path, *dict.fromkeys(file.reads)]
    return Explanation(
        shape=shape,
        title=file.titled,
        reads=tuple((name, name.is_file()) for name in names),
        candidates=_list_candidates(recipe),
        adversaries=_list_adversaries(recipe),
        asked=_list_asked(recipe, file),
        keep=() if isinstance(recipe, TableRecipe) else recipe.keep,
        limits=recipe.limits,
        policy=_list_policy(shape, recipe.policy.verdicts),
        writes=tuple(writes),
        seed=None if isinstance(file, TableRecipeFile) else file.seed,
        standards=file.standards,
    )


def _list_candidates(recipe: AnyRecipe) -> tuple[str, ...]:
    searches = recipe.searches if isinstance(recipe, TableRecipe) else {}
    return (*searches, *recipe.methods, *(each.name for each in recipe.releases))


def _list_adversaries(recipe: AnyRecipe) -> tuple[str, ...]:
    if isinstance(recipe, TableRecipe):
        inside = (f"insiders, {recipe.insiders} of one cell",) if recipe.insiders else ()
        return ("outsider", *inside, *recipe.adversaries)
    if isinstance(recipe, RecordsRecipe) and recipe.target is None and not recipe.adversaries:
        keys = recipe.keys or _list_schema_keys(recipe)
        half = keys[: -(-len(keys) // 2)]
        return tuple(list_usual_adversaries((half,) if len(half) < len(keys) else ()))
    return tuple(recipe.adversaries)


def _list_schema_keys(recipe: RecordsRecipe) -> tuple[str, ...]:
    columns = recipe.rules.layout.described.columns
    taken = {*recipe.sensitive, recipe.weights}
    return tuple(one.output_name for one in columns if one.role is Role.QUASI and one.output_name not in taken)


def _list_asked(recipe: AnyRecipe, file: RecipeFile | TableRecipeFile) -> dict[str, object]:
    if isinstance(recipe, HistoryRecipe):
        return {"bound": recipe.bound.value, "claim": recipe.claim.value, **recipe.guarantees.tell()}
    if isinstance(recipe, RecordsRecipe):
        if recipe.target is not None:
            return {"target": recipe.target, "tests": recipe.tests, "shuffled": recipe.shuffled}
        return _list_guarantees(recipe.guarantees) | {"risk": recipe.allowed}
    counts = isinstance(file, TableRecipeFile) and bool(file.count)
    rules = recipe.rules.choose(counts=counts) if counts or recipe.rules.stated else []
    return {"rules": [write_rule(each) for each in rules], "width": recipe.rules.width, "insiders": recipe.insiders}


def _list_guarantees(guarantees: RecordGuarantees) -> dict[str, object]:
    asked = guarantees.tell(whole=True)
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asked.items()}


def _list_policy(shape: Shape, verdicts: Mapping[str, Verdict]) -> tuple[PolicyLine, ...]:
    return tuple(
        PolicyLine(rule=name, verdict=verdicts.get(name, rule.usual), usual=rule.usual, meaning=rule.meaning)
        for name, rule in POLICY_RULES.items()
        if shape in rule.shapes
    )
