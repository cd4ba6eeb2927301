"""The report of a history at the gate whose rows stayed with an engine: the page of those in memory, without attacks.

What needs every row beside its release (attacks, what they found, columns before and after) is not on it, and it says
so. What was counted instead is who publishes the same rows.
"""

from __future__ import annotations

import numpy as np

from sekisho.gate.counted.history import CountedHistory, CountedHistoryStage
from sekisho.gate.names import translate_name
from sekisho.gate.outcome import Outcome, Verdict
from sekisho.provenance import Provenance
from sekisho.report.figures.axes import Axis
from sekisho.report.kit.blocks import Banner, Block, Facts, Paragraph
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.words import Words, format_count, format_decimal, format_out_of, format_percent
from sekisho.report.pages.history.attacks import claim_blocks
from sekisho.report.pages.history.release import error_blocks, sharing_blocks
from sekisho.report.pages.records.keyed_parts import closing_blocks
from sekisho.report.pages.verdicts.ending import TONES, WORDS
from sekisho.report.pages.verdicts.reasons import reason_blocks
from sekisho.report.pages.verdicts.tried import draw_tried, name_candidate, tried_blocks
from sekisho.words import Said

UNATTACKED = Said(
    "Nobody attacked this release: its rows stayed with an engine, and attacks need every row beside its release. Who "
    "publishes the very same rows was counted instead: such people cannot be told apart by anybody, so on average "
    "nobody names more of them rightly than there are classes."
)
BANNERS = {
    Verdict.RELEASE: Said(
        "This may be released: the safety claim is proven for everybody, if the pseudonyms were drawn at random."
    ),
    Verdict.REVIEW: Said("Have this reviewed, for the reasons below."),
    Verdict.REFUSE: Said("Do not release this, for the reasons below."),
}


def counted_history_blocks(
    stage: CountedHistoryStage,
    outcome: Outcome[CountedHistory],
    *,
    origin: tuple[Provenance, ...] = (),
    edition: Edition = Edition.CONFIDENTIAL,
) -> tuple[Block, ...]:
    """Return the best candidate's report; the public edition shows no seed or digest."""
    best, recipe = outcome.best, stage.recipe
    engine = "" if recipe.choice is None else recipe.choice.engine.value
    parameters = {"methods": list(recipe.methods), "engine": engine, "bound": str(recipe.bound)}
    made = Provenance(name="gate", parameters=parameters, seed=outcome.seed.value)
    return (
        Banner(text=BANNERS[best.verdict], tone=TONES[best.verdict]),
        *reason_blocks(best.reasons, edition=edition),
        Paragraph(text=UNATTACKED),
        *claim_blocks(best.claim, _list_counted(best), str(recipe.rules.verdict.p)),
        _list_facts(best, engine),
        *_show_tried(outcome, edition),
        *error_blocks(best.score),
        *sharing_blocks(np.repeat(best.sizes, best.sizes)),
        *closing_blocks(recipe.standards, (*origin, made, best.release.provenance), edition),
    )


def _list_counted(best: CountedHistory) -> list[tuple[Words, ...]]:
    """Return what was counted in place of attacks."""
    share = (
        Said("whoever knows everybody's rows"),
        Said("names {share} of the people rightly at most, on average", share=format_percent(best.risk)),
        Said(
            "{classes:,} {classes:class|classes} of {people:,} {people:person|people}",
            classes=len(best.sizes),
            people=best.people,
        ),
    )
    sure = best.sure
    if sure is None:
        return [share]
    answer = Said("sentence|refuted") if sure.refutes else Said("does not refute it")
    figures = Said(
        "right {classes:,} times of {people:,}, for certain; {threshold:,} refute",
        classes=sure.classes,
        people=sure.people,
        threshold=sure.threshold,
    )
    named = Said("one member named for all of each class of at most {size}", size=sure.size)
    return [share, (named, answer, figures)]


def _list_facts(best: CountedHistory, engine: str) -> Facts:
    pairs: list[tuple[Words, Words]] = [
        (Said("customers published"), format_count(best.people)),
        (Said("rows published"), format_out_of(best.release.kept, best.release.records)),
        (Said("method"), translate_name(best.label)),
        (Said("error U (0 = unchanged; less is better)"), format_decimal(best.score.value, 4)),
        (Said("engine"), engine),
    ]
    if len(best.sizes):
        pairs.append((Said("fewest customers with one history"), format_count(int(best.sizes.min()))))
    return Facts(pairs=tuple(pairs))


def _show_tried(outcome: Outcome[CountedHistory], edition: Edition) -> tuple[Block, ...]:
    head = (
        Said("method"),
        Said("error U"),
        Said("named rightly at most"),
        Said("fewest with one history"),
        Said("verdict"),
    )
    rows = tuple(
        (
            name_candidate(outcome, each),
            format_decimal(each.score.value, 4),
            format_percent(each.risk),
            format_count(int(each.sizes.min())) if len(each.sizes) else "–",
            WORDS[each.verdict],
        )
        for each in outcome.candidates
    )
    picture = draw_tried(
        outcome,
        [each.risk for each in outcome.candidates],
        x=Axis(label=Said("error U (less is better)")),
        y=Axis(label=Said("share of customers that anybody names rightly at most"), low=0.0),
    )
    return tried_blocks(outcome, (head, *rows), picture, edition)
