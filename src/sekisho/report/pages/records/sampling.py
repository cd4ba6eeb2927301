"""Drawn records as a page: their risk and what that rests on, how often an adversary was right, what to do."""

from __future__ import annotations

from fractions import Fraction
from typing import Protocol, runtime_checkable

import numpy as np

from sekisho.data.records.microdata import CategoryCounts
from sekisho.data.review import ReleaseReview
from sekisho.gate.ending import Ending
from sekisho.gate.frontier import compute_errors, rebuild_frontier
from sekisho.gate.records.known_part import KnownPartAttack
from sekisho.protect.records.sample import Drawn, DrawnSample
from sekisho.provenance import Provenance
from sekisho.report.figures.gallery import Axis, LineChart, Mark, Series
from sekisho.report.kit.blocks import Banner, Block, Bullets, Facts, Figure, Fold, Heading, Origin, Paragraph, Tone
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.html import render_page
from sekisho.report.kit.words import Words
from sekisho.report.pages.records.frontier import LIMITS, RELEASE_TITLE, randomness_words, release_blocks
from sekisho.report.pages.verdicts.ending import put_ending_first
from sekisho.report.pages.verdicts.review import review_blocks
from sekisho.safety.mechanism import Mechanism
from sekisho.safety.pram import PkFinding
from sekisho.safety.sampling import PartialKnowledge, SampleRisk
from sekisho.words import Language, Said

SAMPLE_TITLE = Said("A sample, what it promises and on what that rests")
CURVE = 60


ASSUMED = Said(
    "Promised only if the unknown records follow the distribution of the known ones, and no value is known to be "
    "unique in the population."
)
WHAT_TO_DO: tuple[Words, ...] = (
    Said(
        "Code outliers and rare values into classes (top, bottom, coarser categories), or release fewer columns, until "
        "few records are unique."
    ),
    Said("Change values by chance before drawing (sekisho protect pram): that promise holds whatever is known."),
)


def sample_blocks(
    release: DrawnSample,
    tried: KnownPartAttack | None,
    provenance: Provenance,
    *,
    randomness: str,
    review: ReleaseReview,
) -> list[Block]:
    """Return the page of a sample; ``tried`` is the attack on it, None where no number of known records was given."""
    mechanism, known = release.mechanism, release.known
    pictures = [] if known is None or mechanism.strata else [Figure(picture=_curve(mechanism, known))]
    facts: list[tuple[Words, Words]] = [
        (
            Said("households drawn") if mechanism.households else Said("records drawn"),
            Said("{sample:,} of {records:,}", sample=mechanism.sample, records=mechanism.records),
        ),
        (
            Said("unique records in the original"),
            Said("{uniques:,} of {records:,}", uniques=release.uniques, records=mechanism.records),
        ),
        (Said("randomness"), randomness_words(randomness)),
    ]
    if mechanism.strata:
        facts.append((Said("strata"), f"{mechanism.stratum} ({len(mechanism.strata)})"))
    refuted = tried is not None and tried.refutes(release.risk)
    promised = release.risk is not None and release.risk.promised
    return [
        Banner(text=_words(release.risk, known), tone=Tone.WARN if promised and not refuted else Tone.BAD),
        *review_blocks(review),
        *([Paragraph(text=ASSUMED)] if promised else []),
        *([] if tried is None else _attack_blocks(tried, refuted=refuted)),
        Facts(pairs=tuple(facts)),
        Paragraph(text=mechanism.measure_epsilon().describe()),
        *pictures,
        Heading(text=Said("What to do about uniques")),
        Bullets(items=WHAT_TO_DO),
        Heading(text=Said("What the promise does not cover")),
        Bullets(items=LIMITS),
        Fold(summary=Said("What made this"), blocks=(Origin(steps=(provenance,)),)),
    ]


