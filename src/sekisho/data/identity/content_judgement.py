"""Whether a column names people by what stands in it, whatever its header says.

A header that speaks of wares, places, dates, amounts or illnesses is believed, unless the values are by their form what
names people: a town may be called Florence, and a ware Johnson, but no town has a mail address.

Whether a column names people by its header.

A header is believed unless what stands below it is plainly something else (``email`` above yes and no, ``住所`` above
names of prefectures). What can be either is taken for naming people, and asked about.

How many of a column's values are names of people.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import polars as pl

from sekisho.data.frame.dataset import Kind
from sekisho.data.identity.forms import IdentityForm, find_form, find_form_within
from sekisho.data.identity.header_words import ColumnEvidence, Ground, Identifying, Topic, fold, list_flags
from sekisho.data.identity.person_names import Likeness, holds_name, rate_name

NAMED_SHARE, NAMED_DESPITE = 0.3, 0.6
"""So many values must be whole names; so many where the header speaks of something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NameShares:
    """Shares of some distinct texts.

    Attributes:
        whole: those that are given and family name, or have a title.
        named: those that are at least one of both.
        hits: how many these are.
    """

    whole: float
    named: float
    hits: int


def measure_names(texts: pl.Series) -> NameShares:
    """Return how many of some distinct texts are names."""
    rated = [rate_name(text) for text in texts.to_list()]
    whole = sum(one is Likeness.WHOLE for one in rated)
    hits = whole + sum(one is Likeness.PART for one in rated)
    return NameShares(whole=whole / max(1, len(rated)), named=hits / max(1, len(rated)), hits=hits)


MOSTLY, HINTED_SHARE, REGIONS = 0.5, 0.1, 0.2
CHOICES = 10
"""So few texts are a list to choose from, not what somebody wrote."""
SEVERAL_WORDS = r"\S\s+\S+\s+\S|[。、！？]"
FINE = r"[0-9][.,][0-9]{3,}|[0-9]+[°度].*[0-9]+.*[0-9]+"
"""Degrees with three decimals or more, or with minutes and seconds."""


def judge_header(evidence: ColumnEvidence) -> Identifying | None:
    """Return that the header names people; None if it does not, or if the values speak against it."""
    if _holds_flags(evidence):
        return None
    word = next(_list_words(evidence), "")
    return Identifying(column=evidence.header, ground=Ground.HEADER, sign=word) if word else None


def _list_words(evidence: ColumnEvidence) -> Iterator[str]:
    """Give the words of the header that say that people are named, the surest first."""
    topics = evidence.topics
    if Topic.PROPERTY in topics and not (Topic.NUMBERED in topics and Topic.PERSON in topics):
        return
    yield from (topics[topic] for topic, bears_out in NAMING.items() if topic in topics and bears_out(evidence))
    if Topic.CALLED in topics and Topic.PERSON in topics:
        yield topics[Topic.PERSON]
    if evidence.is_innocent and not _numbers_many(evidence):
        return
    owner = topics.get(Topic.PERSON) or topics.get(Topic.BELONGING)
    if Topic.NUMBERED in topics and owner and not _counts(evidence):
        yield owner
    coded = Topic.NUMBERED in topics or evidence.distinct > CHOICES or evidence.share("[0-9]{4,}") > MOSTLY
    if Topic.TRANSACTION in topics and coded and evidence.kind is not Kind.DECIMAL and not _counts(evidence):
        yield topics[Topic.TRANSACTION]
    if Topic.CALLED in topics and evidence.kind is Kind.CATEGORY and _may_be_people(evidence):
        yield topics[Topic.CALLED]
    if Topic.PERSON in topics and not _counts(evidence) and evidence.distinct > 2 * CHOICES:
        yield topics[Topic.PERSON]
    if Topic.NUMBERED in topics and evidence.covers(MOSTLY) and evidence.kind is not Kind.DECIMAL:
        yield topics[Topic.NUMBERED]


