"""The page of cell suppression: is the table safe, what is suppressed where, and why each further cell had to go."""

from __future__ import annotations

from collections.abc import Sequence

from sekisho.provenance import Provenance
from sekisho.report.kit.blocks import Block, Fold, Heading, Origin, Paragraph, TableBlock
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.words import Text, Words, format_count, join_words
from sekisho.report.pages.tables.grid import NAMES, choose_grids, format_interval, format_value, join_codes
from sekisho.report.pages.tables.story import Story, rest_blocks, share_room
from sekisho.report.pages.tables.verdict import verdict_blocks
from sekisho.tables.explain import GROUP, LEAF, TOP, CellReason, Chain, LevelSummary, summary
from sekisho.tables.files.pattern import MARK
from sekisho.tables.model.table import Status
from sekisho.tables.model.table import Table as Cells

SUPPRESSION = Text("Cell suppression", "集計表のセル秘匿")
AUDIT = Text("Audit of a suppressed table", "秘匿済み集計表の監査")
TOGETHER = Text("All tables together", "全表を合わせて")
CHAINS = 3


def table_blocks(
    stories: Sequence[Story], *, origin: Sequence[Provenance] = (), more: Sequence[Block] = ()
) -> tuple[Block, ...]:
    """Return the page about one table or several, with ``more`` blocks at its head.

    First the verdict on each and the tables themselves; then, folded, why each further cell is suppressed and every
    interval.
    """
    blocks: list[Block] = [*more]
    stories = share_room(stories)
    for story in stories:
        if story.name:
            blocks.append(Heading(text=story.name))
        blocks += [*verdict_blocks(story), *_pictures(story), *_levels(story)]
    blocks += _details([story for story in stories if story.edition is Edition.CONFIDENTIAL])
    if origin:
        blocks += [Heading(text=Text("How this was made", "作成の経緯")), Origin(steps=tuple(origin))]
    return tuple(blocks)


def _details(stories: Sequence[Story]) -> list[Block]:
    folds = [fold for story in stories for fold in (*_why(story), *_intervals(story))]
    return [Heading(text=Text("Reasons and intervals", "秘匿の理由と推定区間")), *folds] if folds else []


def _pictures(story: Story) -> list[Block]:
    if not story.pictures:
        return []
    parts, left = choose_grids(story.audited, cells=story.room.cells, edition=story.edition)
    note = (
        Text(f"{MARK} marks the suppressed cells.", f"{MARK} は秘匿したセルです。")
        if story.edition is Edition.PUBLIC
        else Text(
            "P marks unsafe cells, S cells suppressed to protect them. Below the letter stands the interval in which "
            "an attacker must place the cell.",
            "P は一次秘匿、S は二次秘匿です。文字の下は、攻撃者が推定できる区間です。",
        )
    )
    blocks: list[Block] = [Heading(text=Text("The table", "集計表"), level=3), Paragraph(text=note), *parts]
    if left:
        more = Text(f"{left:,} further parts are not shown.", f"ほかに {left:,} 面あります（省略）。")
        blocks.append(Paragraph(text=more))
    return blocks


def _levels(story: Story) -> list[Block]:
    heading = Heading(text=Text("What is suppressed, level by level", "階層別の秘匿状況"), level=3)
    return [heading, _public_levels(story) if story.edition is Edition.PUBLIC else _own_levels(story)]


def _public_levels(story: Story) -> TableBlock:
    """Return how many cells of each level are suppressed, which everybody can count."""
    rows = tuple(
        (_name_level(one), format_count(one.cells), format_count(one.primary + one.secondary))
        for one in summary(story.audited.table)
    )
    head = (Text("level", "階層"), Text("cells", "セル"), Text("suppressed", "秘匿"))
    return TableBlock(head=head, rows=rows, caption=_level_caption(story), numeric=(1, 2))


def _level_caption(story: Story) -> Text:
    dims = " × ".join(story.audited.table.dims)
    return Text(f"{dims}; leaf: finest code, total: margin", f"{dims}；末端＝最も細かい区分、合計＝周辺")


def _name_level(one: LevelSummary) -> Text:
    return Text(" × ".join(one.level), " × ".join(_level_ja(word) for word in one.level))


def _own_levels(story: Story) -> TableBlock:
    table = story.audited.table
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
    return TableBlock(head=head, rows=rows, caption=_level_caption(story), numeric=tuple(range(1, 8)))


