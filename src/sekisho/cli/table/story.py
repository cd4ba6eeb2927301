"""What the table commands tell of a pattern: a page with ``--report``; with ``--explain`` the same in the terminal, or as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from time import monotonic
from typing import Annotated

import numpy as np
import typer

from sekisho.cli.kit.answer import say, say_interrupted
from sekisho.cli.kit.progress import waiting
from sekisho.provenance import Provenance
from sekisho.report.kit.blocks import Block
from sekisho.report.kit.html import page
from sekisho.report.kit.text import plain
from sekisho.report.pages.table_grid import Intervals
from sekisho.report.pages.table_page import TITLE, TOGETHER, Story, difference_blocks, optimum, table_blocks
from sekisho.tables.audit.intervals import Audit, audit
from sekisho.tables.explain import Reason, reasons, summary
from sekisho.tables.model.table import Mask, Status, Table
from sekisho.tables.suppress.optimiser import Suppression

Report = Annotated[
    Path | None, typer.Option("--report", help="Write a page: the table coloured, the summary, the explanation.")
]
Explain = Annotated[
    bool,
    typer.Option(
        "--explain", help="Tell also what is suppressed by level, why each further cell is, and each interval."
    ),
]


PATIENCE = 60.0
"""For how many seconds reasons are asked."""


def told(
    found: Audit, *, answer: Suppression | None = None, among: Mask | None = None, certified: float | None = None
) -> Story:
    """Return what is told of one audited table; reasons ``among`` some cells only, if said."""
    said = ()
    if answer is not None:
        last = answer.last
        said = optimum(
            cost=last.cost,
            bound=last.bound,
            gap=last.gap,
            optimal=answer.optimal,
            seconds=last.seconds,
            certified=certified,
        )
    why, unasked = explained(found.table, among)
    return Story(found=found, disclosed=found.disclosed, narrow=found.narrow, reasons=why, unasked=unasked, answer=said)


def explained(table: Table, among: Mask | None) -> tuple[list[Reason], int]:
    """Return why each secondary is suppressed, showing how far it is, and for how many of them the time or the user's patience was too short."""
    secondary = table.status == Status.SECONDARY
    total = int((secondary if among is None else secondary & among).sum())
    found: list[Reason] = []
    until = monotonic() + PATIENCE
    try:
        with waiting("asking why each cell is suppressed") as teller:
            for reason in reasons(table, among=among):
                found.append(reason)
                teller.tell(f"{len(found)} of {total}")
                if monotonic() > until:
                    break
    except KeyboardInterrupt:
        say_interrupted("the explanation is not complete")
    if len(found) < total:
        say(f"the reasons of {total - len(found)} of {total} cells were not asked")
    return found, total - len(found)


def suppression_story(
    answer: Suppression, *, certified: float | None = None, among: Mask | None = None
) -> Story | None:
    """Return what is told of a suppression, audited afresh; None if that was interrupted, and the pattern stands without it."""
    try:
        return told(audit(answer.table), answer=answer, certified=certified, among=among)
    except KeyboardInterrupt:
        say_interrupted("the pattern is kept, without page or explanation")
        return None


def linked_stories(joint: Story, tables: Sequence[tuple[str, Audit]]) -> list[Story]:
    """Return what is told of linked tables: each with the intervals that the joint system leaves, and the reasons over all of them."""
    first = replace(joint, name=TOGETHER, pictures=False)
    others = [Story(found=part, disclosed=part.disclosed, narrow=part.narrow, name=name) for name, part in tables]
    return [first, *others]


def difference_story(joint: Story, rest: Mask, tables: Sequence[tuple[str, Audit]]) -> tuple[list[Story], list[Block]]:
    """Return what is told of two populations, and of their unsafe differences.

    A difference that is no secret may be known: only unsafe ones, and the populations' own cells, can be disclosed.
    """
    table = joint.found.table
    own = [Story(found=part, disclosed=part.disclosed, narrow=part.narrow, name=name) for name, part in tables]
    own[0] = replace(own[0], answer=joint.answer)
    own[-1] = replace(own[-1], reasons=joint.reasons, reasons_of=table, unasked=joint.unasked)
    unsafe = np.flatnonzero(rest & table.primary)
    return own, difference_blocks(joint.found, unsafe.tolist(), [cell for cell in joint.narrow.tolist() if rest[cell]])


def paged(stories: Sequence[Story], *, origin: Provenance, more: Sequence[Block] = ()) -> bytes:
    """Return the page."""
    return page(TITLE, table_blocks(stories, origin=[origin], more=more)).encode()


def spoken(stories: Sequence[Story], *, more: Sequence[Block] = ()) -> str:
    """Return the page in the words of a terminal."""
    return plain(TITLE, table_blocks(stories, more=more))


def explanation(story: Story) -> dict[str, object]:
    """Return the summary by level and the reasons as plain data; the sums are those of the true values."""
    table = story.found.table
    return {
        "levels": [{**asdict(one), "level": list(one.level)} for one in summary(table)],
        "reasons": [_reason(table, reason) for reason in story.reasons or ()],
        "unasked": story.unasked,
    }


def _reason(table: Table, reason: Reason) -> dict[str, object]:
    return {
        "cell": table.named(reason.cell),
        "protects": [
            {
                "cell": table.named(chain.primary),
                "equations": [table.equations[row] for row in chain.equations],
                "through": [table.named(cell) for cell in chain.through],
            }
            for chain in reason.chains
        ],
    }


def restricted(joint: Intervals, table: Table, places: Sequence[int]) -> Audit:
    """Return a joint audit, finished, seen from one of its tables: the same intervals at that table's cells."""
    at = {int(cell): place for place, cell in enumerate(joint.cells)}
    hidden = [(cell, at[place]) for cell, place in enumerate(places) if table.suppressed[cell] and place in at]
    cells = [cell for cell, _ in hidden]
    found = [place for _, place in hidden]
    return Audit(
        table=table,
        cells=np.array(cells, dtype=np.intp),
        low=joint.low[found],
        high=joint.high[found],
        whole=False,
        certain=np.ones(len(cells), dtype=np.bool_),
    )
