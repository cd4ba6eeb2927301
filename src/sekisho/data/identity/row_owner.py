"""Whose rows they are: which column says so, and whether it repeats.

What is counted of rows is said of people only where a row is a person. A column says who by its header (``patient_id``,
患者番号), by its content (names, addresses of mail, codes of which each stands for few rows), or by its neighbours: what
belongs to a person, such as sex and birth, is the same in all rows that have one value of it. Of two columns the one
that speaks of people counts before one that speaks of what belongs to them: a case number that is distinct in every row
says nothing of the patient.

A number that several people share is nobody's: sex or age differ among the rows of a household, a firm, a contract.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import polars as pl

from sekisho.data.frame.dataset import Kind
from sekisho.data.identity.header_words import ColumnEvidence, Ground, Identifying, Topic, list_words
from sekisho.data.identity.household_headers import is_household_header, is_household_number

MEAN_ROWS = 1.25
"""Somebody has so many rows on average, at least, where a name, a telephone or a code is taken to say who."""
LEAST_PRESENT = 0.5
"""In so many rows a column must have a value, at least, to say whose rows they are."""
STEADY, SHARED = 0.1, 0.5
"""So often what belongs to a person differs among their rows at most, and among rows that people share at least."""
MOST_COMMON = 0.95
"""A column in which so many rows have one value tells nothing of its neighbours."""
FEWEST_REPEATED = 5
"""So many rows must be further ones of somebody, at least, for neighbours to tell anything."""
FEWEST_STEADY = 2
"""So many neighbours must be steady where the header says nothing."""
FEWEST_PEOPLE, FEWEST_UNNAMED, MANY_PEOPLE = 2, 10, 20
SHORTEST_WORD, SHORTEST_EASTERN = 4, 2
PER_CENT = 100
EXCLUDED = (
    *(Topic.TRANSACTION, Topic.ITEM, Topic.QUASI, Topic.PLACE, Topic.SENSITIVE, Topic.TIME, Topic.PRICE),
    *(Topic.PROPERTY, Topic.STAFF, Topic.REMARKS, Topic.LINK, Topic.ADDRESS, Topic.QUANTITY, Topic.COORDINATE),
)
"""A patient's age is not the patient, nor is who treats them."""
SILENT = frozenset({Topic.NUMBERED, Topic.PERSON, Topic.BELONGING, Topic.CALLED, Topic.COUNT})
"""What a header may speak of where neighbours say that a column is somebody."""
PERSONAL = (Topic.PERSON, Topic.NAME, Topic.CALLED, Topic.CONTACT, Topic.BELONGING, Topic.NUMBER)
NO_HOUSEHOLDS = frozenset({"household", "世帯", "家庭", "foyer", "menage", "hogar", "haushalt", "famiglia", "huishouden"})
DESIGN = frozenset({"stratum", "strata", "psu", "ssu", "cluster", "schicht", "strate", "estrato", "層"})
"""Words of the design of a sample, which tell many people alike."""


NUMBER_ENDINGS = ("no", "nr", "number", "nummer", "code", "番号", "コード")
"""How a number ends that says of what it is: where that is no person, it is something else, such as a case."""


DEVICES = frozenset(
    {"imei", "imsi", "iccid", "mac", "macaddress", "devicemac", "uuid", "guid", "udid", "idfa", "gaid", "serialno"}
    | {"車載機番号", "車載器番号", "改札機番号", "券売機番号", "読取機番号", "obuid", "onboardunitid"}
)
"""Numbers of devices, which somebody has."""


class OwnerRank(IntEnum):
    """How surely a column says whose a row is."""

    NOBODY = 0
    BELONGING = 1
    """It names what belongs to somebody, or looks like a name, an address or a code."""
    PERSON = 2
    """It numbers people."""


