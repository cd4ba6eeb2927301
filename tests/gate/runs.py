"""Small runs of the gate for every shape, and their folders as bytes."""

from __future__ import annotations

from pathlib import Path

from sekisho.contest.history.files import write_original
from sekisho.contest.rulebook import read_history_rules
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


def write_table(folder: Path) -> Path:
    """Write a table of nine cells and its recipe."""
    (folder / "cells.csv").write_text(CELLS)
    (folder / "table.toml").write_text(TABLE)
    return folder / "table.toml"


def read_outputs(out: Path) -> dict[str, bytes]:
    """Return every file of a run but its kept steps."""
    return {
        str(path.relative_to(out)): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and "cache" not in path.parts
    }