def _numbers_many(evidence: ColumnEvidence) -> bool:
    """Tell whether these are numbers of people or transactions, few rows each, whatever else the header speaks of."""
    numbered = evidence.has(Topic.NUMBERED) and evidence.has(Topic.PERSON, Topic.BELONGING, Topic.TRANSACTION)
    many = evidence.distinct > FEWEST_CODES and evidence.covers(CODE_SHARE)
    return numbered and many and evidence.meaning is None and not evidence.has(Topic.ITEM, Topic.PRICE, Topic.QUANTITY)


def _can_be_address(evidence: ColumnEvidence) -> bool:
    """Tell whether texts can be addresses: with numbers, or more of them than there are regions."""
    return not evidence.kind.numeric and (evidence.share("[0-9０-９]") >= HINTED_SHARE or evidence.covers(REGIONS))


def _can_be_number(evidence: ColumnEvidence) -> bool:
    told = evidence.has(Topic.PRICE, Topic.TIME)
    return evidence.kind is not Kind.DECIMAL and not told and not _counts(evidence)


def _can_be_fine(evidence: ColumnEvidence) -> bool:
    """Tell whether numbers or texts are places exact to more than two decimals."""
    long = evidence.kind is Kind.INTEGER and bool((evidence.probe.str.len_chars() >= 6).all())
    return long or evidence.share(FINE) >= HINTED_SHARE


def _can_be_written(evidence: ColumnEvidence) -> bool:
    """Tell whether texts can be what somebody wrote."""
    if evidence.kind.numeric or evidence.has(Topic.ITEM):
        return False
    worded = evidence.share(SEVERAL_WORDS) > MOSTLY
    return evidence.distinct > (CHOICES if worded else 3 * CHOICES)


NAMING: dict[Topic, Callable[[ColumnEvidence], bool]] = {
    Topic.NAME: lambda evidence: not evidence.kind.numeric,
    Topic.CONTACT: _can_be_number,
    Topic.ADDRESS: _can_be_address,
    Topic.NUMBER: _can_be_number,
    Topic.LINK: lambda evidence: (
        not evidence.kind.numeric and (evidence.distinct > CHOICES or find_form(evidence.probe) is not None)
    ),
    Topic.COORDINATE: _can_be_fine,
    Topic.REMARKS: _can_be_written,
    Topic.STAFF: lambda evidence: not evidence.kind.numeric or evidence.distinct > CHOICES,
}
"""What names people, each with whether the values can be so."""


def _counts(evidence: ColumnEvidence) -> bool:
    """Tell whether the values are small whole numbers that many rows share, as counts are."""
    if evidence.kind is not Kind.INTEGER or evidence.covers(MOSTLY):
        return False
    return bool((evidence.probe.str.len_chars() <= 3).all()) and not bool(evidence.probe.str.contains("^0[0-9]").any())


def _holds_flags(evidence: ColumnEvidence) -> bool:
    """Tell whether the values only say yes or no, or the like."""
    flags = list_flags()
    few = evidence.distinct <= len(flags)
    return few and all(text.strip().casefold() in flags for text in evidence.values.to_list())


def _may_be_people(evidence: ColumnEvidence) -> bool:
    """Tell whether a column that is only called a name can be of people.

    Not if it is as wares are in a history, nor if something unknown has but few names, unless they are of people.
    """
    alone = fold(evidence.header).strip() == evidence.topics[Topic.CALLED]
    many = evidence.distinct > 3 * CHOICES or evidence.covers(REGIONS)
    if not evidence.crosses and (alone or many):
        return True
    return measure_names(evidence.probe).whole >= NAMED_SHARE


