"""What the sensitive values of a release by a least vector are, for one who knows everybody's keys and its l.

A finer vector of levels whose classes all have k records was not taken, so some class of it has fewer than l distinct
sensitive values. Each such vector is taken by itself; what is certain under one of them is certain.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.records.downcode.answer import Downcoded, KeyCells, Knows, Roster
from sekisho.attack.records.downcode.diversity import JoinedClass, find_chances
from sekisho.data.frame.dataset import Dataset
from sekisho.errors import ParameterError
from sekisho.protect.records.lattice_recoding import Lattice, PosedLattice
from sekisho.protect.records.lattice_search import find_best_vector, number_classes
from sekisho.protect.records.recoding.classed_method import code_sensitive
from sekisho.safety.records.diversity import Diversity
from sekisho.words import Said

MOST_VECTORS = 64
"""So many finer vectors are looked at, the nearest first."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Values:
    """What is known of each record's sensitive value: the largest chance of one, how many are left, and the truth's."""

    best: NDArray[np.float64]
    left: NDArray[np.int64]


def downcode_diversity(method: Lattice, data: Dataset, *, knows: Knows) -> Downcoded:
    """Return what the sensitive values of the classes of a least vector are to one who knows everybody's keys.

    Raises:
        ParameterError: l is not asked for, counts something else than distinct values, or records are left out; some
            sensitive values are missing, which no class's values tell apart.
    """
    if method.l is None or method.diversity is not Diversity.DISTINCT or method.t is not None or method.suppress:
        rule = Said("be l of distinct values, without t and with nobody left out")
        raise ParameterError("l", rule, method.l)
    posed = method.pose(data)
    if posed.problem.rule.unknown >= 0:
        raise ParameterError("sensitive", Said("be of a column none of whose values is missing"), method.sensitive)
    best = np.array(find_best_vector(posed.problem).vector, dtype=np.int64)
    owner = _number_rows(posed, best)
    name = method.rule.find_column(data.schema, tuple(key.column.name for key in posed.keys)) or ""
    values = code_sensitive(data, name).astype(np.int64)
    table = np.zeros((int(owner.max()) + 1, int(values.max()) + 1), dtype=np.int64)
    np.add.at(table, (owner, values), 1)
    by_rule = (table.max(axis=1) / table.sum(axis=1))[owner]
    admitted = (table > 0).sum(axis=1)[owner]
    seen = _Values(best=np.zeros(len(owner)), left=admitted.copy())
    notes: list[str] = []
    if knows is not Knows.RULE:
        for vector in _list_finer(posed, best, method.k):
            _look(seen, owner, _number_rows(posed, vector), table, int(method.l), notes)
    wide, known = admitted > 1, (admitted > 1) & (seen.left == 1)
    narrowed = wide & (seen.left < admitted)
    return Downcoded(
        method="lattice",
        knows=knows,
        roster=Roster.ALL,
        keys={
            name: KeyCells(cells=int(wide.sum()), narrowed=int(narrowed.sum()), known=int(known.sum())),
        },
        people=int(narrowed.sum()),
        touched=int(wide.sum()),
        hits=int(known.sum()),
        excluded=0,
        chance=float(by_rule[known].sum()),
        guess=float(np.where(seen.best > 0, seen.best, by_rule)[wide].mean()) if wide.any() else None,
        guess_rule=float(by_rule[wide].mean()) if wide.any() else None,
        certain=True,
        notes=tuple(dict.fromkeys(notes)),
    )


def _number_rows(posed: PosedLattice, vector: NDArray[np.int64]) -> NDArray[np.int64]:
    owner, _ = number_classes(posed.problem.rungs, vector)
    return owner[posed.which]


def _list_finer(posed: PosedLattice, best: NDArray[np.int64], k: int) -> list[NDArray[np.int64]]:
    """Return finer vectors whose classes all have k records, the nearest first."""
    finer = sorted(np.ndindex(*(best + 1).tolist()), key=lambda vector: -sum(vector))[1:]
    vectors: list[NDArray[np.int64]] = []
    for one in finer:
        vector = np.array(one, dtype=np.int64)
        owner, classes = number_classes(posed.problem.rungs, vector)
        sizes = np.bincount(owner, weights=posed.problem.rungs.copies, minlength=classes)
        if bool((sizes >= k).all()):
            vectors.append(vector)
        if len(vectors) == MOST_VECTORS:
            break
    return vectors


def _look(
    seen: _Values,
    owner: NDArray[np.int64],
    fine: NDArray[np.int64],
    table: NDArray[np.int64],
    distinct: int,
    notes: list[str],
) -> None:
    """Note what one finer vector tells of each record's value."""
    groups, group = np.unique(np.stack([owner, fine], axis=1), axis=0, return_inverse=True)
    sizes = np.bincount(group.reshape(-1))
    joined: list[JoinedClass] = []
    for one, values in enumerate(table):
        inside = np.flatnonzero(groups[:, 0] == one)
        joined.append(JoinedClass(groups=tuple(sizes[inside].tolist()), values=tuple(values.tolist())))
    if not all(one.countable for one in joined):
        notes.append(Said("classes with too many ways to share out their values were not looked at"))
        return
    chances = find_chances(joined, distinct)
    if chances is None:
        return
    first = np.searchsorted(groups[:, 0], np.arange(len(table)))
    for place, (one, _) in enumerate(groups.tolist()):
        own = [chance for (number, _), chance in chances[one].items() if number == place - first[one]]
        rows = np.flatnonzero(group.reshape(-1) == place)
        seen.best[rows] = np.maximum(seen.best[rows], float(max(own, default=Fraction(0))))
        seen.left[rows] = np.minimum(seen.left[rows], sum(chance > 0 for chance in own))
