"""The page that the table commands write with ``--report``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from sekisho.provenance import Provenance
from sekisho.report.html import page
from sekisho.report.tablepage import TITLE, TOGETHER, Story, optimum, table_blocks
from sekisho.tables.audit import Audit, audit
from sekisho.tables.explain import reasons
from sekisho.tables.suppress import Step, Suppression
from sekisho.tables.table import Table

Report = Annotated[
    Path | None, typer.Option("--report", help="Write a page: the table coloured, the summary, the explanation.")
]


def told(found: Audit, *, last: Step | None = None, optimal: bool = False) -> Story:
    """Return what the page tells of one audited table."""
    answer = (
        ()
        if last is None
        else optimum(cost=last.cost, bound=last.bound, gap=last.gap, optimal=optimal, seconds=last.seconds)
    )
    return Story(
        found=found,
        disclosed=found.disclosed,
        narrow=found.narrow,
        reasons=list(reasons(found.table)),
        answer=answer,
    )


def suppression_page(answer: Suppression, *, origin: Provenance) -> bytes:
    """Return the page about a suppression, audited afresh."""
    story = told(audit(answer.table), last=answer.last, optimal=answer.optimal)
    return page(TITLE, table_blocks([story], origin=[origin])).encode()


def audit_page(found: Audit, *, origin: Provenance) -> bytes:
    """Return the page about an audited pattern."""
    return page(TITLE, table_blocks([told(found)], origin=[origin])).encode()


def linked_page(
    joint: Audit, tables: Sequence[tuple[str, Audit]], answer: Suppression | None, *, origin: Provenance
) -> bytes:
    """Return the page about linked tables: each with the intervals that the joint system leaves, and the reasons over all of them."""
    last = None if answer is None else answer.last
    whole = told(joint, last=last, optimal=answer is not None and answer.optimal)
    first = replace(whole, name=TOGETHER, pictures=False)
    others = [Story(found=part, disclosed=part.disclosed, narrow=part.narrow, name=name) for name, part in tables]
    return page(TITLE, table_blocks([first, *others], origin=[origin])).encode()


def restricted(joint: Audit, table: Table, places: Sequence[int]) -> Audit:
    """Return a joint audit seen from one of its tables: the same intervals at that table's cells."""
    at = {int(cell): place for place, cell in enumerate(joint.cells)}
    hidden = [(cell, at[place]) for cell, place in enumerate(places) if table.suppressed[cell] and place in at]
    cells = [cell for cell, _ in hidden]
    found = [place for _, place in hidden]
    return Audit(
        table=table,
        cells=np.array(cells, dtype=np.intp),
        low=joint.low[found],
        high=joint.high[found],
        whole=joint.whole,
        certain=joint.certain[found],
    )
