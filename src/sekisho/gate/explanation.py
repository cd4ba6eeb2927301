"""What a recipe would do, without doing it: what is read, tried, attacked, asked, decided and written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sekisho.data.shape import Shape
from sekisho.data.title import Title
from sekisho.gate.outcome import Verdict
from sekisho.gate.policy import POLICY_RULES
from sekisho.gate.recipe import read_recipe
from sekisho.gate.recipe_files.people_file import RecipeFile
from sekisho.gate.recipes.keys import Standard
from sekisho.utility.kept import Kept

if TYPE_CHECKING:  # a recipe is loaded for the shape that is asked for
    from sekisho.gate.recipe import AnyRecipe
    from sekisho.gate.tables.recipe_file import TableRecipeFile


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
    return explain_read_recipe(path, recipe, file, writes=writes)


def explain_read_recipe(
    path: Path, recipe: AnyRecipe, file: RecipeFile | TableRecipeFile, *, writes: Sequence[str] = ()
) -> Explanation:
    """Return what a recipe that was read would do.

    Args:
        path: where it was read.
        recipe: its methods, adversaries and rules made.
        file: its own words.
        writes: the files that a run writes.
    """
    names = [path, *dict.fromkeys(file.reads)]
    return Explanation(
        shape=recipe.shape,
        title=file.titled,
        reads=tuple((name, name.is_file()) for name in names),
        candidates=recipe.list_candidates(),
        adversaries=recipe.list_adversaries(),
        asked=recipe.tell_demands(file),
        keep=() if recipe.shape is Shape.TABLE else recipe.keep,
        limits=recipe.limits,
        policy=_list_policy(recipe.shape, recipe.policy.verdicts),
        writes=tuple(writes),
        seed=file.seed if isinstance(file, RecipeFile) else None,
        standards=file.standards,
    )


def _list_policy(shape: Shape, verdicts: Mapping[str, Verdict]) -> tuple[PolicyLine, ...]:
    return tuple(
        PolicyLine(rule=name, verdict=verdicts.get(name, rule.usual), usual=rule.usual, meaning=rule.meaning)
        for name, rule in POLICY_RULES.items()
        if shape in rule.shapes
    )
