"""Japanese for the names that the program uses: columns, methods, adversaries.

A name without an entry is the same in both languages.
"""

from __future__ import annotations

from sekisho.report.kit.words import Text, Words

JAPANESE = {
    "customer": "顧客",
    "date": "日付",
    "item": "商品",
    "price": "単価",
    "quantity": "数量",
    "chance": "でたらめ",
    "containment": "商品の包含",
    "maximum-knowledge": "最大知識",
    "unique-rows": "一意な行",
    "coarsen": "無作為な一般化",
    "erase": "無作為なセル削除",
    "groups": "最適なグループ化",
    "pseudonymise": "仮名化",
    "similar-length": "行数の近い顧客のグループ化",
}


def translate_name(name: str) -> Words:
    """Return a name in both languages, where Japanese has a word for it; what follows the name (``k=3``) stays."""
    first, _, rest = name.partition(" ")
    if first not in JAPANESE:
        return name
    behind = f" {rest}" if rest else ""
    return Text(first.replace("-", " ") + behind, JAPANESE[first] + behind)
