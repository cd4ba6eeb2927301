"""One release of a file of records, before and after: what is proven of it, what it cost, and who is found.

What is promised is counted again from what is written (``recount``); classes, measures and attacks are those of a
comparison with the original. The holder knows which row is whose, so everything is computed exactly, whatever the order
of the rows in the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np

from sekisho.data.frame.cells import RangeCells
from sekisho.data.frame.dataset import Dataset, Role
from sekisho.data.frame.release import Release
from sekisho.data.review import ReleaseReview
from sekisho.data.trees.hierarchy import Tree
from sekisho.gate.records.cell_attacks import CellAttack
from sekisho.gate.records.comparison import ORIGINAL, Compared, Comparison, leave_unchanged
from sekisho.gate.records.recount import Promise, Recount
from sekisho.seeds import Seed


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnFate:
    """What became of the cells of a column.

    Attributes:
        column: its name.
        exact: how many cells hold one value that is the original's.
        changed: how many do not admit the original's value.
        wider: how many hold several values, the original's among them.
        gone: how many are suppressed, or of a deleted record.
    """

    column: str
    exact: int
    changed: int
    wider: int
    gone: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExaminedProtection:
    """What was found out about a release.

    Attributes:
        question: the keys, sensitive columns and trees that it was looked at with.
        before: the original.
        after: the release.
        recounts: what the method promised, counted from what is written.
        fates: of every column.
        review: what a person must look at before it leaves.
    """

    question: Comparison
    before: Compared
    after: Compared
    recounts: tuple[Recount, ...]
    fates: tuple[ColumnFate, ...]
    review: ReleaseReview

    @property
    def judged(self) -> bool:
        """Whether the method says itself if its release is of use."""
        return "useful" in self.after.release.detail

    def measure_keys(self) -> tuple[float, float]:
        """Return the shares of the cells of the keys that were changed, and that were made wider or withheld."""
        keys = [fate for fate in self.fates if fate.column in self.question.keys]
        cells = max(1, len(keys) * len(self.after.release.deleted))
        return sum(fate.changed for fate in keys) / cells, sum(fate.wider + fate.gone for fate in keys) / cells

    @property
    def strongest(self) -> CellAttack:
        """The attack that finds the largest share of the people it looks for."""
        return max(self.after.attacks, key=lambda attack: attack.share or 0.0)

    @property
    def fewest_candidates(self) -> int | None:
        """Of local suppression, the fewest records that admit a person's true keys; None of other methods."""
        return cast("int | None", self.after.release.detail.get("least_candidates"))

    @property
    def hides_everybody(self) -> bool:
        """Whether it is proven that whoever knows a person's keys finds k or more records written alike, or fitting."""
        wanted = [each for each in self.recounts if each.promise in (Promise.ALIKE, Promise.MATCHED)]
        fewest = self.fewest_candidates
        return bool(wanted) and all(each.wanted > 1 and (fewest is None or fewest >= each.wanted) for each in wanted)

    @property
    def disclosed(self) -> int:
        """How many records stand in classes with a single value of a sensitive column."""
        return max((each.disclosed for each in self.after.classes.sensitive), default=0)


def examine_protection(
    data: Dataset,
    release: Release,
    recounts: tuple[Recount, ...],
    *,
    review: ReleaseReview,
    trees: Mapping[str, Tree],
    seed: Seed,
) -> ExaminedProtection:
    """Return what is found out about a release whose file was counted again.

    The keys are those that the method promises something about, all quasi-identifiers where it promises nothing;
    sensitive is what the promise speaks of, else what the schema calls so.
    """
    keys = next((each.keys for each in recounts), ())
    spoken = tuple(dict.fromkeys(each.column for each in recounts if each.column))
    sensitive = spoken or tuple(name for name in data.schema.with_role(Role.SENSITIVE) if name not in keys)
    question = Comparison(keys=keys, sensitive=sensitive, trees=trees).settle(data)
    name = release.provenance.name
    before = question.examine(data, ORIGINAL, leave_unchanged(data), ordered=True, seed=seed.child(ORIGINAL))
    after = question.examine(data, name, release, ordered=True, seed=seed.child(name))
    fates = tuple(_count_fate(data, release, column.name) for column in data.schema.attributes)
    return ExaminedProtection(
        question=question, before=before, after=after, recounts=recounts, fates=fates, review=review
    )


def _count_fate(data: Dataset, release: Release, name: str) -> ColumnFate:
    cells = release.table.columns[name].suppress(release.deleted)
    if isinstance(cells, RangeCells):
        admits = cells.admits(data.grid(name))
    else:
        place = {value: code for code, value in enumerate(cells.domain)}
        codes = np.array([place.get(value, -1) for value in data.domain(name)], dtype=np.int32)
        admits = cells.admits(codes[data.codes(name)])
    exact = cells.is_exact()
    return ColumnFate(
        column=name,
        exact=int((exact & admits).sum()),
        changed=int((~admits).sum()),
        wider=int((~exact & admits & ~cells.suppressed).sum()),
        gone=int(cells.suppressed.sum()),
    )
