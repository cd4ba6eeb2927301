"""The account of a release in its certificate, and its check: what covers each column, counted again in the file.

Whoever verifies has the published file and the certificate's claims. So it is counted again which columns the file has
and which of them show nothing, whether the keyed columns are those whose classes were counted, whether a secret column
is one whose values were, how many people stand alone by the harmless ones, and whether the account closes at all. Whose
word a column is, and what a mechanism did by chance, stays the gate's word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from sekisho.data.shape import Shape
from sekisho.errors import SekishoError
from sekisho.gate.account.account import Account, AccountEntry, AccountQuestion, HarmlessCount, Unit, UnitOrigin
from sekisho.gate.account.attackers import ALWAYS_POSSIBLE, ATTACKERS
from sekisho.gate.account.columns import FrameColumns
from sekisho.gate.certificate.claims import Claims, ClassesClaim, TwinsClaim
from sekisho.gate.certificate.recount import Check, CheckStanding, settle_faults
from sekisho.gate.certificate.secret_recount import count_least_possible
from sekisho.gate.outcome import Certainty, Verdict
from sekisho.safety.claim import Standing
from sekisho.safety.cover import Coverage
from sekisho.words import Said, join_words

if TYPE_CHECKING:  # the document holds this claim
    from sekisho.gate.certificate.document import Certificate

SUBJECT = Said("certificate|account")


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitClaim:
    """Whose rows they are."""

    who: str = ""
    origin: UnitOrigin
    people: int
    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CoveredRow:
    """What covers one column, or one attacker; figures stand in the claims, which are counted.

    Attributes:
        subject: the column, or the attacker.
        cover: what covers it.
        reason: of what a person answers for, their reason.
        figure: of a secret column of a history, how many values remain possible of everybody.
    """

    subject: str
    cover: Coverage
    reason: str = ""
    figure: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountClaim:
    """The account of the chosen release.

    Attributes:
        question: what it answers.
        unit: whose rows they are; None where nobody asked.
        rows: one for each column that leaves, or attacker.
        alone: how many people stand alone by all harmless columns together; None where there are none.
        attackers: whether the rows are attackers of a table, not columns.
    """

    question: AccountQuestion = AccountQuestion.LEAVES
    unit: UnitClaim | None = None
    rows: tuple[CoveredRow, ...] = ()
    alone: int | None = None
    attackers: bool = False

    @classmethod
    def of_account(cls, account: Account, shape: Shape) -> AccountClaim:
        """Return what a certificate tells of an account: of what leaves, and nothing that only the original shows."""
        public, unit = account.publish(), account.unit
        return cls(
            question=account.question,
            unit=None
            if unit is None
            else UnitClaim(who=unit.who, origin=unit.origin, people=unit.people, rows=unit.rows),
            rows=tuple(
                CoveredRow(
                    subject=entry.subject,
                    cover=entry.cover,
                    reason=entry.by if entry.cover is Coverage.HARMLESS else "",
                    figure=entry.figure if shape is Shape.HISTORY and entry.cover is Coverage.SECRET else None,
                )
                for entry in public.entries
            ),
            alone=None if account.harmless is None else account.harmless.alone,
            attackers=account.attackers,
        )

    def restore(self) -> Account:
        """Return the account, as far as a certificate tells it."""
        unit = self.unit
        return Account(
            question=self.question,
            unit=None if unit is None else Unit(who=unit.who, origin=unit.origin, people=unit.people, rows=unit.rows),
            entries=tuple(
                AccountEntry(subject=row.subject, cover=row.cover, by=join_words((row.reason,))) for row in self.rows
            ),
            harmless=None if self.alone is None else HarmlessCount(alone=self.alone),
            attackers=self.attackers,
        )

    def list_covered(self, cover: Coverage) -> list[str]:
        """Return what a cover covers."""
        return [row.subject for row in self.rows if row.cover is cover]


def check_account(certificate: Certificate, folder: Path) -> Iterator[Check]:
    """Check that what leaves is accounted for, and that the account agrees with the file and the claims."""
    claim = certificate.account
    if claim is None:
        finding = Said("it was made before releases were accounted for: nobody says what covers their columns")
        yield Check(subject=SUBJECT, standing=CheckStanding.NOT_CHECKED, finding=finding)
        return
    fine = Said("everything that leaves is accounted for, as the file and the claims have it")
    if not claim.restore().is_closed:
        fine = Said("it does not close, and nothing leaves by it without a person's decision")
    yield from settle_faults(SUBJECT, _list_all_faults(certificate, claim, folder), fine=fine)


def _list_all_faults(certificate: Certificate, claim: AccountClaim, folder: Path) -> Iterator[str]:
    try:
        yield from _list_faults(certificate, claim, folder)
    except SekishoError as error:
        yield str(error)


def _list_faults(certificate: Certificate, claim: AccountClaim, folder: Path) -> Iterator[str]:
    if certificate.verdict is Verdict.RELEASE and not claim.restore().is_closed:
        yield Said("the verdict is good, and the account does not close")
    if claim.question is AccountQuestion.ROUND:
        if "rules" not in certificate.recipe and "target" not in certificate.recipe:
            yield Said("it answers for a contest's round, and the recipe names no contest's rules")
        return
    if claim.attackers is not (certificate.shape is Shape.TABLE) and claim.rows:
        yield Said("attackers are accounted for in tables, columns in all else")
        return
    if claim.attackers:
        yield from _list_strange_attackers(claim)
        return
    if certificate.release is None:
        return
    if certificate.shape is Shape.RECORDS:
        yield from _list_faults_of_records(certificate, claim, folder)
    elif certificate.shape is Shape.HISTORY:
        yield from _list_faults_of_history(claim, certificate.claims.twins, folder)


def _list_strange_attackers(claim: AccountClaim) -> Iterator[str]:
    """Give whom an account of tables names and no table can have, whom it names twice, and whom it leaves out."""
    subjects, covers = {row.subject for row in claim.rows}, {(row.subject, row.cover) for row in claim.rows}
    for row in claim.rows:
        if not row.cover.is_open and row.subject not in ATTACKERS:
            yield Said("{subject} is accounted for, and is no attacker of a table", subject=row.subject)
    if len(covers) < len(claim.rows):
        yield Said("an attacker is accounted for twice")
    for attacker in ALWAYS_POSSIBLE:
        if attacker not in subjects:
            yield Said("{subject}: nobody accounts for this attacker, whom every table has", subject=attacker)


def _list_faults_of_history(claim: AccountClaim, twins: Sequence[TwinsClaim], folder: Path) -> Iterator[str]:
    held = [counted for counted in twins if counted.standing is Standing.HOLDS]
    if claim.list_covered(Coverage.KEYED) and not held:
        yield Said("columns are keyed by the claim H0, which is not proven")
    for counted in twins[:1]:
        yield from _list_strange_columns(claim, counted, folder)
    for counted in held:
        yield from _list_faults_of_secrets(claim, counted, folder)


def _list_strange_columns(claim: AccountClaim, twins: TwinsClaim, folder: Path) -> Iterator[str]:
    """Give that a history has other columns beside its pseudonyms than are accounted for."""
    if twins.published.named:
        columns = twins.published.read(folder).columns
        others = [name for place, name in enumerate(columns) if place != twins.pseudonym]
        yield from _compare_columns(others, [row.subject for row in claim.rows])


def _compare_columns(columns: list[str], listed: list[str]) -> Iterator[str]:
    if sorted(listed) != sorted(columns):
        yield Said(
            "the file has the columns {columns}, the account {listed}",
            columns=", ".join(columns),
            listed=", ".join(listed),
        )


def _list_faults_of_secrets(claim: AccountClaim, twins: TwinsClaim, folder: Path) -> Iterator[str]:
    """Count again what may be learnt of secret columns; all others but the pseudonyms may be known."""
    secret = [row for row in claim.rows if row.cover is Coverage.SECRET and row.figure is not None]
    if not secret or not twins.published.named:
        return
    frame = twins.published.read(folder)
    holder = frame.columns[twins.pseudonym]
    unknown = {holder, *claim.list_covered(Coverage.SECRET), *claim.list_covered(Coverage.OPEN)}
    known = [name for name in frame.columns if name not in unknown]
    for row in secret:
        if row.subject not in frame.columns:
            yield Said("{column} is secret, and the file has no such column", column=row.subject)
            continue
        least = count_least_possible(frame, holder, row.subject, known)
        if least is not None and least != row.figure:
            yield Said(
                "{least} {least:value|values} of {column} remain possible at least, the account says {claimed:g}",
                least=least,
                column=row.subject,
                claimed=row.figure,
            )


def _list_faults_of_records(certificate: Certificate, claim: AccountClaim, folder: Path) -> Iterator[str]:
    classes = certificate.claims.classes
    named = [counted for counted in classes if counted.published.named]
    if not named:
        yield from _list_uncounted(claim, certificate.claims)
        return
    frame = named[0].published.read(folder)
    columns = FrameColumns(frame=frame)
    listed = [row.subject for row in claim.rows]
    yield from _compare_columns(frame.columns, listed)
    if sorted(listed) != sorted(frame.columns):
        return
    for name in claim.list_covered(Coverage.GONE):
        if not columns.is_hidden(name):
            yield Said("{column} is said to show nothing, and shows values", column=name)
    yield from _list_disagreeing_covers(certificate, claim, named, frame)
    harmless = claim.list_covered(Coverage.HARMLESS)
    if harmless and columns.count_alone(harmless) != claim.alone:
        yield Said(
            "{alone} {alone:person stands|people stand} alone by what is said to be harmless, the account says "
            "{claimed}",
            alone=columns.count_alone(harmless),
            claimed=claim.alone,
        )


def _list_uncounted(claim: AccountClaim, claims: Claims) -> Iterator[str]:
    if claim.list_covered(Coverage.KEYED) and not claims.classes:
        yield Said("columns are keyed, and no classes of them are counted")


def _list_disagreeing_covers(
    certificate: Certificate, claim: AccountClaim, classes: list[ClassesClaim], frame: pl.DataFrame
) -> Iterator[str]:
    names = frame.columns
    counted = {names[place] for place in classes[0].keys if 0 <= place < len(names)}
    for name in claim.list_covered(Coverage.KEYED):
        if name not in counted:
            yield Said("{column} is keyed, and the classes that are counted are without it", column=name)
    sensitive = {names[one.sensitive] for one in classes if one.sensitive is not None and one.sensitive < len(names)}
    for name in claim.list_covered(Coverage.SECRET):
        if name not in sensitive:
            yield Said("{column} is secret, and nothing is counted of it", column=name)
    promised = any(statement.standing == Certainty.PROMISED for statement in certificate.statements)
    for cover in (Coverage.NOISED, Coverage.SAMPLED):
        for name in () if promised else claim.list_covered(cover):
            yield Said("{column} is covered by a promise, and none is stated", column=name)
    for cover in (Coverage.PROVEN, Coverage.PROMISED, Coverage.NOT_CONSIDERED):
        for name in claim.list_covered(cover):
            yield Said("{column} is a column, and is covered as an attacker", column=name)
