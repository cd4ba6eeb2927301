"""How easily the customers of a history were found in the original, and are in its release: counts that name nobody."""

from __future__ import annotations

from sekisho.gate.history.original_risk import HistoryRisk
from sekisho.gate.history.stage import HistoryCandidate
from sekisho.report.kit.blocks import Block, Heading, Paragraph, TableBlock
from sekisho.report.kit.words import Words, format_count, format_out_of, format_percent
from sekisho.words import Said, join_words

HEADING = Said("How easily people are found: before and now")


def change_blocks(before: HistoryRisk, now: HistoryCandidate) -> tuple[Block, ...]:
    """Return the risk of the original beside that of the release, in plain words first."""
    strongest = now.strongest
    alone, published = int((now.sharing == 1).sum()), len(now.sharing)
    rows: tuple[tuple[Words, ...], ...] = (
        (Said("customers"), format_count(before.customers), format_count(published)),
        (Said("have a row that nobody else has"), format_out_of(before.alone, before.customers), "–"),
        (Said("found for certain by three known rows, at least"), format_percent(before.found), "–"),
        (Said("alone with their published rows"), "–", format_out_of(alone, published)),
        (
            Said("found by the strongest attack"),
            "–",
            "–" if strongest is None else format_out_of(strongest.hits, published),
        ),
    )
    head = (Said("figure"), Said("original"), Said("release"))
    return (
        Heading(text=HEADING),
        Paragraph(text=join_words((_say_before(before), _say_now(alone, published)), " ")),
        TableBlock(head=head, rows=rows, numeric=(1, 2)),
    )


def _say_before(risk: HistoryRisk) -> Said:
    return Said(
        "Before, {alone:,} of {customers:,} customers had a row (a purchase, a visit) that nobody else had: whoever "
        "knew that one row found them for certain. Whoever knows three rows of a customer, drawn by chance, finds "
        "{found:.0%} of the customers for certain, or more.",
        alone=risk.alone,
        customers=risk.customers,
        found=risk.found,
    )


def _say_now(alone: int, published: int) -> Said:
    if alone:
        return Said(
            "Now {alone:,} of {published:,} are alone with their published rows.", alone=alone, published=published
        )
    return Said("Now nobody is alone: others are published with the very same rows.")
