"""Is a table with its pattern safe: the verdict, what the optimiser said, joint tables and differences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sekisho.gate.tables.system import DifferenceBasis
from sekisho.report.kit.blocks import Banner, Block, Facts, Heading, Paragraph, TableBlock, Tone
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.words import Words, format_count, format_out_of, format_percent
from sekisho.report.pages.tables.grid import Intervals, format_interval, format_value, join_codes
from sekisho.report.pages.tables.story import LONGEST, Story, rest_blocks
from sekisho.tables.audit.coalitions import knows_contributions
from sekisho.tables.model.table import Cover, CoverGap, Joint, Status
from sekisho.tables.model.whole_numbers import WholeNumbers
from sekisho.tables.suppress.optimiser import MarginCount, PatternChoice, count_margins
from sekisho.words import Said


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
    sure = () if certified is None else ((Said("the certificate proves"), format_value(certified)),)
    proven = Said("proven optimal") if optimal else Said("best found in the time")
    return (
        (Said("result"), proven),
        (Said("among"), choice.describe()),
        (Said("cost"), format_value(cost)),
        (Said("no pattern costs less than"), format_value(bound)),
        *sure,
        (Said("gap"), format_percent(gap) if np.isfinite(gap) else "–"),
        (Said("seconds"), f"{seconds:.1f}"),
    )


def verdict_blocks(story: Story) -> list[Block]:
    """Return whether a table is safe, and its figures."""
    table, levels = story.audited.table, count_margins(story.audited.table)
    primary, secondary = int(table.primary.sum()), int((table.status == Status.SECONDARY).sum())
    counts = (
        ((Said("cells|suppressed"), format_out_of(primary + secondary, table.own)),)
        if story.edition is Edition.PUBLIC
        else (
            (Said("unsafe (P)"), format_out_of(primary, table.own)),
            (Said("suppressed to protect them (S)"), format_out_of(secondary, table.own)),
        )
    )
    return [
        Banner(text=_public_words(story) if story.edition is Edition.PUBLIC else _own_words(story), tone=_tone(story)),
        Paragraph(text=_attackers(story.insiders)),
        *_tell_whole(story.whole),
        *_joint(table.joint),
        *_totals(levels),
        Facts(
            pairs=(
                (Said("count|cells"), format_count(table.own)),
                *counts,
                *(
                    (_name_level(each, top=at == 0), format_out_of(each.hidden, each.cells))
                    for at, each in enumerate(levels)
                ),
                (Said("equations"), format_count(len(table.equations))),
                *(() if story.edition is Edition.PUBLIC else story.answer),
            )
        ),
    ]


def _tone(story: Story) -> Tone:
    if len(story.disclosed) or len(story.narrow) or len(story.exposed):
        return Tone.BAD
    return Tone.WARN if story.audited.table.joint.limit or _leaves_out_insiders(story) else Tone.GOOD


def _leaves_out_insiders(story: Story) -> bool:
    """Tell whether it is known what contributors gave, and nobody asked what they know."""
    return not story.insiders and knows_contributions(story.audited.table)


def _public_words(story: Story) -> Said:
    """Return the verdict without figures: how many cells are unsafe may tell which."""
    if _tone(story) is Tone.BAD:
        return Said("Not safe: suppressed cells can be estimated too closely.")
    if story.audited.table.joint.limit:
        return Said(
            "Not refuted: no unsafe cell can be estimated more closely than its protection level allows by an attacker "
            "who does not use the joint table."
        )
    if _leaves_out_insiders(story):
        return Said(
            "Safe from outsiders: they estimate no unsafe cell more closely than its protection level allows. Insiders "
            "were not considered."
        )
    return Said("Safe: no unsafe cell can be estimated more closely than its protection level allows.")


def _own_words(story: Story) -> Said:
    table = story.audited.table
    primary, exact, narrow, inside = (
        int(table.primary.sum()),
        len(story.disclosed),
        len(story.narrow),
        len(story.exposed),
    )
    if exact or narrow:
        return Said(
            "Not safe: {exact:,} suppressed {exact:cell|cells} can be derived exactly, {narrow:,} unsafe "
            "{narrow:cell|cells} estimated too closely.",
            exact=exact,
            narrow=narrow,
        )
    if inside:
        return Said(
            "Not safe: {inside:,} unsafe {inside:cell|cells} can be estimated too closely by "
            "contributors of another cell.",
            inside=inside,
        )
    if table.joint.limit:
        return Said(
            "Not refuted: no unsafe cell (of {primary:,}) can be estimated more closely than its protection level "
            "allows by an attacker who does not use the joint table.",
            primary=primary,
        )
    if _leaves_out_insiders(story):
        return Said(
            "Safe from outsiders: they estimate no unsafe cell (of {primary:,}) more closely than its protection level "
            "allows. Insiders were not considered, though contributors are known.",
            primary=primary,
        )
    return Said(
        "Safe: no unsafe cell (of {primary:,}) can be estimated more closely than its protection level allows.",
        primary=primary,
    )


def _attackers(insiders: int) -> Said:
    """Return who was considered: what is said of safety holds for these."""
    if not insiders:
        return Said("This is about outsiders; insiders, who know what they gave themselves, were not considered.")
    if insiders == 1:
        return Said("This is about outsiders, and about each single contributor of a cell, who know what they gave.")
    return Said(
        "This is about outsiders, and about any {insiders:,} {insiders:contributor|contributors} "
        "together of a cell, who know what they gave.",
        insiders=insiders,
    )


def _tell_whole(whole: WholeNumbers | None) -> list[Paragraph]:
    """Return whether attackers who know that cells are whole numbers were considered."""
    if whole is None:
        return []
    return [Paragraph(text=Said("What is said of safety holds against {attackers}.", attackers=whole.words))]


def _name_level(level: MarginCount, *, top: bool) -> Said:
    """Return what the hidden totals of a level are called."""
    if top:
        return Said("hidden: the grand total")
    return Said("hidden: totals of level {height}", height=level.height)


def _totals(levels: Sequence[MarginCount]) -> list[Block]:
    """Return the warning that the grand total is hidden, if it is."""
    if not levels or not levels[0].hidden:
        return []
    text = Said("The grand total is hidden. The figures below count the hidden totals level by level.")
    return [Banner(text=text, tone=Tone.WARN)]


def _joint(joint: Joint) -> list[Block]:
    """Return what holds of the joint table behind linked tables: that it is used, or the limit that it is not."""
    if joint.cover is Cover.NONE_NEEDED:
        return []
    dims = " × ".join(joint.dims)
    if joint.cover is Cover.COVERED:
        return [
            Paragraph(
                text=Said(
                    "The tables form a cycle. The intervals hold also for an attacker who uses that none "
                    "of the {cells:,} {cells:cell|cells} of the joint table {dims} is below 0.",
                    cells=joint.cells,
                    dims=dims,
                )
            )
        ]
    why = (joint.gap or CoverGap.ASKED).words
    return [
        Paragraph(
            text=Said(
                "Limit: not used is that no cell of the joint table {dims} is below 0 ({why}). An attacker who uses "
                "it may find narrower intervals.",
                dims=dims,
                why=why,
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
        text = Said(
            "Not safe: whoever subtracts the tables estimates {narrow:,} of {unsafe:,} unsafe differences too closely.",
            narrow=len(narrow),
            unsafe=len(unsafe),
        )
    elif basis.condition:
        text = Said(
            "Promised if nobody contributes to a part and beside it, and the largest contributions are those named: "
            "whoever subtracts the tables estimates none of {unsafe:,} unsafe differences too closely. The records "
            "would tell it exactly.",
            unsafe=len(unsafe),
        )
    else:
        text = Said(
            "Safe: whoever subtracts the tables estimates none of {unsafe:,} unsafe differences too closely.",
            unsafe=len(unsafe),
        )
    tight = set(narrow)
    rows = tuple(
        (
            join_codes(table, cell),
            format_interval(audited, cell),
            Said("too narrow") if cell in tight else "",
        )
        for cell in unsafe[:LONGEST]
    )
    head = (Said("difference"), Said("interval"), "")
    blocks: list[Block] = [
        Heading(text=Said("The differences")),
        Banner(text=text, tone=Tone.BAD if narrow else Tone.GOOD),
    ]
    return [*blocks, TableBlock(head=head, rows=rows, numeric=(1,)), *rest_blocks(len(unsafe))] if rows else blocks
