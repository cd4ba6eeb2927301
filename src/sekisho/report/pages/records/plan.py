"""A release of records, planned: the conditions it meets, every adversary, and the frontier of what was tried."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sekisho.data.review import ReleaseReview
from sekisho.errors import BugError
from sekisho.gate.names import translate_name
from sekisho.gate.outcome import Verdict
from sekisho.gate.records.test_sets import RecordsAttempt, RiskCandidate
from sekisho.provenance import Provenance
from sekisho.report.figures.gallery import Axis, Mark, Scatter
from sekisho.report.kit.blocks import Banner, Block, Figure, Fold, Heading, Origin, Paragraph, TableBlock, Tone
from sekisho.report.kit.words import Words, format_decimal, format_out_of
from sekisho.report.pages.verdicts.adversaries import describe_adversary
from sekisho.report.pages.verdicts.review import review_blocks
from sekisho.utility.records.conditions import Condition, Side
from sekisho.words import Said

if TYPE_CHECKING:  # its search and its regression are loaded only by those who plan
    from sekisho.gate.records.plan import PlanStep

PLAN_TITLE = Said("A release of records, planned")
RISK = Said("mean risk")
STRAIN = Said("nearest utility limit (1 = reached)")
RISK_WORDS = Said(
    "The risk of a release is, for each adversary, the product of three shares: of the kept records those he calls "
    "kept, of those he calls kept the ones that are, and of the kept records those whose row is among the ones he "
    "names. 0 means that he finds nobody, 1 that he finds everybody."
)
TRIED_WORDS = Said(
    "Each point is a way to delete and to exchange records. Lean says how strongly records that are easily found are "
    "deleted first, pull how strongly values that many could bear are preferred."
)
MEANINGS = {
    "rate": Said("largest change of a share of all records"),
    "odds": Said("largest change of an odds ratio of the regression"),
    "cor": Said("largest change of a correlation of two columns"),
    "iloss": Said("farthest that a record was changed"),
    "uniqrt": Said("share of records that are kept and alone with their values"),
    "kept": Said("share of the records that are kept"),
}


def plan_blocks(step: PlanStep, target: float, origin: Provenance, *, review: ReleaseReview) -> tuple[Block, ...]:
    """Return the page of a plan: verdict, conditions, every adversary, and the frontier of what was tried."""
    best = step.best
    if best is None:
        return (Banner(text=Said("No candidate meets every condition."), tone=Tone.BAD),)
    return (
        _banner(best, target, review),
        *review_blocks(review),
        Heading(text=Said("Conditions")),
        condition_table(best.conditions),
        Heading(text=Said("What attackers found")),
        Paragraph(text=RISK_WORDS),
        risk_table(best.attempts),
        *_order_blocks(best),
        Heading(text=Said("candidates|What was tried")),
        Paragraph(text=TRIED_WORDS),
        Figure(
            picture=frontier_figure(step.tried),
            caption=Said(
                "Risk of each candidate under the strongest of the scouting adversaries; right of 1 a condition is "
                "broken."
            ),
        ),
        Fold(summary=Said("The candidates in figures"), blocks=(_tried_table(step.tried),)),
        Heading(text=Said("Provenance")),
        Fold(
            summary=Said("What made this report, to run it again"),
            blocks=(Origin(steps=(origin,)),),
        ),
    )


def _banner(best: RiskCandidate, target: float, review: ReleaseReview) -> Banner:
    """Return the verdict; what the contest alone forbids does not count there, but is no reason for a tick."""
    top = best.strongest
    if top is None:
        raise BugError("a planned release that nobody attacked")
    by_order = max(best.forbidden, key=lambda one: one.mean, default=None)
    allowed = "" if by_order is None else Said(" that the round allows")
    conditions = Said("All conditions are met") if best.admissible else Said("Not every condition is met")
    name, asked = translate_name(top.adversary), f"{target:g}"
    risk = Said(
        "the strongest adversary{allowed} ({name}) comes to a risk of {mean:.4f}; below {asked} was asked",
        allowed=allowed,
        name=name,
        mean=top.mean,
        asked=asked,
    )
    if by_order is not None and by_order.mean >= target:
        warning = Said(
            "For the contest only. {conditions}, and {risk}. Whoever uses the order of the rows, which only the "
            "contest forbids, comes to {by_order:.4f}: elsewhere publish the rows shuffled.",
            conditions=conditions,
            risk=risk,
            by_order=by_order.mean,
        )
        return Banner(text=warning, tone=Tone.WARN if best.verdict is Verdict.RELEASE else Tone.BAD)
    words = Said("{conditions}, and {risk}.", conditions=conditions, risk=risk)
    good = Tone.WARN if review.needed else Tone.GOOD
    return Banner(text=words, tone=good if best.verdict is Verdict.RELEASE else Tone.BAD)


def _tried_table(tried: Sequence[RiskCandidate]) -> TableBlock:
    head: tuple[Words, ...] = (Said("candidate"), STRAIN, Said("largest mean risk"))
    order = sorted(tried, key=lambda one: one.risk)
    rows = tuple(
        (translate_name(one.label), format_decimal(one.score.value, 3), format_decimal(one.risk, 4)) for one in order
    )
    return TableBlock(head=head, rows=rows, numeric=(1, 2))


def _order_blocks(best: RiskCandidate) -> list[Block]:
    if best.order is not None:
        return [
            Paragraph(text=Said("The rows are shuffled before they leave, and were attacked so; how is confidential."))
        ]
    if not best.forbidden:
        return [
            Paragraph(
                text=Said(
                    "The rules have the rows in the original's order, and attacks by the order count like all others."
                )
            )
        ]
    warning = Said(
        "The rows stand in the original's order, as the rules ask. The attacks by that order, which the round forbids, "
        "are not counted above, but here:"
    )
    return [Paragraph(text=warning), risk_table(best.forbidden)]


def condition_table(conditions: Sequence[Condition]) -> TableBlock:
    """Return every condition with its value, its limit and whether it is met."""
    head: tuple[Words, ...] = (
        Said("condition"),
        Said("value"),
        Said("limit"),
        Said("met"),
        Said("what it is"),
    )
    rows = tuple(
        (
            one.name,
            "–" if one.value is None else format_decimal(one.value, 4),
            condition_limit(one),
            "–" if one.limit is None else _yes(met=one.met),
            MEANINGS.get(one.name, "–"),
        )
        for one in conditions
    )
    return TableBlock(head=head, rows=rows, numeric=(1,))


def condition_limit(one: Condition) -> Said:
    """Return what a condition asks for, in words."""
    if one.limit is None:
        return Said("no limit")
    if one.side is Side.AT_MOST:
        return Said("at most {limit:g}", limit=one.limit)
    return Said("at least {limit:g}", limit=one.limit)


def _yes(*, met: bool) -> Words:
    return Said("mark|yes") if met else Said("mark|no")


def risk_table(risks: Sequence[RecordsAttempt]) -> TableBlock:
    """Return what every adversary came to, the strongest first, each mean with its interval."""
    head: tuple[Words, ...] = (
        Said("adversary"),
        RISK,
        Said("95% interval"),
        Said("risk|largest"),
        Said("rows rightly named"),
        Said("what he does"),
    )
    order = sorted(risks, key=lambda one: -one.mean)
    rows = tuple(
        (
            translate_name(one.adversary),
            format_decimal(one.mean, 4),
            f"{format_decimal(one.low, 4)} – {format_decimal(one.high, 4)}",
            format_decimal(one.worst, 4),
            format_out_of(one.hits, one.topk.trials),
            describe_adversary(one.adversary),
        )
        for one in order
    )
    return TableBlock(head=head, rows=rows, numeric=(1, 2, 3, 4))


def frontier_figure(tried: Sequence[RiskCandidate], *, tones: Sequence[Tone] = ()) -> Scatter:
    """Return what was tried by utility and risk, each in the tone of its verdict if tones are given."""
    shown = list(tones) or [Tone.PLAIN] * len(tried)
    points = tuple(
        Mark(name=translate_name(one.label), x=one.score.value, y=one.risk, tone=tone)
        for one, tone in zip(tried, shown, strict=True)
    )
    return Scatter(
        title=Said("Risk against utility"),
        desc=Said(
            "{candidates} {candidates:candidate|candidates}; to the left is more useful, further down is safer.",
            candidates=len(tried),
        ),
        x=Axis(label=STRAIN),
        y=Axis(label=RISK),
        points=points,
        front=True,
    )
