"""What a release of records is proven to keep, and the verdict in plain words."""

from __future__ import annotations

from collections.abc import Sequence

from sekisho.gate.records.protection import Protection
from sekisho.gate.records.recount import Promise, Recount
from sekisho.report.kit.blocks import Banner, Block, Bullets, Heading, Paragraph, TableBlock, Tone
from sekisho.report.kit.words import Text, Words, format_count, format_decimal, format_percent, join_words
from sekisho.report.pages.risk.comparison import name_attack
from sekisho.safety.records.diversity import Diversity

PROVEN = Text("proven: counted from what is written", "証明済み（書き出す内容から数えました）")


def state_verdict(protection: Protection) -> Banner:
    """Return the verdict: green only if something is proven, nothing is told by itself, nobody must look at it."""
    safety = say_safety(protection.recounts, protection.fewest_candidates or 0)
    parts: list[Words] = [safety, _say_attacks(protection), _say_use(protection)]
    good = not protection.review.needed and protection.hides_everybody and not protection.disclosed
    return Banner(text=join_words(*parts, *say_disclosed(protection.disclosed)), tone=Tone.GOOD if good else Tone.WARN)


def say_disclosed(records: int) -> tuple[Text, ...]:
    """Return what is told without finding anybody: of how many records; nothing where it is of none."""
    if not records:
        return ()
    return (
        Text(
            f" For {records:,} records all records of the class have one sensitive value, which is told without "
            "finding the record.",
            f"{records:,} 件のレコードでは同値類の機微な値が 1 種類で、レコードを特定しなくても値がわかります。",
        ),
    )


def say_safety(recounts: Sequence[Recount], fewest: int) -> Text:
    """Return what is proven about who can be found.

    Args:
        recounts: what was promised, counted.
        fewest: of local suppression, the fewest records that admit a person's true keys.
    """
    first = next((each for each in recounts if each.promise in (Promise.ALIKE, Promise.MATCHED)), None)
    if first is None:
        return Text(
            "Nothing is proven about who can be found: this method promises nothing.",
            "誰が見つかるかについて証明されたことはありません。この手法は何も保証しません。",
        )
    k = int(first.counted)
    if first.promise is Promise.ALIKE:
        return Text(
            f"Every record is written like at least {k - 1:,} others in the keys (k = {k:,}), proven by counting "
            "what is written.",
            f"どのレコードも、ほかの {k - 1:,} 件以上とキーが同じ書き方です（k = {k:,}）。"
            "書き出す内容を数えて証明しました。",
        )
    return Text(
        f"Every record is matched by at least {k - 1:,} others where a withheld cell matches any value (k = {k:,}), "
        f"proven by counting what is written. Whoever knows a person's keys finds {fewest:,} or more records that "
        "fit.",
        f"隠したセルを任意の値とみなすと、どのレコードもほかの {k - 1:,} 件以上と一致します（k = {k:,}）。"
        "書き出す内容を数えて証明しました。"
        f"ある人のキーを知る者には、当てはまるレコードが {fewest:,} 件以上あります。",
    )


def _say_attacks(protection: Protection) -> Words:
    top = protection.strongest
    was = next(each for each in protection.before.attacks if (each.adversary, each.keys) == (top.adversary, top.keys))
    name = name_attack(top, protection.after)
    then, now = format_percent(was.share or 0.0), format_percent(top.share or 0.0)
    return join_words(
        Text(" Of the attacks tried the strongest is ", "試した攻撃のうち最も強いのは「"),
        name,
        Text(
            f": it finds {now} of the people looked for, {then} before.",
            f"」で、対象者の {now} が見つかります（加工前は {then}）。",
        ),
    )


def _say_use(protection: Protection) -> Text:
    ncp = protection.after.scores["ncp"].value
    if protection.judged:
        return say_usefulness(ncp, useful=protection.review.useful)
    pairs = protection.after.scores["pair-tables"].value
    changed, wider = (format_percent(share) for share in protection.measure_keys())
    return Text(
        f" What is left of its use: {changed} of the cells of the keys were changed, {wider} made wider or withheld; "
        f"the tables of two columns moved by {pairs:.3f}, of at most 1.",
        f"有用性については、キーのセルの {changed} が変更され、{wider} が一般化または削除されました。"
        f"2 列の分割表の変化は {pairs:.3f}（最大 1）です。",
    )


def say_usefulness(ncp: float, *, useful: bool) -> Text:
    """Return whether a method calls its own release of use."""
    if not useful:
        return Text(
            f" The release is of hardly any use (NCP {ncp:.3f}, of at most 1): a person must look at it.",
            f"この加工データはほとんど役に立ちません（NCP {ncp:.3f}、最大 1）。人による確認が必要です。",
        )
    return Text(
        f" The release is useful: NCP {ncp:.3f}, of at most 1, is lost.",
        f"加工データは利用できます。情報損失は NCP {ncp:.3f}（最大 1）です。",
    )


