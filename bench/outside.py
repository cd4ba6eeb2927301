"""A piece of work in a process of its own, measured from outside."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from time import monotonic


def measure_child(command: Sequence[str]) -> dict[str, object]:
    """Run a command that prints a JSON object; return that with CPU seconds, wall seconds and peak memory."""
    start = monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        printed = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{' '.join(command)} ended with status {child.returncode}")
    answer: dict[str, object] = json.loads(printed)
    return answer | {
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 2),
        "wall_seconds": round(monotonic() - start, 1),
        "peak_megabytes": usage.ru_maxrss // 1024,
    }
