"""The report of records at the gate: may they leave, what is proven of them, who is found, what was tried and lost.

One page; whoever judged the release says what stands between its banner and its provenance.
"""

from __future__ import annotations

from typing import cast

from sekisho.gate.counted.records import CountedRecordsStage
from sekisho.gate.names import name_label, translate_name
from sekisho.gate.outcome import Outcome, Verdict
from sekisho.gate.records.candidate import AnyRecordsCandidate
from sekisho.gate.records.keys_judge import KeyedCandidate, KeysJudge
from sekisho.gate.records.stage import RecordsStage
from sekisho.gate.records.test_sets import RiskCandidate, RiskJudge
from sekisho.provenance import Provenance, list_parameters
from sekisho.report.kit.blocks import Banner, Block, Bullets, Heading, Paragraph, Tone
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.words import Words, format_decimal
from sekisho.report.pages.records.keyed_outcome import keyed_sections
from sekisho.report.pages.records.keyed_parts import closing_blocks, tell_keyed_origin
from sekisho.report.pages.records.plan import condition_limit, condition_table, frontier_figure, risk_table
from sekisho.report.pages.verdicts.ending import TONES, WORDS
from sekisho.report.pages.verdicts.reasons import reason_blocks
from sekisho.report.pages.verdicts.standings import standing_blocks
from sekisho.report.pages.verdicts.tried import name_candidate, tried_blocks
from sekisho.utility.records.conditions import Condition
from sekisho.words import Said, bilingual

TOLD = ("condition broken", "risk above target")
"""The rules whose reasons the page tells in its own words."""


def records_outcome_title(stage: RecordsStage | CountedRecordsStage) -> Said:
    """Return the report's title."""
    title = stage.recipe.called
    return Said("Release report: {title}", title=bilingual(title.en, title.ja))


def records_outcome_blocks(
    stage: RecordsStage,
    outcome: Outcome[AnyRecordsCandidate],
    *,
    origin: tuple[Provenance, ...] = (),
    edition: Edition = Edition.CONFIDENTIAL,
) -> tuple[Block, ...]:
    """Return the best candidate's report, with the candidates beside one another.

    ``origin`` tells what made the inputs; the public edition shows no distribution of the original, seed or digest.
    """
    judge = stage.judge
    if isinstance(judge, KeysJudge):
        keyed = cast("Outcome[KeyedCandidate]", outcome)
        sections = keyed_sections(judge, keyed, edition)
        steps = (
            *origin,
            tell_keyed_origin(judge.recipe, judge.question.keys, judge.question.sensitive, keyed),
            outcome.best.release.provenance,
        )
    else:
        tested = cast("Outcome[RiskCandidate]", outcome)
        sections = _tested_sections(judge, tested, edition)
        steps = (*origin, *_origin(judge, tested))
    return (
        *sections,
        *closing_blocks(stage.recipe.standards, steps, edition),
    )


def _tested_sections(judge: RiskJudge, outcome: Outcome[RiskCandidate], edition: Edition) -> tuple[Block, ...]:
    best = outcome.best
    return (
        _banner(judge, best),
        _say_original_risk(judge),
        *((_reasons(judge, best),) if best.verdict is Verdict.REFUSE else ()),
        *reason_blocks([each for each in best.reasons if each.rule not in TOLD], edition=edition),
        *standing_blocks(best.statements, edition=edition),
        Heading(text=Said("Conditions")),
        condition_table(best.conditions),
        Heading(text=Said("What attackers found")),
        Paragraph(text=_how(judge)),
        risk_table(best.attempts),
        *_tried(outcome, edition),
    )


def _say_original_risk(judge: RiskJudge) -> Paragraph:
    """Return how many records of the original nobody shares: whoever knows one of those whole finds it for certain."""
    names = [column.name for column in judge.original.schema.attributes]
    unique = int(judge.original.frame.select(names).is_unique().sum())
    return Paragraph(
        text=Said(
            "Before, {unique:,} of {records:,} {records:record|records} {unique:was|were} alone with "
            "their values: whoever knew such a record whole found it for certain.",
            unique=unique,
            records=len(judge.original),
        )
    )


