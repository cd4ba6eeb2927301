"""What the rooms' suites try every registered thing on: for each shape a small data set, and its rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date, timedelta
from inspect import getdoc, getmodule
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray
from tests.renamed import HISTORY_NAMES, RECORD_NAMES, renamed_rules

from sekisho.contest.rulebook import read_history_rules, read_record_rules
from sekisho.data.frame.cells import RangeCells
from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.frame.release import MaskedTable
from sekisho.data.shape import Shape
from sekisho.data.synthetic.health import health_records
from sekisho.seeds import Seed

HISTORY = Schema(
    (
        Column(name="customer", kind=Kind.CATEGORY, role=Role.IDENTIFIER),
        Column(name="date", kind=Kind.DATE),
        Column(name="item", kind=Kind.CATEGORY),
        Column(name="price", kind=Kind.DECIMAL, decimals=2),
        Column(name="quantity", kind=Kind.INTEGER),
    )
)
TRIED = (Shape.HISTORY, Shape.RECORDS)
NAMES: Mapping[Shape, Mapping[str, str]] = {Shape.HISTORY: HISTORY_NAMES, Shape.RECORDS: RECORD_NAMES}
RULES = {Shape.HISTORY: read_history_rules("pwscup2018"), Shape.RECORDS: read_record_rules("pwscup2021")}


def history(rows: int = 160, people: int = 13) -> Dataset:
    """Return purchases of a few people."""
    rng = Seed(5).rng()
    return Dataset(
        pl.DataFrame(
            {
                "customer": [f"c{code}" for code in rng.integers(0, people, rows)],
                "date": [date(2011, 1, 1) + timedelta(days=int(day)) for day in rng.integers(0, 300, rows)],
                "item": [f"i{code}" for code in rng.integers(0, 30, rows)],
                "price": rng.integers(1, 900, rows),
                "quantity": rng.integers(1, 40, rows),
            }
        ),
        HISTORY,
    )


def records(rows: int = 400) -> Dataset:
    """Return health records."""
    return health_records(rows, rng=Seed(1).rng())


def only_categories(data: Dataset) -> Dataset:
    """Return the data without their numbers, for those who take none."""
    schema = Schema(tuple(column for column in data.schema if not column.kind.numeric))
    return Dataset(data.frame.select(schema.names), schema)


def sample(shape: Shape, *, categories: bool = False) -> Dataset:
    """Return a fresh data set of a shape."""
    data = history() if shape is Shape.HISTORY else records()
    return only_categories(data) if categories else data


def said(shape: Shape) -> dict[str, object]:
    """Return what the rules of a shape say."""
    return RULES[shape].parameters()


def said_otherwise(shape: Shape) -> dict[str, object]:
    """Return what the same rules say where the columns are called otherwise."""
    if shape is Shape.HISTORY:  # they name no column
        return said(shape)
    with TemporaryDirectory() as folder:
        return renamed_rules(Path(folder), RECORD_NAMES).parameters()


def called_otherwise(value: object, shape: Shape) -> object:
    """Return a parameter that names columns with their other names."""
    names = NAMES[shape]
    if isinstance(value, Mapping):
        return {names.get(key, key): each for key, each in cast("Mapping[str, object]", value).items()}
    if isinstance(value, tuple):
        return tuple(names.get(str(each), each) for each in cast("tuple[object, ...]", value))
    return value


def table_bytes(table: MaskedTable) -> list[bytes]:
    """Return all that a table holds."""
    parts: list[NDArray[np.generic]] = [] if table.pseudonym is None else [table.pseudonym]
    for cells in table.columns.values():
        parts += [cells.lower, cells.upper] if isinstance(cells, RangeCells) else [cells.offsets, cells.codes]
        parts.append(cells.suppressed)
    return [part.tobytes() for part in parts]


def says_shapes(kind: object) -> bool:
    """Tell whether a class says which shapes it suits."""
    shapes: object = getattr(kind, "shapes", None)
    return isinstance(shapes, frozenset) and bool(shapes) and all(isinstance(each, Shape) for each in shapes)


def is_plain_value(kind: type) -> bool:
    """Tell whether a class is a frozen dataclass whose parameters are said by name."""
    return (
        is_dataclass(kind)
        and bool(cast("Any", kind).__dataclass_params__.frozen)
        and all(item.kw_only for item in fields(kind))
    )


def names_source(kind: type) -> bool:
    """Tell whether a class or its module says where it comes from."""
    return "Source" in (kind.__doc__ or "") or "Source" in (getdoc(getmodule(kind)) or "")
