"""What became of the cells of each column, for readers who may not see how the original is distributed."""

from __future__ import annotations

from collections.abc import Sequence

from sekisho.data.frame.release import Release
from sekisho.gate.names import translate_name
from sekisho.report.figures.card import FATES
from sekisho.report.kit.blocks import Block, Heading, TableBlock
from sekisho.report.kit.words import format_count
from sekisho.report.pages.before_after import count_fates
from sekisho.words import Said


def fates_table(release: Release, names: Sequence[str]) -> tuple[Block, ...]:
    """Return how many cells of each column were kept exactly, widened, suppressed or deleted."""
    kinds = [words for _, words, _ in FATES]
    rows = tuple(
        (translate_name(name), *map(format_count, count_fates(release.table.columns[name], release.deleted).counts))
        for name in names
    )
    table = TableBlock(
        head=(Said("column"), *kinds),
        rows=rows,
        caption=Said("What became of the cells of each column"),
        numeric=tuple(range(1, len(kinds) + 1)),
    )
    return (Heading(text=Said("columns|What became of the cells")), table)
