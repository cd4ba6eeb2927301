"""What the table commands tell of a pattern: a page with ``--report``.

With ``--explain`` the same in the terminal, or as JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from time import monotonic

import numpy as np

from sekisho.cli.kit.answer import Answer, say, say_interrupted
from sekisho.cli.kit.language.choice import chosen_language
from sekisho.cli.kit.progress import show_progress
from sekisho.cli.table.options import StoryOptions
from sekisho.gate.tables.finding import TableFinding
from sekisho.gate.tables.search import SealedCertificate
from sekisho.gate.tables.system import TableSystem
from sekisho.provenance import Provenance
from sekisho.report.pages.tables.page import AUDIT
from sekisho.report.pages.tables.story import Story
from sekisho.report.pages.tables.system import SystemStory, tell_system
from sekisho.report.pages.tables.verdict import optimum_facts
from sekisho.tables.audit.intervals import Audit, audit
from sekisho.tables.explain import CellReason, reasons, summary
from sekisho.tables.model.table import Mask, Status, Table
from sekisho.tables.suppress.optimiser import Suppression
from sekisho.words import Said, join_words

PATIENCE = 60.0
"""For how many seconds reasons are asked."""


def tell_suppression(
    system: TableSystem, answer: Suppression, sealed: SealedCertificate, names: Sequence[str] = ()
) -> SystemStory | None:
    """Return what is told of a suppression, audited afresh.

    None if that was interrupted, and the pattern stands without it.
    """
    last = answer.last
    result = optimum_facts(
        cost=last.cost,
        bound=last.bound,
        gap=last.gap,
        optimal=answer.optimal,
        seconds=last.seconds,
        certified=sealed.bound,
        choice=answer.choice,
    )
    try:
        audited = audit(answer.table)
        story = replace(_tell_audit(system, audited), answer=result, insiders=answer.insiders)
        return tell_system(system, audited, story, names)
    except KeyboardInterrupt:
        say_interrupted(Said("the pattern is kept, without page or explanation"))
        return None


def tell_finding(finding: TableFinding, names: Sequence[str] = ()) -> SystemStory:
    """Return what is told of a finished audit."""
    exposed = np.unique(np.array([cell for leak in finding.leaks for cell in leak.exposed], dtype=np.intp))
    story = replace(_tell_audit(finding.system, finding.audit), insiders=finding.coalition, exposed=exposed)
    return replace(tell_system(finding.system, finding.audit, story, names), title=AUDIT)


def _tell_audit(system: TableSystem, audited: Audit) -> Story:
    why, unasked = _ask_reasons(audited.table, ~system.derived)
    return Story(audited=audited, disclosed=audited.disclosed, narrow=audited.narrow, reasons=why, unasked=unasked)


def _ask_reasons(table: Table, among: Mask) -> tuple[list[CellReason], int]:
    """Return why each secondary is suppressed, and for how many of them the time or the user's patience was too short.

    How far it is shows in the terminal.
    """
    total = int(((table.status == Status.SECONDARY) & among).sum())
    answered: list[CellReason] = []
    until = monotonic() + PATIENCE
    try:
        with show_progress(Said("asking why each cell is suppressed")) as teller:
            for reason in reasons(table, among=among):
                answered.append(reason)
                teller.tell(Said("{count} of {size}", count=len(answered), size=total))
                if monotonic() > until:
                    break
    except KeyboardInterrupt:
        say_interrupted(Said("the explanation is not complete"))
    if len(answered) < total:
        say(
            Said(
                "the reasons of {total} of {other_total} cells were not asked",
                total=total - len(answered),
                other_total=total,
            )
        )
    return answered, total - len(answered)


def add_story(answer: Answer, story: SystemStory | None, options: StoryOptions, origin: Provenance) -> Answer:
    """Return an answer with the page among its files and the explanation in its keys and words, where asked."""
    if story is None:
        return answer
    if options.report is not None:
        answer = replace(answer, files={**answer.files, options.report: story.page(origin, language=chosen_language())})
    if options.explain:
        keys = {**answer.keys, **_explain_story(story.joint)}
        answer = replace(
            answer, keys=keys, words=join_words([answer.words, "", story.text(language=chosen_language())], "\n")
        )
    return answer


def _explain_story(story: Story) -> dict[str, object]:
    """Return the summary by level and the reasons as plain data; the sums are those of the true values."""
    table = story.audited.table
    return {
        "levels": [{**asdict(one), "level": list(one.level)} for one in summary(table)],
        "reasons": [_explain_reason(table, reason) for reason in story.reasons or ()],
        "unasked": story.unasked,
    }


def _explain_reason(table: Table, reason: CellReason) -> dict[str, object]:
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
