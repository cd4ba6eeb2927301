"""The search for the cheapest safe pattern and its certificate, within one time.

A pattern that was searched and proven, as it is kept; its proof is checked again when it is taken up.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import inf, isfinite
from typing import Any

import numpy as np

from sekisho.errors import ParameterError
from sekisho.gate.cache.content import UnwritableError
from sekisho.gate.cache.store import StoredStep
from sekisho.parameters import checked
from sekisho.provenance import Provenance
from sekisho.tables.certificate.seal import CertifiedFile, make_certificate
from sekisho.tables.check.checker import check
from sekisho.tables.model.table import Table
from sekisho.tables.model.whole_numbers import WholeNumbers, judge_whole_numbers
from sekisho.tables.suppress.optimiser import Optimiser, Suppression, take_pattern
from sekisho.tables.suppress.search import SearchStep
from sekisho.words import Said

USUAL_SECONDS = 60.0
"""How long a search takes at most if nobody says otherwise."""
WITNESSES = 0.1
"""The part of the time asked for that is left for the certificate's witnesses, beside what the search did not use.

Without them it proves no safety.
"""
LEAST_SECONDS = 5.0
"""So many seconds they may take however short the time."""
PROOF = 0.1
"""The part that its proof may take."""
RETRIES = 2
"""How many earlier patterns are tried if the best one's witnesses are not complete in time."""


class MarginCare(StrEnum):
    """What becomes of higher margins."""

    KEEP = "keep"
    FREE = "free"


CERTIFICATE = "certificate"
"""The rule that a pattern has a valid certificate."""
WriteFiles = Callable[[Table], Sequence[CertifiedFile]]
"""Tells which files are written of a pattern."""


def write_nothing(pattern: Table) -> tuple[CertifiedFile, ...]:
    """Return no files."""
    del pattern
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedCertificate:
    """A certificate, checked.

    Attributes:
        data: its bytes; None if it was not finished.
        bound: the bound that it proves; None if it is not finished or not valid.
        errors: what its checker finds wrong: nearly always primaries for which no exact witness was found, or not in
            time.
        insiders: how many contributors of one cell it speaks of; 0 for outsiders only.
        whole: whether it speaks of attackers who know that cells are whole numbers.
    """

    data: bytes | None = None
    bound: float | None = None
    errors: tuple[str, ...] = ()
    insiders: int = 0
    whole: bool = False

    @property
    def complete(self) -> bool:
        """Whether it is there and valid."""
        return self.data is not None and not self.errors

    def judge_whole(self, table: Table) -> WholeNumbers:
        """Return what is known of attackers who know that the cells of a table are whole numbers."""
        judged = judge_whole_numbers(table)
        proven = judged is WholeNumbers.NOT_CONSIDERED and self.complete and self.whole
        return WholeNumbers.PROVEN if proven else judged