@dataclass(frozen=True, kw_only=True, eq=False)
class OwnerColumn:
    """A column of which it is asked whether it says whose a row is.

    Attributes:
        name: of the column.
        evidence: its header, kind and distinct values, and how many rows have one.
        cells: its texts, missing ones empty.
        naming: why it names people; None if nothing says so.
    """

    name: str
    evidence: ColumnEvidence
    cells: pl.Series
    naming: Identifying | None = None

    @property
    def distinct(self) -> int:
        """How many different values there are."""
        return self.evidence.distinct

    @property
    def present(self) -> int:
        """How many rows have one."""
        return len(self.cells) if self.evidence.rows is None else self.evidence.rows

    @property
    def is_distinct(self) -> bool:
        """Whether every row has a value that no other row has."""
        return self.distinct == len(self.cells)

    @property
    def repeats(self) -> bool:
        """Whether two rows have one value."""
        return FEWEST_PEOPLE <= self.distinct < self.present

    @property
    def repeats_much(self) -> bool:
        """Whether most rows have a value, and a value has several rows on average."""
        enough = self.present >= max(MEAN_ROWS * self.distinct, LEAST_PRESENT * len(self.cells))
        return enough and self.distinct >= FEWEST_PEOPLE

    @cached_property
    def rank(self) -> OwnerRank:
        """How surely its header and its values say whose a row is."""
        evidence = self.evidence
        if evidence.kind in {Kind.DATE, Kind.DECIMAL} or evidence.has(*EXCLUDED):
            return OwnerRank.NOBODY
        if is_household_number(self.name) or is_household_header(self.name):
            return OwnerRank.NOBODY
        if _is_number_of_owner(evidence) and self.distinct > FEWEST_PEOPLE:
            return OwnerRank.PERSON if _speaks_of_person(evidence) else OwnerRank.BELONGING
        if evidence.has(Topic.PERSON) and _speaks_of_person(evidence) and self._tells_people_apart():
            return OwnerRank.PERSON
        many = evidence.has(Topic.PERSON) and self.distinct > MANY_PEOPLE and evidence.kind is not Kind.INTEGER
        by_content = self.naming is not None and self.naming.ground is Ground.CONTENT
        owned = many or by_content or (self.naming is not None and evidence.has(*PERSONAL))
        return OwnerRank.BELONGING if owned else OwnerRank.NOBODY

    def _tells_people_apart(self) -> bool:
        """Tell whether values under a word for people are codes: not kinds, counts, or names, which two may share."""
        if self.evidence.kind is Kind.INTEGER:
            return False
        return bool(self.evidence.probe.str.contains("[0-9]").all()) and self.distinct > FEWEST_PEOPLE


@dataclass(frozen=True, slots=True, kw_only=True)
class RowOwner:
    """The column that says whose rows they are.

    Attributes:
        column: its name.
        people: how many people it tells apart.
        rows: how many rows there are.
        rank: how surely it says so by its header and values.
    """

    column: str
    people: int
    rows: int
    rank: OwnerRank

    @property
    def repeats(self) -> bool:
        """Whether somebody has several rows, or some row nobody."""
        return self.people < self.rows


def find_row_owner(columns: Sequence[OwnerColumn], *, holder: str = "") -> RowOwner | None:
    """Return the column that says whose rows they are; None if none does.

    Args:
        columns: all columns of a file, also those that are not read.
        holder: the column that whoever holds the data calls the identifier; empty if none.
    """
    if not columns:
        return None
    attributes = [column for column in columns if _belongs_to_person(column)]
    repeating = _find_repeating(columns, attributes)
    if repeating is not None:
        return _make_owner(repeating)
    named = [column for column in columns if column.is_distinct and column.rank is OwnerRank.PERSON]
    said = [column for column in columns if column.is_distinct and column.name == holder]
    return next((_make_owner(column) for column in (*said, *named)), None)


def _make_owner(column: OwnerColumn) -> RowOwner:
    return RowOwner(column=column.name, people=column.distinct, rows=len(column.cells), rank=column.rank)


def _find_repeating(columns: Sequence[OwnerColumn], attributes: Sequence[OwnerColumn]) -> OwnerColumn | None:
    """Return the column that says whose rows they are where it repeats: of the surest the one with the most values."""
    people = [column for column in columns if column.rank is OwnerRank.PERSON]
    repeating = [column for column in people if column.repeats]
    if any(column.is_distinct for column in people):  # another's number may stand in a person's row: who leads them
        repeating = [column for column in repeating if not attributes or _is_steady(column, attributes, 1)]
    if repeating:
        return max(repeating, key=lambda column: column.distinct)
    if any(column.is_distinct for column in people):
        return None
    worded = [column for column in columns if column.evidence.has(Topic.PERSON) and _may_be_unnamed_person(column)]
    steady = [column for column in worded if _is_steady(column, attributes, 1)]
    if steady:
        return max(steady, key=lambda column: column.distinct)
    owned = [column for column in columns if column.rank is OwnerRank.BELONGING and column.repeats_much]
    unnamed = [column for column in columns if _may_be_unnamed_person(column)]
    further = [column for column in owned if not _is_shared(column, attributes)]
    further += [column for column in unnamed if _is_steady(column, attributes, FEWEST_STEADY)]
    return max(further, key=lambda column: column.distinct, default=None)


