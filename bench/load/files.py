"""Valid releases of one synthetic history, no two alike, each of at least so many bytes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from crash.place import RULES, Materials
from sekisho.contest.rulebook import read_history_rules
from sekisho.data.history.files import write_original, write_release
from sekisho.data.synthetic.histories import SyntheticHistory
from sekisho.gate.fit import fit
from sekisho.protect.history.similar_length import SimilarLength
from sekisho.seeds import Seed

BYTES_PER_CUSTOMER = 4500
"""Of a release that groups two customers each, a little less than there are."""
LOWEST_NAME = 100_000


def make_release(seed: Seed, least_bytes: int) -> tuple[Materials, list[tuple[str, str]]]:
    """Return an original and a release of it, its lines parted into pseudonym and cells."""
    rules = read_history_rules(RULES)
    customers = 2 * (least_bytes // BYTES_PER_CUSTOMER // 2 + 1)
    shop = SyntheticHistory(customers=customers, items=2000, median_rows=40)
    data = shop.draw(rng=seed.child("shop").rng())
    release = fit(SimilarLength(k=2), rules.parameters()).apply(data, rng=seed.child("release").rng())
    written = write_release(release, rules)
    if len(written) < least_bytes:
        raise ValueError(f"the release has {len(written)} bytes and should have {least_bytes}")
    lines = [(name, cells) for name, _, cells in (line.partition(",") for line in written.decode().splitlines())]
    return Materials(original=write_original(data, rules), releases=(written,), guess=b""), lines


def write_releases(lines: list[tuple[str, str]], folder: Path, count: int, seed: Seed) -> list[Path]:
    """Write the release so many times, each time with other pseudonyms, which leaves it as valid and as useful."""
    folder.mkdir()
    names = sorted({name for name, _ in lines} - {"*"})
    paths: list[Path] = []
    for number in range(count):
        rng: np.random.Generator = seed.child(f"names {number}").rng()
        others = dict(zip(names, map(str, rng.permutation(len(names)) + LOWEST_NAME), strict=True)) | {"*": "*"}
        path = folder / f"{number:04}.csv"
        path.write_text("".join(f"{others[name]},{cells}\n" for name, cells in lines))
        paths.append(path)
    return paths
