"""Reading, checking and measuring a purchase history beside the plain row-by-row reference."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import plain_history
from sekisho.contest.rulebook import read_history_rules
from sekisho.data.history.files import read_original, read_release, write_release
from sekisho.protect.history.coarsen import Coarsen
from sekisho.safety.rejection import RejectionRule
from sekisho.seeds import Seed
from sekisho.utility.cell_error import CellError
from spec import Case

ROUND2 = Path(__file__).parents[2] / "shared" / "data" / "pwscup2018" / "T_round2.csv"


def cases() -> Iterator[Case]:
    """Yield the cases of the 2018 contest's round 2, where its file is at hand."""
    yield Case(
        work="thresholds r(n)", size="n = 0..1000", ours=lambda: [RejectionRule().threshold(n) for n in range(1001)]
    )
    if not ROUND2.exists():
        return
    rules = read_history_rules("pwscup2018")
    original = read_original(ROUND2, rules)
    release = Coarsen().apply(original, rng=Seed(1).rng())
    written = write_release(release, rules)
    true, released = ROUND2.read_text().splitlines(), written.decode().splitlines()
    size = f"{len(original):,} rows"
    with TemporaryDirectory() as folder:
        path = Path(folder) / "A.csv"
        path.write_bytes(written)
        yield Case(
            work="check a release",
            size=size,
            ours=lambda: read_release(path, rules, original),
            reference="row by row in Python",
            other=lambda: plain_history.wrong_cells(true, released),
        )
    yield Case(
        work="utility U",
        size=size,
        ours=lambda: CellError().compare(original, release),
        reference="row by row in Python",
        other=lambda: plain_history.utility(true, released),
    )
    yield Case(work="print a release", size=size, ours=lambda: write_release(release, rules))
