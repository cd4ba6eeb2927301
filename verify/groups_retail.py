"""All of UCI Online Retail at k = 3: how long, how much memory, how good, and is every history shared by three?

Cleaning: a customer is named, quantity and price are above 0. ``--customers N`` takes the first N customers only
(``--quick`` is 400). Where the file is missing (see ``real_data.py``), a synthetic shop takes its place. Writes
verify/out/groups_retail.json.
"""

from __future__ import annotations

import argparse
import json
import resource
from collections import Counter
from pathlib import Path
from time import process_time

import numpy as np
import polars as pl

from real_data import add_data_option, find_data
from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.frame.release import Release
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.protect.history.groups import Groups
from sekisho.seeds import Seed
from sekisho.utility.cell_error import CellError

HERE = Path(__file__).parent
SCHEMA = Schema(
    (
        Column(name="customer", kind=Kind.CATEGORY, role=Role.IDENTIFIER),
        Column(name="date", kind=Kind.DATE),
        Column(name="item", kind=Kind.CATEGORY),
        Column(name="price", kind=Kind.DECIMAL, decimals=2),
        Column(name="quantity", kind=Kind.INTEGER),
    )
)


def clean_rows(path: Path, customers: int | None) -> Dataset:
    """Return the cleaned purchases."""
    sold = pl.read_parquet(path).filter(
        pl.col("CustomerID").is_not_null(), pl.col("Quantity") > 0, pl.col("UnitPrice").round(2) > 0
    )
    frame = sold.select(
        customer=pl.col("CustomerID").cast(pl.String),
        date=pl.col("InvoiceDate").dt.date(),
        item=pl.col("StockCode"),
        price=(pl.col("UnitPrice") * 100).round().cast(pl.Int64),
        quantity=pl.col("Quantity").cast(pl.Int64),
    )
    if customers is not None:
        chosen = frame["customer"].unique().sort().head(customers)
        frame = frame.filter(pl.col("customer").is_in(chosen.implode()))
    return Dataset(frame, SCHEMA)


def shared_by(release: Release) -> int:
    """Return by how many customers the least shared history is published, from the cells alone."""
    table = release.table
    assert table.pseudonym is not None
    sets = table.sets("item")
    parts: dict[str, object] = {
        f"{name} {side}": getattr(table.numbers(name), side)
        for name in ("date", "price", "quantity")
        for side in ("lower", "upper", "suppressed")
    }
    items = [tuple(sets.codes[low:high]) for low, high in zip(sets.offsets[:-1], sets.offsets[1:], strict=True)]
    rows = pl.DataFrame(parts).with_columns(item=pl.Series([str(cell) for cell in items]), name=table.pseudonym)
    rows = rows.filter(~pl.Series(release.deleted)).with_columns(line=pl.struct(pl.exclude("name")).hash(seed=0))
    histories = rows.sort("line").group_by("name").agg(pl.col("line"))
    return min(Counter(tuple(lines) for lines in histories["line"].to_list()).values())


def main() -> None:
    """Run and write what was seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--customers", type=int)
    parser.add_argument("--k", type=int, default=3)
    parser.add_argument("--effort", type=float, default=300.0)
    add_data_option(parser)
    options = parser.parse_args()
    customers = 400 if options.quick else options.customers
    path = find_data("retail/online-retail.parquet", options.data)
    data = (
        SyntheticHistory(customers=customers or 1000).draw(rng=Seed(1).child("shop").rng())
        if path is None
        else clean_rows(path, customers)
    )
    start, step = process_time(), None
    for step in Groups(k=options.k, effort=options.effort).improve(data, rng=Seed(1).rng()):
        print(f"{step.seconds:8.1f} s  U {step.utility:.5f}  bound {step.bound:.5f}", flush=True)
    assert step is not None
    release = step.release()
    seen = {
        "rows": len(data),
        "customers": data.frame["customer"].n_unique(),
        "k": shared_by(release),
        "utility": CellError().compare(data, release).value,
        "bound": step.bound,
        "cpu_seconds": process_time() - start,
        "peak_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "published_share": float(np.mean(~release.deleted)),
    }
    assert seen["k"] >= options.k
    print(json.dumps(seen, indent=1))
    (HERE / "out").mkdir(exist_ok=True)
    (HERE / "out" / "groups_retail.json").write_text(json.dumps(seen, indent=1))


if __name__ == "__main__":
    main()
