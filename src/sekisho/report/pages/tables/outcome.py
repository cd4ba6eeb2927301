"""The report of a table at the gate: may its pattern leave, why not, what an outsider can derive, what was tried."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sekisho.gate.outcome import Certainty, Outcome, Verdict
from sekisho.gate.tables.candidate import TableCandidate
from sekisho.gate.tables.stage import TableStage
from sekisho.provenance import Provenance
from sekisho.report.kit.blocks import Banner, Block, Bullets, Heading, Paragraph, TableBlock, Tone
from sekisho.report.kit.edition import Edition, withhold_secrets
from sekisho.report.kit.words import Words, format_count
from sekisho.report.pages.tables.grid import format_value
from sekisho.report.pages.tables.page import table_blocks
from sekisho.report.pages.tables.rebuilt import rebuilt_blocks
from sekisho.report.pages.tables.stated import stated_blocks, tried_methods
from sekisho.report.pages.tables.story import Story
from sekisho.report.pages.tables.system import tell_system
from sekisho.report.pages.tables.verdict import optimum_facts
from sekisho.report.pages.verdicts.ending import TONES, WORDS
from sekisho.report.pages.verdicts.reasons import reason_blocks
from sekisho.report.pages.verdicts.standards import standard_blocks
from sekisho.report.pages.verdicts.standings import standing_blocks
from sekisho.report.pages.verdicts.tried import impossible_blocks, name_candidate, tell_choice
from sekisho.words import Said

TABLE_OUTCOME_TITLE = Said("Release report: a table")
OUTSIDER = Said("What an outsider can derive")
DERIVED = Said("What outsiders and insiders can derive")
UNTOLD = (
    *("limit exceeded", "hardly any use", "identifying column", "allowed column", "needless allowance"),
    *("people rebuilt", "certain people", "unfinished reconstruction"),
)
"""The rules whose reasons the page does not tell in its own words."""
UNCERTIFIED = Said(
    "This may be released by the recipe's policy: the audit found no unsafe cell estimated too closely, but no "
    "certificate proves it."
)
LEFT_TO_A_PERSON = Said(
    "Have this reviewed: attackers can derive or estimate what must stay hidden, and the policy of the recipe leaves "
    "the decision to a person."
)
PEOPLE_KNOWN = Said("Have this reviewed: some people of cells of few are known to whoever reads all tables together.")
BANNERS = {
    Verdict.RELEASE: Said(
        "This may be released: no attacker who knows the published cells and all equations estimates an unsafe cell "
        "too closely, and the certificate proves it."
    ),
    Verdict.REVIEW: Said("Have this reviewed: nothing was found that forbids it, but not everything is proven."),
    Verdict.REFUSE: Said("Do not release this pattern."),
}


def table_outcome_blocks(
    stage: TableStage,
    outcome: Outcome[TableCandidate],
    *,
    origin: tuple[Provenance, ...] = (),
    edition: Edition = Edition.CONFIDENTIAL,
) -> tuple[Block, ...]:
    """Return the best candidate's report, with the candidates beside one another.

    ``origin`` says what made the inputs. The public edition tells unsafe cells from those suppressed for them nowhere:
    not in the cells, not by their number, not by cost, rules or reasons.
    """
    best, public = outcome.best, edition is Edition.PUBLIC
    reasons = () if public else _list_reasons(best)
    steps = (*origin, _make_origin(stage, outcome), best.release.provenance)
    is_free = best.verdict is Verdict.RELEASE
    return (
        Banner(text=_tell_verdict(best), tone=Tone.WARN if best.cautions and is_free else TONES[best.verdict]),
        *(() if public else (_say_original_risk(best),)),
        *((Bullets(items=reasons),) if reasons else ()),
        *reason_blocks([each for each in best.reasons if each.rule in UNTOLD], edition=edition),
        *standing_blocks(best.statements, edition=edition),
        *(() if public else rebuilt_blocks(best.rebuilt)),
        *(() if public else tried_methods(outcome) if stage.methods else _tried(outcome)),
        *standard_blocks(stage.standards),
        *_tell_best(best, stage.names, withhold_secrets(steps, parameters=True) if public else steps, edition),
    )


def _tell_best(
    best: TableCandidate, names: Sequence[str], origin: Sequence[Provenance], edition: Edition
) -> tuple[Block, ...]:
    if best.release.made is not None:
        return stated_blocks(best, names, origin=origin, edition=edition)
    stories = _list_stories(best, names, public=edition is Edition.PUBLIC)
    return table_blocks([replace(story, edition=edition) for story in stories], origin=origin)


def _say_original_risk(best: TableCandidate) -> Paragraph:
    """Return how many cells of the original must not be shown; how many they are stays in the house."""
    return Paragraph(
        text=Said(
            "Before, {unsafe:,} of {cells:,} {cells:cell|cells} {unsafe:is|are} unsafe: published as "
            "they are, they would tell too much of those who stand behind them.",
            unsafe=int(best.score.detail["primary"]),
            cells=best.release.table.own,
        )
    )


def _tell_verdict(best: TableCandidate) -> Said:
    """Return the verdict in one sentence, with no more in it than is proven."""
    standing = best.statements[0].standing if best.statements else Certainty.PROVEN
    if (
        best.verdict is Verdict.REVIEW
        and standing is not Certainty.REFUTED
        and any(each.known for each in best.rebuilt)
    ):
        return PEOPLE_KNOWN
    if best.verdict is Verdict.RELEASE and standing is not Certainty.PROVEN:
        return UNCERTIFIED
    if best.verdict is Verdict.REVIEW and standing is Certainty.REFUTED:
        return LEFT_TO_A_PERSON
    if best.verdict is Verdict.RELEASE and best.against:
        return Said(
            "This may be released: no attacker who knows the published cells and all equations estimates an unsafe "
            "cell too closely, and the certificate proves it against {attackers}.",
            attackers=best.against,
        )
    return BANNERS[best.verdict]


def _list_reasons(candidate: TableCandidate) -> tuple[Said, ...]:
    """Return why the verdict is no better, with the figures of the gate's own reasons."""
    finding = candidate.finding
    leaking = len({cell for leak in finding.leaks for cell in leak.exposed})
    counted = (
        (
            len(finding.audit.narrow),
            Said("{cells:,} unsafe {cells:cell|cells} can be estimated too closely", cells=len(finding.audit.narrow)),
        ),
        (
            len(finding.disclosed),
            Said("{cells:,} suppressed {cells:cell|cells} can be derived exactly", cells=len(finding.disclosed))
            if finding.release is None
            else Said(
                "{cells:,} {cells:cell|cells} can be derived exactly from what is shown", cells=len(finding.disclosed)
            ),
        ),
        (
            len(finding.case.shown),
            Said("{cells:,} unsafe {cells:cell is|cells are} published", cells=len(finding.case.shown)),
        ),
        (
            leaking,
            Said(
                "{cells:,} unsafe {cells:cell|cells} can be estimated too closely by {coalition} "
                "{coalition:contributor|contributors} of another cell",
                cells=leaking,
                coalition=finding.coalition,
            ),
        ),
        (
            len(finding.audit.unsettled),
            Said("{cells:,} {cells:interval is|intervals are} not certain", cells=len(finding.audit.unsettled)),
        ),
    )
    texts = [text for count, text in counted if count]
    if finding.table.joint.overlooked:
        limit = Said("the joint table behind the tables was not used")
        texts.append(limit)
    if any(reason.rule == "certificate" for reason in candidate.reasons):
        texts.append(Said("no valid certificate proves the pattern"))
    return tuple(texts)


