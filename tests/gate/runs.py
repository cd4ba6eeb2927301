"""Small runs of the gate for every shape, and their folders as bytes."""

from __future__ import annotations

from pathlib import Path

from sekisho.contest.rulebook import read_history_rules
from sekisho.data.history.files import write_original
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.seeds import Seed

HISTORY = """title = {{ en = "Purchases of March", ja = "三月の購買" }}
rules = "pwscup2018"
original = "T.csv"
{seed}
[[methods]]
name = "similar-length"
k = 7
[[methods]]
name = "pseudonymise"
[[adversaries]]
name = "chance"
[[adversaries]]
name = "containment"
"""
SEED = "seed = 987654321"
KEYED = """shape = "records"
original = "people.csv"
schema = "people.toml"
keys = ["age", "town"]
sensitive = ["ill"]
seed = 987654321
[guarantees]
k = {k}
[[methods]]
name = "partition"
k = 4
effort = 0
[learnable]
ill = "everybody in this made-up town knows who is ill"
"""
SCHEMA = """shape = "records"
[[columns]]
name = "name"
role = "identifier"
[[columns]]
name = "age"
kind = "integer"
[[columns]]
name = "town"
kind = "category"
[[columns]]
name = "ill"
kind = "category"
"""
TRIPS_SCHEMA = """shape = "history"
[[columns]]
name = "driver"
role = "identifier"
[[columns]]
name = "day"
[[columns]]
name = "road"
"""
TRIPS = """schema = "trips.schema.toml"
original = "trips.csv"
seed = 987654321
[[methods]]
name = "groups"
k = 7
[[adversaries]]
name = "containment"
"""
TESTED_SCHEMA = """shape = "records"
[rounds.usual]
iloss = 2
[test]
members = 3
others = 3
[[columns]]
name = "age"
[[columns]]
name = "town"
"""
TESTED = """schema = "town.schema.toml"
original = "town.csv"
target = 0.9
tests = 2
seed = 987654321
[[methods]]
name = "decoy"
[[adversaries]]
name = "nearest"
"""
TABLE = 'shape = "table"\noriginal = "cells.csv"\ndims = ["a", "b"]\ncount = "n"\n'
CELLS = "a,b,n\nx,p,2\nx,q,28\nx,r,30\ny,p,20\ny,q,16\ny,r,14\nz,p,15\nz,q,13\nz,r,12\n"


def write_history(folder: Path, *, seed: str = SEED) -> Path:
    """Write a history of 21 customers and its recipe."""
    data = SyntheticHistory(customers=21, items=60, median_rows=4).draw(rng=Seed(3).rng())
    (folder / "T.csv").write_bytes(write_original(data, read_history_rules("pwscup2018")))
    (folder / "recipe.toml").write_text(HISTORY.format(seed=seed))
    return folder / "recipe.toml"


def write_keyed(folder: Path, *, k: int = 4) -> Path:
    """Write forty records and their recipe."""
    rng = Seed(1).rng()
    rows = [
        f"person-{number:04d},{rng.integers(20, 70)},{rng.choice(['north', 'south'])},{rng.choice(['flu', 'none'])}"
        for number in range(40)
    ]
    (folder / "people.csv").write_text("name,age,town,ill\n" + "\n".join(rows) + "\n")
    (folder / "people.toml").write_text(SCHEMA)
    (folder / "keyed.toml").write_text(KEYED.format(k=k))
    return folder / "keyed.toml"


def write_trips(folder: Path) -> Path:
    """Write a history of one's own, trips of 14 drivers, and its recipe."""
    rng = Seed(1).rng()
    trips = [f"d{n % 14},2024-01-{rng.integers(1, 31):02},road {rng.integers(4)}" for n in range(70)]
    (folder / "trips.csv").write_text("driver,day,road\n" + "\n".join(trips) + "\n")
    (folder / "trips.schema.toml").write_text(TRIPS_SCHEMA)
    (folder / "trips.toml").write_text(TRIPS)
    return folder / "trips.toml"


def write_tested(folder: Path) -> Path:
    """Write records of one's own that are judged by test sets, and their recipe."""
    rng = Seed(1).rng()
    people = [f"{rng.integers(20, 26)},town {rng.integers(3)}" for _ in range(40)]
    (folder / "town.csv").write_text("age,town\n" + "\n".join(people) + "\n")
    (folder / "town.schema.toml").write_text(TESTED_SCHEMA)
    (folder / "town.toml").write_text(TESTED)
    return folder / "town.toml"


def write_table(folder: Path) -> Path:
    """Write a table of nine cells and its recipe."""
    (folder / "cells.csv").write_text(CELLS)
    (folder / "table.toml").write_text(TABLE)
    return folder / "table.toml"


def read_outputs(out: Path) -> dict[str, bytes]:
    """Return every file of a run but its kept steps and their secret."""
    return {
        str(path.relative_to(out)): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and "cache" not in path.parts and path.name != ".cache.key"
    }
