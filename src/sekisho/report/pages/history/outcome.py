"""The report of a whole journey: the candidate to choose in full, and beside it the others that were tried."""

from __future__ import annotations

from dataclasses import replace

from sekisho.gate.history.original_risk import measure_original_risk
from sekisho.gate.history.stage import HistoryCandidate, HistoryStage
from sekisho.gate.names import translate_name
from sekisho.gate.outcome import Outcome
from sekisho.provenance import Provenance, list_parameters
from sekisho.report.figures.axes import Axis
from sekisho.report.figures.lines import Mark
from sekisho.report.figures.scatter import Scatter
from sekisho.report.kit.blocks import Block, Facts, Figure, Heading, Paragraph, TableBlock
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.words import Words, format_decimal, format_out_of
from sekisho.report.pages.history.change import change_blocks
from sekisho.report.pages.history.release import HistoryCase, history_blocks, history_title
from sekisho.report.pages.verdicts.ending import TONES, WORDS
from sekisho.report.pages.verdicts.standards import standard_blocks
from sekisho.report.pages.verdicts.tried import impossible_blocks, name_candidate, tell_choice
from sekisho.words import Said


def outcome_title(stage: HistoryStage) -> Said:
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
    several = len(outcome.candidates) > 1
    return (
        Heading(text=Said("ways|What was tried")),
        Paragraph(text=tell_choice(outcome)),
        _tabulate_candidates(outcome),
        *((Figure(picture=_draw_candidates(case, outcome)),) if several else ()),
        *impossible_blocks(outcome.impossible, edition=case.edition),
    )


def _tabulate_candidates(outcome: Outcome[HistoryCandidate]) -> TableBlock:
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
    return TableBlock(head=head, rows=tuple(rows), numeric=(1, 2, 3))


def _draw_candidates(case: HistoryCase, outcome: Outcome[HistoryCandidate]) -> Scatter:
    marks = [
        Mark(
            name=translate_name(candidate.label),
            x=candidate.score.value,
            y=max((attempt.hits for attempt in candidate.attempts), default=0) / case.people,
            tone=TONES[candidate.verdict],
        )
        for candidate in outcome.candidates
    ]
    return Scatter(
        title=Said("Utility and safety of what was tried"),
        desc=Said("{candidates} candidates; to the left is more useful, further down is safer.", candidates=len(marks)),
        x=Axis(label=Said("error U (less is better)")),
        y=Axis(label=Said("largest share of customers found by an attack"), low=0.0),
        points=tuple(marks),
        front=True,
    )
