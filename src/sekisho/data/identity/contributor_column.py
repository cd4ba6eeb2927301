"""Whose the rows of a file are: which of its columns tell people, firms or households apart, and how often each stands.

A row is rarely a person. Visits belong to patients, returns to firms, persons to households. Whoever counts people, or
asks who contributes to a cell, needs to know by which column they are told apart; a column of patients that repeats
makes every row a visit, whatever else the file says.

A column says whose the rows are by its header (``patient_id``, ``firm``, 世帯番号), by what stands in it (names,
telephone numbers, mail addresses), or, less surely, by codes that a few rows share each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from sekisho.data.frame.dataset import Kind
from sekisho.data.identity.content_judgement import judge_column
from sekisho.data.identity.header_words import ColumnEvidence, Ground, Topic

NO_OWNER = (
    *(Topic.TRANSACTION, Topic.ITEM, Topic.QUASI, Topic.PLACE, Topic.SENSITIVE, Topic.TIME, Topic.PRICE),
    *(Topic.PROPERTY, Topic.STAFF, Topic.REMARKS, Topic.LINK, Topic.ADDRESS, Topic.COUNT, Topic.QUANTITY),
)
"""A customer's age is not the customer, nor is who serves them, nor how many they are."""
OWNERS = (Topic.PERSON, Topic.NUMBER, Topic.BELONGING, Topic.CONTACT, Topic.NAME, Topic.CALLED)
"""What says whose a row is."""
MOST_ROWS = 100
"""An owner with more rows than this on average may be a class of owners, such as a kind of household."""
FEWEST_OWNERS = 5
"""Codes under a header that says nothing tell so many owners apart at least."""
FEW_ROWS = 20
"""So many rows on average share a code that tells owners apart under a header that says nothing, at most."""
CODE = r"^[A-Za-z]{0,4}[-_.]?[0-9]{2,}$"
"""A number, perhaps behind a few letters."""
NEARLY_ALL = 0.95
FEWEST_DIGITS = 4
"""Plain numbers that tell owners apart have so many digits, all of them."""
FAMILIES = frozenset({"family", "家族"})
"""Words of headers that speak of a status of people, or number families."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContributorColumn:
    """A column that tells apart whose the rows are.

    Attributes:
        column: its name.
        owners: how many people, firms or households it tells apart.
        rows: how many rows it has a value in.
        sure: whether its header or its content says so; else only few rows share each of its codes.
    """

    column: str
    owners: int
    rows: int
    sure: bool

    @property
    def repeats(self) -> bool:
        """Whether an owner has several rows."""
        return self.owners < self.rows


def find_contributor_columns(columns: Mapping[str, ColumnEvidence]) -> tuple[ContributorColumn, ...]:
    """Return the columns that tell apart whose the rows are, in their order."""
    judged = ((name, evidence, _judge_owner(evidence)) for name, evidence in columns.items())
    return tuple(
        ContributorColumn(column=name, owners=evidence.distinct, rows=evidence.rows or 0, sure=sure)
        for name, evidence, sure in judged
        if sure is not None
    )


def gather_columns(frame: pl.DataFrame) -> dict[str, ColumnEvidence]:
    """Return what is known of each column of a frame of rows."""
    return {name: _gather_column(frame[name]) for name in frame.columns}


def _gather_column(column: pl.Series) -> ColumnEvidence:
    texts = column.cast(pl.String).fill_null("").str.strip_chars()
    filled = texts.filter(texts != "")
    return ColumnEvidence(
        header=column.name, kind=read_kind(column.dtype), values=filled.unique(maintain_order=True), rows=len(filled)
    )


def read_kind(dtype: pl.DataType) -> Kind:
    """Return of which kind the values of a column are, by its type in memory."""
    if dtype.is_integer():
        return Kind.INTEGER
    if dtype.is_float() or dtype.is_decimal():
        return Kind.DECIMAL
    return Kind.DATE if dtype.is_temporal() else Kind.CATEGORY


def says_owner(evidence: ColumnEvidence) -> bool:
    """Tell whether a header says that its column tells people, firms or households apart."""
    return evidence.has(*OWNERS) and not evidence.has(*NO_OWNER)


def rate_owner(column: str, *, owners: int, rows: int) -> ContributorColumn:
    """Return a column whose header says that it tells owners apart: surely, unless each has very many rows."""
    return ContributorColumn(column=column, owners=owners, rows=rows, sure=rows <= MOST_ROWS * owners)


def _judge_owner(evidence: ColumnEvidence) -> bool | None:
    """Return whether a column surely tells owners apart, or only may (False); None if it does not."""
    if evidence.kind in {Kind.DECIMAL, Kind.DATE} or evidence.distinct < 2:
        return None
    if evidence.has(*NO_OWNER) and evidence.topics.get(Topic.QUASI) not in FAMILIES:
        return None
    mean = (evidence.rows or 0) / evidence.distinct
    if says_owner(evidence):
        return mean <= MOST_ROWS
    finding = judge_column(evidence)
    if finding is not None and finding.ground is Ground.CONTENT and evidence.kind is Kind.CATEGORY:
        return bool(finding.sign) and not _is_code(evidence)
    if evidence.distinct < FEWEST_OWNERS or mean > FEW_ROWS or mean == 1 or not _is_code(evidence):
        return None
    return False


def _is_code(evidence: ColumnEvidence) -> bool:
    """Tell whether the values are numbers of somebody by how they are written: of one length, or behind letters."""
    if evidence.share(CODE) < NEARLY_ALL:
        return False
    lengths = evidence.probe.str.len_chars()
    lettered = evidence.share(r"^[A-Za-z]") >= NEARLY_ALL
    return lettered or (lengths.n_unique() == 1 and int(lengths[0]) >= FEWEST_DIGITS)
