"""A sample's risk as a page: the promise in words, how it grows with the sample, and which randomness made it."""

from __future__ import annotations

import numpy as np

from sekisho.provenance import Provenance
from sekisho.report.figures.gallery import Axis, LineChart, Mark, Series
from sekisho.report.kit.blocks import Banner, Block, Bullets, Facts, Figure, Fold, Heading, Origin, Tone
from sekisho.report.kit.words import Text, Words
from sekisho.report.pages.frontier import GAPS, LIMITS, randomness_words
from sekisho.safety.mechanism import Mechanism
from sekisho.safety.sampling import PartialKnowledge, SampleRisk

SAMPLE_TITLE = Text("A sample and its promise", "標本とその保証")
CURVE = 60


def sample_blocks(
    mechanism: Mechanism, risk: SampleRisk | None, known: int | None, provenance: Provenance, *, randomness: str
) -> list[Block]:
    """Return the page of a sample; ``risk`` is None where no number of known records was given."""
    good = risk is not None and risk.guaranteed
    pictures = [] if known is None or mechanism.strata else [Figure(picture=_curve(mechanism, known))]
    facts: list[tuple[Words, Words]] = [
        (
            Text("records drawn", "抽出レコード数"),
            Text(
                f"{mechanism.sample:,} of {mechanism.records:,}", f"{mechanism.records:,} 件中 {mechanism.sample:,} 件"
            ),
        ),
        (Text("randomness", "乱数"), randomness_words(randomness)),
    ]
    if mechanism.strata:
        facts.append((Text("strata", "層"), f"{mechanism.stratum} ({len(mechanism.strata)})"))
    return [
        Banner(text=_words(risk, known), tone=Tone.GOOD if good else Tone.BAD),
        Facts(pairs=tuple(facts)),
        *pictures,
        Heading(text=Text("What the promise does not cover", "保証の及ばない範囲")),
        Bullets(items=LIMITS),
        Fold(summary=Text("What made this", "作成の記録"), blocks=(Origin(steps=(provenance,)),)),
    ]


def _words(risk: SampleRisk | None, known: int | None) -> Text:
    if risk is None:
        return Text(
            "No guarantee: against whoever knows all records a sample promises nothing. Say how many he may know "
            "(--known).",
            "保証なし：全レコードを知る者に対して標本抽出は何も保証しない。知られうる件数（--known）を指定すること。",
        )
    if risk.gap is not None:
        return Text(f"No guarantee: {risk.gap}.", f"保証なし：{GAPS[risk.gap]}。")
    chance = f"{float(risk.risk):.6g}"
    where = (f" (worst stratum {risk.stratum})", f"（最悪の層は {risk.stratum}）") if risk.stratum else ("", "")
    return Text(
        f"Whoever knows {known:,} of the records finds a person with a chance of at most {chance}{where[0]}.",
        f"{known:,} 件を知る者が個人を特定する確率は高々 {chance}{where[1]}。",
    )


def _curve(mechanism: Mechanism, known: int) -> LineChart:
    person = PartialKnowledge(records=mechanism.records, known=min(known, mechanism.records))
    sizes = np.unique(np.linspace(1, mechanism.records, CURVE).round().astype(np.int64)).tolist()
    used = float(person.risk(mechanism.sample).risk)
    return LineChart(
        title=Text(f"Risk against whoever knows {known:,} records", f"{known:,} 件を知る者に対するリスク"),
        desc=Text(
            "The risk n0/(n - m + 1) grows with the sample up to 1.",
            "リスク n0/(n - m + 1) は標本とともに 1 まで増える。",
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
