"""The report of a table at the gate: may its pattern leave, why not, what an outsider can derive, what was tried."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sekisho.gate.outcome import Certainty, Outcome, Verdict
from sekisho.gate.tables.stage import TableCandidate, TableStage
from sekisho.provenance import Provenance
from sekisho.report.kit.blocks import Banner, Block, Bullets, Heading, Paragraph, TableBlock
from sekisho.report.kit.edition import Edition, withhold_secrets
from sekisho.report.kit.words import Text, Words, format_count
from sekisho.report.pages.history.outcome import TONES, WORDS
from sekisho.report.pages.tables.grid import format_value
from sekisho.report.pages.tables.page import table_blocks
from sekisho.report.pages.tables.story import Story
from sekisho.report.pages.tables.verdict import optimum_facts
from sekisho.report.pages.verdicts.reasons import reason_blocks
from sekisho.report.pages.verdicts.standards import standard_blocks
from sekisho.report.pages.verdicts.standings import standing_blocks
from sekisho.report.pages.verdicts.tried import impossible_blocks, name_candidate, tell_choice

TABLE_OUTCOME_TITLE = Text("Release report: a table", "公開判定報告書：集計表")
OUTSIDER = Text("What an outsider can derive", "外部の攻撃者が推定できること")
DERIVED = Text("What outsiders and insiders can derive", "外部の攻撃者と内部者が推定できること")
UNTOLD = ("limit exceeded", "hardly any use", "identifying column", "allowed column", "needless allowance")
"""The rules whose reasons the page does not tell in its own words."""
UNCERTIFIED = Text(
    "This may be released by the recipe's policy: the audit found no unsafe cell estimated too closely, but no "
    "certificate proves it.",
    "レシピの方針により公開できます。監査では、狭すぎる範囲で推定される秘匿すべきセルは見つかりませんでしたが、"
    "証明書による証明はありません。",
)
LEFT_TO_A_PERSON = Text(
    "Have this reviewed: attackers can derive or estimate what must stay hidden, and the policy of the recipe "
    "leaves the decision to a person.",
    "審査してください。秘匿すべき値が復元または推定できますが、レシピの方針により人が判断します。",
)
BANNERS = {
    Verdict.RELEASE: Text(
        "This may be released: no attacker who knows the published cells and all equations estimates an unsafe cell "
        "too closely, and the certificate proves it.",
        "公開できます。公表されるセルと全ての等式を知る攻撃者も、秘匿すべきセルを保護水準より狭い範囲には推定できません。"
        "証明書がこれを証明します。",
    ),
    Verdict.REVIEW: Text(
        "Have this reviewed: nothing was found that forbids it, but not everything is proven.",
        "審査してください。公開を禁じる事実は見つかっていませんが、すべてが証明されたわけではありません。",
    ),
    Verdict.REFUSE: Text("Do not release this pattern.", "この秘匿パターンで公開してはいけません。"),
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
    return (
        Banner(text=_tell_verdict(best), tone=TONES[best.verdict]),
        *((Bullets(items=reasons),) if reasons else ()),
        *reason_blocks([each for each in best.reasons if each.rule in UNTOLD], edition=edition),
        *standing_blocks(best.statements, edition=edition),
        *(() if public else _tried(outcome)),
        *standard_blocks(stage.standards),
        *table_blocks(
            [replace(_make_story(best), edition=edition)],
            origin=withhold_secrets(steps, parameters=True) if public else steps,
        ),
    )


def _tell_verdict(best: TableCandidate) -> Text:
    """Return the verdict in one sentence, with no more in it than is proven."""
    standing = best.statements[0].standing if best.statements else Certainty.PROVEN
    if best.verdict is Verdict.RELEASE and standing is not Certainty.PROVEN:
        return UNCERTIFIED
    if best.verdict is Verdict.REVIEW and standing is Certainty.REFUTED:
        return LEFT_TO_A_PERSON
    return BANNERS[best.verdict]


def _list_reasons(candidate: TableCandidate) -> tuple[Text, ...]:
    """Return why the verdict is no better, with the figures of the gate's own reasons."""
    finding = candidate.finding
    leaking = len({cell for leak in finding.leaks for cell in leak.exposed})
    counted = (
        (
            len(finding.audit.narrow),
            "unsafe cells can be estimated too closely",
            "個の一次秘匿セルの推定区間が狭すぎます",
        ),
        (len(finding.disclosed), "suppressed cells can be derived exactly", "個の秘匿セルが一意に復元できます"),
        (len(finding.case.shown), "unsafe cells are published", "個の秘匿すべきセルが公表されています"),
        (
            leaking,
            f"unsafe cells can be estimated too closely by {finding.coalition} contributors of another cell",
            f"個の一次秘匿セルが、ほかのセルの提供者 {finding.coalition} 者に狭すぎる範囲で推定されます",
        ),
        (len(finding.audit.unsettled), "intervals are not certain", "個の推定区間が確定していません"),
    )
    texts = [Text(f"{count:,} {english}", f"{count:,} {japanese}") for count, english, japanese in counted if count]
    if finding.table.joint.overlooked:
        limit = Text("the joint table behind the tables was not used", "背後の同時集計表は使っていません")
        texts.append(limit)
    if any(reason.rule == "certificate" for reason in candidate.reasons):
        texts.append(Text("no valid certificate proves the pattern", "秘匿パターンを証明する有効な証明書がありません"))
    return tuple(texts)


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
    )


def _tried(outcome: Outcome[TableCandidate]) -> tuple[Block, ...]:
    head: tuple[Words, ...] = (
        Text("search", "探索"),
        Text("cost", "費用"),
        Text("unsafe (P)", "一次秘匿 (P)"),
        Text("suppressed to protect them (S)", "二次秘匿 (S)"),
        Text("verdict", "判定"),
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
        Heading(text=Text("What was tried", "試した探索")),
        Paragraph(text=tell_choice(outcome)),
        TableBlock(head=head, rows=rows, numeric=(1, 2, 3)),
        *impossible_blocks(outcome.impossible),
    )


def _make_origin(stage: TableStage, outcome: Outcome[TableCandidate]) -> Provenance:
    return Provenance(
        name="gate",
        parameters={
            "searches": [each.label for each in outcome.candidates],
            "insiders": stage.insiders,
            "whole": stage.whole,
        },
    )
