"""Campaign: the golden sums of global recoding, by listing and by what ``attack downcode`` says of every file.

Run from the top of the repository: ``python -m verify.red_team.lattice_golden`` (writes verify/out/lattice_golden.json
and exits with 1 if anything disagrees). Needs the shared data.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import process_time

from tests.conftest import SHARED
from tests.gate.records.downcode.test_lattice_downcoding import count_all_but_one
from verify.red_team.lattice_listing import MODES, LatticeCase

OUT = Path("verify/out/lattice_golden.json")


def main() -> int:
    """Compare every sum; return 1 if one disagrees."""
    golden = json.loads((SHARED / "red-team" / "downcode-lattice.json").read_text(encoding="utf-8"))["cases"]
    cases = [case for case in golden if case["id"].startswith("all-")]
    report: dict[str, object] = {}
    wrong = 0
    for case in cases:
        start, listed = process_time(), LatticeCase.read(case)
        least = {"cells": case["least"]["cells"], **case["least"]["all_but_one"]}
        agrees = all(listed.sum_cells(mode) == case[mode] for mode in MODES) and count_all_but_one(case) == least
        wrong += not agrees
        report[case["id"]] = {"agrees": agrees, "seconds": round(process_time() - start, 2)}
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps({"cases": len(cases), "wrong": wrong, "by_case": report}, indent=1) + "\n")
    print(f"{len(cases)} cases, {wrong} disagree")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
