"""Chunks change nothing: every pair is decided once, by the rows of its two people, wherever that is done."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from tests.attack.histories import make_shop

from sekisho.attack.history.candidate_search import find_candidates, number_twins
from sekisho.attack.history.histories import (
    PublishedHistories,
    SortedKnown,
    SortedPublished,
    gather_known,
    gather_published,
    sort_known,
    sort_published,
)
from sekisho.attack.history.maximum_knowledge import compute_log_likelihoods
from sekisho.attack.history.row_fit import ChunkRun, cut_by_length, cut_chunks, cut_pairs
from sekisho.data.engines.tasks import use_cluster
from sekisho.protect.history.similar_length import SimilarLength
from sekisho.seeds import Seed

lengths = arrays(np.int64, st.integers(0, 12), elements=st.integers(1, 6))


class Travels:
    """A cluster of one machine, to which everything travels as bytes."""

    def __init__(self) -> None:
        self.tasks = 0

    def run_tasks(self, function: Callable[[Any], Any], tasks: Iterable[Any]) -> Iterator[Any]:
        for task in tasks:
            self.tasks += 1
            work, argument = pickle.loads(pickle.dumps((function, task)))
            yield pickle.loads(pickle.dumps(work(argument)))


def make_sides(customers: int = 60, k: int = 3) -> tuple[SortedPublished, SortedKnown]:
    rng = Seed(3).rng()
    original = make_shop(customers, rng=rng, longest=12)
    release = SimilarLength(k=k).apply(original, rng=rng)
    return sort_published(release.table, original, deleted=release.deleted), sort_known(original)


@given(lengths, lengths, st.integers(1, 20))
def test_every_pair_that_may_fit_is_in_one_chunk(
    classes: NDArray[np.int64], customers: NDArray[np.int64], rows: int
) -> None:
    times = np.zeros((len(classes), len(customers)), dtype=np.int64)
    for chunk in cut_chunks(classes, customers, rows):
        times[np.ix_(chunk.classes, chunk.customers)] += 1
    assert times.max(initial=0) <= 1
    assert bool((times >= (classes[:, None] <= customers)).all())


@given(lengths, st.integers(1, 20))
def test_parts_are_as_small_as_asked(runs: NDArray[np.int64], rows: int) -> None:
    parts = cut_by_length(runs, rows)
    assert sorted(np.concatenate(parts).tolist() if parts else []) == list(range(len(runs)))
    assert all(runs[part[:-1]].sum() < rows for part in parts)  # the last run may reach beyond
    kept = cut_by_length(runs, rows, together=True)
    for one, other in pairwise(kept):
        assert runs[one].max() < runs[other].min()


@given(lengths, lengths, st.integers(1, 20), st.integers(0, 2**32 - 1))
def test_every_single_pair_is_in_one_chunk(
    classes: NDArray[np.int64], customers: NDArray[np.int64], rows: int, seed: int
) -> None:
    rng = Seed(seed).rng()
    if not len(classes) or not len(customers):
        return
    pairs = rng.integers(len(classes), size=9), rng.integers(len(customers), size=9)
    chunks = cut_pairs(pairs, classes, customers, rows)
    assert sorted(np.concatenate([places for places, _ in chunks]).tolist()) == list(range(9))
    for places, chunk in chunks:
        assert chunk.classes[chunk.pairs[0]].tolist() == pairs[0][places].tolist()
        assert chunk.customers[chunk.pairs[1]].tolist() == pairs[1][places].tolist()


@pytest.mark.parametrize(("rows", "jobs"), [(1, 1), (20, 3), (100, 2)])
def test_candidates_and_likelihoods_do_not_depend_on_chunks_or_threads(rows: int, jobs: int) -> None:
    published, known = make_sides()
    whole = find_candidates(published, known)
    parts = find_candidates(published, known, jobs=jobs, chunk=rows)
    assert parts.twin.tolist() == whole.twin.tolist()
    assert parts.possible.indptr.tolist() == whole.possible.indptr.tolist()
    assert parts.possible.indices.tolist() == whole.possible.indices.tolist()
    logs = compute_log_likelihoods(whole, published, known)
    assert len(logs) == whole.possible.nnz > len(whole.example)
    assert compute_log_likelihoods(whole, published, known, jobs=jobs, chunk=rows).tolist() == logs.tolist()


def test_pieces_travel_to_a_cluster_that_is_open() -> None:
    published, known = make_sides()
    whole, cluster = find_candidates(published, known), Travels()
    with use_cluster(cluster):
        parts = find_candidates(published, known, chunk=50)
        assert cluster.tasks > 3
        logs = compute_log_likelihoods(parts, published, known, chunk=50)
    assert parts.possible.indices.tolist() == whole.possible.indices.tolist()
    assert logs.tolist() == compute_log_likelihoods(whole, published, known).tolist()


def test_classes_of_twins_do_not_depend_on_parts() -> None:
    published, _ = make_sides()
    twin = number_twins(published)
    assert np.bincount(twin).min() >= 3
    assert number_twins(published, 1).tolist() == twin.tolist()


def test_rows_that_are_only_sorted_are_those_that_are_gathered() -> None:
    published, known = make_sides(20)
    people = np.array([7, 2, 11])
    whole = gather_published(published.table, known.data).take(people)
    for name in PublishedHistories.__dataclass_fields__:
        assert getattr(published.take(people), name).tolist() == getattr(whole, name).tolist()
    one, other = known.take(people), gather_known(known.data).take(people)
    assert (one.customers, one.width) == (other.customers, other.width)
    assert one.numbers.tolist() == other.numbers.tolist()
    assert one.codes.tolist() == other.codes.tolist()


def test_nothing_published_has_no_chunk() -> None:
    published, known = make_sides(9)
    run = ChunkRun(rows=published, facts=known, example=np.zeros(0, np.int64))
    assert list(run.ask(len, [])) == []
