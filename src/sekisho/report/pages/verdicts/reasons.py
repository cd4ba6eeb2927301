"""Why a release may not simply leave: the rules of the gate in both languages, each with its figure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sekisho.gate.outcome import Reason, Verdict
from sekisho.gate.policy import POLICY_RULES
from sekisho.gate.review_reasons import ALLOWED
from sekisho.report.kit.blocks import Block, TableBlock
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.names import translate_name
from sekisho.report.kit.words import Words, bilingual
from sekisho.report.pages.verdicts.naming_forms import FORMS
from sekisho.report.pages.verdicts.standings import name_subject
from sekisho.words import Language, Said, translate

ASKS: Mapping[Verdict, Said] = {
    Verdict.RELEASE: Said("reason|told only"),
    Verdict.REVIEW: Said("review"),
    Verdict.REFUSE: Said("refuse"),
}
JAPANESE: Mapping[str, str] = {
    "allowed column": "個人を名指しする列が、レシピの許可により公開されます",
    "certificate": "秘匿パターンを証明する完全で有効な証明書がありません",
    "claim not proven": "安全性の条件 H0 が証明されていません",
    "claim refuted": "安全性の条件 H0 が成立しません",
    "condition broken": "条件が満たされていません",
    "derivable cells": "公開データを読むだけで、隠したセルをしばしば推定できます",
    "disclosed cell": "秘匿したセルが一意に復元できます",
    "effective attack": "攻撃により棄却されました",
    "effective under the exact bound": "厳密な上界のもとでのみ、攻撃により棄却されました",
    "guarantee broken": "求められた安全性が満たされていません",
    "hardly any use": "データがほとんど残っていません",
    "identifying column": "見出し、内容、または値の多様さから、個人を名指しする列が含まれています",
    "insiders": "あるセルの提供者が別のセルを狭すぎる範囲で推定できます",
    "joint table": "背後の同時集計表を使えませんでした",
    "limit exceeded": "指標が上限を超えています",
    "narrow interval": "秘匿すべきセルを狭すぎる範囲で推定できます",
    "needless allowance": "レシピが許可した列は、個人を名指ししません",
    "no attack": "まだ誰も攻撃を試みていません",
    "possible risk": "攻撃者の見込みが許容を超え、的中数は分かりません",
    "predicted chance": "攻撃者が 5% を超える確率で棄却できると予告しました",
    "promise refuted": "攻撃が約束より多く的中しました",
    "pseudonyms tell names": "仮名が個人の名前そのもの、または名前から導けるものです",
    "raw people": "加工されないまま公開される人がいます。その人たちは何によっても守られていません",
    "risk above target": "攻撃の平均リスクが上限に達しました",
    "truth unknown": "どの行が誰のものか示されておらず、的中数を数えられません",
    "unfinished audit": "秘匿セルの推定区間が確定していません",
    "unsafe cell shown": "秘匿すべきセルが公表されています",
    "weak demand": "レシピがほとんど何も求めていません（半数を超える人が見つかってもよいか、キーが変えられていません）",
}


DETAILS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), japanese)
    for pattern, japanese in (
        (
            r"(?P<who>.+): (?P<hits>\d+) of (?P<claimed>\d+) named rightly, (?P<limit>\d+) refute \(union bound\)",
            "{who}：名指しした {claimed} 人のうち {hits} 人が的中、{limit} 人で棄却（和の上界）",
        ),
        (
            r"(?P<who>.+): (?P<hits>\d+) of (?P<claimed>\d+) named rightly, (?P<limit>\d+) refute \(exact bound\)",
            "{who}：名指しした {claimed} 人のうち {hits} 人が的中、{limit} 人で棄却（厳密な上界）",
        ),
        (
            (
                r"(?P<who>.+): (?P<hits>\d+) of (?P<claimed>\d+) named rightly(?: \(.+ to be expected\))?, "
                r"(?P<people>\d+) looked for; at most (?P<share>\S+) of the people may be found"
            ),
            "{who}：対象者 {people} 人、名指しした {claimed} 人のうち {hits} 人が的中、許容は {share} まで",
        ),
        (
            (
                r"(?P<who>.+) hopes for (?P<hits>\S+) hits among (?P<people>\d+) people; "
                r"at most (?P<share>\S+) of the people may be found"
            ),
            "{who}：対象者 {people} 人のうち {hits} 人の的中を見込み、許容は {share} まで",
        ),
        (r"(?P<who>.+) predicted a chance of (?P<chance>\S+) to refute it", "{who}：予告された確率 {chance}"),
        (
            r"(?P<who>.+): mean risk (?P<mean>\S+) over (?P<tests>\d+) test sets, the target is (?P<target>\S+)",
            "{who}：{tests} 回の平均リスク {mean}、上限 {target}",
        ),
        (r"(?P<name>.+) names people, as its header says \((?P<word>.*)\)", "{name}：列名に「{word}」とあります"),
        (r"(?P<name>.+) names people: it holds (?P<form>.+)", "{name}：{form}を含みます"),
        (r"(?P<name>.+) leaves though it names people, because: (?P<why>.+)", "{name}：{why}"),
        (r"(?P<name>.+) names nobody as far as is seen, and is allowed to", "{name}"),
        (r"an adversary may find (?P<share>\S+) of the people", "攻撃者が {share} の人を見つけてもよいとされています"),
        (
            r"no guarantee is asked for, no key was changed, and (?P<alone>\S+) people stand alone on them",
            "保証が求められず、キーは元のままで、{alone} 人が一意です",
        ),
        (r"(?P<subject>[\w-]+-[a-z]+(?: of .+?)?): .+", "{subject}（数値は下の表にあります）"),
        (r"(?P<name>.+) is (?P<value>\S+), at most (?P<limit>\S+) leaves unseen", "{name}：{value}、上限 {limit}"),
        (r"(?P<kept>[\d,]+) of (?P<rows>[\d,]+) records left.*", "{rows} 件のうち {kept} 件"),
        (r"hidden cells of (?P<names>.+) can often be worked out", "{names}"),
        (
            r"(?P<people>[\d,]+) of (?P<among>[\d,]+) pseudonyms .+ \((?P<how>.+)\)",
            "{among} 個の仮名のうち {people} 個",
        ),
        (r"(?P<people>[\d,]+) people are published as they were", "{people} 人"),
        (r"almost every value of (?P<names>.+) is distinct", "{names}"),
    )
)
"""How the gate tells figures, and the same in Japanese."""


def translate_detail(detail: str) -> Words:
    """Return a figure in both languages; what has no figure but words is said by the rule itself in Japanese."""
    for pattern, japanese in DETAILS:
        match = pattern.fullmatch(detail)
        if match:
            parts = match.groupdict()
            who = {"who": translate(translate_name(parts["who"]), Language.JA)} if "who" in parts else {}
            named = {"subject": translate(name_subject(parts["subject"]), Language.JA)} if "subject" in parts else {}
            form = {"form": translate(FORMS[parts["form"]], Language.JA)} if parts.get("form") in FORMS else {}
            return bilingual(detail, japanese.format(**parts | who | named | form))
    return bilingual(detail, "–")


def describe_rule(rule: str) -> Words:
    """Return when a rule speaks; a stranger's rule by its name."""
    known = POLICY_RULES.get(rule)
    return rule if known is None else bilingual(known.meaning, JAPANESE[rule])


