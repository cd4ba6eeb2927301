"""What is known best of each cell of a table with keyed noise."""

from __future__ import annotations

from collections.abc import Callable

from sekisho.report.kit.blocks import Block, Paragraph, TableBlock
from sekisho.report.kit.words import Words, format_count
from sekisho.tables.model.table import Table
from sekisho.tables.perturb.evidence import CellEvidence
from sekisho.words import Said

MOST_ROWS = 200


def posterior_blocks(table: Table, evidence: CellEvidence, tell_cell: Callable[[int], tuple[str, str]]) -> list[Block]:
    """Return the likeliest count of the cells that are known best, and the equation that tells most of each.

    Args:
        table: the cells and equations.
        evidence: the posteriors.
        tell_cell: gives what is shown of a cell, and the interval in which it must lie.
    """
    rows: list[tuple[Words, ...]] = []
    for cell in evidence.order[:MOST_ROWS].tolist():
        row = int(evidence.equation[cell])
        rows.append(
            (
                table.named(cell),
                *tell_cell(cell),
                format_count(int(evidence.count[cell])),
                f"{evidence.chance[cell]:.4f}",
                Said("the number by itself") if row < 0 else table.equations[row],
            )
        )
    head = (
        Said("cell"),
        Said("shown"),
        Said("possible"),
        Said("likeliest"),
        Said("chance"),
        Said("by the equation"),
    )
    blocks: list[Block] = [
        Paragraph(text=evidence.tell()),
        TableBlock(head=head, rows=tuple(rows), numeric=(1, 2, 3, 4)),
    ]
    left = len(evidence.order) - MOST_ROWS
    if left > 0:
        blocks.append(Paragraph(text=Said("{left:,} further {left:cell is|cells are} known less surely.", left=left)))
    return blocks
