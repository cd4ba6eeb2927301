"""What may be said of a release of a history: the claim H0 proven or not, the attacks under each bound."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sekisho.gate.outcome import Certainty, Statement
from sekisho.gate.statement_words import CLAIM, NOBODY, name_attacks, tell_hits, tell_twins
from sekisho.safety.claim import ClaimFinding, Standing
from sekisho.safety.rejection import Bound


class JudgedAttack(Protocol):
    """An attack that was judged under both bounds."""

    @property
    def adversary(self) -> str:
        """Whose."""
        ...

    @property
    def claimed(self) -> int:
        """How many he named."""
        ...

    @property
    def hits(self) -> int:
        """How many rightly."""
        ...

    @property
    def predicted(self) -> float | None:
        """His predicted chance to refute the release."""
        ...

    @property
    def strength(self) -> float:
        """How near he came."""
        ...

    def effective(self, bound: Bound) -> bool:
        """Tell whether the attack refutes the release under a bound."""
        ...


def list_statements(claim: ClaimFinding, attempts: Sequence[JudgedAttack], bound: Bound) -> tuple[Statement, ...]:
    """Return apart what is proven, what attacks did not refute, and what they refuted; the deciding bound first.

    A claim that is neither proven nor refuted is no statement: nothing may be said of it.
    """
    bounds = (bound, *(each for each in Bound if each is not bound))
    attacks = [_state_attacks(attempts, each) for each in bounds] if attempts else []
    return (*_state_claim(claim), *attacks)


def _state_claim(claim: ClaimFinding) -> tuple[Statement, ...]:
    if claim.standing is Standing.NOT_PROVEN:
        return ()
    worst, holds = claim.worst, claim.standing is Standing.HOLDS
    figures = (
        {}
        if worst is None
        else {"size": worst.size, "chance": float(worst.chance), "allowed": float(worst.allowed), "p": str(worst.p)}
    )
    detail = NOBODY
    if worst is not None:
        detail = tell_twins(worst.size, worst.p)
    return (
        Statement(
            standing=Certainty.PROVEN if holds else Certainty.REFUTED,
            subject=CLAIM,
            detail=detail,
            assumes=claim.assumption,
            figures=figures,
        ),
    )


def _state_attacks(attempts: Sequence[JudgedAttack], bound: Bound) -> Statement:
    refuted = any(each.effective(bound) for each in attempts)
    strongest = max(attempts, key=lambda each: each.strength)
    predicted = [each.predicted for each in attempts if each.predicted is not None]
    detail = tell_hits(
        len(attempts),
        bound,
        strongest=strongest.adversary,
        hits=strongest.hits,
        claimed=strongest.claimed,
        predicted=predicted,
    )
    figures = {
        "attacks": len(attempts),
        "bound": bound.value,
        "strongest": strongest.adversary,
        "hits": strongest.hits,
        "claimed": strongest.claimed,
        "predicted": max(predicted, default=None),
    }
    standing = Certainty.REFUTED if refuted else Certainty.NOT_REFUTED
    return Statement(standing=standing, subject=name_attacks(bound), detail=detail, figures=figures)
