"""Small purchase histories and releases for the tests of the attacks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sekisho.data.frame.cells import RangeCells, gather_sets
from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.frame.release import MaskedTable, exact_table

Row: TypeAlias = tuple[str, int, str, int, int]
Cell: TypeAlias = tuple[int, int] | None
MaskedRow: TypeAlias = tuple[int, Cell, tuple[str, ...], Cell, Cell]

START = date(2010, 12, 1)
SCHEMA = Schema(
    (
        Column(name="customer", kind=Kind.CATEGORY, role=Role.IDENTIFIER),
        Column(name="date", kind=Kind.DATE),
        Column(name="item", kind=Kind.CATEGORY),
        Column(name="price", kind=Kind.DECIMAL, decimals=2),
        Column(name="quantity", kind=Kind.INTEGER),
    )
)


def make_history(rows: Sequence[Row]) -> Dataset:
    """Return an original; a row is customer, day, item, price in pence, quantity."""
    customer, day, item, price, quantity = zip(*rows, strict=True)
    frame = pl.DataFrame(
        {
            "customer": pl.Series(customer, dtype=pl.String),
            "date": [START + timedelta(days=number) for number in day],
            "item": pl.Series(item, dtype=pl.String),
            "price": pl.Series(price, dtype=pl.Int64),
            "quantity": pl.Series(quantity, dtype=pl.Int64),
        }
    )
    return Dataset(frame, SCHEMA)


def make_release(original: Dataset, rows: Sequence[MaskedRow]) -> MaskedTable:
    """Return a release; a row is pseudonym, days, items (none: suppressed), pence, quantities.

    A missing range is suppressed.
    """
    pseudonym, day, items, price, quantity = zip(*rows, strict=True)
    place = {item: code for code, item in enumerate(original.domain("item"))}
    pairs = [(row, place[item]) for row, cell in enumerate(items) for item in cell]
    owner, code = zip(*pairs, strict=True) if pairs else ((), ())
    start = (START - date(1970, 1, 1)).days
    columns = {
        "date": make_ranges(day, start),
        "item": gather_sets(
            np.array(owner, dtype=np.int64), np.array(code, dtype=np.int32), len(rows), original.domain("item")
        ),
        "price": make_ranges(price),
        "quantity": make_ranges(quantity),
    }
    return MaskedTable(schema=SCHEMA, columns=columns, pseudonym=np.array(pseudonym, dtype=np.int64))


def make_ranges(cells: Sequence[Cell], start: int = 0) -> RangeCells:
    """Return numeric cells from pairs of bounds."""
    return RangeCells(
        lower=np.array([cell[0] + start if cell else 0 for cell in cells], dtype=np.int64),
        upper=np.array([cell[1] + start if cell else 0 for cell in cells], dtype=np.int64),
        suppressed=np.array([cell is None for cell in cells]),
    )


def pseudonymise(original: Dataset, *, rng: np.random.Generator) -> tuple[MaskedTable, dict[int, str]]:
    """Return the raw history under random pseudonyms, its rows shuffled, and the truth."""
    customers = original.domain("customer")
    names: NDArray[np.int64] = rng.permutation(len(customers)) + 1
    order = rng.permutation(len(original.frame))
    table = exact_table(original, pseudonym=names[original.codes("customer")]).take(order)
    return table, dict(zip(names.tolist(), customers, strict=True))


def make_shop(customers: int, *, rng: np.random.Generator, longest: int = 30) -> Dataset:
    """Return a random history: lengths from 1 to ``longest``, few items, so that customers resemble each other."""
    lengths = rng.integers(1, longest + 1, customers)
    owner = np.repeat(np.arange(customers), lengths)
    item = rng.zipf(1.5, len(owner)) % 40
    return make_history(
        [
            (f"c{person:04}", int(day), f"i{thing:02}", int(100 + thing * 7 % 50), int(amount))
            for person, day, thing, amount in zip(
                owner, rng.integers(0, 60, len(owner)), item, rng.integers(1, 13, len(owner)), strict=True
            )
        ]
    )


def read_contest(path: Path) -> Dataset:
    """Return a history of the contest of 2018 from its file."""
    frame = pl.read_csv(path, has_header=False, new_columns=list(SCHEMA.names), infer_schema=False)
    parts = [
        frame["customer"],
        frame["date"].str.to_date("%Y/%-m/%-d"),
        frame["item"],
        (frame["price"].cast(pl.Float64) * 100).round().cast(pl.Int64),
        frame["quantity"].cast(pl.Int64),
    ]
    return Dataset(pl.DataFrame(parts), SCHEMA)
