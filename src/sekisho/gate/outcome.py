"""What a journey through the gate comes to: candidates, the attempts on each, a verdict with its reasons.

The same types for every shape.

Every report shows these values and derives none of its own.

An outcome as a frame: one row for each attack on each candidate, for those who want to go on counting.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, Protocol, TypeVar

import polars as pl

from sekisho.data.frame.release import Release
from sekisho.data.review import ReleaseReview
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.gate.account.account import Account
from sekisho.parameters import checked
from sekisho.provenance import Provenance
from sekisho.seeds import Seed
from sekisho.utility.kept import KeptFigure, average_loss
from sekisho.utility.score import Score
from sekisho.words import Said

DOUBT = 0.05
"""A release that an adversary predicts to refute more often than this is looked at by a person."""


class Verdict(StrEnum):
    """What should happen with a release, best first."""

    RELEASE = "release"
    REVIEW = "review"
    REFUSE = "refuse"

    @property
    def words(self) -> Said:
        """It in words."""
        words = {
            Verdict.RELEASE: Said("verdict|release"),
            Verdict.REVIEW: Said("verdict|review"),
            Verdict.REFUSE: Said("verdict|refuse"),
        }
        return words[self]

    @property
    def may_be_written(self) -> bool:
        """Whether a release may be put where it was asked for; one that is refused stands in no such place."""
        return self is not Verdict.REFUSE


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Reason:
    """Why a verdict is no better than it is: a named rule with its figure.

    Attributes:
        rule: by name, such as ``effective attack``; :mod:`sekisho.gate.policy` lists them all.
        verdict: the best that the rule allows; ``release`` where a policy wants it told only.
        detail: the figure, in words.
    """

    rule: str
    verdict: Verdict
    detail: Said

    def as_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        return {"rule": self.rule, "verdict": self.verdict.value, "detail": self.detail}


def find_verdict(reasons: Iterable[Reason]) -> Verdict:
    """Return the worst that a reason asks for; without one nothing speaks against a release whose account closes."""
    return max((reason.verdict for reason in reasons), key=list(Verdict).index, default=Verdict.RELEASE)


CHANGED_NOTHING = Said("This method changed nothing: every cell that leaves is the original's, and no row is gone.")
OPEN_ACCOUNT = "open account"
"""The rule of the gate that speaks where something leaves that nobody accounted for."""


def close_account(account: Account, reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    """Return the reasons, and that the account does not close where it does not and none of them says so."""
    listed = tuple(reasons)
    if account.is_closed or any(reason.rule == OPEN_ACCOUNT for reason in listed):
        return listed
    return (Reason(rule=OPEN_ACCOUNT, verdict=Verdict.REVIEW, detail=account.describe()), *listed)


class Certainty(StrEnum):
    """How sure a statement about a release is, surest first; the words are never mixed."""

    PROVEN = "proven"
    PROMISED = "promised"
    NOT_REFUTED = "not refuted"
    REFUTED = "refuted"

    @property
    def words(self) -> Said:
        """It in words."""
        words = {
            Certainty.PROVEN: Said("proven"),
            Certainty.PROMISED: Said("promised, if what stands beside it is so"),
            Certainty.NOT_REFUTED: Said("standing|not refuted by these attacks"),
            Certainty.REFUTED: Said("sentence|refuted"),
        }
        return words[self]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What can be said of the safety of a release, and how sure it is.

    Attributes:
        standing: proven; promised under ``assumes``; not refuted by the attacks that were tried; or refuted.
        subject: what it is about, by name, such as ``k-anonymity`` or ``attacks``.
        detail: its figure, in words.
        assumes: what must be so for it to hold; nothing if empty.
        figures: the same figures as plain data, for pages in other languages.
    """

    standing: Certainty
    subject: str
    detail: Said
    assumes: str = ""
    figures: Mapping[str, object] = field(default_factory=dict[str, object])

    def __post_init__(self) -> None:
        if self.standing is Certainty.PROMISED and not self.assumes:
            raise ParameterError("assumes", Said("say what a promise rests on"), self.assumes)

    def as_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        return {
            "standing": self.standing.value,
            "subject": self.subject,
            "detail": self.detail,
            "assumes": self.assumes,
            "figures": dict(self.figures),
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
@checked
class Attempt:
    """One adversary's attack on one release.

    Attributes:
        adversary: his label.
        claimed: of how many people or pseudonyms he said something.
        hits: how many he named rightly.
        baseline: the hits that naming blindly would expect.
        strength: how near he came to refuting the release; 1 or more refutes it.
        predicted: the chance of refuting it that he predicted; None where he predicted none.
    """

    adversary: str
    claimed: int
    hits: int
    baseline: float
    strength: float
    predicted: float | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.hits <= self.claimed:
            raise ParameterError(
                Said("hits of {adversary}", adversary=self.adversary),
                Said("lie between 0 and the {claimed} claimed", claimed=self.claimed),
                self.hits,
            )

    @property
    def refutes(self) -> bool:
        """Tell whether the attack refutes the release."""
        return self.strength >= 1


class Protected(Protocol):
    """What a protection makes: a release of a history or of records, or a table with its pattern."""

    @property
    def provenance(self) -> Provenance:
        """What made it."""
        ...


A_co = TypeVar("A_co", bound=Attempt, covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Candidate(Generic[A_co]):
    """One way to protect, and what came of it.

    Attributes:
        label: of the method with its parameters.
        release: what it made; of which type, a shape says.
        score: its utility, smaller is better.
        attempts: the attacks.
        reasons: why the verdict is no better; empty for what may be released and has nothing that must be told. Where
            the account does not close, one of them says so.
        statements: what is proven, promised, not refuted or refuted of it.
        kept: what became of each thing that must be kept.
        account: what covers everything that leaves; where it does not close, a person decides at best.
    """

    label: str
    release: Protected
    score: Score
    attempts: tuple[A_co, ...]
    reasons: tuple[Reason, ...] = ()
    statements: tuple[Statement, ...] = ()
    kept: tuple[KeptFigure, ...] = ()
    account: Account = field(default_factory=Account)

    def __post_init__(self) -> None:
        object.__setattr__(self, "reasons", close_account(self.account, self.reasons))

    @property
    def verdict(self) -> Verdict:
        """The worst that a reason asks for; an account that does not close asks for a person's decision."""
        return find_verdict(self.reasons)

    @property
    def cautions(self) -> tuple[Said, ...]:
        """What was not considered though it could have been: nothing that may leave is called so without it."""
        return ()

    @property
    def remarks(self) -> tuple[Said, ...]:
        """What else belongs to the answer, such as that a search was cut short."""
        return ()

    @property
    def against(self) -> str:
        """Against whom what is proven of it holds, in words; empty where nobody has to be told apart."""
        return ""

    @property
    def strongest(self) -> A_co | None:
        """The attack nearest to refuting the release, or farthest beyond; None if nobody attacked."""
        return max(self.attempts, key=lambda attempt: attempt.strength, default=None)

    @property
    def exposure(self) -> float:
        """How near the strongest attack came to refuting it, 1 or more if it did; 0 if nobody attacked."""
        return 0.0 if self.strongest is None else self.strongest.strength

    @property
    def risk(self) -> float:
        """The largest share of those whom an attack named that it named rightly; a shape may know a better figure."""
        return max((attempt.hits / max(1, attempt.claimed) for attempt in self.attempts), default=0.0)

    @property
    def predicted(self) -> float:
        """The largest chance of refuting the release that an adversary predicted; 0 if none did."""
        return max((attempt.predicted or 0.0 for attempt in self.attempts), default=0.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReviewedCandidate(Candidate[A_co]):
    """A release of people's data, and what a person must look at before it leaves.

    Attributes:
        review: of what is released, beside its original.
        unchanged: whether every cell that leaves is the original's, and no row is gone.
    """

    release: Release
    review: ReleaseReview = field(default_factory=ReleaseReview)
    unchanged: bool = False

    @property
    def remarks(self) -> tuple[Said, ...]:
        """What else belongs to the answer: that a method changed nothing."""
        return (CHANGED_NOTHING,) if self.unchanged else ()


C_co = TypeVar("C_co", bound="Candidate[Attempt]", covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Outcome(Generic[C_co]):
    """All candidates, and the one to choose.

    Attributes:
        shape: of the data.
        seed: of all chance.
        candidates: what was tried.
        impossible: by label why a way to protect gave nothing, such as a k above the number of records.
    """

    shape: Shape
    seed: Seed
    candidates: tuple[C_co, ...]
    impossible: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def best(self) -> C_co:
        """The candidate with the best verdict, then the best utility; of refused ones only, the least harmful.

        Where something must be kept, the one with the least loss of that is the most useful; the usual measure decides
        between those that keep it alike.

        Whatever is refused must not leave, however useful it is. If all are, the one shown is the one to go on from:
        the fewest reasons to refuse it, then the fewest to review it, then the weakest strongest attack
        (:attr:`Candidate.exposure`), and only then the best utility.
        """
        return min(self.candidates, key=_rank_candidate)

    @property
    def verdict(self) -> Verdict:
        """The verdict on the best candidate."""
        return self.best.verdict

    @property
    def frontier(self) -> tuple[C_co, ...]:
        """The candidates that no other betters in both utility and safety, from the most useful to the safest."""
        points = sorted(self.candidates, key=lambda each: (each.score.value, each.exposure))
        kept: list[C_co] = []
        for each in points:
            if not kept or each.exposure < kept[-1].exposure:
                kept.append(each)
        return tuple(kept)


def _rank_candidate(candidate: Candidate[Attempt]) -> tuple[float, ...]:
    """Return what candidates are compared by, smaller being better."""
    verdict, losses = list(Verdict).index(candidate.verdict), (average_loss(candidate.kept), candidate.score.value)
    if candidate.verdict is not Verdict.REFUSE:
        return (verdict, *losses)
    asked = [reason.verdict for reason in candidate.reasons]
    return (verdict, asked.count(Verdict.REFUSE), asked.count(Verdict.REVIEW), candidate.exposure, *losses)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JourneyStep(Generic[C_co]):
    """How far a journey has come, and its outcome so far.

    Attributes:
        labels: of all candidates, in their order.
        spent: by label how many seconds passed until a candidate was finished, or gave nothing, after the one before.
        outcome: of the finished ones.
    """

    labels: tuple[str, ...]
    spent: Mapping[str, float]
    outcome: Outcome[C_co]

    @property
    def done(self) -> int:
        """How many candidates are behind it."""
        return len(self.spent)

    @property
    def total(self) -> int:
        """How many candidates there are."""
        return len(self.labels)


COLUMNS: dict[str, pl.DataType] = {
    "candidate": pl.String(),
    "verdict": pl.String(),
    "utility": pl.Float64(),
    "best": pl.Boolean(),
    "adversary": pl.String(),
    "claimed": pl.Int64(),
    "hits": pl.Int64(),
    "baseline": pl.Float64(),
    "strength": pl.Float64(),
    "predicted": pl.Float64(),
}


def outcome_frame(outcome: Outcome[Candidate[Attempt]]) -> pl.DataFrame:
    """Return the attacks on all candidates; a candidate that nobody attacked has one row without an adversary."""
    rows: list[tuple[object, ...]] = []
    for candidate in outcome.candidates:
        first = (candidate.label, candidate.verdict.value, candidate.score.value, candidate is outcome.best)
        attacks = [
            (each.adversary, each.claimed, each.hits, each.baseline, each.strength, each.predicted)
            for each in candidate.attempts
        ]
        rows += [(*first, *attack) for attack in attacks or [(None,) * 6]]
    return pl.DataFrame(rows, schema=COLUMNS, orient="row")
