"""The report of records at the gate whose rows stayed with an engine: the page of those in memory, without attacks.

What needs every record beside its release (attacks, losses cell by cell) is not on it, and it says so.
"""

from __future__ import annotations

from sekisho.gate.counted.records import CountedRecords, CountedRecordsStage
from sekisho.gate.outcome import Outcome
from sekisho.gate.records.engine.found_bound import BoundGround
from sekisho.gate.records.known_part import KnownPartAttack
from sekisho.provenance import Provenance
from sekisho.report.kit.blocks import Banner, Block, Facts, Figure, Heading, Paragraph
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.words import Words, format_out_of, format_percent
from sekisho.report.pages.records.keyed_parts import (
    BANNERS,
    closing_blocks,
    list_facts,
    show_tried,
    tell_keyed_origin,
)
from sekisho.report.pages.risk.counted_protection import LEFT_OUT, list_measures, say_left_out, show_columns
from sekisho.report.pages.risk.protection import draw_both_sizes, explain_sizes, risk_table
from sekisho.report.pages.verdicts.ending import TONES
from sekisho.report.pages.verdicts.reasons import reason_blocks
from sekisho.report.pages.verdicts.standings import standing_blocks
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

FOUND = {
    BoundGround.PEOPLE: Said("found by the keys at most, by counting"),
    BoundGround.NAMED: Said("right of those named by the keys, at most, by counting"),
    BoundGround.PROMISED: Said("found at most, as promised"),
}


def counted_outcome_blocks(
    stage: CountedRecordsStage,
    outcome: Outcome[CountedRecords],
    *,
    origin: tuple[Provenance, ...] = (),
    edition: Edition = Edition.CONFIDENTIAL,
) -> tuple[Block, ...]:
    """Return the best candidate's report; the public edition shows no figure of the original, seed or digest."""
    best = outcome.best
    made = tell_keyed_origin(stage.recipe, stage.keys, stage.sensitive, outcome)
    steps = (*origin, made, best.release.provenance)
    own = edition is Edition.CONFIDENTIAL
    return (
        Banner(text=BANNERS[best.verdict] if best.reasons else MAY_LEAVE, tone=TONES[best.verdict]),
        *reason_blocks(best.reasons, edition=edition),
        _tell_attacks(best.known_part),
        *standing_blocks(best.statements, edition=edition),
        _list_facts(stage, best),
        *(_show_risk(best) if own else ()),
        *show_tried(
            outcome,
            edition,
            found=Said("found by the keys at most"),
            axis=Said("largest share of people that the keys can give away"),
        ),
        *(_show_columns(best) if own else ()),
        *closing_blocks(stage.recipe.standards, steps, edition),
    )


def _list_facts(stage: CountedRecordsStage, best: CountedRecords) -> Facts:
    bound, choice = best.bound, stage.recipe.choice
    more: list[tuple[Words, Words]] = [(FOUND[bound.ground], format_percent(bound.share))]
    if choice is not None:
        more.append((Said("engine"), choice.engine.value))
    rows = (Said("records released"), format_out_of(best.release.kept, best.release.records))
    return list_facts(stage.keys, stage.sensitive, *more, rows=rows, label=best.label)


def _tell_attacks(tried: KnownPartAttack | None) -> Paragraph:
    """Return who attacked: nobody, but of a sample the one against whom it was drawn."""
    if tried is None:
        return Paragraph(text=UNATTACKED)
    return Paragraph(
        text=Said(
            "Nobody looked for people by their keys: the rows stayed with an engine, and such attacks "
            "need every record beside its release. What none of them can exceed was counted instead. "
            "Whom the sample was drawn against did attack: knowing {known:,} {known:record|records}, "
            "drawn by chance {draws} {draws:time|times}, he named {hits:,} of {trials:,} rightly.",
            known=tried.known,
            draws=tried.draws,
            hits=tried.rate.hits,
            trials=tried.rate.trials,
        )
    )


def _show_risk(best: CountedRecords) -> tuple[Block, ...]:
    before, after = best.figures.before, best.figures.after
    return (
        Heading(text=Said("Risk before and after")),
        risk_table(before, after),
        Figure(picture=draw_both_sizes(before, after), caption=explain_sizes()),
    )


def _show_columns(best: CountedRecords) -> tuple[Block, ...]:
    figures = best.figures
    return (
        Heading(text=Said("Use before and after")),
        Paragraph(text=LEFT_OUT),
        *list_measures(figures),
        *say_left_out(figures.left_out),
        show_columns(figures.columns),
    )
