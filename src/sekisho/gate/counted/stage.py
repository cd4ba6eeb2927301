"""Files at the gate whose rows stay with an engine: made, counted, judged and put on disk, one candidate at a time.

The way is that in memory, with the rules and words of the gate: what must hold is counted from the file that would
leave, whoever is named in it is looked for, and the file itself leaves in the same bytes where that is promised. Nobody
attacks: attacks need every row beside its release. What no attack can exceed is counted instead, of records by their
keys (:mod:`sekisho.gate.counted.records`), of histories by those who publish the same rows
(:mod:`sekisho.gate.counted.history`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sekisho.data.review import ReleaseReview
from sekisho.data.shape import Shape
from sekisho.data.work_meter import begin_part
from sekisho.errors import BugError
from sekisho.gate.certificate.claims import Claims
from sekisho.gate.history.recipe import HistoryRecipe
from sekisho.gate.outcome import Attempt, Candidate, Verdict
from sekisho.gate.output_files import RELEASE, FileOnDisk, OutputFiles
from sekisho.gate.records.recipe import RecordsRecipe
from sekisho.protect import Method
from sekisho.protect.beyond_memory import EngineRelease, EngineTask
from sekisho.provenance import Provenance
from sekisho.seeds import Seed
from sekisho.words import Said

if TYPE_CHECKING:  # engines, which are loaded where there is work for them
    from sekisho.gate.beyond_memory import EngineStage


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CountedCandidate(Candidate[Attempt], ABC):
    """A release that an engine made, and what was counted of it.

    Attributes:
        review: what a person must look at before it leaves.
        claims: what anybody counts again in its file.
        file: where it lies.
    """

    release: EngineRelease
    review: ReleaseReview
    claims: Claims
    file: FileOnDisk

    @property
    @abstractmethod
    def found(self) -> Said:
        """How many people are found at most, in words."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OpenRelease:
    """A release whose engine is at work.

    Attributes:
        stage: the one way to protect, and its file.
        release: what it made.
        resources: what is open; it ends with them.
    """

    stage: EngineStage
    release: EngineRelease
    resources: ExitStack

    @property
    def provenance(self) -> Provenance:
        """What made it."""
        return self.release.provenance


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CountedStage(ABC):
    """A file whose rows stay with an engine, and the ways to protect it.

    Attributes:
        recipe: what is asked; it names an engine.
        source: the file.
        spool: the folder where releases lie until one is chosen; whoever runs the stage gives it one.
        release_name: what the file of a release is called; its ending says whether it is Parquet.
    """

    recipe: RecordsRecipe | HistoryRecipe
    source: Path
    spool: Path | None = None
    release_name: str = RELEASE

    @property
    @abstractmethod
    def shape(self) -> Shape:
        """What a row is."""

    @property
    def keeps_attacks(self) -> bool:
        """There are none."""
        return False

    @property
    @abstractmethod
    def notices(self) -> tuple[str, ...]:
        """What there is to say before a run: reading is a part of it."""

    def settle_recipe(self) -> RecordsRecipe | HistoryRecipe:
        """Return the recipe with nothing left open that can be known without reading."""
        return self.recipe

    def prepare(self, method: Method) -> Method:
        """Return a method with what the recipe says where it has nothing of its own."""
        return method

    @abstractmethod
    def judge(self, label: str, opened: OpenRelease, seed: Seed) -> CountedCandidate:
        """Return what a release keeps and shows."""

    @abstractmethod
    def tell(self) -> dict[str, object]:
        """Return what decides though the recipe may not say it."""

    def protections(self) -> Mapping[str, partial[OpenRelease]]:
        """Return the ways to protect the file, by label."""
        return {
            label: partial(self._protect, number, method)
            for number, (label, method) in enumerate(self.recipe.methods.items())
        }

    def _protect(self, number: int, method: Method, seed: Seed) -> OpenRelease:
        from sekisho.gate.beyond_memory import EngineStage

        choice, spool = self.recipe.choice, self.spool
        if choice is None or spool is None:
            raise BugError("rows were to stay with an engine that nobody named, or without a place for releases")
        place = spool / f"{number:04d}"
        place.mkdir(parents=True, exist_ok=True)
        task = EngineTask(
            source=self.source,
            terms=self.recipe.rules,
            out=place / self.release_name,
            choice=choice,
            tell=begin_part,
        )
        with ExitStack() as resources:
            stage = EngineStage(recipe=self.settle_recipe(), task=task, resources=resources)
            release = stage.protect(self.prepare(method), seed)
            return OpenRelease(stage=stage, release=release, resources=resources.pop_all())

    def try_release(self, label: str, release: OpenRelease, *, seed: Seed) -> CountedCandidate:
        """Count what a release keeps and shows, judge it, and put it where it waits; its engine ends."""
        with release.resources:
            return self.judge(label, release, seed)

    def files(self, best: CountedCandidate, *, seed: Seed, release: str = RELEASE) -> OutputFiles:
        """Return the file of the chosen candidate, which lies on disk; a refused one is not offered."""
        del seed  # its order is drawn already
        if best.verdict is Verdict.REFUSE:
            return OutputFiles()
        return OutputFiles(on_disk={release: best.file}, claims=best.claims, release=release)
