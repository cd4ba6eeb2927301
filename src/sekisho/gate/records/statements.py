"""What may be said of a release of keyed records: proven by counting, promised by a method, not refuted by attacks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from sekisho.data.frame.release import Release
from sekisho.gate.names import name_label
from sekisho.gate.outcome import Certainty, Statement
from sekisho.gate.records.attempts import CellAttempt, measure_share
from sekisho.gate.statement_words import ATTACKS, add_knowledge, tell_knowledge
from sekisho.protect.records.pram import PramRelease
from sekisho.protect.records.sample import SampleRelease
from sekisho.safety.guarantee import Finding
from sekisho.safety.sampling import ASSUMPTION
from sekisho.words import Said, join_words

NEARLY_CERTAIN = 0.999
"""Whoever may be right so often is promised nothing."""
RANDOM = Said("the values and the sample were drawn at random, and nobody knows the seed")


class Tried(Protocol):
    """A release that was checked and attacked."""

    @property
    def release(self) -> Release:
        """Itself."""
        ...

    @property
    def findings(self) -> Mapping[str, Finding]:
        """By guarantee whether it is kept."""
        ...

    @property
    def attempts(self) -> tuple[CellAttempt, ...]:
        """The attacks."""
        ...


def list_statements(candidate: Tried, keys: Sequence[str]) -> tuple[Statement, ...]:
    """Return what is proven, promised, not refuted and refuted of a release."""
    return (
        *_state_guarantees(candidate.findings, keys),
        *_state_promise(candidate.release),
        *state_attacks(candidate.attempts),
    )


def _state_guarantees(findings: Mapping[str, Finding], keys: Sequence[str]) -> Iterator[Statement]:
    for name, finding in findings.items():
        standing = Certainty.PROVEN if finding.kept else Certainty.REFUTED
        assumes: Said = tell_knowledge(keys)
        if finding.assumes and finding.kept:
            standing, assumes = Certainty.PROMISED, add_knowledge(join_words((finding.assumes,)), assumes)
        yield Statement(
            standing=standing,
            subject=name,
            detail=join_words((finding.words,)),
            assumes=assumes,
            figures={"worst": finding.worst, "wanted": finding.wanted},
        )


def _state_promise(release: Release) -> Iterator[Statement]:
    if isinstance(release, PramRelease):
        promise = release.guarantee
        risk, k = float(promise.risk), float(promise.k)
        detail = Said("nobody names a person's record with a chance above {risk:.4g} (Pk, k = {k:.4g})", risk=risk, k=k)
        if risk < NEARLY_CERTAIN:
            figures = {"k": k, "risk": risk}
            yield Statement(
                standing=Certainty.PROMISED, subject="pk-anonymity", detail=detail, assumes=RANDOM, figures=figures
            )
    if isinstance(release, SampleRelease) and release.risk is not None and release.risk.promised:
        risk = float(release.risk.risk)
        yield Statement(
            standing=Certainty.PROMISED,
            subject="sampling",
            detail=Said(
                "who knows {known} records names one rightly with a chance of at most {risk:.4g}",
                known=release.known,
                risk=risk,
            ),
            assumes=ASSUMPTION,
            figures={"known": release.known, "risk": risk},
        )


def state_attacks(attempts: Sequence[CellAttempt]) -> Iterator[Statement]:
    """Give what the attacks say; nothing where nobody attacked."""
    strongest = max(attempts, key=lambda each: each.strength, default=None)
    if strongest is None:
        return
    attack, share = strongest.attack, measure_share(strongest.attack)
    right = (
        Said("{hits} of {claimed} named rightly", hits=strongest.hits, claimed=strongest.claimed)
        if strongest.truth_known
        else Said("nobody knows how many are right")
    )
    detail = Said(
        "{attacks} {attacks:attack|attacks}, the strongest {strongest}: {right}, a share of {share:.4g} of {people} "
        "people, {allowed:.4g} is allowed",
        attacks=len(attempts),
        strongest=name_label(strongest.adversary),
        right=right,
        share=share,
        people=attack.people,
        allowed=strongest.allowed,
    )
    figures = {
        "attacks": len(attempts),
        "strongest": strongest.adversary,
        "hits": strongest.hits if strongest.truth_known else None,
        "claimed": strongest.claimed,
        "people": attack.people,
        "share": share,
        "allowed": strongest.allowed,
        "expected": attack.expected,
        "hoped": attack.hoped,
    }
    refuted = any(each.refutes and each.truth_known for each in attempts)
    standing = Certainty.REFUTED if refuted else Certainty.NOT_REFUTED
    yield Statement(standing=standing, subject=ATTACKS, detail=detail, figures=figures)
