"""Cell suppression, told: is the table safe, what is suppressed where, and why each further cell had to go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sekisho.provenance import Provenance
from sekisho.report.kit.blocks import Banner, Block, Facts, Fold, Heading, Origin, Paragraph, TableBlock, Tone
from sekisho.report.kit.words import Text, Words, count, out_of, percent
from sekisho.report.pages.table_grid import NAMES, Intervals, coded, grids, interval, shown
from sekisho.tables.explain import GROUP, LEAF, TOP, CellReason, LevelSummary, summary
from sekisho.tables.model.cover import Cover, CoverGap, Joint
from sekisho.tables.model.table import Status
from sekisho.tables.model.table import Table as Cells

TITLE = Text("Cell suppression", "集計表のセル秘匿")
TOGETHER = Text("All tables together", "全表を合わせて")
GAPS = {
    CoverGap.ASKED: Text(CoverGap.ASKED.value, "指定により省略"),
    CoverGap.MANY: Text(CoverGap.MANY.value, "セルが多すぎるため"),
    CoverGap.CODES: Text(CoverGap.CODES.value, "表の間で区分の一覧が合わないため"),
    CoverGap.ROUNDED: Text(CoverGap.ROUNDED.value, "十分正確に加算の合う表が見つからないため"),
}
LONGEST = 400
CHAINS = 3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Story:
    """What a page about one table tells.

    Attributes:
        found: the audited table.
        disclosed: the suppressed cells that an attacker can tell exactly.
        narrow: the primaries whose interval misses a level.
        name: of the table, where there are several.
        pictures: whether to draw it.
        reasons: why each secondary is suppressed; None leaves the explanation out.
        answer: what the optimiser said, as labels and values.
        unasked: of how many secondaries the reason was not asked.
        reasons_of: the table whose cells the reasons name, if it is another than the audited one.
    """

    found: Intervals
    disclosed: NDArray[np.intp]
    narrow: NDArray[np.intp]
    name: Words = ""
    pictures: bool = True
    reasons: Sequence[CellReason] | None = None
    answer: tuple[tuple[Words, Words], ...] = ()
    reasons_of: Cells | None = None
    unasked: int = 0


def table_blocks(
    stories: Sequence[Story], *, origin: Sequence[Provenance] = (), more: Sequence[Block] = ()
) -> tuple[Block, ...]:
    """Return the page about one table or several, with ``more`` blocks at its head."""
    blocks: list[Block] = [*more]
    for story in stories:
        if story.name:
            blocks.append(Heading(text=story.name))
        blocks += [*_verdict(story), *_pictures(story), *_levels(story), *_why(story), *_intervals(story)]
    if origin:
        blocks += [Heading(text=Text("How this was made", "作成の経緯")), Origin(steps=tuple(origin))]
    return tuple(blocks)


def difference_blocks(found: Intervals, unsafe: Sequence[int], narrow: Sequence[int]) -> list[Block]:
    """Return what is told of two populations' unsafe differences: nobody publishes them, and whoever subtracts must not find them."""
    table = found.table
    if narrow:
        text = Text(
            f"Not safe: whoever subtracts the two tables tells {len(narrow):,} of {len(unsafe):,} unsafe differences too closely.",
            f"安全ではありません：二つの表を引き算すると、{len(unsafe):,} 個の秘匿すべき差のうち {len(narrow):,} 個の推定区間が狭すぎます。",
        )
    else:
        text = Text(
            f"Safe: whoever subtracts the two tables tells none of {len(unsafe):,} unsafe differences too closely.",
            f"安全：二つの表を引き算しても、{len(unsafe):,} 個の秘匿すべき差はいずれも保護水準より狭い範囲には推定できません。",
        )
    tight = set(narrow)
    rows = tuple(
        (coded(table, cell), interval(found, cell), Text("too narrow", "狭すぎる") if cell in tight else "")
        for cell in unsafe[:LONGEST]
    )
    head = (Text("difference", "差"), Text("interval", "推定区間"), "")
    blocks: list[Block] = [
        Heading(text=Text("The differences", "差")),
        Banner(text=text, tone=Tone.BAD if narrow else Tone.GOOD),
    ]
    return [*blocks, TableBlock(head=head, rows=rows, numeric=(1,)), *_rest(len(unsafe))] if rows else blocks


