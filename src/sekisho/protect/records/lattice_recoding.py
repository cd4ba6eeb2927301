"""Global recoding: every key is written at one level of coarseness, and of all vectors of levels the best is found.

Against whom: one who knows a person's values of the keys and looks for his record, as with ``partition``. He finds at
least k records that fit the person alike. With a sensitive column, l and t limit what a class tells about it. Nothing
is promised against one who knows further columns. Unlike local recoding, equal values are written alike in all records,
which loses more and is easier to analyse.

What is proven: no other vector of levels that keeps the rule, with what it leaves out, has a smaller loss.

Source: LeFevre, DeWitt, Ramakrishnan, "Incognito: efficient full-domain k-anonymity", SIGMOD 2005; El Emam et al., "A
globally optimal k-anonymity method for the de-identification of health data", JAMIA 16(5), 2009.

Measures of loss that are sums over cells, for a search over levels: each cell's cost rises with its level.

- ncp: the normalised certainty penalty of the cell; 1 where it is left out;
- precision: the level over the highest level; 1 where it is left out;
- entropy: log2 of how many records bear the label for one that bears the value (non-uniform entropy), divided by its
  mean where nothing of the key is told; a cell that is left out costs as much as one that tells nothing.

Sources: Xu et al., KDD 2006 (NCP); Sweeney, "Achieving k-anonymity privacy protection using generalization and
suppression", 2002 (precision); Gionis, Tassa, "k-anonymization with minimal loss of information", TKDE 21(2), 2009.

Ever coarser ways to write a key: the levels of its tree, or levels of our own where it has none.

Level 0 writes every value as it is. Under a tree level j writes what a wide file has in its column j, from 0; where
another file made the tree, of depth D, the label that stands D - j steps below the root, or the value itself where it
stands higher; the last level is the root. Without a tree a category is written as it is or as ``*``; a number as it is,
in ranges whose width doubles from a 32nd of the file's span on, or as ``*``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.cells import MISSING_NUMBER, Cells, RangeCells, SetCells, drop_gaps
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.records.space import require_one_row
from sekisho.data.trees.leaf_order import climb_steps
from sekisho.errors import BugError, ParameterError
from sekisho.parameters import checked
from sekisho.protect.records.lattice_search import (
    BestVector,
    LatticeProblem,
    Rungs,
    count_values,
    find_best_vector,
    judge_classes,
    number_classes,
)
from sekisho.protect.records.minimality.guard import (
    GUARD_HELP,
    TOLD_AGAINST,
    Guard,
    check_guard,
    choose_guarded,
    refuse_spans,
    refuse_told_values,
)
from sekisho.protect.records.recoding.classed_method import (
    HARDLY_ANY_USE,
    ClassedMethod,
    count_distinct,
    describe_classes,
)
from sekisho.protect.records.recoding.key_columns import KeyColumn, list_warnings, read_keys
from sekisho.protect.records.recoding.key_space import CellKind, Records
from sekisho.protect.records.recoding.recoded import cover_values, find_extremes, make_ranges
from sekisho.protect.records.record_release import ClassedCells, ReleaseMaker, release_classes
from sekisho.words import Said

FINEST = 32
"""Into at most so many ranges a number without a tree is put first."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Level:
    """One way to write a key.

    Attributes:
        group: what each code is written as, numbered from 0.
        cost: the certainty penalty of each code's cell.
        cells: what each group admits.
        labels: what each group is called; None where its cell is written as it is.
    """

    group: NDArray[np.int64]
    cost: NDArray[np.float64]
    cells: Cells
    labels: pl.Series | None


def build_ladder(data: Dataset, key: KeyColumn) -> tuple[Level, ...]:
    """Return the levels of a key, the finest first."""
    if key.codes.kind is CellKind.TREE:
        return _climb_tree(data, key)
    codes = np.arange(key.codes.values)
    if key.codes.kind is CellKind.RANGE:
        exact: Cells = RangeCells.exact(key.grid)
        levels = [Level(group=codes, cost=np.zeros(len(codes)), cells=exact, labels=None), *_widen_ranges(key.grid)]
    else:
        domain = data.domain(key.column.name)
        exact = SetCells.exact(codes.astype(np.int32), domain)
        names = pl.Series(key.column.name, domain, dtype=pl.String)
        levels = [Level(group=codes, cost=np.zeros(len(codes)), cells=exact, labels=names)]
    if len(codes) > 1:
        hidden = exact.take(np.zeros(1, dtype=np.intp)).suppress(np.ones(1, dtype=np.bool_))
        mark = pl.Series(key.column.name, ["*"], dtype=pl.String)
        levels.append(Level(group=np.zeros_like(codes), cost=np.ones(len(codes)), cells=hidden, labels=mark))
    return tuple(levels)


