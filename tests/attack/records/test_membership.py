"""Who is in the file: the exact ratio against listing, golden ratios, nearest records, what is proven and refused."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.laws import try_examples
from tests.red_team_cases import read_cases
from verify.red_team.membership_listing import Change, MembershipCase

from sekisho.attack.records import nearest_records
from sekisho.attack.records.membership import MembershipAttack, MembershipScore, split_reference
from sekisho.attack.records.membership_likelihood import ChanceMechanism, ColumnCells, compute_ratios
from sekisho.attack.records.nearest_records import MeasuredRecords, count_within, find_nearest_distance, find_reach
from sekisho.data.frame.cells import RangeCells
from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.frame.release import MaskedTable, exact_table
from sekisho.errors import ParameterError
from sekisho.safety.mechanism import Mechanism
from sekisho.safety.transition import Matrix
from sekisho.seeds import Seed

AGE = Schema((Column(name="age", kind=Kind.INTEGER),))


def ages(*values: int) -> Dataset:
    return Dataset(pl.DataFrame({"age": list(values)}), AGE)


@try_examples(40)
@given(st.integers(0, 2**32), st.sampled_from(list(Change)))
def test_the_ratio_like_listing(seed: int, change: Change) -> None:
    case = MembershipCase.draw(np.random.default_rng(seed), change)
    assert case.compute() == pytest.approx(case.list_ratio(), rel=1e-6, abs=1e-9)


def test_golden_ratios(shared: Callable[[str], Path]) -> None:
    schema = Schema((Column(name="v", kind=Kind.CATEGORY),))
    checked = 0
    for case in read_cases(shared, "membership", "ratios"):
        values = tuple(str(place) for place in range(len(case["shares"])))
        times = [int(Fraction(share) * 100) for share in case["shares"]]
        reference = Dataset(pl.DataFrame({"v": np.repeat(values, times)}), schema)
        matrix = Matrix(rows=case["matrix"])
        pram = Mechanism(
            records=case["records"], sample=case["sample"], domains={"v": values}, transitions={"v": matrix}
        )
        mechanism = ChanceMechanism(records=case["records"], pram=pram)
        person = Dataset(pl.DataFrame({"v": [str(case["person"])]}), schema)
        for release in case["releases"]:
            rows = exact_table(Dataset(pl.DataFrame({"v": list(map(str, release["release"]))}), schema))
            ratio = compute_ratios(rows, person, reference, mechanism, added=0.0).ratio[0]
            assert ratio == pytest.approx(float(Fraction(release["ratio"])), rel=1e-12)
            checked += 1
    assert checked > 30


def test_recoded_cells_prove_absence_where_nobody_is_left_out() -> None:
    people, controls, reference = ages(1, 2, 11, 12), ages(3, 30, 31), ages(1, 5, 12, 40)
    cells = RangeCells(
        lower=np.array([1, 1, 11, 11]), upper=np.array([2, 2, 12, 12]), suppressed=np.zeros(4, dtype=np.bool_)
    )
    table = MaskedTable(schema=AGE, columns={"age": cells})
    answer = MembershipAttack().attack(table, people, controls, reference, rng=Seed(1).rng())
    assert answer.score is MembershipScore.LIKELIHOOD
    assert answer.absent == 3
    # of the first cell: (one reference record + 1/2) / (4 + 1) = 0.3, two rows of four: (1/4) 2 / 0.3
    assert answer.scored.members.tolist() == pytest.approx([2 / 4 / 0.3] * 4)
    assert answer.scored.controls.tolist() == [0.0, 0.0, 0.0]
    assert answer.to_dict()["advantage"] == 1.0
    fewer = MembershipAttack().attack(table.take(np.array([0, 1, 2])), people, controls, reference, rng=Seed(1).rng())
    assert fewer.absent is None
    assert any("absence" in words for words in fewer.list_warnings())


def test_scores_of_a_strangers_file() -> None:
    people, controls = ages(*range(0, 100, 10)), ages(*range(5, 105, 10))
    reference = ages(*range(2, 102, 10))
    copied = exact_table(people)
    for score in (MembershipScore.RATIO, MembershipScore.DISTANCE):
        answer = MembershipAttack(score=score).attack(copied, people, controls, reference, rng=Seed(1).rng())
        assert answer.curve.area == 1, score
        assert answer.absent is None
    usual = MembershipAttack().attack(copied, people, controls, reference, rng=Seed(1).rng())
    assert usual.score is MembershipScore.RATIO
    density = MembershipAttack(score=MembershipScore.DENSITY).attack(
        copied, people, controls, reference, rng=Seed(1).rng()
    )
    assert 0 <= density.curve.area <= 1


def test_who_stands_on_two_sides_is_refused() -> None:
    schema = Schema((Column(name="name", kind=Kind.CATEGORY, role=Role.IDENTIFIER), *AGE.columns))

    def named(*names: str) -> Dataset:
        return Dataset(pl.DataFrame({"name": list(names), "age": list(range(len(names)))}), schema)

    members, controls = named("ann", "bob"), named("cid", "dan")
    table = exact_table(Dataset(members.frame.drop("name"), AGE))
    for reference in (named("ann"), named("dan")):
        with pytest.raises(ParameterError, match="reference"):
            MembershipAttack().attack(table, members, controls, reference, rng=Seed(1).rng())
    with pytest.raises(ParameterError, match="controls"):
        MembershipAttack().attack(table, members, named("bob"), named("eve"), rng=Seed(1).rng())


def test_parameters_that_do_not_suit() -> None:
    with pytest.raises(ParameterError, match="likelihood"):
        MembershipAttack(score=MembershipScore.RATIO, fixed=True)
    with pytest.raises(ParameterError, match="noise"):
        MembershipAttack(noise={"age": -1.0})
    cells = RangeCells(lower=np.array([1]), upper=np.array([2]), suppressed=np.zeros(1, dtype=np.bool_))
    table = MaskedTable(schema=AGE, columns={"age": cells})
    with pytest.raises(ParameterError, match="score"):
        MembershipAttack(score=MembershipScore.DENSITY).attack(table, ages(1), ages(2), ages(3), rng=Seed(1).rng())
    with pytest.raises(ParameterError, match="noise"):
        MembershipAttack(noise={"age": 1.0}).attack(table, ages(1), ages(2), ages(3), rng=Seed(1).rng())


def test_noise_chances_add_up_and_cut_decimals_towards_zero() -> None:
    schema = Schema((Column(name="bmi", kind=Kind.DECIMAL, decimals=1),))
    shown = Dataset(pl.DataFrame({"bmi": np.arange(-400, 400, dtype=np.int64) * 10}), schema)
    people = Dataset(pl.DataFrame({"bmi": [3]}), schema)
    table = ColumnCells.of(exact_table(shown), (people,), "bmi").spread_noise(0.5, "bmi")
    assert table.sum() == pytest.approx(1.0)
    at = {int(value): float(chance) for value, chance in zip(shown.grid("bmi"), table[0], strict=True)}
    # 0 stands for everything that lies strictly between -1 and 1: of truth 0.3, noise of -1.25 to 0.65 in steps of 0.1
    assert at[0] == pytest.approx(1 - 0.5 * np.exp(-0.5 * 1.25) - 0.5 * np.exp(-0.5 * 0.65))
    assert all(chance > 0 for chance in at.values())


def test_a_reference_is_half_of_the_controls_and_keeps_households_together() -> None:
    schema = Schema((Column(name="home", kind=Kind.CATEGORY), *AGE.columns))
    people = Dataset(pl.DataFrame({"home": [str(row // 2) for row in range(200)], "age": list(range(200))}), schema)
    controls, reference = split_reference(people, rng=Seed(1).rng(), household="home")
    assert len(controls) + len(reference) == 200
    assert 60 < len(reference) < 140
    assert not set(controls.frame["home"]) & set(reference.frame["home"])


def slow_distances(people: MeasuredRecords, records: MeasuredRecords) -> np.ndarray:
    labels = (people.labels[:, None] != records.labels[None]).sum(axis=2)
    one, other = people.numbers[:, None], records.numbers[None]
    both = np.isnan(one) & np.isnan(other)
    gap = np.where(
        both, 0.0, np.where(np.isnan(one) | np.isnan(other), 1.0, np.abs(np.nan_to_num(one) - np.nan_to_num(other)))
    )
    return labels + gap.sum(axis=2)


@try_examples(60)
@given(st.integers(0, 2**32), st.integers(0, 3), st.integers(0, 3), st.sampled_from([5, 2000]))
def test_nearest_records_like_comparing_everybody(seed: int, numbers: int, labels: int, large: int) -> None:
    rng = np.random.default_rng(seed)

    def draw(rows: int) -> MeasuredRecords:
        values = rng.integers(0, 6, (rows, numbers)) / 5
        values[rng.random((rows, numbers)) < 0.05] = np.nan
        return MeasuredRecords(numbers=values, labels=rng.integers(0, 3, (rows, labels)))

    people, records = draw(int(rng.integers(1, 30))), draw(int(rng.integers(1, 40)))
    if not numbers + labels:
        return
    distances = slow_distances(people, records)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearest_records, "LARGE", large)
        assert np.allclose(find_nearest_distance(people, records), distances.min(axis=1))
    rank = min(3, len(records))
    reach = find_reach(people, records, 3)
    assert np.allclose(reach, np.sort(distances, axis=1)[:, rank - 1])
    assert np.array_equal(count_within(people, records, reach), (distances <= reach[:, None] + 1e-9).sum(axis=1))
