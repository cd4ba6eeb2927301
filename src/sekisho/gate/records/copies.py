"""Copies in a synthetic file, at the gate: which records stand in it as they are, beside people who are not in it."""

from __future__ import annotations

from math import isinf

from sekisho.attack.records.control_group import EqualRecords, count_equal_records
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release, SyntheticRelease
from sekisho.gate.outcome import Reason
from sekisho.gate.policy import make_reason
from sekisho.gate.records.counted_attempt import CountedAttempt
from sekisho.gate.statement_words import COPIES
from sekisho.safety.ratio_interval import RatioMethod
from sekisho.words import Said

NAME = "equal-records"


def attack_copies(
    release: Release, original: Dataset, controls: Dataset | None, *, allowed: float
) -> tuple[CountedAttempt, ...]:
    """Return which records a synthetic file holds as they are; nothing of a release whose rows are people's."""
    if not isinstance(release, SyntheticRelease):
        return ()
    return (describe_equal(count_equal_records(release.table, original, controls), allowed),)


def describe_equal(answer: EqualRecords, allowed: float) -> CountedAttempt:
    """Return what looking for copies came to; without controls nothing is held against it, and nothing stated."""
    told = Said(
        "{equal:,} of {people:,} {people:record|records} of the original {equal:stands|stand} in it as "
        "{equal:it is|they are}, {alone:,} of them alone in the original; {rows:,} of its {published:,} "
        "{published:row|rows} {rows:is|are} such copies",
        equal=answer.equal,
        people=answer.people,
        alone=answer.alone,
        rows=answer.rows,
        published=answer.published,
    )
    certain = Said("{equal:,} copied, {alone:,} of them alone", equal=answer.equal, alone=answer.alone)
    added = answer.added
    possible = {"equal": answer.equal, "alone": answer.alone, "rows": answer.rows}
    if added is None:
        return CountedAttempt(
            adversary=NAME,
            subject=COPIES,
            possible=possible,
            chance=None,
            found=answer.to_dict(),
            surely=0.0,
            allowed=None,
            detail=told,
            certain=certain,
            summary=Said("no controls: nobody knows how many are by chance"),
            stated=False,
        )
    interval, surely = added.find_interval(), added.find_interval(RatioMethod.GUARANTEED).low
    summary = Said(
        "R {value:.3f} ({low:.3f} to {high:.3f}, {method})",
        value=float("nan") if added.value is None else added.value,
        low=interval.low,
        high=interval.high,
        method=interval.method.value,
    )
    detail = Said(
        "{told}; of people who are not in it {control_equal:,} of {controls:,} do; {found}, surely {surely:.3f}, "
        "{allowed:.4g} is allowed",
        told=told,
        control_equal=added.control_hits,
        controls=added.control_trials,
        found=summary,
        surely=surely,
        allowed=allowed,
    )
    return CountedAttempt(
        adversary=NAME,
        subject=COPIES,
        possible=possible,
        chance=added.controls.value,
        found=answer.to_dict(),
        surely=-1e300 if isinf(surely) else surely,
        allowed=allowed,
        detail=detail,
        certain=certain,
        summary=summary,
    )


def tell_unattacked(attempts: tuple[CountedAttempt, ...]) -> Reason:
    """Return that nobody can tell whom a synthetic file betrays, and what is known of it all the same."""
    copies = next((each.detail for each in attempts if each.adversary == NAME), "")
    detail = Said(
        "no row of a synthetic file is anybody's, and without people who are not in the original (controls) nobody can "
        "tell whom it betrays; {copies}",
        copies=copies,
    )
    return make_reason("no attack", detail)