def _belongs_to_person(column: OwnerColumn) -> bool:
    """Tell whether a column says what is the same in all rows of a person, such as sex or birth."""
    if not column.evidence.has(Topic.QUASI) or column.evidence.has(Topic.TRANSACTION, Topic.ITEM):
        return False
    if column.distinct < FEWEST_PEOPLE or column.present < len(column.cells):
        return False
    most = column.cells.value_counts()["count"].to_numpy().max()
    return bool(most <= MOST_COMMON * len(column.cells))


def _measure_difference(column: OwnerColumn, attribute: OwnerColumn) -> float:
    """Return how often a neighbour differs among rows with one value, 1 being as often as in rows that chance draws."""
    pairs = pl.DataFrame({"who": column.cells, "what": attribute.cells}).filter(column.cells != "")
    differs = pl.col("what") != pl.col("what").first().over("who")
    seen = pairs.lazy().select(differs.sum()).collect().item() / (column.present - column.distinct)
    shares = attribute.cells.value_counts()["count"].to_numpy() / len(attribute.cells)
    return float(seen / (1 - (shares**2).sum()))


def _is_steady(column: OwnerColumn, attributes: Sequence[OwnerColumn], least: int) -> bool:
    """Tell whether some neighbours are the same in all rows with one value, and several rows have one."""
    if column.present - column.distinct < FEWEST_REPEATED:
        return False
    steady = 0
    for attribute in attributes:
        if attribute is not column and attribute.distinct <= column.distinct:
            steady += _measure_difference(column, attribute) <= STEADY
        if steady >= least:
            return True
    return False


def _is_shared(column: OwnerColumn, attributes: Sequence[OwnerColumn]) -> bool:
    """Tell whether all that belongs to a person differs among the rows with one value."""
    if not attributes or column.present - column.distinct < FEWEST_REPEATED:
        return False
    others = [attribute for attribute in attributes if attribute is not column]
    return bool(others) and all(_measure_difference(column, attribute) > SHARED for attribute in others)


def _may_be_unnamed_person(column: OwnerColumn) -> bool:
    """Tell whether a column whose header says nothing has as many values as people may have."""
    evidence = column.evidence
    if column.rank is not OwnerRank.NOBODY or evidence.kind in {Kind.DATE, Kind.DECIMAL}:
        return False
    topics = evidence.topics
    same = {topic for topic, word in topics.items() if word == topics.get(Topic.PERSON)}  # a subject is also an item
    if topics.keys() - SILENT - same or is_household_number(column.name) or is_household_header(column.name):
        return False
    folded = column.name.casefold()
    least = FEWEST_UNNAMED if evidence.has(Topic.PERSON) else MANY_PEOPLE
    return column.distinct >= least and column.repeats_much and not any(word in folded for word in DESIGN)


def _is_number_of_owner(evidence: ColumnEvidence) -> bool:
    """Tell whether a header says that these are numbers of people or of what belongs to them."""
    numbered = evidence.has(Topic.NUMBERED) and evidence.has(Topic.PERSON, Topic.BELONGING)
    return evidence.has(Topic.NUMBER) or numbered


def _speaks_of_person(evidence: ColumnEvidence) -> bool:
    """Tell whether a header speaks of a person, not of a contract, a case, an account or a device."""
    word = evidence.topics.get(Topic.NUMBER) or evidence.topics.get(Topic.PERSON, "")
    if _holds_word(word, Topic.PERSON):
        return True
    number = Topic.NUMBER in evidence.topics and not word.endswith(NUMBER_ENDINGS) and word not in DEVICES
    return number and not _holds_word(word, Topic.BELONGING)


def _holds_word(word: str, topic: Topic) -> bool:
    shortest = SHORTEST_WORD if word.isascii() else SHORTEST_EASTERN
    return any(part in word for part in list_words()[topic] - NO_HOUSEHOLDS if len(part) >= shortest)