IDENTIFYING_SHARE = Fraction(9, 10)
"""A column with at least so many distinct values per record names people."""
IDENTIFYING_NUMBERS = Fraction(97, 100)
"""Of whole numbers so many: amounts differ mostly, numbers of people always."""
FEWEST_RECORDS = 20
"""Of fewer records a column may well have as many values as there are records and name nobody."""
NEARLY_ALL = 0.9
FEWEST_HITS = 3
FEWEST_CODES, FEWEST_WORDS = 50, 15
CODE_SHARE = 0.05
LONG = 25
READ = 3000
AMOUNTS = (
    *(Topic.PRICE, Topic.QUANTITY, Topic.COUNT, Topic.SENSITIVE, Topic.TIME, Topic.QUASI, Topic.PROPERTY),
    *(Topic.WHOLE, Topic.PART, Topic.SUMMED, Topic.SUBJECT),
)
CHECKED = (IdentityForm.MY_NUMBER, IdentityForm.OFFICIAL, IdentityForm.DEVICE, IdentityForm.ACCOUNT)
"""Forms of digits, which article numbers and amounts may have by chance."""
ONE_WORD = r"^[A-ZÀ-Þ][A-Za-zÀ-ÿ'’-]+$|^[㐀-鿿々]{2,4}$|^[ァ-ヺー]{2,8}$"
DATE_DIGITS = r"^(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:[0-2][0-9]|3[01])$"
CODED = r"^[A-Za-z0-9/_.-]*[0-9]{3,}[A-Za-z0-9/_.-]*$"
AMOUNT = r"^[\s¥￥$€£+▲△(-]*[0-9][0-9.,' ]*\s*(?:円|元|원|€|[A-Za-z%]{1,4})?\)?$"
"""A number with marks between thousands, a currency or a unit."""
DATED = (
    r"^\s*(?:19|20)[0-9]{2}[-/. ][0-9]{1,2}[-/. ][0-9]{1,2}(?:[ T].*)?$"
    r"|^\s*(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])[0-3][0-9]$"
    r"|^\s*[0-3]?[0-9][-/. ][0-3]?[0-9][-/. ](?:(?:19|20)[0-9]{2}|[0-9]{2})(?:[ T](?:[0-9]{1,2}:|[^0-9]).*)?$"
    r"|[0-9]+ *年 *[0-9]+ *月|^(?:[MTSHR]|明治|大正|昭和|平成|令和)\.?[0-9]{1,2}[-/.][0-9]{1,2}"
    r"|(?i)^[0-9]{1,2}[ .-][a-zäéûç]{3,9}[ .,-]+[0-9]{2,4}$|(?i)^[a-z]{3,9} [0-9]{1,2},? [0-9]{4}$"
)
"""A date in whatever format."""
PADDED, LONG_CODE = r"^0[0-9]{6,}$", "[0-9]{5,}"
MEASURED = r"^[+-]?[0-9.,]+ ?[A-Za-z%/]{1,4}$|^[0-9]+[.,][0-9]+$"
"""An amount with its unit, which is no code."""


def judge_column(evidence: ColumnEvidence) -> Identifying | None:
    """Return why a column names people; None if nothing says so."""
    if evidence.kind is Kind.DATE or not evidence.distinct:
        return None
    return judge_header(evidence) or _judge_content(evidence) or _judge_distinct(evidence)


def _judge_content(evidence: ColumnEvidence) -> Identifying | None:
    if evidence.kind is Kind.DECIMAL or evidence.share(DATED) >= NEARLY_ALL:
        return None
    form = find_form(evidence.probe)
    if form is not None and _allows(evidence, form[0]):
        return _tell(evidence, form[0], form[1])
    if evidence.kind is Kind.INTEGER:
        return _judge_codes(evidence)
    for judge in (_judge_names, _judge_texts, _judge_codes, _judge_words):
        judgement = judge(evidence)
        if judgement is not None:
            return judgement
    return None


def _allows(evidence: ColumnEvidence, form: IdentityForm) -> bool:
    """Tell whether a header that speaks of something else still allows that values of a form name people."""
    if form is IdentityForm.PHONE and evidence.has(Topic.PLACE) and evidence.has(Topic.NUMBERED):
        return False
    return not (form in CHECKED and evidence.has(Topic.ITEM, Topic.PRICE, Topic.QUANTITY, Topic.COUNT))


def _judge_names(evidence: ColumnEvidence) -> Identifying | None:
    names = measure_names(evidence.probe)
    fewest = FEWEST_HITS - 1 if evidence.is_meaningless else FEWEST_HITS
    if names.hits < min(fewest, evidence.distinct):
        return None
    least = NAMED_DESPITE if evidence.is_innocent else NAMED_SHARE
    single = names.named >= MOSTLY and not evidence.is_innocent and names.hits >= fewest
    if names.whole >= least or single:
        return _tell(evidence, IdentityForm.NAMES, names.named)
    return None


