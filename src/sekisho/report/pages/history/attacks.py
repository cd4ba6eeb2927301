"""Attacks on a history as counts, beside chance, with intervals, and against both bounds."""

from __future__ import annotations

from collections.abc import Sequence

from sekisho.gate.history.stage import HistoryAttempt
from sekisho.report.figures.axes import Axis
from sekisho.report.figures.bars import Interval, IntervalPlot
from sekisho.report.figures.lines import LineChart, Mark, Series
from sekisho.report.kit.blocks import Beside, Block, Figure, Heading, Paragraph, TableBlock, Tone
from sekisho.report.kit.names import translate_name
from sekisho.report.kit.words import Language, Text, Words, format_count, format_out_of, format_percent, translate
from sekisho.safety.hit_rate import HitRate
from sekisho.safety.rejection import Bound
from sekisho.safety.terms import HistoryTerms

CURVE_POINTS = 100


def attack_blocks(attacks: Sequence[HistoryAttempt], rules: HistoryTerms, people: int) -> tuple[Block, ...]:
    """Return the part of the report that tells of the attacks."""
    if not attacks:
        return ()
    words = Text(
        "Each attack is a program that knows the whole original and looks for its customers in what is published. A "
        "release is refuted as "
        "soon as one attack is right so often that a safe release would allow it once in "
        f"{1 / rules.verdict.alpha} times at most.",
        "攻撃はどれも、元データをすべて知ったうえで公開データの中から顧客を探すプログラムです。"
        "安全な加工データなら高々 "
        f"{1 / rules.verdict.alpha} 回に 1 回しか起きないほど当てた攻撃が一つでもあれば、安全とは認められません。",
    )
    shown = [attack for attack in attacks if attack.claimed]
    return (
        Heading(text=Text("What attackers found", "攻撃の結果")),
        Paragraph(text=words),
        _table(attacks, people),
        *((_pictures(shown, rules, people),) if shown else ()),
    )


def _pictures(attacks: Sequence[HistoryAttempt], rules: HistoryTerms, people: int) -> Beside:
    return Beside(
        blocks=(
            Figure(
                picture=_curves(attacks, rules, people),
                caption=Text(
                    "Points on or above a line refute the release under that bound.",
                    "線の上または線より上の点は、その上界のもとで安全性を棄却します。",
                ),
            ),
            Figure(
                picture=_rates(attacks, people),
                caption=Text(
                    "Share of right guesses with its exact 95% interval; the upright tick is what blind guessing "
                    "expects.",
                    "的中率とその正確な 95% 信頼区間。縦の印はでたらめな推定の期待値です。",
                ),
            ),
        )
    )


def _tone(attack: HistoryAttempt) -> Tone:
    if attack.effective(Bound.UNION):
        return Tone.BAD
    return Tone.WARN if attack.effective(Bound.EXACT) else Tone.GOOD


def _table(attacks: Sequence[HistoryAttempt], people: int) -> TableBlock:
    head = (
        Text("attack", "攻撃"),
        Text("customers named", "推定した顧客"),
        Text("rightly", "的中"),
        Text("by chance", "偶然の期待値"),
        Text("95% interval", "95% 信頼区間"),
        "r(n)",
        "r*(n)",
        Text("the release is", "判定"),
    )
    caption = Text(
        "r(n) and r*(n): from how many hits the release is refuted, by the union bound and by the exact one.",
        "r(n) と r*(n)：安全性が棄却される的中数（和の上界、厳密な上界）。",
    )
    rows = tuple(_row(attack, people) for attack in attacks)
    return TableBlock(head=head, rows=rows, caption=caption, numeric=(1, 2, 3, 4, 5, 6))


def _row(attack: HistoryAttempt, people: int) -> tuple[Words, ...]:
    rate = HitRate(hits=attack.hits, trials=attack.claimed)
    limits = [attack.threshold[bound] for bound in Bound]
    verdict = {
        Tone.BAD: Text("refuted", "棄却"),
        Tone.WARN: Text("refuted (exact)", "棄却（厳密のみ）"),
        Tone.GOOD: Text("stands", "棄却せず"),
    }[_tone(attack)]
    verdict = verdict if attack.claimed else Text("not attacked", "推定なし")
    return (
        translate_name(attack.adversary),
        format_out_of(attack.claimed, people),
        format_count(attack.hits),
        f"{attack.baseline:.1f}",
        f"{format_percent(rate.low)} – {format_percent(rate.high)}" if attack.claimed else "–",
        *(format_count(limit) if limit <= attack.claimed else "–" for limit in limits),
        verdict,
    )


def _curves(attacks: Sequence[HistoryAttempt], rules: HistoryTerms, people: int) -> LineChart:
    most = max(people, *(attack.claimed for attack in attacks), 10)
    guesses = sorted({*range(min(20, most) + 1), *(most * step // CURVE_POINTS for step in range(CURVE_POINTS + 1))})
    names = {
        Bound.UNION: Text("too many: union bound r(n)", "不可：和の上界 r(n)"),
        Bound.EXACT: Text("too many: exact bound r*(n)", "不可：厳密な上界 r*(n)"),
    }
    series = [
        Series(
            name=names[bound], x=tuple(map(float, guesses)), y=tuple(float(rules.threshold(n, bound)) for n in guesses)
        )
        for bound in Bound
    ]
    marks = [
        Mark(name=_describe_hits(attack), x=attack.claimed, y=attack.hits, tone=_tone(attack)) for attack in attacks
    ]
    return LineChart(
        title=Text("Hits that refute the release", "安全性を棄却する的中数"),
        desc=_describe_attacks(attacks),
        x=Axis(label=Text("customers named, n", "推定した顧客の数 n"), low=0.0, high=float(most)),
        y=Axis(label=Text("named rightly", "的中数"), low=0.0),
        series=tuple(series),
        marks=tuple(marks),
    )


def _describe_hits(attack: HistoryAttempt) -> Text:
    english, japanese = (translate(translate_name(attack.adversary), language) for language in Language)
    counts = format_out_of(attack.hits, attack.claimed)
    return Text(f"{english}: {counts.en}", f"{japanese}：{counts.ja}")


def _describe_attacks(attacks: Sequence[HistoryAttempt]) -> Text:
    parts = [_describe_hits(attack) for attack in attacks]
    limits = [[attack.threshold[bound] for bound in Bound] for attack in attacks]
    return Text(
        "; ".join(f"{part.en}, too many from {a:,} or {b:,}" for part, (a, b) in zip(parts, limits, strict=True)) + ".",
        "；".join(f"{part.ja}、不可は {a:,} または {b:,} から" for part, (a, b) in zip(parts, limits, strict=True))
        + "。",
    )


def _rates(attacks: Sequence[HistoryAttempt], people: int) -> IntervalPlot:
    rows: list[Interval] = []
    for attack in attacks:
        rate = HitRate(hits=attack.hits, trials=attack.claimed)
        rows.append(
            Interval(
                name=translate_name(attack.adversary),
                low=rate.low,
                middle=rate.value,
                high=rate.high,
                note=f"{attack.hits:,} / {attack.claimed:,}",
                baseline=1 / max(1, people),
            )
        )
    return IntervalPlot(
        title=Text("How often each attack was right", "攻撃の的中率"),
        desc=Text(
            f"Blind guessing is right once in {people:,} times.",
            f"でたらめな推定が当たるのは {people:,} 回に 1 回です。",
        ),
        rows=tuple(rows),
        axis=Axis(label=Text("share of the named that were right", "推定のうち的中した割合"), low=0.0, high=1.0),
    )
