"""What the desk answers at once, at a million rows of eight columns, beside plain Python: a row at a time."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl

from sekisho.data.shape import Shape
from sekisho.gate.profiling.look import look_at_file
from sekisho.seeds import Seed
from sekisho.server.desk.counting.columns import ColumnStore, StoredColumns, read_schema
from sekisho.server.desk.counting.looking import FirstRows, describe_look
from sekisho.server.desk.originals import propose_files
from sekisho.server.desk.questions import count_alone
from spec import Case

ROWS, PART = 1_000_000, 10
KEYS = ("birth_date", "sex", "postcode", "occupation")


def write_people(path: Path, rows: int) -> None:
    """Write made-up people: a number each, four keys, three further columns."""
    rng = Seed(1).rng()
    days = pl.Series([date(1930, 1, 1) + timedelta(days=day) for day in range(80 * 365)])
    codes = pl.Series([f"{150 + place // 50}-{place % 50:04}" for place in range(400)])
    jobs = pl.Series([f"job {place}" for place in range(40)])
    ills = pl.Series(["none", "none", "asthma", "diabetes", "hypertension"])
    income = pl.Series(rng.integers(100, 2000, rows) * 10_000).cast(pl.String)
    frame = pl.DataFrame(
        {
            "id": [f"P{number:07}" for number in rng.permutation(rows).tolist()],
            "birth_date": days.gather(rng.integers(0, len(days), rows)).dt.to_string(),
            "sex": pl.Series(["F", "M"]).gather(rng.integers(0, 2, rows)),
            "postcode": codes.gather(rng.integers(0, len(codes), rows)),
            "occupation": jobs.gather(np.minimum(rng.poisson(6, rows), 39)),
            "income": income.set(pl.Series(rng.random(rows) < 0.03), ""),
            "illness": ills.gather(rng.integers(0, len(ills), rows)),
            "visits": rng.poisson(3, rows),
        }
    )
    frame.write_csv(path)


def open_columns(folder: Path, path: Path) -> StoredColumns:
    """Return the columns of a file under the schema that is proposed for it."""
    (folder / "schema.toml").write_bytes(propose_files(path).files["schema.toml"])
    store = ColumnStore(folder=folder / "columns", path=path, digest=path.name)
    return store.open(read_schema(folder))


def look_plainly(path: Path) -> list[tuple[int, int]]:
    """Return of each column how many different values and missing cells it has."""
    with path.open(newline="") as stream:
        _, *rows = csv.reader(stream)
    columns = list(zip(*rows, strict=True))
    return [(len({cell for cell in column if cell}), sum(not cell for cell in column)) for column in columns]


def count_plainly(path: Path) -> tuple[int, dict[str, int]]:
    """Return how many are alone on the keys, and without each."""
    with path.open(newline="") as stream:
        rows = [tuple(row[key] for key in KEYS) for row in csv.DictReader(stream)]

    def count(places: list[int]) -> int:
        counts = Counter(tuple(row[place] for place in places) for row in rows)
        return sum(number == 1 for number in counts.values())

    every = list(range(len(KEYS)))
    return count(every), {key: count([one for one in every if one != at]) for at, key in enumerate(KEYS)}


def cases() -> Iterator[Case]:
    """Yield the first look, the first rows, and who is alone on four keys."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        path, few = folder / "people.csv", folder / "few.csv"
        write_people(path, ROWS)
        write_people(few, ROWS // PART)
        (folder / "part").mkdir()
        columns, part = open_columns(folder, path), open_columns(folder / "part", few)
        seen = describe_look(look_at_file(few, shape=Shape.RECORDS))["columns"]
        assert [(one["distinct"], one["missing"]) for one in seen] == look_plainly(few)
        told = count_alone(part.select_codes(KEYS))
        assert (told["alone"], told["without"]) == count_plainly(few)
        size = f"{ROWS:,} × 8, {path.stat().st_size >> 20} MB"
        reference = f"plain Python, one row in {PART}"
        yield Case(
            work="first look: kinds, roles, reasons, pictures",
            size=size,
            ours=lambda: describe_look(look_at_file(path, shape=Shape.RECORDS)),
            reference=f"{reference}, distinct only",
            other=lambda: look_plainly(few),
            part=PART,
            repeat=2,
        )
        rows = FirstRows(path=path, folder=folder, schema=columns.schema)
        yield Case(work="first rows under a form", size=size, ours=rows.read)
        columns.select(KEYS)
        yield Case(
            work="alone on the keys, and without each",
            size=f"{ROWS:,} × {len(KEYS)} keys",
            ours=lambda: count_alone(columns.select_codes(KEYS)),
            reference=reference,
            other=lambda: count_plainly(few),
            part=PART,
        )
