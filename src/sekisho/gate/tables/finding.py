"""What attackers can derive from a pattern, as attempts on it and as reasons why it may not leave.

The outsider sees what is published, knows all equations and solves for the interval of each hidden cell: his attack is
exact, so nobody who knows no more estimates a cell more closely. Insiders are contributors who know their own
part as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.dataset import Kind
from sekisho.data.identity.content_judgement import judge_column
from sekisho.data.identity.header_words import ColumnEvidence, Identifying
from sekisho.data.review import make_review
from sekisho.gate.account.account import Account, AccountEntry
from sekisho.gate.account.tables import JudgedTable, account_patterns
from sekisho.gate.ending import Ending, list_files, tell_reasons
from sekisho.gate.outcome import Attempt, Certainty, Reason, Statement, Verdict, close_account, find_verdict
from sekisho.gate.policy import list_review_reasons, make_reason
from sekisho.gate.statement_words import ARITHMETIC, INTERVALS
from sekisho.gate.tables.search import CERTIFICATE, CertifiedAnswer, SealedCertificate
from sekisho.gate.tables.system import PatternCase, TableSystem
from sekisho.safety.usefulness import is_hardly_useful
from sekisho.tables.audit.coalitions import Leak, describe_attackers, knows_contributions, leaks
from sekisho.tables.audit.intervals import Audit, audit, audit_steps
from sekisho.tables.audit.statements import ReaderKnowledge
from sekisho.tables.certificate.seal_release import ShownRelease
from sekisho.tables.model.table import TOTAL, Status, Table
from sekisho.tables.model.whole_numbers import WholeNumbers, judge_whole_numbers
from sekisho.utility.score import Score
from sekisho.words import Said, join_words, name_setting

INSIDERS_LEFT_OUT = Said(
    "Contributors are known, but insiders, who know what they gave, were not considered: {setting} considers each.",
    setting=name_setting("insiders", "1"),
)
"""Said of what may leave."""
ASK_EACH = Said("what to change in each table alone is found out by: sekisho advise")
UNFINISHED = "unfinished audit"
"""The rule that every interval is certain."""
WHOLE_NUMBERS = "whole numbers"
"""The rule that attackers who know that cells are whole numbers were considered, where they may know more."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TableAttempt(Attempt):
    """One attack on a pattern: ``claimed`` hidden unsafe cells, ``hits`` of them estimated too closely.

    Blind naming hits none.

    Attributes:
        exposed: the cells that he estimates too closely, or derives exactly (of secondaries only these); one refutes
            the pattern.
    """

    exposed: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TableFinding:
    """What an audit of patterns found.

    Attributes:
        case: the patterns beside the rules.
        audit: the outsider's interval of every hidden cell.
        coalition: how many contributors of one cell were asked; 0 for none.
        leaks: the cells whose contributors narrow others.
        release: what is shown, where no cells are hidden but every cell says something.
        certified_whole: whether a certificate speaks of attackers who know that cells are whole numbers.
    """

    case: PatternCase
    audit: Audit
    coalition: int = 0
    leaks: tuple[Leak, ...] = ()
    release: ShownRelease | None = None
    certified_whole: bool = False

    @property
    def table(self) -> Table:
        """The system with its pattern."""
        return self.audit.table

    @property
    def system(self) -> TableSystem:
        """What was audited as one."""
        return self.case.system

    @property
    def whole(self) -> WholeNumbers:
        """What is known of attackers who know that cells are whole numbers."""
        judged = judge_whole_numbers(self.table)
        shown = self.audit.whole or self.certified_whole
        return WholeNumbers.PROVEN if judged is WholeNumbers.NOT_CONSIDERED and shown else judged

    @property
    def hidden(self) -> NDArray[np.intp]:
        """The suppressed cells, differences apart."""
        return self.audit.cells[~self.system.derived[self.audit.cells]]

    @property
    def disclosed(self) -> NDArray[np.intp]:
        """The suppressed cells that can be derived exactly.

        A difference may be derived, unless it is unsafe, and then it is too narrow.
        """
        cells = self.audit.disclosed
        return cells[~self.system.derived[cells]]

    @property
    def attempts(self) -> tuple[TableAttempt, ...]:
        """The attacks on the pattern."""
        outside = _make_attempt("outsider", self.table, [*self.audit.narrow.tolist(), *self.disclosed.tolist()])
        if not self.coalition:
            return (outside,)
        inside = [cell for leak in self.leaks for cell in leak.exposed]
        return outside, _make_attempt(f"insiders, {self.coalition} of one cell", self.table, inside)

    @property
    def attackers(self) -> str:
        """Who was asked, in words: a pattern that is safe is safe from these."""
        return describe_attackers(self.coalition) if self.release is None else describe_readers(self.release.against)

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why the pattern may not simply leave."""
        return tuple(self._reasons())

    @property
    def verdict(self) -> Verdict:
        """What should happen with the patterns, as far as an audit tells."""
        return find_verdict(self.reasons)

    @property
    def safe(self) -> bool:
        """Whether nothing found forbids to publish the pattern."""
        return self.verdict is not Verdict.REFUSE

    def _reasons(self) -> Iterator[Reason]:
        unsettled, joint = len(self.audit.unsettled), self.table.joint
        uncertain = Said(
            "{count} {count:interval is|intervals are} not certain, so nothing is called safe", count=unsettled
        )
        for rule, count, detail in (*self._list_open_cells(), (UNFINISHED, unsettled, uncertain)):
            if count:
                yield Reason(rule=rule, verdict=Verdict.REFUSE, detail=detail)
        if self.release is None:
            yield from list_whole_reasons(self.whole)
        if joint.overlooked:
            yield Reason(rule="joint table", verdict=Verdict.REVIEW, detail=join_words((joint.limit,)))

    def _list_open_cells(self) -> Iterator[tuple[str, int, Said]]:
        """Give by rule how many cells are known too well, and which: estimated, derived, shown, open to insiders."""
        shown = self.case.shown
        cells = self.audit.narrow.tolist()
        first = _name_first(self.table, cells)
        detail = Said(
            "{count} unsafe {count:cell|cells} can be estimated too closely: {cells}", count=len(cells), cells=first
        )
        yield "narrow interval", len(cells), detail
        cells = self.disclosed.tolist()
        first = _name_first(self.table, cells)
        detail = (
            Said("{count} suppressed {count:cell|cells} can be derived exactly: {cells}", count=len(cells), cells=first)
            if self.release is None
            else Said(
                "{count} {count:cell|cells} can be derived exactly from what is shown: {cells}",
                count=len(cells),
                cells=first,
            )
        )
        yield "disclosed cell", len(cells), detail
        detail = Said(
            "{count} unsafe {count:cell is|cells are} published: {cells}", count=len(shown), cells="; ".join(shown[:5])
        )
        yield "unsafe cell shown", len(shown), detail
        cells = sorted({cell for leak in self.leaks for cell in leak.exposed})
        detail = Said(
            "{count} unsafe {count:cell|cells} can be estimated too closely by contributors of another: {cells}",
            count=len(cells),
            cells=_name_first(self.table, cells),
        )
        yield "insiders", len(cells), detail


def describe_readers(against: Sequence[ReaderKnowledge]) -> Said:
    """Return in words what the readers know against whom a release is promised."""
    words = {
        ReaderKnowledge.RULE: Said("readers who know the rule and its parameters"),
        ReaderKnowledge.LEAST: Said("also those who know that the change is least"),
        ReaderKnowledge.TIE: Said("also those who know how ties are broken"),
    }
    return join_words([words[each] for each in against], ", ", "、")


def _make_attempt(adversary: str, table: Table, cells: list[int]) -> TableAttempt:
    exposed = sorted(set(cells))
    return TableAttempt(
        adversary=adversary,
        claimed=int(table.primary.sum()),
        hits=int(table.primary[exposed].sum()),
        baseline=0.0,
        strength=float(len(exposed)),
        exposed=tuple(exposed),
    )


def _name_first(table: Table, cells: list[int]) -> str:
    return "; ".join(map(table.named, cells[:5])) + ("; …" if cells[5:] else "")


def finish_audit(case: PatternCase, finished: Audit, *, insiders: int = 0) -> TableFinding:
    """Return what an outsider's audit of a case found, and what so many contributors of one cell can derive besides."""
    leaking = leaks(case.system.table, coalition=insiders) if insiders else []
    return TableFinding(case=case, audit=finished, coalition=insiders, leaks=tuple(leaking))


