"""The risk of a file of records as a page: who stands alone, by which columns, and what is learned of the others."""

from __future__ import annotations

from collections.abc import Sequence

from sekisho.provenance import Provenance
from sekisho.report.figures.gallery import Class, Columns
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
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.html import render_page
from sekisho.report.kit.text import render_text
from sekisho.report.kit.words import Language, Text, Words, format_count, format_out_of, format_percent
from sekisho.report.pages.risk.special_uniques import special_blocks
from sekisho.safety.records.closeness import Distance
from sekisho.safety.records.key_choice import Oddity, Remark
from sekisho.safety.records.record_risk import RecordRisk, SensitiveRisk
from sekisho.safety.records.reidentification import Chances
from sekisho.safety.records.uniques.population import Estimator

RISK_TITLE = Text("How easily the people of this file are found", "このファイルの個人はどれほど見つけやすいか")
SIZES = Text("Records by the size of their class", "同値類の大きさごとのレコード数")
STEPS = (1, 2, 3, 4, 5, 10, 20, 50, 100)
"""Where the classes of the picture begin."""

ESTIMATORS = {
    Estimator.ZAYATZ: Text("Zayatz", "Zayatz"),
    Estimator.PITMAN: Text("Pitman (Hoshino)", "Pitman（星野）"),
    Estimator.POISSON_GAMMA: Text("Poisson–gamma (Bethlehem)", "ポアソン・ガンマ（Bethlehem）"),
}
ASSUMED = {
    Estimator.ZAYATZ: "母集団の同値類の大きさの分布が標本と同じで、標本が無作為抽出であること",
    Estimator.PITMAN: "同値類が Pitman の抽出公式に従い、標本が無作為抽出であること",
    Estimator.POISSON_GAMMA: "値の各組合せの人数が、ガンマ分布する率のポアソン分布に従うこと",
}
DISTANCES = {
    Distance.EQUAL: Text("equal", "等距離"),
    Distance.ORDERED: Text("ordered", "順序"),
    Distance.HIERARCHICAL: Text("tree", "階層"),
}
LIMITS: tuple[Words, ...] = (
    Text(
        "Only the keys that were named count: whoever knows more columns finds more people.",
        "指定したキーだけを数えています。ほかの列も知る者は、さらに多くの個人を見つけられます。",
    ),
    Text(
        "Figures of the population are estimates under the assumption that stands beside each; none is a bound.",
        "母集団についての値は、併記した前提のもとでの推定であり、上限ではありません。",
    ),
)
CONFIDENTIAL = Text(
    "This page shows rows and key values of people who stand out: keep it inside.",
    "このページには目立つ個人の行番号とキーの値が載っています。外部に出さないでください。",
)


def render_risk_page(risk: RecordRisk, provenance: Provenance, *, language: Language = Language.EN) -> str:
    """Return the page, both languages in one HTML file that opens in the given one."""
    blocks = risk_blocks(risk, provenance)
    return render_page(RISK_TITLE, blocks, language=language, edition=Edition.CONFIDENTIAL)


def render_risk_words(risk: RecordRisk, provenance: Provenance, *, language: Language = Language.EN) -> str:
    """Return the page as plain text."""
    return render_text(RISK_TITLE, risk_blocks(risk, provenance), language=language)


def risk_blocks(risk: RecordRisk, provenance: Provenance) -> list[Block]:
    """Return the page."""
    return [
        _make_banner(risk),
        *([Bullets(items=tuple(describe_remark(remark) for remark in risk.remarks))] if risk.remarks else []),
        Facts(pairs=_list_facts(risk)),
        Figure(picture=draw_sizes(risk), caption=SIZES),
        *_chance_blocks(risk),
        *_sensitive_blocks(risk.sensitive, risk.rows),
        *_population_blocks(risk),
        *([] if risk.special is None else special_blocks(risk, risk.special)),
        Heading(text=Text("What this does not say", "ここから言えないこと")),
        Bullets(items=(*LIMITS, *([CONFIDENTIAL] if risk.stand_outs else []))),
        Fold(summary=Text("What made this", "作成の記録"), blocks=(Origin(steps=(provenance,)),)),
    ]


