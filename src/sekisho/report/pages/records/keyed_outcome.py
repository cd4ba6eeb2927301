"""What the page tells of records that were judged by their keys: who is found, what is proven, what was lost."""

from __future__ import annotations

from sekisho.gate.outcome import Outcome, Verdict
from sekisho.gate.records.attempts import CellAttempt, measure_share
from sekisho.gate.records.keys_judge import KeyedCandidate, KeysJudge
from sekisho.provenance import Provenance
from sekisho.report.figures.axes import Axis
from sekisho.report.figures.bars import Interval, IntervalPlot
from sekisho.report.figures.lines import Mark
from sekisho.report.figures.scatter import Scatter
from sekisho.report.kit.blocks import (
    Banner,
    Beside,
    Block,
    Facts,
    Figure,
    Heading,
    Paragraph,
    TableBlock,
    Tone,
)
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.names import translate_name
from sekisho.report.kit.words import (
    Text,
    Words,
    format_count,
    format_decimal,
    format_out_of,
    format_percent,
    join_words,
)
from sekisho.report.pages.before_after import column_card
from sekisho.report.pages.cell_fates import fates_table
from sekisho.report.pages.history.outcome import TONES, WORDS
from sekisho.report.pages.risk.change import change_blocks
from sekisho.report.pages.risk.comparison import name_measure
from sekisho.report.pages.verdicts.adversaries import describe_adversary
from sekisho.report.pages.verdicts.reasons import reason_blocks
from sekisho.report.pages.verdicts.standings import standing_blocks
from sekisho.report.pages.verdicts.tried import impossible_blocks, name_candidate, tell_choice

BANNERS = {
    Verdict.RELEASE: Text(
        "This may be released: everything that was asked for holds, and none of the attacks found more people than are "
        "allowed.",
        "公開できます。求められた条件はすべて成り立ち、許容される人数を超えて見つけた攻撃はありませんでした。",
    ),
    Verdict.REVIEW: Text(
        "Have this reviewed: nothing forbids it, but a person must look at the reasons below.",
        "審査してください。公開を禁じる事実はありませんが、以下の理由を人が確認する必要があります。",
    ),
    Verdict.REFUSE: Text("Do not release this, for the reasons below.", "以下の理由により、公開してはいけません。"),
}


def keyed_sections(judge: KeysJudge, outcome: Outcome[KeyedCandidate], edition: Edition) -> tuple[Block, ...]:
    """Return what the page tells of a release that was judged by its keys; the public edition shows no distribution."""
    best = outcome.best
    return (
        Banner(text=BANNERS[best.verdict], tone=TONES[best.verdict]),
        *reason_blocks(best.reasons, edition=edition),
        *change_blocks(judge, best, edition=edition),
        *standing_blocks(best.statements, edition=edition),
        _facts(judge, best),
        *_tried(outcome, edition),
        *_attacks(best, judge.question.keys),
        *_losses(best),
        *_columns(judge, best, edition),
    )


def _facts(judge: KeysJudge, best: KeyedCandidate) -> Facts:
    compared, rows = best.compared, len(judge.original)
    pairs: list[tuple[Words, Words]] = [
        (Text("keys", "キー"), ", ".join(judge.question.keys)),
        (Text("records released", "公開するレコード"), format_out_of(compared.rows, rows)),
        (Text("method", "加工手法"), translate_name(best.label)),
    ]
    if judge.question.sensitive:
        pairs.insert(1, (Text("sensitive", "機微な列"), ", ".join(judge.question.sensitive)))
    return Facts(pairs=tuple(pairs))


def _tried(outcome: Outcome[KeyedCandidate], edition: Edition) -> tuple[Block, ...]:
    rows = tuple(
        (
            name_candidate(outcome, each),
            format_decimal(each.score.value, 4),
            format_percent(_largest_share(each)),
            format_count(each.compared.k),
            WORDS[each.verdict],
        )
        for each in outcome.candidates
    )
    head = (
        Text("method", "加工手法"),
        Text("loss", "損失"),
        Text("largest share found", "見つかる割合の最大"),
        "k",
        Text("verdict", "判定"),
    )
    figure = Scatter(
        title=Text("Utility and safety of what was tried", "試した加工の有用性と安全性"),
        desc=Text(
            f"{len(rows)} candidates; to the left is more useful, further down is safer.",
            f"{len(rows)} 候補。左ほど有用、下ほど安全です。",
        ),
        x=Axis(label=Text("loss (less is better)", "損失（小さいほど良い）"), low=0.0),
        y=Axis(label=Text("largest share of people found by an attack", "攻撃が見つけた人の割合の最大"), low=0.0),
        points=tuple(
            Mark(name=translate_name(each.label), x=each.score.value, y=_largest_share(each), tone=TONES[each.verdict])
            for each in outcome.candidates
        ),
        front=True,
    )
    return (
        Heading(text=Text("What was tried", "試した加工")),
        Paragraph(text=tell_choice(outcome)),
        TableBlock(head=head, rows=rows, numeric=(1, 2, 3)),
        *((Figure(picture=figure),) if len(rows) > 1 else ()),
        *impossible_blocks(outcome.impossible, edition=edition),
    )


def _largest_share(candidate: KeyedCandidate) -> float:
    return max((measure_share(each.attack) for each in candidate.attempts), default=0.0)


