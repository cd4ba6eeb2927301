"""Whether a column names people by its header.

A header is believed unless what stands below it is plainly something else (``email`` above yes and no, ``住所`` above
names of prefectures). What can be either is taken for naming people, and asked about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sekisho.data.frame.schema import Kind
from sekisho.data.identity.column_evidence import ColumnEvidence, Ground, Identifying
from sekisho.data.identity.forms import find_form
from sekisho.data.identity.header_words import Topic, fold, list_flags
from sekisho.data.identity.name_shares import NAMED_SHARE, measure_names

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
    if evidence.is_innocent:
        return
    owner = topics.get(Topic.PERSON) or topics.get(Topic.BELONGING)
    if Topic.NUMBERED in topics and owner and not _counts(evidence):
        yield owner
    coded = Topic.NUMBERED in topics or evidence.distinct > CHOICES or evidence.share("[0-9]{4,}") > MOSTLY
    if Topic.TRANSACTION in topics and coded and not _counts(evidence):
        yield topics[Topic.TRANSACTION]
    if Topic.CALLED in topics and evidence.kind is Kind.CATEGORY and _may_be_people(evidence):
        yield topics[Topic.CALLED]
    if Topic.PERSON in topics and not _counts(evidence) and evidence.distinct > 2 * CHOICES:
        yield topics[Topic.PERSON]
    if Topic.NUMBERED in topics and evidence.covers(MOSTLY) and evidence.kind is not Kind.DECIMAL:
        yield topics[Topic.NUMBERED]


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
