"""What may be said of a release of keyed records: proven by counting, promised by a method, not refuted by attacks.

Records that stand for several people each: the risk of each one under the model of Benedetti and Franconi.

Keyed records as they are, before any protection: how many people their keys give away, and which key does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.published_frame import publish_values
from sekisho.data.frame.dataset import Dataset, Kind
from sekisho.data.frame.release import Release, exact_table
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.gate.names import name_label
from sekisho.gate.outcome import Certainty, Statement
from sekisho.gate.records.cell_attacks import CellAttack, CellAttempt, measure_share
from sekisho.gate.records.comparison import Comparison, leave_unchanged
from sekisho.gate.statement_words import ATTACKS, EPSILON, add_knowledge, tell_knowledge
from sekisho.protect.records.pram import ChangedByChance
from sekisho.protect.records.sample import DrawnSample
from sekisho.safety.epsilon import EpsilonFinding, EpsilonOdds, StatesEpsilon, write_odds
from sekisho.safety.guarantee import Finding
from sekisho.safety.records.classes import ColumnCodes, add_weights, count_classes, number_classes
from sekisho.safety.records.published import SHOWN
from sekisho.safety.records.record_risk import RecordRisk
from sekisho.safety.records.reidentification import check_weights, compute_individual_risk
from sekisho.safety.records.uniques.key_uniques import KeyUniques, count_key_uniques
from sekisho.safety.sampling import ASSUMPTION
from sekisho.words import Said, join_words

if TYPE_CHECKING:  # engines, which are loaded where there is work for them
    from sekisho.protect.beyond_memory import EngineRelease

INDIVIDUAL = "individual risk"
WEIGHTS = Said(
    "the weights say how many people of the population a record stands for, and records were drawn independently"
)


def read_weights(data: Dataset, name: str) -> NDArray[np.float64]:
    """Return the weights of records.

    Raises:
        ParameterError: the column holds no numbers.
        FaultsError: a weight is not above 0; all of them at once.
    """
    column = data.schema[name]
    if column.kind not in (Kind.INTEGER, Kind.DECIMAL):
        raise ParameterError("weights", Said("be a column of numbers"), name)
    weights = data.grid(name) / 10**column.decimals
    texts = publish_values(exact_table(data)).frame[name].cast(pl.String).to_list()
    check_weights(weights, texts, np.arange(len(data)), name=name, source="weights")
    return weights


def find_individual_risk(
    release: Release, keys: tuple[str, ...], weights: NDArray[np.float64], *, allowed: float
) -> Finding:
    """Return the highest risk of a released record, beside what is allowed.

    Args:
        release: row i of it is what became of row i of the original.
        keys: what the adversary knows.
        weights: of the original's records.
        allowed: the highest risk that a record may have.

    Raises:
        InfeasibleError: nothing is published.
    """
    frame = publish_values(release).frame
    if not frame.height:
        raise InfeasibleError(Said("nothing is published: there is no record at risk"))
    classes = number_classes([ColumnCodes.of(frame[name].cast(pl.String)) for name in keys], frame.height)
    rows = np.flatnonzero(~release.deleted)
    risk = compute_individual_risk(count_classes(classes)[classes], add_weights(classes, weights[rows])[classes])
    highest, expected = float(risk.max()), float(risk.sum())
    return Finding(
        kept=highest <= allowed,
        worst=highest,
        wanted=allowed,
        where=tuple(rows[np.argsort(-risk, kind="stable")[:SHOWN]].tolist()),
        words=Said(
            "a record has a risk of {highest:.4g} at worst, {expected:.4g} are expected to be matched rightly; "
            "{allowed:g} is allowed",
            highest=highest,
            expected=expected,
            allowed=allowed,
        ),
        assumes=WEIGHTS,
    )


PROSECUTOR = "prosecutor"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Unprotected:
    """The original, as one who knows the keys of people would see it.

    Attributes:
        classes: of equal keys, and the chances of those who know them.
        uniques: how many are alone on the keys, and how many would be without each of them.
    """

    classes: RecordRisk
    uniques: KeyUniques

    @property
    def found(self) -> float:
        """How many people a prosecutor finds on average: the sum of 1/c, which is the number of classes."""
        return float(self.classes.classes)


def examine_original(original: Dataset, question: Comparison) -> Unprotected:
    """Return what the keys give away of records that are not protected.

    Args:
        original: the records.
        question: which columns are keys, which are sensitive; settled.
    """
    unchanged = leave_unchanged(original)
    frame = publish_values(unchanged).frame
    keys: Mapping[str, pl.Series] = {name: frame[name].cast(pl.String) for name in question.keys}
    return Unprotected(classes=question.assess_classes(unchanged), uniques=count_key_uniques(keys))


def find_prosecutor(attacks: tuple[CellAttack, ...], keys: tuple[str, ...]) -> CellAttack | None:
    """Return the attack of the prosecutor who knows all keys; None where nobody asked for him."""
    asked = (each for each in attacks if each.adversary.partition(" ")[0] == PROSECUTOR and set(each.keys) == set(keys))
    return next(asked, None)


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
        *state_guarantees(candidate.findings, keys),
        *state_promise(candidate.release),
        *state_attacks(candidate.attempts),
    )


def state_guarantees(findings: Mapping[str, Finding], keys: Sequence[str]) -> Iterator[Statement]:
    """Give what was asked for as it was counted."""
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


def state_promise(release: Release | EngineRelease) -> Iterator[Statement]:
    """Give what is promised of records that a method changed or drew by chance, wherever they are."""
    yield from state_epsilon(release)
    if isinstance(release, ChangedByChance):
        promise = release.guarantee
        risk, k = float(promise.risk), float(promise.k)
        detail = Said("nobody names a person's record with a chance above {risk:.4g} (Pk, k = {k:.4g})", risk=risk, k=k)
        if risk < NEARLY_CERTAIN:
            figures = {"k": k, "risk": risk}
            yield Statement(
                standing=Certainty.PROMISED, subject="pk-anonymity", detail=detail, assumes=RANDOM, figures=figures
            )
    if isinstance(release, DrawnSample) and release.risk is not None and release.risk.promised:
        risk = float(release.risk.risk)
        yield Statement(
            standing=Certainty.PROMISED,
            subject="sampling",
            detail=Said(
                "who knows {known} {known:record|records} names one rightly with a chance of at most {risk:.4g}",
                known=release.known,
                risk=risk,
            ),
            assumes=ASSUMPTION,
            figures={"known": release.known, "risk": risk},
        )


def state_epsilon(release: Release | EngineRelease) -> Iterator[Statement]:
    """Give what a release by chance says about one record: a bound on e^epsilon, or that there is none."""
    if not isinstance(release, StatesEpsilon):
        return
    finding = release.epsilon
    if finding.odds.infinite:
        yield Statement(
            standing=Certainty.REFUTED, subject=EPSILON, detail=finding.describe(), figures=finding.to_dict()
        )
        if finding.bounded:
            subject = f"{EPSILON} of {', '.join(finding.bounded)}"
            yield _promise_epsilon(subject, finding.bounded_odds, finding)
        return
    yield _promise_epsilon(EPSILON, finding.odds, finding)


def _promise_epsilon(subject: str, odds: EpsilonOdds, finding: EpsilonFinding) -> Statement:
    """Return what noise promises of a record, or of the columns of it that get some."""
    return Statement(
        standing=Certainty.PROMISED,
        subject=subject,
        detail=Said(
            "one record replaced by another changes the chance of no release by more than the factor {exact} "
            "(epsilon = {epsilon:.4f})",
            exact=write_odds(odds),
            epsilon=odds.epsilon,
        ),
        assumes=Said("{random}; taken as public: {given}", random=RANDOM, given=join_words(finding.given, "; ")),
        figures=finding.to_dict(),
    )


def state_attacks(attempts: Sequence[CellAttempt]) -> Iterator[Statement]:
    """Give what the attacks say; nothing where nobody attacked."""
    strongest = max(attempts, key=lambda each: each.strength, default=None)
    if strongest is None:
        return
    attack = strongest.attack
    detail = Said(
        "{attacks} {attacks:attack|attacks}, the strongest {strongest}: {found}; {allowed:.4g} is allowed",
        attacks=len(attempts),
        strongest=name_label(strongest.adversary),
        found=_tell_found(strongest),
        allowed=strongest.allowed,
    )
    figures = {
        "attacks": len(attempts),
        "strongest": strongest.adversary,
        "hits": strongest.hits if strongest.truth_known else None,
        "claimed": strongest.claimed,
        "people": attack.people,
        "share": measure_share(attack),
        "allowed": strongest.allowed,
        "expected": attack.expected,
        "hoped": attack.hoped,
    }
    refuted = any(each.refutes and each.truth_known for each in attempts)
    standing = Certainty.REFUTED if refuted else Certainty.NOT_REFUTED
    yield Statement(standing=standing, subject=ATTACKS, detail=detail, figures=figures)


def _tell_found(attempt: CellAttempt) -> Said:
    """Return how many people an attack found, and the share that is held against what is allowed.

    Hits are those of one draw; where ties are broken by lot, the share is that of all draws, and both are said apart.
    """
    attack, share = attempt.attack, measure_share(attempt.attack)
    people = attack.people
    if not attempt.truth_known:
        hoped = 0.0 if attack.hoped is None else attack.hoped
        told = Said(
            "nobody knows how many are right, he hopes for {hoped:.4g} of {people} {people:person|people}",
            hoped=hoped,
            people=people,
        )
        found = hoped
    elif attack.expected is None:
        told = Said(
            "{hits} of {claimed} named rightly, of {people} {people:person|people}",
            hits=attempt.hits,
            claimed=attempt.claimed,
            people=people,
        )
        found = float(attempt.hits)
    else:
        told = Said(
            "{hits} of {claimed} named rightly in one draw, {expected:.4g} of {people} {people:person|people} on "
            "average over all his draws",
            hits=attempt.hits,
            claimed=attempt.claimed,
            expected=attack.expected,
            people=people,
        )
        found = attack.expected
    if share > found / max(1, people):
        return Said("{found}, at least a share of {share:.4g} of those whom he names", found=told, share=share)
    return Said("{found}, a share of {share:.4g}", found=told, share=share)