def promise_blocks(recounts: Sequence[Recount], fewest: int) -> list[Block]:
    """Return what is guaranteed, each figure with how it is known; or that nothing is.

    Args:
        recounts: what was promised, counted.
        fewest: of local suppression, the fewest records that admit a person's true keys.
    """
    heading = Heading(text=Text("What is guaranteed", "保証されること"))
    if not recounts:
        return [
            heading,
            Paragraph(
                text=Text(
                    "Nothing. The method gives no guarantee that could be counted; the figures below say what was "
                    "counted and, where attacks were tried, what they found, no more.",
                    "ありません。この手法には数えて確かめられる保証がありません。"
                    "以下の数値は、数えた結果と、攻撃を試した場合はその結果を示すだけです。",
                )
            ),
        ]
    rows = tuple((*_describe_recount(each), PROVEN) for each in recounts)
    head = (
        Text("guarantee", "保証"),
        Text("asked for", "求めた値"),
        Text("worst class of the file", "ファイルの最悪の同値類"),
        Text("how it is known", "根拠"),
    )
    return [
        heading,
        TableBlock(head=head, rows=rows, numeric=(1, 2)),
        Bullets(items=tuple(_say_meaning(each, fewest) for each in recounts)),
    ]


def _describe_recount(each: Recount) -> tuple[Words, Words, Words]:
    column = each.column
    if each.promise in (Promise.ALIKE, Promise.MATCHED):
        name = Text("k records alike", "k 件以上が同じ書き方")
        if each.promise is Promise.MATCHED:
            name = Text("k records that match", "k 件以上が一致")
        return name, format_count(int(each.wanted)), format_count(int(each.counted))
    if each.promise is Promise.CLOSE:
        order = Text("ordered", "順序") if each.kind == "ordered" else Text("equal", "等距離")
        name = Text(f"t-closeness of {column} ({order.en})", f"{column} の t-近接性（{order.ja}）")
        return name, join_words("≤ ", format_decimal(each.wanted)), format_decimal(each.counted)
    kinds = {
        Diversity.DISTINCT: Text("distinct", "種類数"),
        Diversity.ENTROPY: Text("entropy", "エントロピー"),
        Diversity.RECURSIVE: Text("recursive, ratio below c", "再帰的、比 < c"),
    }
    kind = kinds[Diversity(each.kind)]
    name = Text(f"l-diversity of {column} ({kind.en})", f"{column} の l-多様性（{kind.ja}）")
    if each.kind == Diversity.DISTINCT:
        return name, format_count(int(each.wanted)), format_count(int(each.counted))
    sign = "< " if each.kind == Diversity.RECURSIVE else "≥ "
    return name, join_words(sign, format_decimal(each.wanted)), format_decimal(each.counted)


def _say_meaning(each: Recount, fewest: int) -> Text:
    if each.promise is Promise.ALIKE:
        return Text(
            "Who knows a person's keys, and nothing else, cannot tell his record from k - 1 others: where each is as "
            "likely he names the right one with a chance of 1/k at most.",
            "ある人のキーだけを知る者は、その人のレコードをほかの k - 1 件と区別できません。"
            "どれも同じ程度に確からしければ、言い当てる確率は 1/k 以下です。",
        )
    if each.promise is Promise.MATCHED:
        return Text(
            "As published, every record has k - 1 others that agree with it wherever both are not withheld. That is "
            f"less than k records alike: who knows a person's keys finds {fewest:,} or more records that fit him, and "
            "who reads the release alone can often work out hidden cells.",
            "公開データ上では、どのレコードにも、"
            "隠していないセルがすべて一致するほかのレコードが k - 1 件以上あります。"
            "これは k 件が同じ書き方であることより弱い保証です。"
            f"ある人のキーを知る者には、当てはまるレコードが {fewest:,} 件以上あります。"
            "また、公開データを読むだけで、隠したセルの値をしばしば推定できます。",
        )
    if each.promise is Promise.DIVERSE:
        return Text(
            f"In every class {each.column} has values that are diverse in this sense; values that mean nearly the same "
            "count as different.",
            f"どの同値類でも {each.column} の値はこの意味で多様です。ほぼ同じ意味の値も別の値と数えます。",
        )
    return Text(
        f"What a class tells about {each.column} beyond what the whole release tells everybody is t at most.",
        f"同値類からわかる {each.column} の情報は、公開データ全体から誰にでもわかることに比べて t 以内です。",
    )
