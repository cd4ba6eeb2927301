"""Time each capability beside its reference and print one table.

Every ``bench/bench_*.py`` offers ``cases()``, a series of :class:`spec.Case`. Run all with ``make bench``, or some with
``python bench/run.py NAME…`` (a part of the file's name). Seconds are CPU seconds of the process, the best of the
case's repeats.
"""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from spec import Case, Timing

HERE = Path(__file__).parent


def main() -> None:
    """Run the asked-for benchmarks."""
    wanted = sys.argv[1:]
    names = sorted(path.stem for path in HERE.glob("bench_*.py"))
    rows: list[Timing] = []
    print(f"{'work':<44} {'size':<26} {'ours s':>9}  {'reference':<34} {'its s':>9} {'ratio':>8}")
    for name in names:
        if wanted and not any(part in name for part in wanted):
            continue
        cases: Iterable[Case] = import_module(name).cases()
        for case in cases:
            row = case.timed()
            rows.append(row)
            its = f"{row.reference_seconds:9.3f} {row.ratio:7.1f}x" if row.ratio is not None else f"{'–':>9} {'–':>8}"
            print(f"{row.work:<44} {row.size:<26} {row.ours_seconds:9.3f}  {row.reference:<34} {its}", flush=True)
    machine = {"python": platform.python_version(), "processor": platform.machine(), "system": platform.system()}
    (HERE / "results.json").write_text(
        json.dumps({"machine": machine, "rows": [row.as_dict() for row in rows]}, indent=1)
    )


if __name__ == "__main__":
    main()
