"""What becomes of a release that a rule speaks against: told only, reviewed or refused, as a recipe's policy says.

Every reason that the gate can give is a rule with a name. A policy is data: by rule the verdict that it asks for. What
is not said is as usual. Some rules cannot be made milder than a review: what an attack refuted, what breaks a wanted
guarantee, what leaves a hidden cell open or people raw, what names people, and what is of hardly any use never leaves
without a person's look.

What the gate has against a release that a person must look at, and what a recipe may say in its favour.

A column that names people by its header or by its content never leaves, generalised or not, unless the recipe allows it
by name with a reason, which then stands in the certificate and on the page::

    [allowed_columns]
    doctor = "the doctors of this register agreed in writing to be named"
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from sekisho.data.identity.identifying import Ground, Identifying
from sekisho.data.review import ReleaseReview
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError, UnknownNameError
from sekisho.gate.names import FORMS, name_measure
from sekisho.gate.outcome import OPEN_ACCOUNT, Reason, Verdict
from sekisho.safety.usefulness import MOST_LOST
from sekisho.words import Said, join_words, quote_words

HISTORY, RECORDS, TABLE = (frozenset({shape}) for shape in (Shape.HISTORY, Shape.RECORDS, Shape.TABLE))
PEOPLE, ALL = HISTORY | RECORDS, HISTORY | RECORDS | TABLE


class ClaimPolicy(StrEnum):
    """What becomes of a release of which the safety claim H0 itself is not proven."""

    REQUIRED = "required"
    REPORTED = "reported"


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRule:
    """A rule of the gate.

    Attributes:
        meaning: when it speaks.
        usual: the verdict where the policy does not say one.
        mildest: the mildest verdict that a policy may say.
        shapes: the data that it can speak about.
    """

    meaning: Said
    usual: Verdict
    mildest: Verdict = Verdict.RELEASE
    shapes: frozenset[Shape] = ALL


def _firm(meaning: Said, usual: Verdict, shapes: frozenset[Shape]) -> PolicyRule:
    return PolicyRule(meaning=meaning, usual=usual, mildest=Verdict.REVIEW, shapes=shapes)


def _soft(meaning: Said, shapes: frozenset[Shape], usual: Verdict = Verdict.REVIEW) -> PolicyRule:
    return PolicyRule(meaning=meaning, usual=usual, shapes=shapes)


POLICY_RULES: Mapping[str, PolicyRule] = {
    "allowed column": _soft(Said("a column that names people leaves, as the recipe allows"), ALL, Verdict.RELEASE),
    "certificate": _soft(Said("no complete and valid certificate proves the pattern"), TABLE),
    "certain people": _firm(
        Said("people of cells of few are in every solution of the tables: they are known"), Verdict.REVIEW, TABLE
    ),
    "claim not proven": _soft(Said("the safety claim H0 is not proven (unless claim = reported)"), HISTORY),
    "claim refuted": _soft(Said("the safety claim H0 does not hold (unless claim = reported)"), HISTORY),
    "column of hardly any use": _soft(Said("hardly anything is left of a column"), PEOPLE),
    "condition broken": _firm(Said("a condition of the round is broken"), Verdict.REFUSE, RECORDS),
    "derivable cells": _firm(
        Said("whoever reads the release alone can often work out hidden cells"), Verdict.REVIEW, RECORDS
    ),
    "disclosed cell": _firm(Said("a suppressed cell can be derived exactly"), Verdict.REFUSE, TABLE),
    "effective attack": _firm(Said("an attack refutes the release"), Verdict.REFUSE, PEOPLE),
    "effective under the exact bound": _soft(Said("an attack refutes it under the exact bound only"), HISTORY),
    "guarantee broken": _firm(Said("a wanted guarantee does not hold"), Verdict.REFUSE, PEOPLE),
    "hardly any use": _firm(Said("hardly anything of the data is left"), Verdict.REVIEW, ALL),
    "households together": _firm(
        Said("a class holds fewer households than people are asked for"), Verdict.REVIEW, RECORDS
    ),
    "identifying column": _firm(
        Said("a released column names people by its header, its content or its distinct values"), Verdict.REVIEW, ALL
    ),
    "insiders": _firm(Said("contributors of one cell estimate another too closely"), Verdict.REFUSE, TABLE),
    "joint table": _soft(Said("the joint table behind linked ones could not be used"), TABLE),
    "left or came": _soft(
        Said("whoever left, came or changed is one of few among the rows that two releases do not share"), RECORDS
    ),
    "limit exceeded": _soft(Said("a measure is above its limit"), ALL),
    "narrow interval": _firm(Said("an unsafe cell can be estimated too closely"), Verdict.REFUSE, TABLE),
    "needless allowance": _soft(Said("the recipe allows a column that names nobody"), ALL, Verdict.RELEASE),
    "no attack": _soft(Said("nobody has attacked it"), PEOPLE),
    "not known again": _soft(
        Said("what left before looks like the same people or population, and nothing in the register says so"), ALL
    ),
    OPEN_ACCOUNT: _firm(Said("something leaves that nobody accounted for"), Verdict.REVIEW, ALL),
    "people assumed": _soft(Said("people of earlier releases are not known again, but assumed to be there"), PEOPLE),
    "people rebuilt": _firm(
        Said("the tables leave one solution: the people behind them are known"), Verdict.REFUSE, TABLE
    ),
    "possible risk": _soft(
        Said("an attacker may hope for more hits than are allowed, and nobody knows how many are right"),
        RECORDS,
        Verdict.REFUSE,
    ),
    "predicted chance": _soft(Said("an adversary predicted a chance above 5 % to refute it"), HISTORY),
    "promise refuted": _firm(Said("an attack was right more often than the method promised"), Verdict.REVIEW, RECORDS),
    "pseudonyms tell names": _firm(
        Said("the pseudonyms are the people's names, or follow from them"), Verdict.REVIEW, HISTORY
    ),
    "raw people": _firm(Said("people are published as they were: nothing protects them"), Verdict.REVIEW, HISTORY),
    "sure guess": _firm(
        Said("the count of an unsafe cell is guessed rightly with a chance above 0.9"), Verdict.REVIEW, TABLE
    ),
    "risk above target": _firm(Said("an adversary's mean risk reaches the target"), Verdict.REFUSE, RECORDS),
    "together not promised": _soft(Said("what earlier releases add cannot be counted"), ALL),
    "truth unknown": _soft(Said("nobody says which row of the release is whose, so hits cannot be counted"), PEOPLE),
    "unfinished audit": _firm(Said("intervals of hidden cells are not certain"), Verdict.REFUSE, TABLE),
    "unfinished reconstruction": _soft(Said("which people are in every solution is not certain"), TABLE),
    "weak demand": _firm(
        Said("the recipe asks for hardly anything: more than half of the people may be found, or no key was changed"),
        Verdict.REVIEW,
        RECORDS,
    ),
    "weak method": _firm(Said("the method by itself gives cells away"), Verdict.REVIEW, TABLE),
    "whole numbers": _firm(
        Said("attackers who know that cells are whole numbers may know more than is proven"), Verdict.REVIEW, TABLE
    ),
    "unsafe together": _firm(Said("what has already left makes it unsafe"), Verdict.REFUSE, ALL),
    "unsafe cell shown": _firm(Said("an unsafe cell is published"), Verdict.REFUSE, TABLE),
}
"""Every rule by name."""
RETIRED_RULES: Mapping[str, PolicyRule] = {
    "overlooked column": _firm(Said("something leaves that nobody accounted for"), Verdict.REVIEW, RECORDS),
}
"""Rules that only earlier certificates name: entries of the account took their place."""


def list_useless_columns(losses: Mapping[str, float], *, left_out: Iterable[str] = ()) -> tuple[Reason, ...]:
    """Return that hardly anything is left of some columns, whatever is left of the others.

    Args:
        losses: by column how much of what its cells tell is gone, 0 to 1.
        left_out: columns that the recipe itself leaves out, which is no surprise.
    """
    gone = {name: loss for name, loss in losses.items() if loss > MOST_LOST and name not in set(left_out)}
    if not gone:
        return ()
    columns = join_words([Said("{name} ({loss:.0%} lost)", name=name, loss=loss) for name, loss in gone.items()], ", ")
    return (make_reason("column of hardly any use", Said("too little is left of {columns}", columns=columns)),)


def make_reason(rule: str, detail: Said) -> Reason:
    """Return what a rule has against a release, with its usual verdict."""
    return Reason(rule=rule, verdict=POLICY_RULES[rule].usual, detail=detail)


def list_exceeded(limits: Mapping[str, float], measured: Mapping[str, float]) -> Iterator[Reason]:
    """Give which limits a release exceeds.

    Raises:
        ParameterError: a limit is set to what is not measured: it would be kept by every release.
    """
    for name, limit in limits.items():
        if name not in measured:
            raise ParameterError(f"limits.{name}", Said("be of {solvers}", solvers=", ".join(measured)), limit)
        value = measured[name]
        if value > limit:
            words = Said(
                "{name} is {value:.4g}, at most {limit:g} leaves unseen",
                name=name_measure(name),
                value=value,
                limit=limit,
            )
            yield make_reason("limit exceeded", words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """By rule the verdict that it asks for; as usual where nothing is said."""

    verdicts: Mapping[str, Verdict] = field(default_factory=dict[str, Verdict])

    def tell(self) -> dict[str, object]:
        """Return the verdicts that it asks for, for the certificate; nothing where all are usual."""
        verdicts = {rule: verdict.value for rule, verdict in self.verdicts.items()}
        return {"policy": verdicts} if verdicts else {}

    def judge(self, reasons: Iterable[Reason]) -> tuple[Reason, ...]:
        """Return reasons with the verdicts that the policy asks for."""
        return tuple(
            replace(reason, verdict=self.verdicts[reason.rule]) if reason.rule in self.verdicts else reason
            for reason in reasons
        )

    def find_faults(self, shape: Shape | None) -> dict[str, Said]:
        """Return by rule what is wrong with what the policy says of it; for data of any shape if it is None."""
        wrong: dict[str, Said] = {}
        for name, verdict in self.verdicts.items():
            rule = POLICY_RULES.get(name)
            if rule is None:
                wrong[name] = quote_words(str(UnknownNameError(Said("rule of the gate"), name, POLICY_RULES)))
            elif shape is not None and shape not in rule.shapes:
                wrong[name] = Said("not be given for {shape}", shape=shape)
            elif list(Verdict).index(verdict) < list(Verdict).index(rule.mildest):
                wrong[name] = Said("be {verdict} at least ({meaning})", verdict=rule.mildest, meaning=rule.meaning)
        return wrong


IDENTIFYING, ALLOWED, NEEDLESS = "identifying column", "allowed column", "needless allowance"


def list_review_reasons(review: ReleaseReview) -> Iterator[Reason]:
    """Give why a release may not simply leave, whatever shape it has, and what was allowed of it.

    It names people, or hidden cells can be read. Whether anything is left to use the stage of each shape says, with its
    own figures.
    """
    for identifying in review.identifying:
        yield make_reason(IDENTIFYING, describe_identifying(identifying))
    for name, why in review.allowed.items():
        yield make_reason(ALLOWED, Said("{name} leaves though it names people, because: {why}", name=name, why=why))
    for name in review.needless:
        yield make_reason(NEEDLESS, Said("{name} names nobody as far as is seen, and is allowed to", name=name))
    if review.raw:
        yield make_reason(
            "raw people", Said("{people:,} {people:person is|people are} published as they were", people=review.raw)
        )
    if review.derivable:
        yield make_reason(
            "derivable cells",
            Said(
                "hidden cells of {names}: {derived}",
                names=", ".join(review.derivable),
                derived=review.tell_derived(),
            ),
        )


def describe_identifying(identifying: Identifying) -> Said:
    """Return why a column is taken to name people, in words."""
    column, sign = identifying.column, identifying.sign
    if identifying.ground is Ground.HEADER:
        return Said("{column} names people, as its header says ({sign})", column=column, sign=sign)
    if identifying.ground is Ground.CONTENT:
        return Said("{column} names people: it holds {form}", column=column, form=FORMS.get(sign, sign))
    return Said("almost every value of {column} is distinct", column=column)
