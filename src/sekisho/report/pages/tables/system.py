"""The page of tables that are read together: what holds for all of them, then each with the intervals left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sekisho.gate.ending import Ending
from sekisho.gate.tables.system import DifferenceBasis, TableSystem
from sekisho.provenance import Provenance
from sekisho.report.kit.blocks import Block
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.html import render_page
from sekisho.report.kit.text import render_text
from sekisho.report.pages.tables.page import SUPPRESSION, TOGETHER, table_blocks
from sekisho.report.pages.tables.story import Story
from sekisho.report.pages.tables.verdict import difference_blocks
from sekisho.report.pages.verdicts.ending import put_ending_first
from sekisho.tables.audit.intervals import Audit
from sekisho.words import Language, Said


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SystemStory:
    """What a page says of one table or of several.

    Attributes:
        joint: of the whole system.
        stories: of it and its tables, in the order of the page.
        more: what stands above them.
        title: of the page.
    """

    joint: Story
    stories: tuple[Story, ...]
    more: tuple[Block, ...] = ()
    title: Said = SUPPRESSION

    def page(self, origin: Provenance, *, ending: Ending | None = None, language: Language = Language.EN) -> bytes:
        """Return the page, which tells unsafe cells from others and stays in the house."""
        blocks = put_ending_first(ending, table_blocks(self.stories, origin=[origin], more=self.more))
        return render_page(self.title, blocks, language=language, edition=Edition.CONFIDENTIAL).encode()

    def text(self, *, language: Language = Language.EN) -> str:
        """Return the page in the words of a terminal."""
        return render_text(self.title, table_blocks(self.stories, more=self.more), language=language)


def tell_system(system: TableSystem, audit: Audit, joint: Story, names: Sequence[str]) -> SystemStory:
    """Return the story of an audited system whose tables have these names; ``joint`` is the story of all its cells.

    A difference that is no secret may be known: only unsafe ones, and the populations' own cells, can be disclosed.
    """
    if len(system.parts) == 1:
        return SystemStory(joint=joint, stories=(joint,))
    parts = [
        Story(
            audited=part,
            disclosed=part.disclosed,
            narrow=part.narrow,
            name=name,
            insiders=joint.insiders,
            exposed=np.flatnonzero(np.isin(at, joint.exposed)),
        )
        for name, part, at in zip(names, system.restrict_audit(audit), system.places, strict=True)
    ]
    if not system.derived.any():
        return SystemStory(joint=joint, stories=(replace(joint, name=TOGETHER, pictures=False), *parts))
    table = audit.table
    parts[0] = replace(parts[0], answer=joint.answer, whole=joint.whole)
    parts[-1] = replace(parts[-1], reasons=joint.reasons, reasons_of=table, unasked=joint.unasked)
    unsafe = np.flatnonzero(system.derived & table.primary)
    narrow = sorted({cell for cell in (*joint.narrow.tolist(), *joint.exposed.tolist()) if system.derived[cell]})
    told = difference_blocks(audit, unsafe.tolist(), narrow, basis=system.basis or DifferenceBasis.COUNTS)
    return SystemStory(joint=joint, stories=tuple(parts), more=tuple(told))
