"""Some people raw, the rest k-anonymous, as a page: which mixtures survive under each bound, which keep the claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sekisho.gate.history.raw_frontier import MixtureFinding, RawFrontier
from sekisho.provenance import Provenance
from sekisho.report.figures.heatmap import Cell, HeatMap
from sekisho.report.kit.blocks import Banner, Block, Figure, Fold, Heading, Origin, Paragraph, TableBlock, Tone
from sekisho.report.kit.words import Text, Words, format_count, format_percent
from sekisho.safety.claim import Standing
from sekisho.safety.rejection import Bound

TITLE = Text("How many people may be left raw?", "何人まで無加工のままにできるか")
BOUNDS: Mapping[Bound, Text] = {
    Bound.UNION: Text("The contest's bound (union)", "コンテストの基準（和の上界）"),
    Bound.EXACT: Text("The exact bound", "厳密な基準"),
}

SHORT: Mapping[Bound, Text] = {Bound.UNION: Text("union", "和"), Bound.EXACT: Text("exact", "厳密")}


def raw_frontier_blocks(
    frontier: RawFrontier, findings: Sequence[MixtureFinding], provenance: Provenance
) -> tuple[Block, ...]:
    """Return the page."""
    return (
        Banner(text=_summary(findings), tone=Tone.WARN),
        Paragraph(text=_explanation(frontier)),
        *(
            block
            for bound in Bound
            for block in (Heading(text=BOUNDS[bound]), Figure(picture=_map(frontier, findings, bound)))
        ),
        Fold(summary=Text("All figures", "すべての数値"), blocks=(_figures(findings),)),
        Heading(text=Text("Border and claim by k", "k ごとの境界と安全性の条件")),
        _borders(frontier, findings),
        Fold(summary=Text("What made this", "作成の記録"), blocks=(Origin(steps=(provenance,)),)),
    )


def _summary(findings: Sequence[MixtureFinding]) -> Text:
    proven = sorted({each.mixture.k for each in findings if each.standing is Standing.HOLDS})
    if not proven:
        return Text(
            "None of these mixtures keeps the claim H0. Surviving attacks is no proof.",
            "これらの加工はいずれも安全性の条件 H0 を満たしません。攻撃に耐えることは証明ではありません。",
        )
    return Text(
        f"Proven for everybody only without raw people, from k = {proven[0]} on; "
        "elsewhere surviving attacks is no proof.",
        f"誰に対しても証明できるのは、無加工の人がなく k = {proven[0]} 以上のときだけです。"
        "それ以外では、攻撃に耐えることは証明ではありません。",
    )


def _explanation(frontier: RawFrontier) -> Text:
    return Text(
        f"{frontier.people:,} people: a of them published as they are, the others in groups of k. Each number is the "
        f"chance that none of {frontier.attackers} attackers who know the whole original and plan their claims as "
        f"well as they can refutes the release (framed: {format_percent(float(frontier.confidence))} or more).",
        f"{frontier.people:,} 人のうち a 人を無加工で、残りを k 人ずつの組で公開します。"
        f"数字は、元データのすべてを知り最善の主張を選ぶ {frontier.attackers} 人の攻撃者の"
        f"いずれにも棄却されない確率です（枠つきは {format_percent(float(frontier.confidence))} 以上）。",
    )


def _map(frontier: RawFrontier, findings: Sequence[MixtureFinding], bound: Bound) -> HeatMap:
    by_place = {(each.mixture.k, each.mixture.raw): each.survival[bound] for each in findings}
    cells = tuple(
        tuple(
            _cell(by_place[k, raw], float(frontier.confidence)) if (k, raw) in by_place else None
            for raw in frontier.raw
        )
        for k in frontier.sizes
    )
    return HeatMap(
        title=Text(f"Chance of surviving: {BOUNDS[bound].en.lower()}", f"耐える確率：{BOUNDS[bound].ja}"),
        desc=Text(
            f"Rows: k from {min(frontier.sizes)} to {max(frontier.sizes)}. "
            f"Columns: raw people from {min(frontier.raw)} to {max(frontier.raw)}.",
            f"行は k（{min(frontier.sizes)}〜{max(frontier.sizes)}）、"
            f"列は無加工の人数（{min(frontier.raw)}〜{max(frontier.raw)}）です。",
        ),
        rows=tuple(f"k = {k}" for k in frontier.sizes),
        columns=tuple(str(raw) for raw in frontier.raw),
        cells=cells,
        down=Text("group size", "組の人数"),
        across=Text("raw people a", "無加工の人数 a"),
    )


def _cell(survival: float, confidence: float) -> Cell:
    return Cell(strength=survival, text=f"{survival:.3f}", tone=Tone.GOOD, framed=survival >= confidence)


def _figures(findings: Sequence[MixtureFinding]) -> TableBlock:
    """Return by mixture and bound the strongest attack and the chance of surviving: what the pictures show, as text."""
    rows: tuple[tuple[Words, ...], ...] = tuple(
        (
            str(each.mixture.k),
            format_count(each.mixture.raw),
            SHORT[bound],
            format_count(plan.claimed),
            format_count(plan.threshold),
            f"{float(plan.chance):.4g}",
            f"{each.survival[bound]:.4f}",
        )
        for each in findings
        for bound, plan in each.plans.items()
    )
    return TableBlock(
        head=(
            "k",
            Text("raw", "無加工"),
            Text("bound", "上界"),
            Text("claims", "主張"),
            Text("threshold", "基準値"),
            Text("chance of one attack", "一回の攻撃の成功確率"),
            Text("survival", "耐える確率"),
        ),
        rows=rows,
        numeric=(0, 1, 3, 4, 5, 6),
    )


def _borders(frontier: RawFrontier, findings: Sequence[MixtureFinding]) -> TableBlock:
    borders = {bound: frontier.most_raw(findings, bound) for bound in Bound}
    standing = {each.mixture.k: each.standing for each in findings if each.mixture.raw == 0}
    rows: tuple[tuple[Words, ...], ...] = tuple(
        (
            str(k),
            *(_border(borders[bound][k]) for bound in Bound),
            STANDINGS[standing[k]] if k in standing else "–",
        )
        for k in frontier.sizes
    )
    return TableBlock(
        head=(
            "k",
            Text("most raw people, union bound", "無加工の最大人数（和の上界）"),
            Text("most raw people, exact bound", "無加工の最大人数（厳密な基準）"),
            Text("claim H0 without raw people", "無加工なしでの条件 H0"),
        ),
        rows=rows,
        numeric=(0, 1, 2),
    )


STANDINGS: Mapping[Standing, Text] = {
    Standing.HOLDS: Text("holds (proven)", "成立（証明済み）"),
    Standing.NOT_PROVEN: Text("not proven", "未証明"),
    Standing.REFUTED: Text("does not hold", "不成立"),
}


def _border(raw: int | None) -> Words:
    return Text("none", "なし") if raw is None else format_count(raw)
