"""The page that compares several releases beyond memory: classes, and every column's distribution."""

from __future__ import annotations

from collections.abc import Sequence

from sekisho.gate.records.comparison import ORIGINAL
from sekisho.gate.records.large_comparison import CountedRelease
from sekisho.provenance import Provenance
from sekisho.report.figures.gallery import Axis, Mark, Scatter
from sekisho.report.kit.blocks import Block, Figure, Fold, Heading, Origin, Paragraph
from sekisho.report.kit.words import Text, format_count
from sekisho.report.pages.risk.comparison import large_comparison_table, show_name, show_reviews
from sekisho.report.pages.risk.large_protection import LEFT_OUT, show_columns


def large_comparison_blocks(compared: Sequence[CountedRelease], origin: Provenance) -> tuple[Block, ...]:
    """Return the page."""
    return (
        Paragraph(text=_introduce(compared)),
        *show_reviews(compared),
        Figure(picture=chance_scatter(compared), caption=_explain_chances()),
        large_comparison_table(compared),
        Paragraph(text=LEFT_OUT),
        Heading(text=Text("Before and after, column by column", "列ごとの加工前後")),
        *(
            Fold(summary=show_name(one), blocks=(show_columns(one.columns),))
            for one in compared
            if one.name != ORIGINAL
        ),
        Heading(text=Text("What made this", "作成の記録")),
        Origin(steps=(origin,)),
    )


def chance_scatter(compared: Sequence[CountedRelease]) -> Scatter:
    """Return the releases by how far their columns moved and by the average chance within a class."""
    return Scatter(
        title=Text("Chance of being found against loss", "見つかる確率と情報損失"),
        desc=Text(
            f"The original and {len(compared) - 1} releases by their columns' distributions and the average chance.",
            f"元データと加工データ {len(compared) - 1} 件の列の分布の変化と、平均の確率です。",
        ),
        x=Axis(label=Text("columns (total variation)", "列の分布（全変動）"), low=0.0),
        y=Axis(label=Text("average chance within one's class", "同値類の中で見つかる確率の平均"), low=0.0),
        points=tuple(
            Mark(
                name=show_name(one),
                x=one.scores["marginals"].value,
                y=one.classes.reidentification.prosecutor.average,
            )
            for one in compared
        ),
        front=True,
    )


def _introduce(compared: Sequence[CountedRelease]) -> Text:
    rows, several = format_count(compared[0].classes.rows), "releases" if len(compared) > 2 else "release"
    return Text(
        f"{len(compared) - 1} {several} of {rows} records beside the original: how small the classes of equal keys "
        "are, and how far the distributions of the columns moved.",
        f"{rows} 件のレコードから作られた加工データ {len(compared) - 1} 件を元データと比べます。"
        "キーが等しい組の大きさと、列の分布の変化を示します。",
    )


def _explain_chances() -> Text:
    return Text(
        "Left is useful, low is safe. The chance is that of somebody who knows the keys as they are written and picks "
        "one of the records of the class; it is counted, no attack was tried.",
        "左ほど有用で、下ほど安全です。確率は、公開される文字列のキーを知る者が同値類から 1 件を選ぶ場合の値です。"
        "数えた値であり、攻撃は試していません。",
    )