def _list_stories(best: TableCandidate, names: Sequence[str], *, public: bool) -> Sequence[Story]:
    """Return what is told of a table; of several first all of them together, then each, to the public each alone."""
    joint, system = _make_story(best), best.finding.system
    stories = tell_system(system, best.finding.audit, joint, names).stories
    return stories[1:] if public and len(system.parts) > 1 else stories


def _make_story(candidate: TableCandidate) -> Story:
    finding, answer, certificate = candidate.finding, candidate.release.answer, candidate.release.certificate
    facts = (
        ()
        if answer is None
        else optimum_facts(
            cost=answer.last.cost,
            bound=answer.last.bound,
            gap=answer.last.gap,
            optimal=answer.optimal,
            seconds=answer.last.seconds,
            certified=None if certificate is None else certificate.bound,
            choice=answer.choice,
        )
    )
    return Story(
        audited=finding.audit,
        disclosed=finding.disclosed,
        narrow=finding.audit.narrow,
        name=DERIVED if finding.coalition else OUTSIDER,
        answer=facts,
        insiders=finding.coalition,
        exposed=np.unique(np.array([cell for leak in finding.leaks for cell in leak.exposed], dtype=np.intp)),
        whole=finding.whole,
    )


def _tried(outcome: Outcome[TableCandidate]) -> tuple[Block, ...]:
    head: tuple[Words, ...] = (
        Said("search"),
        Said("cost"),
        Said("unsafe (P)"),
        Said("suppressed to protect them (S)"),
        Said("verdict"),
    )
    rows = tuple(
        (
            name_candidate(outcome, each),
            format_value(each.score.value),
            format_count(int(each.score.detail["primary"])),
            format_count(int(each.score.detail["secondary"])),
            WORDS[each.verdict],
        )
        for each in outcome.candidates
    )
    return (
        Heading(text=Said("What was tried")),
        Paragraph(text=tell_choice(outcome)),
        TableBlock(head=head, rows=rows, numeric=(1, 2, 3)),
        *impossible_blocks(outcome.impossible),
    )


def _make_origin(stage: TableStage, outcome: Outcome[TableCandidate]) -> Provenance:
    return Provenance(
        name="gate",
        parameters={
            "searches": [each.label for each in outcome.candidates],
            "insiders": stage.considered,
            "whole": stage.whole,
        },
    )