def audit_case(
    case: PatternCase, *, whole: bool = False, seconds: float | None = None, insiders: int = 0
) -> TableFinding:
    """Audit patterns as one: exactly, over whole tables only if asked; with a time limit, as far as it allows."""
    return finish_audit(case, audit(case.system.table, whole=whole, seconds=seconds), insiders=insiders)


def look_at_case(case: PatternCase, *, whole: bool = False) -> tuple[Reason, ...]:
    """Return what speaks against patterns before anybody solves for an interval.

    An unsafe cell is shown, or the equations alone tell a hidden one or place it too closely; that the others are
    hidden well enough, a certificate must prove.
    """
    glance = next(iter(audit_steps(case.system.table, whole=whole))).audit
    finding = TableFinding(case=case, audit=glance, certified_whole=True)  # that is for the certificate to say
    return tuple(reason for reason in finding.reasons if reason.rule != UNFINISHED)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReviewedSystem:
    """Tables suppressed together that nobody attacked, and what speaks against publishing them.

    Attributes:
        parts: each table with its pattern.
        sealed: the certificate of all of them.
        reasons: why they may not simply leave.
        account: what is known against each attacker.
        insiders: how many contributors of one cell were considered together.
        condition: what must be so for the promise to hold; empty if nothing more is asked.
        remarks: that the time cut the search short.
        whole: what is known of attackers who know that cells are whole numbers.
    """

    parts: tuple[Table, ...]
    sealed: SealedCertificate
    reasons: tuple[Reason, ...]
    account: Account = field(default_factory=Account)
    insiders: int = 0
    condition: str = ""
    remarks: tuple[Said, ...] = ()
    whole: WholeNumbers = WholeNumbers.NOT_CONSIDERED

    @property
    def verdict(self) -> Verdict:
        """The worst that a reason asks for."""
        return find_verdict(self.reasons)

    def end(self, leaving: Sequence[Path] | Said) -> Ending:
        """Return how it ends; ``leaving`` are the files as they may be published, or says how these are written."""
        files = leaving if isinstance(leaving, Said) else list_files(leaving)
        return Ending(
            verdict=self.verdict,
            why=self._tell_why(),
            file=files if self.verdict is Verdict.RELEASE else "",
            awaits=files if self.verdict is Verdict.REVIEW and files is not leaving else "",
            ask=ASK_EACH,
            cautions=list_cautions(self.parts, insiders=self.insiders),
            remarks=self.remarks,
        )

    def _tell_why(self) -> Said:
        if self.verdict is not Verdict.RELEASE:
            return tell_reasons(self.reasons)
        rest = Said(
            "Nothing was found that forbids it: the certificate of all tables together proves what is hidden against "
            "{attackers}.",
            attackers=self.whole.words,
        )
        if self.condition:
            rest = Said(
                "Nothing was found that forbids it: the certificate of all tables together proves what is hidden "
                "against {attackers}, promised if {condition}.",
                attackers=self.whole.words,
                condition=self.condition,
            )
        return join_words((self.account.describe(), rest), " ")


