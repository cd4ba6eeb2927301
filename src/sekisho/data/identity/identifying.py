"""Which columns of a table name people, whatever made the table and whoever asks.

The adversary here needs no skill: he reads the release. A column names people if its header says so (``name``, 氏名),
if what stands in it does (e-mail addresses, telephone numbers, names), or if almost every value of it is distinct, as
of a customer number. It does so generalised too: ``{Anna Weber;Bob Stone}`` holds two names. Every door asks here
before anything leaves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.cells import Cells, RangeCells, SetCells
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.labels import Labels
from sekisho.data.frame.release import MaskedTable
from sekisho.data.frame.schema import Column, Kind
from sekisho.data.identity.column_evidence import ColumnEvidence, Ground, Identifying
from sekisho.data.identity.content_judgement import FEWEST_RECORDS, IDENTIFYING_SHARE, judge_column
from sekisho.data.identity.neighbours import judge_neighbours

SEVERAL = 1.5
__all__ = [
    "FEWEST_RECORDS",
    "IDENTIFYING_SHARE",
    "Ground",
    "Identifying",
    "do_cross",
    "list_identifying",
    "list_naming_columns",
]


def list_identifying(
    table: MaskedTable, *, labels: Mapping[str, Labels] | None = None, original: Dataset | None = None
) -> tuple[Identifying, ...]:
    """Return the columns of a table that name people, in the order of the columns.

    Args:
        table: what would leave; deleted rows taken out.
        labels: what is written instead of some cells, such as a label of a tree; it is looked at as well.
        original: of a history, the data before, which say whether a value is several people's.
    """
    evidence = {
        column.name: gather_evidence(table, column, original=original)
        for column in table.schema.attributes
        if not bool(table.columns[column.name].suppressed.all())
    }
    judged = dict(list_naming_columns(evidence))
    for name, written in (labels or {}).items():
        if name not in judged and isinstance(written, pl.Series) and name in evidence:
            texts = written.drop_nulls().unique().cast(pl.String)
            shown = replace(evidence[name], kind=Kind.CATEGORY, values=texts, rows=None)
            finding = judge_column(shown)
            if finding is not None:
                judged[name] = finding
    return tuple(judged[name] for name in evidence if name in judged)


def list_naming_columns(
    evidence: Mapping[str, ColumnEvidence], cells: Mapping[str, pl.Series] | None = None
) -> Mapping[str, Identifying]:
    """Return by name the columns that name people, judged each by itself, then beside its neighbours.

    Args:
        evidence: by name what is known of each column.
        cells: by name the cells as texts, row by row, where they are at hand.
    """
    judged = {name: finding for name, each in evidence.items() if (finding := judge_column(each)) is not None}
    return {**judged, **judge_neighbours(evidence, judged, cells or {})}


def gather_evidence(table: MaskedTable, column: Column, *, original: Dataset | None = None) -> ColumnEvidence:
    """Return what is known of one column of a table: of generalised cells, what stands in them."""
    cells = table.columns[column.name]
    shown = ~cells.suppressed
    is_exact = bool(cells.is_exact()[shown].all())
    return ColumnEvidence(
        header=column.name,
        kind=column.kind,
        values=_list_numbers(cells, column) if isinstance(cells, RangeCells) else _list_elements(cells),
        rows=int(shown.sum()),
        meaning=column.means,
        crosses=_crosses_before(original, column.name) if original else _crosses(table, cells, is_exact=is_exact),
        is_exact=is_exact or isinstance(cells, SetCells),
    )


def _list_elements(cells: SetCells) -> pl.Series:
    used = np.zeros(len(cells.domain), dtype=np.bool_)
    used[cells.codes] = True
    return pl.Series(cells.domain, dtype=pl.String).filter(pl.Series(used, dtype=pl.Boolean))


def _list_numbers(cells: RangeCells, column: Column) -> pl.Series:
    shown = ~cells.suppressed
    values = np.unique(np.concatenate([cells.lower[shown], cells.upper[shown]]))
    return write_plainly(values, column.decimals)


def write_plainly(values: NDArray[np.int64], decimals: int) -> pl.Series:
    """Return numbers on a grid as texts with a point."""
    texts = pl.Series(values).cast(pl.String)
    if not decimals:
        return texts
    sign = texts.str.extract("^(-?)", 1)
    digits = texts.str.strip_prefix("-").str.zfill(decimals + 1)
    return sign + digits.str.head(-decimals) + "." + digits.str.tail(decimals)


def _crosses_before(original: Dataset, name: str) -> bool | None:
    person = original.schema.identifier
    return None if person is None else do_cross(original.frame[person.name], original.frame[name])


def _crosses(table: MaskedTable, cells: Cells, *, is_exact: bool) -> bool | None:
    if table.pseudonym is None or not isinstance(cells, SetCells) or not is_exact or cells.suppressed.any():
        return None
    return do_cross(pl.Series(table.pseudonym), pl.Series(cells.codes))


def do_cross(people: pl.Series, values: pl.Series) -> bool:
    """Tell whether one person has several values and one value several people, as wares have, and names have not."""
    pairs = pl.DataFrame({"person": people, "value": values}).n_unique()
    return pairs > SEVERAL * people.n_unique() and pairs > SEVERAL * values.n_unique()
