"""The page about one release of a file of records: what is proven, the risk and the use before and after, attacks."""

from __future__ import annotations

from sekisho.data.frame.dataset import Dataset
from sekisho.gate.records.protection import Protection
from sekisho.provenance import Provenance
from sekisho.report.figures.gallery import Axis, Counts, Histogram, Interval, IntervalPlot
from sekisho.report.kit.blocks import (
    Beside,
    Block,
    Bullets,
    Facts,
    Figure,
    Fold,
    Heading,
    Origin,
    Paragraph,
    TableBlock,
)
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.html import render_page
from sekisho.report.kit.names import translate_name
from sekisho.report.kit.words import Language, Text, Words, format_count, format_decimal, format_out_of, format_percent
from sekisho.report.pages.before_after import column_card
from sekisho.report.pages.risk.comparison import attack_table, explain_attacks, name_attack, name_measure
from sekisho.report.pages.risk.promises import promise_blocks, state_verdict
from sekisho.report.pages.risk.record_risk import DISTANCES, STEPS, describe_remark
from sekisho.report.pages.verdicts.review import review_blocks
from sekisho.safety.records.record_risk import RecordRisk

PROTECTION_TITLE = Text("A release of records", "レコードデータの加工結果")
BEFORE, AFTER = Text("original", "元データ"), Text("released", "加工後")
CONFIDENTIAL = Text(
    "This page is for those who hold the original. It tells the seed, with which the order of the rows and what was "
    "drawn can be computed again: keep it inside.",
    "このページは元データの保有者のためのものです。乱数の種が載っており、行の順序や抽選の結果を再計算できます。"
    "外部に出さないでください。",
)
LIMITS: tuple[Words, ...] = (
    Text(
        "Only the keys that were named count: whoever knows further columns may find more people.",
        "指定したキーだけを数えています。ほかの列も知る者は、さらに多くの個人を見つける可能性があります。",
    ),
    Text(
        "What the attacks found is no bound: these were tried, others were not.",
        "攻撃の結果は上限ではありません。ここで試した攻撃についての値です。",
    ),
    Text(
        "NCP sees cells that became wider or were withheld, not values that were changed.",
        "NCP が測るのはセルの一般化と削除であり、値の変更は測りません。",
    ),
    CONFIDENTIAL,
)


def render_protection_page(
    data: Dataset, protection: Protection, origin: Provenance, *, language: Language = Language.EN
) -> str:
    """Return the page, both languages in one HTML file; no identifier and no row of the original is on it."""
    blocks = protection_blocks(data, protection, origin)
    return render_page(PROTECTION_TITLE, blocks, language=language, edition=Edition.CONFIDENTIAL)


def protection_blocks(data: Dataset, protection: Protection, origin: Provenance) -> list[Block]:
    """Return the page."""
    before, after = protection.before, protection.after
    remarks = tuple(describe_remark(remark) for remark in before.classes.remarks)
    return [
        state_verdict(protection),
        *review_blocks(protection.review),
        *([Bullets(items=remarks)] if remarks else []),
        Facts(pairs=_list_facts(protection)),
        *promise_blocks(protection.recounts, protection.fewest_candidates or 0),
        Heading(text=Text("Risk before and after", "リスクの前後比較")),
        risk_table(before.classes, after.classes),
        Figure(picture=draw_both_sizes(before.classes, after.classes), caption=explain_sizes()),
        Heading(text=Text("What attackers find", "攻撃の結果")),
        Paragraph(text=explain_attacks()),
        attack_table((before, after)),
        Figure(picture=draw_attacks(protection), caption=_explain_shares()),
        Heading(text=Text("Use before and after", "有用性の前後比較")),
        Beside(blocks=(_measure_table(protection), _fate_table(protection, len(data)))),
        Fold(
            summary=Text("Every column before and after", "列ごとの加工前後"),
            blocks=(
                Beside(
                    blocks=tuple(
                        Figure(picture=column_card(data, after.release, column.name))
                        for column in data.schema.attributes
                    )
                ),
            ),
        ),
        Heading(text=Text("What this does not say", "ここから言えないこと")),
        Bullets(items=LIMITS),
        Heading(text=Text("What made this", "作成の記録")),
        Origin(steps=(origin,)),
    ]