def _widen_ranges(grid: NDArray[np.int64]) -> list[Level]:
    """Return ranges of ever doubled width, whose borders are multiples of it; a missing number stays by itself."""
    if len(numbers := drop_gaps(grid)) < len(grid):
        return [_add_missing(level) for level in _widen_ranges(numbers)]
    if len(grid) < 2:
        return []
    least, most = int(grid[0]), int(grid[-1])
    span, levels = most - least, list[Level]()
    width = max(2, -(-span // FINEST))
    while width <= span:
        group = np.unique(grid // width, return_inverse=True)[1].astype(np.int64)
        start = np.unique(grid // width) * width
        cells = RangeCells(
            lower=np.maximum(start, least),
            upper=np.minimum(start + width - 1, most),
            suppressed=np.zeros(len(start), dtype=np.bool_),
        )
        cost = ((cells.upper - cells.lower) / span)[group]
        if 0 < group[-1] < len(grid) - 1:
            levels.append(Level(group=group, cost=cost, cells=cells, labels=None))
        width *= 2
    return levels


def _add_missing(level: Level) -> Level:
    """Return a level of numbers with a group more, the first, of missing ones."""
    if not isinstance(level.cells, RangeCells):
        raise BugError("only numbers are written in ranges")
    gap = np.array([MISSING_NUMBER])
    return Level(
        group=np.concatenate([[0], level.group + 1]),
        cost=np.concatenate([[0.0], level.cost]),
        cells=make_ranges(np.concatenate([gap, level.cells.lower]), np.concatenate([gap, level.cells.upper])),
        labels=None,
    )


def _climb_tree(data: Dataset, key: KeyColumn) -> tuple[Level, ...]:
    nodes, name = key.codes.nodes, key.column.name
    levels = list[Level]()
    for label in climb_steps(nodes.leaf, nodes.parent, nodes.begin):
        chosen, group = np.unique(label, return_inverse=True)
        first, last = nodes.first[chosen], nodes.last[chosen]
        if key.column.kind.numeric:
            least, most = find_extremes(key.grid, first, last)
            cells: Cells = make_ranges(least, most)
        else:
            cells = cover_values(key.domain, first, last, data.domain(name))
        levels.append(
            Level(
                group=group.reshape(-1).astype(np.int64),
                cost=nodes.cost[label],
                cells=cells,
                labels=pl.Series(name, key.labels, dtype=pl.String).gather(chosen),
            )
        )
    return tuple(levels)


class LatticeMeasure(StrEnum):
    """What is minimised."""

    NCP = "ncp"
    PRECISION = "precision"
    ENTROPY = "entropy"


def charge_levels(
    measure: LatticeMeasure, ladder: Sequence[Level], counts: NDArray[np.int64]
) -> tuple[list[NDArray[np.float64]], NDArray[np.float64]]:
    """Return what each code costs at each level, and what it costs to leave it out.

    Args:
        measure: which.
        ladder: the levels of a key.
        counts: how many records bear each code.
    """
    if measure is LatticeMeasure.NCP:
        return [level.cost for level in ladder], np.ones(len(counts))
    if measure is LatticeMeasure.PRECISION:
        highest = max(1, len(ladder) - 1)
        return [np.full(len(counts), place / highest) for place in range(len(ladder))], np.ones(len(counts))
    borne = np.maximum(counts, 1).astype(np.float64)
    nothing = np.log2(max(1, int(counts.sum())) / borne)
    mean = float(nothing @ counts) / max(1, int(counts.sum()))
    unit = mean if mean > 0 else 1.0
    costs: list[NDArray[np.float64]] = []
    for level in ladder:
        together = np.bincount(level.group, weights=counts)[level.group]
        costs.append(np.log2(np.maximum(together, borne) / borne) / unit)  # a code that nobody bears is never charged
    return costs, nothing / unit


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PosedLattice:
    """A search as it is posed: keys, the levels of each, distinct records, which of them each row is, the vectors."""

    keys: tuple[KeyColumn, ...]
    ladders: tuple[tuple[Level, ...], ...]
    records: Records
    which: NDArray[np.int64]
    problem: LatticeProblem
    sensitive: bool


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Lattice(ClassedMethod):
    """Write every key at one level of its tree: k or more records alike, the least lost (global recoding).

    The vector of levels is the best of all, proven by a search that rules out the others.

    Example: `sekisho protect lattice adult.csv --keys age,sex --tree age=age.csv,sex=sex.csv --k 5 --suppress 0.02
    --out R.csv`

    Source: LeFevre, DeWitt, Ramakrishnan, SIGMOD 2005; El Emam et al., JAMIA 2009.
    """

    measure: LatticeMeasure = field(default=LatticeMeasure.NCP, metadata={"help": "What is minimised."})
    guard: Guard | None = field(default=None, metadata={"help": GUARD_HELP})
    epsilon: float | None = field(
        default=None,
        metadata={"help": "With --guard: how far one record may move the odds, e^epsilon; 1 if not given."},
    )
    levels: Mapping[str, int] = field(
        default_factory=dict[str, int],
        metadata={"help": "With --guard: public levels by key, a=1,b=0, such as the last release's; else drawn."},
    )

    def __post_init__(self) -> None:
        ClassedMethod.__post_init__(self)
        check_guard(self.guard, {"epsilon": self.epsilon, "levels": self.levels})
        if self.guard is None:
            return
        if self.epsilon is not None and (self.levels or not 0 < self.epsilon < np.inf):
            raise ParameterError("epsilon", Said("be above 0, and not beside public levels"), self.epsilon)
        refuse_told_values(asked=self.rule.asked and (not self.levels or self.suppress > 0))
        if self.measure is LatticeMeasure.ENTROPY and not self.levels:
            rule = Said("be ncp or precision where levels are drawn: one record moves entropies without bound")
            raise ParameterError("measure", rule, self.measure.value)

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> Release:
        """Return the release of least loss, without chance; with a guard at levels that are public, or secretly drawn.

        Raises:
            InfeasibleError: not even all records together keep the rule.
            ParameterError: a column is unknown, is the identifier, or is both a key and sensitive; too many vectors.
            FaultsError: trees are none, or lack values; all faults at once.
        """
        del rng  # the guard's draw is secret: whoever knew its seed could reason back all the same
        posed = self.pose(data)
        if self.guard is None:
            return self.write_vector(data, posed, find_best_vector(posed.problem))
        refuse_spans([key.column.name for key in posed.keys if key.codes.kind is CellKind.RANGE])
        names = [key.column.name for key in posed.keys]
        best, guarded = choose_guarded(posed.problem, names, k=self.k, levels=self.levels, epsilon=self.epsilon)
        release = self.write_vector(data, posed, best, limited=bool(self.levels))
        told = {"optimal": False, "guard": guarded, "against": dict(TOLD_AGAINST)}
        return replace(release, detail={**release.detail, **told})

    def pose(self, data: Dataset) -> PosedLattice:
        """Return the search as it is posed: which vectors there are, and what each would cost."""
        require_one_row(data)
        keys = read_keys(data, self.keys, self.tree or {})
        rule, hidden = self.rule.settle(data, tuple(key.column.name for key in keys))
        records, which = count_distinct([key.codes for key in keys], hidden)
        ladders = tuple(build_ladder(data, key) for key in keys)
        rungs, costs = self._build_rungs(keys, ladders, records)
        problem = LatticeProblem(
            rungs=rungs,
            rule=rule,
            costs=costs,
            room=int(self.suppress * len(data)),
            scale=float(len(data) * len(keys)),
            values=tuple(key.codes.values for key in keys),
        )
        return PosedLattice(
            keys=keys, ladders=ladders, records=records, which=which, problem=problem, sensitive=hidden is not None
        )

    def write_vector(self, data: Dataset, posed: PosedLattice, best: BestVector, *, limited: bool = True) -> Release:
        """Return the release at a vector of levels, without the classes that break the rule."""
        keys, problem, vector = posed.keys, posed.problem, np.array(best.vector, dtype=np.int64)
        owner, classes = number_classes(problem.rungs, vector)
        histogram = count_values(problem.rungs, owner, classes, len(problem.rule.shares))
        kept = judge_classes(problem.rule, histogram) == 0
        sizes = histogram.sum(axis=1)[kept]
        deleted = ~kept[owner][posed.which]
        too_many = limited and int(deleted.sum()) > problem.room
        if too_many or bool((sizes < self.k).any()) or int(sizes.sum() + deleted.sum()) != len(data):
            raise BugError("the best vector of levels does not keep what it promised")
        chosen = [ladder[level] for ladder, level in zip(posed.ladders, best.vector, strict=True)]
        detail = self._describe(data, keys, best) | _measure_release(keys, chosen, sizes, deleted)
        if posed.sensitive:
            detail |= describe_classes(problem.rule, histogram[kept])
        number = np.where(kept, np.cumsum(kept) - 1, -1)  # of the classes that stay
        member = np.zeros(classes, dtype=np.int64)
        member[owner] = np.arange(len(owner))
        classed = _write_classes(keys, chosen, posed.records.codes[member[kept]], number[owner][posed.which])
        return release_classes(data, classed, ReleaseMaker("lattice", self, detail))

    def _build_rungs(
        self, keys: Sequence[KeyColumn], ladders: Sequence[Sequence[Level]], records: Records
    ) -> tuple[Rungs, tuple[NDArray[np.float64], ...]]:
        """Return all levels for the compiled search, and the mean cost of each."""
        begins = np.cumsum([0, *(len(ladder) for ladder in ladders)])
        relief = np.zeros((int(begins[-1]), max(key.codes.values for key in keys)))
        groups: list[NDArray[np.int32]] = []
        means: list[NDArray[np.float64]] = []
        total = float(records.copies.sum() * len(keys))
        for place, (key, ladder) in enumerate(zip(keys, ladders, strict=True)):
            codes = records.codes[:, place]
            counts = np.bincount(codes, weights=records.copies, minlength=key.codes.values)
            costs, left_out = charge_levels(self.measure, ladder, counts.astype(np.int64))
            for level, cost in enumerate(costs):
                relief[begins[place] + level, : len(cost)] = left_out - cost
                groups.append(ladder[level].group[codes].astype(np.int32))
            means.append(np.array([float(cost @ counts) / total for cost in costs]))
        rungs = Rungs(
            group=np.stack(groups),
            relief=relief,
            begins=begins[:-1].astype(np.int64),
            codes=records.codes,
            copies=records.copies,
            sensitive=records.sensitive,
        )
        return rungs, tuple(means)

    def _describe(self, data: Dataset, keys: Sequence[KeyColumn], best: BestVector) -> dict[str, object]:
        names = [key.column.name for key in keys]
        return {
            "levels": dict(zip(names, best.vector, strict=True)),
            "loss": best.loss,
            "measure": self.measure.value,
            "optimal": True,
            "vectors": best.vectors,
            "looked_at": best.looked_at,
            "wanted_k": self.k,
            "alike": self.rule.describe_promise(data.schema, tuple(names)),
            "records": len(data),
            "warnings": list_warnings(len(data), keys),
        }


def _measure_release(
    keys: Sequence[KeyColumn], chosen: Sequence[Level], sizes: NDArray[np.int64], deleted: NDArray[np.bool_]
) -> dict[str, object]:
    """Return the NCP by key and what else there is to tell of the classes, as plain data for JSON."""
    rows = max(1, len(deleted))
    losses = {
        key.column.name: float(np.where(deleted, 1.0, level.cost[key.codes.codes]).sum()) / rows
        for key, level in zip(keys, chosen, strict=True)
    }
    ncp = sum(losses.values()) / len(losses)
    return {
        "ncp": ncp,
        "ncp_by_key": losses,
        "k": int(sizes.min(initial=len(deleted))),
        "classes": len(sizes),
        "largest": int(sizes.max(initial=0)),
        "suppressed": int(deleted.sum()),
        "useful": ncp <= HARDLY_ANY_USE,
    }


def _write_classes(
    keys: Sequence[KeyColumn], chosen: Sequence[Level], codes: NDArray[np.int32], owner: NDArray[np.int64]
) -> ClassedCells:
    """Return the cells and labels of classes, given the codes of a member of each."""
    cells: dict[str, Cells] = {}
    labels: dict[str, pl.Series] = {}
    for place, (key, level) in enumerate(zip(keys, chosen, strict=True)):
        group = level.group[codes[:, place]].astype(np.intp)
        cells[key.column.name] = level.cells.take(group)
        if level.labels is not None:
            labels[key.column.name] = level.labels.gather(group)
    return ClassedCells(owner=owner, cells=cells, labels=labels)
