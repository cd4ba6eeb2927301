"""The report of a whole journey: the candidate to choose in full, and beside it the others that were tried.

How easily the customers of a history were found in the original, and are in its release: counts that name nobody.
"""

from __future__ import annotations

from dataclasses import replace

from sekisho.gate.counted.history import CountedHistoryStage
from sekisho.gate.history.original_risk import HistoryRisk, measure_original_risk
from sekisho.gate.history.stage import HistoryCandidate, HistoryStage
from sekisho.gate.outcome import Outcome
from sekisho.provenance import Provenance, list_parameters
from sekisho.report.figures.axes import Axis
from sekisho.report.kit.blocks import Block, Facts, Heading, Paragraph, TableBlock
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.words import Words, format_count, format_decimal, format_out_of, format_percent
from sekisho.report.pages.history.release import HistoryCase, history_blocks, history_title
from sekisho.report.pages.verdicts.ending import WORDS
from sekisho.report.pages.verdicts.standards import standard_blocks
from sekisho.report.pages.verdicts.tried import draw_tried, kept_blocks, name_candidate, tried_blocks
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
        "Before, {alone:,} of {customers:,} {customers:customer|customers} had a row (a purchase, a "
        "visit) that nobody else had: whoever knew that one row found them for certain. Whoever knows "
        "three rows of a customer, drawn by chance, finds {found:.0%} of the customers for certain, or "
        "more.",
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


def outcome_title(stage: HistoryStage | CountedHistoryStage) -> Said:
    """Return the report's title."""
    return history_title(stage.recipe.called)


def outcome_blocks(
    stage: HistoryStage,
    outcome: Outcome[HistoryCandidate],
    *,
    origin: tuple[Provenance, ...] = (),
    edition: Edition = Edition.CONFIDENTIAL,
) -> tuple[Block, ...]:
    """Return the best candidate's report, with the candidates beside one another.

    ``origin`` tells what made the inputs; the public edition names no customer and shows no row.
    """
    case = replace(make_case(stage, outcome, outcome.best, origin=origin), edition=edition)
    banner, *rest = history_blocks(case)
    risk = change_blocks(measure_original_risk(stage.original), outcome.best)
    *blocks, last = banner, *risk, *rest
    place = next(at for at, block in enumerate(blocks) if isinstance(block, Facts)) + 1
    return (
        *blocks[:place],
        *_candidates(case, outcome),
        *kept_blocks(outcome.best.kept, edition=edition),
        *blocks[place:],
        *standard_blocks(stage.recipe.standards),
        last,
    )


def make_case(
    stage: HistoryStage,
    outcome: Outcome[HistoryCandidate],
    candidate: HistoryCandidate,
    *,
    origin: tuple[Provenance, ...] = (),
) -> HistoryCase:
    """Return one candidate of a journey as the report tells it."""
    recipe = stage.recipe
    journey = Provenance(
        name="gate",
        parameters={
            "methods": list(recipe.methods),
            "adversaries": list(recipe.adversaries),
            "bound": str(recipe.bound),
        },
        seed=outcome.seed.value,
    )
    attacks = tuple(
        Provenance(name=f"{label} (attack)", parameters=list_parameters(adversary))
        for label, adversary in recipe.adversaries.items()
    )
    return HistoryCase(
        rules=recipe.rules,
        original=stage.original,
        candidate=candidate,
        bound=recipe.bound,
        origin=(*origin, journey, candidate.release.provenance, *attacks),
    )


def _candidates(case: HistoryCase, outcome: Outcome[HistoryCandidate]) -> tuple[Block, ...]:
    found = [max((attempt.hits for attempt in each.attempts), default=0) / case.people for each in outcome.candidates]
    picture = draw_tried(
        outcome,
        found,
        x=Axis(label=Said("error U (less is better)")),
        y=Axis(label=Said("largest share of customers found by an attack"), low=0.0),
    )
    return tried_blocks(outcome, _tabulate_candidates(outcome), picture, case.edition)


def _tabulate_candidates(outcome: Outcome[HistoryCandidate]) -> tuple[tuple[Words, ...], ...]:
    rows: list[tuple[Words, ...]] = []
    for candidate in outcome.candidates:
        strongest = candidate.strongest
        hits, claimed = (strongest.hits, strongest.claimed) if strongest else (0, 0)
        rows.append(
            (
                name_candidate(outcome, candidate),
                format_decimal(candidate.score.value, 4),
                format_out_of(hits, claimed),
                str(int(candidate.sharing.min())) if len(candidate.sharing) else "–",
                WORDS[candidate.verdict],
            )
        )
    attack, fewest = Said("strongest attack: rightly named"), Said("fewest with one history")
    head = (Said("method"), Said("error U"), attack, fewest, Said("verdict"))
    return (head, *rows)
