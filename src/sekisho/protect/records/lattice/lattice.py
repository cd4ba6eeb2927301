"""Global recoding: every key is written at one level of coarseness, and of all vectors of levels the best is found.

Against whom: one who knows a person's values of the keys and looks for his record, as with ``partition``. He finds at
least k records that fit the person alike. With a sensitive column, l and t limit what a class tells about it. Nothing
is promised against one who knows further columns. Unlike local recoding, equal values are written alike in all records,
which loses more and is easier to analyse.

What is proven: no other vector of levels that keeps the rule, with what it leaves out, has a smaller loss.

Source: LeFevre, DeWitt, Ramakrishnan, "Incognito: efficient full-domain k-anonymity", SIGMOD 2005; El Emam et al., "A
globally optimal k-anonymity method for the de-identification of health data", JAMIA 16(5), 2009.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.cells import Cells
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.records.space import require_one_row
from sekisho.errors import BugError
from sekisho.parameters import checked
from sekisho.protect.records.lattice.cell_costs import LatticeMeasure, charge_levels
from sekisho.protect.records.lattice.ladder import Level, build_ladder
from sekisho.protect.records.lattice.search import BestVector, LatticeProblem, find_best_vector
from sekisho.protect.records.lattice.survey import Rungs, count_values, judge_classes, number_classes
from sekisho.protect.records.recoding.classed_method import HARDLY_ANY_USE, ClassedMethod
from sekisho.protect.records.recoding.distinct import count_distinct
from sekisho.protect.records.recoding.key_columns import KeyColumn, list_warnings, read_keys
from sekisho.protect.records.recoding.key_space import Records
from sekisho.protect.records.recoding.sensitive import describe_classes
from sekisho.protect.records.record_release import ClassedCells, ReleaseMaker, release_classes


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

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> Release:
        """Return the release of least loss; no chance plays a part.

        Raises:
            InfeasibleError: not even all records together keep the rule.
            ParameterError: a column is unknown, is the identifier, or is both a key and sensitive; too many vectors.
            FaultsError: trees are none, or lack values; all faults at once.
        """
        del rng
        require_one_row(data)
        keys = read_keys(data, self.keys, self.tree or {})
        rule, hidden = self.rule.settle(data, tuple(key.column.name for key in keys))
        records, which = count_distinct([key.codes for key in keys], hidden)
        ladders = [build_ladder(data, key) for key in keys]
        rungs, costs = self._build_rungs(keys, ladders, records)
        room = int(self.suppress * len(data))
        scale = float(len(data) * len(keys))
        problem = LatticeProblem(rungs=rungs, rule=rule, costs=costs, room=room, scale=scale)
        best = find_best_vector(problem)
        vector = np.array(best.vector, dtype=np.int64)
        owner, classes = number_classes(rungs, vector)
        histogram = count_values(rungs, owner, classes, len(rule.shares))
        kept = judge_classes(rule, histogram) == 0
        sizes = histogram.sum(axis=1)[kept]
        deleted = ~kept[owner][which]
        if int(deleted.sum()) > room or bool((sizes < self.k).any()) or int(sizes.sum() + deleted.sum()) != len(data):
            raise BugError("the best vector of levels does not keep what it promised")
        chosen = [ladder[level] for ladder, level in zip(ladders, best.vector, strict=True)]
        detail = self._describe(data, keys, best) | _measure_release(keys, chosen, sizes, deleted)
        if hidden is not None:
            detail |= describe_classes(rule, histogram[kept])
        number = np.where(kept, np.cumsum(kept) - 1, -1)  # of the classes that stay
        member = np.zeros(classes, dtype=np.int64)
        member[owner] = np.arange(len(owner))
        classed = _write_classes(keys, chosen, records.codes[member[kept]], number[owner][which])
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
