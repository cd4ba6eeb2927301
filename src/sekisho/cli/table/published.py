"""``sekisho table audit`` of a published table: what an outsider makes of it, without the true values."""

from __future__ import annotations

from pathlib import Path

from sekisho.cli.kit.answer import Answer, say
from sekisho.cli.table.describe import describe_finding, list_faults
from sekisho.cli.table.files.cell_files import Reading, say_bounds, say_margins
from sekisho.cli.table.options import AuditOptions, RuleOptions, StoryOptions
from sekisho.cli.table.rules import read_rules
from sekisho.cli.table.run import run_audit
from sekisho.data.files.frames import read_frame
from sekisho.data.files.plain_files.number_columns import settle_numbers
from sekisho.data.files.plain_files.numbers import POINT
from sekisho.errors import ParameterError
from sekisho.gate.tables.published import LACK, judge_published
from sekisho.tables.files.bounds import BOUND_NAMES
from sekisho.tables.files.cell_marks import STATUS
from sekisho.tables.files.published import PublishedFile
from sekisho.tables.model.table import Table
from sekisho.words import Said, join_words

SUPPRESSED = "suppressed"


def read_published(how: Reading, source: Path, mark: str | None) -> Table | None:
    """Return the table of a published file, having said how it was read; None if every value is there."""
    if how.cells is None:
        return None
    csv = how.form.csv
    read = read_frame(source, separator=csv.separator, encoding=csv.encoding)
    frame = settle_numbers(read.frame, (how.value, *BOUND_NAMES), csv.decimal, source, otherwise=POINT)
    file = PublishedFile(cells=how.cells, mark=mark)
    hides = file.find_mark(frame)
    if hides is None:
        return None
    say(Said("{source}: {reason}", source=source, reason=read.form))
    table = file.table(frame, source=source)
    say_margins(source, how.cells.known_by_name(table))
    say_bounds(source, how.cells.bounds_of(frame))
    hidden = int((table.suppressed & ~table.unpublished).sum())
    say(
        Said(
            "{source}: a published table, in which {hides!r} stands for {hidden} hidden cells",
            source=source,
            hides=hides,
            hidden=hidden,
        )
    )
    if STATUS not in frame.columns:
        say(Said("which hidden cells are unsafe is not told: --width asks how closely each may be estimated"))
    return table


def answer_published(
    how: Reading, table: Table, asked: RuleOptions, audit: AuditOptions, story: StoryOptions
) -> Answer:
    """Return what an outsider finds of the hidden cells of a published table."""
    if story.asked:
        raise ParameterError("report", Said("not be asked of a published table"), "--report or --explain", hint=LACK)
    told = bool(table.primary.any())
    case = judge_published(table, read_rules(asked), counts=how.counts, insiders=audit.insiders)
    finding = run_audit(case, audit)
    keys = describe_finding(finding)
    if not told:
        keys["cells"] = [{**cell, "status": SUPPRESSED} for cell in _list_cells(keys)]
    keys["published"] = True
    hidden, disclosed = len(finding.hidden), len(finding.disclosed)
    head = (
        Said(
            "{hidden} suppressed, {disclosed} disclosed exactly, {narrow} closer than the width",
            hidden=hidden,
            disclosed=disclosed,
            narrow=len(finding.audit.narrow),
        )
        if finding.table.primary.any()
        else Said("{hidden} suppressed, {disclosed} disclosed exactly", hidden=hidden, disclosed=disclosed)
    )
    return Answer(keys=keys, words=join_words([head, *list_faults(finding)], "\n"), good=finding.safe)


def _list_cells(keys: dict[str, object]) -> list[dict[str, object]]:
    cells = keys["cells"]
    return [dict(cell) for cell in cells] if isinstance(cells, list) else []
