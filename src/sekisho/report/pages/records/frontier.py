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
from sekisho.report.kit.words import Text, Words, format_count
from sekisho.report.pages.verdicts.review import review_blocks
from sekisho.safety.mechanism import Mechanism
from sekisho.safety.pram import PkFinding
from sekisho.safety.sampling import GuaranteeGap, Scheme
from sekisho.safety.transition import Replacement

PLAN_TITLE = Text("Sampling and PRAM: what the wanted k costs", "標本抽出と PRAM：求める k の代償")
RELEASE_TITLE = Text("A release by PRAM and sampling, and its promise", "PRAM と標本抽出による公開データとその保証")

GAPS: Mapping[GuaranteeGap, str] = {
    GuaranteeGap.BERNOULLI: "標本の大きさが固定されていないため全レコードが出力されえます。標本抽出は何も保証しません",
    GuaranteeGap.EXHAUSTED: "同じ値を持ちうる未知のレコードが残っていません（n - n0 - m + 1 が 0 以下）",
    GuaranteeGap.FIRM: "ある値だけが取りうる公開値があります（遷移行列に 0 があります）",
    GuaranteeGap.ALONE: "紛れる相手となるレコードがありません",
}

LIMITS: tuple[Words, ...] = (
    Text(
        "The promise is about tying a released record to a person. It does not say that nothing is learnt about "
        "people.",
        "保証するのは公開レコードと個人の対応付けの確率であり、個人について何も知られないことではありません。",
    ),
    Text(
        "Several releases of the same people add up: the promise of each is no promise for all together.",
        "同じ人々のデータを複数回公開した場合、個々の保証は全体の保証になりません。",
    ),
    Text(
        "It rests on secret chance: whoever can repeat the randomness can undo it.",
        "保証は秘密の乱数に基づきます。乱数を再現できる者は加工を元に戻せます。",
    ),
    Text(
        "Of a sample without PRAM it covers no value that somebody knows to be unique in the population.",
        "PRAM のない標本抽出では、母集団で唯一と知られている値は保証の対象外です。",
    ),
)


def plan_blocks(frontier: Frontier, chosen: ReleasePlan, provenance: Provenance) -> list[Block]:
    """Return the page of a plan."""
    return [
        Banner(text=_plan_words(frontier, chosen), tone=Tone.WARN if chosen.review.needed else Tone.GOOD),
        *review_blocks(chosen.review),
        *([Bullets(items=(_coins(),))] if frontier.scheme is Scheme.BERNOULLI else []),
        *frontier_blocks(frontier, chosen),
        Heading(text=Text("What the promise does not cover", "保証の及ばない範囲")),
        Bullets(items=LIMITS),
        Fold(summary=Text("What made this", "作成の記録"), blocks=(Origin(steps=(provenance,)),)),
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
        *drawn,
        Heading(text=Text("What the promise does not cover", "保証の及ばない範囲")),
        Bullets(items=LIMITS),
        Fold(summary=Text("What made this", "作成の記録"), blocks=(Origin(steps=(provenance,)),)),
    ]