def _attack_blocks(tried: KnownPartAttack, *, refuted: bool) -> list[Block]:
    rate = tried.rate
    share = f"{rate.value:.4g} ({rate.low:.4g} – {rate.high:.4g})"
    measured = Said(
        "Measured on this file: whoever knows {known:,} {known:record|records} and claims those that are "
        "single both in his list and in the sample made {trials:,} {trials:claim|claims} over {draws} "
        "{draws:draw|draws} of what he knows, {hits:,} of them right: {share}; by chance {by_chance:.3g}.",
        known=tried.known,
        trials=rate.trials,
        draws=tried.draws,
        hits=rate.hits,
        share=share,
        by_chance=tried.by_chance,
    )
    if not refuted:
        return [Paragraph(text=measured)]
    refusal = Said(
        "The assumption fails on this file: he is right more often than the risk says. Do not rely on the risk."
    )
    return [Banner(text=refusal, tone=Tone.BAD), Paragraph(text=measured)]


def _words(risk: SampleRisk | None, known: int | None) -> Said:
    if risk is None:
        return Said(
            "No guarantee: against whoever knows all records a sample promises nothing. Say how many he may know "
            "(--known)."
        )
    if risk.gap is not None:
        return Said("No guarantee: {gap}.", gap=risk.gap.words)
    chance = f"{float(risk.risk):.6g}"
    where = Said(" (worst stratum {stratum})", stratum=risk.stratum) if risk.stratum else ""
    return Said(
        "Under an assumption: whoever knows {known:,} of the records finds a person with a chance of at most "
        "{chance}{where}.",
        known=known,
        chance=chance,
        where=where,
    )


def _curve(mechanism: Mechanism, known: int) -> LineChart:
    person = PartialKnowledge(records=mechanism.records, known=min(known, mechanism.records))
    sizes = np.unique(np.linspace(1, mechanism.records, CURVE).round().astype(np.int64)).tolist()
    used = float(person.risk(mechanism.sample).risk)
    return LineChart(
        title=Said("Risk against whoever knows {known:,} {known:record|records}", known=known),
        desc=Said("The risk n0/(n - m + 1), an upper bound of his chance, grows with the sample up to 1."),
        x=Axis(label=Said("records drawn (m)")),
        y=Axis(label=Said("risk"), low=0.0, high=1.0),
        series=(
            Series(
                name=Said("risk"),
                x=tuple(float(size) for size in sizes),
                y=tuple(float(person.risk(size).risk) for size in sizes),
            ),
        ),
        marks=(Mark(name=f"m = {mechanism.sample:,}", x=float(mechanism.sample), y=used, tone=Tone.PLAIN),),
    )


@runtime_checkable
class ChangedRecords(Drawn, Protocol):
    """What is told of a release by PRAM, wherever its records are."""

    @property
    def guarantee(self) -> PkFinding:
        """What is promised."""
        ...


def render_sample_page(
    release: DrawnSample,
    tried: KnownPartAttack | None,
    provenance: Provenance,
    *,
    randomness: str,
    review: ReleaseReview,
    ending: Ending | None = None,
    language: Language,
) -> str:
    """Return the page of a sample."""
    blocks = sample_blocks(release, tried, provenance, randomness=randomness, review=review)
    return render_page(
        SAMPLE_TITLE,
        put_ending_first(ending, blocks),
        language=language,
        edition=Edition.CONFIDENTIAL,
    )


def render_pram_page(
    release: ChangedRecords,
    counts: CategoryCounts,
    provenance: Provenance,
    *,
    review: ReleaseReview,
    ending: Ending | None = None,
    language: Language,
) -> str:
    """Return the page of a release by PRAM."""
    wanted, single = release.detail["wanted_k"], release.mechanism.units is None  # else rows are not independent
    k = Fraction(release.guarantee.k) if wanted is None else Fraction(str(wanted))
    blocks = release_blocks(
        release.mechanism,
        release.guarantee,
        provenance,
        review=review,
        randomness=str(release.detail["randomness"]),
        frontier=rebuild_frontier(counts, release.mechanism, k) if k > 1 and single else None,
        errors=compute_errors(counts, release.mechanism) if single else None,
    )
    return render_page(
        RELEASE_TITLE,
        put_ending_first(ending, blocks),
        language=language,
        edition=Edition.CONFIDENTIAL,
    )
