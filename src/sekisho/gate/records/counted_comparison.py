"""Releases beyond memory beside their original: classes as they are written, and the columns' distributions.

A distribution is a count of each text that a column holds: the distinct texts are read as a file of records is, once,
and every one stands for as many records as have it. What needs a record beside its release (losses, attacks) is left
out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import narwhals as nw
import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.engines.names import make_plain
from sekisho.data.engines.scan import Scan
from sekisho.data.files.plain_table import write_parquet
from sekisho.data.frame.cells import Cells, DistinctCells
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import exact_table
from sekisho.data.review import ReleaseReview
from sekisho.errors import ParameterError
from sekisho.gate.account.account import Account
from sekisho.gate.outcome import close_account, find_verdict
from sekisho.gate.policy import list_review_reasons
from sekisho.gate.records.candidate import judge_use, list_useless_keys
from sekisho.gate.records.comparison import ReleaseFigures
from sekisho.safety.records.assessment import RiskQuestion
from sekisho.safety.records.engine.assessment import EngineCounts
from sekisho.safety.records.engine.records import COUNT, EngineRecords
from sekisho.safety.records.key_choice import KeyChoice
from sekisho.safety.records.record_risk import RecordRisk
from sekisho.utility.records.distributions import DistributionDistance, Marginals
from sekisho.utility.records.information_loss import CertaintyPenalty
from sekisho.utility.score import Score
from sekisho.words import Said

MOST_TEXTS = 1_000_000
"""So many different texts a column may have: they are read one by one."""
MEASURES = {"marginals": Marginals(), "earth-mover": Marginals(distance=DistributionDistance.EARTH_MOVER)}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReleasedTexts:
    """What the columns of a file hold, each text once.

    Attributes:
        path: a Parquet file with the texts; shorter columns are filled up with their first text.
        counts: by column, how many records have each text; 0 where it only fills up.
    """

    path: Path
    counts: Mapping[str, NDArray[np.int64]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CountedColumn:
    """A column before and after: distinct values and cells, each with how many records have it.

    Attributes:
        name: of the column.
        data: the values before.
        cells: those of the release.
        before: how many records each value stands for.
        after: how many each cell stands for.
    """

    name: str
    data: Dataset
    cells: Cells
    before: NDArray[np.int64]
    after: NDArray[np.int64]

    def measure(self, marginals: Marginals) -> float:
        """Return how far the two distributions are from each other."""
        before, after = exact_table(self.data).find_distinct(self.name), DistinctCells.of(self.cells)
        return marginals.measure_column(self.data, before, after, self.name, (self.before, self.after))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CountedRelease(ReleaseFigures):
    """A release of which only counts are known, and what was found about it.

    Attributes:
        columns: before and after.
    """

    columns: tuple[CountedColumn, ...]

    def decide(self, review: ReleaseReview, *, records: int, penalty: CertaintyPenalty) -> CountedRelease:
        """Return it with what a person must look at, and the verdict, as the gate decides in memory.

        Args:
            review: what was counted of its columns.
            records: how many the original has.
            penalty: how much of what the keys told is lost.
        """
        lost = measure_loss(penalty, self.columns, kept=self.rows, records=records)
        told, useless = judge_use(review, kept=self.rows, rows=records, lost=lost.value)
        sizes = {one.name: len(one.data) for one in self.columns}
        useless = useless or list_useless_keys(lost, sizes.__getitem__)
        account = Account()  # of rows that nobody looks at one by one nobody accounts for what leaves
        against = close_account(account, (*useless, *list_review_reasons(review)))
        return replace(self, review=told, account=account, verdict=find_verdict(against))


def measure_loss(penalty: CertaintyPenalty, columns: Iterable[CountedColumn], *, kept: int, records: int) -> Score:
    """Return how much of what the keys told is lost, of at most 1; keys that are no such column are as they were.

    The detail has that of each of the columns.
    """
    gone, whole = max(0, records - kept), max(1, records)
    lost = {
        one.name: float(penalty.measure_cells(one.data, one.data.schema[one.name], one.cells) @ one.after)
        for one in columns
        if one.name in penalty.keys
    }
    value = (gone + sum(lost.values()) / max(1, len(penalty.keys))) / whole
    return Score(value=value, detail={name: (gone + each) / whole for name, each in lost.items()})


def count_texts(scan: Scan, name: str) -> int:
    """Return how many different texts a column has."""
    groups = scan.frame.group_by(make_plain(name)).agg(nw.len().alias(COUNT))
    return int(scan.collect(groups.select(nw.len().alias(COUNT)))[COUNT][0])


def write_distinct(scan: Scan, names: Sequence[str], path: Path) -> ReleasedTexts:
    """Write the distinct texts of some columns to a file.

    Raises:
        ParameterError: a column has too many.
    """
    texts, counts = dict[str, pl.Series](), dict[str, NDArray[np.int64]]()
    for name in names:
        if count_texts(scan, name) > MOST_TEXTS:
            raise ParameterError(
                "columns",
                Said("have at most {most_texts:,} different values beyond memory", most_texts=MOST_TEXTS),
                name,
            )
        found = scan.collect(scan.frame.group_by(make_plain(name)).agg(nw.len().alias(COUNT)))
        shown = found.with_columns(scan.show(found[name]).alias(name)).sort(name)
        texts[name], counts[name] = shown[name], shown[COUNT].to_numpy().astype(np.int64)
    height = max(len(column) for column in texts.values())
    padded = {name: _fill_up(column, height) for name, column in texts.items()}
    path.write_bytes(write_parquet(pl.DataFrame(padded)))
    return ReleasedTexts(
        path=path, counts={name: np.pad(count, (0, height - len(count))) for name, count in counts.items()}
    )


def _fill_up(column: pl.Series, height: int) -> pl.Series:
    place = np.minimum(np.arange(height), len(column) - 1)
    return column.gather(place)


def pair_columns(
    data: Dataset, cells: Mapping[str, Cells], counts: tuple[ReleasedTexts, ReleasedTexts]
) -> tuple[CountedColumn, ...]:
    """Return columns before and after.

    Args:
        data: the original's distinct texts, read.
        cells: those of the release, read.
        counts: of the original and of the release.
    """
    one, two = counts
    return tuple(
        CountedColumn(name=name, data=data, cells=cells[name], before=one.counts[name], after=two.counts[name])
        for name in one.counts
    )


def measure_counted(columns: Sequence[CountedColumn]) -> dict[str, Score]:
    """Return how far the distributions of one or more columns are from the original's, by measure."""
    scores = dict[str, Score]()
    for measure, marginals in MEASURES.items():
        detail = {column.name: column.measure(marginals) for column in columns}
        scores[measure] = Score(value=sum(detail.values()) / len(detail), detail=detail)
    return scores


def assess_written_classes(scan: Scan, keys: tuple[str, ...], sensitive: tuple[str, ...]) -> RecordRisk:
    """Return what the classes of a file tell, cells taken as they are written."""
    records = EngineRecords(scan=scan, choice=KeyChoice(keys=keys, sensitive=sensitive))
    return RiskQuestion().assess(EngineCounts(records))
