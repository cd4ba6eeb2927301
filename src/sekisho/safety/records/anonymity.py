"""k-anonymity: nobody stands in a smaller class of equal published rows than k.

Against whom: one who knows a person's values of the key columns and looks for his row. In a class of c rows that he
cannot tell apart he is right with a chance of 1/c at most, where each row is as likely to be the person's. It promises
nothing about what all rows of a class have in common, and nothing against one who knows further columns.

Source: Samarati, Sweeney, "Protecting privacy when disclosing information", SRI-CSL-98-04 (1998).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.files.published_frame import publish_values
from sekisho.data.frame.release import Release
from sekisho.data.shape import Shape
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.parameters import checked
from sekisho.safety.cover import Coverage
from sekisho.safety.guarantee import Finding
from sekisho.safety.records.classes import ColumnCodes, count_classes, number_classes
from sekisho.words import Said

SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class KAnonymity:
    """Every published record shares its keys with at least k - 1 others.

    Source: Samarati, Sweeney, SRI-CSL-98-04 (1998).
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})
    covers: ClassVar[Coverage] = Coverage.KEYED

    k: int = field(default=2, metadata={"help": "The least size of a class.", "recipe": "k"})
    keys: tuple[str, ...] = field(
        default=(), metadata={"help": "The columns that make the classes; all if none is named."}
    )

    def __post_init__(self) -> None:
        if not self.k >= 2:
            raise ParameterError("k", Said("be at least 2: a class of one is a person"), self.k)

    def check(self, release: Release) -> Finding:
        """Return whether every class has k rows, and the smallest.

        Raises:
            ParameterError: the release is of a history, or has no such column.
            InfeasibleError: nothing is published.
        """
        sizes = class_sizes(release, self.keys)
        if not len(sizes):
            raise InfeasibleError(Said("nothing is published: there is no class to count"))
        least = int(sizes.min())
        rows = np.flatnonzero(~release.deleted)[sizes == least]
        return Finding(
            kept=least >= self.k,
            worst=float(least),
            wanted=float(self.k),
            where=tuple(rows[:SHOWN].tolist()),
            words=tell_smallest_class(least, self.k, int((sizes < self.k).sum())),
        )


def class_sizes(release: Release, keys: tuple[str, ...] = ()) -> NDArray[np.int64]:
    """Return for each published record how many have the same keys, itself included.

    Generalised cells count as they are written.
    """
    if release.table.pseudonym is not None:
        raise ParameterError("release", Said("be of records, one row a person"), "a history")
    frame = publish_values(release).frame
    names = [release.table.schema[name].name for name in keys] or frame.columns
    classes = number_classes([ColumnCodes.of(frame[name].cast(pl.String)) for name in names], frame.height)
    return count_classes(classes)[classes]


def tell_smallest_class(least: int, wanted: int, below: int) -> str:
    """Return the finding in words: the size of the smallest class, that asked for, the rows in smaller classes."""
    return Said(
        "the smallest class has {least} {least:row|rows}, {wanted} are asked for "
        "({below:,} {below:row stands|rows stand} in smaller ones)",
        least=least,
        wanted=wanted,
        below=below,
    )
