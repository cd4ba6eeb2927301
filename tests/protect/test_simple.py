"""The simple ways to protect a history: each does what it says, no less and no more."""

from __future__ import annotations

from datetime import date

import numpy as np
import polars as pl
import pytest

from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.frame.distance import cell_errors
from sekisho.data.frame.release import Release
from sekisho.errors import InfeasibleError, ParameterError
from sekisho.protect.history.coarsen import Coarsen
from sekisho.protect.history.erase import Erase
from sekisho.protect.history.pseudonymise import Pseudonymise
from sekisho.protect.history.similar_length import SimilarLength
from sekisho.seeds import Seed

SCHEMA = Schema(
    (
        Column(name="customer", kind=Kind.CATEGORY, role=Role.IDENTIFIER),
        Column(name="date", kind=Kind.DATE),
        Column(name="item", kind=Kind.CATEGORY),
        Column(name="quantity", kind=Kind.INTEGER),
    )
)


def make_history(rows: list[tuple[str, int, str, int]]) -> Dataset:
    frame = pl.DataFrame(
        {
            "customer": [row[0] for row in rows],
            "date": [date(2011, 1, row[1]) for row in rows],
            "item": [row[2] for row in rows],
            "quantity": [row[3] for row in rows],
        }
    )
    return Dataset(frame, SCHEMA)


def make_rows(rows: int) -> Dataset:
    return make_history([(f"c{n % 7}", 1 + n % 28, f"i{n % 11}", 1 + n % 9) for n in range(rows)])


def measure_utility(data: Dataset, release: Release) -> float:
    return float(np.mean(list(cell_errors(data, release.table).values())))


def test_new_names_alone_cost_nothing() -> None:
    data = make_rows(100)
    release = Pseudonymise().apply(data, rng=Seed(1).rng())
    assert measure_utility(data, release) == 0
    assert release.table.pseudonym is not None
    assert set(release.table.pseudonym.tolist()) == set(range(1, 8))


def test_erasing_costs_the_share_of_erased_cells() -> None:
    data = make_rows(20_000)
    # A tenth of the rows at 1, of the rest a fifth of the cells: 0.1 + 0.9 * 0.2 = 0.28; 4 sigma of 60,000 cells is
    # below 0.01.
    release = Erase(cells=0.2, rows=0.1).apply(data, rng=Seed(1).rng())
    assert measure_utility(data, release) == pytest.approx(0.28, abs=0.01)
    assert measure_utility(data, Erase(cells=1.0).apply(data, rng=Seed(1).rng())) == 1
    assert measure_utility(data, Erase(cells=0.0).apply(data, rng=Seed(1).rng())) == 0


def test_coarsening_widens_the_chosen_cells_only() -> None:
    data = make_rows(3_000)
    release = Coarsen(cells=0.5, width=1.0, others=2).apply(data, rng=Seed(1).rng())
    assert 0.4 < float(release.table.sets("item").is_exact().mean()) < 0.6
    assert int(release.table.sets("item").sizes().max()) == 3
    assert measure_utility(data, Coarsen(cells=0.0).apply(data, rng=Seed(1).rng())) == 0


def test_two_customers_in_order_worked_by_hand() -> None:
    # Sorted by length: b (1 row), a (2 rows) form the only group. Row (3, x, 1) of a, its first by date, meets (5, y,
    # 1) of b; a's row of day 9 is surplus. Dates 3, 5, 9: the range [3;5] costs 2 / (2 sd) each, sd = 2.494, less than
    # 1.
    data = make_history([("a", 9, "x", 4), ("a", 3, "x", 1), ("b", 5, "y", 1)])
    release = SimilarLength(k=2).apply(data, rng=Seed(1).rng())
    assert release.deleted.tolist() == [True, False, False]
    dates, items = release.table.numbers("date"), release.table.sets("item")
    assert (dates.upper - dates.lower).tolist() == [0, 2, 2]
    assert items.sizes().tolist() == [0, 2, 2]
    assert release.table.numbers("quantity").is_exact().tolist() == [False, True, True]


def test_every_published_history_is_shared_by_k() -> None:
    data = make_rows(100)
    release = SimilarLength(k=3).apply(data, rng=Seed(1).rng())
    table, kept = release.table, ~release.deleted
    assert table.pseudonym is not None
    rows: dict[int, list[tuple[int, ...]]] = {}
    dates, items = table.numbers("date"), table.sets("item")
    for row in np.flatnonzero(kept).tolist():
        item = items.codes[items.offsets[row] : items.offsets[row + 1]].tolist()
        rows.setdefault(int(table.pseudonym[row]), []).append((int(dates.lower[row]), int(dates.upper[row]), *item))
    shared = [tuple(sorted(history)) for history in rows.values()]
    assert sorted(shared.count(history) for history in shared) == [3, 3, 3, 4, 4, 4, 4]


def test_too_few_customers_is_an_answer() -> None:
    with pytest.raises(InfeasibleError, match="7 customers cannot form a group of 8"):
        SimilarLength(k=8).apply(make_rows(50), rng=Seed(1).rng())


def test_bad_parameters_are_named() -> None:
    for make, name in (
        (lambda: Erase(cells=1.5), "cells"),
        (lambda: Erase(rows=-0.1), "rows"),
        (lambda: Coarsen(cells=2.0), "cells"),
        (lambda: Coarsen(width=-1.0), "width"),
        (lambda: Coarsen(others=100), "others"),
        (lambda: SimilarLength(k=0), "k"),
    ):
        with pytest.raises(ParameterError, match=f"^{name} must"):
            make()


def test_rows_without_an_owner_are_refused() -> None:
    data = Dataset(make_rows(10).frame.drop("customer"), Schema(SCHEMA.attributes))
    with pytest.raises(ParameterError, match="identifier"):
        Pseudonymise().apply(data, rng=Seed(1).rng())
