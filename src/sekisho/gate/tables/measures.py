"""Measures of one recipe that follow from each other: turnover with tax from turnover, a sum from its parts.

Whoever reads the table of one such measure has the other's: a sum that is hidden in one and shown in the other is
hidden nowhere. So it is asked of the records (of the cells, where there are none) whether a measure is, nearly, a
multiple of another, or follows from several together. Of two tables by the same dimensions what is hidden in one is
then hidden in the other, with levels as wide; where that cannot be had, nobody considered the reader of both, and a
person decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sekisho.gate.account.account import AccountEntry
from sekisho.gate.account.attackers import MEASURES
from sekisho.gate.tables.system import TableSystem
from sekisho.safety.cover import Coverage
from sekisho.tables.model.table import Floats, Status, Table
from sekisho.words import Said, join_words

NEARLY = 0.05
"""A measure that another tells to within this part of it follows from it."""
MOSTLY = 0.9
"""So much of the records, or cells, it must tell so closely."""
FEWEST = 5
"""Of fewer figures nothing is concluded."""
ROUNDS = 8
"""So many times what one pattern hides is hidden in the others; each time hides more, and two are mostly enough."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PublishedMeasure:
    """What one of several tables tells.

    Attributes:
        name: of the measure.
        table: its cells.
        source: the file of the records; empty of cells.
        amounts: what each record has of it; None where the records are not at hand.
    """

    name: str
    table: Table
    source: str = ""
    amounts: Floats | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureLink:
    """A measure that follows from others.

    Attributes:
        first: where the table of the measure that tells stands, or of the first of several.
        second: where the table of the measure that is told stands.
        names: of the measures that tell, then the one that is told.
        slope: how many times the first the second is; None where several tell it together.
        figures: of how many records, or cells, that was found.
        records: whether these were records.
    """

    first: int
    second: int
    names: tuple[str, ...]
    slope: float | None
    figures: int
    records: bool

    def describe(self) -> Said:
        """Return it in words."""
        *telling, told = self.names
        if self.slope is None:
            return Said("{told} follows from {telling} together", told=told, telling=join_words(telling, ", "))
        return Said("{told} is nearly {slope:.4g} times {telling}", told=told, telling=telling[0], slope=self.slope)


def find_measure_links(measures: Sequence[PublishedMeasure]) -> tuple[MeasureLink, ...]:
    """Return which measures follow from each other, by twos, and from several together."""
    pairs = [
        link
        for first, second in combinations(range(len(measures)), 2)
        if (link := _link_pair(first, second, measures)) is not None
    ]
    linked = {place for link in pairs for place in (link.first, link.second)}
    return (*pairs, *_link_several([place for place in range(len(measures)) if place not in linked], measures))


def _link_pair(first: int, second: int, measures: Sequence[PublishedMeasure]) -> MeasureLink | None:
    """Return that one of two measures is nearly a multiple of the other."""
    one, other = measures[first], measures[second]
    if one.name == other.name:
        return None
    values, records = _pair_figures(one, other)
    if len(values) < FEWEST:
        return None
    filled = values[(values[:, 0] != 0) & (values[:, 1] != 0)]
    if len(filled) < FEWEST:
        return None
    slope = float(np.median(filled[:, 1] / filled[:, 0]))
    if not _tells(slope * values[:, 0], values[:, 1]):
        return None
    return MeasureLink(
        first=first, second=second, names=(one.name, other.name), slope=slope, figures=len(values), records=records
    )


def _pair_figures(one: PublishedMeasure, other: PublishedMeasure) -> tuple[Floats, bool]:
    """Return what two measures have of each record, else of each cell that both tables have."""
    if one.amounts is not None and other.amounts is not None and one.source == other.source:
        return np.column_stack([one.amounts, other.amounts]), True
    shared = [key for key in one.table.keys if key in other.table.position] if _same_dims(one, other) else []
    pairs = [(one.table.value[one.table.position[key]], other.table.value[other.table.position[key]]) for key in shared]
    return np.array(pairs, dtype=np.float64).reshape(-1, 2), False


def _same_dims(one: PublishedMeasure, other: PublishedMeasure) -> bool:
    return one.table.dims == other.table.dims and one.table.margins == other.table.margins


def _tells(estimate: Floats, truth: Floats) -> bool:
    """Tell whether an estimate lies close to most of the figures that are not 0, and is 0 where these are."""
    near = np.abs(estimate - truth) <= NEARLY * np.abs(truth)
    return bool(near.mean() >= MOSTLY)


