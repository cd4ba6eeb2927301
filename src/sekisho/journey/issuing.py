"""How a certificate comes about: from what a run read, what it decided and what it wrote."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from platform import python_version

from sekisho.data.shape import Shape
from sekisho.gate.account.account import Account
from sekisho.gate.certificate.account import AccountClaim
from sekisho.gate.certificate.canonical import digest_bytes
from sekisho.gate.certificate.document import (
    FORMAT,
    OPENING_FORMAT,
    CandidateEntry,
    Certificate,
    FileEntry,
    Opening,
    ReasonEntry,
    StatementEntry,
)
from sekisho.gate.certificate.public_settings import list_public_settings, list_settings
from sekisho.gate.certificate.signing import PrivateKey
from sekisho.gate.outcome import Attempt, Candidate, Reason, Statement, Verdict
from sekisho.gate.output_files import OutputFiles, list_digests
from sekisho.gate.policy import ALLOWED

LIBRARIES = ("sekisho", "cryptography", "highspy", "numba", "numpy", "polars", "scipy")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """What there is to say of a run, whatever it came to.

    Attributes:
        shape: of the data.
        title: by language.
        made: when the run started, in UTC.
        salt: of the opening.
        settings: the recipe as its file has it.
        inputs: digests of the files that were read, by name.
        seed: None where no chance plays a part.
        recipe: the name of its file; none where it has none.
        command: that makes all of it again.
    """

    shape: Shape
    title: Mapping[str, str]
    made: str
    salt: str
    settings: Mapping[str, object]
    inputs: Mapping[str, FileEntry] = field(default_factory=dict[str, FileEntry])
    seed: int | None = None
    recipe: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a run decided.

    Attributes:
        candidates: all that were tried.
        best: the chosen one; None where there was none to choose.
        reasons: why the verdict is no better.
    """

    candidates: tuple[Candidate[Attempt], ...] = ()
    best: Candidate[Attempt] | None = None
    reasons: tuple[Reason, ...] = ()

    @property
    def statements(self) -> tuple[Statement, ...]:
        """What is said of the chosen one."""
        return () if self.best is None else self.best.statements

    @property
    def verdict(self) -> Verdict:
        """The worst that a reason asks for."""
        order = list(Verdict)
        return max((reason.verdict for reason in self.reasons), key=order.index, default=Verdict.RELEASE)


def issue_certificate(
    record: RunRecord, decision: Decision, files: OutputFiles, *, key: PrivateKey | None = None
) -> tuple[Certificate, bytes]:
    """Return the certificate of a run, signed if there is a key, and the opening that it seals.

    Args:
        record: the run.
        decision: what it decided.
        files: all that it writes but these two.
        key: of whoever vouches for it.
    """
    opening = Opening(
        format=OPENING_FORMAT,
        salt=record.salt,
        seed=record.seed,
        inputs=dict(record.inputs),
        files=list_digests(files.confidential),
        reasons=tuple(ReasonEntry(rule=one.rule, verdict=one.verdict, detail=one.detail) for one in decision.reasons),
        recipe=list_settings(record.settings),
        command=record.command,
    ).write()
    costs_are_public = record.shape is not Shape.TABLE
    certificate = Certificate(
        format=FORMAT,
        shape=record.shape,
        title=dict(record.title),
        made=record.made,
        versions=list_versions(),
        recipe=list_public_settings(record.settings, record.shape),
        verdict=decision.verdict,
        chosen=None if decision.best is None else decision.best.label,
        reasons=tuple(
            ReasonEntry(rule=one.rule, verdict=one.verdict, detail=one.detail if one.rule == ALLOWED else None)
            for one in decision.reasons
        ),
        statements=tuple(
            StatementEntry(
                standing=one.standing,
                subject=one.subject,
                detail=one.detail if costs_are_public else "",
                assumes=one.assumes,
            )
            for one in decision.statements
        ),
        candidates=tuple(
            CandidateEntry(
                method=each.label, verdict=each.verdict, utility=each.score.value if costs_are_public else None
            )
            for each in decision.candidates
        ),
        files=files.offered_entries,
        release=files.release,
        claims=files.claims,
        account=AccountClaim.of_account(Account() if decision.best is None else decision.best.account, record.shape),
        sealed=digest_bytes(opening),
    )
    return certificate if key is None else certificate.sign(key), opening


def list_versions() -> dict[str, str]:
    """Return the versions of Sekisho and of what it computes with."""
    return {"python": python_version(), **{name: version(name) for name in LIBRARIES}}
