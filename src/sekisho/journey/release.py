"""One release of one method: made, looked at, written, counted again, shown. What ``sekisho protect`` asks for.

The way is that of every run (:mod:`sekisho.journey.candidates`), with one candidate and without attackers: what a
person must look at, what is of hardly any use, which promise is not kept and in which order the rows leave is decided
by the stage, as for the gate. A release that must not leave is not written, and no page about it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

import numpy as np

from sekisho.data.engines.engine import digest_inputs, is_address
from sekisho.data.files.plain_table import FrameSource
from sekisho.data.files.whole_files import path_beside
from sekisho.data.frame.release import Release, compare_missing, order_rows
from sekisho.data.records.files import write_number_lines
from sekisho.data.review import ReleaseReview
from sekisho.data.trees.tree_files import read_tree
from sekisho.errors import BugError
from sekisho.gate.ending import Ending, end_release
from sekisho.gate.outcome import Attempt, Candidate, ReviewedCandidate, Verdict, find_verdict
from sekisho.gate.records.candidate import CONDITION, AnyRecordsCandidate, RecordsCandidate
from sekisho.gate.records.recount import Recount
from sekisho.gate.records.stage import RecordsStage
from sekisho.journey.candidates import review_one
from sekisho.protect.records.drawn_release import DrawnRelease
from sekisho.protect.records.sample import Drawn, DrawnSample
from sekisho.provenance import Provenance
from sekisho.safety.mechanism import Mechanism
from sekisho.seeds import Seed
from sekisho.utility.records.conditions import Condition
from sekisho.words import Language, Said

if TYPE_CHECKING:  # a release of records needs nothing of histories, and one in memory nothing of engines
    from sekisho.data.records.microdata import CategoryCounts
    from sekisho.gate.beyond_memory import EngineCandidate, EngineStage
    from sekisho.gate.history.recipe import HistoryRecipe
    from sekisho.gate.history.stage import HistoryStage
    from sekisho.gate.records.recipe import RecordsRecipe
    from sekisho.protect.beyond_memory import EngineRelease, EngineTask

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
        frame: the original where it is a frame, and ``source`` only its name.
    """

    source: Path
    out: Path
    deleted: Path | None = None
    report: Path | None = None
    inputs: tuple[Path, ...] = ()
    frame: FrameSource | None = None

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
        place: of the release.
        files: what is to be written, nothing where it must not leave; of a release that an engine made all but its
            rows, which have their place.
        recounts: what the method promised, counted from what is written.
        told: what else there is to say of it, as plain data.
        seconds: of the processor, without reading.
        show: makes the page about records, in a language; None where there is none.
    """

    candidate: ReviewedCandidate[Attempt] | EngineCandidate
    place: Path
    files: Mapping[Path, bytes]
    recounts: tuple[Recount, ...] = ()
    told: Mapping[str, object] = field(default_factory=dict[str, object])
    seconds: float = 0.0
    show: Callable[[Language], str] | None = None

    @property
    def detail(self) -> Mapping[str, object]:
        """What the method tells of what it made."""
        return self.candidate.release.detail

    @property
    def review(self) -> ReleaseReview:
        """What a person must look at before it leaves."""
        return self.candidate.review

    @property
    def kept(self) -> int:
        """How many rows are released."""
        release = self.candidate.release
        return int((~release.deleted).sum()) if isinstance(release, Release) else release.kept

    @property
    def gone(self) -> int:
        """How many are left out."""
        release = self.candidate.release
        return int(release.deleted.sum()) if isinstance(release, Release) else release.records - release.kept

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions of records, kept or broken."""
        return self.candidate.conditions if isinstance(self.candidate, RecordsCandidate) else ()

    @property
    def stays(self) -> bool:
        """Whether it must not leave, so that nothing was written."""
        return must_stay(self.candidate)

    @property
    def verdict(self) -> Verdict:
        """What should happen with it."""
        return self.candidate.verdict

    @property
    def ending(self) -> Ending:
        """How its making ends."""
        return end_release(self.candidate, self.place)


def must_stay(candidate: Candidate[Attempt]) -> bool:
    """Tell whether a release must not leave, so that neither its rows nor a page about them are written.

    One that only breaks a condition of a contest's round is written all the same: the contest would not take it, but
    whoever takes part goes on from it.
    """
    return find_verdict(reason for reason in candidate.reasons if reason.rule != CONDITION) is Verdict.REFUSE


def release_history(stage: HistoryStage, places: ReleasePlaces, *, seed: Seed) -> OneRelease:
    """Protect a history by the one method of its recipe; its file stands row by row beside the original."""
    start = process_time()
    candidate = review_one(stage, seed=seed)
    seconds = process_time() - start
    files = {} if must_stay(candidate) else {places.out: stage.write(candidate)}
    return OneRelease(candidate=candidate, place=places.out, files=files, seconds=seconds)


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
    origin = _find_origin(candidate, places, None if secret else seed)

    def show(shown: Language = language) -> str:
        with progress(Said("measuring and attacking")):
            ending = end_release(candidate, places.out).on_page()
            return _make_page(stage, candidate, written.recounts, origin, seed, ending, shown)

    beside, told = _describe(candidate, written.recounts, places, origin, show)
    if missing := compare_missing(stage.original, candidate.release):
        told["missing"] = {name: {"before": was, "after": now} for name, (was, now) in missing.items()}
    return OneRelease(
        candidate=candidate,
        place=places.out,
        files={} if must_stay(candidate) else files | beside,
        recounts=written.recounts,
        told=told,
        seconds=seconds,
        show=None if must_stay(candidate) else show,
    )


