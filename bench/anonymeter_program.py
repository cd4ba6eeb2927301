"""What runs in the environment of anonymeter (requirements/anonymeter.txt): its inference attack, and its intervals.

``python anonymeter_program.py FOLDER KEYS SECRET SIZES`` attacks every ``FOLDER/release-*.csv`` with everybody of
``members.csv`` and ``controls.csv``, and prints one JSON object: by release hits, CPU seconds and the risk, and for
each size of SIZES the interval of every outcome of so many members and as many controls, before it is cut to 0 to 1.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd


def attack(folder: Path, release: Path, keys: list[str], secret: str) -> dict[str, Any]:
    """Attack a release once to compile, and once more to be timed."""
    evaluator = import_module("anonymeter.evaluators").InferenceEvaluator
    members, controls = pd.read_csv(folder / "members.csv"), pd.read_csv(folder / "controls.csv")
    told: dict[str, Any] = {}
    for people in (50, len(members)):
        made = evaluator(
            ori=members, syn=pd.read_csv(release), control=controls, aux_cols=keys, secret=secret, n_attacks=people
        )
        start = time.process_time()
        result = made.evaluate(n_jobs=1).results()
        told = {"hits": int(result.n_success), "control_hits": int(result.n_control)}
        told |= {"cpu": time.process_time() - start, "risk": result.risk().value, "interval": result.risk().ci}
    return told


def list_intervals(size: int) -> list[list[float]]:
    """Return hits, control hits and both ends of the interval of R for every outcome of so many people on each side."""
    stats = import_module("anonymeter.stats.confidence")
    rates = [stats.success_rate(n_total=size, n_success=hits, confidence_level=0.95) for hits in range(size + 1)]
    lines: list[list[float]] = []
    for hits, member in enumerate(rates):
        for control_hits, control in enumerate(rates):
            residual = stats.residual_success(attack_rate=member, control_rate=control)
            ends = [residual.value - residual.error, residual.value + residual.error]
            lines.append([hits, control_hits, *ends])
    return lines


def main() -> None:
    """Attack, and list."""
    folder, keys, secret, sizes = Path(sys.argv[1]), sys.argv[2].split(","), sys.argv[3], sys.argv[4].split(",")
    warnings.simplefilter("ignore")
    releases = {path.stem: attack(folder, path, keys, secret) for path in sorted(folder.glob("release-*.csv"))}
    print("\n" + json.dumps({"releases": releases, "intervals": {size: list_intervals(int(size)) for size in sizes}}))


if __name__ == "__main__":
    main()
