"""Whoever reads the releases of several months together: pseudonyms that stay join what each month tells.

He knows one customer's rows of every month (``one``), or everybody's (``all``). A pseudonym fits a customer in a month
if its rows can be his (:mod:`sekisho.attack.history.candidate_search`), and if either both have rows there or neither
has: **being there is a key**, also where no month has a small class. Over a block of months with one pseudonymisation
his candidates are the pseudonyms that fit in all of them; where pseudonyms are drawn anew the blocks are separate
questions, and the least counts. Who knows everybody keeps only pairs that occur in some assignment of all pseudonyms of
the block (one matching and strong components, Dulmage and Mendelsohn 1958), and where a component is small his chances
are exact, ratios of permanents; all assignments count as equally likely.

Two months that each pair everybody with one other person (k = 2) can leave one candidate if pseudonyms stay, and leave
two if they do not.

Source: ours; the matchings are those of :mod:`sekisho.attack.history.assignment`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from sekisho.attack.history.assignment import NOBODY, find_consistent_pairs
from sekisho.attack.history.candidate_search import find_candidates, list_pairs
from sekisho.attack.history.histories import sort_known, sort_published
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable
from sekisho.errors import ParameterError
from sekisho.words import Said

SMALL = 14
"""Up to so many customers of a component have exact chances."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HistoryMonth:
    """One month: what was published and what is known of the same people.

    Attributes:
        release: rows under pseudonyms.
        knowledge: everybody's rows of that month.
    """

    release: MaskedTable
    knowledge: Dataset


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BlockCandidates:
    """What a block of months tells.

    Attributes:
        months: its places.
        there: the customers who have rows in some of them; the others are no question.
        candidates: of each customer the pseudonyms that fit in all months.
        roster: of each customer those that occur in some assignment of everybody.
        best: of each customer the chance of his likeliest pseudonym for one who knows everybody; None in a component
            that is too large, or where no assignment gives everybody a pseudonym.
        explanations: how many assignments there are; None where they are not counted.
    """

    months: tuple[int, ...]
    there: NDArray[np.bool_]
    candidates: NDArray[np.int64]
    roster: NDArray[np.int64]
    best: tuple[Fraction | None, ...]
    explanations: int | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HistoryComposition:
    """What several months tell together.

    Attributes:
        blocks: of one pseudonymisation each.
        alone: for each month by itself the candidates of each customer; 0 of one who is not there.
        k: the candidates wanted for everybody.
        everybody: whether he knows everybody's rows; else one customer's.
    """

    blocks: tuple[BlockCandidates, ...]
    alone: tuple[NDArray[np.int64], ...]
    k: int = 0
    everybody: bool = False

    @property
    def candidates(self) -> NDArray[np.int64]:
        """Of each customer the least number over the blocks."""
        counts = [
            np.where(block.there, block.roster if self.everybody else block.candidates, np.iinfo(np.int64).max)
            for block in self.blocks
        ]
        return np.min(np.stack(counts), axis=0)

    @property
    def safe_alone(self) -> bool:
        """Whether each month by itself keeps k."""
        return all(bool((each[each > 0] >= max(self.k, 2)).all()) for each in self.alone)

    @property
    def safe_together(self) -> bool:
        """Whether the months together keep k, and leave nobody alone whom no month does by itself."""
        counts = self.candidates
        alone = np.stack([np.where(each > 0, each, np.iinfo(np.int64).max) for each in self.alone]).min(axis=0)
        fresh = (counts == 1) & (alone != 1)
        return not bool((counts[counts > 0] < self.k).any() or fresh.any())

    @property
    def unexplained(self) -> int:
        """Customers without a candidate."""
        return int((self.candidates == 0).sum())

    def to_dict(self) -> dict[str, object]:
        """Return it as plain data."""
        counts = self.candidates[self.candidates > 0]
        shares = [share for block in self.blocks for share in block.best if share is not None]
        known = self.everybody and len(shares) == sum(int(block.there.sum()) for block in self.blocks)
        return {
            "least_candidates": int(counts.min()) if len(counts) else None,
            "alone": int((counts == 1).sum()),
            "disclosed": int((counts == 1).sum()),
            "releases": [self._describe_month(place) for place in range(len(self.alone))],
            "linked_by": ["pseudonym", "presence"],
            "people": len(self.candidates),
            "own": None,
            "chance": {"largest": float(max(shares)), "overlap": None, "exact": True} if known and shares else None,
            "unsettled": 0,
            "unexplained": self.unexplained,
            "blocks": [list(block.months) for block in self.blocks],
            "against": {"method": "rule", "people": "all" if self.everybody else "one", "present": "all"},
        }

    def _describe_month(self, place: int) -> dict[str, object]:
        alone = self.alone[place][self.alone[place] > 0]
        block = next(block for block in self.blocks if place in block.months)
        counts = block.roster if self.everybody else block.candidates
        joint = counts[counts > 0]
        return {
            "least_alone": int(alone.min()) if len(alone) else None,
            "disclosed_alone": int((alone == 1).sum()),
            "least_joint": int(joint.min()) if len(joint) else None,
            "disclosed_joint": int((joint == 1).sum()),
        }

    def tell(self) -> list[Said]:
        """Return what was found, in words."""
        figures = self.to_dict()
        least = figures["least_candidates"]
        lines = [
            Said(
                "{people:,} customers, {months} months in {blocks} blocks of pseudonyms: least candidates {least}, "
                "{alone:,} customers alone",
                people=len(self.candidates),
                months=len(self.alone),
                blocks=len(self.blocks),
                least="-" if least is None else least,
                alone=figures["alone"],
            )
        ]
        if self.unexplained:
            lines.append(
                Said(
                    "{people:,} customers have no candidate: rows were deleted or changed, or pseudonyms do not stay",
                    people=self.unexplained,
                )
            )
        if not self.safe_together:
            lines.append(Said("safe alone, unsafe together") if self.safe_alone else Said("unsafe together"))
        return lines


