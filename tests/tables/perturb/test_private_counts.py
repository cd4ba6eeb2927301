"""Unbounded noise keeps what it promises of one person more or less, is drawn with its exact chances, and claims no more."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import exp
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.errors import ParameterError
from sekisho.seeds import secret_rng
from sekisho.tables.model.geometry import Dimension, from_inner
from sekisho.tables.model.table import TOTAL
from sekisho.tables.perturb.private_counts import (
    GaussianNoise,
    GeometricNoise,
    PrivateNoise,
    add_private_noise,
    count_held,
    flip_exp,
)

TREE = Dimension(name="r", parent={"g": TOTAL, "h": TOTAL, "1": "g", "2": "g", "3": "h"})
FLAT = Dimension.flat("c", ["x", "y"])


def test_chances_of_the_data(shared: Callable[[str], Path]) -> None:
    cases = json.loads(shared("tables/beyond/dp-counts.json").read_text("utf-8"))["cases"]
    for case in cases:
        if "alpha" in case:
            noise = GeometricNoise(ratio=Fraction(case["alpha"]))
            assert [noise.chance(v) for v in (0, 1, -5)] == [Fraction(case[name]) for name in ("p0", "p1", "p5")]
            assert noise.variance == Fraction(case["variance"])
            assert noise.spend(1).ratio == 1 / Fraction(case["alpha"])
        else:
            bell = GaussianNoise(scale=Fraction(case["sigma2"]))
            found = [bell.chance(v) for v in (0, 1, -5)]
            assert found == pytest.approx([case[name] for name in ("p0", "p1", "p5")], rel=1e-9)
            assert bell.variance == pytest.approx(case["variance"], rel=1e-11)
            assert bell.spend(1) == 1 / (2 * Fraction(case["sigma2"]))
    assert len(cases) == 6


def test_one_person_is_in_as_many_cells_as_there_are_margins_above() -> None:
    for dims in range(1, 4):
        flat = [Dimension.flat(f"v{at}", ["1", "2"]) for at in range(dims)]
        keys = list(product(*[["1", "2"]] * dims))
        assert count_held(from_inner(flat, keys, np.ones(len(keys)))) == 2**dims
    # a tree of two levels below the total: 3 codes hold a person; beside a flat dimension 6
    keys = list(product(TREE.leaves, FLAT.leaves))
    assert count_held(from_inner([TREE, FLAT], keys, np.ones(len(keys)))) == 6


@given(
    inner=st.tuples(*[st.integers(0, 4)] * 4),
    shown=st.lists(st.integers(-3, 12), min_size=9, max_size=9),
    where=st.integers(0, 3),
    ratio=st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20),
)
def test_one_person_more_changes_no_chance_by_more_than_is_told(
    inner: tuple[int, ...], shown: list[int], where: int, ratio: Fraction
) -> None:
    flat, keys = [Dimension.flat("a", ["1", "2"]), FLAT], list(product("12", "xy"))
    more = [count + (at == where) for at, count in enumerate(inner)]
    one, two = (from_inner(flat, keys, np.array(each, dtype=np.float64)).value for each in (inner, more))
    noise = GeometricNoise(ratio=ratio)
    odds = Fraction(1)
    for value, less, larger in zip(shown, one.tolist(), two.tolist(), strict=True):
        odds *= noise.chance(value - round(larger)) / noise.chance(value - round(less))
    most = noise.spend(4).ratio
    assert most is not None
    assert 1 / most <= odds <= most
    far = [noise.chance(30 - round(b)) / noise.chance(30 - round(a)) for a, b in zip(one, two, strict=True)]
    assert np.prod(np.array(far, dtype=object)) == most  # four cells change, and numbers far above use it up


@pytest.mark.parametrize(
    "noise",
    [
        GeometricNoise(ratio=Fraction(1, 2)),
        GeometricNoise(ratio=Fraction(3, 4)),
        GaussianNoise(scale=Fraction(1, 2)),
        GaussianNoise(scale=Fraction(2)),
        GaussianNoise(scale=Fraction(37, 4)),
    ],
    ids=str,
)
def test_noise_is_drawn_with_its_chances(noise: PrivateNoise) -> None:
    rng, times = np.random.default_rng(20), 20_000
    drawn = Counter(noise.draw(rng) for _ in range(times))
    for change in range(-4, 5):
        chance = float(noise.chance(change))
        assert abs(drawn[change] - times * chance) < 5 * (times * chance * (1 - chance)) ** 0.5 + 1
    spread = sum(change**2 * often for change, often in drawn.items()) / times
    assert spread == pytest.approx(float(noise.variance), rel=0.1)


@pytest.mark.parametrize("power", [Fraction(0), Fraction(1, 3), Fraction(1), Fraction(7, 3)])
def test_coins_of_exponential_chance(power: Fraction) -> None:
    rng, times = np.random.default_rng(4), 20_000
    heads, chance = sum(flip_exp(power, rng) for _ in range(times)), exp(-float(power))
    assert abs(heads - times * chance) <= 5 * (times * chance * (1 - chance)) ** 0.5


def test_a_table_made_additive_uses_what_is_shown_alone() -> None:
    keys = list(product(TREE.leaves, FLAT.leaves))
    table = from_inner([TREE, FLAT], keys, np.array([0.0, 1, 3, 0, 12, 2]))
    release = add_private_noise(table, GeometricNoise(ratio=Fraction(2, 3)), rng=secret_rng())
    assert (release.cells, len(release.shown)) == (6, len(table))
    assert not np.any(table.matrix @ release.additive.astype(np.float64))
    assert release.additive.min() >= 0


@pytest.mark.parametrize("ratio", [Fraction(0), Fraction(1), Fraction(3, 2)])
def test_ratios_that_are_none(ratio: Fraction) -> None:
    with pytest.raises(ParameterError, match="ratio"):
        GeometricNoise(ratio=ratio)
    with pytest.raises(ParameterError, match="scale"):
        GaussianNoise(scale=-ratio if ratio > 0 else ratio)


def test_sums_of_values_have_none() -> None:
    table = from_inner([FLAT], [("x",), ("y",)], np.array([0.5, 1.0]))
    with pytest.raises(ParameterError, match="count"):
        add_private_noise(table, GeometricNoise(ratio=Fraction(1, 2)), rng=secret_rng())