def list_cautions(tables: Sequence[Table], *, insiders: int) -> tuple[Said, ...]:
    """Return that insiders were not considered, where it is known what contributors gave."""
    return () if insiders or not any(map(knows_contributions, tables)) else (INSIDERS_LEFT_OUT,)


def review_system(
    system: TableSystem,
    certified: CertifiedAnswer,
    *,
    judged: Sequence[JudgedTable],
    further: Sequence[AccountEntry | None] = (),
) -> ReviewedSystem:
    """Look at tables that were suppressed together, as a stage looks at one (:meth:`TableStage.review`).

    Nobody solves for intervals: the certificate speaks for the hidden cells.

    Args:
        system: the tables as one.
        certified: their patterns.
        judged: each table with what says which of its cells are unsafe.
        further: what else is known against attackers.
    """
    answer, sealed = certified.answer, certified.sealed
    parts = tuple(system.mark_parts(answer.table))
    reasons = (
        *look_at_case(PatternCase(system=replace(system, table=answer.table), shown=())),
        *list_certificate_reasons(sealed, insiders=answer.insiders),
        *list_whole_reasons(sealed.judge_whole(answer.table)),
        *list_table_reasons(parts),
    )
    account = account_patterns(
        [replace(one, table=part) for one, part in zip(judged, parts, strict=True)],
        answer.table,
        insiders=answer.insiders,
        proven=sealed.complete,
        further=further,
    )
    return ReviewedSystem(
        parts=parts,
        sealed=sealed,
        reasons=close_account(account, reasons),
        account=account,
        insiders=answer.insiders,
        whole=sealed.judge_whole(answer.table),
        condition="" if system.basis is None else system.basis.condition,
        remarks=answer.cut_short,
    )


