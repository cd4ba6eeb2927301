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
from dataclasses import dataclass, field
from time import process_time
from typing import ClassVar

import numpy as np

from sekisho.data.frame.dataset import Dataset, Schema
from sekisho.data.frame.release import Release
from sekisho.data.records.space import require_one_row
from sekisho.data.shape import Abilities, Place
from sekisho.errors import BugError, ParameterError
from sekisho.parameters import checked
from sekisho.protect.records.recoding.classed_method import HARDLY_ANY_USE, ClassedMethod, count_distinct
from sekisho.protect.records.recoding.key_columns import KeyColumn, list_warnings, read_keys
from sekisho.protect.records.recoding.key_space import join_columns
from sekisho.protect.records.recoding.recoded import ClassFigures, Recoding
from sekisho.protect.records.recoding.search import Problem, RecodedClasses, search_classes
from sekisho.protect.records.record_release import ReleaseMaker
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
        recoding: makes these classes.
        release: makes their release.
    """

    seconds: float
    utility: float
    bound: float
    recoding: Callable[[], Recoding]
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

    def __post_init__(self) -> None:
        ClassedMethod.__post_init__(self)
        if not 0 <= self.effort <= MOST_EFFORT:
            raise ParameterError("effort", Said("lie between 0 and {most:,}", most=MOST_EFFORT), self.effort)
        if self.seconds is not None and not self.seconds > 0:
            raise ParameterError("seconds", Said("be above 0"), self.seconds)

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
        start = process_time()
        require_one_row(data)
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
                recoding=lambda grouping=grouping: make(grouping),
                release=lambda grouping=grouping: self.publish(make(grouping)),
            )
            if self.seconds is not None and spent > self.seconds:
                return

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
        }
