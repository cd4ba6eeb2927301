"""What is asked of the sensitive column of every class, and what the classes came to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.dataset import Dataset, Role, Schema
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.protect.records.recoding.class_rule import ClassRule, keeps_rule
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
        return self.settle_counts(len(data), name, counts), codes

    def refuse_gaps(self, data: Dataset, name: str) -> None:
        """Refuse an order of sensitive values some of which are missing: these have no place in it.

        Raises:
            ParameterError: that is asked for.
        """
        if self.ordered and data.count_gaps(name):
            rule, way = Said("be asked of numbers or dates none of which is missing"), Said("t without it is stricter")
            raise ParameterError("ordered", rule, name, hint=way)

    def settle_counts(self, rows: int, name: str | None, counts: NDArray[np.int64] | None) -> ClassRule:
        """Return the rule on counts of so many records, from how often each sensitive value occurs, if that matters.

        Raises:
            InfeasibleError: not even all records together keep the rule; the message is the reason.
        """
        if rows < self.k:
            raise InfeasibleError(Said("{rows} records cannot form a class of {k}", rows=rows, k=self.k))
        if counts is None:
            return ClassRule(self.k, 0, 0.0, 0.0, 0, 1.0, False, np.ones(1))
        rule = self._make_rule(counts)
        if not keeps_rule(rule, counts, rows):
            raise InfeasibleError(
                Said(
                    "not even all {rows:,} records together keep l = {level:g} ({kind}): {name} has "
                    "{distinct} values, the most frequent {times:,} times",
                    rows=rows,
                    level=self.level,
                    kind=self.kind,
                    name=name,
                    distinct=int((counts > 0).sum()),
                    times=int(counts.max()),
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

    def _make_rule(self, counts: NDArray[np.int64]) -> ClassRule:
        least = self.level or 0.0
        return ClassRule(
            k=self.k,
            distinct=int(least) if self.kind is Diversity.DISTINCT else 0,
            entropy=least if self.kind is Diversity.ENTROPY else 0.0,
            recursive_c=self.c,
            recursive_l=int(least) if self.kind is Diversity.RECURSIVE else 0,
            t=1.0 if self.t is None else self.t,
            ordered=self.ordered,
            shares=counts / counts.sum(),
        )


def code_sensitive(data: Dataset, name: str) -> NDArray[np.int32]:
    """Return the code of each record's sensitive value: numbers in their order, texts in theirs."""
    numeric = data.schema[name].kind.numeric
    codes = np.unique(data.grid(name), return_inverse=True)[1].reshape(-1) if numeric else data.codes(name)
    return codes.astype(np.int32)


def describe_classes(rule: ClassRule, histogram: NDArray[np.int64]) -> dict[str, float]:
    """Return the worst figures of some classes, by their counts of sensitive values."""
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