def attack_months(
    months: Sequence[HistoryMonth], blocks: Sequence[Sequence[int]], *, k: int = 0, everybody: bool = False
) -> HistoryComposition:
    """Return what months tell together.

    Args:
        months: in their order.
        blocks: the places of the months of each pseudonymisation.
        k: the candidates wanted for everybody.
        everybody: whether he knows everybody's rows.

    Raises:
        ParameterError: the blocks do not hold every month once.
    """
    customers = sorted({name for month in months for name in sort_known(month.knowledge).customers})
    fits: dict[int, csr_array] = {}
    for block in blocks:
        pseudonyms = np.unique(np.concatenate([_list_pseudonyms(months[place]) for place in block]))
        fits |= {place: fit_month(months[place], customers, pseudonyms) for place in block}
    there = [_find_present(month, customers) for month in months]
    return compose_months([fits[place] for place in sorted(fits)], blocks, there=there, k=k, everybody=everybody)


def compose_months(
    fits: Sequence[csr_array],
    blocks: Sequence[Sequence[int]],
    *,
    there: Sequence[NDArray[np.bool_]] | None = None,
    k: int = 0,
    everybody: bool = False,
) -> HistoryComposition:
    """Return what months tell together, each being customers by pseudonyms: who fits whom.

    Raises:
        ParameterError: the blocks do not hold every month once.
    """
    if sorted(place for block in blocks for place in block) != list(range(len(fits))):
        raise ParameterError("blocks", Said("hold every month once"), [list(block) for block in blocks])
    present = [np.ones(fit.shape[0], dtype=np.bool_) for fit in fits] if there is None else there
    alone = tuple(
        np.where(here, np.diff(csr_array(fit).indptr), 0).astype(np.int64)
        for fit, here in zip(fits, present, strict=True)
    )
    counted = tuple(
        _count_block(
            [fits[place] for place in block],
            tuple(block),
            np.logical_or.reduce([present[place] for place in block]),
        )
        for block in blocks
    )
    return HistoryComposition(blocks=counted, alone=alone, k=k, everybody=everybody)


def fit_month(month: HistoryMonth, customers: Sequence[str], pseudonyms: NDArray[np.int64]) -> csr_array:
    """Return customers by pseudonyms: whose rows of a month could be whose; nobody's are nobody's."""
    known, rows = sort_known(month.knowledge), sort_published(month.release, month.knowledge)
    found = find_candidates(rows, known)
    classes, people = list_pairs(found.possible)
    order = np.argsort(found.twin, kind="stable")
    starts = np.concatenate([[0], np.cumsum(found.sizes())])
    sizes = found.sizes()[classes]
    within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    names = rows.pseudonyms[order[np.repeat(starts[classes], sizes) + within]]
    place = {name: at for at, name in enumerate(customers)}
    mine = np.array([place[name] for name in known.customers], dtype=np.int64)
    line, column = np.repeat(mine[people], sizes), np.searchsorted(pseudonyms, names)
    idle, unused = np.ones(len(customers), dtype=np.bool_), np.ones(len(pseudonyms), dtype=np.bool_)
    idle[mine], unused[np.searchsorted(pseudonyms, rows.pseudonyms)] = False, False
    absent, empty = np.flatnonzero(idle), np.flatnonzero(unused)
    line = np.concatenate([line, np.repeat(absent, len(empty))])
    column = np.concatenate([column, np.tile(empty, len(absent))])
    shape = (len(customers), len(pseudonyms))
    return csr_array(coo_array((np.ones(len(line), dtype=np.bool_), (line, column)), shape=shape))


