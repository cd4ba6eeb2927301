"""Take a recipe through the gate: one call from Python, and what the command does too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from os import environ
from pathlib import Path
from typing import Any

from sekisho.errors import InfeasibleError, ParameterError
from sekisho.gate.certificate.signing import PrivateKey
from sekisho.gate.entry import AnyEntry, ReadRecipe, TableEntry
from sekisho.gate.journey import run
from sekisho.gate.outcome import JourneyStep, Outcome, Reason, Verdict
from sekisho.gate.outputs.files import CERTIFICATE, OPENING, REPORT, TEXT_REPORT, OutputFiles
from sekisho.gate.outputs.folders import OutputFolders
from sekisho.gate.outputs.issuing import Decision, RunRecord, issue_certificate
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.words import Language
from sekisho.report.passage.pages import RunPage, find_title, find_usual_title, make_infeasible_page, make_page
from sekisho.report.passage.result import GateResult
from sekisho.seeds import Seed, draw_salt

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
    """

    out: Path | None = None
    seed: int | None = None
    key: PrivateKey | None = None
    language: Language = Language.EN
    watch: Watch | None = None


def pass_gate(
    recipe: Path | str | AnyEntry,
    *,
    out: Path | str | None = None,
    seed: int | None = None,
    key: Path | str | None = None,
    language: Language | str = Language.EN,
) -> GateResult:
    """Take data through the gate as a recipe says.

    Args:
        recipe: the TOML file, or an entry whose data are open.
        out: the folder to write to; nothing is written if None.
        seed: instead of the recipe's; drawn if neither says one.
        key: the file of the private key that signs the certificate; unsigned if None.
        language: ``en`` or ``ja``, in which pages open.

    Raises:
        SekishoError: whatever is wrong with the recipe or the data.
    """
    signer = None if key is None else PrivateKey.read(Path(key))
    options = RunOptions(out=None if out is None else Path(out), seed=seed, key=signer, language=Language(language))
    if isinstance(recipe, Path | str):
        prepared = ReadRecipe.read(Path(recipe))
        if options.out is not None:
            OutputFolders(options.out).check(reads=prepared.reads, names=prepared.names)
        return run_entry(prepared.open(), options)
    return run_entry(recipe, options)


def run_entry(entry: AnyEntry, options: RunOptions) -> GateResult:
    """Take an entry through the gate and write what comes of it."""
    seed = _settle_seed(entry, options)
    if options.out is None:
        return _travel(entry, seed, options)
    folders = OutputFolders(options.out)
    with folders.hold():
        result = _travel(entry, seed, options)
        folders.deliver(public=result.public, confidential=result.confidential)
    return replace(result, out=options.out)


def _settle_seed(entry: AnyEntry, options: RunOptions) -> Seed | None:
    if isinstance(entry, TableEntry):
        if options.seed is not None:
            raise ParameterError("seed", "not be given for tables, where no chance plays a part", options.seed)
        return None
    asked = entry.seed if options.seed is None else options.seed
    return Seed.draw() if asked is None else Seed(asked)


def _travel(entry: AnyEntry, seed: Seed | None, options: RunOptions) -> GateResult:
    record = _make_record(entry, seed)
    try:
        outcome = _run_journey(entry, seed or Seed(0), options.watch)
    except InfeasibleError as error:
        return _finish_infeasible(entry, record, str(error), options)
    pages = {edition: make_page(entry, outcome, record, edition) for edition in Edition}
    made: OutputFiles = entry.make_files(outcome)
    best = outcome.best
    decision = Decision(candidates=outcome.candidates, best=best, reasons=best.reasons)
    return _finish(entry, record, decision, made, pages, options, outcome)


def _run_journey(entry: AnyEntry, seed: Seed, watch: Watch | None) -> Outcome[Any]:
    stage: Any = entry.stage
    steps: Iterator[JourneyStep[Any]] = run(stage, seed=seed)
    if watch is not None:
        return watch(steps).outcome
    *_, last = steps
    return last.outcome


def _finish_infeasible(entry: AnyEntry, record: RunRecord, reason: str, options: RunOptions) -> GateResult:
    pages = {edition: make_infeasible_page(entry, reason, edition) for edition in Edition}
    decision = Decision(reasons=(Reason(rule="infeasible", verdict=Verdict.REFUSE, detail=reason),))
    return _finish(entry, record, decision, OutputFiles(), pages, options, None)


def _finish(
    entry: AnyEntry,
    record: RunRecord,
    decision: Decision,
    made: OutputFiles,
    pages: dict[Edition, RunPage],
    options: RunOptions,
    outcome: Outcome[Any] | None,
) -> GateResult:
    language, stays = options.language, pages[Edition.CONFIDENTIAL]
    reports = {REPORT: stays.render_html(language), TEXT_REPORT: stays.render_text(language).encode()}
    files = replace(
        made,
        public={**made.public, REPORT: pages[Edition.PUBLIC].render_html(language)},
        confidential={**made.confidential, **reports},
    )
    certificate, opening = issue_certificate(record, decision, files, key=options.key)
    return GateResult(
        entry=entry,
        outcome=outcome,
        reasons=decision.reasons,
        certificate=certificate,
        public={**files.public, CERTIFICATE: certificate.write()},
        confidential={**files.confidential, OPENING: opening},
        seed=record.seed,
    )


def _make_record(entry: AnyEntry, seed: Seed | None) -> RunRecord:
    title = find_title(entry, find_usual_title(entry))
    name = "demo" if entry.source is None else f"gate {entry.source.name}"
    return RunRecord(
        shape=entry.stage.shape,
        title={"en": title.en, "ja": title.ja},
        made=_tell_time(),
        salt=draw_salt(),
        settings=entry.settings,
        inputs=entry.inputs,
        seed=None if seed is None else seed.value,
        command=f"sekisho {name}" + ("" if seed is None else f" --seed {seed.value}"),
    )


def _tell_time() -> str:
    """Return when the run started, in UTC; SOURCE_DATE_EPOCH, if set, says when."""
    fixed = environ.get("SOURCE_DATE_EPOCH", "")
    moment = datetime.fromtimestamp(int(fixed), UTC) if fixed.isdecimal() else datetime.now(UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
