"""On the holder's own file it is counted how often somebody who knows a part is right about a sample."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import comb

import polars as pl
import pytest

from sekisho.data.frame.dataset import Column, Dataset, Kind, Schema
from sekisho.gate.records.candidate import SampledRows, attack_with_known_part
from sekisho.protect.records.sample import Sample
from sekisho.safety.sampling import PartialKnowledge
from sekisho.seeds import Seed


def make_data(values: list[str]) -> Dataset:
    return Dataset(pl.DataFrame({"x": values}), Schema((Column(name="x", kind=Kind.CATEGORY),)))


def expect_rate(values: list[str], sampled: list[str], known: int) -> float:
    """The exact rate over all known parts: a value held by c people and once in the sample is claimed if he knows one of the c.

    That happens with chance c C(n-c, n0-1) / C(n, n0), and then the one he knows is the sampled one with chance 1/c.
    """
    held, drawn = Counter(values), Counter(sampled)
    weights = {
        value: held[value] * comb(len(values) - held[value], known - 1) for value, times in drawn.items() if times == 1
    }
    return float(Fraction(sum(weights[value] // held[value] for value in weights), sum(weights.values())))


def test_the_rate_is_the_exact_one_over_all_known_parts() -> None:
    # 40 values of one person, 40 of two, 40 of five: 320 people
    values = [f"{size}-{kind}" for size in (1, 2, 5) for kind in range(40) for _ in range(size)]
    data = make_data(values)
    release = Sample(size=100, known=50).apply(data, rng=Seed(4).rng())
    found = attack_with_known_part(SampledRows(data=data, drawn=release.drawn), 50, seed=Seed(5), draws=400)
    exact = expect_rate(values, release.published()["x"].to_list(), 50)
    assert found.rate.trials > 1000
    assert found.rate.low < exact < found.rate.high
    assert found.rate.value == pytest.approx(exact, abs=0.02)
    assert found.by_chance == 1 / 320


def test_a_file_of_uniques_refutes_the_risk_and_one_without_does_not() -> None:
    data = make_data([f"v{row}" for row in range(400)])
    release = Sample(size=100, known=40).apply(data, rng=Seed(1).rng())
    found = attack_with_known_part(SampledRows(data=data, drawn=release.drawn), 40, seed=Seed(2))
    assert found.rate.hits == found.rate.trials > 0
    assert release.risk == PartialKnowledge(records=400, known=40).risk(100)
    assert found.refutes(release.risk)
    assert not found.refutes(None)
    same = make_data(["v"] * 400)
    release = Sample(size=100, known=40).apply(same, rng=Seed(1).rng())
    found = attack_with_known_part(SampledRows(data=same, drawn=release.drawn), 40, seed=Seed(2))
    assert (found.rate.trials, found.refutes(release.risk)) == (0, False)
    assert found.as_dict()["high"] == 1.0  # nothing was claimed: nothing is known of the rate


def test_whoever_is_thought_to_know_more_than_there_is_knows_all() -> None:
    data = make_data(["a", "b", "b"])
    release = Sample(size=2, known=9).apply(data, rng=Seed(1).rng())
    assert attack_with_known_part(SampledRows(data=data, drawn=release.drawn), 9, seed=Seed(2), draws=3).known == 3
