"""Every cell must hold what the slow count of the rows says, contributors included."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.errors import FaultsError, InputError, ParameterError
from sekisho.tables.model.geometry import Dimension
from sekisho.tables.model.tabulate import Tabulation, flat_dimensions
from sekisho.tables.rules.concentration import PercentRule
from sekisho.tables.rules.primary import MinimumFrequency

REGION = Dimension(
    name="region",
    parent={"N": "Total", "S": "Total", "n1": "N", "n2": "N", "s1": "S"},
    groupings={"coast": ("n1", "s1"), "odd": ("n1",)},
)
SIZE = Dimension.flat("size", ["small", "large"])
BOTH = (REGION, SIZE)

# The τ-ARGUS manual's holdings, section 4.4.4: cell (800|900, 20|30), value, enterprise group.
MANUAL = [
    ("800", "20", 599, 1),
    ("800", "20", 344, 1),
    ("800", "20", 244, 1),
    ("800", "30", 355, 1),
    ("800", "20", 644, 2),
    ("800", "30", 433, 2),
    ("800", "30", 323, 3),
    ("800", "30", 343, 3),
    ("900", "20", 23, 4),
    ("900", "20", 43, 5),
    ("900", "20", 34, 5),
    ("900", "20", 53, 5),
    ("900", "30", 700, 6),
    ("900", "30", 200, 6),
    ("900", "30", 60, 7),
    ("900", "30", 40, 8),
    ("900", "30", 10, 9),
]

rows = st.lists(
    st.tuples(
        st.sampled_from(["n1", "n2", "s1"]),
        st.sampled_from(["small", "large"]),
        st.integers(-5, 20),
        st.integers(1, 4),  # contributor
        st.sampled_from(["", "h1", "h2"]),
        st.booleans(),
        st.booleans(),
        st.integers(1, 3),  # weight
    ),
    min_size=1,
    max_size=25,
)
NAMES = ["region", "size", "value", "who", "holding", "asked", "waived", "weight"]


SPREADS = {one.name: one.spread().toarray() for one in BOTH}


def inside(code: str, leaf: str, dimension: Dimension) -> bool:
    return bool(SPREADS[dimension.name][dimension.place[code], dimension.leaves.index(leaf)])


def slow(frame: pl.DataFrame, key: tuple[str, ...], group: str | None) -> tuple[float, list[float], float, float]:
    """The value, the contributions' sizes in falling order, the largest unwaived and asked, by plain loops."""
    value, own = 0.0, dict[object, list[dict[str, object]]]()
    for number, row in enumerate(frame.iter_rows(named=True)):
        if inside(key[0], row["region"], REGION) and inside(key[1], row["size"], SIZE):
            value += row["value"]
            name = number if group is None or (group == "holding" and not row["holding"]) else row[group]
            own.setdefault((isinstance(name, int), name), []).append(row)
    sizes = {who: abs(sum(float(str(row["value"])) for row in those)) for who, those in own.items()}
    target = max((sizes[who] for who, those in own.items() if not all(row["waived"] for row in those)), default=0.0)
    asked = max((sizes[who] for who, those in own.items() if any(row["asked"] for row in those)), default=0.0)
    return value, sorted(sizes.values(), reverse=True), target, asked


@given(rows, st.sampled_from([None, "who"]))
def test_every_cell_is_what_the_rows_say(data: list[tuple[object, ...]], contributor: str | None) -> None:
    frame = pl.DataFrame(data, schema=NAMES, orient="row")
    table = Tabulation(
        dimensions=BOTH,
        value="value",
        contributor=contributor,
        holding="holding",
        request="asked",
        waiver="waived",
        places=2,
    ).table(frame)
    assert table.holdings is not None
    for place, key in enumerate(table.keys):
        for known, group in ((table.units, contributor), (table.holdings, "holding")):
            if group == "holding" and contributor is not None:
                continue  # who belongs to no holding is then one contributor over several rows: the loop above tells rows only
            value, sizes, target, asked = slow(frame, key, group)
            assert table.value[place] == value
            assert known.count[place] == len(sizes)
            assert known.total[place] == sum(sizes)
            assert known.largest[place].tolist() == [*sizes, 0.0, 0.0][:2]
            assert known.asked is not None
            assert (known.target[place], known.asked[place]) == (target, asked)


@given(rows)
def test_a_weight_stands_for_so_many_rows(data: list[tuple[object, ...]]) -> None:
    frame = pl.DataFrame(data, schema=NAMES, orient="row").with_columns(pl.col("value").abs())
    repeated = frame.select(pl.all().repeat_by("weight").explode())
    weighted = Tabulation(dimensions=BOTH, value="value", weight="weight").table(frame)
    plain = Tabulation(dimensions=BOTH, value="value").table(repeated)
    assert weighted.value.tolist() == plain.value.tolist()
    assert weighted.largest.tolist() == plain.largest.tolist()
    assert weighted.units.total.tolist() == plain.units.total.tolist()
    assert weighted.frequency[0] == frame.height  # respondents, not the people they stand for


