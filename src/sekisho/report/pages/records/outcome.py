"""The report of records at the gate: may they leave, what is proven of them, who is found, what was tried and lost.

One page; whoever judged the release says what stands between its banner and its provenance.
"""

from __future__ import annotations

from typing import cast

from sekisho.gate.outcome import Outcome, Verdict
from sekisho.gate.records.candidate import AnyRecordsCandidate
from sekisho.gate.records.keys_judge import KeyedCandidate, KeysJudge
from sekisho.gate.records.stage import RecordsStage
from sekisho.gate.records.test_sets import RiskCandidate, RiskJudge
from sekisho.provenance import Provenance, list_parameters
from sekisho.report.kit.blocks import Banner, Block, Bullets, Figure, Fold, Heading, Origin, Paragraph, TableBlock, Tone
from sekisho.report.kit.edition import Edition, withhold_secrets
from sekisho.report.kit.names import translate_name
from sekisho.report.kit.words import Language, Text, Words, format_decimal, translate
from sekisho.report.pages.history.outcome import TONES, WORDS
from sekisho.report.pages.records.keyed_outcome import keyed_sections, tell_keyed_origin
from sekisho.report.pages.records.plan import condition_limit, condition_table, frontier_figure, risk_table
from sekisho.report.pages.verdicts.reasons import reason_blocks
from sekisho.report.pages.verdicts.standards import standard_blocks
from sekisho.report.pages.verdicts.standings import standing_blocks
from sekisho.report.pages.verdicts.tried import impossible_blocks, name_candidate, tell_choice
from sekisho.utility.records.conditions import Condition

TOLD = ("condition broken", "risk above target")
"""The rules whose reasons the page tells in its own words."""


def records_outcome_title(stage: RecordsStage) -> Text:
    """Return the report's title."""
    title = stage.recipe.called
    return Text(f"Release report: {title.en}", f"公開判定報告書：{title.ja}")


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
        steps = (*origin, tell_keyed_origin(judge, keyed), outcome.best.release.provenance)
    else:
        tested = cast("Outcome[RiskCandidate]", outcome)
        sections = _tested_sections(judge, tested, edition)
        steps = (*origin, *_origin(judge, tested))
    return (
        *sections,
        *standard_blocks(stage.recipe.standards),
        Heading(text=Text("Provenance", "来歴")),
        Fold(
            summary=Text("What made this report, to run it again", "この報告書の来歴（再実行のために）"),
            blocks=(Origin(steps=withhold_secrets(steps) if edition is Edition.PUBLIC else steps),),
        ),
    )


def _tested_sections(judge: RiskJudge, outcome: Outcome[RiskCandidate], edition: Edition) -> tuple[Block, ...]:
    best = outcome.best
    return (
        _banner(judge, best),
        *((_reasons(judge, best),) if best.verdict is Verdict.REFUSE else ()),
        *reason_blocks([each for each in best.reasons if each.rule not in TOLD], edition=edition),
        *standing_blocks(best.statements, edition=edition),
        Heading(text=Text("Conditions", "条件")),
        condition_table(best.conditions),
        Heading(text=Text("What attackers found", "攻撃の結果")),
        Paragraph(text=_how(judge)),
        risk_table(best.attempts),
        *_tried(outcome, edition),
    )


def _banner(judge: RiskJudge, best: RiskCandidate) -> Banner:
    top, target = best.strongest, judge.target
    if top is None:
        words = Text(
            "Have this reviewed: nobody has tried to find people in this release.",
            "審査してください。この加工データはまだ一度も攻撃されていません。",
        )
        return Banner(text=words, tone=Tone.WARN)
    name, count = translate_name(top.adversary), len(best.attempts)
    who = "the only adversary" if count == 1 else f"the strongest of {count} adversaries"
    risk = Text(
        f"{who} ({translate(name, Language.EN)}) came to a mean risk of {top.mean:.4f}; {target:g} is the limit",
        f"{count} 種の攻撃のうち最も強いもの（{translate(name, Language.JA)}）の平均リスクは {top.mean:.4f}、上限は "
        f"{target:g} です",
    )
    if best.verdict is Verdict.REFUSE:
        broken = sum(not condition.met for condition in best.conditions)
        words = Text(
            f"Do not release this: {broken} {'condition is' if broken == 1 else 'conditions are'} broken, and "
            f"{risk.en}.",
            f"公開してはいけません。条件違反は {broken} 件、{risk.ja}。",
        )
        return Banner(text=words, tone=Tone.BAD)
    if best.verdict is Verdict.REVIEW:
        words = Text(
            f"Have this reviewed, for the reasons below: {risk.en}.",
            f"以下の理由により審査してください。{risk.ja}。",
        )
        return Banner(text=words, tone=Tone.WARN)
    words = Text(
        f"Not refuted by these attacks: every condition is met, and {risk.en}.",
        f"これらの攻撃では棄却されませんでした。全条件を満たし、{risk.ja}。",
    )
    return Banner(text=words, tone=Tone.GOOD)


def _reasons(judge: RiskJudge, best: RiskCandidate) -> Bullets:
    broken = [
        Text(f"condition broken: {one.name}, {_value(one).en}", f"条件違反：{one.name}、{_value(one).ja}")
        for one in best.conditions
        if not one.met
    ]
    target = judge.target
    risky = [
        Text(
            f"risk above the limit: {one.adversary}, mean {one.mean:.4f} over {len(one.judged)} test sets, "
            f"{target:g} is the limit",
            f"リスクが上限以上：{translate(translate_name(one.adversary), Language.JA)}、"
            f"{len(one.judged)} 回の平均 {one.mean:.4f}、上限 {target:g}",
        )
        for one in best.attempts
        if one.refutes
    ]
    return Bullets(items=(*broken, *risky))


def _value(one: Condition) -> Text:
    limit = condition_limit(one)
    if one.value is None:
        return Text(f"no value ({one.reason}), {limit.en} is asked", f"値なし（{one.reason}）、条件は {limit.ja}")
    return Text(f"{one.value:.4f}, {limit.en} is asked", f"{one.value:.4f}、条件は {limit.ja}")


def _how(judge: RiskJudge) -> Text:
    test, recipe = judge.recipe.rules.test, judge.recipe
    order = (
        Text("in an order that tells nothing", "手がかりにならない順で")
        if recipe.shuffled
        else Text("in the original's order", "元の順のまま")
    )
    return Text(
        f"Each adversary knows {test.members} kept and {test.others} deleted records, {recipe.tests} times drawn "
        "anew, says which were kept, "
        f"and names up to {test.answers} rows for each. The rows are published {order.en}.",
        f"攻撃者は、残された {test.members} 件と削除された {test.others} 件の元の値を知り（{recipe.tests} "
        "回引き直し）、どれが残されたかを答え、"
        f"1 件につき最大 {test.answers} 行を名指しします。行は{order.ja}公開されます。",
    )


def _tried(outcome: Outcome[RiskCandidate], edition: Edition) -> tuple[Block, ...]:
    head: tuple[Words, ...] = (
        Text("method", "加工手法"),
        Text("nearest utility limit", "最も厳しい有用性条件への近さ"),
        Text("largest mean risk", "平均リスクの最大"),
        Text("verdict", "判定"),
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
    several = len(rows) > 1
    return (
        Heading(text=Text("What was tried", "試した加工")),
        Paragraph(text=tell_choice(outcome)),
        TableBlock(head=head, rows=rows, numeric=(1, 2)),
        *((Figure(picture=frontier_figure(outcome.candidates, tones=tones)),) if several else ()),
        *impossible_blocks(outcome.impossible, edition=edition),
    )


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
