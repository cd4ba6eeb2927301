"""Local recoding: records form classes of k or more whose keys are written alike, and lose as little as possible.

Against whom: one who knows a person's values of the keys and looks for his record. He finds at least k records that fit
the person alike, so he names the right one with a chance of 1/k at most, where each of them is as likely. With a
sensitive column, l and t limit what the class tells about it. Nothing is promised against one who knows further
columns.

What is minimised: the normalised certainty penalty (NCP), the mean over all cells of the keys of how much of the
column's range, values or leaves the cell covers; a record that is left out counts 1 a cell.

Source: LeFevre, DeWitt, Ramakrishnan, "Mondrian multidimensional k-anonymity", ICDE 2006; Xu, Wang, Pei, Wang, Shi, Fu,
"Utility-based anonymization using local recoding", KDD 2006 (the NCP, section 3.2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import process_time
from typing import ClassVar, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.published_frame import publish_values
from sekisho.data.frame.dataset import Dataset, Schema
from sekisho.data.frame.range_ends import describe_grids
from sekisho.data.frame.release import Release
from sekisho.data.records.space import require_one_row
from sekisho.data.shape import Abilities, Place
from sekisho.data.trees.hierarchy import Tree
from sekisho.data.trees.tree_files import read_tree
from sekisho.errors import BugError, InfeasibleError, ParameterError
from sekisho.parameters import checked
from sekisho.protect.records.minimality.boxes import BoxKey, put_into_boxes, read_boxes
from sekisho.protect.records.minimality.guard import GUARD_HELP, TOLD_AGAINST, Guard, check_guard, refuse_told_values
from sekisho.protect.records.recoding.classed_method import HARDLY_ANY_USE, ClassedMethod, count_distinct
from sekisho.protect.records.recoding.household_classes import (
    HouseholdRows,
    join_households,
    number_households,
    read_households,
    recount_households,
)
from sekisho.protect.records.recoding.key_columns import KeyColumn, choose_keys, list_warnings, read_keys
from sekisho.protect.records.recoding.key_space import join_columns
from sekisho.protect.records.recoding.recoded import ClassFigures, Recoding
from sekisho.protect.records.recoding.search import Problem, RecodedClasses, search_classes
from sekisho.protect.records.recoding.value_sums import keeps_rule
from sekisho.protect.records.record_release import ClassedCells, ReleaseMaker, release_classes
from sekisho.words import Said

MILLION = 10**6
MOST_EFFORT = 10**9
"""Millions of looks that nobody lives to see the end of."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PartitionStep:
    """How far the search is.

    Attributes:
        seconds: CPU seconds since the start.
        utility: the NCP of the best classes so far.
        bound: an NCP that no release can be below; none is worked out, so 0.
        release: makes their release.
    """

    seconds: float
    utility: float
    bound: float
    release: Callable[[], Release]


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Partition(ClassedMethod):
    """Write the keys of records alike in classes of k or more, losing as little as possible (local recoding).

    Without a tree numbers become ranges and categories sets; with one, labels of the tree.

    Example: `sekisho protect partition adult.csv --keys age,sex,race --k 5 --out R.csv`

    Source: LeFevre, DeWitt, Ramakrishnan, ICDE 2006; Xu et al., KDD 2006.
    """

    abilities: ClassVar[Abilities] = Abilities(writes_cells=True, runs_on=frozenset({Place.MEMORY, Place.ENGINE}))

    strict: bool = field(
        default=False, metadata={"help": "Only cut between different values; classes then never overlap."}
    )
    effort: float = field(
        default=2.0, metadata={"help": "Length of the search, in millions of looks at a class; 0 only begins."}
    )
    seconds: float | None = field(
        default=None, metadata={"help": "Stop the search after so many CPU seconds, whatever the effort left."}
    )
    household: str = field(
        default="",
        metadata={"help": "The column that says who lives together: k is then counted in households of one size."},
    )
    guard: Guard | None = field(default=None, metadata={"help": GUARD_HELP})
    boxes: Path | None = field(
        default=None,
        metadata={"help": "With --guard: public classes, a row each, such as an earlier release; none is searched."},
    )

    def __post_init__(self) -> None:
        ClassedMethod.__post_init__(self)
        if not 0 <= self.effort <= MOST_EFFORT:
            raise ParameterError("effort", Said("lie between 0 and {most:,}", most=MOST_EFFORT), self.effort)
        if self.seconds is not None and not self.seconds > 0:
            raise ParameterError("seconds", Said("be above 0"), self.seconds)
        if self.household and (self.rule.asked or self.household in self.keys):
            raise ParameterError("household", Said("be no key, and be given without l and t"), self.household)
        if self.household and self.boxes is not None:
            rule = Said("not be given with public boxes, whose k counts people")
            raise ParameterError("household", rule, self.household)
        check_guard(self.guard, {"boxes": self.boxes})
        if self.guard is not None and self.boxes is None:
            rule = Said("be given with --guard minimality: classes that a search makes tell of the records")
            raise ParameterError("boxes", rule, None)
        refuse_told_values(asked=self.guard is not None and self.rule.asked and self.suppress > 0)

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> Release:
        """Return the best release that the effort finds.

        Raises:
            InfeasibleError: there are fewer than k records, or not even all together are diverse enough.
            ParameterError: a key is unknown, or is the identifier.
            FaultsError: trees are none, or lack values; all faults at once.
        """
        *_, last = self.improve(data, rng=rng)
        return last.release()

    def improve(self, data: Dataset, *, rng: np.random.Generator) -> Iterator[PartitionStep]:
        """Give better and better releases; every step holds a valid one, so the search may be left at any time."""
        if self.boxes is not None:
            yield self._fill_boxes(data, self.boxes)
            return
        start = process_time()
        require_one_row(data)
        if self.household:
            release = partition_households(self, data, rng=rng)
            loss = float(str(release.detail["ncp"]))
            yield PartitionStep(seconds=process_time() - start, utility=loss, bound=0.0, release=lambda: release)
            return
        keys = read_keys(data, self.keys, self.tree or {})
        rule, sensitive = self.rule.settle(data, tuple(key.column.name for key in keys))
        columns = [key.codes for key in keys]
        records, which = count_distinct(columns, sensitive)
        problem = Problem(
            space=join_columns(columns),
            records=records,
            rule=rule,
            room=int(self.suppress * len(data)),
            strict=self.strict,
        )

        def make(grouping: RecodedClasses) -> Recoding:
            return Recoding(data=data, keys=keys, problem=problem, which=which, grouping=grouping)

        for grouping in search_classes(problem, looks=int(self.effort * MILLION), rng=rng):
            spent = process_time() - start
            yield PartitionStep(
                seconds=spent,
                utility=grouping.loss,
                bound=0.0,
                release=lambda grouping=grouping: self.publish(make(grouping)),
            )
            if self.seconds is not None and spent > self.seconds:
                return

    def _fill_boxes(self, data: Dataset, path: Path) -> PartitionStep:
        """Return the release whose classes are public boxes."""
        start = process_time()
        require_one_row(data)
        names = choose_keys(data.schema, self.keys)
        trees = {name: tree if isinstance(tree, Tree) else read_tree(tree) for name, tree in (self.tree or {}).items()}
        keys = read_boxes(path, data, names, trees)
        owner = put_into_boxes(data, keys)
        owner, classed = self._keep_boxes(data, keys, owner)
        detail = self._describe_boxes(data, keys, owner)
        release = release_classes(data, classed, ReleaseMaker("partition", self, detail))

        loss = cast("float", detail["ncp"])
        return PartitionStep(seconds=process_time() - start, utility=loss, bound=loss, release=lambda: release)

    def _keep_boxes(
        self, data: Dataset, keys: Sequence[BoxKey], owner: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], ClassedCells]:
        """Return the box of each record, -1 where it is left out, and the cells of the boxes that stay."""
        rule, sensitive = self.rule.settle(data, tuple(key.name for key in keys))
        values = np.zeros(len(data), dtype=np.int64) if sensitive is None else sensitive.astype(np.int64)
        inside = owner >= 0
        histogram = np.zeros((len(keys[0].which), len(rule.shares)), dtype=np.int64)
        np.add.at(histogram, (owner[inside], values[inside]), 1)
        kept = np.array([bool(counts.sum()) and keeps_rule(rule, counts, int(counts.sum())) for counts in histogram])
        owner = np.where(inside & kept[owner], owner, -1)
        gone, room = int((owner < 0).sum()), int(self.suppress * len(data))
        if gone > room or not kept.any():
            words = Said(
                "the public boxes leave out {left_out:,} records, {room:,} may be left out", left_out=gone, room=room
            )
            raise InfeasibleError(words)
        boxes = np.flatnonzero(kept)
        number = np.full(len(kept) + 1, -1, dtype=np.int64)
        number[boxes] = np.arange(len(boxes))
        return owner, ClassedCells(
            owner=number[owner],
            cells={key.name: key.cells.take(key.which[boxes].astype(np.intp)) for key in keys},
            labels={
                key.name: pl.Series(key.name, [key.texts[place] for place in key.which[boxes]], dtype=pl.String)
                for key in keys
            },
        )

    def _describe_boxes(self, data: Dataset, keys: Sequence[BoxKey], owner: NDArray[np.int64]) -> dict[str, object]:
        gone = owner < 0
        losses = {key.name: float(np.where(gone, 1.0, key.cost[key.which[owner]]).mean()) for key in keys}
        sizes = np.bincount(owner[~gone])
        sizes, ncp = sizes[sizes > 0], sum(losses.values()) / len(losses)
        return {
            "ncp": ncp,
            "ncp_by_key": losses,
            "k": int(sizes.min()),
            "wanted_k": self.k,
            "classes": len(sizes),
            "largest": int(sizes.max()),
            "records": len(data),
            "suppressed": int(gone.sum()),
            "alike": self.rule.describe_promise(data.schema, tuple(key.name for key in keys)),
            "useful": ncp <= HARDLY_ANY_USE,
            "warnings": [],
            "guard": {
                "kind": Guard.MINIMALITY.value,
                "epsilon": None,
                "public": "boxes",
                "cost": {"loss": ncp, "left_out": int(gone.sum())},
            },
            "against": dict(TOLD_AGAINST),
        }

    def publish(self, recoding: Recoding) -> Release:
        """Return the release of some classes."""
        return recoding.release(ReleaseMaker("partition", self, self.describe(recoding)))

    def describe(self, recoding: Recoding) -> dict[str, object]:
        """Return what there is to tell of some classes, as plain data for JSON."""
        figures = recoding.measure(sensitive=self.rule.asked)
        return self.describe_figures(figures, recoding.data.schema, recoding.keys)

    def describe_figures(self, figures: ClassFigures, schema: Schema, keys: Sequence[KeyColumn]) -> dict[str, object]:
        """Return what there is to tell of classes that came to some figures, as plain data for JSON."""
        if figures.classes and figures.smallest < self.k:
            raise BugError(f"a class has {figures.smallest} records, {self.k} are promised")
        return {
            "ncp": figures.ncp,
            "ncp_by_key": figures.ncp_by_key,
            "k": figures.smallest,
            "wanted_k": self.k,
            **figures.sensitive,
            "classes": figures.classes,
            "largest": figures.largest,
            "records": figures.records,
            "suppressed": figures.records - figures.kept,
            "alike": self.rule.describe_promise(schema, tuple(key.column.name for key in keys)),
            "useful": figures.ncp <= HARDLY_ANY_USE,
            "warnings": list_warnings(figures.records, keys),
            **describe_grids({key.column.name: key.ends for key in keys if key.ends is not None}),
        }


