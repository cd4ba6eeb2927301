"""Made-up files with columns that name people go through init and the gate: nothing of them may stand below public/.

Each file has one to five columns of names, mail addresses, telephones, addresses, numbers, links, devices, texts or
coordinates, under a telling header or one that says nothing, of which few or many values differ. Looking is tried on
many files, the whole way on some. The report says how many columns were known, what leaked, and what was lost for
nothing.

    PYTHONPATH=. python verify/naming_columns.py [FILES] [WAYS]
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from tests.data.identity.made_up_files import KINDS, MadeUpFile, make_file

from sekisho.cli import status_of
from sekisho.data.frame.dataset import Role
from sekisho.gate.profiling.look import look_at_file

OUT = Path("verify/out")
FILES, WAYS = 1000, 20
PLAIN = {"age", "sex", "town", "illness"}


def draw_file(seed: int) -> tuple[MadeUpFile, list[str]]:
    """Return a file and the kinds of its columns that name people."""
    rng = np.random.default_rng(seed)
    kinds = [str(kind) for kind in rng.choice(sorted(KINDS), int(rng.integers(1, 6)))]
    return make_file(rng, rows=int(rng.integers(30, 400)), kinds=kinds), kinds


def look(files: int, folder: Path) -> dict[str, object]:
    """Return how many columns were known, which were missed, and which were lost for nothing."""
    columns, missed, lost = 0, Counter[str](), Counter[str]()
    for seed in range(files):
        file, kinds = draw_file(seed)
        (folder / "own.csv").write_text(file.text)
        roles = {guess.look.name: guess.role for guess in look_at_file(folder / "own.csv").roles}
        leaves = {name for name, role in roles.items() if role not in (None, Role.IDENTIFIER)}
        columns += len(file.secrets)
        missed.update(kind for kind, name in zip(kinds, file.secrets, strict=True) if name in leaves)
        lost.update(PLAIN - leaves)
    return {"files": files, "columns": columns, "missed": dict(missed), "lost": dict(lost)}


def take_through(ways: int, folder: Path) -> dict[str, object]:
    """Return the statuses of whole ways, and what of the columns stands below public/."""
    statuses, leaks = Counter[int](), dict[int, int]()
    for seed in range(ways):
        file, _ = draw_file(10_000_000 + seed)
        place = folder / str(seed)
        place.mkdir()
        (place / "own.csv").write_text(file.text)
        status_of(["init", str(place / "own.csv"), "--out", str(place / "r.toml")])
        statuses[status_of(["gate", str(place / "r.toml"), "--out", str(place / "out"), "--seed", "1"])] += 1
        public = [path for path in (place / "out" / "public").rglob("*") if path.is_file()]
        text = "".join(path.read_text(errors="replace") for path in public)
        found = sum(secret in text for secrets in file.secrets.values() for secret in secrets)
        leaks |= {seed: found} if found else {}
    return {"ways": ways, "statuses": dict(statuses), "leaks": leaks}


def main() -> int:
    """Run the campaign and write its report."""
    files, ways = (int(given) for given in (*sys.argv[1:], *map(str, (FILES, WAYS)[len(sys.argv) - 1 :])))
    with TemporaryDirectory() as folder:
        report = {"looking": look(files, Path(folder)), "gate": take_through(ways, Path(folder))}
    OUT.mkdir(exist_ok=True)
    (OUT / "naming_columns.json").write_text(json.dumps(report, indent=1) + "\n")
    print(json.dumps(report))
    looking, gate = report["looking"], report["gate"]
    return int(bool(looking["missed"] or gate["leaks"]))


if __name__ == "__main__":
    sys.exit(main())
