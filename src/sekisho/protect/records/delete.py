"""Delete records: the first anonymisation of the contest of 2021.

The adversary asks both whether a record was kept and which row is his; deleting the records that would be easy to find
lowers the second at the price of telling something about the first. Four ways to choose: records with few partners
(team 10), records beyond top or bottom codes, records of small classes (the organisers' samples), and chance.

Source: PWS Cup 2021, slides of team 10; programs top2.py, bottom2.py, kanony2.py.

Decoys: delete records, then give some of the kept rows the values of deleted ones.

The adversary who looks for a record's own values finds those of people who are not there: a deleted record looks like a
member, and a member has lost his values to a neighbour. A kept row takes the values of a deleted partner within Iloss
<= limit, each deleted record being used at most once.

Source: PWS Cup 2021, other teams' strategies as described in the slides' discussion.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.cells import find_gaps
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import Release
from sekisho.data.records.partners import count_partners, find_partners
from sekisho.data.records.space import FARTHEST, RecordSpace, require_limit, require_one_row
from sekisho.data.shape import Shape
from sekisho.errors import ParameterError
from sekisho.kernels import njit
from sekisho.parameters import checked
from sekisho.protect.records.record_release import ReleaseMaker, release_borrowed, release_unchanged
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class DeleteFew(RecordSpace):
    """Delete the records with at most ``few`` partners within Iloss <= limit.

    Source: PWS Cup 2021, slides of team 10.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    few: int = field(default=25, metadata={"help": "Records with at most so many partners are deleted."})
    limit: float | None = field(default=None, metadata={"help": "The largest loss between partners; as the rules say."})

    def __post_init__(self) -> None:
        if self.limit is not None:
            require_limit(self.limit)
        if self.few < 0:
            raise ParameterError("few", Said("be at least 0"), self.few)

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> Release:
        """Return the data without them."""
        del rng
        (points,) = self.points(data)
        return release_unchanged(
            data, count_partners(points, require_limit(self.limit)) <= self.few, ReleaseMaker("delete", self)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class DeleteExtremes:
    """Delete the records above a top code or below a bottom code, by column; a missing value is neither.

    Source: PWS Cup 2021, programs top2.py and bottom2.py.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    top: Mapping[str, float] = field(
        default_factory=dict[str, float], metadata={"help": "Records above are deleted: column=value,…"}
    )
    bottom: Mapping[str, float] = field(
        default_factory=dict[str, float], metadata={"help": "Records below are deleted: column=value,…"}
    )

    def __post_init__(self) -> None:
        if not self.top and not self.bottom:
            raise ParameterError(
                Said("top or bottom"), Said("name at least one column and its code"), "none", hint="age=75"
            )
        for which, codes in (("top", self.top), ("bottom", self.bottom)):
            for name, code in codes.items():
                if not abs(code) <= FARTHEST:
                    raise ParameterError(
                        Said("{which} of {name}", which=which, name=name),
                        Said("lie between -{farthest:,} and {farthest:,}", farthest=FARTHEST),
                        code,
                    )

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> Release:
        """Return the data without them."""
        del rng
        require_one_row(data)
        deleted = np.zeros(len(data), dtype=np.bool_)
        for name, code in self.top.items():
            deleted |= data.grid(name) > _place_on_grid(data, name, code)
        for name, code in self.bottom.items():
            grid = data.grid(name)
            deleted |= (grid < _place_on_grid(data, name, code)) & ~find_gaps(grid)
        return release_unchanged(data, deleted, ReleaseMaker("delete-extremes", self))


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class DeleteSmall:
    """Delete the records whose values in some columns are shared by fewer than k.

    Source: PWS Cup 2021, program kanony2.py.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    k: int = field(default=7, metadata={"help": "Classes of fewer records are deleted."})
    keys: tuple[str, ...] = field(
        default=(), metadata={"help": "The columns that make the classes; all categories if none is named."}
    )

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ParameterError("k", Said("be at least 1"), self.k)

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> Release:
        """Return the data without them."""
        del rng
        require_one_row(data)
        named = self.keys or tuple(column.name for column in data.schema.attributes if not column.kind.numeric)
        if not named:
            raise ParameterError("keys", Said("name at least one column where none is a category"), self.keys)
        keys = [data.schema[name].name for name in named]
        frame = data.frame[keys].rename(lambda name: f"={name}")  # a column may be called *, which polars takes for all
        size = frame.select(pl.len().over(frame.columns)).to_series().to_numpy()
        promise = {"alike": {"keys": keys, "least": self.k}} if self.k > 1 else {}
        return release_unchanged(data, size < self.k, ReleaseMaker("delete-small", self, promise))


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class DeleteRandom:
    """Delete a share of the records by chance, rounded down to whole records.

    Source: PWS Cup 2021, as other teams did with about 45 %.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    share: float = field(default=0.45, metadata={"help": "The share of the records to delete."})

    def __post_init__(self) -> None:
        if not 0 <= self.share < 1:
            raise ParameterError("share", Said("lie in [0, 1)"), self.share)

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> Release:
        """Return the data without them."""
        require_one_row(data)
        deleted = np.zeros(len(data), dtype=np.bool_)
        deleted[rng.permutation(len(data))[: int(self.share * len(data))]] = True
        return release_unchanged(data, deleted, ReleaseMaker("delete-random", self))


def _place_on_grid(data: Dataset, name: str, code: float) -> float:
    return float(Fraction(str(code)) * 10 ** data.schema[name].decimals)


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Decoy(RecordSpace):
    """Delete a share by chance and let a share of the kept rows bear deleted records' values.

    Fewer become decoys where deleted partners run out.

    Source: PWS Cup 2021, as other teams did.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})

    share: float = field(default=0.45, metadata={"help": "The share of the records to delete."})
    replaced: float = field(default=1.0, metadata={"help": "The share of the kept rows that should become decoys."})
    limit: float | None = field(
        default=None, metadata={"help": "The largest loss a record may suffer; as the rules say."}
    )

    def __post_init__(self) -> None:
        if self.limit is not None:
            require_limit(self.limit)
        if not 0 <= self.replaced <= 1:
            raise ParameterError("replaced", Said("lie in [0, 1]"), self.replaced)

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> Release:
        """Return the kept records with decoys among them."""
        deleted = DeleteRandom(share=self.share).apply(data, rng=rng).deleted
        (points,) = self.points(data)
        near = find_partners(points, require_limit(self.limit))
        stays = rng.random(len(data)) >= self.replaced
        order = rng.permutation(len(data))
        order = order[np.argsort(near.counts()[order], kind="stable")]
        source = _choose_decoys(near.offsets, near.rows, order, deleted, stays, rng.random(len(near.rows)))
        decoys = int((source[~deleted] != np.flatnonzero(~deleted)).sum())
        return release_borrowed(data, source, deleted, ReleaseMaker("decoy", self, {"decoys": decoys}))


@njit(cache=True, nogil=True)
def _choose_decoys(
    offsets: NDArray[np.int64],
    rows: NDArray[np.int32],
    order: NDArray[np.int64],
    deleted: NDArray[np.bool_],
    stays: NDArray[np.bool_],
    wanted: NDArray[np.float64],
) -> NDArray[np.int64]:
    source, used = np.arange(len(order)), np.zeros(len(order), dtype=np.bool_)
    for record in order:
        if deleted[record] or stays[record]:
            continue
        best = -1
        for place in range(offsets[record], offsets[record + 1]):
            partner = rows[place]
            if deleted[partner] and not used[partner] and (best < 0 or wanted[place] > wanted[best]):
                best = place
        if best >= 0:
            source[record] = rows[best]
            used[rows[best]] = True
    return source
