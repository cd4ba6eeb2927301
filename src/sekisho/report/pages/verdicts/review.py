"""What a person must look at before a release leaves, on top of every page about one; and what was allowed, and why."""

from __future__ import annotations

from sekisho.data.identity.identifying import Ground, Identifying
from sekisho.data.review import LEAST_RETENTION, ReleaseReview
from sekisho.report.kit.blocks import Banner, Block, Bullets, TableBlock, Tone
from sekisho.report.kit.words import Text, Words


def review_blocks(review: ReleaseReview) -> list[Block]:
    """Return what a person must look at, and which columns were allowed; nothing where there is nothing."""
    items: list[Words] = [_say_identifying(each) for each in review.identifying]
    if review.derivable:
        items.append(_say_derivable(", ".join(review.derivable)))
    if review.noisy:
        items.append(_say_noisy(", ".join(review.noisy)))
    elif not review.useful:
        items.append(Text("The release is of hardly any use.", "この加工データはほとんど役に立ちません。"))
    head = Text("A person must look at this before it leaves.", "公開の前に人による確認が必要です。")
    blocks: list[Block] = [Banner(text=head, tone=Tone.WARN), Bullets(items=tuple(items))] if items else []
    if review.allowed:
        blocks.append(
            TableBlock(
                head=(Text("column allowed to leave", "公開を許した列"), Text("reason given", "示された理由")),
                rows=tuple(review.allowed.items()),
                caption=Text(
                    "Allowed by name, though they may name people", "個人を名指ししうるが、名前を挙げて許した列"
                ),
            )
        )
    return blocks


def _say_identifying(each: Identifying) -> Text:
    grounds = {
        Ground.HEADER: Text(f"its header says so ({each.sign})", f"見出し（{each.sign}）がそう示しています"),
        Ground.CONTENT: Text(f"its values say so ({each.sign})", f"値（{each.sign}）がそう示しています"),
        Ground.DISTINCT: Text("almost every value is distinct", "ほぼすべての値が異なります"),
    }
    why = grounds[each.ground]
    return Text(
        f"{each.column} names people: {why.en}. Leave it out, name it as the identifier, or allow it by name with a "
        "reason.",
        f"{each.column} は個人を名指しする列です：{why.ja}。公開から外すか、識別子として指定するか、"
        "理由を添えて名前で許してください。",
    )


def _say_derivable(names: str) -> Text:
    return Text(
        f"{names}: whoever reads the release alone can often work out hidden cells. A cell is hidden only where "
        "showing it would leave somebody with too few matches, so values that would not are ruled out.",
        f"{names}：公開データを読むだけで、隠したセルの値をしばしば推定できます。セルを隠すのは、示すと一致する件数が"
        "足りなくなる場合だけなので、そうならない値は候補から除けるからです。",
    )


def _say_noisy(names: str) -> Text:
    least, worth = f"{float(LEAST_RETENTION):g}", f"{1 / LEAST_RETENTION**2}"
    return Text(
        f"Of hardly any use: less than {least} is kept of {names}; the records are worth less than one in {worth} "
        "unchanged ones.",
        f"ほとんど役に立ちません：{names} の値は {least} 未満しか保持されず、"
        f"レコードの情報量は加工しないレコードの {worth} 分の 1 未満です。",
    )
