"""The frontier shows every admissible plan, and its best is the one that serves the analyst."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from time import process_time

import numpy as np
import polars as pl
import pytest

from sekisho.data.frame.dataset import Column, Dataset, Kind, Schema
from sekisho.data.records.microdata import count_categories
from sekisho.data.review import LEAST_RETENTION
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.gate.frontier import Population, compute_errors, rebuild_frontier
from sekisho.protect.records.pram import LabelledMatrix, Pram
from sekisho.safety.planner import Attribute, MatrixAttribute, PramPlanner
from sekisho.safety.sampling import Scheme, Stratum
from sekisho.safety.transition import Matrix
from sekisho.seeds import Seed

PLANNER = PramPlanner(attributes={"sex": Attribute(values=2), "town": Attribute(values=5)})


def test_every_point_keeps_k_and_retention_falls_with_the_sample() -> None:
    frontier = Population(planner=PLANNER, records=10_000).frontier(Fraction(5))
    assert all(point.k >= 5 for point in frontier.points)
    kept = [point.retention or Fraction(0) for point in frontier.points]
    assert kept == sorted(kept, reverse=True)
    assert frontier.points[-1].sample == 10_000
    assert frontier.best.error == min(point.error for point in frontier.points)
    # Neither the smallest sample nor the whole table serves best.
    assert frontier.points[0] != frontier.best != frontier.points[-1]


def test_a_billion_records_take_no_time() -> None:
    start = process_time()
    frontier = Population(planner=PLANNER, records=10**9).frontier(Fraction(10))
    assert process_time() - start < 1
    assert len(frontier.points) >= 20


def test_strata_decide_together() -> None:
    strata = (Stratum(name="a", records=900, sample=0), Stratum(name="b", records=100, sample=0))
    whole, split = Population(planner=PLANNER, records=1000), Population(planner=PLANNER, records=1000, strata=strata)
    k = Fraction(5)
    narrow, wide = split.point(k, 200).retention, whole.point(k, 200).retention
    assert narrow is not None
    assert wide is not None
    assert narrow < wide
    size = split.largest_sample(k, Fraction(1, 2))
    assert split.at(size, Fraction(1, 2)).k >= k
    assert split.at(size + 1, Fraction(1, 2)).k < k
    with pytest.raises(ParameterError, match=r"records must be what the strata add up to \(1000\)"):
        Population(planner=PLANNER, records=999, strata=strata)


def test_strata_with_samples_of_their_own_keep_them() -> None:
    # r1 = (1/4)/(3/4) * (1/6)/(4/6) = 1/12, r2 = 1/144. The second stratum decides: 1 + (40 - 38)/12 + 37/144 =
    # 205/144. In proportion (24 and 16) it would be 1 + 24/12 + 15/144 = 447/144, more than twice what the design
    # keeps.
    half, drawn = Fraction(1, 2), ((60, 2), (40, 38))
    own = tuple(Stratum(name=str(n), records=n, sample=m) for n, m in drawn)
    planner = PramPlanner(attributes={"a": Attribute(values=2), "b": Attribute(values=3)})
    population = Population(planner=planner, records=100, strata=own)
    assert population.parts(40) == [(60, 2), (40, 38)]
    assert population.at(40, half).k == Fraction(205, 144)
    assert planner.guarantee(half).check_strata(own).k == Fraction(205, 144)
    open_ones = tuple(replace(part, sample=0) for part in own)
    assert Population(planner=planner, records=100, strata=open_ones).at(40, half).k == Fraction(447, 144)
    assert [point.sample for point in population.frontier(Fraction(2)).points] == [40]
    assert population.frontier(Fraction(2)).best.k >= 2
    with pytest.raises(ParameterError, match=r"sample must be 40, what the strata's own samples add up to, not 41"):
        population.at(41, half)
    with pytest.raises(ParameterError, match="strata must leave their samples open"):
        population.largest_sample(Fraction(2), half)


def test_a_release_knows_the_frontier_it_was_chosen_from() -> None:
    rng = Seed(4).rng()
    frame = pl.DataFrame({"sex": rng.choice(["f", "m"], 400, p=[0.2, 0.8]), "town": rng.choice(list("abc"), 400)})
    data = Dataset(frame, Schema(tuple(Column(name=name, kind=Kind.CATEGORY) for name in frame.columns)))
    release = Pram(k=Fraction(4), sample=100, invariant=True).apply(data, rng=Seed(1).rng())
    frontier = rebuild_frontier(count_categories(data), release.mechanism, Fraction(4))
    assert frontier is not None
    near = min(frontier.points, key=lambda point: abs(point.sample - 100))
    assert float(near.retention or 0) == pytest.approx(float(str(release.detail["retention"])), abs=0.02)
    errors = compute_errors(count_categories(data), release.mechanism)
    assert set(errors) == {"sex", "town"}
    assert all(0 < error < 1 for error in errors.values())
    own = {"sex": LabelledMatrix(values=("f", "m"), matrix=Matrix(rows=[[0.5, 0.5], [0.5, 0.5]]))}
    blurred = Pram(retention=Fraction(1, 2), matrices=own).apply(data, rng=Seed(1).rng())
    assert rebuild_frontier(count_categories(data), blurred.mechanism, Fraction(4)) is None
    assert np.isinf(compute_errors(count_categories(data), blurred.mechanism)["sex"])


def test_by_single_coins_only_prams_own_promise_is_left() -> None:
    # r1 1/3, r2 1/9 over 10 records: 1 + 9/9 = 2 whatever is drawn; of fixed size 4: 1 + 6/3 + 3/9 = 10/3.
    planner, half = PramPlanner(attributes={"a": Attribute(values=2)}), Fraction(1, 2)
    coins = Population(planner=planner, records=10, scheme=Scheme.BERNOULLI)
    fixed = Population(planner=planner, records=10)
    assert (coins.at(4, half).k, fixed.at(4, half).k) == (2, Fraction(10, 3))
    assert coins.at(1, half).k == coins.at(10, half).k == fixed.at(10, half).k
    assert coins.largest_sample(Fraction(2), half) == 10
    with pytest.raises(InfeasibleError, match="no sample by single coins keeps k at 3: all records may come out"):
        coins.largest_sample(Fraction(3), half)
    frontier = coins.frontier(Fraction(2))
    assert {point.retention for point in frontier.points} == {half}
    assert frontier.best.sample == 10
    # a stratum may come out as a whole: of 4 and 6 records the smaller decides, 1 + 3/9
    parts = (Stratum(name="a", records=4, sample=0), Stratum(name="b", records=6, sample=0))
    assert Population(planner=planner, records=10, strata=parts, scheme=Scheme.BERNOULLI).at(5, half).k == Fraction(
        4, 3
    )


def test_matrices_of_their_own_leave_only_the_sample_to_choose() -> None:
    matrix = Matrix(rows=[["3/4", "1/4"], ["1/4", "3/4"]])
    population = Population(planner=PramPlanner(attributes={"a": MatrixAttribute(matrix=matrix)}), records=10)
    frontier = population.frontier(Fraction(3))
    # 1 + (10 - m)/3 + (m - 1)/9 >= 3: m <= 5.5
    assert [(point.sample, point.retention) for point in frontier.points] == [(5, None)]
    assert frontier.best.as_dict()["retention"] is None
    assert population.point(Fraction(3), 5).k == Fraction(28, 9)
    with pytest.raises(InfeasibleError, match=r"a sample of 6 with these matrices keeps k at 2\.88889, not at 3"):
        population.point(Fraction(3), 6)


def test_a_plan_of_noise_is_told() -> None:
    plan = Population(planner=PramPlanner(attributes={"id": Attribute(values=1000)}), records=1000).point(
        Fraction(5), 1000
    )
    assert plan.retention is not None
    assert plan.retention < LEAST_RETENTION
    assert (plan.review.noisy, plan.review.names) == (("id",), ("id",))
