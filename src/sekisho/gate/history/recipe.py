"""What the gate does with a history: its rules, the ways to protect it, who attacks, which bound decides.

What may be said of a release of a history: the claim H0 proven or not, the attacks under each bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, Literal, Protocol

from sekisho.attack import Adversary
from sekisho.data.engines.engine import EngineChoice
from sekisho.data.files.layout import Layout
from sekisho.data.shape import Shape
from sekisho.data.title import Title
from sekisho.gate.account.reasons import check_reasons
from sekisho.gate.certificate.claims import TwinsClaim
from sekisho.gate.fit import fit
from sekisho.gate.history.guarantees import HistoryGuarantees
from sekisho.gate.outcome import Certainty, Reason, Statement, Verdict
from sekisho.gate.output_files import BY_ROW, TRUTH, describe_form, name_guess_files
from sekisho.gate.policy import ClaimPolicy, Policy, list_exceeded, list_useless_columns, make_reason
from sekisho.gate.recipes.keys import RecipeKeys, RecipeRelease, Standard
from sekisho.gate.statement_words import CLAIM, NOBODY, name_attacks, tell_hits, tell_twins
from sekisho.parameters import checked
from sekisho.protect import Method
from sekisho.protect.coarser_columns import CoarserColumns
from sekisho.safety.claim import ClaimFinding, Standing
from sekisho.safety.rejection import Bound
from sekisho.safety.terms import USUAL_MEASURE, HistoryTerms
from sekisho.safety.usefulness import MOST_ERROR, is_hardly_useful
from sekisho.utility.kept import Kept
from sekisho.utility.score import Score
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class HistoryRecipe:
    """A recipe for a history, its methods and adversaries made.

    Attributes:
        rules: the contest's, or one's own.
        methods: the ways to protect, each under the label that reports use.
        adversaries: those who attack, likewise.
        bound: the bound that decides.
        claim: whether a release whose claim H0 is not proven goes to review, or is judged by the attacks alone.
        releases: finished ones of one's own.
        keep: what must be kept: it ranks the releases that may leave.
        limits: by measure the largest value that leaves without a look.
        policy: which verdict each rule asks for.
        title: on pages; the rules' own if None.
        standards: what the report shows beside what was done.
        allowed_columns: by column that names people the reason why it leaves all the same.
        coarser: the columns that are told more coarsely than they are known.
        leave_out: how many people, those hardest to hide, are left out altogether.
        choice: the engine with which the rows stay; None: they are in memory.
        guarantees: what must hold of what is learnt, of each sensitive column.
        sensitive: columns that must stay hidden, beside those that the schema says.
        learnable: by sensitive column the reason why it may be learnt.

    Raises:
        ParameterError: a method would publish what the rules forbid.
    """

    shape: ClassVar[Literal[Shape.HISTORY]] = Shape.HISTORY

    rules: HistoryTerms
    methods: Mapping[str, Method]
    adversaries: Mapping[str, Adversary]
    bound: Bound = Bound.EXACT
    claim: ClaimPolicy = ClaimPolicy.REQUIRED
    releases: tuple[RecipeRelease, ...] = ()
    keep: tuple[Kept, ...] = ()
    limits: Mapping[str, float] = field(default_factory=dict[str, float])
    policy: Policy = field(default_factory=Policy)
    title: Title | None = None
    standards: tuple[Standard, ...] = ()
    allowed_columns: Mapping[str, str] = field(default_factory=dict[str, str])
    coarser: CoarserColumns = field(default_factory=CoarserColumns)
    leave_out: int = 0
    choice: EngineChoice | None = None
    guarantees: HistoryGuarantees = field(default_factory=HistoryGuarantees)
    sensitive: tuple[str, ...] = ()
    learnable: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def writes(self) -> tuple[str, ...]:
        """The confidential files of a run that are of this shape alone; none where the rows stay with an engine."""
        if self.choice is not None:
            return ()
        return (BY_ROW, TRUTH, *name_guess_files(self.adversaries).values())

    @property
    def called(self) -> Title:
        """What the data are called."""
        return self.title or self.rules.title

    def __post_init__(self) -> None:
        for method in self.methods.values():
            fit(method, self.rules.parameters())
        check_reasons("learnable", self.learnable)

    def list_candidates(self) -> tuple[str, ...]:
        """Return what is tried: methods, finished releases."""
        return (*self.methods, *(release.name for release in self.releases))

    def list_adversaries(self) -> tuple[str, ...]:
        """Return who attacks."""
        return tuple(self.adversaries)

    def tell_demands(self, file: RecipeKeys) -> dict[str, object]:
        """Return what must hold, by name."""
        del file
        return {"bound": self.bound.value, "claim": self.claim.value, **self.guarantees.tell()}

    def tell(self) -> dict[str, object]:
        """Return what decides though the recipe may not say it: the bound, and what becomes of an unproven claim."""
        asked = self.guarantees.tell()
        told: dict[str, object] = {"guarantees": asked} if asked else {}
        return {"bound": self.bound.value, "claim": self.claim.value, **told, **self.policy.tell()}

    def list_limits(self, score: Score, *, kept: int, rows: int, measure: Callable[[str], float]) -> Iterator[Reason]:
        """Give which limits a release exceeds, and whether it is of hardly any use, wherever its rows are.

        Args:
            score: of the usual measure.
            kept: how many rows are released.
            rows: of how many.
            measure: measures the release in another way, by name.
        """
        usual = self.rules.utility.measure
        measured = {name: score.value if name == usual else measure(name) for name in self.limits}
        yield from list_exceeded(self.limits, measured)
        lost = score.value if usual == USUAL_MEASURE else 0.0
        if is_hardly_useful(kept=kept, records=rows, lost=lost, most=MOST_ERROR):
            detail = Said(
                "{kept:,} of {rows:,} {rows:row|rows} left, {measure} {value:.3f}",
                kept=kept,
                rows=rows,
                measure=usual,
                value=score.value,
            )
            yield make_reason("hardly any use", detail)
        elif usual == USUAL_MEASURE and not self.rules.layout.strict:  # a contest has its own index for that
            yield from list_useless_columns(score.detail, left_out=self.coarser.left_out)


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


def list_claim_reasons(claim: ClaimFinding, policy: ClaimPolicy) -> tuple[Reason, ...]:
    """Return why a release whose claim H0 is not proven may not simply leave.

    Pseudonyms that tell names are no matter of the claim alone: they are told whatever the recipe says of it.
    """
    pattern, worst = claim.pattern, claim.worst
    names = () if pattern is None else (make_reason("pseudonyms tell names", pattern.describe()),)
    if policy is ClaimPolicy.REPORTED or worst is None or worst.standing is Standing.HOLDS:
        return names
    size, p = worst.size, worst.p
    detail = (
        Said("a class of {size} is named whole with 1/{size}!, ({p})^{size} is allowed", size=size, p=p)
        if worst.closed
        else Said("a class of {size} is named whole with 1/{size}! at most, ({p})^{size} is allowed", size=size, p=p)
    )
    return (*names, Reason(rule=f"claim {claim.standing}", verdict=Verdict.REVIEW, detail=detail))


def make_twins_claim(layout: Layout, claim: ClaimFinding, p: Fraction, file: str) -> TwinsClaim:
    """Return what anybody counts again in a published file: who publishes the same rows.

    Args:
        layout: with the columns as they are published.
        claim: how H0 stands.
        p: the chance a person that H0 allows.
        file: the name of the published file.
    """
    columns = [field.name for field in layout.columns]
    return TwinsClaim(
        published=describe_form(layout.form, file),
        pseudonym=columns.index(layout.holder.name),
        classes={str(each.size): each.classes for each in claim.by_size},
        p=p,
        standing=claim.standing,
    )
