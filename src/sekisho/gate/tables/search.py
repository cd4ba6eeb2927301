"""The search for the cheapest safe pattern and its certificate, within one time."""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import inf

from sekisho.errors import ParameterError
from sekisho.provenance import Provenance
from sekisho.tables.certificate.seal import make_certificate
from sekisho.tables.check.checker import check
from sekisho.tables.suppress.optimiser import Optimiser, Suppression

WITNESSES = 0.1
"""The part of the time asked for that the certificate's witnesses may take: without them it proves no safety."""
LEAST_SECONDS = 5.0
"""So many seconds they may take however short the time."""
PROOF = 0.1
"""The part that its proof may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedCertificate:
    """A certificate, checked.

    Attributes:
        data: its bytes; None if it was not finished.
        bound: the bound that it proves; None if it is not finished or not valid.
        errors: what its checker finds wrong: nearly always primaries for which no exact witness was found, or not in
            time.
        insiders: how many contributors of one cell it speaks of; 0 for outsiders only.
    """

    data: bytes | None = None
    bound: float | None = None
    errors: tuple[str, ...] = ()
    insiders: int = 0

    @property
    def complete(self) -> bool:
        """Whether it is there and valid."""
        return self.data is not None and not self.errors


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSearch:
    """How long to look for a pattern and to prove it, and who solves the whole-number problem.

    Attributes:
        seconds: for the search and the certificate together; None for no limit.
        solver: ``highs``, or ``scip`` for branch and cut (the extra ``sekisho[scip]``).
        insiders: how many contributors of one cell may put together what they know; 0 protects against outsiders only.
    """

    seconds: float | None = None
    solver: str = "highs"
    insiders: int = 0

    def __post_init__(self) -> None:
        if self.seconds is not None and not 0 < self.seconds < inf:
            raise ParameterError("time", "be a number of seconds above 0", self.seconds)

    @property
    def optimiser(self) -> Optimiser:
        """The optimiser, which leaves time for the certificate."""
        return Optimiser(seconds=self._part(1 - WITNESSES - PROOF), solver=self.solver, insiders=self.insiders)

    def seal_certificate(self, answer: Suppression, *, origin: Provenance) -> SealedCertificate:
        """Return an answer's certificate, checked in exact arithmetic."""
        witness_seconds = None if self.seconds is None else max(LEAST_SECONDS, WITNESSES * self.seconds)
        certificate = make_certificate(
            answer, provenance=origin, seconds=self._part(PROOF), witness_seconds=witness_seconds
        )
        text = json.dumps(certificate, ensure_ascii=False, separators=(",", ":"))
        errors, bound = check(text).errors, certificate["bound"]
        proven = float(bound) if isinstance(bound, int | float) and not errors else None
        return SealedCertificate(data=text.encode(), bound=proven, errors=errors, insiders=answer.insiders)

    def _part(self, part: float) -> float | None:
        return None if self.seconds is None else part * self.seconds
