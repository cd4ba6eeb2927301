"""What the columns of a history say of an event: when, what, how much, how many.

A name decides where it speaks; else the likeliest column of the right kind is taken. What is one and the same for all
rows of a person, such as a birth date or a tariff, is his and says nothing of an event. Of a code and a name of the
item the name is the item.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from sekisho.data.frame.dataset import Kind, Meaning
from sekisho.data.identity.header_words import Topic
from sekisho.gate.profiling.column_look import ColumnLook

MEANINGS = {
    Meaning.TIME: (Topic.TIME, (Kind.DATE,)),
    Meaning.ITEM: (Topic.ITEM, (Kind.CATEGORY, Kind.INTEGER)),
    Meaning.PRICE: (Topic.PRICE, (Kind.DECIMAL, Kind.INTEGER)),
    Meaning.QUANTITY: (Topic.QUANTITY, (Kind.INTEGER, Kind.DECIMAL)),
}
VARIES = 1.1
"""A person has so many different values on average, at least, in a column that tells of events."""
TOLD_APART = 1.1
CODED = r"^[A-Za-z]{0,4}[-_ ]?[0-9]{2,}[A-Za-z0-9-]*$"
NEARLY_ALL = 0.9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Candidate:
    """A column that may say something of an event, and whether it differs among a person's rows."""

    look: ColumnLook
    varies: bool

    def has(self, *topics: Topic) -> bool:
        return self.look.has(*topics)


def find_meanings(columns: Sequence[ColumnLook], person: ColumnLook) -> dict[int, Meaning]:
    """Return by place which column says when, what, how much and how many."""
    fit = [each for each in columns if each.distinct > 1 and each.naming is None]
    candidates = [_Candidate(look=each, varies=_does_vary(each, person)) for each in fit]
    means = dict[int, Meaning]()
    for meaning, find in FINDERS.items():
        kinds = MEANINGS[meaning][1]
        free = [each for each in candidates if each.look.kind in kinds and each.look.place not in means]
        best = find(free)
        if best is not None:
            means[best.look.place] = meaning
    return means


def _does_vary(look: ColumnLook, person: ColumnLook) -> bool:
    pairs = pl.DataFrame({"person": person.text, "value": look.text}).n_unique()
    return pairs > VARIES * person.distinct


def _find_time(candidates: Sequence[_Candidate]) -> _Candidate | None:
    """Return the day of the event: rather one that varies and hardly ever is missing than a birth date."""
    return max(
        candidates,
        key=lambda each: (
            each.varies and not each.has(Topic.QUASI),
            each.has(Topic.TIME),
            2 * each.look.present > each.look.rows,
            -each.look.place,
        ),
        default=None,
    )


def _find_item(candidates: Sequence[_Candidate]) -> _Candidate | None:
    """Return what the event is about: a name before a code, a ware before the shop; else the likeliest category."""
    named = [each for each in candidates if each.has(Topic.ITEM)]
    if any(each.varies for each in named):
        return max((each for each in named if each.varies), key=_rank_item)
    told = (Topic.QUASI, Topic.PLACE, Topic.TIME, Topic.PRICE, Topic.QUANTITY)
    plain = [
        each
        for each in candidates
        if each.varies and each.look.kind is Kind.CATEGORY and not each.has(*told) and each.look.postal < NEARLY_ALL
    ]
    return max(plain or named, key=_rank_item, default=None)


def _rank_item(candidate: _Candidate) -> tuple[bool, bool, bool, int, int]:
    look = candidate.look
    return (
        not candidate.has(Topic.VENUE),
        not is_code(look),
        not candidate.has(Topic.PROPERTY),
        look.distinct,
        -look.place,
    )


def is_code(look: ColumnLook) -> bool:
    """Tell whether a column of items holds codes rather than names."""
    values = look.evidence.probe
    return float(values.str.contains(CODED).sum()) >= NEARLY_ALL * len(values)


def _find_price(candidates: Sequence[_Candidate]) -> _Candidate | None:
    """Return what was paid: the whole before a part of it, a price before what is left on an account."""
    named = [each for each in candidates if each.has(Topic.PRICE)]
    silent = [each for each in candidates if not each.look.topics.keys() - {Topic.TRANSACTION}]
    plain = [each for each in silent if each.look.kind is Kind.DECIMAL]
    if not named:
        return max(plain, key=lambda each: each.look.distinct, default=None)
    return max(
        named,
        key=lambda each: (
            not each.has(Topic.PART) or (each.has(Topic.WHOLE) and not each.has(Topic.SENSITIVE)),
            each.varies,
            each.has(Topic.WHOLE),
            not each.has(Topic.SENSITIVE, Topic.QUANTITY),
            -each.look.place,
        ),
    )


def _find_quantity(candidates: Sequence[_Candidate]) -> _Candidate | None:
    named = [each for each in candidates if each.has(Topic.QUANTITY)]
    plain = [each for each in candidates if not each.look.topics and each.look.kind is Kind.INTEGER]
    if named:
        return named[0]
    return max(plain, key=lambda each: each.look.distinct, default=None)


FINDERS = {
    Meaning.TIME: _find_time,
    Meaning.ITEM: _find_item,
    Meaning.PRICE: _find_price,
    Meaning.QUANTITY: _find_quantity,
}


def find_item_twins(
    columns: Sequence[ColumnLook], item: ColumnLook, means: Mapping[int, Meaning]
) -> tuple[ColumnLook, ...]:
    """Return the further columns that tell the same as the item: its code, another name of it."""
    open_columns = [each for each in columns if each.place not in means and each.distinct > 1 and each.naming is None]
    return tuple(each for each in open_columns if _is_twin(each, item))


def _is_twin(look: ColumnLook, item: ColumnLook) -> bool:
    spoken = look.has(Topic.QUASI, Topic.PLACE, Topic.SENSITIVE, Topic.TIME, Topic.PRICE, Topic.QUANTITY)
    if look.kind.numeric and not look.has(Topic.ITEM, Topic.NUMBERED):
        return False
    if spoken or look.missing or min(look.distinct, item.distinct) * TOLD_APART < max(look.distinct, item.distinct):
        return False
    pairs = pl.DataFrame({"item": item.text, "other": look.text}).n_unique()
    return pairs <= TOLD_APART * max(look.distinct, item.distinct)
