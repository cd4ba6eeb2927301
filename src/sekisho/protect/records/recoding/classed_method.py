"""What every method of recoding asks for: the keys and their trees, and what each class of a release keeps.

Equal records counted once.

What is asked of the sensitive column of every class, and what the classes came to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.dataset import Dataset, Role, Schema
from sekisho.data.shape import Abilities, Shape
from sekisho.data.trees.hierarchy import Tree
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.kernels import njit
from sekisho.parameters import renamed
from sekisho.protect.records.recoding.key_space import KeyCodes, Records
from sekisho.protect.records.recoding.value_sums import ClassRule, keeps_rule
from sekisho.safety.records.classes import UNKNOWN_CELLS
from sekisho.safety.records.diversity import Diversity
from sekisho.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitiveRule:
    """What every class must keep.

    Attributes:
        k: the least number of records.
        column: the sensitive one; if empty, the only one that the schema calls so.
        level: l, the least diversity; None for none.
        kind: what l counts.
        c: of recursive diversity.
        t: the largest distance from the whole file's shares; None for none.
        ordered: whether t heeds the order of numbers or dates.
    """

    k: int
    column: str = ""
    level: float | None = None
    kind: Diversity = Diversity.DISTINCT
    c: float = 3.0
    t: float | None = None
    ordered: bool = False

    def __post_init__(self) -> None:
        if self.k < 1:
            raise ParameterError("k", Said("be 1 or more"), self.k)
        whole = self.kind is not Diversity.ENTROPY
        if self.level is not None and (not 1 <= self.level < np.inf or (whole and self.level != int(self.level))):
            rule = (
                Said("be a whole number from 1 on for {kind}", kind=self.kind)
                if whole
                else Said("be a number from 1 on for {kind}", kind=self.kind)
            )
            raise ParameterError("l", rule, self.level)
        if not 0 < self.c < np.inf:
            raise ParameterError("c", Said("be above 0"), self.c)
        if self.t is not None and not 0 <= self.t <= 1:
            raise ParameterError("t", Said("lie between 0 and 1"), self.t)
        if self.level is None and self.t is None and (self.column or self.ordered):
            raise ParameterError("sensitive", Said("be named only beside l or t"), self.column or "ordered")

    @property
    def asked(self) -> bool:
        """Whether the sensitive column matters."""
        return self.level is not None or self.t is not None

    def settle(self, data: Dataset, keys: tuple[str, ...]) -> tuple[ClassRule, NDArray[np.int32] | None]:
        """Return the rule on counts, and the code of each record's sensitive value where it matters.

        Raises:
            ParameterError: there is no such column, or it is a key.
            InfeasibleError: not even all records together keep the rule; the message is the reason.
        """
        name = self.find_column(data.schema, keys)
        if name is not None:
            self.refuse_gaps(data, name)
        codes = None if name is None else code_sensitive(data, name)
        # One value alone is counted beside an empty second one: a rule on one count is a rule on k alone.
        counts = None if codes is None else np.bincount(codes, minlength=2).astype(np.int64)
        return self.settle_counts(len(data), name, counts, lacks=name is not None and lacks_values(data, name)), codes

    def refuse_gaps(self, data: Dataset, name: str) -> None:
        """Refuse an order of sensitive values some of which are missing: these have no place in it.

        Raises:
            ParameterError: that is asked for.
        """
        if self.ordered and data.count_gaps(name):
            rule, way = Said("be asked of numbers or dates none of which is missing"), Said("t without it is stricter")
            raise ParameterError("ordered", rule, name, hint=way)

    def settle_counts(self, rows: int, name: str | None, counts: NDArray[np.int64] | None, *, lacks: bool) -> ClassRule:
        """Return the rule on counts of so many records, from how often each sensitive value occurs, if that matters.

        Args:
            rows: how many records there are.
            name: of the sensitive column.
            counts: how often each of its values occurs.
            lacks: whether the first of them is that of a cell that is missing.

        Raises:
            InfeasibleError: not even all records together keep the rule; the message is the reason.
        """
        if rows < self.k:
            raise InfeasibleError(Said("{rows} records cannot form a class of {k}", rows=rows, k=self.k))
        if counts is None:
            return ClassRule(self.k, 0, 0.0, 0.0, 0, 1.0, False, np.ones(1), -1)
        known = counts[1:] if lacks else counts
        if not known.any():
            raise InfeasibleError(
                Said("no value of {name} is known: there is nothing that l or t could keep", name=name)
            )
        rule = self._make_rule(counts, lacks=lacks)
        if not keeps_rule(rule, counts, rows):
            raise InfeasibleError(
                Said(
                    "not even all {rows:,} records together keep l = {level:g} ({kind}): {name} has "
                    "{distinct} values, the most frequent {times:,} times",
                    rows=rows,
                    level=self.level,
                    kind=self.kind,
                    name=name,
                    distinct=int((known > 0).sum()),
                    times=int(known.max()),
                )
            )
        return rule

    def find_column(self, schema: Schema, keys: tuple[str, ...]) -> str | None:
        """Return the sensitive column; None where it does not matter.

        Raises:
            ParameterError: there is no such column, it is a key, or an order is asked of values that have none.
        """
        if not self.asked:
            return None
        name = self._find_name(schema, keys)
        if self.ordered and not schema[name].kind.numeric:
            raise ParameterError("ordered", Said("be asked of numbers or dates"), name)
        return name

    def describe_promise(self, schema: Schema, keys: tuple[str, ...]) -> dict[str, object]:
        """Return what every class of a release keeps, as plain data: whoever gets the file can count it again."""
        promise: dict[str, object] = {"keys": list(keys), "least": self.k}
        if self.asked:
            promise["sensitive"] = {
                "column": self._find_name(schema, keys),
                "l": self.level,
                "kind": self.kind.value,
                "c": self.c,
                "t": self.t,
                "ordered": self.ordered,
            }
        return promise

    def _find_name(self, schema: Schema, keys: tuple[str, ...]) -> str:
        named = (self.column,) if self.column else schema.with_role(Role.SENSITIVE)
        if len(named) != 1:
            raise ParameterError("sensitive", Said("be named beside l or t, one column"), named)
        name = schema[named[0]].name
        if name in keys or schema[name].role is Role.IDENTIFIER:
            raise ParameterError("sensitive", Said("be neither a key nor the identifier"), name)
        return name

    def _make_rule(self, counts: NDArray[np.int64], *, lacks: bool) -> ClassRule:
        least = self.level or 0.0
        known = np.where(np.arange(len(counts)) < int(lacks), 0, counts)
        return ClassRule(
            k=self.k,
            distinct=int(least) if self.kind is Diversity.DISTINCT else 0,
            entropy=least if self.kind is Diversity.ENTROPY else 0.0,
            recursive_c=self.c,
            recursive_l=int(least) if self.kind is Diversity.RECURSIVE else 0,
            t=1.0 if self.t is None else self.t,
            ordered=self.ordered,
            shares=known / known.sum(),
            unknown=0 if lacks else -1,
        )


def code_sensitive(data: Dataset, name: str) -> NDArray[np.int32]:
    """Return the code of each record's sensitive value: numbers in their order, texts in theirs.

    What is not known, missing cells and marks of suppression alike, comes first.
    """
    numeric = data.schema[name].kind.numeric
    if numeric:
        return np.unique(data.grid(name), return_inverse=True)[1].reshape(-1).astype(np.int32)
    domain, codes = data.domain(name), data.codes(name)
    known = np.array([value not in UNKNOWN_CELLS for value in domain], dtype=np.bool_)
    if known.all():
        return codes.astype(np.int32)
    return np.where(known, np.cumsum(known), 0).astype(np.int32)[codes]


def lacks_values(data: Dataset, name: str) -> bool:
    """Tell whether some of a column's values are not known."""
    if data.schema[name].kind.numeric:
        return data.count_gaps(name) > 0
    return not set(UNKNOWN_CELLS).isdisjoint(data.domain(name))


def describe_classes(rule: ClassRule, histogram: NDArray[np.int64]) -> dict[str, float]:
    """Return the worst figures of some classes, by their counts of sensitive values; none where none is known."""
    if rule.unknown >= 0:
        known = histogram.copy()
        known[:, rule.unknown] = 0
        histogram = known[known.any(axis=1)]
    if not len(histogram):
        return {}
    share = histogram / histogram.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = -np.where(share > 0, share * np.log(share), 0.0).sum(axis=1)
    moved = share - rule.shares
    equal = np.abs(moved).sum(axis=1) / 2
    ordered = np.abs(np.cumsum(moved, axis=1)).sum(axis=1) / (len(rule.shares) - 1)
    return {
        "distinct_l": int((histogram > 0).sum(axis=1).min()),
        "entropy_l": float(np.exp(entropy.min())),
        "t": float((ordered if rule.ordered else equal).max()),
    }


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
        while table[slot] >= 0 and (word[table[slot]] != own or _differ(codes, int(first[table[slot]]), row)):
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