def _link_several(places: Sequence[int], measures: Sequence[PublishedMeasure]) -> Iterator[MeasureLink]:
    """Give the measures of one file of records that follow from all its other measures together."""
    by_name = {measures[place].name: place for place in places if measures[place].amounts is not None}
    sources = {measures[place].source for place in by_name.values()}
    if len(by_name) < 3 or len(sources) > 1:
        return
    columns = {name: amounts for name, place in by_name.items() if (amounts := measures[place].amounts) is not None}
    for name, told in columns.items():
        others = [other for other in columns if other != name]
        known = np.column_stack([columns[other] for other in others])
        if len(told) < FEWEST * len(columns) or not told.any():
            continue
        weights = _fit(known, told)
        if _tells(known @ weights, told):
            yield MeasureLink(
                first=by_name[others[0]],
                second=by_name[name],
                names=(*others, name),
                slope=None,
                figures=len(told),
                records=True,
            )
            return


def _fit(known: Floats, told: Floats) -> Floats:
    """Return with which weights known measures add up to another best, small records counting as large ones."""
    scale = 1 / np.maximum(np.abs(told), np.abs(told)[told != 0].min())
    weights, *_ = np.linalg.lstsq(known * scale[:, None], told * scale, rcond=None)
    return np.asarray(weights, dtype=np.float64)


def can_mirror(link: MeasureLink, system: TableSystem) -> bool:
    """Tell whether what is hidden in one of two tables can be hidden in the other: both have the same cells."""
    one, other = system.parts[link.first], system.parts[link.second]
    return link.slope is not None and link.slope > 0 and one.dims == other.dims and one.keys == other.keys


def join_levels(flagged: Table, system: TableSystem, links: Sequence[MeasureLink]) -> Table:
    """Return a system in which a cell that is unsafe in one measure is as unsafe in each that follows from it."""
    table = flagged
    for link in links:
        if link.slope is None or not can_mirror(link, system):
            continue
        for source, target, slope in ((link.first, link.second, link.slope), (link.second, link.first, 1 / link.slope)):
            table = _copy_levels(table, system.places[source], system.places[target], slope)
    return table


def _copy_levels(table: Table, source: NDArray[np.intp], target: NDArray[np.intp], slope: float) -> Table:
    unsafe = np.zeros(len(table), dtype=np.bool_)
    levels = {name: np.zeros(len(table)) for name in ("lower_level", "upper_level", "sliding_level")}
    unsafe[target] = table.primary[source]
    for name, numbers in levels.items():
        own: Floats = getattr(table, name)
        numbers[target] = own[source] * slope
    free = unsafe & (table.status != Status.UNPUBLISHED)
    return table.flag_cells(
        free, lower=levels["lower_level"], upper=levels["upper_level"], sliding=levels["sliding_level"]
    )


def hide_alike(flagged: Table, pattern: Table, system: TableSystem, links: Sequence[MeasureLink]) -> Table | None:
    """Return a system in which what a pattern hides in one measure is hidden in those that follow; None if it is.

    What must be published, by an earlier pattern, is not hidden.
    """
    hidden = pattern.suppressed & ~pattern.unpublished
    wanted = hidden.copy()
    for link in links:
        if can_mirror(link, system):
            first, second = system.places[link.first], system.places[link.second]
            either = wanted[first] | wanted[second]
            wanted[first] = wanted[second] = either
    lacking = wanted & ~hidden & (flagged.status != Status.PUBLISH)
    if not lacking.any():
        return None
    status = np.where(wanted & (flagged.status == Status.SAFE), np.int8(Status.SECONDARY), flagged.status)
    return replace(flagged, status=status)


def cover_measures(pattern: Table, system: TableSystem, links: Sequence[MeasureLink]) -> AccountEntry | None:
    """Return whether the reader of several measures was considered; None where none follows from another."""
    if not links:
        return None
    words = join_words([link.describe() for link in links], "; ")
    hidden = pattern.suppressed & ~pattern.unpublished
    alike = all(
        can_mirror(link, system)
        and np.array_equal(hidden[system.places[link.first]], hidden[system.places[link.second]])
        for link in links
    )
    if alike:
        by = Said("{links}: what is hidden in one is hidden in the other, as widely", links=words)
        return AccountEntry(subject=MEASURES, cover=Coverage.PROMISED, by=by)
    by = Said("{links}, and what is hidden in one is not hidden in all", links=words)
    return AccountEntry(subject=MEASURES, cover=Coverage.NOT_CONSIDERED, by=by)