def frontier_blocks(frontier: Frontier, chosen: ReleasePlan) -> list[Block]:
    """Return the frontier as two pictures and a table; the table alone where no retention is left to choose."""
    if chosen.retention is None:
        return [_table(frontier)]
    finite = [point for point in frontier.points if np.isfinite(point.error)]
    wanted = f"{float(frontier.k):g}"
    across = Axis(label=Text("records drawn (m)", "抽出レコード数 m"), log=True)
    sizes = tuple(float(point.sample) for point in frontier.points)
    kept = LineChart(
        title=Text(f"The largest retention that keeps k = {wanted}", f"k = {wanted} を満たす最大の保持確率"),
        desc=Text(
            "The retention falls as more records are drawn; the mark is the chosen plan.",
            "抽出数が増えるほど保持確率は下がります。印は選ばれた計画です。",
        ),
        x=across,
        y=Axis(label=Text("retention", "保持確率"), low=0.0, high=1.0),
        series=(
            Series(
                name=Text("retention", "保持確率"),
                x=sizes,
                y=tuple(float(point.retention or 0) for point in frontier.points),
            ),
        ),
        marks=(Mark(name=_mark_name(chosen), x=float(chosen.sample), y=float(chosen.retention), tone=Tone.GOOD),),
    )
    blocks: list[Block] = [
        Heading(text=Text("The frontier", "フロンティア")),
        Paragraph(
            text=Text(
                "Every pair below keeps the wanted k. A small sample needs little noise, a large one much; the error "
                "tells "
                "which pair serves the analyst best.",
                "下の組はすべて求める k を満たします。標本が小さければ雑音は少なく、大きければ多くなります。"
                "誤差は分析者にとってどの組がよいかを示します。",
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
        title=Text("Expected standard error of an estimated share", "推定割合の標準誤差（期待値）"),
        desc=Text(
            "Mean over the attributes; the lowest point is the plan that serves analysts best.",
            "属性の平均です。最も低い点が分析者にとって最良の計画です。",
        ),
        x=across,
        y=Axis(label=Text("standard error", "標準誤差"), log=True),
        series=(
            Series(
                name=Text("standard error", "標準誤差"),
                x=tuple(float(point.sample) for point in finite),
                y=tuple(point.error for point in finite),
            ),
        ),
        marks=marks,
    )


def _table(frontier: Frontier) -> TableBlock:
    names = tuple(frontier.points[0].errors)
    return TableBlock(
        head=(Text("sample", "抽出数"), Text("retention", "保持確率"), "k", *names),
        rows=tuple(
            (
                format_count(point.sample),
                "–" if point.retention is None else f"{float(point.retention):.6f}",
                f"{float(point.k):.4f}",
                *(f"{point.errors[name]:.3g}" for name in names),
            )
            for point in frontier.points
        ),
        caption=Text(
            "Plans that keep k, and by attribute the expected standard error of an estimated share (root mean square)",
            "k を満たす計画と、属性ごとの推定割合の標準誤差（二乗平均平方根）",
        ),
        numeric=tuple(range(3 + len(names))),
    )


def _mark_name(point: ReleasePlan) -> Text:
    return Text(f"m = {point.sample:,}", f"m = {point.sample:,}")


def _plan_words(frontier: Frontier, chosen: ReleasePlan) -> Text:
    k = float(chosen.k)
    if chosen.retention is None:
        return Text(
            f"k = {k:.4g} is kept by drawing {chosen.sample:,} of {frontier.records:,} records with the given "
            "matrices.",
            f"与えられた行列のもとで {frontier.records:,} 件から {chosen.sample:,} 件を抽出すれば k = {k:.4g} "
            "が保証されます。",
        )
    rho = float(chosen.retention)
    return Text(
        f"k = {k:.4g} is kept by drawing {chosen.sample:,} of {frontier.records:,} records and retaining values with "
        f"chance {rho:g}.",
        f"{frontier.records:,} 件から {chosen.sample:,} 件を抽出し、保持確率を {rho:g} とすれば k = {k:.4g} "
        "が保証されます。",
    )


def _promise(finding: PkFinding) -> Text:
    if not finding.guaranteed:
        return Text(
            "No guarantee: the release promises nothing.", "保証はありません。この公開データは何も保証しません。"
        )
    k, risk = float(finding.k), float(finding.risk)
    least = ("at least ", "少なくとも ") if finding.lower_bound else ("", "")
    return Text(
        f"k = {least[0]}{k:.6g}: nobody, whatever he knows, ties a released record to a person with a chance above "
        f"{risk:.6g}.",
        f"k = {least[1]}{k:.6g}：どのような知識を持つ者も、公開レコードを個人に {risk:.6g} "
        "を超える確率で対応付けられません。",
    )


def _coins() -> Text:
    gap = GuaranteeGap.BERNOULLI
    return Text(f"{gap}; k is that of PRAM alone.", f"{GAPS[gap]}。k は PRAM のみの値です。")


def _gap(gap: GuaranteeGap, finding: PkFinding) -> Text:
    where = f" ({', '.join(finding.firm)})" if gap is GuaranteeGap.FIRM else ""
    return Text(f"{gap}{where}", GAPS[gap] + where)


def randomness_words(randomness: str) -> Text:
    """Return which randomness made a release, in words."""
    if randomness == "secret":
        return Text("secret, from the operating system: nobody can repeat it", "秘密（OS の乱数）：誰も再現できません")
    return Text(
        "seeded: whoever knows the seed can undo the protection; for tests only",
        "種を指定：種を知る者は加工を元に戻せます。試験用に限ります",
    )


def _facts(mechanism: Mechanism, finding: PkFinding, randomness: str) -> tuple[tuple[Words, Words], ...]:
    exact = (
        f"{finding.k}" if isinstance(finding.k, Fraction) and len(str(finding.k)) < 40 else f"{float(finding.k):.9g}"
    )
    facts: list[tuple[Words, Words]] = [
        ("k", exact),
        (
            Text("records drawn", "抽出レコード数"),
            Text(
                f"{mechanism.sample:,} of {mechanism.records:,}", f"{mechanism.records:,} 件中 {mechanism.sample:,} 件"
            ),
        ),
        ("r1", f"{float(finding.r1):.6g}"),
        ("r2", f"{float(finding.r2):.6g}"),
        (Text("randomness", "乱数"), randomness_words(randomness)),
    ]
    if mechanism.strata:
        shown = Text("shown", "公開") if mechanism.visible else Text("hidden: k is a lower bound", "非公開：k は下界")
        facts += [
            (Text("strata", "層"), f"{mechanism.stratum} ({len(mechanism.strata)})"),
            (Text("stratum in the release", "層の公開"), shown),
            (Text("stratum that decides", "k を決める層"), finding.stratum),
        ]
    return tuple(facts)


def _attributes(mechanism: Mechanism, errors: Mapping[str, float]) -> TableBlock:
    return TableBlock(
        head=(
            Text("attribute", "属性"),
            Text("values", "値の数"),
            Text("retention", "保持確率"),
            Text("standard error of a share", "割合の標準誤差"),
        ),
        rows=tuple(
            (
                name,
                format_count(transition.size),
                f"{float(transition.retention):g}"
                if isinstance(transition, Replacement)
                else Text("own matrix", "固有の行列"),
                f"{errors[name]:.3g}" if name in errors else "–",
            )
            for name, transition in mechanism.transitions.items()
        ),
        caption=Text("How values were changed, and what it costs the analyst", "値の加工と分析への影響"),
        numeric=(1, 2, 3),
    )


def _used_plan(mechanism: Mechanism, finding: PkFinding, errors: Mapping[str, float]) -> ReleasePlan:
    kept = [each.retention for each in mechanism.transitions.values() if isinstance(each, Replacement)]
    return ReleasePlan(
        sample=mechanism.sample,
        retention=Fraction(max(kept, default=Fraction(0))),
        k=Fraction(finding.k),
        errors=dict(errors) or {"": float("inf")},
    )