def _attacks(best: KeyedCandidate, keys: tuple[str, ...]) -> tuple[Block, ...]:
    if not best.attempts:
        return ()
    words = Text(
        "Each attacker knows the keys named of every person he looks for, and names a row of the release. Expected is "
        "what he finds on average over his own draws, computed exactly: whoever hides among c rows counts 1/c.",
        "攻撃者は対象者それぞれについて示したキーの値を知り、公開データの行を一つ名指しします。期待値は攻撃者自身の抽選に"
        "ついての正確な平均で、c 行の中に隠れている人は 1/c と数えます。",
    )
    head = (
        Text("attack", "攻撃"),
        Text("knows", "知っていること"),
        Text("people", "対象者"),
        Text("named", "名指し"),
        Text("rightly", "的中"),
        Text("95% interval", "95% 信頼区間"),
        Text("expected", "期待値"),
        Text("by chance", "偶然の期待値"),
        Text("allowed", "許容"),
        Text("the release is", "判定"),
        Text("what he does", "手口"),
    )
    table = TableBlock(
        head=head, rows=tuple(_attack_row(each, keys) for each in best.attempts), numeric=(2, 3, 4, 5, 6, 7, 8)
    )
    counted = [each for each in best.attempts if each.truth_known and each.claimed]
    picture = (Figure(picture=_plot_rates(counted, keys)),) if counted else ()
    return (Heading(text=Text("What attackers found", "攻撃の結果")), Paragraph(text=words), table, *picture)


def _attack_row(each: CellAttempt, keys: tuple[str, ...]) -> tuple[Words, ...]:
    attack, rate = each.attack, each.attack.rate
    expected: Words = "–" if attack.expected is None else format_decimal(attack.expected, 1)
    if attack.expected is None and attack.hoped is not None:
        expected = join_words(format_decimal(attack.hoped, 1), Text(" hoped", "（見込み）"))
    verdict = Text("refuted", "棄却") if each.refutes else Text("not refuted", "棄却せず")
    return (
        translate_name(each.adversary.partition(" ")[0]),
        _name_known(attack.keys, keys),
        format_count(attack.people),
        format_count(attack.claimed),
        "–" if rate is None else format_count(rate.hits),
        "–" if rate is None or not rate.trials else f"{format_percent(rate.low)} – {format_percent(rate.high)}",
        expected,
        format_decimal(attack.by_chance, 1),
        format_percent(each.allowed),
        verdict,
        describe_adversary(each.adversary),
    )


def _name_known(known: tuple[str, ...], keys: tuple[str, ...]) -> Words:
    """Return what an attacker knows: which keys, or all of them, which stand above."""
    return Text("all keys", "全キー") if set(known) == set(keys) else ", ".join(known)


def _plot_rates(counted: list[CellAttempt], keys: tuple[str, ...]) -> IntervalPlot:
    rows = tuple(
        Interval(
            name=join_words(
                translate_name(each.adversary.partition(" ")[0]), " (", _name_known(each.attack.keys, keys), ")"
            ),
            low=each.attack.rate.low,
            middle=each.attack.rate.value,
            high=each.attack.rate.high,
            note=f"{each.hits:,} / {each.claimed:,}",
            tone=Tone.BAD if each.refutes else Tone.GOOD,
            baseline=each.attack.by_chance / each.claimed,
        )
        for each in counted
        if each.attack.rate is not None
    )
    return IntervalPlot(
        title=Text("How often each attack was right", "攻撃の的中率"),
        desc=Text(
            f"{len(rows)} attacks with their exact 95% intervals; the upright tick is what blind guessing expects.",
            f"{len(rows)} 種の攻撃の的中率と正確な 95% 信頼区間です。縦の印はでたらめな推定の期待値です。",
        ),
        rows=rows,
        axis=Axis(label=Text("share of the named that were right", "名指しのうち的中した割合"), low=0.0, high=1.0),
    )


def _losses(best: KeyedCandidate) -> tuple[Block, ...]:
    rows = tuple((name_measure(name), format_decimal(score.value, 4)) for name, score in best.compared.scores.items())
    table = TableBlock(
        head=(Text("measure", "指標"), Text("value", "値")),
        rows=rows,
        caption=Text("What was lost: 0 is nothing", "失われた情報（0 は損失なし）"),
        numeric=(1,),
    )
    return (Heading(text=Text("What is still good about it", "有用性")), table)


def _columns(judge: KeysJudge, best: KeyedCandidate, edition: Edition) -> tuple[Block, ...]:
    names = [column.name for column in judge.original.schema.attributes]
    if edition is Edition.PUBLIC:
        return fates_table(best.release, names)
    cards = [column_card(judge.original, best.release, name) for name in names]
    words = Text(
        "Filled: the original. Line: what a reader of the release would expect, a range or a set counted evenly over "
        "what it may be. The bar below tells what became of the cells.",
        "塗りは元データ、線は加工データから期待される分布（範囲や集合は均等に数える）です。下の帯はセルがどう加工されたかを示します。",
    )
    return (
        Heading(text=Text("Before and after", "加工の前後")),
        Paragraph(text=words),
        Beside(blocks=tuple(Figure(picture=card) for card in cards)),
    )


def tell_keyed_origin(judge: KeysJudge, outcome: Outcome[KeyedCandidate]) -> Provenance:
    """Return what made the outcome."""
    recipe = judge.recipe
    return Provenance(
        name="gate",
        parameters={
            "methods": list(recipe.methods),
            "adversaries": list(recipe.adversaries),
            "keys": list(judge.question.keys),
            "sensitive": list(judge.question.sensitive),
            "guarantees": recipe.guarantees.tell(),
            "risk": recipe.allowed,
        },
        seed=outcome.seed.value,
    )
