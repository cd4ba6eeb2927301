"""What a person should look at before a release by PRAM leaves: too much noise, and columns that name people."""

from __future__ import annotations

from sekisho.report.kit.blocks import Banner, Block, Bullets, Tone
from sekisho.report.kit.words import Text, Words
from sekisho.safety.usefulness import LEAST_RETENTION, Usefulness


def usefulness_blocks(usefulness: Usefulness) -> list[Block]:
    """Return what a person should look at before the release leaves; nothing where there is nothing."""
    items: list[Words] = []
    least, worth = f"{float(LEAST_RETENTION):g}", f"{1 / LEAST_RETENTION**2}"
    if usefulness.noisy:
        names = ", ".join(usefulness.noisy)
        items.append(
            Text(
                f"Of hardly any use: less than {least} is kept of {names}; the records are worth less than one in "
                f"{worth} "
                "unchanged ones.",
                f"ほとんど役に立ちません：{names} の値は {least} 未満しか保持されず、"
                f"レコードの情報量は加工しないレコードの {worth} 分の 1 未満です。",
            )
        )
    if usefulness.identifying:
        names = ", ".join(usefulness.identifying)
        items.append(
            Text(
                f"{names}: almost every value is distinct, so the column names people. Leave it out, or name it as the "
                "identifier.",
                f"{names}：ほぼすべての値が異なり、個人を名指しする列です。公開から外すか、識別子として指定してください。",
            )
        )
    if not items:
        return []
    head = Text("A person must look at this before it leaves.", "公開の前に人による確認が必要です。")
    return [Banner(text=head, tone=Tone.WARN), Bullets(items=tuple(items))]