def list_table_reasons(
    patterns: Sequence[Table], *, allowed: Mapping[str, str] = MappingProxyType({})
) -> Iterator[Reason]:
    """Give what speaks against tables that leave together, whatever their certificate proves.

    Codes that name people, and hardly any cell that is left.
    """
    hidden, cells = sum(int(table.suppressed.sum()) for table in patterns), sum(map(len, patterns))
    if is_hardly_useful(kept=cells - hidden, records=cells):
        yield make_reason(
            "hardly any use",
            Said("{hidden:,} of {cells:,} {cells:cell|cells} {hidden:is|are} hidden", hidden=hidden, cells=cells),
        )
    naming = {each.column: each for table in patterns for each in list_naming_dims(table)}
    columns = list(dict.fromkeys(name for table in patterns for name in table.dims))
    yield from list_review_reasons(make_review({}, naming.values(), columns=columns, allowed=allowed))


def list_naming_dims(table: Table) -> Iterator[Identifying]:
    """Give the dimensions whose codes name people; that a code stands once says nothing in a table."""
    for place, name in enumerate(table.dims):
        codes = pl.Series([key[place] for key in table.keys], dtype=pl.String).unique()
        margin = table.margins[place] if table.margins else TOTAL
        shown = codes.filter(codes != margin)
        finding = judge_column(ColumnEvidence(header=name, kind=Kind.CATEGORY, values=shown, rows=None))
        if finding is not None:
            yield finding


def list_certificate_reasons(certificate: SealedCertificate | None, *, insiders: int = 0) -> tuple[Reason, ...]:
    """Return why a person must look at a pattern whose certificate is not complete, or says less than was asked."""
    if certificate is not None and certificate.complete and certificate.insiders >= insiders:
        return ()
    detail: str = Said("there is none") if certificate is None or not certificate.errors else certificate.errors[0]
    if certificate is not None and certificate.complete:
        detail = Said(
            "it speaks of {certified} insiders, not of {insiders}", certified=certificate.insiders, insiders=insiders
        )
    return (
        Reason(
            rule=CERTIFICATE, verdict=Verdict.REVIEW, detail=Said("no valid certificate proves it: {why}", why=detail)
        ),
    )


def list_whole_reasons(whole: WholeNumbers) -> Iterator[Reason]:
    """Give why a person must look where attackers who know that cells are whole may know more than is proven."""
    if not whole.is_covered:
        detail = Said(
            "it holds against {attackers} ({whole} audits them; a search does, with enough {time})",
            attackers=whole.words,
            whole=name_setting("whole"),
            time=name_setting("time"),
        )
        yield Reason(rule=WHOLE_NUMBERS, verdict=Verdict.REVIEW, detail=detail)


def score_suppression(table: Table) -> Score:
    """Return the cost of the secondary cells; in the detail how many cells are hidden."""
    secondary = table.status == Status.SECONDARY
    counts = {"primary": float(table.primary.sum()), "secondary": float(secondary.sum())}
    return Score(value=float(table.weight[secondary].sum()), detail=counts)


def state_audit(finding: TableFinding, certificate: SealedCertificate | None, *, insiders: int = 0) -> Statement:
    """Return what may be said of a pattern: proven by a certificate, promised by the audit, or refuted by it."""
    exposed = max((len(each.exposed) for each in finding.attempts), default=0)
    figures = {
        "primary": int(finding.table.primary.sum()),
        "hidden": len(finding.hidden),
        "exposed": exposed,
        "shown": len(finding.case.shown),
        "attackers": finding.attackers,
        "whole": finding.whole.value,
    }
    subject = INTERVALS
    if not finding.safe:
        detail = join_words((one.detail for one in finding.reasons if one.verdict is Verdict.REFUSE), "; ")
        return Statement(standing=Certainty.REFUTED, subject=subject, detail=detail, figures=figures)
    detail = (
        Said(
            "every unsafe cell ({primary}) is hidden and none is estimated more closely than its levels by {attackers}",
            primary=figures["primary"],
            attackers=finding.attackers,
        )
        if finding.release is None
        else Said(
            "no unsafe cell ({primary}) is estimated more closely than its levels by {attackers}",
            primary=figures["primary"],
            attackers=finding.attackers,
        )
    )
    if finding.release is None:
        detail = Said("{detail}; that holds against {attackers}", detail=detail, attackers=finding.whole.words)
    sealed = certificate is not None and certificate.complete and certificate.insiders >= insiders
    return Statement(
        standing=Certainty.PROVEN if sealed else Certainty.PROMISED,
        subject=subject,
        detail=detail,
        assumes="" if sealed else ARITHMETIC,
        figures=figures,
    )
