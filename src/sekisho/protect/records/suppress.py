"""Which cells to suppress: for each record that is not safe the cheapest keys, cheapest sets of keys first.

Where a suppressed cell matches any value (``any``), withholding cells never takes a match from anybody, so each record
may be dealt with by itself: the cheapest set of keys without which k records are equal to it. Its withheld cells then
match others too, which may make them safe. In the end cells that nobody needs are published again, the most important
first.

Where records must be written alike (``alike``), records that are equal without a set of keys leave together as a class.

Local suppression: cells of the keys are withheld until every record has k - 1 others that fit it.

A suppressed cell is written ``*``. Two meanings of it are offered, and they promise different things:

- ``any``, the usual one: a suppressed cell matches any value. Every published record is matched by k - 1 others or
  more, as published, and no more is claimed. It does not hide the suppressed values from one who only reads the
  release: a cell is suppressed only where showing it would leave somebody fewer than k matches, so it cannot hold a
  value whose showing would not. In (a,1) (a,1) (a,*) with k = 2 the star is not 1; of a column of two values it is then
  known. Nor does it stop one who knows a person's keys: in (a,1) (a,1) (a,1) (a,*) the person of keys (a,2) is the
  last. How many published records admit a person's true keys, at least, is told (``least_candidates``). Such a release
  says so itself (``derivable``), and a person must look at it; how much can be worked out is counted where both the
  release and its original are at hand (``sekisho attack downcode``).
- ``alike``: a suppressed cell is like a suppressed cell only. Every record is written like k - 1 others. One who knows
  a person's keys and that he is in the file finds k or more records written as his is.

The cells are chosen greedily, least important first; the fewest possible are not promised.

Source: Samarati, Sweeney, "Protecting privacy when disclosing information", 1998; Hundepool et al., "Statistical
Disclosure Control", 2012, section 3.4.2; Templ, Kowarik, Meindl, "sdcMicro", J. Stat. Softw. 67(4), 2015, section 3.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sekisho.data.frame.cells import Cells
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable, Release, exact_table
from sekisho.data.records.space import require_one_row
from sekisho.data.records.suppressed_matches import (
    count_candidates,
    count_equal,
    count_matches,
    group_patterns,
    uncover_cells,
)
from sekisho.data.shape import Abilities, Shape
from sekisho.errors import BugError, InfeasibleError, ParameterError
from sekisho.parameters import checked
from sekisho.protect.records.minimality.guard import GUARD_HELP, TOLD_AGAINST, Guard, check_guard
from sekisho.protect.records.recoding.key_columns import list_warnings, read_keys
from sekisho.provenance import Provenance, list_parameters
from sekisho.seeds import secret_rng
from sekisho.words import Said

MOST_LOOKS = 3 * 10**9
"""So many rows are looked at to publish cells again; the rest stays suppressed."""


def list_key_sets(weights: Sequence[float]) -> Iterator[NDArray[np.bool_]]:
    """Yield all sets of keys, the cheapest first, the empty one before all."""
    keys = len(weights)
    masks = (np.arange(2**keys)[:, None] >> np.arange(keys)) & 1
    costs = masks @ np.array(weights)
    for place in np.argsort(costs, kind="stable"):
        yield masks[place].astype(np.bool_)


def hide_until_matched(codes: NDArray[np.int32], weights: Sequence[float], k: int) -> NDArray[np.bool_]:
    """Return which cells are suppressed so that every record has k matches, a suppressed cell matching any."""
    everybody = np.arange(len(codes), dtype=np.int64)
    hidden = np.zeros(codes.shape, dtype=np.bool_)
    matches, open_rows = np.zeros(len(codes), dtype=np.int64), everybody
    for keys in list_key_sets(weights):
        equal = count_equal(codes, np.flatnonzero(~keys), everybody, open_rows)
        if not keys.any():
            matches[:] = equal
            open_rows = open_rows[equal < k]
            continue
        chosen = open_rows[equal >= k]
        if not len(chosen):
            continue
        hidden[np.ix_(chosen, np.flatnonzero(keys))] = True
        open_rows = open_rows[equal < k]
        # Who is still open is equal to none of the chosen in all keys: equal records are chosen together.
        matches[open_rows] += count_equal(codes, np.flatnonzero(~keys), chosen, open_rows)
        open_rows = open_rows[matches[open_rows] < k]
        if not len(open_rows):
            break
    cells = np.argwhere(hidden).astype(np.int64)
    if len(cells):
        order = np.argsort(-np.array(weights)[cells[:, 1]], kind="stable")
        uncover_cells(codes, hidden, count_matches(codes, hidden) - k, cells[order], MOST_LOOKS)
    return hidden


def hide_beside_coins(
    codes: NDArray[np.int32], weights: Sequence[float], k: int, coins: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return which cells are suppressed so that every record has k matches, where some are withheld by coins already.

    Cells that coins withhold are never shown again: that the coins fell on just the cells that a release hides must be
    possible, and then nothing is added.
    """
    hidden = coins.copy()
    open_rows = np.flatnonzero(count_matches(codes, hidden) < k)
    for keys in list_key_sets(weights):
        if not len(open_rows):
            break
        if not keys.any():
            continue
        enough = _count_withheld(codes, hidden, open_rows, keys) >= k
        chosen = open_rows[enough]
        if len(chosen):
            hidden[np.ix_(chosen, np.flatnonzero(keys))] = True
            open_rows = np.flatnonzero(count_matches(codes, hidden) < k)
    cells = np.argwhere(hidden & ~coins).astype(np.int64)
    if len(cells):
        order = np.argsort(-np.array(weights)[cells[:, 1]], kind="stable")
        uncover_cells(codes, hidden, count_matches(codes, hidden) - k, cells[order], MOST_LOOKS)
    return hidden


