"""What is proven of a release of a history, what is only not refuted, and what is refuted: said apart, side by side."""

from __future__ import annotations

from collections.abc import Mapping

from sekisho.gate.history.stage import HistoryAttempt, HistoryCandidate
from sekisho.gate.outcome import Verdict
from sekisho.report.kit.blocks import Banner, Block, Heading, Paragraph, TableBlock, Tone
from sekisho.report.kit.words import Text, Words, format_percent
from sekisho.safety.claim import ClaimFinding, Standing, TwinClasses
from sekisho.safety.pseudonyms import PseudonymSign
from sekisho.safety.rejection import Bound

WRITTEN_OUT = 12
"""Up to this class size chances are written out."""

OF_USE = frozenset({"limit exceeded", "hardly any use"})
"""Rules that say nothing about safety."""
BOUNDS: Mapping[Bound, Text] = {
    Bound.UNION: Text("union bound (the contest's)", "和の上界（コンテストの基準）"),
    Bound.EXACT: Text("exact bound", "厳密な上界"),
}
STANDINGS: Mapping[Standing, Text] = {
    Standing.HOLDS: Text(
        "holds: proven for everybody, if the pseudonyms were drawn at random",
        "成立：仮名が無作為に割り当てられていれば、誰に対しても証明されています",
    ),
    Standing.NOT_PROVEN: Text("not proven", "証明されていません"),
    Standing.REFUTED: Text("does not hold", "成立しません"),
}

PSEUDONYMS: Mapping[PseudonymSign, str] = {
    PseudonymSign.EQUAL: "個人の名前そのものです",
    PseudonymSign.HASHED: "個人の名前の鍵のないハッシュ値です",
    PseudonymSign.SHIFTED: "個人の番号を一定の値だけずらしたものです",
    PseudonymSign.RISING: "個人の並び順のまま増えています",
    PseudonymSign.FALLING: "個人の並び順のまま減っています",
}
"""In Japanese, how pseudonyms tell names."""


def verdict_banner(candidate: HistoryCandidate, bound: Bound) -> Banner:
    """Return the verdict in one sentence, with no more in it than is proven."""
    attack, by_policy = candidate.strongest, _describe_policy(candidate, bound)
    if by_policy is not None:
        return by_policy
    if attack is None:
        words = Text(
            "Have this reviewed: nobody has tried to find people in this release.",
            "審査してください。この加工データはまだ一度も攻撃されていません。",
        )
        return Banner(text=words, tone=Tone.WARN)
    if candidate.verdict is Verdict.REFUSE:
        hits, limit = _describe_hits(attack), attack.threshold[bound]
        words = Text(
            f"Do not release this: one attack rightly found {hits.en}; {limit:,} is already too many.",
            f"公開してはいけません。ある攻撃が{hits.ja}を正しく言い当てました。{limit:,} 人で不可です。",
        )
        return Banner(text=words, tone=Tone.BAD)
    if candidate.verdict is Verdict.REVIEW:
        return Banner(text=_describe_doubt(candidate, attack), tone=Tone.WARN)
    return Banner(text=_admission(candidate, attack), tone=Tone.GOOD)


def _describe_policy(candidate: HistoryCandidate, bound: Bound) -> Banner | None:
    """Return the banner where a limit, usefulness or the policy decides, not an attack or the claim; None elsewhere."""
    effective = any(each.effective(bound) for each in candidate.attempts)
    rules = {reason.rule for reason in candidate.reasons if reason.verdict is candidate.verdict}
    if candidate.verdict is Verdict.REFUSE and not effective:
        words = Text(
            "Do not release this, for the reasons below; no attack refuted it under the bound that decides.",
            "以下の理由により、公開してはいけません。ただし、判定に用いる上界のもとで棄却した攻撃はありません。",
        )
        return Banner(text=words, tone=Tone.BAD)
    if candidate.verdict is Verdict.REVIEW and (effective or rules <= OF_USE):
        words = Text(
            "Have this reviewed: an attack refuted it, and the policy of the recipe leaves the decision to a person."
            if effective
            else "Have this reviewed: a measure is above its limit or hardly anything is left; see the reasons below.",
            "審査してください。攻撃により棄却されましたが、レシピの方針により人が判断します。"
            if effective
            else "審査してください。指標が上限を超えているか、データがほとんど残っていません（以下の理由を参照）。",
        )
        return Banner(text=words, tone=Tone.WARN)
    return None


def statement_blocks(candidate: HistoryCandidate, p: str) -> tuple[Block, ...]:
    """Return the statements side by side: the claim, and the attacks under each bound."""
    words = Text(
        "The claim H0: whoever tries, and whatever set of people he picks, names all of it rightly with a chance of "
        f"at most {p} for one person, {p} times {p} for two, and so on. It is either proven, or not. Attacks cannot "
        "prove it: at best they do not refute it.",
        f"安全性の条件 H0：誰がどの人々の集合を選んでも、その全員を正しく言い当てる確率は、1 人なら {p}、"
        f"2 人なら {p} の 2 乗、以下同様に、それ以下です。これは証明されるか、されないかのどちらかです。"
        "攻撃によって証明することはできず、棄却されなかったと言えるだけです。",
    )
    table = TableBlock(
        head=(Text("statement", "主張"), Text("answer", "答え"), Text("figures", "数値")),
        rows=(
            (
                Text("the claim H0 itself", "条件 H0 そのもの"),
                STANDINGS[candidate.claim.standing],
                _worst(candidate.claim),
            ),
            *(_attack_row(candidate, bound) for bound in Bound),
        ),
    )
    return (
        Heading(text=Text("What is proven, and what is not", "証明されていることと、されていないこと")),
        Paragraph(text=words),
        table,
    )


