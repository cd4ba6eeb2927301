"""How the table commands tell what was found: keys for JSON, words for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from math import isfinite
from pathlib import Path

import numpy as np

from sekisho.cli.kit.answer import Answer
from sekisho.cli.table.margins import describe_margins
from sekisho.errors import InfeasibleError
from sekisho.gate.tables.finding import TableFinding
from sekisho.gate.tables.search import SealedCertificate
from sekisho.tables.audit.coalitions import describe_attackers, describe_coalition
from sekisho.tables.audit.insider import Leak
from sekisho.tables.audit.intervals import Audit
from sekisho.tables.check.claims import Claims
from sekisho.tables.model.choice import PatternChoice
from sekisho.tables.model.cover import Cover, Joint
from sekisho.tables.model.table import Status, Table
from sekisho.tables.suppress.optimiser import Suppression
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
        "cost": last.cost,
        "bound": last.bound,
        "gap": last.gap,
        "seconds": round(last.seconds, 3),
        "solver": ", ".join(last.solvers),
        "insiders": answer.insiders,
        "against": describe_attackers(answer.insiders),
        **describe_margins(table, last.shown),
    }


def describe_certificate(sealed: SealedCertificate, where: Path) -> dict[str, object]:
    """Return what is certified; False if the certificate is not valid, None if there is none."""
    keys: dict[str, object] = {"certified": False if sealed.errors else sealed.bound}
    if sealed.errors:
        keys["unproven"] = list(sealed.errors)
    return {**keys, "certificate": None if sealed.data is None else str(where)}


def describe_figures(keys: Mapping[str, object]) -> str:
    """Return figures as lines of words; of a list its length."""
    lines = [
        Said("{key:<16}{value}", key=key, value=len(each) if isinstance(each, list) else each)
        for key, each in keys.items()
        if key != "hidden_by_level"  # those of higher levels are said
    ]
    return join_words(lines, "\n")


def describe_pattern(table: Table, target: Path) -> dict[str, object]:
    """Return the figures of one pattern among several."""
    return {
        "out": str(target),
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


def describe_claims(claimed: Claims) -> dict[str, object]:
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
        **({"limit": claimed.limit} if claimed.limit else {}),
    }


def list_proven(keys: Mapping[str, object]) -> Iterator[str]:
    """Yield what a valid certificate proves, in words."""
    yield Said("valid")
    yield Said(
        "each of the {primary} unsafe cells keeps its protection against {against}",
        primary=keys["primary"],
        against=keys["against"],
    )
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
        yield Said("not found beside the certificate: {missing}", missing=", ".join(map(str, missing)))
