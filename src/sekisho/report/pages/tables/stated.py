"""The report of a table that every cell of which says something: the numbers shown, coloured by what they tell.

The true values stand nowhere on it. The confidential edition marks the unsafe cells; the public one shows what is
published and what a reader can conclude of it, which he could work out himself. Beside it stand the ways tried: what
readers lose against what can be concluded of unsafe cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sekisho.gate.outcome import Outcome, Verdict
from sekisho.gate.tables.candidate import TableCandidate
from sekisho.gate.tables.finding import TableFinding, describe_readers
from sekisho.gate.tables.stated import split_release
from sekisho.provenance import Provenance
from sekisho.report.figures.gallery import Axis, Mark, Scatter
from sekisho.report.kit.blocks import Block, Facts, Figure, Fold, Heading, Origin, Paragraph, TableBlock, Tone
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.words import Words, format_count, format_percent
from sekisho.report.pages.tables.grid import TableGrid, choose_grids, format_interval, format_value, join_codes
from sekisho.report.pages.tables.story import LONGEST, rest_blocks
from sekisho.report.pages.verdicts.ending import WORDS
from sekisho.report.pages.verdicts.tried import impossible_blocks, name_candidate, tell_choice
from sekisho.tables.audit.intervals import Audit
from sekisho.tables.certificate.seal_release import ShownRelease
from sekisho.tables.model.table import Floats, Status, Table
from sekisho.words import Said

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
        blocks.append(Facts(pairs=tuple((key, _write(value)) for key, value in made.figures.items())))
    for name, part, audit in zip(names, parts, _restrict(finding, names), strict=True):
        blocks += [*([Heading(text=name)] if name else []), *_draw(part, audit, public=public)]
        if not public:
            blocks += _list_unsafe(audit)
    return (*blocks, Heading(text=Said("How this was made")), Origin(steps=tuple(origin)))


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
        blocks.append(Paragraph(text=Said("{left:,} further parts are not shown.", left=left)))
    return blocks


def _unmark(table: Table) -> Table:
    """Return a table in which no cell is called unsafe."""
    return replace(table, status=np.where(table.primary, np.int8(Status.SAFE), table.status))


def _list_unsafe(audit: Audit) -> list[Block]:
    cells = audit.cells[audit.table.primary[audit.cells]]
    if not len(cells):
        return []
    rows = tuple((join_codes(audit.table, cell), format_interval(audit, cell)) for cell in cells[:LONGEST].tolist())
    table = TableBlock(head=(Said("cell"), Said("interval")), rows=rows, numeric=(1,))
    summary = Said("The intervals of all {cells:,} unsafe cells", cells=len(cells))
    return [Fold(summary=summary, blocks=(table, *rest_blocks(len(cells))))]


def _write(value: object) -> Words:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    if isinstance(value, float):
        return f"{value:.4g}"
    return format_value(value) if isinstance(value, int) else str(value)


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
            name=each.label,
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
