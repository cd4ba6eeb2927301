"""A published row fits a known one if every cell admits its value, whatever the columns are."""

from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from sekisho.attack.history.histories import gather_known, gather_published
from sekisho.attack.history.row_fit import build_edges, gather_sides, matches_every_row, row_fits
from sekisho.data.frame.cells import RangeCells, SetCells, gather_sets
from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.frame.release import MaskedTable

SCHEMA = Schema(
    (
        Column(name="shop", kind=Kind.CATEGORY),
        Column(name="who", kind=Kind.CATEGORY, role=Role.IDENTIFIER),
        Column(name="item", kind=Kind.CATEGORY),
        Column(name="pieces", kind=Kind.INTEGER),
    )
)
facts = st.lists(
    st.tuples(st.sampled_from("PQ"), st.just("a"), st.sampled_from("xyz"), st.integers(0, 3)), min_size=1, max_size=5
)
rows = st.lists(
    st.tuples(st.sets(st.sampled_from("PQ")), st.sets(st.sampled_from("xyz")), st.integers(0, 3)),
    min_size=1,
    max_size=5,
)


def mask_rows(original: Dataset, given_rows: list[tuple[set[str], set[str], int]]) -> MaskedTable:
    def sets(column: str, cells: list[set[str]]) -> list[tuple[int, int]]:
        return [
            (row, code)
            for row, cell in enumerate(cells)
            for code, value in enumerate(original.domain(column))
            if value in cell
        ]

    columns: dict[str, SetCells] = {}
    for column, cell_of in (("shop", [row[0] for row in given_rows]), ("item", [row[1] for row in given_rows])):
        pairs = np.array(sets(column, cell_of), dtype=np.int64).reshape(-1, 2)
        columns[column] = gather_sets(
            pairs[:, 0], pairs[:, 1].astype(np.int32), len(given_rows), original.domain(column)
        )
    pieces = np.array([row[2] for row in given_rows], dtype=np.int64)
    cells = RangeCells(lower=pieces, upper=pieces + 1, suppressed=np.zeros(len(pieces), np.bool_))
    return MaskedTable(
        schema=SCHEMA,
        columns={"shop": columns["shop"], "item": columns["item"], "pieces": cells},
        pseudonym=np.ones(len(given_rows), np.int64),
    )


@given(facts, rows)
def test_every_pair_of_rows_against_the_plain_version(
    known_rows: list[tuple[str, str, str, int]], given_rows: list[tuple[set[str], set[str], int]]
) -> None:
    original = Dataset(
        pl.DataFrame(
            known_rows, schema=dict.fromkeys(SCHEMA.names[:3], pl.String) | {"pieces": pl.Int64}, orient="row"
        ),
        SCHEMA,
    )
    here = [{fact[place] for fact in known_rows} for place in (0, 2)]
    given_rows = [(row[0] & here[0], row[1] & here[1], row[2]) for row in given_rows]
    both = gather_sides(gather_published(mask_rows(original, given_rows), original), gather_known(original))
    order = sorted(known_rows, key=lambda fact: fact[0])
    expected = [
        [
            (not row[0] or fact[0] in row[0]) and (not row[1] or fact[2] in row[1]) and 0 <= fact[3] - row[2] <= 1
            for fact in order
        ]
        for row in given_rows
    ]
    assert [[row_fits(both, row, fact) for fact in range(len(order))] for row in range(len(given_rows))] == expected
    offsets, targets = build_edges(both, 0, 0)
    whole = all(map(any, expected))
    for row, wanted in enumerate(expected):
        if whole:
            assert set(targets[offsets[row] : offsets[row + 1]].tolist()) == set(np.flatnonzero(wanted).tolist())


def test_two_rows_cannot_share_one() -> None:
    assert matches_every_row(np.array([0, 1, 3]), np.array([0, 0, 1], np.int32), 2)
    assert not matches_every_row(np.array([0, 1, 2]), np.array([0, 0], np.int32), 2)


def test_a_cell_ends_where_the_next_begins() -> None:
    # The codes of all cells stand in one array: Q follows P there, but belongs to the second row.
    original = Dataset(
        pl.DataFrame({"shop": ["P", "Q"], "who": ["a", "a"], "item": ["x", "x"], "pieces": [0, 0]}), SCHEMA
    )
    both = gather_sides(
        gather_published(mask_rows(original, [({"P"}, set(), 0), ({"Q"}, set(), 0)]), original), gather_known(original)
    )
    assert [[row_fits(both, row, fact) for fact in range(2)] for row in range(2)] == [[True, False], [False, True]]
