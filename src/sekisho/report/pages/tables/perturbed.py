"""The page of a table with keyed noise: what changed, what a difference proves, what is known best of each cell."""

from __future__ import annotations

import numpy as np

from sekisho.provenance import Provenance
from sekisho.report.kit.blocks import Banner, Block, Facts, Heading, Origin, Paragraph, TableBlock, Tone
from sekisho.report.kit.words import Words, format_count
from sekisho.tables.perturb.evidence import SURE, CellEvidence, DifferenceFigures
from sekisho.tables.perturb.finding import NoiseFinding
from sekisho.words import Said

PERTURBED = Said("Counts with keyed noise")
MOST_ROWS = 200


def perturbed_blocks(finding: NoiseFinding, origin: Provenance) -> tuple[Block, ...]:
    """Return the page; the true counts are not on it, figures about them are."""
    perturbed = finding.perturbed
    banners = [Banner(text=reason, tone=Tone.WARN) for reason in finding.reasons]
    good = Said("No cell is known exactly by statements and equations. Promised against knowledge of the rule only.")
    facts = Facts(
        pairs=(
            (Said("cells"), format_count(len(perturbed.shown))),
            (Said("cells that show another number"), format_count(perturbed.changed)),
            (Said("largest change"), format_count(perturbed.largest_change)),
            (Said("cells with somebody in them that show 0"), format_count(perturbed.false_zeros)),
        )
    )
    blocks: list[Block] = [*(banners or [Banner(text=good, tone=Tone.GOOD)]), facts]
    blocks += [Heading(text=Said("What a difference proves")), Paragraph(text=tell_difference(finding.difference))]
    if finding.evidence is not None:
        blocks += [Heading(text=Said("What is known best of each cell")), *_list_posteriors(finding, finding.evidence)]
    if finding.guesses:
        blocks += [Heading(text=Said("Two cells and their total")), _compare_schemes(finding)]
    return (*blocks, Heading(text=Said("How this was made")), Origin(steps=(origin,)))


def tell_difference(difference: DifferenceFigures) -> Said:
    """Say what two shown numbers prove whose people differ by one or by nobody."""
    return Said(
        "two cells whose people differ by one person show different numbers with chance {proves:.3f}, which proves "
        "that somebody is in the difference; equal numbers speak for nobody by a factor of {factor:.1f}",
        proves=float(1 - difference.same),
        factor=float(1 / difference.same) if difference.same else float("inf"),
    )


def tell_posterior(evidence: CellEvidence) -> Said:
    """Say how well the cells are known."""
    known, sure = int((evidence.possible == 1).sum()), int((evidence.chance > SURE).sum())
    mean = float(evidence.chance.mean())
    if evidence.exact:
        return Said(
            "the likeliest count of a cell has chance {mean:.3f} on the average; {sure:,} above 0.9, {known:,} certain "
            "(exact)",
            mean=mean,
            sure=sure,
            known=known,
        )
    return Said(
        "the likeliest count of a cell has chance {mean:.3f} on the average, one equation at a time; {sure:,} above "
        "0.9, {known:,} certain (a bound: who uses all equations jointly may know more)",
        mean=mean,
        sure=sure,
        known=known,
    )


def _list_posteriors(finding: NoiseFinding, evidence: CellEvidence) -> list[Block]:
    perturbed, audit = finding.perturbed, finding.audit
    table = perturbed.table
    order = np.argsort(-evidence.chance, kind="stable")[:MOST_ROWS]
    rows: list[tuple[Words, ...]] = []
    for cell in order.tolist():
        row = int(evidence.equation[cell])
        interval = "–" if audit is None else f"{audit.low[cell]:g} – {audit.high[cell]:g}"
        rows.append(
            (
                table.named(cell),
                format_count(int(perturbed.shown[cell])),
                interval,
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
        Paragraph(text=tell_posterior(evidence)),
        TableBlock(head=head, rows=tuple(rows), numeric=(1, 2, 3, 4)),
    ]
    if len(table) > MOST_ROWS:
        left = Said("{left:,} further cells are known less surely.", left=len(table) - MOST_ROWS)
        blocks.append(Paragraph(text=left))
    return blocks


def _compare_schemes(finding: NoiseFinding) -> TableBlock:
    rows: tuple[tuple[Words, ...], ...] = tuple(
        (scheme.value, f"{each.right:.3f}", f"{each.sure:.3f}", f"{each.certain:.4f}")
        for scheme, each in finding.guesses.items()
    )
    head = (Said("keys"), Said("guessed rightly"), Said("surer than 0.9"), Said("certain"))
    return TableBlock(head=head, rows=rows, numeric=(1, 2, 3))