def optimum(
    *, cost: float, bound: float, gap: float, optimal: bool, seconds: float, certified: float | None = None
) -> tuple[tuple[Words, Words], ...]:
    """Return what the optimiser said as labels and values, and which bound the certificate proves."""
    sure = () if certified is None else ((Text("the certificate proves", "証明書が示す下界"), shown(certified)),)
    proven = Text("proven optimal", "最適性を証明済み") if optimal else Text("best found in the time", "時間内の最良解")
    return (
        (Text("result", "結果"), proven),
        (Text("cost", "費用"), shown(cost)),
        (Text("no pattern costs less than", "費用の下界"), shown(bound)),
        *sure,
        (Text("gap", "ギャップ"), percent(gap) if np.isfinite(gap) else "–"),
        (Text("seconds", "秒"), f"{seconds:.1f}"),
    )


def _verdict(story: Story) -> list[Block]:
    table = story.found.table
    primary, secondary = int(table.primary.sum()), int((table.status == Status.SECONDARY).sum())
    exact, narrow = len(story.disclosed), len(story.narrow)
    if exact or narrow:
        text = Text(
            f"Not safe: {exact:,} suppressed cells can be told exactly, {narrow:,} unsafe cells too closely.",
            f"安全ではありません：{exact:,} 個の秘匿セルが一意に復元でき、{narrow:,} 個の一次秘匿セルの推定区間が狭すぎます。",
        )
    elif table.joint.limit:
        text = Text(
            f"Not refuted: no unsafe cell (of {primary:,}) can be told more closely than its protection level allows by an attacker who "
            "does not use the joint table.",
            f"反証されていません：全次元の同時集計表を使わない攻撃者には、{primary:,} 個の一次秘匿セルはいずれも、"
            "定めた保護水準より狭い範囲には推定できません。",
        )
    else:
        text = Text(
            f"Safe: no unsafe cell (of {primary:,}) can be told more closely than its protection level allows.",
            f"安全：{primary:,} 個の一次秘匿セルはいずれも、定めた保護水準より狭い範囲には推定できません。",
        )
    tone = Tone.BAD if exact or narrow else Tone.WARN if table.joint.limit else Tone.GOOD
    return [
        Banner(text=text, tone=tone),
        *_joint(table.joint),
        Facts(
            pairs=(
                (Text("cells", "セル数"), count(table.own)),
                (Text("unsafe (P)", "一次秘匿 (P)"), out_of(primary, table.own)),
                (Text("suppressed to protect them (S)", "二次秘匿 (S)"), out_of(secondary, table.own)),
                (Text("equations", "等式"), count(len(table.equations))),
                *story.answer,
            )
        ),
    ]


def _joint(joint: Joint) -> list[Block]:
    """Return what is told of the joint table behind linked tables: that it is used, or the limit that it is not."""
    if joint.cover is Cover.NONE_NEEDED:
        return []
    dims = " × ".join(joint.dims)
    if joint.cover is Cover.COVERED:
        return [
            Paragraph(
                text=Text(
                    f"The tables form a cycle. The intervals hold also for an attacker who uses that none of the {joint.cells:,} cells of "
                    f"the joint table {dims} is below 0.",
                    f"これらの表は循環しています。区間は、同時集計表 {dims} の {joint.cells:,} セルがいずれも負でないことを使う攻撃者に対しても成り立ちます。",
                )
            )
        ]
    why = GAPS[joint.gap or CoverGap.ASKED]
    return [
        Paragraph(
            text=Text(
                f"Limit: not used is that no cell of the joint table {dims} is below 0 ({why.en}). An attacker who uses it may find "
                "narrower intervals.",
                f"限界：同時集計表 {dims} のセルが負でないことは使っていません（{why.ja}）。それを使う攻撃者は、より狭い区間を得る可能性があります。",
            )
        )
    ]


def _pictures(story: Story) -> list[Block]:
    if not story.pictures:
        return []
    parts, left = grids(story.found)
    note = Text(
        "P marks unsafe cells, S cells suppressed to protect them. Point at one to see the interval in which an attacker must place it.",
        "P は一次秘匿、S は二次秘匿。セルを指すと、攻撃者が推定できる区間が表示されます。",
    )
    blocks: list[Block] = [Heading(text=Text("The table", "集計表"), level=3), Paragraph(text=note), *parts]
    if left:
        more = Text(f"{left:,} further parts are not shown.", f"ほかに {left:,} 面あります（省略）。")
        blocks.append(Paragraph(text=more))
    return blocks


