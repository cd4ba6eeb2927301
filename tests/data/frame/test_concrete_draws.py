"""Concrete data must be such as the release admits, equally likely, and the same again for the same seed."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare
from tests.shopping import names, releases, shop

from sekisho.data.frame.cells import Cells, RangeCells, SetCells, gather_sets
from sekisho.data.frame.concrete_draws import Draws
from sekisho.data.frame.dataset import Dataset
from sekisho.data.frame.release import MaskedTable, Release, exact_table
from sekisho.data.history.purchases import Purchases
from sekisho.errors import ParameterError
from sekisho.provenance import Provenance
from sekisho.seeds import Seed


def draw_release(draws: Draws, *, rng: np.random.Generator) -> Release:
    """Return one sample as a release whose undeleted cells are all exact."""
    drawn, release = draws.draw_columns(rng=rng), draws.release
    columns: dict[str, Cells] = {}
    for name, values in drawn.items():
        full = np.zeros(len(release.table), dtype=np.int64)
        full[draws.kept] = values
        cells = release.table.columns[name]
        exact = (
            RangeCells.exact(full)
            if isinstance(cells, RangeCells)
            else SetCells.exact(full.astype(np.int32), cells.domain)
        )
        columns[name] = exact.suppress(release.deleted)
    table = MaskedTable(schema=release.table.schema, columns=columns, pseudonym=release.table.pseudonym)
    return replace(release, table=table)


@given(releases(), st.integers(0, 1000))
def test_every_drawn_cell_is_one_that_the_release_admits(case: tuple[Dataset, Release], seed: int) -> None:
    data, release = case
    sample = draw_release(Draws.of(data, release), rng=Seed(seed).rng())
    kept = ~release.deleted
    assert np.array_equal(sample.deleted, release.deleted)
    for column in data.schema.attributes:
        drawn = sample.table.columns[column.name]
        assert drawn.is_exact()[kept].all()
        if column.kind.numeric:
            values = sample.table.numbers(column.name).lower
            low, high = data.grid(column.name).min(), data.grid(column.name).max()
            hidden = release.table.numbers(column.name).suppressed & kept
            assert release.table.numbers(column.name).admits(values)[kept].all()
            assert ((low <= values) & (values <= high))[hidden].all()
        else:
            rows = np.flatnonzero(kept)
            assert (
                release.table.sets(column.name).take(rows).admits(sample.table.sets(column.name).take(rows).codes).all()
            )


@given(releases(), st.integers(0, 1000))
def test_the_same_seed_draws_the_same_and_both_ways_of_drawing_agree(case: tuple[Dataset, Release], seed: int) -> None:
    data, release = case
    draws = Draws.of(data, release)
    plain = Purchases.draw(draws, rng=Seed(seed).rng())
    again = Purchases.from_release(draw_release(draws, rng=Seed(seed).rng()))
    for name in ("person", "date", "item", "price", "quantity"):
        assert np.array_equal(getattr(plain, name), getattr(again, name))
    assert plain.people == again.people


def one_row(columns: MaskedTable, times: int) -> MaskedTable:
    return columns.take(np.zeros(times, dtype=np.intp))


def test_ranges_sets_and_suppressed_cells_are_drawn_uniformly() -> None:
    # 6,000 copies of one row: date [2;5] (4 days), item {i1;i3} of 3, price * over 10..14 (5 pence), quantity exact.
    data = shop([("a", 2, "i1", 10, 1), ("a", 5, "i2", 14, 1), ("b", 3, "i3", 12, 9)])
    copies = 6000
    many = Dataset(data.frame[[0, 1, 2] + [0] * (copies - 3)], data.schema)
    day = int(data.grid("date")[0])
    table = MaskedTable(
        schema=data.schema,
        columns={
            "date": RangeCells(
                lower=np.full(copies, day), upper=np.full(copies, day + 3), suppressed=np.zeros(copies, dtype=np.bool_)
            ),
            "item": gather_sets(
                np.repeat(np.arange(copies), 2), np.tile(np.array([0, 2], np.int32), copies), copies, ("i1", "i2", "i3")
            ),
            "price": RangeCells.exact(np.zeros(copies, dtype=np.int64)).suppress(np.ones(copies, dtype=np.bool_)),
            "quantity": RangeCells.exact(np.full(copies, 7)),
        },
        pseudonym=np.ones(copies, dtype=np.int64),
    )
    release = Release(table=table, deleted=np.zeros(copies, dtype=np.bool_), provenance=Provenance(name="test"))
    drawn = Draws.of(many, release).draw_columns(rng=Seed(3).rng())
    for name, expected in (
        ("date", range(day, day + 4)),
        ("item", (0, 2)),
        ("price", range(10, 15)),
        ("quantity", (7,)),
    ):
        counts = Counter(drawn[name].tolist())
        assert sorted(counts) == list(expected)
        if len(counts) > 1:
            assert chisquare([counts[value] for value in expected]).pvalue > 1e-4


def test_a_suppressed_item_may_become_any_item_of_the_original() -> None:
    data = shop([("a", 0, f"i{number % 9}", 1, 1) for number in range(900)])
    items = exact_table(data).sets("item").suppress(np.ones(900, dtype=np.bool_))
    table = exact_table(data, pseudonym=names(data))
    hidden = replace(table, columns={**table.columns, "item": items})
    release = Release(table=hidden, deleted=np.zeros(900, dtype=np.bool_), provenance=Provenance(name="test"))
    assert set(Draws.of(data, release).draw_columns(rng=Seed(1).rng())["item"].tolist()) == set(range(9))


def test_an_exact_release_is_drawn_as_itself() -> None:
    data = shop([("a", 0, "x", 5, 2), ("b", 3, "y", 6, 1)])
    release = Release(
        table=exact_table(data, pseudonym=names(data)),
        deleted=np.array([False, True]),
        provenance=Provenance(name="test"),
    )
    drawn = Draws.of(data, release).draw_columns(rng=Seed(0).rng())
    assert {name: values.tolist() for name, values in drawn.items()} == {
        "date": [14975],  # 2011-01-01
        "item": [0],
        "price": [5],
        "quantity": [2],
    }


def test_a_release_of_another_original_is_refused() -> None:
    data, other = shop([("a", 0, "x", 5, 2)]), shop([("a", 0, "x", 5, 2)] * 2)
    release = Release(table=exact_table(other), deleted=np.zeros(2, dtype=np.bool_), provenance=Provenance(name="test"))
    with pytest.raises(ParameterError, match="the original's 1 rows, not 2"):
        Draws.of(data, release)


def test_set_cells_of_the_sample_keep_the_originals_domain() -> None:
    data = shop([("a", 0, "x", 5, 2), ("a", 0, "y", 5, 2)])
    release = Release(
        table=exact_table(data, pseudonym=names(data)),
        deleted=np.array([False, True]),
        provenance=Provenance(name="test"),
    )
    items = draw_release(Draws.of(data, release), rng=Seed(0).rng()).table.columns["item"]
    assert isinstance(items, SetCells)
    assert items.domain == ("x", "y")
