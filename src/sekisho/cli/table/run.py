"""Searches and audits of tables, watched from the terminal; an interruption keeps what there is."""

from __future__ import annotations

from sekisho.cli.kit.answer import say, say_interrupted
from sekisho.cli.kit.progress import watch, watch_counted
from sekisho.cli.table.options import SearchOptions
from sekisho.gate.tables.finding import TableFinding, finish_audit
from sekisho.gate.tables.search import SealedCertificate, TableSearch
from sekisho.gate.tables.system import PatternCase
from sekisho.provenance import Provenance
from sekisho.tables.audit.intervals import audit_steps
from sekisho.tables.model.table import Table
from sekisho.tables.suppress.optimiser import Suppression, finish_search
from sekisho.tables.suppress.search import SearchStep


def read_search(options: SearchOptions) -> TableSearch:
    """Return the search that options ask for; their time is to hold for the certificate as well."""
    return TableSearch(seconds=options.seconds, solver=options.solver.value, insiders=options.insiders)


def run_audit(
    case: PatternCase, *, whole: bool = False, seconds: float | None = None, insiders: int = 0
) -> TableFinding:
    """Audit patterns, showing how far it is.

    An interruption or the end of the time keeps what is certain, and says so.
    """
    audit = watch_counted(audit_steps(case.system.table, whole=whole, seconds=seconds), doing="auditing").audit
    if audit.unsettled.size:
        say(f"the audit is not finished: the intervals of {audit.unsettled.size} cells are only what was seen possible")
    return finish_audit(case, audit, insiders=insiders)


def run_optimiser(table: Table, search: TableSearch) -> Suppression:
    """Run the optimiser, showing how it goes; an interruption keeps the best pattern so far."""
    last = watch(
        search.optimiser.steps(table),
        doing="looking for the cheapest safe pattern",
        tell=_describe_step,
        keep=lambda step: None if step.secondary is None else "the best pattern so far is kept",
    )
    return finish_search(table, last, insiders=search.insiders)


def _describe_step(step: SearchStep) -> str:
    best = "none yet" if step.secondary is None else f"{step.cost:g}"
    return f"{step.stage}: best {best}, none below {step.bound:g}, {len(step.cuts)} cuts"


def seal_certificate(search: TableSearch, answer: Suppression, origin: Provenance) -> SealedCertificate:
    """Return an answer's certificate, saying what is wrong with it.

    An interruption leaves it out, and the pattern stands.
    """
    try:
        sealed = search.seal_certificate(answer, origin=origin)
    except KeyboardInterrupt:
        say_interrupted("the pattern is kept, without a certificate")
        return SealedCertificate()
    if sealed.errors:
        more = f", and {len(sealed.errors) - 1} more" if sealed.errors[1:] else ""
        say(f"the pattern has passed its audit, but the certificate is NOT VALID: {sealed.errors[0]}{more}")
    return sealed
