"""Kept steps tampered with at random: each file in each way, several at once, and runs that must not notice.

Somebody may write into the folder of steps, and does not have the secret. Whatever he does, the next run decides and
writes what a run without kept steps does; the time, salt and seed of the run are given, for these alone cannot be made
again. A table's pages tell how long its search took, so that of a table the release, the pattern and the proof count.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from tests.gate.cache.tampering import TAMPERINGS, list_steps
from tests.gate.runs import read_outputs, write_history, write_keyed, write_table, write_tested, write_trips

from sekisho.journey import run_start
from sekisho.journey.run import pass_gate
from sekisho.seeds import Seed

COMBINATIONS = 20
SHAPES: dict[str, Callable[[Path], Path]] = {
    "history": write_history,
    "keyed": write_keyed,
    "table": write_table,
    "tested": write_tested,
    "trips": write_trips,
}


def read_decided(out: Path) -> dict[str, bytes]:
    """Return what must be the same, whatever was kept."""
    outputs = read_outputs(out)
    if "confidential/table-certificate.json" not in outputs:
        return outputs
    return {name: data for name, data in outputs.items() if name.endswith(".csv") or "table" in name}


def tamper_and_run(recipe: Path, out: Path, changes: dict[str, str], expected: dict[str, bytes]) -> None:
    """Tamper with steps by name, and run."""
    for name, kind in changes.items():
        TAMPERINGS[kind](out / "confidential" / "cache" / name)
    result = pass_gate(recipe, out=out)
    assert read_decided(out) == expected, changes
    assert len(result.notices) == len(changes), (changes, result.notices)


def try_shape(folder: Path, write: Callable[[Path], Path], rng: np.random.Generator) -> int:
    """Tamper with the steps of one recipe in all ways; return how many runs were made."""
    recipe, out = write(folder), folder / "gate"
    pass_gate(recipe, out=out)
    expected, cache = read_decided(out), out / "confidential" / "cache"
    names = [place.name for place in list_steps(cache)]
    for name in names:
        for kind in TAMPERINGS:
            tamper_and_run(recipe, out, {name: kind}, expected)
    alone = [kind for kind in TAMPERINGS if kind != "swap"]  # two that are exchanged may come to be what they were
    for _ in range(COMBINATIONS):
        some = rng.choice(names, size=int(rng.integers(1, len(names) + 1)), replace=False)
        tamper_and_run(recipe, out, {str(name): str(rng.choice(alone)) for name in some}, expected)
    return len(names) * len(TAMPERINGS) + COMBINATIONS


def main() -> None:
    """Run the campaign."""
    os.environ["SOURCE_DATE_EPOCH"] = "1700000000"
    run_start.draw_salt = lambda: "ab" * 32
    for label, write in SHAPES.items():
        with TemporaryDirectory() as folder:
            runs = try_shape(Path(folder), write, Seed(16).rng())
        print(f"{label}: {runs} runs on tampered steps, verdict and bytes as without any")


if __name__ == "__main__":
    main()