def _stratum(one: LevelSummary, grand: float | None) -> tuple[Words, ...]:
    """Return a level's row.

    Its sums are shown only where an attacker has them already: the level adds up to a published grand total, and more
    than one of its cells is hidden.
    """
    derivable = grand is not None and abs(one.value - grand) <= 1e-9 * max(1.0, abs(grand))
    hidden = derivable and one.primary + one.secondary != 1
    return (
        _name_level(one),
        format_count(one.cells),
        format_count(one.primary),
        format_count(one.secondary),
        format_value(one.value_hidden) if hidden else "–",
        format_value(one.value) if derivable else "–",
        format_count(one.frequency_hidden)
        if hidden and one.frequency
        else "–",  # a table of sums may have no frequencies
        format_count(one.frequency) if derivable and one.frequency else "–",
    )


def _level_ja(word: str) -> str:
    words = {GROUP: "グループ", LEAF: "末端", TOP: "合計"}
    return words.get(word) or f"第{word.removeprefix('level ')}階層"


def _why(story: Story) -> list[Block]:
    if story.reasons is None:
        return []
    table = story.audited.table if story.reasons_of is None else story.reasons_of
    rows = tuple(_reason(table, reason) for reason in story.reasons[: story.room.rows])
    head = (
        Text("suppressed cell", "二次秘匿セル"),
        Text("protects", "守るセル数"),
        Text("which, and through which equations", "守られるセルと経由する等式"),
    )
    note = Text(
        "If the cell on the left were published, the unsafe cells beside it could be estimated too closely.",
        "左のセルを公表すると、右の一次秘匿セルの推定区間が保護水準より狭くなります。",
    )
    if not story.reasons and not story.unasked:
        return []
    inside = (
        Paragraph(text=note),
        TableBlock(head=head, rows=rows, numeric=(1,)),
        *rest_blocks(len(story.reasons), story.room.rows),
        *_unasked(story.unasked),
    )
    about = Text(
        f"Why each of {len(story.reasons):,} further cells is suppressed",
        f"二次秘匿の理由（{len(story.reasons):,} 個）",
    )
    return [Fold(summary=_name_fold(story, about), blocks=inside)]


def _name_fold(story: Story, about: Text) -> Words:
    return join_words(story.name, Text(": ", "："), about) if story.name else about


def _unasked(count_of: int) -> list[Block]:
    if not count_of:
        return []
    english = f"Of {count_of:,} further cells the reason was not asked: it would have taken too long."
    return [Paragraph(text=Text(english, f"ほか {count_of:,} 個のセルの理由は、時間の都合で調べていません。"))]


def _reason(table: Cells, reason: CellReason) -> tuple[Words, ...]:
    if not reason.chains:
        none = Text(
            "against outsiders needed only together with others, or not at all",
            "外部者に対しては単独では不要（ほかのセルとの組合せで必要）",
        )
        return join_codes(table, reason.cell), "0", none
    shown = [_describe_chain(table, chain) for chain in reason.chains[:CHAINS]]
    more = len(reason.chains) - CHAINS
    rest = Text(f"; and {more:,} more", f"；ほか {more:,} 個") if more > 0 else Text("", "")
    words = Text("; ".join(each.en for each in shown) + rest.en, "；".join(each.ja for each in shown) + rest.ja)
    return join_codes(table, reason.cell), format_count(len(reason.chains)), words


def _describe_chain(table: Cells, chain: Chain) -> Text:
    """Return a protected cell and the equations that lead to it: a total, and where it stands."""
    cell, path = join_codes(table, chain.primary), " → ".join(table.equations[row] for row in chain.equations)
    return Text(f"{cell} ({path})", f"{cell}（{path.replace(' at ', '／')}）")


def _intervals(story: Story) -> list[Block]:
    audited, table = story.audited, story.audited.table
    if not len(audited.cells):
        return []
    rows = tuple(
        (join_codes(table, cell), NAMES[Status(int(table.status[cell]))], format_interval(audited, cell))
        for cell in audited.cells[: story.room.rows].tolist()
    )
    head = (Text("cell", "セル"), Text("status", "状態"), Text("interval", "推定区間"))
    block = TableBlock(head=head, rows=rows, numeric=(2,))
    summary_line = Text(
        f"The intervals of all {len(audited.cells):,} suppressed cells", f"秘匿セル {len(audited.cells):,} 個の推定区間"
    )
    return [
        Fold(summary=_name_fold(story, summary_line), blocks=(block, *rest_blocks(len(audited.cells), story.room.rows)))
    ]
