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

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from time import process_time
from typing import ClassVar

import numpy as np

from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.records.space import require_one_row
from sekisho.data.shape import Shape
from sekisho.data.trees.hierarchy import Tree
from sekisho.errors import BugError, ParameterError
from sekisho.protect.records.recoding.distinct import count_distinct
from sekisho.protect.records.recoding.key_columns import read_keys
from sekisho.protect.records.recoding.key_space import join_columns
from sekisho.protect.records.recoding.recoded import Recoding
from sekisho.protect.records.recoding.search import Grouping, Problem, search_classes
from sekisho.protect.records.recoding.sensitive import SensitiveRule, describe_classes
from sekisho.provenance import Provenance, list_parameters
from sekisho.safety.records.diversity import Diversity

HARDLY_ANY_USE = 0.8
"""A release whose NCP is above this is of hardly any use: four fifths of what the keys tell is gone."""
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
class Partition:
    """Write the keys of records alike in classes of k or more, losing as little as possible (local recoding).

    Without a tree numbers become ranges and categories sets; with one, labels of the tree.

    Example: `sekisho protect partition adult.csv --keys age,sex,race --k 5 --out R.csv`

    Source: LeFevre, DeWitt, Ramakrishnan, ICDE 2006; Xu et al., KDD 2006.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})
    generalises: ClassVar[bool] = True
    """Its cells are ranges, sets and labels, which only files of one's own can hold."""

    keys: tuple[str, ...] = field(
        default=(), metadata={"help": "The columns that an adversary may know, a,b,c; all quasi-identifiers if none."}
    )
    k: int = field(default=5, metadata={"help": "Least number of records whose keys are written alike."})
    tree: Mapping[str, Path | Tree] | None = field(
        default=None,
        metadata={"help": "Keys with a tree of labels: name=FILE, as node,parent or leaf;level;level…"},
    )
    sensitive: str = field(
        default="", metadata={"help": "Beside --l or --t: the column that they speak of; as the schema says."}
    )
    least_l: float | None = field(
        default=None, metadata={"option": "--l", "help": "Least diversity of the sensitive values of a class."}
    )
    diversity: Diversity = field(default=Diversity.DISTINCT, metadata={"help": "What --l counts."})
    c: float = field(default=3.0, metadata={"help": "The c of recursive (c, l)-diversity."})
    t: float | None = field(
        default=None, metadata={"help": "Largest distance of a class's sensitive values from the whole file's, 0 to 1."}
    )
    ordered: bool = field(
        default=False, metadata={"help": "Let --t heed the order of a sensitive number or date (earth mover's)."}
    )
    suppress: Fraction = field(
        default=Fraction(0), metadata={"help": "Largest share of the records that may be left out, such as 0.02."}
    )
    strict: bool = field(
        default=False, metadata={"help": "Only cut between different values; classes then never overlap."}
    )
    effort: float = field(
        default=40.0, metadata={"help": "Length of the search, in millions of looks at a class; 0 only begins."}
    )
    seconds: float | None = field(
        default=None, metadata={"help": "Stop the search after so many CPU seconds, whatever the effort left."}
    )

    def __post_init__(self) -> None:
        _ = self.rule
        if self.t is not None and self.suppress:
            rule = "be 0 beside t: leaving records out changes the shares that t compares with"
            raise ParameterError("suppress", rule, str(self.suppress))
        if not 0 <= self.suppress < 1:
            raise ParameterError("suppress", "lie between 0 and 1, 1 excluded", str(self.suppress))
        if not 0 <= self.effort <= MOST_EFFORT:
            raise ParameterError("effort", f"lie between 0 and {MOST_EFFORT:,}", self.effort)
        if self.seconds is not None and not self.seconds > 0:
            raise ParameterError("seconds", "be above 0", self.seconds)

    @property
    def rule(self) -> SensitiveRule:
        """What every class must keep."""
        return SensitiveRule(
            k=self.k,
            column=self.sensitive,
            level=self.least_l,
            kind=self.diversity,
            c=self.c,
            t=self.t,
            ordered=self.ordered,
        )

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

        def make(grouping: Grouping) -> Recoding:
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
        return recoding.release(Provenance(name="partition", parameters=list_parameters(self)), self.describe(recoding))

    def describe(self, recoding: Recoding) -> dict[str, object]:
        """Return what there is to tell of some classes, as plain data for JSON."""
        losses = recoding.losses()
        ncp = sum(losses.values()) / len(losses)
        sizes = recoding.sizes
        if bool((sizes < self.k).any()):
            raise BugError(f"a class has {int(sizes.min())} records, {self.k} are promised")
        told = describe_classes(recoding.problem.rule, recoding.histogram()) if self.rule.asked and len(sizes) else {}
        return {
            "ncp": ncp,
            "ncp_by_key": losses,
            "k": int(sizes.min()) if len(sizes) else 0,
            "wanted_k": self.k,
            **told,
            "classes": len(sizes),
            "largest": int(sizes.max()) if len(sizes) else 0,
            "records": len(recoding.data),
            "suppressed": len(recoding.data) - int(sizes.sum()),
            "alike": self.rule.describe_promise(recoding.data, tuple(recoding.cells)),
            "useful": ncp <= HARDLY_ANY_USE,
            "warnings": recoding.list_warnings(),
        }
