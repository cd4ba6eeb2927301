"""Run every suite that is outside ``make test``, one after the other, and tell what each came to and took.

A suite that fails stops none of the others; its last lines are printed, and all it said stands in verify/out/suites.

make test-all; some of them only: make test-all SUITES="test-spark docs"
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "verify" / "out" / "suites"
SUITES = ("test-spark", "test-postgres", "test-api", "test-wheel", "test-lowest", "docs", "browser")
LAST_LINES = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a suite came to."""

    suite: str
    status: int
    wall_seconds: float
    cpu_seconds: float
    said: str

    def __str__(self) -> str:
        judged = "green" if self.status == 0 else f"FAILS ({self.status})"
        return f"{self.suite:14} {judged:11} {self.wall_seconds / 60:6.1f} min {self.cpu_seconds:7.0f} CPU s"


def measure_children() -> float:
    """Return the CPU seconds of all processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run_suite(suite: str) -> Result:
    """Run a suite to its end, and keep what it says."""
    path = OUT / f"{suite}.log"
    started, used = time.monotonic(), measure_children()
    with path.open("wb") as log:
        make = os.environ.get("MAKE", "make")
        status = subprocess.run([make, suite], cwd=ROOT, stdout=log, stderr=subprocess.STDOUT, check=False).returncode
    return Result(
        suite=suite,
        status=status,
        wall_seconds=time.monotonic() - started,
        cpu_seconds=measure_children() - used,
        said=path.read_text("utf-8", errors="replace"),
    )


def main() -> int:
    """Run the suites that are named, or all; return 1 if one of them fails."""
    suites = sys.argv[1:] or SUITES
    OUT.mkdir(parents=True, exist_ok=True)
    results = list[Result]()
    for suite in suites:
        result = run_suite(suite)
        results.append(result)
        print(result, flush=True)
        if result.status:
            print(*result.said.splitlines()[-LAST_LINES:], sep="\n", flush=True)
    print("", *results, sep="\n")
    return int(any(result.status for result in results))


if __name__ == "__main__":
    sys.exit(main())
