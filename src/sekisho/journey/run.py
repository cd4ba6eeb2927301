"""Take a recipe through the gate: one call from Python, and what the command does too.

The pages of a run in two editions: one that may leave, one that stays.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sekisho.data.shape import Shape
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.gate.cache.secret import StepSecret
from sekisho.gate.cache.steps import Steps
from sekisho.gate.cache.store import StepStore
from sekisho.gate.certificate.signing import PrivateKey
from sekisho.gate.ending import ASK_ADVICE, Ending, tell_reasons, tell_why
from sekisho.gate.history.stage import HistoryStage
from sekisho.gate.outcome import Candidate, JourneyStep, Outcome, Reason, Verdict
from sekisho.gate.output_files import OPENING, PROPOSED, PUBLIC, REPORT, SHEET, TEXT_REPORT, OutputFiles, place_files
from sekisho.gate.records.stage import RecordsStage
from sekisho.gate.tables.stage import TableStage
from sekisho.journey.candidates import run
from sekisho.journey.entry import Entry, ReadRecipe
from sekisho.journey.folders import OutputFolders
from sekisho.journey.issuing import Decision, RunRecord, issue_certificate
from sekisho.journey.result import GateResult
from sekisho.journey.review import list_refusals
from sekisho.journey.run_start import keep_seed, start_run
from sekisho.parameters import checked_call
from sekisho.provenance import Provenance
from sekisho.report.kit.blocks import Banner, Block, Bullets, Paragraph
from sekisho.report.kit.edition import Badge, Edition
from sekisho.report.kit.html import render_page
from sekisho.report.kit.text import render_text
from sekisho.report.pages.history.outcome import outcome_blocks, outcome_title
from sekisho.report.pages.records.outcome import records_outcome_blocks, records_outcome_title
from sekisho.report.pages.tables.outcome import BANNERS, TABLE_OUTCOME_TITLE, table_outcome_blocks
from sekisho.report.pages.verdicts.ending import TONES, put_ending_first
from sekisho.report.pages.verdicts.signature import TITLE as SHEET_TITLE
from sekisho.report.pages.verdicts.signature import SignedRun, signature_blocks
from sekisho.seeds import Seed
from sekisho.words import Language, Said, bilingual, join_words, quote_words, split_words, translate

NOTHING = Said("There is nothing to release.")
BOTH = Said("It leaves only with a certificate that holds the approval of two persons.")
NO_PATTERN = Said("No pattern protects this table.")
NO_RELEASE = Said("None of the ways to protect these data that were tried gives anything.")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPage:
    """One edition of the page of a run."""

    title: Said
    blocks: Sequence[Block]
    edition: Edition
    ending: Ending

    def render_html(self, language: Language, *, badge: Badge | None = None) -> bytes:
        """Return the page as one HTML file that opens in a language; on top its edition's badge, or another."""
        return render_page(self.title, self.blocks, language=language, edition=self.edition, badge=badge).encode()

    def render_text(self, language: Language) -> str:
        """Return the page as plain text in a language."""
        return render_text(self.title, self.blocks, language=language, edition=self.edition)


def make_page(entry: Entry, outcome: Outcome[Any], record: RunRecord, edition: Edition) -> RunPage:
    """Return one edition of the page of a run."""
    title, blocks = make_story(entry, outcome, (_tell_run(record, edition),), edition)
    ending = _end_run(entry, outcome.best, blocks, edition)
    return RunPage(
        title=find_title(entry, title), blocks=put_ending_first(ending, blocks), edition=edition, ending=ending
    )


def _end_run(entry: Entry, best: Candidate[Any], blocks: Sequence[Block], edition: Edition) -> Ending:
    """Return how a run ends; why a release may leave, its own page says best."""
    public = edition is Edition.PUBLIC
    said = next((block.text for block in blocks if isinstance(block, Banner)), "")
    told = quote_words(said) if said else tell_why(best, table=entry.stage.shape is Shape.TABLE)
    return Ending(
        verdict=best.verdict,
        why=told if best.verdict is Verdict.RELEASE else tell_reasons(best.reasons, figures=not public),
        file=entry.release_name if public else f"{PUBLIC}/{entry.release_name}",
        awaits=entry.release_name if public else f"{PROPOSED}/{entry.release_name}",
        folder="" if public else "DIR",
        ask="" if public else _ask_advice(entry),
        cautions=best.cautions,
        remarks=(BOTH,) if public and best.verdict is Verdict.REVIEW else () if public else best.remarks,
    )


def _ask_advice(entry: Entry) -> Said:
    if entry.source is None:
        return ASK_ADVICE
    return Said("what to change is found out by: sekisho advise {recipe}", recipe=entry.source.name)


def make_infeasible_page(entry: Entry, reason: str, edition: Edition) -> RunPage:
    """Return the page of a run that found nothing that could leave; the public one does not say why."""
    table = isinstance(entry.stage, TableStage)
    banner = Banner(text=BANNERS[Verdict.REFUSE] if table else NOTHING, tone=TONES[Verdict.REFUSE])
    nothing = NO_PATTERN if table else NO_RELEASE
    words = Paragraph(text=nothing)
    why = () if edition is Edition.PUBLIC else (Bullets(items=split_words(reason)),)
    told = nothing if edition is Edition.PUBLIC else Said("Why: {reason}.", reason=reason)
    ending = Ending(verdict=Verdict.REFUSE, why=told, ask=_ask_advice(entry))
    title, blocks = find_title(entry, find_usual_title(entry)), put_ending_first(ending, (banner, words, *why))
    return RunPage(title=title, blocks=blocks, edition=edition, ending=ending)


