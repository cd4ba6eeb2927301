"""What the cells of a release promise of rows and means holds of what is drawn from it; the correlation is not promised."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from sekisho.data.frame.cells import Cells, RangeCells
from sekisho.data.frame.concrete_draws import Draws
from sekisho.data.frame.distance import cell_errors
from sekisho.data.frame.release import Release
from sekisho.data.frame.spread import standard_deviation
from sekisho.data.history.purchases import Purchases
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.protect import METHODS
from sekisho.seeds import Seed
from sekisho.utility.history.error_bounds import bound_errors
from sekisho.utility.history.statistics import Statistics

SHOP = SyntheticHistory(customers=40, items=60, median_rows=6).draw(rng=Seed(4).rng())
DRAWS = 60
RELEASES = {
    "coarsen": {"width": 0.3},
    "erase": {"cells": 0.3},
    "groups": {"k": 2, "effort": 1},
    "pseudonymise": {},
    "similar-length": {"k": 3},
}


def draw_errors(release: Release, seed: int) -> dict[str, NDArray[np.float64]]:
    reference, draws = Statistics(top=10).build_reference(Purchases.of(SHOP)), Draws.of(SHOP, release)
    samples = [Purchases.draw(draws, rng=Seed(seed).child(str(number)).rng()) for number in range(DRAWS)]
    errors = [reference.errors(sample) for sample in samples]
    return {name: np.array([each[name] for each in errors]) for name in errors[0]}


@pytest.mark.parametrize("name", RELEASES)
def test_the_expected_errors_are_within_their_bounds(name: str) -> None:
    for seed in range(3):
        release = METHODS.make(name, **RELEASES[name]).apply(SHOP, rng=Seed(seed).rng())
        errors = draw_errors(release, seed)
        for statistic, bound in bound_errors(SHOP, release).items():
            mean, noise = errors[statistic].mean(), errors[statistic].std() / np.sqrt(DRAWS)
            assert mean <= bound + 4 * noise + 1e-9, statistic


def test_without_stars_and_deletions_the_bound_is_the_cell_error_times_the_deviation() -> None:
    release = METHODS.make("coarsen", width=0.2).apply(SHOP, rng=Seed(1).rng())
    assert not release.deleted.any()
    errors, bounds = cell_errors(SHOP, release.table), bound_errors(SHOP, release)
    for name in ("date", "price", "quantity"):
        if not release.table.numbers(name).suppressed.any():
            expected = errors[name].mean() * standard_deviation(SHOP.grid(name))
            assert bounds[f"{name}_mean"] == pytest.approx(expected)


def test_more_loss_in_one_column_is_no_error_in_another() -> None:
    # The proof's example: items exact and prices wide, against prices exact and items in sets. The first has the larger
    # U and no error in the top items, the second the smaller U and an error.
    plain = METHODS.make("pseudonymise").apply(SHOP, rng=Seed(1).rng())
    pairs = METHODS.make("coarsen", width=0.3).apply(SHOP, rng=Seed(1).rng())

    def replace_column(name: str, cells: Cells) -> Release:
        table = replace(plain.table, columns={**plain.table.columns, name: cells})
        return replace(plain, table=table)

    price = SHOP.grid("price")
    whole = RangeCells(
        lower=np.full_like(price, price.min()), upper=np.full_like(price, price.max()), suppressed=price < 0
    )
    wide, sets = replace_column("price", whole), replace_column("item", pairs.table.columns["item"])
    u = {
        name: np.mean([each.mean() for each in cell_errors(SHOP, release.table).values()])
        for name, release in (("wide", wide), ("sets", sets))
    }
    top = {name: draw_errors(release, 1)["top_items"].mean() for name, release in (("wide", wide), ("sets", sets))}
    assert u["wide"] > u["sets"] > 0
    assert top["wide"] == 0 < top["sets"]
