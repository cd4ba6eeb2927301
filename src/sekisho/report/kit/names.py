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
    "band": "中程度の変化",
    "calibrated": "較正した照合",
    "density": "密度",
    "farthest": "最遠の行",
    "index": "行の順序",
    "largest-loss": "最大の変化",
    "mixture": "混合",
    "nearest": "最近傍",
    "nearest-all": "最近傍（全員）",
    "nearest-cell": "最近傍セル",
    "partial-knowledge": "部分知識",
    "posterior": "事後確率",
    "prosecutor": "検察官",
    "random-partner": "無作為な相手",
    "swapback": "入れ替えの復元",
    "borrow": "値の借用",
    "code": "コーディング",
    "decoy": "おとり",
    "delete": "レコード削除",
    "delete-extremes": "極端な値の削除",
    "delete-random": "無作為な削除",
    "delete-small": "小さな組の削除",
    "lattice": "大域的な一般化",
    "microaggregate": "ミクロアグリゲーション",
    "noise": "ノイズ付加",
    "partition": "局所的な一般化",
    "pram": "PRAM",
    "randomise": "無作為化",
    "rankswap": "順位スワップ",
    "recordswap": "レコードスワップ",
    "sample": "標本抽出",
    "suppress": "局所秘匿",
    "swap": "入れ替え",
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