def reason_blocks(reasons: Sequence[Reason], *, edition: Edition = Edition.CONFIDENTIAL) -> tuple[Block, ...]:
    """Return the reasons as a table; the public edition without their figures, which may name a cell or a column."""
    allowed = tuple(each for each in reasons if each.rule == ALLOWED)
    if allowed:
        return (
            *_tell_allowed(allowed),
            *reason_blocks([each for each in reasons if each.rule != ALLOWED], edition=edition),
        )
    if not reasons:
        return ()
    own = edition is Edition.CONFIDENTIAL
    head: tuple[Words, ...] = (Said("reason"), Said("asks to"))
    rows = tuple(
        (describe_rule(each.rule), ASKS[each.verdict], *((translate_detail(each.detail),) if own else ()))
        for each in reasons
    )
    unique = tuple(dict.fromkeys(rows))
    caption = Said("Why the verdict is no better")
    return (TableBlock(head=(*head, *((Said("number|figure"),) if own else ())), rows=unique, caption=caption),)


def _tell_allowed(reasons: Sequence[Reason]) -> tuple[Block, ...]:
    """Return the columns that name people and leave, each with the recipe's reason; both editions tell them."""
    rows = tuple((translate_detail(each.detail), ASKS[each.verdict]) for each in reasons)
    head = (Said("column, and why it leaves"), Said("asks to"))
    caption = Said("Columns that name people and leave, because the recipe allows it by name")
    return (TableBlock(head=head, rows=rows, caption=caption),)