def _judge_texts(evidence: ColumnEvidence) -> Identifying | None:
    texts = evidence.values
    worded = texts.filter(texts.str.contains(r"\s|[。、！？・]|[㐀-鿿ぁ-ゖ]{4,}"))
    within = None if evidence.has(Topic.ITEM) else find_form_within(texts)
    if within is not None:
        return _tell(evidence, within[0], within[1])
    if len(worded) and not evidence.has(Topic.ITEM):
        speaking = sum(holds_name(text) for text in worded.head(READ).to_list())
        despite = speaking < NAMED_SHARE * len(worded) if evidence.is_innocent else not speaking
        if not despite:
            return _tell(evidence, IdentityForm.SENTENCES, speaking / len(texts))
    if is_prose(evidence):
        return _tell(evidence, IdentityForm.PROSE)
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
    if evidence.rows is None or evidence.is_innocent or evidence.has(Topic.PROPERTY):
        return None
    if evidence.crosses and not evidence.has(Topic.PERSON, Topic.BELONGING):
        return None
    codes = evidence.probe
    padded = evidence.share(PADDED) >= MOSTLY
    long = padded or (evidence.kind is Kind.CATEGORY and evidence.share(LONG_CODE) >= NEARLY_ALL)
    if evidence.distinct <= (min(CHOICES, evidence.rows // 4) if long else FEWEST_CODES):
        return None
    if not padded and not evidence.covers(CODE_SHARE):
        return None
    coded = float((codes.str.contains(CODED) & ~codes.str.contains(MEASURED)).sum()) >= NEARLY_ALL * len(codes)
    dated = evidence.share(DATE_DIGITS) >= NEARLY_ALL
    lengths = codes.str.len_chars()
    usual = lengths.alias("length").value_counts(sort=True)["length"].head(2)
    fixed = (lengths >= (6 if evidence.kind is Kind.INTEGER else 4)) & lengths.is_in(usual.implode())
    if coded and not dated and float(fixed.sum()) >= NEARLY_ALL * len(codes) and not _is_barcode(codes):
        return _tell(evidence, IdentityForm.CODES)
    return None


def _is_barcode(codes: pl.Series) -> bool:
    """Tell whether codes are article numbers: eight, twelve or thirteen digits with the check digit of an EAN."""
    if not bool(codes.str.contains(r"^(?:[0-9]{8}|[0-9]{12,13})$").all()):
        return False
    digits = np.array([[int(sign) for sign in text.zfill(13)] for text in codes.to_list()])
    return float(np.mean(digits @ np.array([1, 3] * 6 + [1]) % 10 == 0)) >= NEARLY_ALL


def _judge_words(evidence: ColumnEvidence) -> Identifying | None:
    """Judge single words under a header that says nothing: some of them names, the others may be too."""
    if not evidence.is_meaningless or not holds_single_words(evidence):
        return None
    share = measure_names(evidence.probe).named
    return _tell(evidence, IdentityForm.WORDS, share) if share >= HINTED_SHARE else None


def holds_single_words(evidence: ColumnEvidence) -> bool:
    """Tell whether a column holds many different single words that could be names by how they are written."""
    single = float(evidence.probe.str.contains(ONE_WORD).sum())
    return evidence.distinct >= FEWEST_WORDS and single >= 0.8 * len(evidence.probe)


def _judge_distinct(evidence: ColumnEvidence) -> Identifying | None:
    if evidence.rows is None or evidence.rows < FEWEST_RECORDS or evidence.kind is Kind.DECIMAL:
        return None
    least = IDENTIFYING_NUMBERS if evidence.kind is Kind.INTEGER else IDENTIFYING_SHARE
    if not evidence.is_exact or evidence.distinct < least * evidence.rows:
        return None
    told = evidence.has(*AMOUNTS) or evidence.meaning is not None
    if told and (evidence.kind is Kind.INTEGER or evidence.share(AMOUNT) >= NEARLY_ALL):
        return None
    return None if evidence.share(DATED) >= NEARLY_ALL else Identifying(column=evidence.header, ground=Ground.DISTINCT)


def _tell(evidence: ColumnEvidence, form: IdentityForm, share: float | None = None) -> Identifying:
    return Identifying(column=evidence.header, ground=Ground.CONTENT, sign=form.value, share=share)
