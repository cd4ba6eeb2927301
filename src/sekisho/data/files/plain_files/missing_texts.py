"""Texts that mean that nothing is known: general words of forms and programs, and numbers that stand for them.

A text that means missing everywhere is taken so in columns of numbers and dates; in a column of other texts it is a
value until somebody says otherwise. A number that may stand for missing (999, -1) is only ever proposed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.values.widths import narrow

SIGNS = ("?", "??", "???", "-", "--", "---", "\u30fc", "\u2500", ".", "..", "...", "\u2026", "***")
PROGRAMS = (
    *("na", "n/a", "n.a.", "n.a", "n. a.", "#n/a", "#n/a n/a", "nan", "-nan", "null", "(null)", "none", "nil"),
    *("<na>", "nat", "#value!", "#ref!", "#div/0!", "#num!", "#name?", "\\n"),
    *("undefined",),
)
ENGLISH = (
    *("unknown", "unk", "unk.", "not known", "not available", "not applicable", "not stated", "not recorded"),
    *("absent", "abs", "not measured", "not reported", "not tested", "not done", "no answer", "no response", "no data"),
    *("refused", "declined", "don't know", "dk", "dk/na", "prefer not to say", "prefer not to answer", "tbd"),
    *("tbc", "blank", "empty", "error", "nd", "n.d.", "n/d", "n.r.", "n/r"),
)
GERMAN = (
    *("k.a.", "k. a.", "k.a", "keine angabe", "keine angaben", "unbekannt", "unbek.", "unbek", "nicht bekannt"),
    *("nicht gemessen", "nicht erhoben", "entfällt", "entf.", "fehlt", "n.v.", "n. v.", "n.b.", "n. b."),
    *("ohne angabe", "o.a.", "weiß nicht"),
)
FRENCH = (
    *("nr", "nsp", "n.c.", "nc", "n/c", "non renseigné", "non renseignée", "non communiqué", "inconnu"),
    *("inconnue", "sans réponse", "ne sait pas", "non mesuré", "non disponible", "sans objet", "s/o"),
)
SPANISH = (
    *("ns/nc", "ns", "s/d", "s.d.", "sin datos", "sin dato", "desconocido", "desconocida", "no consta"),
    *("no disponible", "no aplica"),
)
JAPANESE = (
    *("未測定", "未計測", "未実施", "未検査", "未回答", "無回答", "未記入", "無記入", "未入力", "未登録"),
    *("未確認", "未定", "未取得", "未調査", "不明", "不詳", "未詳", "該当なし", "該当無し", "非該当", "対象外"),
    *("回答なし", "回答拒否", "拒否", "欠測", "欠損", "欠測値", "欠損値", "測定不能", "測定不可", "検査不能"),
    *(
        "欠",
        "欠席",
        "公欠",
        "欠試",
        "未受験",
        "採血不可",
        "計測不能",
        "判定不能",
        "空欄",
        "空白",
        "なし",
        "無し",
        "データなし",
        "わからない",
    ),
)
CHINESE_KOREAN = (
    *("未知", "不适用", "不適用", "缺失", "未填", "未填写", "无", "暂无", "미상", "모름", "무응답", "없음"),
    *("해당없음", "해당 없음", "미측정", "미기재"),
)
NONE_WORDS = frozenset(
    {"なし", "無し", "无", "없음", "none", "nil", "非該当", "該当なし", "該当無し", "対象外"}
    | {"欠", "欠席", "公欠", "欠試", "未受験", "absent", "abs"}
)
"""What says "none", "no" or "not there" as well, which in a column of texts is an answer."""
MEANING_MISSING = frozenset((*SIGNS, *PROGRAMS, *ENGLISH, *GERMAN, *FRENCH, *SPANISH, *JAPANESE, *CHINESE_KOREAN))
SENTINELS = (
    *(10**digits - 1 for digits in range(2, 10)),
    *(-(10**digits - 1) for digits in range(1, 6)),
    -1,
    -8,
    -7,
    -88,
    88,
    888,
    8888,
)
SENTINEL_DAYS = ("9999-12-31", "9999-09-09", "1900-01-01", "1899-12-30", "1899-12-31", "0001-01-01", "1111-11-11")
LEAST_ROWS, LEAST_SHARE = 3, 0.004
"""So many rows, and so large a share of them, hold a number that stands for missing."""
REACH = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingText:
    """A text that means missing, or may.

    Attributes:
        text: as it stands in the file.
        count: of the rows that hold it.
        sure: whether it is taken so; else it is only proposed.
    """

    text: str
    count: int
    sure: bool


def mean_missing(text: pl.Series) -> NDArray[np.bool_]:
    """Tell which texts mean missing wherever a number or a date should stand."""
    plain = narrow(text).str.strip_chars().str.strip_chars("()[]<>「」 ").str.to_lowercase()
    bare = plain.is_in(pl.Series(sorted(MEANING_MISSING)).implode()) | (plain == "")
    return bare.to_numpy().astype(np.bool_)


def find_sentinels(values: NDArray[np.float64], counts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which of a column's distinct numbers may stand for missing: far outside the others, and frequent.

    Args:
        values: distinct numbers, none of them NaN.
        counts: how many rows hold each.
    """
    marked = np.isin(values, SENTINELS) & (counts >= max(LEAST_ROWS, LEAST_SHARE * counts.sum()))
    rest = values[~marked]
    if not marked.any() or len(rest) < 2:
        return np.zeros(len(values), dtype=np.bool_)
    low, high = float(rest.min()), float(rest.max())
    spread = REACH * (high - low)
    above = (values > high + spread) & (values > 0)
    below = (values < 0) & (low >= 0)
    return marked & (above | below | (values < low - spread))
