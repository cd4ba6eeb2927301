"""What a column of texts was understood to be, and what is known of it besides its texts.

Texts that mean that nothing is known: general words of forms and programs, and numbers that stand for them.

A text that means missing everywhere is taken so in columns of numbers and dates; in a column of other texts it is a
value until somebody says otherwise. A number that may stand for missing (999, -1) is only ever proposed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.plain_files.date_forms import BAR
from sekisho.data.files.plain_files.number_forms import NumberWriting
from sekisho.data.files.values import narrow
from sekisho.data.frame.dataset import Kind
from sekisho.data.identity.header_words import Topic, find_topics, fold

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


MOST_MISFITS = 0.01
"""So small a share of a column's rows may hold what is none of its dates or numbers."""
FEWEST_FITS = 20
"""So many distinct dates or numbers a column must have before others in it are misfits."""
LISTED_MISFITS = 20
DAY = re.compile(
    r"日$|日付|年月日|月日|(?<![a-z])(?:date|dob|birth|birthday|birthdate|born|geburtsdatum|geburtstag|naissance|"
    r"nacimiento|eintrittsdatum)(?![a-z])"
)
TWINS = {
    **{f"%d{mark}%m{mark}{year}": f"%m{mark}%d{mark}{year}" for mark in "/-" for year in ("%Y", "%y")},
    **{f"%m{mark}%d{mark}{year}": f"%d{mark}%m{mark}{year}" for mark in "/-" for year in ("%Y", "%y")},
}
"""Forms that read the same texts as long as no day is above 12."""


class TextKind(StrEnum):
    """What the texts of a column are."""

    INTEGER = "integer"
    DECIMAL = "decimal"
    DATE = "date"
    DATE_TIME = "date-time"
    CATEGORY = "category"
    CODE = "code"
    TEXT = "text"

    @property
    def kind(self) -> Kind:
        """How a schema counts their values."""
        kinds = {
            TextKind.INTEGER: Kind.INTEGER,
            TextKind.DECIMAL: Kind.DECIMAL,
            TextKind.DATE: Kind.DATE,
            TextKind.DATE_TIME: Kind.DATE,
        }
        return kinds.get(self, Kind.CATEGORY)


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedText:
    """Something with the number of rows that hold it."""

    text: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnReading:
    """What a column of texts was understood to be.

    Attributes:
        kind: of its values.
        forms: of dates, the most frequent first, with their rows.
        numbers: how numbers are written; None of other kinds.
        missing: texts that mean missing, and numbers and words that may.
        misfits: texts that are none of its dates or numbers, the most frequent first, at most some of them.
        misfit_rows: how many rows hold any.
        rows: how many cells are not empty.
        plain: whether it is read without any of this, texts that mean missing aside: ISO dates, categories, numbers
            with no more than a decimal mark and marks between thousands.
        order_open: whether days and months of its dates could be the other way round.
    """

    kind: TextKind
    forms: tuple[CountedText, ...] = ()
    numbers: NumberWriting | None = None
    missing: tuple[MissingText, ...] = ()
    misfits: tuple[CountedText, ...] = ()
    misfit_rows: int = 0
    rows: int = 0
    plain: bool = True
    order_open: bool = False

    @property
    def format(self) -> str:
        """The form of dates that are not read without it, several with bars between them."""
        if self.plain or not self.forms:
            return ""
        return BAR.join(each.text for each in self.forms)

    @property
    def twin(self) -> str:
        """The other form that would read every date as well; empty if there is none."""
        return TWINS.get(self.forms[0].text, "") if self.order_open and self.forms else ""

    @property
    def sure_missing(self) -> tuple[str, ...]:
        """The texts that are taken for missing."""
        return tuple(each.text for each in self.missing if each.sure)

    @property
    def proposed_missing(self) -> tuple[MissingText, ...]:
        """The texts that may mean missing, and are values until somebody says so."""
        return tuple(each for each in self.missing if not each.sure)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Words:
    """The distinct texts of a column that are not missing, and the rows that hold each."""

    text: pl.Series
    count: NDArray[np.int64]

    @property
    def rows(self) -> int:
        """How many rows hold any of them."""
        return int(self.count.sum())

    def take(self, mask: NDArray[np.bool_]) -> Words:
        """Return some of them."""
        return Words(text=self.text.filter(pl.Series(mask)), count=self.count[mask])

    def list_counted(self, most: int = LISTED_MISFITS) -> tuple[CountedText, ...]:
        """Return the most frequent ones, those alike in the file's order."""
        order = np.lexsort((np.arange(len(self.count)), -self.count))[:most]
        return tuple(CountedText(text=self.text[int(at)], count=int(self.count[at])) for at in order)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What is known of a column besides its texts.

    Attributes:
        header: its name.
        decimal: the decimal mark of the file; None where the column has to decide it.
        missing: the texts that mean missing in every column.
        day_first: whether days stand before months in other columns of the file; None where nothing says so.
        separator: between the cells of the file: in a file of commas a comma within a number parts thousands.
        date_format: of the whole file, as somebody said it; empty for ISO dates.
        most_misfits: so small a share of its rows may hold what is none of its dates or numbers.
    """

    header: str = ""
    decimal: str | None = None
    missing: tuple[str, ...] = ("",)
    day_first: bool | None = None
    separator: str | None = None
    date_format: str = ""
    most_misfits: float = MOST_MISFITS

    def bears(self, misfits: Words, words: Words) -> bool:
        """Tell whether a column of some words may hold those that are none of its dates or numbers."""
        if not misfits.rows:
            return True
        fits = len(words.text) - len(misfits.text)
        return fits >= FEWEST_FITS and misfits.rows <= self.most_misfits * words.rows

    @property
    def speaks_of_time(self) -> bool:
        """Whether the name of the column speaks of time, or of a day among what others know of a person."""
        return bool(self.header) and (Topic.TIME in find_topics(self.header) or bool(DAY.search(fold(self.header))))


NOTHING = Surroundings()


def propose_missing(words: Words) -> tuple[MissingText, ...]:
    """Return texts that may mean missing."""
    return tuple(MissingText(text=each.text, count=each.count, sure=False) for each in words.list_counted())