def _count_withheld(
    codes: NDArray[np.int32], hidden: NDArray[np.bool_], rows: NDArray[np.int64], keys: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return how many records would match each of some, if it withheld some keys beside what it does."""
    matches, patterns = np.zeros(len(codes), dtype=np.int64), group_patterns(hidden)
    asked = np.zeros(len(codes), dtype=np.bool_)
    asked[rows] = True
    for own, members in patterns:
        some = members[asked[members]]
        if len(some):
            for other, among in patterns:
                matches[some] += count_equal(codes, np.flatnonzero(~(own | keys | other)), among, some)
    return matches[rows]


def hide_until_alike(codes: NDArray[np.int32], weights: Sequence[float], k: int) -> NDArray[np.bool_]:
    """Return which cells are suppressed so that every record is written like k - 1 others."""
    hidden = np.zeros(codes.shape, dtype=np.bool_)
    open_rows = np.arange(len(codes), dtype=np.int64)
    for keys in list_key_sets(weights):
        if not len(open_rows):
            return hidden
        equal = count_equal(codes, np.flatnonzero(~keys), open_rows, open_rows)
        hidden[np.ix_(open_rows[equal >= k], np.flatnonzero(keys))] = True
        open_rows = open_rows[equal < k]
    if len(open_rows):
        hidden[_complete_last_class(codes, hidden, weights, open_rows, k)] = True
    return hidden


def hide_alike_beside_coins(
    codes: NDArray[np.int32], weights: Sequence[float], k: int, coins: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return the same where some cells are withheld by coins already: like one another, as a value of their own."""
    return coins | hide_until_alike(np.where(coins, codes.max() + 1, codes).astype(np.int32), weights, k)


def _complete_last_class(
    codes: NDArray[np.int32], hidden: NDArray[np.bool_], weights: Sequence[float], left: NDArray[np.int64], k: int
) -> NDArray[np.int64]:
    """Return the records that are withheld wholly: those that are left, and others so that they are k.

    Others come from classes that can spare them, from those that tell least; if that is not enough, whole classes go.
    """
    rest = np.setdiff1d(np.arange(len(codes)), left)
    written = np.where(hidden, -1, codes)[rest]
    _, owner, sizes = np.unique(written, axis=0, return_inverse=True, return_counts=True)
    owner = owner.reshape(-1)
    rank = np.empty(len(rest), dtype=np.int64)
    order = np.argsort(owner, kind="stable")
    rank[order] = np.arange(len(rest)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    gain = -1.0 * (hidden[rest].astype(np.float64) @ np.array(weights))
    spare = rest[rank >= k]
    spare = spare[np.argsort(gain[rank >= k], kind="stable")]
    needed = k - len(left)
    if len(spare) >= needed:
        return np.concatenate([left, spare[:needed]])
    smallest = np.argsort(sizes, kind="stable")
    enough = int(np.searchsorted(np.cumsum(sizes[smallest]), needed)) + 1
    return np.concatenate([left, rest[np.isin(owner, smallest[:enough])]])


USUAL_COIN = 0.005
"""The chance that a guard withholds a cell beforehand."""
COINS = Said(
    "coins withheld cells beforehand: no value of a hidden cell is ruled out for sure, but what could be worked out "
    "without them is still likely"
)
MOST_KEYS = 14
"""All sets of keys are gone through, so there may not be more."""
HARDLY_ANY_USE = 0.8
"""Where more than this share of the cells of the keys is withheld, the release is of hardly any use."""


class Matching(StrEnum):
    """What a suppressed cell matches: any value, or suppressed cells only."""

    ANY = "any"
    ALIKE = "alike"


@dataclass(frozen=True, slots=True, kw_only=True)
@checked
class Suppress:
    """Withhold single cells of the keys, the least important first, until k records match (local suppression).

    Example: `sekisho protect suppress people.csv --keys age,sex,town --k 3 --importance age=1,town=5 --out R.csv`

    Source: Samarati, Sweeney, 1998; Templ, Kowarik, Meindl, sdcMicro, 2015.
    """

    shapes: ClassVar[frozenset[Shape]] = frozenset({Shape.RECORDS})
    abilities: ClassVar[Abilities] = Abilities(writes_cells=True)

    keys: tuple[str, ...] = field(
        default=(), metadata={"help": "The columns that an adversary may know, a,b,c; all quasi-identifiers if none."}
    )
    k: int = field(default=3, metadata={"help": "Least number of records that match each one, itself included."})
    importance: Mapping[str, float] = field(
        default_factory=dict[str, float],
        metadata={"help": "By key, what withholding a cell costs: a=1,b=3; 1 if not said."},
    )
    matching: Matching = field(
        default=Matching.ANY,
        metadata={
            "help": "What a suppressed cell matches: any value (who reads the release alone can often work out hidden "
            "cells: a person must look at it), or suppressed cells only."
        },
    )
    guard: Guard | None = field(default=None, metadata={"help": GUARD_HELP})
    coin: float | None = field(
        default=None,
        metadata={"help": "With --guard: the chance that a cell is withheld beforehand; 0.005 if not given."},
    )

    def __post_init__(self) -> None:
        check_guard(self.guard, {"coin": self.coin})
        if self.coin is not None and not 0 < self.coin < 1:
            raise ParameterError("coin", Said("lie strictly between 0 and 1"), self.coin)
        if self.k < 1:
            raise ParameterError("k", Said("be 1 or more"), self.k)
        for name, weight in self.importance.items():
            if not 0 < weight < np.inf:
                raise ParameterError(Said("importance of {name}", name=name), Said("be above 0"), weight)

    def apply(self, data: Dataset, *, rng: np.random.Generator) -> Release:
        """Return the records with cells withheld; none is deleted, and no chance plays a part but a guard's coins.

        Raises:
            InfeasibleError: there are fewer than k records.
            ParameterError: a key is unknown or the identifier, importance is said of no key, or keys are too many.
        """
        del rng  # a guard's coins are secret
        require_one_row(data)
        keys = read_keys(data, self.keys, {})
        names = [key.column.name for key in keys]
        strangers = [name for name in self.importance if name not in names]
        if strangers:
            raise ParameterError("importance", Said("be of a key ({keys})", keys=", ".join(names)), strangers)
        if len(names) > MOST_KEYS:
            raise ParameterError("keys", Said("be at most {most_keys}", most_keys=MOST_KEYS), len(names))
        if len(data) < self.k:
            raise InfeasibleError(Said("{records} records cannot match {k} at a time", records=len(data), k=self.k))
        weights = [self.importance.get(name, 1.0) for name in names]
        codes = np.ascontiguousarray(np.stack([key.codes.codes for key in keys], axis=1).astype(np.int32))
        hidden, guarded = self._hide(codes, weights)
        columns: dict[str, Cells] = dict(exact_table(data).columns)
        for place, name in enumerate(names):
            columns[name] = columns[name].suppress(hidden[:, place])
        return Release(
            table=MaskedTable(schema=data.schema, columns=columns),
            deleted=np.zeros(len(data), dtype=np.bool_),
            provenance=Provenance(name="suppress", parameters=list_parameters(self)),
            detail=self._describe(names, weights, codes, hidden)
            | guarded
            | {"warnings": [*list_warnings(len(data), keys), *([COINS] if guarded else [])]},
        )

    def _hide(self, codes: NDArray[np.int32], weights: list[float]) -> tuple[NDArray[np.bool_], dict[str, object]]:
        """Return which cells are withheld, and what there is to tell of a guard."""
        hide = hide_until_matched if self.matching is Matching.ANY else hide_until_alike
        plain = hide(codes, weights, self.k)
        if self.guard is None:
            return plain, {}
        coin = USUAL_COIN if self.coin is None else self.coin
        coins = secret_rng().random(codes.shape) < coin
        beside = hide_beside_coins if self.matching is Matching.ANY else hide_alike_beside_coins
        hidden = beside(codes, weights, self.k, coins)
        cost = {"cells": int(hidden.sum()), "by_coin": int(coins.sum()), "cells_without": int(plain.sum())}
        told = {"kind": self.guard.value, "epsilon": None, "public": None, "coin": coin, "cost": cost}
        return hidden, {"guard": told, "against": dict(TOLD_AGAINST)}

    def _describe(
        self, names: list[str], weights: list[float], codes: NDArray[np.int32], hidden: NDArray[np.bool_]
    ) -> dict[str, object]:
        """Return what there is to tell, having counted the matches once more."""
        matches = count_matches(codes, hidden)
        written = np.where(hidden, -1, codes)
        sizes = np.unique(written, axis=0, return_counts=True)[1]
        k = int(matches.min()) if self.matching is Matching.ANY else int(sizes.min())
        if k < self.k:
            raise BugError(f"a record has {k} matches, {self.k} are promised")
        cells = hidden.sum(axis=0)
        hidden_in = [name for name, count in zip(names, cells.tolist(), strict=True) if count]
        promise: dict[str, object] = {"alike": {"keys": names, "least": self.k}}
        if self.matching is Matching.ANY:
            promise = {"matched": {"keys": names, "least": self.k, "hidden_in": hidden_in}}
        return {
            "matching": self.matching.value,
            "k": k,
            "wanted_k": self.k,
            "least_candidates": int(count_candidates(codes, hidden).min()),
            "cells": int(cells.sum()),
            "cells_by_key": dict(zip(names, cells.tolist(), strict=True)),
            "share": float(hidden.mean()),
            "cost": float(cells @ np.array(weights)),
            "records": len(codes),
            "touched": int(hidden.any(axis=1).sum()),
            "useful": float(hidden.mean()) <= HARDLY_ANY_USE,
            "derivable": hidden_in if self.matching is Matching.ANY else [],
            **promise,
        }
