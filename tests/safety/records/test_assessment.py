"""One question, one answer: every measure that the columns allow, and none that has no meaning."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from tests.safety.records import slow_risk
from tests.safety.records.slow_risk import Row
from tests.safety.records.tables import code_rows, drawn_rows

from sekisho.data.frame.dataset import Column, Dataset, Kind, Schema
from sekisho.data.trees.hierarchy import Tree
from sekisho.errors import FaultsError, InfeasibleError, ParameterError
from sekisho.safety.records.assessment import KeyedRecords, RiskQuestion
from sekisho.safety.records.classes import ColumnCodes, count_classes, cross_tabulate, number_classes
from sekisho.safety.records.closeness import Distance
from sekisho.safety.records.presence import match_population


def coded(texts: list[str | None]) -> ColumnCodes:
    return ColumnCodes.of(pl.Series(texts, dtype=pl.String))


@given(drawn_rows(gaps=True))
def test_missing_is_a_value_of_its_own_or_matches_everything(rows: list[Row]) -> None:
    keys = {str(place): column for place, column in enumerate(code_rows(rows))}
    apart = RiskQuestion().assess(KeyedRecords(keys=keys))
    assert apart.k == min(rows.count(row) for row in rows)
    assert apart.uniques == sum(rows.count(row) == 1 for row in rows)
    assert apart.classes == len(set(rows))
    together = RiskQuestion(missing_matches=True).assess(KeyedRecords(keys=keys))
    assert together.sizes.tolist() == [len(slow_risk.matches(rows, row)) for row in rows]
    assert sum(count for _, count in together.count_sizes()) == len(rows)


RECORDS = KeyedRecords(
    keys={"sex": coded(["f", "f", "m", "m", "m"])},
    sensitive={"pay": coded(["1", "2", "2", "2", "2"]), "ill": coded(["no", "yes", "no", "yes", None])},
    ordered=frozenset({"pay"}),
    people=50,
)


def test_the_worst_sensitive_column_speaks_for_the_file() -> None:
    found = RiskQuestion().assess(RECORDS)
    pay, ill = found.sensitive
    assert (found.diversity, pay.distinct, ill.distinct, pay.disclosed) == (1, 1, 2, 3)
    # pay: 1/5, 4/5; women 1/2, 1/2: 0.3; ill, one of whose cells is missing, is 1/2, 1/2 among all and in each class
    assert (found.closeness, pay.t, ill.t) == pytest.approx((0.3, 0.3, 0.0))
    assert (pay.distance, ill.distance) == (Distance.ORDERED, Distance.EQUAL)
    assert (pay.recursive, ill.recursive) == (None, 1.0)


def test_a_population_gives_estimates_and_individual_risks() -> None:
    found = RiskQuestion().assess(RECORDS)
    assert (found.people, found.fraction) == (50, 0.1)
    assert [each.estimator for each in found.estimates] == ["zayatz", "pitman", "poisson-gamma"]
    assert found.individual is not None
    assert found.individual.by_record[0] == pytest.approx(0.0826841, abs=1e-7)  # two of weight 10
    assert found.individual.highest == found.individual.by_record.max()
    assert found.individual.count_above(0.05) == 2
    weighted = KeyedRecords(keys=RECORDS.keys, weights=np.array([10.0, 10, 1, 1, 1]))
    by_weight = RiskQuestion().assess(weighted)
    assert by_weight.people == 23
    assert by_weight.individual is not None
    assert by_weight.individual.by_record[2] == pytest.approx(1 / 3)
    without = RiskQuestion().assess(KeyedRecords(keys=RECORDS.keys))
    assert (without.people, without.individual, without.estimates, without.fraction) == (None, None, (), 0.01)


def test_weights_count_where_missing_matches_everything() -> None:
    keys = {"town": coded(["a", None, "b"])}
    records = KeyedRecords(keys=keys, weights=np.array([1.0, 2.0, 4.0]))
    found = RiskQuestion(missing_matches=True).assess(records)
    assert found.individual is not None
    one = RiskQuestion().assess(KeyedRecords(keys={"x": coded(["u", "u"])}, weights=np.array([1.5, 1.5]))).individual
    assert one is not None
    assert found.individual.by_record[0] == pytest.approx(one.by_record[0])  # two records that stand for three people
    assert RiskQuestion(missing_matches=True).assess(KeyedRecords(keys=keys)).individual is None


def test_a_population_file_gives_the_journalist_his_chances() -> None:
    sample = pl.DataFrame({"sex": ["f", "f", "m", "m", "m"]})
    people = match_population(sample, pl.DataFrame({"sex": ["f"] * 4 + ["m"] * 10 + ["x"]}))
    found = RiskQuestion().assess(KeyedRecords(keys=RECORDS.keys, population=people))
    assert (found.people, found.reidentification.journalist.highest) == (15, 0.25)
    assert found.reidentification.prosecutor.highest == 0.5


def test_a_distance_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"distance must be equal for ill, .* numbers, none of them missing"):
        RiskQuestion(distance=Distance.ORDERED).assess(RECORDS)
    with pytest.raises(ParameterError, match=r"distance must be equal for pay, .* a tree"):
        RiskQuestion(distance=Distance.HIERARCHICAL).assess(RECORDS)
    tree = KeyedRecords(keys=RECORDS.keys, sensitive={"pay": RECORDS.sensitive["pay"]}, trees={"pay": Tree.flat("12")})
    assert RiskQuestion().assess(tree).sensitive[0].distance is Distance.HIERARCHICAL
    assert RiskQuestion(distance=Distance.EQUAL).assess(RECORDS).sensitive[0].distance is Distance.EQUAL


def test_questions_without_a_meaning_are_refused() -> None:
    with pytest.raises(ParameterError, match="missing_matches must not be asked for beside sensitive columns"):
        RiskQuestion(missing_matches=True).assess(RECORDS)
    with pytest.raises(ParameterError, match="not be asked for beside special uniques"):
        RiskQuestion(missing_matches=True, special=True).assess(KeyedRecords(keys=RECORDS.keys))
    with pytest.raises(ParameterError, match="limit must lie between 0 and 1"):
        RiskQuestion(limit=-1)
    with pytest.raises(ParameterError, match="population must be at least the 5 records"):
        RiskQuestion().assess(KeyedRecords(keys=RECORDS.keys, people=4))
    with pytest.raises(ParameterError, match="keys must be at least one"):
        KeyedRecords(keys={})
    with pytest.raises(InfeasibleError, match="there are no records"):
        KeyedRecords(keys={"a": coded([])})


def test_more_combinations_than_fit_a_number_are_ranked_on_the_way() -> None:
    # 65 keys of two values are 2^65 combinations: in 64 bits the first key would be lost
    rows: list[Row] = [("a",) + ("p",) * 64, ("b",) + ("p",) * 64, ("b",) + ("q",) * 64, ("b",) + ("p",) * 64]
    classes = number_classes(code_rows(rows), len(rows))
    assert count_classes(classes)[classes].tolist() == [1, 2, 1, 2]


def test_columns_of_another_length_make_no_cross_table() -> None:
    with pytest.raises(ParameterError, match="classes and values must be of one length"):
        cross_tabulate(np.zeros(2, dtype=np.int64), np.zeros(3, dtype=np.int64))


def test_a_data_set_is_read_by_its_own_kinds() -> None:
    frame = pl.DataFrame({"sex": ["f", "f", "m"], "age": [30, 30, 4], "pay": [2, 10, 10]})
    schema = Schema(
        (
            Column(name="sex", kind=Kind.CATEGORY),
            Column(name="age", kind=Kind.DECIMAL, decimals=1),
            Column(name="pay", kind=Kind.INTEGER),
        )
    )
    records = KeyedRecords.of(Dataset(frame, schema), keys=("sex", "age"), sensitive=("pay",), people=9)
    assert records.keys["age"].values == ("0.4", "3.0")
    assert records.sensitive["pay"].values == ("2", "10")  # as numbers, not as texts
    found = RiskQuestion().assess(records)
    assert (found.k, found.people, found.sensitive[0].distance) == (1, 9, Distance.ORDERED)
    with pytest.raises(FaultsError, match="there is no column 'town'"):
        KeyedRecords.of(Dataset(frame, schema), keys=("town",))
