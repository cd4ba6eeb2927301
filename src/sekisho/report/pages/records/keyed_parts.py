"""What both pages of keyed records tell alike: of those in memory, and of those whose rows stayed with an engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from sekisho.gate.names import translate_name
from sekisho.gate.outcome import Outcome, Verdict
from sekisho.gate.recipes.keys import Standard
from sekisho.gate.records.keys_judge import KeyedCandidate
from sekisho.gate.records.recipe import RecordsRecipe
from sekisho.provenance import Provenance
from sekisho.report.figures.axes import Axis
from sekisho.report.kit.blocks import Block, Facts, Fold, Heading, Origin
from sekisho.report.kit.edition import Edition, withhold_secrets
from sekisho.report.kit.words import Words, format_count, format_decimal, format_percent
from sekisho.report.pages.verdicts.ending import WORDS
from sekisho.report.pages.verdicts.standards import standard_blocks
from sekisho.report.pages.verdicts.tried import draw_tried, name_candidate, tried_blocks
from sekisho.words import Said

if TYPE_CHECKING:  # engines, which are loaded where there is work for them
    from sekisho.gate.counted.records import CountedRecords

    KeyedOutcome: TypeAlias = Outcome[KeyedCandidate] | Outcome[CountedRecords]

BANNERS = {
    Verdict.RELEASE: Said(
        "This may be released: everything that was asked for holds, and none of the attacks found more people than are "
        "allowed."
    ),
    Verdict.REVIEW: Said("Have this reviewed: nothing forbids it, but a person must look at the reasons below."),
    Verdict.REFUSE: Said("Do not release this, for the reasons below."),
}


def list_facts(
    keys: Sequence[str], sensitive: Sequence[str], *more: tuple[Words, Words], rows: tuple[Words, Words], label: str
) -> Facts:
    """Return what the release is of: its keys, what stays hidden, how many rows are left, by which method."""
    hidden = [(Said("column|sensitive"), ", ".join(sensitive))] if sensitive else []
    return Facts(pairs=((Said("keys"), ", ".join(keys)), *hidden, rows, (Said("method"), translate_name(label)), *more))


def show_tried(outcome: KeyedOutcome, edition: Edition, *, found: Said, axis: Said) -> tuple[Block, ...]:
    """Return the candidates beside one another.

    Args:
        outcome: with all of them.
        edition: of the page.
        found: what their risk is called in the table.
        axis: the same below the picture.
    """
    rows = tuple(
        (
            name_candidate(outcome, each),
            format_decimal(each.score.value, 4),
            format_percent(each.risk),
            format_count(each.k),
            WORDS[each.verdict],
        )
        for each in outcome.candidates
    )
    picture = draw_tried(
        outcome,
        [each.risk for each in outcome.candidates],
        x=Axis(label=Said("loss (less is better)"), low=0.0),
        y=Axis(label=axis, low=0.0),
    )
    head = (Said("method"), Said("loss"), found, "k", Said("verdict"))
    return tried_blocks(outcome, (head, *rows), picture, edition)


def tell_keyed_origin(
    recipe: RecordsRecipe, keys: Sequence[str], sensitive: Sequence[str], outcome: KeyedOutcome
) -> Provenance:
    """Return what made the outcome."""
    by = {"adversaries": list(recipe.adversaries)} if recipe.choice is None else {"engine": recipe.choice.engine.value}
    return Provenance(
        name="gate",
        parameters={
            "methods": list(recipe.methods),
            **by,
            "keys": list(keys),
            "sensitive": list(sensitive),
            "guarantees": recipe.guarantees.tell(),
            "risk": recipe.allowed,
        },
        seed=outcome.seed.value,
    )


def closing_blocks(standards: Sequence[Standard], steps: Sequence[Provenance], edition: Edition) -> tuple[Block, ...]:
    """Return the end of a page of records: standards beside what was done, and what made it."""
    shown = tuple(steps) if edition is Edition.CONFIDENTIAL else withhold_secrets(steps)
    return (
        *standard_blocks(standards),
        Heading(text=Said("Provenance")),
        Fold(summary=Said("What made this report, to run it again"), blocks=(Origin(steps=shown),)),
    )