def release_beyond_memory(
    recipe: RecordsRecipe | HistoryRecipe,
    task: EngineTask,
    places: ReleasePlaces,
    *,
    seed: Seed,
    language: Language = Language.EN,
) -> OneRelease:
    """Protect a file whose rows stay with an engine by the one method of its recipe, and give the release its place.

    It has its place when all is counted and shown, whole or not at all.

    Args:
        recipe: with one method.
        task: the file.
        places: where everything goes.
        seed: of all chance that is no secret.
        language: in which the page opens.
    """
    from sekisho.gate.beyond_memory import EngineStage  # an engine, which few releases need

    start = process_time()
    with ExitStack() as resources:
        stage = EngineStage.open(recipe, task, resources, shown=places.report is not None)
        candidate = review_one(stage, seed=seed)
        recounts = stage.recount(candidate)
        origin = _find_origin(candidate, places, None if task.secret else seed)
        ending = end_release(candidate, places.out).on_page()
        files, told = _describe(
            candidate,
            recounts,
            places,
            origin,
            lambda: _make_engine_page(stage, candidate, recounts, origin, ending, language),
        )
        if not must_stay(candidate):
            task.tell(Said("writing"))
            _put(candidate.release, places)
    told |= {**candidate.release.told, "engine": task.choice.engine.value}
    return OneRelease(
        candidate=candidate, place=places.out, files=files, recounts=recounts, told=told, seconds=process_time() - start
    )


def _put(release: EngineRelease, places: ReleasePlaces) -> None:
    from sekisho.data.engines.sink import put_in_place

    release.put()
    if release.deleted is not None and places.deleted is not None:
        put_in_place(release.deleted, places.deleted)


def _find_origin(
    candidate: AnyRecordsCandidate | EngineCandidate, places: ReleasePlaces, seed: Seed | None
) -> Provenance:
    frame = places.frame
    own = digest_inputs((places.source,)) if frame is None else {frame.name: frame.digest()}
    return replace(
        candidate.release.provenance,
        seed=None if seed is None else seed.value,
        inputs=own | digest_inputs(places.inputs),
    )


def _describe(
    candidate: AnyRecordsCandidate | EngineCandidate,
    recounts: tuple[Recount, ...],
    places: ReleasePlaces,
    origin: Provenance,
    show: Callable[[], str],
) -> tuple[dict[Path, bytes], dict[str, object]]:
    """Return the files that go beside a release, and what is told of it, wherever its rows are.

    Of one that must not leave there are none, and no place is told.
    """
    files, leaves = dict[Path, bytes](), not must_stay(candidate)
    told: dict[str, object] = {"out": str(places.out) if leaves else None}
    if isinstance(candidate.release, Drawn):
        told["mechanism"] = str(places.mechanism) if leaves else None
        randomness = str(candidate.release.detail["randomness"])
        files[places.mechanism] = describe_mechanism(candidate.release.mechanism, origin, randomness)
    if recounts:
        told["proven"] = [recount.as_dict() for recount in recounts]
    if candidate.known_part is not None:
        told |= {"attack": candidate.known_part.as_dict(), "refuted": candidate.refuted}
    if places.report is not None:
        told["report"] = str(places.report) if leaves else None
        files |= {places.report: show().encode()} if leaves else {}
    return (files if leaves else {}), told


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
    ending: Ending,
    language: Language,
) -> str:
    """Return the page about a release: of drawn records by the model of their method, else before and after."""
    release, data = candidate.release, stage.original
    if isinstance(release, DrawnRelease):
        from sekisho.data.records.microdata import count_categories

        return _make_drawn_page(candidate, release, lambda: count_categories(data), origin, ending, language)
    from sekisho.gate.records.protection import examine_protection  # measures and attacks, which only a page needs
    from sekisho.report.pages.risk.protection import render_protection_page

    trees = {name: read_tree(path) for name, path in stage.recipe.trees.items()}
    protection = examine_protection(
        data, release, recounts, review=candidate.review, trees=trees, seed=seed.child("report")
    )
    return render_protection_page(data, protection, origin, ending=ending, language=language)


def _make_engine_page(
    stage: EngineStage,
    candidate: EngineCandidate,
    recounts: tuple[Recount, ...],
    origin: Provenance,
    ending: Ending,
    language: Language,
) -> str:
    """Return the page about a release whose rows lie with an engine, without what needs them beside the original."""
    from sekisho.protect.records.engine.release import EngineDrawn
    from sekisho.report.pages.risk.counted_protection import render_counted_page

    release = candidate.release
    if isinstance(release, EngineDrawn):
        return _make_drawn_page(candidate, release, lambda: release.counts, origin, ending, language)
    return render_counted_page(stage.examine(candidate, recounts), origin, ending=ending, language=language)


def _make_drawn_page(
    candidate: AnyRecordsCandidate | EngineCandidate,
    release: Drawn,
    count: Callable[[], CategoryCounts],
    origin: Provenance,
    ending: Ending,
    language: Language,
) -> str:
    """Return the page about drawn records, wherever they are."""
    from sekisho.report.pages.records.sampling import ChangedRecords, render_pram_page, render_sample_page

    review = candidate.review
    if isinstance(release, DrawnSample):
        randomness, tried = str(release.detail["randomness"]), candidate.known_part
        return render_sample_page(
            release, tried, origin, randomness=randomness, review=review, ending=ending, language=language
        )
    if isinstance(release, ChangedRecords):
        return render_pram_page(release, count(), origin, review=review, ending=ending, language=language)
    raise BugError(f"no page is known for {type(release).__name__}")