def partition_households(method: Partition, data: Dataset, *, rng: np.random.Generator) -> Release:
    """Return a release in which every household of a class is written as k or more others of its size.

    Households of one size are records of their own: the keys of their members, sorted, side by side. Those of a size
    that fewer than k have are left out. Rows of a household may then be linked by whatever they share: as many
    households fit as the class has, and k persons each of whom is like him.

    Raises:
        InfeasibleError: no size has k households.
    """
    keys = choose_keys(data.schema, method.keys)
    homes, counts = read_households(data, method.household, keys), number_households(data, method.household)
    parts: list[tuple[HouseholdRows, Release]] = []
    for rows, child in zip(homes, rng.spawn(len(homes)), strict=True):
        if len(rows) >= method.k:
            own = replace(method, household="", keys=rows.names, tree=rows.name_trees(method.tree or {}))
            parts.append((rows, own.apply(rows.lay_out(data), rng=child)))
    if not parts:
        raise InfeasibleError(Said("no size of household has {k} households", k=method.k))
    release = join_households(data, method.household, parts, ReleaseMaker("partition", method))
    least = recount_households(publish_values(release).frame, counts[~release.deleted], keys)
    if least < method.k:
        raise BugError(f"{least} households are written alike, {method.k} are promised")
    losses = {key: _sum_losses(key, parts, int(release.deleted.sum())) / len(data) for key in keys}
    ncp = sum(losses.values()) / len(losses)
    detail = {
        "ncp": ncp,
        "ncp_by_key": losses,
        "k": least,
        "wanted_k": method.k,
        "classes": sum(int(str(part.detail["classes"])) for _, part in parts),
        "records": len(data),
        "suppressed": int(release.deleted.sum()),
        "household": {
            "k": least,
            "households": int(counts.max()) + 1,
            "left_out": int(counts.max()) + 1 - sum(int((~part.deleted).sum()) for _, part in parts),
        },
        "alike": method.rule.describe_promise(data.schema, keys),
        "useful": ncp <= HARDLY_ANY_USE,
    }
    return replace(release, detail=detail)


def _sum_losses(key: str, parts: Sequence[tuple[HouseholdRows, Release]], left_out: int) -> float:
    """Return the loss of a key over all records: what the households lost, and 1 for each record of the others."""
    total, gone = 0.0, left_out
    for rows, release in parts:
        by_key = cast("dict[str, float]", release.detail["ncp_by_key"])
        total += sum(by_key[rows.name_key(key, place)] for place in range(rows.size)) * len(rows)
        gone -= int(release.deleted.sum()) * rows.size
    return total + gone
