"""What every method of recoding asks for: the keys and their trees, and what each class of a release keeps.

Equal records counted once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sekisho.data.shape import Abilities, Shape
from sekisho.data.trees.hierarchy import Tree
from sekisho.errors import ParameterError
from sekisho.kernels import njit
from sekisho.parameters import renamed
from sekisho.protect.records.recoding.key_space import KeyCodes, Records
from sekisho.protect.records.recoding.sensitive import SensitiveRule
from sekisho.safety.records.diversity import Diversity
from sekisho.words import Said

MIX = np.uint64(0x9E3779B97F4A7C15)
SMALLEST = 1 << 12
"""Slots of the table at first."""


def count_distinct(
    columns: Sequence[KeyCodes], sensitive: NDArray[np.int32] | None
) -> tuple[Records, NDArray[np.int64]]:
    """Return the distinct records in the order in which they first occur, and which of them each row is."""
    parts = [column.codes for column in columns]
    parts.append(np.zeros_like(parts[0]) if sensitive is None else sensitive)
    codes = np.stack(parts, axis=1, dtype=np.int32)
    first, which = _number_rows(codes)
    records = Records(
        codes=np.ascontiguousarray(codes[first, :-1]),
        copies=np.bincount(which, minlength=len(first)).astype(np.int64),
        sensitive=np.ascontiguousarray(codes[first, -1]),
    )
    return records, which


@njit(cache=True, nogil=True)
def _number_rows(codes: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first row of each distinct one, and the number of each row among them."""
    table = np.full(SMALLEST, -1, np.int32)
    first, word = np.empty(len(codes), np.int32), np.empty(len(codes), np.uint32)
    which, distinct = np.empty(len(codes), np.int64), 0
    for row in range(len(codes)):
        own = _mix_codes(codes[row])
        slot = np.int64(own) & (len(table) - 1)
        while table[slot] >= 0 and (word[table[slot]] != own or _differ(codes, first[table[slot]], row)):
            slot = (slot + 1) & (len(table) - 1)
        if table[slot] < 0:
            table[slot], first[distinct], word[distinct] = distinct, row, own
            distinct += 1
        which[row] = table[slot]
        if 2 * distinct > len(table):
            table = _widen_table(word[:distinct], 4 * len(table))
    return first[:distinct].astype(np.int64), which


@njit(cache=True, nogil=True)
def _mix_codes(codes: NDArray[np.int32]) -> np.uint32:
    word = np.uint64(0)
    for code in codes:
        word = (word ^ np.uint64(code)) * MIX
        word ^= word >> np.uint64(29)
    return np.uint32(word & np.uint64(0xFFFFFFFF))


@njit(cache=True, nogil=True)
def _widen_table(word: NDArray[np.uint32], size: int) -> NDArray[np.int32]:
    """Return a larger table of what is numbered so far; a small one stays in the cache while it is large enough."""
    table = np.full(size, -1, np.int32)
    for number in range(len(word)):
        slot = np.int64(word[number]) & (size - 1)
        while table[slot] >= 0:
            slot = (slot + 1) & (size - 1)
        table[slot] = number
    return table


@njit(cache=True, nogil=True)
def _differ(codes: NDArray[np.int32], one: int, other: int) -> bool:
    column = 0
    while column < codes.shape[1] and codes[one, column] == codes[other, column]:
        column += 1
    return column < codes.shape[1]


HARDLY_ANY_USE = 0.8
"""A release whose NCP is above this is of hardly any use: four fifths of what the keys tell is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
@renamed(least_l="l")
class ClassedMethod:
    """Records form classes of k or more whose keys are written alike; with l and t, of diverse sensitive values."""

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})
    abilities: ClassVar[Abilities] = Abilities(writes_cells=True)

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
    l: float | None = field(default=None, metadata={"help": "Least diversity of the sensitive values of a class."})
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

    def __post_init__(self) -> None:
        _ = self.rule
        if self.t is not None and self.suppress:
            rule = Said("be 0 beside t: leaving records out changes the shares that t compares with")
            raise ParameterError("suppress", rule, str(self.suppress))
        if not 0 <= self.suppress < 1:
            raise ParameterError("suppress", Said("lie between 0 and 1, 1 excluded"), str(self.suppress))

    def with_trees(self, trees: Mapping[str, Tree]) -> Self:
        """Return the same method with these trees."""
        return replace(self, tree=trees)

    @property
    def rule(self) -> SensitiveRule:
        """What every class must keep."""
        return SensitiveRule(
            k=self.k,
            column=self.sensitive,
            level=self.l,
            kind=self.diversity,
            c=self.c,
            t=self.t,
            ordered=self.ordered,
        )
