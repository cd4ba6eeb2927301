"""Rules, searches and audits of tables, watched from the terminal; an interruption keeps what there is."""

from __future__ import annotations

from sekisho.cli.kit.answer import say, say_interrupted
from sekisho.cli.kit.progress import watch, watch_counted
from sekisho.cli.table.describe import say_hidden_totals
from sekisho.cli.table.options import AuditOptions, RuleOptions, SearchOptions
from sekisho.gate.tables.finding import TableFinding, finish_audit
from sekisho.gate.tables.search import CertifiedAnswer, MarginCare, SealedCertificate, TableSearch, WriteFiles
from sekisho.gate.tables.system import PatternCase
from sekisho.provenance import Provenance
from sekisho.tables.audit.intervals import audit_steps
from sekisho.tables.model.table import Table
from sekisho.tables.rules.table_rules import Price, TableRules, guard_primaries, rule, tell_bare, tell_switched_off
from sekisho.tables.suppress.optimiser import Suppression, finish_search
from sekisho.tables.suppress.search import SearchStep
from sekisho.words import Said


def read_search(options: SearchOptions, margins: MarginCare = MarginCare.FREE) -> TableSearch:
    """Return the search that options ask for; their time is to hold for the certificate as well."""
    return TableSearch(
        seconds=options.seconds or None,
        solver=options.solver.value,
        insiders=options.insiders or 0,
        keep=margins is MarginCare.KEEP,
    )


def run_audit(case: PatternCase, asked: AuditOptions, *, insiders: int) -> TableFinding:
    """Audit patterns, showing how far it is.

    An interruption or the end of the time keeps what is certain, and says so. ``insiders`` are how many contributors of
    one cell are considered together.
    """
    audit = watch_counted(
        audit_steps(case.system.table, whole=asked.whole, seconds=asked.seconds), doing=Said("auditing")
    ).audit
    if audit.unsettled.size:
        say(
            Said(
                "the audit is not finished: the intervals of {size} cells are only what was seen possible",
                size=audit.unsettled.size,
            )
        )
    return finish_audit(case, audit, insiders=insiders)


def run_optimiser(table: Table, search: TableSearch) -> Suppression:
    """Run the optimiser, showing how it goes and how long it may take.

    An interruption keeps the best pattern so far.
    """
    limit = (
        Said("no time limit")
        if search.seconds is None
        else Said("{seconds:g} s at most with its certificate, --time", seconds=search.seconds)
    )
    last = watch(
        search.optimiser.steps(table),
        doing=Said("looking for the cheapest safe pattern ({limit})", limit=limit),
        tell=_describe_step,
        keep=lambda step: None if step.secondary is None else Said("the best pattern so far is kept"),
        value=lambda step: step.cost,
    )
    return finish_search(table, last, insiders=search.insiders)


def watch_search(search: TableSearch, table: Table, origin: Provenance, *, write: WriteFiles) -> CertifiedAnswer:
    """Run a search and certify its pattern and the files written of it, both watched from the terminal."""
    return certify(search, run_optimiser(table, search), origin, write)


def _describe_step(step: SearchStep) -> str:
    best = Said("best|none yet") if step.secondary is None else f"{step.cost:g}"
    return Said(
        "{stage}: best {best}, none below {bound:g}, {cuts} cuts",
        stage=step.stage,
        best=best,
        bound=step.bound,
        cuts=len(step.cuts),
    )


def certify(search: TableSearch, answer: Suppression, origin: Provenance, write: WriteFiles) -> CertifiedAnswer:
    """Return an answer with its certificate, saying what is wrong with it, and what the pattern hides of its totals.

    An interruption leaves the certificate out, and the pattern stands.
    """
    try:
        certified = search.certify(answer, origin=origin, write=write)
    except KeyboardInterrupt:
        say_interrupted(Said("the pattern is kept, without a certificate"))
        certified = CertifiedAnswer(answer=answer, sealed=SealedCertificate())
    errors, given_up = certified.sealed.errors, certified.given_up
    if errors:
        sentence = Said("the pattern has passed its audit, but the certificate is NOT VALID: {error}", error=errors[0])
        say(Said("{sentence}, and {more} more", sentence=sentence, more=len(errors) - 1) if errors[1:] else sentence)
    if given_up is not None:
        say(
            Said(
                "a pattern of cost {given_up:g} was given up for an earlier one of cost {cost:g}: the "
                "time was too short for its certificate",
                given_up=given_up,
                cost=certified.answer.last.cost,
            )
        )
    if not certified.answer.optimal and not certified.answer.last.added:  # what was added is said with the answer
        gap = 100 * certified.answer.last.gap
        say(
            Said("not proven the cheapest: the gap is {gap:.1f} %", gap=gap)
            if search.seconds is None
            else Said(
                "not proven the cheapest within {seconds:g} s (--time; 0 for no limit): the gap is {gap:.1f} %",
                seconds=search.seconds,
                gap=gap,
            )
        )
    for line in say_hidden_totals(certified.answer.table):
        say(line)
    return certified


def read_rules(options: RuleOptions, *, cost: Price = Price.ONE) -> TableRules:
    """Return the rules that options ask for."""
    return TableRules(
        rules=tuple(map(rule, options.rules or [])), min_count=options.min_count, width=options.width, cost=cost
    )


def read_rules_aloud(options: RuleOptions, *, counts: bool, cost: Price = Price.ONE) -> TableRules:
    """Return the rules that options ask for, saying so where the minimum frequency of counts is switched off."""
    for line in tell_switched_off(options.min_count, counts=counts):
        say(line)
    return read_rules(options, cost=cost)


def guard_aloud(table: Table, width: float | None) -> Table:
    """Return the table with no unsafe cell left without a level that somebody chose, saying which were."""
    say_bare(table, width)
    return guard_primaries(table, width=width)


def say_bare(table: Table, width: float | None) -> None:
    """Say which unsafe cells come without a level that somebody chose, unless a width is asked of all."""
    for line in tell_bare(table) if width is None else ():
        say(line)
