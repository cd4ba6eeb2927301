"""Drawn records as a page: their risk and what that rests on, how often an adversary was right, what to do."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Protocol

import numpy as np

from sekisho.data.records.category_counts import CategoryCounts
from sekisho.data.review import ReleaseReview
from sekisho.gate.frontier import compute_errors, rebuild_frontier
from sekisho.gate.records.known_part import KnownPartAttack
from sekisho.provenance import Provenance
from sekisho.report.figures.gallery import Axis, LineChart, Mark, Series
from sekisho.report.kit.blocks import Banner, Block, Bullets, Facts, Figure, Fold, Heading, Origin, Paragraph, Tone
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.html import render_page
from sekisho.report.kit.words import Language, Text, Words
from sekisho.report.pages.records.frontier import GAPS, LIMITS, RELEASE_TITLE, randomness_words, release_blocks
from sekisho.report.pages.verdicts.review import review_blocks
from sekisho.safety.mechanism import Mechanism
from sekisho.safety.pram import PkFinding
from sekisho.safety.sampling import ASSUMPTION, PartialKnowledge, SampleRisk

SAMPLE_TITLE = Text("A sample, what it promises and on what that rests", "標本：何が、どの前提で保証されるか")
CURVE = 60


ASSUMED = Text(
    f"Promised only if {ASSUMPTION}.",
    "この値が保証されるのは、未知のレコードの分布が既知のレコードと同じで、母集団で唯一と知られている値がない場合に限ります。",
)
WHAT_TO_DO: tuple[Words, ...] = (
    Text(
        "Code outliers and rare values into classes (top, bottom, coarser categories), or release fewer columns, until "
        "few records are unique.",
        "外れ値やまれな値をまとめる（トップコーディング、ボトムコーディング、粗い区分）か、公開する列を減らして、"
        "唯一のレコードを少なくしてください。",
    ),
    Text(
        "Change values by chance before drawing (sekisho protect pram): that promise holds whatever is known.",
        "抽出の前に値を確率的に変えてください（sekisho protect pram）。その保証は、"
        "どのような知識を持つ者に対しても成り立ちます。",
    ),
)


class DrawnSample(Protocol):
    """What is told of a sample, wherever its records are."""

    @property
    def mechanism(self) -> Mechanism:
        """What was done."""
        ...

    @property
    def risk(self) -> SampleRisk | None:
        """Under the assumption of the model; None where no number of known records was given."""
        ...

    @property
    def known(self) -> int | None:
        """How many records the adversary is thought to know."""
        ...

    @property
    def uniques(self) -> int:
        """How many records of the original have values that nobody else has."""
        ...


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
            Text("records drawn", "抽出レコード数"),
            Text(
                f"{mechanism.sample:,} of {mechanism.records:,}", f"{mechanism.records:,} 件中 {mechanism.sample:,} 件"
            ),
        ),
        (
            Text("unique records in the original", "元データで唯一のレコード"),
            Text(f"{release.uniques:,} of {mechanism.records:,}", f"{mechanism.records:,} 件中 {release.uniques:,} 件"),
        ),
        (Text("randomness", "乱数"), randomness_words(randomness)),
    ]
    if mechanism.strata:
        facts.append((Text("strata", "層"), f"{mechanism.stratum} ({len(mechanism.strata)})"))
    refuted = tried is not None and tried.refutes(release.risk)
    promised = release.risk is not None and release.risk.promised
    return [
        Banner(text=_words(release.risk, known), tone=Tone.WARN if promised and not refuted else Tone.BAD),
        *review_blocks(review),
        *([Paragraph(text=ASSUMED)] if promised else []),
        *([] if tried is None else _attack_blocks(tried, refuted=refuted)),
        Facts(pairs=tuple(facts)),
        *pictures,
        Heading(text=Text("What to do about uniques", "唯一のレコードへの対処")),
        Bullets(items=WHAT_TO_DO),
        Heading(text=Text("What the promise does not cover", "保証の及ばない範囲")),
        Bullets(items=LIMITS),
        Fold(summary=Text("What made this", "作成の記録"), blocks=(Origin(steps=(provenance,)),)),
    ]


def _attack_blocks(tried: KnownPartAttack, *, refuted: bool) -> list[Block]:
    rate = tried.rate
    share = f"{rate.value:.4g} ({rate.low:.4g} – {rate.high:.4g})"
    measured = Text(
        f"Measured on this file: whoever knows {tried.known:,} records and claims those that are single both in "
        f"his list and in the sample made {rate.trials:,} claims over {tried.draws} draws of what he knows, "
        f"{rate.hits:,} of them right: {share}; by chance {tried.by_chance:.3g}.",
        f"このファイルでの実測：{tried.known:,} 件を知り、手元でも標本でも 1 "
        "件しかない値のレコードを同一人物と主張する者は、"
        f"既知部分を {tried.draws} 回引き直して {rate.trials:,} 件を主張し、{rate.hits:,} 件が正解でした。"
        f"正解率は {share}、偶然なら {tried.by_chance:.3g} です。",
    )
    if not refuted:
        return [Paragraph(text=measured)]
    refusal = Text(
        "The assumption fails on this file: he is right more often than the risk says. Do not rely on the risk.",
        "このファイルでは前提が成り立ちません。正解率がリスクの値を上回っています。このリスクの値に頼らないでください。",
    )
    return [Banner(text=refusal, tone=Tone.BAD), Paragraph(text=measured)]


def _words(risk: SampleRisk | None, known: int | None) -> Text:
    if risk is None:
        return Text(
            "No guarantee: against whoever knows all records a sample promises nothing. Say how many he may know "
            "(--known).",
            "保証はありません。全レコードを知る者に対して、標本抽出は何も保証しません。知られうる件数（--known）を"
            "指定してください。",
        )
    if risk.gap is not None:
        return Text(f"No guarantee: {risk.gap}.", f"保証はありません：{GAPS[risk.gap]}。")
    chance = f"{float(risk.risk):.6g}"
    where = (f" (worst stratum {risk.stratum})", f"（最悪の層は {risk.stratum}）") if risk.stratum else ("", "")
    return Text(
        f"Under an assumption: whoever knows {known:,} of the records finds a person with a chance of at most "
        f"{chance}{where[0]}.",
        f"前提付き：{known:,} 件を知る者が個人を特定する確率は高々 {chance}{where[1]} です。",
    )


def _curve(mechanism: Mechanism, known: int) -> LineChart:
    person = PartialKnowledge(records=mechanism.records, known=min(known, mechanism.records))
    sizes = np.unique(np.linspace(1, mechanism.records, CURVE).round().astype(np.int64)).tolist()
    used = float(person.risk(mechanism.sample).risk)
    return LineChart(
        title=Text(f"Risk against whoever knows {known:,} records", f"{known:,} 件を知る者に対するリスク"),
        desc=Text(
            "The risk n0/(n - m + 1), an upper bound of his chance, grows with the sample up to 1.",
            "リスク n0/(n - m + 1)（成功確率の上界）は標本とともに 1 まで増えます。",
        ),
        x=Axis(label=Text("records drawn (m)", "抽出レコード数 m")),
        y=Axis(label=Text("risk", "リスク"), low=0.0, high=1.0),
        series=(
            Series(
                name=Text("risk", "リスク"),
                x=tuple(float(size) for size in sizes),
                y=tuple(float(person.risk(size).risk) for size in sizes),
            ),
        ),
        marks=(Mark(name=f"m = {mechanism.sample:,}", x=float(mechanism.sample), y=used, tone=Tone.PLAIN),),
    )


class ChangedRecords(Protocol):
    """What is told of a release by PRAM, wherever its records are."""

    @property
    def mechanism(self) -> Mechanism:
        """What was done."""
        ...

    @property
    def guarantee(self) -> PkFinding:
        """What is promised."""
        ...

    @property
    def detail(self) -> Mapping[str, object]:
        """What is told of it, as plain data."""
        ...


def render_sample_page(
    release: DrawnSample,
    tried: KnownPartAttack | None,
    provenance: Provenance,
    *,
    randomness: str,
    review: ReleaseReview,
    language: Language,
) -> str:
    """Return the page of a sample."""
    blocks = sample_blocks(release, tried, provenance, randomness=randomness, review=review)
    return render_page(SAMPLE_TITLE, blocks, language=language, edition=Edition.CONFIDENTIAL)


def render_pram_page(
    release: ChangedRecords,
    counts: CategoryCounts,
    provenance: Provenance,
    *,
    review: ReleaseReview,
    language: Language,
) -> str:
    """Return the page of a release by PRAM."""
    wanted = release.detail["wanted_k"]
    k = Fraction(release.guarantee.k) if wanted is None else Fraction(str(wanted))
    blocks = release_blocks(
        release.mechanism,
        release.guarantee,
        provenance,
        review=review,
        randomness=str(release.detail["randomness"]),
        frontier=rebuild_frontier(counts, release.mechanism, k) if k > 1 else None,
        errors=compute_errors(counts, release.mechanism),
    )
    return render_page(RELEASE_TITLE, blocks, language=language, edition=Edition.CONFIDENTIAL)
