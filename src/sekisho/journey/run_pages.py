"""The pages of a run in two editions: one that may leave, one that stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sekisho.data.shape import Shape
from sekisho.gate.counted.history import CountedHistoryStage
from sekisho.gate.counted.records import CountedRecordsStage
from sekisho.gate.ending import ASK_ADVICE, Ending, list_files, tell_reasons, tell_why
from sekisho.gate.history.stage import HistoryStage
from sekisho.gate.outcome import Candidate, Outcome, Verdict
from sekisho.gate.output_files import PROPOSED, PUBLIC
from sekisho.gate.recipes.keys import write_key
from sekisho.gate.records.stage import RecordsStage
from sekisho.gate.tables.stage import TableStage
from sekisho.journey.entry import Entry
from sekisho.journey.issuing import RunRecord
from sekisho.provenance import Provenance
from sekisho.report.kit.blocks import Banner, Block, Bullets, Paragraph
from sekisho.report.kit.edition import Badge, Edition
from sekisho.report.kit.html import render_page
from sekisho.report.kit.text import render_text
from sekisho.report.pages.history.counted_outcome import counted_history_blocks
from sekisho.report.pages.history.outcome import outcome_blocks, outcome_title
from sekisho.report.pages.records.outcome import records_outcome_blocks, records_outcome_title
from sekisho.report.pages.register import register_blocks
from sekisho.report.pages.tables.outcome import BANNERS, TABLE_OUTCOME_TITLE, table_outcome_blocks
from sekisho.report.pages.verdicts.ending import TONES, put_ending_first
from sekisho.words import Language, Said, bilingual, quote_words, split_words

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
    if entry.register is not None and edition is Edition.CONFIDENTIAL:
        blocks = (*blocks, *register_blocks(entry.register.earlier, entry.register.count(outcome.best)))
    ending = _end_run(entry, outcome.best, blocks, edition)
    return RunPage(
        title=find_title(entry, title), blocks=put_ending_first(ending, blocks), edition=edition, ending=ending
    )


def _end_run(entry: Entry, best: Candidate[Any], blocks: Sequence[Block], edition: Edition) -> Ending:
    """Return how a run ends; why a release may leave, its own page says best."""
    public = edition is Edition.PUBLIC
    said = next((block.text for block in blocks if isinstance(block, Banner)), "")
    account = best.account.publish() if public else best.account
    told = (
        Said("{account}. {rest}", account=account.describe(), rest=quote_words(said))
        if said
        else tell_why(best, table=entry.stage.shape is Shape.TABLE)
    )
    return Ending(
        verdict=best.verdict,
        why=told if best.verdict is Verdict.RELEASE else tell_reasons(best.reasons, figures=not public),
        asks_round=account.asks_round,
        account=account,
        file=list_files([Path(name) if public else Path(PUBLIC) / name for name in entry.release_names]),
        awaits=list_files([Path(name) if public else Path(PROPOSED) / name for name in entry.release_names]),
        folder="" if public else "DIR",
        ask="" if public else _ask_advice(entry),
        cautions=best.cautions,
        remarks=(BOTH,) if public and best.verdict is Verdict.REVIEW else () if public else best.remarks,
    ).write_settings(write_key)


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
        case HistoryStage() | CountedHistoryStage() as stage:
            return outcome_title(stage)
        case RecordsStage() | CountedRecordsStage() as stage:
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
        case CountedHistoryStage() as stage:
            blocks = counted_history_blocks(stage, outcome, origin=origin, edition=edition)
        case CountedRecordsStage() as stage:
            from sekisho.report.pages.records.counted_outcome import counted_outcome_blocks  # an engine's figures

            blocks = counted_outcome_blocks(stage, outcome, origin=origin, edition=edition)
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
