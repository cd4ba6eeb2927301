"""Who the adversaries of records are and what they do, in a few plain words; a stranger's says nothing."""

from __future__ import annotations

from collections.abc import Mapping

from sekisho.report.kit.words import Text, Words

DEEDS: Mapping[str, Text] = {
    "band": Text(
        "names random rows that a record may have become by a middling change",
        "中程度の変化の範囲からの無作為な回答",
    ),
    "calibrated": Text(
        "weighs every row by a calibrated likelihood",
        "較正した尤度による全行の比較",
    ),
    "density": Text(
        "calls kept whoever has many rows within reach",
        "近くに行が多いレコードを残存と判定",
    ),
    "farthest": Text(
        "names the farthest rows that a record may have become",
        "変わりうる範囲で最も遠い行を回答",
    ),
    "index": Text(
        "lays known records along the order of the rows",
        "行の順序に沿った対応付け",
    ),
    "largest-loss": Text(
        "names the rows of the largest change within reach",
        "変わりうる範囲で変化が最大の行を回答",
    ),
    "mixture": Text(
        "names the farthest row, the most changed one and a random one",
        "最も遠い行・変化が最大の行・無作為な行を回答",
    ),
    "nearest": Text(
        "names the nearest rows; who is far from all was deleted",
        "最も近い行を回答、遠いものは削除と判定",
    ),
    "nearest-all": Text(
        "names the nearest rows for everybody",
        "全員について最も近い行を回答",
    ),
    "nearest-cell": Text(
        "names a row whose cells lie nearest",
        "セルが最も近い行を回答",
    ),
    "partial-knowledge": Text(
        "names whom his list and the release both have once",
        "手元の表でも公開データでも一意な人を回答",
    ),
    "posterior": Text(
        "names whom the mechanism makes most likely",
        "加工の確率から最もありそうな人を回答",
    ),
    "prosecutor": Text(
        "names a row that fits what he knows of a person",
        "知っている値に合う行を回答",
    ),
    "random-partner": Text(
        "names random rows that a record may have become",
        "変わりうる範囲からの無作為な回答",
    ),
    "swapback": Text(
        "undoes the swapping where it is most likely",
        "最もありそうな入れ替えの復元",
    ),
}


def describe_adversary(name: str) -> Words:
    """Return what an adversary does; of one whom nobody described, nothing."""
    return DEEDS.get(name.partition(" ")[0], "–")