def _attack_row(candidate: HistoryCandidate, bound: Bound) -> tuple[Words, ...]:
    number = len(candidate.attempts)
    name = Text(
        f"the {number} {'attack' if number == 1 else 'attacks'} below, {BOUNDS[bound].en}",
        f"以下の {number} 種の攻撃、{BOUNDS[bound].ja}",
    )
    if not candidate.attempts:
        return (name, Text("nobody attacked", "攻撃なし"), "–")
    attack = max(candidate.attempts, key=lambda each: each.hits / each.threshold[bound])
    answer = (
        Text("refuted", "棄却されました")
        if attack.effective(bound)
        else Text("not refuted by these attacks", "これらの攻撃では棄却されませんでした")
    )
    hits, chance = _describe_hits(attack), _predicted(candidate)
    figures = Text(
        f"strongest: {hits.en}, {attack.threshold[bound]:,} refute{chance.en}",
        f"最も強い攻撃：{hits.ja}（{attack.threshold[bound]:,} 人で棄却）{chance.ja}",
    )
    return (name, answer, figures)


def _predicted(candidate: HistoryCandidate) -> Text:
    if all(attempt.predicted is None for attempt in candidate.attempts):
        return Text("", "")
    chance = format_percent(candidate.predicted)
    return Text(f"; largest chance predicted {chance}", f"、予告された確率の最大 {chance}")


def _worst(claim: ClaimFinding) -> Words:
    if claim.worst is None:
        return Text("nobody is published", "公開される人はいません")
    pattern = claim.pattern
    if pattern is not None and claim.worst.standing is Standing.HOLDS:
        sentence = PSEUDONYMS[pattern.sign]
        return Text(str(pattern), f"{pattern.among:,} 個の仮名のうち {pattern.people:,} 個が{sentence}")
    return _class_words(claim.worst)


def _class_words(worst: TwinClasses) -> Text:
    chance, allowed = f"1/{worst.size}!", f"({worst.p})^{worst.size}"
    if worst.size <= WRITTEN_OUT:
        chance, allowed = f"{worst.chance}", f"{worst.allowed}"
    limit = Text("", "") if worst.closed else Text(" at most", " 以下")
    return Text(
        f"a class of {worst.size} alike is named whole with a chance of {chance}{limit.en}; {allowed} is allowed",
        f"見分けのつかない {worst.size} 人の全員を言い当てる確率は {chance}{limit.ja}、許容されるのは {allowed} まで",
    )


def _describe_hits(attack: HistoryAttempt) -> Text:
    return Text(
        f"{attack.hits:,} of the {attack.claimed:,} customers it named",
        f"名指しした {attack.claimed:,} 人のうち {attack.hits:,} 人",
    )


def _admission(candidate: HistoryCandidate, attack: HistoryAttempt) -> Text:
    number, hits = len(candidate.attempts), _describe_hits(attack)
    attacks = f"{number} {'attack' if number == 1 else 'attacks'} (the strongest rightly found {hits.en})"
    if candidate.claim.standing is Standing.HOLDS:
        return Text(
            "This may be released: the safety claim is proven for everybody, if the pseudonyms were drawn at random, "
            f"and none of {attacks} refuted it.",
            "公開できます。仮名が無作為に割り当てられていれば、安全性の条件は誰に対しても証明されており、"
            f"{number} 種の攻撃のいずれにも棄却されませんでした（最も強い攻撃でも、的中は{hits.ja}）。",
        )
    return Text(
        f"Not refuted by {attacks}, which is what was asked for. The safety claim itself is not proven.",
        f"{number} 種の攻撃では棄却されず（最も強い攻撃でも、的中は{hits.ja}）、求められた基準を満たします。"
        "ただし安全性の条件そのものは証明されていません。",
    )


def _describe_doubt(candidate: HistoryCandidate, attack: HistoryAttempt) -> Text:
    exact = next((one for one in candidate.attempts if one.effective(Bound.EXACT)), None)
    if exact is not None:
        strict, limit, hits = exact.threshold[Bound.EXACT], exact.threshold[Bound.UNION], _describe_hits(exact)
        return Text(
            f"Have this reviewed: one attack rightly found {hits.en}; the union bound allows it (fewer than "
            f"{limit:,}), the exact bound does not ({strict:,} is too many).",
            f"審査してください。ある攻撃が{hits.ja}を正しく言い当てました。"
            f"和の上界による基準（{limit:,} 人未満）は満たしますが、厳密な基準（{strict:,} 人未満）は満たしません。",
        )
    hits = _describe_hits(attack)
    if any(reason.rule == "predicted chance" for reason in candidate.reasons):
        return Text(
            f"Have this reviewed: no attack refuted the release this time (the strongest rightly found {hits.en}), "
            f"but one predicted a chance of {format_percent(candidate.predicted)} to do so.",
            f"審査してください。今回はどの攻撃も棄却の基準に届きませんでしたが（最も強い攻撃は{hits.ja}）、"
            f"ある攻撃は {format_percent(candidate.predicted)} の確率で届くと予告しています。",
        )
    if candidate.claim.standing is Standing.NOT_PROVEN:
        return Text(
            "Have this reviewed: not refuted by these attacks, but the safety claim itself is not proven.",
            "審査してください。これらの攻撃では棄却されませんでしたが、安全性の条件そのものは証明されていません。",
        )
    worst = _worst(candidate.claim)
    words = worst if isinstance(worst, Text) else Text(worst, worst)
    return Text(
        f"Have this reviewed: not refuted by these attacks, but the safety claim itself does not hold: {words.en}.",
        f"審査してください。これらの攻撃では棄却されませんでしたが、安全性の条件そのものは成立しません（{words.ja}）。",
    )