def _list_facts(protection: Protection) -> tuple[tuple[Words, Words], ...]:
    left, rows = protection.after.rows, len(protection.after.release.deleted)
    pairs: list[tuple[Words, Words]] = [
        (Text("method", "手法"), translate_name(protection.after.name)),
        (Text("records released", "公開するレコード"), format_out_of(left, rows)),
        (Text("keys", "キー"), ", ".join(protection.question.keys)),
    ]
    if protection.question.sensitive:
        pairs.append((Text("sensitive", "機微な列"), ", ".join(protection.question.sensitive)))
    return tuple(pairs)


def risk_table(before: RecordRisk, after: RecordRisk) -> TableBlock:
    """Return the figures of both sides: classes, chances, and what is learned of sensitive columns."""
    limit = format_percent(after.reidentification.limit)
    sides = (before, after)
    rows: list[tuple[Words, ...]] = [
        (Text("smallest class (k)", "最小の同値類（k）"), *(format_count(side.k) for side in sides)),
        (
            Text("records that stand alone", "一意なレコード"),
            *(format_out_of(side.uniques, side.rows) for side in sides),
        ),
        (Text("classes of equal keys", "同値類の数"), *(format_count(side.classes) for side in sides)),
        (
            Text(f"prosecutor: records above {limit}", f"検察官：{limit} を超えるレコード"),
            *(format_percent(side.reidentification.prosecutor.at_risk) for side in sides),
        ),
        (
            Text("prosecutor and journalist: highest chance", "検察官・ジャーナリスト：最大の確率"),
            *(format_percent(side.reidentification.prosecutor.highest) for side in sides),
        ),
        (
            Text("prosecutor, journalist, marketer: found on average", "検察官・ジャーナリスト・マーケター：平均"),
            *(format_percent(side.reidentification.marketer) for side in sides),
        ),
    ]
    for was, now in zip(before.sensitive, after.sensitive, strict=True):
        distance, column = DISTANCES[now.distance], now.column
        rows += [
            (
                Text(f"{column}: fewest values of a class (l)", f"{column}：同値類の値の種類の最小（l）"),
                *(format_count(side.distinct) for side in (was, now)),
            ),
            (
                Text(f"{column}: entropy l", f"{column}：エントロピー l"),
                *(format_decimal(side.entropy, 2) for side in (was, now)),
            ),
            (
                Text(f"{column}: farthest class (t, {distance.en})", f"{column}：最も離れた同値類（t、{distance.ja}）"),
                *(format_decimal(side.t) for side in (was, now)),
            ),
            (
                Text(f"{column}: records whose class has one value", f"{column}：同値類の値が 1 種類のレコード"),
                *(format_out_of(side.disclosed, risk.rows) for side, risk in ((was, before), (now, after))),
            ),
        ]
    caption = Text(
        "Counted on the keys as they are written, a withheld cell being a value of its own. No population is known: "
        "journalist and marketer see the file itself.",
        "公開される文字列のキーで数えています。隠したセルはそれ自身を一つの値とみなします。"
        "母集団が未知のため、ジャーナリストとマーケターもファイル自身で数えています。",
    )
    return TableBlock(head=(Text("figure", "指標"), BEFORE, AFTER), rows=tuple(rows), caption=caption, numeric=(1, 2))


