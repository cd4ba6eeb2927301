"""What a wanted k costs, as a page: the frontier of sample and retention, each plan's error, the promise in words."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from sekisho.data.review import ReleaseReview
from sekisho.gate.frontier import Frontier, ReleasePlan
from sekisho.provenance import Provenance
from sekisho.report.figures.gallery import Axis, LineChart, Mark, Series
from sekisho.report.kit.blocks import (
    Banner,
    Block,
    Bullets,
    Facts,
    Figure,
    Fold,
    Heading,
    Origin,
    Paragraph,
    TableBlock,
    Tone,
)
from sekisho.report.kit.words import Words, format_count
from sekisho.report.pages.verdicts.review import review_blocks
from sekisho.safety.epsilon import EpsilonFinding
from sekisho.safety.mechanism import Mechanism
from sekisho.safety.pram import PkFinding
from sekisho.safety.sampling import GuaranteeGap, Scheme
from sekisho.safety.transition import Replacement
from sekisho.words import Said, join_words

PLAN_TITLE = Said("Sampling and PRAM: what the wanted k costs")
RELEASE_TITLE = Said("A release by PRAM and sampling, and its promise")

LIMITS: tuple[Words, ...] = (
    Said(
        "The promise is about tying a released record to a person. It does not say that nothing is learnt about people."
    ),
    Said("Several releases of the same people add up: the promise of each is no promise for all together."),
    Said("It rests on secret chance: whoever can repeat the randomness can undo it."),
    Said("Of a sample without PRAM it covers no value that somebody knows to be unique in the population."),
)


def plan_blocks(frontier: Frontier, chosen: ReleasePlan, provenance: Provenance) -> list[Block]:
    """Return the page of a plan."""
    return [
        Banner(text=_plan_words(frontier, chosen), tone=Tone.WARN if chosen.review.needed else Tone.GOOD),
        *review_blocks(chosen.review),
        *([Bullets(items=(_coins(),))] if frontier.scheme is Scheme.BERNOULLI else []),
        *epsilon_blocks(chosen.epsilon),
        *frontier_blocks(frontier, chosen),
        Heading(text=Said("What the promise does not cover")),
        Bullets(items=LIMITS),
        Fold(summary=Said("What made this"), blocks=(Origin(steps=(provenance,)),)),
    ]


def release_blocks(
    mechanism: Mechanism,
    finding: PkFinding,
    provenance: Provenance,
    *,
    review: ReleaseReview,
    randomness: str,
    frontier: Frontier | None = None,
    errors: Mapping[str, float] | None = None,
) -> list[Block]:
    """Return the page of a release: its promise, how it was made, and the frontier that it was chosen from."""
    drawn = [] if frontier is None else frontier_blocks(frontier, _used_plan(mechanism, finding, errors or {}))
    return [
        Banner(
            text=_promise(finding),
            tone=Tone.BAD if not finding.guaranteed else Tone.WARN if review.needed else Tone.GOOD,
        ),
        *review_blocks(review),
        *([Bullets(items=tuple(_gap(gap, finding) for gap in finding.gaps))] if finding.gaps else []),
        Facts(pairs=_facts(mechanism, finding, randomness)),
        _attributes(mechanism, errors or {}),
        *epsilon_blocks(mechanism.measure_epsilon()),
        *drawn,
        Heading(text=Said("What the promise does not cover")),
        Bullets(items=LIMITS),
        Fold(summary=Said("What made this"), blocks=(Origin(steps=(provenance,)),)),
    ]


def frontier_blocks(frontier: Frontier, chosen: ReleasePlan) -> list[Block]:
    """Return the frontier as two pictures and a table; the table alone where no retention is left to choose."""
    if chosen.retention is None:
        return [_table(frontier)]
    finite = [point for point in frontier.points if np.isfinite(point.error)]
    wanted = f"{float(frontier.k):g}"
    across = Axis(label=Said("records drawn (m)"), log=True)
    sizes = tuple(float(point.sample) for point in frontier.points)
    kept = LineChart(
        title=Said("The largest retention that keeps k = {wanted}", wanted=wanted),
        desc=Said("The retention falls as more records are drawn; the mark is the chosen plan."),
        x=across,
        y=Axis(label=Said("retention"), low=0.0, high=1.0),
        series=(
            Series(
                name=Said("retention"),
                x=sizes,
                y=tuple(float(point.retention or 0) for point in frontier.points),
            ),
        ),
        marks=(Mark(name=_mark_name(chosen), x=float(chosen.sample), y=float(chosen.retention), tone=Tone.GOOD),),
    )
    blocks: list[Block] = [
        Heading(text=Said("The frontier")),
        Paragraph(
            text=Said(
                "Every pair below keeps the wanted k. A small sample needs little noise, a large one much; the error "
                "tells which pair serves the analyst best."
            )
        ),
        Figure(picture=kept),
    ]
    if finite:
        blocks.append(Figure(picture=_error_chart(finite, chosen, across)))
    return [*blocks, _table(frontier)]


def _error_chart(finite: list[ReleasePlan], chosen: ReleasePlan, across: Axis) -> LineChart:
    marks = (
        (Mark(name=_mark_name(chosen), x=float(chosen.sample), y=chosen.error, tone=Tone.GOOD),)
        if np.isfinite(chosen.error)
        else ()
    )
    return LineChart(
        title=Said("Expected standard error of an estimated share"),
        desc=Said("Mean over the attributes; the lowest point is the plan that serves analysts best."),
        x=across,
        y=Axis(label=Said("standard error"), log=True),
        series=(
            Series(
                name=Said("standard error"),
                x=tuple(float(point.sample) for point in finite),
                y=tuple(point.error for point in finite),
            ),
        ),
        marks=marks,
    )


def _table(frontier: Frontier) -> TableBlock:
    names = tuple(frontier.points[0].errors)
    return TableBlock(
        head=(Said("sample"), Said("retention"), "k", "ε", *names),
        rows=tuple(
            (
                format_count(point.sample),
                "–" if point.retention is None else f"{float(point.retention):.6f}",
                f"{float(point.k):.4f}",
                write_epsilon(point.epsilon),
                *(f"{point.errors[name]:.3g}" for name in names),
            )
            for point in frontier.points
        ),
        caption=Said(
            "Plans that keep k, and by attribute the expected standard error of an estimated share (root mean square)"
        ),
        numeric=tuple(range(4 + len(names))),
    )


def write_epsilon(finding: EpsilonFinding) -> Words:
    """Return epsilon as a page writes it: a figure, or the word."""
    return Said("infinite") if finding.odds.infinite else f"{finding.epsilon:.4f}"


def epsilon_blocks(finding: EpsilonFinding) -> list[Block]:
    """Return what a release, or a plan, says about one record."""
    columns: tuple[tuple[Words, ...], ...] = tuple(
        (name, Said("infinite") if odds.infinite else f"{odds.epsilon:.4f}") for name, odds in finding.columns.items()
    )
    table = TableBlock(
        head=(Said("attribute"), "ε"),
        rows=columns,
        caption=Said("epsilon by attribute, before records are drawn"),
        numeric=(1,),
    )
    return [
        Heading(text=Said("What it says about one record")),
        Paragraph(text=finding.describe()),
        *([table] if len(columns) > 1 else []),
    ]


def _mark_name(point: ReleasePlan) -> Words:
    return f"m = {point.sample:,}"


def _plan_words(frontier: Frontier, chosen: ReleasePlan) -> Said:
    k = float(chosen.k)
    if chosen.retention is None:
        return Said(
            "k = {k:.4g} is kept by drawing {sample:,} of {records:,} {records:record|records} with the "
            "given matrices.",
            k=k,
            sample=chosen.sample,
            records=frontier.records,
        )
    rho = float(chosen.retention)
    return Said(
        "k = {k:.4g} is kept by drawing {sample:,} of {records:,} {records:record|records} and retaining "
        "values with chance {rho:g}.",
        k=k,
        sample=chosen.sample,
        records=frontier.records,
        rho=rho,
    )


def _promise(finding: PkFinding) -> Said:
    if not finding.guaranteed:
        return Said("No guarantee: the release promises nothing.")
    k, risk = float(finding.k), float(finding.risk)
    least = Said("at least ") if finding.lower_bound else ""
    return Said(
        "k = {least}{k:.6g}: nobody, whatever he knows, ties a released record to a person with a chance above "
        "{risk:.6g}.",
        least=least,
        k=k,
        risk=risk,
    )


def _coins() -> Said:
    return Said("{gap}; k is that of PRAM alone.", gap=GuaranteeGap.BERNOULLI.words)


def _gap(gap: GuaranteeGap, finding: PkFinding) -> Said:
    where = f" ({', '.join(finding.firm)})" if gap is GuaranteeGap.FIRM else ""
    return join_words((gap.words, where))


def randomness_words(randomness: str) -> Said:
    """Return which randomness made a release, in words."""
    if randomness == "secret":
        return Said("secret, from the operating system: nobody can repeat it")
    return Said("seeded: whoever knows the seed can undo the protection; for tests only")


def _facts(mechanism: Mechanism, finding: PkFinding, randomness: str) -> tuple[tuple[Words, Words], ...]:
    exact = (
        f"{finding.k}" if isinstance(finding.k, Fraction) and len(str(finding.k)) < 40 else f"{float(finding.k):.9g}"
    )
    facts: list[tuple[Words, Words]] = [
        ("k", exact),
        (
            Said("records drawn"),
            Said("{sample:,} of {records:,}", sample=mechanism.sample, records=mechanism.records),
        ),
        ("r1", f"{float(finding.r1):.6g}"),
        ("r2", f"{float(finding.r2):.6g}"),
        (Said("randomness"), randomness_words(randomness)),
    ]
    if mechanism.strata:
        shown = Said("shown") if mechanism.visible else Said("hidden: k is a lower bound")
        facts += [
            (Said("strata"), f"{mechanism.stratum} ({len(mechanism.strata)})"),
            (Said("stratum in the release"), shown),
            (Said("stratum that decides"), finding.stratum),
        ]
    return tuple(facts)


def _attributes(mechanism: Mechanism, errors: Mapping[str, float]) -> TableBlock:
    return TableBlock(
        head=(
            Said("attribute"),
            Said("count|values"),
            Said("retention"),
            Said("standard error of a share"),
        ),
        rows=tuple(
            (
                name,
                format_count(transition.size),
                f"{float(transition.retention):g}" if isinstance(transition, Replacement) else Said("own matrix"),
                f"{errors[name]:.3g}" if name in errors else "–",
            )
            for name, transition in mechanism.transitions.items()
        ),
        caption=Said("How values were changed, and what it costs the analyst"),
        numeric=(1, 2, 3),
    )


def _used_plan(mechanism: Mechanism, finding: PkFinding, errors: Mapping[str, float]) -> ReleasePlan:
    kept = [each.retention for each in mechanism.transitions.values() if isinstance(each, Replacement)]
    return ReleasePlan(
        sample=mechanism.sample,
        retention=Fraction(max(kept, default=Fraction(0))),
        k=Fraction(finding.k),
        errors=dict(errors) or {"": float("inf")},
        epsilon=mechanism.measure_epsilon(),
    )
