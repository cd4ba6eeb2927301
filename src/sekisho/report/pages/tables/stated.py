"""The report of a table that every cell of which says something: the numbers shown, coloured by what they tell.

The true values stand nowhere on it. The confidential edition marks the unsafe cells; the public one shows what is
published and what a reader can conclude of it, which he could work out himself. Beside it stand the ways tried: what
readers lose against what can be concluded of unsafe cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sekisho.gate.ending import Ending
from sekisho.gate.names import translate_name
from sekisho.gate.outcome import Outcome, Verdict
from sekisho.gate.tables.candidate import TableCandidate
from sekisho.gate.tables.finding import TableFinding, describe_readers
from sekisho.gate.tables.stated import split_release
from sekisho.provenance import Provenance
from sekisho.report.figures.gallery import Axis, Mark, Scatter
from sekisho.report.kit.blocks import Block, Facts, Figure, Fold, Heading, Origin, Paragraph, TableBlock, Tone
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.html import render_page
from sekisho.report.kit.words import Words, format_count, format_percent
from sekisho.report.pages.tables.grid import TableGrid, choose_grids, format_interval, format_value, join_codes
from sekisho.report.pages.tables.perturbed import posterior_blocks
from sekisho.report.pages.tables.story import LONGEST, rest_blocks
from sekisho.report.pages.verdicts.ending import WORDS, put_ending_first
from sekisho.report.pages.verdicts.reasons import reason_blocks
from sekisho.report.pages.verdicts.tried import impossible_blocks, name_candidate, tell_choice
from sekisho.tables.audit.intervals import Audit
from sekisho.tables.audit.witness import Evidence
from sekisho.tables.certificate.seal_release import ShownRelease
from sekisho.tables.explain import ShownReason, explain_shown
from sekisho.tables.model.table import Floats, Status, Table
from sekisho.tables.perturb.evidence import CellEvidence
from sekisho.words import Language, Said

PROTECTED = 3
"""So many cells are named that one protects."""
TONES = {Verdict.RELEASE: Tone.GOOD, Verdict.REVIEW: Tone.WARN, Verdict.REFUSE: Tone.BAD}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StatedGrid(TableGrid):
    """Two dimensions of a table as it is shown: the number of each cell, and below it what a reader can conclude.

    Attributes:
        shown: what each cell is shown as, or the two ends of its interval.
        unsafe: the cells that are marked; none in the public edition.
    """

    shown: Floats = field(default_factory=lambda: np.zeros(0))
    unsafe: frozenset[int] = frozenset()

    def _cell(self, row: str, column: str) -> str:
        at = self._at(row, column)
        if at is None:
            return "<td></td>"
        said = self._tell(at)
        kind = " primary" if at in self.unsafe else " hidden" if said else ""
        return f'<td class="number{kind}">{self._show(at)}{f"<small>{said}</small>" if said else ""}</td>'

    def _word(self, row: str, column: str) -> str:
        at = self._at(row, column)
        return "" if at is None else f"{self._show(at)} {self._tell(at)}".strip()

    def _show(self, at: int) -> str:
        if self.shown.ndim == 1:
            return format_value(float(self.shown[at]))
        low, high = (float(end) for end in self.shown[at])
        return format_value(low) if low == high else f"{format_value(low)}–{format_value(high)}"

    def _tell(self, at: int) -> str:
        """Return what a reader concludes, where it is more than the number."""
        place = int(np.searchsorted(self.audited.cells, at))
        known = place < len(self.audited.cells) and self.audited.cells[place] == at
        return format_interval(self.audited, at) if known else ""


SHOWN_TITLE = Said("A table in which every cell says something")


def make_stated_page(
    candidate: TableCandidate, origin: Provenance, *, ending: Ending | None = None, language: Language = Language.EN
) -> bytes:
    """Return the page of one release, which tells unsafe cells from others and stays in the house."""
    blocks = stated_blocks(candidate, ("",), origin=[origin], edition=Edition.CONFIDENTIAL)
    reasons = reason_blocks(candidate.reasons, edition=Edition.CONFIDENTIAL)
    page = put_ending_first(ending, (*reasons, *blocks))
    return render_page(SHOWN_TITLE, page, language=language, edition=Edition.CONFIDENTIAL).encode()


def stated_blocks(
    candidate: TableCandidate, names: Sequence[str], *, origin: Sequence[Provenance], edition: Edition
) -> tuple[Block, ...]:
    """Return what is told of a release whose cells all say something; the public edition marks no cell."""
    made, _ = candidate.release.take_made()
    finding, public = candidate.finding, edition is Edition.PUBLIC
    parts = [made.release] if len(names) == 1 else split_release(made.release, finding.system)
    blocks: list[Block] = [
        Paragraph(text=Said("This is promised against {readers}.", readers=describe_readers(made.release.against))),
        *(Paragraph(text=remark) for remark in made.remarks),
    ]
    if not public:
        blocks += [Paragraph(text=notice) for notice in made.notices]
        blocks.append(Facts(pairs=tuple(_list_figures(made.figures))))
    for name, part, audit in zip(names, parts, _restrict(finding, names), strict=True):
        blocks += [*([Heading(text=name)] if name else []), *_draw(part, audit, public=public)]
    if not public:
        blocks += explain_block(made.release, finding.audit, candidate.release.witnesses)
    if made.evidence is not None and not public:
        blocks += _list_posteriors(made.release, made.evidence, finding.audit)
    return (*blocks, Heading(text=Said("How this was made")), Origin(steps=tuple(origin)))


def _list_figures(figures: Mapping[str, object]) -> Iterator[tuple[Words, Words]]:
    """Give what is told of a release in one line each; what is told at length elsewhere is left out."""
    labels: Mapping[str, Said] = {
        "cells": Said("cells"),
        "changed": Said("cells that show another number"),
        "shown": Said("cells shown as they are"),
        "intervals": Said("cells shown as intervals"),
        "largest_change": Said("largest change"),
        "deviation": Said("sum of all changes"),
        "width": Said("sum of all widths"),
        "false_zeros": Said("cells with somebody in them that show 0"),
        "cost": Said("what was made least"),
        "bound": Said("none is below"),
        "certified": Said("none is below, by the certificate"),
        "gap": Said("gap"),
        "at_level": Said("unsafe cells moved by just their level"),
        "seconds": Said("seconds"),
    }
    yield from ((labels[key], _write(value)) for key, value in figures.items() if key in labels)


def _list_posteriors(release: ShownRelease, evidence: CellEvidence, audit: Audit) -> list[Block]:
    def tell_cell(cell: int) -> tuple[str, str]:
        place = int(np.searchsorted(audit.cells, cell))
        told = place < len(audit.cells) and audit.cells[place] == cell
        shown = format_value(float(release.shown[cell]))
        return shown, format_interval(audit, cell) if told else shown

    heading = Heading(text=Said("What is known best of each cell"), level=3)
    return [heading, *posterior_blocks(release.table, evidence, tell_cell)]


def _restrict(finding: TableFinding, names: Sequence[str]) -> list[Audit]:
    """Return what was found, seen from each table."""
    audit, system = finding.audit, finding.system
    if len(names) == 1:
        return [audit]
    low, high = audit.table.value.copy(), audit.table.value.copy()
    low[audit.cells], high[audit.cells] = audit.low, audit.high
    certain = np.ones(len(low), dtype=np.bool_)
    certain[audit.cells] = audit.certain
    views: list[Audit] = []
    for part, at in zip(system.mark_parts(audit.table), system.places, strict=True):
        cells = np.flatnonzero(np.isin(at, audit.cells))
        inside = at[cells]
        views.append(
            replace(audit, table=part, cells=cells, low=low[inside], high=high[inside], certain=certain[inside])
        )
    return views


def _draw(release: ShownRelease, audit: Audit, *, public: bool) -> list[Block]:
    table = audit.table
    unsafe = frozenset[int]() if public else frozenset(np.flatnonzero(table.primary).tolist())
    plain = replace(audit, table=_unmark(table))  # which rows are drawn must not tell where unsafe cells are
    grids, left = choose_grids(plain, edition=Edition.PUBLIC if public else Edition.CONFIDENTIAL)
    note = Said("Below each number stands the interval in which a reader must place the true one.")
    blocks: list[Block] = [Heading(text=Said("The table"), level=3), Paragraph(text=note)]
    blocks += [
        StatedGrid(
            audited=plain,
            fixed=grid.fixed,
            most=grid.most,
            sums=grid.sums,
            edition=grid.edition,
            shown=release.shown,
            unsafe=unsafe,
        )
        for grid in grids
    ]
    if left:
        blocks.append(Paragraph(text=Said("{left:,} further {left:part is|parts are} not shown.", left=left)))
    return blocks


def _unmark(table: Table) -> Table:
    """Return a table in which no cell is called unsafe."""
    return replace(table, status=np.where(table.primary, np.int8(Status.SAFE), table.status))


def explain_block(release: ShownRelease, audit: Audit, witnesses: Evidence | None) -> list[Block]:
    """Return why each unsafe cell is shown as it is and what a reader concludes, then those opened for their sake."""
    table = release.table
    unsafe = np.flatnonzero(table.primary & ~table.unpublished).tolist()
    opened = [] if release.shown.ndim == 1 else np.flatnonzero(release.shown[:, 0] != release.shown[:, 1]).tolist()
    cells = [*unsafe, *(cell for cell in opened if not table.primary[cell] and not table.unpublished[cell])]
    if not cells:
        return []
    told = explain_shown(release, audit, cells[:LONGEST], witnesses)
    rows = tuple(
        (join_codes(table, each.cell), _say_reason(table, each), _format_ends(each.alone), _format_ends(each.together))
        for each in told
    )
    head = (Said("cell"), Said("why it is shown so"), Said("its number alone says"), Said("all numbers together say"))
    block = TableBlock(head=head, rows=rows, numeric=(2, 3))
    summary = Said("Why {cells:,} {cells:cell is|cells are} shown so, and what follows", cells=len(cells))
    return [Fold(summary=summary, blocks=(block, *rest_blocks(len(cells))))]


def _say_reason(table: Table, reason: ShownReason) -> Words:
    if not reason.protects:
        return reason.why
    names = "; ".join(join_codes(table, cell) for cell in reason.protects[:PROTECTED])
    more = "" if len(reason.protects) <= PROTECTED else "; …"
    return Said("{why} ({cells})", why=reason.why, cells=names + more)


def _format_ends(ends: tuple[float, float] | None) -> Words:
    if ends is None:
        return Said("nothing")
    low, high = ends
    return f"{format_value(low)} – {format_value(high) if np.isfinite(high) else '∞'}"


def _write(value: object) -> Words:
    return f"{value:.4g}" if isinstance(value, float) else format_value(float(str(value)))


def tried_methods(outcome: Outcome[TableCandidate]) -> tuple[Block, ...]:
    """Return the ways to publish a table beside one another: what readers lose, what can be concluded."""
    head: tuple[Words, ...] = (
        Said("method"),
        Said("lost to readers"),
        Said("cells changed or hidden"),
        Said("narrowest interval of an unsafe cell"),
        Said("mean width of unsafe cells"),
        Said("verdict"),
    )
    rows = tuple(
        (
            name_candidate(outcome, each),
            format_percent(each.score.value),
            format_count(int(_count_touched(each))),
            _write_width(each.score.detail["narrowest"]),
            _write_width(each.score.detail["mean_width"]),
            WORDS[each.verdict],
        )
        for each in outcome.candidates
    )
    note = Said(
        "Lost to readers is the mean over the cells of half the width of what they can conclude, relative to the cell "
        "and at most all of it: 0 % is the true table."
    )
    return (
        Heading(text=Said("What was tried")),
        Paragraph(text=tell_choice(outcome)),
        TableBlock(head=head, rows=rows, numeric=(1, 2, 3, 4)),
        Paragraph(text=note),
        *_draw_frontier(outcome),
        *impossible_blocks(outcome.impossible),
    )


def _count_touched(candidate: TableCandidate) -> float:
    release = candidate.release
    if release.made is None:
        return float((release.table.suppressed & ~release.table.unpublished).sum())
    return candidate.score.detail["changed"]


def _write_width(width: float) -> str:
    return format_value(round(width, 1)) if np.isfinite(width) else "∞"


def _draw_frontier(outcome: Outcome[TableCandidate]) -> tuple[Block, ...]:
    points = tuple(
        Mark(
            name=translate_name(each.label),
            x=100 * each.score.value,
            y=each.score.detail["mean_width"],
            tone=TONES[each.verdict],
            chosen=each is outcome.best,
        )
        for each in outcome.candidates
        if np.isfinite(each.score.detail["mean_width"])
    )
    chart = Scatter(
        title=Said("What readers lose, and what is left open of unsafe cells"),
        desc=Said("Each point is a way to publish the table: to the left is more useful, higher leaves more open."),
        x=Axis(label=Said("lost to readers (%)")),
        y=Axis(label=Said("mean width of unsafe cells")),
        points=points,
    )
    return (Figure(picture=chart),) if chart.has_content else ()
