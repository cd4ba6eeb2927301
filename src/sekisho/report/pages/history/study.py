"""The page of a study of many releases.

Tables 6 to 10 of the PWS Cup 2018 report, which correlations hold, and a picture of each use case.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

import numpy as np

from sekisho.gate.history.study import Findings
from sekisho.gate.history.yardsticks import FIGURES, USE_CASES
from sekisho.report.figures.gallery import Axis, Mark, Scatter
from sekisho.report.kit.blocks import Banner, Beside, Block, Facts, Figure, Heading, Origin, Paragraph, TableBlock, Tone
from sekisho.report.kit.words import Language, Text, Words, format_count, format_decimal, translate
from sekisho.utility.history.statistics import COLUMNS, STATISTICS

TITLE = Text("What the releases are still good for", "加工データは何に使えるか")
UTILITY = Text("utility U", "有用性指標 U")
RELEASE = Text("release", "加工データ")
CORRELATION = Text("correlation with U", "U との相関係数")

CASE_NAMES = {
    "item_sets": Text("frequent item sets", "頻出アイテム集合"),
    "rfm": Text("RFM table", "RFM 分析"),
    "wholesale": Text("similarity, wholesale", "類似度行列（問屋）"),
    "retail": Text("similarity, retail", "類似度行列（小売）"),
    "top": Text("similarity, top items", "類似度行列（上位）"),
    "months": Text("purchases by month", "月別の購買数"),
    "best_sellers": Text("best sellers", "売れ筋商品（ABC 分析）"),
    "baskets": Text("basket sizes", "伝票あたりの商品数"),
}
COLUMN_NAMES = {
    "date": Text("date (days)", "購入日（日）"),
    "price": Text("price (last decimal)", "単価（最小桁）"),
    "quantity": Text("quantity", "数量"),
}
STATISTIC_NAMES = {
    "sum": Text("sum", "総和"),
    "mean": Text("mean", "平均値"),
    "variance": Text("variance", "分散"),
    "deviation": Text("sd", "標準偏差"),
    "largest": Text("max", "最大値"),
    "least": Text("min", "最小値"),
    "median": Text("median", "中央値"),
    "middle": Text("middle rows", "中央の行"),
}
FIGURE_NAMES = {"rows": Text("rows", "行数"), "top_items": Text("top item set", "商品集合")}


def name_measure(name: str) -> Text:
    """Return what a use case or statistic is called."""
    names = CASE_NAMES | FIGURE_NAMES
    if name in names:
        return names[name]
    column, _, statistic = name.partition("_")
    first, second = COLUMN_NAMES[column], STATISTIC_NAMES[statistic]
    return Text(f"{second.en} of {first.en}", f"{first.ja}の{second.ja}")


def study_blocks(findings: Findings) -> tuple[Block, ...]:
    """Return the whole study as blocks."""
    return (
        *_summary(findings),
        *study_tables(findings),
        Heading(text=Text("Use cases against utility", "ユースケースと有用性指標")),
        Beside(blocks=tuple(Figure(picture=use_case_scatter(findings, name)) for name in (*USE_CASES, "top_items"))),
        Heading(text=Text("What made this", "作成の記録")),
        Origin(steps=(findings.provenance, *(release.provenance for release in findings.releases))),
    )


def _summary(findings: Findings) -> tuple[Block, ...]:
    critical = findings.critical
    cases = [name for name in USE_CASES if findings.significant(name)]
    limit = (
        Text("none: too few releases", "なし（加工データが少ない）")
        if critical is None
        else format_decimal(critical, 4)
    )
    samples = len(findings.releases[0].errors[USE_CASES[0]])
    tone = Tone.GOOD if len(cases) == len(USE_CASES) else Tone.WARN if cases else Tone.PLAIN
    return (
        Banner(text=_sentence(cases, USE_CASES, findings, Text("use cases", "ユースケース")), tone=tone),
        Facts(
            pairs=(
                (Text("releases", "加工データ数"), format_count(len(findings.releases))),
                (Text("samples of each", "各サンプル数"), format_count(samples)),
                (Text("significant from |r|", "有意となる |r|"), limit),
                (Text("level", "有意水準"), f"{findings.level:g}"),
            )
        ),
        Paragraph(
            text=_sentence(
                [n for n in FIGURES if findings.significant(n)], FIGURES, findings, Text("statistics", "統計量")
            )
        ),
    )


def _sentence(held: Sequence[str], among: Sequence[str], findings: Findings, kind: Text) -> Text:
    whole = sum(findings.correlations[name] is not None for name in among)
    english, japanese = (
        mark.join(translate(name_measure(name), language) for name in held)
        for mark, language in ((", ", Language.EN), ("、", Language.JA))
    )
    return Text(
        f"{len(held)} of {whole} {kind.en} correlate with utility at level {findings.level:g}"
        + (f": {english}." if held else "."),
        f"{kind.ja} {whole} 件のうち {len(held)} 件が有意水準 {findings.level:g} で有用性指標と相関しています"
        + (f"：{japanese}。" if held else "。"),
    )


def study_tables(findings: Findings) -> tuple[TableBlock, ...]:
    """Return the tables in the shape of tables 6 to 10 of the PWS Cup 2018 report."""
    cases = {name: CASE_NAMES[name] for name in USE_CASES}
    columns = [
        ({f"{column}_{name}": STATISTIC_NAMES[name] for name in STATISTICS}, COLUMN_NAMES[column]) for column in COLUMNS
    ]
    return (
        _table(
            findings,
            cases,
            Text("Errors of the use cases (means over the samples)", "ユースケースごとの誤差（サンプル平均）"),
        ),
        _table(findings, FIGURE_NAMES, Text("Errors of rows and top items", "行数と商品集合の誤差")),
        *(
            _table(findings, names, Text(f"Errors of the statistics of {what.en}", f"{what.ja}の統計量の誤差"))
            for names, what in columns
        ),
    )


def _table(findings: Findings, names: dict[str, Text], caption: Text) -> TableBlock:
    rows: list[tuple[Words, ...]] = [
        (shorten_name(each.name), format_decimal(each.utility), *(format_decimal(each.mean(name)) for name in names))
        for each in findings.releases
    ]
    rows.append((CORRELATION, "–", *(_mark_significance(findings, name) for name in names)))
    head = (RELEASE, UTILITY, *names.values())
    return TableBlock(head=head, rows=tuple(rows), caption=caption, numeric=tuple(range(1, len(head))))


def _mark_significance(findings: Findings, name: str) -> str:
    r = findings.correlations[name]
    if r is None:
        return "–"
    return format_decimal(r) + ("*" if findings.significant(name) else "")


def shorten_name(name: str) -> str:
    """Return a release's name as a table shows it: of a path, the file."""
    return PurePath(name).name or name


def use_case_scatter(findings: Findings, name: str) -> Scatter:
    """Return a use case's errors against utility, with the line of least squares where there is a correlation."""
    points = [(each.utility, each.mean(name)) for each in findings.releases]
    r, what = findings.correlations[name], name_measure(name)
    r_words = "–" if r is None else format_decimal(r)
    fit = None
    if r is not None:
        x, y = np.array(points).T
        slope = float(np.cov(x, y, bias=True)[0, 1] / np.var(x))
        fit = (slope, float(y.mean() - slope * x.mean()))
    return Scatter(
        title=Text(f"{what.en}: r = {r_words}", f"{what.ja}：r = {r_words}"),
        desc=Text(
            f"{len(points)} releases by utility and error of {what.en}.",
            f"加工データ {len(points)} 件の有用性指標と{what.ja}の誤差。",
        ),
        x=Axis(label=UTILITY),
        y=Axis(label=Text("error", "誤差")),
        points=tuple(
            Mark(name=shorten_name(each.name), x=x, y=y) for each, (x, y) in zip(findings.releases, points, strict=True)
        ),
        fit=fit,
    )
