"""Is a table with its pattern safe: the verdict, what the optimiser said, joint tables and differences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sekisho.gate.tables.system import DifferenceBasis
from sekisho.report.kit.blocks import Banner, Block, Facts, Heading, Paragraph, TableBlock, Tone
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.words import Text, Words, format_count, format_out_of, format_percent
from sekisho.report.pages.tables.grid import Intervals, format_interval, format_value, join_codes
from sekisho.report.pages.tables.story import LONGEST, Story, rest_blocks
from sekisho.tables.model.table import Cover, CoverGap, Joint, Status
from sekisho.tables.suppress.optimiser import MarginCount, PatternChoice, count_margins

GAPS = {
    CoverGap.ASKED: Text(CoverGap.ASKED.value, "指定により省略"),
    CoverGap.MANY: Text(CoverGap.MANY.value, "セルが多すぎるため"),
    CoverGap.CODES: Text(CoverGap.CODES.value, "表の間で区分の一覧が合わないため"),
    CoverGap.ROUNDED: Text(CoverGap.ROUNDED.value, "十分正確に加算の合う表が見つからないため"),
}


def optimum_facts(
    *,
    cost: float,
    bound: float,
    gap: float,
    optimal: bool,
    seconds: float,
    choice: PatternChoice,
    certified: float | None = None,
) -> tuple[tuple[Words, Words], ...]:
    """Return what the optimiser said as labels and values, among which patterns, and the certificate's bound."""
    sure = () if certified is None else ((Text("the certificate proves", "証明書が示す下界"), format_value(certified)),)
    proven = Text("proven optimal", "最適性を証明済み") if optimal else Text("best found in the time", "時間内の最良解")
    return (
        (Text("result", "結果"), proven),
        (Text("among", "比較の対象"), _tell_choice(choice)),
        (Text("cost", "費用"), format_value(cost)),
        (Text("no pattern costs less than", "費用の下界"), format_value(bound)),
        *sure,
        (Text("gap", "ギャップ"), format_percent(gap) if np.isfinite(gap) else "–"),
        (Text("seconds", "秒"), f"{seconds:.1f}"),
    )


def _tell_choice(choice: PatternChoice) -> Text:
    """Return among which patterns one is the cheapest."""
    parts = (
        (choice.kept, f"残すと決めた上位の合計 {choice.kept:,} 個を公表し"),
        (choice.shown, f"公表が必要なセル {choice.shown:,} 個を公表し"),
        (choice.frozen, f"以前に秘匿したセル {choice.frozen:,} 個を秘匿し"),
    )
    words = "、".join(text for count, text in parts if count)
    return Text(choice.describe(), f"{words}、かつ安全なすべてのパターン" if words else "安全なすべてのパターン")


def verdict_blocks(story: Story) -> list[Block]:
    """Return whether a table is safe, and its figures."""
    table, levels = story.audited.table, count_margins(story.audited.table)
    primary, secondary = int(table.primary.sum()), int((table.status == Status.SECONDARY).sum())
    counts = (
        ((Text("suppressed", "秘匿"), format_out_of(primary + secondary, table.own)),)
        if story.edition is Edition.PUBLIC
        else (
            (Text("unsafe (P)", "一次秘匿 (P)"), format_out_of(primary, table.own)),
            (Text("suppressed to protect them (S)", "二次秘匿 (S)"), format_out_of(secondary, table.own)),
        )
    )
    return [
        Banner(text=_public_words(story) if story.edition is Edition.PUBLIC else _own_words(story), tone=_tone(story)),
        Paragraph(text=_attackers(story.insiders)),
        *_joint(table.joint),
        *_totals(levels),
        Facts(
            pairs=(
                (Text("cells", "セル数"), format_count(table.own)),
                *counts,
                *(
                    (_name_level(each, top=at == 0), format_out_of(each.hidden, each.cells))
                    for at, each in enumerate(levels)
                ),
                (Text("equations", "等式"), format_count(len(table.equations))),
                *(() if story.edition is Edition.PUBLIC else story.answer),
            )
        ),
    ]


def _tone(story: Story) -> Tone:
    if len(story.disclosed) or len(story.narrow) or len(story.exposed):
        return Tone.BAD
    return Tone.WARN if story.audited.table.joint.limit else Tone.GOOD


def _public_words(story: Story) -> Text:
    """Return the verdict without figures: how many cells are unsafe may tell which."""
    if _tone(story) is Tone.BAD:
        return Text(
            "Not safe: suppressed cells can be estimated too closely.",
            "安全ではありません：狭すぎる範囲で推定できる秘匿セルがあります。",
        )
    if story.audited.table.joint.limit:
        return Text(
            "Not refuted: no unsafe cell can be estimated more closely than its protection level allows by an attacker "
            "who does not use the joint table.",
            "反証されていません：全次元の同時集計表を使わない攻撃者には、秘匿すべきセルはいずれも、"
            "定めた保護水準より狭い範囲には推定できません。",
        )
    return Text(
        "Safe: no unsafe cell can be estimated more closely than its protection level allows.",
        "安全：秘匿すべきセルはいずれも、定めた保護水準より狭い範囲には推定できません。",
    )


