"""Take a recipe through the gate: one call from Python, and what the command does too."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sekisho.data.shape import Shape
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.gate.cache.secret import StepSecret
from sekisho.gate.cache.steps import Steps
from sekisho.gate.cache.store import StepStore
from sekisho.gate.certificate.signing import PrivateKey
from sekisho.gate.counted.stage import CountedStage
from sekisho.gate.ending import Ending
from sekisho.gate.outcome import JourneyStep, Outcome, Reason, Verdict
from sekisho.gate.output_files import OPENING, REPORT, SHEET, TEXT_REPORT, OutputFiles, place_files
from sekisho.gate.tables.stage import TableStage
from sekisho.journey.candidates import run
from sekisho.journey.entry import Entry, ReadRecipe, prepare_stage
from sekisho.journey.folders import OutputFolders
from sekisho.journey.issuing import Decision, RunRecord, issue_certificate
from sekisho.journey.registering import EnteredOn, enter_with, keep_proposal
from sekisho.journey.result import GateResult
from sekisho.journey.review import list_refusals
from sekisho.journey.run_pages import RunPage, find_title, find_usual_title, make_infeasible_page, make_page
from sekisho.journey.run_start import keep_seed, start_run
from sekisho.parameters import checked_call
from sekisho.report.kit.edition import Badge, Edition
from sekisho.report.kit.html import render_page
from sekisho.report.pages.verdicts.signature import TITLE as SHEET_TITLE
from sekisho.report.pages.verdicts.signature import SignedRun, signature_blocks
from sekisho.seeds import Seed
from sekisho.words import Language, Said, join_words, translate

UNUSED_SECONDS = 30 * 24 * 3600.0
"""After so long without use a step leaves a folder of steps that was named."""
Watch = Callable[[Iterator[JourneyStep[Any]]], JourneyStep[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """How a run is made, whatever its recipe.

    Attributes:
        out: the folder to write to; None writes nothing.
        seed: instead of the recipe's.
        key: signs the certificate; None leaves it unsigned.
        language: in which pages open.
        watch: goes through the steps, showing how far they are, and returns the last.
        jobs: in how many processes candidates are made.
        cache: the folder of finished steps; ``confidential/cache`` below ``out`` if None.
        keep: whether finished steps are kept for another run.
        enters: whether what may leave becomes public by the run itself, and is entered in its register.
    """

    out: Path | None = None
    seed: int | None = None
    key: PrivateKey | None = None
    language: Language = Language.EN
    watch: Watch | None = None
    jobs: int = 1
    cache: Path | None = None
    keep: bool = True
    enters: bool = True

    def __post_init__(self) -> None:
        if self.jobs < 1:
            raise ParameterError("jobs", Said("be at least 1"), self.jobs)


@checked_call
def pass_gate(
    recipe: Path | str | Entry,
    *,
    out: Path | str | None = None,
    seed: int | None = None,
    key: Path | str | None = None,
    language: Language | str = Language.EN,
    jobs: int = 1,
    cache: Path | str | None = None,
) -> GateResult:
    """Take data through the gate as a recipe says.

    Args:
        recipe: the TOML file, or an entry whose data are open.
        out: the folder to write to; nothing is written if None.
        seed: instead of the recipe's; drawn if neither says one.
        key: the file of the private key that signs the certificate; unsigned if None.
        language: ``en`` or ``ja``, in which pages open.
        jobs: in how many processes candidates are made; with more than 1 a script needs ``if __name__ == "__main__"``.
        cache: the folder of finished steps; below ``out`` if None, and none without ``out``.

    Raises:
        SekishoError: whatever is wrong with the recipe or the data.
    """
    signer = None if key is None else PrivateKey.read(Path(key))
    options = RunOptions(
        out=None if out is None else Path(out),
        seed=seed,
        key=signer,
        language=Language(language),
        jobs=jobs,
        cache=None if cache is None else Path(cache),
    )
    if isinstance(recipe, Path | str):
        prepared = ReadRecipe.read(Path(recipe))
        if options.out is not None:
            OutputFolders(options.out).check(reads=prepared.reads, names=prepared.names, secrets=prepared.file.secrets)
        return run_entry(prepared.open(), options)
    return run_entry(recipe, options)


def run_entry(entry: Entry, options: RunOptions) -> GateResult:
    """Take an entry through the gate and write what comes of it."""
    if entry.stage.shape is Shape.TABLE and options.seed is not None:
        raise ParameterError("seed", Said("not be given for tables, where no chance plays a part"), options.seed)
    if options.out is None:
        steps = Steps() if options.cache is None else _open_steps(options.cache)
        with TemporaryDirectory(prefix="sekisho-") as spool:
            result = _travel(entry, steps, options, Path(spool))
        _remove_old_steps(steps, options)
        return result
    folders = OutputFolders(options.out)
    with folders.hold(), _choose_steps(folders, options) as steps:
        result = _travel(entry, steps, options, folders.spool)
        with enter_with(result.confidential, result.public, into=folders, on=EnteredOn.PUBLISHING):
            folders.deliver(result.files)
        _remove_old_steps(steps, options)
    return replace(result, out=options.out, notices=(*result.notices, *list_refusals(options.out)))


@contextmanager
def _choose_steps(folders: OutputFolders, options: RunOptions) -> Generator[Steps]:
    """Give the steps of a run: in the folder asked for, the usual one, or one that is gone after the run."""
    if options.keep and options.cache is None:
        yield _open_steps(folders.cache, folders.cache_secret)
    elif options.keep and options.cache is not None:
        yield _open_steps(options.cache)
    elif options.jobs == 1:
        yield Steps()
    else:
        with TemporaryDirectory(dir=folders.confidential, prefix=".steps-") as folder:
            yield _open_steps(Path(folder) / "steps")


def _open_steps(cache: Path, secret: Path | None = None) -> Steps:
    """Return the steps in a folder; their secret lies beside it if no place is given."""
    beside = cache.absolute().parent / f".{cache.absolute().name}.key"
    store = StepStore(cache, StepSecret(secret or beside))
    store.remove_parts()
    return Steps(store)


def _remove_old_steps(steps: Steps, options: RunOptions) -> None:
    """Remove what a finished run did not use; in a folder that was named, others may: there only what is old."""
    if steps.store is None:
        return
    if options.cache is None:
        steps.store.remove_unused()
    else:
        steps.store.remove_older(UNUSED_SECONDS)


def _travel(entry: Entry, steps: Steps, options: RunOptions, spool: Path) -> GateResult:
    """Return what a run comes to; files that are not held in memory wait in a folder of their own."""
    record = _make_record(entry, steps, options)
    try:
        outcome = _run_journey(entry, steps, Seed(record.seed or 0), options, spool)
    except InfeasibleError as error:
        return _finish_infeasible(entry, record, str(error), options)
    pages = {edition: make_page(entry, outcome, record, edition) for edition in Edition}
    stage: Any = entry.stage
    best = outcome.best
    made: OutputFiles = stage.files(best, seed=outcome.seed, release=entry.release_name)
    made = made.read_in() if options.out is None else made
    decision = Decision(candidates=outcome.candidates, best=best, reasons=best.reasons)
    result = _finish(entry, record, decision, made, pages, options, outcome)
    return replace(result, notices=() if steps.store is None else tuple(steps.store.dropped))


def _run_journey(entry: Entry, steps: Steps, seed: Seed, options: RunOptions, spool: Path) -> Outcome[Any]:
    stage: Any = prepare_stage(entry.stage, steps, spool)
    jobs = options.jobs if steps.store is not None and not isinstance(entry.stage, CountedStage) else 1
    further = None if entry.register is None else entry.register.judge
    journey: Iterator[JourneyStep[Any]] = run(stage, seed=seed, jobs=jobs, further=further)
    if options.watch is not None:
        return options.watch(journey).outcome
    *_, last = journey
    return last.outcome


def _finish_infeasible(entry: Entry, record: RunRecord, reason: str, options: RunOptions) -> GateResult:
    pages = {edition: make_infeasible_page(entry, reason, edition) for edition in Edition}
    decision = Decision(reasons=(Reason(rule="infeasible", verdict=Verdict.REFUSE, detail=join_words((reason,))),))
    return _finish(entry, record, decision, OutputFiles(), pages, options, None)


def _finish(
    entry: Entry,
    record: RunRecord,
    decision: Decision,
    made: OutputFiles,
    pages: dict[Edition, RunPage],
    options: RunOptions,
    outcome: Outcome[Any] | None,
) -> GateResult:
    language, stays = options.language, pages[Edition.CONFIDENTIAL]
    reports = {REPORT: stays.render_html(language), TEXT_REPORT: stays.render_text(language).encode()}
    leaves = {} if decision.verdict is Verdict.REFUSE else _render_offered(pages[Edition.PUBLIC], decision, language)
    offered = replace(made, offered={**made.offered, **leaves})
    sheet = _make_sheet(record, decision, stays.ending, offered, language)
    files = replace(offered, confidential={**made.confidential, **entry.copy_original(), **reports, SHEET: sheet})
    certificate, opening = issue_certificate(record, decision, files, key=options.key)
    act = EnteredOn.PUBLISHING if options.enters else EnteredOn.HANDING_OVER
    to_enter = keep_proposal(entry.register, decision.best, files, certificate, act)
    placed = place_files(
        decision.verdict,
        offered=files.offered,
        confidential={**files.confidential, OPENING: opening, **to_enter},
        certificate=certificate.write(),
        on_disk=files.on_disk,
    )
    return GateResult(
        entry=entry,
        outcome=outcome,
        reasons=decision.reasons,
        certificate=certificate,
        public=placed.public,
        proposed=placed.proposed,
        confidential=placed.confidential,
        moved=placed.moved,
        seed=record.seed,
        page_ending=stays.ending,
    )


def _make_sheet(record: RunRecord, decision: Decision, ending: Ending, files: OutputFiles, language: Language) -> bytes:
    """Return the sheet that whoever lets the release out signs."""
    leaving = {} if decision.verdict is Verdict.REFUSE else files.releases
    run_to_sign = SignedRun(
        made=record.made,
        recipe=record.recipe,
        inputs=tuple(record.inputs),
        releases=leaving,
        ending=ending,
        reasons=decision.reasons,
        statements=decision.statements,
    )
    blocks = signature_blocks(run_to_sign)
    return render_page(SHEET_TITLE, blocks, language=language, edition=Edition.CONFIDENTIAL, one_sheet=True).encode()


def _render_offered(page: RunPage, decision: Decision, language: Language) -> dict[str, bytes]:
    """Return the page that goes with the release; one that awaits review says so on top."""
    badge = Badge.MAY_LEAVE if decision.verdict is Verdict.RELEASE else Badge.AWAITS_REVIEW
    return {REPORT: page.render_html(language, badge=badge)}


def _make_record(entry: Entry, steps: Steps, options: RunOptions) -> RunRecord:
    title = find_title(entry, find_usual_title(entry))
    name = "demo" if entry.source is None else f"gate {entry.source.name}"
    inputs = {file: each.sha256 for file, each in entry.inputs.items()}
    seed = entry.seed if options.seed is None else options.seed
    if seed is None and not isinstance(entry.stage, TableStage):
        seed = keep_seed(steps, entry.stage, name, inputs)
    start = start_run(steps, (name, inputs), seed=seed)
    return RunRecord(
        shape=entry.stage.shape,
        title={str(language): translate(title, language) for language in Language},
        made=start.made,
        salt=start.salt,
        settings=entry.tell_settings(),
        inputs=entry.inputs,
        seed=start.seed,
        recipe="" if entry.source is None else entry.source.name,
        command=f"sekisho {name}" + ("" if start.seed is None else f" --seed {start.seed}"),
    )