@dataclass(frozen=True, slots=True, kw_only=True)
class CertifiedAnswer:
    """A pattern and its certificate.

    Attributes:
        answer: the pattern.
        sealed: its certificate.
        given_up: what the best pattern cost, where it was given up because its certificate was not complete in time.
    """

    answer: Suppression
    sealed: SealedCertificate
    given_up: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class TableSearch:
    """How long to look for a pattern and to prove it, and who solves the whole-number problem.

    Attributes:
        seconds: for the search and the certificate together; a minute if not said, None for no limit.
        solver: ``highs``, ``scip`` for branch and cut (the extra ``sekisho[scip]``), or ``auto`` for what suits the
            table and is installed.
        insiders: how many contributors of one cell may put together what they know; 0 protects against outsiders only.
        keep: whether totals of totals stay shown wherever the table can be protected without hiding them; the bound is
            then that of the patterns that show them.
    """

    seconds: float | None = USUAL_SECONDS
    solver: str = "auto"
    insiders: int = 0
    keep: bool = True

    def __post_init__(self) -> None:
        if self.seconds is not None and not 0 < self.seconds < inf:
            raise ParameterError("time", Said("be a number of seconds above 0"), self.seconds)

    @property
    def optimiser(self) -> Optimiser:
        """The optimiser, which leaves time for the certificate."""
        return Optimiser(
            seconds=self._part(1 - WITNESSES - PROOF), solver=self.solver, insiders=self.insiders, keep=self.keep
        )

    def suppress(self, table: Table, origin: Provenance) -> CertifiedAnswer:
        """Return the best pattern of a table whose unsafe cells are flagged, and its certificate.

        Raises:
            InfeasibleError: no pattern protects it.
        """
        return self.certify(self.optimiser.suppress(table), origin=origin)

    def certify(self, answer: Suppression, *, origin: Provenance, write: WriteFiles = write_nothing) -> CertifiedAnswer:
        """Return an answer with its certificate, or an earlier one whose certificate stands if the best one's does not.

        Earlier patterns are asked only where the time was too short for the best one's witnesses. ``write`` tells which
        files are written of a pattern: the certificate names their digests.
        """
        first = CertifiedAnswer(answer=answer, sealed=self.seal_certificate(answer, origin=origin, write=write))
        if first.sealed.complete or self.seconds is None:
            return first
        earlier = answer.last.earlier
        for pattern in [*earlier[:-RETRIES:-1], *earlier[:1]][:RETRIES]:
            older = take_pattern(answer, pattern)
            sealed = self.seal_certificate(older, origin=origin, write=write)
            if sealed.complete:
                return CertifiedAnswer(answer=older, sealed=sealed, given_up=answer.last.cost)
        return first

    def seal_certificate(
        self, answer: Suppression, *, origin: Provenance, write: WriteFiles = write_nothing
    ) -> SealedCertificate:
        """Return an answer's certificate, checked in exact arithmetic.

        Its witnesses may take all the time that the search has left over.
        """
        certificate = make_certificate(
            answer,
            provenance=origin,
            seconds=self._part(PROOF),
            witness_seconds=self._leave_seconds(answer),
            files=write(answer.table),
        )
        text = json.dumps(certificate, ensure_ascii=False, separators=(",", ":"))
        checked, bound = check(text), certificate["bound"]
        errors = checked.errors
        proven = float(bound) if isinstance(bound, int | float) and not errors else None
        whole = checked.valid and checked.claimed is not None and checked.claimed.whole
        return SealedCertificate(data=text.encode(), bound=proven, errors=errors, insiders=answer.insiders, whole=whole)

    def _leave_seconds(self, answer: Suppression) -> float | None:
        return None if self.seconds is None else max(LEAST_SECONDS, (1 - PROOF) * self.seconds - answer.last.seconds)

    def _part(self, part: float) -> float | None:
        return None if self.seconds is None else part * self.seconds


def encode_pattern(found: CertifiedAnswer) -> StoredStep:
    """Return a pattern and its proof as they are kept.

    Raises:
        UnwritableError: there is no complete proof: the search is tried again another time.
    """
    answer, last, sealed = found.answer, found.answer.last, found.sealed
    if not sealed.complete or sealed.data is None or not (isfinite(last.cost) and isfinite(last.bound)):
        raise UnwritableError("a pattern without a proof")
    plain: dict[str, Any] = {
        "stage": last.stage,
        "seconds": last.seconds,
        "cost": last.cost,
        "bound": last.bound,
        "proven": last.proven,
        "rushed": last.rushed,
        "whole": last.whole.value,
        "added": last.added,
        "solvers": list(last.solvers),
        "optimal": answer.optimal,
        "insiders": answer.insiders,
        "given_up": found.given_up,
    }
    arrays: dict[str, Any] = {
        "status": answer.table.status,
        "proof": np.frombuffer(sealed.data, dtype=np.uint8),
    }
    return StoredStep(plain=plain, arrays=arrays)


def decode_pattern(step: StoredStep, *, flagged: Table) -> CertifiedAnswer:
    """Return a kept pattern of a table, its proof checked anew; whatever is wrong with it raises.

    The cuts that proved the bound are in the proof, and are not needed here again.
    """
    plain, status = step.plain, step.arrays["status"]
    if status.shape != flagged.status.shape or status.dtype != flagged.status.dtype:
        raise ValueError("a pattern of another table")
    table = replace(flagged, status=status)
    proof = step.arrays["proof"].tobytes()
    checked = check(proof.decode())
    if checked.errors or checked.claimed is None:
        raise ValueError(checked.errors)
    shown = np.zeros(len(table), dtype=np.bool_)
    shown[checked.claimed.kept] = True
    last = SearchStep(
        stage=plain["stage"],
        seconds=plain["seconds"],
        cost=plain["cost"],
        bound=plain["bound"],
        secondary=table.suppressed & ~flagged.suppressed,
        cuts=(),
        proven=plain["proven"],
        rushed=plain["rushed"],
        whole=WholeNumbers(plain["whole"]),
        added=plain["added"],
        solvers=tuple(plain["solvers"]),
        shown=shown if shown.any() else None,
    )
    claimed = checked.claimed
    sealed = SealedCertificate(data=proof, bound=float(claimed.bound), insiders=plain["insiders"], whole=claimed.whole)
    answer = Suppression(table=table, last=last, optimal=plain["optimal"], insiders=plain["insiders"])
    return CertifiedAnswer(answer=answer, sealed=sealed, given_up=plain["given_up"])
