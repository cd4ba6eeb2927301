"""Whose rows they are: which column says so, and whether it repeats.

What is counted of rows is said of people only where a row is a person. A column says who by its header
(``patient_id``, 患者番号), by its content (names, addresses of mail, codes of which each stands for few rows), or by
its neighbours: what belongs to a person, such as sex and birth, is the same in all rows that have one value of it. Of
two columns the one that speaks of people counts before one that speaks of what belongs to them: a case number that is
distinct in every row says nothing of the patient.

A number that several people share is nobody's: sex or age differ among the rows of a household, a firm, a contract.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import polars as pl

from sekisho.data.frame.dataset import Kind
from sekisho.data.identity.content_judgement import judge_column
from sekisho.data.identity.header_words import ColumnEvidence, Ground, Identifying, Topic, find_topics, list_words
from sekisho.data.identity.survey_headers import is_household_header, is_household_number

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
EXCLUDED = (
    *(Topic.TRANSACTION, Topic.ITEM, Topic.QUASI, Topic.PLACE, Topic.SENSITIVE, Topic.TIME, Topic.PRICE),
    *(Topic.PROPERTY, Topic.STAFF, Topic.REMARKS, Topic.LINK, Topic.ADDRESS, Topic.QUANTITY, Topic.COORDINATE),
)
"""A patient's age is not the patient, nor is who treats them."""
SILENT = frozenset({Topic.NUMBERED, Topic.PERSON, Topic.BELONGING, Topic.CALLED, Topic.COUNT})
"""What a header may speak of where neighbours say that a column is somebody."""
MOST_LOOKED_AT = 20_000
"""Of so many rows about neighbours and content are looked at in a larger file."""
PERSONAL = (Topic.PERSON, Topic.NAME, Topic.CALLED, Topic.CONTACT, Topic.BELONGING, Topic.NUMBER)
NO_HOUSEHOLDS = frozenset(
    {"household", "世帯", "家庭", "foyer", "menage", "hogar", "haushalt", "famiglia", "huishouden"}
)
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
    """A column of which it is asked whether it says whose a row is; its values are looked at where that matters.

    Attributes:
        name: of the column.
        header: what its name, and whatever else the file says of it, speaks of; empty where the file gives none.
        kind: of its values.
        cells: its texts, missing ones empty.
        known: its evidence where it was gathered already.
        judged: whether it names people, where that was judged already.
    """

    name: str
    header: str
    kind: Kind
    cells: pl.Series
    known: ColumnEvidence | None = None
    judged: Identifying | None = None

    @cached_property
    def topics(self) -> Mapping[Topic, str]:
        """What its header speaks of."""
        return find_topics(self.header)

    @cached_property
    def evidence(self) -> ColumnEvidence:
        """Its distinct values, and how many rows have one."""
        if self.known is not None:
            return self.known
        values = self.cells.unique()
        present = len(self.cells) - int((self.cells == "").sum())
        return ColumnEvidence(header=self.header, kind=self.kind, values=values.filter(values != ""), rows=present)

    @cached_property
    def naming(self) -> Identifying | None:
        """Why it names people; None if nothing says so."""
        if self.known is not None:
            return self.judged
        few = self.cells if self.sample is None else self.cells.filter(self.sample)
        values, present = few.unique(), len(few) - int((few == "").sum())
        evidence = ColumnEvidence(header=self.header, kind=self.kind, values=values.filter(values != ""), rows=present)
        return judge_column(evidence)

    @cached_property
    def sample(self) -> pl.Series | None:
        """Which rows are looked at for its neighbours and content: all rows of some values; None for all of them."""
        share = len(self.cells) // MOST_LOOKED_AT
        return None if share < 2 else self.cells.hash(seed=0) % share == 0

    def has(self, *topics: Topic) -> bool:
        """Tell whether the header speaks of one of these."""
        return any(topic in self.topics for topic in topics)

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
    def can_be_owner(self) -> bool:
        """Whether neither its header nor its kind speaks against it."""
        if self.kind in {Kind.DATE, Kind.DECIMAL} or self.has(*EXCLUDED):
            return False
        return not (is_household_number(self.name) or is_household_header(self.name))

    @cached_property
    def is_person(self) -> bool:
        """Whether it numbers people."""
        if not self.can_be_owner or not self._speaks_of_person():
            return False
        numbered = self._is_number_of_owner() and self.distinct > FEWEST_PEOPLE
        return numbered or (self.has(Topic.PERSON) and self._tells_people_apart())

    @cached_property
    def rank(self) -> OwnerRank:
        """How surely its header and its values say whose a row is."""
        if not self.can_be_owner:
            return OwnerRank.NOBODY
        if self.is_person:
            return OwnerRank.PERSON
        if self._is_number_of_owner() and self.distinct > FEWEST_PEOPLE:
            return OwnerRank.BELONGING
        many = self.has(Topic.PERSON) and self.distinct > MANY_PEOPLE and self.kind is not Kind.INTEGER
        by_content = self.naming is not None and self.naming.ground is Ground.CONTENT
        owned = many or by_content or (self.naming is not None and self.has(*PERSONAL))
        return OwnerRank.BELONGING if owned else OwnerRank.NOBODY

    def _is_number_of_owner(self) -> bool:
        """Tell whether the header says that these are numbers of people or of what belongs to them."""
        numbered = self.has(Topic.NUMBERED) and self.has(Topic.PERSON, Topic.BELONGING)
        return self.has(Topic.NUMBER) or numbered

    def _speaks_of_person(self) -> bool:
        """Tell whether the header speaks of a person, not of a contract, a case, an account or a device."""
        word = self.topics.get(Topic.NUMBER) or self.topics.get(Topic.PERSON, "")
        if _holds_word(word, Topic.PERSON):
            return True
        number = self.has(Topic.NUMBER) and not word.endswith(NUMBER_ENDINGS) and word not in DEVICES
        return number and not _holds_word(word, Topic.BELONGING)

    def _tells_people_apart(self) -> bool:
        """Tell whether values under a word for people are codes: not kinds, counts, or names, which two may share."""
        if self.kind is Kind.INTEGER:
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
    people = [column for column in columns if column.is_person]
    distinct = [column for column in people if column.is_distinct]
    said = [column for column in columns if column.name == holder and column.is_distinct]
    repeating = [column for column in people if column.repeats]
    chosen = None
    if repeating or not distinct:
        chosen = _choose_repeating(columns, people, repeating)
    return _make_owner(chosen) if chosen is not None else next(map(_make_owner, (*said, *distinct)), None)


