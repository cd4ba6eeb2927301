"""The page of cell suppression: is the table safe, what is suppressed where, and why each further cell had to go."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from sekisho.provenance import Provenance
from sekisho.report.kit.blocks import Block, Fold, Heading, Origin, Paragraph, TableBlock
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.words import Words, format_count
from sekisho.report.pages.tables.grid import NAMES, choose_grids, format_interval, format_value, join_codes
from sekisho.report.pages.tables.story import Story, rest_blocks, share_room
from sekisho.report.pages.tables.verdict import verdict_blocks
from sekisho.tables.explain import GROUP, LEAF, TOP, CellReason, Chain, LevelSummary, summary
from sekisho.tables.files.pattern import MARK
from sekisho.tables.model.table import Status
from sekisho.tables.model.table import Table as Cells
from sekisho.words import Said, bilingual, join_words

SUPPRESSION = Said("Cell suppression")
AUDIT = Said("Audit of a suppressed table")
TOGETHER = Said("All tables together")
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
        blocks += [Heading(text=Said("How this was made")), Origin(steps=tuple(origin))]
    return tuple(blocks)


def _details(stories: Sequence[Story]) -> list[Block]:
    folds = [fold for story in stories for fold in (*_why(story), *_intervals(story))]
    return [Heading(text=Said("Reasons and intervals")), *folds] if folds else []


def _pictures(story: Story) -> list[Block]:
    if not story.pictures:
        return []
    parts, left = choose_grids(story.audited, cells=story.room.cells, edition=story.edition)
    note = (
        Said("{MARK} marks the suppressed cells.", MARK=MARK)
        if story.edition is Edition.PUBLIC
        else Said(
            "P marks unsafe cells, S cells suppressed to protect them. Below the letter stands the interval in which "
            "an attacker must place the cell."
        )
    )
    blocks: list[Block] = [Heading(text=Said("The table"), level=3), Paragraph(text=note), *parts]
    if left:
        more = Said("{left:,} further {left:part is|parts are} not shown.", left=left)
        blocks.append(Paragraph(text=more))
    return blocks


def _levels(story: Story) -> list[Block]:
    heading = Heading(text=Said("What is suppressed, level by level"), level=3)
    return [heading, _public_levels(story) if story.edition is Edition.PUBLIC else _own_levels(story)]


def _public_levels(story: Story) -> TableBlock:
    """Return how many cells of each level are suppressed, which everybody can count."""
    rows = tuple(
        (_name_level(one), format_count(one.cells), format_count(one.primary + one.secondary))
        for one in summary(story.audited.table)
    )
    head = (Said("level"), Said("cells"), Said("cells|suppressed"))
    return TableBlock(head=head, rows=rows, caption=_level_caption(story), numeric=(1, 2))


def _level_caption(story: Story) -> Said:
    dims = " × ".join(story.audited.table.dims)
    return Said("{dims}; leaf: finest code, total: margin", dims=dims)


def _name_level(one: LevelSummary) -> Said:
    return reduce(lambda first, rest: Said("{first} × {rest}", first=first, rest=rest), map(_say_level, one.level))


def _own_levels(story: Story) -> TableBlock:
    table = story.audited.table
    at = table.position.get(table.margins)
    grand = None if at is None or table.suppressed[at] else float(table.value[at])
    rows = tuple(_stratum(one, grand) for one in summary(table))
    head = (
        Said("level"),
        Said("cells"),
        "P",
        "S",
        Said("value suppressed"),
        Said("of"),
        Said("frequency suppressed"),
        Said("of"),
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


def _say_level(word: str) -> Said:
    words = {GROUP: Said("group"), LEAF: Said("leaf"), TOP: Said("total")}
    return words.get(word) or Said("level {number}", number=word.removeprefix("level "))


def _why(story: Story) -> list[Block]:
    if story.reasons is None:
        return []
    table = story.audited.table if story.reasons_of is None else story.reasons_of
    rows = tuple(_reason(table, reason) for reason in story.reasons[: story.room.rows])
    head = (
        Said("suppressed cell"),
        Said("protects"),
        Said("which, and through which equations"),
    )
    note = Said("If the cell on the left were published, the unsafe cells beside it could be estimated too closely.")
    if not story.reasons and not story.unasked:
        return []
    inside = (
        Paragraph(text=note),
        TableBlock(head=head, rows=rows, numeric=(1,)),
        *rest_blocks(len(story.reasons), story.room.rows),
        *_unasked(story.unasked),
    )
    about = Said("Why each of {reasons:,} further {reasons:cell|cells} is suppressed", reasons=len(story.reasons))
    return [Fold(summary=_name_fold(story, about), blocks=inside)]


def _name_fold(story: Story, about: Said) -> Words:
    return Said("{name}: {about}", name=story.name, about=about) if story.name else about


def _unasked(count_of: int) -> list[Block]:
    if not count_of:
        return []
    text = Said(
        "Of {cells:,} further {cells:cell|cells} the reason was not asked: it would have taken too long.",
        cells=count_of,
    )
    return [Paragraph(text=text)]


def _reason(table: Cells, reason: CellReason) -> tuple[Words, ...]:
    if not reason.chains:
        none = Said("against outsiders needed only together with others, or not at all")
        return join_codes(table, reason.cell), "0", none
    shown = [_describe_chain(table, chain) for chain in reason.chains[:CHAINS]]
    more = len(reason.chains) - CHAINS
    rest = Said("; and {more:,} more", more=more) if more > 0 else ""
    words = join_words((join_words(shown, "; ", "；"), rest))
    return join_codes(table, reason.cell), format_count(len(reason.chains)), words


def _describe_chain(table: Cells, chain: Chain) -> Said:
    """Return a protected cell and the equations that lead to it: a total, and where it stands."""
    cell, path = join_codes(table, chain.primary), " → ".join(table.equations[row] for row in chain.equations)
    return Said("{cell} ({path})", cell=cell, path=bilingual(path, path.replace(" at ", "／")))


def _intervals(story: Story) -> list[Block]:
    audited, table = story.audited, story.audited.table
    if not len(audited.cells):
        return []
    rows = tuple(
        (join_codes(table, cell), NAMES[Status(int(table.status[cell]))], format_interval(audited, cell))
        for cell in audited.cells[: story.room.rows].tolist()
    )
    head = (Said("cell"), Said("status"), Said("interval"))
    block = TableBlock(head=head, rows=rows, numeric=(2,))
    summary_line = Said("The intervals of all {cells:,} suppressed {cells:cell|cells}", cells=len(audited.cells))
    return [
        Fold(summary=_name_fold(story, summary_line), blocks=(block, *rest_blocks(len(audited.cells), story.room.rows)))
    ]