def find_title(entry: Entry, usual: Said) -> Said:
    """Return the recipe's own title, else the page's usual one."""
    own = entry.own_title
    english, japanese = own.get("en") or own.get("ja"), own.get("ja") or own.get("en")
    return usual if english is None or japanese is None else bilingual(english, japanese)


def find_usual_title(entry: Entry) -> Said:
    """Return what the page of an entry is called if its recipe does not say."""
    match entry.stage:
        case TableStage():
            return TABLE_OUTCOME_TITLE
        case HistoryStage() as stage:
            return outcome_title(stage)
        case RecordsStage() as stage:
            return records_outcome_title(stage)


def make_story(
    entry: Entry, outcome: Outcome[Any], origin: tuple[Provenance, ...], edition: Edition
) -> tuple[Said, Sequence[Block]]:
    """Return the usual title of an outcome, and what an edition of its page tells."""
    match entry.stage:
        case HistoryStage() as stage:
            blocks = outcome_blocks(stage, outcome, origin=origin, edition=edition)
        case RecordsStage() as stage:
            blocks = records_outcome_blocks(stage, outcome, origin=origin, edition=edition)
        case TableStage() as stage:
            blocks = table_outcome_blocks(stage, outcome, origin=origin, edition=edition)
    return find_usual_title(entry), blocks


def _tell_run(record: RunRecord, edition: Edition) -> Provenance:
    """Return what made the page: how to make it again, when it was made; the public edition keeps back the seed."""
    parameters: dict[str, object] = {"date": record.made}
    if edition is Edition.CONFIDENTIAL:
        parameters["command"] = record.command
    return Provenance(
        name="sekisho gate",
        parameters=parameters,
        seed=record.seed,
        inputs={name: each.sha256 for name, each in record.inputs.items()},
    )


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
    """

    out: Path | None = None
    seed: int | None = None
    key: PrivateKey | None = None
    language: Language = Language.EN
    watch: Watch | None = None
    jobs: int = 1
    cache: Path | None = None
    keep: bool = True

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
            OutputFolders(options.out).check(reads=prepared.reads, names=prepared.names)
        return run_entry(prepared.open(), options)
    return run_entry(recipe, options)


def run_entry(entry: Entry, options: RunOptions) -> GateResult:
    """Take an entry through the gate and write what comes of it."""
    if entry.stage.shape is Shape.TABLE and options.seed is not None:
        raise ParameterError("seed", Said("not be given for tables, where no chance plays a part"), options.seed)
    if options.out is None:
        steps = Steps() if options.cache is None else _open_steps(options.cache)
        result = _travel(entry, steps, options)
        _remove_old_steps(steps, options)
        return result
    folders = OutputFolders(options.out)
    with folders.hold(), _choose_steps(folders, options) as steps:
        result = _travel(entry, steps, options)
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


def _travel(entry: Entry, steps: Steps, options: RunOptions) -> GateResult:
    record = _make_record(entry, steps, options)
    try:
        outcome = _run_journey(entry, steps, Seed(record.seed or 0), options)
    except InfeasibleError as error:
        return _finish_infeasible(entry, record, str(error), options)
    pages = {edition: make_page(entry, outcome, record, edition) for edition in Edition}
    stage: Any = entry.stage
    best = outcome.best
    made: OutputFiles = stage.files(best, seed=outcome.seed, release=entry.release_name)
    decision = Decision(candidates=outcome.candidates, best=best, reasons=best.reasons)
    result = _finish(entry, record, decision, made, pages, options, outcome)
    return replace(result, notices=() if steps.store is None else tuple(steps.store.dropped))


def _run_journey(entry: Entry, steps: Steps, seed: Seed, options: RunOptions) -> Outcome[Any]:
    stage: Any = replace(entry.stage, steps=steps)
    journey: Iterator[JourneyStep[Any]] = run(stage, seed=seed, jobs=options.jobs if steps.store is not None else 1)
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
    placed = place_files(
        decision.verdict,
        offered=files.offered,
        confidential={**files.confidential, OPENING: opening},
        certificate=certificate.write(),
    )
    return GateResult(
        entry=entry,
        outcome=outcome,
        reasons=decision.reasons,
        certificate=certificate,
        public=placed.public,
        proposed=placed.proposed,
        confidential=placed.confidential,
        seed=record.seed,
        page_ending=stays.ending,
    )


def _make_sheet(record: RunRecord, decision: Decision, ending: Ending, files: OutputFiles, language: Language) -> bytes:
    """Return the sheet that whoever lets the release out signs."""
    leaving = None if decision.verdict is Verdict.REFUSE else files.offered.get(files.release or "")
    run_to_sign = SignedRun(
        made=record.made,
        recipe=record.recipe,
        inputs=tuple(record.inputs),
        release="" if leaving is None else files.release or "",
        digest="" if leaving is None else sha256(leaving).hexdigest(),
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