def _make_owner(column: OwnerColumn) -> RowOwner:
    return RowOwner(column=column.name, people=column.distinct, rows=len(column.cells), rank=column.rank)


def _choose_repeating(
    columns: Sequence[OwnerColumn], people: Sequence[OwnerColumn], repeating: Sequence[OwnerColumn]
) -> OwnerColumn | None:
    """Return the column that says whose rows they are where it repeats: of the surest the one with the most values."""
    attributes = [column for column in columns if _belongs_to_person(column)]
    is_distinct = any(column.is_distinct for column in people)
    if is_distinct and attributes:  # another's number may stand in a person's row: who leads or sent them
        repeating = [column for column in repeating if _is_steady(column, attributes, 1)]
    if repeating or is_distinct:
        return max(repeating, key=lambda column: column.distinct, default=None)
    unnamed = [column for column in columns if _may_be_unnamed_person(column)]
    worded = [column for column in unnamed if column.has(Topic.PERSON) and _is_steady(column, attributes, 1)]
    if worded:
        return max(worded, key=lambda column: column.distinct)
    owned = [column for column in columns if column.rank is OwnerRank.BELONGING and column.repeats_much]
    further = [column for column in owned if not _is_shared(column, attributes)]
    further += [column for column in unnamed if _is_steady(column, attributes, FEWEST_STEADY)]
    return max(further, key=lambda column: column.distinct, default=None)


def _belongs_to_person(column: OwnerColumn) -> bool:
    """Tell whether a column says what is the same in all rows of a person, such as sex or birth."""
    if not column.has(Topic.QUASI) or column.has(Topic.TRANSACTION, Topic.ITEM):
        return False
    if column.distinct < FEWEST_PEOPLE or column.present < len(column.cells):
        return False
    most = column.cells.value_counts()["count"].to_numpy().max()
    return bool(most <= MOST_COMMON * len(column.cells))


def _measure_difference(column: OwnerColumn, attribute: OwnerColumn) -> float:
    """Return how often a neighbour differs among rows with one value, 1 being as often as in rows that chance draws."""
    looked_at = column.cells != "" if column.sample is None else (column.cells != "") & column.sample
    pairs = pl.DataFrame({"who": column.cells, "what": attribute.cells}).filter(looked_at)
    further = pairs.height - pairs["who"].n_unique()
    if not further:
        return 1.0
    differs = pl.col("what") != pl.col("what").first().over("who")
    seen = pairs.lazy().select(differs.sum()).collect().item() / further
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
    if column.kind in {Kind.DATE, Kind.DECIMAL} or is_household_number(column.name) or is_household_header(column.name):
        return False
    topics = column.topics
    same = {topic for topic, word in topics.items() if word == topics.get(Topic.PERSON)}  # a subject is also an item
    if topics.keys() - SILENT - same or any(word in column.name.casefold() for word in DESIGN):
        return False
    least = FEWEST_UNNAMED if column.has(Topic.PERSON) else MANY_PEOPLE
    return column.distinct >= least and column.repeats_much and column.rank is OwnerRank.NOBODY


def _holds_word(word: str, topic: Topic) -> bool:
    shortest = SHORTEST_WORD if word.isascii() else SHORTEST_EASTERN
    return any(part in word for part in list_words()[topic] - NO_HOUSEHOLDS if len(part) >= shortest)