def test_the_manuals_weights() -> None:
    # 100 of weight 4 and 10 of weight 7: 470; the largest two are 100 and 100. With weight 1.5: 100, then half 100 and
    # half 10.
    frame = pl.DataFrame({"size": ["small", "small"], "x": [100, 10], "w": [4.0, 7.0], "v": [1.5, 7.0]})
    table = Tabulation(dimensions=(SIZE,), value="x", weight="w", places=2).table(frame)
    assert table.value[0] == 470
    assert table.largest[0].tolist() == [100, 100]
    halves = Tabulation(dimensions=(SIZE,), value="x", weight="v", places=3).table(frame)
    assert halves.largest[0].tolist() == [100, 55, 10]


def test_the_manuals_holdings() -> None:
    frame = pl.DataFrame(MANUAL, schema=["a", "b", "x", "group"], orient="row")
    table = Tabulation(dimensions=flat_dimensions(frame, ["a", "b"]), value="x", holding="group").table(frame)
    cell = table.position[("900", "30")]
    assert table.holdings is not None
    assert table.largest[cell].tolist() == [700, 200, 60]
    assert table.holdings.largest[cell].tolist() == [900, 60, 40]
    assert not PercentRule(p=Fraction(10)).flag(table)[cell]
    assert PercentRule(p=Fraction(10), holdings=True).flag(table)[cell]
    # "Two cells fail the threshold rule with the holding rule applied": (800,20) and (900,20), two groups each.
    few = MinimumFrequency(count=3, holdings=True).flag(table)
    assert [table.keys[place] for place in np.flatnonzero(few)] == [("800", "20"), ("900", "20")]


def test_counts_of_real_rows(shared: Callable[[str], Path]) -> None:
    frame = pl.read_csv(shared("adult/adult.csv"), separator=";", infer_schema_length=0)
    names = frame.columns[:2]
    table = Tabulation(dimensions=flat_dimensions(frame, names)).table(frame)
    assert table.value[0] == frame.height
    counted = frame.group_by(names).len()
    for *key, count in counted.sample(50, seed=1).iter_rows():
        assert table.value[table.position[tuple(key)]] == count
        assert table.frequency[table.position[tuple(key)]] == count


def test_bad_rows_are_told_at_once() -> None:
    frame = pl.DataFrame(
        {
            "region": ["n1", "moon", "moon", None, "N"],
            "size": ["small"] * 5,
            "x": ["1", "two", "3", "4", "5"],
            "w": [1, 1, 1, 1, -1],
        }
    )
    with pytest.raises(FaultsError) as caught:
        Tabulation(dimensions=BOTH, value="x", weight="w").table(frame)
    told = [(fault.row, fault.column, fault.value) for fault in caught.value.faults]
    assert told == [(2, "region", "moon"), (2, "x", "two"), (4, "region", ""), (5, "region", "N"), (5, "w", "-1")]
    assert "first of 2 rows" in caught.value.faults[0].message


def test_missing_columns_and_parameters_are_named() -> None:
    frame = pl.DataFrame({"size": ["small"]})
    with pytest.raises(InputError, match="has no column x"):
        Tabulation(dimensions=(SIZE,), value="x").table(frame)
    with pytest.raises(InputError, match="has no column nowhere"):
        flat_dimensions(frame, ["nowhere"])
    with pytest.raises(ParameterError, match="places"):
        Tabulation(dimensions=(SIZE,), places=0)
    with pytest.raises(ParameterError, match="dimensions"):
        Tabulation(dimensions=())


def test_negative_values_free_the_attackers_bounds() -> None:
    frame = pl.DataFrame({"size": ["small", "large"], "x": [-3, 5]})
    table = Tabulation(dimensions=(SIZE,), value="x").table(frame)
    assert table.value.tolist() == [2, -3, 5]
    assert np.all(np.isneginf(table.lower))
    assert table.units.total.tolist() == [8, 3, 5]


def test_sums_of_cents_stay_cents() -> None:
    frame = pl.DataFrame({"size": ["small"] * 3, "x": [0.1, 0.2, 0.4], "who": ["a", "a", "b"]})
    table = Tabulation(dimensions=(SIZE,), value="x", contributor="who").table(frame)
    assert table.value[0] == 0.7
    assert table.largest[0].tolist() == [0.4, 0.3, 0.0]
    # Half a unit with weight 2 is two contributions of a half, not of nothing.
    halves = pl.DataFrame({"size": ["small"], "x": [0.5], "w": [2]})
    assert Tabulation(dimensions=(SIZE,), value="x", weight="w").table(halves).largest[0].tolist() == [0.5, 0.5, 0.0]