def _banner(judge: RiskJudge, best: RiskCandidate) -> Banner:
    top, target = best.strongest, judge.target
    if top is None:
        words = Said("Have this reviewed: nobody has tried to find people in this release.")
        return Banner(text=words, tone=Tone.WARN)
    name, count = translate_name(top.adversary), len(best.attempts)
    who = (
        Said("the only adversary")
        if count == 1
        else Said("the strongest of {count} {count:adversary|adversaries}", count=count)
    )
    risk = Said(
        "{who} ({name}) came to a mean risk of {mean:.4f}; {target:g} is the limit",
        who=who,
        name=name,
        mean=top.mean,
        target=target,
    )
    if best.verdict is Verdict.REFUSE:
        broken = sum(not condition.met for condition in best.conditions)
        words = Said(
            "Do not release this: {broken} {broken:condition is|conditions are} broken, and {risk}.",
            broken=broken,
            risk=risk,
        )
        return Banner(text=words, tone=Tone.BAD)
    if best.verdict is Verdict.REVIEW:
        words = Said("Have this reviewed, for the reasons below: {risk}.", risk=risk)
        return Banner(text=words, tone=Tone.WARN)
    words = Said("Not refuted by these attacks: every condition is met, and {risk}.", risk=risk)
    return Banner(text=words, tone=Tone.GOOD)


def _reasons(judge: RiskJudge, best: RiskCandidate) -> Bullets:
    broken = [
        Said("condition broken: {name}, {value}", name=one.name, value=_value(one))
        for one in best.conditions
        if not one.met
    ]
    target = judge.target
    risky = [
        Said(
            "risk above the limit: {adversary}, mean {mean:.4f} over {tests} test {tests:set|sets}, "
            "{target:g} is the limit",
            adversary=name_label(one.adversary),
            mean=one.mean,
            tests=len(one.judged),
            target=target,
        )
        for one in best.attempts
        if one.refutes
    ]
    return Bullets(items=(*broken, *risky))


def _value(one: Condition) -> Said:
    limit = condition_limit(one)
    if one.value is None:
        return Said("no value ({reason}), {limit} is asked", reason=one.reason, limit=limit)
    return Said("{value:.4f}, {limit} is asked", value=one.value, limit=limit)


def _how(judge: RiskJudge) -> Said:
    test, recipe = judge.recipe.rules.test, judge.recipe
    order = Said("in an order that tells nothing") if recipe.shuffled else Said("in the original's order")
    return Said(
        "Each adversary knows {members} kept and {others} deleted {others:record|records}, {tests} "
        "{tests:time|times} drawn anew, says which were kept, and names up to {answers} "
        "{answers:row|rows} for each. The rows are published {order}.",
        members=test.members,
        others=test.others,
        tests=recipe.tests,
        answers=test.answers,
        order=order,
    )


def _tried(outcome: Outcome[RiskCandidate], edition: Edition) -> tuple[Block, ...]:
    head: tuple[Words, ...] = (
        Said("method"),
        Said("nearest utility limit"),
        Said("largest mean risk"),
        Said("verdict"),
    )
    rows = tuple(
        (
            name_candidate(outcome, each),
            format_decimal(each.score.value, 3),
            format_decimal(each.risk, 4),
            WORDS[each.verdict],
        )
        for each in outcome.candidates
    )
    tones = [TONES[each.verdict] for each in outcome.candidates]
    return tried_blocks(outcome, (head, *rows), frontier_figure(outcome.candidates, tones=tones), edition)


def _origin(judge: RiskJudge, outcome: Outcome[RiskCandidate]) -> tuple[Provenance, ...]:
    recipe = judge.recipe
    journey = Provenance(
        name="gate",
        parameters={
            "methods": list(recipe.methods),
            "adversaries": list(recipe.adversaries),
            "target": judge.target,
            "tests": recipe.tests,
            "shuffled": recipe.shuffled,
        },
        seed=outcome.seed.value,
    )
    attacks = (
        Provenance(name=f"{label} (attack)", parameters=list_parameters(adversary))
        for label, adversary in recipe.adversaries.items()
    )
    return (journey, outcome.best.release.provenance, *attacks)
