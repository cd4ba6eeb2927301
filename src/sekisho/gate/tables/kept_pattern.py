"""A pattern that was searched and proven, as it is kept; its proof is checked again when it is taken up."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np

from sekisho.gate.cache.content import UnwritableError
from sekisho.gate.cache.store import StoredStep
from sekisho.gate.tables.search import CertifiedAnswer, SealedCertificate
from sekisho.tables.check.checker import check
from sekisho.tables.model.table import Table
from sekisho.tables.suppress.optimiser import Suppression
from sekisho.tables.suppress.search import SearchStep


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
        solvers=tuple(plain["solvers"]),
        shown=shown if shown.any() else None,
    )
    sealed = SealedCertificate(data=proof, bound=float(checked.claimed.bound), insiders=plain["insiders"])
    answer = Suppression(table=table, last=last, optimal=plain["optimal"], insiders=plain["insiders"])
    return CertifiedAnswer(answer=answer, sealed=sealed, given_up=plain["given_up"])