def _make_banner(risk: RecordRisk) -> Banner:
    share = format_percent(risk.uniques / risk.rows)
    if risk.uniques:
        return Banner(
            text=Text(
                f"{risk.uniques:,} of {risk.rows:,} records ({share}) stand alone: whoever knows the keys knows whose "
                "they are, if the person is known to be in the file.",
                f"{risk.rows:,} 件のうち {risk.uniques:,} 件（{share}）が一意です。キーを知り、"
                "本人がファイルにいると知る者には、"
                "誰のレコードかわかります。",
            ),
            tone=Tone.BAD,
        )
    return Banner(
        text=Text(
            f"Nobody stands alone: every record shares its keys with at least {risk.k - 1:,} others (k = {risk.k:,}).",
            f"一意なレコードはありません。どのレコードも、ほかの {risk.k - 1:,} 件以上とキーが同じです（k = "
            f"{risk.k:,}）。",
        ),
        tone=Tone.PLAIN,
    )


def describe_remark(remark: Remark) -> Words:
    """Return what is odd about a key, in both languages."""
    japanese = {
        Oddity.MISSING: f"キー {remark.column} はすべて欠測で、誰も区別しません。",
        Oddity.CONSTANT: f"キー {remark.column} の値は 1 種類だけで、誰も区別しません。",
        Oddity.IDENTIFIER: f"キー {remark.column} は {remark.values:,} 種類の値を持ち、ほぼ 1 件ごとに異なります。"
        "識別子と思われ、これだけで全員が一意になります。",
    }
    return Text(f"{remark}.", japanese[remark.oddity])


def _list_facts(risk: RecordRisk) -> tuple[tuple[Words, Words], ...]:
    lacking = sum(risk.missing.values())
    means = (
        Text("matches every value", "すべての値と一致するとみなす")
        if risk.missing_matches
        else Text("a value of its own", "それ自身を一つの値とみなす")
    )
    pairs: list[tuple[Words, Words]] = [
        (Text("keys", "キー"), ", ".join(risk.keys)),
        (Text("records", "レコード数"), format_count(risk.rows)),
        (Text("combinations of key values", "キーの値の組合せ"), format_count(risk.classes)),
        (Text("smallest class (k)", "最小の同値類（k）"), format_count(risk.k)),
        (Text("records that stand alone", "一意なレコード"), format_out_of(risk.uniques, risk.rows)),
    ]
    if lacking:
        pairs.append((Text(f"{lacking:,} missing cells: each", f"欠測セル {lacking:,} 個の扱い"), means))
    return tuple(pairs)


def draw_sizes(risk: RecordRisk) -> Columns:
    """Return the picture of how many records stand in classes of which size."""
    edges = [*STEPS, None]
    classes: list[Class] = []
    sizes = risk.count_sizes()
    for low, high in zip(STEPS, edges[1:], strict=True):
        rows = sum(count for size, count in sizes if low <= size and (high is None or size < high))
        last = None if high is None else high - 1
        name = f"{low}" if last == low else f"{low}–{last}" if last else f"{low}+"
        tone = Tone.BAD if low == 1 else Tone.WARN if low < 5 else Tone.PLAIN
        classes.append(Class(name=name, value=float(rows), note=f"{rows:,}", tone=tone))
    return Columns(
        title=SIZES,
        desc=Text(
            f"{risk.uniques:,} records stand alone in their class, "
            f"{sum(count for size, count in sizes if size < 5):,} in classes of fewer than 5.",
            f"{risk.uniques:,} 件が一意で、{sum(count for size, count in sizes if size < 5):,} 件が 5 "
            "件未満の同値類にあります。",
        ),
        x=Text("records with the same keys", "キーの同じレコードの数"),
        y=Text("records", "レコード数"),
        classes=tuple(classes),
    )


def _chance_blocks(risk: RecordRisk) -> list[Block]:
    found = risk.reidentification
    known = risk.population is not None
    rows: list[tuple[Words, ...]] = [
        (
            Text("prosecutor", "検察官"),
            Text("knows that his target is in the file", "対象者がファイルにいると知っている"),
            *_format_chances(found.prosecutor),
        ),
    ]
    if known:
        rows += [
            (
                Text("journalist", "ジャーナリスト"),
                Text("looks for anybody in the population", "母集団の誰でもよいので探す"),
                *_format_chances(found.journalist),
            ),
            (
                Text("marketer", "マーケター"),
                Text("matches all records with the population", "全レコードを母集団と照合する"),
                "",
                "",
                format_percent(found.marketer),
            ),
        ]
    about = Paragraph(
        text=Text(
            "What each can hope for who knows the keys and nothing else.",
            "キーだけを知る攻撃者が期待できる成功率です。",
        )
    )
    limit = format_percent(found.limit)
    table = TableBlock(
        head=(
            Text("adversary", "攻撃者"),
            Text("what he does", "前提"),
            Text(f"records above {limit}", f"{limit} を超えるレコード"),
            Text("highest chance", "最大の確率"),
            Text("found on average", "平均して見つかる割合"),
        ),
        rows=tuple(rows),
        numeric=(2, 3, 4),
    )
    return [Heading(text=Text("Chances of being found", "見つけられる確率")), about, table]


