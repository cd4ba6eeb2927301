"""PRAM and sampling of ten million records of eight categories, beside a loop over rows and beside pandas.

And their promise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache, partial

import numpy as np
import pandas as pd
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.dataset import Column, Dataset, Kind, Schema
from sekisho.gate.frontier import Population
from sekisho.protect.records.draw import ColumnWords, draw_codes, prepare_draw
from sekisho.protect.records.pram import Pram
from sekisho.protect.records.sample import draw_order
from sekisho.safety.planner import Attribute, PramPlanner
from sekisho.safety.pram import PkAnonymity
from sekisho.safety.sampling import Stratum
from sekisho.safety.transition import Matrix, Replacement, Transition
from sekisho.seeds import Seed, choose_words, secret_rng
from spec import Case

Codes = Mapping[str, NDArray[np.int32]]

DOMAINS = {"sex": 2, "age": 72, "race": 5, "marital": 7, "education": 16, "country": 41, "work": 7, "occupation": 14}
RECORDS = 10_000_000
KEPT = Fraction(1, 2)


@cache
def people(records: int) -> Codes:
    """Return records as codes."""
    rng = Seed(8).rng()
    return {name: rng.integers(0, values, records, dtype=np.int32) for name, values in DOMAINS.items()}


def drawn(codes: Codes, moves: Mapping[str, Transition], rng: np.random.Generator) -> Codes:
    """Return a sample of half of the records, changed by chance and shuffled."""
    records = len(next(iter(codes.values())))
    words, keys = choose_words(rng), np.arange(records, dtype=np.uint64)
    order = draw_order([Stratum(name="", records=records, sample=records // 2)], keys, words)
    keys = keys[order]
    return {
        name: draw_codes(column[order], keys, prepare_draw(moves[name]), words=ColumnWords(words=words, place=place))
        for place, (name, column) in enumerate(codes.items())
    }


def row_by_row(codes: Codes) -> list[list[int]]:
    """Return the same by a loop over rows; its random numbers are drawn at once, which only helps it."""
    rng, kept = Seed(8).rng(), float(KEPT)
    domains = list(DOMAINS.values())
    rows = [list(row) for row in zip(*(column.tolist() for column in codes.values()), strict=True)]
    chances = rng.random((len(rows), len(domains))).tolist()
    for row, line in zip(rows, chances, strict=True):
        for place, values in enumerate(domains):
            if line[place] >= kept:
                row[place] = int((line[place] - kept) / (1 - kept) * values)
    return [rows[place] for place in rng.permutation(len(rows))[: len(rows) // 2].tolist()]


def by_pandas(codes: Codes) -> pd.DataFrame:
    """Return the same as one would write it with pandas."""
    rng, frame = Seed(8).rng(), pd.DataFrame(codes)
    frame = frame.sample(len(frame) // 2, random_state=rng)
    for name, values in DOMAINS.items():
        frame[name] = frame[name].where(rng.random(len(frame)) < float(KEPT), rng.integers(0, values, len(frame)))
    return frame


@cache
def dataset(records: int) -> Dataset:
    """Return records as data, their codes made."""
    frame = pl.DataFrame(
        {
            name: pl.Series([f"{name} {value}" for value in range(values)], dtype=pl.String).gather(
                people(records)[name]
            )
            for name, values in DOMAINS.items()
        }
    )
    data = Dataset(frame, Schema(tuple(Column(name=name, kind=Kind.CATEGORY) for name in DOMAINS)))
    for name in DOMAINS:
        data.codes(name)
    return data


def slow_minima(matrix: NDArray[np.float64]) -> float:
    """Return r2 pair by pair."""
    pairs = ((u, v) for u in range(len(matrix)) for v in range(u))
    return min(float((matrix[v] / matrix[u]).min() / (matrix[v] / matrix[u]).max()) for u, v in pairs)


def cases() -> Iterator[Case]:
    """Yield the cases."""
    moves = {name: Replacement(values=values, retention=KEPT) for name, values in DOMAINS.items()}
    own = {name: Matrix(rows=move.matrix()) for name, move in moves.items()}
    codes, size = people(RECORDS), "10,000,000 x 8, half drawn"
    few = {name: column[: RECORDS // 100] for name, column in codes.items()}
    pandas = partial(by_pandas, codes)
    yield Case(
        work="PRAM and sample, secret randomness",
        size=size,
        ours=lambda: drawn(codes, moves, secret_rng()),
        reference="loop over rows, 1 in 100, times 100",
        other=lambda: row_by_row(few),
        repeat=1,
        part=100,
    )
    yield Case(
        work="PRAM and sample, secret randomness",
        size=size,
        ours=lambda: drawn(codes, moves, secret_rng()),
        reference="pandas, seeded",
        other=pandas,
        repeat=1,
    )
    yield Case(
        work="PRAM and sample, seeded",
        size=size,
        ours=lambda: drawn(codes, moves, Seed(1).rng()),
        reference="pandas, seeded",
        other=pandas,
        repeat=1,
    )
    yield Case(
        work="PRAM by any matrix and sample, seeded", size=size, ours=lambda: drawn(codes, own, Seed(1).rng()), repeat=1
    )
    data = dataset(RECORDS)
    whole = Pram(retention=KEPT, sample=RECORDS // 2)
    yield Case(
        work="method pram: release with its guarantee",
        size=size,
        ours=lambda: whole.apply(data, rng=secret_rng()),
        repeat=1,
    )
    table = Seed(1).rng().random((1000, 1000)) + 0.1
    matrix = table / table.sum(axis=1, keepdims=True)
    yield Case(
        work="promise of a matrix",
        size="1,000 values",
        ours=lambda: PkAnonymity(transitions={"x": Matrix(rows=matrix)}).check(records=10**9, sample=10**8),
        reference="numpy, pair by pair",
        other=lambda: slow_minima(matrix),
    )
    planner = PramPlanner(attributes={name: Attribute(values=values) for name, values in DOMAINS.items()})
    yield Case(
        work="frontier of plans, exact",
        size="1,000,000,000 records",
        ours=lambda: Population(planner=planner, records=10**9).frontier(Fraction(10)),
    )