def _list_pseudonyms(month: HistoryMonth) -> NDArray[np.int64]:
    return sort_published(month.release, month.knowledge).pseudonyms


def _find_present(month: HistoryMonth, customers: Sequence[str]) -> NDArray[np.bool_]:
    known = set(sort_known(month.knowledge).customers)
    return np.array([name in known for name in customers], dtype=np.bool_)


def _count_block(fits: Sequence[csr_array], months: tuple[int, ...], there: NDArray[np.bool_]) -> BlockCandidates:
    joint = csr_array(fits[0])
    for fit in fits[1:]:
        joint = csr_array(joint.multiply(fit))
    joint = csr_array(joint[np.flatnonzero(there)])
    joint.sum_duplicates()
    joint.eliminate_zeros()
    consistent, matching = find_consistent_pairs(joint)
    counts, roster = np.zeros(len(there), dtype=np.int64), np.zeros(len(there), dtype=np.int64)
    counts[there], roster[there] = np.diff(joint.indptr), np.diff(consistent.indptr)
    shares, explanations = _weigh_parts(consistent) if bool((matching != NOBODY).all()) else ([], None)
    best: list[Fraction | None] = [None] * len(there)
    for customer, share in zip(np.flatnonzero(there).tolist(), shares, strict=False):
        best[customer] = share
    return BlockCandidates(
        months=months, there=there, candidates=counts, roster=roster, best=tuple(best), explanations=explanations
    )


def _weigh_parts(pairs: csr_array) -> tuple[list[Fraction | None], int | None]:
    """Return of each customer the chance of his likeliest pseudonym, and how many assignments there are."""
    people, nodes = pairs.shape[0], sum(pairs.shape)
    left, right = list_pairs(pairs)
    graph = coo_array((np.ones(len(left), dtype=np.int8), (left, people + right)), shape=(nodes, nodes))
    part = scipy.sparse.csgraph.connected_components(graph, directed=False)[1]
    best: list[Fraction | None] = [None] * people
    total: int | None = 1
    for number in np.unique(part[:people]).tolist():
        mine, theirs = np.flatnonzero(part[:people] == number), np.flatnonzero(part[people:] == number)
        if len(mine) > SMALL or len(theirs) > SMALL:
            total = None
            continue
        ways, shares = _count_assignments(pairs[mine][:, theirs].toarray().astype(np.bool_))
        total = None if total is None else total * ways
        for customer, share in zip(mine.tolist(), shares, strict=True):
            best[customer] = share
    return best, total


def _count_assignments(fits: NDArray[np.bool_]) -> tuple[int, list[Fraction]]:
    """Return how many assignments of lines to columns of their own there are, and each line's likeliest share."""
    lines, columns = fits.shape
    ahead: list[dict[int, int]] = [{0: 1}]
    for line in range(lines):
        ahead.append(_place(ahead[-1], fits[line]))
    behind: list[dict[int, int]] = [dict.fromkeys(ahead[-1], 1)]
    total = sum(ahead[-1].values())
    shares: list[Fraction] = []
    for line in reversed(range(lines)):
        ways = [0] * columns
        before: dict[int, int] = {}
        for mask, count in ahead[line].items():
            for column in np.flatnonzero(fits[line]).tolist():
                rest = behind[-1].get(mask | 1 << column, 0) if not mask >> column & 1 else 0
                ways[column] += count * rest
                before[mask] = before.get(mask, 0) + rest
        behind.append(before)
        shares.append(Fraction(max(ways), total) if total else Fraction(0))
    return total, shares[::-1]


def _place(counts: dict[int, int], fits: NDArray[np.bool_]) -> dict[int, int]:
    """Return in how many ways each set of columns is taken once one more line has its own."""
    after: dict[int, int] = {}
    for mask, count in counts.items():
        for column in np.flatnonzero(fits).tolist():
            if not mask >> column & 1:
                after[mask | 1 << column] = after.get(mask | 1 << column, 0) + count
    return after
