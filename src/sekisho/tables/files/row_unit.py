"""Who contributes to a table that is made of records: whose each row is, and who says so.

A cell of eight rows may be one firm's turnover in eight months. So the contributors of microdata are settled before
anything is counted: a column that tells people, firms or households apart and repeats is the contributor, unless
whoever holds the data names another one, or says that each row is a contributor of its own and why::

    contributor = "firm"
    contributor = "row=one return a firm and year, and each year is a table of its own"

In doubt (codes that a few rows share each, several such columns that do not nest) each row is counted by itself, and a
person decides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import polars as pl

from sekisho.data.identity.contributor_column import ContributorColumn
from sekisho.data.identity.header_words import Topic, find_topics
from sekisho.errors import ParameterError
from sekisho.words import Said, join_words, name_setting

ROW = "row"
"""What is written for a contributor that is the row itself, before the reason."""
LEAST_REASON = 20
"""A reason has so many letters at least: it is a sentence that somebody reads."""
LEAST_SHARE = 0.5
"""A column that says whose the rows are does so of at least this share of them."""
NESTED = 1.02
"""So many times the finer owners may pairs of owners be, for each finer one to stand beside one coarser: some move."""


class UnitGround(StrEnum):
    """Who says whose a row is."""

    COLUMN = "column"
    """A column tells owners apart, and was counted."""
    HOLDER = "holder"
    """Whoever holds the data says so."""
    NOTHING = "nothing"
    """No column speaks against one row each."""
    DOUBT = "doubt"
    """A column may tell owners apart, and nobody settled it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowUnit:
    """Whose the rows of microdata are.

    Attributes:
        column: that tells contributors apart; empty if each row is a contributor of its own.
        ground: who says so.
        rows: how many rows there are; None where nobody counted.
        owners: how many contributors; None likewise.
        known_by: the column by which it is known that each row is another's; empty if none is.
        reason: of whoever holds the data, for counting rows.
        doubted: the columns that may tell contributors apart otherwise.
        dims: dimensions whose codes tell contributors apart.
    """

    column: str = ""
    ground: UnitGround = UnitGround.NOTHING
    rows: int | None = None
    owners: int | None = None
    known_by: str = ""
    reason: str = ""
    doubted: tuple[str, ...] = ()
    dims: tuple[str, ...] = ()

    def describe(self) -> Said:
        """Return it in words, as the beginning of a sentence."""
        rows, owners = self.rows or 0, self.owners or 0
        if self.column and owners < rows:
            return Said(
                "{owners:,} {owners:contributor|contributors} with {rows:,} {rows:row|rows} ({column} says whose)",
                owners=owners,
                rows=rows,
                column=self.column,
            )
        if self.ground is UnitGround.HOLDER and self.reason:
            return Said("{rows:,} {rows:row|rows}, one contributor each ({reason})", rows=rows, reason=self.reason)
        if self.column or self.known_by:
            column = self.column or self.known_by
            return Said("{rows:,} {rows:row|rows}, one contributor each ({column} says so)", rows=rows, column=column)
        return Said("{rows:,} {rows:row|rows}, one contributor each (no column says otherwise)", rows=rows)

    def list_doubts(self) -> list[Said]:
        """Return what a person must decide of the contributors, each with the option that settles it."""
        doubts: list[Said] = []
        if self.ground is UnitGround.DOUBT:
            columns = join_words(self.doubted, ", ")
            doubts.append(
                Said(
                    "whose the rows are is not settled: {columns} may tell contributors apart; say "
                    "{contributor}, or {row}",
                    columns=columns,
                    contributor=name_setting("contributor", self.doubted[0]),
                    row=name_setting("contributor", f"{ROW}=…"),
                )
            )
        doubts += [
            Said("{dim} tells contributors apart, and is a dimension: its codes name them", dim=dim)
            for dim in self.dims
        ]
        return doubts

    def as_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        told: dict[str, object] = {
            "who": self.column or ROW,
            "by": self.ground.value,
            "rows": self.rows,
            "contributors": self.owners,
        }
        return told | ({"reason": self.reason} if self.reason else {})


def read_row_reason(contributor: str) -> str | None:
    """Return why each row is a contributor of its own, where that is what is said; None where a column is named.

    Raises:
        ParameterError: the reason is no sentence.
    """
    word, mark, reason = contributor.partition("=")
    if word.strip() != ROW:
        return None
    if not mark or len(reason.strip()) < LEAST_REASON:
        rule = Said("be a column, or {row}= and a reason of at least {least} letters", row=ROW, least=LEAST_REASON)
        raise ParameterError("contributor", rule, contributor)
    return reason.strip()


def settle_unit(
    owners: Sequence[ContributorColumn],
    *,
    rows: int,
    nests: Callable[[ContributorColumn, ContributorColumn], bool],
    dims: Sequence[str] = (),
) -> RowUnit:
    """Return whose rows these are, where nobody says it.

    Args:
        owners: the columns that tell apart whose the rows are.
        rows: how many there are.
        nests: whether each owner by the first column stands beside one owner by the second.
        dims: the dimensions, none of which can be the contributor.
    """
    naming = tuple(owner.column for owner in owners if owner.column in dims and owner.sure)
    owners = [owner for owner in owners if owner.column not in dims and owner.rows >= LEAST_SHARE * rows]
    sure = [owner for owner in owners if owner.sure]
    numbered = [owner for owner in sure if not is_only_name(owner.column)] or sure
    repeating = sorted((owner for owner in numbered if owner.repeats), key=lambda owner: owner.owners)
    if repeating:
        coarsest = repeating[0]
        if all(nests(finer, coarsest) for finer in repeating[1:]):
            return RowUnit(
                column=coarsest.column, ground=UnitGround.COLUMN, rows=rows, owners=coarsest.owners, dims=naming
            )
        doubted = repeating
    elif numbered:
        known = numbered[0].column
        return RowUnit(ground=UnitGround.COLUMN, rows=rows, owners=rows, known_by=known, dims=naming)
    else:
        doubted = [owner for owner in owners if owner.repeats]
    if doubted:
        names = tuple(owner.column for owner in doubted)
        return RowUnit(ground=UnitGround.DOUBT, rows=rows, owners=rows, doubted=names, dims=naming)
    return RowUnit(rows=rows, owners=rows, dims=naming)


def is_only_name(header: str) -> bool:
    """Tell whether a header says that its column names people or reaches them, and numbers nobody: names are shared."""
    topics = find_topics(header)
    numbers = (Topic.PERSON, Topic.NUMBER, Topic.BELONGING)
    return not any(topic in topics for topic in numbers)


def nest_owners(frame: pl.DataFrame, finer: ContributorColumn, coarser: ContributorColumn) -> bool:
    """Tell whether each owner by one column stands beside one owner by another, but for a few that moved."""
    return frame.select(finer.column, coarser.column).n_unique() <= NESTED * finer.owners