def _levels(story: Story) -> list[Block]:
    table = story.found.table
    at = table.position.get(table.margins)
    grand = None if at is None or table.suppressed[at] else float(table.value[at])
    rows = tuple(_stratum(one, grand) for one in summary(table))
    head = (
        Text("level", "階層"),
        Text("cells", "セル"),
        "P",
        "S",
        Text("value suppressed", "秘匿された値"),
        Text("of", "全体"),
        Text("frequency suppressed", "秘匿された度数"),
        Text("of", "全体"),
    )
    caption = Text(
        " × ".join(story.found.table.dims) + "; leaf: finest code, total: margin",
        " × ".join(story.found.table.dims) + "；末端＝最も細かい区分",
    )
    block = TableBlock(head=head, rows=rows, caption=caption, numeric=tuple(range(1, 8)))
    return [Heading(text=Text("What is suppressed, level by level", "階層別の秘匿状況"), level=3), block]


def _stratum(one: LevelSummary, grand: float | None) -> tuple[Words, ...]:
    """Return a level's row.

    Its sums are told only where an attacker has them already: the level adds up to a grand total that is published, and
    more than one of its cells is hidden.
    """
    told = grand is not None and abs(one.value - grand) <= 1e-9 * max(1.0, abs(grand))
    hidden = told and one.primary + one.secondary != 1
    return (
        Text(" × ".join(one.level), " × ".join(_level_ja(word) for word in one.level)),
        count(one.cells),
        count(one.primary),
        count(one.secondary),
        shown(one.value_hidden) if hidden else "–",
        shown(one.value) if told else "–",
        count(one.frequency_hidden) if hidden and one.frequency else "–",  # a table of sums may not tell frequencies
        count(one.frequency) if told and one.frequency else "–",
    )


def _level_ja(word: str) -> str:
    known = {GROUP: "グループ", LEAF: "末端", TOP: "合計"}
    return known.get(word) or f"第{word.removeprefix('level ')}階層"


def _why(story: Story) -> list[Block]:
    if story.reasons is None:
        return []
    table = story.found.table if story.reasons_of is None else story.reasons_of
    rows = tuple(_reason(table, reason) for reason in story.reasons[:LONGEST])
    head = (
        Text("suppressed cell", "二次秘匿セル"),
        Text("protects", "守るセル数"),
        Text("which, and through which equations", "守られるセルと経由する等式"),
    )
    note = Text(
        "If the cell on the left were published, the unsafe cells beside it could be told too closely.",
        "左のセルを公表すると、右の一次秘匿セルの推定区間が保護水準より狭くなります。",
    )
    return [
        Heading(text=Text("Why each further cell is suppressed", "二次秘匿の理由"), level=3),
        Paragraph(text=note),
        TableBlock(head=head, rows=rows, numeric=(1,)),
        *_rest(len(story.reasons)),
        *_unasked(story.unasked),
    ]


def _unasked(count_of: int) -> list[Block]:
    if not count_of:
        return []
    english = f"Of {count_of:,} further cells the reason was not asked: it would have taken too long."
    return [Paragraph(text=Text(english, f"ほか {count_of:,} 個のセルの理由は、時間の都合で調べていません。"))]


def _reason(table: Cells, reason: CellReason) -> tuple[Words, ...]:
    if not reason.chains:
        none = Text("needed only together with others, or not at all", "単独では不要（ほかのセルとの組合せで必要）")
        return coded(table, reason.cell), "0", none
    told = "; ".join(
        f"{coded(table, chain.primary)} ({' → '.join(table.equations[row] for row in chain.equations)})"
        for chain in reason.chains[:CHAINS]
    )
    more = len(reason.chains) - CHAINS
    words = Text(f"{told}; and {more:,} more", f"{told}；ほか {more:,} 個") if more > 0 else told
    return coded(table, reason.cell), count(len(reason.chains)), words


def _intervals(story: Story) -> list[Block]:
    found, table = story.found, story.found.table
    rows = tuple(
        (coded(table, cell), NAMES[Status(int(table.status[cell]))], interval(found, cell))
        for cell in found.cells[:LONGEST].tolist()
    )
    head = (Text("cell", "セル"), Text("status", "状態"), Text("interval", "推定区間"))
    block = TableBlock(head=head, rows=rows, numeric=(2,))
    summary_line = Text(
        f"The intervals of all {len(found.cells):,} suppressed cells", f"秘匿セル {len(found.cells):,} 個の推定区間"
    )
    return [Fold(summary=summary_line, blocks=(block, *_rest(len(found.cells))))]


def _rest(length: int) -> list[Block]:
    left = length - LONGEST
    if left <= 0:
        return []
    return [Paragraph(text=Text(f"{left:,} further rows are not shown.", f"ほかに {left:,} 行あります（省略）。"))]