def draw_both_sizes(before: RecordRisk, after: RecordRisk) -> Histogram:
    """Return how many records stand in classes of which size, before and after."""
    edges = (*STEPS, None)
    names = [
        f"{low}" if high == low + 1 else f"{low}+" if high is None else f"{low}–{high - 1}"
        for low, high in zip(STEPS, edges[1:], strict=True)
    ]
    return Histogram(
        title=Text("Records by the size of their class", "同値類の大きさごとのレコード数"),
        desc=Text(
            f"Alone in their class: {before.uniques:,} records before, {after.uniques:,} after.",
            f"一意なレコードは加工前 {before.uniques:,} 件、加工後 {after.uniques:,} 件です。",
        ),
        x=Axis(
            label=Text("records with the same keys", "キーの同じレコードの数"),
            low=0.0,
            high=float(len(STEPS)),
            ticks=tuple((place + 0.5, name) for place, name in enumerate(names)),
        ),
        y=Axis(label=Text("records", "レコード数"), low=0.0),
        edges=tuple(map(float, range(len(STEPS) + 1))),
        counts=(
            Counts(name=BEFORE, values=_count_steps(before)),
            Counts(name=AFTER, values=_count_steps(after)),
        ),
    )


def _count_steps(risk: RecordRisk) -> tuple[float, ...]:
    sizes = risk.count_sizes()
    edges = (*STEPS, None)
    return tuple(
        float(sum(count for size, count in sizes if low <= size and (high is None or size < high)))
        for low, high in zip(STEPS, edges[1:], strict=True)
    )


def explain_sizes() -> Text:
    """Return what the sizes of classes mean."""
    return Text(
        "How many records share their keys with how many others: to the left is the danger.",
        "キーが同じレコードの数ごとの件数です。左ほど危険です。",
    )


def draw_attacks(protection: Protection) -> IntervalPlot:
    """Return the share of the people looked for whom each attack finds in the release."""
    rows: list[Interval] = []
    for was, now in zip(protection.before.attacks, protection.after.attacks, strict=True):
        rate = now.find_rate()
        if rate is None:
            continue
        share = now.share or 0.0
        rows.append(
            Interval(
                name=name_attack(now, protection.after),
                low=min(rate.low, share),
                middle=share,
                high=max(rate.high, share),
                note=Text(
                    f"{format_percent(share)}, {format_percent(was.share or 0.0)} before",
                    f"{format_percent(share)}（加工前 {format_percent(was.share or 0.0)}）",
                ),
                baseline=now.by_chance / max(1, now.people),
            )
        )
    return IntervalPlot(
        title=Text("People found in the release", "加工後に見つかる人"),
        desc=Text(
            f"The strongest attack finds {format_percent(protection.strongest.share or 0.0)} of the people.",
            f"最も強い攻撃で {format_percent(protection.strongest.share or 0.0)} の人が見つかります。",
        ),
        rows=tuple(rows),
        axis=Axis(label=Text("share of the people looked for", "対象者に占める割合"), low=0.0),
    )


def _explain_shares() -> Text:
    return Text(
        "Where rows that fit alike can be counted the share is exact, the mean of 1/c over the people looked for; the "
        "line is the 95% interval of one draw. The tick is blind guessing.",
        "同じように当てはまる行を数えられる攻撃では、割合は対象者についての 1/c の平均で、正確な値です。"
        "線は 1 回の抽選の的中率の 95% 信頼区間、縦の印はでたらめな推定です。",
    )


def _measure_table(protection: Protection) -> TableBlock:
    before, after = protection.before.scores, protection.after.scores
    rows = tuple(
        (name_measure(name), format_decimal(before[name].value, 4), format_decimal(after[name].value, 4))
        for name in after
    )
    caption = Text("What was lost: 0 is nothing", "失われた情報（0 は損失なし）")
    return TableBlock(head=(Text("measure", "尺度"), BEFORE, AFTER), rows=rows, caption=caption, numeric=(1, 2))


def _fate_table(protection: Protection, records: int) -> TableBlock:
    rows = tuple(
        (each.column, *(format_percent(count / records) for count in (each.exact, each.changed, each.wider, each.gone)))
        for each in protection.fates
    )
    head = (
        Text("column", "列"),
        Text("kept", "そのまま"),
        Text("changed", "変更"),
        Text("wider", "一般化"),
        Text("withheld", "削除"),
    )
    return TableBlock(
        head=head, rows=rows, caption=Text("What became of the cells", "セルの行方"), numeric=(1, 2, 3, 4)
    )