def _format_chances(chances: Chances) -> tuple[Words, ...]:
    return tuple(format_percent(value) for value in (chances.at_risk, chances.highest, chances.average))


def _sensitive_blocks(sensitive: Sequence[SensitiveRisk], rows: int) -> list[Block]:
    if not sensitive:
        return []
    body = tuple(
        (
            each.column,
            f"{each.distinct:,}",
            f"{each.entropy:.3g}",
            "–" if each.recursive is None else f"{each.recursive:.3g}",
            f"{each.t:.3f}",
            DISTANCES[each.distance],
            f"{each.beta:.3g}",
            f"{each.delta:.3g}",
            format_out_of(each.disclosed, rows),
        )
        for each in sensitive
    )
    head: tuple[Words, ...] = (
        Text("column", "列"),
        "l",
        Text("entropy l", "エントロピー l"),
        Text("c for l = 2", "l = 2 の c"),
        "t",
        Text("distance", "距離"),
        "β",
        "δ",
        Text("records whose class has one value", "同値類の値が 1 種類のレコード"),
    )
    about = Text(
        "Of the worst class each: the fewest different values (l), the largest distance from the whole file (t), the "
        "largest gain of a value (β) and the largest |log2| of its ratio (δ). Where a class has one value only, it is "
        "told without finding the record.",
        "いずれも最悪の同値類の値です。値の種類の最小数（l）、全体の分布との最大の距離（t）、値の増分の最大（β）、"
        "比の |log2| の最大（δ）。"
        "値が 1 種類だけの同値類では、レコードを特定しなくても値がわかります。",
    )
    return [
        Heading(text=Text("What is learned of the others", "ほかの人について知られること")),
        Paragraph(text=about),
        TableBlock(head=head, rows=body, numeric=(1, 2, 3, 4, 6, 7)),
    ]


def _population_blocks(risk: RecordRisk) -> list[Block]:
    if risk.people is None:
        return []
    blocks: list[Block] = [Heading(text=Text("In the population", "母集団では"))]
    facts: list[tuple[Words, Words]] = [(Text("people", "人数"), format_count(risk.people))]
    if risk.population is not None:
        low, high = risk.population.presence
        facts += [
            (
                Text("fewest people that a record fits (k-map)", "レコードに当てはまる最少人数（k-map）"),
                format_count(risk.population.least_map),
            ),
            (
                Text("chance of being in the file (δ-presence)", "ファイルに含まれる確率（δ-presence）"),
                f"{low:.3g} – {high:.3g}",
            ),
        ]
    if risk.individual is not None:
        facts += [
            (
                Text(
                    "right matches expected (Benedetti and Franconi)", "期待される正しい照合数（Benedetti・Franconi）"
                ),
                f"{risk.individual.expected:,.1f}",
            ),
            (Text("highest risk of a record", "レコードのリスクの最大"), f"{risk.individual.highest:.3g}"),
        ]
    blocks.append(Facts(pairs=tuple(facts)))
    if risk.estimates:
        blocks.append(
            TableBlock(
                head=(
                    Text("model", "モデル"),
                    Text("unique in the population", "母集団で一意な人数"),
                    Text("of the file's uniques", "標本で一意な件数に占める割合"),
                    Text("estimated if", "推定の前提"),
                ),
                rows=tuple(
                    (
                        ESTIMATORS[each.estimator],
                        "–" if each.uniques is None else f"{each.uniques:,.0f}",
                        "–" if each.of_sample is None else format_percent(each.of_sample),
                        Text(each.assumes, ASSUMED[each.estimator]),
                    )
                    for each in risk.estimates
                ),
                numeric=(1, 2),
            )
        )
    return blocks
