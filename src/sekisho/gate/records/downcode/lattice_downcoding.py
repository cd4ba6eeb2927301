"""What the cells of global recoding still can be, for one who knows that the vector of levels loses least.

- *Theorem.* Where the leaves of every published label are exchangeable (its subtrees alike), a single cell stays
  uniform on its label for one who knows nobody else: nothing is narrowed, in certainty or in expectation.
- *Margin.* Where every other vector is far enough, nothing is narrowed for one who knows every other record either.
- Else each record is tried with every combination of values that its cells admit, the others as they are.

Proofs: docs/proofs/downcoding.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sekisho.attack.records.downcode.answer import Downcoded, KeyCells, Knows, Roster
from sekisho.data.frame.dataset import Dataset
from sekisho.data.trees.hierarchy import Tree
from sekisho.protect.records.lattice_recoding import Lattice, LatticeMeasure, PosedLattice
from sekisho.protect.records.lattice_search import BestVector, find_best_vector, number_classes, survey_vector
from sekisho.protect.records.minimality.lattice_margin import Margin, list_near_vectors, measure_margin
from sekisho.protect.records.recoding.key_space import CellKind
from sekisho.words import Said

MOST_TRIED = 4_000_000
"""So many records with other values are tried at most."""
FINE = 1e-12


def find_exchangeable(tree: Tree) -> NDArray[np.bool_]:
    """Tell under which labels of a tree the leaves are exchangeable: all subtrees of a label alike, level by level."""
    children: dict[int, list[int]] = {}
    for place, parent in enumerate(tree.parents):
        children.setdefault(parent, []).append(place)
    waiting, downwards = [place for place, parent in enumerate(tree.parents) if parent < 0], list[int]()
    while waiting:
        downwards.append(waiting.pop())
        waiting += children.get(downwards[-1], [])
    forms: dict[tuple[int, tuple[int, ...]], int] = {}
    form, alike = np.zeros(len(tree.codes), dtype=np.int64), np.ones(len(tree.codes), dtype=np.bool_)
    for place in reversed(downwards):
        below = children.get(place, [])
        shape = tuple(sorted(int(form[child]) for child in below))
        form[place] = forms.setdefault((int(tree.steps[place]), shape), len(forms))
        alike[place] = len(set(shape)) <= 1 and all(bool(alike[child]) for child in below)
    return alike


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LatticeCells:
    """The published cells of global recoding.

    Attributes:
        posed: the search.
        best: the vector.
        rows: the published rows of the original.
        values: by key, how many values the cell of each record admits.
        exchangeable: by key, whether the leaves are under every label of the published level.
    """

    posed: PosedLattice
    best: BestVector
    rows: NDArray[np.int64]
    values: tuple[NDArray[np.int64], ...]
    exchangeable: tuple[bool, ...]


def read_lattice_cells(method: Lattice, data: Dataset, trees: dict[str, Tree]) -> LatticeCells:
    """Return the cells that a method publishes of some data."""
    posed = method.pose(data)
    return read_cells_at(method, posed, find_best_vector(posed.problem), trees)


def read_cells_at(method: Lattice, posed: PosedLattice, best: BestVector, trees: dict[str, Tree]) -> LatticeCells:
    """Return the cells that are published at a vector of levels."""
    owner, classes = number_classes(posed.problem.rungs, np.array(best.vector, dtype=np.int64))
    sizes = np.bincount(owner, weights=posed.problem.rungs.copies, minlength=classes)
    kept = (sizes >= method.k)[owner][posed.which]
    rows = np.flatnonzero(kept)
    values: list[NDArray[np.int64]] = []
    exchangeable: list[bool] = []
    for key, ladder, level in zip(posed.keys, posed.ladders, best.vector, strict=True):
        group = ladder[level].group
        counts = np.bincount(group)[group][key.codes.codes]
        values.append(counts.astype(np.int64))
        exchangeable.append(_is_exchangeable(key.column.name, key.codes.kind, ladder, level, trees))
    return LatticeCells(posed=posed, best=best, rows=rows, values=tuple(values), exchangeable=tuple(exchangeable))


def _is_exchangeable(name: str, kind: CellKind, ladder: Sequence[object], level: int, trees: dict[str, Tree]) -> bool:
    """Tell whether the leaves of all labels of a level are exchangeable."""
    if level == 0 or (kind is CellKind.SET and len(ladder) == 2):
        return True
    if kind is not CellKind.TREE or name not in trees:
        return False  # ranges end where the file ends
    tree = trees[name]
    return bool(find_exchangeable(tree)[np.array(tree.steps) <= level].all())


def downcode_lattice(method: Lattice, cells: LatticeCells, *, knows: Knows, roster: Roster) -> Downcoded:
    """Return what the cells of a release by global recoding still can be; the release is made again of the data."""
    names = [key.column.name for key in cells.posed.keys]
    wide = np.stack([values[cells.rows] > 1 for values in cells.values], axis=1)
    admitted = np.stack([values[cells.rows] for values in cells.values], axis=1)
    margin, why_not = _try_margin(method, cells)
    left, notes, proven = admitted, list[str](), ""
    joint = None
    if knows is Knows.RULE:
        proven = Said("who knows the rule alone can rule out nothing")
    elif margin is not None and margin.people >= 1:
        proven = Said(
            "no record matters to the vector of levels: {people:,} {people:person|people} together may "
            "hold anything that their cells admit, even to one who knows every other record",
            people=margin.people,
        )
    elif roster is Roster.ONE and all(cells.exchangeable):
        proven = Said("the leaves of every label are exchangeable: to one who knows nobody else each cell is uniform")
    elif why_not:
        notes.append(why_not)
    else:
        joint, left, notes = _try_records(method, cells, admitted)
    people = 0 if joint is None else int((joint < admitted.prod(axis=1)).sum())
    people_known = 0 if joint is None else int(((joint == 1) & wide.any(axis=1)).sum())
    keys = {
        name: KeyCells(
            cells=int(wide[:, place].sum()),
            narrowed=int((wide & (left < admitted))[:, place].sum()),
            known=int((wide & (left == 1))[:, place].sum()),
        )
        for place, name in enumerate(names)
    }
    total = int(wide.sum())
    by_rule = float((1.0 / admitted[wide]).sum()) / total if total else None
    uniform = knows is Knows.RULE or (roster is Roster.ONE and all(cells.exchangeable))
    known = sum(each.known for each in keys.values())
    settled = bool(proven) or joint is not None
    return Downcoded(
        method="lattice",
        knows=knows,
        roster=roster,
        keys=keys,
        people=people,
        people_known=people_known,
        touched=int(wide.any(axis=1).sum()),
        hits=known,
        excluded=0,
        chance=float((1.0 / admitted[wide & (left == 1)]).sum()),
        guess=by_rule if uniform else None,
        guess_rule=by_rule,
        certain=settled,
        margin=None if margin is None else margin.to_dict(),
        proven=proven,
        notes=tuple(notes),
    )


def _try_margin(method: Lattice, cells: LatticeCells) -> tuple[Margin | None, str]:
    """Return the margin, or why there is none."""
    if cells.posed.sensitive:
        return None, Said("with l or t the vector hangs on the sensitive values: no margin is known")
    if method.measure is LatticeMeasure.ENTROPY:
        return None, Said("the entropy of a label hangs on the values below it: no margin is known")
    if any(key.codes.kind is CellKind.RANGE for key in cells.posed.keys):
        return None, Said("levels of a number without a tree come from the file's span: no margin is known")
    return measure_margin(cells.posed.problem, cells.best, method.k), ""


def _try_records(
    method: Lattice, cells: LatticeCells, admitted: NDArray[np.int64]
) -> tuple[NDArray[np.int64] | None, NDArray[np.int64], list[str]]:
    """Return of each published record how many combinations are left, and how many values of each key; else why."""
    which = cells.posed.which[cells.rows]
    asked, place = np.unique(which, return_inverse=True)
    first = np.zeros(len(asked), dtype=np.int64)
    first[place.reshape(-1)] = np.arange(len(which))
    tried = int(admitted[first].astype(np.float64).prod(axis=1).sum())
    if tried > MOST_TRIED:
        rule = Said(
            "{tried:,} records with other values are too many to try ({most:,}): not settled",
            tried=tried,
            most=MOST_TRIED,
        )
        return None, admitted, [rule]
    near = list_near_vectors(cells.posed.problem, cells.best, method.k)
    joint, left = np.zeros(len(asked), dtype=np.int64), np.zeros((len(asked), admitted.shape[1]), dtype=np.int64)
    weighing = [_Weighing(cells.posed, vector, method.k, cells.best.loss) for vector in near]
    for at, record in enumerate(asked.tolist()):
        others = list_alternatives(cells, record)
        possible = np.ones(len(others), dtype=np.bool_)
        for each in weighing:
            possible &= ~each.wins(record, others)
        joint[at] = int(possible.sum())
        left[at] = [len(np.unique(others[possible, key])) for key in range(others.shape[1])]
    return joint[place.reshape(-1)], left[place.reshape(-1)], []


def list_alternatives(cells: LatticeCells, record: int) -> NDArray[np.int64]:
    """Return all combinations of codes that the cells of a distinct record admit."""
    codes = cells.posed.records.codes[record]
    choices: list[NDArray[np.int64]] = []
    for key, (ladder, level) in enumerate(zip(cells.posed.ladders, cells.best.vector, strict=True)):
        group = ladder[level].group
        choices.append(np.flatnonzero(group == group[codes[key]]))
    return np.stack([part.reshape(-1) for part in np.meshgrid(*choices, indexing="ij")], axis=1)


class _Weighing:
    """A vector near the best, weighed again with one record replaced."""

    def __init__(self, posed: PosedLattice, vector: NDArray[np.int64], k: int, loss: float) -> None:
        self.posed, self.vector, self.k, self.best = posed, vector, k, loss
        problem = posed.problem
        self.small, _, added = survey_vector(problem.rungs, problem.rule, vector)
        bound = sum(float(costs[level]) for costs, level in zip(problem.costs, vector, strict=True))
        self.loss = bound * problem.scale + added
        codes = posed.records.codes
        self.classes, owner = np.unique(self._pack(codes), return_inverse=True)
        self.owner = owner.reshape(-1)
        copies = problem.rungs.copies
        self.sizes = np.bincount(self.owner, weights=copies).astype(np.int64)
        self.relief = np.bincount(self.owner, weights=copies * self._relieve(codes))

    def _pack(self, codes: NDArray[np.int32] | NDArray[np.int64]) -> NDArray[np.int64]:
        packed = np.zeros(len(codes), dtype=np.int64)
        for key, level in enumerate(self.vector):
            group = self.posed.ladders[key][level].group
            packed = packed * (int(group.max()) + 1) + group[codes[:, key]]
        return packed

    def _relieve(self, codes: NDArray[np.int32] | NDArray[np.int64]) -> NDArray[np.float64]:
        """Return how much more each record costs where it is left out."""
        rungs = self.posed.problem.rungs
        return sum(
            (rungs.relief[rungs.begins[key] + level][codes[:, key]] for key, level in enumerate(self.vector)),
            start=np.zeros(len(codes)),
        )

    def wins(self, record: int, others: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Tell with which other values of a record this vector would be chosen instead of the best."""
        k, own = self.k, int(self.owner[record])
        packed = self._pack(others)
        at = np.minimum(np.searchsorted(self.classes, packed), len(self.classes) - 1)
        there = self.classes[at] == packed
        size, relief = np.where(there, self.sizes[at], 0), np.where(there, self.relief[at], 0.0)
        moved = ~there | (at != own)
        before = float(self._relieve(self.posed.records.codes[record : record + 1])[0])
        after = self._relieve(others)
        gone = int(self.sizes[own])
        small = self.small + (k - 1 if gone == k else -1 if gone < k else 0)
        loss = self.loss + (self.relief[own] - before if gone == k else -before if gone < k else 0.0)
        small = small + np.where(size + 1 == k, 1 - k, np.where(size + 1 < k, 1, 0))
        # a cell costs what leaving it out does, less its relief
        loss = loss + before - after + np.where(size + 1 == k, -relief, np.where(size + 1 < k, after, 0.0))
        cheaper = loss / self.posed.problem.scale < self.best - FINE
        return moved & (small <= self.posed.problem.room) & cheaper
