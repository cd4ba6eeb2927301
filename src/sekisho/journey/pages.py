"""The pages of a run in two editions: one that may leave, one that stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sekisho.gate.history.stage import HistoryStage
from sekisho.gate.outcome import Outcome, Verdict
from sekisho.gate.records.stage import RecordsStage
from sekisho.gate.tables.stage import TableStage
from sekisho.journey.entry import Entry
from sekisho.journey.issuing import RunRecord
from sekisho.provenance import Provenance
from sekisho.report.kit.blocks import Banner, Block, Bullets, Paragraph
from sekisho.report.kit.edition import Badge, Edition
from sekisho.report.kit.html import render_page
from sekisho.report.kit.text import render_text
from sekisho.report.pages.history.outcome import TONES, outcome_blocks, outcome_title
from sekisho.report.pages.records.outcome import records_outcome_blocks, records_outcome_title
from sekisho.report.pages.tables.outcome import BANNERS, TABLE_OUTCOME_TITLE, table_outcome_blocks
from sekisho.words import Language, Said, bilingual, split_words

NOTHING = Said("There is nothing to release.")
NO_PATTERN = Said("No pattern protects this table.")
NO_RELEASE = Said("None of the ways to protect these data that were tried gives anything.")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPage:
    """One edition of the page of a run."""

    title: Said
    blocks: Sequence[Block]
    edition: Edition

    def render_html(self, language: Language, *, badge: Badge | None = None) -> bytes:
        """Return the page as one HTML file that opens in a language; on top its edition's badge, or another."""
        return render_page(self.title, self.blocks, language=language, edition=self.edition, badge=badge).encode()

    def render_text(self, language: Language) -> str:
        """Return the page as plain text in a language."""
        return render_text(self.title, self.blocks, language=language, edition=self.edition)


def make_page(entry: Entry, outcome: Outcome[Any], record: RunRecord, edition: Edition) -> RunPage:
    """Return one edition of the page of a run."""
    title, blocks = _make_story(entry, outcome, (_tell_run(record, edition),), edition)
    return RunPage(title=find_title(entry, title), blocks=blocks, edition=edition)


def make_infeasible_page(entry: Entry, reason: str, edition: Edition) -> RunPage:
    """Return the page of a run that found nothing that could leave; the public one does not say why."""
    table = isinstance(entry.stage, TableStage)
    banner = Banner(text=BANNERS[Verdict.REFUSE] if table else NOTHING, tone=TONES[Verdict.REFUSE])
    words = Paragraph(text=NO_PATTERN if table else NO_RELEASE)
    why = () if edition is Edition.PUBLIC else (Bullets(items=split_words(reason)),)
    return RunPage(title=find_title(entry, find_usual_title(entry)), blocks=(banner, words, *why), edition=edition)


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


def _make_story(
    entry: Entry, outcome: Outcome[Any], origin: tuple[Provenance, ...], edition: Edition
) -> tuple[Said, Sequence[Block]]:
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
