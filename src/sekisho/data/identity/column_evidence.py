"""What speaks for a column's naming people, and the judgement: by its header, by its content, by its distinct values.

A header alone is believed unless what stands below it is plainly something else (``email`` above yes and no, ``住所``
above names of prefectures). A header that speaks of wares, places, dates, amounts or illnesses is believed too, unless
the values are by their form what names people: then a town may be called Florence, and a ware Johnson. What can be
either is taken for naming people, and asked about.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property

import numpy as np
import polars as pl

from sekisho.data.frame.schema import Kind, Meaning
from sekisho.data.identity.forms import Form, find_form, find_form_within
from sekisho.data.identity.header_words import Topic, find_topics
from sekisho.data.identity.person_names import Likeness, holds_name, rate_name

IDENTIFYING_SHARE = Fraction(9, 10)
"""A column with at least so many distinct values per record names people."""
FEWEST_RECORDS = 20
"""Of fewer records a column may well have as many values as there are records and name nobody."""
MOSTLY = 0.5
PROBED = 3000
NAMED_SHARE, NAMED_DESPITE = 0.3, 0.6
"""So many values must be whole names; so many where the header speaks of something else."""
HINTED_SHARE = 0.1
FEWEST_HITS = 3
FEWEST_CODES, FEWEST_WORDS = 50, 15
CODE_SHARE = 0.05
LONG = 25
CHOICES = 10
"""So few texts are a list to choose from, not what somebody wrote."""
SEVERAL_WORDS = r"\S\s+\S+\s+\S|[。、！？]"
FLAGS = frozenset(
    "yes no y n true false t f 1 0 2 on off none any both null oui non ja nein si m w d x o ok done open closed"
    " 有 無 あり なし 有り 無し 済 未 未済 ○ × 可 不可 男 女 要 不要 はい いいえ 同意 不同意 希望 希望しない 対象 対象外 在 不在 是 否 예 아니오".split()
)
NAMING = (
    *(Topic.NAME, Topic.CONTACT, Topic.ADDRESS, Topic.NUMBER, Topic.LINK, Topic.COORDINATE, Topic.REMARKS, Topic.STAFF),
)
INNOCENT = (
    *(Topic.QUASI, Topic.PLACE, Topic.SENSITIVE, Topic.TIME, Topic.ITEM, Topic.PRICE, Topic.QUANTITY, Topic.COUNT),
)
AMOUNTS = (Topic.PRICE, Topic.QUANTITY, Topic.COUNT, Topic.SENSITIVE, Topic.TIME, Topic.QUASI, Topic.PROPERTY)
MEANINGLESS = re.compile(
    r"(?i)^(?:unnamed|col(?:umn)?|field|var(?:iable)?|feature|attr(?:ibute)?|data|value|text|code|key|misc|other|info|entry|"
    r"[a-z]|列|項目|フィールド|その他|変数|데이터|字段)?[\s_:.-]*(?:[a-z]?[0-9]*)$"
)
ONE_WORD = r"^[A-ZÀ-Þ][A-Za-zÀ-ÿ'’-]+$|^[㐀-鿿々]{2,4}$|^[ァ-ヺー]{2,8}$"
FINE = r"^-?[0-9]{1,3}[.,][0-9]{3,}$"
DATE_DIGITS = r"^(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:[0-2][0-9]|3[01])$"
CODED = r"^[A-Za-z0-9/_.-]*[0-9]{3,}[A-Za-z0-9/_.-]*$"
AMOUNT = r"^[\s¥￥$€£+▲△(-]*[0-9][0-9.,' ]*\s*(?:円|元|원|€|[A-Za-z%]{1,4})?\)?$"
"""A number with marks between thousands, a currency or a unit."""
DATED = (
    r"^\s*[0-9]{1,4}[-/. ][0-9]{1,2}[-/. ][0-9]{1,4}(?:[ T].*)?$|^\s*(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])[0-3][0-9]$"
    r"|[0-9]+ *年 *[0-9]+ *月|^(?:[MTSHR]|明治|大正|昭和|平成|令和)\.?[0-9]{1,2}[-/.][0-9]{1,2}"
    r"|(?i)^[0-9]{1,2}[ .-][a-zäéûç]{3,9}[ .,-]+[0-9]{2,4}$|(?i)^[a-z]{3,9} [0-9]{1,2},? [0-9]{4}$"
)
"""A date in whatever format."""
PADDED = r"^0[0-9]{6,}$"
MEASURED = r"^[+-]?[0-9.,]+ ?[A-Za-z%/]{1,4}$|^[0-9]+[.,][0-9]+$"
"""An amount with its unit, which is no code."""


class Ground(StrEnum):
    """Why a column is taken to name people."""

    HEADER = "header"
    CONTENT = "content"
    DISTINCT = "distinct"


@dataclass(frozen=True, slots=True, kw_only=True)
class Identifying:
    """A column that names people.

    Attributes:
        column: its name.
        ground: why.
        sign: the word of the header, or the form of the values; never a value itself.
        share: of the distinct values, how many have the form; None where that was not counted.
    """

    column: str
    ground: Ground
    sign: str = ""
    share: float | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class ColumnEvidence:
    """What is known of a column.

    Attributes:
        header: its name; empty where the file gives none.
        kind: of its values.
        values: the distinct ones, as texts.
        rows: how many rows have one; None where rows are no records, as in a table of cells.
        meaning: of a history, what it says of an event, where that is declared.
        crosses: of a history, whether one person has several values and one value several people, as wares do; None if
            that is not known.
        is_exact: whether each cell holds one of the values, not a range of numbers that ends at two of them.
    """

    header: str
    kind: Kind
    values: pl.Series
    rows: int | None
    meaning: Meaning | None = None
    crosses: bool | None = None
    is_exact: bool = True

    @cached_property
    def topics(self) -> dict[Topic, str]:
        """What its name speaks of."""
        return find_topics(self.header)

    @cached_property
    def distinct(self) -> int:
        """How many different values there are."""
        return len(self.values)

    @cached_property
    def probe(self) -> pl.Series:
        """Some of the values, spread over all of them."""
        step = max(1, self.distinct // PROBED)
        return self.values.gather_every(step).head(PROBED)

    def has(self, *topics: Topic) -> bool:
        """Tell whether the name speaks of one of these."""
        return any(topic in self.topics for topic in topics)

    @property
    def is_innocent(self) -> bool:
        """Whether the name, or what was declared, speaks of something that names nobody."""
        return self.has(*INNOCENT) or self.meaning is not None

    @property
    def is_meaningless(self) -> bool:
        """Whether the name says nothing at all."""
        return not self.topics.keys() - {Topic.NUMBERED, Topic.COUNT} and bool(MEANINGLESS.match(self.header.strip()))

    def covers(self, share: float) -> bool:
        """Tell whether there are that many distinct values per row."""
        return self.rows is not None and self.distinct > share * self.rows


def judge_column(evidence: ColumnEvidence) -> Identifying | None:
    """Return why a column names people; None if nothing says so."""
    if evidence.kind is Kind.DATE or not evidence.distinct:
        return None
    return _judge_header(evidence) or _judge_content(evidence) or _judge_distinct(evidence)


def _tell(evidence: ColumnEvidence, ground: Ground, sign: str, share: float | None = None) -> Identifying:
    return Identifying(column=evidence.header, ground=ground, sign=sign, share=share)


def _judge_header(evidence: ColumnEvidence) -> Identifying | None:
    word = _find_word(evidence)
    if not word or _holds_flags(evidence):
        return None
    return _tell(evidence, Ground.HEADER, word)


def _find_word(evidence: ColumnEvidence) -> str:
    """Return the word of the header that says that people are named; empty if none does."""
    topics = evidence.topics
    if Topic.PROPERTY in topics and not (Topic.NUMBERED in topics and Topic.PERSON in topics):
        return ""
    for topic in NAMING:
        if topic in topics and _bears_out(evidence, topic):
            return topics[topic]
    owner = topics.get(Topic.PERSON) or topics.get(Topic.BELONGING)
    alone = not evidence.is_innocent
    if Topic.CALLED in topics and Topic.PERSON in topics:
        return topics[Topic.PERSON]
    if Topic.NUMBERED in topics and owner and alone and not _counts(evidence):
        return owner
    if Topic.TRANSACTION in topics and alone and (Topic.NUMBERED in topics or evidence.distinct > CHOICES):
        return topics[Topic.TRANSACTION]
    if Topic.CALLED in topics and alone and evidence.kind is Kind.CATEGORY and _may_be_people(evidence):
        return topics[Topic.CALLED]
    if Topic.PERSON in topics and alone and not _counts(evidence) and evidence.distinct > 2 * CHOICES:
        return topics[Topic.PERSON]
    if Topic.NUMBERED in topics and alone and evidence.covers(MOSTLY) and evidence.kind is not Kind.DECIMAL:
        return topics[Topic.NUMBERED]
    return ""


def _bears_out(evidence: ColumnEvidence, topic: Topic) -> bool:
    """Tell whether the values can be what a word of the header says."""
    numeric = evidence.kind.numeric
    if topic is Topic.NAME:
        return not numeric
    if topic is Topic.COORDINATE:
        return _is_fine(evidence)
    if topic is Topic.ADDRESS:
        return not numeric and (_holds_digits(evidence) or evidence.covers(0.2))
    if topic is Topic.REMARKS:
        return not numeric and not evidence.has(Topic.ITEM) and _is_written(evidence)
    if topic is Topic.STAFF:
        return not numeric or evidence.distinct > CHOICES
    if topic is Topic.LINK:
        return not numeric and (evidence.distinct > CHOICES or find_form(evidence.probe) is not None)
    return evidence.kind is not Kind.DECIMAL and not _counts(evidence) and not evidence.has(Topic.PRICE, Topic.TIME)


def _counts(evidence: ColumnEvidence) -> bool:
    """Tell whether the values are small whole numbers that many rows share, as counts are."""
    if evidence.kind is not Kind.INTEGER or evidence.covers(MOSTLY):
        return False
    return bool((evidence.probe.str.len_chars() <= 3).all()) and not bool(evidence.probe.str.contains("^0[0-9]").any())


def _holds_flags(evidence: ColumnEvidence) -> bool:
    """Tell whether the values only say yes or no, or the like."""
    few = evidence.distinct <= len(FLAGS)
    return few and all(text.strip().casefold() in FLAGS for text in evidence.values.to_list())


def _may_be_people(evidence: ColumnEvidence) -> bool:
    """Tell whether a column that is only called a name can be of people: of a history, if it is not as wares are."""
    if evidence.crosses:
        return _measure_names(evidence)[0] >= NAMED_SHARE
    return True


def _is_fine(evidence: ColumnEvidence) -> bool:
    """Tell whether numbers or texts are exact to more than two decimals."""
    fine = evidence.probe.str.strip_chars().str.contains(r"[0-9][.,][0-9]{3,}|[0-9]+[°度].*[0-9]+.*[0-9]+")
    return float(fine.sum()) >= HINTED_SHARE * max(1, len(evidence.probe)) or (
        evidence.kind is Kind.INTEGER and bool((evidence.probe.str.len_chars() >= 6).all())
    )


def _holds_digits(evidence: ColumnEvidence) -> bool:
    return float(evidence.probe.str.contains("[0-9０-９]").sum()) >= HINTED_SHARE * len(evidence.probe)


def _is_written(evidence: ColumnEvidence) -> bool:
    return evidence.distinct > 3 * CHOICES or (evidence.distinct > CHOICES and _is_worded(evidence))


def _is_worded(evidence: ColumnEvidence) -> bool:
    return 2 * int(evidence.probe.str.contains(SEVERAL_WORDS).sum()) > len(evidence.probe)


def _judge_content(evidence: ColumnEvidence) -> Identifying | None:
    if evidence.kind is Kind.DECIMAL:
        return None
    form = find_form(evidence.probe)
    if form is not None and _allows(evidence, form[0]):
        return _tell(evidence, Ground.CONTENT, form[0].value, form[1])
    if evidence.kind is Kind.INTEGER:
        return _judge_codes(evidence)
    for judge in (_judge_names, _judge_texts, _judge_codes, _judge_words):
        judgement = judge(evidence)
        if judgement is not None:
            return judgement
    return None


def _allows(evidence: ColumnEvidence, form: Form) -> bool:
    """Tell whether a header that speaks of something else still allows that values of a form name people."""
    if form is Form.PHONE and evidence.has(Topic.PLACE) and evidence.has(Topic.NUMBERED):
        return False
    checked = form in (Form.MY_NUMBER, Form.OFFICIAL, Form.DEVICE, Form.ACCOUNT)
    return not (checked and evidence.has(Topic.ITEM, Topic.PRICE, Topic.QUANTITY, Topic.COUNT))


def _measure_names(evidence: ColumnEvidence) -> tuple[float, float, int]:
    """Return the shares of values that are whole names and parts of names or whole ones, and how many these are."""
    rated = [rate_name(text) for text in evidence.probe.to_list()]
    whole = sum(one is Likeness.WHOLE for one in rated)
    named = whole + sum(one is Likeness.PART for one in rated)
    return whole / max(1, len(rated)), named / max(1, len(rated)), named


def _judge_names(evidence: ColumnEvidence) -> Identifying | None:
    whole, named, hits = _measure_names(evidence)
    if hits < min(FEWEST_HITS, evidence.distinct):
        return None
    least = NAMED_DESPITE if evidence.is_innocent else NAMED_SHARE
    if whole >= least or (named >= MOSTLY and not evidence.is_innocent and hits >= FEWEST_HITS):
        return _tell(evidence, Ground.CONTENT, Form.NAMES.value, named)
    return None


def _judge_texts(evidence: ColumnEvidence) -> Identifying | None:
    texts = evidence.values
    worded = texts.filter(texts.str.contains(r"\s|[。、！？・]|[㐀-鿿ぁ-ゖ]{4,}"))
    if len(worded) and not evidence.has(Topic.ITEM):
        within = find_form_within(worded)
        if within is not None:
            return _tell(evidence, Ground.CONTENT, within[0].value, within[1])
        speaking = sum(holds_name(text) for text in worded.head(PROBED).to_list())
        despite = speaking < NAMED_SHARE * len(worded) if evidence.is_innocent else not speaking
        if not despite:
            return _tell(evidence, Ground.CONTENT, Form.SENTENCES.value, speaking / len(texts))
    if is_prose(evidence):
        return _tell(evidence, Ground.CONTENT, Form.PROSE.value)
    return None


def is_prose(evidence: ColumnEvidence) -> bool:
    """Tell whether a column holds what somebody wrote: long texts, or of several words, hardly any twice."""
    if evidence.rows is None or evidence.kind is not Kind.CATEGORY or evidence.distinct <= CHOICES:
        return False
    length = evidence.probe.str.len_chars().sum() / len(evidence.probe)
    long = length >= (LONG + 5 if evidence.topics else LONG)
    return long and evidence.covers(0.25)


def _judge_codes(evidence: ColumnEvidence) -> Identifying | None:
    """Judge codes that few rows share each, under a header that does not say of what."""
    if evidence.rows is None or evidence.is_innocent or evidence.has(Topic.PROPERTY) or evidence.crosses:
        return None
    codes = evidence.probe
    padded = float(codes.str.contains(PADDED).sum()) >= MOSTLY * len(codes)
    if evidence.distinct < (FEWEST_WORDS if padded else FEWEST_CODES):
        return None
    if not padded and not evidence.covers(CODE_SHARE):
        return None
    coded = float((codes.str.contains(CODED) & ~codes.str.contains(MEASURED)).sum()) >= 0.9 * len(codes)
    dated = float(codes.str.contains(DATE_DIGITS).sum()) >= 0.9 * len(codes)
    lengths = codes.str.len_chars()
    long = lengths >= (6 if evidence.kind is Kind.INTEGER else 4)
    fixed = long & lengths.is_in(lengths.value_counts(sort=True)[lengths.name].head(2).implode())
    if coded and not dated and float(fixed.sum()) >= 0.9 * len(codes) and not _is_barcode(codes):
        return _tell(evidence, Ground.CONTENT, Form.CODES.value)
    return None


def _is_barcode(codes: pl.Series) -> bool:
    """Tell whether codes are article numbers: eight, twelve or thirteen digits with the check digit of an EAN."""
    if not bool(codes.str.contains(r"^(?:[0-9]{8}|[0-9]{12,13})$").all()):
        return False
    digits = np.array([[int(sign) for sign in text.zfill(13)] for text in codes.to_list()])
    return float(np.mean(digits @ np.array([1, 3] * 6 + [1]) % 10 == 0)) >= 0.9


def _judge_words(evidence: ColumnEvidence) -> Identifying | None:
    """Judge single words under a header that says nothing: some of them names, the others may be too."""
    if not evidence.is_meaningless or not holds_single_words(evidence):
        return None
    share = _measure_names(evidence)[1]
    return _tell(evidence, Ground.CONTENT, Form.WORDS.value, share) if share >= HINTED_SHARE else None


def holds_single_words(evidence: ColumnEvidence) -> bool:
    """Tell whether a column holds many different single words that could be names by how they are written."""
    single = float(evidence.probe.str.contains(ONE_WORD).sum())
    return evidence.distinct >= FEWEST_WORDS and single >= 0.8 * len(evidence.probe)


def _judge_distinct(evidence: ColumnEvidence) -> Identifying | None:
    if evidence.rows is None or evidence.rows < FEWEST_RECORDS or evidence.kind is Kind.DECIMAL:
        return None
    if not evidence.is_exact or evidence.distinct < IDENTIFYING_SHARE * evidence.rows:
        return None
    told = evidence.has(*AMOUNTS) or evidence.meaning is not None
    if told and (evidence.kind is Kind.INTEGER or _is_share(evidence, AMOUNT)):
        return None
    if _is_share(evidence, DATED):
        return None
    return _tell(evidence, Ground.DISTINCT, "")


def _is_share(evidence: ColumnEvidence, pattern: str) -> bool:
    return float(evidence.probe.str.contains(pattern).sum()) >= 0.9 * len(evidence.probe)
