"""One release of one method: made, looked at, written, counted again, shown. What ``sekisho protect`` asks for.

The way is that of every run (:mod:`sekisho.journey.candidates`), with one candidate and without attackers: what a
person must look at, what is of hardly any use, which promise is not kept and in which order the rows leave is decided
by the stage, as for the gate.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

import numpy as np

from sekisho.data.engines.addresses import is_address
from sekisho.data.files.output_paths import path_beside
from sekisho.data.frame.release import Release, compare_missing, order_rows
from sekisho.data.records.files import write_number_lines
from sekisho.data.trees.tree_files import read_tree
from sekisho.errors import BugError
from sekisho.gate.outcome import Attempt, ReviewedCandidate, Verdict
from sekisho.gate.records.candidate import AnyRecordsCandidate, RecordsCandidate
from sekisho.gate.records.recount import Recount
from sekisho.gate.records.stage import RecordsStage
from sekisho.journey.candidates import review_one
from sekisho.protect.records.pram import PramRelease
from sekisho.protect.records.sample import DrawnRelease, SampleRelease
from sekisho.provenance import Provenance, digest_file
from sekisho.safety.mechanism import Mechanism
from sekisho.seeds import Seed
from sekisho.utility.records.conditions import Condition
from sekisho.words import Language, Said

if TYPE_CHECKING:  # a release of records needs nothing of histories
    from sekisho.gate.history.stage import HistoryStage

Progress = Callable[[str], AbstractContextManager[object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasePlaces:
    """What is protected, and where its release and what belongs to it go.

    Attributes:
        source: the original.
        out: the release.
        deleted: of records the rows that are left out; with it the others stand in the original's order.
        report: the page about it.
        inputs: all files that are read, whose digests the page tells.
    """

    source: Path
    out: Path
    deleted: Path | None = None
    report: Path | None = None
    inputs: tuple[Path, ...] = ()

    @property
    def mechanism(self) -> Path:
        """Where the description of a release's mechanism is written: beside the release.

        Of a release at an address that only a cluster reaches it is written here, under the release's name.
        """
        return path_beside(Path(self.out.name) if is_address(self.out) else self.out, ".mechanism.json")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OneRelease:
    """A release and its files.

    Attributes:
        candidate: the release, why it may not simply leave, and what a person must look at.
        files: what is to be written.
        recounts: what the method promised, counted from what is written.
        told: what else there is to say of it, as plain data.
        seconds: of the processor, without reading.
    """

    candidate: ReviewedCandidate[Attempt]
    files: Mapping[Path, bytes]
    recounts: tuple[Recount, ...] = ()
    told: Mapping[str, object] = field(default_factory=dict[str, object])
    seconds: float = 0.0

    @property
    def release(self) -> Release:
        """What the method made."""
        return self.candidate.release

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions of records, kept or broken."""
        return self.candidate.conditions if isinstance(self.candidate, RecordsCandidate) else ()

    @property
    def verdict(self) -> Verdict:
        """What should happen with it."""
        return self.candidate.verdict


def release_history(stage: HistoryStage, places: ReleasePlaces, *, seed: Seed) -> OneRelease:
    """Protect a history by the one method of its recipe; its file stands row by row beside the original."""
    start = process_time()
    candidate = review_one(stage, seed=seed)
    seconds = process_time() - start
    return OneRelease(candidate=candidate, files={places.out: stage.write(candidate)}, seconds=seconds)


def release_records(
    stage: RecordsStage,
    places: ReleasePlaces,
    *,
    seed: Seed,
    secret: bool = False,
    language: Language = Language.EN,
    progress: Progress = nullcontext,
) -> OneRelease:
    """Protect records by the one method of their recipe, and write them.

    Args:
        stage: the records.
        places: where everything goes.
        seed: of all chance that is no secret.
        secret: whether the method drew from the operating system, so that no seed is told.
        language: in which the page opens.
        progress: shows what is being done.
    """
    start = process_time()
    candidate = review_one(stage, seed=seed)
    kept = np.flatnonzero(~candidate.release.deleted)
    order = order_rows(candidate.release, seed) if places.deleted is None else kept
    written = candidate.write(stage.recipe.rules, order, places.out)
    files = {places.out: written.content}
    if places.deleted is not None:
        files[places.deleted] = write_number_lines(np.flatnonzero(candidate.release.deleted).astype(np.int64))
    seconds = process_time() - start
    origin = replace(
        candidate.release.provenance,
        seed=None if secret else seed.value,
        inputs={path.name: digest_file(path) for path in (places.source, *places.inputs)},
    )
    told: dict[str, object] = {"out": str(places.out)}
    if missing := compare_missing(stage.original, candidate.release):
        told["missing"] = {name: {"before": was, "after": now} for name, (was, now) in missing.items()}
    if isinstance(candidate.release, DrawnRelease):
        randomness = str(candidate.release.detail["randomness"])
        files[places.mechanism] = describe_mechanism(candidate.release.mechanism, origin, randomness)
        told["mechanism"] = str(places.mechanism)
    if written.recounts:
        told["proven"] = [recount.as_dict() for recount in written.recounts]
    if candidate.known_part is not None:
        told |= {"attack": candidate.known_part.as_dict(), "refuted": candidate.refuted}
    if places.report is not None:
        with progress(Said("measuring and attacking")):
            page = _make_page(stage, candidate, written.recounts, origin, seed, language)
        files[places.report] = page.encode()
        told["report"] = str(places.report)
    return OneRelease(candidate=candidate, files=files, recounts=written.recounts, told=told, seconds=seconds)


def describe_mechanism(mechanism: Mechanism, provenance: Provenance, randomness: str) -> bytes:
    """Return the description of a mechanism as it is written beside the release."""
    description = mechanism.as_dict() | {"provenance": provenance.as_dict(), "randomness": randomness}
    return json.dumps(description, ensure_ascii=False, indent=1).encode()


def _make_page(
    stage: RecordsStage,
    candidate: AnyRecordsCandidate,
    recounts: tuple[Recount, ...],
    origin: Provenance,
    seed: Seed,
    language: Language,
) -> str:
    """Return the page about a release: of drawn records by the model of their method, else before and after."""
    release, data = candidate.release, stage.original
    if isinstance(release, DrawnRelease):
        return _make_drawn_page(stage, candidate, release, origin, language)
    from sekisho.gate.records.protection import examine_protection  # measures and attacks, which only a page needs
    from sekisho.report.pages.risk.protection import render_protection_page

    trees = {name: read_tree(path) for name, path in stage.recipe.trees.items()}
    protection = examine_protection(
        data, release, recounts, review=candidate.review, trees=trees, seed=seed.child("report")
    )
    return render_protection_page(data, protection, origin, language=language)


def _make_drawn_page(
    stage: RecordsStage, candidate: AnyRecordsCandidate, release: DrawnRelease, origin: Provenance, language: Language
) -> str:
    from sekisho.data.records.category_counts import count_categories
    from sekisho.report.pages.records.sampling import render_pram_page, render_sample_page

    review = candidate.review
    if isinstance(release, SampleRelease):
        randomness = str(release.detail["randomness"])
        tried = candidate.known_part
        return render_sample_page(release, tried, origin, randomness=randomness, review=review, language=language)
    if isinstance(release, PramRelease):
        counts = count_categories(stage.original)
        return render_pram_page(release, counts, origin, review=review, language=language)
    raise BugError(f"no page is known for {type(release).__name__}")
