"""How the table commands tell what was found: keys for JSON, words for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import islice
from math import isfinite
from pathlib import Path
from time import monotonic

import numpy as np

from sekisho.cli.kit.answer import Answer, say, say_interrupted
from sekisho.cli.kit.language import chosen_language
from sekisho.cli.kit.progress import show_progress
from sekisho.cli.table.options import StoryOptions
from sekisho.errors import InfeasibleError
from sekisho.gate.outcome import Reason, Verdict
from sekisho.gate.tables.finding import TableFinding, list_whole_reasons
from sekisho.gate.tables.search import CERTIFICATE, SealedCertificate
from sekisho.gate.tables.system import TableSystem
from sekisho.provenance import Provenance
from sekisho.report.pages.tables.page import AUDIT
from sekisho.report.pages.tables.story import Story
from sekisho.report.pages.tables.system import SystemStory, tell_system
from sekisho.report.pages.tables.verdict import optimum_facts
from sekisho.tables.audit.coalitions import Leak, describe_attackers, describe_coalition
from sekisho.tables.audit.intervals import Audit, audit
from sekisho.tables.check.claims import ClaimedSuppression
from sekisho.tables.explain import CellReason, reasons, summary
from sekisho.tables.model.table import Cover, Joint, Mask, Status, Table
from sekisho.tables.model.whole_numbers import WholeNumbers
from sekisho.tables.suppress.optimiser import MarginCount, PatternChoice, Suppression, count_margins
from sekisho.words import Said, join_words

LISTED = 20
"""Of how many cells the words tell what is wrong; the keys tell all."""


def describe_suppression(answer: Suppression) -> dict[str, object]:
    """Return the figures of an answer."""
    table, last = answer.table, answer.last
    return {
        "cells": table.own,
        "primary": int(table.primary.sum()),
        "secondary": int((table.status == Status.SECONDARY).sum()),
        "status": "optimal" if answer.optimal else "feasible",
        "among": answer.choice.describe(),
        **({"cut_short": list(answer.cut_short)} if answer.cut_short else {}),
        "cost": last.cost,
        "bound": last.bound,
        "gap": last.gap,
        "seconds": round(last.seconds, 3),
        "solver": ", ".join(last.solvers),
        "insiders": answer.insiders,
        "against": describe_attackers(answer.insiders),
        "whole_numbers": last.whole.value,
        **describe_margins(table, last.shown),
    }


def describe_certificate(sealed: SealedCertificate, where: Path | None) -> dict[str, object]:
    """Return what is certified; False if the certificate is not valid, None if there is none; and where it is."""
    keys: dict[str, object] = {"certified": False if sealed.errors else sealed.bound}
    if sealed.errors:
        keys["unproven"] = list(sealed.errors)
    return {**keys, "certificate": None if sealed.data is None or where is None else str(where)}


def tell_reasons(source: Path | str, reasons: Iterable[Reason]) -> dict[str, object]:
    """Return what a person must look at as a key, if anything; all but the certificate is said on stderr here."""
    told = [reason for reason in reasons if reason.verdict is not Verdict.RELEASE]
    for reason in told:
        if reason.rule != CERTIFICATE:  # said when it was made
            say(Said("{source}: {reason}", source=source, reason=reason.detail))
    return {"review": [reason.as_dict() for reason in told]} if told else {}


def describe_figures(keys: Mapping[str, object]) -> str:
    """Return figures as lines of words; of a list its length."""
    lines = [
        Said("{key:<16}{value}", key=key, value=len(each) if isinstance(each, list) else each)
        for key, each in keys.items()
        if key != "hidden_by_level"  # those of higher levels are said
    ]
    return join_words(lines, "\n")


def describe_pattern(table: Table, target: Path | None) -> dict[str, object]:
    """Return the figures of one pattern among several, and where it is written, if it is."""
    return {
        "out": None if target is None else str(target),
        "cells": len(table),
        "primary": int(table.primary.sum()),
        "secondary": int((table.status == Status.SECONDARY).sum()),
    }


def describe_joint(joint: Joint) -> dict[str, object]:
    """Return what an answer tells of the joint table behind linked ones."""
    keys: dict[str, object] = {"joint": joint.cover.value}
    if joint.cover is not Cover.NONE_NEEDED:
        keys["joint_cells"] = joint.cells
    return {**keys, "limit": joint.limit} if joint.limit else keys


def answer_infeasible(error: InfeasibleError, keys: Mapping[str, object], *, why: str = "") -> Answer:
    """Return the answer that no pattern protects a table."""
    reason = join_words([str(error), why])
    return Answer(
        keys={**keys, "status": "infeasible", "reason": reason},
        words=Said("infeasible: {reason}", reason=reason),
        good=False,
    )


def describe_finding(finding: TableFinding) -> dict[str, object]:
    """Return what an audit found; a difference that is no secret has no interval there."""
    audit, table = finding.audit, finding.table
    secret = table.primary | ~finding.system.derived
    return {
        "suppressed": len(finding.hidden),
        "disclosed": len(finding.disclosed),
        "narrow": len(audit.narrow),
        "unsettled": len(audit.unsettled),
        "shown": list(finding.case.shown),
        "insiders": finding.coalition,
        "against": finding.attackers,
        "whole_numbers": finding.whole.value,
        "insider": [describe_leak(table, leak) for leak in finding.leaks],
        "cells": [describe_interval(audit, at) for at, cell in enumerate(audit.cells.tolist()) if secret[cell]],
    }


def describe_interval(audit: Audit, at: int) -> dict[str, object]:
    """Return the interval of one suppressed cell."""
    table, cell = audit.table, int(audit.cells[at])
    low, high = float(audit.low[at]), float(audit.high[at])
    return {
        **dict(zip(table.dims, table.keys[cell], strict=True)),
        "status": Status(int(table.status[cell])).word,
        "low": low if isfinite(low) else None,
        "high": high if isfinite(high) else None,
        **({} if audit.certain[at] else {"settled": False}),
    }


def describe_leak(table: Table, leak: Leak) -> dict[str, object]:
    """Return what contributors of one cell can narrow."""
    return {"insider": table.named(leak.insider), "exposed": [table.named(cell) for cell in leak.exposed]}


def list_faults(finding: TableFinding) -> Iterator[str]:
    """Yield what is wrong with patterns, a line each: not finished, shown, disclosed, too narrow, narrowed by insiders.

    And a limit.
    """
    audit, table = finding.audit, finding.table
    if audit.unsettled.size:
        yield Said(
            "unfinished: {unsettled} of {cells} cells are not settled, so nothing is called safe",
            unsettled=len(audit.unsettled),
            cells=len(audit.cells),
        )
    for name in finding.case.shown[:LISTED]:
        yield Said("shown though unsafe: {name}", name=name)
    yield from _place_cells(audit, Said("disclosed"), finding.disclosed.tolist())
    yield from _place_cells(audit, Said("too narrow"), audit.narrow.tolist())
    for leak in finding.leaks[:LISTED]:
        who = describe_coalition(table, leak.insider, finding.coalition)
        exposed = ", ".join(map(table.named, leak.exposed))
        yield Said("{who} can narrow {exposed}", who=who, exposed=exposed)
    yield Said("asked: {attackers}", attackers=finding.attackers)
    if finding.release is None:
        yield from (reason.detail for reason in list_whole_reasons(finding.whole))
    if table.joint.limit:
        yield Said("limit: {limit}", limit=table.joint.limit)


def _place_cells(audit: Audit, name: str, cells: Iterable[int]) -> Iterator[str]:
    for cell in islice(cells, LISTED):
        at = int(np.searchsorted(audit.cells, cell))
        yield Said(
            "{name}: {cell} lies in [{low:g}, {high:g}]",
            name=name,
            cell=audit.table.named(cell),
            low=audit.low[at],
            high=audit.high[at],
        )


def describe_claims(claimed: ClaimedSuppression) -> dict[str, object]:
    """Return what a valid certificate proves, and what the optimiser said beside it."""
    primary = sum(word == Status.PRIMARY.word for word in claimed.cells.status)
    word = None if claimed.solver_bound is None else float(claimed.solver_bound)
    published = sum(status == Status.PUBLISH.word for status in claimed.cells.status)
    kept = len(claimed.kept)
    choice = PatternChoice(kept=kept, shown=published - kept, frozen=len(claimed.frozen))
    return {
        "primary": primary,
        "status": claimed.status,
        "among": choice.describe(),
        "cost": float(claimed.cost),
        "bound": float(claimed.bound),
        "solver_bound": word,
        "joint": claimed.joint,
        "insiders": claimed.insiders,
        "against": describe_attackers(claimed.insiders),
        "whole_numbers": _read_whole(claimed).value,
        **({"limit": claimed.limit} if claimed.limit else {}),
    }


def _read_whole(claimed: ClaimedSuppression) -> WholeNumbers:
    """Return what a certificate says of attackers who know that cells are whole numbers."""
    if claimed.whole:
        return WholeNumbers.PROVEN
    whole = all(value == int(value) for value in claimed.cells.value)
    return WholeNumbers.NOT_CONSIDERED if whole else WholeNumbers.NO_WHOLE_NUMBERS


def list_proven(keys: Mapping[str, object]) -> Iterator[str]:
    """Yield what a valid certificate proves, in words."""
    yield Said("valid")
    yield Said(
        "each of the {primary} unsafe cells keeps its protection against {against}",
        primary=keys["primary"],
        against=keys["against"],
    )
    yield Said("that holds against {attackers}", attackers=WholeNumbers(str(keys["whole_numbers"])).words)
    if keys.get("limit"):
        yield Said("limit: {limit}", limit=keys["limit"])
    if keys.get("joint") == "covered":
        yield Said("also against whoever uses that no cell of the joint table is below 0")
    costs = Said(
        "the pattern costs {cost:g}, and none costs less than {bound:g} among {among}",
        cost=keys["cost"],
        bound=keys["bound"],
        among=keys["among"],
    )
    yield Said("optimal: {costs}", costs=costs) if keys["status"] == "optimal" else costs
    word = keys["solver_bound"]
    if isinstance(word, float) and isinstance(keys["bound"], float) and word > keys["bound"]:
        yield Said(
            "the optimiser says that none costs less than {bound:g}: that is its word, which the certificate does not "
            "prove",
            bound=word,
        )
    yield Said("checked: {checked}", checked=keys["checked"])
    missing = keys["missing"]
    if isinstance(missing, list) and missing:
        yield f"not found beside the certificate: {', '.join(map(str, missing))}"


def describe_margins(table: Table, kept: Mask | None) -> dict[str, object]:
    """Return what a pattern hides of the margins, from the grand total down, and how many had to stay."""
    levels = count_margins(table)
    return {
        "grand_total": "hidden" if any(each.hidden for each in levels[:1]) else "shown",
        "hidden_totals": sum(each.hidden for each in levels),
        "hidden_by_level": [{"level": each.height, "cells": each.cells, "hidden": each.hidden} for each in levels],
        "kept_totals": 0 if kept is None else int(kept.sum()),
    }


def say_hidden_totals(table: Table) -> Iterator[str]:
    """Yield what must not be overlooked of the totals that a pattern hides."""
    levels = count_margins(table)
    if levels and levels[0].hidden:
        yield (
            Said("the grand total is hidden")
            if levels[0].cells == 1
            else Said("{hidden} grand totals are hidden", hidden=levels[0].hidden)
        )
    higher = [_describe_level(each) for each in levels[1:] if each.height > 1 and each.hidden]
    if higher:
        yield Said("totals of totals are hidden: {higher} (inner cells are level 0)", higher=", ".join(higher))


def _describe_level(level: MarginCount) -> str:
    return Said("{hidden} of {cells} at level {height}", hidden=level.hidden, cells=level.cells, height=level.height)


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
        whole = sealed.judge_whole(answer.table)
        story = replace(_tell_audit(system, audited), answer=result, insiders=answer.insiders, whole=whole)
        return tell_system(system, audited, story, names)
    except KeyboardInterrupt:
        say_interrupted(Said("the pattern is kept, without page or explanation"))
        return None


def tell_finding(finding: TableFinding, names: Sequence[str] = ()) -> SystemStory:
    """Return what is told of a finished audit."""
    exposed = np.unique(np.array([cell for leak in finding.leaks for cell in leak.exposed], dtype=np.intp))
    audited = _tell_audit(finding.system, finding.audit)
    story = replace(audited, insiders=finding.coalition, exposed=exposed, whole=finding.whole)
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
                teller.tell(Said("{answered} of {total}", answered=len(answered), total=total))
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
        ending = None if answer.ending is None else answer.ending.on_page()
        page = story.page(origin, ending=ending, language=chosen_language())
        answer = replace(answer, files={**answer.files, options.report: page})
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
