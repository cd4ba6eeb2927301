"""The page about one release of records beyond memory: what is proven, the risk and every column before and after.

It is the page of a release in memory without what needs a record beside its release: attacks, losses cell by cell.
"""

from __future__ import annotations

from collections.abc import Sequence

from sekisho.gate.records.large.release_figures import LargeFigures
from sekisho.gate.records.large_comparison import MOST_TEXTS, CountedColumn
from sekisho.provenance import Provenance
from sekisho.report.kit.blocks import (
    Banner,
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
    Tone,
)
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.html import render_page
from sekisho.report.kit.names import translate_name
from sekisho.report.kit.words import Language, Text, Words, format_decimal, format_out_of, join_words
from sekisho.report.pages.before_after import counted_card
from sekisho.report.pages.risk.comparison import name_measure
from sekisho.report.pages.risk.promises import promise_blocks, say_disclosed, say_safety, say_usefulness
from sekisho.report.pages.risk.protection import (
    CONFIDENTIAL,
    PROTECTION_TITLE,
    draw_both_sizes,
    explain_sizes,
    risk_table,
)
from sekisho.report.pages.risk.record_risk import describe_remark
from sekisho.report.pages.verdicts.review import review_blocks

LEFT_OUT = Text(
    "Attacks, and what was lost cell by cell, are not on this page: the work was done beyond memory, and both need "
    "every record beside its release.",
    "攻撃の結果とセルごとの情報損失は、このページにはありません。メモリを超える処理では、"
    "元のレコードと加工後のレコードを一件ずつ突き合わせないためです。",
)
LIMITS: tuple[Words, ...] = (
    Text(
        "Only the keys that were named count: whoever knows further columns may find more people.",
        "指定したキーだけを数えています。ほかの列も知る者は、さらに多くの個人を見つける可能性があります。",
    ),
    Text(
        "No attack was tried. A part of the file that is protected in memory shows what attackers find in that part.",
        "攻撃は試していません。ファイルの一部をメモリ内で加工すると、その部分についての攻撃の結果がわかります。",
    ),
    CONFIDENTIAL,
)


def render_large_protection_page(figures: LargeFigures, origin: Provenance, *, language: Language = Language.EN) -> str:
    """Return the page, both languages in one HTML file; no identifier and no row of the original is on it."""
    blocks = large_protection_blocks(figures, origin)
    return render_page(PROTECTION_TITLE, blocks, language=language, edition=Edition.CONFIDENTIAL)


def large_protection_blocks(figures: LargeFigures, origin: Provenance) -> list[Block]:
    """Return the page."""
    remarks = tuple(describe_remark(remark) for remark in figures.before.remarks)
    return [
        _state_verdict(figures),
        *review_blocks(figures.review),
        *([Bullets(items=remarks)] if remarks else []),
        Facts(pairs=_list_facts(figures, origin.name)),
        *promise_blocks(figures.recounts, 0),
        Heading(text=Text("Risk before and after", "リスクの前後比較")),
        risk_table(figures.before, figures.after),
        Figure(picture=draw_both_sizes(figures.before, figures.after), caption=explain_sizes()),
        Heading(text=Text("Use before and after", "有用性の前後比較")),
        Paragraph(text=LEFT_OUT),
        *_show_measures(figures),
        Fold(
            summary=Text("Every column before and after", "列ごとの加工前後"),
            blocks=(*_say_left_out(figures.left_out), show_columns(figures.columns)),
        ),
        Heading(text=Text("What this does not say", "ここから言えないこと")),
        Bullets(items=LIMITS),
        Heading(text=Text("What made this", "作成の記録")),
        Origin(steps=(origin,)),
    ]


def show_columns(columns: Sequence[CountedColumn]) -> Beside:
    """Return a card for each column, before and after."""
    return Beside(
        blocks=tuple(
            Figure(picture=counted_card(each.data, each.name, each.cells, (each.before, each.after)))
            for each in columns
        )
    )


def _state_verdict(figures: LargeFigures) -> Banner:
    """Return the verdict: green only if something is proven, nothing is told by itself, nobody must look at it."""
    good = not figures.review.needed and figures.hides_everybody and not figures.disclosed
    untried = Text(
        " No attack was tried: that is left out beyond memory.", "攻撃は試していません（メモリを超える処理）。"
    )
    words = join_words(say_safety(figures.recounts, 0), untried, *_say_use(figures), *say_disclosed(figures.disclosed))
    return Banner(text=words, tone=Tone.GOOD if good else Tone.WARN)


def _say_use(figures: LargeFigures) -> tuple[Text, ...]:
    ncp = figures.detail.get("ncp")
    if isinstance(ncp, float):
        return (say_usefulness(ncp, useful=figures.review.useful),)
    if not figures.scores:
        return ()
    moved = figures.scores["marginals"].value
    return (
        Text(
            f" The distributions of the columns moved by {moved:.3f} on average, of at most 1.",
            f"列の分布の変化は平均 {moved:.3f}（最大 1）です。",
        ),
    )


def _list_facts(figures: LargeFigures, method: str) -> tuple[tuple[Words, Words], ...]:
    pairs: list[tuple[Words, Words]] = [
        (Text("method", "手法"), translate_name(method)),
        (Text("records released", "公開するレコード"), format_out_of(figures.after.rows, figures.before.rows)),
        (Text("keys", "キー"), ", ".join(figures.keys)),
    ]
    if figures.sensitive:
        pairs.append((Text("sensitive", "機微な列"), ", ".join(figures.sensitive)))
    return tuple(pairs)


def _show_measures(figures: LargeFigures) -> tuple[TableBlock, ...]:
    """Return what was lost, as far as it is at hand: NCP where the method tells it, and the columns' distributions."""
    rows: list[tuple[Words, Words]] = []
    ncp = figures.detail.get("ncp")
    if isinstance(ncp, float):
        rows.append((name_measure("ncp"), format_decimal(ncp, 4)))
    rows += [(name_measure(name), format_decimal(score.value, 4)) for name, score in figures.scores.items()]
    if not rows:
        return ()
    caption = Text("What was lost: 0 is nothing", "失われた情報（0 は損失なし）")
    head = (Text("measure", "尺度"), Text("released", "加工後"))
    return (TableBlock(head=head, rows=tuple(rows), caption=caption, numeric=(1,)),)


def _say_left_out(names: Sequence[str]) -> tuple[Paragraph, ...]:
    if not names:
        return ()
    listed = ", ".join(names)
    return (
        Paragraph(
            text=Text(
                f"Without a picture, for they have more than {MOST_TEXTS:,} different values: {listed}.",
                f"値の種類が {MOST_TEXTS:,} を超えるため、次の列の図はありません：{listed}。",
            )
        ),
    )
