"""What the desk answers at once, at a million rows with eight keys, beside plain Python: a row at a time."""

from __future__ import annotations

import csv
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl

from sekisho.data.shape import Shape
from sekisho.gate.profiling.look import look_at_file
from sekisho.seeds import Seed
from sekisho.server.desk.counting.columns import ColumnStore, StoredColumns, read_schema
from sekisho.server.desk.counting.key_steps import answer_steps
from sekisho.server.desk.counting.looking import FirstRows, describe_look
from sekisho.server.desk.originals import propose_files
from sekisho.server.desk.plain_data import Plain
from sekisho.server.desk.questions import count_alone
from spec import Case

ROWS, PART = 1_000_000, 10
KEYS = ("birth_date", "sex", "postcode", "occupation", "height", "marital", "children", "nationality")


def write_people(path: Path, rows: int) -> None:
    """Write made-up people: a number each, eight keys, three further columns."""
    rng = Seed(1).rng()
    days = pl.Series([date(1930, 1, 1) + timedelta(days=day) for day in range(80 * 365)])
    codes = pl.Series([f"{150 + place // 50}-{place % 50:04}" for place in range(400)])
    jobs = pl.Series([f"job {place}" for place in range(40)])
    nations = pl.Series([f"N{place:02}" for place in range(60)])
    ills = pl.Series(["none", "none", "asthma", "diabetes", "hypertension"])
    income = pl.Series(rng.integers(100, 2000, rows) * 10_000).cast(pl.String)
    frame = pl.DataFrame(
        {
            "id": [f"P{number:07}" for number in rng.permutation(rows).tolist()],
            "birth_date": days.gather(rng.integers(0, len(days), rows)).dt.to_string(),
            "sex": pl.Series(["F", "M"]).gather(rng.integers(0, 2, rows)),
            "postcode": codes.gather(rng.integers(0, len(codes), rows)),
            "occupation": jobs.gather(np.minimum(rng.poisson(6, rows), 39)),
            "height": np.rint(rng.normal(165, 9, rows)).astype(np.int64),
            "marital": pl.Series(["single", "married", "divorced", "widowed"]).gather(rng.integers(0, 4, rows)),
            "children": np.minimum(rng.poisson(1.3, rows), 9),
            "nationality": nations.gather(np.minimum(rng.geometric(0.4, rows) - 1, 59)),
            "income": income.set(pl.Series(rng.random(rows) < 0.03), ""),
            "illness": ills.gather(rng.integers(0, len(ills), rows)),
            "visits": rng.poisson(3, rows),
        }
    )
    frame.write_csv(path)


def open_columns(folder: Path, path: Path) -> StoredColumns:
    """Return the columns of a file under the schema that is proposed for it, none of them coded yet."""
    schema = folder / "schema.toml"
    if not schema.exists():
        schema.write_bytes(propose_files(path).files["schema.toml"])
    shutil.rmtree(folder / "columns", ignore_errors=True)
    store = ColumnStore(folder=folder / "columns", path=path, digest=path.name)
    return store.open(read_schema(folder))


def weigh(columns: StoredColumns, keys: Sequence[str], about: str = "weigh") -> Plain:
    """Return what the page of the risk shows of some keys."""
    return answer_steps(columns, {"about": about, "keys": [{"name": key} for key in keys]})


def look_plainly(path: Path) -> list[tuple[int, int]]:
    """Return of each column how many different values and missing cells it has."""
    with path.open(newline="") as stream:
        _, *rows = csv.reader(stream)
    columns = list(zip(*rows, strict=True))
    return [(len({cell for cell in column if cell}), sum(not cell for cell in column)) for column in columns]


def count_plainly(path: Path, keys: Sequence[str] = KEYS) -> tuple[int, dict[str, int]]:
    """Return how many are alone on the keys, and without each."""
    with path.open(newline="") as stream:
        rows = [tuple(row[key] for key in keys) for row in csv.DictReader(stream)]

    def count(places: list[int]) -> int:
        counts = Counter(tuple(row[place] for place in places) for row in rows)
        return sum(number == 1 for number in counts.values())

    every = list(range(len(keys)))
    return count(every), {key: count([one for one in every if one != at]) for at, key in enumerate(keys)}


def cases() -> Iterator[Case]:
    """Yield the first look, the first rows, who is alone at first and on other keys, and who stands out."""
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
        size = f"{ROWS:,} × 12, {path.stat().st_size >> 20} MB"
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
        parquet = folder / "people.parquet"
        pl.read_csv(path, infer_schema_length=None, try_parse_dates=True).write_parquet(parquet)
        (folder / "kept").mkdir()
        counted = f"{ROWS:,} × {len(KEYS)} keys"
        yield Case(
            work="the page of the risk, columns coded from Parquet on the way",
            size=counted,
            ours=lambda: weigh(open_columns(folder / "kept", parquet), KEYS),
            repeat=2,
        )
        kept = open_columns(folder / "kept", parquet)
        for keys in (KEYS, KEYS[:4]):
            weigh(kept, keys)
            yield Case(
                work="the page of the risk for other keys: alone, without each, classes, a ladder of steps",
                size=f"{ROWS:,} × {len(keys)} keys",
                ours=lambda keys=keys: weigh(kept, keys),
                reference=f"{reference}, alone and without each only",
                other=lambda keys=keys: count_plainly(few, keys),
                part=PART,
            )
        yield Case(
            work="who stands out, and who is found by three things",
            size=counted,
            ours=lambda: weigh(kept, KEYS, "outstanding"),
            repeat=2,
        )
