"""Candidates and the whole maximum-knowledge attack, beside scipy's matching called pair by pair."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from sekisho.attack.history.candidate_search import find_candidates
from sekisho.attack.history.histories import KnownHistories, PublishedHistories, gather_known, gather_published
from sekisho.attack.history.maximum_knowledge import MaximumKnowledge
from sekisho.contest.rulebook import read_history_rules
from sekisho.data.frame.dataset import Dataset
from sekisho.data.history.files import read_original
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.protect.history.similar_length import SimilarLength
from sekisho.seeds import Seed
from spec import Case

ROUND2 = Path(__file__).parents[2] / "shared" / "data" / "pwscup2018" / "T_round2.csv"
SUBSET = 40


def cases() -> Iterator[Case]:
    """Yield the cases, on round 2 of the contest of 2018 where its file is at hand, else on a synthetic shop."""
    original = (
        read_original(ROUND2, read_history_rules("pwscup2018"))
        if ROUND2.exists()
        else SyntheticHistory(customers=1000).draw(rng=Seed(1).rng())
    )
    for k in (1, 2, 3):
        yield from _group_histories(original, k)


def _group_histories(original: Dataset, k: int) -> Iterator[Case]:
    release = SimilarLength(k=k).apply(original, rng=Seed(1).rng())
    table, facts = release.table.take(~release.deleted), gather_known(original)
    assert table.pseudonym is not None
    some = table.take(table.pseudonym <= SUBSET)
    few, rows = gather_published(some, original), gather_published(table, original)
    assert (find_candidates(few, facts).counts() == find_plainly(few, facts).sum(axis=1)).all()
    yield Case(
        work=f"candidates in groups of {k}",
        size=f"{SUBSET} x {len(facts.customers):,} pairs",
        ours=lambda: find_candidates(few, facts),
        reference="scipy matching pair by pair",
        other=lambda: find_plainly(few, facts),
    )
    size = f"{len(table):,} rows"
    yield Case(work=f"candidates in groups of {k}", size=size, ours=lambda: find_candidates(rows, facts))
    yield Case(
        work=f"whole attack on groups of {k}",
        size=size,
        ours=lambda: MaximumKnowledge().guess(table, original, rng=Seed(1).rng()),
    )


def find_plainly(rows: PublishedHistories, facts: KnownHistories) -> NDArray[np.bool_]:
    """Decide every pair on its own: the graph of fitting rows in numpy, the matching by scipy."""
    allowed = np.zeros((len(rows.lower), facts.width), np.bool_)
    for row, (start, end) in enumerate(zip(rows.starts[:, 0], rows.ends[:, 0], strict=True)):
        allowed[row, rows.values[start:end]] = True
        allowed[row] |= start == end
    possible = np.zeros((len(rows.pseudonyms), len(facts.customers)), np.bool_)
    for person, customer in np.ndindex(possible.shape):
        mine = slice(rows.offsets[person], rows.offsets[person + 1])
        his = slice(facts.offsets[customer], facts.offsets[customer + 1])
        if mine.stop - mine.start > his.stop - his.start:
            continue
        numbers = facts.numbers[his][None]
        graph = ((rows.lower[mine][:, None] <= numbers) & (numbers <= rows.upper[mine][:, None])).all(axis=2)
        graph &= allowed[mine][:, facts.codes[his, 0]]
        matched = maximum_bipartite_matching(csr_array(graph), perm_type="column")
        possible[person, customer] = bool((matched >= 0).all())
    return possible


if __name__ == "__main__":
    for case in cases():
        print(case.timed())
