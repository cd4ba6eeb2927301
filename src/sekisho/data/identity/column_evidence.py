"""What is known of a column by which it is judged whether it names people, and the finding."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import polars as pl

from sekisho.data.frame.schema import Kind, Meaning
from sekisho.data.identity.header_words import Topic, find_topics

PROBED = 3000
INNOCENT = (
    *(Topic.QUASI, Topic.PLACE, Topic.SENSITIVE, Topic.TIME, Topic.ITEM, Topic.PRICE, Topic.QUANTITY, Topic.COUNT),
)
"""What a name may speak of without naming people."""
MEANINGLESS = re.compile(
    r"(?i)^(?:unnamed|col(?:umn)?|field|var(?:iable)?|feature|attr(?:ibute)?|data|value|text|code|key|misc|other|info"
    r"|entry|[a-z]|列|項目|フィールド|その他|変数|데이터|字段)?[\s_:.-]*(?:[a-z]?[0-9]*)$"
)


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

    def share(self, pattern: str) -> float:
        """Return the share of the values that a pattern is found in."""
        return float(self.probe.str.contains(pattern).sum()) / max(1, len(self.probe))
