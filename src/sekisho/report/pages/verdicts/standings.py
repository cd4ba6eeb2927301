"""What is proven of a release, promised under a condition, not refuted by attacks, or refuted: each in its own words.

The words of a statement are its own in English; in Japanese they are made from its figures, which are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from sekisho.gate.outcome import Certainty, Statement
from sekisho.report.kit.blocks import Block, Heading, Paragraph, TableBlock
from sekisho.report.kit.edition import Edition
from sekisho.report.kit.names import translate_name
from sekisho.report.kit.words import Language, Text, Words, translate
from sekisho.safety.records.uniques.population import ASSUMPTIONS, Estimator

STANDINGS: Mapping[Certainty, Text] = {
    Certainty.PROVEN: Text("proven", "証明されています"),
    Certainty.PROMISED: Text("promised, if what stands beside it is so", "右の前提のもとで約束されます"),
    Certainty.NOT_REFUTED: Text("not refuted by these attacks", "これらの攻撃では棄却されていません"),
    Certainty.REFUTED: Text("refuted", "棄却されました"),
}
MEANING = Text(
    "Four words, from the surest down. Proven: it was counted or computed, and is so. Promised: it is so if a stated "
    "assumption is. Not refuted: the attacks that were tried did not succeed; others may. Refuted: it is not so.",
    "確かな順に四つの言葉を使い分けます。「証明」は数え上げや計算で確かめたこと、「約束」は示した前提が正しければ成り立つこと、"
    "「棄却されていない」は試した攻撃が成功しなかったこと（ほかの攻撃は成功するかもしれません）、「棄却」は成り立たないことです。",
)
SUBJECTS: Mapping[str, Text] = {
    "k-anonymity": Text("k-anonymity", "k-匿名性"),
    "l-diversity": Text("l-diversity", "l-多様性"),
    "t-closeness": Text("t-closeness", "t-近接性"),
    "beta-likeness": Text("beta-likeness", "β-類似性"),
    "delta-disclosure": Text("delta-disclosure", "δ-開示"),
    "prosecutor-risk": Text("chance of being found", "見つけられる確率"),
    "k-map": Text("k-map", "k-map"),
    "delta-presence": Text("delta-presence", "δ-presence"),
    "pk-anonymity": Text("Pk-anonymity", "Pk-匿名性"),
    "sampling": Text("sampling", "標本抽出"),
    "claim H0": Text("the claim H0", "条件 H0"),
    "attacks": Text("attacks", "攻撃"),
    "protection intervals": Text("intervals of the hidden cells", "秘匿セルの推定区間"),
}
UNTOLD = "–"
POPULATION = "母集団ファイルに、攻撃者が可能と考える人が全員含まれること"
MODELS = {
    ASSUMPTIONS[Estimator.ZAYATZ]: "母集団のクラスの大きさが標本のものと同じで、標本が無作為に抽出されること",
    ASSUMPTIONS[Estimator.PITMAN]: "クラスがピットマンの抽出公式で生じ、標本が無作為に抽出されること",
    ASSUMPTIONS[Estimator.POISSON_GAMMA]: "値のどの組み合わせも、ガンマ分布の率をもつポアソン抽出で埋まること",
}
RANDOM = "値や標本が無作為に決められ、乱数の種を誰も知らないこと"
KNOWN = "the adversary knows no more of a person than "
KEYS = Text("the keys", "キー")
"""What an adversary knows, where several statements would name it column by column; the page lists the keys."""
ARITHMETIC = "監査の浮動小数点計算が正しいこと（厳密な証明書はありません）"


def standing_blocks(statements: Sequence[Statement], *, edition: Edition = Edition.CONFIDENTIAL) -> tuple[Block, ...]:
    """Return the statements side by side; in the public edition of a table without its figures."""
    if not statements:
        return ()
    rows = tuple(_make_row(each, edition) for each in sorted(_name_keys_once(statements), key=_rank))
    head = (Text("statement", "主張"), Text("how sure", "確かさ"), Text("figures", "数値"), Text("if", "前提"))
    told = [place for place in range(len(head)) if any(row[place] != UNTOLD for row in rows)]
    head, rows = tuple(head[place] for place in told), tuple(tuple(row[place] for place in told) for row in rows)
    return (
        Heading(text=Text("What is proven, and what is not", "証明されていることと、されていないこと")),
        Paragraph(text=MEANING),
        TableBlock(head=head, rows=rows),
    )


def _name_keys_once(statements: Sequence[Statement]) -> list[Statement]:
    """Return the statements; where several rest on the same keys, these are called the keys instead of listed."""
    lists = [each.assumes.partition(KNOWN)[2] for each in statements if KNOWN in each.assumes]
    if len(lists) < 2 or len(set(lists)) > 1:
        return list(statements)
    return [replace(each, assumes=each.assumes.replace(KNOWN + lists[0], KNOWN + KEYS.en)) for each in statements]


def _rank(statement: Statement) -> int:
    return -list(Certainty).index(statement.standing)


def _make_row(statement: Statement, edition: Edition) -> tuple[Words, ...]:
    secret = edition is Edition.PUBLIC and statement.subject == "protection intervals"
    figures = UNTOLD if secret else Text(statement.detail, describe_figures(statement))
    assumes = Text(statement.assumes, _translate_assumption(statement)) if statement.assumes else UNTOLD
    return (name_subject(statement.subject), STANDINGS[statement.standing], figures, assumes)


def name_subject(subject: str) -> Words:
    """Return what a statement is about: ``l-diversity of illness``, ``attacks, union bound``, ``condition rate``."""
    name, of, column = subject.partition(" of ")
    if of and name in SUBJECTS:
        return Text(f"{SUBJECTS[name].en} of {column}", f"{column} の{SUBJECTS[name].ja}")
    first, comma, bound = subject.partition(", ")
    if comma and first in SUBJECTS:
        called = {"union bound": "和の上界", "exact bound": "厳密な上界"}.get(bound, bound)
        return Text(f"{SUBJECTS[first].en}, {bound}", f"{SUBJECTS[first].ja}（{called}）")
    kind, _, condition = subject.partition(" ")
    if kind == "condition":
        return Text(subject, f"条件 {condition}")
    return SUBJECTS.get(subject, subject)


def describe_figures(statement: Statement) -> str:
    """Return the figures of a statement in Japanese."""
    name = statement.subject.partition(" of ")[0].partition(",")[0]
    kind = "condition" if name.startswith("condition ") else name
    tell = TELLERS.get(kind, _tell_worst)
    return tell(statement.figures)


def _number(figures: Mapping[str, object], key: str) -> str:
    value = figures.get(key)
    if value is None:
        return "–"
    return f"{value:,.4g}" if isinstance(value, float) else f"{value}"


def _tell_worst(figures: Mapping[str, object]) -> str:
    return f"最悪の値は {_number(figures, 'worst')}、求められたのは {_number(figures, 'wanted')} です"


def _tell_condition(figures: Mapping[str, object]) -> str:
    return f"値は {_number(figures, 'value')}、制限は {_number(figures, 'limit')} です"


def _tell_claim(figures: Mapping[str, object]) -> str:
    if "size" not in figures:
        return "公開される人はいません"
    size, p = figures["size"], figures["p"]
    return f"見分けのつかない {size} 人の全員を言い当てる確率は 1/{size}!、許容されるのは ({p})^{size} までです"


def _tell_attacks(figures: Mapping[str, object]) -> str:
    strongest = translate(translate_name(str(figures.get("strongest"))), Language.JA)
    head = f"{figures.get('attacks')} 種の攻撃、最も強いのは{strongest}"
    if "mean" in figures:
        tests, target = figures["tests"], _number(figures, "target")
        return f"{head}：{tests} 回の平均リスク {_number(figures, 'mean')}、上限は {target} です"
    hits = (
        "的中数は不明"
        if figures.get("hits") is None
        else f"名指しした {figures['claimed']} 人のうち {figures['hits']} 人"
    )
    if "allowed" in figures:
        share, allowed = _number(figures, "share"), _number(figures, "allowed")
        return f"{head}：{hits}、{figures['people']} 人に対する割合 {share}、許容されるのは {allowed} までです"
    chance = figures.get("predicted")
    told = "" if chance is None else f"、予告された確率の最大は {_number(figures, 'predicted')}"
    return f"{head}：{hits}{told}です"


def _tell_pk(figures: Mapping[str, object]) -> str:
    risk, k = _number(figures, "risk"), _number(figures, "k")
    return f"誰も {risk} を超える確率では本人のレコードを名指しできません（k = {k}）"


def _tell_sampling(figures: Mapping[str, object]) -> str:
    return f"{figures['known']} 件を知る者が正しく名指しする確率は高々 {_number(figures, 'risk')} です"


def _tell_intervals(figures: Mapping[str, object]) -> str:
    exposed, shown = figures["exposed"], figures["shown"]
    if exposed or shown:
        return f"狭すぎる範囲で推定されるセルが {exposed} 個、公表されている秘匿すべきセルが {shown} 個あります"
    return f"秘匿すべき {figures['primary']} 個のセルはすべて秘匿され、保護水準より狭い範囲には推定できません"


TELLERS: Mapping[str, Callable[[Mapping[str, object]], str]] = {
    "condition": _tell_condition,
    "claim H0": _tell_claim,
    "attacks": _tell_attacks,
    "pk-anonymity": _tell_pk,
    "sampling": _tell_sampling,
    "protection intervals": _tell_intervals,
}


def _translate_assumption(statement: Statement) -> str:
    """Return what a statement rests on, in Japanese."""
    text = statement.assumes
    parts: list[str] = []
    if "population file" in text:
        parts.append(POPULATION)
    parts += [japanese for english, japanese in MODELS.items() if english in text]
    if KNOWN in text:
        keys = text.partition(KNOWN)[2]
        parts.append(f"攻撃者が個人について {KEYS.ja if keys == KEYS.en else keys} のほかは知らないこと")
    if statement.subject == "pk-anonymity":
        parts.append(RANDOM)
    if statement.subject == "sampling":
        parts.append("未知のレコードの分布が既知のものと同じで、母集団で一意と知られた値がないこと")
    if statement.subject == "claim H0":
        parts.append("仮名が無作為に割り当てられ、公開データのほかに手がかりがないこと")
    if statement.subject == "protection intervals":
        parts.append(ARITHMETIC)
    return "、".join(parts) or text
