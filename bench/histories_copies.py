"""`groups` at k = 3 on a real shop, copied with fresh items: does the search in blocks keep its quality as it grows?

UCI Online Retail (4,338 customers, 397,880 rows once cleaned) stands there several times: copy c of item x is x.c, and
so are the customers, so nobody of one copy has an item of another. A customer and his copies agree in everything but
the items. From three copies on, a good release is known, therefore: three copies of each customer in a group lose
1 - 1/3 of the items and nothing else, U = 1/6. With one copy, U stands beside that of the search all at once
(``--unblocked``). The data are read from ``../shared/data``, or the folder that ``--data`` names; where they are
missing, nothing is run. Each size runs in a process of its own, measured from outside. Results go to
``bench/histories_copies.json``, which keeps what was not run this time. 23 copies are some 100,000 customers and 9
million rows, which take more than half an hour of two free cores:
``python bench/histories_copies.py --copies 23 --effort 6900``.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import polars as pl

from outside import measure_child
from sekisho.data.frame.dataset import Column, Dataset, Kind, Role, Schema
from sekisho.data.frame.release import MaskedTable, Release
from sekisho.protect.history.groups import Groups
from sekisho.seeds import Seed
from sekisho.utility.cell_error import CellError

HERE = Path(__file__).parent
RESULTS = HERE / "histories_copies.json"
DATA = HERE.parent.parent / "shared" / "data"
K, BLOCK = 3, 300
SCHEMA = Schema(
    (
        Column(name="customer", kind=Kind.CATEGORY, role=Role.IDENTIFIER),
        Column(name="date", kind=Kind.DATE),
        Column(name="item", kind=Kind.CATEGORY),
        Column(name="price", kind=Kind.DECIMAL, decimals=2),
        Column(name="quantity", kind=Kind.INTEGER),
    )
)


def read_copies(path: Path, copies: int) -> Dataset:
    """Return the cleaned purchases (a customer is named, quantity and price are above 0), so many times over."""
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
    renamed = [
        frame.with_columns(pl.format("{}.{}", name, pl.lit(copy)).alias(name) for name in ("customer", "item"))
        for copy in range(copies)
    ]
    return Dataset(pl.concat(renamed), SCHEMA)


def measure_copies(path: Path, copies: int, effort: float, *, blocked: bool) -> dict[str, object]:
    """Protect the copies and tell U, the CPU seconds of each pass, and how many share the least shared history."""
    data, passes = read_copies(path, copies), list[dict[str, float]]()
    last = None
    for last in Groups(k=K, effort=effort, block=BLOCK if blocked else 0).improve(data, rng=Seed(1).rng()):
        passes.append({"utility": last.utility, "cpu_seconds": round(last.seconds, 1)})
        print(f"U {last.utility:.5f} after {last.seconds:.0f} CPU s", file=sys.stderr, flush=True)
    assert last is not None
    release = last.release()
    return {
        "copies": copies,
        "blocked": blocked,
        "effort": effort,
        "customers": len(data.domain("customer")),
        "rows": len(data),
        "k": K,
        "utility": CellError().compare(data, release).value,
        "shared_by": count_sharing(release),
        "detail": dict(release.detail),
        "passes": [passes[0], passes[-1]],
    }


def count_sharing(release: Release) -> int:
    """Return by how many customers the least shared history is published, from the published cells alone."""
    table: MaskedTable = release.table.take(~release.deleted)
    assert table.pseudonym is not None
    sets = table.sets("item")
    line = pl.DataFrame({"row": sets.owners(), "code": sets.codes}).group_by("row", maintain_order=True).agg("code")
    items = pl.Series([""] * len(table)).scatter(line["row"], line["code"].cast(pl.List(pl.String)).list.join(";"))
    numbers = {
        f"{name} {side}": getattr(table.numbers(name), side)
        for name in ("date", "price", "quantity")
        for side in ("lower", "upper", "suppressed")
    }
    rows = pl.DataFrame(numbers).with_columns(items.alias("item")).with_columns(line=pl.struct(pl.all()).hash(seed=0))
    histories = rows.select("line", name=table.pseudonym).sort("name", "line").group_by("name").agg("line")
    return int(histories.group_by("line").len()["len"].to_numpy().min())


def name_run(run: dict[str, object]) -> tuple[int, bool, float]:
    """Return what tells runs apart."""
    return int(str(run["copies"])), bool(run["blocked"]), float(str(run["effort"]))


def main() -> None:
    """Run what is asked for and keep the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--copies", type=int, nargs="*", default=[3])
    parser.add_argument("--effort", type=float, default=300.0)
    parser.add_argument("--unblocked", action="store_true", help="all at once, which takes the square of the customers")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    path = options.data / "retail" / "online-retail.parquet"
    if not path.exists():
        print(f"nothing was run: there is no {path}")
        return
    if options.child:
        print(json.dumps(measure_copies(path, options.copies[0], options.effort, blocked=not options.unblocked)))
        return
    for copies in options.copies:
        more = ["--unblocked"] if options.unblocked else []
        words = ["--child", "--copies", str(copies), "--effort", str(options.effort), "--data", str(options.data)]
        run = measure_child([sys.executable, __file__, *words, *more])
        print(json.dumps(run), flush=True)
        kept = {name_run(one): one for one in json.loads(RESULTS.read_text())} if RESULTS.exists() else {}
        kept[name_run(run)] = run
        RESULTS.write_text(json.dumps([kept[name] for name in sorted(kept)], indent=1) + "\n")


if __name__ == "__main__":
    main()
