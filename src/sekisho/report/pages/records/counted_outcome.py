"""The report of records at the gate whose rows stayed with an engine: the page of those in memory, without attacks.

What needs every record beside its release (attacks, losses cell by cell) is not on it, and it says so.
"""

from __future__ import annotations

from sekisho.gate.counted_stage import CountedCandidate, CountedStage
from sekisho.gate.names import translate_name
from sekisho.gate.outcome import Outcome
from sekisho.provenance import Provenance
from sekisho.report.figures.axes import Axis
from sekisho.report.figures.lines import Mark, Scatter
from sekisho.report.kit.blocks import Banner, Block, Facts, Figure, Fold, Heading, Origin, Paragraph, TableBlock
from sekisho.report.kit.edition import Edition, withhold_secrets
from sekisho.report.kit.words import Words, format_count, format_decimal, format_out_of, format_percent
from sekisho.report.pages.records.keyed_outcome import BANNERS
from sekisho.report.pages.risk.counted_protection import LEFT_OUT, list_measures, say_left_out, show_columns
from sekisho.report.pages.risk.protection import draw_both_sizes, explain_sizes, risk_table
from sekisho.report.pages.verdicts.ending import TONES, WORDS
from sekisho.report.pages.verdicts.reasons import reason_blocks
from sekisho.report.pages.verdicts.standards import standard_blocks
from sekisho.report.pages.verdicts.standings import standing_blocks
from sekisho.report.pages.verdicts.tried import impossible_blocks, name_candidate, tell_choice
from sekisho.words import Said

UNATTACKED = Said(
    "Nobody attacked this release: its rows stayed with an engine, and attacks need every record beside its release. "
    "What no attack by the keys can exceed was counted instead: rows that are written alike cannot be told apart by "
    "their keys, so of all people at most as many are found, on average, as there are classes."
)
MAY_LEAVE = Said(
    "This may be released: everything that was asked for holds, and by their keys no more people can be found than are "
    "allowed."
)


def counted_outcome_blocks(
    stage: CountedStage,
    outcome: Outcome[CountedCandidate],
    *,
    origin: tuple[Provenance, ...] = (),
    edition: Edition = Edition.CONFIDENTIAL,
) -> tuple[Block, ...]:
    """Return the best candidate's report; the public edition shows no figure of the original, seed or digest."""
    best = outcome.best
    steps = (*origin, _tell_origin(stage, outcome), best.release.provenance)
    own = edition is Edition.CONFIDENTIAL
    return (
        Banner(text=BANNERS[best.verdict] if best.reasons else MAY_LEAVE, tone=TONES[best.verdict]),
        *reason_blocks(best.reasons, edition=edition),
        Paragraph(text=UNATTACKED),
        *standing_blocks(best.statements, edition=edition),
        _list_facts(stage, best),
        *(_show_risk(best) if own else ()),
        *_show_tried(outcome, edition),
        *(_show_columns(best) if own else ()),
        *standard_blocks(stage.recipe.standards),
        Heading(text=Said("Provenance")),
        Fold(
            summary=Said("What made this report, to run it again"),
            blocks=(Origin(steps=steps if own else withhold_secrets(steps)),),
        ),
    )


def _list_facts(stage: CountedStage, best: CountedCandidate) -> Facts:
    pairs: list[tuple[Words, Words]] = [
        (Said("keys"), ", ".join(stage.keys)),
        (Said("records released"), format_out_of(best.release.kept, best.release.records)),
        (Said("method"), translate_name(best.label)),
        (Said("found by the keys at most, by counting"), format_percent(best.risk)),
    ]
    if stage.sensitive:
        pairs.insert(1, (Said("column|sensitive"), ", ".join(stage.sensitive)))
    if stage.recipe.choice is not None:
        pairs.append((Said("engine"), stage.recipe.choice.engine.value))
    return Facts(pairs=tuple(pairs))


def _show_risk(best: CountedCandidate) -> tuple[Block, ...]:
    before, after = best.figures.before, best.figures.after
    return (
        Heading(text=Said("Risk before and after")),
        risk_table(before, after),
        Figure(picture=draw_both_sizes(before, after), caption=explain_sizes()),
    )


def _show_tried(outcome: Outcome[CountedCandidate], edition: Edition) -> tuple[Block, ...]:
    rows = tuple(
        (
            name_candidate(outcome, each),
            format_decimal(each.score.value, 4),
            format_percent(each.risk),
            format_count(each.figures.after.k),
            WORDS[each.verdict],
        )
        for each in outcome.candidates
    )
    head = (Said("method"), Said("loss"), Said("found by the keys at most"), "k", Said("verdict"))
    picture = Scatter(
        title=Said("Utility and safety of what was tried"),
        desc=Said("{rows} candidates; to the left is more useful, further down is safer.", rows=len(rows)),
        x=Axis(label=Said("loss (less is better)"), low=0.0),
        y=Axis(label=Said("largest share of people that the keys can give away"), low=0.0),
        points=tuple(
            Mark(name=translate_name(each.label), x=each.score.value, y=each.risk, tone=TONES[each.verdict])
            for each in outcome.candidates
        ),
        front=True,
    )
    return (
        Heading(text=Said("ways|What was tried")),
        Paragraph(text=tell_choice(outcome)),
        TableBlock(head=head, rows=rows, numeric=(1, 2, 3)),
        *((Figure(picture=picture),) if len(rows) > 1 else ()),
        *impossible_blocks(outcome.impossible, edition=edition),
    )


def _show_columns(best: CountedCandidate) -> tuple[Block, ...]:
    figures = best.figures
    return (
        Heading(text=Said("Use before and after")),
        Paragraph(text=LEFT_OUT),
        *list_measures(figures),
        *say_left_out(figures.left_out),
        show_columns(figures.columns),
    )


def _tell_origin(stage: CountedStage, outcome: Outcome[CountedCandidate]) -> Provenance:
    recipe = stage.recipe
    return Provenance(
        name="gate",
        parameters={
            "methods": list(recipe.methods),
            "keys": list(stage.keys),
            "sensitive": list(stage.sensitive),
            "guarantees": recipe.guarantees.tell(),
            "risk": recipe.allowed,
            "engine": "" if recipe.choice is None else recipe.choice.engine.value,
        },
        seed=outcome.seed.value,
    )