def _own_words(story: Story) -> Text:
    table = story.audited.table
    primary, exact, narrow, inside = (
        int(table.primary.sum()),
        len(story.disclosed),
        len(story.narrow),
        len(story.exposed),
    )
    if exact or narrow:
        return Text(
            f"Not safe: {exact:,} suppressed cells can be derived exactly, {narrow:,} unsafe cells estimated too "
            "closely.",
            f"安全ではありません：{exact:,} 個の秘匿セルが一意に復元でき、{narrow:,} "
            "個の一次秘匿セルの推定区間が狭すぎます。",
        )
    if inside:
        return Text(
            f"Not safe: {inside:,} unsafe cells can be estimated too closely by contributors of another cell.",
            f"安全ではありません：{inside:,} 個の一次秘匿セルは、ほかのセルに含まれる内部者に、"
            "保護水準より狭い範囲まで推定されます。",
        )
    if table.joint.limit:
        return Text(
            f"Not refuted: no unsafe cell (of {primary:,}) can be estimated more closely than its protection level "
            "allows by an attacker who does not use the joint table.",
            f"反証されていません：全次元の同時集計表を使わない攻撃者には、{primary:,} 個の一次秘匿セルはいずれも、"
            "定めた保護水準より狭い範囲には推定できません。",
        )
    return Text(
        f"Safe: no unsafe cell (of {primary:,}) can be estimated more closely than its protection level allows.",
        f"安全：{primary:,} 個の一次秘匿セルはいずれも、定めた保護水準より狭い範囲には推定できません。",
    )


def _attackers(insiders: int) -> Text:
    """Return who was considered: what is said of safety holds for these."""
    if not insiders:
        return Text(
            "This is about outsiders; insiders, who know what they gave themselves, were not considered.",
            "以上は外部者に対するものです。自分の値を知っている内部者は考慮していません。",
        )
    many = "each single contributor" if insiders == 1 else f"any {insiders:,} contributors together"
    return Text(
        f"This is about outsiders, and about {many} of a cell, who know what they gave.",
        f"以上は、外部者と、一つのセルに含まれる {insiders:,} 人までの内部者（自分の値を知り、互いに教え合う人）に"
        "対するものです。",
    )


def _name_level(level: MarginCount, *, top: bool) -> Text:
    """Return what the hidden totals of a level are called."""
    if top:
        return Text("hidden: the grand total", "秘匿された総計")
    return Text(f"hidden: totals of level {level.height}", f"秘匿された合計（階層 {level.height}）")


def _totals(levels: Sequence[MarginCount]) -> list[Block]:
    """Return the warning that the grand total is hidden, if it is."""
    if not levels or not levels[0].hidden:
        return []
    text = Text(
        "The grand total is hidden. The figures below count the hidden totals level by level.",
        "総計が秘匿されています。下の表に、秘匿された合計の数を階層ごとに示します。",
    )
    return [Banner(text=text, tone=Tone.WARN)]


def _joint(joint: Joint) -> list[Block]:
    """Return what holds of the joint table behind linked tables: that it is used, or the limit that it is not."""
    if joint.cover is Cover.NONE_NEEDED:
        return []
    dims = " × ".join(joint.dims)
    if joint.cover is Cover.COVERED:
        return [
            Paragraph(
                text=Text(
                    "The tables form a cycle. The intervals hold also for an attacker who uses that none of the "
                    f"{joint.cells:,} cells of "
                    f"the joint table {dims} is below 0.",
                    f"これらの表は循環しています。区間は、同時集計表 {dims} の {joint.cells:,} "
                    "セルがいずれも負でないことを使う攻撃者に対しても成り立ちます。",
                )
            )
        ]
    why = GAPS[joint.gap or CoverGap.ASKED]
    return [
        Paragraph(
            text=Text(
                f"Limit: not used is that no cell of the joint table {dims} is below 0 ({why.en}). An attacker who "
                "uses it may find "
                "narrower intervals.",
                f"限界：同時集計表 {dims} のセルが負でないことは使っていません（{why.ja}）。それを使う攻撃者は、"
                "より狭い区間を得る可能性があります。",
            )
        )
    ]


def difference_blocks(
    audited: Intervals, unsafe: Sequence[int], narrow: Sequence[int], *, basis: DifferenceBasis = DifferenceBasis.COUNTS
) -> list[Block]:
    """Return what the page says of populations' unsafe differences.

    Nobody publishes them, and whoever subtracts must not find them. What is promised under a condition says so.
    """
    table = audited.table
    if narrow:
        text = Text(
            f"Not safe: whoever subtracts the tables estimates {len(narrow):,} of {len(unsafe):,} unsafe differences "
            "too closely.",
            f"安全ではありません：表を引き算すると、{len(unsafe):,} 個の秘匿すべき差のうち {len(narrow):,} "
            "個の推定区間が狭すぎます。",
        )
    elif basis.condition:
        text = Text(
            f"Promised if {basis.condition}: whoever subtracts the tables estimates none of {len(unsafe):,} unsafe "
            "differences too closely. The records would tell it exactly.",
            "部分集団とその外の両方に寄与する者がなく、上位の寄与が記載のとおりであれば約束されます：表を引き算しても、"
            f"{len(unsafe):,} 個の秘匿すべき差はいずれも保護水準より狭い範囲には推定できません。"
            "個票があれば正確に判定できます。",
        )
    else:
        text = Text(
            f"Safe: whoever subtracts the tables estimates none of {len(unsafe):,} unsafe differences too closely.",
            f"安全：表を引き算しても、{len(unsafe):,} "
            "個の秘匿すべき差はいずれも保護水準より狭い範囲には推定できません。",
        )
    tight = set(narrow)
    rows = tuple(
        (
            join_codes(table, cell),
            format_interval(audited, cell),
            Text("too narrow", "狭すぎる") if cell in tight else "",
        )
        for cell in unsafe[:LONGEST]
    )
    head = (Text("difference", "差"), Text("interval", "推定区間"), "")
    blocks: list[Block] = [
        Heading(text=Text("The differences", "差")),
        Banner(text=text, tone=Tone.BAD if narrow else Tone.GOOD),
    ]
    return [*blocks, TableBlock(head=head, rows=rows, numeric=(1,)), *rest_blocks(len(unsafe))] if rows else blocks
